// The adversary (SVM_ADVERSARY=SEED): programs that lack a dependence or a wait, use dead memory or memory that nobody wrote
// give wrong results under some seed, though the usual order of runs hides all of it; without the fault they give the right
// ones under every seed. A seed makes the same order again.
// RUN: %host -o %t && %t 20
// RUN: %host-gcc -o %t && %t 20 hidden
//
// A failed run says how to repeat it; what is no seed is an error.
// RUN: not env SVM_ADVERSARY=12 %t fail 2>&1 | FileCheck --check-prefix=NOTE --match-full-lines %s
// NOTE: {{.*}}adversary.c:[[#]]: error: svm_blockRead of 'input': element 9 of a block of 9 [index-range]
// NOTE-NEXT: note: with SVM_ADVERSARY=12 in the environment the same happens again
// RUN: not env SVM_ADVERSARY=12,zeroes %t fail 2>&1 | FileCheck --check-prefix=ZEROES %s
// ZEROES: note: with SVM_ADVERSARY=12,zeroes in the environment the same happens again
// RUN: not env SVM_ADVERSARY=twelve %t fail 2>&1 | FileCheck --check-prefix=SEED %s
// RUN: not env SVM_ADVERSARY=12,nonsense %t fail 2>&1 | FileCheck --check-prefix=SEED %s
// RUN: not env SVM_ADVERSARY=18446744073709551616 %t fail 2>&1 | FileCheck --check-prefix=SEED %s
// SEED: error: the seed (SVM_ADVERSARY or --adversary=) must be a number from 0 to 18446744073709551615, with or without ',zeroes', not '{{.*}}'
// SEED-NOT: note
#include "check.h"
#include "svm/instructions.h"

SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM);
SVM_MEMORY(LMEM1);
SVM_MEMORY(LMEM2);
SVM_PROCESSOR(PROC1);
SVM_PROCESSOR(PROC2);
SVM_PROCESSOR(DMA_ENGINE1);
SVM_PROCESSOR(DMA_ENGINE2);

enum { STRIPS = 8, LENGTH = 50, AHEAD = 6, ITEMS = STRIPS * LENGTH + AHEAD };

// What is wrong in a run; each only in programs of its own.
typedef enum Fault {
    NOTHING,
    LOAD_BEFORE_COMPUTE, // dependences that are not there
    COMPUTE_BEFORE_LOAD,
    COMPUTE_BEFORE_STORE,
    STORE_BEFORE_COMPUTE,
    LAST_STORE_NOT_AWAITED,
    INPUT_OVERWRITTEN, // before it was loaded
    INPUT_FREED,
    AHEAD_NOT_AWAITED,
    TWO_WRITERS,
    TOKEN_TOO_EARLY,
    NEVER_WRITTEN,
    DISCARDED_WINDOW,
    ACQUIRED_WINDOW,
    FENCE_LEFT_OUT
} Fault;

typedef struct Strip {
    svm_Kernel compute; // first
    svm_MoveB2B load, store;
    svm_Block from, in, out, to;
} Strip;

static int itemAt(int i)
{
    return i * i + 1000;
}

static int resultAt(int i)
{
    return 3 * itemAt(i) + itemAt(i + AHEAD);
}

static void compute(svm_Kernel *k)
{
    const Strip *strip = (const Strip *)k;
    const int *in = svm_blockData(&strip->in);
    int *out = svm_blockData(&strip->out);
    for (int i = 0; i < LENGTH; i++)
        out[i] = 3 * in[i] + in[i + AHEAD];
}

static void block(svm_Block *b, mm_Mem memory, size_t address, int first, int count)
{
    svm_blockInit(b, memory, address + (size_t)first * sizeof(int), (size_t)count, sizeof(int));
}

static void plainKernel(svm_Kernel *k, mm_Proc processor, svm_KernelFunction *f)
{
    svm_kernelInit(k, processor, f, "kernel");
    svm_kernelNeverBlocks(k);
}

static size_t newInput(void)
{
    size_t input = svm_alloc(&GMEM, ITEMS * sizeof(int));
    for (int i = 0; i < ITEMS; i++)
        ((int *)input)[i] = itemAt(i);
    return input;
}

