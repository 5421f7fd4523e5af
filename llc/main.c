// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// svm-llc: SVM C, by hand or from the high-level compiler, to whatever the target backend makes of it.
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "driver/options.h"
#include "driver/paths.h"
#include "driver/process.h"
#include "driver/tool.h"
#include "llc/llc.h"

static int run(void *context, const char *const *argv)
{
    return process_run(context, argv);
}

static const char *temporary(void *context, const char *stem, const char *suffix)
{
    return process_temporary(context, stem, suffix);
}

static llc_output output_of(const option_list *options)
{
    llc_output output = LLC_OUTPUT_EXE;
    for (VEC_EACH(const option, o, &options->items)) {
        if (o->id == OPT_COMPILE)
            output = LLC_OUTPUT_OBJ;
        else if (o->id == OPT_ASSEMBLY)
            output = LLC_OUTPUT_ASM;
        else if (o->id == OPT_SYNTAX_ONLY)
            output = LLC_OUTPUT_NONE;
        for (llc_output i = 0; o->id == OPT_EMIT_LLC && i < LLC_OUTPUT_COUNT; i++)
            if (strcmp(o->value, llc_output_text(i)) == 0)
                output = i;
    }
    return output;
}

// -MF FILE, with or without -MD; for -MD alone the output's name with ".d" for its suffix.
static const char *dependency_file(tool_session *t, const char *output)
{
    const char *file = option_last(&t->options, OPT_DEPENDENCY_FILE);
    if (!option_flag(&t->options, OPT_DEPENDENCIES, false) || file != NULL)
        return file;
    const char *name = output == NULL ? "a.out" : output;
    const char *dot = strrchr(name, '.'), *slash = strrchr(name, '/');
    bool suffix = dot != NULL && dot != name && (slash == NULL || dot > slash + 1);
    return arena_printf(t->arena, "%.*s.d", (int)(suffix ? (size_t)(dot - name) : strlen(name)), name);
}

static llc_options options_of(tool_session *t)
{
    const option_list *given = &t->options;
    const char *level = option_last(given, OPT_OPTIMIZE), *target = option_last(given, OPT_TARGET);
    llc_options o = {
        .output = output_of(given),
        .output_path = option_last(given, OPT_OUTPUT),
        .level = level == NULL ? "2" : level,
        .debug = option_flag(given, OPT_DEBUG_INFO, false),
        .march = option_last(given, OPT_MARCH),
        .backend = target == NULL ? "host" : target,
        .machine = option_last(given, OPT_MACHINE),
    };
    o.dependencies = dependency_file(t, o.output_path);
    for (VEC_EACH(const option, item, &given->items)) {
        if (item->id == OPT_INPUT)
            VEC_PUSH(t->arena, &o.inputs, item->value);
        else if (item->id == OPT_INCLUDE)
            VEC_PUSH(t->arena, &o.includes, item->value);
        else if (item->id == OPT_DEFINE)
            VEC_PUSH(t->arena, &o.defines, item->value);
    }
    return o;
}

static int compile(tool_session *t)
{
    process_settings settings = {
        .tool = options_tool_name(t->options.tool),
        .verbose = option_flag(&t->options, OPT_VERBOSE, false),
        .dry_run = option_flag(&t->options, OPT_DRY_RUN, false),
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
        .dry_run = settings.dry_run,
        .run = run,
        .temporary = temporary,
        .context = session,
    };
    int status;
    bool good = llc_compile(t->arena, &t->diags, &options, &environment, &status);
    process_close(session);
    // What clang refuses it has explained itself; anything but its plain "wrong" is a defect.
    if (status != 0)
        return status == EXIT_WRONG ? EXIT_WRONG : EXIT_INTERNAL;
    return good ? EXIT_OK : EXIT_WRONG;
}

// Compiles in a child process: clang's parser overflows its stack on texts that nest deeply through macros, and
// nothing in this process would live to say so. Gives the exit code; in the child too, which then ends. Signals that are
// to end the tool go to the child, which has the temporary files.
static int compile_guarded(tool_session *t)
{
    sigset_t waited_for, old_mask;
    process_signals(&waited_for);
    signal(SIGCHLD, SIG_DFL);
    sigprocmask(SIG_BLOCK, &waited_for, &old_mask);
    fflush(NULL);
    pid_t parent = getpid(), child = fork();
    if (child <= 0) {
        sigprocmask(SIG_SETMASK, &old_mask, NULL);
        if (child == 0)
            prctl(PR_SET_PDEATHSIG, SIGTERM);
        return child < 0 || getppid() == parent ? compile(t) : EXIT_WRONG;
    }
    int status, got;
    while (waitpid(child, &status, WNOHANG) == 0)
        if ((got = sigwaitinfo(&waited_for, NULL)) > 0 && got != SIGCHLD)
            kill(child, got);
    sigprocmask(SIG_SETMASK, &old_mask, NULL);
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    int signal_number = WTERMSIG(status);
    if (signal_number == SIGINT || signal_number == SIGTERM || signal_number == SIGHUP) {
        signal(signal_number, SIG_DFL);
        raise(signal_number);
    }
    diag_internal(&t->diags, (src_range){0},
                  "stopped by signal %d (%s) while compiling; is the text nested very deeply?", signal_number,
                  strsignal(signal_number));
    return EXIT_INTERNAL;
}

int main(int argc, char **argv)
{
    tool_session t;
    int status;
    if (!tool_start(&t, TOOL_LLC, argc, argv, &status))
        return status;
    if (option_last(&t.options, OPT_LIST_TARGETS) != NULL) {
        strbuf b;
        strbuf_init(&b, t.arena);
        llc_list_backends(&b);
        tool_write(&t, "-", b.data, b.len);
        return tool_finish(&t, EXIT_OK);
    }
    status = compile_guarded(&t);
    return tool_finish(&t, status);
}
