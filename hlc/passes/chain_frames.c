// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recursive filters item by item beside one that goes through a frame in a loop.
//
//     Frame       for .. { ..   push $y }                for .. { ..   %item = $y
//     DeEmphasis  // pop 1 push 1               ->            ..    what DeEmphasis does to %item    }
//
// The loop's trips wait for each other, as the firings of the other one do. What that does is put where the frame's items are
// pushed, or popped; the filter that goes by frames fires as before. Within a trip may be a ladder, as of a lattice whose
// coefficients come with the frame, or a short loop.
#include "hlc/ir/copy.h"
#include "hlc/ir/walk.h"
#include "hlc/passes/chain_int.h"

// Places in the text where frames' items are pushed or popped; items that are made of one; nodes of the frames' filter.
enum { FRAME_PLACES = 4, ITEMS_OF_ONE = 16, FRAME_NODES = 400 };

// ---- Which filters ----

typedef struct frame_facts {
    size_t nodes, pops, pushes, loops;
    bool peeks, fails;
} frame_facts;

static void look_at_expr(void *context, sir_expr *e, bool written)
{
    (void)written;
    frame_facts *x = context;
    x->nodes++;
    x->peeks |= e->kind == SIR_PEEK;
    x->fails |= e->kind == SIR_ITER || sir_may_divide_by_zero(e);
}

static void look_at_stmt(void *context, sir_stmt *s)
{
    frame_facts *x = context;
    x->nodes++;
    x->pops += s->kind == SIR_POP;
    x->pushes += s->kind == SIR_PUSH;
    x->loops += s->kind == SIR_FOR;
    x->fails |= !chain_is_plain(s);
    sir_visit_exprs(s, look_at_expr, x);
}

static frame_facts look_at(const sir_block *b)
{
    frame_facts x = {0};
    sir_visit_stmts(b, look_at_stmt, &x);
    return x;
}

typedef struct trips_look {
    const sir_filter *filter;
    size_t nodes;
    bool fails;
} trips_look;

static void look_at_trips(void *context, sir_stmt *s)
{
    trips_look *x = context;
    x->fails |= s->kind == SIR_FOR && !chain_trips_wait(x->filter, s, &x->nodes);
}

// Whether loops in a frame's loop wait as its other statements do, and are not too long, as lattices.
static bool have_short_trips(const sir_filter *f, const sir_block *b, size_t nodes)
{
    trips_look x = {.filter = f, .nodes = nodes};
    sir_visit_stmts(b, look_at_trips, &x);
    return !x.fails && x.nodes <= FRAME_NODES;
}

// Loops whose trips wait for each other and move items.
typedef struct loop_look {
    arena *a;
    const sir_filter *filter;
    bool pops, pushes;
} loop_look;

static void look_at_loop(void *context, sir_stmt *s)
{
    loop_look *x = context;
    if (s->kind != SIR_FOR)
        return;
    const frame_facts own = look_at(&s->u.for_.body);
    if (!have_short_trips(x->filter, &s->u.for_.body, own.nodes) || own.pops + own.pushes == 0 ||
        !chain_needs_itself(x->a, x->filter, &s->u.for_.body))
        return;
    x->pops |= own.pops > 0;
    x->pushes |= own.pushes > 0;
}

// What a filter that goes by frames has in loops; nothing: it is none, or may do more than compute.
static loop_look look_at_frames(const chain_graph *x, const sir_actor *a, frame_facts *facts)
{
    const sir_filter *f = a->filter;
    loop_look found = {.a = x->a, .filter = f};
    if (a->kind != SIR_FILTER || a->inputs.len != 1 || a->outputs.len != 1 || a->least != 0 || f->prework != NULL ||
        f->handlers.len != 0 || f->functions.len != 0 || f->finite || f->uses_iter || f->uses_random || f->prints ||
        f->sends || !f->stateful || pass_in_loop(x->m, a->region) || f->input->words != 1 || f->output->words != 1 ||
        !pass_rates_proved(x->m, f->work))
        return found;
    *facts = look_at(&f->work->body);
    if (!facts->fails && facts->nodes <= FRAME_NODES)
        sir_visit_stmts(&f->work->body, look_at_loop, &found);
    return found;
}

