// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Firings as threads. A thread has as many neighbouring firings as make whole elements of four floats (hlc/plan/threads.c), and
// calls the firing function for each. What it reads of one input lies together: where items continue from firing to firing,
// an input has them all; else each lookup has an input of its own, whose elements are apart in memory.
#include <inttypes.h>
#include <string.h>

#include "hlc/emit/program_int.h"

enum { ELEMENT = 4, MOST_INPUTS = 16, MOST_WIDTH = 4096, MOST_PITCH = 8188, MOST_ROWS = 8191, LAUNCH_ROWS = 8000 };

static bool is_int(const sir_type *t)
{
    return t->kind == SIR_INT;
}

static const machine_processor *launcher(const program_emitter *x)
{
    return plan_launcher(x->p->machine);
}

bool program_launches(const program_emitter *x)
{
    const machine_processor *p = launcher(x);
    return p != NULL && x->net == NULL && (x->pl->cut != NULL || strcmp(x->pl->processor, p->element.name) == 0);
}

// ---- Where items are ----

static size_t unbounded_digit(const plan_digits *d)
{
    size_t i = 0;
    while (i < d->len && d->data[i].radix != 0)
        i++;
    return i;
}

// The strides of two levels of a view of items; false: it has others.
static bool item_strides(const plan_digits *d, int64_t *stride, int64_t *second)
{
    bool pairs = d->len == 2 && d->data[0].radix == 2;
    *stride = d->len == 0 ? 1 : d->data[0].stride;
    *second = pairs ? d->data[1].stride : 2 * *stride;
    return d->len < 2 || pairs;
}

// One side of a thread: where its firings' items are. window: items that a firing touches. *continues: items go on from firing to firing
// as they do in one. False when no plane has them.
static bool find_side(const plan_digits *items, int64_t firing, int64_t rate, int64_t window, int64_t firings,
                      program_side *side, bool *continues)
{
    bool regular = item_strides(items, &side->stride, &side->second);
    side->step = firings * firing;
    *continues = true;
    if (window == 1) {
        side->stride = firing;
        side->second = 2 * firing;
    } else if (window == 2 && rate == 2) {
        side->second = firing;
        regular = true;
    } else {
        *continues = rate % 2 == 0 ? firing == rate / 2 * side->second
                                   : side->second == 2 * side->stride && firing == rate * side->stride;
    }
    return regular && firing > 0 && side->stride > 0 && (*continues || firings == 1);
}

// Inputs of whole elements, and their number.
static bool find_input(program_threads *t, bool continues)
{
    t->apart = !(continues && t->shape.firings * t->pop % ELEMENT == 0);
    if (!t->apart) {
        t->in.step = 2 * t->in.second;
        return true;
    }
    // The last element of the last thread is not beyond what there is.
    return t->shape.lookups <= MOST_INPUTS && (continues || ELEMENT * t->shape.lookups <= t->peek);
}

// Of firings that are rows of a domain: elements lie in each as they do in others.
static bool find_rows(const plan_walk *items, const program_walk *w, program_threads *t)
{
    bool regular = item_strides(&items->in_items, &t->in.stride, &t->in.second) &&
                   item_strides(&items->out_items, &t->out.stride, &t->out.second);
    t->in.step = 2 * t->in.second;
    t->out.step = 2 * t->out.second;
    return regular && t->reads && w->in.len == 1 && w->in.data[0].stride > 0 && w->out.data[0].stride > 0 &&
           t->in.stride > 0 && t->out.stride > 0 && t->in.step > 0 && t->out.step > 0;
}

static bool find_shape(const emit_signature *fire, const plan_walk *items, const program_walk *w, int64_t push,
                       program_threads *t)
{
    size_t at = unbounded_digit(&w->in);
    int64_t firings = t->shape.firings;
    bool in_continues = true, out_continues;
    if (w->general || at == w->in.len || !fire->out || fire->actor || fire->fields.len != 0 || fire->given.len != 0 ||
        fire->iter || fire->log)
        return false;
    int64_t in = w->in.data[at].stride, out = w->out.data[at].stride;
    t->reads = fire->in;
    if (t->shape.domain != NULL)
        return find_rows(items, w, t);
    return find_side(&items->out_items, out, push, push, firings, &t->out, &out_continues) &&
           (!t->reads || (find_side(&items->in_items, in, t->pop, t->peek, firings, &t->in, &in_continues) &&
                          find_input(t, in_continues)));
}

