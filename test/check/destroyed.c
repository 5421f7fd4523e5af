// A kernel that is used after svm_kernelDestroy is told of where that happens, with the place where it was destroyed; not
// one that was initialised again.
// RUN: %svm-check %s
// RUN: not %svm-check -DAGAIN %s 2>&1 | FileCheck --implicit-check-not=warning: --check-prefix=AGAIN %s
// RUN: not %svm-check -DWAIT %s 2>&1 | FileCheck --implicit-check-not=warning: --check-prefix=WAIT %s
// RUN: not %svm-check -DTWICE %s 2>&1 | FileCheck --implicit-check-not=warning: --check-prefix=TWICE %s
// RUN: not %svm-check -DDEPEND %s 2>&1 | FileCheck --implicit-check-not=warning: --check-prefix=DEPEND %s
#include <svm/svm.h>

SVM_MACHINE("cell-qs20");
SVM_MEMORY(XDR);
SVM_MEMORY(LS0);
SVM_PROCESSOR(MFC0);

static svm_Block there, here;
static svm_MoveB2B load, other;

static void end(svm_MoveB2B *move)
{
    svm_kernelWait(&move->kernel);
    svm_kernelDestroy(&move->kernel);
}

int main(void)
{
    svm_blockInit(&there, &XDR, svm_alloc(&XDR, 64), 16, 4);
    svm_blockInit(&here, &LS0, 0, 16, 4);
    for (int i = 0; i < 2; i++) {
        svm_moveB2BInit(&load, &MFC0, &there, &here);
        svm_kernelRun(&load.kernel);
        end(&load);
    }
#ifdef AGAIN
    // AGAIN: destroyed.c:[[@LINE+2]]:5: warning: the kernel that this call names was destroyed [-Wuninitialised]
    // AGAIN: destroyed.c:[[@LINE-14]]:5: note: it is destroyed here
    svm_kernelRun(&load.kernel);
#endif
#ifdef WAIT
    // WAIT: destroyed.c:[[@LINE+1]]:5: warning: the kernel that this call names was destroyed [-Wuninitialised]
    svm_kernelWait(&load.kernel);
#endif
#ifdef TWICE
    // TWICE: destroyed.c:[[@LINE+1]]:5: warning: the kernel that this call names was destroyed [-Wuninitialised]
    svm_kernelDestroy(&load.kernel);
#endif
    svm_moveB2BInit(&other, &MFC0, &there, &here);
#ifdef DEPEND
    // DEPEND: destroyed.c:[[@LINE+1]]:5: warning: the kernel that this call names was destroyed [-Wuninitialised]
    svm_kernelAddDependence(&other.kernel, &load.kernel);
#endif
    svm_kernelRun(&other.kernel);
    end(&other);
    return 0;
}
