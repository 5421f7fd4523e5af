// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions in local memories: tiles of results stay while the elements of their blocks come by, in order, a chunk of each
// block at a time.
#include "runtime/common/brook.h"

enum { LAST = SVM_BROOK_RANK - 1 };

static size_t upTo(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

static ptrdiff_t least(ptrdiff_t a, ptrdiff_t b)
{
    return a < b ? a : b;
}

// ---- Blocks ----

typedef struct Folding {
    const svm_BrookSpace *space;
    const svm_BrookWalk *in, *out;
    size_t inSize, outSize;                  // of elements
    ptrdiff_t count[SVM_BROOK_RANK], planes; // elements of a block in each dimension; planes of rows
    ptrdiff_t rows, columns;                 // of a block
    size_t blocks, unit;                     // alignment of blocks in the memory; what is moved
    size_t room;                             // for two tiles of results and two windows
    bool strided;                            // rows of a chunk come one by one, without what is between them
} Folding;

static int portOf(const svm_BrookGraph *graph, svm_BrookRole role)
{
    int port = 0;
    while (graph->ports[port].role != role)
        port++;
    return port;
}

static void setBlocks(Folding *f, const svm_BrookGraph *graph, const svm_BrookSpace *space, const svm_BrookWalk *walks)
{
    const int in = portOf(graph, SVM_BROOK_IN), out = portOf(graph, SVM_BROOK_REDUCED);
    *f = (Folding){.space = space, .in = &walks[in], .out = &walks[out]};
    f->inSize = svm_brookTypeSize(&graph->ports[in].type);
    f->outSize = svm_brookTypeSize(&graph->ports[out].type);
    for (int d = 0; d < SVM_BROOK_RANK; d++)
        f->count[d] = f->in->extent[d] / space->extent[d];
    f->planes = f->count[0] * f->count[1];
    f->rows = f->planes * f->count[2];
    f->columns = f->count[LAST];
}

svm_BrookFold svm_brookWhole(const svm_BrookSpace *space, const svm_BrookWalk *w)
{
    ptrdiff_t rows = 1;
    for (int d = 0; d < LAST; d++)
        rows *= w->extent[d] / space->extent[d];
    return (svm_BrookFold){0, rows, 0, w->extent[LAST] / space->extent[LAST], w->pitch[2], true};
}

// ---- Room ----

static size_t roomOfResults(const Folding *f, ptrdiff_t rows, ptrdiff_t columns)
{
    const ptrdiff_t elements =
        (columns - 1) * svm_brookStep(f->space, f->out) + (rows > 1 ? (rows - 1) * f->out->pitch[2] : 0) + 1;
    return upTo((size_t)elements * f->outSize + 2 * f->unit, f->blocks);
}

// Of so many results' blocks: so many rows and columns of each.
static size_t roomOfChunk(const Folding *f, ptrdiff_t rows, ptrdiff_t columns, ptrdiff_t foldRows,
                          ptrdiff_t foldColumns)
{
    const ptrdiff_t row = ((columns - 1) * f->columns + foldColumns - 1) * f->in->pitch[LAST];
    ptrdiff_t last = row + (rows - 1) * f->count[2] * f->in->pitch[2];
    if (f->strided && rows == 1)
        return upTo((size_t)foldRows * upTo((size_t)(row + 1) * f->inSize + f->unit, f->unit), f->blocks);
    if (foldRows > f->count[2])
        for (int d = 0; d < LAST; d++)
            last += (f->count[d] - 1) * f->in->pitch[d];
    else
        last += (foldRows - 1) * f->in->pitch[2];
    return upTo((size_t)(last + 1) * f->inSize + 2 * f->unit, f->blocks);
}

static bool fitsIn(const Folding *f, ptrdiff_t rows, ptrdiff_t columns, ptrdiff_t foldRows, ptrdiff_t foldColumns)
{
    return 2 * (roomOfResults(f, rows, columns) + roomOfChunk(f, rows, columns, foldRows, foldColumns)) <= f->room;
}

static ptrdiff_t unitOfColumns(const Folding *f)
{
    ptrdiff_t unit = 1;
    while ((size_t)unit * f->outSize % f->unit != 0)
        unit *= 2;
    return unit;
}

static bool isSmall(const Folding *f, ptrdiff_t columns)
{
    enum { SMALL = 4096 };
    return (size_t)(columns * f->rows * f->columns) * f->inSize < SMALL;
}

// ---- Choices ----

static void growColumns(const Folding *f, ptrdiff_t unit, ptrdiff_t fair, svm_BrookLayout *l)
{
    const ptrdiff_t all = f->space->columns;
    for (ptrdiff_t more = unit; more >= unit && l->columns < all;) {
        const ptrdiff_t columns = least(l->columns + more, all);
        const bool good =
            (isSmall(f, l->columns) || columns <= fair) && fitsIn(f, 1, columns, l->foldRows, l->foldColumns);
        l->columns = good ? columns : l->columns;
        more = good ? more * 2 : more / 2 / unit * unit;
    }
}

static void growRows(const Folding *f, ptrdiff_t fair, svm_BrookLayout *l)
{
    while (l->rows * 2 <= f->space->extent[LAST - 1] && l->rows * 2 * l->columns <= fair &&
           fitsIn(f, l->rows * 2, l->columns, l->foldRows, l->foldColumns))
        l->rows *= 2;
}

static void growFold(const Folding *f, ptrdiff_t results, ptrdiff_t *n, ptrdiff_t all, svm_BrookLayout *l)
{
    for (ptrdiff_t more = 1; more >= 1 && *n < all;) {
        const ptrdiff_t before = *n;
        *n = least(before + more, all);
        const bool good = fitsIn(f, 1, results, l->foldRows, l->foldColumns);
        *n = good ? *n : before;
        more = good ? more * 2 : more / 2;
    }
}

// Whole blocks if one, or a unit of them, fits; else some rows of each; else one result at a time.
static bool chooseTile(const Folding *f, int processors, svm_BrookLayout *l)
{
    enum { FEW_ROWS = 8 };
    const ptrdiff_t all = f->space->columns, unit = unitOfColumns(f), few = least(f->count[2], FEW_ROWS),
                    fair = f->space->rows * all / (2 * processors) + 1;
    l->rows = 1;
    l->columns = l->runColumns = least(unit, all);
    l->foldRows = f->rows;
    l->foldColumns = f->columns;
    if (!fitsIn(f, 1, l->columns, f->rows, f->columns))
        l->foldRows = fitsIn(f, 1, l->columns, few, f->columns) ? few : 1;
    if (fitsIn(f, 1, l->columns, l->foldRows, f->columns)) {
        growColumns(f, unit, fair, l);
        if (l->foldRows < f->rows)
            growFold(f, l->columns, &l->foldRows, f->count[2], l);
        else if (l->columns == all && (f->in->extent[LAST] == f->in->pitch[2] && f->out->pitch[2] == all))
            growRows(f, fair, l);
        l->runColumns = l->columns;
        return true;
    }
    l->runColumns = l->foldRows = l->foldColumns = 1;
    if (2 * (roomOfResults(f, 1, l->columns) + roomOfChunk(f, 1, 1, 1, 1)) > f->room)
        return false;
    Folding one = *f; // one result's elements come beside a tile
    one.room -= 2 * (roomOfResults(f, 1, l->columns) - roomOfResults(f, 1, 1));
    growFold(&one, 1, &l->foldColumns, f->columns, l);
    if (l->foldColumns == f->columns)
        growFold(&one, 1, &l->foldRows, f->count[2], l);
    return true;
}

// A fold takes one element after the other, which processors may be slow at, more than estimates say.
bool svmr_brookFoldsThere(const svm_BrookGraph *graph, const svm_BrookWalk *walks)
{
    enum { DOUBT = 8 };
    const svm_BrookCost *cost = &graph->cost;
    double bytes = 0, firings = 0;
    for (int i = 0; i < graph->count; i++) {
        const svm_BrookPort *p = &graph->ports[i];
        if (p->role != SVM_BROOK_IN && p->role != SVM_BROOK_GATHER)
            continue;
        double elements = 1;
        for (int d = 0; d < SVM_BROOK_RANK; d++)
            elements *= (double)walks[i].extent[d];
        bytes += elements * (double)svm_brookTypeSize(&p->type);
        if (p->role == SVM_BROOK_IN)
            firings = elements;
    }
    return firings * cost->direct * DOUBT < cost->strip + bytes * cost->byte + firings * cost->local;
}

bool svm_brookLayOutFold(const svm_BrookGraph *graph, const svm_BrookSpace *space, const svm_BrookWalk *walks,
                         size_t bytes, size_t blocks, int processors, bool strided, bool whole,
                         svm_BrookWindow *windows, svm_BrookLayout *layout)
{
    Folding f;
    setBlocks(&f, graph, space, walks);
    f.unit = graph->alignment;
    f.blocks = blocks > f.unit ? blocks : f.unit;
    const size_t at = svmr_brookLayOutGathers(graph, walks, f.unit, f.blocks, windows);
    if (at >= bytes || svmr_brookFoldsThere(graph, walks))
        return false;
    f.room = (bytes - at) / f.blocks * f.blocks;
    f.strided = strided && f.planes == 1 && f.in->pitch[LAST] == 1 && f.in->address % f.unit == 0 &&
                (f.unit % f.inSize == 0 || f.inSize % f.unit == 0) &&
                (f.rows == 1 || (size_t)f.in->pitch[2] * f.inSize % f.unit == 0) &&
                (size_t)(unitOfColumns(&f) * f.columns) * f.inSize % f.unit == 0;
    *layout = (svm_BrookLayout){.alignment = f.unit, .strided = f.strided};
    if (!chooseTile(&f, processors, layout) ||
        (whole && (layout->foldRows < f.rows || layout->foldColumns < f.columns)))
        return false;
    const size_t results = roomOfResults(&f, layout->rows, layout->columns);
    layout->results = at;
    layout->result = results;
    layout->windows = at + 2 * results;
    layout->window = roomOfChunk(&f, layout->rows, layout->runColumns, layout->foldRows, layout->foldColumns);
    return layout->windows + 2 * layout->window <= bytes;
}

// ---- Steps ----

// The tile's next run: on in its results' blocks, or with the results behind them.
static bool nextRun(const Folding *f, const svm_BrookLayout *l, svm_BrookStep *s)
{
    svm_BrookFold *fold = &s->fold;
    fold->begins = false;
    if (fold->columnEnd < f->columns) {
        fold->column = fold->columnEnd;
    } else if (fold->rowEnd < f->rows) {
        fold->row = fold->rowEnd;
        fold->column = 0;
    } else if (s->box.columnEnd < s->tile.columnEnd) {
        s->box.column = s->box.columnEnd;
        s->box.columnEnd = least(s->box.column + l->runColumns, s->tile.columnEnd);
        *fold = (svm_BrookFold){.begins = true};
    } else {
        return false;
    }
    fold->columnEnd = least(fold->column + l->foldColumns, f->columns);
    fold->rowEnd = fold->row + l->foldRows;
    if (l->foldRows < f->rows) { // not beyond the plane
        const ptrdiff_t plane = (fold->row / f->count[2] + 1) * f->count[2];
        fold->rowEnd = least(fold->rowEnd, plane);
    }
    return true;
}

bool svm_brookNextStep(const svm_BrookGraph *graph, const svm_BrookSpace *space, const svm_BrookLayout *layout,
                       const svm_BrookWalk *walks, svm_BrookBox *last, svm_BrookStep *step)
{
    Folding f;
    setBlocks(&f, graph, space, walks);
    step->opens = false;
    if (step->runs == 0 || !nextRun(&f, layout, step)) {
        if (!svm_brookNextStrip(space, layout, last))
            return false;
        step->tile = step->box = *last;
        step->box.columnEnd = step->box.column;
        step->fold = (svm_BrookFold){.rowEnd = f.rows, .columnEnd = f.columns};
        step->tiles++;
        step->opens = nextRun(&f, layout, step);
    }
    step->runs++;
    step->closes =
        step->fold.columnEnd == f.columns && step->fold.rowEnd == f.rows && step->box.columnEnd == step->tile.columnEnd;
    return true;
}

svm_BrookRows svm_brookReachFold(const svm_BrookGraph *graph, const svm_BrookSpace *space,
                                 const svm_BrookLayout *layout, svm_BrookStep *step, svm_BrookWalk *walks)
{
    Folding f;
    setBlocks(&f, graph, space, walks);
    const svm_BrookBox *box = &step->box;
    svm_BrookFold *fold = &step->fold;
    svm_BrookWalk *walk = &walks[portOf(graph, SVM_BROOK_IN)];
    const size_t unit = layout->alignment, size = f.inSize;
    walk->base = 0;
    const ptrdiff_t block = svm_brookRow(space, walk, box->row) + box->column * f.columns * walk->pitch[LAST],
                    lastBlock = svm_brookRow(space, walk, box->rowEnd - 1) +
                                (box->columnEnd - 1) * f.columns * walk->pitch[LAST],
                    first = block + svm_brookFoldRow(f.count, walk, fold->row) + fold->column * walk->pitch[LAST],
                    inFirst = lastBlock + svm_brookFoldRow(f.count, walk, fold->row) +
                              (fold->columnEnd - 1) * walk->pitch[LAST],
                    last = inFirst - svm_brookFoldRow(f.count, walk, fold->row) +
                           svm_brookFoldRow(f.count, walk, fold->rowEnd - 1);
    const size_t begin = walk->address + (size_t)first * size, down = begin / unit * unit;
    const bool strided = layout->strided && layout->rows == 1 && fold->rowEnd - fold->row > 1;
    const size_t end = walk->address + (size_t)((strided ? inFirst : last) + 1) * size;
    svm_BrookRows rows = {.address = down, .bytes = upTo(end, unit) - down, .count = 1};
    fold->pitch = walk->pitch[2];
    if (strided) {
        rows.count = (size_t)(fold->rowEnd - fold->row);
        rows.stride = (size_t)walk->pitch[2] * size;
        fold->pitch = (ptrdiff_t)(rows.bytes / size);
    }
    // Row `row` of a block is that many pitches behind the block's place.
    walk->base = strided ? block + fold->row * fold->pitch + fold->column : first;
    walk->skew = begin - down;
    return rows;
}
