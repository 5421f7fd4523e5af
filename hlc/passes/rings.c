// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass 'rings': a feedback loop that delays what its body gives back, and does no more to it than a filter may, becomes
// a filter with an array.
//
//     join roundrobin(1, 1)                                     %x = pop
//     body: pop 2 push 2 { .. }                                 %delayed = $ring[$place]
//     split roundrobin(1, 1)                            ->      ..
//     loop Identity, 1116 items enqueued                        $ring[$place] = %back
//                                                               $place = $place + 1   if $place == 1116 { $place = 0 }
//
// What is done to an item that goes back may look at up to seven more behind it: those that the body gave last, which are
// fields. The first firings, of which nothing comes back yet, keep what was enqueued:
//
//     if $begun < 1 { $ring[$place] = 0   $begun = $begun + 1 } else { $ring[$place] = 0.5 * ($last + %back) }
//     $last = %back
//
// A firing of the body takes a round of the joiner and gives one of the splitter, so the loop always holds as many items as
// were enqueued, and the body fires whenever the joiner has what comes from outside: so does the filter, in all phases. Its
// items are no longer copied on their way round, and its firings up to where the place begins again are vectors (NOTE(rings) in
// hlc/emit/program_counters.c).
#include <inttypes.h>
#include <string.h>

#include "hlc/ir/type_rules.h"
#include "hlc/ir/copy.h"
#include "hlc/ir/walk.h"
#include "hlc/passes/canonicalize.h"
#include "hlc/passes/pass.h"
#include "targets/machine.h"

// Items that a firing takes from outside, or gives, at most; that the filter in the loop may look at.
enum { RINGS_ITEMS = 64, RINGS_WINDOW = 8 };

typedef struct ring {
    arena *a;
    sir_module *m;
    sir_actor *join, *body, *split, *back; // back: NULL: nothing is done to what comes back
    uint32_t in, out;                      // channels from outside and to it
    uint32_t in_port, out_port;            // of the joiner and the splitter
    uint32_t returning;                    // the channel that holds what is delayed
    int64_t taken, given;                  // items of a firing, from outside and to it
    int64_t window;                        // items that the filter in the loop looks at
    hmap *made;                            // by what they are made of: filters
} ring;

// ---- Which loops ----

typedef struct body_facts {
    int64_t pops, pushes; // that are no statements of the body itself
    bool fails;
} body_facts;

static void look_at_expr(void *context, sir_expr *e, bool written)
{
    (void)written;
    ((body_facts *)context)->fails |= (e->kind == SIR_PEEK && e->u.arg[0]->kind != SIR_CONST) || e->kind == SIR_ITER;
}

static void look_at_stmt(void *context, sir_stmt *s)
{
    body_facts *b = context;
    b->pops += s->kind == SIR_POP;
    b->pushes += s->kind == SIR_PUSH;
    b->fails |= s->kind == SIR_CALL || s->kind == SIR_PRINT || s->kind == SIR_SEND || s->kind == SIR_RANDOM ||
                s->kind == SIR_RETURN || s->kind == SIR_BREAK || s->kind == SIR_CONTINUE;
    sir_visit_exprs(s, look_at_expr, b);
}

// Whether all pops and pushes are statements of the body itself, one behind the other, and all peeks look at a known item.
static bool moves_plainly(const sir_function *work)
{
    body_facts all = {0};
    int64_t pops = 0, pushes = 0;
    for (size_t i = 0; i < work->body.len; i++) {
        pops += work->body.data[i]->kind == SIR_POP;
        pushes += work->body.data[i]->kind == SIR_PUSH;
    }
    sir_visit_stmts(&work->body, look_at_stmt, &all);
    return !all.fails && all.pops == pops && all.pushes == pushes && pops == work->pop.max && pushes == work->push.max;
}

// window: items that it may look at, where it looks at more than it takes.
static bool is_plain(const sir_module *m, const sir_actor *a, int64_t window)
{
    const sir_filter *f = a->kind == SIR_FILTER ? a->filter : NULL;
    return f != NULL && a->inputs.len == 1 && a->outputs.len == 1 && a->inputs.data[0] != SIR_NONE &&
           a->outputs.data[0] != SIR_NONE && a->least == 0 && f->prework == NULL && f->handlers.len == 0 &&
           f->functions.len == 0 && !f->finite && !f->work->peek.dynamic &&
           (!pass_waits(f->work) || f->work->peek.max <= window) && !f->work->pop.dynamic && !f->work->push.dynamic &&
           sir_is_scalar(f->input) && f->input == f->output && pass_rates_proved(m, f->work) && moves_plainly(f->work);
}

