// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass 'parts': complex numbers are two floats each, in locals, in fields and on the way from filter to filter:
//
//     work pop 1 push 1 peek 8 {                     work pop 2 push 2 peek 16 {
//         var %sum: complex                              var %sum_real: float   var %sum_imag: float
//         for %i = 0 to 8 {                              for %i = 0 to 8 {
//             %sum = %sum + $taps[%i] * peek(%i)   ->        %sum_real = %sum_real + ($taps_real[%i] * peek(2 * %i)
//         }                                                               - $taps_imag[%i] * peek(2 * %i + 1))
//         pop                                                %sum_imag = ...
//         push %sum                                      }   pop   pop   push %sum_real   push %sum_imag
//
// What follows knows floats: firings go side by side, sums of loop nests too. The operations and their order are those of
// the run time's svm/arith.h, so that no bit differs. Whatever has no such form (an exponential, an argument of a function)
// is computed of a complex number that is put together for it.
//
// NOTE(channels). Items of a channel become two where filters alone are at its ends, those behind splitters and joiners
// included, and one of them computes with them; weights of splitters and joiners count twice as much. Steady states stay:
// firings of filters do what they did. Items of readers and writers are what the outside gives and takes.
#include <string.h>

#include "hlc/ir/walk.h"
#include "hlc/passes/canonicalize.h"
#include "hlc/passes/pass.h"

// Nodes of an expression that is written twice rather than kept; items of a window at most.
enum { TWICE_NODES = 8, MOST_ITEMS = 1 << 28 };

typedef struct parts_pair {
    sir_expr *part[2];
} parts_pair;

// The locals or fields that stand for one: SIR_NONE: it stays as it is.
typedef struct parts_names {
    uint32_t *imag;
    size_t len;
} parts_names;

typedef struct splitter {
    arena *a;
    hlc_program *hlc;
    sir_module *m;
    uint32_t *component;    // per channel: another one of its component; itself: its head
    bool *unfit, *computes; // per channel that is a head
    // Of a filter:
    sir_filter *filter;
    bool in, out; // its items become two
    bool fits, arithmetic;
    parts_names fields;
    // Of a function:
    sir_function *function;
    parts_names locals;
    sir_block *before; // where what is used twice is computed
    int lazy;          // conditions around, that may leave out what is looked at
} splitter;

static bool is_complex(const sir_type *t)
{
    return t != NULL && t->kind == SIR_COMPLEX;
}

static bool holds_complex(const sir_type *t)
{
    while (t->kind == SIR_ARRAY)
        t = t->element;
    return is_complex(t);
}

static const sir_type *part_type(sir_module *m, const sir_type *t)
{
    return t->kind == SIR_ARRAY ? sir_type_array(m, part_type(m, t->element), t->length) : m->scalar[SIR_FLOAT];
}

// ---- Which locals and fields can be two ----

static uint32_t *name_of(const splitter *x, const sir_expr *root)
{
    if (root != NULL && root->kind == SIR_LOCAL && root->index < x->locals.len)
        return &x->locals.imag[root->index];
    return root != NULL && root->kind == SIR_FIELD && root->index < x->fields.len ? &x->fields.imag[root->index] : NULL;
}

static bool is_split(const splitter *x, sir_expr *e)
{
    const uint32_t *name = name_of(x, sir_lvalue_root(e));
    return name != NULL && *name != SIR_NONE;
}

static bool has_number(const sir_expr *e)
{
    bool any = is_complex(e->type);
    for (size_t i = 0; e->kind != SIR_CONST && i < sir_expr_arity(e); i++)
        any = any || has_number(e->u.arg[i]);
    return any;
}

// Arrays are where all that is done with them is to take elements. Subscripts are written twice, those inside of them would
// be four times.
static void find_whole(splitter *x, sir_expr *e, bool element)
{
    uint32_t *name = name_of(x, e);
    if (name != NULL && e->type->kind == SIR_ARRAY && !element)
        *name = SIR_NONE;
    if (e->kind == SIR_INDEX && has_number(e->u.arg[1]) && (name = name_of(x, sir_lvalue_root(e))) != NULL)
        *name = SIR_NONE;
    x->fits &= e->kind != SIR_PEEK || !has_number(e->u.arg[0]);
    bool numbers = is_complex(e->type) || e->type->kind == SIR_FLOAT;
    x->arithmetic |= numbers && (e->kind == SIR_BINARY || e->kind == SIR_UNARY || e->kind == SIR_MATH);
    for (size_t i = 0; e->kind != SIR_CONST && i < sir_expr_arity(e); i++)
        find_whole(x, e->u.arg[i], e->kind == SIR_INDEX && i == 0 && (e->type->kind != SIR_ARRAY || element));
}

