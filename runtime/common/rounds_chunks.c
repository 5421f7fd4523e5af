// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Consecutive strips of a part on one processor that works on the rings itself run as one kernel, a chunk. What a part
// reads from a file, or writes to one, need not go through a ring: a chunk reads for some strips at once, also again
// what strips before them have read, into memory that all chunks of the processor use and that stays in its caches, and
// writes their output from there. What one core reads another need not fetch from its cache, and the control program
// does not copy for all. Rings remain for what comes from elsewhere, for the end of input, and for rounds that begin too
// early; the front of such a round is then read from the file.
// Simulated and profiled programs run strip by strip, as their times are told by kernel.
#include <stdlib.h>

#include "runtime/common/rounds.h"
#include "runtime/common/scheduler.h"

#ifdef SVMR_TIMED
#define TOGETHER false
#else
#define TOGETHER (!SVMR_PROFILING)
#endif

// Bytes of a ring, about, that are read from a file or written to it at once.
enum { FILE_BYTES = 256 << 10, SCRATCH_UNIT = 64 };

// ---- Files that processors read and write ----

static svmr_Claim *claimOf(const svm_Rounds *r, int32_t ring, int32_t set)
{
    return &r->private_->claims[ring * r->table->sets + set];
}

static bool allDirect(const svm_Rounds *r, int32_t part)
{
    const svm_RoundsTable *t = r->table;
    for (int32_t i = 0; i < t->strips; i++)
        if (t->processorRows[t->where[part * t->strips + i]].load != NULL)
            return false;
    return true;
}

// Whether strips may find the ring's items in a file, or put them there.
static bool mayClaim(const svm_Rounds *r, const svm_RingRow *ring)
{
    bool input = ring->from < 0, output = ring->to < 0;
    return r->private_->together && r->table->chunk > 0 && input != output && ring->step > 0 &&
           allDirect(r, input ? ring->to : ring->from);
}

// Of bits whole bytes: at the beginnings of strips, and of what strips look at.
static int64_t unitsOf(const svm_Rounds *r, const svm_RingRow *ring)
{
    int64_t lead = ring->to < 0 ? 0 : r->table->partRows[ring->to].lead;
    return r->table->strip * ring->step | ring->ahead | lead * ring->step | ring->front;
}

bool svmr_claimInput(svm_Rounds *r, int32_t number, int32_t set, int64_t steady)
{
    const svm_RingRow *ring = &r->table->ringRows[number];
    svm_RoundsReader *reader = &r->readers[ring->file];
    svmr_Claim *claim = claimOf(r, number, set);
    claim->held = mayClaim(r, ring) && reader->held == 0 &&
                  svmr_readerClaim(&reader->file, unitsOf(r, ring), ring->front, steady * ring->step, &claim->at);
    claim->inFile = claim->held;
    return claim->held;
}

static void claimOutput(svm_Rounds *r, int32_t number, int32_t set, int64_t steady)
{
    const svm_RoundsTable *t = r->table;
    const svm_RingRow *ring = &t->ringRows[number];
    svmr_Lag *lag = &r->private_->lags[number];
    svmr_Claim *claim = claimOf(r, number, set);
    svm_Writer *writer = &r->writers[ring->file];
    int64_t lastStrip = steady - (steady - 1) / t->strip * t->strip;
    claim->held = mayClaim(r, ring) && lag->count == ring->ahead && lastStrip * ring->step >= ring->ahead &&
                  svmr_writerMayClaim(writer, unitsOf(r, ring), steady * ring->step);
    if (!claim->held)
        return;
    if (lag->count != 0 && !lag->ahead)
        svm_writerWrite(writer, lag->items, lag->count);
    lag->ahead = lag->count != 0;
    claim->at = svmr_writerClaim(writer, steady * ring->step);
}

void svmr_claimOutputs(svm_Rounds *r, int32_t set, int64_t steady)
{
    for (int32_t i = 0; i < r->table->rings; i++)
        if (r->table->ringRows[i].to < 0)
            claimOutput(r, i, set, steady);
}

void svmr_readClaims(svm_Rounds *r, int32_t set, int64_t steady)
{
    for (int32_t i = 0; i < r->table->rings; i++) {
        const svm_RingRow *ring = &r->table->ringRows[i];
        svmr_Claim *claim = claimOf(r, i, set);
        if (ring->from >= 0 || !claim->held)
            continue;
        svmr_readerReadAt(&r->readers[ring->file].file, claim->at, -ring->front, svmr_ringItem(r, i, set, 0),
                          ring->front + steady * ring->step);
        claim->held = claim->inFile = false;
    }
}

bool svmr_readFront(svm_Rounds *r, int32_t ring, int32_t set, int64_t steady)
{
    const svm_RingRow *row = &r->table->ringRows[ring];
    const svmr_Claim *claim = claimOf(r, ring, set);
    if (claim->inFile)
        svmr_readerReadAt(&r->readers[row->file].file, claim->at, steady * row->step - row->front,
                          svmr_ringItem(r, ring, (set + 1) % r->table->sets, 0), row->front);
    return claim->inFile;
}

