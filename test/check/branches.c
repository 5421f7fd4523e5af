// What follows a branch that is left on both ways is not reached, so nothing is found there; left on one way only, it is.
// RUN: not %svm-check %s 2>&1 | FileCheck --implicit-check-not=warning: %s
#include "Inputs/kernels.h"

static Filter a, b, c, d;

static int both(int n)
{
    if (n > 1)
        return 1;
    else
        return 2;
    svm_kernelWait(&a.kernel); // never
}

static void in_loop(int n)
{
    for (int i = 0; i < n; i++) {
        if (i > 3)
            break;
        else
            break;
        svm_kernelWait(&b.kernel); // never
    }
}

static int one(int n)
{
    if (n > 1)
        return 1;
    // CHECK: branches.c:[[@LINE+1]]:5: warning: kernel 'c' is waited for and never run [-Wnever-run]
    svm_kernelWait(&c.kernel);
    return 2;
}

static int different(int n)
{
    for (int i = 0; i < n; i++) {
        if (i > 3)
            return 1;
        else
            continue;
    }
    // CHECK: branches.c:[[@LINE+1]]:5: warning: kernel 'd' is waited for and never run [-Wnever-run]
    svm_kernelWait(&d.kernel);
    return 0;
}

int main(int argc, char **argv)
{
    (void)argv;
    plain_init(&a);
    plain_init(&b);
    plain_init(&c);
    plain_init(&d);
    in_loop(argc);
    return both(argc) + one(argc) + different(argc);
}
