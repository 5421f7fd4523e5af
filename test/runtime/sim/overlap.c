// Kernels and transfers overlap: two that do not depend on each other take the longer one's time, the control thread runs
// ahead of both, kernels of one processor take turns, and a dependence makes one wait for the other's end.
// RUN: %sim -o %t && %t
#include "timed.h"

typedef struct Work {
    svm_Kernel kernel;
    int cycles;
} Work;

static void work(svm_Kernel *k)
{
    svm_kernelFirings(k, (size_t)((Work *)k)->cycles);
}

TIMED_KERNELS({work, "work", 0, 1, true});

static Work *make(mm_Proc processor, int cycles, const char *name)
{
    Work *w = calloc(1, sizeof *w);
    w->cycles = cycles;
    svm_kernelInit(&w->kernel, processor, work, name);
    return w;
}

int main(void)
{
    svm_Block from, to;
    svm_blockInit(&from, &GMEM, svm_alloc(&GMEM, 2000), 2000, 1);
    svm_blockInit(&to, &LMEM2, 0, 2000, 1);
    svm_MoveB2B move;
    svm_moveB2BInit(&move, &DMA1, &from, &to);
    Work *a = make(&P1, 1000, "a"), *b = make(&P1, 300, "b"), *c = make(&P2, 5000, "c");
    CHECK_TIME(0);

    // The transfer: 50 + 2000 + 5. The kernel: 100 + 1000 + 10.
    svm_kernelRun(&move.kernel);
    svm_kernelRun(&a->kernel);
    CHECK_TIME(0);
    svm_kernelWait(&a->kernel);
    CHECK_TIME(1110);
    svm_kernelWait(&move.kernel);
    CHECK_TIME(2055);
    svm_kernelWait(&a->kernel); // over long ago
    CHECK_TIME(2055);

    // Two kernels of one processor, in the order in which they were run: 2055 + 1110, then 410 more.
    svm_kernelRun(&a->kernel);
    svm_kernelRun(&b->kernel);
    svm_kernelWait(&b->kernel);
    CHECK_TIME(2055 + 1110 + 410);
    CHECK(svm_kernelStateOf(&a->kernel) == SVM_FINISHED);

    // A kernel that needs what is moved waits for the transfer; another processor's does not.
    double begin = 2055 + 1110 + 410;
    svm_kernelAddDependence(&a->kernel, &move.kernel);
    svm_kernelRun(&move.kernel);
    svm_kernelRun(&a->kernel);
    svm_kernelRun(&c->kernel);
    svm_kernelWaitMultiple(2, (svm_Kernel *[]){&a->kernel, &move.kernel});
    CHECK_TIME(begin + 2055 + 1110);
    svm_kernelWait(&c->kernel);
    CHECK_TIME(begin + 5110);

    // A processor is free for b while a waits for its dependence.
    begin += 5110;
    svm_kernelRun(&move.kernel);
    svm_kernelRun(&a->kernel);
    svm_kernelRun(&b->kernel);
    svm_kernelWait(&b->kernel);
    CHECK_TIME(begin + 410);
    svm_kernelWait(&a->kernel);
    CHECK_TIME(begin + 2055 + 1110);
    return 0;
}
