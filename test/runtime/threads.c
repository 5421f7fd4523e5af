// Control threads: they share the machine's memory and start kernels, each with processors of its own; barrier, mutex and condition;
// their misuse, and the deadlock of all of them, which says who waits for what.
// RUN: %host -o %t && %t
// RUN: %host -o %t && env SVM_WORKERS=1 %t && env SVM_WORKERS=4 %t
// RUN: %host-gcc -o %t && %t
// RUN: %host-asan -o %t && %t
// RUN: %host-tsan -o %t && %t
#include "smp.h"

#include "check.h"

enum { THREADS = 4, ROUNDS = 50 };

typedef struct Shared {
    svm_Barrier barrier;
    svm_Mutex mutex;
    svm_Condition changed;
    int counter, turn, last;
    int rounds[THREADS];
} Shared;

typedef struct Thread {
    svm_Thread thread;
    Shared *shared;
    int number, result;
} Thread;

static void start(Thread *t, Shared *shared, int (*f)(void *))
{
    static const char *const names[THREADS] = {"t0", "t1", "t2", "t3"};
    for (int i = 0; i < THREADS; i++) {
        t[i].shared = shared;
        t[i].number = i;
        svm_threadCreate(&t[i].thread, i % 2 ? &CPU2 : &CPU, f, &t[i], names[i]);
    }
}

static void init(Shared *s)
{
    memset(s, 0, sizeof *s);
    svm_barrierInit(&s->barrier, THREADS, "barrier");
    svm_mutexInit(&s->mutex, "mutex");
    svm_conditionInit(&s->changed, "changed");
}

static void destroy(Shared *s)
{
    svm_barrierDestroy(&s->barrier);
    svm_mutexDestroy(&s->mutex);
    svm_conditionDestroy(&s->changed);
}

// Each sees what all wrote before the barrier; one of them is told that it was the last.
static int meets(void *argument)
{
    Thread *t = argument;
    Shared *s = t->shared;
    for (int i = 0; i < ROUNDS; i++) {
        s->rounds[t->number] = i + 1;
        if (svm_barrierWait(&s->barrier))
            s->last++;
        for (int j = 0; j < THREADS; j++)
            CHECK(s->rounds[j] == i + 1);
        svm_barrierWait(&s->barrier);
    }
    return t->number * 10;
}

static int counts(void *argument)
{
    Thread *t = argument;
    for (int i = 0; i < 200; i++) {
        svm_mutexLock(&t->shared->mutex);
        t->shared->counter++;
        svm_mutexUnlock(&t->shared->mutex);
    }
    return 0;
}

// In turn.
static int takesTurns(void *argument)
{
    Thread *t = argument;
    Shared *s = t->shared;
    for (int i = 0; i < ROUNDS; i++) {
        svm_mutexLock(&s->mutex);
        while (s->turn != t->number)
            svm_conditionWait(&s->changed, &s->mutex);
        s->turn = (s->turn + 1) % THREADS;
        s->counter++;
        svm_conditionBroadcast(&s->changed);
        svm_mutexUnlock(&s->mutex);
    }
    return 0;
}

// A signal lets one go, the one that waits longest.
static int waitsInOrder(void *argument)
{
    Thread *t = argument;
    Shared *s = t->shared;
    svm_mutexLock(&s->mutex);
    while (s->turn != t->number) // they come in order
        svm_conditionWait(&s->changed, &s->mutex);
    s->turn++;
    svm_conditionBroadcast(&s->changed);
    svm_Condition *c = (svm_Condition *)(void *)&s[1];
    svm_conditionWait(c, &s->mutex);
    s->last = s->last * 10 + t->number + 1;
    svm_mutexUnlock(&s->mutex);
    return 0;
}

static void inOrder(void)
{
    struct {
        Shared shared;
        svm_Condition go;
    } s;
    Thread t[THREADS];
    init(&s.shared);
    CHECK((void *)&s.go == (void *)(&s.shared + 1));
    svm_conditionInit(&s.go, "go");
    start(t, &s.shared, waitsInOrder);
    svm_mutexLock(&s.shared.mutex);
    while (s.shared.turn < THREADS)
        svm_conditionWait(&s.shared.changed, &s.shared.mutex);
    for (int i = 0; i < THREADS; i++) {
        svm_conditionSignal(&s.go);
        svm_mutexUnlock(&s.shared.mutex);
        svm_threadJoin(&t[i].thread); // the one that waited longest
        svm_mutexLock(&s.shared.mutex);
    }
    svm_mutexUnlock(&s.shared.mutex);
    CHECK(s.shared.last == 1234);
    svm_conditionDestroy(&s.go);
    destroy(&s.shared);
}

// Each runs a kernel on a processor of its own over its part of a block; the sum of all is the same as by one.
typedef struct Sum {
    svm_Kernel kernel;
    svm_Block *block;
    size_t first, count;
    int64_t result;
} Sum;

static svm_Processor *const cores[] = {&CORE0, &CORE1, &CORE2, &CORE3};
static svm_Block numbers;

