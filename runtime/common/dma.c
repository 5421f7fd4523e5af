// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the DMA kernels transfer: with a stream as far as they can, in pieces that do not wrap around its buffer. All
// that a transfer keeps between its pieces is a position (svmr_Kernel.progress), so it needs no stack of its own.
#include "runtime/common/dma.h"
#include "runtime/common/adversary.h"
#include "svm/instructions.h"

#include <string.h>

// ---- Checks ----

void svmr_checkSide(svmr_Side side, svmr_Place at)
{
    if (side.stream)
        svmr_checkStream(side.stream, at);
    else
        svmr_checkBlock(side.block, at);
}

static size_t elementSize(svmr_Side side)
{
    return side.stream ? side.stream->elementSize : side.block->elementSize;
}

static mm_Mem memoryOf(svmr_Side side)
{
    return side.stream ? side.stream->memory : side.block->memory;
}

static size_t addressOf(svmr_Side side)
{
    return side.stream ? side.stream->address : side.block->address;
}

static const char *sideName(svmr_Side side)
{
    const char *name = side.stream ? side.stream->name : side.block->name;
    return name ? name : "(unnamed)";
}

// The side at random access, and the other.
static const svmr_Side *groupSide(const svmr_Transfer *t)
{
    return t->scatter ? &t->to : &t->from;
}
static const svmr_Side *orderSide(const svmr_Transfer *t)
{
    return t->scatter ? &t->from : &t->to;
}

static SVMR_COLD _Noreturn void failMuch(svmr_Kernel *p, svmr_Place at)
{
    svmr_fail(p->machine, SVM_ERROR_BAD_ARGUMENT, svmr_name(p), at,
              "more elements are to be moved than can be counted");
}

static size_t product(svmr_Kernel *p, size_t a, size_t b, svmr_Place at)
{
    size_t result;
    if (__builtin_mul_overflow(a, b, &result))
        failMuch(p, at);
    return result;
}

static size_t sum(svmr_Kernel *p, size_t a, size_t b, svmr_Place at)
{
    size_t result;
    if (__builtin_add_overflow(a, b, &result))
        failMuch(p, at);
    return result;
}

static void checkLength(svmr_Kernel *p, svmr_Side side, size_t length, const char *what, svmr_Place at)
{
    if (!side.stream && length > side.block->capacity)
        svmr_fail(p->machine, SVM_ERROR_INDEX_RANGE, svmr_name(p), at,
                  "%s 0 to %zu are used, and the block '%s' has %zu", what, length - 1, sideName(side),
                  side.block->capacity);
}

// The block of an indexed transfer is checked index by index.
static void checkIndexed(svmr_Kernel *p, const svmr_Transfer *t, svmr_Place at)
{
    size_t size = elementSize(t->indices);
    if (size != sizeof(int32_t) && size != sizeof(int64_t))
        svmr_fail(p->machine, SVM_ERROR_SIZE_MISMATCH, svmr_name(p), at,
                  "indices have 4 or 8 bytes, and the elements of '%s' %zu", sideName(t->indices), size);
    if (t->indices.stream && (t->indices.stream == t->from.stream || t->indices.stream == t->to.stream))
        svmr_fail(p->machine, SVM_ERROR_BAD_ARGUMENT, svmr_name(p), at,
                  "the stream '%s' cannot have the indices and the elements", sideName(t->indices));
    const svmr_OperationRow *row = svmr_operation(t->combine);
    if (!row)
        svmr_fail(p->machine, SVM_ERROR_BAD_ARGUMENT, svmr_name(p), at, "combine is %d, which is no operation",
                  (int)t->combine);
    if (row->apply && row->size != elementSize(t->to))
        svmr_fail(p->machine, SVM_ERROR_SIZE_MISMATCH, svmr_name(p), at,
                  "%s works on elements of %zu bytes, and those of '%s' have %zu", row->name, row->size,
                  sideName(t->to), elementSize(t->to));
    checkLength(p, t->indices, t->repeats, "indices", at);
}

