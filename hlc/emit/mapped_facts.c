// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts of programs on several processors, taken together from the plan: queues, windows, chunks and the names that the
// emitted text has for them.
#include <inttypes.h>
#include <string.h>

#include "hlc/emit/mapped_int.h"
#include "support/numbers.h"

int64_t mapped_round_up(int64_t items, int64_t unit)
{
    return (items + unit - 1) / unit * unit;
}

int64_t mapped_history(const mapped_window *w)
{
    int64_t history = w->input ? mapped_round_up(w->queue->queue->delay, w->unit) : 0;
    return w->own ? mapped_round_up(history, w->queue->aligned) : history; // what is loaded behind it begins aligned
}

int64_t mapped_primed(const mapped_window *w)
{
    return mapped_round_up(w->queue->prime, w->unit);
}

const mapped_window *mapped_window_of(const mapped_kernel *p, uint32_t buffer)
{
    for (VEC_EACH(const mapped_window, w, &p->windows))
        if (strcmp(w->name, program_buffer_name(p->k, buffer)) == 0)
            return w;
    return NULL;
}

static const char *unique(program_emitter *x, const char *base, const char *what)
{
    return emit_unique_name(&x->e, arena_printf(x->e.arena, "%s_%s", base, what));
}

// ---- Queues ----

static uint32_t file_number(const sir_module *m, uint32_t actor)
{
    uint32_t number = 0;
    for (uint32_t i = 0; i < actor; i++)
        number += m->actors.data[i]->kind == m->actors.data[actor]->kind;
    return number;
}

// written: per buffer (plan_drain_writes).
static void describe_queue(program_emitter *x, const plan_queue *queue, const int64_t *written, hmap *members,
                           mapped_queue *r)
{
    const plan_cut *cut = x->pl->cut;
    const plan_net *graph = cut->graph;
    const plan_stream *st = &graph->streams.data[queue->stream];
    const sir_channel *c = &graph->whole->channels.data[st->channel];
    const sched_channel *sc = &graph->whole_schedule->channels[st->channel];
    uint32_t end = st->reader != SIR_NONE ? st->reader : st->writer;
    *r = (mapped_queue){.queue = queue,
                        .stream = st,
                        .name = text_member(x, members, st->name),
                        .type = emit_declare_item(&x->e, c->type, ""),
                        .item = c->type,
                        .size = plan_element_bytes(graph->whole, st->channel),
                        .unit = plan_queue_unit(cut, queue->stream),
                        .line = plan_queue_line(cut, queue->stream),
                        .aligned = plan_queue_aligned(cut, queue->stream),
                        .step = sc->steady,
                        .init = sc->init_items,
                        .prime = plan_queue_prime(cut, queue->stream),
                        .last = x->pl->drain[end]};
    if (x->fails_in_order && r->last < r->step)
        r->last = r->step;
    const plan_buffer *given = plan_buffer_of_end(x->pl, st->writer);
    r->given = given != NULL && written[given - x->pl->buffers.data] > r->last ? written[given - x->pl->buffers.data]
                                                                               : r->last;
    r->member =
        x->mapped->blocks ? arena_printf(x->e.arena, "queues[%zu]", (size_t)(queue - cut->queues.data)) : r->name;
    const machine_processor *engine;
    r->straight = plan_cut_all_straight(cut) && plan_cut_straight(cut, st, &engine);
    r->first = x->pl->init_drain[end] > r->init ? x->pl->init_drain[end] : r->init;
    if (st->from == SIR_NONE || st->to == SIR_NONE)
        r->file = file_number(graph->whole, st->from == SIR_NONE ? c->producer : c->consumer);
}

// ---- Kernels ----

static void add_stream(program_emitter *x, const mapped_kernel *p, hmap *members, mapped_window *w)
{
    arena *a = x->e.arena;
    w->own = p->moved || w->queue->straight;
    w->stream = w->own && w->queue->step != 0;
    if (w->queue->straight && !w->input)
        (void)plan_cut_straight(x->pl->cut, w->queue->stream, &w->mover);
    w->stream_of = arena_printf(a, "%s_stream", w->name);
    w->strips = unique(x, p->name, arena_printf(a, "strips_%s", w->name));
    w->streams = text_member(x, members, arena_printf(a, "%s_%s", w->queue->name, w->input ? "in" : "out"));
}

