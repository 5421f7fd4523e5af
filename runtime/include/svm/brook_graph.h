// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What compiled finite graphs use (svm/brook.h says what they are called with): the iteration space of a call, how each
// stream is walked in it, and the few lines of arithmetic that their kernels need.
#ifndef SVM_BROOK_GRAPH_H
#define SVM_BROOK_GRAPH_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "svm/brook.h"
#include "svm/brook_folds.h"
#include "svm/brook_past.h"
#include "svm/brook_take.h"
#include "svm/brook_turn.h"
#include "svm/svm.h"

typedef enum svm_BrookRole {
    SVM_BROOK_IN,
    SVM_BROOK_OUT,
    SVM_BROOK_GATHER,
    SVM_BROOK_ITERATOR,
    SVM_BROOK_REDUCED,
    SVM_BROOK_VARIABLE
} svm_BrookRole;

enum { SVM_BROOK_BY_ROWS = -2 };

// Where all subscripts are that a firing has in one dimension of a gathered stream: at its place in dimension
// `dimension` (3: in the row) of a port, and so far beside it.
typedef struct svm_BrookNear {
    int port; // -1: anywhere; SVM_BROOK_BY_ROWS, in the slowest dimension: where the walk's `rows` say
    int dimension;
    ptrdiff_t least, most;
} svm_BrookNear;

// A parameter that is a stream.
typedef struct svm_BrookPort {
    const char *name;
    svm_BrookRole role;
    svm_BrookType type;
    int rank;                  // of what is gathered
    const svm_BrookNear *near; // so many, the slowest dimension first; NULL: each firing may gather from anywhere
    ptrdiff_t most;            // of what is pushed: elements a firing that strips have room for; of an output: 1: it is
                               // written by every firing, and not read before
} svm_BrookPort;

// About how long parts of a call take, in nanoseconds.
typedef struct svm_BrookCost {
    double direct, local; // a firing on all processors that reach the shared memory, and on all that work in their own
    double strip;         // a strip's kernel and transfers, to start and to stop
    double byte;          // moved
} svm_BrookCost;

// A row of firings of a run. For each port: where the row begins of an output; where a gathered stream begins, or would
// begin for the row of it that is gathered from to be where it is.
typedef void svm_BrookRowFunction(const void *run, ptrdiff_t row, char *const *at);

// Rows of firings of two calls of a graph, where firings of the next one gather, each from a row, what those of the first
// make. `rows` has a row of the first call for each row that a firing gathers from; and a row of the next one for each
// output: it gathers what that output is of all of those. For each of the rows, `at` has a pointer a port, as above.
enum { SVM_BROOK_LINES = 4 }; // of either, at most
typedef void svm_BrookTwiceFunction(const void *first, const void *next, const ptrdiff_t *rows, char *const *at);

// What has been found about calls that waited. Private.
typedef struct svm_BrookRounds {
    int misses;    // calls in turn that waited in vain
    void *unused;  // room of a call that has waited
    void *found;   // how rows of two calls go together
    unsigned turn; // how many have been found: new ones take the places of the oldest
} svm_BrookRounds;

struct svm_BrookWalk;

// How calls go row by row, so that they may wait for the next one. All ports are outputs, which every firing writes, and
// gathered streams.
typedef struct svm_BrookRowwise {
    svm_BrookRowFunction *row;
    svm_BrookTwiceFunction *twice;
    void (*find)(const void *run, struct svm_BrookWalk *walks); // makes the `rows` of walks
    size_t bytes, uniforms;                                     // of a run; before what is the same for all firings
    int lines, line[SVM_BROOK_LINES];                           // ports that gather rows
    svm_BrookRounds *rounds;
} svm_BrookRowwise;

