// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The SPEs' queues in time, as svm/spu/resident.c works through them: commands are fetched into the ring, sixteen are
// looked at, transfers start when nothing is waited for any more, kernels one after the other; what is complete in order
// is told to the SPEs that wait for it, and to the PPE.
#include <stdlib.h>

#include "runtime/cell/svm/time/replay.h"

enum { FETCH_BYTES = 4096, NEWS_BYTES = 16 };

static void startTransfer(svmr_Replay *r, sim_transfer t, sim_action *arrived, void *context)
{
    t.arrived = arrived;
    t.context = context;
    sim_start(r->engine, &t); // a failure stops the replay's next step
}

// A message from an SPE, of which nothing else is known than where it goes.
static void sendNews(svmr_TimedSpe *from, sim_element to, sim_action *arrived, void *context)
{
    sim_transfer t = {.engine = SIM_NONE, .link = SIM_ROUTED, .bytes = NEWS_BYTES, .label = "news"};
    t.from.element = from->store;
    t.to.element = to;
    startTransfer(from->replay, t, arrived, context);
}

// ---- Who waits for whom ----

void svmr_timedSatisfy(svmr_TimedRun *run, const svmr_TimedRun *by)
{
    run->waits--;
    run->waitedForTransfer = by->kind == SVMR_TIMED_TRANSFER;
    if (run->waits == 0 && !run->spe)
        svmr_timedReady(run);
}

// Has the processor of `run` heard that `on` is complete?
static bool isKnown(const svmr_TimedRun *run, const svmr_TimedRun *on)
{
    if (!on->spe || on->spe == run->spe || !on->complete)
        return on->complete;
    return run->spe ? on->told || on->ahead : on->told && (int32_t)(on->spe->complete - on->number) > 0;
}

static void bindRun(svmr_TimedRun *run)
{
    for (size_t i = 0; i < run->dependences.count; i++) {
        svmr_TimedRun *on = run->dependences.data[i];
        if (isKnown(run, on))
            continue;
        svmr_timedAppend(&on->dependents, run);
        run->waits++;
    }
    svmr_timedEmpty(&run->dependences);
}

// ---- Commands come ----

static void fetch(svmr_TimedSpe *spe);

static void fetched(sim *engine, void *context)
{
    svmr_TimedSpe *spe = context;
    (void)engine;
    for (uint32_t bytes = 0; svmr_timedLength(&spe->rung) && bytes < FETCH_BYTES;) {
        svmr_TimedRun *run = svmr_timedTake(&spe->rung);
        bytes += run->bytes;
        svmr_timedAppend(&spe->ring.runs, run);
        svmr_timedRelease(run);
    }
    spe->fetching = false;
    fetch(spe);
    svmr_timedLook(spe);
}

// The ring holds some windows' commands.
static void fetch(svmr_TimedSpe *spe)
{
    if (spe->fetching || spe->computes || !svmr_timedLength(&spe->rung) ||
        svmr_timedLength(&spe->ring) >= 2 * SVM_CELL_WINDOW)
        return;
    sim_transfer t = {.engine = SIM_NONE, .link = SIM_ROUTED, .label = "commands"};
    t.from.element = spe->replay->memory;
    t.to.element = spe->store;
    for (size_t i = spe->rung.first; i < spe->rung.runs.count && t.bytes < FETCH_BYTES; i++)
        t.bytes += spe->rung.runs.data[i]->bytes;
    spe->fetching = true;
    startTransfer(spe->replay, t, fetched, spe);
}

// It has nothing under way: what wakes it is a signal.
static bool sleeps(const svmr_TimedSpe *spe)
{
    return !spe->fetching && !spe->computes && !spe->underWay;
}

// True: it had commands that it was not told of.
static bool makeAvailable(svmr_TimedSpe *spe)
{
    const bool any = svmr_timedLength(&spe->issued) != 0;
    spe->issuedBytes = 0;
    while (svmr_timedLength(&spe->issued)) {
        svmr_TimedRun *run = svmr_timedTake(&spe->issued);
        svmr_timedAppend(&spe->rung.runs, run);
        svmr_timedRelease(run);
    }
    return any;
}

static void wake(svmr_TimedSpe *spe)
{
    spe->rings++;
    spe->replay->delayed = sim_add(spe->replay->delayed, spe->replay->delay);
}

static void ring(svmr_TimedSpe *spe)
{
    if (!makeAvailable(spe))
        return;
    if (sleeps(spe))
        wake(spe);
    fetch(spe);
}

static void roused(sim *engine, void *context)
{
    (void)engine;
    fetch(context);
}

