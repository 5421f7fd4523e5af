// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops whose trips are lanes: each has its own elements of the state, as siblings that one filter does have (resonators,
// oscillators, a bank of channels), and waits for no other trip. The C compiler is told to do them side by side.
//
// It would find that out by itself where a loop is long. Short ones it writes out first, and then looks for what is equal
// in their trips: constants that stand in them by then make them unlike, and a sum of products with factors of both signs
// became a sum, a difference, and a choice of the two, one behind the other. So it goes with products of a vector and a
// matrix of constants, which what several firings of a recursive filter do at once (hlc/passes/look_ahead.c) are.
//
// NOTE(counts). So are the trips of a loop that adds ints, as one that counts what is less than the firing's item:
//
//     for (ptrdiff_t i = 0; i < 16; i++)
//         if (in[i + 1] < me)
//             count++;
//
// Sums of ints are the same in any order. The C compiler would write that out, and make vectors of the firings, whose items
// lie apart, so that it loads them one by one.
#include "hlc/emit/body_int.h"
#include "hlc/ir/walk.h"

// Items of a trip up to which a vector's are put together and taken apart by shuffles.
enum { LEAST_TRIPS = 4, MOST_ITEMS = 2 };
// Trips of a loop that are no vector where others read across them.
enum { MOST_CROSSED = 8 };
// Trips of a loop that adds from which vectors are worth the sum of their lanes.
enum { LEAST_SUMMED = 16 };

typedef struct sides_walk {
    const body_context *c;
    uint32_t trip;         // the loop's variable
    bool *own;             // per local: declared in the loop
    bool *fields, *locals; // arrays that the loop writes
    bool state;            // it writes one of the state
    bool ahead;            // it does several firings' work
    bool *sums;            // per local: of ints, that the loop adds to; see NOTE(counts)
    bool adds;             // there are such
    bool fails;
} sides_walk;

static bool mentions(const sides_walk *w, const sir_expr *e)
{
    if (e->kind == SIR_LOCAL)
        return e->index == w->trip || w->own[e->index];
    for (size_t i = 0; e->kind != SIR_CONST && i < sir_expr_arity(e); i++)
        if (mentions(w, e->u.arg[i]))
            return true;
    return e->kind != SIR_CONST && sir_expr_arity(e) == 0; // whatever else it may be
}

static bool is_trip(const sides_walk *w, const sir_expr *e)
{
    return e->kind == SIR_LOCAL && e->index == w->trip;
}

// Items of neighbouring trips lie side by side, or in pairs, of which each has one; or, offset: all have the same one.
static bool is_row(const sides_walk *w, const body_tape *t, const sir_expr *offset)
{
    int64_t step = 0;
    for (VEC_EACH(const body_term, x, &t->position.terms))
        step += x->local == w->trip ? x->coefficient : 0;
    bool close = t->view.count == 0 || (t->view.count == 1 && t->view.digits[0].stride == 1);
    if (!t->affine || t->checked)
        return false;
    if (offset == NULL)
        return close && step >= 1 && step <= MOST_ITEMS;
    if (is_trip(w, offset))
        return close && step == 0;
    return !mentions(w, offset) && (step == 0 || (close && step == 1));
}

static bool is_plain(const sir_expr *e)
{
    switch ((sir_expr_kind)e->kind) {
    case SIR_CONST:
    case SIR_LOCAL:
    case SIR_FIELD:
    case SIR_INDEX:
    case SIR_PEEK:
    case SIR_UNARY:
    case SIR_SELECT: return true;
    case SIR_CONVERT:
        return (e->type->kind == SIR_FLOAT && e->u.arg[0]->type->kind == SIR_INT) || e->type->kind == SIR_DOUBLE;
    case SIR_BINARY: return (e->op != LANG_OP_DIV && e->op != LANG_OP_REM) || e->type->kind == SIR_FLOAT;
    case SIR_MATH:
        return e->op == LANG_MATH_ABS || e->op == LANG_MATH_MIN || e->op == LANG_MATH_MAX || e->op == LANG_MATH_SQRT;
    default: return false;
    }
}

