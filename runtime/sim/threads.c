// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Control threads: the main one, which takes the engine's steps whenever it waits, and those that svm_threadCreate
// made, which are coroutines. Each has its control processor to itself while it runs.
#include <stdlib.h>

#include "runtime/sim/internal.h"

// What carries a created thread: the coroutine of a kernel that nobody else knows.
typedef struct Carrier {
    svm_Kernel object;
    svmr_Kernel private_;
    simr_Actor actor;
} Carrier;

simr_Actor *simr_controlActor(simr_Simulation *s)
{
    svmr_Control *c = svmr_thread.control;
    return c && c->machine == s->machine && c->scheduling ? c->scheduling : &s->main;
}

simr_Actor *simr_caller(void)
{
    svm_Machine *m = svmr_machine();
    simr_Simulation *s = simr_of(m);
    svmr_Kernel *p = svmr_current(m);
    return !s->engine ? NULL : p ? p->scheduling : simr_controlActor(s);
}

// ---- Created threads ----

static void runThread(svm_Kernel *k)
{
    svmr_Control *c = ((Carrier *)(void *)k)->actor.control;
    c->main(c);
}

static void exchangeThread(simr_Actor *a)
{
    svmr_Thread other = svmr_thread;
    svmr_thread = a->thread;
    // What belongs to the thread of the host's is not exchanged.
    svmr_thread.own = other.own;
    svmr_thread.stackBegin = other.stackBegin;
    svmr_thread.program = other.program;
    svmr_thread.itemsRead = other.itemsRead;
    svmr_thread.itemsWritten = other.itemsWritten;
    a->thread = other;
}

static void endThread(simr_Actor *a)
{
    simr_look(a);
    simr_noteWork(a);
    simr_release(a);
    a->plan++;
    a->wait = NULL;
}

void simr_enterThread(simr_Actor *a)
{
    exchangeThread(a);
    bool ended = svmr_enter(a->carrier);
    exchangeThread(a);
    if (ended)
        endThread(a);
}

static void granted(sim *engine, void *context)
{
    simr_Plan *plan = context;
    simr_Processor *processor = plan->processor;
    simr_Actor *a = simr_due(plan);
    if (!a) {
        sim_release(engine, processor->element);
        return;
    }
    a->holds = true;
    if (a->local < sim_now(engine))
        a->local = sim_now(engine);
    simr_noteWait(a, a->local);
    a->noted = a->local;
    if (a->control)
        simr_enterThread(a);
}

static void claim(simr_Actor *a)
{
    sim_acquire(a->simulation->engine, a->processor->element, granted, simr_plan(a));
}

void svmr_controlStart(svm_Machine *m, svmr_Control *c)
{
    simr_Simulation *s = simr_of(m);
    if (!s->engine)
        simr_begin(s, c->processor);
    else if (svmr_ordinal(c->processor) != s->ordinal)
        svmr_fatalProgram(
            "the control thread '%s' is placed on another machine than '%s', and the simulator predicts the "
            "time of one",
            svmr_controlName(c), s->table->name);
    simr_sync(simr_controlActor(s));
    if (!s->shares) // the main thread, from now on
        claim(&s->main);
    s->shares = true;
    Carrier *carrier = svmr_allocate(1, sizeof *carrier);
    carrier->object = (svm_Kernel){.run = runThread, .name = svmr_controlName(c), .private_ = &carrier->private_};
    carrier->private_.kernel = &carrier->object;
    carrier->private_.machine = m;
    simr_Actor *a = &carrier->actor;
    a->simulation = s;
    a->control = c;
    a->carrier = &carrier->private_;
    a->processor = &s->processors[svmr_index(c->processor)];
    a->label = sim_text(s->engine, svmr_controlName(c));
    a->local = a->noted = sim_now(s->engine);
    a->thread = (svmr_Thread){.inUse = m, .control = c};
    c->scheduling = a;
    a->next = s->threads;
    s->threads = a;
    simr_wait(a, SIM_WAIT_SYNC, NULL);
    claim(a);
}

