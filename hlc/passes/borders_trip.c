// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Borders: a trip of a counted loop, executed with intervals. The loop's own variable has the trip's value, those of
// loops around it and in it have all of theirs, and arrays, fields and items may be anything.
//
// NOTE(own). What a test comes to matters to the loop where it depends on the loop's variable. Quotients that a long loop
// in it has alike in all of its own trips do not: C compilers take these out of a loop by themselves. A comparison there
// does, since what is done under it is not taken out.
#include <stdlib.h>

#include "hlc/ir/walk.h"
#include "hlc/passes/borders_int.h"

// Trips of a long loop; loops in a loop; how often a test may come to something else; locals that ifs take along, in all trips.
enum { BORDER_LONG = 8, BORDER_DEPTH = 60, BORDER_CHANGES = 4, BORDER_COPIED = 1 << 25 };

typedef struct border_int {
    sir_interval r;
    uint64_t loops; // whose variables it depends on: bit 0 the loop that is looked at, then those in it by depth
    bool safe;      // it is made of ints alone, and nothing stops the program or waits
} border_int;

typedef struct trip {
    border_trips *t;
    border_int *locals;
    const uint32_t *assigned; // in the loop: what the others are does not change
    size_t assigned_count;
    VEC(border_int *) before; // what these were, per if around what is executed
    size_t ifs;
    uint64_t asked;    // loops whose variables decide whether what is executed is
    unsigned depth;    // loops in the loop around what is executed
    uint64_t long_one; // the innermost long one of these, as a bit; 0: none
    int64_t *states;
    bool fails;
} trip;

static const sir_interval every_int = {INT32_MIN, INT32_MAX};

int64_t border_trip_count(const sir_stmt *s)
{
    int64_t n;
    if (!sir_for_trips(s, &n))
        return 0;
    const int64_t end = s->u.for_.lo->u.value.i + n * s->u.for_.step;
    return end < INT32_MIN || end > INT32_MAX ? 0 : n;
}

int32_t border_value(const sir_stmt *s, size_t at)
{
    return (int32_t)(s->u.for_.lo->u.value.i + (int64_t)at * s->u.for_.step);
}

// ---- Expressions ----

static bool is_int(const sir_type *t)
{
    return t->kind == SIR_INT || t->kind == SIR_BOOLEAN || t->kind == SIR_BIT;
}

static border_int unknown(const trip *x, const sir_type *t)
{
    bool truth = t->kind == SIR_BOOLEAN;
    return (border_int){truth ? (sir_interval){0, 1} : every_int, x->asked, false};
}

static border_int eval(trip *x, const sir_expr *e);

static bool is_one(sir_interval r)
{
    return r.lo == r.hi;
}

static border_int joined(border_int a, border_int b)
{
    return (border_int){sir_interval_hull(a.r, b.r), a.loops | b.loops, a.safe && b.safe};
}

// What a test comes to. v: its operands together.
static void note(trip *x, const sir_expr *e, border_int v, int64_t state)
{
    const size_t *at = hmap_getn(&x->t->tests, &e, sizeof e);
    bool compares = e->kind == SIR_BINARY && e->op >= LANG_OP_EQ && e->op <= LANG_OP_GE;
    bool alike = x->long_one != 0 && (v.loops & x->long_one) == 0 && !compares;
    bool own = v.safe && (v.loops & 1) != 0 && !alike;
    if (at != NULL)
        x->states[*at] = own ? state : BORDER_UNKNOWN;
}

// 0, 1 or BORDER_UNKNOWN.
static int64_t compare(int op, sir_interval a, sir_interval b)
{
    switch (op) {
    case LANG_OP_LT: return a.hi < b.lo ? 1 : a.lo >= b.hi ? 0 : BORDER_UNKNOWN;
    case LANG_OP_LE: return a.hi <= b.lo ? 1 : a.lo > b.hi ? 0 : BORDER_UNKNOWN;
    case LANG_OP_GT: return compare(LANG_OP_LT, b, a);
    case LANG_OP_GE: return compare(LANG_OP_LE, b, a);
    default: break;
    }
    int64_t same = a.hi < b.lo || a.lo > b.hi ? 0 : is_one(a) && is_one(b) ? 1 : BORDER_UNKNOWN;
    return same == BORDER_UNKNOWN ? same : op == LANG_OP_EQ ? same : !same;
}

static bool is_mask(int64_t n)
{
    return n > 0 && n < INT32_MAX && (n & (n + 1)) == 0;
}

