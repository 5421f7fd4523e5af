// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Items that an `if` of a loop peeks at in some cases only.
//
// NOTE(early). A C compiler makes no vectors of a loop in which a branch loads what it cannot prove to be there. The high-level
// compiler knows the window, so these items are loaded before the `if`, in any case:
//
//     for (ptrdiff_t x = 1; x < 63; x++) {          for (ptrdiff_t x = 1; x < 63; x++) {
//         int a;                                        int a;
//         if (d == 0) {                                 const int svm_early1 = in[x - 1];
//             a = in[x - 1];                  ->        const int svm_early2 = in[x - 64];
//         } else {                                      if (d == 0) {
//             a = in[x - 64];                               a = svm_early1;
//
// That is done where trips do not wait for each other, since else nothing becomes a vector, and branches foreseen are better.
//
// NOTE(both). What && and || load in some cases only is such a branch, too. Where it is surely there, both sides are computed:
//
//     b[x] = s == 3 || (s == 2 && a[x] == 1) ? 1 : 0;    ->    b[x] = (s == 3) | ((s == 2) & (a[x] == 1)) ? 1 : 0;
#include <inttypes.h>
#include <string.h>

#include "hlc/emit/body_int.h"
#include "hlc/ir/walk.h"

// Items that are loaded early, and statements of the `if`, at most; nodes of a side that is computed in any case.
// Of a subscript so many nodes are looked at, those of declarations included, since one may name another twice.
enum { EARLY_MOST = 16, EARLY_STMTS = 24, BOTH_NODES = 24, SUBSCRIPT_NODES = 64 };

typedef struct early_walk {
    body_context *c;
    VEC(sir_expr *) peeks;
    size_t stmts;
    bool impossible;
} early_walk;

static void note_expr(void *context, sir_expr *e, bool written)
{
    early_walk *w = context;
    (void)written;
    w->impossible |=
        e->kind == SIR_FETCH || e->kind == SIR_INDEX || body_may_trap(w->c, e) ||
        (e->kind == SIR_PEEK && e->type->kind == SIR_ARRAY) || // what C does not declare by another
        (e->kind == SIR_MATH && e->op != LANG_MATH_MIN && e->op != LANG_MATH_MAX && e->op != LANG_MATH_ABS);
    if (e->kind == SIR_PEEK)
        VEC_PUSH(w->c->e->arena, &w->peeks, e);
}

static void note_stmt(void *context, sir_stmt *s)
{
    early_walk *w = context;
    sir_parts parts = sir_stmt_parts(s);
    w->stmts++;
    w->impossible |=
        s->kind != SIR_SET && s->kind != SIR_PUSH && s->kind != SIR_IF && s->kind != SIR_BLOCK && s->kind != SIR_DECL;
    w->impossible |= s->kind == SIR_DECL && w->c->locals[s->u.decl.local].dead;
    w->impossible |=
        parts.target != NULL && ((*parts.target)->kind != SIR_LOCAL || w->c->locals[(*parts.target)->index].dead);
    for (uint8_t i = 0; i < parts.expr_count; i++)
        sir_visit_tree(*parts.expr[i], false, note_expr, w);
}

// What is computed of a condition in some cases only.
static void note_lazy(early_walk *w, sir_expr *e)
{
    const bool lazy =
        e->kind == SIR_SELECT || (e->kind == SIR_BINARY && (e->op == LANG_OP_LAND || e->op == LANG_OP_LOR));
    for (size_t i = 0; e->kind != SIR_CONST && i < sir_expr_arity(e); i++)
        if (lazy && i > 0)
            sir_visit_tree(e->u.arg[i], false, note_expr, w);
        else
            note_lazy(w, e->u.arg[i]);
}

const char *body_early_name(const body_context *c, const char *text)
{
    for (VEC_EACH(const body_early_item, i, &c->early))
        if (strcmp(i->text, text) == 0)
            return i->name;
    return NULL;
}

static bool is_name(const body_context *c, const char *text)
{
    for (VEC_EACH(const body_early_item, i, &c->early))
        if (strcmp(i->name, text) == 0)
            return true;
    return false;
}

