// The same for goto alone: what it jumps over may wait.
// RUN: %svm-check %s
#include "Inputs/kernels.h"

int main(int argc, char **argv)
{
    static Filter a;
    (void)argv;
    plain_init(&a);
again:
    svm_kernelRun(&a.kernel);
    if (argc-- > 0)
        goto again;
    return 0;
}
