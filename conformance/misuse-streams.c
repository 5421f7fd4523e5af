// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows: a pop or peek beyond the end of a stream and a push after it are end-of-stream; two kernels at one end are
// stream-shared.
// Machine: simple-svm
// Prints:
//   push after the end: end-of-stream
//   peek beyond the end: end-of-stream
//   pop beyond the end: end-of-stream
//   a move from a stream that ends too early: end-of-stream
//   two consumers: stream-shared
#include "conform.h"

SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM);
SVM_MEMORY(LMEM1);
SVM_PROCESSOR(PROC1);
SVM_PROCESSOR(DMA_ENGINE1);

typedef struct Taker {
    svm_Kernel kernel;
    svm_Stream *in;
} Taker;

SVM_KERNEL(cost(1, 0))
static void taker_run(svm_Kernel *kernel)
{
    svm_streamPop(((Taker *)kernel)->in, NULL);
}

int main(void)
{
    static Taker first, second;
    static svm_MoveS2B move;
    svm_Stream s, local;
    svm_Block b;
    int32_t v = 0;
    size_t g = svm_alloc(&GMEM, 16);
    svm_streamInitRAM(&s, &GMEM, g, 4, 4);
    svm_streamPush(&s, &v);
    svm_streamEnd(&s);
    MISUSE("push after the end", svm_streamPush(&s, &v));
    MISUSE("peek beyond the end", svm_streamPeek(&s, 1, &v));
    svm_streamPop(&s, &v);
    MISUSE("pop beyond the end", svm_streamPop(&s, &v));
    svm_streamInitRAM(&s, &GMEM, g, 4, 4);
    svm_streamPush(&s, &v);
    svm_streamEnd(&s);
    svm_blockInit(&b, &LMEM1, 64, 3, 4);
    svm_moveS2BInit(&move, &DMA_ENGINE1, &s, &b);
    MISUSE("a move from a stream that ends too early", svm_kernelRun(&move.kernel); svm_kernelWait(&move.kernel));
    svm_streamInitRAM(&local, &LMEM1, 0, 4, 4);
    first.in = second.in = &local;
    svm_kernelInit(&first.kernel, &PROC1, taker_run, "first");
    svm_kernelInit(&second.kernel, &PROC1, taker_run, "second");
    svm_kernelRun(&first.kernel);
    svm_kernelRun(&second.kernel);
    MISUSE("two consumers", svm_kernelWait(&second.kernel));
    return 0;
}
