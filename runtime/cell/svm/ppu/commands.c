// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs become commands in the SPEs' queues, with what they wait for, ahead of time; when an SPE has told that they are
// complete they are over for the rest of the runtime.
#include <stdlib.h>

#include "runtime/cell/svm/ppu/internal.h"

svmr_CellRun *svmr_cellRun(svmr_Kernel *p)
{
    if (!p->scheduling) {
        svmr_CellRun *run = svmr_allocate(1, sizeof *run);
        run->next = p->machine->scheduler->runs;
        p->machine->scheduler->runs = run;
        p->scheduling = run;
    }
    return p->scheduling;
}

static svmr_QueuedRun *queuedRun(const svmr_Spe *spe, uint32_t number)
{
    return &spe->runs[number & (spe->runCapacity - 1)];
}

static void growRuns(svmr_Spe *spe)
{
    uint32_t old = spe->runCapacity, capacity = old ? 2 * old : 64;
    svmr_QueuedRun *runs = svmr_allocate(capacity, sizeof *runs);
    for (uint32_t n = spe->retired; n != spe->issued; n++)
        runs[n & (capacity - 1)] = spe->runs[n & (old - 1)];
    free(spe->runs);
    spe->runs = runs;
    spe->runCapacity = capacity;
}

// ---- What the control code waits for, one after the other ----

// What was waited for last is followed by that, or by nothing.
static void endWaited(svmr_Spe *spe, svmr_CellRun *then)
{
    if (spe->waited)
        spe->waited->then = then;
    spe->waited = then;
}

void svmr_noteRun(svm_Machine *m)
{
    for (svmr_Spe *spe = m->scheduler->waits ? m->scheduler->spes : NULL; spe; spe = spe->next)
        endWaited(spe, NULL);
    m->scheduler->waits = false;
}

void svmr_noteWait(svm_Machine *m, svmr_CellRun *run)
{
    if (!run->home)
        return;
    endWaited(run->home, run);
    m->scheduler->waits = true;
}

const svmr_CellRun *svmr_lastOfWaits(const svmr_CellRun *run)
{
    while (run->then && run->then->home == run->home && (int32_t)(run->then->number - run->number) > 0)
        run = run->then;
    return run;
}

// ---- Queueing ----

// For a command of so many bytes and what fills the ring's end before it. Runs that are over meanwhile may make others
// that are queued, too, so this comes before anything that depends on where the queue ends.
void svmr_makeRoom(svmr_Spe *spe, size_t bytes)
{
    bytes += spe->ringBytes;
    while (spe->queueBytes - (spe->written - spe->released) < bytes) {
        svmr_ringSpes(spe->machine);
        svmr_sleepForSpe(spe, spe->retired + 1);
        svmr_retire(spe->machine);
    }
}

static svm_CellCommand *place(svmr_Spe *spe, svmr_Kernel *p, uint32_t bytes)
{
    if (spe->issued - spe->retired == spe->runCapacity)
        growRuns(spe);
    svm_CellCommand *c = (svm_CellCommand *)(spe->queue + spe->written % spe->queueBytes);
    *queuedRun(spe, spe->issued++) = (svmr_QueuedRun){.p = p, .at = spe->written, .end = spe->written + bytes};
    spe->written += bytes;
    return c;
}

// A command lies in one piece in the SPE's ring, so what is left at its end may have to be filled.
static uint32_t padding(const svmr_Spe *spe, size_t bytes)
{
    uint32_t left = spe->ringBytes - spe->written % spe->ringBytes;
    return bytes > left ? left : 0;
}

void svmr_fill(svmr_Spe *spe, uint32_t bytes) // perhaps only 16
{
    svm_CellCommand *c = place(spe, NULL, bytes);
    c->bytes = bytes;
    c->kind = SVM_CELL_PAD;
}

static void pad(svmr_Spe *spe, size_t bytes)
{
    uint32_t left = padding(spe, bytes);
    if (left)
        svmr_fill(spe, left);
}

svm_CellCommand *svmr_placeCommand(svmr_Spe *spe, uint32_t bytes)
{
    svm_CellCommand *c = place(spe, NULL, bytes);
    *c = (svm_CellCommand){.bytes = bytes};
    spe->machine->scheduler->unrung = true;
    return c;
}

void svmr_issueMore(svmr_Spe *spe, uint32_t commands)
{
    while (spe->issued - spe->retired + commands > spe->runCapacity)
        growRuns(spe);
    spe->issued += commands;
}

