// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// svmc: stream programs to executables and everything between. The high-level compiler runs in this process; what it
// writes, SVM C text, goes to svm-llc in a file, as any SVM C does.
#include <string.h>

#include "driver/cache.h"
#include "driver/hlc_options.h"
#include "driver/latency.h"
#include "driver/library.h"
#include "driver/natives.h"
#include "driver/option_table.h"
#include "driver/paths.h"
#include "driver/process.h"
#include "driver/refine.h"
#include "driver/report.h"
#include "driver/unit_tests.h"
#include "targets/machine.h"

typedef VEC(const char *) argument_list;

static process_session *open_session(tool_session *t)
{
    process_settings settings = {
        .tool = options_tool_name(t->options.tool),
        .verbose = option_flag(&t->options, OPT_VERBOSE, false),
        .dry_run = option_flag(&t->options, OPT_DRY_RUN, false),
        .keep = option_flag(&t->options, OPT_SAVE_TEMPS, false),
    };
    return process_open(&t->diags, &settings);
}

// Options that svm-llc has too go to it as they are, but for those that this tool answers or writes anew. What a stream
// program depends on, this tool knows.
static void add_llc_options(tool_session *t, argument_list *argv, bool has_stream_program)
{
    for (VEC_EACH(const option, o, &t->options.items)) {
        const option_row *row = &option_rows[o->id];
        bool own = o->id == OPT_OUTPUT || o->id == OPT_COMPILE || o->id == OPT_ASSEMBLY || o->id == OPT_SYNTAX_ONLY ||
                   o->id == OPT_DRY_RUN ||
                   (has_stream_program &&
                    (o->id == OPT_DEPENDENCIES || o->id == OPT_DEPENDENCY_FILE || o->id == OPT_LIBRARY_HEADER));
        if (o->id == OPT_INPUT || own || !option_is_for(o->id, TOOL_LLC))
            continue;
        if (row->kind == OPTION_SEPARATE) {
            VEC_PUSH(t->arena, argv, row->spelling);
            VEC_PUSH(t->arena, argv, o->value);
        } else if (row->kind == OPTION_BOOLEAN && !o->on) {
            VEC_PUSH(t->arena, argv, option_negative(t->arena, row));
        } else {
            VEC_PUSH(t->arena, argv, arena_printf(t->arena, "%s%s", row->spelling, o->value == NULL ? "" : o->value));
        }
    }
}

// Host code of Brook includes what is beside its file, though it is compiled elsewhere.
static void add_brook_folders(tool_session *t, argument_list *argv, const driver_inputs *inputs)
{
    for (VEC_EACH(const driver_input, in, inputs)) {
        const char *slash = in->path == NULL ? NULL : strrchr(in->path, '/');
        if (in->language == LANGUAGE_BROOK)
            VEC_PUSH(t->arena, argv,
                     slash == NULL ? "-I." : arena_printf(t->arena, "-I%.*s", (int)(slash + 1 - in->path), in->path));
    }
}

// The arguments of svm-llc for these inputs; those of the high-level compiler have become the file compiled.
static argument_list llc_command(tool_session *t, const driver_inputs *inputs, const char *compiled,
                                 const argument_list *hosts, driver_mode mode, const char *output)
{
    arena *a = t->arena;
    argument_list argv = {0};
    VEC_PUSH(a, &argv, paths_installed(a, "bin/svm-llc"));
    add_llc_options(t, &argv, compiled != NULL);
    if (compiled != NULL)
        add_brook_folders(t, &argv, inputs);
    const char *machine_name = option_last(&t->options, OPT_MACHINE);
    if (compiled != NULL && machine_name != NULL && strcmp(machine_name, "native") == 0)
        VEC_PUSH(a, &argv, "-Wno-native"); // it has been said
    if (compiled != NULL && driver_mode_of(&t->options, MODE_EXE) == MODE_LIB)
        VEC_PUSH(a, &argv, "--no-exports"); // it has a better header
    if (compiled != NULL && option_flag(&t->options, OPT_INTERPRET_KERNELS, false)) {
        VEC_PUSH(a, &argv, arena_printf(a, "-L%s", paths_installed(a, "lib")));
        VEC_PUSH(a, &argv, "-lsvm-interpret");
    }
    VEC_PUSH(a, &argv, mode == MODE_CHECK ? "-fsyntax-only" : arena_printf(a, "--emit=%s", driver_mode_name(mode)));
    if (output != NULL && mode != MODE_CHECK) {
        VEC_PUSH(a, &argv, "-o");
        VEC_PUSH(a, &argv, output);
    }
    for (VEC_EACH(const driver_input, in, inputs)) {
        const char *file = in->language > LANGUAGE_PLAN ? in->path : compiled;
        if (file == compiled)
            compiled = NULL;
        if (file != NULL)
            VEC_PUSH(a, &argv, file);
    }
    for (VEC_EACH(const char *const, host, hosts))
        VEC_PUSH(a, &argv, *host);
    VEC_PUSH(a, &argv, NULL);
    return argv;
}

