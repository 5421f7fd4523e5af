// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stages over bits become one filter, where its firings gain by running one a bit of vectors (hlc/plan/bit_lanes.h): then
// nothing between them goes through memory, and what only moves items is no code.
//
// A region is a stretch of actors, in the order of the module, that one channel enters and one leaves. Its filter fires
// once for the least number of firings that balance; channels inside are local arrays with a place where the next item is
// read and one where it is written. Nothing else may notice: no firing of a region puts out anything before it has had all
// items of its firing, so that the same comes out where data end, and nothing behind it looks ahead, so that the
// initialisation does not fire it.
#include <inttypes.h>
#include <string.h>

#include "hlc/ir/copy.h"
#include "hlc/ir/narrow.h"
#include "hlc/passes/regions.h"
#include "hlc/plan/bit_lanes.h"
#include "hlc/plan/plan_int.h"
#include "targets/machine.h"

// Of a region that is too large, what is tried next.
#define JOIN_SCALE 0.85
enum {
    JOIN_ACTORS = 2048,   // of a region, at most
    JOIN_ITEMS = 1 << 14, // of a firing on one channel
    JOIN_WORDS = 1 << 17, // of all local arrays
    JOIN_TRIES = 3,       // ends of a region that begins at an actor
    JOIN_COPY = 16,       // steps that an actor's copy costs
    JOIN_STEPS = 1 << 19  // of looking at regions, in all
};

typedef struct join_channel {
    bool inside;
    uint32_t items, read, write; // locals: the array, and the places in it
} join_channel;

typedef struct joiner {
    hlc_program *p;
    sir_module *m;
    arena *a;
    const machine_processor *processor;
    bool *looks_ahead; // by actor: it, or one behind it, does
    bool *gone_actor, *gone_channel;
    uint32_t told;        // actors before this one have been told of
    uint32_t slower;      // and those before this one gain nothing
    bool *unfit;          // by actor: it has no network
    int64_t left;         // steps of looking at regions
    sir_interval *ranges; // by channel: of items; NULL: not known
    // Of the region at hand.
    pass_region region;
    uint32_t most; // where it must have ended, for the size of networks
    uint32_t size; // actors of one that had been too large; 0: none was
    int32_t mask;  // of the items that come in; 0: all bits
    join_channel *channels;
    sir_filter *filter;
    sir_function *work;
    // Of the actor at hand.
    uint32_t input, output;
    sir_copier copier;
} joiner;

// ---- Which actors ----

static bool is_item(const sir_type *t)
{
    return t->kind == SIR_INT || t->kind == SIR_BIT;
}

static bool may_join_filter(const sir_filter *f)
{
    const sir_function *w = f->work;
    return plan_filter_can_fuse_horizontally(f) && !w->pop.dynamic && !w->peek.dynamic && !w->push.dynamic &&
           (w->pop.max > 0 || f->input->kind == SIR_VOID) && w->push.max > 0 && w->peek.max == w->pop.max &&
           (is_item(f->input) || f->input->kind == SIR_VOID) && is_item(f->output);
}

static bool may_join(const sir_module *m, const sir_actor *a)
{
    if (a->least != 0 || pass_in_loop(m, a->region) || pass_has_gaps(a))
        return false;
    if (a->kind == SIR_FILTER)
        return (a->inputs.len == 1 || pass_is_source(a)) && a->outputs.len == 1 && may_join_filter(a->filter);
    return (a->kind == SIR_SPLIT || a->kind == SIR_JOIN) && is_item(a->item);
}

static bool is_dynamic(const sir_module *m)
{
    for (VEC_EACH(sir_actor *, a, &m->actors))
        if ((*a)->kind == SIR_FILTER &&
            ((*a)->filter->work->pop.dynamic || (*a)->filter->work->peek.dynamic || (*a)->filter->work->push.dynamic))
            return true;
    return false;
}

