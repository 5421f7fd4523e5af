// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stream instructions over the API: launching loads, stores and kernels as kernels with dependences, fences.
#include "runtime/common/instructions.h"

#include "runtime/common/scheduler.h"

#include <stdlib.h>

// Instructions not yet seen to have completed, by fence, in a ring: those from `first` to `last` - 1. They leave it in
// order, so that a fence below `first` has completed.
struct svm_StreamUnitPrivate {
    svm_Machine *machine;
    svmr_Instruction **ring;
    size_t ringCap; // a power of two
    svm_Fence first, last;
    svm_Fence barrier; // the latest; 0: none
    svmr_Instruction *spare;
    svmr_SrfStream **streams; // by SRF register: what its stream is now; NULL: not used yet
    svm_Fence *suspended;     // fences of instructions that ended so, until asked for
    size_t suspendedCount, suspendedCap;
};
typedef struct svm_StreamUnitPrivate Private;

#define UNIT_CHECK ((uintptr_t)UINT64_C(0x53564d53554e4954))

static uintptr_t unitCheck(const svm_StreamUnit *u)
{
    return (uintptr_t)u ^ (uintptr_t)u->private_ ^ UNIT_CHECK;
}

// The unit, from its control thread.
static Private *checkUnit(const svm_StreamUnit *u, svmr_Place at)
{
    if (SVMR_UNLIKELY(!u || u->check != unitCheck(u)))
        svmr_fail(svmr_machine(), SVM_ERROR_BAD_ARGUMENT, "", at,
                  u ? "the stream unit was not initialised, or its object was copied or destroyed"
                    : "the stream unit is a null pointer");
    Private *p = u->private_;
    svmr_checkControl(p->machine, "", at);
    if (svmr_machine() != p->machine)
        svmr_fail(svmr_machine(), SVM_ERROR_BAD_ARGUMENT, "", at,
                  "the stream unit belongs to another machine than the one in use");
    return p;
}

// ---- Setting up ----

static void checkKind(svm_Machine *m, mm_Proc processor, svm_ProcessorKind kind, const char *what, svmr_Place at)
{
    int id = svmr_processorId(m, processor, at);
    const svm_ProcessorRow *row = &svmr_state(m, id)->table->processors[svmr_index(id)];
    if (row->kind != kind)
        svmr_fail(m, SVM_ERROR_BAD_PROCESSOR, what, at, "'%s' is no %s", row->name,
                  kind == SVM_PROCESSOR_DMA ? "DMA engine" : "processor for kernels");
}

void svm_streamUnitInitAt(svm_StreamUnit *u, mm_Proc processor, mm_Proc dma, mm_Mem memory, mm_Mem srf,
                          size_t memRegisters, size_t srfRegisters, size_t parameterRegisters, const char *file,
                          int line)
{
    svmr_Place at = SVMR_PLACE("svm_streamUnitInit");
    svm_Machine *m = svmr_machine();
    if (!u)
        svmr_fail(m, SVM_ERROR_BAD_ARGUMENT, "", at, "the stream unit is a null pointer");
    svmr_checkControl(m, "", at);
    svmr_memoryId(m, memory, at);
    svmr_memoryId(m, srf, at);
    checkKind(m, dma, SVM_PROCESSOR_DMA, "the stream unit's DMA engine", at);
    checkKind(m, processor, SVM_PROCESSOR_KERNEL, "the stream unit's processor", at);
    *u = (svm_StreamUnit){.processor = processor,
                          .dma = dma,
                          .memory = memory,
                          .srf = srf,
                          .memRegisters = memRegisters ? memRegisters : SVM_STREAM_MEM_RF,
                          .srfRegisters = srfRegisters ? srfRegisters : SVM_STREAM_SRF_RF,
                          .parameterRegisters = parameterRegisters ? parameterRegisters : SVM_KERNEL_PARAM_RF};
    u->StreamMemRF = svmr_allocate(u->memRegisters, sizeof *u->StreamMemRF);
    u->StreamSRF_RF = svmr_allocate(u->srfRegisters, sizeof *u->StreamSRF_RF);
    u->KernelParamRf = svmr_allocate(u->parameterRegisters, sizeof *u->KernelParamRf);
    Private *p = u->private_ = svmr_allocate(1, sizeof *p);
    p->machine = m;
    p->streams = svmr_allocate(u->srfRegisters, sizeof *p->streams);
    p->ringCap = 64;
    p->ring = svmr_allocate(p->ringCap, sizeof *p->ring);
    p->first = p->last = 1;
    u->check = unitCheck(u);
}

