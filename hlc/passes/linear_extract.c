// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Linear forms of filters: a firing is executed with values that are known, or sums of weighted items. So are several
// firings of a filter with state, whose numbers are items, too: those before the ones of the window.
#include <float.h>
#include <math.h>
#include <string.h>

#include "hlc/ir/walk.h"
#include "hlc/passes/linear_int.h"

// Of one filter: statements and expressions executed, and weights in sums.
enum { EXTRACT_STEPS = 1 << 20, EXTRACT_TERMS = 1 << 22 };

// A scalar. terms NULL: it is known. Else it is constant + the sum over i of terms[i] * item number first + i. A complex
// number that is not known is two: parts.
typedef struct cell cell;
struct cell {
    sir_scalar value;
    double constant;
    const double *terms;
    int64_t first, count;
    int64_t depth; // operations one after the other that lead to it
    const cell *parts;
};

typedef struct extractor {
    arena *a;
    sir_module *m;
    const sir_filter *filter;
    cell **locals; // per local, its scalars; NULL: it is not alive
    cell **fields; // per field that is part of the state, likewise
    linear_form *form;
    int64_t states, items; // numbers of the state, which come first; items of the window
    // Of each item, or part of one, the numbers that it is in several inputs, instead of the weight 1; NULL: none.
    const double *probes;
    int64_t probe_count;
    int64_t most_steps;
    int64_t first_steps, first_terms; // before the first push
    int64_t pushes;                   // that are expected
    int64_t popped, pushed, steps, terms;
    sir_loc at; // where it failed
    double operations;
    bool fails;
} extractor;

static cell fail(extractor *x)
{
    x->fails = true;
    return (cell){0};
}

static bool is_real(const sir_type *t)
{
    return t->kind == SIR_FLOAT || t->kind == SIR_DOUBLE;
}

static cell eval(extractor *x, const sir_expr *e);
static cell eval_complex(extractor *x, const sir_expr *e);

static cell known(sir_scalar v)
{
    return (cell){.value = v};
}

static double number(const sir_type *t, sir_scalar v)
{
    return t->kind == SIR_FLOAT ? (double)v.f : v.d;
}

// ---- Sums ----

static double *new_terms(extractor *x, int64_t count)
{
    x->terms += count;
    x->fails |= x->terms > EXTRACT_TERMS;
    return x->fails ? NULL : ARENA_ARRAY(x->a, double, (size_t)count + 1);
}

static cell scale(extractor *x, cell c, double by)
{
    double *terms = new_terms(x, c.count);
    x->operations++;
    if (terms == NULL)
        return fail(x);
    for (int64_t i = 0; i < c.count; i++)
        terms[i] = c.terms[i] * by;
    return (cell){
        .constant = c.constant * by, .terms = terms, .first = c.first, .count = c.count, .depth = c.depth + 1};
}

static cell as_sum(const sir_type *t, cell c)
{
    if (c.terms == NULL)
        c = (cell){.constant = number(t, c.value)};
    return c;
}

// a + by * b, of which one at least has terms.
static cell add(extractor *x, const sir_type *t, cell a, cell b, double by)
{
    a = as_sum(t, a);
    b = as_sum(t, b);
    int64_t first = a.count == 0 || (b.count != 0 && b.first < a.first) ? b.first : a.first;
    int64_t a_end = a.count == 0 ? first : a.first + a.count, b_end = b.count == 0 ? first : b.first + b.count;
    int64_t count = (a_end > b_end ? a_end : b_end) - first;
    double *terms = new_terms(x, count);
    x->operations++;
    if (terms == NULL)
        return fail(x);
    for (int64_t i = 0; i < a.count; i++)
        terms[a.first - first + i] = a.terms[i];
    for (int64_t i = 0; i < b.count; i++)
        terms[b.first - first + i] += by * b.terms[i];
    return (cell){.constant = a.constant + by * b.constant,
                  .terms = terms,
                  .first = first,
                  .count = count,
                  .depth = (a.depth > b.depth ? a.depth : b.depth) + 1};
}

