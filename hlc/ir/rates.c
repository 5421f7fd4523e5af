// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Abstract execution: statements. Loops whose conditions are known are gone through while the budget lasts; of what is
// left, one iteration stands for all.
#include <string.h>

#include "hlc/ir/rates_int.h"
#include "hlc/ir/walk.h"

enum { BUDGET = 40000, LOOP_BUDGET = 8000, LOCALS_A_STEP = 16 };

static void run_block(rates_run *r, const sir_block *b);

// ---- Counts ----

static int64_t saturated(int64_t a, int64_t b, bool multiply)
{
    int64_t v;
    bool over = multiply ? __builtin_mul_overflow(a, b, &v) : __builtin_add_overflow(a, b, &v);
    return over || v > INT64_MAX / 4 ? INT64_MAX / 4 : v;
}

static void add(rates_count *c, int64_t min, int64_t max)
{
    c->min = saturated(c->min, min, false);
    c->max = c->max < 0 || max < 0 ? -1 : saturated(c->max, max, false);
}

static rates_count join_counts(rates_count a, rates_count b)
{
    if (b.min < a.min)
        a.min = b.min;
    if (a.max >= 0 && (b.max < 0 || b.max > a.max))
        a.max = b.max;
    return a;
}

static rates_ways join_ways(rates_count a, rates_ways wa, rates_count b, rates_ways wb)
{
    if (b.min < a.min)
        wa.least = wb.least;
    if (a.max >= 0 && (b.max < 0 || b.max > a.max))
        wa.most = wb.most;
    return wa;
}

static bool same_count(rates_count a, rates_count b)
{
    return a.min == b.min && a.max == b.max;
}

// n times what one iteration moved.
static rates_count times(rates_count c, int64_t n)
{
    return (rates_count){.min = saturated(c.min, n, true), .max = c.max < 0 ? -1 : saturated(c.max, n, true)};
}

// ---- States ----

static size_t part_count(const rates_run *r)
{
    return (r->slots + RATES_PART - 1) / RATES_PART;
}

// Values in a part.
static size_t part_values(const rates_run *r, size_t part)
{
    size_t left = r->slots - part * RATES_PART;
    return left < RATES_PART ? left : RATES_PART;
}

static rates_part **new_locals(rates_run *r)
{
    if (r->pool.len > 0)
        return r->pool.data[--r->pool.len];
    return ARENA_ARRAY(r->scratch, rates_part *, part_count(r));
}

static rates_part **share_locals(rates_run *r, rates_part **locals)
{
    rates_part **copy = new_locals(r);
    for (size_t i = 0; i < part_count(r); i++) {
        copy[i] = locals[i];
        if (copy[i] != NULL)
            copy[i]->users++;
    }
    r->budget -= (int64_t)(r->slots / LOCALS_A_STEP);
    return copy;
}

static void drop_locals(rates_run *r, rates_part **locals)
{
    for (size_t i = 0; i < part_count(r); i++)
        if (locals[i] != NULL && --locals[i]->users == 0)
            VEC_PUSH(r->scratch, &r->parts, locals[i]);
    VEC_PUSH(r->scratch, &r->pool, locals);
}

// A part that nobody shares.
static rates_part *own_part(rates_run *r, rates_part **locals, size_t number)
{
    rates_part *old = locals[number];
    if (old != NULL && old->users == 1)
        return old;
    rates_part *part;
    if (r->parts.len > 0)
        part = r->parts.data[--r->parts.len];
    else
        part = arena_alloc(r->scratch, sizeof *part + RATES_PART * sizeof *part->values);
    part->users = 1;
    if (old != NULL) {
        memcpy(part->values, old->values, part_values(r, number) * sizeof *part->values);
        old->users--;
    } else {
        memset(part->values, 0, part_values(r, number) * sizeof *part->values);
    }
    locals[number] = part;
    return part;
}

rates_value *rates_set_local(rates_run *r, uint32_t slot)
{
    return &own_part(r, r->state.locals, slot / RATES_PART)->values[slot % RATES_PART];
}

static void release(rates_run *r, rates_state *s)
{
    if (s->locals != NULL)
        drop_locals(r, s->locals);
    s->locals = NULL;
}

static rates_state copy_state(rates_run *r, const rates_state *s)
{
    rates_state copy = *s;
    copy.locals = share_locals(r, s->locals);
    return copy;
}

