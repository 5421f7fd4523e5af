// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass 'int-bits': channels of ints that are known to be 0 or 1 hold bits, where a filter that takes them has few states, so
// that several bits are looked up at once (hlc/ir/steps.c). Programs often say int where they mean bits.
//
//     int->int filter Huffman                                 bit->int filter Huffman
//         while (node < 64)                           ->          while (node < 64)
//             node = tree[node + pop()];                              node = tree[node + (int)pop()];
//
// NOTE(groups). Channels that a splitter, a joiner or the instances of a filter share change their type together, or none of
// them does: with one that ends at a file, for example. What is known of the ints is hlc/ir/narrow.h's.
#include <string.h>

#include "hlc/ir/copy.h"
#include "hlc/ir/narrow.h"
#include "hlc/ir/steps.h"
#include "hlc/ir/walk.h"
#include "hlc/passes/pass.h"

// Filters whose states are followed: one of many states takes milliseconds.
enum { MOST_FOLLOWED = 256 };

typedef struct int_bits {
    arena *a;
    hlc_program *hlc;
    sir_module *m;
    bool *may;          // per channel
    uint32_t *group;    // per channel: another one of its group, or itself
    bool *wanted;       // per group's first channel
    uint32_t now;       // the group that changes
    hmap input, output; // by filter: its channels' group, and one more
} int_bits;

// What a function was.
typedef struct saved_function {
    sir_function *f;
    sir_block body;
    size_t locals;
} saved_function;
typedef VEC(saved_function) saved_functions;

// ---- Which channels ----

static uint32_t group_of(int_bits *x, uint32_t channel)
{
    while (x->group[channel] != channel)
        channel = x->group[channel] = x->group[x->group[channel]];
    return channel;
}

static void join(int_bits *x, uint32_t a, uint32_t b)
{
    a = group_of(x, a);
    b = group_of(x, b);
    x->may[a] = x->may[b] = x->may[a] && x->may[b];
    x->group[b] = a;
}

// The channels at a filter's side go together, whichever instance they belong to.
static void join_side(int_bits *x, hmap *sides, const sir_filter *f, uint32_t channel)
{
    const uint32_t *known = hmap_getn(sides, &f, sizeof f);
    if (known != NULL) {
        join(x, *known, channel);
        return;
    }
    uint32_t *first = ARENA_NEW(x->a, uint32_t);
    *first = channel;
    hmap_setn(sides, &f, sizeof f, first);
}

static void join_channels(int_bits *x)
{
    for (VEC_EACH(sir_actor *const, p, &x->m->actors)) {
        const sir_actor *a = *p;
        uint32_t first = SIR_NONE;
        for (size_t i = 0; i < a->inputs.len + a->outputs.len; i++) {
            const bool in = i < a->inputs.len;
            const uint32_t c = in ? a->inputs.data[i] : a->outputs.data[i - a->inputs.len];
            if (c == SIR_NONE)
                continue;
            if (a->kind == SIR_FILTER)
                join_side(x, in ? &x->input : &x->output, a->filter, c);
            else if (sir_is_file(a))
                x->may[group_of(x, c)] = false;
            else if (first != SIR_NONE)
                join(x, first, c);
            first = c;
        }
    }
}

static bool begin(int_bits *x)
{
    const size_t n = x->m->channels.len;
    sir_interval *items = ARENA_ARRAY(x->a, sir_interval, n + 1);
    if (!sir_find_item_ranges(x->m, items))
        return false;
    x->may = ARENA_ARRAY(x->a, bool, n + 1);
    x->group = ARENA_ARRAY(x->a, uint32_t, n + 1);
    x->wanted = ARENA_ARRAY(x->a, bool, n + 1);
    hmap_init(&x->input, x->a);
    hmap_init(&x->output, x->a);
    bool any = false;
    for (uint32_t i = 0; i < n; i++) {
        const sir_channel *c = &x->m->channels.data[i];
        x->group[i] = i;
        x->may[i] = c->type->kind == SIR_INT && c->type->storage == SIR_STORED_WHOLE && c->initial.len == 0 &&
                    c->zeros == NULL && items[i].lo >= 0 && items[i].hi <= 1;
        any |= x->may[i];
    }
    if (any)
        join_channels(x);
    return any;
}

// ---- A filter of bits ----

typedef struct bit_side {
    sir_module *m;
    sir_function *f;
    bool input, output;
} bit_side;

