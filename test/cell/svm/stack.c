// Shows that the SPEs' stack has room for what kernels keep in their frames, through calls; what no SPE has room for is refused.
//
// RUN: %svm-llc --target=cell --remarks %s -o %t 2>&1 | FileCheck %s --check-prefix=STACK
// STACK: remark: of each local store's 262144 bytes {{.*}}, the stack {{[45][0-9][0-9][0-9][0-9]}};
// RUN: env SVM_CELL_COUNT=1 %t 2> %t.counts | FileCheck %s && FileCheck %s --check-prefix=COUNTS < %t.counts
// CHECK: 24011143
// COUNTS: SPE0: kernels 1,
// RUN: not %svm-llc --target=cell -DSIZE=40000 %s -o %t 2>&1 | FileCheck %s --check-prefix=LARGE
// LARGE: error: {{.*}} need {{[0-9]+}} bytes of the 262144 of the local store
#include <stdio.h>

#include <svm/program.h>

SVM_MACHINE("cell-qs20");
SVM_MEMORY(LS0);
SVM_PROCESSOR(SPE0);

#ifndef SIZE
#define SIZE 6000
#endif

typedef struct {
    svm_Kernel kernel;
    svm_Block *block;
} Sum;

SVM_OUTLINED static int inner(int n)
{
    int table[SIZE];
    for (int i = 0; i < SIZE; i++)
        table[(i * 7) % SIZE] = i + n;
    return table[n] + table[SIZE - 1];
}

SVM_OUTLINED static int outer(int n)
{
    int table[SIZE], sum = 0;
    for (int i = 0; i < SIZE; i++)
        table[i] = inner(i % 3);
    for (int i = n; i < SIZE; i++)
        sum += table[i];
    return sum;
}

SVM_KERNEL()
static void run(svm_Kernel *kernel)
{
    int *out = svm_blockData(((Sum *)kernel)->block);
    *out = outer(1);
}

int main(void)
{
    static Sum sum;
    svm_Block block;
    svm_blockInit(&block, &LS0, 0, 4, 4);
    svm_kernelInit(&sum.kernel, &SPE0, run, "sum");
    sum.block = &block;
    svm_kernelRun(&sum.kernel);
    svm_kernelWait(&sum.kernel);
    printf("%d\n", *(int *)svm_blockData(&block));
    return 0;
}
