// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows: kernels run in the order that their dependences tell, across processors and DMA engines; a dependence on a
// kernel that was never run is satisfied, and dependences persist from round to round.
// Machine: simple-svm
// Prints:
//   round 1: 32
//   round 2: 167
//   round 3: 842
#include "conform.h"

SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM);
SVM_MEMORY(LMEM1);
SVM_MEMORY(LMEM2);
SVM_PROCESSOR(PROC1);
SVM_PROCESSOR(PROC2);
SVM_PROCESSOR(DMA_ENGINE1);
SVM_PROCESSOR(DMA_ENGINE2);

typedef struct Change {
    svm_Kernel kernel;
    svm_Block *block;
    int32_t factor, add;
} Change;

SVM_KERNEL(cost(2, 0))
static void change_run(svm_Kernel *kernel)
{
    Change *self = (Change *)kernel;
    int32_t *v = svm_blockData(self->block);
    v[0] = v[0] * self->factor + self->add;
}

int main(void)
{
    static Change add, multiply;
    static svm_MoveB2B load, across, store;
    static _Alignas(16) int32_t value = 5; // as engines of a Cell have it: its length is what they refuse
    size_t g = svm_map(&GMEM, &value, sizeof value);
    svm_Block global, one, two;
    svm_blockInit(&global, &GMEM, g, 1, 4);
    svm_blockInit(&one, &LMEM1, 0, 1, 4);
    svm_blockInit(&two, &LMEM2, 0, 1, 4);
    add = (Change){.block = &one, .factor = 1, .add = 1};
    multiply = (Change){.block = &two, .factor = 5, .add = 2};
    svm_kernelInit(&add.kernel, &PROC1, change_run, "add");
    svm_kernelInit(&multiply.kernel, &PROC2, change_run, "multiply");
    svm_moveB2BInit(&load, &DMA_ENGINE1, &global, &one);
    svm_moveB2BInit(&across, &DMA_ENGINE2, &one, &two);
    svm_moveB2BInit(&store, &DMA_ENGINE1, &two, &global);
    svm_kernelAddDependence(&load.kernel, &store.kernel); // the store of the round before
    svm_kernelAddDependence(&add.kernel, &load.kernel);
    svm_kernelAddDependence(&add.kernel, &load.kernel); // twice is the same as once
    svm_kernelAddDependence(&across.kernel, &add.kernel);
    svm_kernelAddDependence(&multiply.kernel, &across.kernel);
    svm_kernelAddDependence(&store.kernel, &multiply.kernel);
    for (int round = 1; round <= 3; round++) {
        svm_kernelRun(&load.kernel);
        svm_kernelRun(&add.kernel);
        svm_kernelRun(&across.kernel);
        svm_kernelRun(&multiply.kernel);
        svm_kernelRun(&store.kernel);
        svm_kernelWait(&store.kernel);
        printf("round %d: %d\n", round, value); // (value + 1) * 5 + 2
    }
    svm_unmap(&GMEM, g);
    return 0;
}