static bool isKernel(const svm_CellCommand *c)
{
    return c->kind == SVM_CELL_KERNEL || c->kind == SVM_CELL_INSTRUCTION;
}

uint32_t svmr_queueCommand(svmr_Spe *spe, svmr_Kernel *p, svm_CellCommand command, const svm_CellWait *waits,
                           size_t waitCount, const void *payload, size_t payloadBytes)
{
    size_t head = svmr_quanta(sizeof command + waitCount * sizeof *waits), bytes = head + payloadBytes;
    svmr_makeRoom(spe, bytes);
    pad(spe, bytes);
    svm_CellCommand *c = place(spe, p, (uint32_t)bytes);
    command.bytes = (uint32_t)bytes;
    command.waits = (uint16_t)waitCount;
    if (isKernel(&command)) {
        command.ls += (uint32_t)head;
        command.ea = (uint64_t)(uintptr_t)c + command.ls;
    }
    *c = command;
    if (waitCount)
        memcpy(c + 1, waits, waitCount * sizeof *waits);
    if (payloadBytes)
        memcpy((char *)c + head, payload, payloadBytes);
    spe->machine->scheduler->unrung = true;
    if (spe->written - spe->rung > SVMR_RING_AFTER ||
        (spe->issued - spe->rungIssued >= SVMR_RING_IDLE && spe->complete->count == spe->rungIssued))
        svmr_ringSpe(spe);
    return spe->issued - 1;
}

// ---- What a run waits for ----

typedef struct Waits {
    svm_CellWait entry[SVM_CELL_SPES + SVM_CELL_WINDOW];
    size_t count;
} Waits;

static void addWait(Waits *w, const svmr_Spe *on, uint32_t count, bool merge)
{
    for (size_t i = 0; merge && i < w->count; i++)
        if (w->entry[i].spe == on->number) {
            if ((int32_t)(count - w->entry[i].count) > 0)
                w->entry[i].count = count;
            return;
        }
    w->entry[w->count++] = (svm_CellWait){on->number, count};
}

// The run of a kernel on another SPE is to tell this one: its command does, or if the SPE may have seen it one more.
static void subscribe(svmr_CellRun *on, const svmr_Spe *spe)
{
    const uint32_t bit = 1u << spe->number;
    svmr_Spe *other = on->spe;
    on->tells |= bit;
    if (on->told & bit)
        return;
    const svmr_QueuedRun *run = queuedRun(other, on->number);
    if (!on->repeats && (int32_t)(run->at - other->rung) >= 0) {
        ((svm_CellCommand *)(other->queue + run->at % other->queueBytes))->tells |= bit;
        on->told |= bit;
        return;
    }
    svmr_queueCommand(other, NULL, (svm_CellCommand){.kind = SVM_CELL_TELL, .tells = bit}, NULL, 0, NULL, 0);
}

// Do SPEs wait for all pending runs that p depends on?
static bool allQueued(const svmr_Kernel *p)
{
    for (const svmr_Dependence *d = p->dependences; d; d = d->next)
        if (d->target && d->target != p && svmr_pending(d->target) && !svmr_cellRun(d->target)->spe)
            return false;
    return true;
}

static void gatherWaits(const svmr_Kernel *p, const svmr_Spe *spe, Waits *w)
{
    w->count = 0;
    for (const svmr_Dependence *d = p->dependences; d; d = d->next) {
        if (!d->target || d->target == p || !svmr_pending(d->target))
            continue;
        svmr_CellRun *on = svmr_cellRun(d->target);
        if (on->spe != spe)
            subscribe(on, spe);
        if (!on->spe) // it was over when room was made
            continue;
        if (on->spe != spe)
            addWait(w, on->spe, on->number + 1, true);
        else if (spe->issued - on->number <= SVM_CELL_WINDOW) // older ones are complete when this one is looked at
            addWait(w, spe, on->number + 1, false);
    }
}

void svmr_countCommands(svmr_Spe *spe, const svm_CellCommand *c, uint64_t times)
{
    spe->counted.kernels += isKernel(c) ? times : 0;
    const bool lists = c->kind == SVM_CELL_GATHER || c->kind == SVM_CELL_SCATTER;
    spe->counted.moves += c->length != 0 && !isKernel(c) && !lists ? times : 0;
    spe->counted.lists += lists ? times : 0;
    spe->counted.bytes += isKernel(c) ? 0 : c->length * times;
}

