// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expressions: types, names, swizzles, subscripts, what is assigned.
#include "lang/brook/check.h"

#include <string.h>

static const brook_type none = {.element = BROOK_ERROR, .width = 1};

static const char *type_name(const brook_checker *c, brook_type t)
{
    return brook_type_name(c->arena, t);
}

static bool is_error(const brook_expr *e)
{
    return e->type.element == BROOK_ERROR;
}

// Fixed-point numbers are computed with as floats.
static brook_element computes_in(brook_element e)
{
    return e == BROOK_FIXED || e == BROOK_SHORTFIXED ? BROOK_FLOAT : e;
}

brook_type brook_meet(brook_checker *c, brook_type a, brook_type b, src_range at, const char *op)
{
    if (!brook_is_number(a) || !brook_is_number(b))
        return none;
    brook_element e = computes_in(a.element), f = computes_in(b.element);
    uint8_t width = a.width > b.width ? a.width : b.width;
    if (a.width != b.width && a.width > 1 && b.width > 1) {
        width = a.width < b.width ? a.width : b.width;
        diag_warning(c->diags, WARN_BROOK_WIDTH, at,
                     "'%s' of '%s' and '%s' works on %u components: say which with a swizzle", op, type_name(c, a),
                     type_name(c, b), width);
    }
    return (brook_type){.element = brook_element_rank(e) >= brook_element_rank(f) ? e : f, .width = width};
}

const char *brook_nearest_name(brook_checker *c, const char *name, bool functions)
{
    VEC(const char *) names = {0};
    for (VEC_EACH(brook_var *const, v, &c->visible))
        VEC_PUSH(c->arena, &names, (*v)->name);
    if (functions) {
        names.len = 0;
        for (VEC_EACH(brook_kernel *const, k, &c->program->kernels))
            VEC_PUSH(c->arena, &names, (*k)->name);
        for (int i = 0; i < BROOK_FN_COUNT; i++)
            VEC_PUSH(c->arena, &names, brook_intrinsics[i].name);
    }
    return diag_nearest(name, names.data, names.len);
}

// ---- Names ----

static void check_name(brook_checker *c, brook_expr *e)
{
    brook_var *v = brook_find_var(c, e->u.name.name);
    e->u.name.var = v;
    if (v == NULL) {
        diag_record *r = BROOK_WRONG(c, e->range, "unknown name '%s': a kernel knows its parameters and locals only",
                                     e->u.name.name);
        const char *near = brook_nearest_name(c, e->u.name.name, false);
        if (near != NULL)
            diag_add_fixit(c->diags, r, e->range, near);
        return;
    }
    e->type = v->type;
    if (v->kind == BROOK_GATHER) {
        BROOK_WRONG(c, e->range, "gather parameter '%s' needs %s, as in '%s%s'", v->name,
                    v->rank == 1 ? "a subscript" : "subscripts", v->name, v->rank == 1 ? "[i]" : "[i][j]");
        e->type = none;
    }
}

static void check_indexof(brook_checker *c, brook_expr *e)
{
    brook_var *v = brook_find_var(c, e->u.name.name);
    e->u.name.var = v;
    e->type = (brook_type){.element = BROOK_FLOAT, .width = 4};
    if (v == NULL)
        BROOK_WRONG(c, e->range, "unknown name '%s': 'indexof' takes a stream parameter of this kernel",
                    e->u.name.name);
    else if (v->kind != BROOK_INPUT && v->kind != BROOK_OUTPUT && v->kind != BROOK_ITERATOR)
        BROOK_WRONG(c, e->range,
                    "'%s' is no stream of this kernel with an element for each place: 'indexof' takes an input, an "
                    "iterator or an output",
                    v->name);
    else if (c->kernel->reduce)
        BROOK_WRONG(c, e->range, "'indexof' in a reduce function: its elements may be combined in any grouping");
    else
        v->indexed = true;
}

// ---- Members and swizzles ----

