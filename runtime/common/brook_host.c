// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What host programs do with the elements of streams: reading, writing, printing, scatter and gather.
#include "runtime/common/brook.h"

#include <math.h>
#include <string.h>

static void needElements(const svm_BrookPlace *at, const svm_BrookStream *s, const char *what)
{
    svmr_brookNeed(at, s, what);
    if (s->storage->iterator)
        svm_brookFail(at, "%s: '%s' is an iterator", what, s->name);
}

// ---- Host memory ----

typedef struct Copying {
    char *host;
    size_t size;
    bool in; // from host memory
} Copying;

static void copyRow(void *context, char *first, ptrdiff_t count, ptrdiff_t pitch)
{
    Copying *c = context;
    const size_t each = pitch == 1 ? (size_t)count * c->size : c->size;
    const ptrdiff_t pieces = pitch == 1 ? 1 : count;
    for (ptrdiff_t i = 0; i < pieces; i++, c->host += each) {
        char *element = first + i * pitch * (ptrdiff_t)c->size;
        memcpy(c->in ? element : c->host, c->in ? c->host : element, each);
    }
}

static void copy(const svm_BrookStream *s, char *host, bool in)
{
    Copying c = {host, svmr_brookSize(s), in};
    if (svmr_brookIsPlain(s) && svm_brookCount(*s) != 0)
        copyRow(&c, svmr_brookData(s), (ptrdiff_t)svm_brookCount(*s), 1);
    else
        svmr_brookRows(s, copyRow, &c);
}

void svm_brookRead(const svm_BrookPlace *at, svm_BrookStream s, const void *from)
{
    needElements(at, &s, "streamRead");
    if (!from && svm_brookCount(s) != 0)
        svm_brookFail(at, "streamRead: no memory to fill the stream '%s' from", s.name);
    if (svm_brookCount(s) * s.storage->size == s.storage->bytes)
        svmr_brookOverwrite(s.storage);
    svmr_brookSettle(s.storage, true);
    copy(&s, (char *)from, true);
}

void svm_brookWrite(const svm_BrookPlace *at, svm_BrookStream s, void *to)
{
    needElements(at, &s, "streamWrite");
    if (!to && svm_brookCount(s) != 0)
        svm_brookFail(at, "streamWrite: no memory for the elements of the stream '%s'", s.name);
    svmr_brookSettle(s.storage, false);
    copy(&s, to, false);
}

void svm_brookSize(svm_BrookStream s, float size[SVM_BROOK_RANK])
{
    for (int k = 0; k < SVM_BROOK_RANK; k++)
        size[k] = s.storage && k < s.rank ? (float)s.extent[s.rank - 1 - k] : 0.0f;
}

// ---- Printing ----

static void printReal(double x)
{
    if (isnan(x))
        fputs("NaN", stdout);
    else if (isinf(x))
        fputs("inf", stdout);
    else
        printf("%3.2f", fabs(x) < 1e-6 ? 0.0 : x);
}

static const char *printLeaf(char leaf, const char *p)
{
    float f;
    double d;
    int32_t i;
    uint32_t u;
    uint16_t y;
    switch (leaf) {
    case 'f':
        memcpy(&f, p, sizeof f);
        printReal((double)f);
        return p + sizeof f;
    case 'd':
        memcpy(&d, p, sizeof d);
        printReal(d);
        return p + sizeof d;
    case 'i':
        memcpy(&i, p, sizeof i);
        printf("%d", (int)i);
        return p + sizeof i;
    case 'u':
        memcpy(&u, p, sizeof u);
        printf("%u", (unsigned)u);
        return p + sizeof u;
    case 'y':
        memcpy(&y, p, sizeof y);
        printReal((double)y / 65535);
        return p + sizeof y;
    case 'x': printReal((double)*(const unsigned char *)p / 255); return p + 1;
    case 'b': printf("%d", *(const unsigned char *)p); return p + 1;
    default: printf("%d", *(const signed char *)p); return p + 1;
    }
}

static void printRow(void *context, char *first, ptrdiff_t count, ptrdiff_t pitch)
{
    const svm_BrookStorage *s = context;
    (void)pitch; // the whole storage
    const char *p = first;
    for (ptrdiff_t i = 0; i < count; i++) {
        if (!s->type.leaves[1]) {
            p = printLeaf(s->type.leaves[0], p);
            putchar(' ');
            continue;
        }
        putchar('{');
        for (const char *leaf = s->type.leaves; *leaf; leaf++) {
            fputs(leaf == s->type.leaves ? "" : ", ", stdout);
            p = printLeaf(*leaf, p);
        }
        putchar('}');
    }
    putchar('\n');
}

