// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the files runtime/common/brook*.c share: the storage behind handles. They use the public API only.
#ifndef SVM_COMMON_BROOK_H
#define SVM_COMMON_BROOK_H

#include <stdbool.h>

#include "runtime/common/internal.h"
#include "svm/brook_graph.h"

typedef struct svmr_BrookLate svmr_BrookLate;

struct svm_BrookStorage {
    size_t users; // handles that own it
    svm_BrookType type;
    size_t size; // of an element
    int rank;
    ptrdiff_t extent[SVM_BROOK_RANK]; // slowest first
    void *pages;                      // that it has
    char *data;                       // in them
    size_t bytes;
    mm_Mem memory; // that it is mapped into; NULL: no graph has had it yet
    size_t address;
    // In a local memory, where it stays from call to call; NULL: it is not.
    const struct svm_BrookHome *home;
    struct svm_BrookStorage *next; // there, by place
    size_t place, arrived;         // its first bytes are there, so many
    bool dirty;                    // and newer than those in data
    unsigned long turn;            // of the call that used it last
    // Calls that wait (brook_rounds.c):
    svmr_BrookLate *late;  // that which makes its elements, for which there may be no room; NULL: they are there
    svmr_BrookLate *feeds; // one that reads them
    bool iterator;
    float from[SVM_BROOK_RANK], to[SVM_BROOK_RANK];
};

enum {
    SVMR_BROOK_PAGE = 4096,
    SVMR_BROOK_LARGE_PAGE = 2 << 20,
    SVMR_BROOK_PLACES =
        INT32_MAX - 65536, // places in a dimension: coordinates are ints, and kernels look a little farther
};
static inline size_t svmr_brookRoom(size_t bytes)
{
    return bytes ? (bytes + SVMR_BROOK_PAGE - 1) / SVMR_BROOK_PAGE * SVMR_BROOK_PAGE : SVMR_BROOK_PAGE;
}

static inline size_t svmr_brookSize(const svm_BrookStream *s)
{
    return s->storage->size;
}
// The first element of a view.
static inline char *svmr_brookData(const svm_BrookStream *s)
{
    return s->storage->data + s->offset * (ptrdiff_t)s->storage->size;
}
// "<2, 3>" in one of a few texts that take turns.
SVMR_HIDDEN const char *svmr_brookShape(const svm_BrookStream *s);
// Where the storage is in a memory.
SVMR_HIDDEN size_t svmr_brookAddress(svm_BrookStorage *s, mm_Mem memory);
// What is done with the elements of a view in order, row by row of the fastest dimension; pitch in elements.
typedef void svmr_BrookRowAction(void *context, char *first, ptrdiff_t count, ptrdiff_t pitch);
SVMR_HIDDEN void svmr_brookRows(const svm_BrookStream *s, svmr_BrookRowAction *action, void *context);
// Whether the elements of a view lie one after the other.
SVMR_HIDDEN bool svmr_brookIsPlain(const svm_BrookStream *s);
// A new stream of a view's shape and elements; an iterator's values.
SVMR_HIDDEN svm_BrookStream svmr_brookCopy(const svm_BrookPlace *at, svm_BrookStream s);
// Its elements in memory to be freed.
SVMR_HIDDEN char *svmr_brookGather(const svm_BrookPlace *at, svm_BrookStream s);
// Places streams that stay in a local memory while a call goes on; where what is behind them begins.
SVMR_HIDDEN size_t svmr_brookLayOutGathers(const svm_BrookGraph *graph, const svm_BrookWalk *walks, size_t unit,
                                           size_t blocks, svm_BrookWindow *windows);
// Whether a reduction is sooner done in the shared memory, where its input is, than that is moved to a local one.
SVMR_HIDDEN bool svmr_brookFoldsThere(const svm_BrookGraph *graph, const svm_BrookWalk *walks);
// Room for elements of a storage that has none.
SVMR_HIDDEN void svmr_brookFill(svm_BrookStorage *s);
// Calls that wait are done as far as they make the stream, and, where it will be written, as far as they read it.
SVMR_HIDDEN void svmr_brookCatchUp(svm_BrookStorage *s, bool writes);
// All of the stream will be written, so that what would make it is left undone.
SVMR_HIDDEN void svmr_brookOverwrite(svm_BrookStorage *s);
// The same for all streams of a call that is to be done now.
SVMR_HIDDEN void svmr_brookCatchUpAll(const svm_BrookGraph *graph, const svm_BrookStream *streams);
// Room for all streams of a call that may wait; what was to make those that it writes is left undone.
SVMR_HIDDEN void svmr_brookFindRoom(const svm_BrookGraph *graph, const svm_BrookStream *streams);
// A stream that goes.
SVMR_HIDDEN void svmr_brookForgetLate(svm_BrookStorage *s);
// data is made what the stream is; writes: and will be changed.
SVMR_HIDDEN void svmr_brookSettle(svm_BrookStorage *s, bool writes);
// What is in a local memory is not wanted any more.
SVMR_HIDDEN void svmr_brookGo(svm_BrookStorage *s);
SVMR_HIDDEN void svmr_brookNeed(const svm_BrookPlace *at, const svm_BrookStream *s, const char *what);

#endif