static int component_of(char letter)
{
    static const char letters[] = "xyzwrgba";
    const char *at = strchr(letters, letter);
    return at == NULL || letter == '\0' ? -1 : (int)(at - letters) % 4;
}

static void check_swizzle(brook_checker *c, brook_expr *e)
{
    const brook_expr *base = e->u.member.base;
    const char *name = e->u.member.name;
    size_t len = strlen(name);
    e->u.member.swizzle = true;
    for (size_t i = 0; i < len; i++) {
        int component = component_of(name[i]);
        if (component < 0 || len > 4) {
            BROOK_WRONG(c, e->u.member.name_range,
                        "'%s' is no component of '%s': expected up to four letters of xyzw or rgba", name,
                        type_name(c, base->type));
            return;
        }
        if (component >= base->type.width) {
            BROOK_WRONG(c, e->u.member.name_range, "'%s' has no component '%c'", type_name(c, base->type), name[i]);
            return;
        }
        e->u.member.component[i] = (uint8_t)component;
    }
    e->type = (brook_type){.element = base->type.element, .width = (uint8_t)len};
}

static void check_member(brook_checker *c, brook_expr *e)
{
    brook_expr *base = e->u.member.base;
    brook_check_expr(c, base);
    e->effects = base->effects;
    if (is_error(base))
        return;
    if (brook_is_number(base->type)) {
        check_swizzle(c, e);
        return;
    }
    if (base->type.element == BROOK_STRUCT) {
        const brook_struct *st = base->type.decl;
        for (size_t i = 0; i < st->members.len; i++)
            if (strcmp(st->members.data[i].name, e->u.member.name) == 0) {
                e->u.member.index = (uint32_t)i;
                e->type = st->members.data[i].type;
                return;
            }
    }
    BROOK_WRONG(c, e->u.member.name_range, "'%s' has no member '%s'", type_name(c, base->type), e->u.member.name);
}

// ---- Subscripts ----

static void check_gather(brook_checker *c, brook_expr *e, brook_var *v)
{
    e->u.index.gather = v;
    e->u.index.base->type = v->type;
    e->u.index.base->u.name.var = v;
    e->type = v->type;
    size_t count = e->u.index.at.len;
    bool numbers = true;
    for (VEC_EACH(brook_expr *const, at, &e->u.index.at)) {
        brook_check_expr(c, *at);
        e->effects |= (*at)->effects;
        if (!is_error(*at) && !brook_is_number((*at)->type)) {
            BROOK_WRONG(c, (*at)->range, "a subscript must be a number or a vector; this has type '%s'",
                        type_name(c, (*at)->type));
            numbers = false;
        }
        numbers &= !is_error(*at);
    }
    const brook_expr *first = e->u.index.at.data[0];
    if (!numbers)
        return;
    if (count == 1 && first->type.width < v->rank) {
        BROOK_WRONG(c, first->range,
                    "'%s' has %u dimensions: expected a vector of %u components or %u subscripts, this has type '%s'",
                    v->name, v->rank, v->rank, v->rank, type_name(c, first->type));
        return;
    }
    if (count == 1)
        return;
    if (count != v->rank) {
        BROOK_WRONG(c, e->range, "'%s' has %u dimension%s and %zu subscripts", v->name, v->rank,
                    v->rank == 1 ? "" : "s", count);
        return;
    }
    for (VEC_EACH(brook_expr *const, at, &e->u.index.at))
        if ((*at)->type.width != 1)
            BROOK_WRONG(c, (*at)->range, "each of several subscripts must be one number; this has type '%s'",
                        type_name(c, (*at)->type));
}