// The quotient of '/', '%' and '& 2^k - 1' where it is one, by a constant.
static int64_t quotient_of(int op, sir_interval a, sir_interval b)
{
    if (!is_one(b) || (op == LANG_OP_AND ? !is_mask(b.lo) : b.lo <= 0))
        return BORDER_UNKNOWN;
    int64_t n = op == LANG_OP_AND ? b.lo + 1 : b.lo;
    if (op == LANG_OP_AND && a.lo < 0)
        return BORDER_UNKNOWN;
    return a.lo / n == a.hi / n ? a.lo / n : BORDER_UNKNOWN;
}

static border_int eval_divided(trip *x, const sir_expr *e, border_int a, border_int b)
{
    border_int v = joined(a, b);
    int64_t n = b.r.lo + (e->op == LANG_OP_AND), q = quotient_of(e->op, a.r, b.r);
    v.safe = v.safe && (e->op == LANG_OP_AND || b.r.lo > 0);
    // Only a constant divisor is put into what stands for a remainder.
    note(x, e, v, e->u.arg[1]->kind == SIR_CONST ? q : BORDER_UNKNOWN);
    v.r = sir_interval_binary(e->op, a.r, b.r);
    if (q != BORDER_UNKNOWN)
        v.r = e->op == LANG_OP_DIV ? (sir_interval){q, q} : (sir_interval){a.r.lo - q * n, a.r.hi - q * n};
    return v;
}

// The right side is executed only where it may be.
static border_int eval_short(trip *x, const sir_expr *e)
{
    border_int a = eval(x, e->u.arg[0]);
    int64_t decides = e->op == LANG_OP_LOR;
    if (is_one(a.r) && a.r.lo == decides)
        return a;
    uint64_t asked = x->asked;
    x->asked |= a.loops;
    border_int b = eval(x, e->u.arg[1]), v = joined(a, b);
    x->asked = asked;
    if (is_one(a.r))
        v.r = b.r;
    else if (is_one(b.r) && b.r.lo == decides)
        v.r = b.r;
    else
        v.r = is_one(b.r) ? a.r : (sir_interval){0, 1};
    return v;
}

static border_int eval_binary(trip *x, const sir_expr *e)
{
    if (e->op == LANG_OP_LAND || e->op == LANG_OP_LOR)
        return eval_short(x, e);
    border_int a = eval(x, e->u.arg[0]), b = eval(x, e->u.arg[1]), v = joined(a, b);
    if (!is_int(e->u.arg[0]->type))
        return unknown(x, e->type);
    if (e->op >= LANG_OP_EQ && e->op <= LANG_OP_GE) {
        int64_t r = compare(e->op, a.r, b.r);
        note(x, e, v, r);
        v.r = r == BORDER_UNKNOWN ? (sir_interval){0, 1} : (sir_interval){r, r};
        return v;
    }
    if (e->type->kind != SIR_INT)
        return unknown(x, e->type);
    if (e->op == LANG_OP_DIV || e->op == LANG_OP_REM || e->op == LANG_OP_AND)
        v = eval_divided(x, e, a, b);
    else
        v.r = sir_interval_binary(e->op, a.r, b.r);
    if (e->op == LANG_OP_SHR)
        note(x, e, v, is_one(v.r) ? v.r.lo : BORDER_UNKNOWN);
    if (v.r.lo < INT32_MIN || v.r.hi > INT32_MAX)
        v.r = every_int; // it wraps
    return v;
}

static border_int eval_select(trip *x, const sir_expr *e)
{
    border_int c = eval(x, e->u.arg[0]);
    uint64_t asked = x->asked;
    x->asked |= c.loops;
    border_int v;
    if (is_one(c.r)) {
        v = eval(x, e->u.arg[c.r.lo != 0 ? 1 : 2]);
    } else {
        border_int a = eval(x, e->u.arg[1]), b = eval(x, e->u.arg[2]);
        v = joined(a, b);
    }
    x->asked = asked;
    v.loops |= c.loops;
    v.safe = v.safe && c.safe;
    return v;
}

