// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass 'windows': an array in which a filter keeps the items that it has popped is a window of its input, and the
// filter peeks instead. Whether it moves the array along, goes round in it or keeps it twice is the same:
//
//     field %hist: float[32]   field %at: int                       peek 32 pop 1
//     %hist[%at] = pop()                                       ->   %sum = %sum + %h[%i] * peek(-%i + 31)
//     %sum = %sum + %h[%i] * %hist[(%at - %i + 32) % 32]            pop()
//     %at = (%at + 1) % 32
//
// What the array held at first, mostly zeroes, is on the channel from the beginning; so firings, initialisation and end
// are as before, and filters that had no other state have none.
//
// NOTE(trace). Firings are followed one after the other from the initial state on. Ints are known or not; elements of
// arrays are items by number, or what they were at first. Where a condition is not known both branches are followed. When
// the known part of the state comes round, each place that reads an element must have read an item whose number is affine
// in the loops around, in all firings alike; and the firings before must have read the same, with what was there at first
// in the places of items before the first.
//
// NOTE(clears). Filters that work on blocks set their arrays to zero where a block ends: every so many firings, which must
// be a power of two, so that the number of the firing tells how long that is ago. Items from before are zeroes then:
//
//     %since = iter & 1023
//     %sum = %sum + %h[%i] * (%since >= %i ? peek(-%i + 31) : 0)
//
// A ZERO that a place reads must stand for an item from before, and an item that it reads be none.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hlc/ir/type_rules.h"
#include "hlc/ir/walk.h"
#include "hlc/passes/pass.h"
#include "hlc/passes/windows_int.h"

// Steps of following one filter; items of a window, which move to the front of the channel with each run.
enum { MOST_STEPS = 1 << 24, MOST_WINDOW = 1024 };
// Firings until the state comes round, at most: it takes one or two for each element, and of a counter as many as the greatest
// constant that the filter names, where that is not above MOST_ROUND.
enum { ROUND_LEAST = 64, ROUND_PART = 6, MOST_ROUND = 4096 };
// Items of a window from which it is worth it though other state stays: short ones are registers.
enum { LEAST_STAYING = 8 };

typedef enum { OPAQUE, KNOWN, ITEM, FIRST, ZERO } traced_kind;
typedef struct traced {
    traced_kind kind;
    uint32_t field; // FIRST
    int64_t n;      // KNOWN: its value; ITEM: its number; FIRST: the element of the field
} traced;

// What firings leave behind: the scalars, and the elements of arrays.
typedef struct state {
    traced *locals, *fields;
    traced **elements; // per field: of arrays that may hold items
} state;

typedef struct active_loop {
    uint32_t local;
    int64_t value;
} active_loop;

typedef enum { LOOK, FIT, CHECK } trace_phase;

typedef struct tracer {
    arena *a;
    sir_filter *filter;
    state now;
    bool *unfit; // per field: something else than items is kept there
    window_facts *facts;
    int64_t steps, firing, popped;
    int64_t fresh; // the first item that no clearing has come behind
    bool clears;   // this firing sets elements to zero
    uint32_t into; // the array that the present statement writes
    int unknown;   // conditions around that are not known
    trace_phase phase;
    bool fails;
    VEC(active_loop) loops;
} tracer;

static const traced opaque = {.kind = OPAQUE}, zero = {.kind = ZERO};

static traced known(int64_t n)
{
    return (traced){.kind = KNOWN, .n = n};
}

static bool is_int(const sir_type *t)
{
    return t->kind == SIR_INT || t->kind == SIR_BOOLEAN || t->kind == SIR_BIT;
}

static bool same_traced(traced a, traced b)
{
    return a.kind == b.kind && (a.kind == OPAQUE || (a.n == b.n && (a.kind != FIRST || a.field == b.field)));
}

static size_t length_of(const tracer *x, size_t field)
{
    const sir_type *t = x->filter->fields.data[field].type;
    return x->now.elements[field] == NULL ? 0 : t->kind == SIR_ARRAY ? t->length : 1;
}

static int64_t first_item(const tracer *x)
{
    return x->firing * x->filter->work->pop.max;
}

// ---- Places that take items ----

