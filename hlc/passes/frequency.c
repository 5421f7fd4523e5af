// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass 'frequency', of -Ofast alone: long filters by way of a transform, where that takes fewer operations.
//
//     push(sum of h[k] * peek(k)); pop()   ->   ahead pop N push N: the transform of N points, times that of h, and back
//
// Of N items in a circle, N / 2 sums of a window of at most N / 2 + 1 items are those of a line (overlap-save). h is real,
// so two blocks go together, one as real and one as imaginary parts, and come apart by themselves. 'ahead' of the filter
// does so; work stays, for what is left over.
//
// The transform takes four points at a time, those far apart first, in place; what comes out is in another order, and the
// transform back takes it in that order, the steps the other way round. So nothing is reordered, and loops go over points
// that lie side by side, until the last steps: those of four neighbours there and back are one loop with the products
// between. (Gentleman and Sande, 1966; Stockham's convolution, the same year.)
//
// NOTE(digits). An item has the error of the largest one in its block, where a sum of products has that of the largest in
// its window. Infinite items spread to a block.
#include <float.h>
#include <inttypes.h>
#include <math.h>

#include "hlc/ir/walk.h"
#include "hlc/passes/ahead_text.h"
#include "hlc/passes/linear_int.h"
#include "hlc/passes/pass.h"
#include "hlc/plan/bit_lanes.h"
#include "targets/machine.h"

// Points of a transform; four at a time are a step.
enum { LEAST_POINTS = 64, MOST_POINTS = 16384, RADIX = 4, RADIX_BITS = 2 };
// Lanes of a vector where no machine is known.
enum { SOME_LANES = 4 };
// Operations of a point, loads and stores among them, in a step of four points, there or back; in the loop in the middle;
// and to come and to go. Those of a sum's product.
static const double STEP = 12.5, MIDDLE = 40, COPIES = 8, PRODUCT = 1.5;
// How much less it must take.
static const double WORTH = 0.7;

static const double PI = 3.14159265358979323846;

typedef struct finder {
    hlc_program *hlc;
    sir_module *m;
    arena *a;
    double work;
} finder;

// ---- Which filters ----

static bool is_plain(const sir_filter *f)
{
    const sir_function *w = f->work;
    if (w == NULL || f->finite || f->stateful || f->prework != NULL || f->handlers.len != 0 || f->uses_iter ||
        f->uses_random || f->prints || f->sends || f->ahead != NULL || w->peek.dynamic || w->pop.dynamic ||
        w->push.dynamic)
        return false;
    return f->input == f->output && (f->input->kind == SIR_FLOAT || f->input->kind == SIR_DOUBLE) && w->push.max == 1 &&
           w->pop.max >= 1 && w->peek.max >= LEAST_POINTS / 2 && w->peek.max <= MOST_POINTS / 2 + 1;
}

static bool fires_freely(const finder *x, const sir_filter *f)
{
    bool any = false;
    for (VEC_EACH(sir_actor *const, a, &x->m->actors))
        if ((*a)->kind == SIR_FILTER && (*a)->filter == f) {
            if (pass_in_loop(x->m, (*a)->region))
                return false;
            any = true;
        }
    return any;
}

// ---- Costs ----

static int lanes_of(const finder *x, const sir_type *item)
{
    const machine_processor *p = plan_bit_processor(x->hlc);
    size_t bytes = item->kind == SIR_DOUBLE ? sizeof(double) : sizeof(float);
    int lanes = p == NULL ? SOME_LANES : (int)(machine_vector_bytes(p) / bytes);
    return lanes < 1 ? 1 : lanes;
}

// The distance of the points that the first step of four takes together.
static int64_t first_stride(int64_t points)
{
    int64_t stride = 1;
    while (stride * RADIX * RADIX <= points)
        stride *= RADIX;
    return stride;
}

static double transformed_cost(int64_t points, int lanes, int64_t pop)
{
    double each = (MIDDLE + COPIES) / lanes;
    int64_t s = first_stride(points);
    if (s * RADIX < points)
        each += STEP / lanes;
    for (; s > 1; s /= RADIX)
        each += 2 * STEP / (double)(s < lanes ? s : lanes);
    return each * (double)pop;
}

// Of the tables, and of what a run keeps of the items.
static int64_t bytes_of(int64_t points, const sir_type *item)
{
    return 6 * points * (int64_t)(item->kind == SIR_DOUBLE ? sizeof(double) : sizeof(float));
}

// ---- The transform of the sums ----

