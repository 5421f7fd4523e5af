// Every misuse of the SVM API is reported with its name, the object and the calling line, and the machine stays usable.
// RUN: %host -o %t && %t
// RUN: %host-gcc -o %t && %t
// RUN: %host-asan -o %t && %t
// RUN: %host -DSHARED -o %t && env SVM_WORKERS=3 %t
// RUN: %host-tsan -DSHARED -o %t && env SVM_WORKERS=3 %t
#include "check.h"

SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM);
SVM_MEMORY(LMEM1);
SVM_MEMORY(LMEM2);
SVM_PROCESSOR(PROC0);
SVM_PROCESSOR(PROC1);
SVM_PROCESSOR(DMA_ENGINE1);

typedef struct Kernel {
    svm_Kernel kernel;
    svm_Stream *in, *out;
    svm_Block *block;
    svm_Kernel *other;
} Kernel;

static void nothing(svm_Kernel *k) { (void)k; }
static void popsOne(svm_Kernel *k);

static void names(void)
{
    static svm_Memory unknown = {"GLOBAL", 0, "simple-svm"}, elsewhere = {"GMEM", 0, "imagine"}, nameless;
    static svm_Processor proc9 = {"PROC9", 0, "simple-svm"};
    svm_Kernel k;
    EXPECT("no-machine", "GMEM", svm_alloc(&elsewhere, 4));
    EXPECT_SAYS("no-such-name", "GLOBAL", "'GMEM', 'LMEM1', 'LMEM2'", __LINE__, svm_alloc(&unknown, 4));
    EXPECT_SAYS("no-such-name", "PROC9", "'PROC0', 'PROC1'", __LINE__, svm_kernelInit(&k, &proc9, nothing, "k"));
    EXPECT("bad-argument", "", svm_alloc(NULL, 4));
    EXPECT("bad-argument", "", svm_alloc(&nameless, 4));
    EXPECT("bad-argument", "", svm_kernelInit(&k, NULL, nothing, "k"));
}

static void memory(void)
{
    EXPECT("bad-memory", "LMEM1", svm_alloc(&LMEM1, 4));
    EXPECT("out-of-memory", "GMEM", svm_alloc(&GMEM, (size_t)65 << 20));
    EXPECT("out-of-memory", "GMEM", svm_alloc(&GMEM, SIZE_MAX));
    size_t half = svm_alloc(&GMEM, (size_t)32 << 20);
    size_t most = svm_alloc(&GMEM, ((size_t)32 << 20) - 1);
    EXPECT("out-of-memory", "GMEM", svm_alloc(&GMEM, 2));
    EXPECT("address-range", "GMEM", svm_free(&GMEM, half + 1));
    EXPECT("address-range", "GMEM", svm_unmap(&GMEM, half));
    svm_free(&GMEM, half);
    EXPECT("address-range", "GMEM", svm_free(&GMEM, half));
    svm_free(&GMEM, most);
    svm_free(&GMEM, svm_alloc(&GMEM, (size_t)64 << 20));

    int numbers[8];
    EXPECT("bad-argument", "GMEM", svm_map(&GMEM, NULL, 4));
    EXPECT("bad-argument", "GMEM", svm_map(&GMEM, numbers, 0));
    EXPECT("bad-argument", "GMEM", svm_map(&GMEM, numbers, SIZE_MAX));
    size_t mapped = svm_map(&GMEM, numbers, sizeof numbers);
    EXPECT("address-range", "GMEM", svm_map(&GMEM, numbers + 1, 4));
    EXPECT("address-range", "GMEM", svm_free(&GMEM, mapped));
    CHECK(svm_map(&GMEM, numbers, sizeof numbers) == mapped);
    svm_unmap(&GMEM, mapped);
    svm_unmap(&GMEM, mapped);
    EXPECT("address-range", "GMEM", svm_unmap(&GMEM, mapped));
}

