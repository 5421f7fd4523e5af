// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Filters that do what a linear form says: a loop over products for each sum, and over sums that lie in a row.
#include <inttypes.h>
#include <math.h>

#include "hlc/passes/linear_int.h"
#include "hlc/schedule/schedule.h"

// Sums, or runs of them, that stand by themselves; products of a sum that do without a loop.
enum { MOST_RUNS = 64, MOST_PLAIN = 8 };

// The items of a sum: peek(first + step * i), i below count; count 0: there is none.
typedef struct span {
    int64_t first, step, count;
} span;

static span span_of(const linear_form *f, int64_t row)
{
    const double *w = f->weights + row * f->peek;
    span s = {0};
    int64_t last = 0;
    for (int64_t i = 0; i < f->peek; i++) {
        if (w[i] == 0)
            continue;
        if (s.count++ == 0)
            s.first = i;
        else
            s.step = sched_gcd(s.step, i - s.first);
        last = i;
    }
    s.step = s.step == 0 ? 1 : s.step;
    s.count = s.count == 0 ? 0 : (last - s.first) / s.step + 1;
    return s;
}

// Rows from one on that have as many products, `by` items further on each.
static int64_t run_from(const linear_form *f, int64_t row, int64_t *by)
{
    span s = span_of(f, row);
    int64_t n = 1;
    *by = 0;
    for (; row + n < f->push && s.count > 0; n++) {
        span t = span_of(f, row + n);
        if (n == 1)
            *by = t.first - s.first;
        if (t.count != s.count || t.step != s.step || t.first != s.first + *by * n)
            break;
    }
    return n;
}

// Whether an item can be it, and keeps its bits.
static bool is_number(const sir_type *item, double v)
{
    return v == 0 || (item->kind == SIR_FLOAT ? isnormal((float)v) : isnormal(v));
}

static bool are_numbers(const linear_form *f, const sir_type *item)
{
    bool all = true;
    for (int64_t i = 0; i < f->push * f->peek; i++)
        all = all && is_number(item, f->weights[i]);
    for (int64_t i = 0; i < f->push; i++)
        all = all && is_number(item, f->constants[i]);
    return all;
}

bool linear_is_short(const linear_form *f, const sir_type *item)
{
    int64_t runs = 0, by;
    if (!are_numbers(f, item))
        return false;
    for (int64_t row = 0; row < f->push && runs <= MOST_RUNS; row += run_from(f, row, &by))
        runs++;
    return runs <= MOST_RUNS;
}

// ---- The text ----

typedef struct writer {
    sir_module *m;
    const linear_form *form;
    sir_filter *filter;
    const sir_type *item;
    sir_loc loc;
} writer;

static sir_scalar real(const writer *w, double v)
{
    return w->item->kind == SIR_FLOAT ? (sir_scalar){.f = (float)v} : (sir_scalar){.d = v};
}

static sir_expr *constant(const writer *w, double v)
{
    return sir_const(w->m, w->item, real(w, v), w->loc);
}

static sir_expr *integer(const writer *w, int64_t v)
{
    return sir_const_int(w->m, (int32_t)v, w->loc);
}

static sir_expr *local(const writer *w, uint32_t number)
{
    return sir_ref(w->m, SIR_LOCAL, number, w->filter->work->locals.data[number].type, w->loc);
}

static sir_expr *binary(const writer *w, lang_binary_op op, sir_expr *a, sir_expr *b)
{
    return sir_expr2(w->m, SIR_BINARY, op, a->type, a, b, w->loc);
}

static sir_stmt *counted(const writer *w, uint32_t counter, int64_t count)
{
    sir_stmt *s = sir_stmt_new(w->m, SIR_FOR, w->loc);
    s->u.for_.local = counter;
    s->u.for_.lo = integer(w, 0);
    s->u.for_.hi = integer(w, count);
    s->u.for_.step = 1;
    return s;
}

static uint32_t new_counter(const writer *w, const char *name)
{
    return sir_local_new(w->m, w->filter->work, name, w->m->scalar[SIR_INT], w->loc);
}

// A table of rows x columns, or of columns alone.
static uint32_t add_table(const writer *w, const char *name, int64_t rows, int64_t columns)
{
    const sir_type *t = sir_type_array(w->m, w->item, (uint32_t)columns);
    if (rows > 1)
        t = sir_type_array(w->m, t, (uint32_t)rows);
    sir_field field = {.name = name, .type = t, .init = sir_value_new(w->m->arena, t), .constant = true, .loc = w->loc};
    field.name = arena_printf(w->m->arena, "%s_%zu", name, w->filter->fields.len);
    VEC_PUSH(w->m->arena, &w->filter->fields, field);
    return (uint32_t)w->filter->fields.len - 1;
}

// An element of a table; row NULL: it has one row.
static sir_expr *element(const writer *w, uint32_t table, sir_expr *row, sir_expr *column)
{
    const sir_type *t = w->filter->fields.data[table].type;
    sir_expr *e = sir_ref(w->m, SIR_FIELD, table, t, w->loc);
    if (row != NULL) {
        t = t->element;
        e = sir_expr2(w->m, SIR_INDEX, 0, t, e, row, w->loc);
    }
    return sir_expr2(w->m, SIR_INDEX, 0, w->item, e, column, w->loc);
}

static sir_expr *times(const writer *w, sir_expr *e, int64_t by)
{
    return by == 1 ? e : binary(w, LANG_OP_MUL, e, integer(w, by));
}

static sir_expr *peek(const writer *w, sir_expr *at)
{
    return sir_expr1(w->m, SIR_PEEK, 0, w->item, at, w->loc);
}

