// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Balance equations: for every channel, firings of the producer times its push rate equal firings of the consumer times
// its pop rate. The least positive integer solution of each connected part is its repetition vector.
//
// NOTE(zero). A channel with a rate of 0 at both ends says nothing. Where only the producer's rate is 0, the consumer
// can fire in no steady state, and with it nothing that balances against it; where only the consumer's is 0, items
// would pile up for ever. Only channels with both rates positive connect.
#include "hlc/schedule/schedule_int.h"

typedef struct ratio {
    int64_t num, den; // coprime; den 0: not yet known
} ratio;

// A set of actors from which the first is taken.
typedef struct actor_set {
    uint64_t *bits;
    size_t first; // no member is in a word before this
} actor_set;

typedef struct balancer {
    scheduler *c;
    const sched_table *t;
    ratio *rate;         // per actor, relative to the first of its part
    uint32_t *parent;    // per actor: the actor it got its rate from
    uint32_t *part;      // per actor
    VEC(uint32_t) order; // actors, part by part
    actor_set down, up;  // actors with a rate whose outputs, or inputs, have not been followed
    uint32_t *starved;   // per part: a channel that keeps it from firing, or SIR_NONE
    uint32_t parts;
} balancer;

// r * mul / div in lowest terms; false when it is too large.
static bool ratio_scale(ratio r, int64_t mul, int64_t div, ratio *result)
{
    int64_t g = sched_gcd(mul, div);
    mul /= g;
    div /= g;
    int64_t g1 = sched_gcd(r.num, div), g2 = sched_gcd(mul, r.den);
    return sched_mul(r.num / g1, mul / g2, &result->num) && sched_mul(r.den / g2, div / g1, &result->den);
}

static bool ratio_equal(ratio a, ratio b)
{
    return a.num == b.num && a.den == b.den;
}

static void set_add(actor_set *s, uint32_t a)
{
    s->bits[a / 64] |= UINT64_C(1) << (a % 64);
    if (a / 64 < s->first)
        s->first = a / 64;
}

static bool set_take(actor_set *s, size_t words, uint32_t *a)
{
    while (s->first < words && s->bits[s->first] == 0)
        s->first++;
    if (s->first == words)
        return false;
    *a = (uint32_t)(s->first * 64) + (uint32_t)__builtin_ctzll(s->bits[s->first]);
    s->bits[s->first] &= s->bits[s->first] - 1;
    return true;
}

static const char *ratio_text(arena *a, ratio r)
{
    if (r.den != 1)
        return arena_printf(a, "%lld/%lld times", (long long)r.num, (long long)r.den);
    return r.num == 1 ? "once" : arena_printf(a, "%lld times", (long long)r.num);
}

static const char *items(arena *a, int64_t n)
{
    return arena_printf(a, "%lld item%s", (long long)n, n == 1 ? "" : "s");
}

static const char *name_of(const balancer *b, uint32_t actor)
{
    return b->c->m->actors.data[actor]->name;
}

// The actor at which the ways of the two to the first actor of their part meet.
static uint32_t fork_of(const balancer *b, uint32_t x, uint32_t y)
{
    bool *on_way = ARENA_ARRAY(b->c->arena, bool, b->t->actors);
    for (uint32_t i = x; i != SIR_NONE; i = b->parent[i])
        on_way[i] = true;
    while (y != SIR_NONE && !on_way[y])
        y = b->parent[y];
    return y;
}

static void note_ends(const balancer *b, diag_record *r, const sched_port *from, const sched_port *to)
{
    diag_engine *d = b->c->d;
    diag_add_note(d, r, sched_rate_range(b->c, from->actor, true), "'%s' pushes %s a firing on this channel",
                  name_of(b, from->actor), items(b->c->arena, from->push));
    diag_add_note(d, r, sched_rate_range(b->c, to->actor, false), "'%s' pops %s a firing from it",
                  name_of(b, to->actor), items(b->c->arena, to->pop));
}

// The channel gives its consumer another rate than the rest of the graph does.
static void report_conflict(const balancer *b, const sched_port *from, const sched_port *to)
{
    scheduler *c = b->c;
    const char *p = name_of(b, from->actor), *q = name_of(b, to->actor);
    src_range range = sched_actor_range(c, to->actor);
    uint32_t fork = fork_of(b, from->actor, to->actor);
    bool loop = fork == from->actor || fork == to->actor;
    diag_record *r = diag_error(
        c->d, range,
        "rates do not balance: '%s' pushes %s a firing and '%s' pops %s a firing, but two paths %s '%s' %s '%s' "
        "produce different rates",
        p, items(c->arena, from->push), q, items(c->arena, to->pop), loop ? "between" : "from",
        loop ? p : name_of(b, fork), loop ? "and" : "to", q);
    diag_add_range(c->d, r, sched_actor_range(c, from->actor));
    note_ends(b, r, from, to);
    ratio here = {1, 1}, there, from_rate = b->rate[from->actor];
    if (ratio_scale(here, from->push, to->pop, &here) &&
        ratio_scale(b->rate[to->actor], from_rate.den, from_rate.num, &there))
        diag_add_note(c->d, r, range, "for each firing of '%s', '%s' has to fire %s on this path and %s on the other",
                      p, q, ratio_text(c->arena, here), ratio_text(c->arena, there));
}

static void set_rate(balancer *b, uint32_t a, ratio r, uint32_t parent)
{
    b->rate[a] = r;
    b->parent[a] = parent;
    b->part[a] = b->parts;
    VEC_PUSH(b->c->arena, &b->order, a);
    set_add(&b->down, a);
    set_add(&b->up, a);
}

