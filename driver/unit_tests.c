// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Running tests of filters. What a test reads and writes are files in memory, which interpreter and programs open by
// their names in /proc, so that nothing has to be cleared away.
#include "driver/unit_tests.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "driver/option_table.h"
#include "support/file.h"

typedef struct runner {
    tool_session *session;
    const driver_inputs *inputs;
    hlc_tests *tests;
    process_session *processes; // NULL: interpreted
    unit_tests_compiler *compiler;
    size_t passed, failed;
} runner;

bool unit_tests_asked_for(const option_list *options)
{
    return option_last(options, OPT_TEST) != NULL || option_last(options, OPT_TEST_NAMES) != NULL ||
           option_last(options, OPT_TEST_COMPILED) != NULL;
}

// A file in memory and its name for other processes too.
typedef struct memory_file {
    int fd;
    const char *path;
} memory_file;

static bool open_memory(arena *a, diag_engine *d, const char *name, memory_file *f)
{
    f->fd = memfd_create(name, MFD_CLOEXEC);
    f->path = arena_printf(a, "/proc/%ld/fd/%d", (long)getpid(), f->fd);
    if (f->fd < 0)
        diag_error_at(d, NULL, "cannot make a file in memory: %s", strerror(errno));
    return f->fd >= 0;
}

// What a run of a test reads and writes.
typedef struct test_files {
    memory_file in, out, printed;
    int64_t iterations; // -1: until the input ends
    bool prints;        // what is printed is expected, not shown
} test_files;

static int interpret(const runner *r, const test_files *f)
{
    interp_options options;
    driver_set_interpreter(&options, r->session);
    options.in = f->iterations < 0 ? f->in.path : NULL; // sources alone end by a number
    options.out = hlc_test_has_output(r->tests) ? f->out.path : NULL;
    options.iterations = f->iterations;
    if (!f->prints)
        return hlc_test_interpret(r->tests, &options);
    fflush(stdout);
    int shown = dup(STDOUT_FILENO);
    if (shown < 0 || dup2(f->printed.fd, STDOUT_FILENO) < 0)
        return EXIT_WRONG;
    int status = hlc_test_interpret(r->tests, &options);
    fflush(stdout);
    dup2(shown, STDOUT_FILENO);
    close(shown);
    return status;
}

static int compile_and_run(const runner *r, const test_files *f)
{
    arena *a = r->session->arena;
    const char *text = hlc_test_compile(r->tests);
    const char *path = process_temporary(r->processes, "test", ".svm.c");
    const char *program = process_temporary(r->processes, "test", "");
    if (text == NULL || path == NULL || program == NULL || !tool_write(r->session, path, text, strlen(text)))
        return EXIT_WRONG;
    int status = r->compiler(r->session, r->processes, r->inputs, path, program);
    if (status != EXIT_OK)
        return status;
    VEC(const char *) argv = {0};
    VEC_PUSH(a, &argv, program);
    if (hlc_test_has_output(r->tests))
        VEC_PUSH(a, &argv, arena_printf(a, "--out=%s", f->out.path));
    if (f->iterations < 0) {
        VEC_PUSH(a, &argv, arena_printf(a, "--in=%s", f->in.path));
    } else { // sources alone end by a number
        VEC_PUSH(a, &argv, "-i");
        VEC_PUSH(a, &argv, arena_printf(a, "%" PRId64, f->iterations));
    }
    VEC_PUSH(a, &argv, NULL);
    const process_limits limits = {.output = f->prints ? f->printed.path : NULL};
    return process_run_limited(r->processes, argv.data, &limits);
}

static bool read_back(const runner *r, diag_engine *d, const memory_file *f, char **text, size_t *len)
{
    if (lseek(f->fd, 0, SEEK_SET) == 0 && file_read_fd(r->session->arena, f->fd, SOURCE_MAX_BYTES, text, len))
        return true;
    diag_error_at(d, NULL, "cannot read a test's output: %s", strerror(errno));
    return false;
}

static bool run_with(runner *r, diag_engine *d, const strbuf *input, const test_files *f)
{
    if (!file_write_fd(f->in.fd, input->data, input->len)) {
        diag_error_at(d, NULL, "cannot write a test's input: %s", strerror(errno));
        return false;
    }
    int status = r->processes != NULL ? compile_and_run(r, f) : interpret(r, f);
    if (status != EXIT_OK || diag_has_errors(d))
        return false;
    char *output, *printed;
    size_t len, printed_len;
    return read_back(r, d, &f->out, &output, &len) && read_back(r, d, &f->printed, &printed, &printed_len) &&
           hlc_test_compare(r->tests, output, len) && hlc_test_compare_text(r->tests, printed, printed_len);
}

