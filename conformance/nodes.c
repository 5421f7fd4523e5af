// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows: several nodes run one control program: they reduce values, name each other's memory, and send streams from one
// stream register file to another.
// Machine: simple-svm
// Prints:
//   node 0 of 3: sum 6, greatest 3, least 1
//   node 1 of 3: sum 6, greatest 3, least 1
//   node 2 of 3: sum 6, greatest 3, least 1
//   node 0 got 20 21 from node 2
//   node 1 got 0 1 from node 0
//   node 2 got 10 11 from node 1
//   node 0 sees 101 of node 1
//   node 1 sees 102 of node 2
//   node 2 sees 100 of node 0
//   the addresses come back
//   result 7
#include "conform.h"

#include <svm/nodes.h>

SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM);
SVM_MEMORY(LMEM1);
SVM_PROCESSOR(PROC0);
SVM_PROCESSOR(PROC1);
SVM_PROCESSOR(DMA_ENGINE1);

enum { NODES = 3, SEGMENT = 256 };

typedef struct Result {
    int32_t sum, greatest, least, got[2], seen;
} Result;

static int program(svm_Node *self, void *argument)
{
    Result *results = argument, *result = &results[self->id];
    int32_t id = (int32_t)self->id, mine = id + 1;
    result->sum = svm_Reduce(self, SVM_REDUCTION_ADD_INT, mine);
    svm_ReduceValues(self, SVM_MAX_INT32, &mine, &result->greatest, 1);
    svm_Fence reduction = svm_ReduceStart(self, SVM_MIN_INT32, &mine, &result->least, 1);

    // A ring: from the node before to the next one.
    svm_StreamUnit unit;
    svm_Block segment;
    svm_streamUnitInit(&unit, &PROC1, &DMA_ENGINE1, &GMEM, &LMEM1, 0, 0, 0);
    svm_blockInit(&segment, &GMEM, self->segment, SEGMENT / 4, 4);
    int32_t *words = svm_blockData(&segment);
    words[0] = 10 * id;
    words[1] = 10 * id + 1;
    words[8] = 100 + id;
    unit.StreamMemRF[0] = (svm_StreamMemReg){.stream_access_mode = SVM_STRIDED_STREAM,
                                             .stream_stride_or_index = 1,
                                             .stream_ptr = self->segment,
                                             .stream_record_size = 1,
                                             .stream_length = 2};
    unit.StreamMemRF[1] = unit.StreamMemRF[0];
    unit.StreamMemRF[1].stream_ptr = self->segment + 64;
    unit.StreamSRF_RF[0] = (svm_StreamSRFReg){0, 1, 2};
    unit.StreamSRF_RF[1] = (svm_StreamSRFReg){64, 1, 2};
    size_t next = (self->id + 1) % self->count, before = (self->id + self->count - 1) % self->count;
    svm_Fence load = svm_StreamLoad(&unit, 0, 0, 0), received;
    if (self->id == 0) { // one begins, so that they do not all wait to send
        svm_StreamSend(self, &unit, next, 1, 0, 1, load);
        received = svm_StreamReceive(self, &unit, before, 1, 1, 0);
    } else {
        received = svm_StreamReceive(self, &unit, before, 1, 1, 0);
        svm_StreamSend(self, &unit, next, 1, 0, 1, load);
    }
    svm_synch(&unit, svm_StreamStore(&unit, 1, 1, 1, received));
    memcpy(result->got, words + 16, sizeof result->got);

    // The next node's memory, by node and offset.
    svm_MemFlush(self);
    svm_nodeBarrier(self);
    unit.StreamMemRF[2] = unit.StreamMemRF[0];
    unit.StreamMemRF[2].stream_length = 1;
    unit.StreamMemRF[2].stream_ptr = svm_nodeAddress(self, (svm_GlobalAddress){next, 8 * 4}, 4);
    unit.StreamMemRF[3] = unit.StreamMemRF[1];
    unit.StreamMemRF[3].stream_length = 1;
    unit.StreamSRF_RF[2] = (svm_StreamSRFReg){128, 1, 1};
    load = svm_StreamLoad(&unit, 2, 2, 0);
    svm_synch(&unit, svm_StreamStore(&unit, 3, 2, 1, load));
    result->seen = words[16];
    svm_nodeBarrier(self); // nobody ends while others look
    svm_reduceSynch(self, reduction);
    svm_streamUnitDestroy(&unit);
    return self->id == 1 ? 7 : 0;
}

int main(void)
{
    static Result results[NODES];
    int result = svm_SpawnParallelCThreads(NODES, &PROC0, &GMEM, SEGMENT, program, results);
    for (int i = 0; i < NODES; i++)
        printf("node %d of %d: sum %d, greatest %d, least %d\n", i, NODES, results[i].sum, results[i].greatest,
               results[i].least);
    for (int i = 0; i < NODES; i++)
        printf("node %d got %d %d from node %d\n", i, results[i].got[0], results[i].got[1], (i + NODES - 1) % NODES);
    for (int i = 0; i < NODES; i++)
        printf("node %d sees %d of node %d\n", i, results[i].seen, (i + 1) % NODES);
    bool back = true;
    for (uint64_t address = 0; address < 1000; address += 7)
        back = back && svm_virtualAddress(svm_globalAddress(address, 4, 2), 4, 2) == address;
    puts(back ? "the addresses come back" : "the addresses do not come back");
    printf("result %d\n", result);
    return 0;
}
