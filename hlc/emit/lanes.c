// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Firings side by side in vectors: which functions can and gain, and which of their locals are vectors. NOTE(vectors) in
// body.h; lanes_text.c writes them. Positions of items that are no affine forms, as where a triangle of a matrix comes, are
// counted: one count is for all lanes, where none pops or pushes while another does not.
#include "hlc/ir/lanes.h"
#include "hlc/emit/body_int.h"
#include "hlc/ir/walk.h"

// ---- What differs from lane to lane ----

typedef struct lane_walk {
    body_context *c;
    bool impossible; // something that vectors do not do
    bool looks_up;   // some subscript differs
    bool looks_far;  // in an array of many rows
    bool by_table;   // in a constant table
    bool popped;     // items may have been popped by now
    int divides;     // quotients of ints whose divisor is no constant, and which differ
    bool stops;      // another one may stop the program
    int guards;      // conditions around that differ from lane to lane
    int apart;       // and loops around that end for one lane before they do for another
    int telling;     // those of them that say something about ints that do not
    hmap open;       // accesses that may be outside
    hmap both;       // targets to which the other branch assigns, too
} lane_walk;

bool lanes_differ(const body_context *c, const sir_expr *e)
{
    if (e == NULL || e->kind == SIR_CONST)
        return false;
    if (e->kind == SIR_LOCAL)
        return c->locals[e->index].vector;
    if (e->kind == SIR_PEEK || e->kind == SIR_ITER)
        return true;
    for (size_t i = 0; i < sir_expr_arity(e); i++)
        if (lanes_differ(c, e->u.arg[i]))
            return true;
    return false;
}

bool lanes_look_up(const body_context *c, const sir_expr *e)
{
    if (e->kind == SIR_PEEK)
        return lanes_differ(c, e->u.arg[0]);
    for (; e->kind == SIR_INDEX; e = e->u.arg[0])
        if (lanes_differ(c, e->u.arg[1]))
            return true;
    return false;
}

const sir_type *lanes_table(const body_context *c, const sir_expr *e)
{
    while (e->kind == SIR_INDEX)
        e = e->u.arg[0];
    const sir_type *t = e->kind == SIR_GLOBAL ? c->e->module->globals.data[e->index].value.type : NULL;
    if (e->kind == SIR_FIELD && c->info->filter->fields.data[e->index].constant)
        t = c->info->filter->fields.data[e->index].type;
    while (t != NULL && t->kind == SIR_ARRAY)
        t = t->element;
    return t;
}

// Tables of which lanes take an element each: one is asked for by a number of all, so rows of structures are none.
static bool can_take(const body_context *c, const sir_expr *e)
{
    const sir_type *t = lanes_table(c, e);
    return c->e->cached && t != NULL && (t->kind == SIR_INT || t->kind == SIR_FLOAT);
}

// Rows from which on firings that wait together (body_jam.c) do better than vectors.
enum { FAR_ROWS = 64 };

static uint64_t words_around(const sir_expr *e)
{
    while (e->kind == SIR_INDEX)
        e = e->u.arg[0];
    return e->type->words;
}

// Whether the window's items lie a row each, wherever the firing is in it.
static bool is_window_of_rows(const body_context *c)
{
    const sir_function *f = c->function;
    return c->in.affine && f->peek.max <= f->pop.max &&
           (c->in.view.count == 0 || (c->in.view.count == 1 && c->in.view.digits[0].radix == 0));
}

// What a value surely lies between, whatever conditions around it say; false: that is not known.
static bool find_range(body_context *c, const sir_expr *e, body_interval *range)
{
    body_affine a;
    if (!body_affine_of(c, e, &a))
        return false;
    *range = body_affine_range(c, &a);
    return true;
}

// Whether a subscript is surely within its array.
static bool is_inside(const lane_walk *w, const sir_expr *e)
{
    body_interval r;
    const sir_function *f = w->c->function;
    if (!find_range(w->c, e->u.arg[e->kind == SIR_INDEX], &r))
        return false;
    if (e->kind == SIR_INDEX)
        return r.lo >= 0 && r.hi < (int64_t)e->u.arg[0]->type->length;
    if (!w->popped)
        return r.lo >= 0 && r.hi < f->peek.max;
    return r.lo >= 0 && r.hi + f->pop.max < f->peek.max + (f->pop.max == f->peek.max);
}

// What is accessed under a condition is accessed for all lanes, those included for which it does not hold. Where the
// condition is about values of lanes alone, the proof that an access is inside needs nothing of it.
static bool is_safe(lane_walk *w, const sir_expr *e)
{
    return w->guards == 0 || is_inside(w, e) || (w->telling == 0 && hmap_getn(&w->open, &e, sizeof e) == NULL);
}

static bool tells(const body_context *c, const sir_expr *e)
{
    if (e->kind == SIR_LOCAL)
        return !c->locals[e->index].vector && e->type->kind != SIR_BOOLEAN;
    if (e->kind == SIR_PEEK || (e->kind == SIR_INDEX && lanes_differ(c, e))) // of what lanes have there
        return false;
    for (size_t i = 0; e->kind != SIR_CONST && i < sir_expr_arity(e); i++)
        if (tells(c, e->u.arg[i]))
            return true;
    return false;
}

static bool can_binary(const sir_expr *e)
{
    bool divides = e->op == LANG_OP_DIV || e->op == LANG_OP_REM, ints = e->u.arg[0]->type->kind != SIR_FLOAT;
    const sir_expr *b = e->u.arg[1];
    if (!divides)
        return true;
    return !ints ? e->op == LANG_OP_DIV : b->kind == SIR_CONST && body_const_int(b) != 0 && body_const_int(b) != -1;
}

// A quotient that stops the program does so for the first lane of which it would: that is the first firing's, where no other
// one may stop it, and where all lanes are there.
static bool can_divide(lane_walk *w, const sir_expr *e)
{
    if (!w->c->e->inverts || e->op != LANG_OP_DIV || e->u.arg[0]->type->kind != SIR_INT ||
        e->u.arg[1]->kind == SIR_CONST)
        return false;
    w->divides++;
    return w->guards == 0 && w->apart == 0;
}

