// A program may use the names of the engine and of the libraries in the runtime for things of its own.
// RUN: %sim -o %t && %t | FileCheck %s
// CHECK: 4 110
#include "timed.h"

int arena_create(int x);
int sim_create(int x);
int machine_parse, diag_error, yaml_parse, simr_names;
int arena_create(int x) { return x + 1; }
int sim_create(int x) { return arena_create(x) + 1; }

static void work(svm_Kernel *k)
{
    (void)k;
}
TIMED_KERNELS({work, "work", 0, 0, true});

int main(void)
{
    svm_Kernel k;
    svm_kernelInit(&k, &P1, work, "work");
    svm_kernelRun(&k);
    svm_kernelWait(&k);
    printf("%d %g\n", sim_create(2), svm_simTime() * 1e9);
    return 0;
}
