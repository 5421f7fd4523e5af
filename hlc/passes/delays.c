// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass 'delays': a filter behind a splitjoin of delays, and of branches that do nothing, takes the items from before
// the splitter, where those that were delayed lie further back:
//
//     split roundrobin(1, 1): a delay of 1 beside nothing      ->      %e = peek(2)   %b = peek(1)   pop   pop
//     %e = pop   %b = pop
//
// What the delays push at first is on the channel from the beginning, before its other items. A firing needs the items of
// as many rounds of the splitter as before, and some that is not delayed is of the last of them; so initialisation, steady
// states and end are as before, and nothing is copied.
#include <string.h>

#include "hlc/ir/type_rules.h"
#include "hlc/ir/walk.h"
#include "hlc/passes/pass.h"
#include "hlc/passes/places.h"

// Items that a firing takes; items that a delay holds, which move to the front of the channel with each run.
enum { MOST_ITEMS = 1 << 12, MOST_HELD = 1024 };

typedef struct branch {
    uint32_t in, out;       // channels
    const sir_actor *delay; // NULL: it does nothing, or is not there
    pass_scalars held;      // the delay's, the first to come out first
} branch;

typedef struct delayed {
    arena *a;
    sir_module *m;
    const sir_actor *split, *join;
    branch *branches; // per input of the joiner
    places order;     // where a firing's items lie, `back` being the place of what comes next
    int64_t taken;    // items of the source in a firing
    int64_t back;     // items of earlier firings that are peeked at
    sir_scalar *before;
    bool *known; // per item of before: something is held there
    bool rewrites, fails;
} delayed;

// ---- The splitjoin ----

static bool note_held(arena *a, const sir_block *b, pass_scalars *held)
{
    bool fits = true;
    for (size_t i = 0; i < b->len && fits; i++) {
        const sir_stmt *s = b->data[i];
        if (s->kind == SIR_PUSH && s->u.value->kind == SIR_CONST)
            VEC_PUSH(a, held, s->u.value->u.value);
        else if (s->kind == SIR_BLOCK)
            fits = note_held(a, &s->u.block, held);
        else if (places_is_counted(s))
            for (int64_t k = places_trips(s); k > 0 && fits; k--)
                fits = note_held(a, &s->u.for_.body, held);
        else
            fits = false;
        fits = fits && held->len <= MOST_HELD;
    }
    return fits;
}

// Whether a body passes one item on.
static bool passes_on(const sir_function *work)
{
    const sir_stmt *pop = NULL, *push = NULL;
    for (size_t i = 0; i < work->body.len; i++) {
        const sir_stmt *s = work->body.data[i];
        if (s->kind == SIR_POP && pop == NULL)
            pop = s;
        else if (s->kind == SIR_PUSH && push == NULL)
            push = s;
        else if (s->kind != SIR_DECL || s->u.decl.init != NULL)
            return false;
    }
    return pop != NULL && push != NULL && pop->u.set.target != NULL && pop->u.set.target->kind == SIR_LOCAL &&
           push->u.value->kind == SIR_LOCAL && pop->u.set.target->index == push->u.value->index;
}

bool pass_is_delay(arena *a, const sir_filter *f, pass_scalars *held)
{
    const size_t first = held->len;
    bool is = f->prework != NULL && !f->prework->peek.dynamic && !f->prework->push.dynamic &&
              f->prework->peek.max == 0 && f->functions.len == 0 && !f->finite && sir_is_scalar(f->input) &&
              !pass_waits(f->work) && passes_on(f->work) && note_held(a, &f->prework->body, held) &&
              (int64_t)(held->len - first) == f->prework->push.max && held->len > first;
    held->len = is ? held->len : first;
    return is;
}

static bool is_inside(const sir_actor *a)
{
    return a->least == 0 && a->inputs.len == 1 && a->outputs.len == 1 && a->inputs.data[0] != SIR_NONE &&
           a->outputs.data[0] != SIR_NONE && a->filter->handlers.len == 0;
}

