// Errors beside the control thread: what was printed before comes first, then the message, and the program exits with 1; also when
// nobody waits any more, and when the error is a created control thread's.
// RUN: %host -o %t
// RUN: sh -c 'SVM_WORKERS=4 %t misuse; echo "code $?"' 2>&1 | FileCheck --check-prefix=MISUSE --match-full-lines %s
// RUN: sh -c 'SVM_WORKERS=1 %t misuse; echo "code $?"' 2>&1 | FileCheck --check-prefix=MISUSE --match-full-lines %s
//      MISUSE: printed by talks
// MISUSE-NEXT: printed by fails
// MISUSE-NEXT: {{.*}}worker_errors.c:[[# @LINE + 38]]: error: svm_blockRead of 'numbers': element 4 of a block of 4 [index-range]
// MISUSE-NEXT: code 1
// RUN: sh -c 'SVM_WORKERS=4 %t fatal; echo "code $?"' 2>&1 | FileCheck --check-prefix=FATAL --match-full-lines %s
//      FATAL: printed by talks
// FATAL-NEXT: printed by fails
// FATAL-NEXT: fm.str:12: error: a firing declares push 3 but did push 2 in LowPass_1
// FATAL-NEXT: code 1
// RUN: sh -c 'SVM_WORKERS=4 %t unseen; echo "code $?"' 2>&1 | FileCheck --check-prefix=MISUSE --match-full-lines %s
// RUN: sh -c 'SVM_WORKERS=4 %t destroyed; echo "code $?"' 2>&1 | FileCheck --check-prefix=MISUSE --match-full-lines %s
// RUN: sh -c '%t thread; echo "code $?"' 2>&1 | FileCheck --check-prefix=THREAD --match-full-lines %s
//      THREAD: printed by talks
// THREAD-NEXT: {{.*}}worker_errors.c:{{[0-9]+}}: error: svm_barrierWait: the barrier is a null pointer [bad-argument]
// THREAD-NEXT: code 1
// RUN: sh -c '%t threads; echo "code $?"' 2>&1 | FileCheck --check-prefix=THREADS --match-full-lines %s
// THREADS: {{.*}}worker_errors.c:{{[0-9]+}}: error: svm_threadJoin of 'one': the control thread waits for 'one' to end; the control thread 'one' waits for 'mutex', a mutex, to be unlocked; no kernel is pending [deadlock]
// THREADS: code 1
// RUN: sh -c 'SVM_WORKERS=0 %t misuse; echo "code $?"' 2>&1 | FileCheck --check-prefix=NUMBER %s
// RUN: sh -c 'SVM_WORKERS=two %t misuse; echo "code $?"' 2>&1 | FileCheck --check-prefix=NUMBER %s
// NUMBER: error: SVM_WORKERS must be a number of threads from 1 to 4096, not '
// NUMBER: code 1
#include "smp.h"

#include "check.h"

typedef struct Kernel {
    svm_Kernel kernel;
    svm_Log log;
    svm_Block *block;
    bool fatal;
} Kernel;

static void fails(svm_Kernel *k)
{
    Kernel *self = (Kernel *)k;
    int v;
    svm_printText(&self->log, "printed by fails\n");
    if (self->fatal)
        svm_rateError("LowPass_1 at fm.str:12", "push", 3, 2);
    svm_blockRead(self->block, 4, &v);
}

static void talks(svm_Kernel *k) { svm_printText(&((Kernel *)k)->log, "printed by talks\n"); }

static int noBarrier(void *argument)
{
    (void)argument;
    svm_barrierWait(NULL);
    return 0;
}

static int locks(void *mutex)
{
    svm_mutexLock(mutex);
    svm_mutexUnlock(mutex);
    return 0;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    static Kernel first, second;
    svm_Thread t;
    svm_Machine *m = svm_machineCreate();
    svm_machineUse(m);
    svm_Block b;
    svm_blockInit(&b, &GMEM, svm_alloc(&GMEM, 16), 4, 4);
    svm_blockName(&b, "numbers");
    svm_printOrder((svm_Log *[]){&first.log, &second.log}, 2);
    second.block = &b;
    second.fatal = strcmp(what, "fatal") == 0;
    svm_kernelInit(&first.kernel, &CORE0, talks, "talks");
    svm_kernelInit(&second.kernel, &CORE1, fails, "fails");
    svm_kernelAddDependence(&second.kernel, &first.kernel);
    svm_kernelRun(&first.kernel);
    if (strcmp(what, "thread") == 0) {
        svm_kernelWait(&first.kernel);
        svm_threadCreate(&t, &CPU2, noBarrier, NULL, "thread");
        svm_threadJoin(&t);
    } else if (strcmp(what, "threads") == 0) {
        svm_kernelWait(&first.kernel);
        svm_Mutex mutex;
        svm_mutexInit(&mutex, "mutex");
        svm_mutexLock(&mutex);
        svm_threadCreate(&t, &CPU2, locks, &mutex, "one");
        svm_threadJoin(&t);
    } else {
        svm_kernelRun(&second.kernel);
        if (strcmp(what, "unseen") == 0 || strcmp(what, "destroyed") == 0)
            while (__atomic_load_n(&second.kernel.state, __ATOMIC_ACQUIRE) != SVM_ENDED)
                ;
        else
            svm_kernelWait(&second.kernel);
        if (strcmp(what, "destroyed") == 0)
            svm_machineDestroy(m);
    }
    return 0;
}