// Filters that look ahead, or begin in another way, have what is before them fire before the first steady state.
static void find_looks_ahead(joiner *x)
{
    const sir_module *m = x->m;
    x->looks_ahead = ARENA_ARRAY(x->a, bool, m->actors.len + 1);
    for (bool again = true; again;) {
        again = false;
        for (size_t i = m->actors.len; i-- > 0;) {
            const sir_actor *a = m->actors.data[i];
            bool ahead = a->kind == SIR_FILTER &&
                         (a->filter->prework != NULL || a->filter->work->peek.max != a->filter->work->pop.max);
            for (VEC_EACH(uint32_t, c, &a->outputs))
                ahead = ahead || (*c != SIR_NONE && x->looks_ahead[m->channels.data[*c].consumer]);
            again = again || ahead != x->looks_ahead[i];
            x->looks_ahead[i] = ahead;
        }
    }
}

// ---- The body ----

static uint32_t new_local(joiner *x, const char *name, const sir_type *t, sir_loc loc)
{
    return sir_local_new(x->m, x->work, name, t, loc);
}

static sir_expr *local(const joiner *x, uint32_t number, sir_loc loc)
{
    return sir_ref(x->m, SIR_LOCAL, number, x->work->locals.data[number].type, loc);
}

static sir_expr *plus(const joiner *x, sir_expr *a, sir_expr *b)
{
    return sir_expr2(x->m, SIR_BINARY, LANG_OP_ADD, x->m->scalar[SIR_INT], a, b, a->loc);
}

// The item at a place behind the one that is read or written next; offset NULL: that one.
static sir_expr *item_at(const joiner *x, uint32_t channel, uint32_t place, sir_expr *offset, sir_loc loc)
{
    sir_expr *at = local(x, place, loc), *array = local(x, x->channels[channel].items, loc);
    if (offset != NULL)
        at = plus(x, at, offset);
    return sir_expr2(x->m, SIR_INDEX, 0, array->type->element, array, at, loc);
}

static void set(const joiner *x, sir_block *to, sir_expr *target, sir_expr *value, sir_loc loc)
{
    sir_stmt *s = sir_stmt_new(x->m, SIR_SET, loc);
    s->u.set.target = target;
    s->u.set.value = value;
    VEC_PUSH(x->m->arena, to, s);
}

static void move_on(const joiner *x, sir_block *to, uint32_t place, sir_loc loc)
{
    set(x, to, local(x, place, loc), plus(x, local(x, place, loc), sir_const_int(x->m, 1, loc)), loc);
}

// target NULL: the item is dropped.
static void add_pop(const joiner *x, sir_block *to, uint32_t channel, sir_expr *target, sir_loc loc)
{
    if (!x->channels[channel].inside) {
        sir_stmt *s = sir_stmt_new(x->m, SIR_POP, loc);
        s->u.set.target = target;
        VEC_PUSH(x->m->arena, to, s);
        return;
    }
    uint32_t place = x->channels[channel].read;
    if (target != NULL)
        set(x, to, target, item_at(x, channel, place, NULL, loc), loc);
    move_on(x, to, place, loc);
}

static sir_expr *masked(const joiner *x, sir_expr *item, sir_loc loc)
{
    return sir_expr2(x->m, SIR_BINARY, LANG_OP_AND, item->type, item, sir_const_int(x->m, x->mask, loc), loc);
}

// An item that comes from outside, of which all bits but those of the mask are known to be zeros: a mask says so.
static void add_masked_pop(joiner *x, sir_block *to, sir_expr *target, sir_loc loc)
{
    uint32_t item = new_local(x, "t", target->type, loc);
    sir_stmt *decl = sir_stmt_new(x->m, SIR_DECL, loc);
    decl->u.decl.local = item;
    decl->u.decl.uninitialised = true;
    VEC_PUSH(x->m->arena, to, decl);
    add_pop(x, to, x->region.in, local(x, item, loc), loc);
    set(x, to, target, masked(x, local(x, item, loc), loc), loc);
}

static void add_push(const joiner *x, sir_block *to, uint32_t channel, sir_expr *value, sir_loc loc)
{
    if (!x->channels[channel].inside) {
        sir_stmt *s = sir_stmt_new(x->m, SIR_PUSH, loc);
        s->u.value = value;
        VEC_PUSH(x->m->arena, to, s);
        return;
    }
    set(x, to, item_at(x, channel, x->channels[channel].write, NULL, loc), value, loc);
    move_on(x, to, x->channels[channel].write, loc);
}

