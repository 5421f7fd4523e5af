// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Running other programs (clang, svm-llc, dot), and temporary files that are gone however the tool ends.
//
// NOTE(signals). From the first temporary file or program of a process_session to its end, SIGINT, SIGTERM and SIGHUP are
// blocked; process_run waits for them together with the child, ends the child, removes the temporary files (its own and
// the children's, whose TMPDIR is this session's folder) and then lets the signal take the tool down. So no handler and no
// global state is needed. What a tool does before that, as reading C, they end at once.
// SIGPIPE and SIGXFSZ are ignored: a closed pipe or a full quota is a failed write, with a message.
#ifndef SVMC_DRIVER_PROCESS_H
#define SVMC_DRIVER_PROCESS_H

#include <signal.h>
#include <stdbool.h>

#include "support/diag.h"

typedef struct process_session process_session;

typedef struct process_settings {
    const char *tool; // this tool's name, for messages
    bool verbose;     // -v: print each command
    bool dry_run;     // -###: print each command and run none
    bool keep;        // --save-temps: temporary files go to the current folder and stay
} process_settings;

// Lets a failed write be an error instead of a silent end; called first in every tool's main.
void process_ignore_write_signals(void);

// SIGCHLD and those of SIGINT, SIGTERM and SIGHUP that are not ignored (as nohup does): what waiting for a child waits for.
void process_signals(sigset_t *set);

process_session *process_open(diag_engine *d, const process_settings *settings);
// Removes the temporary files and delivers signals that waited. Also done on every exit().
void process_close(process_session *s);

// The path of a new temporary file with this stem and suffix, "fm" and ".svm.c"; it does not exist yet, its folder is
// this session's own. NULL after an error, which has been reported.
const char *process_temporary(process_session *s, const char *stem, const char *suffix);

// Runs argv[0] (looked for in PATH when it has no slash) with argv, which NULL ends, and waits. Gives the exit code; a
// program that cannot be run or is stopped by a signal is reported, and gives EXIT_WRONG or EXIT_INTERNAL.
int process_run(process_session *s, const char *const *argv);
// The same; what the program writes to standard error goes to a file.
int process_run_quiet(process_session *s, const char *const *argv, const char *errors);
// The same with more of that. A program that has not ended in time is ended, which gives PROCESS_LATE; so may a program,
// to say that of one of its own.
typedef struct process_limits {
    const char *output, *errors; // files for what it writes; NULL: where this tool writes
    int seconds;                 // 0: as long as it takes
    bool program;                // it is somebody's program: a crash is its own error
} process_limits;
enum { PROCESS_LATE = 124 };
int process_run_limited(process_session *s, const char *const *argv, const process_limits *limits);

#endif
