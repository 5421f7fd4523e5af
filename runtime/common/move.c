// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The DMA kernels that move. Between blocks a move is one copy; those with streams go on as far as they can, in pieces
// that do not wrap, and keep their place in `progress`: they need no stack of their own.
#include "runtime/common/internal.h"

// ---- Checks ----

static void checkEnds(svmr_Kernel *p, mm_Mem from, const char *fromName, mm_Mem to, const char *toName, svmr_Place at)
{
    svmr_checkReach(p->machine, p, from, fromName, at);
    svmr_checkReach(p->machine, p, to, toName, at);
}

static void checkSizes(const svmr_Kernel *p, size_t from, size_t to, svmr_Place at)
{
    if (from != to)
        svmr_fail(p->machine, SVM_ERROR_SIZE_MISMATCH, svmr_name(p), at,
                  "the source has elements of %zu bytes and the destination of %zu", from, to);
}

// Errors of a move name the place where it was run.
static svmr_Place runPlace(const svmr_Kernel *p, const char *name)
{
    return (svmr_Place){name, p->runFile, p->runLine};
}

// ---- Pieces ----

// The source has no elements and the destination no room for them: whom to wait for.
static bool waitForSource(svmr_Kernel *p, svm_Stream *s, size_t left, svmr_Place at)
{
    if (s->ended)
        svmr_fail(p->machine, SVM_ERROR_STREAM_END, svmr_name(p), at,
                  "the stream '%s' has ended, and %zu elements are to be moved yet", svmr_streamText(s), left);
    svmr_block(p, s, SVMR_WANT_ELEMENTS, 1, at);
    return false;
}

static bool waitForDestination(svmr_Kernel *p, svm_Stream *s, svmr_Place at)
{
    svmr_block(p, s, SVMR_WANT_ROOM, 1, at);
    return false;
}

static void checkDestination(svmr_Kernel *p, const svm_Stream *s, svmr_Place at)
{
    if (s->ended)
        svmr_fail(p->machine, SVM_ERROR_STREAM_END, svmr_name(p), at,
                  "the stream '%s' has ended, and is to be pushed to", svmr_streamText(s));
}

// ---- The four moves ----

static void moveB2B(svm_Kernel *k)
{
    svm_MoveB2B *move = (svm_MoveB2B *)k;
    svmr_Kernel *p = k->private_;
    svmr_Place at = runPlace(p, "svm_moveB2B");
    const svm_Block *from = svmr_checkBlock(move->source, at), *to = svmr_checkBlock(move->destination, at);
    checkSizes(p, from->elementSize, to->elementSize, at);
    if (from->capacity != to->capacity)
        svmr_fail(p->machine, SVM_ERROR_SIZE_MISMATCH, svmr_name(p), at,
                  "the source has %zu elements and the destination %zu", from->capacity, to->capacity);
    checkEnds(p, from->memory, from->name, to->memory, to->name, at);
    memmove(to->data, from->data, from->capacity * from->elementSize);
}

static bool stepS2S(svm_Kernel *k)
{
    svm_MoveS2S *move = (svm_MoveS2S *)k;
    svmr_Kernel *p = k->private_;
    svmr_Place at = runPlace(p, "svm_moveS2S");
    svm_Stream *from = svmr_checkStream(move->source, at), *to = svmr_checkStream(move->destination, at);
    checkSizes(p, from->elementSize, to->elementSize, at);
    svmr_consumes(from, p, at);
    svmr_produces(to, p, at);
    while (p->progress < move->length) {
        size_t left = move->length - p->progress;
        if (svmr_count(from) == 0)
            return waitForSource(p, from, left, at);
        checkDestination(p, to, at);
        size_t n = svmr_backPiece(to, svmr_frontPiece(from, left));
        if (n == 0)
            return waitForDestination(p, to, at);
        memmove(to->data + to->back, from->data + from->front, n * from->elementSize);
        p->progress += n;
        svmr_popped(from, n);
        svmr_pushed(to, n);
    }
    return true;
}

