// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Canonicalize: loops that count become counted loops.
//
//
// Where i starts from a constant, or is not used any more, what is left over goes with constants and dead code.
#include "hlc/ir/walk.h"
#include "hlc/passes/canonicalize_int.h"

typedef struct counting {
    canon *c;
    size_t *reads; // of each local in the whole function
    size_t known;  // locals that were there when reads were counted
    const sir_expr *root;
} counting;

typedef struct count {
    uint32_t local;
    int32_t step;
    sir_expr *bound;
    bool inclusive;    // the bound itself is a value
    bool step_in_body; // the body's last statement counts
} count;

// local = local + c: c, else 0.
static int32_t increment(const sir_stmt *s, uint32_t local)
{
    if (s->kind != SIR_SET || !canon_is_local(s->u.set.target, local))
        return 0;
    const sir_expr *v = s->u.set.value;
    if (v->kind != SIR_BINARY || v->type->kind != SIR_INT || (v->op != LANG_OP_ADD && v->op != LANG_OP_SUB))
        return 0;
    bool add = v->op == LANG_OP_ADD;
    const sir_expr *a = v->u.arg[0], *b = v->u.arg[1];
    if (add && canon_is_const(a) && canon_is_local(b, local))
        return a->u.value.i;
    if (!canon_is_local(a, local) || !canon_is_const(b) || b->u.value.i == INT32_MIN)
        return 0;
    return add ? b->u.value.i : -b->u.value.i;
}

static int mirrored(int op)
{
    switch (op) {
    case LANG_OP_LT: return LANG_OP_GT;
    case LANG_OP_LE: return LANG_OP_GE;
    case LANG_OP_GT: return LANG_OP_LT;
    case LANG_OP_GE: return LANG_OP_LE;
    default: return op;
    }
}

// The test of a loop as "local op bound", tried with either side as the local.
static bool match_test(const sir_expr *cond, bool swapped, int *op, count *k)
{
    if (cond->kind != SIR_BINARY || cond->u.arg[0]->type->kind != SIR_INT)
        return false;
    const sir_expr *local = cond->u.arg[swapped ? 1 : 0];
    if (local->kind != SIR_LOCAL)
        return false;
    *op = swapped ? mirrored(cond->op) : cond->op;
    k->local = local->index;
    k->bound = cond->u.arg[swapped ? 0 : 1];
    return *op == LANG_OP_LT || *op == LANG_OP_LE || *op == LANG_OP_GT || *op == LANG_OP_GE;
}

static bool match_step(const sir_stmt *s, count *k)
{
    const sir_block *step = &s->u.loop.step, *body = &s->u.loop.body;
    if (step->len == 1)
        k->step = increment(step->data[0], k->local);
    else if (step->len == 0 && body->len > 0)
        k->step = increment(VEC_LAST(body), k->local);
    k->step_in_body = step->len == 0;
    return k->step != 0;
}

// Why a loop that looks as if it counted does not; NULL: it does. looks: whether it looks so at all.
static const char *mismatch(canon *c, const sir_stmt *s, bool swapped, count *k, bool *looks)
{
    int op;
    *k = (count){0};
    *looks = false;
    if (!match_test(s->u.loop.cond, swapped, &op, k))
        return "its test compares no local int";
    if (!match_step(s, k))
        return "nothing is added to its variable at the end of each iteration";
    *looks = true;
    bool up = op == LANG_OP_LT || op == LANG_OP_LE;
    if (up != (k->step > 0))
        return "its variable moves away from the bound";
    k->inclusive = op == LANG_OP_LE || op == LANG_OP_GE;
    canon_changes x = canon_no_changes(c);
    sir_block rest = s->u.loop.body;
    rest.len -= k->step_in_body;
    canon_add_block_changes(c, &x, &rest);
    bool assigned = x.locals[k->local], fixed = canon_is_unchanged(&x, k->bound) && !canon_reads(k->bound, k->local);
    canon_end_changes(&x);
    return assigned ? "its variable is assigned in its body" : !fixed ? "its bound may change in its body" : NULL;
}

static bool match(canon *c, const sir_stmt *s, bool swapped, count *k)
{
    bool looks;
    return mismatch(c, s, swapped, k, &looks) == NULL;
}

typedef struct renaming {
    uint32_t from, to;
} renaming;

static void rename_local(void *context, sir_expr *e, bool written)
{
    (void)written;
    const renaming *r = context;
    if (canon_is_local(e, r->from))
        e->index = r->to;
}