static void blocks(void)
{
    svm_Block b;
    memset(&b, 0, sizeof b);
    int v = 0;
    size_t g = svm_alloc(&GMEM, 64);
    EXPECT("bad-argument", "", svm_blockInit(NULL, &GMEM, g, 16, 4));
    EXPECT("bad-argument", "", svm_blockInit(&b, &GMEM, g, 16, 0));
    EXPECT("address-range", "", svm_blockInit(&b, &GMEM, g, SIZE_MAX, 4));
    EXPECT("address-range", "", svm_blockInit(&b, &GMEM, g, 17, 4));
    EXPECT("address-range", "", svm_blockInit(&b, &GMEM, g + 4, 16, 4));
    EXPECT("address-range", "", svm_blockInit(&b, &GMEM, 4096, 16, 4));
    EXPECT("address-range", "", svm_blockInit(&b, &LMEM1, 128 * 1024 - 4, 2, 4));
    EXPECT("address-range", "", svm_blockInit(&b, &LMEM1, 128 * 1024 + 4, 0, 4));
    EXPECT("bad-argument", "", svm_blockRead(&b, 0, &v));
    EXPECT("bad-argument", "", svm_blockRead(NULL, 0, &v));
    svm_blockInit(&b, &GMEM, g, 16, 4);
    svm_blockName(&b, "numbers");
    EXPECT("index-range", "numbers", svm_blockRead(&b, 16, &v));
    EXPECT("index-range", "numbers", svm_blockWrite(&b, SIZE_MAX, &v));
    v = 7;
    svm_blockWrite(&b, 15, &v);
    v = 0;
    svm_blockRead(&b, 15, &v);
    CHECK(v == 7 && ((int *)svm_blockData(&b))[15] == 7);
    // The control processor does not reach a local memory.
    svm_blockInit(&b, &LMEM1, 0, 4, 4);
    EXPECT("bad-memory", "", svm_blockRead(&b, 0, &v));
    svm_free(&GMEM, g);
    EXPECT("address-range", "", svm_blockInit(&b, &GMEM, g, 16, 4));
}

static void streams(void)
{
    svm_Stream s;
    memset(&s, 0, sizeof s);
    int v = 0;
    size_t g = svm_alloc(&GMEM, 64);
    EXPECT("bad-argument", "", svm_streamInitRAM(NULL, &GMEM, g, 16, 4));
    EXPECT("bad-argument", "", svm_streamInitRAM(&s, &GMEM, g, 0, 4));
    EXPECT("bad-argument", "", svm_streamInitRAM(&s, &GMEM, g, 4, 0));
    EXPECT("address-range", "", svm_streamInitRAM(&s, &GMEM, g, 17, 4));
    EXPECT("bad-argument", "", svm_streamPush(&s, &v));
    svm_streamInitRAM(&s, &GMEM, g, 2, 4);
    svm_streamName(&s, "pipe");
    svm_Stream copy = s;
    EXPECT("bad-argument", "", svm_streamPush(&copy, &v));
    EXPECT("bad-argument", "pipe", svm_streamPeek(&s, 2, &v));
    EXPECT("bad-argument", "pipe", svm_streamFill(&s, 3));
    EXPECT_SAYS("deadlock", "pipe", "no kernel is pending", __LINE__, svm_streamPop(&s, &v));
    svm_streamPush(&s, &v);
    EXPECT("bad-argument", "pipe", svm_streamFill(&s, 1));
    svm_streamPush(&s, &v);
    EXPECT("deadlock", "pipe", svm_streamPush(&s, &v));
    svm_streamEnd(&s);
    EXPECT("end-of-stream", "pipe", svm_streamPush(&s, &v));
    svm_streamPop(&s, &v);
    EXPECT("end-of-stream", "pipe", svm_streamPeek(&s, 1, &v));
    svm_streamPop(&s, &v);
    EXPECT("end-of-stream", "pipe", svm_streamPop(&s, &v));
    CHECK(svm_streamEnded(&s));
    svm_streamInitRAM(&s, &LMEM1, 0, 4, 4);
    EXPECT("bad-memory", "", svm_streamPush(&s, &v));
    svm_streamDestroy(&s);
}

