// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A launch: what svm-llc --target=softproc puts into a program for each thread function, and the function that kernels call.
#ifndef SVM_SOFTPROC_LAUNCH_H
#define SVM_SOFTPROC_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A scalar's value goes into a component of a constant register.
typedef struct svm_ThreadScalar {
    uint32_t scalar, constant, component;
} svm_ThreadScalar;

// A table with computed subscripts: an input behind those that are given, with an element for each number.
typedef struct svm_ThreadTable {
    const void *numbers;
    uint64_t elements, ints; // ints: whether it has them, else floats
} svm_ThreadTable;

// svm-llc writes these as LLVM constants (llc/softproc/threads.c): the layouts are the same.
typedef struct svm_ThreadProgram {
    const char *name;
    const char *parameters; // behind x and y: 'i' an input, 'o' an output, 's' a scalar
    const uint8_t *container;
    size_t size;
    const svm_ThreadScalar *scalars;
    size_t scalarCount;
    const svm_ThreadTable *tables;
    size_t tableCount;
    uint64_t firings;               // of a thread
    double start, perThread, least; // cycles of a launch as its author expects them; 0: nobody said
    int64_t intLeast, intMost;      // of inputs' ints; both 0: those that a float has. A launch with others is loops
    void *loaded;                   // the program, once it has been launched
} svm_ThreadProgram;

bool svm_launch(svm_ThreadProgram *thread, ptrdiff_t width, ptrdiff_t height, ...);

// Of the simulation (runtime/sim/launch.c), which is another library: the soft processor that the kernel at hand runs on (false: its
// processor is none), with the cycles that starting this launch takes beside those of starting the kernel, which the first of a run
// has; and what a launch says that cannot be.
struct svm_SpParameters;
bool svm_simPipeline(struct svm_SpParameters *parameters, double *start);
_Noreturn void svm_simLaunchError(const char *thread, const char *message);

#endif