static cell symbol(extractor *x, int64_t number)
{
    double *one = new_terms(x, 1);
    if (one == NULL)
        return fail(x);
    *one = 1;
    return (cell){.terms = one, .first = number, .count = 1};
}

static bool is_complex(const sir_type *t)
{
    return t->kind == SIR_COMPLEX;
}

static bool is_part(const sir_expr *e)
{
    return e->kind == SIR_MEMBER && is_complex(e->u.arg[0]->type);
}

static cell pair(extractor *x, cell re, cell im)
{
    cell *parts = ARENA_ARRAY(x->a, cell, 2);
    parts[0] = re;
    parts[1] = im;
    return (cell){.parts = parts};
}

static cell probed(const extractor *x, int64_t at)
{
    return (cell){.terms = x->probes + at * x->probe_count, .count = x->probe_count};
}

static cell item_at(extractor *x, int64_t at)
{
    if (at < 0 || at >= x->items)
        return fail(x);
    if (x->probes == NULL)
        return symbol(x, x->states + at);
    return is_complex(x->filter->input) ? pair(x, probed(x, 2 * at), probed(x, 2 * at + 1)) : probed(x, at);
}

// ---- Places ----

// The scalars that an lvalue names; NULL: it is none that is known.
static cell *cells_of(extractor *x, const sir_expr *e)
{
    if (e->kind == SIR_LOCAL)
        return x->locals[e->index];
    if (e->kind == SIR_FIELD)
        return x->fields[e->index];
    if (e->kind != SIR_INDEX && e->kind != SIR_MEMBER)
        return NULL;
    const sir_type *base = e->u.arg[0]->type;
    cell *at = cells_of(x, e->u.arg[0]);
    if (at == NULL || base->kind == SIR_COMPLEX)
        return NULL;
    if (e->kind == SIR_INDEX) {
        cell i = eval(x, e->u.arg[1]);
        bool inside = !x->fails && i.terms == NULL && i.value.i >= 0 && (uint32_t)i.value.i < base->length;
        return inside ? at + (size_t)base->element->words * (size_t)i.value.i : NULL;
    }
    for (uint32_t i = 0; i < e->index; i++)
        at += base->decl->members.data[i].type->words;
    return at;
}

// Where the scalars of a constant begin; -1: outside.
static int64_t offset_of(extractor *x, const sir_expr *e)
{
    if (e->kind != SIR_INDEX && e->kind != SIR_MEMBER)
        return 0;
    const sir_type *base = e->u.arg[0]->type;
    int64_t at = offset_of(x, e->u.arg[0]);
    if (at < 0 || base->kind == SIR_COMPLEX)
        return -1;
    if (e->kind == SIR_INDEX) {
        cell i = eval(x, e->u.arg[1]);
        bool inside = !x->fails && i.terms == NULL && i.value.i >= 0 && (uint32_t)i.value.i < base->length;
        return inside ? at + (int64_t)base->element->words * i.value.i : -1;
    }
    for (uint32_t i = 0; i < e->index; i++)
        at += (int64_t)base->decl->members.data[i].type->words;
    return at;
}

// Copies the scalars that an expression of any type has.
static void load(extractor *x, const sir_expr *e, cell *to)
{
    size_t words = e->type->words;
    const sir_expr *root = is_part(e) ? NULL : sir_lvalue_root((sir_expr *)(uintptr_t)e);
    if (root == NULL) {
        if (words == 1)
            *to = is_complex(e->type) ? eval_complex(x, e) : eval(x, e);
        else
            x->fails = true;
        return;
    }
    if (root->kind == SIR_LOCAL || (root->kind == SIR_FIELD && x->fields[root->index] != NULL)) {
        const cell *from = cells_of(x, e);
        if (from == NULL)
            x->fails = true;
        else
            memmove(to, from, words * sizeof *to);
        return;
    }
    const sir_field *field = root->kind == SIR_FIELD ? &x->filter->fields.data[root->index] : NULL;
    const sir_value *v = field != NULL ? &field->init : &x->m->globals.data[root->index].value;
    int64_t at = offset_of(x, e);
    if (at < 0 || (field != NULL && !field->constant)) {
        x->fails = true;
        return;
    }
    for (size_t i = 0; i < words; i++)
        to[i] = v->zero ? (cell){0} : known(v->data[at + (int64_t)i]);
}

