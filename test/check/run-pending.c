// A kernel that is run again although nothing has waited for it is found, in loops too; not after a wait for it or for
// what depends on it, nor in another branch, nor when it pauses itself.
// RUN: not %svm-check %s 2>&1 | FileCheck --implicit-check-not=warning: %s
#include "Inputs/kernels.h"

SVM_KERNEL(cost(1, 0))
static void pauser_run(svm_Kernel *kernel)
{
    svm_kernelPause(kernel);
}

int main(int argc, char **argv)
{
    static Filter a, b, c, d, pauser;
    (void)argv;
    plain_init(&a);
    plain_init(&b);
    plain_init(&c);
    plain_init(&d);
    svm_kernelInit(&pauser.kernel, &PROC1, pauser_run, "pauser");
    svm_kernelRun(&a.kernel);
    // CHECK: run-pending.c:[[@LINE+2]]:5: warning: kernel 'a' is run again, and nothing has waited for its last run [-Wrun-pending]
    // CHECK: run-pending.c:[[@LINE-2]]:5: note: its last run is here
    svm_kernelRun(&a.kernel);
    svm_kernelWait(&a.kernel);
    svm_kernelRun(&a.kernel);
    svm_kernelAddDependence(&b.kernel, &a.kernel);
    svm_kernelRun(&b.kernel);
    svm_kernelWait(&b.kernel);
    svm_kernelRun(&a.kernel);
    svm_kernelWait(&a.kernel);
    for (int i = 0; i < argc; i++)
        // CHECK: run-pending.c:[[@LINE+1]]:9: warning: kernel 'c' is run again, and nothing has waited for its last run
        svm_kernelRun(&c.kernel);
    svm_kernelWait(&c.kernel);
    if (argc > 1)
        svm_kernelRun(&d.kernel);
    else
        svm_kernelRun(&d.kernel);
    svm_kernelWait(&d.kernel);
    svm_kernelRun(&pauser.kernel);
    svm_kernelRun(&pauser.kernel);
    svm_kernelWait(&pauser.kernel);
    return 0;
}
