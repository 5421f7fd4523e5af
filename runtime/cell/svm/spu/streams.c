// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams in an SPE's local store: transfers of as many elements as there are or as there is room for, and what kernels
// call. A kernel that waits has no stack of its own: it calls the resident loop, which goes on with transfers until there is
// what the kernel waits for, and begins no other kernel.
#define SVM_NO_PLACES
#include <spu_mfcio.h>
#include <string.h>

#include "streams.h"
#include "svm/svm.h"
#include "svm_resident.h"

enum { MOST_BYTES = 16384, TAG = 31 };

// What is sent to others: the first line of their svm_CellStream; in its last word the bit of this SPE in a signal register.
typedef struct News {
    uint32_t written, back, unused, bit;
} News;

_Static_assert(sizeof(svm_CellStream) == 80, "svm-llc makes room for them");

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

// ---- Transfers ----

static void wait_for_tag(void)
{
    mfc_write_tag_mask(1u << TAG);
    mfc_read_tag_status_all();
}

static void pushed(svm_CellStream *s, uint32_t count)
{
    s->back = s->back + count >= s->capacity ? s->back + count - s->capacity : s->back + count;
    s->written += count;
}

// Those that look how much room there is are told. The channel's count is asked for so that `read` is in the local store
// before `watchers` is looked at: one that is added then finds it there.
static void popped(svm_CellStream *s, uint32_t count)
{
    static News signal __attribute__((aligned(16)));
    s->front = s->front + count >= s->capacity ? s->front + count - s->capacity : s->front + count;
    s->read += count;
    (void)spu_stat_signal1();
    const uint32_t mask = s->watchers;
    signal.bit = 1u << svm_cellSelf();
    for (uint32_t spe = 0; mask >> spe; spe++)
        if (mask >> spe & 1)
            mfc_sndsig(&signal.bit, svm_cellSignalOf(spe), TAG, 0, 0);
    if (mask != 0)
        wait_for_tag();
}

static void transfer(bool get, uint32_t ls, uint64_t ea, uint32_t bytes, uint32_t tag)
{
    for (uint32_t at = 0; at < bytes; at += MOST_BYTES) {
        if (get)
            mfc_get((void *)(ls + at), ea + at, least(bytes - at, MOST_BYTES), tag, 0, 0);
        else
            mfc_put((void *)(ls + at), ea + at, least(bytes - at, MOST_BYTES), tag, 0, 0);
    }
}

// Elements that transfers may move: whole quadwords.
static uint32_t whole(const svm_CellStream *s, uint32_t count)
{
    return count - count % s->group;
}

// To the other SPE's stream: the elements, then how many there are, then a signal, in that order.
static uint32_t pass(const svm_CellCommand *c, const svm_CellStream *s, uint32_t count, uint32_t tag)
{
    static svm_CellStream far __attribute__((aligned(16)));
    static News news[SVM_CELL_WINDOW] __attribute__((aligned(16)));
    const svm_CellPass *to = (const svm_CellPass *)((const char *)c + svm_cellHead(c));
    mfc_get(&far, c->ea + to->stream, sizeof far, TAG, 0, 0);
    wait_for_tag();
    const uint32_t room = least(far.capacity - (far.written - far.read), far.capacity - far.back);
    count = whole(s, least(count, room));
    if (count == 0)
        return 0;
    transfer(false, s->data + s->front * s->elementSize, c->ea + far.data + far.back * s->elementSize,
             count * s->elementSize, tag);
    news[tag] = (News){.written = far.written + count,
                       .back = far.back + count == far.capacity ? 0 : far.back + count,
                       .bit = 1u << svm_cellSelf()};
    mfc_putf(&news[tag], c->ea + to->stream, sizeof *news, tag, 0, 0);
    mfc_sndsigf(&news[tag].bit, svm_cellSignalOf(to->spe), tag, 0, 0);
    return count;
}

