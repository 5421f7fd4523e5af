// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass 'bundle': filters of a duplicating splitter that sum over the same window become one filter.
//
//     split duplicate;                            for (k = 0; k < 257; k++) {
//     add Fir(a); // sum += peek(k) * a[k]            sum += peek(k) * a[k];
//     add Fir(b); // sum += peek(k) * b[k]   ->       sum_2 += peek(k) * b[k];
//     join roundrobin;                            }
//                                                 push(sum); push(sum_2); pop();
//
// An item is loaded once for all of them, and a sum that waits for its last addition leaves time for the others.
//
// So are filters that take the same items one by one, and whose numbers wait for each other from trip to trip, such as those
// that look for a tone each (Goertzel): one waits while another goes on. Their pops become peeks for that.
//
// And filters that compute a few items of a window by statements in a row, such as the two halves of a wavelet: each alone
// would write every second item of what the joiner gives.
//
// And filters that a splitter deals items to one by one, where they sum over equal windows of what they get, such as the two
// parts of a complex signal: lanes would turn each item that lies there for each of them.
//
//     split roundrobin;                           sum += peek(2 * k) * a[k];
//     add Fir(a); add Fir(b);              ->     sum_2 += peek(2 * k + 1) * b[k];
//     join roundrobin;
//
// The filters have no state, look equally far and pop equally much, so the new one fires when each of them would. Where a
// joiner takes in a round what each pushes, one behind the other, it takes it from the new one; elsewhere a splitter deals
// it out. Initialisation, steady states and the end of input are what they were.
#include <string.h>

#include "hlc/ir/copy.h"
#include "hlc/ir/walk.h"
#include "hlc/passes/pass.h"
#include "hlc/plan/bit_lanes.h"

// Trips of a loop from which it pays; values that go from trip to trip, so that vectors of all stay in registers; bytes of
// a vector at least. Of values that wait for each other no more vectors are made than one, and more of them are needed.
// Where firings share no items, lanes turn what they take, for each filter anew: that is done once for as many sums as half of
// the registers, eight where nothing is known of these. Eight correlators of 64 items take .7 of the time, rows of a 64 by 64
// transform .4.
enum { BUNDLE_TRIPS = 8, BUNDLE_VALUES = 4, BUNDLE_WAITING = 16, BUNDLE_VECTOR = 16, BUNDLE_ALONE = 8 };
// Of statements in a row: items that each pops and pushes, and that all push, which C compilers' vectors take as they lie;
// nodes of each.
enum { ROW_ITEMS = 4, ROW_PUSHES = 8, ROW_NODES = 64 };

typedef VEC(uint32_t) numbers;

// A filter that can be in a bundle: statements, a loop, statements that pop nothing, and pops.
typedef struct member {
    size_t loop, pops;        // numbers of the loop and of the first statement that pops
    size_t values;            // locals that go from trip to trip
    const sir_expr *item;     // that the loop looks at first; NULL: it is no such filter
    const sir_function *work; // the filter's, or one that peeks where that pops
    bool waits;               // values wait for others of the trip before, or for more than one sum
    bool alone;               // sums of items that no other firing looks at
    bool row;                 // statements without a loop; `values` are what they push
} member;

typedef struct bundler {
    arena *a;
    hlc_program *hlc;
    sir_module *m;
    member *members; // by actor
    bool *gone_actor, *gone_channel;
    uint32_t *behind; // by actor: the splitter that is to stand behind it; 0: none
    size_t alone;     // sums that go together where firings share no items
    int32_t dealt;    // filters that items are dealt to in turn, of the bundle at hand; 1: all get them all
    bool any;
} bundler;

// ---- Which filters ----

typedef struct body_facts {
    const sir_expr *item; // the first that is peeked at
    bool pops, pushes, fails;
} body_facts;

static void look_at_expr(void *context, sir_expr *e, bool written)
{
    body_facts *b = context;
    if (e->kind == SIR_PEEK && b->item == NULL)
        b->item = e;
    // Whoever divides by zero is named.
    b->fails |= e->kind == SIR_ITER || (written && e->kind == SIR_FIELD) || sir_may_divide_by_zero(e);
}

static void look_at_stmt(void *context, sir_stmt *s)
{
    body_facts *b = context;
    b->pops |= s->kind == SIR_POP;
    b->pushes |= s->kind == SIR_PUSH;
    b->fails |= s->kind != SIR_DECL && s->kind != SIR_SET && s->kind != SIR_IF && s->kind != SIR_FOR &&
                s->kind != SIR_PUSH && (s->kind != SIR_POP || s->u.set.target != NULL);
    sir_visit_exprs(s, look_at_expr, b);
}

static body_facts facts_of(sir_stmt *s)
{
    body_facts b = {0};
    sir_block one = {.data = &s, .len = 1};
    sir_visit_stmts(&one, look_at_stmt, &b);
    return b;
}