static size_t span(svmr_Kernel *p, const svmr_Transfer *t, svmr_Place at)
{
    if (t->repeats == 0 || t->records == 0)
        return 0;
    return sum(p, t->offset, sum(p, product(p, t->repeats - 1, t->stride, at), t->records, at), at);
}

static void checkStrided(svmr_Kernel *p, const svmr_Transfer *t, svmr_Place at)
{
    const svmr_Side *side = groupSide(t);
    if (side->stream && t->stride < t->records && t->repeats > 1)
        svmr_fail(p->machine, SVM_ERROR_BAD_ARGUMENT, svmr_name(p), at,
                  "groups of %zu elements every %zu overlap, and '%s' is a stream", t->records, t->stride,
                  sideName(*side));
    checkLength(p, *side, span(p, t, at), "elements", at);
}

static void checkMove(svmr_Kernel *p, const svmr_Transfer *t, svmr_Place at)
{
    if (!t->from.stream && !t->to.stream && t->from.block->capacity != t->to.block->capacity)
        svmr_fail(p->machine, SVM_ERROR_SIZE_MISMATCH, svmr_name(p), at,
                  "the source has %zu elements and the destination %zu", t->from.block->capacity,
                  t->to.block->capacity);
}

// A stream's memory is checked when its user changes.
static void checkUse(svmr_Kernel *p, svmr_Side side, bool written, svmr_Place at)
{
    if (!side.stream)
        svmr_checkReach(p->machine, p, side.block->memory, side.block->name, at);
    else if (written)
        svmr_produces(side.stream, p, at);
    else
        svmr_consumes(side.stream, p, at);
}

static const svm_ProcessorRow *engineOf(const svmr_Kernel *p)
{
    return &svmr_state(p->machine, p->processor)->table->processors[svmr_index(p->processor)];
}

static bool hasIndices(const svmr_Transfer *t)
{
    return t->kind == SVM_TRANSFER_INDEXED;
}

// What addresses and lengths of p are multiples of: stream instructions move words, in as many steps as an engine needs
// that works with more.
static size_t multipleOf(const svmr_Kernel *p, const svm_ProcessorRow *engine)
{
    return p->instruction && engine->alignment > SVM_WORD ? SVM_WORD : engine->alignment;
}

static void checkMultiple(svmr_Kernel *p, const svm_ProcessorRow *engine, size_t value, const char *what,
                          svmr_Side side, svmr_Place at)
{
    const size_t multiple = multipleOf(p, engine);
    if (SVMR_UNLIKELY(value % multiple))
        svmr_fail(p->machine, SVM_ERROR_ALIGNMENT, svmr_name(p), at,
                  "'%s' works with multiples of %zu bytes, and the %s of '%s' is %zu", engine->name, multiple, what,
                  sideName(side), value);
}

// Addresses and lengths of what lies together. How much of a stream goes at once is the runtime's choice.
static void checkAlignment(svmr_Kernel *p, const svmr_Transfer *t, svmr_Place at)
{
    const svm_ProcessorRow *engine = engineOf(p);
    if (engine->alignment <= 1 || t->records == 0 || t->repeats == 0)
        return;
    size_t size = elementSize(t->from);
    svmr_Side groups = *groupSide(t);
    checkMultiple(p, engine, addressOf(t->from), "address", t->from, at);
    checkMultiple(p, engine, addressOf(t->to), "address", t->to, at);
    if (hasIndices(t))
        checkMultiple(p, engine, addressOf(t->indices), "address", t->indices, at);
    if (groups.stream || t->kind == SVM_TRANSFER_MOVE) {
        checkMultiple(p, engine, t->records * t->repeats * size, "length", *orderSide(t), at);
        return;
    }
    checkMultiple(p, engine, t->records * size, "length of a group", groups, at);
    checkMultiple(p, engine, t->offset * size, "offset", groups, at);
    if (t->repeats > 1)
        checkMultiple(p, engine, t->stride * size, "stride", groups, at);
}

