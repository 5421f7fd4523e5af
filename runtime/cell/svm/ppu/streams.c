// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams in local stores. In programs whose kernels promise SVM_KERNEL(..., holds_processor) their two ends are in use on
// SPEs alone, whose side of them is an svm_CellStream (svm/cell.h); the PPE only says which transfers there are. In other
// programs streams are the PPE's, wherever they lie (runtime/common/stream.c).
#include <stdlib.h>

#include "runtime/cell/svm/ppu/internal.h"

static svmr_Place placeOf(const svmr_Kernel *p, const svmr_Transfer *t)
{
    return (svmr_Place){t->function, p->runFile, p->runLine};
}

static const char *nameOf(const svm_Stream *s)
{
    return s->name ? s->name : "(unnamed)";
}

// ---- What an SPE has ----

static svmr_SpeStream *find(const svmr_Spe *spe, const svm_Stream *s)
{
    for (uint32_t n = 0; spe->streams && n < svm_cellProgram.streams; n++)
        if (spe->streams[n].stream == s)
            return &spe->streams[n];
    return NULL;
}

static volatile svm_CellStream *there(const svmr_Spe *spe, const svmr_SpeStream *has)
{
    return &spe->streamTable[has - spe->streams];
}

uint32_t svmr_streamGroup(const svm_Stream *s)
{
    uint32_t group = 1;
    while (group * s->elementSize % SVM_CELL_QUANTUM)
        group *= 2;
    return group;
}

static svmr_SpeStream *add(svmr_Spe *spe, svm_Stream *s, svmr_Place at)
{
    if (!spe->streams)
        spe->streams = svmr_allocate(svm_cellProgram.streams, sizeof *spe->streams);
    svmr_SpeStream *has = find(spe, NULL);
    if (!has)
        svmr_fail(spe->machine, SVM_ERROR_OUT_OF_MEMORY, s->name, at,
                  "the memory '%s' has %u streams already, and no room to keep more", s->memory->name,
                  svm_cellProgram.streams);
    *has = (svmr_SpeStream){.stream = s, .timed = svmr_timedStream(spe, s)};
    volatile svm_CellStream *its = there(spe, has);
    its->written = (uint32_t)s->written;
    its->back = (uint32_t)(s->back / s->elementSize);
    its->read = (uint32_t)s->read;
    its->front = (uint32_t)(s->front / s->elementSize);
    its->data = (uint32_t)(s->data - spe->ls);
    its->capacity = (uint32_t)s->capacity;
    its->elementSize = (uint32_t)s->elementSize;
    its->group = svmr_streamGroup(s);
    its->watchers = 0;
    its->number = (uint32_t)(has - spe->streams);
    its->pushAcquired = its->popAcquired = its->pusher = its->popper = 0;
    return has;
}

static bool isIn(const svmr_Spe *spe, const svm_Stream *s)
{
    return s && s->check == svmr_streamCheck(s) && s->machine == spe->machine &&
           (size_t)(s->data - spe->ls) < SVMR_LOCAL_STORE;
}

uint32_t svmr_streamThere(const svmr_Spe *cspe, svm_Stream *s, svmr_Place at)
{
    svmr_Spe *spe = (svmr_Spe *)(uintptr_t)cspe;
    if (!svm_cellProgram.streams || !isIn(spe, s))
        return 0;
    const svmr_SpeStream *has = find(spe, s);
    return (uint32_t)((volatile char *)there(spe, has ? has : add(spe, s, at)) - spe->ls);
}

// Nobody has it any more: SPEs are done with what they were told.
void svmr_streamGone(svm_Machine *m, const svm_Stream *s)
{
    for (svmr_Spe *spe = m->scheduler ? m->scheduler->spes : NULL; spe; spe = spe->next) {
        svmr_SpeStream *has = find(spe, s);
        if (!has)
            continue;
        for (svmr_Spe *other = m->scheduler->spes; other; other = other->next)
            if (other->retired != other->issued)
                svmr_waitForSpe(other, other->issued);
        svmr_retire(m);
        has->stream = NULL;
    }
}

void svmr_checkStreamHere(const svm_Stream *s, const svmr_Kernel *p, svmr_Place at)
{
    if (svm_cellProgram.streams)
        svmr_fail(s->machine, SVM_ERROR_BAD_PROCESSOR, s->name, at,
                  "%s%s%s is the PPE's, and kernels that promise 'holds_processor' have streams that only SPEs use",
                  p ? "'" : "", p ? svmr_name(p) : "the control thread", p ? "'" : "");
}

void svmr_failSpeStream(svmr_Spe *spe, uint32_t number, svm_CellMisuse misuse, size_t count, size_t acquired,
                        svmr_Place at)
{
    const svm_Stream *s = spe->streams && number < svm_cellProgram.streams ? spe->streams[number].stream : NULL;
    svm_Machine *m = spe->machine;
    const char *name = s ? nameOf(s) : "";
    const size_t capacity = s ? s->capacity : 0;
    switch (misuse) {
    case SVM_CELL_NO_STREAM:
        svmr_fail(m, SVM_ERROR_BAD_MEMORY, "", at, "the stream is null, or not in the local store of the kernel's SPE");
    case SVM_CELL_NOTHING_WANTED: svmr_fail(m, SVM_ERROR_WINDOW, name, at, "a window of 0 elements");
    case SVM_CELL_TOO_MUCH:
        svmr_fail(m, SVM_ERROR_WINDOW, name, at,
                  "%zu elements, with %zu acquired already, are more than its capacity of %zu", count, acquired,
                  capacity);
    case SVM_CELL_WRAPS:
        svmr_fail(m, SVM_ERROR_WINDOW, name, at,
                  "a window of %zu elements wraps around the end of its memory of %zu: the capacity must be a multiple "
                  "of the counts in use",
                  count, capacity);
    case SVM_CELL_NOT_ACQUIRED:
        svmr_fail(m, SVM_ERROR_WINDOW, name, at, "%zu elements, and %zu are acquired", count, acquired);
    case SVM_CELL_END_TAKEN: break;
    }
    svmr_fail(m, acquired ? SVM_ERROR_WINDOW : SVM_ERROR_STREAM_SHARED, name, at,
              acquired ? "%zu acquired elements are not released yet"
                       : "a transfer, or a kernel's window, has this end of the stream",
              acquired);
}

