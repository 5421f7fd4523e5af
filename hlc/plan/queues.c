// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What lies in the queues between kernels, and how what engines move of it is aligned.
//
// NOTE(lines). Engines move whole units, but the shared memory is fastest where transfers begin and end at its alignment,
// lines. So queues and windows have whole lines before what they hold, as far as these are little beside the memories
// that windows lie in.
#include <string.h>

#include "hlc/plan/cut.h"
#include "hlc/plan/plan_int.h"
#include "hlc/plan/thresholds.h"
#include "support/numbers.h"

static int64_t least_multiple(int64_t a, int64_t b)
{
    return b < 2 ? a : a / sched_gcd(a, b) * b;
}

static const sched_channel *channel_of(const plan_cut *cut, uint32_t stream)
{
    return &cut->graph->whole_schedule->channels[cut->graph->streams.data[stream].channel];
}

int64_t plan_queue_step(const plan_cut *cut, uint32_t stream)
{
    return channel_of(cut, stream)->steady;
}

uint64_t plan_queue_item_bytes(const plan_cut *cut, uint32_t stream)
{
    return plan_element_bytes(cut->graph->whole, cut->graph->streams.data[stream].channel);
}

// ---- Units and lines ----

bool plan_cut_move(const plan_cut *cut)
{
    for (VEC_EACH(const plan_processor, q, &cut->resources->processors))
        if (!q->direct)
            return true;
    return false;
}

int64_t plan_cut_unit(const plan_cut *cut)
{
    int64_t unit = 1;
    for (VEC_EACH(const plan_processor, q, &cut->resources->processors))
        unit = q->direct ? unit : least_multiple(unit, (int64_t)q->transfer_alignment);
    return unit;
}

uint64_t plan_cut_alignment(const plan_cut *cut)
{
    int64_t alignment = least_multiple(64, plan_cut_unit(cut));
    for (VEC_EACH(const plan_processor, q, &cut->resources->processors))
        alignment = least_multiple(alignment, (int64_t)q->memory->alignment);
    return (uint64_t)alignment;
}

uint64_t plan_cut_slot_unit(const plan_cut *cut)
{
    uint64_t unit = plan_cut_alignment(cut);
    return cut->resources->alignment > unit ? cut->resources->alignment : unit;
}

static bool is_little(const plan_cut *cut, int64_t bytes)
{
    for (VEC_EACH(const plan_processor, q, &cut->resources->processors))
        if (!q->direct && (uint64_t)bytes > q->bytes / ASSIGN_LINES)
            return false;
    return true;
}

// The alignment, and whole lines too if so many bytes of them, a multiple of `of`, are little.
static int64_t with_lines(const plan_cut *cut, int64_t alignment, int64_t of)
{
    int64_t both = least_multiple(alignment, (int64_t)cut->resources->shared->alignment);
    return plan_cut_move(cut) && is_little(cut, least_multiple(both, of)) ? both : alignment;
}

uint64_t plan_cut_line(const plan_cut *cut)
{
    return (uint64_t)with_lines(cut, (int64_t)plan_cut_alignment(cut), 1);
}

// The fewest items whose bytes are a multiple of the alignment.
static int64_t in_items(const plan_cut *cut, uint32_t stream, int64_t alignment)
{
    return alignment / sched_gcd(alignment, (int64_t)plan_queue_item_bytes(cut, stream));
}

static int64_t in_lines(const plan_cut *cut, uint32_t stream, int64_t alignment)
{
    return in_items(cut, stream, with_lines(cut, alignment, (int64_t)plan_queue_item_bytes(cut, stream)));
}

int64_t plan_queue_unit(const plan_cut *cut, uint32_t stream)
{
    return in_items(cut, stream, plan_cut_unit(cut));
}

int64_t plan_queue_line(const plan_cut *cut, uint32_t stream)
{
    return in_lines(cut, stream, plan_cut_unit(cut));
}

int64_t plan_queue_aligned(const plan_cut *cut, uint32_t stream)
{
    return in_lines(cut, stream, (int64_t)plan_cut_alignment(cut));
}

