// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where live streams are: two of them never share a byte, since each end of a stream relies on what it wrote. The
// objects themselves may be gone (a stream on a stack that returned), so each memory keeps what it needs of its own.
#include "runtime/common/scheduler.h"

#include <stdlib.h>

// The first extent of a memory that ends beyond an address. They do not overlap, so their ends are ordered too.
static size_t firstBeyond(const svmr_MemoryState *s, size_t address)
{
    size_t low = 0, high = s->streamCount;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (s->streams[middle]->address + s->streams[middle]->bytes <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// ---- The table of extents by the address of their stream's object, whatever the object holds now ----

static size_t slotOf(const svm_Machine *m, const svm_Stream *s)
{
    return (size_t)(((uint64_t)(uintptr_t)s >> 3) * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (m->extentSlots - 1);
}

static svmr_Extent **findSlot(const svm_Machine *m, const svm_Stream *s)
{
    size_t i = slotOf(m, s);
    while (m->extents[i] && m->extents[i]->stream != s)
        i = (i + 1) & (m->extentSlots - 1);
    return &m->extents[i];
}

static void addToTable(svm_Machine *m, svmr_Extent *e)
{
    if ((m->extentCount + 1) * 2 > m->extentSlots) {
        svmr_Extent **old = m->extents;
        size_t oldSlots = m->extentSlots;
        m->extentSlots = oldSlots ? oldSlots * 2 : 16;
        m->extents = svmr_allocate(m->extentSlots, sizeof *m->extents);
        for (size_t i = 0; i < oldSlots; i++)
            if (old[i])
                *findSlot(m, old[i]->stream) = old[i];
        free(old);
    }
    *findSlot(m, e->stream) = e;
    m->extentCount++;
}

static void removeFromTable(svm_Machine *m, const svmr_Extent *e)
{
    size_t mask = m->extentSlots - 1, hole = (size_t)(findSlot(m, e->stream) - m->extents);
    for (size_t i = (hole + 1) & mask; m->extents[i]; i = (i + 1) & mask) {
        size_t home = slotOf(m, m->extents[i]->stream);
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            m->extents[hole] = m->extents[i];
            hole = i;
        }
    }
    m->extents[hole] = NULL;
    m->extentCount--;
}

svmr_Extent *svmr_extentOf(const svm_Machine *m, const svm_Stream *s)
{
    return m->extentSlots ? *findSlot(m, s) : NULL;
}

// ---- Beginning and ending to live ----

static void removeAt(svm_Machine *m, svmr_MemoryState *s, size_t i)
{
    svmr_Extent *e = s->streams[i];
    s->streamCount--;
    memmove(s->streams + i, s->streams + i + 1, (s->streamCount - i) * sizeof *s->streams);
    removeFromTable(m, e);
    if (e->lateBy) {
        svmr_Extent **link = &e->lateBy->late;
        while (*link != e)
            link = &(*link)->nextLate;
        *link = e->nextLate;
    }
    free(e);
}

static void drop(svm_Machine *m, const svm_Stream *s)
{
    svmr_streamGone(m, s); // others may place and drop streams meanwhile
    const svmr_Extent *e = svmr_extentOf(m, s);
    if (e)
        removeAt(m, e->memory, firstBeyond(e->memory, e->address));
}

void svmr_placeStream(svm_Machine *m, svm_Stream *s, size_t bytes, svmr_Place at)
{
    svmr_MemoryState *memory = svmr_memoryState(m, s->memory, at);
    svmr_lock(m);
    drop(m, s);
    size_t i = firstBeyond(memory, s->address);
    const svmr_Extent *other = i < memory->streamCount ? memory->streams[i] : NULL;
    if (other && other->address < s->address + bytes)
        svmr_fail(m, SVM_ERROR_OVERLAP, s->name, at,
                  "%zu bytes at %#zx in the memory '%s' overlap the stream '%s' of %zu bytes at %#zx", bytes,
                  s->address, s->memory->name, other->name ? other->name : "(unnamed)", other->bytes, other->address);
    svmr_Extent *e = svmr_allocate(1, sizeof *e);
    *e = (svmr_Extent){.stream = s, .address = s->address, .bytes = bytes, .name = s->name, .memory = memory};
    memory->streams = svmr_grow(memory->streams, &memory->streamCap, memory->streamCount + 1, sizeof(*memory->streams));
    memmove(memory->streams + i + 1, memory->streams + i, (memory->streamCount - i) * sizeof *memory->streams);
    memory->streams[i] = e;
    memory->streamCount++;
    addToTable(m, e);
    svmr_unlock(m);
}

void svmr_dropStream(svm_Machine *m, svm_Stream *s)
{
    svmr_lock(m);
    drop(m, s);
    svmr_unlock(m);
}

void svmr_dropStreams(svm_Machine *m, svmr_MemoryState *memory, size_t address, size_t bytes)
{
    for (size_t i;
         (i = firstBeyond(memory, address)) < memory->streamCount && memory->streams[i]->address < address + bytes;)
        drop(m, memory->streams[i]->stream);
}

void svmr_nameStream(svm_Machine *m, const svm_Stream *s)
{
    svmr_lock(m);
    svmr_Extent *e = svmr_extentOf(m, s);
    if (e)
        e->name = s->name;
    svmr_unlock(m);
}

void svmr_freeExtents(svm_Machine *m)
{
    for (size_t i = 0; i < m->extentSlots; i++)
        free(m->extents[i]);
    free(m->extents);
}
