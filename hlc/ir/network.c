// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Boolean networks: gates, and gates out of truth tables.
#include "hlc/ir/network.h"

#include <string.h>

// Tables of so few gates become gates where they are used.
enum { TABLE_GATES = 10 };

sir_network *sir_network_new(arena *a, hmap *tables_made)
{
    sir_network *n = ARENA_NEW(a, sir_network);
    n->arena = a;
    n->tables_made = tables_made;
    hmap_init(&n->known, a);
    VEC_PUSH(a, &n->gates, (sir_gate){GATE_CONST, 0, 0});
    return n;
}

// ---- Gates ----

// The slot of a gate, or the free one where it belongs.
static uint32_t *slot_of(const sir_network *n, sir_gate g)
{
    uint64_t hash =
        (g.a * UINT64_C(0x9e3779b97f4a7c15)) ^ ((uint64_t)g.b << 32 | g.kind) * UINT64_C(0xc4ceb9fe1a85ec53);
    size_t mask = n->slot_count - 1;
    for (size_t i = (hash ^ hash >> 32) & mask;; i = (i + 1) & mask) {
        const sir_gate *at = &n->gates.data[n->slots[i]];
        if (n->slots[i] == 0 || (at->a == g.a && at->b == g.b && at->kind == g.kind))
            return &n->slots[i];
    }
}

static void more_slots(sir_network *n)
{
    n->slot_count = n->slot_count == 0 ? 64 : 2 * n->slot_count;
    n->slots = ARENA_ARRAY(n->arena, uint32_t, n->slot_count);
    for (size_t i = 1; i < n->gates.len; i++)
        *slot_of(n, n->gates.data[i]) = (uint32_t)i;
}

static sir_wire gate(sir_network *n, sir_gate_kind kind, uint32_t a, uint32_t b)
{
    const sir_gate g = {kind, a, b};
    if (n->gates.len >= n->slot_count / 4 * 3)
        more_slots(n);
    uint32_t *slot = slot_of(n, g);
    if (*slot == 0) {
        *slot = (uint32_t)n->gates.len;
        VEC_PUSH(n->arena, &n->gates, g);
    }
    return 2 * *slot;
}

sir_wire sir_wire_input(sir_network *n, uint32_t item, uint32_t bit)
{
    return gate(n, GATE_INPUT, item, bit);
}

sir_wire sir_wire_and(sir_network *n, sir_wire a, sir_wire b)
{
    if (a == WIRE_FALSE || b == WIRE_FALSE || a == sir_wire_not(b))
        return WIRE_FALSE;
    if (a == WIRE_TRUE || a == b)
        return b;
    if (b == WIRE_TRUE)
        return a;
    return a < b ? gate(n, GATE_AND, a, b) : gate(n, GATE_AND, b, a);
}

sir_wire sir_wire_xor(sir_network *n, sir_wire a, sir_wire b)
{
    sir_wire inverted = (a ^ b) & 1;
    a &= ~1U;
    b &= ~1U;
    if (a == b)
        return WIRE_FALSE ^ inverted;
    if (a == WIRE_FALSE)
        return b ^ inverted;
    if (b == WIRE_FALSE)
        return a ^ inverted;
    return (a < b ? gate(n, GATE_XOR, a, b) : gate(n, GATE_XOR, b, a)) ^ inverted;
}

sir_wire sir_wire_choose(sir_network *n, sir_wire which, sir_wire a, sir_wire b)
{
    if (which == WIRE_TRUE || a == b)
        return a;
    if (which == WIRE_FALSE)
        return b;
    if (a == WIRE_FALSE)
        return sir_wire_and(n, sir_wire_not(which), b);
    if (b == WIRE_FALSE)
        return sir_wire_and(n, which, a);
    if (a == WIRE_TRUE)
        return sir_wire_or(n, which, b);
    if (b == WIRE_TRUE)
        return sir_wire_or(n, sir_wire_not(which), a);
    return sir_wire_xor(n, b, sir_wire_and(n, which, sir_wire_xor(n, a, b)));
}

