// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams: circular buffers that kernels and the control thread wait on.
#include "internal.h"

// ---- Checks ----

static SVMH_COLD _Noreturn void failStream(const svm_Stream *s, svmh_Place at)
{
    svmh_fail(svmh_machine(), SVM_ERROR_BAD_ARGUMENT, "", at,
              s ? "the stream was not initialised, or its object was copied" : "the stream is a null pointer");
}

static inline void checkStream(const svm_Stream *s, svmh_Place at)
{
    if (SVMH_UNLIKELY(!s || s->check != svmh_streamCheck(s)))
        failStream(s, at);
}

svm_Stream *svmh_checkStream(svm_Stream *s, svmh_Place at)
{
    checkStream(s, at);
    return s;
}

// Another user of one end than the last: it must reach the memory, and the last one must be done.
static SVMH_COLD void changeUser(svm_Stream *s, svm_StreamUser *user, svmh_Kernel *p, const char *what, svmh_Place at)
{
    svm_Machine *m = s->machine;
    svmh_checkReach(m, p, s->memory, s->name, at);
    const svmh_Kernel *last = user->kernel;
    if (last && last->serial == user->serial && svmh_pending(last))
        svmh_fail(m, SVM_ERROR_STREAM_SHARED, s->name, at,
                  "the kernel '%s' is its %s and still pending, so %s%s%s cannot be", svmh_name(last), what,
                  p ? "'" : "", p ? svmh_name(p) : "the control thread", p ? "'" : "");
    user->kernel = p;
    user->serial = p ? p->serial : 0;
    user->known = true;
}

static inline void checkUser(svm_Stream *s, svm_StreamUser *user, svmh_Kernel *p, const char *what, svmh_Place at)
{
    if (SVMH_UNLIKELY(!user->known || user->kernel != p || (p && user->serial != p->serial)))
        changeUser(s, user, p, what, at);
}

void svmh_produces(svm_Stream *s, svmh_Kernel *p, svmh_Place at)
{
    checkUser(s, &s->producer, p, "producer", at);
}
void svmh_consumes(svm_Stream *s, svmh_Kernel *p, svmh_Place at)
{
    checkUser(s, &s->consumer, p, "consumer", at);
}

// ---- Setting up ----

void svm_streamInitRAMAt(svm_Stream *s, mm_Mem memory, size_t address, size_t capacity, size_t elementSize,
                         const char *file, int line)
{
    svmh_Place at = SVMH_PLACE("svm_streamInitRAM");
    svm_Machine *m = svmh_machine();
    if (!s)
        failStream(s, at);
    if (elementSize == 0 || capacity == 0)
        svmh_fail(m, SVM_ERROR_BAD_ARGUMENT, "", at, elementSize ? "the capacity is 0" : "the element size is 0");
    if (capacity > SIZE_MAX / elementSize)
        svmh_fail(m, SVM_ERROR_ADDRESS_RANGE, "", at, "%zu elements of %zu bytes are more than any memory holds",
                  capacity, elementSize);
    char *data = svmh_locate(m, memory, address, capacity * elementSize, "", at);
    *s = (svm_Stream){.data = data,
                      .capacity = capacity,
                      .elementSize = elementSize,
                      .memory = memory,
                      .address = address,
                      .machine = m};
    s->check = svmh_streamCheck(s);
}

void svm_streamName(svm_Stream *s, const char *name)
{
    s->name = name;
}

void svm_streamFillAt(svm_Stream *s, size_t count, const char *file, int line)
{
    svmh_Place at = SVMH_PLACE("svm_streamFill");
    checkStream(s, at);
    if (count > s->capacity || s->written)
        svmh_fail(s->machine, SVM_ERROR_BAD_ARGUMENT, s->name, at,
                  s->written ? "the stream is in use already" : "%zu elements in a stream of %zu", count, s->capacity);
    s->written = count;
    s->back = count == s->capacity ? 0 : count * s->elementSize;
}

size_t svm_streamCount(const svm_Stream *s)
{
    return svmh_count(s);
}

// ---- Waiting ----