typedef struct value_walk {
    const sir_function *work;
    bool *own, *seen; // per local: declared in the loop; assigned there and counted
    size_t values;
    bool waits; // a value comes of others, or of more than itself and something added
    bool fails;
} value_walk;

static void find_values(void *context, sir_stmt *s)
{
    value_walk *w = context;
    const sir_expr *root = s->kind == SIR_SET ? sir_lvalue_root(s->u.set.target) : NULL;
    if (root == NULL || root->kind != SIR_LOCAL || w->own[root->index] || w->seen[root->index])
        return;
    w->seen[root->index] = true;
    w->values++;
    w->fails |= w->work->locals.data[root->index].type->words != 1;
}

static bool comes_of_values(const value_walk *w, const sir_expr *e)
{
    if (e->kind == SIR_LOCAL)
        return w->seen[e->index];
    for (size_t i = 0; e->kind != SIR_CONST && i < sir_expr_arity(e); i++)
        if (comes_of_values(w, e->u.arg[i]))
            return true;
    return false;
}

static void find_waits(void *context, sir_stmt *s)
{
    value_walk *w = context;
    const sir_expr *value = s->kind == SIR_DECL ? s->u.decl.init : s->kind == SIR_SET ? s->u.set.value : NULL;
    if (value == NULL)
        return;
    const sir_expr *target = s->kind == SIR_SET ? s->u.set.target : NULL;
    bool sum = target != NULL && target->kind == SIR_LOCAL && value->kind == SIR_BINARY &&
               (value->op == LANG_OP_ADD || value->op == LANG_OP_SUB) && value->u.arg[0]->kind == SIR_LOCAL &&
               value->u.arg[0]->index == target->index;
    w->waits |= comes_of_values(w, sum ? value->u.arg[1] : value);
}

// Locals that a trip of the loop leaves to the next; 0 if there are none, or others than scalars.
static size_t values_of(const bundler *x, const sir_function *work, const sir_stmt *loop, bool *waits)
{
    value_walk w = {.work = work, .own = ARENA_ARRAY(x->a, bool, work->locals.len + 1)};
    w.seen = ARENA_ARRAY(x->a, bool, work->locals.len + 1);
    sir_declared_locals(&loop->u.for_.body, w.own);
    sir_visit_stmts(&loop->u.for_.body, find_values, &w);
    sir_visit_stmts(&loop->u.for_.body, find_waits, &w);
    *waits = w.waits;
    return w.fails ? 0 : w.values;
}

static bool is_long(const sir_stmt *s)
{
    const sir_expr *lo = s->u.for_.lo, *hi = s->u.for_.hi;
    if (s->kind != SIR_FOR || lo->kind != SIR_CONST || hi->kind != SIR_CONST || s->u.for_.step == 0)
        return false;
    return ((int64_t)hi->u.value.i - lo->u.value.i) / s->u.for_.step >= BUNDLE_TRIPS;
}

static member body_of(const bundler *x, const sir_function *work)
{
    member r = {.loop = work->body.len, .pops = work->body.len, .work = work}, none = {0};
    for (size_t i = 0; i < work->body.len; i++) {
        sir_stmt *s = work->body.data[i];
        body_facts b = facts_of(s);
        bool before = r.loop == work->body.len, popped = r.pops < work->body.len;
        if (b.fails || (b.pops && b.pushes) || (popped && !b.pops) || (before && (b.pops || b.pushes)))
            return none;
        if (b.pops && !popped)
            r.pops = i;
        if (before && s->kind == SIR_FOR) {
            r.loop = i;
            r.item = b.item;
            r.values = is_long(s) ? values_of(x, work, s, &r.waits) : 0;
        } else if (s->kind == SIR_FOR && b.item != NULL) {
            return none; // there would be more to put together
        }
    }
    bool pays = r.waits ? r.values <= BUNDLE_WAITING / 2 : r.values <= BUNDLE_VALUES;
    r.alone = !r.waits && work->peek.max <= work->pop.max;
    return r.item != NULL && r.values != 0 && pays ? r : none;
}

static bool may_be_row(const sir_function *work)
{
    return work->body.len <= ROW_NODES && work->peek.max > work->pop.max && work->pop.max <= ROW_ITEMS &&
           work->push.max > 0 && work->push.max <= ROW_ITEMS;
}

// The same of statements in a row, which peek, push, and pop at the end.
static member row_of(const sir_function *work)
{
    member r = {.loop = work->body.len, .pops = work->body.len, .work = work, .row = true}, none = {0};
    for (size_t i = 0; i < work->body.len; i++) {
        sir_stmt *s = work->body.data[i];
        body_facts b = facts_of(s);
        bool popped = r.pops < work->body.len;
        if (b.fails || s->kind == SIR_FOR || s->kind == SIR_IF || (popped && !b.pops))
            return none;
        r.pops = b.pops && !popped ? i : r.pops;
        r.item = r.item == NULL ? b.item : r.item;
    }
    r.values = (size_t)work->push.max;
    const bool pays = sir_count_nodes(&work->body) <= ROW_NODES && !pass_has_elementary(&work->body);
    return r.item != NULL && pays ? r : none;
}

