// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When kernels run: first come first served on their processors, with the machine's costs of starting and stopping
// them. A kernel that waits for a stream gives its processor to the next.
#include <stdlib.h>

#include "runtime/sim/internal.h"

// ---- Machines ----

void svmr_schedulerCreate(svm_Machine *m)
{
    simr_Simulation *s = svmr_allocate(1, sizeof *s);
    s->machine = m;
    s->main.simulation = s;
    m->scheduler = s;
}

void svmr_schedulerDestroy(svm_Machine *m)
{
    simr_Simulation *s = simr_of(m);
    simr_finish(s);
    simr_freeThreads(s);
    arena_destroy(s->arena);
    free(s);
    m->scheduler = NULL;
}

void svmr_halt(svm_Machine *m)
{
    (void)m; // nothing runs beside the caller
}

void svmr_resumeAll(svm_Machine *m)
{
    (void)m;
}

void svmr_placed(svmr_Kernel *p)
{
    simr_Simulation *s = simr_of(p->machine);
    if (!s->engine)
        simr_begin(s, p->processor);
    else if (svmr_ordinal(p->processor) != s->ordinal)
        svmr_fatalProgram(
            "the kernel '%s' is placed on another machine than '%s', and the simulator predicts the time of one",
            svmr_name(p), s->table->name);
    simr_Actor *a = p->scheduling;
    if (!a) {
        p->scheduling = a = ARENA_NEW(s->arena, simr_Actor);
        a->simulation = s;
        a->kernel = p;
    }
    a->processor = &s->processors[svmr_index(p->processor)];
    a->label = sim_text(s->engine, svmr_name(p));
    a->costOf = NULL;
}

// ---- Plans ----

simr_Plan *simr_plan(simr_Actor *a)
{
    simr_Simulation *s = a->simulation;
    simr_Plan *plan = s->freePlans;
    if (plan)
        s->freePlans = plan->next;
    else
        plan = ARENA_NEW(s->arena, simr_Plan);
    *plan = (simr_Plan){a, a->processor, ++a->plan, NULL};
    return plan;
}

simr_Actor *simr_due(simr_Plan *plan)
{
    simr_Actor *a = plan->actor;
    bool holds = plan->serial == a->plan;
    plan->next = a->simulation->freePlans;
    a->simulation->freePlans = plan;
    return holds ? a : NULL;
}

static void resume(sim *engine, void *context)
{
    (void)engine;
    simr_Actor *a = simr_due(context);
    if (!a)
        return;
    if (a->kernel)
        simr_continueKernel(a);
    else
        simr_enterThread(a);
}

void simr_resumeAt(simr_Actor *a, sim_time when)
{
    sim_at(a->simulation->engine, when, resume, simr_plan(a));
}

void simr_release(simr_Actor *a)
{
    if (!a->holds)
        return;
    a->holds = false;
    sim_release(a->simulation->engine, a->processor->element);
}

void simr_wait(simr_Actor *a, sim_activity activity, const char *label)
{
    sim *engine = a->simulation->engine;
    a->waitsFor = activity;
    a->waitLabel = label ? sim_text(engine, label) : NULL;
    a->waitsSince = a->local > sim_now(engine) ? a->local : sim_now(engine);
}

bool simr_step(simr_Simulation *s)
{
    bool some = sim_step(s->engine);
    if (SVMR_UNLIKELY(sim_failure(s->engine) != NULL))
        svmr_fatalProgram("the simulation of the machine '%s' fails: %s", s->table->name, sim_failure(s->engine));
    if (s->threads)
        simr_wakeThreads(s);
    return some;
}

// ---- The way of a run ----

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
    a->local = a->noted = sim_now(engine);
    simr_noteWait(a, a->local);
    if (a->begun) {
        simr_continueKernel(a);
        return;
    }
    a->begun = true;
    simr_spend(a, processor->start, SIM_START);
    simr_resumeAt(a, a->local);
}

static void askFor(simr_Actor *a)
{
    sim_acquire(a->simulation->engine, a->processor->element, granted, simr_plan(a));
}

static void askLate(sim *engine, void *context)
{
    (void)engine;
    simr_Actor *a = simr_due(context);
    if (a)
        askFor(a);
}

void svmr_schedule(svmr_Kernel *p)
{
    simr_Actor *a = p->scheduling;
    simr_Actor *by = a->simulation->committing;
    if (!a->begun && by) // a dependence is satisfied
        a->waitLabel = by->label,
        a->waitsFor = by->processor->machine->kind == MACHINE_processor_kind_DMA ? SIM_WAIT_TRANSFER : SIM_WAIT_KERNEL;
    sim_time late = SVMR_UNLIKELY(p->machine->adversary != NULL) ? simr_delay(a) : 0;
    if (late)
        sim_at(a->simulation->engine, sim_add(sim_now(a->simulation->engine), late), askLate, simr_plan(a));
    else
        askFor(a);
}

void svmr_submit(svmr_Kernel *p)
{
    svmr_schedule(p);
}