// What all lanes divide by alike is 0 only where none of them is, as it may be under a condition.
static bool may_fail(lane_walk *w, const sir_expr *e)
{
    body_interval r;
    bool divides = e->kind == SIR_BINARY && (e->op == LANG_OP_DIV || e->op == LANG_OP_REM);
    if (!divides || e->u.arg[0]->type->kind == SIR_FLOAT || w->guards == 0)
        return false;
    return !find_range(w->c, e->u.arg[1], &r) || (r.lo <= 0 && r.hi >= 0);
}

static void check_expr(lane_walk *w, const sir_expr *e)
{
    if (e == NULL || e->kind == SIR_CONST)
        return;
    body_context *c = w->c;
    bool differs = lanes_differ(c, e);
    if (lanes_look_up(c, e)) {
        w->looks_up = true;
        const sir_expr *root = e;
        while (root->kind == SIR_INDEX)
            root = root->u.arg[0];
        bool table = e->kind == SIR_INDEX && root->kind != SIR_LOCAL;
        w->by_table |= table;
        w->looks_far |= table || words_around(e) > FAR_ROWS;
        w->impossible |= table && !can_take(c, e);
        w->impossible |= e->kind == SIR_PEEK && !is_window_of_rows(c);
    } else if ((e->kind == SIR_INDEX || e->kind == SIR_PEEK) && !is_safe(w, e)) {
        w->impossible = true;
    }
    if (differs && e->kind != SIR_INDEX && e->type->kind != SIR_ARRAY && !sir_is_lane_type(e->type))
        w->impossible = true;
    if (differs && (e->kind == SIR_MEMBER || e->kind == SIR_MAKE_COMPLEX ||
                    (e->kind == SIR_BINARY && !can_binary(e) && !can_divide(w, e))))
        w->impossible = true;
    w->stops |= !differs && sir_may_divide_by_zero(e);
    w->impossible |= may_fail(w, e);
    bool lazy = e->kind == SIR_SELECT || (e->kind == SIR_BINARY && (e->op == LANG_OP_LAND || e->op == LANG_OP_LOR));
    bool guarded = lazy && differs; // all operands are computed
    int telling = guarded && tells(c, e->u.arg[0]);
    w->guards += guarded;
    w->telling += telling;
    for (size_t i = 0; i < sir_expr_arity(e); i++)
        check_expr(w, e->u.arg[i]);
    w->guards -= guarded;
    w->telling -= telling;
}

static void walk_block(lane_walk *w, const sir_block *b);

static void walk_target(lane_walk *w, const sir_expr *target)
{
    const sir_expr *e = target;
    bool looks_up = lanes_look_up(w->c, e), surely = hmap_getn(&w->both, &target, sizeof target) != NULL;
    w->looks_up |= looks_up;
    for (; e->kind == SIR_INDEX; e = e->u.arg[0]) {
        check_expr(w, e->u.arg[1]);
        w->impossible |= !looks_up && !surely && !is_safe(w, e);
    }
    w->impossible |= e->kind != SIR_LOCAL || (looks_up && target->type->kind == SIR_ARRAY);
    w->impossible |= target->type->kind == SIR_ARRAY && lanes_differ(w->c, e); // whole arrays
}

static void find_parts(const body_context *c, const sir_expr *e, lanes_parts *parts)
{
    if (e->kind == SIR_BINARY && e->op == LANG_OP_LAND) {
        find_parts(c, e->u.arg[0], parts);
        find_parts(c, e->u.arg[1], parts);
    } else {
        VEC_PUSH(c->e->arena, parts, e);
    }
}

lanes_parts lanes_condition(const body_context *c, const sir_stmt *s, size_t *first)
{
    lanes_parts parts = {0};
    bool alone = s->kind == SIR_LOOP || s->u.if_.otherwise.len == 0;
    find_parts(c, s->kind == SIR_LOOP ? s->u.loop.cond : s->u.if_.cond, &parts);
    *first = 0;
    while (alone && *first < parts.len && !lanes_differ(c, parts.data[*first]))
        (*first)++;
    return parts;
}

// The parts of a condition of which the first one may decide alone; gives what they say about ints that do not differ.
static int walk_parts(lane_walk *w, const sir_stmt *s, bool differs)
{
    size_t first;
    lanes_parts parts = lanes_condition(w->c, s, &first);
    int telling = 0;
    for (size_t i = 0; i < parts.len; i++) {
        int guarded = i > first, tell = telling;
        w->guards += guarded;
        w->telling += tell;
        check_expr(w, parts.data[i]);
        w->guards -= guarded;
        w->telling -= tell;
        telling |= differs && i >= first && tells(w->c, parts.data[i]);
    }
    return telling;
}

// Marks the locals that a statement declares or assigns to.
static void mark_set(void *context, sir_stmt *s)
{
    bool *sets = context;
    const sir_expr *root = sir_assigned_root(s);
    if (root != NULL && root->kind == SIR_LOCAL)
        sets[root->index] = true;
    if (s->kind == SIR_DECL)
        sets[s->u.decl.local] = true;
}

// Whether two places are the same, of whose subscripts neither branch sets anything.
static bool is_same_place(const sir_expr *a, const sir_expr *b, const bool *sets)
{
    if (a->kind != b->kind || a->op != b->op || a->type != b->type)
        return false;
    switch ((sir_expr_kind)a->kind) {
    case SIR_CONST: return a->type->kind == SIR_INT && a->u.value.i == b->u.value.i;
    case SIR_LOCAL: return a->index == b->index && (a->type->kind == SIR_ARRAY || !sets[a->index]);
    case SIR_INDEX:
    case SIR_BINARY:
        return is_same_place(a->u.arg[0], b->u.arg[0], sets) && is_same_place(a->u.arg[1], b->u.arg[1], sets);
    default: return false;
    }
}

