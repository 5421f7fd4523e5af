// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass 'quotients': a loop whose variable is divided by a small number, as where a picture is enlarged or colours come
// once for two places, takes as many trips in one. Then what is looked at lies side by side, and is a vector's.
//
//     for %x = 0 to 256 {                            for %q = 0 to 128 {
//         push(peek(%x / 2) + peek((%x + 1) / 2))        push(peek(%q) + peek(%q))
//     }                                      ->          push(peek(%q) + peek(%q + 1))
//                                                    }
//
// One that is divided by a large number goes over the places of a picture. It becomes two, so that conditions on the place
// in a row are the inner one's:
//
//     for %i = 0 to 4096 {                           for %y = 0 to 64 {
//         push(f(%i / 64, %i % 64))          ->          for %x = 0 to 64 {
//     }                                                      push(f(%y, %x))
//
// Shifts and masks divide, too. A remainder alone is a choice, which vectors make where they are. `borders` sees what comes
// out.
#include <inttypes.h>

#include "hlc/ir/copy.h"
#include "hlc/ir/walk.h"
#include "hlc/passes/canonicalize.h"
#include "hlc/passes/pass.h"

// Divisors by which trips are written out, and trips that are left then: fewer are written out anyway, where vectors are
// put together by shuffles. Divisors from which on a loop becomes two, if it has so many such rows: `borders` cuts one with
// fewer. Expressions of what is written out. Locals through which what leads to an item is followed.
enum { MOST_WRITTEN = 4, LEAST_LEFT = 24, LEAST_ROW = 16, LEAST_ROWS = 8, MOST_NODES = 400, LOCALS_DEPTH = 3 };

typedef struct quotients {
    arena *a;
    hlc_program *hlc;
    sir_module *m;
    sir_filter *filter;
    sir_function *f;
    bool changed;
    // Of the loop at hand: its variable is first + divisor * outer + at, or with an inner loop divisor * outer + inner.
    uint32_t variable, outer, inner;
    int32_t first, divisor, at;
    bool nested, single; // single: the variable is `at`
    uint32_t *locals;
} quotients;

// The variable plus `more`, divided by `by`.
typedef struct quotient {
    int32_t more, by;
    bool remains; // what is left is asked for
} quotient;

static bool is_sum(const quotients *x, const sir_expr *e, int32_t *more)
{
    if (e->kind == SIR_LOCAL && e->index == x->variable) {
        *more = 0;
        return true;
    }
    if (e->kind != SIR_BINARY || (e->op != LANG_OP_ADD && e->op != LANG_OP_SUB) || e->u.arg[0]->kind != SIR_LOCAL ||
        e->u.arg[0]->index != x->variable || e->u.arg[1]->kind != SIR_CONST || e->u.arg[1]->type->kind != SIR_INT)
        return false;
    int32_t n = e->u.arg[1]->u.value.i;
    if (n <= -(1 << 20) || n >= 1 << 20)
        return false;
    *more = e->op == LANG_OP_ADD ? n : -n;
    return true;
}

static bool is_power(int64_t n)
{
    return n > 0 && (n & (n - 1)) == 0;
}

static bool is_quotient(const quotients *x, const sir_expr *e, quotient *q)
{
    if (e->kind != SIR_BINARY || e->type->kind != SIR_INT || e->u.arg[1]->kind != SIR_CONST ||
        e->u.arg[1]->type->kind != SIR_INT || !is_sum(x, e->u.arg[0], &q->more) || x->first + q->more < 0)
        return false;
    int64_t n = e->u.arg[1]->u.value.i;
    if (e->op == LANG_OP_SHR)
        n = n >= 0 && n < 31 ? (int64_t)1 << n : 0;
    else if (e->op == LANG_OP_AND)
        n = is_power(n + 1) ? n + 1 : 0;
    else if (e->op != LANG_OP_DIV && e->op != LANG_OP_REM)
        return false;
    q->by = (int32_t)(n < INT32_MAX ? n : 0);
    q->remains = e->op == LANG_OP_AND || e->op == LANG_OP_REM;
    return q->by > 1;
}

// ---- Copies ----