static void releaseStream(svmr_SrfStream *s)
{
    if (s && --s->users == 0)
        free(s);
}

static svmr_Instruction **slotOf(Private *p, svm_Fence fence)
{
    return &p->ring[fence & (p->ringCap - 1)];
}

static bool completed(const svmr_Instruction *i)
{
    if (i->barrier)
        return true;
    svmr_Kernel *k = i->kernel.private_;
    svmr_lock(k->machine);
    bool pending = svmr_pending(k);
    svmr_unlock(k->machine);
    return !pending;
}

// Takes instructions that have completed out of the ring, the oldest first.
static void retire(Private *p)
{
    while (p->first < p->last) {
        svmr_Instruction *i = *slotOf(p, p->first);
        if (!completed(i))
            return;
        p->first++;
        if (i->suspended) {
            p->suspended = svmr_grow(p->suspended, &p->suspendedCap, p->suspendedCount + 1, sizeof *p->suspended);
            p->suspended[p->suspendedCount++] = i->fence;
        }
        for (size_t s = 0; s < i->portCount; s++)
            releaseStream(i->ports[s].stream);
        i->portCount = 0;
        i->next = p->spare;
        p->spare = i;
    }
}

void svm_streamUnitDestroyAt(svm_StreamUnit *u, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_streamUnitDestroy");
    Private *p = checkUnit(u, at);
    retire(p);
    if (p->first < p->last)
        svmr_fail(p->machine, SVM_ERROR_PENDING, "", at,
                  "%llu instructions of the stream unit are pending, from fence %llu on",
                  (unsigned long long)(p->last - p->first), (unsigned long long)p->first);
    for (svmr_Instruction *i = p->spare, *next; i; i = next) {
        next = i->next;
        if (i->initialised)
            svm_kernelDestroyAt(&i->kernel, file, line);
        free(i->ports);
        free(i);
    }
    for (size_t r = 0; r < u->srfRegisters; r++)
        releaseStream(p->streams[r]);
    free(p->streams);
    free(p->suspended);
    free(p->ring);
    free(p);
    free(u->StreamMemRF);
    free(u->StreamSRF_RF);
    free(u->KernelParamRf);
    *u = (svm_StreamUnit){0};
}

// ---- Registers ----

static const svm_StreamSRFReg *srfRegister(const svm_StreamUnit *u, size_t r, svmr_Place at)
{
    svm_Machine *m = u->private_->machine;
    if (r >= u->srfRegisters)
        svmr_fail(m, SVM_ERROR_BAD_ARGUMENT, "", at, "SRF register %zu of %zu", r, u->srfRegisters);
    const svm_StreamSRFReg *reg = &u->StreamSRF_RF[r];
    if (reg->stream_record_size == 0)
        svmr_fail(m, SVM_ERROR_BAD_ARGUMENT, "", at, "SRF register %zu has a record size of 0 words", r);
    return reg;
}

static svmr_SrfStream *newStream(const svm_StreamSRFReg *reg, size_t records)
{
    svmr_SrfStream *s = svmr_allocate(1, sizeof *s);
    *s = (svmr_SrfStream){.reg = *reg, .records = records, .users = 1};
    return s;
}

static bool sameRegister(const svm_StreamSRFReg *a, const svm_StreamSRFReg *b)
{
    return a->stream_ptr == b->stream_ptr && a->stream_record_size == b->stream_record_size &&
           a->stream_length == b->stream_length;
}

// What a register's stream is for one that reads it now.
static svmr_SrfStream *currentStream(svm_StreamUnit *u, size_t r)
{
    Private *p = u->private_;
    const svm_StreamSRFReg *reg = &u->StreamSRF_RF[r];
    if (!p->streams[r] || !sameRegister(&p->streams[r]->reg, reg)) {
        releaseStream(p->streams[r]);
        p->streams[r] = newStream(reg, reg->stream_length);
    }
    return p->streams[r];
}

