// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Canonicalize: one walk over a body that knows of each scalar local whether it holds a constant or equals another
// local. Branches that are decided are taken, and loops that run never or once are none.
#include <string.h>

#include "hlc/ir/type_rules.h"
#include "hlc/ir/walk.h"
#include "hlc/passes/canonicalize_int.h"

// What a local holds: nothing known, a constant, or the value of another local since that had the given version; or the
// element of a constant table that such a local says. That stays with the local, but for divisors: NOTE(divisors).
typedef struct fact {
    const sir_expr *value;
    uint64_t source_version;
    uint64_t version; // changes with every assignment
} fact;

typedef struct undo {
    uint32_t local;
    fact was;
} undo;

typedef struct walk {
    canon *c;
    fact *facts;
    VEC(undo) log;
    uint64_t versions;
    bool *declared; // by local: in the part of a loop that has just been walked
} walk;

static sir_block walk_block(walk *w, const sir_block *b);

// ---- Facts ----

// The local that a fact rests on; NULL: none.
static const sir_expr *source(const sir_expr *value)
{
    const sir_expr *from = value != NULL && value->kind == SIR_INDEX ? value->u.arg[1] : value;
    return from != NULL && from->kind == SIR_LOCAL ? from : NULL;
}

static void learn(walk *w, uint32_t local, const sir_expr *value)
{
    const sir_expr *from = source(value);
    VEC_PUSH(w->c->scratch, &w->log, (undo){.local = local, .was = w->facts[local]});
    w->facts[local] = (fact){.value = value, .version = ++w->versions};
    if (from != NULL)
        w->facts[local].source_version = w->facts[from->index].version;
}

static void forget(walk *w, uint32_t local)
{
    learn(w, local, NULL);
}

static const sir_expr *held(const walk *w, uint32_t local)
{
    const fact *f = &w->facts[local];
    const sir_expr *from = source(f->value);
    return from != NULL && w->facts[from->index].version != f->source_version ? NULL : f->value;
}

static const sir_expr *known(const walk *w, uint32_t local)
{
    const sir_expr *value = held(w, local);
    return value != NULL && value->kind == SIR_INDEX ? NULL : value;
}

// NOTE(divisors). Of an element of a constant table it is known whether it may be 0 or -1, and there may be a table of inverses
// beside it; of a local that holds it, as the parameter of a function that divides does, it is not.
static bool is_divisor(const walk *w, const sir_expr *e)
{
    const sir_expr *base = e->kind == SIR_INDEX ? e->u.arg[0] : NULL;
    return e->type->kind == SIR_INT && base != NULL && base->kind == SIR_FIELD && e->u.arg[1]->kind == SIR_LOCAL &&
           w->c->filter != NULL && w->c->filter->fields.data[base->index].constant;
}

static void undo_to(walk *w, size_t mark)
{
    for (; w->log.len > mark; w->log.len--)
        w->facts[VEC_LAST(&w->log).local] = VEC_LAST(&w->log).was;
}

// Forgets what a statement changes.
static void forget_changes_of(walk *w, sir_stmt *s)
{
    canon_changes x = canon_no_changes(w->c);
    canon_add_changes(w->c, &x, s);
    for (size_t i = 0; i < x.local_list.len; i++)
        forget(w, x.local_list.data[i]);
    canon_end_changes(&x);
}

static void assigned(walk *w, const sir_expr *target, const sir_expr *value)
{
    const sir_expr *root = sir_lvalue_root((sir_expr *)target);
    if (root->kind != SIR_LOCAL)
        return;
    bool whole = target->kind == SIR_LOCAL, useful = false;
    if (value != NULL && whole && sir_is_scalar(target->type))
        useful = value->kind == SIR_CONST || (value->kind == SIR_LOCAL && value->index != root->index) ||
                 (is_divisor(w, value) && value->u.arg[1]->index != root->index);
    learn(w, root->index, useful ? value : NULL);
}

// ---- Expressions ----

static void replace_index(walk *w, sir_expr *lvalue);

// Locals give way to what they are known to hold.
static sir_expr *replace(walk *w, sir_expr *e)
{
    if (e->kind == SIR_LOCAL) {
        const sir_expr *value = known(w, e->index);
        if (value == NULL)
            return e;
        sir_expr *copy = canon_copy(w->c, value);
        copy->loc = e->loc;
        return copy;
    }
    if (e->kind == SIR_INDEX ||
        (e->kind == SIR_MEMBER && sir_lvalue_root(e) != NULL && e->u.arg[0]->type->kind == SIR_STRUCT)) {
        replace_index(w, e);
        return e;
    }
    size_t arity = sir_expr_arity(e);
    for (size_t i = 0; i < arity; i++)
        e->u.arg[i] = replace(w, e->u.arg[i]);
    if (e->kind == SIR_BINARY && (e->op == LANG_OP_DIV || e->op == LANG_OP_REM) && e->u.arg[1]->kind == SIR_LOCAL &&
        held(w, e->u.arg[1]->index) != NULL)
        e->u.arg[1] = canon_copy(w->c, held(w, e->u.arg[1]->index));
    return e;
}

