// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expressions of kernels.
#include "hlc/brook/lower.h"

static brook_type scalar_of(brook_type t)
{
    return (brook_type){.element = t.element, .width = 1};
}

static void set(brook_lowering *L, sir_expr *target, sir_expr *value, sir_loc loc)
{
    sir_stmt *s = sir_stmt_new(L->m, SIR_SET, loc);
    s->u.set.target = target;
    s->u.set.value = value;
    brook_emit(L, s);
}

static bool is_place(const sir_expr *e)
{
    while (e->kind == SIR_MEMBER)
        e = e->u.arg[0];
    return e->kind == SIR_LOCAL || e->kind == SIR_FIELD;
}

// A value of type t from one expression of stream IR.
static brook_value explode(brook_lowering *L, sir_expr *e, brook_type t, sir_loc loc)
{
    brook_value v = {.type = t};
    if (t.element == BROOK_STRUCT || t.width == 1) {
        v.part[0] = e;
        return v;
    }
    if (!is_place(e))
        e = brook_temp(L, e, loc);
    for (uint8_t i = 0; i < t.width; i++)
        v.part[i] = sir_member(L->m, brook_copy(L, e), i, loc);
    return v;
}

// ---- Variables ----

static brook_binding *binding_of(brook_lowering *L, const brook_var *v)
{
    return &L->frame->bindings[v->index];
}

// Where a bound variable is: names of its components, or of its struct.
static brook_value place_of(brook_lowering *L, const brook_binding *b, brook_type t, sir_loc loc)
{
    brook_value v = {.type = t};
    if (b->field)
        return explode(L, sir_ref(L->m, SIR_FIELD, b->index[0], brook_sir_type(L, t), loc), t, loc);
    if (t.element == BROOK_STRUCT) {
        v.part[0] = sir_ref(L->m, SIR_LOCAL, b->index[0], brook_sir_type(L, t), loc);
        return v;
    }
    for (uint8_t i = 0; i < t.width; i++)
        v.part[i] = sir_ref(L->m, SIR_LOCAL, b->index[i], brook_scalar_type(L, t.element), loc);
    return v;
}

brook_value brook_read_binding(brook_lowering *L, const brook_binding *b, brook_type t, sir_loc loc)
{
    return b->known ? brook_copy_value(L, b->value) : place_of(L, b, t, loc);
}

// Whether an expression has one value during a firing and is as cheap as a name: places of elements plus constants among
// them, so that subscripts made of such are seen to be (brook_as_index).
static bool is_steady(const brook_lowering *L, const sir_expr *e, int depth)
{
    switch (e->kind) {
    case SIR_CONST: return true;
    case SIR_FIELD: {
        sir_role role = L->filter->fields.data[e->index].role;
        return role == SIR_INPUT || role == SIR_UNIFORM || role == SIR_ITERATOR || role == SIR_COORDINATE;
    }
    case SIR_MEMBER:
    case SIR_CONVERT: return is_steady(L, e->u.arg[0], depth);
    case SIR_BINARY:
        return depth < 3 && (e->op == LANG_OP_ADD || e->op == LANG_OP_SUB) && e->u.arg[1]->kind == SIR_CONST &&
               is_steady(L, e->u.arg[0], depth + 1);
    default: return false;
    }
}

static bool is_steady_value(const brook_lowering *L, const brook_value *v)
{
    for (uint8_t i = 0; i < v->type.width; i++) // a struct has one part
        if (!is_steady(L, v->part[i], 0))
            return false;
    return true;
}

static uint32_t declare_local(brook_lowering *L, const char *name, const sir_type *t, sir_expr *init, sir_loc loc)
{
    uint32_t local = sir_local_new(L->m, L->fn, name, t, loc);
    sir_stmt *s = sir_stmt_new(L->m, SIR_DECL, loc);
    s->u.decl.local = local;
    s->u.decl.init = init;
    brook_emit(L, s);
    return local;
}

