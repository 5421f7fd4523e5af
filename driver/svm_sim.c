// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// svm-sim: predicts the time of stream programs. A task graph runs on the engine here; SVM C is compiled by svm-llc for
// the simulating runtime, which has the engine too, and run.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver/compare.h"
#include "driver/option_table.h"
#include "driver/paths.h"
#include "driver/process.h"
#include "driver/tool.h"
#include "hlc/taskmap/taskmap.h"
#include "sim/graph.h"

typedef VEC(const char *) argument_list;

static bool ends_in(const char *s, const char *suffix)
{
    size_t n = strlen(s), m = strlen(suffix);
    return n >= m && strcmp(s + n - m, suffix) == 0;
}

static bool usage_error(tool_session *t, const char *text)
{
    diag_error_at(&t->diags, options_tool_name(t->options.tool), "%s", text);
    return false;
}

// Options of the other kind of input are errors. False after one.
static bool check_options(tool_session *t, bool is_graph)
{
    static const option_id graphs[] = {OPT_SIM_ITERATIONS, OPT_SIM_SEARCH},
                           programs[] = {OPT_COSTS,        OPT_PROFILE,     OPT_PROFILE_OUT, OPT_COMPARE,
                                         OPT_COMPARE_WITH, OPT_ADVERSARY,   OPT_INCLUDE,     OPT_DEFINE,
                                         OPT_LINK_LIBRARY, OPT_LINK_FOLDER, OPT_LINKER,      OPT_PTHREAD};
    const option_id *wrong = is_graph ? programs : graphs;
    size_t n = is_graph ? sizeof programs / sizeof *programs : sizeof graphs / sizeof *graphs;
    for (size_t i = 0; i < n; i++)
        if (option_last(&t->options, wrong[i]) != NULL)
            return usage_error(
                t, arena_printf(t->arena, "option '%.*s' is for %s", (int)strcspn(option_rows[wrong[i]].spelling, "="),
                                option_rows[wrong[i]].spelling,
                                is_graph ? "programs, not for task graphs" : "task graphs, not for programs"));
    static const option_id searches[] = {OPT_SIM_SPLIT, OPT_SIM_MAPPED, OPT_SIM_PROCESSORS, OPT_SEED};
    for (size_t i = 0; i < sizeof searches / sizeof *searches; i++)
        if (option_last(&t->options, searches[i]) != NULL && option_last(&t->options, OPT_SIM_SEARCH) == NULL)
            return usage_error(t, arena_printf(t->arena, "option '%.*s' needs '--search=SECONDS'",
                                               (int)strcspn(option_rows[searches[i]].spelling, "="),
                                               option_rows[searches[i]].spelling));
    if (option_flag(&t->options, OPT_COMPARE, false) && option_last(&t->options, OPT_COMPARE_WITH) != NULL)
        return usage_error(t, "options '--compare' and '--compare=FILE' exclude each other");
    const char *costs = option_last(&t->options, OPT_COSTS);
    if (costs != NULL && strcmp(costs, "profile") == 0 && option_last(&t->options, OPT_PROFILE) == NULL)
        return usage_error(t, "option '--costs=profile' needs '--profile=FILE'");
    return true;
}

// ---- Task graphs ----

typedef void writer(sim *s, const sim_report *r, const char *title, strbuf *out);

static void write_text(sim *s, const sim_report *r, const char *title, strbuf *out)
{
    (void)s, (void)title;
    sim_report_text(r, out);
}

static void write_json(sim *s, const sim_report *r, const char *title, strbuf *out)
{
    (void)s, (void)title;
    sim_report_json(r, out);
}

static void write_trace(sim *s, const sim_report *r, const char *title, strbuf *out)
{
    (void)r, (void)title;
    sim_trace_json(s, out);
}

static void write_gantt(sim *s, const sim_report *r, const char *title, strbuf *out)
{
    (void)r;
    sim_trace_gantt(s, title, out);
}

static void write_outputs(tool_session *t, sim *s, const graph *g, const taskmap_result *found)
{
    static const struct {
        option_id id;
        writer *write;
    } outputs[] = {{OPT_SIM_OUTPUT, write_text},
                   {OPT_SIM_JSON, write_json},
                   {OPT_SIM_TRACE, write_trace},
                   {OPT_SIM_GANTT, write_gantt}};
    const sim_report *r = sim_make_report(s, t->arena, g->name);
    const char *title = arena_printf(t->arena, "%s on %s", g->name, sim_machine(s)->name);
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
        const char *path = option_last(&t->options, outputs[i].id);
        if (path == NULL && outputs[i].id != OPT_SIM_OUTPUT)
            continue;
        strbuf b;
        strbuf_init(&b, t->arena);
        if (found != NULL && outputs[i].id == OPT_SIM_OUTPUT)
            taskmap_print_history(found, &b);
        outputs[i].write(s, r, title, &b);
        tool_write(t, path == NULL ? "-" : path, b.data, b.len);
    }
}

