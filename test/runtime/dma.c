// Strided and indexed gathers and scatters in all combinations of blocks and streams, against values worked out by hand, with
// buffers of every small capacity so that every wait and every wrap occurs.
// RUN: %host -o %t && %t
// RUN: %host-gcc -o %t && %t
// RUN: %host-asan -o %t && %t && env SVM_WORKERS=3 %t beside
// RUN: %host-tsan -o %t && env SVM_WORKERS=3 %t beside
#include "check.h"

SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM);
SVM_MEMORY(LMEM1);
SVM_MEMORY(LMEM2);
SVM_PROCESSOR(PROC1);
SVM_PROCESSOR(PROC2);
SVM_PROCESSOR(DMA_ENGINE1);
SVM_PROCESSOR(DMA_ENGINE2);

#define COUNT(a) (sizeof(a) / sizeof *(a))

// A block over an array of the test.
static svm_Block over(void *data, size_t count, size_t size)
{
    svm_Block b;
    svm_blockInit(&b, &GMEM, svm_map(&GMEM, data, count * size), count, size);
    return b;
}
static void unmap(const svm_Block *b)
{
    svm_unmap(&GMEM, b->address);
}

static void expect(const int32_t *found, const int32_t *wanted, size_t count, int line)
{
    for (size_t i = 0; i < count; i++)
        if (found[i] != wanted[i]) {
            printf("line %d: element %zu is %d, not %d\n", line, i, (int)found[i], (int)wanted[i]);
            exit(1);
        }
}
#define IS(array, ...)                                                                                                 \
    expect(array, (const int32_t[]){__VA_ARGS__}, sizeof((const int32_t[]){__VA_ARGS__}) / sizeof(int32_t), __LINE__)

static const int32_t ten[10] = {100, 101, 102, 103, 104, 105, 106, 107, 108, 109};

// Runs k with kernels that bring `in` to the stream from (if any) and take what comes out of the stream to (if any).
static void runWith(svm_Kernel *k, svm_Block *in, svm_Stream *from, svm_Stream *to, svm_Block *out)
{
    svm_MoveB2S bring;
    svm_MoveS2B take;
    svm_kernelRun(k);
    if (from) {
        svm_moveB2SInit(&bring, &DMA_ENGINE1, in, from);
        svm_kernelRun(&bring.kernel);
    }
    if (to) {
        svm_moveS2BInit(&take, &DMA_ENGINE2, to, out);
        svm_kernelRun(&take.kernel);
        svm_kernelWait(&take.kernel);
    }
    svm_kernelWait(k);
    if (from) {
        svm_kernelWait(&bring.kernel);
        svm_kernelDestroy(&bring.kernel);
    }
    if (to)
        svm_kernelDestroy(&take.kernel);
    CHECK(k->state == SVM_FINISHED);
}

// ---- Strided ----

// Groups of 2 every 3 elements, three of them, from element 1: 1 2, 4 5, 7 8.
static void gatherStrided(size_t first, size_t second)
{
    int32_t from[10], to[6];
    memcpy(from, ten, sizeof from);
    svm_Block source = over(from, 9, 4),
              destination = over(to, 6, 4); // a stream brings elements 0 to 8, the last taken
    svm_Stream s, t;
    svm_streamInitRAM(&s, &LMEM1, 4, first, 4);
    svm_streamInitRAM(&t, &LMEM2, 0, second, 4);

    svm_GatherStridedB2B b2b;
    svm_gatherStridedB2BInit(&b2b, &DMA_ENGINE1, &source, &destination, 2, 3, 3);
    b2b.offset = 1;
    memset(to, 0, sizeof to);
    runWith(&b2b.kernel, NULL, NULL, NULL, NULL);
    IS(to, 101, 102, 104, 105, 107, 108);

    svm_GatherStridedS2S s2s;
    svm_gatherStridedS2SInit(&s2s, &DMA_ENGINE1, &s, &t, 2, 3, 3);
    s2s.offset = 1;
    memset(to, 0, sizeof to);
    runWith(&s2s.kernel, &source, &s, &t, &destination);
    IS(to, 101, 102, 104, 105, 107, 108);
    CHECK(svm_streamCount(&s) == 0 && svm_streamCount(&t) == 0);

    svm_GatherStridedB2S b2s;
    svm_gatherStridedB2SInit(&b2s, &DMA_ENGINE1, &source, &t, 2, 3, 3);
    b2s.offset = 1;
    memset(to, 0, sizeof to);
    runWith(&b2s.kernel, NULL, NULL, &t, &destination);
    IS(to, 101, 102, 104, 105, 107, 108);

    svm_GatherStridedS2B s2b;
    svm_gatherStridedS2BInit(&s2b, &DMA_ENGINE1, &s, &destination, 2, 3, 3);
    s2b.offset = 1;
    memset(to, 0, sizeof to);
    runWith(&s2b.kernel, &source, &s, NULL, NULL);
    IS(to, 101, 102, 104, 105, 107, 108);
    unmap(&source);
    unmap(&destination);
    svm_streamDestroy(&s);
    svm_streamDestroy(&t);
}

