// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a run does, recorded for its replay: calls of the control thread, and what becomes of each run of a kernel.
#include <stddef.h>
#include <stdlib.h>

#include "runtime/cell/svm/time/replay.h"
#include "svm/sim.h"

// ---- Runs ----

svmr_TimedRun *svmr_timedHold(svmr_TimedRun *run)
{
    run->references++;
    return run;
}

void svmr_timedRelease(svmr_TimedRun *run)
{
    if (--run->references > 0)
        return;
    svmr_timedEmpty(&run->dependences);
    svmr_timedEmpty(&run->dependents);
    free(run->transfers);
    free(run->streams);
    free(run->uses.data);
    free(run);
}

void svmr_timedAppend(svmr_TimedRuns *list, svmr_TimedRun *run)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 4;
        svmr_TimedRun **data = svmr_allocate(capacity, sizeof *data);
        if (list->count)
            memcpy(data, list->data, list->count * sizeof *data);
        free(list->data);
        list->data = data;
        list->capacity = capacity;
    }
    list->data[list->count++] = svmr_timedHold(run);
}

void svmr_timedEmpty(svmr_TimedRuns *list)
{
    for (size_t i = 0; i < list->count; i++)
        svmr_timedRelease(list->data[i]);
    free(list->data);
    *list = (svmr_TimedRuns){0};
}

svmr_TimedRun *svmr_timedTake(svmr_TimedQueue *q)
{
    svmr_TimedRun *run = q->runs.data[q->first++];
    if (q->first == q->runs.count)
        q->first = q->runs.count = 0;
    else if (q->first > q->runs.count / 2) { // what is left comes to the front
        q->runs.count -= q->first;
        memmove(q->runs.data, q->runs.data + q->first, q->runs.count * sizeof *q->runs.data);
        q->first = 0;
    }
    return run;
}

// The transfers of a run that the PPE makes, or of an SPE's command.
static void addTransfer(svmr_TimedRun *run, const sim_transfer *t)
{
    sim_transfer *more = svmr_allocate(run->transferCount + 1, sizeof *more);
    if (run->transferCount)
        memcpy(more, run->transfers, run->transferCount * sizeof *more);
    more[run->transferCount++] = *t;
    free(run->transfers);
    run->transfers = more;
}

// ---- The control thread's calls ----

static svmr_TimedCall *addCall(svmr_Replay *r, svmr_TimedCallKind kind)
{
    svmr_TimedCall *call = svmr_allocate(1, sizeof *call);
    call->kind = kind;
    *r->last = call;
    r->last = &call->next;
    return call;
}

// What the PPE's code has counted since somebody last looked: of the kernel that it runs, or else of its control code.
static double countedHere(svmr_Replay *r, const svmr_Kernel *p)
{
    uint64_t counts[SVM_SIM_CLASSES];
    for (size_t i = 0; i < SVM_SIM_CLASSES; i++)
        counts[i] = svm_simCounts[i] - r->seenCounts[i];
    uint64_t firings = svm_simFirings - r->seenFirings;
    double cycles = svm_simFiringCycles - r->seenCycles;
    memcpy(r->seenCounts, svm_simCounts, sizeof r->seenCounts);
    r->seenFirings = svm_simFirings;
    r->seenCycles = svm_simFiringCycles;
    return svmr_timedWork(r, &r->costs, p, counts, firings, cycles);
}

static void recordWork(svmr_Replay *r)
{
    if (r->running)
        return;
    double work = countedHere(r, NULL);
    if (work > 0)
        addCall(r, SVMR_TIMED_WORK)->work = work;
}

static svmr_TimedRun *newRun(svmr_Replay *r, svmr_Kernel *p)
{
    svmr_CellRun *cell = svmr_cellRun(p);
    svmr_TimedRun *run = svmr_allocate(1, sizeof *run);
    *run = (svmr_TimedRun){.references = 1, .label = sim_text(r->engine, svmr_name(p)), .replay = r};
    for (const svmr_Dependence *d = p->dependences; d; d = d->next) {
        svmr_TimedRun *on = d->target && d->target != p ? svmr_cellRun(d->target)->timed : NULL;
        if (on)
            svmr_timedAppend(&run->dependences, on);
    }
    if (cell->timed)
        svmr_timedRelease(cell->timed);
    cell->timed = run;
    return run;
}

