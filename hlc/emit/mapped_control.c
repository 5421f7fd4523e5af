// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The control side of programs on several processors: round after round, read what the strips of a round need, start their
// runs, wait for the round before the last and write what it gave.
//
// NOTE(rounds). A queue has a slot for each of the rounds under way: `history` items, of which the last are those that the
// round before left, then the round's own. Kernels leave the last items of a whole round at the front of the next slot.
// A round that is not whole ends with all rounds (`turn`): the control program moves what is left to the next slot, so
// that each round begins alike. The initialisation's items end where those of the first round begin.
#include <inttypes.h>
#include <string.h>

#include "hlc/emit/mapped_int.h"

static bool at_file(const mapped_queue *r, bool reader)
{
    return reader ? r->stream->from == SIR_NONE : r->stream->to == SIR_NONE;
}

static const mapped_queue *queue_at(program_emitter *x, const mapped *all, size_t i)
{
    return &all->queues[x->pl->cut->queues.data[i].stream];
}

// "T *name = svm_blockData(&self->queue[slot]);"
static void emit_items(program_emitter *x, int indent, const mapped_queue *r, const char *name, const char *slot)
{
    text_line(x, indent, "%s = svm_blockData(&self->%s[%s]);", emit_declare_pointer(&x->e, r->item, "", "", name),
              r->member, slot);
}

// ---- A run by itself ----

mapped_span mapped_span_of(const mapped_window *w, bool starting)
{
    const mapped_queue *r = w->queue;
    mapped_span s;
    if (starting) {
        s.first = -mapped_round_up(r->init, w->unit);
        s.from = -s.first - r->init;
        s.items = mapped_round_up(s.from + r->first, w->unit);
    } else {
        s.first = -mapped_history(w);
        s.from = w->input ? -s.first - r->queue->delay : 0;
        s.items = mapped_round_up(-s.first + (w->input ? r->last : r->given), w->unit);
    }
    s.items = s.items < w->unit ? w->unit : s.items;
    return s;
}

const char *mapped_choice(program_emitter *x, int64_t starting, int64_t later)
{
    if (!x->pl->drains || starting == later)
        return arena_printf(x->e.arena, "%" PRId64, starting);
    return arena_printf(x->e.arena, "starting ? %" PRId64 " : %" PRId64, starting, later);
}

void mapped_count_init(program_emitter *x, int indent, const mapped_kernel *p)
{
    if (program_counts_firings(x))
        text_line(x, indent, "%s(&r->run, %s_init);", p->count, x->name);
}

static void run_and_wait(program_emitter *x, int indent, const char *kernel)
{
    text_line(x, indent, "svm_kernelRun(&r->%s.kernel);", kernel);
    text_line(x, indent, "svm_kernelWait(&r->%s.kernel);", kernel);
}

static void serve_window(program_emitter *x, const mapped_kernel *p, const mapped_window *w)
{
    if (w->own) {
        mapped_stream_serve_window(x, p, w);
        return;
    }
    mapped_span first = mapped_span_of(w, true), last = mapped_span_of(w, false);
    mapped_place(x, 1, w, "slot", mapped_choice(x, first.first, last.first), mapped_choice(x, first.items, last.items));
    if (p->offsets)
        text_line(x, 1, "r->run.%s_from = %s;", w->name, mapped_choice(x, first.from, last.from));
}

