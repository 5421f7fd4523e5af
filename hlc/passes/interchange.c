// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass 'interchange': sums of a loop nest run side by side. The trips of the outer loop become lanes of the innermost:
//
//     for %u = 0 to 64 { var %s: float = 0.0   for %i = 0 to 64 { %s = %s + $t[%u][%i] * peek(%i) }   push %s }
//
//     for %block = 0 to 64 step 32 {
//         var %s: float[32]
//         for %lane = 0 to 32 { %s[%lane] = 0.0 }
//         for %i = 0 to 64 { for %lane = 0 to 32 { %s[%lane] = %s[%lane] + $table[%i][%block + %lane] * peek(%i) } }
//         for %lane = 0 to 32 { push %s[%lane] }
//     }
//
// Where a loop has nothing but that one in it, several of its trips go together too, as rows, as long as the sums of all
// stay in registers: what is loaded for one row serves the others.
//
// A C compiler must not reorder a floating-point sum and so cannot vectorise along it; along lanes it can, and each sum
// keeps its order. Constant tables are turned so that lanes lie side by side.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "hlc/ir/copy.h"
#include "hlc/ir/walk.h"
#include "hlc/passes/canonicalize.h"
#include "hlc/passes/canonicalize_int.h"
#include "hlc/passes/interchange_int.h"
#include "hlc/passes/pass.h"
#include "hlc/plan/plan_int.h"
#include "hlc/plan/threads.h"

// Where it is worth it.
enum {
    LANES_LEAST = 4,     // lanes at least
    LANES_SLIDING = 16,  // and where firings, which move on by one item, could go side by side instead
    LANES_SCALARS = 64,  // of 4 bytes that all lanes keep from trip to trip, where registers are not known
    LANES_MOST = 128,    // lanes
    WIDE_FLOATS = 8,     // of a register from which on it counts how many there are
    ROWS_SCALARS = 32,   // of them those of several rows
    ROWS_MOST = 4,       // rows that go together
    ROW_LANES = 16,      // lanes of a row come in so many, or are a power of two
    MANY_REGISTERS = 32, // of vectors
    LARGE_WORDS = 1024,  // of a filter's arrays up to which its firings may go side by side
    TERMS_LEAST = 4,     // trips of a sum's loop
    PLACE_NODES = 12,    // of a sum of variables that is computed for each use, NOTE(places)
    PACKED_USES = 4,     // of packed items
    SCALAR_BYTES = 8,    // at most
    COPIES_PART = 4,     // of what a filter's tables may take, for packed items
};

// Items that lanes would find apart, and that loops around come to again: copied once, side by side.
typedef struct packed_items {
    const sir_expr *offset;
    uint32_t array, sum; // locals: the copy; the loop that stays, SIR_NONE: the items are the same in all of its trips
} packed_items;

typedef VEC(sir_stmt *) loop_nest;

typedef struct interchanger {
    arena *a;
    hlc_program *hlc;
    sir_module *m;
    sir_filter *filter;
    sir_function *function;
    // Of the outer loop that is looked at:
    const sir_stmt *outer;
    uint32_t *depth;   // per local: 1: declared in the body; 2: and gone, NOTE(places)
    uint32_t *group;   // per local: the run of statements that it occurs in; 0: none yet
    bool *across;      // per local: in several runs, so that it needs a value a lane
    sir_expr **places; // per local: what is computed for each of its uses instead, NOTE(places); NULL: it is kept
    uint32_t locals, groups;
    bool unfit;
    VEC(const sir_expr *) elements; // of arrays from outside, that are written: one of an array
    const sir_expr *element;        // that is looked at
    size_t named, accessed;         // how often its array is named, and how often as that element
    // While it is rewritten:
    sir_copier copier;    // of what is in the loop, for the present row
    uint32_t *array;      // per row and local: the array of its values
    uint32_t lane, block; // the new loops' variables; block: SIR_NONE if the lanes are the whole loop
    int64_t lanes, rows, row;
    uint32_t around;               // the variable of the loop around, of which `rows` trips go together
    VEC(const sir_stmt *) staying; // loops that stay around the present lanes, outermost first
    hmap turned;                   // tables that were turned
    int64_t most;                  // scalars of a table
    int64_t room, row_room;        // scalars that registers hold: of lanes, and of rows of lanes
    int64_t shared_room;           // and of each of some firings that share what they load; 0: none do
    bool known;                    // it counts how many registers there are
    int64_t copies;                // scalars that a filter's copies may still have: they are on the stack
    bool large;                    // the filter's arrays are too large for its firings to go side by side
    bool changed;
    // Of the loops around the outer one, without anything between them:
    loop_nest nest;
    VEC(packed_items) packed; // for the present outer loop
    int guards;       // conditions around what is copied: it may be outside of the window where they do not hold
    sir_block before; // what goes before the outermost
} interchanger;

static bool is_floating(const sir_type *t)
{
    return t->kind == SIR_FLOAT || t->kind == SIR_DOUBLE;
}

bool interchange_trips(const sir_stmt *s, int64_t *trips)
{
    return sir_for_trips(s, trips) && *trips > 0;
}

const sir_expr *interchange_root(const sir_expr *e)
{
    while (e->kind == SIR_INDEX)
        e = e->u.arg[0];
    return e->kind == SIR_LOCAL || e->kind == SIR_FIELD ? e : NULL;
}

static bool declares(const sir_block *b, uint32_t local)
{
    for (size_t i = 0; i < b->len; i++)
        if (b->data[i]->kind == SIR_DECL && b->data[i]->u.decl.local == local)
            return true;
    return false;
}

// A loop whose own statements update a floating-point local that lives longer than a trip.
static bool carries(const sir_stmt *s)
{
    int64_t trips;
    if (!interchange_trips(s, &trips) || trips < TERMS_LEAST)
        return false;
    const sir_block *b = &s->u.for_.body;
    for (size_t i = 0; i < b->len; i++) {
        const sir_stmt *t = b->data[i];
        if (t->kind == SIR_SET && t->u.set.target->kind == SIR_LOCAL && is_floating(t->u.set.target->type) &&
            !declares(b, t->u.set.target->index) && canon_reads(t->u.set.value, t->u.set.target->index))
            return true;
    }
    return false;
}

