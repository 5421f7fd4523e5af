// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the items of a port lie in a buffer: item j is at position offset + sum(digit_i(j) * stride_i), j written in
// the mixed radix of the digits, least significant first. The items that a round-robin splitter of weights 4, 12 sends
// to its second output are "4 + 12:1 *:16": twelve at a stride of 1, then sixteen further.
//
// NOTE(carries). Composition is exact only where no sum of digits carries into the next level; view_compose and
// view_windows prove that by adding up the greatest digit that each part can contribute at every level, and give up
// otherwise. What they accept is right for every item.
#ifndef SVMC_HLC_PLAN_LAYOUT_H
#define SVMC_HLC_PLAN_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "support/arena.h"
#include "support/vec.h"

typedef struct plan_digit {
    int64_t radix; // 0: unbounded, in the last digit of a whole view only
    int64_t stride;
} plan_digit;
typedef VEC(plan_digit) plan_digits;

typedef struct plan_view {
    int64_t offset;
    plan_digits digits;
} plan_view;

// Bounds of the numbers in a view, so that no sum or product here overflows. Views from plan text are checked against
// them.
#define PLAN_MAX_DIGITS 48
#define PLAN_MAX_NUMBER (INT64_C(1) << 40)

plan_view view_identity(arena *a, int64_t offset); // item j at offset + j
// weight items at a time, at a distance of total, from position first on.
plan_view view_blocks(arena *a, int64_t first, int64_t weight, int64_t total);
// Item j of the result is item inner(j) of outer. False when that is not a view (or numbers leave the bounds).
bool view_compose(arena *a, const plan_view *outer, const plan_view *inner, plan_view *result);
// Firing f starts at item first + f * step and touches `window` items from there on: item k of it is at
// view_at(first) + firing(f) + items(k) for every f and k. False when that does not hold. items is bounded by the
// window (no unbounded digit).
bool view_windows(arena *a, const plan_view *v, int64_t first, int64_t window, int64_t step, plan_digits *items,
                  plan_digits *firing);

// Digits one after the other: low (bounded), middle, high. False when they leave the bounds.
bool view_join(arena *a, int64_t offset, const plan_digits *low, plan_digit middle, const plan_digits *high,
               plan_view *result);

// The view that leads back, where v leads to each position once: item view_at(v, j) of the result is at j. False: it does not.
bool view_inverse(arena *a, const plan_view *v, plan_view *result);

int64_t view_at(const plan_view *v, int64_t item);
int64_t view_end(const plan_view *v,
                 int64_t count);             // 1 + the greatest position of the first count items; 0 if count is 0
int64_t digits_period(const plan_digits *d); // product of the bounded radices
int64_t digits_at(const plan_digits *d, int64_t index);
// Whether the first count items lie below PLAN_MAX_NUMBER; needs bounded digits only.
bool view_in_bounds(const plan_view *v, int64_t count);
bool view_equal(const plan_view *a, const plan_view *b);
bool digits_equal(const plan_digits *a, const plan_digits *b);
bool view_contiguous(const plan_view *v); // one digit of stride 1
// Both in the same radices, so that one loop nest walks both; false when they have no common refinement.
bool digits_refine(arena *a, const plan_digits *x, const plan_digits *y, plan_digits *rx, plan_digits *ry);

#endif
