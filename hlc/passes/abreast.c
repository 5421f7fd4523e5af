// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass 'abreast': filters with state that a splitter gives the same items, and of which a joiner takes an item each,
// become one filter.
//
//     split duplicate;                            %item = pop
//     add Comb_1;  // pop 1 push 1                %a = ..    push %a        what Comb_1 does
//     add Comb_2;                          ->     %b = ..    push %b        what Comb_2 does
//     join roundrobin;
//
// A recursive filter waits for what it computed of the item before. The others wait for something else, so a processor that
// looks ahead does all of them at once, where it would go through all the items for one and then for the next one. What the
// joiner puts together is pushed where it goes.
//
// So do those that a splitter gives an item each in turn, such as the two sides of a stereo sound; one firing pops an item for
// each then.
//
// Siblings that differ in constants alone are one filter already, and vectors ('siblings'); here they may differ in
// anything, such as the lengths of the delays in a reverberator. Filters whose firings go side by side, as their state only
// counts round, stay by themselves. A filter or two without state may be among those that wait, such as what passes on the
// sound that a reverberator adds its echoes to: alone it would copy it.
#include "hlc/ir/copy.h"
#include "hlc/ir/counters.h"
#include "hlc/ir/type_rules.h"
#include "hlc/ir/walk.h"
#include "hlc/passes/pass.h"

// Filters that go together at most, as long as what they keep stays in registers; nodes of a body.
enum { ABREAST_FILTERS = 8, ABREAST_NODES = 250 };

// Nodes of a body without state, which costs next to nothing beside the others.
enum { ABREAST_FEW = 16 };

// So many processors at most do less for filters with state than waiting at the same time does.
enum { ABREAST_PROCESSORS = 2 };

typedef struct row {
    arena *a;
    hlc_program *p;
    sir_module *m;
    sir_actor *split, *join;
    size_t count, waiting; // filters; those that wait for themselves
    bool deals;            // the splitter gives each an item of its own
} row;

// ---- Which filters ----

typedef struct body_facts {
    size_t nodes, pops, pushes;
    bool fails;
} body_facts;

static void look_at_expr(void *context, sir_expr *e, bool written)
{
    (void)written;
    body_facts *b = context;
    b->nodes++;
    // Whoever divides by zero is named.
    b->fails |=
        e->kind == SIR_ITER || (e->kind == SIR_PEEK && e->u.arg[0]->kind != SIR_CONST) || sir_may_divide_by_zero(e);
}

static void look_at_stmt(void *context, sir_stmt *s)
{
    body_facts *b = context;
    b->nodes++;
    b->pops += s->kind == SIR_POP;
    b->pushes += s->kind == SIR_PUSH;
    b->fails |=
        s->kind != SIR_DECL && s->kind != SIR_SET && s->kind != SIR_POP && s->kind != SIR_PUSH && s->kind != SIR_IF;
    sir_visit_exprs(s, look_at_expr, b);
}

// One pop and one push, statements of the body itself.
static bool moves_plainly(const sir_function *work, size_t most)
{
    body_facts all = {0};
    size_t pops = 0, pushes = 0;
    for (VEC_EACH(sir_stmt *, s, &work->body)) {
        pops += (*s)->kind == SIR_POP;
        pushes += (*s)->kind == SIR_PUSH;
    }
    sir_visit_stmts(&work->body, look_at_stmt, &all);
    return !all.fails && all.nodes <= most && pops == 1 && pushes == 1 && all.pops == 1 && all.pushes == 1;
}

static bool is_plain(const sir_module *m, const sir_actor *a)
{
    const sir_filter *f = a->kind == SIR_FILTER ? a->filter : NULL;
    return f != NULL && a->inputs.len == 1 && a->outputs.len == 1 && a->least == 0 && f->prework == NULL &&
           f->handlers.len == 0 && f->functions.len == 0 && !f->finite && !f->prints && !f->sends && !f->uses_random &&
           !pass_waits(f->work) && !f->work->pop.dynamic && !f->work->push.dynamic && sir_is_scalar(f->input) &&
           sir_is_scalar(f->output) && f->work->pop.max == 1 && f->work->push.max == 1 &&
           moves_plainly(f->work, f->stateful ? ABREAST_NODES : ABREAST_FEW) && pass_rates_proved(m, f->work);
}