static size_t words(const svm_StreamUnit *u, size_t records, size_t recordSize, svmr_Place at)
{
    size_t result;
    if (__builtin_mul_overflow(records, recordSize, &result))
        svmr_fail(u->private_->machine, SVM_ERROR_ADDRESS_RANGE, "", at,
                  "%zu records of %zu words are more than any memory holds", records, recordSize);
    return result;
}

// The words of an SRF register's stream.
static svm_Block srfBlock(const svm_StreamUnit *u, size_t r, svmr_Place at)
{
    const svm_StreamSRFReg *reg = srfRegister(u, r, at);
    svm_Block b;
    svmr_wordsInit(&b, u->srf, reg->stream_ptr, words(u, reg->stream_length, reg->stream_record_size, at), SVM_WORD,
                   at);
    svm_blockName(&b, "the SRF stream");
    return b;
}

// ---- Launching ----

typedef struct FenceList {
    size_t count;
    const svm_Fence *fences;
} FenceList;

static void checkFence(const svm_StreamUnit *u, svm_Fence fence, svmr_Place at)
{
    if (SVMR_UNLIKELY(fence >= u->private_->last))
        svmr_fail(u->private_->machine, SVM_ERROR_BAD_ARGUMENT, "", at, "fence %llu is of no instruction of this unit",
                  (unsigned long long)fence);
}

static void checkFences(const svm_StreamUnit *u, FenceList after, svmr_Place at)
{
    if (after.count && !after.fences)
        svmr_fail(u->private_->machine, SVM_ERROR_BAD_ARGUMENT, "", at, "the array of fences is a null pointer");
    for (size_t i = 0; i < after.count; i++)
        checkFence(u, after.fences[i], at);
}

// From the slides' form: list[0] fences.
static FenceList listed(const svm_StreamUnit *u, size_t length, const svm_Fence list[], svmr_Place at)
{
    checkUnit(u, at);
    if (length == 0 || list[0] != length - 1)
        svmr_fail(u->private_->machine, SVM_ERROR_BAD_ARGUMENT, "", at,
                  "the number of fences is given as %llu, and %zu follow", length ? (unsigned long long)list[0] : 0,
                  length ? length - 1 : 0);
    return (FenceList){length - 1, list + 1};
}

// An instruction to be filled. It stays the spare one until it is launched, so that an error in between loses nothing.
static svmr_Instruction *prepare(svm_StreamUnit *u, size_t ports)
{
    Private *p = u->private_;
    retire(p);
    if (!p->spare)
        p->spare = svmr_allocate(1, sizeof *p->spare);
    svmr_Instruction *i = p->spare;
    i->ports = svmr_grow(i->ports, &i->portCap, ports, sizeof *i->ports);
    i->portCount = 0;
    i->unit = u;
    i->barrier = i->suspended = i->restored = false;
    return i;
}

static void growRing(Private *p)
{
    svmr_Instruction **old = p->ring;
    size_t oldCap = p->ringCap;
    p->ringCap = oldCap * 2;
    p->ring = svmr_allocate(p->ringCap, sizeof *p->ring);
    for (svm_Fence f = p->first; f < p->last; f++)
        *slotOf(p, f) = old[f & (oldCap - 1)];
    free(old);
}

static svm_Fence launch(svm_StreamUnit *u, svmr_Instruction *i)
{
    Private *p = u->private_;
    p->spare = i->next;
    if (p->last - p->first == p->ringCap)
        growRing(p);
    i->fence = p->last++;
    *slotOf(p, i->fence) = i;
    return i->fence;
}

static void dependOn(Private *p, svmr_Instruction *i, svm_Fence fence, svmr_Place at)
{
    const svmr_Instruction *on = fence < p->first ? NULL : *slotOf(p, fence);
    if (on && !completed(on))
        svm_kernelAddDependenceAt(&i->kernel, (svm_Kernel *)&on->kernel, at.file, at.line);
}

