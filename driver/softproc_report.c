// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// svm-spsim: what the machine did, as text, JSON and a picture; and what a closed form says it should have done.
//
// A batch alone takes the sum of its instructions: an arithmetic one the way through operand reads and pipeline,
// rounded up to whole rotations; a lookup one rotation; a wait until the lookups it waits for are back. With B batches
// the pipeline's entrance is busy B times as often, until it always is, or the link or the number of outstanding reads
// allows no more.
#include <math.h>
#include <string.h>

#include "driver/softproc_run.h"
#include "support/json.h"
#include "support/svg.h"

static const char *const idle_names[SP_IDLE_COUNT] = {"Semwait", "Inside_ALU", "NotALU"};
static const char *const idle_keys[SP_IDLE_COUNT] = {"semwait", "inside_alu", "notalu"};

// ---- The closed form ----

static double rounded(double cycles, double rotation)
{
    return ceil(cycles / rotation - 1e-9) * rotation;
}

typedef struct walk {
    double now, returned; // returned: when the lookups so far are written
    double awaited;       // ... those that the semaphore holds
    bool others;          // the last instruction was no arithmetic
} walk;

static double read_bytes(const softproc_run *r, const sp_ready *i)
{
    return (double)r->core.input[i->tex_id].element;
}

static void walk_lookup(walk *w, softproc_static *s, const softproc_run *r, const sp_ready *i,
                        const svm_SpParameters *p)
{
    double rotation = fmax(p->threads, p->operandReads + 1), width = p->linkBandwidth / p->clock;
    double latency = (p->requestLatency + p->hostLatency + p->memoryLatency + p->responseLatency) * p->clock;
    double n = i->reads ? p->threads * (r->core.input[i->tex_id].tiling == SVM_SP_LINEAR_2X2 ? 4.0 : 1.0) : 0;
    double response = p->responseHeader + ceil(read_bytes(r, i) / 4) * 4;
    // Requests leave one a cycle, or as fast as the slower way of the link lets them.
    double each = fmax(1, fmax(p->requestBytes, response) / width);
    double done = w->now + p->operandReads + 1 + p->addressStages;
    if (n > 0)
        done += (n - 1) * each + (p->requestBytes + response) / width + latency;
    w->returned = fmax(w->returned, ceil(done) + p->returnStages + 1);
    if (i->acquire)
        w->awaited = w->returned;
    w->now += rotation;
    s->tex++;
    s->reads += n;
    s->request_bytes += n * p->requestBytes;
    s->response_bytes += n * response;
}

static void walk_instruction(walk *w, softproc_static *s, const softproc_run *r, const sp_ready *i,
                             const svm_SpParameters *p)
{
    double rotation = fmax(p->threads, p->operandReads + 1);
    if (i->wait && w->awaited > w->now)
        w->now = rounded(w->awaited, rotation);
    if (i->type == SP_TEX) {
        walk_lookup(w, s, r, i, p);
    } else if (i->type == SP_FC) {
        s->flow++;
        s->straight = false;
        w->now += rotation;
    } else {
        w->now += rounded(p->operandReads + p->threads + p->aluStages, rotation);
        s->alu++;
    }
}

softproc_static softproc_facts(const softproc_run *r, const svm_SpParameters *p)
{
    softproc_static s = {.straight = true, .temps = r->program->temps};
    double rotation = fmax(p->threads, p->operandReads + 1), width = p->linkBandwidth / p->clock;
    // A batch begins with a rotation in which its coordinates are written.
    walk w = {.now = rotation};
    for (uint32_t i = 0; i <= r->core.end; i++)
        walk_instruction(&w, &s, r, &r->core.code[i], p);
    for (unsigned i = 0; i < SP_MAX_OUTPUTS; i++)
        if (r->core.outputs >> i & 1) {
            double bytes = (double)p->threads * r->core.output[i].element;
            s.write_bytes += bytes + ceil(bytes / p->largestPacket) * p->writeHeader;
        }
    s.batch_cycles = w.now;
    s.alu_cycles = (double)s.alu * p->threads;
    double latency = (p->requestLatency + p->hostLatency + p->memoryLatency + p->responseLatency) * p->clock;
    double in = s.response_bytes / width, out = (s.request_bytes + s.write_bytes) / width;
    double under_way = latency + (s.reads > 0 ? (s.request_bytes + s.response_bytes) / s.reads / width : 0);
    double reads = s.reads * under_way / p->outstandingReads;
    // Each rotation issues one arithmetic instruction and one lookup.
    double slots = fmax(s.alu, s.tex + s.flow) * rotation;
    double bound = fmax(fmax(in, out), fmax(reads, slots));
    s.limit = bound > 0 ? s.alu_cycles / bound : 0;
    s.knee = s.alu_cycles > 0 ? s.limit * s.batch_cycles / s.alu_cycles : 0;
    return s;
}

