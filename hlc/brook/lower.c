// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A module of finite filters, one for each kernel that host code can call.
#include "hlc/brook/lower.h"

#include <string.h>

// ---- Types ----

const sir_type *brook_scalar_type(const brook_lowering *L, brook_element e)
{
    switch (e) {
    case BROOK_DOUBLE: return L->m->scalar[SIR_DOUBLE];
    case BROOK_CHAR:
    case BROOK_UCHAR:
    case BROOK_INT:
    case BROOK_UINT: return L->m->scalar[SIR_INT];
    case BROOK_VOID: return L->m->scalar[SIR_VOID];
    default: return L->m->scalar[SIR_FLOAT]; // fixed-point numbers are floats in kernels
    }
}

static const sir_type *struct_named(brook_lowering *L, const char *name)
{
    for (VEC_EACH(sir_struct *const, st, &L->m->structs))
        if (strcmp((*st)->name, name) == 0)
            return sir_type_struct(L->m, *st);
    return NULL;
}

static const sir_type *vector_type(brook_lowering *L, brook_type t)
{
    static const char *const letters[] = {"x", "y", "z", "w"};
    const char *name = brook_type_name(L->m->arena, t);
    const sir_type *known = struct_named(L, name);
    if (known != NULL)
        return known;
    sir_struct *st = ARENA_NEW(L->m->arena, sir_struct);
    st->name = intern(L->m->names, name);
    for (uint8_t i = 0; i < t.width; i++) {
        struct sir_member *m = VEC_ADD(L->m->arena, &st->members);
        m->name = intern(L->m->names, letters[i]);
        m->type = brook_scalar_type(L, t.element);
    }
    VEC_PUSH(L->m->arena, &L->m->structs, st);
    return sir_type_struct(L->m, st);
}

const sir_type *brook_sir_type(brook_lowering *L, brook_type t)
{
    if (t.element != BROOK_STRUCT)
        return t.width == 1 ? brook_scalar_type(L, t.element) : vector_type(L, t);
    const sir_type *known = struct_named(L, t.decl->name);
    if (known != NULL)
        return known;
    sir_struct *st = ARENA_NEW(L->m->arena, sir_struct);
    st->name = intern(L->m->names, t.decl->name);
    for (VEC_EACH(const brook_member, m, &t.decl->members)) {
        const sir_type *type = brook_sir_type(L, m->type);
        struct sir_member *member = VEC_ADD(L->m->arena, &st->members);
        member->name = m->name;
        member->type = type;
    }
    VEC_PUSH(L->m->arena, &L->m->structs, st);
    return sir_type_struct(L->m, st);
}

sir_loc brook_loc(const brook_lowering *L, src_range r)
{
    return sir_loc_from(L->m, L->program->diags->sources, r);
}

void brook_emit(brook_lowering *L, sir_stmt *s)
{
    VEC_PUSH(L->m->arena, L->block, s);
}

// ---- Fields ----

static sir_role role_of(brook_var_kind kind)
{
    switch (kind) {
    case BROOK_INPUT: return SIR_INPUT;
    case BROOK_ITERATOR: return SIR_ITERATOR;
    case BROOK_OUTPUT: return SIR_OUTPUT;
    case BROOK_VOUT: return SIR_VARIABLE;
    case BROOK_REDUCE: return SIR_REDUCED;
    case BROOK_GATHER: return SIR_GATHER;
    case BROOK_INSIDE: return SIR_INSIDE;
    case BROOK_MAPPED: return SIR_MAPPED;
    default: return SIR_UNIFORM;
    }
}

static uint32_t add_field(brook_lowering *L, sir_field field)
{
    field.init = sir_value_zero(field.type);
    VEC_PUSH(L->m->arena, &L->filter->fields, field);
    return (uint32_t)(L->filter->fields.len - 1);
}

static bool is_field(const brook_lowering *L, const char *name)
{
    for (VEC_EACH(const sir_field, f, &L->filter->fields))
        if (strcmp(f->name, name) == 0)
            return true;
    return false;
}