static sir_expr *known_expr(void *context, const sir_expr *e)
{
    quotients *x = context;
    quotient q;
    const sir_type *t = x->m->scalar[SIR_INT];
    if (x->single) {
        bool known = e->kind == SIR_LOCAL && e->index == x->variable;
        return known ? sir_const_int(x->m, x->at, e->loc) : NULL;
    }
    bool variable = e->kind == SIR_LOCAL && e->index == x->variable;
    bool divided = !variable && is_quotient(x, e, &q) && x->divisor % q.by == 0;
    if (!variable && (!divided || (x->nested && (q.more != 0 || q.by != x->divisor))))
        return NULL;
    sir_expr *outer = sir_ref(x->m, SIR_LOCAL, x->outer, t, e->loc);
    sir_expr *rest = x->nested ? sir_ref(x->m, SIR_LOCAL, x->inner, t, e->loc) : NULL;
    int32_t factor = x->divisor, more = x->first + x->at;
    if (divided) {
        more = q.remains ? (more + q.more) % q.by : (more + q.more) / q.by;
        factor = x->divisor / q.by;
        if (q.remains)
            return x->nested ? rest : sir_const_int(x->m, more, e->loc);
        rest = NULL;
    }
    if (factor != 1)
        outer = sir_expr2(x->m, SIR_BINARY, LANG_OP_MUL, t, outer, sir_const_int(x->m, factor, e->loc), e->loc);
    if (rest == NULL && more != 0)
        rest = sir_const_int(x->m, more, e->loc);
    return rest == NULL ? outer : sir_expr2(x->m, SIR_BINARY, LANG_OP_ADD, t, outer, rest, e->loc);
}

static void own_local(void *context, uint32_t local)
{
    quotients *x = context;
    const sir_local l = x->f->locals.data[local];
    x->locals[local] = sir_local_new(x->m, x->f, l.name, l.type, l.loc);
}

static void copy_trip(quotients *x, const sir_block *body, sir_block *to)
{
    size_t count = x->f->locals.len;
    x->locals = ARENA_ARRAY(x->a, uint32_t, count + 1);
    for (size_t i = 0; i < count; i++)
        x->locals[i] = (uint32_t)i;
    const sir_copier c = {
        .arena = x->m->arena, .locals = x->locals, .context = x, .expr = known_expr, .declare = own_local};
    sir_copy_stmts(&c, body, 0, body->len, to);
}

static sir_stmt *new_loop(quotients *x, const sir_stmt *s, uint32_t *variable, int64_t trips)
{
    const sir_local l = x->f->locals.data[x->variable];
    *variable = sir_local_new(x->m, x->f, l.name, l.type, l.loc);
    sir_stmt *loop = sir_stmt_new(x->m, SIR_FOR, s->loc);
    loop->u.for_.local = *variable;
    loop->u.for_.lo = sir_const_int(x->m, 0, s->u.for_.lo->loc);
    loop->u.for_.hi = sir_const_int(x->m, (int32_t)trips, s->u.for_.hi->loc);
    loop->u.for_.step = 1;
    return loop;
}

// ---- Loops ----

typedef struct looked_at {
    quotients *x;
    bool *own;     // per local: declared in the loop
    bool *leads;   // per local: to what is looked at
    bool place;    // what is looked at now leads to it
    int32_t close; // the largest divisor of what leads there: others mostly divide it
    int32_t row;   // the largest of those of rows
    int64_t most;  // that the trips allow
    int64_t nodes;
    bool loops, leaves, carries;
} looked_at;

static void note_place(void *context, sir_expr *e, bool written)
{
    looked_at *l = context;
    quotient q;
    (void)written;
    if (e->kind == SIR_LOCAL)
        l->leads[e->index] = true;
    if (is_quotient(l->x, e, &q) && !q.remains && q.by <= MOST_WRITTEN && q.by > l->close)
        l->close = q.by;
}

static void look_at_expr(void *context, sir_expr *e, bool written)
{
    looked_at *l = context;
    quotient q;
    (void)written;
    l->nodes++;
    if (e->kind == SIR_PEEK || e->kind == SIR_INDEX)
        sir_visit_tree(e->u.arg[e->kind == SIR_INDEX], false, note_place, l);
    if (is_quotient(l->x, e, &q) && q.by >= LEAST_ROW && q.by > l->row && LEAST_ROWS * (int64_t)q.by <= l->most)
        l->row = q.by;
}

static void look_at(void *context, sir_stmt *s)
{
    looked_at *l = context;
    const sir_expr *root = sir_assigned_root(s);
    l->leaves |= s->kind == SIR_BREAK || s->kind == SIR_CONTINUE || s->kind == SIR_RETURN;
    l->loops |= s->kind == SIR_FOR || s->kind == SIR_LOOP;
    if (s->kind == SIR_DECL)
        l->own[s->u.decl.local] = true;
    else if (root != NULL && (root->kind != SIR_LOCAL || !l->own[root->index]))
        l->carries |= s->kind != SIR_SET || s->u.set.target->kind != SIR_INDEX;
    sir_visit_exprs(s, look_at_expr, l);
}

