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
    bool steady;          // of a message between actors without a way: follows from the steady states alone
    int64_t period, step; // repetitions of to and from, or so many for each other; period 0: does not repeat
    int64_t regular;      // from this count on it repeats
    int64_t *known;       // per count: sdep + 1, 0 not yet
    size_t known_cap;
    int64_t *firings; // scratch, per actor
    uint64_t *dirty;
    int64_t last; // downstream delivery: a count to begin the search at
};

static int64_t divide_up(int64_t a, int64_t b)
{
    return a / b + (a % b != 0);
}

// Marks the actors that channels lead to from `at`, or that lead there.
static void reach(const sched_table *t, uint32_t at, bool down, uint8_t bit, uint8_t *seen, uint32_t *stack)
{
    size_t count = 0;
    stack[count++] = at;
    seen[at] |= bit;
    while (count > 0) {
        uint32_t actor = stack[--count];
        const uint32_t *start = down ? t->out_start : t->in_start;
        for (uint32_t i = start[actor]; i < start[actor + 1]; i++) {
            uint32_t channel = down ? t->outs[i].channel : t->ins[i].channel;
            uint32_t next = down ? sched_consumer(t, channel)->actor : sched_producer(t, channel)->actor;
            if (t->cut[channel] || (seen[next] & bit) != 0)
                continue;
            seen[next] |= bit;
            stack[count++] = next;
        }
    }
}

int64_t sched_gcd(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

typedef struct proportion {
    int64_t common; // by which repetitions of those that count are divided
    int64_t states; // such least steady states until windows, first firings and enqueued items have passed
} proportion;

// What counts are the actors of which all bits are set.
static proportion find_proportion(const sched_table *t, const schedule *s, const uint8_t *seen, uint8_t bits)
{
    proportion p = {.common = 0, .states = 2};
    for (uint32_t i = 0; i < t->actors; i++)
        if (seen[i] == bits)
            p.common = sched_gcd(p.common, s->reps[i]);
    p.common = p.common == 0 ? 1 : p.common;
    for (size_t i = 0; i < t->channels; i++) {
        const sched_port *in = sched_consumer(t, i), *out = sched_producer(t, i);
        int64_t between = s->channels[i].initial + out->first_push + in->first_peek + in->peek;
        if (seen[in->actor] == bits && seen[out->actor] == bits && in->pop > 0 && s->reps[in->actor] > 0)
            p.states += divide_up(between, in->pop * (s->reps[in->actor] / p.common)) + 1;
    }
    return p;
}

enum { BELOW = 1, ABOVE = 2, BETWEEN = 3 };

// What lies between the two ends counts.
static void find_period(sched_sdep *d)
{
    const sched_table *t = &d->table;
    const schedule *s = d->s;
    uint8_t *seen = ARENA_ARRAY(d->arena, uint8_t, t->actors + 1);
    uint32_t *stack = ARENA_ARRAY(d->arena, uint32_t, t->actors + 1);
    reach(t, d->from, true, BELOW, seen, stack);
    reach(t, d->to, false, ABOVE, seen, stack);
    seen[d->from] = seen[d->to] = BETWEEN;
    proportion p = find_proportion(t, s, seen, BETWEEN);
    d->period = s->reps[d->to] / p.common;
    d->step = s->reps[d->from] / p.common;
    d->regular = s->init[d->to] + p.states * d->period + 2;
}

int64_t sched_sdep_range(arena *a, const sched_table *t, const schedule *s, uint32_t to)
{
    uint8_t *seen = ARENA_ARRAY(a, uint8_t, t->actors + 1);
    reach(t, to, false, ABOVE, seen, ARENA_ARRAY(a, uint32_t, t->actors + 1));
    proportion p = find_proportion(t, s, seen, ABOVE);
    int64_t period = s->reps[to] / p.common, last;
    return sched_mul(p.states + 3, period, &last) && sched_add(last, s->init[to] + 2, &last) ? last : SCHED_MAX;
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
    find_period(d);
    d->last = 1;
    return d;
}

sched_sdep *sched_sdep_of_message(arena *a, const sir_module *m, const schedule *s, const sched_message *way)
{
    if (!way->steady)
        return sched_sdep_new(a, m, s, way->upstream ? way->receiver : way->sender,
                              way->upstream ? way->sender : way->receiver);
    sched_sdep *d = ARENA_NEW(a, sched_sdep);
    *d = (sched_sdep){.arena = a, .s = s, .from = way->receiver, .to = way->sender, .steady = true, .last = 1};
    d->period = s->reps[d->to];
    d->step = s->reps[d->from];
    d->regular = s->init[d->to];
    return d;
}

// The receiver's firings in the initialisation and the steady states that end with the sender's n-th firing or later.
static int64_t steady_sdep(const sched_sdep *d, int64_t n)
{
    int64_t later = n - d->s->init[d->to];
    if (later <= 0)
        return d->s->init[d->from];
    return d->period == 0 ? SCHED_NEVER - 1 : d->s->init[d->from] + divide_up(later, d->period) * d->step;
}

// Items that a channel must have received for its consumer's first n firings.
int64_t sched_items_needed(const sched_port *to, int64_t n)
{
    if (n <= 0)
        return 0;
    int64_t all = n == 1 ? to->first_peek : to->first_pop + (n - 2) * to->pop + to->peek;
    return n > 1 && to->first_peek > all ? to->first_peek : all;
}

int64_t sched_firings_for(const sched_port *from, int64_t items)
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
            int64_t k =
                sched_firings_for(out, sched_items_needed(in, d->firings[a]) - d->s->channels[in->channel].initial);
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
    if (d->steady)
        return steady_sdep(d, n);
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

// Entries of a table that programs are given.
#define TABLE_ENTRIES (INT64_C(1) << 20)

bool sched_sdep_tabulate(sched_sdep *d, sched_sdep_table *t)
{
    *t = (sched_sdep_table){.known = d->regular + d->period + 1, .period = d->period, .step = d->step};
    if (d->steady && d->period == 0)
        t->known++;
    if (t->known > TABLE_ENTRIES)
        return false;
    int64_t *values = ARENA_ARRAY(d->arena, int64_t, (size_t)t->known);
    for (int64_t n = 0; n < t->known; n++)
        values[n] = sched_sdep_of(d, n);
    t->values = values;
    return true;
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

bool sched_message_keeps(sched_sdep *d, int64_t sent, int64_t received, int64_t latency)
{
    int64_t sends = d->s->reps[d->to], receives = d->s->reps[d->from];
    while (sched_message_limit(d, sent, latency) >= received) {
        if (sends == 0 || sent > d->regular + d->period) // it goes on as it is
            return true;
        sent += sends;
        received += receives;
    }
    return false;
}
