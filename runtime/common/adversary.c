// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What every scheduler's adversary shares: the seed, noise, and transfers in pieces.
#include "runtime/common/adversary.h"

#include "runtime/common/scheduler.h"

#include <errno.h>
#include <stdlib.h>

#define VARIABLE "SVM_ADVERSARY"

// ---- The seed ----

svmr_Adversary *svmr_adversaryCreate(void)
{
    const char *text = getenv(VARIABLE);
    if (!text || !*text)
        return NULL;
    char *end;
    errno = 0;
    unsigned long long seed = strtoull(text, &end, 10);
    bool zeroes = strcmp(end, ",zeroes") == 0;
    if (*text < '0' || *text > '9' || errno || (*end && !zeroes))
        svmr_fatalProgram("the seed (" VARIABLE
                          " or --adversary=) must be a number from 0 to %llu, with or without ',zeroes', not '%s'",
                          (unsigned long long)UINT64_MAX, text);
    svmr_Adversary *a = svmr_allocate(1, sizeof *a);
    *a = (svmr_Adversary){.seed = seed, .state = seed, .zeroes = zeroes};
    return a;
}

void svmr_adversaryNote(const svm_Machine *m, FILE *f)
{
    const svmr_Adversary *a = m ? m->adversary : NULL;
    if (a)
        fprintf(f, "note: with " VARIABLE "=%llu%s in the environment the same happens again\n",
                (unsigned long long)a->seed, a->zeroes ? ",zeroes" : "");
}

// ---- Numbers: splitmix64 ----

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

uint64_t svmr_drawBelow(svmr_Adversary *a, uint64_t bound)
{
    return mix(a->state += UINT64_C(0x9e3779b97f4a7c15)) % bound;
}

void svmr_poison(const svmr_Adversary *a, void *memory, size_t bytes)
{
    char *at = memory;
    uint64_t state = ~a->seed;
    while (bytes) {
        uint64_t word = mix(state += UINT64_C(0x9e3779b97f4a7c15));
        size_t n = bytes < sizeof word ? bytes : sizeof word;
        memcpy(at, &word, n);
        at += n;
        bytes -= n;
    }
}

// ---- Runs that give way ----

bool svmr_givesWay(svmr_Kernel *p)
{
    svmr_Adversary *a = svmr_adversaryOf(p->machine);
    return a && svmr_drawBelow(a, 4) == 0;
}

// ---- Transfers ----

typedef struct Bytes {
    const char *first;
    size_t count;
} Bytes;

static Bytes bytesOf(svmr_Side side)
{
    if (side.stream)
        return (Bytes){side.stream->data, side.stream->capacity * side.stream->elementSize};
    if (side.block)
        return (Bytes){side.block->data, side.block->capacity * side.block->elementSize};
    return (Bytes){NULL, 0};
}

static bool overlap(svmr_Side x, svmr_Side y)
{
    Bytes a = bytesOf(x), b = bytesOf(y);
    return a.count && b.count && a.first < b.first + b.count && b.first < a.first + a.count;
}

// Its destination is no part of what it reads, so it does not matter when which of it is written.
static bool isApart(const svmr_Transfer *t)
{
    return !overlap(t->to, t->from) && !overlap(t->to, t->indices);
}

size_t svmr_pieceOf(svmr_Kernel *p, const svmr_Transfer *t, size_t left)
{
    svmr_Adversary *a = svmr_adversaryOf(p->machine);
    if (!a || !isApart(t) || svmr_drawBelow(a, 3) == 0)
        return left;
    return 1 + svmr_drawBelow(a, left);
}

void svmr_poisonDestination(svmr_Kernel *p, const svmr_Transfer *t)
{
    const svm_Block *b = t->to.block;
    svmr_Adversary *a = svmr_adversaryOf(p->machine);
    if (!a || t->to.stream || !isApart(t))
        return;
    size_t size = b->elementSize;
    if (!t->scatter) {
        svmr_poison(a, b->data, t->records * t->repeats * size);
        return;
    }
    for (size_t i = 0; t->kind == SVM_TRANSFER_STRIDED && i < t->repeats; i++)
        svmr_poison(a, b->data + (t->offset + i * t->stride) * size, t->records * size);
}
