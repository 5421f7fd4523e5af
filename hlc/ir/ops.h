// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about operations that the rooms of stream IR need, from lang/ops.def.
#ifndef SVMC_HLC_IR_OPS_H
#define SVMC_HLC_IR_OPS_H

#include "lang/ast.h"

typedef enum sir_op_class {
    SIR_OP_ARITH,
    SIR_OP_INTEGER,
    SIR_OP_LOGIC,
    SIR_OP_SHIFT,
    SIR_OP_COMPARE,
    SIR_OP_EQUAL,
    SIR_OP_SHORT,
} sir_op_class;

typedef struct sir_binary_info {
    const char *spelling;
    sir_op_class class;
    int precedence; // as in C: the greater binds tighter; all are left associative
} sir_binary_info;

typedef struct sir_math_info {
    const char *name;
    int arity;
    bool complex; // has a complex form
} sir_math_info;

extern const char *const sir_unary_spelling[LANG_UNARY_COUNT];
extern const sir_binary_info sir_binary_ops[LANG_BINARY_COUNT];
extern const sir_math_info sir_math_ops[LANG_MATH_COUNT];

enum {
    SIR_PREC_SELECT = 1, // c ? a : b
    SIR_PREC_UNARY = 20,
    SIR_PREC_POSTFIX,
};

#endif
