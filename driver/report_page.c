// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The report as one HTML page that needs nothing else: style, pictures and all are in it.
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "driver/report.h"
#include "support/quantity.h"
#include "support/svg.h"

static const char style[] =
    ":root { color-scheme: light dark; --ink: #222; --quiet: #666; --line: #ccc; --pale: #f4f4f4; --ground: #fff; "
    "--empty: #e6e6e6;\n"
    "  --waiting: #c4c4c4; --verdict: #f2f7fd }\n"
    "@media (prefers-color-scheme: dark) { :root { --ink: #ddd; --quiet: #9a9a9a; --line: #444; --pale: #262626; "
    "--ground: #1b1b1b;\n"
    "  --empty: #333; --waiting: #6a6a6a; --verdict: #1d2733 } }\n"
    "body { font: 15px/1.5 sans-serif; color: var(--ink); background: var(--ground); max-width: 1320px; margin: 1.5em "
    "auto; padding: 0 1em }\n"
    "h1 { font-size: 1.6em; margin-bottom: 0; overflow-wrap: anywhere } h2 { font-size: 1.2em; margin: 1.6em 0 .4em; "
    "border-bottom: 1px "
    "solid var(--line) }\n"
    "p { margin: .4em 0; max-width: 60em } .quiet { color: var(--quiet) }\n"
    "code { background: var(--pale); padding: .1em .3em; overflow-wrap: anywhere }\n"
    ".verdict { background: var(--verdict); border-left: 4px solid #4a7ebb; padding: .6em 1em; margin: 1em 0; "
    "max-width: none }\n"
    ".pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 520px), 1fr)); gap: 0 3em } .pair "
    "> div { min-width: 0 }\n"
    ".table { overflow-x: auto } table { border-collapse: collapse; margin: .6em 0 } td, th { padding: .2em .9em .2em "
    "0; text-align: left; "
    "vertical-align: top }\n"
    "th { font-weight: 600; border-bottom: 1px solid var(--line) } .facts th { border: none } td.n, th.n { text-align: "
    "right; "
    "font-variant-numeric: tabular-nums; white-space: nowrap }\n"
    ".name { white-space: nowrap } .bar { display: inline-block; width: clamp(70px, 18vw, 240px); height: 13px; "
    "background: var(--empty); "
    "vertical-align: middle; "
    "overflow: hidden; white-space: nowrap; font-size: 0 }\n"
    ".bar span { display: inline-block; height: 13px } .work { background: #4a7ebb } .overhead { background: #e0963a } "
    ".waiting { background: var(--waiting) }\n"
    ".key span { display: inline-block; width: 12px; height: 12px; margin: 0 .3em 0 1em; vertical-align: -1px }\n"
    ".picture { overflow: auto; border: 1px solid var(--line); padding: 6px; margin: .6em 0; background: var(--ground) "
    "}\n"
    ".picture svg { display: block; margin: auto; height: auto } .tall { max-height: 900px }\n"
    ".wide svg { width: 100%; min-width: 700px; max-width: 1280px }\n";

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
    strbuf_printf(out, "<p class=\"verdict\">In simulation a steady state takes <b>%s</b>, %s of them a second",
                  quantity_seconds(a, each), quantity_count(a, each > 0 ? 1 / each : 0));
    if (page->plan->predicted > 0)
        strbuf_printf(out, " (predicted when it was planned: %s)", quantity_seconds(a, page->plan->predicted));
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
        strbuf_printf(out, " it would take %s, %.3g times as fast.", quantity_seconds(a, best->iteration),
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
    quantity_unit unit = quantity_unit_for(each);
    strbuf_printf(
        out,
        "<div>\n<h2>What would relieve it</h2>\n<p>Each parameter changed by itself, and the same program simulated "
        "again.</p>\n<div class=\"table\"><table><tr><th>parameter</th><th class=\"n\">is</th><th "
        "class=\"n\">tried</th>"
        "<th class=\"n\">a steady state, %s</th><th class=\"n\">times as fast</th><th>what limits it then</th></tr>\n",
        unit.name);
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
                      quantity_seconds_in(out->arena, c->iteration, unit), c->iteration > 0 ? each / c->iteration : 0);
        add(out, c->bottleneck);
        strbuf_add(out, "</td></tr>\n");
    }
    strbuf_add(out, "</table></div>\n</div>\n");
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
    strbuf_printf(out, "<tr><td class=\"name\">%s ", kind);
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
               "<div>\n<h2>Utilisation</h2>\n<p class=\"key\">of the time: <span class=\"work\"></span>work"
               "<span class=\"overhead\"></span>starting, stopping, sending, receiving<span class=\"waiting\"></span>"
               "waiting</p>\n<div class=\"table\"><table>\n");
    print_rows(out, "processor", &run->processors, true);
    print_rows(out, "link", &run->links, false);
    print_rows(out, "memory", &run->memories, false);
    strbuf_add(out, "</table></div>\n</div>\n");
}

