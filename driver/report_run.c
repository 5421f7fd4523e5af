// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Simulated runs for the report: svm-sim as a child, its JSON read back; and the same on machines with a parameter
// changed.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "driver/option_table.h"
#include "driver/paths.h"
#include "driver/report.h"
#include "support/quantity.h"
#include "targets/machine.h"
#include "targets/yaml.h"

// Seconds that a simulation may take, compiling included.
enum { RUN_SECONDS = 120 };

typedef VEC(const char *) argument_list;

// ---- Reading what svm-sim writes ----

static const yaml_node *member(const yaml_node *node, const char *key)
{
    for (size_t i = 0; node != NULL && node->kind == YAML_MAPPING && i < node->pairs.len; i++)
        if (strcmp(node->pairs.data[i].key->text, key) == 0)
            return node->pairs.data[i].value;
    return NULL;
}

static double number(const yaml_node *node, const char *key)
{
    const yaml_node *value = member(node, key);
    return value == NULL || value->kind != YAML_SCALAR ? 0 : strtod(value->text, NULL);
}

static const char *text(const yaml_node *node, const char *key)
{
    const yaml_node *value = member(node, key);
    return value == NULL || value->kind != YAML_SCALAR || (!value->quoted && strcmp(value->text, "null") == 0)
               ? ""
               : value->text;
}

static void read_rows(arena *a, const yaml_node *root, const char *key, report_rows *rows)
{
    const yaml_node *list = member(root, key);
    for (size_t i = 0; list != NULL && list->kind == YAML_SEQUENCE && i < list->items.len; i++) {
        const yaml_node *n = list->items.data[i];
        report_row row = {.name = text(n, "name"),
                          .work = number(n, "work"),
                          .overhead = number(n, "overhead"),
                          .waiting = number(n, "waiting"),
                          .idle = number(n, "idle"),
                          .busy = number(n, "busy"),
                          .more = ""};
        double bytes =
            number(n, "bytes") + number(n, "sequential_bytes") + number(n, "strided_bytes") + number(n, "random_bytes");
        if (bytes > 0)
            row.more = arena_printf(a, "%s in %s %s", quantity_bytes(a, bytes),
                                    quantity_count(a, number(n, "messages") + number(n, "requests")),
                                    member(n, "messages") != NULL ? "messages" : "requests");
        VEC_PUSH(a, rows, row);
    }
}

static bool read_run(tool_session *t, const char *path, report_run *run)
{
    char *json;
    size_t len;
    if (!file_read(t->arena, path, &json, &len))
        return false;
    source_id file = source_add(&t->sources, "<report>", json, len);
    const yaml_node *root = yaml_parse(t->arena, &t->diags, file, "report", "{");
    if (root == NULL)
        return false;
    run->seconds = number(root, "seconds");
    run->iteration = number(root, "iteration_seconds");
    run->bottleneck = text(root, "bottleneck");
    run->busy = number(root, "bottleneck_busy");
    run->reason = text(root, "reason");
    read_rows(t->arena, root, "processors", &run->processors);
    read_rows(t->arena, root, "links", &run->links);
    read_rows(t->arena, root, "memories", &run->memories);
    return true;
}

// ---- Running ----

