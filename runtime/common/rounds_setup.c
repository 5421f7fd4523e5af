// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sets up programs that run in rounds: memory, windows, kernels, and the dependences between them.
//
// NOTE(dependences). A dependence binds to the latest enqueued run of the kernel depended on, and rounds are issued in
// order, parts in topological order. So for the run of a strip in a set
// - what it reads was written by runs of the same set, or, at the front of its segment, by the tails of the set before;
// - the segment's own items may be overwritten, as the control program has waited for the round that used the set;
// - a tail overwrites the front of the next set's segment, which runs of that set's latest round may still read;
// - a part's runs on one processor come one after the other, as they share the part's inner channels.
#include <stdlib.h>

#include "svm/library.h"
#include "runtime/common/rounds_stream.h"

void svmr_placeWindow(svm_Rounds *r, const svmr_RoundsRun *run, svmr_Window *w, int32_t set, int64_t first,
                      int64_t count)
{
    const svm_RoundsTable *t = r->table;
    const svm_Block *segment = &r->private_->segments[w->ringNumber * t->sets + set];
    size_t size = w->ring->itemSize, least = count > 0 ? (size_t)count : 1;
    w->moves = count > 0;
    if (!svmr_movesWindows(r, run)) {
        svm_blockInit(&w->items, t->shared, segment->address + (size_t)first * size, least, size);
        svm_blockName(&w->items, w->row->name);
        return;
    }
    size_t unit = t->alignment > 1 ? t->alignment : size;
    size_t begin = (size_t)first * size, end = (size_t)(first + (int64_t)least) * size;
    size_t from = begin / unit * unit, length = (size_t)svmr_unitsUp((int64_t)end, unit) - from;
    mm_Mem memory = t->processorRows[run->processor].memory;
    svm_blockInit(&w->there, t->shared, segment->address + from, length / unit, unit);
    svm_blockInit(&w->here, memory, w->address, length / unit, unit);
    svm_blockInit(&w->items, memory, w->address, length / size, size);
    svm_blockName(&w->there, w->ring->name);
    svm_blockName(&w->here, w->row->name);
    svm_blockName(&w->items, w->row->name);
    w->items.data += begin - from;
    w->items.capacity = least;
    w->items.check = svmr_blockCheck(&w->items);
}

// ---- Memory ----

static void allocateRings(svm_Rounds *r)
{
    const svm_RoundsTable *t = r->table;
    struct svm_RoundsPrivate *p = r->private_;
    size_t unit = t->alignment > 64 ? t->alignment : 64, total = 0;
    p->segments = svmr_allocate((size_t)t->rings * (size_t)t->sets + 1, sizeof *p->segments);
    for (int pass = 0; pass < 2; pass++) {
        if (pass == 1)
            p->memory = svm_alloc(t->shared, total);
        total = unit;
        size_t start = pass == 1 ? (p->memory + unit - 1) / unit * unit : 0;
        for (int32_t i = 0; i < t->rings; i++) {
            const svm_RingRow *row = &t->ringRows[i];
            size_t room = svmr_isStraight(t, row) ? 0 : (size_t)row->room * row->itemSize;
            size_t bytes = (room + unit - 1) / unit * unit + unit;
            for (int32_t s = 0; s < t->sets; s++) {
                bool same = row->step == 0 && s > 0; // never used up
                if (pass == 1)
                    svm_blockInit(&p->segments[i * t->sets + s], t->shared, start + total - unit - (same ? bytes : 0),
                                  bytes, 1);
                if (pass == 1)
                    svm_blockName(&p->segments[i * t->sets + s], row->name);
                total += same ? 0 : bytes;
            }
        }
    }
}

bool svmr_runsOn(const svm_RoundsTable *t, int32_t part, int32_t processor)
{
    for (int32_t i = 0; i < t->strips; i++)
        if (t->where[part * t->strips + i] == processor)
            return true;
    return false;
}