// Of what does not change while it is pending.
static void checkShape(svmr_Kernel *p, svmr_Transfer *t, svmr_Place at)
{
    svmr_checkSide(t->from, at);
    svmr_checkSide(t->to, at);
    if (t->kind == SVM_TRANSFER_MOVE && !(t->from.stream && t->to.stream))
        t->records = t->from.stream ? t->to.block->capacity : t->from.block->capacity;
    size_t from = elementSize(t->from), to = elementSize(t->to);
    if (from != to)
        svmr_fail(p->machine, SVM_ERROR_SIZE_MISMATCH, svmr_name(p), at,
                  "the source has elements of %zu bytes and the destination of %zu", from, to);
    size_t total = product(p, t->records, t->repeats, at);
    product(p, total, from, at);
    if (hasIndices(t)) {
        svmr_checkSide(t->indices, at);
        checkIndexed(p, t, at);
    } else if (t->kind == SVM_TRANSFER_STRIDED) {
        checkStrided(p, t, at);
    } else {
        checkMove(p, t, at);
    }
    checkLength(p, *orderSide(t), total, "elements", at);
    checkAlignment(p, t, at);
}

static void check(svmr_Kernel *p, svmr_Transfer *t, svmr_Place at)
{
    checkShape(p, t, at);
    if (hasIndices(t))
        checkUse(p, t->indices, false, at);
    checkUse(p, t->from, false, at);
    checkUse(p, t->to, true, at);
}

// ---- Windows: the elements of a side that can be touched without waiting or wrapping ----

typedef struct Window {
    char *data;
    size_t count, used; // elements
} Window;

