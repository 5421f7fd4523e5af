// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Running kernels on one core. svm_kernelRun binds dependences and queues; kernels run when the control thread waits
// (or uses a stream and has to wait), first come first served, until what it waits for has happened. A kernel that
// never blocks and has nothing to wait for runs at once, as a plain call: no kernel can tell the difference, and
// nothing is cheaper.
#include "runtime/common/internal.h"

#include <stdlib.h>

// ---- The list of kernels that can go on ----

static void makeReady(svmr_Kernel *p)
{
    svmr_List *list = &p->machine->ready;
    svmr_setState(p, SVM_QUEUED);
    p->list = list;
    p->next = NULL;
    p->previous = list->last;
    *(list->last ? &list->last->next : &list->first) = p;
    list->last = p;
}

static void delist(svmr_Kernel *p)
{
    svmr_List *list = p->list;
    if (!list)
        return;
    *(p->previous ? &p->previous->next : &list->first) = p->next;
    *(p->next ? &p->next->previous : &list->last) = p->previous;
    p->list = NULL;
}

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
static void releaseWaiters(svmr_Kernel *p)
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
        if (--oldest->owner->unsatisfied == 0)
            makeReady(oldest->owner);
    }
}

static inline void finish(svmr_Kernel *p, svm_KernelState state)
{
    svmr_setState(p, state);
    if (p->waiters)
        releaseWaiters(p);
}

