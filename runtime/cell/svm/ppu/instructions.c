// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stream instructions in SPEs' queues. How many records a stream has is known when what writes it has run: it stays in memory
// (svmr_SrfStream), where the commands of that and of what reads it get and put it, so that nobody waits for the PPE.
#include <stdlib.h>

#include "runtime/cell/svm/ppu/internal.h"
#include "runtime/common/instructions.h"

_Static_assert(sizeof(size_t) == sizeof(uint64_t) && offsetof(svmr_SrfStream, records) == 0 &&
                   offsetof(svmr_SrfStream, resume) == offsetof(svm_CellRecords, resume),
               "SPEs see it as svm_CellRecords");

// The ring holds two of the largest commands: a kernel with more streams is the PPE's.
static size_t mostBytes(const svmr_Spe *spe)
{
    return spe->ringBytes / 2 - sizeof(svm_CellCommand) - (SVM_CELL_SPES + SVM_CELL_WINDOW) * sizeof(svm_CellWait);
}

static uint64_t address(const void *p)
{
    return (uint64_t)(uintptr_t)p;
}

static bool isIn(const svmr_Spe *spe, const svm_Block *b)
{
    return (size_t)(b->data - spe->ls) < SVMR_LOCAL_STORE;
}

// ---- Kernels ----

static svm_CellPort portOf(const svmr_Spe *spe, const svmr_SrfPort *port)
{
    const svm_StreamSRFReg *reg = &port->stream->reg;
    return (svm_CellPort){.where = address(port->stream),
                          .data = (uint32_t)(port->block.data - spe->ls),
                          .bytes = (uint32_t)(reg->stream_record_size * SVM_WORD),
                          .length = (uint32_t)reg->stream_length};
}

static bool canRun(const svmr_Instruction *i, const svmr_Spe *spe, const svm_CellKernel *code, size_t bytes)
{
    if (!code || code->bytes || bytes > mostBytes(spe) || i->unit->parameterRegisters > UINT32_MAX)
        return false;
    for (size_t n = 0; n < i->portCount; n++)
        if (!isIn(spe, &i->ports[n].block))
            return false;
    return true;
}

void svmr_queueInstruction(svmr_Kernel *p, svmr_Spe *spe, svmr_Place at)
{
    (void)at;
    const svmr_Instruction *i = p->instruction;
    const svm_CellKernel *code = svmr_codeOf(p);
    const size_t bytes = sizeof(svm_CellInstruction) + i->portCount * sizeof(svm_CellPort);
    if (!canRun(i, spe, code, bytes))
        return;
    svm_CellInstruction *its = svmr_allocate(1, bytes);
    *its = (svm_CellInstruction){.object = address(i),
                                 .parameters = address(i->unit->KernelParamRf),
                                 .firstParameter = (uint32_t)i->firstParameter,
                                 .parameterCount = (uint32_t)i->unit->parameterRegisters,
                                 .ports = (uint32_t)i->portCount,
                                 .inputs = (uint32_t)i->inputs,
                                 .restored = i->restored};
    svm_CellPort *ports = (svm_CellPort *)(its + 1);
    for (size_t n = 0; n < i->portCount; n++)
        ports[n] = portOf(spe, &i->ports[n]);
    svm_CellCommand c = {.kind = SVM_CELL_INSTRUCTION, .kernel = (uint32_t)code->number, .length = sizeof *its};
    svmr_queueMoves(p, spe, c, its, bytes);
    free(its);
}

void svmr_instructionOver(svmr_Kernel *p, const svm_CellInstruction *its)
{
    p->instruction->suspended = its->suspended;
}

// ---- Loads and stores ----

enum { DATA, INDICES }; // ports of a load or store

void svmr_queueWords(svmr_Kernel *p, const svmr_Transfer *t, svmr_Place at)
{
    const svmr_Instruction *i = p->instruction;
    const svm_Block *here = i->stores ? t->from.block : t->to.block, *there = i->stores ? t->to.block : t->from.block;
    const svm_Block *indices = i->indexed ? t->indices.block : NULL;
    svmr_Spe *spe = svmr_speOfMemory(p->machine, here->memory, at);
    const uint64_t bytes = t->records * SVM_WORD, stride = t->stride * SVM_WORD;
    if (!spe || svmr_speOfMemory(p->machine, there->memory, at) == spe || (indices && !isIn(spe, indices)) ||
        stride > UINT32_MAX)
        return;
    svmr_SrfStream *data = i->ports[DATA].stream;
    svm_CellWords g = {.count = (uint32_t)t->repeats,
                       .bytes = (uint32_t)bytes,
                       .stride = (uint32_t)stride,
                       .put = i->stores,
                       .operation = (uint32_t)t->combine};
    if (i->stores)
        g.records = address(data);
    if (indices) {
        g.indexRecords = address(i->ports[INDICES].stream);
        g.made = i->stores ? 0 : address(data);
        g.indices = (uint32_t)(indices->data - spe->ls);
        g.indexBytes = SVM_WORD;
        const size_t limit = there->capacity / t->records;
        g.limit = limit < INT32_MAX ? (uint32_t)limit : (uint32_t)INT32_MAX + 1; // an index that is more is below 0
    } else if (!i->stores) {
        data->records = t->repeats;
    }
    svm_CellCommand c = {.kind = SVM_CELL_WORDS,
                         .ea = address(there->data),
                         .ls = (uint32_t)(here->data - spe->ls),
                         .length = (uint32_t)(bytes * t->repeats)};
    svmr_queueMoves(p, spe, c, &g, sizeof g);
}
