// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The columns of ops.def as arrays.
#include "lang/ast.h"

const char *const lang_unary_spelling[LANG_UNARY_COUNT] = {
#define LANG_UNARY(id, spelling, mnemonic) [LANG_OP_##id] = spelling,
#include "lang/ops.def"
};
const char *const lang_unary_mnemonic[LANG_UNARY_COUNT] = {
#define LANG_UNARY(id, spelling, mnemonic) [LANG_OP_##id] = mnemonic,
#include "lang/ops.def"
};
const char *const lang_binary_spelling[LANG_BINARY_COUNT] = {
#define LANG_BINARY(id, spelling, mnemonic, class) [LANG_OP_##id] = spelling,
#include "lang/ops.def"
};
const char *const lang_binary_mnemonic[LANG_BINARY_COUNT] = {
#define LANG_BINARY(id, spelling, mnemonic, class) [LANG_OP_##id] = mnemonic,
#include "lang/ops.def"
};
const char *const lang_math_name[LANG_MATH_COUNT] = {
#define LANG_MATH(id, name, mnemonic, arity, complex, exact) [LANG_MATH_##id] = name,
#include "lang/ops.def"
};
const char *const lang_math_mnemonic[LANG_MATH_COUNT] = {
#define LANG_MATH(id, name, mnemonic, arity, complex, exact) [LANG_MATH_##id] = mnemonic,
#include "lang/ops.def"
};
const int lang_math_arity[LANG_MATH_COUNT] = {
#define LANG_MATH(id, name, mnemonic, arity, complex, exact) [LANG_MATH_##id] = arity,
#include "lang/ops.def"
};
