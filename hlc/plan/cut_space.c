// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels for --mapping=space: the actors in topological order, cut into at most as many stretches as there are
// processors, so that the heaviest stretch is as light as it can be; among such cuts, one that the fewest bytes cross.
#include <math.h>
#include <string.h>

#include "hlc/passes/pass.h"
#include "hlc/plan/cut.h"
#include "hlc/plan/footprint.h"
#include "hlc/plan/plan_int.h"
#include "hlc/plan/thresholds.h"

typedef VEC(uint32_t) number_list;

typedef struct spacer {
    hlc_program *p;
    const plan_record *record;
    arena *a;
    uint32_t *unit; // per actor: its place in the order, SIR_NONE: the control program's
    size_t units;
    double *load;      // per place: of all units before it
    double *bytes;     // per place: of state of all units before it
    double room;       // bytes of state that a stretch may have, so that memories keep some for items
    double *crossing;  // per place: bytes a steady state that cross a cut right before it
    uint32_t **unable; // per kind of processors that are no fallbacks, and place: units before it that they cannot run
    size_t kinds;      // 0: who can run a stretch is not asked
} spacer;

// Numbers units in topological order: depth first, so that branches stay together.
static void order_units(spacer *s)
{
    const sir_module *m = s->p->module;
    uint32_t *first = sched_units_of(s->a, m, s->p->schedule).of;
    uint32_t n = (uint32_t)m->actors.len, *waiting = ARENA_ARRAY(s->a, uint32_t, n + 1);
    number_list *out = arena_alloc_array(s->a, n + 1, sizeof *out), stack = {0};
    for (uint32_t i = 0; i < n; i++)
        first[i] = sir_is_file(m->actors.data[i]) ? SIR_NONE : first[i];
    memset(out, 0, (n + 1) * sizeof *out);
    for (VEC_EACH(const sir_channel, c, &m->channels)) {
        uint32_t from = first[c->producer], to = first[c->consumer];
        if (from == SIR_NONE || to == SIR_NONE || from == to)
            continue;
        VEC_PUSH(s->a, &out[from], to);
        waiting[to]++;
    }
    for (uint32_t i = n; i-- > 0;)
        if (first[i] == i && waiting[i] == 0)
            VEC_PUSH(s->a, &stack, i);
    uint32_t *place = ARENA_ARRAY(s->a, uint32_t, n + 1);
    while (stack.len != 0) {
        uint32_t unit = stack.data[--stack.len];
        place[unit] = (uint32_t)s->units++;
        for (size_t i = out[unit].len; i-- > 0;)
            if (--waiting[out[unit].data[i]] == 0)
                VEC_PUSH(s->a, &stack, out[unit].data[i]);
    }
    s->unit = ARENA_ARRAY(s->a, uint32_t, n + 1);
    for (uint32_t i = 0; i < n; i++)
        s->unit[i] = first[i] == SIR_NONE ? SIR_NONE : place[first[i]];
}

static void weigh(spacer *s)
{
    const sir_module *m = s->p->module;
    const schedule *sched = s->p->schedule;
    s->load = ARENA_ARRAY(s->a, double, s->units + 2);
    s->bytes = ARENA_ARRAY(s->a, double, s->units + 2);
    s->crossing = ARENA_ARRAY(s->a, double, s->units + 2);
    for (uint32_t i = 0; i < m->actors.len; i++) {
        if (s->unit[i] == SIR_NONE)
            continue;
        s->load[s->unit[i] + 1] += plan_record_work(s->record, i);
        s->bytes[s->unit[i] + 1] += (double)plan_footprint_of(s->a, m, &i, 1).state;
    }
    for (size_t i = 0; i < m->channels.len; i++) {
        const sir_channel *c = &m->channels.data[i];
        uint32_t from = s->unit[c->producer], to = s->unit[c->consumer];
        if (from == SIR_NONE || to == SIR_NONE || from == to)
            continue;
        double bytes = (double)sched->channels[i].steady * (double)plan_element_bytes(m, (uint32_t)i);
        s->crossing[from + 1] += bytes;
        s->crossing[to + 1] -= bytes;
    }
    for (size_t i = 0; i < s->units; i++) {
        s->load[i + 1] += s->load[i];
        s->bytes[i + 1] += s->bytes[i];
        s->crossing[i + 1] += s->crossing[i];
    }
}

static void find_unable(spacer *s)
{
    s->unable = ARENA_ARRAY(s->a, uint32_t *, s->record->kinds.len + 1);
    for (uint32_t k = 0; k < s->record->kinds.len; k++) {
        if (s->record->kinds.data[k].fallback)
            continue;
        uint32_t *unable = ARENA_ARRAY(s->a, uint32_t, s->units + 2);
        for (uint32_t i = 0; i < s->p->module->actors.len; i++)
            if (s->unit[i] != SIR_NONE)
                unable[s->unit[i] + 1] |= s->record->of[i].seconds[k] < 0;
        for (size_t i = 0; i < s->units; i++)
            unable[i + 1] += unable[i];
        s->unable[s->kinds++] = unable;
    }
}

static bool can_be_run(const spacer *s, size_t from, size_t to)
{
    bool can = s->kinds == 0;
    for (size_t k = 0; k < s->kinds && !can; k++)
        can = s->unable[k][to] == s->unable[k][from];
    return can;
}

