// Every misuse of the stream instructions is reported with its name and the calling line, whether it is found when an instruction is
// launched, when it runs, or in a kernel; the unit stays usable.
// RUN: %host -o %t && %t
// RUN: %host-gcc -o %t && %t && env SVM_WORKERS=3 %t beside
// RUN: %host-asan -o %t && %t && env SVM_WORKERS=3 %t beside
#include "check.h"
#include "svm/instructions.h"

SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM);
SVM_MEMORY(LMEM1);
SVM_MEMORY(LMEM2);
SVM_PROCESSOR(PROC1);
SVM_PROCESSOR(PROC2);
SVM_PROCESSOR(DMA_ENGINE1);

static svm_StreamUnit unit, *const u = &unit;
static int32_t array[16];
static size_t address;

static void setUp(void)
{
    for (size_t r = 0; r < 4; r++) {
        u->StreamMemRF[r] = (svm_StreamMemReg){SVM_STRIDED_STREAM, 1, address, 1, 4, 0, SVM_REPLACE};
        u->StreamSRF_RF[r] = (svm_StreamSRFReg){r * 64, 1, 4};
    }
}

static void nothing(svm_Kernel *k) { (void)k; }

static void units(void)
{
    static svm_Memory nowhere = {"NOWHERE", 0, "simple-svm"};
    svm_StreamUnit v, copy = unit;
    memset(&v, 0, sizeof v);
    EXPECT("bad-argument", "", svm_streamUnitInit(NULL, &PROC1, &DMA_ENGINE1, &GMEM, &LMEM1, 0, 0, 0));
    EXPECT("no-such-name", "NOWHERE", svm_streamUnitInit(&v, &PROC1, &DMA_ENGINE1, &nowhere, &LMEM1, 0, 0, 0));
    EXPECT("bad-processor", "the stream unit's processor", svm_streamUnitInit(&v, &DMA_ENGINE1, &DMA_ENGINE1, &GMEM, &LMEM1, 0, 0, 0));
    EXPECT("bad-processor", "the stream unit's DMA engine", svm_streamUnitInit(&v, &PROC1, &PROC1, &GMEM, &LMEM1, 0, 0, 0));
    EXPECT("bad-argument", "", svm_StreamLoad(&v, 0, 0, 0));
    EXPECT("bad-argument", "", svm_StreamLoad(&copy, 0, 0, 0));
    EXPECT("bad-argument", "", svm_StreamBarrier(NULL));
    EXPECT("bad-argument", "", svm_synch(NULL, 1));
    EXPECT("bad-argument", "", svm_streamUnitDestroy(&copy));
    svm_Machine *m = svm_machineCreate();
    svm_machineUse(m);
    EXPECT_SAYS("bad-argument", "", "another machine", __LINE__, svm_StreamBarrier(u));
    svm_machineUse(NULL);
    svm_machineDestroy(m);
    svm_streamUnitInit(&v, &PROC1, &DMA_ENGINE1, &GMEM, &LMEM1, 0, 0, 0);
    svm_streamUnitDestroy(&v);
    EXPECT("bad-argument", "", svm_streamUnitDestroy(&v));
}

static void fences(void)
{
    svm_Fence next = svm_StreamBarrier(u) + 1;
    EXPECT_SAYS("bad-argument", "", "is of no instruction", __LINE__, svm_synch(u, next));
    EXPECT("bad-argument", "", svm_query(u, UINT64_MAX));
    EXPECT("bad-argument", "", svm_suspended(u, next));
    EXPECT("bad-argument", "", svm_StreamLoad(u, 0, 0, 1, next));
    EXPECT_SAYS("bad-argument", "", "is given as 2, and 1 follow", __LINE__, svm_StreamLoad(u, 0, 0, 2, 1));
    EXPECT_SAYS("bad-argument", "", "is given as 0, and 1 follow", __LINE__, svm_StreamStore(u, 0, 0, 0, 1));
    EXPECT("bad-argument", "", svm_KernelStart(u, nothing, 0, SVM_NO_STREAMS, SVM_NO_STREAMS, 1));
    EXPECT("bad-argument", "", svm_StreamLoadAfter(u, 0, 0, 1, NULL));
    CHECK(svm_StreamBarrier(u) == next); // none of these was launched
}