// ---- Transfers ----

static SVMR_COLD _Noreturn void refuse(svmr_Kernel *p, const svmr_Transfer *t, const svm_Stream *s, svm_Error error,
                                       const char *why)
{
    p->asked = false;
    svmr_fail(p->machine, error, svmr_name(p), placeOf(p, t), "its stream '%s' %s", nameOf(s), why);
}

static bool waitsFor(const svmr_Kernel *p, const svmr_CellRun *run)
{
    for (const svmr_Dependence *d = p->dependences; d; d = d->next)
        if (d->target && d->target->scheduling == run)
            return true;
    return false;
}

// p has an end of the stream from now on: the transfer that had it is over before p begins.
static void takeEnd(svmr_CellRun **end, svmr_Kernel *p, const svmr_Transfer *t, const svm_Stream *s, const char *what)
{
    svmr_CellRun *mine = svmr_cellRun(p);
    if (*end && *end != mine && (*end)->spe && !waitsFor(p, *end)) {
        p->asked = false;
        svmr_fail(p->machine, SVM_ERROR_STREAM_SHARED, s->name, placeOf(p, t),
                  "another transfer is its %s and still pending, and '%s' does not wait for that", what, svmr_name(p));
    }
    *end = mine;
}

// The SPE that has the stream, which transfers can move to and from.
static svmr_Spe *speOf(svmr_Kernel *p, const svmr_Transfer *t, svm_Stream *s)
{
    svmr_Spe *spe = svmr_speOfMemory(p->machine, s->memory, placeOf(p, t));
    if (!spe)
        refuse(p, t, s, SVM_ERROR_BAD_MEMORY, "is in no local store, and only SPEs use streams here");
    if (((uintptr_t)s->data | s->capacity * s->elementSize) % SVM_CELL_QUANTUM)
        refuse(p, t, s, SVM_ERROR_ALIGNMENT, "does not begin and end at whole quadwords");
    return spe;
}

static svmr_SpeStream *entryOf(svmr_Kernel *p, const svmr_Transfer *t, svmr_Spe *spe, svm_Stream *s)
{
    p->asked = false; // it may fail
    (void)svmr_streamThere(spe, s, placeOf(p, t));
    p->asked = true;
    return find(spe, s);
}

void svmr_queueStream(svmr_Kernel *p, const svmr_Transfer *t)
{
    svm_Stream *from = t->from.stream, *to = t->to.stream, *s = from ? from : to;
    const svm_Block *b = from ? t->to.block : t->from.block;
    if (t->kind != SVM_TRANSFER_MOVE || t->indices.stream)
        refuse(p, t, s ? s : t->indices.stream, SVM_ERROR_BAD_PROCESSOR,
               "is moved strided or by indices, which only the PPE does");
    svmr_Spe *spe = speOf(p, t, s);
    const uint64_t bytes = (uint64_t)t->records * s->elementSize;
    if (bytes % SVM_CELL_QUANTUM || bytes > UINT32_MAX || (!(from && to) && (uintptr_t)b->data % SVM_CELL_QUANTUM))
        refuse(p, t, s, SVM_ERROR_ALIGNMENT, "is moved by what is no whole quadwords, or more than 4 GiB of them");
    svm_CellCommand c = {.kind = from ? SVM_CELL_EMPTY : SVM_CELL_FILL, .length = (uint32_t)bytes};
    svm_CellPass pass = {0};
    svmr_TimedStream *far = NULL;
    svmr_SpeStream *has = entryOf(p, t, spe, s);
    c.ls = (uint32_t)((volatile char *)there(spe, has) - spe->ls);
    takeEnd(from ? &has->pops : &has->pushes, p, t, s, from ? "consumer" : "producer");
    if (from && to) {
        svmr_Spe *other = speOf(p, t, to);
        if (other == spe)
            refuse(p, t, to, SVM_ERROR_BAD_MEMORY, "is in the same local store as the one that it is moved from");
        svmr_SpeStream *hasTo = entryOf(p, t, other, to);
        takeEnd(&hasTo->pushes, p, t, to, "producer");
        far = hasTo->timed;
        volatile svm_CellStream *its = there(other, hasTo);
        its->watchers |= 1u << spe->number;
        c.kind = SVM_CELL_PASS;
        c.ea = (uint64_t)(uintptr_t)other->ls;
        pass = (svm_CellPass){.stream = (uint32_t)((volatile char *)its - other->ls), .spe = other->number};
    } else {
        c.ea = (uint64_t)(uintptr_t)b->data;
    }
    if (bytes == 0)
        c = (svm_CellCommand){.kind = SVM_CELL_TELL};
    svmr_queueMoves(p, spe, c, &pass, c.kind == SVM_CELL_PASS ? sizeof pass : 0);
    svmr_timedMoves(p, from ? has->timed : NULL, from ? far : has->timed, b, bytes);
}
