// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether channels of bits hold nothing but 0 and 1. The language computes with bits as ints and never masks them:
// (bit)5 is 5. So items of type bit fit a byte only where every push is known to be of 0 or 1.
//
// NOTE(truth). Every int and bit variable (a local, a field, a constant) is taken to hold only 0 and 1, and so are bits
// within structs and within arrays that are items, until something else may be stored in it. What holds of all of them
// holds after each statement again, and so for ever. Loop variables and constant tables have intervals of their own.
#include <string.h>

#include "hlc/ir/sir.h"
#include "hlc/ir/type_rules.h"
#include "hlc/ir/walk.h"

// A counted loop around what is looked at.
typedef struct bits_loop {
    uint32_t local;
    sir_interval range;
} bits_loop;

typedef struct bits {
    arena *arena;
    const sir_module *m;
    hmap others; // addresses of locals, fields, globals, and functions for their results, that may hold other values
    hmap hulls;  // intervals of constant tables, by address
    bool members, arrays; // bits in structs, or in arrays that are items, may be others
    bool changed;
    const sir_filter *filter; // NULL: of a helper block
    const sir_function *function;
    VEC(bits_loop) loops;
    sir_loc push; // of what is not known to be 0 or 1
    bool failed;  // there is such a push, or enqueued item
} bits;

enum { MOST_ROUNDS = 64 }; // over the program; more are not worth it

static const sir_interval whole = {INT32_MIN, INT32_MAX}, truth = {0, 1};

static bool is_truth(sir_interval r)
{
    return r.lo >= 0 && r.hi <= 1;
}

static const sir_type *innermost(const sir_type *t)
{
    while (t->kind == SIR_ARRAY)
        t = t->element;
    return t;
}

static bool has_bits(const sir_type *t)
{
    t = innermost(t);
    if (t->kind != SIR_STRUCT)
        return t->kind == SIR_BIT;
    for (VEC_EACH(const struct sir_member, member, &t->decl->members))
        if (has_bits(member->type))
            return true;
    return false;
}

// ---- What is known ----

static bool is_other(const bits *b, const void *variable)
{
    return hmap_getn(&b->others, &variable, sizeof variable) != NULL;
}

static void mark(bits *b, const void *variable)
{
    if (is_other(b, variable))
        return;
    hmap_setn(&b->others, &variable, sizeof variable, b);
    b->changed = true;
}

static void mark_flag(bits *b, bool *flag)
{
    b->changed |= !*flag;
    *flag = true;
}

static const void *variable_of(const bits *b, const sir_expr *root)
{
    switch ((sir_expr_kind)root->kind) {
    case SIR_LOCAL: return &b->function->locals.data[root->index];
    case SIR_FIELD: return &b->filter->fields.data[root->index];
    default: return &b->m->globals.data[root->index];
    }
}

// Of an array of ints or bits, or one of them.
static sir_interval hull_of(const sir_value *v)
{
    sir_interval r = {0, 0};
    for (uint64_t i = 0; !v->zero && i < v->type->words; i++)
        r = sir_interval_hull(r, (sir_interval){v->data[i].i, v->data[i].i});
    return r;
}

// Of the elements of a constant; the elements of arrays are looked at once.
static sir_interval constant_range(bits *b, const sir_value *v)
{
    sir_interval *known = hmap_getn(&b->hulls, &v, sizeof v);
    if (known == NULL) {
        known = ARENA_NEW(b->arena, sir_interval);
        *known = hull_of(v);
        hmap_setn(&b->hulls, &v, sizeof v, known);
    }
    return *known;
}

static sir_interval range_of(bits *b, const sir_expr *e);

