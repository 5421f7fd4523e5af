// Shows that stream instructions are SPEs': kernels that read and write records, as many as their data say, without the PPE in
// between; loads and stores of words, strided and by indices, at any word, and what combines; parameters, more than an SPE keeps,
// and reductions; suspension; one unit on each of two SPEs; a kernel that fails ends there, also one that would not by itself. In
// three orders of transfers it is what the host gives, with --check-dma silent, and the PPE runs the one kernel that has more
// streams than a command has room for.
//
// RUN: env SVM_CELL_CHECK_DMA=1 %svm-llc --target=cell %s -o %t && %svm-llc --target=host %s -o %t.host
// RUN: %t.host > %t.expected && FileCheck %s < %t.expected
// RUN: env SVM_CELL_SEED=1 SVM_CELL_COUNT=1 %t > %t.out 2> %t.counts && cmp %t.out %t.expected
// RUN: FileCheck %s --check-prefix=COUNTS < %t.counts
// COUNTS: SPE0: kernels {{[1-9][0-9]+}}, moves {{[1-9][0-9]+}}
// COUNTS: SPE1: kernels {{[1-9][0-9]+}}, moves {{[1-9][0-9]+}}
// COUNTS: PPE: kernels 1, transfers 0
// RUN: env SVM_CELL_SEED=2 %t | cmp - %t.expected
// RUN: env SVM_CELL_SEED=3 %t | cmp - %t.expected
// RUN: not %t last 2>&1 | FileCheck %s --check-prefix=FAILS
// RUN: not %t.host last 2>&1 | FileCheck %s --check-prefix=FAILS
// FAILS: instructions.c:[[# @LINE + 85]]: error: svm_srfRead of 'endless_run': stream 0 has no more records [end-of-stream]
#include <setjmp.h>
#include <stdio.h>

#include <svm/instructions.h>

SVM_MACHINE("cell-qs20");
SVM_MEMORY(XDR);
SVM_MEMORY(LS0);
SVM_MEMORY(LS1);
SVM_PROCESSOR(SPE0);
SVM_PROCESSOR(SPE1);
SVM_PROCESSOR(MFC0);
SVM_PROCESSOR(MFC1);

enum { COUNT = 500, ROUNDS = 6 };
typedef struct {
    int32_t key;
    float x, y;
} Point;

// Points with an odd key, and how many.
SVM_KERNEL()
static void odd_run(svm_Kernel *kernel)
{
    Point p;
    int32_t one = 1;
    while (svm_srfReadIf(kernel, 0, true, &p)) {
        svm_srfWriteIf(kernel, 1, p.key & 1, &p);
        if (p.key & 1)
            svm_reduceParameter(kernel, 0, SVM_ADD_INT32, &one);
    }
}

// Of each point a word: x times y, less that of the one before; the index of what it is added to.
SVM_KERNEL()
static void product_run(svm_Kernel *kernel)
{
    const float scale = svm_parameterFloat(kernel, 1);
    Point p, before;
    while (!svm_EOS(kernel, 0)) {
        svm_srfRead(kernel, 0, &p);
        svm_srfAt(kernel, 0, svm_INSTANCE(kernel, 0) - 1, &before);
        float product = p.x * p.y * scale - before.x * before.y;
        int32_t index = p.key % 37;
        svm_srfWrite(kernel, 1, &product);
        svm_srfWrite(kernel, 2, &index);
        svm_reduceParameter(kernel, 2, SVM_MAX_FLOAT, &product);
        svm_reduceParameter(kernel, 3, SVM_MIN_FLOAT, &product);
    }
}

// Sums of as many words as its output has room for, then it is to be restored.
SVM_KERNEL()
static void sums_run(svm_Kernel *kernel)
{
    float v, sum = 0;
    if (svm_restored(kernel))
        svm_srfRead(kernel, 1, &sum);
    while (!svm_EOS(kernel, 0)) {
        if (svm_Full(kernel, 2)) {
            svm_srfWrite(kernel, 3, &sum);
            svm_suspend(kernel);
            return;
        }
        svm_srfRead(kernel, 0, &v);
        svm_combine(SVM_ADD_FLOAT, &sum, &v, 1);
        svm_srfWrite(kernel, 2, &sum);
    }
}

