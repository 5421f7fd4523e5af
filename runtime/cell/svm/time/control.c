// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The PPE in time: it makes the calls that are recorded, each when the one before is done, and runs what no SPE can while
// it waits.
#include <stdlib.h>

#include "runtime/cell/svm/time/replay.h"

static void freed(sim *engine, void *context)
{
    svmr_Replay *r = context;
    (void)engine;
    r->busy = false;
    if (r->issuing) {
        svmr_TimedRun *run = r->issuing;
        r->issuing = NULL;
        svmr_timedIssue(run);
        svmr_timedRelease(run);
    }
    if (r->repeating.count) {
        for (size_t i = 0; i < r->repeating.count; i++)
            svmr_timedIssue(r->repeating.data[i]);
        svmr_timedEmpty(&r->repeating);
        svmr_timedRing(r);
    }
    svmr_timedGoOn(r);
}

static void spend(svmr_Replay *r, sim_time time, const char *label)
{
    const sim_time now = sim_now(r->engine), until = sim_add(now, time);
    sim_occupy(r->engine, r->ppe, now, until, SIM_CONTROL, label);
    r->busy = true;
    sim_at(r->engine, until, freed, r);
}

static void dropCall(svmr_Replay *r)
{
    svmr_TimedCall *call = r->first;
    r->first = call->next;
    if (!r->first)
        r->last = &r->first;
    if (call->run)
        svmr_timedRelease(call->run);
    if (call->last)
        svmr_timedRelease(call->last);
    svmr_timedEmpty(&call->runs);
    free(call);
}

// The PPE's calls of libspe2 that have taken no time yet.
static bool payMessages(svmr_Replay *r)
{
    const sim_time time = r->delayed;
    r->delayed = 0;
    if (time)
        spend(r, time, "libspe2");
    return time != 0;
}

// For a command of an SPE, which wakes it.
static void beginWait(svmr_Replay *r, svmr_TimedSpe *spe, const char *label)
{
    svmr_timedRing(r);
    if (r->waits)
        return;
    r->waits = true;
    if (spe) {
        spe->wakes++;
        r->delayed = sim_add(r->delayed, r->delay);
    }
    r->sleepsUntil = 0;
    r->waitsSince = sim_now(r->engine);
    r->waitsFor = label;
}

static void endWait(svmr_Replay *r)
{
    if (r->waits)
        sim_occupy(r->engine, r->ppe, r->waitsSince, sim_now(r->engine), SIM_WAIT_KERNEL, r->waitsFor);
    r->waits = false;
}

// ---- What the PPE runs itself ----

void svmr_timedReady(svmr_TimedRun *run)
{
    svmr_timedAppend(&run->replay->ready.runs, run);
}

static void hereOver(sim *engine, void *context)
{
    svmr_Replay *r = context;
    svmr_TimedRun *run = r->here;
    (void)engine;
    r->here = NULL;
    r->busy = false;
    run->complete = true;
    for (size_t i = 0; i < run->dependents.count; i++)
        svmr_timedSatisfy(run->dependents.data[i], run);
    for (svmr_TimedSpe *spe = r->spes; spe; spe = spe->next)
        svmr_timedLook(spe);
    svmr_timedRelease(run);
    svmr_timedGoOn(r);
}

static void hereNext(sim *engine, void *context)
{
    svmr_Replay *r = context;
    svmr_TimedRun *run = r->here;
    if (run->arrived < run->transferCount) {
        sim_transfer t = run->transfers[run->arrived++];
        t.arrived = hereNext;
        t.context = r;
        sim_start(engine, &t);
        return;
    }
    const sim_time now = sim_now(engine), until = sim_add(now, (sim_time)run->work);
    sim_occupy(engine, r->ppe, now, until, SIM_COMPUTE, run->label);
    sim_at(engine, until, hereOver, r);
}

// False: there is none, or it is not recorded to its end.
static bool runHere(svmr_Replay *r)
{
    if (!svmr_timedLength(&r->ready))
        return false;
    if (!r->ready.runs.data[r->ready.first]->known) {
        r->rests = true;
        return false;
    }
    endWait(r);
    r->runsHere = true;
    r->here = svmr_timedTake(&r->ready);
    r->busy = true;
    hereNext(r->engine, r);
    return true;
}

