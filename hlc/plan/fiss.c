// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fiss: the strips of kernels without state may run on all processors, at the price of repeating what channels inside a
// kernel keep where a chunk begins. Marks these kernels, finds what their chunks repeat (NOTE(priming) in cut.h), and
// assigns a round of the shortest strips (assign.c). strip-mine assigns again, for each length of strips that it tries. A
// kernel stays on one processor where chunks would repeat more than pays, or more than a round holds.
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

static void keep(plan_cut *cut, uint32_t kernel, uint32_t actor, const char *why)
{
    plan_cut_kernel *x = &cut->kernels.data[kernel];
    x->parallel = false;
    x->pinned_by = cut->graph->actor_of[actor];
    x->why = why;
}

static void find_repeats(plan_cut *cut)
{
    for (uint32_t i = 0; i < cut->kernels.len; i++) {
        plan_cut_kernel *kernel = &cut->kernels.data[i];
        uint32_t actor;
        kernel->repeat = 0;
        if (kernel->parallel && !plan_kernel_repeat(cut, i, &kernel->repeat, &actor))
            keep(cut, i, actor, "keeps items of its first firing");
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
            keep(cut, cut->graph->kernel_of[i], i, "keeps more items than it pays to make again");
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

double plan_cut_repeated(hlc_program *p, uint32_t kernel)
{
    const plan_cut *cut = p->cut;
    const plan_net *graph = cut->graph;
    const uint32_t *where = cut->where + (size_t)kernel * cut->strips;
    const double *seconds = plan_actor_seconds(p);
    double primed = 0, steady = 0;
    for (uint32_t i = 0; i < graph->module->actors.len; i++) {
        if (graph->actor_of[i] == SIR_NONE || graph->kernel_of[i] != kernel)
            continue;
        primed += seconds[i] * plan_cut_repeats(cut, i);
        steady += seconds[i];
    }
    uint32_t chunks = 0; // that prime
    for (uint32_t i = 0; i < cut->strips; i++)
        chunks += where[i] != where[(i + cut->strips - 1) % cut->strips];
    double work = steady * (double)cut->strips * (double)p->plan->strip;
    return work > 0 ? primed * chunks / work : 0;
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
    plan_remark_fiss(p);
    return true;
}
