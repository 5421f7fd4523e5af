// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs of the kernels of svm/mapped_tables.h, and what orders them: what svm/mapped_control.h has of them.
//
// A run depends on the run before it on its processor, on what makes the items that it reads, and on who used the blocks of
// its windows before. A dependence binds, when a run is started, to the latest run of the kernel depended on; kernels are
// started in order, or strip by strip where windows go straight from one to the other, and rounds one after the other, so
// each run waits for the right one. A run is set up just before it is started first, so that processors need not wait until
// all are; where they are threads, all runs of a round are.

// ---- Queues ----

// Slots of the queues, one behind the other, at a multiple of `unit` bytes.
static inline void svm_roundQueuesCreate(svm_Rounds *self, size_t bytes, size_t unit)
{
    self->memory = svm_alloc(svm_roundMemory, bytes);
    const size_t at = (self->memory + unit - 1) / unit * unit;
    for (int i = 0; i < SVM_QUEUES; i++)
        for (int slot = 0; slot < SVM_SLOTS; slot++) {
            const svm_RoundQueue *queue = &svm_roundQueues[i];
            svm_blockInit(&self->queues[i][slot], svm_roundMemory, at + queue->address + (size_t)slot * queue->slot,
                          queue->room, queue->size);
            svm_blockName(&self->queues[i][slot], queue->name);
            self->base[i][slot] = self->queues[i][slot].address + (size_t)queue->history * queue->size;
        }
}

// ---- What each processor has for itself ----

#if SVM_MAPPED_HAVE(FILES)
// Bytes of the items of an end of a queue that come from a file or go to one.
static inline size_t svm_roundScratch(int end, size_t unit)
{
    const size_t bytes = (size_t)svm_roundEnds[end].scratch * svm_roundQueues[svm_roundEnds[end].queue].size;
    return (bytes + unit - 1) / unit * unit;
}

// Where these lie: behind all else that a processor has for itself.
static inline void svm_roundScratchCreate(svm_Rounds *self, int q, size_t unit)
{
    const svm_RoundProcessor *processor = &svm_roundProcessors[q];
    size_t at = self->ownMemory[q] + processor->own;
    for (int i = 0; i < SVM_ENDS; i++) {
        const svm_RoundEnd *end = &svm_roundEnds[i];
        if (end->scratch != 0)
            svm_blockInit(&self->scratch[i][q], processor->memory, at, (size_t)end->scratch,
                          svm_roundQueues[end->queue].size);
        at += svm_roundScratch(i, unit);
    }
}
#endif

#if SVM_MAPPED_HAVE(DIRECT)
// Memory of a processor that works in queues, from the control program's.
static inline void svm_roundOwnMemory(svm_Rounds *self, int q, size_t unit)
{
    size_t bytes = svm_roundProcessors[q].own;
#if SVM_MAPPED_HAVE(FILES)
    for (int i = 0; i < SVM_ENDS; i++)
        bytes += svm_roundScratch(i, unit);
#endif
    self->ownMemory[q] = svm_alloc(svm_roundProcessors[q].memory, bytes + 1);
#if SVM_MAPPED_HAVE(FILES)
    svm_roundScratchCreate(self, q, unit);
#else
    (void)unit;
#endif
}
#endif

#if SVM_MAPPED_HAVE(MOVED)
// Processors to whose memory engines move windows share it, if it is one: what those before this one have of it.
static inline size_t svm_roundOwnBefore(int q)
{
    size_t bytes = 0;
    for (int i = 0; i < q; i++)
        if (svm_roundProcessors[i].load != NULL && svm_roundProcessors[i].memory == svm_roundProcessors[q].memory)
            bytes += svm_roundProcessors[i].own;
    return bytes;
}
#endif

