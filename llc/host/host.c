// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host backend: SVM C through clang to native code with the host runtime. One clang compiles and links; the
// table of the machines that the text names is included by svm/svm.h.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "llc/contract/contract.h"
#include "llc/host/host.h"

// What design and docs/svm-c.md promise of arithmetic, at every level.
static const char *const arithmetic_flags[] = {"-std=c11", "-fwrapv", "-ffp-contract=off", "-fno-math-errno"};
// -Ofast spelled out: reassociation (which needs the two flags beside it), reciprocals, contraction, no signed
// zeros; infinities, NaNs and denormals stay.
static const char *const fast_flags[] = {
    "-O3", "-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math", "-freciprocal-math", "-ffp-contract=fast",
};

static void add(llc_session *s, llc_strings *command, const char *word)
{
    VEC_PUSH(s->arena, command, word);
}

static void add_code_flags(llc_session *s, llc_strings *command)
{
    const llc_options *o = s->options;
    for (size_t i = 0; i < sizeof arithmetic_flags / sizeof *arithmetic_flags; i++)
        add(s, command, arithmetic_flags[i]);
    for (size_t i = 0; contract_inexact_function(i) != NULL; i++)
        add(s, command, arena_printf(s->arena, "-fno-builtin-%s", contract_inexact_function(i)));
    if (strcmp(o->level, "fast") == 0) {
        for (size_t i = 0; i < sizeof fast_flags / sizeof *fast_flags; i++)
            add(s, command, fast_flags[i]);
    } else {
        add(s, command, arena_printf(s->arena, "-O%s", o->level));
    }
    if (o->debug)
        add(s, command, "-g");
    if (o->march != NULL)
        add(s, command, arena_printf(s->arena, "-march=%s", o->march));
    add(s, command, "-fno-crash-diagnostics"); // it would put them where all is removed; --save-temps keeps the input
    add(s, command, "-isystem");
    add(s, command, s->environment->include_directory);
    for (VEC_EACH(const char *, dir, &o->includes))
        add(s, command, arena_printf(s->arena, "-I%s", *dir));
    for (VEC_EACH(const char *, define, &o->defines))
        add(s, command, arena_printf(s->arena, "-D%s", *define));
}

// An absolute path: the file is included by a header of another folder.
static const char *absolute(llc_session *s, const char *path)
{
    char *folder = path[0] == '/' ? NULL : getcwd(NULL, 0);
    const char *result = folder == NULL ? path : arena_printf(s->arena, "%s/%s", folder, path);
    free(folder);
    return result;
}

// Writes the machine table and gives its path; NULL after an error.
static const char *write_table(llc_session *s)
{
    if (s->table != NULL)
        return s->table;
    const char *path = s->environment->temporary(s->environment->context, "svm-machine-table", ".h");
    if (path == NULL || s->environment->dry_run)
        return path;
    strbuf text;
    strbuf_init(&text, s->arena);
    machine_table_entry *entries = ARENA_ARRAY(s->arena, machine_table_entry, s->units.len);
    for (size_t i = 0; i < s->units.len; i++)
        entries[i] = (machine_table_entry){s->units.data[i]->machine, s->units.data[i]->machine_name};
    machine_emit_table(entries, s->units.len, &text);
    if (!file_write(path, text.data, text.len)) {
        diag_error_at(s->diag, LLC_TOOL, "cannot write '%s': %s", path, strerror(errno));
        return NULL;
    }
    return s->table = absolute(s, path);
}

void host_sources(llc_session *s, llc_strings *sources)
{
    for (VEC_EACH(llc_unit *, unit, &s->units))
        VEC_PUSH(s->arena, sources, (*unit)->path);
    for (VEC_EACH(const char *, other, &s->others))
        if (llc_is_c(*other))
            VEC_PUSH(s->arena, sources, *other);
}