static window_site *site_of(tracer *x, const void *node, uint32_t array)
{
    window_site *s = hmap_getn(&x->facts->site_of, &node, sizeof node);
    if (s != NULL)
        return s;
    s = ARENA_NEW(x->a, window_site);
    *s = (window_site){.node = node, .array = array, .into = x->into};
    hmap_setn(&x->facts->site_of, &node, sizeof node, s);
    VEC_PUSH(x->a, &x->facts->sites, s);
    return s;
}

static void see_first(tracer *x, window_site *s, int64_t at)
{
    s->seen = true;
    s->at = s->least = s->most = at;
    for (VEC_EACH(active_loop, l, &x->loops))
        VEC_PUSH(x->a, &s->terms, (window_term){.local = l->local, .first = l->value});
}

// The item that the site takes according to what is known of it; another loop may tell its coefficient.
static int64_t predicted(const tracer *x, window_site *s, const int64_t *at)
{
    int64_t sum = s->at;
    window_term *open = NULL;
    s->unfit |= s->terms.len != x->loops.len;
    for (size_t i = 0; i < s->terms.len && !s->unfit; i++) {
        window_term *t = &s->terms.data[i];
        int64_t moved = x->loops.data[i].value - t->first;
        if (moved == 0)
            continue;
        s->unfit |= !t->known && open != NULL;
        if (t->known)
            sum += t->coefficient * moved;
        else
            open = t;
    }
    s->unfit |= open != NULL && at == NULL;
    if (open == NULL || s->unfit)
        return sum;
    int64_t moved = x->loops.data[open - s->terms.data].value - open->first;
    open->known = true;
    open->coefficient = (*at - sum) / moved;
    return sum + open->coefficient * moved;
}

static bool is_cleared(const tracer *x, uint32_t array)
{
    return array != SIR_NONE && x->facts->cleared[array];
}

static void see(tracer *x, const void *node, uint32_t array, int64_t at)
{
    if (x->phase == LOOK)
        return;
    window_site *s = site_of(x, node, array);
    s->unfit |= is_cleared(x, array) && first_item(x) + at < x->fresh;
    if (!s->seen)
        see_first(x, s, at);
    s->unfit |= predicted(x, s, &at) != at;
    s->least = at < s->least ? at : s->least;
    s->most = at > s->most ? at : s->most;
}

// A zero stands for an item from before the array was cleared.
static void see_zero(tracer *x, const void *node, uint32_t array)
{
    if (x->phase != CHECK)
        return; // which firings go through once more
    window_site *s = site_of(x, node, array);
    if (!s->seen) {
        s->unfit = true;
        return;
    }
    int64_t at = predicted(x, s, NULL);
    s->unfit |= first_item(x) + at >= x->fresh || at < -MOST_WINDOW;
    if (!s->unfit && s->into == SIR_NONE)
        s->least = at < s->least ? at : s->least;
}

// An element that still holds what it held at first stands for an item before the first one.
static void see_before(tracer *x, const void *node, uint32_t array, traced v)
{
    if (x->phase == LOOK)
        return;
    window_site *s = site_of(x, node, array);
    if (x->phase == FIT || !s->seen) {
        s->unfit = true;
        return;
    }
    int64_t at = predicted(x, s, NULL), item = first_item(x) + at;
    s->unfit |= item >= 0 || item < -MOST_WINDOW;
    if (s->unfit || s->into != SIR_NONE)
        return;
    const sir_field *f = &x->filter->fields.data[v.field];
    sir_scalar *slot = &x->facts->before[MOST_WINDOW + item], value;
    memset(&value, 0, sizeof value);
    if (!f->init.zero)
        value = f->init.data[v.n];
    hmap *given = &x->facts->given;
    if (hmap_getn(given, &item, sizeof item) != NULL)
        s->unfit |= memcmp(slot, &value, sizeof value) != 0;
    hmap_setn(given, &item, sizeof item, slot);
    *slot = value;
    s->least = at < s->least ? at : s->least;
}

// ---- Values ----

static traced value_of(tracer *x, const sir_expr *e);

