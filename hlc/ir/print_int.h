// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The printer's parts: print.c has modules, print_body.c has functions.
#ifndef SVMC_HLC_IR_PRINT_INT_H
#define SVMC_HLC_IR_PRINT_INT_H

#include "hlc/ir/sir.h"

enum { SIR_LINE_WIDTH = 120, SIR_INDENT = 4 };

typedef struct sir_printer {
    const sir_module *module;
    const sir_filter *filter; // of the function being printed; NULL for functions of the module
    const sir_function *function;
    bool places;
    int indent;        // columns
    size_t line_start; // offset in out
    strbuf *out;
    strbuf item;        // one element of a wrapped list
    VEC(sir_loc) parts; // places of the parts of the line being printed
    bool all_parts;     // parts at the line's end are printed even if their place is the line's
} sir_printer;

void sir_print_indent(sir_printer *p);
// Ends a line: its place and those of its parts (p->parts, which it empties).
void sir_print_end(sir_printer *p, sir_loc loc);
// A name as it is where its characters allow, else quoted.
void sir_print_name(strbuf *out, const char *name);
void sir_print_scalar(strbuf *out, const sir_type *t, sir_scalar v, bool suffix);
void sir_print_value(sir_printer *p, const sir_value *v);
void sir_print_function(sir_printer *p, const sir_function *f);

#endif