static sir_expr *replace_item(void *context, const sir_expr *e)
{
    const joiner *x = context;
    if (e->kind != SIR_PEEK || (!x->channels[x->input].inside && x->mask == 0))
        return NULL;
    sir_expr *r = sir_copy_operands(&x->copier, e);
    return x->channels[x->input].inside ? item_at(x, x->input, x->channels[x->input].read, r->u.arg[0], e->loc)
                                        : masked(x, r, e->loc);
}

static bool replace_ends(void *context, const sir_stmt *s, sir_block *to)
{
    joiner *x = context;
    if (s->kind == SIR_POP && s->u.set.target != NULL && x->input == x->region.in && x->mask != 0)
        add_masked_pop(x, to, sir_copy_expr(&x->copier, s->u.set.target), s->loc);
    else if (s->kind == SIR_POP)
        add_pop(x, to, x->input, sir_copy_expr(&x->copier, s->u.set.target), s->loc);
    else if (s->kind == SIR_PUSH)
        add_push(x, to, x->output, sir_copy_expr(&x->copier, s->u.value), s->loc);
    return s->kind == SIR_POP || s->kind == SIR_PUSH;
}

static sir_stmt *loop(joiner *x, int64_t count, sir_loc loc)
{
    sir_stmt *s = sir_stmt_new(x->m, SIR_FOR, loc);
    s->u.for_.local = new_local(x, "n", x->m->scalar[SIR_INT], loc);
    s->u.for_.lo = sir_const_int(x->m, 0, loc);
    s->u.for_.hi = sir_const_int(x->m, (int32_t)count, loc);
    s->u.for_.step = 1;
    return s;
}

static void copy_filter(joiner *x, const sir_actor *a, sir_block *to)
{
    const sir_filter *f = a->filter;
    x->input = pass_is_source(a) ? SIR_NONE : a->inputs.data[0];
    x->output = a->outputs.data[0];
    uint32_t *locals = ARENA_ARRAY(x->a, uint32_t, f->work->locals.len + 1);
    for (size_t i = 0; i < f->work->locals.len; i++) {
        const sir_local *l = &f->work->locals.data[i];
        locals[i] = new_local(x, l->name, l->type, l->loc);
    }
    x->copier = (sir_copier){.arena = x->m->arena,
                             .locals = locals,
                             .field = (uint32_t)x->filter->fields.len,
                             .context = x,
                             .expr = replace_item,
                             .stmt = replace_ends};
    for (VEC_EACH(const sir_field, field, &f->fields)) {
        sir_field copy = *field;
        copy.name = arena_printf(x->m->arena, "%s.%zu", field->name, x->filter->fields.len);
        VEC_PUSH(x->m->arena, &x->filter->fields, copy);
    }
    sir_copy_stmts(&x->copier, &f->work->body, 0, f->work->body.len, to);
}

static void move_items(joiner *x, const sir_actor *a, uint32_t from, uint32_t to_channel, int64_t count, sir_block *to)
{
    if (count == 0)
        return;
    uint32_t item = new_local(x, "t", a->item, a->loc);
    sir_stmt *each = loop(x, count, a->loc), *decl = sir_stmt_new(x->m, SIR_DECL, a->loc);
    decl->u.decl.local = item;
    decl->u.decl.uninitialised = true;
    VEC_PUSH(x->m->arena, &each->u.for_.body, decl);
    if (from == x->region.in && x->mask != 0)
        add_masked_pop(x, &each->u.for_.body, local(x, item, a->loc), a->loc);
    else
        add_pop(x, &each->u.for_.body, from, local(x, item, a->loc), a->loc);
    if (to_channel != SIR_NONE) {
        add_push(x, &each->u.for_.body, to_channel, local(x, item, a->loc), a->loc);
    } else {
        for (VEC_EACH(uint32_t, c, &a->outputs))
            add_push(x, &each->u.for_.body, *c, local(x, item, a->loc), a->loc);
    }
    VEC_PUSH(x->m->arena, to, each);
}