// One step of the search: the channel between an actor with a known rate and another. False when that is an error.
static bool follow(balancer *b, uint32_t channel, bool down)
{
    const sched_port *from = sched_producer(b->t, channel), *to = sched_consumer(b->t, channel);
    if (from->push == 0 || to->pop == 0)
        return true;
    uint32_t near = down ? from->actor : to->actor, far = down ? to->actor : from->actor;
    ratio r;
    bool fits = ratio_scale(b->rate[near], down ? from->push : to->pop, down ? to->pop : from->push, &r);
    if (b->rate[far].den == 0) {
        if (fits)
            set_rate(b, far, r, near);
        else
            sched_too_large(b->c, far);
        return fits;
    }
    if (fits && ratio_equal(r, b->rate[far]))
        return true;
    report_conflict(b, from, to);
    return false;
}

// Gives every actor of one part its rate relative to the first. Goes downstream while it can, and the first in
// canonical order first, so that paths with different rates are found where they join.
static bool search(balancer *b, uint32_t first)
{
    size_t words = b->t->actors / 64 + 1;
    uint32_t a;
    set_rate(b, first, (ratio){1, 1}, SIR_NONE);
    for (;;) {
        if (set_take(&b->down, words, &a)) {
            for (uint32_t i = b->t->out_start[a]; i < b->t->out_start[a + 1]; i++)
                if (!follow(b, b->t->outs[i].channel, true))
                    return false;
        } else if (set_take(&b->up, words, &a)) {
            for (uint32_t i = b->t->in_start[a]; i < b->t->in_start[a + 1]; i++)
                if (!follow(b, b->t->ins[i].channel, false))
                    return false;
        } else {
            return true;
        }
    }
}

// The least integers in the ratios found. (Their greatest common divisor is 1: every prime power of the common
// denominator is all of some actor's denominator.)
static bool make_integers(balancer *b, size_t begin)
{
    int64_t common = 1;
    for (size_t i = begin; i < b->order.len; i++) {
        int64_t den = b->rate[b->order.data[i]].den;
        if (!sched_mul(common / sched_gcd(common, den), den, &common)) {
            sched_too_large(b->c, b->order.data[i]);
            return false;
        }
    }
    for (size_t i = begin; i < b->order.len; i++) {
        uint32_t a = b->order.data[i];
        if (!sched_mul(b->rate[a].num, common / b->rate[a].den, &b->c->s->reps[a])) {
            sched_too_large(b->c, a);
            return false;
        }
    }
    return true;
}

static void report_one_sided(const balancer *b, const sched_port *from, const sched_port *to)
{
    scheduler *c = b->c;
    diag_record *r =
        diag_error(c->d, sched_actor_range(c, to->actor),
                   "rates do not balance: '%s' pushes %s a firing and '%s' pops %s a firing", name_of(b, from->actor),
                   items(c->arena, from->push), name_of(b, to->actor), items(c->arena, to->pop));
    diag_add_range(c->d, r, sched_actor_range(c, from->actor));
    note_ends(b, r, from, to);
}

// Channels with one rate of 0: see NOTE(zero). A part that cannot fire because nothing is pushed to it may push to a
// consumer that pops nothing.
static bool check_one_sided(balancer *b)
{
    bool ok = true;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < b->t->channels; i++) {
            const sched_port *from = sched_producer(b->t, i), *to = sched_consumer(b->t, i);
            bool inside = b->part[from->actor] == b->part[to->actor];
            uint32_t *starved = &b->starved[b->part[pass == 0 ? to->actor : from->actor]];
            if ((from->push == 0) == (to->pop == 0) || (from->push == 0) != (pass == 0))
                continue;
            if (pass == 0 ? inside : *starved == SIR_NONE) {
                report_one_sided(b, from, to);
                ok = false;
            }
            if (*starved == SIR_NONE)
                *starved = i;
        }
    }
    return ok;
}

static bool count_items(scheduler *c)
{
    for (uint32_t i = 0; i < c->table->channels; i++) {
        const sched_port *from = sched_producer(c->table, i);
        if (!sched_mul(c->s->reps[from->actor], from->push, &c->s->channels[i].steady)) {
            sched_too_large(c, from->actor);
            return false;
        }
    }
    return true;
}

bool sched_balance(scheduler *c)
{
    size_t n = c->table->actors;
    balancer b = {.c = c, .t = c->table};
    b.rate = ARENA_ARRAY(c->arena, ratio, n);
    b.parent = ARENA_ARRAY(c->arena, uint32_t, n);
    b.part = ARENA_ARRAY(c->arena, uint32_t, n);
    b.starved = ARENA_ARRAY(c->arena, uint32_t, n);
    b.down.bits = ARENA_ARRAY(c->arena, uint64_t, n / 64 + 1);
    b.up.bits = ARENA_ARRAY(c->arena, uint64_t, n / 64 + 1);
    bool ok = true;
    for (uint32_t i = 0; i < n; i++)
        b.parent[i] = b.starved[i] = SIR_NONE;
    for (uint32_t i = 0; i < n && ok; i++) {
        if (b.rate[i].den != 0)
            continue;
        size_t begin = b.order.len;
        ok = search(&b, i) && make_integers(&b, begin);
        b.parts++;
    }
    if (!ok || !check_one_sided(&b))
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (b.starved[b.part[i]] != SIR_NONE)
            c->s->reps[i] = 0;
    return count_items(c);
}
