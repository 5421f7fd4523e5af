// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What functions get from their callers beside their own parameters, because of checks in them or in what they call.
//
// Whether there are such checks the text of a function tells. So it is written once for that, before the text of whatever
// calls it, with calls that pass nothing on, and forgotten.
#include "hlc/emit/body_int.h"
#include "hlc/ir/walk.h"

// Functions of helper blocks are no filter's.
static emit_filter_info *owner(emit_filter_info *info, const sir_function *f)
{
    if (f->kind == SIR_HANDLER)
        return info;
    for (size_t i = 0; info != NULL && i < info->filter->functions.len; i++)
        if (info->filter->functions.data[i] == f)
            return info;
    return NULL;
}

static bool has_callers(const sir_function *f)
{
    return f->kind == SIR_HELPER || f->kind == SIR_HANDLER;
}

static void find_own(emitter *e, emit_filter_info *info, const sir_function *f)
{
    if (!has_callers(f) || hmap_getn(&e->needs, &f, sizeof f) != NULL)
        return;
    body_needs *own = ARENA_NEW(e->arena, body_needs);
    *own = body_dry_needs(e, owner(info, f), f);
    hmap_setn(&e->needs, &f, sizeof f, own);
}

static void add_own(const emitter *e, const sir_function *f, body_needs *all)
{
    const body_needs *own = hmap_getn(&e->needs, &f, sizeof f);
    if (own == NULL)
        return;
    all->actor |= own->actor;
    all->pop_limit |= own->pop_limit;
    all->peek_limit |= own->peek_limit;
    all->push_limit |= own->push_limit;
}

void body_find_needs(emitter *e, emit_filter_info *info, const sir_function *f)
{
    sir_called called;
    sir_called_init(&called, e->arena);
    sir_add_called(&called, f);
    find_own(e, info, f);
    for (VEC_EACH(const sir_function *, g, &called.functions))
        find_own(e, info, *g);
}

body_needs body_needs_of(emitter *e, const sir_function *f)
{
    body_needs all = {0};
    sir_called called;
    sir_called_init(&called, e->arena);
    sir_add_called(&called, f);
    add_own(e, f, &all);
    for (VEC_EACH(const sir_function *, g, &called.functions))
        add_own(e, *g, &all);
    return all;
}
