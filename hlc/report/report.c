// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gathers from the plan what a report shows of it.
#include "hlc/report/report.h"

#include <inttypes.h>
#include <string.h>

#include "hlc/map/map.h"
#include "hlc/passes/pass.h"
#include "hlc/plan/footprint.h"
#include "hlc/plan/plan_int.h"
#include "hlc/plan/profile.h"
#include "hlc/report/draw.h"
#include "support/quantity.h"

// A kernel as the report sees it: the one of a processor, one of a cut, or a static region.
typedef struct kernel_view {
    const char *name, *of; // of: the stream that its actors are from; NULL: the program
    size_t actors;
    double operations; // of a steady state of the program, about
    const char *where, *more;
} kernel_view;

typedef struct reporter {
    hlc_program *p;
    arena *arena;
    hlc_report *report;
    const sir_module *whole;
    const schedule *schedule;
    const plan_net *graph; // NULL: the plan is of the program itself
    uint32_t *kernel_of;   // per actor of the program
    VEC(kernel_view) kernels;
} reporter;

static void add_fact(reporter *r, const char *what, const char *text)
{
    VEC_PUSH(r->arena, &r->report->facts, (hlc_report_fact){what, text});
}

// ---- Kernels ----

// What most of the actors have in common: the region that is nearest above all of them.
static const char *common_name(const reporter *r, const plan_net_kernel *kernel)
{
    const sir_module *m = r->whole;
    if (kernel->actors.len == 1)
        return m->actors.data[kernel->actors.data[0]]->name;
    uint32_t region = m->actors.data[kernel->actors.data[0]]->region;
    for (VEC_EACH(const uint32_t, actor, &kernel->actors)) {
        // Above this actor?
        bool above = false;
        while (!above) {
            for (uint32_t x = m->actors.data[*actor]->region; x != SIR_NONE && !above; x = m->regions.data[x].parent)
                above = x == region;
            if (!above && m->regions.data[region].parent == SIR_NONE)
                break;
            if (!above)
                region = m->regions.data[region].parent;
        }
    }
    return m->regions.data[region].name;
}

// What a kernel of the net is called where it runs; NULL: it has none.
static const char *emitted_name(const reporter *r, uint32_t number)
{
    for (VEC_EACH(const plan_kernel, k, &r->p->plan->kernels))
        for (VEC_EACH(const plan_item, item, &k->items))
            for (VEC_EACH(const plan_stage, st, &item->stages))
                for (size_t i = 0; i < plan_stage_members(st); i++) {
                    uint32_t of = r->graph->actor_of[plan_stage_member(st, i).actor];
                    if (of != SIR_NONE)
                        for (VEC_EACH(const uint32_t, actor, &r->graph->kernels.data[number].actors))
                            if (*actor == of)
                                return k->name;
                }
    return NULL;
}

static void view_pieces(reporter *r)
{
    for (uint32_t i = 0; i < r->graph->kernels.len; i++) {
        const plan_net_kernel *kernel = &r->graph->kernels.data[i];
        for (VEC_EACH(const uint32_t, actor, &kernel->actors))
            r->kernel_of[*actor] = i;
        const char *common = kernel->actors.len == 0 ? "empty" : common_name(r, kernel), *name = emitted_name(r, i);
        VEC_PUSH(r->arena, &r->kernels,
                 (kernel_view){.name = name == NULL ? common : name, .of = common, .actors = kernel->actors.len});
    }
}

static void view_kernels(reporter *r)
{
    const plan *pl = r->p->plan;
    for (uint32_t k = 0; k < pl->kernels.len; k++) {
        kernel_view view = {.name = pl->kernels.data[k].name};
        for (VEC_EACH(const plan_item, item, &pl->kernels.data[k].items))
            for (VEC_EACH(const plan_stage, st, &item->stages))
                for (size_t member = 0; member < plan_stage_members(st); member++) {
                    uint32_t actor = plan_stage_member(st, member).actor;
                    view.actors += r->kernel_of[actor] != k;
                    r->kernel_of[actor] = k;
                }
        VEC_PUSH(r->arena, &r->kernels, view);
    }
}

