// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Filters that do a Fourier transform. Steps take a few points at a time, those far apart, and put what comes out side by
// side, so that the points are in order in the end and nothing has to be reordered (Stockham, 1966): of the points that
// are left over of the steps before, `side` lie side by side, and go through the same step at the same time.
//
//     for p = 0 to groups                                 // groups * radix * side = points
//         for q = 0 to side
//             x[j] = from[q + side * (p + groups * j)]    // j below radix
//             to[q + side * (radix * p + k)] = turn(p * k) * (the transform of x)[k]
//
// Of real numbers two are one complex number, half as many points. What comes out is the sum of the transforms of those
// in even and of those in odd places, which are the parts of it that are symmetric and those that are not.
#include <math.h>

#include "hlc/passes/ahead_text.h"
#include "hlc/passes/fourier_int.h"

// Points of a step; steps; a transform whose operations stand one by one, without a loop.
enum { MOST_RADIX = 16, MOST_STEPS = 16, PLAIN_PAIRS = 8 };
// Operations of a product of complex numbers; of what takes a point of real numbers apart.
enum { TURN = 6, PAIR = 16 };

static const double PI = 3.14159265358979323846;

typedef struct point {
    sir_expr *re, *im;
} point;

typedef struct writer {
    ahead_text t;
    fourier_form form;
    const sir_type *item;         // of numbers
    int64_t points;               // of the steps
    uint32_t array[2][2], result; // local arrays: real and imaginary parts, in turn, or SIR_NONE; what is pushed
    size_t last;                  // of the two, what the steps leave
    uint32_t p, q;                // variables of loops
} writer;

// ---- Which steps ----

static int64_t log_of(int64_t points)
{
    int64_t bits = 0;
    while ((int64_t)1 << bits < points)
        bits++;
    return bits;
}

// The radix of each step, of eight points and of four; gives how many there are. The larger ones come first: what they put
// side by side lets the later ones go over vectors.
static size_t steps_of(int64_t points, int64_t *radix)
{
    int64_t bits = log_of(points), eights = bits % 3 == 1 ? bits / 3 - 1 : bits / 3;
    size_t n = 0;
    if (points <= MOST_RADIX)
        radix[n++] = points;
    for (; points > MOST_RADIX && bits > 0; bits -= log_of(radix[n++]))
        radix[n] = eights-- > 0 ? 8 : 4;
    return n;
}

// Operations of the transform of a few points: sums of each halving, and turns by other than quarters.
static double small_cost(int64_t radix)
{
    double cost = 2 * (double)(radix * log_of(radix));
    for (int64_t points = 8; points <= radix; points *= 2)
        cost += (double)(radix / points) * (double)(points / 2 - 2) * TURN;
    return cost;
}

double fourier_cost(const fourier_form *f)
{
    int64_t points = f->real ? f->points / 2 : f->points, radix[MOST_STEPS], left = points;
    double cost = f->scale != 1 && !f->real ? 2 * (double)f->points : 0;
    size_t n = steps_of(points, radix);
    for (size_t i = 0; i < n; i++) {
        left /= radix[i];
        cost += (double)(points / radix[i]) * (small_cost(radix[i]) + (left > 1 ? TURN * (double)(radix[i] - 1) : 0));
    }
    return f->real ? cost + PAIR * (double)points : cost;
}

int64_t fourier_bytes(const fourier_form *f, const sir_type *item)
{
    // Results, two pairs of arrays, and tables that come to less than a pair for the steps and one for pairs.
    return (f->real ? 6 : 8) * f->points * (int64_t)(item->kind == SIR_DOUBLE ? sizeof(double) : sizeof(float));
}

// ---- The text ----

static sir_expr *number(const writer *w, double v)
{
    sir_scalar s = w->item->kind == SIR_FLOAT ? (sir_scalar){.f = (float)v} : (sir_scalar){.d = v};
    return sir_const(w->t.m, w->item, s, w->t.loc);
}

static sir_expr *add(const writer *w, sir_expr *a, sir_expr *b)
{
    return ahead_binary(&w->t, LANG_OP_ADD, a, b);
}

static sir_expr *subtract(const writer *w, sir_expr *a, sir_expr *b)
{
    return ahead_binary(&w->t, LANG_OP_SUB, a, b);
}