static bool isRight(size_t output)
{
    bool right = true;
    for (int i = 0; i < STRIPS * LENGTH; i++)
        right &= ((const int *)output)[i] == resultAt(i);
    return right;
}

// ---- Strips: loaded into two buffers in turn, computed, stored from two buffers in turn ----

static void dependUnless(bool dropped, svm_Kernel *k, svm_Kernel *on)
{
    if (!dropped)
        svm_kernelAddDependence(k, on);
}

static bool strips(Fault fault)
{
    Strip strips[STRIPS];
    size_t input = newInput(), output = svm_alloc(&GMEM, ITEMS * sizeof(int));
    for (int s = 0; s < STRIPS; s++) {
        Strip *strip = &strips[s], *before = s < 2 ? NULL : &strips[s - 2];
        block(&strip->from, &GMEM, input, s * LENGTH, LENGTH + AHEAD);
        block(&strip->in, &LMEM1, 0, s % 2 * 256, LENGTH + AHEAD);
        block(&strip->out, &LMEM1, 0, 512 + s % 2 * 256, LENGTH);
        block(&strip->to, &GMEM, output, s * LENGTH, LENGTH);
        plainKernel(&strip->compute, &PROC1, compute);
        svm_moveB2BInit(&strip->load, &DMA_ENGINE1, &strip->from, &strip->in);
        svm_moveB2BInit(&strip->store, &DMA_ENGINE2, &strip->out, &strip->to);
        dependUnless(fault == LOAD_BEFORE_COMPUTE && s == 5, &strip->compute, &strip->load.kernel);
        dependUnless(fault == COMPUTE_BEFORE_STORE && s == 4, &strip->store.kernel, &strip->compute);
        if (before)
            dependUnless(fault == COMPUTE_BEFORE_LOAD && s == 4, &strip->load.kernel, &before->compute);
        if (before)
            dependUnless(fault == STORE_BEFORE_COMPUTE && s == 5, &strip->compute, &before->store.kernel);
    }
    for (int s = 0; s < STRIPS; s++) {
        svm_kernelRun(&strips[s].load.kernel);
        svm_kernelRun(&strips[s].compute);
        svm_kernelRun(&strips[s].store.kernel);
    }
    if (fault == INPUT_OVERWRITTEN)
        ((int *)input)[ITEMS - 1] = 0;
    if (fault == INPUT_FREED)
        svm_free(&GMEM, input);
    for (int s = 0; s < STRIPS; s++)
        if (fault != LAST_STORE_NOT_AWAITED || s != STRIPS - 1)
            svm_kernelWait(&strips[s].store.kernel);
    return isRight(output);
}

// ---- Windows that overlap: what lies ahead of one is loaded with the next ----

static bool windows(Fault fault)
{
    Strip strips[STRIPS + 1];
    size_t input = newInput(), output = svm_alloc(&GMEM, ITEMS * sizeof(int));
    for (int s = 0; s <= STRIPS; s++) {
        Strip *strip = &strips[s];
        int count = s == STRIPS ? AHEAD : LENGTH;
        block(&strip->from, &GMEM, input, s * LENGTH, count);
        block(&strip->to, &LMEM1, 0, s * LENGTH, count);
        svm_moveB2BInit(&strip->load, &DMA_ENGINE1, &strip->from, &strip->to);
    }
    for (int s = 0; s < STRIPS; s++) {
        Strip *strip = &strips[s];
        block(&strip->in, &LMEM1, 0, s * LENGTH, LENGTH + AHEAD);
        block(&strip->out, &GMEM, output, s * LENGTH, LENGTH);
        plainKernel(&strip->compute, &PROC1, compute);
        svm_kernelAddDependence(&strip->compute, &strip->load.kernel);
        dependUnless(fault == AHEAD_NOT_AWAITED, &strip->compute, &strips[s + 1].load.kernel);
    }
    for (int s = 0; s <= STRIPS; s++)
        svm_kernelRun(&strips[s].load.kernel);
    for (int s = 0; s < STRIPS; s++)
        svm_kernelRun(&strips[s].compute);
    for (int s = 0; s < STRIPS; s++)
        svm_kernelWait(&strips[s].compute);
    return isRight(output);
}

// ---- Two transfers that write the same place, one after the other ----

