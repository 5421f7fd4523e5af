// The four moves between blocks and streams, in pieces and across the wrap, alone and in chains.
// RUN: %host -o %t && %t
// RUN: %host-gcc -o %t && %t
// RUN: %host-asan -o %t && %t
// RUN: %host -DSHARED -o %t && env SVM_WORKERS=3 %t
// RUN: %host-tsan -DSHARED -o %t && env SVM_WORKERS=3 %t
#include "check.h"

SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM);
SVM_MEMORY(LMEM1);
SVM_MEMORY(LMEM2);
SVM_PROCESSOR(DMA_ENGINE1);
SVM_PROCESSOR(DMA_ENGINE2);

typedef struct Element {
    short a;
    char b;
} Element; // 4 bytes on most machines; its size is what counts

static Element element(int i)
{
    Element e = {(short)(i * 7), (char)i};
    return e;
}

static void fill(svm_Block *b)
{
    memset(b->data, 0, b->capacity * b->elementSize);
    for (size_t i = 0; i < b->capacity; i++) {
        Element e = element((int)i);
        memcpy(b->data + i * sizeof e, &e, sizeof e);
    }
}

static void check(const svm_Block *b, size_t shift)
{
    for (size_t i = 0; i < b->capacity; i++) {
        Element e = element((int)(i + shift)), found;
        memcpy(&found, b->data + i * sizeof found, sizeof found);
        CHECK(found.a == e.a && found.b == e.b);
    }
}

// Block, stream in one memory, stream in another, block: with every small pair of capacities.
static void chain(size_t count, size_t first, size_t second)
{
    svm_Block from, to;
    svm_Stream s, t;
    svm_MoveB2S load;
    svm_MoveS2S across;
    svm_MoveS2B store;
    size_t g = svm_alloc(&GMEM, 2 * count * sizeof(Element));
    svm_blockInit(&from, &GMEM, g, count, sizeof(Element));
    svm_blockInit(&to, &GMEM, g + count * sizeof(Element), count, sizeof(Element));
    svm_streamInitRAM(&s, &LMEM1, 64, first, sizeof(Element));
    svm_streamInitRAM(&t, &LMEM2, 0, second, sizeof(Element));
    fill(&from);
    svm_moveB2SInit(&load, &DMA_ENGINE1, &from, &s);
    svm_moveS2SInit(&across, &DMA_ENGINE1, &s, &t, count);
    svm_moveS2BInit(&store, &DMA_ENGINE2, &t, &to);
    for (int round = 0; round < 2; round++) { // objects can be run again
        memset(to.data, 0, count * sizeof(Element));
        svm_kernelRun(&store.kernel);
        svm_kernelRun(&across.kernel);
        svm_kernelRun(&load.kernel);
        svm_kernelWait(&store.kernel);
        check(&to, 0);
        svm_kernelWaitMultiple(3, (svm_Kernel *[]){&load.kernel, &across.kernel, &store.kernel});
        CHECK(svm_streamCount(&s) == 0 && svm_streamCount(&t) == 0);
    }
    svm_free(&GMEM, g);
}

// The same on a machine with workers, from the start: another processor for kernels is used.
#ifdef SHARED
SVM_PROCESSOR(PROC1);
SVM_PROCESSOR(PROC2);
static void unused(svm_Kernel *k) { (void)k; }
static void share(void)
{
    static svm_Kernel kernels[2];
    svm_kernelInit(&kernels[0], &PROC1, unused, "unused");
    svm_kernelInit(&kernels[1], &PROC2, unused, "unused");
}
#else
static void share(void) {}
#endif

int main(void)
{
    share();
    for (size_t count = 1; count < 12; count++)
        for (size_t first = 1; first < 6; first++)
            for (size_t second = 1; second < 6; second++)
                chain(count, first, second);
    chain(100000, 1000, 777);

    // Blocks: between memories, and between overlapping parts of one.
    svm_Block global, local, tail, head;
    svm_MoveB2B down, shift;
    svm_blockInit(&global, &GMEM, svm_alloc(&GMEM, 100 * sizeof(Element)), 100, sizeof(Element));
    svm_blockInit(&local, &LMEM1, 0, 100, sizeof(Element));
    svm_blockInit(&tail, &LMEM1, 10 * sizeof(Element), 90, sizeof(Element));
    svm_blockInit(&head, &LMEM1, 0, 90, sizeof(Element));
    fill(&global);
    svm_moveB2BInit(&down, &DMA_ENGINE1, &global, &local);
    svm_moveB2BInit(&shift, &DMA_ENGINE2, &tail, &head);
    svm_kernelAddDependence(&shift.kernel, &down.kernel);
    svm_kernelRun(&down.kernel);
    svm_kernelRun(&shift.kernel);
    svm_kernelWait(&shift.kernel);
    check(&head, 10);
    svm_blockShift(&local, 20, 30);
    local.capacity = 30;
    check(&local, 30);
    svm_Block last;
    svm_blockInit(&last, &LMEM1, 80 * sizeof(Element), 10, sizeof(Element));
    svm_blockTail(NULL, &local);
    svm_blockTail(&last, &local);
    check(&last, 50);

    // Every third of some elements, side by side and back.
    Element some[12], near[4], back[12] = {{0, 0}};
    for (int i = 0; i < 12; i++)
        some[i] = element(i);
    svm_copyApart(near, 1, some + 2, 3, 4, sizeof *some);
    svm_copyApart(back + 2, 3, near, 1, 4, sizeof *some);
    for (int i = 0; i < 12; i++)
        CHECK(back[i].a == (i % 3 == 2 ? some[i].a : 0));
    return 0;
}
