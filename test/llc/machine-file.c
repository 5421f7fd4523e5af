// Shows: SVM_MACHINE may name a path; errors in the machine file are located there. A machine that is named twice, or not at file
// scope, is an error.
// RUN: not %svm-llc --target=null --machine=%S/Inputs/broken.yaml %s 2>&1 | FileCheck %s
// RUN: not %svm-llc --target=null -DTWICE %s 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not %svm-llc --target=null -DNOT %s 2>&1 | FileCheck %s --check-prefix=NOT
#include <svm/svm.h>
// CHECK: broken.yaml:6:11: error: 'size' of memory 'GMEM': '16' has no unit; expected a size
#ifndef NOT
SVM_MACHINE("simple-svm");
#endif
#ifdef TWICE
// TWICE: machine-file.c:[[@LINE+1]]:1: error: redefinition of 'svm_machineName'
SVM_MACHINE("host");
// TWICE: machine-file.c:9:1: {{.*}}note: previous definition is here
#endif
// NOT: error: this file uses no SVM_MACHINE at file scope