// Of an int or bit in a variable or in an item, or of the elements of an array there.
static sir_interval place_range(bits *b, const sir_expr *e)
{
    bool bit = innermost(e->type)->kind == SIR_BIT, member = false, item = e->type->kind == SIR_ARRAY;
    const sir_expr *root = e;
    for (; root->kind == SIR_INDEX || root->kind == SIR_MEMBER; root = root->u.arg[0]) {
        member |= root->kind == SIR_MEMBER;
        item |= root->kind == SIR_INDEX;
    }
    if (member)
        return bit && !b->members ? truth : whole;
    if (root->kind == SIR_PEEK)
        return bit && !(item && b->arrays) ? truth : whole;
    for (size_t i = b->loops.len; root->kind == SIR_LOCAL && i-- > 0;)
        if (b->loops.data[i].local == root->index)
            return b->loops.data[i].range;
    const sir_value *constant = sir_constant_value(b->m, b->filter, root);
    if (constant != NULL)
        return constant_range(b, constant);
    if (root->kind != SIR_LOCAL && root->kind != SIR_FIELD)
        return whole;
    return is_other(b, variable_of(b, root)) ? whole : truth;
}

static sir_interval binary_range(bits *b, const sir_expr *e)
{
    if (e->type->kind == SIR_BOOLEAN)
        return truth;
    sir_interval x = range_of(b, e->u.arg[0]), y = range_of(b, e->u.arg[1]);
    switch ((lang_binary_op)e->op) {
    case LANG_OP_AND:
        if (x.lo < 0 && y.lo < 0)
            return whole;
        return (sir_interval){0, x.lo < 0 ? y.hi : y.lo < 0 ? x.hi : x.hi < y.hi ? x.hi : y.hi};
    case LANG_OP_OR:
    case LANG_OP_XOR: return is_truth(x) && is_truth(y) ? truth : whole;
    default: return sir_interval_binary((lang_binary_op)e->op, x, y);
    }
}

// Of an expression of ints, bits or booleans, or an array of them.
static sir_interval range_of(bits *b, const sir_expr *e)
{
    sir_interval r = whole;
    switch ((sir_expr_kind)e->kind) {
    case SIR_CONST: return (sir_interval){e->u.value.i, e->u.value.i};
    case SIR_LOCAL:
    case SIR_FIELD:
    case SIR_GLOBAL:
    case SIR_INDEX:
    case SIR_MEMBER:
    case SIR_PEEK: return e->type->kind == SIR_BOOLEAN ? truth : place_range(b, e);
    case SIR_UNARY:
        if (e->op == LANG_OP_NEG) {
            r = range_of(b, e->u.arg[0]);
            r = (sir_interval){-r.hi, -r.lo};
        } else if (e->type->kind == SIR_BOOLEAN) {
            return truth;
        }
        break;
    case SIR_BINARY: r = binary_range(b, e); break;
    case SIR_SELECT: return sir_interval_hull(range_of(b, e->u.arg[1]), range_of(b, e->u.arg[2]));
    case SIR_CONVERT:
        if (sir_is_integer(e->u.arg[0]->type) || e->u.arg[0]->type->kind == SIR_BOOLEAN)
            return range_of(b, e->u.arg[0]);
        break;
    case SIR_MATH:
    case SIR_ITER:
    case SIR_MAKE_COMPLEX:
    case SIR_FETCH: break;
    }
    return r.lo < INT32_MIN || r.hi > INT32_MAX ? whole : r; // it wraps
}

// Structs are looked at member by member where they are stored and loaded.
static bool holds_truth(bits *b, const sir_expr *e)
{
    return !sir_is_integer(innermost(e->type)) || is_truth(range_of(b, e));
}

// ---- What changes it ----

static void fail(bits *b, sir_loc loc)
{
    b->failed = true;
    b->push = loc;
}

// Something else may be stored in what an lvalue names.
static void mark_place(bits *b, const sir_expr *target)
{
    const sir_type *t = innermost(target->type);
    if (t->kind == SIR_STRUCT && has_bits(t))
        mark_flag(b, &b->members);
    if (!sir_is_integer(t))
        return;
    const sir_expr *root = target;
    for (; root->kind == SIR_INDEX || root->kind == SIR_MEMBER; root = root->u.arg[0]) {
        if (root->kind != SIR_MEMBER)
            continue;
        if (t->kind == SIR_BIT)
            mark_flag(b, &b->members);
        return; // ints in structs are any
    }
    if (root->kind == SIR_LOCAL || root->kind == SIR_FIELD)
        mark(b, variable_of(b, root));
}

