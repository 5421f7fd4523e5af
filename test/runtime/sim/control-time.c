// Control code takes time where its processor has costs of operations. Kernels go on meanwhile, but none runs ahead of what the
// control thread does next: it sees what was pushed until then, and what it runs begins then.
// RUN: %sim -o %t && %t
#define TIMED_CONTROL
#include "timed.h"

static svm_Stream s;
static double began;

static void pushes(svm_Kernel *k)
{
    for (int i = 0; i < 100; i++) {
        svm_kernelFirings(k, 10);
        svm_streamPush(&s, &i);
    }
}
static void begins(svm_Kernel *k)
{
    (void)k;
    began = svm_simTime() * 1e9;
}
TIMED_KERNELS({pushes, "pushes", 0, 1, true}, {begins, "begins", 0, 1, true});

int main(void)
{
    svm_Kernel first, second;
    svm_streamInitRAM(&s, &LMEM1, 0, 128, 4);
    svm_kernelInit(&first, &P1, pushes, "pushes");
    svm_kernelInit(&second, &P2, begins, "begins");
    svm_kernelRun(&first);
    svm_simCounts[0] += 505; // in the 41st ten nanoseconds after a start of 100
    svm_kernelRun(&second);
    CHECK_TIME(505);
    CHECK(svm_streamCount(&s) == 40);
    svm_kernelWait(&second);
    CHECK(fabs(began - 605) < 1e-3);
    svm_kernelWait(&first);
    CHECK_TIME(1110);
    return 0;
}