// The mirror: what streams bring is written in groups; between them blocks stay, streams have zeroes.
static void scatterStrided(size_t first, size_t second)
{
    int32_t from[6], to[10];
    memcpy(from, ten, sizeof from);
    svm_Block source = over(from, 6, 4), destination = over(to, 10, 4), nine = destination;
    nine.capacity = 9; // a stream gets no more than its last group
    svm_Stream s, t;
    svm_streamInitRAM(&s, &LMEM1, 4, first, 4);
    svm_streamInitRAM(&t, &LMEM2, 0, second, 4);

    svm_ScatterStridedB2B b2b;
    svm_scatterStridedB2BInit(&b2b, &DMA_ENGINE1, &source, &destination, 2, 3, 3);
    b2b.offset = 1;
    memset(to, 0xff, sizeof to);
    runWith(&b2b.kernel, NULL, NULL, NULL, NULL);
    IS(to, -1, 100, 101, -1, 102, 103, -1, 104, 105, -1);

    svm_ScatterStridedS2B s2b;
    svm_scatterStridedS2BInit(&s2b, &DMA_ENGINE1, &s, &destination, 2, 3, 3);
    s2b.offset = 1;
    memset(to, 0xff, sizeof to);
    runWith(&s2b.kernel, &source, &s, NULL, NULL);
    IS(to, -1, 100, 101, -1, 102, 103, -1, 104, 105, -1);

    svm_ScatterStridedS2S s2s;
    svm_scatterStridedS2SInit(&s2s, &DMA_ENGINE1, &s, &t, 2, 3, 3);
    s2s.offset = 1;
    memset(to, 0xff, sizeof to);
    runWith(&s2s.kernel, &source, &s, &t, &nine);
    IS(to, 0, 100, 101, 0, 102, 103, 0, 104, 105, -1);

    svm_ScatterStridedB2S b2s;
    svm_scatterStridedB2SInit(&b2s, &DMA_ENGINE1, &source, &t, 2, 3, 3);
    b2s.offset = 1;
    memset(to, 0xff, sizeof to);
    runWith(&b2s.kernel, NULL, NULL, &t, &nine);
    IS(to, 0, 100, 101, 0, 102, 103, 0, 104, 105, -1);
    unmap(&source);
    unmap(&destination);
    svm_streamDestroy(&s);
    svm_streamDestroy(&t);
}

