// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass 'look-ahead', of -Ofast alone: several firings at once of filters whose state is a sum of what it was and of
// items, each times a constant.
//
//     y = pop() + 0.9 * y; push(y)   ->   push(0.9 y + x0, 0.81 y + 0.9 x0 + x1, 0.729 y + 0.81 x0 + 0.9 x1 + x2, ..)
//
// A recursive filter waits for its last result: a product and a sum or two, each firing. Eight firings at once wait once:
// what they push is a product of a matrix with the items and the state of before, and so is the state after them. These are
// more operations, but they wait for nothing, and a vector holds what eight firings push. Matrices are found by
// executing as many firings on symbols (linear_extract.c). 'ahead' of the filter does what they do; work stays, for what
// is left over. (Lamb, Thies and Amarasinghe for the forms; the block form of a recursive filter is Burrus's, 1972.)
//
// NOTE(poles). Where the state grows by itself, powers of its matrix do, too; and where large products of both signs make
// a small sum, digits are lost. Such filters stay as they are.
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "hlc/ir/walk.h"
#include "hlc/passes/ahead_text.h"
#include "hlc/passes/linear_int.h"
#include "hlc/passes/pass.h"
#include "hlc/plan/bit_lanes.h"
#include "targets/machine.h"

// Lanes of a vector where no machine is known, and the most firings of one vector's lanes that are tried.
enum { SOME_LANES = 4, MOST_VECTORS = 4, MOST_ROWS = 64 };
// Rows that are a vector on all machines that have any.
enum { LEAST_ROWS = 4 };
// Bytes of the tables at most: they stay in the first cache.
enum { MOST_BYTES = 16384 };
// Steps and terms of all executions of one program at most.
static const double MOST_WORK = 4e7;
// Operations that could begin while one waits for the one before it.
static const double WAIT = 8;
// How much less it must take.
static const double WORTH = 0.7;
// The largest element of a power of the state's matrix, and what the state may grow by in a firing: see NOTE(poles).
static const double MOST_WEIGHT = 256, MOST_GROWTH = 1.005;

typedef struct looker {
    hlc_program *hlc;
    sir_module *m;
    arena *a;
    double work;
} looker;

// ---- Which filters ----

static bool is_plain(const sir_filter *f)
{
    const sir_function *w = f->work;
    if (w == NULL || f->finite || !f->stateful || f->prework != NULL || f->handlers.len != 0 || f->uses_iter ||
        f->uses_random || f->prints || f->sends || w->peek.dynamic || w->pop.dynamic || w->push.dynamic)
        return false;
    bool input = w->pop.max != 0 || w->peek.max != 0;
    bool reals = (!input || f->input->kind == SIR_FLOAT || f->input->kind == SIR_DOUBLE) &&
                 (f->output->kind == SIR_FLOAT || f->output->kind == SIR_DOUBLE);
    return reals && w->push.max != 0 && w->pop.max <= MOST_ROWS && w->push.max <= MOST_ROWS &&
           w->peek.max <= LINEAR_WEIGHTS;
}

static bool fires_freely(const looker *x, const sir_filter *f)
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

static int lanes_of(const looker *x, const linear_ahead *s)
{
    const machine_processor *p = plan_bit_processor(x->hlc);
    size_t item = s->real->kind == SIR_DOUBLE ? sizeof(double) : sizeof(float);
    uint64_t bytes = p == NULL ? SOME_LANES * item : machine_vector_bytes(p);
    bool wide = hlc_has_wide_vectors(x->hlc->config); // those of the processor at hand are
    return (int)((wide ? 2 * bytes : bytes) / item);
}

static double in_vectors(int64_t count, int lanes)
{
    return (double)((count + lanes - 1) / lanes);
}

static void has_loop(void *context, sir_stmt *s)
{
    *(bool *)context |= s->kind == SIR_FOR || s->kind == SIR_LOOP;
}

// Operations that a firing takes as it is: those of a loop may be vectors'.
static double plain_cost(const sir_filter *f, const linear_ahead *s, int lanes)
{
    bool loops = false;
    sir_visit_stmts(&f->work->body, has_loop, &loops);
    double done = loops ? s->operations / lanes : s->operations, waits = WAIT * s->depth;
    return done > waits ? done : waits;
}

// A product and a sum for each column of each vector of rows, and a load of what all rows take; the state is waited for.
static double ahead_cost(const linear_ahead *s, int lanes)
{
    double vectors = in_vectors(s->sums, lanes) + in_vectors(s->states, lanes);
    double done = (double)(s->items + s->states) * (2 * vectors + 1) + (double)s->states + vectors;
    double waits = WAIT * (double)(s->states + 2);
    return (done > waits ? done : waits) / (double)s->firings;
}

