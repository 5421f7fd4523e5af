// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels took in a measured run (SVM_SIM_COMPARE, a profile), beside what this simulation predicted for them: counts, times,
// their ratio, and what the predicted time goes into. The slowest comes first.
#include <stdlib.h>
#include <string.h>

#include "runtime/sim/internal.h"
#include "support/quantity.h"

#define CLASSES_TOLD 3 // classes of operations that a kernel's line names
#define LEAST_TOLD 0.05

typedef struct Side {
    double seconds;
    uint64_t runs;
} Side;
typedef struct Line {
    const char *kernel;
    const char *first, *last; // processors
    size_t processors;
    Side measured, predicted;
    double spent[SVM_SIM_CLASSES]; // of the predicted time, in seconds
} Line;
typedef VEC(Line) Lines;

static Line *lineOf(arena *a, Lines *lines, const char *kernel)
{
    for (VEC_EACH(Line, l, lines))
        if (strcmp(l->kernel, kernel) == 0)
            return l;
    VEC_PUSH(a, lines, (Line){.kernel = kernel});
    return &VEC_LAST(lines);
}

static void addRow(Side *side, const svmr_ProfileRow *row)
{
    side->seconds += row->total;
    side->runs += row->runs;
}

static int slower(const void *a, const void *b)
{
    const Line *x = a, *y = b;
    double s = x->measured.seconds, t = y->measured.seconds;
    return s > t ? -1 : s < t ? 1 : strcmp(x->kernel, y->kernel);
}

static Lines collect(const simr_Simulation *s, const svmr_Profile *measured)
{
    Lines lines = {0};
    for (size_t i = 0; i < measured->count; i++)
        addRow(&lineOf(s->arena, &lines, measured->rows[i].kernel)->measured, &measured->rows[i]);
    for (size_t i = 0; i < s->profile.count; i++) {
        const svmr_ProfileRow *row = &s->profile.rows[i];
        Line *l = lineOf(s->arena, &lines, row->kernel);
        addRow(&l->predicted, row);
        l->first = l->processors == 0 ? row->processor : l->first;
        l->last = row->processor;
        l->processors++;
        for (size_t k = 0; k < svm_simTable.classCount; k++)
            l->spent[k] += s->spent.data[i].classes[k];
    }
    if (lines.len > 0)
        qsort(lines.data, lines.len, sizeof *lines.data, slower);
    return lines;
}

// "float-mul 41 %, load 30 %": the largest parts of the predicted time.
static const char *spentText(arena *a, const Line *l)
{
    bool told[SVM_SIM_CLASSES] = {false};
    strbuf b;
    strbuf_init(&b, a);
    for (int n = 0; n < CLASSES_TOLD; n++) {
        size_t most = SVM_SIM_CLASSES;
        for (size_t k = 0; k < svm_simTable.classCount; k++)
            if (!told[k] && l->spent[k] > LEAST_TOLD * l->predicted.seconds && l->spent[k] > 0 &&
                (most == SVM_SIM_CLASSES || l->spent[k] > l->spent[most]))
                most = k;
        if (most == SVM_SIM_CLASSES)
            break;
        told[most] = true;
        strbuf_printf(&b, "%s%s %.0f %%", n == 0 ? "" : ", ", svm_simTable.classes[most],
                      100 * l->spent[most] / l->predicted.seconds);
    }
    return b.data;
}

static const char *ratioText(arena *a, double measured, double predicted)
{
    return predicted > 0 && measured > 0 ? arena_printf(a, "%.2f", measured / predicted) : "-";
}

static const char *onText(arena *a, const Line *l)
{
    return l->processors == 0   ? "not here"
           : l->processors == 1 ? l->first
                                : arena_printf(a, "%s ... %s", l->first, l->last);
}