// What is in a local that leads to what is looked at leads there, too.
static void look_at_local(void *context, sir_stmt *s)
{
    looked_at *l = context;
    const sir_expr *root = sir_assigned_root(s);
    sir_expr *value = s->kind == SIR_DECL ? s->u.decl.init : s->kind == SIR_SET ? s->u.set.value : NULL;
    uint32_t local = s->kind == SIR_DECL ? s->u.decl.local : root != NULL ? root->index : 0;
    if (value != NULL && (s->kind == SIR_DECL || (root != NULL && root->kind == SIR_LOCAL)) && l->leads[local])
        sir_visit_tree(value, false, note_place, l);
}

static void tell(const quotients *x, const sir_stmt *s, int64_t trips)
{
    if (!x->hlc->diag->remarks)
        return;
    const src_range at = sir_range(x->m, x->hlc->sources, s->loc);
    if (x->nested)
        diag_remark(x->hlc->diag, at,
                    "'%s': this loop of %" PRId64 " trips is one of %" PRId64 " around one of %" PRId32
                    ", by which its variable is divided [quotients]",
                    x->filter->name, trips, trips / x->divisor, x->divisor);
    else
        diag_remark(x->hlc->diag, at,
                    "'%s': %" PRId32 " trips of %" PRId64
                    " at a time, since their number is divided by that [quotients]",
                    x->filter->name, x->divisor, trips);
}

static void write_out(quotients *x, const sir_stmt *s, int64_t trips, sir_block *to)
{
    const sir_block *body = &s->u.for_.body;
    sir_stmt *loop = new_loop(x, s, &x->outer, trips / x->divisor);
    for (x->at = 0; x->at < x->divisor; x->at++)
        copy_trip(x, body, &loop->u.for_.body);
    VEC_PUSH(x->m->arena, to, loop);
    x->single = true;
    for (int64_t i = trips - trips % x->divisor; i < trips; i++) {
        x->at = x->first + (int32_t)i;
        copy_trip(x, body, to);
    }
}

static void nest(quotients *x, const sir_stmt *s, int64_t trips, sir_block *to)
{
    sir_stmt *rows = new_loop(x, s, &x->outer, trips / x->divisor);
    sir_stmt *row = new_loop(x, s, &x->inner, x->divisor);
    x->at = 0;
    copy_trip(x, &s->u.for_.body, &row->u.for_.body);
    VEC_PUSH(x->m->arena, &rows->u.for_.body, row);
    VEC_PUSH(x->m->arena, to, rows);
}

static bool divide(quotients *x, const sir_stmt *s, sir_block *to)
{
    int64_t trips;
    if (!sir_for_trips(s, &trips) || s->u.for_.step != 1 || s->u.for_.lo->u.value.i < 0 || trips < 2 ||
        s->u.for_.hi->u.value.i > 1 << 30)
        return false;
    x->variable = s->u.for_.local;
    x->first = s->u.for_.lo->u.value.i;
    x->single = false;
    looked_at l = {.x = x, .most = trips};
    l.own = ARENA_ARRAY(x->a, bool, x->f->locals.len + 1);
    l.leads = ARENA_ARRAY(x->a, bool, x->f->locals.len + 1);
    sir_visit_stmts(&s->u.for_.body, look_at, &l);
    for (int i = 0; i < LOCALS_DEPTH; i++)
        sir_visit_stmts(&s->u.for_.body, look_at_local, &l);
    if (l.leaves || l.carries)
        return false;
    x->nested = l.row != 0 && x->first == 0 && trips % l.row == 0;
    x->divisor = x->nested ? l.row : l.close;
    bool written =
        !x->nested && l.close != 0 && trips / l.close >= LEAST_LEFT && !l.loops && l.nodes * l.close <= MOST_NODES;
    if (!x->nested && !written)
        return false;
    tell(x, s, trips);
    if (written)
        write_out(x, s, trips, to);
    else
        nest(x, s, trips, to);
    return x->changed = true;
}

static void divide_in(quotients *x, sir_block *b)
{
    sir_block to = {0};
    for (VEC_EACH(sir_stmt *, p, b)) {
        sir_parts parts = sir_stmt_parts(*p);
        for (uint8_t i = 0; i < parts.block_count; i++)
            divide_in(x, parts.block[i]);
        if ((*p)->kind != SIR_FOR || !divide(x, *p, &to))
            VEC_PUSH(x->m->arena, &to, *p);
    }
    *b = to;
}

bool pass_quotients(hlc_program *p)
{
    bool changed = false;
    if (!pass_may_change_more(p) || !pass_has_vectors(p))
        return false;
    arena *a = arena_create();
    for (VEC_EACH(sir_filter *, f, &p->module->filters)) {
        if ((*f)->work == NULL || (*f)->finite)
            continue;
        quotients x = {.a = a, .hlc = p, .m = p->module, .filter = *f, .f = (*f)->work};
        divide_in(&x, &(*f)->work->body);
        changed |= x.changed;
    }
    if (changed)
        sir_canonicalize(p->module, &(canon_options){0});
    arena_destroy(a);
    return changed;
}
