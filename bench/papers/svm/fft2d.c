// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The two-dimensional FFT of an n x n complex array (SVM paper, section 5 and figure 10): of all rows, then of all
// columns.
//
//   n=N        a power of 2
//   local=B    bytes of local memory to use
//   times=T    the same array is transformed so often, 1 unless told
//   passes=1   the array stays in local memory and each stage of all transforms is a kernel of its own, which reads one
//              array and writes another, as on the graphics processors
//   passes=0   rows, then columns, come in strips, and a kernel makes all stages of a strip, as on Imagine; columns are
//              gathered and scattered by strided transfers
#include <svm/svm.h>

SVM_MACHINE("imagine");
SVM_MEMORY(GMEM);
SVM_MEMORY(LMEM0);
SVM_PROCESSOR(CPU);
SVM_PROCESSOR(CORE0);
SVM_PROCESSOR(DMA0);

#include "common.h"

typedef struct complex_item {
    float re, im;
} complex_item;

// One butterfly of a decimation in time that keeps its order (Stockham): elements i and i + half of the input become
// neighbouring groups of the output.
SVM_FIRE(stateless, pop(2), push(2))
static inline void butterfly_fire(const complex_item *restrict a, const complex_item *restrict b,
                                  const complex_item *restrict w, complex_item *restrict sum,
                                  complex_item *restrict difference)
{
    complex_item d = {a->re - b->re, a->im - b->im};
    *sum = (complex_item){a->re + b->re, a->im + b->im};
    *difference = (complex_item){d.re * w->re - d.im * w->im, d.re * w->im + d.im * w->re};
}

// One stage of the transforms of `lines` lines of n items, stage s = 0, 1, ... with groups of 2^s. Rows: items of a line
// lie together, and lines one behind the other. Columns: equal items of all lines lie together, so that a group of all
// lines is one run of items with the same factor.
static inline void stage(const complex_item *restrict in, complex_item *restrict out, const complex_item *restrict w,
                         ptrdiff_t n, ptrdiff_t lines, bool columns, ptrdiff_t group)
{
    const ptrdiff_t half = n / 2, step = columns ? lines : 1, run = group * step;
    for (ptrdiff_t line = 0; line < (columns ? 1 : lines); line++)
        for (ptrdiff_t p = 0; p < half / group; p++)
            for (ptrdiff_t q = 0; q < run; q++) {
                const complex_item *restrict from = in + line * n + p * run + q;
                complex_item *restrict to = out + line * n + 2 * p * run + q;
                butterfly_fire(from, from + half * step, w + p * group, to, to + run);
            }
}

// One stage of all lines, from one array to the other.
typedef struct {
    svm_Kernel kernel;
    svm_Block *in, *out, *w;
    size_t n, lines, group;
    bool columns;
} Stage;

SVM_KERNEL(cost(0, 0))
static void stage_run(svm_Kernel *kernel)
{
    Stage *self = (Stage *)kernel;
    stage(svm_blockData(self->in), svm_blockData(self->out), svm_blockData(self->w), (ptrdiff_t)self->n,
          (ptrdiff_t)self->lines, self->columns, (ptrdiff_t)self->group);
}

// All stages of a strip of lines; after an odd number of stages the result is in `out`, else in `in`.
typedef struct {
    svm_Kernel kernel;
    svm_Block *in, *out, *w;
    size_t n, lines;
    bool columns;
} Lines;

SVM_KERNEL(cost(0, 0))
static void lines_run(svm_Kernel *kernel)
{
    Lines *self = (Lines *)kernel;
    complex_item *even = svm_blockData(self->in), *odd = svm_blockData(self->out);
    const complex_item *w = svm_blockData(self->w);
    bool swapped = false;
    for (ptrdiff_t group = 1; group < (ptrdiff_t)self->n; group *= 2) {
        stage(swapped ? odd : even, swapped ? even : odd, w, (ptrdiff_t)self->n, (ptrdiff_t)self->lines,
              self->columns, group);
        swapped = !swapped;
    }
}

