// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What follows from a filter's bodies: state, effects, identity. Arrays go to functions by reference, so whether a
// field is assigned depends on which parameters the functions assign; that is a fixed point over the reachable
// functions.
#include <string.h>

#include "hlc/ir/effects.h"
#include "hlc/ir/walk.h"

static sir_function_effects *effects_of(sir_effects *x, sir_function *f)
{
    sir_function_effects *e = hmap_getn(&x->by_function, &f, sizeof f);
    if (e == NULL) {
        e = ARENA_NEW(x->arena, sir_function_effects);
        e->function = f;
        e->writes_param = ARENA_ARRAY(x->arena, bool, f->param_count + 1);
        e->writes_field = ARENA_ARRAY(x->arena, bool, x->field_count + 1);
        for (uint32_t i = 0; f->kind == SIR_NATIVE && i < f->param_count && i < f->locals.len; i++)
            e->writes_param[i] = f->locals.data[i].by_reference;
        hmap_setn(&x->by_function, &f, sizeof f, e);
        VEC_PUSH(x->arena, &x->functions, e);
    }
    return e;
}

const sir_function_effects *sir_effects_of(const sir_effects *x, const sir_function *f)
{
    return hmap_getn(&x->by_function, &f, sizeof f);
}

typedef struct scan {
    sir_effects *effects;
    sir_function_effects *self;
    bool changed;
} scan;

static void set_flag(scan *s, bool *flag)
{
    if (!*flag) {
        *flag = true;
        s->changed = true;
    }
}

static void note_written(scan *s, sir_expr *lvalue)
{
    const sir_expr *root = sir_lvalue_root(lvalue);
    if (root == NULL)
        return;
    if (root->kind == SIR_FIELD && root->index < s->effects->field_count)
        set_flag(s, &s->self->writes_field[root->index]);
    if (root->kind == SIR_LOCAL && root->index < s->self->function->param_count &&
        s->self->function->locals.data[root->index].by_reference)
        set_flag(s, &s->self->writes_param[root->index]);
}

static void note_call(scan *s, sir_stmt *call)
{
    sir_function *f = call->u.call.function;
    if (f == NULL)
        return;
    sir_function_effects *callee = effects_of(s->effects, f);
    for (size_t i = 0; i < call->u.call.args.len && i < f->param_count; i++)
        if (callee->writes_param[i])
            note_written(s, call->u.call.args.data[i]);
    for (uint32_t i = 0; i < s->effects->field_count; i++)
        if (callee->writes_field[i])
            set_flag(s, &s->self->writes_field[i]);
    const sir_effect_flags *c = &callee->flags;
    sir_effect_flags *mine = &s->self->flags;
    if (c->prints)
        set_flag(s, &mine->prints);
    if (c->random)
        set_flag(s, &mine->random);
    if (c->iter)
        set_flag(s, &mine->iter);
    if (c->sends)
        set_flag(s, &mine->sends);
    if (c->tape)
        set_flag(s, &mine->tape);
    if (c->native || f->kind == SIR_NATIVE)
        set_flag(s, &mine->native);
}

static void scan_expr(void *context, sir_expr *e, bool written)
{
    scan *s = context;
    if (e->kind == SIR_ITER)
        set_flag(s, &s->self->flags.iter);
    if (written)
        note_written(s, e);
}

static void scan_stmt(void *context, sir_stmt *stmt)
{
    scan *s = context;
    sir_visit_exprs(stmt, scan_expr, s);
    sir_effect_flags *mine = &s->self->flags;
    switch (stmt->kind) {
    case SIR_PRINT: set_flag(s, &mine->prints); break;
    case SIR_RANDOM: set_flag(s, &mine->random); break;
    case SIR_SEND: set_flag(s, &mine->sends); break;
    case SIR_POP:
    case SIR_PUSH: set_flag(s, &mine->tape); break;
    case SIR_CALL: note_call(s, stmt); break;
    default: break;
    }
}

void sir_effects_init(sir_effects *x, arena *a, const sir_filter *filter)
{
    *x = (sir_effects){.arena = a, .field_count = filter == NULL ? 0 : (uint32_t)filter->fields.len};
    hmap_init(&x->by_function, a);
}

void sir_effects_add(sir_effects *x, sir_function *f)
{
    effects_of(x, f);
}

void sir_effects_solve(sir_effects *x)
{
    for (bool changed = true; changed;) {
        changed = false;
        // Functions found on the way are appended, and scanned in the same round. Callees come after callers, so the
        // round goes backwards over what is known.
        for (size_t known = 0; known < x->functions.len;) {
            size_t end = x->functions.len;
            for (size_t i = end; i > known; i--) {
                scan s = {.effects = x, .self = x->functions.data[i - 1]};
                sir_visit_stmts(&s.self->function->body, scan_stmt, &s);
                changed = changed || s.changed;
            }
            known = end;
        }
    }
}

