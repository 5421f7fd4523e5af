// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams: circular buffers that kernels and control threads wait on. Each end writes its own count of elements and
// reads the other's; who waits for the other end stands in a slot, which the other end looks at after it wrote its
// count. When several threads share the machine both are sequentially consistent, so one of them sees the other.
#include "runtime/common/stream.h"

// ---- Checks ----

SVMR_COLD _Noreturn void svmr_failStream(const svm_Stream *s, svmr_Place at)
{
    svmr_fail(svmr_machine(), SVM_ERROR_BAD_ARGUMENT, "", at,
              s ? "the stream was not initialised, or its object was copied" : "the stream is a null pointer");
}

svm_Stream *svmr_checkStream(svm_Stream *s, svmr_Place at)
{
    svmr_check(s, at);
    return s;
}

// Another user of one end than the last: it must reach the memory, and the last one must be done. Or the kernel has an
// interrupt.
void svmr_changeUser(svm_Stream *s, svm_StreamUser *user, const char *what, svmr_Place at)
{
    svm_Machine *m = s->machine;
    svmr_Kernel *p = svmr_current(m);
    if (p && __atomic_load_n(&p->serial, __ATOMIC_RELAXED) & SVMR_INTERRUPTED)
        svmr_obey(p);
    uint64_t serial = p ? __atomic_load_n(&p->serial, __ATOMIC_RELAXED) & ~SVMR_INTERRUPTED : 0;
    if (user->kernel == p && user->serial == serial)
        return;
    if (p)
        p->lateStream = NULL; // the stream may be a new one
    svmr_checkStreamHere(s, p, at);
    svmr_checkReach(m, p, s->memory, s->name, at);
    svmr_lock(m);
    const svmr_Kernel *last = user->kernel;
    if (last && last != p && (last->serial & ~SVMR_INTERRUPTED) == user->serial && svmr_pending(last))
        svmr_fail(m, SVM_ERROR_STREAM_SHARED, s->name, at,
                  "the kernel '%s' is its %s and still pending, so %s%s%s cannot be", svmr_name(last), what,
                  p ? "'" : "", p ? svmr_name(p) : "the control thread", p ? "'" : "");
    *user = (svm_StreamUser){.kernel = p, .serial = serial};
    svmr_unlock(m);
}

void svmr_produces(svm_Stream *s, svmr_Kernel *p, svmr_Place at)
{
    svmr_checkUser(s, &s->producer, p, "producer", at);
}
void svmr_consumes(svm_Stream *s, svmr_Kernel *p, svmr_Place at)
{
    svmr_checkUser(s, &s->consumer, p, "consumer", at);
}

// ---- Setting up ----

static void init(svm_Stream *s, mm_Mem memory, size_t address, size_t capacity, size_t elementSize, svmr_Place at)
{
    svm_Machine *m = svmr_machine();
    if (!s)
        svmr_failStream(s, at);
    if (elementSize == 0 || capacity == 0)
        svmr_fail(m, SVM_ERROR_BAD_ARGUMENT, "", at, elementSize ? "the capacity is 0" : "the element size is 0");
    if (capacity > SIZE_MAX / elementSize)
        svmr_fail(m, SVM_ERROR_ADDRESS_RANGE, "", at, "%zu elements of %zu bytes are more than any memory holds",
                  capacity, elementSize);
    char *data = svmr_locate(m, memory, address, capacity * elementSize, "", at);
    svmr_checkAlignment(m, memory, address, "", at);
    *s = (svm_Stream){.data = data,
                      .capacity = capacity,
                      .elementSize = elementSize,
                      .memory = memory,
                      .address = address,
                      .machine = m,
                      .producer = {.serial = UINT64_MAX},
                      .consumer = {.serial = UINT64_MAX}};
    svmr_placeStream(m, s, capacity * elementSize, at);
    s->check = svmr_streamCheck(s);
}

static void initRAM(svm_Stream *s, mm_Mem memory, size_t address, size_t capacity, size_t elementSize, svmr_Place at)
{
    svm_Machine *m = svmr_machine();
    if (svmr_memoryState(m, memory, at)->row->fifo)
        svmr_fail(m, SVM_ERROR_BAD_MEMORY, "", at, "the memory '%s' is a hardware queue: svm_streamInitFIFO is for it",
                  memory->name);
    init(s, memory, address, capacity, elementSize, at);
}

