// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows: memory that an operation or a processor cannot use is bad-memory; more than there is of it is out-of-memory.
// Machine: simple-svm
// Prints:
//   alloc in a local memory: bad-memory
//   more than the memory: out-of-memory
//   more than is left: out-of-memory
//   the control thread reads a local memory: bad-memory
//   the control thread pushes to a local memory: bad-memory
//   a kernel reads another processor's memory: bad-memory
//   a kernel pops from another processor's memory: bad-memory
#include "conform.h"

SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM);
SVM_MEMORY(LMEM1);
SVM_MEMORY(LMEM2);
SVM_PROCESSOR(PROC1);

typedef struct Reader {
    svm_Kernel kernel;
    svm_Block *block;
    svm_Stream *stream;
} Reader;

SVM_KERNEL(cost(1, 0))
static void reader_run(svm_Kernel *kernel)
{
    Reader *self = (Reader *)kernel;
    int32_t v;
    if (self->block)
        svm_blockRead(self->block, 0, &v);
    else
        svm_streamPop(self->stream, &v);
}

int main(void)
{
    static Reader reader;
    int32_t v = 0;
    mm_Mem local = &LMEM1;
    svm_Block near, far;
    svm_Stream s;
    MISUSE("alloc in a local memory", svm_alloc(local, 4));
    MISUSE("more than the memory", svm_alloc(&GMEM, (size_t)65 << 20));
    svm_alloc(&GMEM, (size_t)63 << 20);
    MISUSE("more than is left", svm_alloc(&GMEM, (size_t)2 << 20));
    svm_blockInit(&near, &LMEM1, 0, 1, 4);
    MISUSE("the control thread reads a local memory", svm_blockRead(&near, 0, &v));
    svm_streamInitRAM(&s, &LMEM1, 4, 1, 4);
    MISUSE("the control thread pushes to a local memory", svm_streamPush(&s, &v));
    svm_blockInit(&far, &LMEM2, 0, 1, 4);
    svm_streamInitRAM(&s, &LMEM2, 4, 1, 4);
    reader.block = &far;
    reader.stream = &s;
    svm_kernelInit(&reader.kernel, &PROC1, reader_run, "reader");
    MISUSE("a kernel reads another processor's memory", svm_kernelRun(&reader.kernel); svm_kernelWait(&reader.kernel));
    reader.block = NULL;
    MISUSE("a kernel pops from another processor's memory", svm_kernelRun(&reader.kernel);
           svm_kernelWait(&reader.kernel));
    return 0;
}
