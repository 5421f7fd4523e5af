// Kernels on several processors run on workers of their own: streams between them, dependences, DMA kernels, control threads that
// push and pop, pausing and ending a running kernel; whatever the number of workers the results are the same.
// RUN: %host -o %t && %t
// RUN: %host -o %t && env SVM_WORKERS=1 %t && env SVM_WORKERS=2 %t && env SVM_WORKERS=4 %t
// RUN: %host-asan -o %t && env SVM_WORKERS=4 %t && env SVM_WORKERS=1 %t
// RUN: %host-tsan -o %t && env SVM_WORKERS=4 %t && env SVM_WORKERS=2 %t
#include <time.h>

#include "smp.h"

#include "check.h"

typedef struct Stage {
    svm_Kernel kernel;
    svm_Stream *in, *out;
    svm_Block *block;
    int count, add, result, window;
} Stage;

static svm_Processor *const cores[] = {&CORE0, &CORE1, &CORE2, &CORE3};

static svm_Stream *makeStream(size_t capacity, size_t elementSize)
{
    svm_Stream *s = calloc(1, sizeof *s);
    svm_streamInitRAM(s, &GMEM, svm_alloc(&GMEM, capacity * elementSize), capacity, elementSize);
    svm_streamName(s, "s");
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
    s->result = 0;
    while (!svm_streamEnded(s->in)) {
        int v;
        svm_streamPop(s->in, &v);
        s->result += v;
    }
}

// A chain over the first `processors` cores, in turn.
static void chain(int stages, int processors, size_t capacity, int count)
{
    Stage *s = calloc((size_t)stages, sizeof *s);
    for (int i = 0; i < stages; i++) {
        s[i].count = count;
        s[i].add = i;
        s[i].in = i ? s[i - 1].out : NULL;
        s[i].out = i + 1 < stages ? makeStream(capacity, sizeof(int)) : NULL;
        svm_kernelInit(&s[i].kernel, cores[i % processors], i == 0 ? produce : i + 1 < stages ? add : sum, "stage");
    }
    for (int i = stages; i-- > 0;)
        svm_kernelRun(&s[i].kernel);
    svm_kernelWait(&s[stages - 1].kernel);
    CHECK(s[stages - 1].result == count * (count - 1) / 2 + count * (stages - 1) * (stages - 2) / 2);
    for (int i = 0; i < stages; i++) {
        svm_kernelWait(&s[i].kernel);
        CHECK(svm_kernelStateOf(&s[i].kernel) == SVM_FINISHED);
        svm_kernelDestroy(&s[i].kernel);
        if (s[i].out)
            freeStream(s[i].out);
    }
    free(s);
}

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
    a.count = b.count = 500;
    svm_kernelInit(&a.kernel, &CORE0, pong, "a");
    svm_kernelInit(&b.kernel, &CORE1, pong, "b");
    int first = 0;
    svm_streamPush(back, &first);
    svm_kernelRun(&a.kernel);
    svm_kernelRun(&b.kernel);
    svm_kernelWaitMultiple(2, (svm_Kernel *[]){&a.kernel, &b.kernel});
    CHECK(a.result == 998 && b.result == 999 && svm_streamCount(back) == 1 && svm_streamCount(there) == 0);
    freeStream(there);
    freeStream(back);
}

// Windows of several sizes on both ends, the consumer's last one shorter.
static void fills(svm_Kernel *k)
{
    Stage *s = (Stage *)k;
    for (int i = 0; i < s->count; i += s->window) {
        int *p = svm_streamPushAcquire(s->out, (size_t)s->window);
        for (int j = 0; j < s->window; j++)
            p[j] = i + j;
        svm_streamPushSend(s->out, (size_t)s->window);
    }
    svm_streamEnd(s->out);
}

static void drains(svm_Kernel *k)
{
    Stage *s = (Stage *)k;
    s->result = 0;
    for (size_t n; (n = svm_streamWaitCount(s->in, (size_t)s->window)) > 0;) {
        n = n < (size_t)s->window ? n : (size_t)s->window;
        const int *p = svm_streamPopAcquire(s->in, n);
        for (size_t j = 0; j < n; j++)
            s->result += p[j];
        svm_streamPopDiscard(s->in, n);
    }
}

