// Shows: kernels that promise holds_processor wait for streams on SPEs, and moves fill, pass and empty these, whatever their
// order; what a stream is used for that it must not be is an error with its place, and a promise that does not hold a deadlock
// that says who waits for what. Without the promise, or where the control code uses streams too, they are the PPE's.
// The predicted time of both is the simulator's, and the same whatever the order of transfers.
//
// RUN: env SVM_CELL_CHECK_DMA=1 %svm-llc --target=cell %s -o %t
// RUN: env SVM_CELL_SEED=1 SVM_CELL_COUNT=1 %t 2>&1 | FileCheck %s
// RUN: env SVM_CELL_SEED=2 SVM_CELL_COUNT=1 %t 2>&1 | FileCheck %s
// RUN: env SVM_CELL_SEED=3 SVM_CELL_COUNT=1 %t 2>&1 | FileCheck %s
// CHECK: SPE0: kernels 3, moves 6, lists 0, bytes 24000
// CHECK: SPE1: kernels 3, moves 3, lists 0, bytes 12000
// CHECK: PPE: kernels 0, transfers 0
// CHECK: 3000 words are right
//
// RUN: not %t 1 2>&1 | FileCheck %s --check-prefix=MUCH
// MUCH: streams.c:[[@LINE+88]]: error: svm_streamPopAcquire of 'first': 24 elements, with 0 acquired already, are more than its capacity of 16 [window]
// RUN: not %t 2 2>&1 | FileCheck %s --check-prefix=WRAPS
// WRAPS: streams.c:[[@LINE+86]]: error: svm_streamPopAcquire of 'first': a window of 12 elements wraps around the end of its memory of 16: the capacity must be a multiple of the counts in use [window]
// RUN: not %t 3 2>&1 | FileCheck %s --check-prefix=RELEASED
// RELEASED: streams.c:[[@LINE+88]]: error: svm_streamPopDiscard of 'first': 5 elements, and 4 are acquired [window]
// RUN: not %t 4 2>&1 | FileCheck %s --check-prefix=NOWHERE
// NOWHERE: streams.c:[[@LINE+82]]: error: svm_streamPopAcquire: the stream is null, or not in the local store of the kernel's SPE [bad-memory]
// RUN: not %t 5 2>&1 | FileCheck %s --check-prefix=SHARED
// SHARED: streams.c:[[@LINE+176]]: error: svm_moveB2S of 'first': another transfer is its producer and still pending, and 'again' does not wait for that [stream-shared]
// RUN: not %t 6 2>&1 | FileCheck %s --check-prefix=QUADS
// QUADS: streams.c:[[@LINE+172]]: error: svm_moveB2S of 'fill': 'MFC0' works with multiples of 16 bytes, and the length of 'first' is 24 [alignment]
// RUN: not %t 7 2>&1 | FileCheck %s --check-prefix=MEMORY
// MEMORY: streams.c:[[@LINE+170]]: error: svm_moveS2S of 'pass': its stream 'third' is in no local store, and only SPEs use streams here [bad-memory]
// RUN: not %t 8 2>&1 | FileCheck %s --check-prefix=SAME
// SAME: error: svm_moveS2S of 'pass': its stream 'third' is in the same local store as the one that it is moved from [bad-memory]
// RUN: not %t 9 2>&1 | FileCheck %s --check-prefix=AWAY
// AWAY: error: svm_streamPopAcquire of 'first': 'adds' is the PPE's, and kernels that promise 'holds_processor' have streams that only SPEs use [bad-processor]
// RUN: not %t 10 2>&1 | FileCheck %s --check-prefix=DEADLOCK
// DEADLOCK: svm-cell: error: deadlock: every thread waits for another
// DEADLOCK-NEXT: SPE {{[01]}} ({{.*}}, svm_cellWaitForElements): {{.*}}resident.c:{{[0-9]+}}: waits for signal register 1
// RUN: not %t 11 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: error: svm_moveB2S of 'more': the memory 'LS0' has 16 streams already, and no room to keep more [out-of-memory]
// RUN: not %t 12 2>&1 | FileCheck %s --check-prefix=TAKEN
// TAKEN: error: svm_streamPushAcquire of 'first': a transfer, or a kernel's window, has this end of the stream [stream-shared]
//
// RUN: %svm-llc --target=cell --remarks -DNO_PROMISE %s -o %t.ppe 2>&1 | FileCheck %s --check-prefix=ASKED
// ASKED: streams.c:{{[0-9]+}}:13: remark: the PPE runs 'adds' (where it is placed on an SPE, in that SPE's local store): it uses streams, and 'adds' does not promise SVM_KERNEL(holds_processor)
// RUN: env SVM_CELL_COUNT=1 %t.ppe 2>&1 | FileCheck %s --check-prefix=HERE
// HERE: PPE: kernels {{[1-9]}}
// HERE: 3000 words are right
// RUN: %svm-llc --target=cell --remarks -DCOUNTS %s -o %t.ppe 2>&1 | FileCheck %s --check-prefix=CONTROL
// CONTROL: remark: the PPE runs 'adds' {{.*}}: it uses streams, and the control code calls 'svm_streamCount', which the PPE runs
// CONTROL: streams.c:[[@LINE+157]]:{{[0-9]+}}: note: here
// RUN: env SVM_CELL_COUNT=1 %t.ppe 2>&1 | FileCheck %s --check-prefix=HERE
// RUN: %svm-llc --target=cell --remarks -DNET %s -o %t.ppe 2>&1 | FileCheck %s --check-prefix=NET
// NET: remark: the PPE runs 'adds' {{.*}}: it uses streams, and the control code calls 'svm_netRun', which the PPE runs
// RUN: env SVM_CELL_COUNT=1 %t.ppe 2>&1 | FileCheck %s --check-prefix=HERE
// RUN: %svm-llc --target=cell-timed %s -o %t.timed
// RUN: env SVM_CELL_SEED=1 SVM_CELL_COUNT=1 SVM_SIM_REPORT=%t.1 SVM_SIM_TRACE=%t.trace.1 %t.timed 2>&1 | FileCheck %s --check-prefix=SPES
// RUN: env SVM_CELL_SEED=2 SVM_SIM_REPORT=%t.2 SVM_SIM_TRACE=%t.trace.2 %t.timed
// RUN: diff %t.1 %t.2 && cmp %t.trace.1 %t.trace.2 && FileCheck %s --check-prefix=TIMED < %t.1
// SPES-DAG: PPE: kernels 0, transfers 0
// SPES-DAG: 3000 words are right
// TIMED: bottleneck: processor SPE0: {{.*}}push acquire {{.*}}pop discard
// RUN: %svm-llc --target=sim %s -o %t.sim
// RUN: env SVM_SIM_JSON=%t.json.1 %t.timed && env SVM_SIM_JSON=%t.json.2 %t.sim
// RUN: python3 -c "import json; c, s = (json.load(open('%t.json.' + n))['seconds'] for n in '12'); assert abs(c / s - 1) < 0.02, (c, s)"
#include <stdio.h>
#include <stdlib.h>

