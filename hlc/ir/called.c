// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions that bodies call.
#include "hlc/ir/walk.h"

void sir_called_init(sir_called *c, arena *a)
{
    *c = (sir_called){.arena = a};
    hmap_init(&c->known, a);
}

bool sir_is_called(const sir_called *c, const sir_function *f)
{
    return hmap_getn(&c->known, &f, sizeof f) != NULL;
}

static void visit_call(void *context, sir_stmt *s)
{
    sir_called *c = context;
    const sir_function *f = s->kind == SIR_CALL ? s->u.call.function : NULL;
    if (f == NULL || sir_is_called(c, f))
        return;
    hmap_setn(&c->known, &f, sizeof f, c);
    VEC_PUSH(c->arena, &c->functions, f);
}

void sir_add_called(sir_called *c, const sir_function *f)
{
    size_t next = c->functions.len;
    sir_visit_stmts(&f->body, visit_call, c);
    for (; next < c->functions.len; next++)
        sir_visit_stmts(&c->functions.data[next]->body, visit_call, c);
}