typedef struct svm_BrookGraph {
    const char *name; // as in the source
    int count;
    const svm_BrookPort *ports;
    bool anyExtents;  // of inputs, whether or not they divide the output's
    bool places;      // firings see where they are, so that dimensions stay apart
    size_t alignment; // of what strips move, in bytes: each row of an output begins at such an address; 0: no strips
    svm_BrookCost cost;
    const svm_BrookRowwise *rowwise; // NULL: calls never wait
} svm_BrookGraph;

// How a stream is walked: in dimension d, index i of the space's n leads to element i * extent[d] / n * pitch[d].
// Dimensions are the last of the four; others have the extent 1. Of a gathered stream they are its own.
typedef struct svm_BrookWalk {
    size_t address; // of the first element
    ptrdiff_t span; // elements from there to the last
    ptrdiff_t extent[SVM_BROOK_RANK], pitch[SVM_BROOK_RANK];
    ptrdiff_t base;                                 // elements before the first that a kernel's block has
    size_t skew;                                    // bytes of the block before that
    float from[SVM_BROOK_RANK], to[SVM_BROOK_RANK]; // of an iterator
    bool flat;                                      // all components of the iterator go along its only dimension
    svm_BrookStorage *copy;                         // the call's own, walked in the stream's place; NULL: none
    ptrdiff_t *rows;                                // where each row of the space gathers from; NULL: not known
} svm_BrookWalk;

// How positions in rows go: by one; by a constant step; otherwise.
typedef enum svm_BrookForm { SVM_BROOK_UNIT, SVM_BROOK_STEPS, SVM_BROOK_ANY } svm_BrookForm;

// The places of the firings. Rows are all dimensions but the fastest; joined where all streams allow it.
typedef struct svm_BrookSpace {
    ptrdiff_t extent[SVM_BROOK_RANK];
    ptrdiff_t rows, columns;
    svm_BrookForm form;
} svm_BrookSpace;

// Firings of one run: rows and columns from a first up to an end.
typedef struct svm_BrookBox {
    ptrdiff_t row, rowEnd, column, columnEnd;
} svm_BrookBox;

// Into how many parts of some size a space is worth being cut, `most` at most; and a part of them.
int svm_brookParts(const svm_BrookSpace *space, int most);
svm_BrookBox svm_brookPart(const svm_BrookSpace *space, int part, int parts);

// Checks a call's streams, in the order of the graph's ports, and says how to walk them; false: there is nothing to do,
// and nothing to leave. An input that is an iterator, or lies over an output in another way than element by element, is
// copied. memory NULL: they are checked only.
bool svm_brookEnter(const svm_BrookPlace *at, const svm_BrookGraph *graph, mm_Mem memory,
                    const svm_BrookStream *streams, svm_BrookWalk *walks, svm_BrookSpace *space);
// Room for a gathered stream's `rows`, until the call is left.
void svm_brookBeginRows(const svm_BrookSpace *space, svm_BrookWalk *walk);
void svm_brookLeave(const svm_BrookPlace *at, const svm_BrookGraph *graph, const svm_BrookStream *streams,
                    svm_BrookWalk *walks);
// Whether a call's outputs had better go past the caches: its streams are larger than all of them, and no input is where an
// output is.
bool svm_brookGoesPast(const svm_BrookGraph *graph, const svm_BrookWalk *walks);
// Whether calls whose streams are these can be one: those inside, which are between them, and all outputs have the same
// shape, nothing is written that another port reads or writes, and there is nothing that entering would complain of. Of a
// reduction, all inputs have that shape, and there is one result, or rows of blocks are not short, or they are the blocks
// and lie one behind the other.
bool svm_brookFuses(const svm_BrookGraph *graph, const svm_BrookStream *streams, int count,
                    const svm_BrookStream *inside);

// ---- Calls that wait for the next one ----

// Where a host program's loop does nothing but to call kernels (svm_brookBeginRounds), a call that makes all of a stream is put
// off. If the next one gathers whole rows of that stream, both go together, and these rows are never stored. The stream is made
// later from what the call had, if anybody looks at it before it is written once more.
bool svm_brookMayWait(const svm_BrookGraph *graph);
// false: the call is to be done now.
bool svm_brookWait(const svm_BrookGraph *graph, const svm_BrookSpace *space, const svm_BrookStream *streams,
                   svm_BrookWalk *walks, const void *run);

