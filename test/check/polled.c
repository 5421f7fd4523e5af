// A program that asks for a kernel's state after it was queued may wait that way: nothing is said of kernels that are
// polled, or that are queued again once they are over. Of another kernel, and of one asked before that, it is.
// RUN: %svm-check %s
// RUN: not %svm-check -DFAULTS %s 2>&1 | FileCheck --implicit-check-not=warning: --check-prefix=FAULTS %s
// RUN: not %svm-check -DAGAIN %s 2>&1 | FileCheck --implicit-check-not=warning: --check-prefix=AGAIN %s
#include <svm/svm.h>

SVM_MACHINE("cell-qs20");
SVM_MEMORY(XDR);
SVM_MEMORY(LS0);
SVM_PROCESSOR(MFC0);

static svm_Block from, to[3];
static svm_MoveB2B once, often, never;

int main(void)
{
    svm_blockInit(&from, &XDR, svm_alloc(&XDR, 64), 16, 4);
    for (int i = 0; i < 3; i++)
        svm_blockInit(&to[i], &LS0, (size_t)i * 64, 16, 4);
    svm_moveB2BInit(&once, &MFC0, &from, &to[0]);
    svm_moveB2BInit(&often, &MFC0, &from, &to[1]);
    svm_moveB2BInit(&never, &MFC0, &from, &to[2]);
    for (int i = 0; i < 4; i++) {
        const svm_KernelState state = svm_kernelStateOf(&often.kernel);
        if (state == SVM_IDLE || state == SVM_FINISHED)
            svm_kernelRun(&often.kernel);
    }
    svm_kernelRun(&once.kernel);
    while (svm_kernelStateOf(&once.kernel) != SVM_FINISHED)
        ;
    svm_kernelRun(&once.kernel);
    for (;;)
        if (svm_kernelStateOf(&once.kernel) == SVM_FINISHED)
            break;
#ifdef AGAIN
    svm_kernelRun(&once.kernel);
    if (svm_kernelStateOf(&often.kernel) == SVM_FINISHED)
        // AGAIN: polled.c:[[@LINE+1]]:9: warning: kernel 'once' is run again, and nothing has waited for its last run [-Wrun-pending]
        svm_kernelRun(&once.kernel);
    svm_kernelWait(&once.kernel);
#endif
#ifdef FAULTS
    if (svm_kernelStateOf(&never.kernel) == SVM_IDLE)
        // FAULTS: polled.c:[[@LINE+1]]:9: warning: nothing waits for kernel 'never', nor for one that runs after it [-Wnever-waited]
        svm_kernelRun(&never.kernel);
#endif
    svm_kernelWait(&often.kernel);
    return 0;
}
