// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A rough count of operations, for choosing strips and for the hint that kernels carry.
#include "hlc/ir/walk.h"
#include "hlc/plan/plan_int.h"

enum { COST_LOOP_ROUNDS = 10, COST_MATH = 20, COST_DEPTH = 16 };

static double block_cost(const sir_block *b, int depth);

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

static double stmt_cost(const sir_stmt *s, int depth)
{
    switch ((sir_stmt_kind)s->kind) {
    case SIR_DECL: return expr_cost(s->u.decl.init);
    case SIR_SET: return 1 + expr_cost(s->u.set.target) + expr_cost(s->u.set.value);
    case SIR_POP: return 1 + expr_cost(s->u.set.target);
    case SIR_PUSH: return 1 + expr_cost(s->u.value);
    case SIR_RETURN: return expr_cost(s->u.value);
    case SIR_PRINT: return COST_MATH + expr_cost(s->u.print.value);
    case SIR_RANDOM: return COST_MATH;
    case SIR_CALL: return 2 + (depth < COST_DEPTH ? block_cost(&s->u.call.function->body, depth + 1) : COST_MATH);
    case SIR_IF:
        return 1 + expr_cost(s->u.if_.cond) +
               (block_cost(&s->u.if_.then, depth) + block_cost(&s->u.if_.otherwise, depth)) / 2;
    case SIR_FOR: return loop_rounds(s) * (1 + block_cost(&s->u.for_.body, depth));
    case SIR_LOOP:
        return COST_LOOP_ROUNDS * (1 + block_cost(&s->u.loop.pre, depth) + expr_cost(s->u.loop.cond) +
                                   block_cost(&s->u.loop.body, depth) + block_cost(&s->u.loop.step, depth));
    case SIR_BLOCK: return block_cost(&s->u.block, depth);
    case SIR_BREAK:
    case SIR_CONTINUE: return 1;
    case SIR_SEND: return COST_MATH;
    }
    return 0;
}

static double block_cost(const sir_block *b, int depth)
{
    double cost = 0;
    for (size_t i = 0; i < b->len; i++)
        cost += stmt_cost(b->data[i], depth);
    return cost;
}

double plan_actor_operations(const sir_module *m, uint32_t actor)
{
    const sir_actor *a = m->actors.data[actor];
    if (a->kind == SIR_FILTER)
        return 1 + block_cost(&a->filter->work->body, 0);
    if (a->kind == SIR_SPLIT && a->duplicate)
        return (double)a->outputs.len;
    return a->kind == SIR_SPLIT || a->kind == SIR_JOIN ? (double)plan_weights(a, a->weights.len) : 1;
}

double *plan_operations(arena *a, const sir_module *m)
{
    double *all = ARENA_ARRAY(a, double, m->actors.len + 1);
    hmap first; // by filter: an actor that fires it, counting from 1
    hmap_init(&first, a);
    for (uint32_t i = 0; i < m->actors.len; i++) {
        const sir_filter *f = m->actors.data[i]->kind == SIR_FILTER ? m->actors.data[i]->filter : NULL;
        size_t known = f == NULL ? 0 : (size_t)hmap_getn(&first, &f, sizeof f);
        all[i] = known != 0 ? all[known - 1] : plan_actor_operations(m, i);
        if (f != NULL && known == 0)
            hmap_setn(&first, &f, sizeof f, (void *)(size_t)(i + 1));
    }
    return all;
}

double plan_steady_operations(arena *a, const sir_module *m, const schedule *s)
{
    const double *each = plan_operations(a, m);
    double total = 0;
    for (size_t i = 0; i < m->actors.len; i++)
        total += each[i] * (double)s->reps[i];
    return total;
}