static void allocateOwn(svm_Rounds *r)
{
    const svm_RoundsTable *t = r->table;
    struct svm_RoundsPrivate *p = r->private_;
    p->own = svmr_allocate((size_t)t->processors * (size_t)t->parts + 1, sizeof *p->own);
    p->ownMemory = svmr_allocate((size_t)t->processors + 1, sizeof *p->ownMemory);
    p->allocated = svmr_allocate((size_t)t->processors + 1, sizeof *p->allocated);
    for (int32_t q = 0; q < t->processors; q++) {
        const svm_RoundsProcessor *row = &t->processorRows[q];
        bool used = false;
        for (int32_t i = 0; i < t->parts; i++)
            used |= svmr_runsOn(t, i, q);
        p->allocated[q] = used && row->load == NULL && row->bytes != 0;
        p->ownMemory[q] = p->allocated[q] ? svm_alloc(row->memory, row->bytes) : row->base;
        for (int32_t i = 0; i < t->parts; i++) {
            const svm_PartRow *part = &t->partRows[i];
            if (!svmr_runsOn(t, i, q))
                continue;
            svm_Block *blocks = svmr_allocate((size_t)part->blockCount + 1, sizeof *blocks);
            p->own[q * t->parts + i] = blocks;
            for (int32_t b = 0; b < part->blockCount; b++) {
                const svm_PartBlock *block = &part->blocksOf[b];
                if (block->kind != SVM_PART_INNER)
                    continue;
                svm_blockInit(&blocks[b], row->memory, p->ownMemory[q] + block->address, block->capacity,
                              block->itemSize);
                svm_blockName(&blocks[b], block->name);
            }
        }
    }
}

// ---- Runs ----

static svm_Block **blocksOf(const svm_PartRow *part, svm_Kernel *k)
{
    return (svm_Block **)(void *)((char *)k + part->blocks);
}

// Where the items of a round's strip lie in a segment, with all that a cold run reads.
typedef struct Extent {
    int64_t begin, end;
} Extent;

static Extent extentOf(const svm_RoundsTable *t, const svm_PartRow *part, const svm_RingRow *ring, bool input,
                       int32_t strip)
{
    int64_t at = ring->front + strip * t->strip * ring->step;
    Extent e = {at, at + t->strip * ring->step};
    if (input)
        e.begin -= ring->ahead + part->lead * ring->step;
    return e;
}

static void setUpWindow(svm_Rounds *r, svmr_RoundsRun *run, svmr_Window *w, int32_t block, int32_t order)
{
    const svm_RoundsTable *t = r->table;
    const svm_PartRow *part = &t->partRows[run->part];
    w->row = &part->blocksOf[block];
    w->ringNumber = w->row->ring;
    w->blockNumber = block;
    w->ring = &t->ringRows[w->ringNumber];
    w->address = r->private_->ownMemory[run->processor] + w->row->address +
                 (size_t)(order % t->depth) * w->row->capacity;
    bool input = w->row->kind == SVM_PART_INPUT;
    Extent e = extentOf(t, part, w->ring, input, run->strip);
    svmr_placeWindow(r, run, w, run->set, e.begin, e.end - e.begin);
    const svm_RoundsProcessor *row = &t->processorRows[run->processor];
    if (row->load != NULL && input)
        svm_moveB2BInit(&w->move, row->load, &w->there, &w->here);
    if (row->load != NULL && !input)
        svm_moveB2BInit(&w->move, row->store, &w->here, &w->there);
    int64_t begin = t->strips * t->strip * w->ring->step; // of what the next round finds at the front
    w->hasTail = !input && w->ring->to >= 0 && w->ring->step != 0 && w->ring->front > 0 && e.end > begin;
    if (!w->hasTail)
        return;
    int64_t from = e.begin > begin ? e.begin : begin;
    w->tailCount = e.end - from;
    size_t size = w->ring->itemSize;
    const svm_Block *next = &r->private_->segments[w->ringNumber * t->sets + (run->set + 1) % t->sets];
    size_t address = next->address + (size_t)(from - begin) * size;
    if (row->load == NULL) {
        svm_blockInit(&w->tailThere, t->shared, address, (size_t)w->tailCount, size);
        return;
    }
    size_t unit = t->alignment > 1 ? t->alignment : size;
    size_t length = (size_t)svmr_unitsUp(w->tailCount * (int64_t)size, unit);
    svm_blockInit(&w->tailThere, t->shared, address, length / unit, unit);
    // It may begin where no object of the memory would: in the middle of the window.
    svm_blockInit(&w->tailHere, row->memory, w->address, length / unit, unit);
    w->tailHere.address += (size_t)(from - e.begin) * size;
    w->tailHere.data += (size_t)(from - e.begin) * size;
    w->tailHere.check = svmr_blockCheck(&w->tailHere);
    svm_moveB2BInit(&w->tailMove, row->store, &w->tailHere, &w->tailThere);
}

