// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From options to what the high-level compiler is asked for; shared by svmc, svm-hlc and svm-opt.
#ifndef SVMC_DRIVER_HLC_OPTIONS_H
#define SVMC_DRIVER_HLC_OPTIONS_H

#include "driver/tool.h"
#include "hlc/hlc.h"
#include "hlc/interp/interp.h"

// What a command line asks for; the last of -c, -S, --emit, -fsyntax-only and --interpret holds. In the order of the
// stages, so that everything up to MODE_SVM_C is the high-level compiler's.
typedef enum driver_mode {
    MODE_CHECK,
    MODE_INTERPRET,
    MODE_TOKENS,
    MODE_AST,
    MODE_DOC,
    MODE_HOST_C,
    MODE_SIR,
    MODE_GRAPH,
    MODE_PLAN,
    MODE_HEADER,
    MODE_SVM_C,
    MODE_LLVM_IR,
    MODE_ASM,
    MODE_OBJ,
    MODE_EXE,
    MODE_LIB,
} driver_mode;

driver_mode driver_mode_of(const option_list *options, driver_mode assumed);
// The value of --emit= that asks for mode; of a mode from MODE_TOKENS on.
const char *driver_mode_name(driver_mode mode);

// One input and how it is read: by the last -x before it, else by what its name ends in.
typedef enum input_language {
    LANGUAGE_STREAMIT, // up to LANGUAGE_PLAN: for the high-level compiler
    LANGUAGE_BROOK,
    LANGUAGE_SIR,
    LANGUAGE_PLAN,
    LANGUAGE_SVM_C,
    LANGUAGE_NATIVE,
} input_language;
typedef struct driver_input {
    const char *path;
    input_language language;
} driver_input;
typedef VEC(driver_input) driver_inputs;
// False after errors, which have been reported: no input, an unknown suffix, inputs that do not go together.
bool driver_find_inputs(tool_session *t, driver_inputs *inputs);

// Options of the interpreter are for --interpret only; false after an error, which has been reported.
bool driver_check_run_options(tool_session *t, driver_mode mode);

// --list-passes; false when it is not asked for.
bool driver_list_passes(tool_session *t);

void driver_set_config(hlc_config *config, tool_session *t, const driver_inputs *inputs, driver_mode mode);
void driver_set_interpreter(interp_options *interp, const tool_session *t);

// The file name without folder and suffix: "fm" of "examples/fm.str" and of "fm.svm.c".
const char *driver_stem(arena *a, const char *path);

// -o, or the default name; NULL when several C files each get an output, which svm-llc names.
const char *driver_output(tool_session *t, const driver_inputs *inputs, driver_mode mode);
// The file that SVM C between the levels goes to. With -g it stays beside the output, "fm.debug.svm.c" beside "fm", since a
// debugger shows it; NULL: a file that goes away.
const char *driver_kept_text(tool_session *t, const driver_inputs *inputs, driver_mode mode);

// Reads the inputs that are the high-level compiler's and compiles them, or runs them in the interpreter; writes the
// output (standard output without -o). Gives the exit code. mode is at most MODE_SVM_C.
int driver_run_hlc(tool_session *t, const driver_inputs *inputs, driver_mode mode);
// The same up to the text. NULL after errors. natives: filled with those that the text leaves to the linker; may be NULL.
// header: of a library; hosts: the host code of Brook files; these may be NULL too.
const char *driver_compile(tool_session *t, const driver_inputs *inputs, driver_mode mode, hlc_natives *natives,
                           const char **header, hlc_hosts *hosts);
// The same, and gathers what a report shows.
struct hlc_report;
const char *driver_compile_report(tool_session *t, const driver_inputs *inputs, driver_mode mode, hlc_natives *natives,
                                  const char **header, hlc_hosts *hosts, struct hlc_report *report);
// -MD: writes the makefile rule for output. False after an error, which has been reported.
bool driver_write_dependencies(tool_session *t, const char *output);

#endif
