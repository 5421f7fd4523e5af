// A run that writes some bytes of a block for certain, and others by an index from data, is not left out of what is told of
// a smaller block that lies over the former.
// RUN: %svm-check %s
// RUN: not %svm-check -DUNORDERED %s 2>&1 | FileCheck --implicit-check-not=warning: %s
#include <svm/svm.h>

SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM);
SVM_MEMORY(LMEM1);
SVM_PROCESSOR(PROC1);
SVM_PROCESSOR(DMA_ENGINE1);

typedef struct Count {
    svm_Kernel kernel;
    svm_Block *in, *out;
} Count;

SVM_KERNEL()
static void count_run(svm_Kernel *kernel)
{
    Count *self = (Count *)kernel;
    const uint8_t *in = svm_blockData(self->in);
    uint8_t *out = svm_blockData(self->out);
    for (int i = 0; i < 64; i++)
        out[i] = in[i];
    for (int i = 64; i < 128; i++)
        out[in[i]] += 1;
}

int main(void)
{
    static uint8_t data[128], sums[64];
    svm_Block dataB, sumsB, in, out, head;
    svm_MoveB2B load, store;
    Count count = {.in = &in, .out = &out};
    size_t from = svm_map(&GMEM, data, sizeof data), to = svm_map(&GMEM, sums, sizeof sums);
    svm_blockInit(&dataB, &GMEM, from, 128, 1);
    svm_blockInit(&sumsB, &GMEM, to, 64, 1);
    svm_blockInit(&in, &LMEM1, 0, 128, 1);
    svm_blockInit(&out, &LMEM1, 128, 256, 1);
    svm_blockInit(&head, &LMEM1, 128, 64, 1);
    svm_moveB2BInit(&load, &DMA_ENGINE1, &dataB, &in);
    svm_moveB2BInit(&store, &DMA_ENGINE1, &head, &sumsB);
    svm_kernelInit(&count.kernel, &PROC1, count_run, "count");
    svm_kernelAddDependence(&count.kernel, &load.kernel);
#ifndef UNORDERED
    svm_kernelAddDependence(&store.kernel, &count.kernel);
#endif
    svm_kernelRun(&load.kernel);
    svm_kernelRun(&count.kernel);
    // CHECK: somewhere.c:[[@LINE+1]]:5: warning: transfer 'store' reads bytes 0 to 63 of 'head', which kernel 'count' writes, and neither a dependence nor a wait orders them [-Wunordered]
    svm_kernelRun(&store.kernel);
    svm_kernelWaitMultiple(2, (svm_Kernel *[]){&count.kernel, &store.kernel});
    svm_unmap(&GMEM, from);
    svm_unmap(&GMEM, to);
    return 0;
}
