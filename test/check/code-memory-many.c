// What several kernels on one processor need beside their code: the state of each object, the stack of all functions that they
// reach, and tables, but functions and tables that they share once; nothing of kernels on other processors. It may fill the memory
// to the last byte. Computed by hand.
// RUN: %svm-check -Wno-unordered -DLAST=131072-NEEDED %s
// RUN: not %svm-check -DLAST=131073-NEEDED %s 2>&1 | FileCheck --implicit-check-not=warning: %s
#include "Inputs/kernels.h"

// Tables of 400 and 200; state of three, and of the kernel that plain_init (kernels.h) places, which is followed though nothing calls
// it; on the stack a pointer and four ints, a pointer and an int, three ints.
typedef struct Small {
    svm_Kernel kernel;
    svm_Block *block;
    int values[10];
} Small;
#define NEEDED (400 + 200 + 3 * 96 + 72 + 8 + 16 + 8 + 4 + 12)

static const float shared[100] = {1};
static const char own[200] = {1};
static const double elsewhere[1000] = {1};

static float helper(int n)
{
    int v[3] = {n, n, n};
    return shared[v[0]];
}

SVM_KERNEL(cost(0, 1))
static void first_run(svm_Kernel *kernel)
{
    float *v = svm_blockData(((Small *)kernel)->block);
    int local[4] = {0, 1, 2, 3};
    v[0] = helper(local[1]) + shared[1];
}

SVM_KERNEL(cost(0, 1))
static void second_run(svm_Kernel *kernel)
{
    float *v = svm_blockData(((Small *)kernel)->block);
    int one = own[3];
    v[0] = helper(one);
}

SVM_KERNEL(cost(0, 1))
static void other_run(svm_Kernel *kernel)
{
    double large[5000];
    for (int i = 0; i < 5000; i++)
        large[i] = elsewhere[i % 1000];
    ((Small *)kernel)->values[0] = (int)large[7];
}

static void start(Small *k, mm_Proc processor, svm_KernelFunction *f, svm_Block *block)
{
    k->block = block;
    svm_kernelInit(&k->kernel, processor, f, "kernel");
    svm_kernelRun(&k->kernel);
}

int main(void)
{
    static Small a, b, c, d;
    static svm_Block low, high;
    svm_blockInit(&low, &LMEM1, 0, 1000, 1);
    // CHECK: code-memory-many.c:[[@LINE+2]]:5: warning: blocks and streams leave 1007 of the 131072 bytes of memory 'LMEM1', which holds the code of kernels on 'PROC1' too [-Wcode-memory]
    // CHECK: kernels.h:{{[0-9]+}}:1: note: beside code they need 1008 bytes: 600 for tables, 360 for state, 48 on the stack
    svm_blockInit(&high, &LMEM1, 0, LAST, 1);
    start(&a, &PROC1, first_run, &low);
    start(&b, &PROC1, first_run, &high);
    start(&c, &PROC1, second_run, &low);
    start(&d, &PROC2, other_run, &low);
    svm_kernelWait(&a.kernel);
    svm_kernelWait(&b.kernel);
    svm_kernelWait(&c.kernel);
    svm_kernelWait(&d.kernel);
    return 0;
}
