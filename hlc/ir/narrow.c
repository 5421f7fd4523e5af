// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ints that fit fewer bits: which values the items of channels, constant tables and locals may have, and types for them
// that are stored in 8 or 16 bits.
//
// NOTE(ranges). Bodies are executed with intervals for values. A loop goes round as often as it would, until a trip changes
// nothing; the elements of an array have one interval. Fields and channels have one each for all times, which grow from
// round to round over the program; those that grow for long are given up. What cannot be followed (calls, loops
// without a count) makes a filter opaque: its variables and what it pushes may be any ints.
#include "hlc/ir/narrow.h"

#include <math.h>
#include <string.h>

#include "hlc/ir/type_rules.h"
#include "hlc/ir/walk.h"
#include "support/numbers.h"

// Least and greatest value; of floats, whether NaN may come besides.
typedef struct range {
    double lo, hi;
    bool nan;
} range;

// What a number is wherever it is divided or converted, in the last round; `supposed`: by what a condition around it says.
typedef struct noted_range {
    range x;
    int round;
    bool supposed;
} noted_range;

typedef struct ranges {
    arena *arena;
    sir_module *m;
    uint32_t
        *class; // per channel: another of its class, or itself; channels that one filter reads or writes have one type
    range *channels;          // of a class's items
    bool *pinned;             // classes that stay ints
    hmap of_input, of_output; // by filter, or actor if apart: a channel
    bool apart;               // actors of a filter are looked at one by one
    hmap hulls;               // by address of a local, field or global: what it ever holds
    VEC(range *) copied;      // in pairs: of arrays of which one is copied from the other
    hmap opaque;              // filters
    hmap noted; // by quotient or remainder of ints by a positive constant, or conversion to an int: a noted_range
    int round;
    bool changed;
    // Of the function at hand
    const sir_filter *filter;
    const void *owner; // of the channels: the filter, or the actor
    const sir_function *function;
    range *state;       // per local
    VEC(range *) spare; // states of this function that are not in use
    hmap named;         // by statement, or condition: the locals that it names
    int supposed;       // conditions around
    int64_t steps;
    bool failed;
} ranges;

typedef struct names {
    arena *arena;
    VEC(uint32_t) locals;
} names;

// Steps of one execution of a body, at most and of one in detail; rounds over the program, all and before what grows is
// given up; trips that are looked at one by one.
enum { MOST_STEPS = 50000, MANY_STEPS = 10000, MOST_ROUNDS = 24, WIDEN_ROUND = 6, FEW_TRIPS = 16 };

static const range zero = {0, 0, false}, truth = {0, 1, false}, ints = {INT32_MIN, INT32_MAX, false},
                   reals = {-INFINITY, INFINITY, true};

static range between(double lo, double hi)
{
    return (range){lo, hi, false};
}

static range hull(range a, range b)
{
    return (range){a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi, a.nan || b.nan};
}

static bool same(range a, range b)
{
    return a.lo == b.lo && a.hi == b.hi && a.nan == b.nan;
}

static range int_range(double lo, double hi)
{
    return lo < INT32_MIN || hi > INT32_MAX ? ints : between(lo, hi); // it wraps
}

static const sir_type *innermost(const sir_type *t)
{
    while (t->kind == SIR_ARRAY)
        t = t->element;
    return t;
}

static bool is_int(const sir_type *t)
{
    return sir_is_integer(innermost(t));
}

// What a value of a type may be.
static range any(const sir_type *t)
{
    t = innermost(t);
    return t->kind == SIR_BOOLEAN ? truth : sir_is_integer(t) ? ints : reals;
}

static uint32_t root(ranges *r, uint32_t channel)
{
    while (r->class[channel] != channel)
        channel = r->class[channel] = r->class[r->class[channel]];
    return channel;
}

// ---- What is known ----

// Elements of a constant.
static range value_range(const sir_value *v)
{
    range x = between(INFINITY, -INFINITY);
    const sir_type *t = innermost(v->type);
    if (v->zero || v->data == NULL)
        return zero;
    if (t->kind != SIR_BOOLEAN && t->kind != SIR_FLOAT && !sir_is_integer(t))
        return any(t);
    for (uint64_t i = 0; i < v->type->words; i++) {
        double d = t->kind == SIR_FLOAT ? (double)v->data[i].f : v->data[i].i;
        if (isnan(d))
            return reals;
        x = hull(x, between(d, d));
    }
    return v->type->words == 0 ? zero : x;
}

// The entry of a variable that begins with a value.
static range *hull_of(ranges *r, const void *variable, const sir_value *init)
{
    range *h = hmap_getn(&r->hulls, &variable, sizeof variable);
    if (h == NULL) {
        h = ARENA_NEW(r->arena, range);
        *h = init != NULL ? value_range(init) : zero;
        hmap_setn(&r->hulls, &variable, sizeof variable, h);
    }
    return h;
}

static void grow(ranges *r, range *h, range by, const sir_type *t)
{
    range grown = hull(*h, by);
    if (same(grown, *h))
        return;
    *h = r->round >= WIDEN_ROUND ? any(t) : grown;
    r->changed = true;
}

static range *local_hull(ranges *r, uint32_t local)
{
    return hull_of(r, &r->function->locals.data[local], NULL);
}

static void record(ranges *r, uint32_t local, range by)
{
    range *h = local_hull(r, local);
    *h = hull(*h, by);
}

// ---- States ----

static range *new_state(ranges *r)
{
    return r->spare.len != 0 ? r->spare.data[--r->spare.len]
                             : ARENA_ARRAY(r->arena, range, r->function->locals.len + 1);
}

static void drop_state(ranges *r, range *s)
{
    VEC_PUSH(r->arena, &r->spare, s);
}

// ---- Expressions ----

static range eval(ranges *r, const sir_expr *e);

static double power_above(double x) // 2^k - 1
{
    double p = 1;
    while (p <= x)
        p *= 2;
    return p - 1;
}

