// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass 'chain': filters with state that follow each other item by item become one.
//
//     Peaking -> Peaking_2 -> ... -> Peaking_10        (each pop 1 push 1)
//     Peaking_to_Peaking_10 (pop 1 push 1)
//
// A recursive filter waits for what it computed of the item before: a few operations, one after the other. The next filter,
// at the item before, waits for something else, so a processor that looks ahead does both at once, where it would go
// through all the items for the one and then for the other. Between the filters items are locals.
//
// Each filter fires as often as the one before, in all phases: the one that does what they do fires as often, too.
// Where splitjoins or several items a firing are between filters see chain_regions.c, where one goes by frames chain_frames.c.
//
// NOTE(short loops). A sum over the items and results of before, and what moves these along, are short loops that C compilers
// write out, so they wait as other statements do.
//
// NOTE(ladders). So does a filter wait in whose loop an element of the state is computed from another, as in a lattice. Loops
// whose trips have a state each are left to the emission, which does several firings' trips side by side.
//
// NOTE(long rings). A comb or an echo whose array is long does not wait: its firings up to where the array begins again are
// vectors (NOTE(rings) in hlc/emit/program_counters.c). It goes with one that does; a chain of such alone would be no vectors.
#include <inttypes.h>
#include <string.h>

#include "hlc/ir/copy.h"
#include "hlc/ir/counters.h"
#include "hlc/ir/steps.h"
#include "hlc/ir/walk.h"
#include "hlc/passes/chain_int.h"

// Trips of a short loop.
enum { SHORT_TRIPS = 16 };

// Firings until an array begins again from which on they are vectors.
enum { LONG_RING = 48 };

// So many processors at most do less for filters that wait for each other than waiting at the same time does: half the time.
enum { CHAIN_PROCESSORS = 2 };

typedef VEC(uint32_t) numbers;

typedef struct chainer {
    arena *a;
    hlc_program *hlc;
    sir_module *m;
    size_t *nodes; // per actor: of its body; 0: it cannot be in a chain
    bool *waits;   // per actor: it is a filter that waits for its own state
    bool *merged;  // per actor: it is part of the first one of its chain
    hmap names;    // of filters and actors
    bool any;
} chainer;

// ---- Which filters ----

typedef struct body_facts {
    size_t nodes, pops, pushes, loops;
    bool fails;
} body_facts;

// What a loop does to an array of the state: see NOTE(ladders).
typedef struct ladder_look {
    const sir_filter *filter;
    const sir_expr *written; // the element that it sets; NULL: none is seen yet
    bool goes, found;        // a number goes from trip to trip; another element is looked at
} ladder_look;

static bool same_expr(const sir_expr *a, const sir_expr *b)
{
    if (a->kind != b->kind || a->op != b->op || a->type != b->type)
        return false;
    if (a->kind == SIR_CONST)
        return a->type->kind == SIR_INT && a->u.value.i == b->u.value.i;
    for (size_t i = 0; i < sir_expr_arity(a); i++)
        if (!same_expr(a->u.arg[i], b->u.arg[i]))
            return false;
    return a->index == b->index;
}

static bool is_element_of_state(const ladder_look *l, const sir_expr *e)
{
    return e->kind == SIR_INDEX && e->u.arg[0]->kind == SIR_FIELD &&
           !l->filter->fields.data[e->u.arg[0]->index].constant;
}

static void find_written(void *context, sir_stmt *s)
{
    ladder_look *l = context;
    if (s->kind != SIR_SET)
        return;
    if (is_element_of_state(l, s->u.set.target))
        l->written = s->u.set.target;
    else if (s->u.set.target->kind == SIR_LOCAL)
        l->goes |= sir_count_local_in(s->u.set.value, s->u.set.target->index) != 0;
}

static void find_other(void *context, sir_expr *e, bool written)
{
    ladder_look *l = context;
    if (!written && is_element_of_state(l, e) && e->u.arg[0]->index == l->written->u.arg[0]->index)
        l->found |= !same_expr(e->u.arg[1], l->written->u.arg[1]);
}

