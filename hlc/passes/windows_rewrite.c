// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A body in which peeks have taken the place of arrays of items (windows.c): everything is peeked from where the firing
// begins, all items are popped at its end, and what only said where items were kept is gone.
#include <string.h>

#include "hlc/ir/walk.h"
#include "hlc/passes/pass.h"
#include "hlc/passes/windows_int.h"

typedef struct rewriter {
    sir_module *m;
    sir_filter *filter;
    window_facts *w;
    bool changed, traps;
    uint32_t since; // local: items since what is cleared was; SIR_NONE: there is no need of it yet
} rewriter;

static const window_site *site_at(const rewriter *r, const void *node)
{
    return hmap_getn(&r->w->site_of, &node, sizeof node);
}

// An element of an array that goes, or a scalar that does.
static bool goes(const rewriter *r, const sir_expr *e)
{
    const sir_expr *root = e->kind == SIR_INDEX ? e->u.arg[0] : e;
    return root->kind == SIR_FIELD && r->w->gone[root->index];
}

// ---- What is needed ----

static void note_trap(void *context, sir_expr *e, bool written)
{
    (void)written;
    ((rewriter *)context)->traps |= sir_may_divide_by_zero(e);
}

static bool may_stop(rewriter *r, sir_stmt *s)
{
    r->traps = false;
    sir_visit_exprs(s, note_trap, r);
    return r->traps;
}

static bool is_live(rewriter *r, sir_stmt *s)
{
    const sir_expr *root;
    sir_parts parts;
    switch ((sir_stmt_kind)s->kind) {
    case SIR_DECL: return r->w->needs_local[s->u.decl.local] || may_stop(r, s);
    case SIR_POP:
    case SIR_SET:
        if (s->u.set.target == NULL)
            return false;
        root = sir_lvalue_root(s->u.set.target);
        if (goes(r, s->u.set.target))
            return false;
        return (root->kind == SIR_LOCAL ? r->w->needs_local : r->w->needs_field)[root->index] ||
               (s->kind == SIR_SET && may_stop(r, s));
    case SIR_IF:
    case SIR_FOR:
    case SIR_LOOP:
    case SIR_BLOCK:
        parts = sir_stmt_parts(s);
        for (uint8_t i = 0; i < parts.block_count; i++)
            for (size_t k = 0; k < parts.block[i]->len; k++)
                if (is_live(r, parts.block[i]->data[k]))
                    return true;
        return may_stop(r, s);
    default: return true;
    }
}

static void need(rewriter *r, bool *of, uint32_t index)
{
    r->changed |= !of[index];
    of[index] = true;
}

// What no firing came to, or took items from all over, cannot be peeked.
static void need_site(rewriter *r, const void *node)
{
    const window_site *s = site_at(r, node);
    r->w->unfit |= s == NULL || !s->seen || s->unfit;
}

static void need_expr(rewriter *r, const sir_expr *e)
{
    if (e == NULL || e->kind == SIR_CONST)
        return;
    if (goes(r, e) || e->kind == SIR_PEEK)
        need_site(r, e);
    if (goes(r, e))
        return;
    if (e->kind == SIR_LOCAL)
        need(r, r->w->needs_local, e->index);
    if (e->kind == SIR_FIELD)
        need(r, r->w->needs_field, e->index);
    for (size_t i = 0; i < sir_expr_arity(e); i++)
        need_expr(r, e->u.arg[i]);
}

static void need_block(rewriter *r, const sir_block *b)
{
    for (size_t i = 0; i < b->len; i++) {
        sir_stmt *s = b->data[i];
        if (!is_live(r, s))
            continue;
        sir_parts parts = sir_stmt_parts(s);
        for (uint8_t k = 0; k < parts.expr_count; k++)
            need_expr(r, *parts.expr[k]);
        if (s->kind == SIR_DECL) // a statement that stays names it
            need(r, r->w->needs_local, s->u.decl.local);
        if (s->kind == SIR_POP)
            need_site(r, s);
        for (sir_expr *e = parts.target != NULL ? *parts.target : NULL; e != NULL;) {
            bool inner = e->kind == SIR_INDEX || e->kind == SIR_MEMBER;
            if (e->kind == SIR_INDEX)
                need_expr(r, e->u.arg[1]);
            if (!inner)
                need_expr(r, e);
            e = inner ? e->u.arg[0] : NULL;
        }
        for (uint8_t k = 0; k < parts.block_count; k++)
            need_block(r, parts.block[k]);
    }
}

void windows_find_needed(sir_module *m, arena *a, sir_filter *f, window_facts *w)
{
    rewriter r = {.m = m, .filter = f, .w = w, .changed = true};
    w->needs_local = ARENA_ARRAY(a, bool, f->work->locals.len + 1);
    w->needs_field = ARENA_ARRAY(a, bool, f->fields.len + 1);
    while (r.changed) {
        r.changed = false;
        need_block(&r, &f->work->body);
    }
    w->stateful = f->uses_random || f->prints;
    for (size_t i = 0; i < f->fields.len; i++)
        w->stateful |= !f->fields.data[i].constant && w->needs_field[i];
}

// ---- The new body ----

static sir_expr *sum(const rewriter *r, sir_expr *a, sir_expr *b)
{
    return sir_expr2(r->m, SIR_BINARY, LANG_OP_ADD, a->type, a, b, a->loc);
}

