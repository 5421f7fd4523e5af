// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The iterative flow: the mapping search proposes, the simulator judges, buffers grow where a cycle of waits is critical,
// and what simulation shows to cost more goes into the next proposal.
#include <string.h>

#include "hlc/map/map_int.h"
#include "hlc/taskmap/taskmap_int.h"

enum { PATIENCE = 8, PROPOSALS = 4, SIMULATIONS = 20, LONGER = 8 };
#define ENOUGH 1.0005 // times what no mapping goes below: nothing more is tried

typedef struct flow {
    arena *arena;
    const graph *given;
    const machine *machine;
    const taskmap_options *options;
    model model;
    sim *costs;
    taskmap_result *result;
    map_clock clock;
    uint64_t simulations, most;
} flow;

// What a simulation found.
typedef struct judgement {
    bool fits, ends;
    double seconds; // an iteration of the given graph
    const sim_report *report;
    graph_waits waits;
} judgement;

static judgement judge(flow *f, graph *g, uint64_t iterations_in_strip)
{
    source_set sources;
    diag_engine quiet;
    source_set_init(&sources, f->arena);
    diag_init(&quiet, f->arena, &sources);
    judgement j = {.fits = graph_bind(g, &quiet, f->machine)};
    if (!j.fits)
        return j;
    f->simulations++;
    j.waits = graph_waits_make(f->arena, g);
    for (int tries = 0; tries < 2; tries++) {
        sim *s = sim_create(f->arena, f->machine, NULL);
        j.ends = graph_run(g, &quiet, s, g->iterations, &j.waits);
        if (!j.ends)
            return j;
        j.report = sim_make_report(s, f->arena, g->name);
        j.seconds = j.report->iteration_seconds / (double)iterations_in_strip;
        // Faster than possible: in the first half buffers were filled, from which the second half lived.
        if (j.seconds >= f->result->bound.seconds || tries > 0)
            break;
        g->iterations *= LONGER;
        j.waits = graph_waits_make(f->arena, g);
    }
    return j;
}

static bool is_over(flow *f)
{
    return map_clock_over(&f->clock) || f->simulations >= f->most ||
           (f->result->seconds > 0 && f->result->seconds <= f->result->bound.seconds * ENOUGH);
}

// A step for the history; the best so far is kept.
static bool note(flow *f, const char *change, const judgement *j, double predicted, const graph *g)
{
    taskmap_step step = {.change = change, .predicted = predicted};
    if (j->ends) {
        step.seconds = j->seconds;
        step.bottleneck = j->report->bottleneck;
        step.kept = f->result->seconds == 0 || j->seconds < f->result->seconds * (1 - 1e-9);
    }
    if (step.kept) {
        graph *copy = ARENA_NEW(f->arena, graph); // buffers may change afterwards
        *copy = *g;
        copy->streams.data = ARENA_ARRAY(f->arena, graph_stream, g->streams.len + 1);
        for (size_t i = 0; i < g->streams.len; i++)
            copy->streams.data[i] = g->streams.data[i];
        f->result->graph = copy;
        f->result->seconds = j->seconds;
    }
    VEC_PUSH(f->arena, &f->result->history, step);
    return step.kept;
}

// ---- Buffers ----

typedef struct wait {
    size_t stream; // SIZE_MAX: none
    bool room;
    sim_time time;
} wait;

// What a task waited for most.
static wait longest_wait(const graph *g, const judgement *j, size_t task)
{
    wait w = {SIZE_MAX, false, 0};
    for (size_t i = 0; i < g->streams.len; i++) {
        const graph_stream *s = &g->streams.data[i];
        if (s->from == task && j->waits.room[i] > w.time)
            w = (wait){i, true, j->waits.room[i]};
        if (s->to == task && j->waits.data[i] > w.time)
            w = (wait){i, false, j->waits.data[i]};
    }
    return w;
}

// Streams whose room is waited for in a deadlock.
static bool mark_open(const graph *g, const judgement *j, bool *grow)
{
    bool any = false;
    for (size_t i = 0; i < g->streams.len; i++)
        any |= grow[i] = j->waits.open_room[i];
    return any;
}

// The cycle of waits that the busiest task is led to: each waits longest for the next. Streams on it whose room is
// waited for; where the way ends without a cycle, those on the way.
static bool mark_critical(flow *f, const graph *g, const judgement *j, bool *grow)
{
    size_t n = g->tasks.len, at = 0, steps;
    sim_time longest = -1;
    for (size_t t = 0; t < n; t++) { // begin where waiting costs most: at the task with the longest wait for room
        wait w = longest_wait(g, j, t);
        if (w.stream != SIZE_MAX && w.room && w.time > longest)
            at = t, longest = w.time;
    }
    size_t *way = ARENA_ARRAY(f->arena, size_t, n + 1); // streams of the waits
    bool *seen = ARENA_ARRAY(f->arena, bool, n);
    bool any = false;
    for (steps = 0; !seen[at]; steps++) {
        wait w = longest_wait(g, j, at);
        seen[at] = true;
        if (w.stream == SIZE_MAX)
            break;
        way[steps] = w.stream;
        if (w.room)
            any |= grow[w.stream] = true;
        at = w.room ? g->streams.data[w.stream].to : g->streams.data[w.stream].from;
    }
    return any;
}