static void find_peek(void *context, sir_expr *e, bool written)
{
    (void)written;
    *(bool *)context |= e->kind == SIR_PEEK;
}

static void look_at(void *context, sir_stmt *s)
{
    splitter *x = context;
    sir_parts parts = sir_stmt_parts(s);
    for (uint8_t i = 0; i < parts.expr_count; i++)
        find_whole(x, *parts.expr[i], false);
    for (size_t i = 0; i < parts.arg_count; i++)
        find_whole(x, parts.args[i], false);
    if (parts.target != NULL)
        find_whole(x, *parts.target, false);
    if (s->kind == SIR_DECL && s->u.decl.init != NULL && s->u.decl.init->type->kind == SIR_ARRAY)
        x->locals.imag[s->u.decl.local] = SIR_NONE;
    bool peeks = false;
    if (s->kind == SIR_POP && s->u.set.target != NULL)
        sir_visit_tree(s->u.set.target, false, find_peek, &peeks);
    x->fits &= !peeks; // the place would move between the two halves
}

static void start_function(splitter *x, sir_function *g)
{
    x->function = g;
    x->locals = (parts_names){ARENA_ARRAY(x->a, uint32_t, g->locals.len + 1), g->locals.len};
    for (uint32_t i = 0; i < g->locals.len; i++) {
        const sir_local *l = &g->locals.data[i];
        bool own = i >= g->param_count && !l->by_reference;
        x->locals.imag[i] = own && holds_complex(l->type) ? 0 : SIR_NONE;
    }
    sir_visit_stmts(&g->body, look_at, x);
}

static void start_filter(splitter *x, sir_filter *f)
{
    x->filter = f;
    x->fields = (parts_names){ARENA_ARRAY(x->a, uint32_t, f->fields.len + 1), f->fields.len};
    for (size_t i = 0; i < f->fields.len; i++)
        x->fields.imag[i] = holds_complex(f->fields.data[i].type) ? 0 : SIR_NONE;
    x->fits = true;
    x->arithmetic = false;
}

typedef void function_visitor(splitter *x, sir_function *g);

static void each_function(splitter *x, function_visitor *visit)
{
    sir_filter *f = x->filter;
    if (f->work != NULL)
        visit(x, f->work);
    if (f->prework != NULL)
        visit(x, f->prework);
    for (VEC_EACH(sir_function *, g, &f->functions))
        visit(x, *g);
    for (VEC_EACH(sir_function *, g, &f->handlers))
        visit(x, *g);
}

// ---- Expressions ----

static sir_expr *rewrite(splitter *x, sir_expr *e);
static parts_pair split(splitter *x, sir_expr *e);

static const sir_type *float_of(const splitter *x)
{
    return x->m->scalar[SIR_FLOAT];
}

static sir_expr *op2(const splitter *x, lang_binary_op op, sir_expr *a, sir_expr *b)
{
    return sir_expr2(x->m, SIR_BINARY, op, float_of(x), a, b, a->loc);
}

static size_t nodes_of(const sir_expr *e, size_t most)
{
    size_t n = 1;
    for (size_t i = 0; e->kind != SIR_CONST && i < sir_expr_arity(e) && n <= most; i++)
        n += nodes_of(e->u.arg[i], most - n);
    return n;
}

// Of which the C compiler makes one load, however often it is written.
static bool is_simple(const sir_expr *e)
{
    bool place = e->kind == SIR_CONST || e->kind == SIR_LOCAL || e->kind == SIR_FIELD || e->kind == SIR_INDEX ||
                 e->kind == SIR_PEEK || e->kind == SIR_MEMBER;
    return place && nodes_of(e, TWICE_NODES) <= TWICE_NODES;
}

static uint32_t declare(splitter *x, const char *name, sir_expr *value, sir_block *to)
{
    sir_stmt *decl = sir_stmt_new(x->m, SIR_DECL, value->loc);
    decl->u.decl.local = sir_local_new(x->m, x->function, name, value->type, value->loc);
    decl->u.decl.init = value;
    VEC_PUSH(x->m->arena, to, decl);
    return decl->u.decl.local;
}

static sir_expr *keep(splitter *x, sir_expr *e)
{
    if (is_simple(e))
        return e;
    return sir_ref(x->m, SIR_LOCAL, declare(x, "t", e, x->before), e->type, e->loc);
}

static parts_pair keep_both(splitter *x, parts_pair p)
{
    return (parts_pair){{keep(x, p.part[0]), keep(x, p.part[1])}};
}

