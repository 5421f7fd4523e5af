// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows: two-phase access: a kernel fills windows of its output in place and works on windows of its input where they
// lie, several at a time; the last window before the stream's end may be shorter.
// Machine: simple-svm
// Prints:
//   sums of 4: 6 22 38 54 70
//   left over: 20 21
#include "conform.h"

SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM);
SVM_MEMORY(LMEM1);
SVM_PROCESSOR(PROC1);
SVM_PROCESSOR(DMA_ENGINE1);

enum { N = 22, WINDOW = 4, SUMS = N / WINDOW };

typedef struct Source {
    svm_Kernel kernel;
    svm_Stream *out;
} Source;

typedef struct Sums {
    svm_Kernel kernel;
    svm_Stream *in;
    svm_Block *out;
} Sums;

SVM_KERNEL(cost(0, 1))
static void source_run(svm_Kernel *kernel)
{
    Source *self = (Source *)kernel;
    for (int32_t i = 0; i < N; i += 2) {
        int32_t *out = svm_streamPushAcquire(self->out, 2);
        out[0] = i;
        out[1] = i + 1;
        svm_streamPushSend(self->out, 2);
    }
    svm_streamEnd(self->out);
}

SVM_KERNEL(cost(0, 1))
static void sums_run(svm_Kernel *kernel)
{
    Sums *self = (Sums *)kernel;
    int32_t *out = svm_blockData(self->out);
    ptrdiff_t n = 0;
    size_t there;
    while ((there = svm_streamWaitCount(self->in, WINDOW)) >= WINDOW) {
        const int32_t *first = svm_streamPopAcquire(self->in, 2), *second = svm_streamPopAcquire(self->in, 2);
        out[n++] = first[0] + first[1] + second[0] + second[1];
        svm_streamPopDiscard(self->in, WINDOW);
    }
    const int32_t *last = svm_streamPopAcquire(self->in, there);
    for (size_t i = 0; i < there; i++)
        out[n++] = last[i];
    svm_streamPopDiscard(self->in, there);
}

int main(void)
{
    static Source source;
    static Sums sums;
    static svm_Stream s;
    static svm_Block local, global;
    static svm_MoveB2B store;
    static int32_t out[SUMS + N % WINDOW];
    size_t g = svm_map(&GMEM, out, sizeof out);
    svm_streamInitRAM(&s, &LMEM1, 0, 8, 4);
    svm_blockInit(&local, &LMEM1, 64, SUMS + N % WINDOW, 4);
    svm_blockInit(&global, &GMEM, g, SUMS + N % WINDOW, 4);
    source.out = sums.in = &s;
    sums.out = &local;
    svm_kernelInit(&source.kernel, &PROC1, source_run, "source");
    svm_kernelInit(&sums.kernel, &PROC1, sums_run, "sums");
    svm_moveB2BInit(&store, &DMA_ENGINE1, &local, &global);
    svm_kernelAddDependence(&store.kernel, &sums.kernel);
    svm_kernelRun(&source.kernel);
    svm_kernelRun(&sums.kernel);
    svm_kernelRun(&store.kernel);
    svm_kernelWait(&store.kernel);
    svm_kernelWait(&source.kernel);
    printf("sums of 4:");
    for (int i = 0; i < SUMS; i++)
        printf(" %d", out[i]);
    printf("\nleft over:");
    for (int i = SUMS; i < SUMS + N % WINDOW; i++)
        printf(" %d", out[i]);
    puts("");
    svm_unmap(&GMEM, g);
    return 0;
}