static traced binary_value(tracer *x, const sir_expr *e)
{
    traced a = value_of(x, e->u.arg[0]);
    bool lazy = e->op == LANG_OP_LAND || e->op == LANG_OP_LOR;
    if (lazy && a.kind == KNOWN && (a.n != 0) == (e->op == LANG_OP_LOR))
        return a;
    traced b = value_of(x, e->u.arg[1]);
    if (a.kind != KNOWN || b.kind != KNOWN || !is_int(e->u.arg[0]->type))
        return opaque;
    if (lazy)
        return b;
    sir_scalar r, u = {.i = (int32_t)a.n}, v = {.i = (int32_t)b.n};
    return sir_eval_binary((lang_binary_op)e->op, e->u.arg[0]->type, u, v, &r) ? known(r.i) : opaque;
}

static traced select_value(tracer *x, const sir_expr *e)
{
    traced c = value_of(x, e->u.arg[0]);
    if (c.kind == KNOWN)
        return value_of(x, e->u.arg[c.n != 0 ? 1 : 2]);
    traced a = value_of(x, e->u.arg[1]), b = value_of(x, e->u.arg[2]);
    return same_traced(a, b) ? a : opaque;
}

// Of an array, or of a scalar field, which is one of a single element.
static traced read_element(tracer *x, const sir_expr *e, uint32_t field, int64_t i)
{
    traced v = x->now.elements[field][i];
    if (v.kind == ITEM)
        see(x, e, field, v.n - first_item(x));
    else if (v.kind == FIRST)
        see_before(x, e, field, v);
    else if (v.kind == ZERO)
        see_zero(x, e, field);
    return v;
}

static traced element_value(tracer *x, const sir_expr *e)
{
    const sir_expr *base = e->u.arg[0];
    traced i = value_of(x, e->u.arg[1]);
    if (base->kind != SIR_FIELD) {
        (void)value_of(x, base);
        return opaque;
    }
    const sir_field *f = &x->filter->fields.data[base->index];
    bool inside = i.kind == KNOWN && i.n >= 0 && i.n < (int64_t)f->type->length;
    if (f->constant && is_int(e->type) && inside)
        return known(f->init.zero ? 0 : f->init.data[i.n].i);
    traced *elements = x->now.elements[base->index];
    if (elements == NULL || x->unfit[base->index])
        return opaque;
    if (!inside) {
        x->unfit[base->index] = true;
        return opaque;
    }
    return read_element(x, e, base->index, i.n);
}

static traced field_value(tracer *x, const sir_expr *e)
{
    bool scalar = sir_is_scalar(e->type);
    if (x->now.elements[e->index] == NULL)
        return scalar ? x->now.fields[e->index] : opaque;
    x->unfit[e->index] |= !scalar; // all of it
    return x->unfit[e->index] ? opaque : read_element(x, e, e->index, 0);
}

static bool is_zero(const sir_type *t, sir_scalar v)
{
    return t->kind == SIR_FLOAT ? v.f == 0 && !signbit(v.f) : t->kind == SIR_DOUBLE && v.d == 0 && !signbit(v.d);
}

static traced value_of(tracer *x, const sir_expr *e)
{
    x->fails |= ++x->steps > MOST_STEPS;
    if (x->fails)
        return opaque;
    traced v;
    sir_scalar r, u;
    switch ((sir_expr_kind)e->kind) {
    case SIR_CONST: return is_int(e->type) ? known(e->u.value.i) : is_zero(e->type, e->u.value) ? zero : opaque;
    case SIR_LOCAL: return sir_is_scalar(e->type) ? x->now.locals[e->index] : opaque;
    case SIR_FIELD: return field_value(x, e);
    case SIR_INDEX: return element_value(x, e);
    case SIR_BINARY: return binary_value(x, e);
    case SIR_SELECT: return select_value(x, e);
    case SIR_UNARY:
        v = value_of(x, e->u.arg[0]);
        u.i = (int32_t)v.n;
        return v.kind == KNOWN && sir_eval_unary((lang_unary_op)e->op, e->u.arg[0]->type, u, &r) ? known(r.i) : opaque;
    case SIR_PEEK:
        v = value_of(x, e->u.arg[0]);
        see(x, e, SIR_NONE, x->popped);
        return v.kind == KNOWN ? (traced){.kind = ITEM, .n = first_item(x) + x->popped + v.n} : opaque;
    default:
        for (size_t i = 0; i < sir_expr_arity(e); i++)
            (void)value_of(x, e->u.arg[i]);
        return opaque;
    }
}

