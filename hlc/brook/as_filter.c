// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels as filters of stream programs. The body is lowered as for host code, with other places for its parameters:
// elements are locals that are popped before it and pushed behind it, scalar by scalar, in the order of the parameters;
// uniforms are constants, gathers constant arrays of the module, and an element's place in its stream is how many came
// before.
#include "hlc/brook/as_filter.h"

#include "hlc/brook/lower.h"

struct brook_border {
    const brook_argument *arguments; // by parameter
    int32_t count;                   // elements of a reduction
};

const sir_type *brook_filter_element(brook_program *program, sir_module *m, const brook_var *gather)
{
    brook_lowering L = {.program = program, .m = m};
    return brook_sir_type(&L, gather->type);
}

// ---- What bodies ask for ----

// A subscript, from 0 to last.
static sir_expr *clamped(brook_lowering *L, sir_expr *e, int32_t last)
{
    sir_loc loc = e->loc;
    if (e->kind == SIR_CONST) {
        int32_t v = e->u.value.i;
        return sir_const_int(L->m, v < 0 ? 0 : v > last ? last : v, loc);
    }
    if (!brook_is_simple(e))
        e = brook_temp(L, e, loc);
    sir_expr *below = brook_op(L, LANG_OP_LT, e, sir_const_int(L->m, 0, loc));
    sir_expr *above = brook_op(L, LANG_OP_GT, brook_copy(L, e), sir_const_int(L->m, last, loc));
    sir_expr *at_most = brook_select(L, above, sir_const_int(L->m, last, loc), brook_copy(L, e));
    return brook_select(L, below, sir_const_int(L->m, 0, loc), at_most);
}

sir_expr *brook_border_element(brook_lowering *L, uint32_t parameter, sir_expr *const *at, uint32_t rank, sir_loc loc)
{
    uint32_t global = L->border->arguments[parameter].global;
    const sir_type *t = L->m->globals.data[global].value.type;
    sir_expr *e = sir_ref(L->m, SIR_GLOBAL, global, t, loc);
    for (uint32_t k = 0; k < rank; k++) {
        sir_expr *index = clamped(L, at[k], (int32_t)t->length - 1);
        t = t->element;
        e = sir_expr2(L->m, SIR_INDEX, 0, t, e, index, loc);
    }
    return e;
}

sir_expr *brook_border_place(brook_lowering *L, uint32_t dimension, sir_loc loc)
{
    if (dimension > 0) // a channel has one
        return sir_const_int(L->m, 0, loc);
    return sir_ref(L->m, SIR_ITER, 0, L->m->scalar[SIR_INT], loc); // reduce functions do not ask
}

// ---- Scalars in and out ----

static bool is_byte(const brook_var *v)
{
    return v->type.element == BROOK_CHAR || v->type.element == BROOK_UCHAR;
}

brook_value brook_border_value(brook_lowering *L, brook_value v, const brook_var *of)
{
    for (uint8_t i = 0; is_byte(of) && i < v.type.width; i++)
        v.part[i] = brook_convert_part(L, v.part[i], BROOK_INT, of->type.element, v.part[i]->loc);
    return v;
}

typedef void leaf_visitor(brook_lowering *L, sir_expr *place, const sir_scalar *value, sir_loc loc);

// Visits the scalars of a place, in order; values: theirs, or NULL.
static const sir_scalar *each_scalar(brook_lowering *L, const sir_expr *place, const sir_scalar *values,
                                     leaf_visitor *visit, sir_loc loc)
{
    if (place->type->kind != SIR_STRUCT) {
        visit(L, brook_copy(L, place), values, loc);
        return values == NULL ? NULL : values + 1;
    }
    for (uint32_t i = 0; i < place->type->decl->members.len; i++)
        values = each_scalar(L, sir_member(L->m, brook_copy(L, place), i, loc), values, visit, loc);
    return values;
}

static void each_leaf(brook_lowering *L, const brook_binding *b, const brook_var *v, const sir_scalar *values,
                      leaf_visitor *visit)
{
    sir_loc loc = brook_loc(L, v->range);
    brook_value place = brook_read_binding(L, b, v->type, loc);
    for (uint8_t i = 0; i < (v->type.element == BROOK_STRUCT ? 1 : v->type.width); i++)
        values = each_scalar(L, place.part[i], values, visit, loc);
}

static void pop_into(brook_lowering *L, sir_expr *place, const sir_scalar *value, sir_loc loc)
{
    (void)value;
    sir_stmt *s = sir_stmt_new(L->m, SIR_POP, loc);
    s->u.set.target = place;
    brook_emit(L, s);
}

static void push_from(brook_lowering *L, sir_expr *place, const sir_scalar *value, sir_loc loc)
{
    (void)value;
    sir_stmt *s = sir_stmt_new(L->m, SIR_PUSH, loc);
    s->u.value = place;
    brook_emit(L, s);
}

static void set_to(brook_lowering *L, sir_expr *place, const sir_scalar *value, sir_loc loc)
{
    sir_stmt *s = sir_stmt_new(L->m, SIR_SET, loc);
    s->u.set.target = place;
    s->u.set.value = sir_const(L->m, place->type, *value, loc);
    brook_emit(L, s);
}

// ---- Parameters ----

