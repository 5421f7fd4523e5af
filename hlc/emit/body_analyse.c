// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What must be known of a function before its statements are written: where each local is declared, which are never read, and whether the
// position of every tape access is an affine form of loop variables.
#include <stdlib.h>

#include "hlc/emit/body_int.h"
#include "hlc/ir/walk.h"

// ---- Where locals live ----

// A block of the C text, with the statement of the enclosing block that contains it (NULL if that is not a plain statement).
typedef struct scope {
    struct scope *parent;
    const sir_stmt *holder;
    uint32_t depth;
} scope;

// The innermost block that holds every occurrence, and the first statement in it that has one.
typedef struct span {
    scope *block;
    const sir_stmt *first;
} span;

typedef struct local_use {
    span all, without_decl; // without_decl: declarations that only zero are left out
    uint32_t zero_decls, pops;
    uint32_t for_depth;  // inside a SIR_FOR that counts with this local
    const sir_stmt *pop; // the one pop into it
    scope *pop_block;
} local_use;

typedef struct analysis {
    body_context *c;
    local_use *uses;
} analysis;

static void span_add(span *s, scope *block, const sir_stmt *stmt)
{
    if (s->block == NULL) {
        *s = (span){block, stmt};
        return;
    }
    while (s->block->depth > block->depth)
        *s = (span){s->block->parent, s->block->holder};
    while (block->depth > s->block->depth)
        block = block->parent;
    while (s->block != block) {
        *s = (span){s->block->parent, s->block->holder};
        block = block->parent;
    }
}

static void occurs(analysis *a, uint32_t local, scope *block, const sir_stmt *stmt, bool zero_decl)
{
    local_use *u = &a->uses[local];
    if (u->for_depth > 0)
        return;
    span_add(&u->all, block, stmt);
    if (!zero_decl)
        span_add(&u->without_decl, block, stmt);
}

static void walk_expr(analysis *a, const sir_expr *e, scope *block, const sir_stmt *stmt)
{
    if (e == NULL)
        return;
    if (e->kind == SIR_LOCAL) {
        occurs(a, e->index, block, stmt, false);
        a->c->locals[e->index].reads++;
        return;
    }
    if (e->kind == SIR_PEEK)
        a->c->in.used = true;
    if (e->kind == SIR_CONST)
        return;
    for (size_t i = 0; i < sir_expr_arity(e); i++)
        walk_expr(a, e->u.arg[i], block, stmt);
}

// A whole local as target is written; any other target is an expression over what it touches.
static void walk_target(analysis *a, const sir_expr *e, scope *block, const sir_stmt *stmt)
{
    if (e == NULL)
        return;
    if (e->kind == SIR_LOCAL) {
        occurs(a, e->index, block, stmt, false);
        a->c->locals[e->index].writes++;
    } else {
        walk_expr(a, e, block, stmt);
    }
}

static void walk_block(analysis *a, const sir_block *b, scope *s);

static scope *scope_new(analysis *a, scope *parent, const sir_stmt *holder)
{
    scope *s = ARENA_NEW(a->c->e->arena, scope);
    *s = (scope){parent, holder, parent == NULL ? 0 : parent->depth + 1};
    return s;
}

static void walk_loop(analysis *a, const sir_stmt *s, scope *outer)
{
    scope *inside = scope_new(a, outer, s);
    bool plain_while = s->u.loop.pre.len == 0 && !s->u.loop.post_test;
    if (plain_while)
        walk_expr(a, s->u.loop.cond, outer, s);
    if (!s->u.loop.post_test)
        walk_block(a, &s->u.loop.pre, inside);
    if (!plain_while && !s->u.loop.post_test)
        walk_expr(a, s->u.loop.cond, inside, NULL);
    walk_block(a, &s->u.loop.body, plain_while ? inside : scope_new(a, inside, NULL));
    if (s->u.loop.post_test) {
        walk_block(a, &s->u.loop.pre, inside);
        walk_expr(a, s->u.loop.cond, inside, NULL);
    }
    walk_block(a, &s->u.loop.step, inside);
}

static void walk_for(analysis *a, const sir_stmt *s, scope *outer)
{
    walk_expr(a, s->u.for_.lo, outer, s);
    walk_expr(a, s->u.for_.hi, outer, s);
    a->uses[s->u.for_.local].for_depth++;
    walk_block(a, &s->u.for_.body, scope_new(a, outer, s));
    a->uses[s->u.for_.local].for_depth--;
}

static void walk_set(analysis *a, const sir_stmt *s, scope *block)
{
    const sir_expr *target = s->u.set.target, *value = s->u.set.value;
    body_local *l = target->kind == SIR_LOCAL ? &a->c->locals[target->index] : NULL;
    if (l != NULL && body_compound_operator(target, value) != NULL) {
        value = value->u.arg[1];
        l->reads++;
        l->updates++;
    }
    if (l == NULL || !l->dead || body_may_trap(a->c, value))
        walk_expr(a, value, block, s);
    walk_target(a, target, block, s);
}