void svmr_timedRing(svmr_Replay *r)
{
    svmr_TimedSpe *first = NULL;
    for (svmr_TimedSpe *spe = r->spes; spe; spe = spe->next) {
        if (!makeAvailable(spe))
            continue;
        if (first && sleeps(spe)) {
            sendNews(first, spe->store, roused, spe);
            continue;
        }
        if (sleeps(spe)) {
            first = spe;
            wake(spe);
        }
        fetch(spe);
    }
}

void svmr_timedIssue(svmr_TimedRun *run)
{
    svmr_TimedSpe *spe = run->spe;
    bindRun(run);
    if (!spe) {
        if (run->waits == 0)
            svmr_timedReady(run);
        return;
    }
    run->number = spe->nextNumber++;
    run->bytes += (uint32_t)svmr_quanta(run->waits * sizeof(svm_CellWait));
    spe->issuedBytes += run->repeats ? 0 : run->bytes;
    spe->queuedBytes += run->repeats ? 0 : run->bytes;
    svmr_timedAppend(&spe->issued.runs, run);
    if (run->repeats) // told when all of it is there
        return;
    const bool idle = !svmr_timedLength(&spe->rung) && !svmr_timedLength(&spe->ring);
    if (spe->issuedBytes > SVMR_RING_AFTER || (idle && svmr_timedLength(&spe->issued) >= SVMR_RING_IDLE))
        ring(spe);
}

// ---- Commands are done ----

static void transferArrived(sim *engine, void *context)
{
    svmr_TimedRun *run = context;
    (void)engine;
    run->spe->underWay--;
    if (++run->arrived == run->transferCount)
        svmr_timedComplete(run);
    svmr_timedRelease(run);
}

static void kernelOver(sim *engine, void *context)
{
    svmr_TimedRun *run = context;
    run->spe->computes = run->spe->holds = false;
    run->spe->freeSince = sim_now(engine);
    svmr_timedComplete(run);
    svmr_timedRelease(run);
}

void svmr_timedStop(svmr_TimedRun *run)
{
    svmr_TimedSpe *spe = run->spe;
    sim *engine = spe->replay->engine;
    const sim_time stops = sim_now(engine), over = sim_add(stops, spe->stop);
    sim_occupy(engine, spe->processor, stops, over, SIM_STOP, run->label);
    sim_at(engine, over, kernelOver, svmr_timedHold(run));
}

static void kernelWorks(sim *engine, void *context)
{
    svmr_TimedRun *run = context;
    (void)engine;
    svmr_timedKernelOn(run);
    svmr_timedRelease(run);
}

static void startKernel(svmr_TimedSpe *spe, svmr_TimedRun *run)
{
    sim *engine = spe->replay->engine;
    sim_time at = sim_now(engine);
    sim_occupy(engine, spe->processor, spe->freeSince, at, run->waitedForTransfer ? SIM_WAIT_TRANSFER : SIM_WAIT_KERNEL,
               NULL);
    const sim_time works = sim_add(at, spe->start);
    sim_occupy(engine, spe->processor, at, works, SIM_START, run->label);
    spe->computes = spe->holds = true;
    sim_at(engine, works, kernelWorks, svmr_timedHold(run));
}

static void codeArrived(sim *engine, void *context)
{
    svmr_TimedRun *run = context;
    (void)engine;
    run->waitedForTransfer = true;
    startKernel(run->spe, run);
    svmr_timedRelease(run);
}

// Where the kernel's code is overlaid and another's is in its region it comes first (svm/spu/overlay.c).
static void loadAndStart(svmr_TimedSpe *spe, svmr_TimedRun *run)
{
    if (!run->region || spe->regions[run->region - 1] == run->kernel) {
        startKernel(spe, run);
        return;
    }
    sim_transfer t = {.engine = SIM_NONE, .link = SIM_ROUTED, .bytes = run->codeBytes, .label = "code"};
    t.from.element = spe->replay->memory;
    t.to.element = spe->store;
    spe->regions[run->region - 1] = run->kernel;
    spe->computes = true;
    startTransfer(spe->replay, t, codeArrived, svmr_timedHold(run));
}

static bool leads(const svmr_TimedSpe *spe, const svmr_TimedRun *run)
{
    size_t i = spe->ring.first;
    while (spe->ring.runs.data[i] != run && spe->ring.runs.data[i]->complete)
        i++;
    return spe->ring.runs.data[i] == run;
}

