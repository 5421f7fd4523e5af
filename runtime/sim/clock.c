// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clocks: what code has done since somebody last looked, as time.
#include <string.h>

#include "runtime/sim/internal.h"

// The counters that instrumented code keeps; a program that is not instrumented has these, which stay zero.
__attribute__((weak)) uint64_t svm_simCounts[SVM_SIM_CLASSES];
__attribute__((weak)) uint64_t svm_simFirings;
__attribute__((weak)) double svm_simFiringCycles;

// As they were when somebody last looked.
static _Thread_local struct {
    uint64_t counts[SVM_SIM_CLASSES], firings;
    double cycles;
} seen;

static SVMR_COLD _Noreturn void failClass(const simr_Actor *a, size_t class)
{
    svmr_fatalProgram("the kernel '%s' needs operations of the class '%s', which the processor '%s' of the machine "
                      "'%s' cannot run",
                      a->label, svm_simTable.classes[class], a->processor->machine->element.name,
                      a->simulation->table->name);
}

void simr_charge(simr_Actor *a)
{
    double work = a->computed > a->moved ? a->computed : a->moved;
    double more = work - a->charged + a->carry;
    a->charged = work;
    if (more < 1) {
        a->carry = more;
        return;
    }
    if (more > 9e18) {
        a->local = SIM_NEVER; // the engine says so
        return;
    }
    sim_time whole = (sim_time)more;
    a->carry = more - (double)whole;
    a->local = sim_add(a->local, whole);
}

void simr_look(simr_Actor *a)
{
    const double *costs = a->processor->classes;
    double work = 0;
    bool counted = a->cost.mode == SIMR_COUNTED;
    for (size_t i = 0; i < svm_simTable.classCount; i++) {
        uint64_t n = svm_simCounts[i] - seen.counts[i];
        if (n == 0)
            continue;
        seen.counts[i] = svm_simCounts[i];
        if (SVMR_UNLIKELY(costs[i] < 0)) {
            if (counted && a->kernel)
                failClass(a, i);
            continue;
        }
        work += (double)n * costs[i];
        a->spent[i] += (double)n * costs[i];
    }
    if (!counted) {
        work = 0;
        memset(a->spent, 0, sizeof a->spent);
    }
    uint64_t firings = svm_simFirings - seen.firings;
    double cycles = svm_simFiringCycles - seen.cycles;
    if (firings) {
        seen.firings = svm_simFirings;
        a->firings += firings;
        if (a->cost.mode != SIMR_COUNTED && a->cost.unit == SVMR_UNIT_FIRINGS)
            work += (double)firings * a->cost.perUnit;
    }
    if (cycles > 0 || cycles < 0) {
        seen.cycles = svm_simFiringCycles;
        if (a->cost.mode != SIMR_PROFILE)
            work += cycles * a->processor->cycle;
    }
    if (work > 0) {
        a->computed += work;
        simr_charge(a);
    }
}

static void nothing(sim *engine, void *context)
{
    (void)engine, (void)context;
}

void simr_stopAt(simr_Simulation *s, sim_time when)
{
    sim_at(s->engine, when, nothing, NULL);
}

void simr_sync(simr_Actor *a)
{
    simr_Simulation *s = a->simulation;
    simr_look(a);
    if (a == &s->main) {
        if (sim_next(s->engine) < a->local)
            simr_stopAt(s, a->local); // kernels that the steps run stay behind it
        while (sim_next(s->engine) < a->local)
            simr_step(s);
        sim_advance(s->engine, a->local);
        if (SVMR_UNLIKELY(s->machine->failures != NULL))
            svmr_raise(s->machine);
    } else if (a->kernel && !a->kernel->coroutine) {
        return; // a plain call: it cannot be left, and waits for nobody
    } else if (sim_next(s->engine) <= a->local) {
        simr_resumeAt(a, a->local);
        simr_leave(a);
    } else {
        sim_advance(s->engine, a->local);
    }
}

// Who looks again and again, and would find the same: it takes until something happens.
void simr_poll(simr_Actor *a)
{
    simr_Simulation *s = a->simulation;
    simr_sync(a);
    bool again = a->polled && a->polledAt == a->local;
    if (again && sim_next(s->engine) != SIM_NEVER && !(a->kernel && !a->kernel->coroutine)) {
        if (a == &s->main) {
            simr_step(s);
            a->local = sim_now(s->engine);
        } else {
            a->local = sim_next(s->engine);
            simr_resumeAt(a, a->local);
            simr_leave(a);
        }
    }
    a->polled = true;
    a->polledAt = a->local;
}

// ---- What the report is told ----

static void occupy(simr_Actor *a, sim_time begin, sim_time end, sim_activity activity, const char *label)
{
    if (end <= begin)
        return;
    sim_occupy(a->simulation->engine, a->processor->element, begin, end, activity, label);
    a->processor->noted = end;
}

void simr_noteWork(simr_Actor *a)
{
    // What a DMA engine's time went into while bytes moved, the engine knows itself.
    if (a->kernel && a->processor->machine->kind == MACHINE_processor_kind_DMA)
        return;
    occupy(a, a->noted, a->local, a->kernel ? SIM_COMPUTE : SIM_CONTROL, a->label);
    a->noted = a->local;
}

void simr_spend(simr_Actor *a, sim_time time, sim_activity activity)
{
    if (time == 0)
        return;
    simr_noteWork(a);
    sim_time begin = a->local;
    a->local = sim_add(begin, time);
    occupy(a, begin, a->local, activity, a->label);
    a->noted = a->local;
}

void simr_noteWait(simr_Actor *a, sim_time until)
{
    sim_time begin = a->waitsSince > a->processor->noted ? a->waitsSince : a->processor->noted;
    if (a->kernel && a->processor->machine->kind == MACHINE_processor_kind_DMA && a->waitsFor == SIM_WAIT_TRANSFER)
        return;
    occupy(a, begin, until, a->waitsFor, a->waitLabel);
}

double simr_units(const simr_Actor *a, svmr_ProfileUnit *unit)
{
    *unit = a->firings ? SVMR_UNIT_FIRINGS : a->elements ? SVMR_UNIT_ELEMENTS : SVMR_UNIT_RUNS;
    return a->firings ? (double)a->firings : a->elements ? (double)a->elements : 1;
}