static void find_others(void *context, sir_stmt *s)
{
    sir_visit_exprs(s, find_other, context);
}

static bool is_ladder(const sir_filter *f, const sir_block *body)
{
    ladder_look l = {.filter = f};
    sir_visit_stmts(body, find_written, &l);
    if (l.written != NULL)
        sir_visit_stmts(body, find_others, &l);
    return l.goes && l.found;
}

// A loop that leaves nothing in the state but what it finds there: see NOTE(short loops).
static void find_computed(void *context, sir_stmt *s)
{
    bool *computes = context;
    if (s->kind == SIR_SET && s->u.set.target->kind != SIR_LOCAL)
        *computes |= s->u.set.value->kind != SIR_INDEX && s->u.set.value->kind != SIR_FIELD;
    *computes |= s->kind == SIR_IF;
}

static bool is_short(const sir_filter *f, const sir_block *body, int64_t trips)
{
    bool computes = trips > SHORT_TRIPS || !f->stateful; // firings without a state go side by side
    sir_visit_stmts(body, find_computed, &computes);
    return !computes;
}

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
    b->loops += s->kind == SIR_FOR;
    b->fails |= !chain_is_plain(s);
    sir_visit_exprs(s, look_at_expr, b);
}

static void find_peek(void *context, sir_expr *e, bool written)
{
    (void)written;
    *(bool *)context |= e->kind == SIR_PEEK;
}

static void find_peeks(void *context, sir_stmt *s)
{
    sir_visit_exprs(s, find_peek, context);
}

// As many pops and pushes as it declares, whatever the data say.
static bool moves_plainly(const sir_function *work, const body_facts *facts)
{
    size_t pops = 0, pushes = 0;
    for (size_t i = 0; i < work->body.len; i++) {
        pops += work->body.data[i]->kind == SIR_POP;
        pushes += work->body.data[i]->kind == SIR_PUSH;
    }
    return facts->pops == pops && facts->pushes == pushes && pops == (size_t)work->pop.max &&
           pushes == (size_t)work->push.max;
}

bool chain_looks_behind(const sir_block *b)
{
    size_t pops = 0;
    bool behind = false;
    for (size_t i = 0; i < b->len; i++) {
        sir_block one = {.data = &b->data[i], .len = 1};
        if (pops > 0)
            sir_visit_stmts(&one, find_peeks, &behind);
        pops += b->data[i]->kind == SIR_POP;
    }
    return behind;
}

bool chain_trips_wait(const sir_filter *f, const sir_stmt *loop, size_t *nodes)
{
    const sir_expr *lo = loop->u.for_.lo, *hi = loop->u.for_.hi;
    body_facts own = {0};
    sir_visit_stmts(&loop->u.for_.body, look_at_stmt, &own);
    if (own.pops + own.pushes + own.loops != 0 || lo->kind != SIR_CONST || hi->kind != SIR_CONST)
        return false;
    const int64_t trips = ((int64_t)hi->u.value.i - lo->u.value.i) / loop->u.for_.step;
    if (trips < 1 || trips > CHAIN_NODES ||
        (!is_short(f, &loop->u.for_.body, trips) && !is_ladder(f, &loop->u.for_.body)))
        return false;
    *nodes += (size_t)(trips - 1) * own.nodes;
    return true;
}

// The other trips of the loops, which wait as statements do and are on their own in the body; false: that is not so.
static bool count_trips(const sir_filter *f, body_facts *b)
{
    size_t loops = b->loops;
    for (size_t i = 0; i < f->work->body.len; i++) {
        const sir_stmt *s = f->work->body.data[i];
        if (s->kind != SIR_FOR)
            continue;
        if (!chain_trips_wait(f, s, &b->nodes))
            return false;
        loops--;
    }
    return loops == 0;
}

// Whether a firing may wait for more items that are not there, of the window that it does not take, than so many.
static bool looks_ahead(const sir_module *m, const sir_actor *a, int64_t ahead)
{
    const sir_function *work = a->filter->work;
    return work->peek.max - work->pop.max > (int64_t)m->channels.data[a->inputs.data[0]].initial.len + ahead;
}

