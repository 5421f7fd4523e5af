// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs of kernels: binding of dependences, svm_kernelRun and the calls that wait for, pause and end a run.
#include "runtime/common/scheduler.h"

#include <stdlib.h>

// ---- Binding of dependences ----

// The runs that a kernel about to be queued must wait for: those of its targets that are pending now.
static void bind(svmr_Kernel *p)
{
    for (svmr_Dependence *d = p->dependences; d; d = d->next) {
        if (!d->target || !svmr_pending(d->target) || d->target == p)
            continue;
        d->waiting = true;
        d->nextWaiter = d->target->waiters;
        d->target->waiters = d;
        p->unsatisfied++;
    }
}

static void unbind(svmr_Kernel *p)
{
    for (svmr_Dependence *d = p->dependences; d && p->unsatisfied; d = d->next) {
        if (!d->waiting)
            continue;
        svmr_Dependence **link = &d->target->waiters;
        while (*link != d)
            link = &(*link)->nextWaiter;
        *link = d->nextWaiter;
        d->waiting = false;
        p->unsatisfied--;
    }
}

// Those that waited for p's run go on, in the order in which they were queued.
void svmr_releaseWaiters(svmr_Kernel *p)
{
    svmr_Dependence *oldest = NULL;
    for (svmr_Dependence *d = p->waiters, *next; d; d = next) {
        next = d->nextWaiter;
        d->nextWaiter = oldest;
        oldest = d;
    }
    p->waiters = NULL;
    for (; oldest; oldest = oldest->nextWaiter) {
        oldest->waiting = false;
        if (--oldest->owner->unsatisfied == 0) {
            svmr_setState(oldest->owner, SVM_QUEUED);
            svmr_schedule(oldest->owner);
        }
    }
}

static SVMR_COLD _Noreturn void failCycle(svmr_Kernel *p, svmr_Kernel *last, svmr_Place at)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    if (f) {
        fprintf(f, "it would wait for itself: '%s'", svmr_name(p));
        for (svmr_Kernel *q = last; q != p; q = q->via)
            fprintf(f, " <- '%s'", svmr_name(q));
        fprintf(f, " <- '%s'", svmr_name(p));
        fclose(f);
    }
    unbind(p);
    svmr_failText(p->machine, SVM_ERROR_DEPENDENCE_CYCLE, svmr_name(p), at, text);
}

// Walks from p, which was just bound, along what pending kernels wait for. A run binds only to earlier ones, so p can
// only come up again if it was paused.
static void checkCycle(svmr_Kernel *p, svmr_Place at)
{
    uint32_t mark = ++p->machine->mark;
    svmr_Kernel *stack = p; // linked by `previous`: kernels that wait for dependences are on no list
    p->previous = NULL;
    p->mark = mark;
    while (stack) {
        svmr_Kernel *q = stack;
        stack = q->previous;
        for (svmr_Dependence *d = q->dependences; d; d = d->next) {
            if (!d->waiting)
                continue;
            if (d->target == p)
                failCycle(p, q, at);
            if (d->target->mark == mark)
                continue;
            d->target->mark = mark;
            d->target->via = q;
            if (d->target->unsatisfied) {
                d->target->previous = stack;
                stack = d->target;
            }
        }
    }
}

// ---- Waiting for kernels ----

static bool runIsOver(const svmr_Wait *w)
{
    return w->kernel->state < SVM_QUEUED || w->kernel->state > SVM_PAUSED;
}

bool svmr_runRests(const svmr_Wait *w)
{
    return w->kernel->state < SVM_QUEUED || w->kernel->state > SVM_BLOCKED;
}

static void waitUntil(svmr_Kernel *p, bool (*done)(const svmr_Wait *w), void *context, svmr_Place at)
{
    svmr_Wait w;
    w.done = done;
    w.object = svmr_name(p);
    w.waitsFor = " to finish";
    w.at = at;
    w.kernel = p;
    w.stream = NULL;
    w.other = context;
    w.abandoned = NULL;
    w.control = svmr_thread.control;
    w.scheduling = NULL;
    svmr_wait(p->machine, &w);
}

// Until p's run is over or paused, or what `done` asks for beside that.
static void waitFor(svmr_Kernel *p, bool (*done)(const svmr_Wait *w), void *context, svmr_Place at)
{
    svm_Machine *m = p->machine;
    svmr_onControl(m, SVMR_CALL_WAIT, p);
    svmr_lock(m);
    svmr_tellQueues(p);
    if (SVMR_UNLIKELY(m->failures != NULL))
        svmr_raise(m);
    if (SVMR_UNLIKELY(p->state == SVM_IDLE))
        svmr_fail(m, SVM_ERROR_NEVER_RUN, svmr_name(p), at, "the kernel was never run, so this would wait for ever");
    if (svmr_pending(p) && p->state != SVM_PAUSED)
        waitUntil(p, done, context, at);
    svmr_unlock(m);
}

