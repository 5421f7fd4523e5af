// Shows: a file is SVM C when a header that it includes by a name in quotes names the machine.
// RUN: %svm-llc -I%S/Inputs %s -o %t && %t | FileCheck %s
// RUN: not %svm-llc -I%S/Inputs --machine=nowhere %s -o %t 2>&1 | FileCheck --check-prefix=CHECKED %s
// CHECK: 64 bytes of simple-svm
// CHECKED: error: unknown machine 'nowhere'
#include "machine-names.h" // what it says counts as if it stood here

#include <stdio.h>

int main(void)
{
    size_t address = svm_alloc(&GMEM, 64);
    svm_Block b;
    svm_blockInit(&b, &GMEM, address, 64, 1);
    printf("%zu bytes of %s\n", b.capacity, svm_machineName);
    svm_free(&GMEM, address);
    return 0;
}
