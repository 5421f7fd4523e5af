// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Native functions that nobody defines: what the linker says of them, told at their declarations.
#ifndef SVMC_DRIVER_NATIVES_H
#define SVMC_DRIVER_NATIVES_H

#include "driver/process.h"
#include "driver/tool.h"
#include "hlc/hlc.h"

// Runs the low-level compiler for a program that calls these; gives its exit code.
int natives_link(tool_session *t, process_session *s, const char *const *argv, const hlc_natives *natives);

#endif
