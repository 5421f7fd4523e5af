// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Between what every runtime shares (runtime/common) and a runtime's scheduler (runtime/host, runtime/sim).
//
// Shared: kernel objects, binding of dependences, cycles, who waits for which stream, pausing and ending, errors, the
// report of a deadlock, barriers and the like of control threads. The scheduler decides when and where a kernel that can
// go on does so, how a control thread waits, and how time passes. A kernel's run:
//
//   svm_kernelRun ── waits for dependences ──▶ svmr_submit / svmr_schedule ──▶ (the scheduler's queues)
//        svmr_execute(p) runs it until it stops ──▶ svmr_commit(p, stop) makes that effective: those that waited are
//        scheduled, control threads are told (svmr_changed)
//
// "Locked" means that the caller holds the machine (svmr_lock). A scheduler that runs everything on one thread leaves
// m->shared false, and locks cost a test. svmr_fail may be called locked: it unlocks.
#ifndef SVM_COMMON_SCHEDULER_H
#define SVM_COMMON_SCHEDULER_H

#include <pthread.h>

#include "runtime/common/internal.h"

// Time may pass in a DMA kernel's transfers, so it has a stack; and an error leaves a plain call before it is reported.
#ifdef SVMR_TIMED
#define SVMR_PROFILING false
#define svmr_measureStart(p) (void)(p)
#define svmr_measureStop(p, over) (void)(p)
#define SVMR_STACKS_FOR_ALL true
#define SVMR_MAY_CLAIM false // reading and writing files would count as kernels' work
#define SVMR_MAY_LEND false  // copies take time
#else
#define SVMR_STACKS_FOR_ALL false
#define SVMR_MAY_CLAIM (!SVMR_PROFILING)
#define SVMR_MAY_LEND true
#endif

// Something happened that control threads may wait for. Locked.
void svmr_changed(svm_Machine *m);

void svmr_lockShared(svm_Machine *m);
void svmr_unlockShared(svm_Machine *m);
static inline void svmr_lock(svm_Machine *m)
{
    if (SVMR_UNLIKELY(m->shared))
        svmr_lockShared(m);
}
static inline void svmr_unlock(svm_Machine *m)
{
    if (SVMR_UNLIKELY(m->shared))
        svmr_unlockShared(m);
}

// Do control threads have to be told of what happens? One that runs the kernels itself sees it.
static inline bool svmr_tells(const svm_Machine *m)
{
    return m->waits && (SVMR_STACKS_FOR_ALL || m->shared);
}
void svmr_releaseWaiters(svmr_Kernel *p); // those that wait for p's run go on
// p's run is over: finished or ended. Locked.
static inline void svmr_finish(svmr_Kernel *p, svm_KernelState state)
{
    svmr_setState(p, state);
    if (p->waiters)
        svmr_releaseWaiters(p);
    if (SVMR_UNLIKELY(svmr_tells(p->machine)))
        svmr_changed(p->machine);
}

// ---- A runtime whose processors have queues of their own (runtime/cell): compiled with SVMR_QUEUES ----

#ifdef SVMR_QUEUES
// p's run begins, and waits for the pending runs that it depends on. True: it is in a queue of a processor that waits for
// them itself, and its state is SVM_RUNNING until that has told that it is over. Locked.
bool svmr_queueRun(svmr_Kernel *p);
// Runs that processors have told of are over. Locked.
void svmr_lookAtQueues(svm_Machine *m);
// A control thread is about to wait for p. Locked.
void svmr_tellQueues(svmr_Kernel *p);
// The PPE's side of a stream is about to be used, by p or a control thread (NULL), or the stream is no more.
void svmr_checkStreamHere(const svm_Stream *s, const svmr_Kernel *p, svmr_Place at);
void svmr_streamGone(svm_Machine *m, const svm_Stream *s);
// A local memory's bytes; sets its room. They stay until the scheduler is destroyed.
char *svmr_localMemory(svm_Machine *m, svmr_MemoryState *s, const char *object, svmr_Place at);
#else
static inline bool svmr_queueRun(svmr_Kernel *p)
{
    (void)p;
    return false;
}
static inline void svmr_lookAtQueues(svm_Machine *m)
{
    (void)m;
}
static inline void svmr_tellQueues(svmr_Kernel *p)
{
    (void)p;
}
static inline void svmr_checkStreamHere(const svm_Stream *s, const svmr_Kernel *p, svmr_Place at)
{
    (void)s, (void)p, (void)at;
}
static inline void svmr_streamGone(svm_Machine *m, const svm_Stream *s)
{
    (void)m, (void)s;
}
#endif

