// Machines side by side: each has its own local memory, kernels and order of logs, whichever thread uses it; a thread's own machine
// goes with it.
// RUN: %host -o %t && %t
// RUN: %host-asan -o %t && %t
// RUN: %host-tsan -o %t && %t
#include <pthread.h>

#include "check.h"

SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM);
SVM_MEMORY(LMEM1);
SVM_PROCESSOR(PROC1);
SVM_PROCESSOR(DMA_ENGINE1);

typedef struct Sum {
    svm_Kernel kernel;
    svm_Stream *in;
    int total;
} Sum;

typedef struct Instance {
    svm_Machine *machine;
    svm_Block source;
    svm_Stream queue;
    svm_MoveB2S load;
    Sum sum;
} Instance;

enum { COUNT = 100 };

static void add(svm_Kernel *k)
{
    Sum *self = (Sum *)k;
    for (int i = 0; i < COUNT; i++) {
        int v;
        svm_streamPop(self->in, &v);
        self->total += v;
    }
}

static Instance *create(int first, bool own)
{
    Instance *self = calloc(1, sizeof *self);
    self->machine = own ? NULL : svm_machineCreate();
    svm_Machine *before = svm_machineUse(self->machine);
    svm_blockInit(&self->source, &GMEM, svm_alloc(&GMEM, COUNT * 4), COUNT, 4);
    svm_streamInitRAM(&self->queue, &LMEM1, 0, 7, 4); // the same addresses in every instance
    svm_moveB2SInit(&self->load, &DMA_ENGINE1, &self->source, &self->queue);
    svm_kernelInit(&self->sum.kernel, &PROC1, add, "sum");
    self->sum.in = &self->queue;
    for (int i = 0; i < COUNT; i++)
        ((int *)svm_blockData(&self->source))[i] = first + i;
    svm_machineUse(before);
    return self;
}

static void start(Instance *self)
{
    svm_kernelRun(&self->sum.kernel);
    svm_kernelRun(&self->load.kernel);
}

static void finish(Instance *self, int first)
{
    svm_kernelWait(&self->sum.kernel);
    CHECK(self->sum.total == COUNT * first + COUNT * (COUNT - 1) / 2);
    self->sum.total = 0;
}

static void destroy(Instance *self)
{
    svm_machineDestroy(self->machine);
    free(self);
}

static void *thread(void *argument)
{
    int first = *(int *)argument;
    for (int round = 0; round < 20; round++) {
        Instance *self = create(first, round % 2);
        start(self);
        finish(self, first);
        if (round % 2) { // on the thread's own machine, which it keeps
            svm_kernelWait(&self->load.kernel);
            svm_kernelDestroy(&self->load.kernel);
            svm_kernelDestroy(&self->sum.kernel);
            svm_streamDestroy(&self->queue); // its memory is the next one's
            svm_free(&GMEM, self->source.address);
            free(self);
        } else {
            destroy(self);
        }
    }
    return NULL;
}

static void *useElsewhere(void *argument)
{
    Instance *self = argument;
    finish(self, 5);
    start(self);
    finish(self, 5);
    return NULL;
}

int main(void)
{
    // Interleaved on one thread.
    Instance *a = create(1, false), *b = create(1000, false);
    CHECK(a->queue.data != b->queue.data && a->queue.address == b->queue.address);
    for (int round = 0; round < 3; round++) {
        start(a);
        start(b);
        finish(a, 1);
        finish(b, 1000);
    }
    // What waits in one is no business of the other.
    svm_kernelRun(&a->sum.kernel);
    start(b);
    finish(b, 1000);
    EXPECT("deadlock", "sum", svm_kernelWait(&a->sum.kernel));
    svm_machineUse(a->machine);
    destroy(a); // with a kernel that waits, and in use
    CHECK(svm_machineUse(NULL) == NULL);
    destroy(b);

    // Two threads.
    pthread_t threads[2];
    int firsts[2] = {3, 77};
    for (int i = 0; i < 2; i++)
        CHECK(pthread_create(&threads[i], NULL, thread, &firsts[i]) == 0);
    for (int i = 0; i < 2; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);

    // Started by one thread, with a kernel in the middle of its work, and finished by another.
    Instance *c = create(5, false);
    svm_kernelRun(&c->sum.kernel);
    svm_Kernel *sum = &c->sum.kernel;
    EXPECT("deadlock", "sum", svm_kernelWait(sum));
    CHECK(sum->state == SVM_BLOCKED);
    svm_kernelRun(&c->load.kernel);
    CHECK(pthread_create(&threads[0], NULL, useElsewhere, c) == 0 && pthread_join(threads[0], NULL) == 0);
    destroy(c);
    return 0;
}