#define MOST_STAGES 64 // of both dimensions together: more than sizes have bits

typedef struct program {
    size_t n, stages; // stages of one dimension: n = 2^stages
    array data, w;
    svm_Block data_global, w_global, w_local, whole[2];
    svm_MoveB2B load, load_w, store;
    Stage stage[MOST_STAGES];
} program;

// The array goes to local memory whole, through the stages of the rows and of the columns, and back.
static void run_in_passes(program *p)
{
    size_t n = p->n, w_bytes = align(n / 2 * sizeof(complex_item)), count = n * n;
    for (size_t i = 0; i < 2; i++)
        svm_blockInit(&p->whole[i], &LMEM0, w_bytes + i * align(count * sizeof(complex_item)), count,
                      sizeof(complex_item));
    svm_moveB2BInit(&p->load, &DMA0, &p->data_global, &p->whole[0]);
    svm_kernelRun(&p->load.kernel);
    svm_Kernel *before = &p->load.kernel;
    for (size_t i = 0; i < 2 * p->stages; i++) {
        Stage *s = &p->stage[i];
        bool columns = i >= p->stages;
        svm_kernelInit(&s->kernel, &CORE0, stage_run, columns ? "column stage" : "row stage");
        svm_kernelAddDependence(&s->kernel, before);
        if (i == 0)
            svm_kernelAddDependence(&s->kernel, &p->load_w.kernel);
        s->in = &p->whole[i % 2];
        s->out = &p->whole[1 - i % 2];
        s->w = &p->w_local;
        s->n = s->lines = n;
        s->columns = columns;
        s->group = (size_t)1 << i % p->stages;
        svm_kernelRun(&s->kernel);
        before = &s->kernel;
    }
    svm_moveB2BInit(&p->store, &DMA0, &p->whole[0], &p->data_global); // after an even number of stages
    svm_kernelAddDependence(&p->store.kernel, before);
    svm_kernelRun(&p->store.kernel);
    svm_kernelWait(&p->store.kernel);
}

// One of two buffers for strips of lines.
typedef struct buffer {
    svm_Block blocks[2];
    svm_GatherStridedB2B load;
    svm_ScatterStridedB2B store;
    Lines lines;
    bool used;
} buffer;

// A strip: `lines` rows from row `first` on, or columns.
static void run_strip(program *p, buffer *b, size_t address, bool columns, size_t first, size_t lines)
{
    if (b->used)
        svm_kernelWait(&b->store.kernel); // the blocks are set up anew
    size_t n = p->n, bytes = align(lines * n * sizeof(complex_item));
    for (size_t i = 0; i < 2; i++)
        svm_blockInit(&b->blocks[i], &LMEM0, address + i * bytes, lines * n, sizeof(complex_item));
    // Rows lie one behind the other; a strip of columns is some neighbours of each row.
    size_t records = columns ? lines : lines * n, repeats = columns ? n : 1;
    svm_gatherStridedB2BInit(&b->load, &DMA0, &p->data_global, &b->blocks[0], records, n, repeats);
    b->load.offset = columns ? first : first * n;
    svm_kernelInit(&b->lines.kernel, &CORE0, lines_run, columns ? "columns" : "rows");
    b->lines.in = &b->blocks[0];
    b->lines.out = &b->blocks[1];
    b->lines.w = &p->w_local;
    b->lines.n = n;
    b->lines.lines = lines;
    b->lines.columns = columns;
    svm_scatterStridedB2BInit(&b->store, &DMA0, &b->blocks[p->stages % 2], &p->data_global, records, n, repeats);
    b->store.offset = b->load.offset;
    svm_kernelAddDependence(&b->lines.kernel, &p->load_w.kernel);
    svm_kernelAddDependence(&b->lines.kernel, &b->load.kernel);
    svm_kernelAddDependence(&b->store.kernel, &b->lines.kernel);
    svm_kernelRun(&b->load.kernel);
    svm_kernelRun(&b->lines.kernel);
    svm_kernelRun(&b->store.kernel);
    b->used = true;
}

