// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a thread function of kernels.h, -DKERNEL=NAME, over a domain: kernels soft|host WIDTH HEIGHT FOLDER writes the inputs s0.bin, ...
// and the outputs soft0.bin or host0.bin, ...
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <svm/launch.h>

SVM_MACHINE("xd1000");
SVM_MEMORY(GMEM);
SVM_PROCESSOR(CPU);
SVM_PROCESSOR(CORE0);
SVM_PROCESSOR(HOST0);

#define THREAD SVM_FIRE(thread) static SVM_UNUSED inline
#define INPUT const svm_Plane *
#define OUTPUT svm_Plane *
#define TABLE static const SVM_UNUSED
#define FABS fabsf
#define FLOOR floorf
#define SQRT sqrtf
#define LOG2 log2f
#define EXP2 exp2f
#include "kernels.h"

enum { SIDE = 64, ROWS = 512, ELEMENTS = SIDE * ROWS, INPUTS = 3, OUTPUTS = 4 };

// What kernels take beside x and y.
#define in(n) &self->input[n]
#define out(n) &self->output[n]
#if IS(matmatmult)
#define ARGUMENTS in(0), in(1), out(0), out(1), out(2), out(3)
#elif IS(sgemm)
#define ARGUMENTS in(0), in(1), in(2), out(0), out(1), out(2), out(3), 1.5f, -0.25f
#elif IS(photon)
#define ARGUMENTS in(0), in(1), out(0), 8.0f, 0.125f, 0.875f, 7.9375f
#elif IS(dct_rows)
#define ARGUMENTS in(0), out(0), out(1)
#elif IS(dct_columns)
#define ARGUMENTS in(0), out(0), out(1), out(2), out(3)
#elif IS(fft_stage)
#define ARGUMENTS in(0), in(1), in(2), out(0), out(1)
#elif IS(mandelbrot) || IS(gather)
#define ARGUMENTS in(0), in(1), out(0)
#elif IS(bitonic)
#define ARGUMENTS in(0), out(0), out(1)
#elif IS(black_scholes)
#define ARGUMENTS in(0), in(1), in(2), out(0), 0.05f, 0.3f
#else
#define ARGUMENTS in(0), out(0)
#endif

typedef struct Bench {
    svm_Kernel kernel;
    svm_Block *source[INPUTS], *target[OUTPUTS];
    int width, height;
} Bench;

typedef struct Planes {
    svm_Plane input[INPUTS], output[OUTPUTS];
} Planes;

SVM_KERNEL()
static void run(svm_Kernel *kernel)
{
    Bench *bench = (Bench *)kernel;
    Planes planes, *self = &planes;
    for (int i = 0; i < INPUTS; i++)
        self->input[i] = svm_plane(svm_blockData(bench->source[i]), SIDE, ELEMENTS);
    for (int i = 0; i < OUTPUTS; i++)
        self->output[i] = svm_plane(svm_blockData(bench->target[i]), SIDE, ELEMENTS);
    SVM_DOMAIN(bench->width, bench->height, KERNEL, ARGUMENTS);
}

static void write_file(const char *folder, const char *name, int number, const void *data)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s%d.bin", folder, name, number);
    FILE *f = fopen(path, "wb");
    if (f == NULL || fwrite(data, 16, ELEMENTS, f) != ELEMENTS || fclose(f) != 0)
        exit(2);
}

// Numbers of -2 to 2; where a kernel needs others, those.
static float number(unsigned *random, int input)
{
    *random = *random * 1664525 + 1013904223;
    float v = ((float)(*random >> 8) / (1 << 23) - 1) * 2;
    (void)input;
#if IS(photon)
    v = input == 0 ? fabsf(v) / 2 + 0.0009765625f : -0.5f - fabsf(v);
#elif IS(black_scholes)
    v = 0.5f + fabsf(v);
#elif IS(grey)
    v = floorf((v + 2) * 63.75f);
#elif IS(gather)
    v = input == 0 ? v : v * 100;
#endif
    return v;
}

SVM_CONTROL(CPU)
static int control(char **argv)
{
    static svm_Block source[INPUTS], target[OUTPUTS];
    static Bench bench;
    unsigned random = 12345;
    bool soft = strcmp(argv[1], "soft") == 0;
    bench.width = atoi(argv[2]);
    bench.height = atoi(argv[3]);
    for (int i = 0; i < INPUTS; i++) {
        svm_blockInit(&source[i], &GMEM, svm_alloc(&GMEM, 16 * ELEMENTS), 4 * ELEMENTS, sizeof(float));
        float *data = svm_blockData(bench.source[i] = &source[i]);
        for (int k = 0; k < 4 * ELEMENTS; k++)
            data[k] = number(&random, i);
        write_file(argv[4], "s", i, data);
    }
    for (int i = 0; i < OUTPUTS; i++) {
        svm_blockInit(&target[i], &GMEM, svm_alloc(&GMEM, 16 * ELEMENTS), 4 * ELEMENTS, sizeof(float));
        bench.target[i] = &target[i];
    }
    if (soft)
        svm_kernelInit(&bench.kernel, &CORE0, run, "run");
    else
        svm_kernelInit(&bench.kernel, &HOST0, run, "run");
    svm_kernelRun(&bench.kernel);
    svm_kernelWait(&bench.kernel);
    for (int i = 0; i < OUTPUTS; i++)
        write_file(argv[4], soft ? "soft" : "host", i, svm_blockData(&target[i]));
    return 0;
}

int main(int argc, char **argv)
{
    return argc == 5 ? control(argv) : 2;
}
