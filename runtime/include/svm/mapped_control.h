// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions that go through the tables of svm/mapped_tables.h: they start the runs of a round, which svm/mapped_runs.h
// sets up, wait for them, and read and write the program's files. The program's own text has the loop over rounds.
#ifndef SVM_MAPPED_MEMORY
#error "define SVM_MAPPED_MEMORY as the memory of the queues before <svm/mapped_control.h>"
#endif
#ifndef SVM_MAPPED_CONTROL
#error "define SVM_MAPPED_CONTROL as the loop over rounds before <svm/mapped_control.h>"
#endif

// The memory, whatever its name is: functions have locals of their own.
static const mm_Mem svm_roundMemory = &SVM_MAPPED_MEMORY;

#include <svm/mapped_runs.h>

// ---- A kernel by itself ----

static inline void svm_roundRunAndWait(svm_Kernel *kernel)
{
    svm_kernelRun(kernel);
    svm_kernelWait(kernel);
}

#if SVM_MAPPED_HAVE(PHASES) && (SVM_MAPPED_HAVE(COUNTS) || SVM_MAPPED_HAVE(FAILS)) && SVM_MAPPED_HAVE(PRIMES)
// At the end of input the channels of a kernel that primes are not as the strip before left them, which ran elsewhere.
static inline void svm_roundServePriming(svm_Rounds *self, svm_RoundRun *r, int slot)
{
    for (int w = 0; w < r->count; w++) {
        const svm_RoundEnd *end = &r->ends[w];
        if (!end->input)
            continue;
        svm_roundPlace(self, r, w, slot, -end->prime, end->prime);
        r->run.windows[w].from = end->primeFrom;
        if (svm_roundMoves(r))
            svm_roundRunAndWait(svm_roundMove(r, w));
    }
    svm_roundCount(r, SVM_MAPPED_INIT);
    r->run.starting = r->run.priming = true;
#if SVM_MAPPED_HAVE(REPEATS)
    if (svm_roundKernels[r->kernel].repeat != 0)
        svm_roundRepeat(r, self->steadyStates);
#endif
    svm_roundRunAndWait(&r->run.kernel);
    r->run.priming = false;
#if SVM_MAPPED_HAVE(LOOPS)
    r->run.states = r->run.steady = 0;
#endif
}
#endif

#if SVM_MAPPED_HAVE(PHASES)
// A kernel by itself, with so many firings: the initialisation, or the end of input. There often nothing is left to fire.
static inline void svm_roundServe(svm_Rounds *self, int kernel, int slot, bool starting, const int64_t *counts)
{
    svm_RoundRun *r = &self->alone[kernel];
    svm_roundCount(r, counts);
    bool fires = starting;
#if SVM_MAPPED_HAVE(COUNTS)
    for (int i = 0; i < svm_roundKernels[kernel].firings; i++)
        fires |= r->run.firings[i] != 0;
#endif
    if (!fires)
        return;
    r->run.steady = 0;
#if SVM_MAPPED_HAVE(LOOPS)
    r->run.states = 0;
    r->run.counted = true;
#endif
#if SVM_MAPPED_HAVE(COUNTS) && SVM_MAPPED_HAVE(PRIMES)
    if (!starting && svm_roundKernels[kernel].primes)
        svm_roundServePriming(self, r, slot);
#endif
    for (int w = 0; w < r->count; w++) {
        const svm_RoundEnd *end = &r->ends[w];
        const svm_RoundSpan *span = starting ? &end->start : &end->end;
        svm_roundPlace(self, r, w, slot, span->first, span->items);
        r->run.windows[w].from = span->from;
        if (end->input && svm_roundMoves(r))
            svm_roundRunAndWait(svm_roundMove(r, w));
    }
    r->run.starting = starting;
    svm_roundCount(r, counts);
    svm_roundRunAndWait(&r->run.kernel);
    for (int w = 0; w < r->count && svm_roundMoves(r); w++)
        if (!r->ends[w].input)
            svm_roundRunAndWait(svm_roundMove(r, w));
}
#endif

// ---- Rounds ----

#if SVM_MAPPED_HAVE(FILES)
// Where a run's items are in files. Priming gives nothing, and may begin with the program.
static inline void svm_roundTellFiles(svm_Rounds *self, svm_RoundRun *r, int slot, int64_t first)
{
    for (int w = 0; w < r->count; w++) {
        const svm_RoundEnd *end = &r->ends[w];
        const bool there = (end->input || !r->run.priming) && end->file >= 0 && self->claimed[end->queue][slot];
#if SVM_MAPPED_HAVE(READS)
        r->run.windows[w].reader = there && end->input ? &self->readers[end->file].file : NULL;
#endif
#if SVM_MAPPED_HAVE(WRITES)
        r->run.windows[w].writer = there && !end->input ? &self->writers[end->file] : NULL;
#endif
        r->run.windows[w].at = self->places[end->queue][slot];
        r->run.windows[w].first =
            first * (end->strip / SVM_STRIP) - (r->run.priming ? end->prime - end->primeFrom : end->before);
    }
}
#endif

#if SVM_MAPPED_AGAIN
// Which of the places of repeated rounds a queue's items are at; -1: none, it joins kernels.
static inline int svm_roundPlaceOf(int queue)
{
    for (int i = 0; i < SVM_INPUTS; i++)
        if (svm_roundInputs[i].queue == queue)
            return i;
    for (int i = 0; i < SVM_OUTPUTS; i++)
        if (svm_roundOutputs[i].queue == queue)
            return SVM_INPUTS + i;
    return -1;
}

