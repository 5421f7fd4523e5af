// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The least initialisation schedule: each prework once, and upstream of every peek window the items it looks ahead at.
//
// NOTE(least). With init[a] firings of each actor, a channel must have received what its consumer's firings so far
// need, and peek - pop items must be left for a consumer that fires in steady states. Each condition says how often the
// producer must fire at least, given the consumer's count, and more firings of the consumer never need fewer of the
// producer; so there is one least solution, found by raising counts until all conditions hold. Any feasible order of
// more firings becomes a feasible order of these by leaving out the surplus, so nothing smaller or other would do. In a
// cycle the conditions may have no solution (a window wider than what circulates); counts then pass a bound that every
// solution keeps, and the simulation finds the channel that lacks items.
#include "hlc/schedule/schedule_int.h"

typedef struct initialiser {
    scheduler *c;
    const sched_table *t;
    int64_t *init;
    uint64_t *dirty; // actors whose producers have to be looked at
    int64_t *base;   // per cycle: greatest demand from outside, in steady states
    int64_t *spread; // per cycle: how far demands inside it can exceed that
    int64_t updates;
    sched_sdep **sdep; // per message that senders are raised for
    int64_t greatest;  // steady states beyond which senders are raised only if there is no solution
    bool failed;
} initialiser;

static int64_t divide_up(int64_t a, int64_t b)
{
    return a / b + (a % b != 0);
}

// Firings in steady states, rounded up.
static int64_t level_of(const initialiser *in, uint32_t a)
{
    int64_t reps = in->c->s->reps[a];
    return reps == 0 ? in->init[a] : divide_up(in->init[a], reps);
}

// Items a channel must have received in all, initial ones included, when its consumer has fired k times.
static bool items_needed(const initialiser *in, const sched_port *to, int64_t k, int64_t *need)
{
    int64_t popped;
    *need = k > 0 ? to->first_peek : 0;
    if (!sched_moved(k, to->first_pop, to->pop, &popped))
        return false;
    int64_t least = popped;
    if (k > 1 || in->c->s->reps[to->actor] > 0)
        least += to->peek - to->pop;
    if (least > *need)
        *need = least;
    return *need <= SCHED_MAX;
}

// Least firings of the producer that push so many items; as many as help when no number does.
static int64_t firings_for(const sched_port *from, int64_t items)
{
    if (items <= 0)
        return 0;
    if (items <= from->first_push || from->push == 0)
        return from->first_push > 0 ? 1 : 0;
    return 1 + divide_up(items - from->first_push, from->push);
}

static void mark(initialiser *in, uint32_t a)
{
    in->dirty[a / 64] |= UINT64_C(1) << (a % 64);
}

// Raises the producer of one channel as its consumer needs.
static bool demand(initialiser *in, const sched_port *to)
{
    const sched_port *from = sched_producer(in->t, to->channel);
    schedule *s = in->c->s;
    int64_t need;
    if (!items_needed(in, to, in->init[to->actor], &need)) {
        sched_too_large(in->c, to->actor);
        return false;
    }
    int64_t k = firings_for(from, need - s->channels[to->channel].initial);
    if (k <= in->init[from->actor])
        return true;
    int32_t cycle = s->cycle[from->actor];
    if (cycle >= 0 && cycle == s->cycle[to->actor]) {
        if (level_of(in, from->actor) > in->base[cycle] + in->spread[cycle])
            return true; // no solution
        in->init[from->actor] = k;
    } else {
        in->init[from->actor] = k;
        if (cycle >= 0 && level_of(in, from->actor) > in->base[cycle])
            in->base[cycle] = level_of(in, from->actor);
    }
    mark(in, from->actor);
    if (k > SCHED_MAX || ++in->updates > SCHED_MAX_BURSTS) {
        sched_too_large(in->c, from->actor);
        return false;
    }
    return true;
}

// How far demands inside a cycle can exceed what the outside demands, where there is a solution: at each channel of a
// way that meets no actor twice by its window, its odd first firing and roundings, and less than one steady state from
// the first to the last visit of an actor (a demand that comes back a whole steady state greater comes back again).
// Doubled, for the first round may differ. Too much only costs time.
static void bound_cycles(initialiser *in)
{
    schedule *s = in->c->s;
    for (size_t i = 0; i < in->t->channels; i++) {
        const sched_port *from = sched_producer(in->t, i), *to = sched_consumer(in->t, i);
        int32_t cycle = s->cycle[from->actor];
        if (cycle < 0 || cycle != s->cycle[to->actor])
            continue;
        int64_t steady = s->channels[i].steady > 0 ? s->channels[i].steady : 1;
        int64_t window = to->peek > to->first_peek ? to->peek : to->first_peek, sum;
        if (!sched_add(window, to->first_pop, &sum) || !sched_add(sum, from->first_push, &sum) ||
            !sched_add(in->spread[cycle], 2 * (sum / steady + 8), &in->spread[cycle]))
            in->spread[cycle] = SCHED_MAX;
    }
}

