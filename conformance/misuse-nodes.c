// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows: misuse of nodes: none of them, other nodes that are not there, addresses outside a segment, unequal
// reductions.
// Machine: simple-svm
// Prints:
//   no nodes: bad-argument
//   a control program on a kernel processor: bad-processor
//   a local memory for the segments: bad-memory
//   a segment larger than the memory: out-of-memory
//   address of no node: bad-argument
//   address outside the segment: address-range
//   send to oneself: bad-argument
//   reduction by no operation: bad-argument
//   fence of no reduction: bad-argument
#include "conform.h"

#include <svm/nodes.h>

SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM);
SVM_MEMORY(LMEM1);
SVM_PROCESSOR(PROC0);
SVM_PROCESSOR(PROC1);
SVM_PROCESSOR(DMA_ENGINE1);

static int nothing(svm_Node *self, void *argument)
{
    (void)argument;
    return self == NULL;
}

static int alone(svm_Node *self, void *argument)
{
    svm_StreamUnit unit;
    int32_t v = 1, result;
    (void)argument;
    svm_streamUnitInit(&unit, &PROC1, &DMA_ENGINE1, &GMEM, &LMEM1, 0, 0, 0);
    unit.StreamSRF_RF[0] = (svm_StreamSRFReg){0, 1, 1};
    MISUSE("address of no node", svm_nodeAddress(self, (svm_GlobalAddress){1, 0}, 4));
    MISUSE("address outside the segment", svm_nodeAddress(self, (svm_GlobalAddress){0, 62}, 4));
    MISUSE("send to oneself", svm_StreamSendAfter(self, &unit, 0, 1, 0, 0, NULL));
    MISUSE("reduction by no operation", svm_ReduceValues(self, SVM_REPLACE, &v, &result, 1));
    MISUSE("fence of no reduction", svm_reduceQuery(self, 99));
    svm_streamUnitDestroy(&unit);
    return 0;
}

int main(void)
{
    mm_Proc kernel = &PROC1;
    mm_Mem local = &LMEM1;
    MISUSE("no nodes", svm_SpawnParallelCThreads(0, &PROC0, &GMEM, 64, nothing, NULL));
    MISUSE("a control program on a kernel processor", svm_SpawnParallelCThreads(1, kernel, &GMEM, 64, nothing, NULL));
    MISUSE("a local memory for the segments", svm_SpawnParallelCThreads(1, &PROC0, local, 64, nothing, NULL));
    MISUSE("a segment larger than the memory",
           svm_SpawnParallelCThreads(1, &PROC0, &GMEM, (size_t)65 << 20, nothing, NULL));
    return svm_SpawnParallelCThreads(1, &PROC0, &GMEM, 64, alone, NULL);
}
