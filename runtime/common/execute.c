// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executing a kernel until it stops, what its stop means to others, and waiting for streams and by control threads.
#include "runtime/common/adversary.h"
#include "runtime/common/scheduler.h"

#include <stdlib.h>
#include <time.h>

// ---- Executing ----

// A call without a stack of its own. When others run beside it an error leaves it by a jump, to be reported elsewhere.
static bool call(svmr_Kernel *p)
{
    jmp_buf escape;
    if (p->machine->shared || SVMR_STACKS_FOR_ALL) {
        p->escape = &escape;
        if (setjmp(escape))
            return false;
    }
    if (p->step)
        return p->step(p->kernel);
    p->kernel->run(p->kernel);
    return true;
}

svmr_Stop svmr_execute(svmr_Kernel *p)
{
    svmr_Thread *t = &svmr_thread; // of this stack, which never changes threads
    svmr_Kernel *outer = t->current;
    t->current = p;
    if (SVMR_PROFILING)
        svmr_measureStart(p);
    bool finished = p->plain || (p->step && !SVMR_STACKS_FOR_ALL) ? call(p) : svmr_enter(p);
    p->escape = NULL;
    t->current = outer;
    if (SVMR_PROFILING)
        svmr_measureStop(p, finished || p->stop == SVMR_STOP_ENDED);
    return finished ? SVMR_STOP_FINISHED : p->stop;
}

static SVMR_COLD void keepFailure(svm_Machine *m, svmr_Failure *f)
{
    svmr_Failure **end = &m->failures;
    while (*end)
        end = &(*end)->next;
    __atomic_store_n(end, f, __ATOMIC_RELAXED);
}

// p waits for its stream: it is entered there, or goes on if it has what it wants meanwhile.
static void commitBlock(svmr_Kernel *p)
{
    svm_Stream *s = p->blockedOn;
    bool room = p->want == SVMR_WANT_ROOM;
    svmr_Kernel **slot = room ? &s->producerWaits : &s->consumerWaits;
    __atomic_store_n(room ? &s->producerWants : &s->consumerWants, p->wanted, __ATOMIC_RELAXED);
    __atomic_store_n(slot, p, p->machine->shared ? __ATOMIC_SEQ_CST : __ATOMIC_RELAXED);
    // On one thread nothing has happened since it looked.
    if ((SVMR_STACKS_FOR_ALL || p->machine->shared) && svmr_satisfied(s, p->want, p->wanted)) {
        __atomic_store_n(slot, NULL, __ATOMIC_RELAXED);
        p->blockedOn = NULL;
        svmr_setState(p, SVM_QUEUED);
        svmr_schedule(p);
    } else {
        svmr_setState(p, SVM_BLOCKED);
    }
}

static void commitEnd(svmr_Kernel *p)
{
    p->blockedOn = NULL;
    svmr_releaseCoroutine(p);
    svmr_finish(p, SVM_ENDED);
}

void svmr_clearRequest(svmr_Kernel *p)
{
    __atomic_store_n(&p->request, SVMR_REQUEST_NONE, __ATOMIC_RELAXED);
    if (!p->machine->adversary)
        __atomic_store_n(&p->serial, p->serial & ~SVMR_INTERRUPTED, __ATOMIC_RELAXED);
}

// Of a kernel that pauses or waits: what a control thread wants of it comes first.
static svmr_Stop stopRequested(svmr_Kernel *p, svmr_Stop stop)
{
    svmr_Request request = p->request;
    svmr_clearRequest(p);
    if (stop != SVMR_STOP_BLOCKED && stop != SVMR_STOP_PAUSED && stop != SVMR_STOP_INTERRUPTED)
        return stop;
    return request == SVMR_REQUEST_END ? SVMR_STOP_ENDED : SVMR_STOP_PAUSED;
}

// Where the program stops, what waits for p's run must not take what p has not made.
static SVMR_COLD void commitFailure(svmr_Kernel *p, svmr_Failure *f)
{
    keepFailure(p->machine, f);
    p->failure = NULL;
    if (!f->fatal) {
        commitEnd(p);
        return;
    }
    p->blockedOn = NULL;
    svmr_releaseCoroutine(p);
    svmr_setState(p, SVM_ENDED);
    svmr_changed(p->machine);
}

static void tellAllLate(svmr_Kernel *p);