static inline void svm_roundOwnCreate(svm_Rounds *self, size_t unit)
{
    for (int q = 0; q < SVM_PROCESSORS; q++) {
        const svm_RoundProcessor *processor = &svm_roundProcessors[q];
#if SVM_MAPPED_HAVE(DIRECT)
        if (processor->load == NULL)
            svm_roundOwnMemory(self, q, unit);
#else
        (void)unit;
#endif
#if SVM_MAPPED_HAVE(MOVED)
        if (processor->load != NULL)
            self->ownMemory[q] = svm_roundOwnBefore(q);
#endif
        svm_blockInit(&self->own[q], processor->memory, self->ownMemory[q], processor->own, 1);
        svm_blockName(&self->own[q], "own");
    }
}

// ---- Runs ----

// Whether engines move a run's windows; what moves one of them.
static inline bool svm_roundMoves(const svm_RoundRun *r)
{
    return SVM_MAPPED_HAVE(DIRECT) ? SVM_MAPPED_HAVE(MOVED) && r->moves : true;
}

static inline svm_Kernel *svm_roundMove(svm_RoundRun *r, int w)
{
#if SVM_MAPPED_HAVE(MOVED)
    return &r->windows[w].move.kernel;
#else
    return w < 0 ? NULL : &r->run.kernel;
#endif
}

// Whether a window goes straight from one processor's memory to the other's.
static inline bool svm_roundStraight(const svm_RoundRun *r, int w)
{
    return SVM_MAPPED_HAVE(STRAIGHT) && r->ends[w].straight && !r->alone;
}

#if SVM_MAPPED_HAVE(STRAIGHT)
// A window that goes straight goes to its reader's block: both ends are of one chunk, and use their blocks by the same turns.
static inline void svm_roundPlaceStraight(svm_Rounds *self, svm_RoundRun *r, int w, size_t count)
{
    const svm_RoundKernelRow *reader = &svm_roundKernels[r->ends[w].reader];
    const svm_RoundEnd *end = &svm_roundEnds[reader->ends + r->ends[w].readerEnd];
    const int q = svm_roundChunks[reader->chunk].processor;
    svm_blockInit(&r->windows[w].there, svm_roundProcessors[q].memory,
                  self->ownMemory[q] + end->address + (size_t)r->block * end->bytes, count,
                  svm_roundQueues[end->queue].size);
    svm_blockName(&r->windows[w].there, svm_roundQueues[end->queue].name);
}
#endif

#if SVM_MAPPED_HAVE(HALOS)
// What leaves a window's last items to the next round: a transfer, or the run itself.
static inline svm_Kernel *svm_roundKeep(svm_RoundRun *r, int w)
{
#if SVM_MAPPED_HAVE(MOVED)
    return svm_roundMoves(r) ? &r->windows[w].keep.kernel : &r->run.kernel;
#else
    return w < 0 ? NULL : &r->run.kernel;
#endif
}

static inline bool svm_roundKeeps(const svm_RoundRun *r, int w, bool whole)
{
    return whole && r->windows[w].history.capacity != 0;
}
#endif

// A run with a count of firings for each actor of the program.
static inline void svm_roundCount(svm_RoundRun *r, const int64_t *counts)
{
#if SVM_MAPPED_HAVE(COUNTS)
    const svm_RoundKernelRow *kernel = &svm_roundKernels[r->kernel];
    for (int i = 0; i < kernel->firings; i++)
        r->run.firings[i] = (ptrdiff_t)counts[svm_roundActors[kernel->actors + i]];
#else
    (void)r, (void)counts;
#endif
}

