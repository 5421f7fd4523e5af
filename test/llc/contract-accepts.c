// Shows: what people write in kernels is accepted without friction: parameters and state in the struct, nested structs, tables, helper
// functions and macros, local arrays and pointers, kernels without the macro, the mathematics and integer functions.
// RUN: %svm-llc --target=null %s 2>&1 | count 0
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <svm/program.h>

SVM_MACHINE("simple-svm");
SVM_MEMORY(LMEM1);
SVM_PROCESSOR(PROC1);

#define CLAMP(x, low, high) ((x) < (low) ? (low) : (x) > (high) ? (high) : (x))
enum { TAPS = 4 };
typedef struct { float re, im; } Complex;
typedef struct { int order; float gain[2]; Complex pole; } Design;
static const float window[TAPS][2] = {{1, 2}, {3, 4}, {5, 6}, {7, 8}};
static const Design designs[] = {{1, {1, 2}, {3, 4}}, {2, {1, 2}, {3, 4}}};
static const char *const where = "Filter at x.str:1";

typedef struct {
    svm_Kernel kernel;
    svm_Block *in, *out;
    svm_Stream *control;
    svm_Log log;
    svm_Random random;
    union { struct { int firings, skipped; }; int both[2]; } count;
    Design design;
    float history[TAPS];
    double *unused; // may be there for the control code
    int divisor;
} Filter;

static inline float dot(const float *restrict a, const float (*table)[2])
{
    float sum = 0;
    for (int i = 0; i < TAPS; i++)
        sum += a[i] * table[i][i & 1];
    return sum;
}

static void shift(float history[TAPS], float x)
{
    memmove(history, history + 1, (TAPS - 1) * sizeof *history);
    history[TAPS - 1] = x;
}

static Complex times(Complex a, Complex b)
{
    Complex c = {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
    return c;
}

static void filter_run(svm_Kernel *kernel)
{
    Filter *const self = (Filter *)kernel;
    const float *in = (const float *)svm_blockData(self->in);
    float *out = svm_blockData(self->out), history[TAPS];
    memcpy(history, self->history, sizeof history);
    for (ptrdiff_t i = 0; i < self->count.firings && !svm_streamEnded(self->control); i++) {
        shift(history, in[i]);
        Complex z = times(self->design.pole, designs[i & 1].pole), *p = &z;
        float y = CLAMP(dot(history, window) * p->re + sinf(z.im), -1.0F, 1.0F) + fmaxf(1, (float)fabs(z.re));
        int q = svm_idiv(svm_f2i(y), self->divisor, where) + abs(-3);
        if (isnan(y) || q == INT32_MIN)
            y = NAN;
        svm_printFloat(&self->log, y);
        out[i] = y + (float)svm_random(&self->random);
    }
    memcpy(self->history, history, sizeof history);
    svm_printMark(&self->log);
    self->count.skipped = 0;
    svm_kernelPause(&self->kernel);
}

int main(void)
{
    static Filter f; // control code may do as it likes
    svm_kernelInit(&f.kernel, &PROC1, filter_run, "filter");
    return malloc(1) == NULL;
}