static bool sets_element(const sir_stmt *s)
{
    return s->kind == SIR_SET && s->u.set.target->kind == SIR_INDEX;
}

// An element to which both branches assign, as a merge of two sorted runs does, is there whatever the condition is.
static void find_both(lane_walk *w, const sir_stmt *s)
{
    const sir_block *then = &s->u.if_.then, *otherwise = &s->u.if_.otherwise;
    bool *sets = ARENA_ARRAY(w->c->e->arena, bool, w->c->function->locals.len + 1);
    sir_visit_stmts(then, mark_set, sets);
    sir_visit_stmts(otherwise, mark_set, sets);
    for (VEC_EACH(sir_stmt *const, a, then))
        for (VEC_EACH(sir_stmt *const, b, otherwise)) {
            if (!sets_element(*a) || !sets_element(*b) || !is_same_place((*a)->u.set.target, (*b)->u.set.target, sets))
                continue;
            hmap_setn(&w->both, &(*a)->u.set.target, sizeof(sir_expr *), w);
            hmap_setn(&w->both, &(*b)->u.set.target, sizeof(sir_expr *), w);
        }
}

static void walk_if(lane_walk *w, const sir_stmt *s)
{
    bool differs = lanes_differ(w->c, s->u.if_.cond);
    int telling = walk_parts(w, s, differs);
    if (w->guards == 0 && differs && s->u.if_.otherwise.len != 0)
        find_both(w, s);
    w->guards += differs;
    w->apart += differs;
    w->telling += telling;
    walk_block(w, &s->u.if_.then);
    walk_block(w, &s->u.if_.otherwise);
    w->apart -= differs;
    w->guards -= differs;
    w->telling -= telling;
}

// The loop's variable counts from now on, between bounds that are known or not.
static void for_range(const sir_stmt *s, body_local *l)
{
    l->is_for = true;
    l->range = (body_interval){INT32_MIN, INT32_MAX};
    int64_t trips;
    if (sir_for_trips(s, &trips) && trips > 0) {
        int64_t first = body_const_int(s->u.for_.lo), last = first + (trips - 1) * s->u.for_.step;
        l->range = first < last ? (body_interval){first, last} : (body_interval){last, first};
    }
}

static void find_pop(void *context, sir_stmt *s)
{
    *(bool *)context |= s->kind == SIR_POP;
}

// The second trip finds popped what the first one pops.
static void enter_loop(lane_walk *w, const sir_stmt *s)
{
    const sir_block one = {.data = (sir_stmt **)(uintptr_t)&s, .len = 1};
    sir_visit_stmts(&one, find_pop, &w->popped);
}

static void walk_for(lane_walk *w, const sir_stmt *s)
{
    body_local *l = &w->c->locals[s->u.for_.local], saved = *l;
    enter_loop(w, s);
    check_expr(w, s->u.for_.lo);
    check_expr(w, s->u.for_.hi);
    for_range(s, l);
    walk_block(w, &s->u.for_.body);
    *l = saved;
}

// As long as it goes on some lane is in it, which needs what is accessed there.
static void walk_loop(lane_walk *w, const sir_stmt *s)
{
    lane_walk outer = *w;
    bool differs = lanes_differ(w->c, s->u.loop.cond);
    enter_loop(w, s);
    if (differs)
        w->guards = w->telling = 0;
    w->apart += differs;
    walk_block(w, &s->u.loop.pre);
    if (differs)
        (void)walk_parts(w, s, true);
    else
        check_expr(w, s->u.loop.cond);
    walk_block(w, &s->u.loop.body);
    walk_block(w, &s->u.loop.step);
    w->guards = outer.guards;
    w->apart = outer.apart;
    w->telling = outer.telling;
}

static void walk_stmt(lane_walk *w, const sir_stmt *s)
{
    switch ((sir_stmt_kind)s->kind) {
    case SIR_DECL:
        check_expr(w, s->u.decl.init);
        w->impossible |= s->u.decl.init != NULL && s->u.decl.init->type->kind == SIR_ARRAY;
        break;
    case SIR_SET:
        walk_target(w, s->u.set.target);
        check_expr(w, s->u.set.value);
        break;
    case SIR_POP:
        if (s->u.set.target != NULL)
            walk_target(w, s->u.set.target);
        w->popped = true;
        w->impossible |= w->apart > 0 && !w->c->in.affine;
        break;
    case SIR_PUSH:
        check_expr(w, s->u.value);
        w->impossible |= w->apart > 0 && !w->c->out.affine;
        break;
    case SIR_IF: walk_if(w, s); break;
    case SIR_FOR: walk_for(w, s); break;
    case SIR_LOOP: walk_loop(w, s); break;
    case SIR_BLOCK: walk_block(w, &s->u.block); break;
    default: w->impossible = true;
    }
}

static void walk_block(lane_walk *w, const sir_block *b)
{
    for (size_t i = 0; i < b->len && !w->impossible; i++)
        walk_stmt(w, b->data[i]);
}

// Which locals differ from lane to lane; false: none can be vectors.
static bool mark_vectors(body_context *c)
{
    bool *locals = ARENA_ARRAY(c->e->arena, bool, c->function->locals.len + 1);
    if (!sir_lane_locals_with_tables(c->function, locals))
        return false;
    const sir_stmt **homes = sir_lane_homes(c->e->arena, c->function);
    for (size_t i = 0; i < c->function->locals.len; i++) {
        c->locals[i].vector = locals[i];
        c->locals[i].lives_in = homes[i];
    }
    return true;
}

bool lanes_find_vectors(body_context *c)
{
    lane_walk w = {.c = c};
    if (!mark_vectors(c))
        return false;
    hmap_init(&w.open, c->e->arena);
    hmap_init(&w.both, c->e->arena);
    sir_unproved_accesses(c->e->module, c->function, &w.open);
    walk_block(&w, &c->function->body);
    c->looks_up = w.looks_up;
    c->looks_far = w.looks_far;
    c->by_table = w.by_table;
    return !w.impossible && (w.divides == 0 || (w.divides == 1 && !w.stops));
}

