// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass 'polyphase': behind a filter that puts zeros between the items, sums of products take only those that are not
// known to be zeros.
//
//     Expand (pop 1 push 8: the item, seven zeros) -> Fir (pop 1 peek 64 push 1: a sum of 64 products)
//
// makes two filters beside them, which the channel between them names (sir_zeros):
//
//     Expand_samples (pop 1 push 1: the item), Fir_phases (pop 1 peek 9 push 8: eight sums of 8 products each)
//
// The graph stays as it is, and so do its initialisation and what is left when input ends, where Expand and Fir fire. In
// runs of whole steady states the channel's items begin at the same place among the zeros each time, and n firings of
// Fir_phases do what 8 * n firings of Fir do there (hlc/emit/program_zeros.c).
//
// NOTE(zeros). A term left out is a product of a finite constant and 0, which is 0 or -0, or such an item itself. The sum
// that it is added to, or taken from, began with a constant other than -0, and is never -0 after that: a sum is -0 only
// where both parts are (x - 0 and x + -0 likewise). Adding 0 or -0 to what is not -0 changes nothing, nor does it to
// infinities or to what is no number. The other items may be anything.
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "hlc/ir/copy.h"
#include "hlc/ir/walk.h"
#include "hlc/passes/pass.h"
#include "hlc/schedule/schedule.h"

// Firings of the consumer in one of what replaces it; runs of firings that have loops of their own, and firings of each in
// the mean where there are more than some: else tables say where each firing's items begin.
enum { MOST_FIRINGS = 1 << 14, MOST_PIECES = 32, FEW_PIECES = 4, PIECE_FIRINGS = 8 };

// ---- The filter that pushes zeros ----

// Where the one item is that may be something else.
typedef struct expander {
    int64_t count, at; // items pushed so far; -1: none yet
    bool fails;
} expander;

static bool is_zero(const sir_expr *e)
{
    return e->kind == SIR_CONST &&
           ((e->type->kind == SIR_FLOAT && e->u.value.f == 0) || (e->type->kind == SIR_DOUBLE && e->u.value.d == 0));
}

static void find_push(void *context, sir_stmt *s)
{
    *(bool *)context |= s->kind == SIR_PUSH || s->kind == SIR_CALL;
}

static bool pushes(const sir_block *b)
{
    bool found = false;
    sir_visit_stmts(b, find_push, &found);
    return found;
}

static bool trips_of(const sir_stmt *s, int64_t *trips)
{
    const sir_expr *lo = s->u.for_.lo, *hi = s->u.for_.hi;
    if (lo->kind != SIR_CONST || hi->kind != SIR_CONST)
        return false;
    int64_t step = s->u.for_.step, from = lo->u.value.i, to = hi->u.value.i;
    int64_t way = step > 0 ? to - from : from - to, by = step > 0 ? step : -step;
    *trips = way <= 0 ? 0 : (way + by - 1) / by;
    return true;
}

// Zeros that a loop pushes; -1: it does something else, too.
static int64_t zeros_of(const sir_stmt *s)
{
    int64_t trips, each = 0;
    if (s->kind == SIR_PUSH)
        return is_zero(s->u.value) ? 1 : -1;
    if (s->kind != SIR_FOR || !trips_of(s, &trips))
        return -1;
    for (size_t i = 0; i < s->u.for_.body.len; i++) {
        int64_t inner = zeros_of(s->u.for_.body.data[i]);
        if (inner < 0 || inner > INT32_MAX)
            return -1;
        each += inner;
    }
    return each * trips;
}

// The statements without those that push zeros.
static sir_block without_zeros(sir_module *m, const sir_block *b, expander *x)
{
    sir_block r = {0};
    for (size_t i = 0; i < b->len && !x->fails; i++) {
        sir_stmt *s = b->data[i];
        int64_t zeros = zeros_of(s);
        if (zeros > 0) {
            x->count += zeros;
            continue;
        }
        if (s->kind == SIR_PUSH) {
            x->fails |= x->at >= 0;
            x->at = x->count++;
        } else if (s->kind == SIR_BLOCK) {
            sir_stmt *copy = sir_stmt_new(m, SIR_BLOCK, s->loc);
            copy->u.block = without_zeros(m, &s->u.block, x);
            s = copy;
        } else {
            sir_parts parts = sir_stmt_parts(s);
            for (uint8_t k = 0; k < parts.block_count; k++)
                x->fails |= pushes(parts.block[k]);
            x->fails |= s->kind == SIR_CALL || s->kind == SIR_RETURN;
        }
        VEC_PUSH(m->arena, &r, s);
    }
    return r;
}

