// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs of kernels whose strips come and go through streams (NOTE(streams) in mapped_int.h): what sets them up, what starts
// them, and the loop of their kernels.
#include <inttypes.h>
#include <string.h>

#include "hlc/emit/mapped_int.h"

// ---- Facts ----

bool mapped_has_stream(const mapped_window *w)
{
    return w->stream && (w->input || !w->queue->straight || w->mover != NULL);
}

const mapped_window *mapped_other_end(const mapped *all, const mapped_window *w)
{
    const mapped_kernel *to = &all->kernels[w->queue->stream->to];
    for (VEC_EACH(const mapped_window, end, &to->windows))
        if (end->queue == w->queue && end->input)
            return end;
    return NULL;
}

// Whether an engine moves the window's strips from the queue or to it.
static bool is_filled(const mapped_window *w)
{
    return w->stream && !w->queue->straight;
}

static const char *engine_kernel(const mapped_window *w)
{
    return w->queue->straight ? "pass" : w->input ? "fill" : "empty";
}

// Whether its run has a kernel of an engine for it.
static bool is_moved(const mapped_window *w)
{
    return is_filled(w) || (w->stream && !w->input && w->mover != NULL);
}

static const char *number(program_emitter *x, int64_t n)
{
    return arena_printf(x->e.arena, "%" PRId64, n);
}

// Where a window's block begins in its processor's memory: behind what its streams take.
static uint64_t block_address(const program_emitter *x, const mapped_window *w)
{
    return w->address + (x->p->cut->depth - 1) * w->bytes;
}

// Bytes of a strip, an expression.
static const char *strip_bytes(program_emitter *x, const mapped_queue *r)
{
    return arena_printf(x->e.arena, "%s * sizeof(%s)", text_times(x, mapped_facts(x)->strip, r->step), r->type);
}

// Whether some of its runs are phases.
static bool is_phased(const mapped_kernel *p)
{
    return p->phases || p->primes;
}

// Kernels i and `other` run on one processor.
static bool share(const mapped *all, size_t i, size_t other)
{
    for (VEC_EACH(const mapped_chunk, theirs, &all->kernels[other].rows))
        for (VEC_EACH(const mapped_chunk, own, &all->kernels[i].rows))
            if (own->processor == theirs->processor)
                return true;
    return false;
}

// Kernel i has a stream that leads straight to or from another kernel, and shares a processor with some kernel. Runs of a
// processor go in the order of kernels: one that waited for room in such a stream could wait for a later one.
static bool waits_for_later(const mapped *all, size_t kernels, size_t i)
{
    bool straight = false;
    for (VEC_EACH(const mapped_window, w, &all->kernels[i].windows))
        straight |= w->queue->straight;
    for (size_t other = 0; straight && other < kernels; other++)
        if (other != i && share(all, i, other))
            return true;
    return false;
}

// SVM_KERNEL(holds_processor): what fills and empties its streams is engines, and kernels of other processors. The control
// processor has nothing to do in a round: no kernel works in its memory, no items go from slot to slot there, and strips are
// what engines can move.
bool mapped_holds_processor(program_emitter *x, uint32_t kernel)
{
    const mapped *all = mapped_facts(x);
    const size_t kernels = x->pl->cut->kernels.len;
    const uint64_t unit = (uint64_t)plan_cut_unit(x->pl->cut); // of engines
    if (all->blocks || all->direct)
        return false;
    for (size_t i = 0; i < kernels; i++) {
        if (waits_for_later(all, kernels, i))
            return false;
        for (VEC_EACH(const mapped_window, w, &all->kernels[i].windows))
            if (mapped_window_has_halo(w) || (uint64_t)mapped_strip_items(x, w->queue) * w->queue->size % unit != 0)
                return false;
    }
    bool any = false;
    for (VEC_EACH(const mapped_window, w, &all->kernels[kernel].windows))
        any |= w->stream;
    return any;
}

// SVM_KERNEL(input_first), of a kernel that holds its processor, where others run, too: each of its streams is moved from the queue or to it, by moves
// that are run beside it. These wait for whole moves of kernels that write the queue, which were run before, and for their own
// of the run before; so none of them waits for what the run does.
bool mapped_input_first(program_emitter *x, uint32_t kernel)
{
    const mapped *all = mapped_facts(x);
    for (VEC_EACH(const mapped_window, w, &all->kernels[kernel].windows))
        if (!is_filled(w))
            return false;
    bool shares = false;
    for (size_t other = 0; other < x->pl->cut->kernels.len; other++)
        shares |= other != kernel && share(all, kernel, other);
    return shares;
}

// ---- The type ----

