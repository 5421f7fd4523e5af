// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows: a block over a stream's buffer sees its elements in place, and svm_streamFill queues what a block wrote there.
// Machine: simple-svm
// Prints:
//   from the stream: 5 6 7
//   in the buffer: 8 6 7
#include "conform.h"

SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM);

int main(void)
{
    size_t g = svm_alloc(&GMEM, 3 * sizeof(int32_t));
    svm_Block b;
    svm_Stream s;
    svm_blockInit(&b, &GMEM, g, 3, sizeof(int32_t));
    svm_streamInitRAM(&s, &GMEM, g, 3, sizeof(int32_t));
    for (int32_t i = 0; i < 3; i++)
        svm_blockWrite(&b, (size_t)i, &(int32_t){5 + i});
    svm_streamFill(&s, 3);
    printf("from the stream:");
    for (int i = 0; i < 3; i++) {
        int32_t v;
        svm_streamPop(&s, &v);
        printf(" %d", v);
    }
    svm_streamPush(&s, &(int32_t){8});
    const int32_t *data = svm_blockData(&b);
    printf("\nin the buffer: %d %d %d\n", data[0], data[1], data[2]);
    return 0;
}
