// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass 'stages': filters without state that follow each other become one, where what they do to a few items at a time
// stays in registers.
//
//     Combine_4 -> Combine_5 -> Combine_6      (butterflies of 16, 32 and 64 points)
//     Combine_4_to_Combine_6                   (eight points at a time through all three, for each of eight places)
//
// A stage of a transform, or of a network that sorts, loads all items and stores them all, for an operation or two each. A
// firing of the last of some stages is executed, with those of the others that it needs, on items that stand for themselves
// (stages_follow.c). Items that meet in an operation are a group. Where groups are of few items, do the same but for numbers,
// and lie side by side, the joint firing is a loop over the groups: numbers that differ become tables. A single group is
// statements in a row, of which emission makes lanes. Regions with splitters and joiners whose few items go through all of
// their filters are a single group likewise (stages_region.c).
//
// No operation changes, nor its operands, so no bit does. The one that does what they do fires when the last one of them
// could, so that the same comes out where input ends.
#include <inttypes.h>
#include <string.h>

#include "hlc/passes/stages_int.h"

typedef VEC(uint32_t) numbers;

// Items of a group at most: a register each of 32, and as many for what is computed; with 16 registers some are put aside for
// a while, which takes less than a stage more that loads and stores them all (measured: a transform of 256 points takes 1.7
// instead of 2.3 cycles a number). Floats of a register at least. Items of a joint firing; between two
// groups. Operations of a group. Looks at actors, to find regions.
enum {
    GROUP_ITEMS = 16,
    LEAST_FLOATS = 8,
    FIRING_ITEMS = 4096,
    MOST_APART = 4,
    GROUP_NODES = 512,
    ALL_LOOKS = 1 << 22
};

// ---- Which filters ----

static bool is_item(const sir_type *t)
{
    return t->kind == SIR_FLOAT || (t->kind == SIR_INT && t->storage == SIR_STORED_WHOLE);
}

static bool can_follow(const stage_joiner *x, const sir_filter *f)
{
    return f->prework == NULL && f->ahead == NULL && !f->stateful && !f->uses_iter && !f->uses_random && !f->prints &&
           !f->sends && !f->finite && f->handlers.len == 0 && f->functions.len == 0 && is_item(f->input) &&
           is_item(f->output) && f->work->peek.max == f->work->pop.max && f->work->pop.max >= 1 &&
           f->work->push.max >= 1 && f->work->pop.max <= FIRING_ITEMS && f->work->push.max <= FIRING_ITEMS &&
           pass_rates_proved(x->m, f->work);
}

bool stage_can_join(stage_joiner *x, uint32_t actor)
{
    const sir_actor *a = x->m->actors.data[actor];
    const sir_filter *f = a->filter;
    if (a->kind != SIR_FILTER || a->inputs.len != 1 || a->outputs.len != 1 || a->least != 0 ||
        pass_in_loop(x->m, a->region))
        return false;
    bool *known = hmap_getn(&x->known, &f, sizeof f);
    if (known == NULL) {
        known = ARENA_NEW(x->a, bool);
        *known = can_follow(x, f);
        hmap_setn(&x->known, &f, sizeof f, known);
    }
    return *known;
}

// Rows are of floats.
static bool can_be_in_row(stage_joiner *x, uint32_t actor)
{
    const sir_actor *a = x->m->actors.data[actor];
    return stage_can_join(x, actor) && a->filter->input->kind == SIR_FLOAT && a->filter->output->kind == SIR_FLOAT;
}

static uint32_t next_of(stage_joiner *x, uint32_t actor)
{
    const sir_channel *c = &x->m->channels.data[x->m->actors.data[actor]->outputs.data[0]];
    return c->initial.len == 0 && c->zeros == NULL && can_be_in_row(x, c->consumer) ? c->consumer : SIR_NONE;
}

// The next filter fires once for some firings of those before, or some times for one; false: neither.
static bool extend(stage_joint *j, const sir_filter *f)
{
    int64_t pop = f->work->pop.max, push = f->work->push.max, before = 1, own = 1;
    if (j->count == 0) {
        j->push = pop;
        j->input = f->input;
    }
    j->output = f->output;
    if (pop % j->push == 0)
        before = pop / j->push;
    else if (j->push % pop == 0)
        own = j->push / pop;
    else
        return false;
    if (j->count == sizeof j->filters / sizeof *j->filters || before * j->pop > FIRING_ITEMS ||
        own * push > FIRING_ITEMS)
        return false;
    for (size_t i = 0; i < j->count; i++)
        j->times[i] *= before;
    j->pop = j->count == 0 ? pop : j->pop * before;
    j->push = own * push;
    j->times[j->count] = own;
    j->filters[j->count++] = f;
    return true;
}