// How many of the inputs the high-level compiler takes.
static size_t stream_inputs(const driver_inputs *inputs)
{
    size_t count = 0;
    for (VEC_EACH(const driver_input, in, inputs))
        count += in->language <= LANGUAGE_PLAN;
    return count;
}

static bool is_for_hlc(const driver_inputs *inputs)
{
    return stream_inputs(inputs) != 0;
}

typedef struct llc_input {
    const char *compiled, *text; // the file of the high-level compiler, and what is in it; NULL: none
    const hlc_natives *natives;
    const argument_list *hosts; // files of C that belong to it
} llc_input;

// Runs svm-llc, or takes what it made of the same text before.
static int make_output(tool_session *t, process_session *s, const driver_inputs *inputs, llc_input in, driver_mode mode,
                       const char *output)
{
    argument_list argv = llc_command(t, inputs, in.compiled, in.hosts, mode, output);
    bool alone =
        in.compiled != NULL && inputs->len == stream_inputs(inputs) && in.natives->len == 0 && in.hosts->len == 0;
    cache_entry kept = alone ? cache_find(t, argv.data, in.compiled, output, in.text) : (cache_entry){NULL};
    if (cache_take(&kept, output))
        return EXIT_OK;
    // What is to be kept is made where no other process writes, as it may do to the output.
    const char *made = kept.path == NULL ? NULL : process_temporary(s, "made", "");
    if (made == NULL)
        return natives_link(t, s, argv.data, in.natives);
    argument_list there = {0};
    for (VEC_EACH(const char *, word, &argv))
        VEC_PUSH(t->arena, &there, *word == output ? made : *word);
    int status = natives_link(t, s, there.data, in.natives);
    if (status != EXIT_OK)
        return status;
    cache_entry now = cache_find(t, argv.data, in.compiled, output, in.text);
    if (strcmp(now.path == NULL ? "" : now.path, kept.path) == 0) // else the tools are others than they were
        cache_keep(t->arena, &kept, made);
    // Where it cannot be put svm-llc says why.
    return cache_take(&(cache_entry){made}, output) ? EXIT_OK : natives_link(t, s, argv.data, in.natives);
}

// The host code of Brook files, in files of their own.
static bool write_hosts(tool_session *t, process_session *s, const hlc_hosts *hosts, argument_list *paths)
{
    for (VEC_EACH(const hlc_host, h, hosts)) {
        const char *stem = driver_stem(t->arena, source_get(&t->sources, h->file)->name);
        const char *path =
            process_temporary(s, h->program != NULL ? h->program : stem, h->program != NULL ? ".svm.c" : ".host.c");
        if (path == NULL || !tool_write(t, path, h->text, strlen(h->text)))
            return false;
        VEC_PUSH(t->arena, paths, path);
    }
    return true;
}

// "build/prog.s" and "main.host.c" give "build/main.host.s".
static const char *beside(tool_session *t, const char *output, const char *host)
{
    const char *slash = strrchr(output, '/'), *dot = strrchr(output, '.');
    if (strcmp(output, "-") == 0)
        return output;
    bool has_suffix = dot != NULL && (slash == NULL || dot > slash);
    return arena_printf(t->arena, "%.*s%s.host%s", slash == NULL ? 0 : (int)(slash - output + 1), output, host,
                        has_suffix ? dot : "");
}

// The files of a Brook program one by one: objects become one; of assembly and LLVM IR the host code's lie beside that of the
// kernels.
static int make_parts(tool_session *t, process_session *s, const driver_inputs *inputs, const char *compiled,
                      const hlc_hosts *hosts, const argument_list *paths, driver_mode mode, const char *output)
{
    static const argument_list none = {0};
    arena *a = t->arena;
    argument_list link = {0};
    VEC_PUSH(a, &link, paths_clang(a));
    VEC_PUSH(a, &link, "-r");
    VEC_PUSH(a, &link, "-nostdlib");
    VEC_PUSH(a, &link, "-o");
    VEC_PUSH(a, &link, output);
    for (size_t i = 0; i <= paths->len; i++) {
        const char *file = i == 0 ? compiled : paths->data[i - 1], *part = output;
        const hlc_host *host = i == 0 ? NULL : &hosts->data[i - 1];
        const char *stem = host == NULL            ? ""
                           : host->program != NULL ? host->program
                                                   : driver_stem(a, source_get(&t->sources, host->file)->name);
        if (mode == MODE_OBJ)
            part = process_temporary(s, i == 0 ? "kernels" : stem, ".o");
        else if (i > 0)
            part = beside(t, output, stem);
        int status = part == NULL ? EXIT_WRONG : process_run(s, llc_command(t, inputs, file, &none, mode, part).data);
        if (status != EXIT_OK)
            return status;
        VEC_PUSH(a, &link, part);
    }
    VEC_PUSH(a, &link, NULL);
    return mode == MODE_OBJ ? process_run(s, link.data) : EXIT_OK;
}

