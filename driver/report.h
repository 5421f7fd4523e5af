// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --report=FILE: a page of what became of a program and how it runs in simulation.
#ifndef SVMC_DRIVER_REPORT_H
#define SVMC_DRIVER_REPORT_H

#include "driver/hlc_options.h"
#include "driver/process.h"
#include "hlc/report/report.h"
#include "targets/machine.h"

// A row of the simulation's report: a processor, a link or a memory. Shares of the time.
typedef struct report_row {
    const char *name, *more;
    double work, overhead, waiting, idle; // processors
    double busy;                          // links and memories
} report_row;
typedef VEC(report_row) report_rows;

// A simulated run.
typedef struct report_run {
    double seconds, iteration; // of all; of a steady state in the second half
    const char *bottleneck, *reason;
    double busy;
    report_rows processors, links, memories;
    const char *chart; // SVG
} report_run;

// What happens when a parameter of the machine is another one.
typedef struct report_change {
    const char *what, *from, *to; // "clock of SPE", "3.2 GHz", "6.4 GHz"
    bool ok;
    double iteration; // seconds a steady state
    const char *bottleneck;
} report_change;

typedef struct report_page {
    const hlc_report *plan;
    const char *command;      // as given
    const char *machine_text; // of the machine file
    report_run run;
    const char *failure;   // why there is no run; NULL: there is one
    int64_t steady_states; // simulated
    VEC(report_change) changes;
} report_page;

// Compiles the inputs, simulates and writes the page to path; the exit code. quiet: without warnings and remarks, as
// they are compiled once more.
int report_write(tool_session *t, const driver_inputs *inputs, const char *path, bool quiet);

// ---- report_run.c ----

// Simulates the SVM C program on a machine (a name or a file); NULL and *why after a failure. chart: draw one.
typedef struct report_trial {
    tool_session *tool;
    process_session *processes;
    const hlc_report *plan;
    const char *program; // SVM C file
    int64_t steady_states;
    const char *profile; // where the times of kernels go; NULL: nowhere
} report_trial;
bool report_simulate(const report_trial *trial, const char *on, bool chart, report_run *run, const char **why);
// Tries the machine with one parameter changed after the other.
void report_try_changes(const report_trial *trial, const machine *m, report_page *page);

// ---- report_page.c ----
void report_print(strbuf *out, const report_page *page);

#endif
