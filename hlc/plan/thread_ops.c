// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hlc/plan/thread_ops.h"

#include <math.h>
#include <string.h>

#include "hlc/plan/thread_order.h"
#include "support/hmap.h"

enum { LANES = 4, SCALAR_LANE = 3, OPERANDS = 3 };

// ---- The graph ----

thread_ops *thread_ops_create(arena *a, double items, bool positive)
{
    thread_ops *o = ARENA_NEW(a, thread_ops);
    o->arena = a;
    o->items = items;
    o->positive_items = positive;
    o->known = ARENA_NEW(a, hmap);
    hmap_init(o->known, a);
    VEC_PUSH(a, &o->nodes, (thread_node){THREAD_UNKNOWN, 0, 0, 0});
    VEC_PUSH(a, &o->bounds, INFINITY);
    VEC_PUSH(a, &o->positive, false);
    return o;
}

static bool is_positive(const thread_ops *o, const thread_node *n)
{
    enum { SIGN = 31 };
    const bool *of = o->positive.data;
    switch (n->op) {
    case THREAD_ITEM: return o->positive_items;
    case THREAD_NUMBER: return n->a >> SIGN == 0;
    case THREAD_ABS:
    case THREAD_FRACTION: return true;
    case THREAD_MUL: return n->a == n->b || (of[n->a] && of[n->b]);
    case THREAD_ADD:
    case THREAD_MIN: return of[n->a] && of[n->b];
    case THREAD_MAX: return of[n->a] || of[n->b];
    case THREAD_SELECT: return of[n->b] && of[n->c];
    default: return false;
    }
}

// What is not below 0 is no larger than the smaller one of two; and the larger one of a smaller one is within two numbers.
static bool extreme_bound(const thread_ops *o, const thread_node *n, double *bound)
{
    const thread_node *in = &o->nodes.data[n->a];
    double b = o->bounds.data[n->b];
    if (n->op == THREAD_MIN && o->positive.data[n->a] && o->positive.data[n->b]) {
        *bound = fmin(o->bounds.data[n->a], b);
        return true;
    }
    bool between = ((n->op == THREAD_MIN && in->op == THREAD_MAX) || (n->op == THREAD_MAX && in->op == THREAD_MIN)) &&
                   o->nodes.data[n->b].op == THREAD_NUMBER && o->nodes.data[in->b].op == THREAD_NUMBER;
    *bound = between ? fmax(b, o->bounds.data[in->b]) : 0;
    return between;
}

static double bound_of(const thread_ops *o, const thread_node *n)
{
    float number;
    double a, b, extreme;
    switch (n->op) {
    case THREAD_ITEM: return o->items;
    case THREAD_NUMBER: memcpy(&number, &n->a, sizeof number); return isnan(number) ? INFINITY : fabs((double)number);
    case THREAD_FRACTION: return 1;
    case THREAD_UNKNOWN:
    case THREAD_VARIABLE:
    case THREAD_NOT:
    case THREAD_LOOKUP:
    case THREAD_SPECIAL: return INFINITY;
    default: break;
    }
    a = o->bounds.data[n->op == THREAD_SELECT ? n->c : n->a];
    b = n->op == THREAD_NEG || n->op == THREAD_ABS ? 0 : o->bounds.data[n->b];
    if (extreme_bound(o, n, &extreme))
        return extreme;
    if (n->op == THREAD_MUL)
        return a == 0 || b == 0 ? 0 : a * b;
    return n->op == THREAD_ADD ? a + b : a > b ? a : b;
}

static uint32_t node(thread_ops *o, thread_op op, uint32_t a, uint32_t b, uint32_t c)
{
    thread_node n = {op, a, b, c};
    size_t number = (size_t)hmap_getn(o->known, &n, sizeof n);
    if (number != 0)
        return (uint32_t)number;
    VEC_PUSH(o->arena, &o->nodes, n);
    VEC_PUSH(o->arena, &o->bounds, bound_of(o, &n));
    VEC_PUSH(o->arena, &o->positive, is_positive(o, &n));
    hmap_setn(o->known, &n, sizeof n, (void *)(o->nodes.len - 1));
    return (uint32_t)o->nodes.len - 1;
}

