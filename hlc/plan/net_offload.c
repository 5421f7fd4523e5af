// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which static regions of a program with dynamic rates or messages are offloaded: their runs are done, in strips, by
// processors with memories of their own. Engines move windows of the region's inputs there and of its outputs back; the
// region's kernel, and all else, stays where the control side is.
//
// NOTE(state). What a region keeps from one steady state to the next beside items of its inputs, fields of its actors and items
// in its channels, is in blocks of its own. Engines move them there before a run's first strip, and back behind its last one.
// So strips of such a region follow each other on one processor, and its kernel finds in them what the run has left.
//
// NOTE(units). Strips begin where engines can: a strip is a multiple of so many steady states that each end moves whole units
// of bytes. What is looked at beyond a strip, its halo, is rounded up, so an input's buffer has room for a unit more.
#include <inttypes.h>
#include <string.h>

#include "hlc/passes/pass.h"
#include "hlc/plan/abilities.h"
#include "hlc/plan/footprint.h"
#include "hlc/plan/plan_int.h"
#include "hlc/plan/threads.h"
#include "hlc/plan/thresholds.h"

enum {
    OFFLOAD_ALIGNMENT = 64, // buffers begin at multiples of it; what engines move must
    OFFLOAD_FIELD = 8,      // and fields of a state, at most
};

// ---- Processors ----

static bool is_far(const hlc_program *p, const plan *pl, const machine_processor *x)
{
    const machine_memory *memory = machine_memory_by_name(p->machine, pl->memory);
    return x->kind == MACHINE_processor_kind_KERNEL && !x->fallback && !plan_launches(x) && memory != NULL &&
           !machine_reaches(p->machine, x, memory);
}

const plan_resources *plan_offload_resources(hlc_program *p, const plan *pl)
{
    size_t far = 0;
    for (VEC_EACH(const machine_processor, x, &p->machine->processors))
        far += is_far(p, pl, x);
    const plan_demands demands = {.io = false};
    const plan_resources *all = far == 0 ? NULL : plan_resources_find(p->arena, p->diag, p->machine, 0, &demands);
    if (all == NULL || strcmp(all->control->element.name, pl->control) != 0 ||
        strcmp(all->shared->element.name, pl->memory) != 0)
        return NULL;
    plan_resources *r = plan_resources_pair_engines(p->arena, all);
    size_t kept = 0, most = p->config->processors > 0 ? (size_t)p->config->processors : SIZE_MAX;
    for (VEC_EACH(const plan_processor, q, &r->processors)) {
        bool fits = OFFLOAD_ALIGNMENT % q->transfer_alignment == 0 && r->shared->alignment % q->transfer_alignment == 0;
        if (is_far(p, pl, q->processor) && !q->direct && q->load != NULL && fits && kept < most)
            r->processors.data[kept++] = *q;
    }
    r->processors.len = kept;
    return kept == 0 ? NULL : r;
}

const plan_processor *plan_offload_processor(const plan_resources *r, const char *name)
{
    for (size_t i = 0; r != NULL && i < r->processors.len; i++)
        if (strcmp(r->processors.data[i].processor->element.name, name) == 0)
            return &r->processors.data[i];
    return NULL;
}

static size_t number_of(const plan_resources *r, const char *name)
{
    return (size_t)(plan_offload_processor(r, name) - r->processors.data);
}

uint64_t plan_offload_base(const plan_resources *r, const plan_processor *q)
{
    uint64_t before = 0;
    for (const plan_processor *o = r->processors.data; o < q; o++)
        before += o->memory == q->memory;
    return before * q->bytes;
}

// ---- Blocks ----

static int64_t whole(int64_t n, int64_t of)
{
    return (n + of - 1) / of * of;
}

// The fewest elements whose bytes are a multiple of `alignment`.
static int64_t elements(uint64_t alignment, uint64_t size)
{
    return (int64_t)alignment / sched_gcd((int64_t)alignment, (int64_t)size);
}

int64_t plan_offload_room(const plan *pl, const sir_module *m, uint32_t buffer)
{
    const plan_net *net = pl->net;
    if (net == NULL || pl->where.len == 0)
        return 0;
    const sir_channel *ch = &m->channels.data[pl->buffers.data[buffer].channel];
    bool moved = net->actor_of[ch->producer] == SIR_NONE || pl->buffers.data[buffer].keep != 0;
    if (!moved || pl->where.data[net->kernel_of[ch->producer]].offload.len == 0)
        return 0;
    return elements(OFFLOAD_ALIGNMENT, plan_element_bytes(m, pl->buffers.data[buffer].channel)) - 1;
}