// ---- Strips: what is moved to local memories ----

// Where a stream's elements are in a window; of a gathered stream, in what is before the windows.
typedef struct svm_BrookWindow {
    size_t offset, bytes;
} svm_BrookWindow;

// How a local memory is used: streams that are gathered from anywhere stay, and strips have two windows in turn.
typedef struct svm_BrookLayout {
    size_t alignment, windows, window; // in bytes: of all that is moved; where the windows begin; of each
    ptrdiff_t rows, columns;           // of a strip, at most
    // Of a reduction, whose strips are tiles of results:
    size_t results, result;                      // where the two places for tiles begin; bytes of each
    ptrdiff_t runColumns, foldRows, foldColumns; // of a run: results in a row; rows and columns of each block
    bool strided;                                // rows of blocks are moved one by one
} svm_BrookLayout;

// Lays out a call's streams in memories of so many bytes whose blocks begin at multiples of `blocks`. false: they do not
// fit, as a gathered stream is too large.
bool svm_brookLayOut(const svm_BrookGraph *graph, const svm_BrookSpace *space, const svm_BrookWalk *walks, size_t bytes,
                     size_t blocks, int processors, svm_BrookWindow *windows, svm_BrookLayout *layout);
// The strip behind a box; the first behind one of zeroes. false: there is none.
bool svm_brookNextStrip(const svm_BrookSpace *space, const svm_BrookLayout *layout, svm_BrookBox *box);

// What a strip reaches of a port's stream, in whole units of what is moved. Its walk goes on from there.
typedef struct svm_BrookReach {
    size_t address, bytes;
} svm_BrookReach;
svm_BrookReach svm_brookReach(const svm_BrookGraph *graph, int port, const svm_BrookSpace *space,
                              const svm_BrookLayout *layout, const svm_BrookBox *box, svm_BrookWalk *walks);

// ---- Streams that stay in a local memory from call to call ----

// The memory, of machines with one; what moves streams there and back.
typedef struct svm_BrookHome {
    mm_Mem memory;
    mm_Proc load, store;
    size_t begin, bytes, alignment, blocks; // alignment: of what is moved; blocks: of places
    size_t worth;                           // bytes that are worth a strip of their own while they come
} svm_BrookHome;

// A call whose streams are all there, or come strip by strip. Private.
typedef struct svm_BrookStay {
    const svm_BrookGraph *graph;
    const svm_BrookSpace *space;
    const svm_BrookHome *home;
    const svm_BrookStream *streams;
    svm_BrookWalk *walks;
    svm_BrookLayout layout;
    svm_BrookBox ahead;
} svm_BrookStay;

// false: they do not fit; then the memory is empty.
bool svm_brookStay(const svm_BrookGraph *graph, const svm_BrookSpace *space, const svm_BrookHome *home,
                   const svm_BrookStream *streams, svm_BrookWalk *walks, svm_BrookStay *stay);
// The block of a port's stream.
void svm_brookPlaceBlock(const svm_BrookStay *stay, int port, svm_Block *block);
// The next strip, when what it reads has come. false: there is none.
bool svm_brookNextStay(svm_BrookStay *stay, svm_BrookBox *box);
// All go, to be used as strips use the memory.
void svm_brookEmpty(const svm_BrookHome *home);

// ---- What is pushed ----

// Elements that strips push are behind a header of so many bytes, which begins with their number, an int64_t; there may be
// more than there was room for. What comes back from strips, in their order, is kept; false: some of it had no room.
enum { SVM_BROOK_HEADER = 128 };
typedef struct svm_BrookKept {
    char *data;
    size_t count, room;
} svm_BrookKept;
bool svm_brookKeep(svm_BrookKept *kept, const svm_Block *window, size_t size);
// All of it becomes the stream that the port's handle gets, unless something was lost. Frees it.
void svm_brookGiveKept(const svm_BrookPlace *at, const svm_BrookPort *port, const svm_BrookSpace *space,
                       svm_BrookStream *handle, svm_BrookKept *kept, bool complete);

