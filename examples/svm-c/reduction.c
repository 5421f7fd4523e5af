// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sum, least and greatest of many numbers, and how many are above their mean, by four control threads: barrier, mutex
// and condition variable.
//     reduction in out.txt
// A Cell's PPE starts a control thread for each of four SPEs. Each thread drives the DMA engine and the kernel of its
// SPE over its quarter of the numbers and adds the result to what is shared, under a mutex. The second pass needs the
// mean of all numbers, so the threads meet at a barrier between the passes; the last to come there computes it. Each
// thread reports when it is done, and the first control thread waits for that on a condition variable.
#include <stdlib.h>

#include <svm/svm.h>

#include "files.h"

SVM_MACHINE("cell-qs20");
SVM_MEMORY(XDR);
SVM_MEMORY(LS0);
SVM_MEMORY(LS1);
SVM_MEMORY(LS2);
SVM_MEMORY(LS3);
SVM_PROCESSOR(PPE);
SVM_PROCESSOR(SPE0);
SVM_PROCESSOR(SPE1);
SVM_PROCESSOR(SPE2);
SVM_PROCESSOR(SPE3);
SVM_PROCESSOR(MFC0);
SVM_PROCESSOR(MFC1);
SVM_PROCESSOR(MFC2);
SVM_PROCESSOR(MFC3);

enum {
    N = 65536,
    THREADS = 4,
    PART = N / THREADS,
    STRIP = 2048, // numbers in the local store at a time
};

// What one pass over some numbers gives.
typedef struct Totals {
    int64_t sum, above;
    int32_t least, greatest;
} Totals;

typedef struct Reduce {
    svm_Kernel kernel;
    svm_Block *in;
    int64_t mean; // numbers above it are counted
    Totals totals;
} Reduce;

typedef struct Shared {
    int32_t numbers[N];
    size_t address;
    svm_Barrier between;
    svm_Mutex mutex;
    svm_Condition finished;
    Totals totals;
    int64_t mean;
    int done; // threads
} Shared;

typedef struct Worker {
    svm_Thread thread;
    Shared *shared;
    mm_Proc spe, mfc;
    mm_Mem store;
    size_t first; // number of its part
    svm_Block global, local;
    svm_MoveB2B load;
    Reduce reduce;
} Worker;

SVM_KERNEL(estimate(0, 4))
static void reduce_run(svm_Kernel *kernel)
{
    Reduce *self = (Reduce *)kernel;
    const int32_t *in = svm_blockData(self->in);
    Totals t = self->totals;
    for (ptrdiff_t i = 0; i < STRIP; i++) {
        t.sum += in[i];
        t.above += in[i] > self->mean;
        t.least = in[i] < t.least ? in[i] : t.least;
        t.greatest = in[i] > t.greatest ? in[i] : t.greatest;
    }
    self->totals = t;
}

// The worker's part, strip by strip.
static Totals pass(Worker *self, int64_t mean)
{
    self->reduce.totals = (Totals){0, 0, INT32_MAX, INT32_MIN};
    self->reduce.mean = mean;
    for (size_t i = 0; i < PART; i += STRIP) {
        svm_blockInit(&self->global, &XDR, self->shared->address + (self->first + i) * sizeof(int32_t), STRIP,
                      sizeof(int32_t));
        svm_kernelRun(&self->load.kernel);
        svm_kernelRun(&self->reduce.kernel);
        svm_kernelWait(&self->reduce.kernel);
    }
    return self->reduce.totals;
}

