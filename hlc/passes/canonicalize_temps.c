// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Canonicalize: temporaries that are used once go back into the expression that uses them, where nothing between can
// change their value; declarations come down to the first statement that speaks of them.
#include <string.h>

#include "hlc/ir/type_rules.h"
#include "hlc/ir/walk.h"
#include "hlc/passes/canonicalize_int.h"

// How far a use may be from a declaration, and how large an expression may grow; for the reader's sake, and to be
// linear.
enum { WINDOW = 64, MOST_NODES = 48 };

typedef struct usage {
    uint32_t reads, writes;
    bool bounds_loop; // one of the reads is the first value of a counted loop, and is all of it
} usage;

typedef struct placing {
    canon *c;
    usage *uses; // by local
    const sir_expr *root;
} placing;

// ---- Counting ----

static void count_expr(void *context, sir_expr *e, bool written)
{
    (void)written;
    placing *p = context;
    if (e->kind != SIR_LOCAL)
        return;
    if (e == p->root)
        p->uses[e->index].writes++;
    else
        p->uses[e->index].reads++;
}

static void count_stmt(void *context, sir_stmt *s)
{
    placing *p = context;
    sir_parts parts = sir_stmt_parts(s);
    p->root = parts.target == NULL ? NULL : sir_lvalue_root(*parts.target);
    sir_visit_exprs(s, count_expr, p);
    if (s->kind == SIR_DECL)
        p->uses[s->u.decl.local].writes++;
    if (s->kind == SIR_FOR) {
        p->uses[s->u.for_.local].writes++;
        if (s->u.for_.lo->kind == SIR_LOCAL)
            p->uses[s->u.for_.lo->index].bounds_loop = true;
    }
    if (s->kind == SIR_CALL)
        for (size_t i = 0; i < s->u.call.args.len; i++) {
            const sir_expr *root = sir_lvalue_root(s->u.call.args.data[i]);
            if (s->u.call.function->locals.data[i].by_reference && root->kind == SIR_LOCAL)
                p->uses[root->index].writes++;
        }
}

// ---- Uses ----

typedef struct found_use {
    sir_expr *node;   // the read itself
    bool conditional; // not always evaluated
} found_use;

static void find_use(sir_expr *e, uint32_t local, bool conditional, found_use *use)
{
    if (canon_is_local(e, local)) {
        use->node = e;
        use->conditional = conditional;
        return;
    }
    bool short_circuit =
        e->kind == SIR_SELECT || (e->kind == SIR_BINARY && (e->op == LANG_OP_LAND || e->op == LANG_OP_LOR));
    size_t arity = sir_expr_arity(e);
    for (size_t i = 0; i < arity && use->node == NULL; i++)
        find_use(e->u.arg[i], local, conditional || (short_circuit && i > 0), use);
}

// The read of a local in the expressions that a statement evaluates once, at its begin; and the nodes of these.
static found_use find_in_stmt(sir_stmt *s, uint32_t local, size_t *nodes)
{
    found_use use = {0};
    *nodes = 0;
    if (s->kind == SIR_LOOP)
        return use;
    sir_parts p = sir_stmt_parts(s);
    sir_expr *exprs[SIR_PARTS_EXPRS + 1];
    size_t count = 0;
    for (size_t i = 0; i < p.expr_count; i++)
        exprs[count++] = *p.expr[i];
    if (p.target != NULL)
        exprs[count++] = *p.target;
    for (size_t i = 0; i < count + p.arg_count && use.node == NULL; i++) {
        sir_expr *e = i < count ? exprs[i] : p.args[i - count];
        find_use(e, local, false, &use);
        if (use.node != NULL)
            *nodes = sir_count_nodes_in(e);
    }
    return use;
}

// ---- Placing ----

static bool is_placeable(const placing *p, const sir_stmt *s)
{
    if (s->kind != SIR_DECL || s->u.decl.init == NULL)
        return false;
    const sir_local *local = &p->c->f->locals.data[s->u.decl.local];
    const usage *u = &p->uses[s->u.decl.local];
    bool temporary = strncmp(local->name, "t.", 2) == 0 || u->bounds_loop;
    return temporary && u->reads == 1 && u->writes == 1 && sir_is_scalar(local->type);
}

static bool try_replace(const canon *c, found_use use, size_t nodes, sir_expr *init, bool visible)
{
    if (nodes + sir_count_nodes_in(init) > MOST_NODES)
        return false;
    if (canon_may_trap(c, init) && (use.conditional || visible))
        return false;
    *use.node = *init;
    return true;
}

static void note_peek(void *context, sir_expr *e, bool written)
{
    (void)written;
    *(bool *)context |= e->kind == SIR_PEEK;
}