void svmr_commit(svmr_Kernel *p, svmr_Stop stop)
{
    if (SVMR_UNLIKELY(p->late != NULL))
        tellAllLate(p);
    if (SVMR_UNLIKELY(p->request != SVMR_REQUEST_NONE))
        stop = stopRequested(p, stop);
    switch (stop) {
    case SVMR_STOP_FINISHED: svmr_finish(p, SVM_FINISHED); break;
    case SVMR_STOP_BLOCKED: commitBlock(p); break;
    case SVMR_STOP_PAUSED:
        p->blockedOn = NULL;
        svmr_setState(p, SVM_PAUSED);
        svmr_changed(p->machine);
        break;
    case SVMR_STOP_FAILED: commitFailure(p, p->failure); break;
    case SVMR_STOP_ENDED: commitEnd(p); break;
    case SVMR_STOP_INTERRUPTED: // the request was withdrawn, or it gives way
        svmr_setState(p, SVM_QUEUED);
        svmr_schedule(p);
        break;
    case SVMR_STOP_SCHEDULER: break;
    }
}

void svmr_yield(svmr_Kernel *p)
{
    p->stop = SVMR_STOP_SCHEDULER;
    svmr_leave(p);
}

// On p's stack; a DMA kernel has none, and looks when it stops.
void svmr_obey(svmr_Kernel *p)
{
    if (p->step || p->plain)
        return;
    // Under the adversary kernels have an interrupt always, so that they come here whenever they use a stream.
    if (p->machine->adversary && __atomic_load_n(&p->request, __ATOMIC_RELAXED) == SVMR_REQUEST_NONE &&
        !svmr_givesWay(p))
        return;
    p->stop = SVMR_STOP_INTERRUPTED;
    svmr_leave(p);
}

// ---- Waiting for streams ----

static SVMR_COLD _Noreturn void failShared(const svmr_Kernel *p, svm_Stream *s, const svmr_Kernel *other, svmr_Place at)
{
    svmr_fail(s->machine, SVM_ERROR_STREAM_SHARED, s->name, at, "%s%s%s and %s%s%s both wait for it",
              other == SVMR_CONTROL_WAITS ? "" : "the kernel '",
              other == SVMR_CONTROL_WAITS ? "a control thread" : svmr_name(other),
              other == SVMR_CONTROL_WAITS ? "" : "'", p ? "the kernel '" : "", p ? svmr_name(p) : "another one",
              p ? "'" : "");
}

// Nobody else waits at this end.
static void checkSlot(const svmr_Kernel *p, svm_Stream *s, svmr_Want want, svmr_Place at)
{
    svmr_Kernel *const *slot = want == SVMR_WANT_ROOM ? &s->producerWaits : &s->consumerWaits;
    const svmr_Kernel *other = __atomic_load_n(slot, __ATOMIC_RELAXED);
    if (SVMR_UNLIKELY(other != NULL))
        failShared(p, s, other, at);
}

void svmr_block(svmr_Kernel *p, svm_Stream *s, svmr_Want want, size_t wanted, svmr_Place at)
{
    if (p->plain)
        svmr_fail(p->machine, SVM_ERROR_WOULD_BLOCK, s->name, at,
                  "the kernel '%s' was said never to block, and the stream is %s", svmr_name(p),
                  want == SVMR_WANT_ROOM ? "full" : "empty");
    checkSlot(p, s, want, at);
    p->blockedOn = s;
    p->want = want;
    p->wanted = wanted;
    p->waitPlace = at;
    p->stop = SVMR_STOP_BLOCKED;
    if (p->step)
        return;
    if (p->machine->shared && svmr_spin(p))
        p->blockedOn = NULL;
    else
        svmr_leave(p);
}

// Telling a kernel on another thread costs far more than an element. So a kernel that pushes or pops tells the other end
// when it has done half a stream's capacity, when some time has passed, or when it stops itself: until then the stream
// is on its list of those to be told late. On one thread, and by control threads, the other end is told at once.
#define LATE_NANOSECONDS 20000

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

// A kernel of the same processor only runs when this one stops.
static bool isBeside(const svmr_Kernel *p, svmr_Kernel *const *slot)
{
    const svmr_Kernel *other = __atomic_load_n(slot, __ATOMIC_RELAXED);
    return other && other != SVMR_CONTROL_WAITS && __atomic_load_n(&other->order, __ATOMIC_RELAXED) != p->order;
}

static bool tellLate(svm_Stream *s, svmr_Kernel *const *slot, svmr_Want want, size_t wanted)
{
    svm_Machine *m = s->machine;
    svmr_Kernel *p = svmr_current(m);
    size_t half = s->capacity / 2;
    if (!m->shared || !p || wanted >= half || !isBeside(p, slot) || svmr_satisfied(s, want, half))
        return false;
    uint64_t t = now();
    if (p->lateStream && t - p->lateSince >= LATE_NANOSECONDS)
        return false;
    if (p->lateStream == s)
        return true;
    svmr_lock(m);
    svmr_Extent *e = svmr_extentOf(m, s);
    if (e && !e->lateBy) {
        if (!p->lateStream)
            p->lateSince = t;
        e->lateBy = p;
        e->nextLate = p->late;
        p->late = e;
    }
    bool listed = e && e->lateBy == p; // and not by the kernel at the other end
    if (listed)
        p->lateStream = s;
    svmr_unlock(m);
    return listed;
}

