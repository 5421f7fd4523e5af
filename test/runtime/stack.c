// A kernel that cannot get a stack of its own is reported; one that never blocks needs none.
// RUN: %host -o %t && %t
#include <sys/resource.h>

#include "check.h"

SVM_MACHINE("simple-svm");
SVM_PROCESSOR(PROC1);

static void nothing(svm_Kernel *k) { (void)k; }

int main(void)
{
    static svm_Kernel k, plain;
    svm_kernelInit(&plain, &PROC1, nothing, "plain");
    svm_kernelNeverBlocks(&plain);
    svm_kernelInit(&k, &PROC1, nothing, "k");
    svm_kernelRun(&plain);
    svm_kernelWait(&plain);
    // No more address space than there is now.
    struct rlimit all, none;
    getrlimit(RLIMIT_AS, &all);
    none = all;
    none.rlim_cur = 1 << 20;
    setrlimit(RLIMIT_AS, &none);
    EXPECT_SAYS("stack", "k", NULL, 0, svm_kernelRun(&k); svm_kernelWait(&k));
    svm_kernelRun(&plain);
    svm_kernelWait(&plain);
    setrlimit(RLIMIT_AS, &all);
    svm_kernelRun(&k);
    svm_kernelWait(&k);
    CHECK(svm_kernelStateOf(&k) == SVM_FINISHED && svm_kernelStateOf(&plain) == SVM_FINISHED);
    return 0;
}