void brook_bind_local(brook_lowering *L, const brook_var *v, brook_binding *b, brook_value init)
{
    static const char *const letters[] = {"x", "y", "z", "w"};
    sir_loc loc = brook_loc(L, v->range);
    *b = (brook_binding){.bound = true, .stream = SIR_NONE};
    if (!v->assigned && init.part[0] != NULL && is_steady_value(L, &init)) {
        b->known = true;
        b->value = init;
        return;
    }
    if (v->type.element == BROOK_STRUCT) {
        b->index[0] = declare_local(L, v->name, brook_sir_type(L, v->type), init.part[0], loc);
        return;
    }
    for (uint8_t i = 0; i < v->type.width; i++) {
        const char *name = v->type.width == 1 ? v->name : arena_printf(L->m->arena, "%s_%s", v->name, letters[i]);
        b->index[i] = declare_local(L, name, brook_scalar_type(L, v->type.element), init.part[i], loc);
        brook_declare_beside(L, v, b->index[i], init.part[i], loc);
    }
}

static brook_value lower_name(brook_lowering *L, const brook_expr *e)
{
    return brook_read_binding(L, binding_of(L, e->u.name.var), e->type, brook_loc(L, e->range));
}

// ---- indexof ----

static sir_expr *coordinate(brook_lowering *L, const brook_binding *b, uint32_t dimension, sir_loc loc)
{
    if (b->stream == SIR_NONE) // has been reported
        return brook_float(L, 0, loc);
    sir_expr *c = L->border != NULL ? brook_border_place(L, dimension, loc)
                                    : sir_ref(L->m, SIR_FIELD, brook_coordinate(L, b->stream, dimension, loc),
                                              L->m->scalar[SIR_INT], loc);
    return brook_convert_part(L, c, BROOK_INT, BROOK_FLOAT, loc);
}

static brook_value lower_indexof(brook_lowering *L, const brook_expr *e)
{
    brook_value v = {.type = e->type};
    for (uint32_t i = 0; i < 4; i++)
        v.part[i] = coordinate(L, binding_of(L, e->u.name.var), i, brook_loc(L, e->range));
    return v;
}

// ---- Members and swizzles ----

static brook_value swizzled(brook_lowering *L, const brook_expr *e, brook_value base, bool copies)
{
    brook_value v = {.type = e->type};
    for (uint8_t i = 0; i < e->type.width; i++) {
        sir_expr *part = base.part[e->u.member.component[i]];
        v.part[i] = copies ? brook_copy(L, part) : part;
    }
    return v;
}

static brook_value lower_member(brook_lowering *L, const brook_expr *e)
{
    sir_loc loc = brook_loc(L, e->range);
    const brook_expr *base = e->u.member.base;
    if (e->u.member.swizzle && base->kind == BROOK_EXPR_INDEXOF) { // only the dimensions asked for
        brook_value v = {.type = e->type};
        for (uint8_t i = 0; i < e->type.width; i++)
            v.part[i] = coordinate(L, binding_of(L, base->u.name.var), e->u.member.component[i], loc);
        return v;
    }
    brook_value b = brook_lower_expr(L, base);
    if (e->u.member.swizzle)
        return swizzled(L, e, brook_keep(L, b, loc), true);
    if (!is_place(b.part[0]))
        b.part[0] = brook_temp(L, b.part[0], loc);
    return explode(L, sir_member(L->m, b.part[0], e->u.member.index, loc), e->type, loc);
}

// ---- Subscripts ----

// A subscript as the language rounds it: down from 1/4 more.
static sir_expr *subscript(brook_lowering *L, sir_expr *e, brook_element of, sir_loc loc)
{
    if (e->type->kind == SIR_INT)
        return e;
    sir_expr *index = brook_as_index(L, e);
    if (index != NULL)
        return index;
    sir_expr *quarter = brook_const(L, of, 0.25, loc);
    sir_expr *down = brook_math1(L, LANG_MATH_FLOOR, brook_op(L, LANG_OP_ADD, e, quarter));
    return brook_convert_part(L, down, of, BROOK_INT, loc);
}

