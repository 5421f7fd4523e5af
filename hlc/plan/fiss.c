// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fiss: the strips of parts without state may run on all processors, at the price of repeating what channels inside a
// part keep where a chunk begins. Marks these parts, finds what their chunks repeat (NOTE(priming) in parts.h), and assigns a round of the shortest strips (assign.c). strip-mine assigns again, for each length of strips that it
// tries. A part stays on one processor where chunks would repeat more than pays, or more than a round holds.
#include "hlc/passes/pass.h"
#include "hlc/plan/parts.h"
#include "hlc/plan/plan_int.h"

// A priming beyond this is not worth repeating.
enum { PARTS_MOST_PRIMING = 1 << 20 };

// ---- Priming ----

static void find_leads(plan_parts *parts)
{
    parts->priming = 0;
    for (VEC_EACH(plan_part, part, &parts->parts))
        part->priming = 0;
    for (size_t i = 0; i < parts->cut->module->actors.len; i++) {
        plan_part *part = &parts->parts.data[parts->cut->piece_of[i]];
        part->priming = parts->primes[i] > part->priming ? parts->primes[i] : part->priming;
        parts->priming = part->priming > parts->priming ? part->priming : parts->priming;
    }
}

static void keep(plan_parts *parts, uint32_t part, uint32_t actor, const char *why)
{
    plan_part *x = &parts->parts.data[part];
    x->parallel = false;
    x->pinned_by = parts->cut->actor_of[actor];
    x->why = why;
}

static void find_repeats(plan_parts *parts)
{
    for (uint32_t i = 0; i < parts->parts.len; i++) {
        plan_part *part = &parts->parts.data[i];
        uint32_t actor;
        part->repeat = 0;
        if (part->parallel && !plan_part_repeat(parts, i, &part->repeat, &actor))
            keep(parts, i, actor, "keeps items of its first firing");
    }
}

double plan_parts_repeats(const plan_parts *parts, uint32_t actor)
{
    const plan_part *part = &parts->parts.data[parts->cut->piece_of[actor]];
    const schedule *s = parts->cut->schedule;
    if (!part->parallel || parts->resources->ordinary < 2 || s->reps[actor] == 0)
        return (double)parts->primes[actor];
    return (double)s->init[actor] / (double)s->reps[actor] + (double)part->repeat;
}

static void count_priming(plan_parts *parts)
{
    const schedule *s = parts->cut->schedule;
    find_repeats(parts);
    for (size_t i = 0; i < parts->cut->module->actors.len; i++) {
        const plan_part *part = &parts->parts.data[parts->cut->piece_of[i]];
        if (part->parallel && s->reps[i] != 0 && parts->cut->actor_of[i] != SIR_NONE)
            parts->primes[i] = (s->init[i] + s->reps[i] - 1) / s->reps[i] + part->repeat;
    }
}

void plan_parts_prime(hlc_program *p)
{
    plan_parts *parts = p->parts;
    for (size_t i = 0; i < parts->cut->module->actors.len; i++)
        parts->primes[i] = 0;
    if (parts->resources->ordinary > 1) // on one, every run continues
        count_priming(parts);
    for (uint32_t i = 0; i < parts->cut->module->actors.len; i++)
        if (parts->primes[i] > PARTS_MOST_PRIMING && parts->parts.data[parts->cut->piece_of[i]].parallel)
            keep(parts, parts->cut->piece_of[i], i, "keeps more items than it pays to make again");
    for (size_t i = 0; i < parts->cut->module->actors.len; i++)
        if (!parts->parts.data[parts->cut->piece_of[i]].parallel)
            parts->primes[i] = 0;
    find_leads(parts);
}

// ---- The pass ----

void plan_parts_gather(hlc_program *p)
{
    plan_parts *parts = p->parts;
    for (VEC_EACH(plan_part, part, &parts->parts))
        part->parallel = false;
    parts->depth = plan_parts_fewest_windows(parts);
    parts->strips = parts->slots = parts->rounds = 0;
    parts->where = NULL;
    parts->queues.len = 0;
    plan_parts_prime(p);
}

double plan_parts_repeated(hlc_program *p, uint32_t part)
{
    const plan_parts *parts = p->parts;
    const plan_pieces *cut = parts->cut;
    const uint32_t *where = parts->where + (size_t)part * parts->strips;
    const double *seconds = plan_actor_seconds(p);
    double primed = 0, steady = 0;
    for (uint32_t i = 0; i < cut->module->actors.len; i++) {
        if (cut->actor_of[i] == SIR_NONE || cut->piece_of[i] != part)
            continue;
        primed += seconds[i] * plan_parts_repeats(parts, i);
        steady += seconds[i];
    }
    uint32_t chunks = 0; // that prime
    for (uint32_t i = 0; i < parts->strips; i++)
        chunks += where[i] != where[(i + parts->strips - 1) % parts->strips];
    double work = steady * (double)parts->strips * (double)p->plan->strip;
    return work > 0 ? primed * chunks / work : 0;
}

bool plan_pass_fiss(hlc_program *p)
{
    if (p->parts == NULL)
        return false;
    plan_parts_gather(p);
    for (VEC_EACH(plan_part, part, &p->parts->parts))
        part->parallel = part->why == NULL;
    plan_parts_prime(p);
    (void)plan_parts_shortest(p);
    plan_remark_fiss(p);
    return true;
}
