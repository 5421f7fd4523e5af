// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host's scheduler. A machine begins on one thread: kernels run on the control thread's processor while it waits
// (schedule.c). From when it has a second processor for kernels, or a second control thread, it is shared: each
// processor's kernels run on a worker, a thread of its own (workers.c).
#ifndef SVM_HOST_HOST_H
#define SVM_HOST_HOST_H

#include "runtime/common/adversary.h"
#include "runtime/common/scheduler.h"

typedef struct svmr_Worker {
    svm_Machine *machine;
    pthread_t thread;
    svmr_List ready; // kernels of its processors that can go on
    pthread_cond_t wake;
    bool sleeping;
    int number;        // from 1
    uint64_t arrivals; // counts what came into `ready` (atomic: looked at while spinning)
} svmr_Worker;

typedef struct svmr_Scheduler {
    svmr_List ready; // on one thread: all kernels that can go on; shared: DMA kernels, which any worker may run

    // Shared; guarded by the machine's mutex.
    int workerLimit; // as many as there are cores, or as SVM_WORKERS says
    svmr_Worker **workers;
    int workerCount;
    size_t active;           // kernels that are ready or run
    size_t running;          // kernels that run
    uint64_t events;         // counts what svmr_changed tells of (atomic: looked at while spinning)
    bool stopping;           // the machine is destroyed: workers end
    bool committing;         // by a worker, which will look for a DMA kernel at once
    bool halted;             // the program stops: no kernel starts
    pthread_cond_t quiet;    // none runs
    svm_Machine *nextShared; // of all shared machines of the process
} svmr_Scheduler;

static inline void svmr_append(svmr_List *list, svmr_Kernel *p)
{
    p->list = list;
    p->next = NULL;
    p->previous = list->last;
    *(list->last ? &list->last->next : &list->first) = p;
    list->last = p;
}

static inline svmr_Kernel *svmr_takeFirst(svmr_List *list) // NULL: it is empty
{
    svmr_Kernel *p = list->first;
    if (!p)
        return NULL;
    list->first = p->next;
    *(p->next ? &p->next->previous : &list->last) = NULL;
    p->list = NULL;
    return p;
}

static inline void svmr_delist(svmr_Kernel *p)
{
    svmr_List *list = p->list;
    *(p->previous ? &p->previous->next : &list->first) = p->next;
    *(p->next ? &p->next->previous : &list->last) = p->previous;
    p->list = NULL;
}

// The adversary's order (adversary.c). Of several threads: any kernel of a list is its first (locked).
SVMR_COLD void svmr_putFirst(svmr_List *list, svmr_Adversary *a);
// On one thread: the kernel that is to go on next becomes the first.
SVMR_COLD void svmr_chooseFirst(svm_Machine *m);
// How many kernels go on before a control thread does, which has just run one or asks how one is.
SVMR_COLD unsigned svmr_eagerness(svm_Machine *m);

int svmr_workerLimit(void);
void svmr_profileBegin(void);    // if the environment asks for it
void svmr_share(svm_Machine *m); // the machine gets workers
void svmr_scheduleShared(svmr_Kernel *p);
void svmr_changedShared(svm_Machine *m);
void svmr_waitShared(svm_Machine *m, svmr_Wait *w);
bool svmr_spinShared(const svmr_Kernel *p);
void svmr_haltShared(svm_Machine *m);
void svmr_stopWorkers(svm_Machine *m);

// Closes what was written when the program ends, NULL if it could not be opened. If it could not be written the process ends with an
// error.
void svmr_written(FILE *f, const char *what, const char *path);

// The timeline (timeline.c), if the environment asks for one: SVM_TRACE_OUT.
extern SVMR_HIDDEN bool svmr_tracing;
void svmr_traceBegin(void);
uint64_t svmr_traceTime(void);     // nanoseconds
void svmr_traceWorker(int number); // this thread is that worker
// A kernel has run from then until now, on this thread.
void svmr_traceRun(const svmr_Kernel *p, const svm_ProcessorRow *on, uint64_t begin);
// This thread has waited from then until now: for a stream, or if that is NULL for a kernel, any if that is NULL too.
void svmr_traceWait(uint64_t begin, const char *stream, svmr_Want want, const char *kernel);

#endif