void mapped_stream_type(program_emitter *x, const mapped_kernel *p)
{
    for (VEC_EACH(const mapped_window, w, &p->windows)) {
        text_line(x, 1, "svm_Block %s;%s", w->name,
                  w->own ? " /* what it keeps, and a strip: its items that are not in the stream */" : "");
        if (!w->own)
            continue;
        if (is_phased(p))
            text_line(x, 1, "svm_Block %s_here, %s_there; /* what a phase moves: in that block, in the queue */",
                      w->name, w->name);
        if (p->moved && is_phased(p))
            text_line(x, 1, "svm_MoveB2B %s_%s;", w->name, w->input ? "load" : "store");
        if (is_filled(w)) {
            text_line(x, 1, "svm_Block %s_strips; /* in the queue */", w->name);
            text_line(x, 1, "svm_Move%s %s_%s;", w->input ? "B2S" : "S2B", w->name, engine_kernel(w));
        } else if (is_moved(w)) {
            text_line(x, 1, "svm_MoveS2S %s_%s; /* to the stream of the kernel that reads it */", w->name,
                      engine_kernel(w));
        }
        if (mapped_window_has_halo(w)) {
            text_line(x, 1, "svm_Block %s_last, %s_history; /* in the queue, and where the round after finds them */",
                      w->name, w->name);
            text_line(x, 1, "svm_MoveB2B %s_keep;", w->name);
        }
    }
}

void mapped_stream_members(program_emitter *x, const mapped *all)
{
    for (size_t i = 0; i < x->pl->cut->kernels.len; i++)
        for (VEC_EACH(const mapped_window, w, &all->kernels[i].windows))
            if (mapped_has_stream(w))
                text_line(x, 1, "svm_Stream %s[%zu]; /* of each processor of kernel %s: strips of %s */", w->streams,
                          all->used.len, all->kernels[i].k->kernel->name, w->queue->name);
}

// ---- Places ----

static void emit_place(program_emitter *x, const mapped *all, const mapped_kernel *p, const mapped_window *w)
{
    arena *a = x->e.arena;
    const mapped_queue *r = w->queue;
    if (!w->own) {
        mapped_window_function(x, p, w);
        return;
    }
    if (!is_phased(p))
        return;
    text_line(x, 0,
              "/* What a phase moves of %s: so many items from the round's item `first` on, to or from the window's",
              r->name);
    text_line(x, 0, "   item `at`. */");
    text_args params = {0};
    VEC_PUSH(a, &params, arena_printf(a, "%s *self", x->type));
    VEC_PUSH(a, &params, arena_printf(a, "%s *r", p->run_type));
    VEC_PUSH(a, &params, "int q");
    VEC_PUSH(a, &params, "int slot");
    VEC_PUSH(a, &params, "size_t at");
    VEC_PUSH(a, &params, "int64_t first");
    VEC_PUSH(a, &params, "size_t items");
    text_call(x, 0, arena_printf(a, "static void %s(", w->place), &params, ")");
    text_line(x, 0, "{");
    text_line(x, 1, "const size_t there = self->%s[slot].address + (size_t)(%" PRId64 " + first) * sizeof(%s);",
              r->name, r->queue->history, r->type);
    text_line(x, 1, "svm_blockInit(&r->%s_there, %s, there, items, sizeof(%s));", w->name,
              text_memory(x, x->pl->memory), r->type);
    text_line(x, 1,
              "svm_blockInit(&r->%s_here, %s[q].memory, self->ownMemory[q] + %" PRIu64
              " + at * sizeof(%s), items, sizeof(%s));",
              w->name, all->processors, block_address(x, w), r->type, r->type);
    text_line(x, 1, "svm_blockName(&r->%s_there, \"%s\");", w->name, r->name);
    text_line(x, 1, "svm_blockName(&r->%s_here, \"%s\");", w->name, w->name);
    text_line(x, 0, "}\n");
}

static void emit_strips(program_emitter *x, const mapped_kernel *p, const mapped_window *w)
{
    const mapped_queue *r = w->queue;
    text_line(x, 0, "/* So many strips of %s from the round's strip `first` on. */", r->name);
    text_line(x, 0, "static void %s(%s *self, %s *r, int slot, int first, size_t strips)", w->strips, x->type,
              p->run_type);
    text_line(x, 0, "{");
    text_line(x, 1,
              "const size_t there = self->%s[slot].address + (%" PRId64 " + (size_t)first * %" PRId64 ") * sizeof(%s);",
              r->name, r->queue->history, mapped_strip_items(x, r), r->type);
    text_line(x, 1, "svm_blockInit(&r->%s_strips, %s, there, strips, %s);", w->name, text_memory(x, x->pl->memory),
              strip_bytes(x, r));
    text_line(x, 1, "svm_blockName(&r->%s_strips, \"%s\");", w->name, r->name);
    text_line(x, 0, "}\n");
}

// The call that places what a phase moves; first, at, items: texts.
static void place(program_emitter *x, int indent, const mapped_window *w, const char *q, const char *slot,
                  const char *at, const char *first, const char *items)
{
    text_line(x, indent, "%s(self, r, %s, %s, %s, %s, %s);", w->place, q, slot, at, first, items);
}

// ---- Creation ----

