// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs in rounds whose items move through streams: what kernels do with these, and the start of runs.
#include "runtime/common/rounds_stream.h"
#include "runtime/common/stream.h"

static const svmr_Place place = {"svm_partNext", NULL, 0};

// ---- Copies between streams and blocks ----

// Takes whole elements; of their bytes those from `skip` on go to `to`.
static void take(svm_Stream *s, char *to, size_t skip, size_t bytes, size_t elements)
{
    svmr_Kernel *p = svmr_thread.current;
    size_t at = 0, size = s->elementSize, end = skip + bytes;
    svmr_consumes(s, p, place);
    while (elements > 0) {
        svmr_onStream(p, s, SVMR_CALL_POP, 1);
        if (s->seenWritten == s->read)
            svmr_awaitElements(s, 1, place);
        size_t n = svmr_frontPiece(s, elements);
        size_t from = at > skip ? at : skip, until = at + n * size < end ? at + n * size : end;
        if (from < until)
            memcpy(to + (from - skip), s->data + s->front + (from - at), until - from);
        svmr_onStream(p, s, SVMR_CALL_POPPED, n);
        svmr_popped(s, n);
        at += n * size;
        elements -= n;
    }
}

static void give(svm_Stream *s, const char *from, size_t bytes, size_t elements)
{
    svmr_Kernel *p = svmr_thread.current;
    size_t at = 0, size = s->elementSize;
    svmr_produces(s, p, place);
    while (elements > 0) {
        svmr_onStream(p, s, SVMR_CALL_PUSH, 1);
        if (svmr_room(s) == 0)
            svmr_awaitRoom(s, 1, place);
        size_t n = svmr_backPiece(s, elements), length = n * size;
        if (at < bytes)
            memcpy(s->data + s->back, from + at, bytes - at < length ? bytes - at : length);
        svmr_onStream(p, s, SVMR_CALL_PUSHED, n);
        svmr_pushed(s, n);
        at += length;
        elements -= n;
    }
}

// ---- In kernels ----

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static svm_Block **blocksOf(const svm_RoundsTable *t, const svmr_FlowRun *run)
{
    return (svm_Block **)(void *)((char *)run->kernel + t->partRows[run->part].blocks);
}

static void tell(const svm_Rounds *r, const svmr_FlowRun *run, bool cold, int64_t steady)
{
    const svm_RoundsTable *t = r->table;
    const svm_PartRow *part = &t->partRows[run->part];
    const svm_PartFlow *f = &run->flow;
    char *k = (char *)run->kernel;
    ptrdiff_t *firings = (ptrdiff_t *)(void *)(k + part->firings);
    *(bool *)(void *)(k + part->starting) = f->starting;
    *(bool *)(void *)(k + part->cold) = cold;
    *(ptrdiff_t *)(void *)(k + part->steady) = f->counts ? 0 : steady + (cold ? part->lead : 0);
    for (int32_t i = 0; i < part->actorCount; i++)
        firings[i] = f->counts ? f->counts[part->actors[i]]
                               : t->steadily[part->actors[i]] * (steady + (cold ? part->warm[i] : 0));
}

static void setItems(svmr_Port *port, char *data, int64_t count)
{
    port->items.data = data;
    port->items.capacity = count > 0 ? (size_t)count : 1;
    port->items.check = svmr_blockCheck(&port->items);
}

static size_t elementsOf(const svmr_Port *port, size_t bytes)
{
    return (bytes + port->unit - 1) / port->unit;
}

// A window of a whole strip that lies where windows of that size always do.
static bool fitsInPlace(const svmr_Port *port, size_t at, size_t elements, size_t bytes)
{
    size_t size = port->stream->elementSize;
    return elements > 0 && elements == port->strip && elements * size == bytes &&
           port->stream->capacity % elements == 0 && at / size % elements == 0;
}

