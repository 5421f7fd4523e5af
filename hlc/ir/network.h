// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Boolean networks: what a firing computes, bit by bit, out of the bits of its items. With a vector for each wire, of one
// bit for each of many firings, all of them fire at once. network_body.c makes one of a work function.
//
// NOTE(wires). A wire is a gate, or its inverse: 2 * gate, or one more. Gates are equal where what they compute is written
// alike; constants are folded when gates are made, and operands come before the gates that use them.
// NOTE(tables). What is looked up by few bits is a table: its outputs are networks of their own (sir_network_of_table),
// made of its truth tables, so that many look-ups share one function. Small ones become gates at once.
#ifndef SVMC_HLC_IR_NETWORK_H
#define SVMC_HLC_IR_NETWORK_H

#include "hlc/ir/sir.h"

typedef uint32_t sir_wire;
enum { WIRE_FALSE = 0, WIRE_TRUE = 1 };

typedef enum sir_gate_kind {
    GATE_CONST, // gate 0
    GATE_INPUT, // a: the item, b: which of its bits
    GATE_AND,   // of wires a and b
    GATE_XOR,   // of wires a and b, neither inverted
    GATE_TABLE, // a: a use of a table, b: which output
} sir_gate_kind;

typedef struct sir_gate {
    sir_gate_kind kind;
    uint32_t a, b;
} sir_gate;

// The greatest tables, by bits of the index, and bits of an element.
enum { NETWORK_INDEX = 8, NETWORK_BITS = 32, NETWORK_WORDS = (1 << NETWORK_INDEX) / 64 };

typedef struct sir_truth {
    uint64_t word[NETWORK_WORDS]; // bit i: the value at index i
} sir_truth;

typedef struct sir_network sir_network;
typedef struct sir_table {
    uint32_t inputs, outputs;
    const sir_truth *truth; // by output
    sir_network *gates;     // of its own; its outputs are those of the table
    int64_t operations;     // of them
} sir_table;
typedef struct sir_table_use {
    uint32_t table;
    sir_wire in[NETWORK_INDEX];
} sir_table_use;

struct sir_network {
    arena *arena;
    VEC(sir_gate) gates;
    VEC(sir_table) tables;
    VEC(sir_table_use) uses;
    VEC(sir_wire) outputs; // of a firing: NETWORK_BITS for each item that it pushes
    uint32_t *slots;       // gates by what they are: a hash table of their numbers, 0 where it is free
    size_t slot_count;
    hmap known;        // tables and uses by what they are
    hmap *tables_made; // with their gates, by what was looked up
    bool *live;        // by gate, of network_find_live
};

// Networks may share what is made of tables, and live no longer than it does. NULL: there are none.
sir_network *sir_network_new(arena *a, hmap *tables_made);
sir_wire sir_wire_input(sir_network *n, uint32_t item, uint32_t bit);
sir_wire sir_wire_and(sir_network *n, sir_wire a, sir_wire b);
sir_wire sir_wire_xor(sir_network *n, sir_wire a, sir_wire b);
static inline sir_wire sir_wire_not(sir_wire a)
{
    return a ^ 1;
}
static inline sir_wire sir_wire_or(sir_network *n, sir_wire a, sir_wire b)
{
    return sir_wire_not(sir_wire_and(n, sir_wire_not(a), sir_wire_not(b)));
}
sir_wire sir_wire_choose(sir_network *n, sir_wire which, sir_wire a, sir_wire b); // which ? a : b
// What truth tables say at an index, least significant bit first; found once for all indices.
typedef struct sir_look_up sir_look_up;
const sir_look_up *sir_look_up_of(hmap *tables_made, uint32_t inputs, const sir_truth *truth, uint32_t outputs);
// At the index whose bits are `in`, into `out`: how many.
uint32_t sir_wire_look_up(sir_network *n, const sir_wire *in, const sir_look_up *l, sir_wire *out);
static inline bool sir_truth_at(const sir_truth *t, uint32_t index)
{
    return t->word[index / 64] >> (index % 64) & 1;
}

// Which gates the outputs need.
void sir_network_find_live(sir_network *n);
// Operations of live gates, those within tables for every use.
int64_t sir_network_operations(const sir_network *n);
int64_t sir_network_text(const sir_network *n); // and as they are written, each table once

// Why there is no network: what the filter does, where, and in which statement of its work function; and steps that were
// taken, in any case.
typedef struct sir_network_fault {
    const char *why;
    sir_loc where;
    size_t statement;
    int64_t steps;
    bool large; // it is only that it is too much
} sir_network_fault;
// The network of a work function whose firings are independent of each other, of integers only; NULL: there is none. steps:
// of evaluation, at most; gates: likewise.
sir_network *sir_network_of(arena *a, hmap *tables_made, const sir_module *m, const sir_filter *f, int64_t steps,
                            size_t gates, sir_network_fault *fault);

#endif
