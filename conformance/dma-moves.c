// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows: the four moves, between global and local memory, and between local memories; streams are moved in pieces.
// Machine: simple-svm
// Prints:
//   block to block: 1 2 3 4 5 6
//   block to stream to block: 1 2 3 4 5 6
//   through three streams: 1 2 3 4 5 6
#include "conform.h"

SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM);
SVM_MEMORY(LMEM1);
SVM_MEMORY(LMEM2);
SVM_PROCESSOR(DMA_ENGINE1);
SVM_PROCESSOR(DMA_ENGINE2);

enum { N = 6 };

static void print(const char *what, int32_t *v)
{
    printf("%s:", what);
    for (int i = 0; i < N; i++)
        printf(" %d", v[i]);
    puts("");
    memset(v, 0, N * sizeof *v);
}

int main(void)
{
    static int32_t in[N] = {1, 2, 3, 4, 5, 6}, out[N];
    size_t gin = svm_map(&GMEM, in, sizeof in), gout = svm_map(&GMEM, out, sizeof out);
    svm_Block from, to, one, two;
    svm_Stream a, b, c;
    svm_blockInit(&from, &GMEM, gin, N, 4);
    svm_blockInit(&to, &GMEM, gout, N, 4);
    svm_blockInit(&one, &LMEM1, 0, N, 4);
    svm_blockInit(&two, &LMEM2, 0, N, 4);
    svm_streamInitRAM(&a, &LMEM1, 64, 2, 4);
    svm_streamInitRAM(&b, &LMEM2, 64, 5, 4);
    svm_streamInitRAM(&c, &LMEM1, 128, 1, 4);

    static svm_MoveB2B blocks[3];
    svm_moveB2BInit(&blocks[0], &DMA_ENGINE1, &from, &one);
    svm_moveB2BInit(&blocks[1], &DMA_ENGINE2, &one, &two);
    svm_moveB2BInit(&blocks[2], &DMA_ENGINE1, &two, &to);
    for (int i = 0; i < 3; i++) {
        if (i > 0)
            svm_kernelAddDependence(&blocks[i].kernel, &blocks[i - 1].kernel);
        svm_kernelRun(&blocks[i].kernel);
    }
    svm_kernelWait(&blocks[2].kernel);
    print("block to block", out);

    static svm_MoveB2S push;
    static svm_MoveS2B pop;
    svm_moveB2SInit(&push, &DMA_ENGINE1, &from, &a);
    svm_moveS2BInit(&pop, &DMA_ENGINE2, &a, &to);
    svm_kernelRun(&pop.kernel);
    svm_kernelRun(&push.kernel);
    svm_kernelWait(&pop.kernel);
    print("block to stream to block", out);

    static svm_MoveS2S streams[2];
    svm_moveS2SInit(&streams[0], &DMA_ENGINE1, &a, &b, N);
    svm_moveS2SInit(&streams[1], &DMA_ENGINE1, &b, &c, N);
    svm_moveS2BInit(&pop, &DMA_ENGINE2, &c, &to);
    svm_kernelRun(&pop.kernel);
    svm_kernelRun(&streams[1].kernel);
    svm_kernelRun(&streams[0].kernel);
    svm_kernelRun(&push.kernel);
    svm_kernelWait(&pop.kernel);
    print("through three streams", out);
    return 0;
}