static bool is_plain(const bundler *x, const sir_actor *a)
{
    const sir_filter *f = a->filter;
    if (a->kind != SIR_FILTER || a->inputs.len != 1 || a->outputs.len != 1 || a->least != 0 || f->stateful ||
        f->prework != NULL || f->handlers.len != 0 || f->functions.len != 0 || f->uses_iter || f->uses_random ||
        f->prints || f->sends || f->work->peek.dynamic || f->work->pop.dynamic || f->work->push.dynamic)
        return false;
    return f->work->pop.max != 0 && f->input->words == 1 && f->output->words == 1 && pass_rates_proved(x->m, f->work);
}

static bool equal_items(const sir_expr *a, const sir_expr *b, uint32_t a_local, uint32_t b_local)
{
    if (a->kind != b->kind || a->op != b->op || a->type != b->type)
        return false;
    switch (a->kind) {
    case SIR_CONST: return a->type->kind == SIR_INT && a->u.value.i == b->u.value.i;
    case SIR_LOCAL: return a->index == a_local && b->index == b_local;
    case SIR_PEEK:
    case SIR_UNARY:
    case SIR_BINARY: break;
    default: return false;
    }
    for (size_t i = 0; i < sir_expr_arity(a); i++)
        if (!equal_items(a->u.arg[i], b->u.arg[i], a_local, b_local))
            return false;
    return true;
}

static const sir_stmt *loop_of(const bundler *x, uint32_t actor)
{
    return x->members[actor].work->body.data[x->members[actor].loop];
}

// Whether both look at the same items in the same order.
static bool go_together(const bundler *x, uint32_t first, uint32_t second)
{
    const sir_filter *f = x->m->actors.data[first]->filter, *g = x->m->actors.data[second]->filter;
    if (x->members[second].item == NULL || f->input != g->input || f->output != g->output ||
        f->work->peek.max != g->work->peek.max || f->work->pop.max != g->work->pop.max ||
        x->members[first].waits != x->members[second].waits || x->members[first].row != x->members[second].row)
        return false;
    if (x->members[first].row)
        return true;
    const sir_stmt *s = loop_of(x, first), *t = loop_of(x, second);
    return s->u.for_.lo->u.value.i == t->u.for_.lo->u.value.i && s->u.for_.hi->u.value.i == t->u.for_.hi->u.value.i &&
           s->u.for_.step == t->u.for_.step &&
           equal_items(x->members[first].item, x->members[second].item, s->u.for_.local, t->u.for_.local);
}

// ---- One filter of several ----

// Which of the filters that items are dealt to.
typedef struct dealt_to {
    const bundler *x;
    int32_t turn;
    const sir_copier *copier;
} dealt_to;

static sir_expr *peek_dealt(void *context, const sir_expr *e)
{
    const dealt_to *d = context;
    sir_module *m = d->x->m;
    if (e->kind != SIR_PEEK)
        return NULL;
    sir_expr *at = sir_copy_expr(d->copier, e->u.arg[0]);
    at = sir_expr2(m, SIR_BINARY, LANG_OP_MUL, at->type, at, sir_const_int(m, d->x->dealt, e->loc), e->loc);
    at = sir_expr2(m, SIR_BINARY, LANG_OP_ADD, at->type, at, sir_const_int(m, d->turn, e->loc), e->loc);
    return sir_expr1(m, SIR_PEEK, 0, e->type, at, e->loc);
}

// What a filter does before its loop, in it and behind it goes to the ends of these. c: its copier afterwards.
static void add_member(bundler *x, sir_filter *to, sir_copier *c, uint32_t actor, int32_t turn, sir_stmt **loop,
                       sir_block *behind)
{
    sir_module *m = x->m;
    const sir_filter *f = m->actors.data[actor]->filter;
    const member *k = &x->members[actor];
    uint32_t *locals = ARENA_ARRAY(x->a, uint32_t, k->work->locals.len + 1);
    *c = (sir_copier){.arena = m->arena, .locals = locals, .field = pass_add_fields(m, to, f)};
    dealt_to dealt = {.x = x, .turn = turn, .copier = c};
    if (x->dealt > 1) {
        c->context = &dealt;
        c->expr = peek_dealt;
    }
    for (size_t i = 0; i < k->work->locals.len; i++) {
        const sir_local *l = &k->work->locals.data[i];
        bool shared = !k->row && *loop != NULL && i == loop_of(x, actor)->u.for_.local;
        locals[i] = shared ? (*loop)->u.for_.local : sir_local_new(m, to->work, l->name, l->type, l->loc);
    }
    if (k->row) {
        sir_copy_stmts(c, &k->work->body, 0, k->pops, &to->work->body);
        return;
    }
    sir_copy_stmts(c, &k->work->body, 0, k->loop, &to->work->body);
    sir_stmt *own = sir_copy_parts(c, k->work->body.data[k->loop]);
    if (*loop == NULL)
        *loop = own;
    else
        for (VEC_EACH(sir_stmt *, s, &own->u.for_.body))
            VEC_PUSH(m->arena, &(*loop)->u.for_.body, *s);
    sir_copy_stmts(c, &k->work->body, k->loop + 1, k->pops, behind);
    c->expr = NULL;
}

