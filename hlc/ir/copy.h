// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of bodies, with what passes put in the place of some of it. A copy has nodes of its own, since passes change
// nodes where they are; types, functions and texts are shared.
#ifndef SVMC_HLC_IR_COPY_H
#define SVMC_HLC_IR_COPY_H

#include "hlc/ir/sir.h"

typedef struct sir_copier {
    arena *arena;
    const uint32_t *locals; // what each local becomes; NULL: the same
    uint32_t field;         // added to the numbers of fields
    void *context;          // of the functions, each of which may be NULL
    // What stands for an expression; NULL: a copy with its operands copied.
    sir_expr *(*expr)(void *context, const sir_expr *e);
    // Adds what stands for a statement; false: its copy does.
    bool (*stmt)(void *context, const sir_stmt *s, sir_block *to);
    // A declaration or counted loop is copied, its expressions are already: may set what the local becomes.
    void (*declare)(void *context, uint32_t local);
} sir_copier;

sir_expr *sir_copy_expr(const sir_copier *c, const sir_expr *e); // NULL of NULL
// Adds copies of the statements from first to end - 1.
void sir_copy_stmts(const sir_copier *c, const sir_block *b, size_t first, size_t end, sir_block *to);
sir_block sir_copy_block(const sir_copier *c, const sir_block *b);
// The copies that expr and stmt leave to the copier, for functions that go on with them.
sir_expr *sir_copy_operands(const sir_copier *c, const sir_expr *e);
sir_stmt *sir_copy_parts(const sir_copier *c, const sir_stmt *s);

#endif