static brook_value lower_gather(brook_lowering *L, const brook_expr *e)
{
    sir_loc loc = brook_loc(L, e->range);
    const brook_var *g = e->u.index.gather;
    sir_expr *at[SIR_RANK];
    if (e->u.index.at.len == 1) { // a vector: x is the fastest dimension
        const brook_expr *index = e->u.index.at.data[0];
        brook_value v = brook_lower_expr(L, index);
        for (uint8_t k = 0; k < g->rank; k++)
            at[g->rank - 1 - k] = subscript(L, v.part[k], index->type.element, loc);
    } else {
        for (size_t k = 0; k < g->rank; k++) {
            const brook_expr *index = e->u.index.at.data[k];
            brook_value v = brook_lower_expr(L, index);
            for (size_t later = k + 1; later < g->rank; later++)
                if (e->u.index.at.data[later]->effects)
                    v = brook_save(L, v, loc);
            at[k] = subscript(L, v.part[0], index->type.element, loc);
        }
    }
    const brook_binding *b = binding_of(L, g);
    sir_expr *element = L->border != NULL ? brook_border_element(L, b->index[0], at, g->rank, loc)
                                          : sir_fetch(L->m, b->index[0], brook_sir_type(L, g->type), at, g->rank, loc);
    brook_value v = explode(L, element, g->type, loc);
    return L->border != NULL ? brook_border_value(L, v, g) : v;
}

// The component that a number selects, counted down to 0 and up to the last.
static sir_expr *component_number(brook_lowering *L, const brook_expr *at)
{
    brook_value v = brook_lower_expr(L, at);
    sir_loc loc = brook_loc(L, at->range);
    sir_expr *i = brook_convert_part(L, v.part[0], at->type.element, BROOK_INT, loc);
    return brook_is_simple(i) ? i : brook_temp(L, i, loc);
}

static brook_value lower_component(brook_lowering *L, const brook_expr *e)
{
    sir_loc loc = brook_loc(L, e->range);
    const brook_expr *at = e->u.index.at.data[0];
    brook_value base = brook_keep(L, brook_lower_expr(L, e->u.index.base), loc), v = {.type = e->type};
    if (at->kind == BROOK_EXPR_NUMBER) {
        v.part[0] = base.part[(int)at->u.number];
        return v;
    }
    if (at->effects)
        base = brook_save(L, base, loc);
    sir_expr *i = component_number(L, at);
    v.part[0] = base.part[base.type.width - 1];
    for (int k = base.type.width - 2; k >= 0; k--) {
        sir_expr *before = brook_op(L, LANG_OP_LE, brook_copy(L, i), sir_const_int(L->m, k, loc));
        v.part[0] = brook_select(L, before, base.part[k], v.part[0]);
    }
    return v;
}

// ---- Assignment ----

static brook_value lower_place(brook_lowering *L, const brook_expr *e)
{
    sir_loc loc = brook_loc(L, e->range);
    if (e->kind == BROOK_EXPR_MEMBER && e->u.member.swizzle)
        return swizzled(L, e, lower_place(L, e->u.member.base), false);
    if (e->kind == BROOK_EXPR_MEMBER)
        return explode(L, sir_member(L->m, lower_place(L, e->u.member.base).part[0], e->u.member.index, loc), e->type,
                       loc);
    if (e->kind == BROOK_EXPR_INDEX) {
        brook_value base = lower_place(L, e->u.index.base), v = {.type = e->type};
        v.part[0] = base.part[(int)e->u.index.at.data[0]->u.number];
        return v;
    }
    return place_of(L, binding_of(L, e->u.name.var), e->type, loc);
}