static bool writers(Fault fault)
{
    size_t input = newInput(), output = svm_alloc(&GMEM, ITEMS * sizeof(int));
    svm_Block first, second, to;
    block(&first, &GMEM, input, 0, LENGTH);
    block(&second, &GMEM, input, LENGTH, LENGTH);
    block(&to, &GMEM, output, 0, LENGTH);
    svm_MoveB2B moves[2];
    svm_moveB2BInit(&moves[0], &DMA_ENGINE1, &first, &to);
    svm_moveB2BInit(&moves[1], &DMA_ENGINE1, &second, &to);
    dependUnless(fault == TWO_WRITERS, &moves[1].kernel, &moves[0].kernel);
    svm_kernelRun(&moves[0].kernel);
    svm_kernelRun(&moves[1].kernel);
    svm_kernelWait(&moves[0].kernel);
    svm_kernelWait(&moves[1].kernel);
    return memcmp((void *)output, (int *)input + LENGTH, LENGTH * sizeof(int)) == 0;
}

// ---- Memory that nobody wrote ----

static int summed;

typedef struct Reader {
    svm_Kernel kernel;
    svm_Block block;
} Reader;

static void sum(svm_Kernel *k)
{
    const Reader *self = (const Reader *)k;
    const int *in = svm_blockData(&self->block);
    summed = 0;
    for (size_t i = 0; i < self->block.capacity; i++)
        summed += in[i];
}

static bool zeroes(Fault fault)
{
    Reader reader;
    bool right = true;
    for (int where = 0; where < 2; where++) {
        mm_Mem memory = where ? &GMEM : &LMEM2;
        block(&reader.block, memory, where ? svm_alloc(memory, 400) : 400, 0, 100);
        if (fault != NEVER_WRITTEN)
            memset(svm_blockData(&reader.block), 0, 400);
        plainKernel(&reader.kernel, &PROC2, sum);
        svm_kernelRun(&reader.kernel);
        svm_kernelWait(&reader.kernel);
        right &= summed == 0;
    }
    return right;
}

// ---- Streams ----

typedef struct End {
    svm_Kernel kernel;
    svm_Stream *stream;
    svm_Block *shared;
    Fault fault;
    bool right;
} End;

static void give(svm_Kernel *k)
{
    End *self = (End *)k;
    int *data = svm_blockData(self->shared);
    for (int i = 0; i < 10; i++) {
        if (self->fault != TOKEN_TOO_EARLY)
            data[i] = itemAt(i);
        svm_streamPush(self->stream, &i);
        data[i] = itemAt(i);
    }
}

static void take(svm_Kernel *k)
{
    End *self = (End *)k;
    const int *data = svm_blockData(self->shared);
    for (int i = 0, token; i < 10; i++) {
        svm_streamPop(self->stream, &token);
        self->right &= data[i] == itemAt(i);
    }
}

// Windows of a constant, which is written once for each place of the buffer.
static void giveWindows(svm_Kernel *k)
{
    End *self = (End *)k;
    for (int i = 0; i < 10; i++) {
        int *window = svm_streamPushAcquire(self->stream, 4);
        for (int j = 0; (i < 2 || self->fault != ACQUIRED_WINDOW) && j < 4; j++)
            window[j] = itemAt(j);
        svm_streamPushSend(self->stream, 4);
    }
}

static void takeWindows(svm_Kernel *k)
{
    End *self = (End *)k;
    for (int i = 0; i < 10; i++) {
        const int *window = svm_streamPopAcquire(self->stream, 4);
        if (self->fault == DISCARDED_WINDOW)
            svm_streamPopDiscard(self->stream, 4);
        for (int j = 0; j < 4; j++)
            self->right &= window[j] == itemAt(j);
        if (self->fault != DISCARDED_WINDOW)
            svm_streamPopDiscard(self->stream, 4);
    }
}

