// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finite filters to SVM C: a function each, which the host program calls with streams (svm/brook.h).
#ifndef SVMC_HLC_EMIT_FINITE_H
#define SVMC_HLC_EMIT_FINITE_H

struct hlc_program;

// The text for a canonical module of finite filters, and in p->header the prototypes; NULL after errors, which the
// program's diagnostics have.
const char *emit_finite(struct hlc_program *p);

#endif
