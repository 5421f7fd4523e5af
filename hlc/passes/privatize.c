// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass 'privatize': a field that every firing writes before it reads it is a local of work and prework. Programs keep
// sums, temporaries and work arrays in fields; without them their filters have no state, and run on all processors.
//
// What is known to have been written is a list of lvalues: f, f[3], f.re, or f[i][j] with i and j of loops around. After a
// loop over all of an array its element f[i] stands for f.
#include "hlc/ir/walk.h"
#include "hlc/passes/canonicalize.h"
#include "hlc/passes/canonicalize_int.h"
#include "hlc/passes/pass.h"

// Scalars of a field that goes to the stack; elements that are collected one by one; lvalues known at once.
enum { PRIVATE_WORDS = 4096, PRIVATE_ELEMENTS = 64, PRIVATE_KNOWN = 256 };

typedef VEC(const sir_expr *) lvalues;

typedef struct privatizer {
    arena *a;
    sir_module *m;
    sir_filter *filter;
    bool *candidate; // per field
} privatizer;

// ---- What has been written ----

static bool has(const lvalues *known, const sir_expr *e)
{
    for (VEC_EACH(const sir_expr *, k, known))
        if (sir_same_expr(*k, e, false))
            return true;
    return false;
}

static bool is_written(const lvalues *known, const sir_expr *e)
{
    for (; e->kind == SIR_INDEX || e->kind == SIR_MEMBER; e = e->u.arg[0])
        if (has(known, e))
            return true;
    return has(known, e);
}

// Every part of an aggregate by itself.
static bool is_complete(const privatizer *p, const lvalues *known, sir_expr *base)
{
    const sir_type *t = base->type;
    size_t parts = t->kind == SIR_ARRAY ? t->length : t->kind == SIR_STRUCT ? t->decl->members.len : 2;
    if (parts > PRIVATE_ELEMENTS)
        return false;
    for (size_t i = 0; i < parts; i++) {
        sir_expr *number = sir_const_int(p->m, (int32_t)i, base->loc);
        const sir_expr *part = t->kind == SIR_ARRAY ? sir_expr2(p->m, SIR_INDEX, 0, t->element, base, number, base->loc)
                                                    : sir_member(p->m, base, (uint32_t)i, base->loc);
        if (!has(known, part))
            return false;
    }
    return true;
}

static void add(const privatizer *p, lvalues *known, const sir_expr *e)
{
    if (is_written(known, e) || known->len >= PRIVATE_KNOWN)
        return;
    VEC_PUSH(p->a, known, e);
    bool constant = e->kind == SIR_INDEX && e->u.arg[1]->kind == SIR_CONST;
    if ((constant || e->kind == SIR_MEMBER) && is_complete(p, known, e->u.arg[0]))
        add(p, known, e->u.arg[0]);
}

static lvalues copy_of(const privatizer *p, const lvalues *known)
{
    lvalues copy = {0};
    for (VEC_EACH(const sir_expr *, k, known))
        VEC_PUSH(p->a, &copy, *k);
    return copy;
}

// ---- Reads ----

static void give_up(privatizer *p, const sir_expr *root)
{
    p->candidate[root->index] = false;
}

static const sir_expr *field_of(sir_expr *e)
{
    const sir_expr *root = sir_lvalue_root(e);
    return root != NULL && root->kind == SIR_FIELD ? root : NULL;
}

static void read_expr(privatizer *p, const lvalues *known, sir_expr *e);

static void read_subscripts(privatizer *p, const lvalues *known, sir_expr *e)
{
    for (; e->kind == SIR_INDEX || e->kind == SIR_MEMBER; e = e->u.arg[0])
        if (e->kind == SIR_INDEX)
            read_expr(p, known, e->u.arg[1]);
}

static void read_expr(privatizer *p, const lvalues *known, sir_expr *e)
{
    const sir_expr *field = field_of(e);
    if (field != NULL) {
        if (p->candidate[field->index] && !is_written(known, e))
            give_up(p, field);
        read_subscripts(p, known, e);
        return;
    }
    size_t arity = sir_expr_arity(e);
    for (size_t i = 0; i < arity; i++)
        read_expr(p, known, e->u.arg[i]);
}

// ---- Statements ----

// Subscripts that mean the same wherever the lvalue is known: constants, and variables of loops around, which nothing assigns.
static bool is_steady(const lvalues *loops, const sir_expr *e)
{
    for (; e->kind == SIR_INDEX || e->kind == SIR_MEMBER; e = e->u.arg[0])
        if (e->kind == SIR_INDEX && e->u.arg[1]->kind != SIR_CONST && !has(loops, e->u.arg[1]))
            return false;
    return true;
}

static void walk(privatizer *p, lvalues *known, lvalues *loops, const sir_block *b);

