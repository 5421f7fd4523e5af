// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix-vector multiply y = A x (SVM paper, section 5 and figure 9).
//
//   n=N        A has N rows of N columns
//   local=B    bytes of local memory to use: rows come in strips when A does not fit
//   times=T    the product is made so often, 1 unless told
//   passes=1   the sums along rows are made in passes that reduce by 4, each a kernel of its own, as on the graphics
//              processors; passes=0: by one kernel, as on Imagine, whose clusters add up among themselves
//
// Loads run ahead of the kernels by one strip (two buffers).
#include <svm/svm.h>

SVM_MACHINE("imagine");
SVM_MEMORY(GMEM);
SVM_MEMORY(LMEM0);
SVM_PROCESSOR(CPU);
SVM_PROCESSOR(CORE0);
SVM_PROCESSOR(DMA0);

#include "common.h"

#define FACTOR 4 // of a pass

// The products of `rows` rows of A with x.
typedef struct {
    svm_Kernel kernel;
    svm_Block *a, *x, *products;
    size_t rows, columns;
} Multiply;

SVM_FIRE(stateless, pop(1), pop2(1), push(1))
static inline void multiply_fire(const float *restrict a, const float *restrict x, float *restrict product)
{
    *product = *a * *x;
}

SVM_KERNEL(cost(0, 0))
static void multiply_run(svm_Kernel *kernel)
{
    Multiply *self = (Multiply *)kernel;
    const float *restrict a = svm_blockData(self->a), *restrict x = svm_blockData(self->x);
    float *restrict products = svm_blockData(self->products);
    ptrdiff_t columns = (ptrdiff_t)self->columns;
    for (ptrdiff_t row = 0; row < (ptrdiff_t)self->rows; row++)
        for (ptrdiff_t i = 0; i < columns; i++)
            multiply_fire(a + row * columns + i, x + i, products + row * columns + i);
}

// Sums of groups of FACTOR along each row: from `columns` columns to ceil(columns / FACTOR).
typedef struct {
    svm_Kernel kernel;
    svm_Block *in, *out;
    size_t rows, columns;
} Reduce;

SVM_FIRE(stateless, pop(4), push(1))
static inline void reduce_fire(const float *restrict in, float *restrict out, ptrdiff_t count)
{
    float sum = in[0];
    for (ptrdiff_t i = 1; i < count; i++)
        sum += in[i];
    *out = sum;
}

SVM_KERNEL(cost(0, 0))
static void reduce_run(svm_Kernel *kernel)
{
    Reduce *self = (Reduce *)kernel;
    const float *restrict in = svm_blockData(self->in);
    float *restrict out = svm_blockData(self->out);
    ptrdiff_t columns = (ptrdiff_t)self->columns, left = (columns + FACTOR - 1) / FACTOR;
    for (ptrdiff_t row = 0; row < (ptrdiff_t)self->rows; row++)
        for (ptrdiff_t i = 0; i < left; i++) {
            ptrdiff_t rest = columns - i * FACTOR;
            reduce_fire(in + row * columns + i * FACTOR, out + row * left + i, rest < FACTOR ? rest : FACTOR);
        }
}

// Whole rows at once: products and their sums.
typedef struct {
    svm_Kernel kernel;
    svm_Block *a, *x, *y;
    size_t rows, columns;
} Dot;

SVM_FIRE(stateful, pop(1), pop2(1))
static inline void dot_fire(const float *restrict a, const float *restrict x, float *restrict sum)
{
    *sum += *a * *x;
}

SVM_KERNEL(cost(0, 0))
static void dot_run(svm_Kernel *kernel)
{
    Dot *self = (Dot *)kernel;
    const float *restrict a = svm_blockData(self->a), *restrict x = svm_blockData(self->x);
    float *restrict y = svm_blockData(self->y);
    ptrdiff_t columns = (ptrdiff_t)self->columns;
    for (ptrdiff_t row = 0; row < (ptrdiff_t)self->rows; row++) {
        float sum = 0;
        for (ptrdiff_t i = 0; i < columns; i++)
            dot_fire(a + row * columns + i, x + i, &sum);
        y[row] = sum;
    }
}

#define MOST_PASSES 32 // 4^32 columns are more than any memory has

// One of the two buffers: a strip of A, what its passes make of it, and the sums of its rows.
typedef struct strip {
    svm_Block a_global, a, between[2], y, y_global;
    svm_MoveB2B load, store;
    Multiply multiply;
    Reduce reduce[MOST_PASSES];
    Dot dot;
    size_t address; // local
    bool used;
} strip;

typedef struct program {
    size_t n, rows; // rows of a strip
    bool passes;
    array a, x, y;
    svm_Block x_global, x_local;
    svm_MoveB2B load_x;
    strip strips[2];
} program;

static size_t matrix_bytes(const program *p)
{
    return align(p->rows * p->n * sizeof(float));
}

static size_t strip_bytes(const program *p)
{
    return matrix_bytes(p) * (p->passes ? 3 : 1) + align(p->rows * sizeof(float));
}