static void registers(void)
{
    setUp();
    EXPECT_SAYS("bad-argument", "", "memory register 32 of 32", __LINE__, svm_StreamLoad(u, 32, 0, 0));
    EXPECT_SAYS("bad-argument", "", "SRF register 32 of 32", __LINE__, svm_StreamStore(u, 0, 32, 0));
    EXPECT("bad-argument", "", svm_streamRecords(u, 32));
    EXPECT("bad-argument", "", svm_streamRecords(u, 31)); // a record of no words
    u->StreamSRF_RF[1].stream_record_size = 0;
    EXPECT("bad-argument", "", svm_StreamLoad(u, 1, 1, 0));
    u->StreamSRF_RF[1].stream_record_size = 2;
    EXPECT("size-mismatch", "", svm_StreamLoad(u, 1, 1, 0));
    EXPECT("size-mismatch", "", svm_StreamStore(u, 1, 1, 0));
    setUp();
    u->StreamMemRF[1].stream_length = 5;
    EXPECT_SAYS("size-mismatch", "", "the stream in memory has 5 records, and SRF register 1 room for 4", 0,
                svm_StreamLoad(u, 1, 1, 0));
    u->StreamMemRF[1].stream_access_mode = (svm_StreamAccess)7;
    EXPECT("bad-argument", "", svm_StreamLoad(u, 1, 1, 0));
    setUp();
    u->StreamMemRF[1].stream_stride_or_index = 5; // words 0 to 15
    svm_synch(u, svm_StreamLoad(u, 1, 1, 0));
    u->StreamMemRF[1].stream_stride_or_index = 6;
    EXPECT("address-range", "", svm_StreamLoad(u, 1, 1, 0));
    u->StreamMemRF[1].stream_stride_or_index = SIZE_MAX / 2;
    EXPECT("address-range", "", svm_StreamLoad(u, 1, 1, 0));
    u->StreamMemRF[1].stream_stride_or_index = SIZE_MAX / 3;
    EXPECT("address-range", "", svm_StreamLoad(u, 1, 1, 0));
    u->StreamSRF_RF[2].stream_ptr = 128 * 1024 - 12;
    EXPECT("address-range", "", svm_StreamLoad(u, 2, 2, 0));
    EXPECT("address-range", "", svm_KernelStart(u, nothing, 0, SVM_STREAMS(2), SVM_NO_STREAMS, 0));
    setUp();
    EXPECT_SAYS("bad-argument", "", "parameter register 32 of 32", 0,
                svm_KernelStart(u, nothing, 32, SVM_NO_STREAMS, SVM_NO_STREAMS, 0));
    EXPECT_SAYS("bad-argument", "", "SRF register 1 is an output of the kernel twice", 0,
                svm_KernelStart(u, nothing, 0, SVM_STREAMS(1), SVM_STREAMS(1, 2, 1), 0));
    EXPECT("bad-argument", "nothing", svm_KernelStartAfter(u, NULL, "nothing", 0, SVM_NO_STREAMS, SVM_NO_STREAMS, 0, NULL));
    EXPECT("bad-argument", "", svm_KernelStart(u, nothing, 0, ((svm_StreamList){1, NULL}), SVM_NO_STREAMS, 0));
}