static void emit_create_run(program_emitter *x, const mapped *all, const mapped_kernel *p)
{
    text_line(x, 0, "/* A run of kernel %s on processor q: so many strips of a round. */", p->k->kernel->name);
    text_line(x, 0, "static void %s(%s *self, %s *r, int q, int slot, int strip, int strips)", p->create, x->type,
              p->run_type);
    text_line(x, 0, "{");
    bool places = false;
    for (VEC_EACH(const mapped_window, w, &p->windows)) {
        int64_t strip = mapped_strip_items(x, w->queue), history = mapped_history(w);
        if (w->own) {
            text_line(x, 1,
                      "svm_blockInit(&r->%s, %s[q].memory, self->ownMemory[q] + %" PRIu64 ", %" PRIu64 ", sizeof(%s));",
                      w->name, all->processors, block_address(x, w), w->bytes / w->queue->size, w->queue->type);
            text_line(x, 1, "svm_blockName(&r->%s, \"%s\");", w->name, w->name);
            continue;
        }
        places = true;
        mapped_place(x, 1, w, "slot", mapped_times_plus(x, "(int64_t)strip", strip, -history),
                     mapped_times_plus(x, "(size_t)strips", strip, strip == 0 && history == 0 ? 1 : history));
    }
    if (!places)
        text_line(x, 1, "(void)slot, (void)strip, (void)strips;");
    text_line(x, 1, "svm_kernelInit(&r->run.kernel, %s[q].processor, %s, \"%s\");", all->processors, p->k->run,
              p->k->kernel->name);
    text_line(x, 1, "r->run.own = &self->own[q];");
    mapped_point_windows(x, p);
    text_line(x, 0, "}\n");
}

static void emit_create_phase(program_emitter *x, const mapped *all, const mapped_kernel *p)
{
    text_line(x, 0, "/* Makes of a run one that is no strips: its windows are moved whole. */");
    text_line(x, 0, "static void %s(%s *self, %s *r, int q)", p->create_phase, x->type, p->run_type);
    text_line(x, 0, "{");
    text_line(x, 1, "r->phase = true;");
    text_line(x, 1, "svm_kernelNeverBlocks(&r->run.kernel);");
    bool moves = false;
    for (VEC_EACH(const mapped_window, w, &p->windows)) {
        if (!w->own || !p->moved)
            continue;
        moves = true;
        place(x, 1, w, "q", "0", "0", "0", number(x, w->unit));
        if (w->input) {
            text_line(x, 1, "svm_moveB2BInit(&r->%s_load, %s[q].load, &r->%s_there, &r->%s_here);", w->name,
                      all->processors, w->name, w->name);
            text_line(x, 1, "svm_kernelAddDependence(&r->run.kernel, &r->%s_load.kernel);", w->name);
        } else {
            text_line(x, 1, "svm_moveB2BInit(&r->%s_store, %s[q].store, &r->%s_here, &r->%s_there);", w->name,
                      all->processors, w->name, w->name);
            text_line(x, 1, "svm_kernelAddDependence(&r->%s_store.kernel, &r->run.kernel);", w->name);
        }
    }
    if (!moves)
        text_line(x, 1, "(void)self, (void)q;");
    text_line(x, 0, "}\n");
}

static int64_t least_items(int64_t items, const mapped_window *w)
{
    return items < w->unit ? w->unit : items;
}

static void place_priming(program_emitter *x, int indent, const mapped_window *w, const char *q, const char *first)
{
    int64_t prime = mapped_primed(w);
    place(x, indent, w, q, "slot", "0", first, number(x, least_items(prime, w)));
    text_line(x, indent, "r->run.%s_from = %" PRId64 ";", w->name, prime - w->queue->prime);
}

static void emit_create_priming(program_emitter *x, const mapped_kernel *p)
{
    text_line(x, 0, "/* What primes kernel %s on processor q for the strips of a round from `strip` on. */",
              p->k->kernel->name);
    text_line(x, 0, "static void %s(%s *self, %s *r, int q, int slot, int strip)", p->create_priming, x->type,
              p->run_type);
    text_line(x, 0, "{");
    text_line(x, 1, "%s(self, r, q, slot, strip, 1);", p->create);
    text_line(x, 1, "%s(self, r, q);", p->create_phase);
    for (VEC_EACH(const mapped_window, w, &p->windows))
        if (w->input)
            place_priming(x, 1, w, "q",
                          mapped_times_plus(x, "(int64_t)strip", mapped_strip_items(x, w->queue), -mapped_primed(w)));
    text_line(x, 1, "r->run.starting = r->run.priming = r->run.counted = true;");
    mapped_count_init(x, 1, p);
    text_line(x, 0, "}\n");
}

