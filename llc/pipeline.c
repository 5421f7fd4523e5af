// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The way of an SVM C file through the low-level compiler: read, check the contract, let the backend check, let the
// backend emit.
#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#include "llc/backend.h"
#include "llc/contract/contract.h"
#include "llc/reader/reader.h"

static const llc_backend *const backends[] = {
#define BACKEND(name) &llc_backend_##name,
#include "llc/backends.def"
#undef BACKEND
};
enum { BACKEND_COUNT = sizeof backends / sizeof *backends };

static const char *const output_texts[LLC_OUTPUT_COUNT] = {
    [LLC_OUTPUT_NONE] = "nothing", [LLC_OUTPUT_LLVM_IR] = "llvm-ir", [LLC_OUTPUT_ASM] = "asm",
    [LLC_OUTPUT_OBJ] = "obj",      [LLC_OUTPUT_EXE] = "exe",         [LLC_OUTPUT_LIB] = "lib",
};

const char *llc_output_text(llc_output output)
{
    return output_texts[output];
}

void llc_list_backends(strbuf *out)
{
    for (size_t i = 0; i < BACKEND_COUNT; i++) {
        strbuf_printf(out, "%-12s %s\n", backends[i]->name, backends[i]->summary);
        for (const llc_inexact *o = backends[i]->inexact; o != NULL && o->operation != NULL; o++)
            strbuf_printf(out, "%*s%s%s to %u%s", o == backends[i]->inexact ? 13 : 0, "",
                          o == backends[i]->inexact ? "with --fp=target " : ", ", o->operation, o->units,
                          o[1].operation == NULL ? " units in the last place\n" : "");
    }
}

static const llc_backend *find_backend(llc_session *s)
{
    const char *names[BACKEND_COUNT], *wanted = s->options->backend;
    for (size_t i = 0; i < BACKEND_COUNT; i++) {
        names[i] = backends[i]->name;
        if (strcmp(names[i], wanted) == 0)
            return backends[i];
    }
    const char *near = diag_nearest(wanted, names, BACKEND_COUNT);
    diag_error_at(s->diag, LLC_TOOL, "unknown target '%s'%s", wanted,
                  near == NULL ? "; --list-targets lists them" : arena_printf(s->arena, "; did you mean '%s'?", near));
    return NULL;
}

static bool ends_in(const char *text, const char *suffix)
{
    size_t n = strlen(text), m = strlen(suffix);
    return n > m && strcmp(text + n - m, suffix) == 0;
}

bool llc_is_c(const char *path)
{
    return strcmp(path, "-") == 0 || ends_in(path, ".c");
}

bool llc_refuse_stream_program(llc_session *s, const char *tool, const char *path)
{
    if (!ends_in(path, ".str") && !ends_in(path, ".sir") && !ends_in(path, ".plan"))
        return false;
    diag_error_at(s->diag, tool, "'%s' is not C; svmc compiles stream programs", path);
    return true;
}

// SVM C becomes a unit; everything else goes to the backend as it is.
static bool classify(llc_session *s, const char *path)
{
    if (llc_refuse_stream_program(s, LLC_TOOL, path))
        return false;
    if (!llc_is_c(path)) {
        VEC_PUSH(s->arena, &s->others, path);
        return true;
    }
    source_id file = source_read(s->diag->sources, path);
    if (file == 0) {
        diag_error_at(s->diag, LLC_TOOL, "cannot read '%s': %s", path, strerror(errno));
        return false;
    }
    const source_file *source = source_get(s->diag->sources, file);
    bool named = strcmp(path, "-") == 0 || ends_in(path, ".svm.c");
    if (!named && !reader_is_svm_c(s, path, source->text, source->len)) {
        VEC_PUSH(s->arena, &s->others, path);
        return true;
    }
    llc_unit *unit = ARENA_NEW(s->arena, llc_unit);
    *unit = (llc_unit){.path = path, .file = file};
    VEC_PUSH(s->arena, &s->units, unit);
    return true;
}

const char *llc_stem(arena *a, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = strcmp(path, "-") == 0 ? "a" : slash == NULL ? path : slash + 1;
    size_t n = strlen(name);
    if (ends_in(name, ".svm.c"))
        n -= 6;
    else if (strrchr(name, '.') != NULL && strrchr(name, '.') != name)
        n = (size_t)(strrchr(name, '.') - name);
    return arena_strndup(a, name, n);
}

