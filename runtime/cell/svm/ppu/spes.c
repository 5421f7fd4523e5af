// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPEs of a machine instance: which processors they are, their contexts and threads, telling and waiting.
#include <stdlib.h>
#include <unistd.h>

#include "runtime/cell/svm/ppu/internal.h"

enum { QUEUE_BYTES = 1 << 20, POLL_MICROSECONDS = 50 };

// ---- Which processors are SPEs ----

// The local RAM that is all a processor for kernels reaches; -1: it is no SPE.
static int localMemoryOf(const svm_MachineTable *t, const svm_ProcessorRow *row)
{
    int local = -1;
    if (row->kind != SVM_PROCESSOR_KERNEL)
        return -1;
    for (int i = 0; i < row->reachCount; i++) {
        const svm_MemoryRow *memory = &t->memories[row->reaches[i]];
        if (!memory->local || local >= 0)
            return -1;
        if (!memory->fifo)
            local = row->reaches[i];
    }
    return local;
}

static svmr_Spe *findSpe(svm_Machine *m, int ordinal, int processor)
{
    for (svmr_Spe *spe = m->scheduler->spes; spe; spe = spe->next)
        if (spe->ordinal == ordinal && spe->processor == processor)
            return spe;
    return NULL;
}

// ---- Their threads ----

static const char *nameOf(const svmr_Spe *spe)
{
    return spe->machine->states[spe->ordinal]->table->processors[spe->processor].name;
}

static void *runSpe(void *argument)
{
    svmr_Spe *spe = argument;
    unsigned entry = SPE_DEFAULT_ENTRY;
    svmr_serveOnThread(spe);
    while (spe_context_run(spe->context, &entry, 0, (void *)(uintptr_t)svm_cellProgram.overlays, NULL, NULL) != 0) {
        if (!spe->beginsAgain)
            svmr_fatalProgram("the program of %s stopped", nameOf(spe));
        spe->beginsAgain = false;
        entry = SPE_DEFAULT_ENTRY;
    }
    return NULL;
}

static uint32_t hear(svmr_Spe *spe)
{
    unsigned word = 0;
    spe_out_intr_mbox_read(spe->context, &word, 1, SPE_MBOX_ALL_BLOCKING);
    return word;
}

static void *aligned(size_t bytes, char **memory)
{
    *memory = svmr_allocate(1, bytes + 127);
    return (void *)(((uintptr_t)*memory + 127) & ~(uintptr_t)127);
}

static uint64_t address(const volatile void *p)
{
    return (uint64_t)(uintptr_t)p;
}

// Each SPE knows where the others keep its count.
static void introduce(svmr_Spe *spe, svmr_Spe *other)
{
    spe->shared->peers[other->number].complete = address(&other->shared->complete_by[spe->number]);
    spe->shared->peers[other->number].signal = address(spe_ps_area_get(other->context, SPE_SIG_NOTIFY_1_AREA)) + 12;
}

static void setUpQueue(svmr_Spe *spe)
{
    spe->queueBytes = QUEUE_BYTES; // and the ring: powers of two
    svmr_Scheduler *s = spe->machine->scheduler;
    if (!s->complete)
        s->complete = aligned(SVM_CELL_SPES * sizeof *s->complete, &s->completeMemory);
    spe->complete = &s->complete[spe->number];
    spe->queue = aligned(spe->queueBytes, &spe->queueMemory);
    spe->shared->queue = address(spe->queue);
    spe->shared->queueBytes = spe->queueBytes;
    spe->shared->complete = address(spe->complete);
    spe->shared->self = spe->number;
}

// ---- Counts: SVM_CELL_COUNT in the environment ----

// Machines are mostly there until the program ends: the last that started an SPE is counted then.
static const svm_Machine *counted;

