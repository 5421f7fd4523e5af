// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows: a consumer reads until the stream has ended; svm_streamEnded waits until that is known, and is false while
// elements are left.
// Machine: simple-svm
// Prints:
//   a stream of 0: 0 elements
//   a stream of 1: 1 elements
//   a stream of 10: 10 elements
//   before the last is popped: more, then the end
#include "conform.h"

SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM);
SVM_MEMORY(LMEM1);
SVM_PROCESSOR(PROC1);

typedef struct Source {
    svm_Kernel kernel;
    svm_Stream *out;
    int32_t n;
} Source;

typedef struct Counter {
    svm_Kernel kernel;
    svm_Stream *in;
    int32_t n;
} Counter;

SVM_KERNEL(cost(0, 1))
static void source_run(svm_Kernel *kernel)
{
    Source *self = (Source *)kernel;
    for (int32_t i = 0; i < self->n; i++)
        svm_streamPush(self->out, &i);
    svm_streamEnd(self->out);
}

SVM_KERNEL(cost(0, 1))
static void counter_run(svm_Kernel *kernel)
{
    Counter *self = (Counter *)kernel;
    self->n = 0;
    while (!svm_streamEnded(self->in)) {
        svm_streamPop(self->in, NULL);
        self->n++;
    }
}

static void run(int32_t n)
{
    static Source source;
    static Counter counter;
    svm_Stream s;
    svm_streamInitRAM(&s, &LMEM1, 0, 4, 4);
    source.out = counter.in = &s;
    source.n = n;
    svm_kernelInit(&source.kernel, &PROC1, source_run, "source");
    svm_kernelInit(&counter.kernel, &PROC1, counter_run, "counter");
    svm_kernelRun(&counter.kernel);
    svm_kernelRun(&source.kernel);
    svm_kernelWait(&counter.kernel);
    svm_kernelWait(&source.kernel);
    printf("a stream of %d: %d elements\n", n, counter.n);
    svm_streamDestroy(&s);
}

int main(void)
{
    run(0);
    run(1);
    run(10);
    svm_Stream s;
    size_t g = svm_alloc(&GMEM, 4);
    svm_streamInitRAM(&s, &GMEM, g, 1, 4);
    svm_streamPush(&s, &(int32_t){1});
    svm_streamEnd(&s);
    bool before = svm_streamEnded(&s);
    svm_streamPop(&s, NULL);
    printf("before the last is popped: %s, then %s\n", before ? "the end" : "more",
           svm_streamEnded(&s) ? "the end" : "more");
    return 0;
}
