// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Orders of passes: from names or a level, checked as a whole, then run with what the options ask for around each.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hlc/passes/pass.h"
#include "hlc/plan/cut.h"
#include "hlc/plan/plan.h"

const pass_row pass_rows[PASS_COUNT] = {
#define PASS(id, name, run, needs, gives, breaks, level, essential, summary)                                           \
    [PASS_##id] = {name, run, needs, gives, breaks, level, essential, summary},
#include "hlc/passes/passes.def"
};

static const char *const property_texts[] = {
#define PROPERTY(id, bit, text) [bit] = text,
#include "hlc/passes/passes.def"
};

static void list_properties(strbuf *out, const char *word, uint32_t properties)
{
    bool first = true;
    for (uint32_t i = 0; i < sizeof property_texts / sizeof *property_texts; i++) {
        if ((properties >> i & 1) == 0)
            continue;
        if (first)
            strbuf_printf(out, "%23s%s: ", "", word);
        strbuf_printf(out, "%s%s", first ? "" : ", ", property_texts[i]);
        first = false;
    }
    if (!first)
        strbuf_addc(out, '\n');
}

void hlc_list_passes(strbuf *out)
{
    for (size_t i = 0; i < PASS_COUNT; i++) {
        const pass_row *row = &pass_rows[i];
        const char level[] = {'-', 'O', (char)('0' + row->level), '\0'};
        strbuf_printf(out, "%-14s %-7s %s\n", row->name, row->essential ? "always" : level, row->summary);
        list_properties(out, "needs", row->needs);
        list_properties(out, "gives", row->gives);
        list_properties(out, "breaks", row->breaks);
    }
}

// ---- Orders ----

static bool find_pass(arena *a, diag_engine *d, const char *name, pass_id *id)
{
    const char *names[PASS_COUNT];
    for (size_t i = 0; i < PASS_COUNT; i++) {
        names[i] = pass_rows[i].name;
        if (strcmp(names[i], name) == 0) {
            *id = (pass_id)i;
            return true;
        }
    }
    (void)a;
    const char *near = diag_nearest(name, names, PASS_COUNT);
    if (near != NULL)
        diag_error_at(d, NULL, "unknown pass '%s'; did you mean '%s'?", name, near);
    else
        diag_error_at(d, NULL, "unknown pass '%s'; --list-passes prints the passes", name);
    return false;
}

bool passes_parse(arena *a, diag_engine *d, const char *names, pass_order *order)
{
    bool ok = true;
    while (*names != '\0') {
        size_t n = strcspn(names, ",");
        pass_id id;
        if (n > 0 && find_pass(a, d, arena_strndup(a, names, n), &id))
            VEC_PUSH(a, order, id);
        else
            ok = ok && n == 0;
        names += n + (names[n] == ',');
    }
    return ok;
}

void passes_of_level(arena *a, int level, pass_order *order)
{
    for (size_t i = 0; i < PASS_COUNT; i++)
        if (pass_rows[i].essential || pass_rows[i].level <= level)
            VEC_PUSH(a, order, (pass_id)i);
}

// The lowest of the properties that are missing.
static const char *missing_text(uint32_t missing)
{
    return property_texts[__builtin_ctz(missing)];
}

static const char *giver_of(uint32_t missing)
{
    for (size_t i = 0; i < PASS_COUNT; i++)
        if ((pass_rows[i].gives & missing & -missing) != 0)
            return pass_rows[i].name;
    return NULL;
}

static void report_missing(diag_engine *d, const char *who, uint32_t missing, const char *breaker)
{
    const char *giver = giver_of(missing);
    if (breaker != NULL)
        diag_error_at(d, NULL, "%s needs a program that is %s, but '%s' before it undoes that", who,
                      missing_text(missing), breaker);
    else if (giver != NULL)
        diag_error_at(d, NULL, "%s needs a program that is %s; run '%s' before it", who, missing_text(missing), giver);
    else
        diag_error_at(d, NULL, "%s needs a program that is %s", who, missing_text(missing));
}

static uint32_t properties_of(const hlc_program *p)
{
    uint32_t have = PROP_ELABORATED;
    if (p->module->canonical)
        have |= PROP_CANONICAL;
    if (p->schedule != NULL)
        have |= PROP_SCHEDULED;
    if (p->plan != NULL)
        have |= PROP_PLANNED;
    if (p->plan != NULL && (p->cut == NULL || p->cut->where != NULL))
        have |= PROP_STRIP_MINED;
    if (p->plan != NULL && p->plan->allocated)
        have |= PROP_ALLOCATED;
    return have;
}

// The last pass before the end that took the lowest of the missing properties away from a program that had it; or NULL.
static const char *breaker_of(const hlc_program *p, const pass_order *order, size_t end, uint32_t missing)
{
    uint32_t lowest = missing & -missing, have = properties_of(p);
    const char *breaker = NULL;
    for (size_t i = 0; i < end; i++) {
        const pass_row *row = &pass_rows[order->data[i]];
        if ((have & row->breaks & lowest) != 0)
            breaker = row->name;
        have = (have & ~row->breaks) | row->gives;
    }
    return breaker;
}

bool passes_check(const hlc_program *p, const pass_order *order, uint32_t goal)
{
    uint32_t have = properties_of(p);
    for (size_t i = 0; i < order->len; i++) {
        const pass_row *row = &pass_rows[order->data[i]];
        uint32_t missing = row->needs & ~have;
        if (missing != 0) {
            report_missing(p->diag, arena_printf(p->arena, "pass '%s'", row->name), missing,
                           breaker_of(p, order, i, missing));
            return false;
        }
        have = (have & ~row->breaks) | row->gives;
    }
    uint32_t missing = goal & ~have;
    if (missing != 0)
        report_missing(p->diag, "what is asked for", missing, breaker_of(p, order, order->len, missing));
    return missing == 0;
}

// ---- Text ----

// The program itself, also when plans are made for a graph of its kernels.
static const sir_module *program_source(const hlc_program *p)
{
    const plan_net *graph = p->net != NULL ? p->net : p->cut != NULL ? p->cut->graph : NULL;
    return graph != NULL ? graph->whole : p->module;
}

void program_print(strbuf *out, const hlc_program *p)
{
    sir_print(out, program_source(p));
    if (p->plan != NULL) {
        strbuf_addc(out, '\n');
        plan_print(out, p->plan, p->module);
    }
}

static bool is_listed(const char *names, const char *name)
{
    size_t length = strlen(name);
    while (names != NULL && *names != '\0') {
        size_t n = strcspn(names, ",");
        if (n == length && strncmp(names, name, n) == 0)
            return true;
        names += n + (names[n] == ',');
    }
    return false;
}

static void dump(const hlc_program *p, const char *name)
{
    if (!p->config->print_after_all && !is_listed(p->config->print_after, name))
        return;
    strbuf b;
    arena *scratch = arena_create();
    strbuf_init(&b, scratch);
    program_print(&b, p);
    fprintf(p->config->dump, "// after %s\n%s\n", name, b.data);
    arena_destroy(scratch);
}

// ---- Verification ----

// Writes a text for a report of a defect; NULL when that fails.
static const char *write_text(hlc_program *p, const char *folder, const char *name, const strbuf *text)
{
    if (folder == NULL)
        return NULL;
    const char *path = arena_printf(p->arena, "%s/%s", folder, name);
    return file_write(path, text->data, text->len) ? path : NULL;
}

static void report_defect(hlc_program *p, const char *pass, const char *what, const strbuf *before, const strbuf *after)
{
    const char *temporary = getenv("TMPDIR");
    char *pattern = arena_printf(p->arena, "%s/svmc-XXXXXX", temporary == NULL ? "/tmp" : temporary);
    const char *folder = mkdtemp(pattern);
    const char *suffix = p->plan != NULL ? "plan" : "sir";
    const char *in = write_text(p, folder, arena_printf(p->arena, "before.%s", suffix), before);
    const char *out = write_text(p, folder, arena_printf(p->arena, "after.%s", suffix), after);
    diag_record *r = diag_internal(p->diag, (src_range){0}, "pass '%s' %s", pass, what);
    if (in == NULL || out == NULL)
        return;
    diag_add_note(p->diag, r, (src_range){0}, "the program before and after it: %s, %s", in, out);
    diag_add_note(p->diag, r, (src_range){0}, "to run it again: svm-opt --verify-each --passes=%s %s", pass, in);
}

static bool verify(hlc_program *p)
{
    if (!sir_verify(p->module, p->diag))
        return false;
    if (p->plan != NULL && !plan_verify(p->arena, p->diag, p->plan, p->module, p->schedule))
        return false;
    return true;
}

static bool check_after(hlc_program *p, const pass_row *row, bool changed, const strbuf *before)
{
    strbuf after;
    strbuf_init(&after, before->arena);
    program_print(&after, p);
    bool ok = verify(p);
    if (!ok)
        report_defect(p, row->name, "gave a program that breaks what such programs promise", before, &after);
    bool same = before->len == after.len && memcmp(before->data, after.data, after.len) == 0;
    if (ok && !changed && !same) {
        report_defect(p, row->name, "changed the program without saying so", before, &after);
        ok = false;
    }
    return ok;
}

// ---- Running ----

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

stage_mark stage_begin(const hlc_program *p)
{
    return (stage_mark){.seconds = now(), .bytes = arena_bytes(p->arena)};
}

static void add_timing(hlc_program *p, stage_mark mark, const char *name, int kind)
{
    hlc_timing t = {.name = name, .seconds = now() - mark.seconds, .bytes = arena_bytes(p->arena) - mark.bytes};
    t.kind = kind;
    VEC_PUSH(p->arena, &p->timings, t);
}

void stage_end(hlc_program *p, stage_mark mark, const char *name)
{
    add_timing(p, mark, name, TIMING_STAGE);
}

// What several firings of a filter do is made last; a pass that then changes bodies may make it untrue.
static void drop_ahead(hlc_program *p, pass_id pass)
{
    if (pass < PASS_FREQUENCY && pass != PASS_CANONICALIZE && pass != PASS_SCHEDULE)
        for (VEC_EACH(sir_filter *, f, &p->module->filters))
            (*f)->ahead = NULL;
}

static bool run_one(hlc_program *p, pass_id pass)
{
    const pass_row *row = &pass_rows[pass];
    arena *scratch = NULL;
    strbuf before = {0};
    if (p->config->verify_each) {
        scratch = arena_create();
        strbuf_init(&before, scratch);
        program_print(&before, p);
    }
    stage_mark mark = stage_begin(p);
    bool changed = row->run(p);
    if (changed)
        drop_ahead(p, pass);
    add_timing(p, mark, row->name, changed ? TIMING_CHANGED : TIMING_UNCHANGED);
    bool ok = !diag_has_errors(p->diag);
    if (ok && scratch != NULL)
        ok = check_after(p, row, changed, &before);
    if (ok)
        dump(p, row->name);
    if (scratch != NULL)
        arena_destroy(scratch);
    return ok;
}

bool passes_run(hlc_program *p, const pass_order *order)
{
    for (size_t i = 0; i < order->len; i++)
        if (!run_one(p, order->data[i]))
            return false;
    return true;
}

void timings_print(const hlc_program *p, FILE *out)
{
    double total = 0;
    size_t bytes = 0;
    for (size_t i = 0; i < p->timings.len; i++) {
        total += p->timings.data[i].seconds;
        bytes += p->timings.data[i].bytes;
    }
    fprintf(out, "%10s %6s %10s  %s\n", "ms", "%", "KiB", "step");
    for (size_t i = 0; i < p->timings.len; i++) {
        const hlc_timing *t = &p->timings.data[i];
        fprintf(out, "%10.3f %6.1f %10.1f  %s%s\n", 1e3 * t->seconds, total > 0 ? 100 * t->seconds / total : 0,
                (double)t->bytes / 1024, t->name, t->kind == TIMING_UNCHANGED ? " (changed nothing)" : "");
    }
    fprintf(out, "%10.3f %6.1f %10.1f  total\n", 1e3 * total, 100.0, (double)bytes / 1024);
}
