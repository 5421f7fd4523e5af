// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// allocate: addresses of buffers, by lifetime. Where kernels work in memories of their own, all that runs there must fit.
#include <stdlib.h>
#include <string.h>

#include "hlc/passes/pass.h"
#include "hlc/plan/allocate.h"
#include "hlc/plan/evaluate.h"
#include "hlc/plan/plan_int.h"
#include "support/numbers.h"

void plan_forget_addresses(plan *pl)
{
    pl->allocated = false;
    pl->bytes = pl->least_bytes = 0;
    for (VEC_EACH(plan_buffer, b, &pl->buffers))
        b->address = 0;
}

// NOTE(scratch). Buffers that keep nothing between runs and that one kernel alone uses live only from the first item of
// the kernel that writes them to the last that reads them. Kernels of one processor run one after the other, so such
// buffers of all of them share one area. Kernels that streams join may be on several processors, and one that sends
// messages may give way to another within its run, for a message goes onto a stream: it has an area of its own.
typedef struct lifetime {
    uint32_t area;                        // shared with others of the same number
    uint32_t buffer, kernel, first, last; // items
    uint64_t bytes;
} lifetime;
typedef struct lifetimes {
    lifetime *of; // per buffer
    bool *shared; // used outside one kernel
} lifetimes;

static void note_lifetime(void *context, const plan_use *use)
{
    lifetimes *l = context;
    lifetime *t = &l->of[use->buffer];
    if (use->kernel == PLAN_NONE || (t->kernel != PLAN_NONE && t->kernel != use->kernel)) {
        l->shared[use->buffer] = true;
        return;
    }
    t->kernel = use->kernel;
    t->first = use->item < t->first ? use->item : t->first;
    t->last = use->item > t->last ? use->item : t->last;
}

static int compare_lifetimes(const void *x, const void *y)
{
    const lifetime *a = x, *b = y;
    if (a->area != b->area)
        return a->area < b->area ? -1 : 1;
    if (a->kernel != b->kernel)
        return a->kernel < b->kernel ? -1 : 1;
    if (a->first != b->first)
        return a->first < b->first ? -1 : 1;
    return a->buffer < b->buffer ? -1 : a->buffer > b->buffer;
}

enum { PLAN_ALIGNMENT = 64 }; // lines and vectors of all machines here

static uint64_t alignment_of(const plan *pl)
{
    return pl->cut != NULL ? plan_cut_alignment(pl->cut) : PLAN_ALIGNMENT;
}

// Stages are numbered by kernel and item, so that nothing of one kernel lives together with anything of another.
static uint64_t place_scratch(arena *a, plan *pl, const lifetime *scratch, size_t count, uint64_t start)
{
    plan_object *objects = ARENA_ARRAY(a, plan_object, count + 1);
    uint32_t *before = ARENA_ARRAY(a, uint32_t, pl->kernels.len + 1); // items of earlier kernels
    for (size_t i = 0; i < pl->kernels.len; i++)
        before[i + 1] = before[i] + (uint32_t)pl->kernels.data[i].items.len;
    for (size_t i = 0; i < count; i++)
        objects[i] = (plan_object){.bytes = scratch[i].bytes,
                                   .alignment = alignment_of(pl),
                                   .first = before[scratch[i].kernel] + scratch[i].first,
                                   .last = before[scratch[i].kernel] + scratch[i].last};
    plan_allocation made = plan_allocate(objects, count);
    for (size_t i = 0; i < count; i++)
        pl->buffers.data[scratch[i].buffer].address = start + objects[i].address;
    pl->least_bytes += made.bound;
    return start + made.bytes;
}

// Per kernel that streams join: the first of those that share its area.
static uint32_t *find_areas(arena *a, const plan *pl)
{
    size_t n = pl->net == NULL ? 0 : pl->net->kernels.len;
    uint32_t *areas = ARENA_ARRAY(a, uint32_t, n + 1);
    bool *sends = ARENA_ARRAY(a, bool, (pl->net == NULL ? 0 : pl->net->whole->actors.len) + 1);
    for (size_t i = 0; n != 0 && i < pl->net->ways->len; i++)
        sends[pl->net->ways->data[i].sender] = true;
    for (uint32_t k = 0; k < n; k++) {
        bool alone = false;
        for (VEC_EACH(const uint32_t, actor, &pl->net->kernels.data[k].actors))
            alone |= sends[*actor];
        areas[k] = alone ? PLAN_NONE : k;
    }
    for (uint32_t k = 0; k < n; k++) {
        uint32_t first = 0;
        while (areas[k] != PLAN_NONE && first < k &&
               (areas[first] != first || strcmp(plan_net_processor(pl, first), plan_net_processor(pl, k)) != 0))
            first++;
        areas[k] = areas[k] == PLAN_NONE ? k + (uint32_t)n : first;
    }
    return areas;
}

// Buffers by the kernel that fills them: those of kernel i are of[from[i]] to of[from[i + 1]], in order.
typedef struct buffer_lists {
    uint32_t *of, *from;
} buffer_lists;

