// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows: a kernel gets its arguments and keeps its state in its object; it may run again and again, with fields
// changed.
// Machine: simple-svm
// Prints:
//   state before: idle
//   3 after adding 3
//   7 after adding 4
//   state after: finished
//   nothing to wait for
#include "conform.h"

SVM_MACHINE("simple-svm");
SVM_PROCESSOR(PROC1);

typedef struct Adder {
    svm_Kernel kernel;
    int32_t add, sum;
} Adder;

SVM_KERNEL(cost(1, 0))
static void adder_run(svm_Kernel *kernel)
{
    Adder *self = (Adder *)kernel;
    self->sum += self->add;
}

int main(void)
{
    static Adder adder;
    svm_kernelInit(&adder.kernel, &PROC1, adder_run, "adder");
    printf("state before: %s\n", adder.kernel.state == SVM_IDLE ? "idle" : "another");
    for (adder.add = 3; adder.add <= 4; adder.add++) {
        svm_kernelRun(&adder.kernel);
        svm_kernelWait(&adder.kernel);
        printf("%d after adding %d\n", adder.sum, adder.add);
    }
    printf("state after: %s\n", adder.kernel.state == SVM_FINISHED ? "finished" : "another");
    svm_kernelWait(&adder.kernel); // once more: it is over
    svm_kernelWaitMultiple(0, NULL);
    puts("nothing to wait for");
    return 0;
}