static void walk_if(privatizer *p, lvalues *known, lvalues *loops, const sir_stmt *s)
{
    lvalues then = copy_of(p, known), otherwise = copy_of(p, known);
    walk(p, &then, loops, &s->u.if_.then);
    walk(p, &otherwise, loops, &s->u.if_.otherwise);
    for (VEC_EACH(const sir_expr *, k, &then))
        if (is_written(&otherwise, *k))
            add(p, known, *k);
    for (VEC_EACH(const sir_expr *, k, &otherwise))
        if (is_written(&then, *k))
            add(p, known, *k);
}

static bool mentions(const sir_expr *e, uint32_t local)
{
    for (; e->kind == SIR_INDEX || e->kind == SIR_MEMBER; e = e->u.arg[0])
        if (e->kind == SIR_INDEX && canon_is_local(e->u.arg[1], local))
            return true;
    return false;
}

static bool runs_over(const sir_stmt *loop, const sir_type *array)
{
    int64_t lo = loop->u.for_.lo->u.value.i, hi = loop->u.for_.hi->u.value.i, n = array->length;
    return loop->u.for_.step == 1 ? lo == 0 && hi >= n : loop->u.for_.step == -1 && lo >= n - 1 && hi == -1;
}

static void walk_for(privatizer *p, lvalues *known, lvalues *loops, const sir_stmt *s)
{
    const sir_expr *lo = s->u.for_.lo, *hi = s->u.for_.hi;
    uint32_t local = s->u.for_.local;
    bool constant = lo->kind == SIR_CONST && hi->kind == SIR_CONST;
    bool runs = constant && (s->u.for_.step > 0 ? lo->u.value.i < hi->u.value.i : lo->u.value.i > hi->u.value.i);
    lvalues inside = copy_of(p, known);
    VEC_PUSH(p->a, loops, sir_ref(p->m, SIR_LOCAL, local, p->m->scalar[SIR_INT], s->loc));
    walk(p, &inside, loops, &s->u.for_.body);
    loops->len--;
    for (VEC_EACH(const sir_expr *, k, &inside)) {
        if (!runs)
            break;
        if (!mentions(*k, local))
            add(p, known, *k);
        else if ((*k)->kind == SIR_INDEX && canon_is_local((*k)->u.arg[1], local) && !mentions((*k)->u.arg[0], local) &&
                 runs_over(s, (*k)->u.arg[0]->type))
            add(p, known, (*k)->u.arg[0]);
    }
}

// The first round reads what the later ones read, and knows least.
static void walk_loop(privatizer *p, lvalues *known, lvalues *loops, const sir_stmt *s)
{
    if (s->u.loop.post_test) {
        walk(p, known, loops, &s->u.loop.body);
        walk(p, known, loops, &s->u.loop.step);
    }
    walk(p, known, loops, &s->u.loop.pre);
    if (s->u.loop.cond != NULL)
        read_expr(p, known, s->u.loop.cond);
    if (s->u.loop.post_test)
        return;
    lvalues inside = copy_of(p, known);
    walk(p, &inside, loops, &s->u.loop.body);
    walk(p, &inside, loops, &s->u.loop.step);
}

static void walk_stmt(privatizer *p, lvalues *known, lvalues *loops, sir_stmt *s)
{
    sir_parts parts = sir_stmt_parts(s);
    for (size_t i = 0; i < parts.expr_count && s->kind != SIR_LOOP; i++)
        read_expr(p, known, *parts.expr[i]);
    for (size_t i = 0; i < parts.arg_count; i++)
        read_expr(p, known, parts.args[i]);
    if (parts.target != NULL) {
        sir_expr *target = *parts.target;
        read_subscripts(p, known, target);
        const sir_expr *field = field_of(target);
        if (field != NULL && p->candidate[field->index] && is_steady(loops, target))
            add(p, known, target);
    }
    switch ((sir_stmt_kind)s->kind) {
    case SIR_IF: walk_if(p, known, loops, s); break;
    case SIR_FOR: walk_for(p, known, loops, s); break;
    case SIR_LOOP: walk_loop(p, known, loops, s); break;
    case SIR_BLOCK: walk(p, known, loops, &s->u.block); break;
    default: break;
    }
}

static void walk(privatizer *p, lvalues *known, lvalues *loops, const sir_block *b)
{
    for (size_t i = 0; i < b->len; i++)
        walk_stmt(p, known, loops, b->data[i]);
}

// ---- Functions that are called, and what jumps ----

static void drop_mentioned(void *context, sir_expr *e, bool written)
{
    (void)written;
    privatizer *p = context;
    if (e->kind == SIR_FIELD)
        p->candidate[e->index] = false;
}

static void drop_in_stmt(void *context, sir_stmt *s)
{
    sir_visit_exprs(s, drop_mentioned, context);
}

static void find_jump(void *context, sir_stmt *s)
{
    *(bool *)context |= s->kind == SIR_BREAK || s->kind == SIR_CONTINUE || s->kind == SIR_RETURN;
}

static bool jumps(const sir_function *f)
{
    bool found = false;
    sir_visit_stmts(&f->body, find_jump, &found);
    return found;
}

// ---- The change ----

typedef struct replacement {
    const bool *goes;      // per field
    const uint32_t *local; // per field, SIR_NONE: not in this function
    const uint32_t *moved; // per field: its new number
} replacement;

