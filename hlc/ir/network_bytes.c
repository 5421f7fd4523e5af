// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Networks by bytes.
#include "hlc/ir/network_bytes.h"

#include <string.h>

enum { SUM_TERMS = 512 }; // most of a sum

// A function of a node that gives a bit, 0 of 0.
typedef struct bit_term {
    uint32_t node;
    sir_truth truth;
} bit_term;

// Of a gate.
typedef struct bit_sum {
    VEC(bit_term) terms; // by node
    bool one;            // inverted
    bool none;           // it is no such sum
} bit_sum;

// What a table is asked by: its index for each value of a node.
typedef struct table_index {
    bool known, none;
    uint32_t node;
    uint8_t at[BYTE_VALUES];
} table_index;

typedef struct finder {
    arena *a; // of the result
    arena *scratch;
    const sir_network *n;
    sir_bytes *b;
    bit_sum *sums;         // by gate
    table_index *indices;  // by use of a table
    hmap functions, nodes; // 1 more than their numbers, by what they are
    int linear, look_up;   // sums that these take
} finder;

// ---- Functions of a byte ----

// The matrix of a linear function, if it is one.
static bool find_matrix(const uint8_t value[BYTE_VALUES], uint64_t *matrix)
{
    for (int i = 0; i < BYTE_VALUES; i++) {
        int lowest = i & -i;
        if (value[i] != (value[lowest] ^ value[i ^ lowest]) || value[0] != 0)
            return false;
    }
    *matrix = 0;
    for (int bit = 0; bit < BYTE_BITS_OF; bit++)
        for (int k = 0; k < BYTE_BITS_OF; k++)
            *matrix |= (uint64_t)(value[1 << k] >> bit & 1) << (8 * (7 - bit) + k);
    return true;
}

static uint8_t multiply(uint8_t a, uint8_t b)
{
    unsigned r = 0, x = a;
    for (int i = 0; i < BYTE_BITS_OF; i++) {
        r ^= b >> i & 1 ? x : 0;
        x = x << 1 ^ (x > 127 ? 0x11b : 0);
    }
    return (uint8_t)r;
}

static uint8_t inverse(uint8_t a)
{
    uint8_t r = 1;
    for (int i = 0; i < 7; i++) { // a^254
        a = multiply(a, a);
        r = multiply(r, a);
    }
    return r;
}

static bool find_inverse(sir_byte_function *f)
{
    uint8_t inverses[BYTE_VALUES];
    for (int i = 0; i < BYTE_VALUES; i++)
        inverses[i] = inverse((uint8_t)i);
    for (int before = 0; before < BYTE_VALUES; before++) {
        uint8_t of_inverse[BYTE_VALUES], zero = f->value[before];
        for (int i = 0; i < BYTE_VALUES; i++)
            of_inverse[inverses[i]] = f->value[i ^ before] ^ zero;
        if (!find_matrix(of_inverse, &f->matrix))
            continue;
        f->before = (uint8_t)before;
        f->after = zero;
        return true;
    }
    return false;
}

static void classify(sir_byte_function *f)
{
    bool same = true;
    for (int i = 0; i < BYTE_VALUES; i++)
        same = same && f->value[i] == i;
    f->kind = same                                ? BYTE_SAME
              : find_matrix(f->value, &f->matrix) ? BYTE_LINEAR
              : find_inverse(f)                   ? BYTE_INVERSE
                                                  : BYTE_TABLE;
}

static uint32_t function_of(finder *x, const uint8_t value[BYTE_VALUES])
{
    size_t known = (size_t)hmap_getn(&x->functions, value, BYTE_VALUES);
    if (known == 0) {
        sir_byte_function f = {0};
        memcpy(f.value, value, BYTE_VALUES);
        classify(&f);
        VEC_PUSH(x->a, &x->b->functions, f);
        known = x->b->functions.len;
        hmap_setn(&x->functions, value, BYTE_VALUES, (void *)known);
    }
    return (uint32_t)known - 1;
}

// ---- Nodes ----