// ---- Is it worth it? ----

// Measured (clang 22, AVX2 and AVX-512): what the C compiler makes of single firings is as good where it unrolls all loops
// or vectorises along them.
enum { LEAST_TRIPS = 12, LEAST_WORK = 96, ALONG_TRIPS = 16 };
// Trips that are a vector of single firings, which have as cheap loads; half as many more are two, one of half the width.
// Statements of such a loop that are looked at. Lanes that take their items one by one do not gain
// then: a coder of pictures, whose transform takes every third item, is 1.2 times as fast without, the whole process.
enum { SHORT_VECTOR = 8, SHORT_BODY = 64 };
// The part of the work in such loops from which on lanes gain: beside a search for the least two of eight numbers, a loop that
// chooses by it is no less work, and both together took 4 times as long as lanes.
enum { SERIAL_PART = 3 };
// Nodes that the end of a loop is worth which data end: single firings seldom foresee it.
enum { UNFORESEEN = 64 };
// Conditions in a row, outside of loops, from which on C compilers take one path for all that follow from the first ones, and
// make no vectors then.
enum { LEAST_BRANCHES = 10 };
// Nodes for each item that lies apart from that of the next lane, where a register has few lanes: loading and turning such
// items takes what the lanes save. Simulated (SPEs, four lanes): transforms are 1.5 times slower without this.
enum { FEW_LANES = 4, APART_WORK = 64 };
// And for each item, where a register has many, from which on twice as many firings gain: the processor does some while others
// wait. With less transforms and sorting lose.
enum { WAITING_WORK = 128 };
// How much longer than LEAST_TRIPS a loop may well be that data end.
enum { OPEN_TRIPS = 2 };

// Items on each side, and nodes for each, from which on statements in a row gain where registers have 64 bytes: C compilers
// make few vectors of them, and move items into place for each.
enum { ROW_LEAST_FLOATS = 8, ROW_LEAST_ITEMS = 8, ROW_MOST_ITEMS = 32, ROW_WORK = 6 };

// Registers that lanes fill at least, where memory allows.
enum { LEAST_REGISTERS = 2 };
// Nodes of a firing that has whole vectors on both sides: C compilers make none where it has a loop.
enum { MOVED_WORK = 32 };

// Lanes that are turned at once.
enum { TURNED_LANES = 16 };
// Lanes of a register from which on looking up by what differs gains: each does a part of what single firings do at once.
enum { LOOK_UP_LANES = 8 };
// Nodes for each element that a lane takes from a table, from which on lanes gain: each takes its own by itself, as a single
// firing does, and lanes save what is computed around. Measured (clang 22, AVX2 and AVX-512, tables of 256 ints or floats): sums
// over 16 to 64 items are 0.74 to 1.3 times as fast with 8 to 12 nodes, 0.9 to 1.7 times with 22; what waits for the trip before
// gains from 12 on.
enum { TAKEN_WORK = 24 };
// And for each element that a lane sets where data say, of so many rows at least: all of these are compared with the place, and
// written again. Measured (clang 22, AVX-512): histograms of 32 bins, 12 nodes for each, are 3 times as fast without lanes;
// selections of the greatest of 16, which exchange once for 100 nodes, a quarter as fast.
enum { SET_WORK = 24, SET_ROWS = 9 };
// Nodes of a firing from which on gathers gain, where the processor has fast ones.
enum { GATHERED_WORK = 8 };
// Elements of a table of bytes that registers of 64 bytes hold, which svm/lanes.h permutes.
enum { REGISTER_BYTES = 256 };
// Bytes of local arrays and tiles, which should stay in the first cache; and where there is a second, for as many lanes as a
// large register has.
enum { MOST_BYTES = 16384, CACHED_BYTES = 65536, CACHED_LANES = 16 };

typedef struct lane_worth {
    body_context *c;
    double loads;                 // of items, in loops
    int unrolled;                 // loops around that are written out
    int rounds;                   // and loops around these that go over the same elements in each trip
    double all, serial;           // nodes of expressions: all, and those in loops that go one trip after the other
    double sums;                  // and those of sums of loops
    double along;                 // and those in loops of few trips, which are whole vectors yet
    int64_t loop_sums, most_sums; // such sums in the loop at hand; in one loop at most
    double once;                  // and those in no loop
    double taken, gathered;       // elements of tables: that each lane takes by itself, and all lanes at once
    double set;                   // elements of many rows that data lead to, which are set; once lanes_find_vectors was
    int branches;                 // conditions in no loop
    bool open;                    // data end a loop that goes one trip after the other
} lane_worth;

static bool peeks(const sir_expr *e)
{
    bool any = e->kind == SIR_PEEK;
    for (size_t i = 0; e->kind != SIR_CONST && i < sir_expr_arity(e); i++)
        any = any || peeks(e->u.arg[i]);
    return any;
}

static double nodes(const sir_expr *e)
{
    double n = 1;
    for (size_t i = 0; e != NULL && e->kind != SIR_CONST && i < sir_expr_arity(e); i++)
        n += nodes(e->u.arg[i]);
    return n;
}

// Whether the processor takes elements of the table for all lanes at once, from registers: 256 bytes.
static bool is_in_registers(const body_context *c, const sir_expr *e)
{
    const sir_type *t = lanes_table(c, e);
    return c->e->permutes && (t->storage == SIR_STORED_UINT8 || t->storage == SIR_STORED_INT8) &&
           words_around(e) <= REGISTER_BYTES;
}

// Whether it gathers them from memory: elements as large as a lane.
static bool is_gathered(const body_context *c, const sir_expr *e)
{
    const sir_type *t = lanes_table(c, e);
    return c->e->gathers && t->storage == SIR_STORED_WHOLE && t->kind != SIR_BIT;
}

