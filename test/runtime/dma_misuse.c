// Every misuse of the DMA kernels is reported with its name, the kernel and the calling line, before anything outside the objects
// is touched; the machine stays usable.
// RUN: %host -o %t && %t
// RUN: %host-gcc -o %t && %t
// RUN: %host-asan -o %t && %t
#include "check.h"
#include "svm/machine_table.h"

SVM_MACHINE("narrow");
SVM_MEMORY(GMEM);
SVM_MEMORY(LMEM1);
SVM_MEMORY(LMEM2);
SVM_PROCESSOR(CPU);
SVM_PROCESSOR(CORE);
SVM_PROCESSOR(ALL);    // reaches GMEM and LMEM1, and makes every kind of transfer
SVM_PROCESSOR(MOVER);  // only moves
SVM_PROCESSOR(GIVER);  // only strided and indexed transfers
SVM_PROCESSOR(COARSE); // works with multiples of 16 bytes

static const svm_MemoryRow memories[] = {
    {.name = "GMEM", .size = 1 << 20},
    {.name = "LMEM1", .size = 1024, .local = true},
    {.name = "LMEM2", .size = 1024, .local = true},
};
static const int reach[] = {0, 1};
static const svm_ProcessorRow processors[] = {
    {.name = "CPU", .kind = SVM_PROCESSOR_CONTROL, .reaches = reach, .reachCount = 1},
    {.name = "CORE", .kind = SVM_PROCESSOR_KERNEL, .reaches = reach, .reachCount = 2},
    {.name = "ALL", .kind = SVM_PROCESSOR_DMA, .reaches = reach, .reachCount = 2},
    {.name = "MOVER", .kind = SVM_PROCESSOR_DMA, .reaches = reach, .reachCount = 2, .transfers = SVM_TRANSFER_MOVE},
    {.name = "GIVER",
     .kind = SVM_PROCESSOR_DMA,
     .reaches = reach,
     .reachCount = 2,
     .transfers = SVM_TRANSFER_STRIDED | SVM_TRANSFER_INDEXED},
    {.name = "COARSE", .kind = SVM_PROCESSOR_DMA, .reaches = reach, .reachCount = 2, .alignment = 16},
};
const svm_MachineTable svm_machineTable = {"narrow", memories, 3, processors, 6, NULL};

// Errors of a run are found in the call or later.
#define RUN(k) (svm_kernelRun(k), svm_kernelWait(k))

static svm_Block b10, c10, c9, bytes, there, indices, wide;
static svm_Stream s, t, odd, away;

static void setUp(void)
{
    svm_blockInit(&b10, &GMEM, svm_alloc(&GMEM, 40), 10, 4);
    svm_blockInit(&c10, &GMEM, svm_alloc(&GMEM, 40), 10, 4);
    svm_blockInit(&c9, &GMEM, c10.address, 9, 4);
    svm_blockInit(&bytes, &GMEM, svm_alloc(&GMEM, 10), 10, 1);
    svm_blockInit(&indices, &GMEM, svm_alloc(&GMEM, 40), 10, 4);
    svm_blockInit(&wide, &GMEM, svm_alloc(&GMEM, 80), 10, 8);
    svm_blockInit(&there, &LMEM2, 0, 10, 4);
    svm_streamInitRAM(&s, &LMEM1, 0, 4, 4);
    svm_streamInitRAM(&t, &LMEM1, 64, 4, 4);
    svm_streamInitRAM(&odd, &LMEM1, 128, 4, 3);
    svm_streamInitRAM(&away, &LMEM2, 128, 4, 4);
    svm_blockName(&b10, "ten");
    svm_blockName(&c9, "nine");
    svm_blockName(&indices, "indices");
    svm_streamName(&s, "s");
    svm_streamName(&t, "t");
}

