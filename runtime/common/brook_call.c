// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of finite graphs: shapes that fit each other, streams that lie over each other, the space that firings cover.
#include "runtime/common/brook.h"

#include <stdlib.h>
#include <string.h>

typedef struct Call {
    const svm_BrookPlace *at;
    const svm_BrookGraph *graph;
    const svm_BrookStream *streams;
    svm_BrookWalk *walks;
    svm_BrookSpace *space;
    int rank;    // of the space
    int shaper;  // the port whose shape is the space's; -1: all inputs together
    bool filled; // the space has places
    bool reduces;
} Call;

static const char *const roleWords[] = {"input", "output", "gather argument", "iterator", "result", "result"};

// "input 'x', stream 'a' of shape <3>"
static const char *describe(char *text, size_t room, const Call *c, int port)
{
    const svm_BrookPort *p = &c->graph->ports[port];
    const svm_BrookStream *s = &c->streams[port];
    snprintf(text, room, "%s '%s', stream '%s' of shape %s", roleWords[p->role], p->name, s->name ? s->name : "?",
             svmr_brookShape(s));
    return text;
}

// ---- Each stream by itself ----

static bool isUnused(const Call *c, int port)
{
    return c->graph->ports[port].role == SVM_BROOK_VARIABLE;
}

static void checkPort(const Call *c, int port)
{
    const svm_BrookPort *p = &c->graph->ports[port];
    const svm_BrookStream *s = &c->streams[port];
    char text[256];
    svmr_brookNeed(c->at, s, c->graph->name);
    const char *leaves = s->storage->type.leaves; // mostly the same text
    if (leaves != p->type.leaves && strcmp(leaves, p->type.leaves) != 0)
        svm_brookFail(c->at, "%s: %s has elements of type %s, not %s", c->graph->name,
                      describe(text, sizeof text, c, port), s->storage->type.name, p->type.name);
    if (p->role == SVM_BROOK_GATHER && p->rank != s->rank)
        svm_brookFail(c->at, "%s: %s is subscripted in %d dimensions", c->graph->name,
                      describe(text, sizeof text, c, port), p->rank);
    const bool iterator = s->storage->iterator;
    if (p->role == SVM_BROOK_ITERATOR ? !iterator
                                      : iterator && (p->role == SVM_BROOK_OUT || p->role == SVM_BROOK_REDUCED))
        svm_brookFail(c->at, "%s: %s %s an iterator", c->graph->name, describe(text, sizeof text, c, port),
                      iterator ? "is" : "is not");
}

static void checkPorts(Call *c)
{
    c->shaper = -1;
    for (int i = 0; i < c->graph->count; i++) {
        if (isUnused(c, i))
            continue;
        checkPort(c, i);
        const svm_BrookRole role = c->graph->ports[i].role;
        if (c->shaper < 0 && (role == SVM_BROOK_OUT || role == SVM_BROOK_REDUCED))
            c->shaper = i;
        c->reduces = c->reduces || role == SVM_BROOK_REDUCED;
    }
}

// ---- The space ----

static bool isWalked(const Call *c, int port)
{
    return c->graph->ports[port].role != SVM_BROOK_GATHER && !isUnused(c, port);
}

// What pushes goes over the largest extents of all.
static void shapeByInputs(Call *c)
{
    c->rank = 0;
    for (int i = 0; i < c->graph->count; i++) {
        const svm_BrookStream *s = &c->streams[i];
        if (!isWalked(c, i))
            continue;
        char text[256];
        if (c->rank != 0 && s->rank != c->rank)
            svm_brookFail(c->at, "%s: %s has not %d dimensions as the first input", c->graph->name,
                          describe(text, sizeof text, c, i), c->rank);
        c->rank = s->rank;
        for (int d = 0; d < s->rank; d++) {
            ptrdiff_t *n = &c->space->extent[SVM_BROOK_RANK - s->rank + d];
            *n = *n < s->extent[d] ? s->extent[d] : *n;
        }
    }
}