static sir_expr *times(const writer *w, sir_expr *a, sir_expr *b)
{
    return ahead_binary(&w->t, LANG_OP_MUL, a, b);
}

// first + by * e; e NULL: 0.
static sir_expr *place(const writer *w, int64_t first, int64_t by, sir_expr *e)
{
    if (e == NULL)
        return ahead_integer(&w->t, first);
    if (by < 0)
        return subtract(w, ahead_integer(&w->t, first), e);
    if (by != 1)
        e = times(w, ahead_integer(&w->t, by), e);
    return first == 0 ? e : add(w, e, ahead_integer(&w->t, first));
}

// A point whose parts are locals.
static point keep(const writer *w, sir_block *to, point p)
{
    p.re = ahead_local(&w->t, ahead_keep(&w->t, to, "re", p.re));
    p.im = ahead_local(&w->t, ahead_keep(&w->t, to, "im", p.im));
    return p;
}

// The same local once more.
static sir_expr *again(const writer *w, const sir_expr *local)
{
    return ahead_local(&w->t, local->index);
}

// An array of which every element is set before any is read.
static uint32_t new_array(const writer *w, const char *name, int64_t length)
{
    uint32_t l = sir_local_new(w->t.m, w->t.f, name, sir_type_array(w->t.m, w->item, (uint32_t)length), w->t.loc);
    ahead_declare(&w->t, &w->t.f->body, l, NULL)->u.decl.uninitialised = true;
    return l;
}

static void set_in_table(const writer *w, uint32_t table, int64_t row, int64_t column, double v)
{
    const sir_field *f = &w->t.filter->fields.data[table];
    int64_t at = row * (int64_t)f->type->element->length + column;
    f->init.data[at] = w->item->kind == SIR_FLOAT ? (sir_scalar){.f = (float)v} : (sir_scalar){.d = v};
}

static sir_expr *in_table(const writer *w, uint32_t table, int64_t row, sir_expr *column)
{
    const sir_type *t = w->t.filter->fields.data[table].type;
    sir_expr *e = ahead_element(&w->t, sir_ref(w->t.m, SIR_FIELD, table, t, w->t.loc), ahead_integer(&w->t, row));
    return ahead_element(&w->t, e, column);
}

static sir_expr *in_array(const writer *w, uint32_t array, sir_expr *at)
{
    return ahead_element(&w->t, ahead_local(&w->t, array), at);
}

// ---- A few points ----

// x + turned and x - turned, of which the parts are locals, where turned is exp(sign * 2 pi i k / of) * y.
static void halve(const writer *w, sir_block *to, point x, point y, int64_t k, int64_t of, point *plus, point *minus)
{
    if (4 * k == of) {
        point *left = w->form.sign > 0 ? plus : minus, *right = w->form.sign > 0 ? minus : plus;
        *left =
            keep(w, to, (point){subtract(w, again(w, x.re), again(w, y.im)), add(w, again(w, x.im), again(w, y.re))});
        *right =
            keep(w, to, (point){add(w, again(w, x.re), again(w, y.im)), subtract(w, again(w, x.im), again(w, y.re))});
        return;
    }
    if (k != 0) {
        double angle = w->form.sign * 2 * PI * (double)k / (double)of, c = cos(angle), s = sin(angle);
        y = keep(w, to,
                 (point){subtract(w, times(w, again(w, y.re), number(w, c)), times(w, again(w, y.im), number(w, s))),
                         add(w, times(w, again(w, y.re), number(w, s)), times(w, again(w, y.im), number(w, c)))});
    }
    *plus = keep(w, to, (point){add(w, again(w, x.re), again(w, y.re)), add(w, again(w, x.im), again(w, y.im))});
    *minus =
        keep(w, to, (point){subtract(w, again(w, x.re), again(w, y.re)), subtract(w, again(w, x.im), again(w, y.im))});
}

// The transform of points that lie `step` apart; the parts of points are locals.
static void transform_few(const writer *w, sir_block *to, const point *x, int64_t step, int64_t count, point *y)
{
    if (count == 1) {
        y[0] = x[0];
        return;
    }
    point even[MOST_RADIX / 2], odd[MOST_RADIX / 2];
    transform_few(w, to, x, 2 * step, count / 2, even);
    transform_few(w, to, x + step, 2 * step, count / 2, odd);
    for (int64_t k = 0; k < count / 2; k++)
        halve(w, to, even[k], odd[k], k, count, &y[k], &y[k + count / 2]);
}

