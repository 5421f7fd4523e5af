// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hlc/plan/thread_order.h"

#include <stdbool.h>

#include "hlc/plan/thresholds.h"

enum { NONE = -1 };

typedef struct state {
    const thread_order *o;
    bool *done;    // by node
    bool *ordered; // by half
    size_t issued; // lookups
    size_t left;   // halves
} state;

static bool ready(const state *s, const thread_half *h)
{
    for (unsigned i = 0; i < THREAD_HALF_NEEDS; i++)
        if (h->needs[i] != 0 && !s->done[h->needs[i]])
            return false;
    return true;
}

static bool suits(const thread_half *h, thread_half_kind kind)
{
    return h->kind == kind || h->kind == THREAD_EITHER;
}

// The first half of a kind that is ready, and is not the other one. Of those that only lookups need: for one before that number.
static int64_t first_ready(const state *s, thread_half_kind kind, int64_t other, size_t coordinates)
{
    for (size_t i = 0; i < s->o->count; i++) {
        const thread_half *h = &s->o->halves[i];
        bool wanted = h->needed == THREAD_NEEDED_BY_NONE || (size_t)h->needed < coordinates;
        if (!s->ordered[i] && (int64_t)i != other && wanted && suits(h, kind) && ready(s, h))
            return (int64_t)i;
    }
    return NONE;
}

static void finish(state *s, int64_t half)
{
    if (half == NONE)
        return;
    const thread_half *h = &s->o->halves[half];
    s->ordered[half] = true;
    s->left--;
    for (unsigned i = 0; i < THREAD_HALF_LANES; i++)
        s->done[h->value[i]] = true;
}

// A vector half and a scalar one, if there are two. A half that could be either is what its partner is not.
static bool order_both(state *s)
{
    int64_t vector = first_ready(s, THREAD_VECTOR, NONE, 0);
    int64_t scalar = first_ready(s, THREAD_SCALAR, vector, s->issued + THREAD_AHEAD);
    if (vector == NONE || scalar == NONE) {
        scalar = first_ready(s, THREAD_SCALAR, NONE, 0);
        vector = first_ready(s, THREAD_VECTOR, scalar, s->issued + THREAD_AHEAD);
    }
    if (vector == NONE || scalar == NONE)
        return false;
    finish(s, vector);
    finish(s, scalar);
    return true;
}

// A half, with a partner if there is one; those that lookups before a number need come first. False: there is none.
static bool order_one(state *s, size_t coordinates)
{
    int64_t best = NONE;
    for (size_t i = 0; i < s->o->count && best == NONE; i++)
        if (!s->ordered[i] && s->o->halves[i].needed != THREAD_NEEDED_BY_NONE &&
            (size_t)s->o->halves[i].needed < coordinates && ready(s, &s->o->halves[i]))
            best = (int64_t)i;
    for (size_t i = 0; i < s->o->count && best == NONE; i++)
        if (!s->ordered[i] && ready(s, &s->o->halves[i]))
            best = (int64_t)i;
    if (best == NONE)
        return false;
    thread_half_kind kind = s->o->halves[best].kind;
    int64_t partner = kind == THREAD_VECTOR ? NONE : first_ready(s, THREAD_VECTOR, best, s->issued + THREAD_AHEAD);
    if (partner == NONE && kind != THREAD_SCALAR)
        partner = first_ready(s, THREAD_SCALAR, best, s->issued + THREAD_AHEAD);
    finish(s, best);
    finish(s, partner);
    return true;
}

static bool can_issue(const state *s)
{
    if (s->issued == s->o->lookup_count)
        return false;
    uint32_t at = s->o->lookups[s->issued].at;
    for (size_t i = 0; i < s->o->count; i++) // such as the other coordinate
        if (!s->ordered[i] && s->o->halves[i].needed == (int64_t)s->issued)
            return false;
    return at == 0 || s->done[at];
}

// Halves that nothing but lookups needs know the first of these.
static void find_needed(const thread_order *o)
{
    int64_t *half = ARENA_ARRAY(o->arena, int64_t, o->nodes + 1); // of a node, plus 1
    uint32_t *work = ARENA_ARRAY(o->arena, uint32_t, o->count *THREAD_HALF_NEEDS + o->lookup_count + 1);
    bool *seen = ARENA_ARRAY(o->arena, bool, o->count + 1);
    for (size_t i = 0; i < o->count; i++)
        for (unsigned k = 0; k < THREAD_HALF_LANES; k++)
            half[o->halves[i].value[k]] = (int64_t)i + 1;
    half[0] = 0;
    for (size_t l = 0; l < o->lookup_count; l++) {
        size_t left = 0;
        work[left++] = o->lookups[l].at;
        while (left > 0) {
            int64_t i = half[work[--left]] - 1;
            if (i == NONE || seen[i] || o->halves[i].needed == THREAD_NEEDED_BY_NONE)
                continue;
            seen[i] = true;
            o->halves[i].needed = (int64_t)l;
            for (unsigned k = 0; k < THREAD_HALF_NEEDS; k++)
                work[left++] = o->halves[i].needs[k];
        }
    }
}

int64_t thread_order_instructions(const thread_order *o)
{
    enum { MOST_HALVES = 4096 }; // more than any program has
    state s = {.o = o, .left = o->count};
    int64_t instructions = 0;
    if (o->count > MOST_HALVES)
        return (int64_t)o->count / 2;
    s.done = ARENA_ARRAY(o->arena, bool, o->nodes + 1);
    s.ordered = ARENA_ARRAY(o->arena, bool, o->count + 1);
    find_needed(o);
    while (s.left > 0 || s.issued < o->lookup_count) {
        if (order_both(&s)) {
            instructions++;
        } else if (can_issue(&s)) {
            s.done[o->lookups[s.issued++].value] = true;
        } else if (order_one(&s, s.issued + 1)) {
            instructions++;
        } else { // lanes of a half need each other: they are split
            return instructions + (int64_t)s.left;
        }
    }
    return instructions;
}