// Where the strips of a kernel run, in words: "SPE3", "SPE0 to SPE7 in turn".
static const char *describe_where(const reporter *r, uint32_t kernel)
{
    const plan_cut *cut = r->p->cut;
    const plan_processor *all = cut->resources->processors.data;
    size_t count = 0, n = cut->resources->processors.len;
    bool *used = ARENA_ARRAY(r->arena, bool, n + 1);
    uint32_t first = 0, last = 0;
    for (uint32_t s = 0; s < cut->strips; s++) {
        uint32_t q = cut->where[kernel * cut->strips + s];
        if (used[q])
            continue;
        used[q] = true;
        first = count == 0 || q < first ? q : first;
        last = count == 0 || q > last ? q : last;
        count++;
    }
    if (count <= 1)
        return all[first].processor->element.name;
    return arena_printf(r->arena, "%s%s%s%s", all[first].processor->element.name, count == 2 ? " and " : " to ",
                        all[last].processor->element.name,
                        count == last - first + 1 ? "" : arena_printf(r->arena, " (%zu of them)", count));
}

// The processor of a kernel of a net, and those that do its runs.
static const char *describe_net_place(const reporter *r, uint32_t kernel)
{
    const plan *pl = r->p->plan;
    const plan_names *strips = pl->where.len == 0 ? NULL : &pl->where.data[kernel].offload;
    if (strips == NULL || strips->len == 0)
        return plan_net_processor(pl, kernel);
    return strips->len == 1
               ? arena_printf(r->arena, "%s, strips on %s", plan_net_processor(pl, kernel), strips->data[0])
               : arena_printf(r->arena, "%s, strips on %s and %zu more", plan_net_processor(pl, kernel),
                              strips->data[0], strips->len - 1);
}

static void find_operations(reporter *r)
{
    const double *each = plan_costs(r->p, r->whole);
    double total = 0;
    for (uint32_t i = 0; i < r->whole->actors.len; i++) {
        double operations = each[i] * (double)r->schedule->reps[i];
        if (r->kernel_of[i] == SIR_NONE)
            continue;
        r->kernels.data[r->kernel_of[i]].operations += operations;
        total += operations;
    }
    for (uint32_t i = 0; i < r->kernels.len; i++) {
        kernel_view *k = &r->kernels.data[i];
        const plan_cut *cut = r->p->cut;
        k->where = cut != NULL && cut->where != NULL ? describe_where(r, i)
                   : r->p->net != NULL               ? describe_net_place(r, i)
                                                     : r->p->plan->processor;
        const char *state =
            cut == NULL || i >= cut->kernels.len || cut->kernels.data[i].pinned_by == SIR_NONE
                ? ""
                : arena_printf(r->arena, ", %s %s", r->whole->actors.data[cut->kernels.data[i].pinned_by]->name,
                               plan_reason_text(r->arena, cut->kernels.data[i].why));
        k->more = arena_printf(r->arena, "%zu actor%s%s%s, about %.3g %% of all operations%s", k->actors,
                               k->actors == 1 ? "" : "s", k->of == NULL || k->actors == 1 ? "" : " of ",
                               k->of == NULL || k->actors == 1 ? "" : k->of,
                               total > 0 ? 100 * k->operations / total : 0, state);
    }
}

// ---- Pictures ----

static void draw_program(reporter *r)
{
    strbuf b;
    strbuf_init(&b, r->arena);
    const char **names = ARENA_ARRAY(r->arena, const char *, r->kernels.len + 1);
    for (size_t i = 0; i < r->kernels.len; i++)
        names[i] = arena_printf(r->arena, "%s on %s", r->kernels.data[i].name, r->kernels.data[i].where);
    const draw_colors colors = {r->kernel_of, names, r->kernels.len};
    draw_graph(r->arena, &b, r->whole, &colors);
    r->report->graph = b.data;
}

// Number of the box of an actor: kernels come first, then what the control program does.
static uint32_t box_of(const uint32_t *kernel_of, uint32_t actor, const uint32_t *boxes)
{
    return kernel_of[actor] != SIR_NONE ? 1 + kernel_of[actor] : boxes[actor];
}

static double steady_bytes(const reporter *r, uint32_t channel)
{
    return (double)r->schedule->channels[channel].steady * (double)plan_element_bytes(r->whole, channel);
}

// What passes between two boxes in a steady state, as one flow.
static void add_flow(reporter *r, draw_flows *f, hmap *sums, uint32_t from, uint32_t to, double bytes)
{
    uint32_t pair[2] = {from, to};
    double *sum = hmap_getn(sums, pair, sizeof pair);
    if (sum == NULL) {
        sum = ARENA_NEW(r->arena, double);
        hmap_setn(sums, pair, sizeof pair, sum);
        VEC_PUSH(r->arena, &f->flows, (draw_flow){from, to, NULL});
    }
    *sum += bytes;
}