static void windows(int capacity, int push, int pop)
{
    svm_Stream *s = makeStream((size_t)capacity, sizeof(int));
    static Stage a, b;
    a.out = b.in = s;
    a.window = push;
    b.window = pop;
    a.count = 600;
    svm_kernelInit(&a.kernel, &CORE0, fills, "fills");
    svm_kernelInit(&b.kernel, &CORE1, drains, "drains");
    svm_kernelRun(&b.kernel);
    svm_kernelRun(&a.kernel);
    svm_kernelWaitMultiple(2, (svm_Kernel *[]){&a.kernel, &b.kernel});
    CHECK(b.result == 600 * 599 / 2);
    freeStream(s);
}

// Strips: each kernel works on a block, depends on the one before it and on its own last run; DMA moves between them.
static void increment(svm_Kernel *k)
{
    Stage *s = (Stage *)k;
    int *p = svm_blockData(s->block);
    for (size_t i = 0; i < s->block->capacity; i++)
        p[i]++;
}

static void strips(bool plain)
{
    enum { STRIP = 64, STRIPS = 50 };
    svm_Block blocks[4];
    Stage stages[4];
    svm_MoveB2B moves[3];
    memset(stages, 0, sizeof stages);
    size_t g = svm_alloc(&GMEM, sizeof(int) * STRIP * 4);
    for (int i = 0; i < 4; i++) {
        svm_blockInit(&blocks[i], &GMEM, g + (size_t)i * STRIP * 4, STRIP, 4);
        stages[i].block = &blocks[i];
        svm_kernelInit(&stages[i].kernel, cores[i], increment, "strip");
        if (plain)
            svm_kernelNeverBlocks(&stages[i].kernel);
    }
    for (int i = 0; i < 3; i++) {
        svm_moveB2BInit(&moves[i], &DMA0, &blocks[i], &blocks[i + 1]);
        svm_kernelAddDependence(&moves[i].kernel, &stages[i].kernel);
        svm_kernelAddDependence(&stages[i + 1].kernel, &moves[i].kernel);
        if (i)
            svm_kernelAddDependence(&stages[i].kernel, &moves[i].kernel);
        svm_kernelAddDependence(&moves[i].kernel, &stages[i + 1].kernel);
    }
    svm_kernelAddDependence(&stages[0].kernel, &moves[0].kernel);
    for (int n = 0; n < STRIPS; n++) {
        for (int i = 0; i < 4; i++) {
            svm_kernelRun(&stages[i].kernel);
            if (i < 3)
                svm_kernelRun(&moves[i].kernel);
        }
        svm_kernelWait(&stages[3].kernel); // and with it all others
    }
    for (int i = 0; i < 4; i++)
        CHECK(((int *)svm_blockData(&blocks[i]))[STRIP - 1] == STRIPS + i);
    for (int i = 0; i < 4; i++)
        svm_kernelDestroy(&stages[i].kernel);
    for (int i = 0; i < 3; i++)
        svm_kernelDestroy(&moves[i].kernel);
    svm_free(&GMEM, g);
}

// Through streams that DMA kernels fill and empty.
static void throughTransfers(size_t capacity)
{
    svm_Stream *a = makeStream(capacity, 4), *b = makeStream(capacity, 4);
    static Stage p, c;
    static svm_MoveS2S m;
    p.out = a;
    c.in = b;
    p.count = 500;
    svm_kernelInit(&p.kernel, &CORE0, produce, "produce");
    svm_kernelInit(&c.kernel, &CORE1, sum, "sum");
    svm_moveS2SInit(&m, &DMA0, a, b, 500);
    svm_kernelRun(&m.kernel);
    svm_kernelRun(&c.kernel);
    svm_kernelRun(&p.kernel);
    svm_kernelWait(&m.kernel);
    svm_streamEnd(b);
    svm_kernelWaitMultiple(2, (svm_Kernel *[]){&p.kernel, &c.kernel});
    CHECK(c.result == 500 * 499 / 2);
    svm_kernelDestroy(&m.kernel);
    freeStream(a);
    freeStream(b);
}

