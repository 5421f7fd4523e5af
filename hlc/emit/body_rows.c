// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops along rows whose length is no multiple of vectors.
//
// NOTE(rows). Of 252 trips the C compiler makes vectors of 224 and does 28 one by one, which takes as long as the vectors. Where a
// trip may be done twice, all are done in vectors, the last ones some of them again:
//
//     for (ptrdiff_t svm_row = 0; svm_row < 252; svm_row += 64) { /* the last 64 end with the row */
//         const ptrdiff_t svm_first = svm_row < 188 ? svm_row : 188;
//         for (ptrdiff_t x = svm_first; x < svm_first + 64; x++) {
//
// A trip may be done twice where it only reads what the loop does not write.
//
// NOTE(order). With -Ofast the C compiler may add in any order. Of a sum for each lane, to which a loop around the lanes adds, clang
// then makes vectors along the loop, of products that lie apart in memory, and gives up those along the lanes:
//
//     for (ptrdiff_t k = 0; k < 16; k++) {
//         for (ptrdiff_t lane = 0; lane < 16; lane++) {
//             SVM_IN_ORDER
//             sum[lane] = sum[lane] + h[k][lane] * in[16 * k + lane];
#include "hlc/emit/body_int.h"
#include "hlc/ir/walk.h"

// Trips at a time, one of these; what is left over that the C compiler needs nothing for; trips of loops inside, and of those
// that are done again one of so many, at most.
enum { ROW_MOST = 64, ROW_LEAST = 16, ROW_EVEN = 16, ROW_INNER = 16, ROW_AGAIN = 12 };

typedef struct row_walk {
    const body_context *c;
    const sir_block *body;
    bool *read, *written; // per local
    bool impossible, gives;
} row_walk;

static void note_read(void *context, sir_expr *e, bool written)
{
    row_walk *w = context;
    (void)written;
    if (e->kind == SIR_LOCAL)
        w->read[e->index] = true;
    w->impossible |= e->kind == SIR_FETCH;
}

static void note_target(row_walk *w, sir_expr *target)
{
    sir_expr *t = target;
    for (; t->kind == SIR_INDEX; t = t->u.arg[0])
        sir_visit_tree(t->u.arg[1], false, note_read, w);
    if (t->kind != SIR_LOCAL) {
        w->impossible = true;
        return;
    }
    bool own = body_declared_in(w->c, w->body, t->index);
    w->impossible |= !own && t == target; // a scalar, or all of an array
    w->written[t->index] |= !own;
    w->gives |= !own;
}

static void note_stmt(void *context, sir_stmt *s)
{
    row_walk *w = context;
    sir_parts parts = sir_stmt_parts(s);
    bool fine = s->kind == SIR_DECL || s->kind == SIR_SET || s->kind == SIR_POP || s->kind == SIR_PUSH ||
                s->kind == SIR_IF || s->kind == SIR_FOR || s->kind == SIR_BLOCK;
    int64_t trips;
    w->impossible |= !fine || (s->kind == SIR_FOR && (!sir_for_trips(s, &trips) || trips > ROW_INNER));
    w->gives |= s->kind == SIR_PUSH;
    for (uint8_t i = 0; i < parts.expr_count; i++)
        sir_visit_tree(*parts.expr[i], false, note_read, w);
    if (parts.target != NULL)
        note_target(w, *parts.target);
}

// Whether trips of a loop do not wait for each other, and may be done twice: they read nothing that the loop writes.
static bool stand_apart(const body_context *c, const sir_stmt *loop)
{
    const sir_function *f = c->function;
    row_walk w = {.c = c, .body = &loop->u.for_.body};
    w.read = ARENA_ARRAY(c->e->arena, bool, f->locals.len + 1);
    w.written = ARENA_ARRAY(c->e->arena, bool, f->locals.len + 1);
    sir_visit_stmts(&loop->u.for_.body, note_stmt, &w);
    for (size_t i = 0; i < f->locals.len; i++)
        w.impossible |= w.read[i] && w.written[i];
    return !w.impossible && w.gives && !body_looks_up(c, NULL);
}

// Whether the function is one firing after the other, and all that it pops and pushes lies where constants tell.
static bool is_plain_firing(const body_context *c)
{
    return c->lanes == 0 && c->vectors == 0 && c->function->kind == SIR_WORK && c->info != NULL &&
           !c->info->filter->finite && !c->dynamic && c->open == NULL && !c->e->keep_names && c->in.affine &&
           c->out.affine;
}

bool body_trips_apart(const body_context *c, const sir_stmt *loop)
{
    return c->e->most_trips > 0 && is_plain_firing(c) && stand_apart(c, loop);
}

bool body_firings_apart(const body_context *c)
{
    return c->e->most_trips > 0 && is_plain_firing(c) && !c->info->filter->stateful &&
           !body_has_loops(&c->function->body) && !body_looks_up(c, NULL);
}

int64_t body_row_part(const body_context *c, const sir_stmt *loop)
{
    int64_t trips;
    if (!c->e->wide_rows || !is_plain_firing(c) || loop->u.for_.step != 1 || !sir_for_trips(loop, &trips) ||
        trips % ROW_EVEN == 0 || trips <= ROW_LEAST || !stand_apart(c, loop))
        return 0;
    for (int64_t part = ROW_MOST; part >= ROW_LEAST; part /= 2) {
        int64_t again = (part - trips % part) % part;
        if (part < trips && again * ROW_AGAIN <= trips)
            return part;
    }
    return 0;
}

// ---- Order ----

typedef struct adding {
    uint32_t variable;
    bool own, other; // what is added to is one element a trip; something else is
} adding;

static void note_variable(void *context, sir_expr *e, bool written)
{
    adding *x = context;
    (void)written;
    x->own |= e->kind == SIR_LOCAL && e->index == x->variable;
}

static void note_adding(void *context, sir_stmt *s)
{
    adding *x = context;
    if (s->kind != SIR_SET || s->u.set.value->type->kind != SIR_FLOAT)
        return;
    sir_expr *t = s->u.set.target, *v = s->u.set.value;
    const bool adds = v->kind == SIR_BINARY && (v->op == LANG_OP_ADD || v->op == LANG_OP_SUB);
    const sir_expr *to = sir_lvalue_root(t), *from = adds ? sir_lvalue_root(v->u.arg[0]) : NULL;
    if (to == NULL || from == NULL || to->kind != from->kind || to->index != from->index)
        return;
    adding one = {.variable = x->variable};
    for (; t->kind == SIR_INDEX; t = t->u.arg[0])
        sir_visit_tree(t->u.arg[1], false, note_variable, &one);
    x->own |= one.own;
    x->other |= !one.own;
}

bool body_adds_in_order(const body_context *c, const sir_stmt *loop)
{
    if (!c->e->fast_math || c->e->most_trips == 0 || body_has_loops(&loop->u.for_.body))
        return false;
    adding x = {.variable = loop->u.for_.local};
    sir_visit_stmts(&loop->u.for_.body, note_adding, &x);
    return x.own && !x.other;
}