// ---- The filter that adds products up ----

// A loop that adds items, or products of items and constants, to a local.
typedef struct sum_loop {
    const sir_stmt *loop;
    sir_expr *item;        // SIR_PEEK
    sir_expr *coefficient; // NULL: the item itself
    int64_t at, slope;     // the trip k looks at item at + slope * k of the window; slope 1 or -1
    int64_t base, stride;  // and at element base + stride * k of the coefficient's table
    // Of each firing of a round.
    int64_t *first, *terms; // the first of the samples that it takes, and how many there are
    sir_scalar *taps;       // their coefficients, `most` for a firing
    int64_t most;
    uint32_t table, starts, counts; // fields
} sum_loop;

typedef struct summer {
    arena *a;
    const sir_module *m;
    const sir_filter *filter;
    VEC(sum_loop) sums;
    bool *safe; // per local: a number that is not -0
    int64_t popped;
    const char *why; // it cannot be done; NULL: it can
    sir_loc where;
} summer;

static void give_up(summer *x, sir_loc where, const char *why)
{
    if (x->why == NULL) {
        x->why = why;
        x->where = where;
    }
}

static void find_input(void *context, sir_expr *e, bool written)
{
    (void)written;
    *(bool *)context |= e->kind == SIR_PEEK;
}

static void find_taking(void *context, sir_stmt *s)
{
    *(bool *)context |= s->kind == SIR_POP || s->kind == SIR_CALL;
    sir_visit_exprs(s, find_input, context);
}

static bool takes(sir_stmt *s)
{
    bool found = false;
    find_taking(&found, s);
    sir_parts parts = sir_stmt_parts(s);
    for (uint8_t i = 0; i < parts.block_count; i++)
        sir_visit_stmts(parts.block[i], find_taking, &found);
    return found;
}

static void forget_local(void *context, sir_stmt *s)
{
    summer *x = context;
    const sir_expr *root = sir_assigned_root(s);
    if (root != NULL && root->kind == SIR_LOCAL)
        x->safe[root->index] = false;
    if (s->kind == SIR_DECL)
        x->safe[s->u.decl.local] = false;
}

static bool is_safe(const sir_expr *e)
{
    if (e->kind != SIR_CONST)
        return false;
    return e->type->kind == SIR_FLOAT ? e->u.value.f != 0 || !signbit(e->u.value.f)
                                      : e->type->kind == SIR_DOUBLE && (e->u.value.d != 0 || !signbit(e->u.value.d));
}

// e as at + slope * (the local); false: it is not.
static bool affine(const sir_expr *e, uint32_t local, int64_t *at, int64_t *slope)
{
    int64_t a[2], s[2];
    if (e->kind == SIR_CONST && e->type->kind == SIR_INT) {
        *at = e->u.value.i;
        *slope = 0;
        return true;
    }
    if (e->kind == SIR_LOCAL && e->index == local) {
        *at = 0;
        *slope = 1;
        return true;
    }
    if (e->kind != SIR_BINARY || e->type->kind != SIR_INT || !affine(e->u.arg[0], local, &a[0], &s[0]) ||
        !affine(e->u.arg[1], local, &a[1], &s[1]))
        return false;
    int64_t sign = e->op == LANG_OP_SUB ? -1 : 1;
    if (e->op == LANG_OP_ADD || e->op == LANG_OP_SUB) {
        *at = a[0] + sign * a[1];
        *slope = s[0] + sign * s[1];
    } else if (e->op == LANG_OP_MUL && (s[0] == 0 || s[1] == 0)) {
        *at = a[0] * a[1];
        *slope = a[0] * s[1] + a[1] * s[0];
    } else {
        return false;
    }
    const int64_t most = INT32_MAX;
    return *at >= -most && *at <= most && *slope >= -most && *slope <= most;
}

// What a coefficient is in trip k; its place is known to be in the table.
static sir_scalar coefficient_at(const summer *x, const sum_loop *l, int64_t k)
{
    if (l->coefficient->kind == SIR_CONST)
        return l->coefficient->u.value;
    const sir_value *v = sir_constant_value(x->m, x->filter, l->coefficient->u.arg[0]);
    return v->zero ? (sir_scalar){0} : v->data[l->base + l->stride * k];
}

