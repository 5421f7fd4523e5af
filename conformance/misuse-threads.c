// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows: misuse of control threads, barriers, mutexes and conditions.
// Machine: simple-svm
// Prints:
//   thread on a kernel processor: bad-processor
//   thread without a function: bad-argument
//   join of what is no thread: bad-argument
//   join twice: not-joinable
//   barrier for nobody: bad-argument
//   barrier that nobody else comes to: deadlock
//   lock of what is no mutex: bad-argument
//   lock twice: deadlock
//   destroy while held: in-use
//   unlock without holding: not-held
//   wait without holding: not-held
//   wait that nobody ends: deadlock
#include "conform.h"

#include <svm/threads.h>

SVM_MACHINE("simple-svm");
SVM_PROCESSOR(PROC0);
SVM_PROCESSOR(PROC1);

static int nothing(void *argument)
{
    return argument != NULL;
}

int main(void)
{
    static svm_Thread t, none;
    static svm_Barrier b;
    static svm_Mutex m, noMutex;
    static svm_Condition c;
    mm_Proc kernel = &PROC1;
    int (*noFunction)(void *) = NULL;
    MISUSE("thread on a kernel processor", svm_threadCreate(&t, kernel, nothing, NULL, "t"));
    MISUSE("thread without a function", svm_threadCreate(&t, &PROC0, noFunction, NULL, "t"));
    MISUSE("join of what is no thread", svm_threadJoin(&none));
    svm_threadCreate(&t, &PROC0, nothing, NULL, "t");
    svm_threadJoin(&t);
    MISUSE("join twice", svm_threadJoin(&t));
    MISUSE("barrier for nobody", svm_barrierInit(&b, 0, "b"));
    svm_barrierInit(&b, 2, "b");
    MISUSE("barrier that nobody else comes to", svm_barrierWait(&b));
    MISUSE("lock of what is no mutex", svm_mutexLock(&noMutex));
    svm_mutexInit(&m, "m");
    svm_mutexLock(&m);
    MISUSE("lock twice", svm_mutexLock(&m));
    MISUSE("destroy while held", svm_mutexDestroy(&m));
    svm_mutexUnlock(&m);
    MISUSE("unlock without holding", svm_mutexUnlock(&m));
    svm_conditionInit(&c, "c");
    MISUSE("wait without holding", svm_conditionWait(&c, &m));
    svm_mutexLock(&m);
    MISUSE("wait that nobody ends", svm_conditionWait(&c, &m));
    return 0;
}