bool svmr_dropClaim(svm_Rounds *r, int32_t ring, int32_t set)
{
    const svm_RingRow *row = &r->table->ringRows[ring];
    svmr_Claim *claim = claimOf(r, ring, set);
    bool held = claim->held;
    if (held && row->to < 0 && row->ahead != 0)
        memcpy(r->private_->lags[ring].items, claim->last, (size_t)row->ahead * row->itemSize);
    claim->held = false;
    return held;
}

void svmr_takeBack(svm_Rounds *r, int32_t ring)
{
    svmr_Lag *lag = &r->private_->lags[ring];
    if (lag->ahead)
        svmr_writerTakeBack(&r->writers[r->table->ringRows[ring].file], lag->count);
    lag->ahead = false;
}

// ---- Windows on files ----

// Of strips from `run` on, so many, side by side as in the ring: the first item in the segment, and how many.
typedef struct Span {
    int64_t first, count;
} Span;

static int64_t firstOf(const svm_Rounds *r, const svmr_RoundsRun *run, const svmr_Window *w)
{
    const svm_Block *segment = &r->private_->segments[w->ringNumber * r->table->sets + run->set];
    return (int64_t)((w->items.address - segment->address) / w->ring->itemSize);
}

static Span spanOf(const svm_Rounds *r, const svmr_RoundsRun *run, int32_t strips, int32_t window)
{
    const svmr_Window *last = &run[strips - 1].windows[window];
    Span s = {.first = firstOf(r, run, &run->windows[window])};
    s.count = firstOf(r, &run[strips - 1], last) + (int64_t)last->items.capacity - s.first;
    return s;
}

static size_t scratchRoom(int64_t items, const svm_RingRow *ring)
{
    return (size_t)svmr_unitsUp(items * (int64_t)ring->itemSize, SCRATCH_UNIT);
}

// What is left to the writer by the round's last strip.
static void keepLast(const svm_Rounds *r, const svmr_RoundsRun *last, const svmr_Window *w, const char *end)
{
    const svm_RoundsTable *t = r->table;
    size_t bytes = (size_t)w->ring->ahead * w->ring->itemSize;
    if (bytes != 0 && last->strip == (r->private_->sets[last->set].steady - 1) / t->strip)
        memcpy(claimOf(r, w->ringNumber, last->set)->last, end - bytes, bytes);
}

// Before the group runs: places its windows on files, and reads; after: writes.
static void moveItems(const svmr_Chunk *c, svmr_RoundsRun *run, int32_t strips, bool after)
{
    const svm_Rounds *r = c->rounds;
    char *items = c->items;
    for (int32_t i = 0; i < r->private_->parts[run->part].windows; i++) {
        const svmr_Window *w = &run->windows[i];
        const svmr_Claim *claim = claimOf(r, w->ringNumber, run->set);
        bool input = w->row->kind == SVM_PART_INPUT;
        if (!claim->held)
            continue;
        Span s = spanOf(r, run, strips, i);
        for (int32_t k = 0; k < strips && !after; k++) {
            svm_Block *block = &run[k].windows[i].items;
            block->data = items + (size_t)(firstOf(r, &run[k], &run[k].windows[i]) - s.first) * w->ring->itemSize;
            block->check = svmr_blockCheck(block);
        }
        if (input && !after)
            svmr_readerReadAt(&r->readers[w->ring->file].file, claim->at, s.first - w->ring->front, items, s.count);
        if (!input && after) {
            svmr_writerWriteAt(&r->writers[w->ring->file], claim->at, s.first - w->ring->front, items, s.count);
            keepLast(r, &run[strips - 1], w, items + (size_t)s.count * w->ring->itemSize);
        }
        items += scratchRoom(s.count, w->ring);
    }
}

// ---- Chunks ----

static void runChunk(svm_Kernel *kernel)
{
    const svmr_Chunk *c = (const svmr_Chunk *)kernel;
    for (int32_t i = 0, n; i < c->told; i += n) {
        n = c->told - i < c->group ? c->told - i : c->group;
        moveItems(c, &c->first[i], n, false);
        for (int32_t k = i; k < i + n; k++)
            c->rounds->table->partRows[c->first[k].part].run(c->first[k].kernel);
        moveItems(c, &c->first[i], n, true);
    }
}

// Strips whose items files are asked for at once.
static int32_t groupOf(const svm_Rounds *r, const svmr_RoundsRun *run)
{
    int64_t most = 1;
    for (int32_t i = 0; i < r->private_->parts[run->part].windows; i++) {
        const svm_RingRow *ring = run->windows[i].ring;
        int64_t bytes = r->table->strip * ring->step * (int64_t)ring->itemSize;
        if (mayClaim(r, ring) && bytes > most)
            most = bytes;
    }
    return most < FILE_BYTES ? (int32_t)(FILE_BYTES / most) : 1;
}

