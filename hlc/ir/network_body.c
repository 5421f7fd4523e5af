// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The network of a work function: it is run with wires for bits. Loops run, calls do not; both branches of a condition run
// where it is not known, and their results are chosen between.
#include <stdlib.h>
#include <string.h>

#include "hlc/ir/network.h"
#include "hlc/ir/walk.h"

enum { BITS = NETWORK_BITS };

// Most words are numbers, and most others have few bits: what is known to be false at the top takes no time.
typedef struct word {
    bool open;          // not all bits are known
    uint8_t width;      // of an open one: bits from here on are false
    int32_t number;     // of one that is known
    sir_wire bit[BITS]; // of an open one, least significant first; of a boolean the first
} word;

typedef struct runner {
    arena *scratch;
    const sir_module *m;
    const sir_filter *filter;
    const sir_function *work;
    sir_network *n;
    word **locals;
    VEC(word) pushed;
    int64_t popped, steps;
    size_t gates, words; // of locals
    hmap changed;        // by statement: what its branches change
    hmap looked_up;      // by a constant variable and what an index comes to
    sir_network_fault *fault;
    const char *why; // it cannot be done
} runner;

static void give_up(runner *r, sir_loc where, const char *why)
{
    if (r->why == NULL) {
        r->why = r->fault->why = why;
        r->fault->where = where;
    }
}

static void too_much(runner *r, sir_loc where)
{
    r->fault->large = r->fault->large || r->why == NULL;
    give_up(r, where, r->steps < 0 ? "takes too many steps" : "is too large as gates");
}

static inline void step(runner *r, const sir_loc *where, int64_t count)
{
    r->steps -= count;
    if (r->steps < 0 || r->n->gates.len > r->gates)
        too_much(r, *where);
}

// ---- Words ----

static void set_number(word *w, int32_t v)
{
    w->open = false;
    w->number = v;
}

static int width_of(const word *w)
{
    return w->open ? w->width : w->number == 0 ? 0 : BITS - __builtin_clz((uint32_t)w->number);
}

static sir_wire wire_of(const word *w, int i)
{
    return !w->open ? (sir_wire)((uint32_t)w->number >> i & 1) : i < w->width ? w->bit[i] : WIRE_FALSE;
}

// What is a number after all, of so many bits.
static void set_bits(word *w, int width)
{
    while (width > 0 && w->bit[width - 1] == WIRE_FALSE)
        width--;
    uint32_t value = 0;
    w->open = false;
    w->width = (uint8_t)width;
    for (int i = 0; i < width && !w->open; i++) {
        w->open = w->bit[i] > WIRE_TRUE;
        value |= (w->bit[i] & 1) << i;
    }
    w->number = (int32_t)value;
}

static void copy_word(word *to, const word *from)
{
    to->open = from->open;
    to->width = from->width;
    to->number = from->number;
    if (from->open)
        memcpy(to->bit, from->bit, from->width * sizeof *to->bit);
}

static bool is_known(const word *w, int32_t *v)
{
    *v = w->number;
    return !w->open;
}

static void set_wire(word *w, sir_wire wire)
{
    w->bit[0] = wire;
    set_bits(w, 1);
}

static int wider(const word *a, const word *b)
{
    int x = width_of(a), y = width_of(b);
    return x > y ? x : y;
}

// The result may be one of the words, here and below.
static void choose(runner *r, word *w, sir_wire which, const word *a, const word *b)
{
    if (!a->open && !b->open && a->number == b->number) {
        set_number(w, a->number);
        return;
    }
    int width = wider(a, b);
    word all;
    for (int i = 0; i < width; i++)
        all.bit[i] = sir_wire_choose(r->n, which, wire_of(a, i), wire_of(b, i));
    set_bits(&all, width);
    copy_word(w, &all);
}

static void invert(word *w, const word *a)
{
    if (!a->open) {
        set_number(w, ~a->number);
        return;
    }
    for (int i = 0; i < BITS; i++)
        w->bit[i] = sir_wire_not(i < a->width ? a->bit[i] : WIRE_FALSE);
    w->width = BITS;
    w->open = true;
}

// carry: false or true.
static void add(runner *r, word *w, const word *a, const word *b, sir_wire carry)
{
    if (!a->open && !b->open) {
        set_number(w, (int32_t)((uint32_t)a->number + (uint32_t)b->number + carry));
        return;
    }
    word sum;
    int width = wider(a, b), i = 0;
    for (; i < BITS && (i < width || carry != WIRE_FALSE); i++) {
        sir_wire x = wire_of(a, i), y = wire_of(b, i), differ = sir_wire_xor(r->n, x, y);
        sum.bit[i] = sir_wire_xor(r->n, differ, carry);
        if (i + 1 < BITS)
            carry = sir_wire_choose(r->n, differ, carry, x);
    }
    set_bits(&sum, i);
    copy_word(w, &sum);
}