// Splitters and joiners that have become index maps belong to the kernel of what gives them items, or else of what
// takes them.
static void adopt(reporter *r, uint32_t *kernel_of)
{
    size_t actors = r->whole->actors.len, channels = r->whole->channels.len;
    memcpy(kernel_of, r->kernel_of, actors * sizeof *kernel_of);
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < channels; i++) {
            const sir_channel *c = &r->whole->channels.data[i];
            if (kernel_of[c->consumer] == SIR_NONE && !sir_is_file(r->whole->actors.data[c->consumer]))
                kernel_of[c->consumer] = kernel_of[c->producer];
        }
        for (size_t i = channels; i-- > 0;) {
            const sir_channel *c = &r->whole->channels.data[i];
            if (kernel_of[c->producer] == SIR_NONE && !sir_is_file(r->whole->actors.data[c->producer]))
                kernel_of[c->producer] = kernel_of[c->consumer];
        }
    }
}

static void draw_mapping(reporter *r)
{
    arena *a = r->arena;
    draw_flows f = {0};
    const char *control = r->p->cut != NULL ? r->p->cut->resources->control->element.name : r->p->plan->control;
    VEC_PUSH(a, &f.boxes,
             (draw_kernel_box){.name = "read input", .where = control, .note = "control program", .color = SIR_NONE});
    for (uint32_t i = 0; i < r->kernels.len; i++)
        VEC_PUSH(a, &f.boxes,
                 (draw_kernel_box){r->kernels.data[i].name, r->kernels.data[i].where, r->kernels.data[i].more, i});
    VEC_PUSH(a, &f.boxes,
             (draw_kernel_box){.name = "write output", .where = control, .note = "control program", .color = SIR_NONE});
    uint32_t *boxes = ARENA_ARRAY(a, uint32_t, r->whole->actors.len + 1);
    for (uint32_t i = 0; i < r->whole->actors.len; i++)
        boxes[i] = r->whole->actors.data[i]->kind == SIR_READER   ? 0
                   : r->whole->actors.data[i]->kind == SIR_WRITER ? (uint32_t)r->kernels.len + 1
                                                                  : SIR_NONE;
    uint32_t *kernel_of = ARENA_ARRAY(a, uint32_t, r->whole->actors.len + 1);
    adopt(r, kernel_of);
    hmap sums;
    hmap_init(&sums, a);
    for (uint32_t i = 0; i < r->whole->channels.len; i++) {
        const sir_channel *c = &r->whole->channels.data[i];
        uint32_t from = box_of(kernel_of, c->producer, boxes), to = box_of(kernel_of, c->consumer, boxes);
        if (from != SIR_NONE && to != SIR_NONE && from != to)
            add_flow(r, &f, &sums, from, to, steady_bytes(r, i));
    }
    bool used[2] = {false, false};
    for (VEC_EACH(draw_flow, e, &f.flows)) {
        uint32_t pair[2] = {e->from, e->to};
        double bytes = *(double *)hmap_getn(&sums, pair, sizeof pair);
        e->label = bytes == 0 ? "as rates vary" : quantity_bytes(a, bytes);
        used[0] = used[0] || e->from == 0;
        used[1] = used[1] || e->to == r->kernels.len + 1;
    }
    if (!used[1])
        f.boxes.len--;
    if (!used[0]) {
        memmove(f.boxes.data, f.boxes.data + 1, --f.boxes.len * sizeof *f.boxes.data);
        for (VEC_EACH(draw_flow, e, &f.flows))
            e->from--, e->to--;
    }
    strbuf b;
    strbuf_init(&b, a);
    draw_kernels(a, &b, &f);
    r->report->mapped = b.data;
}

// ---- Memory ----

typedef struct lives {
    draw_extent *extents;
    const uint32_t *before; // stages of earlier kernels; PLAN_NONE: a kernel that is not shown
    bool *outside;
} lives;

static void note_life(void *context, const plan_use *use)
{
    lives *l = context;
    draw_extent *e = &l->extents[use->buffer];
    if (use->kernel == PLAN_NONE || l->before[use->kernel] == PLAN_NONE) {
        l->outside[use->buffer] = true;
        return;
    }
    uint32_t stage = l->before[use->kernel] + use->item;
    e->first = stage < e->first ? stage : e->first;
    e->last = stage > e->last ? stage : e->last;
}

// Whether a kernel runs on a processor of the resources; without a cut all do.
static bool runs_on(const reporter *r, size_t kernel, uint32_t processor)
{
    return r->p->cut == NULL || plan_kernel_runs_on(r->p->cut, (uint32_t)kernel, processor);
}