static void start(svmr_TimedSpe *spe, svmr_TimedRun *run)
{
    if (run->kind == SVMR_TIMED_KERNEL && !run->known) {
        spe->stalls = true;
        return;
    }
    run->started = true;
    run->leads = leads(spe, run);
    if (run->kind == SVMR_TIMED_KERNEL)
        loadAndStart(spe, run);
    if (run->kind == SVMR_TIMED_STREAM)
        svmr_timedTransfer(run);
    spe->underWay += (uint32_t)run->transferCount;
    for (size_t i = 0; i < run->transferCount; i++)
        startTransfer(spe->replay, run->transfers[i], transferArrived, svmr_timedHold(run));
}

// ---- Which kernel begins: as svm/spu/streams.c has it ----

// What the moves of a stream are that the SPE looks at.
typedef struct Moves {
    bool fillWaits, fills, emptyWaits, empties; // wait for other commands; have begun, and are not over
} Moves;

static Moves movesOf(const svmr_TimedSpe *spe, const svmr_TimedStream *s)
{
    Moves m = {false, false, false, false};
    const size_t end = spe->ring.first + SVM_CELL_WINDOW;
    for (size_t i = spe->ring.first; i < spe->ring.runs.count && i < end; i++) {
        const svmr_TimedRun *run = spe->ring.runs.data[i];
        if (run->kind != SVMR_TIMED_STREAM || run->complete)
            continue;
        const bool fill = run->stream.to == s && !run->stream.from, empty = run->stream.from == s && !run->stream.to;
        m.fillWaits |= fill && !run->started;
        m.fills |= fill && run->started;
        m.emptyWaits |= empty && !run->started;
        m.empties |= empty && run->started;
    }
    return m;
}

static bool isLate(const svmr_TimedSpe *spe, const svmr_TimedStream *s)
{
    const Moves m = movesOf(spe, s);
    return m.fillWaits && !m.fills && s->written == s->read;
}

static bool isMoved(const svmr_TimedSpe *spe, const svmr_TimedStream *s)
{
    const Moves m = movesOf(spe, s);
    if (m.empties || m.emptyWaits)
        return m.empties && s->written == s->read;
    return m.fills || s->written != s->read;
}

static bool isBehindItsOwn(const svmr_TimedSpe *spe, const svmr_TimedRun *run)
{
    for (size_t i = spe->ring.first; spe->ring.runs.data[i] != run; i++)
        if (spe->ring.runs.data[i]->kernel == run->kernel && !spe->ring.runs.data[i]->started)
            return true;
    return false;
}

static bool begins(svmr_TimedSpe *spe, const svmr_TimedRun *run, bool passes)
{
    spe->several |= spe->lastKernel != 0 && spe->lastKernel != run->kernel;
    spe->lastKernel = run->kernel;
    if (!spe->several || (passes && isBehindItsOwn(spe, run)))
        return !passes;
    for (size_t i = 0; i < run->streamCount; i++)
        if (passes ? !isMoved(spe, run->streams[i]) : isLate(spe, run->streams[i]))
            return false;
    return true;
}

// LATER: it waits, and those behind it may begin before it.
typedef enum Turn { NOW, WAITS, LATER } Turn;

static Turn turnOf(svmr_TimedSpe *spe, const svmr_TimedRun *run, bool passes)
{
    if (run->streamCount == 0)
        return passes ? LATER : run->waits == 0 ? NOW : WAITS;
    return run->waits == 0 && begins(spe, run, passes) ? NOW : LATER;
}

// True: nothing behind it begins before it.
static bool takeTurn(svmr_TimedSpe *spe, svmr_TimedRun *run, bool passes)
{
    const Turn turn = turnOf(spe, run, passes);
    if (turn == NOW && run->known && passes) {
        spe->passes = true;
        spe->passed = run->number;
    }
    if (turn == NOW)
        start(spe, run);
    return turn != LATER;
}

// True: something has started, and a kernel behind which it may be waits for its turn.
static bool lookOnce(svmr_TimedSpe *spe)
{
    bool seen = spe->holds, passes = false, started = false;
    const size_t end = spe->ring.first + SVM_CELL_WINDOW;
    for (size_t i = spe->ring.first; i < spe->ring.runs.count && i < end; i++) {
        svmr_TimedRun *run = spe->ring.runs.data[i];
        const bool isKernel = run->kind == SVMR_TIMED_KERNEL;
        if (run->started && run->kind == SVMR_TIMED_STREAM)
            svmr_timedTransfer(run);
        if (run->started || (isKernel && seen))
            continue;
        if (isKernel) {
            seen = takeTurn(spe, run, passes);
            passes |= !seen;
        } else if (run->waits == 0) {
            start(spe, run);
            started = true;
        }
    }
    return started && passes && !seen;
}