// ---- Gates out of truth tables ----
//
// A function of r bits is split by its highest: f0 and f1 are what it is where that bit x is 0 and 1, and f2 is f0 ^ f1.
// Then it is f0 ^ (x & f2), f1 ^ (~x & f2), or the choice of f1 and f0 by x; the parts are functions of r - 1 bits, of which
// there are few, so that most are known before long. Several orders of the bits are tried.

enum { FEW_BITS = 3, FEW = 2 << (1 << FEW_BITS) };

// What is made, 1 more than the wire: most are functions of few bits.
typedef struct splitter {
    sir_network *n;
    const sir_wire *bits; // lowest first
    uint32_t few[FEW];    // by truth table, where a 1 above it says how many bits it has
    hmap made;            // the others, by number of bits and truth table
} splitter;

typedef struct made_key {
    uint64_t bits;
    sir_truth truth;
} made_key;

static sir_truth half_of(const sir_truth *t, uint32_t bits, bool high)
{
    sir_truth r = {{0}};
    if (bits > 6) {
        size_t words = (size_t)1 << (bits - 7);
        memcpy(r.word, t->word + (high ? words : 0), words * sizeof *r.word);
        return r;
    }
    uint32_t length = UINT32_C(1) << (bits - 1);
    uint64_t mask = length == 64 ? UINT64_MAX : (UINT64_C(1) << length) - 1;
    r.word[0] = t->word[0] >> (high ? length : 0) & mask;
    return r;
}

static sir_truth truth_xor(const sir_truth *a, const sir_truth *b)
{
    sir_truth r;
    for (size_t i = 0; i < NETWORK_WORDS; i++)
        r.word[i] = a->word[i] ^ b->word[i];
    return r;
}

static sir_truth all_true(uint32_t bits)
{
    sir_truth r = {{0}};
    if (bits >= 6)
        memset(r.word, 0xff, ((size_t)1 << (bits - 6)) * sizeof *r.word);
    else
        r.word[0] = (UINT64_C(1) << (1U << bits)) - 1;
    return r;
}

static bool is_zero(const sir_truth *t)
{
    static const sir_truth zero;
    return memcmp(t, &zero, sizeof zero) == 0;
}

// As it is where index 0 is false; inverted or not, a function is known as this one.
static made_key key_of(const sir_truth *t, uint32_t bits)
{
    made_key k = {bits, *t};
    if (t->word[0] & 1) {
        sir_truth ones = all_true(bits);
        k.truth = truth_xor(t, &ones);
    }
    return k;
}

static size_t made_key_bytes(const made_key *k)
{
    return sizeof k->bits + sizeof k->truth.word[0] * (k->bits > 6 ? (size_t)1 << (k->bits - 6) : 1);
}

static size_t few_index(const made_key *k)
{
    return (size_t)(k->truth.word[0] | UINT64_C(1) << (1U << k->bits));
}

// 0: it is not made.
static uint32_t made_as(const splitter *s, const made_key *k)
{
    if (k->bits <= FEW_BITS)
        return s->few[few_index(k)];
    return (uint32_t)(size_t)hmap_getn(&s->made, k, made_key_bytes(k));
}

static bool is_made(const splitter *s, const sir_truth *t, uint32_t bits)
{
    made_key k = key_of(t, bits);
    return is_zero(&k.truth) || made_as(s, &k) != 0;
}

// About what making a function takes that is not made.
static int64_t price(const splitter *s, const sir_truth *t, uint32_t bits)
{
    return is_made(s, t, bits) ? 0 : INT64_C(1) << bits;
}