// `more` and `sign` times what the site says.
static sir_expr *affine_of(const rewriter *r, const window_site *s, int64_t sign, int64_t more, sir_loc loc)
{
    const sir_type *t = r->m->scalar[SIR_INT];
    int64_t constant = sign * s->at + more;
    for (VEC_EACH(const window_term, term, &s->terms))
        constant -= sign * term->coefficient * term->first;
    sir_expr *e = NULL;
    for (VEC_EACH(const window_term, term, &s->terms)) {
        if (term->coefficient == 0)
            continue;
        sir_expr *v = sir_ref(r->m, SIR_LOCAL, term->local, t, loc);
        if (sign * term->coefficient != 1)
            v = sir_expr2(r->m, SIR_BINARY, LANG_OP_MUL, t, v,
                          sir_const_int(r->m, (int32_t)(sign * term->coefficient), loc), loc);
        e = e == NULL ? v : sum(r, e, v);
    }
    sir_expr *c = sir_const_int(r->m, (int32_t)constant, loc);
    return e == NULL ? c : constant == 0 ? e : sum(r, e, c);
}

// How far behind the first item of the window.
static sir_expr *place_of(const rewriter *r, const window_site *s, int64_t more, sir_loc loc)
{
    return affine_of(r, s, 1, more, loc);
}

static sir_expr *peek_at(const rewriter *r, sir_expr *place, sir_loc loc)
{
    return sir_expr1(r->m, SIR_PEEK, 0, r->filter->input, place, loc);
}

// The item, or zero where the array was cleared behind it.
static sir_expr *item_since(rewriter *r, const window_site *s, sir_expr *item)
{
    sir_module *m = r->m;
    const sir_type *t = m->scalar[SIR_INT];
    sir_scalar none = {0};
    if (r->since == SIR_NONE)
        r->since = sir_local_new(m, r->filter->work, "since", t, r->filter->work->loc);
    sir_expr *recent =
                 sir_expr2(m, SIR_BINARY, LANG_OP_GE, m->scalar[SIR_BOOLEAN],
                           sir_ref(m, SIR_LOCAL, r->since, t, item->loc), affine_of(r, s, -1, 0, item->loc), item->loc),
             *otherwise = sir_const(m, item->type, none, item->loc);
    return sir_expr3(m, SIR_SELECT, item->type, recent, item, otherwise, item->loc);
}

static void declare_since(const rewriter *r)
{
    sir_module *m = r->m;
    sir_function *f = r->filter->work;
    const sir_type *t = m->scalar[SIR_INT];
    sir_stmt *decl = sir_stmt_new(m, SIR_DECL, f->loc);
    sir_expr *firings = sir_expr2(m, SIR_BINARY, LANG_OP_AND, t, sir_ref(m, SIR_ITER, 0, t, f->loc),
                                  sir_const_int(m, (int32_t)(r->w->every - 1), f->loc), f->loc);
    decl->u.decl.local = r->since;
    decl->u.decl.init =
        sir_expr2(m, SIR_BINARY, LANG_OP_MUL, t, firings, sir_const_int(m, (int32_t)f->pop.max, f->loc), f->loc);
    VEC_PUSH(m->arena, &f->body, decl);
    memmove(f->body.data + 1, f->body.data, (f->body.len - 1) * sizeof *f->body.data);
    f->body.data[0] = decl;
}

static sir_expr *rewrite_expr(rewriter *r, sir_expr *e)
{
    if (e->kind == SIR_CONST)
        return e;
    const window_site *s = goes(r, e) || e->kind == SIR_PEEK ? site_at(r, e) : NULL;
    if (s != NULL && e->kind != SIR_PEEK) {
        sir_expr *item = peek_at(r, place_of(r, s, r->w->back, e->loc), e->loc);
        return r->w->cleared[s->array] ? item_since(r, s, item) : item;
    }
    for (size_t i = 0; i < sir_expr_arity(e); i++)
        e->u.arg[i] = rewrite_expr(r, e->u.arg[i]);
    if (e->kind == SIR_PEEK)
        e->u.arg[0] = sum(r, e->u.arg[0], place_of(r, s, r->w->back, e->loc));
    return e;
}

static void rewrite_stmt(rewriter *r, sir_stmt *s);

static void rewrite_block(rewriter *r, sir_block *b)
{
    size_t kept = 0;
    for (size_t i = 0; i < b->len; i++) {
        if (!is_live(r, b->data[i]))
            continue;
        rewrite_stmt(r, b->data[i]);
        b->data[kept++] = b->data[i];
    }
    b->len = kept;
}

static void rewrite_stmt(rewriter *r, sir_stmt *s)
{
    sir_parts parts = sir_stmt_parts(s);
    for (uint8_t i = 0; i < parts.expr_count; i++)
        *parts.expr[i] = rewrite_expr(r, *parts.expr[i]);
    if (parts.target != NULL)
        *parts.target = rewrite_expr(r, *parts.target);
    for (uint8_t i = 0; i < parts.block_count; i++)
        rewrite_block(r, parts.block[i]);
    if (s->kind == SIR_POP) {
        s->u.set.value = peek_at(r, place_of(r, site_at(r, s), r->w->back, s->loc), s->loc);
        s->kind = SIR_SET;
    }
}

void windows_rewrite(sir_module *m, arena *a, sir_filter *f, const window_facts *w)
{
    window_facts facts = *w;
    rewriter r = {.m = m, .filter = f, .w = &facts, .since = SIR_NONE};
    rewrite_block(&r, &f->work->body);
    if (r.since != SIR_NONE)
        declare_since(&r);
    windows_add_pops(m, f);
    for (size_t i = 0; i < f->fields.len; i++)
        facts.needs_field[i] |= f->fields.data[i].constant;
    pass_keep_fields(a, f, facts.needs_field);
    int64_t old = f->work->peek.max, ahead = w->ahead > old ? w->ahead : old;
    f->work->peek.min = f->work->peek.max = w->back + ahead;
}