// Places a window of a run: so many items from the round's item `first` on.
static inline void svm_roundPlace(svm_Rounds *self, svm_RoundRun *r, int w, int slot, int64_t first, int64_t items)
{
    const svm_RoundEnd *end = &r->ends[w];
    const svm_RoundQueue *queue = &svm_roundQueues[end->queue];
    svm_RoundWindow *window = &r->windows[w];
    const size_t count = (size_t)(SVM_MAPPED_HAVE(SMALL) && items < end->least ? end->least : items);
    const size_t there = self->base[end->queue][slot] + (size_t)first * queue->size;
    svm_blockInit(&window->there, svm_roundMemory, there, count, queue->size);
    svm_blockName(&window->there, queue->name);
#if SVM_MAPPED_HAVE(MOVED)
    if (!svm_roundMoves(r))
        return;
    const size_t here = self->ownMemory[r->processor] + end->address + (size_t)r->block * end->bytes;
    svm_blockInit(&window->here, svm_roundProcessors[r->processor].memory, here, count, queue->size);
    svm_blockName(&window->here, queue->name);
#endif
#if SVM_MAPPED_HAVE(STRAIGHT)
    if (svm_roundStraight(r, w) && !end->input)
        svm_roundPlaceStraight(self, r, w, count);
#endif
}

#if SVM_MAPPED_HAVE(HALOS)
// The next round finds the last items of this one in front of its own; which of them does a run give?
static inline void svm_roundKeepLast(svm_Rounds *self, svm_RoundRun *r, int w, int slot, int64_t first, int64_t stop)
{
    const svm_RoundEnd *end = &r->ends[w];
    const svm_RoundQueue *queue = &svm_roundQueues[end->queue];
    svm_RoundWindow *window = &r->windows[w];
    const int64_t round = SVM_STRIPS * end->strip, last = round - end->halo;
    if (end->halo == 0 || stop <= last)
        return;
    const int64_t from = last > first ? first + (last - first) / end->aligned * end->aligned : first;
    const size_t there = self->queues[end->queue][(slot + 1) % SVM_SLOTS].address;
    svm_blockInit(&window->history, svm_roundMemory, there + (size_t)(queue->history + from - round) * queue->size,
                  (size_t)(stop - from), queue->size);
    svm_blockName(&window->history, queue->name);
#if SVM_MAPPED_HAVE(MOVED)
    if (!svm_roundMoves(r))
        return;
    svm_blockInit(&window->last, svm_roundProcessors[r->processor].memory,
                  window->here.address + (size_t)(from - first) * queue->size, (size_t)(stop - from), queue->size);
    svm_blockName(&window->last, queue->name);
    svm_moveB2BInit(&window->keep, svm_roundProcessors[r->processor].store, &window->last, &window->history);
    svm_kernelAddDependence(&window->keep.kernel, &r->run.kernel);
#endif
}
#endif

// A run of a kernel on processor q: so many strips of a round, in those blocks of its windows.
static inline void svm_roundRunInit(svm_Rounds *self, svm_RoundRun *r, int kernel, int q, int slot, int strip,
                                    int strips, int block)
{
    const svm_RoundKernelRow *row = &svm_roundKernels[kernel];
    r->kernel = kernel;
    r->ends = &svm_roundEnds[row->ends];
    r->count = row->count;
    r->moves = !SVM_MAPPED_HAVE(DIRECT) || svm_roundProcessors[q].load != NULL;
    r->processor = q;
    r->block = block;
    svm_kernelInit(&r->run.kernel, svm_roundProcessors[q].processor, row->run, row->name);
    svm_kernelNeverBlocks(&r->run.kernel);
    r->run.own = &self->own[q];
#if SVM_MAPPED_HAVE(LOGS)
    for (int i = 0; i < row->logCount; i++)
        r->run.logs[i] = self->logs[svm_roundLogs[row->logs + i]];
#endif
    for (int w = 0; w < r->count; w++) {
        const svm_RoundEnd *end = &r->ends[w];
        svm_RoundWindow *window = &r->windows[w];
        const int64_t first = strip * end->strip, items = strips * end->strip;
        svm_roundPlace(self, r, w, slot, first - end->before, end->before + items);
        r->run.windows[w].items = &window->there;
        r->run.windows[w].from = end->from;
#if SVM_MAPPED_HAVE(LOOPS)
        r->run.windows[w].step = (ptrdiff_t)(end->strip / SVM_STRIP);
        r->run.windows[w].delay = (ptrdiff_t)(end->before - end->from);
        r->run.windows[w].size = (ptrdiff_t)svm_roundQueues[end->queue].size;
#endif
#if SVM_MAPPED_HAVE(FILES)
        r->run.windows[w].scratch = &self->scratch[row->ends + w][q];
#endif
#if SVM_MAPPED_HAVE(HALOS)
        svm_roundKeepLast(self, r, w, slot, first, first + items);
#endif
#if SVM_MAPPED_HAVE(MOVED)
        if (!svm_roundMoves(r))
            continue;
        r->run.windows[w].items = &window->here;
        if (end->input && svm_roundStraight(r, w))
            continue;
        if (end->input) {
            svm_moveB2BInit(&window->move, svm_roundProcessors[q].load, &window->there, &window->here);
            svm_kernelAddDependence(&r->run.kernel, &window->move.kernel);
        } else {
            const mm_Proc mover = svm_roundStraight(r, w) ? end->mover : svm_roundProcessors[q].store;
            svm_moveB2BInit(&window->move, mover, &window->here, &window->there);
            svm_kernelAddDependence(&window->move.kernel, &r->run.kernel);
        }
#endif
    }
}

