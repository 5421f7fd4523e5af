// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What several passes do with the filters of a module.
#include <string.h>

#include "hlc/passes/pass.h"
#include "targets/machine.h"

sir_filter *pass_copy_filter(sir_module *m, const sir_filter *f)
{
    arena *a = m->arena;
    sir_filter *r = ARENA_NEW(a, sir_filter);
    *r = *f;
    memset(&r->fields, 0, sizeof r->fields);
    for (VEC_EACH(sir_field, field, &f->fields))
        VEC_PUSH(a, &r->fields, *field);
    r->work = ARENA_NEW(a, sir_function);
    *r->work = *f->work;
    memset(&r->work->locals, 0, sizeof r->work->locals);
    for (VEC_EACH(sir_local, local, &f->work->locals))
        VEC_PUSH(a, &r->work->locals, *local);
    return r;
}

void pass_drop_filters(sir_module *m)
{
    arena *a = arena_create();
    hmap used;
    hmap_init(&used, a);
    for (VEC_EACH(sir_actor *, actor, &m->actors))
        if ((*actor)->filter != NULL)
            hmap_setn(&used, &(*actor)->filter, sizeof(sir_filter *), m);
    for (VEC_EACH(const sir_channel, c, &m->channels))
        if (c->zeros != NULL) {
            hmap_setn(&used, &c->zeros->samples, sizeof(sir_filter *), m);
            hmap_setn(&used, &c->zeros->phases, sizeof(sir_filter *), m);
        }
    size_t kept = 0;
    for (size_t i = 0; i < m->filters.len; i++)
        if (hmap_getn(&used, &m->filters.data[i], sizeof(sir_filter *)) != NULL)
            m->filters.data[kept++] = m->filters.data[i];
    m->filters.len = kept;
    arena_destroy(a);
}

bool pass_waits(const sir_function *work)
{
    return work->peek.dynamic || work->peek.max > work->pop.max;
}

// Floats of a vector at least.
enum { LEAST_LANES = 4 };

bool pass_has_vectors(const hlc_program *p)
{
    const struct machine *m = p->machine;
    bool vectors = m == NULL;
    for (size_t i = 0; m != NULL && i < m->processors.len; i++)
        vectors |= m->processors.data[i].kind == MACHINE_processor_kind_KERNEL &&
                   m->processors.data[i].simd_width >= LEAST_LANES * sizeof(float);
    return vectors;
}