static void setUpRun(svm_Rounds *r, svmr_RoundsRun *run, int32_t order)
{
    const svm_RoundsTable *t = r->table;
    const svm_PartRow *part = &t->partRows[run->part];
    svm_Kernel *k = run->kernel;
    svm_kernelInit(k, t->processorRows[run->processor].processor, part->run, part->name);
    svm_kernelNeverBlocks(k);
    svm_Block *own = r->private_->own[run->processor * t->parts + run->part];
    int32_t window = 0;
    run->windows = svmr_allocate((size_t)r->private_->parts[run->part].windows + 1, sizeof *run->windows);
    for (int32_t b = 0; b < part->blockCount; b++) {
        if (part->blocksOf[b].kind == SVM_PART_INNER) {
            blocksOf(part, k)[b] = &own[b];
        } else {
            setUpWindow(r, run, &run->windows[window], b, order);
            blocksOf(part, k)[b] = &run->windows[window++].items;
        }
    }
    svm_Log **logs = (svm_Log **)(void *)((char *)k + part->logs);
    for (int32_t i = 0; i < part->logCount; i++)
        logs[i] = r->logs[part->logsOf[i]];
}

static void setUpPart(svm_Rounds *r, int32_t number)
{
    const svm_RoundsTable *t = r->table;
    const svm_PartRow *part = &t->partRows[number];
    svmr_PartState *state = &r->private_->parts[number];
    int32_t runs = t->sets * t->strips;
    state->runs = svmr_allocate((size_t)runs, sizeof *state->runs);
    state->kernels = svmr_allocate((size_t)runs, part->size);
    state->reached = svmr_allocate((size_t)t->processors, sizeof *state->reached);
    int32_t *order = svmr_allocate((size_t)t->processors, sizeof *order);
    for (int32_t b = 0; b < part->blockCount; b++)
        state->windows += part->blocksOf[b].kind != SVM_PART_INNER;
    for (int32_t i = 0; i < runs; i++) {
        svmr_RoundsRun *run = &state->runs[i];
        *run = (svmr_RoundsRun){.part = number, .set = i / t->strips, .strip = i % t->strips};
        run->processor = t->where[number * t->strips + run->strip];
        run->kernel = (svm_Kernel *)(void *)(state->kernels + (size_t)i * part->size);
        setUpRun(r, run, order[run->processor]++);
    }
    for (int32_t q = 0; q < t->processors; q++)
        state->reached[q] = -1;
    state->last = t->where[number * t->strips];
    free(order);
    svmr_setUpChunks(r, number);
}

// ---- Dependences ----

static void depend(svm_Kernel *k, svm_Kernel *on)
{
    if (k != on)
        svm_kernelAddDependence(k, on);
}

// The same for what is issued for a run, or moves its windows.
static void runDepends(const svmr_RoundsRun *run, svm_Kernel *k, svm_Kernel *on)
{
    if (run->chunk && k != on)
        svmr_chunkDepends(run->chunk, on);
    else
        depend(k, on);
}

static svmr_Window *windowOn(const svm_Rounds *r, const svmr_RoundsRun *run, int32_t ring, svm_PartBlockKind kind)
{
    for (int32_t i = 0; i < r->private_->parts[run->part].windows; i++)
        if (run->windows[i].ringNumber == ring && run->windows[i].row->kind == kind)
            return &run->windows[i];
    return NULL;
}

// Who touches the ring.
static svm_Kernel *toucher(const svm_Rounds *r, const svmr_RoundsRun *run, svmr_Window *w)
{
    return svmr_movesWindows(r, run) ? &w->move.kernel : svmr_taskOf(run);
}

