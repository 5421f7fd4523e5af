// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scheduler of Cell programs: SPEs have their queues; what the PPE runs, it runs while the control thread waits, first
// come first served.
#include <stdlib.h>

#include "runtime/cell/svm/ppu/internal.h"

void svmr_schedulerCreate(svm_Machine *m)
{
    m->scheduler = svmr_allocate(1, sizeof *m->scheduler);
    free(m->adversary); // transfers are late and in any order by themselves: SVM_CELL_SEED
    m->adversary = NULL;
}

void svmr_schedulerDestroy(svm_Machine *m)
{
    svmr_stopSpes(m);
    while (m->scheduler->runs) {
        svmr_CellRun *run = m->scheduler->runs;
        m->scheduler->runs = run->next;
        free(run);
    }
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

// Runs one kernel that is ready until it finishes or waits; false: none is ready.
static bool advance(svm_Machine *m)
{
    svmr_Kernel *p = m->scheduler->ready.first;
    if (!p)
        return false;
    takeOut(p);
    haveStore(p);
    *(p->step ? &m->scheduler->transfersHere : &m->scheduler->kernelsHere) +=
        p->state == SVM_QUEUED && p->progress == 0;
    svmr_setState(p, SVM_RUNNING);
    svmr_commit(p, svmr_execute(p));
    return true;
}

void svmr_schedule(svmr_Kernel *p)
{
    if (!svmr_queueRun(p))
        append(&p->machine->scheduler->ready, p);
}

void svmr_submit(svmr_Kernel *p)
{
    append(&p->machine->scheduler->ready, p);
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
    (void)m;
}

void svmr_halt(svm_Machine *m)
{
    (void)m;
}

// ---- The control thread waits ----

// The SPE whose oldest command the PPE sleeps for: that of the kernel that is waited for, or else any that has one. That
// command waits for none that is not on an SPE.
static svmr_Spe *speToWaitFor(svm_Machine *m, const svmr_Wait *w, uint32_t *count)
{
    svmr_CellRun *run = w->kernel ? w->kernel->scheduling : NULL;
    if (run && run->spe && svmr_pending(w->kernel)) {
        *count = run->number + 1;
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

void svmr_wait(svm_Machine *m, svmr_Wait *w)
{
    svmr_linkWait(m, w);
    bool stuck = false;
    while (!stuck && !m->failures && !w->done(w)) {
        svmr_ringSpes(m);
        if (advance(m) || svmr_retire(m))
            continue;
        uint32_t count;
        svmr_Spe *spe = speToWaitFor(m, w, &count);
        stuck = !spe;
        if (spe)
            svmr_sleepForSpe(spe, count);
    }
    svmr_retire(m); // what the run depended on
    svmr_unlinkWait(m, w);
    if (SVMR_UNLIKELY(m->failures != NULL))
        svmr_raise(m);
    if (SVMR_UNLIKELY(stuck))
        svmr_deadlock(m, w);
}

void svmr_poll(svm_Machine *m)
{
    svmr_ringSpes(m);
    if (!advance(m))
        svmr_retire(m);
    if (SVMR_UNLIKELY(m->failures != NULL))
        svmr_raise(m);
}

// ---- Control threads ----

void svmr_controlStart(svm_Machine *m, svmr_Control *c)
{
    (void)m;
    svmr_fatalProgram("the control thread '%s' cannot start: programs for the Cell have one control thread",
                      svmr_controlName(c));
}

void svmr_controlJoined(svm_Machine *m, svmr_Control *c)
{
    (void)m, (void)c;
}