// Whether the units from one place up to another may be a stretch; one unit always may.
static bool may_be_stretch(const spacer *s, size_t from, size_t to, double load)
{
    return to == from + 1 ||
           (can_be_run(s, from, to) && s->load[to] - s->load[from] <= load && s->bytes[to] - s->bytes[from] <= s->room);
}

// Stretches that are as long as a load allows: where each begins, and how many there are; more than `most`: too many.
static size_t cut_greedily(const spacer *s, double load, size_t most, size_t *begins)
{
    size_t count = 0;
    for (size_t at = 0; at < s->units; count++) {
        if (count == most)
            return most + 1;
        begins[count] = at;
        for (at++; at < s->units && may_be_stretch(s, begins[count], at + 1, load);)
            at++;
    }
    return count;
}

// The least load of the heaviest stretch.
static double find_load(const spacer *s, size_t most, size_t *begins)
{
    double low = 0, high = s->load[s->units];
    for (size_t i = 0; i < s->units; i++)
        low = s->load[i + 1] - s->load[i] > low ? s->load[i + 1] - s->load[i] : low;
    for (int step = 0; step < SPACE_STEPS && low < high; step++) {
        double middle = (low + high) / 2;
        if (cut_greedily(s, middle, most, begins) <= most)
            high = middle;
        else
            low = middle;
    }
    return high;
}

// Of all cuts into at most `most` stretches of that load, one that the fewest bytes cross; as cut_greedily.
static size_t cut_cheaply(const spacer *s, double load, size_t most, size_t *begins)
{
    size_t n = s->units, width = n + 1;
    double *best = ARENA_ARRAY(s->a, double, most *width + 1); // by count of stretches - 1 and end
    uint32_t *from = ARENA_ARRAY(s->a, uint32_t, most *width + 1);
    for (size_t k = 0; k < most; k++)
        for (size_t end = 1; end <= n; end++) {
            double *here = &best[k * width + end];
            *here = k == 0 && may_be_stretch(s, 0, end, load) ? 0 : -1;
            for (size_t at = end - 1; k > 0 && at > 0; at--) {
                if (!may_be_stretch(s, at, end, load))
                    break;
                double before = best[(k - 1) * width + at];
                if (before < 0 || (*here >= 0 && before + s->crossing[at] >= *here))
                    continue;
                *here = before + s->crossing[at];
                from[k * width + end] = (uint32_t)at;
            }
        }
    size_t count = 0;
    for (size_t k = 0; k < most; k++)
        if (best[k * width + n] >= 0 && (count == 0 || best[k * width + n] < best[(count - 1) * width + n]))
            count = k + 1;
    size_t end = n;
    for (size_t k = count; k-- > 0; end = from[k * width + end])
        begins[k] = k == 0 ? 0 : from[k * width + end];
    return count;
}

static void find_room(spacer *s, const plan_resources *r, size_t most, size_t *begins)
{
    const double rooms[] = {CUT_ROOM, CUT_LITTLE_ROOM, INFINITY}; // the first that leaves a cut
    double smallest = INFINITY;                                   // of the processors' own memories
    for (VEC_EACH(const plan_processor, q, &r->processors))
        if (!q->direct && (double)q->bytes < smallest)
            smallest = (double)q->bytes;
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
        s->room = smallest * rooms[i];
        if (cut_greedily(s, INFINITY, most, begins) <= most)
            return;
    }
}

uint32_t *plan_cut_group_in_space(hlc_program *p, const plan_record *record, size_t *count)
{
    const plan_resources *r = record->resources;
    spacer s = {.p = p, .record = record, .a = p->arena};
    order_units(&s);
    weigh(&s);
    size_t most = r->processors.len < s.units ? r->processors.len : s.units,
           *begins = ARENA_ARRAY(p->arena, size_t, most + 2);
    *count = 0;
    if (most != 0 && !plan_record_is_plain(record)) {
        find_unable(&s);
        s.room = INFINITY;
        if (cut_greedily(&s, INFINITY, most, begins) > most) // there are too few processors for that
            s.kinds = 0;
    }
    find_room(&s, r, most, begins);
    if (most != 0) {
        double load = find_load(&s, most, begins);
        *count = cut_greedily(&s, load, most, begins);
        double work = (double)most * (double)s.units * ((double)s.units / (double)most + 1);
        if (work <= SPACE_WORK) {
            size_t cheap = cut_cheaply(&s, load * SPACE_SLACK, most, begins);
            *count = cheap != 0 ? cheap : cut_greedily(&s, load, most, begins);
        }
    }
    uint32_t *kernel_of = ARENA_ARRAY(p->arena, uint32_t, p->module->actors.len + 1);
    uint32_t *of = ARENA_ARRAY(p->arena, uint32_t, s.units + 1);
    for (size_t k = 0; k < *count; k++)
        for (size_t i = begins[k]; i < s.units; i++)
            of[i] = (uint32_t)k;
    for (uint32_t i = 0; i < p->module->actors.len; i++)
        kernel_of[i] = s.unit[i] == SIR_NONE ? SIR_NONE : of[s.unit[i]];
    return kernel_of;
}
