// Shows: where kernels of an SPE promise input_first, one whose input is to come does not begin, and another passes it whose
// items are moved from and to memory; the predicted time is the simulator's. Without the promise it waits on the SPE. A kernel
// that pushes before it pops, and makes its own input so, may not promise that: the deadlock names who waits.
//
// RUN: env SVM_CELL_CHECK_DMA=1 %svm-llc --target=cell %s -o %t
// RUN: env SVM_CELL_SEED=1 %t | FileCheck %s
// RUN: env SVM_CELL_SEED=2 %t | FileCheck %s
// RUN: env SVM_CELL_SEED=3 %t | FileCheck %s
// CHECK: 16384 words are right
//
// RUN: %svm-llc --target=cell-timed %s -o %t.timed && %svm-llc --target=sim %s -o %t.sim && %svm-llc --target=cell-timed -DWAITS %s -o %t.waits
// RUN: env SVM_CELL_SEED=1 SVM_SIM_REPORT=%t.1 SVM_SIM_JSON=%t.json.1 %t.timed | FileCheck %s
// RUN: env SVM_CELL_SEED=2 SVM_SIM_REPORT=%t.2 %t.timed && diff %t.1 %t.2
// RUN: env SVM_SIM_JSON=%t.json.2 %t.sim | FileCheck %s
// RUN: env SVM_SIM_JSON=%t.json.3 %t.waits | FileCheck %s
// RUN: python3 -c "import json; c, s, w = (json.load(open('%t.json.' + n))['seconds'] for n in '123'); assert abs(c / s - 1) < 0.1 and w > 1.3 * c, (c, s, w)"
//
// The same kernel with and without the promise.
// RUN: %svm-llc --target=cell -DPUSHES %s -o %t.pushes && env SVM_CELL_SEED=1 %t.pushes | FileCheck %s --check-prefix=PUSHES
// RUN: env SVM_CELL_SEED=2 %t.pushes | FileCheck %s --check-prefix=PUSHES
// PUSHES: together 1024
// RUN: %svm-llc --target=cell -DPUSHES -DWRONG %s -o %t.wrong && not %t.wrong 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: svm-cell: error: deadlock: every thread waits for another
// WRONG-NEXT: SPE 0 ({{.*}}, svm_cellWaitForInput): {{.*}}resident.c:{{[0-9]+}}: waits for signal register 1
//
// What goes from stream to stream, and moves that are run in any order.
// RUN: sed 's/SVM_KERNEL(holds_processor)/SVM_KERNEL(holds_processor, input_first)/' %S/streams.c > %t.streams.c
// RUN: env SVM_CELL_CHECK_DMA=1 %svm-llc --target=cell %t.streams.c -o %t.streams
// RUN: env SVM_CELL_SEED=1 %t.streams | FileCheck %s --check-prefix=STREAMS
// RUN: env SVM_CELL_SEED=2 %t.streams | FileCheck %s --check-prefix=STREAMS
// RUN: env SVM_CELL_SEED=3 %t.streams | FileCheck %s --check-prefix=STREAMS
// STREAMS: 3000 words are right
#include <stdio.h>

#include <svm/svm.h>

#ifdef WAITS
#define PROMISE SVM_KERNEL(holds_processor)
#else
#define PROMISE SVM_KERNEL(holds_processor, input_first)
#endif

SVM_MACHINE("cell-qs20");
SVM_MEMORY(XDR);
SVM_MEMORY(LS0);
SVM_MEMORY(LS1);
SVM_PROCESSOR(PPE);
SVM_PROCESSOR(SPE0);
SVM_PROCESSOR(SPE1);
SVM_PROCESSOR(MFC0);
SVM_PROCESSOR(MFC1);

enum { WORDS = 2048, ROUNDS = 8, EACH = 64, CAPACITY = 128, STAGES = 3, PUSHED = 64 };

// Adds 1 to words, so many times.
typedef struct Adds {
    svm_Kernel kernel;
    svm_Stream *in, *out;
    int32_t count, times;
} Adds;

static void add(const Adds *self)
{
    for (int32_t left = self->count; left > 0; left -= EACH) {
        const int32_t *in = svm_streamPopAcquire(self->in, EACH);
        int32_t *out = svm_streamPushAcquire(self->out, EACH);
        for (int i = 0; i < EACH; i++) {
            volatile int32_t sum = in[i];
            for (int32_t n = 0; n < self->times; n++)
                sum = sum + 1;
            out[i] = sum;
        }
        svm_streamPopDiscard(self->in, EACH);
        svm_streamPushSend(self->out, EACH);
    }
}

PROMISE
static void early(svm_Kernel *kernel)
{
    add((Adds *)kernel);
}

PROMISE
static void middle(svm_Kernel *kernel)
{
    add((Adds *)kernel);
}

PROMISE
static void late(svm_Kernel *kernel)
{
    add((Adds *)kernel);
}

#ifdef PUSHES
// Its output comes back to it by another kernel.
#ifdef WRONG
SVM_KERNEL(holds_processor, input_first)
#else
SVM_KERNEL(holds_processor)
#endif
static void pushes(svm_Kernel *kernel)
{
    Adds *self = (Adds *)kernel;
    int32_t word = 0;
    for (int32_t i = 0; i < PUSHED; i++)
        svm_streamPush(self->out, &self->times);
    for (int32_t i = 0; i < PUSHED; i++) {
        int32_t next;
        svm_streamPop(self->in, &next);
        word += next;
    }
    self->count = word;
}
#endif

