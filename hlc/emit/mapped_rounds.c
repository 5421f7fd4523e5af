// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rounds of programs whose windows are moved whole: what starts the runs of a round, what waits for them, and kernels by
// themselves, in the initialisation and at the end of input. See mapped_blocks.c.
#include <inttypes.h>

#include "hlc/emit/mapped_int.h"

// A piece of a strip that is shared, at least.
enum { SHARE_PARTS = 8 };

static void emit_repeat(program_emitter *x)
{
    static const mapped_line lines[] = {
        {0, 0, "/* Behind the initialisation priming goes on for some steady states, or from the program's beginning. */"},
        {0, 0, "static void $_repeat($_Run *r, int64_t before)"},
        {0, 0, "{"},
        {0, 0, "    const int64_t most = $_kernels[r->kernel].repeat;"},
        {0, 0, "    r->run.states = before < most ? before : most;"},
        {0, 0, "    for (int w = 0; w < r->count; w++) {"},
        {0, 0, "        const struct $_End *end = &r->ends[w];"},
        {0, 0, "        const int64_t less = (most - r->run.states) * (end->strip / $_STRIP);"},
        {0, 0, "        if (!end->input)"},
        {0, 0, "            continue;"},
        {0, 0, "        r->run.windows[w].from = end->primeFrom + less;"},
        {FACT_FILES, 0, "        r->run.windows[w].first += less;"},
        {0, 0, "    }"},
        {0, 0, "}\n"},
    };
    mapped_lines(x, lines, sizeof lines / sizeof *lines);
}

