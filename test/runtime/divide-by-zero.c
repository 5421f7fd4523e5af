// Errors of the source program: what was printed before, then the place, the actor and exit code 1; also from a kernel.
// RUN: %host -o %t
// RUN: not %t control > %t.out 2> %t.err; FileCheck --check-prefix=OUT %s < %t.out; FileCheck --check-prefix=CONTROL %s < %t.err
// RUN: not %t kernel > %t.out 2> %t.err; FileCheck --check-prefix=OUT %s < %t.out; FileCheck --check-prefix=KERNEL %s < %t.err
// RUN: not %t remainder 2>&1 | FileCheck --check-prefix=REMAINDER %s
// OUT: before
// CONTROL: fm.str:12: error: division by zero in LowPass_1
// KERNEL: fm.str:13: error: division by zero in HighPass
// REMAINDER: error: division by zero
#include "check.h"

SVM_MACHINE("simple-svm");
SVM_PROCESSOR(PROC1);

static void divides(svm_Kernel *kernel)
{
    svm_divideByZero(kernel->name);
}

int main(int argc, char **argv)
{
    static svm_Kernel k;
    puts("before");
    if (argc < 2 || strcmp(argv[1], "control") == 0)
        svm_divideByZero("LowPass_1 at fm.str:12");
    if (strcmp(argv[1], "remainder") == 0)
        return svm_irem(1, argc - 2, "");
    svm_kernelInit(&k, &PROC1, divides, "HighPass at fm.str:13");
    svm_kernelRun(&k);
    svm_kernelWait(&k);
    puts("after");
    return 0;
}
