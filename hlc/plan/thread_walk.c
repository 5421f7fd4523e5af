// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hlc/plan/thread_walk.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "hlc/ir/ops.h"
#include "hlc/ir/walk.h"
#include "hlc/plan/plan_int.h"
#include "hlc/plan/thresholds.h"

enum {
    MOST_TABLE = 1 << 16,
    MOST_INT = 1 << 24,     // a float has all ints to this
    MOST_DIVIDED = 1 << 20, // as products have the quotient
};

typedef struct known_value {
    bool known;
    sir_scalar v;  // of an int, a boolean or a float
    uint32_t node; // of a value that is not known: what it is (thread_ops.h). A boolean is 0 or more, or below
} known_value;

typedef struct frame {
    const sir_function *function;
    known_value *local;  // scalars
    uint32_t **elements; // of arrays: nodes, words in memory order
    struct frame *caller;
} frame;

typedef struct walker {
    arena *arena;
    bool inexact;  // the processor's own division and roots will do
    bool bounding; // only bounds of what is pushed are asked for: operations that threads lack are no lack
    const sir_filter *filter;
    frame *frame;
    int64_t popped, reach; // items
    thread_ops *ops;
    thread_values pushed;
    int64_t keep, longest; // as in thread_walk
    VEC(thread_loop) loops;
    uint32_t loop; // that is walked
    int64_t steps;
    known_value result; // of the function that has returned
    plan_lack lack;
    bool cuts;      // floats have become ints
    bool too_large; // it lacks ints beyond 2^24
    bool too_long;  // it has too many operations
} walker;

static const known_value unknown = {0};

static known_value lack_for(walker *w, sir_loc loc, const plan_reason *why)
{
    if (w->lack.why == NULL)
        w->lack = (plan_lack){why, loc, "pipeline"};
    return unknown;
}

static known_value lack(walker *w, sir_loc loc, plan_why why)
{
    return lack_for(w, loc, plan_reason_plain(why));
}

static known_value too_many(walker *w, sir_loc loc)
{
    w->too_long = w->too_long || w->lack.why == NULL;
    return lack(w, loc, PLAN_WHY_MANY_OPERATIONS);
}

static const sir_type *number_type(const sir_type *t)
{
    while (t->kind == SIR_ARRAY)
        t = t->element;
    return t;
}

static bool is_number_type(const sir_type *t)
{
    t = number_type(t);
    return t->kind == SIR_FLOAT || t->kind == SIR_INT || t->kind == SIR_BOOLEAN || t->kind == SIR_BIT;
}

static bool is_whole(const sir_type *t)
{
    return t->kind == SIR_INT || t->kind == SIR_BIT;
}

static known_value of_type(walker *w, const sir_type *t, sir_loc loc)
{
    if (!is_number_type(t))
        return lack(w, loc, PLAN_WHY_OTHER_TYPES);
    return unknown;
}

// What only threads lack.
static known_value no_operation(walker *w, sir_loc loc, plan_why why)
{
    return w->bounding ? unknown : lack(w, loc, why);
}

// ---- What is computed ----

static known_value made(uint32_t node)
{
    return (known_value){.node = node};
}

// An int is a float there. Compilers may take the next one of a constant.
static known_value whole(walker *w, sir_loc loc, uint32_t node)
{
    bool constant = w->ops->nodes.data[node].op == THREAD_NUMBER;
    if (!(w->ops->bounds.data[node] <= MOST_INT - 2 * constant)) {
        w->too_large = w->too_large || w->lack.why == NULL;
        return no_operation(w, loc, PLAN_WHY_LARGE_INTS);
    }
    return made(node);
}

// A known value is a number; a boolean is 1 or -1.
static uint32_t node_of(walker *w, known_value v, const sir_type *t)
{
    if (!v.known)
        return v.node;
    if (t->kind == SIR_BOOLEAN)
        return thread_ops_number(w->ops, v.v.i != 0 ? 1 : -1);
    if (is_whole(t) && (v.v.i < -MOST_INT || v.v.i > MOST_INT))
        return 0;
    return thread_ops_number(w->ops, t->kind == SIR_FLOAT ? v.v.f : (float)v.v.i);
}

static uint32_t op1(walker *w, thread_op op, uint32_t a)
{
    return thread_ops_add(w->ops, op, a, 0, 0);
}

static uint32_t op2(walker *w, thread_op op, uint32_t a, uint32_t b)
{
    return thread_ops_add(w->ops, op, a, b, 0);
}

static uint32_t op3(walker *w, thread_op op, uint32_t a, uint32_t b, uint32_t c)
{
    return thread_ops_add(w->ops, op, a, b, c);
}

static bool is_zero(const walker *w, uint32_t v)
{
    const thread_node *n = &w->ops->nodes.data[v];
    return n->op == THREAD_NUMBER && n->a << 1 == 0;
}

// 0 or more where a is at least b.
static uint32_t difference(walker *w, uint32_t a, uint32_t b)
{
    if (a == b)
        return thread_ops_number(w->ops, 0);
    if (is_zero(w, b))
        return a;
    return is_zero(w, a) ? op1(w, THREAD_NEG, b) : op2(w, THREAD_ADD, a, op1(w, THREAD_NEG, b));
}

// Of a truth that is turned around: a number that says it.
static uint32_t upright(walker *w, uint32_t truth)
{
    if (w->ops->nodes.data[truth].op != THREAD_NOT)
        return truth;
    return op3(w, THREAD_SELECT, truth, thread_ops_number(w->ops, 1), thread_ops_number(w->ops, -1));
}

static uint32_t both(walker *w, uint32_t a, uint32_t b)
{
    const thread_node *x = &w->ops->nodes.data[a], *y = &w->ops->nodes.data[b];
    if (x->op == THREAD_NUMBER || y->op == THREAD_NUMBER)
        return thread_ops_add(w->ops, THREAD_SELECT, x->op == THREAD_NUMBER ? a : b, x->op == THREAD_NUMBER ? b : a,
                              thread_ops_number(w->ops, -1));
    if (x->op == THREAD_NOT && y->op == THREAD_NOT)
        return op1(w, THREAD_NOT, op2(w, THREAD_MAX, x->a, y->a));
    a = upright(w, a);
    return op2(w, THREAD_MIN, a, upright(w, b));
}

static uint32_t either(walker *w, uint32_t a, uint32_t b)
{
    a = op1(w, THREAD_NOT, a);
    return op1(w, THREAD_NOT, both(w, a, op1(w, THREAD_NOT, b)));
}

