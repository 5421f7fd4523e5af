// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// About how long kernels take on a machine, and what runs cost beside: one estimate, for the length of strips, for who runs
// them, and for the mapping search.
#include "hlc/passes/pass.h"
#include "hlc/plan/bit_lanes.h"
#include "hlc/plan/evaluate.h"
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

double plan_actor_seconds(const plan_cut *cut, uint32_t actor)
{
    uint32_t of = cut->graph->actor_of[actor];
    return of == SIR_NONE ? 0 : cut->record->of[of].work;
}

double plan_cut_seconds(const plan_cut *cut)
{
    double sum = 0;
    for (uint32_t i = 0; i < cut->graph->module->actors.len; i++)
        sum += plan_actor_seconds(cut, i);
    return sum;
}

double plan_lanes_wasted(hlc_program *p, const plan_cut *cut, int64_t strip)
{
    const plan_net *graph = cut->graph;
    double wasted = 0, sum = 0;
    for (uint32_t i = 0; i < graph->module->actors.len; i++) {
        const sir_actor *a = graph->module->actors.data[i];
        const double seconds = plan_actor_seconds(cut, i);
        sum += seconds;
        if (a->kind != SIR_FILTER || graph->actor_of[i] == SIR_NONE || graph->schedule->reps[i] == 0)
            continue;
        double lanes = cut->record->of[graph->actor_of[i]].lanes;
        int64_t reps = graph->schedule->reps[i], firings = strip * reps,
                bits = lanes > 1 ? plan_bit_firings(p, cut->resources->processors.data[0].processor, a) : 0;
        if (bits != 0) // vectors that are filled in part take as long as others
            wasted += seconds * (double)((bits - firings % bits) % bits) / (double)firings;
        else if (lanes > 1)
            wasted += seconds * (lanes - 1) * (double)(strip % WORK_FIRINGS * (reps % WORK_FIRINGS) % WORK_FIRINGS) /
                      ((double)strip * (double)reps);
    }
    return sum > 0 ? wasted / sum : 0;
}

// ---- Overhead ----

// Of a strip, where windows are moved: its kernels' starts or, as engines work beside kernels, those of the transfers to or
// from its windows.
static double moved_starts(const plan_cut *cut)
{
    const plan_processor *q = &cut->resources->processors.data[0];
    double kernels = plan_start_seconds(q->processor) * (double)cut->kernels.len, loads = 0, stores = 0;
    for (VEC_EACH(const plan_stream, st, &cut->graph->streams)) {
        loads += st->to == SIR_NONE || q->load == NULL ? 0 : plan_start_seconds(q->load);
        stores += st->from == SIR_NONE || q->store == NULL ? 0 : plan_start_seconds(q->store);
    }
    double transfers = q->load == q->store ? loads + stores : loads > stores ? loads : stores;
    return kernels > transfers ? kernels : transfers;
}

plan_charges plan_charges_of(hlc_program *p)
{
    const plan *pl = p->plan;
    if (p->cut != NULL && plan_cut_move(p->cut))
        return (plan_charges){.starts = moved_starts(p->cut), .work = plan_cut_seconds(p->cut)};
    plan_charges c = {.kernel = machine_processor_by_name(p->machine, pl->processor)};
    double start = machine_seconds(c.kernel->kernel_start, c.kernel->clock) +
                   machine_seconds(c.kernel->kernel_stop, c.kernel->clock),
           zeros = 0, windows = 0;
    size_t stages = 0;
    for (VEC_EACH(plan_kernel, k, &pl->kernels))
        for (VEC_EACH(plan_item, item, &k->items))
            stages += item->stages.len;
    c.starts = (double)(pl->kernels.len + 1) * start;
    if (p->net != NULL)
        c.starts += NET_KERNEL_STARTS * start * (double)(p->net->kernels.len + p->net->streams.len);
    c.starts += (double)stages * (20 * machine_operation_seconds(c.kernel, MACHINE_OP_BRANCH));
    c.operations = plan_steady_operations(p);
    for (VEC_EACH(plan_buffer, b, &pl->buffers)) {
        double size = (double)plan_element_bytes(p->module, b->channel), bytes = (double)b->step * size;
        const sir_zeros *known = plan_zeros_of(p, b->channel);
        double moves = bytes / (known == NULL ? 1 : (double)known->every);
        c.moved += 2.0 * moves;
        zeros = bytes - moves > zeros ? bytes - moves : zeros; // of the largest: others may lie there
        c.kept += 2.0 * (double)b->keep * size;
        if (plan_end_of(pl, p->module, (uint32_t)(b - pl->buffers.data)) != PLAN_NONE)
            windows += bytes; // of queues, which kernels work on: they have no buffers
    }
    c.beside = windows - zeros;
    return c;
}

double plan_overhead(hlc_program *p, const plan_charges *c, const plan *pl)
{
    double n = (double)pl->strip, bytes = (double)pl->bytes + c->beside * n;
    if (pl->cut != NULL && plan_cut_move(pl->cut))
        return c->starts / n + plan_lanes_wasted(p, pl->cut, pl->strip) * c->work;
    double per_byte = plan_seconds_per_byte(p->machine, c->kernel, bytes);
    if (plan_computing_hides(p, c->operations, c->moved, bytes))
        return c->starts / n;
    return (c->starts + c->kept * per_byte) / n + c->moved * per_byte;
}
