// Shows: a kernel that is a launch over a domain runs on the soft processor, on the host's runtime, and on the fallback
// processor, with the same result; -S writes its program, -c its container, which the other tools take.
// RUN: rm -rf %t && mkdir %t && cd %t && %svm-check %s
// RUN: %svm-llc %s -o host && ./host > host.txt
// RUN: %svm-llc --target=softproc %s -o soft && env SVM_LAUNCHES=- ./soft > soft.txt 2> launches.txt
// RUN: cmp host.txt soft.txt && FileCheck %s < soft.txt && FileCheck %s --check-prefix=LAUNCHES < launches.txt
// RUN: %svm-llc -O0 --target=softproc %s -o soft && ./soft | cmp - host.txt
// RUN: %svm-llc -O3 -DBESIDE --target=softproc %s -o beside && env SVM_LAUNCHES=- ./beside 2>&1 | cmp - host.txt
// RUN: %svm-llc --target=softproc -S %s -o - | FileCheck %s --check-prefix=ASM
// RUN: %svm-llc --target=softproc -c %s -o fir.spo && %svm-spdis fir.spo | FileCheck %s --check-prefix=DIS
// CHECK: 2.250000 2.500000 2.750000
// CHECK: sum {{[0-9]}}
// LAUNCHES: thread function
// LAUNCHES: fir {{ *}}1 {{ *}}1024 {{.*}} %
// ASM: // fir: {{[0-9]+}} arithmetic, 2 lookups
// ASM: // scalar 0 is c{{[0-9]+}}.
// ASM: TEX
// ASM: END
// DIS: MAD
#include <stdio.h>
#include <svm/launch.h>

SVM_MACHINE("xd1000");
SVM_MEMORY(GMEM);
SVM_PROCESSOR(CPU);
SVM_PROCESSOR(CORE0);
SVM_PROCESSOR(HOST0);

enum { WIDTH = 64, ROWS = 16, N = WIDTH * ROWS * 4 };
static const float taps[5] = {0.25F, 0.5F, 0.25F, 1.0F, 2.0F};

typedef struct Filter {
    svm_Kernel kernel;
    svm_Block *in, *out;
    float gain;
} Filter;

// Four neighbouring results.
SVM_FIRE(thread)
static inline void fir(float x, float y, const svm_Plane *in, svm_Plane *out, float gain)
{
    float items[8], sum[4];
    for (int i = 0; i < 2; i++)
        svm_lookup(items + 4 * i, in, x + (float)i, y);
    for (int k = 0; k < 4; k++) {
        sum[k] = 0;
        for (int i = 0; i < 5; i++)
            sum[k] += taps[i] * items[k + i];
        sum[k] *= gain;
    }
    svm_output(out, x, y, sum);
}

SVM_KERNEL()
static void filter_run(svm_Kernel *kernel)
{
    Filter *self = (Filter *)kernel;
    svm_Plane in = svm_plane(svm_blockData(self->in), WIDTH, N / 4 + 1);
    svm_Plane out = svm_plane(svm_blockData(self->out), WIDTH, N / 4);
    SVM_DOMAIN(WIDTH, ROWS, fir, &in, &out, self->gain);
}

SVM_CONTROL(CPU)
static int control(float *result)
{
    svm_Block in, out;
    size_t from = svm_alloc(&GMEM, (N + 4) * sizeof(float)), to = svm_alloc(&GMEM, N * sizeof(float));
    svm_blockInit(&in, &GMEM, from, N + 4, sizeof(float));
    svm_blockInit(&out, &GMEM, to, N, sizeof(float));
    float *data = svm_blockData(&in);
    for (int i = 0; i < N + 4; i++)
        data[i] = (float)(i % 37) * 0.125F;
    Filter f = {.in = &in, .out = &out, .gain = 0.5F};
#ifdef BESIDE
    svm_kernelInit(&f.kernel, &HOST0, filter_run, "filter");
#else
    svm_kernelInit(&f.kernel, &CORE0, filter_run, "filter");
#endif
    svm_kernelRun(&f.kernel);
    svm_kernelWait(&f.kernel);
    for (int i = 0; i < N; i++)
        result[i] = ((const float *)svm_blockData(&out))[i];
    return 0;
}

int main(void)
{
    static float result[N];
    float sum = 0;
    if (control(result) != 0)
        return 1;
    for (int i = 0; i < N; i++)
        sum += result[i];
    printf("%f %f %f\nsum %.9g\n", (double)result[6], (double)result[7], (double)result[8], (double)sum);
    return 0;
}
