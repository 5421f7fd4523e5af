// Shows: a kernel uses its struct's scalars, arrays, blocks and streams; other pointers of it, the runtime's fields and
// pointers made of integers are errors.
// RUN: not %svm-llc --target=null %s 2>&1 | FileCheck %s
#include <svm/svm.h>

SVM_MACHINE("simple-svm");

typedef struct State { float history[4]; float *outside; } State;
typedef struct K {
    svm_Kernel kernel;
    svm_Block in, *out;
    svm_Stream *const streams[2];
    State state;
    int n, *counter;
    struct K *next;
} K;
typedef struct Window { const float *data; int n; } Window;

static float sum(const Window *w)
{
    float s = 0;
    for (int i = 0; i < w->n; i++)
        s += w->data[i];
    return s;
}

SVM_KERNEL(cost(0, 1))
static void run(svm_Kernel *kernel)
{
    K *self = (K *)kernel;
    const float *in = svm_blockData(&self->in);
    Window window = {in, self->n}; // a struct of the kernel's own may hold pointers
    self->state.history[0] = sum(&window);
    svm_streamPush(self->streams[0], &self->state.history[0]);
    void *none = (void *)0;
    float *volatile skip = NULL;
    // CHECK: contract-struct.c:[[@LINE+1]]:6: error: kernel 'run' uses pointer 'counter' of its struct; a kernel reaches data only through the blocks and streams that its struct names
    *self->counter = 1;
    // CHECK: contract-struct.c:14:13: note: 'counter' is declared here
    // CHECK: contract-struct.c:[[@LINE+1]]:5: error: kernel 'run' uses pointer 'outside' of its struct
    self->state.outside[0] = 2;
    // CHECK: contract-struct.c:[[@LINE+1]]:5: error: kernel 'run' uses pointer 'next' of its struct
    self->next->n = 2;
    // CHECK: contract-struct.c:[[@LINE+1]]:15: error: kernel 'run' uses field 'data' of a svm_Block, which is the runtime's; use svm_blockData, svm_blockRead and svm_blockWrite
    char *c = self->in.data;
    // CHECK: contract-struct.c:[[@LINE+1]]:18: error: kernel 'run' makes a pointer of an integer
    int *fixed = (int *)0x1000;
    // CHECK: contract-struct.c:[[@LINE+1]]:13: error: kernel 'run' makes a pointer of an integer
    fixed = (int *)((uintptr_t)in + 4);
    (void)none, (void)skip, (void)c, (void)fixed;
}
// CHECK: 6 errors generated.
