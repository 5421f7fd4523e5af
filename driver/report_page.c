// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The report as one HTML page that needs nothing else: style, pictures and all are in it.
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "driver/report.h"
#include "hlc/report/svg.h"

static const char style[] =
    "body { font: 15px/1.5 sans-serif; color: #222; max-width: 1320px; margin: 2em auto; padding: 0 1.5em }\n"
    "h1 { font-size: 1.6em; margin-bottom: 0 } h2 { font-size: 1.2em; margin: 2em 0 .4em; border-bottom: 1px solid "
    "#ddd }\n"
    "p { margin: .4em 0; max-width: 60em } .quiet { color: #666 } code { background: #f4f4f4; padding: .1em .3em }\n"
    ".verdict { background: #f5f9ff; border-left: 4px solid #4a7ebb; padding: .6em 1em; margin: 1em 0 }\n"
    "table { border-collapse: collapse; margin: .6em 0 } td, th { padding: .2em .9em .2em 0; text-align: left; "
    "vertical-align: top }\n"
    "th { font-weight: 600; border-bottom: 1px solid #ccc } .facts th { border: none } td.n, th.n { text-align: right; "
    "font-variant-numeric: tabular-nums }\n"
    ".bar { display: inline-block; width: 260px; height: 13px; background: #eee; vertical-align: middle; overflow: "
    "hidden; "
    "white-space: nowrap; font-size: 0 }\n"
    ".bar span { display: inline-block; height: 13px } .work { background: #4a7ebb } .overhead { background: #e0963a } "
    ".waiting { background: #cfcfcf }\n"
    ".key span { display: inline-block; width: 12px; height: 12px; margin: 0 .3em 0 1em; vertical-align: -1px }\n"
    ".picture { overflow: auto; max-height: 900px; border: 1px solid #eee; padding: 6px; margin: .6em 0 }\n"
    ".picture svg { max-width: none; height: auto } .wide svg { max-width: 100% }\n";

// Tables with more rows than this leave out what is hardly used.
enum { FEW_ROWS = 4 };
#define LEAST_BUSY 0.01

static void add(strbuf *out, const char *text)
{
    svg_add_text(out, text, SIZE_MAX);
}

// ---- What limits it ----

static double iteration_of(const report_page *page)
{
    return page->run.iteration > 0 ? page->run.iteration : page->run.seconds / (double)page->steady_states;
}

static const report_change *best_change(const report_page *page)
{
    const report_change *best = NULL;
    for (VEC_EACH(const report_change, c, &page->changes))
        if (c->ok && (best == NULL || c->iteration < best->iteration))
            best = c;
    return best;
}

static void print_verdict(strbuf *out, const report_page *page)
{
    arena *a = out->arena;
    if (page->failure != NULL) {
        strbuf_add(out, "<p class=\"verdict\">There is no simulated run: ");
        add(out, page->failure);
        strbuf_add(out, ".</p>\n");
        return;
    }
    double each = iteration_of(page);
    strbuf_printf(out, "<p class=\"verdict\">In simulation a steady state takes <b>%s</b>, %.4g of them a second",
                  svg_seconds(a, each), each > 0 ? 1 / each : 0);
    if (page->plan->predicted > 0)
        strbuf_printf(out, " (predicted when it was planned: %s)", svg_seconds(a, page->plan->predicted));
    strbuf_add(out, ". ");
    strbuf_add(out, "What limits it is <b>");
    add(out, page->run.bottleneck);
    strbuf_add(out, "</b>: ");
    add(out, page->run.reason);
    strbuf_add(out, ". ");
    const report_change *best = best_change(page);
    if (best != NULL && best->iteration < 0.99 * each) {
        strbuf_printf(out, "Of the machine's parameters, the %s would help most: with ", best->what);
        add(out, best->to);
        strbuf_add(out, " instead of ");
        add(out, best->from);
        strbuf_printf(out, " it would take %s, %.3g times as fast.", svg_seconds(a, best->iteration),
                      each / best->iteration);
    } else if (page->changes.len > 0) {
        strbuf_add(out, "No parameter of the machine that was tried would make it 1 % faster by itself.");
    }
    strbuf_add(out, "</p>\n");
}

