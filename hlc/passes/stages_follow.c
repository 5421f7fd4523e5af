// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Firings of filters without state, executed on items that stand for themselves.
#include <string.h>

#include "hlc/ir/walk.h"
#include "hlc/passes/stages_int.h"

typedef struct follower {
    arena *a;
    const sir_module *m;
    const sir_filter *filter;
    stage_nodes *nodes;
    const stage_cell *given;
    stage_cells *out;
    stage_cell **locals; // per local, its scalars; NULL: it is not alive
    int64_t popped, *steps;
    bool fails;
} follower;

static stage_cell fail(follower *x)
{
    x->fails = true;
    return (stage_cell){.known = true};
}

static stage_cell known(sir_scalar v)
{
    return (stage_cell){.known = true, .value = v};
}

static uint32_t add_item(arena *a, stage_nodes *nodes, const sir_type *t, int64_t item)
{
    uint32_t own = (uint32_t)nodes->len;
    VEC_PUSH(a, nodes, ((stage_node){.kind = SIR_PEEK, .type = t, .item = item, .group = own}));
    return own;
}

stage_cells stage_items(stage_joint *j)
{
    stage_cells in = {0};
    for (int64_t i = 0; i < j->pop; i++)
        VEC_PUSH(j->x->a, &in, ((stage_cell){.node = add_item(j->x->a, &j->nodes, j->input, i)}));
    return in;
}

static uint32_t root_of(stage_nodes *nodes, uint32_t group)
{
    while (nodes->data[group].group != group) // halves the way for the next one
        group = nodes->data[group].group = nodes->data[nodes->data[group].group].group;
    return group;
}

// What a cell is as an argument.
static uint32_t node_of(follower *x, stage_cell c, const sir_type *t)
{
    if (!c.known)
        return c.node;
    VEC_PUSH(x->a, x->nodes, ((stage_node){.kind = SIR_CONST, .type = t, .value = c.value, .group = SIR_NONE}));
    return (uint32_t)x->nodes->len - 1;
}

// An operation on cells of these types.
static stage_cell add_operation(follower *x, stage_node n, const stage_cell *cells, const sir_type *const *types)
{
    n.group = SIR_NONE;
    for (uint8_t i = 0; i < n.arity; i++) {
        n.arg[i] = node_of(x, cells[i], types[i]);
        uint32_t group = x->nodes->data[n.arg[i]].group;
        if (group == SIR_NONE)
            continue;
        group = root_of(x->nodes, group);
        if (n.group == SIR_NONE)
            n.group = group;
        else
            x->nodes->data[group].group = n.group;
    }
    VEC_PUSH(x->a, x->nodes, n);
    return (stage_cell){.node = (uint32_t)x->nodes->len - 1};
}

static stage_cell operation(follower *x, const sir_expr *e, const stage_cell *cells)
{
    stage_node n = {.kind = (sir_expr_kind)e->kind, .op = e->op, .type = e->type, .arity = (uint8_t)sir_expr_arity(e)};
    const sir_type *types[3] = {0};
    for (uint8_t i = 0; i < n.arity; i++)
        types[i] = e->u.arg[i]->type;
    return add_operation(x, n, cells, types);
}

static stage_cell negation(follower *x, stage_cell c)
{
    const sir_type *t = x->m->scalar[SIR_BOOLEAN];
    return add_operation(x, (stage_node){.kind = SIR_UNARY, .op = LANG_OP_NOT, .type = t, .arity = 1}, &c, &t);
}

static bool is_same(stage_cell a, stage_cell b)
{
    if (a.known != b.known)
        return false;
    return a.known ? memcmp(&a.value, &b.value, sizeof a.value) == 0 : a.node == b.node;
}

// a where the condition, which is not known, holds, else b.
static stage_cell choice(follower *x, stage_cell cond, stage_cell a, stage_cell b, const sir_type *t)
{
    if (is_same(a, b))
        return a;
    const stage_node *n = &x->nodes->data[cond.node];
    if (n->kind == SIR_UNARY && n->op == LANG_OP_NOT)
        return choice(x, (stage_cell){.node = n->arg[0]}, b, a, t);
    const stage_cell cells[3] = {cond, a, b};
    const sir_type *const types[3] = {x->m->scalar[SIR_BOOLEAN], t, t};
    return add_operation(x, (stage_node){.kind = SIR_SELECT, .type = t, .arity = 3}, cells, types);
}

