// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sources whose state comes round are tables: ramps that begin again, samples of a wave, pulses every so often.
//
// NOTE(source). A sum that waits for the one before, and asks whether it is to begin again, takes longer than the filters
// behind it that work in vectors:
//
//     push($x);   $x = $x + 0.5;   if ($x > 100.0) $x = 0.0;
//     push(items[at]);   at = at == 1004 ? 0 : at + 1;
//
// Firings are computed from the initial state on, with the operations of the run time, until the state is in every bit
// what it was at first. The items may come round before that, where a firing pushes several: firings then begin at other
// places of the round, which is followed in the table by what the last of them lacks. So with 200 items a firing in
// rounds of 23:
//
//     push(items[at + i])   for i up to 200;   at = at >= 23 - 16 ? at - (23 - 16) : at + 16;      items: float[222]
#include <string.h>

#include "hlc/ir/copy.h"
#include "hlc/ir/counters.h"
#include "hlc/ir/walk.h"
#include "hlc/passes/orbit_int.h"
#include "hlc/schedule/schedule.h"

// Items in a round of firings that push several, for each that the table has room for: the table may have a round of items,
// and what one firing pushes behind it.
enum { ROOM = 16 };
// Statements and nodes that are computed: of a source; of all sources; of each one behind these. Nodes of a body from which
// counters alone are worth it.
enum { MOST_STEPS = 1 << 19, ALL_STEPS = 1 << 24, LEAST_STEPS = 1 << 14, LEAST_NODES = 16 };

typedef struct source {
    arena *a;
    const sir_module *m;
    const sir_filter *filter;
    sir_scalar **locals, **fields;
    sir_scalar *items;
    int64_t count, room, most, firings, steps, most_steps;
    int64_t round; // items until they come round
    bool fails;
} source;

static bool fail(source *x)
{
    x->fails = true;
    return false;
}

static bool is_value(const sir_type *t)
{
    return t->kind != SIR_STRUCT && t->kind != SIR_ARRAY && t->kind != SIR_VOID;
}

// ---- Values ----

static sir_scalar value_of(source *x, const sir_expr *e);

// Where an lvalue's scalars are; NULL: nowhere that is followed.
static sir_scalar *place_of(source *x, const sir_expr *e)
{
    switch ((sir_expr_kind)e->kind) {
    case SIR_LOCAL: return x->locals[e->index];
    case SIR_FIELD: return x->fields[e->index];
    case SIR_GLOBAL: {
        const sir_value *v = &x->m->globals.data[e->index].value;
        if (!v->zero)
            return v->data;
        break;
    }
    case SIR_INDEX: {
        sir_scalar *base = place_of(x, e->u.arg[0]);
        int32_t i = value_of(x, e->u.arg[1]).i;
        if (base != NULL && !x->fails && i >= 0 && (uint32_t)i < e->u.arg[0]->type->length)
            return base + (uint64_t)i * e->type->words;
        break;
    }
    default: break;
    }
    x->fails = true;
    return NULL;
}

static sir_scalar binary_value(source *x, const sir_expr *e)
{
    sir_scalar a = value_of(x, e->u.arg[0]), b, r = {0};
    if (e->op == LANG_OP_LAND || e->op == LANG_OP_LOR) {
        if (x->fails || (a.i != 0) == (e->op == LANG_OP_LOR))
            return a;
        return value_of(x, e->u.arg[1]);
    }
    b = value_of(x, e->u.arg[1]);
    x->fails |= x->fails || !sir_eval_binary((lang_binary_op)e->op, e->u.arg[0]->type, a, b, &r);
    return r;
}

static sir_scalar math_value(source *x, const sir_expr *e)
{
    sir_scalar a = value_of(x, e->u.arg[0]), b = {0}, r = {0};
    if (sir_expr_arity(e) > 1)
        b = value_of(x, e->u.arg[1]);
    x->fails |= x->fails || !sir_eval_math((lang_math_op)e->op, e->u.arg[0]->type, a, b, &r);
    return r;
}

static sir_scalar member_value(source *x, const sir_expr *e)
{
    if (e->u.arg[0]->type->kind != SIR_COMPLEX)
        (void)fail(x);
    sir_scalar z = {0}, r = {0};
    if (!x->fails)
        z = value_of(x, e->u.arg[0]);
    r.f = e->index == 0 ? z.c.re : z.c.im;
    return r;
}

