// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fiss: the strips of kernels without state may run on all processors, at the price of repeating what channels inside a
// kernel keep where a chunk begins. Marks these kernels, finds what their chunks repeat (NOTE(priming) in cut.h), and
// assigns a round of the shortest strips (assign.c). strip-mine assigns again, for each length of strips that it tries. A
// kernel stays on one processor where chunks would repeat more than pays, or more than a round holds.
//
// NOTE(pays). Each of n processors does a chunk of a round, and primes for it: a round of R steady states takes R/n of them
// and the priming. One processor takes R steady states and does nothing again, but starts the kernel for n strips at least. So
// more processors are always faster than fewer, but one may be faster than all, where --max-latency or --strip keep rounds
// short. How long strips will be, strip-mine decides, and asks again; 'fiss' counts with the longest round that there can be.
#include "hlc/passes/pass.h"
#include "hlc/plan/cut.h"
#include "hlc/plan/plan_int.h"
#include "hlc/plan/thresholds.h"

// ---- Priming ----

static void find_priming(plan_cut *cut)
{
    cut->priming = 0;
    for (VEC_EACH(plan_cut_kernel, kernel, &cut->kernels))
        kernel->priming = 0;
    for (size_t i = 0; i < cut->graph->module->actors.len; i++) {
        plan_cut_kernel *kernel = &cut->kernels.data[cut->graph->kernel_of[i]];
        kernel->priming = cut->primes[i] > kernel->priming ? cut->primes[i] : kernel->priming;
        cut->priming = kernel->priming > cut->priming ? kernel->priming : cut->priming;
    }
}

static void keep(plan_cut *cut, uint32_t kernel, uint32_t actor, plan_why why)
{
    plan_cut_kernel *x = &cut->kernels.data[kernel];
    x->parallel = false;
    x->pinned_by = cut->graph->actor_of[actor];
    x->why = plan_reason_plain(why);
}

static void find_repeats(plan_cut *cut)
{
    for (uint32_t i = 0; i < cut->kernels.len; i++) {
        plan_cut_kernel *kernel = &cut->kernels.data[i];
        uint32_t actor;
        kernel->repeat = 0;
        if (kernel->parallel && !plan_kernel_repeat(cut, i, &kernel->repeat, &actor))
            keep(cut, i, actor, PLAN_WHY_FIRST_ITEMS);
    }
}

double plan_cut_repeats(const plan_cut *cut, uint32_t actor)
{
    const plan_cut_kernel *kernel = &cut->kernels.data[cut->graph->kernel_of[actor]];
    const schedule *s = cut->graph->schedule;
    if (!kernel->parallel || cut->resources->ordinary < 2 || s->reps[actor] == 0)
        return (double)cut->primes[actor];
    return (double)s->init[actor] / (double)s->reps[actor] + (double)kernel->repeat;
}

static void count_priming(plan_cut *cut)
{
    const schedule *s = cut->graph->schedule;
    find_repeats(cut);
    for (size_t i = 0; i < cut->graph->module->actors.len; i++) {
        const plan_cut_kernel *kernel = &cut->kernels.data[cut->graph->kernel_of[i]];
        if (kernel->parallel && s->reps[i] != 0 && cut->graph->actor_of[i] != SIR_NONE)
            cut->primes[i] = (s->init[i] + s->reps[i] - 1) / s->reps[i] + kernel->repeat;
    }
}

void plan_cut_prime(hlc_program *p)
{
    plan_cut *cut = p->cut;
    for (size_t i = 0; i < cut->graph->module->actors.len; i++)
        cut->primes[i] = 0;
    if (cut->resources->ordinary > 1) // on one, every run continues
        count_priming(cut);
    for (uint32_t i = 0; i < cut->graph->module->actors.len; i++)
        if (cut->primes[i] > FISS_MOST_PRIMING && cut->kernels.data[cut->graph->kernel_of[i]].parallel)
            keep(cut, cut->graph->kernel_of[i], i, PLAN_WHY_LONG_PRIMING);
    for (size_t i = 0; i < cut->graph->module->actors.len; i++)
        if (!cut->kernels.data[cut->graph->kernel_of[i]].parallel)
            cut->primes[i] = 0;
    find_priming(cut);
}

