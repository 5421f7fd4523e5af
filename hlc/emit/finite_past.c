// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Outputs that go past the caches, on processors that reach the shared memory.
//
// NOTE(past). A store to a line that is in no cache loads the line first. Where a call's streams are larger than all caches,
// that is a third of what saxpy moves, and nobody finds the line in a cache later. So the elements of some columns are made
// in a buffer that stays in the first cache, and whole lines go from there to the memory (svm/brook_past.h). Whether they do
// is found at run time (svm_brookGoesPast). That is for bodies that wait for the memory: short ones, of which every firing
// writes all outputs.
#include "hlc/emit/finite_int.h"

static arena *arena_of(const finite_graph *g)
{
    return g->x->e.arena;
}

static bool is_output(const finite_port *p)
{
    return p->source->role == SIR_OUTPUT;
}

void finite_find_past(finite_graph *g, bool wanted)
{
    enum { MOST_OUTPUTS = 4, MOST_OPERATIONS = 60 };
    size_t outputs = 0;
    g->past =
        wanted && g->turned.len == 0 && g->variable == NULL && g->reduced == NULL && g->operations <= MOST_OPERATIONS;
    for (VEC_EACH(const finite_port, p, &g->ports))
        if (is_output(p)) {
            outputs++;
            g->past = g->past && p->used && !p->loaded;
        }
    g->past = g->past && outputs > 0 && outputs <= MOST_OUTPUTS;
    if (g->past)
        g->past_run = emit_unique_name(&g->x->e, arena_printf(arena_of(g), "%s_past", g->info->c_name));
}

static const char *made_of(finite_graph *g, const finite_port *p)
{
    return arena_printf(arena_of(g), "%s_made", p->walk); // no parameter is called so
}

// An output's elements, in the buffer.
static const char *in_buffer(finite_graph *g, const finite_port *p)
{
    if (!is_output(p))
        return NULL;
    return arena_printf(arena_of(g), "svm_brookMade(%s, begin, sizeof(%s))", made_of(g, p), p->element);
}

static void emit_columns(finite_graph *g)
{
    program_emitter *x = g->x;
    text_args args = {0};
    finite_add_row(g, &args, g->r, in_buffer);
    VEC_PUSH(x->e.arena, &args, "begin");
    VEC_PUSH(x->e.arena, &args, "begin + count");
    text_call(x, 3, arena_printf(x->e.arena, "%s(", g->row), &args, ");");
    for (VEC_EACH(const finite_port, p, &g->ports))
        if (is_output(p))
            text_line(x, 3, "svm_brookPut(%s + begin, %s, (size_t)count * sizeof(%s));", finite_row_of(g, p, g->r),
                      made_of(g, p), p->element);
}

void finite_past(finite_graph *g)
{
    program_emitter *x = g->x;
    text_args args = {0};
    finite_add_parameters(g, &args);
    text_line(x, 0, "/* A run whose outputs go past the caches, some columns at a time. */");
    text_call(x, 0, arena_printf(x->e.arena, "static void %s(", g->past_run), &args, ")");
    text_line(x, 0, "{");
    text_line(x, 1, "const svm_BrookSpace *%s = &%s->%s;", g->space, g->self, g->space);
    text_line(x, 1, "const svm_BrookBox *box = &%s->box;", g->self);
    for (VEC_EACH(const finite_port, p, &g->ports))
        if (is_output(p))
            text_line(x, 1, "_Alignas(64) %s %s[SVM_BROOK_PAST_COLUMNS];", p->element, made_of(g, p));
    text_line(x, 1, "for (ptrdiff_t %s = box->row; %s < box->rowEnd; %s++)", g->r, g->r, g->r);
    text_line(x, 2, "for (ptrdiff_t begin = box->column; begin < box->columnEnd; begin += SVM_BROOK_PAST_COLUMNS) {");
    text_line(x, 3, "const ptrdiff_t count = svm_brookPastCount(box->columnEnd - begin);");
    emit_columns(g);
    text_line(x, 2, "}");
    text_line(x, 1, "svm_brookAllPut();");
    text_line(x, 0, "}\n");
}

void finite_call_past(finite_graph *g)
{
    text_args args = {0};
    finite_add_arguments(g, &args);
    text_line(g->x, 1, "if (%s->past && %s->form == SVM_BROOK_UNIT) {", g->self, g->space);
    text_call(g->x, 2, arena_printf(arena_of(g), "%s(", g->past_run), &args, ");");
    text_line(g->x, 2, "return;");
    text_line(g->x, 1, "}");
}
