// A stream over a live stream is found; not a block over a stream, a stream set up once more, or one in another memory.
// RUN: not %svm-check %s 2>&1 | FileCheck --implicit-check-not=warning: %s
#include "Inputs/kernels.h"

int main(void)
{
    static svm_Stream a, b, c;
    static svm_Block block;
    svm_streamInitRAM(&a, &LMEM1, 0, 16, 4);
    // CHECK: stream-overlap.c:[[@LINE+2]]:5: warning: stream 'b' at bytes 60 to 123 of memory 'LMEM1' overlaps stream 'a' at 0 to 63 [-Wstream-overlap]
    // CHECK: stream-overlap.c:[[@LINE-2]]:5: note: 'a' is initialised here, and not destroyed since
    svm_streamInitRAM(&b, &LMEM1, 60, 16, 4);
    svm_blockInit(&block, &LMEM1, 0, 16, 4);
    svm_streamInitRAM(&c, &LMEM2, 0, 16, 4);
    svm_streamInitRAM(&b, &LMEM1, 64, 16, 4);
    svm_streamInitRAM(&b, &LMEM1, 64, 20, 4);
    svm_streamDestroy(&b);
    svm_streamInitRAM(&c, &LMEM1, 64, 16, 4);
    return 0;
}
