// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Firing functions that are inlined, so that C compilers make vectors of the firings.
//
// NOTE(inlined). Firings of filters with structures, doubles and complex numbers do not go side by side in vectors of
// svm/lanes.h. C compilers make vectors of such, where a firing's loops are short: they write these out, take structures
// apart, and have one loop left, that over the firings. But they do so only where the firing is in that loop, and one of
// some dozen operations, several times, they find too large for that. The same holds of firings of ints and floats without
// loops: those with several conditions are large, and alone they are branches that data decide.
//
// NOTE(kept). Nor do C compilers take a large firing into its strip where an array of the state is a local: a bank of filters
// with all its stages is one. That array then lies in memory between one firing and the next, though it would fit registers.
#include "hlc/emit/body_int.h"
#include "hlc/ir/walk.h"
#include "hlc/plan/plan_int.h"

// Nodes of all trips of the loops. Fewer than the least are inlined anyway: a firing that clang 22 had left out cost 500
// of its units, at 400 nodes.
enum { MOST_NODES = 1024, LEAST_KEPT = 192 };

typedef struct size_walk {
    int64_t nodes;
    bool fails;
} size_walk;

static bool is_vector_work(const sir_expr *e)
{
    if (e->kind == SIR_MATH)
        return e->op == LANG_MATH_ABS || e->op == LANG_MATH_MIN || e->op == LANG_MATH_MAX || e->op == LANG_MATH_SQRT;
    return e->kind != SIR_ITER && !sir_may_divide_by_zero(e);
}

static void see_expr(void *context, sir_expr *e, bool written)
{
    size_walk *w = context;
    (void)written;
    w->nodes++;
    w->fails |= !is_vector_work(e);
}

static size_walk size_of(const sir_block *b)
{
    size_walk all = {0};
    for (size_t i = 0; i < b->len && !all.fails; i++) {
        sir_stmt *s = b->data[i];
        int64_t trips = 1;
        bool plain = s->kind == SIR_DECL || s->kind == SIR_SET || s->kind == SIR_POP || s->kind == SIR_PUSH ||
                     s->kind == SIR_IF || s->kind == SIR_BLOCK || (s->kind == SIR_FOR && sir_for_trips(s, &trips));
        size_walk w = {.fails = !plain || trips > MOST_NODES};
        sir_visit_exprs(s, see_expr, &w);
        sir_parts parts = sir_stmt_parts(s);
        for (uint8_t k = 0; k < parts.block_count && !w.fails; k++) {
            size_walk inner = size_of(parts.block[k]);
            w.nodes += trips * inner.nodes;
            w.fails |= inner.fails;
        }
        all.nodes += w.nodes;
        all.fails |= w.fails || all.nodes > MOST_NODES;
    }
    return all;
}

// A type of which vectors of svm/lanes.h hold none.
static bool is_other(const sir_type *t)
{
    return t->kind == SIR_STRUCT || t->kind == SIR_DOUBLE || t->kind == SIR_COMPLEX;
}

static void find_choice(void *context, sir_stmt *s)
{
    bool *chooses = context;
    *chooses |= s->kind == SIR_IF;
}

bool body_inlines(const body_context *c)
{
    const sir_function *f = c->function;
    bool others = false;
    if (!c->e->cached || c->e->most_trips == 0 || c->info == NULL || c->info->filter->finite || c->dynamic ||
        c->info->filter->stateful || c->e->keep_names || c->lanes > 0 || c->vectors > 0 || f->kind != SIR_WORK ||
        c->info->filter->input == NULL || c->info->filter->output == NULL || !c->in.affine || !c->out.affine ||
        c->in.checked || c->out.checked || c->open != NULL || body_looks_up(c, NULL))
        return false;
    for (VEC_EACH(sir_local, l, &f->locals)) {
        if (l->type->kind == SIR_ARRAY)
            return false;
        others |= is_other(l->type);
    }
    others |= is_other(c->info->filter->input) || is_other(c->info->filter->output);
    bool chooses = false;
    if (!others)
        sir_visit_stmts(&f->body, find_choice, &chooses);
    return (others || (chooses && !body_has_loops(&f->body))) && !size_of(&f->body).fails;
}

bool body_keeps_arrays(const body_context *c)
{
    uint64_t bytes = 0, align;
    if (!c->e->cached || c->e->most_trips == 0 || c->info == NULL || c->info->filter->finite || c->dynamic ||
        !c->info->filter->stateful || c->e->keep_names || c->lanes > 0 || c->vectors > 0 ||
        c->function->kind != SIR_WORK || c->open != NULL || body_looks_up(c, NULL))
        return false;
    for (VEC_EACH(const sir_field, f, &c->info->filter->fields))
        bytes += f->type->kind == SIR_ARRAY && !f->constant ? plan_item_size(f->type, &align) : 0;
    size_walk size = size_of(&c->function->body);
    return bytes > 0 && bytes <= EMIT_OWN_BYTES && !size.fails && size.nodes >= LEAST_KEPT;
}

// NOTE(twice). A dynamic-rate actor's firing is in two places where it is not large: one where it may wait for items and room,
// and one, behind it, for firings that find all that they may take, and do not look (svm_dynamicGoesOn).
enum { MOST_TWICE = 300 };

static void count_node(void *context, sir_expr *e, bool written)
{
    int *nodes = context;
    (void)e;
    (void)written;
    ++*nodes;
}

static void count_nodes_of(void *context, sir_stmt *s)
{
    sir_visit_exprs(s, count_node, context);
}

bool body_fires_twice(const body_context *c)
{
    int nodes = 0;
    if (!c->dynamic || c->e->most_trips == 0 || c->e->keep_names || c->function->kind != SIR_WORK)
        return false;
    sir_visit_stmts(&c->function->body, count_nodes_of, &nodes);
    return nodes <= MOST_TWICE;
}