void svm_streamInitRAMAt(svm_Stream *s, mm_Mem memory, size_t address, size_t capacity, size_t elementSize,
                         const char *file, int line)
{
    initRAM(s, memory, address, capacity, elementSize, SVMR_PLACE("svm_streamInitRAM"));
}

void svm_streamInitAt(svm_Stream *s, mm_Mem memory, size_t address, size_t capacity, size_t elementSize,
                      const char *file, int line)
{
    initRAM(s, memory, address, capacity, elementSize, SVMR_PLACE("svm_streamInit"));
}

void svm_streamInitFIFOAt(svm_Stream *s, mm_Mem fifo, size_t capacity, size_t elementSize, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_streamInitFIFO");
    svm_Machine *m = svmr_machine();
    if (!svmr_memoryState(m, fifo, at)->row->fifo)
        svmr_fail(m, SVM_ERROR_BAD_MEMORY, "", at, "the memory '%s' is no hardware queue: svm_streamInitRAM is for it",
                  fifo->name);
    init(s, fifo, 0, capacity, elementSize, at);
}

void svm_streamDestroyAt(svm_Stream *s, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_streamDestroy");
    svmr_check(s, at);
    svmr_checkControl(s->machine, s->name, at);
    const svmr_Kernel *waits = __atomic_load_n(&s->consumerWaits, __ATOMIC_RELAXED);
    if (!waits)
        waits = __atomic_load_n(&s->producerWaits, __ATOMIC_RELAXED);
    if (waits)
        svmr_fail(s->machine, SVM_ERROR_IN_USE, s->name, at, "%s%s%s waits for it",
                  waits == SVMR_CONTROL_WAITS ? "" : "the kernel '",
                  waits == SVMR_CONTROL_WAITS ? "a control thread" : svmr_name(waits),
                  waits == SVMR_CONTROL_WAITS ? "" : "'");
    svmr_dropStream(s->machine, s);
    s->check = 0;
}

void svm_streamName(svm_Stream *s, const char *name)
{
    s->name = name;
    if (s->check == svmr_streamCheck(s))
        svmr_nameStream(s->machine, s);
}

void svm_streamFillAt(svm_Stream *s, size_t count, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_streamFill");
    svmr_check(s, at);
    svmr_checkStreamHere(s, NULL, at);
    if (count > s->capacity || s->written)
        svmr_fail(s->machine, SVM_ERROR_BAD_ARGUMENT, s->name, at,
                  s->written ? "the stream is in use already" : "%zu elements in a stream of %zu", count, s->capacity);
    s->written = s->seenWritten = count;
    s->back = count == s->capacity ? 0 : count * s->elementSize;
}

// From anywhere: the two ends may move between looking at one and at the other.
size_t svm_streamCount(const svm_Stream *s)
{
    svmr_onStream(svmr_thread.current, (svm_Stream *)(uintptr_t)s, SVMR_CALL_COUNT, 0);
    size_t read = __atomic_load_n(&s->read, __ATOMIC_ACQUIRE);
    size_t count = __atomic_load_n(&s->written, __ATOMIC_ACQUIRE) - read;
    if (s->check == svmr_streamCheck(s) && !svmr_current(s->machine))
        svmr_poll(s->machine);
    return count < s->capacity ? count : s->capacity;
}

// ---- Waiting ----

static inline void wait(svm_Stream *s, svmr_Kernel *p, svmr_Want want, size_t wanted, svmr_Place at)
{
    while (!svmr_satisfied(s, want, wanted)) {
        if (p)
            svmr_block(p, s, want, wanted, at);
        else
            svmr_waitForStream(s, want, wanted, at);
        if (p && __atomic_load_n(&p->serial, __ATOMIC_RELAXED) & SVMR_INTERRUPTED)
            svmr_obey(p);
    }
}

size_t svmr_awaitElements(svm_Stream *s, size_t wanted, svmr_Place at)
{
    svmr_Kernel *p = svmr_current(s->machine);
    if (wanted > s->capacity)
        svmr_fail(s->machine, SVM_ERROR_BAD_ARGUMENT, s->name, at,
                  "offset %zu is beyond the stream's capacity of %zu elements", wanted - 1, s->capacity);
    wait(s, p, SVMR_WANT_ELEMENTS, wanted, at);
    // What was pushed before the end was seen counts too.
    s->seenWritten = __atomic_load_n(&s->written, __ATOMIC_ACQUIRE);
    return s->seenWritten - s->read;
}