// At the end of input the channels of a kernel that runs on several processors are as the strip before left them on one;
// this one makes them again.
static void serve_priming(program_emitter *x, const mapped_kernel *p)
{
    arena *a = x->e.arena;
    text_line(x, 1, "if (!starting) { /* for what its channels keep */");
    for (VEC_EACH(const mapped_window, w, &p->windows)) {
        if (!w->input)
            continue;
        if (w->own) {
            mapped_stream_serve_priming(x, p, w);
            continue;
        }
        int64_t prime = mapped_primed(w);
        mapped_place(x, 2, w, "slot", arena_printf(a, "%" PRId64, -prime),
                     arena_printf(a, "%" PRId64, prime < w->unit ? w->unit : prime));
        if (p->offsets)
            text_line(x, 2, "r->run.%s_from = %" PRId64 ";", w->name, prime - w->queue->prime);
    }
    mapped_count_init(x, 2, p);
    text_line(x, 2, "r->run.starting = r->run.priming = true;");
    if (p->planned->repeat != 0)
        text_line(x, 2, "%s(&r->run, self->steadyStates);", p->repeat);
    run_and_wait(x, 2, "run");
    text_line(x, 2, "r->run.priming = false;");
    if (p->planned->repeat != 0)
        text_line(x, 2, "r->run.states = 0;");
    text_line(x, 1, "}");
}

// At the end of input often nothing is left to fire.
static void serve_nothing(program_emitter *x, const mapped_kernel *p)
{
    const program_kernel *k = p->k;
    text_line(x, 1, "%s(&r->run, counts);", p->count);
    text_line(x, 1, "bool fires = starting;");
    text_line(x, 1, "for (int i = 0; i < %zu; i++)", k->actors.len);
    text_line(x, 2, "fires |= r->run.firings[i] != 0;");
    text_line(x, 1, "if (!fires)");
    text_line(x, 2, "return;");
}

void mapped_serve(program_emitter *x, const mapped_kernel *p)
{
    text_line(x, 0, "/* Kernel %s by itself: the initialisation%s. */", p->k->kernel->name,
              x->pl->drains ? ", or the end of input" : "");
    bool counts = program_counts_firings(x);
    text_line(x, 0, "static void %s(%s *self, int slot, bool starting%s)", p->serve, x->type,
              counts ? ", const int64_t *counts" : "");
    text_line(x, 0, "{");
    text_line(x, 1, "%s *r = &self->%s;", p->run_type, p->home);
    if (x->pl->drains)
        serve_nothing(x, p);
    text_line(x, 1, "r->run.steady = 0;");
    if (p->loops)
        text_line(x, 1, "r->run.counted = true;");
    if (p->primes && x->pl->drains)
        serve_priming(x, p);
    for (VEC_EACH(const mapped_window, w, &p->windows))
        serve_window(x, p, w);
    text_line(x, 1, "r->run.starting = starting;");
    if (counts) {
        if (p->primes && p->planned->repeat != 0)
            text_line(x, 1, "r->run.steady = 0;");
        text_line(x, 1, "%s(&r->run, counts);", p->count);
    }
    run_and_wait(x, 1, "run");
    for (VEC_EACH(const mapped_window, w, &p->windows))
        mapped_stream_stored(x, p, w);
    text_line(x, 0, "}\n");
}

// ---- Reading ----

// Whether what the next round needs of one is in the queue or in the file.
static void place_history(program_emitter *x, const mapped *all, const mapped_queue *r)
{
    int64_t round = mapped_round_items(x, r), halo = r->queue->halo;
    const char *before = arena_printf(x->e.arena, "(slot + %s - 1) %% %s", all->slots, all->slots);
    if (halo == 0)
        return;
    text_line(x, 2, "if (!self->placed) { /* what the round needs of the one before */");
    text_line(x, 3, "const int before = %s;", before);
    if (r->claimed != NULL) {
        text_line(x, 3, "if (self->%s[before])", r->claimed);
        text_line(x, 4, "svm_readerReadAt(file, self->%s[before], %" PRId64 ", items + %" PRId64 ", %" PRId64 ");",
                  r->place, round - halo, r->queue->history - halo, halo);
        text_line(x, 3, "else");
    }
    text_line(x, r->claimed != NULL ? 4 : 3,
              "memcpy(items + %" PRId64 ", (%s)svm_blockData(&self->%s[before]) + %" PRId64 ", %" PRId64
              " * sizeof *items);",
              r->queue->history - halo, emit_declare_pointer(&x->e, r->item, "const", "", ""), r->member,
              r->queue->history + round - halo, halo);
    text_line(x, 2, "}");
}