static stage_cell eval(follower *x, const sir_expr *e);

// ---- Places ----

// How many scalars behind the beginning of its root an lvalue is; -1: that is not known, or outside.
static int64_t offset_of(follower *x, const sir_expr *e)
{
    if (e->kind != SIR_INDEX)
        return e->kind == SIR_MEMBER ? -1 : 0;
    const sir_type *base = e->u.arg[0]->type;
    int64_t at = offset_of(x, e->u.arg[0]);
    stage_cell i = eval(x, e->u.arg[1]);
    bool inside = at >= 0 && !x->fails && i.known && i.value.i >= 0 && (uint32_t)i.value.i < base->length;
    return inside ? at + (int64_t)base->element->words * i.value.i : -1;
}

static stage_cell *cells_of(follower *x, const sir_expr *e)
{
    const sir_expr *root = sir_lvalue_root((sir_expr *)(uintptr_t)e);
    int64_t at = root != NULL && root->kind == SIR_LOCAL ? offset_of(x, e) : -1;
    return at < 0 || x->locals[root->index] == NULL ? NULL : x->locals[root->index] + at;
}

static void load(follower *x, const sir_expr *e, stage_cell *to)
{
    const sir_expr *root = sir_lvalue_root((sir_expr *)(uintptr_t)e);
    const stage_cell *from = root != NULL && root->kind == SIR_LOCAL ? cells_of(x, e) : NULL;
    *x->steps -= (int64_t)e->type->words;
    if (from != NULL) {
        memmove(to, from, e->type->words * sizeof *to);
        return;
    }
    const sir_value *v = sir_constant_value(x->m, x->filter, root);
    int64_t at = v != NULL ? offset_of(x, e) : -1;
    if (at < 0) {
        x->fails = true;
        return;
    }
    for (size_t i = 0; i < e->type->words; i++)
        to[i] = known(v->zero ? (sir_scalar){0} : v->data[(size_t)at + i]);
}

// ---- Expressions ----

static stage_cell eval_binary(follower *x, const sir_expr *e)
{
    const sir_type *t = e->u.arg[0]->type;
    stage_cell c[2] = {eval(x, e->u.arg[0])}, r = {.known = true};
    bool lazy = e->op == LANG_OP_LAND || e->op == LANG_OP_LOR;
    if (x->fails)
        return fail(x);
    if (lazy && c[0].known)
        return (c[0].value.i != 0) == (e->op == LANG_OP_LOR) ? c[0] : eval(x, e->u.arg[1]);
    c[1] = eval(x, e->u.arg[1]);
    if (x->fails)
        return fail(x);
    if (lazy && c[1].known)
        return (c[1].value.i != 0) == (e->op == LANG_OP_LOR) ? c[1] : c[0];
    if (c[0].known && c[1].known)
        return sir_eval_binary((lang_binary_op)e->op, t, c[0].value, c[1].value, &r.value) ? r : fail(x);
    bool equals = t->kind == SIR_BOOLEAN && (e->op == LANG_OP_EQ || e->op == LANG_OP_NE);
    if (equals && (c[0].known || c[1].known))
        return (c[c[0].known ? 0 : 1].value.i != 0) == (e->op == LANG_OP_EQ) ? c[c[0].known]
                                                                             : negation(x, c[c[0].known]);
    bool divides = (e->op == LANG_OP_DIV || e->op == LANG_OP_REM) && t->kind != SIR_FLOAT;
    return divides ? fail(x) : operation(x, e, c);
}

static stage_cell eval_select(follower *x, const sir_expr *e)
{
    stage_cell c[3] = {eval(x, e->u.arg[0])};
    if (x->fails)
        return fail(x);
    if (c[0].known)
        return eval(x, e->u.arg[c[0].value.i != 0 ? 1 : 2]);
    c[1] = eval(x, e->u.arg[1]);
    c[2] = eval(x, e->u.arg[2]);
    return x->fails ? fail(x) : choice(x, c[0], c[1], c[2], e->type);
}

