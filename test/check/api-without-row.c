// A function of the API that svm-check knows nothing of may do anything: nothing is said of kernels that are not run then.
// RUN: %svm-check %s
#include "Inputs/kernels.h"
#include <svm/instructions.h>

int main(void)
{
    static Filter a;
    plain_init(&a);
    svm_parameter(&a.kernel, 0);
    svm_kernelWait(&a.kernel);
    return 0;
}
