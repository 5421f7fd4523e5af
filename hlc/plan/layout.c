// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The algebra of views.
#include "hlc/plan/layout.h"

// Levels of the outer view while another is composed with it: position B_m of level m, and how much of its radix is
// taken.
typedef struct levels {
    const plan_digits *digits;
    int64_t base[PLAN_MAX_DIGITS + 1]; // B_m
    int64_t used[PLAN_MAX_DIGITS + 1];
} levels;

static bool in_bounds(int64_t v)
{
    return v >= 0 && v <= PLAN_MAX_NUMBER;
}

// Adds a digit, joining it to the one before where they are one digit. False past the bounds.
static bool add_digit(arena *a, plan_digits *d, int64_t radix, int64_t stride)
{
    if (radix == 1)
        return true;
    if (!in_bounds(radix) || !in_bounds(stride))
        return false;
    if (d->len != 0) {
        plan_digit *last = &VEC_LAST(d);
        if (last->radix != 0 && last->radix * last->stride == stride &&
            (radix == 0 || last->radix <= PLAN_MAX_NUMBER / radix)) {
            last->radix = radix == 0 ? 0 : last->radix * radix;
            return true;
        }
    }
    if (d->len == PLAN_MAX_DIGITS)
        return false;
    VEC_PUSH(a, d, (plan_digit){radix, stride});
    return true;
}

plan_view view_identity(arena *a, int64_t offset)
{
    plan_view v = {.offset = offset};
    VEC_PUSH(a, &v.digits, (plan_digit){0, 1});
    return v;
}

plan_view view_blocks(arena *a, int64_t first, int64_t weight, int64_t total)
{
    plan_view v = {.offset = first};
    add_digit(a, &v.digits, weight, 1);
    add_digit(a, &v.digits, 0, total);
    return v;
}

static bool levels_init(levels *l, const plan_digits *digits, int64_t start)
{
    l->digits = digits;
    int64_t base = 1;
    for (size_t m = 0; m < digits->len; m++) {
        int64_t radix = digits->data[m].radix;
        l->base[m] = base;
        l->used[m] = radix == 0 ? start / base : start / base % radix;
        if (radix != 0 && base > PLAN_MAX_NUMBER / radix)
            return false;
        base *= radix == 0 ? 1 : radix;
    }
    return in_bounds(start);
}

// Passes one digit of the inner view through the levels, splitting it at their borders.
static bool levels_pass(levels *l, arena *a, plan_digit d, plan_digits *result)
{
    size_t last = l->digits->len - 1;
    if (d.stride == 0)
        return add_digit(a, result, d.radix, 0);
    while (d.radix != 1) {
        size_t m = last;
        while (d.stride % l->base[m] != 0)
            m--;
        int64_t unit = d.stride / l->base[m], radix = l->digits->data[m].radix, stride = l->digits->data[m].stride;
        if (stride != 0 && unit > PLAN_MAX_NUMBER / stride)
            return false;
        if (radix == 0)
            return add_digit(a, result, d.radix, unit * stride);
        if (d.radix != 0 && (d.radix - 1) <= (radix - 1) / unit) { // fits below the border
            l->used[m] += (d.radix - 1) * unit;
            return add_digit(a, result, d.radix, unit * stride);
        }
        if (m == last || radix % unit != 0)
            return false;
        int64_t part = radix / unit;
        if (d.radix != 0 && d.radix % part != 0)
            return false;
        l->used[m] += (part - 1) * unit;
        if (!add_digit(a, result, part, unit * stride))
            return false;
        d.radix = d.radix == 0 ? 0 : d.radix / part;
        d.stride = l->base[m + 1];
    }
    return true;
}

static bool levels_carry(const levels *l)
{
    for (size_t m = 0; m < l->digits->len; m++)
        if (l->digits->data[m].radix != 0 && l->used[m] >= l->digits->data[m].radix)
            return true;
    return false;
}

bool view_compose(arena *a, const plan_view *outer, const plan_view *inner, plan_view *result)
{
    levels l;
    *result = (plan_view){.offset = outer->offset + digits_at(&outer->digits, inner->offset)};
    if (!in_bounds(result->offset) || !levels_init(&l, &outer->digits, inner->offset))
        return false;
    for (size_t i = 0; i < inner->digits.len; i++)
        if (!levels_pass(&l, a, inner->digits.data[i], &result->digits))
            return false;
    return !levels_carry(&l);
}

bool view_windows(arena *a, const plan_view *v, int64_t first, int64_t window, int64_t step, plan_digits *items,
                  plan_digits *firing)
{
    levels l;
    *items = (plan_digits){0};
    *firing = (plan_digits){0};
    if (!in_bounds(window) || !in_bounds(step) || !levels_init(&l, &v->digits, first))
        return false;
    if (window > 1 && !levels_pass(&l, a, (plan_digit){window, 1}, items))
        return false;
    return levels_pass(&l, a, (plan_digit){0, step}, firing) && !levels_carry(&l);
}

bool view_join(arena *a, int64_t offset, const plan_digits *low, plan_digit middle, const plan_digits *high,
               plan_view *result)
{
    *result = (plan_view){.offset = offset};
    for (VEC_EACH(plan_digit, d, low))
        if (!add_digit(a, &result->digits, d->radix, d->stride))
            return false;
    if (!add_digit(a, &result->digits, middle.radix, middle.stride))
        return false;
    for (VEC_EACH(plan_digit, d, high))
        if (!add_digit(a, &result->digits, d->radix, d->stride))
            return false;
    return true;
}

