// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Filters whose firings SVM C computes side by side in vectors (hlc/emit/lanes.c): what the plan does for them. Their
// items lie best with equal ones of successive firings side by side, and runs should have firings for all lanes.
//
// This is a guess, since only emission knows all; where it is wrong programs are slower, not other ones.
#include <inttypes.h>
#include <string.h>

#include "hlc/ir/lanes.h"
#include "hlc/ir/narrow.h"
#include "hlc/ir/walk.h"
#include "hlc/passes/pass.h"
#include "hlc/plan/bit_lanes.h"
#include "hlc/plan/plan_int.h"
#include "hlc/plan/thresholds.h"

static bool is_item_type(const sir_module *m, const sir_type *t)
{
    return (t->kind == SIR_INT && t->storage == SIR_STORED_WHOLE) || t->kind == SIR_FLOAT ||
           (t->kind == SIR_BIT && !m->byte_bits);
}

static void find_loop(void *context, sir_stmt *s)
{
    bool *found = context;
    if (s->kind == SIR_LOOP)
        *found = true;
    if (s->kind != SIR_FOR)
        return;
    bool known = s->u.for_.lo->kind == SIR_CONST && s->u.for_.hi->kind == SIR_CONST && s->u.for_.step != 0;
    int64_t trips = known ? ((int64_t)s->u.for_.hi->u.value.i - s->u.for_.lo->u.value.i) / s->u.for_.step : LANES_TRIPS;
    *found = *found || trips >= LANES_TRIPS;
}

// loops: whether it needs a loop for that.
static bool may_run(arena *a, const sir_module *m, const sir_filter *f, bool needs_loops)
{
    const sir_function *work = f->work;
    bool loops = !needs_loops, *locals = ARENA_ARRAY(a, bool, work->locals.len + 1);
    if (!plan_filter_can_fuse_horizontally(f) || !is_item_type(m, f->input) || !is_item_type(m, f->output))
        return false;
    sir_visit_stmts(&work->body, find_loop, &loops);
    if (!loops || !sir_lane_locals(work, locals))
        return false;
    uint64_t words = 0;
    for (size_t i = 0; i < work->locals.len; i++)
        words += locals[i] && work->locals.data[i].type->kind == SIR_ARRAY ? work->locals.data[i].type->words : 0;
    return words * sizeof(float) * PLAN_LANES <= LANES_BYTES;
}

bool plan_may_run_in_lanes(arena *a, const sir_module *m, const sir_filter *f)
{
    return may_run(a, m, f, true);
}

static bool runs_in_lanes(hlc_program *p, const machine_processor *kernel, uint32_t actor, bool needs_loops)
{
    const sir_actor *a = p->module->actors.data[actor];
    return a->kind == SIR_FILTER && kernel != NULL && machine_vector_bytes(kernel) >= PLAN_LEAST_VECTOR &&
           may_run(p->arena, p->module, a->filter, needs_loops) &&
           plan_actor_operations(p->arena, p->module, actor) >= LANES_OPERATIONS;
}

bool plan_runs_in_lanes(hlc_program *p, uint32_t actor)
{
    return !p->config->no_lanes && p->config->opt_level >= LANES_LEVEL &&
           runs_in_lanes(p, machine_processor_by_name(p->machine, p->plan->processor), actor, true);
}

bool plan_runs_in_planes(hlc_program *p, uint32_t actor)
{
    return !p->config->no_lanes && p->config->opt_level >= LANES_LEVEL &&
           runs_in_lanes(p, machine_processor_by_name(p->machine, p->plan->processor), actor, false);
}

static void find_counted(void *context, sir_expr *e, bool written)
{
    (void)written;
    *(bool *)context |= e->kind == SIR_PEEK && e->u.arg[0]->kind != SIR_CONST;
}

static bool only_drops(const sir_block *b)
{
    return b->len == 1 && b->data[0]->kind == SIR_POP && b->data[0]->u.set.target == NULL;
}

bool plan_names_items(const sir_function *work)
{
    bool counted = false;
    for (VEC_EACH(sir_stmt *, s, &work->body)) {
        counted |= (*s)->kind == SIR_FOR ? !only_drops(&(*s)->u.for_.body)
                                         : (*s)->kind != SIR_DECL && (*s)->kind != SIR_SET && (*s)->kind != SIR_POP &&
                                               (*s)->kind != SIR_PUSH;
        sir_visit_exprs(*s, find_counted, &counted);
    }
    return !counted;
}

