// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows: two instances of a machine have their own memories and kernels, and objects keep to the one they were
// initialised in.
// Machine: simple-svm
// Prints:
//   first 1 2, second 11 12
//   a new instance is zeroed
#include "conform.h"

SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM);
SVM_MEMORY(LMEM1);
SVM_PROCESSOR(PROC1);
SVM_PROCESSOR(DMA_ENGINE1);

typedef struct Fill {
    svm_Kernel kernel;
    svm_Block *block;
    int32_t first;
} Fill;

typedef struct Instance {
    svm_Machine *machine;
    Fill fill;
    svm_MoveB2B store;
    svm_Block local, global;
    int32_t out[2];
    size_t address;
} Instance;

SVM_KERNEL(cost(0, 1))
static void fill_run(svm_Kernel *kernel)
{
    Fill *self = (Fill *)kernel;
    int32_t *v = svm_blockData(self->block);
    v[0] = self->first;
    v[1] = self->first + 1;
}

static void create(Instance *self, int32_t first)
{
    self->machine = svm_machineCreate();
    svm_Machine *before = svm_machineUse(self->machine);
    self->address = svm_map(&GMEM, self->out, sizeof self->out);
    svm_blockInit(&self->local, &LMEM1, 0, 2, 4);
    svm_blockInit(&self->global, &GMEM, self->address, 2, 4);
    self->fill.block = &self->local;
    self->fill.first = first;
    svm_kernelInit(&self->fill.kernel, &PROC1, fill_run, "fill");
    svm_moveB2BInit(&self->store, &DMA_ENGINE1, &self->local, &self->global);
    svm_kernelAddDependence(&self->store.kernel, &self->fill.kernel);
    svm_machineUse(before);
}

int main(void)
{
    static Instance first, second;
    create(&first, 1);
    create(&second, 11);
    svm_kernelRun(&first.fill.kernel);
    svm_kernelRun(&second.fill.kernel);
    svm_kernelWaitMultiple(2, (svm_Kernel *[]){&first.fill.kernel, &second.fill.kernel});
    svm_kernelRun(&second.store.kernel);
    svm_kernelRun(&first.store.kernel);
    svm_kernelWait(&second.store.kernel);
    svm_kernelWait(&first.store.kernel);
    printf("first %d %d, second %d %d\n", first.out[0], first.out[1], second.out[0], second.out[1]);
    svm_machineDestroy(first.machine);
    svm_machineDestroy(second.machine);

    static Instance third;
    create(&third, 0);
    third.out[0] = third.out[1] = 7;
    svm_kernelRun(&third.store.kernel); // what the local memory holds
    svm_kernelWait(&third.store.kernel);
    puts(third.out[0] == 0 && third.out[1] == 0 ? "a new instance is zeroed" : "a new instance is not zeroed");
    svm_machineDestroy(third.machine);
    return 0;
}
