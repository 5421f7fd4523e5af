// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// svm-spsim: runs a program of the soft processor over a domain, cycle by cycle or for its results alone.
#include <stdlib.h>
#include <string.h>

#include "driver/softproc_run.h"

static bool usage_error(tool_session *t, const char *text)
{
    diag_error_at(&t->diags, options_tool_name(t->options.tool), "%s", text);
    return false;
}

static bool read_trace_cycles(tool_session *t, softproc_trace *trace)
{
    const char *text = option_last(&t->options, OPT_SP_TRACE_CYCLES);
    *trace = (softproc_trace){.arena = t->arena, .from = 0, .to = 20000};
    if (text == NULL)
        return true;
    char *end;
    trace->from = strtoull(text, &end, 10);
    bool ok = end != text && *text != '-' && end[0] == '.' && end[1] == '.';
    const char *rest = end + 2;
    if (ok) {
        trace->to = strtoull(rest, &end, 10);
        ok = end != rest && *rest != '-' && *end == '\0' && trace->to > trace->from;
    }
    return ok || usage_error(
                     t, arena_printf(t->arena, "'--trace-cycles=%s': expected FROM..TO, two numbers of cycles", text));
}

static bool wants_trace(const tool_session *t)
{
    return option_last(&t->options, OPT_SP_TRACE) != NULL || option_last(&t->options, OPT_SP_VCD) != NULL;
}

static bool write_to(tool_session *t, option_id id, const strbuf *b)
{
    const char *path = option_last(&t->options, id);
    return path == NULL || tool_write(t, path, b->data, b->len);
}

static void write_traces(tool_session *t, softproc_trace *trace, const svm_SpParameters *p)
{
    strbuf b;
    if (trace->cut)
        diag_error_at(&t->diags, options_tool_name(t->options.tool),
                      "the trace has too many events; --trace-cycles shows a shorter part");
    if (option_last(&t->options, OPT_SP_TRACE) != NULL) {
        strbuf_init(&b, t->arena);
        softproc_trace_chrome(trace, p, &b);
        write_to(t, OPT_SP_TRACE, &b);
    }
    if (option_last(&t->options, OPT_SP_VCD) != NULL) {
        strbuf_init(&b, t->arena);
        softproc_trace_vcd(trace, p, &b);
        write_to(t, OPT_SP_VCD, &b);
    }
}

static void write_reports(tool_session *t, const softproc_result_list *results, const char *name)
{
    strbuf b;
    strbuf_init(&b, t->arena);
    softproc_report(results, name, &b);
    const char *output = option_last(&t->options, OPT_SP_REPORT);
    tool_write(t, output == NULL ? "-" : output, b.data, b.len);
    if (option_last(&t->options, OPT_SP_JSON) != NULL) {
        strbuf_init(&b, t->arena);
        softproc_report_json(results, name, &b);
        write_to(t, OPT_SP_JSON, &b);
    }
    if (option_last(&t->options, OPT_SP_PLOT) != NULL) {
        strbuf_init(&b, t->arena);
        softproc_plot(results, name, &b);
        write_to(t, OPT_SP_PLOT, &b);
    }
}

static bool run_once(softproc_run *r, const svm_SpParameters *p, const char *label, softproc_result_list *results)
{
    softproc_result result = {.label = label, .parameters = *p, .facts = softproc_facts(r, p)};
    if (!softproc_execute(r, p, &result.results, NULL))
        return false;
    VEC_PUSH(r->tool->arena, results, result);
    return true;
}

static bool run_sweep(softproc_run *r, const svm_SpParameters *p, const char *sweep, softproc_result_list *results)
{
    const char *key;
    softproc_values values = {0};
    tool_session *t = r->tool;
    if (!softproc_sweep(t, sweep, &key, &values))
        return false;
    for (VEC_EACH(const char *, value, &values)) {
        svm_SpParameters one = *p;
        if (!softproc_set(t, &one, key, *value))
            return false;
        const char *wrong = sp_check_parameters(&one);
        if (wrong != NULL)
            return usage_error(t, wrong);
        if (!run_once(r, &one, arena_printf(t->arena, "%s=%s", key, *value), results))
            return false;
    }
    return true;
}

static int run_functional(softproc_run *r, const svm_SpParameters *p)
{
    svm_SpCounters counters = {0};
    tool_session *t = r->tool;
    if (wants_trace(t) || option_last(&t->options, OPT_SP_SWEEP) != NULL ||
        option_last(&t->options, OPT_SP_PLOT) != NULL || option_last(&t->options, OPT_SP_JSON) != NULL) {
        usage_error(t, "--functional has no time: no sweep, no JSON statistics, no traces");
        return EXIT_USAGE;
    }
    if (!softproc_execute(r, p, NULL, &counters) || !softproc_write_outputs(r))
        return EXIT_WRONG;
    strbuf b;
    strbuf_init(&b, t->arena);
    softproc_report_functional(r, &counters, &b);
    const char *output = option_last(&t->options, OPT_SP_REPORT);
    tool_write(t, output == NULL ? "-" : output, b.data, b.len);
    return EXIT_OK;
}

static int run(softproc_run *r, const svm_SpParameters *p, const char *path)
{
    softproc_trace trace;
    softproc_result_list results = {0};
    tool_session *t = r->tool;
    const char *sweep = option_last(&t->options, OPT_SP_SWEEP);
    if (r->functional)
        return run_functional(r, p);
    if (!read_trace_cycles(t, &trace))
        return EXIT_USAGE;
    if (wants_trace(t)) {
        if (sweep != NULL) {
            usage_error(t, "a trace shows one run; leave out --sweep");
            return EXIT_USAGE;
        }
        r->options.trace = softproc_trace_event;
        r->options.user = &trace;
    }
    bool ok = sweep != NULL ? run_sweep(r, p, sweep, &results) : run_once(r, p, NULL, &results);
    write_traces(t, &trace, p);
    if (results.len > 0)
        write_reports(t, &results, path);
    return ok && softproc_write_outputs(r) ? EXIT_OK : EXIT_WRONG;
}

static int print_parameters(tool_session *t, const svm_SpParameters *p)
{
    strbuf b;
    strbuf_init(&b, t->arena);
    const char *machine = option_last(&t->options, OPT_SP_MACHINE), *output = option_last(&t->options, OPT_SP_REPORT);
    softproc_print_parameters(p, machine == NULL ? "xd1000" : machine, &b);
    tool_write(t, output == NULL ? "-" : output, b.data, b.len);
    return EXIT_OK;
}

int main(int argc, char **argv)
{
    tool_session t;
    int status;
    svm_SpParameters p;
    if (!tool_start(&t, TOOL_SPSIM, argc, argv, &status))
        return status;
    if (!softproc_parameters(&t, &p))
        return tool_finish(&t, EXIT_USAGE);
    if (option_last(&t.options, OPT_SP_PRINT_PARAMETERS) != NULL)
        return tool_finish(&t, print_parameters(&t, &p));
    const char *path = softproc_input(&t);
    if (path == NULL)
        return tool_finish(&t, EXIT_USAGE);
    softproc_run r = {.tool = &t};
    const char *base = strrchr(path, '/') == NULL ? path : strrchr(path, '/') + 1;
    status = softproc_prepare(&r, path) ? run(&r, &p, base) : EXIT_WRONG;
    softproc_release(&r);
    return tool_finish(&t, status);
}