static void number_stages(const reporter *r, uint32_t processor, draw_memory_map *map, uint32_t *before)
{
    const plan *pl = r->p->plan;
    size_t most = 0;
    for (VEC_EACH(const plan_kernel, k, &pl->kernels))
        most += k->items.len;
    const char **names = ARENA_ARRAY(r->arena, const char *, most + 1);
    for (size_t k = 0; k < pl->kernels.len; k++) {
        before[k] = runs_on(r, k, processor) ? map->stages : PLAN_NONE;
        for (size_t i = 0; before[k] != PLAN_NONE && i < pl->kernels.data[k].items.len; i++) {
            const plan_item *item = &pl->kernels.data[k].items.data[i];
            names[map->stages++] =
                item->stages.len == 0 ? "" : r->p->module->actors.data[item->stages.data[0].actor]->name;
        }
    }
    map->stage_names = names;
}

// Where a buffer lies and how long; false: not in this memory.
static bool find_extent(const reporter *r, const lives *l, uint32_t buffer, uint32_t processor, uint32_t stages,
                        draw_extent *e)
{
    const plan *pl = r->p->plan;
    const sir_module *m = r->p->module;
    const plan_buffer *b = &pl->buffers.data[buffer];
    const sir_channel *c = &m->channels.data[b->channel];
    *e = l->extents[buffer];
    e->name = m->actors.data[c->producer]->name;
    e->from = b->address;
    e->bytes = plan_buffer_bytes(b, m);
    bool always = b->keep > 0 || l->outside[buffer] || e->first == UINT32_MAX;
    if (r->p->cut != NULL) {
        if (!runs_on(r, r->p->cut->graph->kernel_of[c->producer], processor))
            return false;
        if (plan_end_of(pl, m, buffer) != PLAN_NONE) {
            if (!plan_cut_move(r->p->cut))
                return false; // a queue in the shared memory
            e->bytes = plan_window_bytes(pl, m, buffer) * pl->cut->depth;
            e->name = arena_printf(r->arena, "%s (%u blocks)", e->name, pl->cut->depth);
            always = true;
        }
    }
    e->first = always ? 0 : e->first;
    e->last = always ? stages - 1 : e->last;
    e->color = always ? SIR_NONE : buffer;
    return true;
}

// What the kernels on a processor take beside buffers, above these, where it lies in the same memory.
static void add_footprint(const reporter *r, uint32_t processor, draw_memory_map *map)
{
    const plan_cut *cut = r->p->cut;
    const plan_processor *q = &cut->resources->processors.data[processor];
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < cut->kernels.len; i++) {
        const plan_net_kernel *kernel = &cut->graph->kernels.data[i];
        plan_footprint f = {0};
        if (runs_on(r, i, processor))
            f = plan_footprint_of(r->arena, r->whole, kernel->actors.data, kernel->actors.len);
        bytes += plan_footprint_bytes(&f, q);
    }
    if (bytes > 0)
        VEC_PUSH(r->arena, &map->extents,
                 (draw_extent){.name = q->holds_code ? "code, tables, stack and state, estimated" : "state",
                               .from = r->p->plan->bytes,
                               .bytes = bytes,
                               .last = map->stages - 1,
                               .color = 5});
    uint64_t end = r->p->plan->bytes + bytes;
    map->used = end;
    map->bytes = q->bytes > end && q->bytes <= 8 * end ? q->bytes : end;
}

// The buffers that a processor's kernels work on.
static void draw_buffers(reporter *r, const char *name, const machine_memory *memory, uint32_t processor)
{
    const plan *pl = r->p->plan;
    arena *a = r->arena;
    uint32_t *before = ARENA_ARRAY(a, uint32_t, pl->kernels.len + 1);
    draw_memory_map map = {
        .name = name, .bytes = pl->bytes, .used = pl->bytes, .size = memory == NULL ? 0 : machine_usable(memory)};
    number_stages(r, processor, &map, before);
    if (map.stages == 0)
        return;
    lives l = {.extents = ARENA_ARRAY(a, draw_extent, pl->buffers.len + 1),
               .before = before,
               .outside = ARENA_ARRAY(a, bool, pl->buffers.len + 1)};
    for (size_t i = 0; i < pl->buffers.len; i++)
        l.extents[i] = (draw_extent){.first = UINT32_MAX};
    plan_visit_uses(pl, r->p->module, r->p->schedule, note_life, &l);
    for (uint32_t i = 0; i < pl->buffers.len; i++) {
        draw_extent e;
        if (find_extent(r, &l, i, processor, map.stages, &e))
            VEC_PUSH(a, &map.extents, e);
    }
    if (r->p->cut != NULL && !r->p->cut->resources->processors.data[processor].direct)
        add_footprint(r, processor, &map);
    strbuf b;
    strbuf_init(&b, a);
    draw_memory(a, &b, &map);
    if (b.len > 0)
        VEC_PUSH(a, &r->report->memories, b.data);
}

