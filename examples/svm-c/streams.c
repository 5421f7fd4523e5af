// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The SVM paper's example (table 1, right): a picture is filtered and compressed 4:1, space-multiplexed with streaming
// DMA. One stream processor filters and the other compresses, at the same time; no stream holds the whole picture but
// those in global memory.
//     streams in.pgm out.pgm
// Against the table: compressS is in the local memory of PROC2, whose kernel fills it; svm_streamInit has the name that
// the paper's text gives it; inputS is told that the picture is in it (svm_streamFill); a move takes its streams'
// addresses. DMA_ENGINE1 runs load and move at once: whenever one must wait for its streams the other goes on.
#include <svm/svm.h>

#include "picture.h"

SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM);
SVM_MEMORY(LMEM1);
SVM_MEMORY(LMEM2);
SVM_PROCESSOR(PROC0);
SVM_PROCESSOR(PROC1);
SVM_PROCESSOR(PROC2);
SVM_PROCESSOR(DMA_ENGINE1);
SVM_PROCESSOR(DMA_ENGINE2);

enum {
    BUFSZ = 1000, // pixels in a stream's local buffer; need not be whole rows
    LADDR1 = 0,
    LADDR2 = BUFSZ * PIXSZ,
};

typedef struct Filter {
    svm_Kernel kernel;
    svm_Stream *in, *out;
} Filter;

typedef struct Compressor {
    svm_Kernel kernel;
    svm_Stream *in, *out;
} Compressor;

// All objects of one run.
typedef struct Instance {
    uint8_t input[IMG_SZ], output[IMG_SZ / 4];
    svm_Stream inputS;      // the picture, in global memory
    svm_Stream unfilterS;   // for the filter
    svm_Stream filterS;     // from it
    svm_Stream uncompressS; // the same for the compressor
    svm_Stream compressS;   // from it
    svm_Stream outputS;     // the result, in global memory
    svm_MoveS2S load;
    Filter filter;
    svm_MoveS2S move;
    Compressor compressor;
    svm_MoveS2S store;
} Instance;

SVM_KERNEL(estimate(600, 12))
static void filter_run(svm_Kernel *kernel)
{
    Filter *self = (Filter *)kernel;
    svm_Stream *in = self->in, *out = self->out;
    for (ptrdiff_t y = 0; y < HEIGHT; y++) {
        uint8_t row[WIDTH + 2 * BORDER];
        for (ptrdiff_t x = 0; x < WIDTH; x++)
            svm_streamPop(in, &row[BORDER + x]);
        extend_row(row);
        for (ptrdiff_t x = 0; x < WIDTH; x++) {
            uint8_t pixel;
            filter_fire(row + x, &pixel);
            svm_streamPush(out, &pixel);
        }
    }
}

SVM_KERNEL(estimate(0, 12))
static void compressor_run(svm_Kernel *kernel)
{
    Compressor *self = (Compressor *)kernel;
    svm_Stream *in = self->in, *out = self->out;
    for (ptrdiff_t y = 0; y < HEIGHT / 2; y++) {
        uint8_t rows[2][WIDTH];
        for (ptrdiff_t i = 0; i < 2; i++)
            for (ptrdiff_t x = 0; x < WIDTH; x++)
                svm_streamPop(in, &rows[i][x]);
        for (ptrdiff_t x = 0; x < WIDTH; x += 2) {
            uint8_t pixel;
            compress_fire(&rows[0][x], &rows[1][x], &pixel);
            svm_streamPush(out, &pixel);
        }
    }
}

static void filterInit(Filter *k, mm_Proc processor, svm_Stream *in, svm_Stream *out)
{
    k->in = in;
    k->out = out;
    svm_kernelInit(&k->kernel, processor, filter_run, "filter");
}

static void compressorInit(Compressor *k, mm_Proc processor, svm_Stream *in, svm_Stream *out)
{
    k->in = in;
    k->out = out;
    svm_kernelInit(&k->kernel, processor, compressor_run, "compressor");
}

SVM_CONTROL(PROC0)
static int control(Instance *self)
{
    size_t gin = svm_map(&GMEM, self->input, IMG_SZ * PIXSZ);
    size_t gout = svm_map(&GMEM, self->output, IMG_SZ / 4 * PIXSZ);

    // Streams. Those in local memories hold just some of the picture.
    svm_streamInitRAM(&self->inputS, &GMEM, gin, IMG_SZ, PIXSZ);
    svm_streamFill(&self->inputS, IMG_SZ);
    svm_streamInitRAM(&self->unfilterS, &LMEM1, LADDR1, BUFSZ, PIXSZ);
    svm_streamInitRAM(&self->filterS, &LMEM1, LADDR2, BUFSZ, PIXSZ);
    svm_streamInitRAM(&self->uncompressS, &LMEM2, LADDR1, BUFSZ, PIXSZ);
    svm_streamInitRAM(&self->compressS, &LMEM2, LADDR2, BUFSZ / 4, PIXSZ);
    svm_streamInitRAM(&self->outputS, &GMEM, gout, IMG_SZ / 4, PIXSZ);

    // Load the picture into the first processor's memory.
    svm_moveS2SInit(&self->load, &DMA_ENGINE1, &self->inputS, &self->unfilterS, IMG_SZ);
    svm_kernelRun(&self->load.kernel);

    // Filter it there.
    filterInit(&self->filter, &PROC1, &self->unfilterS, &self->filterS);
    svm_kernelRun(&self->filter.kernel);

    // Move it to the second processor's memory.
    svm_moveS2SInit(&self->move, &DMA_ENGINE1, &self->filterS, &self->uncompressS, IMG_SZ);
    svm_kernelRun(&self->move.kernel);

    // Compress it there.
    compressorInit(&self->compressor, &PROC2, &self->uncompressS, &self->compressS);
    svm_kernelRun(&self->compressor.kernel);

    // Store it in global memory.
    svm_moveS2SInit(&self->store, &DMA_ENGINE2, &self->compressS, &self->outputS, IMG_SZ / 4);
    svm_kernelRun(&self->store.kernel);
    svm_kernelWait(&self->store.kernel);

    svm_unmap(&GMEM, gin);
    svm_unmap(&GMEM, gout);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: %s in.pgm out.pgm\n", argv[0]);
        return 2;
    }
    static Instance instance;
    return read_picture(argv[1], instance.input) || control(&instance) || write_picture(argv[2], instance.output);
}
