// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finite filters one firing at a time: what gives and takes elements stands around it (runtime/interpret).
#ifndef SVMC_HLC_INTERP_FINITE_H
#define SVMC_HLC_INTERP_FINITE_H

#include "hlc/ir/sir.h"

typedef struct interp_finite interp_finite;

// NULL after an error, which d has: no filter of that name, or it cannot be interpreted. Both live as long as the arena.
interp_finite *interp_finite_new(arena *a, diag_engine *d, const sir_module *m, const char *filter);
const sir_filter *interp_finite_filter(const interp_finite *f);

// Elements as streams have them: scalars one after the other without gaps. Gives what is behind the element.
const unsigned char *interp_finite_set(interp_finite *f, uint32_t field, const unsigned char *element);
unsigned char *interp_finite_get(const interp_finite *f, uint32_t field, unsigned char *element);
// The elements of a gathered stream, without gaps; extents of the slowest dimension first. They are copied.
void interp_finite_gather(interp_finite *f, uint32_t field, const unsigned char *elements, const int64_t *extents);

// One firing; false after an error, which d has.
bool interp_finite_fire(interp_finite *f);

// What was pushed since the last call of this: how many items, and their elements.
size_t interp_finite_pushed(const interp_finite *f);
void interp_finite_take(interp_finite *f, unsigned char *elements);

#endif
