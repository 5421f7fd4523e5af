// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Consecutive strips of a part on one processor that works on the rings itself run as one kernel, a chunk; and such a
// processor reads its strips' input from a file, and writes their output, if these are the file's bytes and no other
// strip's: what one core reads another need not fetch from its cache, and the control program does not copy for all.
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
enum { FILE_BYTES = 64 << 10 };

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

// Whether no strip has items of the ring that another strip has too.
static bool isApart(const svm_Rounds *r, const svm_RingRow *ring)
{
    bool input = ring->from < 0, output = ring->to < 0;
    return r->private_->together && input != output && ring->step > 0 && ring->ahead == 0 &&
           (!input || ring->front == 0) && allDirect(r, input ? ring->to : ring->from);
}

bool svmr_claimInput(svm_Rounds *r, int32_t number, int32_t set, int64_t steady)
{
    const svm_RingRow *ring = &r->table->ringRows[number];
    svm_RoundsReader *reader = &r->readers[ring->file];
    svmr_Claim *claim = claimOf(r, number, set);
    claim->held = isApart(r, ring) && reader->held == 0 &&
                  svmr_readerClaim(&reader->file, r->table->strip * ring->step, steady * ring->step, &claim->at);
    return claim->held;
}

void svmr_claimOutputs(svm_Rounds *r, int32_t set, int64_t steady)
{
    const svm_RoundsTable *t = r->table;
    for (int32_t i = 0; i < t->rings; i++) {
        const svm_RingRow *ring = &t->ringRows[i];
        svmr_Claim *claim = claimOf(r, i, set);
        if (ring->to < 0)
            claim->held = isApart(r, ring) && svmr_writerClaim(&r->writers[ring->file], t->strip * ring->step,
                                                               steady * ring->step, &claim->at);
    }
}

void svmr_readClaims(svm_Rounds *r, int32_t set, int64_t steady)
{
    for (int32_t i = 0; i < r->table->rings; i++) {
        const svm_RingRow *ring = &r->table->ringRows[i];
        svmr_Claim *claim = claimOf(r, i, set);
        if (ring->from >= 0 || !claim->held)
            continue;
        svmr_readerReadAt(&r->readers[ring->file].file, claim->at, 0, svmr_ringItem(r, i, set, 0),
                          steady * ring->step);
        claim->held = false;
    }
}

bool svmr_dropClaim(svm_Rounds *r, int32_t ring, int32_t set)
{
    svmr_Claim *claim = claimOf(r, ring, set);
    bool held = claim->held;
    claim->held = false;
    return held;
}

// ---- Chunks ----

// The items of strips from `run` on, so many, side by side as they are in the ring.
static void moveItems(const svm_Rounds *r, const svmr_RoundsRun *run, int32_t strips, svm_PartBlockKind kind)
{
    for (int32_t i = 0; i < r->private_->parts[run->part].windows; i++) {
        const svmr_Window *w = &run->windows[i];
        const svmr_Claim *claim = claimOf(r, w->ringNumber, run->set);
        if (w->row->kind != kind || !claim->held)
            continue;
        int64_t first = run->strip * r->table->strip * w->ring->step, count = 0;
        for (int32_t k = 0; k < strips; k++)
            count += run[k].windows[i].moves ? (int64_t)run[k].windows[i].items.capacity : 0;
        if (kind == SVM_PART_INPUT)
            svmr_readerReadAt(&r->readers[w->ring->file].file, claim->at, first, w->items.data, count);
        else
            svmr_writerWriteAt(&r->writers[w->ring->file], claim->at, first, w->items.data, count);
    }
}

static void runChunk(svm_Kernel *kernel)
{
    const svmr_Chunk *c = (const svmr_Chunk *)kernel;
    for (int32_t i = 0, n; i < c->told; i += n) {
        n = c->told - i < c->group ? c->told - i : c->group;
        moveItems(c->rounds, &c->first[i], n, SVM_PART_INPUT);
        for (int32_t k = i; k < i + n; k++)
            c->rounds->table->partRows[c->first[k].part].run(c->first[k].kernel);
        moveItems(c->rounds, &c->first[i], n, SVM_PART_OUTPUT);
    }
}

// Strips whose items files are asked for at once.
static int32_t groupOf(const svm_Rounds *r, const svmr_RoundsRun *run)
{
    int64_t most = 1;
    for (int32_t i = 0; i < r->private_->parts[run->part].windows; i++) {
        const svm_RingRow *ring = run->windows[i].ring;
        int64_t bytes = r->table->strip * ring->step * (int64_t)ring->itemSize;
        if (isApart(r, ring) && bytes > most)
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

void svmr_forgetChunks(svmr_PartState *state)
{
    for (int32_t i = 0; i < state->chunkCount; i++)
        free(state->chunks[i].on);
    free(state->chunks);
}

bool svmr_runsTogether(void)
{
    return TOGETHER;
}
