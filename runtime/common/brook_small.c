// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements of small types, and the wider ones that kernels compute with. By the public API of streams only.
#include "svm/brook_small.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/common/brook.h"

static char wideLeaf(char leaf)
{
    switch (leaf) {
    case 'c':
    case 'b':
    case 'u': return 'i';
    case 'x':
    case 'y': return 'f';
    default: return leaf;
    }
}

static size_t leafBytes(char leaf)
{
    const char leaves[] = {leaf, 0};
    const svm_BrookType type = {"", leaves};
    return svm_brookTypeSize(&type);
}

static void widenLeaf(char leaf, const char *from, char *to)
{
    int n = 0;
    float f = 0;
    switch (leaf) {
    case 'c': n = *(const signed char *)from; break;
    case 'b': n = *(const unsigned char *)from; break;
    case 'x': f = (float)*(const unsigned char *)from / 255.0F; break;
    case 'y': {
        unsigned short bits;
        memcpy(&bits, from, sizeof bits);
        f = (float)bits / 65535.0F;
        break;
    }
    default: memcpy(to, from, leafBytes(leaf)); return;
    }
    memcpy(to, wideLeaf(leaf) == 'i' ? (const void *)&n : &f, 4);
}

// In [0, 1], and 0 for NaN.
static float clampUnit(float f)
{
    return f > 0.0F ? (f < 1.0F ? f : 1.0F) : 0.0F;
}

static void narrowLeaf(char leaf, const char *from, char *to)
{
    int n;
    float f;
    memcpy(&n, from, 4);
    memcpy(&f, from, 4);
    switch (leaf) {
    case 'c':
    case 'b': *(unsigned char *)to = (unsigned char)((unsigned)n & 255); break;
    case 'x': *(unsigned char *)to = (unsigned char)(clampUnit(f) * 255.0F); break;
    case 'y': {
        const unsigned short bits = (unsigned short)(clampUnit(f) * 65535.0F + 0.5F);
        memcpy(to, &bits, sizeof bits);
        break;
    }
    default: memcpy(to, from, leafBytes(leaf)); break;
    }
}

void svm_brookNarrowElement(const svm_BrookType *type, const void *wide, void *element)
{
    const char *from = wide;
    char *to = element;
    for (const char *leaf = type->leaves; *leaf; leaf++) {
        narrowLeaf(*leaf, from, to);
        from += leafBytes(wideLeaf(*leaf));
        to += leafBytes(*leaf);
    }
}

static void *buffer(const svm_BrookPlace *at, size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size ? size : 1);
    if (!p)
        svm_brookFail(at, "no memory for %zu elements of %zu bytes", count, size);
    return p;
}

static bool becomes(const char *leaves, const char *wide)
{
    while (*leaves && wideLeaf(*leaves) == *wide) {
        leaves++;
        wide++;
    }
    return *leaves == *wide;
}

svm_BrookStream svm_brookWiden(const svm_BrookPlace *at, const svm_BrookType *wide, svm_BrookStream s)
{
    svmr_brookNeed(at, &s, "call");
    const svm_BrookType *type = &s.storage->type;
    if (s.storage->iterator || !becomes(type->leaves, wide->leaves))
        return svm_brookShare(s.name, s);
    const size_t count = svm_brookCount(s), size = svm_brookTypeSize(type), wideSize = svm_brookTypeSize(wide);
    char *from = buffer(at, count, size), *to = buffer(at, count, wideSize);
    svm_brookWrite(at, s, from);
    for (size_t i = 0; i < count; i++) {
        const char *p = from + i * size;
        char *q = to + i * wideSize;
        for (const char *leaf = type->leaves; *leaf; leaf++) {
            widenLeaf(*leaf, p, q);
            p += leafBytes(*leaf);
            q += leafBytes(wideLeaf(*leaf));
        }
    }
    svm_BrookStream r = svm_brookMake(at, s.name, wide, s.rank, s.extent);
    svm_brookRead(at, r, to);
    free(from);
    free(to);
    return r;
}

void svm_brookNarrow(const svm_BrookPlace *at, svm_BrookStream wide, svm_BrookStream s)
{
    const svm_BrookType *type = &s.storage->type;
    const size_t count = svm_brookCount(s), size = svm_brookTypeSize(type),
                 wideSize = svm_brookTypeSize(&wide.storage->type);
    char *from = buffer(at, count, wideSize), *to = buffer(at, count, size);
    svm_brookWrite(at, wide, from);
    for (size_t i = 0; i < count; i++)
        svm_brookNarrowElement(type, from + i * wideSize, to + i * size);
    svm_brookRead(at, s, to);
    free(from);
    free(to);
}