static void shift_left(word *w, const word *a, int count)
{
    int width = width_of(a) + count < BITS ? width_of(a) + count : BITS;
    for (int i = width; i-- > count;)
        w->bit[i] = wire_of(a, i - count);
    for (int i = 0; i < count; i++)
        w->bit[i] = WIRE_FALSE;
    set_bits(w, width < count ? count : width);
}

static void shift_right(word *w, const word *a, int count)
{
    int width = width_of(a) == BITS ? BITS : width_of(a) - count;
    for (int i = 0; i < width; i++)
        w->bit[i] = wire_of(a, i + count < BITS ? i + count : BITS - 1);
    set_bits(w, width < 0 ? 0 : width);
}

static void multiply(runner *r, word *w, const word *a, const word *b)
{
    word sum, part;
    set_number(&sum, 0);
    for (int i = 0; i < width_of(b) && r->why == NULL; i++) {
        sir_wire by = wire_of(b, i);
        if (by == WIRE_FALSE)
            continue;
        shift_left(&part, a, i);
        int width = width_of(&part);
        for (int k = 0; k < width; k++)
            part.bit[k] = sir_wire_and(r->n, wire_of(&part, k), by);
        set_bits(&part, width);
        add(r, &sum, &sum, &part, WIRE_FALSE);
        step(r, &r->work->loc, BITS);
    }
    copy_word(w, &sum);
}

static sir_wire equal(runner *r, const word *a, const word *b)
{
    if (!a->open && !b->open)
        return a->number == b->number ? WIRE_TRUE : WIRE_FALSE;
    sir_wire w = WIRE_TRUE;
    int width = wider(a, b);
    for (int i = 0; i < width; i++)
        w = sir_wire_and(r->n, w, sir_wire_not(sir_wire_xor(r->n, wire_of(a, i), wire_of(b, i))));
    return w;
}

static sir_wire less(runner *r, const word *a, const word *b)
{
    sir_wire w = WIRE_FALSE;
    int width = wider(a, b);
    for (int i = 0; i < width; i++) {
        sir_wire x = wire_of(a, i), y = wire_of(b, i), differ = sir_wire_xor(r->n, x, y);
        w = sir_wire_choose(r->n, differ, i + 1 < BITS ? y : x, w);
    }
    return w;
}

// ---- Few bits: all values that they can have ----

typedef struct few {
    sir_wire in[NETWORK_INDEX]; // gates
    uint32_t count;
    bool many;
} few;

static void collect(few *f, const word *w)
{
    for (int i = 0; w->open && i < w->width && !f->many; i++) {
        sir_wire gate = w->bit[i] & ~1U;
        uint32_t at = 0;
        while (at < f->count && f->in[at] != gate)
            at++;
        if (gate == WIRE_FALSE || at < f->count)
            continue;
        if (f->count == NETWORK_INDEX)
            f->many = true;
        else
            f->in[f->count++] = gate;
    }
}

// A word as a number: what it is where all gates of a few are 0, and which bits each of them inverts.
typedef struct spread {
    uint32_t none, inverts[NETWORK_INDEX];
} spread;

static spread spread_of(const few *f, const word *w)
{
    spread s = {.none = w->open ? 0 : (uint32_t)w->number};
    for (int i = 0; w->open && i < w->width; i++) {
        s.none |= (w->bit[i] & 1) << i;
        for (uint32_t k = 0; k < f->count; k++)
            s.inverts[k] |= (uint32_t)(f->in[k] == (w->bit[i] & ~1U)) << i;
    }
    return s;
}

enum { MOST_VALUES = 1 << NETWORK_INDEX };

// What the word is for all values of the gates; how many.
static uint32_t values_of(const few *f, const spread *s, int32_t values[MOST_VALUES])
{
    values[0] = (int32_t)s->none;
    for (uint32_t k = 0; k < f->count; k++)
        for (uint32_t i = 0; i < UINT32_C(1) << k; i++)
            values[i + (UINT32_C(1) << k)] = (int32_t)((uint32_t)values[i] ^ s->inverts[k]);
    return UINT32_C(1) << f->count;
}

// Bit `bit` of each of eight bytes, side by side.
static uint64_t plane_of(uint64_t bytes, int bit)
{
    return (bytes >> bit & 0x0101010101010101) * 0x0102040810204080 >> 56;
}