// Items of rounds before that a place begins with.
static inline int64_t svm_roundPlaceFront(int place)
{
    const svm_RoundFile *f = place < SVM_INPUTS ? &svm_roundInputs[place] : &svm_roundOutputs[place - SVM_INPUTS];
    return f->maps ? f->before : svm_roundQueues[f->queue].history;
}
#endif

// A kernel that is about to be run is added to what is repeated; w: it moves this window, or -1. Windows of files' queues are
// elsewhere in each round.
static inline void svm_roundAdd(svm_Rounds *self, svm_Kernel *kernel, const svm_RoundRun *r, int w, int slot)
{
#if SVM_MAPPED_AGAIN
    if (self->again.adds) {
        const int q = w < 0 ? -1 : r->ends[w].queue, place = w < 0 ? -1 : svm_roundPlaceOf(q);
        ptrdiff_t offset = 0;
        if (place >= 0)
            offset = (ptrdiff_t)(r->windows[w].there.address - self->base[q][slot]) +
                     (ptrdiff_t)(slot * SVM_ROUND * svm_roundQueues[q].step + svm_roundPlaceFront(place)) *
                         (ptrdiff_t)svm_roundQueues[q].size;
        svm_sequenceAdd(self->again.runs, kernel, place, offset);
    }
#endif
    (void)self, (void)kernel, (void)r, (void)w, (void)slot;
}

#if SVM_MAPPED_HAVE(FAILS)
static inline void svm_roundKeepStart(svm_Rounds *self, int slot, int kernel);
static inline void svm_roundGuard(svm_Rounds *self, int slot, int64_t states);
static inline void svm_roundKeepsDestroy(svm_Rounds *self);
#endif

// Starts a run from a round's steady state `first` on: what loads its windows, its kernel, and what stores them. What primes
// gives nothing.
static inline void svm_roundStart(svm_Rounds *self, svm_RoundRun *r, int slot, int64_t first, bool whole)
{
    (void)self, (void)slot, (void)first, (void)whole;
#if SVM_MAPPED_HAVE(FILES)
    svm_roundTellFiles(self, r, slot, first);
#endif
#if SVM_MAPPED_HAVE(HALOS) && SVM_MAPPED_HAVE(DIRECT)
    for (int w = 0; w < r->count; w++) {
        const bool keeps = !r->run.priming && svm_roundKeeps(r, w, whole) && !svm_roundMoves(r);
        r->run.windows[w].history = keeps ? &r->windows[w].history : NULL;
    }
#endif
    for (int w = 0; w < r->count && svm_roundMoves(r); w++)
        if (r->ends[w].input && !svm_roundStraight(r, w)) {
            svm_roundAdd(self, svm_roundMove(r, w), r, w, slot);
            svm_kernelRun(svm_roundMove(r, w));
        }
#if SVM_MAPPED_HAVE(REPEATS)
    if (r->run.priming && svm_roundKernels[r->kernel].repeat != 0)
        svm_roundRepeat(r, self->steadyStates + first);
#endif
#if SVM_MAPPED_HAVE(FAILS)
    if (first == 0 && !r->run.priming)
        svm_roundKeepStart(self, slot, r->kernel);
#endif
    svm_roundAdd(self, &r->run.kernel, r, -1, slot);
    svm_kernelRun(&r->run.kernel);
    if ((SVM_MAPPED_HAVE(PRIMES) && r->run.priming) || !svm_roundMoves(r))
        return;
    for (int w = 0; w < r->count; w++) {
        if (!r->ends[w].input && (!SVM_MAPPED_HAVE(STILL) || r->ends[w].strip != 0)) {
            svm_roundAdd(self, svm_roundMove(r, w), r, w, slot);
            svm_kernelRun(svm_roundMove(r, w));
        }
#if SVM_MAPPED_HAVE(HALOS)
        if (svm_roundKeeps(r, w, whole)) {
            svm_roundAdd(self, svm_roundKeep(r, w), r, -1, slot);
            svm_kernelRun(svm_roundKeep(r, w));
        }
#endif
    }
}

// Waits for a run: for what stores its windows, which comes last; or, if nothing does, for itself.
static inline void svm_roundWaitFor(svm_RoundRun *r, bool whole)
{
    bool stored = SVM_MAPPED_HAVE(MOVED) && !SVM_MAPPED_HAVE(DIRECT) && !SVM_MAPPED_HAVE(SINKS);
    (void)whole;
    for (int w = 0; w < r->count && svm_roundMoves(r); w++) {
        if (!r->ends[w].input && (!SVM_MAPPED_HAVE(STILL) || r->ends[w].strip != 0)) {
            svm_kernelWait(svm_roundMove(r, w));
            stored = true;
        }
#if SVM_MAPPED_HAVE(HALOS)
        if (svm_roundKeeps(r, w, whole))
            svm_kernelWait(svm_roundKeep(r, w));
#endif
    }
    if (!stored)
        svm_kernelWait(&r->run.kernel);
}

// Whether the next round, or that which is being started, is longer than queues have room for; steady states of the one before.
static inline bool svm_roundIsLong(const svm_Rounds *self)
{
#if SVM_MAPPED_LONG
    return self->isLong;
#else
    return self == NULL;
#endif
}