// ---- Statements ----

static void follow(tracer *x, const sir_block *b);

// The array of items that a statement writes an element of, or a scalar that is one; SIR_NONE: it does not.
static uint32_t array_of(const tracer *x, const sir_expr *target)
{
    const sir_expr *root = target != NULL && target->kind == SIR_INDEX ? target->u.arg[0] : target;
    return root != NULL && root->kind == SIR_FIELD && x->now.elements[root->index] != NULL ? root->index : SIR_NONE;
}

static void write_element(tracer *x, const sir_expr *target, uint32_t array, traced value)
{
    const sir_type *t = x->filter->fields.data[array].type;
    traced i = target->kind == SIR_INDEX ? value_of(x, target->u.arg[1]) : known(0);
    int64_t length = t->kind == SIR_ARRAY ? (int64_t)t->length : 1;
    bool inside = i.kind == KNOWN && i.n >= 0 && i.n < length && sir_is_scalar(target->type);
    if (value.kind == KNOWN && value.n == 0)
        value = zero;
    x->facts->cleared[array] |= value.kind == ZERO;
    x->unfit[array] |= !inside || x->unknown > 0 || (value.kind != ITEM && value.kind != FIRST && value.kind != ZERO);
    if (inside)
        x->now.elements[array][i.n] = value;
}

static void assign(tracer *x, const sir_expr *target, traced value)
{
    uint32_t array = array_of(x, target);
    if (target == NULL) // nobody takes it
        return;
    if (target->kind == SIR_LOCAL) {
        x->now.locals[target->index] = value;
    } else if (array != SIR_NONE) {
        write_element(x, target, array, value);
    } else if (target->kind == SIR_FIELD) {
        x->now.fields[target->index] = value.kind == KNOWN ? value : opaque;
    } else {
        for (const sir_expr *e = target; e->kind == SIR_INDEX || e->kind == SIR_MEMBER; e = e->u.arg[0]) {
            if (e->kind == SIR_INDEX)
                (void)value_of(x, e->u.arg[1]);
            if (e->u.arg[0]->kind == SIR_FIELD)
                x->unfit[e->u.arg[0]->index] = true;
        }
    }
}

static traced *copy_of(tracer *x, const traced *from, size_t count)
{
    x->steps += (int64_t)count;
    return memcpy(ARENA_ARRAY(x->a, traced, count + 1), from, count * sizeof *from);
}

static void join(traced *into, const traced *other, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!same_traced(into[i], other[i]))
            into[i] = opaque;
}

static void follow_if(tracer *x, const sir_stmt *s)
{
    traced c = value_of(x, s->u.if_.cond);
    if (c.kind == KNOWN) {
        follow(x, c.n != 0 ? &s->u.if_.then : &s->u.if_.otherwise);
        return;
    }
    size_t locals = x->filter->work->locals.len, fields = x->filter->fields.len;
    const state before = x->now;
    x->unknown++;
    x->now.locals = copy_of(x, before.locals, locals);
    x->now.fields = copy_of(x, before.fields, fields);
    follow(x, &s->u.if_.then);
    traced *other_locals = x->now.locals, *other_fields = x->now.fields;
    x->now = before;
    follow(x, &s->u.if_.otherwise);
    x->unknown--;
    join(x->now.locals, other_locals, locals);
    join(x->now.fields, other_fields, fields);
}

static void follow_for(tracer *x, const sir_stmt *s)
{
    traced lo = value_of(x, s->u.for_.lo), hi = value_of(x, s->u.for_.hi);
    x->fails |= lo.kind != KNOWN || hi.kind != KNOWN;
    VEC_PUSH(x->a, &x->loops, (active_loop){.local = s->u.for_.local});
    for (int64_t i = lo.n; !x->fails && (s->u.for_.step > 0 ? i < hi.n : i > hi.n); i += s->u.for_.step) {
        x->loops.data[x->loops.len - 1].value = i;
        x->now.locals[s->u.for_.local] = known(i);
        follow(x, &s->u.for_.body);
        x->fails |= ++x->steps > MOST_STEPS;
    }
    x->loops.len--;
}

