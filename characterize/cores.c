// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams of the host runtime between kernels: what acquiring, sending and discarding a block costs the processor, and
// how long blocks take from one core to another by their size (figure 5 of the ASM paper).
#include "characterize/characterize.h"

#include <string.h>
#include <svm/svm.h>

// Two blocks of buffer, as the ASM paper's benchmark has. A block is one element.
enum { LINE = 64, BLOCKS = 2 };

// A kernel that does the same n times.
typedef struct block_kernel {
    svm_Kernel kernel;
    svm_Stream *in, *out;
    uint64_t blocks;
    int processor; // of the system, to run on
    double share[4];
} block_kernel;

typedef struct experiment {
    svm_Memory memory;
    svm_Processor cores[2];
    svm_Stream there, back;
    size_t address[2], largest;
    block_kernel producer, consumer, caller, echo, asker;
} experiment;

// ---- The calls on one core, which never wait ----

#ifdef __x86_64__
static uint64_t ticks(void)
{
    __builtin_ia32_lfence(); // what came before has ended
    return __builtin_ia32_rdtsc();
}
#else
static uint64_t ticks(void)
{
    return (uint64_t)(measure_now() * 1e9);
}
#endif

static void run_calls(svm_Kernel *kernel)
{
    block_kernel *self = (block_kernel *)kernel;
    for (uint64_t i = 0; i < self->blocks; i++) {
        svm_streamPushAcquire(self->out, 1);
        svm_streamPushSend(self->out, 1);
        svm_streamPopAcquire(self->in, 1);
        svm_streamPopDiscard(self->in, 1);
    }
}

// How much of the four calls each of them is.
static void run_shares(svm_Kernel *kernel)
{
    block_kernel *self = (block_kernel *)kernel;
    double sum[5] = {0}, all = 0;
    for (int i = 0; i < 5000; i++) {
        uint64_t t[6];
        t[0] = ticks();
        t[1] = ticks(); // what taking the time takes
        svm_streamPushAcquire(self->out, 1);
        t[2] = ticks();
        svm_streamPushSend(self->out, 1);
        t[3] = ticks();
        svm_streamPopAcquire(self->in, 1);
        t[4] = ticks();
        svm_streamPopDiscard(self->in, 1);
        t[5] = ticks();
        for (int k = 0; k < 5; k++)
            sum[k] += (double)(t[k + 1] - t[k]);
    }
    for (int k = 0; k < 4; k++) {
        self->share[k] = sum[k + 1] > sum[0] ? sum[k + 1] - sum[0] : 0.01 * sum[0];
        all += self->share[k];
    }
    for (int k = 0; k < 4; k++)
        self->share[k] = all > 0 ? self->share[k] / all : 0.25;
}

// ---- From core to core ----

static void read_block(const char *data, size_t bytes)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < bytes; i += sizeof sum)
        sum += *(const uint64_t *)(data + i);
    __asm__ volatile("" : : "r"(sum));
}

static void take(svm_Stream *in)
{
    read_block(svm_streamPopAcquire(in, 1), in->elementSize);
    svm_streamPopDiscard(in, 1);
}

static void give(svm_Stream *out, uint64_t value)
{
    memset(svm_streamPushAcquire(out, 1), (int)value, out->elementSize);
    svm_streamPushSend(out, 1);
}

static void run_producer(svm_Kernel *kernel)
{
    block_kernel *self = (block_kernel *)kernel;
    measure_pin(self->processor);
    for (uint64_t i = 0; i < self->blocks; i++)
        give(self->out, i);
}

static void run_consumer(svm_Kernel *kernel)
{
    block_kernel *self = (block_kernel *)kernel;
    measure_pin(self->processor);
    for (uint64_t i = 0; i < self->blocks; i++)
        take(self->in);
}

static void run_echo(svm_Kernel *kernel)
{
    block_kernel *self = (block_kernel *)kernel;
    measure_pin(self->processor);
    for (uint64_t i = 0; i < self->blocks; i++) {
        take(self->in);
        give(self->out, i);
    }
}

static void run_asker(svm_Kernel *kernel)
{
    block_kernel *self = (block_kernel *)kernel;
    measure_pin(self->processor);
    for (uint64_t i = 0; i < self->blocks; i++) {
        give(self->out, i);
        take(self->in);
    }
}

// ---- The experiments ----

static void run_two(block_kernel *first, block_kernel *second, uint64_t blocks)
{
    first->blocks = second->blocks = blocks;
    svm_kernelRun(&first->kernel);
    svm_kernelRun(&second->kernel);
    svm_kernelWaitMultiple(2, (svm_Kernel *const[]){&first->kernel, &second->kernel});
}

static void send_blocks(void *context, uint64_t n)
{
    experiment *e = context;
    run_two(&e->producer, &e->consumer, n);
}

static void echo_blocks(void *context, uint64_t n)
{
    experiment *e = context;
    run_two(&e->asker, &e->echo, n);
}