// ---- Steps ----

typedef struct step {
    size_t number, count; // of all
    int64_t radix, side, groups;
} step;

// Where point j of a step lies that takes those `apart` from each other; the group's first one is `group` further on.
static sir_expr *point_at(const writer *w, const step *s, int64_t apart, int64_t group, int64_t j)
{
    sir_expr *at = s->groups > 1 ? place(w, 0, group, ahead_local(&w->t, w->p)) : NULL;
    if (s->side > 1) {
        sir_expr *q = ahead_local(&w->t, w->q);
        at = at == NULL ? q : add(w, at, q);
    }
    return place(w, apart * j, 1, at);
}

// A part of a point: that of a complex item, or an item.
static sir_expr *peek(const writer *w, sir_expr *at, int part)
{
    const sir_type *t = w->t.filter->input;
    if (t->kind == SIR_COMPLEX)
        return sir_member(w->t.m, sir_expr1(w->t.m, SIR_PEEK, 0, t, at, w->t.loc), (uint32_t)part, w->t.loc);
    return sir_expr1(w->t.m, SIR_PEEK, 0, t, place(w, part, 2, at), w->t.loc);
}

static point load(const writer *w, const step *s, sir_block *to, int64_t j)
{
    sir_expr *at = point_at(w, s, s->side * s->groups, s->side, j),
             *other = point_at(w, s, s->side * s->groups, s->side, j);
    if (s->number == 0)
        return keep(w, to, (point){peek(w, at, 0), peek(w, other, 1)});
    const uint32_t *from = w->array[s->number % 2];
    return keep(w, to, (point){in_array(w, from[0], at), in_array(w, from[1], other)});
}

static sir_expr *scaled(const writer *w, sir_expr *e)
{
    return w->form.scale == 1 ? e : times(w, e, number(w, w->form.scale));
}

static void store(const writer *w, const step *s, sir_block *to, int64_t k, point p)
{
    sir_expr *at = point_at(w, s, s->side, s->side * s->radix, k),
             *other = point_at(w, s, s->side, s->side * s->radix, k);
    if (s->number + 1 == s->count && !w->form.real) {
        ahead_set(&w->t, to, in_array(w, w->result, place(w, 0, 2, at)), scaled(w, p.re));
        ahead_set(&w->t, to, in_array(w, w->result, place(w, 1, 2, other)), scaled(w, p.im));
        return;
    }
    const uint32_t *array = w->array[(s->number + 1) % 2];
    ahead_set(&w->t, to, in_array(w, array[0], at), p.re);
    ahead_set(&w->t, to, in_array(w, array[1], other), p.im);
}

// Rows 2 k and 2 k + 1 are cosines and sines of what point k + 1 of each group turns by.
static uint32_t add_turns(const writer *w, const step *s)
{
    uint32_t table = ahead_table(&w->t, "turns", w->item, 2 * (s->radix - 1), s->groups);
    for (int64_t k = 1; k < s->radix; k++)
        for (int64_t p = 0; p < s->groups; p++) {
            double angle = w->form.sign * 2 * PI * (double)(p * k) / (double)(s->groups * s->radix);
            set_in_table(w, table, 2 * k - 2, p, cos(angle));
            set_in_table(w, table, 2 * k - 1, p, sin(angle));
        }
    return table;
}

static point turned(const writer *w, point x, uint32_t turns, int64_t k)
{
    sir_expr *c[2], *s[2];
    for (int i = 0; i < 2; i++) {
        c[i] = in_table(w, turns, 2 * k - 2, ahead_local(&w->t, w->p));
        s[i] = in_table(w, turns, 2 * k - 1, ahead_local(&w->t, w->p));
    }
    return (point){subtract(w, times(w, again(w, x.re), c[0]), times(w, again(w, x.im), s[0])),
                   add(w, times(w, again(w, x.re), s[1]), times(w, again(w, x.im), c[1]))};
}

