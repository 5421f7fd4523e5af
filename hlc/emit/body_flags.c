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
//
// NOTE(either). Where a condition chooses what a float of the state becomes, such as a level that rises faster than it falls,
//
//     if (a > *level) {                                    {
//         *level = 0.9f * *level + 0.1f * a;                   const float svm_then = 0.9f * *level + 0.1f * a;
//     } else {                                       ->        const float svm_else = 0.999f * *level + 0.001f * a;
//         *level = 0.999f * *level + 0.001f * a;               *level = a > *level ? svm_then : svm_else;
//     }                                                    }
//
// clang computes what both branches have in common once, of numbers that the condition chooses: the next firing waits for the
// comparison, then for the product and the sum. It need only wait for the longer of the two.
//
// NOTE(seldom). A phase that a constant is added to in each firing, and that begins again where it has gone round, does so once
// in as many firings as are in a round. C compilers choose between the two sums, and the next firing waits for that. Where
// a round has many firings the condition is SVM_SELDOM: a branch, which is foreseen.
#include <inttypes.h>
#include <math.h>

#include "hlc/emit/body_int.h"
#include "hlc/ir/walk.h"

// Conditions one after the other; nodes of one, which is computed whether or not it is wanted.
enum { MOST_LINKS = 6, MOST_NODES = 16 };

static int plain_nodes(const sir_expr *e)
{
    bool plain = e->kind == SIR_CONST || e->kind == SIR_LOCAL || e->kind == SIR_FIELD || e->kind == SIR_PEEK ||
                 e->kind == SIR_UNARY || e->kind == SIR_BINARY || e->kind == SIR_CONVERT ||
                 (e->kind == SIR_MATH && e->op == LANG_MATH_ABS);
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

static bool may_be_without_branches(const body_context *c)
{
    return c->e->most_trips != 0 && !c->e->keep_names && c->info != NULL && !c->info->filter->finite &&
           c->info->filter->stateful && c->function->kind == SIR_WORK && !c->dynamic && c->open == NULL &&
           c->lanes == 0 && c->vectors == 0;
}

bool body_flag(body_context *c, const sir_stmt *s)
{
    const sir_stmt *links[MOST_LINKS];
    const sir_expr *otherwise;
    if (!may_be_without_branches(c))
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

static bool reads_state(const body_context *c, const sir_expr *e)
{
    bool found = e->kind == SIR_FIELD && !c->info->filter->fields.data[e->index].constant;
    for (size_t i = 0; !found && e->kind != SIR_CONST && i < sir_expr_arity(e); i++)
        found = reads_state(c, e->u.arg[i]);
    return found;
}

// The one statement of a branch, if it computes a float of what the state holds.
static const sir_stmt *choosing(const body_context *c, const sir_block *b)
{
    const sir_stmt *s = b->len == 1 && b->data[0]->kind == SIR_SET ? b->data[0] : NULL;
    return s != NULL && s->u.set.target->kind == SIR_FIELD && s->u.set.target->type->kind == SIR_FLOAT &&
                   s->u.set.value->kind == SIR_BINARY && reads_state(c, s->u.set.value) &&
                   plain_nodes(s->u.set.value) <= MOST_NODES && is_plain(c, s->u.set.value)
               ? s
               : NULL;
}

bool body_either(body_context *c, const sir_stmt *s)
{
    if (!may_be_without_branches(c))
        return false;
    const sir_stmt *then = choosing(c, &s->u.if_.then), *otherwise = choosing(c, &s->u.if_.otherwise);
    if (then == NULL || otherwise == NULL || then->u.set.target->index != otherwise->u.set.target->index ||
        plain_nodes(s->u.if_.cond) > MOST_NODES || !is_plain(c, s->u.if_.cond))
        return false;
    body_line(c, "{");
    c->indent++;
    body_line(c, "const float svm_then = %s;", body_expr_text(c, then->u.set.value, PREC_LOWEST));
    body_line(c, "const float svm_else = %s;", body_expr_text(c, otherwise->u.set.value, PREC_LOWEST));
    const char *cond = body_expr_text(c, s->u.if_.cond, PREC_COND);
    body_line(c, "%s = %s ? svm_then : svm_else;", body_expr_text(c, then->u.set.target, PREC_UNARY), cond);
    c->indent--;
    body_line(c, "}");
    return true;
}

// Firings of a round from which on its end is foreseen.
enum { SELDOM_FIRINGS = 16 };

// What is added to a float of the state, or taken off it; NULL: that is no constant, or something else is done.
static const sir_expr *step_of(const sir_stmt *s)
{
    if (s->kind != SIR_SET || s->u.set.target->kind != SIR_FIELD || s->u.set.target->type->kind != SIR_FLOAT)
        return NULL;
    const sir_expr *v = s->u.set.value;
    return v->kind == SIR_BINARY && (v->op == LANG_OP_ADD || v->op == LANG_OP_SUB) && v->u.arg[0]->kind == SIR_FIELD &&
                   v->u.arg[0]->index == s->u.set.target->index && v->u.arg[1]->kind == SIR_CONST
               ? v->u.arg[1]
               : NULL;
}

// That of the one statement of an `if` that asks whether the field is beyond a constant.
static const sir_expr *step_back(const sir_stmt *s, uint32_t *field)
{
    if (s->kind != SIR_IF || s->u.if_.otherwise.len != 0 || s->u.if_.then.len != 1)
        return NULL;
    const sir_expr *cond = s->u.if_.cond, *step = step_of(s->u.if_.then.data[0]);
    if (step == NULL || cond->kind != SIR_BINARY ||
        (cond->op != LANG_OP_LT && cond->op != LANG_OP_LE && cond->op != LANG_OP_GT && cond->op != LANG_OP_GE))
        return NULL;
    *field = s->u.if_.then.data[0]->u.set.target->index;
    const sir_expr *a = cond->u.arg[0], *b = cond->u.arg[1];
    return (a->kind == SIR_FIELD && a->index == *field && b->kind == SIR_CONST) ||
                   (b->kind == SIR_FIELD && b->index == *field && a->kind == SIR_CONST)
               ? step
               : NULL;
}

typedef struct sets {
    uint32_t field;
    size_t count;
} sets;

static void count_sets(void *context, sir_stmt *s)
{
    sets *x = context;
    const sir_expr *root = sir_assigned_root(s);
    x->count += root != NULL && root->kind == SIR_FIELD && root->index == x->field;
}

bool body_seldom(const body_context *c, const sir_stmt *s)
{
    uint32_t field, other;
    const sir_expr *back = may_be_without_branches(c) ? step_back(s, &field) : NULL;
    if (back == NULL)
        return false;
    sets all = {.field = field};
    sir_visit_stmts(&c->function->body, count_sets, &all);
    double forth = 0;
    for (VEC_EACH(sir_stmt *, p, &c->function->body)) {
        const sir_expr *step = step_of(*p);
        const bool steps = step != NULL && (*p)->u.set.target->index == field;
        if (steps)
            forth += fabs((double)step->u.value.f);
        all.count -= steps || (step_back(*p, &other) != NULL && other == field);
    }
    return all.count == 0 && forth > 0 && forth * SELDOM_FIRINGS <= fabs((double)back->u.value.f);
}
