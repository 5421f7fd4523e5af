// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elaboration: runs the graph constructors, field initialisers and init functions of a checked program at compile time,
// under a step limit, and gives the stream IR of the graph they build.
#ifndef SVMC_HLC_ELABORATE_H
#define SVMC_HLC_ELABORATE_H

#include "hlc/ir/sir.h"
#include "lang/ast.h"
#include "support/strbuf.h"

// The numbers that a test gives or expects, as scalars of the items one after the other.
typedef struct elaborate_values {
    const sir_type *item; // NULL: there is no such side
    VEC(sir_scalar) data;
    VEC(const sir_type *) types; // of each
    VEC(src_range) places;       // where each is written
    VEC(double) within;          // of each; below 0: it must be that
} elaborate_values;

typedef struct elaborate_test {
    const ast_test *test;           // what it runs is the program
    elaborate_values input, expect; // filled
    strbuf text;                    // expected to be printed
    src_range text_place;           // of its first part; file 0: whatever is printed will do
} elaborate_test;

typedef struct elaborate_options {
    uint64_t step_limit;  // statements and calls executed before "does not end"; 0: the default of 2e8
    uint32_t depth_limit; // nesting of streams and calls; 0: the default
    elaborate_test *test; // NULL: the program itself
} elaborate_options;

// NULL after an error, which d has.
sir_module *elaborate(arena *a, interner *names, diag_engine *d, const ast_program *program,
                      const elaborate_options *options);

#endif