static void objects(void)
{
    svm_Block raw;
    svm_Stream rawStream;
    memset(&raw, 0, sizeof raw);
    memset(&rawStream, 0, sizeof rawStream);
    svm_GatherStridedB2B g;
    svm_GatherStridedS2B gs;
    svm_ScatterStridedB2S ss;
    svm_GatherIndexedS2S gi;
    svm_ScatterIndexedB2B si;
    EXPECT("bad-argument", "", svm_gatherStridedB2BInit(&g, &ALL, &raw, &b10, 1, 1, 1));
    EXPECT("bad-argument", "", svm_gatherStridedB2BInit(&g, &ALL, &b10, NULL, 1, 1, 1));
    EXPECT("bad-argument", "gather", svm_gatherStridedB2BInit(NULL, &ALL, &b10, &c10, 1, 1, 1));
    EXPECT("bad-argument", "", svm_gatherStridedS2BInit(&gs, &ALL, &rawStream, &b10, 1, 1, 1));
    EXPECT("bad-argument", "", svm_scatterStridedB2SInit(&ss, &ALL, &b10, NULL, 1, 1, 1));
    EXPECT("bad-argument", "", svm_gatherIndexedS2SInit(&gi, &ALL, &b10, &rawStream, &s, 1));
    EXPECT("bad-argument", "", svm_scatterIndexedB2BInit(&si, &ALL, &b10, &raw, &c10, 1));
    EXPECT("bad-processor", "gather", svm_gatherStridedB2BInit(&g, &CORE, &b10, &c10, 1, 1, 1));
    EXPECT_SAYS("bad-processor", "gather", "'MOVER' makes no strided transfers", 0,
                svm_gatherStridedB2BInit(&g, &MOVER, &b10, &c10, 1, 1, 1));
    EXPECT_SAYS("bad-processor", "scatter", "'MOVER' makes no indexed transfers", 0,
                svm_scatterIndexedB2BInit(&si, &MOVER, &b10, &indices, &c10, 1));
    svm_MoveB2B move;
    EXPECT_SAYS("bad-processor", "move", "'GIVER' makes no moves", 0,
                svm_moveB2BInit(&move, &GIVER, &b10, &c10));
    svm_gatherStridedB2BInit(&g, &GIVER, &b10, &c10, 1, 1, 1);
    svm_moveB2BInit(&move, &MOVER, &b10, &c10);
    // Fields changed to nothing are found when the kernel runs.
    move.source = NULL;
    EXPECT("bad-argument", "", RUN(&move.kernel));
    g.destination = &raw;
    EXPECT("bad-argument", "", RUN(&g.kernel));
}

static void reaches(void)
{
    svm_MoveB2B move;
    svm_GatherStridedB2B g;
    svm_ScatterStridedB2B sc;
    svm_GatherIndexedB2B gi;
    svm_GatherIndexedB2S gis;
    svm_moveB2BInit(&move, &ALL, &there, &b10);
    EXPECT("bad-memory", "", RUN(&move.kernel));
    svm_gatherStridedB2BInit(&g, &ALL, &there, &b10, 1, 1, 1);
    EXPECT("bad-memory", "", RUN(&g.kernel));
    svm_scatterStridedB2BInit(&sc, &ALL, &b10, &there, 1, 1, 1);
    EXPECT("bad-memory", "", RUN(&sc.kernel));
    svm_gatherIndexedB2BInit(&gi, &ALL, &b10, &there, &c10, 1);
    EXPECT("bad-memory", "", RUN(&gi.kernel));
    svm_gatherIndexedB2SInit(&gis, &ALL, &b10, &indices, &away, 1);
    EXPECT("bad-memory", "", svm_kernelRun(&gis.kernel); svm_kernelWait(&gis.kernel));
}