// Raises counts until every condition holds.
static bool settle(initialiser *in, size_t words)
{
    const sched_table *t = in->t;
    // The last in the order first, so that without cycles each is looked at once.
    for (size_t w = words; w > 0;) {
        if (in->dirty[w - 1] == 0) {
            w--;
            continue;
        }
        uint32_t a = (uint32_t)(w - 1) * 64 + 63 - (uint32_t)__builtin_clzll(in->dirty[w - 1]);
        in->dirty[w - 1] &= ~(UINT64_C(1) << (a % 64));
        for (uint32_t i = t->in_start[a]; i < t->in_start[a + 1]; i++) {
            if (!demand(in, &t->ins[i]))
                return false;
            size_t from = sched_producer(t, t->ins[i].channel)->actor / 64 + 1;
            if (from > w)
                w = from;
        }
    }
    return true;
}

// Senders that wait for each other's receivers would be raised for ever. Otherwise a demand comes back to nobody, and
// exceeds what there was without messages by what the channels and messages on a way can add to it, as in bound_cycles.
static void bound_senders(initialiser *in)
{
    schedule *s = in->c->s;
    int64_t most = 0, spread = 0;
    for (uint32_t i = 0; i < in->t->actors; i++)
        most = level_of(in, i) > most ? level_of(in, i) : most;
    for (size_t i = 0; i < in->t->channels; i++) {
        const sched_port *from = sched_producer(in->t, i), *to = sched_consumer(in->t, i);
        int64_t steady = s->channels[i].steady > 0 ? s->channels[i].steady : 1;
        int64_t window = to->peek > to->first_peek ? to->peek : to->first_peek, sum;
        if (!sched_add(window, to->first_pop, &sum) || !sched_add(sum, from->first_push, &sum) ||
            !sched_add(spread, 2 * (sum / steady + 8), &spread))
            spread = SCHED_MAX / 2;
    }
    if (!sched_add(most, spread + 8 * (int64_t)s->messages.len, &in->greatest))
        in->greatest = SCHED_MAX;
    in->sdep = ARENA_ARRAY(in->c->arena, sched_sdep *, s->messages.len + 1);
    for (size_t i = 0; i < s->messages.len; i++)
        if (s->messages.data[i].upstream && !s->messages.data[i].steady)
            in->sdep[i] = sched_sdep_of_message(in->c->arena, in->c->m, s, &s->messages.data[i]);
}

static void report_circle(const initialiser *in, const sched_message *m)
{
    const scheduler *c = in->c;
    const char *sender = c->m->actors.data[m->sender]->name, *receiver = c->m->actors.data[m->receiver]->name;
    diag_record *r = diag_error(
        c->d, sir_range(c->m, c->sources, m->loc),
        "deadlock: so that this message can come in time '%s' waits for firings of '%s' which depend, by way of "
        "other messages, on firings of '%s' that are later still",
        receiver, sender, receiver);
    diag_add_note(c->d, r, sched_actor_range(c, m->receiver), "'%s' receives it here", receiver);
    diag_add_note(c->d, r, (src_range){0, 0, 0}, "a greater latency lets '%s' go ahead", receiver);
}

// A sender of upstream messages has fired so often that its receiver may have fired as often as it has, and may complete
// every steady state: what it still sends comes in time. True if a count was raised.
static bool raise_senders(initialiser *in)
{
    scheduler *c = in->c;
    bool raised = false;
    for (size_t i = 0; i < c->s->messages.len; i++) {
        const sched_message *m = &c->s->messages.data[i];
        if (in->sdep[i] == NULL)
            continue;
        int64_t *fired = &in->init[m->sender];
        while (!sched_message_keeps(in->sdep[i], *fired, in->init[m->receiver], m->latency)) {
            ++*fired;
            raised = true;
            if (++in->updates > SCHED_MAX_BURSTS || level_of(in, m->sender) > in->greatest) {
                report_circle(in, m);
                in->failed = true;
                return false;
            }
        }
        mark(in, m->sender);
        int32_t cycle = c->s->cycle[m->sender];
        if (cycle >= 0 && level_of(in, m->sender) > in->base[cycle])
            in->base[cycle] = level_of(in, m->sender);
    }
    return raised;
}

bool sched_least_init(scheduler *c)
{
    const sched_table *t = c->table;
    initialiser in = {.c = c, .t = t, .init = c->s->init};
    size_t words = t->actors / 64 + 1;
    in.dirty = ARENA_ARRAY(c->arena, uint64_t, words);
    in.base = ARENA_ARRAY(c->arena, int64_t, (size_t)c->s->cycle_count + 1);
    in.spread = ARENA_ARRAY(c->arena, int64_t, (size_t)c->s->cycle_count + 1);
    bound_cycles(&in);
    for (uint32_t i = 0; i < t->actors; i++) {
        int64_t least = c->m->actors.data[i]->least;
        in.init[i] = least > t->has_prework[i] ? least : t->has_prework[i];
        mark(&in, i);
        int64_t level = in.init[i] == 0 ? 0 : least > 1 ? level_of(&in, i) : 1;
        if (c->s->cycle[i] >= 0 && in.base[c->s->cycle[i]] < level)
            in.base[c->s->cycle[i]] = level;
    }
    if (!settle(&in, words))
        return false;
    if (c->s->messages.len == 0)
        return true;
    bound_senders(&in);
    while (raise_senders(&in))
        if (!settle(&in, words))
            return false;
    return !in.failed;
}
