// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two-phase access to streams, as in the ASM's acolib: windows of elements that lie together in the stream's memory are
// acquired, worked on in place, and sent or discarded in order.
#include "runtime/common/adversary.h"
#include "runtime/common/stream.h"

// A window of so many elements, `acquired` after the end's place in data, fits: where it begins, in bytes.
static size_t place(const svm_Stream *s, size_t end, size_t acquired, size_t count, bool last, svmr_Place at)
{
    if (count == 0)
        svmr_fail(s->machine, SVM_ERROR_WINDOW, s->name, at, "a window of 0 elements");
    if (acquired + count > s->capacity || count > s->capacity)
        svmr_fail(s->machine, SVM_ERROR_WINDOW, s->name, at,
                  "%zu elements, with %zu acquired already, are more than its capacity of %zu", count, acquired,
                  s->capacity);
    size_t first = (end / s->elementSize + acquired) % s->capacity;
    if ((s->capacity % count && !last) || count > s->capacity - first)
        svmr_fail(s->machine, SVM_ERROR_WINDOW, s->name, at,
                  "a window of %zu elements wraps around the end of its memory of %zu: the capacity must be a multiple "
                  "of the counts in use",
                  count, s->capacity);
    return first * s->elementSize;
}

static SVMR_COLD _Noreturn void failReleased(const svm_Stream *s, size_t count, size_t acquired, svmr_Place at)
{
    svmr_fail(s->machine, SVM_ERROR_WINDOW, s->name, at, "%zu elements, and %zu are acquired", count, acquired);
}

void *svm_streamPushAcquireAt(svm_Stream *s, size_t count, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_streamPushAcquire");
    svmr_check(s, at);
    svmr_Kernel *p = svmr_thread.current;
    svmr_checkUser(s, &s->producer, p, "producer", at);
    if (SVMR_UNLIKELY(s->ended))
        svmr_failPushed(s, at);
    size_t first = place(s, s->back, s->pushAcquired, count, false, at);
    svmr_onStream(p, s, SVMR_CALL_PUSH_ACQUIRE, count);
    size_t wanted = s->pushAcquired + count;
    if (s->written - s->seenRead + wanted > s->capacity)
        svmr_awaitRoom(s, wanted, at);
    s->pushAcquired = wanted;
    if (SVMR_UNLIKELY(s->machine->adversary != NULL))
        svmr_poison(s->machine->adversary, s->data + first, count * s->elementSize);
    return s->data + first;
}

void svm_streamPushSendAt(svm_Stream *s, size_t count, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_streamPushSend");
    svmr_check(s, at);
    svmr_Kernel *p = svmr_thread.current;
    svmr_checkUser(s, &s->producer, p, "producer", at);
    if (SVMR_UNLIKELY(count > s->pushAcquired))
        failReleased(s, count, s->pushAcquired, at);
    svmr_onStream(p, s, SVMR_CALL_PUSH_SEND, count);
    s->pushAcquired -= count;
    size_t bytes = s->capacity * s->elementSize, back = s->back + count * s->elementSize;
    s->back = back >= bytes ? back - bytes : back;
    svmr_publish(s, s->written + count);
    svmr_afterUse(svmr_current(s->machine));
}

const void *svm_streamPopAcquireAt(svm_Stream *s, size_t count, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_streamPopAcquire");
    svmr_check(s, at);
    svmr_Kernel *p = svmr_thread.current;
    svmr_checkUser(s, &s->consumer, p, "consumer", at);
    // What is left at the end of a stream may be fewer than any count that divides the capacity.
    bool last = svmr_ended(s) && svmr_count(s) - s->popAcquired <= count;
    size_t first = place(s, s->front, s->popAcquired, count, last, at);
    svmr_onStream(p, s, SVMR_CALL_POP_ACQUIRE, count);
    size_t wanted = s->popAcquired + count;
    if (s->seenWritten - s->read < wanted && svmr_awaitElements(s, wanted, at) < wanted)
        svmr_failEnd(s, wanted - 1, at);
    s->popAcquired = wanted;
    return s->data + first;
}

// What is discarded is no consumer's any more, and not yet its producer's.
static SVMR_COLD void poisonFront(const svm_Stream *s, size_t bytes)
{
    size_t end = s->capacity * s->elementSize - s->front, first = bytes < end ? bytes : end;
    svmr_poison(s->machine->adversary, s->data + s->front, first);
    svmr_poison(s->machine->adversary, s->data, bytes - first);
}

void svm_streamPopDiscardAt(svm_Stream *s, size_t count, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_streamPopDiscard");
    svmr_check(s, at);
    svmr_Kernel *p = svmr_thread.current;
    svmr_checkUser(s, &s->consumer, p, "consumer", at);
    if (SVMR_UNLIKELY(count > s->popAcquired))
        failReleased(s, count, s->popAcquired, at);
    svmr_onStream(p, s, SVMR_CALL_POP_DISCARD, count);
    s->popAcquired -= count;
    size_t bytes = s->capacity * s->elementSize, front = s->front + count * s->elementSize;
    if (SVMR_UNLIKELY(s->machine->adversary != NULL))
        poisonFront(s, count * s->elementSize);
    s->front = front >= bytes ? front - bytes : front;
    svmr_release(s, s->read + count);
    svmr_afterUse(svmr_current(s->machine));
}

size_t svm_streamWaitCountAt(svm_Stream *s, size_t count, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_streamWaitCount");
    svmr_check(s, at);
    svmr_checkUser(s, &s->consumer, svmr_thread.current, "consumer", at);
    size_t wanted = s->popAcquired + count;
    if (count > s->capacity || wanted > s->capacity)
        svmr_fail(s->machine, SVM_ERROR_WINDOW, s->name, at,
                  "%zu elements, with %zu acquired already, are more than its capacity of %zu", count, s->popAcquired,
                  s->capacity);
    size_t there = s->seenWritten - s->read;
    if (there < wanted)
        there = svmr_awaitElements(s, wanted, at);
    return there - s->popAcquired;
}
