// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops of finite filters that count: how often they go round is known before, and so is what they fetch.
//
// NOTE(trips). Subscripts are clamped to the extents of their stream, and floats that count are no ints to a C compiler. A
// loop whose subscripts go up with its counter stays inside if its first and its last trip do: then it is done by a C loop
// that counts, without clamps. Both are asked before it begins; if they do not hold, the loop is done as it stands.
#include <string.h>

#include "hlc/emit/body_int.h"
#include "hlc/ir/walk.h"

enum { MOST = 1 << 24 }; // floats count as ints up to here

// ---- What does not change ----

typedef struct trip_finder {
    body_context *c;
    body_trips *t;
    bool *assigned; // per local, in the loop
    bool impossible;
    VEC(const char *) checks; // "svm_brookWithin(..)", each once
} trip_finder;

static void find_assigned(void *context, sir_stmt *s)
{
    trip_finder *f = context;
    switch ((sir_stmt_kind)s->kind) {
    case SIR_DECL: f->assigned[s->u.decl.local] = true; break;
    case SIR_SET: {
        const sir_expr *root = sir_lvalue_root(s->u.set.target);
        if (root != NULL && root->kind == SIR_LOCAL)
            f->assigned[root->index] = true;
        break;
    }
    case SIR_FOR:
        f->assigned[s->u.for_.local] = true;
        f->impossible |= f->c->info->lanes == 0 || s->u.for_.local != f->c->info->lane; // lanes go no rounds
        break;
    case SIR_IF:
    case SIR_BLOCK:
    case SIR_BREAK:
    case SIR_CONTINUE: break;
    default: f->impossible = true; break;
    }
}

static bool is_steady(const trip_finder *f, const sir_expr *e)
{
    switch ((sir_expr_kind)e->kind) {
    case SIR_CONST: return true;
    case SIR_LOCAL: return !f->assigned[e->index];
    case SIR_FIELD: {
        sir_role role = f->c->info->filter->fields.data[e->index].role;
        return role == SIR_UNIFORM || role == SIR_COORDINATE;
    }
    case SIR_BINARY:
        return (e->op == LANG_OP_ADD || e->op == LANG_OP_SUB || e->op == LANG_OP_MUL) && is_steady(f, e->u.arg[0]) &&
               is_steady(f, e->u.arg[1]);
    default: return false;
    }
}

// ---- The counter ----

static bool is_local(const sir_expr *e, uint32_t index)
{
    return e->kind == SIR_LOCAL && e->index == index;
}

static bool is_one(const sir_expr *e)
{
    return e->kind == SIR_CONST &&
           ((e->type->kind == SIR_FLOAT && e->u.value.f == 1.0f) || (e->type->kind == SIR_INT && e->u.value.i == 1));
}

static bool is_next(const sir_expr *e, uint32_t index)
{
    return e->kind == SIR_BINARY && e->op == LANG_OP_ADD && is_local(e->u.arg[0], index) && is_one(e->u.arg[1]);
}

// "c < 16777216 ? c + 1 : c", which is c + 1 as long as floats count.
static bool is_next_to_end(const sir_expr *e, uint32_t index)
{
    const sir_expr *cond = e->u.arg[0];
    return e->kind == SIR_SELECT && cond->kind == SIR_BINARY && cond->op == LANG_OP_LT &&
           is_local(cond->u.arg[0], index) && cond->u.arg[1]->kind == SIR_CONST && cond->u.arg[1]->u.value.i == MOST &&
           is_next(e->u.arg[1], index) && is_local(e->u.arg[2], index);
}

static const sir_stmt *step_of(const sir_stmt *loop, uint32_t index)
{
    const sir_stmt *found = NULL;
    for (VEC_EACH(sir_stmt *const, s, &loop->u.loop.step))
        if ((*s)->kind == SIR_SET && is_local((*s)->u.set.target, index))
            found = *s;
    return found;
}

static size_t assignments(const sir_block *b, uint32_t index)
{
    size_t n = 0;
    for (size_t i = 0; i < b->len; i++) {
        sir_parts parts = sir_stmt_parts(b->data[i]);
        for (uint8_t k = 0; k < parts.block_count; k++)
            n += assignments(parts.block[k], index);
        n += parts.target != NULL && is_local(sir_lvalue_root(*parts.target), index);
        n += b->data[i]->kind == SIR_DECL && b->data[i]->u.decl.local == index;
    }
    return n;
}