// What a claim must have before the round's items, and which numbers of items it is read in.
static void claim(program_emitter *x, const mapped_queue *r)
{
    int64_t strip = mapped_strip_items(x, r), before = r->prime > r->queue->delay ? r->prime : r->queue->delay;
    text_line(x, 2,
              "self->%s[slot] = *held == 0 && svm_readerClaim(file, %" PRId64 ", %" PRId64 ", wanted * %" PRId64
              ", &self->%s[slot]);",
              r->claimed, strip | r->queue->delay | r->prime | r->queue->halo | r->init, before, r->step, r->place);
    text_line(x, 2, "if (self->%s[slot])", r->claimed);
    text_line(x, 3, "*held = wanted * %" PRId64 ";", r->step);
    text_line(x, 2, "else {");
}

// The end comes elsewhere: what was left in the file is read after all.
static void unclaim(program_emitter *x, const mapped_queue *r)
{
    text_line(x, 1, "if (complete < wanted && self->%s[slot]) {", r->claimed);
    emit_items(x, 2, r, "items", "slot");
    text_line(x, 2,
              "svm_readerReadAt(&self->readers[%" PRIu32 "].file, self->%s[slot], %" PRId64 ", items + %" PRId64
              ", wanted * %" PRId64 " + %" PRId64 ");",
              r->file, r->place, -r->queue->halo, r->queue->history - r->queue->halo, r->step, r->queue->halo);
    text_line(x, 2, "self->%s[slot] = false;", r->claimed);
    text_line(x, 1, "}");
}

static void emit_read(program_emitter *x, const mapped *all)
{
    const plan_cut *cut = x->pl->cut;
    size_t count = 0;
    for (size_t i = 0; i < cut->queues.len; i++)
        count += at_file(queue_at(x, all, i), true) && queue_at(x, all, i)->step != 0;
    if (count == 0)
        return;
    text_line(x, 0, "/* Reads for a round of up to `wanted` steady states; gives for how many there is input. */");
    text_line(x, 0, "static int64_t %s_read(%s *self, int slot, int64_t wanted)", x->name, x->type);
    text_line(x, 0, "{");
    text_line(x, 1, "int64_t complete = wanted;");
    for (size_t i = 0; i < cut->queues.len; i++) {
        const mapped_queue *r = queue_at(x, all, i);
        if (!at_file(r, true) || r->step == 0)
            continue;
        text_line(x, 1, "{ /* %s */", r->name);
        text_line(x, 2, "svm_Reader *file = &self->readers[%" PRIu32 "].file;", r->file);
        text_line(x, 2, "ptrdiff_t *held = &self->readers[%" PRIu32 "].held;", r->file);
        if (r->claimed != NULL)
            claim(x, r);
        emit_items(x, 2, r, "items", "slot");
        place_history(x, all, r);
        text_line(x, 2, "*held += svm_readerRead(file, items + %" PRId64 " + *held, wanted * %" PRId64 " - *held);",
                  r->queue->history, r->step);
        if (r->claimed != NULL)
            text_line(x, 2, "}");
        text_line(x, 2, "complete = *held / %" PRId64 " < complete ? *held / %" PRId64 " : complete;", r->step,
                  r->step);
        text_line(x, 1, "}");
    }
    for (size_t i = 0; i < cut->queues.len; i++) {
        const mapped_queue *r = queue_at(x, all, i);
        if (!at_file(r, true) || r->step == 0)
            continue;
        if (r->claimed != NULL && count > 1)
            unclaim(x, r);
        text_line(x, 1, "self->readers[%" PRIu32 "].held -= complete * %" PRId64 ";", r->file, r->step);
    }
    text_line(x, 1, "self->placed = false;");
    text_line(x, 1, "return complete;");
    text_line(x, 0, "}\n");
}

