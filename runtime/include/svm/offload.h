// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Static regions of programs with dynamic rates or messages that are offloaded: their runs are done by processors with
// memories of their own, in strips. A strip is a kernel, the transfers that load its windows of the region's inputs, and those
// that store its windows of the outputs. All of it is calls of the core API.
//
// NOTE(turns). Strip i of a run is on processor i % places, where windows have `turns` blocks each: while one is worked on,
// another is moved. So it waits for the strip that had its blocks before; and, as what is inside of the region has one block,
// for the one before it on its processor.
//
// NOTE(kept). What a region keeps from one steady state to the next is in blocks of which each of its strips has the same one:
// it goes there before the first strip of a run and comes back behind the last. All strips are on one processor then. Where
// items stay in a block that the region gives, each strip has a window of it, which begins with what the one before has left.
#ifndef SVM_OFFLOAD_H
#define SVM_OFFLOAD_H

#include "svm/dynamic.h"

typedef enum svm_OffloadKind {
    SVM_OFFLOAD_INSIDE,
    SVM_OFFLOAD_INPUT,
    SVM_OFFLOAD_OUTPUT,
    SVM_OFFLOAD_KEPT,    // inside, and its first elements go there with each run, and back: NOTE(kept)
    SVM_OFFLOAD_KEEPING, // an output; each strip begins with what the one before has left in it
} svm_OffloadKind;

// A processor that does strips, and who moves their windows.
typedef struct svm_OffloadPlace {
    mm_Proc processor;
    mm_Mem memory;
    mm_Proc load, store;
    size_t base; // of its bytes of the memory
} svm_OffloadPlace;

// A block of the region as a strip has it. A strip of n steady states has n * step + more elements of it, or `more` if it is
// inside or kept; strips begin at the same elements of the region's block as their steady states do.
typedef struct svm_OffloadBlock {
    const char *name;
    svm_OffloadKind kind;
    int64_t step, more;
    size_t size;           // of an element
    size_t address, bytes; // in the processor's memory; from one turn's to the next one's
    int64_t kept; // elements that go there and back; of one that is KEEPING, that a strip begins with; 0: its window
} svm_OffloadBlock;

typedef struct svm_OffloadTable {
    svm_KernelFunction *run;
    const char *name;
    int64_t unit, shortest, strip; // steady states of a strip but for the last: a multiple of, at least, at most
    int32_t turns, places, blocks;
    const svm_OffloadPlace *place;
    const svm_OffloadBlock *block; // as the region has them
} svm_OffloadTable;

typedef struct svm_OffloadStrip {
    svm_Kernel *kernel;
    ptrdiff_t *steady;       // how many steady states it does
    svm_Block *here, *there; // per block: in the processor's memory; the window of the region's
    svm_MoveB2B *moves;      // per block, but for those inside; of kept ones the first strip has them
    // Per block, of those KEEPING: what it begins with, here and there, and what moves that; NULL: there are none.
    svm_Block *hereFirst, *thereFirst;
    svm_MoveB2B *first;
} svm_OffloadStrip;

typedef struct svm_Offload {
    const svm_OffloadTable *table;
    svm_StaticRegion *region;
    svm_OffloadStrip *strips;
    int32_t count;      // of strips: as many as a run can have
    int64_t unit, most; // steady states of a run: a multiple of, and at most
    svm_Block *kept;    // per block: of kept ones, the elements that go back; NULL: it keeps nothing
    svm_MoveB2B *back;  // per block
} svm_Offload;

// Whether a block is in the processor's memory alone while a strip runs.
static inline bool svm_offloadIsInside(const svm_OffloadBlock *b)
{
    return b->kind == SVM_OFFLOAD_INSIDE || b->kind == SVM_OFFLOAD_KEPT;
}

// Places what the region keeps: in its own blocks, and where its strips have it.
static inline void svm_offloadPlaceKept(svm_Offload *o)
{
    const svm_OffloadTable *t = o->table;
    const svm_OffloadPlace *place = &t->place[0];
    for (int32_t i = 0; i < t->blocks; i++) {
        const svm_OffloadBlock *b = &t->block[i];
        const svm_Block *whole = o->region->blocks[i];
        if (b->kind != SVM_OFFLOAD_KEPT)
            continue;
        svm_blockInit(&o->kept[i], place->memory, place->base + b->address, (size_t)b->kept, b->size);
        svm_blockName(&o->kept[i], b->name);
        svm_blockInit(&o->strips[0].there[i], whole->memory, whole->address, (size_t)b->kept, b->size);
        svm_blockName(&o->strips[0].there[i], b->name);
    }
}

