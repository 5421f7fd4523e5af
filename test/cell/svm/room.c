// Shows: what blocks, tables, code and stack of an SPE take together is told when the program is compiled, where the block is set up that reaches farthest.
//
// RUN: %svm-llc --target=cell %s -o %t && %t | FileCheck %s
// CHECK: done
// RUN: not %svm-llc --target=cell -DBYTES=190000 %s -o %t 2>&1 | FileCheck %s --check-prefix=FULL
// FULL: room.c:41:5: error: blocks take 190016 bytes of 'LS0' and the SPEs' program {{[0-9]+}}, which are {{[0-9]+}} more than its 262144: the program's code has {{[0-9]+}}, constants and the commands' ring 8{{[0-9]+}}, the stack {{[0-9]+}}
#include <stdio.h>

#include <svm/program.h>

SVM_MACHINE("cell-qs20");
SVM_MEMORY(LS0);
SVM_PROCESSOR(SPE0);

#ifndef BYTES
#define BYTES 100000
#endif

typedef struct {
    svm_Kernel kernel;
    svm_Block *block;
    int from;
} Look;

static const float table[20000] = {[17] = 3.5f};

SVM_KERNEL()
static void looks(svm_Kernel *kernel)
{
    Look *self = (Look *)kernel;
    float value = table[self->from + 17];
    svm_blockWrite(self->block, 0, &value);
}

int main(void)
{
    static Look look;
    svm_Block block, last;
    svm_blockInit(&block, &LS0, 0, 1, 4);
    svm_kernelInit(&look.kernel, &SPE0, looks, "looks");
    svm_blockInit(&last, &LS0, 16, BYTES, 1);
    look.block = &block;
    look.from = 0;
    svm_kernelRun(&look.kernel);
    svm_kernelWait(&look.kernel);
    puts("done");
    return 0;
}
