// Indexed transfers are bounded: the indices, and the side that is read or written in their order, have as many elements as
// length and records say. Their other side may be used anywhere, after all that comes before.
// RUN: %svm-check %s
// RUN: not %svm-check -DFAULTS %s 2>&1 | FileCheck --implicit-check-not=warning: %s
#include <svm/svm.h>

SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM);
SVM_MEMORY(LMEM1);
SVM_PROCESSOR(DMA_ENGINE1);

static svm_Block table, indices, here, back;
static svm_GatherIndexedB2B gather;
static svm_ScatterIndexedB2B scatter;
static svm_MoveB2B clear;

static void finish(svm_Kernel *k)
{
    svm_kernelRun(k);
    svm_kernelWait(k);
}

int main(void)
{
    size_t a = svm_alloc(&GMEM, 4096);
    svm_blockInit(&table, &GMEM, a, 256, 4);
    svm_blockInit(&indices, &GMEM, a + 1024, 16, 4);
    svm_blockInit(&back, &GMEM, a + 2048, 256, 4);
    svm_blockInit(&here, &LMEM1, 0, 16, 4);
    for (int i = 0; i < 16; i++)
        svm_blockWrite(&indices, (size_t)i, &(int32_t){i * 3});
    svm_gatherIndexedB2BInit(&gather, &DMA_ENGINE1, &table, &indices, &here, 16);
    finish(&gather.kernel);
    svm_scatterIndexedB2BInit(&scatter, &DMA_ENGINE1, &here, &indices, &back, 4);
    scatter.records = 4;
    finish(&scatter.kernel);
#ifdef FAULTS
    // CHECK: indexed.c:[[@LINE+4]]:5: warning: transfer 'gather' reads bytes 0 to 67 of 'indices', which has 64 [-Wcapacity]
    // CHECK: indexed.c:[[@LINE-12]]:5: note: 'indices' is initialised here
    // CHECK: indexed.c:[[@LINE+2]]:5: warning: transfer 'gather' writes bytes 0 to 67 of 'here', which has 64 [-Wcapacity]
    gather.length = 17;
    svm_kernelRun(&gather.kernel);
    svm_kernelWait(&gather.kernel);
    scatter.records = 5;
    // CHECK: indexed.c:[[@LINE+1]]:5: warning: transfer 'scatter' reads bytes 0 to 79 of 'here', which has 64 [-Wcapacity]
    svm_kernelRun(&scatter.kernel);
    scatter.records = 4;
    svm_moveB2BInit(&clear, &DMA_ENGINE1, &table, &back);
    // CHECK: indexed.c:[[@LINE+1]]:5: warning: transfer 'clear' writes bytes 0 to 1023 of 'back', which transfer 'scatter' writes, and neither a dependence nor a wait orders them [-Wunordered]
    svm_kernelRun(&clear.kernel);
    svm_kernelWait(&clear.kernel);
    svm_kernelWait(&scatter.kernel);
#endif
    return 0;
}
