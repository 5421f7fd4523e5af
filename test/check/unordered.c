// What a play finds in control code whose places come from loops and tables: two runs at the same bytes without an order,
// control code that does not wait, a kernel that goes beyond its block, local memory that nothing has written.
// RUN: %svm-check %s
// RUN: not %svm-check -DNO_ORDER %s 2>&1 | FileCheck --implicit-check-not=warning: --check-prefix=ORDER %s
// RUN: not %svm-check -DNO_WAIT %s 2>&1 | FileCheck --implicit-check-not=warning: --check-prefix=WAIT %s
// RUN: not %svm-check -DSHORT %s 2>&1 | FileCheck --implicit-check-not=warning: --check-prefix=SHORT %s
// RUN: not %svm-check -DUNWRITTEN %s 2>&1 | FileCheck --implicit-check-not=warning: --check-prefix=UNWRITTEN %s
// RUN: %svm-check -Wno-unordered -DNO_ORDER %s
#include <svm/program.h>

SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM);
SVM_MEMORY(LMEM1);
SVM_PROCESSOR(PROC1);
SVM_PROCESSOR(DMA_ENGINE1);

enum { RUNS = 6, ITEMS = 16 };

typedef struct {
    svm_Kernel kernel;
    svm_Block *in, *out;
    int items;
} Scale;

static void scale_run(svm_Kernel *kernel)
{
    Scale *self = (Scale *)kernel;
    const float *in = svm_blockData(self->in);
    float *out = svm_blockData(self->out);
    for (int i = 0; i < self->items; i++)
        out[i] = in[i] * 2;
}

typedef struct {
    Scale run;
    svm_Block there, in, out, back;
    svm_MoveB2B load, store;
} Run;

static const struct {
    int window;
} windows[RUNS] = {{0}, {1}, {0}, {1}, {0}, {1}};

static Run runs[RUNS];

static void create(size_t memory, int k)
{
    Run *r = &runs[k];
    const size_t at = (size_t)windows[k].window * ITEMS * sizeof(float);
    svm_blockInit(&r->there, &GMEM, memory + (size_t)k * ITEMS * sizeof(float), ITEMS, sizeof(float));
    svm_blockInit(&r->in, &LMEM1, at, ITEMS, sizeof(float));
    svm_blockInit(&r->out, &LMEM1, 1024 + at, ITEMS, sizeof(float));
    svm_blockInit(&r->back, &GMEM, memory + (size_t)(RUNS + k) * ITEMS * sizeof(float), ITEMS, sizeof(float));
    svm_moveB2BInit(&r->load, &DMA_ENGINE1, &r->there, &r->in);
    svm_moveB2BInit(&r->store, &DMA_ENGINE1, &r->out, &r->back);
    svm_kernelInit(&r->run.kernel, &PROC1, scale_run, "scale");
    r->run.in = &r->in;
    r->run.out = &r->out;
    r->run.items = ITEMS;
#ifdef SHORT
    r->run.items += k == 3;
#endif
    svm_kernelAddDependence(&r->run.kernel, &r->load.kernel);
    svm_kernelAddDependence(&r->store.kernel, &r->run.kernel);
    if (k >= 2) { // who had the windows before
#ifndef NO_ORDER
        svm_kernelAddDependence(&r->load.kernel, &runs[k - 2].run.kernel);
#endif
        svm_kernelAddDependence(&r->run.kernel, &runs[k - 2].store.kernel);
    }
}

int main(void)
{
    const size_t memory = svm_alloc(&GMEM, 2 * RUNS * ITEMS * sizeof(float));
    svm_Block all;
    svm_blockInit(&all, &GMEM, memory, 2 * RUNS * ITEMS, sizeof(float));
    float *items = svm_blockData(&all);
    for (int i = 0; i < RUNS * ITEMS; i++)
        items[i] = (float)i;
    for (int k = 0; k < RUNS; k++)
        create(memory, k);
    for (int k = 0; k < RUNS; k++) {
#ifndef UNWRITTEN
        // ORDER: unordered.c:[[@LINE+2]]:9: warning: transfer 'r->load' writes bytes 0 to 63 of 'r->in', which transfer 'r->load' writes, and neither a dependence nor a wait orders them [-Wunordered]
        // ORDER: unordered.c:[[@LINE+1]]:9: warning: transfer 'r->load' writes bytes 0 to 63 of 'r->in', which kernel 'scale' reads, and neither a dependence nor a wait orders them [-Wunordered]
        svm_kernelRun(&runs[k].load.kernel);
        // ORDER: unordered.c:[[@LINE+2]]:9: note: kernel 'scale' is run here
#endif
        svm_kernelRun(&runs[k].run.kernel);
        // SHORT: unordered.c:[[@LINE-1]]:9: warning: kernel 'scale' reads bytes 0 to 67 of 'r->in', which has 64 [-Wcapacity]
        // SHORT: unordered.c:[[@LINE-2]]:9: warning: kernel 'scale' writes bytes 0 to 67 of 'r->out', which has 64 [-Wcapacity]
        // UNWRITTEN: unordered.c:[[@LINE-3]]:9: warning: kernel 'scale' reads bytes 0 to 63 of 'r->in', which nothing has written [-Wnever-written]
        svm_kernelRun(&runs[k].store.kernel);
    }
#ifdef NO_WAIT
    svm_kernelWait(&runs[3].store.kernel);
    // WAIT: unordered.c:[[@LINE+1]]:5: warning: control code reads bytes 640 to 643 of 'all', which transfer 'r->store' writes, and nothing has waited for it [-Wunordered]
    svm_printText(&(svm_Log){0}, items[RUNS * ITEMS + 4 * ITEMS] > 1 ? "more" : "less");
#endif
    for (int k = 0; k < RUNS; k++)
        svm_kernelWait(&runs[k].store.kernel);
    return 0;
}
