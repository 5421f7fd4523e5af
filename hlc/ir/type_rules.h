// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The type that each operation of stream IR gives, for the verifier, the parser and passes that make operations.
#ifndef SVMC_HLC_IR_TYPE_RULES_H
#define SVMC_HLC_IR_TYPE_RULES_H

#include "hlc/ir/sir.h"

bool sir_is_integer(const sir_type *t); // bit int
bool sir_is_real(const sir_type *t);    // bit int float double
bool sir_is_number(const sir_type *t);  // bit int float double complex
bool sir_is_scalar(const sir_type *t);  // numbers and boolean
bool sir_is_aggregate(const sir_type *t);

const char *sir_scalar_name(sir_type_kind kind); // of a kind below SIR_SCALAR_KINDS

// Each gives NULL when the operation does not take such operands.
const sir_type *sir_unary_type(lang_unary_op op, const sir_type *a);
const sir_type *sir_binary_type(const sir_module *m, lang_binary_op op, const sir_type *a, const sir_type *b);
const sir_type *sir_math_type(const sir_module *m, lang_math_op op, const sir_type *a, const sir_type *b);
bool sir_converts(const sir_type *from, const sir_type *to);

#endif