static const sir_channel *channel(const ring *x, uint32_t number)
{
    return &x->m->channels.data[number];
}

// The only actor behind a channel that holds nothing at first.
static sir_actor *behind(const ring *x, uint32_t number)
{
    const sir_channel *c = number == SIR_NONE ? NULL : channel(x, number);
    return c == NULL || c->initial.len != 0 || c->zeros != NULL ? NULL : x->m->actors.data[c->consumer];
}

static bool is_round(const sir_actor *a, sir_actor_kind kind, size_t inputs, size_t outputs)
{
    return a != NULL && a->kind == kind && a->inputs.len == inputs && a->outputs.len == outputs && a->least == 0;
}

// From the splitter, which gives the loop an item each firing of the body, back to the joiner.
static bool closes(ring *x, uint32_t port)
{
    uint32_t number = x->split->outputs.data[port];
    if (number == SIR_NONE)
        return false;
    const sir_channel *c = channel(x, number);
    x->back = NULL;
    x->window = 1;
    if (x->m->actors.data[c->consumer] != x->join) {
        x->back = behind(x, number);
        if (x->back == NULL || !is_plain(x->m, x->back, RINGS_WINDOW) || x->back->filter->work->pop.max != 1 ||
            x->back->filter->work->push.max != 1 || x->back == x->body)
            return false;
        x->window = pass_waits(x->back->filter->work) ? x->back->filter->work->peek.max : 1;
        number = x->back->outputs.data[0];
        c = channel(x, number);
    }
    x->returning = number;
    x->in_port = 1 - c->consumer_port;
    x->out_port = 1 - port;
    return x->m->actors.data[c->consumer] == x->join && (int64_t)c->initial.len >= x->window && c->zeros == NULL;
}

static bool find_ring(ring *x, uint32_t join)
{
    sir_module *m = x->m;
    x->join = m->actors.data[join];
    if (!is_round(x->join, SIR_JOIN, 2, 1) || m->regions.data[x->join->region].kind != SIR_FEEDBACKLOOP)
        return false;
    x->body = behind(x, x->join->outputs.data[0]);
    if (x->body == NULL || !is_plain(m, x->body, 0))
        return false;
    x->split = behind(x, x->body->outputs.data[0]);
    if (!is_round(x->split, SIR_SPLIT, 1, 2) || x->split->region != x->join->region || !(closes(x, 0) || closes(x, 1)))
        return false;
    const sir_function *work = x->body->filter->work;
    const uint32_t *to = x->split->weights.data;
    x->in = x->join->inputs.data[x->in_port];
    x->out = x->split->outputs.data[x->out_port];
    x->taken = x->join->weights.data[x->in_port];
    x->given = x->split->duplicate ? work->push.max : to[x->out_port];
    bool one = x->join->weights.data[1 - x->in_port] == 1 && (x->split->duplicate ? x->given == 1 : to[1 - x->out_port] == 1);
    return one && x->in != SIR_NONE && x->out != SIR_NONE && x->in != x->out && x->taken > 0 && x->taken <= RINGS_ITEMS && x->given > 0 &&
           x->given <= RINGS_ITEMS && work->pop.max == x->taken + 1 &&
           work->push.max == x->given + (x->split->duplicate ? 0 : 1) && channel(x, x->in)->zeros == NULL;
}

// ---- The filter ----

// Statements that are put together from those of the body and of the filter in the loop.
typedef struct maker {
    sir_module *m;
    sir_function *work;  // the new one
    sir_block *to;
    sir_expr *const *items; // what the source finds in its window
    int64_t popped, pushed;
    int64_t keep;        // the push that goes back; -1: each goes out, and the last one back too
    uint32_t kept;       // the local that it becomes
    const uint32_t *locals, *fields; // what these are in the new filter; NULL: the same
} maker;

static sir_expr *local_ref(sir_module *m, const sir_function *work, uint32_t local)
{
    return sir_ref(m, SIR_LOCAL, local, work->locals.data[local].type, work->loc);
}

