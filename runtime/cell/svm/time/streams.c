// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams in time, as svm/spu/streams.c has them: a kernel computes until it uses one, and waits while there is too little in
// it; transfers move what there is, or what there is room for, when the SPE looks: between a kernel's uses, while it waits,
// and between kernels.
#include <stdlib.h>

#include "runtime/cell/svm/time/replay.h"

enum { STREAM_BYTES = sizeof(svm_CellStream), NEWS_BYTES = 16 };

// ---- What kernels did: told by the threads that run contexts ----

static pthread_mutex_t told = PTHREAD_MUTEX_INITIALIZER;

static void addUse(svmr_TimedUses *uses, svmr_TimedUse use)
{
    if (uses->count == uses->capacity) {
        const size_t capacity = uses->capacity ? 2 * uses->capacity : 64;
        svmr_TimedUse *data = svmr_allocate(capacity, sizeof *data);
        if (uses->count)
            memcpy(data, uses->data, uses->count * sizeof *data);
        free(uses->data);
        uses->data = data;
        uses->capacity = capacity;
    }
    uses->data[uses->count++] = use;
}

static svm_KernelFunction *functionOf(uint32_t kernel)
{
    for (size_t i = 0; i < svm_cellProgram.kernelCount; i++)
        if (svm_cellProgram.kernels[i].number == (int)kernel)
            return svm_cellProgram.kernels[i].run;
    return NULL;
}

void svmr_timedUsed(svmr_Spe *spe, const svmr_StreamUse *use)
{
    svmr_TimedStream *stream = spe->streams[use->stream].timed;
    if (!stream)
        return;
    const svmr_TimedUse made = {
        .stream = stream,
        .use = use->use,
        .count = use->count,
        .number = use->number,
        .work = svmr_timedWorkOf(&stream->spe->costs, functionOf(use->kernel), use->counts, use->firings, use->cycles),
    };
    pthread_mutex_lock(&told);
    addUse(&stream->spe->uses, made);
    pthread_mutex_unlock(&told);
}

void svmr_timedTakeUses(svmr_TimedRun *run, uint32_t number)
{
    svmr_TimedUses *uses = &run->spe->uses;
    size_t left = 0; // of kernels that have passed this one
    pthread_mutex_lock(&told);
    for (size_t i = 0; i < uses->count; i++) {
        if (uses->data[i].number == number)
            addUse(&run->uses, uses->data[i]);
        else
            uses->data[left++] = uses->data[i];
    }
    uses->count = left;
    pthread_mutex_unlock(&told);
}

// ---- Counts, and who is told of them ----

static void lookAgain(sim *engine, void *context)
{
    (void)engine;
    svmr_timedLook(context);
}

static void sendTo(svmr_TimedSpe *from, svmr_TimedSpe *to, uint64_t bytes, const char *label, sim_action *arrived,
                   void *context)
{
    const sim_transfer t = {.from.element = from->store,
                            .to.element = to->store,
                            .bytes = bytes,
                            .engine = SIM_NONE,
                            .link = SIM_ROUTED,
                            .label = label,
                            .arrived = arrived,
                            .context = context};
    sim_start(from->replay->engine, &t);
}

