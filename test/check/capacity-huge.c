// Blocks and streams whose size in bytes does not fit a number are found: a capacity below zero, one that wraps when it is
// multiplied, and one that only playing knows.
// RUN: not %svm-check -DMINUS %s 2>&1 | FileCheck --implicit-check-not=warning: --check-prefix=MINUS %s
// RUN: not %svm-check -DWRAPS %s 2>&1 | FileCheck --implicit-check-not=warning: --check-prefix=WRAPS %s
// RUN: not %svm-check -DLATER %s 2>&1 | FileCheck --implicit-check-not=warning: --check-prefix=LATER %s
// RUN: not %svm-check -DLARGE %s 2>&1 | FileCheck --implicit-check-not=warning: --check-prefix=LARGE %s
#include <svm/svm.h>

SVM_MACHINE("cell-qs20");
SVM_MEMORY(XDR);
SVM_MEMORY(LS0);

static int counts[4];

int main(void)
{
    static svm_Block block;
    static svm_Stream stream;
    size_t a = svm_alloc(&XDR, 1024);
    for (int i = 0; i < 4; i++)
        counts[i] = 8 - 3 * i;
#ifdef MINUS
    // MINUS: capacity-huge.c:[[@LINE+1]]:5: warning: block 'block' has 18446744073709551615 elements of 4 bytes, which is more than any memory has [-Wcapacity]
    svm_blockInit(&block, &LS0, 256, (size_t)-1, 4);
#endif
#ifdef WRAPS
    // WRAPS: capacity-huge.c:[[@LINE+1]]:5: warning: block 'block' has 4611686018427387904 elements of 4 bytes
    svm_blockInit(&block, &LS0, 256, (size_t)1 << 62, 4);
    // WRAPS: capacity-huge.c:[[@LINE+1]]:5: warning: stream 'stream' has 4611686018427387904 elements of 8 bytes
    svm_streamInitRAM(&stream, &LS0, 0, (size_t)1 << 62, 8);
#endif
#ifdef LATER
    for (int i = 0; i < 4; i++)
        // LATER: capacity-huge.c:[[@LINE+1]]:9: warning: block 'block' has 18446744073709551615 elements of 4 bytes
        svm_blockInit(&block, &XDR, a, (size_t)counts[i], 4);
#endif
#ifdef LARGE
    // LARGE: capacity-huge.c:[[@LINE+1]]:5: warning: block 'block' of 1266637395197952 bytes does not lie within what svm_alloc or svm_map gave [-Wcapacity]
    svm_blockInit(&block, &XDR, a, (size_t)-~counts[0] << 45, 4);
#endif
    (void)stream;
    return a == 0;
}