// Whether a filter passes on what it takes, and has passed on as many items as it was given at any time.
static bool passes_in_step(const sir_filter *f, const sir_channel *in)
{
    return f->identity && !f->work->peek.dynamic && f->work->peek.max - 1 <= (int64_t)in->initial.len;
}

// What is on a channel from the beginning comes out behind what the branch holds so far.
static bool hold_initial(arena *a, const sir_channel *c, pass_scalars *held)
{
    bool fits =
        c->zeros == NULL && (c->initial.len == 0 || sir_is_scalar(c->type)) && held->len + c->initial.len <= MOST_HELD;
    for (size_t i = 0; i < c->initial.len && fits; i++)
        VEC_PUSH(a, held, c->initial.data[i].data[0]);
    return fits;
}

static bool find_branch(delayed *x, uint32_t channel, branch *b)
{
    const sir_channel *c = channel == SIR_NONE ? NULL : &x->m->channels.data[channel];
    *b = (branch){.in = channel, .out = channel};
    if (c == NULL || !hold_initial(x->a, c, &b->held))
        return false;
    const sir_actor *a = x->m->actors.data[c->producer];
    if (a->kind == SIR_SPLIT)
        return true;
    if (a->kind != SIR_FILTER || !is_inside(a))
        return false;
    b->in = a->inputs.data[0];
    const sir_channel *in = &x->m->channels.data[b->in];
    if (pass_is_delay(x->a, a->filter, &b->held))
        b->delay = a;
    return (b->delay != NULL || passes_in_step(a->filter, in)) && hold_initial(x->a, in, &b->held) &&
           x->m->actors.data[in->producer]->kind == SIR_SPLIT;
}

static int64_t sum_of(const uint32_t *weights, size_t count)
{
    int64_t total = 0;
    for (size_t i = 0; i < count; i++)
        total += weights[i];
    return total;
}

static bool find_splitjoin(delayed *x)
{
    bool delays = false;
    x->branches = ARENA_ARRAY(x->a, branch, x->join->inputs.len + 1);
    for (size_t i = 0; i < x->join->inputs.len; i++) {
        branch *b = &x->branches[i];
        if (x->join->weights.data[i] == 0 || !find_branch(x, x->join->inputs.data[i], b))
            return false;
        const sir_actor *split = x->m->actors.data[x->m->channels.data[b->in].producer];
        if (x->split != NULL && split != x->split)
            return false;
        x->split = split;
        delays = delays || b->held.len != 0;
    }
    return delays && x->split->inputs.len == 1 && x->split->inputs.data[0] != SIR_NONE &&
           x->split->outputs.len == x->join->inputs.len &&
           x->m->channels.data[x->split->inputs.data[0]].initial.len == 0 &&
           x->m->channels.data[x->split->inputs.data[0]].zeros == NULL;
}

// ---- Where items lie ----

static int64_t quotient(int64_t a, int64_t b) // downwards
{
    return a >= 0 ? a / b : -((b - 1 - a) / b);
}

// The place on the source of the joiner's item of that number; *held: of the first items of a delay, else -1.
static int64_t source_of(const delayed *x, int64_t item, uint32_t *port, int64_t *held)
{
    const uint32_t *weights = x->join->weights.data;
    int64_t total = sum_of(weights, x->join->weights.len), within = item % total, first = 0;
    uint32_t p = 0;
    for (; within >= first + weights[p]; p++)
        first += weights[p];
    const branch *b = &x->branches[p];
    int64_t j = item / total * weights[p] + within - first;
    *port = p;
    *held = j < (int64_t)b->held.len ? j : -1;
    j -= (int64_t)b->held.len;
    if (x->split->duplicate)
        return j;
    uint32_t out = x->m->channels.data[b->in].producer_port;
    int64_t weight = x->split->weights.data[out], rounds = quotient(j, weight);
    return rounds * sum_of(x->split->weights.data, x->split->weights.len) + sum_of(x->split->weights.data, out) + j -
           rounds * weight;
}