static void walk_stmt(analysis *a, const sir_stmt *s, scope *block)
{
    switch ((sir_stmt_kind)s->kind) {
    case SIR_DECL:
        if (!a->c->locals[s->u.decl.local].dead || body_may_trap(a->c, s->u.decl.init))
            walk_expr(a, s->u.decl.init, block, s);
        occurs(a, s->u.decl.local, block, s, s->u.decl.init == NULL);
        a->c->locals[s->u.decl.local].init = s->u.decl.init;
        if (s->u.decl.init != NULL)
            a->c->locals[s->u.decl.local].writes++;
        else
            a->uses[s->u.decl.local].zero_decls++;
        break;
    case SIR_SET: walk_set(a, s, block); break;
    case SIR_POP:
    case SIR_RANDOM:
        walk_target(a, s->u.set.target, block, s);
        if (s->kind == SIR_POP && s->u.set.target != NULL && s->u.set.target->kind == SIR_LOCAL) {
            a->uses[s->u.set.target->index].pops++;
            a->uses[s->u.set.target->index].pop_block = block;
        } else if (s->kind == SIR_POP && s->u.set.target != NULL) {
            a->c->in.used = true;
        }
        break;
    case SIR_PUSH:
        a->c->out.used = true;
        walk_expr(a, s->u.value, block, s);
        break;
    case SIR_RETURN: walk_expr(a, s->u.value, block, s); break;
    case SIR_PRINT: walk_expr(a, s->u.print.value, block, s); break;
    case SIR_CALL:
        for (size_t i = 0; i < s->u.call.args.len; i++)
            walk_expr(a, s->u.call.args.data[i], block, s);
        walk_target(a, s->u.call.target, block, s);
        break;
    case SIR_IF:
        walk_expr(a, s->u.if_.cond, block, s);
        walk_block(a, &s->u.if_.then, scope_new(a, block, s));
        walk_block(a, &s->u.if_.otherwise, scope_new(a, block, s));
        break;
    case SIR_FOR: walk_for(a, s, block); break;
    case SIR_LOOP: walk_loop(a, s, block); break;
    case SIR_BLOCK: walk_block(a, &s->u.block, scope_new(a, block, s)); break;
    case SIR_SEND:
        for (size_t i = 0; i < s->u.send.args.len; i++)
            if (body_sends_argument(a->c, s, s->u.send.args.data[i]))
                walk_expr(a, s->u.send.args.data[i], block, s);
        if (a->c->e->messages != NULL && !s->u.send.best_effort)
            walk_expr(a, s->u.send.max, block, s);
        break;
    case SIR_BREAK:
    case SIR_CONTINUE: break;
    }
}

static void walk_block(analysis *a, const sir_block *b, scope *s)
{
    for (size_t i = 0; i < b->len; i++)
        walk_stmt(a, b->data[i], s);
}

static bool expr_reads(const sir_expr *e, uint32_t local)
{
    if (e == NULL || e->kind == SIR_CONST)
        return false;
    if (e->kind == SIR_LOCAL)
        return e->index == local;
    for (size_t i = 0; i < sir_expr_arity(e); i++)
        if (expr_reads(e->u.arg[i], local))
            return true;
    return false;
}

// Whether the statement gives the local its first value, so that a declaration can stand there.
static bool declares(const sir_stmt *s, uint32_t local)
{
    if (s == NULL)
        return false;
    const sir_expr *target = NULL;
    switch ((sir_stmt_kind)s->kind) {
    case SIR_DECL: return s->u.decl.local == local && !expr_reads(s->u.decl.init, local);
    case SIR_SET:
        target = s->u.set.target;
        if (expr_reads(s->u.set.value, local))
            return false;
        break;
    case SIR_POP:
    case SIR_RANDOM: target = s->u.set.target; break;
    case SIR_CALL:
        target = s->u.call.target;
        for (size_t i = 0; i < s->u.call.args.len; i++)
            if (expr_reads(s->u.call.args.data[i], local))
                return false;
        break;
    default: return false;
    }
    return target != NULL && target->kind == SIR_LOCAL && target->index == local;
}

// Locals that nothing reads but their own updates and what is computed for other such locals. True if another one was found.
static bool find_dead(analysis *a)
{
    bool found = false;
    for (uint32_t i = 0; i < a->c->function->locals.len; i++) {
        body_local *l = &a->c->locals[i];
        bool parameter = i < a->c->function->param_count;
        if (l->dead || l->reads > l->updates || (parameter && a->c->function->locals.data[i].by_reference))
            continue;
        if (parameter || a->uses[i].all.block != NULL) // else never there, or only as a loop variable
            found = l->dead = true;
    }
    return found;
}