static void add_step(const writer *w, const step *s)
{
    sir_block *to = &w->t.f->body;
    point x[MOST_RADIX], y[MOST_RADIX];
    uint32_t turns = s->groups > 1 ? add_turns(w, s) : SIR_NONE;
    if (s->groups > 1)
        to = ahead_counted(&w->t, to, w->p, s->groups);
    if (s->side > 1)
        to = ahead_counted(&w->t, to, w->q, s->side);
    for (int64_t j = 0; j < s->radix; j++)
        x[j] = load(w, s, to, j);
    transform_few(w, to, x, 1, s->radix, y);
    for (int64_t k = 0; k < s->radix; k++)
        store(w, s, to, k, turns == SIR_NONE || k == 0 ? y[k] : turned(w, y[k], turns, k));
}

// ---- Of real numbers ----

// Where a point of z or of the result is: first + by * the loop's variable; without a loop, SIR_NONE, first.
static sir_expr *pair_at(const writer *w, uint32_t counter, int64_t first, int64_t by)
{
    return place(w, first, by, counter == SIR_NONE ? NULL : ahead_local(&w->t, counter));
}

static point load_z(const writer *w, sir_block *to, uint32_t counter, int64_t first, int64_t by)
{
    const uint32_t *z = w->array[w->last];
    return keep(
        w, to,
        (point){in_array(w, z[0], pair_at(w, counter, first, by)), in_array(w, z[1], pair_at(w, counter, first, by))});
}

static void store_pair(const writer *w, sir_block *to, uint32_t counter, int64_t first, point p)
{
    if (first >= w->form.kept)
        return;
    ahead_set(&w->t, to, in_array(w, w->result, pair_at(w, counter, 2 * first, 2)), p.re);
    ahead_set(&w->t, to, in_array(w, w->result, pair_at(w, counter, 2 * first + 1, 2)), p.im);
}

// Half the angle by which point k of those in odd places turns, by half the scale.
static double pair_turn(const writer *w, int64_t k, double of(double))
{
    return w->form.scale / 2 * of(w->form.sign * PI * (double)k / (double)w->points);
}

// Points k and k + the number of z, 0 < k, of the transform z; in a loop k is more by its variable.
static void add_pair(const writer *w, sir_block *to, int64_t k, uint32_t counter, uint32_t turns)
{
    point a = load_z(w, to, counter, k, 1), b = load_z(w, to, counter, w->points - k, -1);
    point even =
              keep(w, to, (point){add(w, again(w, a.re), again(w, b.re)), subtract(w, again(w, a.im), again(w, b.im))}),
          odd =
              keep(w, to, (point){add(w, again(w, a.im), again(w, b.im)), subtract(w, again(w, b.re), again(w, a.re))});
    sir_expr *c[2], *s[2];
    for (int i = 0; i < 2; i++) {
        bool loop = counter != SIR_NONE;
        c[i] = loop ? in_table(w, turns, 0, ahead_local(&w->t, counter)) : number(w, pair_turn(w, k, cos));
        s[i] = loop ? in_table(w, turns, 1, ahead_local(&w->t, counter)) : number(w, pair_turn(w, k, sin));
    }
    double half = w->form.scale / 2;
    even = keep(w, to,
                (point){times(w, again(w, even.re), number(w, half)), times(w, again(w, even.im), number(w, half))});
    odd = keep(w, to,
               (point){subtract(w, times(w, again(w, odd.re), c[0]), times(w, again(w, odd.im), s[0])),
                       add(w, times(w, again(w, odd.re), s[1]), times(w, again(w, odd.im), c[1]))});
    store_pair(w, to, counter, k,
               (point){add(w, again(w, even.re), again(w, odd.re)), add(w, again(w, even.im), again(w, odd.im))});
    store_pair(
        w, to, counter, k + w->points,
        (point){subtract(w, again(w, even.re), again(w, odd.re)), subtract(w, again(w, even.im), again(w, odd.im))});
}

