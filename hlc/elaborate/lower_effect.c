// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Order of evaluation: what statements change, what expressions read, and temporaries between them.
#include "hlc/elaborate/lower.h"
#include "hlc/ir/walk.h"

// ---- Small pieces ----

void lower_emit(lower *L, sir_stmt *s)
{
    VEC_PUSH(L->x->arena, L->block, s);
}

void lower_append(lower *L, const sir_block *b)
{
    for (size_t i = 0; i < b->len; i++)
        lower_emit(L, b->data[i]);
}

void lower_emit_set(lower *L, sir_expr *target, sir_expr *value, sir_loc loc)
{
    sir_stmt *s = sir_stmt_new(L->m, SIR_SET, loc);
    s->u.set.target = target;
    s->u.set.value = value;
    lower_emit(L, s);
}

sir_expr *lower_temp(lower *L, const sir_type *t, sir_expr *init, sir_loc loc)
{
    uint32_t local = sir_local_new(L->m, L->fn, "t", t, loc);
    sir_stmt *s = sir_stmt_new(L->m, SIR_DECL, loc);
    s->u.decl.local = local;
    s->u.decl.init = init;
    lower_emit(L, s);
    return sir_ref(L->m, SIR_LOCAL, local, t, loc);
}

sir_expr *lower_clone(lower *L, const sir_expr *e)
{
    sir_expr *copy = ARENA_NEW(L->x->arena, sir_expr);
    *copy = *e;
    for (size_t i = 0; i < sir_expr_arity(e); i++)
        copy->u.arg[i] = lower_clone(L, e->u.arg[i]);
    return copy;
}

size_t lower_size(const sir_expr *e)
{
    size_t n = 1;
    for (size_t i = 0; i < sir_expr_arity(e); i++)
        n += lower_size(e->u.arg[i]);
    return n;
}

// ---- Effects ----

typedef struct effects {
    lower *L;
    bool pops;
    bool calls;                  // anything that can stop the program must not move across
    bool fields;                 // any field may change
    bool references;             // any array parameter may change
    VEC(const sir_expr *) roots; // LOCAL or FIELD assigned
} effects;

static void assigned(effects *fx, sir_expr *target)
{
    if (target == NULL)
        return;
    const sir_expr *root = sir_lvalue_root(target);
    if (root == NULL)
        return;
    VEC_PUSH(fx->L->x->scratch, &fx->roots, root);
    // An array parameter may be another name for a field or for another parameter.
    if (root->kind == SIR_FIELD && root->type->kind == SIR_ARRAY)
        fx->references = true;
    if (root->kind == SIR_LOCAL && fx->L->fn->locals.data[root->index].by_reference)
        fx->references = fx->fields = true;
}

static void call_effects(effects *fx, const sir_stmt *s)
{
    const sir_function *callee = s->u.call.function;
    fx->calls = true;
    if (callee->kind == SIR_HELPER && callee->pop.max != 0)
        fx->pops = true;
    bool own = false; // of the filter: it sees the fields
    for (size_t i = 0; i < fx->L->functions.len && !own; i++)
        own = fx->L->functions.data[i].function == callee;
    fx->fields = fx->fields || own;
    fx->references = fx->references || own;
    for (size_t i = 0; i < s->u.call.args.len && i < callee->locals.len; i++)
        if (callee->locals.data[i].by_reference)
            assigned(fx, s->u.call.args.data[i]);
    assigned(fx, s->u.call.target);
}

static void scan(void *context, sir_stmt *s)
{
    effects *fx = context;
    switch ((sir_stmt_kind)s->kind) {
    case SIR_POP:
        fx->pops = true;
        assigned(fx, s->u.set.target);
        break;
    case SIR_SET:
    case SIR_RANDOM: assigned(fx, s->u.set.target); break;
    case SIR_CALL: call_effects(fx, s); break;
    default: break;
    }
}

static bool can_stop(const sir_expr *e)
{
    if (e->kind == SIR_INDEX)
        return e->u.arg[1]->kind != SIR_CONST;
    if (e->kind != SIR_BINARY || (e->op != LANG_OP_DIV && e->op != LANG_OP_REM) || e->type->kind > SIR_INT)
        return false;
    return e->u.arg[1]->kind != SIR_CONST || e->u.arg[1]->u.value.i == 0;
}

static bool affected(const effects *fx, const sir_expr *e)
{
    if (e->kind == SIR_PEEK && fx->pops)
        return true;
    if (e->kind == SIR_FIELD && fx->fields)
        return true;
    if (e->kind == SIR_LOCAL && fx->references && fx->L->fn->locals.data[e->index].by_reference)
        return true;
    if (fx->calls && can_stop(e))
        return true;
    if (e->kind == SIR_LOCAL || e->kind == SIR_FIELD)
        for (size_t i = 0; i < fx->roots.len; i++)
            if (fx->roots.data[i]->kind == e->kind && fx->roots.data[i]->index == e->index)
                return true;
    for (size_t i = 0; i < sir_expr_arity(e); i++)
        if (affected(fx, e->u.arg[i]))
            return true;
    return false;
}

static sir_expr *save(lower *L, sir_expr *e)
{
    return lower_temp(L, e->type, e, e->loc);
}

static void protect_place(const effects *fx, sir_expr *e)
{
    for (; e->kind == SIR_INDEX || e->kind == SIR_MEMBER; e = e->u.arg[0])
        if (e->kind == SIR_INDEX && affected(fx, e->u.arg[1]))
            e->u.arg[1] = save(fx->L, e->u.arg[1]);
}

void lower_protect(lower *L, const sir_block *b, const lower_held *held, size_t count)
{
    if (b->len == 0 || count == 0)
        return;
    effects fx = {.L = L};
    sir_visit_stmts(b, scan, &fx);
    for (size_t i = 0; i < count; i++) {
        if (held[i].place)
            protect_place(&fx, *held[i].expr);
        else if (affected(&fx, *held[i].expr))
            *held[i].expr = save(L, *held[i].expr);
    }
}

bool lower_affects(lower *L, const sir_block *b, const sir_expr *e)
{
    effects fx = {.L = L};
    sir_visit_stmts(b, scan, &fx);
    return affected(&fx, e);
}

static sir_expr *lower_operand(lower *L, const ast_expr *e, bool place, const lower_held *held, size_t count)
{
    sir_block own = {0}, *outer = L->block;
    L->block = &own;
    sir_expr *result = place ? lower_place(L, e) : lower_expr(L, e);
    L->block = outer;
    lower_protect(L, &own, held, count);
    lower_append(L, &own);
    return result;
}

sir_expr *lower_after(lower *L, const ast_expr *e, const lower_held *held, size_t count)
{
    return lower_operand(L, e, false, held, count);
}

sir_expr *lower_place_after(lower *L, const ast_expr *e, const lower_held *held, size_t count)
{
    return lower_operand(L, e, true, held, count);
}