static void control(size_t capacity)
{
    svm_Stream *in = makeStream(capacity, 4), *out = makeStream(capacity, 4);
    static Stage k[2];
    svm_Stream *between = makeStream(capacity, 4);
    for (int i = 0; i < 2; i++) {
        k[i].in = i ? between : in;
        k[i].out = i ? out : between;
        k[i].add = 10;
        svm_kernelInit(&k[i].kernel, cores[i], add, "add");
        svm_kernelRun(&k[i].kernel);
    }
    for (int i = 0; i < 300; i++) {
        int v = i;
        svm_streamPush(in, &v);
        svm_streamPop(out, &v);
        CHECK(v == i + 20);
    }
    svm_streamEnd(in);
    CHECK(svm_streamEnded(out));
    svm_kernelWaitMultiple(2, (svm_Kernel *[]){&k[0].kernel, &k[1].kernel});
    freeStream(in);
    freeStream(between);
    freeStream(out);
}

// Do kernels run beside the control thread, and not only while it waits?
static bool beside(void)
{
    const char *text = getenv("SVM_WORKERS");
    return text && *text && atoi(text) > 1;
}

// A kernel that runs until it is told otherwise: it answers each request when it next uses a stream.
static void forever(svm_Kernel *k)
{
    Stage *s = (Stage *)k;
    for (;;) {
        int v = s->add;
        svm_streamPush(s->out, &v);
        svm_streamPop(s->out, &v);
        s->result++;
    }
}

static void interrupted(void)
{
    svm_Stream *s = makeStream(4, 4);
    static Stage k, other;
    k.out = s;
    svm_kernelInit(&k.kernel, &CORE0, forever, "forever");
    svm_kernelInit(&other.kernel, &CORE1, increment, "other");
    if (beside()) {
        for (int i = 0; i < 20; i++) {
            svm_kernelRun(&k.kernel);
            svm_kernelPause(&k.kernel);
            svm_kernelWait(&k.kernel);
            CHECK(svm_kernelStateOf(&k.kernel) == SVM_PAUSED);
            k.add++;
        }
        svm_kernelRun(&k.kernel);
        svm_kernelPause(&k.kernel); // and at once
        svm_kernelRun(&k.kernel);
        svm_kernelEnd(&k.kernel);
        svm_kernelRun(&k.kernel); // once more from the start
        svm_kernelEnd(&k.kernel);
        svm_kernelWait(&k.kernel);
        CHECK(svm_kernelStateOf(&k.kernel) == SVM_ENDED);
    }
    svm_kernelDestroy(&k.kernel);
    svm_kernelDestroy(&other.kernel);
    freeStream(s);
}

// Errors of kernels on workers come to the control thread, one after the other, and the machine stays usable.
enum { beyondLine = __LINE__ + 5 };
static void readsBeyond(svm_Kernel *k)
{
    Stage *s = (Stage *)k;
    int v;
    svm_blockRead(s->block, s->block->capacity, &v);
}

static void errors(bool plain)
{
    svm_Block b;
    size_t g = svm_alloc(&GMEM, 64);
    svm_blockInit(&b, &GMEM, g, 16, 4);
    svm_blockName(&b, "numbers");
    static Stage k[4];
    for (int i = 0; i < 4; i++) {
        k[i].block = &b;
        svm_kernelInit(&k[i].kernel, cores[i], readsBeyond, "beyond");
        if (plain)
            svm_kernelNeverBlocks(&k[i].kernel);
    }
    for (int i = 0; i < 4; i++)
        EXPECT_SAYS("index-range", "numbers", "element 16", beyondLine, svm_kernelRun(&k[i].kernel);
                    svm_kernelWait(&k[i].kernel));
    // Those that nobody waits for are reported by the next call.
    if (beside()) {
        svm_kernelRun(&k[0].kernel);
        EXPECT_SAYS("index-range", "numbers", "element 16", beyondLine, for (;;) svm_kernelStateOf(&k[0].kernel));
    }
    for (int i = 0; i < 4; i++) {
        CHECK(svm_kernelStateOf(&k[i].kernel) == SVM_ENDED);
        svm_kernelDestroy(&k[i].kernel);
    }
    svm_free(&GMEM, g);
}

// Functions of kernels that never block may have large arrays, on any processor.
static void large(svm_Kernel *k)
{
    volatile char array[(size_t)16 << 20];
    for (size_t i = 0; i < sizeof array; i += 4096)
        array[i] = (char)(i >> 12);
    ((Stage *)k)->result = array[4096 * 5] + array[4096 * 4000];
}