static void check_index(brook_checker *c, brook_expr *e)
{
    brook_expr *base = e->u.index.base;
    brook_var *v = base->kind == BROOK_EXPR_NAME ? brook_find_var(c, base->u.name.name) : NULL;
    if (v != NULL && v->kind == BROOK_GATHER) {
        check_gather(c, e, v);
        return;
    }
    brook_check_expr(c, base);
    brook_expr *at = e->u.index.at.data[0];
    for (VEC_EACH(brook_expr *const, i, &e->u.index.at)) {
        brook_check_expr(c, *i);
        e->effects |= (*i)->effects;
    }
    e->effects |= base->effects;
    if (is_error(base) || is_error(at))
        return;
    if (!brook_is_number(base->type) || base->type.width < 2 || e->u.index.at.len > 1) {
        BROOK_WRONG(c, e->range, "only gather parameters and vectors have subscripts; this is applied to '%s'",
                    type_name(c, base->type));
        return;
    }
    if (!brook_is_number(at->type) || at->type.width != 1)
        BROOK_WRONG(c, at->range, "a subscript must be one number; this has type '%s'", type_name(c, at->type));
    else if (at->kind == BROOK_EXPR_NUMBER && !(at->u.number >= 0 && at->u.number < base->type.width))
        BROOK_WRONG(c, at->range, "'%s' has no component %g: expected 0 to %u", type_name(c, base->type), at->u.number,
                    base->type.width - 1u);
    else
        e->type = (brook_type){.element = base->type.element, .width = 1};
}

// ---- Operators ----

static bool check_numbers(brook_checker *c, const brook_expr *e, const brook_expr *operand, const char *op)
{
    if (is_error(operand))
        return false;
    if (brook_is_number(operand->type))
        return true;
    diag_record *r = BROOK_WRONG(c, operand->range, "'%s' needs numbers or vectors; this has type '%s'", op,
                                 type_name(c, operand->type));
    (void)e;
    (void)r;
    return false;
}

// '%', '&' and the like work on ints; a whole number beside an int is one.
static bool is_int_operand(const brook_expr *e)
{
    return brook_is_integer(e->type) || (e->kind == BROOK_EXPR_NUMBER && e->integral);
}

static bool needs_ints(int op)
{
    switch (op) {
    case LANG_OP_REM:
    case LANG_OP_AND:
    case LANG_OP_OR:
    case LANG_OP_XOR:
    case LANG_OP_SHL:
    case LANG_OP_SHR: return true;
    default: return false;
    }
}

static bool is_comparison(int op)
{
    return op == LANG_OP_EQ || op == LANG_OP_NE || op == LANG_OP_LT || op == LANG_OP_LE || op == LANG_OP_GT ||
           op == LANG_OP_GE;
}

static brook_type operate(brook_checker *c, int op, src_range op_range, const brook_expr *l, const brook_expr *r)
{
    const char *spelling = lang_binary_spelling[op];
    bool left = check_numbers(c, l, l, spelling), right = check_numbers(c, r, r, spelling);
    if (!left || !right)
        return none;
    if (needs_ints(op)) {
        if (!is_int_operand(l) || !is_int_operand(r)) {
            diag_record *d = BROOK_WRONG(c, op_range, "'%s' needs int operands, and has '%s' and '%s'%s", spelling,
                                         type_name(c, l->type), type_name(c, r->type),
                                         op == LANG_OP_REM ? "; use 'fmod' for floats" : "");
            diag_add_range(c->diags, d, l->range);
            diag_add_range(c->diags, d, r->range);
            return none;
        }
        brook_type a = brook_is_integer(l->type) ? l->type : r->type, b = brook_is_integer(r->type) ? r->type : a;
        return brook_is_integer(a) ? brook_meet(c, a, b, op_range, spelling) : BROOK_SCALAR_OF(INT);
    }
    if (op == LANG_OP_DIV && l->kind == BROOK_EXPR_NUMBER && r->kind == BROOK_EXPR_NUMBER && l->integral && r->integral)
        diag_warning(c->diags, WARN_BROOK_INT_DIVISION, op_range, "numbers in kernels are floats: this is %g, not %g",
                     l->u.number / r->u.number,
                     r->u.number != 0 ? (double)((int64_t)(l->u.number / r->u.number)) : 0.0);
    brook_type t = brook_meet(c, l->type, r->type, op_range, spelling);
    if (is_comparison(op) || op == LANG_OP_LAND || op == LANG_OP_LOR)
        t.element = BROOK_FLOAT;
    return t;
}