static void turn(double *re, double *im, int64_t at, int64_t k, int64_t of)
{
    double angle = -2 * PI * (double)k / (double)of, c = cos(angle), s = sin(angle), r = re[at], i = im[at];
    re[at] = r * c - i * s;
    im[at] = r * s + i * c;
}

// Two points of a step that halves.
static void halve(double *re, double *im, int64_t points)
{
    int64_t s = points / 2;
    for (int64_t j = 0; j < s; j++) {
        double r = re[j + s], i = im[j + s];
        re[j + s] = re[j] - r;
        im[j + s] = im[j] - i;
        re[j] += r;
        im[j] += i;
        turn(re, im, j + s, j, points);
    }
}

static void quarter(double *re, double *im, int64_t first, int64_t s)
{
    for (int64_t j = 0; j < s; j++) {
        double *r = re + first + j, *i = im + first + j;
        double r02 = r[0] + r[2 * s], i02 = i[0] + i[2 * s], d02 = r[0] - r[2 * s], e02 = i[0] - i[2 * s],
               r13 = r[s] + r[3 * s], i13 = i[s] + i[3 * s], d13 = r[s] - r[3 * s], e13 = i[s] - i[3 * s];
        r[0] = r02 + r13, i[0] = i02 + i13;
        r[s] = d02 + e13, i[s] = e02 - d13;
        r[2 * s] = r02 - r13, i[2 * s] = i02 - i13;
        r[3 * s] = d02 - e13, i[3 * s] = e02 + d13;
        for (int64_t k = 1; k < RADIX; k++)
            turn(r, i, k * s, j * k, RADIX * s);
    }
}

static void transform(double *re, double *im, int64_t points)
{
    int64_t s = first_stride(points);
    if (s * RADIX < points)
        halve(re, im, points);
    for (; s >= 1; s /= RADIX)
        for (int64_t first = 0; first < points; first += RADIX * s)
            quarter(re, im, first, s);
}

// ---- The text ----

typedef struct point {
    sir_expr *re, *im;
} point;

typedef struct writer {
    ahead_text t;
    const sir_type *item;
    int64_t points;
    uint32_t re, im; // local arrays
    uint32_t j, i;   // variables of loops: over points side by side, and over groups of them
} writer;

static sir_scalar real(const writer *w, double v)
{
    return w->item->kind == SIR_FLOAT ? (sir_scalar){.f = (float)v} : (sir_scalar){.d = v};
}

static sir_expr *plus(const writer *w, sir_expr *a, int64_t b)
{
    return b == 0 ? a : ahead_binary(&w->t, LANG_OP_ADD, a, ahead_integer(&w->t, b));
}

static point keep_point(const writer *w, sir_block *to, point p)
{
    p.re = ahead_local(&w->t, ahead_keep(&w->t, to, "re", p.re));
    p.im = ahead_local(&w->t, ahead_keep(&w->t, to, "im", p.im));
    return p;
}

static point copy_of(const writer *w, point p)
{
    return (point){ahead_local(&w->t, p.re->index), ahead_local(&w->t, p.im->index)};
}

static point in_table(const writer *w, uint32_t table, int64_t k, uint32_t column)
{
    const sir_type *t = w->t.filter->fields.data[table].type;
    sir_expr *re = ahead_element(&w->t, sir_ref(w->t.m, SIR_FIELD, table, t, w->t.loc), ahead_integer(&w->t, 2 * k)),
             *im =
                 ahead_element(&w->t, sir_ref(w->t.m, SIR_FIELD, table, t, w->t.loc), ahead_integer(&w->t, 2 * k + 1));
    return (point){ahead_element(&w->t, re, ahead_local(&w->t, column)),
                   ahead_element(&w->t, im, ahead_local(&w->t, column))};
}

// Rows 2 k and 2 k + 1: cosines and sines of the angles by which point k + 1 of each step turns.
static uint32_t add_turns(const writer *w, int64_t s, int64_t radix)
{
    uint32_t table = ahead_table(&w->t, "turns", w->item, 2 * (radix - 1), s);
    sir_scalar *data = w->t.filter->fields.data[table].init.data;
    for (int64_t k = 1; k < radix; k++)
        for (int64_t j = 0; j < s; j++) {
            double angle = -2 * PI * (double)(j * k) / (double)(radix * s);
            data[2 * (k - 1) * s + j] = real(w, cos(angle));
            data[(2 * k - 1) * s + j] = real(w, sin(angle));
        }
    return table;
}