// Whether several firings are looked up at once if it stays by itself (hlc/emit/program_looked.c).
static bool is_looked_up(chain_known *k, const sir_filter *f)
{
    static char yes, no;
    if (!k->looks_up || !f->stateful || f->input->kind != SIR_BIT)
        return false;
    const char *known = hmap_getn(&k->looked, &f, sizeof f);
    if (known == NULL) {
        arena *scratch = arena_create();
        sir_int_steps s;
        known = sir_find_int_steps(scratch, k->hlc->module, f, &s) && sir_int_steps_are_few(&s) ? &yes : &no;
        arena_destroy(scratch);
        hmap_setn(&k->looked, &f, sizeof f, (void *)(uintptr_t)known);
    }
    return known == &yes;
}

size_t chain_nodes(chain_known *k, const sir_actor *a, int64_t items, int64_t ahead)
{
    const sir_module *m = k->hlc->module;
    const sir_filter *f = a->filter;
    if (a->kind != SIR_FILTER || a->inputs.len != 1 || a->outputs.len != 1 || a->least != 0 || f->prework != NULL ||
        f->handlers.len != 0 || f->functions.len != 0 || f->uses_iter || f->uses_random || f->prints || f->sends ||
        f->work->pop.max < 1 || f->work->pop.max > items || f->work->peek.max > items || looks_ahead(m, a, ahead) ||
        f->work->push.max < 1 || f->work->push.max > items || pass_in_loop(m, a->region) ||
        !pass_rates_proved(m, f->work) || f->input->words != 1 || f->output->words != 1)
        return 0;
    body_facts b = {0};
    sir_visit_stmts(&f->work->body, look_at_stmt, &b);
    if (b.fails || !count_trips(f, &b) || b.nodes > CHAIN_NODES || !moves_plainly(f->work, &b))
        return 0;
    if (!f->stateful && pass_has_elementary(&f->work->body)) // vectors, by itself
        return 0;
    return is_looked_up(k, f) ? 0 : b.nodes;
}

static size_t nodes_of(chain_known *k, const sir_actor *a)
{
    const size_t nodes = chain_nodes(k, a, 1, 0);
    return nodes == 0 || chain_looks_behind(&a->filter->work->body) ? 0 : nodes; // peek 1: 'items' says so
}

// See NOTE(long rings).
static bool has_long_rings(arena *a, const sir_filter *f)
{
    sir_counters counters = {0};
    sir_beside beside = {0};
    if (!sir_find_counters(a, f, &counters, &beside) || beside.arrays.len == 0)
        return false;
    bool are_long = true;
    for (VEC_EACH(const sir_counter, c, &counters))
        are_long &= c->high - c->low >= LONG_RING;
    return are_long;
}

// The actor behind, if it can follow in a chain.
static uint32_t next_of(const chainer *x, uint32_t actor)
{
    const sir_channel *c = &x->m->channels.data[x->m->actors.data[actor]->outputs.data[0]];
    return c->initial.len == 0 && x->nodes[c->consumer] != 0 ? c->consumer : SIR_NONE;
}

// ---- One filter of several ----

typedef struct stage {
    chainer *x;
    sir_filter *filter; // the new one
    sir_copier copier;
    sir_expr *given; // the item that the filter before made; NULL: pops and peeks stay
    uint32_t item;   // the local for that which this one makes
    bool last;
} stage;

// What the filter before gives takes the place of items: it is a local of the new filter.
static sir_expr *item_before(void *context, const sir_expr *e)
{
    const stage *c = context;
    return e->kind != SIR_PEEK || c->given == NULL ? NULL
                                                   : sir_copy_expr(&(sir_copier){.arena = c->x->m->arena}, c->given);
}

