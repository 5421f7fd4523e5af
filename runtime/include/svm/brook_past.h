// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements that are made some columns at a time and then go to the memory past the caches.
#ifndef SVM_BROOK_PAST_H
#define SVM_BROOK_PAST_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Made at a time: few enough to stay in the first cache, or in registers.
enum { SVM_BROOK_PAST_COLUMNS = 512, SVM_BROOK_PAST_FEW = 64, SVM_BROOK_LINE = 64 };

static inline _Bool svm_brookIsLine(const void *to)
{
    return (uintptr_t)to % SVM_BROOK_LINE == 0;
}

// How many go next to where elements of some size go: up to the next line, where one begins with an element.
static inline ptrdiff_t svm_brookPastCount(const void *to, size_t size, ptrdiff_t left)
{
    const size_t off = (uintptr_t)to % SVM_BROOK_LINE, before = off ? SVM_BROOK_LINE - off : 0;
    const ptrdiff_t next = before % size == 0 && before > 0 ? (ptrdiff_t)(before / size) : SVM_BROOK_PAST_COLUMNS;
    return left < next ? left : next;
}

// Where element 0 of a row would be, if the first that is made is element `first`.
static inline void *svm_brookMade(void *made, ptrdiff_t first, size_t size)
{
    return (void *)((uintptr_t)made - (uintptr_t)first * size);
}

#if defined(__clang__)
typedef uint64_t svm_BrookLine __attribute__((vector_size(64), may_alias));

static inline void svm_brookPut(void *to, const void *from, size_t bytes)
{
    const size_t off = (uintptr_t)to % SVM_BROOK_LINE, before = off ? SVM_BROOK_LINE - off : 0,
                 head = before < bytes ? before : bytes, lines = (bytes - head) / SVM_BROOK_LINE,
                 done = head + lines * SVM_BROOK_LINE;
    char *t = to;
    const char *f = from;
    memcpy(t, f, head);
    for (size_t i = 0; i < lines; i++) {
        svm_BrookLine line;
        memcpy(&line, f + head + i * SVM_BROOK_LINE, sizeof line);
        __builtin_nontemporal_store(line, (svm_BrookLine *)(void *)(t + head + i * SVM_BROOK_LINE));
    }
    memcpy(t + done, f + done, bytes - done);
}

// The same of whole lines, to such.
static inline void svm_brookPutLines(void *to, const void *from, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += SVM_BROOK_LINE) {
        svm_BrookLine line;
        memcpy(&line, (const char *)from + i, sizeof line);
        __builtin_nontemporal_store(line, (svm_BrookLine *)(void *)((char *)to + i));
    }
}

// What was put is there for other processors.
static inline void svm_brookAllPut(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
#else
static inline void svm_brookPut(void *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
}
static inline void svm_brookPutLines(void *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
}
static inline void svm_brookAllPut(void)
{
}
#endif

#endif