// Tells the program's steady states: those that it says are run were run since the first of them was asked for.
static _Thread_local struct {
    int64_t (*steadyStates)(const void *instance);
    const void *instance;
} program;

static void countStates(svmr_Replay *r)
{
    r->submitted = program.steadyStates ? program.steadyStates(program.instance) : 0;
}

static svmr_Replay *replayOf(svm_Machine *m, const svmr_Kernel *p)
{
    svmr_Scheduler *s = m->scheduler;
    if (!s->replay && p && svmr_timedWanted())
        s->replay = svmr_replayCreate(m, p->processor);
    return s->replay && !s->replay->over ? s->replay : NULL;
}

// Of the calling thread.
static svmr_Replay *replayHere(void)
{
    svm_Machine *m = svmr_thread.inUse ? svmr_thread.inUse : svmr_thread.own;
    return m && m->scheduler ? replayOf(m, NULL) : NULL;
}

void svmr_onControl(svm_Machine *m, svmr_ControlCall call, svmr_Kernel *k)
{
    svmr_Replay *r = replayOf(m, k);
    if (r && m->shared) {
        fprintf(stderr, "svm-cell: note: the time of a program with several control threads is predicted until the "
                        "second begins\n");
        r->over = true;
    } else if (r && (call == SVMR_CALL_RUN || call == SVMR_CALL_WAIT)) {
        recordWork(r);
        if (call == SVMR_CALL_RUN) {
            countStates(r);
            svmr_TimedCall *made = addCall(r, SVMR_TIMED_RUN);
            made->run = svmr_timedHold(newRun(r, k));
            made->begins = r->submitted == 0;
        } else if (svmr_cellRun(k)->timed) {
            svmr_TimedCall *made = addCall(r, SVMR_TIMED_WAIT);
            const svmr_CellRun *run = svmr_cellRun(k), *last = svmr_lastOfWaits(run);
            made->run = svmr_timedHold(run->timed);
            made->last = svmr_timedHold(last->timed ? last->timed : run->timed);
        }
    }
    if (call == SVMR_CALL_STATE)
        svmr_goOn(m);
}

void svmr_onCopy(size_t fileBytes, size_t itemBytes)
{
    svmr_Replay *r = replayHere();
    if (!r || r->running || itemBytes == 0)
        return;
    recordWork(r);
    svmr_TimedCall *call = addCall(r, SVMR_TIMED_COPY);
    call->pieces = (itemBytes + SVMR_TIMED_PIECE - 1) / SVMR_TIMED_PIECE;
    call->fileBytes = fileBytes / call->pieces;
    call->itemBytes = itemBytes / call->pieces;
}

// ---- Sequences ----

bool svmr_timedRepeat(svm_Machine *m, uint32_t spes)
{
    svmr_Replay *r = replayOf(m, NULL);
    if (!r)
        return false;
    recordWork(r);
    countStates(r);
    addCall(r, SVMR_TIMED_REPEAT)->spes = spes;
    return true;
}

svmr_TimedRun *svmr_timedAlso(svmr_TimedRun *run)
{
    return run ? svmr_timedHold(run) : NULL;
}

svmr_TimedRun *svmr_timedHeld(svmr_Kernel *p)
{
    return svmr_timedAlso(svmr_cellRun(p)->timed);
}

void svmr_timedForget(svmr_TimedRun **runs, uint32_t count)
{
    for (uint32_t i = 0; i < count && runs; i++)
        if (runs[i])
            svmr_timedRelease(runs[i]);
}

static svmr_TimedCall *lastCall(const svmr_Replay *r)
{
    return (svmr_TimedCall *)((char *)r->last - offsetof(svmr_TimedCall, next));
}

