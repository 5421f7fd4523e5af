// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass 'decimate': what a filter computes and the next one drops is not computed.
//
//     Fir (pop 1 peek 64 push 1) -> Compress (pop 8 push 1: the first of eight)
//     Fir (pop 8 peek 71 push 1) -> Compress (pop 1 push 1)
//
// The first filter must have no state and must not stop the program, so that nobody misses a firing. It then fires once
// for each firing of the second: rates and least primings work out as before, so initialisation, steady states and what
// is left when input ends are the same.
#include <inttypes.h>
#include <string.h>

#include "hlc/ir/copy.h"
#include "hlc/ir/walk.h"
#include "hlc/passes/pass.h"

// Copies of the first filter's body at most; items of a firing of the second that are followed one by one.
enum { DECIMATE_COPIES = 4, DECIMATE_ITEMS = 1 << 16, DECIMATE_STEPS = 1 << 18 };

// What the second filter does with the items of a firing.
typedef struct uses {
    bool *taken;           // by position
    int64_t count, popped; // items of a firing; those popped so far
    int64_t steps;
    bool unclear;
} uses;

// ---- The filter that drops ----

static void find_input(void *context, sir_expr *e, bool written)
{
    (void)written;
    *(bool *)context |= e->kind == SIR_PEEK;
}

static void find_pops(void *context, sir_stmt *s)
{
    *(bool *)context |= s->kind == SIR_POP || s->kind == SIR_CALL;
    sir_visit_exprs(s, find_input, context);
}

static bool touches_input(const sir_block *b)
{
    bool found = false;
    sir_visit_stmts(b, find_pops, &found);
    return found;
}

static void follow(uses *u, const sir_block *b);

static void follow_for(uses *u, const sir_stmt *s)
{
    const sir_expr *lo = s->u.for_.lo, *hi = s->u.for_.hi;
    if (!touches_input(&s->u.for_.body))
        return;
    if (lo->kind != SIR_CONST || hi->kind != SIR_CONST) {
        u->unclear = true;
        return;
    }
    int64_t step = s->u.for_.step, end = hi->u.value.i;
    for (int64_t i = lo->u.value.i; !u->unclear && (step > 0 ? i < end : i > end); i += step)
        follow(u, &s->u.for_.body);
}

static void follow(uses *u, const sir_block *b)
{
    for (size_t i = 0; i < b->len && !u->unclear; i++) {
        sir_stmt *s = b->data[i];
        u->unclear = ++u->steps > DECIMATE_STEPS;
        bool peeks = false;
        sir_visit_exprs(s, find_input, &peeks);
        if (peeks || s->kind == SIR_CALL) {
            u->unclear = true;
        } else if (s->kind == SIR_POP) {
            if (u->popped >= u->count)
                u->unclear = true;
            else
                u->taken[u->popped++] = s->u.set.target != NULL;
        } else if (s->kind == SIR_FOR) {
            follow_for(u, s);
        } else if (s->kind == SIR_BLOCK) {
            follow(u, &s->u.block);
        } else if (s->kind == SIR_IF) {
            u->unclear |= touches_input(&s->u.if_.then) || touches_input(&s->u.if_.otherwise);
        } else if (s->kind == SIR_LOOP) {
            u->unclear |=
                touches_input(&s->u.loop.pre) || touches_input(&s->u.loop.body) || touches_input(&s->u.loop.step);
        }
    }
}

// The block without the pops that nobody takes, as a copy as far as it changes.
static sir_block without_drops(sir_module *m, const sir_block *b)
{
    sir_block r = {0};
    for (size_t i = 0; i < b->len; i++) {
        sir_stmt *s = b->data[i];
        if (s->kind == SIR_POP && s->u.set.target == NULL)
            continue;
        if ((s->kind == SIR_FOR && touches_input(&s->u.for_.body)) || s->kind == SIR_BLOCK) {
            sir_stmt *copy = ARENA_NEW(m->arena, sir_stmt);
            *copy = *s;
            sir_block *inner = s->kind == SIR_FOR ? &copy->u.for_.body : &copy->u.block;
            *inner = without_drops(m, inner);
            if (inner->len == 0)
                continue;
            s = copy;
        }
        VEC_PUSH(m->arena, &r, s);
    }
    return r;
}