static uint32_t compared(walker *w, lang_binary_op op, uint32_t a, uint32_t b)
{
    switch (op) {
    case LANG_OP_GE: return difference(w, a, b);
    case LANG_OP_LE: return difference(w, b, a);
    case LANG_OP_LT: return op1(w, THREAD_NOT, difference(w, a, b));
    case LANG_OP_GT: return op1(w, THREAD_NOT, difference(w, b, a));
    default: break;
    }
    uint32_t equal = op1(w, THREAD_NEG, op1(w, THREAD_ABS, difference(w, a, b)));
    return op == LANG_OP_NE ? op1(w, THREAD_NOT, equal) : equal;
}

static uint32_t quotient(walker *w, uint32_t a, uint32_t b)
{
    return op2(w, THREAD_MUL, a, op1(w, THREAD_SPECIAL, b));
}

// Of truths: whether they are the same, or differ.
static uint32_t alike(walker *w, bool same, uint32_t a, uint32_t b)
{
    uint32_t yes = thread_ops_number(w->ops, 1), no = thread_ops_number(w->ops, -1);
    if (b == yes || b == no)
        return (b == yes) == same ? a : op1(w, THREAD_NOT, a);
    if (a == yes || a == no)
        return alike(w, same, b, a);
    b = upright(w, b);
    uint32_t equal = op3(w, THREAD_SELECT, a, b, op1(w, THREAD_NEG, b));
    return same ? equal : op1(w, THREAD_NOT, equal);
}

static uint32_t computed(walker *w, lang_binary_op op, const sir_type *t, uint32_t a, uint32_t b)
{
    switch (op) {
    case LANG_OP_ADD: return op2(w, THREAD_ADD, a, b);
    case LANG_OP_SUB: return op2(w, THREAD_ADD, a, op1(w, THREAD_NEG, b));
    case LANG_OP_MUL: return op2(w, THREAD_MUL, a, b);
    case LANG_OP_DIV: return quotient(w, a, b);
    case LANG_OP_AND: return both(w, a, b);
    case LANG_OP_OR: return either(w, a, b);
    default: break;
    }
    return t->kind == SIR_BOOLEAN ? alike(w, op == LANG_OP_EQ, a, b) : compared(w, op, a, b);
}

// A number's node, or false.
static bool number_of(const walker *w, uint32_t v, float *out)
{
    const thread_node *n = &w->ops->nodes.data[v];
    if (n->op == THREAD_NUMBER)
        memcpy(out, &n->a, sizeof *out);
    return n->op == THREAD_NUMBER;
}

// An int v within two numbers: `v <= high ? max(v, low) : high`, or `v >= low ? min(v, high) : low`. 0: it is none.
static uint32_t clamped(walker *w, uint32_t truth, uint32_t yes, uint32_t no)
{
    const thread_node *nodes = w->ops->nodes.data, *t = &nodes[truth];
    if (t->op == THREAD_NOT)
        return clamped(w, t->a, no, yes);
    const thread_node *in = &nodes[yes];
    float bound, other, apart;
    if (t->op != THREAD_ADD || (in->op != THREAD_MIN && in->op != THREAD_MAX) || !number_of(w, no, &bound) ||
        !number_of(w, in->b, &other) || !number_of(w, t->b, &apart))
        return 0;
    bool high = nodes[t->a].op == THREAD_NEG; // apart - v is 0 or more
    uint32_t v = high ? nodes[t->a].a : t->a;
    if (in->a != v || in->op != (high ? THREAD_MAX : THREAD_MIN) || apart != (high ? bound : -bound) ||
        (high ? other > bound : other < bound))
        return 0;
    return op2(w, high ? THREAD_MIN : THREAD_MAX, yes, no);
}

static uint32_t chosen(walker *w, uint32_t truth, const sir_type *t, uint32_t yes, uint32_t no)
{
    uint32_t within = is_whole(t) ? clamped(w, truth, yes, no) : 0;
    if (within != 0)
        return within;
    if (t->kind == SIR_BOOLEAN) {
        yes = upright(w, yes);
        no = upright(w, no);
    }
    return op3(w, THREAD_SELECT, truth, yes, no);
}

// ---- Ints ----

static uint32_t number(walker *w, double v)
{
    return thread_ops_number(w->ops, (float)v);
}

static uint32_t times(walker *w, uint32_t a, double by)
{
    return op2(w, THREAD_MUL, a, number(w, by));
}

// The largest whole number that is not above.
static uint32_t whole_part(walker *w, uint32_t a)
{
    uint32_t r = op2(w, THREAD_ADD, a, op1(w, THREAD_NEG, op1(w, THREAD_FRACTION, a)));
    thread_ops_limit(w->ops, r, w->ops->bounds.data[a] + !w->ops->positive.data[a], w->ops->positive.data[a]);
    return r;
}

static uint32_t size_of(walker *w, uint32_t a)
{
    return w->ops->positive.data[a] ? a : op1(w, THREAD_ABS, a);
}

// A size with the sign of what it came from, or with the other one.
static uint32_t signed_as(walker *w, uint32_t size, uint32_t from, bool opposite)
{
    if (w->ops->positive.data[from])
        return opposite ? op1(w, THREAD_NEG, size) : size;
    double bound = w->ops->bounds.data[size];
    uint32_t sign = op3(w, THREAD_SELECT, from, number(w, opposite ? -1 : 1), number(w, opposite ? 1 : -1));
    uint32_t r = op2(w, THREAD_MUL, size, sign);
    thread_ops_limit(w->ops, r, bound, false);
    return r;
}

// a without what is left of it by a power of two; and that.
static uint32_t low_bits(walker *w, uint32_t a, double power)
{
    uint32_t r = times(w, op1(w, THREAD_FRACTION, times(w, a, 1 / power)), power);
    thread_ops_limit(w->ops, r, power - 1, true);
    return r;
}

// Bits from one on are the difference of two remainders.
static known_value masked(walker *w, sir_loc loc, uint32_t a, int32_t mask)
{
    bool inverted = mask < 0;
    uint32_t left = (uint32_t)(inverted ? ~mask : mask), all = left, bits = number(w, 0);
    if (left > MOST_INT)
        return no_operation(w, loc, PLAN_WHY_AND_BITS);
    while (left != 0) {
        uint32_t lowest = left & -left, above = left + lowest, behind = above & -above;
        uint32_t run = low_bits(w, a, behind);
        if (lowest > 1)
            run = op2(w, THREAD_ADD, run, op1(w, THREAD_NEG, low_bits(w, a, lowest)));
        bits = left == all ? run : op2(w, THREAD_ADD, bits, run);
        left &= above;
    }
    thread_ops_limit(w->ops, bits, all, true);
    return whole(w, loc, inverted ? op2(w, THREAD_ADD, a, op1(w, THREAD_NEG, bits)) : bits);
}

