// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which queues between kernels go straight: an engine moves each window from the one processor's memory to the other's, and
// the shared memory has only what the initialisation and the end of input leave.
//
// NOTE(straight). A window goes on to the block that its reader has free, so the writer is at most as many strips ahead of
// the reader as windows have blocks, where through the shared memory it may be a round ahead. That costs nothing where both
// do nothing else: each is then the only kernel of its processor. Kernels that follow each other in this way are started
// strip by strip, so only those are joined between which, in the kernels' order, no others are. Where several ways lead
// from one kernel to another, all that is on its way must have room, so a queue beside a longer way goes through the shared
// memory.
#include "hlc/plan/plan_int.h"

typedef struct straight {
    arena *arena;
    const plan_cut *cut;
    uint32_t *own;   // per kernel: the processor that it has to itself; PLAN_NONE: none
    uint32_t *chain; // kernels that have one each and follow each other have the same number
    uint32_t *level; // in the chain: the longest way to it
} straight;

// The processor that all strips of a kernel run on; PLAN_NONE: several.
static uint32_t only_processor(const plan_cut *cut, uint32_t kernel)
{
    const uint32_t *where = cut->where + (size_t)kernel * cut->strips;
    for (uint32_t k = 1; k < cut->strips; k++)
        if (where[k] != where[0])
            return PLAN_NONE;
    return where[0];
}

static void find_own(straight *x)
{
    const plan_cut *cut = x->cut;
    uint32_t *users = ARENA_ARRAY(x->arena, uint32_t, cut->resources->processors.len + 1); // kernels
    for (uint32_t i = 0; i < cut->kernels.len; i++)
        for (uint32_t q = 0; q < cut->resources->processors.len; q++)
            users[q] += plan_kernel_runs_on(cut, i, q);
    for (uint32_t i = 0; i < cut->kernels.len; i++) {
        uint32_t q = only_processor(cut, i);
        x->own[i] = q != PLAN_NONE && users[q] == 1 ? q : PLAN_NONE;
    }
}

static bool in_chain(const straight *x, const plan_stream *st)
{
    return st->from != SIR_NONE && st->to != SIR_NONE && x->own[st->from] != PLAN_NONE && x->own[st->to] != PLAN_NONE &&
           x->chain[st->from] == x->chain[st->to];
}

static void find_levels(straight *x)
{
    const plan_cut *cut = x->cut;
    for (uint32_t i = 0; i < cut->kernels.len; i++) {
        x->chain[i] = i == 0 ? 0 : x->chain[i - 1] + (x->own[i] == PLAN_NONE || x->own[i - 1] == PLAN_NONE);
        if (x->own[i] == PLAN_NONE)
            continue;
        for (VEC_EACH(const plan_stream, st, &cut->graph->streams))
            if (st->to == i && in_chain(x, st) && x->level[st->from] >= x->level[i])
                x->level[i] = x->level[st->from] + 1;
    }
}

const machine_processor *plan_straight_engine(const plan_cut *cut, const plan_queue *queue)
{
    const plan_stream *st = &cut->graph->streams.data[queue->stream];
    const plan_processor *all = cut->resources->processors.data;
    return plan_resources_direct_engine(cut->resources, &all[cut->where[(size_t)st->from * cut->strips]],
                                        &all[cut->where[(size_t)st->to * cut->strips]]);
}

// NULL: it goes straight.
static const plan_reason *why_not(const straight *x, const plan_queue *queue)
{
    const plan_stream *st = &x->cut->graph->streams.data[queue->stream];
    if (x->own[st->from] == PLAN_NONE || x->own[st->to] == PLAN_NONE)
        return plan_reason_plain(PLAN_WHY_NOT_ALONE);
    if (queue->delay != 0 || queue->halo != 0)
        return plan_reason_plain(PLAN_WHY_ITEMS_STAY);
    if (!in_chain(x, st))
        return plan_reason_plain(PLAN_WHY_OTHER_BETWEEN);
    if (x->level[st->to] != x->level[st->from] + 1)
        return plan_reason_plain(PLAN_WHY_LONGER_WAY);
    return plan_straight_engine(x->cut, queue) == NULL ? plan_reason_plain(PLAN_WHY_NO_ENGINE) : NULL;
}

void plan_cut_find_straight(arena *a, plan_cut *cut)
{
    const size_t kernels = cut->kernels.len;
    if (cut->streams || cut->where == NULL || !plan_cut_move(cut))
        return;
    straight x = {.arena = a,
                  .cut = cut,
                  .own = ARENA_ARRAY(a, uint32_t, kernels + 1),
                  .chain = ARENA_ARRAY(a, uint32_t, kernels + 1),
                  .level = ARENA_ARRAY(a, uint32_t, kernels + 1)};
    find_own(&x);
    find_levels(&x);
    for (VEC_EACH(plan_queue, queue, &cut->queues)) {
        const plan_stream *st = &cut->graph->streams.data[queue->stream];
        if (st->from == SIR_NONE || st->to == SIR_NONE || cut->graph->whole_schedule->channels[st->channel].steady == 0)
            continue;
        queue->passes = why_not(&x, queue);
        queue->straight = queue->passes == NULL;
    }
}

uint32_t *plan_cut_together(arena *a, const plan_cut *cut)
{
    uint32_t count = (uint32_t)cut->kernels.len, *together = ARENA_ARRAY(a, uint32_t, count + 1);
    uint32_t *last = ARENA_ARRAY(a, uint32_t, count + 1); // per kernel: to which its queues go straight
    for (uint32_t i = 0; i < count; i++)
        last[i] = i;
    for (VEC_EACH(const plan_queue, queue, &cut->queues)) {
        const plan_stream *st = &cut->graph->streams.data[queue->stream];
        if (queue->straight && st->to > last[st->from])
            last[st->from] = st->to;
    }
    for (uint32_t i = 0, end; i < count; i = end) {
        uint32_t to = last[i];
        for (end = i + 1; end <= to; end++)
            to = last[end] > to ? last[end] : to;
        together[i] = end - i;
    }
    return together;
}

// ---- Streams ----

bool plan_cut_straight(const plan_cut *cut, const plan_stream *st, const machine_processor **engine)
{
    *engine = NULL;
    if (!cut->streams || st->from == SIR_NONE || st->to == SIR_NONE || cut->where == NULL)
        return false;
    const uint32_t ends[] = {only_processor(cut, st->from), only_processor(cut, st->to)};
    if (ends[0] == PLAN_NONE || ends[1] == PLAN_NONE)
        return false;
    const plan_processor *from = &cut->resources->processors.data[ends[0]],
                         *to = &cut->resources->processors.data[ends[1]];
    if (from->memory == to->memory)
        return true;
    *engine = plan_resources_direct_engine(cut->resources, from, to);
    return *engine != NULL;
}

bool plan_cut_all_straight(const plan_cut *cut)
{
    const machine_processor *engine;
    size_t count = 0;
    for (VEC_EACH(const plan_stream, st, &cut->graph->streams)) {
        if (st->from == SIR_NONE || st->to == SIR_NONE)
            continue;
        if (!plan_cut_straight(cut, st, &engine))
            return false;
        count++;
    }
    return count != 0;
}