// So many items of an input, of which the first `held` are in the block already.
static void openInput(svmr_Port *port, svmr_FlowEnd *e, int64_t held, int64_t items)
{
    size_t size = port->ring->itemSize, skip = e->skip, bytes = (size_t)items * size;
    e->count = held + items;
    e->skip = 0; // of the next strip's
    e->inPlace = false;
    if (!port->stream) {
        setItems(port, port->items.data, e->count);
        return;
    }
    e->elements = items > 0 ? elementsOf(port, skip + bytes) : 0;
    e->inPlace = held == 0 && skip == 0 && port->ring->ahead == 0 &&
                 fitsInPlace(port, port->stream->front, e->elements, bytes);
    if (e->inPlace) {
        const void *window = svm_streamPopAcquire(port->stream, e->elements);
        setItems(port, (char *)(uintptr_t)window, e->count);
        return;
    }
    take(port->stream, port->block + (size_t)held * size, skip, bytes, e->elements);
    setItems(port, port->block, e->count);
}

static void openOutput(svmr_Port *port, svmr_FlowEnd *e, int64_t items)
{
    size_t bytes = (size_t)items * port->ring->itemSize;
    e->count = items;
    e->inPlace = false;
    if (!port->stream) {
        setItems(port, port->items.data, items);
        return;
    }
    e->elements = items > 0 ? elementsOf(port, bytes) : 0;
    e->inPlace = fitsInPlace(port, port->stream->back, e->elements, bytes);
    setItems(port, e->inPlace ? svm_streamPushAcquire(port->stream, e->elements) : port->block, items);
}

// Items of a ring that a strip of the run moves through it, beside what a cold run reads before them.
static int64_t itemsOf(const svmr_Port *port, const svm_PartFlow *f, int64_t steady)
{
    return f->counts ? svmr_made(port->ring, f->counts, f->starting) : steady * port->ring->step;
}

// What lies in the segment: the window of the strip that begins after so many steady states of the run.
static char *segmentItems(const svm_Rounds *r, const svmr_FlowRun *run, int32_t i, int64_t before)
{
    const svmr_Port *port = &run->place->ports[i];
    const svm_PartFlow *f = &run->flow;
    int64_t first = run->ends[i].first + (f->counts ? 0 : before * port->ring->step);
    if (port->input && !f->starting)
        first -= port->ring->ahead;
    return svmr_ringItem(r, port->ringNumber, run->ringSet, first);
}

bool svm_partNext(svm_PartFlow *f)
{
    const svm_RoundsTable *t = f->rounds->table;
    svmr_FlowRun *run = f->run;
    const svm_PartRow *part = &t->partRows[run->part];
    if (f->counts ? !f->once : f->left == 0)
        return false;
    bool cold = f->cold;
    int64_t steady = f->counts ? 0 : least(f->left, t->strip);
    int32_t windows = f->rounds->private_->parts[run->part].windows;
    for (int32_t i = 0; i < windows; i++) {
        svmr_Port *port = &run->place->ports[i];
        int64_t items = itemsOf(port, f, steady), ahead = f->starting ? 0 : port->ring->ahead;
        if (!port->stream)
            port->items.data = segmentItems(f->rounds, run, i, f->done);
        if (!port->input)
            openOutput(port, &run->ends[i], items);
        else if (cold)
            openInput(port, &run->ends[i], 0, ahead + part->lead * port->ring->step + items);
        else
            openInput(port, &run->ends[i], ahead, items);
        blocksOf(t, run)[port->row - part->blocksOf] = &port->items;
    }
    tell(f->rounds, run, cold, steady);
    f->cold = f->once = false;
    f->left -= steady;
    f->done += steady;
    return true;
}

// What is still to be read moves to where the next run finds it.
static void closeInput(svmr_Port *port, const svmr_FlowEnd *e)
{
    size_t size = port->ring->itemSize, ahead = (size_t)port->ring->ahead, count = (size_t)e->count;
    if (e->inPlace) {
        svm_streamPopDiscard(port->stream, e->elements);
        return;
    }
    if (!port->stream)
        return;
    size_t kept = ahead < count ? ahead : count;
    if (kept > 0)
        memmove(port->block + (ahead - kept) * size, port->block + (count - kept) * size, kept * size);
}