// a | mask, or a ^ mask: the sum without what both have, once or twice. With a mask below 0 it is the opposite.
static known_value united(walker *w, sir_loc loc, uint32_t a, int32_t mask, bool differ)
{
    uint32_t ones = (uint32_t)(mask < 0 ? ~mask : mask);
    known_value both = masked(w, loc, a, (int32_t)ones);
    if (w->lack.why != NULL)
        return unknown;
    if (mask < 0 && !differ)
        return whole(w, loc, op2(w, THREAD_ADD, both.node, number(w, mask)));
    uint32_t left = op2(w, THREAD_ADD, times(w, both.node, differ ? -2 : -1), a);
    uint32_t r = op2(w, THREAD_ADD, left, number(w, ones));
    if (mask < 0)
        r = op2(w, THREAD_ADD, op1(w, THREAD_NEG, r), number(w, -1));
    thread_ops_limit(w->ops, r, w->ops->bounds.data[a] + ones + 1, mask >= 0 && w->ops->positive.data[a]);
    return whole(w, loc, r);
}

static known_value divided(walker *w, sir_loc loc, uint32_t a, int32_t by, bool remainder)
{
    double n = fabs((double)by), bound = w->ops->bounds.data[a];
    if (by == 0)
        return lack(w, loc, PLAN_WHY_DIVIDES_BY_0);
    if (!(bound <= MOST_DIVIDED)) {
        w->too_large = w->too_large || w->lack.why == NULL;
        return no_operation(w, loc, PLAN_WHY_DIVIDES_LARGE);
    }
    uint32_t size = size_of(w, a), part = op2(w, THREAD_ADD, times(w, size, 1 / n), number(w, 1 / (2 * n)));
    uint32_t q = whole_part(w, part);
    thread_ops_limit(w->ops, q, floor(bound / n), true);
    q = signed_as(w, q, a, by < 0);
    if (!remainder)
        return whole(w, loc, q);
    uint32_t r = op2(w, THREAD_ADD, a, times(w, q, -(double)by));
    thread_ops_limit(w->ops, r, n - 1, w->ops->positive.data[a]);
    return whole(w, loc, r);
}

static known_value shifted(walker *w, sir_loc loc, uint32_t a, int32_t by, bool left)
{
    by &= 31;
    return whole(w, loc, left ? times(w, a, ldexp(1, by)) : whole_part(w, times(w, a, ldexp(1, -by))));
}

// Of ints, of which at least one is not known.
static known_value int_operation(walker *w, const sir_expr *e, known_value a, known_value b)
{
    const sir_type *t = e->u.arg[0]->type;
    uint32_t x = node_of(w, a, t), y = node_of(w, b, t);
    lang_binary_op op = (lang_binary_op)e->op;
    switch (op) {
    case LANG_OP_ADD:
    case LANG_OP_SUB:
    case LANG_OP_MUL: return whole(w, e->loc, computed(w, op, t, x, y));
    case LANG_OP_DIV:
    case LANG_OP_REM:
        if (!b.known)
            return no_operation(w, e->loc, PLAN_WHY_DIVIDES_UNKNOWN);
        return divided(w, e->loc, x, b.v.i, op == LANG_OP_REM);
    case LANG_OP_SHL:
    case LANG_OP_SHR:
        if (!b.known)
            return no_operation(w, e->loc, PLAN_WHY_SHIFTS_UNKNOWN);
        return shifted(w, e->loc, x, b.v.i, op == LANG_OP_SHL);
    case LANG_OP_AND:
        if (!a.known && !b.known)
            return no_operation(w, e->loc, PLAN_WHY_AND_UNKNOWN);
        return masked(w, e->loc, a.known ? y : x, a.known ? a.v.i : b.v.i);
    case LANG_OP_XOR:
    case LANG_OP_OR:
        if (a.known || b.known)
            return united(w, e->loc, a.known ? y : x, a.known ? a.v.i : b.v.i, op == LANG_OP_XOR);
        if (w->bounding && op == LANG_OP_OR) // a sum has its bound
            return made(op2(w, THREAD_ADD, x, y));
        return no_operation(w, e->loc, PLAN_WHY_OR_UNKNOWN);
    default: break;
    }
    (void)whole(w, e->loc, x);
    (void)whole(w, e->loc, y);
    return made(compared(w, op, x, y));
}

// ---- Expressions ----

// Where an element is: in a constant table, or in a local array.
typedef struct element_place {
    const sir_value *table;
    uint32_t field; // of a table
    uint32_t *elements;
    uint64_t at;
    uint32_t computed; // what is added to `at` as it runs, in a table alone; 0: nothing
} element_place;

static known_value walk_expr(walker *w, const sir_expr *e);

// A table that is looked up. What is added is bounded by each subscript's part of it.
static known_value add_computed(walker *w, const sir_expr *e, element_place *place, known_value index)
{
    const sir_type *array = e->u.arg[0]->type;
    uint32_t i = index.node;
    if (!w->ops->positive.data[i] || !(w->ops->bounds.data[i] < array->length))
        return lack(w, e->loc, PLAN_WHY_SUBSCRIPT_BEYOND);
    if (e->type->words > 1)
        i = times(w, i, (double)e->type->words);
    place->computed = place->computed == 0 ? i : op2(w, THREAD_ADD, place->computed, i);
    return unknown;
}

// Subscripts must be known, but those of tables.
static known_value walk_place(walker *w, const sir_expr *e, element_place *place)
{
    *place = (element_place){0};
    if (e->kind == SIR_FIELD && w->filter->fields.data[e->index].constant) {
        place->table = &w->filter->fields.data[e->index].init;
        place->field = e->index;
        return unknown;
    }
    if (e->kind == SIR_LOCAL) {
        place->elements = w->frame->elements[e->index];
        return of_type(w, w->frame->function->locals.data[e->index].type, e->loc);
    }
    if (e->kind != SIR_INDEX)
        return e->kind == SIR_GLOBAL ? unknown : lack(w, e->loc, PLAN_WHY_STRUCTS);
    walk_place(w, e->u.arg[0], place);
    known_value index = walk_expr(w, e->u.arg[1]);
    if (!index.known && place->table != NULL && w->lack.why == NULL)
        return add_computed(w, e, place, index);
    if (!index.known)
        return lack(w, e->loc, PLAN_WHY_SUBSCRIPT);
    if (index.v.i < 0 || (uint32_t)index.v.i >= e->u.arg[0]->type->length)
        return lack(w, e->loc, PLAN_WHY_SUBSCRIPT_OUTSIDE);
    place->at += (uint64_t)index.v.i * e->type->words;
    return unknown;
}