// Sets the dependences of a prepared instruction and runs it. A barrier stands for all before it.
static svm_Fence start(svm_StreamUnit *u, svmr_Instruction *i, FenceList after, svmr_Place at)
{
    Private *p = u->private_;
    for (svm_Fence f = p->first; f < p->barrier; f++)
        dependOn(p, i, f, at);
    for (size_t f = 0; f < after.count; f++)
        if (after.fences[f] > p->barrier)
            dependOn(p, i, after.fences[f], at);
    svm_Fence fence = launch(u, i);
    svm_kernelRunAt(&i->kernel, at.file, at.line);
    return fence;
}

svm_Fence svm_StreamBarrierAt(svm_StreamUnit *u, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_StreamBarrier");
    Private *p = checkUnit(u, at);
    svmr_Instruction *i = prepare(u, 0);
    i->barrier = true;
    return p->barrier = launch(u, i);
}

// ---- Loads and stores ----

enum { DATA, INDICES }; // ports of a load or store

static void addPort(svmr_Instruction *i, svmr_SrfStream *s, const svm_Block *block)
{
    i->ports[i->portCount++] = (svmr_SrfPort){.stream = s, .block = *block};
}

// A register is about to be written by i: it has a new stream from now on.
static void addOutput(svm_StreamUnit *u, svmr_Instruction *i, size_t r, const svm_Block *block)
{
    svmr_SrfStream **current = &u->private_->streams[r];
    releaseStream(*current);
    *current = newStream(&u->StreamSRF_RF[r], 0);
    (*current)->users++;
    addPort(i, *current, block);
}

static void addInput(svm_StreamUnit *u, svmr_Instruction *i, size_t r, const svm_Block *block)
{
    svmr_SrfStream *s = currentStream(u, r);
    s->users++;
    addPort(i, s, block);
}

// Where an error of a running load or store is: where it was launched.
static svmr_Place placeOf(const svmr_Instruction *i, const char *function)
{
    return (svmr_Place){function, i->kernel.private_->runFile, i->kernel.private_->runLine};
}

static SVMR_COLD _Noreturn void failRecords(const svmr_Instruction *i, const char *what, size_t records,
                                            const char *other, size_t room, svmr_Place at)
{
    svmr_fail(i->unit->private_->machine, SVM_ERROR_SIZE_MISMATCH, i->kernel.name, at, "%s has %zu records, and %s %zu",
              what, records, other, room);
}

static size_t recordsOf(const svmr_Instruction *i, size_t port)
{
    return i->ports[port].stream->records;
}

// Loads and stores go on where they stopped, as DMA kernels do, whose steps they wrap.
static bool stepLoad(svm_Kernel *k)
{
    svmr_Instruction *i = (svmr_Instruction *)k;
    if (!i->transfer(k))
        return false;
    i->ports[DATA].stream->records = i->load.repeats;
    return true;
}

// A processor with a queue of its own counts the records when it comes to the transfer (svmr_queueTransfer): so many at most.
static size_t mostOf(const svmr_Instruction *i, size_t port)
{
    size_t room = i->ports[port].stream->reg.stream_length;
    return room < i->most ? room : i->most;
}

// As many records as there are indices.
static bool stepLoadIndexed(svm_Kernel *k)
{
    svmr_Instruction *i = (svmr_Instruction *)k;
    size_t records = k->private_->asked ? mostOf(i, INDICES) : recordsOf(i, INDICES);
    if (records > i->most)
        failRecords(i, "the index stream", records, "at most are to be loaded", i->most, placeOf(i, "svm_StreamLoad"));
    i->loadIndexed.length = records;
    if (!i->transfer(k))
        return false;
    i->ports[DATA].stream->records = records;
    return true;
}

// As many records as the SRF stream has.
static size_t storedRecords(const svmr_Instruction *i, svmr_Place at)
{
    size_t records = recordsOf(i, DATA);
    if (records > i->most)
        failRecords(i, "the SRF stream", records, "the stream in memory has room for", i->most, at);
    return records;
}

static bool stepStore(svm_Kernel *k)
{
    svmr_Instruction *i = (svmr_Instruction *)k;
    i->store.repeats = k->private_->asked ? mostOf(i, DATA) : storedRecords(i, placeOf(i, "svm_StreamStore"));
    return i->transfer(k);
}