// What is only known when an instruction runs.
static void running(void)
{
    setUp();
    array[0] = 1, array[1] = -1;
    // Register 1 has the indices 1 -1 0 0; memory register 2 is the array, indexed by them.
    svm_synch(u, svm_StreamLoad(u, 0, 1, 0));
    u->StreamMemRF[2] = (svm_StreamMemReg){SVM_INDEXED_STREAM, 1, address, 1, 4, 16, SVM_REPLACE};
    EXPECT_SAYS("index-range", "stream load", "index 1 of 'the index stream' is -1", __LINE__, svm_synch(u, svm_StreamLoad(u, 2, 2, 0)));
    u->StreamMemRF[2].stream_length = 3;
    EXPECT_SAYS("size-mismatch", "stream load", "the index stream has 4 records, and at most are to be loaded 3", __LINE__, svm_synch(u, svm_StreamLoad(u, 2, 2, 0)));
    u->StreamSRF_RF[1].stream_record_size = 2;
    EXPECT("size-mismatch", "", svm_StreamLoad(u, 2, 2, 0));
    setUp();
    // A store of more records than there is room for; of another number than there are indices.
    u->StreamMemRF[3].stream_length = 3;
    EXPECT_SAYS("size-mismatch", "stream store", "the SRF stream has 4 records", __LINE__, svm_synch(u, svm_StreamStore(u, 3, 3, 0)));
    u->StreamMemRF[2] = (svm_StreamMemReg){SVM_INDEXED_STREAM, 1, address, 1, 4, 16, SVM_REPLACE};
    u->StreamSRF_RF[1].stream_length = 2;
    EXPECT_SAYS("size-mismatch", "stream store", "the index stream 2", __LINE__, svm_synch(u, svm_StreamStore(u, 2, 2, 0)));
    setUp();
    u->StreamMemRF[2] = (svm_StreamMemReg){SVM_INDEXED_STREAM, 1, address, 1, 4, 16, SVM_ADD_DOUBLE};
    EXPECT("size-mismatch", "stream store", svm_synch(u, svm_StreamStore(u, 2, 2, 0)));
    // Instructions that failed are over.
    svm_synch(u, svm_StreamBarrier(u));
}

// ---- In kernels ----

static int fault;
static void faulty(svm_Kernel *k)
{
    int32_t x[4] = {0};
    double d = 0;
    switch (fault) {
    case 0: svm_srfRead(k, 2, x); break;
    case 1: svm_srfRead(k, 1, x); break;
    case 2: svm_srfWrite(k, 0, x); break;
    case 3: for (;;) svm_srfRead(k, 0, x);
    case 4: for (;;) svm_srfWrite(k, 1, x);
    case 5: svm_EOS(k, 1); break;
    case 6: svm_Full(k, 0); break;
    case 7: svm_parameter(k, 32); break;
    case 8: svm_setParameterFloat(k, 32, 0); break;
    case 9: svm_reduceParameter(k, 0, SVM_ADD_DOUBLE, &d); break;
    case 10: svm_reduceParameter(k, 0, SVM_REPLACE, &d); break;
    case 11: svm_srfLeft(k, 5); break;
    case 12: svm_INSTANCE(k, 1); break;
    case 13: svm_srfAt(k, 1, 0, x); break;
    case 14: svm_srfReadIf(k, 1, false, x); break;
    case 15: for (;;) svm_srfWriteIf(k, 1, true, x);
    case 16: svm_StreamBarrier(u); break;
    case 17: svm_kernelPause(k); break;
    case 18: svm_parameterFloat(k, SIZE_MAX); break;
    case 19: svm_setParameter(k, SIZE_MAX, 0); break;
    case 20: svm_srfWrite(k, 1, NULL); break;
    case 21: svm_reduceParameter(k, 0, SVM_ADD_INT32, NULL); break;
    case 22: svm_reduceParameter(k, 0, (svm_Operation)-1, x); break;
    }
}