static argument_list sim_command(const report_trial *trial, const char *on, const char *json, const char *chart,
                                 const char *report)
{
    arena *a = trial->tool->arena;
    const char *level = option_last(&trial->tool->options, OPT_OPTIMIZE);
    const char *input = option_last(&trial->tool->options, OPT_IN);
    argument_list argv = {0};
    VEC_PUSH(a, &argv, paths_installed(a, "bin/svm-sim"));
    VEC_PUSH(a, &argv, arena_printf(a, "--machine=%s", on));
    VEC_PUSH(a, &argv, "-Wno-native");
    VEC_PUSH(a, &argv, arena_printf(a, "--json=%s", json));
    if (chart != NULL)
        VEC_PUSH(a, &argv, arena_printf(a, "--gantt=%s", chart));
    if (level != NULL)
        VEC_PUSH(a, &argv, arena_printf(a, "-O%s", level));
    for (VEC_EACH(const option, o, &trial->tool->options.items))
        if (o->id == OPT_INCLUDE || o->id == OPT_DEFINE)
            VEC_PUSH(a, &argv, arena_printf(a, "%s%s", option_rows[o->id].spelling, o->value));
    VEC_PUSH(a, &argv, "-o");
    VEC_PUSH(a, &argv, report);
    VEC_PUSH(a, &argv, trial->program);
    VEC_PUSH(a, &argv, "--");
    VEC_PUSH(a, &argv, "-i");
    VEC_PUSH(a, &argv, arena_printf(a, "%lld", (long long)trial->steady_states));
    VEC_PUSH(a, &argv, "--loop-input");
    if (trial->plan->input != NULL)
        VEC_PUSH(a, &argv, arena_printf(a, "--in=%s", input != NULL ? input : trial->plan->input));
    if (trial->profile != NULL)
        VEC_PUSH(a, &argv, arena_printf(a, "--profile=%s", trial->profile));
    if (trial->plan->own_output)
        VEC_PUSH(a, &argv, arena_printf(a, "--out=%s/own-output", trial->plan->folder));
    VEC_PUSH(a, &argv, NULL);
    return argv;
}

// The first line of what a program said before it failed.
static const char *first_line(arena *a, const char *path, const char *otherwise)
{
    char *said;
    size_t len;
    if (!file_read(a, path, &said, &len) || len == 0)
        return otherwise;
    return arena_strndup(a, said, strcspn(said, "\n"));
}

bool report_simulate(const report_trial *trial, const char *on, bool chart, report_run *run, const char **why)
{
    process_session *s = trial->processes;
    arena *a = trial->tool->arena;
    const char *json = process_temporary(s, "run", ".json"), *report = process_temporary(s, "run", ".report");
    const char *drawing = chart ? process_temporary(s, "run", ".svg") : NULL;
    const char *output = process_temporary(s, "run", ".out"), *errors = process_temporary(s, "run", ".err");
    *why = "no temporary file can be made";
    if (json == NULL || report == NULL || output == NULL || errors == NULL || (chart && drawing == NULL))
        return false;
    const process_limits limits = {.output = output, .errors = errors, .seconds = RUN_SECONDS};
    int status = process_run_limited(s, sim_command(trial, on, json, drawing, report).data, &limits);
    if (status == PROCESS_LATE) {
        *why = arena_printf(a, "it takes longer than %d seconds", RUN_SECONDS);
        return false;
    }
    if (status != EXIT_OK) {
        *why = first_line(a, errors, "svm-sim failed");
        return false;
    }
    *why = "svm-sim left no report that can be read";
    size_t len;
    char *svg = NULL;
    if (!read_run(trial->tool, json, run) || (chart && !file_read(a, drawing, &svg, &len)))
        return false;
    run->chart = svg;
    *why = NULL;
    return true;
}

// ---- Changes ----

// A place of the machine file and what is to stand there.
typedef struct patch {
    src_range range;
    const char *text;
} patch;
typedef VEC(patch) patch_list;

// A value that begins with a number, times a factor; NULL: it does not, or the file does not give it.
static const char *scaled(tool_session *t, src_range r, double factor, const char **before)
{
    const source_file *f = r.file == 0 ? NULL : source_get(&t->sources, r.file);
    if (f == NULL || f->text == NULL || r.end <= r.begin)
        return NULL;
    *before = arena_strndup(t->arena, f->text + r.begin, r.end - r.begin);
    char *rest;
    double value = strtod(*before, &rest);
    return rest == *before || value <= 0 ? NULL : arena_printf(t->arena, "%.10g%s", value * factor, rest);
}

static void add_patch(tool_session *t, patch_list *patches, const machine_element *e, const char *key, double factor,
                      report_change *change)
{
    if (e->number != 0)
        return; // the entry's first stands for all
    src_range r = machine_value_range(e, key);
    const char *before = NULL, *after = scaled(t, r, factor, &before);
    if (after == NULL)
        return;
    if (patches->len == 0) {
        change->from = before;
        change->to = after;
    }
    VEC_PUSH(t->arena, patches, (patch){r, after});
}

static int compare_patches(const void *x, const void *y)
{
    const patch *a = x, *b = y;
    return a->range.begin < b->range.begin ? -1 : a->range.begin > b->range.begin;
}

