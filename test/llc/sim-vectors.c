// Shows: a gather counts as a load an element and a scatter as a store an element; a sum of a vector's lanes in order as an addition
// and a move an element, in any order as one for each halving. Computed by hand for 1024 elements, sixteen in a register.
// RUN: sed 's/simd-width: 16 B/simd-width: 64 B/;s/1 KiB/64 KiB/' %S/Inputs/small.yaml > %t.yaml
// RUN: %svm-llc -c %S/Inputs/sim-counters.c -o %t-counters.o
// RUN: %svm-llc --target=sim --machine=%t.yaml -O2 -c %s -o %t.o && %svm-llc %t.o %t-counters.o -o %t && %t | FileCheck %s --check-prefixes=ALL,STRICT
// RUN: %svm-llc --target=sim --machine=%t.yaml -Ofast -c %s -o %t.o && %svm-llc %t.o %t-counters.o -o %t && %t | FileCheck %s --check-prefixes=ALL,FAST
#include <stdio.h>
#include <svm/svm.h>

SVM_MACHINE("small");
SVM_MEMORY(GMEM);
SVM_PROCESSOR(PROC1);

enum { N = 1024 };
typedef struct Kernel {
    svm_Kernel kernel;
    svm_Block *in, *out, *indices;
} Kernel;

SVM_KERNEL()
static void gather_run(svm_Kernel *kernel)
{
    Kernel *self = (Kernel *)kernel;
    const float *restrict in = svm_blockData(self->in);
    const int *restrict indices = svm_blockData(self->indices);
    float *restrict out = svm_blockData(self->out);
#pragma clang loop vectorize(assume_safety) vectorize_width(16) interleave(disable) unroll(disable)
    for (ptrdiff_t i = 0; i < N; i++)
        out[i] = in[indices[i]];
}

// Places are all different, which the compiler is told.
SVM_KERNEL()
static void scatter_run(svm_Kernel *kernel)
{
    Kernel *self = (Kernel *)kernel;
    const float *restrict in = svm_blockData(self->in);
    const int *restrict indices = svm_blockData(self->indices);
    float *restrict out = svm_blockData(self->out);
#pragma clang loop vectorize(assume_safety) vectorize_width(16) interleave(disable) unroll(disable)
    for (ptrdiff_t i = 0; i < N; i++)
        out[indices[i]] = in[i];
}

SVM_KERNEL()
static void sum_run(svm_Kernel *kernel)
{
    Kernel *self = (Kernel *)kernel;
    const float *restrict in = svm_blockData(self->in);
    float *restrict out = svm_blockData(self->out), sum = 0;
#pragma clang loop vectorize(enable) vectorize_width(16) interleave(disable) unroll(disable)
    for (ptrdiff_t i = 0; i < N; i++)
        sum += in[i];
    out[0] = sum;
}

void counters_begin(void); // Inputs/sim-counters.c
void counters_tell(const char *name);

static void run(Kernel *k, svm_KernelFunction *function, const char *name)
{
    svm_kernelInit(&k->kernel, &PROC1, function, name);
    counters_begin();
    svm_kernelRun(&k->kernel);
    svm_kernelWait(&k->kernel);
    counters_tell(name);
    const float *out = svm_blockData(k->out);
    printf("%s gives %.9g\n", name, (double)(out[0] + out[100]));
    svm_kernelDestroy(&k->kernel);
}

int main(void)
{
    svm_Block in, out, indices;
    Kernel k = {.in = &in, .out = &out, .indices = &indices};
    svm_blockInit(&in, &GMEM, svm_alloc(&GMEM, N * 4), N, 4);
    svm_blockInit(&out, &GMEM, svm_alloc(&GMEM, N * 4), N, 4);
    svm_blockInit(&indices, &GMEM, svm_alloc(&GMEM, N * 4), N, 4);
    for (int i = 0; i < N; i++) {
        ((float *)svm_blockData(&in))[i] = (float)i;
        ((int *)svm_blockData(&indices))[i] = (i * 5 + 3) % N;
    }
    run(&k, gather_run, "gather");
    run(&k, scatter_run, "scatter");
    run(&k, sum_run, "sum");
    return 0;
}

// 64 times sixteen: indices and results are a register each time, and widening indices to addresses makes two of one. The rest of
// the loads are the blocks and their data; the call that tells what was counted is a branch.
// ALL:      {{^}}gather int-add 64{{$}}
// ALL-NEXT: {{^}}gather bitwise 128{{$}}
// ALL-NEXT: {{^}}gather compare 64{{$}}
// ALL-NEXT: {{^}}gather load 1094{{$}}
// ALL-NEXT: {{^}}gather store 64{{$}}
// ALL-NEXT: {{^}}gather branch 65{{$}}
// ALL-NEXT: {{^}}gather gives 506{{$}}
// ALL-NEXT: {{^}}scatter int-add 64{{$}}
// ALL-NEXT: {{^}}scatter bitwise 128{{$}}
// ALL-NEXT: {{^}}scatter compare 64{{$}}
// ALL-NEXT: {{^}}scatter load 134{{$}}
// ALL-NEXT: {{^}}scatter store 1024{{$}}
// ALL-NEXT: {{^}}scatter branch 65{{$}}
// ALL-NEXT: {{^}}scatter gives 838{{$}}
// 64 additions of registers, then sixteen lanes in order, or four halvings.
// ALL:         {{^}}sum int-add 64{{$}}
// STRICT-NEXT: {{^}}sum bitwise 16{{$}}
// FAST-NEXT:   {{^}}sum bitwise 4{{$}}
// ALL-NEXT:    {{^}}sum compare 64{{$}}
// STRICT-NEXT: {{^}}sum float-add 80{{$}}
// FAST-NEXT:   {{^}}sum float-add 68{{$}}
// ALL-NEXT:    {{^}}sum load 68{{$}}
// ALL-NEXT:    {{^}}sum store 1{{$}}
