// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Subscripts that a vectorising C compiler would gather for, though plain loads are faster: permutations by tables that
// are constant once the loop is unrolled, and lookups by data.
#include "hlc/emit/body_int.h"
#include "hlc/ir/type_rules.h"
#include "hlc/ir/walk.h"

// A loop of more trips than this stays a loop: unrolled code that does not fit the instruction cache gains nothing.
#define UNROLL_TRIPS 64
// Trips from which on a loop that stores what it looks up stays one.
#define KEPT_TRIPS 8

// What a subscript is made of.
typedef struct subscript {
    bool known;  // of constants, loop variables and constant tables only
    bool plain;  // sums and products of them: a stride
    bool inner;  // it has the variable of the loop in question
    bool table;  // it has an element of a table
} subscript;

typedef struct lookup_walk {
    const body_context *c;
    const sir_stmt *loop;  // the loop in question, or NULL
    subscript *locals;     // per local: of the variables of counted loops, and of what is computed once of such
    const bool *fields;    // per field: it counts from firing to firing; NULL: none does
    bool by_table;         // a subscript that is constant once `loop` is unrolled, and no affine form before
    bool by_bits;          // the same, of shifts and masks alone: shuffles of a vector
    bool of_table;         // a constant table's element that is known once `loop` is unrolled
    bool by_data;          // one that depends on more than loop variables
} lookup_walk;

static bool is_constant_table(const lookup_walk *w, const sir_expr *base)
{
    while (base->kind == SIR_INDEX || base->kind == SIR_MEMBER)
        base = base->u.arg[0];
    if (base->kind == SIR_FIELD)
        return w->c->info != NULL && w->c->info->filter->fields.data[base->index].constant;
    return base->kind == SIR_GLOBAL;
}

static subscript look(const lookup_walk *w, const sir_expr *e)
{
    switch ((sir_expr_kind)e->kind) {
    case SIR_CONST: return (subscript){.known = true, .plain = true};
    case SIR_LOCAL: return w->locals[e->index];
    case SIR_FIELD: {
        bool count = w->fields != NULL && w->fields[e->index];
        return (subscript){.known = count, .plain = count};
    }
    case SIR_INDEX: {
        subscript s = look(w, e->u.arg[1]);
        return (subscript){.known = s.known && is_constant_table(w, e), .inner = s.inner, .table = true};
    }
    case SIR_UNARY:
    case SIR_CONVERT: {
        subscript s = look(w, e->u.arg[0]);
        s.plain &= e->kind == SIR_UNARY && e->op == LANG_OP_NEG;
        return s;
    }
    case SIR_BINARY: {
        subscript a = look(w, e->u.arg[0]), b = look(w, e->u.arg[1]);
        bool plain = e->op == LANG_OP_ADD || e->op == LANG_OP_SUB || e->op == LANG_OP_MUL;
        return (subscript){a.known && b.known, a.plain && b.plain && plain, a.inner || b.inner, a.table || b.table};
    }
    default: return (subscript){0};
    }
}

static void visit(void *context, sir_expr *e, bool written)
{
    (void)written;
    lookup_walk *w = context;
    if (e->kind != SIR_PEEK && e->kind != SIR_INDEX)
        return;
    subscript s = look(w, e->u.arg[e->kind == SIR_INDEX]);
    w->by_table = w->by_table || (s.known && !s.plain && s.inner && s.table);
    w->by_bits = w->by_bits || (s.known && !s.plain && s.inner && !s.table);
    w->of_table = w->of_table || (s.known && s.inner && e->kind == SIR_INDEX && is_constant_table(w, e));
    w->by_data = w->by_data || !s.known;
}

static void find_loops(void *context, sir_stmt *s)
{
    lookup_walk *w = context;
    if (s->kind == SIR_FOR)
        w->locals[s->u.for_.local] =
            (subscript){.known = true, .plain = true, .inner = w->loop != NULL && s->u.for_.local == w->loop->u.for_.local};
    if (s->kind == SIR_DECL && s->u.decl.init != NULL && w->c->locals[s->u.decl.local].writes == 1)
        w->locals[s->u.decl.local] = look(w, s->u.decl.init);
}

static void find_lookups(void *context, sir_stmt *s)
{
    sir_visit_exprs(s, visit, context);
}