double softproc_predicted(const softproc_static *s, double batches)
{
    return s->batch_cycles > 0 ? fmin(batches * s->alu_cycles / s->batch_cycles, s->limit) : 0;
}

const sp_stats *softproc_steady(const sp_results *r)
{
    return r->has_steady ? &r->steady : &r->whole;
}

double softproc_use(const sp_stats *s)
{
    return s->cycles > 0 ? (double)s->alu_cycles / (double)s->cycles : 0;
}

static double idle_part(const softproc_result *r, unsigned reason)
{
    const sp_stats *s = softproc_steady(&r->results);
    return s->cycles > 0 ? (double)s->idle[reason] / ((double)s->cycles * r->parameters.batches) : 0;
}

softproc_register_file softproc_register_file_of(const svm_SpParameters *p, uint32_t temps)
{
    softproc_register_file f = {.registers = 1};
    while (f.registers < temps)
        f.registers *= 2;
    uint64_t each = (uint64_t)p->threads * p->registerBytes * p->batches;
    f.bytes = each * f.registers;
    f.whole_bytes = each * p->registers;
    f.blocks = (f.bytes + p->blockSize - 1) / p->blockSize;
    f.small_blocks = (f.bytes + p->smallBlockSize - 1) / p->smallBlockSize;
    return f;
}

// ---- Text ----

static double mean_latency(const sp_stats *s)
{
    return s->reads > 0 ? s->read_cycles / (double)s->reads : 0;
}

static void report_one(const softproc_result *r, strbuf *b)
{
    const sp_stats *w = &r->results.whole, *s = softproc_steady(&r->results);
    const svm_SpParameters *p = &r->parameters;
    double width = p->linkBandwidth / p->clock, steady = (double)s->cycles;
    softproc_register_file f = softproc_register_file_of(p, r->facts.temps);
    strbuf_printf(b, "%llu threads in %llu batches: %llu cycles, %.3f ms at %.0f MHz\n", (unsigned long long)w->threads,
                  (unsigned long long)w->batches, (unsigned long long)w->cycles, (double)w->cycles / p->clock * 1e3,
                  p->clock / 1e6);
    strbuf_printf(b, "thread instructions: %llu arithmetic, %llu lookups, %llu flow control\n",
                  (unsigned long long)w->alu_threads, (unsigned long long)w->tex_threads,
                  (unsigned long long)w->flow_threads);
    strbuf_printf(b, "program: %u arithmetic, %u lookups", r->facts.alu, r->facts.tex);
    if (r->facts.tex > 0)
        strbuf_printf(b, " (%.2f to 1)", (double)r->facts.alu / r->facts.tex);
    strbuf_printf(b, ", %lu registers\n", (unsigned long)r->facts.temps);
    strbuf_printf(b, "%s: %llu cycles\n",
                  r->results.has_steady ? "steady part" : "whole run (too short for a steady part)",
                  (unsigned long long)s->cycles);
    strbuf_printf(b, "  pipeline used  %6.2f %%\n", 100 * softproc_use(s));
    for (unsigned i = 0; i < SP_IDLE_COUNT; i++)
        strbuf_printf(b, "  %-13s  %6.2f %%\n", idle_names[i], 100 * idle_part(r, i));
    if (steady > 0)
        strbuf_printf(b, "  link           %6.2f %% in, %.2f %% out; %llu bytes read, a read takes %.1f cycles\n",
                      100 * (double)s->response_wire / width / steady,
                      100 * (double)(s->request_wire + s->write_wire) / width / steady,
                      (unsigned long long)s->read_bytes, mean_latency(s));
    strbuf_printf(b, "  register file's writes that waited: %llu\n", (unsigned long long)s->port_conflicts);
    if (r->facts.straight)
        strbuf_printf(b, "closed form: %.2f %% used, a knee at %.1f batches\n",
                      100 * softproc_predicted(&r->facts, p->batches), r->facts.knee);
    strbuf_printf(b,
                  "register file of %lu registers: %llu bytes (1/%llu of %lu registers'), %llu large or %llu small "
                  "memory blocks\n",
                  (unsigned long)f.registers, (unsigned long long)f.bytes,
                  (unsigned long long)(f.whole_bytes / f.bytes), (unsigned long)p->registers,
                  (unsigned long long)f.blocks, (unsigned long long)f.small_blocks);
}

