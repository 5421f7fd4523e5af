// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Firings side by side that wait: NOTE(jam).
//
// NOTE(jam). A loop whose trips look up by what the trip before found, such as a decoder that goes back along the best path, a
// table-driven checksum or a state machine, does little but wait for memory. No vector helps, but other firings do not wait for
// this one: each trip is done for some of them, one after the other.
//
//     for (ptrdiff_t t = 95; t > -1; t--) {
//         SVM_UNROLL
//         for (ptrdiff_t lane = 0; lane < 8; lane++) {
//             decoded[lane][t] = state[lane] & 1;
//             state[lane] = (state[lane] >> 1) | (from[lane][t][state[lane]] << 3);
//         }
//     }
//
// A C compiler would make a vector of state[0] to state[7], and take it apart again for each look-up: what waits is given as
// `svm_aloneInt(..)`, which no vector takes up.
//
// Loops whose trips are loops that the C compiler makes vectors of, and that wait for the vectors of the trip before, are done so
// too. All others stay whole, a firing at a time.
#include "hlc/emit/body_int.h"
#include "hlc/ir/walk.h"

// Firings; trips of a loop, from which that is worth it; nodes of a trip that waits, and bytes of local arrays, at most; one of
// so much work must wait, where vectors do so many trips at once.
enum {
    JAMMED = 8,
    LEAST_JAMMED = 4,
    JAM_TRIPS = 12,
    JAM_NODES = 64,
    JAM_BYTES = 32768,
    JAM_SHARE = 8,
    JAM_VECTOR = 16
};

typedef struct jam_walk {
    const body_context *c;
    arena *scratch;
    bool *read, *written, *tainted; // per local
    VEC(uint32_t) writes;           // locals that are written
    const sir_expr *own;            // of a sum: the variable, which only makes its next value
    bool changes, hit;
    int nodes;
} jam_walk;

// ---- What a loop carries ----

static bool is_sum(const sir_stmt *s)
{
    const sir_expr *t = s->kind == SIR_SET ? s->u.set.target : NULL, *v = t != NULL ? s->u.set.value : NULL;
    return t != NULL && t->kind == SIR_LOCAL && t->type->kind == SIR_INT && v->kind == SIR_BINARY &&
           (v->op == LANG_OP_ADD || v->op == LANG_OP_XOR || v->op == LANG_OP_OR || v->op == LANG_OP_AND) &&
           v->u.arg[0]->kind == SIR_LOCAL && v->u.arg[0]->index == t->index;
}

static void note_read(void *context, sir_expr *e, bool written)
{
    jam_walk *w = context;
    (void)written;
    if (e->kind == SIR_LOCAL && e != w->own)
        w->read[e->index] = true;
}

static void note_stmt(void *context, sir_stmt *s)
{
    jam_walk *w = context;
    sir_parts parts = sir_stmt_parts(s);
    w->own = is_sum(s) ? s->u.set.value->u.arg[0] : NULL;
    for (uint8_t i = 0; i < parts.expr_count; i++)
        sir_visit_tree(*parts.expr[i], false, note_read, w);
    w->own = NULL;
    for (sir_expr *t = parts.target == NULL ? NULL : *parts.target; t != NULL;) {
        if (t->kind == SIR_LOCAL && !w->written[t->index]) {
            w->written[t->index] = true;
            VEC_PUSH(w->scratch, &w->writes, t->index);
        }
        if (t->kind == SIR_INDEX)
            sir_visit_tree(t->u.arg[1], false, note_read, w);
        t = t->kind == SIR_INDEX || t->kind == SIR_MEMBER ? t->u.arg[0] : NULL;
    }
}

