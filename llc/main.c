// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// svm-llc: SVM C, by hand or from the high-level compiler, to whatever the target backend makes of it.
#include <stdlib.h>
#include <string.h>

#include "driver/guard.h"
#include "driver/option_table.h"
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
    const char *c_level = option_last(given, OPT_C_LEVEL);
    const char *fp = option_last(given, OPT_FP);
    llc_options o = {
        .output = output_of(given),
        .output_path = option_last(given, OPT_OUTPUT),
        .level = c_level != NULL ? c_level
                 : level == NULL ? "2"
                                 : level,
        .debug = option_flag(given, OPT_DEBUG_INFO, false),
        .time_report = option_flag(given, OPT_TIME_REPORT, false) ? stderr : NULL,
        .no_exports = !option_flag(given, OPT_EXPORTS, true),
        .header = option_last(given, OPT_LIBRARY_HEADER),
        .march = option_last(given, OPT_MARCH),
        .target_fp = fp != NULL && strcmp(fp, "target") == 0,
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
        else if (option_rows[item->id].group == GROUP_LINK)
            VEC_PUSH(
                t->arena, &o.link,
                arena_printf(t->arena, "%s%s", option_rows[item->id].spelling, item->value == NULL ? "" : item->value));
    }
    return o;
}

// svmc gives its children a folder of its own for temporary files, where what it has emitted is too (driver/process.h).
static const char *passing_folder(arena *a)
{
    const char *folder = getenv("TMPDIR"), *last = folder == NULL ? NULL : strrchr(folder, '/');
    return last != NULL && strncmp(last, "/svmc-", 6) == 0 ? arena_printf(a, "%s/", folder) : NULL;
}

// An error in a text that nobody has seen says how it can be.
static void explain_passing(tool_session *t)
{
    for (size_t i = t->diags.records.len; i-- > 0;) {
        diag_record *r = t->diags.records.data[i];
        if (r->severity < DIAG_ERROR || !source_passes(&t->sources, r->range.file))
            continue;
        diag_add_note(&t->diags, r, (src_range){0},
                      "'%s' is what svmc has made of the program; with --save-temps it stays in the current folder",
                      source_shown(&t->sources, r->range.file));
        return;
    }
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
    if (options.output_path != NULL && !tool_check_folder(t, options.output_path))
        return EXIT_WRONG;
    t->sources.passing = passing_folder(t->arena);
    process_session *session = process_open(&t->diags, &settings);
    llc_environment environment = {
        .clang = paths_clang(t->arena),
        .linker = paths_linker(t->arena),
        .linker_choice = paths_linker_choice(),
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
    explain_passing(t);
    // What clang refuses it has explained itself; anything but its plain "wrong" is a defect.
    if (status != 0)
        return status == EXIT_WRONG ? EXIT_WRONG : EXIT_INTERNAL;
    return good ? EXIT_OK : EXIT_WRONG;
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
    // svmc is there to tell if this process crashes, and one process fewer is faster.
    status = passing_folder(t.arena) != NULL ? compile(&t) : guard_run(&t, compile, "compiling");
    return tool_finish(&t, status);
}