static void check_binary(brook_checker *c, brook_expr *e)
{
    brook_expr *l = e->u.binary.left, *r = e->u.binary.right;
    brook_check_expr(c, l);
    brook_check_expr(c, r);
    e->effects = l->effects || r->effects;
    e->type = e->kind == BROOK_EXPR_COMMA ? r->type : operate(c, e->u.binary.op, e->u.binary.op_range, l, r);
}

static void check_unary(brook_checker *c, brook_expr *e)
{
    brook_expr *operand = e->u.unary.operand;
    brook_check_expr(c, operand);
    e->effects = operand->effects;
    if (!check_numbers(c, e, operand, lang_unary_spelling[e->u.unary.op]))
        return;
    e->type = operand->type;
    e->type.element = computes_in(e->type.element);
    if (e->u.unary.op == LANG_OP_NOT)
        e->type.element = BROOK_FLOAT;
    if (e->u.unary.op == LANG_OP_COMPL && !is_int_operand(operand)) {
        BROOK_WRONG(c, e->range, "'~' needs an int operand, and has '%s'", type_name(c, operand->type));
        e->type = none;
    } else if (e->u.unary.op == LANG_OP_COMPL && !brook_is_integer(operand->type)) {
        e->type.element = BROOK_INT;
    }
}

// The arms have one type; the width is that of the condition if it is a narrower vector.
static void check_cond(brook_checker *c, brook_expr *e)
{
    brook_expr *q = e->u.cond.cond, *a = e->u.cond.then, *b = e->u.cond.otherwise;
    brook_check_expr(c, q);
    brook_check_expr(c, a);
    brook_check_expr(c, b);
    e->effects = q->effects || a->effects || b->effects;
    if (is_error(q) || is_error(a) || is_error(b))
        return;
    if (!brook_is_number(q->type)) {
        BROOK_WRONG(c, q->range, "a condition must be a number or a vector; this has type '%s'", type_name(c, q->type));
        return;
    }
    bool numbers = brook_is_number(a->type) && brook_is_number(b->type);
    if (numbers ? a->type.width != b->type.width && a->type.width > 1 && b->type.width > 1
                : !brook_type_same(a->type, b->type)) {
        diag_record *r =
            BROOK_WRONG(c, e->range, "the two values of '?:' have types '%s' and '%s': expected the same width",
                        type_name(c, a->type), type_name(c, b->type));
        diag_add_range(c->diags, r, a->range);
        diag_add_range(c->diags, r, b->range);
        return;
    }
    if (!numbers && q->type.width > 1) {
        BROOK_WRONG(c, q->range, "a condition that selects structs must be one number; this has type '%s'",
                    type_name(c, q->type));
        return;
    }
    e->type = numbers ? brook_meet(c, a->type, b->type, e->range, "?:") : a->type;
    if (numbers && a->type.element == b->type.element)
        e->type.element = a->type.element;
    uint8_t w = q->type.width;
    if (w > 1 && e->type.width == 1)
        e->type.width = w;
    else if (w > 1 && w != e->type.width) {
        diag_warning(c->diags, WARN_BROOK_WIDTH, q->range,
                     "a condition of type '%s' selects of '%s': works on %u components", type_name(c, q->type),
                     type_name(c, e->type), w < e->type.width ? w : e->type.width);
        e->type.width = w < e->type.width ? w : e->type.width;
    }
}

static void check_cast(brook_checker *c, brook_expr *e)
{
    brook_expr *operand = e->u.cast.operand;
    brook_check_expr(c, operand);
    e->effects = operand->effects;
    e->type = e->u.cast.to;
    if (!is_error(operand) && !brook_is_number(operand->type)) {
        BROOK_WRONG(c, e->range, "cannot convert '%s' to '%s'", type_name(c, operand->type), type_name(c, e->type));
        e->type = none;
    }
}