static void follow_loop(tracer *x, const sir_stmt *s)
{
    bool goes = true;
    for (bool first = true; !x->fails && goes; first = false) {
        if (!first || !s->u.loop.post_test)
            follow(x, &s->u.loop.pre);
        x->into = SIR_NONE;
        traced c = s->u.loop.cond == NULL || (first && s->u.loop.post_test) ? known(1) : value_of(x, s->u.loop.cond);
        x->fails |= c.kind != KNOWN || ++x->steps > MOST_STEPS;
        goes = c.n != 0;
        if (goes && !x->fails) {
            follow(x, &s->u.loop.body);
            follow(x, &s->u.loop.step);
        }
    }
}

static void follow_pop(tracer *x, const sir_stmt *s)
{
    x->fails |= x->unknown > 0;
    if (s->u.set.target != NULL) {
        see(x, s, SIR_NONE, x->popped);
        assign(x, s->u.set.target, (traced){.kind = ITEM, .n = first_item(x) + x->popped});
    }
    x->popped++;
}

// What is computed of floats says nothing, as long as it is not asked for the places that it reads.
static bool is_mute(const tracer *x, const sir_stmt *s)
{
    const sir_expr *v = s->u.set.value;
    return x->phase == LOOK && s->u.set.target->kind == SIR_LOCAL && !is_int(v->type) &&
           (v->kind == SIR_BINARY || v->kind == SIR_UNARY || v->kind == SIR_MATH || v->kind == SIR_CONVERT);
}

static void follow_stmt(tracer *x, const sir_stmt *s)
{
    x->into = s->kind == SIR_SET || s->kind == SIR_POP ? array_of(x, s->u.set.target) : SIR_NONE;
    switch ((sir_stmt_kind)s->kind) {
    case SIR_DECL: {
        traced none = is_int(x->filter->work->locals.data[s->u.decl.local].type) ? known(0) : opaque;
        x->now.locals[s->u.decl.local] = s->u.decl.init != NULL ? value_of(x, s->u.decl.init) : none;
        return;
    }
    case SIR_SET:
        x->clears |= x->into != SIR_NONE && s->u.set.value->kind == SIR_CONST;
        assign(x, s->u.set.target, is_mute(x, s) ? opaque : value_of(x, s->u.set.value));
        return;
    case SIR_POP: follow_pop(x, s); return;
    case SIR_PUSH: (void)value_of(x, s->u.value); return;
    case SIR_PRINT:
        if (s->u.print.value != NULL)
            (void)value_of(x, s->u.print.value);
        return;
    case SIR_RANDOM: assign(x, s->u.set.target, opaque); return;
    case SIR_IF: follow_if(x, s); return;
    case SIR_FOR: follow_for(x, s); return;
    case SIR_LOOP: follow_loop(x, s); return;
    case SIR_BLOCK: follow(x, &s->u.block); return;
    default: x->fails = true;
    }
}

static void follow(tracer *x, const sir_block *b)
{
    for (size_t i = 0; i < b->len && !x->fails; i++) {
        x->fails |= ++x->steps > MOST_STEPS;
        follow_stmt(x, b->data[i]);
    }
}

// ---- Firings ----

static void fire(tracer *x)
{
    int64_t *every = &x->facts->every;
    x->popped = 0;
    x->clears = false;
    follow(x, &x->filter->work->body);
    x->fails |= x->popped != x->filter->work->pop.max;
    x->firing++;
    if (x->clears && *every == 0)
        *every = x->firing;
    x->facts->irregular |= x->clears != (*every != 0 && x->firing % *every == 0);
    if (x->clears)
        x->fresh = first_item(x);
}

static void begin(tracer *x)
{
    x->firing = x->fresh = 0;
    for (size_t i = 0; i < x->filter->fields.len; i++) {
        const sir_field *f = &x->filter->fields.data[i];
        bool scalar = sir_is_scalar(f->type) && is_int(f->type);
        x->now.fields[i] = scalar ? known(f->init.zero ? 0 : f->init.data[0].i) : opaque;
        x->unfit[i] |= x->facts->cleared[i] && !f->init.zero;
        for (size_t k = 0; k < length_of(x, i); k++)
            x->now.elements[i][k] =
                x->facts->cleared[i] ? zero : (traced){.kind = FIRST, .field = (uint32_t)i, .n = (int64_t)k};
    }
}

