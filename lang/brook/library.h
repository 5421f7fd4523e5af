// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that host programs know without an include.
#ifndef SVMC_LANG_BROOK_LIBRARY_H
#define SVMC_LANG_BROOK_LIBRARY_H

#include <stdbool.h>

bool brook_is_library_function(const char *name);

#endif
