// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs on several processors of which a firing may fail (SVM_MAPPED_FAILS): what svm/mapped_control.h has of them.
//
// Rounds that are under way when a firing fails are done again from where the oldest of them began, a strip after the other,
// kernel after kernel, up to that firing (svm/strip.h). What they take is there: input stays in its slot, or in the file,
// and what lies in front of a round stays until the round is over. What kernels keep inside themselves is copied before
// their first run of a round (svm_RoundKeep); those that prime keep nothing.
static void svm_roundAgain(void *instance, const int64_t *counts, int64_t steady, bool starting, bool writes);
static inline int64_t svm_roundNextStates(void *instance);
static inline void svm_roundKeepAll(void *instance, bool back);
static const svm_StripTable svm_roundStripTable = {
    .again = svm_roundAgain, .next = svm_roundNextStates, .keep = svm_roundKeepAll, .order = SVM_MAPPED_ORDER};

// ---- What kernels keep ----

// Copies what a kernel keeps, to where it is found again, or back from there.
static inline void svm_roundCopyKept(const svm_RoundKeep *self, bool back)
{
    char *own = svm_blockData(self->own), *kept = svm_blockData(&self->kept);
    for (int i = 0; i < self->count; i++) {
        char *place = own + svm_roundKept[self->first + i].offset;
        const size_t bytes = svm_roundKept[self->first + i].bytes;
        memcpy(back ? place : kept, back ? kept : place, bytes);
        kept += bytes;
    }
}

SVM_KERNEL(estimate(10, 1))
static void svm_roundKeepKernel(svm_Kernel *kernel)
{
    svm_roundCopyKept((svm_RoundKeep *)kernel, false);
}

static inline size_t svm_roundKeptBytes(int kernel)
{
    const svm_RoundKernelRow *row = &svm_roundKernels[kernel];
    size_t bytes = 0;
    for (int i = 0; i < row->keptCount; i++)
        bytes += svm_roundKept[row->kept + i].bytes;
    return bytes;
}

static inline void svm_roundKeepsCreate(svm_Rounds *self)
{
    size_t all = 1, at = 0;
    for (int k = 0; k < SVM_KERNELS; k++)
        all += svm_roundKeptBytes(k);
    self->keptMemory = svm_alloc(svm_roundMemory, all * SVM_SLOTS);
    for (int slot = 0; slot < SVM_SLOTS; slot++)
        for (int k = 0; k < SVM_KERNELS; k++) {
            const svm_RoundKernelRow *row = &svm_roundKernels[k];
            svm_RoundKeep *keep = &self->keeps[slot][k];
            if (row->keptCount == 0)
                continue;
            svm_kernelInit(&keep->kernel, svm_roundProcessors[row->home].processor, svm_roundKeepKernel, row->name);
            svm_kernelNeverBlocks(&keep->kernel);
            svm_blockInit(&keep->kept, svm_roundMemory, self->keptMemory + at, svm_roundKeptBytes(k), 1);
            svm_blockName(&keep->kept, row->name);
            keep->own = &self->own[row->home];
            keep->first = row->kept;
            keep->count = row->keptCount;
            at += svm_roundKeptBytes(k);
        }
}

static inline void svm_roundKeepsDestroy(svm_Rounds *self)
{
    for (int slot = 0; slot < SVM_SLOTS; slot++)
        for (int k = 0; k < SVM_KERNELS; k++)
            if (svm_roundKernels[k].keptCount != 0)
                svm_kernelDestroy(&self->keeps[slot][k].kernel);
    svm_free(svm_roundMemory, self->keptMemory);
    svm_stripDestroy(&self->strip);
}

// The first run of a kernel in a round waits for the copy, and that for the kernel's run before.
static inline void svm_roundKeepOrder(svm_Rounds *self, int slot, svm_RoundRun *r, svm_RoundRun *last)
{
    svm_RoundKeep *keep = &self->keeps[slot][r->kernel];
    if (keep->count == 0)
        return;
    svm_kernelAddDependence(&r->run.kernel, &keep->kernel);
    if (last != r && last->ends != NULL)
        svm_kernelAddDependence(&keep->kernel, &last->run.kernel);
}

static inline void svm_roundKeepStart(svm_Rounds *self, int slot, int kernel)
{
    svm_RoundKeep *keep = &self->keeps[slot][kernel];
    if (keep->count == 0)
        return;
    svm_kernelRun(&keep->kernel); // not before: the error that others have made may be told here, and it is left
    keep->round = self->issued;
}

// What kernels kept when the round in a slot began is theirs again, if they have begun it.
static inline void svm_roundPutBack(svm_Rounds *self, int slot, int64_t round)
{
    for (int k = 0; k < SVM_KERNELS; k++) {
        svm_RoundKeep *keep = &self->keeps[slot][k];
        if (keep->count != 0 && keep->round == round && svm_kernelStateOf(&keep->kernel) == SVM_FINISHED)
            svm_roundCopyKept(keep, true);
    }
}