#if SVM_MAPPED_HAVE(PRIMES)
// What primes a kernel on processor q for the strips of a round from `strip` on: it sees the items before them.
static inline void svm_roundPrimingInit(svm_Rounds *self, svm_RoundRun *r, int kernel, int q, int slot, int strip,
                                        int block)
{
    svm_roundRunInit(self, r, kernel, q, slot, strip, 1, block);
    for (int w = 0; w < r->count; w++) {
        const svm_RoundEnd *end = &r->ends[w];
        if (!end->input)
            continue;
        svm_roundPlace(self, r, w, slot, strip * end->strip - end->prime, end->prime);
        r->run.windows[w].from = end->primeFrom;
#if SVM_MAPPED_HAVE(LOOPS)
        r->run.windows[w].primed = (ptrdiff_t)(end->prime - end->primeFrom);
#endif
    }
    r->run.starting = r->run.priming = true;
#if SVM_MAPPED_HAVE(LOOPS)
    r->run.counted = true;
#endif
    svm_roundCount(r, SVM_MAPPED_INIT);
}
#endif

// The run that is `back` runs before number k of a chunk on its processor, round after round.
static inline svm_RoundRun *svm_roundBefore(svm_Rounds *self, int slot, int c, int k, int back)
{
    for (k -= back; k < 0; k += svm_roundChunks[c].runs) {
        const int before = svm_roundChunks[c].before;
        slot = before < c ? slot : (slot + SVM_SLOTS - 1) % SVM_SLOTS;
        c = before;
    }
#if SVM_MAPPED_HAVE(PRIMES)
    if (svm_roundKernels[svm_roundChunks[c].kernel].primes && k-- == 0)
        return &self->primings[slot][c];
#endif
    return &self->runs[slot][svm_roundChunks[c].run + k];
}

// ---- Dependences ----

// Whether a run is set up: until all are, those that would come before the program's first ones are not.
static inline bool svm_roundMade(const svm_RoundRun *r)
{
    return r->ends != NULL;
}

#if SVM_MAPPED_HAVE(FAILS)
static inline void svm_roundKeepsCreate(svm_Rounds *self);
static inline void svm_roundKeepOrder(svm_Rounds *self, int slot, svm_RoundRun *r, svm_RoundRun *last);
#endif

