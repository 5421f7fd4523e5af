// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the files hlc/passes/linear_bits*.c share.
#ifndef SVMC_HLC_PASSES_LINEAR_BITS_INT_H
#define SVMC_HLC_PASSES_LINEAR_BITS_INT_H

#include "hlc/passes/pass.h"

// Values that statements take their bits from, at most; bits of a value; words of a set of bits of all of them.
enum { LINEAR_INPUTS = 12, LINEAR_BITS = 32, LINEAR_WORDS = LINEAR_INPUTS * LINEAR_BITS / 64 };

// A set of bits of the inputs: bit b of input i is number LINEAR_BITS * i + b. Its value is their parity.
typedef struct linear_row {
    uint64_t word[LINEAR_WORDS];
} linear_row;

// An int, each bit of which is the parity of a row and of a constant.
typedef struct linear_value {
    bool opaque;          // it is none
    const sir_expr *expr; // of what holds before that gives it, opaque or not; NULL: none is known
    uint32_t constant;
    linear_row row[LINEAR_BITS];
} linear_value;

// Statements that are followed, and what they come to.
typedef struct linear_follower {
    arena *a;
    sir_module *m;
    const sir_filter *filter;
    const linear_value **locals, **fields; // NULL: not assigned so far
    VEC(sir_expr *) inputs;                // in terms of what holds before the statements
    int64_t pops, steps;
    int64_t operations;            // that were followed
    int depth;                     // of conditions that the items or the state decide
    const uint32_t *known, *first; // per field, if not NULL: bits that are known at first, and what they are
    bool byte_bits;                // items of type bit are known to be 0 or 1: the type alone does not say so
    bool loose;                    // variables may be left with what is no parity, and what is pushed does not matter
    bool fails;
} linear_follower;

void linear_begin(linear_follower *x, arena *a, sir_module *m, const sir_filter *f);
// A statement; x->fails where one cannot be followed, or a variable is left with what is no parity of inputs.
void linear_follow(linear_follower *x, const sir_stmt *s);
// A statement, for a follower that is `loose`.
void linear_follow_loosely(linear_follower *x, const sir_stmt *s);
// A trip of a loop, whose variable is what the expression gives.
void linear_follow_trip(linear_follower *x, const sir_stmt *loop, const sir_expr *variable);

static inline bool linear_row_is_empty(const linear_row *r)
{
    uint64_t any = 0;
    for (int i = 0; i < LINEAR_WORDS; i++)
        any |= r->word[i];
    return any == 0;
}

static inline bool linear_row_has(const linear_row *r, size_t input, int bit)
{
    size_t at = input * LINEAR_BITS + (size_t)bit;
    return (r->word[at / 64] >> at % 64 & 1) != 0;
}

// Look-ups that give one int.
enum { LINEAR_SLOTS = 16, LINEAR_TAKEN = 64 };

// Bits of an input that are moved to places of a subscript, or of the result.
typedef struct linear_taken {
    size_t input;
    int left;      // to the left
    uint32_t mask; // after that
} linear_taken;

typedef struct linear_slot {
    uint32_t column[8]; // what each bit of the subscript flips
    VEC(linear_taken) taken;
    uint8_t used; // bits of the subscript
} linear_slot;

typedef struct linear_network {
    linear_slot slots[LINEAR_SLOTS];
    size_t slot_count;
    VEC(linear_taken) moved; // bits that only move
    uint32_t constant;
} linear_network;

// How a value is made of its inputs. False: it takes too many tables.
bool linear_make_network(arena *a, const linear_value *v, size_t inputs, linear_network *n);
// Operations that it takes, about.
int64_t linear_network_cost(const linear_network *n);
// The expression that gives it. inputs: expressions of them; each use is a copy.
sir_expr *linear_network_expr(sir_module *m, sir_filter *f, const linear_network *n, sir_expr *const *inputs,
                              sir_loc loc);

// A copy of a pure expression.
sir_expr *linear_copy(sir_module *m, const sir_expr *e);

#endif
