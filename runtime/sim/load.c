// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the text of a machine file, which the program brings along, to processors with their costs; and what a kernel's
// work costs.
#include <math.h>
#include <stdlib.h>

#include "runtime/common/machine_text.h"
#include "runtime/sim/internal.h"

// ---- Processors ----

static double classCost(const machine_processor *p, machine_operation op)
{
    return machine_can_run(p, op) ? machine_operation_seconds(p, op) * (double)SIM_SECOND : -1;
}

static double namedClassCost(const machine_processor *p, const char *name)
{
    for (machine_operation op = 0; op < MACHINE_OP_COUNT; op++)
        if (strcmp(machine_operation_text(op), name) == 0)
            return classCost(p, op);
    svmr_fatalProgram("the program was built with counters of the class '%s', which the simulator does not know; build "
                      "it with the svm-llc that belongs to it",
                      name);
}

static bool refersTo(const machine_refs *refs, size_t memory)
{
    return machine_refers(refs, MACHINE_MEMORY, memory);
}

static bool isOverLink(const machine *m, size_t from, size_t to)
{
    if (from == SIZE_MAX || from == to)
        return false;
    for (size_t i = 0; i < m->links.len; i++) {
        const machine_link *link = &m->links.data[i];
        if ((refersTo(&link->elements, from) || refersTo(&link->senders, from)) &&
            (refersTo(&link->elements, to) || refersTo(&link->receivers, to)))
            return true;
    }
    return false;
}

static void setUp(simr_Simulation *s, simr_Processor *p, const machine *m, size_t index)
{
    const machine_processor *from = &m->processors.data[index];
    *p = (simr_Processor){.machine = from,
                          .element = sim_processor(0, index),
                          .cycle = (double)SIM_SECOND / from->clock,
                          .start = sim_cost_kernel_start(s->engine, index),
                          .stop = sim_cost_kernel_stop(s->engine, index),
                          .run = sim_cost_kernel_run(s->engine, index),
                          .wait = sim_cost_kernel_wait(s->engine, index),
                          .pushAcquire = sim_cost_push_acquire(s->engine, index),
                          .popDiscard = sim_cost_pop_discard(s->engine, index),
                          .home = from->memories.len ? from->memories.data[0].index : SIZE_MAX};
    for (size_t i = 0; i < svm_simTable.classCount; i++)
        p->classes[i] = namedClassCost(from, svm_simTable.classes[i]);
    p->load = fmax(classCost(from, MACHINE_OP_LOAD), 0);
    p->store = fmax(classCost(from, MACHINE_OP_STORE), 0);
    size_t memories = (size_t)s->table->memoryCount;
    bool *overLink = ARENA_ARRAY(s->arena, bool, memories);
    p->perByte = ARENA_ARRAY(s->arena, double, memories);
    for (size_t i = 0; i < memories; i++) {
        const machine_memory *memory = machine_memory_by_name(m, s->table->memories[i].name);
        overLink[i] = memory && isOverLink(m, p->home, (size_t)(memory - m->memories.data));
        p->perByte[i] = -1;
    }
    p->overLink = overLink;
}

static void setUpProcessors(simr_Simulation *s, const machine *m)
{
    s->processors = ARENA_ARRAY(s->arena, simr_Processor, (size_t)s->table->processorCount);
    for (int i = 0; i < s->table->processorCount; i++) {
        const machine_processor *p = machine_processor_by_name(m, s->table->processors[i].name);
        if (!p)
            svmr_fatalProgram("the machine '%s' has no processor '%s' in the simulator's description of it",
                              s->table->name, s->table->processors[i].name);
        setUp(s, &s->processors[i], m, (size_t)(p - m->processors.data));
    }
}

// The control processor that the main thread is on: a master of the first kernel's processor, or else the first.
static simr_Processor *mainProcessor(const simr_Simulation *s, const machine *m, const simr_Processor *first)
{
    size_t master = first->machine->masters.len ? first->machine->masters.data[0].index : SIZE_MAX;
    simr_Processor *found = NULL;
    for (int i = 0; i < s->table->processorCount; i++) {
        simr_Processor *p = &s->processors[i];
        if (p->machine->kind == MACHINE_processor_kind_CONTROL && (!found || p->machine == &m->processors.data[master]))
            found = p;
    }
    if (!found)
        svmr_fatalProgram("the machine '%s' has no control processor", s->table->name);
    return found;
}