static void sizes(void)
{
    svm_GatherStridedB2B g;
    svm_gatherStridedB2BInit(&g, &ALL, &b10, &bytes, 1, 1, 1);
    EXPECT("size-mismatch", "gather", RUN(&g.kernel));
    svm_MoveB2B move;
    svm_moveB2BInit(&move, &ALL, &b10, &c9);
    EXPECT("size-mismatch", "move", RUN(&move.kernel));
    svm_GatherIndexedB2B gi;
    svm_gatherIndexedB2BInit(&gi, &ALL, &b10, &bytes, &c10, 1);
    EXPECT_SAYS("size-mismatch", "gather", "4 or 8 bytes", __LINE__, RUN(&gi.kernel));
    svm_ScatterIndexedB2B si;
    svm_scatterIndexedB2BInit(&si, &ALL, &b10, &indices, &c10, 1);
    si.combine = SVM_ADD_DOUBLE;
    EXPECT_SAYS("size-mismatch", "scatter", "SVM_ADD_DOUBLE works on elements of 8 bytes", 0,
                RUN(&si.kernel));
    si.combine = (svm_Operation)99;
    EXPECT("bad-argument", "scatter", RUN(&si.kernel));
    int32_t x = 1;
    EXPECT("bad-argument", "", svm_combine(SVM_REPLACE, &x, &x, 1));
    EXPECT("bad-argument", "", svm_combine((svm_Operation)-1, &x, &x, 1));
    EXPECT("bad-argument", "", svm_combine(SVM_ADD_INT32, &x, NULL, 1));
    svm_combine(SVM_ADD_INT32, NULL, NULL, 0);
}

static void ranges(void)
{
    svm_GatherStridedB2B g;
    svm_gatherStridedB2BInit(&g, &ALL, &b10, &c10, 2, 4, 3); // elements 0 to 9
    RUN(&g.kernel);
    g.offset = 1;
    EXPECT_SAYS("index-range", "gather", "elements 0 to 10 are used, and the block 'ten' has 10", 0,
                RUN(&g.kernel));
    g.offset = SIZE_MAX;
    EXPECT("bad-argument", "gather", RUN(&g.kernel));
    g.offset = 0, g.stride = SIZE_MAX / 2 + 1;
    EXPECT("bad-argument", "gather", RUN(&g.kernel));
    g.stride = 1, g.repeats = SIZE_MAX;
    EXPECT("bad-argument", "gather", RUN(&g.kernel));
    g.stride = 0, g.repeats = 5;
    g.destination = &c9;
    EXPECT_SAYS("index-range", "gather", "elements 0 to 9 are used, and the block 'nine' has 9", 0,
                RUN(&g.kernel));
    svm_ScatterStridedB2B sc;
    svm_scatterStridedB2BInit(&sc, &ALL, &c10, &b10, 1, 3, 4); // elements 0 to 9
    RUN(&sc.kernel);
    sc.repeats = 5;
    EXPECT("index-range", "scatter", RUN(&sc.kernel));
    // What repeats do not overflow in elements may in bytes.
    sc.repeats = SIZE_MAX / 4 + 1, sc.stride = 0;
    EXPECT("bad-argument", "scatter", RUN(&sc.kernel));
    // A stream cannot go back.
    svm_GatherStridedS2B gs;
    svm_gatherStridedS2BInit(&gs, &ALL, &s, &c10, 3, 2, 2);
    EXPECT_SAYS("bad-argument", "gather", "groups of 3 elements every 2 overlap, and 's' is a stream", 0,
                RUN(&gs.kernel);
                svm_kernelWait(&gs.kernel));
}

