// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Walking bodies.
#include "hlc/ir/walk.h"

static void add_expr(sir_parts *p, sir_expr **e)
{
    if (*e != NULL)
        p->expr[p->expr_count++] = e;
}

static void add_block(sir_parts *p, sir_block *b)
{
    p->block[p->block_count++] = b;
}

static void set_target(sir_parts *p, sir_expr **e)
{
    if (*e != NULL)
        p->target = e;
}

// The arrays hold what is counted and nothing else: bodies are walked so often that clearing them would show.
static inline void find_parts(sir_stmt *s, sir_parts *p)
{
    p->expr_count = p->block_count = 0;
    p->args = NULL;
    p->arg_count = 0;
    p->target = NULL;
    switch ((sir_stmt_kind)s->kind) {
    case SIR_DECL: add_expr(p, &s->u.decl.init); break;
    case SIR_SET:
        add_expr(p, &s->u.set.value);
        set_target(p, &s->u.set.target);
        break;
    case SIR_POP:
    case SIR_RANDOM: set_target(p, &s->u.set.target); break;
    case SIR_PUSH:
    case SIR_RETURN: add_expr(p, &s->u.value); break;
    case SIR_PRINT: add_expr(p, &s->u.print.value); break;
    case SIR_CALL:
        p->args = s->u.call.args.data;
        p->arg_count = s->u.call.args.len;
        set_target(p, &s->u.call.target);
        break;
    case SIR_IF:
        add_expr(p, &s->u.if_.cond);
        add_block(p, &s->u.if_.then);
        add_block(p, &s->u.if_.otherwise);
        break;
    case SIR_FOR:
        add_expr(p, &s->u.for_.lo);
        add_expr(p, &s->u.for_.hi);
        add_block(p, &s->u.for_.body);
        break;
    case SIR_LOOP:
        add_expr(p, &s->u.loop.cond);
        if (!s->u.loop.post_test)
            add_block(p, &s->u.loop.pre);
        add_block(p, &s->u.loop.body);
        add_block(p, &s->u.loop.step);
        if (s->u.loop.post_test)
            add_block(p, &s->u.loop.pre);
        break;
    case SIR_BLOCK: add_block(p, &s->u.block); break;
    case SIR_SEND:
        p->args = s->u.send.args.data;
        p->arg_count = s->u.send.args.len;
        add_expr(p, &s->u.send.min);
        add_expr(p, &s->u.send.max);
        break;
    case SIR_BREAK:
    case SIR_CONTINUE: break;
    }
}

sir_parts sir_stmt_parts(sir_stmt *s)
{
    sir_parts p;
    find_parts(s, &p);
    return p;
}

void sir_visit_tree(sir_expr *e, bool written, sir_expr_visitor *visit, void *context)
{
    if (e == NULL)
        return;
    visit(context, e, written);
    size_t arity = sir_expr_arity(e);
    for (size_t i = 0; i < arity; i++)
        sir_visit_tree(e->u.arg[i], false, visit, context);
}

void sir_visit_exprs(sir_stmt *s, sir_expr_visitor *visit, void *context)
{
    sir_parts p;
    find_parts(s, &p);
    for (size_t i = 0; i < p.expr_count; i++)
        sir_visit_tree(*p.expr[i], false, visit, context);
    for (size_t i = 0; i < p.arg_count; i++)
        sir_visit_tree(p.args[i], false, visit, context);
    if (p.target != NULL)
        sir_visit_tree(*p.target, true, visit, context);
}

void sir_visit_stmts(const sir_block *b, sir_stmt_visitor *visit, void *context)
{
    for (size_t i = 0; i < b->len; i++) {
        if (b->data[i] == NULL)
            continue;
        visit(context, b->data[i]);
        sir_parts p;
        find_parts(b->data[i], &p);
        for (size_t k = 0; k < p.block_count; k++)
            sir_visit_stmts(p.block[k], visit, context);
    }
}

bool sir_for_trips(const sir_stmt *s, int64_t *trips)
{
    if (s->kind != SIR_FOR || s->u.for_.lo->kind != SIR_CONST || s->u.for_.hi->kind != SIR_CONST)
        return false;
    int64_t lo = s->u.for_.lo->u.value.i, hi = s->u.for_.hi->u.value.i, step = s->u.for_.step;
    int64_t distance = step > 0 ? hi - lo : lo - hi, size = step > 0 ? step : -step;
    *trips = distance <= 0 ? 0 : (distance + size - 1) / size;
    return true;
}

// ---- Equal trees ----

bool sir_same_loc(sir_loc a, sir_loc b)
{
    return a.file == b.file && a.line == b.line && a.column == b.column && a.end == b.end;
}

bool sir_same_scalar(const sir_type *t, sir_scalar a, sir_scalar b)
{
    switch (t->kind) {
    case SIR_FLOAT: return memcmp(&a.f, &b.f, sizeof a.f) == 0;
    case SIR_DOUBLE: return memcmp(&a.d, &b.d, sizeof a.d) == 0;
    case SIR_COMPLEX: return memcmp(&a.c, &b.c, sizeof a.c) == 0;
    default: return a.i == b.i;
    }
}

bool sir_same_expr(const sir_expr *a, const sir_expr *b, bool places)
{
    if (a == NULL || b == NULL)
        return a == b;
    if (a->kind != b->kind || a->op != b->op || a->index != b->index || a->type != b->type)
        return false;
    if (places && !sir_same_loc(a->loc, b->loc))
        return false;
    if (a->kind == SIR_CONST)
        return sir_same_scalar(a->type, a->u.value, b->u.value);
    size_t arity = sir_expr_arity(a);
    for (size_t i = 0; i < arity; i++)
        if (!sir_same_expr(a->u.arg[i], b->u.arg[i], places))
            return false;
    return true;
}