static void add_windows(program_emitter *x, const mapped *all, hmap *members, mapped_kernel *p)
{
    const plan_cut *cut = x->pl->cut;
    for (VEC_EACH(const uint32_t, b, &p->k->buffers)) {
        uint32_t end = plan_end_of(x->pl, x->m, *b);
        if (end == PLAN_NONE)
            continue;
        mapped_window w = {.queue = &all->queues[cut->graph->stream_of[end]],
                           .input = x->m->actors.data[end]->kind == SIR_READER,
                           .name = program_buffer_name(p->k, *b),
                           .unit = p->moved ? all->queues[cut->graph->stream_of[end]].line : 1,
                           .address = x->pl->buffers.data[*b].address,
                           .bytes = plan_window_bytes(x->pl, x->m, *b)};
        arena *a = x->e.arena;
        if (p->streams) {
            w.place = unique(x, p->name, arena_printf(a, "window_%s", w.name));
            w.items_of = w.name;
            w.from_of = arena_printf(a, "%s_from", w.name);
            w.history_of = arena_printf(a, "%s_history", w.name);
            add_stream(x, p, members, &w);
        } else {
            w.items_of = arena_printf(a, "windows[%zu].items", p->windows.len);
            w.from_of = arena_printf(a, "windows[%zu].from", p->windows.len);
            w.history_of = arena_printf(a, "windows[%zu].history", p->windows.len);
        }
        VEC_PUSH(a, &p->windows, w);
    }
}

// Bytes of a window, about, that are read from a file or written to it at once.
enum { FILE_BYTES = 256 << 10 };

// Which windows may be in files: a kernel's that works in queues everywhere, if the file's writer is not behind.
static void find_files(program_emitter *x, mapped_kernel *p, hmap *members)
{
    arena *a = x->e.arena;
    uint64_t most = 1;
    for (VEC_EACH(mapped_window, w, &p->windows)) {
        mapped_queue *r = (mapped_queue *)(uintptr_t)w->queue;
        bool end = w->input ? r->stream->from == SIR_NONE : r->stream->to == SIR_NONE && r->queue->delay == 0;
        w->file = !p->moved && !w->own && end && r->step > 0;
        if (!w->file)
            continue;
        p->files = p->loops = true;
        if (p->streams) {
            w->file_of = arena_printf(a, "%s_file", w->name);
            w->at_of = arena_printf(a, "%s_at", w->name);
            w->first_of = arena_printf(a, "%s_first", w->name);
            w->scratch_of = arena_printf(a, "%s_scratch", w->name);
            w->scratch = text_member(x, members, arena_printf(a, "%s_scratch", w->name));
            r->claimed = text_member(x, members, arena_printf(a, "%s_claimed", r->name));
            r->place = text_member(x, members, arena_printf(a, "%s_at", r->name));
        } else {
            size_t queue = (size_t)(r->queue - x->pl->cut->queues.data);
            r->claimed = arena_printf(a, "claimed[%zu]", queue);
            r->place = arena_printf(a, "places[%zu]", queue);
        }
        uint64_t bytes = (uint64_t)(x->pl->strip * r->step) * r->size;
        most = bytes > most ? bytes : most;
    }
    p->group = (most < FILE_BYTES ? (int64_t)(FILE_BYTES / most) : 1) * x->pl->strip;
}

// Whether the initialisation of a kernel does anything, so that its channels hold something when a chunk begins.
static bool has_init(const program_emitter *x, const mapped_kernel *p)
{
    for (VEC_EACH(const uint32_t, actor, &p->k->actors))
        if (x->s->init[*actor] != 0)
            return true;
    return false;
}

