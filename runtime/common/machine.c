// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Machines: creation, the one a thread uses, and the names of memories and processors.
#include "runtime/common/adversary.h"
#include "runtime/common/scheduler.h"

#include <pthread.h>
#include <stdlib.h>

_Thread_local svmr_Thread svmr_thread __attribute__((tls_model("initial-exec")));

// ---- Instances ----

svm_Machine *svm_machineCreate(void)
{
    svm_Machine *m = svmr_allocate(1, sizeof *m);
    for (const svm_MachineTable *t = &svm_machineTable; t; t = t->next)
        m->tableCount++;
    m->states = svmr_allocate((size_t)m->tableCount, sizeof *m->states);
    pthread_mutex_init(&m->mutex, NULL);
    m->controlCount = 1;
    m->adversary = svmr_adversaryCreate();
    svmr_schedulerCreate(m);
    return m;
}

static void freeFailures(svm_Machine *m)
{
    for (svmr_Failure *f = m->failures, *next; f; f = next) {
        next = f->next;
        free(f->message);
        free(f);
    }
}

void svmr_giveUp(svm_Machine *m)
{
    svmr_lock(m);
    m->givenUp = true;
    freeFailures(m);
    __atomic_store_n(&m->failures, NULL, __ATOMIC_RELAXED);
    svmr_unlock(m);
    svm_machineDestroyAt(m, NULL, 0);
}

void svm_machineDestroyAt(svm_Machine *m, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_machineDestroy");
    if (!m)
        return;
    svmr_checkControl(m, "", at);
    if (m->controls)
        svmr_fail(m, SVM_ERROR_IN_USE, svmr_controlName(m->controls), at,
                  "the control thread was not joined, and its machine is to be destroyed");
    svmr_schedulerDestroy(m);
    if (m->failures && !m->givenUp) { // kernels' last: the machine is of no use to a handler any more
        svmr_thread.handler = NULL;
        svmr_raise(m);
    }
    if (svmr_thread.inUse == m)
        svmr_thread.inUse = NULL;
    if (svmr_thread.own == m)
        svmr_thread.own = NULL;
    for (size_t i = 0; i < m->logCount; i++)
        m->logs[i]->machine = NULL;
    svmr_freeKernels(m);
    svmr_freeCoroutines(m);
    svmr_freeExtents(m);
    svmr_freeMemories(m);
    freeFailures(m);
    pthread_mutex_destroy(&m->mutex);
    free(m->states);
    free(m->logs);
    free(m->adversary);
    free(m);
}

void svmr_lockShared(svm_Machine *m)
{
    pthread_mutex_lock(&m->mutex);
    svmr_thread.held = m;
}

void svmr_unlockShared(svm_Machine *m)
{
    svmr_thread.held = NULL;
    pthread_mutex_unlock(&m->mutex);
}

void svmr_releaseHeld(void)
{
    if (svmr_thread.held)
        svmr_unlockShared(svmr_thread.held);
}

// A thread's own machine goes with the thread.
static pthread_once_t keyOnce = PTHREAD_ONCE_INIT;
static pthread_key_t key;

static void destroyOwn(void *thread)
{
    svmr_Thread *t = thread;
    t->handler = NULL;
    svm_machineDestroyAt(t->own, NULL, 0);
    free(t->message);
    t->message = NULL;
}

static void makeKey(void)
{
    if (pthread_key_create(&key, destroyOwn))
        svmr_fatalProgram("no thread key left");
}

void svmr_keepMessage(void)
{
    pthread_once(&keyOnce, makeKey);
    pthread_setspecific(key, &svmr_thread);
}

static SVMR_COLD svm_Machine *createOwn(void)
{
    svmr_keepMessage();
    return svmr_thread.own = svm_machineCreate();
}

svm_Machine *svmr_machine(void)
{
    svm_Machine *m = svmr_thread.inUse ? svmr_thread.inUse : svmr_thread.own;
    return m ? m : createOwn();
}

svm_Machine *svm_machineUse(svm_Machine *m)
{
    svm_Machine *before = svmr_thread.inUse;
    svmr_thread.inUse = m;
    return before;
}

// ---- Names ----

static const svm_MachineTable *tableAt(int ordinal)
{
    const svm_MachineTable *t = &svm_machineTable;
    while (ordinal-- > 0)
        t = t->next;
    return t;
}

static int findMemory(const svm_MachineTable *t, const char *name)
{
    for (int i = 0; i < t->memoryCount; i++)
        if (strcmp(t->memories[i].name, name) == 0)
            return i;
    return -1;
}

static int findProcessor(const svm_MachineTable *t, const char *name)
{
    for (int i = 0; i < t->processorCount; i++)
        if (strcmp(t->processors[i].name, name) == 0)
            return i;
    return -1;
}