// The items of the source in a firing: as many of each branch as it takes. 0: no whole rounds.
static int64_t taken_of(const delayed *x, int64_t items)
{
    int64_t total = sum_of(x->join->weights.data, x->join->weights.len), rounds = 0;
    for (size_t i = 0; i < x->join->inputs.len; i++) {
        int64_t takes = items / total * x->join->weights.data[i],
                weight = x->split->duplicate
                             ? 1
                             : x->split->weights.data[x->m->channels.data[x->branches[i].in].producer_port];
        if (items % total != 0 || weight == 0 || takes % weight != 0 || (i > 0 && takes / weight != rounds))
            return 0;
        rounds = takes / weight;
    }
    return rounds * (x->split->duplicate ? 1 : sum_of(x->split->weights.data, x->split->weights.len));
}

static bool note_before(delayed *x, int64_t at, sir_scalar value)
{
    const sir_type *t = x->m->channels.data[x->split->inputs.data[0]].type;
    size_t bytes = t->kind == SIR_DOUBLE ? sizeof value.d : t->kind == SIR_COMPLEX ? sizeof value.c : sizeof value.i;
    at += x->back;
    bool same = at >= 0 && (!x->known[at] || memcmp(&x->before[at], &value, bytes) == 0);
    if (same) {
        x->known[at] = true;
        x->before[at] = value;
    }
    return same;
}

static bool find_order(delayed *x)
{
    int64_t round = x->split->duplicate ? 1 : sum_of(x->split->weights.data, x->split->weights.len), last = -1, held;
    uint32_t port;
    x->taken = taken_of(x, x->order.items);
    for (int64_t i = 0; i < x->order.items; i++) {
        int64_t at = source_of(x, i, &port, &held);
        x->back = -at > x->back ? -at : x->back;
        last = at > last ? at : last;
        x->order.to[i] = at;
    }
    if (x->taken == 0 || x->back > MOST_HELD || last < x->taken - round)
        return false;
    x->before = ARENA_ARRAY(x->a, sir_scalar, (size_t)x->back + 1);
    x->known = ARENA_ARRAY(x->a, bool, (size_t)x->back + 1);
    for (int64_t i = 0; i < x->order.items; i++)
        for (int64_t firing = 0; x->order.to[i] + firing * x->taken < 0; firing++) {
            int64_t at = source_of(x, i + firing * x->order.items, &port, &held);
            if (held < 0 || !note_before(x, at, x->branches[port].held.data[held]))
                return false;
        }
    for (int64_t i = 0; i < x->order.items; i++)
        x->order.to[i] += x->back;
    return true;
}

// ---- The filter behind it ----

static void visit_expr(void *context, sir_expr *e, bool written);

typedef struct visitor {
    delayed *x;
    const place *at;
} visitor;

static place place_plus(const place *a, const place *b, bool *fails)
{
    place sum = *a;
    sum.constant += b->constant;
    for (size_t i = 0; i < b->count; i++) {
        size_t k = 0;
        while (k < sum.count && sum.loop[k] != b->loop[i])
            k++;
        if (k == PLACE_LOOPS) {
            *fails = true;
            return sum;
        }
        sum.coefficient[k] = (k < sum.count ? sum.coefficient[k] : 0) + b->coefficient[i];
        sum.loop[k] = b->loop[i];
        sum.count += k == sum.count;
    }
    return sum;
}

static void visit_expr(void *context, sir_expr *e, bool written)
{
    const visitor *v = context;
    delayed *x = v->x;
    place p, q;
    (void)written;
    if (e->kind != SIR_PEEK || x->fails)
        return;
    x->fails = !place_of(&x->order, e->u.arg[0], &p);
    if (x->fails)
        return;
    p = place_plus(&p, v->at, &x->fails);
    if (x->fails || !places_move(&x->order, &p, &q))
        x->fails = true;
    else if (x->rewrites)
        e->u.arg[0] = place_text(&x->order, &q, e->u.arg[0]->loc);
}

static void visit_block(delayed *x, sir_block *b, place *at);

