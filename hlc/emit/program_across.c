// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Trips of a firing's loop side by side.
//
// NOTE(across). A filter whose firing is a loop over the places of a row, each computed from the items around it, is as good
// as a filter that fires once a place, within the row. Where single trips are what a C compiler makes no vectors of, they are
// lanes, as firings are (hlc/emit/lanes.c); the items of neighbouring trips lie side by side, so that nothing is turned. What
// is left over of the row's length is done again with the trips before it.
//
// NOTE(inside). So may a loop inside others be, as that over the places of a row where one firing is a whole picture: its first
// trip in each of the loops around begins so many items further on. The rest of the firing stays as it is.
#include <inttypes.h>
#include <string.h>

#include "hlc/emit/program_int.h"
#include "hlc/ir/copy.h"
#include "hlc/ir/walk.h"

struct program_across {
    sir_function *trip; // one trip, as a firing
    int64_t trips, in_stride, out_stride;
    const int64_t *steps; // items by which its window moves on for a trip of each loop around
    int lanes;
    emit_signature fire;
};

typedef VEC(const sir_stmt *) loops;

typedef struct across_finder {
    arena *a;
    const sir_stmt *loop;
    uint32_t local; // the loop's
    const loops *around;
    bool *own;         // per local: declared in a trip
    bool *counts;      // per local: the variable of a loop
    sir_expr **values; // per local: what it is declared with for good; NULL: not known
    bool fails;
    sir_copier copier;
    int64_t step;   // items by which a trip's window moves on; 0: not known yet
    int64_t *steps; // and by which it does for a trip of each loop around
} across_finder;

// Trips at least; items by which windows move on, at most; lanes that are not made fewer, so that fewer trips are done again.
enum { LEAST_TRIPS = 16, MOST_STEP = 16, LEAST_LANES = 16 };

// ---- Whether it is such a loop: a copy of its body ----

// What a local stands for that is declared as a sum or product of loop variables; else the expression itself.
static const sir_expr *stands_for(const across_finder *x, const sir_expr *e)
{
    const sir_expr *value = e->kind == SIR_LOCAL && e->type->kind == SIR_INT ? x->values[e->index] : NULL;
    return value != NULL ? value : e;
}

static bool is_counted_value(const across_finder *x, const sir_expr *e)
{
    if (e->kind == SIR_CONST)
        return true;
    if (e->kind == SIR_LOCAL)
        return x->counts[e->index] || (x->values[e->index] != NULL && is_counted_value(x, x->values[e->index]));
    bool plain = e->kind == SIR_BINARY && (e->op == LANG_OP_ADD || e->op == LANG_OP_SUB || e->op == LANG_OP_MUL);
    return plain && is_counted_value(x, e->u.arg[0]) && is_counted_value(x, e->u.arg[1]);
}

static bool names(const across_finder *x, const sir_expr *e, uint32_t local)
{
    e = stands_for(x, e);
    bool any = e->kind == SIR_LOCAL && e->index == local;
    for (size_t i = 0; e->kind != SIR_CONST && i < sir_expr_arity(e) && !any; i++)
        any = names(x, e->u.arg[i], local);
    return any;
}

// By how much an int moves on from trip to trip; false: it does not do so evenly.
static bool moves_by(const across_finder *x, const sir_expr *e, uint32_t local, int64_t *by)
{
    int64_t a, b;
    e = stands_for(x, e);
    *by = e->kind == SIR_LOCAL && e->index == local;
    if (*by != 0 || !names(x, e, local))
        return true;
    if (e->kind != SIR_BINARY || !moves_by(x, e->u.arg[0], local, &a) || !moves_by(x, e->u.arg[1], local, &b))
        return false;
    const sir_expr *left = stands_for(x, e->u.arg[0]), *right = stands_for(x, e->u.arg[1]);
    switch (e->op) {
    case LANG_OP_ADD: *by = a + b; break;
    case LANG_OP_SUB: *by = a - b; break;
    case LANG_OP_MUL:
        if (left->kind != SIR_CONST && right->kind != SIR_CONST)
            return false;
        *by = right->kind == SIR_CONST ? a * right->u.value.i : left->u.value.i * b;
        break;
    default: return false;
    }
    return *by > INT32_MIN && *by < INT32_MAX;
}

