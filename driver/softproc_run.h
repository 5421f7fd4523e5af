// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// svm-spsim's parts: parameters of the machine, a run's buffers, reports, traces.
#ifndef SVMC_DRIVER_SOFTPROC_RUN_H
#define SVMC_DRIVER_SOFTPROC_RUN_H

#include "driver/softproc_tool.h"
#include "runtime/softproc/cycle.h"

// ---- Parameters (softproc_parameters.c) ----

// Of the machine by the options; false after an error.
bool softproc_parameters(tool_session *t, svm_SpParameters *p);
// One of them, by its key: "link-bandwidth", "0.8 GB/s".
bool softproc_set(tool_session *t, svm_SpParameters *p, const char *key, const char *value);
// The values of a sweep, each to be given to softproc_set.
typedef VEC(const char *) softproc_values;
bool softproc_sweep(tool_session *t, const char *text, const char **key, softproc_values *values);
void softproc_print_parameters(const svm_SpParameters *p, const char *name, strbuf *b);

// ---- Runs (softproc_run.c) ----

typedef struct softproc_file {
    unsigned number;
    const char *path;
    svm_SpFormat format;
    svm_SpTiling tiling;
    uint32_t width, height; // 0: the domain's
    sp_buffer *buffer;
} softproc_file;

typedef struct softproc_run {
    tool_session *tool;
    sp_core core;
    sp_program *program;
    VEC(softproc_file) inputs, outputs;
    bool functional;
    sp_cycle_options options;
    uint64_t max_cycles;
} softproc_run;

// Reads options and files; false after errors.
bool softproc_prepare(softproc_run *r, const char *path);
// Runs with these parameters; what the machine did goes to results, or to counters in functional mode. False after a
// fault, which has been reported.
bool softproc_execute(softproc_run *r, const svm_SpParameters *p, sp_results *results, svm_SpCounters *counters);
bool softproc_write_outputs(softproc_run *r);
void softproc_release(softproc_run *r);

// ---- Reports (softproc_report.c) ----

// What can be told of a program without running it, and what that means for its time.
typedef struct softproc_static {
    unsigned alu, tex, flow; // instructions
    uint32_t temps;
    bool straight;                                     // without flow control: the following hold
    double batch_cycles;                               // a batch alone, from start to end
    double alu_cycles;                                 // of those in which it keeps the pipeline's entrance busy
    double request_bytes, response_bytes, write_bytes; // on the link, of a batch
    double reads;
    double limit; // use that link and outstanding reads allow
    double knee;  // batches for that
} softproc_static;

typedef struct softproc_result {
    const char *label; // "batches=32", or NULL
    svm_SpParameters parameters;
    sp_results results;
    softproc_static facts;
} softproc_result;
typedef VEC(softproc_result) softproc_result_list;

softproc_static softproc_facts(const softproc_run *r, const svm_SpParameters *p);
// Use that the closed form predicts for this many batches.
double softproc_predicted(const softproc_static *s, double batches);
// The part of a run that is judged: the steady one where there is one.
const sp_stats *softproc_steady(const sp_results *r);
double softproc_use(const sp_stats *s);
void softproc_report(const softproc_result_list *results, const char *name, strbuf *b);
void softproc_report_functional(const softproc_run *r, const svm_SpCounters *n, strbuf *b);
void softproc_report_json(const softproc_result_list *results, const char *name, strbuf *b);
void softproc_plot(const softproc_result_list *results, const char *name, strbuf *b);
// Bytes and blocks of a register file for this frame, rounded up to a power of two.
typedef struct softproc_register_file {
    uint32_t registers;
    uint64_t bytes, whole_bytes, blocks, small_blocks; // whole: with all registers
} softproc_register_file;
softproc_register_file softproc_register_file_of(const svm_SpParameters *p, uint32_t temps);

// ---- Traces (softproc_trace.c) ----

typedef struct softproc_trace {
    arena *arena;
    uint64_t from, to;
    VEC(sp_event) events;
    bool cut;
} softproc_trace;
void softproc_trace_event(void *user, const sp_event *event); // user: a softproc_trace
void softproc_trace_chrome(const softproc_trace *t, const svm_SpParameters *p, strbuf *b);
void softproc_trace_vcd(softproc_trace *t, const svm_SpParameters *p, strbuf *b);

#endif