static void print_changes(strbuf *out, const report_page *page)
{
    if (page->changes.len == 0)
        return;
    double each = iteration_of(page);
    strbuf_add(
        out,
        "<h2>What would relieve it</h2>\n<p>Each parameter changed by itself, and the same program simulated "
        "again.</p>\n<table><tr><th>parameter</th><th class=\"n\">is</th><th class=\"n\">tried</th>"
        "<th class=\"n\">a steady state</th><th class=\"n\">times as fast</th><th>what limits it then</th></tr>\n");
    for (VEC_EACH(const report_change, c, &page->changes)) {
        strbuf_printf(out, "<tr><td>%s</td><td class=\"n\">", c->what);
        add(out, c->from);
        strbuf_add(out, "</td><td class=\"n\">");
        add(out, c->to);
        if (!c->ok) {
            strbuf_add(out, "</td><td colspan=\"3\">could not be simulated</td></tr>\n");
            continue;
        }
        strbuf_printf(out, "</td><td class=\"n\">%s</td><td class=\"n\">%.2f</td><td>",
                      svg_seconds(out->arena, c->iteration), c->iteration > 0 ? each / c->iteration : 0);
        add(out, c->bottleneck);
        strbuf_add(out, "</td></tr>\n");
    }
    strbuf_add(out, "</table>\n");
}

// ---- Utilisation ----

static void print_part(strbuf *out, const char *class, double share)
{
    if (share > 0.001)
        strbuf_printf(out, "<span class=\"%s\" style=\"width:%.1f%%\" title=\"%s %.1f %%\"></span>", class, 100 * share,
                      class, 100 * share);
}

static void print_row(strbuf *out, const char *kind, const report_row *r, bool processor)
{
    double busy = processor ? r->work + r->overhead : r->busy;
    strbuf_printf(out, "<tr><td>%s ", kind);
    add(out, r->name);
    strbuf_add(out, "</td><td><span class=\"bar\">");
    print_part(out, "work", processor ? r->work : r->busy);
    print_part(out, "overhead", r->overhead);
    print_part(out, "waiting", r->waiting);
    strbuf_printf(out, "</span></td><td class=\"n\">%.1f %%</td><td class=\"quiet\">", 100 * busy);
    add(out, r->more);
    strbuf_add(out, "</td></tr>\n");
}

// Rows with something to tell; the others in one line.
static void print_rows(strbuf *out, const char *kind, const report_rows *rows, bool processors)
{
    strbuf quiet;
    strbuf_init(&quiet, out->arena);
    size_t count = 0;
    const char *last = NULL;
    for (VEC_EACH(const report_row, r, rows)) {
        if (rows->len <= FEW_ROWS || (processors ? r->work + r->overhead : r->busy) >= LEAST_BUSY) {
            print_row(out, kind, r, processors);
            continue;
        }
        if (count++ == 0)
            strbuf_add(&quiet, r->name);
        last = r->name;
    }
    if (count == 0)
        return;
    strbuf_printf(out, "<tr><td class=\"quiet\" colspan=\"4\">%zu more (", count);
    add(out, quiet.data);
    if (count > 1) {
        strbuf_add(out, " to ");
        add(out, last);
    }
    strbuf_printf(out, ") are busy less than %g %% of the time</td></tr>\n", 100 * LEAST_BUSY);
}

static void print_utilisation(strbuf *out, const report_page *page)
{
    const report_run *run = &page->run;
    strbuf_add(out,
               "<h2>Utilisation</h2>\n<p class=\"key\">of the time: <span class=\"work\"></span>work"
               "<span class=\"overhead\"></span>starting, stopping, sending, receiving<span class=\"waiting\"></span>"
               "waiting</p>\n<table>\n");
    print_rows(out, "processor", &run->processors, true);
    print_rows(out, "link", &run->links, false);
    print_rows(out, "memory", &run->memories, false);
    strbuf_add(out, "</table>\n");
}

// ---- Pictures ----

// charts: scaled to the page's width.
static void print_picture(strbuf *out, const char *title, const char *text, const char *svg, bool chart)
{
    if (svg == NULL)
        return;
    strbuf_printf(out, "<h2>%s</h2>\n<p>%s</p>\n<div class=\"picture%s\">\n%s</div>\n", title, text,
                  chart ? " wide" : "", svg);
}