static bool stepStoreIndexed(svm_Kernel *k)
{
    svmr_Instruction *i = (svmr_Instruction *)k;
    svmr_Place at = placeOf(i, "svm_StreamStore");
    bool asked = k->private_->asked;
    size_t records = asked ? mostOf(i, DATA) : storedRecords(i, at);
    if (asked && mostOf(i, INDICES) < records)
        records = mostOf(i, INDICES);
    if (!asked && recordsOf(i, INDICES) != records)
        failRecords(i, "the SRF stream", records, "the index stream", recordsOf(i, INDICES), at);
    i->storeIndexed.length = records;
    return i->transfer(k);
}

// The words that a stream in memory covers.
static svm_Block memoryBlock(const svm_StreamUnit *u, const svm_StreamMemReg *reg, svmr_Place at)
{
    size_t length = 0, size = reg->stream_record_size;
    if (reg->stream_access_mode == SVM_INDEXED_STREAM) {
        length = words(u, reg->stream_extent, size, at);
    } else if (reg->stream_length) {
        length = words(u, reg->stream_length - 1, reg->stream_stride_or_index, at);
        if (__builtin_add_overflow(length, size, &length))
            words(u, SIZE_MAX, 2, at);
    }
    svm_Block b;
    svmr_wordsInit(&b, u->memory, reg->stream_ptr, length, SVM_WORD, at);
    svm_blockName(&b, "the stream in memory");
    return b;
}

static const svm_StreamMemReg *memRegister(const svm_StreamUnit *u, size_t r, svmr_Place at)
{
    if (r >= u->memRegisters)
        svmr_fail(u->private_->machine, SVM_ERROR_BAD_ARGUMENT, "", at, "memory register %zu of %zu", r,
                  u->memRegisters);
    return &u->StreamMemRF[r];
}

static void checkRecords(const svm_StreamUnit *u, const svm_StreamMemReg *reg, size_t srf, svmr_Place at)
{
    svm_Machine *m = u->private_->machine;
    size_t size = srfRegister(u, srf, at)->stream_record_size;
    if (reg->stream_record_size != size)
        svmr_fail(m, SVM_ERROR_SIZE_MISMATCH, "", at,
                  "the stream in memory has records of %zu words, and SRF register %zu of %zu", reg->stream_record_size,
                  srf, size);
    if (reg->stream_access_mode != SVM_STRIDED_STREAM && reg->stream_access_mode != SVM_INDEXED_STREAM)
        svmr_fail(m, SVM_ERROR_BAD_ARGUMENT, "", at, "a stream in memory has no access mode %d",
                  (int)reg->stream_access_mode);
}

// The block of an indexed stream's indices, whose register the memory register names.
static svm_Block indexBlock(const svm_StreamUnit *u, const svm_StreamMemReg *reg, svmr_Place at)
{
    size_t r = reg->stream_stride_or_index;
    size_t size = srfRegister(u, r, at)->stream_record_size;
    if (size != 1)
        svmr_fail(u->private_->machine, SVM_ERROR_SIZE_MISMATCH, "", at,
                  "an index is one word, and SRF register %zu has records of %zu", r, size);
    svm_Block b = srfBlock(u, r, at);
    svm_blockName(&b, "the index stream");
    return b;
}

static void runStep(svm_Kernel *k)
{
    k->private_->step(k);
}

// Sets the step that a DMA kernel goes on by, after it was initialised.
static void wrap(svmr_Instruction *i, bool (*step)(svm_Kernel *k), const char *name)
{
    i->initialised = true;
    i->stores = step == stepStore || step == stepStoreIndexed;
    i->indexed = step == stepLoadIndexed || step == stepStoreIndexed;
    i->transfer = i->kernel.private_->step;
    i->kernel.private_->instruction = i;
    i->kernel.private_->step = step;
    i->kernel.run = runStep;
    i->kernel.name = name;
}