static void emit_serve(program_emitter *x)
{
    static const mapped_line lines[] = {
        {FACT_COUNTS, 0, "/* A kernel by itself, with so many firings: the initialisation, or the end of input. */"},
        {FACT_COUNTS, 0, "static void $_serve($_Instance *self, int kernel, int slot, bool starting, const int64_t *counts)"},
        {0, FACT_COUNTS, "/* A kernel by itself: the initialisation. */"},
        {0, FACT_COUNTS, "static void $_serve($_Instance *self, int kernel, int slot)"},
        {0, 0, "{"},
        {0, 0, "    $_Run *r = &self->alone[kernel];"},
        {FACT_MOVED, 0, "    const int q = $_kernels[kernel].home;"},
        {FACT_COUNTS, 0, "    $_count(r, counts);"},
        {FACT_COUNTS, 0, "    bool fires = starting;"},
        {FACT_COUNTS, 0, "    for (int i = 0; i < $_kernels[kernel].firings; i++)"},
        {FACT_COUNTS, 0, "        fires |= r->run.firings[i] != 0;"},
        {FACT_COUNTS, 0, "    if (!fires)"},
        {FACT_COUNTS, 0, "        return;"},
        {FACT_LOOPS, 0, "    r->run.steady = 0;"},
        {FACT_LOOPS, 0, "    r->run.counted = true;"},
        {FACT_COUNTS | FACT_PRIMES, 0, "    if (!starting && $_kernels[kernel].primes) { /* for what its channels keep */"},
        {FACT_COUNTS | FACT_PRIMES, 0, "        for (int w = 0; w < r->count; w++) {"},
        {FACT_COUNTS | FACT_PRIMES, 0, "            const struct $_End *end = &r->ends[w];"},
        {FACT_COUNTS | FACT_PRIMES, 0, "            if (!end->input)"},
        {FACT_COUNTS | FACT_PRIMES, 0, "                continue;"},
        {FACT_COUNTS | FACT_PRIMES | FACT_MOVED, 0, "            $_place(self, r, w, q, 0, slot, -end->prime, end->prime);"},
        {FACT_COUNTS | FACT_PRIMES, FACT_MOVED, "            $_place(self, r, w, slot, -end->prime, end->prime);"},
        {FACT_COUNTS | FACT_PRIMES | FACT_OFFSETS, 0, "            r->run.windows[w].from = end->primeFrom;"},
        {FACT_COUNTS | FACT_PRIMES | FACT_MIXED, 0, "            if (!r->moves)"},
        {FACT_COUNTS | FACT_PRIMES | FACT_MIXED, 0, "                continue;"},
        {FACT_COUNTS | FACT_PRIMES | FACT_MOVED, 0, "            svm_kernelRun(&r->windows[w].move.kernel);"},
        {FACT_COUNTS | FACT_PRIMES | FACT_MOVED, 0, "            svm_kernelWait(&r->windows[w].move.kernel);"},
        {FACT_COUNTS | FACT_PRIMES, 0, "        }"},
        {FACT_COUNTS | FACT_PRIMES, 0, "        $_count(r, $_init);"},
        {FACT_COUNTS | FACT_PRIMES, 0, "        r->run.starting = r->run.priming = true;"},
        {FACT_COUNTS | FACT_PRIMES | FACT_REPEATS, 0, "        if ($_kernels[kernel].repeat != 0)"},
        {FACT_COUNTS | FACT_PRIMES | FACT_REPEATS, 0, "            $_repeat(r, self->steadyStates);"},
        {FACT_COUNTS | FACT_PRIMES, 0, "        svm_kernelRun(&r->run.kernel);"},
        {FACT_COUNTS | FACT_PRIMES, 0, "        svm_kernelWait(&r->run.kernel);"},
        {FACT_COUNTS | FACT_PRIMES, 0, "        r->run.priming = false;"},
        {FACT_COUNTS | FACT_PRIMES | FACT_LOOPS, 0, "        r->run.states = r->run.steady = 0;"},
        {FACT_COUNTS | FACT_PRIMES, 0, "    }"},
        {0, 0, "    for (int w = 0; w < r->count; w++) {"},
        {0, 0, "        const struct $_End *end = &r->ends[w];"},
        {FACT_COUNTS, 0, "        const $_Span *span = starting ? &end->start : &end->end;"},
        {0, FACT_COUNTS, "        const $_Span *span = &end->start;"},
        {FACT_MOVED, 0, "        $_place(self, r, w, q, 0, slot, span->first, span->items);"},
        {0, FACT_MOVED, "        $_place(self, r, w, slot, span->first, span->items);"},
        {FACT_OFFSETS, 0, "        r->run.windows[w].from = span->from;"},
        {FACT_MIXED, 0, "        if (!end->input || !r->moves)"},
        {FACT_MOVED, FACT_MIXED, "        if (!end->input)"},
        {FACT_MOVED, 0, "            continue;"},
        {FACT_MOVED, 0, "        svm_kernelRun(&r->windows[w].move.kernel);"},
        {FACT_MOVED, 0, "        svm_kernelWait(&r->windows[w].move.kernel);"},
        {0, 0, "    }"},
        {FACT_COUNTS, 0, "    r->run.starting = starting;"},
        {0, FACT_COUNTS, "    r->run.starting = true;"},
        {FACT_COUNTS, 0, "    $_count(r, counts);"},
        {0, 0, "    svm_kernelRun(&r->run.kernel);"},
        {0, 0, "    svm_kernelWait(&r->run.kernel);"},
        {FACT_MIXED, 0, "    if (!r->moves)"},
        {FACT_MIXED, 0, "        return;"},
        {FACT_MOVED, 0, "    for (int w = 0; w < r->count; w++) {"},
        {FACT_MOVED, 0, "        if (r->ends[w].input)"},
        {FACT_MOVED, 0, "            continue;"},
        {FACT_MOVED, 0, "        svm_kernelRun(&r->windows[w].move.kernel);"},
        {FACT_MOVED, 0, "        svm_kernelWait(&r->windows[w].move.kernel);"},
        {FACT_MOVED, 0, "    }"},
        {0, 0, "}\n"},
    };
    mapped_lines(x, lines, sizeof lines / sizeof *lines);
}

void mapped_block_serve(program_emitter *x)
{
    if ((mapped_facts(x)->facts & FACT_REPEATS) != 0)
        emit_repeat(x);
    if ((mapped_facts(x)->facts & FACT_PHASES) != 0)
        emit_serve(x);
}

