// The slides' own program text, with SVM_SLIDE_NAMES: a load, a kernel and a store by registers and fences.
// RUN: %host -o %t && %t
// RUN: %host-gcc -o %t && %t
// RUN: %host-asan -o %t && %t
#include "check.h"
#define SVM_SLIDE_NAMES
#include "svm/instructions.h"

SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM);
SVM_MEMORY(LMEM1);
SVM_PROCESSOR(PROC0);
SVM_PROCESSOR(PROC1);
SVM_PROCESSOR(DMA_ENGINE1);

SVM_KERNEL(cost(0, 2)) static void Foo(svm_Kernel *k)
{
    int32_t prev, x;
    while (!EOS(k, 0) && !Full(k, 1)) {
        svm_srfRead(k, 0, &x);
        svm_srfAt(k, 0, INSTANCE(k, 0) - 1, &prev);
        x -= prev;
        svm_srfWrite(k, 1, &x);
        svm_reduceParameter(k, 0, SVM_ADD_INT32, &x);
    }
}

SVM_CONTROL(PROC0) static int control(svm_StreamUnit *svm_unit)
{
    enum { StreamMemRegA, StreamMemRegB, StreamSRFRegA = 7, StreamSRFRegB };
    int32_t squares[6] = {0, 1, 4, 9, 16, 25}, differences[5];
    svm_Fence Fence[STREAM_MEM_RF];
    StreamMemReg there = {STRIDED_STREAM, 1, svm_map(&GMEM, squares, sizeof squares), 1, 6, 0, SVM_REPLACE};
    StreamMemReg here = {STRIDED_STREAM, 1, svm_map(&GMEM, differences, sizeof differences), 1, 5, 0, SVM_REPLACE};
    StreamMemRF[StreamMemRegA] = there;
    StreamMemRF[StreamMemRegB] = here;
    StreamSRF_RF[StreamSRFRegA] = (StreamSRFReg){0, 1, 6};
    StreamSRF_RF[StreamSRFRegB] = (StreamSRFReg){64, 1, 5};
    KernelParamRf[11] = 100;
    Fence[0] = StreamLoad(StreamMemRegA, StreamSRFRegA, 0);
    Fence[1] = KernelStart(Foo, 11, SVM_STREAMS(StreamSRFRegA), SVM_STREAMS(StreamSRFRegB), 1, Fence[0]);
    Fence[2] = StreamStore(StreamMemRegB, StreamSRFRegB, 2, Fence[0], Fence[1]);
    Fence[3] = StreamBarrier();
    synch(Fence[3]);
    CHECK(query(Fence[2]));
    for (int i = 0; i < 5; i++)
        CHECK(differences[i] == (i == 0 ? 0 : 2 * i - 1));
    CHECK(KernelParamRf[11] == 100 + 0 + 1 + 3 + 5 + 7);
    CHECK(STREAM_SRF_RF == 32 && KERNEL_PARAM_RF == 32 && INDEXED_STREAM == 1);
    return 0;
}

int main(void)
{
    svm_StreamUnit unit;
    svm_streamUnitInit(&unit, &PROC1, &DMA_ENGINE1, &GMEM, &LMEM1, 0, 0, 0);
    int status = control(&unit);
    svm_streamUnitDestroy(&unit);
    return status;
}