static void printLines(arena *a, strbuf *out, const Lines *lines, double all, quantity_unit unit)
{
    size_t name = strlen("all kernels"), on = strlen("on");
    for (VEC_EACH(const Line, l, lines)) {
        name = strlen(l->kernel) > name ? strlen(l->kernel) : name;
        on = strlen(onText(a, l)) > on ? strlen(onText(a, l)) : on;
    }
    strbuf_printf(out, "%-*s  %-*s      runs  measured %s   share  predicted %s  ratio  predicted time goes into\n",
                  (int)name, "kernel", (int)on, "on", unit.name, unit.name);
    Side measured = {0}, predicted = {0};
    for (VEC_EACH(const Line, l, lines)) {
        const char *runs = quantity_count(a, (double)l->measured.runs);
        if (l->measured.runs != l->predicted.runs)
            runs = arena_printf(a, "%s/%s", runs, quantity_count(a, (double)l->predicted.runs));
        strbuf_printf(out, "%-*s  %-*s  %8s  %11s  %5.1f%%  %12s  %5s  %s\n", (int)name, l->kernel, (int)on,
                      onText(a, l), runs, quantity_seconds_in(a, l->measured.seconds, unit),
                      all > 0 ? 100 * l->measured.seconds / all : 0, quantity_seconds_in(a, l->predicted.seconds, unit),
                      ratioText(a, l->measured.seconds, l->predicted.seconds), spentText(a, l));
        measured.seconds += l->measured.seconds;
        predicted.seconds += l->predicted.seconds;
    }
    strbuf_printf(out, "%-*s  %-*s  %8s  %11s  %6s  %12s  %5s\n", (int)name, "all kernels", (int)on, "", "",
                  quantity_seconds_in(a, measured.seconds, unit), "", quantity_seconds_in(a, predicted.seconds, unit),
                  ratioText(a, measured.seconds, predicted.seconds));
}

// From begin to end, with what waits: how many kernels ran at a time says whether processors were there to run them.
static void printWhole(const simr_Simulation *s, strbuf *out, const svmr_Profile *measured, double factor, double all,
                       double predicted)
{
    double took = measured->seconds * factor, takes = sim_to_seconds(sim_now(s->engine));
    if (took <= 0 || takes <= 0)
        return;
    strbuf_printf(
        out,
        "from begin to end: measured %s, predicted %s, ratio %.2f; kernels at a time: measured %.2f, predicted %.2f\n",
        quantity_seconds(s->arena, took), quantity_seconds(s->arena, takes), took / takes, all / took,
        predicted / takes);
}

void simr_compare(const simr_Simulation *s, const svmr_Profile *measured, strbuf *out)
{
    arena *a = s->arena;
    Lines lines = collect(s, measured);
    if (lines.len == 0) {
        strbuf_add(out, "\nno kernel ran, neither measured nor predicted\n");
        return;
    }
    double states = (double)svmr_profileSteadyStates(), factor = 1, all = 0, predicted = 0;
    if (measured->steadyStates > 0 && states > 0)
        factor = states / measured->steadyStates;
    for (VEC_EACH(Line, l, &lines)) {
        l->measured.seconds *= factor;
        all += l->measured.seconds;
        predicted += l->predicted.seconds;
    }
    strbuf_printf(out, "\nmeasured beside predicted on %s, the slowest first; ratio is measured / predicted\n",
                  s->table->name);
    if (factor < 1 || factor > 1)
        strbuf_printf(out, "measured times are of %s steady states, and told as those of %s\n",
                      quantity_count(a, measured->steadyStates), quantity_count(a, states));
    printLines(a, out, &lines, all, quantity_unit_for(lines.data[0].measured.seconds));
    printWhole(s, out, measured, factor, all, predicted);
    const char *fires = svmr_profileFires(lines.data[0].kernel);
    if (fires && strcmp(fires, " ") != 0)
        strbuf_printf(out, "%s fires, in a steady state: %s\n", lines.data[0].kernel, fires);
}
