// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A Brook kernel as an ordinary filter of a stream program: what were streams are its channels, an element a firing.
#ifndef SVMC_HLC_BROOK_AS_FILTER_H
#define SVMC_HLC_BROOK_AS_FILTER_H

#include "hlc/ir/sir.h"
#include "lang/brook/brook.h"

// What a parameter that is no stream is bound to.
typedef struct brook_argument {
    const sir_scalar *data; // a uniform's scalars, one a leaf of its type
    uint32_t global;        // a gather's: the module's constant, an array of rank dimensions of brook_filter_element
} brook_argument;

// The type of a gather's elements in the module.
const sir_type *brook_filter_element(brook_program *program, sir_module *m, const brook_var *gather);

// Gives f, which has its name, types and place, the work function that does what the kernel does for one element, or, of
// a reduce function, for count elements. arguments: by parameter. False after an error.
bool brook_as_filter(brook_program *program, const brook_kernel *k, sir_module *m, sir_filter *f,
                     const brook_argument *arguments, int32_t count);

#endif
