// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fiss: the strips of parts without state may run on all processors, at the price of repeating what channels inside a
// part keep where a chunk begins. Marks these parts, finds what their chunks repeat (NOTE(priming) and NOTE(cold) in
// parts.h), and deals a round of the shortest strips (deal.c). strip-mine deals again, for each length of strips that it
// tries. A part stays on one processor where chunks would repeat more than pays, or more than a round holds.
#include "hlc/passes/pass.h"
#include "hlc/plan/parts.h"
#include "hlc/plan/plan_int.h"

// A lead beyond this is not worth repeating.
enum { PARTS_MOST_LEAD = 1 << 20 };

// ---- Cold runs ----

// What an actor must fire more for what its consumers do: all that they read in a cold run, what their channels keep
// included.
static bool warm_channels(plan_parts *parts)
{
    const plan_pieces *cut = parts->cut;
    bool changed = false;
    for (uint32_t i = (uint32_t)cut->module->actors.len; i-- > 0;) {
        if (cut->actor_of[i] == SIR_NONE || !parts->parts.data[cut->piece_of[i]].replicated)
            continue;
        for (VEC_EACH(uint32_t, out, &cut->module->actors.data[i]->outputs)) {
            uint32_t to = *out == SIR_NONE ? SIR_NONE : cut->module->channels.data[*out].consumer;
            if (to == SIR_NONE || cut->actor_of[to] == SIR_NONE)
                continue;
            const sched_channel *sc = &cut->schedule->channels[*out];
            int64_t warm = parts->warm[to];
            if (sc->steady != 0)
                warm += (sc->remainder + sc->steady - 1) / sc->steady;
            if (warm <= parts->warm[i])
                continue;
            parts->warm[i] = warm;
            changed = true;
        }
    }
    return changed;
}

// Members of a gang do alike.
static bool warm_gangs(plan_parts *parts, const plan *pl)
{
    bool changed = false;
    for (VEC_EACH(plan_kernel, k, &pl->kernels))
        for (VEC_EACH(plan_item, item, &k->items))
            for (VEC_EACH(plan_stage, st, &item->stages)) {
                int64_t most = parts->warm[st->actor];
                for (VEC_EACH(plan_member, o, &st->others))
                    most = parts->warm[o->actor] > most ? parts->warm[o->actor] : most;
                changed |= parts->warm[st->actor] != most;
                parts->warm[st->actor] = most;
                for (VEC_EACH(plan_member, o, &st->others)) {
                    changed |= parts->warm[o->actor] != most;
                    parts->warm[o->actor] = most;
                }
            }
    return changed;
}

static void find_leads(plan_parts *parts)
{
    parts->lead = 0;
    for (VEC_EACH(plan_part, part, &parts->parts))
        part->lead = 0;
    for (size_t i = 0; i < parts->cut->module->actors.len; i++) {
        plan_part *part = &parts->parts.data[parts->cut->piece_of[i]];
        part->lead = parts->warm[i] > part->lead ? parts->warm[i] : part->lead;
        parts->lead = part->lead > parts->lead ? part->lead : parts->lead;
    }
}

// ---- Priming ----

static void keep(plan_parts *parts, uint32_t part, uint32_t actor, const char *why)
{
    plan_part *x = &parts->parts.data[part];
    x->replicated = false;
    x->keeper = parts->cut->actor_of[actor];
    x->why = why;
}

static void find_repeats(plan_parts *parts)
{
    for (uint32_t i = 0; i < parts->parts.len; i++) {
        plan_part *part = &parts->parts.data[i];
        uint32_t actor;
        part->repeat = 0;
        if (part->replicated && !plan_part_repeat(parts, i, &part->repeat, &actor))
            keep(parts, i, actor, "keeps items of its first firing");
    }
}

double plan_parts_repeats(const plan_parts *parts, uint32_t actor)
{
    const plan_part *part = &parts->parts.data[parts->cut->piece_of[actor]];
    const schedule *s = parts->cut->schedule;
    if (parts->streams || !part->replicated || parts->resources->ordinary < 2 || s->reps[actor] == 0)
        return (double)parts->warm[actor];
    return (double)s->init[actor] / (double)s->reps[actor] + (double)part->repeat;
}

int64_t plan_parts_longer(const plan_parts *parts)
{
    return parts->streams ? parts->lead : 0;
}

static void warm_to_prime(plan_parts *parts)
{
    const schedule *s = parts->cut->schedule;
    find_repeats(parts);
    for (size_t i = 0; i < parts->cut->module->actors.len; i++) {
        const plan_part *part = &parts->parts.data[parts->cut->piece_of[i]];
        if (part->replicated && s->reps[i] != 0 && parts->cut->actor_of[i] != SIR_NONE)
            parts->warm[i] = (s->init[i] + s->reps[i] - 1) / s->reps[i] + part->repeat;
    }
}

// ---- Both ----

void plan_parts_warm(hlc_program *p)
{
    plan_parts *parts = p->parts;
    for (size_t i = 0; i < parts->cut->module->actors.len; i++)
        parts->warm[i] = 0;
    bool more = parts->resources->ordinary > 1; // on one, every run continues
    if (more && !parts->streams)
        warm_to_prime(parts);
    while (more) {
        more = parts->streams && warm_channels(parts);
        more |= parts->streams && warm_gangs(parts, p->plan);
        for (uint32_t i = 0; i < parts->cut->module->actors.len; i++) {
            uint32_t part = parts->cut->piece_of[i];
            if (parts->warm[i] > PARTS_MOST_LEAD && parts->parts.data[part].replicated)
                keep(parts, part, i, "keeps more items than it pays to make again");
        }
    }
    for (size_t i = 0; i < parts->cut->module->actors.len; i++)
        if (!parts->parts.data[parts->cut->piece_of[i]].replicated)
            parts->warm[i] = 0;
    find_leads(parts);
}

// ---- The pass ----

void plan_parts_gather(hlc_program *p)
{
    plan_parts *parts = p->parts;
    for (VEC_EACH(plan_part, part, &parts->parts))
        part->replicated = false;
    parts->depth = plan_parts_fewest_windows(parts);
    parts->strips = parts->sets = parts->rounds = 0;
    parts->where = NULL;
    parts->rings.len = 0;
    plan_parts_warm(p);
}

double plan_parts_repeated(hlc_program *p, uint32_t part)
{
    const plan_parts *parts = p->parts;
    const plan_pieces *cut = parts->cut;
    const uint32_t *where = parts->where + (size_t)part * parts->strips;
    const double *seconds = plan_actor_seconds(p);
    double warm = 0, steady = 0;
    for (uint32_t i = 0; i < cut->module->actors.len; i++) {
        if (cut->actor_of[i] == SIR_NONE || cut->piece_of[i] != part)
            continue;
        warm += seconds[i] * plan_parts_repeats(parts, i);
        steady += seconds[i];
    }
    uint32_t cold = 0; // strips of a round whose runs are; the first goes on where the round before ended
    for (uint32_t i = 0; i < parts->strips; i++)
        cold += where[i] != where[(i + parts->strips - 1) % parts->strips];
    double work = steady * (double)parts->strips * (double)p->plan->strip;
    return work > 0 ? warm * cold / work : 0;
}

bool plan_pass_fiss(hlc_program *p)
{
    if (p->parts == NULL)
        return false;
    plan_parts_gather(p);
    for (VEC_EACH(plan_part, part, &p->parts->parts))
        part->replicated = part->why == NULL;
    plan_parts_warm(p);
    (void)plan_parts_shortest(p);
    plan_remark_fiss(p);
    return true;
}
