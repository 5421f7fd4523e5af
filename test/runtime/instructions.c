// Stream instructions: loads and stores of strided and indexed streams, kernels with parameters, reductions, stencils, conditional
// streams, suspension and restoring, fences and barriers, against values worked out by hand.
// RUN: %host -o %t && %t
// RUN: env SVM_WORKERS=3 %t beside
// RUN: %host-gcc -o %t && %t
// RUN: %host-asan -o %t && %t && env SVM_WORKERS=3 %t beside
// RUN: %host-tsan -o %t && env SVM_WORKERS=3 %t beside
#include "svm/instructions.h"
#include "check.h"

SVM_MACHINE("simple-svm");
SVM_MEMORY(GMEM);
SVM_MEMORY(LMEM1);
SVM_PROCESSOR(PROC1);
SVM_PROCESSOR(PROC2);
SVM_PROCESSOR(DMA_ENGINE1);

static svm_StreamUnit unit, *const u = &unit;

#define IS(array, ...)                                                                                                 \
    expect(array, (const int32_t[]){__VA_ARGS__}, sizeof((const int32_t[]){__VA_ARGS__}) / sizeof(int32_t), __LINE__)
static void expect(const int32_t *found, const int32_t *wanted, size_t count, int line)
{
    for (size_t i = 0; i < count; i++)
        if (found[i] != wanted[i]) {
            printf("line %d: element %zu is %d, not %d\n", line, i, (int)found[i], (int)wanted[i]);
            exit(1);
        }
}

// Memory register r: dense records of an array of the test's.
static void inMemory(size_t r, int32_t *array, size_t size, size_t length)
{
    u->StreamMemRF[r] = (svm_StreamMemReg){
        SVM_STRIDED_STREAM, size, svm_map(&GMEM, array, size * length * SVM_WORD), size, length, 0, SVM_REPLACE};
}
static void done(size_t r)
{
    svm_unmap(&GMEM, u->StreamMemRF[r].stream_ptr);
}
// SRF register r: `length` records at word `at`.
static void inSrf(size_t r, size_t at, size_t size, size_t length)
{
    u->StreamSRF_RF[r] = (svm_StreamSRFReg){at * SVM_WORD, size, length};
}

// ---- Load, kernel, store; parameters ----

SVM_KERNEL(cost(0, 2)) static void scale(svm_Kernel *k)
{
    int32_t factor = svm_parameter(k, 0), x;
    float shift = svm_parameterFloat(k, 1);
    while (!svm_EOS(k, 0)) {
        svm_srfRead(k, 0, &x);
        x = x * factor + (int32_t)shift;
        svm_srfWrite(k, 1, &x);
    }
}

static void loadRunStore(void)
{
    int32_t from[4] = {1, 2, 3, 4}, to[4] = {0};
    inMemory(0, from, 1, 4);
    inMemory(1, to, 1, 4);
    inSrf(3, 0, 1, 4);
    inSrf(4, 100, 1, 4);
    u->KernelParamRf[31] = 10; // parameters wrap around: 31, 0
    float shift = 5;
    memcpy(&u->KernelParamRf[0], &shift, sizeof shift);
    svm_Fence a = svm_StreamLoad(u, 0, 3, 0);
    svm_Fence b = svm_KernelStart(u, scale, 31, SVM_STREAMS(3), SVM_STREAMS(4), 1, a);
    svm_Fence c = svm_StreamStore(u, 1, 4, 1, b);
    CHECK(0 < a && a < b && b < c);
    svm_synch(u, c);
    IS(to, 15, 25, 35, 45);
    CHECK(svm_query(u, a) && svm_query(u, b) && svm_query(u, c) && svm_query(u, 0));
    CHECK(svm_streamRecords(u, 3) == 4 && svm_streamRecords(u, 4) == 4);
    CHECK(!svm_suspended(u, b));
    // The form with an array, and registers rewritten at once after a launch.
    svm_Fence fences[3];
    memset(to, 0, sizeof to);
    fences[0] = svm_StreamLoadAfter(u, 0, 3, 0, NULL);
    fences[1] = svm_KernelStartAfter(u, scale, "scale", 31, SVM_STREAMS(3), SVM_STREAMS(4), 1, fences);
    fences[2] = svm_StreamStoreAfter(u, 1, 4, 2, fences);
    u->StreamMemRF[1].stream_length = 0;
    inSrf(3, 7, 3, 1);
    inSrf(4, 7, 3, 1);
    svm_synch(u, fences[2]);
    IS(to, 15, 25, 35, 45);
    while (!svm_query(u, svm_StreamBarrier(u)))
        ;
    done(0);
    done(1);
}

