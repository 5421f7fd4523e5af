// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a Boolean network computes, by bytes: items are bytes, and each byte is a sum modulo 2 of functions of one byte each.
// Substitutions, products with constants in a field of 256 elements and permutations of a byte's bits are such functions, and
// so is all that follows from one byte alone.
//
// NOTE(bytes). A wire is a sum of functions of single bytes, that give a bit; eight wires are a sum of functions that give
// bytes. What a table is asked by is a byte, too: with several summands one of its own (a node), else what is looked up is a
// function of the byte that it comes from.
//
// NOTE(related). What tables give is often multiplied by constants, as columns of ciphers are: each product would be a table of
// its own. Such are products of what one look-up gives (`of`). And a product is left out where two others of the same byte have
// it as their sum: three times something is twice and once.
#ifndef SVMC_HLC_IR_NETWORK_BYTES_H
#define SVMC_HLC_IR_NETWORK_BYTES_H

#include "hlc/ir/network.h"

enum { BYTE_VALUES = 256, BYTE_BITS_OF = 8 };

typedef enum sir_byte_kind {
    BYTE_SAME,    // the byte itself
    BYTE_LINEAR,  // a matrix of bits
    BYTE_INVERSE, // matrix * inverse(byte + before), in the field of x^8 + x^4 + x^3 + x + 1, where 0's inverse is 0
    BYTE_TABLE,
} sir_byte_kind;

// Of 0 each is 0: what it adds is in the sum's constant.
typedef struct sir_byte_function {
    sir_byte_kind kind;
    uint8_t value[BYTE_VALUES];
    uint64_t matrix;       // byte 7 - i: the bits whose sum is bit i
    uint32_t of;           // of BYTE_LINEAR: 1 more than the function of whose value it is a product; 0: of the byte
    uint8_t before, after; // of BYTE_INVERSE: after = matrix * inverse(before) is added, too
} sir_byte_function;

typedef struct sir_byte_term {
    uint32_t node, function;
} sir_byte_term;

// An item that comes in, or a sum.
typedef struct sir_byte_node {
    bool input, live;
    uint32_t item;
    uint8_t constant;
    VEC(sir_byte_term) terms;
} sir_byte_node;

typedef struct sir_bytes {
    VEC(sir_byte_node) nodes; // in the order in which they are computed
    VEC(sir_byte_function) functions;
    VEC(uint32_t) outputs; // nodes, by item
    int64_t sums, linear, inverses,
        tables; // of live nodes: sums of two, products with matrices and inverses, and look-ups
} sir_bytes;

// NULL: not all that it computes is bytes. A product with a matrix takes as long as `linear` sums, a look-up as `look_up` ones.
const sir_bytes *sir_bytes_of(arena *a, const sir_network *n, int linear, int look_up);

#endif