// ---- Expressions ----

static cell eval_binary(extractor *x, const sir_expr *e)
{
    const sir_type *t = e->u.arg[0]->type;
    cell a = eval(x, e->u.arg[0]);
    if (e->op == LANG_OP_LAND || e->op == LANG_OP_LOR) {
        bool decided = a.terms == NULL && (e->op == LANG_OP_LAND ? a.value.i == 0 : a.value.i != 0);
        return decided || x->fails ? a : eval(x, e->u.arg[1]);
    }
    cell b = eval(x, e->u.arg[1]), r = {0};
    if (x->fails)
        return fail(x);
    if (a.terms == NULL && b.terms == NULL)
        return sir_eval_binary((lang_binary_op)e->op, t, a.value, b.value, &r.value) ? r : fail(x);
    if (!is_real(t))
        return fail(x);
    switch ((lang_binary_op)e->op) {
    case LANG_OP_ADD: return add(x, t, a, b, 1);
    case LANG_OP_SUB: return add(x, t, a, b, -1);
    case LANG_OP_MUL:
        if (a.terms != NULL && b.terms != NULL)
            return fail(x);
        return a.terms != NULL ? scale(x, a, number(t, b.value)) : scale(x, b, number(t, a.value));
    case LANG_OP_DIV: return b.terms != NULL || number(t, b.value) == 0 ? fail(x) : scale(x, a, 1 / number(t, b.value));
    default: return fail(x);
    }
}

static cell eval_math(extractor *x, const sir_expr *e)
{
    cell a = eval(x, e->u.arg[0]), b = {0}, r = {0};
    if (sir_expr_arity(e) > 1)
        b = eval(x, e->u.arg[1]);
    bool fine = !x->fails && a.terms == NULL && b.terms == NULL;
    return fine && sir_eval_math((lang_math_op)e->op, e->u.arg[0]->type, a.value, b.value, &r.value) ? r : fail(x);
}

static cell eval_unary(extractor *x, const sir_expr *e)
{
    cell a = eval(x, e->u.arg[0]), r = {0};
    if (x->fails)
        return a;
    if (a.terms != NULL)
        return e->op == LANG_OP_NEG && is_real(e->type) ? scale(x, a, -1) : fail(x);
    return sir_eval_unary((lang_unary_op)e->op, e->u.arg[0]->type, a.value, &r.value) ? r : fail(x);
}

// Between floats and doubles what rounds is left out.
static cell eval_convert(extractor *x, const sir_expr *e)
{
    const sir_type *from = e->u.arg[0]->type;
    cell a = eval(x, e->u.arg[0]);
    if (x->fails || a.terms == NULL)
        return x->fails ? a : known(sir_eval_convert(from, e->type, a.value));
    return is_real(from) && is_real(e->type) ? a : fail(x);
}

static cell eval_peek(extractor *x, const sir_expr *e)
{
    cell at = eval(x, e->u.arg[0]);
    return x->fails || at.terms != NULL ? fail(x) : item_at(x, x->popped + at.value.i);
}

// A complex number that is put together, or only moves.
static cell eval_complex(extractor *x, const sir_expr *e)
{
    cell r = {0};
    x->fails |= ++x->steps > x->most_steps || !is_complex(e->type) || x->probes == NULL;
    if (x->fails)
        return r;
    if (sir_lvalue_root((sir_expr *)(uintptr_t)e) != NULL) {
        load(x, e, &r);
        return r;
    }
    switch ((sir_expr_kind)e->kind) {
    case SIR_CONST: return known(e->u.value);
    case SIR_PEEK: return eval_peek(x, e);
    case SIR_MAKE_COMPLEX: r = eval(x, e->u.arg[0]); return pair(x, r, eval(x, e->u.arg[1]));
    case SIR_CONVERT: return e->u.arg[0]->type->kind == SIR_FLOAT ? pair(x, eval(x, e->u.arg[0]), r) : fail(x);
    default: return fail(x);
    }
}