static void mark_values(bits *b, const sir_type *t, const sir_value *v, uint64_t *at, const void *variable)
{
    if (t->kind == SIR_ARRAY) {
        for (uint32_t i = 0; i < t->length; i++)
            mark_values(b, t->element, v, at, variable);
    } else if (t->kind == SIR_STRUCT) {
        for (VEC_EACH(const struct sir_member, member, &t->decl->members))
            mark_values(b, member->type, v, at, NULL);
    } else {
        int32_t value = sir_is_integer(t) ? v->data[*at].i : 0;
        ++*at;
        if (value == 0 || value == 1)
            return;
        if (variable != NULL)
            mark(b, variable);
        else if (t->kind == SIR_BIT)
            mark_flag(b, &b->members);
    }
}

// What a variable has to begin with.
static void begin_with(bits *b, const sir_value *v, const void *variable)
{
    uint64_t at = 0;
    if (!v->zero && v->data != NULL)
        mark_values(b, v->type, v, &at, variable);
}

static void pass_arguments(bits *b, const sir_function *f, sir_expr *const *args, size_t count)
{
    for (size_t i = 0; i < count && i < f->param_count; i++) {
        const sir_local *param = &f->locals.data[i];
        bool native = f->kind == SIR_NATIVE;
        if (!holds_truth(b, args[i]))
            mark(b, param);
        if (param->type->kind == SIR_ARRAY && (native || is_other(b, param))) // the callee may write to it
            mark_place(b, args[i]);
    }
}

static void call(bits *b, const sir_stmt *s)
{
    const sir_function *f = s->u.call.function;
    pass_arguments(b, f, s->u.call.args.data, s->u.call.args.len);
    if (s->u.call.target != NULL && (f->kind == SIR_NATIVE || is_other(b, f)))
        mark_place(b, s->u.call.target);
}

static void send(bits *b, const sir_stmt *s)
{
    for (VEC_EACH(sir_filter *, filter, &b->m->filters))
        for (VEC_EACH(sir_function *, handler, &(*filter)->handlers))
            if (strcmp((*handler)->name, s->u.send.handler) == 0)
                pass_arguments(b, *handler, s->u.send.args.data, s->u.send.args.len);
}

static void push(bits *b, const sir_stmt *s)
{
    const sir_type *t = s->u.value->type;
    if (innermost(t)->kind != SIR_BIT || holds_truth(b, s->u.value))
        return;
    if (t->kind == SIR_ARRAY)
        mark_flag(b, &b->arrays);
    else
        fail(b, s->loc);
}

// Items of a type may hold other ints or bits.
static bool pops_others(const bits *b, const sir_type *t)
{
    sir_type_kind kind = innermost(t)->kind;
    return kind == SIR_INT || (kind == SIR_BIT && t->kind == SIR_ARRAY && b->arrays);
}

static void block(bits *b, const sir_block *body);

static void for_(bits *b, const sir_stmt *s)
{
    sir_interval lo = range_of(b, s->u.for_.lo), hi = range_of(b, s->u.for_.hi);
    bits_loop loop = {.local = s->u.for_.local};
    loop.range = s->u.for_.step > 0 ? (sir_interval){lo.lo, hi.hi - 1} : (sir_interval){hi.lo + 1, lo.hi};
    if (loop.range.hi < loop.range.lo)
        loop.range.hi = loop.range.lo;
    VEC_PUSH(b->arena, &b->loops, loop);
    block(b, &s->u.for_.body);
    b->loops.len--;
}