// Walks as they were before the first strip.
void svm_brookFromFirst(svm_BrookWalk *walks, int count);

// ---- Reductions in local memories ----

// Part of each block of a reduction's input: some rows, one after the other through all dimensions but the fastest, and
// some columns of them. Rows of a plane are `pitch` elements apart. begins: at the first element, which is the first value.
typedef struct svm_BrookFold {
    ptrdiff_t row, rowEnd, column, columnEnd, pitch;
    bool begins;
} svm_BrookFold;
svm_BrookFold svm_brookWhole(const svm_BrookSpace *space, const svm_BrookWalk *in); // blocks as they are

// A run of a reduction on one processor: some results of a tile, and a part of their blocks.
typedef struct svm_BrookStep {
    svm_BrookBox tile, box;
    svm_BrookFold fold;
    ptrdiff_t tiles, runs; // so far, with this one
    bool opens, closes;    // it is its tile's first; the last
} svm_BrookStep;

// What is moved in: rows of so many bytes, `stride` bytes apart in the shared memory, one after the other in the window.
typedef struct svm_BrookRows {
    size_t address, bytes, count, stride;
} svm_BrookRows;

// As svm_brookLayOut. strided: engines can move rows; whole: results are exact only if a block is reduced in one run.
bool svm_brookLayOutFold(const svm_BrookGraph *graph, const svm_BrookSpace *space, const svm_BrookWalk *walks,
                         size_t bytes, size_t blocks, int processors, bool strided, bool whole,
                         svm_BrookWindow *windows, svm_BrookLayout *layout);
// The next run of a processor, whose step before (at first: zeroes) it was; `last` is the last tile that was given to any
// of them, at first zeroes. false: there is none.
bool svm_brookNextStep(const svm_BrookGraph *graph, const svm_BrookSpace *space, const svm_BrookLayout *layout,
                       const svm_BrookWalk *walks, svm_BrookBox *last, svm_BrookStep *step);
svm_BrookRows svm_brookReachFold(const svm_BrookGraph *graph, const svm_BrookSpace *space,
                                 const svm_BrookLayout *layout, svm_BrookStep *step, svm_BrookWalk *walks);

// ---- Values ----

// A stream's elements in order, or an iterator's values.
void svm_brookValues(const svm_BrookPlace *at, svm_BrookStream s, void *to);
// The stream that a `variable` port's handle gets: count elements, in the handle's rank.
void svm_brookGive(const svm_BrookPlace *at, const svm_BrookPort *port, const svm_BrookSpace *space,
                   svm_BrookStream *handle, const void *elements, size_t count);

// ---- For kernels ----

// The elements of a block from a walk's base on.
static inline void *svm_brookData(const svm_Block *block, const svm_BrookWalk *w)
{
    return (char *)svm_blockData(block) + w->skew;
}

// Where the first element of a stream would be of which the block has those from a walk's base on.
static inline void *svm_brookOrigin(const svm_Block *block, const svm_BrookWalk *w, size_t size)
{
    return (void *)((uintptr_t)svm_brookData(block, w) - (uintptr_t)w->base * size);
}

// Index i of n as one of m. Divisions are slow, and mostly not needed.
static inline ptrdiff_t svm_brookScale(ptrdiff_t i, ptrdiff_t m, ptrdiff_t n)
{
    return m == n ? i : m == 1 ? 0 : i * m / n;
}