static svm_Kernel *passes_init(strip *s, size_t rows, size_t columns)
{
    s->multiply.rows = rows;
    svm_Kernel *before = &s->multiply.kernel;
    svm_kernelRun(before);
    for (int pass = 0; columns > 1; pass++) {
        Reduce *r = &s->reduce[pass];
        r->in = &s->between[pass % 2];
        r->out = columns <= FACTOR ? &s->y : &s->between[1 - pass % 2];
        r->rows = rows;
        r->columns = columns;
        svm_kernelRun(&r->kernel);
        before = &r->kernel;
        columns = (columns + FACTOR - 1) / FACTOR;
    }
    return before;
}

static void strip_create(program *p, strip *s, size_t address)
{
    size_t matrix = matrix_bytes(p);
    s->address = address;
    for (int i = 0; p->passes && i < 2; i++)
        svm_blockInit(&s->between[i], &LMEM0, address + (size_t)(i + 1) * matrix, p->rows * p->n, sizeof(float));
    svm_kernelInit(&s->multiply.kernel, &CORE0, multiply_run, "multiply");
    s->multiply.a = &s->a;
    s->multiply.x = &p->x_local;
    s->multiply.products = &s->between[0];
    s->multiply.columns = p->n;
    svm_kernelInit(&s->dot.kernel, &CORE0, dot_run, "dot");
    s->dot = (Dot){s->dot.kernel, &s->a, &p->x_local, &s->y, 0, p->n};
    svm_Kernel *before = &s->multiply.kernel;
    for (int i = 0; i < MOST_PASSES; i++) {
        svm_kernelInit(&s->reduce[i].kernel, &CORE0, reduce_run, "reduce");
        svm_kernelAddDependence(&s->reduce[i].kernel, before);
        before = &s->reduce[i].kernel;
    }
}

// Rows from `row` on go through a strip's buffer: load, kernels, store. What used the buffer before is waited for by
// dependences, not by the control thread.
static void strip_run(program *p, strip *s, size_t row, size_t rows)
{
    if (s->used)
        svm_kernelWait(&s->store.kernel); // the blocks are set up anew
    size_t n = p->n, matrix = matrix_bytes(p) * (p->passes ? 3 : 1);
    svm_blockInit(&s->a_global, &GMEM, p->a.address + row * n * sizeof(float), rows * n, sizeof(float));
    svm_blockInit(&s->a, &LMEM0, s->address, rows * n, sizeof(float));
    svm_blockInit(&s->y, &LMEM0, s->address + matrix, rows, sizeof(float));
    svm_blockInit(&s->y_global, &GMEM, p->y.address + row * sizeof(float), rows, sizeof(float));
    svm_moveB2BInit(&s->load, &DMA0, &s->a_global, &s->a);
    svm_moveB2BInit(&s->store, &DMA0, &s->y, &s->y_global);
    svm_kernelRun(&s->load.kernel);
    svm_Kernel *first = p->passes ? &s->multiply.kernel : &s->dot.kernel, *last = first;
    svm_kernelAddDependence(first, &s->load.kernel);
    svm_kernelAddDependence(first, &p->load_x.kernel);
    if (p->passes) {
        last = passes_init(s, rows, n);
    } else {
        s->dot.rows = rows;
        svm_kernelRun(first);
    }
    svm_kernelAddDependence(&s->store.kernel, last);
    svm_kernelRun(&s->store.kernel);
    s->used = true;
}

static bool check(const program *p)
{
    double worst = 0;
    for (size_t i = 0; i < p->n; i++) {
        double sum = 0;
        for (size_t k = 0; k < p->n; k++)
            sum += (double)p->a.data[i * p->n + k] * (double)p->x.data[k];
        worst = fmax(worst, fabs((double)p->y.data[i] - sum) / (sum + 1));
    }
    return worst < 1e-4;
}

int main(int argc, char **argv)
{
    static program p;
    p.n = argument(argc, argv, "n", 256);
    p.passes = argument(argc, argv, "passes", 0) && p.n > 1;
    size_t local = argument(argc, argv, "local", 128 * 1024), x_bytes = align(p.n * sizeof(float));
    for (p.rows = p.n; p.rows > 1 && x_bytes + 2 * strip_bytes(&p) > local; p.rows = (p.rows + 1) / 2)
        continue;
    p.a = array_create(p.n * p.n);
    p.x = array_create(p.n);
    p.y = array_create(p.n);
    array_fill(p.a, p.n * p.n, 1);
    array_fill(p.x, p.n, 2);
    svm_blockInit(&p.x_global, &GMEM, p.x.address, p.n, sizeof(float));
    svm_blockInit(&p.x_local, &LMEM0, 0, p.n, sizeof(float));
    svm_moveB2BInit(&p.load_x, &DMA0, &p.x_global, &p.x_local);
    svm_kernelRun(&p.load_x.kernel);
    for (size_t i = 0; i < 2; i++)
        strip_create(&p, &p.strips[i], x_bytes + i * strip_bytes(&p));
    size_t turn = 0, times = argument(argc, argv, "times", 1);
    for (size_t time = 0; time < times; time++)
        for (size_t row = 0; row < p.n; row += p.rows, turn++)
            strip_run(&p, &p.strips[turn % 2], row, p.n - row < p.rows ? p.n - row : p.rows);
    for (size_t i = 0; i < 2; i++)
        if (p.strips[i].used)
            svm_kernelWait(&p.strips[i].store.kernel);
    bool right = check(&p);
    printf("matvec n=%zu: sum %.6g, %s\n", p.n, array_sum(p.y, p.n), right ? "right" : "WRONG");
    return right ? 0 : 1;
}
