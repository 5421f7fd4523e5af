// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows: null or uninitialised objects, objects that were copied, zero sizes and impossible counts are bad-argument.
// Machine: simple-svm
// Prints:
//   null block: bad-argument
//   elements of no size: bad-argument
//   block not initialised: bad-argument
//   null stream: bad-argument
//   stream of no capacity: bad-argument
//   stream not initialised: bad-argument
//   copied stream: bad-argument
//   filled above its capacity: bad-argument
//   filled when in use: bad-argument
//   peek beyond the capacity: bad-argument
//   null kernel: bad-argument
//   kernel without a function: bad-argument
//   kernel not initialised: bad-argument
//   copied kernel: bad-argument
//   destroyed kernel: bad-argument
//   dependence on another instance's kernel: bad-argument
//   null kernels to wait for: bad-argument
//   map of no bytes: bad-argument
//   map of a null pointer: bad-argument
//   move from a block not initialised: bad-argument
#include "conform.h"

SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM);
SVM_MEMORY(LMEM1);
SVM_PROCESSOR(PROC1);
SVM_PROCESSOR(DMA_ENGINE1);

static void nothing(svm_Kernel *kernel)
{
    (void)kernel;
}

static void streams(size_t g)
{
    static svm_Stream s, copy;
    int32_t v = 0;
    MISUSE("null stream", svm_streamInitRAM(NULL, &GMEM, g, 4, 4));
    MISUSE("stream of no capacity", svm_streamInitRAM(&s, &GMEM, g, 0, 4));
    MISUSE("stream not initialised", svm_streamPush(&s, &v));
    svm_streamInitRAM(&s, &GMEM, g, 4, 4);
    copy = s;
    MISUSE("copied stream", svm_streamPush(&copy, &v));
    MISUSE("filled above its capacity", svm_streamFill(&s, 5));
    svm_streamPush(&s, &v);
    MISUSE("filled when in use", svm_streamFill(&s, 1));
    MISUSE("peek beyond the capacity", svm_streamPeek(&s, 4, &v));
}

static void kernels(void)
{
    static svm_Kernel k, copy, other;
    svm_KernelFunction *none = NULL;
    MISUSE("null kernel", svm_kernelRun(NULL));
    MISUSE("kernel without a function", svm_kernelInit(&k, &PROC1, none, "k"));
    MISUSE("kernel not initialised", svm_kernelRun(&k));
    svm_kernelInit(&k, &PROC1, nothing, "k");
    copy = k;
    MISUSE("copied kernel", svm_kernelRun(&copy));
    svm_kernelDestroy(&k);
    MISUSE("destroyed kernel", svm_kernelWait(&k));
    svm_kernelInit(&k, &PROC1, nothing, "k");
    svm_Machine *second = svm_machineCreate();
    svm_machineUse(second);
    svm_kernelInit(&other, &PROC1, nothing, "other");
    svm_machineUse(NULL);
    MISUSE("dependence on another instance's kernel", svm_kernelAddDependence(&k, &other));
    svm_machineDestroy(second);
    MISUSE("null kernels to wait for", svm_kernelWaitMultiple(1, NULL));
}

int main(void)
{
    static svm_Block b, none;
    static svm_MoveB2B move;
    static int32_t numbers[4];
    size_t g = svm_alloc(&GMEM, 16);
    int32_t v = 0;
    MISUSE("null block", svm_blockInit(NULL, &GMEM, g, 4, 4));
    MISUSE("elements of no size", svm_blockInit(&b, &GMEM, g, 4, 0));
    MISUSE("block not initialised", svm_blockRead(&b, 0, &v));
    streams(g);
    kernels();
    MISUSE("map of no bytes", svm_map(&GMEM, numbers, 0));
    MISUSE("map of a null pointer", svm_map(&GMEM, NULL, 4));
    svm_blockInit(&b, &LMEM1, 0, 4, 4);
    MISUSE("move from a block not initialised", svm_moveB2BInit(&move, &DMA_ENGINE1, &none, &b));
    return 0;
}