uint32_t brook_coordinate(brook_lowering *L, uint32_t field, uint32_t dimension, sir_loc loc)
{
    static const char letters[] = "xyzw";
    for (uint32_t i = 0; i < L->filter->fields.len; i++) {
        const sir_field *f = &L->filter->fields.data[i];
        if (f->role == SIR_COORDINATE && f->of == field && f->dimension == dimension)
            return i;
    }
    const char *name = arena_printf(L->m->arena, "%s_%c", L->filter->fields.data[field].name, letters[dimension]);
    while (is_field(L, name))
        name = arena_printf(L->m->arena, "%s_", name);
    return add_field(L, (sir_field){.name = intern(L->m->names, name),
                                    .type = L->m->scalar[SIR_INT],
                                    .role = SIR_COORDINATE,
                                    .of = field,
                                    .dimension = dimension,
                                    .loc = loc});
}

// A parameter is a field. One that the body changes (a value that is the same for all elements, to the caller) is copied
// to locals; so is a vout parameter, which is a variable of the body, and a stream inside, whose places are an output's.
static void bind_parameters(brook_lowering *L, const brook_kernel *k)
{
    uint32_t output = SIR_NONE;
    for (VEC_EACH(brook_var *const, v, &k->params)) {
        sir_field field = {.name = (*v)->name,
                           .type = brook_sir_type(L, (*v)->type),
                           .role = role_of((*v)->kind),
                           .rank = (*v)->rank,
                           .loc = brook_loc(L, (*v)->range)};
        brook_binding *b = &L->frame->bindings[(*v)->index];
        *b = (brook_binding){.bound = true, .field = true, .stream = SIR_NONE};
        if (field.role != SIR_UNIFORM && brook_type_is_small((*v)->type)) {
            strbuf stored;
            strbuf_init(&stored, L->m->arena);
            brook_type_leaves(&stored, (*v)->type);
            field.stored = stored.data;
        }
        b->index[0] = add_field(L, field);
        if ((*v)->kind == BROOK_INPUT || (*v)->kind == BROOK_OUTPUT || (*v)->kind == BROOK_ITERATOR)
            b->stream = b->index[0];
        if ((*v)->kind == BROOK_VOUT)
            L->filter->output = field.type;
        if ((*v)->kind == BROOK_OUTPUT)
            output = b->index[0];
    }
    for (VEC_EACH(brook_var *const, v, &k->params)) {
        brook_binding *b = &L->frame->bindings[(*v)->index];
        brook_value none = {.type = (*v)->type};
        if ((*v)->kind == BROOK_VOUT || (*v)->kind == BROOK_INSIDE)
            brook_bind_local(L, *v, b, none);
        else if ((*v)->kind == BROOK_UNIFORM && (*v)->assigned)
            brook_bind_local(L, *v, b, brook_read_binding(L, b, (*v)->type, brook_loc(L, (*v)->range)));
        if ((*v)->kind == BROOK_INSIDE)
            b->stream = output;
    }
}

// ---- Filters ----

// Where a comment ends that begins at i; i: there is none.
static uint32_t behind_comment(const char *text, uint32_t i, uint32_t end)
{
    if (i + 1 >= end || text[i] != '/' || (text[i + 1] != '*' && text[i + 1] != '/'))
        return i;
    const char *mark = text[i + 1] == '*' ? "*/" : "\n";
    const char *found = memmem(text + i + 2, end - i - 2, mark, strlen(mark));
    return found == NULL ? end : (uint32_t)(found - text) + (uint32_t)strlen(mark);
}

// The head of the kernel as it is written, on one line without comments.
static const char *head_of(const brook_lowering *L, const brook_kernel *k)
{
    const source_file *f = source_get(L->program->diags->sources, k->file);
    uint32_t begin = k->name_range.begin, end = k->body != NULL ? k->body->range.begin : k->range.end;
    strbuf b;
    strbuf_init(&b, L->m->arena);
    bool blank = false;
    for (uint32_t i = begin; i < end && b.len < 200; i++) {
        unsigned char c = (unsigned char)f->text[i];
        uint32_t behind = behind_comment(f->text, i, end);
        if (c <= ' ' || behind > i) {
            blank = b.len > 0;
            i = behind > i ? behind - 1 : i;
            continue;
        }
        if (blank)
            strbuf_addc(&b, ' ');
        blank = false;
        strbuf_addc(&b, (char)c);
    }
    return b.data;
}