static SVMR_COLD _Noreturn void failNames(svm_Machine *m, const char *what, const char *name, const char *machine,
                                          svmr_Place at)
{
    char known[400] = "";
    size_t n = 0;
    const svm_MachineTable *found = NULL;
    for (const svm_MachineTable *t = &svm_machineTable; t; t = t->next) {
        if (machine && strcmp(t->name, machine) == 0)
            found = t;
        if (n < sizeof known - 1)
            n += (size_t)snprintf(known + n, sizeof known - n, "%s'%s'", n ? ", " : "", t->name);
    }
    if (machine && !found)
        svmr_fail(m, SVM_ERROR_NO_MACHINE, name, at,
                  "the machine '%s' is not known here, only %s; link the program with svm-llc", machine, known);
    n = 0;
    known[0] = 0;
    const svm_MachineTable *t = found ? found : &svm_machineTable;
    bool memory = *what == 'm';
    int count = memory ? t->memoryCount : t->processorCount;
    for (int i = 0; i < count && n < sizeof known - 1; i++)
        n += (size_t)snprintf(known + n, sizeof known - n, "%s'%s'", n ? ", " : "",
                              memory ? t->memories[i].name : t->processors[i].name);
    svmr_fail(m, SVM_ERROR_NO_NAME, name, at, "the machine '%s' has no %s '%s', only %s", t->name, what, name, known);
}

// The id kept in a name (the same for every machine instance, so threads may race to write it).
static int resolve(svm_Machine *m, const char *name, int *idPlace, const char *machine, bool memory, svmr_Place at)
{
    int id = __atomic_load_n(idPlace, __ATOMIC_RELAXED);
    if (id)
        return id;
    if (!name)
        svmr_fail(m, SVM_ERROR_BAD_ARGUMENT, "", at, "a %s without a name", memory ? "memory" : "processor");
    int ordinal = 0;
    for (const svm_MachineTable *t = &svm_machineTable; t; t = t->next, ordinal++) {
        if (machine && strcmp(t->name, machine) != 0)
            continue;
        int index = memory ? findMemory(t, name) : findProcessor(t, name);
        if (index < 0)
            continue;
        id = (ordinal << 16 | index) + 1;
        __atomic_store_n(idPlace, id, __ATOMIC_RELAXED);
        return id;
    }
    failNames(m, memory ? "memory" : "processor", name, machine, at);
}

int svmr_memoryId(svm_Machine *m, mm_Mem memory, svmr_Place at)
{
    if (!memory)
        svmr_fail(m, SVM_ERROR_BAD_ARGUMENT, "", at, "the memory is a null pointer");
    return resolve(m, memory->name, &memory->id, memory->machine, true, at);
}

int svmr_processorId(svm_Machine *m, mm_Proc processor, svmr_Place at)
{
    if (!processor)
        svmr_fail(m, SVM_ERROR_BAD_ARGUMENT, "", at, "the processor is a null pointer");
    return resolve(m, processor->name, &processor->id, processor->machine, false, at);
}

// ---- What an instance has of a machine ----

static svmr_MachineState *makeState(const svm_MachineTable *t)
{
    svmr_MachineState *s = svmr_allocate(1, sizeof *s);
    size_t memories = (size_t)t->memoryCount;
    s->table = t;
    s->memories = svmr_allocate(memories, sizeof *s->memories);
    for (size_t i = 0; i < memories; i++)
        s->memories[i].row = &t->memories[i];
    s->reaches = svmr_allocate(memories * (size_t)t->processorCount, sizeof *s->reaches);
    s->controlReaches = svmr_allocate(memories, sizeof *s->controlReaches);
    s->order = svmr_allocate((size_t)t->processorCount, sizeof *s->order);
    for (int i = 0; i < t->processorCount; i++) {
        const svm_ProcessorRow *p = &t->processors[i];
        for (int j = 0; j < p->reachCount; j++) {
            s->reaches[(size_t)i * memories + (size_t)p->reaches[j]] = true;
            if (p->kind == SVM_PROCESSOR_CONTROL)
                s->controlReaches[p->reaches[j]] = true;
        }
    }
    return s;
}

svmr_MachineState *svmr_state(svm_Machine *m, int id)
{
    svmr_MachineState **place = &m->states[svmr_ordinal(id)], *state = __atomic_load_n(place, __ATOMIC_ACQUIRE);
    if (SVMR_UNLIKELY(!state)) {
        bool outer = svmr_thread.held == m;
        if (!outer)
            svmr_lock(m);
        state = *place ? *place : makeState(tableAt(svmr_ordinal(id)));
        __atomic_store_n(place, state, __ATOMIC_RELEASE);
        if (!outer)
            svmr_unlock(m);
    }
    return state;
}

void svmr_checkReach(svm_Machine *m, const svmr_Kernel *p, mm_Mem memory, const char *object, svmr_Place at)
{
    int id = svmr_memoryId(m, memory, at);
    if (!p) {
        if (!svmr_state(m, id)->controlReaches[svmr_index(id)])
            svmr_fail(m, SVM_ERROR_BAD_MEMORY, object, at,
                      "it is in the memory '%s', which no control processor reaches", memory->name);
        return;
    }
    if (svmr_ordinal(id) != svmr_ordinal(p->processor))
        svmr_fail(m, SVM_ERROR_BAD_MEMORY, object, at,
                  "it is in the memory '%s' of another machine than the kernel '%s'", memory->name, svmr_name(p));
    if (!p->reaches[svmr_index(id)])
        svmr_fail(m, SVM_ERROR_BAD_MEMORY, object, at,
                  "it is in the memory '%s', which the processor '%s' of '%s' does not reach", memory->name,
                  svmr_state(m, id)->table->processors[svmr_index(p->processor)].name, svmr_name(p));
}
