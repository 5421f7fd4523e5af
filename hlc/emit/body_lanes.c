// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Firings side by side: which functions gain, which loops stay around the lane loops, which locals need a value a lane. See NOTE(lanes) in body.h.
#include <inttypes.h>

#include "hlc/emit/body_int.h"
#include "hlc/ir/walk.h"

// Values carried from trip to trip are what keeps a C compiler from vectorising a loop: floating-point sums, which it must not reorder.

static bool is_floating(const sir_type *t)
{
    return t->kind == SIR_FLOAT || t->kind == SIR_DOUBLE;
}

static bool block_declares(const body_context *c, const sir_block *b, uint32_t local);

// Whether the statement, or one inside it, is where the local is declared.
static bool stmt_declares(const body_context *c, const sir_stmt *s, uint32_t local)
{
    if (c->locals[local].home == s)
        return true;
    switch ((sir_stmt_kind)s->kind) {
    case SIR_IF: return block_declares(c, &s->u.if_.then, local) || block_declares(c, &s->u.if_.otherwise, local);
    case SIR_FOR: return block_declares(c, &s->u.for_.body, local);
    case SIR_BLOCK: return block_declares(c, &s->u.block, local);
    default: return false;
    }
}

static bool block_declares(const body_context *c, const sir_block *b, uint32_t local)
{
    for (size_t i = 0; i < b->len; i++)
        if (stmt_declares(c, b->data[i], local))
            return true;
    return false;
}

bool body_declared_in(const body_context *c, const sir_block *b, uint32_t local)
{
    return block_declares(c, b, local);
}

// The loop's own statements (not those of loops inside) update a floating-point local that lives longer than a trip.
static bool carries(const body_context *c, const sir_stmt *loop)
{
    const sir_block *b = &loop->u.for_.body;
    for (size_t i = 0; i < b->len; i++) {
        const sir_stmt *s = b->data[i];
        if (s->kind == SIR_SET && s->u.set.target->kind == SIR_LOCAL && is_floating(s->u.set.target->type) &&
            !c->locals[s->u.set.target->index].dead && !block_declares(c, b, s->u.set.target->index))
            return true;
    }
    return false;
}

bool body_lane_expands(body_context *c, const sir_stmt *s)
{
    if (s->kind != SIR_FOR || s->u.for_.lo->kind != SIR_CONST || s->u.for_.hi->kind != SIR_CONST)
        return false;
    if (c->shares ? body_shares(s) : c->jams ? body_jams(c, s) : carries(c, s))
        return true;
    for (size_t i = 0; i < s->u.for_.body.len; i++)
        if (body_lane_expands(c, s->u.for_.body.data[i]))
            return true;
    return false;
}

// ---- Is it worth it? ----

typedef struct lane_cost {
    int64_t trips;    // of the longest carried loop
    uint32_t carried; // locals that need a value a lane
    bool impossible;
} lane_cost;

static void cost_of(body_context *c, const sir_block *b, int64_t around, lane_cost *cost)
{
    for (size_t i = 0; i < b->len; i++) {
        const sir_stmt *s = b->data[i];
        int64_t trips = 0;
        if (s->kind == SIR_RETURN || s->kind == SIR_CALL || s->kind == SIR_SEND)
            cost->impossible = true;
        if (!body_lane_expands(c, s) || !sir_for_trips(s, &trips))
            continue;
        int64_t all = carries(c, s) ? around * trips : 1;
        cost->trips = all > cost->trips ? all : cost->trips;
        cost_of(c, &s->u.for_.body, carries(c, s) ? all : 1, cost);
    }
}

// Measured (clang 22, AVX2 and SSE2): sums of a dozen terms and more gain, by vector additions or, where the lanes' items lie too far apart for vector loads, by the
// additions' latency that other lanes hide; shorter ones are unrolled and interleaved by the C compiler anyway.
#define LEAST_TERMS 12
// Vector registers hold about 32 single-precision sums of the narrowest machine (SSE2) beside their operands.
#define LANE_VALUES 32
#define LEAST_LANES 8