// Stays around lane loops: it carries, or a loop in it does.
static bool stays(const sir_stmt *s)
{
    int64_t trips;
    if (!interchange_trips(s, &trips))
        return false;
    if (carries(s))
        return true;
    for (size_t i = 0; i < s->u.for_.body.len; i++)
        if (stays(s->u.for_.body.data[i]))
            return true;
    return false;
}

// ---- Whether a loop fits ----

static void check_expr(void *context, sir_expr *e, bool written)
{
    interchanger *x = context;
    (void)written;
    x->unfit |= sir_may_divide_by_zero(e);
}

// Where lanes have elements of their own, which nothing else in the loop names, no trip reads what another wrote.
static void check_element(interchanger *x, const sir_expr *target)
{
    const sir_expr *root = interchange_root(target);
    bool own = x->large && root != NULL && target->kind == SIR_INDEX && target->type->words == 1 &&
               target->type->kind != SIR_STRUCT && canon_is_local(target->u.arg[1], x->outer->u.for_.local) &&
               (root->kind == SIR_FIELD || x->depth[root->index] == 0);
    bool known = false;
    x->unfit |= !own;
    for (size_t i = 0; own && i < x->elements.len; i++) {
        const sir_expr *other = interchange_root(x->elements.data[i]);
        if (other->kind != root->kind || other->index != root->index)
            continue;
        known = true;
        x->unfit |= !sir_same_expr(x->elements.data[i], target, false);
    }
    if (own && !known)
        VEC_PUSH(x->a, &x->elements, target);
}

// Subscripts before the last one: known where the loop is, or a loop's in it.
static bool is_known(const interchanger *x, const sir_expr *e)
{
    if (e->kind == SIR_LOCAL)
        return x->depth[e->index] == 0 && e->index != x->outer->u.for_.local;
    return e->kind == SIR_CONST || (e->kind == SIR_BINARY && is_known(x, e->u.arg[0]) && is_known(x, e->u.arg[1]));
}

// t[f(u)][i] of a constant table, where lanes would lie a row apart: it is turned.
static bool is_across_rows(const interchanger *x, const sir_expr *e)
{
    if (e->kind != SIR_INDEX || e->u.arg[0]->kind != SIR_INDEX || e->u.arg[0]->u.arg[0]->kind != SIR_FIELD ||
        e->type->words != 1)
        return false;
    const sir_field *f = &x->filter->fields.data[e->u.arg[0]->u.arg[0]->index];
    uint32_t u = x->outer->u.for_.local;
    return f->constant && (int64_t)f->type->words <= x->most && canon_reads(e->u.arg[0]->u.arg[1], u) &&
           !canon_reads(e->u.arg[1], u);
}

static void count_element(void *context, sir_expr *e, bool written)
{
    interchanger *x = context;
    (void)written;
    const sir_expr *root = interchange_root(x->element);
    x->named += e->kind == root->kind && e->index == root->index;
    x->accessed += sir_same_expr(e, x->element, false);
    // Lanes that would find their elements a row apart gain nothing.
    x->unfit |= e->kind == SIR_INDEX && e->u.arg[0]->kind == SIR_INDEX &&
                canon_reads(e->u.arg[0], x->outer->u.for_.local) && !is_across_rows(x, e);
}

static void count_elements(void *context, sir_stmt *s)
{
    sir_visit_exprs(s, count_element, context);
}

static bool elements_fit(interchanger *x, const sir_block *body)
{
    for (VEC_EACH(const sir_expr *, element, &x->elements)) {
        x->element = *element;
        for (const sir_expr *e = x->element->u.arg[0]; e->kind == SIR_INDEX; e = e->u.arg[0])
            if (!is_known(x, e->u.arg[1]))
                return false;
        x->named = x->accessed = 0;
        sir_visit_stmts(body, count_elements, x);
        if (x->unfit || x->named != x->accessed)
            return false;
    }
    return true;
}

static void check_stmt(void *context, sir_stmt *s)
{
    interchanger *x = context;
    sir_visit_exprs(s, check_expr, x);
    switch ((sir_stmt_kind)s->kind) {
    case SIR_DECL:
    case SIR_SET:
    case SIR_IF:
    case SIR_FOR:
    case SIR_PUSH:
    case SIR_BLOCK: break;
    default: x->unfit = true; return;
    }
    if (s->kind == SIR_SET && s->u.set.target->kind != SIR_LOCAL)
        check_element(x, s->u.set.target);
    if (s->kind == SIR_SET && s->u.set.target->kind == SIR_LOCAL && x->depth[s->u.set.target->index] == 0)
        x->unfit = true; // the next trip may read it
    if (s->kind == SIR_DECL && x->function->locals.data[s->u.decl.local].type->words != 1)
        x->unfit = true;
    if (s->kind == SIR_DECL && x->function->locals.data[s->u.decl.local].type->kind == SIR_STRUCT)
        x->unfit = true;
}

static void note_declaration(void *context, sir_stmt *s)
{
    interchanger *x = context;
    if (s->kind == SIR_DECL)
        x->depth[s->u.decl.local] = 1;
}

static void note_push(void *context, sir_stmt *s)
{
    *(bool *)context |= s->kind == SIR_PUSH;
}

static void note_use(void *context, sir_expr *e, bool written)
{
    (void)written;
    interchanger *x = context;
    if (e->kind != SIR_LOCAL || x->depth[e->index] == 0)
        return;
    uint32_t *g = &x->group[e->index];
    x->across[e->index] |= *g != 0 && *g != x->groups;
    *g = *g == 0 ? x->groups : *g;
}

static void note_uses(void *context, sir_stmt *s)
{
    interchanger *x = context;
    sir_visit_exprs(s, note_use, x);
    if (s->kind == SIR_DECL) {
        sir_expr e = {.kind = SIR_LOCAL, .index = s->u.decl.local};
        note_use(x, &e, false);
    }
}

