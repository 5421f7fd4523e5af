// A function of the API that svm-check knows nothing of may run and wait for what it gets: nothing is said of that.
// RUN: %svm-check %s
#include "Inputs/kernels.h"

void svm_runSoon(svm_Kernel *k, int times);

int main(void)
{
    static Filter a;
    plain_init(&a);
    svm_runSoon(&a.kernel, 1);
    svm_kernelWait(&a.kernel);
    return 0;
}