static rates_value join_values(const rates_run *r, uint32_t slot, rates_value a, rates_value b)
{
    if (a.known && b.known && memcmp(&a.v, &b.v, sizeof a.v) == 0)
        return a;
    if (!r->slot_is_int[slot])
        return (rates_value){0};
    sir_interval i = sir_interval_hull(rates_interval(a), rates_interval(b));
    return (rates_value){.bounded = i.lo > INT32_MIN || i.hi < INT32_MAX, .interval = i};
}

rates_part **rates_keep_locals(rates_run *r)
{
    return share_locals(r, r->state.locals);
}

void rates_restore_locals(rates_run *r, rates_part **before)
{
    drop_locals(r, r->state.locals);
    r->state.locals = before;
}

static void join_parts(rates_run *r, rates_part **a, rates_part **b)
{
    const rates_value unknown = {0};
    for (size_t i = 0; i < part_count(r); i++) {
        if (a[i] == b[i])
            continue;
        rates_part *part = own_part(r, a, i);
        for (size_t k = 0; k < part_values(r, i); k++)
            part->values[k] = join_values(r, (uint32_t)(i * RATES_PART + k), part->values[k],
                                          b[i] == NULL ? unknown : b[i]->values[k]);
    }
}

// What holds where two ways meet. The states given are gone afterwards.
static rates_state join(rates_run *r, rates_state a, rates_state b)
{
    if (!b.alive || !a.alive) {
        release(r, a.alive ? &b : &a);
        return a.alive ? a : b;
    }
    a.pop_ways = join_ways(a.pop, a.pop_ways, b.pop, b.pop_ways);
    a.push_ways = join_ways(a.push, a.push_ways, b.push, b.push_ways);
    a.pop = join_counts(a.pop, b.pop);
    a.push = join_counts(a.push, b.push);
    join_parts(r, a.locals, b.locals);
    release(r, &b);
    return a;
}

// A decision that the least, or the most, of a count depends on.
static void turn(rates_run *r, const rates_step **way, sir_loc loc, rates_turn t)
{
    rates_step *step = ARENA_NEW(r->scratch, rates_step);
    *step = (rates_step){*way, loc, t};
    *way = step;
}

static void turn_all(rates_run *r, sir_loc loc, rates_turn t)
{
    turn(r, &r->state.pop_ways.least, loc, t);
    turn(r, &r->state.pop_ways.most, loc, t);
    turn(r, &r->state.push_ways.least, loc, t);
    turn(r, &r->state.push_ways.most, loc, t);
}

static void replace_state(rates_run *r, rates_state s)
{
    release(r, &r->state);
    r->state = s;
}

// Execution goes on elsewhere: at the end of a loop, its next iteration, or the caller.
static void jump(rates_run *r, rates_state *to)
{
    *to = join(r, copy_state(r, &r->state), *to);
    r->state.alive = false;
}

static void know(rates_run *r, uint32_t local, rates_value v)
{
    v.literal = false;
    if (r->state.alive && r->slot[local] != SIR_NONE)
        *rates_set_local(r, r->slot[local]) = v;
}

static void forget(rates_run *r, uint32_t local)
{
    know(r, local, (rates_value){0});
}

static void assign(rates_run *r, sir_expr *target, rates_value v)
{
    if (target == NULL)
        return;
    rates_lvalue(r, target);
    const sir_expr *root = sir_lvalue_root(target);
    if (root == NULL || root->kind != SIR_LOCAL)
        return;
    if (target->kind == SIR_LOCAL)
        know(r, root->index, v);
    else
        forget(r, root->index);
}

static void forget_assigned(void *context, sir_stmt *s)
{
    rates_run *r = context;
    const sir_expr *root = sir_assigned_root(s);
    if (root != NULL && root->kind == SIR_LOCAL)
        forget(r, root->index);
    if (s->kind == SIR_DECL)
        forget(r, s->u.decl.local);
    if (s->kind == SIR_FOR)
        forget(r, s->u.for_.local);
    if (s->kind == SIR_CALL)
        for (size_t i = 0; i < s->u.call.args.len; i++) {
            const sir_expr *arg = sir_lvalue_root(s->u.call.args.data[i]);
            if (arg != NULL && arg->kind == SIR_LOCAL && s->u.call.function->locals.data[i].by_reference)
                forget(r, arg->index);
        }
}