static bool waits_for_itself(arena *a, const sir_filter *f)
{
    sir_counters counters = {0};
    sir_beside beside = {0};
    return f->stateful && !sir_find_counters(a, f, &counters, &beside);
}

static bool has_array(const sir_filter *f)
{
    for (VEC_EACH(const sir_field, x, &f->fields))
        if (!x->constant && x->type->kind == SIR_ARRAY)
            return true;
    return false;
}

static bool is_empty(const row *x, uint32_t channel)
{
    return channel != SIR_NONE && x->m->channels.data[channel].initial.len == 0 &&
           x->m->channels.data[channel].zeros == NULL;
}

static uint32_t member(const row *x, size_t port)
{
    return x->m->channels.data[x->split->outputs.data[port]].consumer;
}

static bool gives_one_each(const sir_actor *split)
{
    for (VEC_EACH(const uint32_t, w, &split->weights))
        if (*w != 1)
            return false;
    return split->weights.len == split->outputs.len;
}

static bool find_row(row *x, uint32_t number)
{
    sir_module *m = x->m;
    x->split = m->actors.data[number];
    if (x->split->kind != SIR_SPLIT || x->split->least != 0 || x->split->inputs.len != 1 ||
        x->split->inputs.data[0] == SIR_NONE || pass_in_loop(m, x->split->region))
        return false;
    x->deals = !x->split->duplicate;
    if (x->deals && !gives_one_each(x->split))
        return false;
    x->count = x->split->outputs.len;
    size_t free = 0;
    x->waiting = 0;
    bool arrays = false;
    if (x->count < 2 || x->count > ABREAST_FILTERS)
        return false;
    for (size_t i = 0; i < x->count; i++) {
        if (!is_empty(x, x->split->outputs.data[i]))
            return false;
        const sir_actor *a = m->actors.data[member(x, i)], *first = m->actors.data[member(x, 0)];
        if (!is_plain(m, a) || !is_empty(x, a->outputs.data[0]) || a->filter->input != first->filter->input ||
            a->filter->output != first->filter->output)
            return false;
        const sir_channel *out = &m->channels.data[a->outputs.data[0]];
        x->join = m->actors.data[out->consumer];
        if (x->join->kind != SIR_JOIN || out->consumer_port != i || x->join->weights.data[i] != 1)
            return false;
        x->waiting += waits_for_itself(x->a, a->filter);
        free += !a->filter->stateful;
        arrays |= has_array(a->filter);
    }
    // At -Ofast filters that are no more than linear have their firings done several at once, each by itself.
    return x->join->least == 0 && x->join->inputs.len == x->count && x->join->outputs.len == 1 &&
           x->join->outputs.data[0] != SIR_NONE && x->waiting >= 2 && free < x->waiting &&
           (arrays || !x->p->config->fast_math);
}

// ---- The filter ----

typedef struct copy {
    const row *x;
    sir_filter *to;
    uint32_t item;
    sir_copier copier;
} copy;

static sir_expr *item_of(const copy *c, sir_loc loc)
{
    return sir_ref(c->x->m, SIR_LOCAL, c->item, c->to->input, loc);
}

static sir_expr *replace_peek(void *context, const sir_expr *e)
{
    return e->kind == SIR_PEEK ? item_of(context, e->loc) : NULL;
}

static bool replace_pop(void *context, const sir_stmt *s, sir_block *to)
{
    copy *c = context;
    if (s->kind != SIR_POP)
        return false;
    if (s->u.set.target == NULL)
        return true;
    sir_stmt *set = sir_stmt_new(c->x->m, SIR_SET, s->loc);
    set->u.set.target = sir_copy_expr(&c->copier, s->u.set.target);
    set->u.set.value = item_of(c, s->loc);
    VEC_PUSH(c->x->m->arena, to, set);
    return true;
}

static void add_member(copy *c, const sir_filter *f)
{
    sir_module *m = c->x->m;
    sir_function *work = c->to->work;
    uint32_t *locals = ARENA_ARRAY(c->x->a, uint32_t, f->work->locals.len + 1);
    for (size_t i = 0; i < f->work->locals.len; i++) {
        const sir_local *l = &f->work->locals.data[i];
        locals[i] = sir_local_new(m, work, l->name, l->type, l->loc);
    }
    c->copier = (sir_copier){.arena = m->arena,
                             .locals = locals,
                             .field = pass_add_fields(m, c->to, f),
                             .context = c,
                             .expr = replace_peek,
                             .stmt = replace_pop};
    sir_copy_stmts(&c->copier, &f->work->body, 0, f->work->body.len, &work->body);
}

