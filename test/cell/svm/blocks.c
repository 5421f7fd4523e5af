// Shows SVM C by hand on SPEs: fields of every kind go to an SPE in its layout and come back changed, blocks named by pointers, by
// arrays of pointers and as parts of the struct are found, kernels on two SPEs and transfers wait for each other without
// the PPE, what an SPE prints is printed, and loads and stores meet no transfer under way.
//
// RUN: env SVM_CELL_CHECK_DMA=1 %svm-llc --target=cell %s -o %t
// RUN: env SVM_CELL_SEED=1 %t | FileCheck %s
// RUN: env SVM_CELL_SEED=2 SVM_CELL_PPE_DELAY=200 %t | FileCheck %s
// RUN: %svm-llc --target=host %s -o %t.host && %t.host | FileCheck %s
//
// The sources as a folder build the same program.
// RUN: rm -rf %t.folder && %svm-llc --target=cell -S %s -o %t.folder && make -C %t.folder && %t.folder/blocks | FileCheck %s
// RUN: FileCheck %s --check-prefix=SPU < %t.folder/blocks.spu.c
// SPU: What a run keeps.
// SPU-NOT: SVM_PROCESSOR
// SPU-NOT: {{^}}int main
// SPU: static void scale_run(svm_Kernel *kernel)
// SPU: svm_KernelFunction *const svm_cellKernels[] = {
// SPU-NEXT: scale_run,
// SPU-NEXT: sum_run,
#include <stdio.h>
#include <stdlib.h>

#include <svm/program.h>

SVM_MACHINE("cell-qs20");
SVM_MEMORY(XDR);
SVM_MEMORY(LS0);
SVM_MEMORY(LS1);
SVM_PROCESSOR(PPE);
SVM_PROCESSOR(SPE0);
SVM_PROCESSOR(SPE1);
SVM_PROCESSOR(MFC0);
SVM_PROCESSOR(MFC1);

enum { COUNT = 64, STRIPS = 40 };

/* What a run keeps. */
typedef struct {
    char letter;
    long calls;
    double mean;
    struct {
        short low;
        size_t high[2];
    } range[2];
    union {
        long all[2];
        struct {
            long first, second;
        };
    } both;
    unsigned flags : 3, more : 7;
} Record;

typedef struct {
    svm_Kernel kernel;
    Record record;
    svm_Block *in[2];
    svm_Block out;
    int factor;
} Scale;

typedef struct {
    svm_Kernel kernel;
    svm_Block *in;
    int64_t total;
    svm_Log *log;
} Sum;

static const int offsets[3] = {1, 10, 100};

SVM_KERNEL()
static void scale_run(svm_Kernel *kernel)
{
    Scale *self = (Scale *)kernel;
    Record *r = &self->record;
    int *out = svm_blockData(&self->out), last;
    const int *first = svm_blockData(self->in[0]), *second = svm_blockData(self->in[1]);
    for (int i = 0; i < COUNT; i++)
        out[i] = self->factor * first[i] + second[i] + offsets[i % 3];
    svm_blockRead(&self->out, COUNT - 1, &last);
    r->letter++;
    r->calls -= 1;
    r->mean += last / 2.0;
    r->range[1].low++;
    r->range[1].high[1] += 2;
    r->both.second = r->both.all[0] + r->flags;
    r->more++;
}

SVM_KERNEL()
static void sum_run(svm_Kernel *kernel)
{
    Sum *self = (Sum *)kernel;
    const int *in = svm_blockData(self->in);
    for (int i = 0; i < COUNT; i++)
        self->total += in[i];
    svm_printText(self->log, "total ");
    svm_printInt(self->log, (int32_t)self->total);
    svm_printText(self->log, "\n");
    svm_printMark(self->log);
}

/* Strip s: memory to LS0 by two moves, scaled there, moved to LS1, summed up there. */
typedef struct {
    svm_Block there[2], here[2], beside;
    svm_MoveB2B load[2], pass;
    Scale scale;
    Sum sum;
} Strip;