static svm_Fence load(svm_StreamUnit *u, const svm_StreamMemReg *reg, size_t srf, FenceList after, svmr_Place at)
{
    checkRecords(u, reg, srf, at);
    checkFences(u, after, at);
    size_t room = u->StreamSRF_RF[srf].stream_length;
    bool indexed = reg->stream_access_mode == SVM_INDEXED_STREAM;
    svmr_Instruction *i = prepare(u, 2);
    i->memory = memoryBlock(u, reg, at);
    i->data = srfBlock(u, srf, at);
    i->most = reg->stream_length;
    if (i->most > room)
        svmr_fail(u->private_->machine, SVM_ERROR_SIZE_MISMATCH, "", at,
                  "the stream in memory has %zu records, and SRF register %zu room for %zu", i->most, srf, room);
    if (indexed) {
        i->indices = indexBlock(u, reg, at);
        svm_gatherIndexedB2BInitAt(&i->loadIndexed, u->dma, &i->memory, &i->indices, &i->data, 0, at.file, at.line);
        i->loadIndexed.records = reg->stream_record_size;
        wrap(i, stepLoadIndexed, "stream load");
    } else {
        svm_gatherStridedB2BInitAt(&i->load, u->dma, &i->memory, &i->data, reg->stream_record_size,
                                   reg->stream_stride_or_index, i->most, at.file, at.line);
        wrap(i, stepLoad, "stream load");
    }
    if (!indexed) {
        addOutput(u, i, srf, &i->data);
    } else if (reg->stream_stride_or_index == srf) { // the data replace their indices
        svmr_SrfStream *indices = currentStream(u, srf);
        indices->users++;
        addOutput(u, i, srf, &i->data);
        addPort(i, indices, &i->indices);
    } else {
        addOutput(u, i, srf, &i->data);
        addInput(u, i, reg->stream_stride_or_index, &i->indices);
    }
    return start(u, i, after, at);
}

static svm_Fence store(svm_StreamUnit *u, const svm_StreamMemReg *reg, size_t srf, FenceList after, svmr_Place at)
{
    checkRecords(u, reg, srf, at);
    checkFences(u, after, at);
    svmr_Instruction *i = prepare(u, 2);
    i->memory = memoryBlock(u, reg, at);
    i->data = srfBlock(u, srf, at);
    i->most = reg->stream_length;
    if (reg->stream_access_mode == SVM_INDEXED_STREAM) {
        i->indices = indexBlock(u, reg, at);
        svm_scatterIndexedB2BInitAt(&i->storeIndexed, u->dma, &i->data, &i->indices, &i->memory, 0, at.file, at.line);
        i->storeIndexed.records = reg->stream_record_size;
        i->storeIndexed.combine = reg->stream_combine;
        wrap(i, stepStoreIndexed, "stream store");
    } else {
        svm_scatterStridedB2BInitAt(&i->store, u->dma, &i->data, &i->memory, reg->stream_record_size,
                                    reg->stream_stride_or_index, 0, at.file, at.line);
        wrap(i, stepStore, "stream store");
    }
    addInput(u, i, srf, &i->data);
    if (reg->stream_access_mode == SVM_INDEXED_STREAM)
        addInput(u, i, reg->stream_stride_or_index, &i->indices);
    return start(u, i, after, at);
}

svm_Fence svm_StreamLoadAfterAt(svm_StreamUnit *u, size_t mem, size_t srf, size_t count, const svm_Fence fences[],
                                const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_StreamLoad");
    checkUnit(u, at);
    return load(u, memRegister(u, mem, at), srf, (FenceList){count, fences}, at);
}

svm_Fence svm_StreamLoadListAt(svm_StreamUnit *u, size_t mem, size_t srf, size_t length, const svm_Fence list[],
                               const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_StreamLoad");
    FenceList after = listed(u, length, list, at);
    return load(u, memRegister(u, mem, at), srf, after, at);
}

svm_Fence svm_StreamStoreAfterAt(svm_StreamUnit *u, size_t mem, size_t srf, size_t count, const svm_Fence fences[],
                                 const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_StreamStore");
    checkUnit(u, at);
    return store(u, memRegister(u, mem, at), srf, (FenceList){count, fences}, at);
}