// ---- Pops as peeks ----

typedef struct tape_walk {
    size_t pops;
    bool peeks;
} tape_walk;

static void see_peek(void *context, sir_expr *e, bool written)
{
    tape_walk *w = context;
    (void)written;
    w->peeks |= e->kind == SIR_PEEK;
}

static void see_tape(void *context, sir_stmt *s)
{
    tape_walk *w = context;
    w->pops += s->kind == SIR_POP;
    sir_visit_exprs(s, see_peek, w);
}

// The statement of a block that pops into a local.
static size_t pop_in(const sir_block *b)
{
    size_t i = 0;
    while (i < b->len && (b->data[i]->kind != SIR_POP || b->data[i]->u.set.target == NULL ||
                          b->data[i]->u.set.target->kind != SIR_LOCAL))
        i++;
    return i;
}

// Where a firing pops all it does one by one in the trips of one loop: one that peeks there, and pops at its end. Others
// are given back.
static const sir_function *without_pops(bundler *x, const sir_function *f)
{
    sir_module *m = x->m;
    tape_walk all = {0};
    size_t at = 0;
    sir_visit_stmts(&f->body, see_tape, &all);
    while (at < f->body.len && f->body.data[at]->kind != SIR_FOR)
        at++;
    if (all.pops != 1 || all.peeks || at == f->body.len)
        return f;
    const sir_stmt *loop = f->body.data[at];
    const sir_expr *lo = loop->u.for_.lo, *hi = loop->u.for_.hi;
    size_t pop = pop_in(&loop->u.for_.body);
    if (lo->kind != SIR_CONST || lo->u.value.i != 0 || hi->kind != SIR_CONST || loop->u.for_.step != 1 ||
        hi->u.value.i != f->pop.max || f->peek.max != f->pop.max || pop == loop->u.for_.body.len)
        return f;
    sir_function *r = ARENA_NEW(m->arena, sir_function);
    *r = *f;
    r->locals.data = NULL;
    r->locals.len = r->locals.cap = 0;
    uint32_t *locals = ARENA_ARRAY(x->a, uint32_t, f->locals.len + 1);
    for (uint32_t i = 0; i < f->locals.len; i++) {
        const sir_local *l = &f->locals.data[i];
        locals[i] = sir_local_new(m, r, l->name, l->type, l->loc);
    }
    r->body = sir_copy_block(&(sir_copier){.arena = m->arena, .locals = locals}, &f->body);
    sir_stmt *s = r->body.data[at]->u.for_.body.data[pop];
    sir_expr *target = s->u.set.target;
    sir_expr *trip = sir_ref(m, SIR_LOCAL, locals[loop->u.for_.local], lo->type, s->loc);
    s->kind = SIR_SET;
    s->u.set.target = target;
    s->u.set.value = sir_expr1(m, SIR_PEEK, 0, target->type, trip, s->loc);
    sir_stmt *pops = sir_stmt_new(m, SIR_FOR, s->loc), *one = sir_stmt_new(m, SIR_POP, s->loc);
    pops->u.for_.local = sir_local_new(m, r, "i", lo->type, s->loc);
    pops->u.for_.lo = sir_const_int(m, 0, s->loc);
    pops->u.for_.hi = sir_const_int(m, hi->u.value.i, s->loc);
    pops->u.for_.step = 1;
    VEC_PUSH(m->arena, &pops->u.for_.body, one);
    VEC_PUSH(m->arena, &r->body, pops);
    return r;
}

// Where a firing drops what it takes before it does something that looks at no items: one that does so at its end. Others are
// given back.
static const sir_function *drops_last(bundler *x, const sir_function *f)
{
    sir_function *r = ARENA_NEW(x->m->arena, sir_function);
    sir_block pops = {0};
    *r = *f;
    r->body = (sir_block){0};
    for (VEC_EACH(sir_stmt *const, s, &f->body)) {
        const body_facts b = facts_of(*s);
        if (b.fails || (pops.len > 0 && b.item != NULL) || (b.pops && (b.item != NULL || b.pushes)))
            return f;
        VEC_PUSH(x->m->arena, b.pops ? &pops : &r->body, *s);
    }
    for (VEC_EACH(sir_stmt *const, s, &pops))
        VEC_PUSH(x->m->arena, &r->body, *s);
    return r;
}