// An int that is a number is known.
static known_value of_node(const walker *w, uint32_t node, const sir_type *t)
{
    const thread_node *n = &w->ops->nodes.data[node];
    float value;
    if (!is_whole(t) || n->op != THREAD_NUMBER)
        return made(node);
    memcpy(&value, &n->a, sizeof value);
    return (known_value){.known = true, .v = {.i = (int32_t)value}};
}

// Coordinates are cut to whole numbers: what an int was made of, where it is not below 0.
static uint32_t before_cut(const walker *w, uint32_t v)
{
    const thread_node *n = &w->ops->nodes.data[v], *nodes = w->ops->nodes.data;
    const uint32_t way[2][2] = {{n->a, n->b}, {n->b, n->a}};
    for (unsigned i = 0; n->op == THREAD_ADD && i < 2; i++) {
        uint32_t of = way[i][0], cut = way[i][1];
        if (nodes[cut].op == THREAD_NEG && nodes[nodes[cut].a].op == THREAD_FRACTION && nodes[nodes[cut].a].a == of &&
            w->ops->positive.data[of])
            return of;
    }
    return v;
}

// Compiled programs have bounds of all of a table's numbers too.
static known_value looked_up(walker *w, const sir_expr *e, const element_place *place)
{
    double most = 0;
    bool positive = true;
    const sir_type *all = w->filter->fields.data[place->field].type;
    of_type(w, e->type, e->loc);
    if (w->lack.why != NULL || (e->type->kind != SIR_FLOAT && e->type->kind != SIR_INT))
        return lack(w, e->loc, PLAN_WHY_TABLE_TYPE);
    if (w->loop != NO_LOOP)
        return lack(w, e->loc, PLAN_WHY_TABLE_IN_LOOP);
    if (all->words > MOST_TABLE)
        return lack(w, e->loc, PLAN_WHY_TABLE_ELEMENTS);
    for (uint64_t i = 0; !place->table->zero && i < all->words; i++) {
        sir_scalar v = place->table->data[i];
        double one = e->type->kind == SIR_FLOAT ? (double)v.f : (double)v.i;
        positive = positive && one >= 0;
        most = isnan(one) ? INFINITY : fmax(most, fabs(one));
    }
    uint32_t at = place->at == 0 ? before_cut(w, place->computed)
                                 : op2(w, THREAD_ADD, place->computed, number(w, (double)place->at));
    // Where a float may be none, its place is 0. A minimum or maximum with a number is one.
    const thread_node *n = &w->ops->nodes.data[at];
    bool one = (n->op == THREAD_MIN || n->op == THREAD_MAX) && w->ops->nodes.data[n->b].op == THREAD_NUMBER;
    if (w->cuts && !one)
        at = op2(w, THREAD_MAX, at, number(w, 0));
    uint32_t v = op2(w, THREAD_LOOKUP, at, number(w, place->field));
    thread_ops_limit(w->ops, v, most, positive);
    return is_whole(e->type) ? whole(w, e->loc, v) : made(v);
}

static known_value walk_index(walker *w, const sir_expr *e)
{
    element_place place;
    walk_place(w, e, &place);
    if (w->lack.why != NULL)
        return unknown;
    if (place.computed != 0 && e->type->kind == SIR_ARRAY)
        return lack(w, e->loc, PLAN_WHY_TABLE_COPY);
    if (e->type->kind == SIR_ARRAY)
        return unknown;
    if (place.computed != 0)
        return looked_up(w, e, &place);
    if (place.table != NULL)
        return (known_value){.known = true, .v = place.table->zero ? (sir_scalar){0} : place.table->data[place.at]};
    return place.elements != NULL ? of_node(w, place.elements[place.at], e->type) : unknown;
}

static known_value walk_short(walker *w, const sir_expr *e)
{
    known_value left = walk_expr(w, e->u.arg[0]);
    bool decides = e->op == LANG_OP_LOR;
    if (left.known && (left.v.i != 0) == decides)
        return left;
    known_value right = walk_expr(w, e->u.arg[1]);
    if (left.known)
        return right;
    uint32_t a = left.node, b = node_of(w, right, e->type);
    return made(decides ? either(w, a, b) : both(w, a, b));
}

static known_value walk_binary(walker *w, const sir_expr *e)
{
    const sir_type *t = e->u.arg[0]->type;
    if (e->op == LANG_OP_LAND || e->op == LANG_OP_LOR)
        return walk_short(w, e);
    known_value a = walk_expr(w, e->u.arg[0]), b = walk_expr(w, e->u.arg[1]), r = {.known = true};
    if (a.known && b.known && sir_eval_binary((lang_binary_op)e->op, t, a.v, b.v, &r.v))
        return r;
    if (is_whole(t))
        return w->lack.why == NULL ? int_operation(w, e, a, b) : unknown;
    if (t->kind == SIR_FLOAT && e->op == LANG_OP_DIV && !w->inexact)
        return no_operation(w, e->loc, PLAN_WHY_DIVIDES);
    of_type(w, t, e->loc);
    uint32_t left = node_of(w, a, t);
    return made(computed(w, (lang_binary_op)e->op, t, left, node_of(w, b, t)));
}

static known_value walk_unary(walker *w, const sir_expr *e)
{
    known_value a = walk_expr(w, e->u.arg[0]), r = {.known = true};
    if (a.known && sir_eval_unary((lang_unary_op)e->op, e->u.arg[0]->type, a.v, &r.v))
        return r;
    uint32_t x = node_of(w, a, e->type);
    if (is_whole(e->type) && e->op == LANG_OP_COMPL)
        return whole(w, e->loc, op2(w, THREAD_ADD, op1(w, THREAD_NEG, x), number(w, -1)));
    if (is_whole(e->type) && e->op != LANG_OP_NEG)
        return no_operation(w, e->loc, PLAN_WHY_INT_OPERATION);
    of_type(w, e->type, e->loc);
    return made(op1(w, e->op == LANG_OP_NOT ? THREAD_NOT : THREAD_NEG, x));
}

// Whether the C compiler computes it of constants. Others, which it leaves as calls, are constants by tables alone.
static bool folds(lang_math_op op)
{
    switch (op) {
    case LANG_MATH_ABS:
    case LANG_MATH_MIN:
    case LANG_MATH_MAX:
    case LANG_MATH_FLOOR:
    case LANG_MATH_CEIL:
    case LANG_MATH_ROUND:
    case LANG_MATH_RINT:
    case LANG_MATH_SQRT: return true;
    default: return false;
    }
}

