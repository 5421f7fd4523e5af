// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which loops a walk is written as, and whether these go through all that they should.
//
// NOTE(loops). A walk's nest goes through rounds of firings in any order that suits memory, so it is right for whole rounds
// only. Where counts may leave some of a round over (`tail`) they come last, one by one in the order of firings. Where they may
// not, the nest's digits may be joined, and have shorter rounds of their own: what firings side by side leave over is then
// the nest's, in its order. A walk of one digit is one loop.
#include <stdlib.h>
#include <string.h>

#include "hlc/emit/program_int.h"

size_t program_walk_loops(const program_walk *w, int lanes, program_loop loops[WALK_LOOPS])
{
    size_t n = 0;
    program_mark from = lanes > 0 ? WALK_WHOLE : WALK_BEGIN;
    if (lanes > 0)
        loops[n++] = (program_loop){.from = WALK_BEGIN, .lanes = lanes};
    if (w->general || w->in.len == 1 || (lanes > 0 && w->tail)) {
        loops[n++] = (program_loop){.plain = true, .from = from};
        return n;
    }
    loops[n++] = (program_loop){.from = from, .lanes = 1};
    if (w->tail)
        loops[n++] = (program_loop){.plain = true, .from = WALK_ROUNDS};
    return n;
}

const plan_digits *program_walk_in(const program_walk *w)
{
    return w->general || w->tail ? &w->in_order : &w->in;
}

const plan_digits *program_walk_out(const program_walk *w)
{
    return w->general || w->tail ? &w->out_order : &w->out;
}

// ---- What loops go through ----

enum { MOST_PLACES = 50000, ROUNDS_TRIED = 3 };

typedef struct place {
    int64_t in, out;
} place;
typedef VEC(place) places;

static void go_plain(arena *a, const program_walk *w, int64_t from, int64_t count, places *got)
{
    for (int64_t i = from; i < count; i++)
        VEC_PUSH(a, got, (place){digits_at(program_walk_in(w), i), digits_at(program_walk_out(w), i)});
}

// One place of the nest: the digit without a bound is `unbounded`, the others are those of `round`.
static place place_in_nest(const program_walk *w, int64_t unbounded, int64_t round)
{
    place p = {0};
    for (size_t i = 0; i < w->in.len; i++) {
        int64_t radix = w->in.data[i].radix, digit = radix == 0 ? unbounded : round % radix;
        p.in += digit * w->in.data[i].stride;
        p.out += digit * w->out.data[i].stride;
        round /= radix == 0 ? 1 : radix;
    }
    return p;
}

static void go_nest(arena *a, const program_walk *w, int64_t from, int64_t to, int lanes, places *got)
{
    int64_t period = digits_period(&w->in);
    for (int64_t u = from; u < to; u += lanes)
        for (int64_t round = 0; round < period; round++)
            for (int lane = 0; lane < lanes; lane++)
                VEC_PUSH(a, got, place_in_nest(w, u + lane, round));
}

static int by_place(const void *x, const void *y)
{
    const place *a = x, *b = y;
    if (a->in != b->in)
        return a->in < b->in ? -1 : 1;
    return (a->out > b->out) - (a->out < b->out);
}

static bool is_exact(arena *a, const program_walk *w, int lanes, bool free, int64_t count)
{
    program_loop loops[WALK_LOOPS];
    size_t n = program_walk_loops(w, lanes, loops);
    places got = {0}, wanted = {0};
    int64_t period = digits_period(&w->in), rounds = count / period;
    int64_t whole = lanes > 0 ? count / (period * lanes) * lanes : 0;
    for (size_t i = 0; i < n; i++) {
        const program_loop *l = &loops[i];
        int64_t from = l->from == WALK_BEGIN ? 0 : l->from == WALK_WHOLE ? whole : rounds;
        if (l->plain)
            go_plain(a, w, from * period, count, &got);
        else
            go_nest(a, w, from, l->lanes > 1 ? whole : rounds, l->lanes, &got);
    }
    for (int64_t i = 0; i < count; i++)
        VEC_PUSH(a, &wanted, (place){digits_at(&w->in_order, i), digits_at(&w->out_order, i)});
    if (got.len != wanted.len)
        return false;
    if (free && count > 0) {
        qsort(got.data, got.len, sizeof *got.data, by_place);
        qsort(wanted.data, wanted.len, sizeof *wanted.data, by_place);
    }
    return count == 0 || memcmp(got.data, wanted.data, got.len * sizeof *got.data) == 0;
}

bool program_walk_is_exact(const program_walk *w, int lanes, bool free)
{
    int64_t round = digits_period(&w->in_order), rest = w->tail ? round - 1 : 0, tried = 0;
    bool exact = true;
    for (int64_t k = 1; k <= ROUNDS_TRIED + lanes && exact; k++) {
        int64_t count = k * round + rest;
        tried += count;
        if (tried > MOST_PLACES)
            break;
        arena *a = arena_create();
        exact = is_exact(a, w, lanes, free, count);
        arena_destroy(a);
    }
    return exact;
}