// The item is peeked at; it is popped when all are.
static void visit_pop(delayed *x, sir_block *to, sir_stmt *s, place *at)
{
    place q;
    if (s->u.set.target != NULL && !places_move(&x->order, at, &q))
        x->fails = true;
    else if (s->u.set.target != NULL && x->rewrites) {
        sir_expr *peek = sir_expr1(x->m, SIR_PEEK, 0, s->u.set.target->type, place_text(&x->order, &q, s->loc), s->loc);
        sir_stmt *set = sir_stmt_new(x->m, SIR_SET, s->loc);
        set->u.set.target = s->u.set.target;
        set->u.set.value = peek;
        VEC_PUSH(x->m->arena, to, set);
    }
    at->constant++;
}

static int64_t popped_in(delayed *x, const sir_block *b)
{
    int64_t n = 0;
    for (size_t i = 0; i < b->len; i++) {
        const sir_stmt *s = b->data[i];
        sir_parts parts = sir_stmt_parts((sir_stmt *)(uintptr_t)s);
        int64_t inner = 0;
        for (uint8_t k = 0; k < parts.block_count; k++)
            inner += popped_in(x, parts.block[k]);
        n += s->kind == SIR_POP;
        if (inner != 0 && places_is_counted(s))
            inner *= places_trips(s);
        else if (inner != 0 && s->kind != SIR_BLOCK)
            x->fails = true;
        n += inner;
        x->fails |= n > MOST_ITEMS;
    }
    return n;
}

static void visit_for(delayed *x, sir_stmt *s, place *at)
{
    int64_t each = popped_in(x, &s->u.for_.body), trips = places_trips(s), step = s->u.for_.step;
    place inside = *at, moves = {.count = each != 0, .loop = {s}, .coefficient = {each / step}};
    moves.constant = -(each / step) * s->u.for_.lo->u.value.i;
    x->fails |= each % step != 0;
    if (!x->fails)
        inside = place_plus(&inside, &moves, &x->fails);
    VEC_PUSH(x->a, &x->order.loops, s);
    visit_block(x, &s->u.for_.body, &inside);
    x->order.loops.len--;
    at->constant += each * trips;
}

static void visit_stmt(delayed *x, sir_block *to, sir_stmt *s, place *at)
{
    visitor v = {x, at};
    sir_visit_exprs(s, visit_expr, &v);
    if (s->kind == SIR_POP) {
        visit_pop(x, to, s, at);
        return;
    }
    x->fails |= s->kind == SIR_CALL || s->kind == SIR_SEND || s->kind == SIR_RETURN;
    if (places_is_counted(s)) {
        visit_for(x, s, at);
    } else {
        sir_parts parts = sir_stmt_parts(s);
        for (uint8_t k = 0; k < parts.block_count && !x->fails; k++)
            visit_block(x, parts.block[k], at);
    }
    VEC_PUSH(x->m->arena, to, s);
}

static void visit_block(delayed *x, sir_block *b, place *at)
{
    sir_block r = {0};
    for (size_t i = 0; i < b->len && !x->fails; i++)
        visit_stmt(x, &r, b->data[i], at);
    if (x->rewrites)
        *b = r;
}

static bool visit(delayed *x, sir_filter *f, bool rewrites)
{
    place at = {0};
    x->rewrites = rewrites;
    x->fails = false;
    (void)popped_in(x, &f->work->body);
    if (!x->fails)
        visit_block(x, &f->work->body, &at);
    return !x->fails && at.constant == x->order.items;
}

static void add_pops(delayed *x, sir_filter *f)
{
    sir_loc loc = f->work->loc;
    sir_stmt *loop = sir_stmt_new(x->m, SIR_FOR, loc);
    loop->u.for_.local = sir_local_new(x->m, f->work, "i", x->m->scalar[SIR_INT], loc);
    loop->u.for_.lo = sir_const_int(x->m, 0, loc);
    loop->u.for_.hi = sir_const_int(x->m, (int32_t)x->taken, loc);
    loop->u.for_.step = 1;
    VEC_PUSH(x->m->arena, &loop->u.for_.body, sir_stmt_new(x->m, SIR_POP, loc));
    VEC_PUSH(x->m->arena, &f->work->body, loop);
    f->work->pop.min = f->work->pop.max = x->taken;
    f->work->peek.min = f->work->peek.max = x->taken + x->back;
}