// ---- Loops ----

// A loop of either kind. count: iterations to come where they are known, else -1.
typedef struct rates_loop {
    const sir_stmt *s;
    uint32_t variable; // counted ones; else SIR_NONE
    int64_t at, step;  // value of the variable in the iteration to come
    int64_t count;
    sir_interval values; // of a variable whose count is not known
} rates_loop;

static const sir_block *body_of(const sir_stmt *s)
{
    return s->kind == SIR_FOR ? &s->u.for_.body : &s->u.loop.body;
}

static void set_variable(rates_run *r, const rates_loop *loop, int64_t value)
{
    if (loop->variable == SIR_NONE)
        return;
    rates_value v = {.known = true};
    memset(&v.v, 0, sizeof v.v);
    v.v.i = (int32_t)value;
    know(r, loop->variable, v);
}

// The variable's value in any of the iterations to come.
static void bound_variable(rates_run *r, const rates_loop *loop)
{
    if (loop->variable == SIR_NONE || loop->count == 0)
        return;
    sir_interval i = loop->values;
    int64_t last = loop->at + (loop->count - 1) * loop->step;
    if (loop->count > 0)
        i = (sir_interval){loop->at < last ? loop->at : last, loop->at < last ? last : loop->at};
    know(r, loop->variable, (rates_value){.bounded = true, .interval = i});
}

// The body, and what continue leads to.
static void run_body(rates_run *r, const sir_stmt *s, rates_state *leave)
{
    rates_state next = {0}, *outer_leave = r->leave, *outer_next = r->next;
    r->leave = leave;
    r->next = &next;
    run_block(r, body_of(s));
    r->leave = outer_leave;
    r->next = outer_next;
    r->state = join(r, r->state, next);
    if (s->kind == SIR_LOOP && r->state.alive)
        run_block(r, &s->u.loop.step);
}

static void forget_loop(rates_run *r, const sir_stmt *s)
{
    sir_visit_stmts(body_of(s), forget_assigned, r);
    if (s->kind == SIR_FOR)
        return;
    sir_visit_stmts(&s->u.loop.pre, forget_assigned, r);
    sir_visit_stmts(&s->u.loop.step, forget_assigned, r);
}

static bool is_moving(rates_count c)
{
    return c.min != 0 || c.max != 0;
}

// One iteration, begun and ended anywhere; gives what it moved.
static void run_any_iteration(rates_run *r, const sir_stmt *s, rates_state *leave, rates_count *pop, rates_count *push)
{
    rates_count pop_before = r->state.pop, push_before = r->state.push;
    bool certain = r->certain;
    r->certain = false;
    r->state.pop.max = r->state.pop.min;
    r->state.push.max = r->state.push.min;
    if (s->kind == SIR_LOOP && !s->u.loop.post_test) {
        run_block(r, &s->u.loop.pre);
        if (s->u.loop.cond != NULL && r->state.alive) {
            rates_eval(r, s->u.loop.cond);
            rates_learn(r, s->u.loop.cond, true);
        }
    }
    run_body(r, s, leave);
    if (s->kind == SIR_LOOP && s->u.loop.post_test) {
        run_block(r, &s->u.loop.pre);
        if (s->u.loop.cond != NULL && r->state.alive)
            rates_eval(r, s->u.loop.cond);
    }
    r->certain = certain;
    *pop = *push = (rates_count){0};
    if (r->state.alive) {
        *pop = r->state.pop;
        *push = r->state.push;
        add(pop, -pop_before.min, -pop_before.min);
        add(push, -push_before.min, -push_before.min);
        if (r->state.pop.max < 0)
            pop->max = -1;
        else
            pop->max = r->state.pop.max - pop_before.min;
        if (r->state.push.max < 0)
            push->max = -1;
        else
            push->max = r->state.push.max - push_before.min;
    }
    r->state.pop = pop_before;
    r->state.push = push_before;
}

// A loop that runs as often as values tell.
static void turn_loop(rates_run *r, rates_state *s, sir_loc loc, rates_count pop, rates_count push)
{
    if (pop.max != 0) {
        turn(r, &s->pop_ways.least, loc, RATES_NO_MORE);
        turn(r, &s->pop_ways.most, loc, RATES_AGAIN);
    }
    if (push.max != 0) {
        turn(r, &s->push_ways.least, loc, RATES_NO_MORE);
        turn(r, &s->push_ways.most, loc, RATES_AGAIN);
    }
}