static void set(maker *k, sir_expr *target, sir_expr *value)
{
    sir_stmt *s = sir_stmt_new(k->m, SIR_SET, k->work->loc);
    s->u.set.target = target;
    s->u.set.value = value;
    VEC_PUSH(k->m->arena, k->to, s);
}

static void declare(maker *k, uint32_t local, sir_expr *init)
{
    sir_stmt *s = sir_stmt_new(k->m, SIR_DECL, k->work->loc);
    s->u.decl.local = local;
    s->u.decl.init = init;
    VEC_PUSH(k->m->arena, k->to, s);
}

static sir_expr *adapt(const maker *k, sir_expr *e)
{
    if (e->kind == SIR_PEEK)
        return sir_ref(k->m, SIR_LOCAL, k->items[k->popped + e->u.arg[0]->u.value.i]->index, e->type, e->loc);
    if (e->kind == SIR_LOCAL && k->locals != NULL)
        e->index = k->locals[e->index];
    if (e->kind == SIR_FIELD && k->fields != NULL)
        e->index = k->fields[e->index];
    for (size_t i = 0; e->kind != SIR_CONST && i < sir_expr_arity(e); i++)
        e->u.arg[i] = adapt(k, e->u.arg[i]);
    return e;
}

static void adapt_block(const maker *k, sir_block *b);

static void adapt_stmt(const maker *k, sir_stmt *s)
{
    sir_parts parts = sir_stmt_parts(s);
    for (uint8_t i = 0; i < parts.expr_count; i++)
        *parts.expr[i] = adapt(k, *parts.expr[i]);
    if (parts.target != NULL)
        *parts.target = adapt(k, *parts.target);
    if (s->kind == SIR_DECL && k->locals != NULL)
        s->u.decl.local = k->locals[s->u.decl.local];
    if (s->kind == SIR_FOR && k->locals != NULL)
        s->u.for_.local = k->locals[s->u.for_.local];
    for (uint8_t i = 0; i < parts.block_count; i++)
        adapt_block(k, parts.block[i]);
}

static void adapt_block(const maker *k, sir_block *b)
{
    for (size_t i = 0; i < b->len; i++)
        adapt_stmt(k, b->data[i]);
}

static void make_push(maker *k, sir_stmt *s)
{
    bool goes_back = k->keep < 0 || k->pushed == k->keep;
    k->pushed++;
    if (goes_back) {
        declare(k, k->kept, s->u.value);
        s->u.value = local_ref(k->m, k->work, k->kept);
    }
    if (!goes_back || k->keep < 0)
        VEC_PUSH(k->m->arena, k->to, s);
}

// The statements of a body that is the maker's own.
static void make(maker *k, const sir_block *body)
{
    for (size_t i = 0; i < body->len; i++) {
        sir_stmt *s = body->data[i];
        adapt_stmt(k, s);
        if (s->kind == SIR_PUSH)
            make_push(k, s);
        else if (s->kind != SIR_POP)
            VEC_PUSH(k->m->arena, k->to, s);
        else if (s->u.set.target == NULL)
            k->popped++;
        else
            set(k, s->u.set.target, sir_ref(k->m, SIR_LOCAL, k->items[k->popped++]->index, s->u.set.target->type, s->loc));
    }
}

static uint32_t add_field(const ring *x, sir_filter *f, const char *name, sir_value init)
{
    sir_filter one = {0};
    VEC_PUSH(x->m->arena, &one.fields, (sir_field){.name = intern(x->m->names, name), .type = init.type, .role = SIR_STATE, .init = init, .loc = x->join->loc});
    return pass_add_fields(x->m, f, &one);
}

// Items that are delayed between two firings and have been through the filter in the loop: those that were enqueued, but
// for the last ones where that looks at several.
static size_t ring_length(const ring *x)
{
    return channel(x, x->returning)->initial.len - (size_t)(x->window - 1);
}

// The field with what is delayed, in the order in which it comes out.
static uint32_t add_ring(const ring *x, sir_filter *f)
{
    const sir_channel *c = channel(x, x->returning);
    size_t length = ring_length(x);
    sir_value all = sir_value_new(x->m->arena, length == 1 ? c->type : sir_type_array(x->m, c->type, (uint32_t)length));
    for (size_t i = 0; i < length; i++)
        if (!c->initial.data[i].zero)
            all.data[i] = c->initial.data[i].data[0];
    if (sir_value_is_zero(&all))
        all = sir_value_zero(all.type);
    return add_field(x, f, "ring", all);
}