// Of an lvalue only the subscripts are values.
static void replace_index(walk *w, sir_expr *lvalue)
{
    for (; lvalue->kind == SIR_INDEX || lvalue->kind == SIR_MEMBER; lvalue = lvalue->u.arg[0])
        if (lvalue->kind == SIR_INDEX)
            lvalue->u.arg[1] = replace(w, lvalue->u.arg[1]);
}

static void fold_index(walk *w, sir_expr *lvalue)
{
    for (; lvalue->kind == SIR_INDEX || lvalue->kind == SIR_MEMBER; lvalue = lvalue->u.arg[0])
        if (lvalue->kind == SIR_INDEX)
            lvalue->u.arg[1] = canon_fold_sum(w->c, canon_fold(w->c, lvalue->u.arg[1]));
}

static sir_expr *value(walk *w, sir_expr *e)
{
    return e == NULL ? NULL : canon_fold(w->c, replace(w, e));
}

static void lvalue(walk *w, sir_expr *e)
{
    if (e == NULL)
        return;
    replace_index(w, e);
    fold_index(w, e);
}

// ---- Statements ----

static void push(walk *w, sir_block *out, sir_stmt *s)
{
    VEC_PUSH(w->c->m->arena, out, s);
}

static void push_all(walk *w, sir_block *out, const sir_block *b)
{
    for (size_t i = 0; i < b->len; i++)
        push(w, out, b->data[i]);
}

static void walk_decl(walk *w, sir_stmt *s)
{
    s->u.decl.init = value(w, s->u.decl.init);
    uint32_t local = s->u.decl.local;
    const sir_type *type = w->c->f->locals.data[local].type;
    const sir_expr *init = s->u.decl.init;
    if (init == NULL && sir_is_scalar(type) && !s->u.decl.uninitialised) {
        sir_scalar zero;
        memset(&zero, 0, sizeof zero);
        init = sir_const(w->c->m, type, zero, s->loc);
    }
    if (init != NULL &&
        (!sir_is_scalar(type) || (init->kind != SIR_CONST && init->kind != SIR_LOCAL && !is_divisor(w, init))))
        init = NULL;
    learn(w, local, init);
}

static void walk_call(walk *w, sir_stmt *s)
{
    const sir_function *f = s->u.call.function;
    for (size_t i = 0; i < s->u.call.args.len; i++) {
        sir_expr **arg = &s->u.call.args.data[i];
        if (f->locals.data[i].by_reference)
            lvalue(w, *arg);
        else
            *arg = value(w, *arg);
    }
    lvalue(w, s->u.call.target);
    forget_changes_of(w, s);
}

static void walk_if(walk *w, sir_stmt *s, sir_block *out)
{
    canon *c = w->c;
    s->u.if_.cond = value(w, s->u.if_.cond);
    sir_expr *cond = s->u.if_.cond;
    if (canon_is_const(cond)) {
        sir_block taken = walk_block(w, cond->u.value.i != 0 ? &s->u.if_.then : &s->u.if_.otherwise);
        push_all(w, out, &taken);
        return;
    }
    size_t mark = w->log.len;
    s->u.if_.then = walk_block(w, &s->u.if_.then);
    VEC(uint32_t) changed = {0};
    for (size_t i = mark; i < w->log.len; i++)
        VEC_PUSH(c->scratch, &changed, w->log.data[i].local);
    undo_to(w, mark);
    s->u.if_.otherwise = walk_block(w, &s->u.if_.otherwise);
    for (size_t i = mark; i < w->log.len; i++)
        VEC_PUSH(c->scratch, &changed, w->log.data[i].local);
    undo_to(w, mark);
    for (size_t i = 0; i < changed.len; i++)
        forget(w, changed.data[i]);
    bool then = s->u.if_.then.len > 0, otherwise = s->u.if_.otherwise.len > 0;
    if (!then && !otherwise && !canon_may_trap(c, cond))
        return;
    if (!then && otherwise) {
        s->u.if_.cond = canon_not(c, cond);
        s->u.if_.then = s->u.if_.otherwise;
        s->u.if_.otherwise = (sir_block){0};
    }
    push(w, out, s);
}

