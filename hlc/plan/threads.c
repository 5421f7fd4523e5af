// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads have no integers, no memory and no loops: everything but floats must be gone when a thread function is unrolled. So
// a firing is walked here as it would run, with ints and conditions that are known; what computes with an int that is not known
// cannot be a thread. Items that are ints may be compared with each other, chosen and moved, as floats have these results. Of conditions that are not known both ways are walked, as both are computed.
#include "hlc/plan/threads.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "hlc/ir/ops.h"
#include "hlc/passes/pass.h"
#include "hlc/plan/plan_int.h"
#include "hlc/plan/thread_ops.h"

enum {
    MOST_STEPS = 40000, // of the walk: far more than a program has instructions
    MOST_FIRINGS = 4,
    ELEMENT = 4,
    BYTES = 16, // of an element
    MOST_INPUTS = 16,
    MOST_OUTPUTS = 4,
    MOST_WIDTH = 4096,   // of a domain
    MOST_PITCH = 8188,   // of an input, in elements
    GENERATIONS = 8,     // of batches in a launch, at least
    STARTS = 32,         // a launch's threads take so many times the cycles that it begins and ends with
    MOST_LOOKUPS = 110,  // they stay in registers, and coordinates and sums need some
    MOST_WINDOWS = 1024, // elements of a domain's windows: what nothing reads is looked up by none
    SPARE = 4,           // of so many instructions one is spare: it is estimated how many there are
};

typedef struct known_value {
    bool known;
    bool mixed;    // an int that a branch may have left known: nothing may read it any more
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
    bool inexact; // the processor's own division and roots will do
    const sir_filter *filter;
    frame *frame;
    int64_t popped, reach; // items
    thread_ops *ops;
    thread_values pushed;
    int64_t steps;
    known_value result; // of the function that has returned
    plan_lack lack;
} walker;

static const known_value unknown = {0};

static known_value lack(walker *w, sir_loc loc, const char *text)
{
    if (w->lack.text == NULL)
        w->lack = (plan_lack){text, loc, "pipeline"};
    return unknown;
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
        return lack(w, loc, "computes with other types than float");
    return unknown;
}

static known_value whole_number(walker *w, sir_loc loc)
{
    return lack(w, loc, "computes with integers that are known only as it runs");
}

// ---- What is computed ----

static known_value made(uint32_t node)
{
    return (known_value){.node = node};
}