// Whether each trip begins by giving the local a value.
static bool begins_anew(const sir_block *b, uint32_t local)
{
    for (size_t i = 0; i < b->len; i++) {
        sir_stmt *s = b->data[i];
        if (s->kind == SIR_SET && s->u.set.target->kind == SIR_LOCAL && s->u.set.target->index == local)
            return sir_count_local_in(s->u.set.value, local) == 0;
        if (sir_count_local(&(sir_block){.data = &b->data[i], .len = 1}, local) != 0)
            return s->kind == SIR_POP && s->u.set.target->kind == SIR_LOCAL;
    }
    return false;
}

static jam_walk walk(const body_context *c, const sir_stmt *loop, arena *a)
{
    size_t n = c->function->locals.len + 1;
    jam_walk w = {.c = c,
                  .scratch = a,
                  .read = ARENA_ARRAY(a, bool, n),
                  .written = ARENA_ARRAY(a, bool, n),
                  .tainted = ARENA_ARRAY(a, bool, n)};
    sir_visit_stmts(&loop->u.for_.body, note_stmt, &w);
    return w;
}

static bool is_carried(const jam_walk *w, const sir_stmt *loop, uint32_t local)
{
    const body_context *c = w->c;
    return w->read[local] && w->written[local] && !c->locals[local].dead && c->locals[local].forward == NULL &&
           !body_declared_in(c, &loop->u.for_.body, local) && !begins_anew(&loop->u.for_.body, local);
}

typedef struct move_finder {
    uint32_t array, variable;
    int64_t read_least, read_most, written_least, written_most; // elements, from the variable on
    size_t elements, names;
} move_finder;

static bool is_beside(const sir_expr *e, uint32_t variable, int64_t *by)
{
    bool sum =
        e->kind == SIR_BINARY && (e->op == LANG_OP_ADD || e->op == LANG_OP_SUB) && e->u.arg[1]->kind == SIR_CONST;
    const sir_expr *v = sum ? e->u.arg[0] : e;
    *by = !sum ? 0 : e->op == LANG_OP_ADD ? e->u.arg[1]->u.value.i : -(int64_t)e->u.arg[1]->u.value.i;
    return v->kind == SIR_LOCAL && v->index == variable;
}

static void find_move(void *context, sir_expr *e, bool written)
{
    move_finder *f = context;
    int64_t by;
    f->names += e->kind == SIR_LOCAL && e->index == f->array;
    if (e->kind != SIR_INDEX || e->u.arg[0]->kind != SIR_LOCAL || e->u.arg[0]->index != f->array ||
        !is_beside(e->u.arg[1], f->variable, &by))
        return;
    f->elements++;
    int64_t *least = written ? &f->written_least : &f->read_least, *most = written ? &f->written_most : &f->read_most;
    *least = by < *least ? by : *least;
    *most = by > *most ? by : *most;
}

static void find_moves(void *context, sir_stmt *s)
{
    sir_visit_exprs(s, find_move, context);
}

// Whether no trip reads an element of an array that one before it wrote, as where all elements move up one place.
static bool reads_ahead(const sir_stmt *loop, uint32_t array)
{
    move_finder f = {.array = array,
                     .variable = loop->u.for_.local,
                     .read_least = INT64_MAX,
                     .read_most = INT64_MIN,
                     .written_least = INT64_MAX,
                     .written_most = INT64_MIN};
    sir_visit_stmts(&loop->u.for_.body, find_moves, &f);
    return f.elements == f.names &&
           (loop->u.for_.step > 0 ? f.read_least >= f.written_most : f.read_most <= f.written_least);
}

static bool carries(const body_context *c, const sir_stmt *loop)
{
    arena *scratch = arena_create();
    jam_walk w = walk(c, loop, scratch);
    bool any = false;
    for (size_t i = 0; i < w.writes.len && !any; i++)
        any = is_carried(&w, loop, w.writes.data[i]) && !reads_ahead(loop, w.writes.data[i]);
    arena_destroy(scratch);
    return any;
}

