// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernel objects: what the runtime keeps for each, and dependences between them.
#include "runtime/common/scheduler.h"

#include <stdlib.h>

// ---- The table of kernels by the address of their object, so that svm_kernelInit knows one that it has seen ----

static size_t slotOf(const svm_Machine *m, const svm_Kernel *k)
{
    return (size_t)(((uint64_t)(uintptr_t)k >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (m->slotCount - 1);
}

static svmr_Kernel **findSlot(const svm_Machine *m, const svm_Kernel *k)
{
    size_t i = slotOf(m, k);
    while (m->byAddress[i] && m->byAddress[i]->kernel != k)
        i = (i + 1) & (m->slotCount - 1);
    return &m->byAddress[i];
}

static void growTable(svm_Machine *m)
{
    svmr_Kernel **old = m->byAddress;
    size_t oldCount = m->slotCount;
    m->slotCount = oldCount ? oldCount * 2 : 16;
    m->byAddress = svmr_allocate(m->slotCount, sizeof(*m->byAddress));
    for (size_t i = 0; i < oldCount; i++)
        if (old[i])
            *findSlot(m, old[i]->kernel) = old[i];
    free(old);
}

static void removeFromTable(svm_Machine *m, const svm_Kernel *k)
{
    size_t mask = m->slotCount - 1;
    size_t hole = (size_t)(findSlot(m, k) - m->byAddress);
    for (size_t i = (hole + 1) & mask; m->byAddress[i]; i = (i + 1) & mask) {
        size_t home = slotOf(m, m->byAddress[i]->kernel);
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            m->byAddress[hole] = m->byAddress[i];
            hole = i;
        }
    }
    m->byAddress[hole] = NULL;
    m->kernelCount--;
}

static svmr_Kernel *addKernel(svm_Machine *m, svm_Kernel *k)
{
    if ((m->kernelCount + 1) * 2 > m->slotCount)
        growTable(m);
    svmr_Kernel *p = m->spare;
    if (p) {
        m->spare = p->next;
        void *scheduling = p->scheduling;
        memset(p, 0, sizeof *p);
        p->scheduling = scheduling;
    } else {
        p = svmr_allocate(1, sizeof *p);
    }
    p->kernel = k;
    p->machine = m;
    *findSlot(m, k) = p;
    m->kernelCount++;
    p->allPrevious = m->all.last;
    *(m->all.last ? &m->all.last->allNext : &m->all.first) = p;
    m->all.last = p;
    return p;
}

// ---- Checks ----

void svmr_failKernel(const svm_Kernel *k, svmr_Place at)
{
    svmr_fail(svmr_machine(), SVM_ERROR_BAD_ARGUMENT, "", at,
              k ? "the kernel was not initialised, or its object was copied or destroyed"
                : "the kernel is a null pointer");
}

void svmr_failNotControl(svm_Machine *m, const char *object, svmr_Place at)
{
    svmr_fail(m, SVM_ERROR_NOT_CONTROL, object, at, "the kernel '%s' calls what only the control thread may",
              svmr_name(svmr_thread.current));
}

void svmr_failPending(const svmr_Kernel *p, svmr_Place at)
{
    static const char *const states[] = {"idle",   "queued",   "running", "waiting for a stream",
                                         "paused", "finished", "ended"};
    svmr_fail(p->machine, SVM_ERROR_PENDING, svmr_name(p), at, "the kernel is pending: %s", states[p->state]);
}

// ---- Setting up ----

static void forgetDependences(svmr_Kernel *p)
{
    while (p->dependences) {
        svmr_Dependence *d = p->dependences;
        p->dependences = d->next;
        if (d->target) {
            *(d->previousOn ? &d->previousOn->nextOn : &d->target->dependents) = d->nextOn;
            if (d->nextOn)
                d->nextOn->previousOn = d->previousOn;
        }
        free(d);
    }
    p->lastDependence = &p->dependences;
}

// A dependence on a kernel that is no more is satisfied.
static void releaseDependents(svmr_Kernel *p)
{
    for (svmr_Dependence *d = p->dependents; d; d = d->nextOn)
        d->target = NULL;
    p->dependents = NULL;
}

// The part of initialisation that the DMA kernels share.
svmr_Kernel *svmr_kernelInit(svm_Kernel *k, mm_Proc processor, svm_KernelFunction *run, const char *name,
                             svm_ProcessorKind kind, svmr_Place at)
{
    svm_Machine *m = svmr_machine();
    if (!k || !run)
        svmr_fail(m, SVM_ERROR_BAD_ARGUMENT, name, at,
                  k ? "the kernel's function is a null pointer" : "the kernel is a null pointer");
    svmr_checkControl(m, name, at);
    int id = svmr_processorId(m, processor, at);
    svmr_MachineState *state = svmr_state(m, id);
    const svm_ProcessorRow *row = &state->table->processors[svmr_index(id)];
    static const char *const kinds[] = {"a control processor", "a processor for kernels", "a DMA engine"};
    if (row->kind != kind)
        svmr_fail(m, SVM_ERROR_BAD_PROCESSOR, name, at, "'%s' is %s, and this needs %s", row->name, kinds[row->kind],
                  kinds[kind]);
    svmr_lock(m);
    svmr_Kernel *p = m->slotCount ? *findSlot(m, k) : NULL;
    if (p && svmr_pending(p))
        svmr_failPending(p, at);
    if (p)
        forgetDependences(p);
    else
        p = addKernel(m, k);
    *k = (svm_Kernel){.run = run, .processor = processor, .name = name, .private_ = p};
    k->check = svmr_kernelCheck(k);
    p->lastDependence = &p->dependences;
    p->serial = ++m->serial | (m->adversary ? SVMR_INTERRUPTED : 0);
    p->processor = id;
    p->reaches = state->reaches + (size_t)svmr_index(id) * (size_t)state->table->memoryCount;
    p->plain = false;
    p->step = NULL;
    int *order = &state->order[svmr_index(id)];
    if (!*order)
        *order = kind == SVM_PROCESSOR_KERNEL ? ++m->processorsUsed : 1;
    __atomic_store_n(&p->order, *order, __ATOMIC_RELAXED);
    svmr_setState(p, SVM_IDLE);
    svmr_unlock(m);
    svmr_placed(p);
    return p;
}

void svm_kernelInitAt(svm_Kernel *k, mm_Proc processor, svm_KernelFunction *run, const char *name, const char *file,
                      int line)
{
    svmr_kernelInit(k, processor, run, name, SVM_PROCESSOR_KERNEL, SVMR_PLACE("svm_kernelInit"));
}

void svm_kernelDestroyAt(svm_Kernel *k, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_kernelDestroy");
    svmr_Kernel *p = svmr_checkKernel(k, at);
    svm_Machine *m = p->machine;
    svmr_checkControl(m, svmr_name(p), at);
    svmr_lock(m);
    if (svmr_pending(p))
        svmr_failPending(p, at);
    forgetDependences(p);
    releaseDependents(p);
    removeFromTable(m, k);
    *(p->allPrevious ? &p->allPrevious->allNext : &m->all.first) = p->allNext;
    *(p->allNext ? &p->allNext->allPrevious : &m->all.last) = p->allPrevious;
    p->kernel = NULL;
    p->state = SVM_IDLE;
    p->serial = 0;
    p->next = m->spare;
    m->spare = p;
    k->private_ = NULL;
    k->check = 0;
    k->state = SVM_IDLE;
    svmr_unlock(m);
}

void svmr_freeKernels(svm_Machine *m)
{
    for (svmr_Kernel *p = m->all.first, *next; p; p = next) {
        next = p->allNext;
        releaseDependents(p);
        forgetDependences(p);
        svmr_releaseCoroutine(p);
        free(p);
    }
    for (svmr_Kernel *p = m->spare, *next; p; p = next) {
        next = p->next;
        free(p);
    }
    free(m->byAddress);
}

void svm_kernelNeverBlocksAt(svm_Kernel *k, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_kernelNeverBlocks");
    svmr_Kernel *p = svmr_checkKernel(k, at);
    svmr_lock(p->machine);
    if (svmr_pending(p))
        svmr_failPending(p, at);
    if (!p->step)
        p->plain = true;
    svmr_unlock(p->machine);
}

static void addDependence(svmr_Kernel *p, svmr_Kernel *target)
{
    svmr_Dependence *d = svmr_allocate(1, sizeof *d);
    d->owner = p;
    d->target = target;
    d->nextOn = target->dependents;
    if (d->nextOn)
        d->nextOn->previousOn = d;
    target->dependents = d;
    *p->lastDependence = d;
    p->lastDependence = &d->next;
}

void svm_kernelAddDependenceAt(svm_Kernel *k, svm_Kernel *dependsOn, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_kernelAddDependence");
    svmr_Kernel *p = svmr_checkKernel(k, at), *target = svmr_checkKernel(dependsOn, at);
    svmr_checkControl(p->machine, svmr_name(p), at);
    if (p->machine != target->machine)
        svmr_fail(p->machine, SVM_ERROR_BAD_ARGUMENT, svmr_name(p), at, "the kernel '%s' belongs to another machine",
                  svmr_name(target));
    svmr_lock(p->machine);
    svmr_Dependence *d = p->dependences;
    while (d && d->target != target)
        d = d->next;
    if (!d)
        addDependence(p, target);
    svmr_unlock(p->machine);
}