// A known value is a number; a boolean is 1 or -1.
static uint32_t node_of(walker *w, known_value v, const sir_type *t)
{
    if (!v.known)
        return v.node;
    if (t->kind == SIR_BOOLEAN)
        return thread_ops_number(w->ops, v.v.i != 0 ? 1 : -1);
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

static uint32_t chosen(walker *w, uint32_t truth, const sir_type *t, uint32_t yes, uint32_t no)
{
    if (t->kind == SIR_BOOLEAN) {
        yes = upright(w, yes);
        no = upright(w, no);
    }
    return op3(w, THREAD_SELECT, truth, yes, no);
}

// ---- Expressions ----

// Where an element is: in a constant table, or in a local array.
typedef struct element_place {
    const sir_value *table;
    uint32_t *elements;
    uint64_t at;
} element_place;

static known_value walk_expr(walker *w, const sir_expr *e);

// Subscripts must be known.
static known_value walk_place(walker *w, const sir_expr *e, element_place *place)
{
    *place = (element_place){0};
    if (e->kind == SIR_FIELD && w->filter->fields.data[e->index].constant) {
        place->table = &w->filter->fields.data[e->index].init;
        return unknown;
    }
    if (e->kind == SIR_LOCAL) {
        place->elements = w->frame->elements[e->index];
        return of_type(w, w->frame->function->locals.data[e->index].type, e->loc);
    }
    if (e->kind != SIR_INDEX)
        return e->kind == SIR_GLOBAL ? unknown : lack(w, e->loc, "computes with structs or complex numbers");
    walk_place(w, e->u.arg[0], place);
    known_value index = walk_expr(w, e->u.arg[1]);
    if (!index.known)
        return lack(w, e->loc, "has a subscript that is known only as it runs");
    if (index.v.i < 0 || (uint32_t)index.v.i >= e->u.arg[0]->type->length)
        return lack(w, e->loc, "has a subscript outside of its array");
    place->at += (uint64_t)index.v.i * e->type->words;
    return unknown;
}

static known_value walk_index(walker *w, const sir_expr *e)
{
    element_place place;
    walk_place(w, e, &place);
    if (w->lack.text != NULL || e->type->kind == SIR_ARRAY)
        return unknown;
    if (place.table != NULL)
        return (known_value){.known = true, .v = place.table->zero ? (sir_scalar){0} : place.table->data[place.at]};
    return place.elements != NULL ? made(place.elements[place.at]) : unknown;
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
    bool compares = sir_binary_ops[e->op].class == SIR_OP_COMPARE || sir_binary_ops[e->op].class == SIR_OP_EQUAL;
    if (is_whole(t) && (!compares || a.known || b.known))
        return whole_number(w, e->loc);
    if (t->kind == SIR_FLOAT && e->op == LANG_OP_DIV && !w->inexact)
        return lack(w, e->loc, "divides, which is not rounded there as elsewhere");
    of_type(w, t, e->loc);
    uint32_t left = node_of(w, a, t);
    return made(computed(w, (lang_binary_op)e->op, t, left, node_of(w, b, t)));
}

static known_value walk_unary(walker *w, const sir_expr *e)
{
    known_value a = walk_expr(w, e->u.arg[0]), r = {.known = true};
    if (a.known && sir_eval_unary((lang_unary_op)e->op, e->u.arg[0]->type, a.v, &r.v))
        return r;
    if (is_whole(e->type))
        return whole_number(w, e->loc);
    of_type(w, e->type, e->loc);
    return made(op1(w, e->op == LANG_OP_NOT ? THREAD_NOT : THREAD_NEG, node_of(w, a, e->type)));
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
    if (is_whole(t) && ((e->op != LANG_MATH_MIN && e->op != LANG_MATH_MAX) || a.known || b.known))
        return whole_number(w, e->loc);
    bool exact = e->op == LANG_MATH_ABS || e->op == LANG_MATH_MIN || e->op == LANG_MATH_MAX ||
                 e->op == LANG_MATH_FLOOR || (e->op == LANG_MATH_SQRT && w->inexact);
    if (!exact)
        return lack(w, e->loc,
                    arena_printf(w->arena, "uses %s, which is not there as elsewhere", sir_math_ops[e->op].name));
    of_type(w, t, e->loc);
    uint32_t left = node_of(w, a, t), right = node_of(w, b, t);
    switch ((lang_math_op)e->op) {
    case LANG_MATH_ABS: return made(op1(w, THREAD_ABS, left));
    case LANG_MATH_MIN: return made(op2(w, THREAD_MIN, left, right));
    case LANG_MATH_MAX: return made(op2(w, THREAD_MAX, left, right));
    case LANG_MATH_SQRT: return made(op1(w, THREAD_SPECIAL, op1(w, THREAD_SPECIAL, left)));
    default: return made(op2(w, THREAD_ADD, left, op1(w, THREAD_NEG, op1(w, THREAD_FRACTION, left))));
    }
}

static known_value walk_select(walker *w, const sir_expr *e)
{
    known_value c = walk_expr(w, e->u.arg[0]);
    if (c.known)
        return walk_expr(w, e->u.arg[c.v.i != 0 ? 1 : 2]);
    known_value yes = walk_expr(w, e->u.arg[1]), no = walk_expr(w, e->u.arg[2]);
    if (is_whole(e->type) && (yes.known || no.known))
        return whole_number(w, e->loc);
    of_type(w, e->type, e->loc);
    uint32_t a = node_of(w, yes, e->type);
    return made(chosen(w, c.node, e->type, a, node_of(w, no, e->type)));
}

static known_value walk_convert(walker *w, const sir_expr *e)
{
    known_value a = walk_expr(w, e->u.arg[0]);
    if (a.known && is_number_type(e->type))
        return (known_value){.known = true, .v = sir_eval_convert(e->u.arg[0]->type, e->type, a.v)};
    if (is_whole(e->type))
        return whole_number(w, e->loc);
    of_type(w, e->type, e->loc);
    return made(a.node);
}

static uint32_t item(walker *w, int64_t number)
{
    return thread_ops_add(w->ops, THREAD_ITEM, (uint32_t)number, 0, 0);
}

static known_value walk_peek(walker *w, const sir_expr *e)
{
    known_value at = walk_expr(w, e->u.arg[0]);
    if (!at.known)
        return lack(w, e->loc, "looks ahead by a number that is known only as it runs");
    if (w->popped + at.v.i + 1 > w->reach)
        w->reach = w->popped + at.v.i + 1;
    return made(item(w, w->popped + at.v.i));
}

static known_value walk_local(walker *w, const sir_expr *e)
{
    known_value v = e->type->kind == SIR_ARRAY ? unknown : w->frame->local[e->index];
    return v.mixed ? whole_number(w, e->loc) : v;
}

static known_value walk_expr(walker *w, const sir_expr *e)
{
    if (w->lack.text != NULL || ++w->steps > MOST_STEPS)
        return lack(w, e->loc, "has too many operations");
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
    case SIR_MAKE_COMPLEX: return lack(w, e->loc, "computes with structs or complex numbers");
    case SIR_ITER: break;
    }
    return lack(w, e->loc, "counts its firings");
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
            whole_number(w, target->loc);
        walk_place(w, target, &place);
        if (w->lack.text == NULL && place.elements != NULL)
            place.elements[place.at] = node_of(w, v, target->type);
    }
}