uint32_t thread_ops_number(thread_ops *o, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return node(o, THREAD_NUMBER, bits, 0, 0);
}

uint32_t thread_ops_variable(thread_ops *o)
{
    return node(o, THREAD_VARIABLE, (uint32_t)o->nodes.len, 0, 0);
}

void thread_ops_limit(thread_ops *o, uint32_t value, double bound, bool positive)
{
    o->positive.data[value] |= positive;
    if (bound < o->bounds.data[value])
        o->bounds.data[value] = bound;
}

static float value_of(const thread_ops *o, uint32_t v)
{
    float value;
    memcpy(&value, &o->nodes.data[v].a, sizeof value);
    return value;
}

// Of numbers; 0: there is no such rule.
static uint32_t folded(thread_ops *o, thread_op op, uint32_t x, uint32_t y)
{
    float a = value_of(o, x), b = value_of(o, y);
    switch (op) {
    case THREAD_ADD: return thread_ops_number(o, a + b);
    case THREAD_MUL: return thread_ops_number(o, a * b);
    case THREAD_MIN: return a < b ? x : y;
    case THREAD_MAX: return a > b ? x : y;
    case THREAD_FRACTION: return thread_ops_number(o, a - floorf(a));
    case THREAD_ABS: return thread_ops_number(o, fabsf(a));
    default: return 0;
    }
}

static bool is_any_number(const thread_ops *o, uint32_t v)
{
    return o->nodes.data[v].op == THREAD_NUMBER;
}

static bool is_number(const thread_ops *o, uint32_t v, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return o->nodes.data[v].op == THREAD_NUMBER && o->nodes.data[v].a == bits;
}

static bool is_zero(const thread_ops *o, uint32_t v)
{
    return is_number(o, v, 0) || is_number(o, v, -0.0F);
}

// a >= b ? a : b, and the like, as the machine has it.
static uint32_t selected(thread_ops *o, uint32_t truth, uint32_t yes, uint32_t no)
{
    const thread_node *t = &o->nodes.data[truth];
    uint32_t larger = truth, smaller = 0; // by the truth
    bool zero = true;
    if (t->op == THREAD_ADD && o->nodes.data[t->a].op == THREAD_NEG) {
        larger = t->b;
        smaller = o->nodes.data[t->a].a;
        zero = false;
    } else if (t->op == THREAD_ADD && o->nodes.data[t->b].op == THREAD_NEG) {
        larger = t->a;
        smaller = o->nodes.data[t->b].a;
        zero = false;
    }
    if (t->op == THREAD_ADD && zero && o->nodes.data[t->b].op == THREAD_NUMBER) { // with a number
        larger = o->nodes.data[t->a].op == THREAD_NEG ? thread_ops_number(o, value_of(o, t->b)) : t->a;
        t = &o->nodes.data[truth]; // which may have moved
        smaller =
            o->nodes.data[t->a].op == THREAD_NEG ? o->nodes.data[t->a].a : thread_ops_number(o, -value_of(o, t->b));
        zero = false;
    }
    if (is_any_number(o, truth))
        return value_of(o, truth) >= 0 ? yes : no;
    if (yes == no)
        return yes;
    if (yes == larger && (zero ? is_zero(o, no) : no == smaller))
        return node(o, THREAD_MAX, yes, no, 0);
    if (no == larger && (zero ? is_zero(o, yes) : yes == smaller))
        return node(o, THREAD_MIN, yes, no, 0);
    return node(o, THREAD_SELECT, truth, yes, no);
}

static uint32_t negated(thread_ops *o, uint32_t a)
{
    enum { SIGN = 31 };
    if (is_any_number(o, a))
        return node(o, THREAD_NUMBER, o->nodes.data[a].a ^ UINT32_C(1) << SIGN, 0, 0);
    return o->nodes.data[a].op == THREAD_NEG ? o->nodes.data[a].a : node(o, THREAD_NEG, a, 0, 0);
}