static range eval_bits(lang_binary_op op, range a, range b)
{
    if (op == LANG_OP_AND && (a.lo >= 0 || b.lo >= 0))
        return between(0, a.lo < 0 ? b.hi : b.lo < 0 ? a.hi : a.hi < b.hi ? a.hi : b.hi);
    double most = power_above(fmax(fmax(a.hi, b.hi), fmax(-a.lo, -b.lo) - 1));
    if (a.lo >= 0 && b.lo >= 0)
        return between(op == LANG_OP_OR ? fmax(a.lo, b.lo) : 0, most);
    return between(-most - 1, most);
}

static range eval_shift(lang_binary_op op, range a, range n)
{
    if (n.lo < 0 || n.hi > 31)
        return op == LANG_OP_SHL ? ints : between(a.lo < 0 ? a.lo : 0, a.hi < 0 ? -1 : a.hi);
    double least = ldexp(1, (int)n.lo), most = ldexp(1, (int)n.hi);
    if (op == LANG_OP_SHL)
        return int_range(a.lo * (a.lo < 0 ? most : least), a.hi * (a.hi < 0 ? least : most));
    return between(floor(a.lo / (a.lo < 0 ? least : most)), floor(a.hi / (a.hi < 0 ? most : least)));
}

static range eval_ints(lang_binary_op op, range a, range b)
{
    switch (op) {
    case LANG_OP_AND:
    case LANG_OP_OR:
    case LANG_OP_XOR: return eval_bits(op, a, b);
    case LANG_OP_SHL:
    case LANG_OP_SHR: return eval_shift(op, a, b);
    case LANG_OP_REM:
        if (b.lo == b.hi && b.lo > 0)
            return between(a.lo >= 0 ? 0 : fmax(a.lo, 1 - b.lo), a.hi <= 0 ? 0 : fmin(a.hi, b.lo - 1));
        return ints;
    default: break;
    }
    sir_interval i = sir_interval_binary(op, (sir_interval){(int64_t)a.lo, (int64_t)a.hi},
                                         (sir_interval){(int64_t)b.lo, (int64_t)b.hi});
    return int_range((double)i.lo, (double)i.hi);
}

// Of floats: a sum of rounded ends is not past the rounded sum. Products of infinities are left out.
static range eval_floats(lang_binary_op op, range a, range b, const sir_type *t)
{
    range x = reals;
    if (t->kind != SIR_FLOAT || !isfinite(a.lo) || !isfinite(a.hi) || !isfinite(b.lo) || !isfinite(b.hi))
        return reals;
    if (op == LANG_OP_ADD)
        x = between(a.lo + b.lo, a.hi + b.hi);
    else if (op == LANG_OP_SUB)
        x = between(a.lo - b.hi, a.hi - b.lo);
    else if (op == LANG_OP_MUL)
        x = hull(between(fmin(a.lo * b.lo, a.lo * b.hi), fmax(a.lo * b.lo, a.lo * b.hi)),
                 between(fmin(a.hi * b.lo, a.hi * b.hi), fmax(a.hi * b.lo, a.hi * b.hi)));
    return (range){number_as_float(x.lo), number_as_float(x.hi), x.nan || a.nan || b.nan};
}

static range eval_math(ranges *r, const sir_expr *e)
{
    range a = eval(r, e->u.arg[0]), b = lang_math_arity[e->op] == 2 ? eval(r, e->u.arg[1]) : a;
    bool number = e->u.arg[0]->kind == SIR_CONST; // where the first is no NaN the result is between both
    switch ((lang_math_op)e->op) {
    case LANG_MATH_SQRT:
        return e->type->kind == SIR_FLOAT && a.hi >= 0 && isfinite(a.hi)
                   ? (range){-0.0, ceil(sqrt(a.hi)) + 1, a.nan || a.lo < 0}
                   : (range){-0.0, INFINITY, true};
    case LANG_MATH_ABS: return (range){a.lo > 0 ? a.lo : a.hi < 0 ? -a.hi : 0, fmax(-a.lo, a.hi), a.nan};
    case LANG_MATH_MIN: return (range){fmin(a.lo, b.lo), number ? fmin(a.hi, b.hi) : b.hi, b.nan}; // b, if one is NaN
    case LANG_MATH_MAX: return (range){number ? fmax(a.lo, b.lo) : b.lo, fmax(a.hi, b.hi), b.nan};
    case LANG_MATH_FLOOR:
    case LANG_MATH_CEIL:
    case LANG_MATH_RINT: return (range){floor(a.lo), ceil(a.hi), a.nan};
    default: return reals;
    }
}

static void note(ranges *r, const sir_expr *e, range x)
{
    noted_range *all = hmap_getn(&r->noted, &e, sizeof e);
    if (all == NULL) {
        all = ARENA_NEW(r->arena, noted_range);
        hmap_setn(&r->noted, &e, sizeof e, all);
        all->round = r->round - 1;
    }
    if (all->round != r->round)
        *all = (noted_range){x, r->round, false};
    all->x = hull(all->x, x);
    all->supposed |= r->supposed != 0;
}

static range eval_convert(ranges *r, const sir_expr *e)
{
    const sir_type *from = e->u.arg[0]->type;
    range a = eval(r, e->u.arg[0]);
    bool float_from = from->kind == SIR_FLOAT || from->kind == SIR_DOUBLE;
    if (!float_from && !sir_is_integer(from) && from->kind != SIR_BOOLEAN)
        return any(e->type);
    if (sir_is_integer(e->type) && float_from) { // saturates; NaN gives 0
        note(r, e, a);
        return hull(zero, between(fmin(fmax(trunc(a.lo), INT32_MIN), INT32_MAX),
                                  fmin(fmax(trunc(a.hi), INT32_MIN), INT32_MAX)));
    }
    if (e->type->kind == SIR_FLOAT)
        return (range){number_as_float(a.lo), number_as_float(a.hi), a.nan};
    return e->type->kind == SIR_COMPLEX ? reals : a;
}

// An element of a table whose subscripts are known; NULL: they are not.
static const sir_scalar *element(ranges *r, const sir_value *table, const sir_expr *e, uint64_t *at)
{
    if (e->kind != SIR_INDEX)
        return table->data;
    const sir_scalar *base = element(r, table, e->u.arg[0], at);
    range i = eval(r, e->u.arg[1]);
    if (base == NULL || i.lo != i.hi || i.lo < 0 || i.lo >= e->u.arg[0]->type->length)
        return NULL;
    *at += (uint64_t)i.lo * e->type->words;
    return base;
}

