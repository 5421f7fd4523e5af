// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows: indexed gather and scatter in all four combinations, with int32 and int64 indices, records of several
// elements, and combination with what is there in the order of the indices.
// Machine: simple-svm
// Prints:
//   gather by a block into a block: 13 10 13
//   gather by a stream into a stream: 13 10 13
//   gather by a block into a stream: 13 10 13
//   gather by a stream into a block: 13 10 13
//   gather of pairs by int64: 12 13 10 11
//   scatter by a block from a block: 2 11 12 3
//   scatter by a stream from a stream: 2 11 12 3
//   scatter by a block from a stream: 2 11 12 3
//   scatter by a stream from a block: 2 11 12 3
//   scatter that adds: 12 11 12 17
//   scatter that keeps the least: 2 11 12 1
//   combined by itself: 11 22 33
#include "conform.h"

SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM);
SVM_PROCESSOR(DMA_ENGINE1);

static int32_t table[4], values[3], indices[3] = {3, 0, 3};
static int64_t pairs[2] = {1, 0};
static svm_Block tableB, valuesB, indicesB, pairsB;
static svm_Stream valuesS, indicesS;

// table: 10 11 12 13; values: 1 2 3; indices: 3 0 3. Streams that are read hold the same.
static void reset(bool valuesRead)
{
    static size_t t, v, i, p, vs, is;
    if (t == 0) {
        t = svm_map(&GMEM, table, sizeof table);
        v = svm_map(&GMEM, values, sizeof values);
        i = svm_map(&GMEM, indices, sizeof indices);
        p = svm_map(&GMEM, pairs, sizeof pairs);
        vs = svm_alloc(&GMEM, 16);
        is = svm_alloc(&GMEM, 16);
    }
    svm_blockInit(&tableB, &GMEM, t, 4, 4);
    svm_blockInit(&valuesB, &GMEM, v, 3, 4);
    svm_blockInit(&indicesB, &GMEM, i, 3, 4);
    svm_blockInit(&pairsB, &GMEM, p, 2, 8);
    svm_streamInitRAM(&valuesS, &GMEM, vs, 4, 4);
    svm_streamInitRAM(&indicesS, &GMEM, is, 4, 4);
    for (int32_t j = 0; j < 4; j++)
        table[j] = 10 + j;
    for (int32_t j = 0; j < 3; j++) {
        values[j] = j + 1;
        svm_streamPush(&indicesS, &indices[j]);
        if (valuesRead)
            svm_streamPush(&valuesS, &values[j]);
    }
}

static void run(svm_Kernel *k)
{
    svm_kernelRun(k);
    svm_kernelWait(k);
}

static void print(const char *what, const int32_t *array, int count)
{
    printf("%s:", what);
    for (int i = 0; i < count; i++)
        printf(" %d", array[i]);
    puts("");
}

static void print_stream(const char *what)
{
    int32_t got[3] = {0};
    for (int i = 0; i < 3; i++)
        svm_streamPop(&valuesS, &got[i]);
    print(what, got, 3);
}

static void gathers(void)
{
    static svm_GatherIndexedB2B b2b, paired;
    static svm_GatherIndexedS2S s2s;
    static svm_GatherIndexedB2S b2s;
    static svm_GatherIndexedS2B s2b;
    static int32_t got[4];
    svm_Block four;
    reset(false);
    svm_gatherIndexedB2BInit(&b2b, &DMA_ENGINE1, &tableB, &indicesB, &valuesB, 3);
    run(&b2b.kernel);
    print("gather by a block into a block", values, 3);
    reset(false);
    svm_gatherIndexedS2SInit(&s2s, &DMA_ENGINE1, &tableB, &indicesS, &valuesS, 3);
    run(&s2s.kernel);
    print_stream("gather by a stream into a stream");
    reset(false);
    svm_gatherIndexedB2SInit(&b2s, &DMA_ENGINE1, &tableB, &indicesB, &valuesS, 3);
    run(&b2s.kernel);
    print_stream("gather by a block into a stream");
    reset(false);
    svm_gatherIndexedS2BInit(&s2b, &DMA_ENGINE1, &tableB, &indicesS, &valuesB, 3);
    run(&s2b.kernel);
    print("gather by a stream into a block", values, 3);
    size_t g = svm_map(&GMEM, got, sizeof got);
    svm_blockInit(&four, &GMEM, g, 4, 4);
    svm_gatherIndexedB2BInit(&paired, &DMA_ENGINE1, &tableB, &pairsB, &four, 2);
    paired.records = 2;
    run(&paired.kernel);
    print("gather of pairs by int64", got, 4);
}

static void scatters(void)
{
    static svm_ScatterIndexedB2B b2b;
    static svm_ScatterIndexedS2S s2s;
    static svm_ScatterIndexedB2S b2s;
    static svm_ScatterIndexedS2B s2b;
    reset(true);
    svm_scatterIndexedB2BInit(&b2b, &DMA_ENGINE1, &valuesB, &indicesB, &tableB, 3);
    run(&b2b.kernel);
    print("scatter by a block from a block", table, 4);
    reset(true);
    svm_scatterIndexedS2SInit(&s2s, &DMA_ENGINE1, &valuesS, &indicesS, &tableB, 3);
    run(&s2s.kernel);
    print("scatter by a stream from a stream", table, 4);
    reset(true);
    svm_scatterIndexedB2SInit(&b2s, &DMA_ENGINE1, &valuesS, &indicesB, &tableB, 3);
    run(&b2s.kernel);
    print("scatter by a block from a stream", table, 4);
    reset(true);
    svm_scatterIndexedS2BInit(&s2b, &DMA_ENGINE1, &valuesB, &indicesS, &tableB, 3);
    run(&s2b.kernel);
    print("scatter by a stream from a block", table, 4);
    reset(true);
    b2b.combine = SVM_ADD_INT32;
    run(&b2b.kernel);
    print("scatter that adds", table, 4);
    reset(true);
    b2b.combine = SVM_MIN_INT32;
    run(&b2b.kernel);
    print("scatter that keeps the least", table, 4);
}

int main(void)
{
    gathers();
    scatters();
    int32_t into[3] = {1, 2, 3};
    svm_combine(SVM_ADD_INT32, into, (const int32_t[]){10, 20, 30}, 3);
    print("combined by itself", into, 3);
    return 0;
}