static const char *patched(tool_session *t, const machine *m, patch_list *patches)
{
    const source_file *f = source_get(&t->sources, m->file);
    strbuf b;
    strbuf_init(&b, t->arena);
    qsort(patches->data, patches->len, sizeof *patches->data, compare_patches);
    size_t at = 0;
    for (VEC_EACH(const patch, p, patches)) {
        if (p->range.file != m->file || p->range.begin < at)
            return NULL;
        strbuf_addn(&b, f->text + at, p->range.begin - at);
        strbuf_add(&b, p->text);
        at = p->range.end;
    }
    strbuf_addn(&b, f->text + at, f->len - at);
    return b.data;
}

static void try_change(const report_trial *trial, const machine *m, patch_list *patches, report_change change,
                       report_page *page)
{
    if (patches->len == 0)
        return;
    const char *file = process_temporary(trial->processes, "machine", ".yaml"), *why;
    const char *text_of = patched(trial->tool, m, patches);
    report_run run = {0};
    if (file == NULL || text_of == NULL || !tool_write(trial->tool, file, text_of, strlen(text_of)))
        return;
    tool_doing(trial->tool, "reporting: simulating with %s", change.what);
    change.ok = report_simulate(trial, file, false, &run, &why);
    change.iteration = run.iteration > 0 ? run.iteration : run.seconds / (double)trial->steady_states;
    change.bottleneck = run.bottleneck;
    VEC_PUSH(trial->tool->arena, &page->changes, change);
}

// Whether the run's report has a row of that name.
static const report_row *row_of(const report_rows *rows, const char *name)
{
    for (VEC_EACH(const report_row, r, rows))
        if (strcmp(r->name, name) == 0)
            return r;
    return NULL;
}

static void try_processors(const report_trial *trial, const machine *m, machine_processor_kind kind, const char *key,
                           double factor, const char *what, report_page *page)
{
    patch_list patches = {0};
    report_change change = {.what = what};
    for (VEC_EACH(const machine_processor, p, &m->processors))
        if (p->kind == kind) {
            add_patch(trial->tool, &patches, &p->element, key, factor, &change);
            if (kind != MACHINE_processor_kind_CONTROL && strcmp(key, "kernel-start") == 0)
                add_patch(trial->tool, &patches, &p->element, "kernel-stop", factor, &change);
        }
    try_change(trial, m, &patches, change, page);
}

static void try_links(const report_trial *trial, const machine *m, const char *key, const char *what, report_page *page)
{
    patch_list patches = {0};
    report_change change = {.what = what};
    for (VEC_EACH(const machine_link, l, &m->links))
        if (row_of(&page->run.links, l->element.name) != NULL)
            add_patch(trial->tool, &patches, &l->element, key, 2, &change);
    try_change(trial, m, &patches, change, page);
}

static void try_memories(const report_trial *trial, const machine *m, report_page *page)
{
    for (VEC_EACH(const machine_memory, memory, &m->memories)) {
        const report_row *row = row_of(&page->run.memories, memory->element.name);
        patch_list patches = {0};
        report_change change = {.what =
                                    arena_printf(trial->tool->arena, "bandwidth of memory %s", memory->element.name)};
        if (row == NULL || row->busy < 0.2)
            continue;
        add_patch(trial->tool, &patches, &memory->element, "sequential-bandwidth", 2, &change);
        add_patch(trial->tool, &patches, &memory->element, "random-bandwidth", 2, &change);
        try_change(trial, m, &patches, change, page);
    }
}

void report_try_changes(const report_trial *trial, const machine *m, report_page *page)
{
    try_processors(trial, m, MACHINE_processor_kind_KERNEL, "clock", 2, "clock of the kernel processors", page);
    try_processors(trial, m, MACHINE_processor_kind_KERNEL, "kernel-start", 0.5,
                   "time to start a kernel (and to stop one)", page);
    if (page->run.links.len > 0) {
        try_links(trial, m, "bandwidth", "bandwidth of the links", page);
        try_links(trial, m, "channels", "channels of the links", page);
    }
    try_memories(trial, m, page);
}