static sir_wire make(splitter *s, const sir_truth *t, uint32_t bits)
{
    made_key k = key_of(t, bits);
    sir_wire inverted = (sir_wire)(t->word[0] & 1);
    if (is_zero(&k.truth))
        return WIRE_FALSE ^ inverted;
    uint32_t known = made_as(s, &k);
    if (known != 0)
        return (sir_wire)(known - 1) ^ inverted;
    uint32_t rest = bits - 1;
    sir_wire x = s->bits[rest], r;
    sir_truth f0 = half_of(&k.truth, bits, false), f1 = half_of(&k.truth, bits, true), f2 = truth_xor(&f0, &f1);
    if (is_zero(&f2) || is_zero(&f0)) {
        r = make(s, &f1, rest);
        r = is_zero(&f2) ? r : sir_wire_and(s->n, x, r);
    } else if (is_zero(&f1)) {
        r = sir_wire_and(s->n, sir_wire_not(x), make(s, &f0, rest));
    } else {
        // Two of the three are made, one after the other: the first one's gates are there for the second.
        int64_t p0 = price(s, &f0, rest), p1 = price(s, &f1, rest), p2 = price(s, &f2, rest);
        const bool with_f0 = p0 + p2 <= p1 + p2 && p0 + p2 <= p0 + p1 + 1;
        const bool with_f1 = !with_f0 && p1 + p2 <= p0 + p1 + 1;
        const sir_wire first = make(s, with_f0 ? &f0 : &f1, rest),
                       second = make(s, with_f0 || with_f1 ? &f2 : &f0, rest);
        r = with_f0   ? sir_wire_xor(s->n, first, sir_wire_and(s->n, x, second))
            : with_f1 ? sir_wire_xor(s->n, first, sir_wire_and(s->n, sir_wire_not(x), second))
                      : sir_wire_choose(s->n, x, first, second);
    }
    if (bits <= FEW_BITS)
        s->few[few_index(&k)] = r + 1;
    else
        hmap_setn(&s->made, &k, made_key_bytes(&k), (void *)((size_t)r + 1));
    return r ^ inverted;
}

// The indices of a table whose inputs are in another order: input i is order[i] of before.
static void reorder(uint32_t inputs, const uint32_t *order, uint32_t *indices)
{
    indices[0] = 0;
    for (uint32_t b = 0; b < inputs; b++)
        for (uint32_t i = 0; i < UINT32_C(1) << b; i++)
            indices[i + (UINT32_C(1) << b)] = indices[i] | UINT32_C(1) << order[b];
}

static sir_truth reordered(const sir_truth *t, uint32_t inputs, const uint32_t *indices)
{
    sir_truth r = {{0}};
    for (uint32_t i = 0; i < UINT32_C(1) << inputs; i++)
        r.word[i / 64] |= (uint64_t)sir_truth_at(t, indices[i]) << (i % 64);
    return r;
}

static sir_network *make_in_order(arena *a, const sir_table *t, const uint32_t *order)
{
    sir_network *n = sir_network_new(a, NULL);
    sir_wire bits[NETWORK_INDEX];
    for (uint32_t i = 0; i < t->inputs; i++)
        (void)sir_wire_input(n, i, 0);
    for (uint32_t i = 0; i < t->inputs; i++)
        bits[i] = sir_wire_input(n, order[i], 0);
    splitter s = {.n = n, .bits = bits};
    hmap_init(&s.made, a);
    uint32_t indices[1 << NETWORK_INDEX];
    reorder(t->inputs, order, indices);
    for (uint32_t i = 0; i < t->outputs; i++) {
        sir_truth truth = reordered(&t->truth[i], t->inputs, indices);
        VEC_PUSH(a, &n->outputs, make(&s, &truth, t->inputs));
    }
    return n;
}

static int64_t operations_of(sir_network *n)
{
    sir_network_find_live(n);
    return sir_network_operations(n);
}

// The best of the orders that put each pair of inputs first, the others behind in theirs.
static sir_network *make_gates(arena *a, const sir_table *t)
{
    uint32_t best[NETWORK_INDEX] = {0};
    int64_t least = INT64_MAX;
    arena *scratch = arena_create();
    for (uint32_t first = 0; first < t->inputs; first++)
        for (uint32_t second = 0; second < t->inputs; second++) {
            uint32_t order[NETWORK_INDEX], n = 0;
            if (first == second && t->inputs > 1)
                continue;
            order[n++] = first;
            if (second != first)
                order[n++] = second;
            for (uint32_t i = 0; i < t->inputs; i++)
                if (i != first && i != second)
                    order[n++] = i;
            int64_t operations = operations_of(make_in_order(scratch, t, order));
            if (operations >= least)
                continue;
            least = operations;
            memcpy(best, order, sizeof best);
        }
    arena_destroy(scratch);
    sir_network *n = make_in_order(a, t, best);
    sir_network_find_live(n);
    return n;
}