static known_value walk_math(walker *w, const sir_expr *e)
{
    const sir_type *t = e->u.arg[0]->type;
    size_t arity = sir_expr_arity(e);
    known_value a = walk_expr(w, e->u.arg[0]), b = arity > 1 ? walk_expr(w, e->u.arg[1]) : a, r = {.known = true};
    if (a.known && b.known && folds((lang_math_op)e->op) && sir_eval_math((lang_math_op)e->op, t, a.v, b.v, &r.v))
        return r;
    bool exact = e->op == LANG_MATH_ABS || e->op == LANG_MATH_MIN || e->op == LANG_MATH_MAX ||
                 (e->op == LANG_MATH_FLOOR && !is_whole(t)) || (e->op == LANG_MATH_SQRT && w->inexact);
    if (!exact)
        return w->bounding ? unknown
                           : lack_for(w, e->loc,
                                      plan_reason_of(
                                          w->arena, (plan_reason){PLAN_WHY_MATH, .names = {sir_math_ops[e->op].name}}));
    of_type(w, t, e->loc);
    uint32_t left = node_of(w, a, t), right = node_of(w, b, t), root;
    if (is_whole(t) && ((whole(w, e->loc, left), whole(w, e->loc, right)), w->lack.why != NULL))
        return unknown;
    switch ((lang_math_op)e->op) {
    case LANG_MATH_ABS: return made(op1(w, THREAD_ABS, left));
    case LANG_MATH_MIN: return made(op2(w, THREAD_MIN, left, right));
    case LANG_MATH_MAX: return made(op2(w, THREAD_MAX, left, right));
    case LANG_MATH_SQRT:
        root = op1(w, THREAD_SPECIAL, op1(w, THREAD_SPECIAL, left));
        thread_ops_limit(w->ops, root, ceil(sqrt(w->ops->bounds.data[left])), w->ops->positive.data[left]);
        return made(root);
    default: return made(op2(w, THREAD_ADD, left, op1(w, THREAD_NEG, op1(w, THREAD_FRACTION, left))));
    }
}

static known_value walk_select(walker *w, const sir_expr *e)
{
    known_value c = walk_expr(w, e->u.arg[0]);
    if (c.known)
        return walk_expr(w, e->u.arg[c.v.i != 0 ? 1 : 2]);
    known_value yes = walk_expr(w, e->u.arg[1]), no = walk_expr(w, e->u.arg[2]);
    of_type(w, e->type, e->loc);
    uint32_t a = node_of(w, yes, e->type);
    if (is_whole(e->type) && (yes.known || no.known)) {
        (void)whole(w, e->loc, a);
        (void)whole(w, e->loc, node_of(w, no, e->type));
    }
    return made(chosen(w, c.node, e->type, a, node_of(w, no, e->type)));
}

static known_value walk_convert(walker *w, const sir_expr *e)
{
    known_value a = walk_expr(w, e->u.arg[0]);
    if (a.known && is_number_type(e->type))
        return (known_value){.known = true, .v = sir_eval_convert(e->u.arg[0]->type, e->type, a.v)};
    of_type(w, e->type, e->loc);
    if (w->lack.why != NULL || !is_whole(e->type) || is_whole(e->u.arg[0]->type))
        return made(a.node);
    if (!(w->ops->bounds.data[a.node] <= MOST_INT))
        return no_operation(w, e->loc, PLAN_WHY_FLOAT_TO_INT);
    w->cuts = true;
    return whole(w, e->loc, signed_as(w, whole_part(w, size_of(w, a.node)), a.node, false));
}

static uint32_t item(walker *w, int64_t number)
{
    return thread_ops_add(w->ops, THREAD_ITEM, (uint32_t)number, 0, 0);
}

static known_value walk_peek(walker *w, const sir_expr *e)
{
    known_value at = walk_expr(w, e->u.arg[0]);
    if (!at.known)
        return lack(w, e->loc, PLAN_WHY_LOOKS_AHEAD);
    if (w->popped + at.v.i + 1 > w->reach)
        w->reach = w->popped + at.v.i + 1;
    return made(item(w, w->popped + at.v.i));
}

static known_value walk_local(walker *w, const sir_expr *e)
{
    return e->type->kind == SIR_ARRAY ? unknown : w->frame->local[e->index];
}

static known_value walk_expr(walker *w, const sir_expr *e)
{
    if (w->lack.why != NULL || ++w->steps > THREAD_STEPS)
        return too_many(w, e->loc);
    switch ((sir_expr_kind)e->kind) {
    case SIR_CONST:
        return is_number_type(e->type) ? (known_value){.known = true, .v = e->u.value} : of_type(w, e->type, e->loc);
    case SIR_LOCAL: return walk_local(w, e);
    case SIR_FIELD:
    case SIR_GLOBAL: return of_type(w, e->type, e->loc);
    case SIR_INDEX: return walk_index(w, e);
    case SIR_UNARY: return walk_unary(w, e);
    case SIR_BINARY: return walk_binary(w, e);
    case SIR_SELECT: return walk_select(w, e);
    case SIR_CONVERT: return walk_convert(w, e);
    case SIR_MATH: return walk_math(w, e);
    case SIR_PEEK: return walk_peek(w, e);
    case SIR_FETCH:
    case SIR_MEMBER:
    case SIR_MAKE_COMPLEX: return lack(w, e->loc, PLAN_WHY_STRUCTS);
    case SIR_ITER: break;
    }
    return lack(w, e->loc, PLAN_WHY_COUNTS);
}

// ---- Statements ----

static void walk_block(walker *w, const sir_block *b);

static void assign(walker *w, const sir_expr *target, known_value v)
{
    element_place place;
    if (target == NULL)
        return;
    if (target->kind == SIR_LOCAL && target->type->kind != SIR_ARRAY) {
        of_type(w, target->type, target->loc);
        w->frame->local[target->index] = v;
    } else {
        if (is_whole(target->type) && v.known)
            (void)whole(w, target->loc, node_of(w, v, target->type));
        walk_place(w, target, &place);
        if (w->lack.why == NULL && place.elements != NULL)
            place.elements[place.at] = node_of(w, v, target->type);
    }
}