// Standard input has been read already; clang gets its text from a file.
static bool store_standard_input(llc_session *s)
{
    for (VEC_EACH(llc_unit *, unit, &s->units)) {
        if (strcmp((*unit)->path, "-") != 0)
            continue;
        const source_file *source = source_get(s->diag->sources, (*unit)->file);
        const char *path = s->environment->temporary(s->environment->context, "stdin", ".c");
        if (path == NULL)
            return false;
        if (!s->environment->dry_run && !file_write(path, source->text, source->len)) {
            diag_error_at(s->diag, LLC_TOOL, "cannot write '%s': %s", path, strerror(errno));
            return false;
        }
        (*unit)->path = path;
    }
    return true;
}

static bool is_other(const llc_session *s, const char *source)
{
    for (VEC_EACH(const char *, other, &s->others))
        if (*other == source)
            return true;
    return false;
}

// C files beside SVM C are compiled by themselves, because they keep their warnings.
static bool compile_others(llc_session *s)
{
    for (VEC_EACH(const char *, other, &s->others)) {
        if (s->units.len == 0 || !llc_is_c(*other))
            continue;
        const char *object = s->environment->temporary(s->environment->context, "other", ".o");
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
        add(s, command, (*unit)->path);
    for (VEC_EACH(const char *, other, &s->others))
        add(s, command, *other);
}

bool host_compile(llc_session *s, llc_output output, const char *source, const char *path, const char *extra)
{
    llc_strings command = {0};
    add(s, &command, s->environment->clang);
    add_code_flags(s, &command);
    if (s->units.len > 0) {
        const char *table = write_table(s);
        if (table == NULL)
            return false;
        if (source == NULL || !is_other(s, source))
            add(s, &command, "-w"); // its warnings have been reported from the reader's parse
        add(s, &command, arena_printf(s->arena, "-DSVM_MACHINE_TABLE=\"%s\"", table)); // svm/svm.h includes it
    }
    if (extra != NULL)
        add(s, &command, extra);
    if (output == LLC_OUTPUT_LLVM_IR)
        add(s, &command, "-emit-llvm");
    if (output == LLC_OUTPUT_LLVM_IR || output == LLC_OUTPUT_ASM)
        add(s, &command, "-S");
    else if (output == LLC_OUTPUT_OBJ)
        add(s, &command, "-c");
    if (source != NULL)
        add(s, &command, source);
    else
        add_inputs(s, &command);
    add(s, &command, "-o");
    add(s, &command, path);
    if (output == LLC_OUTPUT_EXE) {
        add(s, &command, arena_printf(s->arena, "%s/libsvm-host.a", s->environment->library_directory));
        add(s, &command, "-lm");
        add(s, &command, "-ldl");
    }
    return llc_run_command(s, &command);
}

static bool emit(llc_session *s)
{
    llc_output output = s->options->output;
    llc_strings names = {0}, sources = {0};
    host_sources(s, &names); // before standard input gets a file
    if (!store_standard_input(s))
        return false;
    if (output == LLC_OUTPUT_EXE)
        return compile_others(s) && host_compile(s, output, NULL, s->output, NULL);
    if (output == LLC_OUTPUT_LIB)
        return host_emit_library(s);
    host_sources(s, &sources);
    bool good = true;
    for (size_t i = 0; i < sources.len; i++)
        good = host_compile(s, output, sources.data[i], llc_output_path(s, names.data[i]), NULL) && good;
    return good;
}

static bool run(llc_session *s, const char *const *arguments)
{
    llc_strings command = {0};
    add(s, &command, strchr(s->output, '/') != NULL ? s->output : arena_printf(s->arena, "./%s", s->output));
    for (; arguments != NULL && *arguments != NULL; arguments++)
        add(s, &command, *arguments);
    return llc_run_command(s, &command);
}

const llc_backend llc_backend_host = {
    .name = "host",
    .summary = "native executable, object, assembly, LLVM IR or C library through clang (the default)",
    .outputs = 1u << LLC_OUTPUT_LLVM_IR | 1u << LLC_OUTPUT_ASM | 1u << LLC_OUTPUT_OBJ | 1u << LLC_OUTPUT_EXE |
               1u << LLC_OUTPUT_LIB,
    .emit = emit,
    .run = run,
};