static buffer_lists list_buffers(arena *a, const plan *pl, const sir_module *m)
{
    size_t kernels = pl->cut->kernels.len, n = pl->buffers.len;
    buffer_lists l = {ARENA_ARRAY(a, uint32_t, n + 1), ARENA_ARRAY(a, uint32_t, kernels + 2)};
    uint32_t *kernel = ARENA_ARRAY(a, uint32_t, n + 1), *next = ARENA_ARRAY(a, uint32_t, kernels + 1);
    for (uint32_t b = 0; b < n; b++) {
        kernel[b] = pl->cut->graph->kernel_of[m->channels.data[pl->buffers.data[b].channel].producer];
        if (kernel[b] < kernels)
            l.from[kernel[b] + 1]++;
    }
    for (size_t i = 0; i < kernels; i++)
        next[i] = l.from[i + 1] += l.from[i];
    for (uint32_t b = (uint32_t)n; b-- > 0;)
        if (kernel[b] < kernels)
            l.of[--next[kernel[b]]] = b;
    return l;
}

// Behind what is used within runs only, each kernel has a place for what stays there between its runs, the same on every
// processor that runs it; kernels that meet on no processor may share it.
static uint64_t place_kernels(arena *a, plan *pl, const sir_module *m, const lifetimes *l, uint64_t start)
{
    const plan_cut *cut = pl->cut;
    size_t processors = cut->resources->processors.len, n = cut->kernels.len;
    uint64_t *top = ARENA_ARRAY(a, uint64_t, processors + 1), most = start;
    buffer_lists lists = list_buffers(a, pl, m);
    for (size_t q = 0; q < processors; q++)
        top[q] = start;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t at = start;
        for (size_t q = 0; q < processors; q++)
            if (plan_kernel_runs_on(cut, i, (uint32_t)q) && top[q] > at)
                at = top[q];
        for (uint32_t j = lists.from[i]; j < lists.from[i + 1]; j++) {
            uint32_t b = lists.of[j];
            if (l->of[b].bytes == 0)
                continue;
            if (plan_end_of(pl, m, b) != PLAN_NONE)
                at = number_round_up(at, plan_cut_line(cut));
            pl->buffers.data[b].address = at;
            at += l->of[b].bytes;
        }
        for (size_t q = 0; q < processors; q++)
            if (plan_kernel_runs_on(cut, i, (uint32_t)q))
                top[q] = at;
        most = at > most ? at : most;
    }
    return most;
}

static void assign_in_cut(arena *a, plan *pl, const sir_module *m, lifetimes *l)
{
    size_t n = pl->buffers.len, scratch_count = 0;
    lifetime *scratch = ARENA_ARRAY(a, lifetime, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        if (plan_end_of(pl, m, i) != PLAN_NONE) {
            bool windows = plan_cut_move(pl->cut) || pl->cut->streams;
            l->of[i].bytes = windows ? plan_window_bytes(pl, m, i) * pl->cut->depth : 0;
            pl->buffers.data[i].address = 0;
        } else if (pl->buffers.data[i].keep == 0 && !l->shared[i] && l->of[i].kernel != PLAN_NONE) {
            scratch[scratch_count++] = l->of[i];
            l->of[i].bytes = 0;
        }
    }
    qsort(scratch, scratch_count, sizeof *scratch, compare_lifetimes);
    pl->least_bytes = 0;
    uint64_t within = place_scratch(a, pl, scratch, scratch_count, 0), least = pl->least_bytes;
    pl->bytes = place_kernels(a, pl, m, l, number_round_up(within, alignment_of(pl)));
    pl->least_bytes = least + pl->bytes - within;
}

void plan_assign_addresses(arena *a, plan *pl, const sir_module *m, const schedule *s)
{
    pl->allocated = true;
    size_t n = pl->buffers.len, scratch_count = 0;
    lifetimes l = {.of = ARENA_ARRAY(a, lifetime, n + 1), .shared = ARENA_ARRAY(a, bool, n + 1)};
    for (uint32_t i = 0; i < n; i++)
        l.of[i] = (lifetime){.buffer = i,
                             .kernel = PLAN_NONE,
                             .first = UINT32_MAX,
                             .bytes = number_round_up(plan_buffer_bytes(&pl->buffers.data[i], m), alignment_of(pl))};
    plan_visit_uses(pl, m, s, note_lifetime, &l);
    if (pl->cut != NULL) {
        assign_in_cut(a, pl, m, &l);
        return;
    }
    lifetime *scratch = ARENA_ARRAY(a, lifetime, n + 1);
    const uint32_t *areas = find_areas(a, pl);
    uint64_t address = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (pl->buffers.data[i].keep == 0 && !l.shared[i] && l.of[i].kernel != PLAN_NONE) {
            l.of[i].area =
                pl->net == NULL ? 0 : areas[pl->net->kernel_of[m->channels.data[pl->buffers.data[i].channel].producer]];
            scratch[scratch_count++] = l.of[i];
        } else {
            pl->buffers.data[i].address = address;
            address += l.of[i].bytes;
        }
    }
    qsort(scratch, scratch_count, sizeof *scratch, compare_lifetimes);
    pl->bytes = pl->least_bytes = address;
    for (size_t from = 0, to = 0; from < scratch_count; from = to) {
        while (to < scratch_count && scratch[to].area == scratch[from].area)
            to++;
        pl->bytes = place_scratch(a, pl, scratch + from, to - from, number_round_up(pl->bytes, alignment_of(pl)));
    }
}

bool plan_pass_allocate(hlc_program *p)
{
    plan_assign_addresses(p->arena, p->plan, p->module, p->schedule);
    plan_evaluation e = {.plan = p->plan, .cut = p->cut};
    if (p->cut == NULL || p->cut->where != NULL)
        e.fails = plan_find_room(p, &e);
    if (e.fails != NULL)
        plan_report_failure(p, &e);
    else
        plan_remark_allocate(p);
    return true;
}