void body_early_begin(body_context *c, const sir_stmt *s)
{
    if (!c->apart || c->early.len > 0)
        return;
    early_walk w = {.c = c};
    for (int branch = 0; branch < 2; branch++)
        sir_visit_stmts(branch == 0 ? &s->u.if_.then : &s->u.if_.otherwise, note_stmt, &w);
    note_lazy(&w, s->u.if_.cond);
    if (w.impossible || w.stmts > EARLY_STMTS || w.peeks.len == 0 || w.peeks.len > EARLY_MOST)
        return;
    for (VEC_EACH(sir_expr *, p, &w.peeks))
        if (!body_surely_there(c, *p))
            return;
    for (VEC_EACH(sir_expr *, p, &w.peeks)) {
        const char *text = body_expr_text(c, *p, PREC_POSTFIX);
        if (is_name(c, text))
            continue;
        const char *name = arena_printf(c->e->arena, "svm_early%zu", ++c->earlies);
        body_line(c, "const %s = %s;", emit_declare(c->e, (*p)->type, name), text);
        VEC_PUSH(c->e->arena, &c->early, ((body_early_item){text, name}));
    }
}

void body_early_end(body_context *c)
{
    c->early.len = 0;
}

// ---- Both sides ----

static bool is_within(body_interval r, int64_t lo, int64_t hi)
{
    return lo <= r.lo && r.hi <= hi;
}

// What an int can be at this place, of what the loops around it and declarations say; false: that is not known. left: nodes
// that may still be looked at.
static bool interval_of(body_context *c, const sir_expr *e, int *left, body_interval *r)
{
    body_affine a;
    if (--*left < 0)
        return false;
    if (body_affine_of(c, e, &a)) {
        *r = body_affine_range(c, &a);
        return true;
    }
    if (e->kind == SIR_LOCAL) {
        const body_local *l = &c->locals[e->index];
        return e->type->kind == SIR_INT && l->writes == 1 && l->init != NULL && interval_of(c, l->init, left, r);
    }
    body_interval x, y;
    if (e->kind != SIR_BINARY || e->type->kind != SIR_INT || !interval_of(c, e->u.arg[0], left, &x) ||
        !interval_of(c, e->u.arg[1], left, &y))
        return false;
    *r = sir_interval_binary((lang_binary_op)e->op, x, y);
    return is_within(*r, INT32_MIN, INT32_MAX);
}

// Whether an element of a local's or a field's array is there in any case.
static bool is_surely_within(body_context *c, const sir_expr *e)
{
    int left = SUBSCRIPT_NODES;
    for (; e->kind == SIR_INDEX; e = e->u.arg[0]) {
        body_interval at;
        if (e->u.arg[0]->type->kind != SIR_ARRAY || !interval_of(c, e->u.arg[1], &left, &at) ||
            !is_within(at, 0, (int64_t)e->u.arg[0]->type->length - 1))
            return false;
    }
    return e->kind == SIR_LOCAL || e->kind == SIR_FIELD;
}

typedef struct side {
    body_context *c;
    size_t nodes;
    bool loads, impossible;
} side;

static void note_node(void *context, sir_expr *e, bool written)
{
    side *x = context;
    (void)written;
    const bool cheap = e->kind == SIR_CONST || e->kind == SIR_LOCAL || e->kind == SIR_FIELD || e->kind == SIR_CONVERT ||
                       e->kind == SIR_UNARY || e->kind == SIR_BINARY || e->kind == SIR_PEEK || e->kind == SIR_INDEX ||
                       (e->kind == SIR_MATH && e->op == LANG_MATH_ABS);
    x->nodes++;
    x->loads |= e->kind == SIR_PEEK || e->kind == SIR_INDEX;
    x->impossible |= !cheap || x->nodes > BOTH_NODES || e->type->kind == SIR_COMPLEX ||
                     (e->kind == SIR_BINARY && (e->op == LANG_OP_DIV || e->op == LANG_OP_REM) &&
                      (e->type->kind != SIR_INT || e->u.arg[1]->kind != SIR_CONST)) ||
                     (e->kind == SIR_CONVERT && e->known != SIR_KNOWN_NOTHING) || // as the left side says
                     (e->kind == SIR_PEEK && !body_surely_there(x->c, e)) ||
                     (e->kind == SIR_INDEX && !is_surely_within(x->c, e));
}

bool body_both_sides(body_context *c, const sir_expr *e)
{
    if (!c->apart || (e->op != LANG_OP_LAND && e->op != LANG_OP_LOR) || e->u.arg[0]->type->kind != SIR_BOOLEAN ||
        e->u.arg[1]->type->kind != SIR_BOOLEAN || body_may_trap(c, e->u.arg[1]))
        return false;
    side x = {.c = c};
    sir_visit_tree(e->u.arg[1], false, note_node, &x);
    return x.loads && !x.impossible;
}