// The last items of a round go to the next round's slot, when they are in their own.
static void emit_halo(program_emitter *x, const mapped *all, const mapped_window *w)
{
    const mapped_queue *r = w->queue;
    int64_t strip = mapped_strip_items(x, r), round = mapped_round_items(x, r), before = round - r->queue->halo;
    const char *from = "last > first ? last : first";
    if (r->aligned > 1)
        from = arena_printf(x->e.arena, "last > first ? first + (last - first) / %" PRId64 " * %" PRId64 " : first",
                            r->aligned, r->aligned);
    text_line(x, 1,
              "if (strip + strips > %" PRId64 ") { /* the next round finds the last %" PRId64
              " items in front of its own */",
              before / strip, r->queue->halo);
    text_line(x, 2,
              "const int64_t first = strip * %" PRId64 ", end = first + strips * %" PRId64 ", last = %" PRId64 ";",
              strip, strip, before);
    text_line(x, 2, "const int64_t from = %s;", from);
    const char *const names[] = {"last", "history"}, *const slots[] = {
                                                         "slot",
                                                         arena_printf(x->e.arena, "(slot + 1) %% %s", all->slots)};
    for (int i = 0; i < 2; i++) {
        text_line(x, 2,
                  "svm_blockInit(&r->%s_%s, %s, self->%s[%s].address + (size_t)(%" PRId64
                  " + from) * sizeof(%s), (size_t)(end - from), sizeof(%s));",
                  w->name, names[i], text_memory(x, x->pl->memory), r->name, slots[i],
                  r->queue->history - (i == 0 ? 0 : round), r->type, r->type);
        text_line(x, 2, "svm_blockName(&r->%s_%s, \"%s\");", w->name, names[i], r->name);
    }
    text_line(x, 2, "svm_moveB2BInit(&r->%s_keep, %s[q].store, &r->%s_last, &r->%s_history);", w->name, all->processors,
              w->name, w->name);
    text_line(x, 2, "svm_kernelAddDependence(&r->%s_keep.kernel, &r->%s_empty.kernel);", w->name, w->name);
    text_line(x, 1, "}");
}

// The stream of a window in what is on processor q; an expression.
static const char *stream_at(program_emitter *x, const mapped *all, const mapped_window *w)
{
    if (mapped_has_stream(w))
        return arena_printf(x->e.arena, "&self->%s[q]", w->streams);
    return arena_printf(x->e.arena, "&self->%s[%" PRIu32 "]", mapped_other_end(all, w)->streams,
                        all->kernels[w->queue->stream->to].home_processor);
}

static void emit_create_moves(program_emitter *x, const mapped *all, const mapped_kernel *p)
{
    text_line(x, 0, "/* The streams of a run, and what fills and empties them. */");
    text_line(x, 0, "static void %s(%s *self, %s *r, int q, int slot, int strip, int strips)", p->create_moves, x->type,
              p->run_type);
    text_line(x, 0, "{");
    text_line(x, 1, "(void)q, (void)slot, (void)strip, (void)strips;");
    for (VEC_EACH(const mapped_window, w, &p->windows)) {
        if (!w->stream)
            continue;
        text_line(x, 1, "r->run.%s = %s;", w->stream_of, stream_at(x, all, w));
        if (is_filled(w))
            text_line(x, 1, "%s(self, r, slot, strip, (size_t)strips);", w->strips);
        if (is_filled(w) && w->input)
            text_line(x, 1, "svm_moveB2SInit(&r->%s_fill, %s[q].load, &r->%s_strips, r->run.%s);", w->name,
                      all->processors, w->name, w->stream_of);
        else if (is_filled(w))
            text_line(x, 1, "svm_moveS2BInit(&r->%s_empty, %s[q].store, r->run.%s, &r->%s_strips);", w->name,
                      all->processors, w->stream_of, w->name);
        else if (is_moved(w))
            text_line(x, 1, "svm_moveS2SInit(&r->%s_pass, &%s, r->run.%s, &self->%s[%" PRIu32 "], (size_t)strips);",
                      w->name, w->mover->element.name, w->stream_of, mapped_other_end(all, w)->streams,
                      all->kernels[w->queue->stream->to].home_processor);
        if (mapped_window_has_halo(w))
            emit_halo(x, all, w);
    }
    text_line(x, 0, "}\n");
}

static void emit_create_runs(program_emitter *x, const mapped *all, const mapped_kernel *p)
{
    text_line(x, 0, "static void %s(%s *self)", p->create_all, x->type);
    text_line(x, 0, "{");
    text_line(x, 1, "for (int slot = 0; slot < %s; slot++)", all->slots);
    text_line(x, 1, "for (int c = 0; c < %zu; c++) {", p->rows.len);
    text_line(x, 2, "const %s_Chunk *chunk = &%s[c];", x->name, p->chunks);
    text_line(x, 2, "%s *r = &self->%s[slot][c];", p->run_type, p->runs);
    if (p->primes)
        text_line(x, 2, "%s(self, &self->%s[slot][c], chunk->processor, slot, chunk->first);", p->create_priming,
                  p->primings);
    text_line(x, 2, "%s(self, r, chunk->processor, slot, chunk->first, chunk->strips);", p->create);
    text_line(x, 2, "%s(self, r, chunk->processor, slot, chunk->first, chunk->strips);", p->create_moves);
    text_line(x, 1, "}");
    if (p->phases) {
        text_line(x, 1, "%s(self, &self->%s, %" PRIu32 ", 0, 0, 1);", p->create, p->home, p->home_processor);
        text_line(x, 1, "%s(self, &self->%s, %" PRIu32 ");", p->create_phase, p->home, p->home_processor);
    }
    text_line(x, 0, "}\n");
}