static void printCounts(void)
{
    const svm_Machine *m = counted;
    if (!m)
        return;
    const svmr_Scheduler *s = m->scheduler;
    for (unsigned n = 0; n < s->speCount; n++)
        for (const svmr_Spe *spe = s->spes; spe; spe = spe->next)
            if (spe->number == n)
                fprintf(stderr,
                        "svm-cell: %s: kernels %llu, moves %llu, lists %llu, bytes %llu, rings %llu, sleeps %llu\n",
                        nameOf(spe), (unsigned long long)spe->counted.kernels, (unsigned long long)spe->counted.moves,
                        (unsigned long long)spe->counted.lists, (unsigned long long)spe->counted.bytes,
                        (unsigned long long)spe->counted.rings, (unsigned long long)spe->counted.sleeps);
    for (const svmr_Uneven *u = s->uneven; u; u = u->next)
        fprintf(
            stderr,
            "svm-cell: '%s': %llu moves are not whole lines of 128 bytes, the last of %zu bytes, %u behind a line in "
            "the local store and %u there\n",
            u->name, (unsigned long long)u->count, u->bytes, u->ls & 127, (unsigned)(u->ea & 127));
    fprintf(stderr, "svm-cell: PPE: kernels %llu, transfers %llu, repeats %llu\n", (unsigned long long)s->kernelsHere,
            (unsigned long long)s->transfersHere, (unsigned long long)s->repeats);
}

static void beginCounts(const svm_Machine *m)
{
    if (!getenv("SVM_CELL_COUNT"))
        return;
    if (!counted)
        atexit(printCounts);
    counted = m;
    m->scheduler->counts = true;
}

// ---- Starting ----

static svmr_Spe *startSpe(svm_Machine *m, int ordinal, int processor, int memory, svmr_Place at)
{
    svmr_Scheduler *s = m->scheduler;
    const char *name = svmr_state(m, (ordinal << 16 | processor) + 1)->table->processors[processor].name;
    if (s->speCount == SVM_CELL_SPES)
        svmr_fail(m, SVM_ERROR_BAD_PROCESSOR, name, at, "a program for the Cell uses at most %d SPEs", SVM_CELL_SPES);
    if (!svm_cellProgram.image)
        svmr_fail(m, SVM_ERROR_BAD_PROCESSOR, name, at, "the SVM C that the program was made of names no SPE");
    svmr_serveSpes();
    beginCounts(m);
    svmr_Spe *spe = svmr_allocate(1, sizeof *spe);
    *spe =
        (svmr_Spe){.machine = m, .ordinal = ordinal, .processor = processor, .memory = memory, .number = s->speCount++};
    spe->context = spe_context_create(SPE_MAP_PS | SPE_CFG_SIGNOTIFY1_OR, NULL);
    if (!spe->context || spe_program_load(spe->context, svm_cellProgram.image) != 0 ||
        pthread_create(&spe->thread, NULL, runSpe, spe) != 0)
        svmr_fatalProgram("the system gives no SPE for the processor '%s'", name);
    uint32_t hello[SVM_CELL_HELLOS];
    for (int i = 0; i < SVM_CELL_HELLOS; i++)
        hello[i] = hear(spe);
    spe->ls = spe_ls_area_get(spe->context);
    spe->shared = (volatile svm_CellShared *)(spe->ls + hello[SVM_CELL_SHARED]);
    spe->local = hello[SVM_CELL_LOCAL];
    spe->ring = hello[SVM_CELL_RING];
    spe->ringBytes = hello[SVM_CELL_RING_BYTES];
    spe->streamTable = (volatile svm_CellStream *)(spe->ls + hello[SVM_CELL_STREAM_TABLE]);
    setUpQueue(spe);
    for (svmr_Spe *other = s->spes; other; other = other->next) {
        introduce(spe, other);
        introduce(other, spe);
    }
    spe->next = s->spes;
    s->spes = spe;
    svmr_ringSpe(spe);
    return spe;
}

svmr_Spe *svmr_speOfProcessor(svm_Machine *m, int id, svmr_Place at)
{
    const svm_MachineTable *t = svmr_state(m, id)->table;
    svmr_Spe *spe = findSpe(m, svmr_ordinal(id), svmr_index(id));
    int memory = spe ? spe->memory : localMemoryOf(t, &t->processors[svmr_index(id)]);
    return spe || memory < 0 ? spe : startSpe(m, svmr_ordinal(id), svmr_index(id), memory, at);
}

static svmr_Spe *speOfMemory(svm_Machine *m, int ordinal, int memory, svmr_Place at)
{
    for (svmr_Spe *spe = m->scheduler->spes; spe; spe = spe->next)
        if (spe->ordinal == ordinal && spe->memory == memory)
            return spe;
    const svm_MachineTable *t = m->states[ordinal]->table;
    for (int i = 0; i < t->processorCount; i++)
        if (localMemoryOf(t, &t->processors[i]) == memory)
            return startSpe(m, ordinal, i, memory, at);
    return NULL;
}