static svm_Kernel *tailWriter(const svm_Rounds *r, const svmr_RoundsRun *run, svmr_Window *w)
{
    return svmr_movesWindows(r, run) ? &w->tailMove.kernel : svmr_taskOf(run);
}

static void dependOnProducers(svm_Rounds *r, int32_t number, svmr_RoundsRun *run)
{
    const svm_RoundsTable *t = r->table;
    const svm_RingRow *ring = &t->ringRows[number];
    svmr_Window *in = windowOn(r, run, number, SVM_PART_INPUT);
    Extent e = extentOf(t, &t->partRows[run->part], ring, true, run->strip);
    int64_t size = t->strip * ring->step, whole = t->strips * size;
    for (int32_t i = 0; i < t->strips; i++) {
        int64_t at = ring->front + i * size;
        svmr_RoundsRun *same = svmr_runOf(r, ring->from, run->set, i);
        svmr_RoundsRun *before = svmr_runOf(r, ring->from, (run->set + t->sets - 1) % t->sets, i);
        svmr_Window *out = windowOn(r, same, number, SVM_PART_OUTPUT);
        if (at < e.end && at + size > e.begin)
            runDepends(run, toucher(r, run, in), toucher(r, same, out));
        out = windowOn(r, before, number, SVM_PART_OUTPUT);
        if (!out->hasTail || e.begin >= ring->front || at + size - whole <= e.begin)
            continue;
        runDepends(run, toucher(r, run, in), tailWriter(r, before, out));
        // and the tail waits for who still reads what it overwrites
        svmr_RoundsRun *writer = svmr_runOf(r, ring->from, (run->set + t->sets - 1) % t->sets, i);
        runDepends(writer, tailWriter(r, writer, out), toucher(r, run, in));
    }
}

// Runs of a part on one processor: in order; blocks that windows are moved to and from are used in turn.
static void dependInOrder(svm_Rounds *r, int32_t part, int32_t processor)
{
    const svm_RoundsTable *t = r->table;
    int32_t runs = t->sets * t->strips, count = 0;
    svmr_RoundsRun **order = svmr_allocate((size_t)runs + 1, sizeof(svmr_RoundsRun *));
    for (int32_t i = 0; i < runs; i++)
        if (r->private_->parts[part].runs[i].processor == processor)
            order[count++] = &r->private_->parts[part].runs[i];
    for (int32_t i = 0; i < count; i++) {
        svmr_RoundsRun *run = order[i], *before = order[(i + count - 1) % count];
        runDepends(run, svmr_taskOf(run), svmr_taskOf(before));
        if (!svmr_movesWindows(r, run))
            continue;
        svmr_RoundsRun *user = order[((i - t->depth) % count + count) % count]; // of the same blocks
        for (int32_t w = 0; w < r->private_->parts[part].windows; w++) {
            svmr_Window *window = &run->windows[w], *used = &user->windows[w];
            if (window->row->kind == SVM_PART_INPUT) {
                depend(run->kernel, &window->move.kernel);
                depend(&window->move.kernel, user->kernel);
                continue;
            }
            depend(&window->move.kernel, run->kernel);
            depend(run->kernel, &used->move.kernel);
            if (window->hasTail)
                depend(&window->tailMove.kernel, run->kernel);
            if (used->hasTail)
                depend(run->kernel, &used->tailMove.kernel);
        }
    }
    free(order);
}

static void setUpDependences(svm_Rounds *r)
{
    const svm_RoundsTable *t = r->table;
    for (int32_t i = 0; i < t->parts; i++)
        for (int32_t q = 0; q < t->processors; q++)
            dependInOrder(r, i, q);
    for (int32_t i = 0; i < t->rings; i++)
        for (int32_t s = 0; s < t->sets * t->strips && t->ringRows[i].from >= 0 && t->ringRows[i].to >= 0; s++)
            if (t->ringRows[i].step != 0)
                dependOnProducers(r, i, &r->private_->parts[t->ringRows[i].to].runs[s]);
}

// ---- All of it ----