static bool stepB2S(svm_Kernel *k)
{
    svm_MoveB2S *move = (svm_MoveB2S *)k;
    svmr_Kernel *p = k->private_;
    svmr_Place at = runPlace(p, "svm_moveB2S");
    const svm_Block *from = svmr_checkBlock(move->source, at);
    svm_Stream *to = svmr_checkStream(move->destination, at);
    checkSizes(p, from->elementSize, to->elementSize, at);
    svmr_checkReach(p->machine, p, from->memory, from->name, at);
    svmr_produces(to, p, at);
    while (p->progress < from->capacity) {
        checkDestination(p, to, at);
        size_t n = svmr_backPiece(to, from->capacity - p->progress);
        if (n == 0)
            return waitForDestination(p, to, at);
        memmove(to->data + to->back, from->data + p->progress * from->elementSize, n * from->elementSize);
        p->progress += n;
        svmr_pushed(to, n);
    }
    return true;
}

static bool stepS2B(svm_Kernel *k)
{
    svm_MoveS2B *move = (svm_MoveS2B *)k;
    svmr_Kernel *p = k->private_;
    svmr_Place at = runPlace(p, "svm_moveS2B");
    svm_Stream *from = svmr_checkStream(move->source, at);
    const svm_Block *to = svmr_checkBlock(move->destination, at);
    checkSizes(p, from->elementSize, to->elementSize, at);
    svmr_checkReach(p->machine, p, to->memory, to->name, at);
    svmr_consumes(from, p, at);
    while (p->progress < to->capacity) {
        size_t n = svmr_frontPiece(from, to->capacity - p->progress);
        if (n == 0)
            return waitForSource(p, from, to->capacity - p->progress, at);
        memmove(to->data + p->progress * to->elementSize, from->data + from->front, n * to->elementSize);
        p->progress += n;
        svmr_popped(from, n);
    }
    return true;
}

// ---- Setting up ----

// What the run function of a move would be; they go on by their steps.
static void runSteps(svm_Kernel *k)
{
    (void)k;
}

static void initMove(svm_Kernel *k, mm_Proc dma, const char *name, bool (*step)(svm_Kernel *), svmr_Place at)
{
    svmr_Kernel *p = svmr_kernelInit(k, dma, step ? runSteps : moveB2B, name, SVM_PROCESSOR_DMA, at);
    p->step = step;
    p->plain = !step;
}

void svm_moveB2BInitAt(svm_MoveB2B *k, mm_Proc dma, svm_Block *source, svm_Block *destination, const char *file,
                       int line)
{
    svmr_Place at = SVMR_PLACE("svm_moveB2BInit");
    svmr_checkBlock(source, at);
    svmr_checkBlock(destination, at);
    initMove(k ? &k->kernel : NULL, dma, "move", NULL, at);
    k->source = source;
    k->destination = destination;
}

void svm_moveS2SInitAt(svm_MoveS2S *k, mm_Proc dma, svm_Stream *source, svm_Stream *destination, size_t length,
                       const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_moveS2SInit");
    svmr_checkStream(source, at);
    svmr_checkStream(destination, at);
    initMove(k ? &k->kernel : NULL, dma, "move", stepS2S, at);
    k->source = source;
    k->destination = destination;
    k->length = length;
}

void svm_moveB2SInitAt(svm_MoveB2S *k, mm_Proc dma, svm_Block *source, svm_Stream *destination, const char *file,
                       int line)
{
    svmr_Place at = SVMR_PLACE("svm_moveB2SInit");
    svmr_checkBlock(source, at);
    svmr_checkStream(destination, at);
    initMove(k ? &k->kernel : NULL, dma, "move", stepB2S, at);
    k->source = source;
    k->destination = destination;
}

void svm_moveS2BInitAt(svm_MoveS2B *k, mm_Proc dma, svm_Stream *source, svm_Block *destination, const char *file,
                       int line)
{
    svmr_Place at = SVMR_PLACE("svm_moveS2BInit");
    svmr_checkStream(source, at);
    svmr_checkBlock(destination, at);
    initMove(k ? &k->kernel : NULL, dma, "move", stepS2B, at);
    k->source = source;
    k->destination = destination;
}