// Where a stream's row begins, in elements from there.
static inline ptrdiff_t svm_brookRow(const svm_BrookSpace *s, const svm_BrookWalk *w, ptrdiff_t row)
{
    ptrdiff_t at = -w->base;
    for (int d = SVM_BROOK_RANK - 2; d >= 0 && row != 0; d--) {
        const ptrdiff_t n = s->extent[d], rest = row < n ? 0 : row / n;
        at += svm_brookScale(row - rest * n, w->extent[d], n) * w->pitch[d];
        row = rest;
    }
    return at;
}

// The index in a stream's dimension d (3: in the row) that a row, or a column, leads to.
static inline ptrdiff_t svm_brookPlaceOfRow(const svm_BrookSpace *s, const svm_BrookWalk *w, ptrdiff_t row, int d)
{
    for (int k = SVM_BROOK_RANK - 2; k > d; k--)
        row = row < s->extent[k] ? 0 : row / s->extent[k];
    return svm_brookScale(row < s->extent[d] ? row : row % s->extent[d], w->extent[d], s->extent[d]);
}
static inline ptrdiff_t svm_brookPlace(const svm_BrookSpace *s, const svm_BrookWalk *w, ptrdiff_t column)
{
    return column * w->extent[3] / s->extent[3];
}

// Where that is a constant times the column: the constant, in places and in elements.
static inline ptrdiff_t svm_brookRatio(const svm_BrookSpace *s, const svm_BrookWalk *w)
{
    return w->extent[3] / s->extent[3];
}
static inline ptrdiff_t svm_brookStep(const svm_BrookSpace *s, const svm_BrookWalk *w)
{
    return svm_brookRatio(s, w) * w->pitch[3];
}

// Whether a stream has a plane's dimensions only, and as many rows of that as the space.
static inline bool svm_brookIsPlane(const svm_BrookSpace *s, const svm_BrookWalk *w)
{
    return s->extent[0] * s->extent[1] == 1 && w->extent[2] == s->extent[2];
}

// Elements from row to row of a plane, where there are several rows. The C compiler cannot make a version of a loop down
// the rows for the case that it is 1, beside which all others would stay scalar code.
static inline ptrdiff_t svm_brookPitch(const svm_BrookWalk *w)
{
    return w->pitch[2] > 1 ? w->pitch[2] : 1;
}
static inline svm_BrookWalk svm_brookPlane(const svm_BrookWalk *from)
{
    svm_BrookWalk w = *from;
    w.pitch[2] = svm_brookPitch(from);
    return w;
}

// Whether a reduction's blocks lie in a plane, each a few elements of one row, and are reduced whole. Long ones, and those
// of one column, which lie side by side, are worth more care.
static inline bool svm_brookIsShort(const svm_BrookSpace *s, const svm_BrookWalk *in, const svm_BrookFold *fold)
{
    return svm_brookIsPlane(s, in) && in->extent[0] * in->extent[1] == 1 && in->pitch[3] == 1 &&
           in->extent[3] > s->extent[3] && in->extent[3] <= 64 * s->extent[3] && fold->begins && fold->row == 0 &&
           fold->rowEnd == 1 && fold->column == 0 && fold->columnEnd * s->extent[3] == in->extent[3];
}

// Where row `row` of a block of so many elements in each dimension begins, from the block's first element.
static inline ptrdiff_t svm_brookFoldRow(const ptrdiff_t *count, const svm_BrookWalk *w, ptrdiff_t row)
{
    return row % count[2] * w->pitch[2] + row / count[2] % count[1] * w->pitch[1] +
           row / count[2] / count[1] * w->pitch[0];
}

