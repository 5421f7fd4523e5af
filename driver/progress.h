// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A line on the terminal that says what a tool is doing, once it has taken two seconds. The line is written over by
// whatever comes next.
#ifndef SVMC_DRIVER_PROGRESS_H
#define SVMC_DRIVER_PROGRESS_H

#include "support/arena.h"

typedef struct progress progress;

// NULL where standard error is no terminal. The tool's name is kept.
progress *progress_start(arena *a, const char *tool);
void progress_tell(progress *p, const char *text); // from now on; the text is kept. NULL: nothing to be shown
void progress_clear(progress *p);                  // before something else is written to the terminal
void progress_stop(progress *p);

#endif
