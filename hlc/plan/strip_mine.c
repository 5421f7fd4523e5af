// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// strip-mine: how many steady states a run of the kernels covers. Long strips spread the cost of starting kernels and
// of moving what channels keep over more steady states; short ones keep the channels in the near caches and let output
// appear soon. Where the program is cut into kernels, each length that is tried is assigned (as fiss assigns) and its buffers
// get addresses (as allocate gives them), since both say what fits; the length is what is kept, with the assignment for it.
#include <inttypes.h>
#include <string.h>

#include "hlc/passes/pass.h"
#include "hlc/plan/bit_lanes.h"
#include "hlc/plan/plan_int.h"
#include "hlc/plan/threads.h"
#include "hlc/plan/thresholds.h"

// The machine's costs of a plan.
typedef struct costs {
    const machine_processor *kernel;
    double start;      // of a kernel
    double streams;    // to run all once, beside the starts of kernels: what their streams add
    double per_call;   // of a stage
    double operations; // of a steady state
    double moved;      // bytes that pass through channels in a steady state, in and out
    double kept;       // bytes that move to the front after a run
    double windows;    // bytes of queues where kernels work on them, which have no buffers there
    double zeros;      // bytes of a buffer that are known to be zeros, and are left alone; of the largest: others may lie there
    size_t kernels, stages;
} costs;

static costs find_costs(hlc_program *p)
{
    const plan *pl = p->plan;
    costs c = {.kernel = machine_processor_by_name(p->machine, pl->processor), .kernels = pl->kernels.len};
    bool direct = p->cut == NULL || !plan_cut_move(p->cut); // strips are trips of a loop in a run
    c.start = machine_seconds(c.kernel->kernel_start, c.kernel->clock) +
              machine_seconds(c.kernel->kernel_stop, c.kernel->clock);
    if (!direct) // one control processor starts the strips of all, and hears of their ends
        c.start *= 2 * (double)p->cut->resources->processors.len;
    else if (p->net != NULL)
        c.streams = NET_KERNEL_STARTS * c.start * (double)(p->net->kernels.len + p->net->streams.len);
    c.per_call = 20 * machine_operation_seconds(c.kernel, MACHINE_OP_BRANCH);
    c.operations = plan_steady_operations(p);
    for (VEC_EACH(plan_kernel, k, &pl->kernels))
        for (VEC_EACH(plan_item, item, &k->items))
            c.stages += item->stages.len;
    for (VEC_EACH(plan_buffer, b, &pl->buffers)) {
        uint64_t size = plan_element_bytes(p->module, b->channel);
        const sir_zeros *known = plan_zeros_of(p, b->channel);
        double moves = (double)b->step * (double)size / (known == NULL ? 1 : (double)known->every),
               left = (double)b->step * (double)size - moves;
        c.moved += 2.0 * moves;
        c.zeros = left > c.zeros ? left : c.zeros;
        c.kept += 2.0 * (double)b->keep * (double)size;
        if (p->cut != NULL && direct && plan_end_of(pl, p->module, (uint32_t)(b - pl->buffers.data)) != PLAN_NONE)
            c.windows += (double)b->step * (double)size;
    }
    return c;
}

// Bytes that a strip works on.
static double bytes_of(const costs *c, const plan *pl)
{
    return (double)pl->bytes + (c->windows - c->zeros) * (double)pl->strip;
}

// Seconds that a steady state costs beside its own operations.
static double overhead(const hlc_program *p, const costs *c)
{
    double bytes = bytes_of(c, p->plan), n = (double)p->plan->strip;
    double per_byte = plan_seconds_per_byte(p->machine, c->kernel, bytes);
    double begins = (double)(c->kernels + 1) * c->start + c->streams + (double)c->stages * c->per_call;
    if (plan_computing_hides(p, c->operations, c->moved, bytes))
        return begins / n;
    return (begins + c->kept * per_byte) / n + c->moved * per_byte;
}

static bool settle(hlc_program *p, int64_t strip)
{
    p->plan->strip = strip;
    return plan_settle(p->arena, p->diag, p->plan, p->module, p->schedule);
}

// Cycles that count items when they run and print cannot mark the steady states of a longer strip.
static bool must_be_single(const hlc_program *p)
{
    if (plan_printing_actors(p->arena, p->module).len < 2 || p->net != NULL)
        return false;
    for (VEC_EACH(plan_kernel, k, &p->plan->kernels))
        for (VEC_EACH(plan_item, item, &k->items))
            for (size_t i = 0; item->cycle >= 0 && item->steps.len == 0 && i < item->stages.len; i++) {
                const sir_actor *a = p->module->actors.data[item->stages.data[i].actor];
                if (a->kind == SIR_FILTER && a->filter->prints)
                    return true;
            }
    return false;
}

static int64_t choose_strip(hlc_program *p)
{
    costs c = find_costs(p);
    int64_t best = 1;
    double least = 0;
    int64_t greatest = p->plan->most != 0 ? p->plan->most : STRIP_STEADY_STATES;
    if (p->config->max_latency != 0 && p->config->max_latency < greatest)
        greatest = p->config->max_latency;
    if (p->cut != NULL)
        greatest = plan_cut_greatest(p, greatest);
    int64_t threads = plan_threads_strip(p);
    for (int64_t n = 1; n <= greatest; n *= 2) {
        if (n > 1 && (((double)n * c.operations > STRIP_OPERATIONS && n / 2 >= threads) ||
                      c.moved * (double)n / 2 > (double)STRIP_BYTES))
            break;
        if (!settle(p, n))
            return best;
        plan_assign_addresses(p->arena, p->plan, p->module, p->schedule); // as 'allocate' will
        double cost = overhead(p, &c);
        if (n == 1 || cost < 0.98 * least || n / 2 < threads) {
            best = n;
            least = cost;
        }
        if (cost > 4 * least || p->plan->bytes > STRIP_BYTES)
            break;
    }
    return best;
}