static void shapeSpace(Call *c)
{
    for (int d = 0; d < SVM_BROOK_RANK; d++)
        c->space->extent[d] = 0;
    if (c->shaper < 0) {
        shapeByInputs(c);
    } else {
        const svm_BrookStream *s = &c->streams[c->shaper];
        c->rank = s->rank;
        memcpy(c->space->extent + SVM_BROOK_RANK - s->rank, s->extent, (size_t)s->rank * sizeof s->extent[0]);
    }
    for (int d = 0; d < SVM_BROOK_RANK - c->rank; d++)
        c->space->extent[d] = 1;
    c->filled = c->rank > 0;
    for (int d = 0; d < SVM_BROOK_RANK; d++)
        c->filled = c->filled && c->space->extent[d] > 0;
}

// Extents divide each other, one way or the other; those of outputs are equal; a reduction's input has whole blocks.
static bool fits(svm_BrookRole role, bool reduces, bool any, ptrdiff_t m, ptrdiff_t n)
{
    if (role == SVM_BROOK_OUT || role == SVM_BROOK_REDUCED)
        return m == n;
    if (m == 0 || n == 0)
        return m == n || n == 0;
    return m % n == 0 || (!reduces && (any || n % m == 0));
}

static void checkShapes(const Call *c)
{
    for (int i = 0; i < c->graph->count; i++) {
        if (!isWalked(c, i))
            continue;
        const svm_BrookStream *s = &c->streams[i];
        bool good = s->rank == c->rank;
        for (int d = 0; good && d < s->rank; d++)
            good = fits(c->graph->ports[i].role, c->reduces, c->graph->anyExtents, s->extent[d],
                        c->space->extent[SVM_BROOK_RANK - s->rank + d]);
        if (good)
            continue;
        char text[256], other[256];
        svm_brookFail(c->at, "%s: %s does not fit %s", c->graph->name, describe(text, sizeof text, c, i),
                      c->shaper < 0 ? "the other inputs" : describe(other, sizeof other, c, c->shaper));
    }
}

static void checkGathers(const Call *c)
{
    for (int i = 0; i < c->graph->count; i++)
        if (c->graph->ports[i].role == SVM_BROOK_GATHER && svm_brookCount(c->streams[i]) == 0) {
            char text[256];
            svm_brookFail(c->at, "%s: %s has no elements", c->graph->name, describe(text, sizeof text, c, i));
        }
}

static void checkCoordinates(const Call *c)
{
    const ptrdiff_t most = SVMR_BROOK_PLACES;
    for (int i = 0; i < c->graph->count && c->graph->places; i++)
        for (int d = 0; d < c->streams[i].rank && !isUnused(c, i); d++)
            if (c->streams[i].extent[d] > most) {
                char text[256];
                svm_brookFail(c->at,
                              "%s: %s has more than %td elements in a dimension, which no coordinate tells apart",
                              c->graph->name, describe(text, sizeof text, c, i), most);
            }
}

// ---- Streams over each other ----

// The first and last element that a view reaches.
static void reach(const svm_BrookStream *s, ptrdiff_t *first, ptrdiff_t *last)
{
    *first = *last = s->offset;
    for (int d = 0; d < s->rank; d++)
        *last += (s->extent[d] - 1) * s->pitch[d];
}

static bool sameView(const svm_BrookStream *a, const svm_BrookStream *b)
{
    bool same = a->offset == b->offset && a->rank == b->rank;
    for (int d = 0; same && d < a->rank; d++)
        same = a->extent[d] == b->extent[d] && a->pitch[d] == b->pitch[d];
    return same;
}

// Views of one storage with the same pitches, which are its own: boxes in it.
static bool boxesMeet(const svm_BrookStream *a, const svm_BrookStream *b)
{
    ptrdiff_t x = a->offset, y = b->offset;
    for (int d = 0; d < a->rank; d++) {
        const ptrdiff_t p = a->pitch[d], i = p ? x / p : 0, j = p ? y / p : 0;
        if (p && (i + a->extent[d] <= j || j + b->extent[d] <= i))
            return false;
        x -= i * p;
        y -= j * p;
    }
    return true;
}

