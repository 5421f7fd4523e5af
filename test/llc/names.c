// Shows: memories, processors and the processor of a control thread are names of the machine file; unknown ones are located, with
// what was meant.
// RUN: not %svm-llc --target=null %s 2>&1 | FileCheck %s
// RUN: not %svm-llc --target=null --machine=host %s 2>&1 | FileCheck %s --check-prefix=HOST
#include <svm/svm.h>

// HOST: names.c:[[@LINE+4]]:12: error: machine 'host' has no memory 'LMEM1'
SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM);
// CHECK-NOT: names.c:[[@LINE+1]]
SVM_MEMORY(LMEM1);
// CHECK: names.c:[[@LINE+1]]:12: error: machine 'simple-svm' has no memory 'LMEM3'; did you mean 'LMEM1'?
SVM_MEMORY(LMEM3);
// CHECK: names.c:[[@LINE+1]]:15: error: machine 'simple-svm' has no processor 'DMA_ENGINE'; did you mean 'DMA_ENGINE1'?
SVM_PROCESSOR(DMA_ENGINE);
SVM_PROCESSOR(PROC1);

// CHECK: names.c:[[@LINE+1]]:13: error: SVM_CONTROL names 'PROC0', which no SVM_PROCESSOR declares
SVM_CONTROL(PROC0)
static int missing(void *self) { return self == 0; }

// CHECK: names.c:[[@LINE+1]]:13: error: SVM_CONTROL names 'PROC1', which is no control processor of machine 'simple-svm'
SVM_CONTROL(PROC1)
static int other(void *self) { return self == 0; }

int main(void) { return missing(0) + other(0); }
