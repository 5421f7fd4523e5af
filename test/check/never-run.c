// A wait for a kernel that is never run, or only run later, is found; not one in a loop that runs it later, nor one of a
// kernel that another function runs.
// RUN: not %svm-check %s 2>&1 | FileCheck --implicit-check-not=warning: %s
#include "Inputs/kernels.h"

static Filter a, b, c, d;

int main(void)
{
    plain_init(&a);
    plain_init(&b);
    plain_init(&c);
    plain_init(&d);
    // CHECK: never-run.c:[[@LINE+2]]:5: warning: kernel 'a' is waited for and never run [-Wnever-run]
    // CHECK: kernels.h:49:5: note: 'a' is initialised here
    svm_kernelWait(&a.kernel);
    // CHECK: never-run.c:[[@LINE+1]]:5: warning: kernel 'b' is waited for before it is run [-Wnever-run]
    svm_kernelWaitMultiple(1, (svm_Kernel *[]){&b.kernel});
    svm_kernelRun(&b.kernel);
    svm_kernelWait(&b.kernel);
    for (int i = 0; i < d.n; i++) {
        if (i > 0)
            svm_kernelWait(&c.kernel);
        svm_kernelRun(&c.kernel);
    }
    svm_kernelWait(&c.kernel);
    // CHECK: never-run.c:[[@LINE+1]]:5: warning: kernel 'a' is ended and never run [-Wnever-run]
    svm_kernelEnd(&a.kernel);
    svm_kernelWait(&d.kernel);
    return 0;
}

// Another program's part may call this first.
int start(void)
{
    svm_kernelRun(&d.kernel);
    return 0;
}
// CHECK: 3 warnings generated