// ---- Poles ----

// The largest element of the state's part of the matrix.
static double largest(const linear_ahead *s)
{
    double most = 0;
    for (int64_t r = 0; r < s->sums + s->states; r++)
        for (int64_t c = 0; c < s->states; c++)
            most = fmax(most, fabs(s->form->weights[r * s->form->peek + c]));
    return most;
}

static void square(double *m, double *to, size_t n)
{
    for (size_t r = 0; r < n; r++)
        for (size_t c = 0; c < n; c++) {
            double sum = 0;
            for (size_t k = 0; k < n; k++)
                sum += m[r * n + k] * m[k * n + c];
            to[r * n + c] = sum;
        }
    memcpy(m, to, n * n * sizeof *m);
}

// What the state grows by in a firing, in the long run: elements of a high power of the matrix, and their root.
static double growth(const looker *x, const linear_ahead *s)
{
    enum { SQUARES = 12 };
    size_t n = (size_t)s->states;
    double *m = ARENA_ARRAY(x->a, double, n *n), *next = ARENA_ARRAY(x->a, double, n *n), scale = 0, most = 0;
    for (size_t r = 0; r < n; r++)
        for (size_t c = 0; c < n; c++)
            m[r * n + c] = s->form->weights[((size_t)s->sums + r) * (size_t)s->form->peek + c];
    for (int i = 0; i <= SQUARES; i++) { // the matrix times e to the power of scale
        most = 0;
        for (size_t k = 0; k < n * n; k++)
            most = fmax(most, fabs(m[k]));
        if (most == 0)
            return 0;
        for (size_t k = 0; k < n * n; k++)
            m[k] /= most;
        scale += log(most);
        if (i == SQUARES)
            break;
        square(m, next, n);
        scale *= 2;
    }
    return exp(scale / (double)(1 << SQUARES) / (double)s->firings);
}

// ---- The text ----

typedef struct writer {
    ahead_text t;
    const linear_ahead *s;
    uint32_t i, row; // variables of loops
} writer;

static sir_expr *converted(const writer *w, const sir_type *t, sir_expr *e)
{
    return e->type == t ? e : sir_expr1(w->t.m, SIR_CONVERT, 0, t, e, w->t.loc);
}

static uint32_t new_counter(const writer *w, const char *name)
{
    return sir_local_new(w->t.m, w->t.f, name, w->t.m->scalar[SIR_INT], w->t.loc);
}

static uint32_t new_array(const writer *w, const char *name, int64_t count)
{
    uint32_t l = sir_local_new(w->t.m, w->t.f, name, sir_type_array(w->t.m, w->s->real, (uint32_t)count), w->t.loc);
    ahead_declare(&w->t, &w->t.f->body, l, NULL);
    return l;
}

// Rows that are computed together: those of what is pushed, or of the state, and zeros up to a whole vector.
typedef struct rows {
    const char *name;
    int64_t first, count, padded;
} rows;

static sir_scalar real(const writer *w, double v)
{
    return w->s->real->kind == SIR_FLOAT ? (sir_scalar){.f = (float)v} : (sir_scalar){.d = v};
}

// A table of columns, each with an element for each row.
static uint32_t add_table(const writer *w, const rows *r, const char *of, int64_t column, int64_t columns)
{
    const linear_form *f = w->s->form;
    const sir_type *t = sir_type_array(w->t.m, w->s->real, (uint32_t)r->padded);
    t = sir_type_array(w->t.m, t, (uint32_t)columns);
    sir_field field = {.type = t, .init = sir_value_new(w->t.m->arena, t), .constant = true, .loc = w->t.loc};
    field.name = arena_printf(w->t.m->arena, "%s_of_%s_%zu", r->name, of, w->t.filter->fields.len);
    for (int64_t c = 0; c < columns; c++)
        for (int64_t k = 0; k < r->count; k++)
            field.init.data[c * r->padded + k] = real(w, f->weights[(r->first + k) * f->peek + column + c]);
    VEC_PUSH(w->t.m->arena, &w->t.filter->fields, field);
    return (uint32_t)w->t.filter->fields.len - 1;
}

static void begin_sums(const writer *w, const rows *r, uint32_t sums)
{
    const double *constants = w->s->form->constants + r->first;
    for (int64_t k = 0; k < r->count; k++)
        if (constants[k] != 0)
            ahead_set(&w->t, &w->t.f->body, ahead_element(&w->t, ahead_local(&w->t, sums), ahead_integer(&w->t, k)),
                      sir_const(w->t.m, w->s->real, real(w, constants[k]), w->t.loc));
}

