// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Trips of a firing's loop side by side.
//
// NOTE(across). A filter whose firing is a loop over the places of a row, each computed from the items around it, is as good
// as a filter that fires once a place, within the row. Where single trips are what a C compiler makes no vectors of, they are
// lanes, as firings are (hlc/emit/lanes.c); the items of neighbouring trips lie side by side, so that nothing is turned. What
// is left over of the row's length is done again with the trips before it.
#include <inttypes.h>
#include <string.h>

#include "hlc/emit/program_int.h"
#include "hlc/ir/copy.h"
#include "hlc/ir/walk.h"

struct program_across {
    sir_function *trip; // one trip, as a firing
    int64_t trips, in_stride, out_stride;
    int lanes;
    emit_signature fire;
};

typedef struct across_finder {
    arena *a;
    const sir_stmt *loop;
    uint32_t local; // the loop's
    bool *own;      // per local: declared in a trip
    bool fails;
    sir_copier copier;
    int64_t step; // items by which a trip's window moves on; 0: not known yet
} across_finder;

// Trips at least; items by which windows move on, at most.
enum { LEAST_TRIPS = 16, MOST_STEP = 16 };

// ---- Whether it is such a loop: a copy of its body ----

static bool names(const sir_expr *e, uint32_t local)
{
    bool any = e->kind == SIR_LOCAL && e->index == local;
    for (size_t i = 0; e->kind != SIR_CONST && i < sir_expr_arity(e) && !any; i++)
        any = names(e->u.arg[i], local);
    return any;
}

// By how much an int moves on from trip to trip; false: it does not do so evenly.
static bool moves_by(const sir_expr *e, uint32_t local, int64_t *by)
{
    int64_t a, b;
    *by = e->kind == SIR_LOCAL && e->index == local;
    if (*by != 0 || !names(e, local))
        return true;
    if (e->kind != SIR_BINARY || !moves_by(e->u.arg[0], local, &a) || !moves_by(e->u.arg[1], local, &b))
        return false;
    const sir_expr *left = e->u.arg[0], *right = e->u.arg[1];
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

// As in the first trip.
static sir_expr *first_of(const across_finder *x, const sir_expr *e)
{
    sir_expr *r = ARENA_NEW(x->a, sir_expr);
    *r = *e;
    if (e->kind == SIR_LOCAL && e->index == x->local) {
        *r = (sir_expr){.kind = SIR_CONST, .type = e->type, .loc = e->loc};
        r->u.value.i = x->loop->u.for_.lo->u.value.i;
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
    x->fails |= !moves_by(e->u.arg[0], x->local, &by) || by <= 0 || (x->step != 0 && by != x->step);
    x->step = by;
    return sir_copy_operands(&x->copier, first_of(x, e));
}

static bool drop_stmt(void *context, const sir_stmt *s, sir_block *to)
{
    across_finder *x = context;
    (void)to;
    x->fails |= s->kind != SIR_DECL && s->kind != SIR_SET && s->kind != SIR_PUSH && s->kind != SIR_IF &&
                s->kind != SIR_FOR && s->kind != SIR_LOOP && s->kind != SIR_BLOCK;
    return x->fails;
}

static void note_own(void *context, sir_stmt *s)
{
    across_finder *x = context;
    if (s->kind == SIR_DECL)
        x->own[s->u.decl.local] = true;
    if (s->kind == SIR_FOR)
        x->own[s->u.for_.local] = true;
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

static bool find_trip(program_emitter *x, const sir_function *f, program_across *a)
{
    const sir_stmt *loop = f->body.len == 0 ? NULL : f->body.data[0];
    for (size_t i = 1; i < f->body.len; i++)
        if (!only_pops(f->body.data[i]))
            return false;
    if (loop == NULL || !is_counted(loop) || f->kind != SIR_WORK || f->peek.dynamic || f->pop.dynamic ||
        f->push.dynamic)
        return false;
    across_finder finder = {.a = x->e.arena,
                            .loop = loop,
                            .local = loop->u.for_.local,
                            .own = ARENA_ARRAY(x->e.arena, bool, f->locals.len + 1)};
    a->trips = (int64_t)loop->u.for_.hi->u.value.i - loop->u.for_.lo->u.value.i;
    a->out_stride = pushed_in(&loop->u.for_.body);
    if (a->trips < LEAST_TRIPS || a->out_stride <= 0 || a->out_stride * a->trips != f->push.max)
        return false;
    sir_visit_stmts(&loop->u.for_.body, note_own, &finder);
    finder.copier = (sir_copier){.arena = x->e.arena, .context = &finder, .expr = copy_peek, .stmt = drop_stmt};
    sir_block body = sir_copy_block(&finder.copier, &loop->u.for_.body);
    a->in_stride = finder.step;
    int64_t peek = f->peek.max - a->in_stride * (a->trips - 1);
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

// ---- What is written ----

const program_across *program_find_across(program_emitter *x, emit_filter_info *info, const sir_function *f, int width)
{
    program_across *a = ARENA_NEW(x->e.arena, program_across);
    const emit_view view = {0};
    if (!plan_filter_can_fuse_horizontally(info->filter) || !find_trip(x, f, a))
        return NULL;
    int64_t most = 1;
    while (most * 2 <= a->trips)
        most *= 2;
    emit_lanes lanes = emit_lane_count(&x->e, info, a->trip, view, view, width, a->in_stride, a->out_stride, most);
    if (!lanes.vectors)
        return NULL;
    a->lanes = lanes.count;
    diag_remark(x->p->diag, sir_range(x->m, x->p->sources, f->body.data[0]->loc),
                "%d trips of this loop of '%s' go side by side [lanes]", a->lanes, info->filter->name);
    program_include_lanes(x, a->lanes);
    const char *name = emit_unique_name(&x->e, arena_printf(x->e.arena, "%s_trips_%d", info->c_name, a->lanes));
    a->fire = emit_fire_lanes(&x->e, info, a->trip, name, view, view, &lanes);
    return a;
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
