// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fields that a firing passes on to the next one, and those that count the first firings: what the pass 'rings' makes of a
// feedback loop whose filter looks at several items.
//
// NOTE(passed). A field is followed through the statements, in any order: a local may hold something of it if a value that
// is assigned to it does, or a condition around the assignment. Where a field's next value holds nothing of what such
// fields held, other than one of them as it was, firings wait for each other to pass on alone, and the C compiler makes
// vectors of them.
#include "hlc/ir/counters.h"

#include "hlc/ir/walk.h"

static bool is_field(const sir_expr *e, uint32_t field)
{
    return e != NULL && e->kind == SIR_FIELD && e->index == field;
}

static bool adds_one(const sir_stmt *s, uint32_t field)
{
    const sir_expr *v = s->kind == SIR_SET && is_field(s->u.set.target, field) ? s->u.set.value : NULL;
    return v != NULL && v->kind == SIR_BINARY && v->op == LANG_OP_ADD && is_field(v->u.arg[0], field) &&
           v->u.arg[1]->kind == SIR_CONST && v->u.arg[1]->u.value.i == 1;
}

// Whether nothing changes the field but the statement that adds one.
static bool changes_once(const sir_block *b, uint32_t field)
{
    size_t changes = 0;
    for (size_t i = 0; i < b->len; i++) {
        sir_parts parts = sir_stmt_parts(b->data[i]);
        const sir_expr *root = parts.target != NULL ? sir_lvalue_root(*parts.target) : NULL;
        if (root != NULL && is_field(root, field) && (++changes > 1 || !adds_one(b->data[i], field)))
            return false;
        if (parts.block_count != 0)
            return false;
    }
    return changes == 1;
}

bool sir_find_beginning(const sir_filter *f, uint32_t field, sir_beginning *found)
{
    const sir_field *x = &f->fields.data[field];
    if (x->type->kind != SIR_INT || !(x->init.zero || x->init.data[0].i == 0))
        return false;
    for (VEC_EACH(sir_stmt *, at, &f->work->body)) {
        const sir_stmt *s = *at;
        const sir_expr *cond = s->kind == SIR_IF ? s->u.if_.cond : NULL;
        bool asks = cond != NULL && cond->kind == SIR_BINARY && cond->op == LANG_OP_LT &&
                    is_field(cond->u.arg[0], field) && cond->u.arg[1]->kind == SIR_CONST &&
                    cond->u.arg[1]->u.value.i > 0;
        if (!asks || !changes_once(&s->u.if_.then, field))
            continue;
        *found = (sir_beginning){field, cond->u.arg[1]->u.value.i};
        return sir_count_field(&f->work->body, field) == sir_count_field(&s->u.if_.then, field) + 1; // the condition's
    }
    return false;
}

// ---- What is passed on ----

typedef struct passing {
    const sir_filter *filter;
    bool *held; // per local: may hold something of what a firing before left
    bool changed;
} passing;

// Fields that are no arrays and no ints; ints count, or choose.
static bool is_number(const sir_filter *f, uint32_t field)
{
    const sir_field *x = &f->fields.data[field];
    return !x->constant && (x->type->kind == SIR_FLOAT || x->type->kind == SIR_DOUBLE);
}

static bool holds(const passing *p, const sir_expr *e)
{
    if (e == NULL || e->kind == SIR_CONST)
        return false;
    if (e->kind == SIR_FIELD)
        return is_number(p->filter, e->index);
    if (e->kind == SIR_LOCAL)
        return p->held[e->index];
    for (size_t i = 0; i < sir_expr_arity(e); i++)
        if (holds(p, e->u.arg[i]))
            return true;
    return false;
}

static void hold_local(passing *p, uint32_t local)
{
    p->changed |= !p->held[local];
    p->held[local] = true;
}

// known: a condition around holds something.
static void follow(passing *p, const sir_block *b, bool known)
{
    for (size_t i = 0; i < b->len; i++) {
        sir_stmt *s = b->data[i];
        sir_parts parts = sir_stmt_parts(s);
        bool any = known || s->kind == SIR_CALL;
        for (uint8_t k = 0; k < parts.expr_count; k++)
            any |= holds(p, *parts.expr[k]);
        const sir_expr *root = parts.target != NULL ? sir_lvalue_root(*parts.target) : NULL;
        if (any && s->kind == SIR_DECL)
            hold_local(p, s->u.decl.local);
        if (any && root != NULL && root->kind == SIR_LOCAL)
            hold_local(p, root->index);
        for (uint8_t k = 0; k < parts.block_count; k++)
            follow(p, parts.block[k], any);
    }
}

// A local that is declared as a field's value, and never assigned to, is that field as it was.
static bool is_as_it_was(const sir_filter *f, const sir_block *b, uint32_t local)
{
    size_t declared = 0;
    for (size_t i = 0; i < b->len; i++) {
        const sir_stmt *s = b->data[i];
        sir_parts parts = sir_stmt_parts(b->data[i]);
        const sir_expr *root = parts.target != NULL ? sir_lvalue_root(*parts.target) : NULL;
        if (root != NULL && root->kind == SIR_LOCAL && root->index == local)
            return false;
        if (s->kind != SIR_DECL || s->u.decl.local != local)
            continue;
        const sir_expr *init = s->u.decl.init;
        declared += init != NULL && init->kind == SIR_FIELD && is_number(f, init->index);
    }
    return declared == 1;
}

// Fields are set once, by a statement of the body itself.
bool sir_is_last(arena *a, const sir_filter *f, uint32_t field)
{
    const sir_function *work = f->work;
    const sir_expr *value = NULL;
    passing p = {.filter = f, .held = ARENA_ARRAY(a, bool, work->locals.len + 1)};
    size_t sets = 0;
    if (!is_number(f, field))
        return false;
    for (VEC_EACH(sir_stmt *, at, &work->body)) {
        if ((*at)->kind != SIR_SET || !is_field((*at)->u.set.target, field))
            continue;
        value = (*at)->u.set.value;
        sets++;
    }
    if (sets != 1 || sir_count_field(&work->body, field) < 2)
        return false;
    do {
        p.changed = false;
        follow(&p, &work->body, false);
    } while (p.changed);
    return !holds(&p, value) || (value->kind == SIR_LOCAL && is_as_it_was(f, &work->body, value->index)) ||
           (value->kind == SIR_FIELD && value->index != field);
}