static void assign_array(walker *w, const sir_expr *target, const sir_expr *value)
{
    element_place to, from;
    walk_place(w, target, &to);
    walk_place(w, value, &from);
    if (from.computed != 0)
        lack(w, value->loc, PLAN_WHY_TABLE_COPY);
    if (w->lack.why != NULL || to.elements == NULL)
        return;
    const sir_type *t = number_type(value->type);
    for (uint64_t i = 0; i < value->type->words; i++)
        to.elements[to.at + i] =
            from.elements != NULL ? from.elements[from.at + i]
            : from.table != NULL
                ? node_of(w,
                          (known_value){.known = true,
                                        .v = from.table->zero ? (sir_scalar){0} : from.table->data[from.at + i]},
                          t)
                : 0;
}

// Of types that threads have, whose bits are those of an int.
static bool same(known_value a, known_value b)
{
    return a.known == b.known && a.node == b.node && (!a.known || a.v.i == b.v.i);
}

// What a branch may change. Arrays that begin within it are gone behind it.
typedef struct standing {
    known_value *local;
    uint32_t **elements;
    int64_t popped;
    size_t pushed;
} standing;

static uint64_t array_words(const walker *w, size_t local)
{
    return w->frame->elements[local] == NULL ? 0 : w->frame->function->locals.data[local].type->words;
}

static standing stand(walker *w)
{
    size_t n = w->frame->function->locals.len;
    standing s = {ARENA_ARRAY(w->arena, known_value, n + 1), ARENA_ARRAY(w->arena, uint32_t *, n + 1), w->popped,
                  w->pushed.len};
    memcpy(s.local, w->frame->local, n * sizeof *s.local);
    for (size_t i = 0; i < n; i++) {
        s.elements[i] = NULL;
        if (w->frame->elements[i] == NULL)
            continue;
        s.elements[i] = ARENA_ARRAY(w->arena, uint32_t, array_words(w, i) + 1);
        memcpy(s.elements[i], w->frame->elements[i], array_words(w, i) * sizeof **s.elements);
        w->steps += (int64_t)array_words(w, i);
    }
    return s;
}

static void go_back(walker *w, const standing *s)
{
    size_t n = w->frame->function->locals.len;
    memcpy(w->frame->local, s->local, n * sizeof *s->local);
    for (size_t i = 0; i < n; i++) {
        if (s->elements[i] != NULL)
            memcpy(w->frame->elements[i], s->elements[i], array_words(w, i) * sizeof **s->elements);
        else
            w->frame->elements[i] = NULL;
    }
    w->popped = s->popped;
    w->pushed.len = s->pushed;
}

// Behind both ways of a branch: what `then` left, or what there is now, of what there was before.
static void join(walker *w, uint32_t truth, const standing *before, const standing *then)
{
    for (size_t i = 0; i < w->frame->function->locals.len; i++) {
        const sir_type *t = w->frame->function->locals.data[i].type, *number = number_type(t);
        known_value *now = &w->frame->local[i], was = then->local[i];
        for (uint64_t k = 0; before->elements[i] != NULL && k < array_words(w, i); k++)
            if (w->frame->elements[i][k] != then->elements[i][k])
                w->frame->elements[i][k] = chosen(w, truth, number, then->elements[i][k], w->frame->elements[i][k]);
        if (t->kind == SIR_ARRAY || same(*now, was))
            continue;
        uint32_t yes = node_of(w, was, t);
        *now = made(chosen(w, truth, t, yes, node_of(w, *now, t)));
    }
}

static void walk_if(walker *w, const sir_stmt *s)
{
    known_value c = walk_expr(w, s->u.if_.cond);
    if (c.known) {
        walk_block(w, c.v.i != 0 ? &s->u.if_.then : &s->u.if_.otherwise);
        return;
    }
    standing before = stand(w);
    walk_block(w, &s->u.if_.then);
    standing then = stand(w);
    thread_values pushed = {0};
    for (size_t i = before.pushed; i < w->pushed.len; i++)
        VEC_PUSH(w->arena, &pushed, w->pushed.data[i]);
    go_back(w, &before);
    walk_block(w, &s->u.if_.otherwise);
    join(w, c.node, &before, &then);
    for (size_t i = 0; i < pushed.len && before.pushed + i < w->pushed.len; i++) {
        uint32_t *now = &w->pushed.data[before.pushed + i];
        *now = pushed.data[i] == *now ? *now : op3(w, THREAD_SELECT, c.node, pushed.data[i], *now);
    }
}

// ---- Loops that stay loops ----

// What a round leaves to the next one, as a variable.
typedef struct carried {
    known_value *local; // of a scalar; or of an array
    uint32_t *element;
    known_value was;
    const sir_type *type;
    uint32_t before, variable;
} carried;
typedef VEC(carried) carried_values;

typedef struct written {
    bool *scalar, *array; // by local
} written;

static void mark_written(void *context, sir_stmt *s)
{
    written *found = context;
    sir_parts parts = sir_stmt_parts(s);
    sir_expr *root = parts.target == NULL ? NULL : sir_lvalue_root(*parts.target);
    if (root != NULL && root->kind == SIR_LOCAL)
        found->scalar[root->index] = found->array[root->index] = true;
    for (size_t i = 0; s->kind == SIR_CALL && i < parts.arg_count; i++) {
        root = sir_lvalue_root(parts.args[i]);
        if (root != NULL && root->kind == SIR_LOCAL)
            found->array[root->index] = true; // the function may write it
    }
}

static void unmark_declared(void *context, sir_stmt *s)
{
    const written *found = context;
    if (s->kind == SIR_DECL)
        found->scalar[s->u.decl.local] = found->array[s->u.decl.local] = false;
}

// A truth is what comes as a number.
static uint32_t carried_node(walker *w, known_value v, const sir_type *t)
{
    uint32_t node = node_of(w, v, t);
    return t->kind == SIR_BOOLEAN ? upright(w, node) : node;
}

static void carry(walker *w, carried_values *all, carried c)
{
    c.before = carried_node(w, c.was, c.type);
    VEC_PUSH(w->arena, all, c);
}

// The body's counter is one too.
static void find_carried(walker *w, const sir_stmt *s, carried_values *all)
{
    size_t n = w->frame->function->locals.len;
    written found = {ARENA_ARRAY(w->arena, bool, n + 1), ARENA_ARRAY(w->arena, bool, n + 1)};
    sir_visit_stmts(&s->u.for_.body, mark_written, &found);
    sir_visit_stmts(&s->u.for_.body, unmark_declared, &found);
    found.scalar[s->u.for_.local] = true;
    for (size_t i = 0; i < n; i++) {
        const sir_type *t = w->frame->function->locals.data[i].type;
        if (t->kind != SIR_ARRAY && found.scalar[i])
            carry(w, all, (carried){.local = &w->frame->local[i], .was = w->frame->local[i], .type = t});
        for (uint64_t k = 0; t->kind == SIR_ARRAY && found.array[i] && k < array_words(w, i); k++)
            carry(w, all,
                  (carried){.element = &w->frame->elements[i][k],
                            .was = made(w->frame->elements[i][k]),
                            .type = number_type(t)});
    }
}

