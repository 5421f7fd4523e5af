// Every misuse of the nodes' calls is reported with its name and the calling line; the nodes go on.
// RUN: %host -o %t && %t
// RUN: %host-gcc -o %t && %t
// RUN: %host-asan -o %t && %t
// RUN: %host-tsan -o %t && %t
#include "check.h"
#include "svm/nodes.h"

SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM);
SVM_MEMORY(LMEM1);
SVM_PROCESSOR(PROC0);
SVM_PROCESSOR(PROC1);
SVM_PROCESSOR(DMA_ENGINE1);

static int nothing(svm_Node *self, void *argument)
{
    (void)self, (void)argument;
    return 0;
}

static void starting(void)
{
    static svm_Processor unknown = {"PROC9", 0, "simple-svm"};
    EXPECT("bad-argument", "", svm_SpawnParallelCThreads(0, &PROC0, &GMEM, 64, nothing, NULL));
    EXPECT("bad-argument", "", svm_SpawnParallelCThreads(2, &PROC0, &GMEM, 64, NULL, NULL));
    EXPECT("bad-processor", "", svm_SpawnParallelCThreads(2, &PROC1, &GMEM, 64, nothing, NULL));
    EXPECT("no-such-name", "PROC9", svm_SpawnParallelCThreads(2, &unknown, &GMEM, 64, nothing, NULL));
    EXPECT("bad-memory", "LMEM1", svm_SpawnParallelCThreads(2, &PROC0, &LMEM1, 64, nothing, NULL));
    EXPECT("out-of-memory", "GMEM", svm_SpawnParallelCThreads(2, &PROC0, &GMEM, (size_t)65 << 20, nothing, NULL));
    EXPECT("bad-argument", "", svm_MemFlush(NULL));
    CHECK(svm_SpawnParallelCThreads(3, &PROC0, &GMEM, 0, nothing, NULL) == 0);
}

// By node 0, while node 1 does nothing.
static int arguments(svm_Node *self, void *argument)
{
    (void)argument;
    if (self->id == 1)
        return 0;
    svm_Node copy = *self;
    int32_t v = 0;
    double d = 0;
    svm_StreamUnit unit, raw, *u = &unit;
    memset(&raw, 0, sizeof raw);
    svm_streamUnitInit(u, &PROC1, &DMA_ENGINE1, &GMEM, &LMEM1, 1, 1, 1);
    u->StreamSRF_RF[0] = (svm_StreamSRFReg){0, 1, 4};
    EXPECT("bad-argument", "", svm_MemFlush(&copy));
    EXPECT("bad-argument", "", svm_nodeBarrier(NULL));
    EXPECT_SAYS("bad-argument", "", "node 2 of 2", __LINE__, svm_nodeAddress(self, (svm_GlobalAddress){2, 0}, 4));
    CHECK(svm_nodeAddress(self, (svm_GlobalAddress){1, 60}, 4));
    EXPECT("address-range", "", svm_nodeAddress(self, (svm_GlobalAddress){1, 61}, 4));
    EXPECT("address-range", "", svm_nodeAddress(self, (svm_GlobalAddress){0, 65}, 0));
    EXPECT("address-range", "", svm_nodeAddress(self, (svm_GlobalAddress){1, 0}, SIZE_MAX));
    EXPECT("bad-argument", "", svm_StreamSend(self, u, 0, 0, 0, 0));
    EXPECT("bad-argument", "", svm_StreamSend(self, u, 7, 0, 0, 0));
    EXPECT("bad-argument", "", svm_StreamReceive(self, u, 0, 0, 0, 0));
    EXPECT("bad-argument", "", svm_StreamReceive(self, u, 1, 0, 1, 0));
    EXPECT("bad-argument", "", svm_StreamReceive(self, &raw, 1, 0, 0, 0));
    EXPECT("bad-argument", "", svm_StreamReceive(self, u, 1, 0, 0, 1));
    EXPECT("bad-argument", "", svm_StreamSend(self, u, 1, 0, 0, 1, 99));
    EXPECT("bad-argument", "", svm_StreamSend(&copy, u, 1, 0, 0, 0));
    EXPECT("bad-argument", "", svm_Reduce(self, SVM_REPLACE, 1));
    EXPECT("bad-argument", "", svm_ReduceFloat(self, (svm_Operation)99, 1));
    EXPECT("size-mismatch", "", svm_Reduce(self, SVM_ADD_DOUBLE, 1));
    EXPECT("size-mismatch", "", svm_ReduceFloat(self, SVM_ADD_INT64, 1));
    EXPECT("bad-argument", "", svm_ReduceValues(self, SVM_ADD_DOUBLE, NULL, &d, 1));
    EXPECT("bad-argument", "", svm_ReduceValues(self, SVM_ADD_DOUBLE, &d, &d, SIZE_MAX / 2));
    EXPECT("bad-argument", "", svm_ReduceStart(self, SVM_ADD_INT32, &v, NULL, 1));
    EXPECT("bad-argument", "", svm_ReduceTo(self, 2, SVM_ADD_INT32, &v, &v, 1));
    EXPECT("bad-argument", "", svm_reduceSynch(self, 1));
    EXPECT("bad-argument", "", svm_reduceQuery(self, 1));
    svm_streamUnitDestroy(u);
    return 0;
}

