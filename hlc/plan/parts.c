// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of a program on several processors: whether there are any, the cut graph, and what a cold run must repeat.
#include "hlc/plan/parts.h"

#include <inttypes.h>
#include <string.h>

#include "hlc/passes/pass.h"
#include "hlc/plan/footprint.h"
#include "hlc/plan/plan_int.h"
#include "hlc/plan/profile.h"

// A lead beyond this is not worth repeating.
enum { PARTS_MOST_LEAD = 1 << 20 };
// Of a local memory: code and state beyond it leave too little for items.
#define PARTS_MOST_FOOTPRINT 0.75

typedef VEC(uint32_t) number_list;

static bool has_io(const sir_module *m)
{
    for (VEC_EACH(sir_actor *, a, &m->actors))
        if ((*a)->kind == SIR_READER || (*a)->kind == SIR_WRITER ||
            ((*a)->kind == SIR_FILTER && (*a)->filter->prints))
            return true;
    return m->init_text_len != 0;
}

// ---- Whether to cut ----

static src_range program_range(const hlc_program *p)
{
    return sir_range(p->module, p->sources, p->module->regions.data[0].loc);
}

// Why the program cannot be cut, whatever the machine; NULL: it can.
static const char *obstacle(const hlc_program *p)
{
    if (p->schedule->dynamic)
        return "it has dynamic rates";
    if (p->schedule->messages.len > 0)
        return "it sends messages";
    for (VEC_EACH(const sir_channel, c, &p->module->channels))
        if (p->module->actors.data[c->producer]->kind == SIR_READER &&
            p->module->actors.data[c->consumer]->kind == SIR_WRITER)
            return "it copies a file without a filter between";
    return NULL;
}

// Stays on one processor, if there is one that the control program shares a memory with.
static bool stay(hlc_program *p, const plan_resources *r, const char *why)
{
    bool direct = false;
    for (VEC_EACH(const plan_processor, x, &r->processors))
        direct |= x->direct;
    if (!direct) {
        diag_record *e = diag_error_at(p->diag, NULL,
                                       "'%s' cannot be mapped to machine '%s': %s, which needs a kernel processor that "
                                       "shares a memory with the control processor",
                                       p->module->name, r->machine->name, why);
        diag_add_note(p->diag, e, (src_range){0}, "'--machine=host' has one");
        return false;
    }
    if (p->diag->remarks)
        diag_remark(p->diag, program_range(p), "'%s' stays on one processor: %s [map]", p->module->name, why);
    return true;
}

static void describe_parts(hlc_program *p, plan_parts *parts)
{
    const sir_module *m = p->module;
    const double *each = plan_costs(p, m);
    for (VEC_EACH(const plan_piece, piece, &parts->cut->pieces)) {
        plan_part part = {.replicated = true, .keeper = SIR_NONE};
        for (VEC_EACH(uint32_t, actor, &piece->actors)) {
            const char *why = plan_actor_keeps(p, *actor);
            part.operations += each[*actor] * (double)p->schedule->reps[*actor];
            bool state = why != NULL && strcmp(why, "prints") != 0;
            if (why == NULL || (!part.replicated && (part.state || !state)))
                continue;
            part.replicated = false;
            part.state |= state;
            part.keeper = *actor;
            part.why = why;
        }
        VEC_PUSH(p->arena, &parts->parts, part);
    }
}

// Channels inside a part that hold items which no steady state moves are on one processor only.
static void find_lost_items(plan_parts *parts)
{
    const plan_pieces *cut = parts->cut;
    for (size_t i = 0; i < cut->module->channels.len; i++) {
        const sched_channel *sc = &cut->schedule->channels[i];
        const sir_channel *c = &cut->module->channels.data[i];
        plan_part *part = &parts->parts.data[cut->piece_of[c->producer]];
        bool end = cut->actor_of[c->producer] == SIR_NONE || cut->actor_of[c->consumer] == SIR_NONE;
        if (end || sc->steady != 0 || sc->remainder == 0 || !part->replicated)
            continue;
        part->replicated = false;
        part->keeper = cut->actor_of[c->consumer];
        part->why = "is given items that no steady state takes";
    }
}

// False after an error: some part keeps state, and no processor can.
static bool can_keep_state(hlc_program *p, const plan_parts *parts)
{
    const plan_resources *r = parts->resources;
    const sir_module *m = parts->cut->whole;
    for (uint32_t i = 0; i < parts->parts.len; i++) {
        const plan_part *part = &parts->parts.data[i];
        bool can = false;
        for (uint32_t q = 0; q < r->processors.len; q++)
            can |= plan_part_may_run_on(parts, i, q);
        if (can)
            continue;
        const sir_actor *keeper = m->actors.data[part->keeper];
        const machine_element *e = &r->processors.data[0].processor->element;
        diag_record *d = diag_error(p->diag, sir_range(m, p->sources, keeper->loc),
                                    "'%s' %s, and no kernel processor of machine '%s' keeps state from firing to firing",
                                    keeper->name, part->why, r->machine->name);
        diag_add_note(p->diag, d, machine_value_range(e, "state"), "the machine file says so of '%s'", e->name);
        return false;
    }
    return true;
}

