// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The common parts of the tools' main functions.
#include "driver/tool.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "driver/option_table.h"
#include "driver/process.h"
#include "driver/progress.h"
#include "targets/machine.h"

// Options that name a file which the tool reads, and those that name one which it writes.
static const option_id reading[] = {
    OPT_INPUT,   OPT_MACHINE, OPT_SIM_MACHINE,  OPT_SP_MACHINE, OPT_PROFILE_USE,
    OPT_PROFILE, OPT_IN,      OPT_COMPARE_WITH, OPT_CHECK_IN,
};
static const option_id writing[] = {
    OPT_OUTPUT,    OPT_MEASURE_OUTPUT, OPT_SIM_OUTPUT, OPT_SP_REPORT,   OPT_LIBRARY_HEADER,  OPT_REPORT,  OPT_SIM_JSON,
    OPT_SIM_TRACE, OPT_SIM_GANTT,      OPT_SIM_MAPPED, OPT_PROFILE_OUT, OPT_DEPENDENCY_FILE, OPT_SP_JSON, OPT_SP_PLOT,
    OPT_SP_TRACE,  OPT_SP_VCD,         OPT_OUT,
};
enum { READING = sizeof reading / sizeof *reading, WRITING = sizeof writing / sizeof *writing };

static bool is_same(const struct stat *a, const struct stat *b)
{
    return S_ISREG(a->st_mode) && a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

// Whether two paths are of one regular file, or would be of one that is not there yet.
static bool is_same_file(arena *a, const char *one, const char *other)
{
    struct stat x, y;
    bool is_there = stat(one, &x) == 0;
    if (is_there != (stat(other, &y) == 0))
        return false;
    if (is_there)
        return is_same(&x, &y);
    const char *names[2] = {one, other};
    struct stat folders[2];
    for (int i = 0; i < 2; i++) {
        const char *path = names[i], *slash = strrchr(path, '/');
        names[i] = slash == NULL ? path : slash + 1;
        if (stat(slash == NULL ? "." : arena_strndup(a, path, (size_t)(slash + 1 - path)), &folders[i]) != 0)
            return false;
    }
    return strcmp(names[0], names[1]) == 0 && folders[0].st_dev == folders[1].st_dev &&
           folders[0].st_ino == folders[1].st_ino;
}

// As messages name it: without the '=' behind it.
static const char *option_name(arena *a, option_id id)
{
    const char *spelling = option_rows[id].spelling;
    return arena_strndup(a, spelling, strcspn(spelling, "="));
}

static bool is_read(const option *o)
{
    for (int i = 0; i < READING; i++)
        if (o->id == reading[i])
            return o->id == OPT_INPUT || strcmp(option_rows[o->id].metavariable, "FILE") == 0 ||
                   machine_is_path(o->value);
    return false;
}

// What is written is none of the files that are read, and two outputs are two files: else one would be lost.
static bool check_files(tool_session *t)
{
    const char *tool = options_tool_name(t->options.tool);
    for (int i = 0; i < WRITING; i++) {
        const char *path = option_last(&t->options, writing[i]), *other;
        if (path == NULL || strcmp(path, "-") == 0)
            continue;
        for (VEC_EACH(const option, o, &t->options.items))
            if (is_read(o) && !(o->id == OPT_IN && writing[i] == OPT_OUT) && // of these the program itself says more
                is_same_file(t->arena, path, o->value)) {
                diag_error_at(&t->diags, tool, "output '%s' would overwrite an input; name another with %s", path,
                              option_name(t->arena, writing[i]));
                return false;
            }
        for (int k = 0; k < i; k++)
            if ((other = option_last(&t->options, writing[k])) != NULL && is_same_file(t->arena, path, other)) {
                diag_error_at(&t->diags, tool, "%s and %s both write '%s'; expected a file of its own for each",
                              option_name(t->arena, writing[k]), option_name(t->arena, writing[i]), path);
                return false;
            }
    }
    return true;
}

bool tool_start(tool_session *t, option_tool which, int argc, char **argv, int *status)
{
    process_ignore_write_signals();
    arena_keep_freed();
    *t = (tool_session){.arena = arena_create_large()};
    source_set_init(&t->sources, t->arena);
    diag_init(&t->diags, t->arena, &t->sources);
    if (!options_parse(&t->options, t->arena, &t->diags, which, argc, argv)) {
        *status = tool_finish(t, EXIT_USAGE);
        return false;
    }
    if (options_answer(&t->options, status)) {
        *status = tool_finish(t, *status);
        return false;
    }
    if (!check_files(t)) {
        *status = tool_finish(t, EXIT_WRONG);
        return false;
    }
    bool long_running = option_is_for(OPT_QUIET, which);
    if (long_running && !option_flag(&t->options, OPT_QUIET, false))
        t->progress = progress_start(t->arena, options_tool_name(which));
    tool_doing(t, "working");
    return true;
}

void tool_doing(tool_session *t, const char *format, ...)
{
    va_list args;
    if (t->progress == NULL)
        return;
    va_start(args, format);
    progress_tell(t->progress, arena_vprintf(t->arena, format, args));
    va_end(args);
}

void tool_show_nothing(tool_session *t)
{
    progress_tell(t->progress, NULL);
}

source_id tool_read(tool_session *t, const char *path)
{
    source_id id = source_read(&t->sources, path);
    if (id == 0 && errno == EFBIG)
        diag_error_at(&t->diags, options_tool_name(t->options.tool), "cannot read '%s': it is larger than %u bytes",
                      path, SOURCE_MAX_BYTES);
    else if (id == 0)
        diag_error_at(&t->diags, options_tool_name(t->options.tool), "cannot read '%s': %s", path, strerror(errno));
    return id;
}

static bool is_input(const tool_session *t, const char *path)
{
    struct stat out, in;
    if (strcmp(path, "-") == 0 || stat(path, &out) != 0)
        return false;
    for (VEC_EACH(const option, o, &t->options.items))
        if (is_read(o) && stat(o->value, &in) == 0 && is_same(&in, &out))
            return true;
    for (VEC_EACH(const source_file, f, &t->sources.files)) // one that was imported
        if (f->imported.file != 0 && stat(f->name, &in) == 0 && is_same(&in, &out))
            return true;
    return false;
}

bool tool_check_folder(tool_session *t, const char *path)
{
    const char *slash = strrchr(path, '/');
    struct stat st;
    const char *folder = slash == NULL || slash == path ? NULL : arena_strndup(t->arena, path, (size_t)(slash - path));
    if (folder == NULL || (stat(folder, &st) == 0 && S_ISDIR(st.st_mode)))
        return true;
    diag_error_at(&t->diags, options_tool_name(t->options.tool), "cannot write '%s': there is no folder '%s'", path,
                  folder);
    return false;
}

bool tool_check_output(tool_session *t, const char *path)
{
    if (!is_input(t, path))
        return true;
    diag_error_at(&t->diags, options_tool_name(t->options.tool),
                  "output '%s' would overwrite an input; name another with -o", path);
    return false;
}

bool tool_write(tool_session *t, const char *path, const char *text, size_t len)
{
    const char *name = options_tool_name(t->options.tool);
    if (!tool_check_output(t, path))
        return false;
    if (strcmp(path, "-") == 0)
        progress_clear(t->progress);
    if (file_write(path, text, len))
        return true;
    if (strcmp(path, "-") == 0)
        diag_error_at(&t->diags, name, "cannot write to standard output: %s", strerror(errno));
    else
        diag_error_at(&t->diags, name, "cannot write '%s': %s", path, strerror(errno));
    return false;
}

void tool_flush(tool_session *t)
{
    for (VEC_EACH(diag_record *, r, &t->diags.records))
        if ((*r)->severity == DIAG_INTERNAL)
            t->internal_error = true;
    progress_clear(t->progress);
    fflush(stdout);
    diag_flush(&t->diags, stderr, options_diag_format(&t->options), options_want_color(&t->options));
}

int tool_finish(tool_session *t, int status)
{
    progress_stop(t->progress);
    t->progress = NULL;
    if (status == EXIT_OK && (fflush(stdout) != 0 || ferror(stdout)) && !diag_has_errors(&t->diags))
        diag_error_at(&t->diags, options_tool_name(t->options.tool), "cannot write to standard output: %s",
                      strerror(errno));
    tool_flush(t);
    if (t->internal_error)
        status = EXIT_INTERNAL;
    else if (status == EXIT_OK && diag_has_errors(&t->diags))
        status = EXIT_WRONG;
    arena_destroy(t->arena);
    return status;
}