// What neighbouring firings do alike has one order, whichever of them was walked first: items come in theirs, then variables, then
// operations, then numbers.
static unsigned rank_of(const thread_ops *o, uint32_t v)
{
    switch (o->nodes.data[v].op) {
    case THREAD_ITEM: return 0;
    case THREAD_VARIABLE: return 1;
    case THREAD_NUMBER: return 3;
    default: return 2;
    }
}

static bool comes_before(const thread_ops *o, uint32_t a, uint32_t b)
{
    const thread_node *x = &o->nodes.data[a], *y = &o->nodes.data[b];
    if (rank_of(o, a) != rank_of(o, b))
        return rank_of(o, a) < rank_of(o, b);
    return x->op == THREAD_ITEM || x->op == THREAD_VARIABLE ? x->a < y->a : a < b;
}

// Sums and products in one order, with what leaves them as they are left out.
static uint32_t commutative(thread_ops *o, thread_op op, uint32_t a, uint32_t b)
{
    bool operations = rank_of(o, a) == rank_of(o, b) && rank_of(o, a) == 2;
    if (comes_before(o, b, a) && !(op == THREAD_MUL && operations)) { // factors stay as they are written
        uint32_t t = a;
        a = b;
        b = t;
    }
    if ((op == THREAD_ADD && is_number(o, b, -0.0F)) || (op == THREAD_MUL && is_number(o, b, 1)))
        return a;
    return op == THREAD_MUL && is_number(o, b, -1) ? negated(o, a) : node(o, op, a, b, 0);
}

uint32_t thread_ops_add(thread_ops *o, thread_op op, uint32_t a, uint32_t b, uint32_t c)
{
    bool one = op == THREAD_FRACTION || op == THREAD_ABS;
    uint32_t number = is_any_number(o, a) && (one || is_any_number(o, b)) ? folded(o, op, a, one ? a : b) : 0;
    if (number != 0)
        return number;
    switch (op) {
    case THREAD_NEG: return negated(o, a);
    case THREAD_ABS:
        while (o->nodes.data[a].op == THREAD_NEG || o->nodes.data[a].op == THREAD_ABS)
            a = o->nodes.data[a].a;
        return node(o, op, a, 0, 0);
    case THREAD_NOT: return o->nodes.data[a].op == THREAD_NOT ? o->nodes.data[a].a : node(o, op, a, 0, 0);
    case THREAD_ADD:
    case THREAD_MUL: return commutative(o, op, a, b);
    case THREAD_SELECT:
        if (o->nodes.data[a].op == THREAD_NOT)
            return thread_ops_add(o, op, o->nodes.data[a].a, c, b);
        return selected(o, a, b, c);
    case THREAD_MIN:
    case THREAD_MAX: return a == b ? a : node(o, op, a, b, 0);
    default: return node(o, op, a, b, c);
    }
}

uint32_t thread_ops_shift(thread_ops *o, uint32_t value, uint32_t offset, uint32_t *copied)
{
    thread_node n = o->nodes.data[value];
    if (value == 0 || n.op == THREAD_NUMBER || offset == 0)
        return value;
    if (copied[value] != 0)
        return copied[value];
    if (n.op == THREAD_ITEM)
        return copied[value] = node(o, n.op, n.a + offset, 0, 0);
    if (n.op == THREAD_VARIABLE)
        return copied[value] = node(o, n.op, n.a, n.b + offset, 0);
    uint32_t a = thread_ops_shift(o, n.a, offset, copied), b = thread_ops_shift(o, n.b, offset, copied);
    return copied[value] = thread_ops_add(o, n.op, a, b, thread_ops_shift(o, n.c, offset, copied));
}

// ---- Instructions ----

typedef struct placed {
    bool there;
    uint32_t reg;
    uint8_t lane;
} placed;

typedef struct packer {
    const thread_ops *o;
    arena *arena;
    placed *at; // by node
    bool *read; // items' elements
    uint32_t registers;
    int64_t vectors, scalars, loose; // halves; loose: those that fit either way
    int64_t alone;                   // scalar halves that no vector half leaves addresses for
    VEC(thread_values) packs;        // four nodes each, 0: none
    size_t followed;                 // of them
    VEC(thread_half) halves;         // all of them, as thread_order.h has them
    int64_t needed;                  // of those that are being added
    size_t alone_at;                 // coordinates that have a register's lanes in turn
    bool *in_alpha;                  // by node: such a coordinate is alpha there
    bool *is_coordinate;             // by node
} packer;

