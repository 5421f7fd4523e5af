// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams in time. One element is pushed or popped by a store or a load; what is acquired and released costs what the
// machine file says of that (the ASM paper's parameters). Elements lie in a memory: what goes there and comes from
// there needs its bandwidth, while the processor computes. If the memory is not the processor's own and a link lies
// between, what is sent goes over the link, and the processor waits for it.
#include "runtime/sim/internal.h"

static simr_Actor *actorOf(svmr_Kernel *p, const svm_Stream *s)
{
    if (!s || s->check != svmr_streamCheck(s))
        return NULL;
    if (p && p->machine == s->machine)
        return p->scheduling;
    simr_Simulation *simulation = simr_of(s->machine);
    return simulation->engine ? simr_controlActor(simulation) : NULL;
}

// Elements that pass between a processor and a memory.
static void access(simr_Actor *a, const svm_Stream *s, size_t count, double operation)
{
    double bytes = (double)count * (double)s->elementSize;
    if (a->cost.mode == SIMR_COUNTED && operation > 0)
        a->computed += operation * (double)sim_vector_operations(a->processor->machine, count * s->elementSize);
    if (a->cost.mode != SIMR_PROFILE && a->kernel) {
        int row = simr_memoryRow(a->simulation, s->memory);
        if (row >= 0)
            a->moved += bytes * simr_perByte(a->simulation, a->processor, row, s->capacity * s->elementSize);
    }
    simr_charge(a);
}

static void moved(simr_Actor *a, size_t count)
{
    a->elements += count;
    if (a->cost.unit == SVMR_UNIT_ELEMENTS) {
        a->computed += a->cost.perUnit * (double)count;
        simr_charge(a);
    }
}

// ---- Over a link ----

static bool isOverLink(const simr_Actor *a, const svm_Stream *s)
{
    int row = simr_memoryRow(a->simulation, s->memory);
    return row >= 0 && a->processor->overLink[row] && !(a->kernel && !a->kernel->coroutine);
}

static void sendOver(simr_Actor *a, const svm_Stream *s, size_t count)
{
    simr_Simulation *simulation = a->simulation;
    int row = simr_memoryRow(simulation, s->memory);
    const machine *m = sim_machine(simulation->engine);
    const machine_memory *to = machine_memory_by_name(m, simulation->table->memories[row].name);
    sim_transfer t = {.from = {.element = sim_memory(0, a->processor->home)},
                      .to = {.element = sim_memory(0, (size_t)(to - m->memories.data))},
                      .bytes = count * s->elementSize,
                      .engine = SIM_NONE,
                      .link = SIM_ROUTED,
                      .stream = s,
                      .label = sim_text(simulation->engine, svmr_streamText(s))};
    simr_pass(a, &t);
    simr_noteWait(a, a->local);
    a->noted = a->local;
}

// ---- Calls ----

static sim_time acquireCost(const simr_Actor *a, const svm_Stream *s, size_t count)
{
    return sim_cost_pop_acquire(a->simulation->engine, a->processor->element.index, count * s->elementSize);
}

static sim_time sendCost(const simr_Actor *a, const svm_Stream *s, size_t count)
{
    return sim_cost_push_send(a->simulation->engine, a->processor->element.index, count * s->elementSize);
}

void svmr_onStream(svmr_Kernel *p, svm_Stream *s, svmr_StreamCall call, size_t count)
{
    simr_Actor *a = actorOf(p, s);
    if (!a)
        return;
    switch (call) {
    case SVMR_CALL_COUNT: simr_poll(a); return;
    case SVMR_CALL_PUSH:
        if (svmr_room(s) >= count) // there will be no less
            return;
        break;
    case SVMR_CALL_POP:
    case SVMR_CALL_PEEK:
        if (call == SVMR_CALL_PEEK)
            access(a, s, 1, a->processor->load);
        if (svmr_count(s) >= count)
            return;
        break;
    case SVMR_CALL_PUSHED:
        access(a, s, count, a->processor->store);
        moved(a, count);
        break;
    case SVMR_CALL_POPPED:
        access(a, s, count, a->processor->load);
        moved(a, count);
        break;
    case SVMR_CALL_PUSH_ACQUIRE:
        simr_look(a);
        simr_spend(a, a->processor->pushAcquire, SIM_PUSH_ACQUIRE);
        break;
    case SVMR_CALL_PUSH_SEND:
        simr_look(a);
        if (!isOverLink(a, s))
            access(a, s, count, 0);
        moved(a, count);
        simr_spend(a, sendCost(a, s, count), SIM_PUSH_SEND);
        if (isOverLink(a, s))
            sendOver(a, s, count);
        break;
    case SVMR_CALL_POP_ACQUIRE:
        simr_look(a);
        simr_spend(a, acquireCost(a, s, count), SIM_POP_ACQUIRE);
        break;
    case SVMR_CALL_POP_DISCARD:
        simr_look(a);
        access(a, s, count, 0);
        moved(a, count);
        simr_spend(a, a->processor->popDiscard, SIM_POP_DISCARD);
        break;
    case SVMR_CALL_END: break;
    }
    simr_sync(a);
}