// Starts a run.
void mapped_block_start(program_emitter *x)
{
    static const mapped_line lines[] = {
        {FACT_MOVED, 0, "/* Starts a run: what loads its windows, its kernel, and what stores them. */"},
        {0, FACT_MOVED, "/* Starts a run. */"},
        {FACT_WHERE | FACT_HALOS, 0, "static void $_startRun($_Instance *self, $_Run *r, int slot, int strip, bool whole)"},
        {FACT_WHERE, FACT_HALOS, "static void $_startRun($_Instance *self, $_Run *r, int slot, int strip)"},
        {FACT_HALOS, FACT_WHERE, "static void $_startRun($_Run *r, bool whole)"},
        {0, FACT_WHERE | FACT_HALOS, "static void $_startRun($_Run *r)"},
        {0, 0, "{"},
        {FACT_WHERE, FACT_FILES, "    (void)slot;"},
        {FACT_FILES, 0, "    for (int w = 0; w < r->count; w++) {"},
        {FACT_HALOS | FACT_DIRECT, FACT_FILES, "    for (int w = 0; w < r->count; w++) {"},
        {FACT_MOVED | FACT_MIXED, FACT_FILES | FACT_HALOS, "    for (int w = 0; w < r->count; w++)"},
        {FACT_MOVED, FACT_FILES | FACT_MIXED, "    for (int w = 0; w < r->count; w++)"},
        {FACT_FILES, 0, "        const struct $_End *end = &r->ends[w];"},
        {FACT_FILES | FACT_PRIMES, 0, "        const bool given = end->input || !r->run.priming;"},
        {FACT_FILES | FACT_PRIMES, 0, "        const bool there = given && end->file >= 0 && self->claimed[end->queue][slot];"},
        {FACT_FILES, FACT_PRIMES, "        const bool there = end->file >= 0 && self->claimed[end->queue][slot];"},
        {FACT_READS, 0, "        r->run.windows[w].reader = there && end->input ? &self->readers[end->file].file : NULL;"},
        {FACT_WRITES, 0, "        r->run.windows[w].writer = there && !end->input ? &self->writers[end->file] : NULL;"},
        {FACT_FILES, 0, "        r->run.windows[w].at = self->places[end->queue][slot];"},
        {FACT_FILES | FACT_PRIMES, 0, "        const int64_t before = r->run.priming ? end->prime - end->primeFrom : end->before;"},
        {FACT_FILES | FACT_PRIMES, 0, "        r->run.windows[w].first = strip * end->strip - before;"},
        {FACT_FILES, FACT_PRIMES, "        r->run.windows[w].first = strip * end->strip - end->before;"},
        {FACT_HALOS | FACT_DIRECT | FACT_PRIMES, 0, "        const bool keeps = whole && !r->run.priming && r->windows[w].history.capacity != 0;"},
        {FACT_HALOS | FACT_DIRECT, FACT_PRIMES, "        const bool keeps = whole && r->windows[w].history.capacity != 0;"},
        {FACT_HALOS | FACT_DIRECT, FACT_MIXED, "        r->run.windows[w].history = keeps ? &r->windows[w].history : NULL;"},
        {FACT_HALOS | FACT_MIXED, 0, "        r->run.windows[w].history = keeps && !r->moves ? &r->windows[w].history : NULL;"},
        {FACT_MIXED, 0, "        if (r->ends[w].input && r->moves)"},
        {FACT_MOVED, FACT_MIXED, "        if (r->ends[w].input)"},
        {FACT_MOVED, 0, "            svm_kernelRun(&r->windows[w].move.kernel);"},
        {FACT_FILES, 0, "    }"},
        {FACT_HALOS | FACT_MIXED, FACT_FILES, "    }"},
        {FACT_HALOS, FACT_MOVED | FACT_FILES, "    }"},
        {FACT_REPEATS, 0, "    if (r->run.priming && $_kernels[r->kernel].repeat != 0)"},
        {FACT_REPEATS, 0, "        $_repeat(r, self->steadyStates + strip * $_STRIP);"},
        {0, 0, "    svm_kernelRun(&r->run.kernel);"},
        {FACT_MOVED | FACT_PRIMES, 0, "    if (r->run.priming)"},
        {FACT_MOVED | FACT_PRIMES, 0, "        return; /* it gives nothing */"},
        {FACT_MIXED, 0, "    if (!r->moves)"},
        {FACT_MIXED, 0, "        return;"},
        {FACT_MOVED, FACT_HALOS, "    for (int w = 0; w < r->count; w++)"},
        {FACT_MOVED | FACT_HALOS, 0, "    for (int w = 0; w < r->count; w++) {"},
        {FACT_MOVED, FACT_STILL, "        if (!r->ends[w].input)"},
        {FACT_MOVED | FACT_STILL, 0, "        if (!r->ends[w].input && r->ends[w].strip != 0)"},
        {FACT_MOVED, 0, "            svm_kernelRun(&r->windows[w].move.kernel);"},
        {FACT_MOVED | FACT_HALOS, 0, "        if (whole && r->windows[w].last.capacity != 0)"},
        {FACT_MOVED | FACT_HALOS, 0, "            svm_kernelRun(&r->windows[w].keep.kernel);"},
        {FACT_MOVED | FACT_HALOS, 0, "    }"},
        {0, 0, "}\n"},
    };
    mapped_lines(x, lines, sizeof lines / sizeof *lines);
}

