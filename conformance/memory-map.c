// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows: what svm_map makes global memory is the program's own array, for blocks and DMA kernels, also mapped twice.
// Machine: simple-svm
// Prints:
//   the array holds 10 20 30 40
//   through the block 10 21 30 40
//   still mapped 10 21 30 43
#include "conform.h"

SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM);
SVM_MEMORY(LMEM1);
SVM_PROCESSOR(DMA_ENGINE1);

int main(void)
{
    static int32_t in[4] = {10, 20, 30, 40}, out[4];
    size_t gin = svm_map(&GMEM, in, sizeof in), gout = svm_map(&GMEM, out, sizeof out);
    svm_Block from, local, to;
    svm_blockInit(&from, &GMEM, gin, 4, sizeof *in);
    svm_blockInit(&local, &LMEM1, 0, 4, sizeof *in);
    svm_blockInit(&to, &GMEM, gout, 4, sizeof *out);
    static svm_MoveB2B load, store;
    svm_moveB2BInit(&load, &DMA_ENGINE1, &from, &local);
    svm_moveB2BInit(&store, &DMA_ENGINE1, &local, &to);
    svm_kernelAddDependence(&store.kernel, &load.kernel);
    svm_kernelRun(&load.kernel);
    svm_kernelRun(&store.kernel);
    svm_kernelWait(&store.kernel);
    printf("the array holds %d %d %d %d\n", out[0], out[1], out[2], out[3]);

    int32_t v = 21;
    svm_blockWrite(&to, 1, &v);
    printf("through the block %d %d %d %d\n", out[0], out[1], out[2], out[3]);

    size_t again = svm_map(&GMEM, out, sizeof out);
    svm_unmap(&GMEM, gout);
    v = 43;
    svm_blockWrite(&to, 3, &v);
    printf("still mapped %d %d %d %d\n", out[0], out[1], out[2], out[3]);
    svm_unmap(&GMEM, again);
    svm_unmap(&GMEM, gin);
    return 0;
}