// The runs of statements between loops that stay; what is pushed is pushed by runs that no such loop is around.
static void find_groups(interchanger *x, sir_block *b, bool inner)
{
    for (size_t i = 0; i < b->len;) {
        if (stays(b->data[i])) {
            find_groups(x, &b->data[i++]->u.for_.body, true);
            continue;
        }
        x->groups++;
        for (; i < b->len && !stays(b->data[i]); i++) {
            sir_block one = {.data = &b->data[i], .len = 1};
            bool pushes = false;
            sir_visit_stmts(&one, note_uses, x);
            sir_visit_stmts(&one, note_push, &pushes);
            x->unfit |= pushes && inner;
        }
    }
}

static size_t pushing_groups(sir_block *b)
{
    size_t n = 0;
    bool before = false;
    for (size_t i = 0; i < b->len; i++) {
        bool pushes = false;
        sir_block one = {.data = &b->data[i], .len = 1};
        if (stays(b->data[i])) {
            before = false;
            continue;
        }
        sir_visit_stmts(&one, note_push, &pushes);
        n += pushes && !before;
        before |= pushes;
    }
    return n;
}

// Scalars of 4 bytes a lane.
static int64_t width(const interchanger *x)
{
    int64_t n = 0;
    for (uint32_t i = 0; i < x->locals; i++)
        if (x->across[i])
            n += x->function->locals.data[i].type->kind == SIR_DOUBLE ? 2 : 1;
    return n;
}

typedef struct table_look {
    const interchanger *x;
    bool found;
} table_look;

static void find_table(void *context, sir_expr *e, bool written)
{
    table_look *l = context;
    (void)written;
    if (e->kind != SIR_INDEX)
        return;
    bool table = sir_constant_value(l->x->m, l->x->filter, sir_lvalue_root(e)) != NULL;
    l->found |= table && sir_count_local_in(e, l->x->outer->u.for_.local) != 0;
}

static void find_tables(void *context, sir_stmt *s)
{
    sir_visit_exprs(s, find_table, context);
}

// Whether some firings may load elements of a table once for all of them (NOTE(share) in hlc/emit/body_share.c).
static bool is_shared(const interchanger *x)
{
    table_look look = {.x = x};
    if (x->shared_room == 0 || x->function != x->filter->work || !plan_filter_can_fuse_horizontally(x->filter))
        return false;
    sir_visit_stmts(&x->outer->u.for_.body, find_tables, &look);
    return look.found;
}

// Lanes that divide the trips; 0: too few. Firings without state that move on by one item go side by side better, with
// items that lie side by side, unless there are as many lanes here.
static int64_t lanes_of(const interchanger *x, int64_t trips)
{
    int64_t room = is_shared(x) ? x->shared_room : x->room, scalars = width(x);
    int64_t most = !x->known ? room / 2 : room < LANES_MOST ? room : LANES_MOST;
    int64_t least = !x->filter->stateful && x->function->pop.max == 1 ? LANES_SLIDING : LANES_LEAST;
    while (most * scalars > room)
        most /= 2;
    while (most >= least && trips % most != 0)
        most--;
    return scalars > 0 && most >= least ? most : 0;
}

// ---- Places ----
//
// NOTE(places). "int row = y + dy" is a value a lane as well where several runs use it. As an array it would be loaded for
// each subscript, which C compilers then take for one that data tell; so sums of variables are computed where they are used.

// The nodes of a sum of variables that do not change while it is there; more than PLACE_NODES: it is none.
static int place_nodes(const interchanger *x, const sir_expr *e)
{
    if (e->kind == SIR_CONST || (e->kind == SIR_LOCAL && x->depth[e->index] == 0))
        return 1;
    if (e->kind == SIR_LOCAL && x->places[e->index] != NULL)
        return place_nodes(x, x->places[e->index]);
    bool sum = e->kind == SIR_BINARY && e->type->kind == SIR_INT &&
               (e->op == LANG_OP_ADD || e->op == LANG_OP_SUB || e->op == LANG_OP_MUL);
    int a = sum ? place_nodes(x, e->u.arg[0]) : PLACE_NODES + 1;
    return a > PLACE_NODES ? a : 1 + a + place_nodes(x, e->u.arg[1]);
}

static void take_place(void *context, sir_expr *e, bool written)
{
    interchanger *x = context;
    (void)written;
    if (e->kind == SIR_LOCAL && x->depth[e->index] != 0)
        x->across[e->index] = true; // what another is a sum of goes with it
}

static void find_places(interchanger *x, const sir_block *body)
{
    x->places = ARENA_ARRAY(x->a, sir_expr *, x->locals + 1);
    sir_declared_values(body, x->places);
    for (uint32_t i = 0; i < x->locals; i++)
        if (x->places[i] != NULL && (x->places[i]->type->kind != SIR_INT || place_nodes(x, x->places[i]) > PLACE_NODES))
            x->places[i] = NULL;
    // Declarations come in order of their numbers or not: until there is no new one.
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < x->locals; i++) {
            if (!x->across[i] || x->places[i] == NULL || x->depth[i] != 1)
                continue;
            x->depth[i] = 2;
            sir_visit_tree(x->places[i], false, take_place, x);
            more = true;
        }
    }
    for (uint32_t i = 0; i < x->locals; i++) {
        x->places[i] = x->depth[i] == 2 ? x->places[i] : NULL;
        x->across[i] = x->across[i] && x->depth[i] != 2;
    }
}

static bool fits(interchanger *x, sir_stmt *s, int64_t *lanes)
{
    int64_t trips;
    bool any = false;
    if (!interchange_trips(s, &trips) || s->u.for_.step != 1 || trips < LANES_LEAST)
        return false;
    sir_block *body = &s->u.for_.body;
    for (size_t i = 0; i < body->len; i++)
        any |= stays(body->data[i]);
    if (!any || carries(s))
        return false;
    x->locals = (uint32_t)x->function->locals.len;
    x->depth = ARENA_ARRAY(x->a, uint32_t, x->locals + 1);
    x->group = ARENA_ARRAY(x->a, uint32_t, x->locals + 1);
    x->across = ARENA_ARRAY(x->a, bool, x->locals + 1);
    x->groups = 0;
    x->unfit = false;
    sir_visit_stmts(body, note_declaration, x);
    x->outer = s;
    x->elements.len = 0;
    sir_visit_stmts(body, check_stmt, x);
    if (x->unfit || pushing_groups(body) > 1 || !elements_fit(x, body))
        return false;
    find_groups(x, body, false);
    find_places(x, body);
    *lanes = x->unfit ? 0 : lanes_of(x, trips);
    return *lanes > 0;
}

