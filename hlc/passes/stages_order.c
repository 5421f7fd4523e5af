// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In which order the operations of a group are written, where it has more items than registers hold.
//
// Operations are as deep as the row of others that they wait for. As many depths are taken together as leave blocks of
// operations that have nothing to do with each other, each of which takes and gives no more values than there is room for: a
// sorting network of 32 items first sorts four times eight of them. C compilers keep to the order of the text, and what a
// block needs stays in registers.
#include <string.h>

#include "hlc/passes/stages_int.h"

// Depths at most for which there is no room, and then again for more: where some values are there before others are done with.
enum { BETWEEN = 4 };

typedef struct orderer {
    arena *a;
    const stage_nodes *nodes;
    size_t room;
    uint32_t *depth;         // per node: of an operation, from 1 on
    uint32_t *until;         // per node: the greatest depth at which it is needed; 0: at none
    uint32_t *parent, *user; // per node: of blocks, by union-find; an operation of the depths at hand that needs it
    size_t *takes, *gives;   // per block, by its root
    stage_order *order;
} orderer;

static bool is_operation(const orderer *x, uint32_t node)
{
    return x->nodes->data[node].kind != SIR_CONST && x->nodes->data[node].kind != SIR_PEEK;
}

static void need(orderer *x, uint32_t node, uint32_t depth)
{
    if (x->until[node] < depth)
        x->until[node] = depth;
}

// Nodes stand behind those that they are made of.
static void find_depths(orderer *x, const uint32_t *results, size_t count)
{
    for (size_t i = 0; i < count; i++)
        need(x, results[i], UINT32_MAX);
    for (size_t i = 0; i < x->nodes->len; i++) {
        const stage_node *n = &x->nodes->data[i];
        for (uint8_t k = 0; k < n->arity; k++)
            if (x->depth[n->arg[k]] >= x->depth[i])
                x->depth[i] = x->depth[n->arg[k]] + 1;
        if (n->arity == 0 && is_operation(x, (uint32_t)i))
            x->depth[i] = 1;
    }
    for (size_t i = x->nodes->len; i-- > 0;)
        for (uint8_t k = 0; k < x->nodes->data[i].arity && x->until[i] != 0; k++)
            need(x, x->nodes->data[i].arg[k], x->depth[i]);
}

static uint32_t root(orderer *x, uint32_t node)
{
    while (x->parent[node] != node)
        node = x->parent[node] = x->parent[x->parent[node]];
    return node;
}

static bool is_within(const orderer *x, uint32_t node, uint32_t from, uint32_t to)
{
    return x->until[node] != 0 && x->depth[node] >= from && x->depth[node] <= to;
}

// Finds the blocks of some depths; gives whether there is room for each.
static bool find_blocks(orderer *x, uint32_t from, uint32_t to)
{
    size_t n = x->nodes->len, most = 0;
    for (uint32_t i = 0; i < n; i++) {
        x->parent[i] = i;
        x->user[i] = SIR_NONE;
        x->takes[i] = x->gives[i] = 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        const stage_node *node = &x->nodes->data[i];
        for (uint8_t k = 0; k < node->arity && is_within(x, i, from, to); k++) {
            uint32_t arg = node->arg[k], other = is_within(x, arg, from, to) ? arg : x->user[arg];
            if (x->nodes->data[arg].kind == SIR_CONST)
                continue;
            if (other == SIR_NONE)
                x->user[arg] = i;
            else
                x->parent[root(x, other)] = root(x, i);
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        size_t takes = x->user[i] == SIR_NONE ? 0 : ++x->takes[root(x, x->user[i])];
        size_t gives = is_within(x, i, from, to) && x->until[i] > to ? ++x->gives[root(x, i)] : 0;
        most = takes > most ? takes : most;
        most = gives > most ? gives : most;
    }
    return most <= x->room;
}

static void add(orderer *x, uint32_t node)
{
    const stage_node *n = &x->nodes->data[node];
    for (uint8_t k = 0; k < n->arity; k++)
        if (x->nodes->data[n->arg[k]].kind == SIR_PEEK && x->order->block[n->arg[k]] == SIR_NONE)
            add(x, n->arg[k]);
    x->order->block[node] = x->order->blocks;
    VEC_PUSH(x->a, &x->order->nodes, node);
}

// Puts the blocks of some depths one behind the other.
static void add_blocks(orderer *x, uint32_t from, uint32_t to)
{
    for (uint32_t i = 0; i < x->nodes->len; i++) {
        if (!is_within(x, i, from, to) || x->order->block[i] != SIR_NONE)
            continue;
        for (uint32_t k = i; k < x->nodes->len; k++)
            if (is_within(x, k, from, to) && root(x, k) == root(x, i))
                add(x, k);
        x->order->blocks++;
    }
}

stage_order stage_order_of(arena *a, const stage_nodes *nodes, const uint32_t *results, size_t count, size_t room)
{
    size_t n = nodes->len + 1;
    stage_order order = {.block = ARENA_ARRAY(a, uint32_t, n)};
    orderer x = {.a = a, .nodes = nodes, .room = room, .order = &order};
    x.depth = ARENA_ARRAY(a, uint32_t, n);
    x.until = ARENA_ARRAY(a, uint32_t, n);
    x.parent = ARENA_ARRAY(a, uint32_t, n);
    x.user = ARENA_ARRAY(a, uint32_t, n);
    x.takes = ARENA_ARRAY(a, size_t, n);
    x.gives = ARENA_ARRAY(a, size_t, n);
    memset(order.block, 0xff, n * sizeof *order.block);
    find_depths(&x, results, count);
    uint32_t deepest = 0;
    for (size_t i = 0; i < nodes->len; i++)
        if (x.until[i] != 0 && x.depth[i] > deepest)
            deepest = x.depth[i];
    bool whole = find_blocks(&x, 1, deepest);
    for (uint32_t i = 0; i < nodes->len && whole; i++) // as they were executed
        if (x.until[i] != 0 && nodes->data[i].kind != SIR_CONST)
            add(&x, i);
    order.blocks = whole;
    for (uint32_t from = 1; from <= deepest && !whole;) {
        uint32_t to = from;
        for (uint32_t next = to + 1; next <= deepest && next <= to + BETWEEN; next++)
            to = find_blocks(&x, from, next) ? next : to;
        (void)find_blocks(&x, from, to);
        add_blocks(&x, from, to);
        from = to + 1;
    }
    for (size_t i = 0; i < count; i++) // items that only move
        if (order.block[results[i]] == SIR_NONE)
            add(&x, results[i]);
    return order;
}
