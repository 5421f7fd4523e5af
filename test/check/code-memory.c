// Blocks that fill the memory which holds the code, tables, state and stack of kernels are found.
// RUN: not %svm-check %s 2>&1 | FileCheck --implicit-check-not=warning: %s
// RUN: %svm-check -DSMALL %s
#include "Inputs/kernels.h"

#ifdef SMALL
enum { COUNT = 30000 };
#else
enum { COUNT = 32000 };
#endif

typedef struct Table {
    svm_Kernel kernel;
    svm_Block *block;
} Table;

static const float weights[700] = {1};

SVM_KERNEL(cost(0, 1))
static void table_run(svm_Kernel *kernel)
{
    float *v = svm_blockData(((Table *)kernel)->block), local[100];
    for (int i = 0; i < 100; i++)
        local[i] = weights[i % 700];
    v[0] = local[99];
}

int main(void)
{
    static Table t;
    static svm_Block block;
    // CHECK: code-memory.c:[[@LINE+2]]:5: warning: blocks and streams leave 3072 of the 131072 bytes of memory 'LMEM1', which holds the code of kernels on 'PROC1' too [-Wcode-memory]
    // CHECK: kernels.h:{{[0-9]+}}:1: note: beside code they need 3340 bytes: 2800 for tables, 128 for state, 412 on the stack
    svm_blockInit(&block, &LMEM1, 0, COUNT, sizeof(float));
    t.block = &block;
    svm_kernelInit(&t.kernel, &PROC1, table_run, "table");
    svm_kernelRun(&t.kernel);
    svm_kernelWait(&t.kernel);
    return 0;
}