static bool same_kernels(const reporter *r, uint32_t x, uint32_t y)
{
    for (size_t k = 0; k < r->p->cut->kernels.len; k++)
        if (runs_on(r, k, x) != runs_on(r, k, y))
            return false;
    return true;
}

// One map for processors that run the same kernels.
static void draw_memories(reporter *r)
{
    if (r->p->cut == NULL) {
        draw_buffers(r, r->p->plan->memory, machine_memory_by_name(r->p->machine, r->p->plan->memory), 0);
        return;
    }
    const plan_resources *all = r->p->cut->resources;
    for (uint32_t q = 0; q < all->processors.len; q++) {
        bool drawn = false;
        uint32_t alike = 0, last = q;
        for (uint32_t k = 0; k < all->processors.len; k++) {
            bool same = all->processors.data[q].kind == all->processors.data[k].kind && same_kernels(r, q, k);
            drawn = drawn || (same && k < q);
            alike += same;
            last = same ? k : last;
        }
        if (drawn)
            continue;
        const plan_processor *p = &all->processors.data[q];
        const char *name = p->direct ? p->processor->element.name : p->memory->element.name;
        const plan_processor *other = &all->processors.data[last];
        const char *to = other->direct ? other->processor->element.name : other->memory->element.name;
        if (alike > 1)
            name = arena_printf(r->arena, "%s, and %s%s", name,
                                alike == 2 ? to : arena_printf(r->arena, "%" PRIu32 " more up to %s", alike - 1, to),
                                " alike");
        if (p->direct)
            name = arena_printf(r->arena, "buffers in '%s' of %s", p->memory->element.name, name);
        draw_buffers(r, name, p->memory, q);
    }
}

// ---- Facts ----

// What the mapping was judged by, and how it was found.
static void add_judgement(reporter *r)
{
    const plan_cut *cut = r->p->cut;
    const map_result *j = cut->judged;
    if (j == NULL || j->seconds <= 0 || cut->bound->seconds <= 0)
        return;
    double strip = (double)r->p->plan->strip;
    r->report->predicted = j->seconds / strip;
    const char *by = r->p->profile != NULL ? "by measured times" : "by estimated operations";
    add_fact(r, "predicted",
             arena_printf(r->arena, "%s steady states a second %s (limit: %s); the bound is %s (%s); ratio %.3f",
                          quantity_count(r->arena, strip / j->seconds), by, map_limit_text(r->arena, &j->bottleneck),
                          quantity_count(r->arena, strip / cut->bound->seconds), map_limit_text(r->arena, cut->bound),
                          cut->bound->seconds / j->seconds));
    // 'judged' is a prediction and knows nothing of a search: that is told by the search's own result.
    const map_result *search = plan_cut_is_searched(cut) ? cut->tried : NULL;
    const char *how = search == NULL  ? "strips assigned evenly, which the search could not better"
                      : search->exact ? "the search, by integer programming"
                                      : "the search, by annealing";
    if (search != NULL)
        how = arena_printf(r->arena, "%s; %" PRIu64 " steps%s", how, search->steps,
                           search->proven    ? "; nothing better exists"
                           : search->cut_off ? "; cut off by the clock"
                                             : "");
    add_fact(r, "found by", how);
}

// The search's history: a chart, and a row for each method.
static void add_search(reporter *r)
{
    const plan_cut *cut = r->p->cut;
    if (cut == NULL || cut->assigned == NULL || cut->assigned->seconds <= 0)
        return;
    const map_result *tried = cut->tried;
    double strip = (double)r->p->plan->strip;
    if (tried == NULL || tried->history.len == 0) {
        r->report->search_text = "Strips assigned evenly are so near the bound that nothing was searched for.";
        return;
    }
    draw_search_history h = {tried->history.data, tried->history.len, strip, cut->assigned->seconds / strip};
    strbuf chart;
    strbuf_init(&chart, r->arena);
    draw_search(r->arena, &chart, &h);
    r->report->search = chart.data;
    for (size_t i = 0, end; i < h.count; i = end) {
        end = draw_search_end(&h, i);
        const map_moment *first = &h.moments[i], *last = &h.moments[end - 1];
        hlc_report_method m = {map_stage_name(first->stage), last->step - first->step, first->seconds / strip,
                               last->seconds / strip, last->lower / strip};
        VEC_PUSH(r->arena, &r->report->methods, m);
    }
    r->report->search_text = plan_cut_is_searched(cut)
                                 ? "Strips are assigned as the search found best."
                                 : "What the search found is no better than strips assigned evenly, or "
                                   "does not fit: they are assigned evenly.";
}

