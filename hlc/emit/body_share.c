// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Firings side by side that share what they load: NOTE(share).
//
// NOTE(share). In a product of a firing's items with a constant matrix, as of a transform by its definition, the C compiler keeps
// a row of sums in registers and loads a row of the matrix for each item: as many loads as products. What two or three firings
// need of the matrix is the same. So each trip is done for some of them, one after the other:
//
//     for (ptrdiff_t p = 0; p < 16; p++) {
//         for (ptrdiff_t k = 0; k < 16; k++) {
//             SVM_UNROLL
//             for (ptrdiff_t lane = 0; lane < 3; lane++) {
//                 re[lane][k] = re[lane][k] + in[p + 16 * lane] * cosine[p][k];
//
// All sums stay in registers, and each keeps its order. That is for functions which do little else.
#include "hlc/emit/body_int.h"
#include "hlc/ir/walk.h"

// Firings at least; trips of a loop with such sums, and of the one around it, from which that is worth it; what else a
// function does, at most one of so many nodes.
enum { LEAST_SHARED = 2, SHARED_TRIPS = 8, SHARED_REST = 3 };

typedef struct share_walk {
    const body_context *c;
    double all, shared; // nodes that are executed, and those of trips that load a table's elements into sums
    bool impossible;
} share_walk;

typedef struct share_finder {
    const body_context *c;
    uint32_t variable; // of the loop at hand
    double nodes;
    bool table; // an element of one, by the variable
} share_finder;

static bool is_table(const body_context *c, const sir_expr *base)
{
    return base->kind == SIR_GLOBAL || (base->kind == SIR_FIELD && c->info->filter->fields.data[base->index].constant);
}

static bool mentions(const sir_expr *e, uint32_t local)
{
    if (e->kind == SIR_CONST)
        return false;
    if (e->kind == SIR_LOCAL)
        return e->index == local;
    for (size_t i = 0; i < sir_expr_arity(e); i++)
        if (mentions(e->u.arg[i], local))
            return true;
    return false;
}

static void find_table(void *context, sir_expr *e, bool written)
{
    share_finder *f = context;
    (void)written;
    f->nodes++;
    f->table |= e->kind == SIR_INDEX && is_table(f->c, sir_lvalue_root(e)) && mentions(e->u.arg[1], f->variable);
}

// An element of a local array that the variable tells.
static bool is_element(const sir_expr *e, uint32_t variable)
{
    return e->kind == SIR_INDEX && e->u.arg[0]->kind == SIR_LOCAL && mentions(e->u.arg[1], variable);
}

// "sum[v] = sum[v] + ...", of numbers with fractions.
static bool is_sum(const sir_stmt *s, uint32_t variable)
{
    const sir_expr *t = s->kind == SIR_SET ? s->u.set.target : NULL, *v = t != NULL ? s->u.set.value : NULL;
    return t != NULL && (t->type->kind == SIR_FLOAT || t->type->kind == SIR_DOUBLE) && is_element(t, variable) &&
           v->kind == SIR_BINARY && (v->op == LANG_OP_ADD || v->op == LANG_OP_SUB) &&
           is_element(v->u.arg[0], variable) && v->u.arg[0]->u.arg[0]->index == t->u.arg[0]->index;
}

static void weigh_block(share_walk *w, const sir_block *b, double times, const sir_stmt *loop, bool nested)
{
    for (size_t i = 0; i < b->len; i++) {
        sir_stmt *s = b->data[i];
        share_finder f = {.c = w->c, .variable = loop == NULL ? SIR_NONE : loop->u.for_.local, .nodes = 1};
        int64_t trips = 0;
        sir_visit_exprs(s, find_table, &f);
        w->all += f.nodes * times;
        w->shared += nested && f.table && is_sum(s, f.variable) ? f.nodes * times : 0;
        if (s->kind == SIR_FOR && sir_for_trips(s, &trips)) {
            bool inner = loop != NULL && trips >= SHARED_TRIPS && !body_has_loops(&s->u.for_.body);
            int64_t around = 0;
            inner = inner && sir_for_trips(loop, &around) && around >= SHARED_TRIPS;
            weigh_block(w, &s->u.for_.body, times * (double)trips, s, inner);
        } else if (s->kind == SIR_BLOCK) {
            weigh_block(w, &s->u.block, times, loop, nested);
        } else {
            w->impossible |= s->kind != SIR_DECL && s->kind != SIR_SET && s->kind != SIR_POP && s->kind != SIR_PUSH;
        }
    }
}

bool body_shares(const sir_stmt *loop)
{
    int64_t trips;
    return sir_for_trips(loop, &trips);
}

int body_share_count(body_context *c, int64_t most)
{
    share_walk w = {.c = c};
    int64_t words = 0;
    if (c->e->shared_room[0] == 0 || !c->in.affine || !c->out.affine || c->open != NULL || c->dynamic ||
        c->e->keep_names)
        return 0;
    weigh_block(&w, &c->function->body, 1, NULL, false);
    if (w.impossible || w.shared == 0 || (w.all - w.shared) * SHARED_REST > w.all)
        return 0;
    c->shares = true;
    c->lanes = EMIT_SHARED;
    body_lanes_prepare(c);
    for (size_t i = 0; i < c->function->locals.len; i++) {
        const sir_type *t = c->function->locals.data[i].type, *number = t;
        while (number->kind == SIR_ARRAY)
            number = number->element;
        words += c->locals[i].laned ? (int64_t)t->words * (number->kind == SIR_DOUBLE ? 2 : 1) : 0;
    }
    int64_t count = words == 0 ? 0 : EMIT_SHARED;
    while (count > 0 && words > c->e->shared_room[count - 1])
        count--;
    return count < LEAST_SHARED || count > most ? 0 : (int)count;
}
