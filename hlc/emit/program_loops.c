// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Walks as loops: how the digits of what is read and of what is written become a nest, and its text. Which loops there are,
// and whether they go through all that they should, is program_walk.c's.
#include <inttypes.h>
#include <string.h>

#include "hlc/emit/program_int.h"

emit_view program_view(program_emitter *x, const plan_digits *bounded)
{
    size_t n = bounded->len;
    if (n == 0 || (n == 1 && bounded->data[0].stride == 1))
        return (emit_view){0};
    emit_digit *digits = ARENA_ARRAY(x->e.arena, emit_digit, n);
    for (size_t i = 0; i < n; i++)
        digits[i] = (emit_digit){i + 1 == n ? 0 : bounded->data[i].radix, bounded->data[i].stride};
    return (emit_view){digits, n};
}

// Digits of one radix whose strides continue each other on both sides are one digit.
static void join_digits(plan_digits *a, plan_digits *b)
{
    size_t kept = 0;
    for (size_t i = 1; i < a->len; i++) {
        plan_digit *x = &a->data[kept], *y = &b->data[kept], *nx = &a->data[i], *ny = &b->data[i];
        if (x->radix != 0 && nx->stride == x->radix * x->stride && ny->stride == y->radix * y->stride) {
            x->radix = y->radix = nx->radix == 0 ? 0 : x->radix * nx->radix;
        } else {
            a->data[++kept] = *nx;
            b->data[kept] = *ny;
        }
    }
    a->len = b->len = kept + 1;
}

// Items that stay in the first cache in any order: 16 KiB of words; trips of a loop of which C compilers make vectors.
enum { NEAR_ITEMS = 4096, VECTOR_TRIPS = 8 };

// Whether a round of firings stays in the first cache, and goes through short loops only, whose stores C compilers join
// where they follow each other, such as those that reverse the bits of a place.
static bool is_short_round(const plan_digits *d)
{
    int64_t reach = 0, next = 0;
    for (VEC_EACH(plan_digit, digit, d)) {
        if (digit->radix >= VECTOR_TRIPS || digit->stride < 0)
            return false;
        if (digit->radix == 0)
            next = digit->stride;
        else
            reach += (digit->radix - 1) * digit->stride;
    }
    return reach < NEAR_ITEMS && next > reach;
}

// The nearest comes first: in a short round where items are written, else on both sides.
static int64_t distance(const plan_digits *in, const plan_digits *out, size_t i, bool short_round)
{
    return out->data[i].stride + (short_round ? 0 : in->data[i].stride);
}

// The nearest innermost. Few digits: an insertion sort.
static void sort_digits(plan_digits *a, plan_digits *b)
{
    bool short_round = is_short_round(a) && is_short_round(b);
    for (size_t i = 1; i < a->len; i++)
        for (size_t k = i; k > 0 && distance(a, b, k, short_round) < distance(a, b, k - 1, short_round); k--) {
            plan_digit t = a->data[k], u = b->data[k];
            a->data[k] = a->data[k - 1];
            b->data[k] = b->data[k - 1];
            a->data[k - 1] = t;
            b->data[k - 1] = u;
        }
}

static void copy_digits(program_emitter *x, plan_digits *to, const plan_digits *from)
{
    *to = (plan_digits){0};
    for (VEC_EACH(plan_digit, d, from))
        VEC_PUSH(x->e.arena, to, *d);
}

void program_make_nest(program_emitter *x, program_walk *w, bool free)
{
    if (w->general)
        return;
    join_digits(&w->in_order, &w->out_order);
    copy_digits(x, &w->in, &w->in_order);
    copy_digits(x, &w->out, &w->out_order);
    w->tail &= w->in.len > 1;
    if (free)
        sort_digits(&w->in, &w->out);
    if (free && !w->tail) // a round stays a round of firings where some are left over
        join_digits(&w->in, &w->out);
}

program_walk program_make_walk(program_emitter *x, const plan_digits *in, const plan_digits *out, int64_t init_count,
                               bool free)
{
    program_walk w = {0};
    plan_digits still = {0};
    VEC_PUSH(x->e.arena, &still, (plan_digit){0, 0});
    in = in->len == 0 ? &still : in;
    out = out->len == 0 ? &still : out;
    if (!digits_refine(x->e.arena, in, out, &w.in_order, &w.out_order))
        w = (program_walk){.in_order = *in, .out_order = *out, .general = true};
    if (!w.general)
        join_digits(&w.in_order, &w.out_order);
    w.tail = !w.general && (program_has_phases(x) || init_count % digits_period(&w.in_order) != 0);
    program_make_nest(x, &w, free);
    return w;
}

program_walk program_members_walk(program_emitter *x, const program_walk *one, const plan_stage *st)
{
    arena *a = x->e.arena;
    program_walk w = {0};
    plan_digits in = {0}, out = {0}, rin, rout;
    for (VEC_EACH(plan_digit, d, &st->in_members))
        VEC_PUSH(a, &in, *d);
    for (VEC_EACH(plan_digit, d, &st->out_members))
        VEC_PUSH(a, &out, *d);
    if (one->general || !digits_refine(a, &in, &out, &rin, &rout))
        return (program_walk){.general = true};
    for (size_t i = 0; i + 1 < rin.len; i++) { // behind the last there is one of no extent
        VEC_PUSH(a, &w.in_order, rin.data[i]);
        VEC_PUSH(a, &w.out_order, rout.data[i]);
    }
    for (size_t i = 0; i < one->in_order.len; i++) {
        VEC_PUSH(a, &w.in_order, one->in_order.data[i]);
        VEC_PUSH(a, &w.out_order, one->out_order.data[i]);
    }
    program_make_nest(x, &w, true);
    return w;
}