static const sir_look_up *look_up_of(const runner *r, const few *f, const int32_t *values)
{
    uint32_t count = UINT32_C(1) << f->count, seen = 0;
    sir_truth truth[BITS] = {{{0}}};
    for (uint32_t i = 0; i < count; i++)
        seen |= (uint32_t)values[i];
    for (int low = 0; low < BITS; low += 8)
        for (uint32_t i = 0; (seen >> low & 0xff) != 0 && i < count; i += 8) {
            uint64_t bytes = 0;
            for (uint32_t k = 0; k < 8 && i + k < count; k++)
                bytes |= (uint64_t)((uint32_t)values[i + k] >> low & 0xff) << (8 * k);
            for (int bit = 0; bit < 8; bit++)
                truth[low + bit].word[i / 64] |= plane_of(bytes, bit) << (i % 64);
        }
    uint32_t outputs = seen == 0 ? 0 : BITS - (uint32_t)__builtin_clz(seen);
    return sir_look_up_of(r->n->tables_made, f->count, truth, outputs);
}

static void look_up(runner *r, word *w, const few *f, const sir_look_up *l)
{
    step(r, &r->work->loc, INT64_C(1) << f->count);
    set_bits(w, (int)sir_wire_look_up(r->n, f->in, l, w->bit));
}

// An operation by all that it may give.
static void tabulated(runner *r, word *w, const sir_expr *e, const word *a, const word *b)
{
    few f = {.count = 0};
    int32_t left[MOST_VALUES], right[MOST_VALUES];
    collect(&f, a);
    collect(&f, b);
    set_number(w, 0);
    if (f.many) {
        give_up(r, e->loc, "divides or shifts by what is not known");
        return;
    }
    const spread of_left = spread_of(&f, a), of_right = spread_of(&f, b);
    uint32_t count = values_of(&f, &of_left, left);
    values_of(&f, &of_right, right);
    for (uint32_t i = 0; i < count; i++) {
        sir_scalar v;
        if (!sir_eval_binary((lang_binary_op)e->op, e->u.arg[0]->type, (sir_scalar){.i = left[i]},
                             (sir_scalar){.i = right[i]}, &v)) {
            give_up(r, e->loc, "may divide by zero");
            return;
        }
        left[i] = v.i;
    }
    look_up(r, w, &f, look_up_of(r, &f, left));
}

// ---- Expressions ----

static void evaluate(runner *r, word *w, const sir_expr *e);

static void bitwise(runner *r, word *w, lang_binary_op op, const word *a, const word *b)
{
    int width = wider(a, b);
    for (int i = 0; i < width; i++) {
        sir_wire x = wire_of(a, i), y = wire_of(b, i);
        w->bit[i] = op == LANG_OP_AND || op == LANG_OP_LAND ? sir_wire_and(r->n, x, y)
                    : op == LANG_OP_OR || op == LANG_OP_LOR ? sir_wire_or(r->n, x, y)
                                                            : sir_wire_xor(r->n, x, y);
    }
    set_bits(w, width);
}

// Of at least one operand that is not known.
static void open_binary(runner *r, word *w, const sir_expr *e, const word *a, const word *b)
{
    lang_binary_op op = (lang_binary_op)e->op;
    int32_t by = b->number;
    word other;
    switch (op) {
    case LANG_OP_ADD: add(r, w, a, b, WIRE_FALSE); return;
    case LANG_OP_SUB:
        invert(&other, b);
        add(r, w, a, &other, WIRE_TRUE);
        return;
    case LANG_OP_MUL: multiply(r, w, a->open ? a : b, a->open ? b : a); return;
    case LANG_OP_EQ: set_wire(w, equal(r, a, b)); return;
    case LANG_OP_NE: set_wire(w, sir_wire_not(equal(r, a, b))); return;
    case LANG_OP_LT: set_wire(w, less(r, a, b)); return;
    case LANG_OP_GT: set_wire(w, less(r, b, a)); return;
    case LANG_OP_LE: set_wire(w, sir_wire_not(less(r, b, a))); return;
    case LANG_OP_GE: set_wire(w, sir_wire_not(less(r, a, b))); return;
    case LANG_OP_AND:
    case LANG_OP_LAND:
    case LANG_OP_OR:
    case LANG_OP_LOR:
    case LANG_OP_XOR: bitwise(r, w, op, a, b); return;
    default: break; // shifts, division
    }
    bool power = by > 0 && (by & (by - 1)) == 0 && a->width < BITS;
    int low = power ? __builtin_ctz((unsigned)by) : 0;
    if (b->open || (op != LANG_OP_SHL && op != LANG_OP_SHR && !power)) {
        tabulated(r, w, e, a, b);
    } else if (op == LANG_OP_SHL) {
        shift_left(w, a, by & 31);
    } else if (op == LANG_OP_SHR) {
        shift_right(w, a, by & 31);
    } else if (op == LANG_OP_DIV) {
        shift_right(w, a, low);
    } else {
        copy_word(w, a);
        set_bits(w, w->width < low ? w->width : low);
    }
}