#ifdef NET
#include <svm/dynamic.h>
#else
#include <svm/svm.h>
#endif

#ifdef NO_PROMISE
#define PROMISE SVM_KERNEL()
#else
#define PROMISE SVM_KERNEL(holds_processor)
#endif

SVM_MACHINE("cell-qs20");
SVM_MEMORY(XDR);
SVM_MEMORY(LS0);
SVM_MEMORY(LS1);
SVM_PROCESSOR(PPE);
SVM_PROCESSOR(PPE1);
SVM_PROCESSOR(SPE0);
SVM_PROCESSOR(SPE1);
SVM_PROCESSOR(MFC0);
SVM_PROCESSOR(MFC1);

enum { WORDS = 1000, CAPACITY = 16, TIMES = 3, MORE = 17 };

// Adds to words, of which so many come and go at once; in the local store they lie in streams.
typedef struct Adds {
    svm_Kernel kernel;
    svm_Stream *in, *out;
    int32_t count, add;
    size_t each, released;
} Adds;

PROMISE
static void adds(svm_Kernel *kernel)
{
    Adds *self = (Adds *)kernel;
    for (int32_t left = self->count; left > 0; left -= (int32_t)self->each) {
        const int32_t *in = svm_streamPopAcquire(self->in, self->each);
        int32_t *out = svm_streamPushAcquire(self->out, self->each);
        for (size_t i = 0; i < self->each; i++)
            out[i] = in[i] + self->add;
        svm_streamPopDiscard(self->in, self->released);
        svm_streamPushSend(self->out, self->each);
    }
}

static struct {
    int32_t from[WORDS], to[WORDS];
    svm_Block fromB, toB, part;
    svm_Stream first, second, third, fourth, more[MORE];
    svm_MoveB2S fill, again, fills[MORE];
    svm_MoveS2S pass;
    svm_MoveS2B empty;
    Adds one, other;
} all __attribute__((aligned(128)));

static void streamInit(svm_Stream *s, mm_Mem memory, size_t address, const char *name)
{
    svm_streamInitRAM(s, memory, address, CAPACITY, sizeof(int32_t));
    svm_streamName(s, name);
}