// v[i] = x for an i that is not known: each component keeps its value or gets the new one.
static void store_component(brook_lowering *L, const brook_expr *target, brook_value v, sir_loc loc)
{
    brook_value base = lower_place(L, target->u.index.base);
    sir_expr *i = component_number(L, target->u.index.at.data[0]);
    for (int k = 0; k < base.type.width; k++) {
        sir_expr *is = brook_op(L, LANG_OP_EQ, brook_copy(L, i), sir_const_int(L->m, k, loc));
        sir_expr *kept = brook_copy(L, base.part[k]);
        set(L, base.part[k], brook_select(L, is, brook_copy(L, v.part[0]), kept), loc);
    }
}

void brook_store(brook_lowering *L, const brook_expr *target, brook_value v)
{
    sir_loc loc = brook_loc(L, target->range);
    v = brook_convert(L, v, target->type, loc);
    while (target->kind == BROOK_EXPR_MEMBER && target->u.member.swizzle && target->type.width == 1 &&
           target->u.member.base->kind == BROOK_EXPR_INDEX)
        target = target->u.member.base; // v[i].x is v[i]
    if (target->kind == BROOK_EXPR_INDEX && target->u.index.at.data[0]->kind != BROOK_EXPR_NUMBER) {
        store_component(L, target, brook_save(L, v, loc), loc);
        return;
    }
    if (v.type.element != BROOK_STRUCT && v.type.width > 1)
        v = brook_save(L, v, loc); // all of the value is computed before any of it is assigned
    const brook_var *named = target->kind == BROOK_EXPR_NAME ? target->u.name.var : NULL;
    sir_expr *index = named != NULL ? brook_next_beside(L, named, v.part[0]) : NULL;
    brook_value place = lower_place(L, target);
    uint8_t parts = v.type.element == BROOK_STRUCT ? 1 : v.type.width;
    for (uint8_t i = 0; i < parts; i++)
        set(L, place.part[i], v.part[i], loc);
    if (named != NULL)
        brook_set_beside(L, named, index, loc);
}

static brook_value operate(brook_lowering *L, int op, brook_type meets, brook_value a, brook_value b, sir_loc loc)
{
    brook_value r = {.type = meets};
    a = brook_convert(L, a, meets, loc);
    b = brook_convert(L, b, meets, loc);
    for (uint8_t i = 0; i < meets.width; i++)
        r.part[i] = brook_binary_part(L, op, meets.element, a.part[i], b.part[i], loc);
    return r;
}

// The value that an assignment leaves in its target.
static brook_value stored(brook_lowering *L, const brook_expr *target)
{
    return brook_lower_expr(L, target);
}

static void lower_assign(brook_lowering *L, const brook_expr *e)
{
    sir_loc loc = brook_loc(L, e->range);
    const brook_expr *target = e->u.assign.target;
    if (!e->u.assign.compound) {
        brook_store(L, target, brook_lower_as(L, e->u.assign.value, target->type));
        return;
    }
    brook_value value = brook_lower_expr(L, e->u.assign.value);
    if (e->u.assign.value->effects)
        value = brook_save(L, value, loc);
    brook_store(L, target, operate(L, e->u.assign.op, e->u.assign.meets, brook_lower_expr(L, target), value, loc));
}

static brook_value lower_incdec(brook_lowering *L, const brook_expr *e, bool wanted)
{
    sir_loc loc = brook_loc(L, e->range);
    const brook_expr *target = e->u.incdec.target;
    brook_value old = brook_lower_expr(L, target);
    if (wanted && !e->u.incdec.prefix)
        old = brook_save(L, old, loc);
    brook_type t = target->type;
    if (t.element == BROOK_FIXED || t.element == BROOK_SHORTFIXED)
        t.element = BROOK_FLOAT;
    brook_value one = {.type = scalar_of(t), .part = {brook_const(L, t.element, 1, loc)}};
    int op = e->u.incdec.increment ? LANG_OP_ADD : LANG_OP_SUB;
    brook_store(L, target, operate(L, op, t, wanted ? brook_copy_value(L, old) : old, one, loc));
    return wanted && !e->u.incdec.prefix ? old : wanted ? stored(L, target) : old;
}