// The loop that counts with the local, of that whose trips go side by side and those around; NULL: none of them.
static const sir_stmt *loop_of(const across_finder *x, uint32_t local)
{
    const sir_stmt *found = local == x->local ? x->loop : NULL;
    for (size_t i = 0; i < x->around->len && found == NULL; i++)
        found = x->around->data[i]->u.for_.local == local ? x->around->data[i] : NULL;
    return found;
}

// As in the first trip of all these loops.
static sir_expr *first_of(const across_finder *x, const sir_expr *e)
{
    sir_expr *r = ARENA_NEW(x->a, sir_expr);
    e = stands_for(x, e);
    *r = *e;
    const sir_stmt *loop = e->kind == SIR_LOCAL ? loop_of(x, e->index) : NULL;
    if (loop != NULL) {
        *r = (sir_expr){.kind = SIR_CONST, .type = e->type, .loc = e->loc};
        r->u.value.i = loop->u.for_.lo->u.value.i;
    }
    for (size_t i = 0; r->kind != SIR_CONST && i < sir_expr_arity(e); i++)
        r->u.arg[i] = first_of(x, e->u.arg[i]);
    return r;
}

static sir_expr *copy_peek(void *context, const sir_expr *e)
{
    across_finder *x = context;
    int64_t by = 0;
    x->fails |= e->kind == SIR_ITER || (e->kind == SIR_LOCAL && !x->own[e->index]);
    if (e->kind != SIR_PEEK)
        return NULL;
    bool first = x->step == 0;
    x->fails |= !moves_by(x, e->u.arg[0], x->local, &by) || by <= 0 || (!first && by != x->step);
    x->step = by;
    for (size_t i = 0; i < x->around->len; i++) {
        x->fails |=
            !moves_by(x, e->u.arg[0], x->around->data[i]->u.for_.local, &by) || by < 0 || (!first && by != x->steps[i]);
        x->steps[i] = by;
    }
    return x->fails ? NULL : sir_copy_operands(&x->copier, first_of(x, e));
}

// Drops what is declared to say where items lie, and statements that no trip may have.
static bool drop_stmt(void *context, const sir_stmt *s, sir_block *to)
{
    across_finder *x = context;
    (void)to;
    if (s->kind == SIR_DECL && x->values[s->u.decl.local] != NULL) {
        bool of_loops = names(x, x->values[s->u.decl.local], x->local);
        for (size_t i = 0; i < x->around->len; i++)
            of_loops = of_loops || names(x, x->values[s->u.decl.local], x->around->data[i]->u.for_.local);
        if (of_loops) {
            x->own[s->u.decl.local] = false;
            return true;
        }
    }
    x->fails |= s->kind != SIR_DECL && s->kind != SIR_SET && s->kind != SIR_PUSH && s->kind != SIR_IF &&
                s->kind != SIR_FOR && s->kind != SIR_LOOP && s->kind != SIR_BLOCK;
    return x->fails;
}

static bool is_counted(const sir_stmt *s)
{
    return s->kind == SIR_FOR && s->u.for_.lo->kind == SIR_CONST && s->u.for_.hi->kind == SIR_CONST &&
           s->u.for_.step == 1;
}

// What a block pushes, the same in all ways through it; -1: it is not.
static int64_t pushed_in(const sir_block *b)
{
    int64_t n = 0;
    for (size_t i = 0; i < b->len; i++) {
        sir_parts parts = sir_stmt_parts(b->data[i]);
        int64_t inner = parts.block_count > 0 ? pushed_in(parts.block[0]) : 0;
        for (uint8_t k = 1; k < parts.block_count; k++)
            inner = pushed_in(parts.block[k]) == inner ? inner : -1;
        if (inner > 0 && b->data[i]->kind == SIR_FOR)
            inner = is_counted(b->data[i])
                        ? inner * ((int64_t)b->data[i]->u.for_.hi->u.value.i - b->data[i]->u.for_.lo->u.value.i)
                        : -1;
        if (inner < 0 || (inner > 0 && b->data[i]->kind == SIR_LOOP))
            return -1;
        n += inner + (b->data[i]->kind == SIR_PUSH);
    }
    return n;
}

