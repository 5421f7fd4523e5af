// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows: svm_kernelInit once more forgets the dependences, on another processor too; a dependence on a destroyed kernel
// is satisfied.
// Machine: simple-svm
// Prints:
//   with its dependence: not before the other
//   without: done
//   on the other processor: done
//   after the other was destroyed: done
#include "conform.h"

SVM_MACHINE("simple-svm");
SVM_MEMORY(LMEM1);
SVM_PROCESSOR(PROC1);
SVM_PROCESSOR(PROC2);

typedef struct Kernel {
    svm_Kernel kernel;
    svm_Stream *in;
    int32_t done;
} Kernel;

SVM_KERNEL(cost(1, 0))
static void simple_run(svm_Kernel *kernel)
{
    ((Kernel *)kernel)->done++;
}

SVM_KERNEL(cost(1, 0))
static void waiter_run(svm_Kernel *kernel)
{
    svm_streamPop(((Kernel *)kernel)->in, NULL);
}

static const char *again(Kernel *k)
{
    k->done = 0;
    svm_kernelRun(&k->kernel);
    svm_kernelWait(&k->kernel);
    return k->done == 1 ? "done" : "not done";
}

int main(void)
{
    static Kernel kernel, other;
    svm_Stream s;
    svm_streamInitRAM(&s, &LMEM1, 0, 1, 4);
    other.in = &s;
    svm_kernelInit(&other.kernel, &PROC1, waiter_run, "other");
    svm_kernelInit(&kernel.kernel, &PROC1, simple_run, "kernel");
    svm_kernelAddDependence(&kernel.kernel, &other.kernel);
    svm_kernelRun(&other.kernel);
    svm_kernelRun(&kernel.kernel);
    printf("with its dependence: %s\n", kernel.done ? "before the other" : "not before the other");
    svm_kernelEnd(&kernel.kernel);
    svm_kernelInit(&kernel.kernel, &PROC1, simple_run, "kernel");
    printf("without: %s\n", again(&kernel));
    svm_kernelInit(&kernel.kernel, &PROC2, simple_run, "kernel");
    printf("on the other processor: %s\n", again(&kernel));
    svm_kernelAddDependence(&kernel.kernel, &other.kernel);
    svm_kernelEnd(&other.kernel);
    svm_kernelDestroy(&other.kernel);
    printf("after the other was destroyed: %s\n", again(&kernel));
    svm_kernelDestroy(&kernel.kernel);
    return 0;
}