static sir_scalar value_of(source *x, const sir_expr *e)
{
    sir_scalar r = {0}, v;
    const sir_scalar *at;
    if (++x->steps > x->most_steps || x->fails || !is_value(e->type)) {
        x->fails = true;
        return r;
    }
    switch ((sir_expr_kind)e->kind) {
    case SIR_CONST: return e->u.value;
    case SIR_LOCAL:
    case SIR_FIELD:
    case SIR_GLOBAL:
    case SIR_INDEX: at = place_of(x, e); return at == NULL ? r : *at;
    case SIR_MEMBER: return member_value(x, e);
    case SIR_BINARY: return binary_value(x, e);
    case SIR_MATH: return math_value(x, e);
    case SIR_SELECT: return value_of(x, e->u.arg[value_of(x, e->u.arg[0]).i != 0 ? 1 : 2]);
    case SIR_CONVERT: v = value_of(x, e->u.arg[0]); return sir_eval_convert(e->u.arg[0]->type, e->type, v);
    case SIR_UNARY:
        v = value_of(x, e->u.arg[0]);
        x->fails |= x->fails || !sir_eval_unary((lang_unary_op)e->op, e->u.arg[0]->type, v, &r);
        return r;
    case SIR_MAKE_COMPLEX:
        r.c.re = value_of(x, e->u.arg[0]).f;
        r.c.im = value_of(x, e->u.arg[1]).f;
        return r;
    default: x->fails = true; return r;
    }
}

// ---- Statements ----

static void follow(source *x, const sir_block *b);

static void assign(source *x, const sir_expr *target, sir_scalar value)
{
    bool member = target->kind == SIR_MEMBER;
    if (!is_value(target->type) || (member && target->u.arg[0]->type->kind != SIR_COMPLEX)) {
        x->fails = true;
        return;
    }
    sir_scalar *at = place_of(x, member ? target->u.arg[0] : target);
    if (at == NULL || x->fails)
        return;
    if (!member)
        *at = value;
    else if (target->index == 0)
        at->c.re = value.f;
    else
        at->c.im = value.f;
}

static void follow_decl(source *x, const sir_stmt *s)
{
    const sir_type *t = x->filter->work->locals.data[s->u.decl.local].type;
    sir_scalar *at = x->locals[s->u.decl.local];
    memset(at, 0, t->words * sizeof *at);
    x->steps += (int64_t)t->words;
    if (s->u.decl.init != NULL)
        *at = value_of(x, s->u.decl.init);
}

static void follow_for(source *x, const sir_stmt *s)
{
    int64_t lo = value_of(x, s->u.for_.lo).i, hi = value_of(x, s->u.for_.hi).i, step = s->u.for_.step;
    for (int64_t i = lo; !x->fails && (step > 0 ? i < hi : i > hi); i += step) {
        x->locals[s->u.for_.local]->i = (int32_t)i;
        follow(x, &s->u.for_.body);
        x->fails |= ++x->steps > x->most_steps;
    }
}

static void follow_push(source *x, const sir_stmt *s)
{
    sir_scalar v = value_of(x, s->u.value);
    if (x->count < x->room)
        x->items[x->count++] = v;
    else
        x->fails = true;
}

static void follow(source *x, const sir_block *b)
{
    for (size_t i = 0; i < b->len && !x->fails; i++) {
        const sir_stmt *s = b->data[i];
        x->fails |= ++x->steps > x->most_steps;
        switch ((sir_stmt_kind)s->kind) {
        case SIR_DECL: follow_decl(x, s); break;
        case SIR_SET: assign(x, s->u.set.target, value_of(x, s->u.set.value)); break;
        case SIR_PUSH: follow_push(x, s); break;
        case SIR_IF: follow(x, value_of(x, s->u.if_.cond).i != 0 ? &s->u.if_.then : &s->u.if_.otherwise); break;
        case SIR_FOR: follow_for(x, s); break;
        case SIR_BLOCK: follow(x, &s->u.block); break;
        default: x->fails = true;
        }
    }
}

// ---- The round ----

static const sir_type *scalar_of(const sir_type *t)
{
    while (t->kind == SIR_ARRAY)
        t = t->element;
    return t;
}

static bool begins_again(const source *x)
{
    for (size_t i = 0; i < x->filter->fields.len; i++) {
        const sir_field *f = &x->filter->fields.data[i];
        const sir_type *t = scalar_of(f->type);
        for (uint64_t k = 0; !f->constant && k < f->type->words; k++)
            if (!sir_same_scalar(t, x->fields[i][k], f->init.zero ? (sir_scalar){0} : f->init.data[k]))
                return false;
    }
    return true;
}

