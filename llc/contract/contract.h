// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel contract of docs/svm-c.md, checked for every backend on every function that a kernel or firing
// function reaches.
#ifndef SVMC_LLC_CONTRACT_H
#define SVMC_LLC_CONTRACT_H

#include "llc/backend.h"

// False after errors. Thread functions get their parameters' kinds.
bool contract_check(llc_session *s, llc_unit *unit);
// The i-th inexact function of the C library (math_functions.def), in float and double form; NULL behind the last.
// The host backend keeps clang from folding these.
const char *contract_inexact_function(size_t i);

#endif