static inline ptrdiff_t svm_brookClamp(ptrdiff_t i, ptrdiff_t n)
{
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}
static inline ptrdiff_t svm_brookAt1(const svm_BrookWalk *w, ptrdiff_t i)
{
    return svm_brookClamp(i, w->extent[3]);
}
static inline ptrdiff_t svm_brookAt2(const svm_BrookWalk *w, ptrdiff_t j, ptrdiff_t i)
{
    return svm_brookClamp(j, w->extent[2]) * w->pitch[2] + svm_brookAt1(w, i);
}
static inline ptrdiff_t svm_brookAt3(const svm_BrookWalk *w, ptrdiff_t k, ptrdiff_t j, ptrdiff_t i)
{
    return svm_brookClamp(k, w->extent[1]) * w->pitch[1] + svm_brookAt2(w, j, i);
}
static inline ptrdiff_t svm_brookAt4(const svm_BrookWalk *w, ptrdiff_t l, ptrdiff_t k, ptrdiff_t j, ptrdiff_t i)
{
    return svm_brookClamp(l, w->extent[0]) * w->pitch[0] + svm_brookAt3(w, k, j, i);
}

// svm_brookClamp(svm_f2i(floorf(v)), extent of dimension d), for a v in which there are 32-bit steps only, so that vectors
// do it. The same for each v: a NaN and all below 0, whose floor is below 0 or a zero, give 0 here as there; of the others the
// floor is what a conversion truncates to; those from 2^31 on, infinity too, give INT32_MAX as svm_f2i has it; and what
// an int is at most does not change when a bound above INT32_MAX becomes INT32_MAX.
static inline ptrdiff_t svm_brookDown(const svm_BrookWalk *w, int d, float v)
{
    const int32_t last = w->extent[d] > INT32_MAX ? INT32_MAX : (int32_t)w->extent[d] - 1;
    const float up = v > 0.0f ? v : 0.0f;
    const int32_t i = up < 2147483648.0f ? (int32_t)up : INT32_MAX;
    return i < last ? i : last;
}

// The same for an int.
static inline ptrdiff_t svm_brookClampInt(const svm_BrookWalk *w, int d, int32_t i)
{
    const int32_t last = w->extent[d] > INT32_MAX ? INT32_MAX : (int32_t)w->extent[d] - 1, up = i < 0 ? 0 : i;
    return up < last ? up : last;
}

// Whether an int tells the elements of a gathered stream apart.
static inline bool svm_brookIsNumbered(const svm_BrookWalk *w)
{
    return w->span <= INT32_MAX;
}

// Whether floats have all places below one as they are.
static inline bool svm_brookIsWhole(ptrdiff_t end)
{
    return end <= 1 << 24;
}

// What is known of the firing's place: no distance at which it fetches in its row, or from the rows above and below, leads
// out of the stream; rows that it fetches from are given.
enum { SVM_BROOK_COLUMN_INSIDE = 1, SVM_BROOK_ROW_INSIDE = 2, SVM_BROOK_ROWS_GIVEN = 4 };