// svm_StripTable's: of what is under way now.
static inline void svm_roundKeepAll(void *instance, bool back)
{
    svm_Rounds *self = (svm_Rounds *)instance;
    for (int k = 0; k < SVM_KERNELS && !back; k++) {
        svm_roundKeepStart(self, self->failing.slot, k);
        if (self->keeps[self->failing.slot][k].count != 0)
            svm_kernelWait(&self->keeps[self->failing.slot][k].kernel);
    }
    if (back)
        svm_roundPutBack(self, self->failing.slot, self->issued);
}

// ---- Rounds ----

// A round begins in a slot.
static inline void svm_roundGuard(svm_Rounds *self, int slot, int64_t states)
{
    self->issued++;
    self->numbers[slot] = self->issued;
    self->befores[slot] = self->steadyStates;
    svm_stripBegin(&self->strip, &svm_roundStripTable, self, NULL, states > 0 ? states : 1, false);
}

// The oldest round that is under way; -1: there is none.
static inline int svm_roundOldest(const svm_Rounds *self)
{
    int oldest = -1;
    for (int slot = 0; slot < SVM_SLOTS; slot++)
        if (self->states[slot] != 0 && (oldest < 0 || self->numbers[slot] < self->numbers[oldest]))
            oldest = slot;
    return oldest;
}

// Whether all runs of a round are over.
static inline bool svm_roundIsOver(svm_Rounds *self, int slot)
{
    bool over = self->all[slot] == self->numbers[slot];
    for (int c = 0; c < SVM_CHUNKS && over; c++) {
        const svm_RoundChunk *chunk = &svm_roundChunks[c];
        const svm_RoundShare share = svm_roundShare(chunk, self->states[slot], svm_roundsWait(self));
        const int runs = share.states > 0 ? (int)((share.states + share.each - 1) / share.each) : 0;
        for (int k = 0; k < runs; k++)
            over &= svm_kernelStateOf(&self->runs[slot][chunk->run + k].run.kernel) == SVM_FINISHED;
    }
    return over;
}

#if SVM_MAPPED_HAVE(INPUT)
// So many items of the round that is the source, from its item `first` on, come to item `to` of the slot.
static inline void svm_roundTake(svm_Rounds *self, const svm_RoundFile *f, int64_t first, int64_t to, int64_t items)
{
    const svm_RoundQueue *queue = &svm_roundQueues[f->queue];
    const int slot = self->failing.slot, source = self->failing.source;
    if (!self->claimed[f->queue][source] || self->readers[f->file].file.item != SVM_ITEM_BIT) {
        svm_roundFetch(self, f, source, first, slot, to, items);
        return;
    }
    const int64_t lead = (first % 8 + 8) % 8, all = (lead + items + 7) / 8 * 8; // whole bytes of the file
    char *bits = (char *)malloc((size_t)all * queue->size);
    if (bits == NULL)
        abort();
    svm_readerReadAt(&self->readers[f->file].file, self->places[f->queue][source], first - lead, bits, all);
    memcpy(svm_roundItems(self, f->queue, slot, to), bits + (size_t)lead * queue->size, (size_t)items * queue->size);
    free(bits);
}
#endif

// What lies in front of the oldest round.
static inline void svm_roundTakeHalos(svm_Rounds *self)
{
#if SVM_MAPPED_HAVE(INPUT)
    for (int i = 0; i < SVM_INPUTS; i++)
        svm_roundTake(self, &svm_roundInputs[i], -svm_roundQueues[svm_roundInputs[i].queue].halo,
                      -svm_roundQueues[svm_roundInputs[i].queue].halo, svm_roundQueues[svm_roundInputs[i].queue].halo);
#endif
    (void)self;
}

// Input of so many steady states.
static inline void svm_roundTakeInput(svm_Rounds *self, int64_t states)
{
#if SVM_MAPPED_HAVE(INPUT)
    for (int i = 0; i < SVM_INPUTS; i++) {
        const int64_t step = svm_roundQueues[svm_roundInputs[i].queue].step;
        svm_roundTake(self, &svm_roundInputs[i], self->failing.done * step, 0, states * step);
    }
#endif
    self->failing.taken = states;
}

static inline void svm_roundFinish(svm_Rounds *self, int slot);

