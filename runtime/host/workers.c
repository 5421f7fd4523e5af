// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scheduling on several threads: a worker for each processor for kernels, or for several of them when there are fewer
// cores. A kernel stays on its processor's worker, and its coroutine with it. DMA kernels have no stack: whoever comes
// first runs them, mostly the worker that finished or pushed what they waited for. The state of kernels is guarded by
// the machine's mutex; elements of streams go from thread to thread without it.
#include "runtime/host/host.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

// How often a thread looks again before it sleeps: a few microseconds, about what sleeping and being woken costs.
#define SPINS 200

// Address space for a worker's stack, on which kernels that never block run: their functions may have arrays of any
// size, as on the first thread (program_stack.c).
#define STACK_BYTES ((size_t)256 << 20)

// How long a program that stops at an error waits for kernels that run and do not call the runtime.
#define HALT_SECONDS 10

static inline void relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

// ---- Kernels that can go on ----

static svmr_Worker *workerOf(const svmr_Kernel *p)
{
    const svmr_Scheduler *s = p->machine->scheduler;
    return s->workers[(p->order - 1) % s->workerCount];
}

static void wakeWorker(svmr_Worker *w)
{
    if (w->sleeping) {
        w->sleeping = false;
        pthread_cond_signal(&w->wake);
    }
}

static bool isTransfer(const svmr_Kernel *p)
{
    const svm_MachineTable *t = svmr_state(p->machine, p->processor)->table;
    return t->processors[svmr_index(p->processor)].kind == SVM_PROCESSOR_DMA;
}

static void enqueue(svmr_Kernel *p)
{
    svmr_Scheduler *s = p->machine->scheduler;
    svmr_Worker *w = NULL;
    if (isTransfer(p)) {
        bool taken = s->committing && !s->ready.first;
        svmr_append(&s->ready, p);
        __atomic_fetch_add(&s->events, 1, __ATOMIC_RELAXED);
        for (int i = 0; i < s->workerCount && !w && !taken; i++)
            if (s->workers[i]->sleeping)
                w = s->workers[i];
    } else {
        w = workerOf(p);
        svmr_append(&w->ready, p);
        __atomic_fetch_add(&w->arrivals, 1, __ATOMIC_RELAXED);
    }
    if (w)
        wakeWorker(w);
}

void svmr_scheduleShared(svmr_Kernel *p)
{
    p->machine->scheduler->active++;
    enqueue(p);
}

// ---- Workers ----

static void wakeBlamed(svm_Machine *m)
{
    svmr_Wait *w = svmr_blamed(m);
    if (w)
        pthread_cond_signal(&w->wake);
}

// Locked before and after.
static void run(svm_Machine *m, svmr_Kernel *p)
{
    svmr_Scheduler *s = m->scheduler;
    svmr_setState(p, SVM_RUNNING);
    s->running++;
    svmr_unlock(m);
    svmr_Stop stop = svmr_execute(p);
    svmr_lock(m);
    s->running--;
    s->active--;
    s->committing = true;
    svmr_commit(p, stop);
    s->committing = false;
    if (SVMR_UNLIKELY(m->failures != NULL || s->active == 0))
        wakeBlamed(m); // to report it, or to see whether it can still get what it waits for
    if (s->running == 0 && s->halted)
        pthread_cond_broadcast(&s->quiet);
}

static svmr_Kernel *take(svmr_Worker *w)
{
    svmr_Scheduler *s = w->machine->scheduler;
    if (s->halted)
        return NULL;
    if (SVMR_UNLIKELY(w->machine->adversary != NULL))
        svmr_putFirst(s->ready.first ? &s->ready : &w->ready, w->machine->adversary);
    svmr_Kernel *p = svmr_takeFirst(&s->ready);
    return p ? p : svmr_takeFirst(&w->ready);
}

// Of a worker's kernels one that waits for its stream; NULL: none does.
static SVMR_COLD const svmr_Kernel *blockedOf(const svmr_Worker *w)
{
    const svmr_Kernel *p = w->machine->all.first;
    while (p && (p->state != SVM_BLOCKED || isTransfer(p) || workerOf(p) != w))
        p = p->allNext;
    return p;
}

static void sleepUntilReady(svmr_Worker *w)
{
    svm_Machine *m = w->machine;
    svmr_Scheduler *s = m->scheduler;
    uint64_t events = __atomic_load_n(&s->events, __ATOMIC_RELAXED), arrivals = w->arrivals;
    svmr_unlock(m);
    for (int i = 0; i < SPINS && __atomic_load_n(&w->arrivals, __ATOMIC_RELAXED) == arrivals &&
                    __atomic_load_n(&s->events, __ATOMIC_RELAXED) == events;
         i++)
        relax();
    svmr_lock(m);
    if (s->stopping || (!s->halted && (s->ready.first || w->ready.first)))
        return;
    w->sleeping = true;
    while (w->sleeping && !s->stopping)
        pthread_cond_wait(&w->wake, &m->mutex);
    w->sleeping = false;
}