void svmr_setUpChunks(svm_Rounds *r, int32_t part)
{
    const svm_RoundsTable *t = r->table;
    svmr_PartState *state = &r->private_->parts[part];
    int32_t runs = t->sets * t->strips;
    if (!r->private_->together || t->chunk < 1)
        return;
    state->chunks = svmr_allocate((size_t)runs, sizeof *state->chunks);
    svmr_Chunk *c = NULL;
    for (int32_t i = 0; i < runs; i++) {
        svmr_RoundsRun *run = &state->runs[i];
        if (svmr_movesWindows(r, run)) {
            c = NULL;
            continue;
        }
        if (c == NULL || run->strip == 0 || c->first->processor != run->processor || c->count == t->chunk) {
            c = &state->chunks[state->chunkCount++];
            *c = (svmr_Chunk){.rounds = r, .first = run, .group = groupOf(r, run)};
            svm_kernelInit(&c->kernel, t->processorRows[run->processor].processor, runChunk, t->partRows[part].name);
            svm_kernelNeverBlocks(&c->kernel);
        }
        run->chunk = c;
        c->count++;
    }
}

// Of a group, with all that its first strip may look at.
static size_t scratchOf(const svm_Rounds *r, const svmr_Chunk *c)
{
    const svm_RoundsTable *t = r->table;
    size_t bytes = 0;
    for (int32_t i = 0; i < r->private_->parts[c->first->part].windows; i++) {
        const svm_RingRow *ring = c->first->windows[i].ring;
        int64_t before = ring->to < 0 ? 0 : ring->ahead + t->partRows[ring->to].lead * ring->step;
        bytes += mayClaim(r, ring) ? scratchRoom(before + c->group * t->strip * ring->step, ring) : 0;
    }
    return bytes;
}

static char *aligned(char *at)
{
    return at ? at + (SCRATCH_UNIT - (uintptr_t)at % SCRATCH_UNIT) : NULL;
}

void svmr_allocateScratch(svm_Rounds *r)
{
    const svm_RoundsTable *t = r->table;
    struct svm_RoundsPrivate *p = r->private_;
    p->scratch = svmr_allocate((size_t)t->processors + 1, sizeof *p->scratch);
    p->scratchBytes = svmr_allocate((size_t)t->processors + 1, sizeof *p->scratchBytes);
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t q = 0; q < t->processors && pass == 1; q++)
            p->scratch[q] = svmr_allocate(p->scratchBytes[q] + SCRATCH_UNIT, 1);
        for (int32_t i = 0; i < t->parts; i++)
            for (int32_t k = 0; k < p->parts[i].chunkCount; k++) {
                svmr_Chunk *c = &p->parts[i].chunks[k];
                size_t bytes = scratchOf(r, c), *most = &p->scratchBytes[c->first->processor];
                *most = bytes > *most ? bytes : *most;
                c->items = aligned(p->scratch[c->first->processor]);
            }
    }
    for (int32_t i = 0; i < t->rings; i++) {
        const svm_RingRow *ring = &t->ringRows[i];
        for (int32_t s = 0; s < t->sets && ring->to < 0 && ring->ahead != 0 && mayClaim(r, ring); s++)
            claimOf(r, i, s)->last = svmr_allocate((size_t)ring->ahead, ring->itemSize);
    }
}

bool svmr_endsChunk(const svmr_RoundsRun *run, bool last)
{
    run->chunk->told = (int32_t)(run - run->chunk->first) + 1;
    return last || run->chunk->told == run->chunk->count;
}

void svmr_chunkDepends(svmr_Chunk *c, svm_Kernel *on)
{
    for (size_t i = 0; i < c->onCount; i++)
        if (c->on[i] == on)
            return;
    c->on = svmr_grow(c->on, &c->onRoom, c->onCount + 1, sizeof *c->on);
    c->on[c->onCount++] = on;
    svm_kernelAddDependence(&c->kernel, on);
}

void svmr_forgetChunks(svm_Rounds *r)
{
    const svm_RoundsTable *t = r->table;
    struct svm_RoundsPrivate *p = r->private_;
    for (int32_t i = 0; i < t->parts; i++) {
        for (int32_t k = 0; k < p->parts[i].chunkCount; k++)
            free(p->parts[i].chunks[k].on);
        free(p->parts[i].chunks);
    }
    for (int32_t q = 0; q < t->processors && p->scratch; q++)
        free(p->scratch[q]);
    for (int32_t i = 0; i < t->rings * t->sets; i++)
        free(p->claims[i].last);
    free(p->scratch);
    free(p->scratchBytes);
}

bool svmr_runsTogether(void)
{
    return TOGETHER;
}