static lookup_walk walk(const body_context *c, const sir_stmt *loop, const bool *fields, const sir_block *b)
{
    lookup_walk w = {.c = c, .loop = loop, .fields = fields};
    w.locals = ARENA_ARRAY(c->e->arena, subscript, c->function->locals.len + 1);
    sir_visit_stmts(&c->function->body, find_loops, &w);
    sir_visit_stmts(b, find_lookups, &w);
    return w;
}

// Trips of the innermost statements of a block; 0: not known.
static int64_t nest_trips(const sir_block *b, bool *nested)
{
    int64_t most = 1;
    for (size_t i = 0; i < b->len; i++) {
        sir_stmt *s = b->data[i];
        int64_t trips = 1;
        if (s->kind == SIR_LOOP || s->kind == SIR_CALL || (s->kind == SIR_FOR && !sir_for_trips(s, &trips)))
            return 0;
        *nested = *nested || s->kind == SIR_FOR;
        sir_parts parts = sir_stmt_parts(s);
        for (uint8_t k = 0; k < parts.block_count; k++) {
            bool inner = false;
            int64_t all = trips * nest_trips(parts.block[k], &inner);
            if (all <= 0 || all > UNROLL_TRIPS)
                return 0;
            most = all > most ? all : most;
        }
    }
    return most;
}

// A loop over the elements of an array that it sets, one a trip: the C compiler makes vectors of it, and would not of its
// trips written out.
static bool sets_its_elements(const sir_stmt *loop)
{
    const sir_block *body = &loop->u.for_.body;
    for (size_t k = 0; k < body->len; k++) {
        const sir_expr *t = body->data[k]->kind == SIR_SET ? body->data[k]->u.set.target : NULL;
        if (t != NULL && t->kind == SIR_INDEX && t->u.arg[0]->kind == SIR_LOCAL && t->u.arg[1]->kind == SIR_LOCAL &&
            t->u.arg[1]->index == loop->u.for_.local)
            return true;
    }
    return false;
}

static bool sets_elements(const sir_block *b)
{
    for (size_t i = 0; i < b->len; i++)
        if (b->data[i]->kind == SIR_FOR && sets_its_elements(b->data[i]))
            return true;
    return false;
}

bool body_unrolls(const body_context *c, const sir_stmt *s)
{
    int64_t trips;
    bool nested = false;
    if (c->lanes > 0 || c->vectors > 0 || !sir_for_trips(s, &trips) || trips < 2 || trips > UNROLL_TRIPS)
        return false;
    int64_t inner = nest_trips(&s->u.for_.body, &nested);
    if (inner == 0 || inner * trips > UNROLL_TRIPS)
        return false;
    lookup_walk w = walk(c, s, NULL, &s->u.for_.body);
    bool permutes = w.by_table || (w.by_bits && !sets_its_elements(s));
    return (permutes || (nested && w.of_table && !sets_elements(&s->u.for_.body))) && !w.by_data;
}

// ---- Numbers that move on ----

// Locals that take each other's value in every trip, such as the words of a hash; nodes that may be written out.
enum { LEAST_MOVES = 3, MOST_WRITTEN = 16384, CALL_NODES = 16 };

typedef struct move_walk {
    const body_context *c;
    const sir_stmt *loop;
    const sir_block *body;
    int64_t moves, nodes;
    bool fails;
} move_walk;

// Whether a value is known of each trip once the loop is written out.
static bool tells_trips(const sir_stmt *loop, const sir_expr *e)
{
    if (e->kind == SIR_LOCAL)
        return e->index == loop->u.for_.local;
    if (e->kind != SIR_CONST && e->kind != SIR_UNARY && e->kind != SIR_BINARY)
        return false;
    for (size_t i = 0; e->kind != SIR_CONST && i < sir_expr_arity(e); i++)
        if (!tells_trips(loop, e->u.arg[i]))
            return false;
    return true;
}

static void count_node(void *context, sir_expr *e, bool written)
{
    (void)e;
    (void)written;
    ((move_walk *)context)->nodes++;
}

static void count_moves(void *context, sir_stmt *s)
{
    move_walk *w = context;
    w->fails |= s->kind != SIR_SET && s->kind != SIR_DECL && s->kind != SIR_CALL &&
                (s->kind != SIR_IF || !tells_trips(w->loop, s->u.if_.cond));
    w->nodes += s->kind == SIR_CALL ? CALL_NODES : 0;
    if (s->kind == SIR_SET && s->u.set.target->kind == SIR_LOCAL && s->u.set.value->kind == SIR_LOCAL &&
        sir_is_scalar(s->u.set.target->type))
        w->moves += !body_declared_in(w->c, w->body, s->u.set.target->index) &&
                    !body_declared_in(w->c, w->body, s->u.set.value->index);
    sir_visit_exprs(s, count_node, w);
}