// From element `position` of a block, or of the front or back of a stream.
static Window windowOf(svmr_Side side, size_t position, size_t most, bool written)
{
    if (!side.stream) {
        const svm_Block *b = side.block;
        size_t left = b->capacity - position;
        return (Window){b->data + position * b->elementSize, left < most ? left : most, 0};
    }
    svm_Stream *s = side.stream;
    return written ? (Window){s->data + s->back, svmr_backPiece(s, most), 0}
                   : (Window){s->data + s->front, svmr_frontPiece(s, most), 0};
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

// What one piece has done, kept until the runtime has been told.
typedef struct Piece {
    Window from, to, indices;
    size_t bytes; // written
    size_t progress;
} Piece;

static inline void copy(char *to, const char *from, size_t bytes)
{
    if (bytes == 4) {
        uint32_t word;
        memcpy(&word, from, 4);
        memcpy(to, &word, 4);
    } else if (bytes == 8) {
        uint64_t word;
        memcpy(&word, from, 8);
        memcpy(to, &word, 8);
    } else {
        memmove(to, from, bytes);
    }
}

// ---- Strided (a move is one group) ----

// Positions count along the strided side. In a block a period that is shorter than its group counts as long as the
// group, so that every element of every group has a position of its own.
static size_t periodOf(const svmr_Transfer *t)
{
    return t->stride > t->records ? t->stride : t->records;
}

static size_t endPosition(const svmr_Transfer *t)
{
    if (t->repeats == 0 || t->records == 0)
        return 0;
    return (groupSide(t)->stream ? t->offset : 0) + (t->repeats - 1) * periodOf(t) + t->records;
}

// Where a position lies: in a group or in the gap before or after one.
typedef struct Walk {
    size_t group, within; // element of the period
    size_t lead;          // elements before the first group, yet to pass
} Walk;

static Walk walkAt(const svmr_Transfer *t, size_t position)
{
    size_t lead = groupSide(t)->stream ? t->offset : 0, period = periodOf(t);
    if (position < lead)
        return (Walk){0, 0, lead - position};
    return (Walk){(position - lead) / period, (position - lead) % period, 0};
}

// Elements of groups before this place.
static size_t passed(const svmr_Transfer *t, Walk w)
{
    return w.group * t->records + least(w.within, t->records);
}

// n elements of a gap in a stream.
static void skip(const svmr_Transfer *t, Piece *piece, size_t size, size_t n)
{
    if (!t->scatter) {
        piece->from.used += n;
        return;
    }
    memset(piece->to.data + piece->to.used * size, 0, n * size);
    piece->to.used += n;
    piece->bytes += n * size;
}

static inline void copyEach(char *to, size_t toStep, const char *from, size_t fromStep, size_t bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        copy(to + i * toStep, from + i * fromStep, bytes);
}

static void copyGroups(char *to, size_t toStep, const char *from, size_t fromStep, size_t bytes, size_t count)
{
    if (bytes == 4)
        copyEach(to, toStep, from, fromStep, 4, count);
    else if (bytes == 8)
        copyEach(to, toStep, from, fromStep, 8, count);
    else
        copyEach(to, toStep, from, fromStep, bytes, count);
}

// As many whole groups of a block as the other side allows, from the beginning of one; gives how many.
static size_t wholeGroups(const svmr_Transfer *t, size_t first, Piece *piece)
{
    Window *order = t->scatter ? &piece->from : &piece->to;
    size_t size = elementSize(t->from), bytes = t->records * size, step = t->stride * size;
    size_t count = least(t->repeats - first, (order->count - order->used) / t->records);
    char *there = groupSide(t)->block->data + (t->offset + first * t->stride) * size;
    char *here = order->data + order->used * size;
    if (t->scatter)
        copyGroups(there, step, here, bytes, bytes, count);
    else
        copyGroups(here, bytes, there, step, bytes, count);
    order->used += count * t->records;
    piece->bytes += count * bytes;
    return count;
}

// Copies as much as the windows allow; stops where a stream has no more.
static void pieceStrided(const svmr_Transfer *t, size_t end, Piece *piece)
{
    const svm_Stream *stream = groupSide(t)->stream;
    size_t size = elementSize(t->from), period = periodOf(t);
    char *block = stream ? NULL : groupSide(t)->block->data + t->offset * size;
    Window *group = t->scatter ? &piece->to : &piece->from, *order = t->scatter ? &piece->from : &piece->to;
    Walk w = walkAt(t, piece->progress);
    while (piece->progress < end) {
        size_t whole = stream || w.within ? 0 : wholeGroups(t, w.group, piece);
        if (whole) {
            w.group += whole;
            piece->progress = w.group == t->repeats ? end : w.group * period;
            continue;
        }
        bool gap = w.lead > 0 || w.within >= t->records;
        size_t n = w.lead ? w.lead : (gap ? period : t->records) - w.within;
        if (stream)
            n = least(n, group->count - group->used);
        if (!gap)
            n = least(n, order->count - order->used);
        if (n == 0)
            break;
        if (!gap) {
            char *there = stream ? group->data + group->used * size : block + (w.group * t->stride + w.within) * size;
            char *here = order->data + order->used * size;
            copy(t->scatter ? there : here, t->scatter ? here : there, n * size);
            order->used += n;
            group->used += n;
            piece->bytes += n * size;
        } else if (stream) {
            skip(t, piece, size, n);
        }
        piece->progress += n;
        if (w.lead) {
            w.lead -= n;
            continue;
        }
        w.within += n;
        if (w.within == period)
            w = (Walk){w.group + 1, 0, 0};
    }
}

// ---- Indexed ----

static int64_t readIndex(const char *data, size_t size)
{
    int32_t narrow;
    int64_t wide;
    if (size == sizeof wide)
        return memcpy(&wide, data, sizeof wide), wide;
    memcpy(&narrow, data, sizeof narrow);
    return narrow;
}

static SVMR_COLD _Noreturn void failIndex(svmr_Kernel *p, const svmr_Transfer *t, size_t position, int64_t index,
                                          svmr_Place at)
{
    const svm_Block *b = groupSide(t)->block;
    svmr_fail(p->machine, SVM_ERROR_INDEX_RANGE, svmr_name(p), at,
              "index %zu of '%s' is %lld, and the block '%s' has %zu groups of %zu elements", position,
              sideName(t->indices), (long long)index, sideName(*groupSide(t)), b->capacity / t->records, t->records);
}

static void pieceIndexed(svmr_Kernel *p, const svmr_Transfer *t, size_t end, Piece *piece, svmr_Place at)
{
    const svm_Block *block = groupSide(t)->block;
    size_t size = elementSize(t->from), indexSize = elementSize(t->indices);
    size_t groups = block->capacity / t->records;
    const svmr_OperationRow *operation = svmr_operation(t->combine);
    Window *order = t->scatter ? &piece->from : &piece->to, *indices = &piece->indices;
    size_t within = piece->progress % t->records;
    while (piece->progress < end && indices->used < indices->count) {
        int64_t index = readIndex(indices->data + indices->used * indexSize, indexSize);
        if (index < 0 || (uint64_t)index >= groups)
            failIndex(p, t, piece->progress / t->records, index, at);
        size_t n = least(t->records - within, order->count - order->used);
        if (n == 0)
            break;
        char *there = block->data + ((size_t)index * t->records + within) * size;
        char *here = order->data + order->used * size;
        if (!t->scatter)
            copy(here, there, n * size);
        else if (operation->apply)
            operation->apply(there, here, n);
        else
            copy(there, here, n * size);
        order->used += n;
        piece->bytes += n * size;
        piece->progress += n;
        within += n;
        if (within == t->records) {
            within = 0;
            indices->used++;
        }
    }
}

// ---- Going on ----

// The elements are not there and the stream has none: it has ended or more will come.
static bool waitForSource(svmr_Kernel *p, svm_Stream *s, size_t left, const char *what, svmr_Place at)
{
    if (svmr_ended(s) && svmr_count(s) == 0)
        svmr_fail(p->machine, SVM_ERROR_STREAM_END, svmr_name(p), at,
                  "the stream '%s' has ended, and %zu %s are to be moved yet", svmr_streamText(s), left, what);
    svmr_block(p, s, SVMR_WANT_ELEMENTS, 1, at);
    return false;
}

static void checkDestination(svmr_Kernel *p, const svmr_Transfer *t, svmr_Place at)
{
    if (t->to.stream && svmr_ended(t->to.stream))
        svmr_fail(p->machine, SVM_ERROR_STREAM_END, svmr_name(p), at,
                  "the stream '%s' has ended, and is to be pushed to", svmr_streamText(t->to.stream));
}

// A piece was empty: which stream it waits for.
static bool waitForStream(svmr_Kernel *p, const svmr_Transfer *t, size_t end, const Piece *piece, svmr_Place at)
{
    size_t left = end - piece->progress;
    if (t->indices.stream && piece->indices.count == 0)
        return waitForSource(p, t->indices.stream, (left + t->records - 1) / t->records, "indices", at);
    bool wantsSource = t->from.stream && piece->from.count == 0;
    if (wantsSource && t->scatter && t->to.stream) { // a gap of zeroes needs no source
        Walk w = walkAt(t, piece->progress);
        wantsSource = w.lead == 0 && w.within < t->records;
    }
    if (wantsSource)
        return waitForSource(p, t->from.stream, left, "elements", at);
    svmr_block(p, t->to.stream, SVMR_WANT_ROOM, 1, at);
    return false;
}

static void tell(svmr_Kernel *p, const svmr_Transfer *t, const Piece *piece)
{
    size_t size = elementSize(t->from);
    svmr_TransferPart part = {
        .from = memoryOf(t->from), .to = memoryOf(t->to), .bytes = piece->bytes, .recordBytes = piece->bytes};
    part.address = (size_t)piece->to.data;
    svmr_Access *access = t->scatter ? &part.toAccess : &part.fromAccess;
    if (hasIndices(t)) {
        part.indices = memoryOf(t->indices);
        part.indexBytes = piece->indices.used * elementSize(t->indices);
        part.combines = t->combine != SVM_REPLACE;
        *access = SVMR_INDEXED;
    } else if (t->kind == SVM_TRANSFER_STRIDED && !groupSide(t)->stream) {
        *access = SVMR_STRIDED;
    }
    if (*access != SVMR_SEQUENTIAL)
        part.recordBytes = least(t->records * size, piece->bytes);
    if (part.toAccess != SVMR_SEQUENTIAL && t->to.block) {
        part.address = (size_t)t->to.block->data;
        part.span = t->to.block->capacity * size;
    }
    svmr_transferred(p, &part);
}

static void release(const svmr_Transfer *t, const Piece *piece)
{
    if (t->indices.stream && piece->indices.used)
        svmr_popped(t->indices.stream, piece->indices.used);
    if (t->from.stream && piece->from.used)
        svmr_popped(t->from.stream, piece->from.used);
    if (t->to.stream && piece->to.used)
        svmr_pushed(t->to.stream, piece->to.used);
}

// Nothing is done yet; the windows are at p's progress. A block at random access needs none.
static Piece beginPiece(svmr_Kernel *p, const svmr_Transfer *t, size_t end)
{
    size_t progress = p->progress, left = end - progress;
    if (SVMR_UNLIKELY(p->machine->adversary != NULL))
        left = svmr_pieceOf(p, t, left);
    size_t position = hasIndices(t) ? progress : passed(t, walkAt(t, progress));
    Window order = windowOf(*orderSide(t), position, left, !t->scatter), group = {0};
    if (groupSide(t)->stream)
        group = windowOf(*groupSide(t), 0, left, t->scatter);
    Piece piece = {.from = t->scatter ? order : group, .to = t->scatter ? group : order, .progress = progress};
    if (hasIndices(t))
        piece.indices = windowOf(t->indices, progress / t->records, (left + t->records - 1) / t->records, false);
    return piece;
}

bool svmr_transfer(svmr_Kernel *p, svmr_Transfer *t)
{
    svmr_Place at = {t->function, p->runFile, p->runLine}; // errors of a transfer name the place where it was run
#ifdef SVMR_QUEUES
    if (p->asked) {
        const bool streams = t->from.stream || t->to.stream || t->indices.stream;
        if (streams && !svmr_queuesStreams(p->machine))
            return false;
        if (streams)
            checkShape(p, t, at);
        else
            check(p, t, at);
        svmr_queueTransfer(p, t);
        return false;
    }
#endif
    check(p, t, at);
    size_t end = hasIndices(t) ? t->records * t->repeats : endPosition(t);
    bool adverse = SVMR_UNLIKELY(p->machine->adversary != NULL) && !p->plain;
    if (adverse && p->progress == 0)
        svmr_poisonDestination(p, t);
    while (p->progress < end) {
        if (adverse && svmr_givesWay(p)) {
            p->stop = SVMR_STOP_INTERRUPTED;
            return false;
        }
        checkDestination(p, t, at);
        Piece piece = beginPiece(p, t, end);
        if (hasIndices(t))
            pieceIndexed(p, t, end, &piece, at);
        else
            pieceStrided(t, end, &piece);
        if (piece.progress == p->progress)
            return waitForStream(p, t, end, &piece, at);
        if (piece.bytes)
            tell(p, t, &piece);
        p->progress = piece.progress;
        release(t, &piece);
    }
    return true;
}

// ---- Setting up ----

void svmr_transferInit(svm_Kernel *k, mm_Proc dma, svm_TransferKind kind, const char *name, svm_KernelFunction *run,
                       bool (*step)(svm_Kernel *k), bool steps, svmr_Place at)
{
    static const char *const kinds[] = {
        [SVM_TRANSFER_MOVE] = "moves", [SVM_TRANSFER_STRIDED] = "strided", [SVM_TRANSFER_INDEXED] = "indexed"};
    svmr_Kernel *p = svmr_kernelInit(k, dma, run, name, SVM_PROCESSOR_DMA, at);
    const svm_ProcessorRow *row = engineOf(p);
    if (row->transfers && !(row->transfers & kind))
        svmr_fail(p->machine, SVM_ERROR_BAD_PROCESSOR, name, at, "'%s' makes no %s%s", row->name, kinds[kind],
                  kind == SVM_TRANSFER_MOVE ? "" : " transfers");
    p->step = step;
    p->plain = !steps && !svmr_adversaryOf(p->machine); // the adversary has all go in pieces
}
