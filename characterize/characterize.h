// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// svm-characterize measures this computer with micro-kernels, as section 4 of the SVM paper does with graphics
// processors, and describes it in a machine file.
//
// Every number is the least of several repetitions, each long enough for the clock to tell, after one that does not
// count: what a busy computer adds to a time it never takes away. The median's distance from the least is reported as
// the spread. Threads are pinned to a core each.
#ifndef SVMC_CHARACTERIZE_H
#define SVMC_CHARACTERIZE_H

#include <stdbool.h>
#include <stdint.h>

#include "support/arena.h"
#include "support/diag.h"
#include "targets/machine.h"
#include "targets/native.h"

// ---- Measuring (measure.c) ----

typedef struct settings {
    bool quick;
    unsigned rounds; // all experiments are made that often, for noise may last longer than an experiment
    void (*tell)(void *context, unsigned round); // before each; NULL: nobody asks
    void *context;
    unsigned repetitions; // of an experiment that count
    double seconds;       // of one repetition, at least
    size_t processors;    // to describe
    unsigned width;       // bytes of the vectors that costs are of
} settings;

// Seconds of one unit of work, and how far the median of the repetitions was from the least, as a part of it.
typedef struct measurement {
    double seconds, spread;
} measurement;

// Does n units of work.
typedef void work_function(void *context, uint64_t n);
// units: how much work one unit of the function is, say operations.
measurement measure(const settings *s, work_function *work, void *context, double units);
// The same without calibration: n units a repetition.
measurement measure_times(const settings *s, work_function *work, void *context, uint64_t n, double units);
double measure_now(void); // seconds
// The calling thread runs on the processor with that number of the system's from now on, if the system lets it; or on
// that of any core again, as threads that it starts do.
bool measure_pin(int processor);
bool measure_unpin(const native_topology *t);
// The better of two rounds' measurements; the spread is that of the worse one from it.
void measure_better(measurement *best, measurement m);

// ---- Curves ----

typedef struct curve_point {
    double x, y, spread;
} curve_point;

typedef struct curve {
    const char *name;
    VEC(curve_point) points;
} curve;

// What one experiment gave. A figure with labels is a bar chart, its x an index into them.
typedef struct figure {
    const char *file, *title, *x_label, *y_label; // file: without suffix
    const char *note;                             // a line below the title
    bool log_x, log_y, bytes_x;                   // bytes_x: x is bytes, told in KiB and MiB
    VEC(const char *) labels;
    VEC(curve) curves;
    VEC(curve_point) marks; // vertical lines at x, and what they are (names)
    VEC(const char *) mark_names;
} figure;

// A new curve of the figure; curves move when others are added.
curve *figure_add(arena *a, figure *f, const char *name);
void curve_add(arena *a, curve *c, double x, double y, double spread);
// Point by point the better of two rounds: the greater y, or (least) the smaller.
void figure_better(figure *best, const figure *f, bool least);

// ---- Experiments ----

enum { WIDTHS = 4, MAX_CACHES = 8 };            // scalar, 16, 32 and 64 bytes
extern const unsigned operation_widths[WIDTHS]; // 0: scalar
// Whether this processor has vectors of that many bytes.
bool operations_have_width(unsigned width);

typedef struct operation_costs {
    // Of one operation on a vector of each width; seconds 0: there is no such operation.
    measurement of[MACHINE_OP_COUNT][WIDTHS];
} operation_costs;
// The clock, from a chain of dependent additions, which take a cycle each.
measurement measure_cycle(const settings *s);
void measure_operations(const settings *s, operation_costs *costs);

// Rate of float multiplications against the number of values that are live.
void measure_registers(const settings *s, arena *a, unsigned width, figure *f);

typedef struct data_level {
    measurement latency;    // seconds of an access that the next one depends on
    measurement sequential; // seconds a byte
    measurement random;     // seconds a byte, of 8 bytes at a time
} data_level;

typedef struct data_results {
    data_level memory, caches[MAX_CACHES]; // by the topology's
    measurement copy;                      // seconds a byte, from memory to memory
    uint64_t largest;                      // bytes of the set of data that stands for memory
    figure bandwidth, latency, stride;
} data_results;
// Where the plateaus of a curve of latency end: the sizes of the levels but the last, which is memory.
size_t find_levels(const curve *latency, uint64_t sizes[MAX_CACHES]);
// Fills in the caches from such a curve when hwloc knows of none.
bool measure_caches(const settings *s, arena *a, diag_engine *d, native_topology *t);
// False when there is no memory for it, after an error.
bool measure_data(const settings *s, arena *a, diag_engine *d, const native_topology *t, data_results *r);

typedef struct runtime_results {
    measurement run_wait; // svm_kernelRun and svm_kernelWait of an empty kernel
    double start, stop;   // of it: until the kernel's first operation, and from its last
    measurement queued;   // each of many empty kernels that are waited for together
    measurement transfer; // svm_kernelRun and svm_kernelWait of a move of few bytes
} runtime_results;
// On one thread, as programs with one processor for kernels run, and with a thread for each processor.
void measure_runtime(const settings *s, runtime_results *one, runtime_results *several);

typedef struct core_results {
    bool two;                                                      // there are two cores
    measurement push_acquire, push_send, pop_acquire, pop_discard; // of a block, without waiting
    measurement latency;                                           // of a small block from core to core
    double bandwidth;                                              // bytes a second between cores
    double block;                                                  // seconds a block besides its bytes, in the fit
    figure cores;
} core_results;
void measure_cores(const settings *s, arena *a, const native_topology *t, core_results *r);
// Fits the bandwidth to the measured curve, and draws what it says.
void fit_cores(arena *a, core_results *r);

// ---- Results ----

typedef struct results {
    native_topology topology;
    settings settings;
    measurement cycle;
    operation_costs operations;
    figure operation_figure, registers;
    data_results data;
    runtime_results one_thread, threads;
    core_results cores;
    double seconds; // that measuring took
    double load;    // of the computer when it began: processes that ran or could have; negative: not known
} results;

// All experiments, in rounds (experiments.c). False after an error.
bool measure_all(arena *a, diag_engine *d, results *r);
// Titles and axes, and the figure of operations, from its results (figures.c).
void name_figures(arena *a, results *r);
// All figures that have curves.
typedef VEC(const figure *) figure_list;
figure_list results_figures(arena *a, const results *r);

// The machine file (describe.c), all measurements as JSON (json.c), a figure as SVG (plot.c).
const char *describe(arena *a, const results *r);
const char *results_json(arena *a, const results *r);
const char *figure_svg(arena *a, const figure *f);

#endif
