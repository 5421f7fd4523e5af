// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measured times of kernels, as ./prog --profile=FILE writes them, in place of estimates.
#ifndef SVMC_HLC_PLAN_PROFILE_H
#define SVMC_HLC_PLAN_PROFILE_H

#include "hlc/ir/sir.h"

struct hlc_program;
typedef struct plan_profile plan_profile;

// Reads --profile-use=FILE. NULL after an error.
plan_profile *plan_profile_read(arena *a, diag_engine *d, const char *path);
// Operations of one firing of each actor of a module (the program's, or one cut from it, whose actors have the same
// names): estimates, or what was measured, in cycles of the machine's kernel processors. Estimates of actors that were
// not measured are scaled as those that were in the mean.
double *plan_costs(struct hlc_program *p, const sir_module *m);

#endif