static bool counts(const sir_stmt *loop, uint32_t index, bool to_end)
{
    const sir_stmt *step = step_of(loop, index);
    return step != NULL && assignments(&loop->u.loop.body, index) == 0 && assignments(&loop->u.loop.step, index) == 1 &&
           (is_next(step->u.set.value, index) || (to_end && is_next_to_end(step->u.set.value, index)));
}

// The condition is "value < bound"; an int counts with a float value.
static bool find_counter(trip_finder *f, const sir_stmt *loop)
{
    body_trips *t = f->t;
    const sir_expr *cond = loop->u.loop.cond;
    if (cond == NULL || cond->kind != SIR_BINARY || (cond->op != LANG_OP_LT && cond->op != LANG_OP_LE) ||
        cond->u.arg[0]->kind != SIR_LOCAL || !is_steady(f, cond->u.arg[1]))
        return false;
    t->value = t->counter = cond->u.arg[0]->index;
    t->bound = cond->u.arg[1];
    t->or_equal = cond->op == LANG_OP_LE;
    sir_type_kind kind = (sir_type_kind)cond->u.arg[0]->type->kind;
    if (!counts(loop, t->value, false) || (kind != SIR_FLOAT && kind != SIR_INT))
        return false;
    if (kind == SIR_INT)
        return true;
    for (VEC_EACH(sir_stmt *const, s, &loop->u.loop.step)) {
        const sir_expr *target = (*s)->kind == SIR_SET ? (*s)->u.set.target : NULL;
        if (target == NULL || target->kind != SIR_LOCAL || target->type->kind != SIR_INT ||
            !counts(loop, target->index, true))
            continue;
        t->counter = target->index;
        t->step = *s;
        return true;
    }
    return false;
}

// ---- What is fetched ----

// A sum of what does not change, and the counter and the lane once at most.
static bool is_sum(const trip_finder *f, const sir_expr *e, int *counters, int *lanes)
{
    int none[2] = {0};
    if (is_local(e, f->t->counter)) {
        (*counters)++;
        return true;
    }
    if (f->c->info->lanes > 0 && is_local(e, f->c->info->lane)) {
        (*lanes)++;
        return true;
    }
    if (e->kind == SIR_BINARY && e->op == LANG_OP_ADD)
        return is_sum(f, e->u.arg[0], counters, lanes) && is_sum(f, e->u.arg[1], counters, lanes);
    if (e->kind == SIR_BINARY && e->op == LANG_OP_SUB)
        return is_sum(f, e->u.arg[0], counters, lanes) && is_sum(f, e->u.arg[1], &none[0], &none[1]) &&
               none[0] + none[1] == 0;
    return is_steady(f, e);
}

static void add_check(trip_finder *f, const sir_expr *fetch, size_t subscript, const sir_expr *first, bool counter,
                      bool lane)
{
    body_context *c = f->c;
    const char *count = "1";
    if (counter)
        count = lane ? arena_printf(c->e->arena, "svm_trips + %d", c->info->lanes - 1) : "svm_trips";
    else if (lane)
        count = arena_printf(c->e->arena, "%d", c->info->lanes);
    body_local *index = c->info->lanes > 0 ? &c->locals[c->info->lane] : NULL;
    const char *saved = index != NULL ? index->forward : NULL;
    if (index != NULL)
        index->forward = "0"; // the first one's
    const char *check =
        arena_printf(c->e->arena, "svm_brookWithin(%s_walk, %zu, %s, %s)", c->info->field_names.data[fetch->index],
                     subscript + 4 - fetch->op, body_expr_text(c, first, PREC_COND), count);
    if (index != NULL)
        index->forward = saved;
    for (VEC_EACH(const char *const, known, &f->checks))
        if (strcmp(*known, check) == 0)
            return;
    VEC_PUSH(c->e->arena, &f->checks, check);
}

