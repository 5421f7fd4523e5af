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
// statements in a row, of which emission makes lanes.
//
// No operation changes, nor its operands, so no bit does. The one that does what they do fires when the last one of them
// could, so that the same comes out where input ends.
#include <inttypes.h>
#include <string.h>

#include "hlc/passes/stages_int.h"

// Items of a group at most: a register each of 32, and as many for what is computed; with 16 registers some are put aside for
// a while, which takes less than a stage more that loads and stores them all (measured: a transform of 256 points takes 1.7
// instead of 2.3 cycles a number). Items of a joint firing; between two groups. Items of a single group at least; floats of a
// register at least. Operations of a group; operations below which an expression is no statement of its own; steps of executing.
enum {
    GROUP_ITEMS = 16,
    LEAST_FLOATS = 8,
    FIRING_ITEMS = 4096,
    MOST_APART = 4,
    LEAST_ALONE = 8,
    GROUP_NODES = 512,
    NESTED = 6,
    FOLLOW_STEPS = 1 << 18
};

typedef VEC(uint32_t) numbers;

typedef struct joiner {
    arena *a;
    hlc_program *hlc;
    sir_module *m;
    bool *gone_actor, *gone_channel;
    int64_t steps; // that the pass may still execute
} joiner;

// A number that the groups' operations have: of each group its own.
typedef struct slot {
    const sir_type *type;
    sir_scalar *values; // per group
    bool differs;
    uint32_t table, at; // if it does: the field, and the place beside the group's
} slot;
typedef VEC(slot) stage_slots;

typedef struct joint {
    joiner *x;
    const sir_filter *filters[32];
    int64_t times[32]; // how often each fires
    size_t count;
    int64_t pop, push;
    stage_nodes nodes;
    stage_cells out;
    int64_t groups, apart, items, results; // items and results of a group
    uint32_t *inputs, *outputs;            // per group, in a row each: nodes
    uint32_t *slot_of;                     // per node of the first group: a slot; SIR_NONE: none
    stage_slots slots;
} joint;

// ---- Which filters ----

static bool can_join(const joiner *x, uint32_t actor)
{
    const sir_module *m = x->m;
    const sir_actor *a = m->actors.data[actor];
    const sir_filter *f = a->filter;
    if (a->kind != SIR_FILTER || a->inputs.len != 1 || a->outputs.len != 1 || a->least != 0 || f->prework != NULL ||
        f->ahead != NULL || f->stateful || f->uses_iter || f->uses_random || f->prints || f->sends || f->finite ||
        f->handlers.len != 0 || f->functions.len != 0 || f->input->kind != SIR_FLOAT || f->output->kind != SIR_FLOAT ||
        f->work->peek.max != f->work->pop.max || f->work->pop.max < 1 || f->work->push.max < 1 ||
        f->work->pop.max > FIRING_ITEMS || f->work->push.max > FIRING_ITEMS || pass_in_loop(m, a->region))
        return false;
    return pass_rates_proved(m, f->work);
}

static uint32_t next_of(const joiner *x, uint32_t actor)
{
    const sir_channel *c = &x->m->channels.data[x->m->actors.data[actor]->outputs.data[0]];
    return c->initial.len == 0 && c->zeros == NULL && can_join(x, c->consumer) ? c->consumer : SIR_NONE;
}

