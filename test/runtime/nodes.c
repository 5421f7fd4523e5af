// Several nodes: an SPMD start, global addresses, loads and stores of other nodes' memory, sends and receives, reductions, against
// values worked out by hand.
// RUN: %host -o %t && %t
// RUN: %host-gcc -o %t && %t
// RUN: %host-asan -o %t && %t
// RUN: %host-tsan -o %t && %t
#include "svm/nodes.h"
#include "check.h"

SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM);
SVM_MEMORY(LMEM1);
SVM_PROCESSOR(PROC0);
SVM_PROCESSOR(PROC1);
SVM_PROCESSOR(DMA_ENGINE1);

enum { NODES = 5 };

static void setUp(svm_StreamUnit *u)
{
    svm_streamUnitInit(u, &PROC1, &DMA_ENGINE1, &GMEM, &LMEM1, 4, 4, 4);
}

static svm_StreamMemReg dense(size_t address, size_t length)
{
    return (svm_StreamMemReg){SVM_STRIDED_STREAM, 1, address, 1, length, 0, SVM_REPLACE};
}

// ---- Starting ----

typedef struct Called {
    int32_t by[NODES];
    svm_Machine *machines[NODES];
} Called;

static int start(svm_Node *self, void *argument)
{
    Called *called = argument;
    CHECK(self->count == NODES && self->id < NODES && self->segmentBytes == 64);
    called->by[self->id] += 1;
    called->machines[self->id] = self->machine;
    CHECK(svm_machineUse(self->machine) == self->machine); // it is in use
    return self->id >= 3 ? (int)self->id : 0;
}

static int alone(svm_Node *self, void *argument)
{
    int32_t v = 7;
    CHECK(self->count == 1 && self->id == 0 && argument == NULL);
    svm_nodeBarrier(self);
    svm_MemFlush(self);
    CHECK(svm_Reduce(self, SVM_ADD_INT32, v) == 7);
    svm_ReduceTo(self, 0, SVM_ADD_INT32, &v, &v, 1);
    svm_reduceSynch(self, svm_ReduceStart(self, SVM_MAX_INT32, &v, &v, 1));
    CHECK(v == 7);
    return 0;
}

static void starting(void)
{
    Called called = {{0}, {NULL}};
    CHECK(svm_SpawnParallelCThreads(NODES, &PROC0, &GMEM, 64, start, &called) == 3); // the first that is not 0
    for (int i = 0; i < NODES; i++) {
        CHECK(called.by[i] == 1);
        for (int j = 0; j < i; j++)
            CHECK(called.machines[i] != called.machines[j]);
    }
    CHECK(svm_SpawnParallelCThreads(1, &PROC0, &GMEM, 0, alone, NULL) == 0);
}

// ---- Naming ----

static void naming(void)
{
    // 16-byte pieces dealt out to 4 nodes: address 100 is byte 4 of piece 6, which is the second of node 2.
    svm_GlobalAddress a = svm_globalAddress(100, 4, 2);
    CHECK(a.node == 2 && a.offset == 20);
    CHECK(svm_virtualAddress(a, 4, 2) == 100);
    // The node in the highest bits: its memory is one piece.
    a = svm_globalAddress((UINT64_C(3) << 40) + 12345, 40, 4);
    CHECK(a.node == 3 && a.offset == 12345);
    // In the lowest: bytes.
    a = svm_globalAddress(13, 0, 3);
    CHECK(a.node == 5 && a.offset == 1);
    for (uint64_t v = 0; v < 4096; v++)
        for (unsigned position = 0; position < 8; position++)
            CHECK(svm_virtualAddress(svm_globalAddress(v, position, 3), position, 3) == v);
}

// ---- Other nodes' memory: each node writes to its right neighbour and reads from its left one ----

SVM_KERNEL(cost(0, 1)) static void number(svm_Kernel *k)
{
    for (int32_t i = 0; !svm_Full(k, 0); i++) {
        int32_t x = 100 * svm_parameter(k, 0) + i;
        svm_srfWrite(k, 0, &x);
    }
}