typedef struct last_pops {
    bundler *x;
    sir_function *to;
    int64_t popped;
    bool fails;
} last_pops;

static sir_expr *peek_at(const last_pops *l, int64_t place, const sir_type *type, sir_loc loc)
{
    sir_module *m = l->x->m;
    return sir_expr1(m, SIR_PEEK, 0, type, sir_const_int(m, (int32_t)place, loc), loc);
}

static sir_expr *peek_farther(void *context, const sir_expr *e)
{
    last_pops *l = context;
    if (e->kind != SIR_PEEK)
        return NULL;
    l->fails |= e->u.arg[0]->kind != SIR_CONST;
    return l->fails ? NULL : peek_at(l, e->u.arg[0]->u.value.i + l->popped, e->type, e->loc);
}

// Items that a statement pops and drops; 0: it does something else.
static int64_t drops(const sir_stmt *s)
{
    int64_t trips = 1;
    const sir_stmt *one = s;
    if (s->kind == SIR_FOR && s->u.for_.body.len == 1 && sir_for_trips(s, &trips))
        one = s->u.for_.body.data[0];
    return one->kind == SIR_POP && one->u.set.target == NULL ? trips : 0;
}

// A firing that pops in statements of its own: one that peeks there, and pops at its end. Others are given back.
static const sir_function *with_pops_last(bundler *x, const sir_function *f)
{
    sir_module *m = x->m;
    sir_function *r = ARENA_NEW(m->arena, sir_function);
    *r = *f;
    r->locals.data = NULL;
    r->locals.len = r->locals.cap = 0;
    r->body = (sir_block){0};
    uint32_t *locals = ARENA_ARRAY(x->a, uint32_t, f->locals.len + 1);
    for (uint32_t i = 0; i < f->locals.len; i++) {
        const sir_local *l = &f->locals.data[i];
        locals[i] = sir_local_new(m, r, l->name, l->type, l->loc);
    }
    last_pops l = {.x = x, .to = r};
    const sir_copier c = {.arena = m->arena, .locals = locals, .context = &l, .expr = peek_farther};
    for (size_t i = 0; i < f->body.len && !l.fails; i++) {
        const sir_stmt *s = f->body.data[i];
        const int64_t dropped = drops(s);
        l.popped += dropped;
        l.fails |=
            dropped == 0 && s->kind != SIR_DECL && s->kind != SIR_SET && s->kind != SIR_PUSH && s->kind != SIR_POP;
        if (dropped == 0 && s->kind == SIR_POP) {
            sir_stmt *set = sir_stmt_new(m, SIR_SET, s->loc);
            set->u.set.target = sir_copy_expr(&c, s->u.set.target);
            set->u.set.value = peek_at(&l, l.popped++, s->u.set.target->type, s->loc);
            VEC_PUSH(m->arena, &r->body, set);
        } else if (dropped == 0) {
            sir_copy_stmts(&c, &f->body, i, i + 1, &r->body);
        }
    }
    if (l.fails || l.popped != f->pop.max)
        return f;
    for (int64_t i = 0; i < l.popped; i++)
        VEC_PUSH(m->arena, &r->body, sir_stmt_new(m, SIR_POP, f->loc));
    return r;
}

static const char *name_of(const sir_module *m, const numbers *bundle, const char *first, const char *last)
{
    return arena_printf(m->arena, bundle->len == 2 ? "%s_and_%s" : "%s_to_%s", first, last);
}

static sir_filter *make_filter(bundler *x, const numbers *bundle)
{
    sir_module *m = x->m;
    uint32_t end = bundle->data[bundle->len - 1];
    const sir_filter *first = m->actors.data[bundle->data[0]]->filter, *last = m->actors.data[end]->filter;
    sir_filter *r = ARENA_NEW(m->arena, sir_filter);
    *r = *first;
    memset(&r->fields, 0, sizeof r->fields);
    r->name = pass_unique_filter_name(m, m->arena, name_of(m, bundle, first->name, last->name));
    r->source = arena_printf(m->arena, bundle->len == 2 ? "%s and %s" : "%s to %s", first->source, last->source);
    r->work = ARENA_NEW(m->arena, sir_function);
    *r->work = *first->work;
    memset(&r->work->locals, 0, sizeof r->work->locals);
    r->work->body = (sir_block){0};
    r->work->push.min = r->work->push.max = 0;
    sir_copier c = {0};
    sir_stmt *loop = NULL;
    sir_block behind = {0};
    for (uint32_t i = 0; i < bundle->len; i++) {
        r->work->push.max += m->actors.data[bundle->data[i]]->filter->work->push.max;
        add_member(x, r, &c, bundle->data[i], (int32_t)i, &loop, &behind);
    }
    r->work->push.min = r->work->push.max;
    if (loop != NULL)
        VEC_PUSH(m->arena, &r->work->body, loop);
    for (VEC_EACH(sir_stmt *, s, &behind))
        VEC_PUSH(m->arena, &r->work->body, *s);
    const sir_function *work = x->members[end].work;
    for (int32_t i = 0; i < x->dealt; i++)
        sir_copy_stmts(&c, &work->body, x->members[end].pops, work->body.len, &r->work->body);
    r->work->peek.min = r->work->peek.max = first->work->peek.max * x->dealt;
    r->work->pop.min = r->work->pop.max = first->work->pop.max * x->dealt;
    VEC_PUSH(m->arena, &m->filters, r);
    return r;
}

