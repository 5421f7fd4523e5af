// Shows: an unknown machine is an error at its name in SVM_MACHINE, and on the command line one without a place.
// RUN: not %svm-llc --target=null %s 2>&1 | FileCheck %s
// RUN: not %svm-llc --target=null --machine=hosts %s 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: not %svm-llc --target=null --machine=./none.yaml %s 2>&1 | FileCheck %s --check-prefix=FILE
#include <svm/svm.h>
// CHECK: machine-unknown.c:[[@LINE+1]]:13: error: unknown machine 'simpel-svm'; did you mean 'simple-svm'?
SVM_MACHINE("simpel-svm");
// OPTION: {{^}}error: unknown machine 'hosts'; did you mean 'host'?
// FILE: error: cannot read machine file './none.yaml': No such file or directory