static inline int64_t svm_roundLast(const svm_Rounds *self)
{
#if SVM_MAPPED_LONG
    return self->last;
#else
    return self == NULL ? 0 : SVM_ROUND;
#endif
}

// Whether the processors' threads wait, and the control program's runs all kernels.
static inline bool svm_roundsWait(const svm_Rounds *self)
{
#if SVM_MAPPED_THREADS
    return self->threads.wait;
#else
    return self == NULL;
#endif
}

// The slot of the round after the one in a slot. As long as threads wait it is the same: fewer pages are touched.
static inline int svm_roundNext(const svm_Rounds *self, int slot)
{
    return svm_roundsWait(self) ? slot : (slot + 1) % SVM_SLOTS;
}

// Steady states of a round: so many from `first` on, `each` in a run.
typedef struct svm_RoundShare {
    int64_t first, states, each;
} svm_RoundShare;

// What a chunk has of a round of so many: its strips or, where a round that is not whole is shared, pieces of them. `wait`:
// a kernel's first chunk has all.
static inline svm_RoundShare svm_roundShare(const svm_RoundChunk *chunk, int64_t states, bool wait)
{
    const int64_t stop = chunk->first + chunk->strips;
    svm_RoundShare share = {chunk->first * SVM_STRIP, stop * SVM_STRIP, chunk->each * SVM_STRIP};
    const bool even = SVM_MAPPED_HAVE(PUTS) && states != SVM_ROUND && svm_roundKernels[chunk->kernel].even;
    if (even) {
        const int64_t pieces = wait ? 1 : (states + SVM_PIECE - 1) / SVM_PIECE;
        const int64_t up = SVM_MAPPED_THREADS ? SVM_STRIPS - 1 : 0; // what is too little for all is the first one's
        const int64_t piece = wait ? states : SVM_PIECE;
        share.first = (chunk->first * pieces + up) / SVM_STRIPS * piece;
        share.states = (stop * pieces + up) / SVM_STRIPS * piece;
    }
    share.states = (share.states < states ? share.states : states) - share.first;
    const int64_t most = !SVM_MAPPED_HAVE(DIRECT) ? SVM_STRIP : states > SVM_ROUND ? states : SVM_ROUND; // of a run
    const int64_t runs = even ? (share.states + most - 1) / most : 0;
    if (runs > 0)
        share.each = (share.states + runs * SVM_UNIT - 1) / (runs * SVM_UNIT) * SVM_UNIT;
    return share;
}

// Places a run's windows for steady states of a round: so many from `first` on.
static inline void svm_roundPut(svm_Rounds *self, svm_RoundRun *r, int slot, int64_t first, int64_t states)
{
    if (svm_roundIsLong(self)) // windows are in files
        return;
    for (int w = 0; w < r->count; w++) {
        const svm_RoundEnd *end = &r->ends[w];
        const int64_t step = end->strip / SVM_STRIP, before = r->run.priming ? end->prime : end->before;
        if (end->input || !r->run.priming)
            svm_roundPlace(self, r, w, slot, first * step - before, before + states * step);
    }
}

// Waits for the runs of a round that the first chunks have. Threads finish the last one last, mostly: who waits for that one
// first is woken once.
static inline void svm_roundWait(svm_Rounds *self, int slot, int64_t states, int chunks)
{
    for (int i = 0; i < chunks; i++) {
        const svm_RoundChunk *chunk = &svm_roundChunks[SVM_MAPPED_THREADS ? chunks - 1 - i : i];
        const svm_RoundShare share = svm_roundShare(chunk, states, svm_roundsWait(self));
        const int runs = share.states > 0 ? (int)((share.states + share.each - 1) / share.each) : 0;
        for (int k = 0; k < runs; k++)
            svm_roundWaitFor(&self->runs[slot][chunk->run + (SVM_MAPPED_THREADS ? runs - 1 - k : k)],
                             states == SVM_ROUND);
    }
}

// The channels of a chunk's kernel are as the strip before the round left them: as long as threads wait, one chunk has all.
static inline bool svm_roundFollows(const svm_Rounds *self, int c)
{
#if SVM_MAPPED_THREADS
    const int kernel = svm_roundChunks[c].kernel;
    return self->threads.wait && c == svm_roundKernels[kernel].chunk && self->follows[kernel];
#else
    return self == NULL && c == 0;
#endif
}

#if SVM_MAPPED_THREADS
// Behind a round of so many steady states, or the initialisation, -1.
static inline void svm_roundFollow(svm_Rounds *self, int64_t states)
{
    for (int k = 0; k < SVM_KERNELS && self->threads.wait && states != 0; k++) {
        const svm_RoundChunk *chunk = &svm_roundChunks[svm_roundKernels[k].chunk];
        self->follows[k] = states < 0 ? svm_roundKernels[k].serves && svm_roundKernels[k].home == chunk->processor
                                      : svm_roundShare(chunk, states, true).states == states;
    }
}
#endif

#if SVM_MAPPED_HAVE(PRIMES)
// Starts what primes a chunk.
static inline void svm_roundPrime(svm_Rounds *self, int c, int slot, int64_t first)
{
    svm_RoundRun *r = &self->primings[slot][c];
#if SVM_MAPPED_HAVE(LOOPS)
    r->run.starting = true;
    r->run.steady = 0;
    svm_roundCount(r, SVM_MAPPED_INIT);
#endif
    if (SVM_MAPPED_HAVE(PUTS))
        svm_roundPut(self, r, slot, first, 0);
    svm_roundStart(self, r, slot, first, false);
}
#endif