// ---- The graph ----

static uint32_t join_of(const bundler *x, uint32_t actor)
{
    return x->m->channels.data[x->m->actors.data[actor]->outputs.data[0]].consumer;
}

static uint32_t join_port(const bundler *x, uint32_t actor)
{
    return x->m->channels.data[x->m->actors.data[actor]->outputs.data[0]].consumer_port;
}

// The filter at a splitter's output, if it can be in a bundle; SIR_NONE.
static uint32_t member_at(bundler *x, const sir_actor *split, size_t port)
{
    const sir_module *m = x->m;
    if (port >= split->outputs.len || split->outputs.data[port] == SIR_NONE)
        return SIR_NONE;
    const sir_channel *in = &m->channels.data[split->outputs.data[port]];
    const sir_actor *a = m->actors.data[in->consumer];
    if (!is_plain(x, a))
        return SIR_NONE;
    const sir_channel *out = &m->channels.data[a->outputs.data[0]];
    if (in->initial.len != 0 || in->zeros != NULL || out->initial.len != 0 || out->zeros != NULL)
        return SIR_NONE;
    member *k = &x->members[in->consumer];
    *k = body_of(x, drops_last(x, without_pops(x, a->filter->work)));
    if (k->alone && a->filter->input->kind == SIR_BIT) // hundreds of bits are a vector
        *k = (member){0};
    if (k->item == NULL && may_be_row(a->filter->work))
        *k = row_of(with_pops_last(x, a->filter->work));
    return x->members[in->consumer].item == NULL ? SIR_NONE : in->consumer;
}

// Filters at outputs in a row, from a port on.
static numbers row_from(bundler *x, const sir_actor *split, size_t port)
{
    numbers row = {0};
    for (uint32_t next; (next = member_at(x, split, port + row.len)) != SIR_NONE;) {
        if (row.len != 0 && !go_together(x, row.data[0], next))
            break;
        VEC_PUSH(x->a, &row, next);
    }
    return row;
}

// Whether a joiner takes what each of them pushes, one after the other.
static bool are_joined(const bundler *x, const numbers *bundle)
{
    uint32_t number = join_of(x, bundle->data[0]), port = join_port(x, bundle->data[0]);
    const sir_actor *join = x->m->actors.data[number];
    for (uint32_t i = 0; i < bundle->len; i++)
        if (join->kind != SIR_JOIN || join_of(x, bundle->data[i]) != number ||
            join_port(x, bundle->data[i]) != port + i ||
            join->weights.data[port + i] != x->m->actors.data[bundle->data[i]]->filter->work->push.max)
            return false;
    return true;
}

// The joiner takes all at one port, the first.
static void join_at_once(bundler *x, const numbers *bundle)
{
    sir_module *m = x->m;
    uint32_t port = join_port(x, bundle->data[0]);
    sir_actor *join = m->actors.data[join_of(x, bundle->data[0])];
    for (size_t i = 1; i < bundle->len; i++) {
        join->weights.data[port] += join->weights.data[port + i];
        x->gone_channel[m->actors.data[bundle->data[i]]->outputs.data[0]] = true;
    }
}

// A splitter deals out what they push to those who take it.
static void deal_out(bundler *x, const numbers *bundle)
{
    sir_module *m = x->m;
    arena *a = m->arena;
    const sir_actor *first = m->actors.data[bundle->data[0]];
    sir_actor *deal = ARENA_NEW(a, sir_actor);
    uint32_t number = (uint32_t)m->actors.len;
    *deal = (sir_actor){.kind = SIR_SPLIT, .item = first->filter->output, .region = first->region, .loc = first->loc};
    deal->name = pass_unique_actor_name(m, a, arena_printf(a, "%s_split", first->name));
    VEC_PUSH(a, &deal->inputs, SIR_NONE);
    for (uint32_t i = 0; i < bundle->len; i++) {
        const sir_actor *taken = m->actors.data[bundle->data[i]];
        sir_channel *out = &m->channels.data[taken->outputs.data[0]];
        VEC_PUSH(a, &deal->outputs, taken->outputs.data[0]);
        VEC_PUSH(a, &deal->weights, (uint32_t)taken->filter->work->push.max);
        out->producer = number;
        out->producer_port = i;
    }
    VEC_PUSH(a, &m->actors, deal);
    (void)sir_channel_connect(m, bundle->data[0], 0, number, 0, deal->item);
    x->behind[bundle->data[0]] = number;
}