static svmr_TimedCall *addWait(svm_Machine *m, svmr_TimedRun *run)
{
    svmr_Replay *r = run ? replayOf(m, NULL) : NULL;
    if (!r)
        return NULL;
    recordWork(r);
    svmr_TimedCall *call = addCall(r, SVMR_TIMED_WAIT);
    call->run = svmr_timedHold(run);
    call->last = svmr_timedHold(run);
    return call;
}

void svmr_timedWaitFor(svm_Machine *m, svmr_TimedRun *run)
{
    (void)addWait(m, run);
}

void svmr_timedPace(svm_Machine *m, svmr_TimedRun *run)
{
    svmr_TimedCall *call = addWait(m, run);
    if (call)
        call->polls = true;
}

static bool mapsFiles(const svmr_Replay *r)
{
    return sim_machine(r->engine)->processors.data[r->ppe.index].page_map.amount > 0;
}

bool svmr_mayMap(void)
{
    const svmr_Replay *r = replayHere();
    return !r || mapsFiles(r);
}

// As runtime/sim has it.
void svmr_onMapped(int64_t from, int64_t end, size_t base, int64_t *known, bool fresh)
{
    svmr_Replay *r = replayHere();
    if (!r || r->running || !mapsFiles(r))
        return;
    const int64_t page = (int64_t)sim_machine(r->engine)->processors.data[r->ppe.index].page;
    const int64_t last = (end + page - 1) / page, first = from / page < *known ? *known : from / page;
    if (last <= first)
        return;
    *known = last;
    recordWork(r);
    const bool later = fresh && sim_machine(r->engine)->processors.data[r->ppe.index].page_fault.amount > 0;
    const double pages = later ? 1 : (double)(last - first);
    addCall(r, SVMR_TIMED_PAGES)->work = pages * (double)sim_cost_page_map(r->engine, r->ppe.index);
    if (!fresh)
        return;
    svmr_TimedCall *call = addCall(r, later ? SVMR_TIMED_NEW : SVMR_TIMED_ZEROES);
    call->address = base + (size_t)(first * page);
    call->itemBytes = (size_t)((last - first) * page);
}

void svmr_onUnmapped(size_t address, size_t bytes)
{
    svmr_Replay *r = replayHere();
    if (!r)
        return;
    recordWork(r);
    svmr_TimedCall *call = addCall(r, SVMR_TIMED_UNMAPPED);
    call->address = address;
    call->itemBytes = bytes;
}

void svmr_onProgram(int64_t (*steadyStates)(const void *instance), const void *instance)
{
    svmr_Replay *r = replayHere();
    if (!steadyStates && r && program.steadyStates)
        r->submitted = program.steadyStates(program.instance);
    program.steadyStates = steadyStates;
    program.instance = instance;
}

// ---- What becomes of a run ----

static sim_side sideOf(const svmr_Replay *r, const svm_Block *b, sim_access access, size_t record)
{
    return (sim_side){.element = svmr_timedMemory(r, b->memory->name), .access = access, .record = record};
}

static sim_transfer transferOf(const svmr_Replay *r, const svmr_Kernel *p, const svmr_Transfer *t)
{
    const size_t size = t->from.block->elementSize, record = t->records * size;
    const bool groups = t->kind != SVM_TRANSFER_MOVE;
    const sim_access access = t->indices.block ? SIM_RANDOM : SIM_STRIDED;
    sim_transfer made = {.engine = svmr_timedProcessor(r, p->processor), .link = SIM_ROUTED};
    made.from =
        sideOf(r, t->from.block, groups && !t->scatter ? access : SIM_SEQUENTIAL, groups && !t->scatter ? record : 0);
    made.to = sideOf(r, t->to.block, groups && t->scatter ? access : SIM_SEQUENTIAL, groups && t->scatter ? record : 0);
    made.to.address = (size_t)t->to.block->data;
    made.to.span = groups && t->scatter ? t->to.block->capacity * size : 0;
    made.bytes = groups ? record * t->repeats : record;
    return made;
}