// Whether the program's code and state leave too little of a local memory for items. Each part is then kept to one
// processor, and so are the bytes that it needs.
static bool is_too_large(hlc_program *p, const plan_resources *r)
{
    const plan_processor *x = &r->processors.data[0];
    number_list actors = {0};
    if (x->direct || r->processors.len == 1)
        return false;
    for (uint32_t i = 0; i < p->module->actors.len; i++)
        if (p->module->actors.data[i]->kind != SIR_READER && p->module->actors.data[i]->kind != SIR_WRITER)
            VEC_PUSH(p->arena, &actors, i);
    plan_footprint f = plan_footprint_of(p->arena, p->module, actors.data, actors.len);
    return (double)plan_footprint_bytes(&f, x) > PARTS_MOST_FOOTPRINT * (double)x->bytes;
}

static void keep_parts(plan_parts *parts)
{
    for (size_t i = 0; i < parts->parts.len; i++) {
        plan_part *part = &parts->parts.data[i];
        if (!part->replicated)
            continue;
        part->replicated = false;
        part->keeper = parts->cut->pieces.data[i].actors.data[0];
        part->why = "and all others do not fit a local memory together";
    }
}

bool plan_parts_find(hlc_program *p, bool *found)
{
    *found = false;
    const plan_demands demands = {.io = has_io(p->module)};
    const plan_resources *r = plan_resources_find(p->arena, p->diag, p->machine, p->config->processors, &demands);
    if (r == NULL)
        return false;
    size_t n = r->processors.len, count;
    if (n == 1 && r->processors.data[0].direct)
        return true;
    const char *why = obstacle(p);
    if (why != NULL)
        return stay(p, r, why);
    bool large = is_too_large(p, r);
    const uint32_t *part = large ? plan_parts_group_by_search(p, n, true, &count) : NULL;
    large = part != NULL;
    if (part == NULL)
        part = plan_parts_group(p, n, &count);
    if (count == 0)
        return stay(p, r, "it has no filters");
    plan_parts *parts = ARENA_NEW(p->arena, plan_parts);
    parts->resources = r;
    parts->depth = PLAN_WINDOWS;
    parts->cut = plan_pieces_cut(p->arena, p->module, p->schedule, part, count);
    if (parts->cut == NULL) {
        diag_error_at(p->diag, NULL, "'%s' moves too many items in a steady state for any plan", p->module->name);
        return false;
    }
    describe_parts(p, parts);
    find_lost_items(parts);
    if (!can_keep_state(p, parts))
        return false;
    if (large)
        keep_parts(parts);
    const plan_part *first = &parts->parts.data[0];
    if (count == 1 && !first->replicated && r->processors.data[0].direct)
        return stay(p, r,
                    arena_printf(p->arena, "all of it must run on one, as '%s' %s",
                                 p->module->actors.data[first->keeper]->name, first->why));
    parts->warm = ARENA_ARRAY(p->arena, int64_t, parts->cut->module->actors.len + 1);
    p->parts = parts;
    p->module = parts->cut->module;
    p->schedule = parts->cut->schedule;
    *found = true;
    return true;
}

// ---- Parts from a text ----

// Every filter, splitter and joiner is in a part, files are in none, no cycle is cut, and channels lead onwards.
static bool are_parts(const hlc_program *p, const uint32_t *part)
{
    const sir_module *m = p->module;
    for (uint32_t i = 0; i < m->actors.len; i++) {
        bool file = m->actors.data[i]->kind == SIR_READER || m->actors.data[i]->kind == SIR_WRITER;
        if (file != (part[i] == SIR_NONE))
            return false;
    }
    for (VEC_EACH(const sir_channel, c, &m->channels)) {
        uint32_t from = part[c->producer], to = part[c->consumer];
        bool cycle = p->schedule->cycle[c->producer] >= 0 &&
                     p->schedule->cycle[c->producer] == p->schedule->cycle[c->consumer];
        if (from == SIR_NONE && to == SIR_NONE)
            return false;
        if (from != SIR_NONE && to != SIR_NONE && (cycle ? from != to : from > to))
            return false;
    }
    return obstacle(p) == NULL;
}