static void addsInit(Adds *k, mm_Proc processor, svm_Stream *in, svm_Stream *out, int32_t add)
{
    *k = (Adds){.in = in, .out = out, .count = WORDS, .add = add, .each = 4, .released = 4};
    svm_kernelInit(&k->kernel, processor, adds, "adds");
}

static void setUp(int which)
{
    const size_t from = svm_map(&XDR, all.from, sizeof all.from), to = svm_map(&XDR, all.to, sizeof all.to);
    const bool far = which == 7, same = which == 8 || which == 10;
    svm_blockInit(&all.fromB, &XDR, from, WORDS, sizeof(int32_t));
    svm_blockInit(&all.part, &XDR, from, which == 6 ? 6 : 4, sizeof(int32_t));
    svm_blockInit(&all.toB, &XDR, to, WORDS, sizeof(int32_t));
    streamInit(&all.first, &LS0, 0, "first");
    streamInit(&all.second, &LS0, 128, "second");
    streamInit(&all.third, far ? &XDR : same ? &LS0 : &LS1, far ? svm_alloc(&XDR, 128) : 256, "third");
    streamInit(&all.fourth, same ? &LS0 : &LS1, 384, "fourth");
    for (size_t i = 0; i < MORE; i++) {
        streamInit(&all.more[i], &LS0, 1024 + 128 * i, "more");
        svm_moveB2SInit(&all.fills[i], &MFC0, &all.part, &all.more[i]);
    }
    addsInit(&all.one, which == 9 ? &PPE1 : &SPE0, which == 4 ? NULL : &all.first, &all.second, 1);
    addsInit(&all.other, which == 10 ? &SPE0 : &SPE1, &all.third, &all.fourth, 2);
    svm_moveB2SInit(&all.fill, &MFC0, which == 6 ? &all.part : &all.fromB, &all.first);
    svm_moveB2SInit(&all.again, &MFC0, &all.fromB, &all.first);
    all.fill.kernel.name = "fill";
    all.again.kernel.name = "again";
    svm_moveS2SInit(&all.pass, &MFC0, &all.second, &all.third, WORDS);
    all.pass.kernel.name = "pass";
    svm_moveS2BInit(&all.empty, &MFC1, &all.fourth, &all.toB);
}

static void tearDown(void)
{
    svm_streamDestroy(&all.first);
    svm_streamDestroy(&all.second);
    svm_streamDestroy(&all.third);
    svm_streamDestroy(&all.fourth);
    for (size_t i = 0; i < MORE; i++)
        svm_streamDestroy(&all.more[i]);
}

static void misuse(int which)
{
    if (which == 1)
        all.one.each = 24;
    if (which == 2)
        all.one.each = 12;
    if (which == 3)
        all.one.released = 5;
    if (which == 10)
        all.one.out = &all.third;
    if (which == 12)
        all.one.out = &all.first;
}

// Kernels and moves in another order each time.
static void run(int which, int time)
{
    svm_Kernel *const kernels[] = {&all.empty.kernel, &all.one.kernel, &all.fill.kernel, &all.pass.kernel,
                                   &all.other.kernel};
    enum { COUNT = sizeof kernels / sizeof *kernels };
    if (which == 10) { // on one SPE, and the first to run waits for the other
        svm_kernelRun(&all.other.kernel);
        svm_kernelRun(&all.one.kernel);
        svm_kernelRun(&all.fill.kernel);
        svm_kernelWait(&all.other.kernel);
    }
    for (int i = 0; i < COUNT && which != 10; i++)
        svm_kernelRun(kernels[(i + 2 * time) % COUNT]);
    if (which == 5)
        svm_kernelRun(&all.again.kernel);
    for (int i = 0; i < MORE && which == 11; i++)
        svm_kernelRun(&all.fills[i].kernel);
    svm_kernelWaitMultiple(COUNT, kernels);
#ifdef COUNTS
    if (svm_streamCount(&all.second) != 0)
        exit(3);
#endif
}

#ifdef NET
// Another program of the same file, with dynamic rates.
static svm_Net net;
bool runNet(void);
bool runNet(void)
{
    return svm_netRun(&net, 1);
}
#endif

int main(int argc, char **argv)
{
    const int which = argc > 1 ? atoi(argv[1]) : 0;
    int right = 0;
    for (int time = 0; time < TIMES; time++) {
        for (int i = 0; i < WORDS; i++)
            all.from[i] = 1000 * time + i;
        setUp(which);
        misuse(which);
        run(which, time);
        for (int i = 0; i < WORDS; i++)
            right += all.to[i] == 1000 * time + i + 3;
        tearDown();
    }
    printf("%d words are right\n", right);
    return 0;
}