// The number itself, of what stays one, with what is inside rewritten.
static sir_expr *copy_inside(splitter *x, sir_expr *e)
{
    bool lazy = e->kind == SIR_SELECT || (e->kind == SIR_BINARY && (e->op == LANG_OP_LAND || e->op == LANG_OP_LOR));
    sir_expr *r = ARENA_NEW(x->m->arena, sir_expr);
    *r = *e;
    for (size_t i = 0; e->kind != SIR_CONST && i < sir_expr_arity(e); i++) {
        x->lazy += lazy && i > 0;
        r->u.arg[i] = rewrite(x, e->u.arg[i]);
        x->lazy -= lazy && i > 0;
    }
    return r;
}

static parts_pair members_of(splitter *x, sir_expr *e)
{
    return (parts_pair){{sir_member(x->m, e, 0, e->loc), sir_member(x->m, e, 1, e->loc)}};
}

// An element of a part of a split local or field.
static sir_expr *part_place(splitter *x, sir_expr *e, int part)
{
    if (e->kind != SIR_INDEX) {
        uint32_t index = part == 0 ? e->index : *name_of(x, e);
        return sir_ref(x->m, (sir_expr_kind)e->kind, index, part_type(x->m, e->type), e->loc);
    }
    return sir_expr2(x->m, SIR_INDEX, 0, part_type(x->m, e->type), part_place(x, e->u.arg[0], part), e->u.arg[1],
                     e->loc);
}

// The same place with its subscripts rewritten, and kept where they are long.
static sir_expr *subscripts_of(splitter *x, sir_expr *e)
{
    if (e->kind != SIR_INDEX)
        return e;
    sir_expr *at = rewrite(x, e->u.arg[1]);
    if (x->lazy == 0 && nodes_of(at, TWICE_NODES) > TWICE_NODES)
        at = keep(x, at);
    return sir_expr2(x->m, SIR_INDEX, 0, e->type, subscripts_of(x, e->u.arg[0]), at, e->loc);
}

static parts_pair split_peek(splitter *x, sir_expr *e)
{
    const sir_type *t = x->m->scalar[SIR_INT];
    sir_expr *at = rewrite(x, e->u.arg[0]);
    if (!x->in)
        return members_of(x, sir_expr1(x->m, SIR_PEEK, 0, e->type, at, e->loc));
    if (x->lazy == 0 && nodes_of(at, TWICE_NODES) > TWICE_NODES)
        at = keep(x, at);
    at = sir_expr2(x->m, SIR_BINARY, LANG_OP_MUL, t, at, sir_const_int(x->m, 2, e->loc), e->loc);
    sir_expr *next = sir_expr2(x->m, SIR_BINARY, LANG_OP_ADD, t, at, sir_const_int(x->m, 1, e->loc), e->loc);
    return (parts_pair){{sir_expr1(x->m, SIR_PEEK, 0, float_of(x), at, e->loc),
                         sir_expr1(x->m, SIR_PEEK, 0, float_of(x), next, e->loc)}};
}

// svm_cmul and svm_cdiv.
static parts_pair multiply(splitter *x, parts_pair a, parts_pair b)
{
    a = keep_both(x, a);
    b = keep_both(x, b);
    sir_expr *const *p = a.part, *const *q = b.part;
    return (parts_pair){{op2(x, LANG_OP_SUB, op2(x, LANG_OP_MUL, p[0], q[0]), op2(x, LANG_OP_MUL, p[1], q[1])),
                         op2(x, LANG_OP_ADD, op2(x, LANG_OP_MUL, p[0], q[1]), op2(x, LANG_OP_MUL, p[1], q[0]))}};
}

static parts_pair divide(splitter *x, parts_pair a, parts_pair b)
{
    a = keep_both(x, a);
    b = keep_both(x, b);
    sir_expr *const *p = a.part, *const *q = b.part;
    sir_expr *d = keep(x, op2(x, LANG_OP_ADD, op2(x, LANG_OP_MUL, q[0], q[0]), op2(x, LANG_OP_MUL, q[1], q[1])));
    sir_expr *real = op2(x, LANG_OP_ADD, op2(x, LANG_OP_MUL, p[0], q[0]), op2(x, LANG_OP_MUL, p[1], q[1]));
    sir_expr *imag = op2(x, LANG_OP_SUB, op2(x, LANG_OP_MUL, p[1], q[0]), op2(x, LANG_OP_MUL, p[0], q[1]));
    return (parts_pair){{op2(x, LANG_OP_DIV, real, d), op2(x, LANG_OP_DIV, imag, d)}};
}