static uint32_t table_of(sir_network *n, const sir_table *t)
{
    size_t known = (size_t)hmap_getn(&n->known, &t->truth, sizeof t->truth);
    if (known == 0) {
        VEC_PUSH(n->arena, &n->tables, *t);
        known = n->tables.len;
        hmap_setn(&n->known, &t->truth, sizeof t->truth, (void *)known);
    }
    return (uint32_t)known - 1;
}

// The table's gates among those of the network.
static void insert(sir_network *n, const sir_table *t, const sir_wire *in, sir_wire *out)
{
    sir_wire *wires = ARENA_ARRAY(n->arena, sir_wire, t->gates->gates.len);
    for (size_t i = 1; i < t->gates->gates.len; i++) {
        const sir_gate *g = &t->gates->gates.data[i];
        if (g->kind == GATE_INPUT) {
            wires[i] = in[g->a];
            continue;
        }
        sir_wire a = wires[g->a / 2] ^ (g->a & 1), b = wires[g->b / 2] ^ (g->b & 1);
        wires[i] = !t->gates->live[i]    ? WIRE_FALSE
                   : g->kind == GATE_AND ? sir_wire_and(n, a, b)
                                         : sir_wire_xor(n, a, b);
    }
    for (uint32_t i = 0; i < t->outputs; i++) {
        sir_wire w = t->gates->outputs.data[i];
        out[i] = wires[w / 2] ^ (w & 1);
    }
}

// A use has as its key its table and inputs, and a number behind all gates' kinds.
static uint32_t use_of(sir_network *n, const sir_table_use *u)
{
    struct {
        uint32_t what;
        sir_table_use use;
    } key = {UINT32_MAX, *u};
    size_t known = (size_t)hmap_getn(&n->known, &key, sizeof key);
    if (known == 0) {
        VEC_PUSH(n->arena, &n->uses, *u);
        known = n->uses.len;
        hmap_setn(&n->known, &key, sizeof key, (void *)known);
    }
    return (uint32_t)known - 1;
}

// Exchanges what the table says where a bit of the index is 0 and where it is 1.
static sir_truth flip(const sir_truth *t, uint32_t bit)
{
    static const uint64_t low[] = {0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f,
                                   0x00ff00ff00ff00ff, 0x0000ffff0000ffff, 0x00000000ffffffff};
    sir_truth r;
    for (size_t i = 0; i < NETWORK_WORDS; i++)
        r.word[i] = bit < 6 ? (t->word[i] & low[bit]) << (1U << bit) | (t->word[i] >> (1U << bit) & low[bit])
                            : t->word[i ^ ((size_t)1 << (bit - 6))];
    return r;
}

