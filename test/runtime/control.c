// Pause, resume and end: by the control thread in every state of the kernel, and by the kernel itself.
// RUN: %host -o %t && %t
// RUN: %host-gcc -o %t && %t
// RUN: %host-asan -o %t && %t
// RUN: %cc -std=c11 -D_GNU_SOURCE -DSVMR_UCONTEXT -O1 -I%root -I%root/runtime/include -I%S/Inputs %s %root/runtime/common/*.c %root/runtime/host/*.c -lm -o %t && %t
// RUN: %host-tsan -o %t && %t
#include "check.h"

SVM_MACHINE("host");
SVM_MEMORY(GMEM);
SVM_PROCESSOR(CORE0);

typedef struct Kernel {
    svm_Kernel kernel;
    svm_Stream *in;
    int step, limit, seen;
} Kernel;

static void counts(svm_Kernel *k)
{
    Kernel *self = (Kernel *)k;
    for (int i = 0; i < 3; i++) {
        self->step++;
        svm_kernelPause(k);
        self->seen = self->limit; // what the control thread changed meanwhile
    }
}

static void sums(svm_Kernel *k)
{
    Kernel *self = (Kernel *)k;
    self->seen = 0;
    for (int i = 0; i < self->limit; i++) {
        int v;
        svm_streamPop(self->in, &v);
        self->seen += v;
    }
}

static void endsEarly(svm_Kernel *k)
{
    Kernel *self = (Kernel *)k;
    self->step = 1;
    svm_kernelEnd(k);
    self->step = 2; // never
}

static void nothing(svm_Kernel *k) { (void)k; }

static void pausesItself(void)
{
    static Kernel k;
    svm_kernelInit(&k.kernel, &CORE0, counts, "counts");
    svm_kernelRun(&k.kernel);
    for (int i = 1; i <= 3; i++) {
        svm_kernelWait(&k.kernel);
        CHECK(k.kernel.state == SVM_PAUSED && k.step == i && k.seen == (i - 1) * 10);
        svm_kernelWait(&k.kernel); // at once
        svm_kernelPause(&k.kernel); // already
        k.limit = i * 10;
        svm_kernelRun(&k.kernel);
    }
    svm_kernelWait(&k.kernel);
    CHECK(k.kernel.state == SVM_FINISHED && k.seen == 30);
    svm_kernelPause(&k.kernel); // nothing to pause or end
    svm_kernelEnd(&k.kernel);
    CHECK(k.kernel.state == SVM_FINISHED);
    svm_kernelRun(&k.kernel); // once more from the start
    svm_kernelWait(&k.kernel);
    CHECK(k.step == 4);
    svm_kernelEnd(&k.kernel); // while paused
    CHECK(k.kernel.state == SVM_ENDED);
    svm_kernelWait(&k.kernel);
    svm_kernelRun(&k.kernel);
    svm_kernelWait(&k.kernel);
    CHECK(k.step == 5 && k.kernel.state == SVM_PAUSED);
    svm_kernelEnd(&k.kernel);
}

static void pausedByControl(void)
{
    static Kernel k, other;
    svm_Stream s;
    svm_streamInitRAM(&s, &GMEM, svm_alloc(&GMEM, 16), 4, 4);
    k.in = &s;
    k.limit = 3;
    int v = 5;
    svm_kernelInit(&k.kernel, &CORE0, sums, "sums");
    svm_kernelInit(&other.kernel, &CORE0, nothing, "other");

    // Queued: it does not start.
    svm_kernelRun(&k.kernel);
    svm_kernelPause(&k.kernel);
    svm_kernelRun(&other.kernel);
    svm_kernelWait(&other.kernel);
    CHECK(k.kernel.state == SVM_PAUSED);
    svm_kernelRun(&k.kernel);

    // Waiting for a stream: elements do not wake it before it is resumed.
    svm_kernelRun(&other.kernel);
    svm_kernelWait(&other.kernel);
    CHECK(k.kernel.state == SVM_BLOCKED);
    svm_kernelPause(&k.kernel);
    svm_streamPush(&s, &v);
    svm_kernelRun(&other.kernel);
    svm_kernelWait(&other.kernel);
    CHECK(k.kernel.state == SVM_PAUSED && svm_streamCount(&s) == 1);
    svm_kernelRun(&k.kernel);
    EXPECT_SAYS("deadlock", "sums", "waits to pop", __LINE__, svm_kernelWait(&k.kernel));
    CHECK(svm_streamCount(&s) == 0);

    // Woken but not yet on: pausing takes it off the queue.
    svm_streamPush(&s, &v);
    CHECK(k.kernel.state == SVM_QUEUED);
    svm_kernelPause(&k.kernel);
    svm_streamPush(&s, &v);
    svm_kernelRun(&k.kernel);
    svm_kernelWait(&k.kernel);
    CHECK(k.kernel.state == SVM_FINISHED && k.seen == 15);

    // A paused kernel that others depend on.
    svm_kernelAddDependence(&other.kernel, &k.kernel);
    svm_kernelRun(&k.kernel);
    svm_kernelPause(&k.kernel);
    svm_kernelRun(&other.kernel);
    svm_kernelPause(&other.kernel); // while it waits for the dependence
    EXPECT("pending", "sums", svm_kernelDestroy(&k.kernel));
    svm_kernelRun(&other.kernel);
    EXPECT_SAYS("deadlock", "other", "'sums' is paused; 'other' waits for 'sums'", __LINE__, svm_kernelWait(&other.kernel));

    // Ended in each state, it releases what depends on it.
    svm_kernelEnd(&k.kernel);
    svm_kernelWait(&other.kernel);
    CHECK(other.kernel.state == SVM_FINISHED);
    svm_kernelRun(&k.kernel);
    svm_kernelEnd(&k.kernel); // queued
    svm_kernelRun(&k.kernel);
    svm_kernelRun(&other.kernel);
    EXPECT("deadlock", "other", svm_kernelWait(&other.kernel));
    svm_kernelEnd(&k.kernel); // waiting for a stream
    CHECK(!s.producerWaits && !s.consumerWaits);
    svm_kernelWait(&other.kernel);
    svm_kernelRun(&k.kernel);
    svm_kernelRun(&other.kernel);
    svm_kernelEnd(&other.kernel); // waiting for a dependence
    for (int i = 0; i < 3; i++)
        svm_streamPush(&s, &v);
    svm_kernelWait(&k.kernel);
    CHECK(k.seen == 15 && other.kernel.state == SVM_ENDED);
}

static void endsItself(void)
{
    static Kernel k;
    svm_kernelInit(&k.kernel, &CORE0, endsEarly, "early");
    for (int i = 0; i < 100; i++) {
        k.step = 0;
        svm_kernelRun(&k.kernel);
        svm_kernelWait(&k.kernel);
        CHECK(k.step == 1 && k.kernel.state == SVM_ENDED);
    }
}

int main(void)
{
    pausesItself();
    pausedByControl();
    endsItself();
    return 0;
}