static parts_pair split_binary(splitter *x, sir_expr *e)
{
    lang_binary_op op = (lang_binary_op)e->op;
    bool sums = op == LANG_OP_ADD || op == LANG_OP_SUB;
    if (!sums && x->lazy > 0) // nothing can be kept
        return members_of(x, copy_inside(x, e));
    parts_pair a = split(x, e->u.arg[0]), b = split(x, e->u.arg[1]);
    if (!sums)
        return op == LANG_OP_MUL ? multiply(x, a, b) : divide(x, a, b);
    return (parts_pair){{op2(x, op, a.part[0], b.part[0]), op2(x, op, a.part[1], b.part[1])}};
}

static parts_pair split_select(splitter *x, sir_expr *e)
{
    sir_expr *cond = rewrite(x, e->u.arg[0]);
    if (x->lazy == 0)
        cond = keep(x, cond);
    else if (nodes_of(cond, TWICE_NODES) > TWICE_NODES)
        return members_of(x, copy_inside(x, e));
    x->lazy++;
    parts_pair a = split(x, e->u.arg[1]), b = split(x, e->u.arg[2]), r;
    x->lazy--;
    for (int k = 0; k < 2; k++)
        r.part[k] = sir_expr3(x->m, SIR_SELECT, float_of(x), cond, a.part[k], b.part[k], e->loc);
    return r;
}

static parts_pair split_convert(splitter *x, sir_expr *e)
{
    sir_expr *a = rewrite(x, e->u.arg[0]);
    if (is_complex(a->type))
        return split(x, e->u.arg[0]);
    if (a->type->kind != SIR_FLOAT)
        a = sir_expr1(x->m, SIR_CONVERT, 0, float_of(x), a, e->loc);
    return (parts_pair){{a, sir_const_float(x->m, 0.0F, e->loc)}};
}

// Both parts of a complex expression. They may share nodes, of short expressions.
static parts_pair split(splitter *x, sir_expr *e)
{
    sir_expr *place;
    parts_pair p;
    switch ((sir_expr_kind)e->kind) {
    case SIR_CONST:
        return (parts_pair){
            {sir_const_float(x->m, e->u.value.c.re, e->loc), sir_const_float(x->m, e->u.value.c.im, e->loc)}};
    case SIR_LOCAL:
    case SIR_FIELD:
    case SIR_INDEX:
        if (!is_split(x, e))
            return members_of(x, copy_inside(x, e));
        place = subscripts_of(x, e);
        return (parts_pair){{part_place(x, place, 0), part_place(x, place, 1)}};
    case SIR_UNARY:
        p = split(x, e->u.arg[0]);
        for (int k = 0; k < 2; k++)
            p.part[k] = sir_expr1(x->m, SIR_UNARY, e->op, float_of(x), p.part[k], e->loc);
        return p;
    case SIR_BINARY: return split_binary(x, e);
    case SIR_SELECT: return split_select(x, e);
    case SIR_CONVERT: return split_convert(x, e);
    case SIR_PEEK: return split_peek(x, e);
    case SIR_MAKE_COMPLEX: return (parts_pair){{rewrite(x, e->u.arg[0]), rewrite(x, e->u.arg[1])}};
    default: break;
    }
    sir_expr *r = copy_inside(x, e); // a function of complex numbers
    if (x->lazy == 0 && !is_simple(r))
        r = keep(x, r);
    return members_of(x, r);
}

// svm_ceq.
static sir_expr *compare(splitter *x, sir_expr *e)
{
    const sir_type *t = e->type;
    parts_pair a = split(x, e->u.arg[0]), b = split(x, e->u.arg[1]);
    sir_expr *real = sir_expr2(x->m, SIR_BINARY, e->op, t, a.part[0], b.part[0], e->loc);
    sir_expr *imag = sir_expr2(x->m, SIR_BINARY, e->op, t, a.part[1], b.part[1], e->loc);
    return sir_expr2(x->m, SIR_BINARY, e->op == LANG_OP_EQ ? LANG_OP_LAND : LANG_OP_LOR, t, real, imag, e->loc);
}

// svm_cabs.
static sir_expr *magnitude(splitter *x, sir_expr *e)
{
    parts_pair p = keep_both(x, split(x, e->u.arg[0]));
    sir_expr *square =
        op2(x, LANG_OP_ADD, op2(x, LANG_OP_MUL, p.part[0], p.part[0]), op2(x, LANG_OP_MUL, p.part[1], p.part[1]));
    return sir_expr1(x->m, SIR_MATH, LANG_MATH_SQRT, float_of(x), square, e->loc);
}