static void copy_actor(joiner *x, uint32_t actor, sir_block *to)
{
    const sir_actor *a = x->m->actors.data[actor];
    if (a->kind == SIR_FILTER)
        copy_filter(x, a, to);
    else if (a->kind == SIR_SPLIT && a->duplicate)
        move_items(x, a, a->inputs.data[0], SIR_NONE, 1, to);
    else if (a->kind == SIR_SPLIT)
        for (size_t i = 0; i < a->outputs.len; i++)
            move_items(x, a, a->inputs.data[0], a->outputs.data[i], a->weights.data[i], to);
    else
        for (size_t i = 0; i < a->inputs.len; i++)
            move_items(x, a, a->inputs.data[i], a->outputs.data[0], a->weights.data[i], to);
}

static uint32_t declare(joiner *x, const char *name, const sir_type *t, bool zero, sir_loc loc)
{
    sir_stmt *s = sir_stmt_new(x->m, SIR_DECL, loc);
    s->u.decl.local = new_local(x, name, t, loc);
    s->u.decl.uninitialised = !zero;
    VEC_PUSH(x->m->arena, &x->work->body, s);
    return s->u.decl.local;
}

// Channels inside; false: they are too large.
static bool declare_channels(joiner *x)
{
    int64_t words = 0;
    for (uint32_t i = x->region.first; i <= x->region.last; i++) {
        const sir_actor *a = x->m->actors.data[i];
        for (VEC_EACH(uint32_t, c, &a->outputs)) {
            if (*c == SIR_NONE)
                continue;
            int64_t items = pass_region_items(&x->region, *c);
            words += items;
            if (items > JOIN_ITEMS || words > JOIN_WORDS)
                return false;
            if (*c == x->region.out)
                continue;
            x->channels[*c].inside = true;
            x->channels[*c].items =
                declare(x, a->name, sir_type_array(x->m, x->m->channels.data[*c].type, (uint32_t)items), false, a->loc);
            x->channels[*c].read = declare(x, "read", x->m->scalar[SIR_INT], true, a->loc);
            x->channels[*c].write = declare(x, "written", x->m->scalar[SIR_INT], true, a->loc);
        }
    }
    return pass_region_items(&x->region, x->region.in) <= JOIN_ITEMS;
}

static sir_rate static_rate(int64_t items)
{
    return (sir_rate){.min = items, .max = items};
}

static bool make_filter(joiner *x)
{
    sir_module *m = x->m;
    const sir_actor *first = m->actors.data[x->region.first];
    const char *name = pass_region_name(&x->region);
    x->filter = ARENA_NEW(m->arena, sir_filter);
    x->work = ARENA_NEW(m->arena, sir_function);
    *x->filter = (sir_filter){.name = pass_unique_filter_name(m, m->arena, name),
                              .source = arena_printf(m->arena, "%s: %" PRIu32 " stages over bits", name,
                                                     x->region.last - x->region.first + 1),
                              .input = m->channels.data[x->region.in].type,
                              .output = m->channels.data[x->region.out].type,
                              .work = x->work,
                              .loc = first->loc};
    *x->work = (sir_function){.kind = SIR_WORK, .name = "work", .result = m->scalar[SIR_VOID], .loc = first->loc};
    x->work->pop = x->work->peek = static_rate(pass_region_items(&x->region, x->region.in));
    x->work->push = static_rate(pass_region_items(&x->region, x->region.out));
    x->channels = ARENA_ARRAY(x->a, join_channel, m->channels.len + 1);
    if (!declare_channels(x))
        return false;
    for (uint32_t i = x->region.first; i <= x->region.last; i++) {
        sir_stmt *s = sir_stmt_new(m, SIR_BLOCK, m->actors.data[i]->loc);
        int64_t reps = x->region.reps[i - x->region.first];
        if (reps > 1)
            s = loop(x, reps, m->actors.data[i]->loc);
        copy_actor(x, i, reps > 1 ? &s->u.for_.body : &s->u.block);
        VEC_PUSH(m->arena, &x->work->body, s);
    }
    sir_filter_derive(m, x->filter);
    return true;
}

// ---- Regions ----