static bool pair(Fault fault, svm_KernelFunction *giving, svm_KernelFunction *taking)
{
    svm_Stream stream;
    svm_Block shared;
    svm_streamInitRAM(&stream, &LMEM1, 0, 8, sizeof(int));
    block(&shared, &LMEM1, 64, 0, 10);
    End ends[2] = {{.stream = &stream, .shared = &shared, .fault = fault, .right = true}};
    ends[1] = ends[0];
    svm_kernelInit(&ends[0].kernel, &PROC1, giving, "giving");
    svm_kernelInit(&ends[1].kernel, &PROC1, taking, "taking");
    svm_kernelRun(&ends[0].kernel);
    svm_kernelRun(&ends[1].kernel);
    svm_kernelWait(&ends[0].kernel);
    svm_kernelWait(&ends[1].kernel);
    svm_streamDestroy(&stream);
    return ends[1].right;
}

static bool tokens(Fault fault)
{
    return pair(fault, give, take);
}

static bool streamWindows(Fault fault)
{
    return pair(fault, giveWindows, takeWindows);
}

// ---- Stream instructions ----

static void triple(svm_Kernel *k)
{
    int v;
    while (!svm_EOS(k, 0)) {
        svm_srfRead(k, 0, &v);
        v *= 3;
        svm_srfWrite(k, 1, &v);
    }
}

static bool instructions(Fault fault)
{
    static svm_StreamUnit unit;
    size_t input = newInput(), output = svm_alloc(&GMEM, LENGTH * sizeof(int));
    svm_streamUnitInit(&unit, &PROC1, &DMA_ENGINE1, &GMEM, &LMEM1, 0, 0, 0);
    for (int r = 0; r < 2; r++) {
        unit.StreamMemRF[r] = (svm_StreamMemReg){.stream_access_mode = SVM_STRIDED_STREAM,
                                                 .stream_stride_or_index = 1,
                                                 .stream_ptr = r ? output : input,
                                                 .stream_record_size = 1,
                                                 .stream_length = LENGTH};
        unit.StreamSRF_RF[r] =
            (svm_StreamSRFReg){.stream_ptr = (size_t)r * 1024, .stream_record_size = 1, .stream_length = LENGTH};
    }
    svm_Fence loaded = svm_StreamLoad(&unit, 0, 0, 0);
    svm_Fence computed = svm_KernelStart(&unit, triple, 0, SVM_STREAMS(0), SVM_STREAMS(1), 1, loaded);
    svm_synch(&unit, svm_StreamStore(&unit, 1, 1, 1, fault == FENCE_LEFT_OUT ? loaded : computed));
    bool right = true;
    for (int i = 0; i < LENGTH; i++)
        right &= ((const int *)output)[i] == 3 * itemAt(i);
    svm_synch(&unit, computed);
    svm_streamUnitDestroy(&unit);
    return right;
}

// ---- Kernels in any order ----

typedef struct Letter {
    svm_Kernel kernel;
    char letter;
} Letter;

static char order[9];

static void record(svm_Kernel *k)
{
    order[strlen(order)] = ((const Letter *)k)->letter;
}

static bool letters(Fault fault)
{
    Letter all[8];
    (void)fault;
    memset(order, 0, sizeof order);
    for (int i = 0; i < 8; i++) {
        plainKernel(&all[i].kernel, i % 2 ? &PROC1 : &PROC2, record);
        all[i].letter = (char)('A' + i);
        svm_kernelRun(&all[i].kernel);
    }
    for (int i = 0; i < 8; i++)
        svm_kernelWait(&all[i].kernel);
    return strlen(order) == 8;
}

// ---- A transfer that others see the middle of ----

static int there; // items that a kernel found, of LENGTH

static void look(svm_Kernel *k)
{
    const Reader *self = (const Reader *)k;
    const int *in = svm_blockData(&self->block);
    there = 0;
    for (int i = 0; i < LENGTH; i++)
        there += in[i] == itemAt(i);
}

static bool middle(Fault fault)
{
    (void)fault;
    svm_Block from, to;
    block(&from, &GMEM, newInput(), 0, LENGTH);
    block(&to, &LMEM1, 0, 0, LENGTH);
    svm_MoveB2B move;
    svm_moveB2BInit(&move, &DMA_ENGINE1, &from, &to);
    Reader reader = {.block = to};
    plainKernel(&reader.kernel, &PROC1, look);
    svm_kernelRun(&move.kernel);
    svm_kernelRun(&reader.kernel);
    svm_kernelWait(&reader.kernel);
    svm_kernelWait(&move.kernel);
    return there == 0 || there == LENGTH;
}

