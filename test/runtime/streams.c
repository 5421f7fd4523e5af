// Streaming kernels on one processor: they wait for each other on streams of every small capacity, keep their own stacks, and any
// number of them runs; the control thread pushes and pops too.
// RUN: %host -o %t && %t
// RUN: %host-gcc -o %t && %t
// RUN: %host-asan -o %t && %t
// RUN: %host-tsan -o %t && %t
#include "check.h"

SVM_MACHINE("host");
SVM_MEMORY(GMEM);
SVM_PROCESSOR(CORE0);

typedef struct Stage {
    svm_Kernel kernel;
    svm_Stream *in, *out;
    int count, add, result;
} Stage;

static svm_Stream *makeStream(size_t capacity, size_t elementSize)
{
    svm_Stream *s = calloc(1, sizeof *s);
    svm_streamInitRAM(s, &GMEM, svm_alloc(&GMEM, capacity * elementSize), capacity, elementSize);
    return s;
}

static void freeStream(svm_Stream *s)
{
    svm_free(&GMEM, s->address);
    free(s);
}

static void produce(svm_Kernel *k)
{
    Stage *s = (Stage *)k;
    for (int i = 0; i < s->count; i++)
        svm_streamPush(s->out, &i);
    svm_streamEnd(s->out);
}

static void add(svm_Kernel *k)
{
    Stage *s = (Stage *)k;
    while (!svm_streamEnded(s->in)) {
        int v;
        svm_streamPop(s->in, &v);
        v += s->add;
        svm_streamPush(s->out, &v);
    }
    svm_streamEnd(s->out);
}

static void sum(svm_Kernel *k)
{
    Stage *s = (Stage *)k;
    int local[1000]; // a frame of its own, kept while it waits
    for (int i = 0; i < 1000; i++)
        local[i] = i;
    s->result = 0;
    while (!svm_streamEnded(s->in)) {
        int v;
        svm_streamPop(s->in, &v);
        s->result += v;
    }
    for (int i = 0; i < 1000; i++)
        CHECK(local[i] == i);
}

// A chain of stages, queued from its end so that every one has to wait at first.
static void chain(int stages, size_t capacity, int count)
{
    Stage *s = calloc((size_t)stages, sizeof *s);
    for (int i = 0; i < stages; i++) {
        s[i].count = count;
        s[i].add = i;
        s[i].in = i ? s[i - 1].out : NULL;
        s[i].out = i + 1 < stages ? makeStream(capacity, sizeof(int)) : NULL;
        svm_kernelInit(&s[i].kernel, &CORE0, i == 0 ? produce : i + 1 < stages ? add : sum, "stage");
    }
    for (int i = stages; i-- > 0;)
        svm_kernelRun(&s[i].kernel);
    svm_kernelWait(&s[stages - 1].kernel);
    CHECK(s[stages - 1].result == count * (count - 1) / 2 + count * (stages - 1) * (stages - 2) / 2);
    for (int i = 0; i < stages; i++) {
        svm_kernelWait(&s[i].kernel);
        CHECK(s[i].kernel.state == SVM_FINISHED);
        svm_kernelDestroy(&s[i].kernel);
        if (s[i].out)
            freeStream(s[i].out);
    }
    free(s);
}

// Two kernels that answer each other.
static void pong(svm_Kernel *k)
{
    Stage *s = (Stage *)k;
    for (int i = 0; i < s->count; i++) {
        int v;
        svm_streamPop(s->in, &v);
        s->result = v;
        v++;
        svm_streamPush(s->out, &v);
    }
}

static void pingPong(size_t capacity)
{
    svm_Stream *there = makeStream(capacity, 4), *back = makeStream(capacity, 4);
    static Stage a, b;
    a.in = b.out = back;
    b.in = a.out = there;
    a.count = b.count = 1000;
    svm_kernelInit(&a.kernel, &CORE0, pong, "a");
    svm_kernelInit(&b.kernel, &CORE0, pong, "b");
    int first = 0;
    svm_streamPush(back, &first);
    svm_kernelRun(&a.kernel);
    svm_kernelRun(&b.kernel);
    svm_kernelWaitMultiple(2, (svm_Kernel *[]){&a.kernel, &b.kernel});
    CHECK(a.result == 1998 && b.result == 1999 && svm_streamCount(back) == 1 && svm_streamCount(there) == 0);
    freeStream(there);
    freeStream(back);
}

// A window of three over elements of an odd size; the queue wraps at every offset.
typedef struct Item {
    char text[5];
} Item;

static void windows(svm_Kernel *k)
{
    Stage *s = (Stage *)k;
    for (int i = 0; i < s->count; i++) {
        Item items[3];
        for (size_t j = 0; j < 3; j++)
            svm_streamPeek(s->in, 2 - j, &items[2 - j]);
        for (int j = 0; j < 3; j++)
            CHECK(atoi(items[j].text) == i + j);
        svm_streamPop(s->in, i % 2 ? &items[0] : NULL);
    }
}

static void controlPushes(size_t capacity)
{
    svm_Stream *s = makeStream(capacity, sizeof(Item));
    static Stage w;
    w.in = s;
    w.count = 500;
    svm_kernelInit(&w.kernel, &CORE0, windows, "windows");
    svm_kernelRun(&w.kernel);
    for (int i = 0; i < 502; i++) {
        Item item;
        snprintf(item.text, sizeof item.text, "%d", i);
        svm_streamPush(s, &item);
    }
    svm_kernelWait(&w.kernel);
    CHECK(svm_streamCount(s) == 2);
    freeStream(s);
}

static void controlPops(void)
{
    svm_Stream *s = makeStream(3, 4);
    static Stage p;
    p.out = s;
    p.count = 10;
    svm_kernelInit(&p.kernel, &CORE0, produce, "producer");
    svm_kernelRun(&p.kernel);
    int v, expected = 0;
    for (; !svm_streamEnded(s); expected++) {
        svm_streamPop(s, &v);
        CHECK(v == expected);
    }
    CHECK(expected == 10);
    svm_kernelWait(&p.kernel);
    // What memory holds already can be in the queue from the start.
    svm_streamInitRAM(s, &GMEM, s->address, 3, 4);
    svm_streamFill(s, 3);
    int sumOfThree = 0;
    for (int i = 0; i < 3; i++, sumOfThree += v)
        svm_streamPop(s, &v);
    CHECK(sumOfThree == 9 + 7 + 8 && svm_streamCount(s) == 0);
    freeStream(s);
}

// A kernel that never waits may still use streams that have room.
static void plainProducer(void)
{
    svm_Stream *s = makeStream(10, 4);
    static Stage p;
    p.out = s;
    p.count = 10;
    svm_kernelInit(&p.kernel, &CORE0, produce, "producer");
    svm_kernelNeverBlocks(&p.kernel);
    svm_kernelRun(&p.kernel);
    svm_kernelWait(&p.kernel); // for runtimes that do not run it in the call
    CHECK(p.kernel.state == SVM_FINISHED && svm_streamCount(s) == 10);
    freeStream(s);
}

int main(void)
{
    for (size_t capacity = 1; capacity < 5; capacity++) {
        chain(2, capacity, 100);
        chain(5, capacity, 100);
        pingPong(capacity);
        if (capacity >= 3)
            controlPushes(capacity);
    }
    chain(300, 2, 20);
    controlPushes(7);
    controlPops();
    plainProducer();
    return 0;
}