static void indexes(void)
{
    int32_t *index = svm_blockData(&indices);
    int64_t *wideIndex = svm_blockData(&wide);
    int32_t *to = svm_blockData(&c10);
    svm_GatherIndexedB2B g;
    svm_ScatterIndexedB2B sc;
    svm_gatherIndexedB2BInit(&g, &ALL, &b10, &indices, &c10, 3);
    svm_scatterIndexedB2BInit(&sc, &ALL, &b10, &indices, &c10, 3);
    g.kernel.name = "look up";
    index[0] = 9, index[1] = 0, index[2] = 10;
    to[2] = 77;
    EXPECT_SAYS("index-range", "look up", "index 2 of 'indices' is 10, and the block 'ten' has 10 groups of 1", 0,
                RUN(&g.kernel));
    CHECK(to[2] == 77);
    EXPECT("index-range", "scatter", RUN(&sc.kernel));
    index[2] = -1;
    EXPECT("index-range", "look up", RUN(&g.kernel));
    EXPECT("index-range", "scatter", RUN(&sc.kernel));
    index[2] = INT32_MIN;
    EXPECT("index-range", "look up", RUN(&g.kernel));
    index[0] = index[1] = index[2] = 0;
    RUN(&g.kernel);
    g.records = 4; // 10 elements are two groups of 4
    g.length = 2;
    index[1] = 2;
    EXPECT_SAYS("index-range", "look up", "index 1 of 'indices' is 2, and the block 'ten' has 2 groups of 4", 0,
                RUN(&g.kernel));
    g.records = 11; // none of 11, whatever the index
    index[0] = 0;
    g.length = 1;
    EXPECT("index-range", "look up", RUN(&g.kernel));
    g.records = 1;
    g.indices = &wide;
    wideIndex[0] = INT64_C(1) << 32; // not 0
    EXPECT("index-range", "look up", RUN(&g.kernel));
    wideIndex[0] = INT64_MIN;
    EXPECT("index-range", "look up", RUN(&g.kernel));
    g.length = 11;
    EXPECT_SAYS("index-range", "look up", "indices 0 to 10 are used", __LINE__, RUN(&g.kernel));

    svm_ScatterIndexedS2S ss;
    svm_scatterIndexedS2SInit(&ss, &ALL, &s, &s, &c10, 1);
    EXPECT("bad-argument", "scatter", svm_kernelRun(&ss.kernel); svm_kernelWait(&ss.kernel));
}

// Streams that end too early, or are pushed to after their end.
static void ends(void)
{
    int32_t v = 0;
    svm_Stream in, out;
    svm_streamInitRAM(&in, &GMEM, svm_alloc(&GMEM, 16), 4, 4);
    svm_streamInitRAM(&out, &GMEM, svm_alloc(&GMEM, 16), 4, 4);
    svm_streamName(&in, "in");
    svm_streamName(&out, "out");
    svm_streamPush(&in, &v);
    svm_streamPush(&in, &v);
    svm_streamEnd(&in);
    svm_streamEnd(&out);
    svm_GatherStridedS2B g;
    svm_gatherStridedS2BInit(&g, &ALL, &in, &c10, 1, 2, 2);
    EXPECT_SAYS("end-of-stream", "gather", "the stream 'in' has ended, and 1 elements are to be moved yet", 0,
                RUN(&g.kernel);
                svm_kernelWait(&g.kernel));
    svm_ScatterStridedB2S sc;
    svm_scatterStridedB2SInit(&sc, &ALL, &b10, &out, 1, 2, 2);
    EXPECT_SAYS("end-of-stream", "scatter", "the stream 'out' has ended, and is to be pushed to", 0,
                RUN(&sc.kernel);
                svm_kernelWait(&sc.kernel));
    svm_GatherIndexedS2B gi;
    svm_gatherIndexedS2BInit(&gi, &ALL, &b10, &in, &c10, 3);
    EXPECT_SAYS("end-of-stream", "gather", "'in' has ended, and 3 indices", 0, svm_kernelRun(&gi.kernel);
                svm_kernelWait(&gi.kernel));
    // Nobody fills or empties the other stream.
    svm_MoveS2B take;
    svm_moveS2BInit(&take, &ALL, &t, &c10);
    EXPECT("deadlock", "move", svm_kernelRun(&take.kernel); svm_kernelWait(&take.kernel));
    svm_kernelEnd(&take.kernel);
    svm_scatterStridedB2SInit(&sc, &ALL, &b10, &t, 1, 2, 10);
    EXPECT_SAYS("deadlock", "scatter", "waits to push to 't'", 0, svm_kernelRun(&sc.kernel);
                svm_kernelWait(&sc.kernel));
    svm_kernelEnd(&sc.kernel);
    CHECK(svm_streamCount(&t) == 4);
    // A second user while the first is pending.
    svm_ScatterStridedB2S other;
    svm_scatterStridedB2SInit(&sc, &ALL, &b10, &t, 1, 2, 10);
    svm_scatterStridedB2SInit(&other, &ALL, &b10, &t, 1, 2, 10);
    svm_kernelRun(&sc.kernel);
    EXPECT("stream-shared", "t", svm_kernelRun(&other.kernel); svm_kernelWait(&other.kernel));
    svm_kernelEnd(&sc.kernel);
    svm_GatherStridedS2B gather;
    svm_gatherStridedS2BInit(&gather, &ALL, &odd, &b10, 1, 1, 1);
    EXPECT("size-mismatch", "gather", svm_kernelRun(&gather.kernel); svm_kernelWait(&gather.kernel));
}

