// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tokens that flow while actors fire as often as they can: feasibility of a schedule, and what is left to fire when
// input ends.
#include <string.h>

#include "hlc/schedule/schedule_int.h"

void sched_sim_init(sched_sim *sim, arena *a, const sched_table *t)
{
    memset(sim, 0, sizeof *sim);
    sim->table = t;
    sim->tokens = ARENA_ARRAY(a, int64_t, t->channels + 1);
    sim->fired_before = ARENA_ARRAY(a, bool, t->actors + 1);
    sim->fired = ARENA_ARRAY(a, int64_t, t->actors + 1);
    sim->dirty = ARENA_ARRAY(a, uint64_t, t->actors / 64 + 1);
}

// How often an actor can fire with what its inputs hold. An actor without limit whose input is no bound either does not
// fire. The prework fires alone.
static int64_t can_fire(const sched_sim *sim, uint32_t a)
{
    const sched_table *t = sim->table;
    bool unlimited = sim->limits[a] < 0;
    int64_t k = unlimited ? INT64_MAX : sim->limits[a] - sim->fired[a];
    if (k <= 0)
        return 0;
    bool first = !sim->fired_before[a] && t->has_prework[a];
    for (uint32_t i = t->in_start[a]; i < t->in_start[a + 1]; i++) {
        const sched_port *in = &t->ins[i];
        int64_t have = sim->tokens[in->channel];
        if (have < (first ? in->first_peek : in->peek))
            return 0;
        if (!first && in->pop > 0 && (have - in->peek) / in->pop < k - 1)
            k = (have - in->peek) / in->pop + 1;
    }
    return first ? 1 : k == INT64_MAX ? 0 : k;
}

static bool fire(sched_sim *sim, uint32_t a, int64_t k)
{
    const sched_table *t = sim->table;
    bool first = !sim->fired_before[a] && t->has_prework[a], fits = true;
    for (uint32_t i = t->in_start[a]; i < t->in_start[a + 1]; i++)
        sim->tokens[t->ins[i].channel] -= first ? t->ins[i].first_pop : k * t->ins[i].pop;
    for (uint32_t i = t->out_start[a]; i < t->out_start[a + 1]; i++) {
        const sched_port *out = &t->outs[i];
        int64_t pushed = 0, *tokens = &sim->tokens[out->channel];
        fits &= sched_mul(k, first ? out->first_push : out->push, &pushed) && sched_add(*tokens, pushed, tokens);
        uint32_t to = sched_consumer(t, out->channel)->actor;
        sim->dirty[to / 64] |= UINT64_C(1) << (to % 64);
    }
    sim->fired_before[a] = true;
    sim->fired[a] += k;
    return fits;
}

sched_sim_result sched_sim_run(sched_sim *sim, int64_t max_bursts)
{
    size_t words = sim->table->actors / 64 + 1;
    memset(sim->fired, 0, sim->table->actors * sizeof *sim->fired);
    memset(sim->dirty, 0xff, words * sizeof *sim->dirty);
    sim->dirty[words - 1] = (UINT64_C(1) << (sim->table->actors % 64)) - 1;
    sim->bursts = 0;
    for (size_t w = 0; w < words;) {
        if (sim->dirty[w] == 0) {
            w++;
            continue;
        }
        uint32_t a = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(sim->dirty[w]);
        sim->dirty[w] &= sim->dirty[w] - 1;
        for (int64_t k = can_fire(sim, a); k > 0; k = can_fire(sim, a)) {
            if (++sim->bursts > max_bursts)
                return SCHED_SIM_TOO_LONG;
            if (!fire(sim, a, k))
                return SCHED_SIM_OVERFLOW;
        }
        // Consumers may come earlier in the order.
        for (uint32_t i = sim->table->out_start[a]; i < sim->table->out_start[a + 1]; i++) {
            size_t to = sched_consumer(sim->table, sim->table->outs[i].channel)->actor / 64;
            if (to < w)
                w = to;
        }
    }
    return SCHED_SIM_DONE;
}

void sched_exhaust(const sir_module *m, int64_t *tokens, const int64_t *limits, bool *fired_before, int64_t *fired)
{
    arena *scratch = arena_create();
    sched_table table;
    sched_sim sim;
    sched_table_build(scratch, m, &table);
    sched_sim_init(&sim, scratch, &table);
    sim.tokens = tokens;
    sim.limits = limits;
    sim.fired_before = fired_before;
    sim.fired = fired;
    (void)sched_sim_run(&sim, INT64_MAX); // a module that has a schedule has one for every drain
    arena_destroy(scratch);
}
