// DMA kernels in time: what goes through a stream is moved as it comes, gathers and scatters take their memory's bandwidth by
// kind of access, indices are read too, engines of their own work at the same time, and one engine does one thing at a time.
// RUN: %sim -o %t && %t
#include "timed.h"

enum { COUNT = 100 };

typedef struct Stage {
    svm_Kernel kernel;
    svm_Stream *stream;
    size_t cycles;
} Stage;

static void produce(svm_Kernel *k)
{
    Stage *s = (Stage *)k;
    for (int i = 0; i < COUNT; i++) {
        svm_kernelFirings(k, s->cycles);
        svm_streamPush(s->stream, &i);
    }
}
static void consume(svm_Kernel *k)
{
    Stage *s = (Stage *)k;
    for (int i = 0; i < COUNT; i++) {
        int v;
        svm_streamPop(s->stream, &v);
        CHECK(v == i);
        svm_kernelFirings(k, s->cycles);
    }
}
TIMED_KERNELS({produce, "produce", 0, 1, true}, {consume, "consume", 0, 1, true});

static double now(void)
{
    return svm_simTime() * 1e9;
}

#define NEAR(value, expected) checkNear(__LINE__, value, expected)
static void checkNear(int line, double value, double expected)
{
    if (fabs(value - expected) > 0.5) {
        printf("%d: %.9g, expected %.9g\n", line, value, expected);
        exit(1);
    }
}

static double timeOf(svm_Kernel *k)
{
    double begin = now();
    svm_kernelRun(k);
    svm_kernelWait(k);
    return now() - begin;
}

int main(void)
{
    size_t address = svm_alloc(&GMEM, 4096);
    svm_Block global, local, local2, records, indices;
    svm_blockInit(&global, &GMEM, address, 400, 4);
    svm_blockInit(&local, &LMEM1, 0, 400, 4);
    svm_blockInit(&local2, &LMEM2, 0, 400, 4);

    // 1600 bytes of GMEM at one a nanosecond; between local memories nothing.
    svm_MoveB2B in, out, across;
    svm_moveB2BInit(&in, &DMA1, &global, &local);
    svm_moveB2BInit(&out, &DMA2, &local2, &global);
    svm_moveB2BInit(&across, &DMA1, &local, &local2);
    NEAR(timeOf(&in.kernel), 50 + 1600 + 5);
    NEAR(timeOf(&across.kernel), 50 + 5);

    // Two engines, but one memory: their bytes go one after the other.
    double begin = now();
    svm_kernelRun(&in.kernel);
    svm_kernelRun(&out.kernel);
    svm_kernelWait(&out.kernel);
    NEAR(now() - begin, 50 + 3200 + 5);
    // One engine: the second starts when the first is done.
    begin = now();
    svm_kernelRun(&in.kernel);
    svm_kernelRun(&across.kernel);
    svm_kernelWait(&across.kernel);
    NEAR(now() - begin, 55 + 1600 + 55);

    // Indexed: 400 bytes in records of 4 at half a byte a nanosecond. With the indices in the same memory, those are read
    // before, in order.
    svm_blockInit(&records, &GMEM, address, 400, 4);
    svm_blockInit(&indices, &LMEM1, 2000, 100, 4);
    svm_Block gathered;
    svm_blockInit(&gathered, &LMEM1, 4000, 100, 4);
    for (int i = 0; i < 100; i++)
        svm_blockWrite(&records, (size_t)i, &i);
    svm_GatherIndexedB2B gather;
    svm_gatherIndexedB2BInit(&gather, &DMA1, &records, &indices, &gathered, 100);
    NEAR(timeOf(&gather.kernel), 50 + 800 + 5);
    svm_blockInit(&indices, &GMEM, address + 1600, 100, 4);
    NEAR(timeOf(&gather.kernel), 50 + 400 + 800 + 5);

    // In groups of 8 elements only the first word of each is found anywhere: 10 times 8 ns and 28 ns in order. At a fixed distance
    // nothing is lost where a word is what random access takes.
    svm_blockInit(&indices, &LMEM1, 2000, 10, 4);
    for (int i = 0; i < 10; i++)
        ((int *)svm_blockData(&indices))[i] = 40 - 3 * i;
    svm_GatherIndexedB2B groups;
    svm_gatherIndexedB2BInit(&groups, &DMA1, &records, &indices, &gathered, 10);
    groups.records = 8;
    NEAR(timeOf(&groups.kernel), 50 + 10 * (8 + 28) + 5);
    svm_GatherStridedB2B strided;
    svm_gatherStridedB2BInit(&strided, &DMA1, &records, &gathered, 1, 4, 100);
    NEAR(timeOf(&strided.kernel), 50 + 100 * 4 + 5);
    // What is combined with is read, anywhere, and then written, anywhere.
    svm_blockInit(&indices, &LMEM1, 2000, 100, 4);
    for (int i = 0; i < 100; i++)
        ((int *)svm_blockData(&indices))[i] = i * 7 % 400;
    svm_ScatterIndexedB2B scatter;
    svm_scatterIndexedB2BInit(&scatter, &DMA1, &gathered, &indices, &records, 100);
    NEAR(timeOf(&scatter.kernel), 50 + 800 + 5);
    scatter.combine = SVM_ADD_INT32;
    NEAR(timeOf(&scatter.kernel), 50 + 800 + 800 + 5);
    for (int i = 0; i < COUNT; i++)
        svm_blockWrite(&records, (size_t)i, &i);

    // A stream in GMEM fed by a kernel, 10 ns an element, and moved on to a local one: the move is as late as the kernel, and
    // the other kernel as the move.
    svm_Stream from, to;
    svm_streamInitRAM(&from, &GMEM, address + 2048, 16, 4);
    svm_streamInitRAM(&to, &LMEM2, 8192, 16, 4);
    Stage p = {.stream = &from, .cycles = 10}, c = {.stream = &to, .cycles = 1};
    svm_kernelInit(&p.kernel, &P1, produce, "p");
    svm_kernelInit(&c.kernel, &P2, consume, "c");
    svm_MoveS2S move;
    svm_moveS2SInit(&move, &DMA1, &from, &to, COUNT);
    begin = now();
    svm_kernelRun(&c.kernel);
    svm_kernelRun(&move.kernel);
    svm_kernelRun(&p.kernel);
    svm_kernelWait(&p.kernel);
    NEAR(now() - begin, 100 + COUNT * 10 + 10);
    svm_kernelWait(&c.kernel);
    NEAR(now() - begin, 100 + COUNT * 10 + 4 + 1 + 10); // 4 bytes of the last element
    svm_kernelWait(&move.kernel);

    // A slow consumer holds the move back, and that the block.
    svm_MoveB2S feed;
    svm_Block numbers;
    svm_blockInit(&numbers, &GMEM, address, COUNT, 4);
    svm_moveB2SInit(&feed, &DMA2, &numbers, &to);
    svm_streamInitRAM(&to, &LMEM2, 8192, 64, 4);
    c.cycles = 40;
    begin = now();
    svm_kernelRun(&feed.kernel);
    svm_kernelRun(&c.kernel);
    svm_kernelWait(&c.kernel);
    // The queue's 256 bytes come before the first element is there; then there is always one.
    NEAR(now() - begin, 50 + 256 + COUNT * 40 + 10);
    // The last 144 bytes went in as places became free, so that the transfer ended before.
    CHECK(svm_kernelStateOf(&feed.kernel) == SVM_FINISHED);
    return 0;
}