// Tells who waits at one end of a stream that it has what it wants, if so (locked).
static inline void tell(svm_Stream *s, svmr_Kernel **slot)
{
    svmr_Kernel *p = *slot;
    if (p == SVMR_CONTROL_WAITS) {
        svmr_changed(s->machine);
    } else if (p && (!s->machine->shared || svmr_satisfied(s, p->want, p->wanted))) {
        __atomic_store_n(slot, NULL, __ATOMIC_RELAXED);
        p->blockedOn = NULL;
        svmr_setState(p, SVM_QUEUED);
        svmr_schedule(p);
    }
}

static void tellAllLate(svmr_Kernel *p)
{
    p->lateStream = NULL;
    while (p->late) {
        svmr_Extent *e = p->late;
        p->late = e->nextLate;
        e->lateBy = NULL;
        tell(e->stream, &e->stream->consumerWaits);
        tell(e->stream, &e->stream->producerWaits);
    }
}

// What wakes the other end of a stream that was just pushed to, popped from or ended.
static inline void wake(svm_Stream *s, svmr_Kernel **slot, svmr_Want want, size_t wanted)
{
    if (!svmr_satisfied(s, want, wanted) || tellLate(s, slot, want, wanted))
        return;
    svm_Machine *m = s->machine;
    svmr_lock(m);
    tell(s, slot);
    svmr_unlock(m);
}

void svmr_wakeConsumer(svm_Stream *s)
{
    wake(s, &s->consumerWaits, SVMR_WANT_ELEMENTS, __atomic_load_n(&s->consumerWants, __ATOMIC_ACQUIRE));
}

void svmr_wakeProducer(svm_Stream *s)
{
    wake(s, &s->producerWaits, SVMR_WANT_ROOM, __atomic_load_n(&s->producerWants, __ATOMIC_ACQUIRE));
}

bool svmr_streamServes(const svmr_Wait *w)
{
    return svmr_satisfied(w->stream, w->want, w->wanted);
}

void svmr_waitForStream(svm_Stream *s, svmr_Want want, size_t wanted, svmr_Place at)
{
    svmr_waitForStreamOr(s, want, wanted, svmr_streamServes, NULL, at);
}

void svmr_waitForStreamOr(svm_Stream *s, svmr_Want want, size_t wanted, bool (*done)(const svmr_Wait *w), void *context,
                          svmr_Place at)
{
    svm_Machine *m = s->machine;
    bool room = want == SVMR_WANT_ROOM;
    svmr_Wait w = {.done = done,
                   .object = svmr_streamText(s),
                   .waitsFor = room ? " to have room" : " to have elements",
                   .at = at,
                   .stream = s,
                   .want = want,
                   .wanted = wanted,
                   .other = context,
                   .control = svmr_thread.control};
    svmr_Kernel **slot = room ? &s->producerWaits : &s->consumerWaits;
    svmr_lock(m);
    checkSlot(NULL, s, want, at);
    __atomic_store_n(room ? &s->producerWants : &s->consumerWants, wanted, __ATOMIC_RELAXED);
    __atomic_store_n(slot, SVMR_CONTROL_WAITS, __ATOMIC_SEQ_CST);
    svmr_wait(m, &w); // unlinking it clears the slot
    svmr_unlock(m);
}

// ---- Control threads that wait ----

void svmr_linkWait(svm_Machine *m, svmr_Wait *w)
{
    svmr_Wait **end = &m->waits;
    while (*end)
        end = &(*end)->next;
    w->next = NULL;
    *end = w;
    m->waitCount++;
}

void svmr_unlinkWait(svm_Machine *m, svmr_Wait *w)
{
    svmr_Wait **link = &m->waits;
    while (*link != w)
        link = &(*link)->next;
    *link = w->next;
    m->waitCount--;
    if (w->abandoned && !w->done(w))
        w->abandoned(w);
    if (w->stream)
        __atomic_store_n(w->want == SVMR_WANT_ROOM ? &w->stream->producerWaits : &w->stream->consumerWaits, NULL,
                         __ATOMIC_RELAXED);
}

void svmr_unlinkWaits(svm_Machine *m)
{
    while (!m->shared && m->waits)
        svmr_unlinkWait(m, m->waits);
}

bool svmr_anyDone(const svm_Machine *m)
{
    for (const svmr_Wait *w = m->waits; w; w = w->next)
        if (w->done(w))
            return true;
    return false;
}

svmr_Wait *svmr_blamed(const svm_Machine *m)
{
    for (svmr_Wait *w = m->waits; w; w = w->next)
        if (!w->control)
            return w;
    return m->waits;
}