static void kernels(void)
{
    static svm_Kernel k, other;
    EXPECT("bad-argument", "k", svm_kernelInit(NULL, &PROC1, nothing, "k"));
    EXPECT("bad-argument", "k", svm_kernelInit(&k, &PROC1, NULL, "k"));
    EXPECT("bad-processor", "k", svm_kernelInit(&k, &PROC0, nothing, "k"));
    EXPECT("bad-processor", "k", svm_kernelInit(&k, &DMA_ENGINE1, nothing, "k"));
    EXPECT("bad-argument", "", svm_kernelRun(&k));
    EXPECT("bad-argument", "", svm_kernelWait(NULL));
    EXPECT("bad-argument", "", svm_kernelWaitMultiple(2, NULL));
    svm_kernelInit(&k, &PROC1, nothing, "k");
    svm_kernelInit(&other, &PROC1, nothing, "other");
    EXPECT("never-run", "k", svm_kernelWait(&k));
    EXPECT("never-run", "k", svm_kernelPause(&k));
    EXPECT("never-run", "k", svm_kernelEnd(&k));
    EXPECT("never-run", "k", svm_kernelWaitMultiple(1, (svm_Kernel *[]){&k}));
    svm_Kernel copy = k;
    EXPECT("bad-argument", "", svm_kernelRun(&copy));
    static Kernel waits;
    svm_Stream s;
    svm_streamInitRAM(&s, &LMEM1, 0, 4, 4);
    waits.in = &s;
    svm_kernelInit(&waits.kernel, &PROC1, popsOne, "waits");
    svm_kernelRun(&waits.kernel);
    EXPECT("pending", "waits", svm_kernelRun(&waits.kernel));
    EXPECT("pending", "waits", svm_kernelInit(&waits.kernel, &PROC1, nothing, "again"));
    EXPECT("pending", "waits", svm_kernelDestroy(&waits.kernel));
    EXPECT("pending", "waits", svm_kernelNeverBlocks(&waits.kernel));
    svm_kernelEnd(&waits.kernel);
    svm_kernelWait(&waits.kernel);
    svm_kernelDestroy(&waits.kernel);
    svm_streamDestroy(&s);
    svm_kernelRun(&k);
    svm_kernelWait(&k);
    svm_kernelDestroy(&k);
    EXPECT("bad-argument", "", svm_kernelRun(&k));
    EXPECT("bad-argument", "", svm_kernelDestroy(&k));
    EXPECT("bad-argument", "", svm_kernelAddDependence(&other, &k));
    svm_Machine *second = svm_machineCreate();
    svm_machineUse(second);
    svm_kernelInit(&k, &PROC1, nothing, "k");
    svm_machineUse(NULL);
    EXPECT("bad-argument", "other", svm_kernelAddDependence(&other, &k));
    svm_machineDestroy(second);
}

// ---- From inside kernels ----

static void runsOther(svm_Kernel *k) { svm_kernelRun(((Kernel *)k)->other); }
static int runsOtherLine = __LINE__ - 1;
static void waitsForOther(svm_Kernel *k) { svm_kernelWait(((Kernel *)k)->other); }
static void endsOther(svm_Kernel *k) { svm_kernelEnd(((Kernel *)k)->other); }
static void pausesItself(svm_Kernel *k) { svm_kernelPause(k); }
static void endsItself(svm_Kernel *k) { svm_kernelEnd(k); }
static void popsOne(svm_Kernel *k)
{
    int v;
    svm_streamPop(((Kernel *)k)->in, &v);
}
static int popsOneLine = __LINE__ - 2;
static void readsBeyond(svm_Kernel *k)
{
    int v;
    svm_blockRead(((Kernel *)k)->block, 99, &v);
}

static void run(Kernel *k, svm_KernelFunction *function, bool plain)
{
    svm_kernelInit(&k->kernel, &PROC1, function, "inner");
    if (plain)
        svm_kernelNeverBlocks(&k->kernel);
    svm_kernelRun(&k->kernel);
    svm_kernelWait(&k->kernel);
}

static void insideKernels(void)
{
    static Kernel k;
    static svm_Kernel other;
    svm_Stream s;
    svm_Block b;
    svm_kernelInit(&other, &PROC1, nothing, "other");
    svm_kernelRun(&other);
    svm_kernelWait(&other);
    k.other = &other;
    k.in = &s;
    k.block = &b;
    svm_streamInitRAM(&s, &LMEM1, 0, 4, 4);
    svm_streamName(&s, "pipe");
    svm_blockInit(&b, &LMEM1, 64, 4, 4);
    svm_blockName(&b, "numbers");
    for (int plain = 0; plain < 2; plain++) {
        EXPECT_SAYS("not-control", "other", "'inner'", runsOtherLine, run(&k, runsOther, plain));
        CHECK(k.kernel.state == SVM_ENDED);
        EXPECT_SAYS("not-control", "other", NULL, 0, run(&k, waitsForOther, plain));
        EXPECT_SAYS("not-control", "other", NULL, 0, run(&k, endsOther, plain));
        EXPECT_SAYS("index-range", "numbers", "element 99 of a block of 4", 0, run(&k, readsBeyond, plain));
    }
    EXPECT_SAYS("would-block", "inner", NULL, 0, run(&k, pausesItself, true));
    EXPECT_SAYS("would-block", "inner", NULL, 0, run(&k, endsItself, true));
    EXPECT_SAYS("would-block", "pipe", "empty", popsOneLine, run(&k, popsOne, true));
    EXPECT_SAYS("deadlock", "inner", "'inner' waits to pop from 'pipe'", 0, run(&k, popsOne, false));
    svm_kernelEnd(&k.kernel);
    svm_blockInit(&b, &LMEM2, 0, 100, 4);
    svm_blockName(&b, "far");
    EXPECT_SAYS("bad-memory", "far", "'PROC1'", 0, run(&k, readsBeyond, false));
    svm_streamInitRAM(&s, &LMEM2, 0, 4, 4);
    svm_streamName(&s, "far");
    EXPECT_SAYS("bad-memory", "far", "'LMEM2'", popsOneLine, run(&k, popsOne, false));
    svm_streamDestroy(&s);
}

