// Shows that strided and indexed transfers between memory and a local store are lists of the SPE's, also more groups than a
// list has and groups larger than a transfer; a group that is written twice keeps the later bytes; an index that leads outside is
// reported; groups that are no quadwords, and groups that lie in the local store, are moved all the same, by the PPE.
//
// RUN: env SVM_CELL_CHECK_DMA=1 %svm-llc --target=cell %s -o %t && %svm-llc --target=host %s -o %t.host
// RUN: %t.host > %t.expected && FileCheck %s < %t.expected
// RUN: env SVM_CELL_SEED=1 SVM_CELL_COUNT=1 %t > %t.out 2> %t.counts && cmp %t.out %t.expected
// RUN: FileCheck %s --check-prefix=COUNTS < %t.counts
// RUN: env SVM_CELL_SEED=2 %t | cmp - %t.expected
// COUNTS: SPE0: kernels 0, moves 2, lists 6, bytes
// COUNTS: PPE: kernels 0, transfers 3
// RUN: not %t bad 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: not %t.host bad 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: groups.c:[[# @LINE + 60]]: error: {{.*}} index 1 of '(unnamed)' is 400, and the block '(unnamed)' has 400 groups of 1 elements [index-range]
#include <stdio.h>

#include <svm/svm.h>

SVM_MACHINE("cell-qs20");
SVM_MEMORY(XDR);
SVM_MEMORY(LS0);
SVM_PROCESSOR(PPE);
SVM_PROCESSOR(MFC0);

enum { COUNT = 400, BYTES = 16, LARGE = 2500 };
typedef struct {
    int v[4];
} Item;

static svm_Block memory, local, indices, index_source, large_memory, large_local;

static void run(const char *what, svm_Kernel *k, const Item *result, int count)
{
    svm_kernelRun(k);
    svm_kernelWait(k);
    unsigned sum = 0;
    for (int i = 0; i < count; i++)
        sum = sum * 31 + (unsigned)(result[i].v[0] + result[i].v[3]);
    printf("%s: %d %d %d, %u\n", what, result[0].v[0], result[1].v[0], result[count - 1].v[0], sum);
    svm_kernelDestroy(k);
}

static void set_up(Item *items, Item *large, int *index)
{
    for (int i = 0; i < COUNT; i++)
        for (int j = 0; j < 4; j++)
            items[i].v[j] = 10 * i + j;
    for (int i = 0; i < 3 * LARGE; i++)
        large[i].v[0] = large[i].v[3] = i;
    for (int i = 0; i < 160; i++)
        index[i] = (i * 37 + 5) % COUNT;
    svm_blockInit(&memory, &XDR, (size_t)items, COUNT, BYTES);
    svm_blockInit(&large_memory, &XDR, (size_t)large, 3 * LARGE, BYTES);
    svm_blockInit(&index_source, &XDR, (size_t)index, 160, 4);
    svm_blockInit(&local, &LS0, 0, 160, BYTES);
    svm_blockInit(&indices, &LS0, 160 * BYTES, 160, 4);
    svm_blockInit(&large_local, &LS0, 16384, 2 * LARGE, BYTES);
}

int main(int argc, char **argv)
{
    Item *items = (Item *)svm_alloc(&XDR, COUNT * BYTES), *large = (Item *)svm_alloc(&XDR, 3 * LARGE * BYTES);
    int *index = (int *)svm_alloc(&XDR, 160 * 4);
    (void)argv;
    set_up(items, large, index);
    if (argc > 1)
        index[1] = COUNT;
    svm_MoveB2B load, store;
    svm_moveB2BInit(&load, &MFC0, &index_source, &indices);
    svm_kernelRun(&load.kernel);
    svm_kernelWait(&load.kernel);
    svm_GatherIndexedB2B gather;
    svm_gatherIndexedB2BInit(&gather, &MFC0, &memory, &indices, &local, 160);
    svm_kernelRun(&gather.kernel);
    svm_kernelWait(&gather.kernel);
    svm_moveB2BInit(&store, &MFC0, &local, &memory);
    svm_Block part;
    svm_blockInit(&part, &XDR, (size_t)items, 160, BYTES);
    store.destination = &part;
    run("gather by indices", &store.kernel, items, COUNT);

    svm_ScatterIndexedB2B scatter;
    svm_scatterIndexedB2BInit(&scatter, &MFC0, &local, &indices, &memory, 160);
    run("scatter by indices", &scatter.kernel, items, COUNT);

    svm_GatherStridedB2B every;
    svm_gatherStridedB2BInit(&every, &MFC0, &memory, &local, 1, 2, 150);
    every.offset = 1;
    svm_kernelRun(&every.kernel);
    svm_kernelWait(&every.kernel);
    svm_ScatterStridedB2B back; // groups of three, each two behind the last: the third is written again
    svm_scatterStridedB2BInit(&back, &MFC0, &local, &memory, 3, 2, 50);
    run("scatter of groups that overlap", &back.kernel, items, COUNT);

    svm_GatherStridedB2B far;
    svm_gatherStridedB2BInit(&far, &MFC0, &large_memory, &large_local, LARGE, 2 * LARGE, 2);
    svm_kernelRun(&far.kernel);
    svm_kernelWait(&far.kernel);
    svm_ScatterStridedB2B near;
    svm_scatterStridedB2BInit(&near, &MFC0, &large_local, &large_memory, LARGE, LARGE, 2);
    run("large groups", &near.kernel, large, 3 * LARGE);

    // In the local store, and combining: the PPE.
    svm_GatherStridedB2B here;
    svm_gatherStridedB2BInit(&here, &MFC0, &local, &memory, 1, 3, 40);
    run("groups in the local store", &here.kernel, items, COUNT);
    svm_GatherStridedB2B same;
    svm_gatherStridedB2BInit(&same, &MFC0, &memory, &memory, 1, 1, 40);
    same.offset = 100;
    run("from memory to memory", &same.kernel, items, COUNT);
    svm_GatherIndexedB2B elsewhere;
    svm_gatherIndexedB2BInit(&elsewhere, &MFC0, &memory, &index_source, &local, 160);
    svm_kernelRun(&elsewhere.kernel);
    svm_kernelWait(&elsewhere.kernel);
    // CHECK: gather by indices: 50 420 3990,
    // CHECK: scatter by indices:
    return 0;
}