static bool run_one(runner *r, size_t number, diag_engine *d)
{
    arena *a = r->session->arena;
    strbuf input;
    strbuf_init(&input, a);
    test_files f = {.in.fd = -1, .out.fd = -1, .printed.fd = -1};
    if (!hlc_test_begin(r->tests, number, d, &input, &f.iterations))
        return false;
    f.prints = hlc_test_expects_text(r->tests);
    bool ok = open_memory(a, d, "input", &f.in) && open_memory(a, d, "output", &f.out) &&
              open_memory(a, d, "printed", &f.printed) && run_with(r, d, &input, &f);
    const memory_file *const all[] = {&f.in, &f.out, &f.printed};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i]->fd >= 0)
            close(all[i]->fd);
    return ok;
}

// Diagnostics of their own for a test, with the tool's settings.
static diag_engine fresh_diagnostics(const tool_session *t)
{
    diag_engine d, settings = t->diags;
    diag_init(&d, t->arena, settings.sources);
    memcpy(d.warning_enabled, settings.warning_enabled, sizeof d.warning_enabled);
    memcpy(d.warning_is_error, settings.warning_is_error, sizeof d.warning_is_error);
    d.warnings_are_errors = settings.warnings_are_errors;
    d.no_warnings = settings.no_warnings;
    d.remarks = settings.remarks;
    d.error_limit = settings.error_limit;
    return d;
}

static void run_and_tell(runner *r, const hlc_test *test, size_t number)
{
    tool_session *t = r->session;
    diag_engine d = fresh_diagnostics(t);
    bool ok = run_one(r, number, &d) && !diag_has_errors(&t->diags);
    *(ok ? &r->passed : &r->failed) += 1;
    src_pos at = source_pos(&t->sources, test->where.file, test->where.begin);
    printf("%s %s (%s:%u)\n", ok ? "ok  " : "FAIL", test->name, source_get(&t->sources, test->where.file)->name,
           at.line);
    fflush(stdout);
    d.errors_flushed = d.error_count; // the tests are counted, not these
    d.warnings_flushed = d.warning_count;
    diag_flush(&d, stderr, options_diag_format(&t->options), options_want_color(&t->options));
    tool_flush(t);
}

static void report_none(tool_session *t, const hlc_test *list, size_t count, const char *pattern)
{
    const char *name = options_tool_name(t->options.tool);
    if (count == 0) {
        diag_error_at(
            &t->diags, name,
            "there are no tests in the inputs; a test is 'test Name { input 1, 2; run Filter(); expect 3; }'");
        return;
    }
    const char **names = ARENA_ARRAY(t->arena, const char *, count);
    for (size_t i = 0; i < count; i++)
        names[i] = list[i].name;
    const char *nearest = diag_nearest(pattern, names, count);
    diag_error_at(&t->diags, name, "none of the %zu test%s is named '%s'%s%s%s", count, count == 1 ? "" : "s", pattern,
                  nearest != NULL ? "; did you mean '" : "", nearest != NULL ? nearest : "",
                  nearest != NULL ? "'?" : "");
}

static int run_all(runner *r)
{
    tool_session *t = r->session;
    const char *pattern = option_last(&t->options, OPT_TEST_NAMES);
    size_t count;
    const hlc_test *list = hlc_tests_list(r->tests, &count);
    for (size_t i = 0; i < count; i++)
        if (pattern == NULL || fnmatch(pattern, list[i].name, 0) == 0)
            run_and_tell(r, &list[i], i);
    if (r->passed + r->failed == 0)
        report_none(t, list, count, pattern);
    else
        printf("%zu passed, %zu failed\n", r->passed, r->failed);
    return r->failed == 0 ? EXIT_OK : EXIT_WRONG;
}

int unit_tests_run(tool_session *t, const driver_inputs *inputs, unit_tests_compiler *compiler)
{
    runner r = {.session = t, .inputs = inputs, .compiler = compiler};
    VEC(source_id) files = {0};
    if (!driver_check_run_options(t, MODE_EXE))
        return EXIT_USAGE;
    for (VEC_EACH(const driver_input, in, inputs)) {
        if (in->language == LANGUAGE_SIR || in->language == LANGUAGE_PLAN) {
            diag_error_at(&t->diags, options_tool_name(t->options.tool),
                          "'%s' is no StreamIt program: only these have tests", in->path);
            return EXIT_USAGE;
        }
        if (in->language != LANGUAGE_STREAMIT)
            continue;
        source_id id = tool_read(t, in->path);
        if (id == 0)
            return EXIT_WRONG;
        VEC_PUSH(t->arena, &files, id);
    }
    hlc_config config;
    driver_set_config(&config, t, inputs, MODE_SVM_C);
    r.tests = hlc_tests_read(t->arena, &t->diags, files.data, files.len, &config);
    if (r.tests == NULL)
        return EXIT_WRONG;
    tool_flush(t);
    tool_show_nothing(t);
    if (option_last(&t->options, OPT_TEST_COMPILED) == NULL)
        return run_all(&r);
    process_settings settings = {.tool = options_tool_name(t->options.tool),
                                 .verbose = option_flag(&t->options, OPT_VERBOSE, false),
                                 .keep = option_flag(&t->options, OPT_SAVE_TEMPS, false)};
    r.processes = process_open(&t->diags, &settings);
    int status = run_all(&r);
    process_close(r.processes);
    return status;
}
