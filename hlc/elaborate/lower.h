// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bodies of functions: from expressions with side effects to pure ones and statements, in strict order from left to
// right (streamit.md 5.3).
//
// NOTE(order). Lowering an expression appends what must happen before its value exists (pops, calls, increments) to the
// current block and gives a pure expression for the value at that point. An operand is lowered into a block of its
// own; if that block holds a statement that could change an earlier operand, the earlier one is first saved in a
// temporary.
#ifndef SVMC_HLC_ELABORATE_LOWER_H
#define SVMC_HLC_ELABORATE_LOWER_H

#include "hlc/elaborate/elab.h"

typedef struct lower_request {
    const ast_function *decl;
    sir_function *function;
} lower_request;

typedef struct lower {
    elab *x;
    sir_module *m;
    sir_filter *filter; // NULL: functions of helper blocks
    const ast_stream *decl;
    const uint32_t *param_fields;     // by parameter of the filter: its field, SIR_NONE for constants
    const sir_function *helper_rates; // of decl->functions
    VEC(lower_request) functions;     // of the filter, called so far; the first `lowered` have bodies
    size_t lowered;
    VEC(struct lower_constant {
        const elab_slot *slot;
        uint32_t global;
    })
    constants;
    // the function in hand
    const ast_function *ast;
    sir_function *fn;
    uint32_t *locals; // by ast_var.index
    sir_block *block;
} lower;

// An operand lowered before, which later side effects must not change. place: its address is meant, not its value.
typedef struct lower_held {
    sir_expr **expr;
    bool place;
} lower_held;

// lower_expr.c
sir_expr *lower_expr(lower *L, const ast_expr *e); // never NULL; any constant after an error
sir_expr *lower_expr_as(lower *L, const ast_expr *e, const sir_type *t);
sir_expr *lower_place(lower *L, const ast_expr *e); // an lvalue: LOCAL, FIELD or GLOBAL with indices and members
sir_expr *lower_convert(lower *L, sir_expr *e, const sir_type *t);
sir_expr *lower_binary(lower *L, lang_binary_op op, const sir_type *operand, sir_expr *a, sir_expr *b, sir_loc loc);
// Steps a place by one; gives the value of the expression if it is wanted.
sir_expr *lower_incdec(lower *L, const ast_expr *e, bool wanted);
const sir_type *lower_scalar_type(const lower *L, const lang_type *t);

// lower_effect.c
void lower_emit(lower *L, sir_stmt *s);
void lower_append(lower *L, const sir_block *b);
void lower_emit_set(lower *L, sir_expr *target, sir_expr *value, sir_loc loc);
sir_expr *lower_temp(lower *L, const sir_type *t, sir_expr *init, sir_loc loc); // declared; init may be NULL
sir_expr *lower_clone(lower *L, const sir_expr *e);
// Lowers an operand after those held, which are saved if it could change them.
sir_expr *lower_after(lower *L, const ast_expr *e, const lower_held *held, size_t count);
sir_expr *lower_place_after(lower *L, const ast_expr *e, const lower_held *held, size_t count);
void lower_protect(lower *L, const sir_block *b, const lower_held *held, size_t count);
bool lower_affects(lower *L, const sir_block *b, const sir_expr *e); // whether running b changes the value of e
size_t lower_size(const sir_expr *e);                                // nodes

// lower_call.c
sir_expr *lower_call(lower *L, const ast_expr *e);
// A call of a function, its arguments lowered, not emitted yet and without a target; NULL after an error.
sir_stmt *lower_call_stmt(lower *L, const ast_expr *e);
sir_expr *lower_number_file(lower *L, const ast_expr *e, const char *name); // init_array_1D_*; name: of the constant
void lower_send(lower *L, const ast_stmt *s);

// lower_print.c
void lower_print(lower *L, const ast_expr *call);

// lower_stmt.c
void lower_stmt(lower *L, const ast_stmt *s);

#endif
