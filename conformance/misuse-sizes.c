// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows: a transfer between objects whose element sizes or lengths differ is size-mismatch, when it runs.
// Machine: simple-svm
// Prints:
//   blocks of other lengths: size-mismatch
//   blocks of other elements: size-mismatch
//   stream to stream: size-mismatch
//   block to stream: size-mismatch
//   stream to block: size-mismatch
#include "conform.h"

SVM_MACHINE("simple-svm");
SVM_MEMORY(LMEM1);
SVM_PROCESSOR(DMA_ENGINE1);

static void run(svm_Kernel *k)
{
    svm_kernelRun(k);
    svm_kernelWait(k);
}

int main(void)
{
    static svm_MoveB2B b2b;
    static svm_MoveS2S s2s;
    static svm_MoveB2S b2s;
    static svm_MoveS2B s2b;
    svm_Block four, five, bytes;
    svm_Stream words, halves;
    svm_blockInit(&four, &LMEM1, 0, 4, 4);
    svm_blockInit(&five, &LMEM1, 16, 5, 4);
    svm_blockInit(&bytes, &LMEM1, 64, 4, 1);
    svm_streamInitRAM(&words, &LMEM1, 128, 8, 4);
    svm_streamInitRAM(&halves, &LMEM1, 256, 8, 2);
    svm_moveB2BInit(&b2b, &DMA_ENGINE1, &four, &five);
    MISUSE("blocks of other lengths", run(&b2b.kernel));
    b2b.destination = &bytes;
    MISUSE("blocks of other elements", run(&b2b.kernel));
    svm_moveS2SInit(&s2s, &DMA_ENGINE1, &words, &halves, 3);
    MISUSE("stream to stream", run(&s2s.kernel));
    svm_moveB2SInit(&b2s, &DMA_ENGINE1, &four, &halves);
    MISUSE("block to stream", run(&b2s.kernel));
    svm_moveS2BInit(&s2b, &DMA_ENGINE1, &halves, &four);
    MISUSE("stream to block", run(&s2b.kernel));
    return 0;
}