static const char *describe_growth(flow *f, const mapped *x, const bool *grow)
{
    strbuf b;
    strbuf_init(&b, f->arena);
    for (size_t i = 0; i < x->graph->streams.len; i++)
        if (grow[i])
            strbuf_printf(&b, "%s '%s'", b.len == 0 ? "buffers of" : ",", x->graph->streams.data[i].name);
    strbuf_add(&b, " grow");
    return b.data;
}

// The consumer's end first: the producer's is free as soon as that has room.
static void grow_buffers(mapped *x, const bool *grow)
{
    for (size_t i = 0; i < x->graph->streams.len; i++) {
        if (!grow[i])
            continue;
        bool producer = !x->graph->streams.data[i].shared && x->producer_blocks[i] < 2 && x->consumer_blocks[i] >= 2;
        uint64_t *blocks = producer ? &x->producer_blocks[i] : &x->consumer_blocks[i];
        *blocks += *blocks < 4 ? 1 : *blocks / 2;
    }
    build_buffers(x);
}

typedef struct sizes {
    uint64_t *producer, *consumer;
} sizes;

static void copy_sizes(mapped *to, const sizes *from)
{
    size_t bytes = to->graph->streams.len * sizeof *to->producer_blocks;
    memcpy(to->producer_blocks, from->producer, bytes);
    memcpy(to->consumer_blocks, from->consumer, bytes);
    build_buffers(to);
}

// One more block in each; false, and nothing has changed, when that does not fit.
static bool grow(flow *f, mapped *x, const bool *grow_these)
{
    size_t n = x->graph->streams.len;
    sizes before = {ARENA_ARRAY(f->arena, uint64_t, n), ARENA_ARRAY(f->arena, uint64_t, n)};
    memcpy(before.producer, x->producer_blocks, n * sizeof *before.producer);
    memcpy(before.consumer, x->consumer_blocks, n * sizeof *before.consumer);
    grow_buffers(x, grow_these);
    source_set sources;
    diag_engine quiet;
    source_set_init(&sources, f->arena);
    diag_init(&quiet, f->arena, &sources);
    if (graph_bind(x->graph, &quiet, f->machine))
        return true;
    copy_sizes(x, &before);
    return false;
}

// Simulates a mapping with small buffers, and lets those grow that a critical cycle of waits goes through.
static judgement size_buffers(flow *f, mapped *x, const char *change, double predicted)
{
    size_t n = x->graph->streams.len;
    judgement best = {0}, j = judge(f, x->graph, f->model.iterations);
    int patience = PATIENCE;
    if (!j.fits)
        return j;
    while (true) {
        note(f, change, &j, predicted, x->graph);
        bool better = j.ends && (!best.ends || j.seconds < best.seconds * (1 - 1e-6));
        patience = better || !j.ends ? PATIENCE : patience - 1;
        if (better)
            best = j;
        bool *these = ARENA_ARRAY(f->arena, bool, n + 1);
        if (is_over(f) || patience == 0 || (best.ends && predicted > 0 && best.seconds <= predicted * ENOUGH))
            break;
        if (!(j.ends ? mark_critical(f, x->graph, &j, these) : mark_open(x->graph, &j, these)) || !grow(f, x, these))
            break;
        change = describe_growth(f, x, these);
        j = judge(f, x->graph, f->model.iterations);
    }
    return best;
}

// ---- The flow ----

static void judge_given(flow *f)
{
    source_set sources;
    diag_engine quiet;
    source_set_init(&sources, f->arena);
    diag_init(&quiet, f->arena, &sources);
    graph *copy = ARENA_NEW(f->arena, graph);
    *copy = *f->given;
    for (VEC_EACH(const graph_task, t, &f->given->tasks))
        if (t->processor_name == NULL)
            return;
    if (!graph_bind(copy, &quiet, f->machine))
        return;
    judgement j = judge(f, copy, 1);
    double best = f->result->seconds;
    note(f, "as given", &j, 0, copy);
    VEC_LAST(&f->result->history).kept = false;
    f->result->seconds = best; // it is not what is searched for: it may use other processors
    f->result->graph = NULL;
}

