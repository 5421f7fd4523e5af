// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass 'inline': functions go where filters call them. The C compiler would do so as well; but whether firings, or the
// trips of a loop, can go side by side in vectors (hlc/ir/lanes.h, interchange.c) is decided on stream IR, and a call says
// nothing of what it does there. Filters that print, that take random numbers and that messages concern keep their calls.
#include "hlc/ir/copy.h"
#include "hlc/ir/walk.h"
#include "hlc/passes/canonicalize.h"
#include "hlc/passes/pass.h"
#include "support/hmap.h"

// Statements of a function that is inlined, and of one into which others are; how deep calls may nest.
enum { INLINE_STATEMENTS = 100, INLINE_TOTAL = 2000, INLINE_DEPTH = 8 };

typedef struct inliner {
    sir_module *m;
    arena *a;
    sir_function *into;
    // Of the call at hand: what stands for each local of the function called, a local or the argument itself.
    uint32_t *locals;
    sir_expr **arguments; // by parameter; NULL: it has a local
} inliner;

// ---- What can be inlined ----

typedef struct look {
    size_t statements, returns;
    bool calls;
} look;

static void look_at(void *context, sir_stmt *s)
{
    look *l = context;
    l->statements++;
    l->returns += s->kind == SIR_RETURN;
    l->calls |= s->kind == SIR_CALL || s->kind == SIR_SEND;
}

static look look_into(const sir_function *f)
{
    look l = {0};
    sir_visit_stmts(&f->body, look_at, &l);
    return l;
}

static bool is_whole_variable(const sir_expr *e)
{
    return e->kind == SIR_LOCAL || e->kind == SIR_FIELD || e->kind == SIR_GLOBAL;
}

static bool can_inline(const sir_stmt *call)
{
    const sir_function *f = call->u.call.function;
    if (f->kind != SIR_HELPER || (f->result != NULL && f->result->kind == SIR_ARRAY))
        return false;
    look l = look_into(f);
    const sir_stmt *last = f->body.len == 0 ? NULL : f->body.data[f->body.len - 1];
    bool ends = last != NULL && last->kind == SIR_RETURN;
    for (size_t i = 0; i < call->u.call.args.len; i++)
        if (f->locals.data[i].by_reference ? !is_whole_variable(call->u.call.args.data[i])
                                           : f->locals.data[i].type->kind == SIR_ARRAY)
            return false;
    return !l.calls && l.statements <= INLINE_STATEMENTS && l.returns == (size_t)ends &&
           call->u.call.args.len == f->param_count;
}

// ---- Copies ----

// An argument is a whole variable or a constant of the function that calls.
static sir_expr *argument_of(void *context, const sir_expr *e)
{
    const inliner *x = context;
    if (e->kind != SIR_LOCAL || x->arguments[e->index] == NULL)
        return NULL;
    return sir_copy_expr(&(sir_copier){.arena = x->m->arena}, x->arguments[e->index]);
}

// ---- Calls ----

static void declare(inliner *x, sir_block *to, uint32_t local, sir_expr *init, sir_loc loc)
{
    sir_stmt *s = sir_stmt_new(x->m, SIR_DECL, loc);
    s->u.decl.local = local;
    s->u.decl.init = init;
    VEC_PUSH(x->m->arena, to, s);
}