static void add_chunks(program_emitter *x, const mapped *all, mapped_kernel *p)
{
    const plan_cut *cut = x->pl->cut;
    const uint32_t *where = cut->where + (size_t)p->number * cut->strips;
    uint32_t most = plan_cut_chunk(cut);
    for (uint32_t i = 0, end; i < cut->strips; i = end) {
        for (end = i + 1; end < cut->strips && where[end] == where[i];)
            end++;
        bool direct = cut->resources->processors.data[where[i]].direct;
        mapped_chunk c = {.processor = all->number_of[where[i]], .first = i, .strips = end - i, .run = p->run_count};
        c.each = p->streams ? c.strips : !direct ? 1 : c.strips < most ? c.strips : most;
        p->run_count += (c.strips + c.each - 1) / c.each;
        p->moved |= !direct;
        p->direct |= direct;
        p->loops |= c.each > 1;
        VEC_PUSH(x->e.arena, &p->rows, c);
    }
    bool several = false;
    for (uint32_t i = 0; i < p->rows.len; i++) {
        uint32_t before = i;
        do
            before = before == 0 ? (uint32_t)p->rows.len - 1 : before - 1;
        while (p->rows.data[before].processor != p->rows.data[i].processor);
        p->rows.data[i].before = before;
        several |= p->rows.data[i].processor != p->rows.data[0].processor;
    }
    p->primes = several && (has_init(x, p) || p->planned->repeat != 0);
    p->loops |= p->streams || (p->primes && p->planned->repeat != 0);
    p->offsets = p->moved || (p->primes && p->planned->repeat != 0);
    p->home_processor = p->rows.data[0].processor;
    p->several = several;
}

// Windows of kernels on several processors that keep items have them from what primes.
static void prime_windows(mapped_kernel *p)
{
    for (VEC_EACH(const mapped_window, w, &p->windows)) {
        p->offsets |= w->own;
        p->primes |= p->several && mapped_stream_keeps(w);
    }
}

static bool has_phases(program_emitter *x, const mapped_kernel *p)
{
    bool any = program_has_phases(x) || has_init(x, p) || p->state;
    for (VEC_EACH(plan_initial, initial, &x->pl->initials))
        any |= program_buffer_name(p->k, initial->access.buffer) != NULL;
    for (VEC_EACH(const mapped_window, w, &p->windows))
        any |= mapped_stream_keeps(w);
    return any;
}

static void name_functions(program_emitter *x, hmap *members, mapped_kernel *p)
{
    p->run_type = unique(x, p->name, "Run");
    p->chunks = unique(x, p->name, "chunks");
    p->create = unique(x, p->name, "createRun");
    p->create_priming = unique(x, p->name, "createPriming");
    p->create_all = unique(x, p->name, "createRuns");
    p->destroy = unique(x, p->name, "destroyRun");
    p->order = unique(x, p->name, "order");
    p->serve = unique(x, p->name, "serve");
    p->count = unique(x, p->name, "counts");
    p->repeat = unique(x, p->name, "repeat");
    p->create_phase = unique(x, p->name, "createPhase");
    p->create_moves = unique(x, p->name, "createMoves");
    p->create_streams = unique(x, p->name, "createStreams");
    p->runs = text_member(x, members, arena_printf(x->e.arena, "%s_runs", p->name));
    p->primings = text_member(x, members, arena_printf(x->e.arena, "%s_primings", p->name));
    p->home = text_member(x, members, arena_printf(x->e.arena, "%s_home", p->name));
}

// Which queues may be files' pages: those of kernels that engines move all windows of, at files whose writer is not behind.
static void find_pages(program_emitter *x, mapped_kernel *p)
{
    arena *a = x->e.arena;
    if (x->pl->cut->resources->control->page_map.amount <= 0 || !x->mapped->moved || x->mapped->direct || p->streams)
        return;
    for (VEC_EACH(mapped_window, w, &p->windows)) {
        mapped_queue *r = (mapped_queue *)(uintptr_t)w->queue;
        bool end = w->input ? r->stream->from == SIR_NONE : r->stream->to == SIR_NONE && r->queue->delay == 0;
        bool same = r->item->kind != SIR_BIT && r->item->kind != SIR_BOOLEAN;
        if (!end || !same || r->step <= 0)
            continue;
        size_t queue = (size_t)(r->queue - x->pl->cut->queues.data);
        r->claimed = arena_printf(a, "mapped[%zu]", queue);
        r->base = arena_printf(a, "base[%zu]", queue);
    }
}

