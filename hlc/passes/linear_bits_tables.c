// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tables for the pass 'linear-bits': a value whose bits are parities of bits of its inputs is the exclusive or of elements
// of tables, whose subscripts are bits of the inputs, of bits that are only moved, and of a constant.
//
// NOTE(slots). Each bit of an input flips some bits of the result, its column. Bits with the same column share a bit of a
// subscript: that of a check sum's next table is the lowest byte of the sum and the item together. Inputs of many bits come
// first, so that an item that is one bit finds its place.
#include <inttypes.h>
#include <string.h>

#include "hlc/passes/linear_bits_int.h"

// Bits that move together from which on they need no table; bits of an input that share a table with others.
enum { LEAST_MOVED = 8, FEW_BITS = 2 };

// ---- Which tables ----

typedef struct network_maker {
    arena *a;
    linear_network *n;
    uint32_t column[LINEAR_INPUTS][LINEAR_BITS];
} network_maker;

static uint32_t used_bits(const network_maker *k, size_t input)
{
    uint32_t used = 0;
    for (int b = 0; b < LINEAR_BITS; b++)
        used |= (uint32_t)(k->column[input][b] != 0) << b;
    return used;
}

// Bits of an input that are moved so far to the left, and do nothing else. To the right the sign may come after.
static uint32_t bits_moved(const network_maker *k, size_t input, int left)
{
    uint32_t moved = 0;
    for (int b = 0; b < LINEAR_BITS; b++)
        if (b + left >= 0 && b + left < LINEAR_BITS && k->column[input][b] == UINT32_C(1) << (b + left))
            moved |= UINT32_C(1) << b;
    if (left < 0 && k->column[input][LINEAR_BITS - 1] == UINT32_MAX << (LINEAR_BITS - 1 + left))
        moved |= UINT32_C(1) << (LINEAR_BITS - 1);
    return moved;
}

static void find_moved(network_maker *k, size_t input)
{
    for (int left = 1 - LINEAR_BITS; left < LINEAR_BITS; left++) {
        uint32_t moved = bits_moved(k, input, left);
        if (moved == 0 || (__builtin_popcount(moved) < LEAST_MOVED && moved != used_bits(k, input)))
            continue;
        uint32_t mask = 0;
        for (int b = 0; b < LINEAR_BITS; b++)
            if ((moved >> b & 1) != 0) {
                mask |= k->column[input][b];
                k->column[input][b] = 0;
            }
        VEC_PUSH(k->a, &k->n->moved, (linear_taken){.input = input, .left = left, .mask = mask});
    }
}

static void take(network_maker *k, linear_slot *s, size_t input, int bit, int place)
{
    s->column[place] = k->column[input][bit];
    s->used |= (uint8_t)(1u << place);
    for (VEC_EACH(linear_taken, t, &s->taken))
        if (t->input == input && t->left == place - bit) {
            t->mask |= 1u << place;
            return;
        }
    VEC_PUSH(k->a, &s->taken, (linear_taken){.input = input, .left = place - bit, .mask = 1u << place});
}

static bool take_equal(network_maker *k, size_t input, int bit)
{
    for (size_t i = 0; i < k->n->slot_count; i++)
        for (int place = 0; place < 8; place++)
            if (k->n->slots[i].column[place] == k->column[input][bit]) {
                take(k, &k->n->slots[i], input, bit, place);
                return true;
            }
    return false;
}

static bool take_free(network_maker *k, size_t input, int bit)
{
    for (size_t i = 0; i < k->n->slot_count; i++)
        for (int place = 0; place < 8; place++)
            if ((k->n->slots[i].used >> place & 1) == 0) {
                take(k, &k->n->slots[i], input, bit, place);
                return true;
            }
    return false;
}

static bool find_slots(network_maker *k, size_t input)
{
    size_t own[LINEAR_BITS / 8] = {LINEAR_SLOTS, LINEAR_SLOTS, LINEAR_SLOTS, LINEAR_SLOTS};
    bool few = __builtin_popcount(used_bits(k, input)) <= FEW_BITS;
    for (int b = 0; b < LINEAR_BITS; b++) {
        if (k->column[input][b] == 0 || take_equal(k, input, b) || (few && take_free(k, input, b)))
            continue;
        size_t *slot = &own[b / 8];
        if (*slot == LINEAR_SLOTS && k->n->slot_count == LINEAR_SLOTS)
            return false;
        if (*slot == LINEAR_SLOTS)
            *slot = k->n->slot_count++;
        take(k, &k->n->slots[*slot], input, b, few ? 0 : b % 8);
        few = false; // another bit beside it
    }
    return true;
}

bool linear_make_network(arena *a, const linear_value *v, size_t inputs, linear_network *n)
{
    *n = (linear_network){.constant = v->constant};
    network_maker *k = ARENA_NEW(a, network_maker);
    k->a = a;
    k->n = n;
    for (size_t i = 0; i < inputs; i++)
        for (int b = 0; b < LINEAR_BITS; b++)
            for (int r = 0; r < LINEAR_BITS; r++)
                k->column[i][b] |= (uint32_t)linear_row_has(&v->row[r], i, b) << r;
    for (size_t i = 0; i < inputs; i++)
        find_moved(k, i);
    for (int bits = LINEAR_BITS; bits > 0; bits--)
        for (size_t i = 0; i < inputs; i++)
            if (__builtin_popcount(used_bits(k, i)) == bits && !find_slots(k, i))
                return false;
    return true;
}

