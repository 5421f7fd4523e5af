// Shows: as far as the text tells, kernels are placed on kernel processors, transfers on DMA engines, global memory is what control
// code reaches; a function given to svm_kernelInit is a kernel without the macro too.
// RUN: not %svm-llc --target=null %s 2>&1 | FileCheck %s
#include <svm/svm.h>
SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM);
SVM_MEMORY(LMEM1);
SVM_PROCESSOR(PROC0);
SVM_PROCESSOR(PROC1);
SVM_PROCESSOR(DMA_ENGINE1);

static int count;
static void run(svm_Kernel *kernel)
{
    (void)kernel;
    // CHECK: placement.c:[[@LINE+1]]:5: error: kernel 'run' touches mutable file-scope variable 'count'
    count++;
}

int main(void)
{
    svm_Kernel k;
    svm_Block a, b;
    svm_MoveB2B move;
    svm_alloc(&GMEM, 16);
    // CHECK: placement.c:[[@LINE+1]]:15: error: svm_alloc: no control processor of machine 'simple-svm' reaches memory 'LMEM1'; addresses in it are offsets
    svm_alloc(&LMEM1, 16);
    // CHECK: placement.c:[[@LINE+1]]:24: error: svm_kernelInit: 'PROC0' is a control processor of machine 'simple-svm'; expected a kernel processor
    svm_kernelInit(&k, &PROC0, run, "k");
    // CHECK: simple-svm.yaml:{{[0-9]+}}:11: note: it is described here
    svm_kernelInit(&k, &PROC1, run, "k");
    // CHECK: placement.c:[[@LINE+1]]:28: error: svm_moveB2BInit: 'PROC1' is a kernel processor of machine 'simple-svm'; expected a DMA processor
    svm_moveB2BInit(&move, &PROC1, &a, &b);
    svm_moveB2BInit(&move, &DMA_ENGINE1, &a, &b);
    return 0;
}
