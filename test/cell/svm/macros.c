// Shows that kernels which a macro of several lines defines, directly behind it, are cut out as the text has them.
//
// RUN: %svm-llc --target=cell %s -o %t && %t | FileCheck %s
// CHECK: 11
// RUN: rm -rf %t.folder && %svm-llc --target=cell -S %s -o %t.folder && FileCheck %s --check-prefix=TEXT < %t.folder/macros.spu.c
// TEXT: #define STEP(name, n) {{.*}}\
// TEXT-NEXT: SVM_KERNEL()
// TEXT-NEXT: static void name(
// TEXT: STEP(first, 1)
#include <stdio.h>

#include <svm/program.h>

SVM_MACHINE("cell-qs20");
SVM_MEMORY(LS0);
SVM_PROCESSOR(SPE0);

typedef struct {
    svm_Kernel kernel;
    unsigned value;
} Step;

#define STEP(name, n)                                                                                                  \
    SVM_KERNEL()                                                                                                       \
    static void name(svm_Kernel *kernel)                                                                               \
    {                                                                                                                  \
        ((Step *)kernel)->value += n;                                                                                  \
    }
STEP(first, 1)
STEP(second, 10)

int main(void)
{
    static Step steps[2];
    svm_kernelInit(&steps[0].kernel, &SPE0, first, "first");
    svm_kernelInit(&steps[1].kernel, &SPE0, second, "second");
    for (int i = 0; i < 2; i++) {
        svm_kernelRun(&steps[i].kernel);
        svm_kernelWait(&steps[i].kernel);
    }
    printf("%u\n", steps[0].value + steps[1].value);
    return 0;
}