static Strip strips[2];
static svm_Log prints;

static void set_up(Strip *s, size_t index, size_t memory)
{
    for (size_t i = 0; i < 2; i++) {
        svm_blockInit(&s->there[i], &XDR, memory + i * COUNT * 4, COUNT, 4);
        svm_blockInit(&s->here[i], &LS0, (index * 3 + i) * COUNT * 4, COUNT, 4);
        svm_moveB2BInit(&s->load[i], &MFC0, &s->there[i], &s->here[i]);
    }
    svm_blockInit(&s->scale.out, &LS0, (index * 3 + 2) * COUNT * 4, COUNT, 4);
    svm_blockInit(&s->beside, &LS1, index * COUNT * 4, COUNT, 4);
    svm_kernelInit(&s->scale.kernel, &SPE0, scale_run, "scale");
    svm_kernelNeverBlocks(&s->scale.kernel);
    s->scale.record = (Record){.letter = 'a', .calls = -5, .range = {{0}, {7, {1, 3000000000u}}}, .both = {{-9, 4}}, .flags = 5};
    s->scale.factor = 3;
    s->scale.in[0] = &s->here[0];
    s->scale.in[1] = &s->here[1];
    svm_moveB2BInit(&s->pass, &MFC0, &s->scale.out, &s->beside);
    svm_kernelInit(&s->sum.kernel, &SPE1, sum_run, "sum");
    svm_kernelNeverBlocks(&s->sum.kernel);
    s->sum.in = &s->beside;
    s->sum.log = &prints;
}

static void order(Strip *s, Strip *before)
{
    for (int i = 0; i < 2; i++) {
        svm_kernelAddDependence(&s->scale.kernel, &s->load[i].kernel);
        svm_kernelAddDependence(&s->load[i].kernel, &s->scale.kernel);
    }
    svm_kernelAddDependence(&s->scale.kernel, &s->pass.kernel);
    svm_kernelAddDependence(&s->pass.kernel, &s->scale.kernel);
    svm_kernelAddDependence(&s->pass.kernel, &s->sum.kernel);
    svm_kernelAddDependence(&s->sum.kernel, &s->pass.kernel);
    svm_kernelAddDependence(&s->sum.kernel, &before->sum.kernel);
}

int main(void)
{
    size_t memory = svm_alloc(&XDR, 2 * COUNT * 4);
    int *numbers = (int *)memory;
    for (int i = 0; i < 2 * COUNT; i++)
        numbers[i] = i;
    for (size_t i = 0; i < 2; i++)
        set_up(&strips[i], i, memory);
    order(&strips[0], &strips[1]);
    order(&strips[1], &strips[0]);
    for (int n = 0; n < STRIPS; n++) {
        Strip *s = &strips[n % 2];
        if (n >= 2)
            svm_kernelWait(&s->sum.kernel);
        for (int i = 0; i < 2; i++)
            svm_kernelRun(&s->load[i].kernel);
        svm_kernelRun(&s->scale.kernel);
        svm_kernelRun(&s->pass.kernel);
        svm_kernelRun(&s->sum.kernel);
    }
    svm_kernelWait(&strips[0].sum.kernel);
    svm_kernelWait(&strips[1].sum.kernel);
    svm_printMerge((svm_Log *[]){&prints}, 1);
    const Record *r = &strips[1].scale.record;
    printf("%c %ld %g %d %zu %zu %ld %ld %u %u\n", r->letter, r->calls, r->mean, r->range[1].low, r->range[1].high[0],
           r->range[1].high[1], r->both.first, r->both.second, r->flags, r->more);
    // CHECK: total 14492
    // CHECK-NEXT: total 14492
    // CHECK-NEXT: total 28984
    // CHECK: total 289840
    // CHECK: u -25 3170 27 1 3000000040 -9 -4 5 20
    return 0;
}