typedef struct serial_walk {
    bool *own; // per local: declared in the loop
    bool carried;
    arena *arena;
    size_t locals;
} serial_walk;

static void find_carried(void *context, sir_stmt *s)
{
    serial_walk *w = context;
    const sir_expr *root = sir_assigned_root(s);
    w->carried |= root != NULL && root->kind == SIR_LOCAL && !w->own[root->index];
}

static void find_serial(void *context, sir_stmt *s)
{
    serial_walk *w = context;
    bool many = false;
    w->carried |= s->kind == SIR_LOOP;
    find_loop(&many, s);
    if (!many || s->kind != SIR_FOR)
        return;
    serial_walk inner = {.own = ARENA_ARRAY(w->arena, bool, w->locals + 1)};
    sir_declared_locals(&s->u.for_.body, inner.own);
    sir_visit_stmts(&s->u.for_.body, find_carried, &inner);
    w->carried |= inner.carried;
}

// Whether a loop of many trips has what one trip leaves to the next, or data end one: the C compiler makes no vectors of that.
static bool has_serial_loop(hlc_program *p, const sir_function *work)
{
    serial_walk w = {.arena = p->arena, .locals = work->locals.len};
    sir_visit_stmts(&work->body, find_serial, &w);
    return w.carried;
}

// NOTE(narrow). Ints that need few bits take few bytes in channels, tables and local arrays, so that the C compiler's
// vectors hold more of them. Filters whose firings go side by side in vectors of ours, or as bits, keep ints.
bool plan_should_narrow(const hlc_program *p)
{
    const machine_processor *x = plan_bit_processor(p);
    return !p->config->no_narrow && p->config->opt_level >= LANES_LEVEL && x != NULL &&
           machine_vector_bytes(x) >= PLAN_LEAST_VECTOR && x->caches.len != 0;
}

// A copy with a name of its own.
static sir_filter *copy_filter(sir_module *m, const sir_filter *f)
{
    sir_filter *r = pass_copy_filter(m, f);
    bool taken = true;
    for (uint32_t n = 2; taken; n++) {
        r->name = arena_printf(m->arena, "%s_%" PRIu32, f->name, n);
        taken = false;
        for (VEC_EACH(sir_filter *, other, &m->filters))
            taken = taken || strcmp((*other)->name, r->name) == 0;
    }
    VEC_PUSH(m->arena, &m->filters, r);
    return r;
}

void plan_narrow(hlc_program *p)
{
    const machine_processor *x = plan_bit_processor(p);
    sir_module *m = p->module;
    bool *keep = ARENA_ARRAY(p->arena, bool, m->actors.len + 1);
    hmap known; // by filter
    hmap_init(&known, p->arena);
    for (uint32_t i = 0; i < m->actors.len; i++) {
        const sir_actor *a = m->actors.data[i];
        if (a->kind != SIR_FILTER || (a->filter->input->kind != SIR_INT && a->filter->output->kind != SIR_INT))
            continue;
        bool *wide = hmap_getn(&known, &a->filter, sizeof a->filter);
        if (wide == NULL) {
            const plan_bit_lanes *bits = plan_bit_lanes_for(p, x, a->filter);
            wide = ARENA_NEW(p->arena, bool);
            *wide = bits->network != NULL || (runs_in_lanes(p, x, i, true) && has_serial_loop(p, a->filter->work));
            hmap_setn(&known, &a->filter, sizeof a->filter, wide);
        }
        keep[i] = *wide;
    }
    for (VEC_EACH(const sir_channel, c, &m->channels))
        if (c->zeros != NULL)
            keep[c->producer] = keep[c->consumer] = true;
    sir_split_narrow(m, keep, copy_filter);
    size_t count = sir_find_narrow(m, keep);
    if (p->diag->remarks && count != 0)
        diag_remark(p->diag, sir_range(m, p->sources, m->regions.data[0].loc),
                    "items of %zu channels are known to need few bits, and take one or two bytes instead of four [map]",
                    count);
}