// Places the windows of a strip: so many steady states of the run, from `first` on.
static inline void svm_offloadPlace(svm_Offload *o, int32_t strip, int64_t first, int64_t states)
{
    const svm_OffloadTable *t = o->table;
    const svm_OffloadStrip *s = &o->strips[strip];
    const svm_OffloadPlace *place = &t->place[strip % t->places];
    const size_t turn = (size_t)(strip / t->places % t->turns);
    for (int32_t i = 0; i < t->blocks; i++) {
        const svm_OffloadBlock *b = &t->block[i];
        const svm_Block *whole = o->region->blocks[i];
        const bool inside = svm_offloadIsInside(b);
        const size_t items = (size_t)(inside ? b->more : states * b->step + b->more);
        svm_blockInit(&s->here[i], place->memory, place->base + b->address + turn * b->bytes, items, b->size);
        svm_blockName(&s->here[i], b->name);
        if (inside)
            continue;
        const size_t there = whole->address + (size_t)(first * b->step) * b->size;
        svm_blockInit(&s->there[i], whole->memory, there, items, b->size);
        svm_blockName(&s->there[i], b->name);
        if (b->kind != SVM_OFFLOAD_KEEPING)
            continue;
        const size_t kept = b->kept != 0 ? (size_t)b->kept : items;
        svm_blockInit(&s->hereFirst[i], place->memory, s->here[i].address, kept, b->size);
        svm_blockName(&s->hereFirst[i], b->name);
        svm_blockInit(&s->thereFirst[i], whole->memory, there, kept, b->size);
        svm_blockName(&s->thereFirst[i], b->name);
    }
    *s->steady = (ptrdiff_t)states;
}

// Sets up what moves what the region keeps: before the first strip, and behind the others, of which a run may have fewer.
static inline void svm_offloadCreateKept(svm_Offload *o)
{
    const svm_OffloadTable *t = o->table;
    const svm_OffloadPlace *place = &t->place[0];
    const svm_OffloadStrip *first = &o->strips[0];
    if (o->kept == NULL)
        return;
    svm_offloadPlaceKept(o);
    for (int32_t i = 0; i < t->blocks; i++) {
        if (t->block[i].kind != SVM_OFFLOAD_KEPT)
            continue;
        svm_moveB2BInit(&first->moves[i], place->load, &first->there[i], &o->kept[i]);
        svm_kernelAddDependence(first->kernel, &first->moves[i].kernel);
        svm_moveB2BInit(&o->back[i], place->store, &o->kept[i], &first->there[i]);
        for (int32_t k = 0; k < o->count; k++)
            svm_kernelAddDependence(&o->back[i].kernel, o->strips[k].kernel);
        svm_kernelAddDependence(o->region->common.kernel, &o->back[i].kernel);
    }
}

// Sets up what moves what a strip begins with, of a block that keeps items: behind what the strip before it gives back.
static inline void svm_offloadCreateFirst(svm_Offload *o, int32_t strip, int32_t block)
{
    const svm_OffloadTable *t = o->table;
    const svm_OffloadStrip *s = &o->strips[strip];
    svm_moveB2BInit(&s->first[block], t->place[strip % t->places].load, &s->thereFirst[block], &s->hereFirst[block]);
    svm_kernelAddDependence(s->kernel, &s->first[block].kernel);
    if (strip > 0)
        svm_kernelAddDependence(&s->first[block].kernel, &o->strips[strip - 1].moves[block].kernel);
}

static inline bool svm_offloadIsOutput(const svm_OffloadBlock *b)
{
    return b->kind == SVM_OFFLOAD_OUTPUT || b->kind == SVM_OFFLOAD_KEEPING;
}

// Whether something comes back from a strip: else the region's kernel waits for the strips themselves.
static inline bool svm_offloadGives(const svm_OffloadTable *t)
{
    bool gives = false;
    for (int32_t i = 0; i < t->blocks; i++)
        gives |= svm_offloadIsOutput(&t->block[i]) || t->block[i].kind == SVM_OFFLOAD_KEPT;
    return gives;
}