// The graph that the search finds instead of the one given; NULL after an error.
static taskmap_result *search_mapping(tool_session *t, const graph *g, const machine *m)
{
    taskmap_options o = {.seconds = (double)option_number(&t->options, OPT_SIM_SEARCH, 0),
                         .seed = (uint64_t)option_number(&t->options, OPT_SEED, 1),
                         .processors = (uint64_t)option_number(&t->options, OPT_SIM_PROCESSORS, 0),
                         .split = option_flag(&t->options, OPT_SIM_SPLIT, false)};
    if (o.seconds == 0) {
        usage_error(t, "option '--search' asks for 0 seconds; at least 1 is expected");
        return NULL;
    }
    taskmap_result *r = taskmap_search(t->arena, &t->diags, g, m, &o);
    const char *path = option_last(&t->options, OPT_SIM_MAPPED);
    if (r != NULL && path != NULL) {
        strbuf b;
        strbuf_init(&b, t->arena);
        taskmap_print_graph(r, m, &b);
        tool_write(t, path, b.data, b.len);
    }
    return r;
}

static int simulate_graph(tool_session *t, const char *path)
{
    source_id file = tool_read(t, path);
    graph *g = file == 0 ? NULL : graph_parse(t->arena, &t->diags, file);
    if (g == NULL)
        return EXIT_WRONG;
    const char *name = option_last(&t->options, OPT_SIM_MACHINE);
    src_range used_at = name == NULL ? g->machine_range : (src_range){0};
    if (name == NULL)
        name = g->machine_name;
    if (name == NULL) {
        diag_error_at(&t->diags, path, "the task graph names no machine; add 'machine: NAME' or use --machine=NAME");
        return EXIT_WRONG;
    }
    const machine *m =
        machine_find(t->arena, &t->diags, paths_installed(t->arena, "share/svmc/machines"), name, used_at);
    if (m == NULL)
        return EXIT_WRONG;
    taskmap_result *found = NULL;
    if (option_last(&t->options, OPT_SIM_SEARCH) != NULL) {
        tool_doing(t, "searching mappings, for %s s", option_last(&t->options, OPT_SIM_SEARCH));
        found = search_mapping(t, g, m);
        if (found == NULL)
            return EXIT_WRONG;
        g = found->graph;
    }
    if (!graph_bind(g, &t->diags, m))
        return EXIT_WRONG;
    bool trace = option_last(&t->options, OPT_SIM_TRACE) != NULL || option_last(&t->options, OPT_SIM_GANTT) != NULL;
    sim *s = sim_create(t->arena, m, &(sim_options){.trace_limit = trace ? SIM_TRACE_LIMIT : 0});
    int64_t iterations = option_number(&t->options, OPT_SIM_ITERATIONS, (int64_t)g->iterations);
    if (iterations == 0) {
        usage_error(t, "option '--iterations' asks for 0 iterations; at least 1 is expected");
        return EXIT_USAGE;
    }
    bool ok = graph_run(g, &t->diags, s, (uint64_t)iterations, NULL);
    if (sim_now(s) > 0) // after a deadlock the report shows how far it came
        write_outputs(t, s, g, found);
    return ok ? EXIT_OK : EXIT_WRONG;
}

// ---- Programs ----

// What svm-llc is called with: this tool's options that it has too, the program and where it goes.
static const char *const *llc_command(tool_session *t, const char *target, const char *program, const char *output)
{
    arena *a = t->arena;
    argument_list argv = {0};
    VEC_PUSH(a, &argv, paths_installed(a, "bin/svm-llc"));
    VEC_PUSH(a, &argv, arena_printf(a, "--target=%s", target));
    for (VEC_EACH(const option, o, &t->options.items)) {
        if (o->id == OPT_SIM_MACHINE)
            VEC_PUSH(a, &argv, arena_printf(a, "--machine=%s", o->value));
        else if (o->id != OPT_INPUT && o->id != OPT_DRY_RUN && option_is_for(o->id, TOOL_LLC))
            VEC_PUSH(a, &argv, arena_printf(a, "%s%s", option_rows[o->id].spelling, o->value == NULL ? "" : o->value));
    }
    VEC_PUSH(a, &argv, "-o");
    VEC_PUSH(a, &argv, output);
    VEC_PUSH(a, &argv, program);
    VEC_PUSH(a, &argv, NULL);
    return argv.data;
}