// ---- Tables ----

typedef struct table_key {
    const void *filter;
    uint64_t field;
} table_key;

// The table with its two axes exchanged, as another constant field.
static uint32_t turned_table(interchanger *x, uint32_t field)
{
    table_key key = {x->filter, field};
    uint32_t *known = hmap_getn(&x->turned, &key, sizeof key);
    if (known != NULL)
        return *known;
    sir_field f = x->filter->fields.data[field];
    const sir_type *row = f.type->element, *element = row->element;
    const sir_type *type = sir_type_array(x->m, sir_type_array(x->m, element, f.type->length), row->length);
    sir_value v = sir_value_new(x->m->arena, type);
    for (size_t i = 0; i < f.type->length && !f.init.zero; i++)
        for (size_t k = 0; k < row->length; k++)
            v.data[k * f.type->length + i] = f.init.data[i * row->length + k];
    const char *name = arena_printf(x->m->arena, "%s_turned", f.name);
    for (uint32_t n = 2, taken = 1; taken != 0; n++) {
        taken = 0;
        for (VEC_EACH(sir_field, other, &x->filter->fields))
            taken += strcmp(other->name, name) == 0;
        if (taken != 0)
            name = arena_printf(x->m->arena, "%s_turned_%" PRIu32, f.name, n);
    }
    f.name = name;
    f.type = type;
    f.init = v;
    known = ARENA_NEW(x->a, uint32_t);
    *known = (uint32_t)x->filter->fields.len;
    VEC_PUSH(x->m->arena, &x->filter->fields, f);
    hmap_setn(&x->turned, &key, sizeof key, known);
    return *known;
}

// ---- Rewriting: copies in which lanes stand for trips ----

static sir_expr *lane_of(const interchanger *x, sir_loc loc)
{
    return sir_ref(x->m, SIR_LOCAL, x->lane, x->m->scalar[SIR_INT], loc);
}

static sir_expr *trip_of(const interchanger *x, sir_loc loc)
{
    const sir_type *t = x->m->scalar[SIR_INT];
    sir_expr *e = lane_of(x, loc);
    if (x->block != SIR_NONE)
        return sir_expr2(x->m, SIR_BINARY, LANG_OP_ADD, t, sir_ref(x->m, SIR_LOCAL, x->block, t, loc), e, loc);
    int32_t lo = x->outer->u.for_.lo->u.value.i;
    return lo == 0 ? e : sir_expr2(x->m, SIR_BINARY, LANG_OP_ADD, t, e, sir_const_int(x->m, lo, loc), loc);
}

static sir_expr *element_of(const interchanger *x, uint32_t local, sir_loc loc)
{
    uint32_t values = x->array[(size_t)x->row * x->locals + local];
    const sir_type *array = x->function->locals.data[values].type;
    sir_expr *base = sir_ref(x->m, SIR_LOCAL, values, array, loc);
    return sir_expr2(x->m, SIR_INDEX, 0, array->element, base, lane_of(x, loc), loc);
}

// ---- Packing ----

// offset = constant + outer * the outer loop's variable + sum * that of a loop that stays.
typedef struct place {
    int64_t constant, outer, sum;
} place;

static bool place_of(const interchanger *x, const sir_expr *e, uint32_t sum, place *p)
{
    place a, b;
    *p = (place){0};
    if (e->kind == SIR_CONST) {
        p->constant = e->u.value.i;
        return true;
    }
    if (e->kind == SIR_LOCAL) {
        p->outer = e->index == x->outer->u.for_.local;
        p->sum = e->index == sum;
        return p->outer + p->sum == 1;
    }
    if (e->kind != SIR_BINARY || !place_of(x, e->u.arg[0], sum, &a) || !place_of(x, e->u.arg[1], sum, &b))
        return false;
    if (e->op == LANG_OP_ADD || e->op == LANG_OP_SUB) {
        int64_t sign = e->op == LANG_OP_ADD ? 1 : -1;
        *p = (place){a.constant + sign * b.constant, a.outer + sign * b.outer, a.sum + sign * b.sum};
    } else if (e->op == LANG_OP_MUL && b.outer == 0 && b.sum == 0) {
        *p = (place){a.constant * b.constant, a.outer * b.constant, a.sum * b.constant};
    } else if (e->op == LANG_OP_MUL && a.outer == 0 && a.sum == 0) {
        *p = (place){b.constant * a.constant, b.outer * a.constant, b.sum * a.constant};
    } else {
        return false;
    }
    return llabs(p->constant) < INT32_MAX && llabs(p->outer) < INT32_MAX / 2 && llabs(p->sum) < INT32_MAX / 2;
}

static void find_pop(void *context, sir_stmt *s)
{
    *(bool *)context |= s->kind == SIR_POP || s->kind == SIR_CALL;
}

static int64_t uses_around(const interchanger *x)
{
    int64_t uses = 1, trips;
    bool pops = false;
    for (VEC_EACH(sir_stmt *, s, &x->nest)) {
        if (!interchange_trips(*s, &trips) || uses > INT32_MAX)
            return 0;
        uses *= trips;
    }
    if (x->nest.len > 0)
        sir_visit_stmts(&x->nest.data[0]->u.for_.body, find_pop, &pops);
    return pops ? 0 : uses;
}

static bool from_zero(const sir_stmt *s)
{
    return s->u.for_.lo->u.value.i == 0 && s->u.for_.step == 1;
}

