// Kernels of two processors run on the calling thread while a program's threads wait; when runs have taken long, and are
// at least twice what is beside them, and enough is left, the next ones run on threads; so do they if the second processor
// has its first kernel then. Beside files a quarter of it is enough, but not beside pipes. Nothing waits with SVM_WORKERS or
// under the adversary.
// RUN: %host -o %t && %t waits && %t late && env SVM_WORKERS=2 %t works && env SVM_ADVERSARY=1 %t works
// RUN: %t files < %s > %t.out && cat %s | %t pipes > %t.out && %t pipes < %s | cat
// RUN: %host-asan -o %t && %t waits && %t late && env SVM_WORKERS=2 %t works
// RUN: %host-tsan -o %t && %t waits && %t late && env SVM_WORKERS=2 %t works
#include <pthread.h>
#include <time.h>

#include "smp.h"

#include "check.h"

typedef struct Spin {
    svm_Kernel kernel;
    int64_t nanoseconds;
    pthread_t ranOn;
    int runs;
} Spin;

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void spin(svm_Kernel *kernel)
{
    Spin *s = (Spin *)kernel;
    const int64_t until = now() + s->nanoseconds;
    while (now() < until) {
    }
    s->ranOn = pthread_self();
    s->runs++;
}

static Spin a, b;

// Both kernels once; gives whether they ran here.
static bool runBoth(svm_Threads *t)
{
    svm_threadsRun(t, false);
    svm_kernelRun(&a.kernel);
    svm_kernelRun(&b.kernel);
    svm_kernelWait(&a.kernel);
    svm_kernelWait(&b.kernel);
    svm_threadsRun(t, true);
    return pthread_equal(a.ranOn, pthread_self()) && pthread_equal(b.ranOn, pthread_self());
}

// All runs are one processor's at first.
static int runLate(void)
{
    svm_Threads t;
    svm_threadsBegin(&t);
    CHECK(t.wait);
    svm_kernelInit(&a.kernel, &CORE0, spin, "a");
    svm_kernelNeverBlocks(&a.kernel);
    a.nanoseconds = 1000000;
    for (int i = 0; t.wait && i < 10000; i++) {
        svm_threadsRun(&t, false);
        svm_kernelRun(&a.kernel);
        svm_kernelWait(&a.kernel);
        svm_threadsRun(&t, true);
        CHECK(pthread_equal(a.ranOn, pthread_self()));
        svm_threadsDecide(&t, 100, 1000000);
    }
    CHECK(!t.wait);
    svm_kernelInit(&b.kernel, &CORE1, spin, "b");
    svm_kernelNeverBlocks(&b.kernel);
    CHECK(!runBoth(&t));
    svm_kernelDestroy(&a.kernel);
    svm_kernelDestroy(&b.kernel);
    return 0;
}

// What is beside the runs, as reading and writing would be, takes twice as long as they do.
static int runBeside(bool pipes)
{
    svm_Reader in = {.item = SVM_ITEM_RAW, .elementSize = 1};
    svm_Writer out = {.item = SVM_ITEM_RAW, .elementSize = 1};
    svm_Threads t;
    svm_readerOpen(&in, NULL);
    svm_writerOpen(&out, NULL);
    svm_threadsBegin(&t);
    svm_kernelInit(&a.kernel, &CORE0, spin, "a");
    svm_kernelInit(&b.kernel, &CORE1, spin, "b");
    svm_kernelNeverBlocks(&a.kernel);
    svm_kernelNeverBlocks(&b.kernel);
    a.nanoseconds = b.nanoseconds = 250000;
    int64_t ran = 0, beside = 0;
    for (int i = 0; t.wait && i < (pipes ? 20 : 10000); i++) {
        const int64_t begun = now();
        CHECK(runBoth(&t));
        const int64_t between = now();
        while (now() < between + 4 * a.nanoseconds) {
        }
        ran += between - begun;
        beside += now() - between;
        svm_threadsDecide(&t, 100, 1000000);
    }
    // A busy computer may have let the runs wait.
    CHECK(pipes ? t.wait || 2 * ran >= beside : !t.wait);
    svm_kernelDestroy(&a.kernel);
    svm_kernelDestroy(&b.kernel);
    svm_readerClose(&in);
    svm_writerClose(&out);
    return 0;
}

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    if (strcmp(argv[1], "late") == 0)
        return runLate();
    if (strcmp(argv[1], "files") == 0 || strcmp(argv[1], "pipes") == 0)
        return runBeside(strcmp(argv[1], "pipes") == 0);
    const bool waits = strcmp(argv[1], "waits") == 0;
    svm_Threads t;
    svm_threadsBegin(&t);
    CHECK(t.wait == waits);
    svm_kernelInit(&a.kernel, &CORE0, spin, "a");
    svm_kernelInit(&b.kernel, &CORE1, spin, "b");
    svm_kernelNeverBlocks(&a.kernel);
    svm_kernelNeverBlocks(&b.kernel);
    if (waits) {
        for (int i = 0; i < 100; i++) { // nothing that takes long is done
            CHECK(runBoth(&t));
            svm_threadsDecide(&t, 0, INT64_MAX);
            CHECK(t.wait);
        }
        a.nanoseconds = b.nanoseconds = 500000;
        for (int i = 0; i < 10; i++) { // nothing is left to do
            CHECK(runBoth(&t));
            svm_threadsDecide(&t, 100, 0);
            CHECK(t.wait);
        }
        for (int i = 0; t.wait && i < 10000; i++) { // on a busy computer the control thread may wait, too
            CHECK(runBoth(&t));
            svm_threadsDecide(&t, 100, 1000000);
        }
        CHECK(!t.wait);
        (void)runBoth(&t); // on as many threads as there are cores
        svm_threadsDecide(&t, 100, 0);
        CHECK(!t.wait);
    } else {
        svm_threadsDecide(&t, 100, 1000000);
        const bool here = runBoth(&t);
        CHECK(!t.wait && (getenv("SVM_ADVERSARY") != NULL || !here));
    }
    CHECK(a.runs == b.runs && a.runs > 0);
    svm_kernelDestroy(&a.kernel);
    svm_kernelDestroy(&b.kernel);
    return 0;
}
