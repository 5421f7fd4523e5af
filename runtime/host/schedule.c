// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scheduling on one thread, where every machine begins. Kernels run when the control thread waits (or uses a stream and
// has to wait), first come first served, until what it waits for has happened. A kernel that never blocks and has
// nothing to wait for runs at once, as a plain call: no kernel can tell the difference, and nothing is cheaper.
#include "runtime/common/control_thread.h"
#include "runtime/host/host.h"

#include <sched.h>
#include <stdlib.h>

// ---- The machine ----

// SVM_WORKERS, or the number of cores that the process may use.
int svmr_workerLimit(void)
{
    const char *text = getenv("SVM_WORKERS");
    if (text && *text) {
        char *end;
        long n = strtol(text, &end, 10);
        if (*end || n < 1 || n > 4096)
            svmr_fatalProgram("SVM_WORKERS must be a number of threads from 1 to 4096, not '%s'", text);
        return (int)n;
    }
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

void svmr_schedulerCreate(svm_Machine *m)
{
    m->scheduler = svmr_allocate(1, sizeof *m->scheduler);
    svmr_profileBegin();
}

void svmr_schedulerDestroy(svm_Machine *m)
{
    if (m->shared)
        svmr_stopWorkers(m);
    free(m->scheduler->workers);
    free(m->scheduler);
    m->scheduler = NULL;
}

// Whether a machine that one thread uses may have workers; an adversary wants one thread to make its order.
static bool mayHaveWorkers(svm_Machine *m)
{
    svmr_Scheduler *s = m->scheduler;
    if (m->adversary)
        return false;
    if (!s->workerLimit)
        s->workerLimit = svmr_workerLimit();
    return s->workerLimit >= 2;
}

static bool needsWorkers(svm_Machine *m)
{
    return m->processorsUsed >= 2 && !m->unshared && mayHaveWorkers(m);
}

void svmr_placed(svmr_Kernel *p)
{
    if (p->machine->shared || needsWorkers(p->machine))
        svmr_share(p->machine);
}

// Who asks for several workers, a timeline or times of kernels wants to see them.
bool svmr_mayWait(const svm_Machine *m)
{
    const char *workers = getenv("SVM_WORKERS");
    const bool asked = workers && *workers && svmr_workerLimit() > 1;
    return !m->shared && !m->adversary && !asked && !svmr_tracing && !SVMR_PROFILING;
}

// Where kernels of one processor were initialised alone, the workers begin with the first one of another.
bool svmr_stopWaiting(svm_Machine *m)
{
    if (!m->shared && !mayHaveWorkers(m))
        return false;
    m->unshared = false;
    if (!m->shared && needsWorkers(m))
        svmr_share(m);
    return true;
}

// ---- Running ----

static inline void runPlain(svmr_Kernel *p)
{
    svmr_Thread *t = &svmr_thread;
    svmr_Kernel *outer = t->current;
    svmr_setState(p, SVM_RUNNING);
    t->current = p;
    if (SVMR_PROFILING)
        svmr_measureStart(p);
    p->kernel->run(p->kernel);
    if (SVMR_PROFILING)
        svmr_measureStop(p, true);
    t->current = outer;
    svmr_finish(p, SVM_FINISHED);
}

// Runs one kernel that is ready until it finishes or waits; false: none is ready.
static bool advance(svm_Machine *m)
{
    if (SVMR_UNLIKELY(m->adversary != NULL))
        svmr_chooseFirst(m);
    svmr_Kernel *p = svmr_takeFirst(&m->scheduler->ready);
    if (!p)
        return false;
    if (p->plain) {
        runPlain(p);
        return true;
    }
    svmr_Thread *t = &svmr_thread; // of this stack, which never changes threads
    svmr_Kernel *outer = t->current;
    svmr_setState(p, SVM_RUNNING);
    t->current = p;
    if (SVMR_PROFILING)
        svmr_measureStart(p);
    bool finished = p->step ? p->step(p->kernel) : svmr_enter(p);
    if (SVMR_PROFILING)
        svmr_measureStop(p, finished || p->stop == SVMR_STOP_ENDED);
    t->current = outer;
    if (finished)
        svmr_finish(p, SVM_FINISHED);
    else
        svmr_commit(p, p->stop);
    return true;
}

void svmr_schedule(svmr_Kernel *p)
{
    if (SVMR_UNLIKELY(p->machine->shared))
        svmr_scheduleShared(p);
    else
        svmr_append(&p->machine->scheduler->ready, p);
}

// The adversary has some kernels run as early as the others run late.
static SVMR_COLD void beEager(svm_Machine *m)
{
    for (unsigned i = m->shared ? 0 : svmr_eagerness(m); i; i--)
        advance(m);
}

void svmr_submit(svmr_Kernel *p)
{
    if (SVMR_UNLIKELY(p->machine->adversary != NULL)) {
        svmr_schedule(p);
        beEager(p->machine);
    } else if (p->plain && !p->machine->shared) {
        runPlain(p);
    } else {
        svmr_schedule(p);
    }
}

void svmr_unschedule(svmr_Kernel *p)
{
    if (!p->list)
        return;
    svmr_delist(p);
    if (p->machine->shared)
        p->machine->scheduler->active--;
}

bool svmr_spin(const svmr_Kernel *p)
{
    return p->machine->shared && svmr_spinShared(p);
}

void svmr_interrupt(svmr_Kernel *p)
{
    (void)p; // it will see
}

// ---- Control threads ----

void svmr_changed(svm_Machine *m)
{
    if (m->shared)
        svmr_changedShared(m);
}

void svmr_wait(svm_Machine *m, svmr_Wait *w)
{
    if (m->shared) {
        svmr_waitShared(m, w);
        return;
    }
    svmr_linkWait(m, w);
    bool stuck = false;
    while (!stuck && !m->failures && !w->done(w))
        stuck = !advance(m);
    svmr_unlinkWait(m, w);
    if (SVMR_UNLIKELY(m->failures != NULL))
        svmr_raise(m);
    if (SVMR_UNLIKELY(stuck))
        svmr_deadlock(m, w);
}

void svmr_poll(svm_Machine *m)
{
    if (m->shared)
        return;
    if (SVMR_UNLIKELY(m->adversary != NULL))
        beEager(m);
    else
        advance(m);
    if (SVMR_UNLIKELY(m->failures != NULL))
        svmr_raise(m);
}

void svmr_halt(svm_Machine *m)
{
    if (m->shared)
        svmr_haltShared(m);
}

void svmr_resumeAll(svm_Machine *m)
{
    svmr_lock(m);
    m->scheduler->halted = false;
    svmr_unlock(m);
}

void svmr_controlStart(svm_Machine *m, svmr_Control *c)
{
    svmr_share(m);
    svmr_controlThreadStart(c);
}

void svmr_controlJoined(svm_Machine *m, svmr_Control *c)
{
    (void)m;
    svmr_controlThreadJoin(c);
}
