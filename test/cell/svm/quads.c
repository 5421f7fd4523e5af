// Shows that lanes in firing functions become loops over the SPE's vectors with its intrinsics, with the results of svm/lanes.h, whether
// loads and stores take any address or go by shuffles of quadwords; and that a function with anything else in it stays as it is.
//
// RUN: %svm-llc --target=host %s -o %t.host && %t.host > %t.expected && FileCheck %s < %t.expected
// RUN: %svm-llc --target=cell %s -o %t && %t | cmp - %t.expected
// RUN: env SVM_CELL_CHECK_DMA=1 %svm-llc --target=cell -DSVM_QUADS_BY_SHUFFLE %s -o %t.shuffled && %t.shuffled | cmp - %t.expected
// CHECK: floats {{[-0-9a-fx.p+]+}}
// CHECK: ints {{-?[0-9]+}}
//
// RUN: rm -rf %t.folder && %svm-llc --target=cell -S %s -o %t.folder && FileCheck %s --check-prefix=TEXT < %t.folder/quads.spu.c
// TEXT: #include <svm_quads.h>
// TEXT: static inline void floats_of_16(
// TEXT: vec_float4 sum[4];
// TEXT-NEXT: SVM_QUADS(q, 4)
// TEXT-NEXT: sum[q] = spu_splats(0.0f);
// TEXT: SVM_QUADS(q, 4)
// TEXT-NEXT: sum[q] = spu_add(sum[q], spu_mul(svm_loadQuad(in + k, q), spu_splats(table[k])));
// TEXT: vec_int4 large[4];
// TEXT: large[q] = (vec_int4)spu_cmpgt(sum[q], spu_splats(2.5f));
// TEXT: svm_scatterQuad(out, 3, q, sum[q]);
// TEXT: static inline void ints_of_16(
// TEXT: spu_rlmaska(
// TEXT: static inline void others_of_16(
// TEXT: svm_Ints16 rows[2];
#include <stdio.h>
#include <string.h>

#include <svm/program.h>

#define SVM_LANES 16
#include <svm/lanes.h>

SVM_MACHINE("cell-qs20");
SVM_MEMORY(XDR);
SVM_MEMORY(LS0);
SVM_PROCESSOR(PPE);
SVM_PROCESSOR(SPE0);
SVM_PROCESSOR(MFC0);

enum { COUNT = 128 };

static const float table[5] = {0.25f, -1.5f, 3.0f, 0.125f, -0.75f};

static inline void floats_of_16(const float *restrict in, float *restrict out)
{
    svm_Floats16 sum = svm_sameFloats16(0.0f);
    for (ptrdiff_t k = 0; k < 5; k++) {
        sum += svm_loadFloats16(in + k) * table[k];
    }
    const svm_Ints16 large = sum > 2.5f;
    svm_Floats16 other = -svm_gatherFloats16(in, 2) / (sum * sum + 1.0f);
    svm_Floats16 limit;
    limit = svm_maxFloats16(other, svm_sameFloats16(-1.0f)) - svm_minFloats16(other, svm_sameFloats16(1.0f));
    sum = svm_chooseFloats16(large, limit, sum + svm_toFloats16(svm_numberInts16()));
    svm_scatterFloats16(out, 3, sum);
    svm_storeFloats16(out + 49, (sum - other) * 4.0f);
}

static inline void ints_of_16(const int *restrict in, int *restrict out)
{
    svm_Ints16 a = svm_loadInts16(in + 1);
    svm_Ints16 b = svm_gatherInts16(in, 2);
    svm_Ints16 c = svm_loadInts16(in + 3);
    svm_Ints16 d = c * a;
    if (in[0] != 0)
        d ^= ((c << 7) | (c >> 3)) & ~b;
    for (ptrdiff_t k = 0; k < 3; k++)
        d += c - in[k];
    const svm_Ints16 mask = (a != b) & ((a >= c) | (b < c)) & ((a <= b) ^ (c == a));
    d = svm_chooseInts16(mask, d, -svm_toInts16(svm_toFloats16(d) * 3.0f));
    svm_storeInts16(out + 1, d);
    svm_scatterInts16(out + 20, 2, d);
}

static inline void others_of_16(const int *restrict in, int *restrict out)
{
    svm_Ints16 rows[2];
    rows[0] = svm_loadInts16(in);
    rows[1] = rows[0] + 3;
    svm_storeInts16(out, rows[1] * rows[0]);
}

typedef struct {
    svm_Kernel kernel;
    svm_Block *in, *out;
} Work;

SVM_KERNEL()
static void work(svm_Kernel *kernel)
{
    Work *self = (Work *)kernel;
    float *in = svm_blockData(self->in), *out = svm_blockData(self->out);
    int numbers[COUNT], results[COUNT] = {0};
    memset(out, 0, 4 * COUNT * sizeof *out);
    floats_of_16(in, out);
    floats_of_16(in + 5, out + 130);
    for (int i = 0; i < COUNT; i++)
        numbers[i] = (int)(in[i] * 1000.0f) - 3000;
    ints_of_16(numbers, results);
    ints_of_16(numbers + 16, results + 54);
    others_of_16(numbers + 7, results + 110);
    memcpy(out + 2 * COUNT, results, sizeof results);
}

int main(void)
{
    float *in = (float *)svm_alloc(&XDR, COUNT * 4), *out = (float *)svm_alloc(&XDR, 4 * COUNT * 4);
    svm_Block there[2], here[2];
    svm_MoveB2B load, store;
    Work run;
    for (int i = 0; i < COUNT; i++)
        in[i] = (float)(i * 37 % 101) / 8.0f - 5.0f;
    svm_blockInit(&there[0], &XDR, (size_t)in, COUNT, 4);
    svm_blockInit(&there[1], &XDR, (size_t)out, 4 * COUNT, 4);
    svm_blockInit(&here[0], &LS0, 0, COUNT, 4);
    svm_blockInit(&here[1], &LS0, COUNT * 4, 4 * COUNT, 4);
    svm_moveB2BInit(&load, &MFC0, &there[0], &here[0]);
    svm_moveB2BInit(&store, &MFC0, &here[1], &there[1]);
    svm_kernelInit(&run.kernel, &SPE0, work, "work");
    run.in = &here[0];
    run.out = &here[1];
    svm_kernelAddDependence(&run.kernel, &load.kernel);
    svm_kernelAddDependence(&store.kernel, &run.kernel);
    svm_kernelRun(&load.kernel);
    svm_kernelRun(&run.kernel);
    svm_kernelRun(&store.kernel);
    svm_kernelWait(&store.kernel);
    for (int i = 0; i < 2 * COUNT; i++)
        printf("floats %a\n", out[i]);
    for (int i = 0; i < COUNT; i++) {
        int number;
        memcpy(&number, &out[2 * COUNT + i], sizeof number);
        printf("ints %d\n", number);
    }
    return 0;
}