static cell eval_part(extractor *x, const sir_expr *e)
{
    cell z = eval_complex(x, e->u.arg[0]);
    if (x->fails || z.parts != NULL)
        return x->fails ? z : z.parts[e->index];
    return known((sir_scalar){.f = e->index == 0 ? z.value.c.re : z.value.c.im});
}

static cell eval(extractor *x, const sir_expr *e)
{
    cell r = {0};
    x->fails |= ++x->steps > x->most_steps || e->type->words != 1 || is_complex(e->type);
    if (x->fails)
        return r;
    if (is_part(e))
        return eval_part(x, e);
    switch ((sir_expr_kind)e->kind) {
    case SIR_CONST: return known(e->u.value);
    case SIR_LOCAL:
    case SIR_FIELD:
    case SIR_GLOBAL:
    case SIR_INDEX:
    case SIR_MEMBER:
        if (sir_lvalue_root((sir_expr *)(uintptr_t)e) == NULL)
            return fail(x);
        load(x, e, &r);
        return r;
    case SIR_UNARY: return eval_unary(x, e);
    case SIR_BINARY: return eval_binary(x, e);
    case SIR_MATH: return eval_math(x, e);
    case SIR_CONVERT: return eval_convert(x, e);
    case SIR_SELECT:
        r = eval(x, e->u.arg[0]);
        return x->fails || r.terms != NULL ? fail(x) : eval(x, e->u.arg[r.value.i != 0 ? 1 : 2]);
    case SIR_PEEK: return eval_peek(x, e);
    case SIR_ITER:
    case SIR_FETCH:
    case SIR_MAKE_COMPLEX: break;
    }
    return fail(x);
}

// ---- Statements ----

static void run_block(extractor *x, const sir_block *b);

static void store(extractor *x, const sir_expr *target, const cell *from)
{
    cell *to = cells_of(x, target);
    if (to == NULL)
        x->fails = true;
    else
        memmove(to, from, target->type->words * sizeof *to);
}

static void run_decl(extractor *x, const sir_stmt *s)
{
    uint32_t local = s->u.decl.local;
    const sir_type *t = x->filter->work->locals.data[local].type;
    x->terms += (int64_t)t->words;
    x->fails |= x->terms > EXTRACT_TERMS;
    if (x->fails)
        return;
    cell *own = ARENA_ARRAY(x->a, cell, (size_t)t->words + 1);
    if (s->u.decl.init != NULL)
        load(x, s->u.decl.init, own);
    x->locals[local] = own;
}

static void run_for(extractor *x, const sir_stmt *s)
{
    cell lo = eval(x, s->u.for_.lo), hi = eval(x, s->u.for_.hi);
    if (x->fails || lo.terms != NULL || hi.terms != NULL) {
        x->fails = true;
        return;
    }
    cell *counter = ARENA_NEW(x->a, cell);
    int64_t step = s->u.for_.step;
    for (int64_t i = lo.value.i; !x->fails && (step > 0 ? i < hi.value.i : i > hi.value.i); i += step) {
        *counter = known((sir_scalar){.i = (int32_t)i});
        x->locals[s->u.for_.local] = counter;
        x->steps++;
        run_block(x, &s->u.for_.body);
    }
}

static bool holds(extractor *x, const sir_expr *cond)
{
    cell c = cond == NULL ? known((sir_scalar){.i = 1}) : eval(x, cond);
    x->fails |= c.terms != NULL;
    return !x->fails && c.value.i != 0;
}