void svm_roundsCreate(svm_Rounds *r)
{
    const svm_RoundsTable *t = r->table;
    struct svm_RoundsPrivate *p = r->private_ = svmr_allocate(1, sizeof *p);
    p->parts = svmr_allocate((size_t)t->parts + 1, sizeof *p->parts);
    p->sets = svmr_allocate((size_t)t->sets, sizeof *p->sets);
    p->claims = svmr_allocate((size_t)t->rings * (size_t)t->sets + 1, sizeof *p->claims);
    p->together = svmr_runsTogether() && t->transfer == SVM_ROUNDS_BLOCKS;
    allocateRings(r);
    allocateOwn(r);
    p->lags = svmr_allocate((size_t)t->rings + 1, sizeof *p->lags);
    for (int32_t i = 0; i < t->rings; i++)
        if (t->ringRows[i].to < 0 && t->ringRows[i].ahead != 0)
            p->lags[i].items = svmr_allocate((size_t)t->ringRows[i].ahead, t->ringRows[i].itemSize);
    if (t->transfer != SVM_ROUNDS_BLOCKS) {
        svmr_flowCreate(r);
        return;
    }
    size_t kernels = 0;
    for (int32_t i = 0; i < t->parts; i++) {
        setUpPart(r, i);
        kernels += (size_t)t->strips * (1 + 2 * (size_t)p->parts[i].windows);
    }
    for (int32_t i = 0; i < t->sets; i++)
        p->sets[i].issued = svmr_allocate(kernels + 1, sizeof(svm_Kernel *));
    svmr_allocateScratch(r);
    setUpDependences(r);
}

void svm_roundsForget(svm_Rounds *r)
{
    const svm_RoundsTable *t = r->table;
    struct svm_RoundsPrivate *p = r->private_;
    if (!p)
        return;
    if (t->transfer != SVM_ROUNDS_BLOCKS)
        svmr_flowForget(r);
    svmr_forgetChunks(r);
    for (int32_t i = 0; i < t->parts; i++) {
        for (int32_t k = 0; k < t->sets * t->strips && p->parts[i].runs; k++)
            free(p->parts[i].runs[k].windows);
        free(p->parts[i].runs);
        free(p->parts[i].kernels);
        free(p->parts[i].reached);
    }
    for (int32_t i = 0; i < t->sets; i++)
        free(p->sets[i].issued);
    for (int32_t i = 0; i < t->processors * t->parts && p->own; i++)
        free(p->own[i]);
    for (int32_t i = 0; i < t->rings && p->lags; i++)
        free(p->lags[i].items);
    free(p->lags);
    free(p->claims);
    free(p->segments);
    free(p->own);
    free(p->ownMemory);
    free(p->allocated);
    free(p->sets);
    free(p->parts);
    free(p);
    r->private_ = NULL;
}

static void destroyRun(svm_Rounds *r, svmr_RoundsRun *run)
{
    for (int32_t i = 0; i < r->private_->parts[run->part].windows; i++) {
        svmr_Window *w = &run->windows[i];
        if (!svmr_movesWindows(r, run))
            continue;
        svm_kernelDestroy(&w->move.kernel);
        if (w->hasTail)
            svm_kernelDestroy(&w->tailMove.kernel);
    }
    svm_kernelDestroy(run->kernel);
}

void svm_roundsDestroy(svm_Rounds *r)
{
    const svm_RoundsTable *t = r->table;
    struct svm_RoundsPrivate *p = r->private_;
    if (t->transfer != SVM_ROUNDS_BLOCKS)
        svmr_flowDestroy(r);
    for (int32_t i = 0; i < t->parts && t->transfer == SVM_ROUNDS_BLOCKS; i++)
        for (int32_t k = 0; k < t->sets * t->strips; k++)
            destroyRun(r, &p->parts[i].runs[k]);
    for (int32_t i = 0; i < t->parts; i++)
        for (int32_t k = 0; k < p->parts[i].chunkCount; k++)
            svm_kernelDestroy(&p->parts[i].chunks[k].kernel);
    for (int32_t q = 0; q < t->processors; q++)
        if (p->allocated[q])
            svm_free(t->processorRows[q].memory, p->ownMemory[q]);
    svm_free(t->shared, p->memory);
    svm_roundsForget(r);
}