void svmr_awaitRoom(svm_Stream *s, size_t wanted, svmr_Place at)
{
    svmr_Kernel *p = svmr_current(s->machine);
    wait(s, p, SVMR_WANT_ROOM, wanted, at);
    s->seenRead = __atomic_load_n(&s->read, __ATOMIC_ACQUIRE);
}

SVMR_COLD _Noreturn void svmr_failEnd(const svm_Stream *s, size_t offset, svmr_Place at)
{
    svmr_fail(s->machine, SVM_ERROR_STREAM_END, s->name, at,
              "the stream has ended, and element %zu of the %zu left is wanted", offset, svmr_count(s));
}

SVMR_COLD _Noreturn void svmr_failPushed(const svm_Stream *s, svmr_Place at)
{
    svmr_fail(s->machine, SVM_ERROR_STREAM_END, s->name, at, "its producer has ended the stream");
}

static SVMR_COLD _Noreturn void failMixed(const svm_Stream *s, size_t acquired, const char *what, svmr_Place at)
{
    svmr_fail(s->machine, SVM_ERROR_WINDOW, s->name, at, "%zu acquired elements are not %s yet", acquired, what);
}

// ---- Elements ----
//
// Each has a short way for when there is nothing to wait for and nothing to tell, and a long one that does it all. The
// short one calls nothing but at its end, and so saves no registers.

// The elements that programs mostly have.
static inline bool isWord(size_t size)
{
    return size == 4 || size == 8;
}

static inline void copyElement(void *to, const void *from, size_t size)
{
    if (size == 4)
        memcpy(to, from, 4);
    else if (size == 8)
        memcpy(to, from, 8);
    else
        memcpy(to, from, size);
}

static inline size_t beyond(const svm_Stream *s, size_t place, size_t size)
{
    return place + size == s->capacity * size ? 0 : place + size;
}

static inline bool isUser(const svm_StreamUser *user)
{
    const svmr_Kernel *p = svmr_thread.current;
    return user->kernel == p && user->serial == (p ? __atomic_load_n(&p->serial, __ATOMIC_RELAXED) : 0);
}

// Nothing is out of the ordinary with a stream and who uses this end of it, and nobody counts.
static inline bool isOrdinary(const svm_Stream *s, const svm_StreamUser *user)
{
    return !SVMR_STACKS_FOR_ALL && !SVMR_PROFILING && s && s->check == svmr_streamCheck(s) && isUser(user);
}

static __attribute__((noinline)) void push(svm_Stream *s, const void *element, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_streamPush");
    svmr_check(s, at);
    svmr_Kernel *p = svmr_thread.current;
    svmr_checkUser(s, &s->producer, p, "producer", at);
    if (s->ended)
        svmr_failPushed(s, at);
    if (s->pushAcquired)
        failMixed(s, s->pushAcquired, "sent", at);
    svmr_onStream(p, s, SVMR_CALL_PUSH, 1);
    if (s->written - s->seenRead >= s->capacity)
        svmr_awaitRoom(s, 1, at);
    copyElement(s->data + s->back, element, s->elementSize);
    svmr_onStream(p, s, SVMR_CALL_PUSHED, 1);
    s->back = beyond(s, s->back, s->elementSize);
    svmr_publish(s, s->written + 1);
    svmr_afterUse(svmr_current(s->machine));
}

void svm_streamPushAt(svm_Stream *s, const void *element, const char *file, int line)
{
    if (SVMR_UNLIKELY(!isOrdinary(s, &s->producer) || (s->ended | s->pushAcquired) != 0 ||
                      s->written - s->seenRead >= s->capacity || !isWord(s->elementSize))) {
        push(s, element, file, line);
        return;
    }
    copyElement(s->data + s->back, element, s->elementSize);
    s->back = beyond(s, s->back, s->elementSize);
    svmr_publish(s, s->written + 1);
}