static bool is_apart(const interchanger *x, const sir_expr *peek, const sir_stmt *sum)
{
    place p;
    if (!from_zero(x->outer) || !from_zero(sum) || !place_of(x, peek->u.arg[0], sum->u.for_.local, &p))
        return false;
    int64_t n = x->outer->u.for_.hi->u.value.i, m = sum->u.for_.hi->u.value.i;
    if (p.outer < 2 || p.sum < 0 || peek->type->words != 1 || n > x->copies / m)
        return false;
    return p.constant >= 0 && p.constant + p.outer * (n - 1) + p.sum * (m - 1) < x->function->peek.max;
}

static sir_expr *element_at(const interchanger *x, uint32_t array, sir_expr *i, sir_expr *k, sir_loc loc)
{
    const sir_type *t = x->function->locals.data[array].type;
    sir_expr *row = sir_expr2(x->m, SIR_INDEX, 0, t->element, sir_ref(x->m, SIR_LOCAL, array, t, loc), i, loc);
    return sir_expr2(x->m, SIR_INDEX, 0, t->element->element, row, k, loc);
}

static uint32_t pack(interchanger *x, sir_expr *peek, const sir_stmt *sum)
{
    for (VEC_EACH(packed_items, p, &x->packed))
        if (p->sum == sum->u.for_.local && sir_same_expr(p->offset, peek->u.arg[0], false))
            return p->array;
    const sir_type *t = x->m->scalar[SIR_INT];
    sir_loc loc = peek->loc;
    int32_t n = x->outer->u.for_.hi->u.value.i, m = sum->u.for_.hi->u.value.i;
    const sir_type *type = sir_type_array(x->m, sir_type_array(x->m, peek->type, (uint32_t)n), (uint32_t)m);
    uint32_t array = sir_local_new(x->m, x->function, "packed", type, loc);
    x->copies -= (int64_t)n * m;
    sir_stmt *decl = sir_stmt_new(x->m, SIR_DECL, loc);
    decl->u.decl.local = array;
    decl->u.decl.uninitialised = true;
    VEC_PUSH(x->m->arena, &x->before, decl);
    // The loops' own variables: canonicalize gives each loop its own.
    sir_stmt *set = sir_stmt_new(x->m, SIR_SET, loc), *rows = ARENA_NEW(x->m->arena, sir_stmt),
             *lanes = ARENA_NEW(x->m->arena, sir_stmt);
    set->u.set.target = element_at(x, array, sir_ref(x->m, SIR_LOCAL, sum->u.for_.local, t, loc),
                                   sir_ref(x->m, SIR_LOCAL, x->outer->u.for_.local, t, loc), loc);
    set->u.set.value = peek;
    *rows = *sum;
    *lanes = *x->outer;
    rows->u.for_.body = lanes->u.for_.body = (sir_block){0};
    VEC_PUSH(x->m->arena, &rows->u.for_.body, set);
    VEC_PUSH(x->m->arena, &lanes->u.for_.body, rows);
    VEC_PUSH(x->m->arena, &x->before, lanes);
    VEC_PUSH(x->a, &x->packed, (packed_items){peek->u.arg[0], array, sum->u.for_.local});
    return array;
}

// Likewise items that are the same in all trips of the loops that stay.
static bool is_apart_alike(const interchanger *x, const sir_expr *peek)
{
    place p;
    if (!from_zero(x->outer) || peek->type->words != 1 || !place_of(x, peek->u.arg[0], SIR_NONE, &p) || p.outer < 2)
        return false;
    int64_t n = x->outer->u.for_.hi->u.value.i;
    return n <= x->copies && p.constant >= 0 && p.constant + p.outer * (n - 1) < x->function->peek.max;
}

static uint32_t pack_alike(interchanger *x, sir_expr *peek)
{
    for (VEC_EACH(packed_items, p, &x->packed))
        if (p->sum == SIR_NONE && sir_same_expr(p->offset, peek->u.arg[0], false))
            return p->array;
    const sir_type *t = x->m->scalar[SIR_INT];
    sir_loc loc = peek->loc;
    const sir_type *type = sir_type_array(x->m, peek->type, (uint32_t)x->outer->u.for_.hi->u.value.i);
    uint32_t array = sir_local_new(x->m, x->function, "packed", type, loc);
    x->copies -= type->length;
    sir_stmt *decl = sir_stmt_new(x->m, SIR_DECL, loc), *set = sir_stmt_new(x->m, SIR_SET, loc),
             *lanes = ARENA_NEW(x->m->arena, sir_stmt);
    decl->u.decl.local = array;
    decl->u.decl.uninitialised = true;
    set->u.set.target = sir_expr2(x->m, SIR_INDEX, 0, peek->type, sir_ref(x->m, SIR_LOCAL, array, type, loc),
                                  sir_ref(x->m, SIR_LOCAL, x->outer->u.for_.local, t, loc), loc);
    set->u.set.value = peek;
    *lanes = *x->outer;
    lanes->u.for_.body = (sir_block){0};
    VEC_PUSH(x->m->arena, &lanes->u.for_.body, set);
    VEC_PUSH(x->m->arena, &x->before, decl);
    VEC_PUSH(x->m->arena, &x->before, lanes);
    VEC_PUSH(x->a, &x->packed, (packed_items){peek->u.arg[0], array, SIR_NONE});
    return array;
}

static int64_t trips_staying(const interchanger *x)
{
    int64_t all = 1, trips;
    for (VEC_EACH(const sir_stmt *, s, &x->staying))
        all *= interchange_trips(*s, &trips) && all < INT32_MAX ? trips : 1;
    return all;
}

