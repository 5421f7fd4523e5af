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
    return (sim_side){.element = sim_memory(0, (size_t)(found - m->memories.data)),
                      .access = kinds[access],
                      .record = access == SVMR_SEQUENTIAL ? 0 : record};
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
    t[n].to.address = part->address;
    t[n].to.span = part->span;
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

// ---- That their caller waits for ----

static void arrived(sim *engine, void *context)
{
    simr_Actor *a = ((simr_Plan *)context)->actor;
    if (a == &a->simulation->main)
        a->holds = true;
    simr_Actor *due = simr_due(context);
    if (due && due != &due->simulation->main)
        simr_resumeAt(due, sim_now(engine));
}

void simr_pass(simr_Actor *a, sim_transfer *t)
{
    simr_Simulation *s = a->simulation;
    simr_sync(a);
    simr_noteWork(a);
    simr_wait(a, SIM_WAIT_TRANSFER, t->label);
    if (a == &s->main)
        a->holds = false;
    start(a, t, arrived);
    if (a != &s->main)
        simr_leave(a);
    while (!a->holds && simr_step(s)) {
    }
    a->local = sim_now(s->engine);
}

// A copy's memory serves others between pieces of so many bytes.
enum { COPY_PIECE = 64 << 10 };

static sim_time copyOperations(const simr_Processor *p, size_t fileBytes, size_t itemBytes)
{
    return (sim_time)((p->load + p->store) *
                      (double)sim_vector_operations(p->machine, fileBytes > itemBytes ? fileBytes : itemBytes));
}

// A control thread loads and stores, while the memory reads what is copied and is written.
static void copyPiece(simr_Actor *a, size_t from, size_t to)
{
    const simr_Processor *p = a->processor;
    sim_time least = sim_add(a->local, copyOperations(p, from, to));
    sim_element memory = sim_memory(0, p->home), processor = p->element;
    sim_transfer t = {.engine = SIM_NONE, .link = SIM_ROUTED, .label = "files"};
    t.from.element = memory, t.to.element = processor, t.bytes = from;
    simr_pass(a, &t);
    t.from.element = processor, t.to.element = memory, t.bytes = to;
    simr_pass(a, &t);
    if (a->local < least)
        a->local = least;
    simr_noteWork(a);
}

void svmr_onCopy(size_t fileBytes, size_t itemBytes)
{
    simr_Actor *a = simr_caller();
    const simr_Processor *p = a ? a->processor : NULL;
    if (!a || itemBytes == 0 || p->home == SIZE_MAX || p->load + p->store == 0)
        return; // a control processor whose time is not told copies for nothing
    simr_look(a);
    if (a->kernel) {
        const machine_memory *home = &sim_machine(a->simulation->engine)->memories.data[p->home];
        double perByte = (double)SIM_SECOND / machine_bytes_per_second(home->sequential, home->clock);
        a->computed += (double)copyOperations(p, fileBytes, itemBytes);
        a->moved += (double)(fileBytes + itemBytes) * perByte;
        simr_charge(a);
        return;
    }
    size_t pieces = (itemBytes + COPY_PIECE - 1) / COPY_PIECE;
    for (size_t i = 0; i < pieces; i++)
        copyPiece(a, fileBytes / pieces, itemBytes / pieces);
    simr_sync(a);
}

// ---- Files as memory ----

static const simr_Processor *mapper(simr_Actor *a)
{
    const simr_Processor *p = a && !a->kernel ? a->processor : NULL;
    return p && p->home != SIZE_MAX && p->machine->page_map.amount > 0 ? p : NULL;
}

bool svmr_mayMap(void)
{
    return mapper(simr_caller()) != NULL;
}

// The system fills new pages of a file with zeroes: it stores, and the memory is written with what leaves its cache.
static void zeroPages(simr_Actor *a, size_t address, size_t bytes)
{
    const simr_Processor *p = a->processor;
    const sim_element memory = sim_memory(0, p->home);
    for (size_t piece; bytes != 0; bytes -= piece, address += piece) {
        piece = bytes < COPY_PIECE ? bytes : COPY_PIECE;
        double stores = p->store * (double)sim_vector_operations(p->machine, piece);
        simr_sync(a);
        sim_time least = sim_add(a->local, (sim_time)stores);
        sim_transfer t = {.engine = SIM_NONE, .link = SIM_ROUTED, .label = "pages"};
        t.bytes = sim_zeroed(a->simulation->engine, p->element, memory, address, piece);
        t.from.element = p->element, t.to.element = memory;
        if (t.bytes != 0)
            simr_pass(a, &t);
        if (a->local < least)
            a->local = least;
        simr_noteWork(a);
    }
}

void svmr_onMapped(int64_t from, int64_t end, size_t base, int64_t *known, bool fresh)
{
    simr_Actor *a = simr_caller();
    const simr_Processor *p = mapper(a);
    if (!p)
        return;
    int64_t page = (int64_t)p->machine->page, first = from / page, last = (end + page - 1) / page;
    first = first < *known ? *known : first;
    if (last <= first)
        return;
    *known = last;
    size_t pages = (size_t)(last - first);
    simr_look(a);
    const machine_processor *first_of_all = sim_machine(a->simulation->engine)->processors.data;
    sim_time each = sim_cost_page_map(a->simulation->engine, (size_t)(p->machine - first_of_all));
    const size_t address = base + (size_t)(first * page), bytes = pages * (size_t)page;
    const bool later = fresh && p->machine->page_fault.amount > 0;
    for (size_t i = 0; i < (later ? 1 : pages); i++) // later: the file gets longer, and that is all
        simr_spend(a, each, SIM_CONTROL);
    if (later)
        sim_new_pages(a->simulation->engine, p->element, sim_memory(0, p->home), address, bytes);
    else if (fresh)
        zeroPages(a, address, bytes);
    simr_sync(a);
}

void svmr_onUnmapped(size_t address, size_t bytes)
{
    const simr_Actor *a = simr_caller();
    if (a)
        sim_unmapped(a->simulation->engine, address, bytes);
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