// Until there are `wanted` elements, or the stream has ended.
static SVMH_COLD void waitForElements(svm_Stream *s, size_t wanted, svmh_Place at)
{
    svm_Machine *m = s->machine;
    svmh_Kernel *p = m->current;
    if (wanted > s->capacity)
        svmh_fail(m, SVM_ERROR_BAD_ARGUMENT, s->name, at, "offset %zu is beyond the stream's capacity of %zu elements",
                  wanted - 1, s->capacity);
    while (svmh_count(s) < wanted && !s->ended) {
        if (p)
            svmh_block(p, s, SVMH_WANT_ELEMENTS, wanted, at);
        else if (!svmh_advance(m))
            svmh_deadlock(m, svmh_streamText(s), " to have elements", at);
    }
}

static SVMH_COLD void waitForRoom(svm_Stream *s, svmh_Place at)
{
    svm_Machine *m = s->machine;
    svmh_Kernel *p = m->current;
    while (svmh_room(s) == 0) {
        if (p)
            svmh_block(p, s, SVMH_WANT_ROOM, 1, at);
        else if (!svmh_advance(m))
            svmh_deadlock(m, svmh_streamText(s), " to have room", at);
    }
}

static SVMH_COLD _Noreturn void failEnd(const svm_Stream *s, size_t offset, svmh_Place at)
{
    svmh_fail(s->machine, SVM_ERROR_STREAM_END, s->name, at,
              "the stream has ended, and element %zu of the %zu left is wanted", offset, svmh_count(s));
}

static SVMH_COLD _Noreturn void failPushed(const svm_Stream *s, svmh_Place at)
{
    svmh_fail(s->machine, SVM_ERROR_STREAM_END, s->name, at, "its producer has ended the stream");
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
    svmh_Place at = SVMH_PLACE("svm_streamPush");
    checkStream(s, at);
    checkUser(s, &s->producer, s->machine->current, "producer", at);
    if (SVMH_UNLIKELY(s->ended))
        failPushed(s, at);
    if (SVMH_UNLIKELY(svmh_room(s) == 0))
        waitForRoom(s, at);
    size_t size = s->elementSize;
    copyElement(s->data + s->back, element, size);
    s->back = s->back + size == s->capacity * size ? 0 : s->back + size;
    s->written++;
    if (s->waiting)
        svmh_wake(s);
}

void svm_streamPopAt(svm_Stream *s, void *element, const char *file, int line)
{
    svmh_Place at = SVMH_PLACE("svm_streamPop");
    checkStream(s, at);
    checkUser(s, &s->consumer, s->machine->current, "consumer", at);
    if (SVMH_UNLIKELY(svmh_count(s) == 0)) {
        waitForElements(s, 1, at);
        if (svmh_count(s) == 0)
            failEnd(s, 0, at);
    }
    size_t size = s->elementSize;
    if (element)
        copyElement(element, s->data + s->front, size);
    s->front = s->front + size == s->capacity * size ? 0 : s->front + size;
    s->read++;
    if (s->waiting)
        svmh_wake(s);
}

void svm_streamPeekAt(svm_Stream *s, size_t offset, void *element, const char *file, int line)
{
    svmh_Place at = SVMH_PLACE("svm_streamPeek");
    checkStream(s, at);
    checkUser(s, &s->consumer, s->machine->current, "consumer", at);
    if (SVMH_UNLIKELY(svmh_count(s) <= offset)) {
        waitForElements(s, offset + 1, at);
        if (svmh_count(s) <= offset)
            failEnd(s, offset, at);
    }
    size_t bytes = s->capacity * s->elementSize, place = s->front + offset * s->elementSize;
    copyElement(element, s->data + (place >= bytes ? place - bytes : place), s->elementSize);
}

bool svm_streamEndedAt(svm_Stream *s, const char *file, int line)
{
    svmh_Place at = SVMH_PLACE("svm_streamEnded");
    checkStream(s, at);
    checkUser(s, &s->consumer, s->machine->current, "consumer", at);
    if (svmh_count(s) == 0)
        waitForElements(s, 1, at);
    return svmh_count(s) == 0;
}

void svm_streamEndAt(svm_Stream *s, const char *file, int line)
{
    svmh_Place at = SVMH_PLACE("svm_streamEnd");
    checkStream(s, at);
    checkUser(s, &s->producer, s->machine->current, "producer", at);
    s->ended = true;
    if (s->waiting)
        svmh_wake(s);
}