// ---- The function ----

static const char *plane_name(program_emitter *x, const char *base, int64_t number, int64_t count)
{
    return count == 1 ? base : arena_printf(x->e.arena, "%s%" PRId64, base, number);
}

static int64_t inputs_of(const program_threads *t)
{
    return !t->reads ? 0 : t->apart ? t->shape.lookups : 1;
}

// The loops' counters are digits of x. A quotient with a half more is away from whole numbers by more than it is rounded.
static void emit_counters(program_emitter *x, const plan_domain *d)
{
    const char *left = "x";
    for (size_t i = d->trips.len; i-- > 0;) {
        int64_t trips = d->trips.data[i];
        if (i == 0) {
            text_line(x, 1, "const float i0 = %s;", left);
            return;
        }
        text_line(x, 1, "const float left%zu = floorf((%s + 0.5f) * (1.0f / %" PRId64 ".0f));", i, left, trips);
        text_line(x, 1, "const float i%zu = %s - %" PRId64 ".0f * left%zu;", i, left, trips, i);
        left = arena_printf(x->e.arena, "left%zu", i);
    }
}

static void emit_windows(program_emitter *x, const program_threads *t)
{
    arena *a = x->e.arena;
    int64_t at = 0;
    emit_counters(x, t->shape.domain);
    for (VEC_EACH(const plan_window, w, &t->shape.domain->windows)) {
        const char *from = "";
        for (size_t i = 0; i < w->strides.len; i++)
            if (w->strides.data[i] == 1)
                from = arena_printf(a, "%si%zu + ", from, i);
            else if (w->strides.data[i] != 0)
                from = arena_printf(a, "%s%" PRId64 ".0f * i%zu + ", from, w->strides.data[i], i);
        text_line(x, 1, "for (int i = 0; i < %" PRId64 "; i++)", w->elements);
        text_line(x, 2, "%s(items + %s4 * i, in, %s(float)%s, y);", t->in_ints ? "svm_lookupInts" : "svm_lookup",
                  at == 0 ? "" : arena_printf(a, "%" PRId64 " + ", ELEMENT * at), from,
                  w->first == 0 ? "i" : arena_printf(a, "(%" PRId64 " + i)", w->first));
        at += w->elements;
    }
}

static void emit_lookups(program_emitter *x, const program_threads *t)
{
    int64_t inputs = inputs_of(t), pops = t->shape.firings * t->pop / ELEMENT;
    if (!t->reads)
        return;
    if (t->shape.domain != NULL) {
        emit_windows(x, t);
        return;
    }
    if (t->apart) {
        for (int64_t i = 0; i < inputs; i++)
            text_line(x, 1, "%s(items%s, %s, x, y);", t->in_ints ? "svm_lookupInts" : "svm_lookup",
                      i == 0 ? "" : arena_printf(x->e.arena, " + %" PRId64, ELEMENT * i),
                      plane_name(x, "in", i, inputs));
        return;
    }
    const char *from = pops == 1 ? "x" : arena_printf(x->e.arena, "%" PRId64 ".0f * x", pops);
    if (t->shape.lookups == 1) {
        text_line(x, 1, "%s(items, in, %s, y);", t->in_ints ? "svm_lookupInts" : "svm_lookup", from);
        return;
    }
    text_line(x, 1, "for (int i = 0; i < %" PRId64 "; i++)", t->shape.lookups);
    text_line(x, 2, "%s(items + 4 * i, in, %s + (float)i, y);", t->in_ints ? "svm_lookupInts" : "svm_lookup", from);
}

static void emit_firings(program_emitter *x, const program_threads *t, const emit_signature *fire, int64_t push)
{
    if (t->shape.firings == 1) {
        text_line(x, 1, "%s(%sresults);", fire->name, t->reads ? "items, " : "");
        return;
    }
    text_line(x, 1, "for (int i = 0; i < %" PRId64 "; i++)", t->shape.firings);
    text_line(x, 2, "%s(%sresults + %s);", fire->name,
              t->reads ? arena_printf(x->e.arena, "items + %s, ", text_times(x, "i", t->pop)) : "",
              text_times(x, "i", push));
}