void svmr_unschedule(svmr_Kernel *p)
{
    simr_Actor *a = p->scheduling;
    a->plan++;
    simr_release(a);
    a->begun = a->entered;
}

bool svmr_spin(const svmr_Kernel *p)
{
    (void)p;
    return false;
}

void svmr_interrupt(svmr_Kernel *p)
{
    (void)p; // it will look
}

static void beginWork(simr_Actor *a)
{
    a->entered = true;
    a->computed = a->moved = a->charged = a->carry = 0;
    a->firings = a->elements = a->launches = 0;
    simr_findCost(a);
    a->computed = a->cost.start + (a->cost.unit == SVMR_UNIT_RUNS ? a->cost.perUnit : 0);
    simr_charge(a);
}

static void noteProfile(simr_Actor *a)
{
    if (!simr_wantsProfile() || a->processor->machine->kind == MACHINE_processor_kind_DMA)
        return;
    svmr_Profile *profile = &a->simulation->profile;
    svmr_ProfileUnit unit;
    double units = simr_units(a, &unit);
    profile->keepFirst = true;
    svmr_ProfileRow *row = svmr_profileRow(profile, a->label, a->processor->machine->element.name);
    svmr_profileAdd(profile, row, unit, units, a->charged / (double)SIM_SECOND);
    size_t number = (size_t)(row - profile->rows);
    if (number == a->simulation->spent.len)
        VEC_PUSH(a->simulation->arena, &a->simulation->spent, (simr_Spent){0});
    for (size_t i = 0; i < svm_simTable.classCount; i++) {
        a->simulation->spent.data[number].classes[i] += a->spent[i] / (double)SIM_SECOND;
        a->spent[i] = 0;
    }
}

static void commit(simr_Actor *a)
{
    svmr_Kernel *p = a->kernel;
    simr_release(a);
    if (a->stop == SVMR_STOP_BLOCKED) {
        simr_wait(a, p->want == SVMR_WANT_ROOM ? SIM_WAIT_ROOM : SIM_WAIT_DATA,
                  p->blockedOn ? p->blockedOn->name : NULL);
    } else if (a->stop != SVMR_STOP_PAUSED && a->stop != SVMR_STOP_INTERRUPTED) {
        noteProfile(a);
        a->begun = a->entered = false;
        a->simulation->runs++;
    }
    a->simulation->committing = a;
    svmr_commit(p, a->stop);
    a->simulation->committing = NULL;
}

static void commitDue(sim *engine, void *context)
{
    (void)engine;
    simr_Actor *a = simr_due(context);
    if (a)
        commit(a);
}

void simr_over(simr_Actor *a)
{
    sim *engine = a->simulation->engine;
    simr_noteWork(a);
    if (a->stop == SVMR_STOP_FINISHED || a->stop == SVMR_STOP_ENDED)
        simr_spend(a, a->processor->stop, SIM_STOP);
    if (a->local > sim_now(engine) && a->stop != SVMR_STOP_FAILED)
        sim_at(engine, a->local, commitDue, simr_plan(a));
    else
        commit(a);
}

void simr_continueKernel(simr_Actor *a)
{
    svmr_Kernel *p = a->kernel;
    if (!a->entered)
        beginWork(a);
    svmr_setState(p, SVM_RUNNING);
    svmr_Stop stop = svmr_execute(p);
    if (stop == SVMR_STOP_SCHEDULER)
        return;
    simr_look(a);
    a->stop = stop;
    if (!simr_transferParts(a))
        simr_over(a);
}

// ---- What control threads do ----

void svmr_onControl(svm_Machine *m, svmr_ControlCall call, svmr_Kernel *k)
{
    simr_Simulation *s = simr_of(m);
    if (!s->engine)
        return;
    simr_Actor *control = simr_controlActor(s);
    if (SVMR_UNLIKELY(m->adversary != NULL) && call == SVMR_CALL_RUN && svmr_drawBelow(m->adversary, 8) == 0)
        control->local = sim_add(control->local, simr_delay(control));
    sim_time takes = call == SVMR_CALL_RUN    ? control->processor->run
                     : call == SVMR_CALL_WAIT ? control->processor->wait
                                              : 0;
    simr_look(control);
    simr_spend(control, takes, SIM_CONTROL);
    if (call == SVMR_CALL_STATE)
        simr_poll(control);
    else
        simr_sync(control);
    if (call == SVMR_CALL_RUN)
        simr_countIterations(s);
    if (call != SVMR_CALL_RUN || k->state == SVM_PAUSED)
        return;
    simr_Actor *a = k->scheduling;
    if (svmr_pending(k)) // an error that is found next
        return;
    a->begun = a->entered = false;
    simr_wait(a, SIM_WAIT_KERNEL, NULL);
}

void svmr_onFirings(svmr_Kernel *p, size_t count)
{
    simr_Actor *a = p->scheduling;
    a->firings += count;
    if (a->cost.mode != SIMR_COUNTED && a->cost.unit == SVMR_UNIT_FIRINGS) {
        a->computed += a->cost.perUnit * (double)count;
        simr_charge(a);
    }
}
