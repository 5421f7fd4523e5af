// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows: control threads on one control processor: they start and are joined, meet at a barrier, take turns under a
// mutex, wait for a condition, and each runs its own kernels.
// Machine: simple-svm
// Prints:
//   joined: 10 11 12
//   summed by three threads: 60
//   one was the last at each barrier: yes
//   in turns: 0 1 2 0 1 2
#include "conform.h"

#include <svm/threads.h>

SVM_MACHINE("simple-svm");
SVM_MEMORY(LMEM1);
SVM_PROCESSOR(PROC0);
SVM_PROCESSOR(PROC1);

enum { THREADS = 3, ROUNDS = 2 };

typedef struct Add {
    svm_Kernel kernel;
    int32_t add, sum;
} Add;

typedef struct Shared {
    svm_Barrier barrier;
    svm_Mutex mutex;
    svm_Condition changed;
    int32_t sum, last, turn;
    char turns[64];
} Shared;

typedef struct Worker {
    svm_Thread thread;
    Shared *shared;
    int number;
    Add add;
} Worker;

SVM_KERNEL(cost(1, 0))
static void add_run(svm_Kernel *kernel)
{
    Add *self = (Add *)kernel;
    self->sum += self->add;
}

static int work(void *argument)
{
    Worker *self = argument;
    Shared *shared = self->shared;
    svm_kernelInit(&self->add.kernel, &PROC1, add_run, "add");
    self->add.add = 10 * (self->number + 1);
    svm_kernelRun(&self->add.kernel);
    svm_kernelWait(&self->add.kernel);
    svm_mutexLock(&shared->mutex);
    shared->sum += self->add.sum;
    svm_mutexUnlock(&shared->mutex);
    for (int round = 0; round < ROUNDS; round++) {
        if (svm_barrierWait(&shared->barrier)) {
            svm_mutexLock(&shared->mutex);
            shared->last++;
            svm_mutexUnlock(&shared->mutex);
        }
        // In turns, by their numbers.
        svm_mutexLock(&shared->mutex);
        while (shared->turn % THREADS != self->number)
            svm_conditionWait(&shared->changed, &shared->mutex);
        snprintf(shared->turns + strlen(shared->turns), 4, " %d", self->number);
        shared->turn++;
        if (shared->turn % 2)
            svm_conditionBroadcast(&shared->changed);
        else
            for (int i = 0; i < THREADS; i++)
                svm_conditionSignal(&shared->changed);
        svm_mutexUnlock(&shared->mutex);
    }
    svm_kernelDestroy(&self->add.kernel);
    return 10 + self->number;
}

int main(void)
{
    static Shared shared;
    static Worker workers[THREADS];
    svm_barrierInit(&shared.barrier, THREADS, "barrier");
    svm_mutexInit(&shared.mutex, "mutex");
    svm_conditionInit(&shared.changed, "changed");
    for (int i = 0; i < THREADS; i++) {
        workers[i].shared = &shared;
        workers[i].number = i;
        svm_threadCreate(&workers[i].thread, &PROC0, work, &workers[i], "worker");
    }
    printf("joined:");
    for (int i = 0; i < THREADS; i++)
        printf(" %d", svm_threadJoin(&workers[i].thread));
    printf("\nsummed by three threads: %d\n", shared.sum);
    printf("one was the last at each barrier: %s\n", shared.last == ROUNDS ? "yes" : "no");
    printf("in turns:%s\n", shared.turns);
    svm_conditionDestroy(&shared.changed);
    svm_mutexDestroy(&shared.mutex);
    svm_barrierDestroy(&shared.barrier);
    return 0;
}