void svmr_abandon(svmr_Kernel *p)
{
    p->machine->current = NULL;
    svmr_thread.running = NULL;
    finish(p, SVM_ENDED);
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

// ---- Running one kernel ----

static inline void runPlain(svmr_Kernel *p)
{
    svm_Machine *m = p->machine;
    svmr_Thread *t = &svmr_thread;
    svm_Machine *outer = t->running;
    svmr_setState(p, SVM_RUNNING);
    t->running = m;
    m->current = p;
    p->kernel->run(p->kernel);
    m->current = NULL;
    t->running = outer;
    finish(p, SVM_FINISHED);
}

bool svmr_advance(svm_Machine *m)
{
    svmr_Kernel *p = m->ready.first;
    if (!p)
        return false;
    delist(p);
    if (p->plain) {
        runPlain(p);
        return true;
    }
    svmr_Thread *t = &svmr_thread; // the control thread's stack never changes threads
    svm_Machine *outer = t->running;
    svmr_setState(p, SVM_RUNNING);
    t->running = m;
    m->current = p;
    bool done = p->step ? p->step(p->kernel) : svmr_enter(p);
    m->current = NULL;
    t->running = outer;
    if (SVMR_UNLIKELY(m->onControl != NULL)) { // p is at fault and has ended
        void (*act)(svm_Machine *) = m->onControl;
        m->onControl = NULL;
        svmr_releaseCoroutine(p);
        act(m);
    }
    if (done)
        finish(p, SVM_FINISHED);
    else if (p->state == SVM_ENDED) // by itself
        svmr_releaseCoroutine(p);
    return true;
}

// ---- Waiting for streams ----

static SVMR_COLD _Noreturn void failShared(const svmr_Kernel *p, svm_Stream *s, const svmr_Kernel *other, svmr_Place at)
{
    svmr_fail(p->machine, SVM_ERROR_STREAM_SHARED, s->name, at, "the kernels '%s' and '%s' both wait for it",
              svmr_name(other), svmr_name(p));
}

void svmr_block(svmr_Kernel *p, svm_Stream *s, svmr_Want want, size_t wanted, svmr_Place at)
{
    if (p->plain)
        svmr_fail(p->machine, SVM_ERROR_WOULD_BLOCK, s->name, at,
                  "the kernel '%s' was said never to block, and the stream is %s", svmr_name(p),
                  want == SVMR_WANT_ROOM ? "full" : "empty");
    if (s->waiting && s->waiting != p->kernel)
        failShared(p, s, s->waiting->private_, at);
    s->waiting = p->kernel;
    p->blockedOn = s;
    p->want = want;
    p->wanted = wanted;
    svmr_setState(p, SVM_BLOCKED);
    if (!p->step)
        svmr_leave(p);
}

static bool satisfied(const svmr_Kernel *p)
{
    const svm_Stream *s = p->blockedOn;
    return p->want == SVMR_WANT_ROOM ? svmr_room(s) >= p->wanted : svmr_count(s) >= p->wanted || s->ended;
}

static void stopWaiting(svmr_Kernel *p)
{
    if (p->blockedOn && p->blockedOn->waiting == p->kernel)
        p->blockedOn->waiting = NULL;
    p->blockedOn = NULL;
}

void svmr_wake(svm_Stream *s)
{
    svmr_Kernel *p = s->waiting->private_;
    if (!satisfied(p))
        return;
    stopWaiting(p);
    makeReady(p);
}

// ---- Kernel control ----

static void resume(svmr_Kernel *p, svmr_Place at)
{
    bind(p);
    if (!p->unsatisfied) {
        makeReady(p);
        return;
    }
    checkCycle(p, at);
    svmr_setState(p, SVM_QUEUED);
}

void svm_kernelRunAt(svm_Kernel *k, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_kernelRun");
    svmr_Kernel *p = svmr_checkKernel(k, at);
    svmr_checkControl(p->machine, k->name, at);
    p->runFile = file;
    p->runLine = line;
    if (SVMR_UNLIKELY(svmr_pending(p))) {
        if (p->state != SVM_PAUSED)
            svmr_failPending(p, at);
        resume(p, at);
        return;
    }
    if (p->dependences)
        bind(p);
    p->progress = 0;
    if (p->unsatisfied)
        svmr_setState(p, SVM_QUEUED);
    else if (p->plain)
        runPlain(p);
    else
        makeReady(p);
}

// Runs the machine until p's run is over or paused.
static void waitFor(svmr_Kernel *p, svmr_Place at)
{
    if (SVMR_UNLIKELY(p->state == SVM_IDLE))
        svmr_fail(p->machine, SVM_ERROR_NEVER_RUN, svmr_name(p), at,
                  "the kernel was never run, so this would wait for ever");
    while (p->state >= SVM_QUEUED && p->state <= SVM_BLOCKED)
        if (SVMR_UNLIKELY(!svmr_advance(p->machine)))
            svmr_deadlock(p->machine, svmr_name(p), " to finish", at);
}

void svm_kernelWaitAt(svm_Kernel *k, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_kernelWait");
    svmr_Kernel *p = svmr_checkKernel(k, at);
    svmr_checkControl(p->machine, k->name, at);
    waitFor(p, at);
}

void svm_kernelWaitMultipleAt(size_t count, svm_Kernel *const kernels[], const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_kernelWaitMultiple");
    if (count && !kernels)
        svmr_fail(svmr_machine(), SVM_ERROR_BAD_ARGUMENT, "", at, "the array of kernels is a null pointer");
    for (size_t i = 0; i < count; i++) {
        svmr_Kernel *p = svmr_checkKernel(kernels[i], at);
        svmr_checkControl(p->machine, kernels[i]->name, at);
        waitFor(p, at);
    }
}

// For svm_kernelPause and svm_kernelEnd: from the control thread, or from the kernel itself (true).
static bool byItself(svmr_Kernel *p, svmr_Place at)
{
    const svmr_Kernel *current = p->machine->current;
    if (current && current != p)
        svmr_failNotControl(p->machine, svmr_name(p), at);
    if (current && p->plain)
        svmr_fail(p->machine, SVM_ERROR_WOULD_BLOCK, svmr_name(p), at,
                  "the kernel was said never to block, pause or end itself");
    if (p->state == SVM_IDLE)
        svmr_fail(p->machine, SVM_ERROR_NEVER_RUN, svmr_name(p), at, "the kernel was never run");
    return current;
}

void svm_kernelPauseAt(svm_Kernel *k, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_kernelPause");
    svmr_Kernel *p = svmr_checkKernel(k, at);
    bool self = byItself(p, at);
    if (!svmr_pending(p) || p->state == SVM_PAUSED)
        return;
    // It is in no queue while paused; svm_kernelRun binds its dependences again, and what it waited for it finds out
    // itself.
    delist(p);
    unbind(p);
    stopWaiting(p);
    svmr_setState(p, SVM_PAUSED);
    if (self)
        svmr_leave(p);
}

void svm_kernelEndAt(svm_Kernel *k, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_kernelEnd");
    svmr_Kernel *p = svmr_checkKernel(k, at);
    bool self = byItself(p, at);
    if (!svmr_pending(p))
        return;
    delist(p);
    unbind(p);
    stopWaiting(p);
    if (self)
        svmr_quit(p);
    svmr_releaseCoroutine(p);
    finish(p, SVM_ENDED);
}
