// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scheduler of Cell programs: SPEs have their queues; what the PPE runs, control threads run while they wait, first
// come first served. From its second control thread on a machine is shared: one of those that have nothing else to do sleeps
// for an SPE, the others until something changes.
#include <stdlib.h>

#include "runtime/cell/svm/ppu/internal.h"
#include "runtime/common/adversary.h"
#include "runtime/common/control_thread.h"

void svmr_schedulerCreate(svm_Machine *m)
{
    m->scheduler = svmr_allocate(1, sizeof *m->scheduler);
    pthread_cond_init(&m->scheduler->changed, NULL);
    if (m->adversary) { // transfers are late and in any order by themselves
        char seed[24];
        snprintf(seed, sizeof seed, "%llu", (unsigned long long)m->adversary->seed);
        setenv("SVM_CELL_SEED", seed, 0);
    }
    free(m->adversary);
    m->adversary = NULL;
}

void svmr_schedulerDestroy(svm_Machine *m)
{
    svmr_stopSpes(m);
    svmr_timedEnd(m);
    while (m->scheduler->runs) {
        svmr_CellRun *run = m->scheduler->runs;
        m->scheduler->runs = run->next;
        free(run);
    }
    while (m->scheduler->uneven) {
        svmr_Uneven *u = m->scheduler->uneven;
        m->scheduler->uneven = u->next;
        free(u->name);
        free(u);
    }
    pthread_cond_destroy(&m->scheduler->changed);
    free(m->scheduler->completeMemory);
    free(m->scheduler);
    m->scheduler = NULL;
}

void svmr_placed(svmr_Kernel *p)
{
    (void)p;
}

// ---- Kernels that the PPE runs ----

static void append(svmr_List *list, svmr_Kernel *p)
{
    p->list = list;
    p->next = NULL;
    p->previous = list->last;
    *(list->last ? &list->last->next : &list->first) = p;
    list->last = p;
}

static void takeOut(svmr_Kernel *p)
{
    svmr_List *list = p->list;
    *(p->previous ? &p->previous->next : &list->first) = p->next;
    *(p->next ? &p->next->previous : &list->last) = p->previous;
    p->list = NULL;
}

// A kernel that is an SPE's, but that no SPE can run, has the local store for itself where it may share room with others
// there: kernels that never block run one at a time.
static void haveStore(svmr_Kernel *p)
{
    svmr_Spe *spe = p->plain && !p->step ? svmr_speOfProcessor(p->machine, p->processor, (svmr_Place){0}) : NULL;
    if (!spe || spe->retired == spe->issued)
        return;
    svmr_ringSpes(p->machine);
    svmr_sleepForSpe(spe, spe->issued);
    svmr_retire(p->machine);
}

// Runs one kernel that is ready until it finishes or waits; false: none is ready. Locked, but for the run.
static bool advance(svm_Machine *m)
{
    svmr_Scheduler *s = m->scheduler;
    svmr_Kernel *p = s->ready.first;
    if (!p)
        return false;
    takeOut(p);
    haveStore(p);
    *(p->step ? &s->transfersHere : &s->kernelsHere) += p->state == SVM_QUEUED && p->progress == 0;
    svmr_setState(p, SVM_RUNNING);
    s->running++;
    svmr_timedHere(p, false);
    svmr_unlock(m);
    svmr_Stop stop = svmr_execute(p);
    svmr_lock(m);
    svmr_timedHere(p, stop == SVMR_STOP_FINISHED || stop == SVMR_STOP_ENDED);
    s->running--;
    svmr_commit(p, stop);
    svmr_changed(m);
    return true;
}

void svmr_schedule(svmr_Kernel *p)
{
    if (!svmr_queueRun(p))
        svmr_submit(p);
}

void svmr_submit(svmr_Kernel *p)
{
    append(&p->machine->scheduler->ready, p);
    svmr_changed(p->machine);
}

void svmr_unschedule(svmr_Kernel *p)
{
    if (p->list)
        takeOut(p);
}

bool svmr_spin(const svmr_Kernel *p)
{
    (void)p;
    return false;
}

void svmr_interrupt(svmr_Kernel *p)
{
    (void)p; // on an SPE it runs to its end
}

void svmr_changed(svm_Machine *m)
{
    if (m->shared)
        pthread_cond_broadcast(&m->scheduler->changed);
}

void svmr_halt(svm_Machine *m)
{
    (void)m;
}