// The statements of the function called instead of the call.
static void expand(inliner *x, const sir_stmt *call, sir_block *to)
{
    const sir_function *f = call->u.call.function;
    x->locals = ARENA_ARRAY(x->a, uint32_t, f->locals.len + 1);
    x->arguments = ARENA_ARRAY(x->a, sir_expr *, f->locals.len + 1);
    for (uint32_t i = 0; i < f->locals.len; i++) {
        const sir_local *l = &f->locals.data[i];
        if (l->by_reference)
            x->arguments[i] = call->u.call.args.data[i];
        else
            x->locals[i] = sir_local_new(x->m, x->into, l->name, l->type, l->loc);
        if (i < f->param_count && !l->by_reference)
            declare(x, to, x->locals[i], call->u.call.args.data[i], call->loc);
    }
    const sir_copier copier = {.arena = x->m->arena, .locals = x->locals, .context = x, .expr = argument_of};
    for (size_t i = 0; i < f->body.len; i++) {
        const sir_stmt *s = f->body.data[i];
        if (s->kind != SIR_RETURN) {
            VEC_PUSH(x->m->arena, to, sir_copy_parts(&copier, s));
            continue;
        }
        if (s->u.value == NULL)
            continue;
        if (call->u.call.target == NULL) { // a value that is not used may still stop the program
            uint32_t unused = sir_local_new(x->m, x->into, "unused", f->result, call->loc);
            declare(x, to, unused, sir_copy_expr(&copier, s->u.value), call->loc);
            continue;
        }
        sir_stmt *set = sir_stmt_new(x->m, SIR_SET, call->loc);
        set->u.set.target = call->u.call.target;
        set->u.set.value = sir_copy_expr(&copier, s->u.value);
        VEC_PUSH(x->m->arena, to, set);
    }
}

static bool inline_calls(inliner *x, sir_block *b)
{
    sir_block to = {0};
    bool changed = false;
    for (size_t i = 0; i < b->len; i++) {
        sir_stmt *s = b->data[i];
        if (s->kind == SIR_CALL && can_inline(s)) {
            expand(x, s, &to);
            changed = true;
            continue;
        }
        sir_parts parts = sir_stmt_parts(s);
        for (uint8_t k = 0; k < parts.block_count; k++)
            changed |= inline_calls(x, parts.block[k]);
        VEC_PUSH(x->m->arena, &to, s);
    }
    if (changed)
        *b = to;
    return changed;
}

static bool inline_into(sir_module *m, arena *a, sir_function *f)
{
    inliner x = {.m = m, .a = a, .into = f};
    return f->kind != SIR_NATIVE && look_into(f).statements <= INLINE_TOTAL && inline_calls(&x, &f->body);
}

// ---- What nobody calls any more ----

static void drop_uncalled(arena *a, sir_filter *f)
{
    sir_called called;
    sir_called_init(&called, a);
    sir_add_called(&called, f->work);
    if (f->prework != NULL)
        sir_add_called(&called, f->prework);
    for (VEC_EACH(sir_function *, handler, &f->handlers))
        sir_add_called(&called, *handler);
    size_t kept = 0;
    for (size_t i = 0; i < f->functions.len; i++)
        if (sir_is_called(&called, f->functions.data[i]))
            f->functions.data[kept++] = f->functions.data[i];
    f->functions.len = kept;
}

// ---- The pass ----

static bool is_free(const sir_filter *f)
{
    const sir_function *w = f->work;
    return !f->uses_random && !f->prints && !f->sends && f->handlers.len == 0 && !w->peek.dynamic && !w->pop.dynamic &&
           !w->push.dynamic && look_into(w).calls;
}

bool pass_inline(hlc_program *p)
{
    sir_module *m = p->module;
    bool changed = false;
    // A check says in which function it failed.
    if (p->config->check_rates || p->config->check_bounds)
        return false;
    for (size_t i = 0; i < m->filters.len; i++) {
        sir_filter *f = m->filters.data[i];
        bool more = is_free(f), some = false;
        for (int depth = 0; more && depth < INLINE_DEPTH; depth++) {
            more = false;
            for (size_t k = 0; k < f->functions.len; k++)
                more |= inline_into(m, p->arena, f->functions.data[k]);
            more |= inline_into(m, p->arena, f->work);
            some |= more;
        }
        if (some) {
            drop_uncalled(p->arena, f);
            sir_filter_derive(m, f);
        }
        changed |= some;
    }
    if (changed) {
        const canon_options options = {0};
        (void)sir_canonicalize(m, &options);
    }
    return changed;
}