static void check_make(brook_checker *c, brook_expr *e)
{
    const char *name = type_name(c, e->type);
    for (VEC_EACH(brook_expr *const, part, &e->u.parts)) {
        brook_check_expr(c, *part);
        e->effects |= (*part)->effects;
        if (!is_error(*part) && !brook_is_number((*part)->type))
            BROOK_WRONG(c, (*part)->range, "'%s' is made of numbers; this has type '%s'", name,
                        type_name(c, (*part)->type));
        else if ((*part)->type.width > 1 && e->type.width > 1)
            diag_warning(c->diags, WARN_BROOK_WIDTH, (*part)->range,
                         "of a '%s' the first component is taken: say which with a swizzle",
                         type_name(c, (*part)->type));
    }
    if (e->u.parts.len != e->type.width)
        BROOK_WRONG(c, e->range, "'%s' is made of %u number%s, not of %zu", name, e->type.width,
                    e->type.width == 1 ? "" : "s", e->u.parts.len);
}

// ---- Assignment ----

static void check_braces(brook_checker *c, brook_expr *e, brook_type to, const char *what)
{
    size_t most = to.element == BROOK_STRUCT ? to.decl->members.len : to.width;
    e->type = to;
    if (e->u.parts.len > most)
        BROOK_WRONG(c, e->range, "%zu values for %s of type '%s': expected at most %zu", e->u.parts.len, what,
                    type_name(c, to), most);
    for (size_t i = 0; i < e->u.parts.len && i < most; i++) {
        brook_type part = to;
        part.width = 1;
        brook_check_given(c, e->u.parts.data[i], to.element == BROOK_STRUCT ? to.decl->members.data[i].type : part,
                          what);
        e->effects |= e->u.parts.data[i]->effects;
    }
}

void brook_check_given(brook_checker *c, brook_expr *e, brook_type to, const char *what)
{
    if (e->kind == BROOK_EXPR_BRACES) {
        if (to.element != BROOK_ERROR)
            check_braces(c, e, to, what);
        return;
    }
    brook_check_expr(c, e);
    if (is_error(e) || to.element == BROOK_ERROR)
        return;
    bool numbers = brook_is_number(e->type) && brook_is_number(to);
    if (!numbers && !brook_type_same(e->type, to)) {
        BROOK_WRONG(c, e->range, "%s has type '%s' and cannot be given a value of type '%s'", what, type_name(c, to),
                    type_name(c, e->type));
        return;
    }
    if (numbers && e->type.width > 1 && to.width > e->type.width)
        diag_warning(c->diags, WARN_BROOK_WIDTH, e->range,
                     "%s has type '%s': of this '%s' the last component is repeated; say which with a swizzle", what,
                     type_name(c, to), type_name(c, e->type));
}

static brook_var *check_assignable(brook_checker *c, const brook_expr *e, brook_var *v, const char *how)
{
    const char *kind = NULL;
    switch (v->kind) {
    case BROOK_INPUT: kind = "input"; break;
    case BROOK_ITERATOR: kind = "iterator"; break;
    case BROOK_GATHER: kind = "gather parameter"; break;
    default: break;
    }
    if (kind != NULL) {
        diag_record *r = BROOK_WRONG(c, e->range, "%s '%s' cannot be %s", kind, v->name, how);
        diag_add_note(c->diags, r, v->range, "declared here; a local variable can hold a changed copy");
        return NULL;
    }
    if (v->constant) {
        diag_record *r = BROOK_WRONG(c, e->range, "'%s' is 'const' and cannot be %s", v->name, how);
        diag_add_note(c->diags, r, v->range, "declared here");
        return NULL;
    }
    v->assigned = true;
    return v;
}

