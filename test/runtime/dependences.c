// A dependence binds when the kernel is run, to the latest run of its target; it persists; runs finish in an order that respects
// it; a cycle among pending runs is an error that names the kernels.
// RUN: %host -o %t && %t
// RUN: %host-gcc -o %t && %t
// RUN: %host-asan -o %t && %t
#include "check.h"

SVM_MACHINE("host");
SVM_MEMORY(GMEM);
SVM_PROCESSOR(CORE0);

static char order[100];

typedef struct Kernel {
    svm_Kernel kernel;
    char letter;
    bool pauses;
    svm_Stream *waitsFor; // NULL: nothing
} Kernel;

static void record(svm_Kernel *k)
{
    Kernel *self = (Kernel *)k;
    int v;
    if (self->pauses)
        svm_kernelPause(k);
    if (self->waitsFor)
        svm_streamPop(self->waitsFor, &v);
    size_t n = strlen(order);
    order[n] = self->letter;
    order[n + 1] = 0;
}

static void set(Kernel *k, char letter)
{
    static const char *const names[] = {"A", "B", "C", "D"};
    k->letter = letter;
    k->pauses = false;
    k->waitsFor = NULL;
    svm_kernelInit(&k->kernel, &CORE0, record, names[letter - 'A']);
    order[0] = 0;
}

int main(void)
{
    static Kernel a, b, c, d;
    svm_Stream s;
    svm_streamInitRAM(&s, &GMEM, svm_alloc(&GMEM, 16), 4, 4);
    int v = 0;

    // Queued against the order of their dependences: those come first all the same. Waiting runs no more than it must.
    set(&a, 'A'), set(&b, 'B'), set(&c, 'C'), set(&d, 'D');
    a.waitsFor = &s;
    svm_kernelAddDependence(&b.kernel, &a.kernel);
    svm_kernelAddDependence(&c.kernel, &b.kernel);
    svm_kernelAddDependence(&c.kernel, &a.kernel);
    svm_kernelAddDependence(&c.kernel, &a.kernel); // twice is once
    svm_kernelRun(&a.kernel);
    svm_kernelRun(&b.kernel);
    svm_kernelRun(&c.kernel);
    svm_kernelRun(&d.kernel);
    svm_kernelWait(&d.kernel);
    CHECK(strcmp(order, "D") == 0 && a.kernel.state == SVM_BLOCKED && b.kernel.state == SVM_QUEUED);
    svm_streamPush(&s, &v);
    svm_kernelWait(&c.kernel);
    CHECK(strcmp(order, "DABC") == 0);

    // A target never run is satisfied; one queued later is not waited for by a run that was bound before.
    set(&a, 'A'), set(&b, 'B');
    svm_kernelAddDependence(&a.kernel, &b.kernel);
    svm_kernelRun(&a.kernel);
    svm_kernelRun(&b.kernel);
    svm_kernelWaitMultiple(2, (svm_Kernel *[]){&b.kernel, &a.kernel});
    CHECK(strcmp(order, "AB") == 0);

    // Both ways, as in a strip loop: each run waits for the other's latest.
    set(&a, 'A'), set(&b, 'B');
    svm_kernelAddDependence(&a.kernel, &b.kernel);
    svm_kernelAddDependence(&b.kernel, &a.kernel);
    for (int i = 0; i < 3; i++) {
        svm_kernelRun(&a.kernel);
        svm_kernelRun(&b.kernel);
        svm_kernelWait(&b.kernel);
    }
    CHECK(strcmp(order, "ABABAB") == 0);

    // The same with run-ahead, and with kernels that are plain calls: they wait when they must.
    for (int plain = 0; plain < 2; plain++) {
        set(&a, 'A'), set(&b, 'B'), set(&c, 'C'), set(&d, 'D');
        a.waitsFor = &s;
        if (plain)
            svm_kernelNeverBlocks(&b.kernel), svm_kernelNeverBlocks(&c.kernel), svm_kernelNeverBlocks(&d.kernel);
        svm_kernelAddDependence(&b.kernel, &a.kernel);
        svm_kernelAddDependence(&c.kernel, &b.kernel);
        svm_kernelRun(&a.kernel);
        svm_kernelRun(&b.kernel);
        svm_kernelRun(&c.kernel);
        svm_kernelRun(&d.kernel);
        CHECK(strcmp(order, plain ? "D" : "") == 0 || !*order); // a runtime need not run it in the call
        svm_streamPush(&s, &v);
        svm_kernelWaitMultiple(4, (svm_Kernel *[]){&d.kernel, &c.kernel, &b.kernel, &a.kernel});
        CHECK(strcmp(order, plain ? "DABC" : "ADBC") == 0 || strcmp(order, "ADBC") == 0);
    }

    // A dependence on itself is one on the run before.
    set(&a, 'A');
    svm_kernelAddDependence(&a.kernel, &a.kernel);
    for (int i = 0; i < 3; i++) {
        svm_kernelRun(&a.kernel);
        svm_kernelWait(&a.kernel);
    }
    CHECK(strcmp(order, "AAA") == 0);

    // Initialising again forgets dependences, destroying the target satisfies them.
    set(&a, 'A'), set(&b, 'B');
    a.waitsFor = &s;
    svm_kernelAddDependence(&b.kernel, &a.kernel);
    set(&b, 'B');
    svm_kernelRun(&a.kernel);
    svm_kernelRun(&b.kernel);
    svm_kernelWait(&b.kernel);
    CHECK(strcmp(order, "B") == 0);
    svm_kernelAddDependence(&b.kernel, &a.kernel);
    svm_streamPush(&s, &v);
    svm_kernelWait(&a.kernel);
    svm_kernelDestroy(&a.kernel);
    svm_kernelRun(&b.kernel);
    svm_kernelWait(&b.kernel);
    CHECK(strcmp(order, "BAB") == 0);

    // A cycle: A is paused, C waits for B, B for A, and A is resumed with a new dependence on C.
    set(&a, 'A'), set(&b, 'B'), set(&c, 'C');
    a.pauses = true;
    svm_kernelAddDependence(&b.kernel, &a.kernel);
    svm_kernelAddDependence(&c.kernel, &b.kernel);
    svm_kernelRun(&a.kernel);
    svm_kernelRun(&b.kernel);
    svm_kernelRun(&c.kernel);
    svm_kernelWait(&a.kernel);
    CHECK(a.kernel.state == SVM_PAUSED);
    EXPECT_SAYS("deadlock", "C", "'B' waits for 'A'; 'C' waits for 'B'", __LINE__, svm_kernelWait(&c.kernel));
    svm_kernelAddDependence(&a.kernel, &c.kernel);
    EXPECT_SAYS("dependence-cycle", "A", "'A' <- 'B' <- 'C' <- 'A'", __LINE__, svm_kernelRun(&a.kernel));
    // The kernel is as it was: ending it lets the others go.
    CHECK(a.kernel.state == SVM_PAUSED);
    svm_kernelEnd(&a.kernel);
    svm_kernelWait(&c.kernel);
    CHECK(strcmp(order, "BC") == 0);
    return 0;
}
