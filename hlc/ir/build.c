// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builders of stream IR: nodes in the module's arena.
#include <string.h>

#include "hlc/ir/ops.h"
#include "hlc/ir/sir.h"

static sir_expr *new_expr(sir_module *m, sir_expr_kind kind, int op, const sir_type *t, sir_loc loc)
{
    sir_expr *e = ARENA_NEW(m->arena, sir_expr);
    e->kind = (uint8_t)kind;
    e->op = (uint8_t)op;
    e->type = t;
    e->loc = loc;
    return e;
}

sir_expr *sir_const(sir_module *m, const sir_type *t, sir_scalar v, sir_loc loc)
{
    sir_expr *e = new_expr(m, SIR_CONST, 0, t, loc);
    e->u.value = v;
    return e;
}

uint32_t sir_region_add(sir_module *m, sir_region r)
{
    r.in_loop = r.kind == SIR_FEEDBACKLOOP || (r.parent < m->regions.len && m->regions.data[r.parent].in_loop);
    VEC_PUSH(m->arena, &m->regions, r);
    return (uint32_t)(m->regions.len - 1);
}

sir_expr *sir_const_int(sir_module *m, int32_t v, sir_loc loc)
{
    return sir_const(m, m->scalar[SIR_INT], (sir_scalar){.i = v}, loc);
}

sir_expr *sir_const_float(sir_module *m, float v, sir_loc loc)
{
    return sir_const(m, m->scalar[SIR_FLOAT], (sir_scalar){.f = v}, loc);
}

sir_expr *sir_const_bool(sir_module *m, bool v, sir_loc loc)
{
    return sir_const(m, m->scalar[SIR_BOOLEAN], (sir_scalar){.i = v}, loc);
}

sir_expr *sir_ref(sir_module *m, sir_expr_kind kind, uint32_t index, const sir_type *t, sir_loc loc)
{
    sir_expr *e = new_expr(m, kind, 0, t, loc);
    e->index = index;
    return e;
}

sir_expr *sir_expr1(sir_module *m, sir_expr_kind kind, int op, const sir_type *t, sir_expr *a, sir_loc loc)
{
    sir_expr *e = new_expr(m, kind, op, t, loc);
    e->u.arg[0] = a;
    return e;
}

sir_expr *sir_expr2(sir_module *m, sir_expr_kind kind, int op, const sir_type *t, sir_expr *a, sir_expr *b, sir_loc loc)
{
    sir_expr *e = new_expr(m, kind, op, t, loc);
    e->u.arg[0] = a;
    e->u.arg[1] = b;
    return e;
}

sir_expr *sir_expr3(sir_module *m, sir_expr_kind kind, const sir_type *t, sir_expr *a, sir_expr *b, sir_expr *c,
                    sir_loc loc)
{
    sir_expr *e = new_expr(m, kind, 0, t, loc);
    e->u.arg[0] = a;
    e->u.arg[1] = b;
    e->u.arg[2] = c;
    return e;
}

sir_expr *sir_fetch(sir_module *m, uint32_t field, const sir_type *t, sir_expr *const *subscripts, uint32_t rank,
                    sir_loc loc)
{
    sir_expr *e = sir_ref(m, SIR_FETCH, field, t, loc);
    e->op = (uint8_t)rank;
    for (uint32_t i = 0; i < rank && i < SIR_RANK; i++)
        e->u.arg[i] = subscripts[i];
    return e;
}

sir_expr *sir_member(sir_module *m, sir_expr *base, uint32_t index, sir_loc loc)
{
    const sir_type *t = m->scalar[SIR_FLOAT];
    if (base->type->kind == SIR_STRUCT)
        t = base->type->decl->members.data[index].type;
    sir_expr *e = new_expr(m, SIR_MEMBER, 0, t, loc);
    e->index = index;
    e->u.arg[0] = base;
    return e;
}

sir_stmt *sir_stmt_new(sir_module *m, sir_stmt_kind kind, sir_loc loc)
{
    sir_stmt *s = ARENA_NEW(m->arena, sir_stmt);
    s->kind = (uint8_t)kind;
    s->loc = loc;
    return s;
}

// The names of a function's locals, which are interned: those of `locals`, if the function still has these.
typedef struct sir_local_names {
    const sir_local *locals;
    size_t len;
    hmap all; // addresses of the texts
} sir_local_names;

enum { FEW_LOCALS = 32 }; // are looked through

static bool is_known(const sir_function *f)
{
    return f->names != NULL && f->names->locals == f->locals.data && f->names->len == f->locals.len;
}

static sir_local_names *names_of(const sir_module *m, sir_function *f)
{
    sir_local_names *n = f->names;
    if (is_known(f))
        return n;
    if (n == NULL)
        n = f->names = ARENA_NEW(m->arena, sir_local_names);
    hmap_init(&n->all, m->arena);
    for (VEC_EACH(const sir_local, l, &f->locals))
        hmap_setn(&n->all, &l->name, sizeof l->name, n);
    n->locals = f->locals.data;
    n->len = f->locals.len;
    return n;
}