// The copy of a peeked item; NULL: it is peeked as before.
static sir_expr *packed_item(interchanger *x, sir_expr *peek)
{
    int64_t uses = uses_around(x);
    if (x->guards == 0 && x->staying.len > 0 && uses > 0 && uses * trips_staying(x) >= PACKED_USES &&
        is_apart_alike(x, peek)) {
        uint32_t array = pack_alike(x, peek);
        sir_expr *base = sir_ref(x->m, SIR_LOCAL, array, x->function->locals.data[array].type, peek->loc);
        return sir_expr2(x->m, SIR_INDEX, 0, peek->type, base, trip_of(x, peek->loc), peek->loc);
    }
    if (x->guards > 0 || uses < PACKED_USES)
        return NULL;
    for (size_t i = x->staying.len; i-- > 0;) {
        const sir_stmt *sum = x->staying.data[i];
        if (!is_apart(x, peek, sum))
            continue;
        sir_expr *row = sir_ref(x->m, SIR_LOCAL, sum->u.for_.local, x->m->scalar[SIR_INT], peek->loc);
        return element_at(x, pack(x, peek, sum), row, trip_of(x, peek->loc), peek->loc);
    }
    return NULL;
}

// t[f(u)][i] as the turned table's [i][f(u)].
static sir_expr *turned_element(interchanger *x, const sir_expr *e)
{
    const sir_expr *row = e->u.arg[0];
    const uint32_t field = turned_table(x, row->u.arg[0]->index);
    const sir_type *t = x->filter->fields.data[field].type;
    sir_expr *column = sir_copy_expr(&x->copier, e->u.arg[1]);
    column = sir_expr2(x->m, SIR_INDEX, 0, t->element, sir_ref(x->m, SIR_FIELD, field, t, e->loc), column, e->loc);
    return sir_expr2(x->m, SIR_INDEX, 0, e->type, column, sir_copy_expr(&x->copier, row->u.arg[1]), e->loc);
}

// An operation that does not always compute all of its operands.
static sir_expr *copy_lazy(interchanger *x, const sir_expr *e)
{
    sir_expr *r = ARENA_NEW(x->m->arena, sir_expr);
    *r = *e;
    for (size_t i = 0; i < sir_expr_arity(e); i++) {
        x->guards += i > 0;
        r->u.arg[i] = sir_copy_expr(&x->copier, e->u.arg[i]);
        x->guards -= i > 0;
    }
    return r;
}

static sir_expr *of_local(interchanger *x, const sir_expr *e)
{
    if (e->index == x->outer->u.for_.local)
        return trip_of(x, e->loc);
    if (e->index < x->locals && x->places[e->index] != NULL)
        return sir_copy_expr(&x->copier, x->places[e->index]);
    if (e->index < x->locals && x->across[e->index])
        return element_of(x, e->index, e->loc);
    if (e->index != x->around || x->row == 0)
        return NULL;
    return sir_expr2(x->m, SIR_BINARY, LANG_OP_ADD, e->type, sir_ref(x->m, SIR_LOCAL, e->index, e->type, e->loc),
                     sir_const_int(x->m, (int32_t)x->row, e->loc), e->loc);
}

// What stands for an expression in the present row's lane; NULL: a copy.
static sir_expr *in_lane(void *context, const sir_expr *e)
{
    interchanger *x = context;
    if (e->kind == SIR_LOCAL)
        return of_local(x, e);
    if (e->kind == SIR_PEEK)
        return packed_item(x, (sir_expr *)(uintptr_t)e);
    if (is_across_rows(x, e))
        return turned_element(x, e);
    bool lazy = e->kind == SIR_SELECT || (e->kind == SIR_BINARY && (e->op == LANG_OP_LAND || e->op == LANG_OP_LOR));
    return lazy ? copy_lazy(x, e) : NULL;
}

static sir_expr *zero_of(const interchanger *x, const sir_type *t, sir_loc loc)
{
    sir_scalar zero;
    memset(&zero, 0, sizeof zero);
    return sir_const(x->m, t, zero, loc);
}

// A statement whose blocks need not be executed.
static sir_stmt *copy_guarded(interchanger *x, const sir_stmt *s)
{
    sir_stmt *r = ARENA_NEW(x->m->arena, sir_stmt);
    *r = *s;
    sir_parts parts = sir_stmt_parts(r);
    for (uint8_t i = 0; i < parts.expr_count; i++)
        *parts.expr[i] = sir_copy_expr(&x->copier, *parts.expr[i]);
    x->guards++;
    for (uint8_t i = 0; i < parts.block_count; i++)
        *parts.block[i] = sir_copy_block(&x->copier, parts.block[i]);
    x->guards--;
    return r;
}

// Adds what stands for a statement there; false: a copy does.
static bool add_in_lane(void *context, const sir_stmt *s, sir_block *to)
{
    interchanger *x = context;
    int64_t trips;
    if (s->kind == SIR_DECL && x->places[s->u.decl.local] != NULL) // NOTE(places)
        return true;
    if (s->kind == SIR_DECL && x->across[s->u.decl.local]) { // the array is declared already
        sir_stmt *set = sir_stmt_new(x->m, SIR_SET, s->loc);
        set->u.set.target = element_of(x, s->u.decl.local, s->loc);
        set->u.set.value = s->u.decl.init != NULL ? sir_copy_expr(&x->copier, s->u.decl.init)
                                                  : zero_of(x, x->function->locals.data[s->u.decl.local].type, s->loc);
        VEC_PUSH(x->m->arena, to, set);
        return true;
    }
    if (s->kind != SIR_IF && (s->kind != SIR_FOR || interchange_trips(s, &trips)))
        return false;
    VEC_PUSH(x->m->arena, to, copy_guarded(x, s));
    return true;
}

static sir_stmt *counted(const interchanger *x, uint32_t local, int64_t lo, int64_t hi, int64_t step, sir_loc loc)
{
    sir_stmt *s = sir_stmt_new(x->m, SIR_FOR, loc);
    s->u.for_.local = local;
    s->u.for_.lo = sir_const_int(x->m, (int32_t)lo, loc);
    s->u.for_.hi = sir_const_int(x->m, (int32_t)hi, loc);
    s->u.for_.step = (int32_t)step;
    return s;
}