static void sum(svm_Kernel *k)
{
    Sum *s = (Sum *)k;
    const int *p = svm_blockData(s->block);
    for (size_t i = 0; i < s->count; i++)
        s->result += p[s->first + i];
}

static int sums(void *argument)
{
    Thread *t = argument;
    Sum s;
    memset(&s, 0, sizeof s);
    s.block = &numbers;
    s.count = numbers.capacity / THREADS;
    s.first = s.count * (size_t)t->number;
    svm_kernelInit(&s.kernel, cores[t->number], sum, "sum");
    svm_kernelRun(&s.kernel);
    svm_kernelWait(&s.kernel);
    svm_kernelDestroy(&s.kernel);
    return (int)s.result;
}

static void reduction(void)
{
    size_t g = svm_alloc(&GMEM, 4000);
    svm_blockInit(&numbers, &GMEM, g, 1000, 4);
    for (int i = 0; i < 1000; i++)
        ((int *)svm_blockData(&numbers))[i] = i;
    Shared s;
    Thread t[THREADS];
    init(&s);
    start(t, &s, sums); // t3 on CPU2, the only master of CORE3
    int total = 0;
    for (int i = 0; i < THREADS; i++)
        total += svm_threadJoin(&t[i].thread);
    CHECK(total == 1000 * 999 / 2);
    destroy(&s);
    svm_free(&GMEM, g);
}

// Two control threads at the ends of a stream, and kernels in between.
typedef struct Pipe {
    svm_Stream in, out;
} Pipe;

static void doubles(svm_Kernel *k)
{
    Pipe *p = ((struct { svm_Kernel kernel; Pipe *pipe; } *)k)->pipe;
    while (!svm_streamEnded(&p->in)) {
        int v;
        svm_streamPop(&p->in, &v);
        v *= 2;
        svm_streamPush(&p->out, &v);
    }
    svm_streamEnd(&p->out);
}

static int feeds(void *argument)
{
    Pipe *p = argument;
    for (int i = 0; i < 500; i++)
        svm_streamPush(&p->in, &i);
    svm_streamEnd(&p->in);
    return 7;
}

static void pipeline(void)
{
    Pipe p;
    struct { svm_Kernel kernel; Pipe *pipe; } k;
    svm_Thread t;
    size_t g = svm_alloc(&GMEM, 32);
    svm_streamInit(&p.in, &GMEM, g, 3, 4);
    svm_streamInit(&p.out, &GMEM, g + 16, 4, 4);
    k.pipe = &p;
    svm_kernelInit(&k.kernel, &CORE0, doubles, "doubles");
    svm_kernelRun(&k.kernel);
    svm_threadCreate(&t, &CPU2, feeds, &p, "feeds");
    int v;
    for (int i = 0; i < 500; i++) {
        svm_streamPop(&p.out, &v);
        CHECK(v == 2 * i);
    }
    CHECK(svm_streamEnded(&p.out));
    CHECK(svm_threadJoin(&t) == 7);
    svm_kernelWait(&k.kernel);
    svm_kernelDestroy(&k.kernel);
    svm_free(&GMEM, g);
}

// ---- Misuse ----

static Shared misused;

static int misuses(void *argument)
{
    Thread *t = argument;
    Shared *s = t->shared;
    static Sum k;
    svm_kernelInit(&k.kernel, &CORE3, sum, "third");
    EXPECT_SAYS("not-master", "third", "'misuses' runs on 'CPU', which is no master of 'CORE3'", 0,
                svm_kernelRun(&k.kernel));
    EXPECT_SAYS("not-held", "mutex", "held by 'the first control thread'", __LINE__, svm_mutexUnlock(&s->mutex));
    EXPECT("in-use", "mutex", svm_mutexDestroy(&s->mutex));
    EXPECT("not-joinable", "misuses", svm_threadJoin(&t->thread));
    svm_kernelDestroy(&k.kernel);
    return 0;
}

static int waitsAtBarrier(void *argument)
{
    svm_barrierWait(&((Thread *)argument)->shared->barrier);
    return 0;
}

static int waitsForCondition(void *argument)
{
    Shared *s = ((Thread *)argument)->shared;
    svm_mutexLock(&s->mutex);
    s->turn = 1;
    svm_conditionBroadcast(&s->changed);
    svm_conditionWait(&s->changed, &s->mutex);
    svm_mutexUnlock(&s->mutex);
    return 0;
}

static void insideKernel(svm_Kernel *k)
{
    (void)k;
    svm_mutexLock(&misused.mutex);
}