static range eval_table(ranges *r, const sir_value *table, const sir_expr *e, const void *variable)
{
    uint64_t at = 0;
    const sir_scalar *data =
        table->zero || !is_int(table->type) || e->type->kind == SIR_ARRAY ? NULL : element(r, table, e, &at);
    return data == NULL ? *hull_of(r, variable, table) : between(data[at].i, data[at].i);
}

static range eval_place(ranges *r, const sir_expr *e)
{
    const sir_expr *base = e;
    for (; base->kind == SIR_INDEX; base = base->u.arg[0])
        ;
    if (innermost(e->type)->kind == SIR_STRUCT || innermost(base->type)->kind == SIR_STRUCT)
        return any(e->type);
    if (base->kind == SIR_LOCAL)
        return r->state[base->index];
    if (base->kind == SIR_FIELD) {
        const sir_field *f = &r->filter->fields.data[base->index];
        return f->constant ? eval_table(r, &f->init, e, f) : *hull_of(r, f, &f->init);
    }
    if (base->kind == SIR_GLOBAL)
        return eval_table(r, &r->m->globals.data[base->index].value, e, &r->m->globals.data[base->index]);
    return any(e->type); // of members and items
}

static range item_range(ranges *r)
{
    const sir_type *t = r->filter->input;
    uint32_t *channel = hmap_getn(&r->of_input, &r->owner, sizeof r->owner);
    if (t->kind == SIR_BIT)
        return r->m->byte_bits ? truth : ints;
    return t->kind == SIR_INT && channel != NULL ? r->channels[root(r, *channel)] : any(t);
}

// A condition that holds, or that does not, says something of locals.
static void suppose(ranges *r, const sir_expr *e, bool holds)
{
    if (e->kind == SIR_UNARY && e->op == LANG_OP_NOT) {
        suppose(r, e->u.arg[0], !holds);
        return;
    }
    if (e->kind != SIR_BINARY)
        return;
    if (e->op == (holds ? LANG_OP_LAND : LANG_OP_LOR)) {
        suppose(r, e->u.arg[0], holds);
        suppose(r, e->u.arg[1], holds);
        return;
    }
    for (int side = 0; side < 2; side++) {
        const sir_expr *x = e->u.arg[side], *y = e->u.arg[1 - side];
        if (x->kind != SIR_LOCAL || x->type->kind != SIR_INT || y->type->kind != SIR_INT)
            continue;
        range *a = &r->state[x->index], b = eval(r, y), was = *a;
        bool less = e->op == LANG_OP_LT || e->op == LANG_OP_LE, more = e->op == LANG_OP_GT || e->op == LANG_OP_GE;
        bool equal = e->op == LANG_OP_LE || e->op == LANG_OP_GE;
        if (!less && !more) {
            if (e->op == (holds ? LANG_OP_EQ : LANG_OP_NE))
                *a = between(fmax(a->lo, b.lo), fmin(a->hi, b.hi));
        } else {
            if (side == 1) { // y < x is x > y
                bool swap = less;
                less = more;
                more = swap;
            }
            bool below = holds ? less : more;
            double gap = equal == holds ? 0 : 1;
            if (below)
                a->hi = fmin(a->hi, b.hi - gap);
            else
                a->lo = fmax(a->lo, b.lo + gap);
        }
        if (a->lo > a->hi) // it is never so
            *a = was;
    }
}

static void name_in_expr(void *context, sir_expr *e, bool written)
{
    names *n = context;
    (void)written;
    if (e->kind == SIR_LOCAL)
        VEC_PUSH(n->arena, &n->locals, e->index);
}

static void remember(const ranges *r, range *before, const names *named)
{
    for (VEC_EACH(const uint32_t, k, &named->locals))
        before[*k] = r->state[*k];
}

static void restore(ranges *r, const range *before, const names *named)
{
    for (VEC_EACH(const uint32_t, k, &named->locals))
        r->state[*k] = before[*k];
}

// The locals that a condition names: it says something of no others.
static const names *named_in_condition(ranges *r, sir_expr *e)
{
    names *n = hmap_getn(&r->named, &e, sizeof e);
    if (n == NULL) {
        n = ARENA_NEW(r->arena, names);
        n->arena = r->arena;
        sir_visit_tree(e, false, name_in_expr, n);
        hmap_setn(&r->named, &e, sizeof e, n);
    }
    return n;
}

static bool is_chosen(const sir_expr *e) // the lesser or the greater of two ints
{
    const sir_expr *k = e->u.arg[0];
    return k->kind == SIR_BINARY && k->op >= LANG_OP_LT && k->op <= LANG_OP_GE && k->u.arg[0]->type->kind == SIR_INT &&
           sir_same_expr(k->u.arg[0], e->u.arg[1], false) && sir_same_expr(k->u.arg[1], e->u.arg[2], false);
}

// Such a choice from x is not beyond the ends of either int.
static range of_both(ranges *r, const sir_expr *e, range x)
{
    range a = eval(r, e->u.arg[1]), b = eval(r, e->u.arg[2]);
    if (e->u.arg[0]->op == LANG_OP_LT || e->u.arg[0]->op == LANG_OP_LE)
        return between(x.lo, fmin(x.hi, fmin(a.hi, b.hi)));
    return between(fmax(x.lo, fmax(a.lo, b.lo)), x.hi);
}

static range eval_select(ranges *r, const sir_expr *e)
{
    const names *named = named_in_condition(r, e->u.arg[0]);
    range *before = new_state(r), branch[2];
    remember(r, before, named);
    r->supposed++;
    for (int i = 0; i < 2; i++) {
        suppose(r, e->u.arg[0], i == 0);
        branch[i] = eval(r, e->u.arg[1 + i]);
        restore(r, before, named);
    }
    r->supposed--;
    drop_state(r, before);
    range x = hull(branch[0], branch[1]);
    return is_chosen(e) ? of_both(r, e, x) : x;
}

static bool is_opaque(const ranges *r, const sir_filter *f);