svm_Fence svm_StreamStoreListAt(svm_StreamUnit *u, size_t mem, size_t srf, size_t length, const svm_Fence list[],
                                const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_StreamStore");
    FenceList after = listed(u, length, list, at);
    return store(u, memRegister(u, mem, at), srf, after, at);
}

// ---- For nodes.c: streams on their way between nodes ----

static svm_StreamMemReg dense(size_t address, size_t recordSize, size_t records)
{
    return (svm_StreamMemReg){.stream_access_mode = SVM_STRIDED_STREAM,
                              .stream_stride_or_index = recordSize,
                              .stream_ptr = address,
                              .stream_record_size = recordSize,
                              .stream_length = records};
}

svm_Fence svmr_loadDense(svm_StreamUnit *u, size_t address, size_t records, size_t srf, size_t count,
                         const svm_Fence fences[], svmr_Place at)
{
    checkUnit(u, at);
    svm_StreamMemReg reg = dense(address, srfRegister(u, srf, at)->stream_record_size, records);
    return load(u, &reg, srf, (FenceList){count, fences}, at);
}

svm_Fence svmr_storeDense(svm_StreamUnit *u, size_t srf, size_t address, size_t count, const svm_Fence fences[],
                          svmr_Place at)
{
    checkUnit(u, at);
    const svm_StreamSRFReg *s = srfRegister(u, srf, at);
    svm_StreamMemReg reg = dense(address, s->stream_record_size, s->stream_length);
    return store(u, &reg, srf, (FenceList){count, fences}, at);
}

const svm_StreamSRFReg *svmr_srfRegister(svm_StreamUnit *u, size_t srf, svmr_Place at)
{
    checkUnit(u, at);
    srfBlock(u, srf, at);
    return srfRegister(u, srf, at);
}

const svm_Fence *svmr_fenceList(svm_StreamUnit *u, size_t length, const svm_Fence list[], size_t *count, svmr_Place at)
{
    FenceList after = listed(u, length, list, at);
    *count = after.count;
    return after.fences;
}

// ---- Kernels ----

typedef struct Start {
    svm_KernelFunction *function;
    const char *name;
    size_t firstParameter;
    svm_StreamList inputs, outputs;
    bool restore;
} Start;

static void checkList(const svm_StreamUnit *u, svm_StreamList list, svmr_Place at)
{
    if (list.count && !list.registers)
        svmr_fail(u->private_->machine, SVM_ERROR_BAD_ARGUMENT, "", at, "the array of registers is a null pointer");
    for (size_t s = 0; s < list.count; s++)
        srfBlock(u, list.registers[s], at);
}

static void checkOutputs(const svm_StreamUnit *u, svm_StreamList outputs, svmr_Place at)
{
    for (size_t a = 0; a < outputs.count; a++)
        for (size_t b = a + 1; b < outputs.count; b++)
            if (outputs.registers[a] == outputs.registers[b])
                svmr_fail(u->private_->machine, SVM_ERROR_BAD_ARGUMENT, "", at,
                          "SRF register %zu is an output of the kernel twice", outputs.registers[a]);
}

static svm_Fence startKernel(svm_StreamUnit *u, const Start *s, FenceList after, svmr_Place at)
{
    Private *p = u->private_;
    if (s->firstParameter >= u->parameterRegisters)
        svmr_fail(p->machine, SVM_ERROR_BAD_ARGUMENT, "", at, "parameter register %zu of %zu", s->firstParameter,
                  u->parameterRegisters);
    checkList(u, s->inputs, at);
    checkList(u, s->outputs, at);
    checkOutputs(u, s->outputs, at);
    checkFences(u, after, at);
    svmr_Instruction *i = prepare(u, s->inputs.count + s->outputs.count);
    svm_kernelInitAt(&i->kernel, u->processor, s->function, s->name, at.file, at.line);
    svm_kernelNeverBlocksAt(&i->kernel, at.file, at.line);
    i->initialised = true;
    i->kernel.private_->instruction = i;
    i->restored = s->restore;
    i->inputs = s->inputs.count;
    i->firstParameter = s->firstParameter;
    for (size_t r = 0; r < s->inputs.count; r++) {
        svm_Block b = srfBlock(u, s->inputs.registers[r], at);
        addInput(u, i, s->inputs.registers[r], &b);
    }
    for (size_t r = 0; r < s->outputs.count; r++) {
        svm_Block b = srfBlock(u, s->outputs.registers[r], at);
        addOutput(u, i, s->outputs.registers[r], &b);
    }
    return start(u, i, after, at);
}