// What is compiled with -c and the like is a Brook program's files alone.
static bool check_brook_mode(tool_session *t, const driver_inputs *inputs, driver_mode mode)
{
    bool brook = false;
    for (VEC_EACH(const driver_input, in, inputs))
        brook = brook || in->language == LANGUAGE_BROOK;
    for (VEC_EACH(const driver_input, in, inputs))
        if (brook && in->language > LANGUAGE_PLAN && mode > MODE_SVM_C && mode < MODE_EXE) {
            diag_error_at(&t->diags, options_tool_name(t->options.tool),
                          "'%s' beside Brook files, of which --emit=%s makes what is compiled together; expected a "
                          "command of its own",
                          in->path, driver_mode_name(mode));
            return false;
        }
    return true;
}

// From inputs to what svm-llc makes of them. text is the SVM C of the stream program among them, NULL without one; with
// -### nothing has been compiled and the text is empty.
static int run_llc(tool_session *t, const driver_inputs *inputs, const char *text, const hlc_natives *natives,
                   const char *header, const hlc_hosts *hosts, driver_mode mode)
{
    const char *output = driver_output(t, inputs, mode), *compiled = NULL;
    if (output != NULL && !tool_check_output(t, output))
        return EXIT_WRONG;
    bool dry_run = option_flag(&t->options, OPT_DRY_RUN, false), ok = true, library = text != NULL && mode == MODE_LIB;
    tool_flush(t);
    process_session *s = open_session(t);
    if (text != NULL) {
        compiled = driver_kept_text(t, inputs, mode);
        if (compiled == NULL)
            compiled = process_temporary(s, driver_stem(t->arena, inputs->data[0].path), ".svm.c");
        ok = compiled != NULL && (dry_run || tool_write(t, compiled, text, strlen(text)));
    }
    argument_list host_paths = {0};
    ok = ok && write_hosts(t, s, hosts, &host_paths);
    if (library && library_is_object(output))
        mode = MODE_OBJ;
    tool_doing(t, "compiling C");
    int status = EXIT_WRONG;
    if (ok && hosts->len > 0 && mode < MODE_EXE)
        status = make_parts(t, s, inputs, compiled, hosts, &host_paths, mode, output);
    else if (ok)
        status = make_output(t, s, inputs, (llc_input){compiled, text, natives, &host_paths}, mode, output);
    process_close(s);
    if (status == EXIT_OK && library && !dry_run &&
        !tool_write(t, library_header_path(t, output), header, strlen(header)))
        status = EXIT_WRONG;
    if (status == EXIT_OK && text != NULL && !dry_run && !driver_write_dependencies(t, output))
        status = EXIT_WRONG;
    return status;
}

// Whether something is to be written beside a report.
static bool is_output_asked_for(const tool_session *t)
{
    static const option_id outputs[] = {OPT_OUTPUT, OPT_COMPILE, OPT_ASSEMBLY, OPT_EMIT, OPT_INTERPRET};
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
        if (option_last(&t->options, outputs[i]) != NULL)
            return true;
    return false;
}

static int write_report(tool_session *t, const driver_inputs *inputs)
{
    if (!is_for_hlc(inputs)) {
        diag_error_at(&t->diags, options_tool_name(t->options.tool),
                      "--report is of a stream program; expected a .str, .br, .sir or .plan input");
        return EXIT_USAGE;
    }
    if (option_flag(&t->options, OPT_DRY_RUN, false))
        return EXIT_OK;
    return report_write(t, inputs, option_last(&t->options, OPT_REPORT), is_output_asked_for(t));
}

static int compile_inputs(tool_session *t, const driver_inputs *inputs, driver_mode mode)
{
    if (option_last(&t->options, OPT_REPORT) != NULL) {
        int status = write_report(t, inputs);
        if (status != EXIT_OK || !is_output_asked_for(t))
            return status;
    }
    if (mode <= MODE_SVM_C && (mode != MODE_CHECK || is_for_hlc(inputs)))
        return driver_run_hlc(t, inputs, mode);
    const char *text = NULL, *header = "";
    hlc_natives natives = {0};
    hlc_hosts hosts = {0};
    if (!check_brook_mode(t, inputs, mode))
        return EXIT_USAGE;
    if (is_for_hlc(inputs)) {
        text = option_flag(&t->options, OPT_DRY_RUN, false)
                   ? ""
                   : driver_compile(t, inputs, MODE_SVM_C, &natives, &header, &hosts);
        if (text == NULL)
            return EXIT_WRONG;
    }
    return run_llc(t, inputs, text, &natives, header, &hosts, mode);
}