static bool set_up(source *x, bool may_be_long)
{
    const sir_filter *f = x->filter;
    x->locals = ARENA_ARRAY(x->a, sir_scalar *, f->work->locals.len + 1);
    x->fields = ARENA_ARRAY(x->a, sir_scalar *, f->fields.len + 1);
    for (size_t i = 0; i < f->work->locals.len; i++) {
        const sir_type *t = f->work->locals.data[i].type;
        if (!is_value(scalar_of(t)) || t->words > (uint64_t)x->most)
            return false;
        x->locals[i] = ARENA_ARRAY(x->a, sir_scalar, t->words + 1);
    }
    for (size_t i = 0; i < f->fields.len; i++) {
        const sir_field *field = &f->fields.data[i];
        if (!is_value(scalar_of(field->type)) || (!field->constant && field->type->words > (uint64_t)x->most))
            return false;
        x->fields[i] = field->constant && !field->init.zero ? field->init.data
                                                            : ARENA_ARRAY(x->a, sir_scalar, field->type->words + 1);
        if (!field->constant && !field->init.zero)
            memcpy(x->fields[i], field->init.data, field->type->words * sizeof(sir_scalar));
    }
    x->room = may_be_long && f->work->push.max > 1 ? x->most * ROOM : x->most;
    x->items = ARENA_ARRAY(x->a, sir_scalar, (size_t)x->room);
    return true;
}

// The least divisor of the number of items after which these come round.
static int64_t round_of_items(const source *x)
{
    for (int64_t r = 1; r < x->count; r++) {
        bool same = x->count % r == 0;
        for (int64_t i = r; same && i < x->count; i++)
            same = sir_same_scalar(x->filter->output, x->items[i], x->items[i - r]);
        if (same)
            return r;
    }
    return x->count;
}

// The items that lie behind the round for the firing that begins last in it.
static int64_t behind_round(const source *x)
{
    int64_t each = x->filter->work->push.max;
    return each - sched_gcd(each, x->round);
}

static bool find_round(source *x)
{
    do {
        follow(x, &x->filter->work->body);
        x->firings++;
        // A firing that pushes much, or many that do nothing new, are not worth what it takes to follow them.
        x->fails |= x->count + x->filter->work->push.max > x->room && !begins_again(x);
    } while (!x->fails && !begins_again(x));
    if (x->fails || x->count != x->firings * x->filter->work->push.max)
        return false;
    x->round = round_of_items(x);
    return x->round + behind_round(x) <= x->most;
}

// ---- The new body ----

static sir_stmt *push_item(sir_module *m, sir_expr *table, sir_expr *at, const sir_type *t, sir_loc loc)
{
    sir_stmt *push = sir_stmt_new(m, SIR_PUSH, loc);
    push->u.value = sir_expr2(m, SIR_INDEX, 0, t, table, at, loc);
    return push;
}

// Where the firing after one that began at `at` begins, in a round of `length` items.
static sir_expr *next_place(sir_module *m, const sir_expr *at, int64_t length, int64_t each)
{
    const sir_type *count = m->scalar[SIR_INT];
    sir_loc loc = at->loc;
    int64_t by = each % length, last = length - by;
    bool exactly = length % by == 0; // no firing begins behind the last whole one
    sir_copier copier = {.arena = m->arena};
    sir_expr *place[3];
    for (size_t i = 0; i < 3; i++)
        place[i] = sir_copy_expr(&copier, at);
    sir_expr *ends = sir_expr2(m, SIR_BINARY, exactly ? LANG_OP_EQ : LANG_OP_GE, m->scalar[SIR_BOOLEAN], place[0],
                               sir_const_int(m, (int32_t)last, loc), loc);
    sir_expr *again =
        exactly ? sir_const_int(m, 0, loc)
                : sir_expr2(m, SIR_BINARY, LANG_OP_SUB, count, place[1], sir_const_int(m, (int32_t)last, loc), loc);
    sir_expr *on = sir_expr2(m, SIR_BINARY, LANG_OP_ADD, count, place[2], sir_const_int(m, (int32_t)by, loc), loc);
    return sir_expr3(m, SIR_SELECT, count, ends, again, on, loc);
}