void svmr_resumeAll(svm_Machine *m)
{
    (void)m;
}

// ---- Control threads wait ----

// The SPE whose oldest command the PPE sleeps for: that of the kernel that is waited for, or else any that has one. That
// command waits for none that is not on an SPE.
static svmr_Spe *speToWaitFor(svm_Machine *m, const svmr_Wait *w, uint32_t *count)
{
    svmr_CellRun *run = w->kernel ? w->kernel->scheduling : NULL;
    if (run && run->spe && svmr_pending(w->kernel)) {
        const svmr_Scheduler *s = m->scheduler;
        const bool alone =
            !m->shared && s->kernelsHere + s->transfersHere == 0; // nothing else is to be done here meanwhile
        *count = run->number + 1;
        if (alone)
            *count = svmr_sleepUntil(run->spe->complete->count, run->spe->issued, svmr_lastOfWaits(run)->number + 1);
        return run->spe;
    }
    for (svmr_Spe *spe = m->scheduler->spes; spe; spe = spe->next)
        if (spe->issued != spe->retired) {
            *count = spe->retired + 1;
            return spe;
        }
    return NULL;
}

void svmr_lookAtQueues(svm_Machine *m)
{
    svmr_retire(m);
}

// What was queued before a wait is a round, or all of it that there is.
void svmr_tellQueues(svmr_Kernel *p)
{
    svmr_noteWait(p->machine, svmr_cellRun(p));
    if (p->machine->scheduler->unrung)
        svmr_ringSpes(p->machine);
}

static void sleepFor(svm_Machine *m, svmr_Spe *spe, uint32_t count)
{
    m->scheduler->sleepers++;
    svmr_unlock(m);
    svmr_sleepForSpe(spe, count);
    svmr_lock(m);
    m->scheduler->sleepers--;
    svmr_changed(m);
}

void svmr_waitForSpe(svmr_Spe *spe, uint32_t count)
{
    if ((int32_t)(spe->complete->count - count) >= 0)
        return;
    svmr_ringSpes(spe->machine);
    sleepFor(spe->machine, spe, count);
}

// Nobody runs, and all control threads wait for what none of them has.
static bool isStuck(const svm_Machine *m)
{
    const svmr_Scheduler *s = m->scheduler;
    return !s->sleepers && !s->running && m->waitCount == m->controlCount && !svmr_anyDone(m);
}

// Goes on with something, or waits until something changes; false: there is nothing to wait for, and w's thread is to say so.
static bool waitOnce(svm_Machine *m, svmr_Wait *w)
{
    uint32_t count;
    svmr_ringSpes(m);
    if (advance(m))
        return true;
    if (svmr_retire(m)) {
        svmr_changed(m);
        return true;
    }
    svmr_Spe *spe = m->scheduler->sleepers ? NULL : speToWaitFor(m, w, &count);
    if (spe) {
        sleepFor(m, spe, count);
        return true;
    }
    bool stuck = isStuck(m);
    if (!m->shared || (stuck && svmr_blamed(m) == w))
        return false;
    if (stuck)
        svmr_changed(m); // whoever is blamed looks again
    pthread_cond_wait(&m->scheduler->changed, &m->mutex);
    return true;
}

void svmr_wait(svm_Machine *m, svmr_Wait *w)
{
    svmr_linkWait(m, w);
    bool stuck = false;
    while (!stuck && !m->failures && !w->done(w))
        stuck = !waitOnce(m, w);
    svmr_retire(m); // what the run depended on
    svmr_unlinkWait(m, w);
    svmr_changed(m);
    if (SVMR_UNLIKELY(m->failures != NULL))
        svmr_raise(m);
    if (SVMR_UNLIKELY(stuck))
        svmr_deadlock(m, w);
}

void svmr_goOn(svm_Machine *m)
{
    svmr_lock(m);
    svmr_ringSpes(m);
    if (!advance(m))
        svmr_retire(m);
    svmr_unlock(m);
    if (SVMR_UNLIKELY(m->failures != NULL))
        svmr_raise(m);
}

#ifndef SVMR_TIMED
void svmr_poll(svm_Machine *m)
{
    svmr_goOn(m);
}
#endif

// ---- Control threads ----

void svmr_controlStart(svm_Machine *m, svmr_Control *c)
{
    m->shared = true;
    svmr_controlThreadStart(c);
}

void svmr_controlJoined(svm_Machine *m, svmr_Control *c)
{
    (void)m;
    svmr_controlThreadJoin(c);
}