// All iterations to come.
static void run_rest(rates_run *r, const rates_loop *loop, rates_state *leave)
{
    const sir_stmt *s = loop->s;
    rates_state before = copy_state(r, &r->state), left = {0};
    rates_count pop, push;
    int forks = r->forks;
    forget_loop(r, s);
    bound_variable(r, loop);
    size_t peeks = r->peeks.len;
    run_any_iteration(r, s, &left, &pop, &push);
    for (size_t i = peeks; pop.max != 0 && i < r->peeks.len; i++) { // iterations before this one have moved the window
        r->reach_open = true;
        rates_open(r, r->peeks.data[i]);
    }
    bool falls = r->state.alive, moving = is_moving(pop) || is_moving(push);
    if (r->forks > forks)
        r->forks++;
    replace_state(r, before);
    forget_loop(r, s);
    bool some_leave = left.alive;
    if (some_leave) {
        // Some iteration ends the loop, no telling which.
        if (moving) {
            left.pop.max = pop.max == 0 ? left.pop.max : -1;
            left.push.max = push.max == 0 ? left.push.max : -1;
            turn_loop(r, &left, s->loc, pop, push);
            r->loops_open = true;
        }
        *leave = join(r, left, *leave);
    }
    bool counted = loop->count >= 0 && !some_leave;
    if (counted && falls && loop->count > 0) {
        rates_count most_pop = times(pop, loop->count - 1), most_push = times(push, loop->count - 1);
        add(&r->state.pop, most_pop.min, most_pop.max);
        add(&r->state.push, most_push.min, most_push.max);
        set_variable(r, loop, loop->at + (loop->count - 1) * loop->step);
        run_body(r, s, leave);
        if (s->kind == SIR_LOOP)
            set_variable(r, loop, loop->at + loop->count * loop->step);
    } else if (counted && loop->count > 0) {
        r->state.alive = false;
    } else if (!counted) {
        add(&r->state.pop, 0, pop.max == 0 ? 0 : -1);
        add(&r->state.push, 0, push.max == 0 ? 0 : -1);
        turn_loop(r, &r->state, s->loc, pop, push);
        r->loops_open = r->loops_open || moving;
        r->state.alive = r->state.alive && (s->kind == SIR_FOR || s->u.loop.cond != NULL);
    }
}

static bool may_go_on(const rates_run *r, int64_t least)
{
    return r->budget > least && r->budget > 0;
}

static bool is_local(const sir_expr *e, uint32_t local)
{
    return e->kind == SIR_LOCAL && e->index == local;
}

static int64_t step_of(const sir_stmt *s, uint32_t variable)
{
    const sir_block *step = &s->u.loop.step;
    if (step->len != 1 || step->data[0]->kind != SIR_SET || !is_local(step->data[0]->u.set.target, variable))
        return 0;
    const sir_expr *v = step->data[0]->u.set.value;
    bool sum = v->kind == SIR_BINARY && (v->op == LANG_OP_ADD || v->op == LANG_OP_SUB);
    if (!sum || v->type->kind != SIR_INT || !is_local(v->u.arg[0], variable) || v->u.arg[1]->kind != SIR_CONST)
        return 0;
    int64_t c = v->u.arg[1]->u.value.i;
    return v->op == LANG_OP_ADD ? c : -c;
}

static int64_t trips(int64_t from, int64_t to, int64_t step)
{
    int64_t distance = step > 0 ? to - from : from - to, stride = step > 0 ? step : -step;
    return distance <= 0 ? 0 : (distance + stride - 1) / stride;
}