// A round that is not whole is shared evenly by a kernel that all processors run, a chunk each, as these then still use
// their windows' blocks in turn. One that few run is light, and waiting for it would cost more. Where processors work in
// queues, a chunk may then have all of such a round in one run (svm_roundShare), of more strips than it has of a whole one.
static void find_shares(const program_emitter *x, mapped_kernel *p)
{
    p->even = p->several && x->mapped->moved != x->mapped->direct && !p->streams && p->planned->repeat == 0 &&
              p->rows.len == x->mapped->used.len;
    for (uint32_t i = 0; i < p->rows.len; i++)
        p->even &= p->rows.data[i].before == i;
    p->loops |= p->even && !x->mapped->moved && x->pl->cut->strips > 1;
}

static void describe_kernel(program_emitter *x, const mapped *all, uint32_t kernel, hmap *members, mapped_kernel *p)
{
    arena *a = x->e.arena;
    *p = (mapped_kernel){.k = &x->kernels[kernel], .planned = &x->pl->cut->kernels.data[kernel], .number = kernel};
    p->streams = x->pl->cut->streams;
    p->name = body_identifier(a, p->k->kernel->name);
    p->own_type = unique(x, p->name, "Own");
    if (!p->streams)
        x->kernels[kernel].type = "svm_RoundKernel";
    else
        name_functions(x, members, p);
    p->strip = unique(x, p->name, "strip");
    add_chunks(x, all, p);
    add_windows(x, all, members, p);
    prime_windows(p);
    p->state = mapped_keeps_state(x, kernel);
    p->phases = has_phases(x, p);
    find_files(x, p, members);
    find_pages(x, p);
    find_shares(x, p);
}
// ---- State ----

bool mapped_has_state(program_emitter *x, uint32_t kernel)
{
    return mapped_facts(x)->kernels[kernel].state;
}

// The place of a kernel's state is a sum of the sizes of those before it; of this many at most.
enum { STATE_TERMS = 16 };

static void order_states(program_emitter *x, mapped *all)
{
    size_t count = all->used.len;
    all->last_state = ARENA_ARRAY(x->e.arena, uint32_t, count + 1);
    memset(all->last_state, 0xff, (count + 1) * sizeof *all->last_state);
    for (uint32_t i = 0; i < x->pl->cut->kernels.len; i++) {
        mapped_kernel *p = &all->kernels[i];
        uint32_t *last = &all->last_state[p->home_processor];
        p->state_before = *last;
        if (!p->state)
            continue;
        p->state_order = *last == PLAN_NONE ? 1 : all->kernels[*last].state_order + 1;
        *last = i;
    }
}

const char *mapped_state_behind(program_emitter *x, uint32_t kernel)
{
    const mapped_kernel *p = &mapped_facts(x)->kernels[kernel];
    return p->state && p->state_order % STATE_TERMS == 0 ? arena_printf(x->e.arena, "%s_end", p->own_type) : NULL;
}

const char *mapped_state_bytes(program_emitter *x, uint32_t kernel)
{
    uint64_t alignment = plan_cut_alignment(x->pl->cut);
    return arena_printf(x->e.arena, "(sizeof(%s) + %" PRIu64 ") / %" PRIu64 " * %" PRIu64,
                        mapped_facts(x)->kernels[kernel].own_type, alignment - 1, alignment, alignment);
}

const char *mapped_state_place(program_emitter *x, uint32_t kernel, uint32_t processor)
{
    const mapped *all = mapped_facts(x);
    const char *base =
        arena_printf(x->e.arena, "%" PRIu64, number_round_up(x->pl->bytes, plan_cut_alignment(x->pl->cut)));
    uint32_t before[STATE_TERMS],
        i = kernel < x->pl->cut->kernels.len ? all->kernels[kernel].state_before : all->last_state[processor];
    size_t count = 0;
    for (; i != PLAN_NONE; i = all->kernels[i].state_before) {
        if (mapped_state_behind(x, i) != NULL) {
            base = mapped_state_behind(x, i);
            break;
        }
        before[count++] = i;
    }
    strbuf text;
    strbuf_init(&text, x->e.arena);
    strbuf_add(&text, base);
    while (count-- > 0)
        strbuf_printf(&text, " + %s", mapped_state_bytes(x, before[count]));
    return text.data;
}

