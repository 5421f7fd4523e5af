// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The common parts of the tools' main functions.
#include "driver/tool.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "driver/option_table.h"
#include "driver/process.h"
#include "driver/progress.h"

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
    else
        source_skip_mark(&t->sources, id);
    return id;
}

static bool is_input(const tool_session *t, const char *path)
{
    struct stat out, in;
    if (strcmp(path, "-") == 0 || stat(path, &out) != 0 || !S_ISREG(out.st_mode))
        return false;
    for (VEC_EACH(const option, o, &t->options.items))
        if (o->id == OPT_INPUT && stat(o->value, &in) == 0 && in.st_dev == out.st_dev && in.st_ino == out.st_ino)
            return true;
    for (VEC_EACH(const source_file, f, &t->sources.files)) // one that was imported
        if (f->imported.file != 0 && stat(f->name, &in) == 0 && in.st_dev == out.st_dev && in.st_ino == out.st_ino)
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