// Steady states of a piece, as which rounds that are not whole are shared: a part of a strip in whole units.
static int64_t piece(const program_emitter *x, int64_t unit)
{
    for (int64_t parts = SHARE_PARTS; parts > 1; parts /= 2)
        if (x->pl->strip % (parts * unit) == 0)
            return x->pl->strip / parts;
    return x->pl->strip;
}

// What a chunk has of a round, and windows as they are then.
void mapped_block_share(program_emitter *x)
{
    static const mapped_line head[] = {
        {FACT_PUTS, 0, "/* Steady states of a round: so many from `first` on, `each` in a run. */"},
        {FACT_PUTS, 0, "typedef struct {"},
        {FACT_PUTS, 0, "    int64_t first, states, each;"},
        {FACT_PUTS, 0, "} $_Share;\n"},
        {FACT_PUTS, 0, "/* What a chunk has of a round of so many: its strips or, where a round that is not whole is shared, pieces of them. */"},
        {FACT_PUTS, 0, "static $_Share $_share(const struct $_Chunk *chunk, int64_t states)"},
        {FACT_PUTS, 0, "{"},
        {FACT_PUTS, 0, "    const int64_t stop = chunk->first + chunk->strips;"},
        {FACT_PUTS, 0, "    $_Share share = {chunk->first * $_STRIP, stop * $_STRIP, $_STRIP};"},
        {FACT_PUTS, 0, "    if ($_kernels[chunk->kernel].even && states < $_ROUND) {"},
        {FACT_PUTS, 0, "        const int64_t pieces = (states + $_PIECE - 1) / $_PIECE;"},
        {FACT_PUTS, 0, "        share.first = chunk->first * pieces / $_STRIPS * $_PIECE;"},
        {FACT_PUTS, 0, "        share.states = stop * pieces / $_STRIPS * $_PIECE;"},
        {FACT_PUTS, 0, "    }"},
        {FACT_PUTS, 0, "    share.states = (share.states < states ? share.states : states) - share.first;"},
        {FACT_PUTS, 0, "    const int64_t runs = (share.states + $_STRIP - 1) / $_STRIP;"},
        {FACT_PUTS, 0, "    if (states < $_ROUND && $_kernels[chunk->kernel].even && runs > 0)"},
        {FACT_PUTS, 0, "        share.each = (share.states + runs * $_UNIT - 1) / (runs * $_UNIT) * $_UNIT;"},
        {FACT_PUTS, 0, "    return share;"},
        {FACT_PUTS, 0, "}\n"},
        {FACT_PUTS, 0, "/* Places a run's windows for steady states of a round: so many from `first` on. */"},
        {FACT_PUTS, 0, "static void $_put($_Instance *self, $_Run *r, int slot, int64_t first, int64_t states)"},
        {FACT_PUTS, 0, "{"},
        {FACT_PUTS, 0, "    for (int w = 0; w < r->count; w++) {"},
        {FACT_PUTS, 0, "        const struct $_End *end = &r->ends[w];"},
        {FACT_PUTS | FACT_PRIMES, 0, "        const int64_t step = end->strip / $_STRIP, before = r->run.priming ? end->prime : end->before;"},
        {FACT_PUTS | FACT_PRIMES, 0, "        if (end->input || !r->run.priming)"},
        {FACT_PUTS | FACT_PRIMES, 0, "            $_place(self, r, w, r->processor, r->block, slot, first * step - before, before + states * step);"},
        {FACT_PUTS, FACT_PRIMES, "        const int64_t step = end->strip / $_STRIP;"},
        {FACT_PUTS, FACT_PRIMES, "        $_place(self, r, w, r->processor, r->block, slot, first * step - end->before, end->before + states * step);"},
        {FACT_PUTS, 0, "    }"},
        {FACT_PUTS, 0, "}\n"},
        {FACT_PUTS, 0, "/* Waits for the runs of a round that the first chunks have. */"},
        {FACT_PUTS | FACT_HALOS, 0, "static void $_waitFirst($_Instance *self, int slot, int64_t states, int chunks, bool whole)"},
        {FACT_PUTS, FACT_HALOS, "static void $_waitFirst($_Instance *self, int slot, int64_t states, int chunks)"},
        {FACT_PUTS, 0, "{"},
        {FACT_PUTS, 0, "    for (int c = 0; c < chunks; c++) {"},
        {FACT_PUTS, 0, "        const struct $_Chunk *chunk = &$_chunks[c];"},
        {FACT_PUTS, 0, "        const $_Share share = $_share(chunk, states);"},
        {FACT_PUTS, 0, "        $_Run *r = &self->runs[slot][chunk->run];"},
        {FACT_PUTS, 0, "        for (int64_t first = 0; first < share.states; first += share.each, r++)"},
        {FACT_PUTS | FACT_HALOS, 0, "            $_waitFor(r, whole);"},
        {FACT_PUTS, FACT_HALOS, "            $_waitFor(r);"},
        {FACT_PUTS, 0, "    }"},
        {FACT_PUTS, 0, "}\n"},
    };
    mapped_lines(x, head, sizeof head / sizeof *head);
}

