// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows: a loop over strips that depend both ways: the load of a strip waits until the kernel is done with the buffer,
// and the kernel for the load. Two buffers, and the control thread runs ahead.
// Machine: simple-svm
// Prints:
//   40 results, 0 wrong
#include "conform.h"

SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM);
SVM_MEMORY(LMEM1);
SVM_PROCESSOR(PROC1);
SVM_PROCESSOR(DMA_ENGINE1);
SVM_PROCESSOR(DMA_ENGINE2);

enum { STRIPS = 10, STRIP = 4 };

typedef struct Square {
    svm_Kernel kernel;
    svm_Block *in, *out;
} Square;

SVM_KERNEL(cost(0, 1))
static void square_run(svm_Kernel *kernel)
{
    Square *self = (Square *)kernel;
    const int32_t *in = svm_blockData(self->in);
    int32_t *out = svm_blockData(self->out);
    for (ptrdiff_t i = 0; i < STRIP; i++)
        out[i] = in[i] * in[i];
}

int main(void)
{
    static Square square[2];
    static svm_MoveB2B load[2], store[2];
    static int32_t in[STRIPS * STRIP], out[STRIPS * STRIP];
    static svm_Block inputs[STRIPS], outputs[STRIPS], raw[2], done[2];
    for (int32_t i = 0; i < STRIPS * STRIP; i++)
        in[i] = i;
    size_t gin = svm_map(&GMEM, in, sizeof in), gout = svm_map(&GMEM, out, sizeof out);
    for (size_t i = 0; i < STRIPS; i++) {
        svm_blockInit(&inputs[i], &GMEM, gin + i * STRIP * 4, STRIP, 4);
        svm_blockInit(&outputs[i], &GMEM, gout + i * STRIP * 4, STRIP, 4);
    }
    for (size_t b = 0; b < 2; b++) {
        svm_blockInit(&raw[b], &LMEM1, b * 32, STRIP, 4);
        svm_blockInit(&done[b], &LMEM1, b * 32 + 16, STRIP, 4);
        square[b].in = &raw[b];
        square[b].out = &done[b];
        svm_kernelInit(&square[b].kernel, &PROC1, square_run, "square");
        svm_kernelNeverBlocks(&square[b].kernel);
        svm_moveB2BInit(&load[b], &DMA_ENGINE1, &inputs[b], &raw[b]);
        svm_moveB2BInit(&store[b], &DMA_ENGINE2, &done[b], &outputs[b]);
        svm_kernelAddDependence(&load[b].kernel, &square[b].kernel);
        svm_kernelAddDependence(&square[b].kernel, &load[b].kernel);
        svm_kernelAddDependence(&square[b].kernel, &store[b].kernel);
        svm_kernelAddDependence(&store[b].kernel, &square[b].kernel);
    }
    for (size_t i = 0; i < STRIPS; i++) {
        size_t b = i % 2;
        if (i >= 2) { // the objects of two strips ago
            svm_kernelWait(&load[b].kernel);
            svm_kernelWait(&square[b].kernel);
            svm_kernelWait(&store[b].kernel);
        }
        load[b].source = &inputs[i];
        store[b].destination = &outputs[i];
        svm_kernelRun(&load[b].kernel);
        svm_kernelRun(&square[b].kernel);
        svm_kernelRun(&store[b].kernel);
    }
    svm_kernelWaitMultiple(2, (svm_Kernel *[]){&store[0].kernel, &store[1].kernel});
    int wrong = 0;
    for (int32_t i = 0; i < STRIPS * STRIP; i++)
        wrong += out[i] != i * i;
    printf("%d results, %d wrong\n", STRIPS * STRIP, wrong);
    return 0;
}
