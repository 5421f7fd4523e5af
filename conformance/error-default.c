// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows: without a handler, misuse ends the program with exit code 1; what it printed before is not lost.
// Machine: simple-svm
// Exit: 1
// Prints:
//   before
#include "conform.h"

SVM_MACHINE("simple-svm");
SVM_MEMORY(LMEM1);

int main(void)
{
    svm_Block b;
    puts("before");
    svm_blockInit(&b, &LMEM1, (size_t)1 << 30, 1, 4);
    puts("after");
    return 0;
}
