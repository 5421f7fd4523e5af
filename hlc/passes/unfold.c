// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass 'unfold': a loop whose variable doubles, halves or goes on otherwise than by adding a constant is written out,
// trip by trip, where all its values are known. Loops inside, which count up to it or by it, are then counted loops.
//
//     var %len = 2                                   for %b = 0 to 16 step 2 {
//     loop while %len <= 16 {                            for %k = 0 to 1 { .. }
//         var %b = 0                                 }
//         loop while %b < 16 {                       for %b = 0 to 16 step 4 {
//             for %k = 0 to %len / 2 { .. }   ->         for %k = 0 to 2 { .. }
//         } step { %b = %b + %len }                  }
//     } step { %len = %len * 2 }                     and so on
//
// So it is with transforms, sorting networks and bitonic stages. A counted loop is written out where a loop inside counts by
// what depends on its variable, such as 1 << %s. Outer loops go first; what is inside is looked at again in the normal form.
#include "hlc/ir/copy.h"
#include "hlc/ir/walk.h"
#include "hlc/passes/canonicalize.h"
#include "hlc/passes/pass.h"

// Trips of a loop at most; expressions that a filter gets more; how deep such loops nest.
enum { UNFOLD_TRIPS = 20, UNFOLD_NODES = 6000, UNFOLD_DEPTH = 6 };

typedef struct unfolding {
    arena *a;
    hlc_program *hlc;
    sir_module *m;
    sir_filter *filter;
    sir_function *f;
    int64_t nodes; // that may still be added
    // Of the trip that is copied.
    uint32_t *locals;
    uint32_t variable;
    int32_t at;
    bool changed;
} unfolding;

typedef struct trips {
    int32_t value[UNFOLD_TRIPS];
    size_t count;
    int32_t end; // the variable's value behind the loop
} trips;

// ---- Values ----

// Of an expression of the variable and constants.
static bool value_of(const sir_expr *e, uint32_t variable, int32_t now, int32_t *value)
{
    sir_scalar r;
    int32_t x[2];
    if (e->kind == SIR_LOCAL && e->index == variable) {
        *value = now;
        return true;
    }
    if (e->kind == SIR_CONST && (e->type->kind == SIR_INT || e->type->kind == SIR_BOOLEAN)) {
        *value = e->u.value.i;
        return true;
    }
    if (e->kind != SIR_BINARY || e->u.arg[0]->type->kind != SIR_INT || !value_of(e->u.arg[0], variable, now, &x[0]) ||
        !value_of(e->u.arg[1], variable, now, &x[1]) ||
        !sir_eval_binary((lang_binary_op)e->op, e->u.arg[0]->type, (sir_scalar){.i = x[0]}, (sir_scalar){.i = x[1]},
                         &r))
        return false;
    *value = r.i;
    return true;
}

static bool assigns(const sir_block *b, uint32_t local);

static bool stmt_assigns(const sir_stmt *s, uint32_t local)
{
    sir_parts parts = sir_stmt_parts((sir_stmt *)s);
    const sir_expr *root = parts.target != NULL ? sir_lvalue_root(*parts.target) : NULL;
    if ((root != NULL && root->kind == SIR_LOCAL && root->index == local) ||
        (s->kind == SIR_FOR && s->u.for_.local == local) || (s->kind == SIR_DECL && s->u.decl.local == local))
        return true;
    for (uint8_t i = 0; i < parts.block_count; i++)
        if (assigns(parts.block[i], local))
            return true;
    return false;
}

static bool assigns(const sir_block *b, uint32_t local)
{
    for (size_t i = 0; i < b->len; i++)
        if (stmt_assigns(b->data[i], local))
            return true;
    return false;
}

// What a local holds before statement `at` of the block, as a constant.
static bool constant_before(const sir_block *b, size_t at, uint32_t local, int32_t *value)
{
    for (size_t i = at; i-- > 0;) {
        const sir_stmt *s = b->data[i];
        const sir_expr *e = NULL;
        if (!stmt_assigns(s, local))
            continue;
        if (s->kind == SIR_DECL)
            e = s->u.decl.init;
        else if (s->kind == SIR_SET && s->u.set.target->kind == SIR_LOCAL)
            e = s->u.set.value;
        if (e == NULL || e->kind != SIR_CONST)
            return false;
        *value = e->u.value.i;
        return true;
    }
    return false;
}

