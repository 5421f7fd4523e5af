// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Assigns the strips of a round to processors, by shares. Kernels with state go to the processor with least to do, heaviest
// first; the strips of kernels without state fill what is left of each processor's share, in chunks of consecutive strips,
// as each chunk begins by priming.
#include <stdlib.h>

#include "hlc/passes/pass.h"
#include "hlc/plan/evaluate.h"
#include "hlc/plan/plan_int.h"
#include "hlc/plan/thresholds.h"
#include "support/numbers.h"

typedef struct assigner {
    const hlc_program *p;
    const plan_cut *cut;
    int64_t strip;
    size_t processors, ordinary; // the first are no fallbacks, and what may run anywhere runs there
    double *load, *share;        // per processor: of kernels with state; of the others
    double *speed;               // per processor: at which it does kernels without state; the first's is 1
    int64_t *room;               // per processor: bytes of its own memory that kernels with state leave
    bool even;                   // all shares are equal
} assigner;

// Of state, code and tables.
static int64_t bytes_of(const assigner *d, size_t kernel)
{
    return (int64_t)plan_footprint_bytes(&d->cut->kernels.data[kernel].footprint,
                                         &d->cut->resources->processors.data[0]);
}

static bool has_room(const assigner *d, uint32_t kernel, uint32_t processor)
{
    return d->cut->resources->processors.data[processor].direct || d->room[processor] >= bytes_of(d, kernel);
}

// Seconds of a steady state; of one that no processor could run as it does, the first one's.
static double seconds_on(const assigner *d, uint32_t kernel, uint32_t processor)
{
    const plan_cut_kernel *x = &d->cut->kernels.data[kernel];
    return x->on[processor] < 0 ? x->seconds : x->on[processor];
}

static bool ends_sooner(const assigner *d, uint32_t kernel, uint32_t x, uint32_t y)
{
    double there = seconds_on(d, kernel, x), here = seconds_on(d, kernel, y);
    return there == here ? d->load[x] < d->load[y] : d->load[x] + there < d->load[y] + here;
}

// Of those whose memories have room, if there are any.
static uint32_t least_loaded(const assigner *d, uint32_t kernel)
{
    uint32_t best = PLAN_NONE;
    for (int fitting = 1; fitting >= 0 && best == PLAN_NONE; fitting--)
        for (uint32_t q = 0; q < d->processors; q++)
            if (plan_kernel_may_run_on(d->cut, kernel, q) && (!fitting || has_room(d, kernel, q)) &&
                (best == PLAN_NONE || ends_sooner(d, kernel, q, best)))
                best = q;
    return best == PLAN_NONE ? 0 : best;
}

static void put(assigner *d, uint32_t kernel, uint32_t processor)
{
    d->load[processor] += seconds_on(d, kernel, processor);
    d->room[processor] -= bytes_of(d, kernel);
}

// All processors idle and empty.
static void clear(assigner *d)
{
    for (uint32_t q = 0; q < d->processors; q++) {
        d->load[q] = 0;
        d->room[q] = (int64_t)d->cut->resources->processors.data[q].bytes;
    }
}

// --mapping=space: kernels in order, each on a processor that has none yet, while there are such.
static void place_in_space(assigner *d, uint32_t *at)
{
    bool *taken = ARENA_ARRAY(d->p->arena, bool, d->processors + 1);
    for (uint32_t i = 0; i < d->cut->kernels.len; i++) {
        uint32_t q = 0;
        while (q < d->processors && (taken[q] || !plan_kernel_may_run_on(d->cut, i, q)))
            q++;
        at[i] = q < d->processors ? q : least_loaded(d, i);
        taken[at[i]] = true;
        put(d, i, at[i]);
    }
}

// --mapping=time: all that must stay somewhere stays on one processor.
static void place_together(assigner *d, uint32_t *at)
{
    uint32_t q = 0;
    for (uint32_t i = 0; i < d->cut->kernels.len; i++)
        while (!d->cut->kernels.data[i].parallel && q + 1 < d->processors && !plan_kernel_may_run_on(d->cut, i, q))
            q++;
    for (uint32_t i = 0; i < d->cut->kernels.len; i++) {
        at[i] = plan_kernel_may_run_on(d->cut, i, q) ? q : least_loaded(d, i);
        d->load[at[i]] += d->cut->kernels.data[i].parallel ? 0 : seconds_on(d, i, at[i]);
    }
}

// Kernels to place: the first has most of what they are placed by.
typedef struct candidate {
    uint32_t kernel;
    double size;
} candidate;

static int compare_candidates(const void *x, const void *y)
{
    const candidate *a = x, *b = y;
    if (a->size != b->size)
        return a->size > b->size ? -1 : 1;
    return a->kernel < b->kernel ? -1 : a->kernel > b->kernel;
}