// The filters become one, in the place of the first. What is no more keeps its ports until close_ports.
static void merge(bundler *x, const numbers *bundle)
{
    sir_module *m = x->m;
    sir_actor *first = m->actors.data[bundle->data[0]];
    const sir_actor *last = m->actors.data[bundle->data[bundle->len - 1]];
    sir_filter *filter = make_filter(x, bundle);
    diag_remark(x->hlc->diag, sir_range(m, x->hlc->sources, first->loc), "'%s' %s '%s' %s, and are one filter [bundle]",
                first->name, bundle->len == 2 ? "and" : "to", last->name,
                x->dealt > 1 ? "take items in turn" : "look at the same items");
    if (are_joined(x, bundle))
        join_at_once(x, bundle);
    else
        deal_out(x, bundle);
    for (size_t i = 1; i < bundle->len; i++) {
        x->gone_actor[bundle->data[i]] = true;
        x->gone_channel[m->actors.data[bundle->data[i]]->inputs.data[0]] = true;
    }
    first->filter = filter;
    first->name = pass_unique_actor_name(m, m->arena, name_of(m, bundle, first->name, last->name));
    x->any = true;
}

// When a message arrives depends on the ways that items go. Where a joiner takes all at once, its firing depends on the same
// firing of each of them, so that nothing before and behind them depends on each other in another way than it did.
// Of statements in a row the joiner is what gains.
static bool may_merge(const bundler *x, const numbers *bundle)
{
    return (x->m->portals.len == 0 && !x->members[bundle->data[0]].row) || are_joined(x, bundle);
}

static size_t room_for(const bundler *x, const member *k)
{
    return k->row ? ROW_PUSHES : k->waits ? BUNDLE_WAITING : k->alone ? x->alone : BUNDLE_VALUES;
}

// As many bundles as a row needs, of like sizes.
static void merge_row(bundler *x, const numbers *row)
{
    size_t values = 0, begin = 0, room = room_for(x, &x->members[row->data[0]]);
    for (VEC_EACH(uint32_t, actor, row))
        values += x->members[*actor].values;
    size_t bundles = (values + room - 1) / room, most = (values + bundles - 1) / bundles;
    while (begin < row->len) {
        numbers bundle = {0};
        for (size_t sum = 0; begin < row->len; begin++) {
            sum += x->members[row->data[begin]].values;
            if (bundle.len != 0 && sum > most)
                break;
            VEC_PUSH(x->a, &bundle, row->data[begin]);
        }
        if (bundle.len > 1 && may_merge(x, &bundle))
            merge(x, &bundle);
    }
}

// Takes the ports of channels that are gone away from a splitter or a joiner.
static void close_ports(const bundler *x, sir_actor *a)
{
    bool join = a->kind == SIR_JOIN;
    sir_module *m = x->m;
    size_t count = join ? a->inputs.len : a->outputs.len, kept = 0;
    uint32_t *ports = join ? a->inputs.data : a->outputs.data;
    for (size_t i = 0; i < count; i++) {
        if (ports[i] != SIR_NONE && x->gone_channel[ports[i]])
            continue;
        if (ports[i] != SIR_NONE)
            *(join ? &m->channels.data[ports[i]].consumer_port : &m->channels.data[ports[i]].producer_port) =
                (uint32_t)kept;
        if (a->weights.len != 0)
            a->weights.data[kept] = a->weights.data[i];
        ports[kept++] = ports[i];
    }
    if (a->weights.len != 0)
        a->weights.len = kept;
    if (join)
        a->inputs.len = kept;
    else
        a->outputs.len = kept;
}

// A splitter of one output and a joiner of one input do nothing.
static void drop_single(bundler *x, uint32_t number)
{
    sir_module *m = x->m;
    const sir_actor *a = m->actors.data[number];
    if (a->inputs.len != 1 || a->outputs.len != 1)
        return;
    uint32_t in = a->inputs.data[0], out = a->outputs.data[0];
    sir_channel *c = &m->channels.data[a->kind == SIR_SPLIT ? in : out];
    const sir_channel *gone = &m->channels.data[a->kind == SIR_SPLIT ? out : in];
    if (a->kind == SIR_SPLIT) {
        c->consumer = gone->consumer;
        c->consumer_port = gone->consumer_port;
        m->actors.data[c->consumer]->inputs.data[c->consumer_port] = in;
        x->gone_channel[out] = true;
    } else {
        c->producer = gone->producer;
        c->producer_port = gone->producer_port;
        m->actors.data[c->producer]->outputs.data[c->producer_port] = out;
        x->gone_channel[in] = true;
    }
    x->gone_actor[number] = true;
}

