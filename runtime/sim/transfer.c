// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DMA kernels in time: each piece of a transfer goes its way on the engine's machine, and the next begins when it is
// there. Those with streams are coroutines that wait; those between blocks have done their work when the way begins.
#include <stdlib.h>

#include "runtime/common/dma.h"
#include "runtime/sim/internal.h"

static sim_side sideOf(simr_Simulation *s, mm_Mem memory, svmr_Access access, size_t record)
{
    static const sim_access kinds[] = {
        [SVMR_SEQUENTIAL] = SIM_SEQUENTIAL, [SVMR_STRIDED] = SIM_STRIDED, [SVMR_INDEXED] = SIM_RANDOM};
    const machine *m = sim_machine(s->engine);
    const machine_memory *found = machine_memory_by_name(m, memory->name);
    if (!found)
        svmr_fatalProgram("the machine '%s' has no memory '%s' in the simulator's description of it", s->table->name,
                          memory->name);
    return (sim_side){sim_memory(0, (size_t)(found - m->memories.data)), kinds[access],
                      access == SVMR_SEQUENTIAL ? 0 : record};
}

// The transfers that a piece is: indices go to the engine first; a destination that is combined with is read by it, and
// then written.
static size_t transfersOf(simr_Actor *a, const svmr_TransferPart *part, sim_transfer t[3])
{
    simr_Simulation *s = a->simulation;
    sim_side from = sideOf(s, part->from, part->fromAccess, part->recordBytes);
    sim_side to = sideOf(s, part->to, part->toAccess, part->recordBytes);
    sim_side engine = {.element = a->processor->element};
    sim_transfer common = {.engine = a->processor->element, .link = SIM_ROUTED, .label = a->label};
    size_t n = 0;
    if (part->indices && part->indexBytes) {
        t[n] = common;
        t[n].from = sideOf(s, part->indices, SVMR_SEQUENTIAL, 0);
        t[n].to = engine;
        t[n++].bytes = part->indexBytes;
    }
    if (part->combines) {
        t[n] = common;
        t[n].from = to;
        t[n].to = engine;
        t[n++].bytes = part->bytes;
    }
    t[n] = common;
    t[n].from = from;
    t[n].to = to;
    t[n++].bytes = part->bytes;
    return n;
}

static void start(simr_Actor *a, sim_transfer *t, sim_action *arrived)
{
    t->arrived = arrived;
    t->context = simr_plan(a);
    sim_start(a->simulation->engine, t); // a failure stops the next step
}

// ---- With streams ----

static void pieceArrived(sim *engine, void *context)
{
    simr_Actor *a = simr_due(context);
    if (!a)
        return;
    a->local = a->noted = sim_now(engine);
    a->processor->noted = a->local;
    simr_continueKernel(a);
}

static void passes(simr_Actor *a, sim_transfer *t)
{
    simr_sync(a);
    start(a, t, pieceArrived);
    simr_leave(a);
}

// ---- Between blocks ----

static void nextPart(sim *engine, void *context)
{
    simr_Actor *a = simr_due(context);
    if (!a)
        return;
    a->local = a->noted = sim_now(engine);
    a->processor->noted = a->local;
    if (!simr_transferParts(a))
        simr_over(a);
}

bool simr_transferParts(simr_Actor *a)
{
    if (a->nextPart == a->parts.len) {
        a->nextPart = a->parts.len = 0;
        return false;
    }
    start(a, &a->parts.data[a->nextPart++], nextPart);
    return true;
}

void svmr_transferred(svmr_Kernel *p, const svmr_TransferPart *part)
{
    simr_Actor *a = p->scheduling;
    sim_transfer t[3];
    size_t n = transfersOf(a, part, t);
    for (size_t i = 0; i < n; i++) {
        if (p->coroutine) {
            passes(a, &t[i]);
            continue;
        }
        VEC_PUSH(a->simulation->arena, &a->parts, t[i]);
    }
}
