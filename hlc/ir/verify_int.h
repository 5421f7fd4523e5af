// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The verifier's parts: verify.c has modules and graphs, verify_body.c has functions.
#ifndef SVMC_HLC_IR_VERIFY_INT_H
#define SVMC_HLC_IR_VERIFY_INT_H

#include "hlc/ir/effects.h"
#include "hlc/ir/sir.h"

typedef struct sir_verifier {
    const sir_module *module;
    diag_engine *d;
    arena *scratch;
    bool ok;
    hmap functions; // of the module, by address
    // of the function at hand
    const sir_filter *filter; // NULL: a function of the module
    const sir_function *function;
    const sir_effects *effects; // of the filter's functions, or of the module's
    bool *in_scope, *frozen;    // by local; frozen: the variable of a counted loop around
    VEC(uint32_t) scope;        // locals that came to life, innermost last
    uint32_t loop_depth;        // of loops that a jump here may leave
    bool in_test;               // in the leading part or step of a loop, which nothing leaves
} sir_verifier;

// One broken promise. What it is about is added: the function and the filter.
void sir_broken(sir_verifier *v, sir_loc loc, const char *format, ...) __attribute__((format(printf, 3, 4)));
void sir_verify_function(sir_verifier *v, const sir_filter *filter, const sir_function *f, const sir_effects *effects);
const char *sir_type_text(sir_verifier *v, const sir_type *t);

#endif