static void popped(svmr_TimedStream *s, uint64_t count)
{
    s->read += count;
    for (svmr_TimedSpe *spe = s->spe->replay->spes; spe; spe = spe->next)
        if (s->watchers >> spe->spe->number & 1)
            sendTo(s->spe, spe, NEWS_BYTES, "signal", lookAgain, spe);
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

// Elements from the front on, and free ones from the back on, that lie in one piece.
static uint64_t atFront(const svmr_TimedStream *s)
{
    return least(s->written - s->read, s->capacity - s->read % s->capacity);
}

static uint64_t atBack(const svmr_TimedStream *s)
{
    return least(s->capacity - (s->written - s->read), s->capacity - s->written % s->capacity);
}

// ---- Transfers ----

static svmr_TimedStream *here(const svmr_TimedRun *run)
{
    return run->stream.from ? run->stream.from : run->stream.to;
}

static void landed(svmr_TimedRun *run)
{
    run->stream.landed = true;
    run->spe->underWay--;
    svmr_timedLook(run->spe);
    svmr_timedRelease(run);
}

static void newsArrived(sim *engine, void *context)
{
    svmr_TimedRun *run = context;
    svmr_TimedStream *to = run->stream.to;
    (void)engine;
    to->written += run->stream.moving / to->elementSize;
    svmr_timedLook(to->spe);
    landed(run);
}

static void moved(sim *engine, void *context)
{
    svmr_TimedRun *run = context;
    (void)engine;
    if (run->stream.from && run->stream.to)
        sendTo(run->spe, run->stream.to->spe, NEWS_BYTES, "news", newsArrived, run);
    else
        landed(run);
}

static void moveNow(svmr_TimedRun *run, uint64_t bytes)
{
    const svmr_TimedStream *from = run->stream.from, *to = run->stream.to;
    sim_transfer t = {.engine = run->stream.engine, .link = SIM_ROUTED, .bytes = bytes, .label = run->label};
    t.from.element = from ? from->spe->store : run->stream.memory;
    t.to.element = to ? to->spe->store : run->stream.memory;
    if (!to)
        t.to.address = run->stream.address + run->stream.moved;
    t.arrived = moved;
    t.context = run;
    run->stream.moving = bytes;
    sim_start(run->replay->engine, &t);
}

// The other SPE's counts are there.
static void countsCame(sim *engine, void *context)
{
    svmr_TimedRun *run = context;
    const svmr_TimedStream *from = run->stream.from;
    (void)engine;
    uint64_t count = least((run->stream.bytes - run->stream.moved) / from->elementSize, atFront(from));
    count = least(count, atBack(run->stream.to));
    count -= count % from->group;
    if (count) {
        moveNow(run, count * from->elementSize);
        return;
    }
    run->stream.moving = 0;
    run->spe->underWay--;
    svmr_timedRelease(run);
}

static void nothingMoved(sim *engine, void *context)
{
    (void)engine;
    svmr_timedComplete(context);
    svmr_timedRelease(context);
}

void svmr_timedTransfer(svmr_TimedRun *run)
{
    const svmr_TimedStream *s = here(run);
    if (run->complete || run->stream.moving)
        return;
    if (run->stream.bytes == 0) {
        run->stream.moving = 1;
        sim_at(run->replay->engine, sim_now(run->replay->engine), nothingMoved, svmr_timedHold(run));
        return;
    }
    uint64_t count =
        least((run->stream.bytes - run->stream.moved) / s->elementSize, run->stream.from ? atFront(s) : atBack(s));
    count -= count % s->group;
    if (count == 0)
        return;
    svmr_timedHold(run);
    run->spe->underWay++;
    run->stream.moving = count * s->elementSize;
    if (run->stream.from && run->stream.to)
        sendTo(run->stream.to->spe, run->spe, STREAM_BYTES, "counts", countsCame, run);
    else
        moveNow(run, count * s->elementSize);
}

static svmr_TimedRun *firstLanded(const svmr_TimedSpe *spe)
{
    const size_t end = spe->ring.first + SVM_CELL_WINDOW;
    for (size_t i = spe->ring.first; i < spe->ring.runs.count && i < end; i++)
        if (spe->ring.runs.data[i]->stream.landed)
            return spe->ring.runs.data[i];
    return NULL;
}

void svmr_timedLand(svmr_TimedSpe *spe)
{
    for (svmr_TimedRun *run; (run = firstLanded(spe)) != NULL;) {
        const uint64_t count = run->stream.moving / here(run)->elementSize;
        run->stream.landed = false;
        run->stream.moved += run->stream.moving;
        run->stream.moving = 0;
        if (run->stream.from)
            popped(run->stream.from, count);
        else
            run->stream.to->written += count;
        if (run->stream.moved == run->stream.bytes)
            svmr_timedComplete(run);
    }
}

// ---- Kernels ----

// What a use waits for, and what it costs.
static bool canUse(const svmr_TimedUse *u)
{
    const svmr_TimedStream *s = u->stream;
    switch (u->use) {
    case SVM_CELL_POP:
    case SVM_CELL_PEEK:
    case SVM_CELL_POP_ACQUIRE: return s->written - s->read >= u->count;
    case SVM_CELL_PUSH:
    case SVM_CELL_PUSH_ACQUIRE: return s->capacity - (s->written - s->read) >= u->count;
    case SVM_CELL_MOVES:
    case SVM_CELL_PUSH_SEND:
    case SVM_CELL_POP_DISCARD: break;
    }
    return true;
}

static sim_time costOf(const svmr_TimedSpe *spe, const svmr_TimedUse *u)
{
    const sim *engine = spe->replay->engine;
    const size_t processor = spe->processor.index;
    const uint64_t bytes = (uint64_t)u->count * u->stream->elementSize;
    const double operations = (double)sim_vector_operations(
        &sim_machine(spe->replay->engine)->processors.data[processor], u->stream->elementSize);
    switch (u->use) {
    case SVM_CELL_POP:
    case SVM_CELL_PEEK: return (sim_time)(operations * spe->loading);
    case SVM_CELL_PUSH: return (sim_time)(operations * spe->storing);
    case SVM_CELL_POP_ACQUIRE: return sim_cost_pop_acquire(engine, processor, bytes);
    case SVM_CELL_PUSH_ACQUIRE: return sim_cost_push_acquire(engine, processor);
    case SVM_CELL_PUSH_SEND: return sim_cost_push_send(engine, processor, bytes);
    case SVM_CELL_POP_DISCARD: return sim_cost_pop_discard(engine, processor);
    case SVM_CELL_MOVES: break;
    }
    return 0;
}

static sim_activity activityOf(svm_CellUse use)
{
    switch (use) {
    case SVM_CELL_POP_ACQUIRE: return SIM_POP_ACQUIRE;
    case SVM_CELL_PUSH_ACQUIRE: return SIM_PUSH_ACQUIRE;
    case SVM_CELL_PUSH_SEND: return SIM_PUSH_SEND;
    case SVM_CELL_POP_DISCARD: return SIM_POP_DISCARD;
    default: return SIM_COMPUTE;
    }
}

static void used(sim *engine, void *context)
{
    svmr_TimedRun *run = context;
    svmr_TimedSpe *spe = run->spe;
    const svmr_TimedUse *u = &run->uses.data[run->nextUse++];
    (void)engine;
    if (u->use == SVM_CELL_PUSH || u->use == SVM_CELL_PUSH_SEND)
        u->stream->written += u->count;
    if (u->use == SVM_CELL_POP || u->use == SVM_CELL_POP_DISCARD)
        popped(u->stream, u->count);
    spe->computes = false;
    svmr_timedLook(spe);
    spe->computes = true;
    svmr_timedKernelOn(run);
    svmr_timedRelease(run);
}

static void useNow(svmr_TimedRun *run)
{
    svmr_TimedSpe *spe = run->spe;
    sim *engine = spe->replay->engine;
    const svmr_TimedUse *u = &run->uses.data[run->nextUse];
    const sim_time now = sim_now(engine), until = sim_add(now, costOf(spe, u));
    sim_occupy(engine, spe->processor, now, until, activityOf(u->use), run->label);
    spe->computes = true;
    sim_at(engine, until, used, svmr_timedHold(run));
}

static void reached(sim *engine, void *context)
{
    svmr_TimedRun *run = context;
    svmr_TimedSpe *spe = run->spe;
    if (run->nextUse == run->uses.count) {
        svmr_timedStop(run);
    } else {
        spe->computes = false;
        spe->freeSince = sim_now(engine);
        spe->waiting = svmr_timedHold(run);
        svmr_timedLook(spe);
    }
    svmr_timedRelease(run);
}

void svmr_timedKernelOn(svmr_TimedRun *run)
{
    svmr_TimedSpe *spe = run->spe;
    sim *engine = spe->replay->engine;
    const bool last = run->nextUse == run->uses.count;
    const double to = last ? run->work : run->uses.data[run->nextUse].work;
    const sim_time now = sim_now(engine), until = sim_add(now, to > run->worked ? (sim_time)(to - run->worked) : 0);
    run->worked = to;
    sim_occupy(engine, spe->processor, now, until, SIM_COMPUTE, run->label);
    sim_at(engine, until, reached, svmr_timedHold(run));
}

void svmr_timedWakeKernel(svmr_TimedSpe *spe)
{
    svmr_TimedRun *run = spe->waiting;
    if (!run || spe->computes || !canUse(&run->uses.data[run->nextUse]))
        return;
    const svmr_TimedUse *u = &run->uses.data[run->nextUse];
    const bool pushes = u->use == SVM_CELL_PUSH || u->use == SVM_CELL_PUSH_ACQUIRE;
    sim *engine = spe->replay->engine;
    spe->waiting = NULL;
    sim_occupy(engine, spe->processor, spe->freeSince, sim_now(engine), pushes ? SIM_WAIT_ROOM : SIM_WAIT_DATA,
               u->stream->label);
    useNow(run);
    svmr_timedRelease(run);
}