static stage_cell eval_plain(follower *x, const sir_expr *e)
{
    const sir_type *t = e->u.arg[0]->type;
    stage_cell c[2] = {{.known = true}, {.known = true}}, r = {.known = true};
    size_t arity = sir_expr_arity(e);
    for (size_t i = 0; i < arity && i < 2; i++)
        c[i] = eval(x, e->u.arg[i]);
    if (x->fails || arity > 2)
        return fail(x);
    if (!c[0].known || !c[1].known)
        return operation(x, e, c);
    if (e->kind == SIR_CONVERT)
        return known(sir_eval_convert(t, e->type, c[0].value));
    bool fine = e->kind == SIR_UNARY ? sir_eval_unary((lang_unary_op)e->op, t, c[0].value, &r.value)
                                     : sir_eval_math((lang_math_op)e->op, t, c[0].value, c[1].value, &r.value);
    return fine ? r : fail(x);
}

static stage_cell item_at(follower *x, int64_t at)
{
    return at < 0 || at >= x->filter->work->pop.max ? fail(x) : x->given[at];
}

static stage_cell eval(follower *x, const sir_expr *e)
{
    stage_cell c = {.known = true};
    if (--*x->steps < 0 || x->fails || e->type->words != 1)
        return fail(x);
    switch ((sir_expr_kind)e->kind) {
    case SIR_CONST: return known(e->u.value);
    case SIR_LOCAL:
    case SIR_FIELD:
    case SIR_GLOBAL:
    case SIR_INDEX: load(x, e, &c); return c;
    case SIR_UNARY:
    case SIR_CONVERT:
    case SIR_MATH: return eval_plain(x, e);
    case SIR_BINARY: return eval_binary(x, e);
    case SIR_SELECT: return eval_select(x, e);
    case SIR_PEEK: c = eval(x, e->u.arg[0]); return x->fails || !c.known ? fail(x) : item_at(x, x->popped + c.value.i);
    case SIR_MEMBER:
    case SIR_ITER:
    case SIR_MAKE_COMPLEX:
    case SIR_FETCH: break;
    }
    return fail(x);
}

// ---- Statements ----

static void run_block(follower *x, const sir_block *b);

static void set(follower *x, const sir_expr *target, stage_cell c)
{
    stage_cell *to = x->fails ? NULL : cells_of(x, target);
    if (to == NULL)
        x->fails = true;
    else
        *to = c;
}

static void declare(follower *x, const sir_stmt *s)
{
    const sir_type *t = x->filter->work->locals.data[s->u.decl.local].type;
    *x->steps -= (int64_t)t->words;
    if (*x->steps < 0) {
        x->fails = true;
        return;
    }
    stage_cell *cells = ARENA_ARRAY(x->a, stage_cell, (size_t)t->words + 1);
    for (size_t i = 0; i < t->words; i++)
        cells[i] = known((sir_scalar){0});
    if (s->u.decl.init != NULL && t->words == 1)
        cells[0] = eval(x, s->u.decl.init);
    else if (s->u.decl.init != NULL)
        load(x, s->u.decl.init, cells);
    x->locals[s->u.decl.local] = cells;
}

// Copies of all locals.
static stage_cell **copy_locals(follower *x)
{
    const sir_function *f = x->filter->work;
    stage_cell **copy = ARENA_ARRAY(x->a, stage_cell *, f->locals.len + 1);
    for (size_t i = 0; i < f->locals.len && !x->fails; i++) {
        size_t words = f->locals.data[i].type->words;
        if (x->locals[i] == NULL)
            continue;
        x->fails |= (*x->steps -= (int64_t)words) < 0;
        copy[i] = ARENA_ARRAY(x->a, stage_cell, words + 1);
        memcpy(copy[i], x->locals[i], words * sizeof **copy);
    }
    return copy;
}

// Makes the locals of before what they are in one case or the other.
static void choose_locals(follower *x, stage_cell cond, stage_cell **before, stage_cell *const *then,
                          stage_cell *const *otherwise)
{
    const sir_function *f = x->filter->work;
    for (size_t i = 0; i < f->locals.len; i++) {
        const sir_type *whole = f->locals.data[i].type, *t = whole;
        while (t->kind == SIR_ARRAY)
            t = t->element;
        for (size_t k = 0; before[i] != NULL && k < whole->words; k++) {
            x->fails |= t->words != 1 && !is_same(then[i][k], otherwise[i][k]);
            before[i][k] = choice(x, cond, then[i][k], otherwise[i][k], t);
        }
    }
}

