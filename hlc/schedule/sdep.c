// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stream dependences, and what follows from them for messages (Thies et al., "Teleport messaging", PPoPP 2005).
//
// NOTE(sdep). Firings needed of the producer of a channel follow from those of its consumer, and more of these never
// need fewer of those; so counts are raised from the downstream actor on until all channels have what they need, as in
// the initialisation schedule. Beyond the first firings, rates repeat: one steady state more of the one actor needs one
// steady state more of the other.
#include <string.h>

#include "hlc/schedule/schedule_int.h"

struct sched_sdep {
    arena *arena;
    sched_table table;
    const schedule *s;
    uint32_t from, to;
    int64_t period, step;   // repetitions of to and from; period 0: does not repeat
    int64_t regular;        // from this count on it repeats
    int64_t *known;         // per count: sdep + 1, 0 not yet
    size_t known_cap;
    int64_t *firings;       // scratch, per actor
    uint64_t *dirty;
    int64_t last;           // downstream delivery: a count to begin the search at
};

static int64_t divide_up(int64_t a, int64_t b)
{
    return a / b + (a % b != 0);
}

sched_sdep *sched_sdep_new(arena *a, const sir_module *m, const schedule *s, uint32_t from, uint32_t to)
{
    sched_sdep *d = ARENA_NEW(a, sched_sdep);
    d->arena = a;
    d->s = s;
    d->from = from;
    d->to = to;
    sched_table_build(a, m, &d->table);
    d->firings = ARENA_ARRAY(a, int64_t, m->actors.len + 1);
    d->dirty = ARENA_ARRAY(a, uint64_t, m->actors.len / 64 + 1);
    d->period = s->reps[to];
    d->step = s->reps[from];
    // Until what windows, first firings and enqueued items put between the two has passed.
    int64_t states = 2;
    for (size_t i = 0; i < d->table.channels; i++) {
        const sched_port *in = sched_consumer(&d->table, i), *out = sched_producer(&d->table, i);
        int64_t between = s->channels[i].initial + out->first_push + in->first_peek + in->peek;
        if (in->pop > 0 && s->reps[in->actor] > 0)
            states += divide_up(between, in->pop * s->reps[in->actor]) + 1;
    }
    d->regular = s->init[to] + states * s->reps[to] + 2;
    d->last = 1;
    return d;
}

// Items that a channel must have received for its consumer's first n firings.
static int64_t items_needed(const sched_port *to, int64_t n)
{
    if (n <= 0)
        return 0;
    int64_t all = n == 1 ? to->first_peek : to->first_pop + (n - 2) * to->pop + to->peek;
    return n > 1 && to->first_peek > all ? to->first_peek : all;
}

static int64_t firings_for(const sched_port *from, int64_t items)
{
    if (items <= 0)
        return 0;
    if (items <= from->first_push || from->push == 0)
        return from->first_push > 0 ? 1 : 0;
    return 1 + divide_up(items - from->first_push, from->push);
}

static void mark(sched_sdep *d, uint32_t a)
{
    d->dirty[a / 64] |= UINT64_C(1) << (a % 64);
}

static int64_t compute(sched_sdep *d, int64_t n)
{
    const sched_table *t = &d->table;
    size_t words = t->actors / 64 + 1;
    int64_t updates = 0;
    memset(d->firings, 0, t->actors * sizeof *d->firings);
    memset(d->dirty, 0, words * sizeof *d->dirty);
    d->firings[d->to] = n;
    mark(d, d->to);
    for (size_t w = words; w > 0;) {
        if (d->dirty[w - 1] == 0) {
            w--;
            continue;
        }
        uint32_t a = (uint32_t)(w - 1) * 64 + 63 - (uint32_t)__builtin_clzll(d->dirty[w - 1]);
        d->dirty[w - 1] &= ~(UINT64_C(1) << (a % 64));
        for (uint32_t i = t->in_start[a]; i < t->in_start[a + 1]; i++) {
            const sched_port *in = &t->ins[i], *out = sched_producer(t, in->channel);
            int64_t k = firings_for(out, items_needed(in, d->firings[a]) - d->s->channels[in->channel].initial);
            // What a loop needs of itself beyond what it has is not needed for its n-th firing but a deadlock.
            if (k <= d->firings[out->actor] || out->actor == d->to || ++updates > SCHED_MAX_BURSTS)
                continue;
            d->firings[out->actor] = k;
            mark(d, out->actor);
            if (out->actor / 64 + 1 > w)
                w = out->actor / 64 + 1;
        }
    }
    return d->firings[d->from];
}

int64_t sched_sdep_of(sched_sdep *d, int64_t n)
{
    int64_t more = 0;
    if (n <= 0)
        return 0;
    if (d->period > 0 && n > d->regular + d->period) {
        int64_t rounds = (n - d->regular - 1) / d->period;
        n -= rounds * d->period;
        more = rounds * d->step;
    }
    if ((size_t)n >= d->known_cap) {
        size_t cap = d->known_cap == 0 ? 16 : d->known_cap;
        while ((size_t)n >= cap)
            cap *= 2;
        int64_t *known = ARENA_ARRAY(d->arena, int64_t, cap);
        if (d->known_cap > 0)
            memcpy(known, d->known, d->known_cap * sizeof *known);
        d->known = known;
        d->known_cap = cap;
    }
    if (d->known[n] == 0)
        d->known[n] = compute(d, n) + 1;
    return d->known[n] - 1 + more;
}

// The least count from 1 on whose sdep is at least `firings`.
static int64_t first_that_needs(sched_sdep *d, int64_t firings)
{
    int64_t m = d->last;
    while (m > 1 && sched_sdep_of(d, m - 1) >= firings)
        m--;
    while (sched_sdep_of(d, m) < firings) {
        m++;
        if ((d->period == 0 || d->step == 0) && m > d->regular)
            return SCHED_NEVER;
    }
    return d->last = m;
}

int64_t sched_delivery(sched_sdep *d, bool upstream, int64_t n, int64_t latency)
{
    if (upstream) {
        int64_t after = sched_sdep_of(d, n + latency);
        return after < sched_sdep_of(d, n) ? 0 : after + 1;
    }
    int64_t m = first_that_needs(d, n + latency);
    return m != SCHED_NEVER && sched_sdep_of(d, m) < n ? 0 : m;
}

int64_t sched_message_limit(sched_sdep *d, int64_t n, int64_t latency)
{
    return sched_sdep_of(d, n + 1 + (latency > 0 ? latency : 0));
}