static void rewrite(sir_module *m, sir_filter *f, const source *x, int64_t rounds)
{
    int64_t length = rounds * x->round, each = f->work->push.max, all = length + behind_round(x);
    const sir_type *t = f->output, *count = m->scalar[SIR_INT], *table = sir_type_array(m, t, (uint32_t)all);
    sir_loc loc = f->work->loc;
    sir_value items = sir_value_new(m->arena, table), zero = sir_value_new(m->arena, count);
    for (int64_t i = 0; i < all; i++)
        items.data[i] = x->items[i % x->round];
    memset(&f->fields, 0, sizeof f->fields);
    VEC_PUSH(m->arena, &f->fields,
             (sir_field){.name = "items", .type = table, .init = items, .constant = true, .loc = f->loc});
    bool moves = each % length != 0;
    if (moves)
        VEC_PUSH(m->arena, &f->fields, (sir_field){.name = "at", .type = count, .init = zero, .loc = f->loc});
    memset(&f->work->locals, 0, sizeof f->work->locals);
    f->work->body = (sir_block){0};
    sir_expr *at = moves ? sir_ref(m, SIR_FIELD, 1, count, loc) : sir_const_int(m, 0, loc),
             *base = sir_ref(m, SIR_FIELD, 0, table, loc);
    sir_stmt *pushes = push_item(m, base, at, t, loc), *next = sir_stmt_new(m, SIR_SET, loc);
    if (each > 1) {
        sir_stmt *loop = sir_stmt_new(m, SIR_FOR, loc);
        uint32_t i = sir_local_new(m, f->work, "i", count, loc);
        sir_expr *sum = sir_ref(m, SIR_LOCAL, i, count, loc);
        if (moves)
            sum = sir_expr2(m, SIR_BINARY, LANG_OP_ADD, count, at, sum, loc);
        loop->u.for_.local = i;
        loop->u.for_.lo = sir_const_int(m, 0, loc);
        loop->u.for_.hi = sir_const_int(m, (int32_t)each, loc);
        loop->u.for_.step = 1;
        VEC_PUSH(m->arena, &loop->u.for_.body, push_item(m, base, sum, t, loc));
        pushes = loop;
    }
    VEC_PUSH(m->arena, &f->work->body, pushes);
    if (moves) {
        next->u.set.target = sir_ref(m, SIR_FIELD, 1, count, loc);
        next->u.set.value = next_place(m, next->u.set.target, length, each);
        VEC_PUSH(m->arena, &f->work->body, next);
    }
    sir_filter_derive(m, f);
}

// ---- Which filters ----

typedef struct size_of_body {
    size_t nodes;
    bool costs; // more than adding and looking up
} size_of_body;

static void count_node(void *context, sir_expr *e, bool written)
{
    size_of_body *b = context;
    (void)written;
    b->nodes++;
    b->costs |= e->kind == SIR_MATH;
}

static void count_nodes(void *context, sir_stmt *s)
{
    sir_visit_exprs(s, count_node, context);
}

// Firings that look up what they push by a counter go side by side as they are.
static bool is_worth_it(arena *a, const sir_filter *f)
{
    sir_counters counters = {0};
    size_of_body b = {0};
    sir_visit_stmts(&f->work->body, count_nodes, &b);
    return b.costs || b.nodes >= LEAST_NODES || !sir_find_counters(a, f, &counters, NULL);
}

static bool is_plain(const sir_module *m, const sir_filter *f)
{
    return !f->finite && f->stateful && f->prework == NULL && f->handlers.len == 0 && f->functions.len == 0 &&
           !f->uses_iter && !f->uses_random && !f->prints && !f->sends && f->input->kind == SIR_VOID &&
           f->output->kind != SIR_VOID && is_value(f->output) && f->work->push.max > 0 && pass_rates_proved(m, f->work);
}

orbit_round orbit_tabulate_source(sir_module *m, sir_filter *f, int64_t most, int64_t repeated, int64_t *steps)
{
    orbit_round none = {0};
    if (!is_plain(m, f) || f->work->push.max > most)
        return none;
    source x = {.a = arena_create(), .m = m, .filter = f, .most = most};
    x.most_steps = *steps > -ALL_STEPS ? MOST_STEPS : LEAST_STEPS;
    bool found = is_worth_it(x.a, f) && set_up(&x, *steps > 0) && find_round(&x);
    *steps -= x.steps;
    if (found)
        rewrite(m, f, &x, f->work->push.max == 1 && repeated > x.round ? repeated / x.round : 1);
    arena_destroy(x.a);
    return found ? (orbit_round){.firings = x.firings, .items = x.round} : none;
}