// Where the delayed item is.
static sir_expr *ring_ref(const ring *x, const sir_filter *f, uint32_t field, uint32_t place)
{
    const sir_type *type = f->fields.data[field].type;
    sir_expr *all = sir_ref(x->m, SIR_FIELD, field, type, f->loc);
    if (type->kind != SIR_ARRAY)
        return all;
    sir_expr *at = sir_ref(x->m, SIR_FIELD, place, x->m->scalar[SIR_INT], f->loc);
    return sir_expr2(x->m, SIR_INDEX, 0, type->element, all, at, f->loc);
}

static void count_up(maker *k, uint32_t field)
{
    const sir_type *type = k->m->scalar[SIR_INT];
    sir_loc loc = k->work->loc;
    sir_expr *now = sir_ref(k->m, SIR_FIELD, field, type, loc);
    set(k, sir_ref(k->m, SIR_FIELD, field, type, loc),
        sir_expr2(k->m, SIR_BINARY, LANG_OP_ADD, type, now, sir_const_int(k->m, 1, loc), loc));
}

static void advance(maker *k, uint32_t place, int32_t length)
{
    sir_module *m = k->m;
    const sir_type *type = m->scalar[SIR_INT];
    sir_loc loc = k->work->loc;
    count_up(k, place);
    sir_stmt *s = sir_stmt_new(m, SIR_IF, loc), *again = sir_stmt_new(m, SIR_SET, loc);
    s->u.if_.cond = sir_expr2(m, SIR_BINARY, LANG_OP_EQ, m->scalar[SIR_BOOLEAN], sir_ref(m, SIR_FIELD, place, type, loc),
                              sir_const_int(m, length, loc), loc);
    again->u.set.target = sir_ref(m, SIR_FIELD, place, type, loc);
    again->u.set.value = sir_const_int(m, 0, loc);
    VEC_PUSH(m->arena, &s->u.if_.then, again);
    VEC_PUSH(m->arena, k->to, s);
}

// What comes back through the filter in the loop, which finds `items` in its window: gives the local that it is in then.
static uint32_t make_back(const ring *x, sir_filter *f, maker *k, sir_expr *const *items)
{
    const sir_filter *back = x->back->filter;
    sir_function *work = f->work;
    uint32_t first = pass_add_fields(x->m, f, back), *locals = ARENA_ARRAY(x->a, uint32_t, back->work->locals.len + 1),
             *fields = ARENA_ARRAY(x->a, uint32_t, back->fields.len + 1);
    for (size_t i = 0; i < back->fields.len; i++)
        fields[i] = first + (uint32_t)i;
    for (size_t i = 0; i < back->work->locals.len; i++) {
        const sir_local *l = &back->work->locals.data[i];
        locals[i] = sir_local_new(x->m, work, l->name, l->type, l->loc);
    }
    uint32_t kept = sir_local_new(x->m, work, "back", f->output, f->loc);
    maker b = {.m = x->m, .work = work, .to = k->to, .items = items, .keep = 0, .kept = kept, .locals = locals, .fields = fields};
    sir_block copy = sir_copy_block(&(sir_copier){.arena = x->m->arena}, &back->work->body);
    make(&b, &copy);
    return kept;
}

// What was enqueued behind what the ring holds at first, chosen by how many firings there have been.
static sir_expr *enqueued(const ring *x, uint32_t begun)
{
    sir_module *m = x->m;
    const sir_channel *c = channel(x, x->returning);
    sir_loc loc = x->join->loc;
    size_t first = ring_length(x);
    sir_expr *e = NULL;
    for (size_t i = c->initial.len; i-- > first;) {
        const sir_value *v = &c->initial.data[i];
        sir_expr *own = sir_const(m, c->type, v->zero ? (sir_scalar){0} : v->data[0], loc);
        sir_expr *now = sir_ref(m, SIR_FIELD, begun, m->scalar[SIR_INT], loc);
        e = e == NULL ? own
                      : sir_expr3(m, SIR_SELECT, c->type,
                                  sir_expr2(m, SIR_BINARY, LANG_OP_EQ, m->scalar[SIR_BOOLEAN], now,
                                            sir_const_int(m, (int32_t)(i - first), loc), loc),
                                  own, e, loc);
    }
    return e;
}

