// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows: misuse of stream instructions, when they are launched and when they run.
// Machine: simple-svm
// Prints:
//   load without a unit: bad-argument
//   no such SRF register: bad-argument
//   no such memory register: bad-argument
//   fence of no instruction: bad-argument
//   records of other sizes: size-mismatch
//   stream outside the SRF: address-range
//   stream outside the memory: address-range
//   read behind the end: end-of-stream
//   write to a full output: stream-full
//   index outside the extent: index-range
#include "conform.h"

#include <svm/instructions.h>

SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM);
SVM_MEMORY(LMEM1);
SVM_PROCESSOR(PROC1);
SVM_PROCESSOR(DMA_ENGINE1);

static svm_StreamUnit unit;

SVM_KERNEL(cost(0, 1))
static void too_much_run(svm_Kernel *kernel)
{
    int32_t v = 0;
    for (int i = 0; i < 5; i++)
        svm_srfRead(kernel, 0, &v);
}

SVM_KERNEL(cost(0, 1))
static void too_many_run(svm_Kernel *kernel)
{
    int32_t v = 0;
    for (int i = 0; i < 5; i++)
        svm_srfWrite(kernel, 0, &v);
}

int main(void)
{
    static svm_StreamUnit none;
    static int32_t array[4] = {9, 9, 9, 9};
    svm_streamUnitInit(&unit, &PROC1, &DMA_ENGINE1, &GMEM, &LMEM1, 0, 0, 0);
    size_t g = svm_map(&GMEM, array, sizeof array);
    unit.StreamMemRF[0] = (svm_StreamMemReg){.stream_access_mode = SVM_STRIDED_STREAM,
                                             .stream_stride_or_index = 1,
                                             .stream_ptr = g,
                                             .stream_record_size = 1,
                                             .stream_length = 4};
    unit.StreamSRF_RF[0] = (svm_StreamSRFReg){0, 1, 4};
    unit.StreamSRF_RF[1] = (svm_StreamSRFReg){64, 2, 2};
    unit.StreamSRF_RF[2] = (svm_StreamSRFReg){128 * 1024, 1, 4};
    MISUSE("load without a unit", svm_StreamLoadAfter(&none, 0, 0, 0, NULL));
    MISUSE("no such SRF register", svm_StreamLoadAfter(&unit, 0, 32, 0, NULL));
    MISUSE("no such memory register", svm_StreamLoadAfter(&unit, 32, 0, 0, NULL));
    MISUSE("fence of no instruction", svm_StreamLoadAfter(&unit, 0, 0, 1, (const svm_Fence[]){1000}));
    MISUSE("records of other sizes", svm_StreamLoadAfter(&unit, 0, 1, 0, NULL));
    MISUSE("stream outside the SRF", svm_StreamLoadAfter(&unit, 0, 2, 0, NULL));
    unit.StreamMemRF[1] = unit.StreamMemRF[0];
    unit.StreamMemRF[1].stream_length = 5;
    unit.StreamSRF_RF[3] = (svm_StreamSRFReg){256, 1, 5};
    MISUSE("stream outside the memory", svm_StreamLoadAfter(&unit, 1, 3, 0, NULL));
    svm_Fence load = svm_StreamLoad(&unit, 0, 0, 0);
    MISUSE("read behind the end",
           svm_synch(&unit, svm_KernelStart(&unit, too_much_run, 0, SVM_STREAMS(0), SVM_NO_STREAMS, 1, load)));
    MISUSE("write to a full output",
           svm_synch(&unit, svm_KernelStart(&unit, too_many_run, 0, SVM_NO_STREAMS, SVM_STREAMS(0), 1, load)));
    unit.StreamMemRF[2] = unit.StreamMemRF[0];
    unit.StreamMemRF[2].stream_access_mode = SVM_INDEXED_STREAM;
    unit.StreamMemRF[2].stream_stride_or_index = 0;
    unit.StreamMemRF[2].stream_extent = 4;
    unit.StreamSRF_RF[4] = (svm_StreamSRFReg){512, 1, 4};
    load = svm_StreamLoad(&unit, 0, 0, 0);
    MISUSE("index outside the extent", svm_synch(&unit, svm_StreamLoad(&unit, 2, 4, 1, load)));
    return 0;
}
