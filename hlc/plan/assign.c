// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Assigns the strips of a round to processors, and lays out the queues. Kernels with state go to the processor with least to
// do, heaviest first; the strips of kernels without state fill what is left of each processor's share, in chunks of
// consecutive strips, as each chunk begins by priming.
#include <inttypes.h>
#include <string.h>

#include "hlc/passes/pass.h"
#include "hlc/plan/cut.h"
#include "hlc/plan/footprint.h"
#include "hlc/plan/plan_int.h"
#include "hlc/plan/thresholds.h"

typedef struct assigner {
    hlc_program *p;
    const plan_cut *cut;
    size_t processors, ordinary; // the first are no fallbacks, and what may run anywhere runs there
    double *load, *share;        // per processor: of kernels with state; of the others
    double *speed;               // per processor: at which it does kernels without state; the first's is 1
    int64_t *room;               // per processor: bytes of its own memory that kernels with state leave
    const uint64_t *bytes;       // per kernel: of state, code and tables
    bool even;                   // all shares are equal
} assigner;

static int64_t greater(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t divide_up(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

static bool has_room(const assigner *d, uint32_t kernel, uint32_t processor)
{
    return d->cut->resources->processors.data[processor].direct || d->room[processor] >= (int64_t)d->bytes[kernel];
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
    d->room[processor] -= (int64_t)d->bytes[kernel];
}

// All processors idle and empty.
static void clear(assigner *d)
{
    for (uint32_t q = 0; q < d->processors; q++) {
        d->load[q] = 0;
        d->room[q] = (int64_t)d->cut->resources->processors.data[q].bytes;
    }
}

static void weigh_kernels(assigner *d)
{
    const plan_net *graph = d->cut->graph;
    const plan_processor *first = &d->cut->resources->processors.data[0];
    uint64_t *bytes = ARENA_ARRAY(d->p->arena, uint64_t, d->cut->kernels.len + 1);
    for (size_t i = 0; i < d->cut->kernels.len && !first->direct; i++) {
        const plan_net_kernel *kernel = &graph->kernels.data[i];
        plan_footprint f = plan_footprint_of(d->p->arena, graph->whole, kernel->actors.data, kernel->actors.len);
        bytes[i] = plan_footprint_bytes(&f, first);
    }
    d->bytes = bytes;
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

// Each to who has least to do, heaviest first, or largest first; false: one did not fit.
static bool place_by(assigner *d, uint32_t *at, bool largest)
{
    size_t n = d->cut->kernels.len;
    bool *done = ARENA_ARRAY(d->p->arena, bool, n + 1), fit = true;
    clear(d);
    for (;;) {
        size_t best = n;
        for (size_t i = 0; i < n; i++) {
            const plan_cut_kernel *kernel = &d->cut->kernels.data[i];
            if (kernel->parallel || done[i])
                continue;
            bool more = best == n ||
                        (largest ? d->bytes[i] > d->bytes[best] : kernel->seconds > d->cut->kernels.data[best].seconds);
            best = more ? i : best;
        }
        if (best == n)
            return fit;
        done[best] = true;
        at[best] = least_loaded(d, (uint32_t)best);
        fit = fit && has_room(d, (uint32_t)best, at[best]);
        put(d, (uint32_t)best, at[best]);
    }
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

// ---- Queues ----

static uint64_t item_bytes(const plan_cut *cut, uint32_t stream)
{
    const plan_net *graph = cut->graph;
    return plan_element_bytes(graph->whole, graph->streams.data[stream].channel);
}

static int64_t least_multiple(int64_t a, int64_t b)
{
    return b < 2 ? a : a / sched_gcd(a, b) * b;
}

int64_t plan_queue_unit(const plan_cut *cut, uint32_t stream)
{
    int64_t unit = plan_cut_unit(cut);
    return unit / sched_gcd(unit, (int64_t)item_bytes(cut, stream));
}

// NOTE(lines). Engines move whole units, but the shared memory is fastest where transfers begin and end at its alignment,
// lines. So queues and windows have whole lines before what they hold, as far as these are little beside the memories
// that windows lie in.
static bool is_little(const plan_cut *cut, int64_t bytes)
{
    for (VEC_EACH(const plan_processor, q, &cut->resources->processors))
        if (!q->direct && (uint64_t)bytes > q->bytes / ASSIGN_LINES)
            return false;
    return true;
}

// The fewest items whose bytes are a multiple of both, if they are little, or else of the first.
static int64_t in_lines(const plan_cut *cut, uint32_t stream, int64_t alignment)
{
    int64_t size = (int64_t)item_bytes(cut, stream);
    int64_t both = least_multiple(alignment, (int64_t)cut->resources->shared->alignment);
    if (plan_cut_move(cut) && is_little(cut, least_multiple(both, size)))
        alignment = both;
    return alignment / sched_gcd(alignment, size);
}

int64_t plan_queue_line(const plan_cut *cut, uint32_t stream)
{
    return in_lines(cut, stream, plan_cut_unit(cut));
}

static int64_t delay_of(const plan *pl, const plan_cut *cut, uint32_t stream)
{
    const plan_stream *st = &cut->graph->streams.data[stream];
    for (VEC_EACH(const plan_io, io, &pl->readers))
        if (io->actor == st->reader)
            return pl->buffers.data[io->access.buffer].keep;
    return cut->graph->whole_schedule->channels[st->channel].remainder; // of a file's writer
}

static int64_t round_up(int64_t items, int64_t unit)
{
    return divide_up(items, unit) * unit;
}

int64_t plan_queue_prime(const plan_cut *cut, uint32_t stream)
{
    const plan_stream *st = &cut->graph->streams.data[stream];
    const sched_channel *sc = &cut->graph->whole_schedule->channels[st->channel];
    const plan_cut_kernel *to = st->to == SIR_NONE ? NULL : &cut->kernels.data[st->to];
    bool primes = to != NULL && to->parallel && cut->resources->ordinary > 1;
    return primes ? sc->init_items + to->repeat * sc->steady : 0;
}

// The last items of a round, in whole lines, that the next one reads.
static int64_t halo_of(const plan *pl, const plan_cut *cut, uint32_t stream)
{
    const plan_stream *st = &cut->graph->streams.data[stream];
    if (st->to == SIR_NONE)
        return 0;
    int64_t delay = delay_of(pl, cut, stream);
    return round_up(greater(delay, plan_queue_prime(cut, stream)), plan_queue_line(cut, stream));
}

int64_t plan_queue_aligned(const plan_cut *cut, uint32_t stream)
{
    return in_lines(cut, stream, (int64_t)plan_cut_alignment(cut));
}

// The initialisation's items end where those of the first round begin. Where engines move halos these may begin earlier,
// as blocks in processors' memories are aligned.
static int64_t history_of(const plan *pl, const plan_cut *cut, uint32_t stream)
{
    const plan_stream *st = &cut->graph->streams.data[stream];
    int64_t halo = halo_of(pl, cut, stream);
    int64_t items = greater(halo, cut->graph->whole_schedule->channels[st->channel].init_items);
    items = greater(items, delay_of(pl, cut, stream));
    if (plan_cut_move(cut))
        items += plan_queue_aligned(cut, stream);
    return round_up(items, plan_queue_line(cut, stream));
}

void plan_cut_queues(arena *a, const plan *pl, plan_cut *cut)
{
    const plan_net *graph = cut->graph;
    memset(&cut->queues, 0, sizeof cut->queues);
    for (uint32_t i = 0; i < graph->streams.len; i++) {
        const plan_stream *st = &graph->streams.data[i];
        const sched_channel *sc = &graph->whole_schedule->channels[st->channel];
        uint32_t end = st->reader != SIR_NONE ? st->reader : st->writer;
        int64_t history = history_of(pl, cut, i), whole = cut->strips * pl->strip * sc->steady;
        int64_t room = greater(history + pl->init_drain[end], history + whole + pl->drain[end]);
        VEC_PUSH(a, &cut->queues,
                 (plan_queue){.stream = i,
                              .delay = delay_of(pl, cut, i),
                              .history = history,
                              .room = room + 2 * plan_queue_line(cut, i),
                              .halo = halo_of(pl, cut, i)});
    }
}

// ---- The length of a round ----

// Strips of so many steady states that a round must have so that it holds at least what the next needs of it.
static int64_t strips_needed(const hlc_program *p, int64_t strip)
{
    const plan_net *graph = p->cut->graph;
    int64_t least = 1;
    for (uint32_t i = 0; i < graph->streams.len; i++) {
        int64_t step = graph->whole_schedule->channels[graph->streams.data[i].channel].steady;
        if (step != 0)
            least = greater(least, divide_up(halo_of(p->plan, p->cut, i), step * strip));
    }
    return least;
}

// 0: too many.
static int64_t least_strips(const assigner *d)
{
    int64_t least = strips_needed(d->p, d->p->plan->strip);
    return least > ASSIGN_STRIPS ? 0 : least;
}

int64_t plan_cut_least_round(const hlc_program *p, int64_t strip)
{
    return strips_needed(p, strip) * strip;
}

static bool is_too_late(const hlc_program *p)
{
    return p->config->max_latency != 0 && plan_cut_least_round(p, p->plan->strip) > p->config->max_latency;
}

static int64_t most_slots(const assigner *d)
{
    return plan_cut_move(d->cut) && !d->cut->streams ? ASSIGN_MOVED_SLOTS : ASSIGN_SLOTS;
}

static uint64_t bytes_a_strip(const assigner *d)
{
    const plan_net *graph = d->cut->graph;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < graph->streams.len; i++)
        bytes +=
            (uint64_t)graph->whole_schedule->channels[graph->streams.data[i].channel].steady * item_bytes(d->cut, i);
    return bytes * (uint64_t)d->p->plan->strip * (uint64_t)most_slots(d) + 1;
}

// Strips of a chunk that keep a processor busy for so long, about, that what its threads and the control program's tell each
// other in a round does not count. Where items are moved, strips are as long as memories allow, and engines wait for nobody.
static int64_t unhurried_chunk(const assigner *d)
{
    if (plan_cut_move(d->cut) || d->processors == 1)
        return 1;
    double strip = plan_steady_seconds(d->p) * (double)d->p->plan->strip;
    double strips = ASSIGN_CHUNK_SECONDS / (strip + 1e-9);
    return strips < 1 ? 1 : strips > ASSIGN_STRIPS ? ASSIGN_STRIPS : (int64_t)strips;
}

// Where kernels work on the queues, these stay in caches behind the second; what comes from files and goes there passes
// them by (mapped_kernel.c in hlc/emit), and rounds that are too short cost more than caches.
static uint64_t round_bytes(const assigner *d)
{
    const hlc_program *p = d->p;
    bool *counted = ARENA_ARRAY(p->arena, bool, p->machine->memories.len + 1);
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
    int64_t chunk = greater(divide_up(ASSIGN_PRIMINGS * d->cut->priming, d->p->plan->strip), unhurried_chunk(d));
    if (parallel)
        strips = processors * greater(chunk, d->even ? 1 : ASSIGN_SHARES);
    // Kernels behind each other work on different strips, so a round has more strips than it has kernels.
    if (d->cut->kernels.len > 1)
        strips = greater(strips, ASSIGN_DEPTH * (int64_t)d->cut->kernels.len);
    int64_t room = (int64_t)(round_bytes(d) / bytes_a_strip(d)), latency = d->p->config->max_latency;
    if (strips > room)
        strips = greater(room / processors, 1) * processors;
    if (strips > ASSIGN_STRIPS)
        strips = ASSIGN_STRIPS / processors * processors;
    if (latency != 0 && strips > latency / d->p->plan->strip)
        strips = latency / d->p->plan->strip;
    return greater(strips, least);
}

uint64_t plan_cut_alignment(const plan_cut *cut)
{
    int64_t alignment = least_multiple(64, plan_cut_unit(cut));
    for (VEC_EACH(const plan_processor, q, &cut->resources->processors))
        alignment = least_multiple(alignment, (int64_t)q->memory->alignment);
    return (uint64_t)alignment;
}

uint64_t plan_cut_line(const plan_cut *cut)
{
    int64_t alignment = (int64_t)plan_cut_alignment(cut);
    int64_t both = least_multiple(alignment, (int64_t)cut->resources->shared->alignment);
    return (uint64_t)(plan_cut_move(cut) && is_little(cut, both) ? both : alignment);
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

bool plan_cut_move(const plan_cut *cut)
{
    for (VEC_EACH(const plan_processor, q, &cut->resources->processors))
        if (!q->direct)
            return true;
    return false;
}

int64_t plan_cut_unit(const plan_cut *cut)
{
    uint64_t unit = 1;
    for (VEC_EACH(const plan_processor, q, &cut->resources->processors)) {
        if (q->direct)
            continue;
        unit = (uint64_t)least_multiple((int64_t)unit, (int64_t)q->transfer_alignment);
    }
    return (int64_t)unit;
}

// A window begins with whole lines, and holds what a strip reads or makes, the initialisation, or priming. With streams
// a strip lies behind what the window keeps, at a multiple of both an item's bytes and the alignment.
uint64_t plan_window_bytes(const plan *pl, const sir_module *m, uint32_t buffer)
{
    uint64_t unit = plan_cut_line(pl->cut), bytes = plan_buffer_bytes(&pl->buffers.data[buffer], m);
    uint32_t end = plan_end_of(pl, m, buffer), stream = pl->cut->graph->stream_of[end];
    uint64_t size = item_bytes(pl->cut, stream), whole = (uint64_t)plan_queue_line(pl->cut, stream) * size;
    uint64_t prime = (uint64_t)plan_queue_prime(pl->cut, stream) * size;
    bytes = prime > bytes ? prime : bytes;
    uint64_t aligned = (uint64_t)plan_queue_aligned(pl->cut, stream) * size;
    bytes += pl->cut->streams && aligned > unit ? aligned : 0;
    return (bytes + unit - 1) / unit * unit + 2 * (whole > unit ? (whole + unit - 1) / unit * unit : unit);
}

// The fewest steady states that push so many items to a queue, again and again.
static int64_t steady_states(const plan_cut *cut, uint32_t stream, int64_t items)
{
    const plan_net *graph = cut->graph;
    int64_t step = graph->whole_schedule->channels[graph->streams.data[stream].channel].steady;
    return step == 0 ? 1 : items / sched_gcd(items, step);
}

int64_t plan_cut_granule_of(const plan_cut *cut)
{
    int64_t granule = 1;
    for (uint32_t i = 0; i < cut->graph->streams.len; i++)
        granule = least_multiple(granule, steady_states(cut, i, plan_queue_unit(cut, i)));
    return granule;
}

int64_t plan_cut_lines_granule(const plan_cut *cut, int64_t most)
{
    int64_t granule = plan_cut_granule_of(cut);
    for (uint32_t i = 0; i < cut->graph->streams.len && granule <= most; i++)
        granule = least_multiple(granule, plan_queue_lines_step(cut, i));
    return granule;
}

int64_t plan_queue_lines_step(const plan_cut *cut, uint32_t stream)
{
    return steady_states(cut, stream, plan_queue_line(cut, stream));
}

int64_t plan_cut_least_strip(const hlc_program *p)
{
    const plan_net *graph = p->cut->graph;
    int64_t granule = plan_cut_granule_of(p->cut), least = 1;
    for (uint32_t i = 0; i < graph->streams.len; i++) {
        int64_t step = graph->whole_schedule->channels[graph->streams.data[i].channel].steady;
        if (step != 0)
            least = greater(least, divide_up(halo_of(p->plan, p->cut, i), step * ASSIGN_STRIPS));
    }
    return divide_up(least, granule) * granule;
}

// A kernel whose chunks begin with more than a round holds stays on one processor.
void plan_cut_give_up(hlc_program *p)
{
    plan_cut *cut = p->cut;
    plan_cut_kernel *longest = &cut->kernels.data[0];
    for (VEC_EACH(plan_cut_kernel, kernel, &cut->kernels))
        longest = kernel->priming > longest->priming ? kernel : longest;
    size_t number = (size_t)(longest - cut->kernels.data);
    longest->parallel = false;
    longest->pinned_by = cut->graph->kernels.data[number].actors.data[0];
    longest->why = plan_reason_plain(p->config->max_latency != 0 ? PLAN_WHY_LATE_LOOK : PLAN_WHY_LONG_LOOK);
    plan_cut_prime(p);
}

plan_assignment plan_assignment_of(hlc_program *p)
{
    const plan_cut *cut = p->cut;
    size_t n = cut->resources->processors.len;
    assigner d = {.p = p, .cut = cut, .processors = n, .ordinary = cut->resources->ordinary};
    const int64_t least = least_strips(&d);
    if (least == 0)
        return (plan_assignment){0};
    d.load = ARENA_ARRAY(p->arena, double, n + 1);
    d.share = ARENA_ARRAY(p->arena, double, n + 1);
    d.speed = ARENA_ARRAY(p->arena, double, n + 1);
    d.room = ARENA_ARRAY(p->arena, int64_t, n + 1);
    weigh_kernels(&d);
    const uint32_t *pinned = place_pinned(&d);
    find_shares(&d);
    plan_assignment found = {.strips = (uint32_t)choose_strips(&d, least)};
    int64_t latency = p->config->max_latency, round = found.strips * p->plan->strip, slots = most_slots(&d);
    if (latency != 0 && slots * round > latency)
        slots = ASSIGN_SLOTS;
    found.slots = (uint32_t)slots;
    found.rounds = latency != 0 && slots * round > latency ? 1 : (uint32_t)slots;
    found.where = ARENA_ARRAY(p->arena, uint32_t, cut->kernels.len * found.strips + 1);
    for (size_t i = 0; i < cut->kernels.len; i++)
        assign_kernel(&d, &found, i, pinned[i]);
    return found;
}

void plan_cut_take(hlc_program *p, const plan_assignment *taken)
{
    plan_cut *cut = p->cut;
    cut->strips = taken->strips;
    cut->slots = taken->slots;
    cut->rounds = taken->rounds;
    cut->where = taken->where;
    plan_cut_queues(p->arena, p->plan, cut);
}

bool plan_cut_assign(hlc_program *p)
{
    plan_assignment found = plan_assignment_of(p);
    while ((found.strips == 0 || is_too_late(p)) && p->cut->priming != 0) {
        plan_cut_give_up(p);
        found = plan_assignment_of(p);
    }
    if (found.strips != 0)
        plan_cut_take(p, &found);
    return found.strips != 0;
}

uint32_t plan_cut_chunk(const plan_cut *cut)
{
    int64_t own = divide_up(cut->strips, (int64_t)cut->resources->ordinary);
    return (uint32_t)divide_up(own, cut->kernels.len > 1 ? ASSIGN_CHUNKS : 1);
}

void plan_cut_strips(hlc_program *p, uint32_t *least, uint32_t *most)
{
    assigner d = {.p = p,
                  .cut = p->cut,
                  .processors = p->cut->resources->processors.len,
                  .ordinary = p->cut->resources->ordinary};
    uint64_t room = round_bytes(&d) / bytes_a_strip(&d);
    int64_t latency = p->config->max_latency;
    *least = (uint32_t)least_strips(&d);
    *most = room < ASSIGN_STRIPS ? (uint32_t)room : ASSIGN_STRIPS;
    if (latency != 0 && *most > latency / p->plan->strip)
        *most = (uint32_t)(latency / p->plan->strip);
    *most = *most < *least ? *least : *most;
}