// The variable's values, when the loop is: while (i < bound) { no assignment of i } step { i = i + c }.
static void count_rest(rates_run *r, rates_loop *loop)
{
    const sir_stmt *s = loop->s;
    const sir_expr *cond = s->u.loop.cond;
    if (s->u.loop.post_test || cond == NULL || cond->kind != SIR_BINARY || cond->u.arg[0]->kind != SIR_LOCAL)
        return;
    uint32_t variable = cond->u.arg[0]->index;
    int64_t step = step_of(s, variable);
    rates_value from = rates_eval(r, cond->u.arg[0]);
    bool up = cond->op == LANG_OP_LT || cond->op == LANG_OP_LE, down = cond->op == LANG_OP_GT || cond->op == LANG_OP_GE;
    if (sir_sets_local(&s->u.loop.body, variable) || s->u.loop.pre.len > 0 || !from.known ||
        !((up && step > 0) || (down && step < 0)))
        return;
    rates_state before = copy_state(r, &r->state);
    forget_loop(r, s);
    rates_value bound = rates_eval(r, cond->u.arg[1]);
    replace_state(r, before);
    if (!bound.known || cond->u.arg[0]->type->kind != SIR_INT)
        return;
    int64_t to = (int64_t)bound.v.i + (cond->op == LANG_OP_LE) - (cond->op == LANG_OP_GE);
    int64_t count = trips(from.v.i, to, step), end = from.v.i + count * step;
    if (end < INT32_MIN || end > INT32_MAX)
        return; // it wraps around
    loop->variable = variable;
    loop->at = from.v.i;
    loop->step = step;
    loop->count = count;
}

static void run_for(rates_run *r, const sir_stmt *s)
{
    rates_value lo = rates_eval(r, s->u.for_.lo), hi = rates_eval(r, s->u.for_.hi);
    rates_loop loop = {.s = s, .variable = s->u.for_.local, .step = s->u.for_.step, .count = -1};
    rates_state leave = {0};
    sir_interval from = rates_interval(lo), to = rates_interval(hi);
    loop.values = loop.step > 0 ? (sir_interval){from.lo, to.hi - 1} : (sir_interval){to.lo + 1, from.hi};
    if (lo.known && hi.known) {
        loop.at = lo.v.i;
        loop.count = trips(lo.v.i, hi.v.i, loop.step);
    }
    int64_t least = r->budget - LOOP_BUDGET;
    bool certain = r->certain;
    while (loop.count > 0 && r->state.alive && may_go_on(r, least)) {
        r->budget--;
        set_variable(r, &loop, loop.at);
        run_body(r, s, &leave);
        r->certain = r->certain && !leave.alive;
        loop.at += loop.step;
        loop.count--;
    }
    r->certain = certain;
    if (loop.count != 0 && r->state.alive)
        run_rest(r, &loop, &leave);
    r->state = join(r, r->state, leave);
    forget(r, s->u.for_.local);
}

// The test of a loop: false when the loop ends here. decided: the condition is known.
static bool test(rates_run *r, const sir_stmt *s, bool *decided)
{
    run_block(r, &s->u.loop.pre);
    *decided = true;
    if (!r->state.alive)
        return false;
    if (s->u.loop.cond == NULL)
        return true;
    rates_value c = rates_eval(r, s->u.loop.cond);
    *decided = c.known;
    return c.known && c.v.i != 0;
}

static void run_loop(rates_run *r, const sir_stmt *s)
{
    rates_state leave = {0};
    int64_t least = r->budget - LOOP_BUDGET;
    bool decided = true, more = true, post = s->u.loop.post_test;
    bool certain = r->certain;
    while (more && decided && r->state.alive && may_go_on(r, least)) {
        r->budget--;
        rates_state before = {0};
        if (s->u.loop.pre.len > 0)
            before = copy_state(r, &r->state);
        if (!post)
            more = test(r, s, &decided);
        if (!post && !decided && s->u.loop.pre.len > 0)
            replace_state(r, before); // what leads to the test is done again, as part of any iteration
        else
            release(r, &before);
        if (!more || !decided)
            break;
        run_body(r, s, &leave);
        if (post && r->state.alive)
            more = test(r, s, &decided);
        if (leave.alive)
            r->certain = false;
    }
    if ((more || !decided) && r->state.alive) {
        rates_loop loop = {.s = s, .variable = SIR_NONE, .count = -1};
        count_rest(r, &loop);
        run_rest(r, &loop, &leave);
    }
    r->certain = certain;
    r->state = join(r, r->state, leave);
}

// ---- Statements ----

// Where both sides of a branch move the same, the branch does not matter.
static void forget_turn(rates_state *a, rates_state *b, rates_ways pops, rates_ways pushes)
{
    if (!a->alive || !b->alive)
        return;
    if (same_count(a->pop, b->pop) && a->pop.min == a->pop.max)
        a->pop_ways = b->pop_ways = pops;
    if (same_count(a->push, b->push) && a->push.min == a->push.max)
        a->push_ways = b->push_ways = pushes;
}