// ---- The initialisation and the end of input ----

static void emit_fire(program_emitter *x, const mapped *all)
{
    const plan_cut *cut = x->p->cut;
    if (!all->phases)
        return;
    bool counts = program_counts_firings(x);
    text_line(x, 0, "/* Kernel after kernel%s, and what is written then. */",
              counts ? " with so many firings of each actor" : " in the initialisation");
    text_line(x, 0, "static void %s_fire(%s *self, %sint64_t steady, bool starting)", x->name, x->type,
              counts ? "const int64_t *counts, " : "");
    text_line(x, 0, "{");
    text_line(x, 1, "const int slot = starting ? 0 : (int)(self->round %% %s);", all->slots);
    text_line(x, 1, "(void)steady;");
    for (size_t i = 0; i < cut->kernels.len; i++)
        if (all->kernels[i].phases)
            text_line(x, 1, "%s(self, slot, starting%s);", all->kernels[i].serve, counts ? ", counts" : "");
    for (size_t i = 0; i < cut->queues.len; i++) {
        const mapped_queue *r = queue_at(x, all, i);
        if (!at_file(r, false))
            continue;
        uint32_t taker = cut->graph->whole->channels.data[r->stream->channel].consumer;
        text_line(x, 1, "{ /* %s */", r->name);
        emit_items(x, 2, r, "items", "slot");
        const char *items = counts ? arena_printf(x->e.arena, "(ptrdiff_t)counts[%" PRIu32 "]", taker)
                                   : arena_printf(x->e.arena, "%" PRId64, x->s->init[taker]);
        text_line(x, 2, "svm_writerWrite(&self->writers[%" PRIu32 "], items + (%s), %s);", r->file,
                  mapped_choice(x, r->queue->history - r->init, r->queue->history - r->queue->delay), items);
        text_line(x, 1, "}");
    }
    if (x->logs != 0)
        text_line(x, 1, "svm_printMerge(self->logs, %zu);", x->logs);
    text_line(x, 0, "}\n");
}

static void emit_begin(program_emitter *x, const mapped *all)
{
    bool reads = false;
    text_line(x, 0,
              "/* The initialisation: the first firings, and what peek windows look ahead at. False when input ends in "
              "it. */");
    text_line(x, 0, "static bool %s_start(%s *self)", x->name, x->type);
    text_line(x, 0, "{");
    program_start_text(x);
    for (size_t i = 0; i < x->pl->cut->queues.len; i++) {
        const mapped_queue *r = queue_at(x, all, i);
        if (!at_file(r, true) || r->init == 0)
            continue;
        reads = true;
        text_line(x, 1, "{ /* %s */", r->name);
        emit_items(x, 2, r, "items", "0");
        text_line(x, 2,
                  "self->readers[%" PRIu32 "].held = svm_readerRead(&self->readers[%" PRIu32 "].file, items + %" PRId64
                  ", %" PRId64 ");",
                  r->file, r->file, r->queue->history - r->init, r->init);
        text_line(x, 2, "self->ended |= self->readers[%" PRIu32 "].held < %" PRId64 ";", r->file, r->init);
        text_line(x, 1, "}");
    }
    if (reads) {
        text_line(x, 1, "if (self->ended)");
        text_line(x, 2, "return false;");
        for (size_t i = 0; i < x->pl->cut->queues.len; i++)
            if (at_file(queue_at(x, all, i), true) && queue_at(x, all, i)->init != 0)
                text_line(x, 1, "self->readers[%" PRIu32 "].held = 0;", queue_at(x, all, i)->file);
    }
    if (all->phases)
        text_line(x, 1, "%s_fire(self, %s0, true);", x->name,
                  program_counts_firings(x) ? arena_printf(x->e.arena, "%s, ", all->init) : "");
    text_line(x, 1, "self->started = self->placed = true;");
    text_line(x, 1, "return true;");
    text_line(x, 0, "}\n");
}

