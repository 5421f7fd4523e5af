// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is not the same in all firings of a filter: a value that items, state or the count of firings make is varying, and
// so is a variable that is set below a condition that varies. Kernels that run in step need loops whose trips do not vary,
// and, if the processor scatters nothing, arrays whose elements are written at places that do not.
#include "hlc/ir/walk.h"
#include "hlc/plan/abilities.h"
#include "support/hmap.h"

typedef struct facts {
    const sir_function *function;
    bool *varies;    // per local
    uint32_t *depth; // per local: of conditions that vary, around its declaration
    bool result;     // what it gives varies
} facts;

typedef struct analysis {
    arena *arena;
    const sir_filter *filter;
    hmap functions; // facts
    plan_varying *found;
    bool changed;
} analysis;

// A walk through a function's body.
typedef struct walk {
    analysis *all;
    facts *in;
    uint32_t depth, loop; // of conditions that vary: here, and where the innermost loop begins
    bool in_loop;
} walk;

static facts *facts_of(analysis *a, const sir_function *f)
{
    facts *x = hmap_getn(&a->functions, &f, sizeof f);
    if (x != NULL)
        return x;
    x = ARENA_NEW(a->arena, facts);
    x->function = f;
    x->varies = ARENA_ARRAY(a->arena, bool, f->locals.len + 1);
    x->depth = ARENA_ARRAY(a->arena, uint32_t, f->locals.len + 1);
    hmap_setn(&a->functions, &f, sizeof f, x);
    a->changed = true;
    return x;
}

static bool field_varies(const sir_field *f)
{
    return f->role == SIR_STATE ? !f->constant : f->role != SIR_UNIFORM;
}

static bool varies(const walk *w, const sir_expr *e)
{
    if (e == NULL)
        return false;
    switch ((sir_expr_kind)e->kind) {
    case SIR_LOCAL: return w->in->varies[e->index];
    case SIR_FIELD: return field_varies(&w->all->filter->fields.data[e->index]);
    case SIR_PEEK:
    case SIR_ITER:
    case SIR_FETCH: return true;
    default: break;
    }
    for (size_t i = 0; i < sir_expr_arity(e); i++)
        if (varies(w, e->u.arg[i]))
            return true;
    return false;
}

static void set_varies(walk *w, uint32_t local)
{
    w->all->changed = w->all->changed || !w->in->varies[local];
    w->in->varies[local] = true;
}

static void find(sir_loc *place, sir_loc here)
{
    if (place->line == 0)
        *place = here;
}

// Something is written to a target; value: it varies.
static void write_to(walk *w, sir_expr *target, bool value)
{
    if (target == NULL)
        return;
    bool place = false;
    for (const sir_expr *e = target; e->kind == SIR_INDEX || e->kind == SIR_MEMBER; e = e->u.arg[0])
        place = place || (e->kind == SIR_INDEX && varies(w, e->u.arg[1]));
    if (place)
        find(&w->all->found->place, target->loc);
    const sir_expr *root = sir_lvalue_root(target);
    if (root->kind == SIR_LOCAL && (value || place || w->depth > w->in->depth[root->index]))
        set_varies(w, root->index);
}

static void walk_block(walk *w, const sir_block *b);

static void walk_below(walk *w, const sir_block *b, bool differs)
{
    w->depth += differs;
    walk_block(w, b);
    w->depth -= differs;
}

static void walk_call(walk *w, sir_stmt *s)
{
    const sir_function *f = s->u.call.function;
    facts *x = f->kind == SIR_NATIVE ? NULL : facts_of(w->all, f);
    for (size_t i = 0; i < s->u.call.args.len; i++) {
        sir_expr *arg = s->u.call.args.data[i];
        if (x != NULL && varies(w, arg) && !x->varies[i]) {
            x->varies[i] = true;
            w->all->changed = true;
        }
        const sir_expr *root = f->locals.data[i].by_reference ? sir_lvalue_root(arg) : NULL;
        if (root != NULL && root->kind == SIR_LOCAL &&
            (x == NULL || x->varies[i] || w->depth > w->in->depth[root->index]))
            set_varies(w, root->index);
    }
    write_to(w, s->u.call.target, x == NULL || x->result);
}

// A loop whose trips vary if 'differs'.
static void walk_loop(walk *w, sir_stmt *s, bool differs)
{
    walk outer = *w;
    if (differs)
        find(&w->all->found->loop, s->loc);
    w->depth += differs;
    w->loop = w->depth;
    w->in_loop = true;
    sir_parts p = sir_stmt_parts(s);
    for (size_t i = 0; i < p.block_count; i++)
        walk_block(w, p.block[i]);
    w->depth = outer.depth;
    w->loop = outer.loop;
    w->in_loop = outer.in_loop;
}

static void walk_stmt(walk *w, sir_stmt *s)
{
    switch ((sir_stmt_kind)s->kind) {
    case SIR_DECL:
        w->in->depth[s->u.decl.local] = w->depth;
        if (varies(w, s->u.decl.init))
            set_varies(w, s->u.decl.local);
        break;
    case SIR_SET: write_to(w, s->u.set.target, varies(w, s->u.set.value)); break;
    case SIR_POP:
    case SIR_RANDOM: write_to(w, s->u.set.target, true); break;
    case SIR_CALL: walk_call(w, s); break;
    case SIR_IF:
        walk_below(w, &s->u.if_.then, varies(w, s->u.if_.cond));
        walk_below(w, &s->u.if_.otherwise, varies(w, s->u.if_.cond));
        break;
    case SIR_FOR:
        w->in->depth[s->u.for_.local] = w->depth;
        if (varies(w, s->u.for_.lo))
            set_varies(w, s->u.for_.local);
        walk_loop(w, s, varies(w, s->u.for_.lo) || varies(w, s->u.for_.hi));
        break;
    case SIR_LOOP: walk_loop(w, s, varies(w, s->u.loop.cond)); break;
    case SIR_BREAK:
    case SIR_CONTINUE:
        if (w->depth > w->loop)
            find(&w->all->found->loop, s->loc);
        break;
    case SIR_RETURN:
        if (w->in_loop && w->depth > 0)
            find(&w->all->found->loop, s->loc);
        if ((w->depth > 0 || varies(w, s->u.value)) && !w->in->result)
            w->in->result = w->all->changed = true;
        break;
    case SIR_BLOCK: walk_block(w, &s->u.block); break;
    case SIR_PUSH:
    case SIR_PRINT:
    case SIR_SEND: break;
    }
}

static void walk_block(walk *w, const sir_block *b)
{
    for (size_t i = 0; i < b->len; i++)
        walk_stmt(w, b->data[i]);
}

// What is found grows with what varies, so that the last round has all of it.
plan_varying plan_find_varying(arena *a, const sir_filter *f)
{
    plan_varying found = {0};
    analysis all = {.arena = a, .filter = f, .found = &found, .changed = true};
    hmap_init(&all.functions, a);
    const sir_function *begin[] = {f->prework, f->work};
    for (size_t i = 0; i < 2; i++)
        if (begin[i] != NULL)
            (void)facts_of(&all, begin[i]);
    while (all.changed) {
        all.changed = false;
        for (size_t i = 0; i < all.functions.len; i++) { // calls add more
            walk w = {.all = &all, .in = all.functions.entries[i].value};
            walk_block(&w, &w.in->function->body);
        }
    }
    return found;
}
