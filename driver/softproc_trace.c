// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// svm-spsim: what each batch did, as Chrome trace events (a row a context; cycles as microseconds) and as a waveform.
#include <stdlib.h>
#include <string.h>

#include "driver/softproc_run.h"
#include "support/timeline.h"

enum { MOST_EVENTS = 1 << 20 };

void softproc_trace_event(void *user, const sp_event *event)
{
    softproc_trace *t = user;
    if (event->end <= t->from || event->begin >= t->to)
        return;
    if (t->events.len >= MOST_EVENTS) {
        t->cut = true;
        return;
    }
    VEC_PUSH(t->arena, &t->events, *event);
}

static const char *const event_names[] = {[SP_EVENT_ALU] = "ALU",
                                          [SP_EVENT_TEX] = "TEX",
                                          [SP_EVENT_FLOW] = "FC",
                                          [SP_EVENT_BATCH] = "batch",
                                          [SP_EVENT_WRITE] = "coordinates"};

// Lookups of a context overlap: asynchronous events, which begin and end by themselves.
static void add_lookup(json_out *j, const sp_event *e, size_t row, size_t id, const char *name)
{
    for (int end = 0; end < 2; end++) {
        json_line(j, 0);
        json_begin(j, NULL, '{');
        json_text(j, "ph", end ? "e" : "b");
        json_count(j, "pid", 1);
        json_count(j, "tid", row);
        json_count(j, "id", id);
        json_count(j, "ts", end ? e->end : e->begin);
        json_text(j, "cat", "lookup");
        json_text(j, "name", name);
        json_end(j, '}');
    }
}

void softproc_trace_chrome(const softproc_trace *t, const svm_SpParameters *p, strbuf *b)
{
    json_out j = strbuf_json(b);
    timeline_begin(&j);
    timeline_group(&j, 1, "soft processor (1 us is a cycle)");
    // Each context has a row for its batches and arithmetic, and one for lookups.
    for (uint32_t i = 0; i < p->batches; i++)
        for (unsigned k = 0; k < 2; k++)
            timeline_row(&j, 1, 2 * i + k,
                         arena_printf(b->arena, "context %lu%s", (unsigned long)i, k == 0 ? "" : " lookups"));
    char name[64];
    for (VEC_EACH(const sp_event, e, &t->events)) {
        bool one = e->kind == SP_EVENT_ALU || e->kind == SP_EVENT_FLOW || e->kind == SP_EVENT_TEX;
        size_t row = 2 * (size_t)e->context + (e->kind == SP_EVENT_TEX);
        snprintf(name, sizeof name, one ? "%s %lu" : "%s", event_names[e->kind], (unsigned long)e->pc);
        if (e->kind == SP_EVENT_TEX) {
            add_lookup(&j, e, row, (size_t)(e - t->events.data), name);
            continue;
        }
        timeline_event(&j, 1, row, (int64_t)e->begin, (int64_t)e->end, 0, event_names[e->kind], name);
        timeline_event_end(&j);
    }
    timeline_end(&j);
}

// ---- Waveforms ----

// Signals: name, width in bits. Each has an identifier of one character.
static const struct {
    const char *name;
    unsigned bits;
} signals[] = {{"alu_issue", 1},    {"alu_context", 12}, {"alu_pc", 9},         {"tex_issue", 1},
               {"tex_context", 12}, {"tex_pc", 9},       {"fc_issue", 1},       {"tex_write", 1},
               {"start_write", 1},  {"batch_end", 1},    {"alu_in_flight", 13}, {"tex_in_flight", 20}};
enum {
    ALU_ISSUE,
    ALU_CONTEXT,
    ALU_PC,
    TEX_ISSUE,
    TEX_CONTEXT,
    TEX_PC,
    FC_ISSUE,
    TEX_WRITE,
    START_WRITE,
    BATCH_END,
    ALU_IN_FLIGHT,
    TEX_IN_FLIGHT,
    SIGNAL_COUNT
};

typedef struct change {
    uint64_t cycle;
    uint32_t order, signal;
    int64_t value;
    bool add; // to the signal's value
} change;

typedef struct change_list {
    arena *arena;
    VEC(change) list;
} change_list;

