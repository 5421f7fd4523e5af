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
#include <inttypes.h>
#include <string.h>

#include "hlc/emit/body_int.h"
#include "hlc/ir/walk.h"

// Items that are loaded early, and statements of the `if`, at most.
enum { EARLY_MOST = 16, EARLY_STMTS = 24 };

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
