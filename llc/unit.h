// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One SVM C file as the low-level compiler sees it: clang's syntax tree, and what the contract macros say.
#ifndef SVMC_LLC_UNIT_H
#define SVMC_LLC_UNIT_H

#include <clang-c/Index.h>

#include "support/diag.h"
#include "support/hmap.h"
#include "targets/machine.h"

// One clause of SVM_FIRE: peek(64), pop2(1).
typedef struct llc_rate {
    enum { LLC_PEEK, LLC_POP, LLC_PUSH } what;
    unsigned port; // counts from 1
    uint64_t items;
} llc_rate;

typedef enum llc_role { LLC_KERNEL, LLC_FIRE, LLC_CONTROL } llc_role;

// What SVM_KERNEL says: nothing, cycles that hold for simulation, or operations as somebody guesses.
typedef enum llc_basis { LLC_NO_COST, LLC_COST, LLC_ESTIMATE } llc_basis;

// A function with a contract macro, or one that svm_kernelInit names (a kernel without a macro).
typedef struct llc_function {
    llc_role role;
    const char *name;
    src_range range; // of its name
    CXCursor cursor; // its definition
    // LLC_KERNEL
    llc_basis basis;
    bool holds_processor;     // it promises that nothing which its waiting for a stream waits for needs its processor
    bool input_first;         // and that no move of its streams waits for what a run does
    double start, per_firing; // cost() or estimate(); 0 when unknown. A thread's estimate() has a start too
    // LLC_FIRE
    bool stateless;
    bool thread;            // what one thread of a launch does (svm/launch.h)
    bool optional;          // of a thread: where it cannot be compiled its launches are loops
    const char *parameters; // of a thread, behind x and y: 'i' an input, 'o' an output, 's' a scalar
    VEC(llc_rate) rates;
    uint64_t firings; // firings(): how many a call does
    bool timed;       // with cost():
    double cycles;    // of one firing
    bool
        estimated; // with estimate(): a launch takes `start` cycles and so many for a thread, but not less than `least`
    double per_thread, least;
    int64_t int_least, int_most; // ints() of a thread: bounds of the ints that its inputs have; both 0: any
    // LLC_CONTROL
    const char *control_name;
    src_range control_range; // of the macro
    const machine_processor *processor;
} llc_function;

// A memory or processor that the text declares.
typedef struct llc_name {
    const char *name;
    src_range range;
    const machine_memory *memory; // one of them
    const machine_processor *processor;
} llc_name;

typedef struct llc_unit {
    const char *path;
    source_id file;
    CXIndex index;
    CXTranslationUnit tu;
    const char *machine_name; // as SVM_MACHINE says
    src_range machine_range;
    machine *machine; // the one it is compiled for
    VEC(llc_name) names;
    VEC(llc_function) functions;
    hmap marked; // "kernel f", "fire f", "control f" of those functions
} llc_unit;

#endif
