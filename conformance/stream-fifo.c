// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows: a stream may be a hardware queue between two processors.
// Machine: raw-16
// Prints:
//   1 4 9 16 25 36 49 64 81 100
#include "conform.h"

SVM_MACHINE("raw-16");
SVM_MEMORY(GMEM);
SVM_MEMORY(SNET10);
SVM_PROCESSOR(CORE0);
SVM_PROCESSOR(CORE1);

enum { N = 10 };

typedef struct Source {
    svm_Kernel kernel;
    svm_Stream *out;
} Source;

typedef struct Square {
    svm_Kernel kernel;
    svm_Stream *in;
    svm_Block *out;
} Square;

SVM_KERNEL(cost(0, 1))
static void source_run(svm_Kernel *kernel)
{
    for (int32_t i = 1; i <= N; i++)
        svm_streamPush(((Source *)kernel)->out, &i);
}

SVM_KERNEL(cost(0, 1))
static void square_run(svm_Kernel *kernel)
{
    Square *self = (Square *)kernel;
    int32_t *out = svm_blockData(self->out), v;
    for (ptrdiff_t i = 0; i < N; i++) {
        svm_streamPop(self->in, &v);
        out[i] = v * v;
    }
}

int main(void)
{
    static Source source;
    static Square square;
    static svm_Stream s;
    static svm_Block b;
    static int32_t out[N];
    size_t g = svm_map(&GMEM, out, sizeof out);
    svm_blockInit(&b, &GMEM, g, N, 4);
    svm_streamInitFIFO(&s, &SNET10, 4, 4);
    source.out = square.in = &s;
    square.out = &b;
    svm_kernelInit(&source.kernel, &CORE0, source_run, "source");
    svm_kernelInit(&square.kernel, &CORE1, square_run, "square");
    svm_kernelRun(&square.kernel);
    svm_kernelRun(&source.kernel);
    svm_kernelWait(&square.kernel);
    svm_kernelWait(&source.kernel);
    for (int i = 0; i < N; i++)
        printf("%d%c", out[i], i + 1 < N ? ' ' : '\n');
    svm_streamDestroy(&s);
    return 0;
}
