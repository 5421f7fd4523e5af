// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows: pending kernels that would wait for each other in a cycle are dependence-cycle, at the run that closes it.
// Machine: simple-svm
// Prints:
//   a kernel resumed into a cycle: dependence-cycle
#include "conform.h"

SVM_MACHINE("simple-svm");
SVM_MEMORY(LMEM1);
SVM_PROCESSOR(PROC1);

typedef struct Waiter {
    svm_Kernel kernel;
    svm_Stream *in;
} Waiter;

SVM_KERNEL(cost(1, 0))
static void waiter_run(svm_Kernel *kernel)
{
    svm_kernelPause(kernel);
    svm_streamPop(((Waiter *)kernel)->in, NULL);
}

int main(void)
{
    static Waiter first, second;
    svm_Stream s;
    svm_streamInitRAM(&s, &LMEM1, 0, 1, 4);
    first.in = second.in = &s;
    svm_kernelInit(&first.kernel, &PROC1, waiter_run, "first");
    svm_kernelInit(&second.kernel, &PROC1, waiter_run, "second");
    svm_kernelRun(&first.kernel);
    svm_kernelWait(&first.kernel); // paused
    svm_kernelAddDependence(&second.kernel, &first.kernel);
    svm_kernelAddDependence(&first.kernel, &second.kernel);
    svm_kernelRun(&second.kernel); // waits for the paused one
    MISUSE("a kernel resumed into a cycle", svm_kernelRun(&first.kernel));
    return 0;
}