// What makes a loop go on: one statement, its step or the last one of its body, that sets a local.
typedef struct going {
    uint32_t variable;
    const sir_expr *next; // of the variable and constants, as far as this is known
    sir_block body;       // without that statement
} going;

static bool goes_on(const sir_stmt *s, going *g)
{
    const sir_block *steps = s->u.loop.step.len != 0 ? &s->u.loop.step : &s->u.loop.body;
    bool own = steps == &s->u.loop.step;
    const sir_stmt *step = steps->len == 0 || (own && steps->len != 1) ? NULL : steps->data[steps->len - 1];
    if (s->u.loop.post_test || s->u.loop.pre.len != 0 || step == NULL || step->kind != SIR_SET ||
        step->u.set.target->kind != SIR_LOCAL || step->u.set.target->type->kind != SIR_INT)
        return false;
    *g = (going){step->u.set.target->index, step->u.set.value, s->u.loop.body};
    g->body.len -= own ? 0 : 1;
    return !assigns(&g->body, g->variable);
}

static bool adds_constant(const sir_expr *v)
{
    return v->kind == SIR_BINARY && (v->op == LANG_OP_ADD || v->op == LANG_OP_SUB) &&
           (v->u.arg[0]->kind == SIR_CONST || v->u.arg[1]->kind == SIR_CONST);
}

static bool find_trips(const sir_block *b, size_t at, const going *g, trips *t)
{
    int32_t now, more;
    *t = (trips){0};
    if (adds_constant(g->next) || !constant_before(b, at, g->variable, &now))
        return false;
    while (value_of(b->data[at]->u.loop.cond, g->variable, now, &more)) {
        t->end = now;
        if (more == 0)
            return t->count > 0;
        if (t->count == UNFOLD_TRIPS)
            return false;
        t->value[t->count++] = now;
        if (!value_of(g->next, g->variable, now, &now))
            return false;
    }
    return false;
}

static void note_step(void *context, sir_stmt *s)
{
    going g;
    const sir_expr *v = s->kind == SIR_LOOP && goes_on(s, &g) ? g.next : NULL;
    if (v != NULL && v->kind == SIR_BINARY && (v->op == LANG_OP_ADD || v->op == LANG_OP_SUB))
        *(bool *)context |= v->u.arg[0]->kind != SIR_CONST && v->u.arg[1]->kind != SIR_CONST;
}

// A counted loop with a loop inside that counts by what is no constant.
static bool find_counted_trips(const sir_stmt *s, trips *t)
{
    bool any = false;
    *t = (trips){0};
    if (s->u.for_.lo->kind != SIR_CONST || s->u.for_.hi->kind != SIR_CONST)
        return false;
    sir_visit_stmts(&s->u.for_.body, note_step, &any);
    int64_t hi = s->u.for_.hi->u.value.i, step = s->u.for_.step;
    for (int64_t i = s->u.for_.lo->u.value.i; any && (step > 0 ? i < hi : i > hi); i += step) {
        if (t->count == UNFOLD_TRIPS)
            return false;
        t->value[t->count++] = (int32_t)i;
    }
    return t->count > 0;
}

// ---- Copies ----

static sir_expr *known_value(void *context, const sir_expr *e)
{
    unfolding *x = context;
    bool known = e->kind == SIR_LOCAL && e->index == x->variable;
    return known ? sir_const_int(x->m, x->at, e->loc) : NULL;
}

static void own_local(void *context, uint32_t local)
{
    unfolding *x = context;
    const sir_local l = x->f->locals.data[local];
    x->locals[local] = sir_local_new(x->m, x->f, l.name, l.type, l.loc);
}

static void write_out(unfolding *x, const sir_block *body, uint32_t variable, const trips *t, sir_block *to)
{
    size_t count = x->f->locals.len;
    x->variable = variable;
    for (size_t i = 0; i < t->count; i++) {
        x->locals = ARENA_ARRAY(x->a, uint32_t, count + 1);
        for (size_t k = 0; k < count; k++)
            x->locals[k] = (uint32_t)k;
        x->at = t->value[i];
        const sir_copier c = {
            .arena = x->m->arena, .locals = x->locals, .context = x, .expr = known_value, .declare = own_local};
        sir_copy_stmts(&c, body, 0, body->len, to);
    }
}

