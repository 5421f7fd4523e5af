// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the programs of this folder share: names, and a few kernels.
#include <svm/svm.h>

SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM);
SVM_MEMORY(LMEM1);
SVM_MEMORY(LMEM2);
SVM_PROCESSOR(PROC0);
SVM_PROCESSOR(PROC1);
SVM_PROCESSOR(PROC2);
SVM_PROCESSOR(DMA_ENGINE1);

typedef struct Filter {
    svm_Kernel kernel;
    svm_Stream *in, *out;
    int n;
} Filter;

// Takes and gives.
SVM_KERNEL(cost(0, 1))
static void filter_run(svm_Kernel *kernel)
{
    Filter *self = (Filter *)kernel;
    float x;
    for (int i = 0; i < self->n; i++) {
        svm_streamPop(self->in, &x);
        svm_streamPush(self->out, &x);
    }
}

// Uses no stream.
SVM_KERNEL(cost(1, 0))
static void plain_run(svm_Kernel *kernel)
{
    ((Filter *)kernel)->n++;
}

SVM_UNUSED static void filter_init(Filter *f, mm_Proc processor, svm_Stream *in, svm_Stream *out)
{
    f->in = in;
    f->out = out;
    f->n = 10;
    svm_kernelInit(&f->kernel, processor, filter_run, "filter");
}

SVM_UNUSED static void plain_init(Filter *f)
{
    svm_kernelInit(&f->kernel, &PROC1, plain_run, "plain");
}