// Runs of a kernel on a processor follow each other, and use their windows' blocks in turn.
static inline void svm_roundOrder(svm_Rounds *self, int slot, int c, int k)
{
    svm_RoundRun *r = svm_roundBefore(self, slot, c, k, 0), *last = svm_roundBefore(self, slot, c, k, 1);
    if (last != r && svm_roundMade(last))
        svm_kernelAddDependence(&r->run.kernel, &last->run.kernel);
#if SVM_MAPPED_HAVE(FAILS)
    if (k == 0 && c == svm_roundKernels[r->kernel].chunk)
        svm_roundKeepOrder(self, slot, r, last);
#endif
#if SVM_MAPPED_HAVE(MOVED)
    if (!svm_roundMoves(r))
        return;
    svm_RoundRun *user = svm_roundBefore(self, slot, c, k, SVM_BLOCKS); // of the same blocks
    svm_RoundRun *giver = user;                                         // of them the last that gave anything
    for (int back = 2 * SVM_BLOCKS; SVM_MAPPED_HAVE(PRIMES) && !r->run.priming && giver->run.priming;
         back += SVM_BLOCKS)
        giver = svm_roundBefore(self, slot, c, k, back);
    for (int w = 0; w < r->count; w++) {
        const svm_RoundEnd *end = &r->ends[w];
        if (end->input && !svm_roundStraight(r, w) && svm_roundMade(user)) // else svm_roundJoin
            svm_kernelAddDependence(&r->windows[w].move.kernel, &user->run.kernel);
        if (!end->input && !r->run.priming && svm_roundMade(giver) && (!SVM_MAPPED_HAVE(STILL) || end->strip != 0))
            svm_kernelAddDependence(&r->run.kernel, &giver->windows[w].move.kernel);
#if SVM_MAPPED_HAVE(HALOS)
        if (!r->run.priming && giver->windows[w].last.capacity != 0)
            svm_kernelAddDependence(&r->run.kernel, &giver->windows[w].keep.kernel);
#endif
    }
#endif
}

#if SVM_MAPPED_HAVE(LINKS)
// The run of a kernel that has a strip.
static inline svm_RoundRun *svm_roundMaker(svm_Rounds *self, int kernel, int slot, int strip)
{
    if (!SVM_MAPPED_HAVE(SEVERAL))
        return &self->runs[slot][svm_roundKernels[kernel].firstRun + strip];
    const svm_RoundChunk *chunk = &svm_roundChunks[svm_roundKernels[kernel].chunk];
    while (strip >= chunk->first + chunk->strips)
        chunk++;
    return &self->runs[slot][chunk->run + (strip - chunk->first) / chunk->each];
}

// What of a run touches a queue: what moves its window, or itself.
static inline svm_Kernel *svm_roundToucher(svm_RoundRun *r, int w)
{
    return svm_roundMoves(r) ? svm_roundMove(r, w) : &r->run.kernel;
}

#if SVM_MAPPED_HAVE(STRAIGHT)
// A window that comes straight: what moves it is that of the run that has the same strip, and waits for the run that used
// the block before.
static inline void svm_roundJoin(svm_Rounds *self, svm_RoundRun *r, int w, int slot, int c, int k)
{
    const svm_RoundEnd *end = &r->ends[w];
    svm_RoundRun *made = &self->runs[slot][svm_roundKernels[end->writer].firstRun + k];
    svm_RoundRun *user = svm_roundBefore(self, slot, c, k, SVM_BLOCKS);
    svm_Kernel *move = svm_roundMove(made, end->writerEnd);
    svm_kernelAddDependence(&r->run.kernel, move);
    if (svm_roundMade(user))
        svm_kernelAddDependence(move, &user->run.kernel);
}
#endif

// A run of a strip has a window of the round's items from this one on.
static inline int64_t svm_roundFirst(const svm_RoundRun *r, int w, int strip)
{
    const svm_RoundEnd *end = &r->ends[w];
    return strip * end->strip - (r->run.priming ? end->prime : end->before);
}