// Starts the run of so many steady states of a round from `first` on.
static inline void svm_roundStartStrips(svm_Rounds *self, svm_RoundRun *r, int slot, int64_t first, int64_t own,
                                        bool whole)
{
    if (SVM_MAPPED_HAVE(PUTS))
        svm_roundPut(self, r, slot, first, (own + SVM_UNIT - 1) / SVM_UNIT * SVM_UNIT);
    r->run.steady = own;
#if SVM_MAPPED_HAVE(LOOPS)
    r->run.states = own;
#endif
    svm_roundStart(self, r, slot, first, whole);
}

#if SVM_MAPPED_HAVE(STRAIGHT)
// Starts kernels from chunk c on, which has one of them, strip by strip: a window that goes straight waits for a run of its
// reader, and a dependence binds to the latest.
static inline void svm_roundTogether(svm_Rounds *self, int slot, int64_t states, int c, int kernels)
{
    for (int k = 0; k < svm_roundChunks[c].runs; k++) {
        const int64_t done = k * SVM_STRIP, own = states - done < SVM_STRIP ? states - done : SVM_STRIP;
        for (int i = c; i < c + kernels; i++)
            svm_roundRunNeed(self, slot, i, k);
        for (int i = c; i < c + kernels && own > 0; i++)
            svm_roundStartStrips(self, &self->runs[slot][svm_roundChunks[i].run + k], slot, done, own,
                                 states == SVM_ROUND);
    }
}
#endif

// Starts run number k of a chunk, if its share of the round is more than the runs before it do.
static inline void svm_roundStrip(svm_Rounds *self, int slot, int c, int k, const svm_RoundShare *share, bool whole)
{
    const svm_RoundChunk *chunk = &svm_roundChunks[c];
    const int64_t done = (k - svm_roundKernels[chunk->kernel].primes) * share->each, left = share->states - done;
    if (share->states <= 0 || left <= 0)
        return;
#if SVM_MAPPED_HAVE(PRIMES)
    if (done < 0) {
        if (!svm_roundFollows(self, c))
            svm_roundPrime(self, c, slot, share->first);
        return;
    }
#endif
    const int64_t own = left < share->each ? left : share->each;
    svm_roundStartStrips(self, svm_roundBefore(self, slot, c, k, 0), slot, share->first + done, own, whole);
}

// Sets up the runs of a slot's first round that have a share of it, and all of the rounds before: where threads run them the
// first processor's would be over before there are others. A program that has little to do gets one thread so.
static inline void svm_roundSetUp(svm_Rounds *self, int slot, int64_t states)
{
    for (int s = 0; s <= slot; s++)
        for (int c = 0; c < SVM_CHUNKS; c++) {
            const int64_t share = svm_roundShare(&svm_roundChunks[c], states, svm_roundsWait(self)).states;
            for (int k = 0; k < svm_roundChunks[c].runs; k++)
                if (s < slot || SVM_MAPPED_HAVE(LINKS) || share > 0)
                    svm_roundRunNeed(self, s, c, k);
        }
}

// Starts the strips of a round of so many steady states, kernel after kernel: of chunks on processors of their own the first
// runs, then the second, so that no processor waits until all runs of others are started; in queues, chunk after chunk.
static inline void svm_roundStrips(svm_Rounds *self, int slot, int64_t states)
{
    const bool whole = states == SVM_ROUND;
    svm_RoundShare shares[SVM_CHUNKS];
    if (SVM_MAPPED_THREADS && self->round < SVM_SLOTS)
        svm_roundSetUp(self, slot, states);
    if (self->round == SVM_SLOTS - 1)
        svm_roundClose(self);
    for (int c = 0, stop; c < SVM_CHUNKS; c = stop) {
        const int kernel = svm_roundChunks[c].kernel;
        const bool first = c != 0 && svm_roundChunks[c - 1].kernel != kernel; // of a kernel behind others
        int runs = 0;
        if (SVM_MAPPED_HAVE(LINKS) && SVM_MAPPED_HAVE(PUTS) && !whole && first &&
            (svm_roundKernels[kernel].even || svm_roundKernels[kernel - 1].even))
            svm_roundWait(self, slot, states, c); // dependences are those of whole rounds
#if SVM_MAPPED_HAVE(STRAIGHT)
        if (svm_roundKernels[kernel].together != 0) {
            stop = c + svm_roundKernels[kernel].together;
            svm_roundTogether(self, slot, states, c, svm_roundKernels[kernel].together);
            continue;
        }
#endif
        for (stop = c; stop < SVM_CHUNKS && svm_roundChunks[stop].kernel == kernel; stop++) {
            const int before = svm_roundChunks[stop].before;
            if (before >= c && before < stop) // on the same processor
                break;
            if (SVM_MAPPED_HAVE(DIRECT) && stop > c) // a thread that has a chunk's first run goes on with it
                break;
            shares[stop] = svm_roundShare(&svm_roundChunks[stop], states, svm_roundsWait(self));
            runs = svm_roundChunks[stop].runs > runs ? svm_roundChunks[stop].runs : runs;
        }
        for (int k = 0; k < runs; k++)
            for (int i = c; i < stop; i++) {
                if (k >= svm_roundChunks[i].runs)
                    continue;
                if (!SVM_MAPPED_THREADS)
                    svm_roundRunNeed(self, slot, i, k);
                svm_roundStrip(self, slot, i, k, &shares[i], whole);
            }
    }
#if SVM_MAPPED_THREADS
    svm_roundFollow(self, states);
#endif
}