void svm_kernelWaitAt(svm_Kernel *k, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_kernelWait");
    svmr_Kernel *p = svmr_checkKernel(k, at);
    svmr_checkControl(p->machine, k->name, at);
    waitFor(p, svmr_runRests, NULL, at);
}

void svmr_waitForKernel(svm_Kernel *k, bool (*done)(const svmr_Wait *w), void *context, svmr_Place at)
{
    waitFor(svmr_checkKernel(k, at), done, context, at);
}

void svm_kernelWaitMultipleAt(size_t count, svm_Kernel *const kernels[], const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_kernelWaitMultiple");
    if (count && !kernels)
        svmr_fail(svmr_machine(), SVM_ERROR_BAD_ARGUMENT, "", at, "the array of kernels is a null pointer");
    for (size_t i = 0; i < count; i++) {
        svmr_Kernel *p = svmr_checkKernel(kernels[i], at);
        svmr_checkControl(p->machine, kernels[i]->name, at);
        waitFor(p, svmr_runRests, NULL, at);
    }
}

// ---- Running ----

// A control thread may only use processors that have its own as a master.
static SVMR_COLD void checkMaster(const svmr_Kernel *p, const svmr_Control *c, svmr_Place at)
{
    if (c->machine != p->machine)
        return;
    const svm_MachineTable *t = svmr_state(p->machine, p->processor)->table;
    const svm_ProcessorRow *row = &t->processors[svmr_index(p->processor)];
    bool isMaster = row->masterCount == 0;
    if (svmr_ordinal(c->processor) == svmr_ordinal(p->processor))
        for (int i = 0; i < row->masterCount; i++)
            isMaster |= row->masters[i] == svmr_index(c->processor);
    if (!isMaster)
        svmr_fail(p->machine, SVM_ERROR_NOT_MASTER, svmr_name(p), at,
                  "the control thread '%s' runs on '%s', which is no master of '%s'", svmr_controlName(c),
                  svmr_state(p->machine, c->processor)->table->processors[svmr_index(c->processor)].name, row->name);
}

static void resume(svmr_Kernel *p, svmr_Place at)
{
    bind(p);
    if (p->unsatisfied)
        checkCycle(p, at);
    svmr_setState(p, SVM_QUEUED);
    if (!p->unsatisfied)
        svmr_schedule(p);
}

// Run again while a run is pending (locked): true if that was all, false if the run is over meanwhile.
static SVMR_COLD bool runPending(svmr_Kernel *p, svmr_Place at)
{
    if (p->state == SVM_PAUSED) {
        resume(p, at);
        return true;
    }
    if (p->request == SVMR_REQUEST_PAUSE) { // it has not noticed
        svmr_clearRequest(p);
        return true;
    }
    if (p->request != SVMR_REQUEST_END)
        svmr_failPending(p, at);
    if (svmr_pending(p))
        waitUntil(p, runIsOver, NULL, at);
    return false;
}

void svm_kernelRunAt(svm_Kernel *k, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_kernelRun");
    svmr_Kernel *p = svmr_checkKernel(k, at);
    svm_Machine *m = p->machine;
    svmr_checkControl(m, k->name, at);
    if (SVMR_UNLIKELY(svmr_thread.control != NULL))
        checkMaster(p, svmr_thread.control, at);
    svmr_onControl(m, SVMR_CALL_RUN, p);
    svmr_lock(m);
    p->runFile = file;
    p->runLine = line;
    if (SVMR_UNLIKELY(svmr_pending(p)))
        svmr_lookAtQueues(m);
    if (!SVMR_UNLIKELY(svmr_pending(p)) || !runPending(p, at)) {
        p->progress = 0;
        // Ends of streams that earlier runs used are free for others until this one comes to them.
        __atomic_store_n(&p->serial, ++m->serial | (p->serial & SVMR_INTERRUPTED), __ATOMIC_RELAXED);
        if (!svmr_queueRun(p)) {
            if (p->dependences)
                bind(p);
            svmr_setState(p, SVM_QUEUED);
            if (!p->unsatisfied)
                svmr_submit(p);
        }
    }
    svmr_unlock(m);
}

// ---- Pausing and ending ----

// For svm_kernelPause and svm_kernelEnd: from a control thread, or from the kernel itself (true).
static bool byItself(svmr_Kernel *p, svmr_Place at)
{
    const svmr_Kernel *current = svmr_current(p->machine);
    if (current && current != p)
        svmr_failNotControl(p->machine, svmr_name(p), at);
    if (current && p->plain)
        svmr_fail(p->machine, SVM_ERROR_WOULD_BLOCK, svmr_name(p), at,
                  "the kernel was said never to block, pause or end itself");
    return current;
}