// What comes back through a filter that looks at several items: those before the last one are fields.
static void make_window(const ring *x, sir_filter *f, maker *k, uint32_t array, uint32_t place)
{
    sir_module *m = x->m;
    size_t before = (size_t)x->window - 1;
    uint32_t begun = add_field(x, f, "begun", sir_value_zero(m->scalar[SIR_INT]));
    uint32_t *fields = ARENA_ARRAY(x->a, uint32_t, before);
    sir_expr **items = ARENA_ARRAY(x->a, sir_expr *, before + 1);
    sir_loc loc = f->work->loc;
    for (size_t i = 0; i < before; i++) {
        fields[i] = add_field(x, f, "last", sir_value_zero(f->output));
        uint32_t local = sir_local_new(m, f->work, "before", f->output, loc);
        items[i] = local_ref(m, f->work, local);
        declare(k, local, sir_ref(m, SIR_FIELD, fields[i], f->output, loc));
    }
    items[before] = local_ref(m, f->work, k->kept);
    sir_stmt *s = sir_stmt_new(m, SIR_IF, loc);
    s->u.if_.cond = sir_expr2(m, SIR_BINARY, LANG_OP_LT, m->scalar[SIR_BOOLEAN],
                              sir_ref(m, SIR_FIELD, begun, m->scalar[SIR_INT], loc),
                              sir_const_int(m, (int32_t)before, loc), loc);
    VEC_PUSH(m->arena, k->to, s);
    maker beginning = *k, on = *k;
    beginning.to = &s->u.if_.then;
    set(&beginning, ring_ref(x, f, array, place), enqueued(x, begun));
    count_up(&beginning, begun);
    on.to = &s->u.if_.otherwise;
    uint32_t kept = make_back(x, f, &on, items);
    set(&on, ring_ref(x, f, array, place), local_ref(m, f->work, kept));
    for (size_t i = 0; i < before; i++)
        set(k, sir_ref(m, SIR_FIELD, fields[i], f->output, loc), local_ref(m, f->work, items[i + 1]->index));
}

static sir_filter *make_filter(const ring *x)
{
    sir_module *m = x->m;
    sir_filter *f = pass_copy_filter(m, x->body->filter);
    const sir_type *type = f->input;
    sir_loc loc = f->work->loc;
    size_t length = ring_length(x);
    f->name = pass_unique_filter_name(m, m->arena, f->name);
    uint32_t field = add_ring(x, f), place = length > 1 ? add_field(x, f, "place", sir_value_zero(m->scalar[SIR_INT])) : SIR_NONE;
    sir_block body = f->work->body;
    f->work->body = (sir_block){0};
    sir_expr **items = ARENA_ARRAY(x->a, sir_expr *, (size_t)x->taken + 1);
    maker k = {.m = m, .work = f->work, .to = &f->work->body, .items = items, .keep = -1};
    for (int64_t i = 0, n = 0; i <= x->taken; i++) {
        bool delayed = i == (x->in_port == 0 ? x->taken : 0);
        uint32_t local = sir_local_new(m, f->work, delayed ? "delayed" : "item", type, loc);
        items[i] = local_ref(m, f->work, local);
        declare(&k, local, delayed ? ring_ref(x, f, field, place) : NULL);
        if (delayed || n++ >= x->taken)
            continue;
        sir_stmt *pop = sir_stmt_new(m, SIR_POP, loc);
        pop->u.set.target = local_ref(m, f->work, local);
        VEC_PUSH(m->arena, k.to, pop);
    }
    k.kept = sir_local_new(m, f->work, "back", type, loc);
    if (!x->split->duplicate)
        k.keep = x->out_port == 0 ? x->given : 0;
    make(&k, &body);
    if (x->window > 1) {
        make_window(x, f, &k, field, place);
    } else {
        sir_expr *item = local_ref(m, f->work, k.kept);
        uint32_t kept = x->back != NULL && !x->back->filter->identity ? make_back(x, f, &k, &item) : k.kept;
        set(&k, ring_ref(x, f, field, place), local_ref(m, f->work, kept));
    }
    if (length > 1)
        advance(&k, place, (int32_t)length);
    f->work->peek.min = f->work->peek.max = f->work->pop.min = f->work->pop.max = x->taken;
    f->work->push.min = f->work->push.max = x->given;
    VEC_PUSH(m->arena, &m->filters, f);
    return f;
}