// A value without its signs, and these: a half has one of each operand.
enum { NEGATED = 1, ABSOLUTE = 2 };
typedef struct operand {
    uint32_t value;
    unsigned modifiers;
} operand;

static operand base_of(const packer *p, uint32_t v)
{
    operand o = {v, 0};
    for (;;) {
        const thread_node *n = &p->o->nodes.data[o.value];
        if (n->op == THREAD_NEG)
            o.modifiers ^= (o.modifiers & ABSOLUTE) != 0 ? 0 : NEGATED;
        else if (n->op == THREAD_ABS)
            o.modifiers |= ABSOLUTE;
        else if (n->op != THREAD_NOT)
            return o;
        o.value = n->a;
    }
}

static bool is_operation(const packer *p, uint32_t v)
{
    return p->o->nodes.data[v].op >= THREAD_ADD;
}

static unsigned kind_of(const packer *p, uint32_t v)
{
    thread_op op = p->o->nodes.data[v].op;
    return op == THREAD_MUL ? THREAD_ADD : op;
}

static bool is_product(const packer *p, operand o)
{
    return p->o->nodes.data[o.value].op == THREAD_MUL && (o.modifiers & ABSOLUTE) == 0;
}

// a * b; a number has the sign.
static void factors_of(const packer *p, operand product, operand out[OPERANDS])
{
    const thread_node *n = &p->o->nodes.data[product.value];
    out[0] = base_of(p, n->a);
    out[1] = base_of(p, n->b);
    out[0].modifiers ^= product.modifiers;
    if (p->o->nodes.data[out[1].value].op == THREAD_NUMBER && (out[0].modifiers & ABSOLUTE) == 0)
        out[0].modifiers = 0;
}

// What an instruction for the node reads, numbers left out: a sum has the factors of a product of its own.
static void operands_of(const packer *p, uint32_t v, operand out[OPERANDS])
{
    const thread_node *n = &p->o->nodes.data[v];
    operand a = base_of(p, n->a), b = base_of(p, n->b), c = base_of(p, n->c);
    memset(out, 0, OPERANDS * sizeof *out);
    if (n->op == THREAD_ADD && (is_product(p, a) || is_product(p, b))) {
        bool second = is_product(p, b) && (!is_product(p, a) || b.value > a.value);
        factors_of(p, second ? b : a, out);
        out[2] = second ? a : b;
    } else if (n->op == THREAD_MUL) {
        factors_of(p, (operand){v, 0}, out);
    } else if (n->op >= THREAD_ADD) {
        out[0] = a;
        out[n->op == THREAD_ADD ? 2 : 1] = b;
        if (n->op == THREAD_SELECT)
            out[2] = c;
    }
    for (unsigned k = 0; k < OPERANDS; k++)
        if (p->o->nodes.data[out[k].value].op == THREAD_NUMBER)
            out[k] = (operand){0, 0};
}

// Lanes of four values. What is moved is not computed by it.
static void add_half(packer *p, thread_half_kind kind, bool moves, const uint32_t *values, unsigned lanes)
{
    thread_half h = {.kind = kind, .needed = p->needed};
    for (unsigned i = 0; i < LANES; i++) {
        operand read[OPERANDS] = {{values[i], 0}};
        if ((lanes >> i & 1) == 0 || values[i] == 0)
            continue;
        h.value[i] = moves ? 0 : values[i];
        if (!moves)
            operands_of(p, values[i], read);
        for (unsigned k = 0; k < OPERANDS; k++)
            h.needs[OPERANDS * i + k] = is_operation(p, read[k].value) ? read[k].value : 0;
    }
    VEC_PUSH(p->arena, &p->halves, h);
}

static void add_pack(packer *p, const uint32_t lane[LANES])
{
    thread_values pack = {0};
    for (unsigned i = 0; i < LANES; i++) {
        VEC_PUSH(p->arena, &pack, lane[i]);
        if (lane[i] != 0)
            p->at[lane[i]] = (placed){true, p->registers, (uint8_t)i};
    }
    p->registers++;
    VEC_PUSH(p->arena, &p->packs, pack);
}