static bool same_truth(const sir_truth *a, const sir_truth *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

// Leaves out an input of which no output depends; false: one does.
static bool drop_input(sir_truth *truth, uint32_t count, uint32_t *in, uint32_t inputs, uint32_t bit)
{
    for (uint32_t k = 0; k < count; k++) {
        sir_truth other = flip(&truth[k], bit);
        if (!same_truth(&other, &truth[k]))
            return false;
    }
    for (uint32_t k = 0; k < count; k++) {
        sir_truth all = truth[k];
        truth[k] = (sir_truth){{0}};
        for (uint32_t i = 0; i < UINT32_C(1) << (inputs - 1); i++) {
            uint32_t low = i & ((UINT32_C(1) << bit) - 1);
            if (sir_truth_at(&all, (i - low) * 2 + low))
                truth[k].word[i / 64] |= UINT64_C(1) << (i % 64);
        }
    }
    memmove(in + bit, in + bit + 1, (inputs - bit - 1) * sizeof *in);
    return true;
}

// Of tables that differ in which inputs and outputs are inverted, the first one by its values stands for all, so that many
// look-ups share one.
typedef struct made_table {
    const sir_table *table;
    uint32_t inputs, outputs; // which are inverted, by bits
} made_table;

typedef enum key_kind { KEY_MADE, KEY_FIRST, KEY_LOOK_UP } key_kind;
typedef struct table_key {
    uint64_t shape; // inputs and outputs, and what it is the key of
    sir_truth truth[NETWORK_BITS];
} table_key;

static size_t key_bytes(const table_key *k, uint32_t outputs)
{
    return (size_t)((const char *)(k->truth + outputs) - (const char *)k);
}

static table_key key_of_table(const sir_truth *truth, uint32_t inputs, uint32_t outputs, key_kind kind)
{
    table_key k = {.shape = (uint64_t)kind << 32 | inputs << 8 | outputs};
    memcpy(k.truth, truth, outputs * sizeof *truth);
    return k;
}

// The table of the first ones, with its gates.
static const sir_table *first_table(hmap *made, const sir_truth *truth, uint32_t outputs, uint32_t inputs)
{
    table_key key = key_of_table(truth, inputs, outputs, KEY_FIRST);
    sir_table *t = hmap_getn(made, &key, key_bytes(&key, outputs));
    if (t == NULL) {
        sir_truth *own = ARENA_ARRAY(made->arena, sir_truth, outputs);
        memcpy(own, truth, outputs * sizeof *truth);
        t = ARENA_NEW(made->arena, sir_table);
        *t = (sir_table){.inputs = inputs, .outputs = outputs, .truth = own};
        t->gates = make_gates(made->arena, t);
        t->operations = sir_network_operations(t->gates);
        hmap_setn(made, &key, key_bytes(&key, outputs), t);
    }
    return t;
}

// An output with inputs inverted, as key_of has it.
static sir_truth tried_of(const sir_truth *truth, uint32_t inputs, uint32_t mask)
{
    sir_truth t = *truth;
    for (uint32_t left = mask; left != 0; left &= left - 1)
        t = flip(&t, (uint32_t)__builtin_ctz(left));
    return key_of(&t, inputs).truth;
}

// Outputs are compared one after the other, so that of most inversions the first says that they are no better.
static made_table normalise(hmap *made, const sir_truth *truth, uint32_t count, uint32_t inputs)
{
    sir_truth best[NETWORK_BITS], tried[NETWORK_BITS], first = truth[0];
    made_table r = {0};
    uint32_t mask = 0;
    memcpy(best, truth, count * sizeof *truth);
    for (uint32_t i = 1; i < UINT32_C(1) << inputs; i++) {
        uint32_t bit = (uint32_t)__builtin_ctz(i); // one at a time goes through all
        mask ^= UINT32_C(1) << bit;
        first = flip(&first, bit);
        tried[0] = key_of(&first, inputs).truth;
        if (memcmp(tried, best, sizeof *tried) > 0)
            continue;
        for (uint32_t k = 1; k < count; k++)
            tried[k] = tried_of(&truth[k], inputs, mask);
        if (memcmp(tried, best, count * sizeof *tried) >= 0)
            continue;
        memcpy(best, tried, count * sizeof *tried);
        r.inputs = mask;
    }
    for (uint32_t k = 0; k < count; k++)
        r.outputs |= (uint32_t)sir_truth_at(&truth[k], r.inputs) << k;
    r.table = first_table(made, best, count, inputs);
    return r;
}

static const made_table *made_table_of(hmap *made, const sir_truth *truth, uint32_t count, uint32_t inputs)
{
    table_key key = key_of_table(truth, inputs, count, KEY_MADE);
    made_table *t = hmap_getn(made, &key, key_bytes(&key, count));
    if (t == NULL) {
        t = ARENA_NEW(made->arena, made_table);
        *t = normalise(made, truth, count, inputs);
        hmap_setn(made, &key, key_bytes(&key, count), t);
    }
    return t;
}

// What is looked up, whatever the bits are. Outputs that are constant, or equal to others, or their inverse, are no outputs
// of the table, and inputs of which none depends are no inputs.
struct sir_look_up {
    const made_table *as;                      // NULL: all are constant
    uint32_t count, inputs, in[NETWORK_INDEX]; // outputs of the table; which are its inputs
    uint32_t outputs;
    sir_wire of[NETWORK_BITS]; // 2 * output of the table, or inverted; constants are NO_OUTPUT and one more
};

enum { NO_OUTPUT = 2 * NETWORK_BITS };

static void find_look_up(sir_look_up *l, hmap *tables_made, uint32_t inputs, const sir_truth *truth, uint32_t outputs)
{
    sir_truth own[NETWORK_BITS];
    *l = (sir_look_up){.inputs = inputs, .outputs = outputs};
    for (uint32_t i = 0; i < outputs; i++) {
        made_key k = key_of(&truth[i], inputs);
        uint32_t at = 0;
        bool constant = is_zero(&k.truth);
        while (!constant && at < l->count && !same_truth(&own[at], &k.truth))
            at++;
        l->of[i] = (constant ? (sir_wire)NO_OUTPUT : 2 * at) + (sir_wire)(truth[i].word[0] & 1);
        if (at == l->count && !constant)
            own[l->count++] = k.truth;
    }
    if (l->count == 0)
        return;
    for (uint32_t i = 0; i < inputs; i++)
        l->in[i] = i;
    for (uint32_t bit = inputs; bit-- > 0;)
        l->inputs -= drop_input(own, l->count, l->in, l->inputs, bit);
    l->as = made_table_of(tables_made, own, l->count, l->inputs);
}

const sir_look_up *sir_look_up_of(hmap *tables_made, uint32_t inputs, const sir_truth *truth, uint32_t outputs)
{
    const table_key key = key_of_table(truth, inputs, outputs, KEY_LOOK_UP);
    sir_look_up *l = hmap_getn(tables_made, &key, key_bytes(&key, outputs));
    if (l == NULL) {
        l = ARENA_NEW(tables_made->arena, sir_look_up);
        find_look_up(l, tables_made, inputs, truth, outputs);
        hmap_setn(tables_made, &key, key_bytes(&key, outputs), l);
    }
    return l;
}

uint32_t sir_wire_look_up(sir_network *n, const sir_wire *in, const sir_look_up *l, sir_wire *out)
{
    sir_wire made[NETWORK_BITS];
    if (l->as != NULL) {
        sir_table_use u = {.table = table_of(n, l->as->table)};
        for (uint32_t i = 0; i < l->inputs; i++)
            u.in[i] = in[l->in[i]] ^ (l->as->inputs >> i & 1);
        bool small = l->as->table->operations <= TABLE_GATES;
        uint32_t use = small ? 0 : use_of(n, &u);
        if (small)
            insert(n, l->as->table, u.in, made);
        for (uint32_t i = 0; i < l->count; i++)
            made[i] = (small ? made[i] : gate(n, GATE_TABLE, use, i)) ^ (l->as->outputs >> i & 1);
    }
    for (uint32_t i = 0; i < l->outputs; i++)
        out[i] = l->of[i] >= NO_OUTPUT ? l->of[i] & 1 : made[l->of[i] / 2] ^ (l->of[i] & 1);
    return l->outputs;
}

// ---- What is needed ----

void sir_network_find_live(sir_network *n)
{
    n->live = ARENA_ARRAY(n->arena, bool, n->gates.len);
    for (VEC_EACH(sir_wire, w, &n->outputs))
        n->live[*w / 2] = true;
    for (size_t i = n->gates.len; i-- > 1;) {
        const sir_gate *g = &n->gates.data[i];
        if (!n->live[i])
            continue;
        if (g->kind == GATE_AND || g->kind == GATE_XOR)
            n->live[g->a / 2] = n->live[g->b / 2] = true;
        if (g->kind != GATE_TABLE)
            continue;
        const sir_table_use *u = &n->uses.data[g->a];
        for (uint32_t k = 0; k < n->tables.data[u->table].inputs; k++)
            n->live[u->in[k] / 2] = true;
    }
}

int64_t sir_network_text(const sir_network *n)
{
    int64_t sum = 0;
    for (size_t i = 1; i < n->gates.len; i++)
        sum += n->live[i];
    for (VEC_EACH(const sir_table, t, &n->tables))
        sum += t->operations;
    return sum;
}

int64_t sir_network_operations(const sir_network *n)
{
    int64_t sum = 0;
    uint32_t last = UINT32_MAX; // outputs of a use follow each other
    for (size_t i = 1; i < n->gates.len; i++) {
        const sir_gate *g = &n->gates.data[i];
        if (!n->live[i])
            continue;
        sum += g->kind == GATE_AND || g->kind == GATE_XOR;
        if (g->kind == GATE_TABLE && g->a != last)
            sum += n->tables.data[n->uses.data[g->a].table].operations;
        if (g->kind == GATE_TABLE)
            last = g->a;
    }
    return sum;
}
