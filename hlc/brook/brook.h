// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checked Brook kernels to stream IR: each kernel and reduce function that host code can call becomes a finite filter of
// one module (docs/stream-ir.md).
#ifndef SVMC_HLC_BROOK_H
#define SVMC_HLC_BROOK_H

#include "hlc/ir/sir.h"
#include "lang/brook/brook.h"

// NULL after errors, which the program's diagnostics have. name: of the module.
sir_module *brook_lower(brook_program *program, const char *name);

#endif