// Two consumers of one stream, and a second producer while the first is pending.
static void sharing(void)
{
    static Kernel a, b;
    svm_Stream s;
    int v = 0;
    svm_streamInitRAM(&s, &LMEM1, 0, 4, 4);
    svm_streamName(&s, "pipe");
    a.in = b.in = &s;
    svm_kernelInit(&a.kernel, &PROC1, popsOne, "a");
    svm_kernelInit(&b.kernel, &PROC1, popsOne, "b");
    svm_kernelRun(&a.kernel);
    svm_kernelRun(&b.kernel);
    EXPECT_SAYS("stream-shared", "pipe", "'a'", popsOneLine, svm_kernelWait(&b.kernel));
    svm_kernelEnd(&a.kernel);
    svm_streamDestroy(&s);
    (void)v;
}

static void moves(void)
{
    svm_Block four, five, bytes, far;
    svm_Stream s, t;
    svm_MoveB2B b2b;
    svm_MoveS2S s2s;
    svm_MoveB2S b2s;
    svm_MoveS2B s2b;
    memset(&b2b, 0, sizeof b2b);
    svm_blockInit(&four, &LMEM1, 0, 4, 4);
    svm_blockInit(&five, &LMEM1, 16, 5, 4);
    svm_blockInit(&bytes, &LMEM1, 64, 4, 1);
    svm_blockInit(&far, &LMEM2, 64, 4, 1);
    svm_streamInitRAM(&s, &LMEM1, 128, 8, 4);
    svm_streamInitRAM(&t, &LMEM1, 256, 8, 2);
    svm_streamName(&s, "s");
    svm_Block none;
    memset(&none, 0, sizeof none);
    EXPECT("bad-argument", "", svm_moveB2BInit(&b2b, &DMA_ENGINE1, NULL, &four));
    EXPECT("bad-argument", "", svm_moveB2BInit(&b2b, &DMA_ENGINE1, &four, &none));
    EXPECT("bad-argument", "move", svm_moveB2BInit(NULL, &DMA_ENGINE1, &four, &four));
    EXPECT("bad-processor", "move", svm_moveB2BInit(&b2b, &PROC1, &four, &four));
    svm_moveB2BInit(&b2b, &DMA_ENGINE1, &four, &five);
    EXPECT("size-mismatch", "move", svm_kernelRun(&b2b.kernel); svm_kernelWait(&b2b.kernel));
    b2b.destination = &bytes;
    EXPECT("size-mismatch", "move", svm_kernelRun(&b2b.kernel); svm_kernelWait(&b2b.kernel));
    svm_moveS2SInit(&s2s, &DMA_ENGINE1, &s, &t, 3);
    EXPECT("size-mismatch", "move", svm_kernelRun(&s2s.kernel); svm_kernelWait(&s2s.kernel));
    svm_moveB2SInit(&b2s, &DMA_ENGINE1, &four, &t);
    EXPECT("size-mismatch", "move", svm_kernelRun(&b2s.kernel); svm_kernelWait(&b2s.kernel));
    svm_moveS2BInit(&s2b, &DMA_ENGINE1, &t, &four);
    EXPECT("size-mismatch", "move", svm_kernelRun(&s2b.kernel); svm_kernelWait(&s2b.kernel));
    // A source that ends too early.
    svm_moveB2SInit(&b2s, &DMA_ENGINE1, &four, &s);
    svm_kernelRun(&b2s.kernel);
    svm_kernelWait(&b2s.kernel);
    CHECK(svm_streamCount(&s) == 4);
    s.ended = true;
    EXPECT("end-of-stream", "move", svm_kernelRun(&b2s.kernel); svm_kernelWait(&b2s.kernel));
    svm_moveS2BInit(&s2b, &DMA_ENGINE1, &s, &five);
    EXPECT_SAYS("end-of-stream", "move", "1 elements", __LINE__, svm_kernelRun(&s2b.kernel); svm_kernelWait(&s2b.kernel));
}

// The same on a machine with workers, from the start: another processor for kernels is used.
#ifdef SHARED
SVM_PROCESSOR(PROC2);
static void unused(svm_Kernel *k) { (void)k; }
static void share(void)
{
    static svm_Kernel kernels[2];
    svm_kernelInit(&kernels[0], &PROC1, unused, "unused");
    svm_kernelInit(&kernels[1], &PROC2, unused, "unused");
}
#else
static void share(void) {}
#endif

int main(void)
{
    share();
    names();
    memory();
    blocks();
    streams();
    kernels();
    insideKernels();
    sharing();
    moves();
    return 0;
}
