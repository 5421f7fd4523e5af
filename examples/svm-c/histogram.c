// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The histogram of a picture, on one stream processor: an indexed scatter that adds.
//     histogram in.pgm out.txt
// A scatter has no order that a kernel could keep in its local memory: which bin a pixel belongs to is in the pixel. So
// the kernel makes two streams, bins and weights, and the DMA engine adds each weight to the bin's element in global
// memory. It combines in the order of the indices, so that two pixels of one bin are both counted.
//
//     GMEM picture --load--> pixels --classify--> bins, weights --scatter--> GMEM histogram
#include <svm/svm.h>

#include "picture.h"

SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM);
SVM_MEMORY(LMEM1);
SVM_PROCESSOR(PROC0);
SVM_PROCESSOR(PROC1);
SVM_PROCESSOR(DMA_ENGINE1);
SVM_PROCESSOR(DMA_ENGINE2);

enum {
    BINS = 64,
    SHIFT = 2,      // 256 / BINS values a bin
    BUFFERED = 512, // elements in each stream
    // Local addresses.
    PIXELS = 0,
    INDICES = PIXELS + BUFFERED * (int)PIXSZ,
    WEIGHTS = INDICES + BUFFERED * (int)sizeof(int32_t),
};

typedef struct Classify {
    svm_Kernel kernel;
    svm_Stream *in, *bins, *weights;
} Classify;

typedef struct Instance {
    uint8_t picture[IMG_SZ];
    int32_t histogram[BINS];
    svm_Block pictureB, histogramB;
    svm_Stream pixels, bins, weights;
    svm_MoveB2S load;
    Classify classify;
    svm_ScatterIndexedS2S scatter;
} Instance;

// A pixel's bin, and how much it counts.
SVM_FIRE(stateless, pop(1), push(1), push2(1))
static inline void classify_fire(uint8_t pixel, int32_t *restrict bin, int32_t *restrict weight)
{
    *bin = pixel >> SHIFT;
    *weight = 1;
}

SVM_KERNEL(estimate(10, 6))
static void classify_run(svm_Kernel *kernel)
{
    Classify *self = (Classify *)kernel;
    for (ptrdiff_t i = 0; i < IMG_SZ; i++) {
        uint8_t pixel;
        int32_t bin, weight;
        svm_streamPop(self->in, &pixel);
        classify_fire(pixel, &bin, &weight);
        svm_streamPush(self->bins, &bin);
        svm_streamPush(self->weights, &weight);
    }
}

static void classifyInit(Classify *k, mm_Proc processor, svm_Stream *in, svm_Stream *bins, svm_Stream *weights)
{
    k->in = in;
    k->bins = bins;
    k->weights = weights;
    svm_kernelInit(&k->kernel, processor, classify_run, "classify");
}

SVM_CONTROL(PROC0)
static int control(Instance *self)
{
    size_t picture = svm_map(&GMEM, self->picture, sizeof self->picture);
    size_t histogram = svm_map(&GMEM, self->histogram, sizeof self->histogram);
    svm_blockInit(&self->pictureB, &GMEM, picture, IMG_SZ, PIXSZ);
    svm_blockInit(&self->histogramB, &GMEM, histogram, BINS, sizeof(int32_t));
    svm_streamInitRAM(&self->pixels, &LMEM1, PIXELS, BUFFERED, PIXSZ);
    svm_streamInitRAM(&self->bins, &LMEM1, INDICES, BUFFERED, sizeof(int32_t));
    svm_streamInitRAM(&self->weights, &LMEM1, WEIGHTS, BUFFERED, sizeof(int32_t));

    svm_moveB2SInit(&self->load, &DMA_ENGINE1, &self->pictureB, &self->pixels);
    classifyInit(&self->classify, &PROC1, &self->pixels, &self->bins, &self->weights);
    svm_scatterIndexedS2SInit(&self->scatter, &DMA_ENGINE2, &self->weights, &self->bins, &self->histogramB, IMG_SZ);
    self->scatter.combine = SVM_ADD_INT32;

    // All three at once: the streams keep them in step.
    svm_kernelRun(&self->load.kernel);
    svm_kernelRun(&self->classify.kernel);
    svm_kernelRun(&self->scatter.kernel);
    svm_kernelWait(&self->scatter.kernel);

    svm_streamDestroy(&self->pixels);
    svm_streamDestroy(&self->bins);
    svm_streamDestroy(&self->weights);
    svm_unmap(&GMEM, picture);
    svm_unmap(&GMEM, histogram);
    return 0;
}

static int write_histogram(const char *path, const int32_t *histogram)
{
    FILE *f = fopen(path, "w");
    int ok = f != NULL;
    for (int i = 0; ok && i < BINS; i++)
        ok = fprintf(f, "%d %d\n", i << SHIFT, histogram[i]) > 0;
    if (f != NULL && fclose(f) != 0)
        ok = 0;
    if (!ok)
        fprintf(stderr, "error: cannot write '%s'\n", path);
    return !ok;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: %s in.pgm out.txt\n", argv[0]);
        return 2;
    }
    static Instance instance;
    return read_picture(argv[1], instance.picture) || control(&instance) ||
           write_histogram(argv[2], instance.histogram);
}