// ---- Strided and indexed streams in memory ----

static void layouts(void)
{
    // A matrix of 3 rows of 4: columns 1 and 2 go to columns 0 and 1 of a matrix of 3 rows of 2.
    int32_t from[12] = {0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23}, to[6] = {0};
    inMemory(0, from, 1, 12);
    svm_StreamMemReg column = {SVM_STRIDED_STREAM, 4, u->StreamMemRF[0].stream_ptr + SVM_WORD, 2, 3, 0, SVM_REPLACE};
    u->StreamMemRF[2] = column;
    inMemory(1, to, 2, 3);
    inSrf(0, 0, 2, 3);
    svm_Fence f = svm_StreamLoad(u, 2, 0, 0);
    f = svm_StreamStore(u, 1, 0, 1, f);
    svm_synch(u, f);
    IS(to, 1, 2, 11, 12, 21, 22);
    // The mirror: stored with a stride, over what is there.
    u->StreamMemRF[2].stream_ptr -= SVM_WORD;
    svm_synch(u, svm_StreamStore(u, 2, 0, 1, f));
    IS(from, 1, 2, 2, 3, 11, 12, 12, 13, 21, 22, 22, 23);
    done(0);
    done(1);

    // Indexed: records 2, 0, 2 of a table of 3 records of two words.
    int32_t table[6] = {1, 2, 3, 4, 5, 6}, indices[3] = {2, 0, 2}, got[6] = {0};
    inMemory(0, table, 2, 3);
    inMemory(1, indices, 1, 3);
    inMemory(2, got, 2, 3);
    u->StreamMemRF[3] = (svm_StreamMemReg){SVM_INDEXED_STREAM, 5, u->StreamMemRF[0].stream_ptr, 2, 3, 3,
                                           SVM_REPLACE}; // indices in SRF register 5
    inSrf(5, 64, 1, 3);
    inSrf(6, 128, 2, 3);
    f = svm_StreamLoad(u, 1, 5, 0);
    svm_Fence gathered = svm_StreamLoad(u, 3, 6, 1, f);
    svm_synch(u, svm_StreamStore(u, 2, 6, 1, gathered));
    IS(got, 5, 6, 1, 2, 5, 6);
    // Scattered back, added to what is there: record 2 gets 5 6 twice, record 0 gets 1 2 once.
    u->StreamMemRF[3].stream_combine = SVM_ADD_INT32;
    svm_synch(u, svm_StreamStore(u, 3, 6, 2, gathered, f));
    IS(table, 2, 4, 3, 4, 15, 18);
    // Words gathered to where their indices were.
    u->StreamMemRF[3] = (svm_StreamMemReg){SVM_INDEXED_STREAM, 5, u->StreamMemRF[0].stream_ptr, 1, 3, 6, SVM_REPLACE};
    svm_synch(u, svm_StreamLoad(u, 3, 5, 1, gathered));
    inMemory(4, indices, 1, 3);
    svm_synch(u, svm_StreamStore(u, 4, 5, 0));
    IS(indices, 3, 2, 3);
    for (size_t r = 0; r < 3; r++)
        done(r);
    done(4);
}

// ---- Reductions: in parameter registers ----

