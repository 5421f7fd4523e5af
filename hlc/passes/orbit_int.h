// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the files hlc/passes/orbit*.c share.
#ifndef SVMC_HLC_PASSES_ORBIT_INT_H
#define SVMC_HLC_PASSES_ORBIT_INT_H

#include "hlc/passes/pass.h"

// Items that a table of several rounds has, at most.
enum { ORBIT_ITEMS = 1024 };
// Items that a source pushes until it begins again, at most, in memories behind caches and in others.
enum { ORBIT_SOURCE = 4096, ORBIT_SOURCE_LOCAL = 256 };

// Writes the tables of a filter whose state only counts round several times one after the other, so that it comes round less
// often. The greatest number of rounds; 0: nothing was done.
int64_t orbit_repeat_tables(sir_module *m, sir_filter *f);
// What a source pushes comes round: after so many firings, and after so many items, which may be fewer than those push.
typedef struct orbit_round {
    int64_t firings, items;
} orbit_round;

// Makes a table of what a source pushes until its items come round, if the table has `most` items at most; it has as many
// rounds as `repeated` items fit. No firings: nothing was done. As long as steps are left, firings may go on for longer to find
// a round of items that is shorter than theirs; where sources took far more steps, fewer are followed.
orbit_round orbit_tabulate_source(sir_module *m, sir_filter *f, int64_t most, int64_t repeated, int64_t *steps);

#endif