// The resident loop looks when no kernel runs.
void svmr_timedLook(svmr_TimedSpe *spe)
{
    if (spe->computes)
        return;
    svmr_timedLand(spe);
    if (spe->computes) // a kernel began when something was complete
        return;
    while (lookOnce(spe)) {
    }
    svmr_timedWakeKernel(spe);
}

// ---- Others are told ----

typedef struct News {
    svmr_TimedSpe *from, *to; // to NULL: the PPE
    uint32_t complete;        // how many of from's commands
    svmr_TimedRuns runs;
} News;

static void satisfyOn(const svmr_TimedRun *run, const svmr_TimedSpe *spe)
{
    for (size_t i = 0; i < run->dependents.count; i++)
        if (run->dependents.data[i]->spe == spe)
            svmr_timedSatisfy(run->dependents.data[i], run);
}

static void heard(sim *engine, void *context)
{
    News *n = context;
    (void)engine;
    if (!n->to)
        n->from->complete = n->complete;
    for (size_t i = 0; i < n->runs.count; i++)
        satisfyOn(n->runs.data[i], n->to);
    if (n->to)
        svmr_timedLook(n->to);
    else
        svmr_timedHeard(n->from->replay);
    svmr_timedEmpty(&n->runs);
    free(n);
}

static bool hasDependentOn(const svmr_TimedRun *run, const svmr_TimedSpe *spe)
{
    for (size_t i = 0; i < run->dependents.count; i++)
        if (run->dependents.data[i]->spe == spe)
            return true;
    return false;
}

// SPEs that were told of a run ahead of those before it are not told again.
static void tell(svmr_TimedSpe *from, svmr_TimedSpe *to, const svmr_TimedRuns *runs, bool ahead)
{
    News *n = svmr_allocate(1, sizeof *n);
    *n = (News){.from = from, .to = to};
    for (size_t i = 0; i < runs->count; i++) {
        n->complete = runs->data[i]->number + 1;
        if (hasDependentOn(runs->data[i], to) && (!to || runs->data[i]->ahead == ahead))
            svmr_timedAppend(&n->runs, runs->data[i]);
    }
    if (!to || n->runs.count)
        sendNews(from, to ? to->store : from->replay->memory, heard, n);
    else
        free(n);
}

static void tellSpes(svmr_TimedSpe *spe, const svmr_TimedRuns *told, bool ahead)
{
    for (svmr_TimedSpe *to = spe->replay->spes; to && told->count; to = to->next)
        if (to != spe)
            tell(spe, to, told, ahead);
}

static bool hasDependentElsewhere(const svmr_TimedRun *run)
{
    for (size_t i = 0; i < run->dependents.count; i++)
        if (run->dependents.data[i]->spe != run->spe)
            return true;
    return false;
}

// What is complete though one before is not: behind a kernel that another has passed.
static void tellAhead(svmr_TimedSpe *spe)
{
    svmr_TimedRuns told = {0};
    const size_t end = spe->ring.first + SVM_CELL_WINDOW;
    if (!spe->passes || spe->computes || !svmr_timedLength(&spe->ring) ||
        (int32_t)(spe->passed - spe->ring.runs.data[spe->ring.first]->number) < 0)
        return;
    for (size_t i = spe->ring.first; i < spe->ring.runs.count && i < end; i++) {
        svmr_TimedRun *run = spe->ring.runs.data[i];
        if (!run->complete || run->told || run->ahead || !hasDependentElsewhere(run))
            continue;
        run->ahead = true;
        svmr_timedAppend(&told, run);
    }
    tellSpes(spe, &told, true);
    svmr_timedEmpty(&told);
}

// What is complete is told in order, between kernels; but news of a transfer to others that nothing is before are behind it
// in the engine's queue.
void svmr_timedComplete(svmr_TimedRun *run)
{
    svmr_TimedSpe *spe = run->spe;
    svmr_TimedRuns told = {0};
    run->complete = true;
    satisfyOn(run, spe);
    if (run->leads && run->brings && hasDependentElsewhere(run)) {
        run->told = true;
        svmr_timedAppend(&told, run);
    }
    while (!spe->computes && svmr_timedLength(&spe->ring) && spe->ring.runs.data[spe->ring.first]->complete) {
        svmr_TimedRun *first = svmr_timedTake(&spe->ring);
        if (!first->told)
            svmr_timedAppend(&told, first);
        first->told = true;
        spe->queuedBytes -= first->repeats ? 0 : first->bytes;
        svmr_timedRelease(first);
    }
    tellSpes(spe, &told, false);
    if (told.count)
        tell(spe, NULL, &told, false);
    svmr_timedEmpty(&told);
    tellAhead(spe);
    fetch(spe);
    svmr_timedLook(spe);
}