static const sir_type *bit_of(const sir_module *m)
{
    return m->scalar[SIR_BIT];
}

static sir_expr *converted(sir_module *m, const sir_type *to, sir_expr *e)
{
    return sir_expr1(m, SIR_CONVERT, 0, to, e, e->loc);
}

static sir_expr *bit_expr(void *context, const sir_expr *e)
{
    const bit_side *b = context;
    if (!b->input || e->kind != SIR_PEEK)
        return NULL;
    const sir_copier copier = {.arena = b->m->arena, .context = context, .expr = bit_expr};
    sir_expr *peek = sir_copy_operands(&copier, e);
    peek->type = bit_of(b->m);
    return converted(b->m, e->type, peek);
}

static void add_pop(const bit_side *b, const sir_copier *copier, const sir_stmt *s, sir_block *to)
{
    const uint32_t local = sir_local_new(b->m, b->f, "bit", bit_of(b->m), s->loc);
    sir_stmt *decl = sir_stmt_new(b->m, SIR_DECL, s->loc), *pop = sir_stmt_new(b->m, SIR_POP, s->loc);
    sir_stmt *set = sir_stmt_new(b->m, SIR_SET, s->loc);
    decl->u.decl.local = local;
    pop->u.set.target = sir_ref(b->m, SIR_LOCAL, local, bit_of(b->m), s->loc);
    set->u.set.target = sir_copy_expr(copier, s->u.set.target);
    set->u.set.value = converted(b->m, s->u.set.target->type, sir_ref(b->m, SIR_LOCAL, local, bit_of(b->m), s->loc));
    VEC_PUSH(b->m->arena, to, decl);
    VEC_PUSH(b->m->arena, to, pop);
    VEC_PUSH(b->m->arena, to, set);
}

static bool bit_stmt(void *context, const sir_stmt *s, sir_block *to)
{
    const bit_side *b = context;
    const sir_copier copier = {.arena = b->m->arena, .context = context, .expr = bit_expr, .stmt = bit_stmt};
    if (b->input && s->kind == SIR_POP && s->u.set.target != NULL) {
        add_pop(b, &copier, s, to);
        return true;
    }
    if (!b->output || s->kind != SIR_PUSH)
        return false;
    sir_stmt *push = sir_stmt_new(b->m, SIR_PUSH, s->loc);
    // Which says what is known, so that bits.c knows it, too.
    sir_expr *low = sir_expr2(b->m, SIR_BINARY, LANG_OP_AND, b->m->scalar[SIR_INT], sir_copy_expr(&copier, s->u.value),
                              sir_const_int(b->m, 1, s->loc), s->loc);
    push->u.value = converted(b->m, bit_of(b->m), low);
    VEC_PUSH(b->m->arena, to, push);
    return true;
}

static void function_of_bits(int_bits *x, sir_function *f, bool input, bool output, saved_functions *saved)
{
    if (f == NULL)
        return;
    VEC_PUSH(x->a, saved, (saved_function){f, f->body, f->locals.len});
    bit_side b = {.m = x->m, .f = f, .input = input, .output = output};
    const sir_copier copier = {.arena = x->m->arena, .context = &b, .expr = bit_expr, .stmt = bit_stmt};
    f->body = sir_copy_block(&copier, &f->body);
}

static void filter_of_bits(int_bits *x, sir_filter *f, bool input, bool output, saved_functions *saved)
{
    function_of_bits(x, f->work, input, output, saved);
    function_of_bits(x, f->prework, input, output, saved);
    for (VEC_EACH(sir_function *, g, &f->functions))
        function_of_bits(x, *g, input, output, saved);
    f->input = input ? bit_of(x->m) : f->input;
    f->output = output ? bit_of(x->m) : f->output;
}

// ---- Where it is wanted ----

// Whether several bits would be looked up at once; a filter with fixed rates keeps one int for it.
static bool has_few_states(int_bits *x, const sir_filter *f)
{
    const bool dynamic = f->work->pop.dynamic || f->work->push.dynamic;
    saved_functions saved = {0};
    sir_int_steps fixed;
    sir_steps steps;
    sir_filter *copy = pass_copy_filter(x->m, f);
    filter_of_bits(x, copy, true, false, &saved);
    if (dynamic)
        return sir_find_steps(x->a, x->m, copy, &steps);
    return sir_find_int_steps(x->a, x->m, copy, &fixed) && sir_int_steps_are_few(&fixed);
}