static const plan_io *end_at(const plan *pl, uint32_t buffer, bool reader)
{
    const plan_io *found = NULL;
    for (size_t i = 0; i < (reader ? pl->readers.len : pl->writers.len); i++) {
        const plan_io *io = reader ? &pl->readers.data[i] : &pl->writers.data[i];
        found = io->access.buffer == buffer ? io : found;
    }
    return found;
}

static uint32_t region_of(const plan *pl, const sir_module *m, uint32_t buffer)
{
    return pl->net->kernel_of[m->channels.data[pl->buffers.data[buffer].channel].producer];
}

// NOTE(windows). An input's buffer may be that of outputs, too, which then have their items: engines need not move these back.
// What several streams give may be in one buffer, as behind a splitter that duplicates. One that keeps items has the first of
// what a run gives behind these: each strip begins with what the one before has left, and all of its window goes back. A stream
// that moves nothing in steady states has no window, unless its consumers look at what the initialisation has brought.
static plan_offload_kind kind_of(const plan *pl, uint32_t buffer)
{
    const plan_buffer *b = &pl->buffers.data[buffer];
    bool input = end_at(pl, buffer, true) != NULL, output = end_at(pl, buffer, false) != NULL;
    if (b->step == 0 && b->keep == 0)
        return PLAN_OFFLOAD_INSIDE;
    return input                    ? PLAN_OFFLOAD_INPUT
           : output && b->keep == 0 ? PLAN_OFFLOAD_OUTPUT
           : output                 ? PLAN_OFFLOAD_KEEPING
           : b->keep != 0           ? PLAN_OFFLOAD_KEPT
                                    : PLAN_OFFLOAD_INSIDE;
}

// ---- State: NOTE(state) ----

// Bytes of the fields, the count of firings and the random numbers of a region's actors, however they lie in structs.
static uint64_t state_bytes(const plan *pl, const sir_module *m, uint32_t kernel)
{
    uint64_t bytes = 0, align;
    for (uint32_t i = 0; i < m->actors.len; i++) {
        const sir_actor *a = m->actors.data[i];
        if (pl->net->kernel_of[i] != kernel || a->kind != SIR_FILTER)
            continue;
        for (VEC_EACH(const sir_field, field, &a->filter->fields))
            if (!field->constant)
                bytes += (uint64_t)whole((int64_t)plan_item_size(field->type, &align), OFFLOAD_FIELD);
        bytes += OFFLOAD_FIELD * ((uint64_t)a->filter->uses_iter + (uint64_t)a->filter->uses_random);
    }
    return (uint64_t)whole((int64_t)bytes, OFFLOAD_ALIGNMENT);
}

static uint64_t kept_bytes(const plan *pl, const sir_module *m, uint32_t kernel)
{
    uint64_t bytes = state_bytes(pl, m, kernel);
    for (uint32_t b = 0; b < pl->buffers.len; b++)
        if (region_of(pl, m, b) == kernel &&
            (kind_of(pl, b) == PLAN_OFFLOAD_KEPT || kind_of(pl, b) == PLAN_OFFLOAD_KEEPING))
            bytes += (uint64_t)pl->buffers.data[b].keep * plan_element_bytes(m, pl->buffers.data[b].channel);
    return bytes;
}

bool plan_offload_keeps(const plan *pl, const sir_module *m, uint32_t kernel)
{
    return kept_bytes(pl, m, kernel) != 0;
}

// Steady states that a strip is a multiple of.
static int64_t unit_of(const plan *pl, const sir_module *m, uint32_t kernel, uint64_t alignment)
{
    int64_t unit = 1;
    for (uint32_t b = 0; b < pl->buffers.len; b++) {
        if (region_of(pl, m, b) != kernel || (end_at(pl, b, true) == NULL && end_at(pl, b, false) == NULL))
            continue;
        int64_t of = elements(alignment, plan_element_bytes(m, pl->buffers.data[b].channel)),
                states = of / sched_gcd(of, pl->buffers.data[b].step);
        unit = unit / sched_gcd(unit, states) * states;
    }
    return unit;
}