static bool is_finite(const sir_type *t, sir_scalar v)
{
    return t->kind == SIR_FLOAT ? isfinite(v.f) : isfinite(v.d);
}

// Whether the coefficients are finite constants, from trip lo to hi.
static bool are_known(const summer *x, sum_loop *l, int64_t lo, int64_t hi)
{
    const sir_expr *e = l->coefficient;
    if (e == NULL)
        return true;
    if (e->kind == SIR_INDEX) {
        const sir_value *v = sir_constant_value(x->m, x->filter, e->u.arg[0]);
        if (v == NULL || v->type->kind != SIR_ARRAY || v->type->element != e->type ||
            !affine(e->u.arg[1], l->loop->u.for_.local, &l->base, &l->stride))
            return false;
        int64_t a = l->base + l->stride * lo, b = l->base + l->stride * (hi - 1), length = (int64_t)v->type->length;
        if (a < 0 || b < 0 || a >= length || b >= length)
            return false;
    } else if (e->kind != SIR_CONST) {
        return false;
    }
    for (int64_t k = lo; k < hi; k++)
        if (!is_finite(e->type, coefficient_at(x, l, k)))
            return false;
    return true;
}

// One set of a local to itself and an item, or a product of one.
static bool find_term(const sir_stmt *set, sum_loop *l)
{
    if (set->kind != SIR_SET || set->u.set.target->kind != SIR_LOCAL)
        return false;
    const sir_expr *sum = set->u.set.value, *target = set->u.set.target;
    bool real = target->type->kind == SIR_FLOAT || target->type->kind == SIR_DOUBLE;
    if (!real || sum->kind != SIR_BINARY || (sum->op != LANG_OP_ADD && sum->op != LANG_OP_SUB))
        return false;
    for (int side = 0; side < (sum->op == LANG_OP_ADD ? 2 : 1); side++) {
        const sir_expr *self = sum->u.arg[side];
        sir_expr *term = sum->u.arg[1 - side];
        if (self->kind != SIR_LOCAL || self->index != target->index)
            continue;
        bool product = term->kind == SIR_BINARY && term->op == LANG_OP_MUL;
        int peek = product && term->u.arg[0]->kind == SIR_PEEK ? 0 : 1;
        l->item = product ? term->u.arg[peek] : term;
        l->coefficient = product ? term->u.arg[1 - peek] : NULL;
        return l->item->kind == SIR_PEEK;
    }
    return false;
}

static bool find_sum(summer *x, const sir_stmt *s, sum_loop *l)
{
    int64_t trips, lo = 0;
    *l = (sum_loop){.loop = s};
    if (s->kind != SIR_FOR || s->u.for_.body.len != 1 || s->u.for_.step != 1 || !trips_of(s, &trips) ||
        !find_term(s->u.for_.body.data[0], l))
        return false;
    lo = s->u.for_.lo->u.value.i;
    return affine(l->item->u.arg[0], s->u.for_.local, &l->at, &l->slope) && (l->slope == 1 || l->slope == -1) &&
           are_known(x, l, lo, lo + trips) && x->safe[s->u.for_.body.data[0]->u.set.target->index];
}

// Pops that a statement consists of; -1: it does something else, too.
static int64_t pops_of(const sir_stmt *s)
{
    int64_t trips, each = 0;
    if (s->kind == SIR_POP)
        return s->u.set.target == NULL ? 1 : -1;
    if (s->kind != SIR_FOR || !trips_of(s, &trips))
        return -1;
    for (size_t i = 0; i < s->u.for_.body.len; i++) {
        int64_t inner = pops_of(s->u.for_.body.data[i]);
        if (inner < 0 || inner > INT32_MAX)
            return -1;
        each += inner;
    }
    return each * trips;
}

static void look_at(summer *x, const sir_block *b);