// Both cases of what items decide: nothing that is followed may stop a program.
static void run_both(follower *x, stage_cell cond, const sir_stmt *s)
{
    stage_cell **before = x->locals, **then = copy_locals(x), **otherwise = copy_locals(x);
    const size_t from = x->out->len;
    const int64_t popped = x->popped;
    x->locals = then;
    if (!x->fails)
        run_block(x, &s->u.if_.then);
    const size_t pushed = x->out->len - from;
    stage_cell *items = ARENA_ARRAY(x->a, stage_cell, pushed + 1);
    memcpy(items, x->out->data + from, pushed * sizeof *items);
    const int64_t taken = x->popped;
    x->out->len = from;
    x->popped = popped;
    x->locals = otherwise;
    if (!x->fails)
        run_block(x, &s->u.if_.otherwise);
    x->fails |= x->popped != taken || x->out->len - from != pushed;
    x->locals = before;
    if (x->fails)
        return;
    choose_locals(x, cond, before, then, otherwise);
    for (size_t i = 0; i < pushed; i++)
        x->out->data[from + i] = choice(x, cond, items[i], x->out->data[from + i], x->filter->output);
}

static void run_for(follower *x, const sir_stmt *s)
{
    stage_cell lo = eval(x, s->u.for_.lo), hi = eval(x, s->u.for_.hi), *counter = ARENA_ARRAY(x->a, stage_cell, 1);
    int64_t step = s->u.for_.step;
    x->fails |= !lo.known || !hi.known || step == 0;
    x->locals[s->u.for_.local] = counter;
    for (int64_t i = lo.value.i; !x->fails && (step > 0 ? i < hi.value.i : i > hi.value.i); i += step) {
        *counter = known((sir_scalar){.i = (int32_t)i});
        run_block(x, &s->u.for_.body);
        x->fails |= --*x->steps < 0;
    }
}

static void run_stmt(follower *x, const sir_stmt *s)
{
    stage_cell c;
    switch ((sir_stmt_kind)s->kind) {
    case SIR_DECL: declare(x, s); return;
    case SIR_SET:
        c = eval(x, s->u.set.value);
        set(x, s->u.set.target, c);
        return;
    case SIR_POP:
        c = item_at(x, x->popped++);
        if (s->u.set.target != NULL)
            set(x, s->u.set.target, c);
        return;
    case SIR_PUSH:
        c = eval(x, s->u.value);
        VEC_PUSH(x->a, x->out, c);
        return;
    case SIR_IF:
        c = eval(x, s->u.if_.cond);
        if (!x->fails && !c.known)
            run_both(x, c, s);
        else if (!x->fails)
            run_block(x, c.value.i != 0 ? &s->u.if_.then : &s->u.if_.otherwise);
        return;
    case SIR_FOR: run_for(x, s); return;
    case SIR_BLOCK: run_block(x, &s->u.block); return;
    case SIR_PRINT:
    case SIR_CALL:
    case SIR_RANDOM:
    case SIR_LOOP:
    case SIR_BREAK:
    case SIR_CONTINUE:
    case SIR_RETURN:
    case SIR_SEND: break;
    }
    x->fails = true;
}

static void run_block(follower *x, const sir_block *b)
{
    for (size_t i = 0; i < b->len && !x->fails; i++) {
        x->fails |= --*x->steps < 0;
        if (!x->fails)
            run_stmt(x, b->data[i]);
    }
}

bool stage_follow(arena *a, const sir_module *m, const sir_filter *f, stage_nodes *nodes, const stage_cell *given,
                  stage_cells *out, int64_t *steps)
{
    size_t pushed = out->len;
    follower x = {.a = a, .m = m, .filter = f, .nodes = nodes, .given = given, .out = out, .steps = steps};
    x.locals = ARENA_ARRAY(a, stage_cell *, f->work->locals.len + 1);
    run_block(&x, &f->work->body);
    return !x.fails && x.popped == f->work->pop.max && (int64_t)(out->len - pushed) == f->work->push.max;
}