plan_offload plan_offload_of(arena *a, diag_engine *d, const plan *pl, const sir_module *m, const schedule *s,
                             const plan_processor *on, uint32_t kernel)
{
    const plan_net_place *where = &pl->where.data[kernel];
    const int64_t strip = where->strip;
    plan *inside = plan_copy(a, pl, pl->cut);
    inside->strip = strip; // as long as those there
    plan_offload o = {.bytes = where->at, .unit = unit_of(pl, m, kernel, on->transfer_alignment)};
    if (!plan_resize(a, d, inside, m, s))
        return o;
    uint64_t alignment =
        on->memory->alignment > on->transfer_alignment ? on->memory->alignment : on->transfer_alignment;
    for (uint32_t b = 0; b < pl->buffers.len; b++) {
        if (region_of(pl, m, b) != kernel)
            continue;
        const plan_buffer *buffer = &inside->buffers.data[b];
        uint64_t size = plan_element_bytes(m, buffer->channel);
        int64_t moved = whole(buffer->keep, elements(on->transfer_alignment, size));
        plan_offload_block block = {.buffer = b, .kind = kind_of(pl, b)};
        bool window = block.kind != PLAN_OFFLOAD_INSIDE && block.kind != PLAN_OFFLOAD_KEPT;
        block.step = window ? buffer->step : 0;
        block.more = window ? moved : buffer->capacity;
        bool exact = block.kind == PLAN_OFFLOAD_KEEPING && moved == buffer->keep;
        block.kept = block.kind == PLAN_OFFLOAD_KEPT || exact ? moved : 0;
        o.bytes = (uint64_t)whole((int64_t)o.bytes, (int64_t)alignment);
        block.address = o.bytes;
        uint64_t bytes = (uint64_t)(block.step * strip + block.more) * size;
        if (window)
            block.bytes = (uint64_t)whole((int64_t)bytes, (int64_t)alignment);
        o.bytes += window ? block.bytes * where->turns : bytes;
        VEC_PUSH(a, &o.blocks, block);
    }
    o.state = state_bytes(pl, m, kernel);
    o.state_at = (uint64_t)whole((int64_t)o.bytes, (int64_t)alignment);
    o.bytes = o.state == 0 ? o.bytes : o.state_at + o.state;
    return o;
}

// Steady states that strips had better be a multiple of: then firings that go side by side fill their vectors.
static int64_t grain_of(hlc_program *p, uint32_t kernel, int64_t unit)
{
    int64_t grain = unit;
    for (uint32_t i = 0; i < p->module->actors.len; i++) {
        if (p->net->kernel_of[i] != kernel || p->net->actor_of[i] == SIR_NONE || !plan_runs_in_lanes(p, i))
            continue;
        int64_t states = OFFLOAD_FIRINGS / sched_gcd(OFFLOAD_FIRINGS, p->schedule->reps[i]);
        grain = grain / sched_gcd(grain, states) * states;
    }
    return grain;
}

int64_t plan_offload_grain(hlc_program *p, uint32_t kernel, int64_t unit)
{
    int64_t grain = grain_of(p, kernel, unit);
    return p->plan->where.data[kernel].strip % grain == 0 ? grain : unit;
}

// ---- What can be ----

static const plan_reason *of_actor(const hlc_program *p, const sir_actor *actor, const plan_reason *why)
{
    return plan_reason_of(p->arena, (plan_reason){PLAN_WHY_ACTOR, .names = {actor->name}, .behind = why});
}

// Why a processor cannot run all of a region; NULL: it can.
static const plan_reason *find_lack(hlc_program *p, const plan_processor *q, uint32_t kernel)
{
    for (VEC_EACH(const uint32_t, actor, &p->net->kernels.data[kernel].actors)) {
        plan_lack lack = plan_record_lack(p, p->net->whole, *actor, q->processor);
        if (lack.why != NULL)
            return of_actor(p, p->net->whole->actors.data[*actor], lack.why);
    }
    return NULL;
}

// Why what a region keeps cannot go to another processor and back; NULL: it can, or keeps nothing.
static const plan_reason *find_tied(hlc_program *p, uint32_t kernel)
{
    for (uint32_t i = 0; i < p->module->actors.len; i++) {
        bool inside = p->net->kernel_of[i] == kernel && p->net->actor_of[i] != SIR_NONE;
        const plan_reason *why = inside ? plan_actor_is_tied(p, i) : NULL;
        if (why != NULL)
            return of_actor(p, p->module->actors.data[i], why);
    }
    return NULL;
}