// NOTE(divided). A number that is not below zero is divided without a look at its sign, and one that is less than twice the divisor,
// such as a place that goes round, leaves what it is or what a difference is.
static void note_divided(ranges *r, const sir_expr *e, range x)
{
    const sir_expr *by = e->u.arg[1];
    if ((e->op == LANG_OP_DIV || e->op == LANG_OP_REM) && by->kind == SIR_CONST && by->u.value.i > 0)
        note(r, e, x);
}

// NOTE(fits). A float that is an int's size, and no NaN, is converted without a look at that; the size of an int's difference that goes
// by way of a float (abs gives floats) is that of the int, as long as a float tells all ints apart; and the int itself is itself.
static sir_known known_of_conversion(const sir_expr *e, const noted_range *n)
{
    const sir_expr *from = e->u.arg[0];
    const range *x = &n->x;
    if (x->nan || x->lo < INT32_MIN || x->hi >= -(double)INT32_MIN)
        return SIR_KNOWN_NOTHING;
    if (from->kind == SIR_MATH && from->op == LANG_MATH_ABS && from->u.arg[0]->kind == SIR_CONVERT &&
        from->u.arg[0]->u.arg[0]->type->kind == SIR_INT && x->hi <= NUMBER_FLOAT_INTS)
        return SIR_KNOWN_SIZE;
    if (from->kind == SIR_CONVERT && from->type->kind == SIR_FLOAT && from->u.arg[0]->type->kind == SIR_INT &&
        x->lo >= -NUMBER_FLOAT_INTS && x->hi <= NUMBER_FLOAT_INTS)
        return SIR_KNOWN_SAME;
    return n->supposed ? SIR_KNOWN_FITS_HERE : SIR_KNOWN_FITS;
}

static void forget_known(void *context, sir_expr *e, bool written)
{
    (void)context;
    (void)written;
    e->known = SIR_KNOWN_NOTHING;
}

static void forget_noted(void *context, sir_stmt *s)
{
    sir_visit_exprs(s, forget_known, context);
}

static void forget_function(const sir_function *f)
{
    if (f != NULL)
        sir_visit_stmts(&f->body, forget_noted, NULL);
}

// What was not followed to its end may divide or convert other numbers than were seen.
static void tell_noted(const ranges *r)
{
    for (size_t i = 0; i < r->noted.len; i++) {
        const noted_range *n = r->noted.entries[i].value;
        if (n->round != r->round)
            continue;
        sir_expr *e;
        memcpy(&e, r->noted.entries[i].key, sizeof e);
        if (e->kind == SIR_CONVERT)
            e->known = (uint8_t)known_of_conversion(e, n);
        else if (n->x.lo >= 0)
            e->known =
                e->op == LANG_OP_REM && n->x.hi < 2 * (double)e->u.arg[1]->u.value.i ? SIR_KNOWN_ONCE : SIR_KNOWN_UP;
    }
    for (VEC_EACH(sir_filter *const, f, &r->m->filters)) {
        for (VEC_EACH(sir_function *const, g, &(*f)->functions))
            forget_function(*g);
        if (!is_opaque(r, *f))
            continue;
        forget_function((*f)->work);
        forget_function((*f)->prework);
    }
    for (VEC_EACH(sir_function *const, g, &r->m->functions))
        forget_function(*g);
}

static range eval(ranges *r, const sir_expr *e)
{
    range a;
    r->steps++;
    switch ((sir_expr_kind)e->kind) {
    case SIR_CONST: {
        sir_scalar value = e->u.value;
        return value_range(&(sir_value){.type = e->type, .data = &value});
    }
    case SIR_LOCAL:
    case SIR_FIELD:
    case SIR_GLOBAL:
    case SIR_INDEX: return eval_place(r, e);
    case SIR_PEEK: return item_range(r);
    case SIR_UNARY:
        a = eval(r, e->u.arg[0]);
        if (e->type->kind == SIR_BOOLEAN)
            return truth;
        if (!sir_is_integer(e->type))
            return e->op == LANG_OP_NEG && e->type->kind != SIR_COMPLEX ? (range){-a.hi, -a.lo, a.nan} : reals;
        return e->op == LANG_OP_NEG ? int_range(-a.hi, -a.lo) : int_range(-a.hi - 1, -a.lo - 1);
    case SIR_BINARY:
        if (sir_is_integer(e->type)) {
            a = eval(r, e->u.arg[0]);
            note_divided(r, e, a);
            return eval_ints((lang_binary_op)e->op, a, eval(r, e->u.arg[1]));
        }
        if (e->type->kind == SIR_BOOLEAN)
            return truth;
        return eval_floats((lang_binary_op)e->op, eval(r, e->u.arg[0]), eval(r, e->u.arg[1]), e->type);
    case SIR_SELECT: return eval_select(r, e);
    case SIR_CONVERT: return eval_convert(r, e);
    case SIR_MATH: return eval_math(r, e);
    case SIR_MEMBER:
    case SIR_ITER:
    case SIR_MAKE_COMPLEX:
    case SIR_FETCH: break;
    }
    return any(e->type);
}

// ---- Statements ----

// Whether its own variables are, if it is not opaque: other functions take them for what they are.
static bool is_narrowed(const sir_filter *f)
{
    return f->functions.len == 0;
}

// Of a variable that may be narrowed; NULL: an item, a state, part of a struct.
static range *narrow_hull(ranges *r, const sir_expr *e)
{
    for (; e->kind == SIR_INDEX; e = e->u.arg[0])
        ;
    if (e->kind != SIR_GLOBAL && !is_narrowed(r->filter))
        return NULL;
    if (e->kind == SIR_LOCAL)
        return local_hull(r, e->index);
    if (e->kind == SIR_GLOBAL)
        return hull_of(r, &r->m->globals.data[e->index], &r->m->globals.data[e->index].value);
    const sir_field *f = e->kind == SIR_FIELD ? &r->filter->fields.data[e->index] : NULL;
    return f != NULL && f->constant ? hull_of(r, f, &f->init) : NULL;
}

