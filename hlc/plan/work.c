// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// About how long kernels take on a machine: one estimate, for the length of strips, for assignment them, and for the mapping
// search.
#include "hlc/passes/pass.h"
#include "hlc/plan/bit_lanes.h"
#include "hlc/plan/cut.h"
#include "hlc/plan/plan_int.h"
#include "hlc/plan/thresholds.h"

double plan_start_seconds(const machine_processor *x)
{
    double start = machine_seconds(x->kernel_start, x->clock), stop = machine_seconds(x->kernel_stop, x->clock);
    return (start > 0 ? start : 0) + (stop > 0 ? stop : 0);
}

double plan_seconds_an_operation(const machine_processor *x)
{
    return x->clock > 0 ? 1 / x->clock : 1e-9;
}

static const machine_processor *first_processor(const hlc_program *p)
{
    return p->cut->resources->processors.data[0].processor;
}

double *plan_actor_seconds(hlc_program *p)
{
    const plan_net *graph = p->cut->graph;
    size_t n = graph->module->actors.len;
    double *seconds = ARENA_ARRAY(p->arena, double, n + 1), cycle = plan_seconds_an_operation(first_processor(p));
    for (uint32_t i = 0; i < n; i++)
        if (graph->actor_of[i] != SIR_NONE) {
            const plan_record_actor *a = &p->cut->record->of[graph->actor_of[i]];
            seconds[i] = a->operations * cycle / a->lanes;
        }
    return seconds;
}

double plan_steady_seconds(hlc_program *p)
{
    const double *seconds = plan_actor_seconds(p);
    double sum = 0;
    for (size_t i = 0; i < p->cut->graph->module->actors.len; i++)
        sum += seconds[i];
    return sum;
}

// Firings that go side by side as bits; 0: they do not.
static int64_t bit_lanes(hlc_program *p, const sir_actor *a)
{
    const machine_processor *x = first_processor(p);
    if (a->kind != SIR_FILTER || plan_bit_lanes_of(p, x) == 0)
        return 0;
    const plan_bit_lanes *b = plan_bit_lanes_for(p, x, a->filter);
    return b->network == NULL ? 0 : b->lanes;
}

plan_lane_use plan_lane_use_of(hlc_program *p)
{
    const plan_net *graph = p->cut->graph;
    size_t n = graph->module->actors.len;
    plan_lane_use use = {.p = p, .seconds = plan_actor_seconds(p), .lanes = ARENA_ARRAY(p->arena, double, n + 1)};
    for (uint32_t i = 0; i < n; i++) {
        bool fires = graph->module->actors.data[i]->kind == SIR_FILTER && graph->actor_of[i] != SIR_NONE;
        use.lanes[i] = fires ? p->cut->record->of[graph->actor_of[i]].lanes : 1;
        use.sum += use.seconds[i];
    }
    return use;
}

double plan_lanes_wasted(const plan_lane_use *use, int64_t strip)
{
    const plan_net *graph = use->p->cut->graph;
    double wasted = 0;
    for (size_t i = 0; i < graph->module->actors.len; i++) {
        if (graph->actor_of[i] == SIR_NONE || use->lanes[i] <= 1 || graph->schedule->reps[i] == 0)
            continue;
        int64_t bits = bit_lanes(use->p, graph->module->actors.data[i]), firings = strip * graph->schedule->reps[i];
        if (bits != 0) { // vectors that are filled in part take as long as others
            wasted += use->seconds[i] * (double)((bits - firings % bits) % bits) / (double)firings;
            continue;
        }
        int64_t left = strip % WORK_FIRINGS * (graph->schedule->reps[i] % WORK_FIRINGS) % WORK_FIRINGS;
        wasted +=
            use->seconds[i] * (use->lanes[i] - 1) * (double)left / ((double)strip * (double)graph->schedule->reps[i]);
    }
    return use->sum > 0 ? wasted / use->sum : 0;
}