static void each_place(program_emitter *x, const mapped_kernel *p)
{
    text_line(x, 1, "for (int c = 0; c < %zu; c++) {", p->rows.len);
    text_line(x, 2, "const int q = %s[c].processor;", p->chunks);
    text_line(x, 2, "if (%s[c].before < c)", p->chunks);
    text_line(x, 3, "continue; /* it has them */");
}

bool mapped_stream_any(const mapped_kernel *p)
{
    bool any = false;
    for (VEC_EACH(const mapped_window, w, &p->windows))
        any |= mapped_has_stream(w);
    return any;
}

static void emit_create_streams(program_emitter *x, const mapped *all, const mapped_kernel *p)
{
    if (!mapped_stream_any(p))
        return;
    text_line(x, 0, "/* The streams of kernel %s on each of its processors; an element is a strip. */",
              p->k->kernel->name);
    text_line(x, 0, "static void %s(%s *self)", p->create_streams, x->type);
    text_line(x, 0, "{");
    each_place(x, p);
    for (VEC_EACH(const mapped_window, w, &p->windows)) {
        if (!mapped_has_stream(w))
            continue;
        uint64_t strip = (uint64_t)mapped_strip_items(x, w->queue) * w->queue->size;
        text_line(x, 2,
                  "svm_streamInitRAM(&self->%s[q], %s[q].memory, self->ownMemory[q] + %" PRIu64 ", %" PRIu64 ", %s);",
                  w->streams, all->processors, w->address, (x->p->cut->depth - 1) * w->bytes / strip,
                  strip_bytes(x, w->queue));
        text_line(x, 2, "svm_streamName(&self->%s[q], \"%s\");", w->streams, w->queue->name);
    }
    text_line(x, 1, "}");
    text_line(x, 0, "}\n");
}

// ---- Dependences ----

static void emit_order(program_emitter *x, const mapped *all, const mapped_kernel *p)
{
    text_line(x, 0, "/* Runs of kernel %s on a processor follow each other, and so do the strips in its streams. */",
              p->k->kernel->name);
    text_line(x, 0, "static void %s(%s *self)", p->order, x->type);
    text_line(x, 0, "{");
    text_line(x, 1, "for (int slot = 0; slot < %s; slot++)", all->slots);
    text_line(x, 1, "for (int c = 0; c < %zu; c++) {", p->rows.len);
    text_line(x, 2, "const int before = %s[c].before;", p->chunks);
    text_line(x, 2, "%s *r = &self->%s[slot][c];", p->run_type, p->runs);
    text_line(x, 2, "%s *last = &self->%s[before < c ? slot : (slot + %s - 1) %% %s][before];", p->run_type, p->runs,
              all->slots, all->slots);
    if (p->primes) {
        text_line(x, 2, "%s *priming = &self->%s[slot][c]; /* it uses the windows' blocks */", p->run_type,
                  p->primings);
        for (VEC_EACH(const mapped_window, w, &p->windows))
            if (w->input)
                text_line(x, 2, "svm_kernelAddDependence(&priming->%s_load.kernel, &last->run.kernel);", w->name);
        text_line(x, 2, "svm_kernelAddDependence(&priming->run.kernel, &last->run.kernel);");
        text_line(x, 2, "svm_kernelAddDependence(&r->run.kernel, &priming->run.kernel);");
    } else {
        text_line(x, 2, "svm_kernelAddDependence(&r->run.kernel, &last->run.kernel);");
    }
    for (VEC_EACH(const mapped_window, w, &p->windows))
        if (is_moved(w))
            text_line(x, 2, "svm_kernelAddDependence(&r->%s_%s.kernel, &last->%s_%s.kernel);", w->name,
                      engine_kernel(w), w->name, engine_kernel(w));
    text_line(x, 1, "}");
    text_line(x, 0, "}\n");
}

static const mapped_window *output_of(const mapped *all, const mapped_queue *r)
{
    const mapped_kernel *from = &all->kernels[r->stream->from];
    for (VEC_EACH(const mapped_window, w, &from->windows))
        if (w->queue == r && !w->input)
            return w;
    return NULL;
}