// The digit with the least stride of at least `least`; the number of digits: none.
static size_t next_stride(const plan_digits *d, int64_t least)
{
    size_t next = d->len;
    for (size_t i = 0; i < d->len; i++)
        if (d->data[i].stride >= least && (next == d->len || d->data[i].stride < d->data[next].stride))
            next = i;
    return next;
}

bool view_inverse(arena *a, const plan_view *v, plan_view *result)
{
    int64_t position = 1;
    *result = (plan_view){0};
    for (size_t n = 0; n < v->digits.len; n++) {
        size_t next = next_stride(&v->digits, position);
        if (next == v->digits.len || v->digits.data[next].stride != position)
            return false;
        int64_t radix = v->digits.data[next].radix, item = 1;
        if ((radix == 0) != (n + 1 == v->digits.len))
            return false;
        for (size_t i = 0; i < next; i++)
            item *= v->digits.data[i].radix;
        if (!add_digit(a, &result->digits, radix, item))
            return false;
        position *= radix;
    }
    return v->offset == 0 && v->digits.len != 0;
}

int64_t digits_at(const plan_digits *d, int64_t index)
{
    int64_t position = 0;
    for (size_t i = 0; i < d->len; i++) {
        int64_t radix = d->data[i].radix;
        position += (radix == 0 ? index : index % radix) * d->data[i].stride;
        index = radix == 0 ? 0 : index / radix;
    }
    return position;
}

int64_t view_at(const plan_view *v, int64_t item)
{
    return v->offset + digits_at(&v->digits, item);
}

// The greatest sum over indices 0..last: at some level the digit stays below that of `last` and all lower ones are
// free.
int64_t view_end(const plan_view *v, int64_t count)
{
    if (count == 0)
        return 0;
    int64_t last = count - 1, best = 0, free_below = 0;
    for (size_t i = 0; i < v->digits.len; i++) {
        int64_t radix = v->digits.data[i].radix, stride = v->digits.data[i].stride;
        int64_t digit = radix == 0 ? last : last % radix;
        if (digit > 0 && free_below + (digit - 1) * stride > best + digit * stride)
            best = free_below + (digit - 1) * stride;
        else
            best += digit * stride;
        free_below += (radix - 1) * stride;
        last = radix == 0 ? 0 : last / radix;
    }
    return v->offset + best + 1;
}

bool view_in_bounds(const plan_view *v, int64_t count)
{
    int64_t last = count - 1, sum = v->offset;
    for (size_t i = 0; i < v->digits.len && last > 0; i++) {
        int64_t radix = v->digits.data[i].radix, digit = radix == 0 || last < radix ? last : radix - 1, part;
        if (__builtin_mul_overflow(digit, v->digits.data[i].stride, &part) || __builtin_add_overflow(sum, part, &sum))
            return false;
        last = radix == 0 ? 0 : last / radix;
    }
    return in_bounds(sum);
}

int64_t digits_period(const plan_digits *d)
{
    int64_t period = 1;
    for (size_t i = 0; i < d->len; i++)
        if (d->data[i].radix != 0)
            period *= d->data[i].radix;
    return period;
}

bool digits_equal(const plan_digits *a, const plan_digits *b)
{
    if (a->len != b->len)
        return false;
    for (size_t i = 0; i < a->len; i++)
        if (a->data[i].radix != b->data[i].radix || a->data[i].stride != b->data[i].stride)
            return false;
    return true;
}

bool view_equal(const plan_view *a, const plan_view *b)
{
    return a->offset == b->offset && digits_equal(&a->digits, &b->digits);
}

bool view_contiguous(const plan_view *v)
{
    return v->digits.len == 1 && v->digits.data[0].radix == 0 && v->digits.data[0].stride == 1;
}

bool digits_refine(arena *a, const plan_digits *x, const plan_digits *y, plan_digits *rx, plan_digits *ry)
{
    *rx = *ry = (plan_digits){0};
    plan_digit dx = {0, 0}, dy = {0, 0};
    size_t ix = 0, iy = 0;
    bool have_x = false, have_y = false;
    for (;;) {
        if (!have_x)
            dx = ix < x->len ? x->data[ix++] : (plan_digit){0, 0}, have_x = true;
        if (!have_y)
            dy = iy < y->len ? y->data[iy++] : (plan_digit){0, 0}, have_y = true;
        int64_t r = dx.radix == 0 ? dy.radix : dy.radix == 0 || dx.radix < dy.radix ? dx.radix : dy.radix;
        VEC_PUSH(a, rx, (plan_digit){r, dx.stride});
        VEC_PUSH(a, ry, (plan_digit){r, dy.stride});
        if (r == 0)
            return true;
        if ((dx.radix != 0 && dx.radix % r != 0) || (dy.radix != 0 && dy.radix % r != 0))
            return false;
        have_x = dx.radix != r;
        have_y = dy.radix != r;
        dx = (plan_digit){dx.radix / r, dx.stride * r};
        dy = (plan_digit){dy.radix / r, dy.stride * r};
    }
}