// ---- What runtime/common offers a scheduler ----

// Runs p, which the scheduler took from its queues and whose state it set to SVM_RUNNING, on this thread until it
// stops, and says why. Not locked. Kernels with a coroutine may be executed on another thread each time.
svmr_Stop svmr_execute(svmr_Kernel *p);
// What the stop means to others: a finished, ended or failed kernel releases those that depend on it; one that blocked
// is queued again (svmr_schedule) if what it waits for has happened meanwhile, and so on. Locked. Nothing of p runs
// between svmr_execute and svmr_commit, and time may pass. For SVMR_STOP_SCHEDULER do not call it.
void svmr_commit(svmr_Kernel *p, svmr_Stop stop);
// The scheduler's own stop, on p's stack (it has a coroutine): svmr_execute returns SVMR_STOP_SCHEDULER, and this
// returns when p is executed again.
void svmr_yield(svmr_Kernel *p);
void svmr_requestEnd(svmr_Kernel *p);   // p runs and is to end (locked)
void svmr_clearRequest(svmr_Kernel *p); // what was requested of p is withdrawn, or happens (locked)

// A control thread waits: until done(w), which is called locked.
struct svmr_Wait {
    bool (*done)(const svmr_Wait *w);
    const char *object, *waitsFor; // for messages: "waits for 'object'" + " to finish"
    svmr_Place at;
    svmr_Kernel *kernel; // what `done` looks at
    svm_Stream *stream;
    svmr_Want want;
    size_t wanted;
    void *other;
    void (*abandoned)(svmr_Wait *w); // NULL or: the wait ends without being done (locked)
    svmr_Control *control;           // who waits; NULL: the thread that no svm_threadCreate made
    svmr_Wait *next;                 // in m->waits, from when svmr_wait begins to when it returns or fails
    pthread_cond_t wake;             // host
    void *scheduling;                // of the scheduler
};
// svm_kernelWait of a kernel until done(w), of which w->other is the context; svmr_runRests is what svm_kernelWait waits for.
void svmr_waitForKernel(svm_Kernel *k, bool (*done)(const svmr_Wait *w), void *context, svmr_Place at);
bool svmr_runRests(const svmr_Wait *w);
// The same for what a stream is to have; svmr_streamServes is what svmr_waitForStream waits for.
void svmr_waitForStreamOr(svm_Stream *s, svmr_Want want, size_t wanted, bool (*done)(const svmr_Wait *w), void *context,
                          svmr_Place at);
bool svmr_streamServes(const svmr_Wait *w);
void svmr_linkWait(svm_Machine *m, svmr_Wait *w); // for svmr_wait: w is in m->waits (locked)
void svmr_unlinkWait(svm_Machine *m, svmr_Wait *w);
void svmr_unlinkWaits(svm_Machine *m); // all, before their stack is left; nothing of a machine with threads
// Does any waiting control thread have what it waits for? (locked)
bool svmr_anyDone(const svm_Machine *m);
// Whose deadlock it is when all wait: the main thread's wait, or the oldest. (locked)
svmr_Wait *svmr_blamed(const svm_Machine *m);
// Nothing can run, every control thread waits, and none has what it waits for: reports it at w, whose thread calls this
// with the machine locked and w unlinked.
SVMR_COLD _Noreturn void svmr_deadlock(svm_Machine *m, const svmr_Wait *w);
// (svmr_raise is in internal.h.)

