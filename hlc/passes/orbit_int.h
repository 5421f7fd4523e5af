// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the files hlc/passes/orbit*.c share.
#ifndef SVMC_HLC_PASSES_ORBIT_INT_H
#define SVMC_HLC_PASSES_ORBIT_INT_H

#include "hlc/passes/pass.h"

// Items that a table of several rounds has, at most.
enum { ORBIT_ITEMS = 1024 };

// Writes the tables of a filter whose state only counts round several times one after the other, so that it comes round less
// often. The greatest number of rounds; 0: nothing was done.
int64_t orbit_repeat_tables(sir_module *m, sir_filter *f);

#endif