static void run_loop(extractor *x, const sir_stmt *s)
{
    bool first = s->u.loop.post_test;
    for (;;) {
        x->fails |= ++x->steps > x->most_steps;
        if (!first) {
            run_block(x, &s->u.loop.pre);
            if (!holds(x, s->u.loop.cond))
                return;
        }
        first = false;
        run_block(x, &s->u.loop.body);
        run_block(x, &s->u.loop.step);
        if (x->fails)
            return;
    }
}

static void push_row(extractor *x, int64_t number, cell v)
{
    double *row = x->form->weights + number * x->form->peek;
    for (int64_t i = 0; i < v.count; i++)
        row[v.first + i] = v.terms[i];
    x->form->constants[number] = v.constant;
}

// Pushes after which it is clear what one takes.
enum { SOME_PUSHES = 8 };

static bool would_take_too_long(extractor *x)
{
    if (x->pushed == 0) {
        x->first_steps = x->steps;
        x->first_terms = x->terms;
    }
    int64_t firing = x->filter->work->push.max; // terms are given back between firings
    double steps = (double)(x->steps - x->first_steps) / SOME_PUSHES,
           terms = (double)(x->terms - x->first_terms) / SOME_PUSHES;
    return x->pushed == SOME_PUSHES &&
           ((double)x->steps + steps * (double)(x->pushes - x->pushed) > (double)x->most_steps ||
            (double)x->terms + terms * (double)(firing - x->pushed) > EXTRACT_TERMS);
}

static void run_push(extractor *x, const sir_stmt *s)
{
    const sir_type *t = s->u.value->type;
    x->fails |= x->pushed >= x->pushes || (x->probes != NULL && would_take_too_long(x));
    if (is_complex(t)) {
        cell z = eval_complex(x, s->u.value);
        const sir_type *part = x->m->scalar[SIR_FLOAT];
        for (int i = 0; i < 2 && !x->fails; i++) {
            cell c = z.parts != NULL ? z.parts[i] : known((sir_scalar){.f = i == 0 ? z.value.c.re : z.value.c.im});
            push_row(x, 2 * x->pushed + i, as_sum(part, c));
        }
    } else {
        cell v = as_sum(t, eval(x, s->u.value));
        if (!x->fails)
            push_row(x, x->pushed, v);
    }
    x->pushed++;
}

static void run_stmt(extractor *x, const sir_stmt *s)
{
    cell item;
    switch ((sir_stmt_kind)s->kind) {
    case SIR_DECL: run_decl(x, s); return;
    case SIR_SET: {
        cell *value = ARENA_ARRAY(x->a, cell, (size_t)s->u.set.value->type->words + 1);
        x->terms += (int64_t)s->u.set.value->type->words;
        load(x, s->u.set.value, value);
        if (!x->fails)
            store(x, s->u.set.target, value);
        return;
    }
    case SIR_POP:
        item = item_at(x, x->popped++);
        if (s->u.set.target != NULL && !x->fails)
            store(x, s->u.set.target, &item);
        return;
    case SIR_PUSH: run_push(x, s); return;
    case SIR_IF: run_block(x, holds(x, s->u.if_.cond) ? &s->u.if_.then : &s->u.if_.otherwise); return;
    case SIR_FOR: run_for(x, s); return;
    case SIR_LOOP: run_loop(x, s); return;
    case SIR_BLOCK: run_block(x, &s->u.block); return;
    case SIR_PRINT:
    case SIR_CALL:
    case SIR_RANDOM:
    case SIR_BREAK:
    case SIR_CONTINUE:
    case SIR_RETURN:
    case SIR_SEND: break;
    }
    x->fails = true;
}

static void run_block(extractor *x, const sir_block *b)
{
    for (size_t i = 0; i < b->len && !x->fails; i++) {
        x->fails |= ++x->steps > x->most_steps || x->terms > EXTRACT_TERMS;
        if (!x->fails)
            run_stmt(x, b->data[i]);
        if (x->fails && x->at.file == 0)
            x->at = b->data[i]->loc;
    }
}