// What the next firing finds, with items counted from its first.
static traced relative(const tracer *x, traced v)
{
    if (v.kind == ITEM)
        v.n -= first_item(x);
    return v;
}

typedef struct snapshot {
    int64_t firing;
    traced *all;
} snapshot;

static void take(tracer *x, snapshot *to)
{
    size_t n = 0;
    to->firing = x->firing;
    for (size_t i = 0; i < x->filter->fields.len; i++) {
        to->all[n++] = relative(x, x->now.fields[i]);
        for (size_t k = 0; k < length_of(x, i); k++)
            to->all[n++] = relative(x, x->now.elements[i][k]);
    }
}

// What was zero at first is zero again.
static bool is_zero_again(const tracer *x, const snapshot *s, traced was, traced now)
{
    return s->firing == 0 && was.kind == FIRST && now.kind == ZERO && x->filter->fields.data[was.field].init.zero;
}

static bool is_same(tracer *x, const snapshot *s)
{
    size_t n = 0;
    for (size_t i = 0; i < x->filter->fields.len; i++) {
        size_t count = length_of(x, i);
        if (!same_traced(s->all[n++], relative(x, x->now.fields[i])))
            return false;
        for (size_t k = 0; k < count && !x->unfit[i]; k++)
            if (!same_traced(s->all[n + k], relative(x, x->now.elements[i][k])) &&
                !is_zero_again(x, s, s->all[n + k], x->now.elements[i][k]))
                return false;
        n += count;
    }
    return true;
}

static void find_greatest_of(void *context, sir_expr *e, bool written)
{
    (void)written;
    int64_t *greatest = context;
    if (e->kind == SIR_CONST && is_int(e->type) && e->u.value.i > *greatest && e->u.value.i <= MOST_ROUND)
        *greatest = e->u.value.i;
}

static void find_greatest(void *context, sir_stmt *s)
{
    sir_visit_exprs(s, find_greatest_of, context);
}

// A round takes so many firings at most. A firing for each element or two, and all is followed thrice: what cannot end within
// MOST_STEPS is not begun; 0. What counts up may take longer, if that leaves steps enough.
static int64_t most_firings(const tracer *x, int64_t words, int64_t counted)
{
    int64_t elements = ROUND_PART * words;
    if (x->steps > MOST_STEPS / elements)
        return 0;
    // The state is kept after each power of two firings: a round may be twice as far away as it is long.
    return ROUND_LEAST + elements + (x->steps > MOST_STEPS / 4 / (3 * counted + 1) ? 0 : 3 * counted);
}

// Follows firings until the state comes round, then a round more to see what each place reads, then all again.
static bool trace(tracer *x, size_t words)
{
    int64_t counted = 0;
    sir_visit_stmts(&x->filter->work->body, find_greatest, &counted);
    snapshot s = {.firing = -1, .all = ARENA_ARRAY(x->a, traced, words + 1)},
             start = {.firing = 0, .all = ARENA_ARRAY(x->a, traced, words + 1)};
    begin(x);
    take(x, &start);
    for (int64_t next = 1, most = 1; s.firing < 0 || !is_same(x, &s);) {
        if (x->firing == next || s.firing < 0) {
            take(x, &s);
            next *= 2;
        }
        fire(x);
        if (x->firing == 1)
            most = most_firings(x, (int64_t)words, counted);
        if (x->fails || x->firing > most)
            return false;
        if (x->clears && is_same(x, &start)) {
            s = start;
            break;
        }
    }
    int64_t round = x->firing - s.firing, all = x->firing, every = x->facts->every;
    x->phase = FIT;
    for (int64_t i = 0; i < round && !x->fails; i++)
        fire(x);
    x->phase = CHECK;
    begin(x);
    while (x->firing < all && !x->fails)
        fire(x);
    x->facts->irregular |= every != x->facts->every || (every & (every - 1)) != 0 ||
                           (every != 0 && (round % every != 0 || every > INT32_MAX / x->filter->work->pop.max));
    return !x->fails;
}

// ---- Which arrays go ----