static bool meet(const svm_BrookStream *a, const svm_BrookStream *b)
{
    if (a->storage != b->storage)
        return false;
    ptrdiff_t first[2], last[2];
    reach(a, &first[0], &last[0]);
    reach(b, &first[1], &last[1]);
    if (last[0] < first[1] || last[1] < first[0])
        return false;
    bool pitches = a->rank == b->rank;
    for (int d = 0; pitches && d < a->rank; d++)
        pitches = a->pitch[d] == b->pitch[d];
    return !pitches || boxesMeet(a, b);
}

// An input element by element where an output writes it is read in time; any other way needs a copy.
static bool isInTheWay(const Call *c, int port)
{
    const svm_BrookRole role = c->graph->ports[port].role;
    const svm_BrookStream *s = &c->streams[port];
    for (int i = 0; i < c->graph->count; i++) {
        const svm_BrookRole other = c->graph->ports[i].role;
        if ((other == SVM_BROOK_OUT || other == SVM_BROOK_REDUCED) && !isUnused(c, i) && meet(s, &c->streams[i]) &&
            !(role == SVM_BROOK_IN && other == SVM_BROOK_OUT && sameView(s, &c->streams[i])))
            return true;
    }
    return false;
}

static void checkOutputs(const Call *c)
{
    for (int i = 0; i < c->graph->count; i++)
        for (int k = 0; k < i && c->graph->ports[i].role == SVM_BROOK_OUT; k++)
            if (c->graph->ports[k].role == SVM_BROOK_OUT && meet(&c->streams[i], &c->streams[k]) &&
                !sameView(&c->streams[i], &c->streams[k]))
                svm_brookFail(c->at, "%s: the outputs '%s' and '%s' are parts of one stream that overlap",
                              c->graph->name, c->graph->ports[k].name, c->graph->ports[i].name);
}

static bool needsCopy(const Call *c, int port)
{
    const svm_BrookRole role = c->graph->ports[port].role;
    return (role == SVM_BROOK_IN || role == SVM_BROOK_GATHER) &&
           (c->streams[port].storage->iterator || isInTheWay(c, port));
}

// ---- Walks ----

static void walkStream(svm_BrookWalk *w, const svm_BrookStream *s, mm_Mem memory)
{
    const int before = SVM_BROOK_RANK - s->rank;
    w->span = 1;
    for (int d = 0; d < SVM_BROOK_RANK; d++) {
        w->extent[d] = d < before ? 1 : s->extent[d - before];
        w->pitch[d] = d < before ? 0 : s->pitch[d - before];
        w->span += (w->extent[d] - 1) * w->pitch[d];
    }
    w->base = 0;
    w->skew = 0;
    w->flat = s->rank == 1;
    memcpy(w->from, s->storage->from, sizeof w->from);
    memcpy(w->to, s->storage->to, sizeof w->to);
    w->address = 0;
    if (s->storage->data)
        w->address = svmr_brookAddress(s->storage, memory) + (size_t)s->offset * s->storage->size;
}

// Several ports may be one parameter's: the walk of one whose stream has been copied for it.
static const svm_BrookWalk *copiedBefore(const Call *c, int port)
{
    for (int i = 0; i < port; i++)
        if (!isUnused(c, i) && c->walks[i].copy && c->streams[i].storage == c->streams[port].storage &&
            sameView(&c->streams[i], &c->streams[port]))
            return &c->walks[i];
    return NULL;
}