// The next filter fires once for some firings of those before, or some times for one; false: neither.
static bool extend(joint *j, const sir_filter *f)
{
    int64_t pop = f->work->pop.max, push = f->work->push.max, before = 1, own = 1;
    if (j->count == 0)
        j->push = pop;
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

static bool follow(joint *j)
{
    joiner *x = j->x;
    const sir_type *t = j->filters[0]->input;
    stage_cells in = {0};
    j->nodes = (stage_nodes){0};
    for (int64_t i = 0; i < j->pop; i++)
        VEC_PUSH(x->a, &in, ((stage_cell){.node = stage_add_item(x->a, &j->nodes, t, i)}));
    for (size_t i = 0; i < j->count; i++) {
        stage_cells out = {0};
        int64_t steps = x->steps < FOLLOW_STEPS ? x->steps : FOLLOW_STEPS, left = steps;
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

static uint32_t group_of(joint *j, uint32_t node)
{
    uint32_t g = j->nodes.data[node].group;
    while (g != SIR_NONE && j->nodes.data[g].group != g)
        g = j->nodes.data[g].group = j->nodes.data[j->nodes.data[g].group].group;
    return g;
}

// Whether items of each group lie beside those of the first, all equally far.
static bool is_beside(const joint *j, const uint32_t *places, int64_t count)
{
    for (int64_t g = 1; g < j->groups; g++)
        for (int64_t i = 0; i < count; i++)
            if (places[g * count + i] != places[i] + g * j->apart)
                return false;
    return true;
}

// Puts places of items, or of results, with their groups; false: groups have unlike many, or one has too many.
static bool deal(joint *j, int64_t count, bool out, const uint32_t *number, uint32_t **places, int64_t *each)
{
    if (count % j->groups != 0 || count / j->groups > GROUP_ITEMS)
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

static bool find_groups(joint *j)
{
    uint32_t *number = ARENA_ARRAY(j->x->a, uint32_t, (size_t)j->pop + 1);
    j->groups = 0;
    for (uint32_t i = 0; i < j->pop; i++)
        number[i] = SIR_NONE;
    for (uint32_t i = 0; i < j->pop; i++)
        if (number[group_of(j, i)] == SIR_NONE)
            number[group_of(j, i)] = (uint32_t)j->groups++;
    if (!deal(j, j->pop, false, number, &j->inputs, &j->items) || !deal(j, j->push, true, number, &j->outputs, &j->results))
        return false;
    j->apart = j->groups == 1 ? 0 : (int64_t)j->inputs[j->items] - j->inputs[0];
    return j->apart <= MOST_APART && is_beside(j, j->inputs, j->items) && is_beside(j, j->outputs, j->results);
}

// ---- Whether groups do the same ----

typedef struct comparison {
    joint *j;
    int64_t group;
    uint32_t *other; // per node of the first group: the other group's; SIR_NONE: not seen yet
    size_t seen;
} comparison;

static bool same_constant(comparison *c, uint32_t a, uint32_t b)
{
    joint *j = c->j;
    if (j->slot_of[a] == SIR_NONE) {
        j->slot_of[a] = (uint32_t)j->slots.len;
        VEC_PUSH(j->x->a, &j->slots, ((slot){.type = j->nodes.data[a].type,
                                             .values = ARENA_ARRAY(j->x->a, sir_scalar, (size_t)j->groups + 1)}));
    }
    slot *s = &j->slots.data[j->slot_of[a]];
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
    if (p->kind != q->kind || p->op != q->op || p->type != q->type || p->arity != q->arity || ++c->seen > GROUP_NODES)
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

static bool groups_are_alike(joint *j)
{
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

static bool is_worth_it(const joint *j)
{
    if (j->count < 2)
        return false;
    // Groups are trips of a loop, of which C compilers make whole vectors where there are as many as a register has floats.
    return j->groups == 1 ? j->items >= LEAST_ALONE && j->results >= LEAST_ALONE
                          : j->groups >= hlc_vector_floats(j->x->hlc->config);
}

// ---- The joint filter ----

typedef struct writer {
    joint *j;
    sir_filter *filter;
    sir_loc loc;
    uint32_t place;        // the local that counts the groups' places; SIR_NONE: there is one group
    uint32_t *local;       // per node: what holds it; SIR_NONE: none does
    uint32_t *uses, *depth; // per node: of the first group
} writer;

static sir_expr *integer(const writer *w, int64_t n)
{
    return sir_const_int(w->j->x->m, (int32_t)n, w->loc);
}

static sir_expr *at_place(const writer *w, int64_t at)
{
    sir_module *m = w->j->x->m;
    if (w->place == SIR_NONE)
        return integer(w, at);
    sir_expr *e = sir_ref(m, SIR_LOCAL, w->place, m->scalar[SIR_INT], w->loc);
    return at == 0 ? e : sir_expr2(m, SIR_BINARY, LANG_OP_ADD, m->scalar[SIR_INT], e, integer(w, at), w->loc);
}

static sir_expr *expression(const writer *w, uint32_t node, bool whole)
{
    sir_module *m = w->j->x->m;
    const stage_node *n = &w->j->nodes.data[node];
    if (w->local[node] != SIR_NONE && !whole)
        return sir_ref(m, SIR_LOCAL, w->local[node], n->type, w->loc);
    if (n->kind == SIR_PEEK)
        return sir_expr1(m, SIR_PEEK, 0, n->type, at_place(w, n->item), w->loc);
    if (n->kind == SIR_CONST) {
        const slot *s = &w->j->slots.data[w->j->slot_of[node]];
        if (!s->differs)
            return sir_const(m, n->type, s->values[0], w->loc);
        const sir_type *t = w->filter->fields.data[s->table].type;
        return sir_expr2(m, SIR_INDEX, 0, n->type, sir_ref(m, SIR_FIELD, s->table, t, w->loc), at_place(w, s->at),
                         w->loc);
    }
    sir_expr *arg[3] = {0};
    for (uint8_t i = 0; i < n->arity; i++)
        arg[i] = expression(w, n->arg[i], false);
    return n->arity == 1   ? sir_expr1(m, n->kind, n->op, n->type, arg[0], w->loc)
           : n->arity == 2 ? sir_expr2(m, n->kind, n->op, n->type, arg[0], arg[1], w->loc)
                           : sir_expr3(m, n->kind, n->type, arg[0], arg[1], arg[2], w->loc);
}

// Numbers that differ from group to group lie as the groups' items do: as many side by side as are between two groups.
static void add_tables(writer *w)
{
    joint *j = w->j;
    sir_module *m = j->x->m;
    VEC(uint32_t) own = {0};
    for (size_t i = 0; i < j->slots.len; i++) {
        slot *s = &j->slots.data[i];
        const slot *equal = NULL;
        for (size_t k = 0; s->differs && k < own.len && equal == NULL; k++)
            if (memcmp(j->slots.data[own.data[k]].values, s->values, (size_t)j->groups * sizeof *s->values) == 0)
                equal = &j->slots.data[own.data[k]];
        if (equal != NULL) {
            s->table = equal->table;
            s->at = equal->at;
        }
        if (!s->differs || equal != NULL)
            continue;
        s->at = (uint32_t)((int64_t)own.len % j->apart);
        if (s->at == 0) {
            const sir_type *t = sir_type_array(m, s->type, (uint32_t)(j->groups * j->apart));
            const char *name = arena_printf(m->arena, "factors_%zu", w->filter->fields.len + 1);
            VEC_PUSH(m->arena, &w->filter->fields,
                     ((sir_field){.name = name, .type = t, .init = sir_value_new(m->arena, t), .constant = true,
                                  .loc = w->loc}));
        }
        s->table = (uint32_t)w->filter->fields.len - 1;
        for (int64_t g = 0; g < j->groups; g++)
            w->filter->fields.data[s->table].init.data[g * j->apart + s->at] = s->values[g];
        VEC_PUSH(j->x->a, &own, (uint32_t)i);
    }
}

static void count_uses(writer *w, uint32_t node)
{
    const stage_node *n = &w->j->nodes.data[node];
    if (w->uses[node]++ != 0)
        return;
    for (uint8_t i = 0; i < n->arity; i++)
        count_uses(w, n->arg[i]);
}

static sir_stmt *new_loop(writer *w, uint32_t local, int64_t end, int64_t step)
{
    sir_stmt *s = sir_stmt_new(w->j->x->m, SIR_FOR, w->loc);
    s->u.for_.local = local;
    s->u.for_.lo = integer(w, 0);
    s->u.for_.hi = integer(w, end);
    s->u.for_.step = (int32_t)step;
    return s;
}

// What a group does, in the order in which it was executed.
static void write_group(writer *w, sir_block *to)
{
    joint *j = w->j;
    sir_module *m = j->x->m;
    for (int64_t i = 0; i < j->results; i++)
        count_uses(w, j->out.data[j->outputs[i]].node);
    for (uint32_t i = 0; i < j->nodes.len; i++) {
        const stage_node *n = &j->nodes.data[i];
        if (w->uses[i] == 0 || n->kind == SIR_CONST)
            continue;
        uint32_t depth = 0;
        for (uint8_t k = 0; k < n->arity; k++)
            if (w->local[n->arg[k]] == SIR_NONE)
                depth = w->depth[n->arg[k]] + 1 > depth ? w->depth[n->arg[k]] + 1 : depth;
        w->depth[i] = depth;
        if (w->uses[i] == 1 && depth < NESTED)
            continue;
        sir_stmt *s = sir_stmt_new(m, SIR_DECL, w->loc);
        s->u.decl.init = expression(w, i, true);
        s->u.decl.local = w->local[i] = sir_local_new(m, w->filter->work, n->kind == SIR_PEEK ? "x" : "v", n->type, w->loc);
        VEC_PUSH(m->arena, to, s);
    }
}

static void write_ends(writer *w, uint32_t y, const sir_type *array)
{
    joint *j = w->j;
    sir_module *m = j->x->m;
    uint32_t k = sir_local_new(m, w->filter->work, "k", m->scalar[SIR_INT], w->loc);
    sir_stmt *pops = new_loop(w, k, j->pop, 1), *pushes = pops, *pop = sir_stmt_new(m, SIR_POP, w->loc);
    VEC_PUSH(m->arena, &pops->u.for_.body, pop);
    VEC_PUSH(m->arena, &w->filter->work->body, pops);
    if (array == NULL)
        return;
    if (j->pop != j->push) {
        k = sir_local_new(m, w->filter->work, "k", m->scalar[SIR_INT], w->loc);
        pushes = new_loop(w, k, j->push, 1);
        VEC_PUSH(m->arena, &w->filter->work->body, pushes);
    }
    sir_stmt *push = sir_stmt_new(m, SIR_PUSH, w->loc);
    push->u.value = sir_expr2(m, SIR_INDEX, 0, array->element, sir_ref(m, SIR_LOCAL, y, array, w->loc),
                              sir_ref(m, SIR_LOCAL, k, m->scalar[SIR_INT], w->loc), w->loc);
    VEC_PUSH(m->arena, &pushes->u.for_.body, push);
}

// One group: its statements, then what it pushes.
static void write_alone(writer *w)
{
    joint *j = w->j;
    sir_module *m = j->x->m;
    write_group(w, &w->filter->work->body);
    for (int64_t i = 0; i < j->results; i++) {
        sir_stmt *s = sir_stmt_new(m, SIR_PUSH, w->loc);
        s->u.value = expression(w, j->out.data[i].node, false);
        VEC_PUSH(m->arena, &w->filter->work->body, s);
    }
    write_ends(w, 0, NULL);
}

// A loop over the groups, whose results an array takes.
static void write_loop(writer *w)
{
    joint *j = w->j;
    sir_module *m = j->x->m;
    sir_function *work = w->filter->work;
    const sir_type *real = j->filters[0]->input, *array = sir_type_array(m, real, (uint32_t)j->push);
    uint32_t y = sir_local_new(m, work, "y", array, w->loc);
    sir_stmt *decl = sir_stmt_new(m, SIR_DECL, w->loc);
    decl->u.decl.local = y;
    VEC_PUSH(m->arena, &work->body, decl);
    w->place = sir_local_new(m, work, "i", m->scalar[SIR_INT], w->loc);
    sir_stmt *loop = new_loop(w, w->place, j->groups * j->apart, j->apart);
    write_group(w, &loop->u.for_.body);
    for (int64_t i = 0; i < j->results; i++) {
        sir_stmt *s = sir_stmt_new(m, SIR_SET, w->loc);
        s->u.set.target = sir_expr2(m, SIR_INDEX, 0, real, sir_ref(m, SIR_LOCAL, y, array, w->loc),
                                    at_place(w, j->outputs[i]), w->loc);
        s->u.set.value = expression(w, j->out.data[j->outputs[i]].node, false);
        VEC_PUSH(m->arena, &loop->u.for_.body, s);
    }
    VEC_PUSH(m->arena, &work->body, loop);
    write_ends(w, y, array);
}

static sir_filter *make_filter(joint *j)
{
    sir_module *m = j->x->m;
    const sir_filter *first = j->filters[0], *last = j->filters[j->count - 1];
    sir_filter *r = ARENA_NEW(m->arena, sir_filter);
    *r = *first;
    memset(&r->fields, 0, sizeof r->fields);
    r->name = pass_unique_filter_name(m, m->arena, arena_printf(m->arena, "%s_to_%s", first->name, last->name));
    r->source = arena_printf(m->arena, "%s to %s", first->source, last->source);
    r->work = ARENA_NEW(m->arena, sir_function);
    *r->work = *first->work;
    memset(&r->work->locals, 0, sizeof r->work->locals);
    r->work->body = (sir_block){0};
    r->work->peek.min = r->work->peek.max = r->work->pop.min = r->work->pop.max = j->pop;
    r->work->push.min = r->work->push.max = j->push;
    writer w = {.j = j, .filter = r, .loc = first->work->loc, .place = SIR_NONE};
    w.local = ARENA_ARRAY(j->x->a, uint32_t, j->nodes.len + 1);
    w.uses = ARENA_ARRAY(j->x->a, uint32_t, j->nodes.len + 1);
    w.depth = ARENA_ARRAY(j->x->a, uint32_t, j->nodes.len + 1);
    memset(w.local, 0xff, j->nodes.len * sizeof *w.local);
    if (j->groups > 1) {
        add_tables(&w);
        write_loop(&w);
    } else {
        write_alone(&w);
    }
    VEC_PUSH(m->arena, &m->filters, r);
    return r;
}

// ---- The graph ----

static void merge(joint *j, const numbers *chain)
{
    joiner *x = j->x;
    sir_module *m = x->m;
    sir_actor *first = m->actors.data[chain->data[0]], *last = m->actors.data[chain->data[j->count - 1]];
    const char *groups = j->groups == 1 ? "" : arena_printf(x->a, ", for each of %" PRId64 " groups", j->groups);
    diag_remark(x->hlc->diag, sir_range(m, x->hlc->sources, first->loc),
                "'%s' to '%s' are one filter: %" PRId64 " items go through %zu stages in registers%s [stages]",
                first->name, last->name, j->items, j->count, groups);
    first->filter = make_filter(j);
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
static size_t try_row(joiner *x, uint32_t actor)
{
    numbers chain = {0};
    joint *best = NULL, now = {.x = x};
    for (uint32_t i = actor; i != SIR_NONE; i = next_of(x, i)) {
        joint longer = now;
        longer.slots = (stage_slots){0};
        if (!extend(&longer, x->m->actors.data[i]->filter))
            break;
        VEC_PUSH(x->a, &chain, i);
        now = longer;
        if (!follow(&now) || !find_groups(&now) || !groups_are_alike(&now))
            break;
        if (is_worth_it(&now)) {
            best = ARENA_NEW(x->a, joint);
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
    if (p->config->no_lanes || hlc_vector_floats(p->config) < LEAST_FLOATS || p->config->check_rates || p->config->check_bounds ||
        hlc_keeps_names(p->config) || m->portals.len != 0 || pass_shares_out(p) || !pass_has_vectors(p))
        return false;
    joiner x = {.a = arena_create(), .hlc = p, .m = m, .steps = 16 * (int64_t)FOLLOW_STEPS};
    x.gone_actor = ARENA_ARRAY(x.a, bool, m->actors.len + 1);
    x.gone_channel = ARENA_ARRAY(x.a, bool, m->channels.len + 1);
    bool any = false;
    for (uint32_t i = 0; i < m->actors.len; i++)
        if (!x.gone_actor[i] && can_join(&x, i))
            any |= try_row(&x, i) != 0;
    if (any)
        pass_sweep(m, x.a, x.gone_actor, x.gone_channel);
    arena_destroy(x.a);
    if (any)
        pass_tidy(m);
    return any;
}
