// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows: an address or size that is no multiple of what the memory or the DMA engine works with is alignment.
// Machine: cell-qs20
// Prints:
//   address in a local memory: alignment
//   length of a move: alignment
//   group of a gather: alignment
//   stride of a gather: alignment
//   records of 16 bytes: no error
#include "conform.h"

SVM_MACHINE("cell-qs20");
SVM_MEMORY(XDR);
SVM_MEMORY(LS0);
SVM_PROCESSOR(MFC0);

static void run(svm_Kernel *k)
{
    svm_kernelRun(k);
    svm_kernelWait(k);
}

int main(void)
{
    static svm_Block three, threeThere, many, few;
    static svm_MoveB2B move;
    static svm_GatherStridedB2B gather;
    size_t g = svm_alloc(&XDR, 256), address = 8;
    MISUSE("address in a local memory", svm_blockInit(&three, &LS0, address, 8, 4));
    svm_blockInit(&three, &XDR, g, 3, 4);
    svm_blockInit(&threeThere, &LS0, 0, 3, 4);
    svm_moveB2BInit(&move, &MFC0, &three, &threeThere);
    MISUSE("length of a move", run(&move.kernel));
    svm_blockInit(&many, &XDR, g, 64, 4);
    svm_blockInit(&few, &LS0, 0, 16, 4);
    svm_gatherStridedB2BInit(&gather, &MFC0, &many, &few, 2, 8, 8);
    MISUSE("group of a gather", run(&gather.kernel));
    svm_gatherStridedB2BInit(&gather, &MFC0, &many, &few, 4, 6, 4);
    MISUSE("stride of a gather", run(&gather.kernel));
    svm_gatherStridedB2BInit(&gather, &MFC0, &many, &few, 4, 8, 4);
    MISUSE("records of 16 bytes", run(&gather.kernel));
    return 0;
}
