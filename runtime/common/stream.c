// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams: circular buffers that kernels and the control thread wait on.
#include "runtime/common/internal.h"

// ---- Checks ----

static SVMR_COLD _Noreturn void failStream(const svm_Stream *s, svmr_Place at)
{
    svmr_fail(svmr_machine(), SVM_ERROR_BAD_ARGUMENT, "", at,
              s ? "the stream was not initialised, or its object was copied" : "the stream is a null pointer");
}

static inline void checkStream(const svm_Stream *s, svmr_Place at)
{
    if (SVMR_UNLIKELY(!s || s->check != svmr_streamCheck(s)))
        failStream(s, at);
}

svm_Stream *svmr_checkStream(svm_Stream *s, svmr_Place at)
{
    checkStream(s, at);
    return s;
}

// Another user of one end than the last: it must reach the memory, and the last one must be done.
static SVMR_COLD void changeUser(svm_Stream *s, svm_StreamUser *user, svmr_Kernel *p, const char *what, svmr_Place at)
{
    svm_Machine *m = s->machine;
    svmr_checkReach(m, p, s->memory, s->name, at);
    const svmr_Kernel *last = user->kernel;
    if (last && last->serial == user->serial && svmr_pending(last))
        svmr_fail(m, SVM_ERROR_STREAM_SHARED, s->name, at,
                  "the kernel '%s' is its %s and still pending, so %s%s%s cannot be", svmr_name(last), what,
                  p ? "'" : "", p ? svmr_name(p) : "the control thread", p ? "'" : "");
    user->kernel = p;
    user->serial = p ? p->serial : 0;
    user->known = true;
}

static inline void checkUser(svm_Stream *s, svm_StreamUser *user, svmr_Kernel *p, const char *what, svmr_Place at)
{
    if (SVMR_UNLIKELY(!user->known || user->kernel != p || (p && user->serial != p->serial)))
        changeUser(s, user, p, what, at);
}

void svmr_produces(svm_Stream *s, svmr_Kernel *p, svmr_Place at)
{
    checkUser(s, &s->producer, p, "producer", at);
}
void svmr_consumes(svm_Stream *s, svmr_Kernel *p, svmr_Place at)
{
    checkUser(s, &s->consumer, p, "consumer", at);
}

// ---- Setting up ----

void svm_streamInitRAMAt(svm_Stream *s, mm_Mem memory, size_t address, size_t capacity, size_t elementSize,
                         const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_streamInitRAM");
    svm_Machine *m = svmr_machine();
    if (!s)
        failStream(s, at);
    if (elementSize == 0 || capacity == 0)
        svmr_fail(m, SVM_ERROR_BAD_ARGUMENT, "", at, elementSize ? "the capacity is 0" : "the element size is 0");
    if (capacity > SIZE_MAX / elementSize)
        svmr_fail(m, SVM_ERROR_ADDRESS_RANGE, "", at, "%zu elements of %zu bytes are more than any memory holds",
                  capacity, elementSize);
    char *data = svmr_locate(m, memory, address, capacity * elementSize, "", at);
    *s = (svm_Stream){.data = data,
                      .capacity = capacity,
                      .elementSize = elementSize,
                      .memory = memory,
                      .address = address,
                      .machine = m};
    s->check = svmr_streamCheck(s);
}

void svm_streamName(svm_Stream *s, const char *name)
{
    s->name = name;
}

void svm_streamFillAt(svm_Stream *s, size_t count, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_streamFill");
    checkStream(s, at);
    if (count > s->capacity || s->written)
        svmr_fail(s->machine, SVM_ERROR_BAD_ARGUMENT, s->name, at,
                  s->written ? "the stream is in use already" : "%zu elements in a stream of %zu", count, s->capacity);
    s->written = count;
    s->back = count == s->capacity ? 0 : count * s->elementSize;
}

size_t svm_streamCount(const svm_Stream *s)
{
    return svmr_count(s);
}

// ---- Waiting ----

// Until there are `wanted` elements, or the stream has ended.
static SVMR_COLD void waitForElements(svm_Stream *s, size_t wanted, svmr_Place at)
{
    svm_Machine *m = s->machine;
    svmr_Kernel *p = m->current;
    if (wanted > s->capacity)
        svmr_fail(m, SVM_ERROR_BAD_ARGUMENT, s->name, at, "offset %zu is beyond the stream's capacity of %zu elements",
                  wanted - 1, s->capacity);
    while (svmr_count(s) < wanted && !s->ended) {
        if (p)
            svmr_block(p, s, SVMR_WANT_ELEMENTS, wanted, at);
        else if (!svmr_advance(m))
            svmr_deadlock(m, svmr_streamText(s), " to have elements", at);
    }
}