static bool follow(stage_joint *j)
{
    stage_joiner *x = j->x;
    j->nodes = (stage_nodes){0};
    stage_cells in = stage_items(j);
    for (size_t i = 0; i < j->count; i++) {
        stage_cells out = {0};
        int64_t steps = x->steps < STAGE_STEPS ? x->steps : STAGE_STEPS, left = steps;
        bool fine = true;
        for (int64_t n = 0; n < j->times[i] && fine; n++)
            fine = stage_follow(x->a, x->m, j->filters[i], &j->nodes, in.data + n * j->filters[i]->work->pop.max, &out,
                                &left);
        x->steps -= steps - left;
        if (!fine)
            return false;
        in = out;
    }
    j->out = in;
    return true;
}

// ---- Groups ----

static uint32_t group_of(stage_joint *j, uint32_t node)
{
    uint32_t g = j->nodes.data[node].group;
    while (g != SIR_NONE && j->nodes.data[g].group != g)
        g = j->nodes.data[g].group = j->nodes.data[j->nodes.data[g].group].group;
    return g;
}

// Whether items of each group lie beside those of the first, all equally far.
static bool is_beside(const stage_joint *j, const uint32_t *places, int64_t count)
{
    for (int64_t g = 1; g < j->groups; g++)
        for (int64_t i = 0; i < count; i++)
            if (places[g * count + i] != places[i] + g * j->apart)
                return false;
    return true;
}

// Puts places of items, or of results, with their groups; false: groups have unlike many, or one has too many.
static bool deal(stage_joint *j, int64_t count, bool out, const uint32_t *number, uint32_t **places, int64_t *each)
{
    if (count % j->groups != 0 || count / j->groups > j->most_items)
        return false;
    *each = count / j->groups;
    *places = ARENA_ARRAY(j->x->a, uint32_t, (size_t)count + 1);
    int64_t *filled = ARENA_ARRAY(j->x->a, int64_t, (size_t)j->groups + 1);
    for (int64_t i = 0; i < count; i++) {
        if (out && j->out.data[i].known)
            return false;
        uint32_t g = number[group_of(j, out ? j->out.data[i].node : (uint32_t)i)];
        if (filled[g] == *each)
            return false;
        (*places)[g * *each + filled[g]++] = (uint32_t)i;
    }
    return true;
}

static bool find_groups(stage_joint *j)
{
    uint32_t *number = ARENA_ARRAY(j->x->a, uint32_t, (size_t)j->pop + 1);
    j->groups = 0;
    for (uint32_t i = 0; i < j->pop; i++)
        number[i] = SIR_NONE;
    for (uint32_t i = 0; i < j->pop; i++)
        if (number[group_of(j, i)] == SIR_NONE)
            number[group_of(j, i)] = j->whole ? 0 : (uint32_t)j->groups++;
    j->groups = j->whole ? 1 : j->groups;
    if (!deal(j, j->pop, false, number, &j->inputs, &j->items) ||
        !deal(j, j->push, true, number, &j->outputs, &j->results))
        return false;
    j->apart = j->groups == 1 ? 0 : (int64_t)j->inputs[j->items] - j->inputs[0];
    return j->apart <= MOST_APART && is_beside(j, j->inputs, j->items) && is_beside(j, j->outputs, j->results);
}

// ---- Whether groups do the same ----

typedef struct comparison {
    stage_joint *j;
    int64_t group;
    uint32_t *other; // per node of the first group: the other group's; SIR_NONE: not seen yet
    size_t seen;
} comparison;

static bool same_constant(comparison *c, uint32_t a, uint32_t b)
{
    stage_joint *j = c->j;
    if (j->slot_of[a] == SIR_NONE) {
        j->slot_of[a] = (uint32_t)j->slots.len;
        VEC_PUSH(j->x->a, &j->slots,
                 ((stage_slot){.type = j->nodes.data[a].type,
                               .values = ARENA_ARRAY(j->x->a, sir_scalar, (size_t)j->groups + 1)}));
    }
    stage_slot *s = &j->slots.data[j->slot_of[a]];
    s->values[c->group] = j->nodes.data[b].value;
    s->differs |= memcmp(&s->values[0], &s->values[c->group], sizeof *s->values) != 0;
    return !s->differs || s->type->kind == SIR_FLOAT;
}

static bool same(comparison *c, uint32_t a, uint32_t b)
{
    const stage_node *p = &c->j->nodes.data[a], *q = &c->j->nodes.data[b];
    if (c->other[a] != SIR_NONE)
        return c->other[a] == b;
    c->other[a] = b;
    if (p->kind != q->kind || p->op != q->op || p->type != q->type || p->arity != q->arity ||
        ++c->seen > c->j->most_nodes)
        return false;
    if (p->kind == SIR_CONST)
        return same_constant(c, a, b);
    if (p->kind == SIR_PEEK)
        return q->item == p->item + c->group * c->j->apart;
    for (uint8_t i = 0; i < p->arity; i++)
        if (!same(c, p->arg[i], q->arg[i]))
            return false;
    return true;
}