static void bind_uniform(brook_lowering *L, const brook_var *v, brook_binding *b, const sir_scalar *data)
{
    sir_loc loc = brook_loc(L, v->range);
    brook_value value = {.type = v->type};
    if (v->type.element == BROOK_STRUCT) {
        brook_bind_local(L, v, b, value);
        each_leaf(L, b, v, data, set_to);
        return;
    }
    for (uint8_t i = 0; i < v->type.width; i++)
        value.part[i] = sir_const(L->m, brook_scalar_type(L, v->type.element), data[i], loc);
    brook_bind_local(L, v, b, brook_border_value(L, value, v));
}

// A local for an element, popped if it comes in.
static void bind_element(brook_lowering *L, const brook_var *v, brook_binding *b, bool popped)
{
    brook_bind_local(L, v, b, (brook_value){.type = v->type});
    b->stream = v->index;
    if (!popped)
        return;
    each_leaf(L, b, v, NULL, pop_into);
    if (!is_byte(v))
        return;
    sir_loc loc = brook_loc(L, v->range);
    brook_value item = brook_border_value(L, brook_read_binding(L, b, v->type, loc), v);
    for (uint8_t i = 0; i < item.type.width; i++) {
        sir_stmt *s = sir_stmt_new(L->m, SIR_SET, loc);
        s->u.set.target = brook_read_binding(L, b, v->type, loc).part[i];
        s->u.set.value = item.part[i];
        brook_emit(L, s);
    }
}

static void bind_parameters(brook_lowering *L, const brook_kernel *k)
{
    for (VEC_EACH(brook_var *const, v, &k->params)) {
        brook_binding *b = &L->frame->bindings[(*v)->index];
        switch ((*v)->kind) {
        case BROOK_UNIFORM: bind_uniform(L, *v, b, L->border->arguments[(*v)->index].data); break;
        case BROOK_GATHER: *b = (brook_binding){.bound = true, .field = true, .index = {(*v)->index}}; break;
        case BROOK_INPUT:
            if (!k->reduce) // those of reductions come round by round
                bind_element(L, *v, b, true);
            break;
        case BROOK_REDUCE: bind_element(L, *v, b, true); break; // the first element is the first value
        default: bind_element(L, *v, b, false); break;
        }
    }
}

// ---- The work function ----

static uint32_t leaves_of(brook_lowering *L, brook_type t)
{
    strbuf b;
    strbuf_init(&b, L->m->arena);
    brook_type_leaves(&b, t);
    return (uint32_t)b.len;
}

static void set_rates(brook_lowering *L, const brook_kernel *k, sir_function *work)
{
    int64_t in = 0, out = 0;
    bool any = false;
    for (VEC_EACH(brook_var *const, v, &k->params)) {
        uint32_t leaves = leaves_of(L, (*v)->type);
        in += (*v)->kind == BROOK_INPUT ? leaves : 0;
        out += (*v)->kind == BROOK_OUTPUT || (*v)->kind == BROOK_REDUCE ? leaves : 0;
        any |= (*v)->kind == BROOK_VOUT;
    }
    in *= k->reduce ? L->border->count : 1;
    work->pop = work->peek = (sir_rate){.min = in, .max = in, .loc = work->loc};
    work->push = any ? (sir_rate){.dynamic = true, .max = -1, .loc = work->loc}
                     : (sir_rate){.min = out, .max = out, .loc = work->loc};
}

// for round = 1 to count { the next element; the body }
static void lower_rounds(brook_lowering *L, const brook_kernel *k, sir_loc loc)
{
    sir_stmt *s = sir_stmt_new(L->m, SIR_FOR, loc);
    s->u.for_.local = sir_local_new(L->m, L->fn, "t", L->m->scalar[SIR_INT], loc);
    s->u.for_.lo = sir_const_int(L->m, 1, loc);
    s->u.for_.hi = sir_const_int(L->m, L->border->count, loc);
    s->u.for_.step = 1;
    sir_block *outer = L->block;
    L->block = &s->u.for_.body;
    for (VEC_EACH(brook_var *const, v, &k->params))
        if ((*v)->kind == BROOK_INPUT)
            bind_element(L, *v, &L->frame->bindings[(*v)->index], true);
    brook_lower_body(L, k, loc);
    L->block = outer;
    brook_emit(L, s);
}

bool brook_as_filter(brook_program *program, const brook_kernel *k, sir_module *m, sir_filter *f,
                     const brook_argument *arguments, int32_t count)
{
    struct brook_border border = {.arguments = arguments, .count = count};
    brook_lowering L = {.program = program, .m = m, .filter = f, .border = &border};
    sir_loc loc = brook_loc(&L, k->name_range);
    f->work = ARENA_NEW(m->arena, sir_function);
    *f->work =
        (sir_function){.kind = SIR_WORK, .name = intern(m->names, "work"), .result = m->scalar[SIR_VOID], .loc = loc};
    // A return leaves the body, not the filter's work: as in a kernel that another one calls.
    const brook_frame around = {.kernel = k};
    brook_frame frame = {.kernel = k,
                         .outer = &around,
                         .returned = SIR_NONE,
                         .bindings = ARENA_ARRAY(m->arena, brook_binding, k->vars.len + 1),
                         .wholes = brook_find_wholes(&L, k)};
    L.fn = f->work;
    L.block = &f->work->body;
    L.frame = &frame;
    set_rates(&L, k, f->work);
    bind_parameters(&L, k);
    if (k->reduce)
        lower_rounds(&L, k, loc);
    else
        brook_lower_body(&L, k, loc);
    for (VEC_EACH(brook_var *const, v, &k->params))
        if ((*v)->kind == BROOK_OUTPUT || (*v)->kind == BROOK_REDUCE)
            each_leaf(&L, &frame.bindings[(*v)->index], *v, NULL, push_from);
    return !L.failed;
}