// ---- Rounds ----

// Where a run's items are in files. Priming gives nothing, and may begin with the program.
void mapped_tell_files(program_emitter *x, const mapped_kernel *p, bool priming, const char *strip)
{
    int indent = priming ? 3 : 2;
    for (VEC_EACH(const mapped_window, w, &p->windows)) {
        const mapped_queue *r = w->queue;
        if (!w->file || (priming && !w->input))
            continue;
        text_line(x, indent, "r->run.%s = self->%s[slot] ? &self->%s[%" PRIu32 "]%s : NULL;", w->file_of, r->claimed,
                  w->input ? "readers" : "writers", r->file, w->input ? ".file" : "");
        text_line(x, indent, "r->run.%s = self->%s[slot];", w->at_of, r->place);
        text_line(x, indent, "r->run.%s = (%s) * %" PRId64 " - %" PRId64 ";", w->first_of, strip,
                  mapped_strip_items(x, r),
                  priming    ? r->prime
                  : w->input ? r->queue->delay
                             : 0);
    }
}

void mapped_start_priming(program_emitter *x, const mapped_kernel *p)
{
    text_line(x, 2, "{");
    text_line(x, 3, "%s *r = &self->%s[slot][c];", p->run_type, p->primings);
    if (p->loops) {
        text_line(x, 3, "r->run.starting = true;");
        text_line(x, 3, "r->run.steady = 0;");
        mapped_count_init(x, 3, p);
    }
    mapped_tell_files(x, p, true, "chunk->first");
    if (p->planned->repeat != 0)
        text_line(x, 3, "%s(&r->run, self->steadyStates + chunk->first * %s);", p->repeat, mapped_facts(x)->strip);
    for (VEC_EACH(const mapped_window, w, &p->windows))
        if (p->moved && w->input)
            text_line(x, 3, "svm_kernelRun(&r->%s_load.kernel);", w->name);
    text_line(x, 3, "svm_kernelRun(&r->run.kernel);");
    text_line(x, 2, "}");
}

static void emit_issue(program_emitter *x, const mapped *all)
{
    const plan_cut *cut = x->pl->cut;
    bool halos = false;
    for (size_t i = 0; i < cut->kernels.len; i++)
        for (VEC_EACH(const mapped_window, w, &all->kernels[i].windows))
            halos |= mapped_window_has_halo(w);
    text_line(x, 0, "/* Starts the strips of a round of so many steady states, kernel after kernel. */");
    text_line(x, 0, "static void %s_issue(%s *self, int slot, int64_t states)", x->name, x->type);
    text_line(x, 0, "{");
    if (halos)
        text_line(x, 1, "const bool whole = states == %s;", all->round);
    for (size_t i = 0; i < cut->queues.len; i++) {
        const mapped_queue *r = queue_at(x, all, i);
        if (at_file(r, false) && r->claimed != NULL)
            text_line(x, 1,
                      "self->%s[slot] = states > 0 && svm_writerClaim(&self->writers[%" PRIu32 "], %" PRId64
                      ", states * %" PRId64 ", &self->%s[slot]);",
                      r->claimed, r->file, mapped_strip_items(x, r), r->step, r->place);
    }
    for (size_t i = 0; i < cut->kernels.len; i++) {
        text_line(x, 1, "/* Kernel %s */", text_comment(x, all->kernels[i].k->kernel->name));
        mapped_stream_start(x, &all->kernels[i]);
    }
    text_line(x, 1, "self->states[slot] = states;");
    text_line(x, 0, "}\n");
}

