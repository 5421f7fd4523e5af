// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the high-level compiler has to say of a program for a report: pictures of the graph, of where it went, and of
// the memories, as SVG; and what it takes to try the program. driver/report.c makes a page of it.
#ifndef SVMC_HLC_REPORT_REPORT_H
#define SVMC_HLC_REPORT_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "hlc/ir/sir.h"
#include "support/strbuf.h"
#include "support/vec.h"

// A line of the page's first table.
typedef struct hlc_report_fact {
    const char *what, *text;
} hlc_report_fact;

// What a method of the mapping search came to.
typedef struct hlc_report_method {
    const char *name;
    uint64_t tries;
    double before, after; // of a steady state, predicted of the best mapping: seconds; 0: none that fits
    double lower;         // below which there was known to be nothing when it ended
} hlc_report_method;

typedef struct hlc_report {
    // In: a folder where files that the program writes go instead of where it says, and made-up input for files that
    // are not there. NULL: the program is left as it is.
    const char *folder;

    // Out.
    const char *program, *machine; // names
    int64_t strip;                 // steady states of a strip
    double predicted;              // seconds of a steady state; 0: unknown
    int64_t round;                 // steady states after which everything repeats: a strip, or a round of strips
    const char *graph;             // the program as written, coloured by kernel
    const char *mapped;            // kernels, the processors that they run on, and what moves between them
    VEC(const char *) memories;    // maps, one a memory
    VEC(hlc_report_fact) facts;
    const char *search; // the mapping search's history; NULL: nothing was searched for
    VEC(hlc_report_method) methods;
    const char *search_text; // what became of it, or why there was none
    const char *input;       // a made-up file for the program's own input; NULL: it has none
    bool own_output;         // it has an output of its own
    bool invented_input;     // some input is made up
} hlc_report;

struct hlc_program;
// When all is planned and before anything is emitted. False after an error.
bool report_make(struct hlc_program *p, hlc_report *r);

// input.c: sends the files that a program writes to the folder, and makes up input that is not there.
bool report_move_files(struct hlc_program *p, const sir_module *program, hlc_report *r);

#endif