static void replace(void *context, sir_expr *e, bool written)
{
    (void)written;
    const replacement *r = context;
    if (e->kind != SIR_FIELD)
        return;
    bool goes = r->goes[e->index];
    e->kind = goes ? SIR_LOCAL : SIR_FIELD;
    e->index = goes ? r->local[e->index] : r->moved[e->index];
}

static void replace_in_stmt(void *context, sir_stmt *s)
{
    sir_visit_exprs(s, replace, context);
}

static void note_field(void *context, sir_expr *e, bool written)
{
    (void)written;
    if (e->kind == SIR_FIELD)
        ((bool *)context)[e->index] = true;
}

static void note_fields(void *context, sir_stmt *s)
{
    sir_visit_exprs(s, note_field, context);
}

static void rewrite(privatizer *p, sir_function *f, const uint32_t *moved)
{
    size_t n = p->filter->fields.len;
    bool *mentioned = ARENA_ARRAY(p->a, bool, n + 1);
    uint32_t *local = ARENA_ARRAY(p->a, uint32_t, n + 1);
    sir_block body = {0};
    sir_visit_stmts(&f->body, note_fields, mentioned);
    for (uint32_t i = 0; i < n; i++) {
        const sir_field *field = &p->filter->fields.data[i];
        if (!p->candidate[i] || !mentioned[i])
            continue;
        local[i] = sir_local_new(p->m, f, field->name, field->type, field->loc);
        sir_stmt *s = sir_stmt_new(p->m, SIR_DECL, field->loc);
        s->u.decl.local = local[i];
        VEC_PUSH(p->m->arena, &body, s);
    }
    replacement r = {p->candidate, local, moved};
    sir_visit_stmts(&f->body, replace_in_stmt, &r);
    for (size_t i = 0; i < f->body.len; i++)
        VEC_PUSH(p->m->arena, &body, f->body.data[i]);
    f->body = body;
}

static void remark(const privatizer *p, hlc_program *hlc, const sir_field *field)
{
    if (hlc->diag->remarks)
        diag_remark(hlc->diag, sir_range(p->m, hlc->sources, field->loc),
                    "the field '%s' of '%s' is written in every firing before it is read: a local [privatize]",
                    field->name, p->filter->name);
}

static bool privatize(privatizer *p, hlc_program *hlc)
{
    sir_filter *f = p->filter;
    sir_function *own[] = {f->work, f->prework};
    bool any = false;
    p->candidate = ARENA_ARRAY(p->a, bool, f->fields.len + 1);
    for (size_t i = 0; i < f->fields.len; i++)
        any |= p->candidate[i] = !f->fields.data[i].constant && f->fields.data[i].role == SIR_STATE &&
                                 f->fields.data[i].type->words <= PRIVATE_WORDS;
    if (!any)
        return false;
    for (VEC_EACH(sir_function *, g, &f->functions))
        sir_visit_stmts(&(*g)->body, drop_in_stmt, p);
    for (VEC_EACH(sir_function *, g, &f->handlers))
        sir_visit_stmts(&(*g)->body, drop_in_stmt, p);
    for (size_t i = 0; i < 2; i++) {
        lvalues known = {0}, loops = {0};
        if (own[i] != NULL && jumps(own[i]))
            return false;
        if (own[i] != NULL)
            walk(p, &known, &loops, &own[i]->body);
    }
    uint32_t *moved = ARENA_ARRAY(p->a, uint32_t, f->fields.len + 1), kept = 0;
    for (uint32_t i = 0; i < f->fields.len; i++) {
        moved[i] = kept;
        kept += !p->candidate[i];
    }
    if (kept == f->fields.len)
        return false;
    for (size_t i = 0; i < 2; i++)
        if (own[i] != NULL)
            rewrite(p, own[i], moved);
    for (VEC_EACH(sir_function *, g, &f->functions))
        sir_visit_stmts(&(*g)->body, replace_in_stmt, &(replacement){p->candidate, NULL, moved});
    for (VEC_EACH(sir_function *, g, &f->handlers))
        sir_visit_stmts(&(*g)->body, replace_in_stmt, &(replacement){p->candidate, NULL, moved});
    for (uint32_t i = 0; i < f->fields.len; i++) {
        if (p->candidate[i])
            remark(p, hlc, &f->fields.data[i]);
        else
            f->fields.data[moved[i]] = f->fields.data[i];
    }
    f->fields.len = kept;
    sir_filter_derive(p->m, f);
    return true;
}

bool pass_privatize(hlc_program *p)
{
    const canon_options options = {.keep_subscripts = p->config->check_bounds, .keep_peeks = p->config->check_rates};
    bool changed = false;
    for (VEC_EACH(sir_filter *, f, &p->module->filters)) {
        privatizer x = {.a = arena_create(), .m = p->module, .filter = *f};
        changed |= privatize(&x, p);
        arena_destroy(x.a);
    }
    if (changed)
        sir_canonicalize(p->module, &options);
    return changed;
}