bool stage_group(stage_joint *j)
{
    if (!find_groups(j))
        return false;

    comparison c = {.j = j, .other = ARENA_ARRAY(j->x->a, uint32_t, j->nodes.len + 1)};
    j->slot_of = ARENA_ARRAY(j->x->a, uint32_t, j->nodes.len + 1);
    j->slots.len = 0;
    memset(j->slot_of, 0xff, j->nodes.len * sizeof *j->slot_of);
    for (; c.group < j->groups; c.group++) {
        memset(c.other, 0xff, j->nodes.len * sizeof *c.other);
        c.seen = 0;
        for (int64_t i = 0; i < j->results; i++)
            if (!same(&c, j->out.data[j->outputs[i]].node, j->out.data[j->outputs[c.group * j->results + i]].node))
                return false;
    }
    return true;
}

static bool is_worth_it(const stage_joint *j)
{
    if (j->count < 2)
        return false;
    // Groups are trips of a loop, of which C compilers make whole vectors where there are as many as a register has floats.
    return j->groups == 1 ? j->items >= STAGE_LEAST_ALONE && j->results >= STAGE_LEAST_ALONE
                          : j->groups >= hlc_vector_floats(j->x->hlc->config);
}

// ---- The graph ----

static void merge(stage_joint *j, const numbers *chain)
{
    stage_joiner *x = j->x;
    sir_module *m = x->m;
    sir_actor *first = m->actors.data[chain->data[0]], *last = m->actors.data[chain->data[j->count - 1]];
    const char *groups = j->groups == 1 ? "" : arena_printf(x->a, ", for each of %" PRId64 " groups", j->groups);
    diag_remark(x->hlc->diag, sir_range(m, x->hlc->sources, first->loc),
                "'%s' to '%s' are one filter: %" PRId64 " items go through %zu stages in registers%s [stages]",
                first->name, last->name, j->items, j->count, groups);
    const sir_filter *from = j->filters[0], *to = j->filters[j->count - 1];
    first->filter =
        stage_make_filter(j, arena_printf(m->arena, "%s_to_%s", from->name, to->name),
                          arena_printf(m->arena, "%s to %s", from->source, to->source), from->loc, from->work->loc);
    VEC_PUSH(m->arena, &m->filters, first->filter);
    first->name = pass_unique_actor_name(m, m->arena, arena_printf(m->arena, "%s_to_%s", first->name, last->name));
    for (size_t i = 0; i + 1 < j->count; i++)
        x->gone_channel[m->actors.data[chain->data[i]]->outputs.data[0]] = true;
    for (size_t i = 1; i < j->count; i++)
        x->gone_actor[chain->data[i]] = true;
    uint32_t out = last->outputs.data[0];
    first->outputs.data[0] = out;
    m->channels.data[out].producer = chain->data[0];
    m->channels.data[out].producer_port = 0;
}

// The longest row of filters from an actor on that is worth it; gives how many it takes, 0: none.
static size_t try_row(stage_joiner *x, uint32_t actor)
{
    numbers chain = {0};
    stage_joint *best = NULL, now = {.x = x, .most_items = GROUP_ITEMS, .most_nodes = GROUP_NODES};
    for (uint32_t i = actor; i != SIR_NONE; i = next_of(x, i)) {
        stage_joint longer = now;
        longer.slots = (stage_slots){0};
        if (!extend(&longer, x->m->actors.data[i]->filter))
            break;
        VEC_PUSH(x->a, &chain, i);
        now = longer;
        if (!follow(&now) || !stage_group(&now))
            break;
        if (is_worth_it(&now)) {
            best = ARENA_NEW(x->a, stage_joint);
            *best = now;
        }
    }
    if (best == NULL)
        return 0;
    merge(best, &chain);
    return best->count;
}

bool pass_stages(hlc_program *p)
{
    sir_module *m = p->module;
    if (p->config->no_lanes || hlc_vector_floats(p->config) < LEAST_FLOATS || !pass_may_change_more(p) ||
        m->portals.len != 0 || pass_shares_out(p) || !pass_has_vectors(p))
        return false;
    stage_joiner x = {.a = arena_create(), .hlc = p, .m = m, .steps = 16 * (int64_t)STAGE_STEPS, .looks = ALL_LOOKS};
    hmap_init(&x.known, x.a);
    hmap_init(&x.made, x.a);
    x.gone_actor = ARENA_ARRAY(x.a, bool, m->actors.len + 1);
    x.gone_channel = ARENA_ARRAY(x.a, bool, m->channels.len + 1);
    bool any = false;
    for (uint32_t i = 0; i < m->actors.len; i++)
        any |= !x.gone_actor[i] && (stage_try_region(&x, i) || (can_be_in_row(&x, i) && try_row(&x, i) != 0));
    if (any)
        pass_sweep(m, x.a, x.gone_actor, x.gone_channel);
    arena_destroy(x.a);
    if (any)
        pass_tidy(m);
    return any;
}