// Firings side by side that fill vectors, or are done at once; 0: they go one by one.
static int64_t lanes_of(hlc_program *p, const machine_processor *kernel, uint32_t actor)
{
    const sir_actor *a = p->module->actors.data[actor];
    if (a->kind == SIR_FILTER && a->filter->ahead != NULL && p->config->fast_math)
        return PLAN_AHEAD_CALLS * (a->filter->ahead->push.max / a->filter->work->push.max);
    if (a->kind == SIR_FILTER && plan_bit_lanes_of(p, kernel) != 0) {
        const plan_bit_lanes *b = plan_bit_lanes_for(p, kernel, a->filter);
        if (b->network != NULL)
            return b->lanes;
    }
    return plan_runs_in_lanes(p, actor) ? PLAN_LANES : 0;
}

// Steady states that give all filters whose firings go side by side enough of them, if the channels then fit the second
// cache: firings one by one cost more than it does.
static int64_t fill_lanes(hlc_program *p, int64_t strip)
{
    const machine_processor *kernel = machine_processor_by_name(p->machine, p->plan->processor);
    int64_t wanted = strip;
    if ((p->cut != NULL && plan_cut_move(p->cut)) || p->net != NULL || kernel->caches.len < 2)
        return strip;
    for (VEC_EACH(plan_kernel, k, &p->plan->kernels))
        for (VEC_EACH(plan_item, item, &k->items))
            for (VEC_EACH(plan_stage, st, &item->stages)) {
                int64_t firings = p->schedule->reps[st->actor],
                        lanes = st->kind == PLAN_FIRE ? lanes_of(p, kernel, st->actor) : 0;
                if (firings * wanted < lanes)
                    wanted = (lanes + firings - 1) / firings;
            }
    if (p->plan->most != 0 && wanted > p->plan->most)
        wanted = p->plan->most;
    if (p->config->max_latency != 0 && wanted > p->config->max_latency)
        wanted = p->config->max_latency;
    if (wanted == strip || !settle(p, wanted))
        return strip;
    plan_assign_addresses(p->arena, p->plan, p->module, p->schedule);
    return 2 * p->plan->bytes <= p->machine->memories.data[kernel->caches.data[1].index].size ? wanted : strip;
}

bool plan_pass_strip_mine(hlc_program *p)
{
    int64_t before = p->plan->strip, strip = p->config->strip;
    if (p->config->max_latency != 0 && strip > p->config->max_latency) {
        diag_error_at(p->diag, NULL,
                      "--strip=%" PRId64 " contradicts --max-latency=%" PRId64
                      ": a strip is taken in whole before its output is written",
                      strip, p->config->max_latency);
        return false;
    }
    if (p->cut != NULL)
        p->cut->where = NULL; // assigned anew
    if (must_be_single(p)) {
        if (strip > 1)
            diag_warning(p->diag, WARN_STRIP, (src_range){0},
                         "a strip is one steady state here: a feedback loop that prints has no inner schedule");
        strip = 1;
    }
    if (strip == 0 && p->cut != NULL && plan_cut_move(p->cut)) {
        strip = plan_cut_longest(p);
        if (strip == 0) {
            if (!diag_has_errors(p->diag)) // it fits, but cannot be assigned
                (void)plan_cut_strip(p, 1);
            return false;
        }
    } else if (strip == 0) {
        strip = fill_lanes(p, choose_strip(p));
        if (p->plan->where.len != 0 && p->plan->rounds > 1 && strip > STRIP_NET)
            strip = STRIP_NET;
        if (p->config->opt_level == 0 && strip > STRIP_PLAIN)
            strip = STRIP_PLAIN;
    }
    if (p->plan->most != 0 && strip > p->plan->most) {
        diag_warning(p->diag, WARN_STRIP, (src_range){0},
                     "a strip is %" PRId64 " steady states here: the layout of the buffers has room for no more",
                     p->plan->most);
        strip = p->plan->most;
    }
    if (p->cut != NULL ? !plan_cut_strip(p, strip) : !settle(p, strip))
        return false;
    if (p->cut != NULL && !plan_cut_pays(p, p->cut->strips * p->plan->strip) && !plan_cut_strip(p, p->plan->strip))
        return false;
    bool offloads = false;
    for (VEC_EACH(const plan_net_place, where, &p->plan->where))
        offloads |= where->offload.len != 0;
    if (offloads && !plan_net_settle_offloads(p) && !settle(p, strip))
        return false;
    if (p->cut != NULL)
        plan_cut_search(p);
    if (p->cut != NULL && !p->config->no_straight)
        plan_cut_find_straight(p->arena, p->cut);
    plan_forget_addresses(p->plan);
    plan_remark_strip_mine(p);
    return p->plan->strip != before || p->cut != NULL || offloads;
}
