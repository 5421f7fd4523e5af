// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether operations fit into so many instructions, as an integer program. The rules are those of packing: every operation once, in a
// lane; red, green and blue of an instruction have one operation, one register and one output; an operand of a half reads one source;
// three sources, each with an address of red, green and blue and one of alpha, serve both halves.
#ifndef SVMC_TEST_SOFTPROC_OPTIMUM_H
#define SVMC_TEST_SOFTPROC_OPTIMUM_H

#include "llc/softproc/compile.h"

enum { OPTIMUM_MOST = 10, OPTIMUM_REGISTERS = 8, OPTIMUM_KEYS = 32 };

typedef enum optimum_kind { OPTIMUM_OPERATION, OPTIMUM_GIVEN, OPTIMUM_NUMBER } optimum_kind;

typedef struct optimum_operand {
    optimum_kind kind;
    unsigned from;      // OPERATION: which; GIVEN: in which register
    unsigned lane;      // GIVEN
    uint32_t bits;      // NUMBER
    spc_operand modify; // of all but numbers
} optimum_operand;

typedef struct optimum_operation {
    uint32_t value; // in the function
    spc_op op;
    unsigned omod, operands;
    unsigned output; // or SPC_NO_OUTPUT; then the lane is that component
    unsigned lane;
    bool read;               // by another one
    unsigned before, behind; // instructions that must come before its own, and behind
    optimum_operand operand[3];
} optimum_operation;

typedef struct optimum_problem {
    optimum_operation operation[OPTIMUM_MOST];
    unsigned count, least; // least: instructions, by counting alone
    bool presubtracts;
} optimum_problem;

// Of a function whose variables are joined; false if it is not straight, too large, or computes coordinates.
bool optimum_take(const spc_function *f, optimum_problem *p);

typedef enum optimum_answer { OPTIMUM_NO, OPTIMUM_YES, OPTIMUM_UNKNOWN } optimum_answer;
optimum_answer optimum_fits(arena *a, const optimum_problem *p, unsigned instructions);

#endif
