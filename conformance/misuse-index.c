// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows: an element index outside a block is index-range, for the control thread and for kernels.
// Machine: simple-svm
// Prints:
//   read behind the last: index-range
//   write far outside: index-range
//   any element of an empty block: index-range
//   read by a kernel: index-range
#include "conform.h"

SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM);
SVM_MEMORY(LMEM1);
SVM_PROCESSOR(PROC1);

typedef struct Reader {
    svm_Kernel kernel;
    svm_Block *block;
    int32_t index;
} Reader;

SVM_KERNEL(cost(1, 0))
static void reader_run(svm_Kernel *kernel)
{
    Reader *self = (Reader *)kernel;
    int32_t v;
    svm_blockRead(self->block, (size_t)self->index, &v);
}

int main(void)
{
    static Reader reader;
    int32_t v = 0;
    svm_Block b;
    size_t g = svm_alloc(&GMEM, 16);
    svm_blockInit(&b, &GMEM, g, 4, 4);
    MISUSE("read behind the last", svm_blockRead(&b, 4, &v));
    MISUSE("write far outside", svm_blockWrite(&b, SIZE_MAX, &v));
    svm_blockInit(&b, &GMEM, g, 0, 4);
    MISUSE("any element of an empty block", svm_blockRead(&b, 0, &v));
    svm_blockInit(&b, &LMEM1, 0, 4, 4);
    reader.block = &b;
    reader.index = -1;
    svm_kernelInit(&reader.kernel, &PROC1, reader_run, "reader");
    MISUSE("read by a kernel", svm_kernelRun(&reader.kernel); svm_kernelWait(&reader.kernel));
    return 0;
}
