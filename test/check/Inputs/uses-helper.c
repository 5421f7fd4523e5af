// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Control code that calls a function of another file.
#include <svm/svm.h>

SVM_MACHINE("simple-svm");

int half(int i);

int main(void)
{
    return half(1);
}
