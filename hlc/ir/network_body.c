// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The network of a work function: it is run with wires for bits. Loops run, calls do not; both branches of a condition run
// where it is not known, and their results are chosen between.
#include <string.h>

#include "hlc/ir/network.h"
#include "hlc/ir/walk.h"

enum { BITS = NETWORK_BITS };

typedef struct word {
    sir_wire bit[BITS]; // least significant first; of a boolean the first
} word;

typedef struct runner {
    arena *arena; // of the result
    arena *scratch;
    const sir_module *m;
    const sir_filter *filter;
    const sir_function *work;
    sir_network *n;
    word **locals;
    VEC(word) pushed;
    int64_t popped, steps;
    size_t gates, words; // of locals
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

static void step(runner *r, sir_loc where, int64_t count)
{
    r->steps -= count;
    if (r->why == NULL)
        r->fault->large = r->steps < 0 || r->n->gates.len > r->gates;
    if (r->steps < 0)
        give_up(r, where, "takes too many steps");
    if (r->n->gates.len > r->gates)
        give_up(r, where, "is too large as gates");
}

// ---- Words ----

static word constant(int32_t v)
{
    word w;
    for (int i = 0; i < BITS; i++)
        w.bit[i] = (sir_wire)((uint32_t)v >> i & 1);
    return w;
}

static bool is_known(const word *w, int32_t *v)
{
    uint32_t value = 0;
    for (int i = 0; i < BITS; i++) {
        if (w->bit[i] > WIRE_TRUE)
            return false;
        value |= w->bit[i] << i;
    }
    *v = (int32_t)value;
    return true;
}

static word of_wire(sir_wire w)
{
    word r = {{0}};
    r.bit[0] = w;
    return r;
}

static word choose(runner *r, sir_wire which, const word *a, const word *b)
{
    word w;
    for (int i = 0; i < BITS; i++)
        w.bit[i] = sir_wire_choose(r->n, which, a->bit[i], b->bit[i]);
    return w;
}

static word inverse(const word *a)
{
    word w;
    for (int i = 0; i < BITS; i++)
        w.bit[i] = sir_wire_not(a->bit[i]);
    return w;
}

static word add(runner *r, const word *a, const word *b, sir_wire carry)
{
    word w;
    for (int i = 0; i < BITS; i++) {
        sir_wire x = a->bit[i], y = b->bit[i], differ = sir_wire_xor(r->n, x, y);
        w.bit[i] = sir_wire_xor(r->n, differ, carry);
        if (i + 1 < BITS)
            carry = sir_wire_choose(r->n, differ, carry, x);
    }
    return w;
}

static word shift_left(const word *a, int count)
{
    word w = {{0}};
    for (int i = count; i < BITS; i++)
        w.bit[i] = a->bit[i - count];
    return w;
}

static word shift_right(const word *a, int count)
{
    word w;
    for (int i = 0; i < BITS; i++)
        w.bit[i] = a->bit[i + count < BITS ? i + count : BITS - 1];
    return w;
}

static word multiply(runner *r, const word *a, const word *b)
{
    word sum = constant(0);
    for (int i = 0; i < BITS && r->why == NULL; i++) {
        if (b->bit[i] == WIRE_FALSE)
            continue;
        word part = shift_left(a, i);
        for (int k = 0; k < BITS; k++)
            part.bit[k] = sir_wire_and(r->n, part.bit[k], b->bit[i]);
        sum = add(r, &sum, &part, WIRE_FALSE);
        step(r, r->work->loc, BITS);
    }
    return sum;
}

static sir_wire equal(runner *r, const word *a, const word *b)
{
    sir_wire w = WIRE_TRUE;
    for (int i = 0; i < BITS; i++)
        w = sir_wire_and(r->n, w, sir_wire_not(sir_wire_xor(r->n, a->bit[i], b->bit[i])));
    return w;
}

static sir_wire less(runner *r, const word *a, const word *b)
{
    sir_wire w = WIRE_FALSE;
    for (int i = 0; i < BITS; i++) {
        sir_wire differ = sir_wire_xor(r->n, a->bit[i], b->bit[i]);
        w = sir_wire_choose(r->n, differ, i + 1 < BITS ? b->bit[i] : a->bit[i], w);
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
    for (int i = 0; i < BITS && !f->many; i++) {
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
    spread s = {.none = 0};
    for (int i = 0; i < BITS; i++) {
        s.none |= (w->bit[i] & 1) << i;
        for (uint32_t k = 0; k < f->count; k++)
            s.inverts[k] |= (uint32_t)(f->in[k] == (w->bit[i] & ~1U)) << i;
    }
    return s;
}

// Where the gates have the bits of `values`.
static int32_t value_at(const spread *s, uint32_t values)
{
    uint32_t v = s->none;
    for (uint32_t left = values; left != 0; left &= left - 1)
        v ^= s->inverts[__builtin_ctz(left)];
    return (int32_t)v;
}

static void tell(sir_truth *truth, uint32_t index, int32_t value)
{
    for (uint32_t left = (uint32_t)value; left != 0; left &= left - 1)
        truth[__builtin_ctz(left)].word[index / 64] |= UINT64_C(1) << (index % 64);
}

static word look_up(runner *r, const few *f, const sir_truth *truth)
{
    word w;
    step(r, r->work->loc, INT64_C(1) << f->count);
    sir_wire_look_up(r->n, f->in, f->count, truth, BITS, w.bit);
    return w;
}

// An operation by all that it may give.
static word tabulated(runner *r, const sir_expr *e, const word *a, const word *b)
{
    few f = {.count = 0};
    sir_truth truth[BITS] = {{{0}}};
    collect(&f, a);
    collect(&f, b);
    const spread left = spread_of(&f, a), right = spread_of(&f, b);
    for (uint32_t i = 0; i < UINT32_C(1) << f.count && !f.many; i++) {
        sir_scalar x = {.i = value_at(&left, i)}, y = {.i = value_at(&right, i)}, v;
        if (!sir_eval_binary((lang_binary_op)e->op, e->u.arg[0]->type, x, y, &v)) {
            give_up(r, e->loc, "may divide by zero");
            return constant(0);
        }
        tell(truth, i, v.i);
    }
    if (f.many)
        give_up(r, e->loc, "divides or shifts by what is not known");
    return f.many ? constant(0) : look_up(r, &f, truth);
}

// ---- Expressions ----

static word evaluate(runner *r, const sir_expr *e);

static word binary(runner *r, const sir_expr *e)
{
    lang_binary_op op = (lang_binary_op)e->op;
    word a = evaluate(r, e->u.arg[0]), b, w;
    if ((op == LANG_OP_LAND && a.bit[0] == WIRE_FALSE) || (op == LANG_OP_LOR && a.bit[0] == WIRE_TRUE))
        return a;
    b = evaluate(r, e->u.arg[1]);
    int32_t known, by;
    bool right = is_known(&b, &by);
    if (right && is_known(&a, &known)) {
        sir_scalar v;
        if (sir_eval_binary(op, e->u.arg[0]->type, (sir_scalar){.i = known}, (sir_scalar){.i = by}, &v))
            return constant(v.i);
        give_up(r, e->loc, "divides by zero");
        return a;
    }
    switch (op) {
    case LANG_OP_ADD: return add(r, &a, &b, WIRE_FALSE);
    case LANG_OP_SUB: w = inverse(&b); return add(r, &a, &w, WIRE_TRUE);
    case LANG_OP_MUL: return is_known(&a, &known) ? multiply(r, &b, &a) : multiply(r, &a, &b);
    case LANG_OP_SHL: return right ? shift_left(&a, by & 31) : tabulated(r, e, &a, &b);
    case LANG_OP_SHR: return right ? shift_right(&a, by & 31) : tabulated(r, e, &a, &b);
    case LANG_OP_EQ: return of_wire(equal(r, &a, &b));
    case LANG_OP_NE: return of_wire(sir_wire_not(equal(r, &a, &b)));
    case LANG_OP_LT: return of_wire(less(r, &a, &b));
    case LANG_OP_GT: return of_wire(less(r, &b, &a));
    case LANG_OP_LE: return of_wire(sir_wire_not(less(r, &b, &a)));
    case LANG_OP_GE: return of_wire(sir_wire_not(less(r, &a, &b)));
    case LANG_OP_AND:
    case LANG_OP_LAND:
        for (int i = 0; i < BITS; i++)
            w.bit[i] = sir_wire_and(r->n, a.bit[i], b.bit[i]);
        return w;
    case LANG_OP_OR:
    case LANG_OP_LOR:
        for (int i = 0; i < BITS; i++)
            w.bit[i] = sir_wire_or(r->n, a.bit[i], b.bit[i]);
        return w;
    case LANG_OP_XOR:
        for (int i = 0; i < BITS; i++)
            w.bit[i] = sir_wire_xor(r->n, a.bit[i], b.bit[i]);
        return w;
    default: break; // division
    }
    bool power = right && by > 0 && (by & (by - 1)) == 0 && a.bit[BITS - 1] == WIRE_FALSE;
    if (!power)
        return tabulated(r, e, &a, &b);
    if (op == LANG_OP_DIV)
        return shift_right(&a, __builtin_ctz((unsigned)by));
    for (int i = 0; i < BITS; i++)
        w.bit[i] = i < __builtin_ctz((unsigned)by) ? a.bit[i] : WIRE_FALSE;
    return w;
}

static bool is_integer(const sir_type *t)
{
    return t->kind == SIR_INT || t->kind == SIR_BIT || t->kind == SIR_BOOLEAN;
}

// What a variable holds that never changes; NULL: it does, or it is not here.
static const sir_value *constant_value(const runner *r, const sir_expr *root)
{
    if (root->kind == SIR_GLOBAL)
        return &r->m->globals.data[root->index].value;
    if (root->kind == SIR_FIELD && r->filter->fields.data[root->index].constant)
        return &r->filter->fields.data[root->index].init;
    return NULL;
}

static int32_t constant_at(const sir_value *v, int64_t at)
{
    return v == NULL || v->zero ? 0 : v->data[at].i;
}

static bool number_of(runner *r, const sir_expr *e, int32_t *v);

static bool number_in_array(runner *r, const sir_expr *e, int32_t *v)
{
    int64_t at = 0;
    for (; e->kind == SIR_INDEX; e = e->u.arg[0]) {
        int32_t index;
        if (!number_of(r, e->u.arg[1], &index) || index < 0 || index >= (int32_t)e->u.arg[0]->type->length)
            return false;
        at += index * (int64_t)e->type->words;
    }
    if (e->kind == SIR_LOCAL)
        return is_known(&r->locals[e->index][(int32_t)at], v);
    const sir_value *values = constant_value(r, e);
    if (values == NULL)
        return false;
    *v = constant_at(values, (int32_t)at);
    return true;
}

static bool number_of(runner *r, const sir_expr *e, int32_t *v)
{
    int32_t a, b;
    sir_scalar value;
    r->steps--;
    if (!is_integer(e->type))
        return false;
    switch ((sir_expr_kind)e->kind) {
    case SIR_CONST: *v = e->u.value.i; return true;
    case SIR_LOCAL:
    case SIR_FIELD:
    case SIR_GLOBAL:
    case SIR_INDEX: return number_in_array(r, e, v);
    case SIR_CONVERT: return number_of(r, e->u.arg[0], v);
    case SIR_BINARY:
        if (e->op == LANG_OP_LAND || e->op == LANG_OP_LOR || !number_of(r, e->u.arg[0], &a) ||
            !number_of(r, e->u.arg[1], &b) ||
            !sir_eval_binary((lang_binary_op)e->op, e->u.arg[0]->type, (sir_scalar){.i = a}, (sir_scalar){.i = b}, &value))
            return false;
        *v = value.i;
        return true;
    default: return false;
    }
}

// The value of an expression of numbers that are known, without their bits, in as many steps as with them: most subscripts
// and bounds are such ones. False: no step was taken, and it is to be evaluated.
static bool is_number(runner *r, const sir_expr *e, int32_t *v)
{
    int64_t before = r->steps;
    if (r->why == NULL && r->n->gates.len <= r->gates && number_of(r, e, v) && r->steps >= 0)
        return true;
    r->steps = before;
    return false;
}

static word number_or_bits(runner *r, const sir_expr *e)
{
    int32_t v;
    return is_number(r, e, &v) ? constant(v) : evaluate(r, e);
}

// Where the first word of an lvalue chain is, in words from its root's.
typedef struct place {
    const sir_expr *root;
    bool known;
    int32_t at;  // if it is known
    word offset; // if it is not
} place;

static place place_of(runner *r, const sir_expr *e)
{
    place p = {.known = true};
    int64_t at = 0; // of the subscripts that are known
    for (; e->kind == SIR_INDEX && r->why == NULL; e = e->u.arg[0]) {
        const int32_t length = (int32_t)e->u.arg[0]->type->length;
        int32_t number;
        word index;
        few f = {.count = 0};
        bool known = is_number(r, e->u.arg[1], &number);
        if (!known) {
            index = evaluate(r, e->u.arg[1]);
            known = is_known(&index, &number);
        }
        if (known && number >= 0 && number < length) {
            at += number * (int64_t)e->type->words;
            continue;
        }
        if (known)
            index = constant(number);
        // What is outside is wrong, so that an int's upper bits are zero where a table's length is a power of two.
        for (int bit = 0; bit < BITS && (length & (length - 1)) == 0; bit++)
            if (INT64_C(1) << bit >= length)
                index.bit[bit] = WIRE_FALSE;
        collect(&f, &index);
        const spread values = spread_of(&f, &index);
        for (uint32_t i = 0; i < UINT32_C(1) << f.count && !f.many; i++) {
            int32_t v = value_at(&values, i);
            f.many = v < 0 || v >= length;
        }
        if (f.many)
            give_up(r, e->loc, "has subscripts that are not known to be inside");
        const word size = constant((int32_t)e->type->words);
        index = multiply(r, &index, &size);
        if (p.known)
            p.offset = constant(0);
        p.offset = add(r, &p.offset, &index, WIRE_FALSE);
        p.known = false;
    }
    p.root = e;
    p.at = (int32_t)at;
    int32_t none;
    if (p.known || (is_known(&p.offset, &none) && none == 0)) {
        p.known = true;
        return p;
    }
    const word more = constant(p.at);
    p.offset = add(r, &p.offset, &more, WIRE_FALSE);
    p.known = is_known(&p.offset, &p.at);
    return p;
}

// As constant_value, where other than local variables without a constant value cannot be read.
static const sir_value *constant_of(runner *r, const sir_expr *root)
{
    const sir_value *v = constant_value(r, root);
    if (v == NULL && root->kind != SIR_LOCAL)
        give_up(r, root->loc, "has state, or structs");
    return v;
}

// A word of a variable.
static word word_of(runner *r, const sir_expr *root, int64_t at)
{
    if (root->kind == SIR_LOCAL)
        return r->locals[root->index][at];
    return constant(constant_at(constant_of(r, root), at));
}

// Elements of a local array: a table if all that are wanted are known, else they are chosen from.
static word read_local(runner *r, const sir_expr *e, const few *f, const spread *places, const word *words)
{
    uint32_t all = UINT32_C(1) << f->count;
    sir_truth truth[BITS] = {{{0}}};
    bool table = true;
    for (uint32_t i = 0; i < all && table; i++) {
        int32_t v;
        table = is_known(&words[value_at(places, i)], &v);
        if (table)
            tell(truth, i, v);
    }
    if (table)
        return look_up(r, f, truth);
    word *elements = ARENA_ARRAY(r->scratch, word, all);
    for (uint32_t i = 0; i < all; i++)
        elements[i] = words[value_at(places, i)];
    step(r, e->loc, (int64_t)all * BITS);
    for (uint32_t bit = f->count; bit-- > 0;)
        for (uint32_t i = 0; i < UINT32_C(1) << bit; i++)
            elements[i] = choose(r, f->in[bit], &elements[i + (UINT32_C(1) << bit)], &elements[i]);
    return elements[0];
}

// Of a scalar in an array, or a scalar variable.
static word read_place(runner *r, const sir_expr *e)
{
    const place p = place_of(r, e);
    if (r->why != NULL)
        return constant(0);
    if (p.known)
        return word_of(r, p.root, p.at);
    few f = {.count = 0};
    collect(&f, &p.offset);
    if (f.many) {
        give_up(r, e->loc, "has subscripts of too many bits");
        return constant(0);
    }
    const spread places = spread_of(&f, &p.offset);
    if (p.root->kind == SIR_LOCAL)
        return read_local(r, e, &f, &places, r->locals[p.root->index]);
    const sir_value *v = constant_of(r, p.root);
    sir_truth truth[BITS] = {{{0}}};
    for (uint32_t i = 0; i < UINT32_C(1) << f.count; i++)
        tell(truth, i, constant_at(v, value_at(&places, i)));
    return look_up(r, &f, truth);
}

static word item(runner *r, int64_t at, sir_loc loc)
{
    word w = constant(0);
    const sir_type *t = r->filter->input;
    int bits = t->kind == SIR_BIT && r->m->byte_bits ? 1 : t->storage == SIR_STORED_UINT8 ? 8 : BITS;
    if (at < 0 || at >= r->work->pop.max) {
        give_up(r, loc, "reads items of other firings");
        return w;
    }
    for (int i = 0; i < bits; i++)
        w.bit[i] = sir_wire_input(r->n, (uint32_t)at, (uint32_t)i);
    return w;
}

static word evaluate(runner *r, const sir_expr *e)
{
    word a, b, c;
    int32_t at;
    step(r, e->loc, 1);
    if (r->why == NULL && !is_integer(e->type))
        give_up(r, e->loc, "computes with more than integers");
    if (r->why != NULL)
        return constant(0);
    switch ((sir_expr_kind)e->kind) {
    case SIR_CONST: return constant(e->u.value.i);
    case SIR_LOCAL:
    case SIR_FIELD:
    case SIR_GLOBAL:
    case SIR_INDEX: return read_place(r, e);
    case SIR_UNARY:
        a = evaluate(r, e->u.arg[0]);
        if (e->op == LANG_OP_COMPL)
            return inverse(&a);
        if (e->op == LANG_OP_NOT) {
            b = constant(0);
            return of_wire(equal(r, &a, &b));
        }
        a = inverse(&a);
        b = constant(0);
        return add(r, &a, &b, WIRE_TRUE);
    case SIR_BINARY: return binary(r, e);
    case SIR_SELECT:
        c = evaluate(r, e->u.arg[0]);
        if (c.bit[0] <= WIRE_TRUE)
            return evaluate(r, e->u.arg[c.bit[0] == WIRE_TRUE ? 1 : 2]);
        a = evaluate(r, e->u.arg[1]);
        b = evaluate(r, e->u.arg[2]);
        return choose(r, c.bit[0], &a, &b);
    case SIR_CONVERT: return evaluate(r, e->u.arg[0]);
    case SIR_PEEK:
        a = evaluate(r, e->u.arg[0]);
        if (is_known(&a, &at))
            return item(r, r->popped + at, e->loc);
        give_up(r, e->loc, "peeks at places that are not known");
        return a;
    default: give_up(r, e->loc, "computes with more than integers"); return constant(0);
    }
}

// ---- Statements ----

static void run_block(runner *r, const sir_block *b);

static void store(runner *r, const sir_expr *target, const word *value)
{
    const place p = place_of(r, target);
    if (r->why == NULL && (p.root->kind != SIR_LOCAL || !is_integer(target->type)))
        give_up(r, target->loc, "has state, or structs");
    if (r->why != NULL)
        return;
    word *words = r->locals[p.root->index];
    if (p.known) {
        words[p.at] = *value;
        return;
    }
    few f = {.count = 0};
    collect(&f, &p.offset);
    if (f.many) {
        give_up(r, target->loc, "has subscripts of too many bits");
        return;
    }
    for (int64_t k = 0; k < (int64_t)r->work->locals.data[p.root->index].type->words && r->why == NULL; k++) {
        word here = constant((int32_t)k);
        words[k] = choose(r, equal(r, &p.offset, &here), value, &words[k]);
        step(r, target->loc, BITS);
    }
}

// Whole arrays, at places that are known.
static void copy_array(runner *r, const sir_expr *target, const sir_expr *value, sir_loc loc)
{
    const place from = place_of(r, value), to = place_of(r, target);
    if (r->why == NULL && (to.root->kind != SIR_LOCAL || !from.known || !to.known))
        give_up(r, loc, "copies arrays at places that are not known");
    uint64_t words = target->type->words;
    step(r, loc, (int64_t)words);
    if (r->why != NULL)
        return;
    word *copy = ARENA_ARRAY(r->scratch, word, words);
    for (uint64_t i = 0; i < words; i++)
        copy[i] = word_of(r, from.root, from.at + (int64_t)i);
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
        *words = number_or_bits(r, s->u.decl.init);
        return;
    }
    step(r, s->loc, (int64_t)t->words);
    if (s->u.decl.init != NULL)
        give_up(r, s->loc, "declares structs with values");
    memset(words, 0, t->words * sizeof *words);
}

static word *save(runner *r)
{
    word *all = ARENA_ARRAY(r->scratch, word, r->words + 1);
    size_t at = 0;
    for (size_t i = 0; i < r->work->locals.len; i++) {
        size_t n = r->work->locals.data[i].type->words;
        memcpy(all + at, r->locals[i], n * sizeof *all);
        at += n;
    }
    step(r, r->work->loc, (int64_t)r->words);
    return all;
}

static void restore(runner *r, const word *all)
{
    for (size_t i = 0; i < r->work->locals.len; i++) {
        size_t n = r->work->locals.data[i].type->words;
        memcpy(r->locals[i], all, n * sizeof *all);
        all += n;
    }
}

static void both_branches(runner *r, const sir_stmt *s, sir_wire which)
{
    word *before = save(r);
    int64_t popped = r->popped;
    size_t pushed = r->pushed.len;
    run_block(r, &s->u.if_.then);
    word *then = save(r);
    int64_t popped_then = r->popped;
    size_t count = r->pushed.len - pushed;
    restore(r, before);
    r->popped = popped;
    run_block(r, &s->u.if_.otherwise);
    if (r->popped != popped_then || r->pushed.len - pushed != 2 * count)
        give_up(r, s->loc, "pops or pushes more in one branch than in the other");
    if (r->why != NULL)
        return;
    for (size_t i = 0; i < count; i++)
        r->pushed.data[pushed + i] = choose(r, which, &r->pushed.data[pushed + i], &r->pushed.data[pushed + count + i]);
    r->pushed.len = pushed + count;
    for (size_t i = 0; i < r->work->locals.len; i++)
        for (size_t k = 0; k < r->work->locals.data[i].type->words; k++, then++)
            r->locals[i][k] = choose(r, which, then, &r->locals[i][k]);
}

static void run_for(runner *r, const sir_stmt *s)
{
    const word lo = number_or_bits(r, s->u.for_.lo), hi = number_or_bits(r, s->u.for_.hi);
    int32_t begin, end;
    if (!is_known(&lo, &begin) || !is_known(&hi, &end)) {
        give_up(r, s->loc, "has a loop of so many rounds as items say");
        return;
    }
    for (int64_t i = begin; (s->u.for_.step > 0 ? i < end : i > end) && r->why == NULL; i += s->u.for_.step) {
        *r->locals[s->u.for_.local] = constant((int32_t)i);
        step(r, s->loc, 1);
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
        word cond = s->u.loop.cond == NULL ? constant(1) : number_or_bits(r, s->u.loop.cond);
        if (cond.bit[0] > WIRE_TRUE)
            give_up(r, s->loc, "has a loop of so many rounds as items say");
        again = cond.bit[0] == WIRE_TRUE;
        step(r, s->loc, 1);
        if (again && !s->u.loop.post_test)
            run_block(r, &s->u.loop.body);
        if (again)
            run_block(r, &s->u.loop.step);
    }
}

static void run_stmt(runner *r, const sir_stmt *s)
{
    word w;
    step(r, s->loc, 1);
    switch ((sir_stmt_kind)s->kind) {
    case SIR_DECL: declare(r, s); return;
    case SIR_SET:
        if (s->u.set.target->type->kind == SIR_ARRAY) {
            copy_array(r, s->u.set.target, s->u.set.value, s->loc);
            return;
        }
        w = number_or_bits(r, s->u.set.value);
        store(r, s->u.set.target, &w);
        return;
    case SIR_POP:
        if (s->u.set.target != NULL) {
            w = item(r, r->popped, s->loc);
            store(r, s->u.set.target, &w);
        }
        r->popped++;
        return;
    case SIR_PUSH:
        w = number_or_bits(r, s->u.value);
        VEC_PUSH(r->arena, &r->pushed, w);
        return;
    case SIR_IF:
        w = number_or_bits(r, s->u.if_.cond);
        if (w.bit[0] <= WIRE_TRUE)
            run_block(r, w.bit[0] == WIRE_TRUE ? &s->u.if_.then : &s->u.if_.otherwise);
        else
            both_branches(r, s, w.bit[0]);
        return;
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
        step(r, f->locals.data[i].loc, (int64_t)t->words);
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
    runner r = {.arena = a, .scratch = arena_create(), .m = m, .filter = f, .work = f->work, .fault = fault};
    r.n = sir_network_new(a, tables_made);
    r.steps = steps;
    r.gates = gates;
    begin(&r);
    for (; fault->statement < f->work->body.len && r.why == NULL; fault->statement += r.why == NULL)
        run_stmt(&r, f->work->body.data[fault->statement]);
    if (r.why == NULL && ((int64_t)r.pushed.len != f->work->push.max || r.popped > f->work->pop.max))
        give_up(&r, f->work->loc, "moves other numbers of items than it says");
    arena_destroy(r.scratch);
    fault->steps = steps - r.steps;
    if (r.why != NULL)
        return NULL;
    for (VEC_EACH(word, w, &r.pushed))
        for (int i = 0; i < BITS; i++)
            VEC_PUSH(a, &r.n->outputs, w->bit[i]);
    sir_network_find_live(r.n);
    return r.n;
}