// Each to who has least to do, heaviest first, or largest first; false: one did not fit.
static bool place_by(assigner *d, uint32_t *at, bool largest)
{
    size_t n = d->cut->kernels.len, count = 0;
    candidate *list = ARENA_ARRAY(d->p->arena, candidate, n + 1);
    bool fit = true;
    for (uint32_t i = 0; i < n; i++) {
        const plan_cut_kernel *kernel = &d->cut->kernels.data[i];
        if (!kernel->parallel)
            list[count++] = (candidate){i, largest ? (double)bytes_of(d, i) : kernel->seconds};
    }
    qsort(list, count, sizeof *list, compare_candidates);
    clear(d);
    for (size_t i = 0; i < count; i++) {
        uint32_t kernel = list[i].kernel;
        at[kernel] = least_loaded(d, kernel);
        fit = fit && has_room(d, kernel, at[kernel]);
        put(d, kernel, at[kernel]);
    }
    return fit;
}

// The processor of each kernel with state.
static uint32_t *place_pinned(assigner *d)
{
    uint32_t *at = ARENA_ARRAY(d->p->arena, uint32_t, d->cut->kernels.len + 1);
    clear(d);
    if (d->cut->space)
        place_in_space(d, at);
    else if (d->p->config->mapping == HLC_MAPPING_TIME)
        place_together(d, at);
    else if (!place_by(d, at, false) && !place_by(d, at, true))
        place_by(d, at, false);
    return at;
}

// Against what they take on the first processor that can: of those that this one can run.
static void find_speed(assigner *d, uint32_t q)
{
    double first = 0, here = 0;
    for (VEC_EACH(plan_cut_kernel, kernel, &d->cut->kernels))
        if (kernel->parallel && kernel->on[q] >= 0) {
            first += kernel->seconds;
            here += kernel->on[q];
        }
    d->speed[q] = here > 0 ? first / here : 1;
}

// What of the kernels without state each processor takes, so that all have as much to do as they can alike.
static void find_shares(assigner *d)
{
    double total = 0, low = 0, high = 0, slowest = 1;
    for (VEC_EACH(plan_cut_kernel, kernel, &d->cut->kernels))
        total += kernel->parallel ? kernel->seconds : 0;
    for (uint32_t q = 0; q < d->ordinary; q++) {
        find_speed(d, q);
        high = d->load[q] > high ? d->load[q] : high;
        slowest = d->speed[q] < slowest ? d->speed[q] : slowest;
    }
    high += total / slowest + 1;
    for (int step = 0; step < 100; step++) {
        double level = (low + high) / 2, room = 0;
        for (size_t q = 0; q < d->ordinary; q++)
            room += level > d->load[q] ? (level - d->load[q]) * d->speed[q] : 0;
        *(room < total ? &low : &high) = level;
    }
    double sum = 0;
    for (size_t q = 0; q < d->ordinary; q++) {
        d->share[q] = high > d->load[q] ? (high - d->load[q]) * d->speed[q] : 0;
        sum += d->share[q];
    }
    d->even = true;
    for (size_t q = 0; q < d->ordinary; q++) {
        d->share[q] = sum > 0 ? d->share[q] / sum : 1.0 / (double)d->ordinary;
        d->even &= d->share[q] * (double)d->ordinary > 0.999 && d->share[q] * (double)d->ordinary < 1.001;
    }
}

static void assign_kernel(const assigner *d, const plan_assignment *to, size_t number, uint32_t pinned_by)
{
    uint32_t strips = to->strips, *where = to->where + number * strips;
    double end = 0;
    uint32_t at = 0;
    if (!d->cut->kernels.data[number].parallel) {
        for (uint32_t i = 0; i < strips; i++)
            where[i] = pinned_by;
        return;
    }
    double whole = 0;
    uint32_t last = 0, able = 0;
    for (uint32_t q = 0; q < d->ordinary; q++)
        if (plan_kernel_may_run_on(d->cut, (uint32_t)number, q)) {
            whole += d->share[q];
            last = q;
            able++;
        }
    whole = able == d->ordinary ? 1 : whole;
    for (uint32_t q = 0; q <= last; q++) {
        if (!plan_kernel_may_run_on(d->cut, (uint32_t)number, q))
            continue;
        end += whole > 0 ? d->share[q] / whole : 1;
        uint32_t until = q == last ? strips : (uint32_t)(end * strips + 0.5);
        for (; at < until && at < strips; at++)
            where[at] = q;
    }
}

// ---- The length of a round ----

static int64_t most_slots(const assigner *d)
{
    return plan_cut_move(d->cut) && !d->cut->streams ? ASSIGN_MOVED_SLOTS : ASSIGN_SLOTS;
}

static uint64_t bytes_a_strip(const assigner *d)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < d->cut->graph->streams.len; i++)
        bytes += (uint64_t)plan_queue_step(d->cut, i) * plan_queue_item_bytes(d->cut, i);
    return bytes * (uint64_t)d->strip * (uint64_t)most_slots(d) + 1;
}

// Strips of a chunk that keep a processor busy for so long, about, that what its threads and the control program's tell each
// other in a round does not count. Where items are moved, strips are as long as memories allow, and engines wait for nobody.
static int64_t unhurried_chunk(const assigner *d)
{
    if (plan_cut_move(d->cut) || d->processors == 1)
        return 1;
    double strip = plan_cut_seconds(d->cut) * (double)d->strip;
    double strips = ASSIGN_CHUNK_SECONDS / (strip + 1e-9);
    return strips < 1 ? 1 : strips > ASSIGN_STRIPS ? ASSIGN_STRIPS : (int64_t)strips;
}

