// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sets up programs in rounds whose items move through streams: ends of parts, runs, transfers, and the dependences
// between these. Kernels and transfers wait for items and for room by themselves; dependences are about segments and
// about who uses a stream's end next.
#include <stdlib.h>

#include "runtime/common/rounds_stream.h"

// ---- Ends ----

// Elements of a stream in `slots` windows of memory: whole strips, if what moves at the beginning and at the end of the
// program fits these too. That is no more than a window holds.
static size_t capacityOf(const svmr_Port *port, size_t slots)
{
    size_t window = port->row->capacity / port->unit, room = slots * window;
    if (port->strip == 0 || port->strip > room)
        return room;
    size_t whole = room / port->strip * port->strip;
    return slots > 1 || whole == room ? whole : room;
}

static void setUpPort(svm_Rounds *r, svmr_Port *port, int32_t processor, const svm_PartBlock *row)
{
    const svm_RoundsTable *t = r->table;
    const svm_RoundsProcessor *on = &t->processorRows[processor];
    size_t address = r->private_->ownMemory[processor] + row->address, slots = (size_t)t->depth - 1;
    port->row = row;
    port->ringNumber = row->ring;
    port->ring = &t->ringRows[row->ring];
    port->input = row->kind == SVM_PART_INPUT;
    port->straight = svmr_isStraight(t, port->ring);
    port->unit = t->alignment > 1 ? t->alignment : port->ring->itemSize;
    port->strip = (size_t)(t->strip * port->ring->step) * port->ring->itemSize / port->unit;
    if (!on->load && !port->straight) {
        svm_blockInit(&port->items, t->shared, r->private_->segments[row->ring * t->sets].address, 1,
                      port->ring->itemSize);
        svm_blockName(&port->items, row->name);
        return;
    }
    svm_blockInit(&port->items, on->memory, address + slots * row->capacity, row->capacity / port->ring->itemSize,
                  port->ring->itemSize);
    svm_blockName(&port->items, row->name);
    port->block = port->items.data;
    port->stream = &port->own;
    svm_streamInitRAM(&port->own, on->memory, address, capacityOf(port, slots), port->unit);
    svm_streamName(&port->own, port->ring->name);
}

static void setUpPlaces(svm_Rounds *r, int32_t number)
{
    const svm_RoundsTable *t = r->table;
    const svm_PartRow *part = &t->partRows[number];
    svmr_FlowPart *p = &r->private_->flowParts[number];
    svmr_PartState *state = &r->private_->parts[number];
    p->places = svmr_allocate((size_t)t->processors + 1, sizeof *p->places);
    for (int32_t b = 0; b < part->blockCount; b++)
        state->windows += part->blocksOf[b].kind != SVM_PART_INNER;
    for (int32_t q = 0; q < t->processors; q++) {
        if (!svmr_runsOn(t, number, q))
            continue;
        svmr_Port *ports = p->places[q].ports = svmr_allocate((size_t)state->windows + 1, sizeof *ports);
        for (int32_t b = 0; b < part->blockCount; b++)
            if (part->blocksOf[b].kind != SVM_PART_INNER)
                setUpPort(r, ports++, q, &part->blocksOf[b]);
    }
}

static svmr_Port *portOn(const svm_Rounds *r, int32_t part, int32_t processor, int32_t ring, bool input)
{
    svmr_Port *ports = r->private_->flowParts[part].places[processor].ports;
    for (int32_t i = 0; i < r->private_->parts[part].windows; i++)
        if (ports[i].ringNumber == ring && ports[i].input == input)
            return &ports[i];
    return NULL;
}

// Ends in one memory have one stream.
static void joinStraight(svm_Rounds *r, int32_t number)
{
    const svm_RoundsTable *t = r->table;
    const svm_RingRow *ring = &t->ringRows[number];
    if (!svmr_isStraight(t, ring) || t->movers[number])
        return;
    svmr_Port *from = portOn(r, ring->from, t->where[ring->from * t->strips], number, false);
    svmr_Port *to = portOn(r, ring->to, t->where[ring->to * t->strips], number, true);
    svm_streamDestroy(&from->own);
    from->stream = &to->own;
}

// ---- Runs ----