// ---- Files ----

// Item `first` of the round in a slot, counted from the round's own.
static inline char *svm_roundItems(const svm_Rounds *self, int q, int slot, int64_t first)
{
    const svm_RoundQueue *queue = &svm_roundQueues[q];
    return (char *)svm_blockData(&self->queues[q][slot]) + (size_t)(queue->history + first) * queue->size;
}

// The round in a slot is in the queue, and not in a file.
static inline void svm_roundStays(svm_Rounds *self, int q, int slot)
{
    const svm_RoundQueue *queue = &svm_roundQueues[q];
    self->mapped[q][slot] = self->claimed[q][slot] = false;
    self->base[q][slot] = self->queues[q][slot].address + (size_t)queue->history * queue->size;
}

// Whether engines can move so many steady states of the next round where they lie in files: a whole round, or whole units
// once all runs are set up, which is done with windows of whole strips.
static inline bool svm_roundMaps(const svm_Rounds *self, int64_t states)
{
    return states == SVM_ROUND ||
           (SVM_MAPPED_HAVE(PUTS) && self->round >= SVM_SLOTS && states > 0 && states % SVM_UNIT == 0);
}

#if SVM_MAPPED_HAVE(INPUT)
// Copies items of the round in slot `from`, from its item `first` on, wherever they lie, to item `to` of that in a slot,
// which may be the same.
static inline void svm_roundFetch(svm_Rounds *self, const svm_RoundFile *f, int from, int64_t first, int slot,
                                  int64_t to, int64_t count)
{
    const svm_RoundQueue *queue = &svm_roundQueues[f->queue];
    char *items = svm_roundItems(self, f->queue, slot, to);
    if (SVM_MAPPED_HAVE(READS) && self->claimed[f->queue][from]) {
        svm_readerReadAt(&self->readers[f->file].file, self->places[f->queue][from], first, items, count);
        return;
    }
    svm_Block there;
    svm_blockInit(&there, svm_roundMemory, self->base[f->queue][from] + (size_t)first * queue->size, (size_t)count,
                  queue->size);
    memmove(items, svm_blockData(&there), (size_t)count * queue->size);
}

// Whether all of a round's items are in the file, and stay there.
static inline bool svm_roundLeaves(svm_Rounds *self, const svm_RoundFile *f, int slot, int64_t wanted)
{
    const int q = f->queue;
    const int64_t items = wanted * svm_roundQueues[q].step;
    svm_Reader *file = &self->readers[f->file].file;
    if (self->readers[f->file].held != 0)
        return false;
    if (f->claims)
        self->claimed[q][slot] = svm_readerClaim(file, f->units, f->before, items, &self->places[q][slot]);
    else if (f->maps && svm_roundMaps(self, wanted))
        self->mapped[q][slot] =
            svm_readerMap(file, svm_roundMemory, (size_t)f->units, f->before, items, &self->base[q][slot]);
    return self->claimed[q][slot] || self->mapped[q][slot];
}

#if SVM_MAPPED_LONG
// Where the round before was taken from a file and given to files, the next one is twice as long, if that much input is left:
// then threads seldom wait for the control program. It is claimed here; 0: there is none.
static inline int64_t svm_roundLengthen(svm_Rounds *self)
{
    const svm_RoundFile *f = &svm_roundInputs[0];
    const int slot = (int)(self->round % SVM_SLOTS), before = (slot + SVM_SLOTS - 1) % SVM_SLOTS;
    const int64_t step = svm_roundQueues[f->queue].step, most = 2 * self->last, longest = SVM_LONGEST * SVM_ROUND;
    svm_Reader *file = &self->readers[f->file].file;
    bool can = SVM_INPUTS == 1 && SVM_KERNELS == 1 && svm_roundKernels[0].even && self->last >= SVM_ROUND &&
               step != 0 && f->claims && self->claimed[f->queue][before] && self->readers[f->file].held == 0;
    for (int i = 0; i < SVM_OUTPUTS && can; i++)
        can = svm_roundOutputs[i].claims && self->claimed[svm_roundOutputs[i].queue][before];
    if (!can)
        return 0;
    int64_t states = svm_readerThere(file) / step;
    states = states < self->iterations ? states : self->iterations;
    states = states < most ? states : most;
    states = states < longest ? states : longest;
    states -= states % 8; // whole bytes of bits
    if (states <= SVM_ROUND)
        return 0;
    svm_roundStays(self, f->queue, slot);
    self->claimed[f->queue][slot] =
        svm_readerClaim(file, f->units, f->before, states * step, &self->places[f->queue][slot]);
    return self->claimed[f->queue][slot] ? states : 0;
}
#endif

#endif

#if SVM_MAPPED_THREADS
// Steady states that come without waiting, of those asked for; -1: nobody knows.
static inline int64_t svm_roundLeft(svm_Rounds *self)
{
    int64_t left = self->iterations;
#if SVM_MAPPED_HAVE(INPUT)
    for (int i = 0; i < SVM_INPUTS && left >= 0; i++) {
        const svm_RoundFile *f = &svm_roundInputs[i];
        const int64_t step = svm_roundQueues[f->queue].step;
        const int64_t there = step == 0 ? left : svm_readerThere(&self->readers[f->file].file) / step;
        left = there == 0 ? -1 : there < left ? there : left;
    }
#endif
    return left;
}

