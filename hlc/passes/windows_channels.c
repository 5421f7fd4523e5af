// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What filters need to become such with a window: room for more items on their channels, what these are at first, pops at
// the end of the body, and no fields that are state no more.
#include "hlc/ir/type_rules.h"
#include "hlc/ir/walk.h"
#include "hlc/passes/canonicalize.h"
#include "hlc/passes/pass.h"
#include "hlc/passes/windows_int.h"

static bool is_plain(const sir_module *m, const sir_filter *f)
{
    return !f->finite && f->stateful && f->prework == NULL && f->handlers.len == 0 && f->functions.len == 0 &&
           !f->sends && sir_is_scalar(f->input) && f->work->pop.max > 0 && pass_rates_proved(m, f->work);
}

// ---- Channels ----

static bool has_room(const sir_module *m, const sir_actor *a)
{
    if (a->inputs.len != 1 || a->least != 0 || pass_in_loop(m, a->region))
        return false;
    const sir_channel *c = &m->channels.data[a->inputs.data[0]];
    return c->initial.len == 0 && c->zeros == NULL;
}

// Filters that actors have, and those whose channels have no room.
typedef struct channel_facts {
    hmap had, unfit;
} channel_facts;

static void add_filter(hmap *set, const sir_filter *f)
{
    hmap_setn(set, &f, sizeof f, (void *)(uintptr_t)f);
}

static channel_facts find_channels(const sir_module *m, arena *a)
{
    channel_facts x;
    hmap_init(&x.had, a);
    hmap_init(&x.unfit, a);
    for (VEC_EACH(sir_actor *, actor, &m->actors)) {
        add_filter(&x.had, (*actor)->filter);
        if (!has_room(m, *actor))
            add_filter(&x.unfit, (*actor)->filter);
    }
    for (VEC_EACH(const sir_channel, c, &m->channels))
        if (c->zeros != NULL) {
            add_filter(&x.unfit, c->zeros->samples);
            add_filter(&x.unfit, c->zeros->phases);
        }
    return x;
}

// Whether all actors that have this filter have room on their channels.
static bool have_room(const channel_facts *x, const sir_filter *f)
{
    return hmap_getn(&x->had, &f, sizeof f) != NULL && hmap_getn(&x->unfit, &f, sizeof f) == NULL;
}

bool windows_try_all(hlc_program *p, bool try(hlc_program *p, sir_filter *f, arena *a))
{
    bool changed = false;
    arena *own = arena_create();
    channel_facts channels = find_channels(p->module, own);
    for (VEC_EACH(sir_filter *, f, &p->module->filters)) {
        if (!is_plain(p->module, *f) || !have_room(&channels, *f))
            continue;
        arena *a = arena_create();
        changed |= try(p, *f, a);
        arena_destroy(a);
    }
    arena_destroy(own);
    if (changed)
        sir_canonicalize(p->module, &(canon_options){0});
    return changed;
}

void windows_fill_channels(sir_module *m, const sir_filter *f, const sir_scalar *before, int64_t count)
{
    for (VEC_EACH(sir_actor *, actor, &m->actors)) {
        if ((*actor)->filter != f)
            continue;
        sir_channel *c = &m->channels.data[(*actor)->inputs.data[0]];
        for (int64_t i = 0; i < count; i++) {
            sir_value v = sir_value_new(m->arena, c->type);
            v.data[0] = before[i];
            VEC_PUSH(m->arena, &c->initial, v);
        }
        c->loc = f->loc;
    }
}

// ---- Bodies ----

void windows_add_pops(sir_module *m, sir_filter *filter)
{
    sir_function *f = filter->work;
    sir_stmt *pop = sir_stmt_new(m, SIR_POP, f->loc), *loop = pop;
    if (f->pop.max > 1) {
        loop = sir_stmt_new(m, SIR_FOR, f->loc);
        loop->u.for_.local = sir_local_new(m, f, "item", m->scalar[SIR_INT], f->loc);
        loop->u.for_.lo = sir_const_int(m, 0, f->loc);
        loop->u.for_.hi = sir_const_int(m, (int32_t)f->pop.max, f->loc);
        loop->u.for_.step = 1;
        VEC_PUSH(m->arena, &loop->u.for_.body, pop);
    }
    VEC_PUSH(m->arena, &f->body, loop);
}
