// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// svm-characterize: measures this computer and writes a machine file.
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "characterize/characterize.h"
#include "driver/tool.h"

// Makes the folders that lead to a path, or (whole) to the folder that it names. False after an error.
static bool make_folders(tool_session *t, const char *path, bool whole)
{
    char *p = arena_strdup(t->arena, path);
    for (char *slash = p; (slash = strchr(slash + 1, '/')) != NULL || whole;) {
        if (slash != NULL)
            *slash = '\0';
        else
            whole = false;
        if (mkdir(p, 0777) != 0 && errno != EEXIST) {
            diag_error_at(&t->diags, "svm-characterize", "cannot make the folder '%s': %s", p, strerror(errno));
            return false;
        }
        if (slash == NULL)
            break;
        *slash = '/';
    }
    return true;
}

static bool check_options(tool_session *t, const native_topology *topology, settings *s)
{
    const option_list *o = &t->options;
    for (VEC_EACH(const option, given, &o->items))
        if (given->id == OPT_INPUT) {
            diag_error_at(&t->diags, "svm-characterize", "unexpected argument '%s': there is nothing to read",
                          given->value);
            return false;
        }
    s->quick = option_flag(o, OPT_QUICK, false);
    s->rounds = s->quick ? 2 : 3;
    s->repetitions = s->quick ? 3 : 9;
    s->seconds = s->quick ? 0.0005 : 0.004;
    s->processors = (size_t)option_number(o, OPT_PROCESSORS, (int64_t)topology->cores);
    if (s->processors < 1 || s->processors > 4096) {
        diag_error_at(&t->diags, "svm-characterize", "--processors=%s: expected 1 to 4096",
                      option_last(o, OPT_PROCESSORS));
        return false;
    }
    const char *width = option_last(o, OPT_SIMD_WIDTH);
    s->width = width == NULL ? (operations_have_width(32) ? 32 : 16) : (unsigned)option_number(o, OPT_SIMD_WIDTH, 0);
    if (!operations_have_width(s->width)) {
        diag_error_at(&t->diags, "svm-characterize", "this processor has no vectors of %u B", s->width);
        return false;
    }
    return true;
}

// Where the result goes; NULL after an error.
static const char *output_of(tool_session *t)
{
    const char *output = option_last(&t->options, OPT_MEASURE_OUTPUT);
    if (output != NULL)
        return output;
    if (option_flag(&t->options, OPT_MEASURE_JSON, false))
        return "-";
    output = native_path(t->arena);
    if (output == NULL)
        diag_error_at(
            &t->diags, "svm-characterize",
            "where the machine file goes is not known, for neither SVMC_NATIVE nor XDG_CONFIG_HOME nor HOME is "
            "set; expected -o FILE");
    else if (!make_folders(t, output, false))
        output = NULL;
    return output;
}

static bool draw(tool_session *t, const results *r, const char *folder)
{
    figure_list figures = results_figures(t->arena, r);
    for (VEC_EACH(const figure *, f, &figures)) {
        const char *svg = figure_svg(t->arena, *f);
        if (!tool_write(t, arena_printf(t->arena, "%s/%s.svg", folder, (*f)->file), svg, strlen(svg)))
            return false;
    }
    return true;
}

typedef struct rounds {
    tool_session *tool;
    unsigned count;
} rounds;

static void tell(void *context, unsigned round)
{
    const rounds *r = context;
    tool_doing(r->tool, "measuring: round %u of %u", round + 1, r->count);
}

static int run(tool_session *t)
{
    results r = {0};
    rounds all = {.tool = t};
    if (!native_read_topology(t->arena, &t->diags, &r.topology))
        return EXIT_WRONG;
    if (!check_options(t, &r.topology, &r.settings))
        return EXIT_USAGE;
    const char *output = output_of(t), *folder = option_last(&t->options, OPT_PLOT);
    if (output == NULL || (folder != NULL && !make_folders(t, folder, true)))
        return EXIT_WRONG;
    all.count = r.settings.rounds;
    r.settings.tell = tell;
    r.settings.context = &all;
    if (!measure_all(t->arena, &t->diags, &r))
        return EXIT_WRONG;
    const char *text =
        option_flag(&t->options, OPT_MEASURE_JSON, false) ? results_json(t->arena, &r) : describe(t->arena, &r);
    if (!tool_write(t, output, text, strlen(text)) || (folder != NULL && !draw(t, &r, folder)))
        return EXIT_WRONG;
    return EXIT_OK;
}

int main(int argc, char **argv)
{
    tool_session t;
    int status;
    if (!tool_start(&t, TOOL_CHARACTERIZE, argc, argv, &status))
        return status;
    return tool_finish(&t, run(&t));
}
