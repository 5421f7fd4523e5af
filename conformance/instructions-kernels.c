// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows: what kernels of stream instructions may do: stencils by INSTANCE, conditional streams, the tests for the end
// of an input and a full output, and suspension with a state stream, from which they are restored.
// Machine: simple-svm
// Prints:
//   differences: 1 2 3 4 5
//   even ones: 6 10, 2 records
//   suspended after 2: 1 2
//   suspended after 2: 3 4
//   finished after 1: 5
#include "conform.h"

#include <svm/instructions.h>

SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM);
SVM_MEMORY(LMEM1);
SVM_PROCESSOR(PROC1);
SVM_PROCESSOR(DMA_ENGINE1);

static svm_StreamUnit unit;

// Each record less the one before it.
SVM_KERNEL(cost(0, 3))
static void difference_run(svm_Kernel *kernel)
{
    int32_t v, previous;
    while (!svm_EOS(kernel, 0)) {
        svm_srfRead(kernel, 0, &v);
        svm_srfAt(kernel, 0, svm_INSTANCE(kernel, 0) - 1, &previous); // zero before the first
        v -= previous;
        svm_srfWrite(kernel, 1, &v);
    }
}

SVM_KERNEL(cost(0, 3))
static void even_run(svm_Kernel *kernel)
{
    int32_t v;
    while (svm_srfLeft(kernel, 0) > 0) {
        svm_srfRead(kernel, 0, &v);
        svm_srfWriteIf(kernel, 1, v % 2 == 0, &v);
    }
}

// Counts its input into an output that is too small for it, suspended when that is full: its state is the count.
SVM_KERNEL(cost(0, 3))
static void count_run(svm_Kernel *kernel)
{
    int32_t count = 0, v;
    if (svm_restored(kernel))
        svm_srfRead(kernel, 1, &count);
    while (!svm_EOS(kernel, 0)) {
        if (svm_Full(kernel, 2)) {
            svm_srfWrite(kernel, 3, &count);
            svm_suspend(kernel);
            return;
        }
        svm_srfRead(kernel, 0, &v);
        count++;
        svm_srfWrite(kernel, 2, &count);
    }
}

static void in_memory(size_t r, int32_t *array, size_t length)
{
    unit.StreamMemRF[r] = (svm_StreamMemReg){.stream_access_mode = SVM_STRIDED_STREAM,
                                             .stream_stride_or_index = 1,
                                             .stream_ptr = svm_map(&GMEM, array, length * SVM_WORD),
                                             .stream_record_size = 1,
                                             .stream_length = length};
}

int main(void)
{
    static int32_t from[5] = {1, 3, 6, 10, 15}, to[5], two[2];
    svm_streamUnitInit(&unit, &PROC1, &DMA_ENGINE1, &GMEM, &LMEM1, 0, 0, 0);
    in_memory(0, from, 5);
    in_memory(1, to, 5);
    in_memory(2, two, 2);
    for (size_t r = 0; r < 4; r++)
        unit.StreamSRF_RF[r] = (svm_StreamSRFReg){r * 64, 1, 5};
    unit.StreamSRF_RF[2].stream_length = 2;
    svm_Fence load = svm_StreamLoad(&unit, 0, 0, 0);
    svm_Fence kernel = svm_KernelStart(&unit, difference_run, 0, SVM_STREAMS(0), SVM_STREAMS(1), 1, load);
    svm_synch(&unit, svm_StreamStore(&unit, 1, 1, 1, kernel));
    printf("differences: %d %d %d %d %d\n", to[0], to[1], to[2], to[3], to[4]);

    kernel = svm_KernelStart(&unit, even_run, 0, SVM_STREAMS(0), SVM_STREAMS(1), 1, load);
    svm_synch(&unit, kernel);
    unit.StreamMemRF[1].stream_length = 2;
    svm_synch(&unit, svm_StreamStore(&unit, 1, 1, 1, kernel));
    printf("even ones: %d %d, %zu records\n", to[0], to[1], svm_streamRecords(&unit, 1));

    // Register 3 holds the state, as an input and as an output.
    unit.StreamSRF_RF[3].stream_length = 1;
    kernel = svm_KernelStart(&unit, count_run, 0, SVM_STREAMS(0, 3), SVM_STREAMS(2, 3), 1, load);
    for (;;) {
        svm_synch(&unit, kernel);
        size_t records = svm_streamRecords(&unit, 2);
        bool suspended = svm_suspended(&unit, kernel);
        unit.StreamMemRF[2].stream_length = records;
        svm_Fence stored = svm_StreamStore(&unit, 2, 2, 1, kernel);
        svm_synch(&unit, stored);
        printf("%s after %zu:", suspended ? "suspended" : "finished", records);
        for (size_t i = 0; i < records; i++)
            printf(" %d", two[i]);
        puts("");
        if (!suspended)
            break;
        kernel = svm_KernelRestoreAfter(&unit, count_run, "count", 0, SVM_STREAMS(0, 3), SVM_STREAMS(2, 3), 1, &stored);
    }
    svm_streamUnitDestroy(&unit);
    return 0;
}
