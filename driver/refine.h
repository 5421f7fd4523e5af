// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --refine=N: the iterative flow. A program is mapped, simulated, and mapped differently where it is limited.
#ifndef SVMC_DRIVER_REFINE_H
#define SVMC_DRIVER_REFINE_H

#include "driver/hlc_options.h"
#include "driver/process.h"

// Simulates up to --refine mappings and adds to the session's options those of the best, so that what is compiled after is
// mapped so. Files that they name live as long as s. False after an error.
bool refine_mapping(tool_session *t, process_session *s, const driver_inputs *inputs);

#endif
