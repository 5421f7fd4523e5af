// Shows: thread functions with a loop of 300 rounds, with a branch that has a lookup in it, and with int arithmetic, run on the soft
// processor as loops do on the host.
// RUN: rm -rf %t && mkdir %t && cd %t && %svm-check %s
// RUN: %svm-llc %s -o host && ./host > host.txt
// RUN: %svm-llc --target=softproc %s -o soft && env SVM_LAUNCHES=- ./soft 2> launches.txt | cmp - host.txt
// RUN: FileCheck %s --check-prefix=LAUNCHES < launches.txt && FileCheck %s < host.txt
// RUN: %svm-llc --target=softproc -S %s -o - | FileCheck %s --check-prefix=ASM
// CHECK: floats {{[0-9]}}
// CHECK: ints {{[0-9]}}
// LAUNCHES-DAG: decay {{ *}}1 {{ *}}64 {{.*}} %
// LAUNCHES-DAG: digits {{ *}}1 {{ *}}64 {{.*}} %
// ASM-DAG: // decay: {{[0-9]+}} arithmetic, 3 lookups, {{.*}}, {{[0-9]+}} of flow control
// ASM-DAG: // digits: {{[0-9]+}} arithmetic, 1 lookups, {{[0-9]+}} registers, {{[0-9]+}} constants{{$}}
// ASM-DAG: FC.uncovered rep
#include <stdio.h>
#include <svm/launch.h>

SVM_MACHINE("xd1000");
SVM_MEMORY(GMEM);
SVM_PROCESSOR(CPU);
SVM_PROCESSOR(CORE0);
SVM_PROCESSOR(HOST0);

enum { WIDTH = 16, ROWS = 4, N = WIDTH * ROWS * 4 };

typedef struct Both {
    svm_Kernel kernel;
    svm_Block *in, *out, *whole, *parts;
} Both;

// Sums that forget, over 300 elements; where the first one is small, of another row too.
SVM_FIRE(thread)
static inline void decay(float x, float y, const svm_Plane *in, svm_Plane *out)
{
    float first[4], sum[4] = {0, 0, 0, 0};
    svm_lookup(first, in, x, y);
    for (int i = 0; i < 300; i++) {
        float item[4];
        svm_lookup(item, in, (float)(i & 15), y);
        for (int k = 0; k < 4; k++)
            sum[k] = sum[k] * 0.96875F + item[k] * (float)(i / 7);
        if (sum[0] > 4096.0F)
            break;
    }
    if (first[0] < 1.0F) {
        float other[4];
        svm_lookup(other, in, x, (float)((int)y % 3));
        for (int k = 0; k < 4; k++)
            sum[k] += other[k];
    }
    svm_output(out, x, y, sum);
}

// What is done with bytes and times of day.
SVM_FIRE(thread)
static inline void digits(float x, float y, const svm_Plane *whole, svm_Plane *parts)
{
    int n[4], result[4];
    svm_lookupInts(n, whole, x, y);
    for (int k = 0; k < 4; k++) {
        int seconds = n[k] < 0 ? 0 : n[k] > 86399 ? 86399 : n[k];
        int minutes = seconds / 60, quarter = minutes % 60 / 15;
        result[k] = (seconds / 3600 << 8 | quarter << 4) + ((minutes ^ -1) & 7) + (n[k] >> 5) % 11;
    }
    svm_outputInts(parts, x, y, result);
}

SVM_KERNEL()
static void both_run(svm_Kernel *kernel)
{
    Both *self = (Both *)kernel;
    svm_Plane in = svm_plane(svm_blockData(self->in), WIDTH, N / 4);
    svm_Plane out = svm_plane(svm_blockData(self->out), WIDTH, N / 4);
    svm_Plane whole = svm_planeInts(svm_plane(svm_blockData(self->whole), WIDTH, N / 4));
    svm_Plane parts = svm_planeInts(svm_plane(svm_blockData(self->parts), WIDTH, N / 4));
    SVM_DOMAIN(WIDTH, ROWS, decay, &in, &out);
    SVM_DOMAIN(WIDTH, ROWS, digits, &whole, &parts);
}

typedef struct Results {
    float floats[N];
    int ints[N];
} Results;

SVM_CONTROL(CPU)
static int control(Results *results)
{
    svm_Block block[4];
    for (int i = 0; i < 4; i++)
        svm_blockInit(&block[i], &GMEM, svm_alloc(&GMEM, N * sizeof(float)), N, sizeof(float));
    float *data = svm_blockData(&block[0]);
    int *numbers = svm_blockData(&block[2]);
    for (int i = 0; i < N; i++) {
        data[i] = (float)(i * 29 % 37) * 0.125F;
        numbers[i] = (i * 7919 - 500000) % 100000;
    }
    Both both = {.in = &block[0], .out = &block[1], .whole = &block[2], .parts = &block[3]};
    svm_kernelInit(&both.kernel, &CORE0, both_run, "both");
    svm_kernelRun(&both.kernel);
    svm_kernelWait(&both.kernel);
    for (int i = 0; i < N; i++) {
        results->floats[i] = ((const float *)svm_blockData(&block[1]))[i];
        results->ints[i] = ((const int *)svm_blockData(&block[3]))[i];
    }
    return 0;
}

int main(void)
{
    static Results results;
    if (control(&results) != 0)
        return 1;
    printf("floats");
    for (int i = 0; i < N; i++)
        printf(" %a", (double)results.floats[i]);
    printf("\nints");
    for (int i = 0; i < N; i++)
        printf(" %d", results.ints[i]);
    printf("\n");
    return 0;
}