// Where kernels work on the queues, these stay in caches behind the second; what comes from files and goes there passes
// them by (mapped_kernel.c in hlc/emit), and rounds that are too short cost more than caches.
static uint64_t round_bytes(const assigner *d)
{
    const hlc_program *p = d->p;
    bool *counted = ARENA_ARRAY(d->p->arena, bool, p->machine->memories.len + 1);
    uint64_t bytes = 0;
    for (VEC_EACH(const plan_processor, q, &d->cut->resources->processors)) {
        const machine_processor *x = q->processor;
        if (!q->direct || x->caches.len == 0)
            return ASSIGN_BYTES;
        uint32_t cache = x->caches.data[x->caches.len > 1 ? 1 : 0].index;
        bytes += counted[cache] ? 0 : p->machine->memories.data[cache].size;
        counted[cache] = true;
    }
    return bytes < ASSIGN_BYTES / ASSIGN_CACHES ? bytes * ASSIGN_CACHES : ASSIGN_BYTES;
}

static int64_t choose_strips(const assigner *d, int64_t least)
{
    int64_t processors = (int64_t)d->ordinary, strips = processors;
    bool parallel = false;
    for (VEC_EACH(plan_cut_kernel, kernel, &d->cut->kernels))
        parallel |= kernel->parallel;
    if (!parallel && processors == 1)
        return least;
    int64_t chunk = number_max(number_divide_up(ASSIGN_PRIMINGS * d->cut->priming, d->strip), unhurried_chunk(d));
    if (parallel)
        strips = processors * number_max(chunk, d->even ? 1 : ASSIGN_SHARES);
    // Kernels behind each other work on different strips, so a round has more strips than it has kernels.
    if (d->cut->kernels.len > 1)
        strips = number_max(strips, ASSIGN_DEPTH * (int64_t)d->cut->kernels.len);
    int64_t room = (int64_t)(round_bytes(d) / bytes_a_strip(d)), latency = d->p->config->max_latency;
    if (strips > room)
        strips = number_max(room / processors, 1) * processors;
    if (strips > ASSIGN_STRIPS)
        strips = ASSIGN_STRIPS / processors * processors;
    if (latency != 0 && strips > latency / d->strip)
        strips = latency / d->strip;
    return number_max(strips, least);
}

bool plan_kernel_runs_on(const plan_cut *cut, uint32_t kernel, uint32_t processor)
{
    for (uint32_t i = 0; i < cut->strips && cut->where != NULL; i++)
        if (cut->where[kernel * cut->strips + i] == processor)
            return true;
    return cut->where == NULL;
}

bool plan_kernel_may_run_on(const plan_cut *cut, uint32_t kernel, uint32_t processor)
{
    return cut->kernels.data[kernel].on[processor] >= 0;
}

uint32_t plan_cut_chunk(const plan_cut *cut)
{
    int64_t own = number_divide_up(cut->strips, (int64_t)cut->resources->ordinary);
    return (uint32_t)number_divide_up(own, cut->kernels.len > 1 ? ASSIGN_CHUNKS : 1);
}

uint32_t plan_most_strips(const hlc_program *p, const plan_cut *cut, int64_t strip)
{
    const assigner d = {.p = p, .cut = cut, .strip = strip};
    int64_t most = (int64_t)(round_bytes(&d) / bytes_a_strip(&d)), latency = p->config->max_latency;
    most = number_min(most, ASSIGN_STRIPS);
    return (uint32_t)(latency != 0 ? number_min(most, latency / strip) : most);
}

plan_assignment plan_assign(const hlc_program *p, const plan_cut *cut, int64_t strip, int64_t least)
{
    size_t n = cut->resources->processors.len;
    assigner d = {.p = p,
                  .cut = cut,
                  .strip = strip,
                  .processors = n,
                  .ordinary = cut->resources->ordinary,
                  .load = ARENA_ARRAY(p->arena, double, n + 1),
                  .share = ARENA_ARRAY(p->arena, double, n + 1),
                  .speed = ARENA_ARRAY(p->arena, double, n + 1),
                  .room = ARENA_ARRAY(p->arena, int64_t, n + 1)};
    const uint32_t *pinned = place_pinned(&d);
    find_shares(&d);
    plan_assignment found = {.strips = (uint32_t)choose_strips(&d, least)};
    int64_t latency = p->config->max_latency, round = found.strips * strip, slots = most_slots(&d);
    if (latency != 0 && slots * round > latency)
        slots = ASSIGN_SLOTS;
    found.slots = (uint32_t)slots;
    found.rounds = latency != 0 && slots * round > latency ? 1 : (uint32_t)slots;
    found.where = ARENA_ARRAY(p->arena, uint32_t, cut->kernels.len *found.strips + 1);
    for (size_t i = 0; i < cut->kernels.len; i++)
        assign_kernel(&d, &found, i, pinned[i]);
    return found;
}
