// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Subscripts that a vectorising C compiler would gather for, though plain loads are faster: permutations by tables that
// are constant once the loop is unrolled, and lookups by data.
#include <stdint.h>

#include "hlc/emit/body_int.h"
#include "hlc/ir/type_rules.h"
#include "hlc/ir/walk.h"

// A loop of more trips than this stays a loop: unrolled code that does not fit the instruction cache gains nothing.
#define UNROLL_TRIPS 64
// Trips from which on a loop that stores what it looks up stays one.
#define KEPT_TRIPS 8

// What a subscript is made of.
typedef struct subscript {
    bool known; // of constants, loop variables and constant tables only
    bool plain; // sums and products of them: a stride
    bool inner; // it has the variable of the loop in question
    bool still; // the same in all trips of that loop
    bool table; // it has an element of a table
} subscript;

// Of a local. What subscripts are made of is found for those that a loop at hand needs: there may be many loops.
typedef struct local_value {
    bool counts;          // the variable of a counted loop
    const sir_expr *init; // it is computed once, as this; NULL: it is not
    subscript made_of;    // of the walk at hand, if it has this number
    uint32_t walk;
    uint32_t within; // the last walk in whose loop another one counts it
} local_value;

struct body_lookups {
    arena *arena;
    local_value *locals; // NULL: not found so far
    uint32_t walks;
    bool knows_movers;
    VEC(const sir_stmt *) movers; // loops of the function's own block in which numbers take each other's places
};

typedef struct lookup_walk {
    const body_context *c;
    const sir_stmt *loop; // the loop in question, or NULL
    const bool *fields;   // per field: it counts from firing to firing; NULL: none does
    bool by_table;        // a subscript that is constant once `loop` is unrolled, and no affine form before
    bool by_bits;         // the same, of shifts and masks alone: shuffles of a vector
    bool of_table;        // a constant table's element that is known once `loop` is unrolled
    bool by_data;         // one that depends on more than loop variables
} lookup_walk;

struct body_lookups *body_lookups_new(arena *a)
{
    struct body_lookups *l = ARENA_NEW(a, struct body_lookups);
    l->arena = a;
    return l;
}

static bool is_constant_table(const lookup_walk *w, const sir_expr *base)
{
    while (base->kind == SIR_INDEX || base->kind == SIR_MEMBER)
        base = base->u.arg[0];
    if (base->kind == SIR_FIELD)
        return w->c->info != NULL && w->c->info->filter->fields.data[base->index].constant;
    return base->kind == SIR_GLOBAL;
}

static subscript look(const lookup_walk *w, const sir_expr *e);

static subscript look_at_local(const lookup_walk *w, uint32_t local)
{
    local_value *v = &w->c->lookups->locals[local];
    if (v->walk == w->c->lookups->walks)
        return v->made_of;
    v->made_of = (subscript){0}; // so much for what is computed from itself
    v->walk = w->c->lookups->walks;
    if (v->init != NULL)
        v->made_of = look(w, v->init);
    else if (v->counts)
        v->made_of = (subscript){.known = true,
                                 .plain = true,
                                 .inner = w->loop != NULL && local == w->loop->u.for_.local,
                                 .still = w->loop != NULL && local != w->loop->u.for_.local &&
                                          v->within != w->c->lookups->walks};
    return v->made_of;
}

static subscript look(const lookup_walk *w, const sir_expr *e)
{
    switch ((sir_expr_kind)e->kind) {
    case SIR_CONST: return (subscript){.known = true, .plain = true, .still = true};
    case SIR_LOCAL: return look_at_local(w, e->index);
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
        s.plain &= s.still || (e->kind == SIR_UNARY && e->op == LANG_OP_NEG);
        return s;
    }
    case SIR_BINARY: {
        subscript a = look(w, e->u.arg[0]), b = look(w, e->u.arg[1]);
        bool still = a.still && b.still;
        bool plain = still || e->op == LANG_OP_ADD || e->op == LANG_OP_SUB || e->op == LANG_OP_MUL;
        return (subscript){.known = a.known && b.known,
                           .plain = a.plain && b.plain && plain,
                           .inner = a.inner || b.inner,
                           .still = still,
                           .table = a.table || b.table};
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

static void find_value(void *context, sir_stmt *s)
{
    const body_context *c = context;
    if (s->kind == SIR_FOR)
        c->lookups->locals[s->u.for_.local].counts = true;
    if (s->kind == SIR_DECL && s->u.decl.init != NULL && c->locals[s->u.decl.local].writes == 1)
        c->lookups->locals[s->u.decl.local].init = s->u.decl.init;
}

static void find_values(const body_context *c)
{
    struct body_lookups *l = c->lookups;
    if (l->locals == NULL) {
        l->locals = ARENA_ARRAY(l->arena, local_value, c->function->locals.len + 1);
        sir_visit_stmts(&c->function->body, find_value, (void *)(uintptr_t)c);
    }
    l->walks++;
}

static void find_lookups(void *context, sir_stmt *s)
{
    sir_visit_exprs(s, visit, context);
}

static void find_within(void *context, sir_stmt *s)
{
    const lookup_walk *w = context;
    if (s->kind == SIR_FOR)
        w->c->lookups->locals[s->u.for_.local].within = w->c->lookups->walks;
}

static lookup_walk walk(const body_context *c, const sir_stmt *loop, const bool *fields, const sir_block *b)
{
    lookup_walk w = {.c = c, .loop = loop, .fields = fields};
    find_values(c);
    sir_visit_stmts(b, find_within, &w);
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

static void find_movers(const body_context *c)
{
    const sir_block *b = &c->function->body;
    int64_t moves;
    for (size_t i = 0; !c->lookups->knows_movers && i < b->len; i++)
        if (is_plain_loop(c, b->data[i], &moves) && moves >= LEAST_MOVES)
            VEC_PUSH(c->lookups->arena, &c->lookups->movers, b->data[i]);
    c->lookups->knows_movers = true;
}

// Whether a loop of the function's own block, behind the first one, goes on with elements that this sets.
static bool feeds_mover(const body_context *c, const sir_stmt *s)
{
    const sir_block *b = &c->function->body;
    bool beside = false, feeds = false;
    find_movers(c);
    for (size_t i = 0, k = 0; k < c->lookups->movers.len && i < b->len && !feeds; i++) {
        beside |= b->data[i] == s;
        if (b->data[i] != c->lookups->movers.data[k])
            continue;
        feeds = beside && b->data[i] != s && sets_for(c, s, b->data[i]);
        k++;
    }
    return feeds;
}

bool body_moves_on(const body_context *c, const sir_stmt *s)
{
    int64_t own;
    if (!c->e->cached || c->e->most_trips == 0 || c->lanes > 0 || c->vectors > 0 || !is_plain_loop(c, s, &own))
        return false;
    return own >= LEAST_MOVES || feeds_mover(c, s);
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