// Nothing is ready: look again for a short time, then sleep.
static void rest(svmr_Worker *w)
{
    if (!svmr_tracing) {
        sleepUntilReady(w);
        return;
    }
    const svmr_Kernel *p = blockedOf(w);
    const char *stream = p && p->blockedOn ? svmr_streamText(p->blockedOn) : NULL;
    svmr_Want want = p ? p->want : SVMR_WANT_NOTHING;
    uint64_t begin = svmr_traceTime();
    sleepUntilReady(w);
    svmr_traceWait(begin, stream, want, NULL);
}

static void *workerMain(void *argument)
{
    svmr_Worker *w = argument;
    svm_Machine *m = w->machine;
    svmr_thread.inUse = m;
    void *faultStack = svmr_threadStack();
    svmr_traceWorker(w->number);
    svmr_lock(m);
    while (!m->scheduler->stopping) {
        svmr_Kernel *p = take(w);
        if (p)
            run(m, p);
        else
            rest(w);
    }
    svmr_unlock(m);
    svmr_leaveThreadStack(faultStack);
    free(svmr_thread.message);
    return NULL;
}

// ---- Sharing ----

static pthread_mutex_t allMutex = PTHREAD_MUTEX_INITIALIZER;
static svm_Machine *allShared;
static pthread_once_t exitOnce = PTHREAD_ONCE_INIT;

// The program ends and a kernel has failed that nobody waited for: it does not end well.
static void atExit(void)
{
    pthread_mutex_lock(&allMutex);
    svm_Machine *m = allShared;
    while (m && !__atomic_load_n(&m->failures, __ATOMIC_ACQUIRE))
        m = m->scheduler->nextShared;
    pthread_mutex_unlock(&allMutex);
    if (!m || svmr_thread.failing)
        return;
    svmr_haltShared(m);
    svmr_flushLogs(m);
    fflush(stdout);
    fprintf(stderr, "%s\n", svmr_formatReport(&m->failures->report));
    svmr_adversaryNote(m, stderr);
    _exit(1);
}

static void registerExit(void)
{
    atexit(atExit);
}

static void addWorker(svm_Machine *m)
{
    svmr_Scheduler *s = m->scheduler;
    svmr_Worker *w = svmr_allocate(1, sizeof *w);
    w->machine = m;
    pthread_cond_init(&w->wake, NULL);
    w->number = s->workerCount + 1;
    s->workers[s->workerCount++] = w;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES); // or what the system has by default, if it cannot
    bool failed = pthread_create(&w->thread, &attributes, workerMain, w) != 0 &&
                  pthread_create(&w->thread, NULL, workerMain, w) != 0;
    pthread_attr_destroy(&attributes);
    if (failed) {
        s->workerCount--;
        svmr_fatalProgram("the system gives no thread for another worker");
    }
}

// Kernels that are ready go to their workers' lists.
static void distribute(svm_Machine *m, bool counted)
{
    svmr_Scheduler *s = m->scheduler;
    svmr_List all = {NULL, NULL};
    for (int i = -1; i < s->workerCount; i++)
        for (svmr_Kernel *p; (p = svmr_takeFirst(i < 0 ? &s->ready : &s->workers[i]->ready));)
            svmr_append(&all, p);
    for (svmr_Kernel *p; (p = svmr_takeFirst(&all));) {
        s->active += !counted;
        enqueue(p);
    }
}

void svmr_share(svm_Machine *m)
{
    svmr_Scheduler *s = m->scheduler;
    bool before = m->shared;
    if (!before) {
        pthread_once(&exitOnce, registerExit);
        pthread_mutex_lock(&allMutex);
        s->nextShared = allShared;
        allShared = m;
        pthread_mutex_unlock(&allMutex);
        pthread_cond_init(&s->quiet, NULL);
        m->shared = true;
    }
    svmr_lock(m);
    if (!s->workerLimit)
        s->workerLimit = svmr_workerLimit();
    int wanted = m->processorsUsed < s->workerLimit ? m->processorsUsed : s->workerLimit;
    if (wanted < 1)
        wanted = 1;
    if (s->workerCount < wanted) {
        s->workers = realloc(s->workers, (size_t)wanted * sizeof *s->workers);
        if (!s->workers)
            svmr_fatalProgram("out of memory");
        while (s->workerCount < wanted)
            addWorker(m);
        distribute(m, before);
    }
    svmr_unlock(m);
}

