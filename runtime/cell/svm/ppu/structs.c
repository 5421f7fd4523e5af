// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Structs of kernels between the PPE's layout, with addresses of 64 bits, and an SPE's.
#include <stdlib.h>

#include "runtime/cell/svm/ppu/internal.h"

// What is being packed.
typedef struct Packing {
    const svmr_Spe *spe;
    const svmr_Kernel *p;
    svmr_Place place;
    char *packed;
    uint32_t at;      // of packed, in the local store
    size_t nextBlock; // where in packed
} Packing;

static SVMR_COLD _Noreturn void failWide(const Packing *g, const svm_CellField *f)
{
    svmr_fail(g->p->machine, SVM_ERROR_BAD_ARGUMENT, svmr_name(g->p), g->place,
              "the field '%s' of its struct holds what does not fit the 32 bits that an SPE has for it", f->name);
}

static svm_CellBlock packBlock(const Packing *g, const svm_Block *b)
{
    svmr_checkBlock(b, g->place);
    size_t offset = (size_t)(b->data - g->spe->ls);
    return (svm_CellBlock){.data = offset < SVMR_LOCAL_STORE ? (uint32_t)offset : SVM_CELL_ELSEWHERE,
                           .capacity = b->capacity < UINT32_MAX ? (uint32_t)b->capacity : UINT32_MAX,
                           .elementSize = (uint32_t)b->elementSize,
                           .address = (uint32_t)b->address};
}

static uint32_t blockPointer(Packing *g, const svm_Block *b)
{
    if (!b)
        return 0;
    svm_CellBlock block = packBlock(g, b);
    size_t at = g->nextBlock;
    memcpy(g->packed + at, &block, sizeof block);
    g->nextBlock += sizeof block;
    return g->at + (uint32_t)at;
}

static uint32_t narrow(const Packing *g, const svm_CellField *f, uint64_t value)
{
    if (f->kind == SVM_CELL_INT ? (int64_t)value != (int32_t)value : value > UINT32_MAX)
        failWide(g, f);
    return (uint32_t)value;
}

static uint32_t wordOf(Packing *g, const svm_CellField *f, uint64_t value)
{
    switch (f->kind) {
    case SVM_CELL_NOTHING: return 0;
    case SVM_CELL_BLOCK: return blockPointer(g, (const svm_Block *)(uintptr_t)value);
    case SVM_CELL_STREAM: return svmr_streamThere(g->spe, (svm_Stream *)(uintptr_t)value, g->place);
    default: return narrow(g, f, value);
    }
}

static void packField(Packing *g, const svm_CellField *f)
{
    const char *from = (const char *)g->p->kernel + f->ppe;
    char *to = g->packed + f->spe;
    if (f->kind == SVM_CELL_BYTES) {
        memcpy(to, from, f->count);
        return;
    }
    for (uint32_t i = 0; i < f->count; i++) {
        if (f->kind == SVM_CELL_OBJECT) {
            svm_CellBlock block = packBlock(g, (const svm_Block *)from + i);
            memcpy(to + i * sizeof block, &block, sizeof block);
            continue;
        }
        uint64_t wide;
        memcpy(&wide, from + i * sizeof wide, sizeof wide);
        uint32_t word = wordOf(g, f, wide);
        memcpy(to + i * sizeof word, &word, sizeof word);
    }
}

size_t svmr_packedBytes(const svm_CellKernel *code)
{
    size_t bytes = svmr_quanta(code->bytes);
    for (size_t i = 0; i < code->fieldCount; i++)
        if (code->fields[i].kind == SVM_CELL_BLOCK)
            bytes += code->fields[i].count * sizeof(svm_CellBlock);
    return bytes;
}

char *svmr_packStruct(const svmr_Spe *spe, const svmr_Kernel *p, const svm_CellKernel *code, uint32_t at,
                      svmr_Place place)
{
    Packing g = {.spe = spe,
                 .p = p,
                 .place = place,
                 .packed = svmr_allocate(1, svmr_packedBytes(code) + SVMR_SPENT_BYTES),
                 .at = at,
                 .nextBlock = svmr_quanta(code->bytes)};
    for (size_t i = 0; i < code->fieldCount; i++)
        packField(&g, &code->fields[i]);
    return g.packed;
}

void svmr_unpackStruct(svm_Kernel *k, const svm_CellKernel *code, const char *packed)
{
    for (size_t i = 0; i < code->fieldCount; i++) {
        const svm_CellField *f = &code->fields[i];
        char *to = (char *)k + f->ppe;
        const char *from = packed + f->spe;
        if (f->kind == SVM_CELL_BYTES)
            memcpy(to, from, f->count);
        for (uint32_t n = 0; n < f->count && (f->kind == SVM_CELL_INT || f->kind == SVM_CELL_UINT); n++) {
            uint32_t word;
            memcpy(&word, from + n * sizeof word, sizeof word);
            uint64_t wide = f->kind == SVM_CELL_INT ? (uint64_t)(int64_t)(int32_t)word : word;
            memcpy(to + n * sizeof wide, &wide, sizeof wide);
        }
    }
}
