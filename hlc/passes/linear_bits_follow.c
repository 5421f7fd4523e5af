// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Following statements that move, mask and xor bits, for the pass 'linear-bits': which parity of bits of the inputs each
// bit of each variable is.
//
// NOTE(inputs). What cannot be taken apart is an input: a variable as it was before the statements, an item, any other
// expression of such. It is evaluated before the statements, so it must not depend on what they changed in another way. A
// variable that was given such an expression stands for it: a sum beside a check sum.
#include <string.h>

#include "hlc/ir/walk.h"
#include "hlc/passes/linear_bits_int.h"

// Statements and nodes that are followed; nodes of an expression that stands for a variable.
enum { MOST_STEPS = 1 << 12, MOST_NODES = 16 };
// Elements of a table that is looked at: NOTE(tables). Operations that a look-up is, for which the next one waits.
enum { MOST_ELEMENTS = 4096, LOOK_UP = 7 };

static bool is_int(const sir_type *t)
{
    return t->kind == SIR_INT || t->kind == SIR_BOOLEAN || t->kind == SIR_BIT;
}

static bool same_row(const linear_row *a, const linear_row *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static void add_row(linear_row *to, const linear_row *r)
{
    for (int i = 0; i < LINEAR_WORDS; i++)
        to->word[i] ^= r->word[i];
}

// Bits that depend on inputs.
static uint32_t open_bits(const linear_value *v)
{
    uint32_t open = 0;
    for (int i = 0; i < LINEAR_BITS; i++)
        open |= (uint32_t)!linear_row_is_empty(&v->row[i]) << i;
    return open;
}

static bool is_known(const linear_value *v)
{
    return !v->opaque && open_bits(v) == 0;
}

static linear_value *new_value(linear_follower *x, uint32_t constant)
{
    linear_value *v = ARENA_NEW(x->a, linear_value);
    v->constant = constant;
    return v;
}

static linear_value *opaque_value(linear_follower *x)
{
    linear_value *v = new_value(x, 0);
    v->opaque = true;
    return v;
}

// ---- Inputs ----

static const linear_value *assigned(const linear_follower *x, const sir_expr *e)
{
    return e->kind == SIR_LOCAL ? x->locals[e->index] : x->fields[e->index];
}

sir_expr *linear_copy(sir_module *m, const sir_expr *e)
{
    sir_expr *r = ARENA_NEW(m->arena, sir_expr);
    *r = *e;
    size_t arity = sir_expr_arity(e);
    for (size_t i = 0; i < arity; i++)
        r->u.arg[i] = linear_copy(m, e->u.arg[i]);
    return r;
}

static sir_expr *as_before(linear_follower *x, const sir_expr *e);

static sir_expr *variable_before(linear_follower *x, const sir_expr *e)
{
    const linear_value *v = assigned(x, e);
    if (v == NULL)
        return linear_copy(x->m, e);
    if (v->expr != NULL)
        return v->expr->type == e->type && sir_count_nodes_in(v->expr) <= MOST_NODES ? linear_copy(x->m, v->expr)
                                                                                     : NULL;
    return is_known(v) ? sir_const(x->m, e->type, (sir_scalar){.i = (int32_t)v->constant}, e->loc) : NULL;
}

static sir_expr *peek_before(linear_follower *x, sir_expr *r)
{
    sir_expr *offset = r->u.arg[0];
    if (x->depth > 0 && offset->kind != SIR_CONST)
        return NULL;
    if (offset->kind == SIR_CONST)
        r->u.arg[0] = sir_const_int(x->m, (int32_t)(offset->u.value.i + x->pops), offset->loc);
    else if (x->pops != 0)
        r->u.arg[0] = sir_expr2(x->m, SIR_BINARY, LANG_OP_ADD, offset->type, offset,
                                sir_const_int(x->m, (int32_t)x->pops, offset->loc), offset->loc);
    return r;
}

// An expression as it would be written before the statements. NULL: it cannot be, or might stop the program there.
static sir_expr *as_before(linear_follower *x, const sir_expr *e)
{
    if (++x->steps > MOST_STEPS || e->kind == SIR_FETCH || (e->kind == SIR_INDEX && x->depth > 0))
        return NULL;
    if (e->kind == SIR_LOCAL || e->kind == SIR_FIELD)
        return variable_before(x, e);
    if (e->kind == SIR_BINARY && (e->op == LANG_OP_DIV || e->op == LANG_OP_REM) &&
        (e->u.arg[1]->kind != SIR_CONST || !is_int(e->type) || e->u.arg[1]->u.value.i == 0))
        return NULL;
    sir_expr *r = ARENA_NEW(x->m->arena, sir_expr);
    *r = *e;
    size_t arity = sir_expr_arity(e);
    for (size_t i = 0; i < arity; i++) {
        r->u.arg[i] = as_before(x, e->u.arg[i]);
        if (r->u.arg[i] == NULL)
            return NULL;
    }
    return e->kind == SIR_PEEK ? peek_before(x, r) : r;
}

static const linear_value *input_value(linear_follower *x, const sir_expr *e)
{
    sir_expr *r = e->type->kind == SIR_INT || e->type->kind == SIR_BIT ? as_before(x, e) : NULL;
    if (r == NULL)
        return opaque_value(x);
    if (r->kind == SIR_CONST)
        return new_value(x, (uint32_t)r->u.value.i);
    size_t at = 0;
    while (at < x->inputs.len && !sir_same_expr(x->inputs.data[at], r, false))
        at++;
    if (at == LINEAR_INPUTS)
        return opaque_value(x);
    if (at == x->inputs.len)
        VEC_PUSH(x->a, &x->inputs, r);
    linear_value *v = new_value(x, 0);
    for (size_t i = 0; i < (r->type->kind == SIR_BIT && x->byte_bits ? 1 : LINEAR_BITS); i++)
        v->row[i].word[(at * LINEAR_BITS + i) / 64] = UINT64_C(1) << (at * LINEAR_BITS + i) % 64;
    v->expr = r;
    return v;
}

// A variable as it was before the statements, of which bits may be known.
static const linear_value *variable_value(linear_follower *x, const sir_expr *e)
{
    const linear_value *v = input_value(x, e);
    if (e->kind != SIR_FIELD || x->known == NULL || v->opaque)
        return v;
    linear_value *r = new_value(x, v->constant | (x->first[e->index] & x->known[e->index]));
    for (int i = 0; i < LINEAR_BITS; i++)
        if ((x->known[e->index] >> i & 1) == 0)
            r->row[i] = v->row[i];
    r->expr = v->expr;
    return r;
}

// ---- Operations ----

static bool bit_is(const linear_value *v, int i, uint32_t value)
{
    return linear_row_is_empty(&v->row[i]) && (v->constant >> i & 1) == value;
}

static void set_bit(linear_value *r, int i, const linear_value *from, int k)
{
    r->row[i] = from->row[k];
    r->constant |= (from->constant >> k & 1) << i;
}

static const linear_value *xor_values(linear_follower *x, const linear_value *a, const linear_value *b)
{
    linear_value *r = new_value(x, a->constant ^ b->constant);
    for (int i = 0; i < LINEAR_BITS; i++) {
        r->row[i] = a->row[i];
        add_row(&r->row[i], &b->row[i]);
    }
    return r;
}

// Bit by bit: where one side is neutral the other decides; where it is the opposite, that does, but not in a sum.
static const linear_value *choose_bits(linear_follower *x, const linear_value *a, const linear_value *b,
                                       uint32_t neutral, bool sum)
{
    linear_value *r = new_value(x, 0);
    for (int i = 0; i < LINEAR_BITS && !r->opaque; i++) {
        if (bit_is(a, i, neutral))
            set_bit(r, i, b, i);
        else if (bit_is(b, i, neutral))
            set_bit(r, i, a, i);
        else if (!sum && (bit_is(a, i, !neutral) || bit_is(b, i, !neutral)))
            r->constant |= (uint32_t)!neutral << i;
        else
            r->opaque = true;
    }
    return r;
}

// The sign comes after the highest bit.
static const linear_value *shift_bits(linear_follower *x, const linear_value *a, int count, bool left)
{
    linear_value *r = new_value(x, 0);
    for (int i = 0; i < LINEAR_BITS; i++) {
        int k = left ? i - count : i + count;
        if (k >= 0)
            set_bit(r, i, a, k < LINEAR_BITS ? k : LINEAR_BITS - 1);
    }
    return r;
}

// Whether all bits that depend on inputs are the same parity, or its opposite.
static bool find_row(const linear_value *v, const linear_row **row)
{
    for (int i = 0; i < LINEAR_BITS; i++) {
        if (linear_row_is_empty(&v->row[i]))
            continue;
        if (*row == NULL)
            *row = &v->row[i];
        else if (!same_row(*row, &v->row[i]))
            return false;
    }
    return !v->opaque;
}

// One of two constants, as a row and a bit decide.
static const linear_value *either(linear_follower *x, const linear_row *row, uint32_t if_clear, uint32_t if_set)
{
    linear_value *r = new_value(x, if_clear);
    for (int i = 0; i < LINEAR_BITS; i++)
        if (((if_clear ^ if_set) >> i & 1) != 0)
            r->row[i] = *row;
    return r;
}

// Any operation on what one parity decides is one of two constants.
static const linear_value *evaluate(linear_follower *x, const sir_expr *e, const linear_value *a, const linear_value *b)
{
    static const linear_row nothing;
    const linear_row *row = NULL;
    const sir_type *t = e->u.arg[0]->type;
    if (!find_row(a, &row) || (b != NULL && !find_row(b, &row)))
        return opaque_value(x);
    sir_scalar r[2];
    for (uint32_t set = 0; set < 2; set++) {
        sir_scalar u = {.i = (int32_t)(a->constant ^ (set != 0 ? open_bits(a) : 0))}, v = {0};
        if (b != NULL)
            v.i = (int32_t)(b->constant ^ (set != 0 ? open_bits(b) : 0));
        if (b != NULL ? !sir_eval_binary((lang_binary_op)e->op, t, u, v, &r[set])
                      : !sir_eval_unary((lang_unary_op)e->op, t, u, &r[set]))
            return opaque_value(x);
    }
    return either(x, row != NULL ? row : &nothing, (uint32_t)r[0].i, (uint32_t)r[1].i);
}

static const linear_value *sign_of(linear_follower *x, const linear_value *a, bool negative)
{
    linear_value *r = new_value(x, 0);
    set_bit(r, 0, a, LINEAR_BITS - 1);
    r->constant ^= !negative;
    return r;
}

static const linear_value *binary(linear_follower *x, const sir_expr *e, const linear_value *a, const linear_value *b)
{
    if (a->opaque || b->opaque)
        return opaque_value(x);
    const linear_value *r = evaluate(x, e, a, b);
    if (!r->opaque)
        return r;
    bool known = is_known(b);
    switch (e->op) {
    case LANG_OP_XOR: return xor_values(x, a, b);
    case LANG_OP_AND: return choose_bits(x, a, b, 1, false);
    case LANG_OP_OR: return choose_bits(x, a, b, 0, false);
    case LANG_OP_ADD: return choose_bits(x, a, b, 0, true); // nothing is carried
    case LANG_OP_SHL:
    case LANG_OP_SHR: return known ? shift_bits(x, a, (int)(b->constant & 31), e->op == LANG_OP_SHL) : r;
    case LANG_OP_LT:
    case LANG_OP_GE: return known && b->constant == 0 ? sign_of(x, a, e->op == LANG_OP_LT) : r;
    default: return r;
    }
}

// What a condition selects. NULL: no parities.
static const linear_value *select_value(linear_follower *x, const linear_value *c, const linear_value *a,
                                        const linear_value *b)
{
    if (a->opaque || b->opaque || c->opaque)
        return NULL;
    linear_value *r = new_value(x, b->constant);
    uint32_t differs = a->constant ^ b->constant;
    for (int i = 0; i < LINEAR_BITS; i++) {
        if (!same_row(&a->row[i], &b->row[i]))
            return NULL;
        r->row[i] = b->row[i];
        if ((differs >> i & 1) != 0)
            add_row(&r->row[i], &c->row[0]);
    }
    if ((c->constant & 1) != 0)
        r->constant ^= differs;
    return r;
}

static const linear_value *value_of(linear_follower *x, const sir_expr *e);

static const linear_value *select_of(linear_follower *x, const sir_expr *e)
{
    const linear_value *c = value_of(x, e->u.arg[0]);
    if (c->opaque)
        return opaque_value(x);
    if (is_known(c))
        return value_of(x, e->u.arg[c->constant != 0 ? 1 : 2]);
    x->depth++;
    const linear_value *a = value_of(x, e->u.arg[1]), *b = value_of(x, e->u.arg[2]);
    x->depth--;
    const linear_value *r = select_value(x, c, a, b);
    return r != NULL ? r : opaque_value(x);
}

// Where the left side decides the right one is not evaluated; it has no effects, and may be all the same.
static const linear_value *binary_of(linear_follower *x, const sir_expr *e)
{
    bool late = e->op == LANG_OP_LAND || e->op == LANG_OP_LOR;
    const linear_value *a = value_of(x, e->u.arg[0]);
    x->depth += late;
    const linear_value *b = value_of(x, e->u.arg[1]);
    x->depth -= late;
    return binary(x, e, a, b);
}

static const linear_value *operation_of(linear_follower *x, const sir_expr *e)
{
    if (!is_int(e->u.arg[0]->type))
        return opaque_value(x);
    x->operations++;
    switch ((sir_expr_kind)e->kind) {
    case SIR_UNARY: {
        const linear_value *a = value_of(x, e->u.arg[0]);
        if (e->op != LANG_OP_COMPL || a->opaque)
            return evaluate(x, e, a, NULL);
        linear_value ones = {.constant = UINT32_MAX};
        return xor_values(x, a, &ones);
    }
    case SIR_BINARY: return binary_of(x, e);
    case SIR_SELECT: return select_of(x, e);
    default: return value_of(x, e->u.arg[0]); // a conversion of a bit
    }
}

// NOTE(tables). The elements of a constant table may be parities of its subscript's bits, as those of a check sum by bytes
// are: those at powers of two, and the first, then say what all are.
static bool is_linear(const sir_value *table, size_t count)
{
    uint32_t first = table->zero ? 0 : (uint32_t)table->data[0].i;
    for (size_t i = 3; i < count && !table->zero; i++) {
        size_t low = i & (~i + 1);
        uint32_t sum = (uint32_t)table->data[i - low].i ^ (uint32_t)table->data[low].i ^ first;
        if ((uint32_t)table->data[i].i != sum)
            return false;
    }
    return true;
}

static const linear_value *element_of(linear_follower *x, const sir_expr *e)
{
    const sir_expr *root = e->u.arg[0];
    const sir_value *table =
        root->kind == SIR_FIELD || root->kind == SIR_GLOBAL ? sir_constant_value(x->m, x->filter, root) : NULL;
    size_t count = table == NULL ? 0 : root->type->length;
    if (count < 2 || (count & (count - 1)) != 0 || count > MOST_ELEMENTS || !is_linear(table, count))
        return NULL;
    const linear_value *at = value_of(x, e->u.arg[1]);
    for (int i = 0; i < LINEAR_BITS && !at->opaque; i++)
        if ((uint64_t)1 << i >= count && !bit_is(at, i, 0))
            return NULL;
    if (at->opaque)
        return NULL;
    uint32_t first = table->zero ? 0 : (uint32_t)table->data[0].i;
    linear_value *r = new_value(x, first);
    for (int i = 0; (size_t)1 << i < count; i++) {
        uint32_t flips = (table->zero ? 0 : (uint32_t)table->data[(size_t)1 << i].i) ^ first;
        for (int k = 0; k < LINEAR_BITS; k++)
            if ((flips >> k & 1) != 0)
                add_row(&r->row[k], &at->row[i]);
        if ((at->constant >> i & 1) != 0)
            r->constant ^= flips;
    }
    x->operations += LOOK_UP;
    return r;
}

static const linear_value *value_of(linear_follower *x, const sir_expr *e)
{
    x->fails |= ++x->steps > MOST_STEPS;
    if (x->fails || !is_int(e->type))
        return opaque_value(x);
    const linear_value *v = NULL;
    switch ((sir_expr_kind)e->kind) {
    case SIR_CONST: return new_value(x, (uint32_t)e->u.value.i);
    case SIR_LOCAL:
    case SIR_FIELD: v = assigned(x, e); return v != NULL && !v->opaque ? v : variable_value(x, e);
    case SIR_UNARY:
    case SIR_BINARY:
    case SIR_SELECT:
    case SIR_CONVERT: v = operation_of(x, e); break;
    case SIR_INDEX: v = element_of(x, e); break;
    default: break;
    }
    return v != NULL && !v->opaque ? v : input_value(x, e);
}

// ---- Statements ----

static void follow_block(linear_follower *x, const sir_block *b);

static void assign(linear_follower *x, const sir_expr *target, const linear_value *v)
{
    const sir_expr *root = sir_lvalue_root((sir_expr *)target);
    if (target->kind == SIR_LOCAL && is_int(target->type))
        x->locals[target->index] = v;
    else if (target->kind == SIR_FIELD && target->type->kind == SIR_INT)
        x->fields[target->index] = v;
    else if (x->loose && root != NULL && root->kind == SIR_LOCAL)
        x->locals[root->index] = opaque_value(x);
    else
        x->fails = true;
}

static void follow_for(linear_follower *x, const sir_stmt *s)
{
    const linear_value *lo = value_of(x, s->u.for_.lo), *hi = value_of(x, s->u.for_.hi);
    if (!is_known(lo) || !is_known(hi)) {
        x->fails = true;
        return;
    }
    int64_t step = s->u.for_.step, end = (int32_t)hi->constant;
    for (int64_t i = (int32_t)lo->constant; !x->fails && (step > 0 ? i < end : i > end); i += step) {
        x->locals[s->u.for_.local] = new_value(x, (uint32_t)i);
        follow_block(x, &s->u.for_.body);
    }
    x->locals[s->u.for_.local] = NULL;
}

static const linear_value **copy_of(linear_follower *x, const linear_value *const *from, size_t count)
{
    const linear_value **r = ARENA_ARRAY(x->a, const linear_value *, count + 1);
    memcpy(r, from, count * sizeof *r);
    return r;
}

// What a variable is behind a condition of which it was `a` in one branch and is `*b` in the other.
static void join(linear_follower *x, const linear_value *c, const linear_value *a, const linear_value **b,
                 sir_expr_kind kind, size_t index, const sir_type *type)
{
    if (a == *b)
        return;
    sir_expr own = {.kind = (uint8_t)kind, .index = (uint32_t)index, .type = type};
    const linear_value *was = a == NULL || *b == NULL ? variable_value(x, &own) : NULL;
    const linear_value *r = select_value(x, c, a == NULL ? was : a, *b == NULL ? was : *b);
    *b = r != NULL ? r : opaque_value(x);
}

static void follow_if(linear_follower *x, const sir_stmt *s)
{
    const linear_value *c = value_of(x, s->u.if_.cond);
    if ((c->opaque && !x->loose) || is_known(c)) {
        x->fails |= c->opaque;
        follow_block(x, c->constant != 0 ? &s->u.if_.then : &s->u.if_.otherwise);
        return;
    }
    x->operations++;
    size_t locals = x->filter->work->locals.len, fields = x->filter->fields.len;
    const linear_value **locals_before = copy_of(x, x->locals, locals), **fields_before = copy_of(x, x->fields, fields);
    int64_t pops = x->pops;
    x->depth++;
    follow_block(x, &s->u.if_.then);
    const linear_value **locals_then = x->locals, **fields_then = x->fields;
    int64_t pops_then = x->pops;
    x->locals = locals_before;
    x->fields = fields_before;
    x->pops = pops;
    follow_block(x, &s->u.if_.otherwise);
    x->depth--;
    x->fails |= x->pops != pops_then;
    // What is read now is as it was before the statements, whichever branch was taken.
    const linear_value **locals_else = x->locals, **fields_else = x->fields;
    x->locals = ARENA_ARRAY(x->a, const linear_value *, locals + 1);
    x->fields = ARENA_ARRAY(x->a, const linear_value *, fields + 1);
    for (size_t i = 0; i < locals && !x->fails; i++)
        join(x, c, locals_then[i], &locals_else[i], SIR_LOCAL, i, x->filter->work->locals.data[i].type);
    for (size_t i = 0; i < fields && !x->fails; i++)
        join(x, c, fields_then[i], &fields_else[i], SIR_FIELD, i, x->filter->fields.data[i].type);
    x->locals = locals_else;
    x->fields = fields_else;
}

static void follow_stmt(linear_follower *x, const sir_stmt *s)
{
    x->fails |= ++x->steps > MOST_STEPS;
    sir_expr zero = {.kind = SIR_CONST, .type = x->m->scalar[SIR_INT]}, item = {.kind = SIR_PEEK};
    switch ((sir_stmt_kind)s->kind) {
    case SIR_DECL:
        if (is_int(x->filter->work->locals.data[s->u.decl.local].type))
            x->locals[s->u.decl.local] = value_of(x, s->u.decl.init != NULL ? s->u.decl.init : &zero);
        else if (x->loose)
            x->locals[s->u.decl.local] = opaque_value(x);
        else
            x->fails = true;
        break;
    case SIR_SET: assign(x, s->u.set.target, value_of(x, s->u.set.value)); break;
    case SIR_POP:
        item.type = x->filter->input;
        item.u.arg[0] = &zero;
        if (s->u.set.target != NULL)
            assign(x, s->u.set.target, value_of(x, &item));
        x->pops++;
        break;
    case SIR_IF: follow_if(x, s); break;
    case SIR_FOR: follow_for(x, s); break;
    case SIR_BLOCK: follow_block(x, &s->u.block); break;
    default: x->fails |= s->kind != SIR_PUSH || !x->loose;
    }
}

static void follow_block(linear_follower *x, const sir_block *b)
{
    for (size_t i = 0; i < b->len && !x->fails; i++)
        follow_stmt(x, b->data[i]);
    for (size_t i = 0; i < b->len; i++) // these are no more
        if (b->data[i]->kind == SIR_DECL)
            x->locals[b->data[i]->u.decl.local] = NULL;
}

static void check_values(linear_follower *x)
{
    for (size_t i = 0; i < x->filter->work->locals.len; i++)
        x->fails |= x->locals[i] != NULL && x->locals[i]->opaque;
    for (size_t i = 0; i < x->filter->fields.len; i++)
        x->fails |= x->fields[i] != NULL && x->fields[i]->opaque;
}

void linear_begin(linear_follower *x, arena *a, sir_module *m, const sir_filter *f)
{
    *x = (linear_follower){.a = a, .m = m, .filter = f};
    x->locals = ARENA_ARRAY(a, const linear_value *, f->work->locals.len + 1);
    x->fields = ARENA_ARRAY(a, const linear_value *, f->fields.len + 1);
}

void linear_follow(linear_follower *x, const sir_stmt *s)
{
    follow_stmt(x, s);
    check_values(x);
}

void linear_follow_loosely(linear_follower *x, const sir_stmt *s)
{
    follow_stmt(x, s);
}

void linear_follow_trip(linear_follower *x, const sir_stmt *loop, const sir_expr *variable)
{
    linear_value *v = opaque_value(x);
    v->expr = variable;
    x->locals[loop->u.for_.local] = v;
    follow_block(x, &loop->u.for_.body);
    x->locals[loop->u.for_.local] = NULL;
    check_values(x);
}