static void tell(const joiner *x, const plan_bit_lanes *b)
{
    const sir_actor *first = x->m->actors.data[x->region.first], *last = x->m->actors.data[x->region.last];
    bool apart = b->network == NULL;
    if (!x->p->diag->remarks || (apart && x->region.first < x->told))
        return;
    src_range at = sir_range(x->m, x->p->sources, first->loc);
    if (b->network != NULL)
        diag_remark(x->p->diag, at,
                    "%" PRIu32 " stages from '%s' to '%s' are one filter: %" PRId64
                    " operations on vectors of %d firings, and %.0f around them, for %.0f [join-bits]",
                    x->region.last - x->region.first + 1, first->name, last->name, b->gates, b->lanes, b->turns,
                    b->single);
    else
        diag_remark(x->p->diag, b->fault.where.file != 0 ? sir_range(x->m, x->p->sources, b->fault.where) : at,
                    "%" PRIu32 " stages from '%s' to '%s' stay apart: what they do %s [join-bits]",
                    x->region.last - x->region.first + 1, first->name, last->name,
                    b->fault.why != NULL ? b->fault.why : plan_reason_text(x->p->arena, b->slower));
}

// Statements of the filter before those of the first actor.
static size_t statements_before(const joiner *x)
{
    return x->work->body.len - (x->region.last - x->region.first + 1);
}

// All bits that items of a channel may have; 0: any.
static int32_t mask_of(const joiner *x, uint32_t channel)
{
    if (x->ranges == NULL || x->m->channels.data[channel].type->kind != SIR_INT || x->ranges[channel].lo < 0 ||
        x->ranges[channel].hi >= INT32_MAX)
        return 0;
    int64_t mask = 1;
    while (mask < x->ranges[channel].hi)
        mask = 2 * mask + 1;
    return (int32_t)mask;
}

static bool try_region(joiner *x, uint32_t first, uint32_t last, uint32_t in, uint32_t out)
{
    x->region =
        (pass_region){.m = x->m, .a = x->a, .first = first, .last = last, .in = in, .out = out, .most = JOIN_ITEMS};
    x->mask = mask_of(x, in);
    if (x->looks_ahead[x->m->channels.data[out].consumer] || !pass_region_balances(&x->region) ||
        !pass_region_comes_out_at_once(&x->region) || !make_filter(x))
        return false;
    const plan_bit_lanes *b = plan_bit_lanes_for(x->p, x->processor, x->filter);
    x->left -= b->fault.steps + (int64_t)x->work->body.len * JOIN_COPY;
    size_t before = statements_before(x), at = b->fault.statement;
    bool somewhere = b->network == NULL && b->fault.why != NULL && at >= before && at < x->work->body.len;
    if (somewhere && !b->fault.large)
        x->unfit[first + (at - before)] = true;
    else if (somewhere)
        x->most = first + (uint32_t)(at - before) / 2; // more steps than gates that can be had
    else if (b->excess > 0)
        x->most = first + (uint32_t)(JOIN_SCALE * (last - first) / b->excess);
    tell(x, b);
    if (b->slower != NULL && (double)b->gates + b->turns >= b->single)
        x->slower = x->region.last + 1;
    x->told = x->region.last + 1 > x->told ? x->region.last + 1 : x->told;
    return b->network != NULL;
}

// Whether what comes out is joined with a source's items, which are known: better within a region.
static bool meets_source(const sir_module *m, uint32_t channel)
{
    bool meets = false;
    for (VEC_EACH(uint32_t, c, &m->actors.data[m->channels.data[channel].consumer]->inputs))
        meets = meets || (*c != SIR_NONE && pass_is_source(m->actors.data[m->channels.data[*c].producer]));
    return meets;
}

static bool has_bits(const joiner *x, uint32_t first, uint32_t last)
{
    bool found = false;
    for (uint32_t i = first; i <= last && !found; i++) {
        const sir_actor *a = x->m->actors.data[i];
        for (VEC_EACH(uint32_t, c, &a->outputs))
            found = found || (*c != SIR_NONE && x->m->channels.data[*c].type->kind == SIR_BIT);
        found = found || (a->kind == SIR_FILTER && plan_has_bits(a->filter));
    }
    return found;
}

