// Shows: kernels that svm_KernelStart and svm_KernelRestore start are found, with and without SVM_KERNEL, may call the
// kernel side of svm/instructions.h, and are held to the contract; a unit's processors are checked.
// RUN: %svm-llc -DGOOD %s -o %t && %t
// RUN: not %svm-llc --target=null %s 2>&1 | FileCheck %s
#include <svm/instructions.h>

SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM);
SVM_MEMORY(LMEM1);
SVM_PROCESSOR(PROC0);
SVM_PROCESSOR(PROC1);
SVM_PROCESSOR(DMA_ENGINE1);

static svm_StreamUnit unit;
static int touched;

static void sums(svm_Kernel *k)
{
    int32_t x, sum = 0, before;
    while (!svm_EOS(k, 0) && !svm_Full(k, 1)) {
        svm_srfRead(k, 0, &x);
        if (svm_srfAt(k, 0, svm_INSTANCE(k, 0) - 1, &before))
            svm_reduceParameter(k, 0, SVM_MAX_INT32, &before);
        sum += x * svm_parameter(k, 1);
        svm_srfWriteIf(k, 1, svm_srfLeft(k, 1) > 0, &sum);
    }
    svm_setParameter(k, 2, sum);
    if (!svm_restored(k))
        svm_suspend(k);
}

#ifndef GOOD
static void starts(svm_Kernel *k)
{
    svm_srfWrite(k, 0, &unit); // CHECK: [[@LINE]]:25: error: kernel 'starts' touches mutable file-scope variable 'unit'
    svm_synch(0, 1);           // CHECK: [[@LINE]]:5: error: kernel 'starts' calls 'svm_synch', which is no function that kernels may call
}

SVM_KERNEL(cost(0, 0)) static void touches(svm_Kernel *k)
{
    touched = svm_parameter(k, 0); // CHECK: [[@LINE]]:5: error: kernel 'touches' touches mutable file-scope variable 'touched'
}
#endif

SVM_CONTROL(PROC0) static int control(svm_StreamUnit *u)
{
    size_t memory = svm_alloc(&GMEM, 16);
    svm_Fence f;
    u->StreamMemRF[0] = (svm_StreamMemReg){SVM_STRIDED_STREAM, 1, memory, 1, 4, 0, SVM_REPLACE};
    u->StreamSRF_RF[0] = (svm_StreamSRFReg){0, 1, 4};
    u->StreamSRF_RF[1] = (svm_StreamSRFReg){16, 1, 4};
    u->KernelParamRf[1] = 2;
    int *words = (int *)memory;
    for (int i = 0; i < 4; i++)
        words[i] = i + 1;
    f = svm_StreamLoad(u, 0, 0, 0);
    f = svm_KernelStart(u, sums, 0, SVM_STREAMS(0), SVM_STREAMS(1), 1, f);
    svm_synch(u, svm_StreamStore(u, 0, 1, 1, f));
    bool good = svm_suspended(u, f) && words[0] == 2 && words[1] == 6 && words[2] == 12 && words[3] == 20;
#ifndef GOOD
    svm_KernelRestore(u, starts, 0, SVM_NO_STREAMS, SVM_STREAMS(1), 0);
    svm_KernelStartAfter(u, touches, "touches", 0, SVM_NO_STREAMS, SVM_NO_STREAMS, 0, NULL);
#endif
    return good && u->KernelParamRf[0] == 3 && u->KernelParamRf[2] == 20 && touched == 0 ? 0 : 1;
}

int main(void)
{
#ifdef GOOD
    svm_streamUnitInit(&unit, &PROC1, &DMA_ENGINE1, &GMEM, &LMEM1, 0, 0, 0);
#else
    // CHECK: [[@LINE+1]]:31: error: svm_streamUnitInit: 'DMA_ENGINE1' is a DMA processor of machine 'simple-svm'; expected a kernel processor
    svm_streamUnitInit(&unit, &DMA_ENGINE1, &DMA_ENGINE1, &GMEM, &LMEM1, 0, 0, 0);
#endif
    int status = control(&unit);
    svm_streamUnitDestroy(&unit);
    return status;
}