// ---- All ----

static void count_files(program_emitter *x, mapped *all)
{
    const sir_module *m = x->pl->cut->graph->whole;
    for (VEC_EACH(sir_actor *, actor, &m->actors)) {
        all->readers += (*actor)->kind == SIR_READER;
        all->writers += (*actor)->kind == SIR_WRITER;
    }
}

static void find_used(program_emitter *x, mapped *all)
{
    const plan_cut *cut = x->pl->cut;
    all->number_of = ARENA_ARRAY(x->e.arena, uint32_t, cut->resources->processors.len + 1);
    for (uint32_t q = 0; q < cut->resources->processors.len; q++) {
        const plan_processor *on = &cut->resources->processors.data[q];
        bool runs = false;
        for (uint32_t i = 0; i < cut->kernels.len; i++)
            runs = runs || plan_kernel_runs_on(cut, i, q);
        if (!runs)
            continue;
        all->number_of[q] = (uint32_t)all->used.len;
        VEC_PUSH(x->e.arena, &all->used, on);
        all->moved |= !on->direct;
        all->direct |= on->direct;
    }
}

const mapped *mapped_facts(program_emitter *x)
{
    if (x->mapped != NULL)
        return x->mapped;
    const plan_cut *cut = x->pl->cut;
    mapped *all = ARENA_NEW(x->e.arena, mapped);
    x->mapped = all;
    all->blocks = !cut->streams;
    all->queues = ARENA_ARRAY(x->e.arena, mapped_queue, cut->graph->streams.len + 1);
    all->kernels = ARENA_ARRAY(x->e.arena, mapped_kernel, cut->kernels.len + 1);
    hmap members;
    hmap_init(&members, x->e.arena);
    static const char *const own[] = {"started", "ended",  "steadyStates", "iterations", "round",
                                      "states",  "placed", "memory",       "readers",    "writers",
                                      "texts",   "logs",   "start",        "own",        "ownMemory"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        hmap_set(&members, own[i], x);
    const char *prefix = all->blocks ? "SVM" : x->name;
    all->processors = all->blocks ? "svm_roundProcessors" : arena_printf(x->e.arena, "%s_processors", x->name);
    all->init = arena_printf(x->e.arena, "%s_init", x->name);
    all->strip = arena_printf(x->e.arena, "%s_STRIP", prefix);
    all->strips = arena_printf(x->e.arena, "%s_STRIPS", prefix);
    all->round = arena_printf(x->e.arena, "%s_ROUND", prefix);
    all->slots = arena_printf(x->e.arena, "%s_SLOTS", prefix);
    const int64_t *written = plan_drain_writes(x->e.arena, x->pl, x->m, x->s);
    for (VEC_EACH(const plan_queue, queue, &cut->queues)) {
        mapped_queue *r = &all->queues[queue->stream];
        describe_queue(x, queue, written, &members, r);
        const mapped_slots slots = mapped_slots_of(x, r);
        r->address = all->queue_bytes;
        all->queue_bytes += slots.bytes * slots.count;
    }
    find_used(x, all);
    for (uint32_t i = 0; i < cut->kernels.len; i++) {
        describe_kernel(x, all, i, &members, &all->kernels[i]);
        all->phases |= all->kernels[i].phases;
    }
    order_states(x, all);
    for (VEC_EACH(const plan_queue, queue, &cut->queues)) {
        mapped_queue *r = &all->queues[queue->stream];
        bool linked = r->stream->from != SIR_NONE && r->stream->to != SIR_NONE;
        r->forgets = cut->streams && linked && !all->kernels[r->stream->to].primes;
    }
    count_files(x, all);
    if (all->blocks)
        all->facts = mapped_block_facts(x, all);
    return all;
}