// What the simulator measured a task to be busy with beyond what the search counts, a strip.
static void learn(flow *f, const mapped *x, const judgement *j, double *extra)
{
    const graph *g = f->given;
    for (size_t t = 0; t < g->tasks.len; t++) {
        double busy = 0;
        for (VEC_EACH(const graph_task, task, &x->graph->tasks)) {
            size_t n = strlen(g->tasks.data[t].name);
            if (strncmp(task->name, g->tasks.data[t].name, n) != 0 || (task->name[n] != '\0' && task->name[n] != '.'))
                continue;
            for (VEC_EACH(const sim_work_row, w, &j->report->work))
                if (w->label != NULL && strcmp(w->label, task->name) == 0 &&
                    sim_activity_group_of(w->activity) == SIM_OVERHEAD)
                    busy += sim_to_seconds(w->time);
        }
        busy /= (double)j->report->iterations;
        extra[t] = busy > 0 ? busy : extra[t];
    }
}

static const char *describe_mapping(flow *f, const mapped *x)
{
    strbuf b;
    strbuf_init(&b, f->arena);
    for (size_t p = 0; p < f->machine->processors.len; p++) {
        bool any = false;
        for (VEC_EACH(const graph_task, t, &x->graph->tasks)) {
            if (t->processor != p)
                continue;
            if (!any)
                strbuf_printf(&b, "%s%s:", b.len == 0 ? "" : "; ", t->processor_name);
            strbuf_printf(&b, " %s", t->name);
            any = true;
        }
    }
    return b.data;
}

// Proposals for rounds of at most so many strips.
static bool propose(flow *f, diag_engine *d, uint32_t most_strips)
{
    double *extra = ARENA_ARRAY(f->arena, double, f->given->tasks.len);
    const char *last = "", *why = NULL;
    for (int i = 0; i < PROPOSALS && !is_over(f); i++) {
        map_problem p;
        model_problem(&f->model, f->costs, extra, &p);
        p.most_strips = most_strips;
        // Exactly where nothing is split; what integers say of split tasks, the simulator judges otherwise.
        map_options how = {.method = f->options->split ? MAP_HEURISTIC : MAP_AUTOMATIC,
                           .seconds = f->options->seconds / 8,
                           .seed = f->options->seed + (uint64_t)i};
        map_result *r = map_search(f->arena, &p, &how, &why);
        if (r == NULL) {
            diag_error_at(d, f->given->name, "%s", why);
            return false;
        }
        double in_strip = (double)f->model.iterations;
        f->result->cut_off |= r->cut_off;
        if (i == 0 && (f->result->bound.seconds == 0 || r->bound.seconds / in_strip < f->result->bound.seconds)) {
            f->result->bound = r->bound;
            f->result->bound.seconds /= in_strip;
        }
        placement where = model_placement(&f->model, r);
        mapped *x = build_graph(&f->model, &where);
        const char *change = describe_mapping(f, x);
        if (strcmp(change, last) == 0)
            break;
        judgement j = size_buffers(f, x, change, r->seconds / in_strip);
        if (!j.ends)
            break;
        last = change;
        learn(f, x, &j, extra);
    }
    return true;
}

static void count_processors(flow *f)
{
    bool *used = ARENA_ARRAY(f->arena, bool, f->machine->processors.len);
    for (VEC_EACH(const graph_task, t, &f->result->graph->tasks)) {
        f->result->processors += !used[t->processor];
        used[t->processor] = true;
    }
    f->result->available = f->model.processors.len;
    f->result->iterations = f->model.iterations;
}

taskmap_result *taskmap_search(arena *a, diag_engine *d, const graph *g, const machine *m, const taskmap_options *o)
{
    flow f = {.arena = a, .given = g, .machine = m, .options = o};
    f.model = (model){.arena = a, .graph = g, .machine = m};
    f.result = ARENA_NEW(a, taskmap_result);
    f.clock.end = map_now() + o->seconds;
    f.most = (uint64_t)(SIMULATIONS * o->seconds) + 1;
    if (!model_make(&f.model, d, o))
        return NULL;
    f.costs = sim_create(a, m, NULL);
    judge_given(&f);
    static const uint32_t strips[] = {8, 16, 32};
    for (size_t i = 0; i < (o->split ? sizeof strips / sizeof *strips : 1) && (i == 0 || !is_over(&f)); i++)
        if (!propose(&f, d, strips[i]))
            return NULL;
    f.result->cut_off |= f.clock.cut_off;
    if (f.result->graph == NULL) {
        diag_error_at(d, g->name,
                      "no mapping was found whose buffers fit the local memories and which does not deadlock, "
                      "in %llu simulations",
                      (unsigned long long)f.simulations);
        return NULL;
    }
    count_processors(&f);
    return f.result;
}