static void call_blocks(void *context, uint64_t n)
{
    experiment *e = context;
    e->caller.blocks = n;
    svm_kernelRun(&e->caller.kernel);
    svm_kernelWait(&e->caller.kernel);
}

static void set_block(experiment *e, size_t block)
{
    svm_streamInitRAM(&e->there, &e->memory, e->address[0], BLOCKS, block);
    svm_streamInitRAM(&e->back, &e->memory, e->address[1], BLOCKS, block);
}

static measurement part(measurement m, double share)
{
    return (measurement){m.seconds * share, m.spread};
}

static void set_kernel(experiment *e, block_kernel *k, int core, svm_KernelFunction *run, svm_Stream *in,
                       svm_Stream *out, const native_topology *t)
{
    *k = (block_kernel){.in = in, .out = out};
    k->processor = t->processors[(size_t)core < t->cores ? core : 0];
    svm_kernelInit(&k->kernel, &e->cores[core], run, "blocks");
}

static void measure_calls(const settings *s, experiment *e, const native_topology *t, core_results *r)
{
    set_block(e, LINE);
    set_kernel(e, &e->caller, 0, run_calls, &e->there, &e->there, t);
    measurement m = measure(s, call_blocks, e, 1);
    svm_kernelDestroy(&e->caller.kernel);
    set_kernel(e, &e->caller, 0, run_shares, &e->there, &e->there, t);
    call_blocks(e, 1);
    const double *share = e->caller.share;
    r->push_acquire = part(m, share[0]);
    r->push_send = part(m, share[1]);
    r->pop_acquire = part(m, share[2]);
    r->pop_discard = part(m, share[3]);
    svm_kernelDestroy(&e->caller.kernel);
}

static void measure_blocks(const settings *s, arena *a, experiment *e, core_results *r)
{
    set_block(e, LINE);
    r->latency = measure(s, echo_blocks, e, 2);
    curve *c = figure_add(a, &r->cores, "measured");
    for (size_t block = LINE; block <= e->largest; block *= s->quick ? 4 : 2) {
        set_block(e, block);
        measurement m = measure(s, send_blocks, e, 1);
        curve_add(a, c, (double)block, m.seconds * 1e6, m.spread);
    }
}

// Least squares of the relative error of t0 + bytes / bandwidth, over blocks of a page and more. The bandwidth is above 0.
static void fit_line(const curve *c, core_results *r)
{
    double w = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (VEC_EACH(const curve_point, p, &c->points)) {
        if (p->x < 4096)
            continue;
        double k = 1 / (p->y * p->y);
        w += k;
        x += k * p->x;
        y += k * p->y;
        xx += k * p->x * p->x;
        xy += k * p->x * p->y;
    }
    double slope = (w * xy - x * y) / (w * xx - x * x), start = (y - slope * x) / w;
    if (start < 0 || !(slope > 0)) { // through zero then; a slope down is noise, which a busy computer makes plenty of
        start = 0;
        slope = xy / xx;
    }
    r->block = start * 1e-6;
    r->bandwidth = 1e6 / slope;
}

void fit_cores(arena *a, core_results *r)
{
    if (!r->two || r->cores.curves.len == 0)
        return;
    fit_line(&r->cores.curves.data[0], r);
    figure_add(a, &r->cores, "fit: a time for each block, and for each byte"); // moves the curves
    const curve *measured = &r->cores.curves.data[0];
    for (VEC_EACH(const curve_point, p, &measured->points))
        if (p->x >= 4096)
            curve_add(a, &r->cores.curves.data[1], p->x, (r->block + p->x / r->bandwidth) * 1e6, 0);
}

void measure_cores(const settings *s, arena *a, const native_topology *t, core_results *r)
{
    svm_Machine *m = svm_machineCreate(), *before = svm_machineUse(m);
    experiment e = {.memory = SVM_NAME_INIT("GMEM"), .cores = {SVM_NAME_INIT("CORE0"), SVM_NAME_INIT("CORE1")}};
    e.largest = s->quick ? 64 << 10 : 512 << 10;
    for (int i = 0; i < 2; i++)
        e.address[i] = svm_alloc(&e.memory, BLOCKS * e.largest);
    measure_calls(s, &e, t, r);
    r->two = t->cores > 1;
    if (r->two) {
        set_kernel(&e, &e.producer, 0, run_producer, NULL, &e.there, t);
        set_kernel(&e, &e.consumer, 1, run_consumer, &e.there, NULL, t);
        set_kernel(&e, &e.asker, 0, run_asker, &e.back, &e.there, t);
        set_kernel(&e, &e.echo, 1, run_echo, &e.there, &e.back, t);
        measure_blocks(s, a, &e, r);
    }
    measure_unpin(t); // this thread, if it ran kernels itself
    svm_machineUse(before);
    svm_machineDestroy(m);
}