// Products with what is infinite or no number are no sums.
static bool is_finite(const linear_form *f, sir_type_kind real)
{
    double most = real == SIR_FLOAT ? FLT_MAX : DBL_MAX;
    bool finite = true;
    for (int64_t i = 0; i < f->push * f->peek; i++)
        finite = finite && fabs(f->weights[i]) <= most;
    for (int64_t i = 0; i < f->push; i++)
        finite = finite && fabs(f->constants[i]) <= most;
    return finite;
}

linear_form *linear_extract(arena *a, sir_module *m, const sir_filter *f, double *operations, double *work)
{
    const sir_function *w = f->work;
    arena *own = arena_create();
    extractor x = {.a = own, .m = m, .filter = f, .most_steps = EXTRACT_STEPS};
    x.locals = ARENA_ARRAY(own, cell *, w->locals.len + 1);
    x.fields = ARENA_ARRAY(own, cell *, f->fields.len + 1);
    x.items = w->peek.max > w->pop.max ? w->peek.max : w->pop.max;
    x.pushes = w->push.max;
    x.form = linear_new(a, x.items, w->pop.max, w->push.max);
    x.fails = x.form == NULL || *work <= 0;
    if (!x.fails)
        run_block(&x, &w->body);
    bool fine = !x.fails && x.popped == w->pop.max && x.pushed == w->push.max && is_finite(x.form, SIR_DOUBLE);
    *operations = x.operations;
    *work -= (double)(x.steps + x.terms);
    arena_destroy(own);
    if (!fine)
        return NULL;
    linear_count(x.form);
    return x.form;
}

// ---- Probes ----

// A firing's memory is given back with the next one's, when there is enough of it.
enum { PROBE_TERMS = 1 << 14 };

bool linear_probe(sir_module *m, const sir_filter *f, int64_t firings, const double *items, int64_t probes,
                  double *pushed, double *operations, double *work)
{
    const sir_function *w = f->work;
    arena *own = arena_create();
    int64_t rows = firings * w->push.max * (is_complex(f->output) ? 2 : 1);
    linear_form form = {.peek = probes, .weights = pushed, .constants = ARENA_ARRAY(own, double, (size_t)rows + 1)};
    extractor x = {.m = m,
                   .filter = f,
                   .form = &form,
                   .items = firings * w->pop.max,
                   .probes = items,
                   .probe_count = probes,
                   .pushes = firings * w->push.max,
                   .most_steps = (int64_t)*work};
    int64_t spent = 0;
    x.fails = w->peek.max > w->pop.max;
    for (int64_t i = 0; i < firings && !x.fails; i++) {
        if (x.a == NULL || x.terms > PROBE_TERMS) {
            arena_destroy(x.a);
            x.a = arena_create();
            x.locals = ARENA_ARRAY(x.a, cell *, w->locals.len + 1);
            x.fields = ARENA_ARRAY(x.a, cell *, f->fields.len + 1);
            spent += x.terms;
            x.terms = 0;
        }
        run_block(&x, &w->body);
        x.fails |= x.popped != (i + 1) * w->pop.max || x.pushed != (i + 1) * w->push.max;
    }
    for (int64_t i = 0; i < rows; i++)
        x.fails |= form.constants[i] != 0;
    *operations += x.operations;
    *work -= (double)(x.steps + spent + x.terms);
    arena_destroy(x.a);
    arena_destroy(own);
    return !x.fails;
}

// ---- State ----

static const sir_type *scalar_of(const sir_type *t)
{
    while (t->kind == SIR_ARRAY)
        t = t->element;
    return t;
}

// Whether it is made of numbers of one type, and how many.
static bool is_of_reals(const sir_type *t, const sir_type **real)
{
    t = scalar_of(t);
    if (t->kind == SIR_STRUCT) {
        bool all = t->decl->members.len != 0;
        for (size_t i = 0; i < t->decl->members.len; i++)
            all = all && is_of_reals(t->decl->members.data[i].type, real);
        return all;
    }
    if (!is_real(t) || (*real != NULL && *real != t))
        return false;
    *real = t;
    return true;
}