static void look_at_stmt(summer *x, sir_stmt *s)
{
    sum_loop l;
    if (s->kind == SIR_CALL || s->kind == SIR_RETURN || s->kind == SIR_LOOP) {
        give_up(x, s->loc, "calls and loops that data end are not followed");
    } else if (s->kind == SIR_BLOCK) {
        look_at(x, &s->u.block);
    } else if (takes(s)) {
        int64_t pops = pops_of(s);
        if (pops >= 0) {
            x->popped += pops;
        } else if (find_sum(x, s, &l)) {
            l.at += x->popped;
            VEC_PUSH(x->a, &x->sums, l);
        } else {
            give_up(
                x, s->loc,
                "an item is used otherwise than in a sum of items and finite constants that begins with a constant");
        }
    } else if (s->kind == SIR_DECL) {
        const sir_expr *init = s->u.decl.init;
        x->safe[s->u.decl.local] = init == NULL ? !s->u.decl.uninitialised : is_safe(init);
    } else if (s->kind == SIR_SET && s->u.set.target->kind == SIR_LOCAL) {
        x->safe[s->u.set.target->index] = is_safe(s->u.set.value);
    } else {
        forget_local(x, s);
        sir_parts parts = sir_stmt_parts(s);
        for (uint8_t i = 0; i < parts.block_count; i++)
            sir_visit_stmts(parts.block[i], forget_local, x);
    }
}

static void look_at(summer *x, const sir_block *b)
{
    for (size_t i = 0; i < b->len && x->why == NULL; i++)
        look_at_stmt(x, b->data[i]);
}

// ---- A round of the consumer's firings on the samples ----

typedef struct phase_round {
    int64_t every, first;     // of the items
    int64_t pop, peek, push;  // of the consumer
    int64_t samples, firings; // of a round
} phase_round;

static int64_t modulo(int64_t a, int64_t b)
{
    return (a % b + b) % b;
}

// Which samples each firing takes, and their coefficients.
static void deal(summer *x, sum_loop *l, const phase_round *r)
{
    int64_t lo = l->loop->u.for_.lo->u.value.i, hi = l->loop->u.for_.hi->u.value.i;
    l->most = hi <= lo ? 0 : (hi - lo + r->every - 1) / r->every;
    l->first = ARENA_ARRAY(x->a, int64_t, r->firings);
    l->terms = ARENA_ARRAY(x->a, int64_t, r->firings);
    l->taps = ARENA_ARRAY(x->a, sir_scalar, r->firings * l->most + 1);
    for (int64_t j = 0; j < r->firings; j++) {
        int64_t wanted = l->slope * (r->first - r->pop * j - l->at);
        int64_t k = lo + modulo(wanted - lo, r->every);
        l->terms[j] = k < hi ? (hi - 1 - k) / r->every + 1 : 0;
        if (l->terms[j] > 0)
            l->first[j] = (r->pop * j + l->at + l->slope * k - r->first) / r->every;
        for (int64_t i = 0; i < l->terms[j] && l->coefficient != NULL; i++)
            l->taps[j * l->most + i] = coefficient_at(x, l, k + r->every * i);
    }
}

// Whether firings a and b take equally many samples, each firing in between `slope` further ones.
static bool are_alike(const summer *x, int64_t slope, int64_t a, int64_t b)
{
    for (VEC_EACH(const sum_loop, l, &x->sums))
        if (l->terms[a] != l->terms[b] || l->first[b] - l->first[a] != slope * (b - a))
            return false;
    return true;
}

static int64_t count_pieces(const summer *x, const phase_round *r, int64_t slope)
{
    int64_t pieces = 0;
    for (int64_t from = 0, to; from < r->firings; from = to, pieces++)
        for (to = from + 1; to < r->firings && are_alike(x, slope, from, to); to++) {
        }
    return pieces;
}

// ---- The new filters ----

typedef struct polyphaser {
    arena *a;
    hlc_program *hlc;
    sir_module *m;
    hmap made;  // by what is beside the channel: made
    hmap names; // of filters
} polyphaser;

static sir_filter *copy_filter(polyphaser *p, const sir_filter *f, const char *suffix)
{
    arena *a = p->m->arena;
    sir_filter *r = pass_copy_filter(p->m, f);
    r->name = arena_printf(a, "%s_%s", f->name, suffix);
    for (uint32_t n = 2; hmap_get(&p->names, r->name) != NULL; n++)
        r->name = arena_printf(a, "%s_%s_%" PRIu32, f->name, suffix, n);
    hmap_set(&p->names, r->name, r);
    return r;
}

static void set_rate(sir_rate *r, int64_t n)
{
    r->min = r->max = n;
}