// svm_brookAt1 and so on for a column that may be known to be inside.
static inline ptrdiff_t svm_brookNear1(const svm_BrookWalk *w, int inside, ptrdiff_t i)
{
    return inside & SVM_BROOK_COLUMN_INSIDE ? i : svm_brookAt1(w, i);
}
static inline ptrdiff_t svm_brookNear2(const svm_BrookWalk *w, int inside, ptrdiff_t j, ptrdiff_t i)
{
    return svm_brookClamp(j, w->extent[2]) * w->pitch[2] + svm_brookNear1(w, inside, i);
}
// For a row that may be known to be inside, too.
static inline ptrdiff_t svm_brookBeside2(const svm_BrookWalk *w, int inside, ptrdiff_t j, ptrdiff_t i)
{
    return (inside & SVM_BROOK_ROW_INSIDE ? j : svm_brookClamp(j, w->extent[2])) * w->pitch[2] +
           svm_brookNear1(w, inside, i);
}
// An element beside the firing's place, by a pointer: in row `number` of those that the kernel is given (SVM_BROOK_ROWS_GIVEN),
// where column 0 is, or in the stream.
#define SVM_BROOK_BESIDE2(stream, number, inside, j, i)                                                                \
    ((inside) & SVM_BROOK_ROWS_GIVEN ? svm_rows_##stream[number] + (i)                                                 \
                                     : (stream) + svm_brookBeside2(stream##_walk, inside, j, i))
#define SVM_BROOK_BESIDE1(stream, number, inside, i)                                                                   \
    ((inside) & SVM_BROOK_ROWS_GIVEN ? svm_rows_##stream[number] + (i)                                                 \
                                     : (stream) + svm_brookNear1(stream##_walk, inside, i))

// Where a row of a plane begins.
static inline ptrdiff_t svm_brookRowBeside(const svm_BrookWalk *w, ptrdiff_t j)
{
    return svm_brookClamp(j, w->extent[2]) * w->pitch[2];
}

// Where the whole blocks between those at a row's ends end, of rows that hold both; of others nothing is between.
static inline ptrdiff_t svm_brookBlocksEnd(ptrdiff_t begin, ptrdiff_t end, ptrdiff_t edge, ptrdiff_t block)
{
    const ptrdiff_t between = end - begin - 2 * edge;
    return between < 0 ? end - edge : begin + edge + between / block * block;
}

// So many elements of a row, which it has, with some before and behind them, of which it may not have all: then its first and
// last one are there.
static inline void svm_brookCopyBeside(void *to, const void *row, size_t size, ptrdiff_t count, ptrdiff_t first,
                                       ptrdiff_t before, ptrdiff_t behind, ptrdiff_t extent)
{
    char *at = to;
    const char *from = row;
    for (ptrdiff_t i = 0; i < before; i++)
        memcpy(at + (size_t)i * size, from + (size_t)svm_brookClamp(first - before + i, extent) * size, size);
    memcpy(at + (size_t)before * size, from + (size_t)first * size, (size_t)count * size);
    for (ptrdiff_t i = 0; i < behind; i++)
        memcpy(at + (size_t)(before + count + i) * size,
               from + (size_t)svm_brookClamp(first + count + i, extent) * size, size);
}

static inline ptrdiff_t svm_brookNear3(const svm_BrookWalk *w, int inside, ptrdiff_t k, ptrdiff_t j, ptrdiff_t i)
{
    return svm_brookClamp(k, w->extent[1]) * w->pitch[1] + svm_brookNear2(w, inside, j, i);
}
static inline ptrdiff_t svm_brookNear4(const svm_BrookWalk *w, int inside, ptrdiff_t l, ptrdiff_t k, ptrdiff_t j,
                                       ptrdiff_t i)
{
    return svm_brookClamp(l, w->extent[0]) * w->pitch[0] + svm_brookNear3(w, inside, k, j, i);
}

// The same for a row that may be known to be inside.
static inline ptrdiff_t svm_brookTurned2(const svm_BrookWalk *w, int inside, ptrdiff_t j, ptrdiff_t i)
{
    return (inside & SVM_BROOK_COLUMN_INSIDE ? j : svm_brookClamp(j, w->extent[2])) * w->pitch[2] + svm_brookAt1(w, i);
}

// How the row of a tile is walked in the column's place: it is the only one.
static inline svm_BrookWalk svm_brookTurnedWalk(const svm_BrookWalk *from)
{
    svm_BrookWalk w = *from;
    w.pitch[2] = 1;
    w.extent[3] = 1;
    return w;
}

// The same without clamps.
static inline ptrdiff_t svm_brookIn1(const svm_BrookWalk *w, ptrdiff_t i)
{
    (void)w;
    return i;
}
static inline ptrdiff_t svm_brookIn2(const svm_BrookWalk *w, ptrdiff_t j, ptrdiff_t i)
{
    return j * w->pitch[2] + i;
}
static inline ptrdiff_t svm_brookIn3(const svm_BrookWalk *w, ptrdiff_t k, ptrdiff_t j, ptrdiff_t i)
{
    return k * w->pitch[1] + svm_brookIn2(w, j, i);
}
static inline ptrdiff_t svm_brookIn4(const svm_BrookWalk *w, ptrdiff_t l, ptrdiff_t k, ptrdiff_t j, ptrdiff_t i)
{
    return l * w->pitch[0] + svm_brookIn3(w, k, j, i);
}

// c ? a : b, both of which are there.
static inline float svm_brookEither(bool c, float a, float b)
{
    return c ? a : b;
}

// Whether dimension d (3: the fastest) has so many elements from the first one on.
static inline bool svm_brookWithin(const svm_BrookWalk *w, int d, ptrdiff_t first, ptrdiff_t count)
{
    return first >= 0 && first + count <= w->extent[d];
}

// How often a loop goes round that counts from i by ones, below a bound or up to it.
static inline ptrdiff_t svm_brookTrips(ptrdiff_t i, ptrdiff_t bound, bool orEqual)
{
    return bound - i + orEqual;
}
// The same with a float beside the int. -1: the two are not the same number, or not in all trips.
static inline ptrdiff_t svm_brookTripsOfFloat(int32_t i, float v, float bound, bool orEqual)
{
    if (!(v == (float)i && bound <= 16777215.0f && bound >= v))
        return -1;
    const ptrdiff_t whole = (ptrdiff_t)bound; // above a negative bound, so that it does not count
    const bool counts = orEqual ? (float)whole <= bound : (float)whole < bound;
    return whole - i + counts;
}

// Whether a row has so many elements from the first one on.
static inline bool svm_brookHas(const svm_BrookWalk *w, ptrdiff_t first, ptrdiff_t count)
{
    return first >= 0 && first + count <= w->extent[3];
}

// Columns from `begin` up to `end` that stay inside of dimension d (3: the row) of a gathered stream with all of the
// offsets; begin and end are those that did so far. There may be none.
static inline void svm_brookKeepInside(ptrdiff_t *begin, ptrdiff_t *end, const svm_BrookWalk *w, int d, ptrdiff_t least,
                                       ptrdiff_t most)
{
    const ptrdiff_t first = *begin < -least ? -least : *begin,
                    last = *end > w->extent[d] - most ? w->extent[d] - most : *end;
    *end = last < *begin ? *begin : last;
    *begin = first > *end ? *end : first;
}

// An iterator's value at place i of n.
static inline float svm_brookIterate(float from, float to, ptrdiff_t i, ptrdiff_t n)
{
    return from + (float)i * (to - from) / (float)n;
}
// Component k of an iterator's value in a row, at place i of that.
static inline float svm_brookComponent(const svm_BrookSpace *s, const svm_BrookWalk *w, ptrdiff_t row, ptrdiff_t i,
                                       int k)
{
    const int d = w->flat ? 3 : 3 - k;
    const ptrdiff_t place = d == 3 ? i : svm_brookPlaceOfRow(s, w, row, d);
    return svm_brookIterate(w->from[k], w->to[k], place, w->extent[d]);
}

// Columns that are done at a time where that gains something.
enum { SVM_BROOK_BLOCK = 32 };
// Likewise rows, down which elements lie apart.
enum { SVM_BROOK_ROWS = 8 };

// Before a loop that mostly goes round once or twice.
#if defined(__clang__)
#define SVM_BROOK_FEW _Pragma("clang loop vectorize(disable) unroll(disable)")
#else
#define SVM_BROOK_FEW
#endif

// Before a function that has what it calls in it.
#define SVM_BROOK_WHOLE __attribute__((flatten))

// Before a loop whose rounds do not depend on each other.
#if defined(__clang__)
#define SVM_BROOK_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define SVM_BROOK_INDEPENDENT _Pragma("GCC ivdep")
#else
#define SVM_BROOK_INDEPENDENT
#endif

// Before a loop over as many lanes as a vector has: it is one operation each, not a round for each.
#if defined(__clang__)
#define SVM_BROOK_LANES _Pragma("clang loop vectorize(assume_safety) unroll(disable)")
#else
#define SVM_BROOK_LANES SVM_BROOK_INDEPENDENT
#endif

#endif
