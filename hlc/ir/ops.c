// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of operations, with what the text form adds to lang/ops.def: precedence.
#include "hlc/ir/ops.h"

const char *const sir_unary_spelling[LANG_UNARY_COUNT] = {
#define LANG_UNARY(id, spelling, mnemonic) [LANG_OP_##id] = spelling,
#include "lang/ops.def"
};

// C's order of precedence.
enum {
    PREC_LOR = 2,
    PREC_LAND,
    PREC_OR,
    PREC_XOR,
    PREC_AND,
    PREC_EQ,
    PREC_LT,
    PREC_SHL,
    PREC_ADD,
    PREC_MUL,
    PREC_NE = PREC_EQ,
    PREC_LE = PREC_LT,
    PREC_GT = PREC_LT,
    PREC_GE = PREC_LT,
    PREC_SHR = PREC_SHL,
    PREC_SUB = PREC_ADD,
    PREC_DIV = PREC_MUL,
    PREC_REM = PREC_MUL,
};

const sir_binary_info sir_binary_ops[LANG_BINARY_COUNT] = {
#define LANG_BINARY(id, spelling, mnemonic, class) [LANG_OP_##id] = {spelling, SIR_OP_##class, PREC_##id},
#include "lang/ops.def"
};

const sir_math_info sir_math_ops[LANG_MATH_COUNT] = {
#define LANG_MATH(id, name, mnemonic, arity, complex, exact) [LANG_MATH_##id] = {mnemonic, arity, complex},
#include "lang/ops.def"
};