// ---- Operators ----

static bool is_comparison(int op)
{
    return op == LANG_OP_EQ || op == LANG_OP_NE || op == LANG_OP_LT || op == LANG_OP_LE || op == LANG_OP_GT ||
           op == LANG_OP_GE;
}

// The element type in which two operands meet, by the checker's rule.
static brook_element meeting(const brook_expr *a, const brook_expr *b)
{
    brook_element e = a->type.element, f = b->type.element;
    e = e == BROOK_FIXED || e == BROOK_SHORTFIXED ? BROOK_FLOAT : e;
    f = f == BROOK_FIXED || f == BROOK_SHORTFIXED ? BROOK_FLOAT : f;
    return brook_element_rank(e) >= brook_element_rank(f) ? e : f;
}

// Both operands, the first one saved if the second one assigns.
static void operands(brook_lowering *L, const brook_expr *e, brook_value *a, brook_value *b)
{
    *a = brook_lower_expr(L, e->u.binary.left);
    if (e->u.binary.right->effects)
        *a = brook_save(L, *a, brook_loc(L, e->range));
    *b = brook_lower_expr(L, e->u.binary.right);
}

// A comparison or logical operation of component i, as a boolean.
static brook_value lower_logic(brook_lowering *L, const brook_expr *e)
{
    sir_loc loc = brook_loc(L, e->range);
    brook_value a, b, r = {.type = e->type};
    operands(L, e, &a, &b);
    int op = e->u.binary.op;
    brook_type meets = {.element = meeting(e->u.binary.left, e->u.binary.right), .width = e->type.width};
    bool compares = is_comparison(op);
    a = brook_convert(L, a, (brook_type){.element = compares ? meets.element : a.type.element, .width = meets.width},
                      loc);
    b = brook_convert(L, b, (brook_type){.element = compares ? meets.element : b.type.element, .width = meets.width},
                      loc);
    for (uint8_t i = 0; i < meets.width; i++)
        r.part[i] = compares ? brook_compare_part(L, op, meets.element, a.part[i], b.part[i], loc)
                             : brook_op(L, (lang_binary_op)op, brook_is_true(L, a.part[i], a.type.element, loc),
                                        brook_is_true(L, b.part[i], b.type.element, loc));
    return r;
}

static bool is_logic(const brook_expr *e)
{
    return e->kind == BROOK_EXPR_BINARY &&
           (is_comparison(e->u.binary.op) || e->u.binary.op == LANG_OP_LAND || e->u.binary.op == LANG_OP_LOR);
}

// A value's components as booleans.
static brook_value lower_booleans(brook_lowering *L, const brook_expr *e)
{
    sir_loc loc = brook_loc(L, e->range);
    if (is_logic(e))
        return lower_logic(L, e);
    bool inverted = e->kind == BROOK_EXPR_UNARY && e->u.unary.op == LANG_OP_NOT;
    brook_value v;
    if (inverted) {
        v = lower_booleans(L, e->u.unary.operand);
        for (uint8_t i = 0; i < v.type.width; i++)
            v.part[i] = sir_expr1(L->m, SIR_UNARY, LANG_OP_NOT, L->m->scalar[SIR_BOOLEAN], v.part[i], loc);
        return v;
    }
    v = brook_lower_expr(L, e);
    for (uint8_t i = 0; i < v.type.width; i++)
        v.part[i] = brook_is_true(L, v.part[i], e->type.element, loc);
    return v;
}

sir_expr *brook_lower_condition(brook_lowering *L, const brook_expr *e)
{
    brook_value v = lower_booleans(L, e);
    sir_expr *any = v.part[0];
    for (uint8_t i = 1; i < v.type.width; i++)
        any = brook_op(L, LANG_OP_LOR, any, v.part[i]);
    return any;
}