static int neighbours(svm_Node *self, void *argument)
{
    (void)argument;
    svm_StreamUnit unit, *u = &unit;
    setUp(u);
    size_t right = (self->id + 1) % self->count, left = (self->id + self->count - 1) % self->count;
    // Words 4 to 7 of the right one's segment become 100 * id + 0 to 3.
    u->StreamSRF_RF[0] = (svm_StreamSRFReg){0, 1, 4};
    u->StreamMemRF[0] = dense(svm_nodeAddress(self, (svm_GlobalAddress){right, 16}, 16), 4);
    u->KernelParamRf[0] = (int32_t)self->id;
    svm_Fence f = svm_KernelStart(u, number, 0, SVM_NO_STREAMS, SVM_STREAMS(0), 0);
    svm_synch(u, svm_StreamStore(u, 0, 0, 1, f));
    svm_MemFlush(self);
    svm_nodeBarrier(self);
    // Its own, written by the left one; and the left one's, written by the one left of that.
    const int32_t *mine = (const int32_t *)(uintptr_t)self->segment;
    for (int32_t i = 0; i < 4; i++)
        CHECK(mine[i] == 0 && mine[4 + i] == 100 * (int32_t)left + i);
    u->StreamMemRF[1] = dense(svm_nodeAddress(self, (svm_GlobalAddress){left, 16}, 16), 4);
    u->StreamMemRF[2] = dense(svm_nodeAddress(self, (svm_GlobalAddress){self->id, 32}, 16), 4);
    CHECK(u->StreamMemRF[2].stream_ptr == self->segment + 32);
    u->StreamSRF_RF[1] = (svm_StreamSRFReg){16, 1, 4};
    f = svm_StreamLoad(u, 1, 1, 0);
    svm_synch(u, svm_StreamStore(u, 2, 1, 1, f));
    int32_t beyond = (int32_t)((left + self->count - 1) % self->count);
    for (int32_t i = 0; i < 4; i++)
        CHECK(mine[8 + i] == 100 * beyond + i);
    svm_nodeBarrier(self); // nobody ends while others look
    svm_streamUnitDestroy(u);
    return 0;
}

// ---- Sends and receives: around the ring, twice with each tag ----

static int ring(svm_Node *self, void *argument)
{
    (void)argument;
    svm_StreamUnit unit, *u = &unit;
    setUp(u);
    size_t right = (self->id + 1) % self->count, left = (self->id + self->count - 1) % self->count;
    u->StreamSRF_RF[0] = (svm_StreamSRFReg){0, 1, 3};
    u->StreamSRF_RF[1] = (svm_StreamSRFReg){64, 1, 5}; // room for more than comes
    u->StreamMemRF[0] = dense(self->segment, 3);
    for (int32_t round = 0; round < 4; round++) {
        u->KernelParamRf[0] = 10 * round + (int32_t)self->id;
        svm_Fence made = svm_KernelStart(u, number, 0, SVM_NO_STREAMS, SVM_STREAMS(0), 0), sent, received;
        if (self->id == 0) { // one has to begin
            sent = svm_StreamSend(self, u, right, round / 2, 0, 1, made);
            received = svm_StreamReceive(self, u, left, round / 2, 1, 0);
        } else {
            received = svm_StreamReceiveAfter(self, u, left, round / 2, 1, 0, NULL);
            sent = svm_StreamSendAfter(self, u, right, round / 2, 0, 1, &made);
        }
        CHECK(svm_query(u, sent) && svm_query(u, received) && svm_streamRecords(u, 1) == 3);
        svm_synch(u, svm_StreamStore(u, 0, 1, 1, received));
        const int32_t *mine = (const int32_t *)(uintptr_t)self->segment;
        for (int32_t i = 0; i < 3; i++)
            CHECK(mine[i] == 100 * (10 * round + (int32_t)left) + i);
    }
    svm_streamUnitDestroy(u);
    return 0;
}

