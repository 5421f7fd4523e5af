// A stream that nothing has initialised, or that was destroyed, is told of where a kernel or transfer that uses it is run,
// or where control code uses it: once each. Not one that was initialised again, or in a function, or that is destroyed
// only perhaps; nor one that another file may know.
// RUN: not %svm-check %s 2>&1 | FileCheck --implicit-check-not=warning: %s
#include "Inputs/kernels.h"

svm_Stream known;

static void place(svm_Stream *s, size_t address)
{
    svm_streamInitRAM(s, &LMEM1, address, 16, sizeof(float));
}

static void leave(svm_Stream *s, int some)
{
    if (some < 2)
        return;
    svm_streamDestroy(s);
}

int main(int argc, char **argv)
{
    static Filter a, b;
    static svm_MoveS2S move, other;
    static svm_Stream in, out, never, gone, again, perhaps;
    float x = 1;
    (void)argv;
    place(&in, 0);
    place(&gone, 64);
    place(&again, 128);
    place(&perhaps, 192);
    svm_streamDestroy(&again);
    place(&again, 128);
    if (argc > 1)
        svm_streamDestroy(&perhaps);
    leave(&in, argc);
    filter_init(&a, &PROC1, &in, &never);
    filter_init(&b, &PROC1, &again, &perhaps);
    // CHECK: uninitialised-stream.c:[[@LINE+1]]:5: warning: kernel 'a' uses stream 'never', which nothing has initialised [-Wuninitialised]
    svm_kernelRun(&a.kernel);
    svm_kernelRun(&b.kernel);
    svm_kernelWait(&a.kernel);
    svm_kernelWait(&b.kernel);
    svm_streamDestroy(&gone);
    svm_moveS2SInit(&move, &DMA_ENGINE1, &never, &gone, 8);
    // CHECK: uninitialised-stream.c:[[@LINE+2]]:5: warning: kernel 'move' uses stream 'gone', which was destroyed [-Wuninitialised]
    // CHECK: uninitialised-stream.c:[[@LINE-3]]:5: note: it is destroyed here
    svm_kernelRun(&move.kernel);
    svm_kernelWait(&move.kernel);
    svm_moveS2SInit(&other, &DMA_ENGINE1, &known, &again, 8);
    svm_kernelRun(&other.kernel);
    svm_kernelWait(&other.kernel);
    // CHECK: uninitialised-stream.c:[[@LINE+1]]:5: warning: control code uses stream 'out', which nothing has initialised [-Wuninitialised]
    svm_streamPush(&out, &x);
    return 0;
}
// CHECK: 3 warnings generated