// ---- Files: pieces that memory reads, and is written with, while the PPE loads and stores ----

static void copyWritten(sim *engine, void *context)
{
    svmr_Replay *r = context;
    const sim_time now = sim_now(engine), until = r->copyLeast > now ? r->copyLeast : now;
    if (--r->first->pieces == 0)
        dropCall(r);
    sim_at(engine, until, freed, r);
}

static void copyRead(sim *engine, void *context)
{
    svmr_Replay *r = context;
    sim_transfer t = {.engine = SIM_NONE, .link = SIM_ROUTED, .label = "files", .bytes = r->first->itemBytes};
    t.from.element = r->ppe;
    t.to.element = r->memory;
    t.arrived = copyWritten;
    t.context = r;
    sim_start(engine, &t);
}

static void copyPiece(svmr_Replay *r, const svmr_TimedCall *call)
{
    const machine_processor *p = &sim_machine(r->engine)->processors.data[r->ppe.index];
    const size_t most = call->fileBytes > call->itemBytes ? call->fileBytes : call->itemBytes;
    const sim_time now = sim_now(r->engine);
    r->copyLeast = sim_add(now, (sim_time)((r->load + r->store) * (double)sim_vector_operations(p, most)));
    r->made.files += (double)(r->copyLeast - now);
    sim_occupy(r->engine, r->ppe, now, r->copyLeast, SIM_CONTROL, "files");
    r->busy = true;
    sim_transfer t = {.engine = SIM_NONE, .link = SIM_ROUTED, .label = "files", .bytes = call->fileBytes};
    t.from.element = r->memory;
    t.to.element = r->ppe;
    t.arrived = copyRead;
    t.context = r;
    sim_start(r->engine, &t);
}

// ---- New pages: the PPE stores, and memory is written with what leaves its cache ----

static void zeroesWritten(sim *engine, void *context)
{
    svmr_Replay *r = context;
    const sim_time now = sim_now(engine), until = r->copyLeast > now ? r->copyLeast : now;
    sim_at(engine, until, freed, r);
}

static void zeroPiece(svmr_Replay *r, svmr_TimedCall *call)
{
    const machine_processor *p = &sim_machine(r->engine)->processors.data[r->ppe.index];
    const size_t piece = call->itemBytes < SVMR_TIMED_PIECE ? call->itemBytes : SVMR_TIMED_PIECE;
    const sim_time now = sim_now(r->engine);
    sim_transfer t = {.engine = SIM_NONE, .link = SIM_ROUTED, .label = "pages", .arrived = zeroesWritten, .context = r};
    t.from.element = r->ppe;
    t.to.element = r->memory;
    t.bytes = sim_zeroed(r->engine, r->ppe, r->memory, call->address, piece);
    r->copyLeast = sim_add(now, (sim_time)(r->store * (double)sim_vector_operations(p, piece)));
    r->made.files += (double)(r->copyLeast - now);
    sim_occupy(r->engine, r->ppe, now, r->copyLeast, SIM_CONTROL, "files");
    r->busy = true;
    call->address += piece;
    call->itemBytes -= piece;
    if (call->itemBytes == 0)
        dropCall(r);
    sim_start(r->engine, &t); // of no bytes: it arrives now
}

// ---- Calls ----

static bool hasRoom(const svmr_TimedRun *run)
{
    const svmr_TimedSpe *spe = run->spe;
    return !spe || spe->queuedBytes + run->bytes + spe->spe->ringBytes <= spe->spe->queueBytes;
}

// Each gives false when the PPE is to wait.
static bool makeRun(svmr_Replay *r, svmr_TimedRun *run)
{
    if (run->kind == SVMR_TIMED_UNKNOWN) {
        r->rests = true;
        return false;
    }
    if (!hasRoom(run)) {
        beginWait(r, run->spe, "room in a queue");
        return false;
    }
    endWait(r);
    r->made.runs++;
    r->issuing = svmr_timedHold(run);
    if (r->first->begins)
        r->began = sim_now(r->engine);
    dropCall(r);
    r->made.calls += (double)r->callRun;
    spend(r, r->callRun, "main");
    return true;
}

// A command for each SPE, however many there are in the sequence.
static void makeRepeat(svmr_Replay *r)
{
    const sim_time cost = (sim_time)((double)r->callRun * r->first->spes);
    r->made.runs += r->first->spes;
    r->made.calls += (double)cost;
    r->repeating = r->first->runs;
    r->first->runs = (svmr_TimedRuns){0};
    dropCall(r);
    spend(r, cost, "main");
}

