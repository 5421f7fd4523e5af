// Two producers, or two consumers, of one stream that may run at the same time are found; not one after the other, by a
// wait or a dependence.
// RUN: not %svm-check %s 2>&1 | FileCheck --implicit-check-not=warning: %s
#include "Inputs/kernels.h"

int main(void)
{
    static Filter a, b, c, d, e;
    static svm_Stream s, t, u, v, w;
    static svm_MoveS2S move;
    svm_streamInitRAM(&s, &LMEM1, 0, 16, 4);
    svm_streamInitRAM(&t, &LMEM1, 64, 16, 4);
    svm_streamInitRAM(&u, &LMEM1, 128, 16, 4);
    svm_streamInitRAM(&v, &LMEM1, 192, 16, 4);
    svm_streamInitRAM(&w, &LMEM1, 256, 16, 4);
    filter_init(&a, &PROC1, &s, &t);
    filter_init(&b, &PROC1, &u, &t);
    svm_kernelRun(&a.kernel);
    // CHECK: stream-ends.c:[[@LINE+2]]:5: warning: kernels 'a' and 'b' both push to stream 't', and may run at the same time [-Wstream-ends]
    // CHECK: stream-ends.c:[[@LINE-2]]:5: note: 'a' is run here
    svm_kernelRun(&b.kernel);
    svm_moveS2SInit(&move, &DMA_ENGINE1, &s, &v, 3);
    // CHECK: stream-ends.c:[[@LINE+1]]:5: warning: kernels 'a' and 'move' both pop from stream 's', and may run at the same time
    svm_kernelRun(&move.kernel);
    svm_kernelWaitMultiple(3, (svm_Kernel *[]){&a.kernel, &b.kernel, &move.kernel});

    filter_init(&c, &PROC1, &s, &w);
    filter_init(&d, &PROC1, &s, &w);
    filter_init(&e, &PROC1, &s, &w);
    svm_kernelRun(&c.kernel);
    svm_kernelWait(&c.kernel);
    svm_kernelAddDependence(&e.kernel, &d.kernel);
    svm_kernelRun(&d.kernel);
    svm_kernelRun(&e.kernel);
    svm_kernelWait(&e.kernel);
    return 0;
}