static void setUpEnd(svm_Rounds *r, svmr_FlowRun *run, int32_t i)
{
    const svm_RoundsTable *t = r->table;
    const svm_RoundsProcessor *on = &t->processorRows[run->processor];
    svmr_Port *port = &run->place->ports[i];
    svmr_FlowEnd *e = &run->ends[i];
    mm_Proc mover = t->movers ? t->movers[port->ringNumber] : NULL;
    if (!port->stream || (port->straight && (port->input || !mover)))
        return;
    e->initialised = true;
    if (port->straight) {
        svmr_Port *to = portOn(r, port->ring->to, t->where[port->ring->to * t->strips], port->ringNumber, true);
        svm_moveS2SInit(&e->move.pass, mover, port->stream, to->stream, 0);
        return;
    }
    const svm_Block *segment = &r->private_->segments[port->ringNumber * t->sets];
    svm_blockInit(&e->there, t->shared, segment->address, 1, port->unit);
    if (port->input)
        svm_moveB2SInit(&e->move.load, on->load, &e->there, port->stream);
    else
        svm_moveS2BInit(&e->move.store, on->store, port->stream, &e->there);
}

// What of an output's chunk the next round finds at the front of its segment.
static void setUpTail(svm_Rounds *r, svmr_FlowRun *run, int32_t i)
{
    const svm_RoundsTable *t = r->table;
    const svmr_Port *port = &run->place->ports[i];
    const svm_RingRow *ring = port->ring;
    svmr_FlowEnd *e = &run->ends[i];
    int64_t whole = t->strips * t->strip * ring->step, begin = ring->front + run->begin * t->strip * ring->step;
    int64_t end = begin + run->strips * t->strip * ring->step, from = begin > whole ? begin : whole;
    if (!port->stream || port->straight || port->input || ring->to < 0 || ring->step == 0 || ring->front == 0 ||
        end <= whole)
        return;
    e->hasTail = true;
    const svm_Block *here = &r->private_->segments[port->ringNumber * t->sets + run->set];
    const svm_Block *next = &r->private_->segments[port->ringNumber * t->sets + (run->set + 1) % t->sets];
    size_t size = ring->itemSize, elements = ((size_t)(end - from) * size + port->unit - 1) / port->unit;
    svm_blockInit(&e->tailFrom, t->shared, here->address + (size_t)from * size, elements, port->unit);
    svm_blockInit(&e->tailTo, t->shared, next->address + (size_t)(from - whole) * size, elements, port->unit);
    svm_moveB2BInit(&e->tail, t->processorRows[run->processor].store, &e->tailFrom, &e->tailTo);
}

static void setUpRun(svm_Rounds *r, svmr_FlowRun *run)
{
    const svm_RoundsTable *t = r->table;
    const svm_PartRow *part = &t->partRows[run->part];
    svmr_FlowPart *p = &r->private_->flowParts[run->part];
    svm_Kernel *k = run->kernel;
    int32_t windows = r->private_->parts[run->part].windows;
    svm_kernelInit(k, t->processorRows[run->processor].processor, part->run, part->name);
    run->place = &p->places[run->processor];
    run->ends = svmr_allocate((size_t)windows + 1, sizeof *run->ends);
    *(svm_PartFlow **)(void *)((char *)k + part->flow) = &run->flow;
    svm_Block *own = r->private_->own[run->processor * t->parts + run->part];
    svm_Block **blocks = (svm_Block **)(void *)((char *)k + part->blocks);
    for (int32_t b = 0; b < part->blockCount; b++)
        blocks[b] = &own[b]; // those of ends are set strip by strip
    for (int32_t i = 0; i < windows; i++) {
        setUpEnd(r, run, i);
        if (run->set < t->sets)
            setUpTail(r, run, i);
    }
    svm_Log **logs = (svm_Log **)(void *)((char *)k + part->logs);
    for (int32_t i = 0; i < part->logCount; i++)
        logs[i] = r->logs[part->logsOf[i]];
}

// Strips that follow each other on one processor, of a round.
static int32_t chunksOf(const svm_RoundsTable *t, int32_t part)
{
    int32_t count = 1;
    for (int32_t k = 1; k < t->strips; k++)
        count += t->where[part * t->strips + k] != t->where[part * t->strips + k - 1];
    return count;
}