static void walkPorts(Call *c, mm_Mem memory)
{
    for (int i = 0; i < c->graph->count; i++) {
        svm_BrookWalk *w = &c->walks[i];
        w->copy = NULL;
        w->rows = NULL;
        if (isUnused(c, i))
            continue;
        if (!needsCopy(c, i)) {
            walkStream(w, &c->streams[i], memory);
            continue;
        }
        const svm_BrookWalk *same = copiedBefore(c, i);
        if (same) {
            *w = *same;
            w->copy->users++;
            continue;
        }
        const svm_BrookStream copy = svmr_brookCopy(c->at, c->streams[i]);
        w->copy = copy.storage;
        walkStream(w, &copy, memory);
    }
}

// Whether dimension d and the faster one behind it are walked as one of n elements.
static bool canJoin(const Call *c, const svm_BrookWalk *w, int d)
{
    const ptrdiff_t n = c->space->extent[d], fast = c->space->extent[d + 1];
    if (fast == 1 && w->extent[d + 1] == 1)
        return true;
    if (w->extent[d] == 1 && w->extent[d + 1] == 1)
        return true; // always the same element
    if (c->reduces && w->extent[d + 1] % fast == 0 && w->extent[d] % n == 0 && (w->extent[d] == n || fast == 1))
        return w->extent[d] == 1 || w->pitch[d] == w->extent[d + 1] * w->pitch[d + 1]; // blocks stay in one piece
    return w->extent[d] == n && w->extent[d + 1] == fast && (n == 1 || w->pitch[d] == fast * w->pitch[d + 1]);
}

static void joinDimension(Call *c, int d)
{
    for (int i = 0; i < c->graph->count; i++) {
        svm_BrookWalk *w = &c->walks[i];
        if (!isWalked(c, i))
            continue;
        if (c->space->extent[d + 1] == 1 && w->extent[d + 1] == 1)
            w->pitch[d + 1] = w->pitch[d];
        w->extent[d + 1] *= w->extent[d];
        for (int k = d; k > 0; k--) {
            w->extent[k] = w->extent[k - 1];
            w->pitch[k] = w->pitch[k - 1];
        }
        w->extent[0] = 1;
    }
    ptrdiff_t *n = c->space->extent;
    n[d + 1] *= n[d];
    memmove(n + 1, n, (size_t)d * sizeof *n);
    n[0] = 1;
}

// Dimensions that the space has: those before have the extent 1 everywhere.
static void join(Call *c)
{
    for (int d = SVM_BROOK_RANK - 2, left = c->rank - 1; d >= 0 && left > 0; left--) {
        bool can = true;
        for (int i = 0; can && i < c->graph->count; i++)
            can = !isWalked(c, i) || canJoin(c, &c->walks[i], d);
        if (can)
            joinDimension(c, d);
        else
            d--;
    }
}

static svm_BrookForm formOf(const Call *c)
{
    const int last = SVM_BROOK_RANK - 1;
    svm_BrookForm form = SVM_BROOK_UNIT;
    for (int i = 0; i < c->graph->count; i++) {
        const svm_BrookWalk *w = &c->walks[i];
        if (!isWalked(c, i))
            continue;
        if (w->extent[last] != 1 && w->extent[last] % c->space->extent[last] != 0)
            return SVM_BROOK_ANY;
        if (svm_brookRatio(c->space, w) != 1 || w->pitch[last] != 1)
            form = SVM_BROOK_STEPS;
    }
    return form;
}

// ---- Outputs for strips ----

static bool isWritten(const svm_BrookGraph *graph, int port)
{
    return graph->ports[port].role == SVM_BROOK_OUT || graph->ports[port].role == SVM_BROOK_REDUCED;
}

// Elements that are whole units of what is moved.
static ptrdiff_t unitOf(size_t alignment, size_t size)
{
    size_t a = alignment, b = size;
    while (b) {
        const size_t rest = a % b;
        a = b;
        b = rest;
    }
    return (ptrdiff_t)(alignment / a);
}

