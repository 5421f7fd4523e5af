// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `svm-llc --target=sim` tells the simulating runtime about a program: its machines in full, what it knows of each
// kernel, and counters that the code it compiled keeps. Programs do not include this.
#ifndef SVM_SIM_TABLE_H
#define SVM_SIM_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "svm/svm.h"

#ifdef __cplusplus
extern "C" {
#endif

// A machine file as the compiler read it (the text of `svmc --print-machine`), under the name that SVM_MACHINE has.
typedef struct svm_SimMachine {
    const char *name; // as the program calls it
    const char *text; // YAML
} svm_SimMachine;

// A run function with SVM_KERNEL(cost(start, per_firing)), in cycles of the kernel's processor.
typedef struct svm_SimKernel {
    svm_KernelFunction *run;
    const char *name; // of the function
    double start, perFiring;
    bool known; // cost() was given and is not cost(0, 0): it is used; otherwise operations are counted
} svm_SimKernel;

typedef struct svm_SimTable {
    const svm_SimMachine *machines;
    size_t machineCount;
    const svm_SimKernel *kernels;
    size_t kernelCount;
    // Names of the classes that svm_simCounts counts, as machine files spell them ("float-add"), in its order.
    const char *const *classes;
    size_t classCount;
} svm_SimTable;

// Written by svm-llc; the runtime has weak empty ones for programs compiled otherwise.
extern const svm_SimTable svm_simTable;

// Kept by the instrumented code, read by the runtime: operations of each class since the program began (operations on
// vectors count once for each simd-width of their bytes), and firings: calls of functions with SVM_FIRE, each with the
// cycles of its cost(cycles) in svm_simFiringCycles when it has one.
#define SVM_SIM_CLASSES 32
extern uint64_t svm_simCounts[SVM_SIM_CLASSES];
extern uint64_t svm_simFirings;
extern double svm_simFiringCycles;

#ifdef __cplusplus
}
#endif

#endif
