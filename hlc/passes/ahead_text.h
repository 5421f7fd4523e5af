// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expressions and statements of what a filter does in several firings at once (sir_filter.ahead), as look-ahead and
// frequency write it. All belong to the module.
#ifndef SVMC_HLC_PASSES_AHEAD_TEXT_H
#define SVMC_HLC_PASSES_AHEAD_TEXT_H

#include "hlc/ir/walk.h"

typedef struct ahead_text {
    sir_module *m;
    sir_filter *filter;
    sir_function *f; // that is written
    sir_loc loc;     // of all that is written
} ahead_text;

sir_expr *ahead_integer(const ahead_text *t, int64_t v);
sir_expr *ahead_local(const ahead_text *t, uint32_t number);
sir_expr *ahead_element(const ahead_text *t, sir_expr *array, sir_expr *at);
sir_expr *ahead_binary(const ahead_text *t, lang_binary_op op, sir_expr *a, sir_expr *b);
// A new field: a table of rows of constants, which are zero, of numbers of type `item`.
uint32_t ahead_table(const ahead_text *t, const char *name, const sir_type *item, int64_t rows, int64_t columns);
// Statements, which go to the end of a block: an assignment; the declaration of a local with its value, of zeroes if
// that is NULL; that of a new local for a value, whose number is given; and a loop from 0, whose body is given.
void ahead_set(const ahead_text *t, sir_block *to, sir_expr *target, sir_expr *value);
sir_stmt *ahead_declare(const ahead_text *t, sir_block *to, uint32_t local, sir_expr *value);
uint32_t ahead_keep(const ahead_text *t, sir_block *to, const char *name, sir_expr *value);
sir_block *ahead_counted(const ahead_text *t, sir_block *to, uint32_t counter, int64_t count);

#endif