// Addresses, lengths, offsets and strides that are no multiples of what the engine works with. LMEM1's addresses are the
// program's.
static void alignment(void)
{
    svm_Block b16, b20, at4, to16, to20, index4;
    svm_blockInit(&b16, &LMEM1, 256, 16, 4);
    svm_blockInit(&b20, &LMEM1, 256, 5, 4);
    svm_blockInit(&at4, &LMEM1, 260, 4, 4);
    svm_blockInit(&to16, &LMEM1, 512, 16, 4);
    svm_blockInit(&to20, &LMEM1, 512, 5, 4);
    svm_blockInit(&index4, &LMEM1, 772, 1, 4);
    svm_MoveB2B move;
    svm_moveB2BInit(&move, &COARSE, &b20, &to20);
    EXPECT_SAYS("alignment", "move", "'COARSE' works with multiples of 16 bytes, and the length of", __LINE__, RUN(&move.kernel));
    to16.capacity = 4;
    svm_moveB2BInit(&move, &COARSE, &at4, &to16);
    EXPECT_SAYS("alignment", "move", "the address of '(unnamed)' is 260", __LINE__, RUN(&move.kernel));
    move.source = &to16, move.destination = &at4;
    EXPECT("alignment", "move", RUN(&move.kernel));
    b16.capacity = 4;
    move.source = &b16, move.destination = &to16;
    RUN(&move.kernel);
    b16.capacity = to16.capacity = 16;
    svm_GatherStridedB2B g;
    svm_gatherStridedB2BInit(&g, &COARSE, &b16, &to16, 4, 8, 2);
    RUN(&g.kernel);
    g.stride = 6;
    EXPECT_SAYS("alignment", "gather", "the stride of '(unnamed)' is 24", __LINE__, RUN(&g.kernel));
    g.stride = 8, g.offset = 3;
    EXPECT_SAYS("alignment", "gather", "the offset of '(unnamed)' is 12", __LINE__, RUN(&g.kernel));
    g.offset = 0, g.records = 3;
    EXPECT_SAYS("alignment", "gather", "the length of a group of '(unnamed)' is 12", __LINE__, RUN(&g.kernel));
    svm_ScatterIndexedB2B sc;
    svm_scatterIndexedB2BInit(&sc, &COARSE, &b16, &index4, &to16, 1);
    sc.records = 4;
    EXPECT_SAYS("alignment", "scatter", "is 772", __LINE__, RUN(&sc.kernel));
    svm_GatherStridedB2S gs; // a stream at a multiple, of whatever capacity
    svm_streamDestroy(&t);
    svm_streamInitRAM(&t, &LMEM1, 64, 4, 4);
    svm_gatherStridedB2SInit(&gs, &COARSE, &b16, &t, 4, 8, 1);
    RUN(&gs.kernel);
    svm_kernelWait(&gs.kernel);
    CHECK(svm_streamCount(&t) == 4);
}

int main(void)
{
    setUp();
    objects();
    reaches();
    sizes();
    ranges();
    indexes();
    ends();
    alignment();
    return 0;
}
