// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Firings that wait for their sums, as those of adaptive filters do, whose weights come of the firing before:
//
//     y += w[i] * x[i];              each waits for the one before
//     w[i] = w[i] + g * x[i];        a vector's work
//
// Processors that close units of sums while vectors of 64 bytes are about have their quick sums in vectors of 32 bytes alone, or
// beside such. So the strip's vectors are SVM_HALF_VECTORS, and the firing is in its loop: what it leaves the next finds in
// registers.
#include "hlc/emit/body_int.h"
#include "hlc/ir/type_rules.h"
#include "hlc/ir/walk.h"

// Sums of a firing that are worth it; nodes of all its trips for each of them at most, which half of the vectors do in no more
// time than it gains; trips of a loop whose work fills whole vectors; nodes of a firing that is inlined.
enum { LEAST_SUMS = 16, MOST_WORK = 64, LEAST_ROW = 16, MOST_INLINED = 300, MOST_TRIPS = 1 << 20 };

typedef struct wait_walk {
    const body_context *c;
    int *depths; // per local: loops around its declaration
    double sums, work;
    bool rows, fails;
    int nodes;
} wait_walk;

static bool is_real(const sir_type *t)
{
    return t->kind == SIR_FLOAT || t->kind == SIR_DOUBLE;
}

static void count_node(void *context, sir_expr *e, bool written)
{
    int *nodes = context;
    (void)e;
    (void)written;
    ++*nodes;
}

// x = x + ..: a number from before the innermost loop.
static bool is_sum(const wait_walk *w, const sir_stmt *s, int depth)
{
    if (s->kind != SIR_SET || s->u.set.target->kind != SIR_LOCAL || s->u.set.value->kind != SIR_BINARY)
        return false;
    sir_expr *value = s->u.set.value;
    uint32_t x = s->u.set.target->index;
    return (value->op == LANG_OP_ADD || value->op == LANG_OP_SUB) && is_real(value->type) && w->depths[x] < depth &&
           sir_count_local_in(value, x) != 0;
}

static bool is_plain(const sir_stmt *s)
{
    return s->kind == SIR_DECL || s->kind == SIR_SET || s->kind == SIR_POP || s->kind == SIR_PUSH ||
           s->kind == SIR_IF || s->kind == SIR_BLOCK || s->kind == SIR_FOR;
}

static bool is_aside(const body_context *c, const sir_stmt *loop)
{
    for (VEC_EACH(const sir_stmt *const, s, &c->asides))
        if (*s == loop)
            return true;
    return false;
}

typedef struct row_walk {
    const wait_walk *w;
    int depth;
    bool stores, fails;
} row_walk;

static void see_row(void *context, sir_stmt *s)
{
    row_walk *r = context;
    r->stores |= s->kind == SIR_SET && s->u.set.target->kind == SIR_INDEX;
    r->fails |= s->kind == SIR_FOR || is_sum(r->w, s, r->depth);
}

// A loop of which C compilers make vectors: it has elements to store, no loops and no sums.
static bool is_row(const wait_walk *w, const sir_stmt *loop, int depth)
{
    row_walk r = {.w = w, .depth = depth};
    sir_visit_stmts(&loop->u.for_.body, see_row, &r);
    return r.stores && !r.fails;
}

// `trips`: of the `depth` loops around together; `aside`: those of one of them go side by side.
static void walk(wait_walk *w, const sir_block *b, double trips, int depth, bool aside)
{
    for (size_t i = 0; i < b->len && !w->fails; i++) {
        sir_stmt *s = b->data[i];
        const bool loop = s->kind == SIR_FOR;
        int64_t inner = 1;
        int nodes = 0;
        w->fails = !is_plain(s) || (loop && (!sir_for_trips(s, &inner) || inner > MOST_TRIPS));
        if (s->kind == SIR_DECL)
            w->depths[s->u.decl.local] = depth;
        sir_visit_exprs(s, count_node, &nodes);
        w->nodes += nodes;
        w->work += trips * nodes;
        if (!aside && is_sum(w, s, depth))
            w->sums += trips;
        w->rows |= loop && inner >= LEAST_ROW && is_row(w, s, depth + 1);
        sir_parts parts = sir_stmt_parts(s);
        for (uint8_t k = 0; k < parts.block_count && !w->fails; k++)
            walk(w, parts.block[k], loop ? trips * (double)inner : trips, loop ? depth + 1 : depth,
                 aside || (loop && is_aside(w->c, s)));
    }
}

bool body_waits(const body_context *c)
{
    const sir_function *f = c->function;
    if (!c->e->cached || !c->e->wide_registers || c->e->most_trips == 0 || c->e->keep_names || c->info == NULL ||
        c->info->filter->finite || c->dynamic || !c->info->filter->stateful || c->lanes > 0 || c->vectors > 0 ||
        f->kind != SIR_WORK)
        return false;
    wait_walk w = {.c = c, .depths = ARENA_ARRAY(c->e->arena, int, f->locals.len + 1)};
    walk(&w, &f->body, 1, 0, false);
    return !w.fails && w.rows && w.sums >= LEAST_SUMS && w.work <= MOST_WORK * w.sums && w.nodes <= MOST_INLINED;
}