static int work(void *argument)
{
    Worker *self = argument;
    Shared *shared = self->shared;
    svm_blockInit(&self->global, &XDR, shared->address, STRIP, sizeof(int32_t));
    svm_blockInit(&self->local, self->store, 0, STRIP, sizeof(int32_t));
    svm_moveB2BInit(&self->load, self->mfc, &self->global, &self->local);
    self->reduce.in = &self->local;
    svm_kernelInit(&self->reduce.kernel, self->spe, reduce_run, "reduce");
    svm_kernelNeverBlocks(&self->reduce.kernel);
    svm_kernelAddDependence(&self->reduce.kernel, &self->load.kernel);

    Totals t = pass(self, 0);
    svm_mutexLock(&shared->mutex);
    shared->totals.sum += t.sum;
    shared->totals.least = t.least < shared->totals.least ? t.least : shared->totals.least;
    shared->totals.greatest = t.greatest > shared->totals.greatest ? t.greatest : shared->totals.greatest;
    svm_mutexUnlock(&shared->mutex);

    // Everyone's sum is in; one computes the mean, and nobody goes on before it has.
    if (svm_barrierWait(&shared->between))
        shared->mean = shared->totals.sum / N;
    svm_barrierWait(&shared->between);

    t = pass(self, shared->mean);
    svm_mutexLock(&shared->mutex);
    shared->totals.above += t.above;
    shared->done++;
    svm_conditionSignal(&shared->finished);
    svm_mutexUnlock(&shared->mutex);
    svm_kernelDestroy(&self->load.kernel);
    svm_kernelDestroy(&self->reduce.kernel);
    return 0;
}

SVM_CONTROL(PPE)
static int control(Shared *shared)
{
    static Worker workers[THREADS] = {
        {.spe = &SPE0, .mfc = &MFC0, .store = &LS0},
        {.spe = &SPE1, .mfc = &MFC1, .store = &LS1},
        {.spe = &SPE2, .mfc = &MFC2, .store = &LS2},
        {.spe = &SPE3, .mfc = &MFC3, .store = &LS3},
    };
    shared->address = svm_map(&XDR, shared->numbers, sizeof shared->numbers);
    shared->totals = (Totals){0, 0, INT32_MAX, INT32_MIN};
    shared->done = 0;
    svm_barrierInit(&shared->between, THREADS, "between the passes");
    svm_mutexInit(&shared->mutex, "totals");
    svm_conditionInit(&shared->finished, "a thread has finished");
    for (size_t i = 0; i < THREADS; i++) {
        workers[i].shared = shared;
        workers[i].first = i * PART;
        svm_threadCreate(&workers[i].thread, &PPE, work, &workers[i], "worker");
    }
    svm_mutexLock(&shared->mutex);
    while (shared->done < THREADS)
        svm_conditionWait(&shared->finished, &shared->mutex);
    svm_mutexUnlock(&shared->mutex);

    int failed = 0;
    for (size_t i = 0; i < THREADS; i++)
        failed |= svm_threadJoin(&workers[i].thread);
    svm_conditionDestroy(&shared->finished);
    svm_mutexDestroy(&shared->mutex);
    svm_barrierDestroy(&shared->between);
    svm_unmap(&XDR, shared->address);
    return failed;
}

static int write_totals(const char *path, const Shared *shared)
{
    FILE *f = fopen(path, "w");
    const Totals *t = &shared->totals;
    int ok = f != NULL && fprintf(f, "sum %lld\nleast %d\ngreatest %d\nabove the mean %lld\n", (long long)t->sum,
                                  t->least, t->greatest, (long long)t->above) > 0;
    if (f != NULL && fclose(f) != 0)
        ok = 0;
    if (!ok)
        fprintf(stderr, "error: cannot write '%s'\n", path);
    return !ok;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: %s in out.txt\n", argv[0]);
        return 2;
    }
    Shared *shared = aligned_alloc(128, (sizeof(Shared) + 127) / 128 * 128);
    if (shared == NULL) {
        fprintf(stderr, "error: out of memory\n");
        return 1;
    }
    FILE *f = fopen(argv[1], "rb");
    int failed =
        read_items(f, argv[1], shared->numbers, N, sizeof(int32_t)) || control(shared) || write_totals(argv[2], shared);
    if (f != NULL)
        fclose(f);
    free(shared);
    return failed;
}
