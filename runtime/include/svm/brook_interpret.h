// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finite graphs run by the reference interpreter: what svmc --interpret-kernels puts in the place of kernels. The host
// program is compiled as ever, so that it is the same in both.
#ifndef SVM_BROOK_INTERPRET_H
#define SVM_BROOK_INTERPRET_H

#include "svm/brook_graph.h"

// Stream IR text, line by line, and what it was read to.
typedef struct svm_BrookModule {
    const char *const *lines;
    size_t count;
    struct svm_BrookLoaded *loaded; // private
} svm_BrookModule;

// A call of a filter: its uniforms and streams in the order of its fields. variable: of what is pushed, or NULL.
void svm_brookInterpret(const svm_BrookPlace *at, svm_BrookModule *module, const char *filter,
                        const svm_BrookGraph *graph, const void *const *uniforms, const svm_BrookStream *streams,
                        svm_BrookStream *variable);
// One firing of a reduction.
void svm_brookInterpretOne(svm_BrookModule *module, const char *filter, const void *element, void *accumulator);

#endif