// Steady states of a piece and of whole units of what engines move, as constants.
void mapped_share_constants(program_emitter *x)
{
    int64_t unit = plan_parts_granule_of(x->p->parts);
    text_line(x, 1, "%s_PIECE = %" PRId64 ", %s_UNIT = %" PRId64 ", /* steady states of what is shared, and moved, at least */",
              x->name, piece(x, unit), x->name, unit);
}

static void issue_shares(program_emitter *x)
{
    static const mapped_line lines[] = {
        {0, 0, "    for (int c = 0; c < $_CHUNKS; c++) {"},
        {0, 0, "        const struct $_Chunk *chunk = &$_chunks[c];"},
        {0, 0, "        const $_Share share = $_share(chunk, states);"},
        {0, 0, "        $_Run *r = &self->runs[slot][chunk->run];"},
        {FACT_LINKS, 0, "        const int kernel = chunk->kernel;"},
        {FACT_LINKS, 0, "        const bool first = c != 0 && $_chunks[c - 1].kernel != kernel; /* of a kernel behind others */"},
        {FACT_LINKS, 0, "        if (states < $_ROUND && first && ($_kernels[kernel].even || $_kernels[kernel - 1].even))"},
        {FACT_LINKS | FACT_HALOS, 0, "            $_waitFirst(self, slot, states, c, whole); /* dependences are those of whole rounds */"},
        {FACT_LINKS, FACT_HALOS, "            $_waitFirst(self, slot, states, c); /* dependences are those of whole rounds */"},
        {0, 0, "        if (share.states <= 0)"},
        {0, 0, "            continue;"},
        {FACT_PRIMES, 0, "        if ($_kernels[chunk->kernel].primes) {"},
        {FACT_PRIMES, 0, "            $_Run *priming = &self->primings[slot][c];"},
        {FACT_PRIMES | FACT_LOOPS, 0, "            priming->run.starting = true;"},
        {FACT_PRIMES | FACT_LOOPS, 0, "            priming->run.steady = 0;"},
        {FACT_PRIMES | FACT_LOOPS | FACT_COUNTS, 0, "            $_count(priming, $_init);"},
        {FACT_PRIMES, 0, "            $_put(self, priming, slot, share.first, 0);"},
        {FACT_PRIMES | FACT_WHERE | FACT_HALOS, 0, "            $_startRun(self, priming, slot, chunk->first, whole);"},
        {FACT_PRIMES | FACT_WHERE, FACT_HALOS, "            $_startRun(self, priming, slot, chunk->first);"},
        {FACT_PRIMES | FACT_HALOS, FACT_WHERE, "            $_startRun(priming, whole);"},
        {FACT_PRIMES, FACT_WHERE | FACT_HALOS, "            $_startRun(priming);"},
        {FACT_PRIMES, 0, "        }"},
        {0, 0, "        for (int64_t done = 0; done < share.states; done += share.each, r++) {"},
        {0, 0, "            const int64_t left = share.states - done, own = left < share.each ? left : share.each;"},
        {0, 0, "            $_put(self, r, slot, share.first + done, (own + $_UNIT - 1) / $_UNIT * $_UNIT);"},
        {FACT_LOOPS, 0, "            r->run.steady = r->run.states = own;"},
        {0, FACT_LOOPS, "            r->run.steady = own;"},
        {FACT_WHERE | FACT_HALOS, 0, "            $_startRun(self, r, slot, chunk->first, whole);"},
        {FACT_WHERE, FACT_HALOS, "            $_startRun(self, r, slot, chunk->first);"},
        {FACT_HALOS, FACT_WHERE, "            $_startRun(r, whole);"},
        {0, FACT_WHERE | FACT_HALOS, "            $_startRun(r);"},
        {0, 0, "        }"},
        {0, 0, "    }"},
    };
    mapped_lines(x, lines, sizeof lines / sizeof *lines);
}