// Each parameter becomes twice itself and its number.
SVM_KERNEL()
static void parameters_run(svm_Kernel *kernel)
{
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < 32; i++)
            svm_setParameter(kernel, (size_t)i, svm_parameter(kernel, (size_t)i) * 2 + i);
}

SVM_KERNEL()
static void endless_run(svm_Kernel *kernel)
{
    int32_t v, sum = 0;
    for (;;) {
        svm_srfRead(kernel, 0, &v);
        sum += v;
        svm_srfWriteIf(kernel, 1, sum < 100, &sum);
    }
}

// The first word of each input.
SVM_KERNEL()
static void many_run(svm_Kernel *kernel)
{
    int32_t v;
    for (size_t i = 0; i < 34; i++) {
        svm_srfRead(kernel, i, &v);
        svm_srfWrite(kernel, 34, &v);
    }
}

// What the programs work on, in memory.
static struct {
    Point points[2][2 * COUNT];
    float products[2][ROUNDS][COUNT], added[2][40], quarters[COUNT], sums[64];
    int32_t numbers[30];
} data;
static size_t data_address;

static jmp_buf back;

static void handle(const svm_ErrorReport *report, void *context)
{
    (void)context;
    printf("%s of %s: %s\n", report->function, report->object, report->error_name);
    longjmp(back, 1);
}

static uint32_t hash(const void *data, size_t words)
{
    const uint32_t *w = data;
    uint32_t h = 17;
    for (size_t i = 0; i < words; i++)
        h = h * 31 + w[i];
    return h;
}

static void memory(svm_StreamUnit *u, size_t r, const void *at, size_t size, size_t stride, size_t length)
{
    u->StreamMemRF[r] = (svm_StreamMemReg){.stream_access_mode = SVM_STRIDED_STREAM,
                                           .stream_stride_or_index = stride,
                                           .stream_ptr = data_address + (size_t)((const char *)at - (const char *)&data),
                                           .stream_record_size = size,
                                           .stream_length = length};
}

static void srf(svm_StreamUnit *u, size_t r, size_t word, size_t size, size_t length)
{
    u->StreamSRF_RF[r] = (svm_StreamSRFReg){word * SVM_WORD, size, length};
}

// Round after round without a wait: how many points are odd is known to the SPE alone.
static void rounds(svm_StreamUnit *u, int first)
{
    svm_Fence last = 0;
    for (int i = 0; i < 2 * COUNT; i++)
        data.points[first][i] = (Point){(i * 7919 + first) % 1013, (float)i / 8 + (float)first, 3 - (float)(i % 11)};
    for (int i = 0; i < 40; i++)
        data.added[first][i] = 0;
    srf(u, 0, 1, 3, COUNT);
    srf(u, 1, 1 + 3 * COUNT, 3, COUNT);
    srf(u, 2, 2 + 6 * COUNT, 1, COUNT);
    srf(u, 3, 3 + 7 * COUNT, 1, COUNT);
    u->KernelParamRf[30] = first;
    const float scale = 1.5f;
    u->KernelParamRf[31] = *(const int32_t *)&scale;
    for (size_t round = 0; round < ROUNDS; round++) {
        memory(u, 0, &data.points[first][round], 3, round % 2 ? 3 : 6, COUNT - round);
        memory(u, 1, data.products[first][round], 1, 1, COUNT);
        memory(u, 2, data.added[first], 1, 3, COUNT);
        u->StreamMemRF[2].stream_access_mode = SVM_INDEXED_STREAM;
        u->StreamMemRF[2].stream_extent = 37;
        u->StreamMemRF[2].stream_combine = SVM_ADD_FLOAT;
        svm_Fence loaded = svm_StreamLoad(u, 0, 0, 1, last);
        svm_Fence odd = svm_KernelStart(u, odd_run, 30, SVM_STREAMS(0), SVM_STREAMS(1), 1, loaded);
        last = svm_KernelStart(u, product_run, 30, SVM_STREAMS(1), SVM_STREAMS(2, 3), 1, odd);
        svm_StreamStore(u, 1, 2, 1, last);
        svm_StreamStore(u, 2, 2, 1, last);
        last = svm_StreamBarrier(u);
    }
    svm_synch(u, last);
    printf("rounds: %u %u %u, %zu records, parameters %d %x %x\n", hash(data.products[first], ROUNDS * COUNT),
           hash(data.products[first][1], COUNT), hash(data.added[first], 40), svm_streamRecords(u, 2), u->KernelParamRf[30],
           (unsigned)u->KernelParamRf[0], (unsigned)u->KernelParamRf[1]);
}