static void assign_array(walker *w, const sir_expr *target, const sir_expr *value)
{
    element_place to, from;
    walk_place(w, target, &to);
    walk_place(w, value, &from);
    if (w->lack.text != NULL || to.elements == NULL)
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
    return a.known == b.known && a.mixed == b.mixed && a.node == b.node && (!a.known || a.v.i == b.v.i);
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
        bool mixed = is_whole(t) && (now->known || was.known || now->mixed || was.mixed);
        uint32_t yes = node_of(w, was, t);
        *now = (known_value){.mixed = mixed, .node = chosen(w, truth, t, yes, node_of(w, *now, t))};
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

static void walk_for(walker *w, const sir_stmt *s)
{
    known_value lo = walk_expr(w, s->u.for_.lo), hi = walk_expr(w, s->u.for_.hi);
    if (!lo.known || !hi.known) {
        lack(w, s->loc, "has a loop whose trips are known only as it runs");
        return;
    }
    int32_t step = s->u.for_.step;
    for (int64_t i = lo.v.i; (step > 0 ? i < hi.v.i : i > hi.v.i) && w->lack.text == NULL; i += step) {
        w->frame->local[s->u.for_.local] = (known_value){.known = true, .v = {.i = (int32_t)i}};
        if (++w->steps > MOST_STEPS)
            lack(w, s->loc, "has too many operations");
        walk_block(w, &s->u.for_.body);
    }
}

static void walk_loop(walker *w, const sir_stmt *s)
{
    for (bool first = true; w->lack.text == NULL; first = false) {
        if (!first || !s->u.loop.post_test) {
            walk_block(w, &s->u.loop.pre);
            known_value c = s->u.loop.cond == NULL ? unknown : walk_expr(w, s->u.loop.cond);
            if (!c.known)
                lack(w, s->loc, "has a loop whose trips are known only as it runs");
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
        lack(w, s->loc, "calls a native function");
        return;
    }
    inner.local = ARENA_ARRAY(w->arena, known_value, f->locals.len + 1);
    inner.elements = ARENA_ARRAY(w->arena, uint32_t *, f->locals.len + 1);
    for (size_t i = 0; i < s->u.call.args.len; i++) {
        const sir_expr *argument = s->u.call.args.data[i];
        element_place place;
        if (f->locals.data[i].type->kind != SIR_ARRAY) {
            inner.local[i] = walk_expr(w, argument);
        } else if (walk_place(w, argument, &place), place.elements != NULL) {
            inner.elements[i] = place.elements + place.at;
        }
    }
    if (++w->steps > MOST_STEPS)
        lack(w, s->loc, "has too many operations");
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
    if (l->type->kind == SIR_ARRAY && is_whole(item) && s->u.decl.init == NULL && !s->u.decl.uninitialised)
        whole_number(w, s->loc);
    known_value zero = {.known = true};
    if (l->type->kind == SIR_ARRAY && l->type->words > MOST_STEPS) {
        lack(w, s->loc, "has too large an array");
        return;
    }
    if (l->type->kind == SIR_ARRAY) {
        uint32_t *elements = ARENA_ARRAY(w->arena, uint32_t, l->type->words + 1);
        for (uint64_t i = 0; i < l->type->words && w->lack.text == NULL; i++)
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
        VEC_PUSH(w->arena, &w->pushed, node_of(w, v, s->u.value->type));
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
            lack(w, s->loc, "returns early");
        return;
    case SIR_PRINT: lack(w, s->loc, "prints"); return;
    case SIR_RANDOM: lack(w, s->loc, "draws random numbers"); return;
    case SIR_SEND: lack(w, s->loc, "sends messages"); return;
    case SIR_BREAK:
    case SIR_CONTINUE: break;
    }
    lack(w, s->loc, "leaves a loop early");
}

static void walk_block(walker *w, const sir_block *b)
{
    for (size_t i = 0; i < b->len && w->lack.text == NULL; i++)
        walk_stmt(w, b->data[i]);
}

// ---- Threads ----

static int64_t elements_of(int64_t items)
{
    return (items + ELEMENT - 1) / ELEMENT;
}

// How many firings a thread has: it writes whole elements, and pops whole ones, or else has so few lookups that each can have an
// input of its own. 0: there is no such number.
static int64_t firings_of(int64_t pop, int64_t push, int64_t window)
{
    for (unsigned apart = 0; apart < 2; apart++)
        for (int64_t n = 1; n <= MOST_FIRINGS; n *= 2)
            if (n * push % ELEMENT == 0 && n * push <= ELEMENT * MOST_OUTPUTS &&
                (apart == 0 ? n * pop % ELEMENT == 0 : elements_of((n - 1) * pop + window) <= MOST_INPUTS))
                return n;
    return 0;
}

// What the firings of a thread push, as one graph.
static thread_values outputs_of(walker *w, int64_t firings, int64_t pop)
{
    thread_values all = {0};
    size_t nodes = w->ops->nodes.len;
    for (int64_t f = 0; f < firings; f++) {
        uint32_t *copied = ARENA_ARRAY(w->arena, uint32_t, nodes);
        for (size_t i = 0; i < w->pushed.len; i++)
            VEC_PUSH(w->arena, &all, thread_ops_shift(w->ops, w->pushed.data[i], (uint32_t)(f * pop), copied));
    }
    return all;
}

// Of where a domain's windows are: each counter but one is a whole part and a remainder, and moves windows by a product. One needs
// the other.
static int64_t counter_slots(const plan_domain *d)
{
    enum { COUNTER = 4 };
    int64_t slots = COUNTER * ((int64_t)d->trips.len - 1);
    for (VEC_EACH(plan_window, w, &d->windows))
        for (VEC_EACH(int64_t, stride, &w->strides))
            slots += *stride > 1;
    return slots;
}

// Instructions, and lookups of what is read. Where elements continue each other there is one input, and the coordinates of all
// elements but the first are sums.
static void count_slots(walker *w, plan_thread *t, int64_t pop)
{
    enum { MOST_NODES = 8192 }; // operations of a firing
    if ((int64_t)w->ops->nodes.len > MOST_NODES) {
        t->slots = INT64_MAX;
        return;
    }
    thread_coordinates coordinates = t->firings * pop % ELEMENT != 0 ? THREAD_GIVEN
                                     : t->firings * pop == ELEMENT   ? THREAD_ALL_BUT_ONE
                                                                     : THREAD_ALL;
    thread_values outputs = outputs_of(w, t->firings, pop);
    t->slots = thread_ops_instructions(w->ops, &outputs, coordinates, &t->read);
    t->slots += t->domain != NULL ? counter_slots(t->domain) : 0;
}

// ---- Cycles ----

// A launch's cycles: at least what one batch takes. Many batches take what is busiest one after another, beside the first
// lookups and the end, in which those under way, half done in the mean, are followed by no others. docs/softproc.md has the
// formula.
static void count_cycles(const machine_processor *x, plan_thread *t)
{
    const machine_pipeline *m = &x->pipeline;
    double threads = (double)m->threads, alu = (double)t->slots, tex = (double)t->read, outputs = (double)t->outputs;
    double bytes = machine_bytes_per_second(m->link_bandwidth, x->clock) / x->clock; // of the link, a cycle
    double reads = (double)(m->operand_reads + 1), rotation = threads > reads ? threads : reads;
    double stages = (double)(m->operand_reads + m->threads + m->alu_stages), block = threads * BYTES;
    double held = ceil(stages / rotation) * rotation; // by an arithmetic instruction
    double latency = (machine_seconds(m->request_latency, x->clock) + machine_seconds(m->host_latency, x->clock) +
                      machine_seconds(m->memory_latency, x->clock) + machine_seconds(m->response_latency, x->clock)) *
                     x->clock;
    double response = (BYTES + (double)m->response_header) / bytes, request = (double)m->request_bytes / bytes;
    double packets = ceil(block / (double)m->largest_packet);
    double read = latency + request + response;
    double lookup =
        (double)(m->address_stages + m->return_stages) + read + (threads - 1) * (response > 1 ? response : 1);
    double batch = alu * held + tex * ceil(lookup / rotation) * rotation;
    double busiest[] = {alu * rotation,
                        tex * rotation,
                        tex * threads * response,
                        tex * threads * request + outputs * (block + packets * (double)m->write_header) / bytes,
                        tex * threads * read / (double)m->outstanding_reads,
                        batch / (double)m->batches};
    double most = 0;
    for (size_t i = 0; i < sizeof busiest / sizeof *busiest; i++)
        most = busiest[i] > most ? busiest[i] : most;
    t->least = batch;
    t->start = (t->read > 0 ? lookup : 0) + batch / 2;
    t->each = most / threads;
}

static const char *refusal(arena *a, const sir_filter *f, const machine_processor *x)
{
    const sir_function *work = f->work;
    const char *name = x->element.name;
    if ((f->input->kind != SIR_FLOAT && f->input->kind != SIR_INT) ||
        (f->output->kind != SIR_FLOAT && f->output->kind != SIR_INT))
        return arena_printf(a, "has items that are neither floats nor ints, as those of the threads of '%s' are", name);
    if (work->pop.dynamic || work->push.dynamic || work->peek.dynamic || work->pop.max <= 0 || work->push.max <= 0)
        return arena_printf(a, "has no fixed rates of at least 1, as threads of '%s' need them", name);
    if (f->prework != NULL)
        return arena_printf(a, "has a prework, and threads of '%s' are all alike", name);
    for (VEC_EACH(const sir_field, field, &f->fields))
        if (!field->constant)
            return arena_printf(a, "writes its field '%s'", field->name);
    return f->uses_random ? "uses random()"
           : f->uses_iter ? "counts its firings"
           : f->prints    ? "prints"
           : f->sends     ? "sends messages"
           : f->stateful  ? "has state"
                          : NULL;
}

// What a thread computes of firings that push more than it has outputs for; NULL: nothing is known that it could.
static const plan_domain *domain_of(arena *a, const sir_filter *f, const machine_processor *x)
{
    const sir_function *work = f->work;
    int64_t peek = work->peek.max > work->pop.max ? work->peek.max : work->pop.max;
    if ((uint64_t)work->push.max <= x->abilities.outputs || work->push.max > ELEMENT * MOST_WIDTH ||
        peek > ELEMENT * MOST_PITCH)
        return NULL;
    return plan_domain_of(a, f);
}

// Elements that stay in registers.
static int64_t held(const plan_thread *t)
{
    return t->domain != NULL && t->lookups <= MOST_WINDOWS ? t->read : t->lookups;
}

static const char *shape_lack(arena *a, const plan_thread *t, const sir_function *work, int64_t window,
                              const machine_processor *x)
{
    int64_t slots = (int64_t)(x->instruction_memory / 24 < 512 ? x->instruction_memory / 24 : 512);
    if (t->firings == 0)
        return arena_printf(
            a, "pops %" PRId64 " and pushes %" PRId64 " items, of which no few firings make whole elements of %d",
            work->pop.max, work->push.max, ELEMENT);
    if (held(t) > MOST_LOOKUPS)
        return arena_printf(a, "reads %" PRId64 " items for %" PRId64 " firings, more than a thread has registers for",
                            window, t->firings);
    if (t->slots > slots / SPARE * (SPARE - 1))
        return arena_printf(a, "needs about %" PRId64 " instructions as a thread, and '%s' has %" PRId64, t->slots,
                            x->element.name, slots);
    return NULL;
}

plan_lack plan_thread_of(const hlc_program *p, const sir_filter *f, const machine_processor *x, plan_thread *thread)
{
    arena *a = p->arena;
    const char *text = refusal(a, f, x);
    *thread = (plan_thread){0};
    if (text != NULL)
        return (plan_lack){text, f->loc, "pipeline"};
    thread->domain = domain_of(a, f, x);
    if (thread->domain == NULL && (uint64_t)f->work->push.max > x->abilities.outputs)
        return (plan_lack){arena_printf(a, "pushes %" PRId64 " items a firing, and '%s' %" PRIu64 " at most",
                                        f->work->push.max, x->element.name, x->abilities.outputs),
                           f->loc, "outputs"};
    const sir_function *work = thread->domain != NULL ? thread->domain->block->work : f->work;
    int64_t pop = work->pop.max, push = work->push.max;
    frame outer = {.function = work};
    walker w = {.arena = a, .inexact = p->config != NULL && p->config->target_fp, .filter = f, .frame = &outer};
    w.ops = thread_ops_create(a);
    outer.local = ARENA_ARRAY(a, known_value, work->locals.len + 1);
    outer.elements = ARENA_ARRAY(a, uint32_t *, work->locals.len + 1);
    walk_block(&w, &work->body);
    int64_t window = w.reach > pop ? w.reach : pop;
    thread->firings = firings_of(pop, push, window);
    window += (thread->firings - 1) * pop;
    thread->lookups = elements_of(window);
    thread->outputs = thread->firings * push / ELEMENT;
    if (w.lack.text == NULL && thread->firings > 0 && held(thread) <= MOST_LOOKUPS)
        count_slots(&w, thread, pop);
    count_cycles(x, thread);
    text = w.lack.text == NULL ? shape_lack(a, thread, work, window, x) : NULL;
    return text != NULL ? (plan_lack){text, f->loc, "pipeline"} : w.lack;
}

double plan_thread_firings(const plan_thread *t)
{
    return t->domain == NULL ? (double)t->firings : 1 / (double)plan_domain_threads(t->domain);
}

static const machine_processor *launcher_of(const hlc_program *p)
{
    const machine_processor *x = NULL;
    for (size_t i = 0; p->machine != NULL && i < p->machine->processors.len; i++) {
        const machine_processor *q = &p->machine->processors.data[i];
        x = x == NULL && q->kind == MACHINE_processor_kind_KERNEL && plan_launches(q) ? q : x;
    }
    return x;
}

bool plan_has_domain(const hlc_program *p, const sir_filter *f)
{
    const machine_processor *x = launcher_of(p);
    plan_thread t;
    return x != NULL && !f->finite && f->work != NULL && plan_thread_of(p, f, x, &t).text == NULL && t.domain != NULL;
}

// Steady states that give what takes longest so many threads, and in which starts of launches are a small part of all launches' cycles:
// filters that are the same may have one launch.
int64_t plan_threads_strip(hlc_program *p)
{
    const machine_processor *x = launcher_of(p);
    if (x == NULL)
        return 1;
    hmap seen; // filters
    hmap_init(&seen, p->arena);
    double most = 0, starts = 0, all = 0;
    int64_t strip = 1;
    for (uint32_t i = 0; i < p->module->actors.len; i++) {
        const sir_actor *actor = p->module->actors.data[i];
        plan_thread t;
        if (actor->kind != SIR_FILTER || plan_thread_of(p, actor->filter, x, &t).text != NULL)
            continue;
        double threads = (double)p->schedule->reps[i] / plan_thread_firings(&t), cycles = t.each * threads;
        starts += hmap_getn(&seen, &actor->filter, sizeof actor->filter) == NULL ? t.start : 0;
        hmap_setn(&seen, &actor->filter, sizeof actor->filter, &seen);
        all += cycles;
        if (cycles <= most)
            continue;
        most = cycles;
        strip = (int64_t)ceil((double)(GENERATIONS * x->pipeline.batches * x->pipeline.threads) / threads);
    }
    double wanted = all > 0 ? ceil(STARTS * starts / all) : 1;
    return wanted > (double)strip ? (int64_t)wanted : strip;
}
