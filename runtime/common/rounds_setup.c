// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sets up the memory of programs that run in rounds.
#include <stdlib.h>

#include "svm/library.h"
#include "runtime/common/rounds_stream.h"

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

// ---- All of it ----

void svm_roundsCreate(svm_Rounds *r)
{
    const svm_RoundsTable *t = r->table;
    struct svm_RoundsPrivate *p = r->private_ = svmr_allocate(1, sizeof *p);
    p->parts = svmr_allocate((size_t)t->parts + 1, sizeof *p->parts);
    p->sets = svmr_allocate((size_t)t->sets, sizeof *p->sets);
    allocateRings(r);
    allocateOwn(r);
    p->lags = svmr_allocate((size_t)t->rings + 1, sizeof *p->lags);
    for (int32_t i = 0; i < t->rings; i++)
        if (t->ringRows[i].to < 0 && t->ringRows[i].ahead != 0)
            p->lags[i].items = svmr_allocate((size_t)t->ringRows[i].ahead, t->ringRows[i].itemSize);
    svmr_flowCreate(r);
}

void svm_roundsForget(svm_Rounds *r)
{
    const svm_RoundsTable *t = r->table;
    struct svm_RoundsPrivate *p = r->private_;
    if (!p)
        return;
    svmr_flowForget(r);
    for (int32_t i = 0; i < t->parts; i++)
        free(p->parts[i].reached);
    for (int32_t i = 0; i < t->sets; i++)
        free(p->sets[i].issued);
    for (int32_t i = 0; i < t->processors * t->parts && p->own; i++)
        free(p->own[i]);
    for (int32_t i = 0; i < t->rings && p->lags; i++)
        free(p->lags[i].items);
    free(p->lags);
    free(p->segments);
    free(p->own);
    free(p->ownMemory);
    free(p->allocated);
    free(p->sets);
    free(p->parts);
    free(p);
    r->private_ = NULL;
}

void svm_roundsDestroy(svm_Rounds *r)
{
    const svm_RoundsTable *t = r->table;
    struct svm_RoundsPrivate *p = r->private_;
    svmr_flowDestroy(r);
    for (int32_t q = 0; q < t->processors; q++)
        if (p->allocated[q])
            svm_free(t->processorRows[q].memory, p->ownMemory[q]);
    svm_free(t->shared, p->memory);
    svm_roundsForget(r);
}