// What is pushed of the transform of pairs.
static void add_pairs(const writer *w)
{
    sir_block *to = &w->t.f->body;
    point z = load_z(w, to, SIR_NONE, 0, 0);
    store_pair(w, to, SIR_NONE, 0, (point){scaled(w, add(w, again(w, z.re), again(w, z.im))), number(w, 0)});
    store_pair(w, to, SIR_NONE, w->points,
               (point){scaled(w, subtract(w, again(w, z.re), again(w, z.im))), number(w, 0)});
    if (w->points <= PLAIN_PAIRS) {
        for (int64_t k = 1; k < w->points; k++)
            add_pair(w, to, k, SIR_NONE, SIR_NONE);
        return;
    }
    uint32_t turns = ahead_table(&w->t, "halves", w->item, 2, w->points - 1);
    for (int64_t k = 1; k < w->points; k++) {
        set_in_table(w, turns, 0, k - 1, pair_turn(w, k, cos));
        set_in_table(w, turns, 1, k - 1, pair_turn(w, k, sin));
    }
    add_pair(w, ahead_counted(&w->t, to, w->p, w->points - 1), 1, w->p, turns);
}

// ---- The filter ----

static void push_and_pop(const writer *w)
{
    sir_module *m = w->t.m;
    const sir_type *out = w->t.filter->output;
    sir_block *to = ahead_counted(&w->t, &w->t.f->body, w->p, w->t.f->push.max);
    sir_stmt *push = sir_stmt_new(m, SIR_PUSH, w->t.loc);
    push->u.value = in_array(w, w->result, ahead_local(&w->t, w->p));
    if (out->kind == SIR_COMPLEX)
        push->u.value =
            sir_expr2(m, SIR_MAKE_COMPLEX, 0, out, in_array(w, w->result, place(w, 0, 2, ahead_local(&w->t, w->p))),
                      in_array(w, w->result, place(w, 1, 2, ahead_local(&w->t, w->p))), w->t.loc);
    VEC_PUSH(m->arena, to, push);
    to = ahead_counted(&w->t, &w->t.f->body, w->p, w->t.f->pop.max);
    VEC_PUSH(m->arena, to, sir_stmt_new(m, SIR_POP, w->t.loc));
}

static void add_steps(writer *w)
{
    int64_t radix[MOST_STEPS], left = w->points;
    step s = {.count = steps_of(w->points, radix), .side = 1};
    for (s.number = 0; s.number < s.count; s.number++) {
        s.radix = radix[s.number];
        left /= s.radix;
        s.groups = left;
        size_t next = (s.number + 1) % 2;
        if ((s.number + 1 < s.count || w->form.real) && w->array[next][0] == SIR_NONE) {
            w->array[next][0] = new_array(w, "re", w->points);
            w->array[next][1] = new_array(w, "im", w->points);
        }
        add_step(w, &s);
        s.side *= s.radix;
    }
    w->last = s.count % 2;
}

sir_filter *fourier_filter(sir_module *m, const fourier_form *f, const sir_type *input, const sir_type *output,
                           const char *name, const char *source, sir_loc loc)
{
    sir_filter *filter = ARENA_NEW(m->arena, sir_filter);
    *filter = (sir_filter){.name = name, .source = source, .input = input, .output = output, .loc = loc};
    sir_function *work = filter->work = ARENA_NEW(m->arena, sir_function);
    *work = (sir_function){.kind = SIR_WORK, .name = "work", .result = m->scalar[SIR_VOID], .loc = loc};
    int64_t taken = fourier_taken(f) / (input->kind == SIR_COMPLEX ? 2 : 1),
            given = 2 * f->kept / (output->kind == SIR_COMPLEX ? 2 : 1);
    work->peek = work->pop = (sir_rate){.min = taken, .max = taken};
    work->push = (sir_rate){.min = given, .max = given};
    writer w = {.t = {m, filter, work, loc}, .form = *f};
    w.item = m->scalar[input->kind == SIR_DOUBLE ? SIR_DOUBLE : SIR_FLOAT];
    w.points = f->real ? f->points / 2 : f->points;
    w.array[0][0] = w.array[1][0] = SIR_NONE;
    w.p = sir_local_new(m, work, "p", m->scalar[SIR_INT], loc);
    w.q = sir_local_new(m, work, "q", m->scalar[SIR_INT], loc);
    w.result = new_array(&w, "result", 2 * f->kept);
    add_steps(&w);
    if (f->real)
        add_pairs(&w);
    push_and_pop(&w);
    VEC_PUSH(m->arena, &m->filters, filter);
    return filter;
}