static void emit_write(program_emitter *x, const mapped *all, const mapped_queue *r)
{
    int64_t at = r->queue->history - r->queue->delay;
    text_line(x, 1, "{ /* %s */", r->name);
    emit_items(x, 2, r, "items", "slot");
    if (r->claimed != NULL)
        text_line(x, 2, "if (!self->%s[slot])", r->claimed);
    text_line(x, r->claimed != NULL ? 3 : 2,
              "svm_writerWrite(&self->writers[%" PRIu32 "], items + %" PRId64 ", states * %" PRId64 ");", r->file, at,
              r->step);
    if (r->claimed != NULL) {
        text_line(x, 2, "else");
        text_line(x, 3, "svm_writerSettle(&self->writers[%" PRIu32 "], states * %" PRId64 ");", r->file, r->step);
    }
    if (r->queue->delay != 0 && r->step != 0) { // its writer is behind by so many
        emit_items(x, 2, r, "next", arena_printf(x->e.arena, "(slot + 1) %% %s", all->slots));
        text_line(x, 2,
                  "memcpy(next + %" PRId64 ", items + %" PRId64 " + states * %" PRId64 ", %" PRId64
                  " * sizeof *items);",
                  at, at, r->step, r->queue->delay);
    }
    text_line(x, 1, "}");
}

static void emit_finish(program_emitter *x, const mapped *all)
{
    const plan_cut *cut = x->pl->cut;
    bool halos = false;
    for (size_t i = 0; i < cut->kernels.len; i++)
        for (VEC_EACH(const mapped_window, w, &all->kernels[i].windows))
            halos |= mapped_window_has_halo(w) && all->kernels[i].moved;
    text_line(x, 0, "/* Waits for the round that uses a slot, and writes what it gave. */");
    text_line(x, 0, "static void %s_finish(%s *self, int slot)", x->name, x->type);
    text_line(x, 0, "{");
    text_line(x, 1, "const int64_t states = self->states[slot];");
    if (halos)
        text_line(x, 1, "const bool whole = states == %s;", all->round);
    text_line(x, 1, "if (states == 0)");
    text_line(x, 2, "return;");
    for (size_t i = 0; i < cut->kernels.len; i++)
        mapped_stream_wait(x, &all->kernels[i]);
    for (size_t i = 0; i < cut->queues.len; i++)
        if (at_file(queue_at(x, all, i), false) && queue_at(x, all, i)->step != 0)
            emit_write(x, all, queue_at(x, all, i));
    text_line(x, 1, "self->states[slot] = 0;");
    text_line(x, 0, "}\n");
    text_line(x, 0, "/* All rounds under way, the oldest first. */");
    text_line(x, 0, "static void %s_finishAll(%s *self)", x->name, x->type);
    text_line(x, 0, "{");
    text_line(x, 1, "for (int i = 0; i < %s; i++)", all->slots);
    text_line(x, 2, "%s_finish(self, (int)((self->round + i) %% %s));", x->name, all->slots);
    if (x->logs != 0)
        text_line(x, 1, "svm_printMerge(self->logs, %zu);", x->logs);
    text_line(x, 0, "}\n");
}

// What a file's writer is behind by went on when its round was written, if there was one.
static void keep_lag(program_emitter *x, const mapped_queue *r)
{
    int64_t at = r->queue->history - r->queue->delay;
    text_line(x, 1, "if (states == 0) {");
    emit_items(x, 2, r, "items", "slot");
    emit_items(x, 2, r, "to", "next");
    text_line(x, 2, "memcpy(to + %" PRId64 ", items + %" PRId64 ", %" PRId64 " * sizeof *items);", at, at,
              r->queue->delay);
    text_line(x, 1, "}");
}