static void binary(runner *r, word *w, const sir_expr *e)
{
    lang_binary_op op = (lang_binary_op)e->op;
    word a, b;
    evaluate(r, &a, e->u.arg[0]);
    sir_wire first = wire_of(&a, 0);
    if ((op == LANG_OP_LAND && first == WIRE_FALSE) || (op == LANG_OP_LOR && first == WIRE_TRUE)) {
        copy_word(w, &a);
        return;
    }
    evaluate(r, &b, e->u.arg[1]);
    sir_scalar v;
    if (a.open || b.open) {
        open_binary(r, w, e, &a, &b);
    } else if (sir_eval_binary(op, e->u.arg[0]->type, (sir_scalar){.i = a.number}, (sir_scalar){.i = b.number}, &v)) {
        set_number(w, v.i);
    } else {
        give_up(r, e->loc, "divides by zero");
        set_number(w, 0);
    }
}

static bool is_integer(const sir_type *t)
{
    return t->kind == SIR_INT || t->kind == SIR_BIT || t->kind == SIR_BOOLEAN;
}

static int32_t constant_at(const sir_value *v, int64_t at)
{
    return v == NULL || v->zero ? 0 : v->data[at].i;
}

// Where the first word of an lvalue chain is, in words from its root's.
typedef struct place {
    const sir_expr *root;
    bool known;
    int32_t at;  // if it is known
    word offset; // if it is not
} place;

// A subscript that is not known to be one of so many, as an offset in elements of so many words.
static void open_subscript(runner *r, word *index, const sir_expr *e, int32_t length)
{
    // What is outside is wrong, so that an int's upper bits are zero where a table's length is a power of two.
    if ((length & (length - 1)) == 0 && index->open) {
        int low = __builtin_ctz((unsigned)length);
        set_bits(index, index->width < low ? index->width : low);
    } else if ((length & (length - 1)) == 0) {
        set_number(index, index->number & (length - 1));
    }
    few f = {.count = 0};
    collect(&f, index);
    const spread values = spread_of(&f, index);
    uint32_t all = values.none;
    for (uint32_t k = 0; k < f.count; k++)
        all |= values.inverts[k];
    int32_t each[MOST_VALUES];
    uint32_t count = all >= (uint32_t)length ? values_of(&f, &values, each) : 0;
    for (uint32_t i = 0; i < count && !f.many; i++)
        f.many = each[i] < 0 || each[i] >= length;
    if (f.many)
        give_up(r, e->loc, "has subscripts that are not known to be inside");
    word size;
    set_number(&size, (int32_t)e->type->words);
    multiply(r, index, index, &size);
}

static void place_of(runner *r, place *p, const sir_expr *e)
{
    p->known = true;
    set_number(&p->offset, 0);
    int64_t at = 0; // of the subscripts that are known
    for (; e->kind == SIR_INDEX && r->why == NULL; e = e->u.arg[0]) {
        const int32_t length = (int32_t)e->u.arg[0]->type->length;
        word index;
        evaluate(r, &index, e->u.arg[1]);
        if (!index.open && index.number >= 0 && index.number < length) {
            at += index.number * (int64_t)e->type->words;
            continue;
        }
        open_subscript(r, &index, e, length);
        add(r, &p->offset, &p->offset, &index, WIRE_FALSE);
        p->known = false;
    }
    p->root = e;
    p->at = (int32_t)at;
    if (p->known || (!p->offset.open && p->offset.number == 0)) {
        p->known = true;
        return;
    }
    word more;
    set_number(&more, p->at);
    add(r, &p->offset, &p->offset, &more, WIRE_FALSE);
    p->known = is_known(&p->offset, &p->at);
}

// As sir_constant_value, where other than local variables without a constant value cannot be read.
static const sir_value *constant_of(runner *r, const sir_expr *root)
{
    const sir_value *v = sir_constant_value(r->m, r->filter, root);
    if (v == NULL && root->kind != SIR_LOCAL)
        give_up(r, root->loc, "has state, or structs");
    return v;
}