static void emit_function(program_emitter *x, const program_threads *t, const emit_signature *fire, int64_t push)
{
    arena *a = x->e.arena;
    text_args params = {0};
    int64_t inputs = inputs_of(t), outputs = t->shape.outputs;
    VEC_PUSH(a, &params, "float x");
    VEC_PUSH(a, &params, "float y");
    for (int64_t i = 0; i < inputs; i++)
        VEC_PUSH(a, &params, arena_printf(a, "const svm_Plane *%s", plane_name(x, "in", i, inputs)));
    for (int64_t i = 0; i < outputs; i++)
        VEC_PUSH(a, &params, arena_printf(a, "svm_Plane *%s", plane_name(x, "out", i, outputs)));
    const char *ints = t->shape.int_most == 0
                           ? ""
                           : arena_printf(a, "ints(%" PRId64 ", %" PRId64 "), ", t->shape.int_least, t->shape.int_most);
    text_line(x, 0, "SVM_FIRE(thread, optional, firings(%" PRId64 "), %sestimate(%.0f, %.2f, %.0f))", t->shape.firings,
              ints, t->shape.start, t->shape.each, t->shape.least);
    text_call(x, 0, arena_printf(a, "static inline void %s(", t->name), &params, ")");
    text_line(x, 0, "{");
    if (t->reads)
        text_line(x, 1, "%s items[%" PRId64 "];", t->in_ints ? "int" : "float", ELEMENT * t->shape.lookups);
    text_line(x, 1, "%s results[%" PRId64 "];", t->out_ints ? "int" : "float", ELEMENT * outputs);
    emit_lookups(x, t);
    emit_firings(x, t, fire, push);
    for (int64_t i = 0; i < outputs; i++)
        text_line(x, 1, "%s(%s, x, y, results%s);", t->out_ints ? "svm_outputInts" : "svm_output",
                  plane_name(x, "out", i, outputs), i == 0 ? "" : arena_printf(a, " + %" PRId64, ELEMENT * i));
    text_line(x, 0, "}\n");
}

// What a firing takes on the processor, and on one that could do it as well: vectors have neighbouring firings there.
static void remark_cost(program_emitter *x, const sir_filter *f, const program_threads *t)
{
    const machine_processor *on = launcher(x);
    for (VEC_EACH(const machine_processor, q, &x->p->machine->processors))
        if (q->kind == MACHINE_processor_kind_KERNEL && q->fallback)
            diag_remark(x->p->diag, sir_range(x->m, x->p->sources, f->work->loc),
                        "'%s' takes about %.3g us a firing on '%s', and would take about %.3g us on '%s' [thread]",
                        f->name, 1e6 * plan_thread_seconds(&t->shape, on), on->element.name,
                        1e6 * plan_fallback_seconds(x->e.arena, f, q), q->element.name);
}

static void remark_launch(program_emitter *x, const sir_filter *f, const program_threads *t)
{
    const char *lies = arena_printf(x->e.arena, "with %" PRId64 " lookups and %" PRId64 " outputs",
                                    !t->reads                 ? 0
                                    : t->shape.domain == NULL ? t->shape.lookups
                                                              : t->shape.read,
                                    t->shape.outputs);
    if (t->shape.assumed)
        lies = arena_printf(x->e.arena, "%s, of ints from %" PRId64 " to %" PRId64 " (others: in loops)", lies,
                            t->shape.int_least, t->shape.int_most);
    if (t->shape.domain != NULL)
        diag_remark(x->p->diag, sir_range(x->m, x->p->sources, f->work->loc),
                    "'%s' is launched: a firing is %" PRId64 " threads, %s [thread]", f->name,
                    plan_domain_threads(t->shape.domain), lies);
    else
        diag_remark(x->p->diag, sir_range(x->m, x->p->sources, f->work->loc),
                    "'%s' is launched: a thread has %" PRId64 " firing%s, %s [thread]", f->name, t->shape.firings,
                    t->shape.firings == 1 ? "" : "s", lies);
    remark_cost(x, f, t);
}

