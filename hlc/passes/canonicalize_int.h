// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of canonicalize. Each works on one function at a time, whose nodes nothing else shares, and changes it in
// place.
//
// NOTE(exact). What a program does stays the same bit by bit, with two allowances: a loop that would never end
// because its bound is the greatest int may end, and a subscript out of bounds may go unnoticed unless it is to be
// checked. Integer division by zero stops the program, so a division is neither lost, nor moved across what can be
// seen, nor done where it was not; nor is an access that is checked.
#ifndef SVMC_HLC_PASSES_CANONICALIZE_INT_H
#define SVMC_HLC_PASSES_CANONICALIZE_INT_H

#include "hlc/ir/effects.h"
#include "hlc/ir/sir.h"
#include "hlc/passes/canonicalize.h"

// Two arrays of flags, all down.
typedef struct canon_flags {
    bool *locals, *fields;
    size_t room; // for locals
} canon_flags;

typedef struct canon {
    sir_module *m;
    const sir_filter *filter; // NULL: a function of the module
    bool peeks_wait;          // its input has a dynamic rate: a peek may wait for an item that never comes
    sir_function *f;
    const sir_effects *effects;
    arena *scratch;
    const canon_options *options;
    VEC(canon_flags) unused; // storage of changes that have ended
} canon;

// ---- canonicalize_tree.c: questions and copies ----

bool canon_same_block(const sir_block *a, const sir_block *b);
sir_expr *canon_copy(canon *c, const sir_expr *e);
bool canon_may_trap(const canon *c, const sir_expr *e); // or wait
bool canon_is_const(const sir_expr *e);
bool canon_is_int(const sir_expr *e, int32_t v); // an integer constant v
bool canon_is_local(const sir_expr *e, uint32_t local);
bool canon_reads(const sir_expr *e, uint32_t local);
size_t canon_reads_in_block(const sir_block *b,
                            uint32_t local); // as a value: the root of an assigned lvalue does not count
sir_expr *canon_not(canon *c, sir_expr *e);
sir_expr *canon_and(canon *c, sir_expr *a, sir_expr *b); // a NULL: b
sir_stmt *canon_set(canon *c, uint32_t local, sir_expr *value);
sir_stmt *canon_decl(canon *c, uint32_t local, sir_expr *init);
sir_expr *canon_local(canon *c, uint32_t local, sir_loc loc);
// What each statement of a block names (sir_locals_named), in scratch.
uint64_t *canon_named_in(canon *c, const sir_block *b);
// A local with a name made from that of another (what is behind a dot is dropped).
uint32_t canon_fresh(canon *c, const char *name, const sir_type *t, sir_loc loc);

// What statements may change, and what expressions depend on; blocks included. Kept with lists of what is set, so
// that the cost is that of the statements and not of the function.
typedef struct canon_changes {
    canon *c;
    bool *locals; // by index; one that came to be later counts as changed
    size_t local_count, room;
    bool *fields; // by index
    VEC(uint32_t) local_list, field_list;
    bool pops;    // the window moves
    bool visible; // prints, pushes, pops, calls, messages: not to be reordered with what may stop the program
} canon_changes;
canon_changes canon_no_changes(canon *c);
void canon_end_changes(canon_changes *x); // its storage is used again
void canon_add_changes(canon *c, canon_changes *x, sir_stmt *s);
void canon_add_block_changes(canon *c, canon_changes *x, const sir_block *b);
// Whether e has the same value after these changes.
bool canon_is_unchanged(const canon_changes *x, const sir_expr *e);

// ---- The rules ----

void canon_unshare(canon *c);        // canonicalize_tree.c: own nodes, one declaration a local
sir_block canon_copy_body(canon *c); // canonicalize_tree.c: own nodes, declarations as they are
void canon_remove_jumps(canon *c);   // canonicalize_jumps.c: no break, continue, early return; no blocks in blocks
void canon_count_loops(canon *c);    // canonicalize_loops.c: counted loops
void canon_even_loops(canon *c);     // canonicalize_loops.c: loops that move items in steps of one
void canon_explain_loops(canon *c, diag_engine *d); // remarks on those that look as if they counted
sir_expr *canon_fold(canon *c, sir_expr *e);        // canonicalize_fold.c: constants and identities
sir_expr *canon_fold_sum(canon *c, sir_expr *e);    // a folded subscript or peek offset
void canon_propagate(canon *c);                     // canonicalize_propagate.c: constants, copies, dead branches
void canon_place_temporaries(canon *c);             // canonicalize_temps.c: single-use temporaries
void canon_remove_dead(canon *c);                   // canonicalize_dead.c: dead stores and locals; what needs no zeroes
void canon_compact_locals(canon *c);                // canonicalize_tree.c: unused locals go, names get short

#endif
