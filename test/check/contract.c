// What svm-llc refuses svm-check refuses too: names, the contract, C itself. Findings are warnings with names, exit code 1.
// RUN: not %svm-check %s 2>&1 | FileCheck %s
// RUN: not %svm-check -DBROKEN %s 2>&1 | FileCheck --check-prefix=C %s
// RUN: not %svm-check 2>&1 | FileCheck --check-prefix=USAGE %s
// RUN: not %svm-check %t.none.c 2>&1 | FileCheck --check-prefix=NONE %s
// RUN: not %svm-check --machine=no-such %s 2>&1 | FileCheck --check-prefix=MACHINE %s
// USAGE: svm-check: error: no input files
// NONE: svm-check: error: cannot read
// MACHINE: error: {{.*}}no-such
#include "Inputs/kernels.h"

// CHECK: contract.c:[[@LINE+1]]:12: error: machine 'simple-svm' has no memory 'LMEM3'
SVM_MEMORY(LMEM3);

#ifdef BROKEN
// C: contract.c:[[@LINE+1]]:14: error:
int broken = ;
#endif

static int counter;

SVM_KERNEL(cost(1, 0))
static void counts_run(svm_Kernel *kernel)
{
    (void)kernel;
    // CHECK: contract.c:[[@LINE+1]]:5: error: kernel 'counts_run' touches mutable file-scope variable 'counter'
    counter++;
}
