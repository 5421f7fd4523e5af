// Where objects may lie: hardware queues, alignment of a local memory, blocks over streams, and live streams that never overlap.
// RUN: %host -o %t && %t
// RUN: %host-gcc -o %t && %t
// RUN: %host-asan -o %t && %t
#include "smp.h"

#include "check.h"

typedef struct User {
    svm_Kernel kernel;
    svm_Stream *stream;
    int value;
} User;

static void pushes(svm_Kernel *k)
{
    User *u = (User *)k;
    for (int i = 1; i <= u->value; i++)
        svm_streamPush(u->stream, &i);
    svm_streamEnd(u->stream);
}

static void adds(svm_Kernel *k)
{
    User *u = (User *)k;
    u->value = 0;
    while (svm_streamWaitCount(u->stream, 4)) {
        int v;
        svm_streamPop(u->stream, &v);
        u->value += v;
    }
}

static void fifos(void)
{
    svm_Stream s, other;
    svm_Block b;
    EXPECT_SAYS("bad-memory", "", "no hardware queue", __LINE__, svm_streamInitFIFO(&s, &GMEM, 4, 4));
    EXPECT_SAYS("bad-memory", "", "svm_streamInitFIFO", __LINE__, svm_streamInitRAM(&s, &QUEUE, 0, 4, 4));
    EXPECT_SAYS("bad-memory", "", "svm_streamInitFIFO", __LINE__, svm_streamInit(&s, &QUEUE, 0, 4, 4));
    EXPECT("bad-memory", "", svm_blockInit(&b, &QUEUE, 0, 4, 4));
    EXPECT("bad-memory", "QUEUE", svm_alloc(&QUEUE, 4));
    EXPECT("address-range", "", svm_streamInitFIFO(&s, &QUEUE, 17, 4)); // 64 bytes
    EXPECT("bad-argument", "", svm_streamInitFIFO(&s, &QUEUE, 0, 4));
    EXPECT("bad-argument", "", svm_streamInitFIFO(NULL, &QUEUE, 4, 4));
    svm_streamInitFIFO(&s, &QUEUE, 4, 4);
    svm_streamName(&s, "first");
    EXPECT_SAYS("overlap", "", "'first'", __LINE__, svm_streamInitFIFO(&other, &QUEUE, 4, 4)); // one stream at a time
    User p, c;
    memset(&p, 0, sizeof p), memset(&c, 0, sizeof c);
    p.stream = c.stream = &s;
    p.value = 100;
    svm_kernelInit(&p.kernel, &CORE0, pushes, "pushes");
    svm_kernelInit(&c.kernel, &CORE1, adds, "adds");
    svm_kernelRun(&p.kernel);
    svm_kernelRun(&c.kernel);
    svm_kernelWaitMultiple(2, (svm_Kernel *[]){&p.kernel, &c.kernel});
    CHECK(c.value == 5050);
    svm_kernelDestroy(&p.kernel);
    svm_kernelDestroy(&c.kernel);
    svm_streamDestroy(&s);
    svm_streamInitFIFO(&other, &QUEUE, 8, 8);
    svm_streamDestroy(&other);
}

static void alignment(void)
{
    svm_Stream s;
    svm_Block b;
    EXPECT_SAYS("alignment", "", "alignment of 16 bytes", __LINE__, svm_blockInit(&b, &SCRATCH, 8, 4, 4));
    EXPECT("alignment", "", svm_streamInitRAM(&s, &SCRATCH, 20, 4, 4));
    svm_blockInit(&b, &SCRATCH, 32, 3, 4);
    svm_streamInitRAM(&s, &SCRATCH, 48, 3, 4);
    // In a global memory svm_alloc aligns, and parts of what it gave may begin anywhere.
    size_t g = svm_alloc(&GMEM, 64);
    CHECK(g % 16 == 0);
    svm_blockInit(&b, &GMEM, g + 4, 4, 4);
    svm_free(&GMEM, g);
    svm_streamDestroy(&s);
}

static void overlap(void)
{
    size_t g = svm_alloc(&GMEM, 256);
    svm_Stream a, b, c;
    svm_streamInit(&a, &GMEM, g + 64, 16, 4);
    svm_streamName(&a, "a");
    for (size_t at = 4; at < 128; at += 4)
        if (at < 128 && at + 64 > 64)
            EXPECT_SAYS("overlap", "", "'a' of 64 bytes", __LINE__, svm_streamInit(&b, &GMEM, g + at, 16, 4));
    EXPECT("overlap", "", svm_streamInit(&b, &GMEM, g + 100, 1, 4));
    EXPECT("overlap", "", svm_streamInit(&b, &GMEM, g, 64, 4));
    svm_streamInit(&b, &GMEM, g, 16, 4);
    svm_streamInit(&c, &GMEM, g + 128, 16, 4);
    svm_streamName(&c, "c");
    // Again, in another place: the first one's is free.
    svm_streamInit(&a, &GMEM, g + 192, 16, 4);
    EXPECT_SAYS("overlap", "", "'c'", __LINE__, svm_streamInit(&a, &GMEM, g + 132, 1, 4));
    svm_streamInit(&c, &GMEM, g + 64, 16, 4);
    svm_streamInit(&a, &GMEM, g + 128, 32, 4);
    // Blocks may lie over streams, to fill them and to look at them.
    svm_Block over;
    svm_blockInit(&over, &GMEM, g, 64, 4);
    for (int i = 0; i < 16; i++)
        svm_blockWrite(&over, (size_t)i, &i);
    svm_streamFill(&b, 16);
    for (int i = 0, v; i < 16; i++) {
        svm_streamPop(&b, &v);
        CHECK(v == i);
    }
    int v = 77;
    svm_streamPush(&b, &v);
    svm_blockRead(&over, 0, &v);
    CHECK(v == 77);
    // Streams end with their memory.
    svm_free(&GMEM, g);
    int own[16];
    for (int i = 0; i < 3; i++) {
        svm_Stream s[2];
        size_t m = svm_map(&GMEM, own, sizeof own);
        svm_streamInit(&s[i % 2], &GMEM, m, 16, 4);
        svm_unmap(&GMEM, m);
    }
    // Many, in any order.
    enum { MANY = 1000 };
    svm_Stream *many = calloc(MANY, sizeof *many);
    g = svm_alloc(&GMEM, MANY * 4);
    for (size_t i = 0; i < MANY; i++)
        svm_streamInit(&many[i], &GMEM, g + i * 607 % MANY * 4, 1, 4);
    EXPECT("overlap", "", svm_streamInit(&a, &GMEM, g + 4 * 500, 1, 4));
    for (size_t i = 0; i < MANY; i += 2)
        svm_streamDestroy(&many[i]);
    for (size_t i = 0; i < MANY; i += 2)
        svm_streamInit(&many[i], &GMEM, g + i * 607 % MANY * 4, 1, 4);
    svm_free(&GMEM, g);
    free(many);
    EXPECT("bad-argument", "", svm_streamDestroy(NULL));
}

int main(void)
{
    fifos();
    alignment();
    overlap();
    return 0;
}
