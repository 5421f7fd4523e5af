// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fiss: the strips of kernels without state may run on all processors, at the price of repeating what channels inside a
// kernel keep where a chunk begins. Marks these kernels, finds what their chunks repeat (NOTE(priming) in cut.h), and takes
// what the shortest strips come to. strip-mine looks for longer ones. A kernel stays on one processor where chunks would
// repeat more than pays, or more than a round holds.
//
// NOTE(pays). Each of n processors does a chunk of a round, and primes for it: a round of R steady states takes R/n of them
// and the priming. One processor takes R steady states and does nothing again, but starts the kernel for n strips at least. So
// more processors are always faster than fewer, but one may be faster than all, where --max-latency or --strip keep rounds
// short. How long strips will be, strip-mine decides, and asks again; 'fiss' counts with the longest round that there can be.
#include <string.h>

#include "hlc/passes/pass.h"
#include "hlc/plan/evaluate.h"
#include "hlc/plan/plan_int.h"
#include "hlc/plan/thresholds.h"
#include "support/numbers.h"

// ---- Who stays ----

plan_cut *plan_cut_copy(arena *a, const plan_cut *cut)
{
    plan_cut *copy = ARENA_NEW(a, plan_cut);
    *copy = *cut;
    copy->kernels.data = ARENA_ARRAY(a, plan_cut_kernel, cut->kernels.len + 1);
    memcpy(copy->kernels.data, cut->kernels.data, cut->kernels.len * sizeof *cut->kernels.data);
    return copy;
}

// On one processor, because of an actor of the program.
static void keep(plan_cut_kernel *kernel, uint32_t actor, const plan_reason *why)
{
    kernel->parallel = false;
    kernel->pinned_by = actor;
    kernel->why = why;
}

static uint32_t first_actor(const plan_cut *cut, const plan_cut_kernel *kernel)
{
    return cut->graph->kernels.data[kernel - cut->kernels.data].actors.data[0];
}

const plan_cut *plan_cut_give_up(hlc_program *p, const plan_cut *cut)
{
    plan_cut *copy = plan_cut_copy(p->arena, cut);
    plan_cut_kernel *longest = &copy->kernels.data[0];
    for (VEC_EACH(plan_cut_kernel, kernel, &copy->kernels))
        longest = kernel->priming > longest->priming ? kernel : longest;
    keep(longest, first_actor(copy, longest),
         plan_reason_plain(p->config->max_latency != 0 ? PLAN_WHY_LATE_LOOK : PLAN_WHY_LONG_LOOK));
    plan_cut_prime(copy);
    return copy;
}

// What all processors that share a kernel take for a steady state, of what the fastest alone takes.
static double share_of_one(const plan_cut *cut, const plan_cut_kernel *kernel, size_t *processors)
{
    double rate = 0, fastest = 0;
    *processors = 0;
    for (uint32_t q = 0; q < cut->resources->ordinary; q++) {
        if (kernel->on[q] < 0)
            continue;
        double here = 1 / (kernel->on[q] + 1e-18);
        rate += here;
        fastest = here > fastest ? here : fastest;
        ++*processors;
    }
    return rate > 0 ? fastest / rate : 1;
}

const plan_cut *plan_cut_paying(hlc_program *p, const plan_cut *cut, int64_t round)
{
    plan_cut *copy = NULL;
    for (size_t i = 0; i < cut->kernels.len; i++) {
        const plan_cut_kernel *kernel = &cut->kernels.data[i];
        size_t processors;
        double steady = kernel->seconds * (double)round, share = share_of_one(cut, kernel, &processors);
        double starts = plan_start_seconds(cut->resources->processors.data[0].processor) * ((double)processors - 1);
        if (!kernel->parallel || processors < 2 || share * steady + kernel->primed < steady + starts)
            continue;
        copy = copy != NULL ? copy : plan_cut_copy(p->arena, cut);
        keep(&copy->kernels.data[i], first_actor(cut, kernel),
             plan_reason_of(p->arena, (plan_reason){PLAN_WHY_CHUNKS_COST, .counts = {(int64_t)processors, round}}));
    }
    if (copy != NULL)
        plan_cut_prime(copy);
    return copy != NULL ? copy : cut;
}