program_threads program_thread_function(program_emitter *x, emit_filter_info *info, const sir_function *f,
                                        const emit_signature *fire, const plan_walk *items, const program_walk *w)
{
    static const plan_digits together = {0};
    program_threads t = {0};
    if (!program_launches(x) || x->in_cycle || plan_thread_of(x->p, info->filter, launcher(x), &t.shape).why != NULL)
        return t;
    if (plan_thread_too_slow(x->p, info->filter, launcher(x), &t.shape).why != NULL)
        return (program_threads){0};
    t.in_ints = is_int(info->filter->input);
    t.out_ints = is_int(info->filter->output);
    t.pop = f->pop.max;
    t.push = f->push.max;
    t.peek = f->peek.max > t.pop ? f->peek.max : t.pop;
    if (!find_shape(fire, items, w, f->push.max, &t)) {
        diag_remark(x->p->diag, sir_range(x->m, x->p->sources, f->loc),
                    "'%s' is not launched: its items lie where no thread's elements can [thread]", info->filter->name);
        return (program_threads){0};
    }
    const char *key = arena_printf(x->e.arena, "%p %d", (const void *)f, t.apart);
    t.name = hmap_get(&x->threads, key);
    if (t.name != NULL)
        return t;
    emit_filter_info *of = t.shape.domain != NULL ? program_filter_info(x, t.shape.domain->block) : info;
    const sir_function *work = t.shape.domain != NULL ? t.shape.domain->block->work : f;
    emit_signature one = program_fire_function(x, of, work, &together, &together);
    t.name = emit_unique_name(&x->e, arena_printf(x->e.arena, "%s_thread", info->c_name));
    hmap_set(&x->threads, key, (void *)(uintptr_t)t.name);
    emit_function(x, &t, &one, work->push.max);
    remark_launch(x, info->filter, &t);
    return t;
}

// ---- Launches ----

// A launch's rows are the turns of digits of the walk that have bounds, and there may be several such launches, one behind the
// other; or, rows 0, they are of one long row of threads.
typedef struct launch_rows {
    int64_t rows, in, out; // in and out: from a turn's items to the next one's, of one digit
    bool several;          // digits: tables have the places
    int64_t in_firing, out_firing;
} launch_rows;

static const char *plane(program_emitter *x, const char *data, int64_t offset, const char *width, const char *elements,
                         const program_side *s, const launch_rows *rows, const char *row, bool ints)
{
    arena *a = x->e.arena;
    const char *strides = arena_printf(a, "%" PRId64 ", %" PRId64 ", %" PRId64, s->step, s->stride, s->second), *text;
    data = text_plus(x, data, offset);
    if (rows->rows != 0)
        text = arena_printf(a, "%s(%s, %s, %" PRId64 ", %s, %s)", rows->several ? "svm_planePlaces" : "svm_planeRows",
                            data, width, rows->rows, row, strides);
    else if (s->step == ELEMENT && s->stride == 1 && s->second == 2)
        text = arena_printf(a, "svm_plane(%s, %s, %s)", data, width, elements);
    else
        text = arena_printf(a, "svm_planeApart(%s, %s, %s, %s)", data, width, elements, strides);
    return ints ? arena_printf(a, "svm_planeInts(%s)", text) : text;
}

// The planes of one launch, and their addresses for it.
static void emit_planes(program_emitter *x, int indent, const program_threads *t, const char *in, const char *out,
                        const launch_rows *rows, text_args *args)
{
    arena *a = x->e.arena;
    int64_t inputs = inputs_of(t), outputs = t->shape.outputs, pops = t->shape.firings * t->pop / ELEMENT;
    const char *in_row = rows->several ? "in_rows" : arena_printf(a, "%" PRId64, rows->in);
    const char *out_row = rows->several ? "out_rows" : arena_printf(a, "%" PRId64, rows->out);
    for (int64_t i = 0; i < inputs; i++) {
        const char *name = plane_name(x, "from", i, inputs), *width = "threads.width", *elements = "threads.threads";
        if (!t->apart) {
            width = text_times(x, width, pops);
            elements = text_plus(x, text_times(x, elements, pops), t->shape.lookups - pops);
        }
        if (!t->apart && rows->rows != 0)
            width = text_plus(x, width, t->shape.lookups - pops);
        text_line(x, indent, "const svm_Plane %s = %s;", name,
                  plane(x, in, 2 * i * t->in.second, width, elements, &t->in, rows, in_row, t->in_ints));
        VEC_PUSH(a, args, arena_printf(a, "&%s", name));
    }
    for (int64_t i = 0; i < outputs; i++) {
        const char *name = plane_name(x, "to", i, outputs);
        text_line(x, indent, "svm_Plane %s = %s;", name,
                  plane(x, out, 2 * i * t->out.second, "threads.width", "threads.threads", &t->out, rows, out_row,
                        t->out_ints));
        VEC_PUSH(a, args, arena_printf(a, "&%s", name));
    }
}