static void noteUneven(const svmr_Kernel *p, const svm_CellCommand *c, const svmr_Transfer *t)
{
    svmr_Scheduler *s = p->machine->scheduler;
    if ((c->kind != SVM_CELL_GET && c->kind != SVM_CELL_PUT) || ((c->ea | c->ls | c->length) & 127) == 0)
        return;
    const char *name = t && t->from.block->name ? t->from.block->name : svmr_name(p);
    svmr_Uneven *u = s->uneven;
    while (u && strcmp(u->name, name) != 0)
        u = u->next;
    if (!u) {
        u = svmr_allocate(1, sizeof *u);
        u->name = strdup(name);
        u->next = s->uneven;
        s->uneven = u;
    }
    u->bytes = c->length;
    u->ls = c->ls;
    u->ea = c->ea;
    u->count++;
}

static void isQueued(svmr_Kernel *p, svmr_Spe *spe, uint32_t number, const svmr_Transfer *t)
{
    svmr_CellRun *run = svmr_cellRun(p);
    run->spe = run->home = spe;
    run->number = number;
    run->told = run->tells;
    run->repeats = false;
    const svm_CellCommand *c = (const svm_CellCommand *)(spe->queue + queuedRun(spe, number)->at % spe->queueBytes);
    svmr_countCommands(spe, c, 1);
    if (SVMR_UNLIKELY(p->machine->scheduler->counts))
        noteUneven(p, c, t);
    svmr_timedQueued(p, spe, c, t);
    queuedRun(spe, number)->timed = svmr_timedHeld(p);
    svmr_setState(p, SVM_RUNNING);
}

// ---- Kernels and transfers ----

const svm_CellKernel *svmr_codeOf(const svmr_Kernel *p)
{
    svmr_CellRun *run = svmr_cellRun((svmr_Kernel *)p);
    if (!run->code || run->code->run != p->kernel->run) {
        run->code = NULL;
        for (size_t i = 0; i < svm_cellProgram.kernelCount && !run->code; i++)
            if (svm_cellProgram.kernels[i].run == p->kernel->run)
                run->code = &svm_cellProgram.kernels[i];
    }
    return run->code && run->code->number >= 0 ? run->code : NULL;
}

// Of a kernel with SVM_KERNEL(input_first): the streams of its run, in front of its struct, with zeroes behind them; bytes.
static size_t listStreams(const svmr_Spe *spe, const svmr_Kernel *p, const svm_CellKernel *code, uint32_t *list,
                          svmr_Place at)
{
    size_t count = 0;
    for (size_t i = 0; code->inputFirst && i < code->fieldCount; i++) {
        const svm_CellField *f = &code->fields[i];
        for (uint32_t n = 0; f->kind == SVM_CELL_STREAM && n < f->count; n++) {
            svm_Stream *s;
            memcpy(&s, (const char *)p->kernel + f->ppe + n * sizeof s, sizeof s);
            const uint32_t there = svmr_streamThere(spe, s, at);
            if (there)
                list[count++] = there;
        }
    }
    return svmr_quanta(count * sizeof *list);
}

static size_t mostStreams(const svm_CellKernel *code)
{
    size_t count = 0;
    for (size_t i = 0; code->inputFirst && i < code->fieldCount; i++)
        count += code->fields[i].kind == SVM_CELL_STREAM ? code->fields[i].count : 0;
    return count;
}

static void queueKernel(svmr_Kernel *p, svmr_Spe *spe, svmr_Place at)
{
    svmr_CellRun *run = svmr_cellRun(p);
    const svm_CellKernel *code = svmr_codeOf(p);
    if (!code)
        return;
    const size_t most = svmr_quanta(mostStreams(code) * sizeof(uint32_t));
    char *payload = svmr_allocate(1, most + svmr_packedBytes(code) + SVMR_SPENT_BYTES);
    const size_t listed = listStreams(spe, p, code, (uint32_t *)payload, at);
    const size_t bytes = listed + svmr_packedBytes(code) + SVMR_SPENT_BYTES;
    Waits w;
    gatherWaits(p, spe, &w);
    size_t head = svmr_quanta(sizeof(svm_CellCommand) + w.count * sizeof *w.entry);
    svmr_makeRoom(spe, head + bytes);
    pad(spe, head + bytes); // now it is known where the struct will lie
    uint32_t where = spe->ring + (uint32_t)((spe->written + head + listed) % spe->ringBytes);
    char *packed = svmr_packStruct(spe, p, code, where, at);
    memcpy(payload + listed, packed, bytes - listed);
    free(packed);
    svm_CellCommand c = {.kind = SVM_CELL_KERNEL,
                         .tells = run->tells,
                         .kernel = (uint32_t)code->number,
                         .ls = (uint32_t)listed,
                         .length = (uint32_t)svmr_quanta(code->bytes)};
    isQueued(p, spe, svmr_queueCommand(spe, p, c, w.entry, w.count, payload, bytes), NULL);
    free(payload);
}

