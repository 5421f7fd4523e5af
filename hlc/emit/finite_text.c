// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What functions take that work on a kernel's streams, and what they are called with: the run, and pointers to where the
// streams, or rows of them, begin.
#include "hlc/emit/finite_int.h"

static arena *arena_of(const finite_graph *g)
{
    return g->x->e.arena;
}

bool finite_is_walked(const finite_port *p)
{
    return p->source->role == SIR_INPUT || p->source->role == SIR_OUTPUT;
}

const finite_port *finite_input(const finite_graph *g)
{
    for (VEC_EACH(const finite_port, p, &g->ports))
        if (p->source->role == SIR_INPUT)
            return p;
    return NULL;
}

const char *finite_row_of(finite_graph *g, const finite_port *p, const char *row)
{
    return arena_printf(arena_of(g), "%s + svm_brookRow(%s, &%s->%s, %s)", p->name, g->space, g->self, p->walk, row);
}

void finite_add_parameters(finite_graph *g, text_args *args)
{
    VEC_PUSH(arena_of(g), args, arena_printf(arena_of(g), "const %s *%s", g->kernel, g->self));
    for (VEC_EACH(const finite_port, p, &g->ports))
        if (p->source->role != SIR_ITERATOR)
            VEC_PUSH(arena_of(g), args, finite_pointer(g, p, p->name));
}

void finite_add_arguments(finite_graph *g, text_args *args)
{
    VEC_PUSH(arena_of(g), args, g->self);
    for (VEC_EACH(const finite_port, p, &g->ports))
        if (p->source->role != SIR_ITERATOR)
            VEC_PUSH(arena_of(g), args, p->name);
}

void finite_add_row(finite_graph *g, text_args *args, const char *row, finite_given *given)
{
    VEC_PUSH(arena_of(g), args, g->self);
    VEC_PUSH(arena_of(g), args, row);
    for (VEC_EACH(const finite_port, p, &g->ports)) {
        const char *text = given == NULL ? NULL : given(g, p);
        if (text == NULL)
            text = finite_is_walked(p) ? finite_row_of(g, p, row) : p->name;
        if (p->source->role != SIR_ITERATOR)
            VEC_PUSH(arena_of(g), args, text);
    }
}