// The same value, of whatever type.
static sir_expr *rewrite(splitter *x, sir_expr *e)
{
    bool of_complex = e->kind != SIR_CONST && sir_expr_arity(e) > 0 && is_complex(e->u.arg[0]->type);
    if (e->kind == SIR_MEMBER && of_complex)
        return split(x, e->u.arg[0]).part[e->index];
    if (e->kind == SIR_BINARY && of_complex && (e->op == LANG_OP_EQ || e->op == LANG_OP_NE))
        return compare(x, e);
    if (e->kind == SIR_MATH && e->op == LANG_MATH_ABS && of_complex && x->lazy == 0)
        return magnitude(x, e);
    if (is_complex(e->type) && ((e->kind == SIR_PEEK && x->in) || is_split(x, e))) {
        parts_pair p = split(x, e);
        return sir_expr2(x->m, SIR_MAKE_COMPLEX, 0, e->type, p.part[0], p.part[1], e->loc);
    }
    return copy_inside(x, e);
}

// ---- Statements ----

static bool reads_root(sir_expr *e, const sir_expr *root)
{
    if ((e->kind == SIR_LOCAL || e->kind == SIR_FIELD) && e->kind == root->kind && e->index == root->index)
        return true;
    for (size_t i = 0; e->kind != SIR_CONST && i < sir_expr_arity(e); i++)
        if (reads_root(e->u.arg[i], root))
            return true;
    return false;
}

static void set_part(splitter *x, sir_expr *target, sir_expr *value, sir_block *to)
{
    sir_stmt *s = sir_stmt_new(x->m, SIR_SET, value->loc);
    s->u.set.target = target;
    s->u.set.value = value;
    VEC_PUSH(x->m->arena, to, s);
}

// What the second half reads is as it was before the first was written.
static void assign(splitter *x, sir_expr *target, parts_pair p, sir_block *to)
{
    sir_expr *real = part_place(x, target, 0), *imag = part_place(x, target, 1);
    if (reads_root(p.part[1], sir_lvalue_root(real)) || reads_root(imag, sir_lvalue_root(real))) {
        p.part[0] = sir_ref(x->m, SIR_LOCAL, declare(x, "t", p.part[0], to), float_of(x), target->loc);
        set_part(x, imag, p.part[1], to);
        set_part(x, real, p.part[0], to);
        return;
    }
    set_part(x, real, p.part[0], to);
    set_part(x, imag, p.part[1], to);
}

static void split_block(splitter *x, sir_block *b);

// The lvalue written; where it is a part of a split number, that part.
static sir_expr *rewrite_target(splitter *x, sir_expr *e)
{
    if (e->kind == SIR_MEMBER && is_complex(e->u.arg[0]->type) && is_split(x, e->u.arg[0]))
        return part_place(x, subscripts_of(x, e->u.arg[0]), (int)e->index);
    return copy_inside(x, e);
}

static void add(splitter *x, sir_stmt *s, sir_block *to)
{
    VEC_PUSH(x->m->arena, to, s);
}

static void split_decl(splitter *x, sir_stmt *s, sir_block *to)
{
    uint32_t local = s->u.decl.local, imag = x->locals.imag[local];
    sir_stmt *second = ARENA_NEW(x->m->arena, sir_stmt);
    *second = *s;
    second->u.decl.local = imag;
    if (s->u.decl.init != NULL) {
        parts_pair p = split(x, s->u.decl.init);
        s->u.decl.init = p.part[0];
        second->u.decl.init = p.part[1];
    }
    add(x, s, to);
    add(x, second, to);
}

static sir_expr *new_number(splitter *x, sir_loc loc, sir_block *to)
{
    const sir_type *t = x->m->scalar[SIR_COMPLEX];
    sir_stmt *decl = sir_stmt_new(x->m, SIR_DECL, loc);
    decl->u.decl.local = sir_local_new(x->m, x->function, "t", t, loc);
    add(x, decl, to);
    return sir_ref(x->m, SIR_LOCAL, decl->u.decl.local, t, loc);
}

static void split_pop(splitter *x, sir_stmt *s, sir_block *to)
{
    sir_expr *target = s->u.set.target;
    sir_stmt *second = ARENA_NEW(x->m->arena, sir_stmt);
    *second = *s;
    add(x, s, to);
    add(x, second, to);
    if (target == NULL)
        return;
    if (is_split(x, target)) {
        target = subscripts_of(x, target);
        s->u.set.target = part_place(x, target, 0);
        second->u.set.target = part_place(x, target, 1);
        return;
    }
    target = rewrite_target(x, target);
    s->u.set.target = sir_member(x->m, target, 0, s->loc);
    second->u.set.target = sir_member(x->m, target, 1, s->loc);
}

