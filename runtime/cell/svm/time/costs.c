// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The described machine of a replay, from the text that the program brings along, and what things cost there.
#include <stdlib.h>

#include "runtime/cell/svm/time/replay.h"
#include "runtime/common/machine_text.h"

// The counters of the PPE's code; a program that is not instrumented has these, which stay zero.
__attribute__((weak)) uint64_t svm_simCounts[SVM_SIM_CLASSES];
__attribute__((weak)) uint64_t svm_simFirings;
__attribute__((weak)) double svm_simFiringCycles;

// ---- Machines ----

static size_t processorIndex(const svmr_Replay *r, const char *name)
{
    const machine *m = sim_machine(r->engine);
    const machine_processor *p = machine_processor_by_name(m, name);
    if (!p)
        svmr_fatalProgram("the machine '%s' has no processor '%s' in the description of it", r->table->name, name);
    return (size_t)(p - m->processors.data);
}

sim_element svmr_timedProcessor(const svmr_Replay *r, int processorId)
{
    return sim_processor(0, processorIndex(r, r->table->processors[svmr_index(processorId)].name));
}

sim_element svmr_timedMemory(const svmr_Replay *r, const char *name)
{
    const machine *m = sim_machine(r->engine);
    const machine_memory *memory = machine_memory_by_name(m, name);
    if (!memory)
        svmr_fatalProgram("the machine '%s' has no memory '%s' in the description of it", r->table->name, name);
    return sim_memory(0, (size_t)(memory - m->memories.data));
}

// ---- Costs ----

static double classCost(const machine_processor *p, machine_operation op)
{
    return machine_can_run(p, op) ? machine_operation_seconds(p, op) * (double)SIM_SECOND : -1;
}

static svmr_TimedCosts costsOf(const machine_processor *p)
{
    svmr_TimedCosts c = {.cycle = (double)SIM_SECOND / p->clock};
    for (size_t i = 0; i < svm_simTable.classCount && i < SVM_SIM_CLASSES; i++)
        for (machine_operation op = 0; op < MACHINE_OP_COUNT; op++)
            if (strcmp(machine_operation_text(op), svm_simTable.classes[i]) == 0)
                c.classes[i] = classCost(p, op);
    return c;
}

static const svm_SimKernel *declared(svm_KernelFunction *run)
{
    const char *from = getenv("SVM_SIM_COSTS");
    for (size_t i = 0; run && i < svm_simTable.kernelCount; i++)
        if (svm_simTable.kernels[i].run == run)
            return svm_simTable.kernels[i].known && !(from && strcmp(from, "counted") == 0) ? &svm_simTable.kernels[i]
                                                                                            : NULL;
    return NULL;
}

double svmr_timedWorkOf(const svmr_TimedCosts *c, svm_KernelFunction *run, const uint64_t *counts, uint64_t firings,
                        double cycles)
{
    const svm_SimKernel *row = declared(run);
    if (row)
        return (row->start + row->perFiring * (double)firings + cycles) * c->cycle;
    double work = cycles * c->cycle;
    for (size_t i = 0; i < svm_simTable.classCount; i++)
        work += counts[i] && c->classes[i] > 0 ? (double)counts[i] * c->classes[i] : 0;
    return work;
}

double svmr_timedWork(const svmr_Replay *r, const svmr_TimedCosts *c, const svmr_Kernel *p, const uint64_t *counts,
                      uint64_t firings, double cycles)
{
    for (size_t i = 0; p && !declared(p->kernel->run) && i < svm_simTable.classCount; i++)
        if (counts[i] && c->classes[i] < 0)
            svmr_fatalProgram("the kernel '%s' needs operations of the class '%s', which its processor of the machine "
                              "'%s' cannot run",
                              svmr_name(p), svm_simTable.classes[i], r->table->name);
    return svmr_timedWorkOf(c, p ? p->kernel->run : NULL, counts, firings, cycles);
}

// ---- Setting up ----