// Loops that do the same are instances of one filter, so that it runs once where they take the same items.
static sir_filter *known_filter(const ring *x)
{
    const sir_channel *c = channel(x, x->returning);
    strbuf key;
    strbuf_init(&key, x->a);
    strbuf_printf(&key, "%p %p %d %" PRIu32 " %" PRIu32 " %" PRId64 " %" PRId64, (const void *)x->body->filter,
                  x->back == NULL ? NULL : (const void *)x->back->filter, x->split->duplicate, x->in_port, x->out_port,
                  x->taken, x->given);
    for (VEC_EACH(const sir_value, v, &c->initial)) {
        uint64_t bits = 0;
        if (!v->zero)
            memcpy(&bits, v->data, c->type->kind == SIR_DOUBLE || c->type->kind == SIR_COMPLEX ? 8 : 4);
        strbuf_printf(&key, " %" PRIx64, bits);
    }
    sir_filter *f = hmap_get(x->made, key.data);
    if (f == NULL) {
        f = make_filter(x);
        hmap_set(x->made, key.data, f);
    }
    return f;
}

// ---- The graph ----

// The loop's region is none any more, nor are those in it in one, but for what loops are around it.
static void leave_loop(sir_module *m, uint32_t region)
{
    m->regions.data[region].kind = SIR_PIPELINE;
    for (size_t i = region; i < m->regions.len; i++) { // a region's parent has a smaller number
        sir_region *r = &m->regions.data[i];
        r->in_loop = r->kind == SIR_FEEDBACKLOOP || (r->parent != SIR_NONE && m->regions.data[r->parent].in_loop);
    }
}

static void replace(const ring *x)
{
    sir_module *m = x->m;
    bool *gone_actor = ARENA_ARRAY(x->a, bool, m->actors.len + 1), *gone_channel = ARENA_ARRAY(x->a, bool, m->channels.len + 1);
    uint32_t body = channel(x, x->join->outputs.data[0])->consumer;
    for (uint32_t i = 0; i < m->actors.len; i++)
        gone_actor[i] = m->actors.data[i] == x->join || m->actors.data[i] == x->split || m->actors.data[i] == x->back;
    gone_channel[x->join->outputs.data[0]] = gone_channel[x->body->outputs.data[0]] = gone_channel[x->returning] = true;
    gone_channel[x->split->outputs.data[1 - x->out_port]] = true;
    x->body->filter = known_filter(x);
    leave_loop(m, x->join->region);
    m->channels.data[x->in].consumer = m->channels.data[x->out].producer = body;
    m->channels.data[x->in].consumer_port = m->channels.data[x->out].producer_port = 0;
    x->body->inputs.data[0] = x->in;
    x->body->outputs.data[0] = x->out;
    pass_sweep(m, x->a, gone_actor, gone_channel);
}

// What channels hold may lie elsewhere, state is in the processor's own memory, which may be small.
static bool has_room(const hlc_program *p, size_t items)
{
    bool own = false;
    for (size_t i = 0; p->machine != NULL && i < p->machine->processors.len; i++) {
        const machine_processor *k = &p->machine->processors.data[i];
        own |= k->kind == MACHINE_processor_kind_KERNEL && k->code_memory.index != SIZE_MAX &&
               k->code_memory.kind == MACHINE_MEMORY;
    }
    return !own || items * sizeof(sir_scalar) <= (size_t)pass_table_bytes(p);
}

static bool take(hlc_program *p, arena *a, void *made, uint32_t actor)
{
    ring x = {.a = a, .m = p->module, .made = made};
    if (!find_ring(&x, actor) || !has_room(p, channel(&x, x.returning)->initial.len))
        return false;
    if (p->diag->remarks)
        diag_remark(p->diag, sir_range(x.m, p->sources, x.join->loc),
                    "the feedback loop of '%s' is one filter: the %zu items in it are an array of its state [rings]",
                    x.body->name, channel(&x, x.returning)->initial.len);
    replace(&x);
    return true;
}

bool pass_rings(hlc_program *p)
{
    if (p->module->portals.len != 0 || !pass_keeps_state(p))
        return false;
    arena *a = arena_create();
    hmap made;
    hmap_init(&made, a);
    bool changed = pass_take_actors(p, take, &made);
    arena_destroy(a);
    return changed;
}