// A word of a variable.
static void word_of(runner *r, word *w, const sir_expr *root, int64_t at)
{
    if (root->kind == SIR_LOCAL)
        copy_word(w, &r->locals[root->index][at]);
    else
        set_number(w, constant_at(constant_of(r, root), at));
}

// Elements of a local array: a table if all that are wanted are known, else they are chosen from.
static void read_local(runner *r, word *w, const sir_expr *e, const few *f, const spread *places, const word *words)
{
    int32_t at[MOST_VALUES], values[MOST_VALUES];
    uint32_t all = values_of(f, places, at);
    bool table = true;
    for (uint32_t i = 0; i < all && table; i++)
        table = is_known(&words[at[i]], &values[i]);
    if (table) {
        look_up(r, w, f, look_up_of(r, f, values));
        return;
    }
    word *elements = ARENA_ARRAY(r->scratch, word, all);
    for (uint32_t i = 0; i < all; i++)
        copy_word(&elements[i], &words[at[i]]);
    step(r, &e->loc, (int64_t)all * BITS);
    for (uint32_t bit = f->count; bit-- > 0;)
        for (uint32_t i = 0; i < UINT32_C(1) << bit; i++)
            choose(r, &elements[i], f->in[bit], &elements[i + (UINT32_C(1) << bit)], &elements[i]);
    copy_word(w, elements);
}

// Of elements that never change, once for all look-ups that go through them in one way.
static const sir_look_up *constants_at(runner *r, const sir_value *v, const few *f, const spread *places)
{
    struct {
        const sir_scalar *data; // which copies of a variable share
        spread places;
        uint32_t count;
    } key;
    memset(&key, 0, sizeof key);
    key.data = v == NULL || v->zero ? NULL : v->data;
    key.places = *places;
    key.count = f->count;
    const sir_look_up *l = hmap_getn(&r->looked_up, &key, sizeof key);
    if (l != NULL)
        return l;
    int32_t values[MOST_VALUES];
    uint32_t all = values_of(f, places, values);
    for (uint32_t i = 0; i < all; i++)
        values[i] = constant_at(v, values[i]);
    l = look_up_of(r, f, values);
    hmap_setn(&r->looked_up, &key, sizeof key, (void *)(uintptr_t)l);
    return l;
}

// Of a scalar in an array, or a scalar variable.
static void read_place(runner *r, word *w, const sir_expr *e)
{
    place p;
    set_number(w, 0);
    place_of(r, &p, e);
    if (r->why != NULL)
        return;
    if (p.known) {
        word_of(r, w, p.root, p.at);
        return;
    }
    few f = {.count = 0};
    collect(&f, &p.offset);
    if (f.many) {
        give_up(r, e->loc, "has subscripts of too many bits");
        return;
    }
    const spread places = spread_of(&f, &p.offset);
    if (p.root->kind == SIR_LOCAL)
        read_local(r, w, e, &f, &places, r->locals[p.root->index]);
    else
        look_up(r, w, &f, constants_at(r, constant_of(r, p.root), &f, &places));
}

static void item(runner *r, word *w, int64_t at, sir_loc loc)
{
    const sir_type *t = r->filter->input;
    int bits = t->kind == SIR_BIT && r->m->byte_bits ? 1 : t->storage == SIR_STORED_UINT8 ? 8 : BITS;
    set_number(w, 0);
    if (at < 0 || at >= r->work->pop.max) {
        give_up(r, loc, "reads items of other firings");
        return;
    }
    for (int i = 0; i < bits; i++)
        w->bit[i] = sir_wire_input(r->n, (uint32_t)at, (uint32_t)i);
    set_bits(w, bits);
}

static void unary(runner *r, word *w, const sir_expr *e)
{
    word a, zero;
    evaluate(r, &a, e->u.arg[0]);
    set_number(&zero, 0);
    if (e->op == LANG_OP_COMPL) {
        invert(w, &a);
    } else if (e->op == LANG_OP_NOT) {
        set_wire(w, equal(r, &a, &zero));
    } else {
        invert(&a, &a);
        add(r, w, &a, &zero, WIRE_TRUE);
    }
}

static void select_one(runner *r, word *w, const sir_expr *e)
{
    word c, a, b;
    evaluate(r, &c, e->u.arg[0]);
    sir_wire which = wire_of(&c, 0);
    if (which <= WIRE_TRUE) {
        evaluate(r, w, e->u.arg[which == WIRE_TRUE ? 1 : 2]);
        return;
    }
    evaluate(r, &a, e->u.arg[1]);
    evaluate(r, &b, e->u.arg[2]);
    choose(r, w, which, &a, &b);
}

