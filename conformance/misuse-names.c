// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows: a machine, memory or processor that is not there is no-machine or no-such-name; no name at all is
// bad-argument.
// Machine: simple-svm
// Prints:
//   unknown machine: no-machine
//   unknown memory: no-such-name
//   unknown processor: no-such-name
//   a processor's name for a memory: no-such-name
//   null memory: bad-argument
//   memory without a name: bad-argument
//   null processor: bad-argument
#include "conform.h"

SVM_MACHINE("simple-svm");

static void nothing(svm_Kernel *kernel)
{
    (void)kernel;
}

int main(void)
{
    static svm_Memory elsewhere = {"GMEM", 0, "no-such-machine"}, unknown = {"GLOBAL", 0, "simple-svm"};
    static svm_Memory processor = {"PROC1", 0, "simple-svm"}, nameless;
    static svm_Processor proc9 = {"PROC9", 0, "simple-svm"};
    static svm_Kernel k;
    MISUSE("unknown machine", svm_alloc(&elsewhere, 4));
    MISUSE("unknown memory", svm_alloc(&unknown, 4));
    MISUSE("unknown processor", svm_kernelInit(&k, &proc9, nothing, "k"));
    MISUSE("a processor's name for a memory", svm_alloc(&processor, 4));
    MISUSE("null memory", svm_alloc(NULL, 4));
    MISUSE("memory without a name", svm_alloc(&nameless, 4));
    MISUSE("null processor", svm_kernelInit(&k, NULL, nothing, "k"));
    return 0;
}