// What the lanes of a pack read is a pack, unless it has a place.
static void follow(packer *p, const thread_values *pack)
{
    operand read[LANES][OPERANDS] = {{{0}}};
    for (unsigned i = 0; i < LANES; i++)
        if (pack->data[i] != 0)
            operands_of(p, pack->data[i], read[i]);
    for (unsigned k = 0; k < OPERANDS; k++) {
        uint32_t lane[LANES] = {0};
        bool any = false;
        for (unsigned i = 0; i < LANES; i++) {
            uint32_t v = read[i][k].value;
            bool first = v != 0 && is_operation(p, v) && !p->at[v].there;
            for (unsigned j = 0; j < i; j++)
                first = first && lane[j] != v;
            lane[i] = first ? v : 0;
            any = any || first;
        }
        if (any)
            add_pack(p, lane);
    }
}

// What a half reads with: for each operand the register of red, green and blue, that of alpha (0: any), and modifiers.
typedef struct half {
    unsigned kind;
    uint32_t rgb[OPERANDS], alpha[OPERANDS];
    unsigned modifiers[OPERANDS];
} half;

static half half_of(const packer *p, uint32_t v)
{
    operand read[OPERANDS];
    half h = {.kind = kind_of(p, v)};
    operands_of(p, v, read);
    for (unsigned k = 0; k < OPERANDS; k++) {
        const placed *at = &p->at[read[k].value];
        if (read[k].value == 0 || !at->there)
            continue;
        *(at->lane == SCALAR_LANE ? &h.alpha[k] : &h.rgb[k]) = at->reg + 1;
        h.modifiers[k] = read[k].modifiers;
    }
    return h;
}

static bool join(half *have, const half *more)
{
    half both = *have;
    for (unsigned k = 0; k < OPERANDS; k++) {
        bool old = have->rgb[k] + have->alpha[k] != 0, new = more->rgb[k] + more->alpha[k] != 0;
        if ((have->rgb[k] != 0 && more->rgb[k] != 0 && have->rgb[k] != more->rgb[k]) ||
            (have->alpha[k] != 0 && more->alpha[k] != 0 && have->alpha[k] != more->alpha[k]) ||
            (old && new && have->modifiers[k] != more->modifiers[k]))
            return false;
        both.rgb[k] |= more->rgb[k];
        both.alpha[k] |= more->alpha[k];
        both.modifiers[k] |= more->modifiers[k];
    }
    if (have->kind != more->kind)
        return false;
    *have = both;
    return true;
}

static bool add_address(uint32_t have[OPERANDS], uint32_t reg)
{
    unsigned k = 0;
    while (k < OPERANDS && have[k] != 0 && have[k] != reg)
        k++;
    if (reg != 0 && k < OPERANDS)
        have[k] = reg;
    return reg == 0 || k < OPERANDS;
}

// Whether two halves are one instruction: together they have three addresses for red, green and blue, and three for alpha.
static bool share_addresses(const half *a, const half *b)
{
    uint32_t rgb[OPERANDS] = {0}, alpha[OPERANDS] = {0};
    bool fits = true;
    for (unsigned k = 0; k < OPERANDS; k++) {
        fits = add_address(rgb, a->rgb[k]) && add_address(alpha, a->alpha[k]) && fits;
        fits = add_address(rgb, b->rgb[k]) && add_address(alpha, b->alpha[k]) && fits;
    }
    return fits;
}

