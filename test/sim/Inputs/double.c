// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Doubles some numbers on a kernel processor: what its kernel costs is declared, so that its time is known.
//     double COUNT
#include <stdio.h>
#include <stdlib.h>
#include <svm/svm.h>

SVM_MACHINE("host");
SVM_MEMORY(GMEM);
SVM_PROCESSOR(CORE0);

SVM_FIRE(stateless, pop(1), push(1))
static inline void twice_fire(const float *restrict in, float *restrict out)
{
    *out = *in * FACTOR;
}

typedef struct Twice {
    svm_Kernel kernel;
    svm_Block *in, *out;
    int count;
} Twice;

SVM_KERNEL(cost(1000, 200))
static void run(svm_Kernel *kernel)
{
    Twice *self = (Twice *)kernel;
    const float *in = svm_blockData(self->in);
    float *out = svm_blockData(self->out);
    for (int i = 0; i < self->count; i++)
        twice_fire(in + i, out + i);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "how many?\n");
        return 3;
    }
    svm_Block in, out;
    Twice twice = {.in = &in, .out = &out, .count = atoi(argv[1])};
    svm_blockInit(&in, &GMEM, svm_alloc(&GMEM, 4096), 1024, sizeof(float));
    svm_blockInit(&out, &GMEM, svm_alloc(&GMEM, 4096), 1024, sizeof(float));
    for (int i = 0; i < twice.count; i++)
        ((float *)svm_blockData(&in))[i] = (float)i;
    svm_kernelInit(&twice.kernel, &CORE0, run, "twice");
    svm_kernelRun(&twice.kernel);
    svm_kernelWait(&twice.kernel);
    printf("%g\n", ((float *)svm_blockData(&out))[twice.count - 1]);
    return 0;
}