static known_value now(const carried *c)
{
    return c->local != NULL ? *c->local : made(*c->element);
}

static void set(carried *c, known_value v)
{
    if (c->local != NULL)
        *c->local = v;
    else
        *c->element = v.node;
}

// Ints are taken to grow by as much in each round as they do in the first one, and are refused if they do not.
static bool walk_round(walker *w, const sir_stmt *s, carried_values *all, const double *growth, int64_t rounds)
{
    int64_t popped = w->popped;
    size_t pushed = w->pushed.len;
    for (VEC_EACH(carried, c, all)) {
        c->variable = thread_ops_variable(w->ops);
        size_t i = (size_t)(c - all->data);
        if (is_whole(c->type)) {
            double most = w->ops->bounds.data[c->before] + growth[i] * (double)rounds;
            thread_ops_limit(w->ops, c->variable, most, w->ops->positive.data[c->before] && growth[i] >= 0);
        }
        set(c, made(c->variable));
    }
    walk_block(w, &s->u.for_.body);
    if (w->popped != popped || w->pushed.len != pushed)
        lack(w, s->loc, PLAN_WHY_LONG_LOOP_ITEMS);
    return w->lack.why == NULL;
}

static bool is_counter(const walker *w, const carried *c, const sir_stmt *s)
{
    return c->local != NULL && c->local == &w->frame->local[s->u.for_.local];
}

// Behind the loop what changes is what the variables are. Nothing may want the counter.
static void leave_loop(walker *w, carried_values *all, const sir_stmt *s, uint32_t number_of)
{
    uint32_t *after = ARENA_ARRAY(w->arena, uint32_t, all->len + 1);
    for (size_t i = 0; i < all->len; i++) {
        const carried *c = &all->data[i];
        after[i] = is_counter(w, c, s) ? op2(w, THREAD_ADD, c->variable, number(w, s->u.for_.step))
                                       : carried_node(w, now(c), c->type);
    }
    bool *seen = ARENA_ARRAY(w->arena, bool, w->ops->nodes.len + 1);
    for (size_t i = 0; i < all->len; i++)
        if (!is_counter(w, &all->data[i], s))
            thread_ops_mark(w->ops, after[i], seen);
    for (size_t i = number_of + 1; i < w->loops.len; i++) {
        const thread_loop *inner = &w->loops.data[i];
        for (size_t k = 0; k < inner->variables.len; k++) {
            thread_ops_mark(w->ops, inner->before.data[k], seen);
            thread_ops_mark(w->ops, inner->after.data[k], seen);
        }
    }
    thread_loop *loop = &w->loops.data[number_of];
    for (size_t i = 0; i < all->len; i++) {
        carried *c = &all->data[i];
        bool changes = is_counter(w, c, s) ? seen[c->variable] : after[i] != c->variable;
        set(c, changes ? made(c->variable) : c->was);
        if (!changes)
            continue;
        VEC_PUSH(w->arena, &loop->variables, c->variable);
        VEC_PUSH(w->arena, &loop->before, c->before);
        VEC_PUSH(w->arena, &loop->after, after[i]);
    }
}

static void walk_kept(walker *w, const sir_stmt *s, int64_t first, int64_t rounds)
{
    carried_values all = {0};
    uint32_t number_of = (uint32_t)w->loops.len, parent = w->loop;
    w->frame->local[s->u.for_.local] = (known_value){.known = true, .v = {.i = (int32_t)first}};
    find_carried(w, s, &all);
    double *growth = ARENA_ARRAY(w->arena, double, all.len + 1);
    bool whole_ones = false;
    for (VEC_EACH(carried, c, &all))
        whole_ones = whole_ones || is_whole(c->type);
    double times = (double)rounds * (parent == NO_LOOP ? 1 : w->loops.data[parent].times);
    for (unsigned pass = whole_ones ? 0 : 1; pass < 2; pass++) {
        w->loops.len = number_of;
        VEC_PUSH(w->arena, &w->loops, (thread_loop){.rounds = rounds, .times = times, .parent = parent});
        w->loop = number_of;
        if (!walk_round(w, s, &all, growth, rounds))
            return;
        w->loop = parent;
        for (size_t i = 0; i < all.len; i++) {
            const carried *c = &all.data[i];
            if (!is_whole(c->type))
                continue;
            uint32_t after = carried_node(w, now(c), c->type);
            double grown = is_counter(w, c, s) ? fabs((double)s->u.for_.step)
                                               : w->ops->bounds.data[after] - w->ops->bounds.data[c->variable];
            if (pass == 0)
                growth[i] = grown > 0 ? grown : 0;
            else if (grown > growth[i] || (w->ops->positive.data[c->variable] && !w->ops->positive.data[after]))
                (void)lack(w, s->loc, PLAN_WHY_LONG_LOOP_INTS);
        }
    }
    if (w->lack.why == NULL)
        leave_loop(w, &all, s, number_of);
}

static void walk_for(walker *w, const sir_stmt *s)
{
    known_value lo = walk_expr(w, s->u.for_.lo), hi = walk_expr(w, s->u.for_.hi);
    if (!lo.known || !hi.known) {
        lack(w, s->loc, PLAN_WHY_TRIPS);
        return;
    }
    int32_t step = s->u.for_.step;
    int64_t way = step > 0 ? (int64_t)hi.v.i - lo.v.i : (int64_t)lo.v.i - hi.v.i,
            size = step > 0 ? step : -(int64_t)step;
    int64_t rounds = way > 0 ? (way + size - 1) / size : 0;
    if (w->keep > 0 && rounds >= w->keep) {
        walk_kept(w, s, lo.v.i, rounds);
        return;
    }
    w->longest = rounds > w->longest ? rounds : w->longest;
    for (int64_t i = lo.v.i; (step > 0 ? i < hi.v.i : i > hi.v.i) && w->lack.why == NULL; i += step) {
        w->frame->local[s->u.for_.local] = (known_value){.known = true, .v = {.i = (int32_t)i}};
        if (++w->steps > THREAD_STEPS)
            too_many(w, s->loc);
        walk_block(w, &s->u.for_.body);
    }
}