// ---- Pictures ----

// class: "wide", scaled to the page's width; "tall", which may be high; or nothing.
static void print_picture(strbuf *out, const char *title, const char *text, const char *svg, const char *class)
{
    if (svg == NULL)
        return;
    strbuf_printf(out, "<div>\n<h2>%s</h2>\n<p>%s</p>\n<div class=\"picture %s\">\n%s</div>\n</div>\n", title, text,
                  class, svg);
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
    strbuf_add(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
                    "content=\"width=device-width, initial-scale=1\">\n<title>");
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
    strbuf_add(out, "<div class=\"table\"><table class=\"facts\">\n");
    for (VEC_EACH(const hlc_report_fact, f, &page->plan->facts)) {
        strbuf_add(out, "<tr><th>");
        add(out, f->what);
        strbuf_add(out, "</th><td>");
        add(out, f->text);
        strbuf_add(out, "</td></tr>\n");
    }
    if (page->failure == NULL)
        strbuf_printf(out, "<tr><th>simulated</th><td>%s steady states, %s%s</td></tr>\n",
                      quantity_count(out->arena, (double)page->steady_states),
                      quantity_seconds(out->arena, page->run.seconds),
                      page->plan->invented_input ? "; input that is not there is made up of small random numbers" : "");
    strbuf_add(out, "</table></div>\n");
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
    quantity_unit unit = {1, "s"};
    for (VEC_EACH(const hlc_report_method, m, &page->plan->methods))
        if (m->lower > 0)
            unit = quantity_unit_for(m->lower);
    strbuf_printf(
        out,
        "<div class=\"table\"><table><tr><th>method</th><th class=\"n\">tries or nodes</th><th class=\"n\">a steady "
        "state before, %s</th><th class=\"n\">after, %s</th><th class=\"n\">lower bound then, %s</th>"
        "<th class=\"n\">bound over predicted</th></tr>\n",
        unit.name, unit.name, unit.name);
    for (VEC_EACH(const hlc_report_method, m, &page->plan->methods)) {
        strbuf_printf(out, "<tr><td>%s</td><td class=\"n\">%s</td><td class=\"n\">%s</td><td class=\"n\">%s</td>",
                      m->name, quantity_count(a, (double)m->tries),
                      m->before > 0 ? quantity_seconds_in(a, m->before, unit) : "nothing fits yet",
                      m->after > 0 ? quantity_seconds_in(a, m->after, unit) : "nothing fits");
        strbuf_printf(out, "<td class=\"n\">%s</td><td class=\"n\">%.3f</td></tr>\n",
                      quantity_seconds_in(a, m->lower, unit), m->after > 0 ? m->lower / m->after : 0);
    }
    strbuf_printf(out, "</table></div>\n<div class=\"picture wide\">\n%s</div>\n", page->plan->search);
}

void report_print(strbuf *out, const report_page *page)
{
    print_head(out, page);
    print_verdict(out, page);
    strbuf_add(out, "<div class=\"pair\">\n<div>\n");
    print_facts(out, page);
    if (page->failure == NULL)
        print_utilisation(out, page);
    strbuf_add(out, "</div>\n<div>\n");
    print_picture(out, "Mapping",
                  "Kernels, the processors that run them, and the bytes that move between them in a steady "
                  "state.",
                  page->plan->mapped, "tall");
    if (page->failure == NULL)
        print_changes(out, page);
    strbuf_add(out, "</div>\n</div>\n");
    if (page->failure == NULL)
        print_picture(out, "Timeline",
                      "What each processor, link and memory does in a stretch of the simulated run. Rest the "
                      "mouse on a bar for its name and times.",
                      page->run.chart, "wide");
    print_search(out, page);
    print_memories(out, page);
    print_picture(out, "The program's graph", "As it is written. Rest the mouse on a box or an edge for what it is.",
                  page->plan->graph, "tall");
    strbuf_add(out, "</body>\n</html>\n");
}