typedef struct copier {
    polyphaser *p;
    summer *x;
    const phase_round *r;
    sir_filter *filter; // the new one
    uint32_t firing;    // local: which of the round
    uint32_t term;      // local: of a sum
    int64_t at;         // the first of firings that are alike; -1: tables say what each takes
    int64_t slope;      // between these
    bool single;        // there is no loop over them
    size_t sum;         // sums copied so far
    uint32_t *locals;   // per local of the consumer: what it is in the present copy
    sir_copier bodies;
} copier;

static uint32_t add_table(copier *c, const char *name, const sir_type *t, sir_value v)
{
    arena *a = c->p->m->arena;
    const char *wanted = name;
    for (size_t n = 2;; n++) {
        bool taken = false;
        for (VEC_EACH(sir_field, f, &c->filter->fields))
            taken |= strcmp(f->name, name) == 0;
        if (!taken)
            break;
        name = arena_printf(a, "%s_%zu", wanted, n);
    }
    VEC_PUSH(a, &c->filter->fields,
             (sir_field){.name = name, .type = t, .init = v, .constant = true, .loc = c->filter->loc});
    return (uint32_t)c->filter->fields.len - 1;
}

static uint32_t add_ints(copier *c, const char *name, const int64_t *values)
{
    sir_module *m = c->p->m;
    const sir_type *t = sir_type_array(m, m->scalar[SIR_INT], (uint32_t)c->r->firings);
    sir_value v = sir_value_new(m->arena, t);
    for (int64_t j = 0; j < c->r->firings; j++)
        v.data[j].i = (int32_t)values[j];
    return add_table(c, name, t, v);
}

static void add_tables(copier *c, sum_loop *l, bool starts)
{
    sir_module *m = c->p->m;
    bool uneven = false;
    for (int64_t j = 1; j < c->r->firings; j++)
        uneven |= l->terms[j] != l->terms[0];
    l->starts = l->counts = l->table = SIR_NONE;
    if (starts)
        l->starts = add_ints(c, "starts", l->first);
    if (starts && uneven)
        l->counts = add_ints(c, "counts", l->terms);
    if (l->coefficient == NULL || l->coefficient->kind == SIR_CONST || l->most == 0)
        return;
    const sir_type *row = sir_type_array(m, l->coefficient->type, (uint32_t)l->most);
    const sir_type *t = sir_type_array(m, row, (uint32_t)c->r->firings);
    sir_value v = sir_value_new(m->arena, t);
    memcpy(v.data, l->taps, (size_t)(c->r->firings * l->most) * sizeof *v.data);
    l->table = add_table(c, "taps", t, v);
}

static sir_expr *local(copier *c, uint32_t index, sir_loc loc)
{
    return sir_ref(c->p->m, SIR_LOCAL, index, c->p->m->scalar[SIR_INT], loc);
}

static sir_expr *this_firing(copier *c, sir_loc loc)
{
    return c->single ? sir_const_int(c->p->m, (int32_t)c->at, loc) : local(c, c->firing, loc);
}

static sir_expr *add(copier *c, sir_expr *a, sir_expr *b)
{
    if (b->kind == SIR_CONST && b->u.value.i == 0)
        return a;
    return sir_expr2(c->p->m, SIR_BINARY, LANG_OP_ADD, c->p->m->scalar[SIR_INT], a, b, a->loc);
}

// The first sample of a sum.
static sir_expr *start_of(copier *c, const sum_loop *l, sir_loc loc)
{
    sir_module *m = c->p->m;
    if (c->at < 0 || c->single || c->slope == 0)
        return sir_const_int(m, (int32_t)(c->at < 0 ? 0 : l->first[c->at]), loc);
    sir_expr *by = this_firing(c, loc);
    if (c->slope != 1)
        by = sir_expr2(m, SIR_BINARY, LANG_OP_MUL, by->type, by, sir_const_int(m, (int32_t)c->slope, loc), loc);
    return add(c, by, sir_const_int(m, (int32_t)(l->first[c->at] - c->slope * c->at), loc));
}

// An element of a table by firing.
static sir_expr *of_firing(copier *c, uint32_t field, sir_loc loc)
{
    const sir_type *t = c->filter->fields.data[field].type;
    return sir_expr2(c->p->m, SIR_INDEX, 0, t->element, sir_ref(c->p->m, SIR_FIELD, field, t, loc), this_firing(c, loc),
                     loc);
}

