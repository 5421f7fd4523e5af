// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fuzz target: any bytes as a task graph give a run whose reports print, or errors. Runs end after some events.
#include "sim/graph.h"
#include "test/fuzz/fuzz.h"

enum { MOST_EVENTS = 20000, ITERATIONS = 5 };

// libfyaml 0.7.12 leaks a little of the texts that it refuses.
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}

static const machine *cell(void)
{
    static fuzz_session session;
    static const machine *m;
    if (m == NULL) {
        fuzz_begin(&session);
        m = machine_find(session.arena, &session.diags, SVMC_MACHINES, "cell-qs20", (src_range){0});
        if (m == NULL)
            fuzz_fail(&session, "machine cell-qs20 does not load", NULL, NULL);
    }
    return m;
}

static void run(fuzz_session *s, const graph *g)
{
    const sim_options options = {.trace_limit = 1000, .event_limit = MOST_EVENTS};
    sim *engine = sim_create(s->arena, cell(), &options);
    size_t before = s->diags.error_count;
    if (graph_run(g, &s->diags, engine, ITERATIONS, NULL) == (s->diags.error_count > before))
        fuzz_fail(s, "no success without an error, or both", NULL, NULL);
    const sim_report *report = sim_make_report(engine, s->arena, g->name);
    strbuf out;
    strbuf_init(&out, s->arena);
    sim_report_text(report, &out);
    sim_report_json(report, &out);
    sim_trace_json(engine, &out);
    sim_trace_gantt(engine, g->name, &out);
    for (VEC_EACH(const sim_processor_row, p, &report->processors))
        if (p->work + p->overhead + p->waiting > 1.0001)
            fuzz_fail(s, "a processor is busy more than all the time", out.data, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_session s;
    fuzz_begin(&s);
    graph *g = graph_parse(s.arena, &s.diags, fuzz_source(&s, "fuzz.yaml", data, size));
    if ((g == NULL) != diag_has_errors(&s.diags))
        fuzz_fail(&s, "no graph without an error, or both", NULL, NULL);
    if (g != NULL) {
        if (graph_bind(g, &s.diags, cell()))
            run(&s, g);
        else if (!diag_has_errors(&s.diags))
            fuzz_fail(&s, "a graph does not fit the machine, and no error says why", NULL, NULL);
    }
    fuzz_end(&s);
    return 0;
}
