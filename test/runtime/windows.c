// Two-phase access: windows are worked on in place, several may be acquired before one is released, and each misuse is named; on
// one processor, and by the control thread.
// RUN: %host -o %t && %t
// RUN: %host-gcc -o %t && %t
// RUN: %host-asan -o %t && %t
// RUN: %host-tsan -o %t && %t
#include "check.h"

SVM_MACHINE("host");
SVM_MEMORY(GMEM);
SVM_PROCESSOR(CORE0);

typedef struct Ends {
    svm_Kernel kernel;
    svm_Stream *in, *out;
    size_t count, window, ahead; // elements; in a window; windows acquired at once
    long result;
} Ends;

static void fills(svm_Kernel *k)
{
    Ends *e = (Ends *)k;
    int next = 0;
    for (size_t left = e->count; left > 0;) {
        size_t n = 0;
        for (; n < e->ahead && left > 0; n++, left -= e->window) {
            int *p = svm_streamPushAcquire(e->out, e->window);
            for (size_t i = 0; i < e->window; i++)
                p[i] = next++;
        }
        for (; n > 0; n--)
            svm_streamPushSend(e->out, e->window);
    }
    svm_streamEnd(e->out);
}

static void drains(svm_Kernel *k)
{
    Ends *e = (Ends *)k;
    int next = 0;
    for (size_t there; (there = svm_streamWaitCount(e->in, e->window * e->ahead)) > 0;) {
        size_t n = 0, taken = 0;
        for (; n < e->ahead && taken < there; n++) {
            size_t window = there - taken < e->window ? there - taken : e->window;
            const int *p = svm_streamPopAcquire(e->in, window);
            for (size_t i = 0; i < window; i++)
                CHECK(p[i] == next++);
            taken += window;
        }
        svm_streamPopDiscard(e->in, taken); // any number of the acquired ones at once
        e->result += (long)taken;
    }
}

static void between(size_t capacity, size_t push, size_t pushAhead, size_t pop, size_t popAhead)
{
    static Ends a, b;
    svm_Stream s;
    svm_streamInit(&s, &GMEM, svm_alloc(&GMEM, capacity * 4), capacity, 4);
    a = (Ends){.out = &s, .count = 240, .window = push, .ahead = pushAhead};
    b = (Ends){.in = &s, .window = pop, .ahead = popAhead};
    svm_kernelInit(&a.kernel, &CORE0, fills, "fills");
    svm_kernelInit(&b.kernel, &CORE0, drains, "drains");
    svm_kernelRun(&b.kernel);
    svm_kernelRun(&a.kernel);
    svm_kernelWaitMultiple(2, (svm_Kernel *[]){&a.kernel, &b.kernel});
    CHECK(b.result == 240);
    svm_streamDestroy(&s);
    svm_free(&GMEM, s.address);
}