// An element that is the trip's own, or one that all trips read.
static void check_element(sides_walk *w, const sir_expr *e)
{
    const sir_expr *root = e->u.arg[0];
    for (; root->kind == SIR_INDEX; root = root->u.arg[0])
        w->fails |= mentions(w, root->u.arg[1]);
    w->fails |= root->kind != SIR_FIELD && root->kind != SIR_LOCAL;
    if (w->fails || is_trip(w, e->u.arg[1]))
        return;
    w->fails |= mentions(w, e->u.arg[1]) || (root->kind == SIR_FIELD ? w->fields : w->locals)[root->index];
}

static void check_expr(sides_walk *w, const sir_expr *e)
{
    sir_type_kind kind = (sir_type_kind)e->type->kind;
    w->fails |= !is_plain(e) || is_trip(w, e) ||
                (kind != SIR_FLOAT && kind != SIR_INT && kind != SIR_BOOLEAN && (kind != SIR_DOUBLE || !w->ahead));
    if (w->fails || e->kind == SIR_CONST)
        return;
    if (e->kind == SIR_LOCAL)
        w->fails |= w->sums[e->index];
    if (e->kind == SIR_INDEX) {
        check_element(w, e);
        return;
    }
    if (e->kind == SIR_PEEK) {
        w->fails |= !is_row(w, &w->c->in, e->u.arg[0]);
        return;
    }
    if (e->kind == SIR_FIELD) // a scalar of the state may be what another trip wrote
        w->fails |= w->fields[e->index];
    for (size_t i = 0; i < sir_expr_arity(e); i++)
        check_expr(w, e->u.arg[i]);
}

static void check_target(sides_walk *w, const sir_expr *target)
{
    if (target->kind == SIR_LOCAL)
        w->fails |= !w->own[target->index];
    else if (target->kind == SIR_INDEX)
        check_element(w, target);
    else
        w->fails = true;
    w->fails |= target->kind == SIR_INDEX && !is_trip(w, target->u.arg[1]);
}

// What the statement adds to an int, which nothing else in the loop reads; NULL: it does something else.
static const sir_expr *added(const sides_walk *w, const sir_stmt *s)
{
    if (s->kind != SIR_SET)
        return NULL;
    const sir_expr *target = s->u.set.target, *sum = s->u.set.value;
    if (target->kind != SIR_LOCAL || w->own[target->index] || target->type->kind != SIR_INT ||
        sum->kind != SIR_BINARY || (sum->op != LANG_OP_ADD && sum->op != LANG_OP_SUB) ||
        sum->u.arg[0]->kind != SIR_LOCAL || sum->u.arg[0]->index != target->index)
        return NULL;
    return sum->u.arg[1];
}

static void find_sums(sides_walk *w, const sir_stmt *s)
{
    if (added(w, s) != NULL)
        w->adds = w->sums[s->u.set.target->index] = true;
    else if (s->kind == SIR_IF)
        for (size_t i = 0; i < s->u.if_.then.len; i++)
            find_sums(w, s->u.if_.then.data[i]);
}

static void check_stmt(sides_walk *w, const sir_stmt *s);

// A condition guards sums alone.
static void check_if(sides_walk *w, const sir_stmt *s)
{
    check_expr(w, s->u.if_.cond);
    w->fails |= !w->adds || s->u.if_.otherwise.len != 0;
    for (size_t i = 0; i < s->u.if_.then.len && !w->fails; i++) {
        w->fails |= added(w, s->u.if_.then.data[i]) == NULL;
        check_stmt(w, s->u.if_.then.data[i]);
    }
}

static void find_written(sides_walk *w, sir_stmt *s)
{
    const sir_expr *root = sir_assigned_root(s);
    if (s->kind == SIR_DECL)
        w->own[s->u.decl.local] = true;
    if (root == NULL)
        return;
    if (root->kind == SIR_FIELD)
        w->fields[root->index] = w->state = true;
    else if (root->kind == SIR_LOCAL)
        w->locals[root->index] = true;
}