void mapped_block_issue(program_emitter *x)
{
    if ((mapped_facts(x)->facts & FACT_PUTS) != 0) {
        issue_shares(x);
        return;
    }
    static const mapped_line lines[] = {
        {0, 0, "    for (int c = 0; c < $_CHUNKS; c++) {"},
        {0, 0, "        const struct $_Chunk *chunk = &$_chunks[c];"},
        {0, 0, "        $_Run *r = &self->runs[slot][chunk->run];"},
        {0, 0, "        if (chunk->first * $_STRIP >= states)"},
        {0, 0, "            continue;"},
        {FACT_PRIMES, FACT_LOOPS, "        if ($_kernels[chunk->kernel].primes)"},
        {FACT_PRIMES | FACT_LOOPS, 0, "        if ($_kernels[chunk->kernel].primes) {"},
        {FACT_PRIMES | FACT_LOOPS, 0, "            $_Run *priming = &self->primings[slot][c];"},
        {FACT_PRIMES | FACT_LOOPS, 0, "            priming->run.starting = true;"},
        {FACT_PRIMES | FACT_LOOPS, 0, "            priming->run.steady = 0;"},
        {FACT_PRIMES | FACT_LOOPS | FACT_COUNTS, 0, "            $_count(priming, $_init);"},
        {FACT_PRIMES | FACT_WHERE | FACT_HALOS, 0, "            $_startRun(self, &self->primings[slot][c], slot, chunk->first, whole);"},
        {FACT_PRIMES | FACT_WHERE, FACT_HALOS, "            $_startRun(self, &self->primings[slot][c], slot, chunk->first);"},
        {FACT_PRIMES | FACT_HALOS, FACT_WHERE, "            $_startRun(&self->primings[slot][c], whole);"},
        {FACT_PRIMES, FACT_WHERE | FACT_HALOS, "            $_startRun(&self->primings[slot][c]);"},
        {FACT_PRIMES | FACT_LOOPS, 0, "        }"},
        {FACT_SEVERAL, 0, "        for (int k = 0; k < chunk->strips && (chunk->first + k) * $_STRIP < states; k += chunk->each, r++) {"},
        {0, FACT_SEVERAL, "        for (int k = 0; k < chunk->strips && (chunk->first + k) * $_STRIP < states; k++, r++) {"},
        {0, 0, "            const int64_t left = states - (chunk->first + k) * $_STRIP;"},
        {FACT_SEVERAL, 0, "            const int64_t most = (chunk->each < chunk->strips - k ? chunk->each : chunk->strips - k) * $_STRIP;"},
        {FACT_SEVERAL, 0, "            r->run.steady = r->run.states = left < most ? left : most;"},
        {FACT_LOOPS, FACT_SEVERAL, "            r->run.steady = r->run.states = left < $_STRIP ? left : $_STRIP;"},
        {0, FACT_SEVERAL | FACT_LOOPS, "            r->run.steady = left < $_STRIP ? left : $_STRIP;"},
        {FACT_WHERE | FACT_HALOS, 0, "            $_startRun(self, r, slot, chunk->first + k, whole);"},
        {FACT_WHERE, FACT_HALOS, "            $_startRun(self, r, slot, chunk->first + k);"},
        {FACT_HALOS, FACT_WHERE, "            $_startRun(r, whole);"},
        {0, FACT_WHERE | FACT_HALOS, "            $_startRun(r);"},
        {0, 0, "        }"},
        {0, 0, "    }"},
    };
    mapped_lines(x, lines, sizeof lines / sizeof *lines);
}