// sums[row] += table[column][row] * value, for all columns and rows. What the value is depends on the column.
static void add_products(const writer *w, const rows *r, uint32_t sums, const char *of, int64_t column, int64_t columns,
                         uint32_t values)
{
    if (columns == 0)
        return;
    uint32_t table = add_table(w, r, of, column, columns);
    sir_block *each = ahead_counted(&w->t, &w->t.f->body, w->i, columns);
    sir_block *to = ahead_counted(&w->t, each, w->row, r->padded);
    sir_expr *value =
        values != SIR_NONE
            ? ahead_element(&w->t, ahead_local(&w->t, values), ahead_local(&w->t, w->i))
            : converted(w, w->s->real,
                        sir_expr1(w->t.m, SIR_PEEK, 0, w->t.filter->input, ahead_local(&w->t, w->i), w->t.loc));
    sir_expr *weight = sir_ref(w->t.m, SIR_FIELD, table, w->t.filter->fields.data[table].type, w->t.loc);
    weight = ahead_element(&w->t, ahead_element(&w->t, weight, ahead_local(&w->t, w->i)), ahead_local(&w->t, w->row));
    ahead_set(&w->t, to, ahead_element(&w->t, ahead_local(&w->t, sums), ahead_local(&w->t, w->row)),
              ahead_binary(&w->t, LANG_OP_ADD,
                           ahead_element(&w->t, ahead_local(&w->t, sums), ahead_local(&w->t, w->row)),
                           ahead_binary(&w->t, LANG_OP_MUL, weight, value)));
}

// Each number of the state in turn; array: where they come from, or go to.
static void copy_scalars(const writer *w, sir_expr *place, uint32_t array, int64_t *number, bool out)
{
    const sir_type *t = place->type;
    if (t->kind == SIR_ARRAY) {
        for (uint32_t i = 0; i < t->length; i++)
            copy_scalars(w, ahead_element(&w->t, place, ahead_integer(&w->t, i)), array, number, out);
    } else if (t->kind == SIR_STRUCT) {
        for (uint32_t i = 0; i < t->decl->members.len; i++) {
            sir_expr *member = sir_expr1(w->t.m, SIR_MEMBER, 0, t->decl->members.data[i].type, place, w->t.loc);
            member->index = i;
            copy_scalars(w, member, array, number, out);
        }
    } else {
        sir_expr *at = ahead_element(&w->t, ahead_local(&w->t, array), ahead_integer(&w->t, (*number)++));
        ahead_set(&w->t, &w->t.f->body, out ? place : at, out ? converted(w, t, at) : converted(w, w->s->real, place));
    }
}

static void copy_state(const writer *w, uint32_t array, size_t fields, bool out)
{
    int64_t number = 0;
    for (uint32_t i = 0; i < fields; i++)
        if (!w->t.filter->fields.data[i].constant)
            copy_scalars(w, sir_ref(w->t.m, SIR_FIELD, i, w->t.filter->fields.data[i].type, w->t.loc), array, &number,
                         out);
}

static void push_all(const writer *w, uint32_t sums)
{
    sir_block *to = ahead_counted(&w->t, &w->t.f->body, w->row, w->s->sums);
    sir_stmt *push = sir_stmt_new(w->t.m, SIR_PUSH, w->t.loc);
    push->u.value =
        converted(w, w->t.filter->output, ahead_element(&w->t, ahead_local(&w->t, sums), ahead_local(&w->t, w->row)));
    VEC_PUSH(w->t.m->arena, to, push);
}

static void pop_all(const writer *w, int64_t count)
{
    if (count > 0)
        VEC_PUSH(w->t.m->arena, ahead_counted(&w->t, &w->t.f->body, w->i, count),
                 sir_stmt_new(w->t.m, SIR_POP, w->t.loc));
}

// As many rows as a vector, some, or a part of one, has.
static int64_t padded(int64_t count, int lanes)
{
    int64_t n = LEAST_ROWS < lanes ? LEAST_ROWS : lanes;
    while (n < count && n < lanes)
        n *= 2;
    return count <= n ? n : (count + lanes - 1) / lanes * lanes;
}

