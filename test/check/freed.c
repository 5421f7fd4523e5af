// A block whose memory was freed is told of where a transfer, a kernel or control code uses it, with the place of the
// svm_free. Not one that was placed anew, nor what control code still does with memory of its own after svm_unmap.
// RUN: %svm-check %s
// RUN: not %svm-check -DMOVE %s 2>&1 | FileCheck --implicit-check-not=warning: --check-prefix=MOVE %s
// RUN: not %svm-check -DCONTROL %s 2>&1 | FileCheck --implicit-check-not=warning: --check-prefix=CONTROL %s
// RUN: not %svm-check -DUNMAP %s 2>&1 | FileCheck --implicit-check-not=warning: --check-prefix=UNMAP %s
#include <svm/svm.h>

SVM_MACHINE("cell-qs20");
SVM_MEMORY(XDR);
SVM_MEMORY(LS0);
SVM_PROCESSOR(MFC0);

static svm_Block there, here, mine;
static svm_MoveB2B load, store;
static int numbers[16];

static void finish(svm_Kernel *k)
{
    svm_kernelRun(k);
    svm_kernelWait(k);
}

int main(void)
{
    size_t a = svm_alloc(&XDR, 64), m = svm_map(&XDR, numbers, sizeof numbers);
    svm_blockInit(&there, &XDR, a, 16, 4);
    svm_blockInit(&mine, &XDR, m, 16, 4);
    svm_blockInit(&here, &LS0, 0, 16, 4);
    svm_moveB2BInit(&load, &MFC0, &there, &here);
    svm_moveB2BInit(&store, &MFC0, &here, &mine);
    finish(&load.kernel);
    finish(&store.kernel);
    svm_free(&XDR, a);
#ifdef CONTROL
    // CONTROL: freed.c:[[@LINE+3]]:5: warning: control code writes bytes 8 to 11 of 'there', whose memory was freed before [-Wcapacity]
    // CONTROL: freed.c:[[@LINE-3]]:5: note: it is freed here
    // CONTROL: freed.c:[[@LINE-11]]:5: note: 'there' is initialised here
    ((int *)svm_blockData(&there))[2] = 1;
#endif
#ifdef MOVE
    // MOVE: freed.c:20:5: warning: transfer 'load' reads bytes 0 to 63 of 'there', whose memory was freed before [-Wcapacity]
    // MOVE: freed.c:[[@LINE+1]]:5: note: in this call
    finish(&load.kernel);
#endif
    svm_blockInit(&there, &XDR, svm_alloc(&XDR, 64), 16, 4);
    finish(&load.kernel);
    svm_unmap(&XDR, m);
    numbers[0] = *(int *)svm_blockData(&mine);
#ifdef UNMAP
    // UNMAP: freed.c:20:5: warning: transfer 'store' writes bytes 0 to 63 of 'mine', whose memory was freed before [-Wcapacity]
    finish(&store.kernel);
#endif
    return numbers[0];
}
