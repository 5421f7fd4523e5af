// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hlc/passes/ahead_text.h"

sir_expr *ahead_integer(const ahead_text *t, int64_t v)
{
    return sir_const_int(t->m, (int32_t)v, t->loc);
}

sir_expr *ahead_local(const ahead_text *t, uint32_t number)
{
    return sir_ref(t->m, SIR_LOCAL, number, t->f->locals.data[number].type, t->loc);
}

sir_expr *ahead_element(const ahead_text *t, sir_expr *array, sir_expr *at)
{
    return sir_expr2(t->m, SIR_INDEX, 0, array->type->element, array, at, t->loc);
}

sir_expr *ahead_binary(const ahead_text *t, lang_binary_op op, sir_expr *a, sir_expr *b)
{
    return sir_expr2(t->m, SIR_BINARY, op, a->type, a, b, t->loc);
}

uint32_t ahead_table(const ahead_text *t, const char *name, const sir_type *item, int64_t rows, int64_t columns)
{
    const sir_type *type = sir_type_array(t->m, sir_type_array(t->m, item, (uint32_t)columns), (uint32_t)rows);
    sir_field field = {.type = type, .init = sir_value_new(t->m->arena, type), .constant = true, .loc = t->loc};
    field.name = arena_printf(t->m->arena, "%s_%zu", name, t->filter->fields.len);
    VEC_PUSH(t->m->arena, &t->filter->fields, field);
    return (uint32_t)t->filter->fields.len - 1;
}

void ahead_set(const ahead_text *t, sir_block *to, sir_expr *target, sir_expr *value)
{
    sir_stmt *s = sir_stmt_new(t->m, SIR_SET, t->loc);
    s->u.set.target = target;
    s->u.set.value = value;
    VEC_PUSH(t->m->arena, to, s);
}

sir_stmt *ahead_declare(const ahead_text *t, sir_block *to, uint32_t local, sir_expr *value)
{
    sir_stmt *s = sir_stmt_new(t->m, SIR_DECL, t->loc);
    s->u.decl.local = local;
    s->u.decl.init = value;
    VEC_PUSH(t->m->arena, to, s);
    return s;
}

uint32_t ahead_keep(const ahead_text *t, sir_block *to, const char *name, sir_expr *value)
{
    uint32_t l = sir_local_new(t->m, t->f, name, value->type, t->loc);
    ahead_declare(t, to, l, value);
    return l;
}

sir_block *ahead_counted(const ahead_text *t, sir_block *to, uint32_t counter, int64_t count)
{
    sir_stmt *s = sir_stmt_new(t->m, SIR_FOR, t->loc);
    s->u.for_.local = counter;
    s->u.for_.lo = ahead_integer(t, 0);
    s->u.for_.hi = ahead_integer(t, count);
    s->u.for_.step = 1;
    VEC_PUSH(t->m->arena, to, s);
    return &s->u.for_.body;
}
