// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows what candidates come to, and that evaluating them changes nothing of the program and gives the same each time.
//   evaluate-test MACHINE.yaml FILE.str STRIP...      0: the shortest, in time
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hlc/pipeline.h"
#include "hlc/plan/evaluate.h"
#include "hlc/plan/plan.h"

static const char *text_of(const hlc_program *p)
{
    strbuf text;
    strbuf_init(&text, p->arena);
    program_print(&text, p);
    return text.data;
}

static plan_evaluation evaluate(hlc_program *p, plan_candidate *c)
{
    const char *before = text_of(p);
    plan_evaluation e = c->strip != 0 ? plan_evaluate(p, c) : plan_evaluate_shortest(p, c);
    if (strcmp(before, text_of(p)) != 0)
        printf("the program has changed\n");
    return e;
}

static const char *plan_text(const hlc_program *p, const plan_evaluation *e)
{
    strbuf text;
    strbuf_init(&text, p->arena);
    plan_print(&text, e->plan, p->module);
    return text.data;
}

static void show(hlc_program *p, int64_t strip)
{
    const plan_charges charges = plan_charges_of(p);
    plan_candidate c = plan_candidate_of(p);
    c.charges = &charges;
    c.strip = strip;
    const plan_evaluation e = evaluate(p, &c), again = evaluate(p, &c);
    if (strcmp(plan_text(p, &e), plan_text(p, &again)) != 0)
        printf("the second time it is another one\n");
    printf("strip %" PRId64 ": ", c.strip);
    if (e.fails != NULL)
        printf("%s\n", plan_reason_text(p->arena, e.fails));
    else if (e.cut == NULL)
        printf("%" PRIu64 " bytes\n", e.plan->bytes);
    else
        printf("%" PRIu64 " bytes, %" PRIu32 " strips a round, %" PRId64 " steady states of priming\n", e.plan->bytes,
               e.cut->strips, e.cut->priming);
}

static int run(hlc_program *p, source_id file, char **strips, int count)
{
    const ast_program *program = pipeline_read(p, &file, 1, false);
    pass_order all = {0}, order = {0};
    passes_of_level(p->arena, 2, &all);
    for (size_t i = 0; i < all.len && all.data[i] != PASS_STRIP_MINE; i++)
        VEC_PUSH(p->arena, &order, all.data[i]);
    if (program == NULL || !pipeline_build(p, program, NULL) || !pipeline_check_rates(p) || !passes_run(p, &order))
        return 1;
    for (int i = 0; i < count; i++)
        show(p, strtoll(strips[i], NULL, 10));
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    arena *a = arena_create();
    source_set sources;
    diag_engine d;
    source_set_init(&sources, a);
    diag_init(&d, a, &sources);
    const hlc_config config = {.machine = argv[1], .machine_dir = ".", .opt_level = 2};
    hlc_program p = pipeline_start(a, &d, &config);
    int status = run(&p, source_read(&sources, argv[2]), argv + 3, argc - 3);
    diag_flush(&d, stderr, DIAG_FORMAT_TEXT, false);
    arena_destroy(a);
    return status;
}