// Whether strips can write an output where it is: its rows begin and end at whole units, or its only row ends with the
// storage, behind which there is room.
static bool isAligned(const Call *c, int port)
{
    const svm_BrookWalk *w = &c->walks[port];
    const svm_BrookStorage *s = c->streams[port].storage;
    const size_t unit = c->graph->alignment;
    bool good = w->address % unit == 0 && (w->pitch[3] == 1 || w->extent[3] == 1);
    for (int d = 0; d < SVM_BROOK_RANK - 1; d++)
        good = good && (w->extent[d] == 1 || (size_t)w->pitch[d] * s->size % unit == 0);
    const size_t row = (size_t)w->extent[3] * s->size;
    return good && (row % unit == 0 || (c->space->rows == 1 && w->address + row == s->address + s->bytes));
}

// A copy whose rows have room up to whole units.
static void padOutput(Call *c, int port)
{
    svm_BrookWalk *w = &c->walks[port];
    const size_t size = c->streams[port].storage->size;
    const ptrdiff_t unit = unitOf(c->graph->alignment, size), columns = c->space->columns,
                    wide = (columns + unit - 1) / unit * unit;
    svm_BrookStream copy = svm_brookMake(c->at, c->streams[port].name, &c->streams[port].storage->type, 2,
                                         (ptrdiff_t[]){c->space->rows, wide});
    w->copy = copy.storage;
    char *old = svmr_brookGather(c->at, c->streams[port]);
    for (ptrdiff_t row = 0; row < c->space->rows; row++)
        memcpy(copy.storage->data + (size_t)(row * wide) * size, old + (size_t)(row * columns) * size,
               (size_t)columns * size);
    free(old);
    w->address = svmr_brookAddress(copy.storage, c->streams[port].storage->memory);
    w->span = c->space->rows * wide;
    ptrdiff_t pitch = wide;
    for (int d = SVM_BROOK_RANK - 2; d >= 0; d--) {
        w->pitch[d] = pitch;
        pitch *= w->extent[d];
    }
    w->pitch[3] = 1;
}

static void padOutputs(Call *c)
{
    for (int i = 0; i < c->graph->count && c->graph->alignment; i++)
        if (isWritten(c->graph, i) && !isAligned(c, i))
            padOutput(c, i);
}

// Back to where they belong.
static void unpadOutput(const svm_BrookStream *stream, const svm_BrookWalk *w)
{
    const size_t size = stream->storage->size;
    const ptrdiff_t columns = w->extent[3], rows = w->extent[0] * w->extent[1] * w->extent[2];
    char *plain = svmr_allocate((size_t)(rows * columns), size);
    for (ptrdiff_t row = 0; row < rows; row++)
        memcpy(plain + (size_t)(row * columns) * size, w->copy->data + (size_t)(row * w->pitch[2]) * size,
               (size_t)columns * size);
    svm_brookRead(NULL, *stream, plain);
    free(plain);
}

bool svm_brookEnter(const svm_BrookPlace *at, const svm_BrookGraph *graph, mm_Mem memory,
                    const svm_BrookStream *streams, svm_BrookWalk *walks, svm_BrookSpace *space)
{
    Call c = {.at = at, .graph = graph, .streams = streams, .walks = walks, .space = space};
    checkPorts(&c);
    shapeSpace(&c);
    checkShapes(&c);
    space->rows = space->columns = 0;
    if (!c.filled)
        return false;
    checkGathers(&c);
    checkCoordinates(&c);
    checkOutputs(&c);
    if (!memory)
        return true;
    if (svm_brookMayWait(graph))
        svmr_brookFindRoom(graph, streams);
    else
        svmr_brookCatchUpAll(graph, streams);
    walkPorts(&c, memory);
    if (!graph->places)
        join(&c);
    space->columns = space->extent[SVM_BROOK_RANK - 1];
    space->rows = space->extent[0] * space->extent[1] * space->extent[2];
    padOutputs(&c);
    space->form = formOf(&c);
    return true;
}