static brook_value flags(brook_lowering *L, const brook_expr *e)
{
    brook_value v = lower_booleans(L, e);
    v.type = e->type;
    for (uint8_t i = 0; i < v.type.width; i++)
        v.part[i] = brook_flag(L, v.part[i], brook_loc(L, e->range));
    return v;
}

static brook_value lower_unary(brook_lowering *L, const brook_expr *e)
{
    if (e->u.unary.op == LANG_OP_NOT)
        return flags(L, e);
    sir_loc loc = brook_loc(L, e->range);
    const brook_expr *operand = e->u.unary.operand;
    if (e->u.unary.op == LANG_OP_NEG && operand->kind == BROOK_EXPR_NUMBER)
        return (brook_value){.type = e->type, .part = {brook_float(L, (float)-operand->u.number, loc)}};
    brook_value v = brook_lower_as(L, operand, e->type);
    for (uint8_t i = 0; i < v.type.width; i++) {
        sir_expr *r = sir_expr1(L->m, SIR_UNARY, e->u.unary.op, v.part[i]->type, v.part[i], loc);
        bool small = e->type.element == BROOK_CHAR || e->type.element == BROOK_UCHAR;
        v.part[i] = small ? brook_convert_part(L, r, BROOK_INT, e->type.element, loc) : r;
    }
    return v;
}

static brook_value lower_binary(brook_lowering *L, const brook_expr *e)
{
    if (is_logic(e))
        return flags(L, e);
    brook_value a, b;
    operands(L, e, &a, &b);
    return operate(L, e->u.binary.op, e->type, a, b, brook_loc(L, e->range));
}

static brook_value lower_cond(brook_lowering *L, const brook_expr *e)
{
    sir_loc loc = brook_loc(L, e->range);
    const brook_expr *arms[2] = {e->u.cond.then, e->u.cond.otherwise};
    brook_value c = lower_booleans(L, e->u.cond.cond);
    bool effects = arms[0]->effects || arms[1]->effects;
    c = effects ? brook_save(L, c, loc) : brook_keep(L, c, loc);
    brook_value a = brook_lower_as(L, arms[0], e->type);
    if (arms[1]->effects)
        a = brook_save(L, a, loc);
    brook_value b = brook_lower_as(L, arms[1], e->type), r = {.type = e->type};
    uint8_t parts = e->type.element == BROOK_STRUCT ? 1 : e->type.width;
    for (uint8_t i = 0; i < parts; i++)
        r.part[i] = brook_select(L, brook_copy(L, c.part[c.type.width == 1 ? 0 : i]), a.part[i], b.part[i]);
    return r;
}

// ---- Made values ----

static brook_value lower_make(brook_lowering *L, const brook_expr *e)
{
    brook_value v = {.type = e->type};
    for (uint8_t i = 0; i < e->type.width; i++) {
        const brook_expr *part = e->u.parts.data[i];
        v.part[i] = brook_lower_as(L, part, scalar_of(e->type)).part[0];
        for (uint8_t k = (uint8_t)(i + 1); k < e->type.width; k++)
            if (e->u.parts.data[k]->effects && v.part[i]->kind != SIR_CONST) {
                v.part[i] = brook_temp(L, v.part[i], brook_loc(L, part->range));
                break;
            }
    }
    return v;
}

// {a, b}: what is left out is zero. Of a struct: a local is filled member by member.
static brook_value lower_braces(brook_lowering *L, const brook_expr *e, brook_type to)
{
    sir_loc loc = brook_loc(L, e->range);
    brook_value v = {.type = to};
    if (to.element != BROOK_STRUCT) {
        for (uint8_t i = 0; i < to.width; i++)
            v.part[i] = i < e->u.parts.len ? brook_lower_as(L, e->u.parts.data[i], scalar_of(to)).part[0]
                                           : brook_const(L, to.element, 0, loc);
        return e->effects ? brook_save(L, v, loc) : v;
    }
    v.part[0] =
        sir_ref(L->m, SIR_LOCAL, declare_local(L, "t", brook_sir_type(L, to), NULL, loc), brook_sir_type(L, to), loc);
    for (size_t i = 0; i < e->u.parts.len; i++) {
        brook_type t = to.decl->members.data[i].type;
        brook_value part = brook_lower_as(L, e->u.parts.data[i], t);
        brook_value place = explode(L, sir_member(L->m, brook_copy(L, v.part[0]), (uint32_t)i, loc), t, loc);
        for (uint8_t k = 0; k < (t.element == BROOK_STRUCT ? 1 : t.width); k++)
            set(L, place.part[k], part.part[k], loc);
    }
    return v;
}