// Items that a site takes are known, unless what it reads them for goes.
static bool settle(const tracer *x, bool *gone)
{
    bool changed = false;
    for (VEC_EACH(window_site *, s, &x->facts->sites)) {
        bool needed = (*s)->into == SIR_NONE || !gone[(*s)->into];
        bool fits = (*s)->seen && !(*s)->unfit;
        if (fits || !needed || (*s)->array == SIR_NONE || !gone[(*s)->array])
            continue;
        gone[(*s)->array] = false;
        changed = true;
    }
    return changed;
}

static bool decide(const tracer *x)
{
    window_facts *w = x->facts;
    bool any = false;
    for (size_t i = 0; i < x->filter->fields.len; i++)
        w->gone[i] = x->now.elements[i] != NULL && !x->unfit[i] && !(w->irregular && w->cleared[i]);
    while (settle(x, w->gone)) {
    }
    for (size_t i = 0; i < x->filter->fields.len; i++)
        any |= w->gone[i];
    for (VEC_EACH(window_site *, s, &w->sites)) {
        bool needed = (*s)->into == SIR_NONE || !w->gone[(*s)->into];
        if (needed && (*s)->array == SIR_NONE && (*s)->unfit)
            return false; // items that are popped or peeked here cannot be peeked
        if (!needed || ((*s)->array != SIR_NONE && !w->gone[(*s)->array]))
            continue;
        w->back = -(*s)->least > w->back ? -(*s)->least : w->back;
        w->ahead = (*s)->most + 1 > w->ahead ? (*s)->most + 1 : w->ahead;
    }
    return any && w->back > 0 && w->back <= MOST_WINDOW;
}

// ---- The pass ----

static void find_array(void *context, sir_stmt *s)
{
    tracer *x = context;
    const sir_expr *root = sir_assigned_root(s);
    if (root == NULL || root->kind != SIR_FIELD || x->now.elements[root->index] != NULL)
        return;
    const sir_type *t = x->filter->fields.data[root->index].type, *item = x->filter->input;
    bool scalar = t == item && !is_int(t); // ints say what the others do
    if (scalar || (t->kind == SIR_ARRAY && t->element == item))
        x->now.elements[root->index] = ARENA_ARRAY(x->a, traced, (scalar ? 1 : t->length) + 1);
}

static bool find_windows(hlc_program *p, sir_filter *f, arena *a)
{
    window_facts w = {.gone = ARENA_ARRAY(a, bool, f->fields.len + 1),
                      .cleared = ARENA_ARRAY(a, bool, f->fields.len + 1),
                      .before = ARENA_ARRAY(a, sir_scalar, MOST_WINDOW + 1)};
    hmap_init(&w.site_of, a);
    hmap_init(&w.given, a);
    tracer x = {.a = a, .filter = f, .facts = &w, .into = SIR_NONE};
    x.now = (state){ARENA_ARRAY(a, traced, f->work->locals.len + 1), ARENA_ARRAY(a, traced, f->fields.len + 1),
                    ARENA_ARRAY(a, traced *, f->fields.len + 1)};
    x.unfit = ARENA_ARRAY(a, bool, f->fields.len + 1);
    sir_visit_stmts(&f->work->body, find_array, &x);
    size_t words = 0, arrays = 0;
    for (size_t i = 0; i < f->fields.len; i++) {
        words += 1 + length_of(&x, i);
        arrays += x.now.elements[i] != NULL;
    }
    if (arrays == 0 || !trace(&x, words) || !decide(&x))
        return false;
    windows_find_needed(p->module, a, f, &w);
    if (w.unfit || (w.stateful && w.back < LEAST_STAYING))
        return false;
    for (size_t i = 0; i < f->fields.len && p->diag->remarks; i++)
        if (w.gone[i])
            diag_remark(p->diag, sir_range(p->module, p->sources, f->fields.data[i].loc),
                        "'%s' of '%s' is a window of the input, which keeps %" PRId64 " items [windows]",
                        f->fields.data[i].name, f->name, w.back);
    windows_fill_channels(p->module, f, w.before + MOST_WINDOW - w.back, w.back);
    windows_rewrite(p->module, a, f, &w);
    sir_filter_derive(p->module, f);
    return true;
}

bool pass_windows(hlc_program *p)
{
    return pass_may_change_more(p) && windows_try_all(p, find_windows);
}