// Whole arrays are copied as they lie, so that both are stored alike.
static void share(ranges *r, const sir_expr *a, const sir_expr *b)
{
    range *h[] = {narrow_hull(r, a), narrow_hull(r, b)};
    range all = h[0] == NULL || h[1] == NULL ? ints : hull(*h[0], *h[1]);
    for (int i = 0; i < 2; i++)
        if (h[i] != NULL)
            grow(r, h[i], all, r->m->scalar[SIR_INT]);
    if (h[0] == NULL || h[1] == NULL)
        return;
    VEC_PUSH(r->arena, &r->copied, h[0]);
    VEC_PUSH(r->arena, &r->copied, h[1]);
}

// An element that is assigned behind the copy may have made one of them wider since.
static void share_again(ranges *r)
{
    for (bool again = true; again;) {
        again = false;
        for (size_t i = 0; i < r->copied.len; i += 2) {
            range *a = r->copied.data[i], *b = r->copied.data[i + 1], all = hull(*a, *b);
            again = again || !same(*a, *b);
            *a = *b = all;
        }
    }
}

static void assign(ranges *r, const sir_expr *target, range value)
{
    const sir_expr *base = target;
    bool member = false;
    for (; base->kind == SIR_INDEX || base->kind == SIR_MEMBER; base = base->u.arg[0])
        member |= base->kind == SIR_MEMBER;
    if (member)
        return; // structs and complexes may be anything
    if (base->kind == SIR_LOCAL) {
        range *s = &r->state[base->index];
        *s = target->kind == SIR_INDEX ? hull(*s, value) : value;
        record(r, base->index, *s);
    } else if (base->kind == SIR_FIELD) {
        const sir_field *f = &r->filter->fields.data[base->index];
        grow(r, hull_of(r, f, &f->init), value, f->type);
    }
}

static void block(ranges *r, const sir_block *b);

static void set(ranges *r, const sir_stmt *s)
{
    const sir_type *t = s->u.set.target->type;
    if (t->kind == SIR_ARRAY && is_int(t))
        share(r, s->u.set.target, s->u.set.value);
    assign(r, s->u.set.target, t->kind == SIR_STRUCT ? any(t) : eval(r, s->u.set.value));
}

static void decl(ranges *r, const sir_stmt *s)
{
    const sir_local *l = &r->function->locals.data[s->u.decl.local];
    range value = innermost(l->type)->kind == SIR_STRUCT ? any(l->type) : zero;
    if (s->u.decl.init != NULL) {
        sir_expr self = {.kind = SIR_LOCAL, .index = s->u.decl.local, .type = l->type};
        if (l->type->kind == SIR_ARRAY && is_int(l->type))
            share(r, &self, s->u.decl.init);
        if (l->type->kind != SIR_STRUCT)
            value = eval(r, s->u.decl.init);
    }
    r->state[s->u.decl.local] = value;
    record(r, s->u.decl.local, value);
}

static void push(ranges *r, const sir_stmt *s)
{
    uint32_t *channel = hmap_getn(&r->of_output, &r->owner, sizeof r->owner);
    if (r->filter->output->kind != SIR_INT || channel == NULL) {
        if (s->u.value->type->kind == SIR_ARRAY && is_int(s->u.value->type)) // copied as it lies
            share(r, s->u.value, &(sir_expr){.kind = SIR_PEEK});
        return;
    }
    range value = eval(r, s->u.value);
    grow(r, &r->channels[root(r, *channel)], value, r->filter->output);
}

static void pop(ranges *r, const sir_stmt *s)
{
    const sir_expr *target = s->u.set.target;
    if (target == NULL)
        return;
    if (target->type->kind == SIR_ARRAY && is_int(target->type))
        share(r, target, &(sir_expr){.kind = SIR_PEEK});
    assign(r, target, is_int(target->type) ? item_range(r) : any(target->type));
}

static void random_(ranges *r, const sir_stmt *s)
{
    if (s->u.set.target != NULL)
        assign(r, s->u.set.target, any(s->u.set.target->type));
}

static void name_in_stmt(void *context, sir_stmt *s)
{
    names *n = context;
    if (s->kind == SIR_DECL)
        VEC_PUSH(n->arena, &n->locals, s->u.decl.local);
    if (s->kind == SIR_FOR)
        VEC_PUSH(n->arena, &n->locals, s->u.for_.local);
    sir_visit_exprs(s, name_in_expr, context);
}

// The locals that a loop or a condition names, some more than once: it changes no others.
static const names *named_in(ranges *r, const sir_stmt *s)
{
    names *n = hmap_getn(&r->named, &s, sizeof s);
    if (n != NULL)
        return n;
    n = ARENA_NEW(r->arena, names);
    n->arena = r->arena;
    sir_stmt *one = (sir_stmt *)(uintptr_t)s;
    sir_visit_stmts(&(sir_block){.data = &one, .len = 1}, name_in_stmt, n);
    hmap_setn(&r->named, &s, sizeof s, n);
    return n;
}

static void if_(ranges *r, const sir_stmt *s)
{
    const names *named = named_in(r, s);
    range *before = new_state(r), *then = new_state(r);
    remember(r, before, named);
    r->supposed++;
    suppose(r, s->u.if_.cond, true);
    block(r, &s->u.if_.then);
    remember(r, then, named);
    restore(r, before, named);
    suppose(r, s->u.if_.cond, false);
    block(r, &s->u.if_.otherwise);
    for (VEC_EACH(const uint32_t, k, &named->locals))
        r->state[*k] = hull(then[*k], r->state[*k]);
    r->supposed--;
    drop_state(r, before);
    drop_state(r, then);
}

static bool is_as_before(const ranges *r, const range *before, const names *named)
{
    bool equal = true;
    for (VEC_EACH(const uint32_t, k, &named->locals))
        equal = equal && same(before[*k], r->state[*k]);
    return equal;
}

