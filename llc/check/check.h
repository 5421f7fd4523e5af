// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The conformance checker for SVM C: what svm-llc refuses, and what can be seen to be wrong, or unlikely to be meant,
// without running the program; then, if wanted, by running it.
#ifndef SVMC_LLC_CHECK_CHECK_H
#define SVMC_LLC_CHECK_CHECK_H

#include "llc/backend.h"
#include "llc/llc.h"

typedef struct check_run {
    const char *target;    // backend that the program is compiled for
    llc_strings arguments; // of the program
    const char *input;     // its standard input; NULL: none
    double seconds;        // time limit
    uint64_t orders;       // it runs so often again, under the adversary (docs/adversary.md)
} check_run;

// Checks the inputs of options that are SVM C, with findings in d. Others (C files without SVM_MACHINE, objects,
// archives) may stand beside them for check_by_running. False after errors.
bool check_files(arena *a, diag_engine *d, const llc_options *options, const llc_environment *environment);
// Compiles options' inputs and runs the program; the runtime's errors become errors in d. False after errors; *status
// is then the exit code of a tool that failed, or 0.
bool check_by_running(arena *a, diag_engine *d, const llc_options *options, const llc_environment *environment,
                      const check_run *run, int *status);

// How far blocks reach into a memory, and where the block that reaches farthest is set up.
typedef struct check_extent {
    const machine_memory *memory;
    uint64_t end;
    src_range at;
} check_extent;
// A kernel's function, and a processor that runs it.
typedef struct check_placement {
    const char *function;
    const machine_processor *processor;
} check_placement;
// What is set up before the program's first steady state, as far as its control code can be followed.
typedef struct check_layout {
    VEC(check_extent) extents;
    VEC(check_placement) placements;
} check_layout;
// Nothing is reported.
void check_set_up(llc_session *s, llc_unit *unit, check_layout *out);

#endif
