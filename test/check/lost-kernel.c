// Where a kernel cannot be followed to its end, all blocks that it can have found through its structure
// count as written; others do not.
// RUN: %svm-check %s
// RUN: not %svm-check -DAPART %s 2>&1 | FileCheck --implicit-check-not=warning: --check-prefix=APART %s
#include <svm/program.h>

SVM_MACHINE("simple-svm");
SVM_MEMORY(LMEM1);
SVM_PROCESSOR(PROC1);

enum { ITEMS = 16 };

typedef struct {
    svm_Kernel kernel;
    svm_Block *in, *out;
} Fill;

// Which of two variables is written nobody knows.
static void fill_run(svm_Kernel *kernel)
{
    Fill *self = (Fill *)kernel;
    float *out = svm_blockData(self->out), positive = 0, negative = 0;
    for (int i = 0; i < ITEMS; i++) {
        float *sum = out[i] > 0 ? &positive : &negative;
        *sum += out[i];
        out[i] = positive - negative;
    }
}

static void scale_run(svm_Kernel *kernel)
{
    Fill *self = (Fill *)kernel;
    const float *in = svm_blockData(self->in);
    float *out = svm_blockData(self->out);
    for (int i = 0; i < ITEMS; i++)
        out[i] = in[i] * 2;
}

int main(void)
{
    static svm_Block between, other, end;
    svm_blockInit(&between, &LMEM1, 0, ITEMS, sizeof(float));
    svm_blockInit(&other, &LMEM1, 256, ITEMS, sizeof(float));
    svm_blockInit(&end, &LMEM1, 512, ITEMS, sizeof(float));
    static Fill fill = {.out = &between}, scale = {.in = &between, .out = &end};
    svm_kernelInit(&fill.kernel, &PROC1, fill_run, "fill");
    svm_kernelInit(&scale.kernel, &PROC1, scale_run, "scale");
#ifdef APART
    scale.in = &other;
#endif
    svm_kernelAddDependence(&scale.kernel, &fill.kernel);
    svm_kernelRun(&fill.kernel);
    // APART: lost-kernel.c:[[@LINE+1]]:5: warning: kernel 'scale' reads bytes 0 to 63 of 'other', which nothing has written [-Wnever-written]
    svm_kernelRun(&scale.kernel);
    svm_kernelWait(&scale.kernel);
    svm_kernelDestroy(&scale.kernel);
    svm_kernelDestroy(&fill.kernel);
    return 0;
}
