// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Micro-kernels for the parameters of the SVM paper's table 2: what a machine file says, seen from a program.
//
//   what=load bytes=N      a move from global to local memory
//   what=store bytes=N     the way back
//   what=stream bytes=N    a kernel writes a stream in local memory, and one reads it
//   what=multiply count=N  N times 32 products of four vectors
//   what=more count=N      the same with 64 products: the difference is products alone
//   what=block bytes=N     a block of that size in local memory
#include <svm/svm.h>

SVM_MACHINE("ati-9800pro");
SVM_MEMORY(GMEM);
SVM_MEMORY(LMEM0);
SVM_PROCESSOR(CPU);
SVM_PROCESSOR(CORE0);
SVM_PROCESSOR(DMA0);

#include "common.h"

#define ELEMENT 16 // bytes: four floats
#define WIDTH 16   // floats that a kernel multiplies

typedef struct {
    svm_Kernel kernel;
    svm_Stream *stream;
    size_t count;
} Pass;

SVM_KERNEL(cost(0, 0))
static void write_run(svm_Kernel *kernel)
{
    Pass *self = (Pass *)kernel;
    float *to = svm_streamPushAcquire(self->stream, self->count);
    *to = 1;
    svm_streamPushSend(self->stream, self->count);
}

SVM_KERNEL(cost(0, 0))
static void read_run(svm_Kernel *kernel)
{
    Pass *self = (Pass *)kernel;
    svm_streamPopAcquire(self->stream, self->count);
    svm_streamPopDiscard(self->stream, self->count);
}

typedef struct {
    svm_Kernel kernel;
    svm_Block *block;
    size_t count;
} Multiply;

#define PRODUCT                                                                                                        \
    for (int i = 0; i < WIDTH; i++)                                                                                    \
        x[i] *= y[i];
#define PRODUCTS8 PRODUCT PRODUCT PRODUCT PRODUCT PRODUCT PRODUCT PRODUCT PRODUCT
#define PRODUCTS32 PRODUCTS8 PRODUCTS8 PRODUCTS8 PRODUCTS8

// Products in straight lines, so that the loop around them is the same whatever their number.
#define MULTIPLY(name, products)                                                                                       \
    SVM_KERNEL(cost(0, 0))                                                                                             \
    static void name(svm_Kernel *kernel)                                                                               \
    {                                                                                                                  \
        Multiply *self = (Multiply *)kernel;                                                                           \
        float *restrict data = svm_blockData(self->block);                                                             \
        float x[WIDTH], y[WIDTH];                                                                                      \
        for (int i = 0; i < WIDTH; i++)                                                                                \
            x[i] = data[i], y[i] = data[WIDTH + i];                                                                    \
        for (size_t n = 0; n < self->count; n++) {                                                                     \
            products                                                                                                   \
        }                                                                                                              \
        for (int i = 0; i < WIDTH; i++)                                                                                \
            data[i] = x[i];                                                                                            \
    }

MULTIPLY(multiply_run, PRODUCTS32)
MULTIPLY(more_run, PRODUCTS32 PRODUCTS32)

static void run_move(size_t bytes, bool load)
{
    svm_Block global, local;
    svm_MoveB2B move;
    svm_blockInit(&global, &GMEM, svm_alloc(&GMEM, bytes), bytes / ELEMENT, ELEMENT);
    svm_blockInit(&local, &LMEM0, 0, bytes / ELEMENT, ELEMENT);
    svm_moveB2BInit(&move, &DMA0, load ? &global : &local, load ? &local : &global);
    svm_kernelRun(&move.kernel);
    svm_kernelWait(&move.kernel);
}

static void run_stream(size_t bytes)
{
    svm_Stream stream;
    Pass write, read;
    svm_streamInitRAM(&stream, &LMEM0, 0, bytes / ELEMENT, ELEMENT);
    svm_kernelInit(&write.kernel, &CORE0, write_run, "write");
    svm_kernelInit(&read.kernel, &CORE0, read_run, "read");
    write.stream = read.stream = &stream;
    write.count = read.count = bytes / ELEMENT;
    svm_kernelAddDependence(&read.kernel, &write.kernel);
    svm_kernelRun(&write.kernel);
    svm_kernelRun(&read.kernel);
    svm_kernelWait(&read.kernel);
}

static void run_multiply(size_t count, bool more)
{
    svm_Block block;
    Multiply kernel;
    svm_blockInit(&block, &LMEM0, 0, 2 * WIDTH, sizeof(float));
    svm_kernelInit(&kernel.kernel, &CORE0, more ? more_run : multiply_run, "multiply");
    kernel.block = &block;
    kernel.count = count;
    svm_kernelRun(&kernel.kernel);
    svm_kernelWait(&kernel.kernel);
}

static bool is_asked(int argc, char **argv, const char *what)
{
    for (int i = 1; i < argc; i++)
        if (strncmp(argv[i], "what=", 5) == 0 && strcmp(argv[i] + 5, what) == 0)
            return true;
    return false;
}

int main(int argc, char **argv)
{
    size_t bytes = argument(argc, argv, "bytes", 1 << 20), count = argument(argc, argv, "count", 1000);
    if (is_asked(argc, argv, "load") || is_asked(argc, argv, "store")) {
        run_move(bytes, is_asked(argc, argv, "load"));
    } else if (is_asked(argc, argv, "stream")) {
        run_stream(bytes);
    } else if (is_asked(argc, argv, "multiply") || is_asked(argc, argv, "more")) {
        run_multiply(count, is_asked(argc, argv, "more"));
    } else if (is_asked(argc, argv, "block")) {
        svm_Block block;
        svm_blockInit(&block, &LMEM0, 0, bytes / ELEMENT, ELEMENT);
    } else {
        fprintf(stderr, "table2: what=load, store, stream, multiply, more or block\n");
        return 1;
    }
    return 0;
}