static void evaluate(runner *r, word *w, const sir_expr *e)
{
    word at;
    step(r, &e->loc, 1);
    if (r->why == NULL && !is_integer(e->type))
        give_up(r, e->loc, "computes with more than integers");
    if (r->why != NULL) {
        set_number(w, 0);
        return;
    }
    switch ((sir_expr_kind)e->kind) {
    case SIR_CONST: set_number(w, e->u.value.i); return;
    case SIR_LOCAL: copy_word(w, &r->locals[e->index][0]); return;
    case SIR_FIELD:
    case SIR_GLOBAL:
    case SIR_INDEX: read_place(r, w, e); return;
    case SIR_UNARY: unary(r, w, e); return;
    case SIR_BINARY: binary(r, w, e); return;
    case SIR_SELECT: select_one(r, w, e); return;
    case SIR_CONVERT: evaluate(r, w, e->u.arg[0]); return;
    case SIR_PEEK:
        evaluate(r, &at, e->u.arg[0]);
        if (!at.open) {
            item(r, w, r->popped + at.number, e->loc);
        } else {
            give_up(r, e->loc, "peeks at places that are not known");
            set_number(w, 0);
        }
        return;
    default: give_up(r, e->loc, "computes with more than integers"); set_number(w, 0);
    }
}

// ---- Statements ----

static void run_block(runner *r, const sir_block *b);

static void store(runner *r, const sir_expr *target, const word *value)
{
    place p;
    place_of(r, &p, target);
    if (r->why == NULL && (p.root->kind != SIR_LOCAL || !is_integer(target->type)))
        give_up(r, target->loc, "has state, or structs");
    if (r->why != NULL)
        return;
    word *words = r->locals[p.root->index];
    if (p.known) {
        copy_word(&words[p.at], value);
        return;
    }
    few f = {.count = 0};
    collect(&f, &p.offset);
    if (f.many) {
        give_up(r, target->loc, "has subscripts of too many bits");
        return;
    }
    for (int64_t k = 0; k < (int64_t)r->work->locals.data[p.root->index].type->words && r->why == NULL; k++) {
        word here;
        set_number(&here, (int32_t)k);
        choose(r, &words[k], equal(r, &p.offset, &here), value, &words[k]);
        step(r, &target->loc, BITS);
    }
}

// Whole arrays, at places that are known.
static void copy_array(runner *r, const sir_expr *target, const sir_expr *value, sir_loc loc)
{
    place from, to;
    place_of(r, &from, value);
    place_of(r, &to, target);
    if (r->why == NULL && (to.root->kind != SIR_LOCAL || !from.known || !to.known))
        give_up(r, loc, "copies arrays at places that are not known");
    uint64_t words = target->type->words;
    step(r, &loc, (int64_t)words);
    if (r->why != NULL)
        return;
    word *copy = ARENA_ARRAY(r->scratch, word, words);
    for (uint64_t i = 0; i < words; i++)
        word_of(r, &copy[i], from.root, from.at + (int64_t)i);
    memcpy(r->locals[to.root->index] + to.at, copy, words * sizeof *copy);
}

static void declare(runner *r, const sir_stmt *s)
{
    const sir_type *t = r->work->locals.data[s->u.decl.local].type;
    const sir_expr local = {.kind = SIR_LOCAL, .type = t, .loc = s->loc, .index = s->u.decl.local};
    word *words = r->locals[s->u.decl.local];
    if (s->u.decl.init != NULL && t->kind == SIR_ARRAY) {
        copy_array(r, &local, s->u.decl.init, s->loc);
        return;
    }
    if (s->u.decl.init != NULL && t->words == 1) {
        word w; // the value may name what it was before
        evaluate(r, &w, s->u.decl.init);
        copy_word(words, &w);
        return;
    }
    step(r, &s->loc, (int64_t)t->words);
    if (s->u.decl.init != NULL)
        give_up(r, s->loc, "declares structs with values");
    for (uint64_t i = 0; i < t->words; i++)
        set_number(&words[i], 0);
}

// The locals that a statement, in its blocks, gives other values, in order.
typedef struct changed {
    VEC(uint32_t) locals;
} changed;

typedef struct change_finder {
    runner *r;
    changed *all;
} change_finder;