void simr_begin(simr_Simulation *s, int processorId)
{
    s->ordinal = svmr_ordinal(processorId);
    s->table = svmr_state(s->machine, processorId)->table;
    if (svm_simTable.classCount > SVM_SIM_CLASSES)
        svmr_fatalProgram(
            "the program was built with %zu counters, and the simulator has %d; build it with the svm-llc "
            "that belongs to it",
            svm_simTable.classCount, SVM_SIM_CLASSES);
    s->arena = arena_create();
    const machine *m = svmr_readMachine(s->arena, s->table->name, "sim");
    s->engine = sim_create(s->arena, m, &(sim_options){.trace_limit = simr_wantsTrace() ? SIM_TRACE_LIMIT : 0});
    setUpProcessors(s, m);
    s->main.processor = mainProcessor(s, m, &s->processors[svmr_index(processorId)]);
    s->main.label = "main";
    s->main.holds = true;
    simr_register(s);
}

// ---- Memories ----

int simr_memoryRow(const simr_Simulation *s, mm_Mem memory)
{
    return memory->id && svmr_ordinal(memory->id) == s->ordinal ? svmr_index(memory->id) : -1;
}

double simr_perByte(simr_Simulation *s, simr_Processor *p, int row, uint64_t workingSet)
{
    if (p->perByte[row] >= 0)
        return p->perByte[row];
    const machine *m = sim_machine(s->engine);
    const machine_memory *memory = machine_memory_by_name(m, s->table->memories[row].name);
    if (!memory)
        return p->perByte[row] = 0;
    size_t serving = sim_serving_memory(s->engine, p->element.index, (size_t)(memory - m->memories.data), workingSet);
    const machine_memory *served = &m->memories.data[serving];
    p->perByte[row] = (double)SIM_SECOND / machine_bytes_per_second(served->sequential, served->clock);
    return p->perByte[row];
}

// ---- Kernels ----

static const svm_SimKernel *findKernel(svm_KernelFunction *run)
{
    for (size_t i = 0; i < svm_simTable.kernelCount; i++)
        if (svm_simTable.kernels[i].run == run)
            return &svm_simTable.kernels[i];
    return NULL;
}

static const svmr_ProfileRow *findRow(const simr_Actor *a)
{
    const svmr_Profile *p = simr_profile();
    if (!p)
        return NULL;
    const svmr_ProfileRow *row = svmr_profileFind(p, a->label, a->processor->machine->element.name);
    for (size_t i = 0; !row && i < p->count; i++)
        if (strcmp(p->rows[i].kernel, a->label) == 0)
            row = &p->rows[i];
    return row;
}

static bool costFromProfile(simr_Actor *a)
{
    const svmr_ProfileRow *row = findRow(a);
    if (row)
        a->cost =
            (simr_Cost){SIMR_PROFILE, row->start * (double)SIM_SECOND, row->perUnit * (double)SIM_SECOND, row->unit};
    return row;
}

static bool costAsDeclared(simr_Actor *a, svm_KernelFunction *run)
{
    const svm_SimKernel *k = findKernel(run);
    if (!k || !k->known)
        return false;
    double cycle = a->processor->cycle;
    a->cost = (simr_Cost){SIMR_DECLARED, k->start * cycle, k->perFiring * cycle, SVMR_UNIT_FIRINGS};
    return true;
}

void simr_findCost(simr_Actor *a)
{
    svm_KernelFunction *run = a->kernel->kernel->run;
    if (a->costOf == run)
        return;
    a->costOf = run;
    a->cost = (simr_Cost){SIMR_COUNTED, 0, 0, SVMR_UNIT_FIRINGS};
    if (a->processor->machine->kind == MACHINE_processor_kind_DMA)
        return;
    simr_CostsFrom from = simr_costsFrom();
    if ((from == SIMR_AUTO || from == SIMR_ONLY_PROFILE) && costFromProfile(a))
        return;
    if (from == SIMR_ONLY_PROFILE)
        svmr_fatalProgram("SVM_SIM_COSTS is profile, and the profile has no kernel '%s'", a->label);
    if ((from == SIMR_AUTO || from == SIMR_ONLY_DECLARED) && costAsDeclared(a, run))
        return;
    if (from == SIMR_ONLY_DECLARED)
        svmr_fatalProgram("SVM_SIM_COSTS is declared, and the kernel '%s' declares no cost: SVM_KERNEL(cost(start, "
                          "per_firing))",
                          a->label);
}