// Without -o an executable is a.out, and everything else is named after its input.
const char *llc_output_path(const llc_session *s, const char *input)
{
    static const char *const suffixes[LLC_OUTPUT_COUNT] = {
        [LLC_OUTPUT_LLVM_IR] = ".ll", [LLC_OUTPUT_ASM] = ".s", [LLC_OUTPUT_OBJ] = ".o", [LLC_OUTPUT_LIB] = ".a"};
    const llc_options *o = s->options;
    if (o->output_path != NULL)
        return o->output_path;
    if (o->output == LLC_OUTPUT_EXE || o->output == LLC_OUTPUT_NONE)
        return "a.out";
    return arena_printf(s->arena, "%s%s%s", o->output == LLC_OUTPUT_LIB ? "lib" : "", llc_stem(s->arena, input),
                        suffixes[o->output]);
}

// The --emit options that the backend knows.
static const char *list_outputs(llc_session *s)
{
    strbuf b;
    strbuf_init(&b, s->arena);
    for (llc_output i = 0; i < LLC_OUTPUT_COUNT; i++)
        if ((s->backend->outputs >> i & 1) != 0)
            strbuf_printf(&b, "%s--emit=%s", b.len > 0 ? ", " : "", output_texts[i]);
    return b.data;
}

static bool check_output(llc_session *s)
{
    llc_output output = s->options->output;
    if (output == LLC_OUTPUT_OBJ && s->options->no_exports) // of a library
        output = s->backend->outputs & 1u << LLC_OUTPUT_LIB ? output : LLC_OUTPUT_LIB;
    if (output != LLC_OUTPUT_NONE && !(s->backend->outputs & (1u << output)) && s->backend->outputs != 0) {
        diag_error_at(s->diag, LLC_TOOL, "target '%s' cannot write %s; it has %s", s->backend->name,
                      output_texts[output], list_outputs(s));
        return false;
    }
    if ((output == LLC_OUTPUT_EXE || output == LLC_OUTPUT_LIB) && s->options->output_path != NULL &&
        strcmp(s->options->output_path, "-") == 0) {
        diag_error_at(s->diag, LLC_TOOL, "--emit=%s cannot go to standard output; name a file with -o",
                      output_texts[output]);
        return false;
    }
    size_t sources = 0;
    for (VEC_EACH(const char *, input, &s->options->inputs))
        sources += llc_is_c(*input);
    bool single = output == LLC_OUTPUT_LLVM_IR || output == LLC_OUTPUT_ASM || output == LLC_OUTPUT_OBJ;
    if (single && sources == 0) {
        diag_error_at(s->diag, LLC_TOOL, "--emit=%s needs a C file", output_texts[output]);
        return false;
    }
    if (single && sources > 1 && s->options->output_path != NULL) {
        diag_error_at(s->diag, LLC_TOOL, "-o names one file, but --emit=%s makes one of each of %zu inputs",
                      output_texts[output], sources);
        return false;
    }
    return true;
}

static bool process_unit(llc_session *s, llc_unit *unit)
{
    if (!reader_parse(s, unit))
        return false;
    bool good = reader_collect(s, unit);
    good = contract_check(s, unit) && good;
    if (good && s->backend->check != NULL)
        good = s->backend->check(s, unit);
    return good;
}

static enum CXChildVisitResult visit_main(CXCursor cursor, CXCursor parent, CXClientData data)
{
    bool *found = data;
    (void)parent;
    if (clang_getCursorKind(cursor) != CXCursor_FunctionDecl || !clang_isCursorDefinition(cursor))
        return CXChildVisit_Continue;
    CXString name = clang_getCursorSpelling(cursor);
    *found = strcmp(clang_getCString(name), "main") == 0;
    clang_disposeString(name);
    return *found ? CXChildVisit_Break : CXChildVisit_Continue;
}

// An executable of SVM C alone begins in it.
static bool check_main(llc_session *s)
{
    bool links = s->options->output == LLC_OUTPUT_EXE && (s->backend->outputs & 1u << LLC_OUTPUT_EXE) != 0;
    if (!links || s->others.len > 0 || s->units.len == 0)
        return true;
    bool found = false;
    for (VEC_EACH(llc_unit *, unit, &s->units))
        if (!found)
            clang_visitChildren(clang_getTranslationUnitCursor((*unit)->tu), visit_main, &found);
    if (found)
        return true;
    diag_error_at(
        s->diag, s->units.data[0]->path,
        "there is no 'main' to make an executable of; if this is a library, compile it with -c or --emit=lib and "
        "link that with a program, or give the program's C files too");
    return false;
}