// ---- What pays ----

static double bytes_moved(const hlc_program *p, uint32_t kernel)
{
    double bytes = 0;
    for (uint32_t b = 0; b < p->plan->buffers.len; b++)
        if (region_of(p->plan, p->module, b) == kernel &&
            (end_at(p->plan, b, true) != NULL || end_at(p->plan, b, false) != NULL))
            bytes += (double)p->plan->buffers.data[b].step *
                     (double)plan_element_bytes(p->module, p->plan->buffers.data[b].channel);
    return bytes;
}

// Seconds until a strip has been started, run and ended, beside its work.
static double start_seconds(const hlc_program *p, const plan_processor *q, uint32_t kernel)
{
    const machine_processor *control = machine_processor_by_name(p->machine, p->plan->control);
    double run = machine_seconds(control->kernel_run, control->clock),
           seconds = plan_start_seconds(q->processor) + (run > 0 ? run : 0);
    for (uint32_t b = 0; b < p->plan->buffers.len; b++) {
        bool in = end_at(p->plan, b, true) != NULL, out = end_at(p->plan, b, false) != NULL;
        if (region_of(p->plan, p->module, b) != kernel || (!in && !out))
            continue;
        seconds += (run > 0 ? run : 0) + plan_start_seconds(in ? q->load : q->store);
    }
    return seconds;
}

// Of what a region keeps, for a run.
static double keep_operations(const hlc_program *p, uint32_t kernel)
{
    return 2 * OFFLOAD_OPERATIONS * (double)kept_bytes(p->plan, p->module, kernel);
}

// The fewest steady states of a run that are offloaded.
static int64_t find_least(const hlc_program *p, const plan_processor *q, uint32_t kernel, double operations,
                          int64_t unit)
{
    const machine_processor *here = machine_processor_by_name(p->machine, p->plan->processor);
    if (p->config->offload == HLC_OFFLOAD_ALL)
        return unit;
    double least = OFFLOAD_STARTS * start_seconds(p, q, kernel) / (operations * plan_seconds_an_operation(here)) +
                   keep_operations(p, kernel) / operations;
    return least > PLAN_OFFLOAD_MOST ? PLAN_OFFLOAD_MOST : whole((int64_t)least + 1, unit);
}

// Steady states of a region's runs, at most. most: plan_ways_most_firings.
static int64_t longest_run(const hlc_program *p, uint32_t kernel, const plan_net_work *work, const int64_t *most)
{
    const plan_net *net = p->net;
    const plan_net_kernel *k = &net->kernels.data[kernel];
    int64_t longest = INT64_MAX;
    if (net->single && k->paced)
        longest = k->steady;
    else if (net->single && work->once[kernel] > 0)
        longest = (int64_t)(work->all[kernel] / work->once[kernel]);
    for (uint32_t i = 0; i < p->module->actors.len; i++) {
        uint32_t of = net->actor_of[i];
        if (net->kernel_of[i] != kernel || of == SIR_NONE || most[of] == INT64_MAX)
            continue;
        int64_t states = most[of] / (p->schedule->reps[i] > 0 ? p->schedule->reps[i] : 1);
        longest = states < longest ? states : longest;
    }
    return longest;
}

static const plan_reason *find_gain(hlc_program *p, uint32_t kernel, const plan_net_work *work)
{
    double all = 0, bytes = bytes_moved(p, kernel);
    if (p->config->offload == HLC_OFFLOAD_ALL)
        return NULL;
    for (size_t k = 0; k < p->net->kernels.len; k++)
        all += work->all[k];
    if (work->all[kernel] < OFFLOAD_SHARE * all)
        return plan_reason_plain(PLAN_WHY_LITTLE_WORK);
    return work->once[kernel] < OFFLOAD_OPERATIONS * bytes
               ? plan_reason_of(p->arena, (plan_reason){PLAN_WHY_BYTES_COST, .measures = {work->once[kernel], bytes}})
               : NULL;
}

// ---- fiss ----