// Pops an item into a local of its own.
static uint32_t pop_item(copy *c)
{
    sir_module *m = c->x->m;
    sir_function *work = c->to->work;
    sir_stmt *decl = sir_stmt_new(m, SIR_DECL, work->loc), *pop = sir_stmt_new(m, SIR_POP, work->loc);
    c->item = decl->u.decl.local = sir_local_new(m, work, "item", c->to->input, work->loc);
    pop->u.set.target = item_of(c, work->loc);
    VEC_PUSH(m->arena, &work->body, decl);
    VEC_PUSH(m->arena, &work->body, pop);
    return c->item;
}

static sir_filter *make_filter(const row *x)
{
    sir_module *m = x->m;
    const sir_filter *first = m->actors.data[member(x, 0)]->filter,
                     *last = m->actors.data[member(x, x->count - 1)]->filter;
    sir_filter *r = ARENA_NEW(m->arena, sir_filter);
    *r = *first;
    r->fields.data = NULL;
    r->fields.len = r->fields.cap = 0;
    r->name = pass_unique_filter_name(m, m->arena, arena_printf(m->arena, "%s_and_%s", first->name, last->name));
    r->source = arena_printf(m->arena, "%s and %s", first->source, last->source);
    r->work = ARENA_NEW(m->arena, sir_function);
    *r->work = *first->work;
    r->work->locals.data = NULL;
    r->work->locals.len = r->work->locals.cap = 0;
    r->work->body = (sir_block){0};
    r->work->push.min = r->work->push.max = (int64_t)x->count;
    copy c = {.x = x, .to = r};
    const int64_t pops = x->deals ? (int64_t)x->count : 1;
    r->work->pop.min = r->work->pop.max = r->work->peek.min = r->work->peek.max = pops;
    uint32_t *items = ARENA_ARRAY(x->a, uint32_t, x->count);
    for (int64_t i = 0; i < pops; i++)
        items[i] = pop_item(&c);
    for (size_t i = 0; i < x->count; i++) {
        c.item = items[x->deals ? i : 0];
        add_member(&c, m->actors.data[member(x, i)]->filter);
    }
    VEC_PUSH(m->arena, &m->filters, r);
    return r;
}

// ---- The graph ----

static bool take(hlc_program *p, arena *a, void *context, uint32_t actor)
{
    (void)context;
    row x = {.a = a, .p = p, .m = p->module};
    sir_module *m = x.m;
    if (!find_row(&x, actor))
        return false;
    uint32_t first = member(&x, 0);
    sir_actor *all = m->actors.data[first];
    if (p->diag->remarks)
        diag_remark(p->diag, sir_range(m, p->sources, x.split->loc),
                    "'%s' to '%s' are one filter: %zu that wait for their own state wait at the same time [abreast]",
                    all->name, m->actors.data[member(&x, x.count - 1)]->name, x.waiting);
    sir_filter *f = make_filter(&x);
    bool *gone_actor = ARENA_ARRAY(a, bool, m->actors.len + 1),
         *gone_channel = ARENA_ARRAY(a, bool, m->channels.len + 1);
    for (size_t i = 0; i < x.count; i++) {
        gone_actor[member(&x, i)] = i != 0;
        gone_channel[x.split->outputs.data[i]] = gone_channel[m->actors.data[member(&x, i)]->outputs.data[0]] = true;
    }
    for (uint32_t i = 0; i < m->actors.len; i++)
        gone_actor[i] |= m->actors.data[i] == x.split || m->actors.data[i] == x.join;
    uint32_t in = x.split->inputs.data[0], out = x.join->outputs.data[0];
    all->filter = f;
    all->inputs.data[0] = in;
    all->outputs.data[0] = out;
    m->channels.data[in].consumer = m->channels.data[out].producer = first;
    m->channels.data[in].consumer_port = m->channels.data[out].producer_port = 0;
    pass_sweep(m, a, gone_actor, gone_channel);
    return true;
}

bool pass_abreast(hlc_program *p)
{
    return p->module->portals.len == 0 && pass_keeps_state(p) && !pass_shares_state(p, ABREAST_PROCESSORS) &&
           pass_take_actors(p, take, NULL);
}