static bool might_have_few_states(const sir_filter *f)
{
    const sir_function *w = f->work;
    return w != NULL && !f->finite && f->prework == NULL && f->handlers.len == 0 && f->functions.len == 0 &&
           !f->prints && !f->sends && !f->uses_iter && !f->uses_random && f->input->kind == SIR_INT &&
           f->output->words == 1 &&
           (w->pop.dynamic || w->push.dynamic ? w->peek.max <= w->pop.max
                                              : f->stateful && w->pop.max == 1 && w->peek.max == 1);
}

static bool is_wanted_somewhere(const sir_module *m)
{
    bool any = false;
    for (VEC_EACH(sir_filter *const, f, &m->filters))
        any = any || might_have_few_states(*f);
    return any;
}

static bool find_wanted(int_bits *x)
{
    bool any = false;
    int followed = 0;
    for (VEC_EACH(sir_filter *const, f, &x->m->filters)) {
        const uint32_t *channel = hmap_getn(&x->input, f, sizeof *f);
        if (channel == NULL || !x->may[group_of(x, *channel)] || !might_have_few_states(*f) ||
            followed++ >= MOST_FOLLOWED || !has_few_states(x, *f))
            continue;
        x->wanted[group_of(x, *channel)] = true;
        any = true;
    }
    return any;
}

static void tell(int_bits *x)
{
    for (VEC_EACH(sir_filter *const, f, &x->m->filters)) {
        const uint32_t *channel = hmap_getn(&x->input, f, sizeof *f);
        if (channel != NULL && (*f)->input->kind == SIR_BIT && x->may[*channel])
            diag_remark(x->hlc->diag, sir_range(x->m, x->hlc->sources, (*f)->loc),
                        "what '%s' takes is 0 or 1 alone: its channel holds bits [int-bits]", (*f)->name);
    }
}

static bool changes(int_bits *x, const hmap *sides, const sir_filter *f)
{
    const uint32_t *channel = hmap_getn(sides, &f, sizeof f);
    return channel != NULL && group_of(x, *channel) == x->now;
}

static void set_types(int_bits *x, const sir_type *to)
{
    for (uint32_t i = 0; i < x->m->channels.len; i++)
        if (group_of(x, i) == x->now)
            x->m->channels.data[i].type = to;
    for (VEC_EACH(sir_actor *, p, &x->m->actors)) {
        sir_actor *a = *p;
        for (size_t i = 0; i < a->inputs.len && a->kind != SIR_FILTER; i++)
            if (a->inputs.data[i] != SIR_NONE && group_of(x, a->inputs.data[i]) == x->now)
                a->item = to;
    }
}

// All bits of the module should be bytes then; else all is as it was.
static bool change(int_bits *x, uint32_t group)
{
    saved_functions saved = {0};
    x->now = group;
    VEC(sir_filter) filters = {0};
    for (VEC_EACH(sir_filter *const, f, &x->m->filters)) {
        VEC_PUSH(x->a, &filters, **f);
        const bool input = changes(x, &x->input, *f), output = changes(x, &x->output, *f);
        if (input || output)
            filter_of_bits(x, *f, input, output, &saved);
    }
    set_types(x, bit_of(x->m));
    sir_find_byte_bits(x->m);
    if (x->m->byte_bits)
        return true;
    set_types(x, x->m->scalar[SIR_INT]);
    for (size_t i = 0; i < filters.len; i++) {
        x->m->filters.data[i]->input = filters.data[i].input;
        x->m->filters.data[i]->output = filters.data[i].output;
    }
    for (VEC_EACH(const saved_function, s, &saved)) {
        s->f->body = s->body;
        s->f->locals.len = s->locals;
        s->f->names = NULL; // these have names that go
    }
    sir_find_byte_bits(x->m);
    return false;
}

static bool change_wanted(int_bits *x)
{
    bool any = false;
    for (uint32_t i = 0; i < x->m->channels.len; i++)
        any |= x->wanted[i] && change(x, i);
    return any;
}

bool pass_int_bits(hlc_program *p)
{
    if (p->config->no_steps || !pass_may_change_more(p) || !is_wanted_somewhere(p->module))
        return false;
    int_bits x = {.a = arena_create(), .hlc = p, .m = p->module};
    const bool changed = begin(&x) && find_wanted(&x) && change_wanted(&x);
    if (changed) {
        tell(&x);
        pass_tidy(p->module);
    }
    arena_destroy(x.a);
    return changed;
}
