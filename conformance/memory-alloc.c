// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows: memory from svm_alloc is zeroed, aligned, apart from other memory, and can be had again after svm_free.
// Machine: simple-svm
// Prints:
//   zeroed
//   aligned
//   apart
//   half of the memory at a time: 4 times
#include "conform.h"

SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM);

int main(void)
{
    size_t first = svm_alloc(&GMEM, 1000), second = svm_alloc(&GMEM, 1000);
    svm_Block b;
    svm_blockInit(&b, &GMEM, first, 1000, 1);
    int sum = 0;
    for (size_t i = 0; i < 1000; i++) {
        unsigned char byte = 1;
        svm_blockRead(&b, i, &byte);
        sum += byte;
    }
    puts(sum == 0 ? "zeroed" : "not zeroed");
    puts(first % 16 == 0 && second % 16 == 0 ? "aligned" : "not aligned");
    puts(first + 1000 <= second || second + 1000 <= first ? "apart" : "overlapping");
    svm_free(&GMEM, first);
    svm_free(&GMEM, second);
    int times = 0;
    for (int i = 0; i < 4; i++) {
        size_t half = svm_alloc(&GMEM, (size_t)32 << 20);
        svm_free(&GMEM, half);
        times++;
    }
    printf("half of the memory at a time: %d times\n", times);
    return 0;
}