// ---- Transfers ----

// One side of a transfer as an SPE sees it: in its local store (here), or anywhere (there).
static bool isWhole(const svm_Block *b, size_t offset)
{
    return ((uintptr_t)b->data + offset) % SVM_CELL_QUANTUM == 0;
}

static void queueMove(svmr_Kernel *p, const svmr_Transfer *t, svmr_Place at)
{
    svmr_Spe *from = svmr_speOfMemory(p->machine, t->from.block->memory, at);
    svmr_Spe *to = svmr_speOfMemory(p->machine, t->to.block->memory, at), *spe = from ? from : to;
    const svm_Block *here = from ? t->from.block : t->to.block, *there = from ? t->to.block : t->from.block;
    size_t bytes = t->records * t->from.block->elementSize;
    if (!spe || from == to || bytes == 0 || bytes % SVM_CELL_QUANTUM || !isWhole(here, 0) || !isWhole(there, 0))
        return;
    svm_CellCommand c = {.kind = from ? SVM_CELL_PUT : SVM_CELL_GET,
                         .tells = svmr_cellRun(p)->tells,
                         .ea = (uint64_t)(uintptr_t)there->data,
                         .ls = (uint32_t)(here->data - spe->ls),
                         .length = (uint32_t)bytes};
    if (p->machine->scheduler->adds) {
        svmr_addTransfer(p, spe, &c, t);
        return;
    }
    Waits w;
    gatherWaits(p, spe, &w);
    isQueued(p, spe, svmr_queueCommand(spe, p, c, w.entry, w.count, NULL, 0), t);
}

// A list has 32 bits of each address, the upper half is common to all.
static bool isInList(const svm_Block *there)
{
    uint64_t first = (uint64_t)(uintptr_t)there->data, last = first + there->capacity * there->elementSize;
    return first >> 32 == last >> 32;
}

// The SPE with the side that is in order makes the lists; indices are in its local store, too.
static void queueGroups(svmr_Kernel *p, const svmr_Transfer *t, svmr_Place at)
{
    const svm_Block *here = t->scatter ? t->from.block : t->to.block, *there = t->scatter ? t->to.block : t->from.block;
    const svm_Block *indices = t->indices.block;
    const size_t size = here->elementSize, bytes = t->records * size, stride = t->stride * size;
    svmr_Spe *spe = svmr_speOfMemory(p->machine, here->memory, at);
    if (!spe || svmr_speOfMemory(p->machine, there->memory, at) == spe || bytes == 0 || t->repeats == 0)
        return;
    const bool whole = bytes % SVM_CELL_QUANTUM == 0 && isWhole(here, 0) && isWhole(there, t->offset * size) &&
                       (indices || t->repeats == 1 || stride % SVM_CELL_QUANTUM == 0);
    const bool near = !indices || svmr_speOfMemory(p->machine, indices->memory, at) == spe;
    if (!whole || !near || t->combine != SVM_REPLACE || !isInList(there))
        return;
    svm_CellGroups g = {.count = (uint32_t)t->repeats, .bytes = (uint32_t)bytes, .stride = (uint32_t)stride};
    if (indices) {
        g.indices = (uint32_t)(indices->data - spe->ls);
        g.indexBytes = (uint32_t)indices->elementSize;
        g.limit = (uint32_t)(there->capacity / t->records);
    }
    svm_CellCommand c = {.kind = t->scatter ? SVM_CELL_SCATTER : SVM_CELL_GATHER,
                         .tells = svmr_cellRun(p)->tells,
                         .ea = (uint64_t)(uintptr_t)there->data + t->offset * size,
                         .ls = (uint32_t)(here->data - spe->ls),
                         .length = (uint32_t)(bytes * t->repeats)};
    Waits w;
    gatherWaits(p, spe, &w);
    isQueued(p, spe, svmr_queueCommand(spe, p, c, w.entry, w.count, &g, sizeof g), t);
}

void svmr_queueMoves(svmr_Kernel *p, svmr_Spe *spe, svm_CellCommand c, const void *payload, size_t payloadBytes)
{
    Waits w;
    c.tells = svmr_cellRun(p)->tells;
    gatherWaits(p, spe, &w);
    isQueued(p, spe, svmr_queueCommand(spe, p, c, w.entry, w.count, payload, payloadBytes), NULL);
}

