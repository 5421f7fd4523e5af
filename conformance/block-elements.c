// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows: elements of any size lie one after another in a block; svm_blockRead, svm_blockWrite and svm_blockData agree.
// Machine: simple-svm
// Prints:
//   size 1: 1 2 3
//   size 3: 1 2 3, 3 bytes apart
//   size 8: 1 2 3
//   size 100: 1 2 3
//   an empty block
#include "conform.h"

SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM);

static void fill(svm_Block *b, size_t address, size_t size)
{
    unsigned char element[100];
    svm_blockInit(b, &GMEM, address, 3, size);
    svm_blockName(b, "elements");
    for (size_t i = 0; i < 3; i++) {
        memset(element, (int)i + 1, sizeof element);
        svm_blockWrite(b, i, element);
    }
    const unsigned char *data = svm_blockData(b);
    printf("size %zu:", size);
    for (size_t i = 0; i < 3; i++) {
        memset(element, 0, sizeof element);
        svm_blockRead(b, i, element);
        printf(" %d", element[size - 1] == data[i * size] && element[0] == data[i * size + size - 1] ? element[0] : -1);
    }
}

int main(void)
{
    size_t g = svm_alloc(&GMEM, 300);
    svm_Block b;
    fill(&b, g, 1);
    puts("");
    fill(&b, g, 3);
    const unsigned char *data = svm_blockData(&b);
    puts(data[2] == 1 && data[3] == 2 && data[5] == 2 && data[6] == 3 ? ", 3 bytes apart" : ", not 3 bytes apart");
    fill(&b, g, 8);
    puts("");
    fill(&b, g, 100);
    puts("");
    svm_blockInit(&b, &GMEM, g + 300, 0, 4);
    puts("an empty block");
    return 0;
}
