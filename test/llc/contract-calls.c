// Shows: a kernel may call static functions of its file, listed math functions and the API's kernel side; everything else
// is an error that names it.
// RUN: not %svm-llc --target=null %s 2>&1 | FileCheck %s
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <svm/svm.h>

SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM);

typedef struct K {
    svm_Kernel kernel;
    svm_Block *block;
    svm_Stream *streams[2];
    int (*callback)(int);
} K;

int global(int i) { return i + 1; }
static int twice(int i) { return 2 * i; }
int undefined(int i);
static int (*const pointer)(int) = twice;

static float fine(K *self, float x)
{
    float y[2] = {0, 0};
    memcpy(y, &x, sizeof x);
    svm_blockRead(self->block, 1, y);
    svm_streamPush(self->streams[1], y);
    if (isnan(x) || isinf(x) || signbit(x))
        return INFINITY;
    return sinf(x) + sqrtf(y[1]) + fabsf(x) + (float)pow(x, 2) + (float)twice(2) + (float)svm_streamCount(self->streams[0]);
}

static int recursive(int i) { return i == 0 ? 0 : recursive(i - 1); }

// CHECK: contract-calls.c:[[@LINE+2]]:1: error: kernel 'run' (in function 'varies', which it calls) takes a variable number of arguments
// CHECK: contract-calls.c:[[@LINE+4]]:5: error: kernel 'run' (in function 'varies', which it calls) calls '__builtin_va_start'
static void varies(int n, ...)
{
    va_list list;
    va_start(list, n);
    va_end(list);
}

SVM_KERNEL(cost(0, 1))
static void run(svm_Kernel *kernel)
{
    K *self = (K *)kernel;
    fine(self, 1);
    recursive(3);
    // CHECK: contract-calls.c:[[@LINE+1]]:5: error: kernel 'run' calls 'printf', which is no function that kernels may call
    printf("hello\n");
    // CHECK: contract-calls.c:[[@LINE+1]]:15: error: kernel 'run' calls 'malloc'
    void *p = malloc(3);
    // CHECK: contract-calls.c:[[@LINE+1]]:5: error: kernel 'run' calls 'global', which is not static
    global(1);
    // CHECK: contract-calls.c:21:5: note: 'global' is declared here
    // CHECK: contract-calls.c:[[@LINE+1]]:5: error: kernel 'run' calls 'undefined', which is neither defined in this file nor one that kernels may call
    undefined(1);
    // CHECK: contract-calls.c:[[@LINE+1]]:5: error: kernel 'run' calls through a function pointer
    pointer(2);
    // CHECK: contract-calls.c:[[@LINE+1]]:5: error: kernel 'run' calls through a function pointer
    self->callback(2);
    // CHECK: contract-calls.c:[[@LINE+1]]:26: error: kernel 'run' takes the address of function 'twice'
    int (*local)(int) = &twice;
    // CHECK: contract-calls.c:[[@LINE+1]]:5: error: kernel 'run' calls 'svm_kernelWait', which is no function that kernels may call
    svm_kernelWait(kernel);
    // CHECK: contract-calls.c:[[@LINE+1]]:5: error: kernel 'run' contains assembly
    __asm__ volatile("nop");
    // CHECK: contract-calls.c:[[@LINE+1]]:19: error: kernel 'run' jumps to a computed label
    void *label = &&end;
end:
    varies(1, 2);
    (void)p;
    (void)local;
    (void)label;
}
