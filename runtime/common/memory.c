// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memories and blocks. A local memory is as many bytes of the host's as the machine says, had when first used;
// addresses in it are offsets. A global memory is the host's own: its addresses are pointers, and must lie in what
// svm_alloc and svm_map gave.
#include "runtime/common/adversary.h"
#include "runtime/common/scheduler.h"

#include <stdlib.h>
#include <sys/mman.h>

// ---- Regions of a global memory ----

// Regions given back stay in the array, without users, until something else than another one given back is looked for:
// a program that ends gives them all back.
static void dropUnused(svmr_MemoryState *s)
{
    if (s->unused == 0)
        return;
    size_t kept = 0;
    for (size_t i = 0; i < s->regionCount; i++)
        if (s->regions[i].users)
            s->regions[kept++] = s->regions[i];
    s->regionCount = kept;
    s->unused = 0;
}

// The index of the first region that begins beyond an address.
static size_t regionBeyond(const svmr_MemoryState *s, size_t address)
{
    size_t low = 0, high = s->regionCount;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (s->regions[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// The region that an address may lie in: the last that does not begin beyond it.
static svmr_Region *regionAt(svmr_MemoryState *s, size_t address)
{
    dropUnused(s);
    size_t i = regionBeyond(s, address);
    return i ? &s->regions[i - 1] : NULL;
}

static void addRegion(svmr_MemoryState *s, svmr_Region region)
{
    dropUnused(s);
    size_t i = regionBeyond(s, region.address);
    s->regions = svmr_grow(s->regions, &s->regionCap, s->regionCount + 1, sizeof *s->regions);
    memmove(s->regions + i + 1, s->regions + i, (s->regionCount - i) * sizeof *s->regions);
    s->regions[i] = region;
    s->regionCount++;
}

static svmr_MemoryState *globalMemory(svm_Machine *m, mm_Mem memory, svmr_Place at)
{
    int id = svmr_memoryId(m, memory, at);
    svmr_MemoryState *s = &svmr_state(m, id)->memories[svmr_index(id)];
    if (s->row->local)
        svmr_fail(m, SVM_ERROR_BAD_MEMORY, memory->name, at,
                  "addresses in a local memory are offsets that the program gives out itself");
    if (!svmr_state(m, id)->controlReaches[svmr_index(id)])
        svmr_fail(m, SVM_ERROR_BAD_MEMORY, memory->name, at, "no control processor reaches this memory");
    return s;
}

size_t svm_allocAt(mm_Mem memory, size_t bytes, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_alloc");
    svm_Machine *m = svmr_machine();
    svmr_MemoryState *s = globalMemory(m, memory, at);
    svmr_lock(m);
    if (bytes > s->row->size - s->used)
        svmr_fail(m, SVM_ERROR_OUT_OF_MEMORY, memory->name, at, "%zu bytes wanted, %llu of %llu left", bytes,
                  (unsigned long long)(s->row->size - s->used), (unsigned long long)s->row->size);
    size_t align = s->row->alignment > 16 ? s->row->alignment : 16;
    // calloc leaves pages of large pieces untouched.
    char *base = bytes < SIZE_MAX - align ? calloc(1, bytes + align) : NULL;
    if (!base)
        svmr_fail(m, SVM_ERROR_OUT_OF_MEMORY, memory->name, at, "%zu bytes wanted, more than this computer has left",
                  bytes);
    size_t address = ((size_t)base + align - 1) & ~(align - 1);
    if (SVMR_UNLIKELY(m->adversary != NULL) && !m->adversary->zeroes)
        svmr_poison(m->adversary, (void *)address, bytes);
    addRegion(s, (svmr_Region){address, bytes, base, 1});
    s->used += bytes;
    svmr_unlock(m);
    return address;
}

unsigned long long svmr_memoryLeft(svm_Machine *m, mm_Mem memory)
{
    svmr_MemoryState *s = globalMemory(m, memory, (svmr_Place){"svmr_memoryLeft", NULL, 0});
    svmr_lock(m);
    const unsigned long long left = s->row->size - s->used;
    svmr_unlock(m);
    return left;
}

size_t svm_mapAt(mm_Mem memory, void *pointer, size_t bytes, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_map");
    svm_Machine *m = svmr_machine();
    svmr_MemoryState *s = globalMemory(m, memory, at);
    size_t address = (size_t)pointer;
    if (!pointer || bytes == 0 || bytes - 1 > SIZE_MAX - address)
        svmr_fail(m, SVM_ERROR_BAD_ARGUMENT, memory->name, at, "%zu bytes at %p", bytes, pointer);
    svmr_lock(m);
    svmr_Region *r = regionAt(s, address + (bytes - 1));
    bool again = r && r->address == address && r->bytes == bytes && !r->base;
    if (again)
        r->users++;
    else if (r && r->address + r->bytes > address)
        svmr_fail(m, SVM_ERROR_ADDRESS_RANGE, memory->name, at, "%zu bytes at %p overlap memory that is in use already",
                  bytes, pointer);
    if (!again)
        addRegion(s, (svmr_Region){address, bytes, NULL, 1});
    svmr_unlock(m);
    return address;
}

static void giveBack(mm_Mem memory, size_t address, bool mapped, svmr_Place at)
{
    svm_Machine *m = svmr_machine();
    svmr_MemoryState *s = globalMemory(m, memory, at);
    svmr_lock(m);
    size_t i = regionBeyond(s, address);
    svmr_Region *r = i ? &s->regions[i - 1] : NULL;
    if (!r || r->address != address || !r->users || mapped != !r->base)
        svmr_fail(m, SVM_ERROR_ADDRESS_RANGE, memory->name, at, "the address %#zx is not one that %s gave", address,
                  mapped ? "svm_map" : "svm_alloc");
    if (--r->users == 0) {
        svmr_dropStreams(m, s, r->address, r->bytes);
        if (r->base)
            s->used -= r->bytes;
        if (SVMR_UNLIKELY(m->adversary != NULL) && r->base)
            svmr_poison(m->adversary, (void *)r->address, r->bytes);
        free(r->base);
        r->base = NULL;
        s->unused++;
    }
    svmr_unlock(m);
}

void svm_freeAt(mm_Mem memory, size_t address, const char *file, int line)
{
    giveBack(memory, address, false, SVMR_PLACE("svm_free"));
}

void svm_unmapAt(mm_Mem memory, size_t address, const char *file, int line)
{
    giveBack(memory, address, true, SVMR_PLACE("svm_unmap"));
}

static void releaseLocal(svmr_MemoryState *s)
{
#ifdef SVMR_QUEUES
    (void)s; // the processor's
#else
    if (s->local)
        munmap(s->local, s->row->size);
#endif
}

void svmr_freeMemories(svm_Machine *m)
{
    for (int i = 0; i < m->tableCount; i++) {
        svmr_MachineState *s = m->states[i];
        if (!s)
            continue;
        for (int j = 0; j < s->table->memoryCount; j++) {
            svmr_MemoryState *memory = &s->memories[j];
            for (size_t r = 0; r < memory->regionCount; r++)
                free(memory->regions[r].base);
            free(memory->regions);
            free(memory->streams);
            releaseLocal(memory);
        }
        free(s->memories);
        free(s->reaches);
        free(s->controlReaches);
        free(s->order);
        free(s);
    }
}

// ---- Addresses ----

static char *localBytes(svm_Machine *m, svmr_MemoryState *s, const char *object, svmr_Place at)
{
    if (s->local)
        return s->local;
#ifdef SVMR_QUEUES
    return s->local = svmr_localMemory(m, s, object, at);
#else
    void *bytes = mmap(NULL, s->row->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (bytes == MAP_FAILED)
        svmr_fail(m, SVM_ERROR_OUT_OF_MEMORY, object, at,
                  "the memory '%s' of %llu bytes is more than this computer has left", s->row->name,
                  (unsigned long long)s->row->size);
    return s->local = bytes;
#endif
}

// Nothing was written yet to what a local memory's objects never reached.
static SVMR_COLD void poisonLocal(const svmr_Adversary *a, svmr_MemoryState *s, size_t end)
{
    if (a->zeroes || end <= s->poisoned)
        return;
    svmr_poison(a, s->local + s->poisoned, end - s->poisoned);
    s->poisoned = end;
}

svmr_MemoryState *svmr_memoryState(svm_Machine *m, mm_Mem memory, svmr_Place at)
{
    int id = svmr_memoryId(m, memory, at);
    return &svmr_state(m, id)->memories[svmr_index(id)];
}

// most: of the memory's alignment, what matters.
static void checkAlignment(svm_Machine *m, const svmr_MemoryState *s, mm_Mem memory, size_t address, size_t most,
                           const char *object, svmr_Place at)
{
    const svm_MemoryRow *row = s->row;
    const size_t alignment = row->alignment < most ? row->alignment : most;
    if (row->local && alignment > 1 && address % alignment)
        svmr_fail(m, SVM_ERROR_ALIGNMENT, object, at,
                  "the address %zu in the memory '%s' is not a multiple of its %s of %zu bytes", address, memory->name,
                  alignment == row->alignment ? "alignment" : "words", alignment);
}

void svmr_checkAlignment(svm_Machine *m, mm_Mem memory, size_t address, const char *object, svmr_Place at)
{
    checkAlignment(m, svmr_memoryState(m, memory, at), memory, address, SIZE_MAX, object, at);
}

static char *locate(svm_Machine *m, svmr_MemoryState *s, mm_Mem memory, size_t address, size_t bytes,
                    const char *object, svmr_Place at)
{
    if (s->row->local) {
        if (address > s->row->size || bytes > s->row->size - address)
            svmr_fail(m, SVM_ERROR_ADDRESS_RANGE, object, at,
                      "%zu bytes at %zu do not fit in the memory '%s' of %llu bytes", bytes, address, memory->name,
                      (unsigned long long)s->row->size);
        char *local = localBytes(m, s, object, at);
        if (SVMR_UNLIKELY(s->room && address + bytes > s->room))
            svmr_fail(m, SVM_ERROR_ADDRESS_RANGE, object, at,
                      "%zu bytes at %zu do not fit in the memory '%s', of which the program has %zu bytes: %s", bytes,
                      address, memory->name, s->room, s->roomText);
        if (SVMR_UNLIKELY(m->adversary != NULL))
            poisonLocal(m->adversary, s, address + bytes);
        return local + address;
    }
    const svmr_Region *r = regionAt(s, address);
    if (!r || address - r->address > r->bytes || bytes > r->bytes - (address - r->address)) {
        if (r && address - r->address <= r->bytes)
            svmr_fail(m, SVM_ERROR_ADDRESS_RANGE, object, at,
                      "%zu bytes at offset %zu do not fit in the %zu bytes that were given in the memory '%s'", bytes,
                      address - r->address, r->bytes, memory->name);
        svmr_fail(m, SVM_ERROR_ADDRESS_RANGE, object, at,
                  "%zu bytes at %#zx in the memory '%s' are not what svm_alloc or svm_map gave", bytes, address,
                  memory->name);
    }
    return (char *)(uintptr_t)address;
}

char *svmr_locate(svm_Machine *m, mm_Mem memory, size_t address, size_t bytes, const char *object, svmr_Place at)
{
    svmr_MemoryState *s = svmr_memoryState(m, memory, at);
    svmr_lock(m);
    char *place = locate(m, s, memory, address, bytes, object, at);
    svmr_unlock(m);
    return place;
}

// ---- Blocks ----

static void initBlock(svm_Block *b, mm_Mem memory, size_t address, size_t capacity, size_t elementSize, size_t most,
                      svmr_Place at)
{
    svm_Machine *m = svmr_machine();
    if (!b)
        svmr_fail(m, SVM_ERROR_BAD_ARGUMENT, "", at, "the block is a null pointer");
    if (elementSize == 0)
        svmr_fail(m, SVM_ERROR_BAD_ARGUMENT, "", at, "the element size is 0");
    if (capacity > SIZE_MAX / elementSize)
        svmr_fail(m, SVM_ERROR_ADDRESS_RANGE, "", at, "%zu elements of %zu bytes are more than any memory holds",
                  capacity, elementSize);
    svmr_MemoryState *s = svmr_memoryState(m, memory, at);
    if (s->row->fifo)
        svmr_fail(m, SVM_ERROR_BAD_MEMORY, "", at, "the memory '%s' is a hardware queue, which holds streams only",
                  memory->name);
    svmr_lock(m);
    char *data = locate(m, s, memory, address, capacity * elementSize, "", at);
    svmr_unlock(m);
    checkAlignment(m, s, memory, address, most, "", at);
    *b = (svm_Block){.data = data,
                     .capacity = capacity,
                     .elementSize = elementSize,
                     .memory = memory,
                     .address = address,
                     .machine = m};
    b->check = svmr_blockCheck(b);
}

void svm_blockInitAt(svm_Block *b, mm_Mem memory, size_t address, size_t capacity, size_t elementSize, const char *file,
                     int line)
{
    initBlock(b, memory, address, capacity, elementSize, SIZE_MAX, SVMR_PLACE("svm_blockInit"));
}

void svmr_wordsInit(svm_Block *b, mm_Mem memory, size_t address, size_t words, size_t word, svmr_Place at)
{
    initBlock(b, memory, address, words, word, word, at);
}

void svm_blockName(svm_Block *b, const char *name)
{
    b->name = name;
}

void svmr_blockLies(svm_Block *b, void *data)
{
    svmr_Place nowhere = {0};
    b->data = data ? data : svmr_locate(b->machine, b->memory, b->address, b->capacity * b->elementSize, "", nowhere);
    b->check = svmr_blockCheck(b);
}

const svm_Block *svmr_checkBlock(const svm_Block *b, svmr_Place at)
{
    if (SVMR_UNLIKELY(!b || b->check != svmr_blockCheck(b)))
        svmr_fail(svmr_machine(), SVM_ERROR_BAD_ARGUMENT, "", at,
                  b ? "the block was not initialised" : "the block is a null pointer");
    return b;
}

static void checkIndex(const svm_Block *b, size_t index, svmr_Place at)
{
    svmr_checkBlock(b, at);
    if (SVMR_UNLIKELY(index >= b->capacity))
        svmr_fail(b->machine, SVM_ERROR_INDEX_RANGE, b->name, at, "element %zu of a block of %zu", index, b->capacity);
    svmr_Kernel *p = svmr_current(b->machine);
    if (SVMR_UNLIKELY(p && p->serial & SVMR_INTERRUPTED))
        svmr_obey(p);
    svmr_checkReach(b->machine, p, b->memory, b->name, at);
}

void svm_blockReadAt(const svm_Block *b, size_t index, void *element, const char *file, int line)
{
    checkIndex(b, index, SVMR_PLACE("svm_blockRead"));
    memcpy(element, b->data + index * b->elementSize, b->elementSize);
}

void svm_blockWriteAt(svm_Block *b, size_t index, const void *element, const char *file, int line)
{
    checkIndex(b, index, SVMR_PLACE("svm_blockWrite"));
    memcpy(b->data + index * b->elementSize, element, b->elementSize);
}