SVM_KERNEL(cost(0, 4)) static void statistics(svm_Kernel *k)
{
    int32_t x, sum = 0;
    float f;
    svm_setParameter(k, 0, INT32_MAX);
    while (!svm_EOS(k, 0)) {
        svm_srfRead(k, 0, &x);
        sum += x;
        svm_reduceParameter(k, 0, SVM_MIN_INT32, &x);
        svm_reduceParameter(k, 1, SVM_MAX_INT32, &x);
        f = (float)x / 2;
        svm_reduceParameter(k, 2, SVM_ADD_FLOAT, &f);
    }
    svm_setParameter(k, 3, sum); // after the loop over elements
    svm_setParameterFloat(k, 4, 0.25f);
}

static void reductions(void)
{
    int32_t from[5] = {3, -8, 5, 12, 1};
    float half, quarter;
    inMemory(0, from, 1, 5);
    inSrf(0, 0, 1, 5);
    memset(u->KernelParamRf, 0, 32 * sizeof *u->KernelParamRf);
    svm_Fence f = svm_StreamLoad(u, 0, 0, 0);
    svm_synch(u, svm_KernelStart(u, statistics, 11, SVM_STREAMS(0), SVM_NO_STREAMS, 1, f));
    memcpy(&half, &u->KernelParamRf[13], 4);
    memcpy(&quarter, &u->KernelParamRf[15], 4);
    CHECK(u->KernelParamRf[11] == -8 && u->KernelParamRf[12] == 12 && u->KernelParamRf[14] == 13);
    CHECK(half == 6.5f && quarter == 0.25f);
    done(0);
}

// ---- Stencils: S[INSTANCE-1] + 2 S[INSTANCE] + S[INSTANCE+1], zeroes beyond the borders ----

SVM_KERNEL(cost(0, 4)) static void smooth(svm_Kernel *k)
{
    int32_t x, previous, next;
    if (svm_INSTANCE(k, 0) != -1)
        return;
    while (!svm_EOS(k, 0)) {
        svm_srfRead(k, 0, &x);
        bool left = svm_srfAt(k, 0, svm_INSTANCE(k, 0) - 1, &previous);
        bool right = svm_srfAt(k, 0, svm_INSTANCE(k, 0) + 1, &next);
        x = previous + 2 * x + next;
        if (!left || !right)
            x = -x; // the kernel can tell
        svm_srfWrite(k, 1, &x);
    }
}

static void stencils(void)
{
    int32_t from[5] = {1, 10, 100, 1000, 10000}, to[5] = {0};
    inMemory(0, from, 1, 5);
    inMemory(1, to, 1, 5);
    inSrf(0, 0, 1, 5);
    inSrf(1, 5, 1, 5);
    svm_Fence f = svm_StreamLoad(u, 0, 0, 0);
    f = svm_KernelStart(u, smooth, 0, SVM_STREAMS(0), SVM_STREAMS(1), 1, f);
    svm_synch(u, svm_StreamStore(u, 1, 1, 1, f));
    IS(to, -12, 121, 1210, 12100, -21000);
    done(0);
    done(1);
}

// ---- Conditional streams ----

// Records whose first word is even go to one output, the others to another; a count goes before and after.
SVM_KERNEL(cost(0, 4)) static void split(svm_Kernel *k)
{
    int32_t record[2];
    while (!svm_EOS(k, 0)) {
        svm_srfRead(k, 0, record);
        bool even = record[0] % 2 == 0;
        svm_srfWriteIf(k, 1, even, record);
        svm_srfWriteIf(k, 2, !even, record);
    }
}
// Takes from input 1 where input 0 is 1, for as long as there are any.
SVM_KERNEL(cost(0, 4)) static void merge(svm_Kernel *k)
{
    int32_t take, x;
    if (svm_srfAt(k, 0, 99, NULL) || !svm_srfAt(k, 0, 0, NULL) || svm_srfReadIf(k, 1, false, NULL))
        return;
    while (!svm_EOS(k, 0)) {
        svm_srfRead(k, 0, &take);
        bool read = svm_srfReadIf(k, 1, take == 1, &x);
        x = read ? x : -1 - x;
        svm_srfWrite(k, 2, &x);
    }
}

static void conditionals(void)
{
    int32_t from[10] = {1, 10, 2, 20, 4, 40, 3, 30, 6, 60}, even[10], odd[10];
    memset(even, 0xff, sizeof even);
    memset(odd, 0xff, sizeof odd);
    inMemory(0, from, 2, 5);
    inMemory(1, even, 2, 5);
    inMemory(2, odd, 2, 5);
    inSrf(0, 0, 2, 5);
    inSrf(1, 10, 2, 5);
    inSrf(2, 20, 2, 5);
    svm_Fence f = svm_StreamLoad(u, 0, 0, 0);
    f = svm_KernelStart(u, split, 0, SVM_STREAMS(0), SVM_STREAMS(1, 2), 1, f);
    svm_Fence evens = svm_StreamStore(u, 1, 1, 1, f), odds = svm_StreamStore(u, 2, 2, 1, f);
    svm_synch(u, evens);
    svm_synch(u, odds);
    CHECK(svm_streamRecords(u, 1) == 3 && svm_streamRecords(u, 2) == 2); // stored without asking how many they are
    IS(even, 2, 20, 4, 40, 6, 60, -1, -1, -1, -1);
    IS(odd, 1, 10, 3, 30, -1, -1, -1, -1, -1, -1);
    done(0);
    done(1);
    done(2);

    int32_t takes[6] = {0, 1, 1, 0, 1, 1}, values[3] = {7, 8, 9}, to[6];
    inMemory(0, takes, 1, 6);
    inMemory(1, values, 1, 3);
    inMemory(2, to, 1, 6);
    inSrf(0, 0, 1, 6);
    inSrf(1, 6, 1, 3);
    inSrf(2, 9, 1, 6);
    f = svm_StreamLoad(u, 0, 0, 0);
    svm_Fence g = svm_StreamLoad(u, 1, 1, 0);
    f = svm_KernelStart(u, merge, 0, SVM_STREAMS(0, 1), SVM_STREAMS(2), 2, f, g);
    svm_synch(u, svm_StreamStore(u, 2, 2, 1, f));
    IS(to, -1, 7, 8, -1, 9, -1);
    done(0);
    done(1);
    done(2);
}

// ---- Suspend and restore: writes each number x times, into an output that holds four ----

SVM_KERNEL(cost(0, 8)) static void repeat(svm_Kernel *k)
{
    int32_t state[2] = {0, 0}; // the number, and how often it is to be written yet
    if (svm_restored(k))
        svm_srfRead(k, 1, state);
    while (state[1] > 0 || !svm_EOS(k, 0)) {
        if (state[1] == 0) {
            svm_srfRead(k, 0, &state[0]);
            state[1] = state[0];
            continue;
        }
        if (svm_Full(k, 2)) {
            svm_srfWrite(k, 3, state);
            svm_suspend(k);
            return;
        }
        svm_srfWrite(k, 2, &state[0]);
        state[1]--;
    }
}

static void suspension(void)
{
    int32_t from[5] = {3, 1, 0, 6, 2}, to[12] = {0};
    size_t stored = 0, runs = 0;
    inMemory(0, from, 1, 5);
    inMemory(1, to, 1, 12);
    inSrf(0, 0, 1, 5);
    inSrf(2, 7, 1, 4);
    inSrf(3, 5, 2, 1); // the state, which is both output and input
    svm_Fence f = svm_StreamLoad(u, 0, 0, 0);
    f = svm_KernelStart(u, repeat, 0, SVM_STREAMS(0, 3), SVM_STREAMS(2, 3), 1, f);
    for (bool more = true; more; stored += 4) {
        svm_synch(u, f);
        runs++;
        CHECK(svm_streamRecords(u, 2) == 4);
        u->StreamMemRF[1] =
            (svm_StreamMemReg){SVM_STRIDED_STREAM, 1, (uintptr_t)(to + stored), 1, 12 - stored, 0, SVM_REPLACE};
        svm_synch(u, svm_StreamStore(u, 1, 2, 1, f));
        more = svm_suspended(u, f);
        CHECK(!svm_suspended(u, f)); // told once
        size_t left = svm_streamRecords(u, 3);
        CHECK(left == (more ? 1 : 0));
        if (more)
            f = runs == 1 ? svm_KernelRestore(u, repeat, 0, SVM_STREAMS(0, 3), SVM_STREAMS(2, 3), 1, f)
                          : svm_KernelRestoreAfter(u, repeat, "repeat", 0, SVM_STREAMS(0, 3), SVM_STREAMS(2, 3), 1, &f);
        else
            break;
    }
    CHECK(runs == 3);
    IS(to, 3, 3, 3, 1, 6, 6, 6, 6, 6, 6, 2, 2);
    done(0);
    svm_unmap(&GMEM, (uintptr_t)to);
}

// ---- Fences ----

SVM_KERNEL(cost(0, 1)) static void increment(svm_Kernel *k)
{
    int32_t x;
    while (!svm_EOS(k, 0)) {
        svm_srfRead(k, 0, &x);
        x++;
        svm_srfWrite(k, 1, &x);
    }
}

// A thousand instructions in flight, each after the one before; in place, so that a missing dependence would show.
static void chain(void)
{
    int32_t data[3] = {5, 6, 7};
    inMemory(0, data, 1, 3);
    inSrf(0, 0, 1, 3);
    svm_Fence f = svm_StreamLoad(u, 0, 0, 0), first = f;
    for (int i = 0; i < 1000; i++) {
        svm_Fence next = svm_KernelStart(u, increment, 0, SVM_STREAMS(0), SVM_STREAMS(0), 2, f, f);
        CHECK(next == f + 1);
        f = next;
    }
    svm_Fence barrier = svm_StreamBarrier(u);
    svm_Fence stored = svm_StreamStore(u, 0, 0, 0); // after the barrier: needs no fence
    CHECK(barrier == f + 1 && stored == f + 2);
    svm_synch(u, barrier);
    CHECK(svm_query(u, f) && svm_query(u, first) && svm_query(u, barrier));
    svm_synch(u, stored);
    IS(data, 1005, 1006, 1007);
    svm_Fence a = svm_StreamBarrier(u), b = svm_StreamBarrier(u);
    svm_synch(u, b);
    CHECK(svm_query(u, a) && svm_query(u, b));
    done(0);
}

// A unit with its own numbers of registers.
static void registers(void)
{
    svm_StreamUnit small;
    svm_streamUnitInit(&small, &PROC1, &DMA_ENGINE1, &GMEM, &LMEM1, 1, 2, 3);
    CHECK(small.memRegisters == 1 && small.srfRegisters == 2 && small.parameterRegisters == 3);
    CHECK(unit.memRegisters == 32 && unit.srfRegisters == 32 && unit.parameterRegisters == 32);
    small.StreamSRF_RF[1] = (svm_StreamSRFReg){0, 1, 9};
    CHECK(svm_streamRecords(&small, 1) == 9); // nothing has written it
    small.StreamSRF_RF[0] = (svm_StreamSRFReg){0, 1, 0};
    svm_synch(&small, svm_KernelStart(&small, increment, 2, SVM_STREAMS(0), SVM_STREAMS(1), 0));
    CHECK(svm_streamRecords(&small, 1) == 0);
    svm_streamUnitDestroy(&small);
}

static void nothing(svm_Kernel *k)
{
    (void)k;
}

int main(int argc, char **argv)
{
    // With an argument: a second processor makes the machine one of several threads, where instructions stay pending.
    svm_Kernel other;
    if (argc > 1 && *argv)
        svm_kernelInit(&other, &PROC2, nothing, "other");
    svm_streamUnitInit(u, &PROC1, &DMA_ENGINE1, &GMEM, &LMEM1, 0, 0, 0);
    loadRunStore();
    layouts();
    reductions();
    stencils();
    conditionals();
    suspension();
    chain();
    registers();
    svm_streamUnitDestroy(u);
    return 0;
}
