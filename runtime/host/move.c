// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The DMA kernels that move. Between blocks a move is one copy; those with streams go on as far as they can, in pieces
// that do not wrap, and keep their place in `progress`: they need no stack of their own.
#include "internal.h"

// ---- Checks ----

static void checkEnds(svmh_Kernel *p, mm_Mem from, const char *fromName, mm_Mem to, const char *toName, svmh_Place at)
{
    svmh_checkReach(p->machine, p, from, fromName, at);
    svmh_checkReach(p->machine, p, to, toName, at);
}

static void checkSizes(const svmh_Kernel *p, size_t from, size_t to, svmh_Place at)
{
    if (from != to)
        svmh_fail(p->machine, SVM_ERROR_SIZE_MISMATCH, svmh_name(p), at,
                  "the source has elements of %zu bytes and the destination of %zu", from, to);
}

// Errors of a move name the place where it was run.
static svmh_Place runPlace(const svmh_Kernel *p, const char *name)
{
    return (svmh_Place){name, p->runFile, p->runLine};
}

// ---- Pieces ----

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

// How many of `count` elements can be copied at once from the front, and to the back, without wrapping.
static size_t frontPiece(const svm_Stream *s, size_t count)
{
    return least(least(count, svmh_count(s)), s->capacity - s->front / s->elementSize);
}

static size_t backPiece(const svm_Stream *s, size_t count)
{
    return least(least(count, svmh_room(s)), s->capacity - s->back / s->elementSize);
}

static void popped(svm_Stream *s, size_t count)
{
    s->front += count * s->elementSize;
    if (s->front == s->capacity * s->elementSize)
        s->front = 0;
    s->read += count;
    if (s->waiting)
        svmh_wake(s);
}

static void pushed(svm_Stream *s, size_t count)
{
    s->back += count * s->elementSize;
    if (s->back == s->capacity * s->elementSize)
        s->back = 0;
    s->written += count;
    if (s->waiting)
        svmh_wake(s);
}

// The source has no elements and the destination no room for them: whom to wait for.
static bool waitForSource(svmh_Kernel *p, svm_Stream *s, size_t left, svmh_Place at)
{
    if (s->ended)
        svmh_fail(p->machine, SVM_ERROR_STREAM_END, svmh_name(p), at,
                  "the stream '%s' has ended, and %zu elements are to be moved yet", svmh_streamText(s), left);
    svmh_block(p, s, SVMH_WANT_ELEMENTS, 1, at);
    return false;
}

static bool waitForDestination(svmh_Kernel *p, svm_Stream *s, svmh_Place at)
{
    svmh_block(p, s, SVMH_WANT_ROOM, 1, at);
    return false;
}

static void checkDestination(svmh_Kernel *p, const svm_Stream *s, svmh_Place at)
{
    if (s->ended)
        svmh_fail(p->machine, SVM_ERROR_STREAM_END, svmh_name(p), at,
                  "the stream '%s' has ended, and is to be pushed to", svmh_streamText(s));
}

// ---- The four moves ----

static void moveB2B(svm_Kernel *k)
{
    svm_MoveB2B *move = (svm_MoveB2B *)k;
    svmh_Kernel *p = k->private_;
    svmh_Place at = runPlace(p, "svm_moveB2B");
    const svm_Block *from = svmh_checkBlock(move->source, at), *to = svmh_checkBlock(move->destination, at);
    checkSizes(p, from->elementSize, to->elementSize, at);
    if (from->capacity != to->capacity)
        svmh_fail(p->machine, SVM_ERROR_SIZE_MISMATCH, svmh_name(p), at,
                  "the source has %zu elements and the destination %zu", from->capacity, to->capacity);
    checkEnds(p, from->memory, from->name, to->memory, to->name, at);
    memmove(to->data, from->data, from->capacity * from->elementSize);
}

static bool stepS2S(svm_Kernel *k)
{
    svm_MoveS2S *move = (svm_MoveS2S *)k;
    svmh_Kernel *p = k->private_;
    svmh_Place at = runPlace(p, "svm_moveS2S");
    svm_Stream *from = svmh_checkStream(move->source, at), *to = svmh_checkStream(move->destination, at);
    checkSizes(p, from->elementSize, to->elementSize, at);
    svmh_consumes(from, p, at);
    svmh_produces(to, p, at);
    while (p->progress < move->length) {
        size_t left = move->length - p->progress;
        if (svmh_count(from) == 0)
            return waitForSource(p, from, left, at);
        checkDestination(p, to, at);
        size_t n = backPiece(to, frontPiece(from, left));
        if (n == 0)
            return waitForDestination(p, to, at);
        memmove(to->data + to->back, from->data + from->front, n * from->elementSize);
        p->progress += n;
        popped(from, n);
        pushed(to, n);
    }
    return true;
}