static void emit_link(program_emitter *x, const mapped_queue *r)
{
    const mapped *all = mapped_facts(x);
    const mapped_kernel *from = &all->kernels[r->stream->from], *to = &all->kernels[r->stream->to];
    const mapped_window *out = output_of(all, r), *in = mapped_other_end(all, out);
    int64_t strip = mapped_strip_items(x, r), prime = mapped_primed(in);
    text_line(x, 0, "/* Queue %s: what is read of it for %s has been written for %s. */", r->name, to->k->kernel->name,
              from->k->kernel->name);
    text_line(x, 0, "static void %s_link_%s(%s *self)", x->name, r->name, x->type);
    text_line(x, 0, "{");
    text_line(x, 1, "for (int slot = 0; slot < %s; slot++)", all->slots);
    text_line(x, 1, "for (int c = 0; c < %zu; c++)", to->rows.len);
    text_line(x, 1, "for (int i = 0; i < %zu; i++) {", from->rows.len);
    text_line(x, 2, "%s *made = &self->%s[slot][i];", from->run_type, from->runs);
    text_line(x, 2, "const int first = %s[c].first, end = first + %s[c].strips;", to->chunks, to->chunks);
    text_line(x, 2, "const int madeFirst = %s[i].first, madeEnd = madeFirst + %s[i].strips;", from->chunks,
              from->chunks);
    text_line(x, 2, "if (madeFirst < end && first < madeEnd)");
    text_line(x, 3, "svm_kernelAddDependence(&self->%s[slot][c].%s_fill.kernel, &made->%s_empty.kernel);", to->runs,
              in->name, out->name);
    if (to->primes) {
        text_line(x, 2, "svm_Kernel *load = &self->%s[slot][c].%s_load.kernel;", to->primings, in->name);
        text_line(x, 2, "const int64_t begin = first * INT64_C(%" PRId64 ") - %" PRId64 "; /* of what primes */", strip,
                  prime);
        text_line(x, 2, "if (madeFirst < first && madeEnd * INT64_C(%" PRId64 ") > begin)", strip);
        text_line(x, 3, "svm_kernelAddDependence(load, &made->%s_empty.kernel);", out->name);
    }
    if (to->primes && mapped_window_has_halo(out)) {
        text_line(x, 2, "made = &self->%s[(slot + %s - 1) %% %s][i]; /* of the round before */", from->runs, all->slots,
                  all->slots);
        text_line(x, 2, "if (made->%s_last.capacity != 0 && madeEnd * INT64_C(%" PRId64 ") - %" PRId64 " > begin) {",
                  out->name, strip, mapped_round_items(x, r));
        text_line(x, 3, "svm_kernelAddDependence(load, &made->%s_keep.kernel);", out->name);
        text_line(x, 3,
                  "svm_kernelAddDependence(&made->%s_keep.kernel, load); /* it overwrites what the round before this "
                  "one's read */",
                  out->name);
        text_line(x, 2, "}");
    }
    text_line(x, 1, "}");
    text_line(x, 0, "}\n");
}

static void emit_runs(program_emitter *x, const mapped *all, const mapped_kernel *p)
{
    for (VEC_EACH(const mapped_window, w, &p->windows)) {
        emit_place(x, all, p, w);
        if (is_filled(w))
            emit_strips(x, p, w);
    }
    emit_create_streams(x, all, p);
    emit_create_run(x, all, p);
    if (is_phased(p))
        emit_create_phase(x, all, p);
    if (p->primes)
        emit_create_priming(x, p);
    emit_create_moves(x, all, p);
    emit_create_runs(x, all, p);
    emit_order(x, all, p);
}

void mapped_stream_runs(program_emitter *x, const mapped *all)
{
    const plan_cut *cut = x->pl->cut;
    for (size_t i = 0; i < cut->kernels.len; i++)
        emit_runs(x, all, &all->kernels[i]);
    for (VEC_EACH(const plan_queue, queue, &cut->queues))
        if (mapped_is_linked(&all->queues[queue->stream]))
            emit_link(x, &all->queues[queue->stream]);
}

// ---- Rounds ----

static void each_chunk(program_emitter *x, const mapped_kernel *p)
{
    text_line(x, 1, "for (int c = 0; c < %zu; c++) {", p->rows.len);
    text_line(x, 2, "const %s_Chunk *chunk = &%s[c];", x->name, p->chunks);
}

void mapped_stream_start(program_emitter *x, const mapped_kernel *p)
{
    const mapped *all = mapped_facts(x);
    bool strips = false;
    for (VEC_EACH(const mapped_window, w, &p->windows))
        strips |= is_moved(w);
    each_chunk(x, p);
    text_line(x, 2, "if (chunk->first * %s >= states)\n            break;", all->strip);
    if (p->primes)
        mapped_start_priming(x, p);
    text_line(x, 2, "%s *r = &self->%s[slot][c];", p->run_type, p->runs);
    text_line(x, 2, "const int64_t left = states - chunk->first * %s, most = chunk->strips * %s;", all->strip,
              all->strip);
    text_line(x, 2, "r->run.states = left < most ? left : most;");
    if (strips)
        text_line(x, 2, "const size_t strips = (size_t)((r->run.states + %s - 1) / %s); /* the last is moved whole */",
                  all->strip, all->strip);
    mapped_tell_files(x, p, false, "chunk->first");
    for (VEC_EACH(const mapped_window, w, &p->windows)) {
        if (is_filled(w))
            text_line(x, 2, "%s(self, r, slot, chunk->first, strips);", w->strips);
        else if (is_moved(w))
            text_line(x, 2, "r->%s_pass.length = strips;", w->name);
        if (is_filled(w) && w->input)
            text_line(x, 2, "svm_kernelRun(&r->%s_fill.kernel);", w->name);
    }
    text_line(x, 2, "svm_kernelRun(&r->run.kernel);");
    for (VEC_EACH(const mapped_window, w, &p->windows)) {
        if (!is_moved(w) || w->input)
            continue;
        text_line(x, 2, "svm_kernelRun(&r->%s_%s.kernel);", w->name, engine_kernel(w));
        if (mapped_window_has_halo(w)) {
            text_line(x, 2, "if (whole && r->%s_last.capacity != 0)", w->name);
            text_line(x, 3, "svm_kernelRun(&r->%s_keep.kernel);", w->name);
        }
    }
    text_line(x, 1, "}");
}