static border_int eval_math(trip *x, const sir_expr *e)
{
    border_int a = eval(x, e->u.arg[0]), b = lang_math_arity[e->op] == 2 ? eval(x, e->u.arg[1]) : a;
    if (e->type->kind != SIR_INT || (e->op != LANG_MATH_MIN && e->op != LANG_MATH_MAX))
        return unknown(x, e->type);
    border_int v = joined(a, b);
    bool least = e->op == LANG_MATH_MIN;
    sir_interval low = least ? a.r : b.r, high = least ? b.r : a.r;
    // The first where it is chosen in any case, the second likewise.
    note(x, e, v, low.hi <= high.lo ? 0 : high.hi <= low.lo ? 1 : BORDER_UNKNOWN);
    v.r = least ? (sir_interval){a.r.lo < b.r.lo ? a.r.lo : b.r.lo, a.r.hi < b.r.hi ? a.r.hi : b.r.hi}
                : (sir_interval){a.r.lo > b.r.lo ? a.r.lo : b.r.lo, a.r.hi > b.r.hi ? a.r.hi : b.r.hi};
    return v;
}

static border_int eval_unary(trip *x, const sir_expr *e)
{
    border_int v = eval(x, e->u.arg[0]);
    if (e->op == LANG_OP_NOT && e->type->kind == SIR_BOOLEAN)
        v.r = (sir_interval){1 - v.r.hi, 1 - v.r.lo};
    else if (e->op == LANG_OP_NEG && e->type->kind == SIR_INT && v.r.lo > INT32_MIN)
        v.r = (sir_interval){-v.r.hi, -v.r.lo};
    else
        return unknown(x, e->type);
    return v;
}

static border_int eval(trip *x, const sir_expr *e)
{
    switch (e->kind) {
    case SIR_CONST: {
        int64_t n = is_int(e->type) ? e->u.value.i : 0;
        return is_int(e->type) ? (border_int){{n, n}, x->asked, true} : unknown(x, e->type);
    }
    case SIR_LOCAL: {
        border_int v = x->locals[e->index];
        v.loops |= x->asked;
        return is_int(e->type) ? v : unknown(x, e->type);
    }
    case SIR_BINARY: return eval_binary(x, e);
    case SIR_UNARY: return eval_unary(x, e);
    case SIR_SELECT: return eval_select(x, e);
    case SIR_MATH: return eval_math(x, e);
    default: break;
    }
    size_t arity = sir_expr_arity(e);
    for (size_t i = 0; i < arity; i++)
        (void)eval(x, e->u.arg[i]);
    return unknown(x, e->type);
}

// ---- Statements ----

static void run_block(trip *x, const sir_block *b);

static border_int any_value(const trip *x, uint32_t local)
{
    border_int v = unknown(x, x->t->f->locals.data[local].type);
    v.safe = true; // a local, whatever is in it
    return v;
}

// What statements may assign has any value behind them.
static void forget(void *context, sir_stmt *s)
{
    trip *x = context;
    const sir_expr *root = sir_assigned_root(s);
    if (root != NULL && root->kind == SIR_LOCAL)
        x->locals[root->index] = any_value(x, root->index);
    if (s->kind == SIR_DECL)
        x->locals[s->u.decl.local] = any_value(x, s->u.decl.local);
    if (s->kind == SIR_FOR)
        x->locals[s->u.for_.local] = any_value(x, s->u.for_.local);
}

static void run_if(trip *x, const sir_stmt *s)
{
    border_int c = eval(x, s->u.if_.cond);
    uint64_t asked = x->asked;
    x->asked |= c.loops;
    if (is_one(c.r)) {
        run_block(x, c.r.lo != 0 ? &s->u.if_.then : &s->u.if_.otherwise);
    } else {
        if (x->ifs == x->before.len)
            VEC_PUSH(x->t->a, &x->before, ARENA_ARRAY(x->t->a, border_int, x->assigned_count + 1));
        border_int *other = x->before.data[x->ifs++];
        for (size_t i = 0; i < x->assigned_count; i++)
            other[i] = x->locals[x->assigned[i]];
        run_block(x, &s->u.if_.then);
        for (size_t i = 0; i < x->assigned_count; i++) {
            border_int then = x->locals[x->assigned[i]];
            x->locals[x->assigned[i]] = other[i];
            other[i] = then;
        }
        run_block(x, &s->u.if_.otherwise);
        for (size_t i = 0; i < x->assigned_count; i++)
            x->locals[x->assigned[i]] = joined(other[i], x->locals[x->assigned[i]]);
        x->ifs--;
    }
    x->asked = asked;
}