// What a run's window holds others make in this round.
static inline void svm_roundLink(svm_Rounds *self, svm_RoundRun *r, int w, int slot, int strip)
{
    const svm_RoundEnd *end = &r->ends[w];
    svm_Kernel *reads = svm_roundToucher(r, w);
    const int64_t first = svm_roundFirst(r, w, strip), stop = first + (int64_t)r->windows[w].there.capacity;
    svm_RoundRun *last = NULL;
    for (int i = first < 0 ? 0 : (int)(first / end->strip); i < SVM_STRIPS && i * end->strip < stop; i++) {
        svm_RoundRun *made = svm_roundMaker(self, end->writer, slot, i);
        if (made != last)
            svm_kernelAddDependence(reads, svm_roundToucher(made, end->writerEnd));
        last = made;
    }
}

#if SVM_MAPPED_HAVE(HALOS)
// What lies before the round's own items others make in the round before.
static inline void svm_roundLinkLast(svm_Rounds *self, svm_RoundRun *r, int w, int slot, int strip)
{
    const svm_RoundEnd *end = &r->ends[w];
    svm_Kernel *reads = svm_roundToucher(r, w);
    const int64_t first = svm_roundFirst(r, w, strip), round = SVM_STRIPS * end->strip;
    const int64_t halo = svm_roundEnds[svm_roundKernels[end->writer].ends + end->writerEnd].halo;
    svm_RoundRun *last = NULL;
    for (int i = (int)((round - halo) / end->strip); i < SVM_STRIPS && first < 0; i++) {
        svm_RoundRun *made = svm_roundMaker(self, end->writer, (slot + SVM_SLOTS - 1) % SVM_SLOTS, i);
        if (made == last || !svm_roundMade(made) || (i + 1) * end->strip - round <= first)
            continue;
        svm_Kernel *keeps = svm_roundKeep(made, end->writerEnd);
        svm_kernelAddDependence(reads, keeps);
        svm_kernelAddDependence(keeps, reads); // it overwrites what the round before this one's read
        last = made;
    }
}
#endif

// The first strip of run number k of a chunk, or of what it primes.
static inline int svm_roundStripOf(int c, int k)
{
    const svm_RoundChunk *chunk = &svm_roundChunks[c];
    const int primes = svm_roundKernels[chunk->kernel].primes;
    return chunk->first + (k < primes ? 0 : (k - primes) * chunk->each);
}

// What a run's windows wait for, and who for them, of which some is of rounds before.
static inline void svm_roundLinkBack(svm_Rounds *self, int slot, int c, int k)
{
    svm_RoundRun *r = svm_roundBefore(self, slot, c, k, 0);
    for (int w = 0; w < r->count; w++) {
        if (r->ends[w].writer < 0)
            continue;
#if SVM_MAPPED_HAVE(STRAIGHT)
        if (svm_roundStraight(r, w)) {
            svm_roundJoin(self, r, w, slot, c, k);
            continue;
        }
#endif
#if SVM_MAPPED_HAVE(HALOS)
        svm_roundLinkLast(self, r, w, slot, svm_roundStripOf(c, k));
#endif
    }
    (void)self, (void)slot, (void)c, (void)k;
}

#if SVM_MAPPED_AGAIN
// Before a slot is used again the control program waits for its last round. Nobody does where processors repeat rounds: what
// makes the items of a queue then waits for what reads those that lie there.
static inline void svm_roundReuse(svm_Rounds *self, int slot, int c)
{
    const svm_RoundChunk *chunk = &svm_roundChunks[c];
    svm_RoundRun *last = svm_roundBefore(self, slot, c, chunk->runs - 1, 0);
    for (int w = 0; w < last->count; w++)
        for (int m = 0; m < SVM_CHUNKS; m++)
            if (last->ends[w].writer >= 0 && !svm_roundStraight(last, w) &&
                svm_roundChunks[m].kernel == last->ends[w].writer)
                svm_kernelAddDependence(&self->runs[slot][svm_roundChunks[m].run].run.kernel, &last->run.kernel);
}
#endif
#endif