// Of a nest's digits those with bounds that loops go through, for pointers.
static void looped_digits(arena *a, const plan_digits *d, const bool *joined, plan_digits *out)
{
    for (size_t i = 0; i < d->len; i++)
        VEC_PUSH(a, out, d->data[i].radix == 0 || joined[i] ? ((plan_digit){0, 0}) : d->data[i]);
}

// The digits with bounds whose turns are rows of one launch: those with most turns first, as many as a domain has rows for. Gives
// the number of rows; 0: none has a bound.
static int64_t join_digits(const program_walk *w, bool *joined)
{
    int64_t rows = 1;
    for (;;) {
        size_t best = w->in.len;
        for (size_t i = 0; i < w->in.len; i++)
            if (!joined[i] && w->in.data[i].radix > (best == w->in.len ? 1 : w->in.data[best].radix) &&
                w->in.data[i].radix <= MOST_ROWS / rows && w->out.data[i].stride > 0)
                best = i;
        if (best == w->in.len)
            return rows == 1 ? 0 : rows;
        joined[best] = true;
        rows *= w->in.data[best].radix;
    }
}

// The places of rows of several digits.
static void emit_row_places(program_emitter *x, const char *side, const plan_digits *d, const bool *joined,
                            int64_t rows)
{
    arena *a = x->e.arena;
    const char *turns = "", *strides = "";
    size_t loops = 0;
    for (size_t i = 0; i < d->len; i++)
        if (joined[i]) {
            const char *comma = loops++ == 0 ? "" : ", ";
            turns = arena_printf(a, "%s%s%" PRId64, turns, comma, d->data[i].radix);
            strides = arena_printf(a, "%s%s%" PRId64, strides, comma, d->data[i].stride);
        }
    text_line(x, 1, "ptrdiff_t %s_rows[%" PRId64 "];", side, rows);
    text_args args = {0};
    VEC_PUSH(a, &args, arena_printf(a, "%s_rows", side));
    VEC_PUSH(a, &args, arena_printf(a, "%zu", loops));
    VEC_PUSH(a, &args, arena_printf(a, "(const ptrdiff_t[]){%s}", turns));
    VEC_PUSH(a, &args, arena_printf(a, "(const ptrdiff_t[]){%s}", strides));
    text_call(x, 1, "svm_rowPlaces(", &args, ");");
}

static const char *extent(program_emitter *x, const program_threads *t, const char *count)
{
    arena *a = x->e.arena;
    int64_t n = t->shape.firings, pops = n * t->pop / ELEMENT, most = MOST_WIDTH;
    if (t->reads && !t->apart && pops > 0 && (MOST_PITCH - t->shape.lookups) / pops < most)
        most = (MOST_PITCH - t->shape.lookups) / pops / 4 * 4;
    bool spare = t->reads && ELEMENT * t->shape.lookups > (n - 1) * t->pop + t->peek;
    const char *threads = n == 1 ? count : arena_printf(a, "%s / %" PRId64, count, n);
    if (spare)
        threads = arena_printf(a, "svm_threads(%s, %" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 ")", count, n,
                               ELEMENT * t->shape.lookups, t->pop, t->peek);
    return arena_printf(a, "svm_extent(%s, %" PRId64 ")", threads, most);
}