static void statement(bits *b, sir_stmt *s)
{
    switch ((sir_stmt_kind)s->kind) {
    case SIR_DECL:
        if (s->u.decl.init != NULL && !holds_truth(b, s->u.decl.init))
            mark(b, &b->function->locals.data[s->u.decl.local]);
        return;
    case SIR_SET:
        if (!holds_truth(b, s->u.set.value))
            mark_place(b, s->u.set.target);
        return;
    case SIR_POP:
        if (s->u.set.target != NULL && pops_others(b, s->u.set.target->type))
            mark_place(b, s->u.set.target);
        return;
    case SIR_RETURN:
        if (s->u.value != NULL && !holds_truth(b, s->u.value))
            mark(b, b->function);
        return;
    case SIR_PUSH: push(b, s); return;
    case SIR_CALL: call(b, s); return;
    case SIR_SEND: send(b, s); return;
    case SIR_FOR: for_(b, s); return;
    default: break;
    }
    sir_parts parts = sir_stmt_parts(s);
    for (size_t i = 0; i < parts.block_count; i++)
        block(b, parts.block[i]);
}

static void block(bits *b, const sir_block *body)
{
    for (size_t i = 0; i < body->len && !b->failed; i++)
        if (body->data[i] != NULL)
            statement(b, body->data[i]);
}

static void function(bits *b, const sir_filter *filter, const sir_function *f)
{
    if (f == NULL || f->kind == SIR_NATIVE)
        return;
    b->filter = filter;
    b->function = f;
    block(b, &f->body);
}

static void once(bits *b)
{
    for (VEC_EACH(sir_function *, f, &b->m->functions))
        function(b, NULL, *f);
    for (VEC_EACH(sir_filter *, f, &b->m->filters)) {
        function(b, *f, (*f)->prework);
        function(b, *f, (*f)->work);
        for (VEC_EACH(sir_function *, helper, &(*f)->functions))
            function(b, *f, *helper);
        for (VEC_EACH(sir_function *, handler, &(*f)->handlers))
            function(b, *f, *handler);
    }
}

// What is there before anything runs, and what comes from outside: of a bit in a file only one is stored, but structs
// and arrays have whole words.
static void begin(bits *b)
{
    for (VEC_EACH(sir_filter *, f, &b->m->filters))
        for (VEC_EACH(sir_field, field, &(*f)->fields))
            begin_with(b, &field->init, field);
    for (VEC_EACH(sir_global, g, &b->m->globals))
        begin_with(b, &g->value, g);
    for (VEC_EACH(sir_channel, c, &b->m->channels))
        for (VEC_EACH(sir_value, v, &c->initial)) {
            bool bit = innermost(c->type)->kind == SIR_BIT, good = !bit || is_truth(hull_of(v));
            if (!good && c->type->kind == SIR_BIT)
                fail(b, c->loc);
            else if (!good)
                mark_flag(b, &b->arrays);
            if (!bit)
                begin_with(b, v, c);
        }
    for (VEC_EACH(sir_actor *, a, &b->m->actors))
        if ((*a)->kind == SIR_READER && (*a)->item->kind == SIR_ARRAY && innermost((*a)->item)->kind == SIR_BIT)
            mark_flag(b, &b->arrays);
        else if ((*a)->kind == SIR_READER && (*a)->item->kind != SIR_BIT && has_bits((*a)->item))
            mark_flag(b, &b->members);
}

static bool are_truth(bits *b)
{
    begin(b);
    for (int round = 0; round < MOST_ROUNDS && !b->failed; round++) {
        b->changed = false;
        once(b);
        if (!b->changed)
            return !b->failed;
    }
    return false;
}

void sir_find_byte_bits(sir_module *m)
{
    bool any = false;
    for (VEC_EACH(sir_channel, c, &m->channels))
        any |= c->type->kind == SIR_BIT;
    m->byte_bits = false;
    m->other_bit = (sir_loc){0};
    if (!any)
        return;
    arena *scratch = arena_create();
    bits b = {.arena = scratch, .m = m};
    hmap_init(&b.others, scratch);
    hmap_init(&b.hulls, scratch);
    m->byte_bits = are_truth(&b);
    m->other_bit = b.push;
    arena_destroy(scratch);
}