static bool goes_item_by_item(const chain_graph *x, const sir_actor *a)
{
    return chain_nodes(x->known, a, ITEMS_OF_ONE, 0) != 0 && a->filter->work->pop.max == 1 &&
           a->filter->work->peek.max == 1 && !chain_looks_behind(&a->filter->work->body) &&
           chain_waits(x->a, a->filter);
}

// ---- The filter ----

typedef struct splicer {
    chain_graph *x;
    sir_filter *filter;      // the new one
    const sir_filter *inner; // the one that goes item by item
    uint32_t fields;         // where its fields begin
    sir_copier outer, own;   // of the other one; of this
    uint32_t item;           // what goes between them
    bool behind;             // it is the one behind
} splicer;

static const sir_type *item_type(const splicer *p)
{
    return p->behind ? p->inner->input : p->inner->output;
}

static sir_expr *item_ref(const splicer *p, sir_loc loc)
{
    return sir_ref(p->x->m, SIR_LOCAL, p->item, item_type(p), loc);
}

static void declare_item(splicer *p, sir_expr *value, sir_loc loc, sir_block *to)
{
    sir_module *m = p->x->m;
    p->item = sir_local_new(m, p->filter->work, "item", item_type(p), loc);
    sir_stmt *decl = sir_stmt_new(m, SIR_DECL, loc);
    decl->u.decl.local = p->item;
    decl->u.decl.init = value;
    VEC_PUSH(m->arena, to, decl);
}

static void set_to_item(const splicer *p, sir_expr *target, sir_loc loc, sir_block *to)
{
    sir_module *m = p->x->m;
    if (target == NULL)
        return;
    sir_stmt *set = sir_stmt_new(m, SIR_SET, loc);
    set->u.set.target = target;
    set->u.set.value = item_ref(p, loc);
    VEC_PUSH(m->arena, to, set);
}

static sir_expr *replace_peek(void *context, const sir_expr *e)
{
    const splicer *p = context;
    return e->kind == SIR_PEEK && p->behind ? item_ref(p, e->loc) : NULL;
}

// In what goes item by item: the end at which the other one is.
static bool replace_own_end(void *context, const sir_stmt *s, sir_block *to)
{
    splicer *p = context;
    if (s->kind != (p->behind ? SIR_POP : SIR_PUSH))
        return false;
    if (p->behind)
        set_to_item(p, sir_copy_expr(&p->own, s->u.set.target), s->loc, to);
    else
        declare_item(p, sir_copy_expr(&p->own, s->u.value), s->loc, to);
    return true;
}

static void splice(splicer *p, sir_block *to)
{
    sir_module *m = p->x->m;
    const sir_function *work = p->inner->work;
    uint32_t *locals = ARENA_ARRAY(p->x->a, uint32_t, work->locals.len + 1);
    for (size_t i = 0; i < work->locals.len; i++) {
        const sir_local *l = &work->locals.data[i];
        locals[i] = sir_local_new(m, p->filter->work, l->name, l->type, l->loc);
    }
    p->own = (sir_copier){.arena = m->arena,
                          .locals = locals,
                          .field = p->fields,
                          .context = p,
                          .expr = replace_peek,
                          .stmt = replace_own_end};
    sir_copy_stmts(&p->own, &work->body, 0, work->body.len, to);
}

// In what goes by frames.
static bool replace_outer_end(void *context, const sir_stmt *s, sir_block *to)
{
    splicer *p = context;
    if (s->kind != (p->behind ? SIR_PUSH : SIR_POP))
        return false;
    if (p->behind)
        declare_item(p, sir_copy_expr(&p->outer, s->u.value), s->loc, to);
    splice(p, to);
    if (!p->behind)
        set_to_item(p, sir_copy_expr(&p->outer, s->u.set.target), s->loc, to);
    return true;
}

