// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names that emitted C, and what is declared in it, cannot have.
#ifndef SVMC_SUPPORT_C_NAMES_H
#define SVMC_SUPPORT_C_NAMES_H

#include <stdbool.h>

// A keyword, or something of the headers that SVM C includes: a macro, a type, a function; with families such as int_least8_t,
// UINT32_MAX and fmal.
bool c_name_is_taken(const char *name);
// The same without the families.
bool c_name_is_listed(const char *name);
// The beginning belongs to SVM's API, <math.h> or the compiler, whatever follows.
bool c_name_begins_reserved(const char *name);

#endif