static sir_expr *term_of(copier *c, const sum_loop *l, sir_loc loc)
{
    sir_module *m = c->p->m;
    const sir_type *number = m->scalar[SIR_INT];
    sir_expr *start = l->starts != SIR_NONE ? of_firing(c, l->starts, loc) : start_of(c, l, loc);
    sir_expr *at = local(c, c->term, loc);
    at = l->slope < 0 ? sir_expr2(m, SIR_BINARY, LANG_OP_SUB, number, start, at, loc) : add(c, at, start);
    sir_expr *item = sir_expr1(m, SIR_PEEK, 0, l->item->type, at, loc);
    if (l->coefficient == NULL)
        return item;
    sir_expr *tap = l->table == SIR_NONE ? sir_copy_expr(&c->bodies, l->coefficient)
                                         : sir_expr2(m, SIR_INDEX, 0, l->coefficient->type, of_firing(c, l->table, loc),
                                                     local(c, c->term, loc), loc);
    return sir_expr2(m, SIR_BINARY, LANG_OP_MUL, item->type, tap, item, loc);
}

static void copy_sum(copier *c, const sum_loop *l, sir_block *to)
{
    sir_module *m = c->p->m;
    const sir_stmt *s = l->loop, *set = s->u.for_.body.data[0];
    if (l->counts == SIR_NONE && l->terms[c->at < 0 ? 0 : c->at] == 0)
        return;
    sir_stmt *loop = sir_stmt_new(m, SIR_FOR, s->loc), *add = sir_stmt_new(m, SIR_SET, set->loc);
    loop->u.for_.local = c->term;
    loop->u.for_.lo = sir_const_int(m, 0, s->loc);
    loop->u.for_.hi = l->counts != SIR_NONE ? of_firing(c, l->counts, s->loc)
                                            : sir_const_int(m, (int32_t)l->terms[c->at < 0 ? 0 : c->at], s->loc);
    loop->u.for_.step = 1;
    const sir_expr *target = set->u.set.target;
    add->u.set.target = sir_copy_expr(&c->bodies, target);
    add->u.set.value = sir_expr2(m, SIR_BINARY, set->u.set.value->op, target->type, sir_copy_expr(&c->bodies, target),
                                 term_of(c, l, set->loc), set->u.set.value->loc);
    VEC_PUSH(m->arena, &loop->u.for_.body, add);
    VEC_PUSH(m->arena, to, loop);
}

static void declare(void *context, uint32_t old)
{
    copier *c = context;
    const sir_local *l = &c->x->filter->work->locals.data[old];
    c->locals[old] = sir_local_new(c->p->m, c->filter->work, l->name, l->type, l->loc);
}

static bool replace_stmt(void *context, const sir_stmt *s, sir_block *to)
{
    copier *c = context;
    bool sum = c->sum < c->x->sums.len && s == c->x->sums.data[c->sum].loop;
    if (sum)
        copy_sum(c, &c->x->sums.data[c->sum++], to);
    return sum || pops_of(s) > 0;
}

// A loop over firings of the round that are alike, or over all.
static void add_firings(copier *c, int64_t from, int64_t to)
{
    sir_module *m = c->p->m;
    sir_loc loc = c->filter->work->loc;
    const sir_block *body = &c->x->filter->work->body;
    c->single = to == from + 1;
    c->sum = 0;
    c->term = sir_local_new(m, c->filter->work, "term", m->scalar[SIR_INT], loc);
    if (c->single) {
        sir_copy_stmts(&c->bodies, body, 0, body->len, &c->filter->work->body);
        return;
    }
    sir_stmt *loop = sir_stmt_new(m, SIR_FOR, loc);
    c->firing = sir_local_new(m, c->filter->work, "phase", m->scalar[SIR_INT], loc);
    loop->u.for_.local = c->firing;
    loop->u.for_.lo = sir_const_int(m, (int32_t)from, loc);
    loop->u.for_.hi = sir_const_int(m, (int32_t)to, loc);
    loop->u.for_.step = 1;
    loop->u.for_.body = sir_copy_block(&c->bodies, body);
    VEC_PUSH(m->arena, &c->filter->work->body, loop);
}

static void add_pops(copier *c)
{
    sir_module *m = c->p->m;
    sir_function *w = c->filter->work;
    sir_stmt *s = sir_stmt_new(m, SIR_FOR, w->loc);
    s->u.for_.local = sir_local_new(m, w, "i", m->scalar[SIR_INT], w->loc);
    s->u.for_.lo = sir_const_int(m, 0, w->loc);
    s->u.for_.hi = sir_const_int(m, (int32_t)c->r->samples, w->loc);
    s->u.for_.step = 1;
    VEC_PUSH(m->arena, &s->u.for_.body, sir_stmt_new(m, SIR_POP, w->loc));
    VEC_PUSH(m->arena, &w->body, s);
}

