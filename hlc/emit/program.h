// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans to SVM C: the whole text of a program around the bodies of hlc/emit/body.h. docs/svm-c.md says what it must
// obey.
#ifndef SVMC_HLC_EMIT_PROGRAM_H
#define SVMC_HLC_EMIT_PROGRAM_H

struct hlc_program;

// The SVM C text of a program that has a plan; NULL after errors, which the program's diagnostics have.
const char *emit_program(struct hlc_program *p);

#endif