static void run_if(rates_run *r, const sir_stmt *s)
{
    rates_value c = rates_eval(r, s->u.if_.cond);
    if (c.known) {
        run_block(r, c.v.i != 0 ? &s->u.if_.then : &s->u.if_.otherwise);
        return;
    }
    rates_state other = copy_state(r, &r->state);
    bool certain = r->certain;
    const rates_ways pops = other.pop_ways, pushes = other.push_ways;
    r->certain = false;
    turn_all(r, s->u.if_.cond->loc, RATES_TRUE);
    rates_learn(r, s->u.if_.cond, true);
    run_block(r, &s->u.if_.then);
    rates_state then = r->state;
    r->state = other;
    turn_all(r, s->u.if_.cond->loc, RATES_FALSE);
    rates_learn(r, s->u.if_.cond, false);
    run_block(r, &s->u.if_.otherwise);
    r->certain = certain;
    forget_turn(&then, &r->state, pops, pushes);
    if (!then.alive || !r->state.alive) {
        // After a return in one of them the rest of the function is a branch; a break leaves a loop at no telling when.
        r->forks += r->leave != NULL ? 2 : then.alive != r->state.alive;
    } else if (!same_count(then.pop, r->state.pop) || !same_count(then.push, r->state.push)) {
        r->forks++;
    }
    r->state = join(r, then, r->state);
}

static void run_call(rates_run *r, const sir_stmt *s)
{
    const sir_function *f = s->u.call.function;
    for (size_t i = 0; i < s->u.call.args.len; i++) {
        sir_expr *arg = s->u.call.args.data[i];
        if (!f->locals.data[i].by_reference) {
            rates_eval(r, arg);
            continue;
        }
        rates_lvalue(r, arg);
        const sir_expr *root = sir_lvalue_root(arg);
        if (root->kind == SIR_LOCAL)
            forget(r, root->index);
    }
    if (f->peek.max < 0)
        rates_reach(r, NULL, (sir_interval){0, INT32_MAX}, s->loc);
    else if (f->peek.max > 0)
        rates_reach(r, NULL, (sir_interval){0, f->peek.max - 1}, s->loc);
    if (f->peek.max > 0)
        rates_touch(r, NULL, f->peek.min - 1, false, s->loc);
    if (f->peek.dynamic)
        r->window_open = true;
    if (f->pop.min > 0 || f->pop.max != 0)
        r->last_pop = s->loc;
    if (f->push.min > 0 || f->push.max != 0)
        r->last_push = s->loc;
    add(&r->state.pop, f->pop.min, f->pop.max);
    add(&r->state.push, f->push.min, f->push.max);
    if (f->pop.dynamic || f->push.dynamic)
        r->loops_open = true;
    assign(r, s->u.call.target, (rates_value){0});
}

static void run_stmt(rates_run *r, const sir_stmt *s)
{
    const rates_value unknown = {0};
    switch ((sir_stmt_kind)s->kind) {
    case SIR_DECL: {
        rates_value v = {.known = true};
        memset(&v.v, 0, sizeof v.v);
        v.known = s->u.decl.init != NULL || r->function->locals.data[s->u.decl.local].type->kind <= SIR_COMPLEX;
        if (s->u.decl.init != NULL)
            v = rates_eval(r, s->u.decl.init);
        know(r, s->u.decl.local, v);
        break;
    }
    case SIR_SET: assign(r, s->u.set.target, rates_eval(r, s->u.set.value)); break;
    case SIR_POP:
        add(&r->state.pop, 1, 1);
        r->last_pop = s->loc;
        assign(r, s->u.set.target, unknown);
        break;
    case SIR_RANDOM: assign(r, s->u.set.target, unknown); break;
    case SIR_PUSH:
        rates_eval(r, s->u.value);
        add(&r->state.push, 1, 1);
        r->last_push = s->loc;
        break;
    case SIR_PRINT:
        if (s->u.print.value != NULL)
            rates_eval(r, s->u.print.value);
        break;
    case SIR_CALL: run_call(r, s); break;
    case SIR_IF: run_if(r, s); break;
    case SIR_FOR: run_for(r, s); break;
    case SIR_LOOP: run_loop(r, s); break;
    case SIR_BREAK: jump(r, r->leave); break;
    case SIR_CONTINUE: jump(r, r->next); break;
    case SIR_RETURN:
        if (s->u.value != NULL)
            rates_eval(r, s->u.value);
        r->returned = r->returned || !r->certain;
        jump(r, &r->exit);
        break;
    case SIR_BLOCK: run_block(r, &s->u.block); break;
    case SIR_SEND:
        for (size_t i = 0; i < s->u.send.args.len; i++)
            rates_eval(r, s->u.send.args.data[i]);
        if (s->u.send.min != NULL)
            rates_eval(r, s->u.send.min);
        if (s->u.send.max != NULL)
            rates_eval(r, s->u.send.max);
        break;
    }
}