static void walk_loop(walker *w, const sir_stmt *s)
{
    for (bool first = true; w->lack.why == NULL; first = false) {
        if (!first || !s->u.loop.post_test) {
            walk_block(w, &s->u.loop.pre);
            known_value c = s->u.loop.cond == NULL ? unknown : walk_expr(w, s->u.loop.cond);
            if (!c.known)
                lack(w, s->loc, PLAN_WHY_TRIPS);
            if (c.v.i == 0)
                return;
        }
        walk_block(w, &s->u.loop.body);
        walk_block(w, &s->u.loop.step);
    }
}

static void walk_call(walker *w, const sir_stmt *s)
{
    const sir_function *f = s->u.call.function;
    frame inner = {.function = f, .caller = w->frame};
    if (f->kind != SIR_HELPER) {
        lack(w, s->loc, PLAN_WHY_NATIVE_CALL);
        return;
    }
    inner.local = ARENA_ARRAY(w->arena, known_value, f->locals.len + 1);
    inner.elements = ARENA_ARRAY(w->arena, uint32_t *, f->locals.len + 1);
    for (size_t i = 0; i < s->u.call.args.len; i++) {
        const sir_expr *argument = s->u.call.args.data[i];
        element_place place;
        if (f->locals.data[i].type->kind != SIR_ARRAY) {
            inner.local[i] = walk_expr(w, argument);
        } else if (walk_place(w, argument, &place), place.computed != 0) {
            lack(w, argument->loc, PLAN_WHY_TABLE_COPY);
        } else if (place.elements != NULL) {
            inner.elements[i] = place.elements + place.at;
        }
    }
    if (++w->steps > THREAD_STEPS)
        lack(w, s->loc, PLAN_WHY_MANY_OPERATIONS);
    w->frame = &inner;
    w->result = unknown;
    walk_block(w, &f->body);
    w->frame = inner.caller;
    assign(w, s->u.call.target, w->result);
}

static void walk_declaration(walker *w, const sir_stmt *s)
{
    const sir_local *l = &w->frame->function->locals.data[s->u.decl.local];
    const sir_type *item = number_type(l->type);
    of_type(w, l->type, s->loc);
    known_value zero = {.known = true};
    if (l->type->kind == SIR_ARRAY && l->type->words > THREAD_STEPS) {
        lack(w, s->loc, PLAN_WHY_LARGE_ARRAY);
        return;
    }
    if (l->type->kind == SIR_ARRAY) {
        uint32_t *elements = ARENA_ARRAY(w->arena, uint32_t, l->type->words + 1);
        for (uint64_t i = 0; i < l->type->words && w->lack.why == NULL; i++)
            elements[i] = node_of(w, zero, item);
        w->frame->elements[s->u.decl.local] = elements;
        return;
    }
    w->frame->local[s->u.decl.local] = s->u.decl.init == NULL ? zero : walk_expr(w, s->u.decl.init);
}

static void walk_stmt(walker *w, const sir_stmt *s)
{
    switch ((sir_stmt_kind)s->kind) {
    case SIR_DECL: walk_declaration(w, s); return;
    case SIR_SET:
        if (s->u.set.value->type->kind == SIR_ARRAY)
            assign_array(w, s->u.set.target, s->u.set.value);
        else
            assign(w, s->u.set.target, walk_expr(w, s->u.set.value));
        return;
    case SIR_POP:
        w->popped++;
        if (w->popped > w->reach)
            w->reach = w->popped;
        assign(w, s->u.set.target, made(item(w, w->popped - 1)));
        return;
    case SIR_PUSH: {
        known_value v = walk_expr(w, s->u.value);
        uint32_t node = node_of(w, v, s->u.value->type);
        if (is_whole(s->u.value->type) && w->lack.why == NULL)
            (void)whole(w, s->loc, node);
        VEC_PUSH(w->arena, &w->pushed, node);
        return;
    }
    case SIR_CALL: walk_call(w, s); return;
    case SIR_IF: walk_if(w, s); return;
    case SIR_FOR: walk_for(w, s); return;
    case SIR_LOOP: walk_loop(w, s); return;
    case SIR_BLOCK: walk_block(w, &s->u.block); return;
    case SIR_RETURN:
        if (s->u.value != NULL && s->u.value->type->kind != SIR_ARRAY)
            w->result = walk_expr(w, s->u.value);
        if (w->frame->caller == NULL)
            lack(w, s->loc, PLAN_WHY_RETURNS_EARLY);
        return;
    case SIR_PRINT: lack(w, s->loc, PLAN_WHY_PRINTS); return;
    case SIR_RANDOM: lack(w, s->loc, PLAN_WHY_DRAWS_RANDOM); return;
    case SIR_SEND: lack(w, s->loc, PLAN_WHY_SENDS); return;
    case SIR_BREAK:
    case SIR_CONTINUE: break;
    }
    lack(w, s->loc, PLAN_WHY_LEAVES_LOOP);
}

static void walk_block(walker *w, const sir_block *b)
{
    for (size_t i = 0; i < b->len && w->lack.why == NULL; i++)
        walk_stmt(w, b->data[i]);
}

// ---- A firing ----

static int64_t count_tables(walker *w)
{
    bool *seen = ARENA_ARRAY(w->arena, bool, w->filter->fields.len + 1);
    int64_t count = 0;
    for (VEC_EACH(thread_node, n, &w->ops->nodes)) {
        float field = 0;
        if (n->op != THREAD_LOOKUP)
            continue;
        memcpy(&field, &w->ops->nodes.data[n->b].a, sizeof field);
        count += !seen[(size_t)field];
        seen[(size_t)field] = true;
    }
    return count;
}

thread_walk thread_walk_of(arena *a, const sir_filter *f, const sir_function *work, const thread_walk_options *options)
{
    frame outer = {.function = work};
    walker w = {.arena = a,
                .inexact = options->inexact,
                .bounding = options->bounding,
                .filter = f,
                .frame = &outer,
                .keep = options->keep,
                .loop = NO_LOOP};
    w.ops = thread_ops_create(a, options->items.most, options->items.positive);
    outer.local = ARENA_ARRAY(a, known_value, work->locals.len + 1);
    outer.elements = ARENA_ARRAY(a, uint32_t *, work->locals.len + 1);
    walk_block(&w, &work->body);
    thread_walk found = {.ops = w.ops,
                         .pushed = w.pushed,
                         .tables = count_tables(&w),
                         .longest = w.longest,
                         .reach = w.reach,
                         .lack = w.lack,
                         .too_long = w.too_long,
                         .too_large = w.too_large};
    for (VEC_EACH(thread_loop, l, &w.loops))
        VEC_PUSH(a, &found.loops, *l);
    return found;
}