static void find_fetch(void *context, sir_expr *e, bool written)
{
    trip_finder *f = context;
    const emit_filter_info *info = f->c->info;
    (void)written;
    if (e->kind != SIR_FETCH)
        return;
    bool near = body_is_near(f->c, e);
    const emit_lane_run *run = near ? NULL : emit_lane_run_of(info, e);
    size_t n = e->op - (near ? 1u : 0u);
    int counters[SIR_RANK] = {0}, lanes[SIR_RANK] = {0};
    for (size_t i = 0; i < n; i++)
        if (!is_sum(f, e->u.arg[i], &counters[i], &lanes[i]) || counters[i] > 1 ||
            lanes[i] > (run != NULL || i + 1 < e->op ? 1 : 0))
            return;
    if (n == 0)
        return;
    for (size_t i = 0; i < n; i++)
        add_check(f, e, i, lanes[i] > 0 && i + 1 == e->op ? run->first : e->u.arg[i], counters[i] > 0, lanes[i] > 0);
    VEC_PUSH(f->c->e->arena, &f->t->inside, e);
}

static void find_fetches(void *context, sir_stmt *s)
{
    sir_visit_exprs(s, find_fetch, context);
}

bool body_is_inside(const body_context *c, const sir_expr *fetch)
{
    for (size_t i = 0; c->trips != NULL && i < c->trips->inside.len; i++)
        if (c->trips->inside.data[i] == fetch)
            return true;
    return false;
}

// The number of trips of a loop that tests a condition.
static const char *count_loop(trip_finder *f, const sir_stmt *loop)
{
    body_context *c = f->c;
    body_trips *t = f->t;
    if (loop->u.loop.post_test || loop->u.loop.pre.len > 0)
        return NULL;
    sir_visit_stmts(&loop->u.loop.body, find_assigned, f);
    sir_visit_stmts(&loop->u.loop.step, find_assigned, f);
    if (f->impossible || !find_counter(f, loop))
        return NULL;
    const char *bound = body_expr_text(c, t->bound, PREC_COND), *counter = body_local_named(c, t->counter);
    const char *equal = t->or_equal ? "true" : "false";
    if (t->counter == t->value)
        return arena_printf(c->e->arena, "svm_brookTrips(%s, %s, %s)", counter, bound, equal);
    return arena_printf(c->e->arena, "svm_brookTripsOfFloat(%s, %s, %s, %s)", counter, body_local_named(c, t->value),
                        bound, equal);
}

// Of one whose bounds are known when it begins.
static const char *count_for(trip_finder *f, const sir_stmt *loop)
{
    body_context *c = f->c;
    if (loop->u.for_.step != 1 || (c->info->lanes > 0 && loop->u.for_.local == c->info->lane))
        return NULL;
    sir_visit_stmts(&loop->u.for_.body, find_assigned, f);
    f->t->value = f->t->counter = loop->u.for_.local;
    return f->impossible ? NULL
                         : arena_printf(c->e->arena, "svm_brookTrips(%s, %s, false)",
                                        body_expr_text(c, loop->u.for_.lo, PREC_COND),
                                        body_expr_text(c, loop->u.for_.hi, PREC_COND));
}

const char *body_find_trips(body_context *c, const sir_stmt *loop, body_trips *t)
{
    trip_finder f = {.c = c, .t = t};
    bool counted = loop->kind == SIR_FOR;
    *t = (body_trips){0};
    if (c->info == NULL || !c->info->filter->finite || c->trips != NULL ||
        (c->function->kind != SIR_WORK && c->function->kind != SIR_PREWORK))
        return NULL;
    f.assigned = ARENA_ARRAY(c->e->arena, bool, c->function->locals.len + 1);
    const char *trips = counted ? count_for(&f, loop) : count_loop(&f, loop);
    if (trips == NULL)
        return NULL;
    body_local *counter = &c->locals[t->counter], saved = *counter;
    if (counted) // where the first trip is asked for
        counter->forward = arena_printf(c->e->arena, "(%s)", body_expr_text(c, loop->u.for_.lo, PREC_LOWEST));
    sir_visit_stmts(counted ? &loop->u.for_.body : &loop->u.loop.body, find_fetches, &f);
    *counter = saved;
    if (t->inside.len == 0)
        return NULL;
    body_line(c, "const ptrdiff_t svm_trips = %s;", trips);
    const char *condition = "svm_trips > 0";
    for (VEC_EACH(const char *const, check, &f.checks))
        condition = arena_printf(c->e->arena, "%s && %s", condition, *check);
    return condition;
}