const char *program_nest_pointer(program_emitter *x, const char *base, const plan_digits *d)
{
    const char *text = base;
    for (size_t i = d->len; i-- > 0;) {
        if (d->data[i].stride == 0)
            continue;
        const char *index = i == 0 ? "i" : arena_printf(x->e.arena, "i%zu", i);
        text = arena_printf(x->e.arena, "%s + %s", text, text_times(x, index, d->data[i].stride));
    }
    return text;
}

const char *program_order_pointer(program_emitter *x, const char *base, const plan_digits *d)
{
    const char *position = text_position(x, d, "i");
    return strcmp(position, "0") == 0 ? base : arena_printf(x->e.arena, "%s + %s", base, position);
}

static void emit_plain_loop(program_emitter *x, const program_walk *w, const char *from, program_walk_body *body,
                            void *context)
{
    if (w->hint != NULL)
        text_line(x, 1, "%s", w->hint);
    text_line(x, 1, "for (ptrdiff_t i = %s; i < count; i++)", from);
    body(x, 2, context, program_order_pointer(x, "in", program_walk_in(w)),
         program_order_pointer(x, "out", program_walk_out(w)));
}

// All loops, that without a bound from `from` up to all that the count says, or in steps up to `whole`.
static void emit_nest(program_emitter *x, const program_walk *w, const char *from, int lanes, program_walk_body *body,
                      void *context)
{
    size_t n = w->in.len;
    for (size_t i = n; i-- > 0;) {
        const char *index = i == 0 ? "i" : arena_printf(x->e.arena, "i%zu", i), *start = "0";
        const char *bound = arena_printf(x->e.arena, "%" PRId64, w->in.data[i].radix);
        const char *step = arena_printf(x->e.arena, "%s++", index);
        if (w->in.data[i].radix == 0) {
            start = from;
            bound = arena_printf(x->e.arena, "count / %" PRId64, digits_period(&w->in));
            if (lanes > 1)
                step = arena_printf(x->e.arena, "%s += %s", index, w->lanes);
            bound = lanes > 1 ? "whole" : bound;
        }
        if (i == 0 && w->row)
            step = arena_printf(x->e.arena, "%s += %s", index, w->lanes);
        if (i == 0 && w->hint != NULL)
            text_line(x, (int)n, "%s", w->hint);
        text_line(x, (int)(n - i), "for (ptrdiff_t %s = %s; %s < %s; %s)", index, start, index, bound, step);
    }
    body(x, (int)n + 1, context, program_nest_pointer(x, "in", &w->in), program_nest_pointer(x, "out", &w->out));
}

// Firings that are left over, of which there may be nearly as many as go side by side, are done so with others that are done.
// Few of them take less time one by one.
static void emit_refill(program_emitter *x, const program_walk *w, program_walk_body *body, void *many)
{
    const char *first = arena_printf(x->e.arena, "(count - %s)", w->lanes);
    const char *in = arena_printf(x->e.arena, "in + %s", text_times(x, first, w->in.data[0].stride));
    const char *out = arena_printf(x->e.arena, "out + %s", text_times(x, first, w->out.data[0].stride));
    text_line(x, 1,
              "if (whole > 0 && count - whole > %s / %d) { /* the last ones again, with those that are left over */",
              w->lanes, REFILL_LEAST);
    body(x, 2, many, in, out);
    text_line(x, 2, "whole = count;");
    text_line(x, 1, "}");
}

void program_emit_walk(program_emitter *x, const program_walk *w, int lanes, const char *begin, program_walk_body *body,
                       void *many, void *one)
{
    program_loop loops[WALK_LOOPS];
    size_t count = program_walk_loops(w, lanes, loops);
    int64_t period = digits_period(&w->in);
    if (lanes > 0)
        text_line(x, 1, "%sptrdiff_t whole = count / %s * %s;", w->refills ? "" : "const ",
                  period == 1 ? w->lanes : arena_printf(x->e.arena, "(%" PRId64 " * %s)", period, w->lanes), w->lanes);
    for (size_t i = 0; i < count; i++) {
        const program_loop *l = &loops[i];
        if (i == 1 && w->refills)
            emit_refill(x, w, body, many);
        const char *from = l->from == WALK_BEGIN ? begin : "whole";
        if (l->plain && l->from != WALK_ROUNDS)
            from = text_times(x, from, period);
        if (l->from == WALK_ROUNDS)
            from = arena_printf(x->e.arena, "count / %" PRId64 " * %" PRId64, period, period);
        if (l->plain)
            emit_plain_loop(x, w, from, body, one);
        else
            emit_nest(x, w, from, l->lanes, body, l->lanes > 1 || w->row ? many : one);
    }
}

void program_verify_walk(program_emitter *x, const program_walk *w, int lanes, bool free, const char *name)
{
    if (x->p->config->verify_each && !program_walk_is_exact(w, lanes, free))
        diag_internal(x->p->diag, (src_range){0}, "the loops of '%s' leave something out, or do it twice", name);
}
