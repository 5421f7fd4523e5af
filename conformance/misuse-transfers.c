// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows: strides and indices that lead outside a block are index-range; strides that cannot be, and combinations that
// do not suit the elements, are bad-argument or size-mismatch.
// Machine: simple-svm
// Prints:
//   gather with a stride beyond the block: index-range
//   scatter with an offset beyond the block: index-range
//   gather by an index outside the block: index-range
//   scatter by an index below 0: index-range
//   indices of one byte: size-mismatch
//   elements of other sizes: size-mismatch
//   addition of elements of another size: size-mismatch
//   stream with a stride below its records: bad-argument
#include "conform.h"

SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM);
SVM_PROCESSOR(DMA_ENGINE1);

static void run(svm_Kernel *k)
{
    svm_kernelRun(k);
    svm_kernelWait(k);
}

int main(void)
{
    static svm_GatherStridedB2B gather;
    static svm_ScatterStridedB2B scatter;
    static svm_GatherIndexedB2B by;
    static svm_ScatterIndexedB2B into;
    static svm_GatherStridedS2B back;
    static int32_t table[8], few[4], indices[2] = {1, 8};
    svm_Block tableB, fewB, indicesB, bytes;
    svm_Stream s;
    size_t t = svm_map(&GMEM, table, sizeof table), f = svm_map(&GMEM, few, sizeof few);
    size_t i = svm_map(&GMEM, indices, sizeof indices), g = svm_alloc(&GMEM, 64);
    svm_blockInit(&tableB, &GMEM, t, 8, 4);
    svm_blockInit(&fewB, &GMEM, f, 4, 4);
    svm_blockInit(&indicesB, &GMEM, i, 2, 4);
    svm_blockInit(&bytes, &GMEM, g, 4, 1);
    svm_streamInitRAM(&s, &GMEM, g + 32, 8, 4);
    svm_gatherStridedB2BInit(&gather, &DMA_ENGINE1, &tableB, &fewB, 1, 3, 4);
    MISUSE("gather with a stride beyond the block", run(&gather.kernel));
    svm_scatterStridedB2BInit(&scatter, &DMA_ENGINE1, &fewB, &tableB, 1, 2, 4);
    scatter.offset = 2;
    MISUSE("scatter with an offset beyond the block", run(&scatter.kernel));
    svm_gatherIndexedB2BInit(&by, &DMA_ENGINE1, &tableB, &indicesB, &fewB, 2);
    MISUSE("gather by an index outside the block", run(&by.kernel));
    svm_scatterIndexedB2BInit(&into, &DMA_ENGINE1, &fewB, &indicesB, &tableB, 2);
    indices[1] = -1;
    MISUSE("scatter by an index below 0", run(&into.kernel));
    indices[1] = 2;
    by.indices = &bytes;
    MISUSE("indices of one byte", run(&by.kernel));
    by.indices = &indicesB;
    by.destination = &bytes;
    MISUSE("elements of other sizes", run(&by.kernel));
    into.combine = SVM_ADD_DOUBLE;
    MISUSE("addition of elements of another size", run(&into.kernel));
    svm_gatherStridedS2BInit(&back, &DMA_ENGINE1, &s, &fewB, 2, 1, 2);
    MISUSE("stream with a stride below its records", run(&back.kernel));
    return 0;
}