static sir_filter *make_filter(chain_graph *x, const sir_filter *frames, const sir_filter *inner, bool behind)
{
    sir_module *m = x->m;
    const sir_filter *first = behind ? frames : inner, *last = behind ? inner : frames;
    sir_filter *f = pass_copy_filter(m, frames);
    f->input = first->input;
    f->output = last->output;
    f->name = pass_names_next(&x->filters, m->arena, arena_printf(m->arena, "%s_to_%s", first->name, last->name));
    pass_names_add(&x->filters, f->name);
    f->source = arena_printf(m->arena, "%s to %s", first->source, last->source);
    splicer p = {.x = x, .filter = f, .inner = inner, .behind = behind};
    p.fields = pass_add_fields(m, f, inner);
    p.outer = (sir_copier){.arena = m->arena, .context = &p, .stmt = replace_outer_end};
    f->work->body = sir_copy_block(&p.outer, &frames->work->body);
    if (behind)
        f->work->push.min = f->work->push.max = frames->work->push.max * inner->work->push.max;
    sir_filter_derive(m, f);
    VEC_PUSH(m->arena, &m->filters, f);
    return f;
}

// ---- The graph ----

static void merge(chain_graph *x, uint32_t actor, uint32_t next, bool behind)
{
    sir_module *m = x->m;
    sir_actor *first = m->actors.data[actor], *last = m->actors.data[next];
    diag_remark(x->hlc->diag, sir_range(m, x->hlc->sources, first->loc),
                "'%s' to '%s' are one filter: '%s' goes on where a frame's items are %s [chain]", first->name,
                last->name, behind ? last->name : first->name, behind ? "pushed" : "popped");
    first->filter =
        make_filter(x, behind ? first->filter : last->filter, behind ? last->filter : first->filter, behind);
    first->name = pass_names_next(&x->actors, m->arena, arena_printf(m->arena, "%s_to_%s", first->name, last->name));
    pass_names_add(&x->actors, first->name);
    x->gone_actor[next] = x->gone_channel[first->outputs.data[0]] = true;
    uint32_t out = last->outputs.data[0];
    first->outputs.data[0] = out;
    m->channels.data[out].producer = actor;
    m->channels.data[out].producer_port = 0;
}

// Joins an actor and the next one, where one goes by frames and the other item by item.
static bool try_pair(chain_graph *x, uint32_t actor)
{
    const sir_actor *a = x->m->actors.data[actor];
    if (x->gone_actor[actor] || a->kind != SIR_FILTER || a->outputs.len != 1 || a->outputs.data[0] == SIR_NONE)
        return false;
    const sir_channel *c = &x->m->channels.data[a->outputs.data[0]];
    const sir_actor *b = x->m->actors.data[c->consumer];
    if (c->initial.len != 0 || c->zeros != NULL || b->kind != SIR_FILTER || b->outputs.len != 1)
        return false;
    frame_facts facts = {0};
    bool behind = goes_item_by_item(x, b) && look_at_frames(x, a, &facts).pushes && facts.pushes <= FRAME_PLACES;
    bool before = !behind && goes_item_by_item(x, a) && a->filter->work->push.max == 1 &&
                  look_at_frames(x, b, &facts).pops && facts.pops <= FRAME_PLACES && !facts.peeks &&
                  b->filter->work->peek.max == b->filter->work->pop.max;
    if (behind || before)
        merge(x, actor, c->consumer, behind);
    return behind || before;
}

static bool try_pairs(void *context, uint32_t actor)
{
    bool any = false;
    while (try_pair(context, actor))
        any = true;
    return any;
}

bool chain_frames(chain_known *k)
{
    chain_graph g;
    chain_begin(&g, k);
    return chain_try_all(&g, try_pairs, &g);
}