// The vector halves that the first three lanes need: lanes share one that do the same to components of the same registers. The
// fourth lane goes with one of them, or else alone.
static void count_vectors(packer *p, const thread_values *pack)
{
    half halves[SCALAR_LANE];
    unsigned count = 0, lanes[SCALAR_LANE] = {0};
    for (unsigned i = 0; i < SCALAR_LANE; i++) {
        if (pack->data[i] == 0)
            continue;
        half own = half_of(p, pack->data[i]);
        unsigned h = 0;
        while (h < count && !join(&halves[h], &own))
            h++;
        if (h == count)
            halves[count++] = own;
        lanes[h] |= 1U << i;
    }
    p->vectors += count;
    for (unsigned h = 0; h < count; h++)
        add_half(p, THREAD_VECTOR, false, pack->data, lanes[h]);
    if (pack->data[SCALAR_LANE] == 0)
        return;
    half scalar = half_of(p, pack->data[SCALAR_LANE]);
    add_half(p, THREAD_SCALAR, false, pack->data, 1U << SCALAR_LANE);
    bool fits = count == 0;
    for (unsigned h = 0; h < count; h++)
        fits = fits || share_addresses(&halves[h], &scalar);
    p->scalars += fits;
    p->alone += !fits;
}

// Coordinates have red, alpha and blue of their register in turn, where the other coordinate is green.
static thread_half_kind kind_of_single(packer *p, const thread_values *pack)
{
    if (p->needed == THREAD_NEEDED_BY_NONE)
        return THREAD_EITHER;
    for (unsigned i = 0; i < LANES; i++)
        if (p->is_coordinate[pack->data[i]])
            return p->in_alpha[pack->data[i]] ? THREAD_SCALAR : THREAD_VECTOR;
    return THREAD_EITHER;
}

static void count_pack(packer *p, const thread_values *pack)
{
    unsigned lanes = 0, special = 0;
    for (unsigned i = 0; i < LANES; i++) {
        lanes += pack->data[i] != 0;
        special += p->o->nodes.data[pack->data[i]].op == THREAD_SPECIAL;
    }
    if (special > 0) {
        p->scalars += lanes;
        for (unsigned i = 0; i < LANES; i++)
            if (pack->data[i] != 0)
                add_half(p, THREAD_SCALAR, false, pack->data, 1U << i);
    } else if (lanes == 1) {
        p->loose++;
        add_half(p, kind_of_single(p, pack), false, pack->data, (1U << LANES) - 1);
    } else {
        count_vectors(p, pack);
    }
}

// Items lie where lookups put them.
static void place_items(packer *p)
{
    for (uint32_t v = 1; v < p->o->nodes.len; v++) {
        const thread_node *n = &p->o->nodes.data[v];
        if (n->op != THREAD_ITEM)
            continue;
        p->at[v] = (placed){true, n->a / LANES, (uint8_t)(n->a % LANES)};
        if (n->a / LANES >= p->registers)
            p->registers = n->a / LANES + 1;
    }
}

// What a table's lookup gives has a register of its own. *lookups: them, in the firings' order.
static void place_tables(packer *p, const bool *seen, thread_values *lookups)
{
    for (uint32_t v = 1; v < p->o->nodes.len; v++) {
        if (!seen[v] || p->o->nodes.data[v].op != THREAD_LOOKUP)
            continue;
        p->at[v] = (placed){true, p->registers++, 0};
        VEC_PUSH(p->arena, lookups, v);
    }
}

// Coordinates of tables that nothing else has placed, and what they are computed from, come alone. A coordinate is in one register with the
// other one, 0: one such serves all that take turns in its register's other lanes. Where it is beside what outputs need, each other
// coordinate has one of its own.
static void place_coordinates(packer *p, const thread_values *lookups)
{
    enum { TURNS = 3 };
    const uint32_t nothing[LANES] = {0};
    uint32_t shared = 0;
    p->is_coordinate = ARENA_ARRAY(p->arena, bool, p->o->nodes.len + 1);
    p->in_alpha = ARENA_ARRAY(p->arena, bool, p->o->nodes.len + 1);
    bool own = false;
    for (size_t i = 0; i < lookups->len; i++) {
        operand at = base_of(p, p->o->nodes.data[lookups->data[i]].a);
        const uint32_t lane[LANES] = {at.value};
        const placed *there = &p->at[at.value];
        bool alone = is_operation(p, at.value) && !there->there;
        bool same = there->there && shared == there->reg * 2 + (there->lane == SCALAR_LANE) + 1;
        if (alone) {
            add_pack(p, lane);
            p->is_coordinate[at.value] = true;
            p->in_alpha[at.value] = p->alone_at++ % TURNS == 1;
        }
        if (same || (alone && own))
            continue;
        own = own || (i == 0 && alone);
        shared = alone ? shared : there->reg * 2 + (there->lane == SCALAR_LANE) + 1;
        p->loose++;
        p->needed = (int64_t)i;
        add_half(p, THREAD_VECTOR, true, nothing, 0);
    }
}