void svm_partSend(svm_PartFlow *f)
{
    svmr_FlowRun *run = f->run;
    int32_t windows = f->rounds->private_->parts[run->part].windows;
    for (int32_t i = 0; i < windows; i++) {
        svmr_Port *port = &run->place->ports[i];
        const svmr_FlowEnd *e = &run->ends[i];
        if (port->input)
            closeInput(port, e);
        else if (e->inPlace)
            svm_streamPushSend(port->stream, e->elements);
        else if (port->stream)
            give(port->stream, port->items.data, (size_t)e->count * port->ring->itemSize, e->elements);
    }
}

// ---- Runs ----

static void issue(svmr_RoundsSet *s, svm_Kernel *k)
{
    svm_kernelRun(k);
    s->issued[s->count++] = k;
}

// The stream's elements that the run moves: strip by strip, as each begins with a whole one.
static size_t elementsOfRun(const svm_RoundsTable *t, const svmr_Port *port, const svm_PartFlow *f)
{
    size_t size = port->ring->itemSize, elements = 0;
    if (f->counts)
        return elementsOf(port, (size_t)svmr_made(port->ring, f->counts, f->starting) * size);
    for (int64_t left = f->left; left > 0; left -= t->strip)
        elements += elementsOf(port, (size_t)(least(left, t->strip) * port->ring->step) * size);
    return elements;
}

// The segment's part that a load or store moves. Strips are whole elements, so only the last one's end is not.
static void placeThere(const svm_Rounds *r, const svmr_FlowRun *run, const svmr_Port *port, svmr_FlowEnd *e,
                       int64_t first, int64_t items)
{
    const svm_RoundsTable *t = r->table;
    const svm_Block *segment = &r->private_->segments[port->ringNumber * t->sets + run->ringSet];
    size_t size = port->ring->itemSize, begin = (size_t)first * size;
    e->moves = items > 0;
    e->skip = begin % port->unit;
    if (e->moves)
        svm_blockInit(&e->there, t->shared, segment->address + begin - e->skip,
                      elementsOf(port, e->skip + (size_t)items * size), port->unit);
}

// What the run's transfers move; before its kernel starts, which changes what is left.
static void prepareEnd(svm_Rounds *r, svmr_FlowRun *run, int32_t i)
{
    const svm_PartFlow *f = &run->flow;
    const svmr_Port *port = &run->place->ports[i];
    svmr_FlowEnd *e = &run->ends[i];
    int64_t items = itemsOf(port, f, f->left), before = 0;
    e->moves = false;
    if (!e->initialised)
        return;
    if (port->straight) {
        e->move.pass.length = elementsOfRun(r->table, port, f);
        e->moves = e->move.pass.length != 0;
        return;
    }
    if (port->input && f->cold)
        before = port->ring->ahead + r->table->partRows[run->part].lead * port->ring->step;
    placeThere(r, run, port, e, e->first - before, before + items);
}

static void issueRun(svm_Rounds *r, svmr_RoundsSet *set, svmr_FlowRun *run, bool whole)
{
    int32_t windows = r->private_->parts[run->part].windows;
    for (int32_t i = 0; i < windows; i++) {
        prepareEnd(r, run, i);
        if (run->place->ports[i].input && run->ends[i].moves)
            issue(set, &run->ends[i].move.load.kernel);
    }
    issue(set, run->kernel);
    for (int32_t i = 0; i < windows; i++) {
        svmr_FlowEnd *e = &run->ends[i];
        if (run->place->ports[i].input || !e->moves)
            continue;
        issue(set, &e->move.store.kernel);
        if (whole && e->hasTail)
            issue(set, &e->tail.kernel);
    }
}

// Where in segments a run's items begin, after so many steady states of the round.
static void setFirsts(const svm_Rounds *r, svmr_FlowRun *run, int64_t before)
{
    for (int32_t i = 0; i < r->private_->parts[run->part].windows; i++) {
        const svm_RingRow *ring = run->place->ports[i].ring;
        run->ends[i].first = ring->front + before * ring->step;
    }
}