#define KERNEL_FORMS(Name, restore)                                                                                    \
    svm_Fence svm_##Name##AfterAt(svm_StreamUnit *u, svm_KernelFunction *function, const char *name,                   \
                                  size_t firstParameter, svm_StreamList inputs, svm_StreamList outputs, size_t count,  \
                                  const svm_Fence fences[], const char *file, int line)                                \
    {                                                                                                                  \
        svmr_Place at = SVMR_PLACE("svm_" #Name);                                                                      \
        checkUnit(u, at);                                                                                              \
        Start s = {function, name, firstParameter, inputs, outputs, restore};                                          \
        return startKernel(u, &s, (FenceList){count, fences}, at);                                                     \
    }                                                                                                                  \
    svm_Fence svm_##Name##ListAt(svm_StreamUnit *u, svm_KernelFunction *function, const char *name,                    \
                                 size_t firstParameter, svm_StreamList inputs, svm_StreamList outputs, size_t length,  \
                                 const svm_Fence list[], const char *file, int line)                                   \
    {                                                                                                                  \
        svmr_Place at = SVMR_PLACE("svm_" #Name);                                                                      \
        FenceList after = listed(u, length, list, at);                                                                 \
        Start s = {function, name, firstParameter, inputs, outputs, restore};                                          \
        return startKernel(u, &s, after, at);                                                                          \
    }
KERNEL_FORMS(KernelStart, false)
KERNEL_FORMS(KernelRestore, true)

// ---- Fences ----

static bool hasCompleted(Private *p, svm_Fence fence)
{
    retire(p);
    if (fence < p->first)
        return true;
    const svmr_Instruction *i = *slotOf(p, fence);
    return !i->barrier && completed(i); // a barrier that has completed has left the ring
}

bool svm_queryAt(svm_StreamUnit *u, svm_Fence fence, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_query");
    Private *p = checkUnit(u, at);
    checkFence(u, fence, at);
    if (hasCompleted(p, fence))
        return true;
    // Asking lets the machine go on where it does so only while the control thread is in the runtime.
    svm_kernelStateOfAt(&(*slotOf(p, p->first))->kernel, file, line);
    return hasCompleted(p, fence);
}

void svm_synchAt(svm_StreamUnit *u, svm_Fence fence, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_synch");
    Private *p = checkUnit(u, at);
    checkFence(u, fence, at);
    if (hasCompleted(p, fence))
        return;
    svmr_Instruction *i = *slotOf(p, fence);
    if (!i->barrier) {
        svm_kernelWaitAt(&i->kernel, file, line);
        return;
    }
    while (p->first < fence) {
        i = *slotOf(p, p->first);
        svm_kernelWaitAt(&i->kernel, file, line);
        retire(p);
    }
}

bool svm_suspendedAt(svm_StreamUnit *u, svm_Fence fence, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_suspended");
    Private *p = checkUnit(u, at);
    checkFence(u, fence, at);
    if (!hasCompleted(p, fence))
        svmr_fail(p->machine, SVM_ERROR_PENDING, "", at, "the instruction of fence %llu has not completed",
                  (unsigned long long)fence);
    if (fence >= p->first) { // it has overtaken earlier ones
        svmr_Instruction *i = *slotOf(p, fence);
        bool suspended = i->suspended;
        i->suspended = false;
        return suspended;
    }
    for (size_t i = 0; i < p->suspendedCount; i++) {
        if (p->suspended[i] != fence)
            continue;
        p->suspended[i] = p->suspended[--p->suspendedCount];
        return true;
    }
    return false;
}

size_t svm_streamRecordsAt(svm_StreamUnit *u, size_t srfRegister_, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_streamRecords");
    checkUnit(u, at);
    srfRegister(u, srfRegister_, at);
    return currentStream(u, srfRegister_)->records;
}