// The runtime reads what it is to write from the environment.
static void set_environment(tool_session *t, const char *report)
{
    static const struct {
        option_id id;
        const char *variable;
    } rows[] = {{OPT_SIM_JSON, "SVM_SIM_JSON"},       {OPT_SIM_TRACE, "SVM_SIM_TRACE"},
                {OPT_SIM_GANTT, "SVM_SIM_GANTT"},     {OPT_COSTS, "SVM_SIM_COSTS"},
                {OPT_PROFILE, "SVM_SIM_PROFILE"},     {OPT_PROFILE_OUT, "SVM_SIM_PROFILE_OUT"},
                {OPT_COMPARE_WITH, "SVM_SIM_COMPARE"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *value = option_last(&t->options, rows[i].id);
        if (value != NULL)
            setenv(rows[i].variable, value, 1);
        else
            unsetenv(rows[i].variable);
    }
    const char *seed = option_last(&t->options, OPT_ADVERSARY);
    if (seed != NULL)
        setenv("SVM_ADVERSARY", seed, 1);
    setenv("SVM_SIM_REPORT", report, 1);
}

static bool print_report(tool_session *t, const char *path)
{
    const char *output = option_last(&t->options, OPT_SIM_OUTPUT);
    char *text;
    size_t len;
    if (!file_read(t->arena, path, &text, &len)) {
        diag_error_at(&t->diags, options_tool_name(t->options.tool), "the program left no report: %s", strerror(errno));
        return false;
    }
    if (output != NULL)
        return tool_write(t, output, text, len);
    fflush(stdout);
    return fwrite(text, 1, len, stderr) == len;
}

static int simulate_program(tool_session *t, const char *path, const argument_list *arguments)
{
    process_settings settings = {.tool = options_tool_name(t->options.tool),
                                 .verbose = option_flag(&t->options, OPT_VERBOSE, false),
                                 .dry_run = option_flag(&t->options, OPT_DRY_RUN, false),
                                 .keep = option_flag(&t->options, OPT_SAVE_TEMPS, false)};
    tool_flush(t);
    process_session *s = process_open(&t->diags, &settings);
    const char *base = strrchr(path, '/') == NULL ? path : strrchr(path, '/') + 1;
    const char *stem = arena_strndup(t->arena, base, strcspn(base, "."));
    const char *program = process_temporary(s, stem, ""), *report = process_temporary(s, stem, ".report");
    int status = program == NULL || report == NULL ? EXIT_WRONG : process_run(s, llc_command(t, "sim", path, program));
    argument_list argv = {0};
    if (status == EXIT_OK) {
        VEC_PUSH(t->arena, &argv, strchr(program, '/') == NULL ? arena_printf(t->arena, "./%s", program) : program);
        for (VEC_EACH(const char *, argument, arguments))
            VEC_PUSH(t->arena, &argv, *argument);
        VEC_PUSH(t->arena, &argv, NULL);
    }
    compare_run measured = {0};
    if (status == EXIT_OK && option_flag(&t->options, OPT_COMPARE, false)) {
        const char *native = process_temporary(s, stem, "");
        tool_doing(t, "measuring");
        status = native == NULL ? EXIT_WRONG : process_run(s, llc_command(t, "host", path, native));
        if (status == EXIT_OK)
            status = compare_measure(s, native, argv.data, option_last(&t->options, OPT_SIM_TRACE) != NULL, &measured);
    }
    if (status == EXIT_OK) {
        set_environment(t, report);
        if (measured.profile != NULL)
            setenv("SVM_SIM_COMPARE", measured.profile, 1);
        tool_doing(t, "simulating");
        if (isatty(STDOUT_FILENO)) // the program writes there
            tool_show_nothing(t);
        status = process_run_limited(s, argv.data, &(process_limits){.program = true});
        if (!settings.dry_run && status == EXIT_OK && !print_report(t, report)) // after an error times mean nothing
            status = EXIT_WRONG;
        if (!settings.dry_run && status == EXIT_OK && measured.timeline != NULL &&
            !compare_join_timelines(t, option_last(&t->options, OPT_SIM_TRACE), measured.timeline))
            status = EXIT_WRONG;
    }
    process_close(s);
    return status;
}

// ---- The tool ----

static int simulate(tool_session *t)
{
    const char *input = NULL;
    argument_list arguments = {0};
    for (VEC_EACH(const option, o, &t->options.items)) {
        if (o->id != OPT_INPUT)
            continue;
        if (input != NULL)
            VEC_PUSH(t->arena, &arguments, o->value);
        else
            input = o->value;
    }
    if (input == NULL) {
        usage_error(t, "no input file; 'svm-sim --help' says how it is used");
        return EXIT_USAGE;
    }
    bool is_graph = ends_in(input, ".yaml") || ends_in(input, ".yml") || strcmp(input, "-") == 0;
    if (!is_graph && !ends_in(input, ".c")) {
        usage_error(t,
                    arena_printf(t->arena, "'%s' is neither a task graph (.yaml) nor a program in SVM C (.c)", input));
        return EXIT_USAGE;
    }
    if (!check_options(t, is_graph))
        return EXIT_USAGE;
    if (is_graph && arguments.len > 0) {
        usage_error(t, arena_printf(t->arena, "unexpected argument '%s': a task graph takes none", arguments.data[0]));
        return EXIT_USAGE;
    }
    return is_graph ? simulate_graph(t, input) : simulate_program(t, input, &arguments);
}

int main(int argc, char **argv)
{
    tool_session t;
    int status;
    if (!tool_start(&t, TOOL_SIM, argc, argv, &status))
        return status;
    return tool_finish(&t, simulate(&t));
}
