// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Regions with splitters and joiners whose items go through all of their filters in registers, such as sorting networks that
// are built of comparators. One firing of all is a single group.
#include <inttypes.h>

#include "hlc/passes/stages_int.h"

// Actors of a region; ends of one that are tried. Items on each side, which are turned by fours, and all nodes. Nodes at most
// for each item that is no longer loaded and stored: where more is done it is little that this takes.
enum {
    REGION_ACTORS = 2048,
    REGION_TRIES = 3,
    REGION_ITEMS = 32,
    TURNED_ITEMS = 4,
    REGION_NODES = 2048,
    NODES_MOVED = 8,
    FEW_ITEMS = 4
};

static bool may_join(void *context, uint32_t actor)
{
    stage_joiner *x = context;
    const sir_actor *a = x->m->actors.data[actor];
    if (x->looks-- <= 0 || x->gone_actor[actor] || a->least != 0 || pass_in_loop(x->m, a->region) || pass_has_gaps(a))
        return false;
    if (a->kind == SIR_FILTER)
        return stage_can_join(x, actor);
    return (a->kind == SIR_SPLIT || a->kind == SIR_JOIN) && (a->item->kind == SIR_FLOAT || a->item->kind == SIR_INT);
}

// Items that filters load and store, one by one.
static int64_t moved_items(const pass_region *r)
{
    int64_t moved = 0;
    for (uint32_t i = r->first; i <= r->last; i++) {
        const sir_actor *a = r->m->actors.data[i];
        if (a->kind == SIR_FILTER)
            moved += r->reps[i - r->first] * (a->filter->work->pop.max + a->filter->work->push.max);
    }
    return moved;
}

static bool has_zeros(const pass_region *r)
{
    bool found = false;
    for (uint32_t i = r->first; i <= r->last; i++)
        for (VEC_EACH(uint32_t, c, &r->m->actors.data[i]->outputs))
            found = found || (*c != SIR_NONE && r->m->channels.data[*c].zeros != NULL);
    return found;
}

typedef struct queue {
    stage_cells cells;
    size_t read;
} queue;

// Moves items from one channel to another.
static void move(arena *a, queue *from, queue *to, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        VEC_PUSH(a, &to->cells, from->cells.data[from->read++]);
}

static bool fire(stage_joiner *x, stage_nodes *nodes, queue *queues, const sir_actor *a, int64_t *left)
{
    if (a->kind == SIR_FILTER) {
        queue *in = &queues[a->inputs.data[0]];
        const stage_cell *given = in->cells.data + in->read;
        in->read += (size_t)a->filter->work->pop.max;
        return stage_follow(x->a, x->m, a->filter, nodes, given, &queues[a->outputs.data[0]].cells, left);
    }
    if (a->kind == SIR_SPLIT && a->duplicate) {
        const stage_cell cell = queues[a->inputs.data[0]].cells.data[queues[a->inputs.data[0]].read++];
        for (VEC_EACH(uint32_t, c, &a->outputs))
            VEC_PUSH(x->a, &queues[*c].cells, cell);
        return true;
    }
    const bool split = a->kind == SIR_SPLIT;
    for (size_t i = 0; i < a->weights.len; i++) {
        uint32_t from = a->inputs.data[split ? 0 : i], to = a->outputs.data[split ? i : 0];
        if (from != SIR_NONE && to != SIR_NONE)
            move(x->a, &queues[from], &queues[to], a->weights.data[i]);
        *left -= a->weights.data[i];
    }
    return *left > 0;
}

// Executes one firing of all on items that stand for themselves. between: joiners are between filters that compute.
static bool follow(stage_joiner *x, const pass_region *r, stage_joint *j, bool *between)
{
    bool moves = false;
    queue *queues = ARENA_ARRAY(x->a, queue, x->m->channels.len + 1);
    int64_t steps = x->steps < STAGE_STEPS ? x->steps : STAGE_STEPS, left = steps;
    bool fine = true;
    j->nodes = (stage_nodes){0};
    queues[r->in].cells = stage_items(j);
    for (uint32_t i = r->first; i <= r->last && fine; i++) {
        const size_t before = j->nodes.len;
        for (int64_t n = 0; n < r->reps[i - r->first] && fine; n++)
            fine = --left > 0 && fire(x, &j->nodes, queues, x->m->actors.data[i], &left);
        if (j->nodes.len == before) { // it moves items alone
            moves |= j->count > 0 && x->m->actors.data[i]->kind == SIR_JOIN;
            continue;
        }
        j->count++;
        *between |= moves;
    }
    x->steps -= steps - left;
    j->out = queues[r->out].cells;
    return fine && (int64_t)j->out.len == j->push;
}

static bool is_size(int64_t items)
{
    return items >= STAGE_LEAST_ALONE && items <= REGION_ITEMS && items % TURNED_ITEMS == 0;
}

// So few that a C compiler's vectors take them as they lie, and the next firing's behind them. Functions that cost much are
// vectors by themselves, of which several in one body take more registers than there are.
static bool is_few(const stage_joint *j)
{
    return j->pop <= FEW_ITEMS && j->push <= FEW_ITEMS;
}