// Whether some loop inside carries something, or may: then a trip has much to do one after the other.
static bool carries_inside(const body_context *c, const sir_block *b)
{
    for (size_t i = 0; i < b->len; i++) {
        const sir_stmt *s = b->data[i];
        sir_parts parts = sir_stmt_parts(b->data[i]);
        if (s->kind == SIR_LOOP || (s->kind == SIR_FOR && carries(c, s)))
            return true;
        for (uint8_t k = 0; k < parts.block_count; k++)
            if (carries_inside(c, parts.block[k]))
                return true;
    }
    return false;
}

// ---- Whether it waits ----

static void find_taint(void *context, sir_expr *e, bool written)
{
    jam_walk *w = context;
    (void)written;
    w->nodes++;
    w->hit |= e->kind == SIR_LOCAL && w->tainted[e->index];
}

static void spread_taint(void *context, sir_stmt *s)
{
    jam_walk *w = context;
    sir_parts parts = sir_stmt_parts(s);
    sir_expr *root = parts.target == NULL ? NULL : *parts.target;
    uint32_t to = s->kind == SIR_DECL                       ? s->u.decl.local
                  : root != NULL && root->kind == SIR_LOCAL ? root->index
                                                            : SIR_NONE;
    w->hit = false;
    for (uint8_t i = 0; i < parts.expr_count; i++)
        sir_visit_tree(*parts.expr[i], false, find_taint, w);
    w->changes |= w->hit && to != SIR_NONE && !w->tainted[to];
    if (w->hit && to != SIR_NONE)
        w->tainted[to] = true;
}

typedef struct lookup_finder {
    jam_walk *w;
    bool found;
} lookup_finder;

static void find_lookup(void *context, sir_expr *e, bool written)
{
    lookup_finder *f = context;
    (void)written;
    if (e->kind != SIR_INDEX && e->kind != SIR_PEEK)
        return;
    f->w->hit = false;
    sir_visit_tree(e->u.arg[e->kind == SIR_INDEX], false, find_taint, f->w);
    f->found |= f->w->hit;
}

static void find_lookups(void *context, sir_stmt *s)
{
    sir_visit_exprs(s, find_lookup, context);
}

static void count_loops(void *context, sir_stmt *s)
{
    *(bool *)context |= s->kind == SIR_FOR || s->kind == SIR_LOOP;
}

bool body_has_loops(const sir_block *b)
{
    bool any = false;
    sir_visit_stmts(b, count_loops, &any);
    return any;
}

// An int, or an array of ints where these count.
static bool is_whole(const sir_type *t, bool arrays)
{
    while (arrays && t->kind == SIR_ARRAY)
        t = t->element;
    return t->kind == SIR_INT;
}

// A loop of many trips, each of little work, which look up by what the one before found. alone: notes which ints it is that
// they leave to each other; NULL: nowhere.
static bool look_for_waits(const body_context *c, const sir_stmt *loop, bool *alone)
{
    int64_t trips;
    const sir_block *body = &loop->u.for_.body;
    if (!sir_for_trips(loop, &trips) || trips < JAM_TRIPS || carries_inside(c, body))
        return false;
    // With loops inside it is elements that a trip leaves to the next.
    arena *scratch = arena_create();
    jam_walk w = walk(c, loop, scratch);
    bool nested = body_has_loops(body);
    for (VEC_EACH(const uint32_t, i, &w.writes))
        w.tainted[*i] = is_whole(c->function->locals.data[*i].type, nested) && is_carried(&w, loop, *i);
    do {
        w.changes = false;
        w.nodes = 0;
        sir_visit_stmts(body, spread_taint, &w);
    } while (w.changes);
    lookup_finder f = {.w = &w};
    int nodes = w.nodes;
    sir_visit_stmts(body, find_lookups, &f);
    bool all = f.found && nodes <= JAM_NODES;
    for (size_t i = 0; all && alone != NULL && !nested && i < w.writes.len; i++) {
        uint32_t local = w.writes.data[i];
        alone[local] |= is_whole(c->function->locals.data[local].type, false) && is_carried(&w, loop, local);
    }
    arena_destroy(scratch);
    return all;
}