// What a kernel's command lists in front of its struct (svm/cell.h).
static void takeStreams(svmr_TimedRun *run, const svmr_Spe *spe, const svm_CellCommand *c)
{
    const size_t head = svmr_quanta(sizeof *c + c->waits * sizeof(svm_CellWait));
    const uint32_t *list = (const uint32_t *)((const char *)c + head);
    if (!spe->streams || c->ls <= head)
        return;
    const size_t most = (c->ls - head) / sizeof *list;
    const uint32_t table = (uint32_t)((volatile char *)spe->streamTable - spe->ls);
    run->streams = svmr_allocate(most, sizeof(svmr_TimedStream *));
    while (run->streamCount < most && list[run->streamCount] != 0) {
        run->streams[run->streamCount] = spe->streams[(list[run->streamCount] - table) / sizeof(svm_CellStream)].timed;
        run->streamCount++;
    }
}

void svmr_timedQueued(svmr_Kernel *p, svmr_Spe *spe, const svm_CellCommand *c, const svmr_Transfer *t)
{
    svmr_Replay *r = replayOf(p->machine, NULL);
    svmr_TimedRun *run = svmr_cellRun(p)->timed;
    if (!r || !run)
        return;
    run->spe = svmr_timedSpe(r, spe);
    // What a command waits for depends on what was complete in this run; the replay has its own.
    run->bytes = c->bytes - (uint32_t)svmr_quanta(sizeof *c + c->waits * sizeof(svm_CellWait)) + (uint32_t)sizeof *c;
    run->kind = t ? SVMR_TIMED_TRANSFER : c->kind == SVM_CELL_KERNEL ? SVMR_TIMED_KERNEL : SVMR_TIMED_STREAM;
    run->known = run->kind != SVMR_TIMED_KERNEL;
    if (run->kind == SVMR_TIMED_KERNEL) {
        const svm_CellKernel *code = svmr_cellRun(p)->code;
        run->kernel = (uint32_t)code->number + 1;
        run->region = code->region;
        run->codeBytes = code->codeBytes;
        if (code->inputFirst && !run->repeats)
            takeStreams(run, spe, c);
    }
    if (t) {
        sim_transfer made = transferOf(r, p, t);
        made.label = run->label;
        run->brings = c->kind == SVM_CELL_PUT || c->kind == SVM_CELL_SCATTER;
        addTransfer(run, &made);
    }
}

// Of the sequence whose call was recorded last.
svmr_TimedRun *svmr_timedAgain(svmr_Kernel *p, svmr_Spe *spe, const svm_CellCommand *c, const svmr_Transfer *t)
{
    svmr_Replay *r = replayOf(p->machine, NULL);
    svmr_TimedRun *run = newRun(r, p);
    run->repeats = true;
    svmr_timedQueued(p, spe, c, t);
    svmr_timedAppend(&lastCall(r)->runs, run);
    return svmr_timedHold(run);
}

svmr_TimedStream *svmr_timedStream(svmr_Spe *spe, const svm_Stream *s)
{
    svmr_Replay *r = replayOf(spe->machine, NULL);
    if (!r)
        return NULL;
    svmr_TimedStream *made = ARENA_NEW(r->arena, svmr_TimedStream);
    *made = (svmr_TimedStream){.spe = svmr_timedSpe(r, spe),
                               .label = sim_text(r->engine, s->name ? s->name : "a stream"),
                               .written = s->written,
                               .read = s->read,
                               .capacity = (uint32_t)s->capacity,
                               .elementSize = (uint32_t)s->elementSize,
                               .group = svmr_streamGroup(s)};
    return made;
}