static bool only_pops(const sir_stmt *s)
{
    if (s->kind == SIR_POP)
        return s->u.set.target == NULL;
    return s->kind == SIR_FOR && s->u.for_.body.len == 1 && only_pops(s->u.for_.body.data[0]);
}

static sir_rate rate_of(int64_t n)
{
    return (sir_rate){.min = n, .max = n};
}

static int64_t trips_of(const sir_stmt *loop)
{
    return (int64_t)loop->u.for_.hi->u.value.i - loop->u.for_.lo->u.value.i;
}

static void note_count(void *context, sir_stmt *s)
{
    across_finder *x = context;
    if (s->kind == SIR_FOR)
        x->counts[s->u.for_.local] = true;
}

static void find_values(across_finder *x, const sir_function *f)
{
    sir_expr **values = ARENA_ARRAY(x->a, sir_expr *, f->locals.len + 1);
    x->values = ARENA_ARRAY(x->a, sir_expr *, f->locals.len + 1);
    x->counts = ARENA_ARRAY(x->a, bool, f->locals.len + 1);
    sir_visit_stmts(&f->body, note_count, x);
    sir_declared_values(&f->body, values);
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < f->locals.len; i++)
            if (values[i] != NULL && x->values[i] == NULL && values[i]->type->kind == SIR_INT &&
                is_counted_value(x, values[i])) {
                x->values[i] = values[i];
                more = true;
            }
    }
}

// One trip of a loop within others as a firing.
static bool find_trip(program_emitter *x, const sir_function *f, const sir_stmt *loop, const loops *around,
                      program_across *a)
{
    across_finder finder = {.a = x->e.arena,
                            .loop = loop,
                            .local = loop->u.for_.local,
                            .around = around,
                            .own = ARENA_ARRAY(x->e.arena, bool, f->locals.len + 1),
                            .steps = ARENA_ARRAY(x->e.arena, int64_t, around->len + 1)};
    a->trips = trips_of(loop);
    a->out_stride = pushed_in(&loop->u.for_.body);
    if (a->trips < LEAST_TRIPS || a->out_stride <= 0 || a->out_stride * a->trips > f->push.max)
        return false;
    find_values(&finder, f);
    sir_declared_locals(&loop->u.for_.body, finder.own);
    finder.copier = (sir_copier){.arena = x->e.arena, .context = &finder, .expr = copy_peek, .stmt = drop_stmt};
    sir_block body = sir_copy_block(&finder.copier, &loop->u.for_.body);
    a->in_stride = finder.step;
    a->steps = finder.steps;
    int64_t peek = f->peek.max - a->in_stride * (a->trips - 1);
    for (size_t i = 0; i < around->len; i++)
        peek -= finder.steps[i] * (trips_of(around->data[i]) - 1);
    if (finder.fails || a->in_stride <= 0 || a->in_stride > MOST_STEP || peek < a->in_stride)
        return false;
    a->trip = ARENA_NEW(x->e.arena, sir_function);
    *a->trip = *f;
    a->trip->peek = rate_of(peek);
    a->trip->pop = rate_of(a->in_stride);
    a->trip->push = rate_of(a->out_stride);
    a->trip->body = body;
    return true;
}

// A function that is one such loop.
static bool is_loop(const sir_function *f)
{
    const sir_stmt *loop = f->body.len == 0 ? NULL : f->body.data[0];
    for (size_t i = 1; i < f->body.len; i++)
        if (!only_pops(f->body.data[i]))
            return false;
    return loop != NULL && is_counted(loop) && pushed_in(&loop->u.for_.body) * trips_of(loop) == f->push.max;
}

// ---- What is written ----

// Trips that are done, so many at a time: the last ones end with the row.
static int64_t done(int64_t trips, int64_t lanes)
{
    return (trips + lanes - 1) / lanes * lanes;
}