static void for_(ranges *r, const sir_stmt *s)
{
    const names *named = NULL;
    range lo = eval(r, s->u.for_.lo), hi = eval(r, s->u.for_.hi), *before = NULL;
    int32_t step = s->u.for_.step;
    double least = step > 0 ? hi.lo - lo.hi : lo.lo - hi.hi, most = step > 0 ? hi.hi - lo.lo : lo.hi - hi.lo;
    range counter = step > 0 ? between(lo.lo, fmax(lo.lo, hi.hi - 1)) : between(fmin(hi.lo + 1, lo.hi), lo.hi);
    double size = step > 0 ? step : -(double)step, at_least = ceil(least / size), trips = ceil(most / size);
    bool one_by_one = lo.lo == lo.hi && trips <= FEW_TRIPS && r->steps < MANY_STEPS;
    for (double i = 0; i < trips && !r->failed; i++) {
        bool may_end = i >= at_least; // it may have ended before
        double now = lo.lo + i * step;
        range *counts = &r->state[s->u.for_.local], outside = *counts;
        if (before == NULL && (may_end || !one_by_one)) { // states are large, and trips many: only where it is needed
            named = named_in(r, s);
            before = new_state(r);
        }
        if (before != NULL)
            remember(r, before, named);
        *counts = one_by_one ? between(now, now) : counter;
        block(r, &s->u.for_.body);
        r->state[s->u.for_.local] = outside;
        if (may_end)
            for (VEC_EACH(const uint32_t, k, &named->locals))
                r->state[*k] = hull(r->state[*k], before[*k]);
        if (!one_by_one && is_as_before(r, before, named))
            break;
    }
    if (before != NULL)
        drop_state(r, before);
}

static void statement(ranges *r, const sir_stmt *s)
{
    switch ((sir_stmt_kind)s->kind) {
    case SIR_DECL: decl(r, s); return;
    case SIR_SET: set(r, s); return;
    case SIR_POP: pop(r, s); return;
    case SIR_PUSH: push(r, s); return;
    case SIR_IF: if_(r, s); return;
    case SIR_FOR: for_(r, s); return;
    case SIR_BLOCK: block(r, &s->u.block); return;
    case SIR_RANDOM: random_(r, s); return;
    case SIR_PRINT:
    case SIR_SEND: return;
    case SIR_CALL:
    case SIR_LOOP:
    case SIR_BREAK:
    case SIR_CONTINUE:
    case SIR_RETURN: r->failed = true; return;
    }
}

static void block(ranges *r, const sir_block *b)
{
    for (size_t i = 0; i < b->len && !r->failed; i++) {
        r->failed = ++r->steps > MOST_STEPS;
        if (b->data[i] != NULL && !r->failed)
            statement(r, b->data[i]);
    }
}

// ---- The program ----

static bool is_opaque(const ranges *r, const sir_filter *f)
{
    return hmap_getn(&r->opaque, &f, sizeof f) != NULL;
}

static void pin_global(void *context, sir_expr *e, bool written)
{
    ranges *r = context;
    (void)written;
    if (e->kind == SIR_GLOBAL)
        *hull_of(r, &r->m->globals.data[e->index], NULL) = ints;
}

static void pin_globals(void *context, sir_stmt *s)
{
    sir_visit_exprs(s, pin_global, context);
}

// Anything may be in its variables, and come out of it; tables stay what its functions take them for.
static void give_up(ranges *r, sir_filter *f)
{
    if (is_opaque(r, f))
        return;
    hmap_setn(&r->opaque, &f, sizeof f, r);
    r->changed = true;
    for (VEC_EACH(sir_actor *const, a, &r->m->actors))
        if ((*a)->filter == f && (*a)->outputs.len != 0)
            r->channels[root(r, (*a)->outputs.data[0])] = ints;
    sir_function *fixed[] = {f->work, f->prework};
    for (int i = 0; i < 2; i++)
        if (fixed[i] != NULL)
            sir_visit_stmts(&fixed[i]->body, pin_globals, r);
    for (VEC_EACH(sir_function *, g, &f->functions))
        sir_visit_stmts(&(*g)->body, pin_globals, r);
    for (VEC_EACH(sir_function *, g, &f->handlers))
        sir_visit_stmts(&(*g)->body, pin_globals, r);
    for (VEC_EACH(const sir_field, field, &f->fields))
        if (!field->constant)
            *hull_of(r, field, &field->init) = any(field->type);
}

static void function(ranges *r, sir_filter *filter, const void *owner, const sir_function *f)
{
    if (f == NULL || is_opaque(r, filter))
        return;
    r->filter = filter;
    r->owner = owner;
    r->function = f;
    r->steps = 0;
    r->failed = false;
    r->spare.len = 0;
    r->spare.data = NULL;
    r->spare.cap = 0;
    r->state = ARENA_ARRAY(r->arena, range, f->locals.len + 1);
    memset(r->state, 0, (f->locals.len + 1) * sizeof *r->state);
    block(r, &f->body);
    if (r->failed)
        give_up(r, filter);
}

static void unite(ranges *r, uint32_t a, uint32_t b)
{
    a = root(r, a);
    b = root(r, b);
    r->class[a] = b;
    r->pinned[b] |= r->pinned[a];
}

static void unite_with(ranges *r, hmap *channels, const void *owner, uint32_t channel)
{
    uint32_t *known = hmap_getn(channels, &owner, sizeof owner);
    if (known != NULL) {
        unite(r, *known, channel);
        return;
    }
    known = ARENA_NEW(r->arena, uint32_t);
    *known = channel;
    hmap_setn(channels, &owner, sizeof owner, known);
}