// What a place of an output holds is computed there, unless it is somewhere already: then it is moved, and the move is a half.
static void place_output(packer *p, const uint32_t *values)
{
    uint32_t lane[LANES] = {0};
    unsigned moved = 0, tables = 0; // lanes; tables: each from a register of its own
    uint32_t from[LANES];
    bool any = false;
    for (unsigned i = 0; i < LANES; i++) {
        uint32_t v = from[i] = base_of(p, values[i]).value;
        bool here = is_operation(p, v) && !p->at[v].there;
        for (unsigned j = 0; j < i; j++)
            here = here && lane[j] != v;
        lane[i] = here ? v : 0;
        any = any || here;
        tables |= p->o->nodes.data[v].op == THREAD_LOOKUP ? 1U << i : 0;
        moved |= values[i] != 0 && (!here || v != values[i]) ? 1U << i : 0;
    }
    if (any)
        add_pack(p, lane);
    unsigned low = moved & ((1U << SCALAR_LANE) - 1), apart = low & tables;
    for (unsigned i = 0; i < SCALAR_LANE; i++)
        if ((apart >> i & 1) != 0) {
            add_half(p, THREAD_VECTOR, true, from, 1U << i);
            p->vectors++;
        }
    if ((low & ~apart) != 0) {
        add_half(p, THREAD_VECTOR, true, from, low & ~apart);
        p->vectors++;
    }
    if (moved >> SCALAR_LANE != 0) {
        add_half(p, THREAD_SCALAR, true, from, 1U << SCALAR_LANE);
        p->scalars++;
    }
}