// Tags tell messages apart whatever their order; no records are a message too.
static int tags(svm_Node *self, void *argument)
{
    (void)argument;
    svm_StreamUnit unit, *u = &unit;
    setUp(u);
    u->StreamSRF_RF[0] = (svm_StreamSRFReg){0, 1, 1};
    u->StreamSRF_RF[1] = (svm_StreamSRFReg){4, 1, 0};
    u->StreamMemRF[0] = dense(self->segment, 1);
    if (self->id < 2) { // both send to node 2, with the same tag
        u->KernelParamRf[0] = (int32_t)self->id + 1;
        svm_Fence made = svm_KernelStart(u, number, 0, SVM_NO_STREAMS, SVM_STREAMS(0), 0);
        svm_StreamSend(self, u, 2, -5, 0, 1, made);
        svm_StreamSend(self, u, 2, 6, 1, 0);
    } else if (self->id == 2) {
        for (size_t from = 2; from-- > 0;) {
            svm_Fence f = svm_StreamReceive(self, u, from, -5, 0, 0);
            svm_synch(u, svm_StreamStore(u, 0, 0, 1, f));
            CHECK(*(const int32_t *)(uintptr_t)self->segment == 100 * ((int32_t)from + 1));
            svm_StreamReceive(self, u, from, 6, 0, 0);
            CHECK(svm_streamRecords(u, 0) == 0);
        }
    }
    svm_streamUnitDestroy(u);
    return 0;
}

// ---- Reductions ----

static int reductions(svm_Node *self, void *argument)
{
    (void)argument;
    int32_t id = (int32_t)self->id;
    CHECK(svm_Reduce(self, SVM_REDUCTION_ADD_INT, id + 1) == 15); // 1 + 2 + 3 + 4 + 5
    CHECK(svm_Reduce(self, SVM_MIN_INT32, 3 - id) == -1);
    CHECK(svm_Reduce(self, SVM_MAX_INT32, 3 - id) == 3);
    CHECK(svm_ReduceFloat(self, SVM_REDUCTION_ADD_FP, (float)id / 2) == 5);
    CHECK(svm_ReduceFloat(self, SVM_MIN_FLOAT, (float)id) == 0 && svm_ReduceFloat(self, SVM_MAX_FLOAT, (float)id) == 4);
    // A sum that depends on its order: ((v0 + v1) + (v2 + v3)) + v4, every time.
    static const float values[NODES] = {1e8f, 3, -1e8f, 3, 1};
    volatile float left = values[0] + values[1], right = values[2] + values[3], four = left + right;
    for (int i = 0; i < 20; i++)
        CHECK(svm_ReduceFloat(self, SVM_ADD_FLOAT, values[id]) == four + values[4]);
    // Several values, in place.
    double pair[2] = {id, 10 * id};
    svm_ReduceValues(self, SVM_ADD_DOUBLE, pair, pair, 2);
    CHECK(pair[0] == 10 && pair[1] == 100);
    // To one node only.
    int64_t big = INT64_C(1) << (40 + id), sum = -1;
    svm_ReduceTo(self, 3, SVM_ADD_INT64, &big, &sum, 1);
    CHECK(sum == (id == 3 ? INT64_C(31) << 40 : -1));
    // Without blocking: two at once, taken in the other order.
    int32_t a = id, b = 100 + id, low = -1, high = -1;
    svm_Fence first = svm_ReduceStart(self, SVM_MAX_INT32, &a, &high, 1);
    svm_Fence second = svm_ReduceStart(self, SVM_MIN_INT32, &b, &low, 1);
    a = b = 77; // they have been taken
    CHECK(second == first + 1);
    svm_reduceSynch(self, second);
    CHECK(low == 100);
    while (!svm_reduceQuery(self, first))
        svm_MemFlush(self);
    CHECK(high == 4);
    svm_reduceSynch(self, first);
    CHECK(svm_reduceQuery(self, first) && svm_reduceQuery(self, 0));
    svm_ReduceStart(self, SVM_ADD_INT32, &a, &a, 1); // nobody asks for this one
    return 0;
}

int main(void)
{
    starting();
    naming();
    CHECK(svm_SpawnParallelCThreads(NODES, &PROC0, &GMEM, 64, neighbours, NULL) == 0);
    CHECK(svm_SpawnParallelCThreads(NODES, &PROC0, &GMEM, 64, ring, NULL) == 0);
    CHECK(svm_SpawnParallelCThreads(NODES, &PROC0, &GMEM, 64, tags, NULL) == 0);
    CHECK(svm_SpawnParallelCThreads(NODES, &PROC0, &GMEM, 64, reductions, NULL) == 0);
    return 0;
}