static uint32_t input_of(finder *x, uint32_t item)
{
    const uint32_t key[2] = {UINT32_MAX, item};
    size_t known = (size_t)hmap_getn(&x->nodes, key, sizeof key);
    if (known == 0) {
        VEC_PUSH(x->a, &x->b->nodes, (sir_byte_node){.input = true, .item = item});
        known = x->b->nodes.len;
        hmap_setn(&x->nodes, key, sizeof key, (void *)known);
    }
    return (uint32_t)known - 1;
}

static uint32_t node_of(finder *x, const sir_byte_node *sum)
{
    if (sum->terms.len == 1 && sum->constant == 0 &&
        x->b->functions.data[sum->terms.data[0].function].kind == BYTE_SAME)
        return sum->terms.data[0].node;
    size_t words = 2 * sum->terms.len + 1;
    uint32_t *key = ARENA_ARRAY(x->scratch, uint32_t, words);
    key[0] = sum->constant;
    if (sum->terms.len > 0)
        memcpy(key + 1, sum->terms.data, sum->terms.len * sizeof *sum->terms.data);
    size_t known = (size_t)hmap_getn(&x->nodes, key, words * sizeof *key);
    if (known == 0) {
        VEC_PUSH(x->a, &x->b->nodes, *sum);
        known = x->b->nodes.len;
        hmap_setn(&x->nodes, key, words * sizeof *key, (void *)known);
    }
    return (uint32_t)known - 1;
}

// The byte of eight wires, lowest bit first; false: it is none.
static bool gather(finder *x, const sir_wire wires[BYTE_BITS_OF], sir_byte_node *sum)
{
    *sum = (sir_byte_node){0};
    size_t at[BYTE_BITS_OF] = {0};
    const bit_sum *sums[BYTE_BITS_OF];
    for (int i = 0; i < BYTE_BITS_OF; i++) {
        sums[i] = &x->sums[wires[i] / 2];
        if (sums[i]->none)
            return false;
        sum->constant |= (uint8_t)((sums[i]->one ^ (wires[i] & 1)) << i);
    }
    for (;;) {
        uint32_t node = UINT32_MAX;
        uint8_t value[BYTE_VALUES] = {0};
        for (int i = 0; i < BYTE_BITS_OF; i++)
            if (at[i] < sums[i]->terms.len && sums[i]->terms.data[at[i]].node < node)
                node = sums[i]->terms.data[at[i]].node;
        if (node == UINT32_MAX)
            return true;
        for (int i = 0; i < BYTE_BITS_OF; i++) {
            if (at[i] == sums[i]->terms.len || sums[i]->terms.data[at[i]].node != node)
                continue;
            const sir_truth *truth = &sums[i]->terms.data[at[i]++].truth;
            for (uint32_t v = 0; v < BYTE_VALUES; v++)
                value[v] |= (uint8_t)(sir_truth_at(truth, v) << i);
        }
        VEC_PUSH(x->a, &sum->terms, (sir_byte_term){node, function_of(x, value)});
    }
}

// ---- Bits ----

static bool is_zero(const sir_truth *t)
{
    static const sir_truth zero;
    return memcmp(t, &zero, sizeof zero) == 0;
}

static sir_truth inverted(const sir_truth *t)
{
    sir_truth r;
    for (size_t i = 0; i < NETWORK_WORDS; i++)
        r.word[i] = ~t->word[i];
    return r;
}

// A sum of one function, of any value at 0.
static void set_single(finder *x, bit_sum *s, uint32_t node, const sir_truth *truth)
{
    s->one = truth->word[0] & 1;
    const bit_term term = {node, s->one ? inverted(truth) : *truth};
    if (!is_zero(&term.truth))
        VEC_PUSH(x->scratch, &s->terms, term);
}

static void set_input(finder *x, bit_sum *s, const sir_gate *g)
{
    s->none = g->b >= BYTE_BITS_OF;
    if (s->none)
        return;
    sir_truth truth = {{0}};
    for (uint32_t v = 0; v < BYTE_VALUES; v++)
        truth.word[v / 64] |= (uint64_t)(v >> g->b & 1) << (v % 64);
    set_single(x, s, input_of(x, g->a), &truth);
}