static void split_push(splitter *x, sir_stmt *s, sir_block *to)
{
    parts_pair p = split(x, s->u.value);
    sir_stmt *second = ARENA_NEW(x->m->arena, sir_stmt);
    *second = *s;
    s->u.value = p.part[0];
    second->u.value = p.part[1];
    add(x, s, to);
    add(x, second, to);
}

// pop and calls that write a split number: by another one.
static void split_result(splitter *x, sir_stmt *s, sir_expr **target, sir_block *to)
{
    sir_expr *place = subscripts_of(x, *target), *number = new_number(x, s->loc, to);
    *target = number;
    add(x, s, to);
    assign(x, place, members_of(x, number), to);
}

static void split_stmt(splitter *x, sir_stmt *s, sir_block *to)
{
    sir_parts parts = sir_stmt_parts(s);
    sir_expr *target = parts.target != NULL ? *parts.target : NULL;
    bool number = target != NULL && is_complex(target->type) && is_split(x, target);
    x->before = to;
    if (s->kind == SIR_DECL && s->u.decl.local < x->locals.len && x->locals.imag[s->u.decl.local] != SIR_NONE) {
        split_decl(x, s, to);
        return;
    }
    if (s->kind == SIR_SET && number) {
        parts_pair p = split(x, s->u.set.value);
        assign(x, subscripts_of(x, target), p, to);
        return;
    }
    if (s->kind == SIR_POP && x->in) {
        split_pop(x, s, to);
        return;
    }
    if (s->kind == SIR_PUSH && x->out) {
        split_push(x, s, to);
        return;
    }
    if (s->kind == SIR_LOOP) {
        split_block(x, &s->u.loop.pre);
        x->before = &s->u.loop.pre;
        if (s->u.loop.cond != NULL)
            s->u.loop.cond = rewrite(x, s->u.loop.cond);
        split_block(x, &s->u.loop.body);
        split_block(x, &s->u.loop.step);
        add(x, s, to);
        return;
    }
    for (uint8_t i = 0; i < parts.expr_count; i++)
        *parts.expr[i] = rewrite(x, *parts.expr[i]);
    for (size_t i = 0; i < parts.arg_count; i++)
        parts.args[i] = rewrite(x, parts.args[i]);
    if (number) {
        split_result(x, s, parts.target, to);
        return;
    }
    if (target != NULL)
        *parts.target = rewrite_target(x, target);
    for (uint8_t i = 0; i < parts.block_count; i++)
        split_block(x, parts.block[i]);
    add(x, s, to);
}

static void split_block(splitter *x, sir_block *b)
{
    sir_block r = {0};
    for (size_t i = 0; i < b->len; i++)
        split_stmt(x, b->data[i], &r);
    *b = r;
}

// ---- Filters ----

static const char *part_name(const splitter *x, const char *name, int part)
{
    return arena_printf(x->m->arena, "%s_%s", name, part == 0 ? "real" : "imag");
}

static void name_locals(splitter *x)
{
    sir_function *g = x->function;
    for (uint32_t i = 0; i < x->locals.len; i++) {
        if (x->locals.imag[i] == SIR_NONE)
            continue;
        sir_local l = g->locals.data[i];
        const sir_type *t = part_type(x->m, l.type);
        uint32_t real = sir_local_new(x->m, g, part_name(x, l.name, 0), t, l.loc);
        l.name = g->locals.data[real].name;
        g->locals.len = real;
        l.type = t;
        x->locals.imag[i] = sir_local_new(x->m, g, part_name(x, g->locals.data[i].name, 1), t, l.loc);
        g->locals.data[i] = l;
        g->names = NULL;
    }
}

static const char *free_field_name(const splitter *x, const char *name)
{
    const char *wanted = name;
    for (int n = 2;; n++) {
        bool taken = false;
        for (VEC_EACH(sir_field, f, &x->filter->fields))
            taken |= strcmp(f->name, name) == 0;
        if (!taken)
            return intern(x->m->names, name);
        name = arena_printf(x->m->arena, "%s_%d", wanted, n);
    }
}

static sir_value part_value(splitter *x, const sir_value *v, int part)
{
    const sir_type *t = part_type(x->m, v->type);
    if (v->zero)
        return sir_value_zero(t);
    sir_value r = sir_value_new(x->m->arena, t);
    for (uint64_t i = 0; i < t->words; i++)
        r.data[i].f = part == 0 ? v->data[i].c.re : v->data[i].c.im;
    return r;
}