static void rename_in(void *context, sir_stmt *s)
{
    sir_visit_exprs(s, rename_local, context);
}

// Whether the value of the variable after the loop (statement number `at` of its block) is never looked at: nothing
// but the loop reads it at all, and it gets a new value in this block before the loop.
static bool is_dead_after(const counting *n, const sir_block *b, size_t at, uint32_t local)
{
    const sir_block loop = {.data = &b->data[at], .len = 1};
    if (local >= n->known || canon_reads_in_block(&loop, local) != n->reads[local])
        return false;
    for (size_t i = at; i > 0; i--) {
        const sir_stmt *s = b->data[i - 1];
        if ((s->kind == SIR_DECL && s->u.decl.local == local) ||
            (s->kind == SIR_SET && canon_is_local(s->u.set.target, local)))
            return true;
    }
    return false;
}

static sir_expr *final_value(canon *c, const count *k, const sir_expr *hi, sir_loc loc)
{
    const sir_type *boolean = c->m->scalar[SIR_BOOLEAN];
    int op = k->step > 0 ? LANG_OP_LT : LANG_OP_GT;
    sir_expr *any = sir_expr2(c->m, SIR_BINARY, op, boolean, canon_local(c, k->local, loc), canon_copy(c, hi), loc);
    return sir_expr3(c->m, SIR_SELECT, hi->type, any, canon_copy(c, hi), canon_local(c, k->local, loc), loc);
}

// The counted loop of a loop, or NULL. after: what else is to be done behind it, or NULL.
static sir_stmt *convert(counting *n, const sir_block *b, size_t at, sir_stmt **after)
{
    canon *c = n->c;
    sir_stmt *s = b->data[at];
    *after = NULL;
    if (s->u.loop.cond == NULL || s->u.loop.post_test || s->u.loop.pre.len > 0)
        return NULL;
    count k;
    if (!match(c, s, false, &k) && !match(c, s, true, &k))
        return NULL;
    bool dead = is_dead_after(n, b, at, k.local), unit = k.step == 1 || k.step == -1;
    if (!dead && !unit)
        return NULL;
    const sir_local *local = &c->f->locals.data[k.local];
    const sir_type *type = local->type;
    uint32_t fresh = canon_fresh(c, local->name, type, local->loc);
    sir_expr *hi = k.bound;
    if (k.inclusive)
        hi = canon_fold(c, sir_expr2(c->m, SIR_BINARY, k.step > 0 ? LANG_OP_ADD : LANG_OP_SUB, type, hi,
                                     sir_const_int(c->m, 1, hi->loc), hi->loc));
    sir_stmt *loop = sir_stmt_new(c->m, SIR_FOR, s->loc);
    loop->u.for_.local = fresh;
    loop->u.for_.lo = canon_local(c, k.local, s->loc);
    loop->u.for_.hi = hi;
    loop->u.for_.step = k.step;
    loop->u.for_.body = s->u.loop.body;
    loop->u.for_.body.len -= k.step_in_body;
    renaming r = {.from = k.local, .to = fresh};
    sir_visit_stmts(&loop->u.for_.body, rename_in, &r);
    if (!dead)
        *after = canon_set(c, k.local, final_value(c, &k, hi, s->loc));
    return loop;
}

// Behind each loop of the block what is to be done after it.
static void insert(canon *c, sir_block *b, sir_stmt *const *after)
{
    sir_block longer = {0};
    for (size_t i = 0; i < b->len; i++) {
        VEC_PUSH(c->m->arena, &longer, b->data[i]);
        if (after[i] != NULL)
            VEC_PUSH(c->m->arena, &longer, after[i]);
    }
    *b = longer;
}

static void count_in(counting *n, sir_block *b)
{
    sir_stmt **after = NULL;
    for (size_t i = 0; i < b->len; i++) {
        sir_parts p = sir_stmt_parts(b->data[i]);
        for (size_t k = 0; k < p.block_count; k++)
            count_in(n, p.block[k]);
        sir_stmt *then = NULL, *loop = b->data[i]->kind == SIR_LOOP ? convert(n, b, i, &then) : NULL;
        if (loop == NULL)
            continue;
        b->data[i] = loop;
        if (then != NULL && after == NULL)
            after = ARENA_ARRAY(n->c->scratch, sir_stmt *, b->len);
        if (then != NULL)
            after[i] = then;
    }
    if (after != NULL)
        insert(n->c, b, after);
}

static void count_read(void *context, sir_expr *e, bool written)
{
    (void)written;
    counting *n = context;
    if (e->kind == SIR_LOCAL && e != n->root)
        n->reads[e->index]++;
}

