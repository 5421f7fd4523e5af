// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows: a kernel that waits for a stream gives its processor to another one: four kernels in a ring of streams share
// one processor.
// Machine: simple-svm
// Prints:
//   the token came round 25 times: 100
#include "conform.h"

SVM_MACHINE("simple-svm");
SVM_MEMORY(LMEM1);
SVM_PROCESSOR(PROC1);

enum { KERNELS = 4, ROUNDS = 25 };

typedef struct Station {
    svm_Kernel kernel;
    svm_Stream *in, *out;
    int32_t last, rounds;
} Station;

SVM_KERNEL(cost(0, 1))
static void station_run(svm_Kernel *kernel)
{
    Station *self = (Station *)kernel;
    for (int32_t i = 0; i < self->rounds; i++) {
        int32_t v;
        svm_streamPop(self->in, &v);
        v++;
        self->last = v;
        svm_streamPush(self->out, &v);
    }
}

int main(void)
{
    static Station stations[KERNELS];
    static svm_Stream streams[KERNELS];
    for (size_t i = 0; i < KERNELS; i++)
        svm_streamInitRAM(&streams[i], &LMEM1, i * 16, 1, 4);
    svm_streamFill(&streams[0], 1); // a zero: local memories begin as zeroes
    for (size_t i = 0; i < KERNELS; i++) {
        stations[i].in = &streams[i];
        stations[i].out = &streams[(i + 1) % KERNELS];
        stations[i].rounds = ROUNDS;
        svm_kernelInit(&stations[i].kernel, &PROC1, station_run, "station");
    }
    for (size_t i = KERNELS; i-- > 0;)
        svm_kernelRun(&stations[i].kernel);
    for (size_t i = 0; i < KERNELS; i++)
        svm_kernelWait(&stations[i].kernel);
    printf("the token came round %d times: %d\n", ROUNDS, stations[KERNELS - 1].last);
    return 0;
}
