// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host backend: SVM C through clang to native code with the host runtime; the table of the machines that the text names is
// included by svm/svm.h. A clang that compiles and links starts a second one for compiling: where nothing but C goes into an
// executable, gcc links what clang has compiled.
#include "llc/host/host.h"

#include <inttypes.h>
#include <sys/stat.h>

#include "llc/cc/cc.h"
#include "targets/native.h"

// C files beside SVM C are compiled by themselves, because they keep their warnings.
static bool compile_others(llc_session *s)
{
    for (VEC_EACH(const char *, other, &s->others)) {
        if (s->units.len == 0 || !llc_is_c(*other))
            continue;
        const char *stem = llc_stem(s->arena, *other); // for the linker's messages
        const char *object = s->environment->temporary(s->environment->context, stem, ".o");
        if (object == NULL || !host_compile(s, LLC_OUTPUT_OBJ, *other, object, NULL))
            return false;
        *other = object;
    }
    return true;
}

// In the order of the command line, which matters to archives.
static void add_inputs(llc_session *s, llc_strings *command)
{
    for (VEC_EACH(llc_unit *, unit, &s->units))
        cc_add(s, command, (*unit)->path);
    for (VEC_EACH(const char *, other, &s->others))
        cc_add(s, command, *other);
}

static bool gathers(const llc_session *s)
{
    for (VEC_EACH(llc_unit *, unit, &s->units)) {
        const machine *m = (*unit)->machine;
        for (size_t i = 0; m != NULL && i < m->processors.len; i++) {
            const machine_processor *p = &m->processors.data[i];
            if (p->gathers)
                return true;
        }
    }
    return false;
}

// Vectors of elements that lie anywhere: most processors load and store them no faster than one by one, and the C compiler
// thinks better of them (1.1 to 1.8 times slower on ciphers and transforms). Its flags are those of x86. Where gathers are fast
// svm/lanes.h has them for tables; the C compiler would also gather what lies side by side (an inverse transform 1.3 times slower).
static void add_gather_flags(llc_session *s, llc_strings *command)
{
#if defined(__x86_64__)
    const bool all = gathers(s);
    if (all || native_gathers(s->options->march))
        cc_add(s, command, "-DSVM_GATHERS");
    if (all)
        return;
    cc_add(s, command, "-mno-gather");
    cc_add(s, command, "-mno-scatter");
#else
    (void)s, (void)command;
#endif
}

// A selection that the loop's next trip waits for becomes a branch in clang, which guesses that such conditions are foreseen.
// Those of items are not: a decoder of ADPCM that limits its values took 3.7 times as long, no program gained.
static void add_selection_flags(llc_session *s, llc_strings *command)
{
#if defined(__x86_64__)
    cc_add(s, command, "-mllvm");
    cc_add(s, command, "-x86-cmov-converter=false");
#else
    (void)s, (void)command;
#endif
}

// The compiler that wrote the text counted on the processor's whole vectors (its tiles fill the registers), but clang is content
// with half of them on processors that were once slow with whole ones: a product with a matrix then spills half of its sums.
// Said so, and not as -mprefer-vector-width=512, functions may have SVM_HALF_VECTORS.
static void add_vector_flags(llc_session *s, llc_strings *command)
{
#if defined(__x86_64__)
    static const char *const whole[] = {"-Xclang", "-target-feature", "-Xclang", "-prefer-256-bit"};
    int64_t bytes = native_vectors_of(s->options->march).bytes;
    if (s->units.len > 0 && bytes == 64)
        for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
            cc_add(s, command, whole[i]);
    else if (s->units.len > 0 && bytes > 0)
        cc_add(s, command, arena_printf(s->arena, "-mprefer-vector-width=%" PRIi64, 8 * bytes));
#else
    (void)s, (void)command;
#endif
}

static void add_runtime(llc_session *s, llc_strings *command)
{
    cc_add_link_flags(s, command);
    cc_add(s, command, arena_printf(s->arena, "%s/libsvm-host.a", s->environment->library_directory));
    cc_add(s, command, "-lm");
    cc_add(s, command, "-ldl");
}