// Whether something is made of a mapping that could be refined.
static bool is_refined(const tool_session *t, const driver_inputs *inputs, driver_mode mode)
{
    return option_number(&t->options, OPT_REFINE, 0) > 0 && !option_flag(&t->options, OPT_DRY_RUN, false) &&
           is_for_hlc(inputs) && mode >= MODE_PLAN && mode != MODE_HEADER && mode != MODE_LIB &&
           !option_flag(&t->options, OPT_LIBRARY, false);
}

static int compile_test(tool_session *t, process_session *s, const driver_inputs *inputs, const char *text,
                        const char *output)
{
    static const argument_list none = {0};
    return process_run(s, llc_command(t, inputs, text, &none, MODE_EXE, output).data);
}

// A program that is run is not written too.
static bool check_interpret(tool_session *t)
{
    static const option_id outputs[] = {OPT_OUTPUT, OPT_COMPILE, OPT_ASSEMBLY, OPT_EMIT};
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
        if (option_last(&t->options, OPT_INTERPRET) != NULL && option_last(&t->options, outputs[i]) != NULL) {
            diag_error_at(&t->diags, options_tool_name(t->options.tool),
                          "--interpret runs the program and writes none: expected no -o, -c, -S and --emit; --out=FILE "
                          "names the program's output");
            return false;
        }
    return true;
}

static int compile(tool_session *t)
{
    driver_inputs inputs = {0};
    if (!driver_find_inputs(t, &inputs))
        return EXIT_USAGE;
    if (unit_tests_asked_for(&t->options)) {
        if (!is_output_asked_for(t) && option_last(&t->options, OPT_REPORT) == NULL)
            return unit_tests_run(t, &inputs, compile_test);
        diag_error_at(&t->diags, options_tool_name(t->options.tool),
                      "--test runs tests and writes nothing: expected no -o, -c, -S, --emit, --interpret or --report");
        return EXIT_USAGE;
    }
    driver_mode mode = driver_mode_of(&t->options, MODE_EXE);
    if (!check_interpret(t))
        return EXIT_USAGE;
    const char *output = option_last(&t->options, OPT_OUTPUT);
    if (output != NULL && !tool_check_folder(t, output))
        return EXIT_WRONG;
    int64_t states;
    double items;
    if (!latency_read(t, &states, &items) || !driver_check_run_options(t, mode) ||
        !library_check_options(t, &inputs, mode))
        return EXIT_USAGE;
    if (mode == MODE_LIB && is_for_hlc(&inputs) && !library_check_output(t, &inputs, driver_output(t, &inputs, mode)))
        return EXIT_USAGE;
    if (!is_refined(t, &inputs, mode))
        return compile_inputs(t, &inputs, mode);
    process_session *s = open_session(t); // its files are there until all is compiled
    int status = refine_mapping(t, s, &inputs) ? compile_inputs(t, &inputs, mode) : EXIT_WRONG;
    process_close(s);
    return status;
}

// The requests that compile nothing. False when none is made.
static bool answer(tool_session *t, int *status)
{
    arena *a = t->arena;
    const char *directory = paths_installed(a, "share/svmc/machines");
    const char *name = option_last(&t->options, OPT_PRINT_MACHINE);
    strbuf b;
    strbuf_init(&b, a);
    *status = EXIT_OK;
    if (driver_list_passes(t))
        return true;
    if (option_last(&t->options, OPT_LIST_TARGETS) != NULL) {
        process_session *s = open_session(t);
        *status = process_run(s, (const char *const[]){paths_installed(a, "bin/svm-llc"), "--list-targets", NULL});
        process_close(s);
        return true;
    }
    if (option_last(&t->options, OPT_LIST_MACHINES) != NULL) {
        machine_list(a, &t->diags, directory, &b);
    } else if (name != NULL) {
        const machine *m = machine_find(a, &t->diags, directory, name, (src_range){0});
        if (m != NULL)
            machine_print(m, &t->sources, &b);
    } else {
        return false;
    }
    if (!diag_has_errors(&t->diags)) {
        const char *output = option_last(&t->options, OPT_OUTPUT);
        tool_write(t, output == NULL ? "-" : output, b.data, b.len);
    }
    return true;
}

int main(int argc, char **argv)
{
    tool_session t;
    int status;
    if (!tool_start(&t, TOOL_SVMC, argc, argv, &status))
        return status;
    if (!answer(&t, &status))
        status = compile(&t);
    return tool_finish(&t, status);
}
