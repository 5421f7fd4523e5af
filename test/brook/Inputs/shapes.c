// Calls with random shapes, views and sizes; a line for each, with a number made of all elements.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shapes.h"

#define AT SVM_BROOK_HERE
static const svm_BrookType real = {"float", "f"}, three = {"float3", "fff"}, precise = {"double", "d"};

static unsigned long long state;

static int below(int n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)((state >> 33) % (unsigned long long)n);
}

static unsigned long long sum(svm_BrookStream s)
{
    const size_t bytes = svm_brookCount(s) * 24;
    unsigned char *p = calloc(bytes + 1, 1);
    unsigned long long h = 1469598103934665603u;
    svm_brookWrite(AT, s, p);
    for (size_t i = 0; i < bytes; i++)
        h = (h ^ p[i]) * 1099511628211u;
    free(p);
    return h;
}

// A stream of random elements, or a view of a larger one.
static svm_BrookStream make(svm_BrookStream *owned, const char *name, const svm_BrookType *type, int rank,
                            const ptrdiff_t *extents)
{
    const int viewed = below(3) == 0, leaves = (int)strlen(type->leaves), isDouble = type->leaves[0] == 'd';
    ptrdiff_t larger[4];
    int lo[4], hi[4];
    for (int d = 0; d < rank; d++) {
        const int before = viewed ? below(3) : 0, after = viewed ? below(3) : 0;
        larger[d] = extents[d] + before + after;
        lo[rank - 1 - d] = before;
        hi[rank - 1 - d] = before + (int)extents[d];
    }
    *owned = svm_brookMake(AT, name, type, rank, larger);
    const size_t count = svm_brookCount(*owned) * (size_t)leaves;
    void *values = malloc(count * 8 + 1);
    for (size_t i = 0; i < count; i++) {
        const float x = (float)(below(4001) - 2000) / 8;
        if (isDouble)
            ((double *)values)[i] = (double)x;
        else
            ((float *)values)[i] = x;
    }
    svm_brookRead(AT, *owned, values);
    free(values);
    return svm_brookDomain(AT, *owned, rank, lo, hi);
}

// Extents that fit those of an output: the same, one, a divisor, a multiple.
static void fit(int rank, const ptrdiff_t *extents, ptrdiff_t *other)
{
    for (int d = 0; d < rank; d++) {
        const int way = below(6);
        other[d] = way < 3 ? extents[d] : way == 3 ? 1 : extents[d] * (1 + below(3));
        if (way == 5)
            for (ptrdiff_t k = 2; k <= extents[d]; k++)
                if (extents[d] % k == 0) {
                    other[d] = extents[d] / k;
                    break;
                }
    }
}

static void one(int number, int most)
{
    ptrdiff_t extents[4], a[4], b[4];
    const int rank = 1 + below(4);
    for (int d = 0; d < rank; d++)
        extents[d] = 1 + below(d == rank - 1 ? most : rank == 2 ? 40 : 6);
    svm_BrookStream s[6] = {{0}};
    switch (below(6)) {
    case 0: {
        fit(rank, extents, a);
        fit(rank, extents, b);
        svm_BrookStream x = make(&s[0], "x", &real, rank, a), y = make(&s[1], "y", &three, rank, b),
                        z = make(&s[2], "z", &real, rank, extents), w = make(&s[3], "w", &three, rank, extents);
        const int in_place = below(3) == 0;
        brook_mix(AT, 1.5f, in_place ? z : x, y, z, w);
        break;
    }
    case 1: {
        const ptrdiff_t g[] = {1 + below(9), 1 + below(most)}, line = 1 + below(50);
        fit(rank, extents, a);
        svm_BrookStream gathered = make(&s[0], "g", &real, 2, g), along = make(&s[1], "line", &real, 1, &line),
                        x = make(&s[2], "x", &real, rank, a), c = make(&s[3], "c", &real, rank, extents);
        brook_look(AT, gathered, along, x, c);
        break;
    }
    case 2: {
        const float from[] = {-1, 2, 0}, to[] = {3.5f, -8, 0.1f};
        const int flat = rank < 3; // three components need three dimensions, or one
        ptrdiff_t n[4];
        fit(rank, extents, n);
        const int r = flat ? 1 : rank;
        s[0] = svm_brookIterator(AT, "it", &three, r, flat ? &n[rank - 1] : n, from, to);
        fit(r, flat ? &extents[rank - 1] : extents, a);
        svm_BrookStream x = make(&s[1], "x", &precise, r, a),
                        c = make(&s[2], "c", &precise, r, flat ? &extents[rank - 1] : extents);
        brook_steps(AT, s[0], x, c);
        break;
    }
    case 3: {
        const ptrdiff_t g[] = {1 + below(5), 1 + below(most)};
        fit(rank, extents, a);
        svm_BrookStream gathered = make(&s[0], "g", &real, 2, g), x = make(&s[1], "x", &real, rank, a),
                        c = make(&s[2], "c", &real, rank, extents), d = make(&s[3], "d", &three, rank, extents);
        const int in_place = below(3) == 0;
        brook_loops(AT, below(6), gathered, in_place ? c : x, c, d);
        break;
    }
    case 4: { // what is gathered lies near
        ptrdiff_t g[2] = {extents[0] + below(3), 1 + below(most)};
        const int r = rank < 3 ? rank : 2;
        fit(r, extents, a);
        svm_BrookStream gathered = make(&s[0], "g", &real, 2, g), x = make(&s[1], "x", &three, r, a),
                        c = make(&s[2], "c", &real, r, extents);
        brook_stencil(AT, gathered, x, c);
        brook_turned(AT, gathered, x, c);
        break;
    }
    default: {
        const float k[] = {0.5f, 0, 0};
        for (int d = 0; d < rank; d++)
            a[d] = extents[d] * (1 + below(below(4) == 0 ? 20 : 3));
        svm_BrookStream x = make(&s[0], "x", &real, rank, a), r = make(&s[1], "r", &real, rank, extents);
        float whole;
        brook_fold_partial(AT, k, x, r);
        brook_fold(AT, k, x, &whole);
        printf("%a ", (double)whole);
        break;
    }
    }
    printf("%d:", number);
    for (int i = 0; i < 6; i++) {
        if (s[i].storage && strcmp(s[i].name, "it") != 0)
            printf(" %llx", sum(s[i]));
        svm_brookRelease(&s[i]);
    }
    putchar('\n');
}

int main(int argc, char **argv)
{
    const int count = argc > 1 ? atoi(argv[1]) : 100, most = argc > 2 ? atoi(argv[2]) : 50;
    state = argc > 3 ? (unsigned long long)atoll(argv[3]) : 1;
    for (int i = 0; i < count; i++)
        one(i, most);
    return 0;
}