void svmr_timedMoves(svmr_Kernel *p, svmr_TimedStream *from, svmr_TimedStream *to, const svm_Block *block,
                     uint64_t bytes)
{
    svmr_Replay *r = replayOf(p->machine, NULL);
    svmr_TimedRun *run = svmr_cellRun(p)->timed;
    if (!r || !run || run->kind != SVMR_TIMED_STREAM || (!from && !to))
        return;
    run->stream.from = from;
    run->stream.to = to;
    run->stream.bytes = bytes;
    run->stream.engine = svmr_timedProcessor(r, p->processor);
    if (from && to) {
        to->watchers |= 1u << run->spe->spe->number;
        return;
    }
    run->stream.memory = svmr_timedMemory(r, block->memory->name);
    run->stream.address = (uint64_t)(uintptr_t)block->data;
}

void svmr_timedSpent(const svmr_Kernel *p, svmr_TimedRun *run, const svm_CellSpent *spent)
{
    if (!run)
        return;
    run->work = svmr_timedWork(run->replay, &run->spe->costs, p, spent->counts, spent->firings, spent->cycles);
    run->known = true;
}

void svmr_timedOver(const svmr_Kernel *p, svmr_TimedRun *run, const svm_CellCommand *c, uint32_t number)
{
    svm_CellSpent spent;
    if (run && c->kind == SVM_CELL_KERNEL) {
        svmr_timedTakeUses(run, number);
        memcpy(&spent, (const char *)c + c->bytes - sizeof spent, sizeof spent);
        svmr_timedSpent(p, run, &spent);
    }
    svmr_timedForget(&run, 1);
}

void svmr_timedHere(svmr_Kernel *p, bool over)
{
    svmr_Replay *r = replayOf(p->machine, NULL);
    svmr_TimedRun *run = svmr_cellRun(p)->timed;
    if (!r || !run)
        return;
    if (r->running) { // it was left, or is over
        run->work += countedHere(r, p);
        run->known = over;
        r->running = NULL;
    } else {
        recordWork(r);
        run->kind = SVMR_TIMED_HERE;
        r->running = run;
    }
}

void svmr_transferred(svmr_Kernel *p, const svmr_TransferPart *part)
{
    static const sim_access kinds[] = {
        [SVMR_SEQUENTIAL] = SIM_SEQUENTIAL, [SVMR_STRIDED] = SIM_STRIDED, [SVMR_INDEXED] = SIM_RANDOM};
    svmr_Replay *r = replayOf(p->machine, NULL);
    if (!r || !r->running)
        return;
    sim_transfer t = {.engine = svmr_timedProcessor(r, p->processor), .link = SIM_ROUTED, .bytes = part->bytes};
    t.from = (sim_side){.element = svmr_timedMemory(r, part->from->name),
                        .access = kinds[part->fromAccess],
                        .record = part->recordBytes};
    t.to = (sim_side){.element = svmr_timedMemory(r, part->to->name),
                      .access = kinds[part->toAccess],
                      .record = part->recordBytes,
                      .address = part->address,
                      .span = part->span};
    t.label = r->running->label;
    addTransfer(r->running, &t);
}

void svmr_timedEnd(svm_Machine *m)
{
    svmr_Replay *r = m->scheduler->replay;
    if (r && !r->over)
        recordWork(r);
    if (!r)
        return;
    svmr_timedResults(r);
    for (svmr_TimedSpe *spe = r->spes; spe; spe = spe->next)
        free(spe->uses.data);
    arena_destroy(r->arena);
    free(r);
    m->scheduler->replay = NULL;
}

void svmr_timedMore(svm_Machine *m)
{
    svmr_Replay *r = replayOf(m, NULL);
    if (r)
        svmr_replay(r);
}

// ---- What this runtime does not look at ----

void svmr_onDeadlock(svm_Machine *m, FILE *f)
{
    (void)m, (void)f;
}

void svmr_onStream(svmr_Kernel *p, svm_Stream *s, svmr_StreamCall call, size_t count)
{
    (void)p, (void)s, (void)call, (void)count;
}

void svmr_onFirings(svmr_Kernel *p, size_t count)
{
    (void)p;
    svm_simFirings += count;
}

void svm_simIteration(void)
{
}

double svm_simTime(void)
{
    svmr_Replay *r = replayHere();
    return r ? sim_to_seconds(sim_now(r->engine)) : 0;
}
