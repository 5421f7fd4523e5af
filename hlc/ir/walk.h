// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Walking bodies: the parts of a statement, in the order in which they are evaluated and printed.
#ifndef SVMC_HLC_IR_WALK_H
#define SVMC_HLC_IR_WALK_H

#include "hlc/ir/sir.h"

// The expressions and blocks directly in a statement. Targets come last: they are lvalues written, whose subscripts are
// read. References by address, so that passes can replace them.
enum { SIR_PARTS_EXPRS = 2, SIR_PARTS_BLOCKS = 3 };
typedef struct sir_parts {
    sir_expr **expr[SIR_PARTS_EXPRS]; // but for args; entries are never NULL and never hold NULL
    uint8_t expr_count, block_count;
    sir_expr **args; // of a call or message
    size_t arg_count;
    sir_expr **target; // the lvalue written; NULL: none
    sir_block *block[SIR_PARTS_BLOCKS];
} sir_parts;

sir_parts sir_stmt_parts(sir_stmt *s);

// Calls visit for every expression node of a statement (not of its blocks), outer nodes first. written: the node is the
// lvalue that the statement assigns (its root node only; the base below an index is reached with written false).
typedef void sir_expr_visitor(void *context, sir_expr *e, bool written);
void sir_visit_exprs(sir_stmt *s, sir_expr_visitor *visit, void *context);
void sir_visit_tree(sir_expr *e, bool written, sir_expr_visitor *visit, void *context);
// Calls visit for every statement of a block and of the blocks inside, outer first.
typedef void sir_stmt_visitor(void *context, sir_stmt *s);
void sir_visit_stmts(const sir_block *b, sir_stmt_visitor *visit, void *context);
// Equal trees; places: that also stand in the same place. One may be NULL.
bool sir_same_expr(const sir_expr *a, const sir_expr *b, bool places);
bool sir_same_scalar(const sir_type *t, sir_scalar a, sir_scalar b); // bit by bit
bool sir_same_loc(sir_loc a, sir_loc b);
// All nodes of the expressions in a block, and in the blocks inside.
size_t sir_count_nodes(const sir_block *b);
size_t sir_count_nodes_in(const sir_expr *e); // of one
// How often expressions name a field, or a local: reads and what is written.
size_t sir_count_field(const sir_block *b, uint32_t field);
size_t sir_count_local(const sir_block *b, uint32_t local);
size_t sir_count_local_in(sir_expr *e, uint32_t local);
size_t sir_count_local_of(sir_stmt *s, uint32_t local); // with its blocks
// The locals that a statement and its blocks name: of local n the bit n modulo 64, so that a bit may stand for others, too.
// For whom asks many statements about many locals.
uint64_t sir_locals_named(sir_stmt *s);
static inline bool sir_may_name(uint64_t named, uint32_t local)
{
    return (named >> local % 64 & 1) != 0;
}

// Trips of a counted loop between constants, which may be none; false: it is no such loop.
bool sir_for_trips(const sir_stmt *s, int64_t *trips);
// Whether the node itself, not its operands, divides ints by what may be zero, which stops the program.
bool sir_may_divide_by_zero(const sir_expr *e);
// The variable at the bottom of an lvalue: LOCAL, FIELD or GLOBAL; NULL if it is none.
sir_expr *sir_lvalue_root(sir_expr *e);
// What a variable holds that never changes; NULL: it does, or is a local, or there is none.
const sir_value *sir_constant_value(const sir_module *m, const sir_filter *f, const sir_expr *root);
// That of the lvalue which a statement writes; NULL: it writes none.
sir_expr *sir_assigned_root(sir_stmt *s);
// Whether a statement of the block, or of the blocks inside, declares the local or assigns to it or to what is in it.
bool sir_sets_local(const sir_block *b, uint32_t local);
// Marks the locals that statements of the block, or of the blocks inside, declare, and the variables of counted loops there.
void sir_declared_locals(const sir_block *b, bool *declared);
// Per local: what it is declared with, where no statement assigns to it later; the others stay as they are. NULL before.
void sir_declared_values(const sir_block *b, sir_expr **values);

// ---- called.c ----
// The functions that bodies call, themselves or through others: each once, in the order in which they are met. Native ones,
// which have no bodies, are among them.
typedef struct sir_called {
    arena *arena;
    hmap known; // by address
    VEC(const sir_function *) functions;
} sir_called;
void sir_called_init(sir_called *c, arena *a);
void sir_add_called(sir_called *c, const sir_function *f); // by its body
bool sir_is_called(const sir_called *c, const sir_function *f);

#endif