static void run_for(trip *x, const sir_stmt *s)
{
    border_int lo = eval(x, s->u.for_.lo), hi = eval(x, s->u.for_.hi);
    uint64_t asked = x->asked, outer_long = x->long_one, bit = UINT64_C(1) << (x->depth + 1);
    const sir_block one = {.data = (sir_stmt **)(uintptr_t)&s, .len = 1};
    bool up = s->u.for_.step > 0;
    sir_interval v = up ? (sir_interval){lo.r.lo, hi.r.hi - 1} : (sir_interval){hi.r.lo + 1, lo.r.hi};
    if (x->depth == BORDER_DEPTH) {
        x->fails = true;
        return;
    }
    x->asked |= lo.loops | hi.loops;
    sir_visit_stmts(&one, forget, x);
    if (v.lo <= v.hi) {
        int64_t trips = border_trip_count(s);
        x->depth++;
        x->long_one = trips == 0 || trips >= BORDER_LONG ? bit : outer_long;
        x->locals[s->u.for_.local] = (border_int){v, lo.loops | hi.loops | bit, true};
        run_block(x, &s->u.for_.body);
        x->long_one = outer_long;
        x->depth--;
        sir_visit_stmts(&one, forget, x);
    }
    x->asked = asked;
}

static void run_loop(trip *x, const sir_stmt *s)
{
    const sir_block one = {.data = (sir_stmt **)(uintptr_t)&s, .len = 1};
    uint64_t outer_long = x->long_one;
    sir_visit_stmts(&one, forget, x);
    x->long_one = UINT64_C(1) << 63; // of as many trips as may be
    if (!s->u.loop.post_test)
        run_block(x, &s->u.loop.pre);
    if (!s->u.loop.post_test && s->u.loop.cond != NULL)
        (void)eval(x, s->u.loop.cond);
    run_block(x, &s->u.loop.body);
    run_block(x, &s->u.loop.step);
    if (s->u.loop.post_test)
        run_block(x, &s->u.loop.pre);
    if (s->u.loop.post_test && s->u.loop.cond != NULL)
        (void)eval(x, s->u.loop.cond);
    x->long_one = outer_long;
    sir_visit_stmts(&one, forget, x);
}

static void run_simple(trip *x, sir_stmt *s)
{
    sir_parts p = sir_stmt_parts(s);
    border_int v = {.safe = false};
    for (uint8_t i = 0; i < p.expr_count; i++)
        v = eval(x, *p.expr[i]);
    for (size_t i = 0; i < p.arg_count; i++)
        (void)eval(x, p.args[i]);
    if (p.target != NULL && (*p.target)->kind != SIR_LOCAL)
        (void)eval(x, *p.target);
    const sir_block one = {.data = &s, .len = 1};
    sir_visit_stmts(&one, forget, x);
    const sir_expr *target = s->kind == SIR_SET ? s->u.set.target : NULL;
    uint32_t local = s->kind == SIR_DECL                           ? s->u.decl.local
                     : target != NULL && target->kind == SIR_LOCAL ? target->index
                                                                   : SIR_NONE;
    if (local == SIR_NONE || !is_int(x->t->f->locals.data[local].type))
        return;
    if (s->kind == SIR_DECL && s->u.decl.init == NULL)
        v = s->u.decl.uninitialised ? any_value(x, local) : (border_int){{0, 0}, x->asked, true};
    v.loops |= x->asked;
    v.safe = true;
    x->locals[local] = v;
}

static void run_block(trip *x, const sir_block *b)
{
    for (VEC_EACH(sir_stmt *, p, b)) {
        switch ((*p)->kind) {
        case SIR_IF: run_if(x, *p); break;
        case SIR_FOR: run_for(x, *p); break;
        case SIR_LOOP: run_loop(x, *p); break;
        case SIR_BLOCK: run_block(x, &(*p)->u.block); break;
        case SIR_BREAK:
        case SIR_CONTINUE:
        case SIR_RETURN: x->fails = true; break;
        default: run_simple(x, *p); break;
        }
    }
}

// ---- Trips ----