// Whether the use is a subscript of what takes a popped item or a result, and these change the value. Such subscripts have
// no peeks in any case.
static bool comes_too_late(placing *p, sir_stmt *s, uint32_t local, sir_expr *init)
{
    sir_parts parts = sir_stmt_parts(s);
    if (parts.target == NULL || s->kind == SIR_SET || !canon_reads(*parts.target, local))
        return false;
    bool late = false;
    sir_visit_tree(init, false, note_peek, &late);
    canon_changes x = canon_no_changes(p->c);
    canon_add_changes(p->c, &x, s);
    late |= !canon_is_unchanged(&x, init);
    canon_end_changes(&x);
    return late;
}

// The declaration at `at` into its use further on in the block, or in the expression evaluated at its end.
static bool place_after(placing *p, const sir_block *b, size_t at, sir_expr *tail, canon_changes *x)
{
    sir_stmt *decl = b->data[at];
    uint32_t local = decl->u.decl.local;
    sir_expr *init = decl->u.decl.init;
    size_t nodes;
    for (size_t i = at + 1; i < b->len && i <= at + WINDOW; i++) {
        found_use use = find_in_stmt(b->data[i], local, &nodes);
        if (use.node != NULL)
            return !comes_too_late(p, b->data[i], local, init) && try_replace(p->c, use, nodes, init, x->visible);
        if (sir_count_local_of(b->data[i], local) > 0)
            return false;
        canon_add_changes(p->c, x, b->data[i]);
        if (!canon_is_unchanged(x, init))
            return false;
    }
    if (b->len > at + WINDOW || tail == NULL)
        return false;
    found_use use = {0};
    find_use(tail, local, false, &use);
    return use.node != NULL && try_replace(p->c, use, sir_count_nodes_in(tail), init, x->visible);
}

static bool place(placing *p, const sir_block *b, size_t at, sir_expr *tail)
{
    canon_changes x = canon_no_changes(p->c);
    bool placed = place_after(p, b, at, tail, &x);
    canon_end_changes(&x);
    return placed;
}

// Where a declaration without a value, or with one that costs nothing to give later, is wanted first.
static size_t first_mention(const sir_block *b, const uint64_t *named, size_t at)
{
    uint32_t local = b->data[at]->u.decl.local;
    for (size_t i = at + 1; i < b->len && i <= at + WINDOW; i++)
        if (sir_may_name(named[i], local) && sir_count_local_of(b->data[i], local) > 0)
            return i;
    return at;
}

static void move_down(sir_block *b, uint64_t *named, size_t from, size_t to)
{
    memmove(b->data + from, b->data + from + 1, (to - from) * sizeof *b->data);
    memmove(named + from, named + from + 1, (to - from) * sizeof *named);
}

// var x; ..; x = e becomes ..; var x = e. Else the declaration just moves down.
static void sink(sir_block *b, uint64_t *named, size_t at)
{
    sir_stmt *decl = b->data[at];
    size_t to = first_mention(b, named, at);
    if (to == at)
        return;
    sir_stmt *s = b->data[to];
    bool starts = s->kind == SIR_SET && canon_is_local(s->u.set.target, decl->u.decl.local) &&
                  !canon_reads(s->u.set.value, decl->u.decl.local);
    if (starts) {
        sir_expr *init = s->u.set.value;
        sir_loc loc = s->loc;
        *s = *decl;
        s->u.decl.init = init;
        s->u.decl.uninitialised = false;
        s->loc = loc;
        move_down(b, named, at, --b->len);
        return;
    }
    uint64_t names = named[at];
    move_down(b, named, at, to - 1);
    b->data[to - 1] = decl;
    named[to - 1] = names;
}

static bool sinks(const sir_stmt *s)
{
    return s->kind == SIR_DECL && (s->u.decl.init == NULL || canon_is_const(s->u.decl.init));
}

static void place_in(placing *p, sir_block *b, sir_expr *tail)
{
    for (size_t i = 0; i < b->len; i++) {
        sir_stmt *s = b->data[i];
        sir_parts parts = sir_stmt_parts(s);
        for (size_t k = 0; k < parts.block_count; k++) {
            bool pre = s->kind == SIR_LOOP && parts.block[k] == &s->u.loop.pre;
            place_in(p, parts.block[k], pre ? s->u.loop.cond : NULL);
        }
    }
    size_t kept = 0;
    for (size_t i = 0; i < b->len; i++)
        if (!is_placeable(p, b->data[i]) || !place(p, b, i, tail))
            b->data[kept++] = b->data[i];
        else
            b->data[i] = sir_stmt_new(p->c->m, SIR_BLOCK, (sir_loc){0}); // nothing, for the scans to come
    b->len = kept;
    // Last ones first, so that each finds what comes after it settled.
    uint64_t *named = NULL;
    for (size_t i = b->len; i > 0; i--)
        if (sinks(b->data[i - 1])) {
            if (named == NULL)
                named = canon_named_in(p->c, b);
            sink(b, named, i - 1);
        }
}

void canon_place_temporaries(canon *c)
{
    placing p = {.c = c};
    p.uses = ARENA_ARRAY(c->scratch, usage, c->f->locals.len);
    sir_visit_stmts(&c->f->body, count_stmt, &p);
    place_in(&p, &c->f->body, NULL);
}