static sir_function *begin_function(brook_lowering *L, sir_function_kind kind, const char *name, sir_loc loc)
{
    sir_module *m = L->m;
    sir_function *f = ARENA_NEW(m->arena, sir_function);
    *f = (sir_function){.kind = kind, .name = intern(m->names, name), .result = m->scalar[SIR_VOID], .loc = loc};
    L->fn = f;
    L->block = &f->body;
    L->beside.len = 0;
    return f;
}

// A fused kernel whose last call reduces: prework makes an element by all other calls, and work is the reduce function,
// whose parameters are the kernel's.
static void lower_mapped(brook_lowering *L, const brook_kernel *k, sir_loc loc)
{
    brook_frame *own = L->frame;
    const brook_expr *last = VEC_LAST(&k->body->u.block)->u.expr;
    const brook_kernel *reduce = last->u.call.kernel;
    for (size_t i = 0; i + 1 < k->body->u.block.len; i++)
        brook_lower_stmt(L, k->body->u.block.data[i]);
    L->filter->work = begin_function(L, SIR_WORK, "work", loc);
    brook_frame frame = {.kernel = reduce,
                         .returned = SIR_NONE,
                         .bindings = ARENA_ARRAY(L->m->arena, brook_binding, reduce->vars.len + 1),
                         .wholes = brook_find_wholes(L, reduce)};
    L->frame = &frame;
    for (VEC_EACH(brook_var *const, v, &reduce->params)) {
        const brook_expr *a = last->u.call.args.data[(*v)->index];
        brook_binding *b = &frame.bindings[(*v)->index];
        *b = own->bindings[a->u.name.var->index];
        if ((*v)->kind == BROOK_UNIFORM && (*v)->assigned)
            brook_bind_local(L, *v, b, brook_read_binding(L, b, (*v)->type, brook_loc(L, (*v)->range)));
    }
    brook_lower_stmt(L, reduce->body);
    L->frame = own;
}

static void lower_kernel(brook_lowering *L, const brook_kernel *k)
{
    sir_module *m = L->m;
    sir_loc loc = brook_loc(L, k->name_range);
    sir_filter *f = ARENA_NEW(m->arena, sir_filter);
    *f = (sir_filter){.name = k->name,
                      .source = head_of(L, k),
                      .input = m->scalar[SIR_VOID],
                      .output = m->scalar[SIR_VOID],
                      .finite = true,
                      .loc = loc};
    const bool maps = k->fused && k->reduce;
    sir_function *first = begin_function(L, maps ? SIR_PREWORK : SIR_WORK, maps ? "prework" : "work", loc);
    *(maps ? &f->prework : &f->work) = first;
    brook_frame frame = {.kernel = k,
                         .returned = SIR_NONE,
                         .bindings = ARENA_ARRAY(m->arena, brook_binding, k->vars.len + 1),
                         .wholes = brook_find_wholes(L, k)};
    L->filter = f;
    L->frame = &frame;
    L->nodes = 0;
    bind_parameters(L, k);
    if (f->output->kind != SIR_VOID)
        f->work->push = (sir_rate){.dynamic = true, .min = 0, .max = -1, .loc = loc};
    if (maps)
        lower_mapped(L, k, loc);
    else
        brook_lower_stmt(L, k->body);
    sir_filter_derive(m, f);
    VEC_PUSH(m->arena, &m->filters, f);
}

// Whether host code can call it: it has a body, and something to write.
static bool is_callable(const brook_kernel *k)
{
    bool output = k->reduce;
    for (VEC_EACH(brook_var *const, v, &k->params))
        output |= (*v)->kind == BROOK_OUTPUT || (*v)->kind == BROOK_VOUT;
    return output && k->body != NULL && k->result.element == BROOK_VOID;
}

sir_module *brook_lower(brook_program *program, const char *name)
{
    if (diag_has_errors(program->diags))
        return NULL;
    brook_lowering L = {.program = program, .m = sir_module_create(program->arena, program->names, name)};
    for (VEC_EACH(brook_kernel *const, k, &program->kernels))
        if (is_callable(*k) && !L.failed)
            lower_kernel(&L, *k);
    return L.failed ? NULL : L.m;
}