// A round while threads wait: so short that its items stay in the first caches, and then as long as all before it, up to what
// the second ones have room for; never a whole one. So what comes next begins in files at a large power of two, where strips
// are one: the system then keeps in few pages what is written.
enum { SVM_FEW_BYTES = 1 << 15, SVM_MOST_BYTES = 1 << 17 };
static inline int64_t svm_roundFew(svm_Rounds *self, int64_t wanted)
{
    int64_t bytes = 1, few = self->few;
    for (int q = 0; q < SVM_QUEUES; q++)
        bytes += svm_roundQueues[q].step * (int64_t)svm_roundQueues[q].size;
    if (few == 0)
        for (few = SVM_STRIP; 2 * few * bytes <= SVM_FEW_BYTES;)
            few *= 2;
    else if (self->steadyStates > few && 2 * few * bytes <= SVM_MOST_BYTES)
        few *= 2;
    few = few < SVM_ROUND - SVM_STRIP ? few : SVM_ROUND - SVM_STRIP;
    self->few = few - few % SVM_STRIP;
    return self->few < wanted ? self->few : wanted;
}
#endif

// Of so many steady states those of the next round. While threads wait it is a short one; and if runs or engines take all
// input from files, it has those that there is input for: the rest, which is less than a unit or none, is the round's after it.
static inline int64_t svm_roundThere(svm_Rounds *self, int64_t wanted)
{
#if SVM_MAPPED_THREADS
    svm_threadsDecide(&self->threads, self->before, svm_roundLeft(self));
    if (self->threads.wait)
        wanted = self->before = svm_roundFew(self, wanted);
#endif
#if SVM_MAPPED_HAVE(INPUT)
    int64_t there = wanted;
    bool maps = false;
#if SVM_MAPPED_LONG
    const int64_t more = svm_roundLengthen(self);
    self->isLong = more != 0;
    if (self->isLong)
        return more;
#endif
    for (int i = 0; i < SVM_INPUTS; i++) {
        const svm_RoundFile *f = &svm_roundInputs[i];
        const int64_t step = svm_roundQueues[f->queue].step;
        if (step == 0)
            continue;
        if ((!f->claims && (!f->maps || self->round < SVM_SLOTS)) || self->readers[f->file].held != 0)
            return wanted;
        const int64_t states = svm_readerThere(&self->readers[f->file].file) / step;
        there = states < there ? states : there;
        maps |= f->maps;
    }
    if (maps)
        there -= there % SVM_UNIT;
    return there > 0 ? there : wanted;
#else
    (void)self;
    return wanted;
#endif
}

#if SVM_MAPPED_AGAIN
static inline void svm_roundAgain(svm_Rounds *self);
static inline void svm_roundAgainStart(svm_Rounds *self, int64_t states);
#endif

// Reads for a round of up to `wanted` steady states; gives for how many there is input.
static inline int64_t svm_roundRead(svm_Rounds *self, int slot, int64_t wanted)
{
    int64_t complete = wanted;
#if SVM_MAPPED_AGAIN
    if (slot == 0 && wanted == SVM_ROUND)
        svm_roundAgain(self);
#endif
#if SVM_MAPPED_HAVE(INPUT)
    const int before = (slot + SVM_SLOTS - 1) % SVM_SLOTS;
    for (int i = 0; i < SVM_INPUTS; i++) {
        const svm_RoundFile *f = &svm_roundInputs[i];
        const svm_RoundQueue *queue = &svm_roundQueues[f->queue];
        ptrdiff_t *held = &self->readers[f->file].held;
        if (queue->step == 0)
            continue;
        if (!svm_roundIsLong(self))
            svm_roundStays(self, f->queue, slot);
        if (svm_roundIsLong(self) || svm_roundLeaves(self, f, slot, wanted)) {
            *held = wanted * queue->step;
        } else {
            if (!self->placed && queue->halo != 0) // what the round needs of the one before
                svm_roundFetch(self, f, before, svm_roundLast(self) * queue->step - queue->halo, slot, -queue->halo,
                               queue->halo);
            *held += svm_readerRead(&self->readers[f->file].file, svm_roundItems(self, f->queue, slot, *held),
                                    wanted * queue->step - *held);
        }
        complete = *held / queue->step < complete ? *held / queue->step : complete;
    }
    for (int i = 0; i < SVM_INPUTS; i++) {
        const svm_RoundFile *f = &svm_roundInputs[i];
        const svm_RoundQueue *queue = &svm_roundQueues[f->queue];
        const bool left = self->claimed[f->queue][slot] || self->mapped[f->queue][slot];
        if (SVM_INPUTS > 1 && complete < wanted && left) { // the end comes elsewhere: it is read after all
            svm_roundFetch(self, f, slot, -queue->halo, slot, -queue->halo, wanted * queue->step + queue->halo);
            svm_roundStays(self, f->queue, slot);
        }
        self->readers[f->file].held -= complete * queue->step;
    }
#endif
    (void)slot;
    self->placed = false;
    return complete;
}