static void place_locals(analysis *a)
{
    const sir_function *f = a->c->function;
    for (uint32_t i = f->param_count; i < f->locals.len; i++) {
        body_local *l = &a->c->locals[i];
        const local_use *u = &a->uses[i];
        if (u->all.block == NULL)
            continue; // never occurs, or only as a loop variable
        if (l->dead)
            continue;
        if (declares(u->without_decl.first, i))
            l->home = u->without_decl.first;
        else if (declares(u->all.first, i))
            l->home = u->all.first;
        else
            l->declared_on_top = true;
    }
}

// ---- Tapes ----

typedef struct tape_walk {
    const body_context *c;
    bool input;
    bool jumps; // a break or continue was met since this was last cleared
} tape_walk;

static bool block_net(tape_walk *w, const sir_block *b, int64_t *net);

static bool for_net(tape_walk *w, const sir_stmt *s, int64_t *net)
{
    int64_t body, trips;
    bool jumps_before = w->jumps;
    w->jumps = false;
    bool known = block_net(w, &s->u.for_.body, &body);
    bool jumps = w->jumps;
    w->jumps = jumps_before;
    if (!known)
        return false;
    *net = 0;
    if (body == 0)
        return true;
    if (jumps || !sir_for_trips(s, &trips) || body % s->u.for_.step != 0)
        return false;
    *net = body * trips;
    return true;
}

// Items moved by a statement when that is the same on every path; a general loop must move none.
static bool stmt_net(tape_walk *w, const sir_stmt *s, int64_t *net)
{
    int64_t a = 0, b = 0;
    *net = 0;
    switch ((sir_stmt_kind)s->kind) {
    case SIR_POP: *net = w->input; return true;
    case SIR_PUSH: *net = !w->input; return true;
    case SIR_CALL: return !body_calls_tape(w->c->e, s->u.call.function);
    case SIR_IF:
        if (!block_net(w, &s->u.if_.then, &a) || !block_net(w, &s->u.if_.otherwise, &b) || a != b)
            return false;
        *net = a;
        return true;
    case SIR_FOR: return for_net(w, s, net);
    case SIR_LOOP: {
        bool jumps = w->jumps;
        int64_t pre, body, step;
        bool none = block_net(w, &s->u.loop.pre, &pre) && block_net(w, &s->u.loop.body, &body) &&
                    block_net(w, &s->u.loop.step, &step) && pre == 0 && body == 0 && step == 0;
        w->jumps = jumps;
        return none;
    }
    case SIR_BLOCK: return block_net(w, &s->u.block, net);
    case SIR_BREAK:
    case SIR_CONTINUE: w->jumps = true; return true;
    default: return true;
    }
}

static bool block_net(tape_walk *w, const sir_block *b, int64_t *net)
{
    int64_t sum = 0, one;
    for (size_t i = 0; i < b->len; i++) {
        if (!stmt_net(w, b->data[i], &one))
            return false;
        sum += one;
    }
    *net = sum;
    return true;
}

bool body_block_net(const body_context *c, const sir_block *b, bool input, int64_t *net)
{
    tape_walk w = {c, input, false};
    return block_net(&w, b, net);
}

// Positions are affine forms where that is also the proof of the firing's rates: a pass may have made a loop countable
// whose trips are not what is declared, and then counters find it (NOTE(checks) in body_checks.c).
static void analyse_tapes(body_context *c)
{
    const sir_function *f = c->function;
    int64_t pops, pushes;
    bool firing = f->kind == SIR_WORK || f->kind == SIR_PREWORK;
    if (c->dynamic) // the dynamic-rate actor counts
        return;
    c->in.affine = firing && body_block_net(c, &f->body, true, &pops) && pops <= f->pop.max;
    c->out.affine = firing && body_block_net(c, &f->body, false, &pushes) && pushes == f->push.max;
}

// A popped item that is read once, in the block where it was popped or deeper, is read where it lies.
static void mark_forwarded(analysis *a)
{
    body_context *c = a->c;
    for (uint32_t i = c->function->param_count; i < c->function->locals.len; i++) {
        const local_use *u = &a->uses[i];
        body_local *l = &c->locals[i];
        if (u->pops == 1 && !l->dead)
            c->in.used = true;
        if (!c->e->keep_names && c->in.affine && u->pops == 1 && l->writes == 1 && l->reads == 1 &&
            u->pop_block == u->without_decl.block && c->function->locals.data[i].type->kind != SIR_ARRAY &&
            declares(u->without_decl.first, i))
            l->forward = "";
        else if (u->pops > 0 && !l->dead)
            c->in.used = true;
    }
}

void body_analyse(body_context *c)
{
    analysis a = {.c = c};
    analyse_tapes(c);
    body_find_checks(c);
    do {
        a.uses = ARENA_ARRAY(c->e->arena, local_use, c->function->locals.len);
        c->in.used = c->out.used = false;
        for (size_t i = 0; i < c->function->locals.len; i++)
            c->locals[i].reads = c->locals[i].writes = c->locals[i].updates = 0;
        walk_block(&a, &c->function->body, scope_new(&a, NULL, NULL));
    } while (!c->e->keep_names && find_dead(&a));
    place_locals(&a);
    mark_forwarded(&a);
}