// ---- The pass ----

void plan_cut_gather(hlc_program *p)
{
    plan_cut *cut = p->cut;
    for (VEC_EACH(plan_cut_kernel, kernel, &cut->kernels))
        kernel->parallel = false;
    cut->depth = plan_cut_fewest_windows(cut);
    cut->strips = cut->slots = cut->rounds = 0;
    cut->where = NULL;
    cut->queues.len = 0;
    plan_cut_prime(p);
}

// Seconds of a steady state of a kernel, and of what a chunk of it primes.
static double weigh(hlc_program *p, uint32_t kernel, double *primed)
{
    const plan_net *graph = p->cut->graph;
    const double *seconds = plan_actor_seconds(p);
    double steady = 0;
    *primed = 0;
    for (uint32_t i = 0; i < graph->module->actors.len; i++) {
        if (graph->actor_of[i] == SIR_NONE || graph->kernel_of[i] != kernel)
            continue;
        *primed += seconds[i] * plan_cut_repeats(p->cut, i);
        steady += seconds[i];
    }
    return steady;
}

double plan_cut_repeated(hlc_program *p, uint32_t kernel)
{
    const plan_cut *cut = p->cut;
    const uint32_t *where = cut->where + (size_t)kernel * cut->strips;
    double primed, steady = weigh(p, kernel, &primed);
    uint32_t chunks = 0; // that prime
    for (uint32_t i = 0; i < cut->strips; i++)
        chunks += where[i] != where[(i + cut->strips - 1) % cut->strips];
    double work = steady * (double)cut->strips * (double)p->plan->strip;
    return work > 0 ? primed * chunks / work : 0;
}

// ---- Whether it pays ----

// Steady states of the longest round that there can be.
static int64_t longest_round(const hlc_program *p)
{
    int64_t strip = p->config->strip != 0 ? p->plan->strip : plan_cut_greatest(p, STRIP_MOST);
    int64_t round = ASSIGN_STRIPS * strip, latency = p->config->max_latency;
    return latency != 0 && latency < round ? latency : round;
}

// What all processors that share a kernel take for a steady state, of what the fastest alone takes.
static double share_of_one(const plan_cut *cut, uint32_t kernel, size_t *processors)
{
    double rate = 0, fastest = 0;
    *processors = 0;
    for (uint32_t q = 0; q < cut->resources->ordinary; q++) {
        if (!plan_kernel_may_run_on(cut, kernel, q))
            continue;
        double here = 1 / (cut->kernels.data[kernel].on[q] + 1e-18);
        rate += here;
        fastest = here > fastest ? here : fastest;
        ++*processors;
    }
    return rate > 0 ? fastest / rate : 1;
}

bool plan_cut_pays(hlc_program *p, int64_t round)
{
    plan_cut *cut = p->cut;
    bool all = true;
    for (uint32_t i = 0; i < cut->kernels.len; i++) {
        plan_cut_kernel *kernel = &cut->kernels.data[i];
        size_t processors;
        double primed, steady = weigh(p, i, &primed) * (double)round, share = share_of_one(cut, i, &processors);
        double starts = plan_start_seconds(cut->resources->processors.data[0].processor) * ((double)processors - 1);
        if (!kernel->parallel || processors < 2 || share * steady + primed < steady + starts)
            continue;
        all = false;
        kernel->parallel = false;
        kernel->pinned_by = cut->graph->kernels.data[i].actors.data[0];
        kernel->why = plan_reason_of(
            p->arena, (plan_reason){PLAN_WHY_CHUNKS_COST, .counts = {(int64_t)processors, round}});
    }
    if (!all)
        plan_cut_prime(p);
    return all;
}

bool plan_pass_fiss(hlc_program *p)
{
    if (p->cut == NULL)
        return p->net != NULL && plan_net_assign(p);
    plan_cut_gather(p);
    for (VEC_EACH(plan_cut_kernel, kernel, &p->cut->kernels))
        kernel->parallel = kernel->why == NULL;
    plan_cut_prime(p);
    (void)plan_cut_shortest(p);
    if (!plan_cut_pays(p, longest_round(p)))
        (void)plan_cut_shortest(p);
    plan_remark_fiss(p);
    return true;
}