// ---- What a scheduler gives runtime/common ----

// A machine begins and ends (no kernel runs any more after the latter, and its threads are gone); m->scheduler is the
// scheduler's own.
void svmr_schedulerCreate(svm_Machine *m);
void svmr_schedulerDestroy(svm_Machine *m);
// A kernel is initialised: p->processor and p->order are known. By a control thread, not locked.
void svmr_placed(svmr_Kernel *p);
// Whether processors are threads that have not begun, and may begin later: m->unshared. Then they begin, if there can be
// several.
#if defined(SVMR_TIMED) || defined(SVMR_QUEUES)
static inline bool svmr_mayWait(const svm_Machine *m)
{
    (void)m;
    return false;
}
static inline bool svmr_stopWaiting(svm_Machine *m)
{
    (void)m;
    return true;
}
#else
bool svmr_mayWait(const svm_Machine *m);
bool svmr_stopWaiting(svm_Machine *m);
#endif
// p, whose state is SVM_QUEUED, can go on. Locked; from any thread.
void svmr_schedule(svmr_Kernel *p);
// The same for a run that begins, from the control thread's svm_kernelRun when it waits for no dependence: it may run
// at once, in the call.
void svmr_submit(svmr_Kernel *p);
// p was scheduled and will not go on: it is paused or ended. Locked.
void svmr_unschedule(svmr_Kernel *p);
// The control thread that calls this waits until w->done(w); other kernels and control threads run. Locked when called
// and when it returns, not in between. Calls svmr_raise when m->failures is set, svmr_deadlock when w can never be done.
// p's kernels that run meanwhile may fail: nothing that the caller holds may be lost by a longjmp out of this.
void svmr_wait(svm_Machine *m, svmr_Wait *w);
// The program stops at an error: no kernel of m starts any more, and the running ones stop at their next call. Returns
// when none runs. Not locked.
void svmr_halt(svm_Machine *m);
void svmr_resumeAll(svm_Machine *m); // kernels may start again
// p is about to leave its stack and to wait for p->blockedOn; true: it has what it wants after all. Not locked; for a
// scheduler that lets a processor look again for a short time before it does something else.
bool svmr_spin(const svmr_Kernel *p);
// A running kernel is to stop (p->request is set): it does when it next calls the runtime. Locked.
void svmr_interrupt(svmr_Kernel *p);
// Control threads (threads.c). Start c->main(c) as a control thread of its own, beside the caller; it ends when that
// returns. Not locked. The scheduler sets svmr_thread.control to c there.
void svmr_controlStart(svm_Machine *m, svmr_Control *c);
// c has ended and was joined: what the scheduler keeps in c->scheduling goes. Not locked.
void svmr_controlJoined(svm_Machine *m, svmr_Control *c);

// A control thread asks how things are without waiting: where kernels run only while one waits, they go on a little, so
// that asking again and again comes to an end. Not locked.
#ifdef SVMR_TIMED
static inline void svmr_poll(svm_Machine *m) // svmr_onControl and svmr_onStream see to it
{
    (void)m;
}
#else
void svmr_poll(svm_Machine *m);
#endif

// ---- Hooks for a runtime that predicts time: compiled with SVMR_TIMED, empty otherwise ----