void mapped_stream_wait(program_emitter *x, const mapped_kernel *p)
{
    each_chunk(x, p);
    text_line(x, 2, "if (chunk->first * %s >= states)\n            break;", mapped_facts(x)->strip);
    text_line(x, 2, "%s *r = &self->%s[slot][c];", p->run_type, p->runs);
    for (VEC_EACH(const mapped_window, w, &p->windows))
        if (is_moved(w) && w->input)
            text_line(x, 2, "svm_kernelWait(&r->%s_fill.kernel);", w->name);
    text_line(x, 2, "svm_kernelWait(&r->run.kernel);");
    for (VEC_EACH(const mapped_window, w, &p->windows)) {
        if (is_moved(w) && !w->input)
            text_line(x, 2, "svm_kernelWait(&r->%s_%s.kernel);", w->name, engine_kernel(w));
        if (mapped_window_has_halo(w)) {
            text_line(x, 2, "if (whole && r->%s_last.capacity != 0)", w->name);
            text_line(x, 3, "svm_kernelWait(&r->%s_keep.kernel);", w->name);
        }
    }
    text_line(x, 1, "}");
}

// ---- Phases ----

// By an engine, or, in a memory that the control program reaches, by itself.
static void move_phase(program_emitter *x, int indent, const mapped_kernel *p, const mapped_window *w)
{
    const char *move = w->input ? "load" : "store";
    if (p->moved) {
        text_line(x, indent, "svm_kernelRun(&r->%s_%s.kernel);", w->name, move);
        text_line(x, indent, "svm_kernelWait(&r->%s_%s.kernel);", w->name, move);
    } else {
        text_line(x, indent,
                  "memcpy(svm_blockData(&r->%s_%s), svm_blockData(&r->%s_%s), r->%s_here.capacity * sizeof(%s));",
                  w->name, w->input ? "here" : "there", w->name, w->input ? "there" : "here", w->name, w->queue->type);
    }
}

// A kernel that never primes has in its blocks what it looked ahead at; only what came after is loaded at the end of input.
static mapped_span last_span(const mapped_kernel *p, const mapped_window *w)
{
    mapped_span s = mapped_span_of(w, false);
    if (!p->primes && w->input) {
        s.first = 0;
        s.items = least_items(mapped_round_up(w->queue->last, w->unit), w);
        s.from = mapped_history(w) - w->queue->queue->delay;
    }
    return s;
}

void mapped_stream_serve_window(program_emitter *x, const mapped_kernel *p, const mapped_window *w)
{
    mapped_span first = mapped_span_of(w, true), last = last_span(p, w);
    int64_t at = !p->primes && w->input ? mapped_history(w) : 0;
    place(x, 1, w, number(x, p->home_processor), "slot", mapped_choice(x, 0, at),
          mapped_choice(x, first.first, last.first), mapped_choice(x, first.items, last.items));
    text_line(x, 1, "r->run.%s_from = %s;", w->name, mapped_choice(x, first.from, last.from));
    if (w->input)
        move_phase(x, 1, p, w);
}

void mapped_stream_serve_priming(program_emitter *x, const mapped_kernel *p, const mapped_window *w)
{
    place_priming(x, 2, w, number(x, p->home_processor), number(x, -mapped_primed(w)));
    move_phase(x, 2, p, w);
}

void mapped_stream_stored(program_emitter *x, const mapped_kernel *p, const mapped_window *w)
{
    if (w->own && !w->input)
        move_phase(x, 1, p, w);
}

static void destroy_moves(program_emitter *x, const mapped_kernel *p, int indent)
{
    for (VEC_EACH(const mapped_window, w, &p->windows)) {
        if (is_moved(w))
            text_line(x, indent, "svm_kernelDestroy(&r->%s_%s.kernel);", w->name, engine_kernel(w));
        if (mapped_window_has_halo(w)) {
            text_line(x, indent, "if (r->%s_last.capacity != 0)", w->name);
            text_line(x, indent + 1, "svm_kernelDestroy(&r->%s_keep.kernel);", w->name);
        }
    }
}

