// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows: stream instructions: loads, kernels and stores ordered by fences, registers that may be rewritten at once,
// strided and indexed streams, parameters, query, synch and barrier.
// Machine: simple-svm
// Prints:
//   2 4 6 8 scaled by 10: 20 40 60 80
//   every second of two: 1 3 then 2 4
//   gathered by indices: 4 1 4
//   sum in a parameter: 10
//   all has completed
#include "conform.h"

#include <svm/instructions.h>

SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM);
SVM_MEMORY(LMEM1);
SVM_PROCESSOR(PROC1);
SVM_PROCESSOR(DMA_ENGINE1);

static svm_StreamUnit unit;

SVM_KERNEL(cost(0, 2))
static void scale_run(svm_Kernel *kernel)
{
    int32_t factor = svm_parameter(kernel, 0), v;
    while (!svm_EOS(kernel, 0)) {
        svm_srfRead(kernel, 0, &v);
        v *= factor;
        svm_srfWrite(kernel, 1, &v);
    }
}

SVM_KERNEL(cost(0, 2))
static void sum_run(svm_Kernel *kernel)
{
    int32_t v;
    svm_setParameter(kernel, 0, 0);
    while (svm_srfReadIf(kernel, 0, true, &v))
        svm_reduceParameter(kernel, 0, SVM_ADD_INT32, &v);
}

// A stream of `length` records of a word in an array, `stride` words apart.
static void in_memory(size_t r, int32_t *array, size_t words, size_t stride, size_t length)
{
    unit.StreamMemRF[r] = (svm_StreamMemReg){.stream_access_mode = SVM_STRIDED_STREAM,
                                             .stream_stride_or_index = stride,
                                             .stream_ptr = svm_map(&GMEM, array, words * SVM_WORD),
                                             .stream_record_size = 1,
                                             .stream_length = length};
}

static void in_srf(size_t r, size_t word, size_t length)
{
    unit.StreamSRF_RF[r] = (svm_StreamSRFReg){word * SVM_WORD, 1, length};
}

int main(void)
{
    static int32_t from[4] = {2, 4, 6, 8}, to[4], table[4] = {1, 2, 3, 4}, indices[3] = {3, 0, 3}, got[3];
    svm_streamUnitInit(&unit, &PROC1, &DMA_ENGINE1, &GMEM, &LMEM1, 0, 0, 0);
    in_memory(0, from, 4, 1, 4);
    in_memory(1, to, 4, 1, 4);
    in_srf(0, 0, 4);
    in_srf(1, 16, 4);
    unit.KernelParamRf[5] = 10;
    svm_Fence load = svm_StreamLoad(&unit, 0, 0, 0);
    svm_Fence scaled = svm_KernelStart(&unit, scale_run, 5, SVM_STREAMS(0), SVM_STREAMS(1), 1, load);
    svm_Fence store = svm_StreamStore(&unit, 1, 1, 2, scaled, load);
    unit.StreamMemRF[1].stream_length = 0; // read when the store was launched
    svm_synch(&unit, store);
    printf("2 4 6 8 scaled by 10: %d %d %d %d\n", to[0], to[1], to[2], to[3]);

    // Records a stride apart.
    in_memory(2, table, 4, 2, 2);
    in_memory(3, to, 4, 1, 4);
    in_srf(2, 32, 2);
    in_srf(3, 34, 2);
    svm_Fence even = svm_StreamLoad(&unit, 2, 2, 0);
    unit.StreamMemRF[2].stream_ptr += SVM_WORD;
    svm_Fence odd = svm_StreamLoad(&unit, 2, 3, 0);
    in_srf(4, 32, 4); // both
    store = svm_StreamStore(&unit, 3, 4, 2, even, odd);
    svm_synch(&unit, store);
    printf("every second of two: %d %d then %d %d\n", to[0], to[1], to[2], to[3]);

    // Records by indices, which are in a register of the SRF.
    in_memory(4, indices, 3, 1, 3);
    in_memory(6, got, 3, 1, 3);
    in_srf(5, 64, 3);
    in_srf(6, 80, 3);
    unit.StreamMemRF[5] = (svm_StreamMemReg){.stream_access_mode = SVM_INDEXED_STREAM,
                                             .stream_stride_or_index = 5,
                                             .stream_ptr = unit.StreamMemRF[2].stream_ptr - SVM_WORD,
                                             .stream_record_size = 1,
                                             .stream_length = 3,
                                             .stream_extent = 4};
    svm_Fence by = svm_StreamLoadAfter(&unit, 4, 5, 0, NULL);
    svm_Fence gathered = svm_StreamLoadAfter(&unit, 5, 6, 1, &by);
    svm_synch(&unit, svm_StreamStoreAfter(&unit, 6, 6, 1, &gathered));
    printf("gathered by indices: %d %d %d\n", got[0], got[1], got[2]);

    svm_Fence sum = svm_KernelStartAfter(&unit, sum_run, "sum", 9, SVM_STREAMS(4), SVM_NO_STREAMS, 1, &store);
    svm_Fence all = svm_StreamBarrier(&unit);
    svm_synch(&unit, sum);
    printf("sum in a parameter: %d\n", unit.KernelParamRf[9]);
    svm_synch(&unit, all);
    puts(svm_query(&unit, load) && svm_query(&unit, all) && svm_query(&unit, 0) ? "all has completed" : "not all");
    svm_streamUnitDestroy(&unit);
    return 0;
}