// Sets up the strips and what orders them; the program has given each its kernel's struct and its blocks.
static inline void svm_offloadCreate(svm_Offload *o)
{
    const svm_OffloadTable *t = o->table;
    for (int32_t k = 0; k < o->count; k++) {
        const svm_OffloadStrip *s = &o->strips[k];
        const svm_OffloadPlace *place = &t->place[k % t->places];
        svm_kernelInit(s->kernel, place->processor, t->run, t->name);
        svm_kernelNeverBlocks(s->kernel);
        svm_offloadPlace(o, k, 0, t->unit);
        if (k >= t->places)
            svm_kernelAddDependence(s->kernel, o->strips[k - t->places].kernel);
        const svm_OffloadStrip *before = k >= t->places * t->turns ? &o->strips[k - t->places * t->turns] : NULL;
        for (int32_t i = 0; i < t->blocks; i++) {
            svm_Kernel *move = &s->moves[i].kernel;
            if (t->block[i].kind == SVM_OFFLOAD_INPUT) {
                svm_moveB2BInit(&s->moves[i], place->load, &s->there[i], &s->here[i]);
                svm_kernelAddDependence(s->kernel, move);
                if (before)
                    svm_kernelAddDependence(move, before->kernel);
            } else if (svm_offloadIsOutput(&t->block[i])) {
                svm_moveB2BInit(&s->moves[i], place->store, &s->here[i], &s->there[i]);
                svm_kernelAddDependence(move, s->kernel);
                svm_kernelAddDependence(o->region->common.kernel, move);
                if (before)
                    svm_kernelAddDependence(s->kernel, &before->moves[i].kernel);
                if (t->block[i].kind == SVM_OFFLOAD_KEEPING)
                    svm_offloadCreateFirst(o, k, i);
            }
        }
        if (!svm_offloadGives(t))
            svm_kernelAddDependence(o->region->common.kernel, s->kernel);
    }
    svm_offloadCreateKept(o);
}

// Runs what moves what the region keeps: there, or back.
static inline void svm_offloadMoveKept(svm_Offload *o, svm_MoveB2B *moves)
{
    for (int32_t i = 0; o->kept != NULL && i < o->table->blocks; i++)
        if (o->table->block[i].kind == SVM_OFFLOAD_KEPT)
            svm_kernelRun(&moves[i].kernel);
}

// Has a run of the region done: in strips that are as even as can be, in as many turns as there are if strips are not too short
// for that. Then the region's kernel goes on, which depends on what stores their windows.
static inline void svm_offloadStart(svm_Offload *o, int64_t steady)
{
    const svm_OffloadTable *t = o->table;
    const int64_t units = (steady + t->unit - 1) / t->unit, most = t->strip / t->unit;
    int64_t each = (units + t->turns * t->places - 1) / (t->turns * t->places);
    each = each * t->unit < t->shortest ? (t->shortest + t->unit - 1) / t->unit : each;
    each = (each < most ? each : most) * t->unit;
    int32_t k = 0;
    if (o->kept != NULL)
        svm_offloadPlaceKept(o);
    svm_offloadMoveKept(o, o->strips[0].moves);
    for (int64_t first = 0; first < steady; first += each, k++) {
        const svm_OffloadStrip *s = &o->strips[k];
        svm_offloadPlace(o, k, first, steady - first < each ? steady - first : each);
        for (int32_t i = 0; i < t->blocks; i++) {
            if (t->block[i].kind == SVM_OFFLOAD_INPUT)
                svm_kernelRun(&s->moves[i].kernel);
            if (t->block[i].kind == SVM_OFFLOAD_KEEPING)
                svm_kernelRun(&s->first[i].kernel);
        }
        svm_kernelRun(s->kernel);
        for (int32_t i = 0; i < t->blocks; i++)
            if (svm_offloadIsOutput(&t->block[i]))
                svm_kernelRun(&s->moves[i].kernel);
    }
    svm_offloadMoveKept(o, o->back);
    svm_kernelRun(o->region->common.kernel);
}

static inline void svm_offloadEnd(svm_Kernel *k)
{
    const svm_KernelState state = svm_kernelStateOf(k);
    if (state == SVM_QUEUED || state == SVM_RUNNING || state == SVM_BLOCKED) // the program has stopped with an error
        svm_kernelWait(k);
    svm_kernelDestroy(k);
}

static inline void svm_offloadDestroy(svm_Offload *o)
{
    for (int32_t k = 0; k < o->count; k++) {
        for (int32_t i = 0; i < o->table->blocks; i++) {
            if (!svm_offloadIsInside(&o->table->block[i]))
                svm_offloadEnd(&o->strips[k].moves[i].kernel);
            if (o->table->block[i].kind == SVM_OFFLOAD_KEEPING)
                svm_offloadEnd(&o->strips[k].first[i].kernel);
        }
        svm_offloadEnd(o->strips[k].kernel);
    }
    for (int32_t i = 0; o->kept != NULL && i < o->table->blocks; i++)
        if (o->table->block[i].kind == SVM_OFFLOAD_KEPT) {
            svm_offloadEnd(&o->strips[0].moves[i].kernel);
            svm_offloadEnd(&o->back[i].kernel);
        }
}

#endif