// Strides at the edges, and fields changed between runs.
static void stridesOfBlocks(void)
{
    int32_t from[10], to[10];
    memcpy(from, ten, sizeof from);
    svm_Block source = over(from, 10, 4), destination = over(to, 10, 4);
    svm_GatherStridedB2B gather;
    svm_gatherStridedB2BInit(&gather, &DMA_ENGINE1, &source, &destination, 1, 4, 3);
    memset(to, 0xff, sizeof to);
    runWith(&gather.kernel, NULL, NULL, NULL, NULL);
    IS(to, 100, 104, 108, -1, -1, -1, -1, -1, -1, -1);
    gather.records = 3, gather.stride = 2; // groups overlap
    runWith(&gather.kernel, NULL, NULL, NULL, NULL);
    IS(to, 100, 101, 102, 102, 103, 104, 104, 105, 106, -1);
    gather.records = 2, gather.stride = 0, gather.repeats = 5, gather.offset = 8; // the same again and again
    runWith(&gather.kernel, NULL, NULL, NULL, NULL);
    IS(to, 108, 109, 108, 109, 108, 109, 108, 109, 108, 109);
    gather.repeats = 0;
    memset(to, 0xff, sizeof to);
    runWith(&gather.kernel, NULL, NULL, NULL, NULL);
    gather.repeats = 3, gather.records = 0;
    runWith(&gather.kernel, NULL, NULL, NULL, NULL);
    IS(to, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
    gather.repeats = 1, gather.records = 10, gather.stride = SIZE_MAX, gather.offset = 0; // one group: no stride
    runWith(&gather.kernel, NULL, NULL, NULL, NULL);
    expect(to, ten, 10, __LINE__);

    svm_ScatterStridedB2B scatter; // overlapping groups: later ones win
    svm_scatterStridedB2BInit(&scatter, &DMA_ENGINE2, &source, &destination, 3, 2, 3);
    memset(to, 0xff, sizeof to);
    runWith(&scatter.kernel, NULL, NULL, NULL, NULL);
    IS(to, 100, 101, 103, 104, 106, 107, 108, -1, -1, -1);

    svm_Block head = source; // source and destination overlap: one group after the other
    svm_gatherStridedB2BInit(&gather, &DMA_ENGINE1, &source, &head, 1, 3, 4);
    runWith(&gather.kernel, NULL, NULL, NULL, NULL);
    IS(from, 100, 103, 106, 109, 104, 105, 106, 107, 108, 109);
    unmap(&source);
    unmap(&destination);
}

// A stream goes on in the next run where the last one stopped.
static void strips(void)
{
    int32_t from[10], to[4];
    memcpy(from, ten, sizeof from);
    svm_Block source = over(from, 10, 4), destination = over(to, 2, 4);
    svm_Stream s;
    svm_MoveB2S bring;
    svm_GatherStridedS2B k;
    svm_streamInitRAM(&s, &LMEM1, 0, 3, 4);
    svm_moveB2SInit(&bring, &DMA_ENGINE2, &source, &s);
    svm_gatherStridedS2BInit(&k, &DMA_ENGINE1, &s, &destination, 1, 3, 2);
    svm_kernelRun(&bring.kernel);
    svm_kernelRun(&k.kernel);
    svm_kernelWait(&k.kernel);
    IS(to, 100, 103);
    k.offset = 2;
    svm_kernelRun(&k.kernel);
    svm_kernelWait(&k.kernel);
    IS(to, 106, 109);
    svm_kernelWait(&bring.kernel);
    unmap(&source);
    unmap(&destination);
    svm_streamDestroy(&s);
}

// ---- Indexed ----

static void gatherIndexed(size_t first, size_t second, bool wide)
{
    static const int32_t order[5] = {9, 0, 3, 3, 8};
    int32_t from[10], narrow[5], to[5];
    int64_t wideIndices[5];
    memcpy(from, ten, sizeof from);
    for (size_t i = 0; i < 5; i++)
        wideIndices[i] = narrow[i] = order[i];
    svm_Block source = over(from, 10, 4), destination = over(to, 5, 4);
    svm_Block indices = wide ? over(wideIndices, 5, 8) : over(narrow, 5, 4);
    svm_Stream s, t;
    svm_streamInitRAM(&s, &LMEM1, 8, first, indices.elementSize);
    svm_streamInitRAM(&t, &LMEM2, 0, second, 4);

    svm_GatherIndexedB2B b2b;
    svm_gatherIndexedB2BInit(&b2b, &DMA_ENGINE1, &source, &indices, &destination, 5);
    memset(to, 0, sizeof to);
    runWith(&b2b.kernel, NULL, NULL, NULL, NULL);
    IS(to, 109, 100, 103, 103, 108);
    svm_GatherIndexedS2S s2s;
    svm_gatherIndexedS2SInit(&s2s, &DMA_ENGINE1, &source, &s, &t, 5);
    memset(to, 0, sizeof to);
    runWith(&s2s.kernel, &indices, &s, &t, &destination);
    IS(to, 109, 100, 103, 103, 108);
    svm_GatherIndexedB2S b2s;
    svm_gatherIndexedB2SInit(&b2s, &DMA_ENGINE1, &source, &indices, &t, 5);
    memset(to, 0, sizeof to);
    runWith(&b2s.kernel, NULL, NULL, &t, &destination);
    IS(to, 109, 100, 103, 103, 108);
    svm_GatherIndexedS2B s2b;
    svm_gatherIndexedS2BInit(&s2b, &DMA_ENGINE1, &source, &s, &destination, 5);
    memset(to, 0, sizeof to);
    runWith(&s2b.kernel, &indices, &s, NULL, NULL);
    IS(to, 109, 100, 103, 103, 108);

    // Groups of three: index 2 means elements 6, 7, 8. The stream that takes them may be shorter than a group.
    int32_t groups[2] = {2, 0}, six[6];
    int64_t wideGroups[2] = {2, 0};
    svm_Block few = wide ? over(wideGroups, 2, 8) : over(groups, 2, 4), out = over(six, 6, 4);
    s2s.length = 2, s2s.records = 3;
    memset(six, 0, sizeof six);
    runWith(&s2s.kernel, &few, &s, &t, &out);
    IS(six, 106, 107, 108, 100, 101, 102);
    b2b.indices = &few, b2b.length = 2, b2b.records = 3, b2b.destination = &out;
    memset(six, 0, sizeof six);
    runWith(&b2b.kernel, NULL, NULL, NULL, NULL);
    IS(six, 106, 107, 108, 100, 101, 102);
    unmap(&few);
    unmap(&out);
    unmap(&source);
    unmap(&destination);
    unmap(&indices);
    svm_streamDestroy(&s);
    svm_streamDestroy(&t);
}

// A histogram, and a scatter that replaces: the last of equal indices wins.
static void scatterIndexed(size_t first, size_t second)
{
    int32_t from[6] = {1, 2, 4, 8, 16, 32}, order[6] = {3, 0, 3, 2, 3, 0}, to[4];
    svm_Block source = over(from, 6, 4), indices = over(order, 6, 4), destination = over(to, 4, 4);
    svm_Stream s, t;
    svm_MoveB2S values;
    svm_streamInitRAM(&s, &LMEM1, 8, first, 4);
    svm_streamInitRAM(&t, &LMEM2, 0, second, 4);
    svm_moveB2SInit(&values, &DMA_ENGINE2, &source, &t);

    svm_ScatterIndexedB2B b2b;
    svm_ScatterIndexedS2S s2s;
    svm_ScatterIndexedB2S b2s;
    svm_ScatterIndexedS2B s2b;
    svm_scatterIndexedB2BInit(&b2b, &DMA_ENGINE1, &source, &indices, &destination, 6);
    svm_scatterIndexedS2SInit(&s2s, &DMA_ENGINE1, &t, &s, &destination, 6);
    svm_scatterIndexedB2SInit(&b2s, &DMA_ENGINE1, &t, &indices, &destination, 6);
    svm_scatterIndexedS2BInit(&s2b, &DMA_ENGINE1, &source, &s, &destination, 6);
    for (int add = 0; add < 2; add++) {
        b2b.combine = s2s.combine = b2s.combine = s2b.combine = add ? SVM_ADD_INT32 : SVM_REPLACE;
        svm_Kernel *kernels[] = {&b2b.kernel, &s2s.kernel, &b2s.kernel, &s2b.kernel};
        for (int i = 0; i < 4; i++) {
            for (int j = 0; j < 4; j++)
                to[j] = 1000;
            bool valuesComeIn = i == 1 || i == 2, indicesComeIn = i == 1 || i == 3;
            if (valuesComeIn)
                svm_kernelRun(&values.kernel);
            runWith(kernels[i], indicesComeIn ? &indices : NULL, indicesComeIn ? &s : NULL, NULL, NULL);
            if (valuesComeIn)
                svm_kernelWait(&values.kernel);
            if (add)
                IS(to, 1034, 1000, 1008, 1021); // 2 + 32; none; 8; 1 + 4 + 16
            else
                IS(to, 32, 1000, 8, 16);
        }
    }
    unmap(&source);
    unmap(&indices);
    unmap(&destination);
    svm_streamDestroy(&s);
    svm_streamDestroy(&t);
}

// Every operation once, on groups of two: group 0 has a and b, and gets x and y.
#define OPERATION(op, type, a, b, x, y, first, second)                                                                 \
    do {                                                                                                               \
        type from[2] = {x, y}, to[4] = {a, b, 7, 7};                                                                   \
        int32_t zero[1] = {0};                                                                                         \
        svm_Block source = over(from, 2, sizeof(type)), destination = over(to, 4, sizeof(type));                       \
        svm_Block indices = over(zero, 1, 4);                                                                          \
        svm_ScatterIndexedB2B k;                                                                                       \
        svm_scatterIndexedB2BInit(&k, &DMA_ENGINE1, &source, &indices, &destination, 1);                               \
        k.records = 2;                                                                                                 \
        k.combine = op;                                                                                                \
        runWith(&k.kernel, NULL, NULL, NULL, NULL);                                                                    \
        CHECK(to[0] == (first) && to[1] == (second) && to[2] == 7 && to[3] == 7);                                      \
        svm_kernelDestroy(&k.kernel);                                                                                  \
        type direct[2] = {a, b};                                                                                       \
        svm_combine(op, direct, from, 2);                                                                              \
        CHECK(direct[0] == (first) && direct[1] == (second));                                                          \
        unmap(&source);                                                                                                \
        unmap(&destination);                                                                                           \
        unmap(&indices);                                                                                               \
    } while (0)

static void operations(void)
{
    OPERATION(SVM_ADD_INT32, int32_t, 5, INT32_MAX, -7, 1, -2, INT32_MIN);
    OPERATION(SVM_MIN_INT32, int32_t, 5, -1, -7, 1, -7, -1);
    OPERATION(SVM_MAX_INT32, int32_t, 5, -1, -7, 1, 5, 1);
    OPERATION(SVM_ADD_INT64, int64_t, 5, INT64_MAX, -7, 1, -2, INT64_MIN);
    OPERATION(SVM_MIN_INT64, int64_t, INT64_C(1) << 40, -1, 2, INT64_C(-1) << 40, 2, INT64_C(-1) << 40);
    OPERATION(SVM_MAX_INT64, int64_t, INT64_C(1) << 40, -1, 2, INT64_C(-1) << 40, INT64_C(1) << 40, -1);
    OPERATION(SVM_ADD_FLOAT, float, 0.5f, 1, 0.25f, -2, 0.75f, -1);
    OPERATION(SVM_MIN_FLOAT, float, 0.5f, 1, 0.25f, 2, 0.25f, 1);
    OPERATION(SVM_MAX_FLOAT, float, 0.5f, 1, 0.25f, 2, 0.5f, 2);
    OPERATION(SVM_ADD_DOUBLE, double, 0.5, 1, 0.25, -2, 0.75, -1);
    OPERATION(SVM_MIN_DOUBLE, double, 0.5, 1, 0.25, 2, 0.25, 1);
    OPERATION(SVM_MAX_DOUBLE, double, 0.5, 1, 0.25, 2, 0.5, 2);
}

// Elements of any size, and dependences between transfers: a transpose of a 3 by 2 matrix of 3-byte elements.
static void transpose(void)
{
    char from[] = "aaabbbcccdddeeefff", to[19] = "";
    svm_Block source = over(from, 6, 3), destination = over(to, 6, 3), local;
    svm_blockInit(&local, &LMEM1, 5, 6, 3);
    svm_MoveB2B load;
    svm_GatherStridedB2B left, right;
    svm_Block second = destination;
    svm_blockInit(&second, &GMEM, destination.address + 9, 3, 3);
    svm_moveB2BInit(&load, &DMA_ENGINE1, &source, &local);
    svm_gatherStridedB2BInit(&left, &DMA_ENGINE1, &local, &destination, 1, 2, 3);
    svm_gatherStridedB2BInit(&right, &DMA_ENGINE2, &local, &second, 1, 2, 3);
    right.offset = 1;
    svm_kernelAddDependence(&left.kernel, &load.kernel);
    svm_kernelAddDependence(&right.kernel, &load.kernel);
    svm_kernelRun(&load.kernel);
    svm_kernelRun(&left.kernel);
    svm_kernelRun(&right.kernel);
    svm_kernelWaitMultiple(2, (svm_Kernel *[]){&left.kernel, &right.kernel});
    CHECK(strcmp(to, "aaaccceeebbbdddfff") == 0);
    unmap(&source);
    unmap(&destination);
}

// A transfer is paused while it waits, given other fields, and goes on from where it was.
static void changed(void)
{
    int32_t from[10], x;
    memcpy(from, ten, sizeof from);
    svm_Block source = over(from, 10, 4);
    svm_Stream s;
    svm_GatherStridedB2S k;
    size_t g = svm_alloc(&GMEM, 8);
    svm_streamInitRAM(&s, &GMEM, g, 2, 4);
    svm_gatherStridedB2SInit(&k, &DMA_ENGINE1, &source, &s, 1, 1, 9);
    svm_kernelRun(&k.kernel);
    svm_streamPop(&s, &x); // of the two that it could push
    CHECK(x == 100);
    svm_kernelPause(&k.kernel);
    svm_kernelWait(&k.kernel);
    CHECK(svm_kernelStateOf(&k.kernel) == SVM_PAUSED);
    size_t moved = 1 + svm_streamCount(&s);
    k.repeats = moved + 1;
    k.offset = 5;
    svm_kernelRun(&k.kernel);
    for (size_t i = 1; i < moved; i++) {
        svm_streamPop(&s, &x);
        CHECK(x == 100 + (int32_t)i);
    }
    svm_streamPop(&s, &x);
    svm_kernelWait(&k.kernel);
    CHECK(x == 105 + (int32_t)moved && svm_streamCount(&s) == 0 && k.kernel.state == SVM_FINISHED);
    svm_streamDestroy(&s);
    svm_free(&GMEM, g);
    unmap(&source);
}

// Two processors for kernels make the machine in use one of several threads.
static void nothing(svm_Kernel *k)
{
    (void)k;
}
static void shareMachine(void)
{
    static svm_Kernel one, two;
    svm_kernelInit(&one, &PROC1, nothing, "one");
    svm_kernelInit(&two, &PROC2, nothing, "two");
}

int main(int argc, char **argv)
{
    bool beside = argc > 1 && *argv;
    for (size_t first = 1; first < 8; first++)
        for (size_t second = 1; second < 8; second++) {
            svm_Machine *m = svm_machineCreate();
            svm_machineUse(m);
            if (beside)
                shareMachine();
            gatherStrided(first, second);
            scatterStrided(first, second);
            gatherIndexed(first, second, false);
            gatherIndexed(first, second, true);
            scatterIndexed(first, second);
            svm_machineUse(NULL);
            svm_machineDestroy(m);
        }
    if (beside)
        shareMachine();
    stridesOfBlocks();
    strips();
    changed();
    operations();
    transpose();
    return 0;
}