static point sum(const writer *w, point a, point b)
{
    a = copy_of(w, a);
    b = copy_of(w, b);
    return (point){ahead_binary(&w->t, LANG_OP_ADD, a.re, b.re), ahead_binary(&w->t, LANG_OP_ADD, a.im, b.im)};
}

static point difference(const writer *w, point a, point b)
{
    a = copy_of(w, a);
    b = copy_of(w, b);
    return (point){ahead_binary(&w->t, LANG_OP_SUB, a.re, b.re), ahead_binary(&w->t, LANG_OP_SUB, a.im, b.im)};
}

// a + sign * i * b
static point sum_turned(const writer *w, point a, point b, int sign)
{
    a = copy_of(w, a);
    b = copy_of(w, b);
    return (point){ahead_binary(&w->t, sign > 0 ? LANG_OP_SUB : LANG_OP_ADD, a.re, b.im),
                   ahead_binary(&w->t, sign > 0 ? LANG_OP_ADD : LANG_OP_SUB, a.im, b.re)};
}

// p times a number of a table, or, back, times its conjugate.
static point product(const writer *w, point p, uint32_t table, int64_t k, uint32_t column, bool back)
{
    point a = copy_of(w, p), b = copy_of(w, p), t = in_table(w, table, k, column), u = in_table(w, table, k, column);
    return (point){ahead_binary(&w->t, back ? LANG_OP_ADD : LANG_OP_SUB, ahead_binary(&w->t, LANG_OP_MUL, a.re, t.re),
                                ahead_binary(&w->t, LANG_OP_MUL, a.im, t.im)),
                   ahead_binary(&w->t, back ? LANG_OP_SUB : LANG_OP_ADD, ahead_binary(&w->t, LANG_OP_MUL, b.im, u.re),
                                ahead_binary(&w->t, LANG_OP_MUL, b.re, u.im))};
}

static point load(const writer *w, sir_block *to, sir_expr *at, sir_expr *again)
{
    point p = {ahead_element(&w->t, ahead_local(&w->t, w->re), at),
               ahead_element(&w->t, ahead_local(&w->t, w->im), again)};
    return keep_point(w, to, p);
}

static void store(const writer *w, sir_block *to, sir_expr *at, sir_expr *again, point p)
{
    ahead_set(&w->t, to, ahead_element(&w->t, ahead_local(&w->t, w->re), at), p.re);
    ahead_set(&w->t, to, ahead_element(&w->t, ahead_local(&w->t, w->im), again), p.im);
}

// Sums of four points; back: for the transform back. The results are expressions of locals.
static void four(const writer *w, sir_block *to, const point *p, bool back, point *result)
{
    point a = keep_point(w, to, sum(w, p[0], p[2])), b = keep_point(w, to, difference(w, p[0], p[2])),
          c = keep_point(w, to, sum(w, p[1], p[3])), d = keep_point(w, to, difference(w, p[1], p[3]));
    result[0] = sum(w, a, c);
    result[1] = sum_turned(w, b, d, back ? 1 : -1);
    result[2] = difference(w, a, c);
    result[3] = sum_turned(w, b, d, back ? -1 : 1);
}

// Where point k of a step of groups of `radix` times s points lies.
static sir_expr *place(const writer *w, int64_t radix, int64_t s, int64_t k)
{
    sir_expr *at = ahead_local(&w->t, w->j);
    if (radix * s < w->points)
        at = ahead_binary(&w->t, LANG_OP_ADD,
                          ahead_binary(&w->t, LANG_OP_MUL, ahead_local(&w->t, w->i), ahead_integer(&w->t, radix * s)),
                          at);
    return plus(w, at, k * s);
}

static void two(const writer *w, const point *p, point *result)
{
    result[0] = sum(w, p[0], p[1]);
    result[1] = difference(w, p[0], p[1]);
}

// A step there, which turns what comes out, or back, which turns what goes in.
static void add_step(const writer *w, int64_t radix, int64_t s, uint32_t turns, bool back)
{
    sir_block *to = &w->t.f->body;
    point p[RADIX], q[RADIX];
    if (radix * s < w->points)
        to = ahead_counted(&w->t, to, w->i, w->points / (radix * s));
    to = ahead_counted(&w->t, to, w->j, s);
    for (int64_t k = 0; k < radix; k++) {
        p[k] = load(w, to, place(w, radix, s, k), place(w, radix, s, k));
        if (back && k > 0)
            p[k] = keep_point(w, to, product(w, p[k], turns, k - 1, w->j, true));
    }
    if (radix == RADIX)
        four(w, to, p, back, q);
    else
        two(w, p, q);
    for (int64_t k = 0; k < radix; k++) {
        if (!back && k > 0)
            q[k] = product(w, keep_point(w, to, q[k]), turns, k - 1, w->j, false);
        store(w, to, place(w, radix, s, k), place(w, radix, s, k), q[k]);
    }
}