// ---- Filters ----

static const sir_stmt *statement(const sir_function *f, size_t i, sir_stmt_kind kind)
{
    return i < f->body.len && f->body.data[i]->kind == kind ? f->body.data[i] : NULL;
}

// { decl t; t = pop; push t } or { push peek(0); pop }.
static bool is_identity(const sir_filter *f)
{
    if (f->work == NULL || f->prework != NULL || f->handlers.len > 0 || f->input != f->output)
        return false;
    const sir_function *w = f->work;
    // The declared rates count too: what is declared and not popped is discarded.
    if (w->pop.dynamic || w->push.dynamic || w->pop.max != 1 || w->push.max != 1)
        return false;
    if (w->body.len == 2) {
        const sir_stmt *push = statement(w, 0, SIR_PUSH), *pop = statement(w, 1, SIR_POP);
        if (push == NULL || pop == NULL || pop->u.set.target != NULL)
            return false;
        const sir_expr *v = push->u.value;
        return v->kind == SIR_PEEK && v->u.arg[0]->kind == SIR_CONST && v->u.arg[0]->u.value.i == 0;
    }
    const sir_stmt *decl = statement(w, 0, SIR_DECL), *pop = statement(w, 1, SIR_POP),
                   *push = statement(w, 2, SIR_PUSH);
    if (w->body.len != 3 || decl == NULL || pop == NULL || push == NULL)
        return false;
    const sir_expr *to = pop->u.set.target, *v = push->u.value;
    return to != NULL && to->kind == SIR_LOCAL && to->index == decl->u.decl.local && v->kind == SIR_LOCAL &&
           v->index == to->index;
}

void sir_filter_derive(sir_module *m, sir_filter *f)
{
    (void)m;
    arena *scratch = arena_create();
    sir_effects x;
    sir_effects_init(&x, scratch, f);
    VEC(sir_function *) roots = {0};
    if (f->work != NULL)
        VEC_PUSH(scratch, &roots, f->work);
    if (f->prework != NULL)
        VEC_PUSH(scratch, &roots, f->prework);
    if (f->ahead != NULL)
        VEC_PUSH(scratch, &roots, f->ahead);
    for (size_t i = 0; i < f->handlers.len; i++)
        VEC_PUSH(scratch, &roots, f->handlers.data[i]);
    for (size_t i = 0; i < roots.len; i++)
        sir_effects_add(&x, roots.data[i]);
    sir_effects_solve(&x);

    f->finite = false;
    for (size_t i = 0; i < f->fields.len; i++) {
        f->fields.data[i].constant = f->fields.data[i].role == SIR_STATE;
        f->finite |= f->fields.data[i].role != SIR_STATE;
    }
    f->stateful = f->uses_iter = f->uses_random = f->prints = f->sends = f->natives = false;
    for (size_t i = 0; i < roots.len; i++) {
        const sir_function_effects *e = sir_effects_of(&x, roots.data[i]);
        f->uses_iter |= e->flags.iter;
        f->uses_random |= e->flags.random;
        f->prints |= e->flags.prints;
        f->sends |= e->flags.sends;
        f->natives |= e->flags.native;
        for (size_t k = 0; k < f->fields.len; k++)
            if (e->writes_field[k]) {
                f->fields.data[k].constant = false;
                f->stateful |= f->fields.data[k].role == SIR_STATE;
            }
    }
    f->identity = is_identity(f);
    arena_destroy(scratch);
}

const char *const sir_role_words[SIR_ROLE_COUNT] = {
    [SIR_STATE] = "field",     [SIR_UNIFORM] = "uniform",       [SIR_INPUT] = "in",
    [SIR_OUTPUT] = "out",      [SIR_GATHER] = "gather",         [SIR_ITERATOR] = "iterator",
    [SIR_REDUCED] = "reduced", [SIR_VARIABLE] = "variable",     [SIR_INSIDE] = "inside",
    [SIR_MAPPED] = "mapped",   [SIR_COORDINATE] = "coordinate",
};

sir_type_kind sir_stored_kind(char letter)
{
    switch (letter) {
    case 'f':
    case 'x':
    case 'y': return SIR_FLOAT;
    case 'd': return SIR_DOUBLE;
    case 'i':
    case 'u':
    case 'c':
    case 'b': return SIR_INT;
    default: return SIR_VOID;
    }
}

bool sir_is_finite(const sir_module *m)
{
    bool finite = m->actors.len == 0 && m->filters.len > 0;
    for (size_t i = 0; i < m->filters.len; i++)
        finite = finite && m->filters.data[i]->finite;
    return finite;
}