static void setUpRuns(svm_Rounds *r, int32_t number)
{
    const svm_RoundsTable *t = r->table;
    const svm_PartRow *part = &t->partRows[number];
    svmr_FlowPart *p = &r->private_->flowParts[number];
    svmr_PartState *state = &r->private_->parts[number];
    const int32_t *where = &t->where[number * t->strips];
    p->perSet = chunksOf(t, number);
    size_t most = (size_t)(p->perSet * t->sets + t->processors);
    p->runs = svmr_allocate(most, sizeof *p->runs);
    p->kernels = svmr_allocate(most, part->size);
    for (int32_t s = 0; s < t->sets; s++)
        for (int32_t k = 0, end; k < t->strips; k = end) {
            for (end = k + 1; end < t->strips && where[end] == where[k];)
                end++;
            p->runs[p->count++] = (svmr_FlowRun){
                .part = number, .set = s, .ringSet = s, .processor = where[k], .begin = k, .strips = end - k};
        }
    for (int32_t q = 0; q < t->processors; q++)
        if (p->places[q].ports)
            p->runs[p->count++] =
                (svmr_FlowRun){.part = number, .set = t->sets, .processor = q, .strips = t->strips};
    for (int32_t i = 0; i < p->count; i++) {
        p->runs[i].kernel = (svm_Kernel *)(void *)(p->kernels + (size_t)i * part->size);
        setUpRun(r, &p->runs[i]);
    }
    state->reached = svmr_allocate((size_t)t->processors, sizeof *state->reached);
    for (int32_t q = 0; q < t->processors; q++)
        state->reached[q] = -1;
    state->last = where[0];
}

// ---- Dependences ----

static void depend(svm_Kernel *k, svm_Kernel *on)
{
    if (k != on)
        svm_kernelAddDependence(k, on);
}

// Who touches the segment at an end: a transfer, or the kernel itself.
static svm_Kernel *toucher(const svmr_FlowRun *run, int32_t i)
{
    return run->place->ports[i].stream ? &run->ends[i].move.load.kernel : run->kernel;
}

// Who uses a stream's end next waits for who uses it now; so do kernels of a part, which share its inner channels.
static void dependInOrder(svmr_FlowRun *run, svmr_FlowRun *before, int32_t windows)
{
    depend(run->kernel, before->kernel);
    for (int32_t i = 0; i < windows; i++) {
        if (!run->ends[i].initialised)
            continue;
        depend(&run->ends[i].move.load.kernel, &before->ends[i].move.load.kernel);
        if (run->ends[i].hasTail)
            depend(&run->ends[i].tail.kernel, &run->ends[i].move.store.kernel);
    }
}

static void orderRuns(svm_Rounds *r, int32_t part, int32_t processor)
{
    const svm_RoundsTable *t = r->table;
    svmr_FlowPart *p = &r->private_->flowParts[part];
    svmr_FlowRun *first = NULL, *before = NULL;
    for (int32_t i = 0; i < p->perSet * t->sets; i++) {
        svmr_FlowRun *run = &p->runs[i];
        if (run->processor != processor)
            continue;
        if (before)
            dependInOrder(run, before, r->private_->parts[part].windows);
        first = first ? first : run;
        before = run;
    }
    if (first)
        dependInOrder(first, before, r->private_->parts[part].windows);
}

static int32_t endOn(const svmr_FlowRun *run, int32_t ring, bool input)
{
    int32_t i = 0;
    while (run->place->ports[i].ringNumber != ring || run->place->ports[i].input != input)
        i++;
    return i;
}

