// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows: a kernel ends itself, or the control thread ends it while it waits; for dependences and waits an ended run is
// a finished one, and the kernel may run again.
// Machine: simple-svm
// Prints:
//   by itself: ended, dependent ran 1 times
//   by the control thread: ended, dependent ran 2 times
//   again: ended, dependent ran 3 times
#include "conform.h"

SVM_MACHINE("simple-svm");
SVM_MEMORY(LMEM1);
SVM_PROCESSOR(PROC1);

typedef struct Ender {
    svm_Kernel kernel;
    svm_Stream *in;
    int32_t wait, after;
} Ender;

typedef struct Dependent {
    svm_Kernel kernel;
    int32_t runs;
} Dependent;

SVM_KERNEL(cost(1, 0))
static void ender_run(svm_Kernel *kernel)
{
    Ender *self = (Ender *)kernel;
    if (self->wait)
        svm_streamPop(self->in, NULL);
    svm_kernelEnd(kernel);
    self->after++; // not reached
}

SVM_KERNEL(cost(1, 0))
static void dependent_run(svm_Kernel *kernel)
{
    ((Dependent *)kernel)->runs++;
}

int main(void)
{
    static Ender ender;
    static Dependent dependent;
    svm_Stream s;
    svm_streamInitRAM(&s, &LMEM1, 0, 1, 4);
    ender.in = &s;
    svm_kernelInit(&ender.kernel, &PROC1, ender_run, "ender");
    svm_kernelInit(&dependent.kernel, &PROC1, dependent_run, "dependent");
    svm_kernelAddDependence(&dependent.kernel, &ender.kernel);
    static const char *const texts[] = {"by itself", "by the control thread", "again"};
    for (int i = 0; i < 3; i++) {
        ender.wait = i == 1;
        svm_kernelRun(&ender.kernel);
        svm_kernelRun(&dependent.kernel);
        if (ender.wait)
            svm_kernelEnd(&ender.kernel);
        svm_kernelWait(&dependent.kernel);
        svm_kernelWait(&ender.kernel);
        bool ended = ender.kernel.state == SVM_ENDED && ender.after == 0;
        printf("%s: %s, dependent ran %d times\n", texts[i], ended ? "ended" : "not ended", dependent.runs);
    }
    return 0;
}