static bool replace_ends(void *context, const sir_stmt *s, sir_block *to)
{
    const stage *c = context;
    sir_module *m = c->x->m;
    if (s->kind == SIR_POP && c->given != NULL) {
        if (s->u.set.target == NULL)
            return true;
        sir_stmt *set = sir_stmt_new(m, SIR_SET, s->loc);
        set->u.set.value = sir_copy_expr(&(sir_copier){.arena = m->arena}, c->given);
        set->u.set.target = sir_copy_expr(&c->copier, s->u.set.target);
        VEC_PUSH(m->arena, to, set);
        return true;
    }
    if (s->kind != SIR_PUSH || c->last)
        return false;
    sir_stmt *decl = sir_stmt_new(m, SIR_DECL, s->loc);
    decl->u.decl.local = c->item;
    decl->u.decl.init = sir_copy_expr(&c->copier, s->u.value);
    VEC_PUSH(m->arena, to, decl);
    return true;
}

static void add_stage(stage *c, const sir_filter *f)
{
    sir_module *m = c->x->m;
    sir_function *work = c->filter->work;
    uint32_t *locals = ARENA_ARRAY(c->x->a, uint32_t, f->work->locals.len + 1);
    c->copier = (sir_copier){.arena = m->arena,
                             .locals = locals,
                             .field = pass_add_fields(m, c->filter, f),
                             .context = c,
                             .expr = item_before,
                             .stmt = replace_ends};
    for (size_t i = 0; i < f->work->locals.len; i++) {
        const sir_local *l = &f->work->locals.data[i];
        locals[i] = sir_local_new(m, work, l->name, l->type, l->loc);
    }
    if (!c->last)
        c->item = sir_local_new(m, work, "item", f->output, f->work->loc);
    sir_copy_stmts(&c->copier, &f->work->body, 0, f->work->body.len, &work->body);
    if (!c->last)
        c->given = sir_ref(m, SIR_LOCAL, c->item, f->output, f->work->loc);
}

static const char *unique_name(chainer *x, const char *first, const char *last)
{
    const char *wanted = arena_printf(x->m->arena, "%s_to_%s", first, last), *name = wanted;
    for (uint32_t n = 2; hmap_get(&x->names, name) != NULL; n++)
        name = arena_printf(x->m->arena, "%s_%" PRIu32, wanted, n);
    hmap_set(&x->names, name, x);
    return name;
}

static sir_filter *make_filter(chainer *x, const numbers *chain)
{
    sir_module *m = x->m;
    const sir_filter *first = m->actors.data[chain->data[0]]->filter,
                     *last = m->actors.data[chain->data[chain->len - 1]]->filter;
    sir_filter *r = ARENA_NEW(m->arena, sir_filter);
    *r = *first;
    memset(&r->fields, 0, sizeof r->fields);
    r->output = last->output;
    r->name = unique_name(x, first->name, last->name);
    r->source = arena_printf(m->arena, "%s to %s", first->source, last->source);
    r->work = ARENA_NEW(m->arena, sir_function);
    *r->work = *first->work;
    memset(&r->work->locals, 0, sizeof r->work->locals);
    r->work->body = (sir_block){0};
    stage c = {.x = x, .filter = r};
    for (size_t i = 0; i < chain->len; i++) {
        c.last = i + 1 == chain->len;
        add_stage(&c, m->actors.data[chain->data[i]]->filter);
    }
    VEC_PUSH(m->arena, &m->filters, r);
    return r;
}

// ---- The graph ----

static void merge(chainer *x, const numbers *chain)
{
    sir_module *m = x->m;
    sir_actor *first = m->actors.data[chain->data[0]], *last = m->actors.data[chain->data[chain->len - 1]];
    diag_remark(x->hlc->diag, sir_range(m, x->hlc->sources, first->loc),
                "'%s' to '%s' are one filter: %zu that wait for their own state wait at the same time [chain]",
                first->name, last->name, chain->len);
    first->filter = make_filter(x, chain);
    first->name = unique_name(x, first->name, last->name);
    uint32_t out = last->outputs.data[0];
    first->outputs.data[0] = out;
    m->channels.data[out].producer = chain->data[0];
    m->channels.data[out].producer_port = 0;
    for (size_t i = 1; i < chain->len; i++)
        x->merged[chain->data[i]] = true;
    x->any = true;
}

