// What control code does through svm_blockData in one expression is told of at the program's own line, in loops and their
// heads too.
// RUN: not %svm-check %s 2>&1 | FileCheck --implicit-check-not=warning: %s
#include <svm/svm.h>

SVM_MACHINE("cell-qs20");
SVM_MEMORY(XDR);
SVM_MEMORY(LS0);
SVM_PROCESSOR(MFC0);

int main(void)
{
    static svm_Block there, in, other;
    static svm_MoveB2B load, store;
    svm_blockInit(&there, &XDR, svm_alloc(&XDR, 64), 16, 4);
    svm_blockInit(&other, &XDR, svm_alloc(&XDR, 64), 16, 4);
    svm_blockInit(&in, &LS0, 0, 16, 4);
    svm_moveB2BInit(&load, &MFC0, &there, &in);
    svm_moveB2BInit(&store, &MFC0, &in, &other);
    svm_kernelAddDependence(&store.kernel, &load.kernel);
    for (int i = 0; i < 16; i++)
        ((int *)svm_blockData(&there))[i] = i;
    svm_kernelRun(&load.kernel);
    svm_kernelRun(&store.kernel);
    // CHECK: header-place.c:[[@LINE+1]]:5: warning: control code writes bytes 0 to 3 of 'there', which transfer 'load' reads, and nothing has waited for it [-Wunordered]
    *(int *)svm_blockData(&there) = 5;
    int sum = 0;
    for (int i = 0; i < 16; i++)
        // CHECK: header-place.c:[[@LINE+1]]:9: warning: control code reads bytes 0 to 3 of 'other', which transfer 'store' writes, and nothing has waited for it [-Wunordered]
        sum += ((int *)svm_blockData(&other))[i];
    // CHECK: header-place.c:[[@LINE+1]]:28: warning: control code reads bytes 4 to 7 of 'other', which transfer 'store' writes
    for (int i = 0; i < 2; i++, sum += ((int *)svm_blockData(&other))[i])
        sum++;
    svm_kernelWait(&store.kernel);
    // CHECK: header-place.c:[[@LINE+1]]:5: warning: control code reads bytes 64 to 67 of 'other', which has 64 [-Wcapacity]
    sum += ((int *)svm_blockData(&other))[16];
    return sum;
}
