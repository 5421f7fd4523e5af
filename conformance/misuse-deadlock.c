// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows: when nothing can run and the control thread waits, that is deadlock; a kernel that was said never to block and
// must wait is would-block.
// Machine: simple-svm
// Prints:
//   pop from an empty stream: deadlock
//   push to a full stream: deadlock
//   wait for a kernel that waits for ever: deadlock
//   two kernels that wait for each other: deadlock
//   wait behind a paused kernel: deadlock
//   a pop by a kernel that never blocks: would-block
//   a pause of a kernel that never blocks: would-block
#include "conform.h"

SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM);
SVM_MEMORY(LMEM1);
SVM_PROCESSOR(PROC1);

typedef struct Waiter {
    svm_Kernel kernel;
    svm_Stream *in, *out;
    int pause;
} Waiter;

SVM_KERNEL(cost(1, 0))
static void waiter_run(svm_Kernel *kernel)
{
    Waiter *self = (Waiter *)kernel;
    int32_t v = 0;
    if (self->pause)
        svm_kernelPause(kernel);
    svm_streamPop(self->in, &v);
    svm_streamPush(self->out, &v);
}

static void init(Waiter *k, const char *name, svm_Stream *in, svm_Stream *out)
{
    k->in = in;
    k->out = out;
    svm_kernelInit(&k->kernel, &PROC1, waiter_run, name);
}

int main(void)
{
    static Waiter first, second, plain;
    svm_Stream g, there, back;
    int32_t v = 0;
    svm_streamInitRAM(&g, &GMEM, svm_alloc(&GMEM, 4), 1, 4);
    MISUSE("pop from an empty stream", svm_streamPop(&g, &v));
    svm_streamPush(&g, &v);
    MISUSE("push to a full stream", svm_streamPush(&g, &v));
    svm_streamInitRAM(&there, &LMEM1, 0, 1, 4);
    svm_streamInitRAM(&back, &LMEM1, 16, 1, 4);
    init(&first, "first", &there, &back);
    init(&second, "second", &back, &there);
    svm_kernelRun(&first.kernel);
    MISUSE("wait for a kernel that waits for ever", svm_kernelWait(&first.kernel));
    svm_kernelRun(&second.kernel);
    MISUSE("two kernels that wait for each other", svm_kernelWait(&second.kernel));
    svm_kernelEnd(&first.kernel);
    svm_kernelEnd(&second.kernel);
    first.pause = 1;
    svm_kernelAddDependence(&second.kernel, &first.kernel);
    svm_kernelRun(&first.kernel);
    svm_kernelRun(&second.kernel);
    MISUSE("wait behind a paused kernel", svm_kernelWait(&second.kernel));
    svm_kernelEnd(&second.kernel);
    svm_kernelEnd(&first.kernel);
    init(&plain, "plain", &there, &back);
    svm_kernelNeverBlocks(&plain.kernel);
    MISUSE("a pop by a kernel that never blocks", svm_kernelRun(&plain.kernel); svm_kernelWait(&plain.kernel));
    plain.pause = 1;
    MISUSE("a pause of a kernel that never blocks", svm_kernelRun(&plain.kernel); svm_kernelWait(&plain.kernel));
    return 0;
}