static bool has_unfit(const joiner *x, uint32_t first, uint32_t last)
{
    bool found = false;
    for (uint32_t i = first; i <= last && !found; i++)
        found = x->unfit[i];
    return found;
}

static bool is_fit(void *context, uint32_t actor)
{
    const joiner *x = context;
    return !x->unfit[actor] && may_join(x->m, x->m->actors.data[actor]);
}

static bool join_at(joiner *x, uint32_t first, uint32_t *next)
{
    const sir_module *m = x->m;
    const pass_region_ends ends = pass_find_region_ends(x->a, m, first, JOIN_ACTORS, 0, is_fit, x);
    if (ends.len == 0 || x->left <= 0)
        return false;
    uint32_t in = m->actors.data[first]->inputs.data[0];
    // Where a region was too large before, others are as large as one that was not.
    size_t tries = JOIN_TRIES, smaller = JOIN_TRIES;
    x->most = x->size != 0 ? first + x->size : UINT32_MAX;
    for (size_t k = 0; tries > 0 && k < ends.len && first >= x->slower; k++) {
        const pass_region_end *end = &ends.data[ends.len - 1 - k];
        uint32_t limit = x->most;
        if (meets_source(m, end->out) || end->last >= limit || has_unfit(x, first, end->last))
            continue;
        if (x->left <= 0 && (limit == UINT32_MAX || smaller-- == 0))
            break;
        tries--;
        if (!has_bits(x, first, end->last) || !try_region(x, first, end->last, in, end->out)) {
            tries += x->most != limit; // what is too large was not in vain
            continue;
        }
        VEC_PUSH(x->m->arena, &x->m->filters, x->filter);
        pass_region_replace(x->m, &x->region, x->filter,
                            pass_unique_actor_name(x->m, x->m->arena, x->filter->name), x->gone_actor, x->gone_channel);
        x->left = JOIN_STEPS;
        if (limit != UINT32_MAX)
            x->size = end->last - first + 1;
        *next = end->last + 1;
        return true;
    }
    return false;
}

// Whether a filter that may become part of a region takes ints and computes with bits of them.
static bool takes_ints(const sir_module *m)
{
    bool any = false;
    for (VEC_EACH(sir_actor *const, a, &m->actors))
        any = any || ((*a)->kind == SIR_FILTER && may_join(m, *a) && (*a)->filter->input->kind == SIR_INT &&
                      plan_has_bits((*a)->filter));
    return any;
}

bool pass_join_bits(hlc_program *p)
{
    sir_module *m = p->module;
    if (m->portals.len != 0 || p->config->check_rates || p->config->check_bounds || is_dynamic(m))
        return false;
    if (p->machine == NULL)
        p->machine = machine_find(p->arena, p->diag, p->config->machine_dir,
                                  p->config->machine != NULL ? p->config->machine : "host", (src_range){0});
    joiner x = {.p = p, .m = m, .processor = plan_bit_processor(p), .left = JOIN_STEPS};
    int64_t lanes = plan_bit_lanes_of(p, x.processor), strip = p->config->strip, latency = p->config->max_latency;
    if ((strip != 0 && strip < lanes) || (latency != 0 && latency < lanes))
        return false; // vectors would not be filled
    if (lanes == 0)
        return false;
    x.a = arena_create();
    sir_find_byte_bits(m);
    find_looks_ahead(&x);
    if (m->canonical && takes_ints(m)) {
        x.ranges = ARENA_ARRAY(x.a, sir_interval, m->channels.len + 1);
        if (!sir_find_item_ranges(m, x.ranges))
            x.ranges = NULL;
    }
    x.unfit = ARENA_ARRAY(x.a, bool, m->actors.len + 1);
    x.gone_actor = ARENA_ARRAY(x.a, bool, m->actors.len + 1);
    x.gone_channel = ARENA_ARRAY(x.a, bool, m->channels.len + 1);
    bool changed = false;
    for (uint32_t i = 0, next; i < m->actors.len; i = next) {
        next = i + 1;
        changed |= join_at(&x, i, &next);
    }
    if (changed) {
        pass_sweep(m, x.a, x.gone_actor, x.gone_channel);
        pass_drop_filters(m);
    }
    arena_destroy(x.a);
    return changed;
}