static void checkWasRun(const svmr_Kernel *p, svmr_Place at)
{
    if (p->state == SVM_IDLE)
        svmr_fail(p->machine, SVM_ERROR_NEVER_RUN, svmr_name(p), at, "the kernel was never run");
}

static void stopWaiting(svmr_Kernel *p)
{
    svm_Stream *s = p->blockedOn;
    if (!s)
        return;
    svmr_Kernel **slot = p->want == SVMR_WANT_ROOM ? &s->producerWaits : &s->consumerWaits;
    if (*slot == p)
        __atomic_store_n(slot, NULL, __ATOMIC_RELAXED);
    p->blockedOn = NULL;
}

// A pending kernel that does not run is taken out of wherever it waits.
static void withdraw(svmr_Kernel *p)
{
    if (p->state == SVM_QUEUED && !p->unsatisfied)
        svmr_unschedule(p);
    unbind(p);
    stopWaiting(p);
}

bool svmr_calm(svm_Machine *m)
{
    bool quiet = true;
    svmr_halt(m);
    svmr_thread.current = NULL; // one that ran on this stack is left
    svmr_lock(m);
    svmr_unlinkWaits(m);
    for (svmr_Kernel *p = m->all.first; p; p = p->allNext)
        quiet &= !m->shared || p->state != SVM_RUNNING;
    for (svmr_Kernel *p = m->all.first; p && quiet; p = p->allNext) {
        if (!svmr_pending(p))
            continue;
        if (p->state == SVM_RUNNING) // simulated: it waits for its time
            svmr_unschedule(p);
        withdraw(p);
        svmr_releaseCoroutine(p);
        svmr_clearRequest(p);
        svmr_setState(p, SVM_ENDED);
    }
    while (quiet && m->failures) {
        svmr_Failure *f = m->failures;
        __atomic_store_n(&m->failures, f->next, __ATOMIC_RELAXED);
        free(f->message);
        free(f);
    }
    svmr_unlock(m);
    if (quiet)
        svmr_resumeAll(m);
    return quiet;
}

static void request(svmr_Kernel *p, svmr_Request what)
{
    if (p->request == SVMR_REQUEST_END)
        return;
    __atomic_store_n(&p->request, what, __ATOMIC_RELAXED);
    __atomic_store_n(&p->serial, p->serial | SVMR_INTERRUPTED, __ATOMIC_RELAXED);
    svmr_interrupt(p);
}

void svmr_requestEnd(svmr_Kernel *p)
{
    request(p, SVMR_REQUEST_END);
}

void svm_kernelPauseAt(svm_Kernel *k, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_kernelPause");
    svmr_Kernel *p = svmr_checkKernel(k, at);
    if (byItself(p, at)) {
        p->stop = SVMR_STOP_PAUSED;
        svmr_leave(p);
        return;
    }
    svmr_onControl(p->machine, SVMR_CALL_SYNC, NULL);
    svmr_lock(p->machine);
    checkWasRun(p, at);
    if (p->state == SVM_RUNNING) {
        request(p, SVMR_REQUEST_PAUSE);
    } else if (svmr_pending(p) && p->state != SVM_PAUSED) {
        // It is in no queue while paused; svm_kernelRun binds its dependences again, and what it waited for it finds
        // out itself.
        withdraw(p);
        svmr_setState(p, SVM_PAUSED);
        svmr_changed(p->machine);
    }
    svmr_unlock(p->machine);
}

void svm_kernelEndAt(svm_Kernel *k, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_kernelEnd");
    svmr_Kernel *p = svmr_checkKernel(k, at);
    if (byItself(p, at)) {
        p->stop = SVMR_STOP_ENDED;
        svmr_quit(p);
    }
    svmr_onControl(p->machine, SVMR_CALL_SYNC, NULL);
    svmr_lock(p->machine);
    checkWasRun(p, at);
    if (p->state == SVM_RUNNING) {
        request(p, SVMR_REQUEST_END);
    } else if (svmr_pending(p)) {
        withdraw(p);
        svmr_releaseCoroutine(p);
        svmr_finish(p, SVM_ENDED);
    }
    svmr_unlock(p->machine);
}

svm_KernelState svm_kernelStateOfAt(const svm_Kernel *k, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_kernelStateOf");
    svmr_Kernel *p = svmr_checkKernel(k, at);
    svm_Machine *m = p->machine;
    if (!svmr_current(m))
        svmr_onControl(m, SVMR_CALL_STATE, p);
    if (!svmr_current(m))
        svmr_checkControl(m, svmr_name(p), at);
    if (!svmr_current(m))
        svmr_poll(m);
    svmr_lock(m);
    svm_KernelState state = p->state;
    svmr_unlock(m);
    return state;
}

void svm_kernelFirings(svm_Kernel *k, size_t n)
{
    if (k && k->check == svmr_kernelCheck(k))
        svmr_onFirings(k->private_, n);
}