static int64_t steadyOf(const svm_RoundsTable *t, const svmr_FlowRun *run, int64_t steady)
{
    int64_t left = steady - run->begin * t->strip, most = run->strips * t->strip;
    return left < 0 ? 0 : least(left, most);
}

static void startSteady(svm_Rounds *r, svmr_RoundsSet *set, svmr_FlowRun *run, int64_t steady, bool whole)
{
    svmr_PartState *state = &r->private_->parts[run->part];
    int64_t before = run->begin * r->table->strip, at = r->steadyStates + before;
    run->flow = (svm_PartFlow){
        .rounds = r, .run = run, .cold = state->reached[run->processor] != at, .left = steady};
    setFirsts(r, run, before);
    issueRun(r, set, run, whole);
    state->reached[run->processor] = at + steady;
    state->last = run->processor;
}

// The run of the part's in the set behind all others that is on a processor.
static svmr_FlowRun *wholeRun(const svm_Rounds *r, int32_t part)
{
    const svmr_FlowPart *p = &r->private_->flowParts[part];
    svmr_FlowRun *run = &p->runs[p->perSet * r->table->sets];
    while (run->processor != r->private_->parts[part].last)
        run++;
    return run;
}

// Streams that hold nothing begin anew, so that windows lie where they can be worked on in place.
static void realign(svm_Rounds *r)
{
    const svm_RoundsTable *t = r->table;
    for (int32_t i = 0; i < t->parts; i++)
        for (int32_t q = 0; q < t->processors; q++) {
            svmr_Port *ports = r->private_->flowParts[i].places[q].ports;
            for (int32_t w = 0; ports && w < r->private_->parts[i].windows; w++) {
                svm_Stream *s = &ports[w].own;
                if (ports[w].stream == s)
                    svm_streamInitRAM(s, s->memory, s->address, s->capacity, s->elementSize);
                if (ports[w].stream == s)
                    svm_streamName(s, ports[w].ring->name);
            }
        }
}

void svmr_flowRound(svm_Rounds *r, int32_t set, int64_t steady, bool serial)
{
    const svm_RoundsTable *t = r->table;
    svmr_RoundsSet *s = &r->private_->sets[set];
    if (r->private_->misaligned)
        realign(r);
    s->steady = steady;
    bool whole = steady == t->strips * t->strip && !serial;
    r->private_->misaligned = !whole;
    for (int32_t i = 0; i < t->parts; i++) {
        svmr_FlowPart *p = &r->private_->flowParts[i];
        if (serial) {
            svmr_FlowRun *run = wholeRun(r, i);
            run->ringSet = set;
            startSteady(r, s, run, steady, false);
            continue;
        }
        for (int32_t k = 0; k < p->perSet; k++) {
            svmr_FlowRun *run = &p->runs[set * p->perSet + k];
            int64_t n = steadyOf(t, run, steady);
            if (n > 0)
                startSteady(r, s, run, n, whole);
        }
    }
}

void svmr_flowPhase(svm_Rounds *r, int32_t set, int64_t at, const int64_t *counts, bool starting)
{
    const svm_RoundsTable *t = r->table;
    svmr_RoundsSet *s = &r->private_->sets[set];
    r->private_->misaligned = true;
    s->count = 0;
    for (int32_t i = 0; i < t->parts; i++) {
        svmr_FlowRun *run = wholeRun(r, i);
        run->ringSet = set;
        run->flow =
            (svm_PartFlow){.rounds = r, .run = run, .starting = starting, .counts = counts, .once = true};
        setFirsts(r, run, 0);
        for (int32_t w = 0; w < r->private_->parts[i].windows; w++) {
            const svm_RingRow *ring = run->place->ports[w].ring;
            if (starting)
                run->ends[w].first = 0;
            else if (ring->from < 0) // what was read for the round and not used
                run->ends[w].first += at * ring->step;
        }
        issueRun(r, s, run, false);
    }
    svm_kernelWaitMultiple(s->count, s->issued);
    s->count = 0;
}