static void check_stmt(sides_walk *w, const sir_stmt *s)
{
    const sir_expr *more = added(w, s);
    if (more != NULL && w->adds) {
        check_expr(w, more);
        return;
    }
    switch ((sir_stmt_kind)s->kind) {
    case SIR_DECL:
        w->fails |= s->u.decl.init != NULL && s->u.decl.init->type->kind == SIR_ARRAY;
        if (s->u.decl.init != NULL && !w->fails)
            check_expr(w, s->u.decl.init);
        break;
    case SIR_SET:
        check_target(w, s->u.set.target);
        check_expr(w, s->u.set.value);
        break;
    case SIR_POP:
        w->fails |= !is_row(w, &w->c->in, NULL);
        if (s->u.set.target != NULL)
            check_target(w, s->u.set.target);
        break;
    case SIR_PUSH:
        w->fails |= !is_row(w, &w->c->out, NULL);
        check_expr(w, s->u.value);
        break;
    case SIR_IF: check_if(w, s); break;
    default: w->fails = true;
    }
}

static bool is_power(int64_t n)
{
    return n > 0 && (n & (n - 1)) == 0;
}

// Whether each firing takes at least as many items of its own as the loop has trips, so that the next one's lie apart.
static bool lies_apart(const sir_function *f, int64_t trips)
{
    return f->pop.max >= trips && f->peek.max <= f->pop.max;
}

typedef struct cross_walk {
    const sides_walk *w;
    bool *counts; // per local: a loop counts it
    bool crosses;
} cross_walk;

static void note_count(void *context, sir_stmt *s)
{
    cross_walk *x = context;
    if (s->kind == SIR_FOR)
        x->counts[s->u.for_.local] = true;
}

static void note_crossing(void *context, sir_expr *e, bool written)
{
    cross_walk *x = context;
    (void)written;
    const sir_expr *root = e->kind == SIR_INDEX && e->type->kind != SIR_ARRAY ? sir_lvalue_root(e) : NULL;
    if (root == NULL || root->kind != SIR_FIELD || !x->w->fields[root->index])
        return;
    const sir_expr *at = e->u.arg[1];
    x->crosses |= at->kind != SIR_LOCAL || !x->counts[at->index];
}

static void note_crossings(void *context, sir_stmt *s)
{
    sir_visit_exprs(s, note_crossing, context);
}

// Whether trips elsewhere read what others of a short loop wrote, as the states of a decoder do: a vector would be put together
// of numbers and taken apart again in each firing.
static bool crosses(const sides_walk *w)
{
    cross_walk x = {.w = w, .counts = ARENA_ARRAY(w->c->e->arena, bool, w->c->function->locals.len + 1)};
    sir_visit_stmts(&w->c->function->body, note_count, &x);
    sir_visit_stmts(&w->c->function->body, note_crossings, &x);
    return x.crosses;
}

int body_trips_aside(body_context *c, const sir_stmt *s)
{
    int64_t trips;
    const sir_block *b = &s->u.for_.body;
    if (c->e->most_trips == 0 || c->info == NULL || c->function->kind != SIR_WORK || c->dynamic || c->open != NULL ||
        c->info->filter->finite || c->lanes > 0 || c->vectors > 0 || !sir_for_trips(s, &trips) || trips < LEAST_TRIPS ||
        trips > c->e->most_trips || !is_power(trips) || s->u.for_.step != 1 || body_const_int(s->u.for_.lo) != 0)
        return 0;
    sides_walk w = {.c = c, .trip = s->u.for_.local, .ahead = c->function == c->info->filter->ahead};
    w.own = ARENA_ARRAY(c->e->arena, bool, c->function->locals.len + 1);
    w.locals = ARENA_ARRAY(c->e->arena, bool, c->function->locals.len + 1);
    w.sums = ARENA_ARRAY(c->e->arena, bool, c->function->locals.len + 1);
    w.fields = ARENA_ARRAY(c->e->arena, bool, c->info->filter->fields.len + 1);
    for (size_t i = 0; i < b->len; i++)
        find_written(&w, b->data[i]);
    w.state |= w.ahead;
    if (!w.state && trips >= LEAST_SUMMED && lies_apart(c->function, trips))
        for (size_t i = 0; i < b->len; i++)
            find_sums(&w, b->data[i]);
    for (size_t i = 0; i < b->len && !w.fails && (w.state || w.adds); i++)
        check_stmt(&w, b->data[i]);
    if (w.fails || (!w.state && !w.adds) || (trips <= MOST_CROSSED && crosses(&w)))
        return 0;
    c->aside_adds |= w.adds;
    return (int)trips;
}
