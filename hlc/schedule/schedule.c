// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The schedule of a graph: repetitions, least initialisation, what channels hold. docs/order-and-end.md has the rules.
#include <string.h>

#include "hlc/schedule/schedule_int.h"

static bool simulate(scheduler *c, sched_sim *sim, const int64_t *limits)
{
    sim->limits = limits;
    sched_sim_result result = sched_sim_run(sim, SCHED_MAX_BURSTS);
    if (result == SCHED_SIM_TOO_LONG) {
        sched_too_long(c, sim->fired);
    } else if (result == SCHED_SIM_OVERFLOW) {
        uint32_t worst = 0;
        for (uint32_t i = 0; i < c->table->actors; i++)
            if (sim->fired[i] > sim->fired[worst])
                worst = i;
        sched_too_large(c, worst);
    }
    return result == SCHED_SIM_DONE;
}

static bool simulate_phase(scheduler *c, sched_sim *sim, const int64_t *limits, const char *phase)
{
    if (!simulate(c, sim, limits))
        return false;
    for (uint32_t i = 0; i < c->table->actors; i++) {
        if (sim->fired[i] < limits[i]) {
            sched_deadlock(c, sim, phase);
            return false;
        }
    }
    return true;
}

static void set_initial(const scheduler *c, sched_sim *sim)
{
    for (uint32_t i = 0; i < c->table->channels; i++)
        sim->tokens[i] = c->s->channels[i].initial;
    memset(sim->fired_before, 0, c->table->actors * sizeof *sim->fired_before);
}

// Drains from the state of sim with sources limited to one phase, and raises each channel's peak to all it then gets: a
// drain that begins when a reader ends is part of this one, so a channel that can hold it holds any.
static bool drain(scheduler *c, sched_sim *sim, const int64_t *source_limits)
{
    size_t n = c->table->actors;
    int64_t *limits = ARENA_ARRAY(c->arena, int64_t, n + 1),
            *before = ARENA_ARRAY(c->arena, int64_t, c->table->channels + 1);
    bool *first = ARENA_ARRAY(c->arena, bool, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        limits[i] = c->s->source[i] ? source_limits[i] : -1;
        first[i] = !sim->fired_before[i];
    }
    memcpy(before, sim->tokens, c->table->channels * sizeof *before);
    if (!simulate(c, sim, limits))
        return false;
    for (uint32_t i = 0; i < c->table->channels; i++) {
        const sched_port *from = sched_producer(c->table, i);
        int64_t pushed;
        bool fits = first[from->actor] ? sched_moved(sim->fired[from->actor], from->first_push, from->push, &pushed)
                                       : sched_mul(sim->fired[from->actor], from->push, &pushed);
        if (!fits || !sched_add(pushed, before[i], &pushed)) {
            sched_too_large(c, from->actor);
            return false;
        }
        if (pushed > c->s->channels[i].peak)
            c->s->channels[i].peak = pushed;
    }
    return true;
}

// Actors without a firing in steady states: an error if they fire at no time, else a warning. fired: in a drain.
static bool check_idle(scheduler *c, const int64_t *fired)
{
    bool ok = true, any = false;
    for (uint32_t i = 0; i < c->table->actors; i++)
        any |= c->s->reps[i] > 0;
    for (uint32_t i = 0; i < c->table->channels; i++) {
        const sched_port *from = sched_producer(c->table, i), *to = sched_consumer(c->table, i);
        if (from->push != 0 || to->pop == 0)
            continue;
        const char *p = c->m->actors.data[from->actor]->name, *q = c->m->actors.data[to->actor]->name;
        src_range where = sched_actor_range(c, to->actor);
        bool never = c->s->init[to->actor] == 0 && fired[to->actor] == 0;
        diag_record *r;
        if (never || !any) {
            r = diag_error(c->d, where, "'%s' can never fire: it pops %lld item%s a firing, and '%s' pushes none to it",
                           q, (long long)to->pop, to->pop == 1 ? "" : "s", p);
            ok = false;
        } else {
            r = diag_warning(c->d, WARN_BRANCH_NEVER, where,
                             "'%s' fires in no steady state: '%s' pushes nothing to it after the initialisation", q, p);
        }
        diag_add_note(c->d, r, sched_rate_range(c, from->actor, true), "'%s' pushes 0 items a firing on this channel",
                      p);
    }
    return ok;
}

bool sched_run_once(scheduler *c)
{
    schedule *s = c->s;
    sched_sim sim;
    sched_sim_init(&sim, c->arena, c->table);
    set_initial(c, &sim);
    if (!simulate_phase(c, &sim, s->init, "the initialisation"))
        return false;
    for (uint32_t i = 0; i < c->table->channels; i++) {
        const sched_port *from = sched_producer(c->table, i);
        s->channels[i].remainder = sim.tokens[i];
        if (!sched_moved(s->init[from->actor], from->first_push, from->push, &s->channels[i].init_items)) {
            sched_too_large(c, from->actor);
            return false;
        }
    }
    if (!simulate_phase(c, &sim, s->reps, "a steady state"))
        return false;
    // A steady state leaves the channels as they were, but for those of actors that fire in none.
    for (uint32_t i = 0; i < c->table->channels; i++)
        sim.tokens[i] = s->channels[i].remainder;
    for (uint32_t i = 0; i < c->table->actors; i++)
        sim.fired_before[i] = s->init[i] > 0;
    if (s->dynamic) { // channels grow at run time; peaks are of no use
        memset(sim.fired, 0, c->table->actors * sizeof *sim.fired);
        return check_idle(c, sim.fired);
    }
    if (!drain(c, &sim, s->reps) || !check_idle(c, sim.fired))
        return false;
    set_initial(c, &sim);
    return drain(c, &sim, s->init);
}

schedule *schedule_compute(arena *a, diag_engine *d, source_set *sources, const sir_module *m)
{
    arena *scratch = arena_create();
    sched_table table;
    scheduler c = {.arena = scratch, .result = a, .d = d, .sources = sources, .m = m, .table = &table};
    size_t n = m->actors.len;
    schedule *s = c.s = ARENA_NEW(a, schedule);
    s->reps = ARENA_ARRAY(a, int64_t, n);
    s->init = ARENA_ARRAY(a, int64_t, n);
    s->channels = ARENA_ARRAY(a, sched_channel, m->channels.len);
    s->cycle = ARENA_ARRAY(a, int32_t, n);
    s->source = ARENA_ARRAY(a, bool, n);
    s->static_region = ARENA_ARRAY(a, int32_t, n);
    s->paced = ARENA_ARRAY(a, bool, n);
    bool ok = sched_check_supported(&c);
    if (ok) {
        sched_table_build(scratch, m, &table);
        for (size_t i = 0; i < m->channels.len; i++)
            s->channels[i].initial = (int64_t)m->channels.data[i].initial.len;
        ok = sched_balance(&c);
    }
    if (ok) {
        sched_find_cycles(&c);
        sched_find_static_regions(&c);
        ok = sched_find_messages(&c) && sched_least_init(&c) && sched_run_once(&c);
    }
    arena_destroy(scratch);
    return ok ? s : NULL;
}
