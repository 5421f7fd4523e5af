// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stream programs that Brook host code calls as if they were kernels: a program runs from its first state on what a
// stream has, and what it gives fills another. svmc writes a row for each, and a function
//
//     void brook_NAME(const svm_BrookPlace *at, svm_BrookStream input, svm_BrookStream output);
//
// without the input for a program that takes nothing.
#ifndef SVM_BROOK_PROGRAM_H
#define SVM_BROOK_PROGRAM_H

#include <stdbool.h>

#include "svm/brook_interpret.h"

// Counts are of items. An element of a stream is as many items as it has their scalars. The functions are those of a C library (docs/library.md).
typedef struct svm_BrookProgram {
    const char *name;
    bool takes;                            // has input
    long long first_input, steady_input;   // what it takes in the initialisation, and in a steady state
    long long first_output, steady_output; // what it gives; with the first what the drain gives
    void *(*create)(void);
    int (*process)(void *self, const void *in, size_t count, size_t *consumed, void *out, size_t capacity,
                   size_t *produced);
    int (*drain)(void *self, void *out, size_t capacity, size_t *produced);
    int (*destroy)(void *self);
    const char *(*error)(const void *self);
    const char *input_item, *output_item; // their scalars, as those of elements: "f", "ff", "d" or "i"
} svm_BrookProgram;

// in: NULL if it takes nothing. Elements that are left over, and an output of another size, end the program.
void svm_brookRunProgram(const svm_BrookPlace *at, const svm_BrookProgram *program, const svm_BrookStream *in,
                         const svm_BrookStream *out);
// The same by the reference interpreter, which needs no functions.
void svm_brookInterpretProgram(const svm_BrookPlace *at, const svm_BrookProgram *program, svm_BrookModule *module,
                               const svm_BrookStream *in, const svm_BrookStream *out);

// ---- For these two ----

// All of a stream's elements.
size_t svm_brookBytes(const svm_BrookStream *s);
// How many steady states a call runs; what does not fit ends the program. -1: there is nothing to do.
long long svm_brookSteadyStates(const svm_BrookPlace *at, const svm_BrookProgram *program, const svm_BrookStream *in,
                                const svm_BrookStream *out);

#endif
