// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass 'fourier', between its files.
#ifndef SVMC_HLC_PASSES_FOURIER_INT_H
#define SVMC_HLC_PASSES_FOURIER_INT_H

#include "hlc/ir/sir.h"

// Points of a transform: powers of two.
enum { FOURIER_LEAST = 8, FOURIER_MOST = 8192 };

// A transform: point k is scale * the sum over j of x[j] * exp(sign * 2 pi i j k / points), real and imaginary parts in
// turn. Of real numbers the other half is the first one turned round, so that half of them, or one more, may be all.
typedef struct fourier_form {
    int64_t points, kept; // the first points that are kept: all, or of real numbers half, or one more
    bool real; // x are real numbers, a single item each
    int sign;
    double scale;
} fourier_form;

// Numbers that it takes, two of a complex item.
static inline int64_t fourier_taken(const fourier_form *f)
{
    return f->real ? f->points : 2 * f->points;
}

// ---- fourier_filter.c ----
// A filter that does one a firing, which the module has then. Items are numbers, float or double, or complex.
sir_filter *fourier_filter(sir_module *m, const fourier_form *f, const sir_type *input, const sir_type *output,
                           const char *name, const char *source, sir_loc loc);
// Operations that it takes, as linear_probe counts them, and its tables' and arrays' bytes.
double fourier_cost(const fourier_form *f);
int64_t fourier_bytes(const fourier_form *f, const sir_type *item);

#endif
