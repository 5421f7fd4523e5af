// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The SVM paper's example (table 1, left): a picture is filtered and compressed 4:1, time-multiplexed with block DMA.
// Each of the two stream processors runs both kernels, on its half of the picture.
//     blocks in.pgm out.pgm
// Against the table: inputB2 is in GMEM and, like outputB2, begins where the first half ends; a move takes its blocks'
// addresses; svm_kernelWaitMultiple takes a count and an array.
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

// Local addresses: the half picture, which its compressed form replaces, and the filtered one.
enum { LADDR1 = 0, LADDR2 = IMG_SZ / 2 };

typedef struct Filter {
    svm_Kernel kernel;
    svm_Block *in, *out;
} Filter;

typedef struct Compressor {
    svm_Kernel kernel;
    svm_Block *in, *out;
} Compressor;

// All objects of one run.
typedef struct Instance {
    uint8_t input[IMG_SZ], output[IMG_SZ / 4];
    svm_Block inputB1, inputB2;       // halves of the picture, in global memory
    svm_Block unfilterB1, unfilterB2; // the same in local memories
    svm_Block filterB1, filterB2;
    svm_Block compressB1, compressB2;
    svm_Block outputB1, outputB2;
    svm_MoveB2B load1, load2;
    Filter filter1, filter2;
    Compressor compressor1, compressor2;
    svm_MoveB2B store1, store2;
} Instance;

SVM_KERNEL(estimate(600, 10))
static void filter_run(svm_Kernel *kernel)
{
    Filter *self = (Filter *)kernel;
    const uint8_t *in = svm_blockData(self->in);
    uint8_t *out = svm_blockData(self->out);
    for (ptrdiff_t y = 0; y < HEIGHT / 2; y++) {
        uint8_t row[WIDTH + 2 * BORDER];
        for (ptrdiff_t x = 0; x < WIDTH; x++)
            row[BORDER + x] = in[y * WIDTH + x];
        extend_row(row);
        for (ptrdiff_t x = 0; x < WIDTH; x++)
            filter_fire(row + x, out + y * WIDTH + x);
    }
}

SVM_KERNEL(estimate(0, 5))
static void compressor_run(svm_Kernel *kernel)
{
    Compressor *self = (Compressor *)kernel;
    const uint8_t *in = svm_blockData(self->in);
    uint8_t *out = svm_blockData(self->out);
    for (ptrdiff_t y = 0; y < HEIGHT / 4; y++)
        for (ptrdiff_t x = 0; x < WIDTH / 2; x++) {
            const uint8_t *upper = in + 2 * y * WIDTH + 2 * x;
            compress_fire(upper, upper + WIDTH, out + y * (WIDTH / 2) + x);
        }
}

static void filterInit(Filter *k, mm_Proc processor, svm_Block *in, svm_Block *out, const char *name)
{
    k->in = in;
    k->out = out;
    svm_kernelInit(&k->kernel, processor, filter_run, name);
    svm_kernelNeverBlocks(&k->kernel);
}

static void compressorInit(Compressor *k, mm_Proc processor, svm_Block *in, svm_Block *out, const char *name)
{
    k->in = in;
    k->out = out;
    svm_kernelInit(&k->kernel, processor, compressor_run, name);
    svm_kernelNeverBlocks(&k->kernel);
}

SVM_CONTROL(PROC0)
static int control(Instance *self)
{
    size_t gin = svm_map(&GMEM, self->input, IMG_SZ * PIXSZ);
    size_t gout = svm_map(&GMEM, self->output, IMG_SZ / 4 * PIXSZ);

    // Blocks.
    svm_blockInit(&self->inputB1, &GMEM, gin, IMG_SZ / 2, PIXSZ);
    svm_blockInit(&self->inputB2, &GMEM, gin + IMG_SZ / 2 * PIXSZ, IMG_SZ / 2, PIXSZ);
    svm_blockInit(&self->unfilterB1, &LMEM1, LADDR1, IMG_SZ / 2, PIXSZ);
    svm_blockInit(&self->unfilterB2, &LMEM2, LADDR1, IMG_SZ / 2, PIXSZ);
    svm_blockInit(&self->filterB1, &LMEM1, LADDR2, IMG_SZ / 2, PIXSZ);
    svm_blockInit(&self->filterB2, &LMEM2, LADDR2, IMG_SZ / 2, PIXSZ);
    svm_blockInit(&self->compressB1, &LMEM1, LADDR1, IMG_SZ / 8, PIXSZ);
    svm_blockInit(&self->compressB2, &LMEM2, LADDR1, IMG_SZ / 8, PIXSZ);
    svm_blockInit(&self->outputB1, &GMEM, gout, IMG_SZ / 8, PIXSZ);
    svm_blockInit(&self->outputB2, &GMEM, gout + IMG_SZ / 8 * PIXSZ, IMG_SZ / 8, PIXSZ);

    // Load the halves into local memories.
    svm_moveB2BInit(&self->load1, &DMA_ENGINE1, &self->inputB1, &self->unfilterB1);
    svm_moveB2BInit(&self->load2, &DMA_ENGINE2, &self->inputB2, &self->unfilterB2);
    svm_kernelRun(&self->load1.kernel);
    svm_kernelRun(&self->load2.kernel);

    // Filter them when they are there.
    filterInit(&self->filter1, &PROC1, &self->unfilterB1, &self->filterB1, "filter1");
    filterInit(&self->filter2, &PROC2, &self->unfilterB2, &self->filterB2, "filter2");
    svm_kernelAddDependence(&self->filter1.kernel, &self->load1.kernel);
    svm_kernelAddDependence(&self->filter2.kernel, &self->load2.kernel);
    svm_kernelRun(&self->filter1.kernel);
    svm_kernelRun(&self->filter2.kernel);

    // Compress what is filtered.
    compressorInit(&self->compressor1, &PROC1, &self->filterB1, &self->compressB1, "compressor1");
    compressorInit(&self->compressor2, &PROC2, &self->filterB2, &self->compressB2, "compressor2");
    svm_kernelAddDependence(&self->compressor1.kernel, &self->filter1.kernel);
    svm_kernelAddDependence(&self->compressor2.kernel, &self->filter2.kernel);
    svm_kernelRun(&self->compressor1.kernel);
    svm_kernelRun(&self->compressor2.kernel);

    // Store it in global memory.
    svm_moveB2BInit(&self->store1, &DMA_ENGINE1, &self->compressB1, &self->outputB1);
    svm_moveB2BInit(&self->store2, &DMA_ENGINE2, &self->compressB2, &self->outputB2);
    svm_kernelAddDependence(&self->store1.kernel, &self->compressor1.kernel);
    svm_kernelAddDependence(&self->store2.kernel, &self->compressor2.kernel);
    svm_kernelRun(&self->store1.kernel);
    svm_kernelRun(&self->store2.kernel);
    svm_kernelWaitMultiple(2, (svm_Kernel *[]){&self->store1.kernel, &self->store2.kernel});

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