static void print_memories(strbuf *out, const report_page *page)
{
    if (page->plan->memories.len == 0)
        return;
    strbuf_add(out,
               "<h2>Memories</h2>\n<p>Addresses upwards; from left to right the stages of a run, in order: what stands "
               "above another lives at the same time, what lives at different times may share bytes. Grey buffers hold "
               "items from run to run.</p>\n");
    for (VEC_EACH(const char *const, map, &page->plan->memories))
        strbuf_printf(out, "<div class=\"picture wide\">\n%s</div>\n", *map);
}

static void print_head(strbuf *out, const report_page *page)
{
    strbuf_add(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>");
    add(out, page->plan->program);
    strbuf_add(out, " on ");
    add(out, page->plan->machine);
    strbuf_printf(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<h1>", style);
    add(out, page->plan->program);
    strbuf_add(out, " on ");
    add(out, page->plan->machine);
    strbuf_add(out, "</h1>\n<p class=\"quiet\">made by <code>");
    add(out, page->command);
    strbuf_add(out, "</code></p>\n");
}

static void print_facts(strbuf *out, const report_page *page)
{
    strbuf_add(out, "<table class=\"facts\">\n");
    for (VEC_EACH(const hlc_report_fact, f, &page->plan->facts)) {
        strbuf_add(out, "<tr><th>");
        add(out, f->what);
        strbuf_add(out, "</th><td>");
        add(out, f->text);
        strbuf_add(out, "</td></tr>\n");
    }
    if (page->failure == NULL)
        strbuf_printf(out, "<tr><th>simulated</th><td>%" PRId64 " steady states, %s%s</td></tr>\n", page->steady_states,
                      svg_seconds(out->arena, page->run.seconds),
                      page->plan->invented_input ? "; input that is not there is made up of small random numbers" : "");
    strbuf_add(out, "</table>\n");
}

// How the mapping was searched for.
static void print_search(strbuf *out, const report_page *page)
{
    arena *a = out->arena;
    if (page->plan->search_text == NULL)
        return;
    strbuf_add(out, "<h2>The mapping search</h2>\n<p>");
    add(out, page->plan->search_text);
    strbuf_add(out, "</p>\n");
    if (page->plan->search == NULL)
        return;
    strbuf_add(out, "<table><tr><th>method</th><th class=\"n\">tries or nodes</th><th class=\"n\">a steady state before</th>"
                    "<th class=\"n\">after</th><th class=\"n\">lower bound then</th><th class=\"n\">bound over "
                    "predicted</th></tr>\n");
    for (VEC_EACH(const hlc_report_method, m, &page->plan->methods)) {
        strbuf_printf(out, "<tr><td>%s</td><td class=\"n\">%" PRIu64 "</td><td class=\"n\">%s</td><td class=\"n\">%s</td>",
                      m->name, m->tries, m->before > 0 ? svg_seconds(a, m->before) : "nothing fits yet",
                      m->after > 0 ? svg_seconds(a, m->after) : "nothing fits");
        strbuf_printf(out, "<td class=\"n\">%s</td><td class=\"n\">%.3f</td></tr>\n", svg_seconds(a, m->lower),
                      m->after > 0 ? m->lower / m->after : 0);
    }
    strbuf_printf(out, "</table>\n<div class=\"picture wide\">\n%s</div>\n", page->plan->search);
}

void report_print(strbuf *out, const report_page *page)
{
    print_head(out, page);
    print_verdict(out, page);
    print_facts(out, page);
    if (page->failure == NULL) {
        print_utilisation(out, page);
        print_changes(out, page);
        print_picture(out, "Timeline",
                      "What each processor, link and memory does in a stretch of the simulated run. Rest the "
                      "mouse on a bar for its name and times.",
                      page->run.chart, true);
    }
    print_picture(out, "Mapping",
                  "Kernels, the processors that run them, and the bytes that move between them in a steady "
                  "state.",
                  page->plan->mapped, false);
    print_search(out, page);
    print_memories(out, page);
    print_picture(out, "The program's graph",
                  "As it is written; filters of one colour are in one kernel, those with a brown "
                  "edge have state, white splitters and joiners have become index maps.",
                  page->plan->graph, false);
    strbuf_add(out, "</body>\n</html>\n");
}
