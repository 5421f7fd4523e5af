// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows: a kernel on a processor that cannot run it is bad-processor, running or changing a pending one pending,
// waiting for one that was never run never-run.
// Machine: simple-svm
// Prints:
//   kernel on a control processor: bad-processor
//   kernel on a DMA engine: bad-processor
//   move on a kernel processor: bad-processor
//   wait before a run: never-run
//   wait for several, one never run: never-run
//   pause before a run: never-run
//   end before a run: never-run
//   run of a pending kernel: pending
//   init of a pending kernel: pending
//   destroy of a pending kernel: pending
//   run of a pending move: pending
#include "conform.h"

SVM_MACHINE("simple-svm");
SVM_MEMORY(LMEM1);
SVM_PROCESSOR(PROC0);
SVM_PROCESSOR(PROC1);
SVM_PROCESSOR(DMA_ENGINE1);

typedef struct Taker {
    svm_Kernel kernel;
    svm_Stream *in;
} Taker;

SVM_KERNEL(cost(1, 0))
static void taker_run(svm_Kernel *kernel)
{
    svm_streamPop(((Taker *)kernel)->in, NULL);
}

int main(void)
{
    static Taker taker, done;
    static svm_MoveS2B move;
    svm_Stream s, t;
    svm_Block b;
    mm_Proc control = &PROC0, dma = &DMA_ENGINE1, kernel = &PROC1;
    svm_streamInitRAM(&s, &LMEM1, 0, 1, 4);
    svm_streamInitRAM(&t, &LMEM1, 16, 1, 4);
    svm_streamFill(&t, 1);
    svm_blockInit(&b, &LMEM1, 32, 1, 4);
    MISUSE("kernel on a control processor", svm_kernelInit(&taker.kernel, control, taker_run, "taker"));
    MISUSE("kernel on a DMA engine", svm_kernelInit(&taker.kernel, dma, taker_run, "taker"));
    MISUSE("move on a kernel processor", svm_moveS2BInit(&move, kernel, &s, &b));
    taker.in = &s;
    done.in = &t;
    svm_kernelInit(&taker.kernel, &PROC1, taker_run, "taker");
    svm_kernelInit(&done.kernel, &PROC1, taker_run, "done");
    svm_kernelRun(&done.kernel);
    MISUSE("wait before a run", svm_kernelWait(&taker.kernel));
    svm_Kernel *both[] = {&done.kernel, &taker.kernel};
    MISUSE("wait for several, one never run", svm_kernelWaitMultiple(2, both));
    MISUSE("pause before a run", svm_kernelPause(&taker.kernel));
    MISUSE("end before a run", svm_kernelEnd(&taker.kernel));
    svm_kernelRun(&taker.kernel);
    MISUSE("run of a pending kernel", svm_kernelRun(&taker.kernel));
    MISUSE("init of a pending kernel", svm_kernelInit(&taker.kernel, &PROC1, taker_run, "again"));
    MISUSE("destroy of a pending kernel", svm_kernelDestroy(&taker.kernel));
    svm_kernelEnd(&taker.kernel);
    svm_moveS2BInit(&move, &DMA_ENGINE1, &s, &b);
    svm_kernelRun(&move.kernel);
    MISUSE("run of a pending move", svm_kernelRun(&move.kernel));
    return 0;
}