// Elements of tables that data lead to, about. After mark_vectors.
static void weigh_tables(lane_worth *w, const sir_expr *e, double times)
{
    const body_context *c = w->c;
    if (e == NULL || e->kind == SIR_CONST)
        return;
    if (e->kind == SIR_INDEX && e->type->kind != SIR_ARRAY && lanes_table(c, e) != NULL && lanes_look_up(c, e) &&
        !is_in_registers(c, e))
        *(is_gathered(c, e) ? &w->gathered : &w->taken) += times;
    for (size_t i = 0; i < sir_expr_arity(e); i++)
        weigh_tables(w, e->u.arg[i], times);
}

typedef struct loop_look {
    const body_context *c;
    const sir_block *body;
    const sir_stmt *loop; // NULL: one that data end
    bool inner, carried, stores, chooses;
    bool down; // it goes down the rows of an array that it sets
} loop_look;

// Whether trips of the loop set elements of rows: an element of each.
static bool goes_down(const sir_expr *target, const sir_stmt *loop)
{
    if (loop == NULL || target->kind != SIR_INDEX)
        return false;
    for (const sir_expr *row = target->u.arg[0]; row->kind == SIR_INDEX; row = row->u.arg[0])
        if (sir_count_local_in(row->u.arg[1], loop->u.for_.local) != 0)
            return true;
    return false;
}

static void look_at(void *context, sir_stmt *s)
{
    loop_look *l = context;
    l->inner |= s->kind == SIR_FOR || s->kind == SIR_LOOP;
    l->chooses |= s->kind == SIR_IF;
    if (s->kind != SIR_SET)
        return;
    const sir_expr *t = s->u.set.target;
    l->stores |= t->kind != SIR_LOCAL;
    l->down |= goes_down(t, l->loop);
    if (t->kind == SIR_LOCAL && !l->c->locals[t->index].dead && !body_declared_in(l->c, l->body, t->index))
        l->carried = true;
}

// Whether the C compiler writes the loop out and finds vectors among its trips.
static bool is_written_out(const body_context *c, const sir_stmt *s)
{
    loop_look l = {.c = c, .body = &s->u.for_.body};
    sir_visit_stmts(l.body, look_at, &l);
    return !l.chooses && body_unrolls(c, s);
}

// Places that trips of a loop access beside its variable, such as 0 and 1 of `x[i]` and `x[i + 1]`.
typedef struct place_look {
    body_context *c;
    uint32_t local;
    VEC(int64_t) places;
} place_look;

static void find_place(void *context, sir_expr *e, bool written)
{
    (void)written;
    place_look *l = context;
    body_affine a;
    if ((e->kind != SIR_INDEX && e->kind != SIR_PEEK) || !body_affine_of(l->c, e->u.arg[e->kind == SIR_INDEX], &a) ||
        a.terms.len != 1)
        return;
    if (a.terms.data[0].local == l->local && a.terms.data[0].coefficient == 1)
        VEC_PUSH(l->c->e->arena, &l->places, a.constant);
}

static void find_places(void *context, sir_stmt *s)
{
    sir_visit_exprs(s, find_place, context);
}

// Elements of a trip that lie side by side in the arrays that its loop goes through by more than one; where that is not
// known, as many as it goes on by.
static int64_t side_by_side(body_context *c, const sir_stmt *loop)
{
    int64_t step = loop->u.for_.step < 0 ? -loop->u.for_.step : loop->u.for_.step, most = 0;
    place_look l = {.c = c, .local = loop->u.for_.local};
    if (step > 1)
        sir_visit_stmts(&loop->u.for_.body, find_places, &l);
    for (size_t i = 0; i < l.places.len; i++) {
        int64_t count = 1;
        for (size_t k = 0; k < l.places.len && count < step; k++)
            if (l.places.data[k] == l.places.data[i] + count) {
                count++;
                k = (size_t)-1;
            }
        most = count > most ? count : most;
    }
    return most == 0 ? step : most;
}

// Whether the C compiler would have to go through the loop trip by trip. trips: at most; 0: that is not known.
// loop: whose body it is; NULL: one that data end. A variable that counts by two or more mostly does so since each trip has so
// many neighbours, such as the two floats of a complex number.
static bool is_serial(body_context *c, const sir_block *body, const sir_stmt *loop, int64_t trips)
{
    loop_look l = {.c = c, .body = body, .loop = loop};
    sir_visit_stmts(body, look_at, &l);
    bool few = trips > 0 && trips * (loop == NULL ? 1 : side_by_side(c, loop)) < ALONG_TRIPS;
    return l.inner || l.carried || l.down || (l.stores && l.chooses) || (few && (l.stores || l.chooses));
}

typedef struct side_look {
    const body_context *c;
    const sir_stmt *loop;
    sir_expr *target; // the element that is set at hand
    const bool *none; // per local
    bool waits;
} side_look;

// Whether a subscript goes along with the trips, one by one, or is the same in all of them.
static bool goes_along(sir_expr *e, uint32_t variable)
{
    if (e->kind == SIR_LOCAL || sir_count_local_in(e, variable) == 0)
        return true;
    if (e->kind != SIR_BINARY || (e->op != LANG_OP_ADD && e->op != LANG_OP_SUB))
        return false;
    const size_t other = e->op == LANG_OP_ADD && sir_count_local_in(e->u.arg[0], variable) == 0 ? 0 : 1;
    return goes_along(e->u.arg[1 - other], variable) && sir_count_local_in(e->u.arg[other], variable) == 0;
}

static void find_other_place(void *context, sir_expr *e, bool written)
{
    (void)written;
    side_look *l = context;
    const sir_expr *root = e->kind == SIR_INDEX && e->type->kind != SIR_ARRAY ? sir_lvalue_root(e) : NULL;
    l->waits |= root != NULL && root->kind == SIR_LOCAL && root->index == sir_lvalue_root(l->target)->index &&
                !is_same_place(e, l->target, l->none);
}

static void find_other_places(void *context, sir_stmt *s)
{
    sir_visit_exprs(s, find_other_place, context);
}