static void add_dependency(strbuf *b, const char *path)
{
    strbuf_add(b, " \\\n  ");
    for (const char *p = path; *p != '\0'; p++) {
        if (strchr(" #\\$", *p) != NULL)
            strbuf_addc(b, *p == '$' ? '$' : '\\');
        strbuf_addc(b, *p);
    }
}

static void add_inclusion(CXFile file, CXSourceLocation *stack, unsigned depth, CXClientData data)
{
    strbuf *b = data;
    CXString name = clang_getFileName(file);
    (void)stack;
    if (depth > 0)
        add_dependency(b, clang_getCString(name));
    clang_disposeString(name);
}

// A rule for make, of all sources: the SVM C files, what they include, their machine files.
static bool write_dependencies(llc_session *s)
{
    strbuf b;
    strbuf_init(&b, s->arena);
    strbuf_printf(&b, "%s:", s->output);
    for (VEC_EACH(llc_unit *, unit, &s->units)) {
        if (strcmp((*unit)->path, "-") != 0)
            add_dependency(&b, (*unit)->path);
        clang_getInclusions((*unit)->tu, add_inclusion, &b);
        add_dependency(&b, source_get(s->diag->sources, (*unit)->machine->file)->name);
    }
    for (VEC_EACH(const char *, other, &s->others))
        add_dependency(&b, *other);
    strbuf_addc(&b, '\n');
    if (file_write(s->options->dependencies, b.data, b.len))
        return true;
    diag_error_at(s->diag, LLC_TOOL, "cannot write '%s': %s", s->options->dependencies, strerror(errno));
    return false;
}

// ---- Times ----

static double processor_seconds(int who)
{
    struct rusage u;
    getrusage(who, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + 1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static void add_time(llc_session *s, const char *name, double seconds)
{
    VEC_PUSH(s->arena, &s->times, ((llc_time){name, seconds}));
}

static void print_times(const llc_session *s, FILE *out)
{
    double total = 0;
    for (VEC_EACH(const llc_time, t, &s->times))
        total += t->seconds;
    fprintf(out, "%10s %6s %10s  %s\n", "ms", "%", "", "step (processor time)");
    for (VEC_EACH(const llc_time, t, &s->times))
        fprintf(out, "%10.3f %6.1f %10s  %s\n", 1e3 * t->seconds, total > 0 ? 100 * t->seconds / total : 0, "",
                t->name);
    fprintf(out, "%10.3f %6.1f %10s  total\n", 1e3 * total, 100.0, "");
}

static bool compile_session(llc_session *s)
{
    bool good = true;
    s->backend = find_backend(s);
    if (s->backend == NULL || !check_output(s))
        return false;
    for (VEC_EACH(const char *, path, &s->options->inputs))
        good = classify(s, *path) && good;
    if (good && s->options->inputs.len == 0) {
        diag_error_at(s->diag, LLC_TOOL, "no input files");
        return false;
    }
    for (VEC_EACH(llc_unit *, unit, &s->units))
        good = process_unit(s, *unit) && good;
    add_time(s, "reading SVM C, the contract, start of svm-llc", processor_seconds(RUSAGE_SELF));
    if (!good || diag_has_errors(s->diag) || !check_main(s)) // a warning may be an error
        return false;
    s->output = llc_output_path(s, s->options->inputs.data[0]);
    if (s->options->dependencies != NULL && !write_dependencies(s))
        return false;
    return s->options->output == LLC_OUTPUT_NONE || s->backend->emit == NULL || s->backend->emit(s);
}

bool llc_run_step(llc_session *s, const llc_strings *command, const char *name)
{
    double before = processor_seconds(RUSAGE_CHILDREN);
    llc_strings argv = *command;
    VEC_PUSH(s->arena, &argv, NULL);
    s->status = s->environment->run(s->environment->context, argv.data);
    add_time(s, name, processor_seconds(RUSAGE_CHILDREN) - before);
    return s->status == 0;
}

bool llc_run_command(llc_session *s, const llc_strings *command)
{
    return llc_run_step(s, command, "clang");
}

bool llc_compile(arena *a, diag_engine *d, const llc_options *options, const llc_environment *environment, int *status)
{
    llc_session s = {.arena = a, .diag = d, .options = options, .environment = environment};
    bool good = compile_session(&s);
    if (options->time_report != NULL)
        print_times(&s, options->time_report);
    for (VEC_EACH(llc_unit *, unit, &s.units))
        reader_close(*unit);
    *status = s.status;
    return good && !diag_has_errors(d);
}
