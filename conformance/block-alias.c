// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows: a block may be a part of another block, with another element size; a move between overlapping blocks copies
// what the source held before.
// Machine: simple-svm
// Prints:
//   part: 2 3 4
//   after a write to the part: 0 1 2 33 4 5 6 7
//   after a move by one: 0 0 1 2 33 4 5 6
//   as halves: 0 0 1 0
#include "conform.h"

SVM_MACHINE("simple-svm");
SVM_MEMORY(LMEM1);
SVM_MEMORY(GMEM);
SVM_PROCESSOR(DMA_ENGINE1);

enum { N = 8 };

static void print(const char *what, const int32_t *v, int from, int to)
{
    printf("%s:", what);
    for (int i = from; i < to; i++)
        printf(" %d", v[i]);
    puts("");
}

int main(void)
{
    static int32_t numbers[N] = {0, 1, 2, 3, 4, 5, 6, 7};
    size_t g = svm_map(&GMEM, numbers, sizeof numbers);
    svm_Block whole, part, first, second, halves, local;
    svm_blockInit(&whole, &GMEM, g, N, 4);
    svm_blockInit(&part, &GMEM, g + 2 * 4, 3, 4);
    print("part", svm_blockData(&part), 0, 3);
    int32_t v = 33;
    svm_blockWrite(&part, 1, &v);
    print("after a write to the part", numbers, 0, N);

    // In a local memory, moved by one element.
    static svm_MoveB2B load, shift, store;
    svm_blockInit(&local, &LMEM1, 64, N, 4);
    svm_blockInit(&first, &LMEM1, 64, N - 1, 4);
    svm_blockInit(&second, &LMEM1, 64 + 4, N - 1, 4);
    svm_moveB2BInit(&load, &DMA_ENGINE1, &whole, &local);
    svm_moveB2BInit(&shift, &DMA_ENGINE1, &first, &second);
    svm_moveB2BInit(&store, &DMA_ENGINE1, &local, &whole);
    svm_kernelAddDependence(&shift.kernel, &load.kernel);
    svm_kernelAddDependence(&store.kernel, &shift.kernel);
    svm_kernelRun(&load.kernel);
    svm_kernelRun(&shift.kernel);
    svm_kernelRun(&store.kernel);
    svm_kernelWait(&store.kernel);
    print("after a move by one", numbers, 0, N);

    svm_blockInit(&halves, &GMEM, g + 4, 4, 2);
    const uint16_t *h = svm_blockData(&halves);
    uint16_t one;
    memcpy(&one, &(int32_t){1}, sizeof one); // 1 where the low half comes first
    printf("as halves: %d %d %d %d\n", h[0], h[1], one == 1 ? h[2] : h[3], one == 1 ? h[3] : h[2]);
    return 0;
}
