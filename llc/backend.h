// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a backend is: one constant record in one folder, and one line in backends.def. A hook that is NULL is not
// supported, and asking for it is an error that the pipeline reports; nothing outside a backend's folder knows its
// name.
#ifndef SVMC_LLC_BACKEND_H
#define SVMC_LLC_BACKEND_H

#include "llc/llc.h"
#include "llc/unit.h"

// The place of messages that are about no text.
#define LLC_TOOL "svm-llc"

typedef struct llc_time {
    const char *name;
    double seconds; // of the processor
} llc_time;

typedef struct llc_session {
    arena *arena;
    diag_engine *diag;
    const llc_options *options;
    const llc_environment *environment;
    const struct llc_backend *backend;
    VEC(llc_unit *) units; // SVM C files, checked
    llc_strings others;    // inputs that are not SVM C
    const char *output;    // path of the result, of outputs that are made of all inputs
    const char *table;     // path of the machine table's text, once it is written
    int status;            // exit code of a program that failed
    VEC(llc_time) times;   // of steps
} llc_session;

// An operation that the target does not round as the host does; --fp=target allows it in kernels.
typedef struct llc_inexact {
    const char *operation;
    unsigned units; // in the last place that it is off at most
} llc_inexact;

typedef struct llc_backend {
    const char *name, *summary;
    unsigned outputs;           // bits 1 << llc_output
    const llc_inexact *inexact; // ends with a NULL; NULL when there are none
    // Refuses what the backend cannot do, with located errors; NULL: it takes whatever keeps the contract.
    bool (*check)(llc_session *s, const llc_unit *unit);
    // Makes the session's output from all units and other inputs. NULL: there is nothing to write.
    bool (*emit)(llc_session *s);
    // Runs the executable in output; NULL: not on this computer.
    bool (*run)(llc_session *s, const char *const *arguments);
} llc_backend;

#define BACKEND(name) extern const llc_backend llc_backend_##name;
#include "llc/backends.def"
#undef BACKEND

bool llc_is_c(const char *path);
// "dir/fm.svm.c" gives "fm".
const char *llc_stem(arena *a, const char *path);
// A stream program has come to a tool that reads C; true: that has been reported.
bool llc_refuse_stream_program(llc_session *s, const char *tool, const char *path);
// The path of what is made of one input: -o, or a name made from the input's.
const char *llc_output_path(const llc_session *s, const char *input);
// Runs a command; false when it fails, with its exit code in s->status.
bool llc_run_command(llc_session *s, const llc_strings *command);
// The same with a name for -ftime-report.
bool llc_run_step(llc_session *s, const llc_strings *command, const char *name);

#endif