void mapped_stream_destroy_run(program_emitter *x, const mapped_kernel *p)
{
    if (!is_phased(p) || !p->moved) { // else nothing that moves belongs to phases
        destroy_moves(x, p, 1);
        return;
    }
    text_line(x, 1, "if (r->phase) {");
    for (VEC_EACH(const mapped_window, w, &p->windows))
        if (w->own)
            text_line(x, 2, "svm_kernelDestroy(&r->%s_%s.kernel);", w->name, w->input ? "load" : "store");
    text_line(x, 1, "} else {");
    destroy_moves(x, p, 2);
    text_line(x, 1, "}");
}

void mapped_stream_destroy(program_emitter *x, const mapped_kernel *p)
{
    if (!mapped_stream_any(p))
        return;
    each_place(x, p);
    for (VEC_EACH(const mapped_window, w, &p->windows))
        if (mapped_has_stream(w))
            text_line(x, 2, "svm_streamDestroy(&self->%s[q]);", w->streams);
    text_line(x, 1, "}");
}

// ---- The kernel ----

bool mapped_stream_keeps(const mapped_window *w)
{
    return w->own && w->input && w->queue->queue->delay != 0;
}

// What is still to be read moves to where the next strip's items come behind it.
static void keep_front(program_emitter *x, int indent, const mapped_window *w)
{
    text_line(x, indent, "memmove((%s)svm_blockData(self->%s) + %" PRId64 ", %s, %" PRId64 " * sizeof *%s);",
              emit_declare_pointer(&x->e, w->queue->item, "", "", ""), w->name,
              mapped_history(w) - w->queue->queue->delay, w->name, w->queue->queue->delay, w->name);
}

// In the initialisation and priming: what the block then holds is what the first strip finds.
void mapped_stream_end_phase(program_emitter *x, const mapped_kernel *p, const text_args *args, const char *strip)
{
    const mapped *all = mapped_facts(x);
    bool repeats = p->primes && p->planned->repeat != 0, any = repeats;
    for (VEC_EACH(const mapped_window, w, &p->windows))
        any |= mapped_stream_keeps(w);
    if (!any)
        return;
    text_line(x, 2, "if (self->starting) {");
    for (VEC_EACH(const mapped_window, w, &p->windows))
        if (w->own && w->input && w->queue->init != w->queue->queue->delay && (repeats || mapped_stream_keeps(w)))
            text_line(x, 3, "%s += %" PRId64 ";", w->name, w->queue->init - w->queue->queue->delay);
    if (repeats) {
        text_line(x, 3, "self->starting = false;");
        if (program_counts_firings(x))
            text_line(x, 3, "memset(self->firings, 0, sizeof self->firings);");
        text_line(x, 3, "for (ptrdiff_t left = self->states; left > 0; left -= self->steady) {");
        text_line(x, 4, "self->steady = left < %s ? left : %s;", all->strip, all->strip);
        text_call(x, 4, arena_printf(x->e.arena, "%s(", strip), args, ");");
        for (VEC_EACH(const mapped_window, w, &p->windows))
            if (w->own && w->input && w->queue->step != 0)
                text_line(x, 4, "%s += %s;", w->name, text_times(x, "self->steady", w->queue->step));
        text_line(x, 3, "}");
    }
    for (VEC_EACH(const mapped_window, w, &p->windows))
        if (mapped_stream_keeps(w))
            keep_front(x, 3, w);
    text_line(x, 2, "}");
}

void mapped_stream_take(program_emitter *x, const mapped_kernel *p)
{
    for (VEC_EACH(const mapped_window, w, &p->windows)) {
        if (!w->stream || !w->input)
            continue;
        if (mapped_stream_keeps(w)) {
            text_line(x, 2, "memcpy(%s + %" PRId64 ", svm_streamPopAcquire(self->%s, 1), %s);", w->name,
                      w->queue->queue->delay, w->stream_of, strip_bytes(x, w->queue));
            text_line(x, 2, "svm_streamPopDiscard(self->%s, 1);", w->stream_of);
        } else {
            text_line(x, 2, "%s = svm_streamPopAcquire(self->%s, 1);", w->name, w->stream_of);
        }
    }
    for (VEC_EACH(const mapped_window, w, &p->windows))
        if (w->stream && !w->input)
            text_line(x, 2, "%s = svm_streamPushAcquire(self->%s, 1);", w->name, w->stream_of);
}

void mapped_stream_give(program_emitter *x, const mapped_kernel *p)
{
    for (VEC_EACH(const mapped_window, w, &p->windows)) {
        if (w->stream && !w->input)
            text_line(x, 2, "svm_streamPushSend(self->%s, 1);", w->stream_of);
        else if (w->stream && !mapped_stream_keeps(w))
            text_line(x, 2, "svm_streamPopDiscard(self->%s, 1);", w->stream_of);
        if (w->stream && mapped_stream_keeps(w))
            text_line(x, 2, "memmove(%s, %s + %s, %" PRId64 " * sizeof *%s);", w->name, w->name,
                      text_times(x, "self->steady", w->queue->step), w->queue->queue->delay, w->name);
    }
}