// Which channels have one type, and which stay ints: files, and what `keep` says of actors.
static void find_classes(ranges *r, const bool *keep)
{
    const sir_module *m = r->m;
    for (uint32_t i = 0; i < m->channels.len; i++) {
        const sir_channel *c = &m->channels.data[i];
        const uint32_t ends[] = {c->producer, c->consumer};
        r->class[i] = i;
        r->pinned[i] = c->type->kind != SIR_INT;
        for (int k = 0; k < 2; k++)
            r->pinned[i] |= keep[ends[k]] || sir_is_file(m->actors.data[ends[k]]);
    }
    for (uint32_t i = 0; i < m->channels.len; i++) {
        const sir_channel *c = &m->channels.data[i];
        const uint32_t ends[] = {c->consumer, c->producer};
        for (int k = 0; k < 2; k++) {
            const sir_actor *a = m->actors.data[ends[k]];
            if (a->kind == SIR_FILTER)
                unite_with(r, k == 0 ? &r->of_input : &r->of_output, r->apart ? (const void *)a : a->filter, i);
            else if (a->kind == SIR_SPLIT || a->kind == SIR_JOIN)
                unite(r, i, a->kind == SIR_SPLIT ? a->inputs.data[0] : a->outputs.data[0]);
        }
    }
    for (VEC_EACH(sir_actor *const, a, &m->actors))
        if ((*a)->kind == SIR_FILTER && (*a)->filter->identity) // its items are copied, or stay where they are
            unite(r, (*a)->inputs.data[0], (*a)->outputs.data[0]);
    for (uint32_t i = 0; i < m->channels.len; i++) {
        const sir_channel *c = &m->channels.data[i];
        range *items = &r->channels[root(r, i)];
        if (m->actors.data[c->producer]->kind == SIR_READER)
            *items = c->type->storage == SIR_STORED_UINT8 ? between(0, UINT8_MAX) : any(c->type);
        for (VEC_EACH(const sir_value, v, &c->initial))
            *items = hull(*items, value_range(v));
    }
}

static bool run(ranges *r)
{
    for (VEC_EACH(sir_function *, g, &r->m->functions)) // of helper blocks, which any filter may call
        sir_visit_stmts(&(*g)->body, pin_globals, r);
    for (VEC_EACH(sir_filter *, f, &r->m->filters))
        if ((*f)->handlers.len != 0 || (*f)->work == NULL)
            give_up(r, *f);
        else // those that are called make it opaque
            for (VEC_EACH(sir_function *, g, &(*f)->functions))
                sir_visit_stmts(&(*g)->body, pin_globals, r);
    for (r->round = 0; r->round < MOST_ROUNDS; r->round++) {
        r->changed = false;
        for (VEC_EACH(sir_filter *, f, &r->m->filters))
            if (!r->apart) {
                function(r, *f, *f, (*f)->prework);
                function(r, *f, *f, (*f)->work);
            }
        for (VEC_EACH(sir_actor *const, a, &r->m->actors))
            if (r->apart && (*a)->kind == SIR_FILTER) {
                function(r, (*a)->filter, *a, (*a)->filter->prework);
                function(r, (*a)->filter, *a, (*a)->filter->work);
            }
        if (!r->changed)
            return true;
    }
    return false;
}

// ---- Types ----

static sir_storage storage_for(range x)
{
    if (x.lo >= 0 && x.hi <= UINT8_MAX)
        return SIR_STORED_UINT8;
    if (x.lo >= INT8_MIN && x.hi <= INT8_MAX)
        return SIR_STORED_INT8;
    return x.lo >= INT16_MIN && x.hi <= INT16_MAX ? SIR_STORED_INT16 : SIR_STORED_WHOLE;
}

// The type with its ints stored so.
static const sir_type *stored(sir_module *m, const sir_type *t, range x)
{
    if (t->kind == SIR_ARRAY)
        return sir_type_array(m, stored(m, t->element, x), t->length);
    sir_storage storage = t->kind == SIR_INT ? storage_for(x) : SIR_STORED_WHOLE;
    m->narrow |= storage != SIR_STORED_WHOLE;
    return t->kind == SIR_INT ? sir_type_stored(m, storage) : t;
}

static size_t narrow_channels(ranges *r)
{
    sir_module *m = r->m;
    size_t count = 0;
    for (uint32_t i = 0; i < m->channels.len; i++) {
        sir_channel *c = &m->channels.data[i];
        uint32_t class = root(r, i);
        if (r->pinned[class])
            continue;
        const sir_type *t = stored(m, c->type, r->channels[class]);
        count += t != c->type;
        c->type = t;
        for (VEC_EACH(sir_value, v, &c->initial))
            v->type = t;
        sir_actor *from = m->actors.data[c->producer], *to = m->actors.data[c->consumer];
        if (from->kind == SIR_FILTER)
            from->filter->output = t;
        else
            from->item = t;
        if (to->kind == SIR_FILTER)
            to->filter->input = t;
        else
            to->item = t;
    }
    return count;
}

// Tables that only tell of constants, and arrays of a firing.
static void narrow_arrays(ranges *r, sir_function *f)
{
    for (size_t i = 0; i < f->locals.len; i++) {
        sir_local *l = &f->locals.data[i];
        if (l->type->kind == SIR_ARRAY && !l->by_reference)
            l->type = stored(r->m, l->type, *hull_of(r, l, NULL));
    }
}

// What a loop without loops inside computes from elements that are stored in few bits needs few bits as well, or the C
// compiler makes vectors of ints of them.
typedef struct inner_loop {
    ranges *r;
    sir_function *f;
    bool inner, narrow;
    VEC(uint32_t) own; // declared inside
} inner_loop;

static void look_for_narrow(void *context, sir_expr *e, bool written)
{
    inner_loop *l = context;
    const sir_expr *root = sir_lvalue_root(e);
    (void)written;
    if (e->kind == SIR_INDEX && root != NULL && root->kind == SIR_LOCAL)
        l->narrow |= innermost(l->f->locals.data[root->index].type)->storage != SIR_STORED_WHOLE;
}

static void look_inside(void *context, sir_stmt *s)
{
    inner_loop *l = context;
    sir_visit_exprs(s, look_for_narrow, l);
    l->inner |= s->kind == SIR_FOR || s->kind == SIR_LOOP;
    if (s->kind == SIR_DECL)
        VEC_PUSH(l->r->arena, &l->own, s->u.decl.local);
}

static void narrow_loop(void *context, sir_stmt *s)
{
    inner_loop l = *(inner_loop *)context;
    if (s->kind != SIR_FOR)
        return;
    sir_visit_stmts(&s->u.for_.body, look_inside, &l);
    for (size_t i = 0; !l.inner && l.narrow && i < l.own.len; i++) {
        sir_local *own = &l.f->locals.data[l.own.data[i]];
        if (own->type->kind == SIR_INT)
            own->type = stored(l.r->m, own->type, *hull_of(l.r, own, NULL));
    }
}

