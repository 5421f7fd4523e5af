// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows: an address or size outside a memory, or outside what svm_alloc and svm_map gave, is address-range.
// Machine: simple-svm
// Prints:
//   block beyond what was given: address-range
//   block at a wrong address: address-range
//   block of too many elements to count: address-range
//   block beyond a local memory: address-range
//   empty block beyond a local memory: address-range
//   stream beyond what was given: address-range
//   stream beyond a local memory: address-range
//   free of what was not given: address-range
//   free of what was mapped: address-range
//   unmap of what was allocated: address-range
//   free twice: address-range
//   block in freed memory: address-range
//   map over mapped memory: address-range
#include "conform.h"

SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM);
SVM_MEMORY(LMEM1);

int main(void)
{
    static int32_t numbers[4];
    svm_Block b;
    svm_Stream s;
    size_t g = svm_alloc(&GMEM, 64), m = svm_map(&GMEM, numbers, sizeof numbers);
    size_t local = (size_t)128 * 1024;
    MISUSE("block beyond what was given", svm_blockInit(&b, &GMEM, g, 17, 4));
    MISUSE("block at a wrong address", svm_blockInit(&b, &GMEM, 4096, 1, 4));
    MISUSE("block of too many elements to count", svm_blockInit(&b, &GMEM, g, SIZE_MAX, 4));
    size_t address = local - 4;
    MISUSE("block beyond a local memory", svm_blockInit(&b, &LMEM1, address, 2, 4));
    address = local + 4;
    MISUSE("empty block beyond a local memory", svm_blockInit(&b, &LMEM1, address, 0, 4));
    MISUSE("stream beyond what was given", svm_streamInitRAM(&s, &GMEM, g + 32, 9, 4));
    MISUSE("stream beyond a local memory", svm_streamInitRAM(&s, &LMEM1, address, 1, 4));
    MISUSE("free of what was not given", svm_free(&GMEM, g + 4));
    MISUSE("free of what was mapped", svm_free(&GMEM, m));
    MISUSE("unmap of what was allocated", svm_unmap(&GMEM, g));
    svm_free(&GMEM, g);
    MISUSE("free twice", svm_free(&GMEM, g));
    MISUSE("block in freed memory", svm_blockInit(&b, &GMEM, g, 1, 4));
    MISUSE("map over mapped memory", svm_map(&GMEM, numbers + 1, 8));
    return 0;
}