// What packs read is packed, and what that reads.
static void follow_all(packer *p)
{
    for (; p->followed < p->packs.len; p->followed++) {
        thread_values pack = p->packs.data[p->followed];
        follow(p, &pack);
    }
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

void thread_ops_mark(const thread_ops *o, uint32_t value, bool *seen)
{
    if (seen[value])
        return;
    seen[value] = true;
    const thread_node *n = &o->nodes.data[value];
    if (n->op < THREAD_NEG)
        return;
    thread_ops_mark(o, n->a, seen);
    thread_ops_mark(o, n->b, seen);
    thread_ops_mark(o, n->c, seen);
}

static void mark_all(const packer *p, const thread_values *values, bool *seen)
{
    for (VEC_EACH(uint32_t, v, values))
        thread_ops_mark(p->o, *v, seen);
}

static void place_given(packer *p, const thread_values *given)
{
    for (size_t i = 0; i < given->len; i++)
        if (given->data[i] != 0)
            p->at[given->data[i]] = (placed){true, p->registers + (uint32_t)(i / LANES), (uint8_t)(i % LANES)};
    p->registers += (uint32_t)((given->len + LANES - 1) / LANES);
}

// The most instructions of which each needs the one before, to values from `given` ones. A sum computes a product that it reads.
static int64_t height_of(const packer *p, uint32_t value, int64_t *heights)
{
    enum { UNKNOWN = -1 };
    const thread_node *n = &p->o->nodes.data[value];
    if (value == 0 || n->op < THREAD_NEG || (p->at[value].there && n->op != THREAD_LOOKUP))
        return 0;
    if (heights[value] != UNKNOWN)
        return heights[value];
    int64_t most = 0;
    if (n->op == THREAD_LOOKUP)
        return heights[value] = height_of(p, n->a, heights);
    operand read[OPERANDS];
    if (n->op >= THREAD_ADD) {
        bool special = n->op == THREAD_SPECIAL || n->op == THREAD_FRACTION;
        operands_of(p, value, read);
        for (unsigned k = 0; k < OPERANDS && !special; k++)
            most = larger(most, height_of(p, read[k].value, heights));
        if (special)
            most = height_of(p, n->a, heights);
    } else {
        most = height_of(p, n->a, heights) - 1;
    }
    return heights[value] = most + 1;
}

static int64_t height(const packer *p, const thread_values *outputs)
{
    int64_t *heights = ARENA_ARRAY(p->arena, int64_t, p->o->nodes.len + 1), most = 0;
    memset(heights, 0xff, (p->o->nodes.len + 1) * sizeof *heights);
    for (VEC_EACH(uint32_t, v, outputs))
        most = larger(most, height_of(p, *v, heights));
    return most;
}

// Lookups in tables wait for their coordinates, and what reads them waits for them. What coordinates are computed from comes in halves of either
// kind, which the compiler chooses before it knows the order: it does no better than with each as it fits, and tries enough to do better than
// with one kind after the other. So it is the mean of these.
static int64_t ordered(const packer *p, const thread_values *tables)
{
    thread_lookup *lookups = ARENA_ARRAY(p->arena, thread_lookup, tables->len);
    for (size_t i = 0; i < tables->len; i++) {
        uint32_t at = base_of(p, p->o->nodes.data[tables->data[i]].a).value;
        lookups[i] = (thread_lookup){tables->data[i], is_operation(p, at) ? at : 0};
    }
    const thread_order order = {p->arena, p->o->nodes.len, p->halves.data, p->halves.len, lookups, tables->len};
    int64_t as_fits = thread_order_instructions(&order);
    unsigned turn = 0;
    for (VEC_EACH(thread_half, h, &p->halves))
        if (h->kind == THREAD_EITHER && h->needed != THREAD_NEEDED_BY_NONE)
            h->kind = turn++ % 2 == 0 ? THREAD_SCALAR : THREAD_VECTOR;
    return (as_fits + thread_order_instructions(&order)) / 2;
}

int64_t thread_ops_instructions(const thread_ops *o, const thread_piece *piece, int64_t *lookups)
{
    packer p = {.o = o, .arena = o->arena, .registers = 1, .needed = THREAD_NEEDED_BY_NONE};
    const thread_values *outputs = &piece->outputs;
    p.at = ARENA_ARRAY(o->arena, placed, o->nodes.len + 1);
    place_items(&p);
    uint32_t elements = p.registers;
    place_given(&p, &piece->given);
    p.read = ARENA_ARRAY(o->arena, bool, elements + 1);
    bool *seen = ARENA_ARRAY(o->arena, bool, o->nodes.len + 1);
    mark_all(&p, outputs, seen);
    mark_all(&p, &piece->others, seen);
    int64_t chain = height(&p, outputs);
    for (uint32_t v = 1; v < o->nodes.len; v++)
        if (seen[v] && o->nodes.data[v].op == THREAD_ITEM)
            p.read[o->nodes.data[v].a / LANES] = true;
    thread_values tables = {0};
    place_tables(&p, seen, &tables);
    for (size_t i = 0; i + LANES <= outputs->len; i += LANES)
        place_output(&p, outputs->data + i);
    follow_all(&p);
    size_t of_outputs = p.packs.len;
    place_coordinates(&p, &tables);
    follow_all(&p);
    for (size_t i = 0; i < p.packs.len; i++) {
        p.needed = i < of_outputs ? THREAD_NEEDED_BY_NONE : 0;
        count_pack(&p, &p.packs.data[i]);
    }
    *lookups = 0;
    for (uint32_t r = 0; r < elements; r++)
        *lookups += p.read[r];
    int64_t of_items = *lookups;
    *lookups += (int64_t)tables.len;
    // Coordinates are computed where a lookup needs them, two an instruction, but one alone where nothing comes before it.
    bool at_once = piece->coordinates == THREAD_ALL_BUT_ONE && p.read[0];
    int64_t sums = piece->coordinates == THREAD_GIVEN ? 0 : of_items - at_once, all = p.vectors + p.scalars + p.loose;
    if (sums > 0 && !at_once)
        sums++;
    int64_t most = larger(larger(p.vectors, p.scalars), (all + 1) / 2) + p.alone;
    if (tables.len > 0)
        most = ordered(&p, &tables);
    return larger(most, chain) + sums / 2;
}
