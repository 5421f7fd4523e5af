// Streams in time: a consumer is as late as its producer, one that waits gives its processor to another kernel, a full stream
// holds the producer back, and what is acquired and released costs what the machine says.
// RUN: %sim -o %t && %t
#include "timed.h"

enum { COUNT = 100 };

typedef struct Stage {
    svm_Kernel kernel;
    svm_Stream *in, *out;
    size_t cycles; // before each element
    int last;
    double ended;
} Stage;

static void produce(svm_Kernel *k)
{
    Stage *s = (Stage *)k;
    for (int i = 0; i < COUNT; i++) {
        svm_kernelFirings(k, s->cycles);
        svm_streamPush(s->out, &i);
    }
    s->ended = svm_simTime() * 1e9;
}
static void consume(svm_Kernel *k)
{
    Stage *s = (Stage *)k;
    for (int i = 0; i < COUNT; i++) {
        svm_streamPop(s->in, &s->last);
        svm_kernelFirings(k, s->cycles);
    }
    s->ended = svm_simTime() * 1e9;
}
static void work(svm_Kernel *k)
{
    svm_kernelFirings(k, ((Stage *)k)->cycles);
}
static void windows(svm_Kernel *k)
{
    Stage *s = (Stage *)k;
    for (int i = 0; i < 3; i++) {
        int *out = svm_streamPushAcquire(s->out, 5); // 20 bytes: two units of 16
        for (int j = 0; j < 5; j++)
            out[j] = j;
        svm_streamPushSend(s->out, 5);
    }
    for (int i = 0; i < 3; i++) {
        const int *in = svm_streamPopAcquire(s->out, 5);
        CHECK(in[4] == 4);
        svm_streamPopDiscard(s->out, 5);
    }
}
TIMED_KERNELS({produce, "produce", 0, 1, true}, {consume, "consume", 0, 1, true}, {work, "work", 0, 1, true},
              {windows, "windows", 0, 1, true});

static Stage *make(mm_Proc processor, svm_KernelFunction *f, size_t cycles, svm_Stream *in, svm_Stream *out, const char *name)
{
    Stage *s = calloc(1, sizeof *s);
    s->in = in;
    s->out = out;
    s->cycles = cycles;
    svm_kernelInit(&s->kernel, processor, f, name);
    return s;
}

static void runBoth(Stage *a, Stage *b)
{
    svm_kernelRun(&a->kernel);
    svm_kernelRun(&b->kernel);
    svm_kernelWaitMultiple(2, (svm_Kernel *[]){&a->kernel, &b->kernel});
    CHECK(b->last == COUNT - 1);
}

static double now(void)
{
    return svm_simTime() * 1e9;
}

int main(void)
{
    svm_Stream s;
    // In a local memory of no cost. The consumer is slower: its start, then 100 times 30; the first element is there 10
    // after the producer's start, as late as its own.
    svm_streamInitRAM(&s, &LMEM1, 0, 4, 4);
    svm_Stream shared;
    svm_streamInitRAM(&shared, &GMEM, svm_alloc(&GMEM, 400), 100, 4);
    Stage *p = make(&P1, produce, 10, NULL, &shared, "p"), *c = make(&P2, consume, 30, &shared, NULL, "c");
    runBoth(p, c);
    CHECK(fabs(p->ended - (100 + COUNT * 10)) < 1e-3); // never held back: the bandwidth of GMEM is enough for 4 bytes
    CHECK_TIME(100 + 10 + COUNT * 30 + 10);

    // The producer is slower.
    double begin = now();
    p->cycles = 50;
    runBoth(p, c);
    CHECK_TIME(begin + 100 + COUNT * 50 + 30 + 10);

    // A stream of 4 elements: the producer is held back by the consumer. Of the last element, the place is free when
    // the consumer takes the fourth before it.
    svm_streamInitRAM(&shared, &GMEM, shared.address, 4, 4);
    begin = now();
    p->cycles = 10;
    runBoth(p, c);
    CHECK_TIME(begin + 100 + 10 + COUNT * 30 + 10);
    CHECK(fabs(p->ended - (begin + 100 + 10 + (COUNT - 5) * 30)) < 1e-3);

    // Both on one processor: the consumer waits at once and gives way; they take turns, four elements at a time, and the
    // time is that of both.
    Stage *q = make(&P1, consume, 30, &s, NULL, "q"), *r = make(&P1, produce, 10, NULL, &s, "r");
    begin = now();
    runBoth(r, q);
    CHECK_TIME(begin + 2 * 110 + COUNT * 40);

    // While a kernel waits for another processor's, a third one has its processor. The queue is full by then: `slow` goes on
    // when `fast` has taken the first element. That takes 4, what GMEM needs for its bytes, which is more than `fast`
    // computes.
    Stage *slow = make(&P2, produce, 50, NULL, &shared, "slow"), *fast = make(&P1, consume, 1, &shared, NULL, "fast");
    Stage *third = make(&P1, work, 777, NULL, NULL, "third");
    begin = now();
    svm_kernelRun(&fast->kernel);
    svm_kernelRun(&slow->kernel);
    svm_kernelRun(&third->kernel);
    svm_kernelWait(&third->kernel);
    CHECK_TIME(begin + 100 + 110 + 777); // after the start of `fast`, which then waits
    svm_kernelWait(&fast->kernel);
    CHECK_TIME(begin + 100 + 110 + 777 + 4 + (COUNT - 5) * 50 + 4 + 10);

    // Two-phase: acquire 7, send 20 + 3 for the second unit; acquire 11 + 2, discard 5.
    svm_streamInitRAM(&s, &LMEM1, 0, 15, 4);
    Stage *w = make(&P1, windows, 0, NULL, &s, "windows");
    begin = now();
    svm_kernelRun(&w->kernel);
    svm_kernelWait(&w->kernel);
    CHECK(fabs(now() - (begin + 110 + 3 * (7 + 23 + 13 + 5))) < 0.1);

    // The control thread's own: it waits for elements and for room.
    svm_streamInitRAM(&shared, &GMEM, shared.address, 4, 4);
    begin = now();
    svm_kernelRun(&p->kernel);
    int v;
    for (int i = 0; i < COUNT; i++)
        svm_streamPop(&shared, &v);
    CHECK_TIME(begin + 100 + COUNT * 10);
    svm_kernelWait(&p->kernel);
    begin = now();
    svm_kernelRun(&c->kernel);
    for (int i = 0; i < COUNT; i++)
        svm_streamPush(&shared, &i);
    CHECK_TIME(begin + 100 + (COUNT - 5) * 30);
    svm_kernelWait(&c->kernel);
    CHECK_TIME(begin + 100 + COUNT * 30 + 10);
    return 0;
}
