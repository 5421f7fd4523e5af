// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --report: compiles the program once more, with its files sent to a temporary folder, simulates what comes out, and
// makes the page.
#include "driver/report.h"

#include <string.h>
#include <time.h>

#include "driver/option_table.h"
#include "driver/paths.h"
#include "targets/machine.h"

// Rounds that are simulated: the first ones fill the pipeline. And steady states at least, as charts of two are dull.
enum { REPORT_ROUNDS = 12, REPORT_STEADY_STATES = 16 };
// Programs that take longer than so many seconds to simulate once are not simulated again and again.
enum { REPORT_SECONDS = 30 };

// The command line, as whoever reads the page would type it.
static const char *command_line(tool_session *t)
{
    strbuf b;
    strbuf_init(&b, t->arena);
    strbuf_add(&b, options_tool_name(t->options.tool));
    for (VEC_EACH(const option, o, &t->options.items)) {
        if (t->options.given != 0 && (size_t)(o - t->options.items.data) >= t->options.given)
            break;
        const option_row *row = &option_rows[o->id];
        const char *slash = o->value == NULL ? NULL : strrchr(o->value, '/');
        if (o->id == OPT_INPUT || o->id == OPT_REPORT)
            strbuf_printf(&b, " %s%s", o->id == OPT_INPUT ? "" : row->spelling, slash == NULL ? o->value : slash + 1);
        else if (row->kind == OPTION_BOOLEAN && !o->on)
            strbuf_printf(&b, " %s", option_negative(t->arena, row));
        else
            strbuf_printf(&b, " %s%s", row->spelling, o->value == NULL ? "" : o->value);
    }
    return b.data;
}

// The folder of the session's temporary files.
static const char *temporary_folder(arena *a, const char *file)
{
    const char *slash = strrchr(file, '/');
    return slash == NULL ? "." : arena_strndup(a, file, (size_t)(slash - file));
}

static const char *compile_text(tool_session *t, const driver_inputs *inputs, hlc_report *plan, hlc_natives *natives,
                                bool quiet)
{
    bool remarks = t->diags.remarks, no_warnings = t->diags.no_warnings;
    t->diags.remarks = remarks && !quiet;
    t->diags.no_warnings = no_warnings || quiet;
    const char *text = driver_compile_report(t, inputs, MODE_SVM_C, natives, NULL, NULL, plan);
    t->diags.remarks = remarks;
    t->diags.no_warnings = no_warnings;
    return text;
}

static bool simulate(const report_trial *trial, const char *name, const hlc_natives *natives, report_page *page)
{
    tool_doing(trial->tool, "reporting: simulating");
    if (natives->len == 0)
        return report_simulate(trial, name, true, &page->run, &page->failure);
    page->failure = arena_printf(trial->tool->arena,
                                 "it calls the native function '%s', which only the program has that "
                                 "is linked with it",
                                 natives->data[0].name);
    return false;
}

static bool make_page(tool_session *t, process_session *s, const driver_inputs *inputs, report_page *page,
                      hlc_report *plan, bool quiet)
{
    const char *program = process_temporary(s, driver_stem(t->arena, inputs->data[0].path), ".svm.c");
    if (program == NULL)
        return false;
    plan->folder = temporary_folder(t->arena, program);
    hlc_natives natives = {0};
    const char *text = compile_text(t, inputs, plan, &natives, quiet);
    if (text == NULL || !tool_write(t, program, text, strlen(text)))
        return false;
    tool_flush(t);
    const char *name = option_last(&t->options, OPT_MACHINE);
    name = name == NULL ? "host" : name;
    page->steady_states = plan->round * REPORT_ROUNDS;
    if (page->steady_states < REPORT_STEADY_STATES)
        page->steady_states = REPORT_STEADY_STATES;
    const report_trial trial = {t, s, plan, program, page->steady_states, NULL};
    time_t start = time(NULL);
    if (!simulate(&trial, name, &natives, page)) {
        diag_warning(&t->diags, WARN_REPORT, (src_range){0}, "the report has no simulated run: %s", page->failure);
        return true;
    }
    if (difftime(time(NULL), start) > REPORT_SECONDS) {
        diag_warning(&t->diags, WARN_REPORT, (src_range){0},
                     "the report does not tell what would relieve the program: simulating it once takes longer than %d "
                     "seconds",
                     REPORT_SECONDS);
        return true;
    }
    const machine *m =
        machine_find(t->arena, &t->diags, paths_installed(t->arena, "share/svmc/machines"), name, (src_range){0});
    if (m != NULL)
        report_try_changes(&trial, m, page);
    return m != NULL;
}

int report_write(tool_session *t, const driver_inputs *inputs, const char *path, bool quiet)
{
    process_settings settings = {.tool = options_tool_name(t->options.tool),
                                 .verbose = option_flag(&t->options, OPT_VERBOSE, false),
                                 .keep = option_flag(&t->options, OPT_SAVE_TEMPS, false)};
    hlc_report plan = {0};
    report_page page = {.plan = &plan, .command = command_line(t)};
    process_session *s = process_open(&t->diags, &settings);
    bool ok = make_page(t, s, inputs, &page, &plan, quiet);
    process_close(s);
    if (!ok)
        return EXIT_WRONG;
    strbuf b;
    strbuf_init(&b, t->arena);
    report_print(&b, &page);
    return tool_write(t, path, b.data, b.len) ? EXIT_OK : EXIT_WRONG;
}
