// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Strips: how much of a space fits a local memory at a time, and what each strip reaches of its streams.
#include "runtime/common/brook.h"

#include <stdlib.h>
#include <string.h>

enum { LAST = SVM_BROOK_RANK - 1 };

static size_t upTo(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

static bool isMoved(const svm_BrookPort *p)
{
    return p->role == SVM_BROOK_IN || p->role == SVM_BROOK_OUT || p->role == SVM_BROOK_VARIABLE ||
           (p->role == SVM_BROOK_GATHER && p->near);
}

static bool stays(const svm_BrookPort *p)
{
    return p->role == SVM_BROOK_GATHER && !p->near;
}

// ---- Room ----

// Places of a stream's dimension d from the first to the last that n of the space's lead to, at most.
static ptrdiff_t placesOf(const svm_BrookSpace *space, const svm_BrookWalk *w, int d, ptrdiff_t n)
{
    const ptrdiff_t m = w->extent[d], all = space->extent[d];
    if (m == 1)
        return 0;
    return m % all == 0 ? (n - 1) * (m / all) : (n - 1) * m / all + 1;
}

typedef struct Strips {
    const svm_BrookGraph *graph;
    const svm_BrookSpace *space;
    const svm_BrookWalk *walks;
    size_t blocks; // alignment of blocks in the memory
    size_t unit;   // of what is moved
    size_t window; // room for a strip
} Strips;

void svm_brookBeginRows(const svm_BrookSpace *space, svm_BrookWalk *walk)
{
    walk->rows = svmr_allocate((size_t)space->rows, sizeof *walk->rows);
}

// The first and the last row that some rows of the space gather from.
static void rowsOf(const svm_BrookWalk *w, ptrdiff_t row, ptrdiff_t end, ptrdiff_t *first, ptrdiff_t *last)
{
    *first = *last = w->rows[row];
    for (; row < end; row++) {
        *first = w->rows[row] < *first ? w->rows[row] : *first;
        *last = w->rows[row] > *last ? w->rows[row] : *last;
    }
}

// Rows from the first to the last that strips of so many gather from, at most.
static ptrdiff_t widestRows(const svm_BrookSpace *space, const svm_BrookWalk *w, ptrdiff_t rows)
{
    const ptrdiff_t group = space->extent[LAST - 1];
    ptrdiff_t most = 0;
    for (ptrdiff_t row = 0; rows > 1 && row < space->rows;) {
        const ptrdiff_t left = group - row % group, end = row + (rows < left ? rows : left);
        ptrdiff_t first, last;
        rowsOf(w, row, end, &first, &last);
        most = last - first > most ? last - first : most;
        row = end;
    }
    return most;
}

// Elements from the first to the last that a strip reaches, at most.
static ptrdiff_t elementsNear(const Strips *s, int port, ptrdiff_t rows, ptrdiff_t columns)
{
    const svm_BrookWalk *w = &s->walks[port];
    const svm_BrookPort *p = &s->graph->ports[port];
    ptrdiff_t last = 0;
    for (int k = 0; k < p->rank; k++) {
        const svm_BrookNear *near = &p->near[k];
        const int d = SVM_BROOK_RANK - p->rank + k;
        ptrdiff_t most = w->extent[d] - 1;
        if (near->port >= 0) {
            const ptrdiff_t n = near->dimension == LAST       ? columns
                                : near->dimension == LAST - 1 ? rows
                                                              : 1,
                            wide = placesOf(s->space, &s->walks[near->port], near->dimension, n) + near->most -
                                   near->least;
            most = wide < most ? wide : most;
        } else if (near->port == SVM_BROOK_BY_ROWS) {
            most = widestRows(s->space, w, rows);
        }
        last += most * w->pitch[d];
    }
    return last + 1;
}

static size_t roomOf(const Strips *s, int port, ptrdiff_t rows, ptrdiff_t columns)
{
    const svm_BrookWalk *w = &s->walks[port];
    const svm_BrookPort *p = &s->graph->ports[port];
    if (p->role == SVM_BROOK_VARIABLE)
        return upTo(SVM_BROOK_HEADER + (size_t)(rows * columns * p->most) * svm_brookTypeSize(&p->type), s->unit);
    const ptrdiff_t elements = p->role == SVM_BROOK_GATHER
                                   ? elementsNear(s, port, rows, columns)
                                   : placesOf(s->space, w, LAST, columns) * w->pitch[LAST] +
                                         placesOf(s->space, w, LAST - 1, rows) * w->pitch[LAST - 1] + 1;
    return (size_t)elements * svm_brookTypeSize(&p->type) + 2 * s->unit; // both ends go out to whole units
}

static size_t roomOfStrip(const Strips *s, ptrdiff_t rows, ptrdiff_t columns)
{
    size_t bytes = 0;
    for (int i = 0; i < s->graph->count; i++)
        if (isMoved(&s->graph->ports[i]))
            bytes += upTo(roomOf(s, i, rows, columns), s->blocks);
    return bytes;
}

// A strip so small that there are better things to do than to share it out.
static bool isSmall(const Strips *s, ptrdiff_t columns)
{
    enum { SMALL = 1024 };
    return columns < 64 && roomOfStrip(s, 1, columns) < SMALL;
}

// Columns such that strips of outputs begin at whole units.
static ptrdiff_t unitOfColumns(const Strips *s)
{
    ptrdiff_t most = 1;
    for (int i = 0; i < s->graph->count; i++) {
        size_t size = svm_brookTypeSize(&s->graph->ports[i].type);
        ptrdiff_t unit = 1;
        while ((size_t)unit * size % s->unit != 0)
            unit *= 2;
        if (s->graph->ports[i].role == SVM_BROOK_OUT && unit > most)
            most = unit;
    }
    return most;
}

// Rows lie one after the other without elements of others between them, so that several are one strip.
static bool rowsAreTogether(const Strips *s)
{
    for (int i = 0; i < s->graph->count; i++) {
        const svm_BrookWalk *w = &s->walks[i];
        if (s->graph->ports[i].role == SVM_BROOK_OUT && !w->copy && w->pitch[LAST - 1] != s->space->columns)
            return false;
    }
    return true;
}

// The largest strip that fits, and small enough that all processors have some.
static bool chooseStrip(const Strips *s, int processors, svm_BrookLayout *layout)
{
    const ptrdiff_t unit = unitOfColumns(s), all = s->space->columns,
                    fair = s->space->rows * all / (2 * processors) + 1;
    ptrdiff_t columns = all, rows = 1;
    if (roomOfStrip(s, 1, all) > s->window || (s->space->rows < 2 * processors && all > fair)) {
        columns = unit;
        while (columns * 2 < all && (isSmall(s, columns) || columns * 2 <= fair) &&
               roomOfStrip(s, 1, columns * 2) <= s->window)
            columns *= 2;
        for (ptrdiff_t more = columns / 2 / unit * unit; more >= unit; more = more / 2 / unit * unit)
            while (columns + more < all && (isSmall(s, columns) || columns + more <= fair) &&
                   roomOfStrip(s, 1, columns + more) <= s->window)
                columns += more;
    } else if (rowsAreTogether(s)) {
        const size_t worth = 2 * roomOfStrip(s, 1, all); // of a row: rows that are gathered may lie far apart
        while (rows * 2 <= s->space->extent[LAST - 1] && rows * 2 * all <= fair &&
               roomOfStrip(s, rows * 2, all) <= s->window && roomOfStrip(s, rows * 2, all) / worth <= (size_t)rows * 2)
            rows *= 2;
    }
    layout->rows = rows;
    layout->columns = columns;
    return roomOfStrip(s, rows, columns) <= s->window;
}

size_t svmr_brookLayOutGathers(const svm_BrookGraph *graph, const svm_BrookWalk *walks, size_t unit, size_t blocks,
                               svm_BrookWindow *windows)
{
    size_t at = 0;
    for (int i = 0; i < graph->count; i++) {
        if (!stays(&graph->ports[i]))
            continue;
        windows[i].offset = at;
        windows[i].bytes = (size_t)walks[i].span * svm_brookTypeSize(&graph->ports[i].type) + 2 * unit;
        at += upTo(windows[i].bytes, blocks);
    }
    return at;
}

// Whether strips take far longer than a call that works in the shared memory, since each needs most of a stream: estimates
// are good to a factor of 2.
static bool isTooSlow(const Strips *s, const svm_BrookLayout *layout)
{
    enum { DOUBT = 2 };
    const svm_BrookCost *cost = &s->graph->cost;
    const double firings = (double)s->space->rows * (double)s->space->columns,
                 strips = (double)((s->space->rows + layout->rows - 1) / layout->rows) *
                          (double)((s->space->columns + layout->columns - 1) / layout->columns),
                 moves = strips * (double)roomOfStrip(s, layout->rows, layout->columns) * cost->byte,
                 works = firings * cost->local;
    return firings * cost->direct * DOUBT < (moves > works ? moves : works) + strips * cost->strip;
}

bool svm_brookLayOut(const svm_BrookGraph *graph, const svm_BrookSpace *space, const svm_BrookWalk *walks, size_t bytes,
                     size_t blocks, int processors, svm_BrookWindow *windows, svm_BrookLayout *layout)
{
    Strips s = {.graph = graph, .space = space, .walks = walks, .unit = graph->alignment};
    s.blocks = blocks > s.unit ? blocks : s.unit;
    size_t at = svmr_brookLayOutGathers(graph, walks, s.unit, s.blocks, windows);
    if (at >= bytes)
        return false;
    s.window = (bytes - at) / 2 / s.blocks * s.blocks;
    *layout = (svm_BrookLayout){.alignment = s.unit, .windows = at, .window = s.window};
    if (!chooseStrip(&s, processors, layout) || isTooSlow(&s, layout))
        return false;
    at = 0;
    for (int i = 0; i < graph->count; i++) {
        if (!isMoved(&graph->ports[i]))
            continue;
        windows[i].offset = at;
        windows[i].bytes = roomOf(&s, i, layout->rows, layout->columns);
        at += upTo(windows[i].bytes, s.blocks);
    }
    return true;
}

// ---- What is pushed ----

bool svm_brookKeep(svm_BrookKept *kept, const svm_Block *window, size_t size)
{
    const char *data = svm_blockData(window);
    int64_t pushed;
    memcpy(&pushed, data, sizeof pushed);
    const size_t count = (size_t)pushed;
    if (count > (window->capacity * window->elementSize - SVM_BROOK_HEADER) / size)
        return false;
    if (kept->count + count > kept->room) {
        kept->room = (kept->count + count) * 2;
        char *larger = svmr_allocate(kept->room, size);
        if (kept->count)
            memcpy(larger, kept->data, kept->count * size);
        free(kept->data);
        kept->data = larger;
    }
    if (count)
        memcpy(kept->data + kept->count * size, data + SVM_BROOK_HEADER, count * size);
    kept->count += count;
    return true;
}

void svm_brookFromFirst(svm_BrookWalk *walks, int count)
{
    for (int i = 0; i < count; i++) {
        walks[i].base = 0;
        walks[i].skew = 0;
    }
}

void svm_brookGiveKept(const svm_BrookPlace *at, const svm_BrookPort *port, const svm_BrookSpace *space,
                       svm_BrookStream *handle, svm_BrookKept *kept, bool complete)
{
    if (complete)
        svm_brookGive(at, port, space, handle, kept->data, kept->count);
    free(kept->data);
}

// ---- One after the other ----

bool svm_brookNextStrip(const svm_BrookSpace *space, const svm_BrookLayout *layout, svm_BrookBox *box)
{
    const bool first = box->rowEnd == 0, within = !first && box->columnEnd < space->columns;
    if (!within) {
        box->row = box->rowEnd;
        if (box->row >= space->rows)
            return false;
        const ptrdiff_t group = space->extent[LAST - 1], left = group - box->row % group;
        box->rowEnd = box->row + (layout->rows < left ? layout->rows : left);
    }
    box->column = within ? box->columnEnd : 0;
    box->columnEnd = box->column + layout->columns;
    if (box->columnEnd > space->columns)
        box->columnEnd = space->columns;
    return true;
}

// The place of a port in dimension d that a strip's first firings have, or its last.
static ptrdiff_t placeIn(const svm_BrookSpace *space, const svm_BrookWalk *w, int d, const svm_BrookBox *box, bool last)
{
    if (d == LAST)
        return svm_brookPlace(space, w, last ? box->columnEnd - 1 : box->column);
    return svm_brookPlaceOfRow(space, w, last ? box->rowEnd - 1 : box->row, d);
}

static void reachNear(const svm_BrookGraph *graph, int port, const svm_BrookSpace *space, const svm_BrookBox *box,
                      const svm_BrookWalk *walks, ptrdiff_t *first, ptrdiff_t *last)
{
    const svm_BrookPort *p = &graph->ports[port];
    *first = *last = 0;
    for (int k = 0; k < p->rank; k++) {
        const svm_BrookNear *near = &p->near[k];
        const int d = SVM_BROOK_RANK - p->rank + k;
        const ptrdiff_t n = walks[port].extent[d], pitch = walks[port].pitch[d];
        ptrdiff_t from = 0, to = n - 1;
        if (near->port >= 0) {
            from = placeIn(space, &walks[near->port], near->dimension, box, false) + near->least;
            to = placeIn(space, &walks[near->port], near->dimension, box, true) + near->most;
        } else if (near->port == SVM_BROOK_BY_ROWS) {
            rowsOf(&walks[port], box->row, box->rowEnd, &from, &to);
        }
        *first += svm_brookClamp(from, n) * pitch;
        *last += svm_brookClamp(to, n) * pitch;
    }
}

svm_BrookReach svm_brookReach(const svm_BrookGraph *graph, int port, const svm_BrookSpace *space,
                              const svm_BrookLayout *layout, const svm_BrookBox *box, svm_BrookWalk *walks)
{
    const svm_BrookPort *p = &graph->ports[port];
    svm_BrookWalk *walk = &walks[port];
    const size_t size = svm_brookTypeSize(&p->type), unit = layout->alignment;
    ptrdiff_t first = 0, last = walk->span - 1;
    walk->base = 0;
    if (p->role == SVM_BROOK_GATHER && p->near) {
        reachNear(graph, port, space, box, walks, &first, &last);
    } else if (p->role != SVM_BROOK_GATHER) {
        first = svm_brookRow(space, walk, box->row) + svm_brookPlace(space, walk, box->column) * walk->pitch[LAST];
        last = svm_brookRow(space, walk, box->rowEnd - 1) +
               svm_brookPlace(space, walk, box->columnEnd - 1) * walk->pitch[LAST];
    }
    const size_t begin = walk->address + (size_t)first * size, end = walk->address + (size_t)(last + 1) * size,
                 down = begin / unit * unit;
    walk->base = first;
    walk->skew = begin - down;
    return (svm_BrookReach){down, upTo(end, unit) - down};
}