static void add_test(void *context, sir_expr *e, bool written)
{
    (void)written;
    border_trips *t = context;
    bool whole = e->type->kind == SIR_INT, test = false;
    if (e->kind == SIR_BINARY && e->u.arg[0]->type->kind == SIR_INT)
        test =
            (e->op >= LANG_OP_EQ && e->op <= LANG_OP_GE) ||
            (whole && (e->op == LANG_OP_DIV || e->op == LANG_OP_SHR || e->op == LANG_OP_REM || e->op == LANG_OP_AND));
    else if (e->kind == SIR_MATH)
        test = whole && (e->op == LANG_MATH_MIN || e->op == LANG_MATH_MAX);
    const sir_expr *key = e;
    if (!test || hmap_getn(&t->tests, &key, sizeof key) != NULL)
        return;
    size_t *number = ARENA_NEW(t->a, size_t);
    *number = t->test_count++;
    VEC_PUSH(t->a, &t->exprs, e);
    hmap_setn(&t->tests, &key, sizeof key, number);
}

static void add_tests(void *context, sir_stmt *s)
{
    sir_visit_exprs(s, add_test, context);
}

// A test that comes to something else again and again, such as whether a place is even, cuts nothing.
static void drop_restless(border_trips *t)
{
    for (size_t k = 0; k < t->test_count; k++) {
        const sir_expr *e = t->exprs.data[k];
        size_t changes = 0;
        for (size_t i = 1; i < t->trips; i++)
            changes += t->states[i * t->test_count + k] != t->states[(i - 1) * t->test_count + k];
        for (size_t i = 0; i < t->trips && changes > BORDER_CHANGES; i++)
            t->states[i * t->test_count + k] = BORDER_UNKNOWN;
        t->uneven |=
            changes > BORDER_CHANGES && e->kind == SIR_BINARY && (e->op == LANG_OP_DIV || e->op == LANG_OP_SHR);
    }
}

typedef struct assigned_finder {
    bool *found; // per local
    size_t ifs;
} assigned_finder;

static void find_assigned(void *context, sir_stmt *s)
{
    assigned_finder *f = context;
    const sir_expr *root = sir_assigned_root(s);
    f->ifs += s->kind == SIR_IF;
    if (root != NULL && root->kind == SIR_LOCAL)
        f->found[root->index] = true;
    if (s->kind == SIR_DECL)
        f->found[s->u.decl.local] = true;
    if (s->kind == SIR_FOR)
        f->found[s->u.for_.local] = true;
}

// Each if takes along what all of them are. False: that is too much.
static bool find_all_assigned(trip *x, const sir_stmt *s)
{
    size_t n = x->t->f->locals.len;
    assigned_finder f = {.found = ARENA_ARRAY(x->t->a, bool, n + 1)};
    uint32_t *assigned = ARENA_ARRAY(x->t->a, uint32_t, n + 1);
    sir_visit_stmts(&s->u.for_.body, find_assigned, &f);
    for (uint32_t i = 0; i < n; i++)
        if (f.found[i])
            assigned[x->assigned_count++] = i;
    x->assigned = assigned;
    return x->assigned_count == 0 || f.ifs <= (size_t)BORDER_COPIED / x->t->trips / x->assigned_count;
}

bool border_run_trips(border_trips *t, const sir_stmt *s, const sir_stmt *const *loops, size_t loop_count)
{
    hmap_init(&t->tests, t->a);
    sir_visit_stmts(&s->u.for_.body, add_tests, t);
    if (t->test_count == 0)
        return false;
    trip x = {.t = t, .locals = ARENA_ARRAY(t->a, border_int, t->f->locals.len + 1)};
    if (!find_all_assigned(&x, s))
        return false;
    t->states = ARENA_ARRAY(t->a, int64_t, t->trips * t->test_count);
    for (uint32_t k = 0; k < t->f->locals.len; k++)
        x.locals[k] = any_value(&x, k);
    for (size_t i = 0; i < t->trips && !x.fails; i++) {
        int64_t v = border_value(s, i);
        x.states = &t->states[i * t->test_count];
        for (size_t k = 0; k < t->test_count; k++)
            x.states[k] = BORDER_UNREACHED;
        for (size_t k = 0; k < x.assigned_count; k++)
            x.locals[x.assigned[k]] = any_value(&x, x.assigned[k]);
        for (size_t k = 0; k < loop_count; k++) {
            int64_t n = border_trip_count(loops[k]), first = border_value(loops[k], 0);
            int64_t last = n == 0 ? 0 : border_value(loops[k], (size_t)n - 1);
            if (n != 0)
                x.locals[loops[k]->u.for_.local].r =
                    (sir_interval){first < last ? first : last, first < last ? last : first};
        }
        x.locals[s->u.for_.local] = (border_int){{v, v}, 1, true};
        run_block(&x, &s->u.for_.body);
    }
    drop_restless(t);
    return !x.fails;
}