brook_value brook_lower_as(brook_lowering *L, const brook_expr *e, brook_type to)
{
    if (e->kind == BROOK_EXPR_BRACES)
        return lower_braces(L, e, to);
    sir_loc loc = brook_loc(L, e->range);
    // A literal keeps the value that was written.
    bool minus =
        e->kind == BROOK_EXPR_UNARY && e->u.unary.op == LANG_OP_NEG && e->u.unary.operand->kind == BROOK_EXPR_NUMBER;
    if ((e->kind == BROOK_EXPR_NUMBER || minus) && to.element == BROOK_DOUBLE) {
        double v = minus ? -e->u.unary.operand->u.number : e->u.number;
        brook_value n = {.type = scalar_of(to), .part = {brook_const(L, BROOK_DOUBLE, v, loc)}};
        return brook_convert(L, n, to, loc);
    }
    return brook_convert(L, brook_lower_expr(L, e), to, loc);
}

void brook_lower_effects(brook_lowering *L, const brook_expr *e)
{
    if (!e->effects)
        return;
    switch (e->kind) {
    case BROOK_EXPR_ASSIGN: lower_assign(L, e); break;
    case BROOK_EXPR_INCDEC: lower_incdec(L, e, false); break;
    case BROOK_EXPR_COMMA:
        brook_lower_effects(L, e->u.binary.left);
        brook_lower_effects(L, e->u.binary.right);
        break;
    default: brook_lower_expr(L, e); break;
    }
}

brook_value brook_lower_expr(brook_lowering *L, const brook_expr *e)
{
    sir_loc loc = brook_loc(L, e->range);
    switch (e->kind) {
    case BROOK_EXPR_NUMBER: return (brook_value){.type = e->type, .part = {brook_float(L, (float)e->u.number, loc)}};
    case BROOK_EXPR_NAME: return lower_name(L, e);
    case BROOK_EXPR_INDEXOF: return lower_indexof(L, e);
    case BROOK_EXPR_MEMBER: return lower_member(L, e);
    case BROOK_EXPR_INDEX: return e->u.index.gather != NULL ? lower_gather(L, e) : lower_component(L, e);
    case BROOK_EXPR_UNARY: return lower_unary(L, e);
    case BROOK_EXPR_BINARY: return lower_binary(L, e);
    case BROOK_EXPR_COND: return lower_cond(L, e);
    case BROOK_EXPR_CAST: return brook_lower_as(L, e->u.cast.operand, e->type);
    case BROOK_EXPR_ASSIGN: lower_assign(L, e); return stored(L, e->u.assign.target);
    case BROOK_EXPR_INCDEC: return lower_incdec(L, e, true);
    case BROOK_EXPR_CALL: return e->u.call.intrinsic ? brook_lower_math(L, e) : brook_lower_call(L, e);
    case BROOK_EXPR_MAKE: return lower_make(L, e);
    case BROOK_EXPR_BRACES: return lower_braces(L, e, e->type);
    case BROOK_EXPR_COMMA: brook_lower_effects(L, e->u.binary.left); return brook_lower_expr(L, e->u.binary.right);
    case BROOK_EXPR_ERROR: break;
    }
    return (brook_value){.type = {.element = BROOK_FLOAT, .width = 1}, .part = {brook_float(L, 0, loc)}};
}