bool brook_check_target(brook_checker *c, brook_expr *e, const char *how)
{
    if (is_error(e))
        return false;
    switch (e->kind) {
    case BROOK_EXPR_NAME: return e->u.name.var != NULL && check_assignable(c, e, e->u.name.var, how) != NULL;
    case BROOK_EXPR_MEMBER:
        for (int i = 0; e->u.member.swizzle && i < e->type.width; i++)
            for (int j = 0; j < i; j++)
                if (e->u.member.component[i] == e->u.member.component[j]) {
                    BROOK_WRONG(c, e->u.member.name_range, "'.%s' names a component twice and cannot be %s",
                                e->u.member.name, how);
                    return false;
                }
        return brook_check_target(c, e->u.member.base, how);
    case BROOK_EXPR_INDEX:
        if (e->u.index.gather != NULL)
            return check_assignable(c, e, e->u.index.gather, how) != NULL;
        if (e->u.index.at.data[0]->effects) {
            BROOK_WRONG(c, e->u.index.at.data[0]->range, "the subscript of what is %s cannot itself assign or call",
                        how);
            return false;
        }
        return brook_check_target(c, e->u.index.base, how);
    default: BROOK_WRONG(c, e->range, "this is no variable and cannot be %s", how); return false;
    }
}

static void check_assign(brook_checker *c, brook_expr *e)
{
    brook_expr *t = e->u.assign.target, *v = e->u.assign.value;
    brook_check_expr(c, t);
    e->type = t->type;
    e->effects = true;
    bool ok = brook_check_target(c, t, "assigned");
    const char *what = t->kind == BROOK_EXPR_NAME ? arena_printf(c->arena, "'%s'", t->u.name.name) : "what is assigned";
    if (!e->u.assign.compound) {
        brook_check_given(c, v, t->type, what);
        return;
    }
    brook_check_expr(c, v);
    if (!ok || is_error(v))
        return;
    // A vector that is narrower than the target is extended by its last component (21).
    brook_type target = t->type;
    if (brook_is_number(v->type) && brook_is_number(target) && v->type.width > 1 && v->type.width < target.width) {
        diag_warning(c->diags, WARN_BROOK_WIDTH, e->u.assign.op_range,
                     "%s has type '%s': of this '%s' the last component is repeated; say which with a swizzle", what,
                     type_name(c, target), type_name(c, v->type));
        brook_expr wide = *v;
        wide.type.width = target.width;
        e->u.assign.meets = operate(c, e->u.assign.op, e->u.assign.op_range, t, &wide);
    } else {
        e->u.assign.meets = operate(c, e->u.assign.op, e->u.assign.op_range, t, v);
    }
}

static void check_incdec(brook_checker *c, brook_expr *e)
{
    brook_expr *t = e->u.incdec.target;
    brook_check_expr(c, t);
    e->effects = true;
    if (brook_check_target(c, t, "changed") && check_numbers(c, e, t, e->u.incdec.increment ? "++" : "--"))
        e->type = t->type;
}

void brook_check_expr(brook_checker *c, brook_expr *e)
{
    brook_type made = e->type;
    e->type = none;
    c->kernel->size += c->kernel->size < SIZE_MAX;
    switch (e->kind) {
    case BROOK_EXPR_ERROR: c->kernel->wrong = true; break;
    case BROOK_EXPR_NUMBER: e->type = BROOK_SCALAR_OF(FLOAT); break;
    case BROOK_EXPR_NAME: check_name(c, e); break;
    case BROOK_EXPR_MEMBER: check_member(c, e); break;
    case BROOK_EXPR_INDEX: check_index(c, e); break;
    case BROOK_EXPR_UNARY: check_unary(c, e); break;
    case BROOK_EXPR_BINARY:
    case BROOK_EXPR_COMMA: check_binary(c, e); break;
    case BROOK_EXPR_COND: check_cond(c, e); break;
    case BROOK_EXPR_CAST: check_cast(c, e); break;
    case BROOK_EXPR_ASSIGN: check_assign(c, e); break;
    case BROOK_EXPR_INCDEC: check_incdec(c, e); break;
    case BROOK_EXPR_CALL: brook_check_call(c, e); break;
    case BROOK_EXPR_MAKE:
        e->type = made;
        check_make(c, e);
        break;
    case BROOK_EXPR_BRACES: BROOK_WRONG(c, e->range, "values in braces can stand only in a declaration"); break;
    case BROOK_EXPR_INDEXOF: check_indexof(c, e); break;
    }
}