// Firings that are rows of the domain.
static const char *launch_rows_of_firings(program_emitter *x, const program_threads *t, const program_walk *w)
{
    const struct {
        const char *constant, *name, *data;
        int64_t width, items, firing;
        const program_side *side;
        bool ints;
    } planes[] = {
        {"const ", "from", "in", t->shape.domain->elements, t->peek, w->in.data[0].stride, &t->in, t->in_ints},
        {"", "to", "out", plan_domain_threads(t->shape.domain), t->push, w->out.data[0].stride, &t->out, t->out_ints},
    };
    arena *a = x->e.arena;
    text_args args = {0};
    text_line(x, 1, "const ptrdiff_t rows = count < %d ? count : %d;", LAUNCH_ROWS, LAUNCH_ROWS);
    for (size_t i = 0; i < sizeof planes / sizeof *planes; i++) {
        const program_side *s = planes[i].side;
        const char *plane =
            arena_printf(a, "svm_planeRows(%s, %" PRId64 ", rows, %" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 ")",
                         planes[i].data, planes[i].width, planes[i].firing, s->step, s->stride, s->second);
        if (!t->shape.domain->rows)
            plane = arena_printf(a, "svm_planeItems(%s, %" PRId64 ")", plane, planes[i].items);
        text_line(x, 1, "%ssvm_Plane %s = %s;", planes[i].constant, planes[i].name,
                  planes[i].ints ? arena_printf(a, "svm_planeInts(%s)", plane) : plane);
        VEC_PUSH(a, &args, arena_printf(a, "&%s", planes[i].name));
    }
    text_call(x, 1,
              arena_printf(a, "SVM_DOMAIN(%" PRId64 ", rows, %s, ", plan_domain_threads(t->shape.domain), t->name),
              &args, ");");
    return "rows";
}

const char *program_launch(program_emitter *x, const program_threads *t, const program_walk *w)
{
    arena *a = x->e.arena;
    plan_digits in = {0}, out = {0};
    text_args args = {0};
    if (t->name == NULL)
        return "0";
    if (t->shape.domain != NULL)
        return launch_rows_of_firings(x, t, w);
    int64_t period = digits_period(&w->in);
    const char *count = period == 1 ? "count" : arena_printf(a, "count / %" PRId64, period);
    size_t long_row = unbounded_digit(&w->in);
    bool *joined = ARENA_ARRAY(a, bool, w->in.len + 1);
    launch_rows rows = {.rows = join_digits(w, joined)};
    rows.in_firing = w->in.data[long_row].stride;
    rows.out_firing = w->out.data[long_row].stride;
    for (size_t i = 0, digits = 0; i < w->in.len; i++)
        if (joined[i]) {
            rows.several = digits++ > 0;
            rows.in = w->in.data[i].stride;
            rows.out = w->out.data[i].stride;
        }
    looped_digits(a, &w->in, joined, &in);
    looped_digits(a, &w->out, joined, &out);
    if (rows.several) {
        if (t->reads)
            emit_row_places(x, "in", &w->in, joined, rows.rows);
        emit_row_places(x, "out", &w->out, joined, rows.rows);
    }
    text_line(x, 1, "const svm_Extent threads = %s;", extent(x, t, count));
    int indent = 1;
    for (size_t i = w->in.len; i-- > 0;) {
        const char *index = i == 0 ? "i" : arena_printf(a, "i%zu", i);
        if (w->in.data[i].radix != 0 && !joined[i])
            text_line(x, indent++, "for (ptrdiff_t %s = 0; %s < %" PRId64 "; %s++) {", index, index,
                      w->in.data[i].radix, index);
    }
    const char *from = program_nest_pointer(x, "in", &in), *to = program_nest_pointer(x, "out", &out);
    if (rows.rows != 0) {
        text_line(x, indent++, "for (ptrdiff_t row = 0; row < threads.rows; row++) {");
        const char *done = "row * threads.width";
        if (t->reads)
            from = arena_printf(a, "%s + %s", from, text_times(x, done, t->shape.firings * rows.in_firing));
        to = arena_printf(a, "%s + %s", to, text_times(x, done, t->shape.firings * rows.out_firing));
    }
    emit_planes(x, indent, t, from, to, &rows, &args);
    const char *height = rows.rows == 0 ? "threads.rows" : arena_printf(a, "%" PRId64, rows.rows);
    text_call(x, indent, arena_printf(a, "SVM_DOMAIN(threads.width, %s, %s, ", height, t->name), &args, ");");
    while (indent > 1)
        text_line(x, --indent, "}");
    return text_times(x, "threads.threads", t->shape.firings);
}
