// A kernel that nothing has initialised is told of where it is first used: run, depended on, said never to block; here
// an element of an array that is initialised only in part.
// RUN: %svm-check %s
// RUN: not %svm-check -DRUNS %s 2>&1 | FileCheck --implicit-check-not=warning: --check-prefix=RUNS %s
// RUN: not %svm-check -DNEVER %s 2>&1 | FileCheck --implicit-check-not=warning: --check-prefix=NEVER %s
// RUN: not %svm-check -DDEPEND %s 2>&1 | FileCheck --implicit-check-not=warning: --check-prefix=DEPEND %s
#include <svm/svm.h>

SVM_MACHINE("simple-svm");
SVM_PROCESSOR(PROC1);

static void nothing(svm_Kernel *kernel)
{
    (void)kernel;
}

int main(void)
{
    svm_Kernel kernels[4];
    for (int i = 0; i < 3; i++)
        svm_kernelInit(&kernels[i], &PROC1, nothing, "nothing");
    int other = 0;
    for (int i = 0; i < 3; i++) {
#ifdef NEVER
        // NEVER: uninitialised.c:[[@LINE+1]]:9: warning: the kernel that this call names nothing has initialised [-Wuninitialised]
        svm_kernelNeverBlocks(&kernels[i + 1]);
#endif
#ifdef RUNS
        other = 1;
        // RUNS: uninitialised.c:[[@LINE+2]]:9: warning: the kernel that this call names nothing has initialised [-Wuninitialised]
#endif
        svm_kernelRun(&kernels[i + other]);
        svm_kernelWait(&kernels[i + other]);
#ifdef DEPEND
        // DEPEND: uninitialised.c:[[@LINE+1]]:9: warning: the kernel that this call names nothing has initialised [-Wuninitialised]
        svm_kernelAddDependence(&kernels[i], &kernels[i + 1]);
#endif
    }
    return 0;
}