static void suspended(svm_StreamUnit *u)
{
    for (int i = 0; i < COUNT; i++)
        data.quarters[i] = (float)(i % 13) / 4;
    memory(u, 0, data.quarters, 1, 1, 150);
    srf(u, 0, 3, 1, 150);
    srf(u, 2, 203, 1, 64);
    srf(u, 3, 300, 1, 1);
    svm_Fence kernel = svm_StreamLoad(u, 0, 0, 0);
    kernel = svm_KernelStart(u, sums_run, 0, SVM_STREAMS(0, 3), SVM_STREAMS(2, 3), 1, kernel);
    for (bool more = true; more;) {
        memory(u, 1, data.sums, 1, 1, 64);
        svm_Fence stored = svm_StreamStore(u, 1, 2, 1, kernel);
        svm_synch(u, stored);
        more = svm_suspended(u, kernel);
        printf("%s: %zu sums, %u\n", more ? "suspended" : "finished", svm_streamRecords(u, 2), hash(data.sums, 64));
        if (more)
            kernel = svm_KernelRestore(u, sums_run, 0, SVM_STREAMS(0, 3), SVM_STREAMS(2, 3), 1, stored);
    }
}

static void failing(svm_StreamUnit *u)
{
    for (int i = 0; i < 30; i++)
        data.numbers[i] = i;
    memory(u, 0, data.numbers, 1, 1, 30);
    srf(u, 0, 0, 1, 30);
    srf(u, 1, 32, 1, 30);
    svm_synch(u, svm_KernelStart(u, endless_run, 0, SVM_STREAMS(0), SVM_STREAMS(1), 1, svm_StreamLoad(u, 0, 0, 0)));
}

static void all(svm_StreamUnit *u, int number)
{
    static size_t inputs[34];
    rounds(u, number);
    suspended(u);
    for (int i = 0; i < 32; i++)
        u->KernelParamRf[i] = 3 * i;
    svm_synch(u, svm_KernelStart(u, parameters_run, 17, SVM_NO_STREAMS, SVM_NO_STREAMS, 0));
    printf("parameters: %u\n", hash(u->KernelParamRf, 32));
    svm_setErrorHandler(handle, NULL);
    if (setjmp(back) == 0)
        failing(u);
    svm_setErrorHandler(NULL, NULL);
    printf("%zu sums below 100\n", svm_streamRecords(u, 1));
    if (number != 1)
        return;
    for (size_t i = 0; i < 34; i++)
        inputs[i] = 0;
    srf(u, 4, 100, 1, 34);
    svm_synch(u, svm_KernelStart(u, many_run, 0, ((svm_StreamList){34, inputs}), SVM_STREAMS(4), 0));
    printf("many streams: %zu\n", svm_streamRecords(u, 4));
}

int main(int argc, char **argv)
{
    static svm_StreamUnit a, b;
    (void)argv;
    data_address = svm_map(&XDR, &data, sizeof data);
    svm_streamUnitInit(&a, &SPE0, &MFC0, &XDR, &LS0, 0, 0, 0);
    svm_streamUnitInit(&b, &SPE1, &MFC1, &XDR, &LS1, 0, 0, 0);
    if (argc > 1)
        failing(&a);
    all(&a, 0);
    all(&b, 1);
    // CHECK: rounds:
    // CHECK: svm_srfRead of endless_run: end-of-stream
    // CHECK: many streams: 34
    return 0;
}