// A loop of a few statements without others in it that may be written out. moves: how many locals take another's value.
static bool is_plain_loop(const body_context *c, const sir_stmt *s, int64_t *moves)
{
    int64_t trips;
    if (!sir_for_trips(s, &trips) || trips < 2 || trips > UNROLL_TRIPS)
        return false;
    move_walk w = {.c = c, .loop = s, .body = &s->u.for_.body};
    sir_visit_stmts(w.body, count_moves, &w);
    *moves = w.moves;
    return !w.fails && w.nodes * trips <= MOST_WRITTEN;
}

typedef struct array_walk {
    const bool *set; // per local; NULL: those that are set are found
    bool *found, reads;
} array_walk;

static void find_array(void *context, sir_expr *e, bool written)
{
    array_walk *w = context;
    if (e->kind != SIR_INDEX || e->u.arg[0]->kind != SIR_LOCAL)
        return;
    if (w->set == NULL && written)
        w->found[e->u.arg[0]->index] = true;
    w->reads |= w->set != NULL && !written && w->set[e->u.arg[0]->index];
}

static void find_arrays(void *context, sir_stmt *s)
{
    sir_visit_exprs(s, find_array, context);
}

// Whether the first loop sets elements of a local array that the second one reads.
static bool sets_for(const body_context *c, const sir_stmt *s, const sir_stmt *reader)
{
    array_walk sets = {.found = ARENA_ARRAY(c->e->arena, bool, c->function->locals.len + 1)}, reads = {0};
    sir_visit_stmts(&s->u.for_.body, find_arrays, &sets);
    reads.set = sets.found;
    sir_visit_stmts(&reader->u.for_.body, find_arrays, &reads);
    return reads.reads;
}

bool body_moves_on(const body_context *c, const sir_stmt *s)
{
    int64_t own, moves;
    const sir_block *b = &c->function->body;
    bool beside = false, feeds = false;
    if (!c->e->cached || c->e->most_trips == 0 || c->lanes > 0 || c->vectors > 0 || !is_plain_loop(c, s, &own))
        return false;
    if (own >= LEAST_MOVES)
        return true;
    for (size_t i = 0; i < b->len; i++) {
        beside |= b->data[i] == s;
        feeds |= beside && b->data[i] != s && is_plain_loop(c, b->data[i], &moves) && moves >= LEAST_MOVES &&
                 sets_for(c, s, b->data[i]);
    }
    return feeds;
}

bool body_looks_up(const body_context *c, const bool *counting)
{
    return walk(c, NULL, counting, &c->function->body).by_data;
}

// A local that the loop does not set.
static bool is_fixed(const lookup_walk *w, const sir_expr *e)
{
    return e->kind == SIR_LOCAL && w->loop != NULL && !sir_sets_local(&w->loop->u.for_.body, e->index);
}

static void find_by_data(void *context, sir_expr *e, bool written)
{
    lookup_walk *w = context;
    (void)written;
    // A row of a table by what the loop does not change is as good as a table.
    if (e->kind == SIR_INDEX && is_constant_table(w, e))
        w->by_data = w->by_data || !(look(w, e->u.arg[1]).known || is_fixed(w, e->u.arg[1]));
}

bool body_stays_loop(const body_context *c, const sir_stmt *s)
{
    int64_t trips;
    const sir_block *b = &s->u.for_.body;
    bool stores = false;
    if (!c->e->wide_rows || c->lanes > 0 || c->vectors > 0 || c->info == NULL || c->info->filter->finite ||
        !sir_for_trips(s, &trips) || trips < KEPT_TRIPS || trips > UNROLL_TRIPS)
        return false;
    lookup_walk w = walk(c, s, NULL, &(sir_block){0});
    for (size_t i = 0; i < b->len; i++) {
        sir_stmt *t = b->data[i];
        if (t->kind != SIR_DECL && t->kind != SIR_SET)
            return false;
        bool element = t->kind == SIR_SET && t->u.set.target->kind == SIR_INDEX;
        w.by_data = false;
        if (element)
            sir_visit_tree(t->u.set.value, false, find_by_data, &w);
        stores |= element && w.by_data;
    }
    return stores;
}