// What a round that is not whole leaves to the next.
static void emit_turn(program_emitter *x, const mapped *all)
{
    text_line(x, 0, "/* A round that is not whole is over: moves what the next one needs of it to the next slots. */");
    text_line(x, 0, "static void %s_turn(%s *self, int slot, int64_t states)", x->name, x->type);
    text_line(x, 0, "{");
    text_line(x, 1, "const int next = (slot + 1) %% %s;", all->slots);
    for (size_t i = 0; i < x->pl->cut->queues.len; i++) {
        const mapped_queue *r = queue_at(x, all, i);
        bool reader = at_file(r, true);
        int64_t halo = r->queue->halo, at = r->queue->history - halo;
        if (at_file(r, false) && r->queue->delay != 0 && r->step != 0)
            keep_lag(x, r);
        if (r->step == 0 || at_file(r, false) || ((halo == 0 || r->forgets) && !reader))
            continue;
        text_line(x, 1, "{ /* %s */", r->name);
        emit_items(x, 2, r, "items", "slot");
        emit_items(x, 2, r, "to", "next");
        const char *count = arena_printf(x->e.arena, "%" PRId64, halo);
        if (r->claimed != NULL) {
            text_line(x, 2, "if (self->%s[slot])", r->claimed);
            text_line(x, 3,
                      "svm_readerReadAt(&self->readers[%" PRIu32 "].file, self->%s[slot], states * %" PRId64
                      " - %" PRId64 ", to + %" PRId64 ", %" PRId64 ");",
                      r->file, r->place, r->step, halo, at, halo);
            text_line(x, 2, "else");
        }
        if (reader)
            count = arena_printf(x->e.arena, "(size_t)(%" PRId64 " + self->readers[%" PRIu32 "].held)", halo, r->file);
        text_line(x, 2, "memcpy(to + %" PRId64 ", items + %" PRId64 " + states * %" PRId64 ", %s * sizeof *items);", at,
                  at, r->step, count);
        text_line(x, 1, "}");
    }
    text_line(x, 1, "(void)next, (void)states;");
    text_line(x, 1, "self->placed = true;");
    text_line(x, 0, "}\n");
}

// What the control loop calls: functions of the program, or of svm/mapped_control.h.
static const char *called(program_emitter *x, const mapped *all, const char *of_program, const char *of_header)
{
    return all->blocks ? of_header : arena_printf(x->e.arena, "%s_%s", x->name, of_program);
}

// How many steady states the round has: what is wanted, as far as the files have it.
static void emit_states(program_emitter *x, const mapped *all, bool reads)
{
    const char *wanted =
        arena_printf(x->e.arena, "self->iterations < %s ? self->iterations : %s", all->round, all->round);
    const unsigned where = all->facts & (FACT_MOVED | FACT_DIRECT);
    bool there = (all->facts & FACT_READS) != 0 || where == FACT_DIRECT; // where processors are threads these may wait
    for (size_t i = 0; i < x->pl->cut->queues.len; i++)
        there |= at_file(queue_at(x, all, i), true) && queue_at(x, all, i)->base != NULL;
    if (all->blocks && there) {
        wanted = arena_printf(x->e.arena, "svm_roundThere(self, %s)", wanted);
        text_line(x, 2, "/* Or fewer, where rounds stay in files and these have fewer. */");
    }
    text_line(x, 2, "const int64_t wanted = %s;", wanted);
    if (reads)
        text_line(x, 2, "const int64_t states = %s(self, slot, wanted); /* what there is input for */",
                  called(x, all, "read", "svm_roundRead"));
    else
        text_line(x, 2, "const int64_t states = wanted;");
}

// Who writes a queue's last items to where the next round finds them does so for whole rounds.
static bool waits_before_short(program_emitter *x, const mapped *all)
{
    bool shares = false;
    for (size_t i = 0; i < x->pl->cut->kernels.len; i++)
        shares |= all->kernels[i].even;
    return shares && (all->facts & FACT_LINKS) != 0 && (all->facts & FACT_HALOS) != 0;
}