// The transfer has its end of the stream until it is complete.
static void take(const svm_CellCommand *c, const StreamMove *m, svm_CellStream *s)
{
    uint32_t *end = c->kind == SVM_CELL_FILL ? &s->pusher : &s->popper;
    if ((*end != 0 && *end != m->number + 1) || (c->kind == SVM_CELL_FILL ? s->pushAcquired : s->popAcquired) != 0)
        svm_cellStreamError(NULL, 0, SVM_CELL_MOVES, SVM_CELL_END_TAKEN, s->number, 0, 0);
    *end = m->number + 1;
}

static bool move(const svm_CellCommand *c, StreamMove *m, uint32_t tag)
{
    svm_CellStream *s = (svm_CellStream *)c->ls;
    const uint32_t left = (c->length - m->moved) / s->elementSize, there = s->written - s->read;
    const uint64_t ea = c->ea + m->moved;
    take(c, m, s);
    uint32_t count;
    if (c->kind == SVM_CELL_FILL) {
        count = whole(s, least(left, least(s->capacity - there, s->capacity - s->back)));
        transfer(true, s->data + s->back * s->elementSize, ea, count * s->elementSize, tag);
    } else {
        count = whole(s, least(left, least(there, s->capacity - s->front)));
        if (c->kind == SVM_CELL_EMPTY)
            transfer(false, s->data + s->front * s->elementSize, ea, count * s->elementSize, tag);
        else if (count != 0)
            count = pass(c, s, count, tag);
    }
    m->moving = count * s->elementSize;
    return count != 0;
}

static bool moved(const svm_CellCommand *c, StreamMove *m)
{
    svm_CellStream *s = (svm_CellStream *)c->ls;
    if (c->kind == SVM_CELL_FILL)
        pushed(s, m->moving / s->elementSize);
    else
        popped(s, m->moving / s->elementSize);
    m->moved += m->moving;
    if (m->moved != c->length)
        return false;
    *(c->kind == SVM_CELL_FILL ? &s->pusher : &s->popper) = 0;
    return true;
}

const svm_CellStreaming svm_cellStreamsHere = {.streams = svm_cellStreams, .move = move, .moved = moved};

// ---- Kernels ----

typedef struct Use {
    svm_CellStream *s;
    svm_CellUse function;
    const char *file;
    int line;
} Use;

static _Noreturn void fail(Use use, svm_CellMisuse misuse, size_t count, size_t acquired)
{
    svm_cellStreamError(use.file, use.line, use.function, misuse, use.s != NULL ? use.s->number : 0, count, acquired);
}

static Use use_of(svm_Stream *stream, svm_CellUse function, const char *file, int line)
{
    Use use = {(svm_CellStream *)stream, function, file, line};
    if (stream == NULL)
        fail(use, SVM_CELL_NO_STREAM, 0, 0);
    return use;
}

static Use producer(svm_Stream *stream, svm_CellUse function, const char *file, int line)
{
    Use use = use_of(stream, function, file, line);
    if (use.s->pusher != 0)
        fail(use, SVM_CELL_END_TAKEN, 0, 0);
    return use;
}

static Use consumer(svm_Stream *stream, svm_CellUse function, const char *file, int line)
{
    Use use = use_of(stream, function, file, line);
    if (use.s->popper != 0)
        fail(use, SVM_CELL_END_TAKEN, 0, 0);
    return use;
}

// Where a window begins whose end is there, behind what is acquired.
static void *window(Use use, uint32_t end, size_t acquired, size_t count)
{
    const svm_CellStream *s = use.s;
    if (count == 0)
        fail(use, SVM_CELL_NOTHING_WANTED, count, acquired);
    if (count > s->capacity || acquired + count > s->capacity)
        fail(use, SVM_CELL_TOO_MUCH, count, acquired);
    const uint32_t first = (uint32_t)((end + acquired) % s->capacity);
    if (s->capacity % count != 0 || count > s->capacity - first)
        fail(use, SVM_CELL_WRAPS, count, acquired);
    return (void *)(s->data + first * s->elementSize);
}

static void wait_for_elements(const svm_CellStream *s, size_t wanted)
{
    while (s->written - s->read < wanted)
        svm_cellWaitForElements();
}

