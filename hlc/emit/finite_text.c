// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What functions take that work on a kernel's streams, and what they are called with: the run, and pointers to where the
// streams, or rows of them, begin.
#include "hlc/emit/finite_int.h"

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
    return arena_printf(finite_arena(g), "%s + svm_brookRow(%s, &%s->%s, %s)", p->name, g->space, g->self, p->walk,
                        row);
}

void finite_add_parameters(finite_graph *g, text_args *args)
{
    VEC_PUSH(finite_arena(g), args, arena_printf(finite_arena(g), "const %s *%s", g->kernel, g->self));
    for (VEC_EACH(const finite_port, p, &g->ports))
        if (p->source->role != SIR_ITERATOR)
            VEC_PUSH(finite_arena(g), args, finite_pointer(g, p, p->name));
}

void finite_add_arguments(finite_graph *g, text_args *args)
{
    VEC_PUSH(finite_arena(g), args, g->self);
    for (VEC_EACH(const finite_port, p, &g->ports))
        if (p->source->role != SIR_ITERATOR)
            VEC_PUSH(finite_arena(g), args, p->name);
}

void finite_add_row(finite_graph *g, text_args *args, const char *row, finite_given *given)
{
    VEC_PUSH(finite_arena(g), args, g->self);
    VEC_PUSH(finite_arena(g), args, row);
    for (VEC_EACH(const finite_port, p, &g->ports)) {
        const char *text = given == NULL ? NULL : given(g, p);
        if (text == NULL)
            text = finite_is_walked(p) ? finite_row_of(g, p, row) : p->name;
        if (p->source->role != SIR_ITERATOR)
            VEC_PUSH(finite_arena(g), args, text);
    }
}