static void report_table(const softproc_result_list *results, strbuf *b)
{
    size_t width = strlen("run");
    for (VEC_EACH(const softproc_result, r, results))
        width = strlen(r->label) > width ? strlen(r->label) : width;
    strbuf_printf(b, "%-*s  %12s  %8s", (int)width, "run", "cycles", "used");
    for (unsigned i = 0; i < SP_IDLE_COUNT; i++)
        strbuf_printf(b, "  %10s", idle_names[i]);
    strbuf_printf(b, "  %11s\n", "closed form");
    for (VEC_EACH(const softproc_result, r, results)) {
        strbuf_printf(b, "%-*s  %12llu  %6.2f %%", (int)width, r->label, (unsigned long long)r->results.whole.cycles,
                      100 * softproc_use(softproc_steady(&r->results)));
        for (unsigned i = 0; i < SP_IDLE_COUNT; i++)
            strbuf_printf(b, "  %8.2f %%", 100 * idle_part(r, i));
        if (r->facts.straight)
            strbuf_printf(b, "  %9.2f %%", 100 * softproc_predicted(&r->facts, r->parameters.batches));
        strbuf_addc(b, '\n');
    }
}

void softproc_report(const softproc_result_list *results, const char *name, strbuf *b)
{
    strbuf_printf(b, "%s\n", name);
    if (results->len == 1 && results->data[0].label == NULL)
        report_one(&results->data[0], b);
    else
        report_table(results, b);
}

void softproc_report_functional(const softproc_run *r, const svm_SpCounters *n, strbuf *b)
{
    (void)r;
    strbuf_printf(b, "%llu threads; thread instructions: %llu arithmetic, %llu lookups, %llu flow control\n",
                  (unsigned long long)n->threads, (unsigned long long)n->aluInstructions,
                  (unsigned long long)n->texInstructions, (unsigned long long)n->flowInstructions);
}

// ---- JSON ----

static void add_stats(json_out *j, const char *name, const softproc_result *r, const sp_stats *s)
{
    double cycles = (double)(s->cycles > 0 ? s->cycles : 1);
    json_begin(j, name, '{');
    json_count(j, "cycles", s->cycles);
    json_number_to(j, "used", softproc_use(s), 9);
    for (unsigned i = 0; i < SP_IDLE_COUNT; i++)
        json_number_to(j, idle_keys[i], (double)s->idle[i] / (cycles * r->parameters.batches), 9);
    json_count(j, "threads", s->threads);
    json_count(j, "batches", s->batches);
    json_count(j, "alu", s->alu_threads);
    json_count(j, "tex", s->tex_threads);
    json_count(j, "flow", s->flow_threads);
    json_count(j, "reads", s->reads);
    json_count(j, "read_bytes", s->read_bytes);
    json_count(j, "write_bytes", s->write_bytes);
    json_number_to(j, "read_latency", mean_latency(s), 9);
    double width = r->parameters.linkBandwidth / r->parameters.clock;
    json_number_to(j, "link_in", (double)s->response_wire / width / cycles, 9);
    json_number_to(j, "link_out", (double)(s->request_wire + s->write_wire) / width / cycles, 9);
    json_count(j, "port_conflicts", s->port_conflicts);
    json_end(j, '}');
}

static void add_result(json_out *j, const softproc_result *r, const char *name)
{
    softproc_register_file f = softproc_register_file_of(&r->parameters, r->facts.temps);
    json_begin(j, NULL, '{');
    json_text(j, "program", name);
    json_text(j, "run", r->label == NULL ? "" : r->label);
    json_count(j, "batches", r->parameters.batches);
    add_stats(j, "whole", r, &r->results.whole);
    if (r->results.has_steady)
        add_stats(j, "steady", r, &r->results.steady);
    json_begin(j, "instructions", '{');
    json_count(j, "alu", r->facts.alu);
    json_count(j, "tex", r->facts.tex);
    json_count(j, "flow", r->facts.flow);
    json_end(j, '}');
    json_count(j, "registers", r->facts.temps);
    if (r->facts.straight) {
        json_begin(j, "predicted", '{');
        json_number_to(j, "used", softproc_predicted(&r->facts, r->parameters.batches), 9);
        json_number_to(j, "limit", r->facts.limit, 9);
        json_number_to(j, "knee", r->facts.knee, 9);
        json_number_to(j, "batch_cycles", r->facts.batch_cycles, 9);
        json_end(j, '}');
    }
    json_begin(j, "register_file", '{');
    json_count(j, "registers", f.registers);
    json_count(j, "bytes", f.bytes);
    json_count(j, "reduction", f.whole_bytes / f.bytes);
    json_count(j, "blocks", f.blocks);
    json_count(j, "small_blocks", f.small_blocks);
    json_end(j, '}');
    json_end(j, '}');
}

