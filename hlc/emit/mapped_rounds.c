// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rounds of programs whose windows are moved whole: what starts the runs of a round, what waits for them, and kernels by
// themselves, in the initialisation and at the end of input. See mapped_blocks.c.
#include "hlc/emit/mapped_int.h"

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

void mapped_block_issue(program_emitter *x)
{
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