// The last step there, the products, and the first step back.
static void add_middle(const writer *w, uint32_t weights)
{
    sir_block *to = ahead_counted(&w->t, &w->t.f->body, w->j, w->points / RADIX);
    point p[RADIX], q[RADIX];
    for (int64_t k = 0; k < RADIX; k++) {
        sir_expr *at = ahead_binary(&w->t, LANG_OP_MUL, ahead_local(&w->t, w->j), ahead_integer(&w->t, RADIX)),
                 *again = ahead_binary(&w->t, LANG_OP_MUL, ahead_local(&w->t, w->j), ahead_integer(&w->t, RADIX));
        p[k] = load(w, to, plus(w, at, k), plus(w, again, k));
    }
    four(w, to, p, false, q);
    for (int64_t k = 0; k < RADIX; k++)
        p[k] = keep_point(w, to, product(w, keep_point(w, to, q[k]), weights, k, w->j, false));
    four(w, to, p, true, q);
    for (int64_t k = 0; k < RADIX; k++) {
        sir_expr *at = ahead_binary(&w->t, LANG_OP_MUL, ahead_local(&w->t, w->j), ahead_integer(&w->t, RADIX)),
                 *again = ahead_binary(&w->t, LANG_OP_MUL, ahead_local(&w->t, w->j), ahead_integer(&w->t, RADIX));
        store(w, to, plus(w, at, k), plus(w, again, k), q[k]);
    }
}

static void take_items(const writer *w, uint32_t array, int64_t first, int64_t count)
{
    sir_block *to = ahead_counted(&w->t, &w->t.f->body, w->j, count);
    ahead_set(&w->t, to, ahead_element(&w->t, ahead_local(&w->t, array), ahead_local(&w->t, w->j)),
              sir_expr1(w->t.m, SIR_PEEK, 0, w->item, plus(w, ahead_local(&w->t, w->j), first), w->t.loc));
}

static void push_sums(const writer *w, uint32_t array, int64_t count, int64_t step, double constant)
{
    sir_block *to = ahead_counted(&w->t, &w->t.f->body, w->j, count);
    sir_stmt *push = sir_stmt_new(w->t.m, SIR_PUSH, w->t.loc);
    sir_expr *at = ahead_local(&w->t, w->j);
    if (step != 1)
        at = ahead_binary(&w->t, LANG_OP_MUL, at, ahead_integer(&w->t, step));
    push->u.value = ahead_element(&w->t, ahead_local(&w->t, array), at);
    if (constant != 0)
        push->u.value =
            ahead_binary(&w->t, LANG_OP_ADD, push->u.value, sir_const(w->t.m, w->item, real(w, constant), w->t.loc));
    VEC_PUSH(w->t.m->arena, to, push);
}

static uint32_t new_array(const writer *w, const char *name)
{
    uint32_t l = sir_local_new(w->t.m, w->t.f, name, sir_type_array(w->t.m, w->item, (uint32_t)w->points), w->t.loc);
    ahead_declare(&w->t, &w->t.f->body, l, NULL);
    return l;
}

// The conjugate of the transform of what items are multiplied by, over the number of points, in the order in which the
// transform gives it, as rows for the middle. False: an item cannot hold it.
static bool find_weights(const linear_form *f, int64_t points, double *re, double *im)
{
    for (int64_t k = 0; k < f->peek; k++)
        re[k] = f->weights[k];
    transform(re, im, points);
    for (int64_t k = 0; k < points; k++) {
        re[k] /= (double)points;
        im[k] /= -(double)points;
        if (!(fabs(re[k]) < FLT_MAX) || !(fabs(im[k]) < FLT_MAX))
            return false;
    }
    return true;
}

static uint32_t add_weights(const writer *w, const double *re, const double *im)
{
    int64_t columns = w->points / RADIX;
    uint32_t table = ahead_table(&w->t, "transformed", w->item, 2 * RADIX, columns);
    sir_scalar *data = w->t.filter->fields.data[table].init.data;
    for (int64_t k = 0; k < w->points; k++) {
        data[2 * (k % RADIX) * columns + k / RADIX] = real(w, re[k]);
        data[(2 * (k % RADIX) + 1) * columns + k / RADIX] = real(w, im[k]);
    }
    return table;
}