svmr_Spe *svmr_speOfMemory(svm_Machine *m, mm_Mem memory, svmr_Place at)
{
    int id = svmr_memoryId(m, memory, at);
    return svmr_memoryState(m, memory, at)->row->local ? speOfMemory(m, svmr_ordinal(id), svmr_index(id), at) : NULL;
}

char *svmr_localMemory(svm_Machine *m, svmr_MemoryState *s, const char *object, svmr_Place at)
{
    (void)object;
    int ordinal = 0;
    while (!m->states[ordinal] || s < m->states[ordinal]->memories ||
           s >= m->states[ordinal]->memories + m->states[ordinal]->table->memoryCount)
        ordinal++;
    svmr_Spe *spe = s->row->fifo ? NULL : speOfMemory(m, ordinal, (int)(s - m->states[ordinal]->memories), at);
    if (!spe)
        svmr_fail(m, SVM_ERROR_BAD_MEMORY, s->row->name, at,
                  "it is no local store of an SPE, and programs for the Cell have no other local memories");
    uint32_t taken = spe->local + svm_cellProgram.codeBytes;
    s->room = taken < SVMR_LOCAL_STORE ? SVMR_LOCAL_STORE - taken : 0;
    if (s->room >= s->row->size)
        s->room = 0;
    s->roomText = "code, stack and data of the SPE's program take the rest of its 262144";
    return spe->ls + spe->local;
}

// ---- Telling and waiting ----

// Stores how many there are; true: it sleeps, and does not see it.
static bool makeAvailable(svmr_Spe *spe)
{
    spe->shared->available = spe->written;
    spe->rung = spe->written;
    spe->rungIssued = spe->issued;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return spe->shared->asleep;
}

static void wake(svmr_Spe *spe)
{
    spe->counted.rings++;
    spe_signal_write(spe->context, SPE_SIG_NOTIFY_REG_1, SVM_CELL_PPE_RANG);
}

void svmr_ringSpe(svmr_Spe *spe)
{
    if (makeAvailable(spe))
        wake(spe);
}

// One SPE that sleeps is woken, and wakes the others.
void svmr_ringSpes(svm_Machine *m)
{
    svmr_Spe *first = NULL;
    uint32_t others = 0;
    for (svmr_Spe *spe = m->scheduler->spes; spe; spe = spe->next) {
        if (spe->rung == spe->written || !makeAvailable(spe))
            continue;
        if (!first && !spe->shared->rouses) // else it is on its way to those of before
            first = spe;
        else if (first)
            others |= 1u << spe->number;
        else
            wake(spe);
    }
    m->scheduler->unrung = false;
    if (!first)
        return;
    first->shared->rouses = others;
    wake(first);
}

static bool isComplete(const svmr_Spe *spe, uint32_t count)
{
    return (int32_t)(spe->complete->count - count) >= 0;
}

void svmr_sleepForSpe(svmr_Spe *spe, uint32_t count)
{
    bool *sleeping = &spe->machine->scheduler->sleeping;
    while (__atomic_exchange_n(sleeping, true, __ATOMIC_ACQUIRE)) { // another thread reads the mailboxes
        if (isComplete(spe, count))
            return;
        usleep(POLL_MICROSECONDS);
    }
    spe->shared->wanted = count;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    while (!isComplete(spe, count)) {
        spe->counted.sleeps++;
        hear(spe);
    }
    __atomic_store_n(sleeping, false, __ATOMIC_RELEASE);
}

void svmr_stopSpes(svm_Machine *m)
{
    if (counted == m) {
        printCounts();
        counted = NULL;
    }
    for (svmr_Spe *spe = m->scheduler->spes; spe; spe = spe->next) {
        svmr_queueCommand(spe, NULL, (svm_CellCommand){.kind = SVM_CELL_QUIT}, NULL, 0, NULL, 0);
        svmr_ringSpe(spe);
    }
    for (svmr_Spe *spe = m->scheduler->spes; spe; spe = spe->next)
        pthread_join(spe->thread, NULL);
    svmr_retire(m);
    while (m->scheduler->spes) {
        svmr_Spe *spe = m->scheduler->spes;
        spe_context_destroy(spe->context);
        m->scheduler->spes = spe->next;
        free(spe->queueMemory);
        free(spe->runs);
        free(spe->streams);
        free(spe);
    }
}
