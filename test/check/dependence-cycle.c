// A paused kernel that is to go on only after kernels that wait for it is found; dependences both ways are none, nor is one that
// was there when a paused kernel ran first.
// RUN: not %svm-check %s 2>&1 | FileCheck --implicit-check-not=warning: %s
#include "Inputs/kernels.h"

SVM_KERNEL(cost(1, 0))
static void pauser_run(svm_Kernel *kernel)
{
    svm_kernelPause(kernel);
}

int main(void)
{
    static Filter first, second, third, load, work;
    svm_kernelInit(&first.kernel, &PROC1, pauser_run, "first");
    plain_init(&second);
    plain_init(&third);
    svm_kernelRun(&first.kernel);
    svm_kernelWait(&first.kernel);
    svm_kernelAddDependence(&second.kernel, &first.kernel);
    svm_kernelAddDependence(&third.kernel, &second.kernel);
    svm_kernelAddDependence(&first.kernel, &third.kernel);
    svm_kernelRun(&second.kernel);
    svm_kernelRun(&third.kernel);
    // CHECK: dependence-cycle.c:[[@LINE+1]]:5: warning: kernel 'first' goes on only after kernels that wait for it [-Wdependence-cycle]
    svm_kernelRun(&first.kernel);
    svm_kernelWait(&third.kernel);

    plain_init(&load);
    plain_init(&work);
    svm_kernelAddDependence(&load.kernel, &work.kernel);
    svm_kernelAddDependence(&work.kernel, &load.kernel);
    for (int i = 0; i < 3; i++) {
        svm_kernelRun(&load.kernel);
        svm_kernelRun(&work.kernel);
        svm_kernelWait(&work.kernel);
    }

    static Filter before, paused;
    svm_kernelInit(&paused.kernel, &PROC1, pauser_run, "paused");
    plain_init(&before);
    svm_kernelAddDependence(&paused.kernel, &before.kernel);
    svm_kernelRun(&before.kernel);
    svm_kernelRun(&paused.kernel);
    svm_kernelWait(&paused.kernel);
    svm_kernelRun(&paused.kernel);
    svm_kernelWait(&paused.kernel);
    return 0;
}
