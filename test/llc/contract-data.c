// Shows: a kernel may read const tables only; file-scope variables, static locals, tables that lead to mutable data, undefined
// tables and machine names are located errors with the declaration.
// RUN: not %svm-llc --target=null %s 2>&1 | FileCheck %s
#include <svm/svm.h>

SVM_MACHINE("simple-svm");
SVM_MEMORY(LMEM1);
SVM_PROCESSOR(PROC1);

typedef struct Range { int from, to; } Range;
typedef struct Names { const char *const name[2]; Range range; } Names;
typedef struct Loose { int *counter; } Loose;

static const float taps[2][2] = {{1, 2}, {3, 4}};
static const char *const words[] = {"a", "b"};
static const Names names = {{"a", "b"}, {1, 2}};
static int calls;
static const char *texts[] = {"a"};
static int *const counter = &calls;
static const Loose loose = {&calls};
extern const int elsewhere[4];
static _Thread_local int local_to_thread;

static int helper(int i)
{
    static int last;
    static const int table[2] = {1, 2};
    last = i;
    return last + table[i];
}

SVM_KERNEL(cost(0, 1))
static void run(svm_Kernel *kernel)
{
    (void)kernel;
    float f = taps[1][0];
    const char *w = words[0];
    int n = names.range.from + names.name[0][0] + (int)sizeof calls;
    // CHECK: contract-data.c:[[@LINE+1]]:5: error: kernel 'run' touches mutable file-scope variable 'calls'; only const tables are shared with kernels
    calls = n + (int)f + *w;
    // CHECK: contract-data.c:17:12: note: 'calls' is declared here
    // CHECK: contract-data.c:[[@LINE+1]]:9: error: kernel 'run' touches mutable file-scope variable 'texts'
    w = texts[0];
    // CHECK: contract-data.c:[[@LINE+1]]:6: error: kernel 'run' touches mutable file-scope variable 'counter'
    *counter = 1;
    // CHECK: contract-data.c:[[@LINE+1]]:6: error: kernel 'run' touches mutable file-scope variable 'loose'
    *loose.counter = 2;
    // CHECK: contract-data.c:[[@LINE+1]]:9: error: kernel 'run' uses 'elsewhere', which this file does not define
    n = elsewhere[1];
    // CHECK: contract-data.c:[[@LINE+1]]:5: error: kernel 'run' touches mutable file-scope variable 'local_to_thread'
    local_to_thread = n;
    // CHECK: contract-data.c:[[@LINE+1]]:9: error: kernel 'run' touches mutable file-scope variable 'LMEM1'
    w = LMEM1.name;
    helper(0);
}
// CHECK: 8 errors generated.