static void find_waits(void *context, sir_stmt *s)
{
    side_look *l = context;
    const sir_expr *root = sets_element(s) ? sir_assigned_root(s) : NULL;
    if (root == NULL || root->kind != SIR_LOCAL)
        return;
    l->target = s->u.set.target;
    l->waits |= sir_count_local_in(s->u.set.target, l->loop->u.for_.local) == 0;
    sir_visit_stmts(&l->loop->u.for_.body, find_other_places, l);
}

// Whether the trips have nothing to do with each other: each sets elements of its own, and reads no others of these arrays.
static bool goes_side_by_side(const body_context *c, const sir_stmt *s)
{
    side_look l = {.c = c, .loop = s, .none = ARENA_ARRAY(c->e->arena, bool, c->function->locals.len + 1)};
    l.waits = s->u.for_.body.len > SHORT_BODY;
    if (!l.waits)
        sir_visit_stmts(&s->u.for_.body, find_waits, &l);
    return !l.waits;
}

static void find_scattered(void *context, sir_expr *e, bool written)
{
    (void)written;
    side_look *l = context;
    sir_expr *at = e->kind == SIR_INDEX ? e->u.arg[1] : e->kind == SIR_PEEK ? e->u.arg[0] : NULL;
    if (at == NULL)
        return;
    const bool row = e->kind == SIR_INDEX && e->type->kind == SIR_ARRAY;
    l->waits |= row ? sir_count_local_in(at, l->loop->u.for_.local) != 0 : !goes_along(at, l->loop->u.for_.local);
}

static void find_all_scattered(void *context, sir_stmt *s)
{
    sir_visit_exprs(s, find_scattered, context);
}

// Whether items and elements that trips load lie one behind the other, as they do in a vector.
static bool loads_vectors(const body_context *c, const sir_stmt *s)
{
    side_look l = {.c = c, .loop = s};
    sir_visit_stmts(&s->u.for_.body, find_all_scattered, &l);
    return !l.waits;
}

// Whether a loop that counts as serial for its few trips alone is a vector in a single firing all the same: if not as long a
// one as lanes are.
static bool is_short_vector(body_context *c, const sir_stmt *s)
{
    loop_look l = {.c = c, .body = &s->u.for_.body, .loop = s};
    int64_t trips;
    sir_visit_stmts(l.body, look_at, &l);
    return s->u.for_.step == 1 && sir_for_trips(s, &trips) &&
           (trips % SHORT_VECTOR == 0 ||
            (c->e->vector_floats == SHORT_VECTOR && trips >= SHORT_VECTOR + SHORT_VECTOR / 2 && loads_vectors(c, s))) &&
           !l.inner && !l.carried && !l.down && !l.chooses && goes_side_by_side(c, s);
}

typedef struct round_look {
    const body_context *c;
    const sir_block *body;
    bool *follows; // per local: it differs with the loop's variable
    bool changed, again;
} round_look;

static bool follows_loop(const round_look *l, const sir_expr *e)
{
    if (e == NULL || e->kind == SIR_CONST)
        return false;
    if (e->kind == SIR_LOCAL)
        return l->follows[e->index];
    for (size_t i = 0; i < sir_expr_arity(e); i++)
        if (follows_loop(l, e->u.arg[i]))
            return true;
    return false;
}

static void spread_loop(void *context, sir_stmt *s)
{
    round_look *l = context;
    uint32_t to = s->kind == SIR_FOR ? s->u.for_.local : s->kind == SIR_DECL ? s->u.decl.local : 0;
    bool from = s->kind == SIR_FOR ? follows_loop(l, s->u.for_.lo) || follows_loop(l, s->u.for_.hi)
                                   : s->kind == SIR_DECL && follows_loop(l, s->u.decl.init);
    if (s->kind == SIR_SET && s->u.set.target->kind == SIR_LOCAL) {
        to = s->u.set.target->index;
        from = follows_loop(l, s->u.set.value);
    }
    l->changed |= from && !l->follows[to];
    l->follows[to] |= from;
}

static void find_again(void *context, sir_stmt *s)
{
    round_look *l = context;
    const sir_expr *root = sir_assigned_root(s);
    if (s->kind == SIR_SET && s->u.set.target->kind == SIR_INDEX && root != NULL && root->kind == SIR_LOCAL)
        l->again |= !follows_loop(l, s->u.set.target) && !body_declared_in(l->c, l->body, root->index);
}

// Whether each trip of the loop sets elements that all trips set, as the rounds of a cipher do: they wait for each other.
static bool goes_round(const body_context *c, const sir_stmt *s)
{
    round_look l = {.c = c, .body = &s->u.for_.body, .changed = true};
    arena *scratch = arena_create();
    l.follows = ARENA_ARRAY(scratch, bool, c->function->locals.len + 1);
    l.follows[s->u.for_.local] = true;
    while (l.changed) {
        l.changed = false;
        sir_visit_stmts(l.body, spread_loop, &l);
    }
    sir_visit_stmts(l.body, find_again, &l);
    arena_destroy(scratch);
    return l.again;
}

// Trips at most, from what the loops around are known to count, and at least; 0: that is not known.
static int64_t most_trips(body_context *c, const sir_stmt *s, int64_t *least)
{
    body_interval lo, hi;
    int64_t step = s->u.for_.step;
    *least = 0;
    if (step == 0 || !find_range(c, s->u.for_.lo, &lo) || !find_range(c, s->u.for_.hi, &hi))
        return 0;
    int64_t by = step > 0 ? step : -step, far = step > 0 ? hi.hi - lo.lo : lo.hi - hi.lo,
            near = step > 0 ? hi.lo - lo.hi : lo.lo - hi.hi;
    *least = near > 0 ? (near + by - 1) / by : 0;
    return far > 0 ? (far + by - 1) / by : 0;
}

static void weigh_block(lane_worth *w, const sir_block *b, double times, bool serial);