static bool stepB2S(svm_Kernel *k)
{
    svm_MoveB2S *move = (svm_MoveB2S *)k;
    svmh_Kernel *p = k->private_;
    svmh_Place at = runPlace(p, "svm_moveB2S");
    const svm_Block *from = svmh_checkBlock(move->source, at);
    svm_Stream *to = svmh_checkStream(move->destination, at);
    checkSizes(p, from->elementSize, to->elementSize, at);
    svmh_checkReach(p->machine, p, from->memory, from->name, at);
    svmh_produces(to, p, at);
    while (p->progress < from->capacity) {
        checkDestination(p, to, at);
        size_t n = backPiece(to, from->capacity - p->progress);
        if (n == 0)
            return waitForDestination(p, to, at);
        memmove(to->data + to->back, from->data + p->progress * from->elementSize, n * from->elementSize);
        p->progress += n;
        pushed(to, n);
    }
    return true;
}

static bool stepS2B(svm_Kernel *k)
{
    svm_MoveS2B *move = (svm_MoveS2B *)k;
    svmh_Kernel *p = k->private_;
    svmh_Place at = runPlace(p, "svm_moveS2B");
    svm_Stream *from = svmh_checkStream(move->source, at);
    const svm_Block *to = svmh_checkBlock(move->destination, at);
    checkSizes(p, from->elementSize, to->elementSize, at);
    svmh_checkReach(p->machine, p, to->memory, to->name, at);
    svmh_consumes(from, p, at);
    while (p->progress < to->capacity) {
        size_t n = frontPiece(from, to->capacity - p->progress);
        if (n == 0)
            return waitForSource(p, from, to->capacity - p->progress, at);
        memmove(to->data + p->progress * to->elementSize, from->data + from->front, n * to->elementSize);
        p->progress += n;
        popped(from, n);
    }
    return true;
}

// ---- Setting up ----

// What the run function of a move would be; they go on by their steps.
static void runSteps(svm_Kernel *k)
{
    (void)k;
}

static void initMove(svm_Kernel *k, mm_Proc dma, const char *name, bool (*step)(svm_Kernel *), svmh_Place at)
{
    svmh_Kernel *p = svmh_kernelInit(k, dma, step ? runSteps : moveB2B, name, SVM_PROCESSOR_DMA, at);
    p->step = step;
    p->plain = !step;
}

void svm_moveB2BInitAt(svm_MoveB2B *k, mm_Proc dma, svm_Block *source, svm_Block *destination, const char *file,
                       int line)
{
    svmh_Place at = SVMH_PLACE("svm_moveB2BInit");
    svmh_checkBlock(source, at);
    svmh_checkBlock(destination, at);
    initMove(k ? &k->kernel : NULL, dma, "move", NULL, at);
    k->source = source;
    k->destination = destination;
}

void svm_moveS2SInitAt(svm_MoveS2S *k, mm_Proc dma, svm_Stream *source, svm_Stream *destination, size_t length,
                       const char *file, int line)
{
    svmh_Place at = SVMH_PLACE("svm_moveS2SInit");
    svmh_checkStream(source, at);
    svmh_checkStream(destination, at);
    initMove(k ? &k->kernel : NULL, dma, "move", stepS2S, at);
    k->source = source;
    k->destination = destination;
    k->length = length;
}

void svm_moveB2SInitAt(svm_MoveB2S *k, mm_Proc dma, svm_Block *source, svm_Stream *destination, const char *file,
                       int line)
{
    svmh_Place at = SVMH_PLACE("svm_moveB2SInit");
    svmh_checkBlock(source, at);
    svmh_checkStream(destination, at);
    initMove(k ? &k->kernel : NULL, dma, "move", stepB2S, at);
    k->source = source;
    k->destination = destination;
}

void svm_moveS2BInitAt(svm_MoveS2B *k, mm_Proc dma, svm_Stream *source, svm_Block *destination, const char *file,
                       int line)
{
    svmh_Place at = SVMH_PLACE("svm_moveS2BInit");
    svmh_checkStream(source, at);
    svmh_checkBlock(destination, at);
    initMove(k ? &k->kernel : NULL, dma, "move", stepS2B, at);
    k->source = source;
    k->destination = destination;
}