bool sir_may_divide_by_zero(const sir_expr *e)
{
    const bool ints = e->type->kind == SIR_INT || e->type->kind == SIR_BIT;
    return e->kind == SIR_BINARY && ints && (e->op == LANG_OP_DIV || e->op == LANG_OP_REM) &&
           (e->u.arg[1]->kind != SIR_CONST || e->u.arg[1]->u.value.i == 0);
}

sir_expr *sir_lvalue_root(sir_expr *e)
{
    while (e != NULL && (e->kind == SIR_INDEX || e->kind == SIR_MEMBER))
        e = e->u.arg[0];
    if (e == NULL)
        return NULL;
    return e->kind == SIR_LOCAL || e->kind == SIR_FIELD || e->kind == SIR_GLOBAL ? e : NULL;
}

const sir_value *sir_constant_value(const sir_module *m, const sir_filter *f, const sir_expr *root)
{
    if (root != NULL && root->kind == SIR_GLOBAL)
        return &m->globals.data[root->index].value;
    return root != NULL && root->kind == SIR_FIELD && f->fields.data[root->index].constant
               ? &f->fields.data[root->index].init
               : NULL;
}

sir_expr *sir_assigned_root(sir_stmt *s)
{
    const sir_parts parts = sir_stmt_parts(s);
    return parts.target == NULL ? NULL : sir_lvalue_root(*parts.target);
}

typedef struct set_finder {
    uint32_t local;
    bool found;
} set_finder;

static void find_set(void *context, sir_stmt *s)
{
    set_finder *f = context;
    const sir_expr *root = sir_assigned_root(s);
    f->found |= root != NULL && root->kind == SIR_LOCAL && root->index == f->local;
    f->found |= s->kind == SIR_DECL && s->u.decl.local == f->local;
}

bool sir_sets_local(const sir_block *b, uint32_t local)
{
    set_finder f = {.local = local};
    sir_visit_stmts(b, find_set, &f);
    return f.found;
}

static void note_declared(void *context, sir_stmt *s)
{
    bool *declared = context;
    if (s->kind == SIR_DECL)
        declared[s->u.decl.local] = true;
    if (s->kind == SIR_FOR)
        declared[s->u.for_.local] = true;
}

void sir_declared_locals(const sir_block *b, bool *declared)
{
    sir_visit_stmts(b, note_declared, declared);
}

static void note_value(void *context, sir_stmt *s)
{
    sir_expr **values = context;
    if (s->kind == SIR_DECL && s->u.decl.init != NULL)
        values[s->u.decl.local] = s->u.decl.init;
}

static void drop_value(void *context, sir_stmt *s)
{
    sir_expr **values = context;
    const sir_expr *root = sir_assigned_root(s);
    if (root != NULL && root->kind == SIR_LOCAL)
        values[root->index] = NULL;
}

void sir_declared_values(const sir_block *b, sir_expr **values)
{
    sir_visit_stmts(b, note_value, values);
    sir_visit_stmts(b, drop_value, values);
}

typedef struct name_counter {
    sir_expr_kind kind;
    uint32_t index;
    size_t found;
} name_counter;

static void count_name(void *context, sir_expr *e, bool written)
{
    name_counter *n = context;
    (void)written;
    n->found += e->kind == n->kind && e->index == n->index;
}

static void count_names(void *context, sir_stmt *s)
{
    sir_visit_exprs(s, count_name, context);
}

static void count_node(void *context, sir_expr *e, bool written)
{
    (void)e, (void)written;
    ++*(size_t *)context;
}

static void count_nodes(void *context, sir_stmt *s)
{
    sir_visit_exprs(s, count_node, context);
}

size_t sir_count_nodes_in(const sir_expr *e)
{
    size_t n = 1;
    for (size_t i = 0; i < sir_expr_arity(e); i++)
        n += e->u.arg[i] == NULL ? 0 : sir_count_nodes_in(e->u.arg[i]);
    return n;
}

size_t sir_count_nodes(const sir_block *b)
{
    size_t nodes = 0;
    sir_visit_stmts(b, count_nodes, &nodes);
    return nodes;
}

size_t sir_count_field(const sir_block *b, uint32_t field)
{
    name_counter n = {SIR_FIELD, field, 0};
    sir_visit_stmts(b, count_names, &n);
    return n.found;
}

size_t sir_count_local(const sir_block *b, uint32_t local)
{
    name_counter n = {SIR_LOCAL, local, 0};
    sir_visit_stmts(b, count_names, &n);
    return n.found;
}

size_t sir_count_local_in(sir_expr *e, uint32_t local)
{
    name_counter n = {SIR_LOCAL, local, 0};
    sir_visit_tree(e, false, count_name, &n);
    return n.found;
}

size_t sir_count_local_of(sir_stmt *s, uint32_t local)
{
    return sir_count_local(&(sir_block){.data = &s, .len = 1}, local);
}

static void name_local(void *context, sir_expr *e, bool written)
{
    uint64_t *named = context;
    (void)written;
    if (e->kind == SIR_LOCAL)
        *named |= UINT64_C(1) << e->index % 64;
}

static void name_locals(void *context, sir_stmt *s)
{
    sir_visit_exprs(s, name_local, context);
}

uint64_t sir_locals_named(sir_stmt *s)
{
    uint64_t named = 0;
    sir_visit_stmts(&(sir_block){.data = &s, .len = 1}, name_locals, &named);
    return named;
}