// Takes away the actors that are merged, with the channels to them.
static void compact(chainer *x)
{
    sir_module *m = x->m;
    bool *gone_channel = ARENA_ARRAY(x->a, bool, m->channels.len + 1);
    for (size_t i = 0; i < m->channels.len; i++)
        gone_channel[i] = x->merged[m->channels.data[i].consumer];
    pass_sweep(m, x->a, x->merged, gone_channel);
}

static bool is_stateful(const chainer *x, uint32_t actor)
{
    return x->m->actors.data[actor]->filter->stateful;
}

// The chain that begins with an actor with state: up to the last with state, of so many nodes. Those behind may begin
// another one.
static void try_chain(chainer *x, uint32_t actor)
{
    numbers chain = {0};
    size_t nodes = 0, until = 0;
    bool waits = false;
    for (uint32_t i = actor; i != SIR_NONE && nodes + x->nodes[i] <= CHAIN_ALL_NODES; i = next_of(x, i)) {
        VEC_PUSH(x->a, &chain, i);
        nodes += x->nodes[i];
        if (is_stateful(x, i))
            until = chain.len;
        waits |= x->waits[i];
    }
    chain.len = until;
    if (until < 2 || !waits)
        return;
    merge(x, &chain);
    for (VEC_EACH(uint32_t, i, &chain))
        x->nodes[*i] = 0;
}

void chain_begin(chain_graph *g, chain_known *known)
{
    sir_module *m = known->hlc->module;
    *g = (chain_graph){.a = known->a, .hlc = known->hlc, .m = m, .known = known};
    g->gone_actor = ARENA_ARRAY(g->a, bool, m->actors.len + 1);
    g->gone_channel = ARENA_ARRAY(g->a, bool, m->channels.len + 1);
    pass_names_of_filters(&g->filters, g->a, m);
    pass_names_of_actors(&g->actors, g->a, m);
}

bool chain_try_all(chain_graph *g, bool try(void *context, uint32_t actor), void *context)
{
    bool any = false;
    for (uint32_t i = 0; i < g->m->actors.len; i++)
        any |= try(context, i);
    if (any) {
        pass_sweep(g->m, g->a, g->gone_actor, g->gone_channel);
        pass_tidy(g->m);
    }
    return any;
}

bool pass_chain(hlc_program *p)
{
    sir_module *m = p->module;
    if (!pass_may_change_more(p) || m->portals.len != 0 || pass_shares_state(p, CHAIN_PROCESSORS) ||
        !pass_keeps_state(p))
        return false;
    chainer x = {.a = arena_create(), .hlc = p, .m = m};
    hmap_init(&x.names, x.a);
    sir_find_byte_bits(m);
    chain_known known = {.hlc = p, .a = x.a, .looks_up = pass_looks_up_bits(p, m)};
    hmap_init(&known.looked, x.a);
    x.nodes = ARENA_ARRAY(x.a, size_t, m->actors.len + 1);
    x.merged = ARENA_ARRAY(x.a, bool, m->actors.len + 1);
    x.waits = ARENA_ARRAY(x.a, bool, m->actors.len + 1);
    for (uint32_t i = 0; i < m->actors.len; i++) {
        const sir_filter *f = m->actors.data[i]->filter;
        x.nodes[i] = nodes_of(&known, m->actors.data[i]);
        x.waits[i] = x.nodes[i] != 0 && f->stateful && !has_long_rings(x.a, f);
        hmap_set(&x.names, m->actors.data[i]->name, &x);
    }
    for (VEC_EACH(sir_filter *, f, &m->filters))
        hmap_set(&x.names, (*f)->name, &x);
    for (uint32_t i = 0; i < m->actors.len; i++)
        if (x.nodes[i] != 0 && is_stateful(&x, i))
            try_chain(&x, i);
    if (x.any) {
        compact(&x);
        pass_tidy(m);
    }
    x.any |= chain_regions(&known, false);
    x.any |= chain_frames(&known);
    x.any |= chain_regions(&known, true); // last: a filter with prework goes into no other
    arena_destroy(x.a);
    return x.any;
}