static __attribute__((noinline)) void pop(svm_Stream *s, void *element, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_streamPop");
    svmr_check(s, at);
    svmr_Kernel *p = svmr_thread.current;
    svmr_checkUser(s, &s->consumer, p, "consumer", at);
    if (s->popAcquired)
        failMixed(s, s->popAcquired, "discarded", at);
    svmr_onStream(p, s, SVMR_CALL_POP, 1);
    if (s->seenWritten == s->read && svmr_awaitElements(s, 1, at) == 0)
        svmr_failEnd(s, 0, at);
    if (element)
        copyElement(element, s->data + s->front, s->elementSize);
    svmr_onStream(p, s, SVMR_CALL_POPPED, 1);
    s->front = beyond(s, s->front, s->elementSize);
    svmr_release(s, s->read + 1);
    svmr_afterUse(svmr_current(s->machine));
}

void svm_streamPopAt(svm_Stream *s, void *element, const char *file, int line)
{
    if (SVMR_UNLIKELY(!isOrdinary(s, &s->consumer) || s->popAcquired || s->seenWritten == s->read || !element ||
                      !isWord(s->elementSize))) {
        pop(s, element, file, line);
        return;
    }
    copyElement(element, s->data + s->front, s->elementSize);
    s->front = beyond(s, s->front, s->elementSize);
    svmr_release(s, s->read + 1);
}

static inline const char *peeked(const svm_Stream *s, size_t offset)
{
    size_t bytes = s->capacity * s->elementSize, place = s->front + offset * s->elementSize;
    return s->data + (place >= bytes ? place - bytes : place);
}

static __attribute__((noinline)) void peek(svm_Stream *s, size_t offset, void *element, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_streamPeek");
    svmr_check(s, at);
    svmr_Kernel *p = svmr_thread.current;
    svmr_checkUser(s, &s->consumer, p, "consumer", at);
    svmr_onStream(p, s, SVMR_CALL_PEEK, offset + 1);
    if (s->seenWritten - s->read <= offset && svmr_awaitElements(s, offset + 1, at) <= offset)
        svmr_failEnd(s, offset, at);
    copyElement(element, peeked(s, offset), s->elementSize);
}

void svm_streamPeekAt(svm_Stream *s, size_t offset, void *element, const char *file, int line)
{
    if (SVMR_UNLIKELY(!isOrdinary(s, &s->consumer) || s->seenWritten - s->read <= offset || !isWord(s->elementSize)))
        peek(s, offset, element, file, line);
    else
        copyElement(element, peeked(s, offset), s->elementSize);
}

static __attribute__((noinline)) bool ended(svm_Stream *s, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_streamEnded");
    svmr_check(s, at);
    svmr_checkUser(s, &s->consumer, svmr_thread.current, "consumer", at);
    svmr_onStream(svmr_thread.current, s, SVMR_CALL_POP, 1);
    return s->seenWritten == s->read && svmr_awaitElements(s, 1, at) == 0;
}

bool svm_streamEndedAt(svm_Stream *s, const char *file, int line)
{
    if (SVMR_UNLIKELY(!isOrdinary(s, &s->consumer) || s->seenWritten == s->read))
        return ended(s, file, line);
    return false;
}

void svm_streamEndAt(svm_Stream *s, const char *file, int line)
{
    svmr_Place at = SVMR_PLACE("svm_streamEnd");
    svmr_check(s, at);
    svmr_Kernel *p = svmr_thread.current;
    svmr_checkUser(s, &s->producer, p, "producer", at);
    if (s->pushAcquired)
        failMixed(s, s->pushAcquired, "sent", at);
    svmr_onStream(p, s, SVMR_CALL_END, 1);
    __atomic_store_n(&s->ended, true, s->machine->shared ? __ATOMIC_SEQ_CST : __ATOMIC_RELEASE);
    if (__atomic_load_n(&s->consumerWaits, __ATOMIC_SEQ_CST))
        svmr_wakeConsumer(s);
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
    if (s->seenWritten - s->read < count) // looked at without svmr_awaitElements
        s->seenWritten = s->read + count;
    svmr_release(s, s->read + count);
}

void svmr_pushed(svm_Stream *s, size_t count)
{
    s->back += count * s->elementSize;
    if (s->back == s->capacity * s->elementSize)
        s->back = 0;
    svmr_publish(s, s->written + count);
}
