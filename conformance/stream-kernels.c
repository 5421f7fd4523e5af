// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows: kernels on two processors are joined by streams and wait for each other; the buffers' sizes change nothing.
// Machine: simple-svm
// Prints:
//   buffers of 1: sum 5050, last 100
//   buffers of 2: sum 5050, last 100
//   buffers of 7: sum 5050, last 100
//   buffers of 100: sum 5050, last 100
#include "conform.h"

SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM);
SVM_MEMORY(LMEM1);
SVM_MEMORY(LMEM2);
SVM_PROCESSOR(PROC1);
SVM_PROCESSOR(PROC2);
SVM_PROCESSOR(DMA_ENGINE1);

enum { N = 100 };

typedef struct Count {
    svm_Kernel kernel;
    svm_Stream *out;
    int32_t n;
} Count;

typedef struct Sum {
    svm_Kernel kernel;
    svm_Stream *in, *out;
    int32_t n;
} Sum;

SVM_KERNEL(cost(0, 1))
static void count_run(svm_Kernel *kernel)
{
    Count *self = (Count *)kernel;
    for (int32_t i = 1; i <= self->n; i++)
        svm_streamPush(self->out, &i);
}

// The sum of all numbers, and the last of them.
SVM_KERNEL(cost(0, 1))
static void sum_run(svm_Kernel *kernel)
{
    Sum *self = (Sum *)kernel;
    int32_t total = 0, v = 0;
    for (int32_t i = 1; i <= self->n; i++) {
        svm_streamPop(self->in, &v);
        total += v;
    }
    svm_streamPush(self->out, &total);
    svm_streamPush(self->out, &v);
}

static void run(size_t size)
{
    static Count count;
    static Sum sum;
    static svm_MoveS2S move, store;
    svm_Stream counted, moved, result, last;
    size_t g = svm_alloc(&GMEM, 8);
    svm_streamInitRAM(&counted, &LMEM1, 0, size, 4);
    svm_streamInitRAM(&moved, &LMEM2, 0, size, 4);
    svm_streamInitRAM(&result, &LMEM2, 4096, 2, 4);
    svm_streamInitRAM(&last, &GMEM, g, 2, 4);
    count.out = &counted;
    count.n = sum.n = N;
    sum.in = &moved;
    sum.out = &result;
    svm_kernelInit(&count.kernel, &PROC1, count_run, "count");
    svm_kernelInit(&sum.kernel, &PROC2, sum_run, "sum");
    svm_moveS2SInit(&move, &DMA_ENGINE1, &counted, &moved, N);
    svm_moveS2SInit(&store, &DMA_ENGINE1, &result, &last, 2);
    svm_kernelRun(&sum.kernel);
    svm_kernelRun(&move.kernel);
    svm_kernelRun(&store.kernel);
    svm_kernelRun(&count.kernel);
    svm_kernelWaitMultiple(4, (svm_Kernel *[]){&store.kernel, &sum.kernel, &move.kernel, &count.kernel});
    int32_t total, v;
    svm_streamPop(&last, &total);
    svm_streamPop(&last, &v);
    printf("buffers of %zu: sum %d, last %d\n", size, total, v);
    svm_streamDestroy(&counted);
    svm_streamDestroy(&moved);
    svm_streamDestroy(&result);
    svm_streamDestroy(&last);
    svm_free(&GMEM, g);
}

int main(void)
{
    run(1);
    run(2);
    run(7);
    run(N);
    return 0;
}