static void run_in_strips(program *p, size_t local)
{
    static buffer buffers[2];
    size_t n = p->n, w_bytes = align(n / 2 * sizeof(complex_item)), lines = n;
    while (lines > 1 && w_bytes + 4 * align(lines * n * sizeof(complex_item)) > local)
        lines /= 2;
    for (int columns = 0; columns < 2; columns++) {
        size_t turn = 0;
        for (size_t first = 0; first < n; first += lines, turn++)
            run_strip(p, &buffers[turn % 2], w_bytes + turn % 2 * 2 * align(lines * n * sizeof(complex_item)),
                      columns != 0, first, lines);
        for (size_t i = 0; i < 2; i++)
            if (buffers[i].used)
                svm_kernelWait(&buffers[i].store.kernel);
    }
}

// The plain sum, for some items.
static bool check(const program *p, array before)
{
    double worst = 0, tau = 6.283185307179586;
    size_t n = p->n;
    for (size_t trial = 0; trial < 4; trial++) {
        size_t u = trial * 7 % n, v = trial * 5 % n;
        double re = 0, im = 0;
        for (size_t y = 0; y < n; y++)
            for (size_t x = 0; x < n; x++) {
                double angle = -tau * (double)((u * x + v * y) % n) / (double)n;
                double a = (double)before.data[2 * (y * n + x)], b = (double)before.data[2 * (y * n + x) + 1];
                re += a * cos(angle) - b * sin(angle);
                im += a * sin(angle) + b * cos(angle);
            }
        const float *got = p->data.data + 2 * (v * n + u);
        worst = fmax(worst, hypot((double)got[0] - re, (double)got[1] - im) / (double)n);
    }
    return worst < 1e-3;
}

int main(int argc, char **argv)
{
    static program p;
    p.n = argument(argc, argv, "n", 64);
    for (p.stages = 0; (size_t)1 << p.stages < p.n; p.stages++)
        continue;
    if (p.n < 2 || (size_t)1 << p.stages != p.n) {
        fprintf(stderr, "fft2d: n=%zu is not a power of 2 from 2 on\n", p.n);
        return 1;
    }
    size_t floats = 2 * p.n * p.n;
    p.data = array_create(floats);
    array_fill(p.data, floats, 1);
    array before = array_create(floats);
    memcpy(before.data, p.data.data, floats * sizeof(float));
    p.w = array_create(p.n);
    for (size_t i = 0; i < p.n / 2; i++) {
        double angle = -6.283185307179586 * (double)i / (double)p.n;
        p.w.data[2 * i] = (float)cos(angle);
        p.w.data[2 * i + 1] = (float)sin(angle);
    }
    svm_blockInit(&p.data_global, &GMEM, p.data.address, p.n * p.n, sizeof(complex_item));
    svm_blockInit(&p.w_global, &GMEM, p.w.address, p.n / 2, sizeof(complex_item));
    svm_blockInit(&p.w_local, &LMEM0, 0, p.n / 2, sizeof(complex_item));
    svm_moveB2BInit(&p.load_w, &DMA0, &p.w_global, &p.w_local);
    svm_kernelRun(&p.load_w.kernel);
    size_t local = argument(argc, argv, "local", 128 * 1024), times = argument(argc, argv, "times", 1);
    for (size_t time = 0; time < times; time++) {
        memcpy(p.data.data, before.data, floats * sizeof(float));
        if (argument(argc, argv, "passes", 0))
            run_in_passes(&p);
        else
            run_in_strips(&p, local);
    }
    bool right = check(&p, before);
    printf("fft2d n=%zu: sum %.6g, %s\n", p.n, array_sum(p.data, floats), right ? "right" : "WRONG");
    return right ? 0 : 1;
}