// Steps there, the middle, and the same steps back in reverse.
static void add_steps(const writer *w, int64_t s, uint32_t weights)
{
    if (s == 1) {
        add_middle(w, weights);
        return;
    }
    uint32_t turns = add_turns(w, s, RADIX);
    add_step(w, RADIX, s, turns, false);
    add_steps(w, s / RADIX, weights);
    add_step(w, RADIX, s, turns, true);
}

static void make_ahead(finder *x, sir_filter *f, const linear_form *form, int64_t points, const double *re,
                       const double *im)
{
    sir_module *m = x->m;
    const sir_function *one = f->work;
    sir_function *many = ARENA_NEW(m->arena, sir_function);
    int64_t firings = points / form->pop, block = points / 2, s = first_stride(points);
    *many = (sir_function){.kind = SIR_WORK, .name = one->name, .result = m->scalar[SIR_VOID], .loc = one->loc};
    many->peek.min = many->peek.max = points - form->pop + form->peek;
    many->pop.min = many->pop.max = points;
    many->push.min = many->push.max = firings;
    writer w = {.t = {m, f, many, one->loc}, .item = f->input, .points = points};
    w.i = sir_local_new(m, many, "i", m->scalar[SIR_INT], w.t.loc);
    w.j = sir_local_new(m, many, "j", m->scalar[SIR_INT], w.t.loc);
    w.re = new_array(&w, "first");
    w.im = new_array(&w, "second");
    uint32_t weights = add_weights(&w, re, im), halves = SIR_NONE;
    take_items(&w, w.re, 0, block - form->pop + form->peek);
    take_items(&w, w.im, block, block - form->pop + form->peek);
    if (s * RADIX < points) {
        halves = add_turns(&w, points / 2, 2);
        add_step(&w, 2, points / 2, halves, false);
    }
    add_steps(&w, s, weights);
    if (halves != SIR_NONE)
        add_step(&w, 2, points / 2, halves, true);
    push_sums(&w, w.re, firings / 2, form->pop, form->constants[0]);
    push_sums(&w, w.im, firings / 2, form->pop, form->constants[0]);
    VEC_PUSH(m->arena, ahead_counted(&w.t, &many->body, w.j, points), sir_stmt_new(m, SIR_POP, w.t.loc));
    f->ahead = many;
    sir_filter_derive(m, f);
}

// ---- The pass ----

static bool look_at(finder *x, sir_filter *f)
{
    double operations;
    if (!is_plain(f) || !fires_freely(x, f))
        return false;
    const linear_form *form = linear_extract(x->a, x->m, f, &operations, &x->work);
    int64_t points = LEAST_POINTS;
    if (form == NULL)
        return false;
    while (points / 2 + 1 < form->peek)
        points *= 2;
    if (points % (2 * form->pop) != 0 || bytes_of(points, f->input) > pass_table_bytes(x->hlc))
        return false;
    int lanes = lanes_of(x, f->input);
    double plain = PRODUCT * form->cost / lanes, cost = transformed_cost(points, lanes, form->pop);
    src_range at = sir_range(x->m, x->hlc->sources, f->work->loc);
    if (!(cost < WORTH * plain)) {
        diag_remark(x->hlc->diag, at,
                    "'%s' by transforms of %" PRId64 " points would take %.1f operations instead of %.1f [frequency]",
                    f->name, points, cost, plain);
        return false;
    }
    double *re = ARENA_ARRAY(x->a, double, points), *im = ARENA_ARRAY(x->a, double, points);
    if (!find_weights(form, points, re, im))
        return false;
    make_ahead(x, f, form, points, re, im);
    diag_remark(x->hlc->diag, at,
                "%" PRId64 " firings of '%s', sums of %" PRId64 " items, are done at once by transforms of %" PRId64
                " points: each takes %.1f operations instead of %.1f [frequency]",
                points / form->pop, f->name, form->peek, points, cost, plain);
    return true;
}

bool pass_frequency(hlc_program *p)
{
    if (!p->config->fast_math || p->config->no_lanes || !pass_may_change_more(p) || pass_shares_out(p))
        return false;
    finder x = {.hlc = p, .m = p->module, .a = arena_create(), .work = LINEAR_WORK};
    bool any = false;
    for (VEC_EACH(sir_filter *, f, &p->module->filters))
        any |= look_at(&x, *f);
    arena_destroy(x.a);
    return any;
}