// An input through segments waits for the runs that fill them: of its own set, and for its front of the set before.
static void dependOnProducers(svm_Rounds *r, int32_t number, svmr_FlowRun *run)
{
    const svm_RoundsTable *t = r->table;
    const svm_RingRow *ring = &t->ringRows[number];
    const svm_PartRow *part = &t->partRows[ring->to];
    svmr_FlowPart *p = &r->private_->flowParts[ring->from];
    svm_Kernel *in = toucher(run, endOn(run, number, true));
    int64_t strip = t->strip * ring->step, whole = t->strips * strip, at = ring->front + run->begin * strip;
    int64_t begin = at - ring->ahead - part->lead * ring->step, end = at + run->strips * strip;
    for (int32_t i = 0; i < p->count; i++) {
        svmr_FlowRun *from = &p->runs[i];
        int32_t out = endOn(from, number, false);
        const svmr_FlowEnd *e = &from->ends[out];
        int64_t first = ring->front + from->begin * strip, last = first + from->strips * strip;
        if (from->set == run->set && (from->set == t->sets || (first < end && last > begin)))
            depend(in, toucher(from, out));
        if (from->set == t->sets || run->set == t->sets || (from->set + 1) % t->sets != run->set || !e->hasTail ||
            begin >= ring->front || last - whole <= begin)
            continue;
        depend(in, &from->ends[out].tail.kernel);
        depend(&from->ends[out].tail.kernel, in); // it overwrites what this may still read
    }
}

static void setUpDependences(svm_Rounds *r)
{
    const svm_RoundsTable *t = r->table;
    for (int32_t i = 0; i < t->parts; i++)
        for (int32_t q = 0; q < t->processors; q++)
            orderRuns(r, i, q);
    for (int32_t i = 0; i < t->rings; i++) {
        const svm_RingRow *ring = &t->ringRows[i];
        if (ring->from < 0 || ring->to < 0 || svmr_isStraight(t, ring))
            continue;
        svmr_FlowPart *to = &r->private_->flowParts[ring->to];
        for (int32_t k = 0; k < to->count; k++)
            dependOnProducers(r, i, &to->runs[k]);
    }
}

// ---- All of it ----

void svmr_flowCreate(svm_Rounds *r)
{
    const svm_RoundsTable *t = r->table;
    struct svm_RoundsPrivate *p = r->private_;
    size_t kernels = 0;
    p->flowParts = svmr_allocate((size_t)t->parts + 1, sizeof *p->flowParts);
    for (int32_t i = 0; i < t->parts; i++)
        setUpPlaces(r, i);
    for (int32_t i = 0; i < t->rings; i++)
        joinStraight(r, i);
    for (int32_t i = 0; i < t->parts; i++) {
        setUpRuns(r, i);
        kernels += (size_t)(p->flowParts[i].perSet + 1) * (1 + 2 * (size_t)p->parts[i].windows);
    }
    for (int32_t i = 0; i < t->sets; i++)
        p->sets[i].issued = svmr_allocate(kernels + 1, sizeof(svm_Kernel *));
    setUpDependences(r);
    p->misaligned = true;
}

static void destroyRun(const svm_Rounds *r, svmr_FlowRun *run)
{
    for (int32_t i = 0; i < r->private_->parts[run->part].windows; i++) {
        if (run->ends[i].initialised)
            svm_kernelDestroy(&run->ends[i].move.load.kernel);
        if (run->ends[i].hasTail)
            svm_kernelDestroy(&run->ends[i].tail.kernel);
    }
    svm_kernelDestroy(run->kernel);
}

void svmr_flowDestroy(svm_Rounds *r)
{
    const svm_RoundsTable *t = r->table;
    for (int32_t i = 0; i < t->parts; i++) {
        svmr_FlowPart *p = &r->private_->flowParts[i];
        for (int32_t k = 0; k < p->count; k++)
            destroyRun(r, &p->runs[k]);
    }
    for (int32_t i = 0; i < t->parts; i++)
        for (int32_t q = 0; q < t->processors; q++) {
            svmr_Port *ports = r->private_->flowParts[i].places[q].ports;
            for (int32_t w = 0; ports && w < r->private_->parts[i].windows; w++)
                if (ports[w].stream == &ports[w].own)
                    svm_streamDestroy(&ports[w].own);
        }
}

void svmr_flowForget(svm_Rounds *r)
{
    const svm_RoundsTable *t = r->table;
    for (int32_t i = 0; i < t->parts && r->private_->flowParts; i++) {
        svmr_FlowPart *p = &r->private_->flowParts[i];
        for (int32_t k = 0; k < p->count; k++)
            free(p->runs[k].ends);
        for (int32_t q = 0; q < t->processors && p->places; q++)
            free(p->places[q].ports);
        free(p->places);
        free(p->runs);
        free(p->kernels);
    }
    free(r->private_->flowParts);
}
