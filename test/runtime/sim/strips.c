// Double buffering by dependences both ways: each strip is loaded while the one before it is computed, so that a strip takes
// what the slower of the two takes; with one buffer a strip takes both.
// RUN: %sim -o %t && %t
#include "timed.h"

enum { STRIPS = 10, BYTES = 500, CYCLES = 700 };
#define LOAD (50.0 + BYTES + 5)
#define COMPUTE (100.0 + CYCLES + 10)

static void work(svm_Kernel *k)
{
    svm_kernelFirings(k, CYCLES);
}
static void shortWork(svm_Kernel *k)
{
    svm_kernelFirings(k, 20);
}
TIMED_KERNELS({work, "work", 0, 1, true}, {shortWork, "shortWork", 0, 1, true});

typedef struct Strip {
    svm_Block from, to;
    svm_MoveB2B load;
    svm_Kernel compute;
} Strip;

// The time of all strips with so many buffers.
static double run(int buffers, svm_KernelFunction *function)
{
    static Strip strips[2];
    size_t address = svm_alloc(&GMEM, BYTES);
    for (int i = 0; i < buffers; i++) {
        Strip *s = &strips[i];
        svm_blockInit(&s->from, &GMEM, address, BYTES, 1);
        svm_blockInit(&s->to, &LMEM1, (size_t)i * BYTES, BYTES, 1);
        svm_moveB2BInit(&s->load, &DMA1, &s->from, &s->to);
        svm_kernelInit(&s->compute, &P1, function, i ? "compute1" : "compute0");
        svm_kernelAddDependence(&s->compute, &s->load.kernel);
        svm_kernelAddDependence(&s->load.kernel, &s->compute); // its buffer is free again
    }
    double begin = svm_simTime();
    for (int i = 0; i < STRIPS; i++) {
        Strip *s = &strips[i % buffers];
        if (i >= buffers)
            svm_kernelWait(&s->compute); // run-ahead by as many strips as there are objects
        svm_kernelRun(&s->load.kernel);
        svm_kernelRun(&s->compute);
    }
    for (int i = 0; i < buffers; i++) {
        svm_kernelWait(&strips[i].compute);
        svm_kernelDestroy(&strips[i].compute);
        svm_kernelDestroy(&strips[i].load.kernel);
    }
    return (svm_simTime() - begin) * 1e9;
}

int main(void)
{
    CHECK(fabs(run(1, work) - STRIPS * (LOAD + COMPUTE)) < 1e-3);
    CHECK(fabs(run(2, work) - (LOAD + STRIPS * COMPUTE)) < 1e-3);           // bound by computing
    CHECK(fabs(run(2, shortWork) - (STRIPS * LOAD + 100 + 20 + 10)) < 1e-3); // by loading
    return 0;
}
