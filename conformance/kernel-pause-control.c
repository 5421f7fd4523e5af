// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows: the control thread pauses a kernel that waits for its stream; it goes on only when it is run again, also when
// elements have come meanwhile.
// Machine: simple-svm
// Prints:
//   waiting: 0 taken
//   paused: 0 taken
//   run again: 1 taken
#include "conform.h"

SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM);
SVM_MEMORY(LMEM1);
SVM_PROCESSOR(PROC1);
SVM_PROCESSOR(DMA_ENGINE1);

typedef struct Taker {
    svm_Kernel kernel;
    svm_Stream *in;
    int32_t taken;
} Taker;

SVM_KERNEL(cost(1, 0))
static void taker_run(svm_Kernel *kernel)
{
    Taker *self = (Taker *)kernel;
    svm_streamPop(self->in, NULL);
    self->taken++;
}

int main(void)
{
    static Taker taker;
    static svm_MoveB2S feed;
    svm_Stream in;
    svm_Block one;
    size_t g = svm_alloc(&GMEM, 4);
    svm_blockInit(&one, &GMEM, g, 1, 4);
    svm_streamInitRAM(&in, &LMEM1, 0, 1, 4);
    taker.in = &in;
    svm_kernelInit(&taker.kernel, &PROC1, taker_run, "taker");
    svm_moveB2SInit(&feed, &DMA_ENGINE1, &one, &in);
    svm_kernelRun(&taker.kernel);
    printf("waiting: %d taken\n", taker.taken);
    svm_kernelPause(&taker.kernel);
    svm_kernelWait(&taker.kernel);
    svm_kernelRun(&feed.kernel);
    svm_kernelWait(&feed.kernel);
    printf("paused: %d taken\n", taker.taken);
    svm_kernelRun(&taker.kernel);
    svm_kernelWait(&taker.kernel);
    printf("run again: %d taken\n", taker.taken);
    return 0;
}
