// Shows: code compiled for simulation counts its operations by class, exactly: arithmetic at every level (with vectors,
// operations on whole registers of the machine's width), loop control where it is not optimised, memory transfers by
// their length, functions of libm by their kind, and what data decide as it happened. Results are those of the host.
// RUN: %svm-llc -c %S/Inputs/sim-counters.c -o %t-counters.o
// RUN: %svm-llc -O1 %s %t-counters.o -o %t-host && %t-host | FileCheck %s --check-prefix=RESULT
// RUN: %svm-llc --target=sim -O0 -c %s -o %t.o && %svm-llc %t.o %t-counters.o -o %t && %t > %t.0
// RUN: %svm-llc --target=sim -O1 -c %s -o %t.o && %svm-llc %t.o %t-counters.o -o %t && %t > %t.1
// RUN: %svm-llc --target=sim -O3 -c %s -o %t.o && %svm-llc %t.o %t-counters.o -o %t && %t > %t.3
// RUN: %svm-llc --target=sim -Ofast -c %s -o %t.o && %svm-llc %t.o %t-counters.o -o %t && %t > %t.fast
// RUN: FileCheck %s --check-prefixes=RESULT,ALL,SCALAR,LEVEL0 < %t.0
// RUN: FileCheck %s --check-prefixes=RESULT,ALL,SCALAR,LEVEL1 < %t.1
// RUN: FileCheck %s --check-prefixes=RESULT,ALL,VECTOR,LEVEL3 < %t.3
// RUN: FileCheck %s --check-prefixes=ALL < %t.fast
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <svm/svm.h>

SVM_MACHINE("simple-svm"); // four floats in a register of its kernel processors
SVM_MEMORY(GMEM);
SVM_PROCESSOR(PROC1);

enum { N = 1024, TAPS = 7 };
static const float taps[TAPS] = {2, 3, 4, 5, 6, 7, 8};

typedef struct Kernel {
    svm_Kernel kernel;
    svm_Block *in, *out;
    ptrdiff_t bytes;
    int steps;
} Kernel;

SVM_KERNEL()
static void fir_run(svm_Kernel *kernel)
{
    Kernel *self = (Kernel *)kernel;
    const float *restrict in = svm_blockData(self->in);
    float *restrict out = svm_blockData(self->out);
    for (ptrdiff_t i = 0; i < N; i++) {
        float sum = 1;
        for (ptrdiff_t t = 0; t < TAPS; t++)
            sum += taps[t] * in[i + t];
        out[i] = sum;
    }
}

// One element after the other, so that it stays scalar.
SVM_KERNEL()
static void mix_run(svm_Kernel *kernel)
{
    Kernel *self = (Kernel *)kernel;
    const float *in = svm_blockData(self->in);
    float *out = svm_blockData(self->out);
    double d = 3;
    int n = 1;
    for (ptrdiff_t i = 0; i < N; i++) {
        d = sqrt(d) / 3 + d * 0.5;
        n = n * n % (n + 2) ^ (int)i;
        out[i] = sinf(in[i]) + powf(in[i], 2);
    }
    out[0] = (float)(d + exp(d)) + (float)n;
}

SVM_KERNEL()
static void copy_run(svm_Kernel *kernel)
{
    Kernel *self = (Kernel *)kernel;
    memcpy(svm_blockData(self->out), svm_blockData(self->in), (size_t)self->bytes);
}

SVM_KERNEL()
static void steps_run(svm_Kernel *kernel)
{
    Kernel *self = (Kernel *)kernel;
    int *out = svm_blockData(self->out);
    int steps = 0;
    for (ptrdiff_t i = 1; i < N; i++)
        for (unsigned n = (unsigned)i; n != 1; steps++) {
            out[n & 7] = (int)n;
            n = n & 1 ? 3 * n + 1 : n >> 1;
        }
    self->steps = steps;
}

void counters_begin(void); // Inputs/sim-counters.c
void counters_tell(const char *name);

// Between the two calls of the counters there is a call of the second, which counts, beside the kernel.
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
    svm_Block in, out;
    Kernel k = {.in = &in, .out = &out, .bytes = 1000};
    svm_blockInit(&in, &GMEM, svm_alloc(&GMEM, (N + TAPS) * 4), N + TAPS, 4);
    svm_blockInit(&out, &GMEM, svm_alloc(&GMEM, (N + TAPS) * 4), N + TAPS, 4);
    for (int i = 0; i < N + TAPS; i++)
        ((float *)svm_blockData(&in))[i] = (float)(i % 32) / 8;
    run(&k, fir_run, "fir");
    run(&k, mix_run, "mix");
    run(&k, copy_run, "copy");
    run(&k, steps_run, "steps");
    printf("%d steps\n", k.steps);
    return 0;
}
// Taps times elements, at the rate of registers of four where there are vectors.
// SCALAR: {{^}}fir float-add 7168{{$}}
// SCALAR-NEXT: {{^}}fir float-mul 7168{{$}}
// VECTOR: {{^}}fir float-add 1792{{$}}
// VECTOR-NEXT: {{^}}fir float-mul 1792{{$}}
// RESULT: fir gives 52.75

// N of each operation of the loop, the conversions and the addition after it.
// ALL: {{^}}mix int-add 2048{{$}}
// ALL-NEXT: {{^}}mix int-mul 1024{{$}}
// ALL-NEXT: {{^}}mix int-div 1024{{$}}
// ALL-NEXT: {{^}}mix bitwise 1024{{$}}
// ALL-NEXT: mix compare
// ALL-NEXT: {{^}}mix convert 2{{$}}
// ALL-NEXT: {{^}}mix float-add 1025{{$}}
// ALL-NEXT: {{^}}mix float-transcendental 2048{{$}}
// ALL-NEXT: {{^}}mix double-add 1025{{$}}
// SCALAR-NEXT: {{^}}mix double-mul 1024{{$}}
// SCALAR-NEXT: {{^}}mix double-div 1024{{$}}
// ALL: {{^}}mix double-sqrt 1024{{$}}
// ALL-NEXT: {{^}}mix double-transcendental 1{{$}}
// RESULT: mix gives 1021.73352

// 1000 bytes are 63 registers; the block's data and the length are five loads.
// LEVEL1: {{^}}copy load 68{{$}}
// ALL: {{^}}copy store 6{{[37]$}}
// LEVEL1-NEXT: copy branch 1
// RESULT: copy gives 0.5

// As many stores as steps, and the last; a multiplication at each step without branches, or for odd numbers alone.
// LEVEL0: steps int-mul 20245
// LEVEL1: steps int-mul 61307
// LEVEL1: {{^}}steps store 61308{{$}}
// LEVEL3: {{^}}steps store 61308{{$}}
// RESULT: {{^}}61307 steps