static void name_fields(splitter *x)
{
    sir_filter *f = x->filter;
    for (uint32_t i = 0; i < x->fields.len; i++) {
        if (x->fields.imag[i] == SIR_NONE)
            continue;
        sir_field real = f->fields.data[i], imag = real;
        real.name = free_field_name(x, part_name(x, real.name, 0));
        imag.name = free_field_name(x, part_name(x, imag.name, 1));
        real.init = part_value(x, &f->fields.data[i].init, 0);
        imag.init = part_value(x, &f->fields.data[i].init, 1);
        real.type = imag.type = part_type(x->m, real.type);
        f->fields.data[i] = real;
        x->fields.imag[i] = (uint32_t)f->fields.len;
        VEC_PUSH(x->m->arena, &f->fields, imag);
    }
}

static void double_rate(sir_rate *r)
{
    r->min *= 2;
    r->max = r->max < 0 ? r->max : r->max * 2;
}

static void split_function(splitter *x, sir_function *g)
{
    start_function(x, g);
    name_locals(x);
    split_block(x, &g->body);
    if (x->in) {
        double_rate(&g->peek);
        double_rate(&g->pop);
    }
    if (x->out)
        double_rate(&g->push);
}

// push(pop()) of either half.
static void pass_on(splitter *x)
{
    sir_function *w = x->filter->work;
    sir_stmt *push = sir_stmt_new(x->m, SIR_PUSH, w->loc), *pop = sir_stmt_new(x->m, SIR_POP, w->loc);
    push->u.value = sir_expr1(x->m, SIR_PEEK, 0, float_of(x), sir_const_int(x->m, 0, w->loc), w->loc);
    w->body = (sir_block){0};
    w->locals.len = 0;
    w->peek.min = w->peek.min * 2 - 1;
    w->peek.max = w->peek.max * 2 - 1;
    add(x, push, &w->body);
    add(x, pop, &w->body);
}

static bool any_split(const parts_names *n)
{
    bool any = false;
    for (size_t i = 0; i < n->len; i++)
        any |= n->imag[i] != SIR_NONE;
    return any;
}

static bool split_filter(splitter *x, sir_filter *f, bool in, bool out)
{
    bool any = in || out;
    x->in = in;
    x->out = out;
    start_filter(x, f);
    if (any && f->identity) {
        pass_on(x);
    } else {
        sir_function *const own[] = {f->work, f->prework};
        for (size_t i = 0; i < 2; i++) {
            if (own[i] == NULL)
                continue;
            start_function(x, own[i]);
            any |= any_split(&x->locals);
        }
        each_function(x, start_function); // which fields are used as a whole
        any |= any_split(&x->fields);
        if (!any)
            return false;
        name_fields(x);
        each_function(x, split_function);
    }
    f->input = in ? float_of(x) : f->input;
    f->output = out ? float_of(x) : f->output;
    diag_remark(x->hlc->diag, sir_range(x->m, x->hlc->sources, f->loc),
                "complex numbers of '%s' are two floats each [parts]", f->name);
    return true;
}

// ---- Channels ----

static uint32_t head_of(const splitter *x, uint32_t channel)
{
    while (x->component[channel] != channel)
        channel = x->component[channel] = x->component[x->component[channel]];
    return channel;
}

static void join(splitter *x, uint32_t a, uint32_t b)
{
    if (a == SIR_NONE || b == SIR_NONE || !is_complex(x->m->channels.data[a].type) ||
        !is_complex(x->m->channels.data[b].type))
        return;
    a = head_of(x, a);
    b = head_of(x, b);
    x->component[b] = a;
    x->unfit[a] |= x->unfit[b];
    x->computes[a] |= x->computes[b];
}

static bool is_counted(const sir_function *g)
{
    return !g->peek.dynamic && !g->pop.dynamic && !g->push.dynamic && g->peek.max < MOST_ITEMS &&
           g->pop.max < MOST_ITEMS && g->push.max < MOST_ITEMS;
}

static void check_function(splitter *x, sir_function *g)
{
    x->fits &= is_counted(g);
    start_function(x, g);
}

static uint32_t input_of(const sir_actor *a)
{
    return a->inputs.len > 0 ? a->inputs.data[0] : SIR_NONE;
}

static uint32_t output_of(const sir_actor *a)
{
    return a->outputs.len > 0 ? a->outputs.data[0] : SIR_NONE;
}

typedef struct filter_ports {
    uint32_t in, out; // a channel of some actor
} filter_ports;

static void note_filter(splitter *x, const sir_actor *a, hmap *ports)
{
    filter_ports *p = hmap_getn(ports, &a->filter, sizeof a->filter);
    uint32_t own[] = {input_of(a), output_of(a)};
    if (p == NULL) {
        p = ARENA_NEW(x->a, filter_ports);
        *p = (filter_ports){own[0], own[1]};
        hmap_setn(ports, &a->filter, sizeof a->filter, p);
        start_filter(x, a->filter);
        each_function(x, check_function);
        for (size_t i = 0; i < 2; i++) {
            if (own[i] == SIR_NONE)
                continue;
            x->unfit[head_of(x, own[i])] |= !x->fits || a->filter->finite;
            x->computes[head_of(x, own[i])] |= x->arithmetic;
        }
    }
    join(x, p->in, own[0]);
    join(x, p->out, own[1]);
    if (a->filter->identity)
        join(x, own[0], own[1]);
}