// A region that keeps something is done by one processor: of those that can, the one that has least to do so far.
static const plan_reason *choose_one(hlc_program *p, const plan_resources *r, uint32_t kernel,
                                     const plan_net_work *work, double *loads)
{
    plan_names *names = &p->plan->where.data[kernel].offload;
    const machine_processor *here = machine_processor_by_name(p->machine, p->plan->processor);
    double all = 0;
    for (size_t k = 0; k < p->net->kernels.len; k++)
        all += work->all[k];
    size_t best = r->processors.len;
    for (VEC_EACH(const char *, name, names)) {
        size_t q = number_of(r, *name);
        best = best == r->processors.len || loads[q] < loads[best] ? q : best;
    }
    const machine_processor *there = r->processors.data[best].processor;
    double slower = plan_seconds_an_operation(there) / plan_seconds_an_operation(here);
    names->len = 0;
    if (p->config->offload != HLC_OFFLOAD_ALL && work->all[kernel] * slower > OFFLOAD_GAIN * all)
        return plan_reason_plain(PLAN_WHY_ONE_WOULD_DO);
    loads[best] += work->all[kernel];
    VEC_PUSH(p->arena, names, there->element.name);
    return NULL;
}

static const plan_reason *try_region(hlc_program *p, const plan_resources *r, uint32_t kernel,
                                     const plan_net_work *work, const int64_t *most, double *loads)
{
    plan_net_place *where = &p->plan->where.data[kernel];
    const plan_reason *why = find_tied(p, kernel);
    why = why != NULL ? why : find_gain(p, kernel, work);
    const plan_reason *lack = NULL;
    for (VEC_EACH(const plan_processor, q, &r->processors)) {
        const plan_reason *lacks = why != NULL ? NULL : find_lack(p, q, kernel);
        if (why == NULL && lacks == NULL)
            VEC_PUSH(p->arena, &where->offload, q->processor->element.name);
        lack = lack != NULL ? lack : lacks;
    }
    if (where->offload.len != 0 && plan_offload_keeps(p->plan, p->module, kernel))
        why = choose_one(p, r, kernel, work, loads);
    if (where->offload.len == 0)
        return why != NULL ? why : lack;
    const plan_processor *q = plan_offload_processor(r, where->offload.data[0]);
    int64_t unit = unit_of(p->plan, p->module, kernel, q->transfer_alignment);
    int64_t least = find_least(p, q, kernel, work->once[kernel], unit), longest = longest_run(p, kernel, work, most);
    if (longest < least && p->config->offload != HLC_OFFLOAD_ALL) {
        where->offload.len = 0;
        return plan_reason_of(p->arena, (plan_reason){PLAN_WHY_RUNS_SHORT, .counts = {longest, least}});
    }
    where->helpers.len = 0;
    where->least = least;
    where->strip = 0;
    where->turns = 0;
    where->at = 0;
    return NULL;
}

bool plan_net_offload(hlc_program *p, const plan_net_work *work)
{
    plan *pl = p->plan;
    size_t count = p->net->kernels.len;
    const plan_resources *r =
        p->config->offload == HLC_OFFLOAD_NONE || p->config->processors == 1 ? NULL : plan_offload_resources(p, pl);
    if (r == NULL)
        return false;
    const plan_reason *none = plan_ways_any_time(p->net->ways) ? plan_reason_plain(PLAN_WHY_ANYTIME) : NULL,
                      **stays = ARENA_ARRAY(p->arena, const plan_reason *, count + 1);
    double *loads = ARENA_ARRAY(p->arena, double, r->processors.len + 1);
    const int64_t *most = plan_ways_most_firings(p->arena, p->net->ways, p->net->whole, p->net->whole_schedule);
    bool any = false, assigned = pl->where.len != 0;
    for (size_t k = 0; k < count && !assigned; k++)
        VEC_PUSH(p->arena, &pl->where, (plan_net_place){.processor = pl->processor});
    for (uint32_t k = 0; k < count; k++) {
        if (p->net->kernels.data[k].dynamic)
            continue;
        stays[k] = none != NULL ? none : try_region(p, r, k, work, most, loads);
        any |= pl->where.data[k].offload.len != 0;
    }
    if (!any && !assigned)
        pl->where.len = 0;
    plan_remark_offload(p, stays);
    return any && plan_resize(p->arena, p->diag, pl, p->module, p->schedule);
}

// ---- strip-mine ----

