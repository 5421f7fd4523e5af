// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scheduler's errors about deadlocks, sizes, and what cannot be scheduled statically.
#include "hlc/schedule/schedule_int.h"

src_range sched_actor_range(const scheduler *c, uint32_t actor)
{
    const sir_actor *a = c->m->actors.data[actor];
    if (a->loc.line != 0 || a->kind != SIR_FILTER)
        return sir_range(c->m, c->sources, a->loc);
    return sir_range(c->m, c->sources, a->filter->loc);
}

src_range sched_rate_range(const scheduler *c, uint32_t actor, bool output)
{
    const sir_actor *a = c->m->actors.data[actor];
    if (a->kind != SIR_FILTER)
        return sched_actor_range(c, actor);
    const sir_function *work = a->filter->work;
    sir_loc loc = output ? work->push.loc : work->pop.loc;
    if (loc.line == 0)
        loc = work->loc.line != 0 ? work->loc : a->filter->loc;
    return sir_range(c->m, c->sources, loc);
}

void sched_too_large(scheduler *c, uint32_t actor)
{
    diag_record *r = diag_error(
        c->d, sched_actor_range(c, actor),
        "the program's schedule is too large: '%s' has to fire too often for its firings or items to be counted",
        c->m->actors.data[actor]->name);
    diag_add_note(c->d, r, (src_range){0, 0, 0}, "choose rates with larger common factors");
}

void sched_too_long(scheduler *c, const int64_t *fired)
{
    uint32_t worst = 0;
    for (uint32_t i = 0; i < c->table->actors; i++)
        if (c->s->cycle[i] >= 0 && (c->s->cycle[worst] < 0 || fired[i] > fired[worst]))
            worst = i;
    const char *name = c->m->actors.data[worst]->name;
    diag_record *r =
        diag_error(c->d, sched_actor_range(c, worst),
                   "the feedback loop through '%s' has to go round too often in a steady state to be scheduled", name);
    diag_add_note(
        c->d, r, sched_actor_range(c, worst),
        "'%s' fires %lld times in a steady state; enqueue more items, or choose smaller rates around the loop", name,
        (long long)c->s->reps[worst]);
}

static bool check_rate(scheduler *c, const sir_filter *f, const sir_function *fn, const sir_rate *r, const char *what)
{
    sir_loc loc = r->loc.line != 0 ? r->loc : fn->loc.line != 0 ? fn->loc : f->loc;
    if (r->min < 0 || r->min > SCHED_MAX) {
        diag_error(c->d, sir_range(c->m, c->sources, loc),
                   "the %s rate of '%s' is %lld, and a rate is at least 0 and below 2^60", what, f->name,
                   (long long)r->min);
        return false;
    }
    return true;
}

typedef bool rate_check(scheduler *c, const sir_filter *f, const sir_function *fn, const sir_rate *r, const char *what);

static bool check_rates(scheduler *c, const sir_filter *f, rate_check *check)
{
    const sir_function *functions[2] = {f->work, f->prework};
    bool ok = true;
    for (int i = 0; i < 2; i++) {
        const sir_function *fn = functions[i];
        if (!fn)
            continue;
        if (!check(c, f, fn, &fn->pop, "pop") || !check(c, f, fn, &fn->peek, "peek"))
            ok = false;
        ok &= check(c, f, fn, &fn->push, "push");
    }
    return ok;
}

bool sched_check_supported(scheduler *c)
{
    bool ok = true;
    for (size_t i = 0; i < c->m->filters.len; i++)
        ok &= check_rates(c, c->m->filters.data[i], check_rate);
    if (c->m->actors.len == 0) {
        diag_error(c->d, (src_range){0, 0, 0}, "the program '%s' has no filters to run", c->m->name);
        ok = false;
    }
    return ok;
}

// An actor that has firings left, and the input that lacks items for the next.
typedef struct blocked {
    uint32_t actor;
    const sched_port *in;
    int64_t have, need;
    int rank; // how well it explains the deadlock
} blocked;

static void look_at(const scheduler *c, const sched_sim *sim, uint32_t a, blocked *best)
{
    const sched_table *t = c->table;
    bool first = !sim->fired_before[a] && t->has_prework[a];
    for (uint32_t i = t->in_start[a]; i < t->in_start[a + 1]; i++) {
        const sched_port *in = &t->ins[i];
        int64_t have = sim->tokens[in->channel], need = first ? in->first_peek : in->peek;
        if (have >= need)
            continue;
        bool inside = c->s->cycle[a] >= 0 && c->s->cycle[sched_producer(t, in->channel)->actor] == c->s->cycle[a];
        int rank = 1 + inside + (inside && c->s->channels[in->channel].back_edge);
        if (rank > best->rank)
            *best = (blocked){a, in, have, need, rank};
    }
}

void sched_deadlock(scheduler *c, const sched_sim *sim, const char *phase)
{
    blocked b = {.rank = 0};
    for (uint32_t i = 0; i < c->table->actors; i++)
        if (sim->fired[i] < sim->limits[i])
            look_at(c, sim, i, &b);
    if (b.rank == 0) {
        diag_internal(c->d, (src_range){0, 0, 0}, "a schedule that stops without an actor that lacks items");
        return;
    }
    const sir_channel *channel = &c->m->channels.data[b.in->channel];
    const char *from = c->m->actors.data[channel->producer]->name, *to = c->m->actors.data[b.actor]->name;
    long long lack = (long long)(b.need - b.have);
    diag_record *r = diag_error(
        c->d, sched_actor_range(c, b.actor),
        "deadlock in %s: the channel from '%s' to '%s' lacks %lld item%s: '%s' needs %lld to fire, and it holds %lld",
        phase, from, to, lack, lack == 1 ? "" : "s", to, (long long)b.need, (long long)b.have);
    diag_add_range(c->d, r, sched_actor_range(c, channel->producer));
    diag_add_note(c->d, r, sched_actor_range(c, channel->producer), "'%s' cannot fire to give more", from);
    if (b.rank == 1)
        return;
    size_t enqueued = channel->initial.len;
    if (enqueued > 0)
        diag_add_note(c->d, r, sir_range(c->m, c->sources, channel->loc),
                      "%zu item%s enqueued on this channel; the loop needs at least %lld more", enqueued,
                      enqueued == 1 ? " is" : "s are", lack);
    else
        diag_add_note(c->d, r, sched_actor_range(c, b.actor),
                      "nothing is enqueued on this channel; the loop needs at least %lld item%s", lack,
                      lack == 1 ? "" : "s");
}