// Fields by number: 1 + what they become; 0: nothing names them.
static void find_field(void *context, sir_expr *e, bool written)
{
    (void)written;
    if (e->kind == SIR_FIELD)
        ((bool *)context)[e->index] = true;
}

static void find_fields(void *context, sir_stmt *s)
{
    sir_visit_exprs(s, find_field, context);
}

// Tables that tables by firing have taken the place of.
static void drop_fields(polyphaser *p, sir_filter *f)
{
    bool *used = ARENA_ARRAY(p->a, bool, f->fields.len + 1);
    sir_visit_stmts(&f->work->body, find_fields, used);
    pass_keep_fields(p->a, f, used);
}

static sir_filter *make_phases(polyphaser *p, summer *x, const phase_round *r)
{
    copier c = {.p = p, .x = x, .r = r, .filter = copy_filter(p, x->filter, "phases"), .at = -1};
    c.filter->work->body = (sir_block){0};
    c.filter->work->locals.len = 0;
    c.locals = ARENA_ARRAY(p->a, uint32_t, x->filter->work->locals.len + 1);
    c.bodies =
        (sir_copier){.arena = p->m->arena, .locals = c.locals, .context = &c, .stmt = replace_stmt, .declare = declare};
    for (VEC_EACH(sum_loop, l, &x->sums))
        deal(x, l, r);
    c.slope = r->samples / r->firings;
    int64_t pieces = count_pieces(x, r, c.slope), steeper = count_pieces(x, r, c.slope + 1);
    if (steeper < pieces) {
        c.slope++;
        pieces = steeper;
    }
    bool tables = pieces > MOST_PIECES || (pieces > FEW_PIECES && r->firings < pieces * PIECE_FIRINGS);
    for (VEC_EACH(sum_loop, l, &x->sums))
        add_tables(&c, l, tables);
    for (int64_t from = 0, to; from < r->firings; from = to) {
        for (to = from + 1; to < r->firings && (tables || are_alike(x, c.slope, from, to)); to++) {
        }
        c.at = tables ? -1 : from;
        add_firings(&c, from, to);
    }
    add_pops(&c);
    drop_fields(p, c.filter);
    int64_t window = (r->firings - 1) * r->pop + r->peek - r->first;
    int64_t peek = window <= 0 ? 0 : (window + r->every - 1) / r->every;
    set_rate(&c.filter->work->peek, peek > r->samples ? peek : r->samples);
    set_rate(&c.filter->work->pop, r->samples);
    set_rate(&c.filter->work->push, r->firings * r->push);
    return c.filter;
}

// ---- Where ----

// What came of a pair of filters: instances share it.
typedef struct made {
    sir_filter *samples, *phases; // NULL: it cannot be done
} made;

static bool is_plain(const sir_module *m, uint32_t actor)
{
    const sir_actor *a = m->actors.data[actor];
    if (a->kind != SIR_FILTER || a->inputs.len != 1 || a->outputs.len != 1 || pass_in_loop(m, a->region))
        return false;
    for (VEC_EACH(sir_portal, p, &m->portals))
        for (VEC_EACH(uint32_t, receiver, &p->receivers))
            if (*receiver == actor)
                return false;
    const sir_filter *f = a->filter;
    return !f->stateful && !f->uses_iter && !f->uses_random && !f->prints && !f->sends && f->prework == NULL &&
           f->handlers.len == 0 && pass_rates_proved(m, f->work);
}

static bool expands(const sir_filter *f)
{
    return f->work->pop.max == 1 && f->work->peek.max == 1 && f->work->push.max >= 2 && f->work->push.max <= INT32_MAX;
}

static bool is_expander(polyphaser *p, const sir_filter *f, expander *x, sir_block *body)
{
    *x = (expander){.at = -1};
    *body = without_zeros(p->m, &f->work->body, x);
    return !x->fails && x->at >= 0 && x->count == f->work->push.max;
}

static sir_filter *make_samples(polyphaser *p, const sir_filter *f, sir_block body)
{
    sir_filter *r = copy_filter(p, f, "samples");
    r->work->body = body;
    set_rate(&r->work->push, 1);
    return r;
}