// Sets up run number k of a chunk, and what orders it behind others.
static inline void svm_roundRunCreate(svm_Rounds *self, int slot, int c, int k)
{
    const svm_RoundChunk *chunk = &svm_roundChunks[c];
    const int kernel = chunk->kernel, q = chunk->processor, primes = svm_roundKernels[kernel].primes;
    const int done = k < primes ? 0 : (k - primes) * chunk->each, left = chunk->strips - done;
    const int block = self->turn[kernel][q]++ % SVM_BLOCKS; // of the processor's windows
    svm_RoundRun *r = svm_roundBefore(self, slot, c, k, 0);
#if SVM_MAPPED_HAVE(PRIMES)
    if (k < primes)
        svm_roundPrimingInit(self, r, kernel, q, slot, chunk->first, block);
    else
#endif
        svm_roundRunInit(self, r, kernel, q, slot, chunk->first + done, chunk->each < left ? chunk->each : left, block);
    svm_roundOrder(self, slot, c, k);
#if SVM_MAPPED_HAVE(LINKS)
    for (int w = 0; w < r->count; w++)
        if (r->ends[w].writer >= 0 && !svm_roundStraight(r, w))
            svm_roundLink(self, r, w, slot, svm_roundStripOf(c, k));
    svm_roundLinkBack(self, slot, c, k);
#if SVM_MAPPED_AGAIN
    if (k == chunk->runs - 1)
        svm_roundReuse(self, slot, c);
#endif
#endif
}

// A run that is not set up yet is, before it is started.
static inline void svm_roundRunNeed(svm_Rounds *self, int slot, int c, int k)
{
    if (!svm_roundMade(svm_roundBefore(self, slot, c, k, 0)))
        svm_roundRunCreate(self, slot, c, k);
}

#if SVM_MAPPED_HAVE(FAILS) && SVM_MAPPED_HAVE(HALOS)
// What leaves items to the next round overwrites those in front of an older one, which may be done again until all of it is
// over: it waits for the last runs of that.
static inline void svm_roundStayBehind(svm_Rounds *self, int slot, int c, int k)
{
    svm_RoundRun *r = svm_roundBefore(self, slot, c, k, 0);
    bool keeps = false;
    for (int w = 0; w < r->count; w++)
        keeps |= r->windows[w].history.capacity != 0;
    for (int other = 0; other < SVM_CHUNKS && keeps; other++)
        svm_kernelAddDependence(
            &r->run.kernel,
            &svm_roundBefore(self, (slot + 1) % SVM_SLOTS, other, svm_roundChunks[other].runs - 1, 0)->run.kernel);
}
#endif

// Sets up all runs of the last slot: the first runs of each slot's next rounds come behind them, or behind others that were
// not set up yet; and they, where they leave items for a next round, behind those of the first slot.
static inline void svm_roundClose(svm_Rounds *self)
{
    for (int c = 0; c < SVM_CHUNKS; c++)
        for (int k = 0; k < svm_roundChunks[c].runs; k++)
            svm_roundRunNeed(self, SVM_SLOTS - 1, c, k);
    for (int slot = 0; slot < SVM_SLOTS; slot++)
        for (int c = 0; c < SVM_CHUNKS; c++)
            for (int k = 0; k < svm_roundChunks[c].runs && (slot == 0 || k <= SVM_BLOCKS); k++) {
                if (k <= SVM_BLOCKS)
                    svm_roundOrder(self, slot, c, k);
#if SVM_MAPPED_HAVE(LINKS)
                svm_roundLinkBack(self, slot, c, k);
#endif
            }
#if SVM_MAPPED_HAVE(FAILS) && SVM_MAPPED_HAVE(HALOS)
    for (int slot = 0; slot < SVM_SLOTS && SVM_SLOTS > 1; slot++)
        for (int c = 0; c < SVM_CHUNKS; c++)
            for (int k = 0; k < svm_roundChunks[c].runs; k++)
                svm_roundStayBehind(self, slot, c, k);
#endif
}