// The control processor: a master of the first kernel's processor.
static void setUpPpe(svmr_Replay *r, int processorId)
{
    const machine *m = sim_machine(r->engine);
    const machine_processor *first = &m->processors.data[svmr_timedProcessor(r, processorId).index];
    size_t found = SIZE_MAX;
    for (size_t i = 0; i < m->processors.len; i++)
        if (m->processors.data[i].kind == MACHINE_processor_kind_CONTROL &&
            (found == SIZE_MAX || machine_refers(&first->masters, MACHINE_PROCESSOR, i)))
            found = i;
    if (found == SIZE_MAX)
        svmr_fatalProgram("the machine '%s' has no control processor", r->table->name);
    const machine_processor *p = &m->processors.data[found];
    const char *slower = getenv("SVM_CELL_PPE_SLOWER");
    r->ppe = sim_processor(0, found);
    r->memory = p->memories.len ? sim_memory(0, p->memories.data[0].index) : SIM_NONE;
    r->costs = costsOf(p);
    double load = classCost(p, MACHINE_OP_LOAD), store = classCost(p, MACHINE_OP_STORE);
    r->load = load > 0 ? load : 0;
    r->store = store > 0 ? store : 0;
    const char *delay = getenv("SVM_CELL_PPE_DELAY");
    r->delay = delay && atof(delay) > 0 ? sim_from_seconds(atof(delay) / 1e6) : 0;
    r->slower = slower && atof(slower) > 0 ? atof(slower) : 1;
    r->callRun = (sim_time)((double)sim_cost_kernel_run(r->engine, found) * r->slower);
    r->callWait = (sim_time)((double)sim_cost_kernel_wait(r->engine, found) * r->slower);
    // The kernel's object and its state are loaded, and looked at.
    const double look = 4 * r->load + 2 * classCost(p, MACHINE_OP_COMPARE) + 2 * classCost(p, MACHINE_OP_BRANCH);
    r->look = look > 0 ? (sim_time)(look * r->slower) : 0;
}

bool svmr_timedWanted(void)
{
    static const char *const variables[] = {"SVM_SIM_TIME", "SVM_SIM_REPORT", "SVM_SIM_JSON", "SVM_SIM_TRACE",
                                            "SVM_SIM_GANTT"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        if (getenv(variables[i]) && *getenv(variables[i]))
            return true;
    return false;
}

svmr_Replay *svmr_replayCreate(svm_Machine *m, int processorId)
{
    svmr_Replay *r = svmr_allocate(1, sizeof *r);
    const bool trace = getenv("SVM_SIM_TRACE") || getenv("SVM_SIM_GANTT");
    r->machine = m;
    r->table = svmr_state(m, processorId)->table;
    r->arena = arena_create();
    r->last = &r->first;
    r->rests = true;
    r->engine = sim_create(r->arena, svmr_readMachine(r->arena, r->table->name, "cell-timed"),
                           &(sim_options){.trace_limit = trace ? SIM_TRACE_LIMIT : 0});
    setUpPpe(r, processorId);
    svmr_timedRegister(r);
    return r;
}

svmr_TimedSpe *svmr_timedSpe(svmr_Replay *r, const svmr_Spe *spe)
{
    for (svmr_TimedSpe *s = r->spes; s; s = s->next)
        if (s->spe == spe)
            return s;
    svmr_TimedSpe *s = ARENA_NEW(r->arena, svmr_TimedSpe);
    size_t index = processorIndex(r, r->table->processors[spe->processor].name);
    uint32_t *regions = ARENA_ARRAY(r->arena, uint32_t, svm_cellProgram.regionCount + 1);
    *s = (svmr_TimedSpe){.replay = r,
                         .spe = spe,
                         .processor = sim_processor(0, index),
                         .store = svmr_timedMemory(r, r->table->memories[spe->memory].name),
                         .costs = costsOf(&sim_machine(r->engine)->processors.data[index]),
                         .start = sim_cost_kernel_start(r->engine, index),
                         .stop = sim_cost_kernel_stop(r->engine, index),
                         .loading = classCost(&sim_machine(r->engine)->processors.data[index], MACHINE_OP_LOAD),
                         .storing = classCost(&sim_machine(r->engine)->processors.data[index], MACHINE_OP_STORE),
                         .regions = regions,
                         .next = r->spes};
    return r->spes = s;
}