static void note_actor(splitter *x, const sir_actor *a, hmap *ports)
{
    if (a->kind == SIR_FILTER) {
        note_filter(x, a, ports);
        return;
    }
    bool outside = sir_is_file(a), heavy = false;
    for (VEC_EACH(uint32_t, w, &a->weights))
        heavy |= *w >= MOST_ITEMS;
    uint32_t first = input_of(a) != SIR_NONE ? input_of(a) : output_of(a);
    for (VEC_EACH(uint32_t, c, &a->inputs)) {
        first = first == SIR_NONE ? *c : first;
        join(x, first, *c);
    }
    for (VEC_EACH(uint32_t, c, &a->outputs)) {
        first = first == SIR_NONE ? *c : first;
        join(x, first, *c);
    }
    if (first != SIR_NONE)
        x->unfit[head_of(x, first)] |= outside || heavy;
}

static bool is_two(const splitter *x, uint32_t channel)
{
    return channel != SIR_NONE && is_complex(x->m->channels.data[channel].type) && !x->unfit[head_of(x, channel)] &&
           x->computes[head_of(x, channel)];
}

static void find_components(splitter *x, hmap *ports)
{
    size_t n = x->m->channels.len;
    x->component = ARENA_ARRAY(x->a, uint32_t, n + 1);
    x->unfit = ARENA_ARRAY(x->a, bool, n + 1);
    x->computes = ARENA_ARRAY(x->a, bool, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        x->component[i] = i;
        x->unfit[i] = x->m->portals.len > 0;
    }
    for (VEC_EACH(sir_actor *, a, &x->m->actors))
        note_actor(x, *a, ports);
}

static void double_weights(splitter *x, sir_actor *a)
{
    uint32_t channel = SIR_NONE;
    for (VEC_EACH(uint32_t, c, &a->inputs))
        channel = *c != SIR_NONE ? *c : channel;
    for (VEC_EACH(uint32_t, c, &a->outputs))
        channel = *c != SIR_NONE ? *c : channel;
    if ((a->kind != SIR_SPLIT && a->kind != SIR_JOIN) || !is_two(x, channel))
        return;
    a->item = float_of(x);
    for (VEC_EACH(uint32_t, w, &a->weights))
        *w *= 2;
}

static void double_items(splitter *x, sir_channel *c)
{
    VEC(sir_value) initial = {0};
    for (VEC_EACH(sir_value, v, &c->initial))
        for (int part = 0; part < 2; part++)
            VEC_PUSH(x->m->arena, &initial, part_value(x, v, part));
    c->initial.data = initial.data;
    c->initial.len = initial.len;
    c->initial.cap = initial.cap;
    c->type = float_of(x);
}

bool pass_parts(hlc_program *p)
{
    const hlc_config *config = p->config;
    if (config->no_lanes || !pass_may_change_more(p) || !pass_has_vectors(p) || sir_is_finite(p->module))
        return false;
    splitter x = {.a = arena_create(), .hlc = p, .m = p->module};
    hmap ports;
    bool changed = false;
    hmap_init(&ports, x.a);
    find_components(&x, &ports);
    for (VEC_EACH(sir_filter *, f, &x.m->filters)) {
        const filter_ports *own = hmap_getn(&ports, &*f, sizeof *f);
        bool in = own != NULL && is_two(&x, own->in), out = own != NULL && is_two(&x, own->out);
        if (own != NULL && !(*f)->finite)
            changed |= split_filter(&x, *f, in, out);
    }
    for (VEC_EACH(sir_actor *, a, &x.m->actors))
        double_weights(&x, *a);
    bool *two = ARENA_ARRAY(x.a, bool, x.m->channels.len + 1);
    for (uint32_t i = 0; i < x.m->channels.len; i++)
        two[i] = is_two(&x, i);
    for (uint32_t i = 0; i < x.m->channels.len; i++)
        if (two[i])
            double_items(&x, &x.m->channels.data[i]);
    if (changed) {
        for (VEC_EACH(sir_filter *, f, &x.m->filters))
            sir_filter_derive(x.m, *f);
        sir_canonicalize(x.m, &(canon_options){0}); // gives each body nodes of its own
    }
    arena_destroy(x.a);
    return changed;
}