// All rounds that were under way are done again in the slot of the oldest. Others may have overwritten what lies in front of
// one that is over, but not yet written: that one is finished first.
static inline void svm_roundBeginAgain(svm_Rounds *self)
{
    int slot = svm_roundOldest(self);
    self->failing.begun = true;
    while (slot >= 0 && svm_roundIsOver(self, slot)) {
        svm_roundFinish(self, slot);
        slot = svm_roundOldest(self);
    }
    self->failing.source = self->failing.slot = slot;
#if SVM_MAPPED_HAVE(OUTPUT)
    for (int i = 0; i < SVM_WRITERS; i++)
        svm_writerTakeBack(&self->writers[i]);
#endif
    if (slot < 0)
        return;
    svm_roundPutBack(self, slot, self->numbers[slot]);
    svm_roundTakeHalos(self);
}

// svm_StripTable's: the next steady states, as many as a strip has at most.
static inline int64_t svm_roundNextStates(void *instance)
{
    svm_Rounds *self = (svm_Rounds *)instance;
    if (!self->failing.begun)
        svm_roundBeginAgain(self);
    while (self->failing.source >= 0 && self->failing.done == self->states[self->failing.source]) {
        self->states[self->failing.source] = 0;
        self->failing.source = svm_roundOldest(self);
        self->failing.done = 0;
    }
    if (self->failing.source < 0)
        return 0;
    const int64_t left = self->states[self->failing.source] - self->failing.done;
    self->steadyStates = self->befores[self->failing.source] + self->failing.done;
    svm_roundTakeInput(self, left < SVM_STRIP ? left : SVM_STRIP);
    return self->failing.taken;
}

// A kernel by itself, so many steady states of those at the beginning of a slot.
static inline void svm_roundServeStates(svm_Rounds *self, int kernel, int slot, int64_t states)
{
    svm_RoundRun *r = &self->alone[kernel];
    r->run.steady = 0;
#if SVM_MAPPED_HAVE(LOOPS)
    r->run.counted = true;
    r->run.states = 0;
#endif
#if SVM_MAPPED_HAVE(PRIMES)
    if (svm_roundKernels[kernel].primes)
        svm_roundServePriming(self, r, slot);
#endif
    for (int w = 0; w < r->count; w++) {
        const svm_RoundEnd *end = &r->ends[w];
        svm_roundPlace(self, r, w, slot, -end->before, end->before + states * (end->strip / SVM_STRIP));
        r->run.windows[w].from = end->from;
    }
    r->run.starting = false;
    r->run.steady = states;
#if SVM_MAPPED_HAVE(COUNTS)
    memset(r->run.firings, 0, sizeof r->run.firings);
#endif
#if SVM_MAPPED_HAVE(LOOPS)
    r->run.counted = false;
    r->run.states = states;
#endif
    svm_roundRunAndWait(&r->run.kernel);
}

// Steady states are over: what they gave is written, and what comes next moves up, with what it finds in front.
static inline void svm_roundPassOn(svm_Rounds *self, int64_t states)
{
    const int slot = self->failing.slot;
    const int64_t left = self->failing.taken - states;
#if SVM_MAPPED_HAVE(OUTPUT)
    for (int i = 0; i < SVM_OUTPUTS; i++) {
        const svm_RoundFile *f = &svm_roundOutputs[i];
        const svm_RoundQueue *queue = &svm_roundQueues[f->queue];
        const int64_t items = states * queue->step;
        svm_writerWrite(&self->writers[f->file], svm_roundItems(self, f->queue, slot, -queue->delay), items);
        memmove(svm_roundItems(self, f->queue, slot, -queue->delay),
                svm_roundItems(self, f->queue, slot, items - queue->delay), (size_t)queue->delay * queue->size);
    }
#endif
    for (int q = 0; q < SVM_QUEUES; q++) {
        const svm_RoundQueue *queue = &svm_roundQueues[q];
        const int64_t items = queue->linked ? 0 : left * queue->step; // of input
        memmove(svm_roundItems(self, q, slot, -queue->halo),
                svm_roundItems(self, q, slot, states * queue->step - queue->halo),
                (size_t)(queue->halo + items) * queue->size);
    }
    self->failing.taken = left;
    self->failing.done += states;
    self->steadyStates += states;
}

// svm_StripTable's.
static void svm_roundAgain(void *instance, const int64_t *counts, int64_t steady, bool starting, bool writes)
{
    svm_Rounds *self = (svm_Rounds *)instance;
    if (steady > 0) {
        for (int kernel = 0; kernel < SVM_KERNELS; kernel++)
            svm_roundServeStates(self, kernel, self->failing.slot, steady);
        if (writes)
            svm_roundPassOn(self, steady);
#if SVM_MAPPED_HAVE(LOGS)
        if (writes)
            svm_printMerge(self->logs, SVM_LOGS);
#endif
        return;
    }
    if (self->failing.begun)
        self->round = self->failing.slot;
    svm_roundFireKernels(self, counts, starting);
    if (writes)
        svm_roundWriteFired(self, counts, starting);
}