// Kernel after kernel with so many firings of each actor: the initialisation, or the end of input.
static inline void svm_roundFireKernels(svm_Rounds *self, const int64_t *counts, bool starting)
{
#if SVM_MAPPED_HAVE(PHASES)
    const int slot = starting ? 0 : (int)(self->round % SVM_SLOTS);
    for (int kernel = 0; kernel < SVM_KERNELS; kernel++)
        if (svm_roundKernels[kernel].serves)
            svm_roundServe(self, kernel, slot, starting, counts);
#endif
    (void)self, (void)counts, (void)starting;
}

// What is written then.
static inline void svm_roundWriteFired(svm_Rounds *self, const int64_t *counts, bool starting)
{
#if SVM_MAPPED_HAVE(PHASES)
    const int slot = starting ? 0 : (int)(self->round % SVM_SLOTS);
    (void)slot;
#if SVM_MAPPED_HAVE(OUTPUT)
    for (int i = 0; i < SVM_OUTPUTS; i++) {
        const svm_RoundFile *f = &svm_roundOutputs[i];
        const int64_t first = starting ? -f->init : -svm_roundQueues[f->queue].delay;
        const int64_t items = counts != NULL ? counts[f->actor] : f->given;
        svm_writerWrite(&self->writers[f->file], svm_roundItems(self, f->queue, slot, first), (ptrdiff_t)items);
    }
#endif
#endif
#if SVM_MAPPED_HAVE(LOGS)
    svm_printMerge(self->logs, SVM_LOGS);
#endif
    (void)self, (void)counts, (void)starting;
}

#if SVM_MAPPED_HAVE(FAILS)
#include <svm/mapped_failing.h>
#endif

static inline void svm_roundFire(svm_Rounds *self, const int64_t *counts, bool starting)
{
#if SVM_MAPPED_HAVE(FAILS)
    svm_stripBegin(&self->strip, &svm_roundStripTable, self, counts, 0, starting);
#endif
    svm_roundFireKernels(self, counts, starting);
#if SVM_MAPPED_HAVE(FAILS)
    svm_stripEnd(&self->strip);
#endif
    svm_roundWriteFired(self, counts, starting);
}

// The initialisation: the first firings, and what peek windows look ahead at. False when input ends in it.
static inline bool svm_roundBegin(svm_Rounds *self, const int64_t *counts)
{
#if SVM_MAPPED_HAVE(INPUT)
    for (int i = 0; i < SVM_INPUTS; i++) {
        const svm_RoundFile *f = &svm_roundInputs[i];
        ptrdiff_t *held = &self->readers[f->file].held;
        if (f->init == 0)
            continue;
        *held = svm_readerRead(&self->readers[f->file].file, svm_roundItems(self, f->queue, 0, -f->init), f->init);
        self->ended |= *held < f->init;
    }
    if (self->ended)
        return false;
    for (int i = 0; i < SVM_INPUTS; i++)
        self->readers[svm_roundInputs[i].file].held = 0;
#endif
    svm_roundFire(self, counts, true);
#if SVM_MAPPED_THREADS
    svm_roundFollow(self, -1);
#endif
    self->started = self->placed = true;
    return true;
}

// Makes room for what a round of so many steady states gives, and starts its strips.
static inline void svm_roundIssue(svm_Rounds *self, int slot, int64_t states)
{
#if SVM_MAPPED_HAVE(OUTPUT)
    for (int i = 0; i < SVM_OUTPUTS; i++) {
        const svm_RoundFile *f = &svm_roundOutputs[i];
        const int q = f->queue;
        const int64_t items = states * svm_roundQueues[q].step;
        svm_Writer *file = &self->writers[f->file];
        svm_roundStays(self, q, slot);
        if (f->claims && states > 0)
            self->claimed[q][slot] = svm_writerClaim(file, f->units, items, &self->places[q][slot]);
        else if (f->maps && svm_roundMaps(self, states))
            self->mapped[q][slot] = svm_writerMap(file, svm_roundMemory, (size_t)f->units, items, &self->base[q][slot]);
        if (svm_roundIsLong(self) && !self->claimed[q][slot])
            abort(); // never: the round before was claimed
    }
#endif
#if SVM_MAPPED_AGAIN
    svm_roundAgainStart(self, states);
#endif
#if SVM_MAPPED_THREADS
    svm_threadsRun(&self->threads, false);
#endif
    self->states[slot] = states;
#if SVM_MAPPED_HAVE(FAILS)
    svm_roundGuard(self, slot, states);
#endif
    svm_roundStrips(self, slot, states);
#if SVM_MAPPED_HAVE(FAILS)
    self->all[slot] = self->issued;
#endif
#if SVM_MAPPED_LONG
    self->last = states;
#endif
}

// Waits for the round that uses a slot, and writes what it gave.
static inline void svm_roundFinish(svm_Rounds *self, int slot)
{
    const int64_t states = self->states[slot];
    if (states == 0)
        return;
    svm_roundWait(self, slot, states, SVM_CHUNKS);
#if SVM_MAPPED_THREADS
    svm_threadsRun(&self->threads, true);
#endif
#if SVM_MAPPED_HAVE(OUTPUT)
    for (int i = 0; i < SVM_OUTPUTS; i++) {
        const svm_RoundFile *f = &svm_roundOutputs[i];
        const svm_RoundQueue *queue = &svm_roundQueues[f->queue];
        const int64_t items = states * queue->step;
        if (items == 0)
            continue;
        if (!self->claimed[f->queue][slot] && !self->mapped[f->queue][slot])
            svm_writerWrite(&self->writers[f->file], svm_roundItems(self, f->queue, slot, -queue->delay), items);
        else
            svm_writerSettle(&self->writers[f->file], items);
        if (queue->delay != 0)
            memmove(svm_roundItems(self, f->queue, svm_roundNext(self, slot), -queue->delay),
                    svm_roundItems(self, f->queue, slot, items - queue->delay), (size_t)queue->delay * queue->size);
    }
#endif
    self->states[slot] = 0;
}