static bool calls_much(const pass_region *r)
{
    for (uint32_t i = r->first; i <= r->last; i++) {
        const sir_actor *a = r->m->actors.data[i];
        if (a->kind == SIR_FILTER && pass_has_elementary(&a->filter->work->body))
            return true;
    }
    return false;
}

static bool is_worth_it(const stage_joint *j, int64_t moved)
{
    int64_t nodes = 0;
    for (VEC_EACH(const stage_node, n, &j->nodes))
        nodes += n->arity > 0;
    return nodes >= (is_few(j) ? 1 : 2) * (j->pop + j->push) && nodes <= NODES_MOVED * moved;
}

// What a region's actors are and how they are joined: equal for those that do the same.
static const char *key_of(const stage_joiner *x, const pass_region *r)
{
    strbuf key;
    strbuf_init(&key, x->a);
    for (uint32_t i = r->first; i <= r->last; i++) {
        const sir_actor *a = x->m->actors.data[i];
        strbuf_printf(&key, "%d %p %d %" PRId64 ":", (int)a->kind, (const void *)a->filter, a->duplicate,
                      r->reps[i - r->first]);
        for (VEC_EACH(const uint32_t, w, &a->weights))
            strbuf_printf(&key, " %" PRIu32, *w);
        for (VEC_EACH(const uint32_t, c, &a->inputs)) {
            const sir_channel *ch = *c == SIR_NONE ? NULL : &x->m->channels.data[*c];
            if (ch == NULL || *c == r->in)
                strbuf_printf(&key, ch == NULL ? " none" : " in");
            else
                strbuf_printf(&key, " %" PRIu32 ".%" PRIu32, ch->producer - r->first, ch->producer_port);
            if (ch != NULL && ch->initial.len != 0)
                strbuf_printf(&key, " from %" PRIu32, *c);
        }
        strbuf_addc(&key, ';');
    }
    const sir_channel *out = &x->m->channels.data[r->out];
    strbuf_printf(&key, "%" PRIu32 ".%" PRIu32, out->producer - r->first, out->producer_port);
    return key.data;
}

static void replace(stage_joiner *x, const pass_region *r, const stage_made *made)
{
    const sir_actor *first = x->m->actors.data[r->first], *last = x->m->actors.data[r->last];
    diag_remark(x->hlc->diag, sir_range(x->m, x->hlc->sources, first->loc),
                "'%s' to '%s' are one filter: %" PRId64 " items go through %zu filters in registers [stages]",
                first->name, last->name, made->items, made->filters);
    pass_region_replace(x->m, r, made->filter, pass_unique_actor_name(x->m, x->m->arena, made->filter->name),
                        x->gone_actor, x->gone_channel);
}

static bool try_end(stage_joiner *x, const pass_region *r)
{
    sir_module *m = x->m;
    const char *key = key_of(x, r);
    stage_made *made = hmap_get(&x->made, key);
    if (made != NULL) { // of the same filter stages may become one, as in a splitjoin's branches
        replace(x, r, made);
        return true;
    }
    stage_joint j = {.x = x, .whole = true, .most_items = REGION_ITEMS, .most_nodes = REGION_NODES};
    bool between = false;
    int64_t moved = moved_items(r);
    j.input = m->channels.data[r->in].type;
    j.output = m->channels.data[r->out].type;
    j.pop = pass_region_items(r, r->in);
    j.push = pass_region_items(r, r->out);
    bool few = is_few(&j) && !calls_much(r);
    if (!(few || (is_size(j.pop) && is_size(j.push))) || moved < 2 * (j.pop + j.push) || has_zeros(r) ||
        !pass_region_comes_out_at_once(r) || !follow(x, r, &j, &between) || !(between || few) || !stage_group(&j) ||
        !is_worth_it(&j, moved))
        return false;
    const sir_loc loc = m->actors.data[r->first]->loc;
    const char *name = pass_region_name(r);
    const char *source = arena_printf(m->arena, "%s: %zu filters", name, j.count);
    made = ARENA_NEW(x->a, stage_made);
    *made = (stage_made){stage_make_filter(&j, name, source, loc, loc), j.items, j.count};
    hmap_set(&x->made, key, made);
    VEC_PUSH(m->arena, &m->filters, made->filter);
    replace(x, r, made);
    return true;
}

bool stage_try_region(stage_joiner *x, uint32_t actor)
{
    const pass_region_ends ends = x->looks > 0 && may_join(x, actor)
                                      ? pass_find_region_ends(x->a, x->m, actor, REGION_ACTORS, 0, may_join, x)
                                      : (pass_region_ends){0};
    VEC(pass_region) regions = {0};
    bool fits = true;
    for (size_t i = 0; i < ends.len && fits; i++) {
        pass_region r = {.m = x->m, .a = x->a, .first = actor, .last = ends.data[i].last, .out = ends.data[i].out};
        r.in = x->m->actors.data[actor]->inputs.data[0];
        r.most = REGION_ACTORS;
        x->looks -= r.last - r.first;
        fits = pass_region_balances(&r) && pass_region_items(&r, r.in) <= REGION_ITEMS;
        if (fits)
            VEC_PUSH(x->a, &regions, r);
    }
    for (size_t i = regions.len, tries = 0; i-- > 0 && tries < REGION_TRIES; tries++)
        if (try_end(x, &regions.data[i]))
            return true;
    return false;
}