// An object a line.
void softproc_report_json(const softproc_result_list *results, const char *name, strbuf *b)
{
    for (VEC_EACH(const softproc_result, r, results)) {
        json_out j = strbuf_json(b);
        add_result(&j, r, name);
        strbuf_addc(b, '\n');
    }
}

// ---- A picture: a stacked bar for each run ----

enum { PLOT_LEFT = 60, PLOT_TOP = 40, PLOT_HEIGHT = 260, PLOT_BAR = 44, PLOT_GAP = 18, PLOT_BOTTOM = 90 };

static const char *const bar_names[1 + SP_IDLE_COUNT] = {"used", "Semwait", "Inside_ALU", "NotALU"};

static void add_bar(strbuf *b, const softproc_result *r, double x)
{
    double bottom = PLOT_TOP + PLOT_HEIGHT;
    for (unsigned i = 0; i <= SP_IDLE_COUNT; i++) {
        double part = i == 0 ? softproc_use(softproc_steady(&r->results)) : idle_part(r, i - 1),
               height = part * PLOT_HEIGHT;
        bottom -= height;
        strbuf_printf(b, "<rect x=\"%.1f\" y=\"%.2f\" width=\"%d\" height=\"%.2f\" fill=\"%s\"/>\n", x, bottom,
                      PLOT_BAR, height, svg_strong_color(i));
    }
    if (r->facts.straight) {
        double y = PLOT_TOP + PLOT_HEIGHT * (1 - softproc_predicted(&r->facts, r->parameters.batches));
        strbuf_printf(
            b, "<line x1=\"%.1f\" y1=\"%.2f\" x2=\"%.1f\" y2=\"%.2f\" style=\"stroke: #c02020; stroke-width: 2\"/>\n",
            x - 4, y, x + PLOT_BAR + 4, y);
    }
    const char *label = r->label == NULL ? "" : strchr(r->label, '=') == NULL ? r->label : strchr(r->label, '=') + 1;
    svg_text(b, x + PLOT_BAR / 2.0, PLOT_TOP + PLOT_HEIGHT + 18, "middle", label, SIZE_MAX);
}

static void add_legend(strbuf *b)
{
    int y = PLOT_TOP + PLOT_HEIGHT + 44;
    double x = PLOT_LEFT;
    for (unsigned i = 0; i <= SP_IDLE_COUNT; i++)
        x = svg_legend(b, x, y, svg_strong_color(i), bar_names[i]);
    strbuf_printf(b, "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" style=\"stroke: #c02020; stroke-width: 2\"/>\n",
                  PLOT_LEFT, y + 28, PLOT_LEFT + 12, y + 28);
    svg_text(b, PLOT_LEFT + 17, y + 32, "left", "closed form", SIZE_MAX);
}

void softproc_plot(const softproc_result_list *results, const char *name, strbuf *b)
{
    double width = PLOT_LEFT + 40 + (PLOT_BAR + PLOT_GAP) * (double)results->len;
    width = width < PLOT_LEFT + 400 ? PLOT_LEFT + 400 : width;
    int height = PLOT_TOP + PLOT_HEIGHT + PLOT_BOTTOM;
    const char *label = results->len > 0 && results->data[0].label != NULL ? results->data[0].label : "";
    const char *title =
        arena_printf(b->arena, "%s: cycles of the arithmetic pipeline by %.*s", name, (int)strcspn(label, "="), label);
    svg_begin(b, width, height, "figure", title);
    svg_text(b, PLOT_LEFT, 22, "title", title, SIZE_MAX);
    for (int i = 0; i <= 4; i++) {
        double y = PLOT_TOP + PLOT_HEIGHT * (1 - i / 4.0);
        svg_line(b, PLOT_LEFT, y, width - 20, y, "scale");
        svg_text(b, PLOT_LEFT - 6, y + 4, "right", arena_printf(b->arena, "%d %%", 25 * i), SIZE_MAX);
    }
    double x = PLOT_LEFT + PLOT_GAP;
    for (VEC_EACH(const softproc_result, r, results)) {
        add_bar(b, r, x);
        x += PLOT_BAR + PLOT_GAP;
    }
    add_legend(b);
    svg_end(b);
}
