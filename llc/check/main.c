// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// svm-check: tells what is wrong with SVM C that somebody else wrote, by reading it and, if wanted, by running it.
#include <string.h>
#include <unistd.h>

#include "driver/guard.h"
#include "driver/paths.h"
#include "driver/process.h"
#include "llc/check/check.h"

static int run(void *context, const char *const *argv)
{
    return process_run(context, argv);
}

static const char *temporary(void *context, const char *stem, const char *suffix)
{
    return process_temporary(context, stem, suffix);
}

static llc_options options_of(tool_session *t)
{
    llc_options o = {.output = LLC_OUTPUT_NONE, .level = "2", .backend = "host"};
    o.machine = option_last(&t->options, OPT_MACHINE);
    for (VEC_EACH(const option, item, &t->options.items)) {
        if (item->id == OPT_INPUT)
            VEC_PUSH(t->arena, &o.inputs, item->value);
        else if (item->id == OPT_INCLUDE)
            VEC_PUSH(t->arena, &o.includes, item->value);
        else if (item->id == OPT_DEFINE)
            VEC_PUSH(t->arena, &o.defines, item->value);
    }
    return o;
}

// sim where there is one, with its runtime.
static const char *default_target(arena *a)
{
    const char *library = arena_printf(a, "%s/libsvm-sim.a", paths_installed(a, "lib"));
    if (access(library, R_OK) != 0)
        return "host";
    strbuf b;
    strbuf_init(&b, a);
    llc_list_backends(&b);
    for (const char *line = b.data; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, "sim ", 4) == 0)
            return "sim";
    }
    return "host";
}

static check_run run_options(tool_session *t)
{
    check_run r = {.target = option_last(&t->options, OPT_CHECK_TARGET),
                   .input = option_last(&t->options, OPT_CHECK_IN),
                   .seconds = (double)option_number(&t->options, OPT_TIME_LIMIT, 10),
                   .orders = (uint64_t)option_number(&t->options, OPT_CHECK_ORDERS, 0)};
    if (r.target == NULL)
        r.target = default_target(t->arena);
    for (VEC_EACH(const option, item, &t->options.items))
        if (item->id == OPT_CHECK_ARGUMENT)
            VEC_PUSH(t->arena, &r.arguments, item->value);
    return r;
}

static int check(tool_session *t)
{
    process_settings settings = {
        .tool = options_tool_name(t->options.tool),
        .verbose = option_flag(&t->options, OPT_VERBOSE, false),
        .keep = option_flag(&t->options, OPT_SAVE_TEMPS, false),
    };
    llc_options options = options_of(t);
    if (options.inputs.len == 0) {
        diag_error_at(&t->diags, settings.tool, "no input files");
        return EXIT_USAGE;
    }
    process_session *session = process_open(&t->diags, &settings);
    llc_environment environment = {
        .clang = paths_clang(t->arena),
        .include_directory = paths_installed(t->arena, "include"),
        .library_directory = paths_installed(t->arena, "lib"),
        .machine_directory = paths_installed(t->arena, "share/svmc/machines"),
        .run = run,
        .temporary = temporary,
        .context = session,
    };
    int status = 0;
    bool good = check_files(t->arena, &t->diags, &options, &environment) && t->diags.warning_count == 0;
    check_run how = run_options(t);
    if (good && (option_flag(&t->options, OPT_CHECK_RUN, false) || how.orders > 0)) {
        good = check_by_running(t->arena, &t->diags, &options, &environment, &how, &status);
    }
    process_close(session);
    if (status != 0 && status != EXIT_WRONG)
        return EXIT_INTERNAL;
    return good && t->diags.warning_count == 0 ? EXIT_OK : EXIT_WRONG;
}

int main(int argc, char **argv)
{
    tool_session t;
    int status;
    if (!tool_start(&t, TOOL_CHECK, argc, argv, &status))
        return status;
    status = guard_run(&t, check, "checking");
    return tool_finish(&t, status);
}