// What all rows do, those that push one after the other.
static void add_lanes(interchanger *x, const sir_block *group, sir_block *to)
{
    bool pushes = false;
    sir_visit_stmts(group, note_push, &pushes);
    sir_stmt *lanes = NULL;
    for (x->row = 0; x->row < x->rows; x->row++) {
        sir_loc loc = group->data[0]->loc;
        sir_block copy = sir_copy_block(&x->copier, group), *body = NULL;
        if (copy.len == 0)
            break;
        if (lanes == NULL || pushes) {
            lanes = counted(x, x->lane, 0, x->lanes, 1, loc);
            VEC_PUSH(x->m->arena, to, lanes);
        }
        body = &lanes->u.for_.body;
        if (x->rows > 1 && !pushes) { // with names of its own
            sir_stmt *block = sir_stmt_new(x->m, SIR_BLOCK, loc);
            VEC_PUSH(x->m->arena, body, block);
            body = &block->u.block;
        }
        *body = copy;
    }
    x->row = 0;
}

static sir_block distribute(interchanger *x, sir_block *b)
{
    sir_block r = {0};
    for (size_t i = 0; i < b->len;) {
        sir_stmt *s = b->data[i];
        if (stays(s)) {
            sir_stmt *loop = ARENA_NEW(x->m->arena, sir_stmt);
            *loop = *s;
            VEC_PUSH(x->a, &x->staying, s);
            loop->u.for_.body = distribute(x, &s->u.for_.body);
            x->staying.len--;
            VEC_PUSH(x->m->arena, &r, loop);
            i++;
            continue;
        }
        sir_block group = {.data = &b->data[i]};
        for (; i < b->len && !stays(b->data[i]); i++)
            group.len++;
        add_lanes(x, &group, &r);
    }
    return r;
}

// Rows have elements of their own.
static bool is_row_apart(const interchanger *x, uint32_t around)
{
    bool all = true;
    for (VEC_EACH(const sir_expr *, element, &x->elements)) {
        bool apart = false;
        for (const sir_expr *e = (*element)->u.arg[0]; e->kind == SIR_INDEX; e = e->u.arg[0])
            apart |= canon_is_local(e->u.arg[1], around);
        all &= apart;
    }
    return all;
}

// Trips of the loop around that go together.
static int64_t rows_of(const interchanger *x, const sir_stmt *s, int64_t lanes)
{
    int64_t trips, around_trips, rows = ROWS_MOST;
    const sir_stmt *around = x->nest.len == 0 ? NULL : x->nest.data[x->nest.len - 1];
    if (around == NULL || around->u.for_.body.len != 1 || around->u.for_.body.data[0] != s ||
        around->u.for_.step != 1 || !interchange_trips(s, &trips) || lanes != trips ||
        !interchange_trips(around, &around_trips))
        return 1;
    if (lanes % ROW_LANES != 0 && (lanes & (lanes - 1)) != 0)
        return 1; // remainders of vectors would take more than is shared
    if (!is_row_apart(x, around->u.for_.local))
        return 1;
    while (rows > 1 && (around_trips % rows != 0 || rows * lanes * width(x) > x->row_room))
        rows /= 2;
    return rows;
}

static void declare_values(interchanger *x, sir_block *body)
{
    x->array = ARENA_ARRAY(x->a, uint32_t, (size_t)x->rows * x->locals + 1);
    for (uint32_t k = 0; k < (uint32_t)x->rows * x->locals; k++) {
        if (!x->across[k % x->locals])
            continue;
        const sir_local l = x->function->locals.data[k % x->locals];
        x->array[k] = sir_local_new(x->m, x->function, l.name, sir_type_array(x->m, l.type, (uint32_t)x->lanes), l.loc);
        sir_stmt *decl = sir_stmt_new(x->m, SIR_DECL, l.loc);
        decl->u.decl.local = x->array[k];
        decl->u.decl.uninitialised = true;
        VEC_PUSH(x->m->arena, body, decl);
    }
}

static sir_stmt *rewrite(interchanger *x, sir_stmt *s, int64_t lanes)
{
    int64_t lo = s->u.for_.lo->u.value.i, hi = s->u.for_.hi->u.value.i;
    const sir_type *t = x->m->scalar[SIR_INT];
    x->outer = s;
    x->lanes = lanes;
    x->packed.len = 0;
    x->rows = rows_of(x, s, lanes);
    x->around = x->rows > 1 ? x->nest.data[x->nest.len - 1]->u.for_.local : SIR_NONE;
    x->lane = sir_local_new(x->m, x->function, "lane", t, s->loc);
    x->block = lanes == hi - lo ? SIR_NONE : sir_local_new(x->m, x->function, "block", t, s->loc);
    sir_block body = {0};
    declare_values(x, &body);
    sir_block rest = distribute(x, &s->u.for_.body);
    for (size_t i = 0; i < rest.len; i++)
        VEC_PUSH(x->m->arena, &body, rest.data[i]);
    if (x->hlc->diag->remarks)
        diag_remark(x->hlc->diag, sir_range(x->m, x->hlc->sources, s->loc),
                    "%" PRId64 " trips of this loop in '%s' go side by side, so that its sums vectorise [interchange]",
                    lanes * x->rows, x->filter->name);
    if (x->rows > 1)
        x->nest.data[x->nest.len - 1]->u.for_.step = (int32_t)x->rows;
    x->changed = true;
    sir_stmt *whole = sir_stmt_new(x->m, SIR_BLOCK, s->loc);
    whole->u.block = body;
    if (x->block != SIR_NONE) {
        whole = counted(x, x->block, lo, hi, lanes, s->loc);
        whole->u.for_.body = body;
    }
    return whole;
}

// The loop; where it goes on with sums in an array's elements, and the sums of one can be made side by side, in one go.
static sir_stmt *gathered(interchanger *x, sir_stmt *s)
{
    size_t locals = x->function->locals.len;
    int64_t count;
    sir_stmt *lanes, *r = x->large ? interchange_gathered(x->a, x->m, x->function, s, &lanes) : NULL;
    if (r == NULL || !fits(x, lanes, &count)) {
        x->function->locals.len = locals;
        x->function->names = NULL;
        return s;
    }
    if (x->hlc->diag->remarks)
        diag_remark(x->hlc->diag, sir_range(x->m, x->hlc->sources, s->loc),
                    "each sum that this nest of loops goes on with in '%s' is made in one go [interchange]",
                    x->filter->name);
    x->changed = true;
    return r;
}