static void find_changed(void *context, sir_stmt *s)
{
    const change_finder *x = context;
    const sir_expr *root = sir_assigned_root(s);
    uint32_t local = s->kind == SIR_DECL                       ? s->u.decl.local
                     : s->kind == SIR_FOR                      ? s->u.for_.local
                     : root != NULL && root->kind == SIR_LOCAL ? root->index
                                                               : SIR_NONE;
    if (local != SIR_NONE)
        VEC_PUSH(x->r->scratch, &x->all->locals, local);
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static const changed *changed_by(runner *r, const sir_stmt *s)
{
    changed *c = hmap_getn(&r->changed, &s, sizeof s);
    if (c != NULL)
        return c;
    c = ARENA_NEW(r->scratch, changed);
    change_finder x = {r, c};
    sir_visit_stmts(&s->u.if_.then, find_changed, &x);
    sir_visit_stmts(&s->u.if_.otherwise, find_changed, &x);
    size_t kept = 0;
    if (c->locals.len > 0)
        qsort(c->locals.data, c->locals.len, sizeof *c->locals.data, by_number);
    for (size_t i = 0; i < c->locals.len; i++)
        if (kept == 0 || c->locals.data[kept - 1] != c->locals.data[i])
            c->locals.data[kept++] = c->locals.data[i];
    c->locals.len = kept;
    hmap_setn(&r->changed, &s, sizeof s, c);
    return c;
}

static size_t words_of(const runner *r, uint32_t local)
{
    return r->work->locals.data[local].type->words;
}

static word *save(runner *r, const changed *c)
{
    size_t words = 0, at = 0;
    for (VEC_EACH(const uint32_t, local, &c->locals))
        words += words_of(r, *local);
    word *all = ARENA_ARRAY(r->scratch, word, words + 1);
    for (VEC_EACH(const uint32_t, local, &c->locals)) {
        memcpy(all + at, r->locals[*local], words_of(r, *local) * sizeof *all);
        at += words_of(r, *local);
    }
    step(r, &r->work->loc, (int64_t)r->words);
    return all;
}

static void restore(runner *r, const changed *c, const word *all)
{
    for (VEC_EACH(const uint32_t, local, &c->locals)) {
        memcpy(r->locals[*local], all, words_of(r, *local) * sizeof *all);
        all += words_of(r, *local);
    }
}

static void both_branches(runner *r, const sir_stmt *s, sir_wire which)
{
    const changed *c = changed_by(r, s);
    word *before = save(r, c);
    int64_t popped = r->popped;
    size_t pushed = r->pushed.len;
    run_block(r, &s->u.if_.then);
    word *then = save(r, c);
    int64_t popped_then = r->popped;
    size_t count = r->pushed.len - pushed;
    restore(r, c, before);
    r->popped = popped;
    run_block(r, &s->u.if_.otherwise);
    if (r->popped != popped_then || r->pushed.len - pushed != 2 * count)
        give_up(r, s->loc, "pops or pushes more in one branch than in the other");
    if (r->why != NULL)
        return;
    for (size_t i = 0; i < count; i++) {
        word *w = &r->pushed.data[pushed + i];
        choose(r, w, which, w, &r->pushed.data[pushed + count + i]);
    }
    r->pushed.len = pushed + count;
    for (VEC_EACH(const uint32_t, local, &c->locals))
        for (size_t k = 0; k < words_of(r, *local); k++, then++)
            choose(r, &r->locals[*local][k], which, then, &r->locals[*local][k]);
}

static void run_for(runner *r, const sir_stmt *s)
{
    word lo, hi;
    evaluate(r, &lo, s->u.for_.lo);
    evaluate(r, &hi, s->u.for_.hi);
    if (lo.open || hi.open) {
        give_up(r, s->loc, "has a loop of so many rounds as items say");
        return;
    }
    int32_t end = hi.number;
    for (int64_t i = lo.number; (s->u.for_.step > 0 ? i < end : i > end) && r->why == NULL; i += s->u.for_.step) {
        set_number(r->locals[s->u.for_.local], (int32_t)i);
        step(r, &s->loc, 1);
        run_block(r, &s->u.for_.body);
    }
}

static void run_loop(runner *r, const sir_stmt *s)
{
    bool again = true;
    while (again && r->why == NULL) {
        if (s->u.loop.post_test)
            run_block(r, &s->u.loop.body);
        run_block(r, &s->u.loop.pre);
        word cond;
        set_number(&cond, 1);
        if (s->u.loop.cond != NULL)
            evaluate(r, &cond, s->u.loop.cond);
        sir_wire goes_on = wire_of(&cond, 0);
        if (goes_on > WIRE_TRUE)
            give_up(r, s->loc, "has a loop of so many rounds as items say");
        again = goes_on == WIRE_TRUE;
        step(r, &s->loc, 1);
        if (again && !s->u.loop.post_test)
            run_block(r, &s->u.loop.body);
        if (again)
            run_block(r, &s->u.loop.step);
    }
}

static void run_if(runner *r, const sir_stmt *s)
{
    word cond;
    evaluate(r, &cond, s->u.if_.cond);
    sir_wire which = wire_of(&cond, 0);
    if (which <= WIRE_TRUE)
        run_block(r, which == WIRE_TRUE ? &s->u.if_.then : &s->u.if_.otherwise);
    else
        both_branches(r, s, which);
}

static void run_stmt(runner *r, const sir_stmt *s)
{
    word w;
    step(r, &s->loc, 1);
    switch ((sir_stmt_kind)s->kind) {
    case SIR_DECL: declare(r, s); return;
    case SIR_SET:
        if (s->u.set.target->type->kind == SIR_ARRAY) {
            copy_array(r, s->u.set.target, s->u.set.value, s->loc);
            return;
        }
        evaluate(r, &w, s->u.set.value);
        store(r, s->u.set.target, &w);
        return;
    case SIR_POP:
        if (s->u.set.target != NULL) {
            item(r, &w, r->popped, s->loc);
            store(r, s->u.set.target, &w);
        }
        r->popped++;
        return;
    case SIR_PUSH:
        evaluate(r, &w, s->u.value);
        VEC_PUSH(r->scratch, &r->pushed, w);
        return;
    case SIR_IF: run_if(r, s); return;
    case SIR_FOR: run_for(r, s); return;
    case SIR_LOOP: run_loop(r, s); return;
    case SIR_BLOCK: run_block(r, &s->u.block); return;
    default: give_up(r, s->loc, "calls functions, prints or draws random numbers"); return;
    }
}

static void run_block(runner *r, const sir_block *b)
{
    for (size_t i = 0; i < b->len && r->why == NULL; i++)
        run_stmt(r, b->data[i]);
}

// ---- A work function ----

static bool is_item(const sir_type *t)
{
    return t->kind == SIR_INT || t->kind == SIR_BIT;
}

static void begin(runner *r)
{
    const sir_function *f = r->work;
    if (!is_item(r->filter->input) || !is_item(r->filter->output))
        give_up(r, f->loc, "has items that are no integers");
    else if (r->filter->stateful || r->filter->prework != NULL || f->peek.dynamic || f->pop.dynamic || f->push.dynamic)
        give_up(r, f->loc, "has state or rates that vary");
    else if (f->peek.max != f->pop.max)
        give_up(r, f->loc, "reads items of other firings");
    r->locals = ARENA_ARRAY(r->scratch, word *, f->locals.len + 1);
    for (size_t i = 0; i < f->locals.len && r->why == NULL; i++) {
        const sir_type *t = f->locals.data[i].type, *element = t;
        while (element->kind == SIR_ARRAY)
            element = element->element;
        if (!is_integer(element))
            give_up(r, f->locals.data[i].loc, "computes with more than integers");
        step(r, &f->locals.data[i].loc, (int64_t)t->words);
        if (r->why != NULL)
            return;
        r->words += t->words;
        r->locals[i] = ARENA_ARRAY(r->scratch, word, t->words + 1);
    }
}

sir_network *sir_network_of(arena *a, hmap *tables_made, const sir_module *m, const sir_filter *f, int64_t steps,
                            size_t gates, sir_network_fault *fault)
{
    *fault = (sir_network_fault){0};
    runner r = {.scratch = arena_create(), .m = m, .filter = f, .work = f->work, .fault = fault};
    r.n = sir_network_new(a, tables_made);
    hmap_init(&r.changed, r.scratch);
    hmap_init(&r.looked_up, r.scratch);
    r.steps = steps;
    r.gates = gates;
    begin(&r);
    for (; fault->statement < f->work->body.len && r.why == NULL; fault->statement += r.why == NULL)
        run_stmt(&r, f->work->body.data[fault->statement]);
    if (r.why == NULL && ((int64_t)r.pushed.len != f->work->push.max || r.popped > f->work->pop.max))
        give_up(&r, f->work->loc, "moves other numbers of items than it says");
    fault->steps = steps - r.steps;
    for (VEC_EACH(const word, w, &r.pushed))
        for (int i = 0; i < BITS && r.why == NULL; i++)
            VEC_PUSH(a, &r.n->outputs, wire_of(w, i));
    arena_destroy(r.scratch);
    if (r.why != NULL)
        return NULL;
    sir_network_find_live(r.n);
    return r.n;
}