bool plan_parts_restore(hlc_program *p, const uint32_t *part, size_t count, const char *replicated, const char *name,
                        int64_t processors)
{
    if (count == 0 || processors < 1 || !are_parts(p, part))
        return false;
    if (p->machine == NULL)
        p->machine = machine_find(p->arena, p->diag, p->config->machine_dir, name, (src_range){0});
    const plan_demands demands = {.io = has_io(p->module)};
    plan_parts *parts = ARENA_NEW(p->arena, plan_parts);
    parts->depth = PLAN_WINDOWS;
    parts->resources =
        p->machine == NULL ? NULL : plan_resources_find(p->arena, p->diag, p->machine, processors, &demands);
    parts->cut = plan_pieces_cut(p->arena, p->module, p->schedule, part, count);
    if (parts->resources == NULL || parts->cut == NULL)
        return false;
    describe_parts(p, parts);
    find_lost_items(parts);
    for (size_t i = 0; i < count; i++) {
        plan_part *x = &parts->parts.data[i];
        if (parts->cut->pieces.data[i].actors.len == 0 || (replicated[i] && !x->replicated))
            return false;
        if (replicated[i] || !x->replicated)
            continue;
        x->replicated = false;
        x->keeper = parts->cut->pieces.data[i].actors.data[0];
        x->why = "stays where the plan has it";
    }
    parts->warm = ARENA_ARRAY(p->arena, int64_t, parts->cut->module->actors.len + 1);
    p->parts = parts;
    p->module = parts->cut->module;
    p->schedule = parts->cut->schedule;
    return true;
}

// ---- Cold runs ----

// What an actor must fire more for what its consumers do: all that they read in a cold run, what their channels keep
// included.
static bool warm_channels(plan_parts *parts)
{
    const plan_pieces *cut = parts->cut;
    bool changed = false;
    for (uint32_t i = (uint32_t)cut->module->actors.len; i-- > 0;) {
        if (cut->actor_of[i] == SIR_NONE || !parts->parts.data[cut->piece_of[i]].replicated)
            continue;
        for (VEC_EACH(uint32_t, out, &cut->module->actors.data[i]->outputs)) {
            uint32_t to = *out == SIR_NONE ? SIR_NONE : cut->module->channels.data[*out].consumer;
            if (to == SIR_NONE || cut->actor_of[to] == SIR_NONE)
                continue;
            const sched_channel *sc = &cut->schedule->channels[*out];
            int64_t warm = parts->warm[to];
            if (sc->steady != 0)
                warm += (sc->remainder + sc->steady - 1) / sc->steady;
            if (warm <= parts->warm[i])
                continue;
            parts->warm[i] = warm;
            changed = true;
        }
    }
    return changed;
}

// Members of a gang do alike.
static bool warm_gangs(plan_parts *parts, const plan *pl)
{
    bool changed = false;
    for (VEC_EACH(plan_kernel, k, &pl->kernels))
        for (VEC_EACH(plan_item, item, &k->items))
            for (VEC_EACH(plan_stage, st, &item->stages)) {
                int64_t most = parts->warm[st->actor];
                for (VEC_EACH(plan_member, o, &st->others))
                    most = parts->warm[o->actor] > most ? parts->warm[o->actor] : most;
                changed |= parts->warm[st->actor] != most;
                parts->warm[st->actor] = most;
                for (VEC_EACH(plan_member, o, &st->others)) {
                    changed |= parts->warm[o->actor] != most;
                    parts->warm[o->actor] = most;
                }
            }
    return changed;
}

static void find_leads(plan_parts *parts)
{
    parts->lead = 0;
    for (VEC_EACH(plan_part, part, &parts->parts))
        part->lead = 0;
    for (size_t i = 0; i < parts->cut->module->actors.len; i++) {
        plan_part *part = &parts->parts.data[parts->cut->piece_of[i]];
        part->lead = parts->warm[i] > part->lead ? parts->warm[i] : part->lead;
        parts->lead = part->lead > parts->lead ? part->lead : parts->lead;
    }
}

void plan_parts_warm(hlc_program *p)
{
    plan_parts *parts = p->parts;
    for (size_t i = 0; i < parts->cut->module->actors.len; i++)
        parts->warm[i] = 0;
    bool more = parts->resources->processors.len > 1; // on one, every run continues
    while (more) {
        more = warm_channels(parts);
        more |= warm_gangs(parts, p->plan);
        for (size_t i = 0; i < parts->cut->module->actors.len; i++) {
            plan_part *part = &parts->parts.data[parts->cut->piece_of[i]];
            if (parts->warm[i] <= PARTS_MOST_LEAD || !part->replicated)
                continue;
            part->replicated = false;
            part->keeper = parts->cut->actor_of[i];
            part->why = "keeps more items than it pays to make again";
        }
    }
    for (size_t i = 0; i < parts->cut->module->actors.len; i++)
        if (!parts->parts.data[parts->cut->piece_of[i]].replicated)
            parts->warm[i] = 0;
    find_leads(parts);
}