static void walk_for(walk *w, sir_stmt *s, sir_block *out)
{
    canon *c = w->c;
    sir_expr *lo = s->u.for_.lo = value(w, s->u.for_.lo), *hi = s->u.for_.hi = value(w, s->u.for_.hi);
    if (canon_is_const(lo) && canon_is_const(hi)) {
        int64_t a = lo->u.value.i, b = hi->u.value.i, step = s->u.for_.step;
        bool any = step > 0 ? a < b : a > b, second = step > 0 ? a + step < b : a + step > b;
        if (!any)
            return;
        if (!second) {
            sir_stmt *decl = canon_decl(c, s->u.for_.local, lo);
            walk_decl(w, decl);
            push(w, out, decl);
            sir_block once = walk_block(w, &s->u.for_.body);
            push_all(w, out, &once);
            return;
        }
    }
    forget_changes_of(w, s);
    size_t mark = w->log.len;
    s->u.for_.body = walk_block(w, &s->u.for_.body);
    undo_to(w, mark);
    if (s->u.for_.body.len > 0 || canon_may_trap(c, lo) || canon_may_trap(c, hi))
        push(w, out, s);
}

static void mark_declared(walk *w, const sir_block *b, bool declared)
{
    for (size_t i = 0; i < b->len; i++)
        if (b->data[i]->kind == SIR_DECL)
            w->declared[b->data[i]->u.decl.local] = declared;
}

// The parts of a loop see each other's assignments, but for 'pre' not each other's locals.
static sir_block walk_part(walk *w, const sir_block *b)
{
    size_t mark = w->log.len;
    sir_block part = walk_block(w, b);
    mark_declared(w, &part, true);
    for (size_t i = mark, end = w->log.len; i < end; i++) {
        const sir_expr *from = source(w->facts[w->log.data[i].local].value);
        if (from != NULL && w->declared[from->index])
            forget(w, w->log.data[i].local);
    }
    mark_declared(w, &part, false);
    return part;
}

static void walk_loop(walk *w, sir_stmt *s, sir_block *out)
{
    forget_changes_of(w, s);
    size_t mark = w->log.len;
    bool post = s->u.loop.post_test;
    if (post) {
        s->u.loop.body = walk_part(w, &s->u.loop.body);
        s->u.loop.step = walk_part(w, &s->u.loop.step);
    }
    s->u.loop.pre = walk_block(w, &s->u.loop.pre);
    s->u.loop.cond = value(w, s->u.loop.cond);
    const sir_expr *cond = s->u.loop.cond;
    bool never = cond != NULL && canon_is_const(cond) && cond->u.value.i == 0;
    if (cond != NULL && canon_is_const(cond) && cond->u.value.i != 0)
        s->u.loop.cond = NULL;
    if (!post && !never) {
        s->u.loop.body = walk_part(w, &s->u.loop.body);
        s->u.loop.step = walk_part(w, &s->u.loop.step);
    }
    undo_to(w, mark);
    if (!never) {
        push(w, out, s);
        return;
    }
    // What is done once is no loop.
    if (post) {
        push_all(w, out, &s->u.loop.body);
        push_all(w, out, &s->u.loop.step);
    }
    push_all(w, out, &s->u.loop.pre);
}

static void walk_stmt(walk *w, sir_stmt *s, sir_block *out)
{
    sir_parts p;
    switch ((sir_stmt_kind)s->kind) {
    case SIR_DECL: walk_decl(w, s); break;
    case SIR_SET:
        s->u.set.value = value(w, s->u.set.value);
        lvalue(w, s->u.set.target);
        if (sir_same_expr(s->u.set.target, s->u.set.value, false))
            return; // x = x
        assigned(w, s->u.set.target, s->u.set.value);
        break;
    case SIR_POP:
    case SIR_RANDOM:
        lvalue(w, s->u.set.target);
        if (s->u.set.target != NULL)
            assigned(w, s->u.set.target, NULL);
        break;
    case SIR_CALL: walk_call(w, s); break;
    case SIR_IF: walk_if(w, s, out); return;
    case SIR_FOR: walk_for(w, s, out); return;
    case SIR_LOOP: walk_loop(w, s, out); return;
    case SIR_BLOCK: {
        sir_block inner = walk_block(w, &s->u.block);
        push_all(w, out, &inner);
        return;
    }
    default:
        p = sir_stmt_parts(s);
        for (size_t i = 0; i < p.expr_count; i++)
            *p.expr[i] = value(w, *p.expr[i]);
        for (size_t i = 0; i < p.arg_count; i++)
            p.args[i] = value(w, p.args[i]);
        break;
    }
    push(w, out, s);
}

static sir_block walk_block(walk *w, const sir_block *b)
{
    sir_block out = {0};
    for (size_t i = 0; i < b->len; i++)
        walk_stmt(w, b->data[i], &out);
    return out;
}

void canon_propagate(canon *c)
{
    walk w = {.c = c};
    w.facts = ARENA_ARRAY(c->scratch, fact, c->f->locals.len);
    w.declared = ARENA_ARRAY(c->scratch, bool, c->f->locals.len + 1);
    c->f->body = walk_block(&w, &c->f->body);
}