// ---- All of it ----

static const struct {
    const char *name;
    bool (*program)(Fault fault); // its results are right
    Fault fault;
} cases[] = {
    {"load, then compute", strips, LOAD_BEFORE_COMPUTE},
    {"compute, then load into its buffer", strips, COMPUTE_BEFORE_LOAD},
    {"compute, then store", strips, COMPUTE_BEFORE_STORE},
    {"store, then compute into its buffer", strips, STORE_BEFORE_COMPUTE},
    {"wait for the last store", strips, LAST_STORE_NOT_AWAITED},
    {"load the input, then write another", strips, INPUT_OVERWRITTEN},
    {"load the input, then free it", strips, INPUT_FREED},
    {"load what lies ahead, then compute", windows, AHEAD_NOT_AWAITED},
    {"one writer after the other", writers, TWO_WRITERS},
    {"write, then push a token", tokens, TOKEN_TOO_EARLY},
    {"write, then read", zeroes, NEVER_WRITTEN},
    {"read a window, then discard it", streamWindows, DISCARDED_WINDOW},
    {"write a window, then send it", streamWindows, ACQUIRED_WINDOW},
    {"compute, then store a stream", instructions, FENCE_LEFT_OUT},
};

// Its machine goes with it.
static bool run(bool (*program)(Fault fault), Fault fault, int seed)
{
    char text[16] = "";
    if (seed)
        snprintf(text, sizeof text, "%d", seed);
    setenv("SVM_ADVERSARY", text, 1);
    svm_Machine *m = svm_machineCreate(), *before = svm_machineUse(m);
    bool right = program(fault);
    svm_machineUse(before);
    svm_machineDestroy(m);
    return right;
}

static int wrongSeeds(size_t i, Fault fault, int seeds)
{
    int wrong = 0;
    for (int seed = 1; seed <= seeds; seed++)
        wrong += !run(cases[i].program, fault, seed);
    return wrong;
}

static void fail(void)
{
    svm_Block b;
    int v;
    block(&b, &GMEM, svm_alloc(&GMEM, 40), 0, 9);
    svm_blockName(&b, "input");
    svm_blockRead(&b, 9, &v);
}

// A seed gives the same order again, and most seeds another one.
static bool ordersDiffer(int seeds)
{
    int same = 0;
    for (int seed = 1; seed <= seeds; seed++) {
        char first[sizeof order];
        if (!run(letters, NOTHING, seed))
            return false;
        memcpy(first, order, sizeof order);
        if (!run(letters, NOTHING, seed) || memcmp(first, order, sizeof order) != 0)
            return false;
        same += run(letters, NOTHING, seed + 1) && memcmp(first, order, sizeof order) == 0;
    }
    return same <= seeds / 10;
}

// adversary SEEDS [hidden]: every program is right without its fault, with each seed, and wrong with it, with one at least;
// hidden: and right with it in the usual order, where one thread makes that.
int main(int argc, char **argv)
{
    int seeds = argc > 1 ? atoi(argv[1]) : 0, failed = 0;
    bool hidden = argc > 2 && strcmp(argv[2], "hidden") == 0;
    if (hidden)
        setenv("SVM_WORKERS", "1", 1);
    if (argc > 1 && strcmp(argv[1], "fail") == 0)
        fail();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int wrong = wrongSeeds(i, NOTHING, seeds), seen = wrongSeeds(i, cases[i].fault, seeds);
        bool usual = run(cases[i].program, NOTHING, 0), hides = !hidden || run(cases[i].program, cases[i].fault, 0);
        bool ok = wrong == 0 && (seen > 0 || seeds == 0) && usual && hides;
        printf("%s %s: wrong with %d of %d seeds, without the fault with %d%s\n", ok ? "ok    " : "FAILED",
               cases[i].name, seen, seeds, wrong, hides ? "" : "; not hidden in the usual order");
        failed += !ok;
    }
    CHECK(ordersDiffer(seeds));
    int parts = 0;
    for (int seed = 1; seed <= seeds; seed++)
        parts += !run(middle, NOTHING, seed);
    CHECK(parts > 0 && run(middle, NOTHING, 0));
    return failed > 0;
}