static void make_ahead(looker *x, sir_filter *f, const linear_ahead *s, int lanes)
{
    sir_module *m = x->m;
    size_t fields = f->fields.len;
    const sir_function *one = f->work;
    sir_function *many = ARENA_NEW(m->arena, sir_function);
    *many = (sir_function){.kind = SIR_WORK, .name = one->name, .result = m->scalar[SIR_VOID], .loc = one->loc};
    many->peek = (sir_rate){.min = s->items, .max = s->items};
    many->pop = (sir_rate){.min = s->firings * one->pop.max, .max = s->firings * one->pop.max};
    many->push = (sir_rate){.min = s->sums, .max = s->sums};
    writer w = {.t = {m, f, many, one->loc}, .s = s};
    w.i = new_counter(&w, "i");
    w.row = new_counter(&w, "row");
    const rows pushed = {"sums", 0, s->sums, s->sums};
    const rows next = {"next", s->sums, s->states, padded(s->states, lanes)};
    uint32_t sums = new_array(&w, "sums", pushed.padded), after = new_array(&w, "next", next.padded),
             state = new_array(&w, "state", s->states);
    begin_sums(&w, &pushed, sums);
    begin_sums(&w, &next, after);
    copy_state(&w, state, fields, false);
    add_products(&w, &pushed, sums, "items", s->states, s->items, SIR_NONE);
    add_products(&w, &next, after, "items", s->states, s->items, SIR_NONE);
    add_products(&w, &pushed, sums, "state", 0, s->states, state);
    add_products(&w, &next, after, "state", 0, s->states, state);
    copy_state(&w, after, fields, true);
    push_all(&w, sums);
    pop_all(&w, many->pop.max);
    f->ahead = many;
    sir_filter_derive(m, f);
}

// ---- The pass ----

static int64_t table_bytes(const linear_ahead *s)
{
    int64_t item = s->real->kind == SIR_DOUBLE ? sizeof(double) : sizeof(float);
    return (s->items + s->states) * (s->sums + s->states) * item;
}

// As many firings as fill a vector or some, whichever costs least; NULL: none pays.
static const linear_ahead *choose(looker *x, const sir_filter *f, int lanes, double plain)
{
    const linear_ahead *best = NULL;
    double least = WORTH * plain;
    int64_t bytes = pass_table_bytes(x->hlc), known = 0;
    bytes = bytes < MOST_BYTES ? bytes : MOST_BYTES;
    for (int vectors = 1; vectors <= MOST_VECTORS; vectors *= 2) {
        int64_t firings = vectors * lanes / f->work->push.max;
        sir_loc at;
        if (firings < 2 || firings == known)
            continue;
        known = firings;
        const linear_ahead *s = linear_extract_ahead(x->a, x->m, f, firings, &x->work, &at);
        if (s == NULL || table_bytes(s) > bytes || !(largest(s) <= MOST_WEIGHT) || !(ahead_cost(s, lanes) < least))
            continue;
        least = ahead_cost(s, lanes);
        best = s;
    }
    return best;
}

static bool look_at(looker *x, sir_filter *f)
{
    diag_engine *d = x->hlc->diag;
    const sir_type *real;
    if (!is_plain(f) || f->ahead != NULL || !fires_freely(x, f) || linear_states(f, &real) <= 0)
        return false;
    sir_loc at = {0};
    enum { SOME_FIRINGS = 4 };
    const linear_ahead *one = linear_extract_ahead(x->a, x->m, f, SOME_FIRINGS, &x->work, &at);
    if (one == NULL) {
        if (d->remarks && at.file != 0)
            diag_remark(d, sir_range(x->m, x->hlc->sources, at),
                        "this is no sum of items and of the state of '%s', or takes too long to tell, so its firings "
                        "wait for each other [look-ahead]",
                        f->name);
        return false;
    }
    int lanes = lanes_of(x, one);
    double plain = plain_cost(f, one, lanes), grows = growth(x, one);
    src_range place = sir_range(x->m, x->hlc->sources, f->work->loc);
    if (!(grows <= MOST_GROWTH)) {
        diag_remark(d, place,
                    "the state of '%s' grows by itself, %.3g times a firing, so its firings wait for each other "
                    "[look-ahead]",
                    f->name, grows);
        return false;
    }
    const linear_ahead *best = lanes > 1 ? choose(x, f, lanes, plain) : NULL;
    if (best == NULL) {
        diag_remark(d, place, "firings of '%s' at once would take more than they wait for each other [look-ahead]",
                    f->name);
        return false;
    }
    make_ahead(x, f, best, lanes);
    diag_remark(d, place,
                "%" PRId64 " firings of '%s' are done at once, from a state of %" PRId64
                " number%s: each waits %.1f operations instead of %.1f [look-ahead]",
                best->firings, f->name, best->states, best->states == 1 ? "" : "s", ahead_cost(best, lanes), plain);
    return true;
}

bool pass_look_ahead(hlc_program *p)
{
    if (!p->config->fast_math || p->config->no_lanes || !pass_may_change_more(p))
        return false;
    looker x = {.hlc = p, .m = p->module, .a = arena_create(), .work = MOST_WORK};
    bool any = false;
    for (VEC_EACH(sir_filter *, f, &p->module->filters))
        any |= look_at(&x, *f);
    arena_destroy(x.a);
    return any;
}