// ---- Loops ----

typedef struct looked_at {
    int64_t nodes;
    bool leaves;
} looked_at;

static void count_node(void *context, sir_expr *e, bool written)
{
    (void)e, (void)written;
    ((looked_at *)context)->nodes++;
}

static void look_at(void *context, sir_stmt *s)
{
    looked_at *l = context;
    l->leaves |= s->kind == SIR_BREAK || s->kind == SIR_CONTINUE || s->kind == SIR_RETURN;
    sir_visit_exprs(s, count_node, l);
}

static bool pays(unfolding *x, const sir_block *body, const trips *t)
{
    looked_at l = {.nodes = 1};
    sir_visit_stmts(body, look_at, &l);
    int64_t more = l.nodes * (int64_t)t->count;
    if (l.leaves || more > x->nodes)
        return false;
    x->nodes -= more;
    return true;
}

static void tell(const unfolding *x, const sir_stmt *s, const trips *t)
{
    if (x->hlc->diag->remarks)
        diag_remark(x->hlc->diag, sir_range(x->m, x->hlc->sources, s->loc),
                    "'%s': this loop of %zu trip%s is written out, since loops inside count by its variable [unfold]",
                    x->filter->name, t->count, t->count == 1 ? "" : "s");
}

static void note_loop(void *context, sir_stmt *s)
{
    *(bool *)context |= s->kind == SIR_LOOP || s->kind == SIR_FOR;
}

static bool unfold_stmt(unfolding *x, const sir_block *b, size_t at, sir_block *to)
{
    sir_stmt *s = b->data[at];
    going g;
    trips t;
    bool inside = false;
    if (s->kind == SIR_FOR && find_counted_trips(s, &t) && pays(x, &s->u.for_.body, &t)) {
        write_out(x, &s->u.for_.body, s->u.for_.local, &t, to);
        tell(x, s, &t);
        return true;
    }
    if (s->kind != SIR_LOOP || !goes_on(s, &g) || !find_trips(b, at, &g, &t))
        return false;
    sir_visit_stmts(&g.body, note_loop, &inside);
    if (!inside || !pays(x, &g.body, &t))
        return false;
    write_out(x, &g.body, g.variable, &t, to);
    sir_stmt *end = sir_stmt_new(x->m, SIR_SET, s->loc);
    end->u.set.target = sir_ref(x->m, SIR_LOCAL, g.variable, x->m->scalar[SIR_INT], s->loc);
    end->u.set.value = sir_const_int(x->m, t.end, s->loc);
    VEC_PUSH(x->m->arena, to, end);
    tell(x, s, &t);
    return true;
}

static void unfold_block(unfolding *x, sir_block *b)
{
    sir_block to = {0};
    for (size_t at = 0; at < b->len; at++) {
        if (unfold_stmt(x, b, at, &to)) {
            x->changed = true;
            continue;
        }
        sir_parts parts = sir_stmt_parts(b->data[at]);
        for (uint8_t i = 0; i < parts.block_count; i++)
            unfold_block(x, parts.block[i]);
        VEC_PUSH(x->m->arena, &to, b->data[at]);
    }
    *b = to;
}

bool pass_unfold(hlc_program *p)
{
    bool changed = false, more = true;
    if (!pass_may_change_more(p) || !pass_has_vectors(p))
        return false;
    arena *a = arena_create();
    int64_t *nodes = ARENA_ARRAY(a, int64_t, p->module->filters.len + 1);
    for (size_t i = 0; i < p->module->filters.len; i++)
        nodes[i] = UNFOLD_NODES;
    for (int depth = 0; more && depth < UNFOLD_DEPTH; depth++) {
        more = false;
        for (size_t i = 0; i < p->module->filters.len; i++) {
            sir_filter *f = p->module->filters.data[i];
            if (f->work == NULL || f->finite)
                continue;
            unfolding x = {.a = a, .hlc = p, .m = p->module, .filter = f, .f = f->work, .nodes = nodes[i]};
            unfold_block(&x, &f->work->body);
            nodes[i] = x.nodes;
            more |= x.changed;
        }
        if (more)
            sir_canonicalize(p->module, &(canon_options){0});
        changed |= more;
    }
    arena_destroy(a);
    return changed;
}
