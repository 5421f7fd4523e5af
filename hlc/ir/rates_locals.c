// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Abstract execution: which locals it has to follow. Most decide nothing.
#include "hlc/ir/rates_int.h"
#include "hlc/ir/walk.h"

// "to" gets a value that depends on "from".
typedef struct edge {
    uint32_t from;
    size_t next; // of the same "to"; 0: none
} edge;

typedef struct chooser {
    rates_run *r;
    VEC(edge) edges;    // the first is none
    size_t *first;      // by local
    VEC(uint32_t) open; // chosen, their sources not yet
    uint32_t target;    // of the statement at hand; SIR_NONE: what is read decides something
} chooser;

static void choose(chooser *c, uint32_t local)
{
    if (c->r->slot[local] != SIR_NONE)
        return;
    c->r->slot[local] = (uint32_t)c->r->slots++;
    VEC_PUSH(c->r->scratch, &c->open, local);
}

static void note(void *context, sir_expr *e, bool written)
{
    (void)written;
    chooser *c = context;
    if (e->kind != SIR_LOCAL)
        return;
    if (c->target == SIR_NONE) {
        choose(c, e->index);
        return;
    }
    size_t number = c->edges.len;
    VEC_PUSH(c->r->scratch, &c->edges, (edge){.from = e->index, .next = c->first[c->target]});
    c->first[c->target] = number;
}

static void note_deciding(void *context, sir_expr *e, bool written)
{
    (void)written;
    chooser *c = context;
    bool first = e->kind == SIR_PEEK || e->kind == SIR_SELECT ||
                 (e->kind == SIR_BINARY && (e->op == LANG_OP_LAND || e->op == LANG_OP_LOR));
    c->target = SIR_NONE;
    if (first)
        sir_visit_tree(e->u.arg[0], false, note, c);
    if (e->kind == SIR_INDEX)
        sir_visit_tree(e->u.arg[1], false, note, c);
}

static void note_stmt(void *context, sir_stmt *s)
{
    chooser *c = context;
    sir_visit_exprs(s, note_deciding, c);
    c->target = SIR_NONE;
    if (s->kind == SIR_DECL)
        c->target = s->u.decl.local;
    else if (s->kind == SIR_SET && s->u.set.target->kind == SIR_LOCAL)
        c->target = s->u.set.target->index;
    else if (s->kind != SIR_IF && s->kind != SIR_LOOP && s->kind != SIR_FOR)
        return;
    sir_parts p = sir_stmt_parts(s);
    for (size_t i = 0; i < p.expr_count; i++)
        sir_visit_tree(*p.expr[i], false, note, c);
    if (s->kind == SIR_FOR)
        choose(c, s->u.for_.local);
}

void rates_choose_locals(rates_run *r)
{
    size_t count = r->function->locals.len;
    chooser c = {.r = r};
    r->slot = ARENA_ARRAY(r->scratch, uint32_t, count);
    for (size_t i = 0; i < count; i++)
        r->slot[i] = SIR_NONE;
    c.first = ARENA_ARRAY(r->scratch, size_t, count);
    VEC_PUSH(r->scratch, &c.edges, (edge){0});
    sir_visit_stmts(&r->function->body, note_stmt, &c);
    while (c.open.len > 0) {
        uint32_t local = VEC_LAST(&c.open);
        c.open.len--;
        for (size_t e = c.first[local]; e != 0; e = c.edges.data[e].next)
            choose(&c, c.edges.data[e].from);
    }
    r->slot_is_int = ARENA_ARRAY(r->scratch, bool, r->slots);
    for (size_t i = 0; i < count; i++)
        if (r->slot[i] != SIR_NONE)
            r->slot_is_int[r->slot[i]] =
                r->function->locals.data[i].type->kind == SIR_INT || r->function->locals.data[i].type->kind == SIR_BIT;
}
