// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels as declarations of filters, as a stream program sees them.
#ifndef SVMC_LANG_BROOK_FILTERS_H
#define SVMC_LANG_BROOK_FILTERS_H

#include "lang/brook/brook.h"

// Adds a filter for each kernel with a body to those of the program that imports them. One that cannot be a filter says why.
void brook_declare_filters(brook_program *program, ast_program *to);

#endif