bool host_compile(llc_session *s, llc_output output, const char *source, const char *path, const char *extra)
{
    llc_strings command = {0};
    cc_add(s, &command, s->environment->clang);
    cc_add_code_flags(s, &command);
    add_gather_flags(s, &command);
    add_vector_flags(s, &command);
    add_selection_flags(s, &command);
    if (s->units.len > 0) {
        if (s->table == NULL)
            s->table = cc_write_table(s, "");
        if (s->table == NULL)
            return false;
        cc_add_table_flags(s, &command, source, s->table);
    }
    if (extra != NULL)
        cc_add(s, &command, extra);
    if (output == LLC_OUTPUT_LLVM_IR)
        cc_add(s, &command, "-emit-llvm");
    if (output == LLC_OUTPUT_LLVM_IR || output == LLC_OUTPUT_ASM)
        cc_add(s, &command, "-S");
    else if (output == LLC_OUTPUT_OBJ)
        cc_add(s, &command, "-c");
    if (source != NULL)
        cc_add(s, &command, source);
    else
        add_inputs(s, &command);
    cc_add(s, &command, "-o");
    cc_add(s, &command, path);
    const char *step =
        output == LLC_OUTPUT_EXE ? s->options->time_report != NULL ? "linker" : "clang and linker" : "clang";
    if (output == LLC_OUTPUT_EXE) {
        add_runtime(s, &command);
    }
    return llc_run_step(s, &command, step);
}

// By themselves, so that the linker is a process of its own.
static bool compile_units(llc_session *s)
{
    for (VEC_EACH(llc_unit *, unit, &s->units)) {
        const char *object = s->environment->temporary(s->environment->context, "unit", ".o");
        if (object == NULL || !host_compile(s, LLC_OUTPUT_OBJ, (*unit)->path, object, NULL))
            return false;
        (*unit)->path = object;
    }
    return true;
}

// What others have compiled may be for clang alone (bitcode, options for its linker).
static bool links_with_gcc(const llc_session *s)
{
    for (VEC_EACH(const char *const, other, &s->others))
        if (!llc_is_c(*other))
            return false;
    return s->environment->linker != NULL && s->units.len > 0 && s->options->link.len == 0;
}

// gold writes its errors for ever where a device takes nothing, such as /dev/full.
static bool is_file(const char *path)
{
    struct stat status;
    return stat(path, &status) != 0 || S_ISREG(status.st_mode);
}

static bool link_with_gcc(llc_session *s)
{
    llc_strings command = {0};
    cc_add(s, &command, s->environment->linker);
    cc_add(s, &command, "-fno-use-linker-plugin"); // of our own objects none is for it; to load it takes a while
    if (s->environment->linker_choice != NULL && is_file(s->output))
        cc_add(s, &command, s->environment->linker_choice);
    add_inputs(s, &command);
    cc_add(s, &command, "-o");
    cc_add(s, &command, s->output);
    add_runtime(s, &command);
    return llc_run_step(s, &command, "linker");
}

static bool emit(llc_session *s)
{
    llc_output output = s->options->output;
    llc_strings names = {0}, sources = {0};
    cc_sources(s, &names); // before standard input gets a file
    if (!cc_store_standard_input(s))
        return false;
    bool gcc = output == LLC_OUTPUT_EXE && links_with_gcc(s);
    if (output == LLC_OUTPUT_EXE) {
        bool apart = gcc || s->options->time_report != NULL;
        if (!compile_others(s) || (apart && !compile_units(s)))
            return false;
        return gcc ? link_with_gcc(s) : host_compile(s, output, NULL, s->output, NULL);
    }
    if (output == LLC_OUTPUT_LIB)
        return host_emit_library(s);
    cc_sources(s, &sources);
    bool good = true;
    for (size_t i = 0; i < sources.len; i++)
        good = host_compile(s, output, sources.data[i], llc_output_path(s, names.data[i]), NULL) && good;
    return good;
}

const llc_backend llc_backend_host = {
    .name = "host",
    .summary = "native executable, object, assembly, LLVM IR or C library through clang (the default)",
    .outputs = 1u << LLC_OUTPUT_LLVM_IR | 1u << LLC_OUTPUT_ASM | 1u << LLC_OUTPUT_OBJ | 1u << LLC_OUTPUT_EXE |
               1u << LLC_OUTPUT_LIB,
    .emit = emit,
    .run = cc_run,
};