static void freeThread(simr_Actor *a)
{
    svmr_releaseCoroutine(a->carrier);
    free((char *)a - offsetof(Carrier, actor));
}

void svmr_controlJoined(svm_Machine *m, svmr_Control *c)
{
    simr_Simulation *s = simr_of(m);
    for (simr_Actor **link = &s->threads; *link; link = &(*link)->next)
        if (*link == c->scheduling) {
            simr_Actor *a = *link;
            *link = a->next;
            c->scheduling = NULL;
            freeThread(a);
            return;
        }
}

void simr_freeThreads(simr_Simulation *s)
{
    while (s->threads) {
        simr_Actor *a = s->threads;
        s->threads = a->next;
        freeThread(a);
    }
}

void simr_leave(simr_Actor *a)
{
    if (a->kernel)
        svmr_yield(a->kernel);
    else
        svmr_leave(a->carrier);
}

// ---- Waiting ----

static sim_activity activityOf(const svmr_Wait *w)
{
    if (w->stream)
        return w->want == SVMR_WANT_ROOM ? SIM_WAIT_ROOM : SIM_WAIT_DATA;
    if (!w->kernel)
        return SIM_WAIT_SYNC;
    const simr_Actor *a = w->kernel->scheduling;
    return a->processor->machine->kind == MACHINE_processor_kind_DMA ? SIM_WAIT_TRANSFER : SIM_WAIT_KERNEL;
}

void simr_wakeThreads(simr_Simulation *s)
{
    for (simr_Actor *a = s->threads; a; a = a->next)
        if (a->wait && (a->wait->done(a->wait) || s->machine->failures)) {
            a->wait = NULL;
            claim(a);
        }
}

void svmr_changed(svm_Machine *m)
{
    simr_Simulation *s = simr_of(m);
    if (s->threads)
        simr_wakeThreads(s);
    // An event, so that whoever runs now does not run ahead of the main thread, which will go on.
    if (s->main.wait && s->main.wait->done(s->main.wait))
        simr_stopAt(s, sim_now(s->engine));
}

static void threadWaits(svm_Machine *m, simr_Actor *a, svmr_Wait *w)
{
    for (;;) {
        if (m->failures) {
            svmr_unlinkWait(m, w);
            svmr_raise(m);
            svmr_linkWait(m, w);
        }
        if (w->done(w))
            return;
        simr_release(a);
        a->wait = w;
        simr_leave(a);
    }
}

// The main thread has its processor again.
static void regain(simr_Actor *a)
{
    simr_Simulation *s = a->simulation;
    if (s->shares) {
        if (!a->holds)
            claim(a);
        while (!a->holds && simr_step(s)) {
        }
    }
    if (a->local < sim_now(s->engine)) {
        a->local = sim_now(s->engine);
        simr_noteWait(a, a->local);
    }
    a->holds = true;
    a->noted = a->local;
}

static void mainWaits(svm_Machine *m, simr_Actor *a, svmr_Wait *w)
{
    simr_Simulation *s = a->simulation;
    while (m->failures || !w->done(w)) {
        a->wait = w;
        bool more = !m->failures && simr_step(s);
        a->wait = NULL;
        if (more)
            continue;
        svmr_unlinkWait(m, w);
        regain(a);
        svmr_raise(m);
        if (!w->done(w))
            svmr_deadlock(m, w);
        svmr_linkWait(m, w);
    }
    regain(a);
}

void svmr_wait(svm_Machine *m, svmr_Wait *w)
{
    simr_Simulation *s = simr_of(m);
    if (!s->engine) {
        if (!w->done(w))
            svmr_deadlock(m, w);
        return;
    }
    svmr_linkWait(m, w); // before anything else runs, which may be what ends the wait
    simr_Actor *a = simr_controlActor(s);
    simr_look(a);
    simr_noteWork(a);
    simr_wait(a, activityOf(w), w->object);
    if (a == &s->main) {
        if (s->shares)
            simr_release(a);
        mainWaits(m, a, w);
    } else {
        threadWaits(m, a, w);
    }
    svmr_unlinkWait(m, w);
}