// Emits a loop's trips side by side; false: they cannot be, or it is not worth it.
static bool emit_trips(program_emitter *x, emit_filter_info *info, const sir_function *f, const sir_stmt *loop,
                       const loops *around, int width, program_across *a)
{
    const emit_view view = {0};
    if (!find_trip(x, f, loop, around, a))
        return false;
    int64_t most = 1;
    while (most * 2 <= a->trips)
        most *= 2;
    while (most > LEAST_LANES && done(a->trips, most) * 8 > done(a->trips, most / 2) * 9)
        most /= 2;
    emit_lanes lanes = emit_lane_count(&x->e, info, a->trip, view, view, width, a->in_stride, a->out_stride, most);
    if (!lanes.vectors)
        return false;
    a->lanes = lanes.count;
    lanes.trips = around->len > 0;
    diag_remark(x->p->diag, sir_range(x->m, x->p->sources, loop->loc),
                "%d trips of this loop of '%s' go side by side [lanes]", a->lanes, info->filter->name);
    program_include_lanes(x, a->lanes);
    const char *name = emit_unique_name(&x->e, arena_printf(x->e.arena, "%s_trips_%d", info->c_name, a->lanes));
    a->fire = emit_fire_lanes(&x->e, info, a->trip, name, view, view, &lanes);
    return true;
}

static bool has_static_rates(const sir_function *f)
{
    return f->kind == SIR_WORK && !f->peek.dynamic && !f->pop.dynamic && !f->push.dynamic;
}

const program_across *program_find_across(program_emitter *x, emit_filter_info *info, const sir_function *f, int width)
{
    program_across *a = ARENA_NEW(x->e.arena, program_across);
    const loops around = {0};
    if (!plan_filter_can_fuse_horizontally(info->filter) || !has_static_rates(f) || !is_loop(f))
        return NULL;
    return emit_trips(x, info, f, f->body.data[0], &around, width, a) ? a : NULL;
}

static void find_inside(program_emitter *x, emit_filter_info *info, const sir_function *f, const sir_block *b,
                        loops *around, int width)
{
    for (size_t i = 0; i < b->len; i++) {
        const sir_stmt *s = b->data[i];
        program_across a = {0};
        if (!is_counted(s) || trips_of(s) <= 0)
            continue;
        if (around->len > 0 && emit_trips(x, info, f, s, around, width, &a)) {
            emit_inner *e = VEC_ADD(x->e.arena, &x->e.inside);
            *e = (emit_inner){.loop = s, .lanes = a.lanes, .fire = a.fire, .in_stride = a.in_stride};
            for (size_t k = 0; k < around->len; k++)
                VEC_PUSH(x->e.arena, &e->around, ((emit_around){.loop = around->data[k], .step = a.steps[k]}));
            continue;
        }
        VEC_PUSH(x->e.arena, around, s);
        find_inside(x, info, f, &s->u.for_.body, around, width);
        around->len--;
    }
}

void program_find_inside(program_emitter *x, emit_filter_info *info, const sir_function *f, int width)
{
    loops around = {0};
    if (plan_filter_can_fuse_horizontally(info->filter) && has_static_rates(f))
        find_inside(x, info, f, &f->body, &around, width);
}

static const char *further(program_emitter *x, const char *base, const char *trips, int64_t stride)
{
    return stride == 1 ? arena_printf(x->e.arena, "%s + %s", base, trips)
                       : arena_printf(x->e.arena, "%s + %s * %" PRId64, base, trips, stride);
}

void program_emit_across(program_emitter *x, const program_across *a, int indent, const char *in, const char *out,
                         void fire(program_emitter *x, int indent, void *context, const char *in, const char *out),
                         void *context)
{
    const char *rest = arena_printf(x->e.arena, "(%" PRId64 " - svm_lanes%d)", a->trips, a->lanes);
    bool some = a->trips % a->lanes != 0; // are left over
    if (some)
        text_line(x, indent - 1, "{");
    text_line(x, indent, "for (ptrdiff_t trip = 0; trip <= %" PRId64 " - svm_lanes%d; trip += svm_lanes%d)", a->trips,
              a->lanes, a->lanes);
    fire(x, indent + 1, context, further(x, in, "trip", a->in_stride), further(x, out, "trip", a->out_stride));
    if (some) {
        fire(x, indent, context, further(x, in, rest, a->in_stride), further(x, out, rest, a->out_stride));
        text_line(x, indent - 1, "}");
    }
}

const emit_signature *program_across_fire(const program_across *a)
{
    return &a->fire;
}