// The first run, and what each kernel does by itself.
static inline void svm_roundRunsCreate(svm_Rounds *self)
{
#if SVM_MAPPED_THREADS
    if (SVM_STRIPS > 1)
        svm_threadsBegin(&self->threads);
#endif
#if SVM_MAPPED_HAVE(FAILS)
    svm_roundKeepsCreate(self);
#endif
    svm_roundRunCreate(self, 0, 0, 0);
#if SVM_MAPPED_HAVE(PHASES)
    for (int k = 0; k < SVM_KERNELS; k++) {
        self->alone[k].alone = true;
        svm_roundRunInit(self, &self->alone[k], k, svm_roundKernels[k].home, 0, 0, 1, 0);
    }
#endif
}

// What an instance consists of: queues in so many bytes, slots at multiples of a unit; what processors have for themselves,
// at multiples of theirs; runs.
static inline void svm_roundsCreate(svm_Rounds *self, size_t bytes, size_t slotUnit, size_t ownUnit)
{
    svm_roundQueuesCreate(self, bytes, slotUnit);
    svm_roundOwnCreate(self, ownUnit);
    svm_roundRunsCreate(self);
}

static inline void svm_roundRunDestroy(svm_RoundRun *r)
{
    svm_kernelDestroy(&r->run.kernel);
#if SVM_MAPPED_HAVE(MOVED)
    for (int w = 0; w < r->count && svm_roundMoves(r); w++) {
        if (!r->ends[w].input || !svm_roundStraight(r, w))
            svm_kernelDestroy(&r->windows[w].move.kernel);
#if SVM_MAPPED_HAVE(HALOS)
        if (r->windows[w].last.capacity != 0)
            svm_kernelDestroy(&r->windows[w].keep.kernel);
#endif
    }
#endif
}

static inline void svm_roundRunsDestroy(svm_Rounds *self)
{
#if SVM_MAPPED_AGAIN
    svm_sequenceDestroy(self->again.runs);
    for (int i = 0; i < 2 * (SVM_INPUTS + SVM_OUTPUTS); i++)
        if (self->again.places[i / 2][i % 2].memory != 0)
            svm_free(svm_roundMemory, self->again.places[i / 2][i % 2].memory);
#endif
    for (int slot = 0; slot < SVM_SLOTS; slot++)
        for (int c = 0; c < SVM_CHUNKS; c++)
            for (int k = 0; k < svm_roundChunks[c].runs; k++)
                if (svm_roundMade(svm_roundBefore(self, slot, c, k, 0)))
                    svm_roundRunDestroy(svm_roundBefore(self, slot, c, k, 0));
#if SVM_MAPPED_HAVE(PHASES)
    for (int k = 0; k < SVM_KERNELS; k++)
        svm_roundRunDestroy(&self->alone[k]);
#endif
}

#if SVM_MAPPED_HAVE(REPEATS)
// Behind the initialisation priming goes on for some steady states, or from the program's beginning.
static inline void svm_roundRepeat(svm_RoundRun *r, int64_t before)
{
    const int64_t most = svm_roundKernels[r->kernel].repeat;
    r->run.states = before < most ? before : most;
    for (int w = 0; w < r->count; w++) {
        const svm_RoundEnd *end = &r->ends[w];
        const int64_t less = (most - r->run.states) * (end->strip / SVM_STRIP);
        if (!end->input)
            continue;
        r->run.windows[w].from = end->primeFrom + less;
        r->run.windows[w].primed = (ptrdiff_t)(end->prime - end->primeFrom - less);
#if SVM_MAPPED_HAVE(FILES)
        r->run.windows[w].first += less;
#endif
    }
}
#endif
