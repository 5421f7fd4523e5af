// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The low-level compiler: SVM C text in, whatever the chosen backend makes of it out. It reads nothing but that
// text and the machine file that the text names.
#ifndef SVMC_LLC_LLC_H
#define SVMC_LLC_LLC_H

#include "support/diag.h"
#include "support/strbuf.h"

// What can be asked for. A backend lists those it can write.
#include <stdio.h>

typedef enum llc_output {
    LLC_OUTPUT_NONE, // -fsyntax-only: check
    LLC_OUTPUT_LLVM_IR,
    LLC_OUTPUT_ASM,
    LLC_OUTPUT_OBJ,
    LLC_OUTPUT_EXE,
    LLC_OUTPUT_LIB,
    LLC_OUTPUT_COUNT
} llc_output;
const char *llc_output_text(llc_output output); // as --emit= spells it

typedef VEC(const char *) llc_strings;

typedef struct llc_options {
    llc_output output;
    const char *output_path; // NULL: made from the first input's name
    const char *level;       // "0" to "3" or "fast": the C compiler's
    bool debug;              // -g
    bool target_fp;          // a processor's own division, roots, exp2 and log2 may be used
    FILE *time_report;       // where the times of steps go; NULL: nowhere
    bool no_exports;         // LLC_OUTPUT_LIB without a header
    const char *header;      // where it goes; NULL: beside the library
    const char *march;       // NULL: the target's least
    llc_strings includes, defines;
    llc_strings link;         // of clang's, for executables: -lNAME, -LDIR, -Wl,..., -pthread
    llc_strings inputs;       // SVM C, other C files, objects and archives; "-" is SVM C on standard input
    const char *backend;      // --target=
    const char *machine;      // --machine=, instead of what the text names; or NULL
    const char *dependencies; // -MF or -MD's file; or NULL
} llc_options;

// What the tool around the compiler provides.
typedef struct llc_environment {
    const char *clang;             // program that compiles C
    const char *linker;            // program that links objects as clang does, and starts faster; NULL: clang does
    const char *linker_choice;     // its option for the fastest linker that is there; NULL: its own
    const char *include_directory; // with svm/svm.h
    const char *library_directory; // with libsvm-host.a
    const char *machine_directory;
    bool dry_run; // -###: commands are printed, nothing is written
    // Runs a program and gives its exit code; what it could not run it has reported.
    int (*run)(void *context, const char *const *argv);
    // The path of a new temporary file; NULL after an error.
    const char *(*temporary)(void *context, const char *stem, const char *suffix);
    void *context;
} llc_environment;

// Compiles, with errors in d. False when there were some; *status is then the exit code of a program that failed, or 0.
bool llc_compile(arena *a, diag_engine *d, const llc_options *options, const llc_environment *environment, int *status);
// One line a backend, for --list-targets.
void llc_list_backends(strbuf *out);

#endif
