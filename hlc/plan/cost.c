// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A rough count of operations, for choosing strips and for the hint that kernels carry.
#include "hlc/ir/walk.h"
#include "hlc/plan/plan_int.h"

enum { COST_LOOP_ROUNDS = 10, COST_MATH = 20, COST_RECURSION = 100 };

// What calls of each function cost, worked out once: call chains may branch at every step.
typedef struct cost_table {
    arena *arena;
    hmap calls; // by function: a double; that of a function whose cost is being worked out is a guess
} cost_table;

static double block_cost(cost_table *t, const sir_block *b);

static double expr_cost(const sir_expr *e)
{
    if (e == NULL || e->kind == SIR_CONST || e->kind == SIR_LOCAL || e->kind == SIR_FIELD || e->kind == SIR_GLOBAL)
        return 0;
    double cost = e->kind == SIR_MATH ? COST_MATH : 1;
    for (size_t i = 0; i < sir_expr_arity(e); i++)
        cost += expr_cost(e->u.arg[i]);
    return cost;
}

static double loop_rounds(const sir_stmt *s)
{
    const sir_expr *lo = s->u.for_.lo, *hi = s->u.for_.hi;
    if (lo->kind != SIR_CONST || hi->kind != SIR_CONST || s->u.for_.step == 0)
        return COST_LOOP_ROUNDS;
    double rounds = ((double)hi->u.value.i - lo->u.value.i) / s->u.for_.step;
    return rounds > 0 ? rounds : 0;
}

static double call_cost(cost_table *t, const sir_function *f)
{
    double *cost = hmap_getn(&t->calls, &f, sizeof f);
    if (cost == NULL) {
        cost = ARENA_NEW(t->arena, double);
        *cost = COST_RECURSION;
        hmap_setn(&t->calls, &f, sizeof f, cost);
        *cost = block_cost(t, &f->body);
    }
    return *cost;
}

static double stmt_cost(cost_table *t, const sir_stmt *s)
{
    switch ((sir_stmt_kind)s->kind) {
    case SIR_DECL: return expr_cost(s->u.decl.init);
    case SIR_SET: return 1 + expr_cost(s->u.set.target) + expr_cost(s->u.set.value);
    case SIR_POP: return 1 + expr_cost(s->u.set.target);
    case SIR_PUSH: return 1 + expr_cost(s->u.value);
    case SIR_RETURN: return expr_cost(s->u.value);
    case SIR_PRINT: return COST_MATH + expr_cost(s->u.print.value);
    case SIR_RANDOM: return COST_MATH;
    case SIR_CALL: return 2 + call_cost(t, s->u.call.function);
    case SIR_IF:
        return 1 + expr_cost(s->u.if_.cond) +
               (block_cost(t, &s->u.if_.then) + block_cost(t, &s->u.if_.otherwise)) / 2;
    case SIR_FOR: return loop_rounds(s) * (1 + block_cost(t, &s->u.for_.body));
    case SIR_LOOP:
        return COST_LOOP_ROUNDS * (1 + block_cost(t, &s->u.loop.pre) + expr_cost(s->u.loop.cond) +
                                   block_cost(t, &s->u.loop.body) + block_cost(t, &s->u.loop.step));
    case SIR_BLOCK: return block_cost(t, &s->u.block);
    case SIR_BREAK:
    case SIR_CONTINUE: return 1;
    case SIR_SEND: return COST_MATH;
    }
    return 0;
}

static double block_cost(cost_table *t, const sir_block *b)
{
    double cost = 0;
    for (size_t i = 0; i < b->len; i++)
        cost += stmt_cost(t, b->data[i]);
    return cost;
}

static double actor_operations(cost_table *t, const sir_actor *a)
{
    if (a->kind == SIR_FILTER)
        return 1 + block_cost(t, &a->filter->work->body);
    if (a->kind == SIR_SPLIT && a->duplicate)
        return (double)a->outputs.len;
    return a->kind == SIR_SPLIT || a->kind == SIR_JOIN ? (double)plan_weights(a, a->weights.len) : 1;
}

double plan_filter_operations(arena *a, const sir_filter *f)
{
    cost_table t = {.arena = a};
    hmap_init(&t.calls, a);
    return 1 + block_cost(&t, &f->work->body);
}

double plan_actor_operations(arena *a, const sir_module *m, uint32_t actor)
{
    cost_table t = {.arena = a};
    hmap_init(&t.calls, a);
    return actor_operations(&t, m->actors.data[actor]);
}

double *plan_operations(arena *a, const sir_module *m)
{
    cost_table t = {.arena = a};
    hmap_init(&t.calls, a);
    double *all = ARENA_ARRAY(a, double, m->actors.len + 1);
    hmap first; // by filter: an actor that fires it, counting from 1
    hmap_init(&first, a);
    for (uint32_t i = 0; i < m->actors.len; i++) {
        const sir_filter *f = m->actors.data[i]->kind == SIR_FILTER ? m->actors.data[i]->filter : NULL;
        size_t known = f == NULL ? 0 : (size_t)hmap_getn(&first, &f, sizeof f);
        all[i] = known != 0 ? all[known - 1] : actor_operations(&t, m->actors.data[i]);
        if (f != NULL && known == 0)
            hmap_setn(&first, &f, sizeof f, (void *)(size_t)(i + 1));
    }
    return all;
}
