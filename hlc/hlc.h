// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The high-level compiler as a library: sources in, SVM C (or any stage before it) out. The pipeline itself is hlc/pipeline.c, top to bottom.
#ifndef SVMC_HLC_HLC_H
#define SVMC_HLC_HLC_H

#include <stdio.h>

#include "support/diag.h"
#include "support/strbuf.h"
#include "targets/native.h"

typedef enum hlc_emit {
    HLC_EMIT_NOTHING, // check only
    HLC_EMIT_TOKENS,
    HLC_EMIT_AST,
    HLC_EMIT_DOC,    // a page of what the files declare, from their comments
    HLC_EMIT_HOST_C, // the host code of a Brook file as C
    HLC_EMIT_SIR,    // after elaboration
    HLC_EMIT_GRAPH,  // DOT of the source graph with rates on the edges
    HLC_EMIT_PLAN,   // after all passes
    HLC_EMIT_HEADER, // of the program as a C library
    HLC_EMIT_SVM_C,
} hlc_emit;

// A native function that the program calls, as the linker knows it, and where it is declared.
typedef struct hlc_native {
    const char *symbol, *name; // "DSP_dot", "DSP.dot"
    src_range declared;
} hlc_native;
typedef VEC(hlc_native) hlc_natives;

// The host code of one Brook file as C: what is linked with the SVM C of its kernels.
typedef struct hlc_host {
    source_id file;
    const char *program; // SVM C of a stream program that host code calls: its name; NULL: host code
    const char *text;
} hlc_host;
typedef VEC(hlc_host) hlc_hosts;

// How several processors share the work, and how items move between memories.
typedef enum hlc_mapping { HLC_MAPPING_CHOSEN, HLC_MAPPING_TIME, HLC_MAPPING_SPACE } hlc_mapping;
typedef enum hlc_offload { HLC_OFFLOAD_PAYING, HLC_OFFLOAD_ALL, HLC_OFFLOAD_NONE } hlc_offload; // static regions
typedef enum hlc_transfer { HLC_TRANSFER_CHOSEN, HLC_TRANSFER_BLOCK, HLC_TRANSFER_STREAM } hlc_transfer;

typedef struct hlc_config {
    hlc_emit emit;
    bool stream_ir; // the source is one stream IR text, whatever its name
    bool brook;     // the sources are Brook
    int opt_level;  // 0..3
    bool fast_math, debug_info;
    const char *gdb_commands;       // a file in Python that gdb loads with the program, where it may; NULL: none
    uint32_t graph_depth;           // of what the graph shows box by box; 0: all
    bool any_extents;               // of the inputs of finite graphs
    bool interpret_kernels;         // of finite graphs: the reference interpreter runs them, in the program
    bool march;                     // C is compiled for a processor that the user names
    bool takes_bytes;               // that processor takes bytes of whole vectors from tables of 256 in registers
    bool gathers;                   // that processor loads vectors of scattered elements fast
    native_byte_costs bytes;        // of that processor
    int64_t vector_bytes;           // of that processor's vector registers together; 0: not known
    int64_t vector_registers;       // how many these are
    bool fuse;                      // kernels of Brook that are called one behind the other become one
    bool no_lanes;                  // firings one after the other
    bool no_steps;                  // filters that take bits do so one by one
    bool no_straight;               // windows of queues pass the common memory
    bool no_narrow;                 // ints take four bytes wherever they lie
    bool no_outside_messages;       // portals are for the program's own messages alone
    bool no_exact_errors;           // of a strip in which a firing fails nothing is written
    bool target_fp;                 // a processor's own division and roots may be used
    bool check_rates, check_bounds; // at run time, where compile time proves nothing
    const char *machine;            // name or path; NULL: "host"
    const char *machine_dir;        // where shipped machine files are
    const char *passes;             // NULL: those of the level
    const char *skip_passes;        // comma list of those to leave out; NULL none
    const char *print_after;        // comma list of pass names; NULL none
    bool print_after_all, verify_each, time_report;
    int64_t strip;        // steady states a strip; 0: choose
    int64_t max_latency;  // steady states taken in before the output of the first is written, at most; 0: any number
    double latency_items; // the same in items of the program's input, or output if it has none; 0: max_latency tells
    int64_t processors;   // kernel processors to use; 0: all
    hlc_mapping mapping;
    hlc_transfer transfer;
    hlc_offload offload;
    double search;           // seconds for the mapping search, with its exact method; 0: its heuristic alone
    uint64_t seed;           // of its random numbers
    const char *profile_use; // a file with measured times of kernels; NULL: estimates
    uint64_t elaboration_steps;
    const char *top;
    const char *const *import_path; // folders where imported files are looked for, behind the importing file's own
    size_t import_folders;
    const char *const *defines; // NAME or NAME=VALUE: macros for kernels of Brook, as for C
    size_t define_count;
    bool library;              // SVM C is a library's, without a main function
    const char *prefix;        // of its functions' names; NULL: the program's name
    const char **header;       // where its header's text goes, beside SVM C; NULL: nowhere
    const char *command_line;  // for the header comment of the emitted C; NULL none
    const char *text_path;     // of the file that the emitted C goes to, for #line; NULL: "NAME.svm.c"
    FILE *dump;                // where print_after and time_report go
    hlc_natives *natives;      // filled with those of emitted SVM C; NULL: nobody asks
    hlc_hosts *hosts;          // filled with the host code of Brook files, beside SVM C; NULL: nobody asks
    struct hlc_report *report; // filled with what a report shows (hlc/report/report.h); NULL: nobody asks
} hlc_config;

