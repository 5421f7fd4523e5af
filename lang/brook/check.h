// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the parts of the checker share: check.c has kernels and statements, check_expr.c expressions, check_call.c calls,
// check_assigned.c which outputs are assigned on all paths.
#ifndef SVMC_LANG_BROOK_CHECK_H
#define SVMC_LANG_BROOK_CHECK_H

#include "lang/brook/brook.h"

typedef struct brook_checker {
    brook_program *program;
    arena *arena;
    diag_engine *diags;
    brook_kernel *kernel;
    VEC(brook_var *) visible;    // inner ones last
    VEC(size_t) scopes;          // lengths of visible where scopes began
    VEC(brook_kernel *) calling; // kernels being checked, from the outermost: for the message of a recursion
    unsigned loops;
} brook_checker;

#define BROOK_SCALAR_OF(e) ((brook_type){.element = BROOK_##e, .width = 1})

void brook_check_kernel(brook_checker *c, brook_kernel *k);
void brook_check_expr(brook_checker *c, brook_expr *e);
void brook_check_call(brook_checker *c, brook_expr *e);
// Checks e as what 'to' is given: assignment, an initialiser, an argument. what names the place, as in "variable 'x'".
void brook_check_given(brook_checker *c, brook_expr *e, brook_type to, const char *what);
// Checks that e can be written to, and marks what it writes.
bool brook_check_target(brook_checker *c, brook_expr *e, const char *how);
brook_var *brook_find_var(brook_checker *c, const char *name);
const char *brook_nearest_name(brook_checker *c, const char *name, bool functions);
// The type in which an operation on both works; a warning when their widths differ.
brook_type brook_meet(brook_checker *c, brook_type a, brook_type b, src_range at, const char *op);
void brook_check_assigned(brook_checker *c, brook_kernel *k);

static inline diag_record *brook_wrong(brook_checker *c, diag_record *r)
{
    c->kernel->wrong = true;
    return r;
}
// An error of the kernel being checked.
#define BROOK_WRONG(c, ...) brook_wrong((c), diag_error((c)->diags, __VA_ARGS__))

#endif