static void set_sum(finder *x, bit_sum *s, const sir_gate *g)
{
    const bit_sum *a = &x->sums[g->a / 2], *b = &x->sums[g->b / 2];
    s->none = a->none || b->none;
    s->one = a->one != b->one;
    for (size_t i = 0, k = 0; !s->none && (i < a->terms.len || k < b->terms.len);) {
        const bit_term *p = i < a->terms.len ? &a->terms.data[i] : NULL,
                       *q = k < b->terms.len ? &b->terms.data[k] : NULL;
        bool left = p != NULL && (q == NULL || p->node <= q->node),
             right = q != NULL && (p == NULL || q->node <= p->node);
        bit_term term = left ? *p : *q;
        for (size_t w = 0; left && right && w < NETWORK_WORDS; w++)
            term.truth.word[w] ^= q->truth.word[w];
        i += left;
        k += right;
        if (!is_zero(&term.truth))
            VEC_PUSH(x->scratch, &s->terms, term);
        s->none = s->terms.len > SUM_TERMS;
    }
}

// All values of a sum of one function at most.
static sir_truth all_of(const bit_sum *s, bool inverse)
{
    sir_truth t = {{0}};
    if (s->terms.len > 0)
        t = s->terms.data[0].truth;
    return s->one != inverse ? inverted(&t) : t;
}

// Of one byte a product is a function of it.
static void set_product(finder *x, bit_sum *s, const sir_gate *g)
{
    const bit_sum *a = &x->sums[g->a / 2], *b = &x->sums[g->b / 2];
    s->none =
        a->none || b->none || a->terms.len != 1 || b->terms.len != 1 || a->terms.data[0].node != b->terms.data[0].node;
    if (s->none)
        return;
    sir_truth t = all_of(a, g->a & 1), other = all_of(b, g->b & 1);
    for (size_t i = 0; i < NETWORK_WORDS; i++)
        t.word[i] &= other.word[i];
    set_single(x, s, a->terms.data[0].node, &t);
}

static const table_index *index_of(finder *x, uint32_t use)
{
    table_index *t = &x->indices[use];
    const sir_table_use *u = &x->n->uses.data[use];
    sir_wire wires[BYTE_BITS_OF] = {WIRE_FALSE};
    sir_byte_node sum;
    if (t->known)
        return t;
    t->known = true;
    memcpy(wires, u->in, x->n->tables.data[u->table].inputs * sizeof *wires);
    t->none = !gather(x, wires, &sum);
    if (t->none)
        return t;
    bool single = sum.terms.len == 1;
    t->node = single ? sum.terms.data[0].node : node_of(x, &sum);
    for (uint32_t v = 0; v < BYTE_VALUES; v++)
        t->at[v] = (uint8_t)(single ? x->b->functions.data[sum.terms.data[0].function].value[v] ^ sum.constant : v);
    return t;
}

static void set_table(finder *x, bit_sum *s, const sir_gate *g)
{
    const table_index *t = index_of(x, g->a);
    s->none = t->none;
    if (s->none)
        return;
    const sir_truth *all = &x->n->tables.data[x->n->uses.data[g->a].table].truth[g->b];
    sir_truth truth = {{0}};
    for (uint32_t v = 0; v < BYTE_VALUES; v++)
        truth.word[v / 64] |= (uint64_t)sir_truth_at(all, t->at[v]) << (v % 64);
    set_single(x, s, t->node, &truth);
}

// ---- All of it ----

static void find_sums(finder *x)
{
    for (size_t i = 1; i < x->n->gates.len; i++) {
        const sir_gate *g = &x->n->gates.data[i];
        if (!x->n->live[i])
            continue;
        switch (g->kind) {
        case GATE_INPUT: set_input(x, &x->sums[i], g); break;
        case GATE_XOR: set_sum(x, &x->sums[i], g); break;
        case GATE_AND: set_product(x, &x->sums[i], g); break;
        case GATE_TABLE: set_table(x, &x->sums[i], g); break;
        case GATE_CONST: break;
        }
    }
}

static bool find_outputs(finder *x)
{
    const sir_wire *wires = x->n->outputs.data;
    bool fits = true;
    for (size_t i = 0; i < x->n->outputs.len && fits; i += NETWORK_BITS) {
        sir_byte_node sum = {0};
        for (size_t k = BYTE_BITS_OF; k < NETWORK_BITS; k++)
            fits = fits && wires[i + k] == WIRE_FALSE;
        fits = fits && gather(x, wires + i, &sum);
        if (fits)
            VEC_PUSH(x->a, &x->b->outputs, node_of(x, &sum));
    }
    return fits;
}

