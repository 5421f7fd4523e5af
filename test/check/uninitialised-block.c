// A block that nothing has initialised, or a null pointer in its place, is told of where the kernel or transfer that uses
// it is run, or where control code uses it: static, local and allocated blocks. A copy of a block is one that was
// initialised, a function of another file may initialise one that it knows, and a pointer that the kernel looks at before
// is no finding.
// RUN: %svm-check %s
// RUN: not %svm-check -DSTATIC %s 2>&1 | FileCheck --implicit-check-not=warning: --check-prefix=STATIC %s
// RUN: not %svm-check -DLOCAL %s 2>&1 | FileCheck --implicit-check-not=warning: --check-prefix=LOCAL %s
// RUN: not %svm-check -DHEAP %s 2>&1 | FileCheck --implicit-check-not=warning: --check-prefix=HEAP %s
// RUN: not %svm-check -DNONE %s 2>&1 | FileCheck --implicit-check-not=warning: --check-prefix=NONE %s
// RUN: %svm-check -DELSEWHERE %s
// RUN: not %svm-check -DCONTROL %s 2>&1 | FileCheck --implicit-check-not=warning: --check-prefix=CONTROL %s
#include <stdlib.h>
#include <svm/svm.h>

SVM_MACHINE("cell-qs20");
SVM_MEMORY(XDR);
SVM_MEMORY(LS0);
SVM_PROCESSOR(SPE0);
SVM_PROCESSOR(MFC0);

typedef struct Adder {
    svm_Kernel kernel;
    svm_Block *in, *out, *extra;
} Adder;

static void adder_run(svm_Kernel *kernel)
{
    Adder *self = (Adder *)kernel;
    const int *in = svm_blockData(self->in);
    int *out = svm_blockData(self->out);
    for (int i = 0; i < 16; i++) {
        out[i] = in[i] + 1;
        if (self->extra != NULL)
            out[i] += ((int *)svm_blockData(self->extra))[i];
        if (in[i] > 3 && in[i] < 7 && self->extra != NULL && *(int *)svm_blockData(self->extra) > 0)
            out[i]++;
    }
}

static svm_Block there, in, none;
static svm_MoveB2B load, store;
svm_Block shared;
static Adder adder;

void prepare(void);
void prepareThat(Adder *of, svm_Block *in);

int main(void)
{
    svm_Block local, copy;
    svm_Block *heap = malloc(sizeof *heap);
    size_t a = svm_alloc(&XDR, 64);
    svm_blockInit(&there, &XDR, a, 16, 4);
    svm_blockInit(&in, &LS0, 0, 16, 4);
    svm_blockInit(&local, &LS0, 64, 16, 4);
    copy = local;
    svm_moveB2BInit(&load, &MFC0, &there, &in);
    svm_kernelInit(&adder.kernel, &SPE0, adder_run, "adder");
    svm_kernelAddDependence(&adder.kernel, &load.kernel);
    adder.in = &in;
    adder.out = &copy;
    svm_kernelRun(&load.kernel);
#ifdef ELSEWHERE
    prepare();
    adder.extra = &shared;
    static svm_Block own;
    prepareThat(&adder, &own); // its address leaves this file
    adder.in = &own;
#endif
#ifdef STATIC
    adder.out = &none;
    // STATIC: uninitialised-block.c:[[@LINE+17]]:5: warning: kernel 'adder' uses block 'none', which nothing has initialised [-Wuninitialised]
    // STATIC: uninitialised-block.c:30:16: note: in this call
#endif
#ifdef LOCAL
    svm_Block forgotten;
    adder.out = &forgotten;
    // LOCAL: uninitialised-block.c:[[@LINE+11]]:5: warning: kernel 'adder' uses a block that nothing has initialised [-Wuninitialised]
#endif
#ifdef HEAP
    adder.extra = heap;
    // HEAP: uninitialised-block.c:[[@LINE+7]]:5: warning: kernel 'adder' uses a block that nothing has initialised [-Wuninitialised]
#endif
#ifdef NONE
    adder.in = NULL;
    // NONE: uninitialised-block.c:[[@LINE+3]]:5: warning: kernel 'adder' uses a null pointer as a block [-Wuninitialised]
    // NONE: uninitialised-block.c:29:21: note: in this call
#endif
    svm_kernelRun(&adder.kernel);
    svm_kernelWait(&adder.kernel);
#ifdef STATIC
    svm_moveB2BInit(&store, &MFC0, &none, &there);
    svm_kernelAddDependence(&store.kernel, &adder.kernel);
    // STATIC: uninitialised-block.c:[[@LINE+1]]:5: warning: transfer 'store' uses block 'none', which nothing has initialised
    svm_kernelRun(&store.kernel);
    svm_kernelWait(&store.kernel);
#endif
#ifdef CONTROL
    int x = 1;
    // CONTROL: uninitialised-block.c:[[@LINE+1]]:5: warning: control code uses block 'none', which nothing has initialised [-Wuninitialised]
    svm_blockWrite(&none, 0, &x);
#endif
    free(heap);
    (void)store;
    return 0;
}
