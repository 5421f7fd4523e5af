// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of actors: the filter's where there is one instance, else numbered.
#include "hlc/elaborate/graph.h"

const char *graph_base(graph *g, const elab_inst *inst, const char *suffix)
{
    const elab_inst *named = inst;
    while (named->decl->name == NULL && named->parent != NULL)
        named = named->parent;
    const char *name = named->decl->name == NULL ? "program" : named->decl->name;
    return arena_printf(g->x->scratch, "%s%s%s", name, named == inst ? "" : "_anon", suffix);
}

static uintptr_t count(hmap *counts, const char *base, uintptr_t more)
{
    uintptr_t n = (uintptr_t)hmap_get(counts, base) + more;
    if (more > 0)
        hmap_set(counts, base, (void *)n);
    return n;
}

void graph_name_actors(graph *g)
{
    hmap counts, taken;
    hmap_init(&counts, g->x->scratch);
    hmap_init(&taken, g->x->scratch);
    for (size_t i = 0; i < g->bases.len; i++)
        count(&counts, g->bases.data[i], 1);
    // The plain names first, so that numbers go around them.
    for (int numbered = 0; numbered < 2; numbered++) {
        for (size_t i = 0; i < g->bases.len; i++) {
            const char *base = g->bases.data[i];
            if ((count(&counts, base, 0) > 1) == (numbered == 1))
                g->m->actors.data[i]->name = elab_unique(g->x, &taken, base, numbered == 1);
        }
    }
}