static void put(change_list *c, uint64_t cycle, unsigned signal, int64_t value, bool add)
{
    VEC_PUSH(c->arena, &c->list, (change){cycle, (uint32_t)c->list.len, signal, value, add});
}

static void pulse(change_list *c, uint64_t begin, uint64_t end, unsigned signal)
{
    put(c, begin, signal, 1, true);
    put(c, end, signal, -1, true);
}

static void put_event(change_list *c, const sp_event *e, const svm_SpParameters *p)
{
    switch (e->kind) {
    case SP_EVENT_ALU:
        pulse(c, e->begin, e->begin + p->threads, ALU_ISSUE);
        put(c, e->begin, ALU_CONTEXT, e->context, false);
        put(c, e->begin, ALU_PC, e->pc, false);
        pulse(c, e->begin, e->end, ALU_IN_FLIGHT);
        break;
    case SP_EVENT_TEX:
        pulse(c, e->begin, e->begin + 1, TEX_ISSUE);
        put(c, e->begin, TEX_CONTEXT, e->context, false);
        put(c, e->begin, TEX_PC, e->pc, false);
        pulse(c, e->begin, e->end, TEX_IN_FLIGHT);
        pulse(c, e->end - 1, e->end, TEX_WRITE);
        break;
    case SP_EVENT_FLOW: pulse(c, e->begin, e->end, FC_ISSUE); break;
    case SP_EVENT_WRITE: pulse(c, e->begin, e->end, START_WRITE); break;
    case SP_EVENT_BATCH: pulse(c, e->end, e->end + 1, BATCH_END); break;
    }
}

static int compare_changes(const void *a, const void *b)
{
    const change *x = a, *y = b;
    if (x->cycle != y->cycle)
        return x->cycle < y->cycle ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static void print_value(strbuf *b, unsigned signal, int64_t value)
{
    if (signals[signal].bits == 1) {
        strbuf_printf(b, "%c%c\n", value > 0 ? '1' : '0', (char)('!' + signal));
        return;
    }
    strbuf_addc(b, 'b');
    for (unsigned i = signals[signal].bits; i > 0; i--)
        strbuf_addc(b, (char)('0' + (value >> (i - 1) & 1)));
    strbuf_printf(b, " %c\n", (char)('!' + signal));
}

void softproc_trace_vcd(softproc_trace *t, const svm_SpParameters *p, strbuf *b)
{
    change_list c = {.arena = t->arena};
    for (VEC_EACH(const sp_event, e, &t->events))
        put_event(&c, e, p);
    if (c.list.len > 0)
        qsort(c.list.data, c.list.len, sizeof *c.list.data, compare_changes);
    strbuf_printf(b, "$timescale 1 ns $end\n$comment a cycle is %.4g ns $end\n$scope module soft_processor $end\n",
                  1e9 / p->clock);
    for (unsigned i = 0; i < SIGNAL_COUNT; i++)
        strbuf_printf(b, "$var wire %u %c %s $end\n", signals[i].bits, (char)('!' + i), signals[i].name);
    strbuf_add(b, "$upscope $end\n$enddefinitions $end\n#0\n$dumpvars\n");
    int64_t values[SIGNAL_COUNT] = {0}, shown[SIGNAL_COUNT] = {0};
    for (unsigned i = 0; i < SIGNAL_COUNT; i++)
        print_value(b, i, 0);
    strbuf_add(b, "$end\n");
    double cycle = 1e9 / p->clock;
    for (size_t i = 0; i < c.list.len;) {
        uint64_t now = c.list.data[i].cycle;
        for (; i < c.list.len && c.list.data[i].cycle == now; i++) {
            const change *k = &c.list.data[i];
            values[k->signal] = k->add ? values[k->signal] + k->value : k->value;
        }
        bool any = false;
        for (unsigned s = 0; s < SIGNAL_COUNT; s++) {
            if (values[s] == shown[s])
                continue;
            if (!any)
                strbuf_printf(b, "#%.0f\n", (double)now * cycle);
            any = true;
            print_value(b, s, values[s]);
            shown[s] = values[s];
        }
    }
}
