// A kernel whose stream is in a memory that its processor does not reach is found when it is run; so is a transfer by an
// engine, and one between elements of different sizes.
// RUN: not %svm-check %s 2>&1 | FileCheck --implicit-check-not=warning: %s
#include "Inputs/kernels.h"

int main(void)
{
    static Filter f;
    static svm_Stream s, t;
    static svm_Block block;
    static svm_MoveS2B move;
    svm_streamInitRAM(&s, &LMEM1, 0, 16, 4);
    svm_streamInitRAM(&t, &LMEM2, 0, 16, 4);
    svm_blockInit(&block, &LMEM1, 64, 16, 2);
    filter_init(&f, &PROC1, &s, &t);
    // CHECK: wrong-memory.c:[[@LINE+2]]:5: warning: kernel 'f' uses 't' in memory 'LMEM2', which its processor 'PROC1' does not reach [-Wwrong-memory]
    // CHECK: wrong-memory.c:[[@LINE-4]]:5: note: 't' is initialised here
    svm_kernelRun(&f.kernel);
    svm_kernelWait(&f.kernel);
    svm_moveS2BInit(&move, &DMA_ENGINE1, &t, &block);
    // CHECK: wrong-memory.c:[[@LINE+1]]:5: warning: transfer 'move' has a source with elements of 4 bytes and a destination with 2 [-Wsize-mismatch]
    svm_kernelRun(&move.kernel);
    svm_kernelWait(&move.kernel);
    // CHECK: wrong-memory.c:[[@LINE+1]]:5: warning: stream 's' is placed in memory 'LMEM1', which is no hardware queue [-Wwrong-memory]
    svm_streamInitFIFO(&s, &LMEM1, 4, 4);
    return 0;
}
