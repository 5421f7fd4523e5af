// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A chain of three kernels over an array, in blocks, in two mappings onto two kernel processors (bench/papers/host.py).
//
//   n=N             items
//   block=B         items of a block
//   times=T         the array is gone through so often
//   mapping=0       time-multiplexed: each processor runs all kernels, on every other block
//   mapping=1       space-multiplexed: the filter runs on one processor, what follows it on the other
#include <svm/svm.h>

SVM_MACHINE("host-4");
SVM_MEMORY(GMEM);
SVM_PROCESSOR(CPU);
SVM_PROCESSOR(CORE0);
SVM_PROCESSOR(CORE1);

#include "../svm/common.h"

#define TAPS 32
#define MEAN 8 // items that one of the output is the mean of
#define BUFFERS 2

static const float taps[TAPS] = {0.01f, 0.02f, 0.01f, 0.03f, 0.02f, 0.05f, 0.01f, 0.02f, 0.03f, 0.04f, 0.05f,
                                 0.06f, 0.03f, 0.04f, 0.01f, 0.02f, 0.02f, 0.01f, 0.04f, 0.03f, 0.06f, 0.05f,
                                 0.04f, 0.03f, 0.02f, 0.01f, 0.05f, 0.02f, 0.03f, 0.01f, 0.02f, 0.01f};

// One kernel of a block: from one array to another.
typedef struct {
    svm_Kernel kernel;
    svm_Block *in, *out;
    size_t count; // of firings
} Step;

SVM_FIRE(stateless, peek(32), pop(1), push(1))
static inline void filter_fire(const float *restrict in, float *restrict out)
{
    float sum = 0;
    for (int i = 0; i < TAPS; i++)
        sum += in[i] * taps[i];
    *out = sum;
}

SVM_KERNEL(cost(0, 0))
static void filter_run(svm_Kernel *kernel)
{
    Step *self = (Step *)kernel;
    const float *restrict in = svm_blockData(self->in);
    float *restrict out = svm_blockData(self->out);
    for (ptrdiff_t i = 0; i < (ptrdiff_t)self->count; i++)
        filter_fire(in + i, out + i);
}

SVM_FIRE(stateless, pop(1), push(1))
static inline void limit_fire(const float *restrict in, float *restrict out)
{
    *out = *in / (1.0f + sqrtf(*in * *in + 0.5f));
}

SVM_KERNEL(cost(0, 0))
static void limit_run(svm_Kernel *kernel)
{
    Step *self = (Step *)kernel;
    const float *restrict in = svm_blockData(self->in);
    float *restrict out = svm_blockData(self->out);
    for (ptrdiff_t i = 0; i < (ptrdiff_t)self->count; i++)
        limit_fire(in + i, out + i);
}

SVM_FIRE(stateless, pop(8), push(1))
static inline void mean_fire(const float *restrict in, float *restrict out)
{
    float sum = 0;
    for (int i = 0; i < MEAN; i++)
        sum += in[i];
    *out = sum / MEAN;
}

SVM_KERNEL(cost(0, 0))
static void mean_run(svm_Kernel *kernel)
{
    Step *self = (Step *)kernel;
    const float *restrict in = svm_blockData(self->in);
    float *restrict out = svm_blockData(self->out);
    for (ptrdiff_t i = 0; i < (ptrdiff_t)self->count; i++)
        mean_fire(in + i * MEAN, out + i);
}

typedef struct buffer {
    svm_Block in, filtered, limited, out;
    Step filter, limit, mean;
    bool used;
} buffer;

typedef struct program {
    size_t n, block;
    bool space;
    array in, filtered[BUFFERS], limited[BUFFERS], out;
    buffer buffers[BUFFERS];
} program;

static void step_init(Step *s, mm_Proc processor, svm_KernelFunction *run, const char *name, svm_Block *in,
                      svm_Block *out)
{
    svm_kernelInit(&s->kernel, processor, run, name);
    s->in = in;
    s->out = out;
}

static void create(program *p)
{
    for (size_t i = 0; i < BUFFERS; i++) {
        buffer *b = &p->buffers[i];
        p->filtered[i] = array_create(p->block);
        p->limited[i] = array_create(p->block);
        svm_blockInit(&b->filtered, &GMEM, p->filtered[i].address, p->block, sizeof(float));
        svm_blockInit(&b->limited, &GMEM, p->limited[i].address, p->block, sizeof(float));
        mm_Proc own = i == 0 ? &CORE0 : &CORE1;
        step_init(&b->filter, p->space ? &CORE0 : own, filter_run, "filter", &b->in, &b->filtered);
        step_init(&b->limit, p->space ? &CORE1 : own, limit_run, "limit", &b->filtered, &b->limited);
        step_init(&b->mean, p->space ? &CORE1 : own, mean_run, "mean", &b->limited, &b->out);
        svm_kernelAddDependence(&b->limit.kernel, &b->filter.kernel);
        svm_kernelAddDependence(&b->mean.kernel, &b->limit.kernel);
    }
}

static void run_block(program *p, buffer *b, size_t first, size_t count)
{
    if (b->used)
        svm_kernelWait(&b->mean.kernel); // the blocks are set up anew
    svm_blockInit(&b->in, &GMEM, p->in.address + first * sizeof(float), count + TAPS - 1, sizeof(float));
    svm_blockInit(&b->out, &GMEM, p->out.address + first / MEAN * sizeof(float), count / MEAN, sizeof(float));
    b->filter.count = b->limit.count = count;
    b->mean.count = count / MEAN;
    svm_kernelRun(&b->filter.kernel);
    svm_kernelRun(&b->limit.kernel);
    svm_kernelRun(&b->mean.kernel);
    b->used = true;
}

static bool check(const program *p)
{
    for (size_t i = 0; i < p->n / MEAN; i++) {
        float limited[MEAN], got;
        for (size_t k = 0; k < MEAN; k++) {
            float filtered;
            filter_fire(p->in.data + i * MEAN + k, &filtered);
            limit_fire(&filtered, &limited[k]);
        }
        mean_fire(limited, &got);
        if (fabsf(got - p->out.data[i]) > 1e-6f)
            return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    static program p;
    p.block = argument(argc, argv, "block", 1024) / 128 * 128; // blocks begin at addresses that the machine may use
    p.n = argument(argc, argv, "n", 1 << 16) / 128 * 128;
    p.space = argument(argc, argv, "mapping", 0);
    if (p.block == 0 || p.n == 0) {
        fprintf(stderr, "chain: n and block are 128 or more\n");
        return 1;
    }
    p.in = array_create(p.n + TAPS - 1);
    p.out = array_create(p.n / MEAN);
    array_fill(p.in, p.n + TAPS - 1, 1);
    create(&p);
    size_t times = argument(argc, argv, "times", 1), turn = 0;
    for (size_t t = 0; t < times; t++)
        for (size_t first = 0; first < p.n; first += p.block)
            run_block(&p, &p.buffers[turn++ % BUFFERS], first, p.n - first < p.block ? p.n - first : p.block);
    for (size_t i = 0; i < BUFFERS; i++)
        if (p.buffers[i].used)
            svm_kernelWait(&p.buffers[i].mean.kernel);
    bool right = check(&p);
    printf("chain n=%zu: sum %.6g, %s\n", p.n, array_sum(p.out, p.n / MEAN), right ? "right" : "WRONG");
    return right ? 0 : 1;
}