static SVMR_COLD void waitForRoom(svm_Stream *s, svmr_Place at)
{
    svm_Machine *m = s->machine;
    svmr_Kernel *p = m->current;
    while (svmr_room(s) == 0) {
        if (p)
            svmr_block(p, s, SVMR_WANT_ROOM, 1, at);
        else if (!svmr_advance(m))
            svmr_deadlock(m, svmr_streamText(s), " to have room", at);
    }
}

static SVMR_COLD _Noreturn void failEnd(const svm_Stream *s, size_t offset, svmr_Place at)
{
    svmr_fail(s->machine, SVM_ERROR_STREAM_END, s->name, at,
              "the stream has ended, and element %zu of the %zu left is wanted", offset, svmr_count(s));
}

static SVMR_COLD _Noreturn void failPushed(const svm_Stream *s, svmr_Place at)
{
    svmr_fail(s->machine, SVM_ERROR_STREAM_END, s->name, at, "its producer has ended the stream");
}

// ---- Elements ----

static inline void copyElement(void *to, const void *from, size_t size)
{
    if (size == 4)
        memcpy(to, from, 4);
    else if (size == 8)
        memcpy(to, from, 8);
    else
        memcpy(to, from, size);
}

void svm_streamPushAt(svm_Stream *s, const void *element, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_streamPush");
    checkStream(s, at);
    checkUser(s, &s->producer, s->machine->current, "producer", at);
    if (SVMR_UNLIKELY(s->ended))
        failPushed(s, at);
    if (SVMR_UNLIKELY(svmr_room(s) == 0))
        waitForRoom(s, at);
    size_t size = s->elementSize;
    copyElement(s->data + s->back, element, size);
    s->back = s->back + size == s->capacity * size ? 0 : s->back + size;
    s->written++;
    if (s->waiting)
        svmr_wake(s);
}

void svm_streamPopAt(svm_Stream *s, void *element, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_streamPop");
    checkStream(s, at);
    checkUser(s, &s->consumer, s->machine->current, "consumer", at);
    if (SVMR_UNLIKELY(svmr_count(s) == 0)) {
        waitForElements(s, 1, at);
        if (svmr_count(s) == 0)
            failEnd(s, 0, at);
    }
    size_t size = s->elementSize;
    if (element)
        copyElement(element, s->data + s->front, size);
    s->front = s->front + size == s->capacity * size ? 0 : s->front + size;
    s->read++;
    if (s->waiting)
        svmr_wake(s);
}

void svm_streamPeekAt(svm_Stream *s, size_t offset, void *element, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_streamPeek");
    checkStream(s, at);
    checkUser(s, &s->consumer, s->machine->current, "consumer", at);
    if (SVMR_UNLIKELY(svmr_count(s) <= offset)) {
        waitForElements(s, offset + 1, at);
        if (svmr_count(s) <= offset)
            failEnd(s, offset, at);
    }
    size_t bytes = s->capacity * s->elementSize, place = s->front + offset * s->elementSize;
    copyElement(element, s->data + (place >= bytes ? place - bytes : place), s->elementSize);
}

bool svm_streamEndedAt(svm_Stream *s, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_streamEnded");
    checkStream(s, at);
    checkUser(s, &s->consumer, s->machine->current, "consumer", at);
    if (svmr_count(s) == 0)
        waitForElements(s, 1, at);
    return svmr_count(s) == 0;
}

void svm_streamEndAt(svm_Stream *s, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_streamEnd");
    checkStream(s, at);
    checkUser(s, &s->producer, s->machine->current, "producer", at);
    s->ended = true;
    if (s->waiting)
        svmr_wake(s);
}

// ---- Pieces, for transfers ----

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t svmr_frontPiece(const svm_Stream *s, size_t count)
{
    return least(least(count, svmr_count(s)), s->capacity - s->front / s->elementSize);
}

size_t svmr_backPiece(const svm_Stream *s, size_t count)
{
    return least(least(count, svmr_room(s)), s->capacity - s->back / s->elementSize);
}

void svmr_popped(svm_Stream *s, size_t count)
{
    s->front += count * s->elementSize;
    if (s->front == s->capacity * s->elementSize)
        s->front = 0;
    s->read += count;
    if (s->waiting)
        svmr_wake(s);
}

void svmr_pushed(svm_Stream *s, size_t count)
{
    s->back += count * s->elementSize;
    if (s->back == s->capacity * s->elementSize)
        s->back = 0;
    s->written += count;
    if (s->waiting)
        svmr_wake(s);
}
