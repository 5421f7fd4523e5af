// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Outputs that are structs, as locals for their members: firings side by side then have an array for each member, where
// elements would lie apart, which vectors are not stored to.
//
//     $colour.x = 0.1;                     =>     float colour_x = 0.1;
//     while (..)                                  while (..)
//         if (..)                                     if (..)
//             $colour.x = bright * ..;                    colour_x = bright * ..;
//                                                 $colour.x = colour_x;
#include <string.h>

#include "hlc/emit/finite_int.h"
#include "hlc/ir/walk.h"

typedef struct parter {
    sir_module *m;
    const sir_filter *filter;
    size_t *whole;    // per field: how often it is named but for a member of it
    uint32_t **local; // per field: the locals of its members; NULL: it stays
} parter;

static bool is_parted(const parter *p, const sir_expr *e)
{
    return e->kind == SIR_MEMBER && e->u.arg[0]->kind == SIR_FIELD && p->local[e->u.arg[0]->index] != NULL;
}

static void count_whole(void *context, sir_expr *e, bool written)
{
    parter *p = context;
    (void)written;
    if (e->kind == SIR_FIELD)
        p->whole[e->index]++;
    if (e->kind == SIR_MEMBER && e->u.arg[0]->kind == SIR_FIELD)
        p->whole[e->u.arg[0]->index]--;
}

static void count_all(void *context, sir_stmt *s)
{
    sir_visit_exprs(s, count_whole, context);
}

static sir_expr *parted_expr(parter *p, const sir_expr *from)
{
    if (is_parted(p, from))
        return sir_ref(p->m, SIR_LOCAL, p->local[from->u.arg[0]->index][from->index], from->type, from->loc);
    sir_expr *e = ARENA_NEW(p->m->arena, sir_expr);
    *e = *from;
    for (size_t i = 0; i < sir_expr_arity(e); i++)
        e->u.arg[i] = parted_expr(p, from->u.arg[i]);
    return e;
}

static sir_block parted_block(parter *p, const sir_block *from)
{
    sir_block b = {0};
    for (VEC_EACH(sir_stmt *const, at, from)) {
        sir_stmt *s = sir_stmt_new(p->m, (sir_stmt_kind)(*at)->kind, (*at)->loc);
        *s = **at;
        const sir_parts parts = sir_stmt_parts(s);
        for (uint8_t i = 0; i < parts.expr_count; i++)
            *parts.expr[i] = parted_expr(p, *parts.expr[i]);
        if (parts.target != NULL)
            *parts.target = parted_expr(p, *parts.target);
        for (uint8_t i = 0; i < parts.block_count; i++)
            *parts.block[i] = parted_block(p, parts.block[i]);
        VEC_PUSH(p->m->arena, &b, s);
    }
    return b;
}

static bool has_scalars(const sir_type *t)
{
    for (VEC_EACH(const struct sir_member, member, &t->decl->members))
        if (member->type->kind != SIR_FLOAT && member->type->kind != SIR_INT)
            return false;
    return true;
}

static void no_calls(void *context, sir_stmt *s)
{
    bool *calls = context;
    *calls = *calls || s->kind == SIR_CALL || sir_stmt_parts(s).arg_count > 0;
}

// The locals of an output, which begin as it is.
static void part(parter *p, sir_function *to, uint32_t field)
{
    sir_module *m = p->m;
    const sir_field *f = &p->filter->fields.data[field];
    const bool written = finite_is_written(p->filter, field);
    p->local[field] = ARENA_ARRAY(m->arena, uint32_t, f->type->decl->members.len);
    for (uint32_t i = 0; i < f->type->decl->members.len; i++) {
        const struct sir_member *member = &f->type->decl->members.data[i];
        const char *name = arena_printf(m->arena, "%s_%s", f->name, member->name);
        sir_stmt *s = sir_stmt_new(m, SIR_DECL, f->loc);
        s->u.decl.local = p->local[field][i] = sir_local_new(m, to, name, member->type, f->loc);
        s->u.decl.uninitialised = written;
        if (!written)
            s->u.decl.init = sir_member(m, sir_ref(m, SIR_FIELD, field, f->type, f->loc), i, f->loc);
        VEC_PUSH(m->arena, &to->body, s);
    }
}

static void give_back(parter *p, sir_function *to, uint32_t field)
{
    sir_module *m = p->m;
    const sir_field *f = &p->filter->fields.data[field];
    for (uint32_t i = 0; i < f->type->decl->members.len; i++) {
        const sir_type *t = f->type->decl->members.data[i].type;
        sir_stmt *s = sir_stmt_new(m, SIR_SET, f->loc);
        s->u.set.target = sir_member(m, sir_ref(m, SIR_FIELD, field, f->type, f->loc), i, f->loc);
        s->u.set.value = sir_ref(m, SIR_LOCAL, p->local[field][i], t, f->loc);
        VEC_PUSH(m->arena, &to->body, s);
    }
}

const sir_function *finite_parted(sir_module *m, const sir_filter *f)
{
    parter p = {.m = m, .filter = f};
    bool calls = false, parts = false;
    p.whole = ARENA_ARRAY(m->arena, size_t, f->fields.len + 1);
    p.local = ARENA_ARRAY(m->arena, uint32_t *, f->fields.len + 1);
    memset(p.whole, 0, (f->fields.len + 1) * sizeof *p.whole);
    memset(p.local, 0, (f->fields.len + 1) * sizeof *p.local);
    sir_visit_stmts(&f->work->body, no_calls, &calls);
    if (calls)
        return f->work;
    sir_visit_stmts(&f->work->body, count_all, &p);
    sir_function *to = ARENA_NEW(m->arena, sir_function);
    *to = *f->work;
    memset(&to->locals, 0, sizeof to->locals);
    memset(&to->body, 0, sizeof to->body);
    for (VEC_EACH(const sir_local, local, &f->work->locals))
        VEC_PUSH(m->arena, &to->locals, *local);
    for (uint32_t i = 0; i < f->fields.len; i++) {
        const sir_field *field = &f->fields.data[i];
        if (field->role != SIR_OUTPUT || field->type->kind != SIR_STRUCT || p.whole[i] != 0 ||
            !has_scalars(field->type))
            continue;
        part(&p, to, i);
        parts = true;
    }
    if (!parts)
        return f->work;
    const sir_block body = parted_block(&p, &f->work->body);
    for (VEC_EACH(sir_stmt *const, s, &body))
        VEC_PUSH(m->arena, &to->body, *s);
    for (uint32_t i = 0; i < f->fields.len; i++)
        if (p.local[i] != NULL)
            give_back(&p, to, i);
    return to;
}