// Called on the stack of whoever makes the call, with nothing locked and before the call takes effect: time may pass in
// them while others run (svmr_yield). p NULL: a control thread. DMA kernels do not come here but to svmr_transferred
// (dma.h).
typedef enum svmr_StreamCall {
    SVMR_CALL_PUSH, // before room is waited for; then PUSHED, before the element is the consumer's
    SVMR_CALL_PUSHED,
    SVMR_CALL_POP, // before an element is waited for; then POPPED, before its room is the producer's
    SVMR_CALL_POPPED,
    SVMR_CALL_PEEK,
    SVMR_CALL_PUSH_ACQUIRE, // before waiting
    SVMR_CALL_PUSH_SEND,
    SVMR_CALL_POP_ACQUIRE, // before waiting
    SVMR_CALL_POP_DISCARD,
    SVMR_CALL_END,
    SVMR_CALL_COUNT // how full it is is asked
} svmr_StreamCall;
typedef enum svmr_ControlCall {
    SVMR_CALL_RUN,  // of a kernel
    SVMR_CALL_WAIT, // for a kernel, before waiting
    SVMR_CALL_SYNC, // barrier, mutex, condition, join
    SVMR_CALL_STATE // of a kernel is asked
} svmr_ControlCall;
#ifdef SVMR_TIMED
// A deadlock's report has told what kernels wait for: since when.
void svmr_onDeadlock(svm_Machine *m, FILE *f);
// From now on the program has run steadyStates(instance) steady states; NULL: it has ended.
void svmr_onProgram(int64_t (*steadyStates)(const void *instance), const void *instance);
void svmr_onStream(svmr_Kernel *p, svm_Stream *s, svmr_StreamCall call, size_t count);
void svmr_onControl(svm_Machine *m, svmr_ControlCall call, svmr_Kernel *k); // k NULL for SVMR_CALL_SYNC
void svmr_onFirings(svmr_Kernel *p, size_t count);                          // svm_kernelFirings
// So many bytes of a file, which are in memory too, are copied from or to a program's items, by whoever calls.
void svmr_onCopy(size_t fileBytes, size_t itemBytes);
// Whether files can be mapped at all; the bytes `from` to `end` of one now are. `known`: of its pages, how many the first
// of are mapped already; `base`: where its first byte lies, or would; fresh: the system zeroes its pages. Addresses are
// the file's no more.
bool svmr_mayMap(void);
void svmr_onMapped(int64_t from, int64_t end, size_t base, int64_t *known, bool fresh);
void svmr_onUnmapped(size_t address, size_t bytes);
#else
// The host measures runs when it is told to (runtime/host/profile.c): around each execution; over: of the run.
extern SVMR_HIDDEN bool svmr_profiling;
SVMR_COLD void svmr_measureStart(svmr_Kernel *p);
SVMR_COLD void svmr_measureStop(svmr_Kernel *p, bool over);
#define SVMR_PROFILING SVMR_UNLIKELY(svmr_profiling)
static inline void svmr_onCopy(size_t fileBytes, size_t itemBytes)
{
    (void)fileBytes, (void)itemBytes;
}
static inline bool svmr_mayMap(void)
{
    return true;
}
static inline void svmr_onMapped(int64_t from, int64_t end, size_t base, int64_t *known, bool fresh)
{
    (void)from, (void)end, (void)base, (void)known, (void)fresh;
}
static inline void svmr_onUnmapped(size_t address, size_t bytes)
{
    (void)address, (void)bytes;
}
static inline void svmr_onDeadlock(svm_Machine *m, FILE *f)
{
    (void)m, (void)f;
}
static inline void svmr_onProgram(int64_t (*steadyStates)(const void *instance), const void *instance)
{
    (void)steadyStates, (void)instance;
}
static inline void svmr_onStream(svmr_Kernel *p, svm_Stream *s, svmr_StreamCall call, size_t count)
{
    (void)s;
    bool moves = call == SVMR_CALL_PUSHED || call == SVMR_CALL_POPPED || call == SVMR_CALL_PUSH_SEND ||
                 call == SVMR_CALL_POP_DISCARD;
    if (moves && SVMR_UNLIKELY(svmr_profiling) && p)
        p->measured.elements += count;
}
static inline void svmr_onControl(svm_Machine *m, svmr_ControlCall call, svmr_Kernel *k)
{
    (void)m, (void)call, (void)k;
}
static inline void svmr_onFirings(svmr_Kernel *p, size_t count)
{
    p->measured.firings += count;
}
#endif

#endif