static bool adds_up(const sir_stmt *s)
{
    const sir_expr *target = s->u.set.target, *sum = s->u.set.value;
    if (s->kind != SIR_SET || target->kind != SIR_LOCAL || target->type->kind != SIR_FLOAT || sum->kind != SIR_BINARY)
        return false;
    const sir_expr *self = sum->u.arg[0];
    return (sum->op == LANG_OP_ADD || sum->op == LANG_OP_SUB) && self->kind == SIR_LOCAL &&
           self->index == target->index;
}

static void weigh_for(lane_worth *w, const sir_stmt *s, double times)
{
    body_local *l = &w->c->locals[s->u.for_.local], saved = *l;
    int64_t trips, least, most = most_trips(w->c, s, &least);
    bool known = sir_for_trips(s, &trips), unrolled = is_written_out(w->c, s);
    times *= known ? (double)trips : most > 0 ? (double)(least + most) / 2 : LEAST_TRIPS;
    bool rounds = !unrolled && w->unrolled == 0 && goes_round(w->c, s);
    w->unrolled += unrolled;
    w->rounds += rounds;
    for_range(s, l);
    bool serial = (w->unrolled == 0 || w->rounds > 0) && is_serial(w->c, &s->u.for_.body, s, known ? trips : most);
    const int64_t sums = w->loop_sums;
    const double before = w->serial;
    w->loop_sums = 0;
    weigh_block(w, &s->u.for_.body, times, serial);
    w->along += serial && is_short_vector(w->c, s) ? w->serial - before : 0;
    w->most_sums = w->loop_sums > w->most_sums ? w->loop_sums : w->most_sums;
    w->loop_sums = sums;
    *l = saved;
    w->rounds -= rounds;
    w->unrolled -= unrolled;
}

static void weigh_loop(lane_worth *w, const sir_stmt *s, double times)
{
    bool serial = w->unrolled == 0;
    w->all += serial ? UNFORESEEN * times : 0;
    w->serial += serial ? UNFORESEEN * times : 0;
    w->open |= serial;
    times *= LEAST_TRIPS;
    weigh_block(w, &s->u.loop.pre, times, serial && is_serial(w->c, &s->u.loop.pre, NULL, 0));
    weigh_block(w, &s->u.loop.body, times, serial && is_serial(w->c, &s->u.loop.body, NULL, 0));
    weigh_block(w, &s->u.loop.step, times, serial && is_serial(w->c, &s->u.loop.step, NULL, 0));
}

static void weigh(lane_worth *w, const sir_stmt *s, double times, bool serial)
{
    sir_parts parts = sir_stmt_parts((sir_stmt *)(uintptr_t)s);
    double own = 0;
    for (uint8_t i = 0; i < parts.expr_count; i++) {
        own += nodes(*parts.expr[i]);
        weigh_tables(w, *parts.expr[i], times);
        w->loads += serial && peeks(*parts.expr[i]);
    }
    w->loads += serial && s->kind == SIR_POP;
    w->all += own * times;
    w->once += times == 1 ? own : 0;
    w->branches += times == 1 && s->kind == SIR_IF;
    w->serial += serial ? own * times : 0;
    w->sums += adds_up(s) ? own * times : 0;
    if (s->kind == SIR_SET && lanes_look_up(w->c, s->u.set.target) && words_around(s->u.set.target) >= SET_ROWS)
        w->set += times;
    w->loop_sums += adds_up(s);
    if (s->kind == SIR_FOR)
        weigh_for(w, s, times);
    else if (s->kind == SIR_LOOP)
        weigh_loop(w, s, times);
    for (uint8_t k = 0; s->kind != SIR_FOR && s->kind != SIR_LOOP && k < parts.block_count; k++)
        weigh_block(w, parts.block[k], times, serial);
}

static void weigh_block(lane_worth *w, const sir_block *b, double times, bool serial)
{
    for (size_t i = 0; i < b->len; i++)
        weigh(w, b->data[i], times, serial);
}

// Whether lanes would mostly set elements where data say. After lanes_find_vectors.
static bool sets_much(body_context *c)
{
    lane_worth w = {.c = c};
    if (c->looks_up)
        weigh_block(&w, &c->function->body, 1, false);
    return w.serial < SET_WORK * w.set;
}

// Vectors that live at a time, about: the scalars among the locals; bytes of arrays a lane.
static void count_values(const body_context *c, int64_t *values, int64_t *bytes)
{
    *values = *bytes = 0;
    for (size_t i = 0; i < c->function->locals.len; i++) {
        const sir_type *t = c->function->locals.data[i].type;
        if (!c->locals[i].vector || c->locals[i].dead)
            continue;
        if (t->kind == SIR_ARRAY)
            *bytes += 4 * (int64_t)t->words;
        else
            (*values)++;
    }
}

static int64_t tile_bytes(int64_t stride, int64_t window, int64_t lanes)
{
    int64_t rows = window < stride ? window : stride;
    return stride <= 1 ? 0 : 4 * rows * (lanes + (window - 1) / stride);
}

static bool is_plain_tape(const body_context *c, const body_tape *t, const sir_type *item)
{
    bool byte = item->storage != SIR_STORED_WHOLE || (item->kind == SIR_BIT && c->e->module->byte_bits);
    return !t->used ||
           (!t->checked && !t->exit_checked && item->kind != SIR_BOOLEAN && !byte && sir_is_lane_type(item));
}

// Whether the plan laid out items for lanes: equal ones of successive firings are neighbours, those of one firing are not.
static bool is_planar(const body_context *c, int64_t in_stride, int64_t out_stride, double work)
{
    bool in = c->in.used && c->in.view.count != 0 && in_stride == 1, out = c->out.view.count != 0 && out_stride == 1;
    return (work >= LEAST_WORK && (in || out)) || (work >= MOVED_WORK && in && out);
}