// ---- The filter whose firings nobody misses ----

typedef struct misses {
    bool yes; // somebody would
} misses;

static void find_trap(void *context, sir_expr *e, bool written)
{
    (void)written;
    misses *x = context;
    x->yes |= e->kind == SIR_ITER || sir_may_divide_by_zero(e);
}

static void find_effect(void *context, sir_stmt *s)
{
    misses *x = context;
    x->yes |= s->kind == SIR_CALL || s->kind == SIR_LOOP || s->kind == SIR_PRINT || s->kind == SIR_RANDOM ||
              s->kind == SIR_SEND || s->kind == SIR_RETURN || s->kind == SIR_BREAK || s->kind == SIR_CONTINUE;
    sir_visit_exprs(s, find_trap, x);
}

bool pass_rates_proved(const sir_module *m, const sir_function *f)
{
    sir_rate_bounds r = sir_function_rates(m, f);
    return !f->pop.dynamic && !f->peek.dynamic && !f->push.dynamic && r.pop_min == f->pop.max &&
           r.pop_max == f->pop.max && r.push_min == f->push.max && r.push_max == f->push.max && r.reach >= 0 &&
           r.reach <= f->peek.max;
}

static bool may_be_left_out(const sir_module *m, const sir_filter *f)
{
    misses x = {0};
    sir_visit_stmts(&f->work->body, find_effect, &x);
    return !x.yes && !f->stateful && !f->uses_iter && f->prework == NULL && f->handlers.len == 0 &&
           f->work->push.max == 1 && f->work->pop.max > 0 && pass_rates_proved(m, f->work);
}

// ---- The change ----

typedef struct decimator {
    arena *a;
    hlc_program *hlc;
    sir_module *m;
    hmap made;  // pairs of filters that were looked at: instances share what came of them
    hmap names; // of filters
} decimator;

static sir_filter *copy_filter(decimator *d, const sir_filter *f)
{
    arena *a = d->m->arena;
    sir_filter *r = pass_copy_filter(d->m, f);
    for (uint32_t n = 2; hmap_get(&d->names, r->name) != NULL; n++)
        r->name = arena_printf(a, "%s_%" PRIu32, f->name, n);
    hmap_set(&d->names, r->name, r);
    VEC_PUSH(a, &d->m->filters, r);
    return r;
}

static void set_rate(sir_rate *r, int64_t n)
{
    r->min = r->max = n;
}

static sir_stmt *pops(sir_module *m, sir_function *f, int64_t n)
{
    sir_stmt *s = sir_stmt_new(m, SIR_FOR, f->loc);
    s->u.for_.local = sir_local_new(m, f, "i", m->scalar[SIR_INT], f->loc);
    s->u.for_.lo = sir_const_int(m, 0, f->loc);
    s->u.for_.hi = sir_const_int(m, (int32_t)n, f->loc);
    s->u.for_.step = 1;
    VEC_PUSH(m->arena, &s->u.for_.body, sir_stmt_new(m, SIR_POP, f->loc));
    return s;
}

// A firing for each of the second filter's: what is taken is computed, of the others the items go.
static sir_filter *make_first(decimator *d, const sir_filter *f, const uses *u)
{
    sir_module *m = d->m;
    sir_filter *r = copy_filter(d, f);
    int64_t pop = f->work->pop.max, taken = 0, dropped = 0;
    r->work->body = (sir_block){0};
    for (int64_t i = 0; i < u->count; i++) {
        dropped += u->taken[i] ? 0 : pop;
        if (dropped > 0 && (u->taken[i] || i + 1 == u->count)) {
            VEC_PUSH(m->arena, &r->work->body, pops(m, r->work, dropped));
            dropped = 0;
        }
        if (!u->taken[i])
            continue;
        sir_stmt *s = sir_stmt_new(m, SIR_BLOCK, f->work->loc);
        s->u.block = sir_copy_block(&(sir_copier){.arena = m->arena}, &f->work->body);
        VEC_PUSH(m->arena, &r->work->body, s);
        taken++;
    }
    set_rate(&r->work->peek, f->work->peek.max + (u->count - 1) * pop);
    set_rate(&r->work->pop, u->count * pop);
    set_rate(&r->work->push, taken);
    return r;
}