static void find_live(finder *x)
{
    for (VEC_EACH(const uint32_t, o, &x->b->outputs))
        x->b->nodes.data[*o].live = true;
    for (size_t i = x->b->nodes.len; i-- > 0;) {
        const sir_byte_node *node = &x->b->nodes.data[i];
        for (size_t k = 0; k < (node->live ? node->terms.len : 0); k++)
            x->b->nodes.data[node->terms.data[k].node].live = true;
    }
}

// ---- Functions of one byte that are related ----

// A function of a node, how many sums have it, and what it is of the values of the one that most have, if it is a product.
typedef struct byte_use {
    uint32_t function, uses;
    bool related, dropped;
    uint64_t matrix;
} byte_use;
typedef VEC(byte_use) byte_uses;

static byte_uses *find_uses(finder *x)
{
    byte_uses *all = ARENA_ARRAY(x->scratch, byte_uses, x->b->nodes.len);
    for (VEC_EACH(const sir_byte_node, node, &x->b->nodes))
        for (size_t k = 0; k < (node->live ? node->terms.len : 0); k++) {
            const sir_byte_term *t = &node->terms.data[k];
            byte_uses *uses = &all[t->node];
            size_t i = 0;
            while (i < uses->len && uses->data[i].function != t->function)
                i++;
            if (i == uses->len)
                VEC_PUSH(x->scratch, uses, (byte_use){.function = t->function});
            uses->data[i].uses++;
        }
    return all;
}

// Of what `base` gives `f` is a product.
static bool is_product(const sir_byte_function *base, const sir_byte_function *f, uint64_t *matrix)
{
    uint8_t of[BYTE_VALUES];
    bool given[BYTE_VALUES] = {false};
    for (int i = 0; i < BYTE_VALUES; i++) {
        if (given[base->value[i]])
            return false;
        given[base->value[i]] = true;
        of[base->value[i]] = f->value[i];
    }
    return find_matrix(of, matrix);
}

static void relate(finder *x, byte_uses *uses)
{
    const byte_use *base = NULL;
    for (VEC_EACH(byte_use, u, uses))
        base = base == NULL || u->uses > base->uses ? u : base;
    for (VEC_EACH(byte_use, u, uses))
        u->related = u != base &&
                     is_product(&x->b->functions.data[base->function], &x->b->functions.data[u->function], &u->matrix);
    if (base != NULL && base != uses->data) { // first of all
        const byte_use first = uses->data[0];
        const size_t at = (size_t)(base - uses->data);
        uses->data[0] = *base;
        uses->data[at] = first;
    }
}

// Tables that are products of what another one gives, wherever they are asked.
static void find_products(finder *x, const byte_uses *all)
{
    size_t count = x->b->functions.len;
    uint32_t *of = ARENA_ARRAY(x->scratch, uint32_t, count + 1); // 1 more than it; UINT32_MAX: none for all nodes
    uint64_t *matrix = ARENA_ARRAY(x->scratch, uint64_t, count + 1);
    for (size_t i = 0; i < x->b->nodes.len; i++)
        for (VEC_EACH(const byte_use, u, &all[i])) {
            uint32_t base = u->related ? all[i].data[0].function + 1 : UINT32_MAX;
            of[u->function] = of[u->function] == 0 || of[u->function] == base ? base : UINT32_MAX;
            matrix[u->function] = u->matrix;
        }
    for (size_t i = 0; i < count; i++) {
        sir_byte_function *f = &x->b->functions.data[i];
        if (f->kind != BYTE_TABLE || of[i] == 0 || of[i] == UINT32_MAX || x->linear >= x->look_up)
            continue; // others are products of the byte itself, or of its inverse
        f->kind = BYTE_LINEAR;
        f->matrix = matrix[i];
        f->of = of[i];
    }
}

static bool is_sum(const finder *x, uint32_t f, uint32_t a, uint32_t b)
{
    const sir_byte_function *all = x->b->functions.data;
    bool sum = true;
    for (int v = 0; v < BYTE_VALUES && sum; v++)
        sum = all[f].value[v] == (all[a].value[v] ^ all[b].value[v]);
    return sum;
}