static void largeFrames(void)
{
    static Stage k[2];
    for (int i = 0; i < 2; i++) {
        svm_kernelInit(&k[i].kernel, cores[i], large, "large");
        svm_kernelNeverBlocks(&k[i].kernel);
        svm_kernelRun(&k[i].kernel);
    }
    for (int i = 0; i < 2; i++) {
        svm_kernelWait(&k[i].kernel);
        CHECK(k[i].result == 5 + (char)4000);
    }
}

static void waits(svm_Kernel *k) { svm_streamPop(((Stage *)k)->in, NULL); }

static void deadlock(void)
{
    svm_Stream *s[3];
    static Stage k[3];
    for (int i = 0; i < 3; i++)
        s[i] = makeStream(2, 4);
    svm_streamName(s[0], "one");
    svm_streamName(s[1], "two");
    for (int i = 0; i < 2; i++) {
        k[i].in = s[i];
        svm_kernelInit(&k[i].kernel, cores[i], waits, i ? "second" : "first");
        svm_kernelRun(&k[i].kernel);
    }
    for (int round = 0; round < 3; round++)
        EXPECT_SAYS("deadlock", "second", "'first' waits to pop from 'one', which is empty; 'second' waits to pop from 'two'",
                    __LINE__, svm_kernelWait(&k[1].kernel));
    EXPECT_SAYS("deadlock", "s", "to have elements", __LINE__, svm_streamPop(s[2], NULL));
    int v = 0;
    svm_streamPush(s[0], &v);
    svm_streamPush(s[1], &v);
    svm_kernelWaitMultiple(2, (svm_Kernel *[]){&k[0].kernel, &k[1].kernel});
    for (int i = 0; i < 3; i++)
        freeStream(s[i]);
}

// A machine is destroyed with kernels that run and wait.
static void destroyed(void)
{
    for (int round = 0; round < 10; round++) {
        svm_Machine *m = svm_machineCreate(), *before = svm_machineUse(m);
        svm_Stream a, b;
        Stage k[3];
        memset(k, 0, sizeof k);
        svm_streamInitRAM(&a, &GMEM, svm_alloc(&GMEM, 16), 4, 4);
        svm_streamInitRAM(&b, &GMEM, svm_alloc(&GMEM, 16), 4, 4);
        k[0].out = &a;
        k[0].count = 1 << 30;
        k[1].in = &a;
        k[2].in = &b;
        svm_kernelInit(&k[0].kernel, &CORE0, produce, "produce");
        svm_kernelInit(&k[1].kernel, &CORE1, sum, "sum");
        svm_kernelInit(&k[2].kernel, &CORE2, waits, "waits");
        for (int i = 0; i < 3; i++)
            svm_kernelRun(&k[i].kernel);
        svm_machineDestroy(m);
        svm_machineUse(before);
    }
}

static void sleeps(svm_Kernel *k)
{
    nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    ((Stage *)k)->result++;
}

// A run that is taken back while there is one thread leaves none that counts when there are several.
static void takenBack(void)
{
    static Stage first, second;
    svm_Machine *m = svm_machineCreate(), *before = svm_machineUse(m);
    svm_kernelInit(&first.kernel, &CORE0, sleeps, "first");
    svm_kernelRun(&first.kernel);
    svm_kernelPause(&first.kernel);
    svm_kernelEnd(&first.kernel);
    CHECK(first.kernel.state == SVM_ENDED && first.result == 0);
    svm_kernelInit(&second.kernel, &CORE1, sleeps, "second");
    svm_kernelRun(&second.kernel);
    svm_kernelWait(&second.kernel); // while it runs nobody is stuck
    CHECK(second.result == 1);
    svm_machineUse(before);
    svm_machineDestroy(m);
}

int main(void)
{
    for (size_t capacity = 1; capacity < 4; capacity++) {
        chain(2, 2, capacity, 300);
        chain(9, 4, capacity, 200);
        chain(9, 1, capacity, 100);
        pingPong(capacity);
        throughTransfers(capacity);
        control(capacity);
    }
    chain(100, 4, 5, 100);
    chain(3, 3, 1000, 20000);
    for (int n = 1; n <= 12; n++)
        if (12 % n == 0) {
            windows(12, n, 1);
            windows(12, 1, n);
            windows(24, n, n);
            windows(60, 10, n);
        }
    strips(false);
    strips(true);
    interrupted();
    errors(false);
    errors(true);
    deadlock();
    takenBack();
    if (beside()) // the first thread's stack is the system's matter here
        largeFrames();
    destroyed();
    return 0;
}