// What does not match between nodes.
static int matching(svm_Node *self, void *argument)
{
    (void)argument;
    svm_StreamUnit unit, *u = &unit;
    svm_streamUnitInit(u, &PROC1, &DMA_ENGINE1, &GMEM, &LMEM1, 1, 2, 1);
    u->StreamSRF_RF[0] = (svm_StreamSRFReg){0, 1, 4};
    u->StreamSRF_RF[1] = (svm_StreamSRFReg){0, 2, 4};
    static const char room[] = "node 0 sends 4 records of 1 words to node 1, which has room for 3 of 1 words";
    static const char size[] = "node 0 sends 4 records of 2 words to node 1, which has room for 4 of 1 words";
    int32_t v = 1;
    if (self->id == 0) {
        EXPECT_SAYS("size-mismatch", "", room, __LINE__, svm_StreamSend(self, u, 1, 0, 0, 0));
        EXPECT_SAYS("size-mismatch", "", size, __LINE__, svm_StreamSend(self, u, 1, 0, 1, 0));
        svm_Fence f = svm_ReduceStart(self, SVM_ADD_INT32, &v, &v, 1);
        svm_nodeBarrier(self);
        svm_reduceSynch(self, f);
        CHECK(v == 3);
    } else {
        u->StreamSRF_RF[0].stream_length = 3;
        EXPECT_SAYS("size-mismatch", "", room, __LINE__, svm_StreamReceive(self, u, 0, 0, 0, 0));
        u->StreamSRF_RF[0].stream_length = 4;
        EXPECT_SAYS("size-mismatch", "", size, __LINE__, svm_StreamReceive(self, u, 0, 0, 0, 0));
        svm_nodeBarrier(self);
        int32_t two[2] = {0, 0};
        EXPECT("size-mismatch", "", svm_Reduce(self, SVM_MAX_INT32, 2));
        EXPECT("size-mismatch", "", svm_ReduceValues(self, SVM_ADD_INT32, two, two, 2));
        EXPECT("size-mismatch", "", svm_ReduceTo(self, 1, SVM_ADD_INT32, &v, &v, 1));
        CHECK(svm_Reduce(self, SVM_ADD_INT32, 2) == 3);
    }
    svm_streamUnitDestroy(u);
    return 0;
}

// Each waits for the other.
static int crossing(svm_Node *self, void *argument)
{
    (void)argument;
    svm_StreamUnit unit, *u = &unit;
    svm_streamUnitInit(u, &PROC1, &DMA_ENGINE1, &GMEM, &LMEM1, 1, 1, 1);
    u->StreamSRF_RF[0] = (svm_StreamSRFReg){0, 1, 4};
    if (self->id == 0) {
        EXPECT("deadlock", "another node", svm_StreamReceive(self, u, 1, 0, 0, 0));
        svm_StreamSend(self, u, 1, 0, 0, 0);
        EXPECT("deadlock", "another node", svm_nodeBarrier(self));
        EXPECT("deadlock", "another node", svm_StreamSend(self, u, 1, 0, 0, 0)); // this message is withdrawn
        svm_StreamReceive(self, u, 1, 1, 0, 0);
        u->StreamSRF_RF[0].stream_length = 2;
        svm_StreamSend(self, u, 1, 0, 0, 0);
    } else {
        svm_StreamReceive(self, u, 0, 0, 0, 0);
        svm_StreamSend(self, u, 0, 1, 0, 0);
        svm_StreamReceive(self, u, 0, 0, 0, 0);
        CHECK(svm_streamRecords(u, 0) == 2);
    }
    svm_nodeBarrier(self);
    svm_nodeBarrier(self);
    svm_streamUnitDestroy(u);
    return 0;
}

int main(void)
{
    starting();
    CHECK(svm_SpawnParallelCThreads(2, &PROC0, &GMEM, 64, arguments, NULL) == 0);
    CHECK(svm_SpawnParallelCThreads(2, &PROC0, &GMEM, 0, matching, NULL) == 0);
    CHECK(svm_SpawnParallelCThreads(2, &PROC0, &GMEM, 0, crossing, NULL) == 0);
    return 0;
}