static void stay(hlc_program *p, uint32_t kernel, const plan_reason *why)
{
    plan_net_place *where = &p->plan->where.data[kernel];
    where->offload.len = 0;
    where->least = where->strip = 0;
    where->turns = 0;
    where->at = 0;
    plan_remark_stay(p, kernel, why);
}

// The longest strip, up to what a run has for each processor, with which a region's windows fit so many bytes from `from` on.
static bool fit(hlc_program *p, const plan_processor *q, uint32_t kernel, uint64_t from, uint64_t to)
{
    plan *pl = p->plan;
    plan_net_place *where = &pl->where.data[kernel];
    int64_t unit = unit_of(pl, p->module, kernel, q->transfer_alignment), grain = grain_of(p, kernel, unit);
    where->at = from;
    for (where->turns = OFFLOAD_TURNS; where->turns > 0; where->turns--) {
        int64_t strips = where->offload.len == 1 ? OFFLOAD_STRIPS : (int64_t)(where->offload.len * where->turns),
                wanted = (pl->strip + strips - 1) / strips;
        wanted = wanted < where->least ? where->least : wanted;
        for (wanted = wanted < grain ? grain : wanted;; wanted = where->strip / 2) {
            where->strip = whole(wanted, wanted < grain ? unit : grain);
            where->strip = where->strip > pl->strip ? pl->strip / unit * unit : where->strip;
            if (plan_offload_of(p->arena, p->diag, pl, p->module, p->schedule, q, kernel).bytes <= to)
                return true;
            if (where->strip == unit)
                break;
        }
    }
    return false;
}

// Of a processor: where what it has no region for begins, and how many regions are still to have their place.
typedef struct room_left {
    uint64_t from;
    size_t regions;
} room_left;

// What a region of these processors may take: from the first byte that is free on all of them.
static room_left find_room(const plan_resources *r, const plan_names *processors, const room_left *rooms)
{
    room_left found = {0};
    for (VEC_EACH(const char *, name, processors)) {
        const room_left *room = &rooms[number_of(r, *name)];
        found.from = room->from > found.from ? room->from : found.from;
        found.regions = room->regions > found.regions ? room->regions : found.regions;
    }
    return found;
}

static bool settle_region(hlc_program *p, const plan_resources *r, uint32_t kernel, room_left *rooms)
{
    plan_net_place *where = &p->plan->where.data[kernel];
    const room_left free = find_room(r, &where->offload, rooms);
    for (VEC_EACH(const char *, name, &where->offload))
        rooms[number_of(r, *name)].regions--;
    const plan_net_kernel *k = &p->net->kernels.data[kernel];
    const plan_processor *q = plan_offload_processor(r, where->offload.data[0]);
    if (where->least > p->plan->strip) {
        stay(p, kernel,
             plan_reason_of(p->arena, (plan_reason){PLAN_WHY_RUNS_SHORT, .counts = {p->plan->strip, where->least}}));
        return false;
    }
    plan_footprint f = plan_footprint_of(p->arena, p->net->whole, k->actors.data, k->actors.len);
    uint64_t beside = plan_footprint_bytes(&f, q) - f.state + OFFLOAD_SLACK,
             room = q->bytes > free.from ? (q->bytes - free.from) / free.regions : 0;
    if (room <= beside || !fit(p, q, kernel, free.from, free.from + room - beside)) {
        stay(p, kernel,
             plan_reason_of(p->arena, (plan_reason){PLAN_WHY_WINDOWS_NO_FIT, .names = {q->memory->element.name}}));
        return false;
    }
    for (VEC_EACH(const char *, name, &where->offload))
        rooms[number_of(r, *name)].from =
            plan_offload_of(p->arena, p->diag, p->plan, p->module, p->schedule, q, kernel).bytes + beside;
    plan_remark_strips(p, kernel);
    return true;
}

bool plan_net_settle_offloads(hlc_program *p)
{
    plan *pl = p->plan;
    bool same = true, any = false;
    for (VEC_EACH(const plan_net_place, where, &pl->where))
        any |= where->offload.len != 0;
    const plan_resources *r = any ? plan_offload_resources(p, pl) : NULL;
    room_left *rooms = ARENA_ARRAY(p->arena, room_left, (r == NULL ? 0 : r->processors.len) + 1);
    for (VEC_EACH(const plan_net_place, where, &pl->where))
        for (VEC_EACH(const char *, name, &where->offload))
            rooms[number_of(r, *name)].regions++;
    for (uint32_t k = 0; r != NULL && k < pl->where.len; k++)
        if (pl->where.data[k].offload.len != 0)
            same &= settle_region(p, r, k, rooms);
    any = false;
    for (VEC_EACH(const plan_net_place, where, &pl->where))
        any |= where->offload.len != 0 || where->helpers.len != 0 || strcmp(where->processor, pl->processor) != 0;
    if (!any)
        pl->where.len = 0;
    return same;
}

