// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A sort as a pipeline through the eight SPEs of a Cell: SPE p merges sorted runs of 2^p numbers, two by two, into runs
// of 2^(p + 1). Behind the last one every run of 256 is sorted.
//     sort in out
// All stages work at the same time on different runs, joined by streams: a kernel pushes into a stream in its own local
// store, and a DMA kernel moves that stream to one in the next local store. The control thread only starts and waits.
//
//     XDR --load--> LS0 [merge 1] LS0 --move--> LS1 [merge 2] LS1 --move--> ... LS7 [merge 128] LS7 --store--> XDR
#include <stdlib.h>
#include <string.h>

#include <svm/svm.h>

#include "files.h"

SVM_MACHINE("cell-qs20");
SVM_MEMORY(XDR);
SVM_MEMORY(LS0);
SVM_MEMORY(LS1);
SVM_MEMORY(LS2);
SVM_MEMORY(LS3);
SVM_MEMORY(LS4);
SVM_MEMORY(LS5);
SVM_MEMORY(LS6);
SVM_MEMORY(LS7);
SVM_PROCESSOR(PPE);
SVM_PROCESSOR(SPE0);
SVM_PROCESSOR(SPE1);
SVM_PROCESSOR(SPE2);
SVM_PROCESSOR(SPE3);
SVM_PROCESSOR(SPE4);
SVM_PROCESSOR(SPE5);
SVM_PROCESSOR(SPE6);
SVM_PROCESSOR(SPE7);
SVM_PROCESSOR(MFC0);
SVM_PROCESSOR(MFC1);
SVM_PROCESSOR(MFC2);
SVM_PROCESSOR(MFC3);
SVM_PROCESSOR(MFC4);
SVM_PROCESSOR(MFC5);
SVM_PROCESSOR(MFC6);
SVM_PROCESSOR(MFC7);

enum {
    N = 16384,
    STAGES = 8,
    RUN = 1 << STAGES, // numbers in a sorted run of the result
    BUFFERED = 256,    // numbers in each stream
    // Addresses in each local store.
    IN = 0,
    OUT = BUFFERED * (int)sizeof(int32_t),
};

typedef struct Merge {
    svm_Kernel kernel;
    svm_Stream *in, *out;
    int32_t run;           // length of the runs that come in
    int32_t held[RUN / 2]; // the first of two runs
} Merge;

typedef struct Instance {
    int32_t numbers[N], sorted[N];
    svm_Block numbersB, sortedB;
    svm_Stream in[STAGES], out[STAGES];
    svm_MoveB2S load;
    Merge merge[STAGES];
    svm_MoveS2S move[STAGES - 1];
    svm_MoveS2B store;
} Instance;

// The first run must be all there before anything can be merged; the second is merged as it comes. A stage has its SPE to
// itself.
SVM_KERNEL(estimate(0, 12), holds_processor)
static void merge_run(svm_Kernel *kernel)
{
    Merge *self = (Merge *)kernel;
    for (int32_t done = 0; done < N; done += 2 * self->run) {
        for (int32_t i = 0; i < self->run; i++)
            svm_streamPop(self->in, &self->held[i]);
        int32_t i = 0, next;
        for (int32_t j = 0; j < self->run; j++) {
            svm_streamPop(self->in, &next);
            while (i < self->run && self->held[i] <= next)
                svm_streamPush(self->out, &self->held[i++]);
            svm_streamPush(self->out, &next);
        }
        while (i < self->run)
            svm_streamPush(self->out, &self->held[i++]);
    }
}

static void mergeInit(Merge *k, mm_Proc processor, svm_Stream *in, svm_Stream *out, int32_t run)
{
    k->in = in;
    k->out = out;
    k->run = run;
    svm_kernelInit(&k->kernel, processor, merge_run, "merge");
}

SVM_CONTROL(PPE)
static int control(Instance *self)
{
    static mm_Proc const spes[STAGES] = {&SPE0, &SPE1, &SPE2, &SPE3, &SPE4, &SPE5, &SPE6, &SPE7};
    static mm_Proc const mfcs[STAGES] = {&MFC0, &MFC1, &MFC2, &MFC3, &MFC4, &MFC5, &MFC6, &MFC7};
    static mm_Mem const stores[STAGES] = {&LS0, &LS1, &LS2, &LS3, &LS4, &LS5, &LS6, &LS7};
    size_t numbers = svm_map(&XDR, self->numbers, sizeof self->numbers);
    size_t sorted = svm_map(&XDR, self->sorted, sizeof self->sorted);
    svm_blockInit(&self->numbersB, &XDR, numbers, N, sizeof(int32_t));
    svm_blockInit(&self->sortedB, &XDR, sorted, N, sizeof(int32_t));
    for (size_t p = 0; p < STAGES; p++) {
        svm_streamInitRAM(&self->in[p], stores[p], IN, BUFFERED, sizeof(int32_t));
        svm_streamInitRAM(&self->out[p], stores[p], OUT, BUFFERED, sizeof(int32_t));
        mergeInit(&self->merge[p], spes[p], &self->in[p], &self->out[p], (int32_t)1 << p);
    }
    svm_moveB2SInit(&self->load, mfcs[0], &self->numbersB, &self->in[0]);
    for (size_t p = 0; p + 1 < STAGES; p++)
        svm_moveS2SInit(&self->move[p], mfcs[p + 1], &self->out[p], &self->in[p + 1], N);
    svm_moveS2BInit(&self->store, mfcs[STAGES - 1], &self->out[STAGES - 1], &self->sortedB);

    svm_kernelRun(&self->load.kernel);
    for (size_t p = 0; p < STAGES; p++) {
        svm_kernelRun(&self->merge[p].kernel);
        svm_kernelRun(p + 1 < STAGES ? &self->move[p].kernel : &self->store.kernel);
    }
    svm_kernelWait(&self->store.kernel);

    for (size_t p = 0; p < STAGES; p++) {
        svm_kernelWait(&self->merge[p].kernel); // it may be about to return yet
        svm_streamDestroy(&self->in[p]);
        svm_streamDestroy(&self->out[p]);
    }
    svm_unmap(&XDR, numbers);
    svm_unmap(&XDR, sorted);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: %s in out\n", argv[0]);
        return 2;
    }
    Instance *self = aligned_alloc(128, (sizeof(Instance) + 127) / 128 * 128);
    if (self == NULL) {
        fprintf(stderr, "error: out of memory\n");
        return 1;
    }
    FILE *f = fopen(argv[1], "rb");
    int failed = read_items(f, argv[1], self->numbers, N, sizeof(int32_t)) || control(self) ||
                 write_items(argv[2], self->sorted, N, sizeof(int32_t));
    if (f != NULL)
        fclose(f);
    free(self);
    return failed;
}