// ---- The pass ----

// Whether nothing else is of the filter that is to change: looks at the whole graph.
static bool is_alone(const sir_module *m, const sir_filter *f)
{
    size_t actors = 0;
    for (VEC_EACH(sir_actor *, other, &m->actors))
        actors += (*other)->filter == f;
    for (VEC_EACH(const sir_channel, c, &m->channels))
        actors += c->zeros != NULL && (c->zeros->samples == f || c->zeros->phases == f);
    return actors == 1;
}

static bool is_plain(const sir_module *m, const sir_actor *a)
{
    const sir_filter *f = a->filter;
    return a->least == 0 && !f->finite && f->prework == NULL && f->functions.len == 0 && f->handlers.len == 0 &&
           sir_is_scalar(f->input) && f->work->pop.max > 0 && f->work->pop.max <= MOST_ITEMS &&
           f->work->peek.max == f->work->pop.max && pass_rates_proved(m, f->work);
}

static bool is_received(const sir_module *m, const delayed *x)
{
    for (VEC_EACH(const sir_portal, p, &m->portals))
        for (VEC_EACH(uint32_t, r, &p->receivers))
            for (size_t i = 0; i < x->join->inputs.len; i++)
                if (m->actors.data[*r] == x->branches[i].delay)
                    return true;
    return false;
}

static void connect(delayed *x, uint32_t actor)
{
    sir_module *m = x->m;
    bool *gone_actor = ARENA_ARRAY(x->a, bool, m->actors.len + 1);
    bool *gone_channel = ARENA_ARRAY(x->a, bool, m->channels.len + 1);
    uint32_t source = x->split->inputs.data[0];
    gone_channel[m->actors.data[actor]->inputs.data[0]] = true;
    for (size_t i = 0; i < x->join->inputs.len; i++)
        gone_channel[x->branches[i].in] = gone_channel[x->branches[i].out] = true;
    for (size_t i = 0; i < m->channels.len; i++)
        if (gone_channel[i])
            gone_actor[m->channels.data[i].producer] = true;
    sir_channel *c = &m->channels.data[source];
    c->consumer = actor;
    c->consumer_port = 0;
    c->loc = x->join->loc;
    for (int64_t i = 0; i < x->back; i++) {
        sir_value v = sir_value_new(m->arena, c->type);
        v.data[0] = x->before[i];
        VEC_PUSH(m->arena, &c->initial, v);
    }
    m->actors.data[actor]->inputs.data[0] = source;
    pass_sweep(m, x->a, gone_actor, gone_channel);
}

static bool take_delays(hlc_program *p, arena *a, void *context, uint32_t actor)
{
    (void)context;
    sir_module *m = p->module;
    sir_actor *own = m->actors.data[actor];
    if (own->kind != SIR_FILTER || own->inputs.len != 1 || own->inputs.data[0] == SIR_NONE ||
        pass_in_loop(m, own->region))
        return false;
    const sir_channel *in = &m->channels.data[own->inputs.data[0]];
    if (m->actors.data[in->producer]->kind != SIR_JOIN || in->initial.len != 0 || in->zeros != NULL ||
        !is_plain(m, own))
        return false;
    delayed x = {.a = a, .m = m, .join = m->actors.data[in->producer]};
    x.order = (places){.m = m, .a = a, .items = own->filter->work->pop.max};
    x.order.to = ARENA_ARRAY(a, int64_t, (size_t)x.order.items + 1);
    if (!find_splitjoin(&x) || pass_in_loop(m, x.split->region) || is_received(m, &x) || !is_alone(m, own->filter) ||
        !find_order(&x) || !visit(&x, own->filter, false))
        return false;
    (void)visit(&x, own->filter, true);
    add_pops(&x, own->filter);
    if (p->diag->remarks)
        diag_remark(p->diag, sir_range(m, p->sources, own->loc),
                    "'%s' takes its items from before '%s', those that are delayed from further back [delays]",
                    own->name, x.split->name);
    connect(&x, actor);
    return true;
}

bool pass_delays(hlc_program *p)
{
    return pass_take_actors(p, take_delays, NULL);
}
