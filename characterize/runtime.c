// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the host runtime takes to run kernels: empty ones one by one and many at a time, and moves of few bytes.
#include "characterize/characterize.h"

#include <svm/machine_table.h>
#include <svm/svm.h>

// ---- The machine that the experiments run on ----

static const svm_MemoryRow memories[] = {{.name = "GMEM", .size = UINT64_C(1) << 40, .alignment = 64}};
static const int reaches[] = {0};
static const svm_ProcessorRow processors[] = {
    {.name = "CPU", .kind = SVM_PROCESSOR_CONTROL, .reaches = reaches, .reachCount = 1},
    {.name = "CORE0", .kind = SVM_PROCESSOR_KERNEL, .reaches = reaches, .reachCount = 1},
    {.name = "CORE1", .kind = SVM_PROCESSOR_KERNEL, .reaches = reaches, .reachCount = 1},
    {.name = "DMA0", .kind = SVM_PROCESSOR_DMA, .reaches = reaches, .reachCount = 1},
};
const svm_MachineTable svm_machineTable = {
    .name = "native", .memories = memories, .memoryCount = 1, .processors = processors, .processorCount = 4};

// ---- Kernels ----

typedef struct empty_kernel {
    svm_Kernel kernel;
    double began, ended;
} empty_kernel;

static void run_empty(svm_Kernel *kernel)
{
    (void)kernel;
}

static void run_clock(svm_Kernel *kernel)
{
    empty_kernel *self = (empty_kernel *)kernel;
    self->began = measure_now();
    self->ended = measure_now();
}

static void run_and_wait(void *context, uint64_t n)
{
    svm_Kernel *kernel = context;
    for (; n > 0; n--) {
        svm_kernelRun(kernel);
        svm_kernelWait(kernel);
    }
}

enum { QUEUED = 64 };

static void run_many(void *context, uint64_t n)
{
    svm_Kernel **kernels = context;
    for (; n > 0; n--) {
        for (int i = 0; i < QUEUED; i++)
            svm_kernelRun(kernels[i]);
        svm_kernelWaitMultiple(QUEUED, kernels);
    }
}

// When the kernel's own code runs within svm_kernelRun and svm_kernelWait: the shares of what is before it and after.
static void measure_shares(const settings *s, mm_Proc core, runtime_results *r)
{
    empty_kernel k;
    double before = 0, after = 0;
    svm_kernelInit(&k.kernel, core, run_clock, "clock");
    svm_kernelNeverBlocks(&k.kernel);
    for (unsigned i = 0; i < 200 * s->repetitions; i++) {
        double begin = measure_now();
        svm_kernelRun(&k.kernel);
        svm_kernelWait(&k.kernel);
        double end = measure_now();
        before += k.began - begin;
        after += end - k.ended;
    }
    svm_kernelDestroy(&k.kernel);
    double share = before + after > 0 ? before / (before + after) : 0.5;
    r->start = r->run_wait.seconds * share;
    r->stop = r->run_wait.seconds - r->start;
}

static void measure_kernels(const settings *s, mm_Proc core, runtime_results *r)
{
    empty_kernel kernels[QUEUED];
    svm_Kernel *all[QUEUED];
    for (int i = 0; i < QUEUED; i++) {
        all[i] = &kernels[i].kernel;
        svm_kernelInit(all[i], core, run_empty, "empty");
        svm_kernelNeverBlocks(all[i]);
    }
    r->run_wait = measure(s, run_and_wait, all[0], 1);
    r->queued = measure(s, run_many, all, QUEUED);
    for (int i = 0; i < QUEUED; i++)
        svm_kernelDestroy(all[i]);
}

static void measure_transfer(const settings *s, mm_Mem memory, mm_Proc dma, runtime_results *r)
{
    size_t address = svm_alloc(memory, 128);
    svm_Block from, to;
    svm_MoveB2B move;
    svm_blockInit(&from, memory, address, 16, 4);
    svm_blockInit(&to, memory, address + 64, 16, 4);
    svm_moveB2BInit(&move, dma, &from, &to);
    r->transfer = measure(s, run_and_wait, &move.kernel, 1);
    svm_kernelDestroy(&move.kernel);
    svm_free(memory, address);
}

// The runtime starts threads when a second processor for kernels is used, and with them kernels cost more.
static void use_two_cores(mm_Proc first, mm_Proc second)
{
    svm_Kernel a, b;
    svm_kernelInit(&a, first, run_empty, "first core");
    svm_kernelInit(&b, second, run_empty, "second core");
    svm_kernelRun(&a);
    svm_kernelRun(&b);
    svm_kernelWaitMultiple(2, (svm_Kernel *const[]){&a, &b});
    svm_kernelDestroy(&a);
    svm_kernelDestroy(&b);
}

static void measure_machine(const settings *s, bool threads, runtime_results *r)
{
    svm_Memory memory = SVM_NAME_INIT("GMEM");
    svm_Processor core = SVM_NAME_INIT("CORE0"), second = SVM_NAME_INIT("CORE1"), dma = SVM_NAME_INIT("DMA0");
    svm_Machine *m = svm_machineCreate(), *before = svm_machineUse(m);
    if (threads)
        use_two_cores(&core, &second);
    measure_kernels(s, &core, r);
    measure_shares(s, &core, r);
    measure_transfer(s, &memory, &dma, r);
    svm_machineUse(before);
    svm_machineDestroy(m);
}

void measure_runtime(const settings *s, runtime_results *one, runtime_results *several)
{
    measure_machine(s, false, one);
    measure_machine(s, true, several);
}