static void wait_for_room(const svm_CellStream *s, size_t wanted)
{
    while (s->capacity - (s->written - s->read) < wanted)
        svm_cellWaitForRoom();
}

const void *svm_streamPopAcquireAt(svm_Stream *stream, size_t count, const char *file, int line)
{
    const Use use = consumer(stream, SVM_CELL_POP_ACQUIRE, file, line);
    void *at = window(use, use.s->front, use.s->popAcquired, count);
    wait_for_elements(use.s, use.s->popAcquired + count);
    use.s->popAcquired += (uint32_t)count;
    svm_cellNote(use.s->number, use.function, use.s->popAcquired);
    return at;
}

void *svm_streamPushAcquireAt(svm_Stream *stream, size_t count, const char *file, int line)
{
    const Use use = producer(stream, SVM_CELL_PUSH_ACQUIRE, file, line);
    void *at = window(use, use.s->back, use.s->pushAcquired, count);
    wait_for_room(use.s, use.s->pushAcquired + count);
    use.s->pushAcquired += (uint32_t)count;
    svm_cellNote(use.s->number, use.function, use.s->pushAcquired);
    return at;
}

void svm_streamPopDiscardAt(svm_Stream *stream, size_t count, const char *file, int line)
{
    const Use use = consumer(stream, SVM_CELL_POP_DISCARD, file, line);
    if (count > use.s->popAcquired)
        fail(use, SVM_CELL_NOT_ACQUIRED, count, use.s->popAcquired);
    use.s->popAcquired -= (uint32_t)count;
    svm_cellNote(use.s->number, use.function, count);
    popped(use.s, (uint32_t)count);
    svm_cellGoOn();
}

void svm_streamPushSendAt(svm_Stream *stream, size_t count, const char *file, int line)
{
    const Use use = producer(stream, SVM_CELL_PUSH_SEND, file, line);
    if (count > use.s->pushAcquired)
        fail(use, SVM_CELL_NOT_ACQUIRED, count, use.s->pushAcquired);
    use.s->pushAcquired -= (uint32_t)count;
    svm_cellNote(use.s->number, use.function, count);
    pushed(use.s, (uint32_t)count);
    svm_cellGoOn();
}

// ---- Kernels: one element ----

void svm_streamPushAt(svm_Stream *stream, const void *element, const char *file, int line)
{
    const Use use = producer(stream, SVM_CELL_PUSH, file, line);
    if (use.s->pushAcquired != 0)
        fail(use, SVM_CELL_END_TAKEN, 1, use.s->pushAcquired);
    wait_for_room(use.s, 1);
    memcpy((void *)(use.s->data + use.s->back * use.s->elementSize), element, use.s->elementSize);
    svm_cellNote(use.s->number, use.function, 1);
    pushed(use.s, 1);
    svm_cellGoOn();
}

void svm_streamPopAt(svm_Stream *stream, void *element, const char *file, int line)
{
    const Use use = consumer(stream, SVM_CELL_POP, file, line);
    if (use.s->popAcquired != 0)
        fail(use, SVM_CELL_END_TAKEN, 1, use.s->popAcquired);
    wait_for_elements(use.s, 1);
    if (element != NULL)
        memcpy(element, (const void *)(use.s->data + use.s->front * use.s->elementSize), use.s->elementSize);
    svm_cellNote(use.s->number, use.function, 1);
    popped(use.s, 1);
    svm_cellGoOn();
}

void svm_streamPeekAt(svm_Stream *stream, size_t offset, void *element, const char *file, int line)
{
    const Use use = consumer(stream, SVM_CELL_PEEK, file, line);
    if (offset >= use.s->capacity)
        fail(use, SVM_CELL_TOO_MUCH, offset, 0);
    wait_for_elements(use.s, offset + 1);
    svm_cellNote(use.s->number, use.function, offset + 1);
    const uint32_t at = (uint32_t)((use.s->front + offset) % use.s->capacity);
    memcpy(element, (const void *)(use.s->data + at * use.s->elementSize), use.s->elementSize);
}
