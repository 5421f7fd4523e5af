// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The backend that does nothing: SVM C is read and its contract checked. It serves tests, and shows what the rest
// of the low-level compiler costs.
#include "llc/backend.h"

const llc_backend llc_backend_null = {
    .name = "null",
    .summary = "check SVM C and write nothing",
};