static void count_reads(void *context, sir_stmt *s)
{
    counting *n = context;
    sir_parts p = sir_stmt_parts(s);
    n->root = p.target == NULL ? NULL : sir_lvalue_root(*p.target);
    sir_visit_exprs(s, count_read, n);
}

void canon_count_loops(canon *c)
{
    counting n = {.c = c, .known = c->f->locals.len};
    n.reads = ARENA_ARRAY(c->scratch, size_t, n.known);
    sir_visit_stmts(&c->f->body, count_reads, &n);
    count_in(&n, &c->f->body);
}

// ---- Steps ----

// for i = 0 to 64 step 4 { push peek(i); push peek(i + 1) } pushes half an item a step: as for i = 0 to 16, of 4 * i, the
// position of each push is a whole number of i.
typedef struct evening {
    canon *c;
    const sir_stmt *loop;
    uint32_t fresh;
    int32_t lo, step;
} evening;

static void scale_local(void *context, sir_expr *e, bool written)
{
    const evening *v = context;
    if (written || !canon_is_local(e, v->loop->u.for_.local))
        return;
    canon *c = v->c;
    sir_expr *i = sir_ref(c->m, SIR_LOCAL, v->fresh, e->type, e->loc);
    sir_expr *scaled =
        sir_expr2(c->m, SIR_BINARY, LANG_OP_MUL, e->type, i, sir_const_int(c->m, v->step, e->loc), e->loc);
    if (v->lo != 0)
        scaled = sir_expr2(c->m, SIR_BINARY, LANG_OP_ADD, e->type, scaled, sir_const_int(c->m, v->lo, e->loc), e->loc);
    *e = *scaled;
}

static void scale_in(void *context, sir_stmt *s)
{
    sir_visit_exprs(s, scale_local, context);
}

static bool moves_unevenly(const sir_stmt *s)
{
    int32_t pops = 0, pushes = 0;
    for (size_t i = 0; i < s->u.for_.body.len; i++) {
        pops += s->u.for_.body.data[i]->kind == SIR_POP;
        pushes += s->u.for_.body.data[i]->kind == SIR_PUSH;
    }
    return pops % s->u.for_.step != 0 || pushes % s->u.for_.step != 0;
}

static void even_loop(void *context, sir_stmt *s)
{
    canon *c = context;
    if (s->kind != SIR_FOR || s->u.for_.lo->kind != SIR_CONST || s->u.for_.hi->kind != SIR_CONST || !moves_unevenly(s))
        return;
    int64_t lo = s->u.for_.lo->u.value.i, distance = s->u.for_.hi->u.value.i - lo, step = s->u.for_.step;
    int64_t trips = step > 0 ? (distance + step - 1) / step : (distance + step + 1) / step;
    if (trips <= 0)
        return;
    const sir_local *local = &c->f->locals.data[s->u.for_.local];
    evening v = {c, s, canon_fresh(c, local->name, local->type, local->loc), (int32_t)lo, (int32_t)step};
    sir_visit_stmts(&s->u.for_.body, scale_in, &v);
    s->u.for_.local = v.fresh;
    s->u.for_.lo = sir_const_int(c->m, 0, s->u.for_.lo->loc);
    s->u.for_.hi = sir_const_int(c->m, (int32_t)trips, s->u.for_.hi->loc);
    s->u.for_.step = 1;
}

void canon_even_loops(canon *c)
{
    sir_visit_stmts(&c->f->body, even_loop, c);
}

// ---- Remarks ----

typedef struct explaining {
    canon *c;
    diag_engine *d;
} explaining;

static void explain_stmt(void *context, sir_stmt *s)
{
    explaining *x = context;
    if (s->kind != SIR_LOOP || s->u.loop.cond == NULL || s->u.loop.post_test || s->u.loop.pre.len > 0)
        return;
    for (int swapped = 0; swapped < 2; swapped++) {
        count k;
        bool looks;
        const char *why = mismatch(x->c, s, swapped != 0, &k, &looks);
        if (!looks)
            continue;
        if (why == NULL)
            why = "its variable is used behind it, and its step is neither 1 nor -1";
        diag_remark(x->d, sir_range(x->c->m, x->d->sources, s->loc), "canonicalize: this loop is not counted: %s", why);
        return;
    }
}

void canon_explain_loops(canon *c, diag_engine *d)
{
    explaining x = {.c = c, .d = d};
    sir_visit_stmts(&c->f->body, explain_stmt, &x);
}