static sir_filter *make_second(decimator *d, const sir_filter *f, int64_t taken)
{
    sir_filter *r = copy_filter(d, f);
    r->work->body = without_drops(d->m, &r->work->body);
    set_rate(&r->work->peek, taken);
    set_rate(&r->work->pop, taken);
    return r;
}

// ---- Where ----

static bool is_plain(const sir_module *m, uint32_t actor)
{
    const sir_actor *a = m->actors.data[actor];
    if (a->kind != SIR_FILTER || a->inputs.len != 1 || a->outputs.len != 1 || a->least != 0 ||
        pass_in_loop(m, a->region))
        return false;
    for (VEC_EACH(sir_portal, p, &m->portals))
        for (VEC_EACH(uint32_t, receiver, &p->receivers))
            if (*receiver == actor)
                return false;
    return true;
}

typedef struct made {
    sir_filter *first, *second; // NULL: it cannot be done
    int64_t count, taken;
} made;

static const made *make(decimator *d, const sir_filter *f, const sir_filter *g)
{
    const sir_filter *key[2] = {f, g};
    made *x = hmap_getn(&d->made, key, sizeof key);
    if (x != NULL)
        return x;
    x = ARENA_NEW(d->a, made);
    hmap_setn(&d->made, key, sizeof key, x);
    uses u = {.count = g->work->pop.max};
    if (u.count < 2 || u.count > DECIMATE_ITEMS || f->work->pop.max > INT32_MAX / u.count || g->prework != NULL ||
        g->work->pop.dynamic || g->work->peek.max != u.count || !may_be_left_out(d->m, f) ||
        !pass_rates_proved(d->m, g->work))
        return x;
    u.taken = ARENA_ARRAY(d->a, bool, u.count);
    follow(&u, &g->work->body);
    for (int64_t i = 0; i < u.count; i++)
        x->taken += u.taken[i];
    x->count = u.count;
    if (u.unclear || u.popped != u.count || x->taken == 0 || x->taken == u.count || x->taken > DECIMATE_COPIES)
        return x;
    x->first = make_first(d, f, &u);
    x->second = make_second(d, g, x->taken);
    return x;
}

static bool decimate_at(decimator *d, const sir_channel *c)
{
    sir_module *m = d->m;
    if (c->initial.len != 0 || !is_plain(m, c->producer) || !is_plain(m, c->consumer))
        return false;
    sir_actor *first = m->actors.data[c->producer], *second = m->actors.data[c->consumer];
    const made *x = make(d, first->filter, second->filter);
    if (x->first == NULL)
        return false;
    if (d->hlc->diag->remarks)
        diag_remark(d->hlc->diag, sir_range(m, d->hlc->sources, second->loc),
                    "'%s' takes %" PRId64 " of %" PRId64 " items; '%s' computes no others [decimate]", second->name,
                    x->taken, x->count, first->name);
    first->filter = x->first;
    second->filter = x->second;
    return true;
}

bool pass_decimate(hlc_program *p)
{
    if (p->config->check_rates || p->config->check_bounds)
        return false; // every firing is looked at
    decimator d = {.a = arena_create(), .hlc = p, .m = p->module};
    hmap_init(&d.made, d.a);
    hmap_init(&d.names, d.a);
    for (VEC_EACH(sir_filter *, f, &d.m->filters))
        hmap_set(&d.names, (*f)->name, *f);
    bool changed = false;
    for (bool again = true; again; changed |= again) { // a filter that computes less drops more
        again = false;
        for (VEC_EACH(sir_channel, c, &d.m->channels))
            again |= decimate_at(&d, c);
    }
    arena_destroy(d.a);
    if (changed)
        pass_tidy(p->module);
    return changed;
}
