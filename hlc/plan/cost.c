// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A rough count of operations, for choosing strips and for the hint that kernels carry; what bytes cost beside them.
#include "hlc/ir/walk.h"
#include "hlc/passes/pass.h"
#include "hlc/plan/plan_int.h"
#include "hlc/plan/profile.h"
#include "hlc/plan/thresholds.h"

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
        return 1 + expr_cost(s->u.if_.cond) + (block_cost(t, &s->u.if_.then) + block_cost(t, &s->u.if_.otherwise)) / 2;
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

const sir_zeros *plan_zeros_of(const hlc_program *p, uint32_t channel)
{
    return p->net != NULL ? NULL : p->module->channels.data[channel].zeros;
}

// What a firing costs when others do as much without zeros, in one of theirs for `firings`.
static double without_zeros(arena *a, double cost, const sir_filter *of, const sir_filter *other, double firings)
{
    double share = plan_filter_operations(a, other) / firings / plan_filter_operations(a, of);
    return share < 1 ? cost * share : cost;
}

double plan_steady_operations(hlc_program *p)
{
    const sir_module *m = p->module;
    double *each = plan_costs(p, m), sum = 0;
    for (uint32_t i = 0; i < m->channels.len && p->profile == NULL; i++) { // measured costs are without zeros
        const sir_channel *c = &m->channels.data[i];
        const sir_zeros *known = plan_zeros_of(p, i);
        if (known == NULL)
            continue;
        const sir_filter *from = m->actors.data[c->producer]->filter, *to = m->actors.data[c->consumer]->filter;
        double firings = (double)known->phases->work->push.max / (double)to->work->push.max;
        each[c->producer] = without_zeros(p->arena, each[c->producer], from, known->samples, 1);
        each[c->consumer] = without_zeros(p->arena, each[c->consumer], to, known->phases, firings);
    }
    for (size_t i = 0; i < m->actors.len; i++)
        sum += each[i] * (double)p->schedule->reps[i];
    return sum;
}

double plan_seconds_per_byte(const machine *m, const machine_processor *kernel, double bytes)
{
    for (VEC_EACH(machine_ref, r, &kernel->caches)) {
        const machine_memory *cache = &m->memories.data[r->index];
        if (bytes <= 0.75 * (double)cache->size)
            return 1 / machine_bytes_per_second(cache->sequential, cache->clock != 0 ? cache->clock : kernel->clock);
    }
    for (VEC_EACH(machine_ref, r, &kernel->memories)) {
        const machine_memory *memory = &m->memories.data[r->index];
        return 1 / machine_bytes_per_second(memory->sequential, memory->clock != 0 ? memory->clock : kernel->clock);
    }
    return 0;
}

bool plan_computing_hides(const hlc_program *p, double operations, double moved, double bytes)
{
    const machine_processor *kernel = machine_processor_by_name(p->machine, p->plan->processor);
    bool direct = (p->cut == NULL || !plan_cut_move(p->cut)) && p->net == NULL;
    if (p->config->vector_bytes == 0 || !direct || kernel == NULL || kernel->caches.len < 2)
        return false;
    const machine_memory *second = &p->machine->memories.data[kernel->caches.data[1].index];
    double lanes = (double)machine_vector_bytes(kernel) / sizeof(float),
           computes = operations / lanes * machine_operation_seconds(kernel, MACHINE_OP_FLOAT_ADD),
           moves = moved * plan_seconds_per_byte(p->machine, kernel, bytes);
    return bytes < SECOND_CACHE_SHARE * (double)second->size && computes >= SECOND_CACHE_COMPUTES * moves;
}