// Whether the processor that C is compiled for has vectors of 64 bytes: 32 registers of them.
static inline bool hlc_has_wide_vectors(const hlc_config *config)
{
    return config->vector_bytes >= 32 * 64;
}

// Floats that one of its vector registers holds; 0: not known.
static inline int64_t hlc_vector_floats(const hlc_config *config)
{
    return config->vector_registers > 0 ? config->vector_bytes / config->vector_registers / (int64_t)sizeof(float) : 0;
}

// Registers that hold the sums of each of some firings that go through a loop together so that what they load serves them
// all: each has an item beside them, and all of them what they share and a product.
static inline int64_t hlc_shared_registers(const hlc_config *config, int64_t firings)
{
    return (config->vector_registers - firings - 2) / firings;
}

// Whether a debugger is to find every local and field under its own name.
static inline bool hlc_keeps_names(const hlc_config *config)
{
    return config != NULL && config->debug_info && config->opt_level == 0;
}

// Compiles the sources (StreamIt, or one stream IR text by its suffix .sir). Gives the text, NULL after errors (which d has).
// warnings and remarks are in d either way.
const char *hlc_compile(arena *a, diag_engine *d, const source_id *files, size_t count, const hlc_config *config);

// --interpret: elaborates and runs; the program's exit status.
struct interp_options;
int hlc_interpret(arena *a, diag_engine *d, const source_id *files, size_t count, const hlc_config *config,
                  const struct interp_options *options);

// ---- Tests of filters (unit_test.c) ----

typedef struct hlc_tests hlc_tests;
typedef struct hlc_test {
    const char *name;
    src_range where;
} hlc_test;

// Parses and checks; NULL after errors. The tests of imported files are not among them.
hlc_tests *hlc_tests_read(arena *a, diag_engine *d, const source_id *files, size_t count, const hlc_config *config);
const hlc_test *hlc_tests_list(const hlc_tests *tests, size_t *count);

// Builds the graph of a test; its errors, and those of what follows, go to d. input: what it reads, as it lies in a file.
// iterations: steady states to run, -1: until the input ends.
bool hlc_test_begin(hlc_tests *tests, size_t number, diag_engine *d, strbuf *input, int64_t *iterations);
// Runs it in the interpreter; gives the exit status.
int hlc_test_interpret(hlc_tests *tests, const struct interp_options *options);
// Compiles it to SVM C; NULL after errors.
const char *hlc_test_compile(hlc_tests *tests);
// Whether its output is what is expected; if not, an error says where it differs.
bool hlc_test_compare(hlc_tests *tests, const char *output, size_t len);
// The same of what it prints, if it is expected to print something.
bool hlc_test_has_output(const hlc_tests *tests);
bool hlc_test_expects_text(const hlc_tests *tests);
bool hlc_test_compare_text(hlc_tests *tests, const char *printed, size_t len);

// The pass table, one line a pass, for --list-passes.
void hlc_list_passes(strbuf *out);

#endif
