// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Booleans of the state that conditions set, one after the other, such as that of a gate with two thresholds:
//
//     if (g >= 500) {                 {
//         *on = true;                     const bool svm_kept1 = !(g < 200) & *on;
//     } else if (g < 200) {      ->       *on = (g >= 500) | svm_kept1;
//         *on = false;                }
//     }
//
// A C compiler makes two loops of it, one for each value, with branches that data decide: a processor guesses them, and is
// wrong as often as the data are near a threshold. Each step has a name, since the compiler would take one expression
// apart into branches again.
#include <inttypes.h>

#include "hlc/emit/body_int.h"
#include "hlc/ir/walk.h"

// Conditions one after the other; nodes of one, which is computed whether or not it is wanted.
enum { MOST_LINKS = 6, MOST_NODES = 16 };

static int plain_nodes(const sir_expr *e)
{
    bool plain = e->kind == SIR_CONST || e->kind == SIR_LOCAL || e->kind == SIR_FIELD || e->kind == SIR_PEEK ||
                 e->kind == SIR_UNARY || e->kind == SIR_BINARY || e->kind == SIR_CONVERT;
    int n = 1;
    for (size_t i = 0; plain && e->kind != SIR_CONST && i < sir_expr_arity(e); i++)
        n += plain_nodes(e->u.arg[i]);
    return plain && n <= MOST_NODES ? n : MOST_NODES + 1;
}

// Without what may stop the program, or look at other items than are there.
static bool is_plain(const body_context *c, const sir_expr *e)
{
    bool peeks = e->kind == SIR_PEEK && e->u.arg[0]->kind != SIR_CONST;
    if (peeks || body_may_trap(c, e))
        return false;
    for (size_t i = 0; e->kind != SIR_CONST && i < sir_expr_arity(e); i++)
        if (!is_plain(c, e->u.arg[i]))
            return false;
    return true;
}

// The one statement of a branch, if it makes a boolean of the state true or false.
static const sir_stmt *setting(const sir_block *b)
{
    const sir_stmt *s = b->len == 1 && b->data[0]->kind == SIR_SET ? b->data[0] : NULL;
    return s != NULL && s->u.set.target->kind == SIR_FIELD && s->u.set.target->type->kind == SIR_BOOLEAN &&
                   s->u.set.value->kind == SIR_CONST
               ? s
               : NULL;
}

// The conditions and what they set; 0: they are not of that kind.
static size_t find_links(const body_context *c, const sir_stmt *s, const sir_stmt **links, const sir_expr **otherwise)
{
    size_t n = 0;
    *otherwise = NULL;
    for (;; s = s->u.if_.otherwise.data[0]) {
        const sir_stmt *set = setting(&s->u.if_.then);
        if (n == MOST_LINKS || set == NULL || plain_nodes(s->u.if_.cond) > MOST_NODES || !is_plain(c, s->u.if_.cond) ||
            (n > 0 && set->u.set.target->index != setting(&links[0]->u.if_.then)->u.set.target->index))
            return 0;
        links[n++] = s;
        if (s->u.if_.otherwise.len != 1 || s->u.if_.otherwise.data[0]->kind != SIR_IF)
            break;
    }
    const sir_block *last = &s->u.if_.otherwise;
    const sir_stmt *set = setting(last);
    if (last->len == 0)
        return n;
    if (set == NULL || set->u.set.target->index != setting(&s->u.if_.then)->u.set.target->index)
        return 0;
    *otherwise = set->u.set.value;
    return n;
}

bool body_flag(body_context *c, const sir_stmt *s)
{
    const sir_stmt *links[MOST_LINKS];
    const sir_expr *otherwise;
    if (c->e->most_trips == 0 || c->e->keep_names || c->info == NULL || c->info->filter->finite ||
        !c->info->filter->stateful || c->function->kind != SIR_WORK || c->dynamic || c->open != NULL || c->lanes > 0 ||
        c->vectors > 0)
        return false;
    size_t n = find_links(c, s, links, &otherwise);
    if (n == 0)
        return false;
    const sir_expr *target = setting(&s->u.if_.then)->u.set.target;
    const char *kept = otherwise == NULL           ? body_expr_text(c, target, PREC_UNARY)
                       : otherwise->u.value.i != 0 ? "true"
                                                   : "false";
    body_line(c, "{");
    c->indent++;
    for (size_t i = n; i-- > 0;) {
        const sir_stmt *set = setting(&links[i]->u.if_.then);
        bool sets = set->u.set.value->u.value.i != 0;
        const char *cond = body_expr_text(c, links[i]->u.if_.cond, PREC_COND), *not = sets ? "" : "!";
        const char *value = arena_printf(c->e->arena, "%s(%s) %c %s", not, cond, sets ? '|' : '&', kept);
        if (i == 0) {
            body_line(c, "%s = %s;", body_expr_text(c, target, PREC_UNARY), value);
            break;
        }
        kept = arena_printf(c->e->arena, "svm_kept%zu", i);
        body_line(c, "const bool %s = %s;", kept, value);
    }
    c->indent--;
    body_line(c, "}");
    c->flags = true;
    return true;
}