// Whether lanes take or put their items one by one, or, where registers have few lanes, in tiles: turning these takes what lanes
// save then.
static bool is_apart(const body_context *c, int64_t in_stride, int64_t out_stride)
{
    const bool tiles = c->e->vector_floats == SHORT_VECTOR;
    return (c->in.used && (tiles || c->in.view.count != 0) && in_stride != 1) ||
           (c->out.used && (tiles || c->out.view.count != 0) && out_stride != 1);
}

// Whether items lie so on one side, and on the other those of a firing do, a few of them, far from the next firing's. C
// compilers take or put such one by one, at addresses that they compute as vectors.
static bool is_turned(const body_context *c, int64_t in_stride, int64_t out_stride)
{
    const sir_function *f = c->function;
    bool in = c->in.used && c->in.view.count != 0 && in_stride == 1, out = c->out.view.count != 0 && out_stride == 1;
    bool from =
             c->in.used && c->in.view.count == 0 && in_stride >= EMIT_FAR && f->pop.max > 1 && f->peek.max <= in_stride,
         to = c->out.view.count == 0 && out_stride >= EMIT_FAR && f->push.max > 1 && f->push.max <= out_stride;
    return c->e->cached && ((in && to) || (out && from));
}

bool lanes_can(body_context *c)
{
    return is_plain_tape(c, &c->in, c->info->filter->input) && is_plain_tape(c, &c->out, c->info->filter->output) &&
           c->in.affine && c->out.affine && c->open == NULL && !c->dynamic && !c->e->keep_names &&
           lanes_find_vectors(c);
}

// Whether a firing is statements in a row that do much for each of some items, which are turned by blocks. The next firing's
// may lie farther on, as those of a splitjoin's branch do among the others'.
static bool is_row(const body_context *c, const lane_worth *w, int64_t in_stride, int64_t out_stride)
{
    const sir_function *f = c->function;
    int64_t pop = f->pop.max, push = f->push.max;
    return c->e->vector_floats >= ROW_LEAST_FLOATS && c->e->cached && c->in.view.count == 0 && c->out.view.count == 0 &&
           in_stride >= pop && out_stride >= push && f->peek.max <= pop && pop >= ROW_LEAST_ITEMS &&
           pop <= ROW_MOST_ITEMS && push >= ROW_LEAST_ITEMS && push <= ROW_MOST_ITEMS && pop % 4 == 0 &&
           push % 4 == 0 && w->once * 2 >= w->all && w->once >= (double)(ROW_WORK * (pop + push));
}

// Lanes of a register, and how many registers' worth a vector may have: four sums at least, or additions wait for each
// other; few enough that what lives at a time stays in registers.
int lanes_count(body_context *c, int width, int64_t in_stride, int64_t out_stride, int64_t most, bool worth)
{
    const sir_function *f = c->function;
    lane_worth w = {.c = c};
    int64_t values, bytes;
    if (!is_plain_tape(c, &c->in, c->info->filter->input) || !is_plain_tape(c, &c->out, c->info->filter->output) ||
        c->open != NULL || c->dynamic || c->e->keep_names || !mark_vectors(c))
        return 0;
    weigh_block(&w, &f->body, 1, false);
    // Where lanes lie side by side no other vectors have as cheap loads.
    bool sums = in_stride == 1 && f->peek.max > f->pop.max && w.sums >= LEAST_WORK && w.sums * 2 >= w.all;
    bool branches = c->e->cached && w.branches >= LEAST_BRANCHES && w.once >= LEAST_WORK;
    bool gathers = w.gathered > 0 && w.all >= GATHERED_WORK; // which the C compiler is told not to do
    const double waits = w.serial - (is_apart(c, in_stride, out_stride) ? w.along : 0);
    bool serial = worth || sums || branches || gathers || (waits >= LEAST_WORK && waits * SERIAL_PART >= w.all);
    bool turned = !serial && !is_planar(c, in_stride, out_stride, w.all);
    if (width < 4 || (turned && !is_turned(c, in_stride, out_stride) && !is_row(c, &w, in_stride, out_stride)) ||
        !lanes_find_vectors(c))
        return 0;
    if (c->looks_up && (width < LOOK_UP_LANES || sets_much(c)))
        return 0;
    if (c->by_table && w.serial < TAKEN_WORK * w.taken)
        return 0;
    int64_t apart = (in_stride > 1 ? f->pop.max : 0) + (out_stride > 1 ? f->push.max : 0);
    if (width <= FEW_LANES && w.all < (double)(APART_WORK * apart))
        return 0;
    count_values(c, &values, &bytes);
    // Where registers are known, sums that follow each other are not all there at a time.
    const int64_t live = c->e->value_room > 0 && w.most_sums > 0 && w.sums * 2 >= w.all ? w.most_sums : values;
    int registers = bytes > 0 || live > 4 ? 2 : w.loads > 0 ? 4 : 8;
    // Where a firing computes for long what waits for the trip before, another one goes on meanwhile.
    if (c->e->wide_registers && registers == 2 && w.serial * 2 >= w.all &&
        w.all * (w.open ? OPEN_TRIPS : 1) >= (double)(WAITING_WORK * (f->pop.max + f->push.max)))
        registers = 4;
    // Loads are what sums wait for, and coefficients serve twice as many firings.
    if (c->e->wide_registers && registers == 4 && values == f->push.max)
        registers = 8;
    // Sums live all the time: four of four registers each are all that 16 registers hold.
    while (c->e->value_room > 0 && registers > LEAST_REGISTERS && w.most_sums * width * registers > c->e->value_room)
        registers /= 2;
    int lanes = turned ? TURNED_LANES : width * registers, fewest = 0;
    for (; lanes >= width; lanes /= 2) {
        int64_t all =
            bytes * lanes + tile_bytes(in_stride, f->peek.max, lanes) + tile_bytes(out_stride, f->push.max, lanes);
        if (lanes > most)
            continue;
        if (all <= MOST_BYTES)
            break;
        if (c->e->cached && lanes <= CACHED_LANES && all <= CACHED_BYTES && fewest == 0)
            fewest = lanes;
    }
    return fewest != 0 ? fewest : lanes >= width ? lanes : 0;
}
