// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules of the kernel contract, one function body at a time. Internal to llc/contract/.
#ifndef SVMC_LLC_RULES_H
#define SVMC_LLC_RULES_H

#include "llc/backend.h"
#include "support/hmap.h"

// Declarations, by identity.
typedef struct cursor_set {
    hmap map;
} cursor_set;
void cursor_set_init(cursor_set *set, arena *a);
bool cursor_set_has(const cursor_set *set, CXCursor declaration);
bool cursor_set_add(cursor_set *set, CXCursor declaration); // false when it is there already

// A function that kernels or firing functions reach, and the first of them that does.
typedef struct reached_function {
    CXCursor cursor;
    const llc_function *root;
} reached_function;

typedef struct rule_checker {
    llc_session *session;
    VEC(reached_function) functions;
    cursor_set reached;       // the same
    cursor_set structs;       // that kernels are part of, with the structs inside them
    hmap callable;            // names of what kernels may call
    const llc_function *root; // of the function being checked or searched
    CXCursor function;        // being checked
    cursor_set reported;      // variables that have been reported
    bool good;
} rule_checker;

void rules_init(rule_checker *c);
void rules_check_function(rule_checker *c);
// Of a function with SVM_FIRE(thread); sets its parameters.
bool rules_check_thread(llc_session *s, llc_function *f);

#endif