static void walk(interchanger *x, sir_block *b);

static void walk_stmt(interchanger *x, sir_block *b, size_t i)
{
    int64_t lanes;
    sir_stmt *s = b->data[i] = gathered(x, b->data[i]);
    if (fits(x, s, &lanes)) {
        b->data[i] = rewrite(x, s, lanes);
        return;
    }
    const loop_nest nest = x->nest;
    const sir_block before = x->before;
    if (s->kind == SIR_FOR) {
        VEC_PUSH(x->a, &x->nest, s);
    } else { // what goes before the loops around does not go into a branch
        x->nest = (loop_nest){0};
        x->before = (sir_block){0};
    }
    sir_parts parts = sir_stmt_parts(s);
    for (uint8_t k = 0; k < parts.block_count; k++)
        walk(x, parts.block[k]);
    x->nest = nest;
    if (s->kind != SIR_FOR)
        x->before = before;
}

static void walk(interchanger *x, sir_block *b)
{
    sir_block r = {0};
    for (size_t i = 0; i < b->len; i++) {
        walk_stmt(x, b, i);
        for (size_t k = 0; k < x->before.len && x->nest.len == 0; k++)
            VEC_PUSH(x->m->arena, &r, x->before.data[k]);
        if (x->nest.len == 0)
            x->before = (sir_block){0};
        VEC_PUSH(x->m->arena, &r, b->data[i]);
    }
    *b = r;
}

// ---- Tables that nobody reads any more, since they were turned ----

typedef struct renumbering {
    bool *read;       // per field
    uint32_t *number; // per field: its new number; NULL: it is found out what is read
} renumbering;

static void renumber(void *context, sir_expr *e, bool written)
{
    (void)written;
    const renumbering *r = context;
    if (e->kind != SIR_FIELD)
        return;
    r->read[e->index] = true;
    e->index = r->number != NULL ? r->number[e->index] : e->index;
}

static void renumber_in_stmt(void *context, sir_stmt *s)
{
    sir_visit_exprs(s, renumber, context);
}

static void renumber_in(sir_filter *f, renumbering *r)
{
    sir_function *own[] = {f->work, f->prework, f->ahead};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (own[i] != NULL)
            sir_visit_stmts(&own[i]->body, renumber_in_stmt, r);
    for (VEC_EACH(sir_function *, g, &f->functions))
        sir_visit_stmts(&(*g)->body, renumber_in_stmt, r);
    for (VEC_EACH(sir_function *, g, &f->handlers))
        sir_visit_stmts(&(*g)->body, renumber_in_stmt, r);
}

static void drop_turned(interchanger *x, sir_filter *f)
{
    size_t n = f->fields.len;
    renumbering r = {.read = ARENA_ARRAY(x->a, bool, n + 1)};
    if (f->finite)
        return; // its fields are parameters
    renumber_in(f, &r);
    uint32_t *number = ARENA_ARRAY(x->a, uint32_t, n + 1), kept = 0;
    for (uint32_t i = 0; i < n; i++) {
        table_key key = {f, i};
        bool goes = !r.read[i] && hmap_getn(&x->turned, &key, sizeof key) != NULL;
        number[i] = kept;
        f->fields.data[kept] = f->fields.data[i];
        kept += !goes;
    }
    if (kept == n)
        return;
    r.number = number;
    renumber_in(f, &r);
    f->fields.len = kept;
}

static int64_t array_words(const sir_function *f)
{
    int64_t words = 0;
    for (size_t i = 0; i < f->locals.len; i++) {
        const sir_type *t = f->locals.data[i].type;
        words += t->kind == SIR_ARRAY && words <= LARGE_WORDS ? t->words : 0;
    }
    return words;
}

bool interchange_has_large_arrays(const sir_function *f)
{
    return array_words(f) > LARGE_WORDS;
}

// Firings of filters with arrays of their own go side by side instead where that is better, and need the registers.
static void find_room(interchanger *x)
{
    const hlc_config *config = x->hlc->config;
    int64_t registers = config->vector_bytes / 2 / (int64_t)sizeof(float); // the others are for operands
    x->room = LANES_SCALARS;
    x->row_room = ROWS_SCALARS;
    x->shared_room = 0;
    x->large = x->function != NULL && (interchange_has_large_arrays(x->function) || x->filter->stateful);
    bool arrays = x->function != NULL && array_words(x->function) > 0 && !x->large;
    x->known = hlc_vector_floats(config) >= WIDE_FLOATS && !arrays;
    if (arrays)
        x->row_room = 0;
    if (!x->known)
        return;
    x->room = x->row_room = registers;
    const int64_t firings = config->vector_registers >= MANY_REGISTERS ? 3 : 2; // that share what they load, at most
    x->shared_room = hlc_shared_registers(config, firings) * hlc_vector_floats(config);
}

bool pass_interchange(hlc_program *p)
{
    if (!pass_may_change_more(p) || !pass_has_vectors(p))
        return false; // what is checked is found out of order
    interchanger x = {.a = arena_create(), .hlc = p, .m = p->module, .most = pass_table_bytes(p) / SCALAR_BYTES};
    x.copier = (sir_copier){.arena = x.m->arena, .context = &x, .expr = in_lane, .stmt = add_in_lane};
    hmap_init(&x.turned, x.a);
    for (VEC_EACH(sir_filter *, f, &p->module->filters)) {
        x.filter = *f;
        x.function = (*f)->work;
        x.copies = x.most / COPIES_PART;
        find_room(&x);
        if (x.function != NULL && !plan_has_domain(p, *f)) // its trips are threads
            walk(&x, &x.function->body);
    }
    if (x.changed) {
        for (VEC_EACH(sir_filter *, f, &p->module->filters))
            sir_filter_derive(p->module, *f);
        sir_canonicalize(p->module, &(canon_options){0}); // gives each body nodes of its own
        for (VEC_EACH(sir_filter *, f, &p->module->filters))
            drop_turned(&x, *f);
    }
    arena_destroy(x.a);
    return x.changed;
}
