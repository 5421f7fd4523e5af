// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hlc/passes/places.h"

#include "hlc/ir/walk.h"

// Items that one place peeks.
enum { MOST_POINTS = 1 << 18 };

bool places_is_counted(const sir_stmt *s)
{
    return s->kind == SIR_FOR && s->u.for_.lo->kind == SIR_CONST && s->u.for_.hi->kind == SIR_CONST &&
           s->u.for_.step > 0;
}

bool place_of(const places *x, const sir_expr *e, place *p)
{
    place a, b;
    *p = (place){0};
    if (e->kind == SIR_CONST) {
        p->constant = e->u.value.i;
        return true;
    }
    if (e->kind == SIR_LOCAL) {
        for (VEC_EACH(const sir_stmt *, s, &x->loops))
            if ((*s)->u.for_.local == e->index) {
                *p = (place){.count = 1, .loop = {*s}, .coefficient = {1}};
                return true;
            }
        return false;
    }
    if (e->kind != SIR_BINARY || !place_of(x, e->u.arg[0], &a) || !place_of(x, e->u.arg[1], &b))
        return false;
    if (e->op == LANG_OP_MUL && a.count > 0 && b.count == 0) {
        *p = a;
        a = b;
        b = *p;
    }
    int64_t by = e->op == LANG_OP_MUL ? a.constant : e->op == LANG_OP_SUB ? -1 : 1;
    if ((e->op == LANG_OP_MUL && a.count > 0) || (e->op != LANG_OP_MUL && e->op != LANG_OP_ADD && e->op != LANG_OP_SUB))
        return false;
    *p = a;
    if (e->op == LANG_OP_MUL)
        *p = (place){0};
    p->constant += by * b.constant;
    for (size_t i = 0; i < b.count; i++) {
        size_t k = 0;
        while (k < p->count && p->loop[k] != b.loop[i])
            k++;
        if (k == PLACE_LOOPS)
            return false;
        p->count += k == p->count;
        p->loop[k] = b.loop[i];
        p->coefficient[k] += by * b.coefficient[i];
    }
    return true;
}

int64_t places_trips(const sir_stmt *s)
{
    int64_t n = (int64_t)s->u.for_.hi->u.value.i - s->u.for_.lo->u.value.i;
    return n <= 0 ? 0 : (n + s->u.for_.step - 1) / s->u.for_.step;
}

// The place of one point, by trips of the loops.
static int64_t place_at(const place *p, const int64_t *trip)
{
    int64_t sum = p->constant;
    for (size_t i = 0; i < p->count; i++)
        sum += p->coefficient[i] * (p->loop[i]->u.for_.lo->u.value.i + trip[i] * p->loop[i]->u.for_.step);
    return sum;
}

static int64_t reordered(const places *x, int64_t item)
{
    return item < 0 || item >= x->items ? -1 : x->to[item];
}

bool places_move(places *x, const place *p, place *q)
{
    int64_t trip[PLACE_LOOPS] = {0}, points = 1, first = reordered(x, place_at(p, trip));
    *q = *p;
    q->constant = first;
    for (size_t i = 0; i < p->count; i++) {
        int64_t trips = places_trips(p->loop[i]), step = p->loop[i]->u.for_.step;
        if (trips == 0 || trips > MOST_POINTS || (points *= trips) > MOST_POINTS)
            return false;
        q->coefficient[i] = 0;
        if (trips > 1) {
            trip[i] = 1;
            int64_t moved = reordered(x, place_at(p, trip)) - first;
            trip[i] = 0;
            if (moved % step != 0)
                return false;
            q->coefficient[i] = moved / step;
        }
        q->constant -= q->coefficient[i] * p->loop[i]->u.for_.lo->u.value.i;
    }
    for (int64_t n = 0; n < points; n++) {
        int64_t rest = n;
        for (size_t i = 0; i < p->count; i++) {
            trip[i] = rest % places_trips(p->loop[i]);
            rest /= places_trips(p->loop[i]);
        }
        int64_t item = place_at(p, trip), to = reordered(x, item);
        x->moves |= to != item;
        if (to < 0 || to != place_at(q, trip))
            return false;
    }
    return true;
}

sir_expr *place_text(const places *x, const place *p, sir_loc loc)
{
    const sir_type *t = x->m->scalar[SIR_INT];
    sir_expr *e = sir_const_int(x->m, (int32_t)p->constant, loc);
    for (size_t i = 0; i < p->count; i++) {
        sir_expr *v = sir_ref(x->m, SIR_LOCAL, p->loop[i]->u.for_.local, t, loc),
                 *c = sir_const_int(x->m, (int32_t)p->coefficient[i], loc);
        e = sir_expr2(x->m, SIR_BINARY, LANG_OP_ADD, t, e, sir_expr2(x->m, SIR_BINARY, LANG_OP_MUL, t, c, v, loc), loc);
    }
    return e;
}
