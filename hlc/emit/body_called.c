// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions that bodies call.
#include "hlc/emit/body_int.h"
#include "hlc/ir/walk.h"

void body_called_init(body_called *c, arena *a)
{
    *c = (body_called){.arena = a};
    hmap_init(&c->known, a);
}

bool body_is_called(const body_called *c, const sir_function *f)
{
    return hmap_getn(&c->known, &f, sizeof f) != NULL;
}

static void visit_call(void *context, sir_stmt *s)
{
    body_called *c = context;
    const sir_function *f = s->kind == SIR_CALL ? s->u.call.function : NULL;
    if (f == NULL || body_is_called(c, f))
        return;
    hmap_setn(&c->known, &f, sizeof f, c);
    VEC_PUSH(c->arena, &c->functions, f);
}

void body_add_called(body_called *c, const sir_function *f)
{
    size_t next = c->functions.len;
    sir_visit_stmts(&f->body, visit_call, c);
    for (; next < c->functions.len; next++)
        sir_visit_stmts(&c->functions.data[next]->body, visit_call, c);
}
