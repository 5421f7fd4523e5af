// Control threads in time: each on its own control processor goes its own way, those that share one take turns, and who
// waits for a barrier, a mutex, a condition or a thread goes on at the time of whoever makes that happen.
// RUN: %sim -o %t && %t
#include "timed.h"

SVM_PROCESSOR(CPU);

typedef struct Work {
    svm_Kernel kernel;
    size_t cycles;
} Work;

static void work(svm_Kernel *k)
{
    svm_kernelFirings(k, ((Work *)k)->cycles);
}
TIMED_KERNELS({work, "work", 0, 1, true});

static svm_Barrier barrier;
static svm_Mutex mutex;
static svm_Condition condition;
static bool ready;
static char order[20];

static double now(void)
{
    return svm_simTime() * 1e9;
}

static void note(char c)
{
    size_t n = strlen(order);
    order[n] = c;
    order[n + 1] = 0;
}

static void runOn(mm_Proc processor, size_t cycles)
{
    Work w = {.cycles = cycles};
    svm_kernelInit(&w.kernel, processor, work, "work");
    svm_kernelRun(&w.kernel);
    svm_kernelWait(&w.kernel);
    svm_kernelDestroy(&w.kernel);
}

static int other(void *argument)
{
    runOn(&P2, *(size_t *)argument);
    CHECK_TIME(110 + 2000);
    svm_barrierWait(&barrier); // the last to come
    CHECK_TIME(2110);
    svm_mutexLock(&mutex);
    ready = true;
    runOn(&P2, 300);
    svm_conditionSignal(&condition);
    svm_mutexUnlock(&mutex);
    CHECK_TIME(2110 + 410);
    runOn(&P2, 500);
    return 7;
}

static int first(void *argument)
{
    (void)argument;
    note('a');
    runOn(&P1, 100);
    note('b');
    return 0;
}
static int second(void *argument)
{
    (void)argument;
    note('c');
    runOn(&P2, 50);
    note('d');
    return 0;
}

int main(void)
{
    svm_barrierInit(&barrier, 2, "barrier");
    svm_mutexInit(&mutex, "mutex");
    svm_conditionInit(&condition, "condition");
    size_t cycles = 2000;
    svm_Thread t;
    svm_threadCreate(&t, &CPU2, other, &cycles, "other");
    runOn(&P1, 1000);
    CHECK_TIME(1110);
    svm_barrierWait(&barrier);
    CHECK_TIME(2110);
    svm_mutexLock(&mutex);
    while (!ready)
        svm_conditionWait(&condition, &mutex);
    svm_mutexUnlock(&mutex);
    CHECK_TIME(2520);
    CHECK(svm_threadJoin(&t) == 7);
    CHECK_TIME(2520 + 610);

    // Two on one processor: the second begins when the first one waits.
    svm_Thread a, b;
    double begin = now();
    svm_threadCreate(&a, &CPU2, first, NULL, "first");
    svm_threadCreate(&b, &CPU2, second, NULL, "second");
    svm_threadJoin(&a);
    svm_threadJoin(&b);
    CHECK(strcmp(order, "acdb") == 0);
    CHECK_TIME(begin + 210);

    // One that shares the main thread's processor begins when that waits.
    begin = now();
    order[0] = 0;
    svm_threadCreate(&a, &CPU, first, NULL, "first");
    note('m');
    svm_threadJoin(&a);
    CHECK(strcmp(order, "mab") == 0);
    CHECK_TIME(begin + 210);
    return 0;
}