// The splitter deals what they take to the first.
static void deal_at_once(sir_actor *split, size_t port, size_t count)
{
    for (size_t i = 1; i < count; i++)
        split->weights.data[port] += split->weights.data[port + i];
}

static bool are_equal(const bundler *x, const numbers *row)
{
    for (VEC_EACH(const uint32_t, actor, row))
        if (x->m->actors.data[*actor]->filter != x->m->actors.data[row->data[0]]->filter)
            return false;
    return true;
}

// Filters that a splitter deals items to one by one, where a joiner takes what each pushes. Of equal ones that take an item a firing
// lanes lie side by side as they are.
static void bundle_dealt(bundler *x, sir_actor *split)
{
    for (VEC_EACH(const uint32_t, weight, &split->weights))
        if (*weight != 1)
            return;
    const numbers row = row_from(x, split, 0);
    const member *k = row.len == 0 ? NULL : &x->members[row.data[0]];
    if (row.len < 2 || row.len != split->outputs.len || k->row || k->waits || k->alone || k->values > 1 ||
        (x->m->actors.data[row.data[0]]->filter->work->pop.max < 2 && are_equal(x, &row)))
        return;
    size_t bundles = (row.len + x->alone - 1) / x->alone, most = (row.len + bundles - 1) / bundles;
    for (size_t begin = 0; begin < row.len; begin += most) {
        numbers bundle = {0};
        for (size_t i = begin; i < row.len && i < begin + most; i++)
            VEC_PUSH(x->a, &bundle, row.data[i]);
        if (bundle.len < 2 || !are_joined(x, &bundle))
            continue;
        x->dealt = (int32_t)bundle.len;
        merge(x, &bundle);
        deal_at_once(split, begin, bundle.len);
        x->dealt = 1;
    }
}

static void bundle_splitter(bundler *x, uint32_t number)
{
    sir_actor *split = x->m->actors.data[number];
    if (split->kind != SIR_SPLIT || pass_in_loop(x->m, split->region))
        return;
    if (!split->duplicate) {
        bundle_dealt(x, split);
        return;
    }
    for (size_t port = 0; port < split->outputs.len;) {
        numbers row = row_from(x, split, port);
        port += row.len == 0 ? 1 : row.len;
        if (row.len > 1)
            merge_row(x, &row);
    }
}

// Where one processor has vectors and a cache: elsewhere filters that are apart can run at the same time, or tables of
// several may not fit where those of one do. Without a machine, wherever it can be done.
static bool pays(const hlc_program *p)
{
    const machine_processor *x = plan_bit_processor(p);
    return x == NULL || (machine_vector_bytes(x) >= BUNDLE_VECTOR && x->caches.len != 0 && !pass_shares_out(p));
}

static size_t alone_of(const hlc_program *p)
{
    const int64_t half = p->config->vector_registers / 2;
    return half > BUNDLE_ALONE ? (size_t)half : BUNDLE_ALONE;
}

bool pass_bundle(hlc_program *p)
{
    sir_module *m = p->module;
    if (!pass_may_change_more(p) || !pays(p))
        return false;
    bundler x = {.a = arena_create(), .hlc = p, .m = m, .alone = alone_of(p), .dealt = 1};
    size_t count = m->actors.len; // for two filters a splitter may come
    x.members = ARENA_ARRAY(x.a, member, count + 1);
    x.behind = ARENA_ARRAY(x.a, uint32_t, count + 1);
    x.gone_actor = ARENA_ARRAY(x.a, bool, 2 * count + 1);
    x.gone_channel = ARENA_ARRAY(x.a, bool, m->channels.len + count + 1);
    for (uint32_t i = 0; i < count; i++)
        bundle_splitter(&x, i);
    for (uint32_t i = 0; x.any && i < m->actors.len; i++) {
        sir_actor *a = m->actors.data[i];
        if (a->kind != SIR_SPLIT && a->kind != SIR_JOIN)
            continue;
        size_t before = a->inputs.len + a->outputs.len;
        close_ports(&x, a);
        if (a->inputs.len + a->outputs.len != before)
            drop_single(&x, i);
    }
    if (x.any) {
        pass_put_behind(m, x.a, (uint32_t)count, x.behind, x.gone_actor);
        pass_sweep(m, x.a, x.gone_actor, x.gone_channel);
        pass_tidy(m);
    }
    arena_destroy(x.a);
    return x.any;
}