static bool isOver(const svmr_TimedRun *run)
{
    return run->spe ? (int32_t)(run->spe->complete - run->number) > 0 && run->told : run->complete;
}

static uint32_t sleepUntil(const svmr_Replay *r, const svmr_TimedRun *run, const svmr_TimedRun *last)
{
    const svmr_TimedSpe *spe = run->spe;
    return r->runsHere || run->repeats ? run->number + 1
                                       : svmr_sleepUntil(spe->complete, spe->nextNumber, last->number + 1);
}

// What a wait costs whose run is over: who reads one count has read the others of its line.
static sim_time waitCost(svmr_Replay *r, const svmr_TimedRun *run)
{
    if (!run->spe || (int32_t)(run->spe->seen - run->number) > 0)
        return r->look;
    for (svmr_TimedSpe *spe = r->spes; spe; spe = spe->next)
        if (spe->spe->number / SVMR_LINE_COUNTS == run->spe->spe->number / SVMR_LINE_COUNTS)
            spe->seen = spe->complete;
    return r->callWait;
}

static bool makeWait(svmr_Replay *r, svmr_TimedRun *run)
{
    svmr_timedRing(r);
    if (!isOver(run) && runHere(r))
        return true;
    if (!isOver(run) || (r->waits && run->spe && (int32_t)(run->spe->complete - r->sleepsUntil) < 0)) {
        const bool begins = !r->waits;
        beginWait(r, r->first->polls ? NULL : run->spe, run->label);
        if (begins && run->spe)
            r->sleepsUntil = sleepUntil(r, run, r->first->last);
        return false;
    }
    endWait(r);
    r->made.waits++;
    const sim_time cost = waitCost(r, run);
    r->made.calls += (double)cost;
    dropCall(r);
    spend(r, cost, "main");
    return true;
}

static bool makeCall(svmr_Replay *r, svmr_TimedCall *call)
{
    switch (call->kind) {
    case SVMR_TIMED_RUN: return makeRun(r, call->run);
    case SVMR_TIMED_REPEAT:
        endWait(r);
        makeRepeat(r);
        return true;
    case SVMR_TIMED_WAIT: return makeWait(r, call->run);
    case SVMR_TIMED_COPY: copyPiece(r, call); return true;
    case SVMR_TIMED_ZEROES: zeroPiece(r, call); return true;
    case SVMR_TIMED_NEW:
        sim_new_pages(r->engine, r->ppe, r->memory, call->address, call->itemBytes);
        dropCall(r);
        return true;
    case SVMR_TIMED_UNMAPPED:
        sim_unmapped(r->engine, call->address, call->itemBytes);
        dropCall(r);
        return true;
    case SVMR_TIMED_WORK:
    case SVMR_TIMED_PAGES: break;
    }
    const bool pages = call->kind == SVMR_TIMED_PAGES;
    const sim_time work = (sim_time)(call->work * (pages ? 1 : r->slower));
    *(pages ? &r->made.files : &r->made.code) += (double)work;
    dropCall(r);
    spend(r, work, pages ? "files" : "main");
    return true;
}

void svmr_timedGoOn(svmr_Replay *r)
{
    while (!r->busy && r->first)
        if (!payMessages(r) && !makeCall(r, r->first))
            return;
    if (!r->busy)
        r->rests = true;
}

void svmr_timedHeard(svmr_Replay *r)
{
    if (!r->busy)
        svmr_timedGoOn(r);
}

// ---- The replay ----

// Does an SPE wait for what is not recorded?
static bool stalls(svmr_Replay *r)
{
    for (svmr_TimedSpe *spe = r->spes; spe; spe = spe->next) {
        if (!spe->stalls)
            continue;
        spe->stalls = false;
        svmr_timedLook(spe);
        if (spe->stalls)
            return true;
    }
    return false;
}

void svmr_replay(svmr_Replay *r)
{
    for (;;) {
        if (r->rests) {
            r->rests = false;
            svmr_timedGoOn(r);
        }
        if ((r->rests && !(r->over && !r->first)) || stalls(r) || !sim_step(r->engine))
            return;
    }
}