static void control(void)
{
    svm_Stream s;
    size_t g = svm_alloc(&GMEM, 32);
    svm_streamInit(&s, &GMEM, g, 8, 4);
    svm_streamName(&s, "s");
    int *p = svm_streamPushAcquire(&s, 4), *q = svm_streamPushAcquire(&s, 4), v = 9;
    CHECK(q == p + 4 && svm_streamCount(&s) == 0);
    EXPECT("window", "s", svm_streamPush(&s, &v));
    EXPECT("window", "s", svm_streamEnd(&s));
    EXPECT("window", "s", svm_streamPushAcquire(&s, 1));
    EXPECT("window", "s", svm_streamPushSend(&s, 9));
    p[0] = 1, p[3] = 4, q[0] = 5;
    svm_streamPushSend(&s, 4);
    CHECK(svm_streamCount(&s) == 4);
    svm_streamPushSend(&s, 4);
    EXPECT("window", "s", svm_streamPushSend(&s, 1));
    CHECK(svm_streamWaitCount(&s, 1) == 8);
    const int *r = svm_streamPopAcquire(&s, 4);
    CHECK(r == p && r[0] == 1 && r[3] == 4 && svm_streamWaitCount(&s, 1) == 4);
    EXPECT("window", "s", svm_streamPop(&s, &v));
    EXPECT("window", "s", svm_streamPopDiscard(&s, 5));
    // What is acquired has no room yet.
    EXPECT_SAYS("deadlock", "s", "to have room", __LINE__, svm_streamPushAcquire(&s, 4));
    svm_streamPopDiscard(&s, 4);
    CHECK(svm_streamPushAcquire(&s, 4) == p);
    svm_streamPushSend(&s, 4);
    EXPECT("window", "s", svm_streamPopAcquire(&s, 0));
    EXPECT("window", "s", svm_streamPopAcquire(&s, 9));
    EXPECT("window", "s", svm_streamPopAcquire(&s, SIZE_MAX));
    EXPECT("window", "s", svm_streamWaitCount(&s, 9));
    EXPECT_SAYS("window", "s", "multiple", __LINE__, svm_streamPopAcquire(&s, 3));
    EXPECT_SAYS("window", "s", "wraps", __LINE__, svm_streamPopAcquire(&s, 8)); // from the middle
    svm_streamPopAcquire(&s, 4);
    svm_streamPopDiscard(&s, 4);
    svm_streamPop(&s, &v); // elements and windows may alternate
    svm_streamPop(&s, NULL);
    svm_streamEnd(&s);
    EXPECT("end-of-stream", "s", svm_streamPushAcquire(&s, 4));
    EXPECT("end-of-stream", "s", svm_streamPopAcquire(&s, 4));
    CHECK(svm_streamWaitCount(&s, 4) == 2);
    svm_streamPopAcquire(&s, 2);
    svm_streamPopDiscard(&s, 2);
    CHECK(svm_streamWaitCount(&s, 4) == 0 && svm_streamEnded(&s));
    EXPECT("end-of-stream", "s", svm_streamPopAcquire(&s, 1));
    svm_streamDestroy(&s);
    EXPECT("bad-argument", "", svm_streamPushAcquire(&s, 1));
    svm_free(&GMEM, g);
}

// A kernel waits for more than the other end gives.
static void wantsFour(svm_Kernel *k)
{
    Ends *e = (Ends *)k;
    if (e->in)
        svm_streamPopAcquire(e->in, 4);
    else
        svm_streamPushAcquire(e->out, 4);
}

static void stuck(void)
{
    svm_Stream s;
    size_t g = svm_alloc(&GMEM, 16);
    int v = 0;
    static Ends k;
    for (int in = 0; in < 2; in++) {
        svm_streamInit(&s, &GMEM, g, 4, 4);
        svm_streamName(&s, "s");
        k.in = in ? &s : NULL;
        k.out = in ? NULL : &s;
        for (int i = 0; i < 4; i++)
            svm_streamPush(&s, &v);
        for (int i = 0; i < (in ? 4 : 2); i++)
            svm_streamPop(&s, NULL);
        if (in) {
            svm_streamPush(&s, &v);
            svm_streamPush(&s, &v);
            svm_streamPushAcquire(&s, 2);
        }
        svm_kernelInit(&k.kernel, &CORE0, wantsFour, "k");
        svm_kernelRun(&k.kernel);
        EXPECT_SAYS("deadlock", "k",
                    in ? "'k' waits for 4 elements of 's', which has 2"
                       : "'k' waits for room for 4 elements in 's', which has 2 of 4",
                    0, svm_kernelWait(&k.kernel));
        EXPECT_SAYS("in-use", "s", "'k' waits for it", __LINE__, svm_streamDestroy(&s));
        if (in)
            svm_streamPushSend(&s, 2);
        else
            svm_streamPop(&s, NULL), svm_streamPop(&s, NULL);
        svm_kernelWait(&k.kernel);
        svm_streamDestroy(&s);
    }
    svm_free(&GMEM, g);
}

int main(void)
{
    static const size_t capacities[] = {12, 24, 60};
    for (size_t c = 0; c < 3; c++)
        for (size_t push = 1; push <= 12; push++)
            for (size_t pop = 1; pop <= 12; pop++) {
                if (12 % push || 12 % pop)
                    continue;
                between(capacities[c], push, 1, pop, 1);
                between(capacities[c], push, 12 / push, pop, 12 / pop);
            }
    control();
    stuck();
    return 0;
}