static void add_facts(reporter *r)
{
    const plan *pl = r->p->plan;
    const plan_cut *cut = r->p->cut;
    arena *a = r->arena;
    size_t filters = 0;
    for (VEC_EACH(sir_actor *, actor, &r->whole->actors))
        filters += (*actor)->kind == SIR_FILTER;
    add_fact(r, "program",
             arena_printf(a, "%s: %zu actors, %zu of them filters", r->whole->name, r->whole->actors.len, filters));
    if (cut != NULL) {
        add_fact(r, "processors",
                 arena_printf(a, "%zu of '%s', started by '%s'", cut->resources->processors.len, r->p->machine->name,
                              cut->resources->control->element.name));
        add_fact(r, "rounds",
                 arena_printf(a,
                              "%" PRIu32 " strips of %" PRId64 " steady states each; up to %" PRIu32
                              " rounds under way at once",
                              cut->strips, pl->strip, cut->rounds));
        add_judgement(r);
        add_search(r);
    } else if (pl->where.len != 0) {
        add_fact(
            r, "processors",
            arena_printf(a, "those of '%s' that work in '%s'; streams join their kernels", pl->machine, pl->memory));
        for (uint32_t k = 0; k < pl->where.len; k++) {
            const plan_net_place *where = &pl->where.data[k];
            if (where->offload.len != 0)
                add_fact(
                    r, "offloaded",
                    arena_printf(a, "the static region of '%s': strips of up to %" PRId64 " steady states, on '%s'%s",
                                 r->whole->actors.data[r->graph->kernels.data[k].actors.data[0]]->name, where->strip,
                                 where->offload.data[0],
                                 where->offload.len == 1 ? ""
                                                         : arena_printf(a, " and %zu others", where->offload.len - 1)));
        }
        add_fact(
            r, "strip",
            arena_printf(a, "%" PRId64 " steady states, %" PRId64 " in a round", pl->strip, pl->strip * pl->rounds));
    } else {
        add_fact(r, "processor",
                 arena_printf(a, "'%s' of '%s', in memory '%s'", pl->processor, pl->machine, pl->memory));
        add_fact(r, "strip", arena_printf(a, "%" PRId64 " steady states", pl->strip));
    }
    add_fact(r, "buffers",
             arena_printf(a, "%s bytes; no layout takes fewer than %s", quantity_count(a, (double)pl->bytes),
                          quantity_count(a, (double)pl->least_bytes)));
}

bool report_make(hlc_program *p, hlc_report *report)
{
    if (p->plan == NULL)
        return true;
    const plan_net *graph = p->cut != NULL ? p->cut->graph : p->net;
    reporter r = {.p = p,
                  .arena = p->arena,
                  .report = report,
                  .whole = graph == NULL ? p->module : graph->whole,
                  .schedule = graph == NULL ? p->schedule : graph->whole_schedule,
                  .graph = graph};
    r.kernel_of = ARENA_ARRAY(p->arena, uint32_t, r.whole->actors.len + 1);
    for (size_t i = 0; i < r.whole->actors.len; i++)
        r.kernel_of[i] = SIR_NONE;
    if (graph != NULL)
        view_pieces(&r);
    else
        view_kernels(&r);
    for (size_t i = 0; i < r.whole->actors.len; i++)
        if (sir_is_file(r.whole->actors.data[i]))
            r.kernel_of[i] = SIR_NONE;
    find_operations(&r);
    report->program = r.whole->name;
    report->machine = p->machine->name;
    report->strip = p->plan->strip;
    report->round = p->plan->strip * (p->cut != NULL && p->cut->strips > 0 ? p->cut->strips : 1);
    add_facts(&r);
    draw_program(&r);
    draw_mapping(&r);
    draw_memories(&r);
    return report->folder == NULL || report_move_files(p, graph == NULL ? p->module : graph->whole, report);
}