static void misuse(void)
{
    Shared *s = &misused;
    init(s);
    Thread t;
    t.shared = s;
    svm_Barrier b, none;
    svm_Thread thread;
    memset(&none, 0, sizeof none);
    memset(&thread, 0, sizeof thread);
    EXPECT("bad-argument", "b", svm_barrierInit(&b, 0, "b"));
    EXPECT("bad-argument", "b", svm_barrierInit(NULL, 1, "b"));
    EXPECT("bad-argument", "", svm_barrierWait(&none));
    EXPECT("bad-argument", "", svm_mutexLock(NULL));
    EXPECT("bad-argument", "", svm_conditionSignal(NULL));
    EXPECT("bad-argument", "", svm_threadJoin(&thread));
    EXPECT("bad-argument", "x", svm_threadCreate(NULL, &CPU, misuses, NULL, "x"));
    EXPECT("bad-argument", "x", svm_threadCreate(&thread, &CPU, NULL, NULL, "x"));
    EXPECT("bad-processor", "x", svm_threadCreate(&thread, &CORE0, misuses, NULL, "x"));
    EXPECT("not-held", "mutex", svm_mutexUnlock(&s->mutex));
    EXPECT("not-held", "mutex", svm_conditionWait(&s->changed, &s->mutex));
    svm_mutexLock(&s->mutex);
    EXPECT("deadlock", "mutex", svm_mutexLock(&s->mutex));
    EXPECT("in-use", "mutex", svm_mutexDestroy(&s->mutex));
    // Nobody can come: a barrier for four, a condition that nobody signals.
    EXPECT_SAYS("deadlock", "barrier", "waits for 'barrier', a barrier, to open; no kernel", 0,
                svm_barrierWait(&s->barrier));
    EXPECT_SAYS("deadlock", "changed", "waits for 'changed', a condition, to be signalled", 0,
                svm_conditionWait(&s->changed, &s->mutex));
    svm_mutexLock(&s->mutex);
    svm_threadCreate(&t.thread, &CPU, misuses, &t, "misuses");
    CHECK(svm_threadJoin(&t.thread) == 0);
    EXPECT("not-joinable", "", svm_threadJoin(&t.thread));
    svm_Kernel k;
    memset(&k, 0, sizeof k);
    svm_kernelInit(&k, &CORE0, insideKernel, "inside");
    EXPECT_SAYS("not-control", "mutex", "'inside'", 0, svm_kernelRun(&k); svm_kernelWait(&k));
    svm_kernelDestroy(&k);
    svm_mutexUnlock(&s->mutex);

    // Two wait for each other: the first thread for the other's end, the other at the barrier.
    svm_threadCreate(&t.thread, &CPU2, waitsAtBarrier, &t, "comes");
    EXPECT_SAYS("deadlock", "comes",
                "the control thread waits for 'comes' to end; the control thread 'comes' waits for 'barrier', a barrier",
                __LINE__, svm_threadJoin(&t.thread));
    EXPECT("in-use", "barrier", svm_barrierDestroy(&s->barrier));
    svm_Machine *m = svm_machineUse(NULL);
    CHECK(m == NULL);
    for (int i = 0; i < 3; i++) { // the others come after all
        static Thread others[3];
        others[i].shared = s;
        if (i < 2)
            svm_threadCreate(&others[i].thread, &CPU, waitsAtBarrier, &others[i], "other");
        else
            svm_barrierWait(&s->barrier);
        if (i == 2)
            for (int j = 0; j < 2; j++)
                svm_threadJoin(&others[j].thread);
    }
    CHECK(svm_threadJoin(&t.thread) == 0);

    svm_threadCreate(&t.thread, &CPU2, waitsForCondition, &t, "waits");
    svm_mutexLock(&s->mutex);
    while (!s->turn)
        svm_conditionWait(&s->changed, &s->mutex);
    svm_mutexUnlock(&s->mutex);
    EXPECT_SAYS("in-use", "changed", "'waits'", __LINE__, svm_conditionDestroy(&s->changed));
    svm_conditionSignal(&s->changed);
    svm_threadJoin(&t.thread);
    destroy(s);
    EXPECT("bad-argument", "", svm_mutexLock(&s->mutex));

    // A machine with a thread that was not joined.
    m = svm_machineCreate();
    svm_machineUse(m);
    init(s);
    svm_threadCreate(&t.thread, &CPU, counts, &t, "left");
    EXPECT("in-use", "left", svm_machineDestroy(m));
    svm_threadJoin(&t.thread);
    svm_machineDestroy(m);
    svm_machineUse(NULL);
}

int main(void)
{
    Shared s;
    Thread t[THREADS];
    init(&s);
    start(t, &s, meets);
    for (int i = 0; i < THREADS; i++)
        CHECK(svm_threadJoin(&t[i].thread) == i * 10);
    CHECK(s.last == ROUNDS);
    start(t, &s, counts);
    for (int i = 0; i < THREADS; i++)
        svm_threadJoin(&t[i].thread);
    CHECK(s.counter == THREADS * 200);
    start(t, &s, takesTurns);
    for (int i = THREADS; i-- > 0;)
        svm_threadJoin(&t[i].thread);
    CHECK(s.counter == THREADS * (200 + ROUNDS));
    destroy(&s);
    inOrder();
    reduction();
    pipeline();
    misuse();
    return 0;
}
