// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether calls of finite graphs that were fused at compile time can be done as one. All that would be an error is left
// to the calls one by one, which say where it is.
#include "runtime/common/brook.h"

#include <string.h>

static bool sameShape(const svm_BrookStream *a, const svm_BrookStream *b)
{
    bool same = a->rank == b->rank;
    for (int d = 0; same && d < a->rank; d++)
        same = a->extent[d] == b->extent[d];
    return same;
}

static bool hasElements(const svm_BrookStream *s)
{
    return s->storage && !s->storage->iterator;
}

static bool divides(const svm_BrookGraph *graph, const svm_BrookStream *in, const svm_BrookStream *space)
{
    bool good = in->rank == space->rank;
    for (int d = 0; good && d < in->rank; d++) {
        const ptrdiff_t m = in->extent[d], n = space->extent[d];
        good = n == 0 || (m != 0 && (graph->anyExtents || m % n == 0 || n % m == 0));
    }
    return good;
}

static bool isCounted(const svm_BrookStream *s)
{
    bool good = true;
    for (int d = 0; d < s->rank; d++)
        good = good && s->extent[d] <= SVMR_BROOK_PLACES;
    return good;
}

static bool portFits(const svm_BrookGraph *graph, int port, const svm_BrookStream *s, const svm_BrookStream *space)
{
    const svm_BrookPort *p = &graph->ports[port];
    if (!s->storage || strcmp(s->storage->type.leaves, p->type.leaves) != 0 || (graph->places && !isCounted(s)))
        return false;
    switch (p->role) {
    case SVM_BROOK_OUT: return hasElements(s) && sameShape(s, space);
    case SVM_BROOK_GATHER: return s->rank == p->rank && svm_brookCount(*s) != 0;
    case SVM_BROOK_ITERATOR: return s->storage->iterator && divides(graph, s, space);
    default: return divides(graph, s, space);
    }
}

// Whether the elements lie one behind the other.
static bool isPlain(const svm_BrookStream *s)
{
    ptrdiff_t count = 1;
    bool plain = true;
    for (int d = s->rank - 1; plain && d >= 0; d--) {
        plain = s->extent[d] == 1 || s->pitch[d] == count;
        count *= s->extent[d];
    }
    return plain;
}

// Whether extents of what is reduced are whole numbers of the result's. Many short rows are done some at a time if a block
// is a row, and rows lie one behind the other; otherwise what is reduced is better made before, across their ends.
static bool reducesWell(const svm_BrookStream *to, const svm_BrookStream *from, bool plain)
{
    enum { FEW = 64 };
    const int last = from->rank - 1;
    bool good = hasElements(to) && to->rank == from->rank && last >= 0, one = true, rows = plain && isPlain(to);
    for (int d = 0; good && d < from->rank; d++) {
        good = to->extent[d] > 0 && from->extent[d] > 0 && from->extent[d] % to->extent[d] == 0;
        one = one && to->extent[d] == 1;
        rows = rows && (d == last || to->extent[d] == from->extent[d]);
    }
    return good && (one || rows || from->extent[last] / to->extent[last] >= FEW);
}

static bool reductionFuses(const svm_BrookGraph *graph, const svm_BrookStream *streams, int to, int count,
                           const svm_BrookStream *inside)
{
    bool good = true;
    for (int i = 0; good && i < count; i++)
        good = hasElements(&inside[i]) && sameShape(&inside[i], &inside[0]);
    bool plain = true;
    for (int i = 0; i < graph->count; i++)
        plain = plain && (graph->ports[i].role != SVM_BROOK_IN || isPlain(&streams[i]));
    good = good && reducesWell(&streams[to], &inside[0], plain);
    for (int i = 0; good && i < graph->count; i++) {
        const svm_BrookPort *p = &graph->ports[i];
        const svm_BrookStream *s = &streams[i];
        good = s->storage && strcmp(s->storage->type.leaves, p->type.leaves) == 0;
        if (good && p->role == SVM_BROOK_IN)
            good = sameShape(s, &inside[0]);
        if (good && p->role == SVM_BROOK_GATHER)
            good = s->rank == p->rank && svm_brookCount(*s) != 0;
        good = good && (i == to || s->storage != streams[to].storage);
    }
    return good;
}

bool svm_brookFuses(const svm_BrookGraph *graph, const svm_BrookStream *streams, int count,
                    const svm_BrookStream *inside)
{
    const svm_BrookStream *space = NULL;
    for (int i = 0; i < graph->count; i++)
        if (graph->ports[i].role == SVM_BROOK_REDUCED)
            return reductionFuses(graph, streams, i, count, inside);
    for (int i = 0; i < graph->count && !space; i++)
        space = graph->ports[i].role == SVM_BROOK_OUT ? &streams[i] : NULL;
    bool good = space != NULL;
    for (int i = 0; good && i < graph->count; i++)
        good = portFits(graph, i, &streams[i], space);
    for (int i = 0; good && i < count; i++)
        good = hasElements(&inside[i]) && sameShape(&inside[i], space);
    for (int i = 0; good && i < graph->count; i++)
        for (int k = 0; good && k < graph->count && graph->ports[i].role == SVM_BROOK_OUT; k++)
            good = k == i || streams[k].storage != streams[i].storage;
    return good;
}