int64_t linear_states(const sir_filter *f, const sir_type **real)
{
    int64_t states = 0;
    *real = NULL;
    for (VEC_EACH(const sir_field, field, &f->fields)) {
        if (field->constant)
            continue;
        if (!is_of_reals(field->type, real) || field->type->words > LINEAR_STATES)
            return -1;
        states += (int64_t)field->type->words;
    }
    return states > LINEAR_STATES ? -1 : states;
}

static void begin_states(extractor *x)
{
    int64_t number = 0;
    for (size_t i = 0; i < x->filter->fields.len; i++) {
        const sir_field *field = &x->filter->fields.data[i];
        if (field->constant)
            continue;
        x->fields[i] = ARENA_ARRAY(x->a, cell, (size_t)field->type->words + 1);
        for (size_t k = 0; k < field->type->words; k++)
            x->fields[i][k] = symbol(x, number++);
    }
}

static int64_t deepest(const extractor *x)
{
    int64_t most = 0;
    for (size_t i = 0; i < x->filter->fields.len; i++)
        for (size_t k = 0; x->fields[i] != NULL && k < x->filter->fields.data[i].type->words; k++)
            most = x->fields[i][k].depth > most ? x->fields[i][k].depth : most;
    return most;
}

static void end_states(extractor *x, const sir_type *real)
{
    int64_t row = x->pushes;
    for (size_t i = 0; i < x->filter->fields.len; i++)
        for (size_t k = 0; x->fields[i] != NULL && k < x->filter->fields.data[i].type->words; k++, row++) {
            cell c = as_sum(real, x->fields[i][k]);
            for (int64_t t = 0; t < c.count; t++)
                x->form->weights[row * x->form->peek + c.first + t] = c.terms[t];
            x->form->constants[row] = c.constant;
        }
}

linear_ahead *linear_extract_ahead(arena *a, sir_module *m, const sir_filter *f, int64_t firings, double *work,
                                   sir_loc *at)
{
    const sir_function *w = f->work;
    const sir_type *real;
    int64_t states = linear_states(f, &real);
    if (states <= 0 || *work <= 0)
        return NULL;
    bool doubles = real->kind == SIR_DOUBLE || f->input->kind == SIR_DOUBLE || f->output->kind == SIR_DOUBLE;
    arena *own = arena_create();
    linear_ahead *r = ARENA_NEW(a, linear_ahead);
    *r = (linear_ahead){.firings = firings, .states = states, .real = m->scalar[doubles ? SIR_DOUBLE : SIR_FLOAT]};
    r->items = (firings - 1) * w->pop.max + w->peek.max;
    r->sums = firings * w->push.max;
    extractor x = {.a = own,
                   .m = m,
                   .filter = f,
                   .states = states,
                   .items = r->items,
                   .pushes = r->sums,
                   .most_steps = EXTRACT_STEPS};
    x.locals = ARENA_ARRAY(own, cell *, w->locals.len + 1);
    x.fields = ARENA_ARRAY(own, cell *, f->fields.len + 1);
    x.form = r->form = linear_new(a, states + r->items, firings * w->pop.max, r->sums + states);
    x.fails = x.form == NULL;
    if (!x.fails)
        begin_states(&x);
    int64_t half = 0;
    for (int64_t i = 0; i < firings && !x.fails; i++) {
        half = i == firings / 2 ? deepest(&x) : half;
        run_block(&x, &w->body);
        x.fails |= x.popped != (i + 1) * w->pop.max || x.pushed != (i + 1) * w->push.max;
    }
    r->operations = x.operations / (double)firings;
    r->depth = (double)(deepest(&x) - half) / (double)(firings - firings / 2);
    if (!x.fails)
        end_states(&x, real);
    bool fine = !x.fails && is_finite(x.form, (sir_type_kind)r->real->kind);
    *work -= (double)(x.steps + x.terms);
    *at = x.at;
    arena_destroy(own);
    return fine ? r : NULL;
}
