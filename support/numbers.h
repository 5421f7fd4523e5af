// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whole numbers that are not negative, as counts and bytes are; and floats.
#ifndef SVMC_SUPPORT_NUMBERS_H
#define SVMC_SUPPORT_NUMBERS_H

#include <stdint.h>

static inline int64_t number_max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static inline int64_t number_min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t number_divide_up(int64_t a, int64_t by)
{
    return a / by + (a % by != 0);
}

// The least multiple of `unit` that is not less; of 0 and 1 the number itself.
static inline uint64_t number_round_up(uint64_t n, uint64_t unit)
{
    return unit < 2 ? n : (n + unit - 1) / unit * unit;
}

// The ints up to here, and below zero likewise, are floats.
enum { NUMBER_FLOAT_INTS = 1 << 24 };

// The float next to x. Volatile: where two lie side by side gcc 12 leaves out the way there and back (its vectors of two doubles,
// at -O2), and 2147483647 stays what it is.
static inline double number_as_float(double x)
{
    volatile float nearest = (float)x;
    return (double)nearest;
}

#endif