// A run of each kernel: early and late on SPE0, middle on SPE1.
typedef struct Run {
    Adds adds;
    svm_Block from, to;
    svm_MoveB2S fill;
    svm_MoveS2B empty;
} Run;

static struct {
    int32_t words[STAGES + 1][ROUNDS][WORDS];
    svm_Stream in[STAGES], out[STAGES], back[2];
    Run runs[ROUNDS][STAGES];
    Run pushes, returns;
} all __attribute__((aligned(128)));

static mm_Proc const processors[STAGES] = {&SPE0, &SPE1, &SPE0}, engines[STAGES] = {&MFC0, &MFC1, &MFC0};
static mm_Mem const stores[STAGES] = {&LS0, &LS1, &LS0};

static void initRun(Run *r, mm_Proc processor, mm_Proc engine, svm_KernelFunction *f, const char *name)
{
    svm_kernelInit(&r->adds.kernel, processor, f, name);
    svm_moveB2SInit(&r->fill, engine, &r->from, r->adds.in);
    svm_moveS2BInit(&r->empty, engine, r->adds.out, &r->to);
}

static void follow(Run *r, Run *before)
{
    svm_kernelAddDependence(&r->adds.kernel, &before->adds.kernel);
    svm_kernelAddDependence(&r->fill.kernel, &before->fill.kernel);
    svm_kernelAddDependence(&r->empty.kernel, &before->empty.kernel);
}

static void runAll(Run *r)
{
    svm_kernelRun(&r->fill.kernel);
    svm_kernelRun(&r->adds.kernel);
    svm_kernelRun(&r->empty.kernel);
}

static void setUp(size_t words)
{
    static svm_KernelFunction *const functions[STAGES] = {early, middle, late};
    static const char *const names[STAGES] = {"early", "middle", "late"};
    static const int32_t times[STAGES] = {10, 40, 20};
    for (size_t s = 0; s < STAGES; s++) {
        svm_streamInitRAM(&all.in[s], stores[s], 4096 * s, CAPACITY, sizeof(int32_t));
        svm_streamInitRAM(&all.out[s], stores[s], 4096 * s + 2048, CAPACITY, sizeof(int32_t));
    }
    for (size_t r = 0; r < ROUNDS; r++)
        for (size_t s = 0; s < STAGES; s++) {
            Run *run = &all.runs[r][s];
            const size_t at = words + (s * ROUNDS + r) * sizeof all.words[0][0];
            svm_blockInit(&run->from, &XDR, at, WORDS, sizeof(int32_t));
            svm_blockInit(&run->to, &XDR, at + sizeof all.words[0], WORDS, sizeof(int32_t));
            run->adds = (Adds){.in = &all.in[s], .out = &all.out[s], .count = WORDS, .times = times[s]};
            initRun(run, processors[s], engines[s], functions[s], names[s]);
            if (r > 0)
                follow(run, &all.runs[r - 1][s]);
            if (s > 0)
                svm_kernelAddDependence(&run->fill.kernel, &all.runs[r][s - 1].empty.kernel);
        }
}

static int count(void)
{
    int right = 0;
    for (int r = 0; r < ROUNDS; r++)
        for (int i = 0; i < WORDS; i++)
            right += all.words[STAGES][r][i] == 10000 * r + i + 70;
    return right;
}

#ifdef PUSHES
// What `pushes` pops has been pushed by itself, and has gone through SPE1.
static void pushFirst(size_t words)
{
    svm_streamInitRAM(&all.back[0], &LS0, 32768, CAPACITY, sizeof(int32_t));
    svm_streamInitRAM(&all.back[1], &LS0, 32768 + 2048, CAPACITY, sizeof(int32_t));
    svm_blockInit(&all.pushes.to, &XDR, words, PUSHED, sizeof(int32_t));
    svm_blockInit(&all.pushes.from, &XDR, words + sizeof all.words[0], PUSHED, sizeof(int32_t));
    all.returns.from = all.pushes.to;
    all.returns.to = all.pushes.from;
    all.pushes.adds = (Adds){.in = &all.back[0], .out = &all.back[1], .times = 13};
    all.returns.adds = (Adds){.in = &all.in[1], .out = &all.out[1], .count = PUSHED, .times = 3};
    initRun(&all.pushes, &SPE0, &MFC0, pushes, "pushes");
    initRun(&all.returns, &SPE1, &MFC1, middle, "returns");
    svm_kernelAddDependence(&all.returns.fill.kernel, &all.pushes.empty.kernel);
    svm_kernelAddDependence(&all.pushes.fill.kernel, &all.returns.empty.kernel);
    svm_kernelRun(&all.pushes.empty.kernel);
    runAll(&all.returns);
    svm_kernelRun(&all.pushes.fill.kernel);
    svm_kernelRun(&all.pushes.adds.kernel);
    svm_kernelWait(&all.pushes.adds.kernel);
    printf("together %d\n", (int)all.pushes.adds.count);
}
#endif

int main(void)
{
    const size_t words = svm_map(&XDR, all.words, sizeof all.words);
    for (int r = 0; r < ROUNDS; r++)
        for (int i = 0; i < WORDS; i++)
            all.words[0][r][i] = 10000 * r + i;
    setUp(words);
    for (int r = 0; r < ROUNDS; r++)
        for (int s = 0; s < STAGES; s++)
            runAll(&all.runs[r][s]);
    for (int s = 0; s < STAGES; s++)
        svm_kernelWait(&all.runs[ROUNDS - 1][s].empty.kernel);
    printf("%d words are right\n", count());
#ifdef PUSHES
    pushFirst(words);
#endif
    return 0;
}