bool svmr_queuesStreams(const svm_Machine *m)
{
    return svm_cellProgram.streams && !m->scheduler->adds;
}

void svmr_queueTransfer(svmr_Kernel *p, const svmr_Transfer *t)
{
    if (t->from.stream || t->to.stream || t->indices.stream) {
        svmr_queueStream(p, t);
        return;
    }
    svmr_Place at = {t->function, p->runFile, p->runLine};
    if (p->instruction)
        svmr_queueWords(p, t, at);
    else if (t->kind == SVM_TRANSFER_MOVE)
        queueMove(p, t, at);
    else if (!p->machine->scheduler->adds)
        queueGroups(p, t, at);
}

bool svmr_queueRun(svmr_Kernel *p)
{
    svmr_Place at = {"svm_kernelRun", p->runFile, p->runLine};
    svmr_cellRun(p)->spe = NULL;
    svmr_noteRun(p->machine);
    if (!allQueued(p))
        return false;
    if (p->step && (!p->instruction || svm_cellProgram.instructions)) {
        p->asked = true;
        p->step(p->kernel);
        p->asked = false;
    } else if (!p->step) {
        svmr_Spe *spe = svmr_speOfProcessor(p->machine, p->processor, at);
        if (spe && p->instruction && svm_cellProgram.instructions)
            svmr_queueInstruction(p, spe, at);
        else if (spe)
            queueKernel(p, spe, at);
    }
    return svmr_cellRun(p)->spe != NULL;
}

// ---- What is over ----

// An error of it may leave all this, for the control thread's handler.
static void runHere(svmr_Kernel *p)
{
    svmr_unlock(p->machine);
    svmr_Stop stop = svmr_execute(p);
    svmr_lock(p->machine);
    svmr_commit(p, stop);
}

static void retireRun(svmr_Spe *spe, const svmr_QueuedRun *q, uint32_t number)
{
    svmr_Kernel *p = q->p;
    const svm_CellCommand *c = (const svm_CellCommand *)(spe->queue + q->at % spe->queueBytes);
    svmr_CellRun *run = svmr_cellRun(p);
    svmr_timedOver(p, q->timed, c, number);
    if (run->spe != spe || run->number != number)
        return; // a sequence runs it again
    if (c->kind == SVM_CELL_KERNEL)
        svmr_unpackStruct(p->kernel, run->code, (const char *)c + c->ls);
    if (c->kind == SVM_CELL_INSTRUCTION)
        svmr_instructionOver(p, (const svm_CellInstruction *)((const char *)c + c->ls));
    run->spe = NULL;
    if (SVMR_UNLIKELY(__atomic_load_n(&spe->hasBadIndex, __ATOMIC_ACQUIRE)) && spe->badIndex == number) {
        spe->hasBadIndex = false;
        p->progress = 0;
        runHere(p); // meets it again, and reports it as everywhere
        return;
    }
    svmr_commit(p, SVMR_STOP_FINISHED);
}

static void takeFailures(svmr_Spe *spe)
{
    svmr_Failure *newest = __atomic_exchange_n(&spe->failures, NULL, __ATOMIC_ACQ_REL), **end = &spe->machine->failures;
    while (newest) { // the oldest of them becomes the first
        svmr_Failure *f = newest;
        newest = f->next;
        f->next = *end;
        *end = f;
    }
}

bool svmr_retire(svm_Machine *m)
{
    bool any = false;
    for (svmr_Spe *spe = m->scheduler->spes; spe; spe = spe->next)
        for (uint32_t complete;
             spe->retired != (complete = __atomic_load_n(&spe->complete->count, __ATOMIC_ACQUIRE));) {
            any = true;
            if (svmr_isRepeated(spe, spe->retired)) {
                svmr_retireRepeated(spe, complete);
                continue;
            }
            const uint32_t number = spe->retired++;
            svmr_QueuedRun q = *queuedRun(spe, number);
            spe->released = q.end;
            if (q.p)
                retireRun(spe, &q, number);
        }
    for (svmr_Spe *spe = m->scheduler->spes; spe; spe = spe->next)
        if (SVMR_UNLIKELY(__atomic_load_n(&spe->failures, __ATOMIC_ACQUIRE) != NULL))
            takeFailures(spe);
    svmr_timedMore(m);
    return any;
}