static void emit_control(program_emitter *x, const mapped *all)
{
    bool reads = false;
    for (size_t i = 0; i < x->pl->cut->queues.len; i++)
        reads |= at_file(queue_at(x, all, i), true) && queue_at(x, all, i)->step != 0;
    bool one = x->logs != 0 || x->pl->cut->rounds < 2; // at a time
    const char *finish_all = called(x, all, "finishAll", "svm_roundFinishAll");
    const char *start = arena_printf(x->e.arena, "%s_start(self)", x->name);
    if (all->blocks && x->m->init_text_len == 0)
        start = arena_printf(x->e.arena, "svm_roundBegin(self, %s)", program_counts_firings(x) ? all->init : "NULL");
    text_line(
        x, 0,
        "/* Up to self->iterations steady states, the initialisation before the first; 0 once input has ended. */");
    text_line(x, 0, "SVM_CONTROL(%s)", x->pl->control);
    text_line(x, 0, "static int %s_control(%s *self)", x->name, x->type);
    text_line(x, 0, "{");
    text_line(x, 1, "if (self->ended || (!self->started && !%s))", start);
    text_line(x, 2, "return 0;");
    text_line(x, 1, "while (self->iterations > 0) {");
    text_line(x, 2, "const int slot = (int)(self->round %% %s);", all->slots);
    text_line(x, 2, "%s(self, slot); /* waits for the round that used the slot, and writes its output */",
              called(x, all, "finish", "svm_roundFinish"));
    emit_states(x, all, reads);
    if (!one && waits_before_short(x, all)) {
        text_line(x, 2, "if (states < %s) /* its strips are shared otherwise */", all->round);
        text_line(x, 3, "%s(self);", finish_all);
    }
    text_line(x, 2, "%s(self, slot, states); /* %s */", called(x, all, "issue", "svm_roundIssue"),
              all->moved ? "starts what moves items in, runs, what moves items out" : "starts the runs");
    text_line(x, 2, "self->steadyStates += states;");
    text_line(x, 2, "self->iterations -= states;");
    text_line(x, 2, "self->round++;");
    if (one)
        text_line(x, 2, "%s(self);", finish_all);
    text_line(x, 2, "if (states < %s) {", all->round);
    if (!one)
        text_line(x, 3, "%s(self);", finish_all);
    text_line(x, 3, "%s(self, slot, states); /* the next slot gets what the next round needs of this one */",
              called(x, all, "turn", "svm_roundTurn"));
    text_line(x, 2, "}");
    if (reads) {
        text_line(x, 2, "if (states < wanted) { /* input has ended: the control program's caller drains */");
        text_line(x, 3, "self->ended = true;");
        text_line(x, 3, "return 0;");
        text_line(x, 2, "}");
    }
    text_line(x, 1, "}");
    if (!one)
        text_line(x, 1, "%s(self);", finish_all);
    text_line(x, 1, "return 1;");
    text_line(x, 0, "}\n");
    program_run_entry(x);
}

// The initialisation of a program whose graph printed something while it was built.
static void emit_text_start(program_emitter *x, const mapped *all)
{
    text_line(x, 0, "/* The initialisation, behind what was printed while the graph was built. */");
    text_line(x, 0, "static bool %s_start(%s *self)", x->name, x->type);
    text_line(x, 0, "{");
    program_start_text(x);
    text_line(x, 1, "return svm_roundBegin(self, %s);", program_counts_firings(x) ? all->init : "NULL");
    text_line(x, 0, "}\n");
}

void mapped_control(program_emitter *x)
{
    const mapped *all = mapped_facts(x);
    if (all->blocks) {
        if (x->m->init_text_len != 0)
            emit_text_start(x, all);
        emit_control(x, all);
        return;
    }
    for (size_t i = 0; i < x->pl->cut->kernels.len; i++)
        if (all->kernels[i].phases)
            mapped_serve(x, &all->kernels[i]);
    emit_read(x, all);
    emit_fire(x, all);
    emit_begin(x, all);
    emit_issue(x, all);
    emit_finish(x, all);
    emit_turn(x, all);
    emit_control(x, all);
}