static void push(const writer *w, sir_block *to, sir_expr *value)
{
    sir_stmt *s = sir_stmt_new(w->m, SIR_PUSH, w->loc);
    s->u.value = value;
    VEC_PUSH(w->m->arena, to, s);
}

// A few products, one by one.
static void push_plain(const writer *w, int64_t row)
{
    const double *weights = w->form->weights + row * w->form->peek;
    double c = w->form->constants[row];
    sir_expr *sum = c != 0 ? constant(w, c) : NULL;
    for (int64_t i = 0; i < w->form->peek; i++) {
        if (weights[i] == 0)
            continue;
        sir_expr *item = peek(w, integer(w, i));
        if (weights[i] != 1)
            item = binary(w, LANG_OP_MUL, constant(w, weights[i]), item);
        sum = sum == NULL ? item : binary(w, LANG_OP_ADD, sum, item);
    }
    push(w, &w->filter->work->body, sum != NULL ? sum : constant(w, 0));
}

static uint32_t weights_table(const writer *w, span s, int64_t row, int64_t rows, int64_t by)
{
    uint32_t table = add_table(w, "weights", rows, s.count);
    sir_scalar *data = w->filter->fields.data[table].init.data;
    for (int64_t r = 0; r < rows; r++)
        for (int64_t i = 0; i < s.count; i++)
            data[r * s.count + i] =
                real(w, w->form->weights[(row + r) * w->form->peek + s.first + r * by + i * s.step]);
    return table;
}

static sir_expr *first_of_sum(const writer *w, int64_t row, int64_t rows, sir_expr *counter)
{
    bool same = true;
    const double *c = w->form->constants + row;
    for (int64_t r = 1; r < rows; r++)
        same = same && c[r] == c[0];
    if (same)
        return constant(w, c[0]);
    uint32_t table = add_table(w, "constants", 1, rows);
    for (int64_t r = 0; r < rows; r++)
        w->filter->fields.data[table].init.data[r] = real(w, c[r]);
    return element(w, table, NULL, counter);
}

// The sums of rows that lie by so many items apart.
static void push_sums(const writer *w, span s, int64_t row, int64_t rows, int64_t by)
{
    sir_module *m = w->m;
    sir_function *work = w->filter->work;
    sir_block *to = &work->body;
    uint32_t term = new_counter(w, "i"), r = rows > 1 ? new_counter(w, "row") : SIR_NONE;
    uint32_t sum = sir_local_new(m, work, "sum", w->item, w->loc);
    uint32_t table = weights_table(w, s, row, rows, by);
    if (rows > 1) {
        sir_stmt *each = counted(w, r, rows);
        VEC_PUSH(m->arena, to, each);
        to = &each->u.for_.body;
    }
    sir_stmt *decl = sir_stmt_new(m, SIR_DECL, w->loc), *add = sir_stmt_new(m, SIR_SET, w->loc);
    decl->u.decl.local = sum;
    decl->u.decl.init = first_of_sum(w, row, rows, rows > 1 ? local(w, r) : NULL);
    sir_stmt *loop = counted(w, term, s.count);
    sir_expr *at = times(w, local(w, term), s.step);
    if (s.first != 0)
        at = binary(w, LANG_OP_ADD, integer(w, s.first), at);
    if (rows > 1 && by != 0)
        at = binary(w, LANG_OP_ADD, times(w, local(w, r), by), at);
    sir_expr *weight = element(w, table, rows > 1 ? local(w, r) : NULL, local(w, term));
    add->u.set.target = local(w, sum);
    add->u.set.value = binary(w, LANG_OP_ADD, local(w, sum), binary(w, LANG_OP_MUL, weight, peek(w, at)));
    VEC_PUSH(m->arena, &loop->u.for_.body, add);
    VEC_PUSH(m->arena, to, decl);
    VEC_PUSH(m->arena, to, loop);
    push(w, to, local(w, sum));
}

static void pop_all(const writer *w)
{
    sir_stmt *pop = sir_stmt_new(w->m, SIR_POP, w->loc);
    sir_block *to = &w->filter->work->body;
    if (w->form->pop > 1) {
        sir_stmt *each = counted(w, new_counter(w, "i"), w->form->pop);
        VEC_PUSH(w->m->arena, to, each);
        to = &each->u.for_.body;
    }
    VEC_PUSH(w->m->arena, to, pop);
}

sir_filter *linear_filter(sir_module *m, const linear_form *f, const sir_type *item, const char *name,
                          const char *source, sir_loc loc)
{
    sir_filter *filter = ARENA_NEW(m->arena, sir_filter);
    *filter = (sir_filter){.name = name, .source = source, .input = item, .output = item, .loc = loc};
    sir_function *work = filter->work = ARENA_NEW(m->arena, sir_function);
    *work = (sir_function){.kind = SIR_WORK, .name = "work", .result = m->scalar[SIR_VOID], .loc = loc};
    work->peek = (sir_rate){.min = f->peek, .max = f->peek};
    work->pop = (sir_rate){.min = f->pop, .max = f->pop};
    work->push = (sir_rate){.min = f->push, .max = f->push};
    writer w = {.m = m, .form = f, .filter = filter, .item = item, .loc = loc};
    for (int64_t row = 0, rows, by; row < f->push; row += rows) {
        span s = span_of(f, row);
        rows = run_from(f, row, &by);
        if (s.count <= MOST_PLAIN && rows * s.count <= MOST_PLAIN * MOST_PLAIN)
            for (int64_t r = row; r < row + rows; r++)
                push_plain(&w, r);
        else
            push_sums(&w, s, row, rows, by);
    }
    if (f->pop > 0)
        pop_all(&w);
    VEC_PUSH(m->arena, &m->filters, filter);
    return filter;
}
