// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows: a kernel pauses itself; the control thread's wait returns, it changes the kernel's fields and lets it go on
// where it stopped.
// Machine: simple-svm
// Prints:
//   paused at step 1, sum 10
//   paused at step 2, sum 30
//   finished, sum 60
#include "conform.h"

SVM_MACHINE("simple-svm");
SVM_PROCESSOR(PROC1);

typedef struct Stepper {
    svm_Kernel kernel;
    int32_t add, sum, step;
} Stepper;

SVM_KERNEL(cost(3, 0))
static void stepper_run(svm_Kernel *kernel)
{
    Stepper *self = (Stepper *)kernel;
    for (self->step = 1; self->step <= 2; self->step++) {
        self->sum += self->add;
        svm_kernelPause(kernel);
    }
    self->sum += self->add;
}

int main(void)
{
    static Stepper stepper;
    svm_kernelInit(&stepper.kernel, &PROC1, stepper_run, "stepper");
    stepper.add = 10;
    svm_kernelRun(&stepper.kernel);
    svm_kernelWait(&stepper.kernel);
    while (stepper.kernel.state == SVM_PAUSED) {
        printf("paused at step %d, sum %d\n", stepper.step, stepper.sum);
        stepper.add += 10;
        svm_kernelRun(&stepper.kernel);
        svm_kernelWait(&stepper.kernel);
    }
    printf("%s, sum %d\n", stepper.kernel.state == SVM_FINISHED ? "finished" : "not finished", stepper.sum);
    return 0;
}