void mapped_block_wait(program_emitter *x)
{
    static const mapped_line first[] = {
        {FACT_PUTS | FACT_HALOS, 0, "    $_waitFirst(self, slot, states, $_CHUNKS, whole);"},
        {FACT_PUTS, FACT_HALOS, "    $_waitFirst(self, slot, states, $_CHUNKS);"},
    };
    mapped_lines(x, first, sizeof first / sizeof *first);
    if ((mapped_facts(x)->facts & FACT_PUTS) != 0)
        return;
    static const mapped_line lines[] = {
        {0, 0, "    for (int c = 0; c < $_CHUNKS; c++) {"},
        {0, 0, "        const struct $_Chunk *chunk = &$_chunks[c];"},
        {0, 0, "        $_Run *r = &self->runs[slot][chunk->run];"},
        {FACT_SEVERAL, 0, "        for (int k = 0; k < chunk->strips && (chunk->first + k) * $_STRIP < states; k += chunk->each, r++)"},
        {0, FACT_SEVERAL, "        for (int k = 0; k < chunk->strips && (chunk->first + k) * $_STRIP < states; k++, r++)"},
        {FACT_MOVED | FACT_HALOS, 0, "            $_waitFor(r, whole);"},
        {FACT_MOVED, FACT_HALOS, "            $_waitFor(r);"},
        {0, FACT_MOVED, "            svm_kernelWait(&r->run.kernel);"},
        {0, 0, "    }"},
    };
    mapped_lines(x, lines, sizeof lines / sizeof *lines);
}

// Waits for a run: what stores its windows comes behind it.
void mapped_block_wait_for(program_emitter *x)
{
    static const mapped_line lines[] = {
        {FACT_MOVED, 0, "/* Waits for a run: for what stores its windows, which comes last. */"},
        {FACT_MOVED | FACT_HALOS, 0, "static void $_waitFor($_Run *r, bool whole)"},
        {FACT_MOVED, FACT_HALOS, "static void $_waitFor($_Run *r)"},
        {FACT_MOVED, 0, "{"},
        {FACT_WAITS, 0, "    bool stored = false;"},
        {FACT_MOVED, FACT_HALOS | FACT_WAITS, "    for (int w = 0; w < r->count; w++)"},
        {FACT_MOVED | FACT_HALOS, 0, "    for (int w = 0; w < r->count; w++) {"},
        {FACT_MOVED | FACT_WAITS, FACT_HALOS, "    for (int w = 0; w < r->count; w++) {"},
        {FACT_MOVED, FACT_STILL | FACT_MIXED, "        if (!r->ends[w].input)"},
        {FACT_MOVED | FACT_STILL, FACT_MIXED, "        if (!r->ends[w].input && r->ends[w].strip != 0)"},
        {FACT_MIXED, 0, "        if (!r->ends[w].input && r->ends[w].strip != 0 && r->moves)"},
        {FACT_MOVED, 0, "            svm_kernelWait(&r->windows[w].move.kernel);"},
        {FACT_MOVED | FACT_HALOS, 0, "        if (whole && r->windows[w].last.capacity != 0)"},
        {FACT_MOVED | FACT_HALOS, 0, "            svm_kernelWait(&r->windows[w].keep.kernel);"},
        {FACT_WAITS, 0, "        stored |= !r->ends[w].input && r->ends[w].strip != 0;"},
        {FACT_MOVED | FACT_HALOS, 0, "    }"},
        {FACT_MOVED | FACT_WAITS, FACT_HALOS, "    }"},
        {FACT_WAITS, FACT_MIXED, "    if (!stored)"},
        {FACT_MIXED, 0, "    if (!stored || !r->moves)"},
        {FACT_WAITS, 0, "        svm_kernelWait(&r->run.kernel);"},
        {FACT_MOVED, 0, "}\n"},
    };
    mapped_lines(x, lines, sizeof lines / sizeof *lines);
}