static void kernels(void)
{
    static const char *const errors[] = {
        "bad-argument", "bad-argument", "bad-argument", "end-of-stream", "stream-full", "bad-argument", "bad-argument",
        "bad-argument", "bad-argument", "size-mismatch", "bad-argument", "bad-argument", "bad-argument", "bad-argument",
        "bad-argument", "stream-full", "not-control", "would-block", "bad-argument", "bad-argument",
        "bad-argument", "bad-argument", "bad-argument"};
    setUp();
    for (fault = 0; fault < (int)(sizeof errors / sizeof *errors); fault++) {
        const char *object = fault == 16 ? "" : "faulty";
        EXPECT_SAYS(errors[fault], object, NULL, 0, svm_synch(u, svm_KernelStart(u, faulty, 0, SVM_STREAMS(0), SVM_STREAMS(1), 0)));
    }
    // Kernels of another kind have no streams and parameters.
    fault = 7;
    svm_Kernel k;
    svm_kernelInit(&k, &PROC1, faulty, "other");
    EXPECT_SAYS("bad-argument", "other", "was not started by svm_KernelStart", 0, svm_kernelRun(&k); svm_kernelWait(&k));
    fault = 99;
    svm_synch(u, svm_KernelStart(u, faulty, 0, SVM_STREAMS(0), SVM_STREAMS(1), 0));
}

// The SRF is a memory that the unit's processor, or its engine, does not reach.
static void reaches(void)
{
    svm_StreamUnit v;
    svm_streamUnitInit(&v, &PROC1, &DMA_ENGINE1, &GMEM, &LMEM2, 0, 0, 0);
    v.StreamSRF_RF[0] = v.StreamSRF_RF[1] = (svm_StreamSRFReg){0, 1, 4};
    fault = 3;
    EXPECT_SAYS("bad-memory", "the SRF stream", NULL, 0, svm_synch(&v, svm_KernelStart(&v, faulty, 0, SVM_STREAMS(0), SVM_STREAMS(1), 0)));
    svm_streamUnitDestroy(&v);
}

// Runs until the control thread has set its parameter.
static void spin(svm_Kernel *k)
{
    while (svm_parameter(k, 0) == 0)
        continue;
}

static void nothingElse(svm_Kernel *k) { (void)k; }

// On a machine of several threads, where a kernel runs beside the control thread.
static void pending(void)
{
    svm_Kernel other;
    svm_kernelInit(&other, &PROC2, nothingElse, "other");
    setUp();
    u->KernelParamRf[0] = 0;
    svm_Fence f = svm_KernelStart(u, spin, 0, SVM_NO_STREAMS, SVM_NO_STREAMS, 0);
    svm_Fence g = svm_StreamLoad(u, 0, 0, 1, f), free = svm_StreamLoad(u, 1, 1, 0), barrier = svm_StreamBarrier(u);
    svm_synch(u, free); // it waits for nothing
    CHECK(svm_query(u, free) && !svm_query(u, f) && !svm_query(u, g) && !svm_query(u, barrier));
    CHECK(!svm_suspended(u, free));
    EXPECT("pending", "", svm_suspended(u, f));
    EXPECT_SAYS("pending", "", "instructions of the stream unit are pending", __LINE__, svm_streamUnitDestroy(u));
    svm_Fence after = svm_StreamLoad(u, 2, 2, 0);
    CHECK(!svm_query(u, after)); // of the barrier
    __atomic_store_n(&u->KernelParamRf[0], 1, __ATOMIC_SEQ_CST);
    svm_synch(u, barrier);
    CHECK(svm_query(u, f) && svm_query(u, g));
    svm_synch(u, after);
    svm_kernelDestroy(&other);
}

int main(int argc, char **argv)
{
    address = svm_map(&GMEM, array, sizeof array);
    svm_streamUnitInit(u, &PROC1, &DMA_ENGINE1, &GMEM, &LMEM1, 0, 0, 0);
    units();
    fences();
    registers();
    running();
    kernels();
    reaches();
    if (argc > 1 && *argv)
        pending();
    svm_streamUnitDestroy(u);
    return 0;
}