static const made *make(polyphaser *p, const sir_filter *f, sir_block samples, summer *x, const phase_round *r)
{
    struct {
        const void *f, *g;
        int64_t first;
    } key = {f, x->filter, r->first};
    made *known = hmap_getn(&p->made, &key, sizeof key);
    if (known != NULL)
        return known;
    known = ARENA_NEW(p->a, made);
    hmap_setn(&p->made, &key, sizeof key, known);
    x->safe = ARENA_ARRAY(p->a, bool, x->filter->work->locals.len + 1);
    look_at(x, &x->filter->work->body);
    int64_t terms = 0;
    for (VEC_EACH(const sum_loop, l, &x->sums))
        terms += l->loop->u.for_.hi->u.value.i - (int64_t)l->loop->u.for_.lo->u.value.i;
    if (x->why == NULL && (r->firings > MOST_FIRINGS || r->firings * r->push > INT32_MAX || r->samples > INT32_MAX ||
                           4 * terms * r->firings / r->every > pass_table_bytes(p->hlc)))
        give_up(x, x->filter->loc, "tables of its constants by firing would be too large");
    if (x->why != NULL || x->sums.len == 0)
        return known;
    known->samples = make_samples(p, f, samples);
    known->phases = make_phases(p, x, r);
    sir_filter *both[] = {known->samples, known->phases};
    for (size_t i = 0; i < 2; i++) {
        VEC_PUSH(p->m->arena, &p->m->filters, both[i]);
        sir_filter_derive(p->m, both[i]);
    }
    return known;
}

static bool try_channel(polyphaser *p, sir_channel *c)
{
    sir_module *m = p->m;
    const schedule *s = p->hlc->schedule;
    expander e;
    sir_block samples;
    const sir_actor *from = m->actors.data[c->producer], *to = m->actors.data[c->consumer];
    if (c->initial.len != 0 || c->zeros != NULL || (c->type->kind != SIR_FLOAT && c->type->kind != SIR_DOUBLE) ||
        s->reps[c->consumer] == 0 || from->kind != SIR_FILTER || !expands(from->filter) || !is_plain(m, c->producer) ||
        !is_plain(m, c->consumer))
        return false;
    const sir_function *work = to->filter->work;
    if (work->pop.max == 0 || !is_expander(p, from->filter, &e, &samples))
        return false;
    phase_round r = {.every = e.count, .pop = work->pop.max, .peek = work->peek.max, .push = work->push.max};
    int64_t common = sched_gcd(r.every, r.pop);
    r.samples = r.pop / common;
    r.firings = r.every / common;
    r.first = modulo(e.at - modulo(s->init[c->consumer], r.every) * modulo(r.pop, r.every), r.every);
    summer x = {.a = p->a, .m = m, .filter = to->filter};
    const made *both = make(p, from->filter, samples, &x, &r);
    if (p->hlc->diag->remarks && both->phases == NULL && x.why != NULL)
        diag_remark(p->hlc->diag, sir_range(m, p->hlc->sources, x.where),
                    "'%s' multiplies with the zeros that '%s' pushes: %s [polyphase]", to->name, from->name, x.why);
    if (both->phases == NULL)
        return false;
    sir_zeros *z = ARENA_NEW(m->arena, sir_zeros);
    *z = (sir_zeros){r.every, r.first, both->samples, both->phases};
    c->zeros = z;
    diag_remark(p->hlc->diag, sir_range(m, p->hlc->sources, to->loc),
                "of %" PRId64 " items that '%s' takes one is not 0: it makes no products with the others [polyphase]",
                r.every, to->name);
    return true;
}

bool pass_polyphase(hlc_program *p)
{
    if (p->config->check_rates || p->config->check_bounds || p->schedule->dynamic || p->module->portals.len != 0)
        return false;
    polyphaser x = {.a = arena_create(), .hlc = p, .m = p->module};
    hmap_init(&x.made, x.a);
    hmap_init(&x.names, x.a);
    for (VEC_EACH(sir_filter *, f, &x.m->filters))
        hmap_set(&x.names, (*f)->name, *f);
    bool changed = false;
    for (VEC_EACH(sir_channel, c, &x.m->channels))
        changed |= try_channel(&x, c);
    arena_destroy(x.a);
    return changed;
}