int64_t linear_network_cost(const linear_network *n)
{
    int64_t cost = 3 * (int64_t)n->moved.len;
    for (size_t i = 0; i < n->slot_count; i++)
        cost += 2 + 2 * (int64_t)n->slots[i].taken.len;
    return cost;
}

// ---- Expressions ----

static sir_expr *xored(sir_module *m, sir_expr *a, sir_expr *b)
{
    return a == NULL ? b : sir_expr2(m, SIR_BINARY, LANG_OP_XOR, m->scalar[SIR_INT], a, b, b->loc);
}

static sir_expr *masked(sir_module *m, sir_expr *e, uint32_t mask)
{
    if (mask == UINT32_MAX)
        return e;
    return sir_expr2(m, SIR_BINARY, LANG_OP_AND, e->type, e, sir_const_int(m, (int32_t)mask, e->loc), e->loc);
}

static sir_expr *shifted(sir_module *m, const sir_expr *input, int left)
{
    sir_expr *e = linear_copy(m, input);
    if (e->type->kind == SIR_BIT)
        e = sir_expr1(m, SIR_CONVERT, 0, m->scalar[SIR_INT], e, e->loc);
    if (left == 0)
        return e;
    return sir_expr2(m, SIR_BINARY, left > 0 ? LANG_OP_SHL : LANG_OP_SHR, e->type, e,
                     sir_const_int(m, left > 0 ? left : -left, e->loc), e->loc);
}

// What is taken with one mask is masked once.
static sir_expr *subscript_of(sir_module *m, const linear_slot *s, sir_expr *const *inputs)
{
    sir_expr *all = NULL;
    for (size_t i = 0; i < s->taken.len; i++) {
        uint32_t mask = s->taken.data[i].mask;
        bool done = false;
        for (size_t k = 0; k < i; k++)
            done |= s->taken.data[k].mask == mask;
        sir_expr *e = NULL;
        for (size_t k = i; k < s->taken.len && !done; k++)
            if (s->taken.data[k].mask == mask)
                e = xored(m, e, shifted(m, inputs[s->taken.data[k].input], s->taken.data[k].left));
        if (!done)
            all = xored(m, all, masked(m, e, mask));
    }
    return all;
}

static sir_value table_of(sir_module *m, const linear_slot *s)
{
    uint32_t length = 1;
    while ((s->used & ~(length - 1)) != 0)
        length *= 2;
    sir_value v = sir_value_new(m->arena, sir_type_array(m, m->scalar[SIR_INT], length));
    for (uint32_t i = 0; i < length; i++) {
        uint32_t element = 0;
        for (int b = 0; b < 8; b++)
            element ^= (i >> b & 1) != 0 ? s->column[b] : 0;
        v.data[i].i = (int32_t)element;
    }
    return v;
}

static bool is_taken(const sir_filter *f, const char *name)
{
    bool taken = false;
    for (size_t i = 0; i < f->fields.len; i++)
        taken |= strcmp(f->fields.data[i].name, name) == 0;
    return taken;
}

// A constant field with these elements.
static uint32_t table_field(sir_module *m, sir_filter *f, sir_value v, sir_loc loc)
{
    for (size_t i = 0; i < f->fields.len; i++) {
        const sir_field *g = &f->fields.data[i];
        if (g->constant && g->type == v.type && !g->init.zero &&
            memcmp(g->init.data, v.data, v.type->words * sizeof *v.data) == 0)
            return (uint32_t)i;
    }
    const char *name = "bits";
    for (uint32_t k = 2; is_taken(f, name); k++)
        name = arena_printf(m->arena, "bits_%" PRIu32, k);
    VEC_PUSH(m->arena, &f->fields, (sir_field){.name = name, .type = v.type, .init = v, .constant = true, .loc = loc});
    return (uint32_t)f->fields.len - 1;
}

// What the state decides, which has the most bits, is added last.
sir_expr *linear_network_expr(sir_module *m, sir_filter *f, const linear_network *n, sir_expr *const *inputs,
                              sir_loc loc)
{
    sir_expr *all = NULL;
    for (size_t i = n->slot_count; i-- > 0;) {
        sir_value v = table_of(m, &n->slots[i]);
        sir_expr *table = sir_ref(m, SIR_FIELD, table_field(m, f, v, loc), v.type, loc);
        sir_expr *at = subscript_of(m, &n->slots[i], inputs);
        all = xored(m, all, sir_expr2(m, SIR_INDEX, 0, m->scalar[SIR_INT], table, at, loc));
    }
    for (VEC_EACH(const linear_taken, t, &n->moved))
        all = xored(m, all, masked(m, shifted(m, inputs[t->input], t->left), t->mask));
    if (n->constant != 0 || all == NULL)
        all = xored(m, all, sir_const_int(m, (int32_t)n->constant, loc));
    return all;
}
