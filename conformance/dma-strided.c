// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows: strided gather and scatter in all four combinations of blocks and streams: groups of records, a stride apart,
// from an offset.
// Machine: simple-svm
// Prints:
//   gather block to block: 1 2 5 6 9 10
//   gather stream to stream: 1 2 5 6 9 10
//   gather block to stream: 1 2 5 6 9 10
//   gather stream to block: 1 2 5 6 9 10
//   scatter block to block: - 0 1 - - 2 3 - - 4 5 -
//   scatter stream to stream: 0 0 1 0 0 2 3 0 0 4 5
//   scatter block to stream: 0 0 1 0 0 2 3 0 0 4 5
//   scatter stream to block: - 0 1 - - 2 3 - - 4 5 -
#include "conform.h"

SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM);
SVM_PROCESSOR(DMA_ENGINE1);

enum { N = 12, RECORDS = 2, STRIDE = 4, REPEATS = 3, FEW = RECORDS * REPEATS, NOTHING = -1 };

static int32_t many[N], few[FEW];
static svm_Block manyB, fewB;
static svm_Stream manyS, fewS;

// many: 0 1 2 ..; few: 0 1 2 ..; streams hold the same.
static void reset(bool gather)
{
    static size_t m, f, ms, fs;
    if (m == 0) {
        m = svm_map(&GMEM, many, sizeof many);
        f = svm_map(&GMEM, few, sizeof few);
        ms = svm_alloc(&GMEM, sizeof many);
        fs = svm_alloc(&GMEM, sizeof few);
    }
    svm_blockInit(&manyB, &GMEM, m, N, 4);
    svm_blockInit(&fewB, &GMEM, f, FEW, 4);
    svm_streamInitRAM(&manyS, &GMEM, ms, N, 4);
    svm_streamInitRAM(&fewS, &GMEM, fs, FEW, 4);
    for (int32_t i = 0; i < N; i++)
        many[i] = gather ? i : NOTHING;
    for (int32_t i = 0; i < FEW; i++)
        few[i] = gather ? NOTHING : i;
    for (int32_t i = 0; gather && i < N; i++)
        svm_streamPush(&manyS, &i);
    for (int32_t i = 0; !gather && i < FEW; i++)
        svm_streamPush(&fewS, &i);
}

static void finish(svm_Kernel *k, const char *what, const int32_t *array, svm_Stream *stream, size_t count)
{
    svm_kernelRun(k);
    svm_kernelWait(k);
    printf("%s:", what);
    for (size_t i = 0; i < (stream ? svm_streamCount(stream) : count);) {
        int32_t v;
        if (stream)
            svm_streamPop(stream, &v);
        else
            v = array[i++];
        printf(v == NOTHING ? " -" : " %d", v);
    }
    puts("");
}

int main(void)
{
    static svm_GatherStridedB2B gb2b;
    static svm_GatherStridedS2S gs2s;
    static svm_GatherStridedB2S gb2s;
    static svm_GatherStridedS2B gs2b;
    static svm_ScatterStridedB2B sb2b;
    static svm_ScatterStridedS2S ss2s;
    static svm_ScatterStridedB2S sb2s;
    static svm_ScatterStridedS2B ss2b;
    reset(true);
    svm_gatherStridedB2BInit(&gb2b, &DMA_ENGINE1, &manyB, &fewB, RECORDS, STRIDE, REPEATS);
    gb2b.offset = 1;
    finish(&gb2b.kernel, "gather block to block", few, NULL, FEW);
    reset(true);
    svm_gatherStridedS2SInit(&gs2s, &DMA_ENGINE1, &manyS, &fewS, RECORDS, STRIDE, REPEATS);
    gs2s.offset = 1;
    finish(&gs2s.kernel, "gather stream to stream", NULL, &fewS, 0);
    reset(true);
    svm_gatherStridedB2SInit(&gb2s, &DMA_ENGINE1, &manyB, &fewS, RECORDS, STRIDE, REPEATS);
    gb2s.offset = 1;
    finish(&gb2s.kernel, "gather block to stream", NULL, &fewS, 0);
    reset(true);
    svm_gatherStridedS2BInit(&gs2b, &DMA_ENGINE1, &manyS, &fewB, RECORDS, STRIDE, REPEATS);
    gs2b.offset = 1;
    finish(&gs2b.kernel, "gather stream to block", few, NULL, FEW);
    reset(false);
    svm_scatterStridedB2BInit(&sb2b, &DMA_ENGINE1, &fewB, &manyB, RECORDS, STRIDE, REPEATS);
    sb2b.offset = 1;
    finish(&sb2b.kernel, "scatter block to block", many, NULL, N);
    reset(false);
    svm_scatterStridedS2SInit(&ss2s, &DMA_ENGINE1, &fewS, &manyS, RECORDS, STRIDE, REPEATS);
    ss2s.offset = 1;
    finish(&ss2s.kernel, "scatter stream to stream", NULL, &manyS, 0);
    reset(false);
    svm_scatterStridedB2SInit(&sb2s, &DMA_ENGINE1, &fewB, &manyS, RECORDS, STRIDE, REPEATS);
    sb2s.offset = 1;
    finish(&sb2s.kernel, "scatter block to stream", NULL, &manyS, 0);
    reset(false);
    svm_scatterStridedS2BInit(&ss2b, &DMA_ENGINE1, &fewS, &manyB, RECORDS, STRIDE, REPEATS);
    ss2b.offset = 1;
    finish(&ss2b.kernel, "scatter stream to block", many, NULL, N);
    return 0;
}
