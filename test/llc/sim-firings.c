// Shows: firings are counted exactly at every level, inlined or not, in loops, under conditions and several to a call; a
// firing with a cost of its own adds its cycles, and neither its operations nor those of what only it calls are counted.
// RUN: %svm-llc -c %S/Inputs/sim-counters.c -o %t-counters.o
// RUN: %svm-llc --target=sim -O0 -c %s -o %t.o && %svm-llc %t.o %t-counters.o -o %t && %t | FileCheck %s
// RUN: %svm-llc --target=sim -O1 -c %s -o %t.o && %svm-llc %t.o %t-counters.o -o %t && %t | FileCheck %s
// RUN: %svm-llc --target=sim -O2 -c %s -o %t.o && %svm-llc %t.o %t-counters.o -o %t && %t | FileCheck %s
// RUN: %svm-llc --target=sim -O3 -c %s -o %t.o && %svm-llc %t.o %t-counters.o -o %t && %t | FileCheck %s
// RUN: %svm-llc --target=sim -Ofast -c %s -o %t.o && %svm-llc %t.o %t-counters.o -o %t && %t | FileCheck %s
#include <stdio.h>
#include <string.h>
#include <svm/svm.h>
#include <svm/sim_table.h>

SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM);
SVM_PROCESSOR(PROC1);

enum { N = 1000 };

SVM_FIRE(stateless, pop(1), push(1))
static inline void plain_fire(const float *restrict in, float *restrict out)
{
    *out = *in * 3;
}

SVM_FIRE(stateless, pop(4), push(4), firings(4))
static inline void four_fire(const float *restrict in, float *restrict out)
{
    for (ptrdiff_t i = 0; i < 4; i++)
        out[i] = in[i] * 5;
}

// Without cost() this would count divisions.
static inline float helper(float x)
{
    return 7 / (x + 1);
}

SVM_FIRE(stateless, pop(1), push(1), cost(2.5))
static inline void timed_fire(const float *restrict in, float *restrict out)
{
    *out = helper(*in) + helper(*in + 1);
}

typedef struct Kernel {
    svm_Kernel kernel;
    svm_Block *in, *out;
} Kernel;

SVM_KERNEL(estimate(10, 7))
static void run(svm_Kernel *kernel)
{
    Kernel *self = (Kernel *)kernel;
    const float *in = svm_blockData(self->in);
    float *out = svm_blockData(self->out);
    for (ptrdiff_t i = 0; i < N; i++)
        plain_fire(in + i, out + i);
    for (ptrdiff_t i = 0; i < N; i += 4)
        four_fire(in + i, out + i);
    for (ptrdiff_t i = 0; i < N; i++)
        if (in[i] > 499.5F) // half of them
            plain_fire(in + i, out + i);
    for (ptrdiff_t i = 0; i < 100; i++)
        timed_fire(in + i, out + i);
}

int main(void)
{
    svm_Block in, out;
    Kernel k = {.in = &in, .out = &out};
    svm_blockInit(&in, &GMEM, svm_alloc(&GMEM, N * 4), N, 4);
    svm_blockInit(&out, &GMEM, svm_alloc(&GMEM, N * 4), N, 4);
    for (int i = 0; i < N; i++)
        ((float *)svm_blockData(&in))[i] = (float)i;
    svm_kernelInit(&k.kernel, &PROC1, run, "run");
    svm_kernelRun(&k.kernel);
    svm_kernelWait(&k.kernel);
    printf("%llu firings, %g cycles\n", (unsigned long long)svm_simFirings, svm_simFiringCycles);
    for (size_t i = 0; i < svm_simTable.classCount; i++)
        if (strcmp(svm_simTable.classes[i], "float-div") == 0)
            printf("%llu divisions\n", (unsigned long long)svm_simCounts[i]);
    const float *data = svm_blockData(&out);
    printf("%g %g %g\n", (double)data[1], (double)data[499], (double)data[500]);
    return 0;
}
// CHECK: {{^}}2600 firings, 250 cycles
// CHECK-NEXT: {{^}}0 divisions
// CHECK-NEXT: {{^}}5.83333 2495 1500
