// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Taking times: calibration, repetitions, pinning; and the curves that they make.
#include "characterize/characterize.h"

#include <sched.h>
#include <stdlib.h>
#include <time.h>

double measure_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static bool pin_to(const int *processors, size_t count)
{
    int last = 0;
    for (size_t i = 0; i < count; i++)
        last = processors[i] > last ? processors[i] : last;
    size_t size = CPU_ALLOC_SIZE((size_t)last + 1);
    cpu_set_t *set = CPU_ALLOC((size_t)last + 1);
    if (set == NULL)
        return false;
    CPU_ZERO_S(size, set);
    for (size_t i = 0; i < count; i++)
        CPU_SET_S((size_t)processors[i], size, set);
    bool ok = sched_setaffinity(0, size, set) == 0;
    CPU_FREE(set);
    return ok;
}

bool measure_pin(int processor)
{
    return pin_to(&processor, 1);
}

bool measure_unpin(const native_topology *t)
{
    return pin_to(t->processors, t->cores);
}

static int compare_times(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

static measurement summary(double *times, unsigned count, double units)
{
    qsort(times, count, sizeof *times, compare_times);
    double least = times[0], median = times[count / 2];
    return (measurement){least / units, least > 0 ? median / least - 1 : 0};
}

static double time_of(work_function *work, void *context, uint64_t n)
{
    double start = measure_now();
    work(context, n);
    return measure_now() - start;
}

enum { MAX_REPETITIONS = 64 };

measurement measure_times(const settings *s, work_function *work, void *context, uint64_t n, double units)
{
    double times[MAX_REPETITIONS];
    unsigned count = s->repetitions < MAX_REPETITIONS ? s->repetitions : MAX_REPETITIONS;
    work(context, n);
    for (unsigned i = 0; i < count; i++)
        times[i] = time_of(work, context, n);
    return summary(times, count, units * (double)n);
}

measurement measure(const settings *s, work_function *work, void *context, double units)
{
    uint64_t n = 1;
    for (double t; (t = time_of(work, context, n)) < s->seconds && n < UINT64_C(1) << 50;) {
        double grow = t > 0 ? s->seconds / t * 1.2 : 16;
        n = (uint64_t)((double)n * (grow > 16 ? 16 : grow)) + 1;
    }
    return measure_times(s, work, context, n, units);
}

curve *figure_add(arena *a, figure *f, const char *name)
{
    curve *c = VEC_ADD(a, &f->curves);
    c->name = name;
    return c;
}

void curve_add(arena *a, curve *c, double x, double y, double spread)
{
    VEC_PUSH(a, &c->points, (curve_point){x, y, spread});
}

void measure_better(measurement *best, measurement m)
{
    if (m.seconds <= 0)
        return;
    bool first = best->seconds <= 0;
    measurement worse = first || m.seconds < best->seconds ? *best : m;
    if (first || m.seconds < best->seconds)
        *best = m;
    double spread = first ? 0 : worse.seconds * (1 + worse.spread) / best->seconds - 1;
    if (spread > best->spread)
        best->spread = spread;
}

void figure_better(figure *best, const figure *f, bool least)
{
    for (size_t i = 0; i < best->curves.len && i < f->curves.len; i++) {
        curve *c = &best->curves.data[i];
        const curve *other = &f->curves.data[i];
        for (size_t k = 0; k < c->points.len && k < other->points.len; k++) {
            curve_point *p = &c->points.data[k];
            double y = other->points.data[k].y, spread = p->y / y;
            if (least ? y < p->y : y > p->y)
                p->y = y;
            spread = (spread < 1 ? 1 / spread : spread) - 1;
            if (spread > p->spread)
                p->spread = spread;
        }
    }
}