void svmr_stopWorkers(svm_Machine *m)
{
    svmr_Scheduler *s = m->scheduler;
    svmr_haltShared(m);
    svmr_lock(m);
    s->stopping = true;
    for (int i = 0; i < s->workerCount; i++) {
        s->workers[i]->sleeping = false;
        pthread_cond_signal(&s->workers[i]->wake);
    }
    svmr_unlock(m);
    for (int i = 0; i < s->workerCount; i++) {
        pthread_join(s->workers[i]->thread, NULL);
        pthread_cond_destroy(&s->workers[i]->wake);
        free(s->workers[i]);
    }
    pthread_cond_destroy(&s->quiet);
    pthread_mutex_lock(&allMutex);
    svm_Machine **link = &allShared;
    while (*link != m)
        link = &(*link)->scheduler->nextShared;
    *link = s->nextShared;
    pthread_mutex_unlock(&allMutex);
    m->shared = false;
}

void svmr_haltShared(svm_Machine *m)
{
    svmr_Scheduler *s = m->scheduler;
    svmr_lock(m);
    s->halted = true;
    for (svmr_Kernel *p = m->all.first; p; p = p->allNext)
        if (p->state == SVM_RUNNING)
            svmr_requestEnd(p);
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += HALT_SECONDS;
    int late = 0;
    while (s->running && late != ETIMEDOUT)
        late = pthread_cond_timedwait(&s->quiet, &m->mutex, &until);
    svmr_unlock(m);
}

// ---- Waiting ----

bool svmr_spinShared(const svmr_Kernel *p)
{
    svm_Machine *m = p->machine;
    svmr_lock(m);
    const svmr_Worker *w = workerOf(p);
    uint64_t arrivals = w->arrivals;
    bool alone = !w->ready.first;
    svmr_unlock(m);
    for (int i = 0; alone && i < SPINS; i++) {
        if (svmr_satisfied(p->blockedOn, p->want, p->wanted))
            return true;
        if (__atomic_load_n(&w->arrivals, __ATOMIC_RELAXED) != arrivals ||
            __atomic_load_n(&p->request, __ATOMIC_RELAXED) != SVMR_REQUEST_NONE)
            return false;
        relax();
    }
    return false;
}

void svmr_changedShared(svm_Machine *m)
{
    __atomic_fetch_add(&m->scheduler->events, 1, __ATOMIC_RELAXED);
    for (svmr_Wait *w = m->waits; w; w = w->next)
        if (w->done(w))
            pthread_cond_signal(&w->wake);
    if (m->scheduler->active == 0)
        wakeBlamed(m);
}

// Nothing can happen any more, unless a control thread that does not wait makes it happen.
static bool isStuck(const svm_Machine *m)
{
    return m->scheduler->active == 0 && m->waitCount == m->controlCount && !m->failures && !svmr_anyDone(m);
}

static void sleepUntilChange(svm_Machine *m, svmr_Wait *w)
{
    svmr_Scheduler *s = m->scheduler;
    uint64_t events = __atomic_load_n(&s->events, __ATOMIC_RELAXED);
    svmr_unlock(m);
    for (int i = 0; i < SPINS && __atomic_load_n(&s->events, __ATOMIC_RELAXED) == events; i++)
        relax();
    svmr_lock(m);
    if (__atomic_load_n(&s->events, __ATOMIC_RELAXED) == events && !w->done(w) && !isStuck(m) && !m->failures)
        pthread_cond_wait(&w->wake, &m->mutex);
}

void svmr_waitShared(svm_Machine *m, svmr_Wait *w)
{
    uint64_t begin = svmr_tracing ? svmr_traceTime() : 0;
    const char *stream = w->stream ? svmr_streamText(w->stream) : NULL,
               *kernel = w->kernel ? svmr_name(w->kernel) : NULL;
    pthread_cond_init(&w->wake, NULL);
    svmr_linkWait(m, w);
    bool stuck = false;
    while (!m->failures && !w->done(w)) {
        stuck = isStuck(m);
        if (stuck && svmr_blamed(m) == w)
            break;
        if (stuck)
            wakeBlamed(m);
        if (stuck)
            pthread_cond_wait(&w->wake, &m->mutex);
        else
            sleepUntilChange(m, w);
        stuck = false;
    }
    svmr_unlinkWait(m, w);
    pthread_cond_destroy(&w->wake);
    if (SVMR_UNLIKELY(svmr_tracing))
        svmr_traceWait(begin, stream, w->want, kernel);
    if (SVMR_UNLIKELY(m->failures != NULL))
        svmr_raise(m);
    if (SVMR_UNLIKELY(stuck))
        svmr_deadlock(m, w);
}