#if SVM_MAPPED_AGAIN
#include <svm/mapped_again.h>
#endif

// All rounds under way, the oldest first.
static inline void svm_roundFinishAll(svm_Rounds *self)
{
    for (int i = 0; i < SVM_SLOTS; i++)
        svm_roundFinish(self, (int)((self->round + i) % SVM_SLOTS));
#if SVM_MAPPED_HAVE(LOGS)
    svm_printMerge(self->logs, SVM_LOGS);
#endif
}

// A round that is not whole is over: moves what the next one needs of it to the next slots, or, as long as threads wait,
// to the front of its own.
static inline void svm_roundTurn(svm_Rounds *self, int slot, int64_t states)
{
    const int next = svm_roundNext(self, slot);
#if SVM_MAPPED_HAVE(LINKS)
    for (int q = 0; q < SVM_QUEUES; q++) {
        const svm_RoundQueue *queue = &svm_roundQueues[q];
        if (queue->linked && queue->step != 0 && queue->halo != 0)
            memmove(svm_roundItems(self, q, next, -queue->halo),
                    svm_roundItems(self, q, slot, states * queue->step - queue->halo),
                    (size_t)queue->halo * queue->size);
    }
#endif
#if SVM_MAPPED_HAVE(INPUT)
    for (int i = 0; i < SVM_INPUTS; i++) {
        const svm_RoundFile *f = &svm_roundInputs[i];
        const svm_RoundQueue *queue = &svm_roundQueues[f->queue];
        const int64_t first = states * queue->step - queue->halo;
        if (queue->step == 0)
            continue;
        if (self->mapped[f->queue][slot] || (SVM_MAPPED_HAVE(READS) && self->claimed[f->queue][slot]))
            svm_roundFetch(self, f, slot, first, next, -queue->halo, queue->halo);
        else
            memmove(svm_roundItems(self, f->queue, next, -queue->halo), svm_roundItems(self, f->queue, slot, first),
                    (size_t)(queue->halo + self->readers[f->file].held) * queue->size);
        svm_roundStays(self, f->queue, next);
    }
#endif
#if SVM_MAPPED_HAVE(OUTPUT)
    for (int i = 0; i < SVM_OUTPUTS; i++) {
        const int q = svm_roundOutputs[i].queue;
        const svm_RoundQueue *queue = &svm_roundQueues[q];
        svm_roundStays(self, q, next);
        if (states == 0 && queue->delay != 0 &&
            queue->step != 0) // what it is behind by went on when its round was written
            memmove(svm_roundItems(self, q, next, -queue->delay), svm_roundItems(self, q, slot, -queue->delay),
                    (size_t)queue->delay * queue->size);
    }
#endif
    (void)next, (void)slot, (void)states;
    if (svm_roundsWait(self))
        self->round = 0; // runs of other slots are set up when threads begin
    self->placed = true;
}

// ---- The program as svm_main has it ----

static int SVM_MAPPED_CONTROL(svm_Rounds *self); // the program's own: the loop over rounds

// Up to so many steady states, the initialisation before the first; false once input has ended.
static inline bool svm_roundsRun(void *instance, int64_t iterations)
{
    svm_Rounds *self = (svm_Rounds *)instance;
    self->iterations = iterations;
    const bool more = SVM_MAPPED_CONTROL(self) != 0;
#if SVM_MAPPED_HAVE(FAILS)
    svm_stripEnd(&self->strip);
#endif
    return more;
}

static inline int64_t svm_roundsSteadyStates(const void *instance)
{
    return ((const svm_Rounds *)instance)->steadyStates;
}

// Closes files and frees everything.
static inline void svm_roundsDestroy(void *instance)
{
    svm_Rounds *self = (svm_Rounds *)instance;
#if SVM_MAPPED_HAVE(INPUT)
    for (int i = 0; i < SVM_READERS; i++)
        svm_readerClose(&self->readers[i].file);
#endif
#if SVM_MAPPED_HAVE(OUTPUT)
    for (int i = 0; i < SVM_WRITERS; i++)
        svm_writerClose(&self->writers[i]);
#endif
#if SVM_MAPPED_HAVE(LOGS)
    for (int i = 0; i < SVM_LOGS; i++)
        svm_logDestroy(self->logs[i]);
#endif
#if SVM_MAPPED_HAVE(START)
    svm_logDestroy(&self->start);
#endif
    svm_roundRunsDestroy(self);
#if SVM_MAPPED_HAVE(FAILS)
    svm_roundKeepsDestroy(self);
#endif
#if SVM_MAPPED_HAVE(DIRECT)
    for (int q = 0; q < SVM_PROCESSORS; q++)
        if (svm_roundProcessors[q].load == NULL)
            svm_free(svm_roundProcessors[q].memory, self->ownMemory[q]);
#endif
    svm_free(svm_roundMemory, self->memory);
    free(self);
}