// ---- Plans that were read ----

static const plan_reason *wrong_region(hlc_program *p, const plan *pl, const plan_resources *r, uint32_t kernel,
                                       const plan_reason *keeps)
{
    const plan_net_place *where = &pl->where.data[kernel];
    const char *name = p->net->whole->actors.data[p->net->kernels.data[kernel].actors.data[0]]->name;
    const plan_reason *why = p->net->kernels.data[kernel].dynamic ? keeps : find_tied(p, kernel);
    for (VEC_EACH(const char *, q, &where->offload))
        why = why != NULL ? why : find_lack(p, plan_offload_processor(r, *q), kernel);
    if (why == NULL && where->offload.len > 1 && plan_offload_keeps(pl, p->module, kernel))
        why = plan_reason_of(p->arena, (plan_reason){PLAN_WHY_ONE_HAS_TO, .behind = keeps});
    if (why != NULL)
        return plan_reason_of(p->arena, (plan_reason){PLAN_WHY_NOT_OFFLOADED, .names = {name}, .behind = why});
    const plan_processor *q = plan_offload_processor(r, where->offload.data[0]);
    if (where->strip == 0)
        return NULL;
    if (where->strip > pl->strip)
        return plan_reason_of(p->arena, (plan_reason){PLAN_WHY_LONGER_THAN_RUN, .names = {name}});
    plan_offload o = plan_offload_of(p->arena, p->diag, pl, p->module, p->schedule, q, kernel);
    if (where->strip % o.unit != 0)
        return plan_reason_of(p->arena, (plan_reason){PLAN_WHY_WHOLE_UNITS, .names = {name}, .counts = {o.unit}});
    return o.bytes > q->bytes ? plan_reason_of(p->arena, (plan_reason){PLAN_WHY_BEYOND_MEMORY,
                                                                       .names = {name, q->memory->element.name},
                                                                       .counts = {(int64_t)o.bytes, (int64_t)q->bytes}})
                              : NULL;
}

static bool share_processor(const plan_names *x, const plan_names *y)
{
    for (VEC_EACH(const char *, a, x))
        for (VEC_EACH(const char *, b, y))
            if (strcmp(*a, *b) == 0)
                return true;
    return false;
}

// In order of addresses.
static const plan_reason *find_overlap(hlc_program *p, const plan *pl, const plan_resources *r, uint32_t *kernel)
{
    for (uint32_t k = 0; k < pl->where.len; k++)
        for (uint32_t i = 0; i < k; i++) {
            const plan_net_place *x = &pl->where.data[k], *y = &pl->where.data[i];
            if (x->strip == 0 || y->strip == 0 || !share_processor(&x->offload, &y->offload))
                continue;
            const plan_processor *q = plan_offload_processor(r, x->offload.data[0]);
            uint64_t x_end = plan_offload_of(p->arena, p->diag, pl, p->module, p->schedule, q, k).bytes,
                     y_end = plan_offload_of(p->arena, p->diag, pl, p->module, p->schedule, q, i).bytes;
            *kernel = k;
            if (x->at < y_end && y->at < x_end)
                return plan_reason_plain(PLAN_WHY_OVERLAP);
        }
    return NULL;
}

const plan_reason *plan_net_wrong_offload(hlc_program *p, const plan *pl, uint32_t *kernel)
{
    const plan_resources *r = NULL;
    const plan_reason *wrong = NULL, **keeps = plan_net_keepers(p, pl);
    for (uint32_t k = 0; k < pl->where.len && wrong == NULL; k++) {
        if (pl->where.data[k].offload.len == 0)
            continue;
        r = r == NULL ? plan_offload_resources(p, pl) : r;
        wrong = wrong_region(p, pl, r, k, keeps[k]);
        *kernel = k;
    }
    return wrong == NULL && r != NULL ? find_overlap(p, pl, r, kernel) : wrong;
}
