// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// svm-sim --compare: the program runs on this computer too, and is measured.
#ifndef SVMC_DRIVER_COMPARE_H
#define SVMC_DRIVER_COMPARE_H

#include <stdbool.h>

#include "driver/process.h"
#include "driver/tool.h"

typedef struct compare_run {
    const char *profile, *timeline; // files that the run wrote; NULL: none
} compare_run;

// Runs the executable `native` with the arguments in argv behind its first. What it prints is printed by the simulated run, and so
// is what it reads read again, if that can be. The exit code.
int compare_measure(process_session *s, const char *native, const char *const *argv, bool timeline, compare_run *run);
// The timeline at `path` gets the rows of the measured one. False after an error.
bool compare_join_timelines(tool_session *t, const char *path, const char *measured);

#endif