// ---- Priming ----

void plan_cut_prime(plan_cut *cut)
{
    const schedule *s = cut->graph->schedule;
    for (uint32_t i = 0; i < cut->kernels.len; i++) {
        plan_cut_kernel *kernel = &cut->kernels.data[i];
        uint32_t actor;
        kernel->repeat = kernel->priming = 0;
        kernel->primed = 0;
        if (kernel->parallel && cut->resources->ordinary > 1 && !plan_kernel_repeat(cut, i, &kernel->repeat, &actor))
            keep(kernel, cut->graph->actor_of[actor], plan_reason_plain(PLAN_WHY_FIRST_ITEMS));
    }
    for (uint32_t i = 0; i < cut->graph->module->actors.len && cut->resources->ordinary > 1;
         i++) { // on one, runs go on
        plan_cut_kernel *kernel = &cut->kernels.data[cut->graph->kernel_of[i]];
        if (!kernel->parallel || s->reps[i] == 0 || cut->graph->actor_of[i] == SIR_NONE)
            continue;
        int64_t states = number_divide_up(s->init[i], s->reps[i]) + kernel->repeat;
        kernel->priming = number_max(kernel->priming, states);
        kernel->primed +=
            plan_actor_seconds(cut, i) * ((double)s->init[i] / (double)s->reps[i] + (double)kernel->repeat);
        if (states > FISS_MOST_PRIMING)
            keep(kernel, cut->graph->actor_of[i], plan_reason_plain(PLAN_WHY_LONG_PRIMING));
    }
    cut->priming = 0;
    for (VEC_EACH(plan_cut_kernel, kernel, &cut->kernels)) {
        kernel->repeat = kernel->parallel ? kernel->repeat : 0;
        kernel->priming = kernel->parallel ? kernel->priming : 0;
        kernel->primed = kernel->parallel ? kernel->primed : 0;
        cut->priming = number_max(cut->priming, kernel->priming);
    }
}

// ---- The pass ----

void plan_cut_gather(plan_cut *cut)
{
    for (VEC_EACH(plan_cut_kernel, kernel, &cut->kernels))
        kernel->parallel = false;
    cut->depth = plan_cut_fewest_windows(cut);
    cut->strips = cut->slots = cut->rounds = 0;
    cut->where = NULL;
    cut->queues.len = 0;
    plan_cut_prime(cut);
}

// Steady states of the longest round that there can be.
static int64_t longest_round(const hlc_program *p, int64_t shortest)
{
    int64_t strip = p->config->strip != 0 ? shortest : plan_greatest_strip(p, STRIP_MOST);
    int64_t round = ASSIGN_STRIPS * strip, latency = p->config->max_latency;
    return latency != 0 && latency < round ? latency : round;
}

bool plan_pass_fiss(hlc_program *p)
{
    if (p->cut == NULL)
        return p->net != NULL && plan_net_assign(p);
    plan_cut_gather(p->cut);
    for (VEC_EACH(plan_cut_kernel, kernel, &p->cut->kernels))
        kernel->parallel = kernel->why == NULL;
    plan_cut_prime(p->cut);
    plan_candidate c = plan_candidate_of(p);
    plan_evaluation e = plan_evaluate_shortest(p, &c);
    const plan_cut *paying = plan_cut_paying(p, c.cut, longest_round(p, c.strip));
    if (paying != c.cut) {
        c.cut = paying;
        e = plan_evaluate_shortest(p, &c);
    }
    plan_take(p, &e);
    plan_remark_fiss(p);
    return true;
}