static void run_block(rates_run *r, const sir_block *b)
{
    for (size_t i = 0; i < b->len && r->state.alive; i++) {
        r->budget--;
        run_stmt(r, b->data[i]);
    }
}

void rates_execute(rates_run *r, const sir_module *m, const sir_filter *filter, const sir_function *f, diag_engine *d,
                   hmap *open)
{
    *r = (rates_run){.module = m, .filter = filter, .function = f, .d = d, .scratch = arena_create(), .certain = true};
    r->open = open;
    r->budget = BUDGET;
    r->state.alive = true;
    rates_choose_locals(r);
    r->state.locals = new_locals(r);
    hmap_init(&r->reported, r->scratch);
    run_block(r, &f->body);
    r->state = join(r, r->state, r->exit);
}

void rates_finish(rates_run *r)
{
    arena_destroy(r->scratch);
    r->scratch = NULL;
}

static bool has_function(const sir_filter *filter, const sir_function *f)
{
    bool has = filter->work == f || filter->prework == f || filter->ahead == f;
    for (size_t k = 0; k < filter->functions.len && !has; k++)
        has = filter->functions.data[k] == f;
    for (size_t k = 0; k < filter->handlers.len && !has; k++)
        has = filter->handlers.data[k] == f;
    return has;
}

// Filters are many, and asked for one after the other: where one was before it mostly is, and what is new mostly is the next.
static const sir_filter *filter_of(const sir_module *m, const sir_function *f)
{
    sir_owners *owners = m->owners;
    size_t at = (size_t)hmap_getn(&owners->places, &f, sizeof f), count = m->filters.len;
    if (at != 0 && at <= count && has_function(m->filters.data[at - 1], f))
        return m->filters.data[at - 1];
    for (size_t i = 0, k = owners->last; i < count; i++, k++) {
        k = k < count ? k : 0;
        if (has_function(m->filters.data[k], f)) {
            owners->last = k;
            hmap_setn(&owners->places, &f, sizeof f, (void *)(k + 1));
            return m->filters.data[k];
        }
    }
    return NULL;
}

static sir_rate_bounds find_rates(const sir_module *m, const sir_filter *filter, const sir_function *f)
{
    rates_run r;
    rates_execute(&r, m, filter, f, NULL, NULL);
    rates_finish(&r);
    int64_t window = r.window > r.state.pop.max ? r.window : r.state.pop.max;
    return (sir_rate_bounds){.pop_min = r.state.pop.min,
                             .pop_max = r.state.pop.max,
                             .push_min = r.state.push.min,
                             .push_max = r.state.push.max,
                             .window_max = r.window_open || r.state.pop.max < 0 ? -1 : window,
                             .reach = r.reach_open ? -1 : r.reach};
}

// Many passes ask, and few functions change between them.
sir_rate_bounds sir_function_rates(const sir_module *m, const sir_function *f)
{
    const sir_filter *filter = filter_of(m, f);
    rates_key key;
    if (!rates_find_key(m, filter, f, &key))
        return find_rates(m, filter, f);
    sir_rate_bounds *known = hmap_getn(m->rates_known, &key, sizeof key);
    if (known == NULL) {
        known = ARENA_NEW(m->rates_known->arena, sir_rate_bounds);
        *known = find_rates(m, filter, f);
        hmap_setn(m->rates_known, &key, sizeof key, known);
    }
    return *known;
}

void sir_unproved_accesses(const sir_module *m, const sir_function *f, hmap *open)
{
    rates_run r;
    rates_execute(&r, m, filter_of(m, f), f, NULL, open);
    rates_finish(&r);
}