// Functions of one byte, at most, of which some are found to be sums of two others: that takes the third power of them.
enum { MOST_RELATED = 32 };

// Two others whose sum it is.
static bool find_two(const finder *x, const byte_uses *uses, const byte_use *u, uint32_t two[2])
{
    if (uses->len > MOST_RELATED)
        return false;
    for (size_t i = 0; i < uses->len; i++)
        for (size_t k = i + 1; k < uses->len; k++) {
            const byte_use *a = &uses->data[i], *b = &uses->data[k];
            if (a == u || b == u || a->dropped || b->dropped || !is_sum(x, u->function, a->function, b->function))
                continue;
            two[0] = a->function;
            two[1] = b->function;
            return true;
        }
    return false;
}

static void replace(finder *x, uint32_t node, uint32_t function, const uint32_t two[2])
{
    for (VEC_EACH(sir_byte_node, sum, &x->b->nodes))
        for (size_t k = 0; k < sum->terms.len; k++)
            if (sum->terms.data[k].node == node && sum->terms.data[k].function == function) {
                sum->terms.data[k].function = two[0];
                VEC_PUSH(x->a, &sum->terms, (sir_byte_term){node, two[1]});
            }
}

// The one that takes most, which is the one that mixes most bits, is the sum.
static void drop_sums(finder *x, uint32_t node, byte_uses *uses)
{
    for (bool more = true; more;) {
        byte_use *most = NULL;
        uint32_t two[2], chosen[2] = {0};
        for (VEC_EACH(byte_use, u, uses)) {
            int takes = x->b->functions.data[u->function].kind == BYTE_TABLE ? x->look_up : x->linear;
            if (u->related && !u->dropped && (int64_t)u->uses < takes &&
                (most == NULL || __builtin_popcountll(u->matrix) > __builtin_popcountll(most->matrix)) &&
                find_two(x, uses, u, two)) {
                most = u;
                memcpy(chosen, two, sizeof two);
            }
        }
        more = most != NULL;
        if (more) {
            most->dropped = true;
            replace(x, node, most->function, chosen);
        }
    }
}

static void find_related(finder *x)
{
    byte_uses *all = find_uses(x);
    for (size_t i = 0; i < x->b->nodes.len; i++)
        relate(x, &all[i]);
    find_products(x, all);
    for (size_t i = 0; i < x->b->nodes.len; i++)
        drop_sums(x, (uint32_t)i, &all[i]);
}

// What live nodes take; a function of a node is computed once.
static void count(finder *x)
{
    hmap counted;
    hmap_init(&counted, x->scratch);
    for (VEC_EACH(const sir_byte_node, node, &x->b->nodes)) {
        if (!node->live || node->input)
            continue;
        x->b->sums += (int64_t)node->terms.len - (node->constant == 0 && node->terms.len > 0);
        for (VEC_EACH(const sir_byte_term, t, &node->terms)) {
            const sir_byte_function *f = &x->b->functions.data[t->function];
            if (hmap_getn(&counted, t, sizeof *t) != NULL)
                continue;
            hmap_setn(&counted, t, sizeof *t, x->b);
            x->b->linear += f->kind == BYTE_LINEAR;
            x->b->inverses += f->kind == BYTE_INVERSE;
            x->b->sums += f->kind == BYTE_INVERSE && f->before != 0;
            x->b->tables += f->kind == BYTE_TABLE;
        }
    }
}

const sir_bytes *sir_bytes_of(arena *a, const sir_network *n, int linear, int look_up)
{
    finder x = {.a = a, .scratch = arena_create(), .n = n, .b = ARENA_NEW(a, sir_bytes)};
    x.linear = linear;
    x.look_up = look_up;
    x.sums = ARENA_ARRAY(x.scratch, bit_sum, n->gates.len);
    x.indices = ARENA_ARRAY(x.scratch, table_index, n->uses.len + 1);
    hmap_init(&x.functions, x.scratch);
    hmap_init(&x.nodes, x.scratch);
    find_sums(&x);
    bool fits = find_outputs(&x);
    if (fits) {
        find_live(&x);
        find_related(&x);
        count(&x);
    }
    arena_destroy(x.scratch);
    return fits ? x.b : NULL;
}