void svm_brookLeave(const svm_BrookPlace *at, const svm_BrookGraph *graph, const svm_BrookStream *streams,
                    svm_BrookWalk *walks)
{
    (void)at;
    for (int i = 0; i < graph->count; i++) {
        if (walks[i].copy && isWritten(graph, i))
            unpadOutput(&streams[i], &walks[i]);
        svm_BrookStream copy = {.storage = walks[i].copy};
        svm_brookRelease(&copy);
        free(walks[i].rows);
    }
}

// ---- Caches ----

bool svm_brookGoesPast(const svm_BrookGraph *graph, const svm_BrookWalk *walks)
{
    enum { CACHES = 32 << 20 }; // what one program has of the last one on common computers, or more
    size_t bytes = 0;
    for (int i = 0; i < graph->count; i++) {
        if (graph->ports[i].role == SVM_BROOK_ITERATOR)
            continue;
        bytes += (size_t)walks[i].span * svm_brookTypeSize(&graph->ports[i].type);
        for (int k = 0; k < graph->count && isWritten(graph, i); k++)
            if (k != i && graph->ports[k].role != SVM_BROOK_ITERATOR && walks[k].address == walks[i].address)
                return false;
    }
    return bytes > CACHES;
}

// ---- Parts ----

enum { PART_ELEMENTS = 8192 }; // a part of fewer is not worth another processor

int svm_brookParts(const svm_BrookSpace *space, int most)
{
    const ptrdiff_t worth = space->rows * space->columns / PART_ELEMENTS,
                    lines = space->rows > space->columns ? space->rows : space->columns;
    const ptrdiff_t parts = worth < lines ? worth : lines;
    return parts < 1 ? 1 : parts < most ? (int)parts : most;
}

// In rows where there are enough, else in columns; these at multiples of a cache line's elements.
svm_BrookBox svm_brookPart(const svm_BrookSpace *space, int part, int parts)
{
    enum { LINE = 32 };
    svm_BrookBox box = {0, space->rows, 0, space->columns};
    if (space->rows >= parts) {
        box.row = space->rows * part / parts;
        box.rowEnd = space->rows * (part + 1) / parts;
    } else {
        box.column = space->columns * part / parts / LINE * LINE;
        if (part + 1 < parts)
            box.columnEnd = space->columns * (part + 1) / parts / LINE * LINE;
    }
    return box;
}

// ---- Results of variable length ----

static void padWithInfinity(char *to, const svm_BrookType *type, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (const char *leaf = type->leaves; *leaf; leaf++) {
            const float f = __builtin_inff();
            const double d = __builtin_inf();
            const int32_t n = 0; // there is no infinite int
            const size_t size = *leaf == 'd' ? sizeof d : sizeof f;
            memcpy(to, *leaf == 'd' ? (const void *)&d : *leaf == 'f' ? (const void *)&f : (const void *)&n, size);
            to += size;
        }
}

// Of rank 2 it is as wide as the widest input, and its last row is filled up.
void svm_brookGive(const svm_BrookPlace *at, const svm_BrookPort *port, const svm_BrookSpace *space,
                   svm_BrookStream *handle, const void *elements, size_t count)
{
    const int rank = handle->rank == 2 ? 2 : 1;
    if (handle->rank > 2)
        svm_brookFail(at, "output '%s': what is pushed to the stream '%s' of %d dimensions has no shape", port->name,
                      handle->name, handle->rank);
    ptrdiff_t extents[2] = {(ptrdiff_t)count};
    if (rank == 2) {
        extents[1] = space->extent[SVM_BROOK_RANK - 1];
        extents[0] = extents[1] ? ((ptrdiff_t)count + extents[1] - 1) / extents[1] : 0;
    }
    svm_BrookStream made = svm_brookMake(at, handle->name, &port->type, rank, extents);
    char *data = made.storage->data;
    if (count)
        memcpy(data, elements, count * made.storage->size);
    padWithInfinity(data + count * made.storage->size, &port->type, svm_brookCount(made) - count);
    svm_brookAssign(handle, made);
    svm_brookRelease(&made);
}