// A new text is nobody's.
static bool local_name_taken(const sir_module *m, sir_function *f, const char *name)
{
    const char *known = interned(m->names, name);
    if (known == NULL)
        return false;
    if (f->locals.len >= FEW_LOCALS)
        return hmap_getn(&names_of(m, f)->all, &known, sizeof known) != NULL;
    for (size_t i = 0; i < f->locals.len; i++)
        if (f->locals.data[i].name == known)
            return true;
    return false;
}

// A set that locals were left out of is forgotten: others may come in their places.
static void add_local(const sir_module *m, sir_function *f, sir_local l)
{
    sir_local_names *n = f->names;
    const bool known = is_known(f);
    VEC_PUSH(m->arena, &f->locals, l);
    if (!known) {
        f->names = NULL;
        return;
    }
    hmap_setn(&n->all, &l.name, sizeof l.name, n);
    n->locals = f->locals.data;
    n->len = f->locals.len;
}

// Names are made unique with a dot and a number, which no source name has. The number starts at the count of locals, so
// that many temporaries of one base ("t") find theirs at once.
uint32_t sir_local_new(sir_module *m, sir_function *f, const char *name, const sir_type *t, sir_loc loc)
{
    const char *base = name;
    bool temporary = strcmp(name, "t") == 0;
    for (size_t n = f->locals.len + 1; temporary || local_name_taken(m, f, name); n++) {
        name = arena_printf(m->arena, "%s.%zu", base, n);
        temporary = false;
    }
    add_local(m, f, (sir_local){.name = intern(m->names, name), .type = t, .loc = loc});
    return (uint32_t)(f->locals.len - 1);
}

uint32_t sir_channel_connect(sir_module *m, uint32_t producer, uint32_t producer_port, uint32_t consumer,
                             uint32_t consumer_port, const sir_type *t)
{
    uint32_t number = (uint32_t)m->channels.len;
    VEC_PUSH(m->arena, &m->channels,
             (sir_channel){.type = t,
                           .producer = producer,
                           .producer_port = producer_port,
                           .consumer = consumer,
                           .consumer_port = consumer_port});
    sir_actor *from = m->actors.data[producer], *to = m->actors.data[consumer];
    while (from->outputs.len <= producer_port)
        VEC_PUSH(m->arena, &from->outputs, SIR_NONE);
    while (to->inputs.len <= consumer_port)
        VEC_PUSH(m->arena, &to->inputs, SIR_NONE);
    from->outputs.data[producer_port] = number;
    to->inputs.data[consumer_port] = number;
    return number;
}

size_t sir_math_arity(int op)
{
    return op < LANG_MATH_COUNT ? (size_t)sir_math_ops[op].arity : 1;
}

// Whether the scalars of a type from data on are zero; *data moves behind them.
static bool scalars_are_zero(const sir_type *t, const sir_scalar **data)
{
    static const sir_scalar none;
    bool zero = true;
    if (t->kind == SIR_ARRAY) {
        for (uint32_t i = 0; i < t->length && zero; i++)
            zero = scalars_are_zero(t->element, data);
        return zero;
    }
    if (t->kind == SIR_STRUCT) {
        for (size_t i = 0; i < t->decl->members.len && zero; i++)
            zero = scalars_are_zero(t->decl->members.data[i].type, data);
        return zero;
    }
    size_t bytes = t->kind == SIR_DOUBLE || t->kind == SIR_COMPLEX ? 8 : 4;
    return memcmp((*data)++, &none, bytes) == 0;
}

bool sir_value_is_zero(const sir_value *v)
{
    const sir_scalar *data = v->data;
    return v->zero || scalars_are_zero(v->type, &data);
}

sir_value sir_value_zero(const sir_type *t)
{
    return (sir_value){.type = t, .zero = true};
}

sir_value sir_value_new(arena *a, const sir_type *t)
{
    return (sir_value){.type = t, .data = ARENA_ARRAY(a, sir_scalar, t->words)};
}

static void describe(strbuf *b, const sir_module *m, const sir_filter *filter, const sir_function *f, const sir_expr *e,
                     int depth)
{
    if (depth > 20) {
        strbuf_add(b, "...");
        return;
    }
    switch ((sir_expr_kind)e->kind) {
    case SIR_LOCAL: strbuf_add(b, f->locals.data[e->index].name); break;
    case SIR_FIELD: strbuf_add(b, filter->fields.data[e->index].name); break;
    case SIR_GLOBAL: strbuf_add(b, m->globals.data[e->index].name); break;
    case SIR_INDEX:
        describe(b, m, filter, f, e->u.arg[0], depth + 1);
        strbuf_add(b, "[]");
        break;
    case SIR_MEMBER:
        describe(b, m, filter, f, e->u.arg[0], depth + 1);
        if (e->u.arg[0]->type->kind == SIR_STRUCT)
            strbuf_printf(b, ".%s", e->u.arg[0]->type->decl->members.data[e->index].name);
        break;
    default: strbuf_add(b, "an array"); break;
    }
}

void sir_describe(strbuf *b, const sir_module *m, const sir_filter *filter, const sir_function *f, const sir_expr *e)
{
    describe(b, m, filter, f, e, 0);
}
