// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Filters whose firings SVM C computes side by side in vectors (hlc/emit/lanes.c): what the plan does for them. Their
// items lie best with equal ones of successive firings side by side, and runs should have firings for all lanes.
//
// This is a guess, since only emission knows all; where it is wrong programs are slower, not other ones.
#include "hlc/ir/lanes.h"
#include "hlc/ir/walk.h"
#include "hlc/passes/pass.h"
#include "hlc/plan/plan_int.h"

// Levels of -O from which firings go side by side; operations of a firing, trips of a loop, from which that is worth it;
// bytes of local arrays that stay in the first cache for all lanes.
enum { LANES_LEVEL = 2, LANES_OPERATIONS = 96, LANES_TRIPS = 12, LANES_BYTES = 16384 };

static bool is_item_type(const sir_module *m, const sir_type *t)
{
    return t->kind == SIR_INT || t->kind == SIR_FLOAT || (t->kind == SIR_BIT && !m->byte_bits);
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

bool plan_runs_in_lanes(hlc_program *p, uint32_t actor)
{
    const sir_actor *a = p->module->actors.data[actor];
    const machine_processor *kernel = machine_processor_by_name(p->machine, p->plan->processor);
    if (a->kind != SIR_FILTER || p->config->no_lanes || p->config->opt_level < LANES_LEVEL || kernel == NULL ||
        kernel->simd_width < PLAN_LEAST_VECTOR)
        return false;
    const sir_function *work = a->filter->work;
    bool loops = false, *locals = ARENA_ARRAY(p->arena, bool, work->locals.len + 1);
    if (!plan_filter_can_fuse_horizontally(a->filter) || !is_item_type(p->module, a->filter->input) ||
        !is_item_type(p->module, a->filter->output) ||
        plan_actor_operations(p->arena, p->module, actor) < LANES_OPERATIONS)
        return false;
    sir_visit_stmts(&work->body, find_loop, &loops);
    if (!loops || !sir_lane_locals(work, locals))
        return false;
    uint64_t words = 0;
    for (size_t i = 0; i < work->locals.len; i++)
        words += locals[i] && work->locals.data[i].type->kind == SIR_ARRAY ? work->locals.data[i].type->words : 0;
    return words * sizeof(float) * PLAN_LANES <= LANES_BYTES;
}