// So does a firing without loops that takes and gives items of few bits: the C compiler makes vectors of the loop over firings.
static bool is_few(const ranges *r, const sir_type *t)
{
    return t->kind == SIR_BIT ? r->m->byte_bits : t->kind == SIR_INT && t->storage != SIR_STORED_WHOLE;
}

static void look_for_loop(void *context, sir_stmt *s)
{
    bool *found = context;
    *found |= s->kind == SIR_FOR || s->kind == SIR_LOOP;
}

static void narrow_firing(ranges *r, const sir_filter *filter, sir_function *f)
{
    bool loops = false, fit = true;
    sir_visit_stmts(&f->body, look_for_loop, &loops);
    if (loops || !is_few(r, filter->input) || !is_few(r, filter->output))
        return;
    for (VEC_EACH(const sir_local, l, &f->locals))
        fit &= l->type->kind != SIR_INT || storage_for(*hull_of(r, l, NULL)) != SIR_STORED_WHOLE;
    for (size_t i = 0; fit && i < f->locals.len; i++) {
        sir_local *l = &f->locals.data[i];
        if (l->type->kind == SIR_INT)
            l->type = stored(r->m, l->type, *hull_of(r, l, NULL));
    }
}

static void narrow_locals(ranges *r, const sir_filter *filter, sir_function *f)
{
    inner_loop l = {.r = r, .f = f};
    if (f == NULL)
        return;
    narrow_arrays(r, f);
    sir_visit_stmts(&f->body, narrow_loop, &l);
    narrow_firing(r, filter, f);
}

static void narrow_variables(ranges *r)
{
    for (VEC_EACH(sir_global, g, &r->m->globals))
        if (g->value.type->kind == SIR_ARRAY && is_int(g->value.type))
            g->value.type = stored(r->m, g->value.type, *hull_of(r, g, &g->value));
    for (VEC_EACH(sir_filter *, f, &r->m->filters)) {
        if (is_opaque(r, *f) || !is_narrowed(*f))
            continue;
        for (VEC_EACH(sir_field, field, &(*f)->fields)) {
            if (!field->constant || field->type->kind != SIR_ARRAY)
                continue;
            field->type = stored(r->m, field->type, *hull_of(r, field, &field->init));
            field->init.type = field->type;
        }
        narrow_locals(r, *f, (*f)->work);
        narrow_locals(r, *f, (*f)->prework);
    }
}

static ranges begin(arena *scratch, sir_module *m, const bool *keep, bool apart)
{
    ranges r = {.arena = scratch, .m = m, .apart = apart};
    size_t n = m->channels.len + 1;
    r.class = ARENA_ARRAY(scratch, uint32_t, n);
    r.channels = ARENA_ARRAY(scratch, range, n);
    r.pinned = ARENA_ARRAY(scratch, bool, n);
    hmap_init(&r.of_input, scratch);
    hmap_init(&r.of_output, scratch);
    hmap_init(&r.hulls, scratch);
    hmap_init(&r.opaque, scratch);
    hmap_init(&r.noted, scratch);
    hmap_init(&r.named, scratch);
    find_classes(&r, keep);
    return r;
}

size_t sir_find_narrow(sir_module *m, const bool *keep)
{
    if (!m->canonical || sir_is_finite(m))
        return 0;
    arena *scratch = arena_create();
    size_t count = 0;
    ranges r = begin(scratch, m, keep, false);
    m->narrow = false;
    if (run(&r)) {
        share_again(&r);
        tell_noted(&r);
        count = narrow_channels(&r);
        narrow_variables(&r);
    }
    arena_destroy(scratch);
    return count;
}

// How an actor's channel would be stored, as a letter.
static char letter(ranges *r, uint32_t channel)
{
    uint32_t class = root(r, channel);
    return r->m->channels.data[channel].type->kind != SIR_INT || r->pinned[class]
               ? 'i'
               : (char)('a' + (int)storage_for(r->channels[class]));
}

// Actors of one filter at most, and of all, that are looked at apart: each is executed in every round.
enum { APART_ACTORS = 2000 };

// The filter as the actors have it whose channels would be stored so; the first ones keep the filter itself.
static void split(ranges *r, hmap *kinds, sir_actor *a, sir_filter *(*copy)(sir_module *m, const sir_filter *f))
{
    sir_filter *f = a->filter;
    const char *kind =
        arena_printf(r->arena, "%p %c%c", (void *)f, letter(r, a->inputs.data[0]), letter(r, a->outputs.data[0]));
    sir_filter *own = hmap_get(kinds, kind);
    if (own == NULL) {
        const char *seen = arena_printf(r->arena, "%p", (void *)f);
        own = hmap_get(kinds, seen) == NULL ? f : copy(r->m, f);
        hmap_set(kinds, seen, f);
        hmap_set(kinds, kind, own);
    }
    a->filter = own;
}

void sir_split_narrow(sir_module *m, const bool *keep, sir_filter *(*copy)(sir_module *m, const sir_filter *f))
{
    if (!m->canonical || sir_is_finite(m) || m->actors.len > APART_ACTORS)
        return;
    arena *scratch = arena_create();
    ranges r = begin(scratch, m, keep, true);
    hmap kinds;
    hmap_init(&kinds, scratch);
    if (run(&r))
        for (VEC_EACH(sir_actor *const, a, &m->actors))
            if ((*a)->kind == SIR_FILTER && !is_opaque(&r, (*a)->filter) && (*a)->inputs.len != 0 &&
                (*a)->outputs.len != 0)
                split(&r, &kinds, *a, copy);
    arena_destroy(scratch);
}

bool sir_find_item_ranges(sir_module *m, sir_interval *items)
{
    arena *scratch = arena_create();
    const bool *keep = ARENA_ARRAY(scratch, bool, m->actors.len + 1);
    ranges r = begin(scratch, m, keep, false);
    bool found = run(&r);
    for (uint32_t i = 0; i < m->channels.len; i++) {
        range x = m->channels.data[i].type->kind == SIR_INT && found ? r.channels[root(&r, i)] : ints;
        items[i] = (sir_interval){(int64_t)x.lo, (int64_t)x.hi};
    }
    arena_destroy(scratch);
    return found;
}
