// Shows: hand-written SVM C through the host backend runs at every level with the same result, on the machine table of its
// machine file; objects can be linked later, and C files beside it are compiled with it.
// RUN: %svm-llc %s -o %t && %t | FileCheck %s
// RUN: %svm-llc -O0 %s -o %t && %t | FileCheck %s
// RUN: %svm-llc -O3 -g -march=native %s -o %t && %t | FileCheck %s
// RUN: %svm-llc -Ofast %s -o %t && %t | FileCheck %s
// RUN: %svm-llc -c %s -o %t.o && %svm-llc %t.o -o %t && %t | FileCheck %s
// RUN: %svm-llc - -o %t < %s && %t | FileCheck %s
// RUN: %svm-llc -DHELPER %s %S/Inputs/helper.c -o %t 2>&1 | FileCheck %s --check-prefix=HELPER
// RUN: %t | FileCheck %s
// RUN: %svm-llc --machine=%S/Inputs/small.yaml %s -o %t && not %t 2>&1 | FileCheck %s --check-prefix=SMALL
// RUN: %svm-llc --emit=llvm-ir %s -o - | FileCheck %s --check-prefix=IR
// RUN: %svm-llc -S %s -o - | FileCheck %s --check-prefix=ASM
#include <stdio.h>
#include <svm/svm.h>

SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM);
SVM_MEMORY(LMEM1);
SVM_PROCESSOR(PROC0);
SVM_PROCESSOR(PROC1);
SVM_PROCESSOR(DMA_ENGINE1);

enum { N = 64 };
static const float taps[3] = {0.25F, 0.5F, 0.25F};

typedef struct Filter {
    svm_Kernel kernel;
    svm_Block *in, *out;
    float gain;
} Filter;

SVM_FIRE(stateless, peek(3), pop(1), push(1))
static inline void filter_fire(const float *restrict in, float *restrict out, float gain)
{
    *out = gain * (taps[0] * in[0] + taps[1] * in[1] + taps[2] * in[2]);
}

SVM_KERNEL(cost(10, 5))
static void filter_run(svm_Kernel *kernel)
{
    Filter *self = (Filter *)kernel;
    const float *in = svm_blockData(self->in);
    float *out = svm_blockData(self->out);
    for (ptrdiff_t i = 0; i < N - 2; i++)
        filter_fire(in + i, out + i, self->gain);
}

SVM_CONTROL(PROC0)
static int control(float *data)
{
    svm_Block gin, gout, lin, lout;
    size_t address = svm_map(&GMEM, data, N * sizeof *data);
    svm_blockInit(&gin, &GMEM, address, N, sizeof *data);
    svm_blockInit(&gout, &GMEM, address, N, sizeof *data);
    svm_blockInit(&lin, &LMEM1, 0, N, sizeof *data);
    svm_blockInit(&lout, &LMEM1, 1024, N, sizeof *data);
    svm_MoveB2B load, store;
    Filter f = {.in = &lin, .out = &lout, .gain = 2};
    svm_moveB2BInit(&load, &DMA_ENGINE1, &gin, &lin);
    svm_kernelInit(&f.kernel, &PROC1, filter_run, "filter");
    svm_moveB2BInit(&store, &DMA_ENGINE1, &lout, &gout);
    svm_kernelAddDependence(&f.kernel, &load.kernel);
    svm_kernelAddDependence(&store.kernel, &f.kernel);
    svm_kernelRun(&load.kernel);
    svm_kernelRun(&f.kernel);
    svm_kernelRun(&store.kernel);
    svm_kernelWait(&store.kernel);
    return 0;
}

#ifdef HELPER
int helper(int i);
#else
static int helper(int i) { return i; }
#endif

int main(void)
{
    float data[N];
    for (int i = 0; i < N; i++)
        data[i] = (float)helper(i);
    if (control(data) != 0)
        return 1;
    printf("%g %g\n", (double)data[0], (double)data[10]);
    return 0;
}
// CHECK: 2 22
// SMALL: error: {{.*}}LMEM1
// IR: define internal {{.*}}@control
// ASM: .globl main
// The helper's warning is clang's, and only its:
// HELPER: helper.c:3:{{[0-9]+}}: warning:
