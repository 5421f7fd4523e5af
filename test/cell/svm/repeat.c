// Shows that SPEs repeat a sequence of runs by themselves: each run waits for the latest of those that it depends on, of its
// time or the one before, on its SPE or another; transfers go on from time to time; it may be run again before it is over, and
// its kernels are run one by one before and after. Nothing is repeated where the memory has not what is asked for. Other
// targets repeat nothing, and the control program starts each run.
//
// RUN: %svm-llc --target=host %s -o %t.host && %t.host | FileCheck %s
// RUN: env SVM_CELL_CHECK_DMA=1 %svm-llc --target=cell %s -o %t
// RUN: env SVM_CELL_SEED=1 %t | FileCheck %s
// RUN: env SVM_CELL_SEED=2 %t | FileCheck %s
// RUN: env SVM_CELL_SEED=3 SVM_CELL_REPEATS=0 %t | FileCheck %s
// CHECK: 400 times: 2230177024
//
// A PPE that is 100 times slower costs little: it asks for each repeat once an SPE, and not for each run.
// RUN: %svm-llc --target=cell-timed %s -o %t.timed
// RUN: env SVM_SIM_JSON=%t.json SVM_CELL_COUNT=1 %t.timed 2>&1 | FileCheck %s --check-prefix=FEW
// FEW: PPE in time: runs 112, waits
// RUN: env SVM_SIM_JSON=%t.json SVM_CELL_COUNT=1 SVM_CELL_REPEATS=0 %t.timed 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: PPE in time: runs 2000, waits
#include <stdio.h>
#include <string.h>

#include <svm/program.h>

SVM_MACHINE("cell-qs20");
SVM_MEMORY(XDR);
SVM_MEMORY(LS0);
SVM_MEMORY(LS1);
SVM_PROCESSOR(SPE0);
SVM_PROCESSOR(MFC0);
SVM_PROCESSOR(SPE1);
SVM_PROCESSOR(MFC1);

enum { ITEMS = 64, TIMES = 400, BYTES = ITEMS * sizeof(unsigned) };

typedef struct {
    svm_Kernel kernel;
    svm_Block *from, *to;
    unsigned sum; // of all that came by
} Step;

SVM_KERNEL()
static void add(svm_Kernel *kernel)
{
    Step *self = (Step *)kernel;
    const unsigned *from = svm_blockData(self->from);
    unsigned *to = svm_blockData(self->to), before = to[ITEMS - 1];
    for (int i = 0; i < ITEMS; i++)
        to[i] = before = before * 31 + from[i];
}

static svm_Block in, between, out, here, made, there, given;
static Step first = {.from = &here, .to = &made}, second = {.from = &there, .to = &given};
static svm_MoveB2B load, pass, store;

// Each transfer's side in memory goes on from time to time; what is between the kernels is one block.
static void runOnce(size_t from, size_t to)
{
    svm_blockInit(&in, &XDR, from, ITEMS, sizeof(unsigned));
    svm_blockInit(&out, &XDR, to, ITEMS, sizeof(unsigned));
    svm_kernelRun(&load.kernel);
    svm_kernelRun(&first.kernel);
    svm_kernelRun(&pass.kernel);
    svm_kernelRun(&second.kernel);
    svm_kernelRun(&store.kernel);
    svm_kernelWait(&store.kernel);
}

static svm_Sequence *sequence(void)
{
    if (svm_sequenceCreate(2, &XDR, (size_t)1 << 40) != NULL) // more than there is
        return NULL;
    svm_Sequence *s = svm_sequenceCreate(2, &XDR, 0);
    if (s == NULL)
        return NULL;
    svm_sequenceAdd(s, &load.kernel, 0, 0);
    svm_sequenceAdd(s, &first.kernel, -1, 0);
    svm_sequenceAdd(s, &pass.kernel, -1, 0);
    svm_sequenceAdd(s, &second.kernel, -1, 0);
    svm_sequenceAdd(s, &store.kernel, 1, 0);
    if (svm_sequenceMade(s))
        return s;
    svm_sequenceDestroy(s);
    return NULL;
}

int main(void)
{
    const size_t from = svm_alloc(&XDR, (size_t)BYTES * TIMES), to = svm_alloc(&XDR, (size_t)BYTES * TIMES);
    svm_Block all_in, all_out;
    svm_blockInit(&all_in, &XDR, from, (size_t)ITEMS * TIMES, sizeof(unsigned));
    svm_blockInit(&all_out, &XDR, to, (size_t)ITEMS * TIMES, sizeof(unsigned));
    for (unsigned i = 0; i < ITEMS * TIMES; i++)
        ((unsigned *)svm_blockData(&all_in))[i] = i * i;
    svm_blockInit(&here, &LS0, 0, ITEMS, sizeof(unsigned));
    svm_blockInit(&made, &LS0, BYTES, ITEMS, sizeof(unsigned));
    svm_blockInit(&there, &LS1, 0, ITEMS, sizeof(unsigned));
    svm_blockInit(&given, &LS1, BYTES, ITEMS, sizeof(unsigned));
    svm_blockInit(&in, &XDR, from, ITEMS, sizeof(unsigned));
    svm_blockInit(&out, &XDR, to, ITEMS, sizeof(unsigned));
    memset(svm_blockData(&made), 0, BYTES);
    memset(svm_blockData(&given), 0, BYTES);
    svm_moveB2BInit(&load, &MFC0, &in, &here);
    svm_kernelInit(&first.kernel, &SPE0, add, "first");
    svm_moveB2BInit(&pass, &MFC0, &made, &there);
    svm_kernelInit(&second.kernel, &SPE1, add, "second");
    svm_moveB2BInit(&store, &MFC1, &given, &out);
    svm_kernelAddDependence(&first.kernel, &load.kernel);
    svm_kernelAddDependence(&pass.kernel, &first.kernel);
    svm_kernelAddDependence(&second.kernel, &pass.kernel);
    svm_kernelAddDependence(&store.kernel, &second.kernel);
    svm_kernelAddDependence(&load.kernel, &first.kernel); // and of the time before
    svm_kernelAddDependence(&first.kernel, &pass.kernel);
    svm_kernelAddDependence(&pass.kernel, &second.kernel);
    svm_kernelAddDependence(&second.kernel, &store.kernel);
    svm_Sequence *s = sequence();
    for (int time = 0; time < TIMES;) {
        const int again = s != NULL && time >= 3 && time < TIMES - 3 ? (TIMES - 3 - time + 9) / 10 : 0;
        if (again == 0) {
            runOnce(from + (size_t)BYTES * time, to + (size_t)BYTES * time);
            time++;
            continue;
        }
        svm_Block from_here, to_here, *places[] = {&from_here, &to_here};
        const size_t steps[] = {BYTES, BYTES};
        svm_blockInit(&from_here, &XDR, from + (size_t)BYTES * time, (size_t)ITEMS * again, sizeof(unsigned));
        svm_blockInit(&to_here, &XDR, to + (size_t)BYTES * time, (size_t)ITEMS * again, sizeof(unsigned));
        svm_sequenceWait(s, false);
        svm_sequenceRun(s, again, places, steps);
        svm_sequencePace(s, 1, 2);
        time += again;
        if (time == TIMES - 3)
            svm_sequenceWait(s, true);
    }
    svm_sequenceDestroy(s);
    unsigned sum = 0;
    for (unsigned i = 0; i < ITEMS * TIMES; i++)
        sum = sum * 33 + ((unsigned *)svm_blockData(&all_out))[i];
    printf("%d times: %u\n", TIMES, sum);
    return 0;
}
