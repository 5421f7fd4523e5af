// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows: a hardware queue holds one stream at a time, no more than its size, and no block.
// Machine: raw-16
// Prints:
//   more than the queue holds: address-range
//   a stream in a memory that is no queue: bad-memory
//   a block in a queue: bad-memory
//   a second stream in the queue: overlap
//   after the first is destroyed: no error
#include "conform.h"

SVM_MACHINE("raw-16");
SVM_MEMORY(GMEM);
SVM_MEMORY(SNET10);
SVM_MEMORY(SNET11);

int main(void)
{
    static svm_Stream s, t;
    static svm_Block b;
    svm_streamInitFIFO(&s, &SNET10, 4, 4);
    MISUSE("more than the queue holds", svm_streamInitFIFO(&t, &SNET11, 1000, 4));
    MISUSE("a stream in a memory that is no queue", svm_streamInitFIFO(&t, &GMEM, 4, 4));
    MISUSE("a block in a queue", svm_blockInit(&b, &SNET11, 0, 1, 4));
    MISUSE("a second stream in the queue", svm_streamInitFIFO(&t, &SNET10, 2, 4));
    svm_streamDestroy(&s);
    MISUSE("after the first is destroyed", svm_streamInitFIFO(&t, &SNET10, 2, 4));
    return 0;
}