void svm_brookPrint(const svm_BrookPlace *at, svm_BrookStream s)
{
    svmr_brookNeed(at, &s, "streamPrint");
    svmr_brookSettle(s.storage, false);
    svm_BrookStream whole = {.storage = s.storage, .name = s.name, .rank = s.storage->rank};
    ptrdiff_t pitch = 1;
    for (int d = whole.rank - 1; d >= 0; d--) {
        whole.extent[d] = s.storage->extent[d];
        whole.pitch[d] = pitch;
        pitch *= whole.extent[d];
    }
    if (!s.storage->iterator) {
        svmr_brookRows(&whole, printRow, s.storage);
        return;
    }
    svm_BrookStream values = svmr_brookCopy(at, whole);
    svmr_brookRows(&values, printRow, s.storage);
    svm_brookRelease(&values);
}

// ---- Scatter and gather ----

// The element of s that an index of as many floats means.
static char *indexed(const svm_BrookPlace *at, const svm_BrookStream *s, const char *index, const char *what)
{
    ptrdiff_t offset = 0;
    for (int k = 0; k < s->rank; k++) {
        const int d = s->rank - 1 - k;
        float f;
        memcpy(&f, index + (size_t)k * sizeof f, sizeof f);
        const double x = (double)f + 0.5;
        if (!(x >= 0.0 && x < (double)s->extent[d]))
            svm_brookFail(at, "%s: the index %g in dimension %c is outside of the stream '%s' of shape %s", what,
                          (double)f, "xyzw"[k], s->name, svmr_brookShape(s));
        offset += (ptrdiff_t)x * s->pitch[d];
    }
    return svmr_brookData(s) + offset * (ptrdiff_t)svmr_brookSize(s);
}

static void checkOperands(const svm_BrookPlace *at, const char *what, const svm_BrookStream *to,
                          const svm_BrookStream *index, const svm_BrookStream *from)
{
    needElements(at, to, what);
    svmr_brookNeed(at, index, what);
    needElements(at, from, what);
    const char *leaves = index->storage->type.leaves;
    if (strspn(leaves, "f") != strlen(leaves) || strlen(leaves) != (size_t)from->rank)
        svm_brookFail(at, "%s: indices of type %s for the stream '%s' of shape %s", what, index->storage->type.name,
                      from->name, svmr_brookShape(from));
    bool same = index->rank == to->rank;
    for (int d = 0; same && d < to->rank; d++)
        same = index->extent[d] == to->extent[d];
    if (!same)
        svm_brookFail(at, "%s: the indices '%s' have the shape %s, and '%s' has %s", what, index->name,
                      svmr_brookShape(index), to->name, svmr_brookShape(to));
    if (strcmp(from->storage->type.leaves, to->storage->type.leaves) != 0)
        svm_brookFail(at, "%s: '%s' has elements of type %s, and '%s' of %s", what, from->name,
                      from->storage->type.name, to->name, to->storage->type.name);
}

typedef struct Indexing {
    const svm_BrookPlace *at;
    const char *what;
    const svm_BrookStream *from;
    svm_BrookCombine *combine;
    const char *index; // the next
    size_t indexSize;
    bool scatter;
} Indexing;

static void combineRow(void *context, char *first, ptrdiff_t count, ptrdiff_t pitch)
{
    Indexing *x = context;
    const size_t size = svmr_brookSize(x->from);
    for (ptrdiff_t i = 0; i < count; i++, x->index += x->indexSize) {
        char *to = first + i * pitch * (ptrdiff_t)size, *from = indexed(x->at, x->from, x->index, x->what);
        if (!x->scatter)
            memmove(to, from, size);
        x->combine(x->scatter ? from : to, x->scatter ? to : from);
    }
}

static void combineAll(const svm_BrookPlace *at, bool scatter, svm_BrookStream to, svm_BrookStream index,
                       svm_BrookStream from, svm_BrookCombine *combine)
{
    Indexing x = {.at = at,
                  .what = scatter ? "streamScatterOp" : "streamGatherOp",
                  .from = &from,
                  .combine = combine,
                  .scatter = scatter};
    checkOperands(at, x.what, &to, &index, &from);
    svmr_brookSettle(to.storage, true);
    svmr_brookSettle(from.storage, true);
    svm_BrookStream indices = svmr_brookCopy(at, index);
    x.index = indices.storage->data;
    x.indexSize = indices.storage->size;
    svmr_brookRows(&to, combineRow, &x);
    svm_brookRelease(&indices);
}

void svm_brookScatterOp(const svm_BrookPlace *at, svm_BrookStream to, svm_BrookStream index, svm_BrookStream from,
                        svm_BrookCombine *combine)
{
    combineAll(at, true, to, index, from, combine);
}

void svm_brookGatherOp(const svm_BrookPlace *at, svm_BrookStream to, svm_BrookStream index, svm_BrookStream from,
                       svm_BrookCombine *combine)
{
    combineAll(at, false, to, index, from, combine);
}
