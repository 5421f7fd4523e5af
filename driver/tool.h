// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the main functions of all tools do alike: begin, read inputs, write outputs, print diagnostics, end.
#ifndef SVMC_DRIVER_TOOL_H
#define SVMC_DRIVER_TOOL_H

#include "driver/options.h"

typedef struct tool_session {
    arena *arena;
    source_set sources;
    diag_engine diags;
    option_list options;
    bool internal_error;       // one has been printed
    struct progress *progress; // NULL: nobody looks
} tool_session;

// Parses the command line and answers --help and --version. When it returns false the tool is done and main returns
// *status (tool_finish has been called).
bool tool_start(tool_session *t, option_tool which, int argc, char **argv, int *status);
// Reads an input ("-" is standard input); 0 after an error, which has been reported.
source_id tool_read(tool_session *t, const char *path);
// Writes an output ("-" is standard output), whole or not at all; false after an error, which has been reported. An
// output that is one of the tool's inputs is an error too.
bool tool_write(tool_session *t, const char *path, const char *text, size_t len);
// Whether an output that another program writes is none of the tool's inputs; false after an error, which has been
// reported.
bool tool_check_output(tool_session *t, const char *path);
// Whether the folder that an output is to go to is there; false after an error, which has been reported. Asked before
// anything is compiled.
bool tool_check_folder(tool_session *t, const char *path);
// What the tool does from now on, shown on a terminal where it takes long (driver/progress.h).
void tool_doing(tool_session *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Something that writes to the same terminal begins: nothing is shown from now on.
void tool_show_nothing(tool_session *t);
// Prints the diagnostics there are, before something else prints.
void tool_flush(tool_session *t);
// Prints the diagnostics, checks that standard output took all, frees everything, and gives the exit code: status, but
// never 0 after an error.
int tool_finish(tool_session *t, int status);

#endif
