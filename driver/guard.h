// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work that may crash in a library, done in a child process.
#ifndef SVMC_DRIVER_GUARD_H
#define SVMC_DRIVER_GUARD_H

#include "driver/tool.h"

// Runs work(t) in a child process and gives its exit code; in the child too, which is then to end as the tool would.
// clang's parser overflows its stack on texts that nest deeply through macros, and nothing in its process would live to
// say so: a child that is stopped by a signal becomes an internal error "while doing".
int guard_run(tool_session *t, int (*work)(tool_session *t), const char *doing);

#endif
