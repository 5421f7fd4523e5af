// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Outputs that go past the caches, on processors that reach the shared memory.
//
// NOTE(past). A store to a line that is in no cache loads the line first. Where a call's streams are larger than all caches,
// that is a third of what saxpy moves, and nobody finds the line in a cache later. So the elements of some columns are made
// in a buffer that stays in the first cache, and whole lines go from there to the memory (svm/brook_past.h). Whether they do
// is found at run time (svm_brookGoesPast). Of most bodies it is so few columns, as a number that the C compiler knows, that
// what they make stays in registers: then loads and stores are mixed all the time, where a longer buffer has the memory read
// for a while, and then written. That is for bodies that wait for the memory: short ones, of which every firing
// writes all outputs.
#include "hlc/emit/finite_int.h"

void finite_find_past(finite_graph *g, bool wanted)
{
    enum { MOST_OUTPUTS = 4, MOST_OPERATIONS = 60 };
    size_t outputs = 0;
    g->past =
        wanted && g->turned.len == 0 && g->variable == NULL && g->reduced == NULL && g->operations <= MOST_OPERATIONS;
    for (VEC_EACH(const finite_port, p, &g->ports))
        if (finite_is_output(p)) {
            outputs++;
            g->past = g->past && p->used && !p->loaded;
        }
    g->past = g->past && outputs > 0 && outputs <= MOST_OUTPUTS;
    if (!g->past)
        return;
    g->past_run = emit_unique_name(&g->x->e, arena_printf(finite_arena(g), "%s_past", g->info->c_name));
    g->past_few = emit_unique_name(&g->x->e, arena_printf(finite_arena(g), "%s_past_few", g->info->c_name));
}

static const char *made_of(finite_graph *g, const finite_port *p)
{
    return arena_printf(finite_arena(g), "%s_made", p->walk); // no parameter is called so
}

// Where the row begins in a stream that is walked.
static const char *here_of(finite_graph *g, const finite_port *p)
{
    return arena_printf(finite_arena(g), "%s_here", p->walk);
}

// What a row of firings is called with: an output's elements are in the buffer.
static const char *in_buffer(finite_graph *g, const finite_port *p)
{
    if (finite_is_output(p))
        return arena_printf(finite_arena(g), "svm_brookMade(%s, begin, sizeof(%s))", made_of(g, p), p->element);
    return finite_is_walked(p) ? here_of(g, p) : NULL;
}

// The same of the function of few columns, which gets the buffer itself; and its firings.
static const char *few_in_buffer(finite_graph *g, const finite_port *p)
{
    return finite_is_output(p) ? made_of(g, p) : in_buffer(g, p);
}

static const char *lane_in_buffer(finite_graph *g, const finite_port *p)
{
    return finite_is_output(p) ? arena_printf(finite_arena(g), "%s + lane", p->name) : NULL;
}

static void emit_columns(finite_graph *g, int indent, bool few)
{
    program_emitter *x = g->x;
    text_args args = {0};
    for (VEC_EACH(const finite_port, p, &g->ports))
        if (finite_is_output(p))
            text_line(x, indent, "_Alignas(64) %s %s[%s];", p->element, made_of(g, p),
                      few ? "SVM_BROOK_PAST_FEW" : "SVM_BROOK_PAST_COLUMNS");
    finite_add_row(g, &args, g->r, few ? few_in_buffer : in_buffer);
    VEC_PUSH(x->e.arena, &args, "begin");
    if (!few)
        VEC_PUSH(x->e.arena, &args, "begin + count");
    text_call(x, indent, arena_printf(x->e.arena, "%s(", few ? g->past_few : g->row), &args, ");");
    for (VEC_EACH(const finite_port, p, &g->ports))
        if (finite_is_output(p) && few)
            text_line(x, indent, "svm_brookPutLines(%s + begin, %s, sizeof %s);", here_of(g, p), made_of(g, p),
                      made_of(g, p));
        else if (finite_is_output(p))
            text_line(x, indent, "svm_brookPut(%s + begin, %s, (size_t)count * sizeof(%s));", here_of(g, p),
                      made_of(g, p), p->element);
}

void finite_past(finite_graph *g)
{
    program_emitter *x = g->x;
    text_args args = {0};
    const bool few = finite_has_few(g);
    const finite_port *first = NULL;
    finite_add_parameters(g, &args);
    if (few) {
        text_line(x, 0, "/* Firings of neighbouring columns, whose outputs are in a buffer. */");
        finite_few(g, g->past_few, "SVM_BROOK_PAST_FEW", lane_in_buffer);
    }
    text_line(x, 0, "/* A run whose outputs go past the caches, some columns at a time. */");
    text_call(x, 0, arena_printf(x->e.arena, "static void %s(", g->past_run), &args, ")");
    text_line(x, 0, "{");
    text_line(x, 1, "const svm_BrookSpace *%s = &%s->%s;", g->space, g->self, g->space);
    text_line(x, 1, "const svm_BrookBox *box = &%s->box;", g->self);
    text_line(x, 1, "for (ptrdiff_t %s = box->row, count; %s < box->rowEnd; %s++) {", g->r, g->r, g->r);
    for (VEC_EACH(const finite_port, p, &g->ports)) {
        first = first == NULL && finite_is_output(p) ? p : first;
        if (finite_is_walked(p))
            text_line(x, 2, "%s = %s;", finite_pointer(g, p, arena_printf(finite_arena(g), "const %s", here_of(g, p))),
                      finite_row_of(g, p, g->r));
    }
    text_line(x, 2, "for (ptrdiff_t begin = box->column, end = box->columnEnd; begin < end; begin += count) {");
    if (few) {
        strbuf lines;
        strbuf_init(&lines, x->e.arena);
        for (VEC_EACH(const finite_port, p, &g->ports))
            if (finite_is_output(p))
                strbuf_printf(&lines, "%ssvm_brookIsLine(%s + begin)", lines.len > 0 ? " && " : "", here_of(g, p));
        text_line(x, 3, "if (%s)", lines.data);
        text_line(x, 4, "for (; end - begin >= SVM_BROOK_PAST_FEW; begin += SVM_BROOK_PAST_FEW) {");
        emit_columns(g, 5, true);
        text_line(x, 4, "}");
    }
    text_line(x, 3, "count = svm_brookPastCount(%s + begin, sizeof(%s), end - begin);", here_of(g, first),
              first->element);
    emit_columns(g, 3, false);
    text_line(x, 2, "}");
    text_line(x, 1, "}");
    text_line(x, 1, "svm_brookAllPut();");
    text_line(x, 0, "}\n");
}

void finite_call_past(finite_graph *g)
{
    text_args args = {0};
    finite_add_arguments(g, &args);
    text_line(g->x, 1, "if (%s->past && %s->form == SVM_BROOK_UNIT) {", g->self, g->space);
    text_call(g->x, 2, arena_printf(finite_arena(g), "%s(", g->past_run), &args, ");");
    text_line(g->x, 2, "return;");
    text_line(g->x, 1, "}");
}