static bool waits(const body_context *c, const sir_stmt *loop)
{
    return look_for_waits(c, loop, NULL);
}

typedef struct alone_walk {
    const body_context *c;
    bool *alone; // per local
} alone_walk;

static void find_waiting(void *context, sir_stmt *s)
{
    alone_walk *w = context;
    if (s->kind == SIR_FOR)
        (void)look_for_waits(w->c, s, w->alone);
}

void body_find_alone(body_context *c)
{
    alone_walk w = {.c = c, .alone = ARENA_ARRAY(c->e->arena, bool, c->function->locals.len + 1)};
    sir_visit_stmts(&c->function->body, find_waiting, &w);
    for (size_t i = 0; i < c->function->locals.len; i++)
        c->locals[i].alone = w.alone[i] && c->locals[i].laned;
}

bool body_jams(const body_context *c, const sir_stmt *loop)
{
    const sir_block *body = &loop->u.for_.body;
    return waits(c, loop) || (body_has_loops(body) && carries(c, loop) && !carries_inside(c, body));
}

typedef struct jam_weight {
    const body_context *c;
    double all, waiting; // nodes that are executed, those of vectors for as many at once
    bool impossible;
} jam_weight;

static void count_node(void *context, sir_expr *e, bool written)
{
    (void)e;
    (void)written;
    ++*(double *)context;
}

static void weigh(jam_weight *j, const sir_block *b, double times, bool waiting)
{
    for (size_t i = 0; i < b->len; i++) {
        sir_stmt *s = b->data[i];
        sir_parts parts = sir_stmt_parts(s);
        double nodes = 1, inner = times;
        int64_t trips = JAM_TRIPS;
        j->impossible |= s->kind == SIR_RETURN || s->kind == SIR_CALL || s->kind == SIR_SEND;
        sir_visit_exprs(s, count_node, &nodes);
        j->all += nodes * times;
        j->waiting += waiting ? nodes * times : 0;
        if (s->kind == SIR_FOR) {
            (void)sir_for_trips(s, &trips);
            bool vectors = !body_has_loops(&s->u.for_.body) && !carries(j->c, s);
            inner = times * (double)trips / (vectors ? JAM_VECTOR : 1);
        }
        for (uint8_t k = 0; k < parts.block_count; k++)
            weigh(j, parts.block[k], inner, waiting || (s->kind == SIR_FOR && waits(j->c, s)));
    }
}

static uint64_t local_bytes(const sir_type *t)
{
    const sir_type *inner = t;
    while (inner->kind == SIR_ARRAY)
        inner = inner->element;
    uint64_t word = inner->kind == SIR_INT                                    ? sir_int_bytes(inner)
                    : inner->kind == SIR_DOUBLE || inner->kind == SIR_COMPLEX ? 8
                                                                              : 4;
    return t->words * word;
}

int body_jam_count(body_context *c, int64_t most)
{
    jam_weight j = {.c = c};
    uint64_t bytes = 0;
    int count = JAMMED;
    if (!c->in.affine || !c->out.affine || c->open != NULL || c->dynamic || c->e->keep_names)
        return 0;
    weigh(&j, &c->function->body, 1, false);
    if (j.impossible || j.waiting == 0 || j.waiting * JAM_SHARE < j.all)
        return 0;
    c->jams = true;
    c->lanes = count;
    body_lanes_prepare(c);
    for (size_t i = 0; i < c->function->locals.len; i++)
        bytes += c->locals[i].laned ? local_bytes(c->function->locals.data[i].type) : 0;
    while (count > 0 && (count > most || (uint64_t)count * bytes > JAM_BYTES))
        count /= 2;
    return count < LEAST_JAMMED ? 0 : count;
}
