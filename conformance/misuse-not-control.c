// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows: a kernel that makes a call that only the control thread may make is not-control.
// Machine: simple-svm
// May be refused: yes
// Prints:
//   a kernel runs a kernel: not-control
//   a kernel waits for a kernel: not-control
//   a kernel ends another kernel: not-control
#include "conform.h"

SVM_MACHINE("simple-svm");
SVM_PROCESSOR(PROC1);

typedef struct Caller {
    svm_Kernel kernel;
    svm_Kernel *other;
    int what;
} Caller;

static void nothing(svm_Kernel *kernel)
{
    (void)kernel;
}

static void caller_run(svm_Kernel *kernel)
{
    Caller *self = (Caller *)kernel;
    if (self->what == 0)
        svm_kernelRun(self->other);
    else if (self->what == 1)
        svm_kernelWait(self->other);
    else
        svm_kernelEnd(self->other);
}

int main(void)
{
    static Caller caller;
    static svm_Kernel other;
    svm_kernelInit(&other, &PROC1, nothing, "other");
    svm_kernelRun(&other);
    svm_kernelWait(&other);
    svm_kernelInit(&caller.kernel, &PROC1, caller_run, "caller");
    caller.other = &other;
    MISUSE("a kernel runs a kernel", svm_kernelRun(&caller.kernel); svm_kernelWait(&caller.kernel));
    caller.what = 1;
    MISUSE("a kernel waits for a kernel", svm_kernelRun(&caller.kernel); svm_kernelWait(&caller.kernel));
    caller.what = 2;
    MISUSE("a kernel ends another kernel", svm_kernelRun(&caller.kernel); svm_kernelWait(&caller.kernel));
    return 0;
}