int body_lane_count(body_context *c)
{
    lane_cost cost = {0};
    if (!c->in.affine || !c->out.affine || c->function->body.len == 0)
        return 0;
    cost_of(c, &c->function->body, 1, &cost);
    if (cost.impossible || cost.trips < LEAST_TERMS)
        return 0;
    c->lanes = LANE_VALUES;
    body_lanes_prepare(c);
    uint32_t values = 0;
    for (size_t i = 0; i < c->function->locals.len; i++) {
        const sir_type *t = c->function->locals.data[i].type;
        if (!c->locals[i].laned)
            continue;
        if (t->kind == SIR_ARRAY || t->kind == SIR_STRUCT)
            return 0; // a local array a lane would not stay in registers
        values += t->kind == SIR_DOUBLE || t->kind == SIR_COMPLEX ? 2 : 1;
    }
    int lanes = LANE_VALUES;
    while (lanes > LEAST_LANES && (uint32_t)lanes * values > LANE_VALUES)
        lanes /= 2;
    return values == 0 || values > LANE_VALUES / LEAST_LANES * 2 ? 0 : lanes;
}

// ---- Which locals need a value a lane ----

typedef struct group_walk {
    body_context *c;
    uint32_t *group; // per local: the run of statements it occurs in; 0 none yet
    uint32_t groups;
} group_walk;

static void mark(group_walk *w, uint32_t local)
{
    body_local *l = &w->c->locals[local];
    if (w->group[local] == 0)
        w->group[local] = w->groups;
    else if (w->group[local] != w->groups && l->forward == NULL && !l->dead)
        l->laned = true;
}

static void mark_expr(group_walk *w, const sir_expr *e)
{
    if (e == NULL || e->kind == SIR_CONST)
        return;
    if (e->kind == SIR_LOCAL) {
        mark(w, e->index);
        return;
    }
    for (size_t i = 0; i < sir_expr_arity(e); i++)
        mark_expr(w, e->u.arg[i]);
}

static void mark_block(group_walk *w, const sir_block *b);

static void mark_stmt(group_walk *w, const sir_stmt *s)
{
    switch ((sir_stmt_kind)s->kind) {
    case SIR_DECL:
        mark(w, s->u.decl.local);
        mark_expr(w, s->u.decl.init);
        break;
    case SIR_SET:
    case SIR_POP:
    case SIR_RANDOM:
        mark_expr(w, s->u.set.target);
        if (s->kind == SIR_SET)
            mark_expr(w, s->u.set.value);
        break;
    case SIR_PUSH:
    case SIR_RETURN: mark_expr(w, s->u.value); break;
    case SIR_PRINT: mark_expr(w, s->u.print.value); break;
    case SIR_IF:
        mark_expr(w, s->u.if_.cond);
        mark_block(w, &s->u.if_.then);
        mark_block(w, &s->u.if_.otherwise);
        break;
    case SIR_FOR:
        mark_expr(w, s->u.for_.lo);
        mark_expr(w, s->u.for_.hi);
        mark_block(w, &s->u.for_.body);
        break;
    case SIR_LOOP:
        mark_block(w, &s->u.loop.pre);
        mark_expr(w, s->u.loop.cond);
        mark_block(w, &s->u.loop.body);
        mark_block(w, &s->u.loop.step);
        break;
    case SIR_BLOCK: mark_block(w, &s->u.block); break;
    case SIR_CALL: // never with lanes
    case SIR_BREAK:
    case SIR_CONTINUE:
    case SIR_SEND: break;
    }
}

static void mark_block(group_walk *w, const sir_block *b)
{
    for (size_t i = 0; i < b->len; i++)
        mark_stmt(w, b->data[i]);
}

// The same partition into runs as lane_block of body_stmt.c makes.
static void group_block(group_walk *w, const sir_block *b)
{
    for (size_t i = 0; i < b->len;) {
        if (body_lane_expands(w->c, b->data[i])) {
            const sir_stmt *s = b->data[i++];
            uint32_t *own = &w->group[s->u.for_.local], before = *own;
            bool laned = w->c->locals[s->u.for_.local].laned;
            group_block(w, &s->u.for_.body);
            *own = before; // the loop variable is the same for all lanes
            w->c->locals[s->u.for_.local].laned = laned;
            continue;
        }
        w->groups++;
        for (; i < b->len && !body_lane_expands(w->c, b->data[i]); i++)
            mark_stmt(w, b->data[i]);
    }
}

void body_lanes_prepare(body_context *c)
{
    size_t count = c->function->locals.len;
    group_walk w = {c, ARENA_ARRAY(c->e->arena, uint32_t, count), 0};
    for (size_t i = 0; i < count; i++)
        c->locals[i].laned = false;
    group_block(&w, &c->function->body);
    for (size_t i = 0; i < count; i++) {
        if (!c->locals[i].laned)
            continue;
        c->locals[i].home = NULL;
        c->locals[i].declared_on_top = false;
    }
    if (c->jams)
        body_find_alone(c);
    c->locals[c->lane].is_for = true;
    c->locals[c->lane].range = (body_interval){0, c->lanes - 1};
}