// The fewest steady states that push so many items to a queue, again and again.
static int64_t steady_states(const plan_cut *cut, uint32_t stream, int64_t items)
{
    int64_t step = plan_queue_step(cut, stream);
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

// ---- Items ----

static int64_t delay_of(const plan *pl, const plan_cut *cut, uint32_t stream)
{
    const plan_buffer *b = plan_buffer_of_end(pl, cut->graph->streams.data[stream].reader);
    return b != NULL ? b->keep : channel_of(cut, stream)->remainder; // of a file's writer
}

int64_t plan_queue_prime(const plan_cut *cut, uint32_t stream)
{
    uint32_t to = cut->graph->streams.data[stream].to;
    if (to == SIR_NONE || !cut->kernels.data[to].parallel || cut->resources->ordinary < 2)
        return 0;
    return channel_of(cut, stream)->init_items + cut->kernels.data[to].repeat * plan_queue_step(cut, stream);
}

// The last items of a round, in whole lines, that the next one reads.
static int64_t halo_of(const plan *pl, const plan_cut *cut, uint32_t stream)
{
    if (cut->graph->streams.data[stream].to == SIR_NONE)
        return 0;
    int64_t items = number_max(delay_of(pl, cut, stream), plan_queue_prime(cut, stream));
    return (int64_t)number_round_up((uint64_t)items, (uint64_t)plan_queue_line(cut, stream));
}

// The initialisation's items end where those of the first round begin. Where engines move halos these may begin earlier,
// as blocks in processors' memories are aligned.
static int64_t history_of(const plan *pl, const plan_cut *cut, uint32_t stream)
{
    int64_t items = number_max(halo_of(pl, cut, stream), channel_of(cut, stream)->init_items);
    items = number_max(items, delay_of(pl, cut, stream));
    if (plan_cut_move(cut))
        items += plan_queue_aligned(cut, stream);
    return (int64_t)number_round_up((uint64_t)items, (uint64_t)plan_queue_line(cut, stream));
}

void plan_cut_queues(arena *a, const plan *pl, plan_cut *cut)
{
    memset(&cut->queues, 0, sizeof cut->queues);
    for (uint32_t i = 0; i < cut->graph->streams.len; i++) {
        const plan_stream *st = &cut->graph->streams.data[i];
        uint32_t end = st->reader != SIR_NONE ? st->reader : st->writer;
        int64_t history = history_of(pl, cut, i), whole = cut->strips * pl->strip * plan_queue_step(cut, i);
        int64_t room = number_max(history + pl->init_drain[end], history + whole + pl->drain[end]);
        // At the end of input more may be written at once than the drain takes (plan_drain_writes).
        const plan_buffer *given = plan_buffer_of_end(pl, st->writer);
        room = number_max(room, given != NULL ? history + given->capacity : 0);
        VEC_PUSH(a, &cut->queues,
                 (plan_queue){.stream = i,
                              .delay = delay_of(pl, cut, i),
                              .history = history,
                              .room = room + 2 * plan_queue_line(cut, i),
                              .halo = halo_of(pl, cut, i)});
    }
}

int64_t plan_cut_least_strips(const plan *pl, const plan_cut *cut, int64_t strip)
{
    int64_t least = 1;
    for (uint32_t i = 0; i < cut->graph->streams.len; i++)
        if (plan_queue_step(cut, i) != 0)
            least = number_max(least, number_divide_up(halo_of(pl, cut, i), plan_queue_step(cut, i) * strip));
    return least;
}

int64_t plan_cut_least_strip(const plan *pl, const plan_cut *cut)
{
    int64_t granule = plan_cut_granule_of(cut), least = plan_cut_least_strips(pl, cut, ASSIGN_STRIPS);
    return number_divide_up(least, granule) * granule;
}

// A window begins with whole lines, and holds what a strip reads or makes, the initialisation, or priming. With streams
// a strip lies behind what the window keeps, at a multiple of both an item's bytes and the alignment.
uint64_t plan_window_bytes(const plan *pl, const sir_module *m, uint32_t buffer)
{
    uint64_t unit = plan_cut_line(pl->cut), bytes = plan_buffer_bytes(&pl->buffers.data[buffer], m);
    uint32_t end = plan_end_of(pl, m, buffer), stream = pl->cut->graph->stream_of[end];
    uint64_t size = plan_queue_item_bytes(pl->cut, stream), whole = (uint64_t)plan_queue_line(pl->cut, stream) * size;
    uint64_t prime = (uint64_t)plan_queue_prime(pl->cut, stream) * size;
    bytes = prime > bytes ? prime : bytes;
    uint64_t aligned = (uint64_t)plan_queue_aligned(pl->cut, stream) * size;
    bytes += pl->cut->streams && aligned > unit ? aligned : 0;
    return number_round_up(bytes, unit) + 2 * (whole > unit ? number_round_up(whole, unit) : unit);
}
