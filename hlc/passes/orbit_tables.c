// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Longer rounds for places in short tables: a key of 16 bytes, a carrier of 8 samples.
//
// NOTE(repeat). Firings go side by side up to where a counter begins again (NOTE(turns) in hlc/emit/program_counters.c), which is
// soon where its table is short. A counter that is nothing but a subscript of constant tables may as well go through several
// copies of them:
//
//     push(pop() ^ key[at]);   at = (at + 1) % 16;
//     push(pop() ^ key[at]);   at = at == 1023 ? 0 : at + 1;
#include "hlc/passes/orbit_int.h"

#include <string.h>

#include "hlc/ir/counters.h"
#include "hlc/ir/walk.h"

typedef struct repeater {
    sir_module *m;
    sir_filter *filter;
    uint32_t counter; // field
    int64_t period, rounds;
    uint32_t copy;         // a local that has its value from before; SIR_NONE: none
    int *uses, *own;       // per field: of a table, those with the counter
    int reads, subscripts; // of the counter, outside of what makes its next value
    int copy_reads, copy_subscripts;
    bool counts, fails;
} repeater;

static bool is_local(const sir_expr *e, uint32_t local)
{
    return e->kind == SIR_LOCAL && e->index == local;
}

static bool is_counter(const repeater *r, const sir_expr *e)
{
    return e->kind == SIR_FIELD && e->index == r->counter;
}

// ---- What makes the next value ----

static void note_write(void *context, sir_stmt *s)
{
    repeater *r = context;
    const sir_expr *root = sir_assigned_root(s);
    bool own = root != NULL && is_counter(r, root);
    r->counts |= own;
    r->fails |= !own && s->kind != SIR_IF && s->kind != SIR_BLOCK; // with something else
}

// Whether a statement of the body does nothing but make the next value; what does that and more is a failure.
static bool is_step(repeater *r, sir_stmt *s)
{
    bool fails = r->fails;
    r->counts = r->fails = false;
    sir_visit_stmts(&(sir_block){.data = &s, .len = 1}, note_write, r);
    r->fails = fails || (r->counts && r->fails);
    return r->counts;
}

// ---- What reads it ----

static void repeat_table(repeater *r, uint32_t table)
{
    sir_field *f = &r->filter->fields.data[table];
    const sir_type *t = sir_type_array(r->m, f->type->element, (uint32_t)(r->period * r->rounds));
    sir_value items = sir_value_new(r->m->arena, t);
    for (uint64_t i = 0; !f->init.zero && i < t->words; i++)
        items.data[i] = f->init.data[i % (uint64_t)r->period];
    f->type = t;
    f->init = items;
}

static bool is_table(const repeater *r, const sir_expr *base)
{
    if (base->kind != SIR_FIELD)
        return false;
    const sir_field *f = &r->filter->fields.data[base->index];
    return f->constant && f->type->kind == SIR_ARRAY && f->type->element->words == 1 &&
           f->type->element->kind != SIR_ARRAY && f->type->element->kind != SIR_STRUCT && f->type->length >= r->period;
}

static void note_use(void *context, sir_expr *e, bool written)
{
    repeater *r = context;
    (void)written;
    r->reads += is_counter(r, e);
    r->copy_reads += is_local(e, r->copy);
    if (e->kind == SIR_FIELD)
        r->uses[e->index]++;
    if (e->kind != SIR_INDEX || !(is_counter(r, e->u.arg[1]) || is_local(e->u.arg[1], r->copy)))
        return;
    const sir_expr *base = e->u.arg[0];
    if (is_table(r, base)) {
        r->own[base->index]++;
        r->subscripts += is_counter(r, e->u.arg[1]);
        r->copy_subscripts += is_local(e->u.arg[1], r->copy);
    }
}

static void set_type(void *context, sir_expr *e, bool written)
{
    repeater *r = context;
    (void)written;
    if (e->kind == SIR_FIELD)
        e->type = r->filter->fields.data[e->index].type;
}

static void set_types(void *context, sir_stmt *s)
{
    sir_visit_exprs(s, set_type, context);
}

static void note_uses(void *context, sir_stmt *s)
{
    sir_visit_exprs(s, note_use, context);
}

static void note_copy_write(void *context, sir_stmt *s)
{
    repeater *r = context;
    const sir_expr *root = sir_assigned_root(s);
    r->fails |= root != NULL && is_local(root, r->copy);
}

// ---- One counter ----

static bool is_copy(const repeater *r, const sir_stmt *s)
{
    return s->kind == SIR_DECL && s->u.decl.init != NULL && is_counter(r, s->u.decl.init);
}

// Its uses, but for those of the steps: before the first step it has its old value.
static void look_at_uses(repeater *r, const sir_block *b)
{
    bool stepped = false;
    for (size_t i = 0; i < b->len && !r->fails; i++) {
        sir_stmt *s = b->data[i];
        int before = r->reads;
        if (is_step(r, s)) {
            stepped = true;
            continue;
        }
        if (is_copy(r, s)) {
            r->fails |= stepped;
            continue;
        }
        sir_visit_stmts(&(sir_block){.data = &b->data[i], .len = 1}, note_uses, r);
        r->fails |= stepped && r->reads != before;
    }
}

static sir_stmt *make_step(repeater *r)
{
    sir_module *m = r->m;
    sir_loc loc = r->filter->work->loc;
    const sir_type *t = m->scalar[SIR_INT];
    sir_stmt *s = sir_stmt_new(m, SIR_SET, loc);
    s->u.set.target = sir_ref(m, SIR_FIELD, r->counter, t, loc);
    s->u.set.value = sir_expr3(m, SIR_SELECT, t,
                               sir_expr2(m, SIR_BINARY, LANG_OP_EQ, m->scalar[SIR_BOOLEAN],
                                         sir_ref(m, SIR_FIELD, r->counter, t, loc),
                                         sir_const_int(m, (int32_t)(r->period * r->rounds) - 1, loc), loc),
                               sir_const_int(m, 0, loc),
                               sir_expr2(m, SIR_BINARY, LANG_OP_ADD, t, sir_ref(m, SIR_FIELD, r->counter, t, loc),
                                         sir_const_int(m, 1, loc), loc),
                               loc);
    return s;
}

static bool repeat(repeater *r)
{
    sir_function *work = r->filter->work;
    size_t copies = 0, kept = 0;
    for (size_t i = 0; i < work->body.len; i++)
        if (is_copy(r, work->body.data[i])) {
            copies++;
            r->copy = work->body.data[i]->u.decl.local;
        }
    r->uses = ARENA_ARRAY(r->m->arena, int, r->filter->fields.len + 1);
    r->own = ARENA_ARRAY(r->m->arena, int, r->filter->fields.len + 1);
    look_at_uses(r, &work->body);
    for (size_t i = 0; i < r->filter->fields.len; i++)
        r->fails |= r->own[i] != 0 && r->own[i] != r->uses[i];
    if (copies == 1)
        sir_visit_stmts(&work->body, note_copy_write, r);
    if (r->fails || copies > 1 || r->reads != r->subscripts || r->copy_reads != r->copy_subscripts ||
        r->subscripts + r->copy_subscripts == 0)
        return false;
    for (uint32_t i = 0; i < r->filter->fields.len; i++)
        if (r->own[i] != 0)
            repeat_table(r, i);
    for (size_t i = 0; i < work->body.len; i++)
        if (!is_step(r, work->body.data[i]))
            work->body.data[kept++] = work->body.data[i];
    work->body.len = kept;
    sir_visit_stmts(&work->body, set_types, r);
    VEC_PUSH(r->m->arena, &work->body, make_step(r));
    return true;
}

int64_t orbit_repeat_tables(sir_module *m, sir_filter *f)
{
    sir_counters counters = {0};
    int64_t most = 0;
    if (f->uses_iter || f->uses_random || f->prints || f->sends || !sir_find_counters(m->arena, f, &counters, NULL))
        return 0;
    for (VEC_EACH(const sir_counter, c, &counters)) {
        int64_t period = (int64_t)c->high + 1;
        repeater r = {.m = m, .filter = f, .counter = c->field, .copy = SIR_NONE, .period = period};
        if (c->low != 0)
            continue;
        r.rounds = ORBIT_ITEMS / period;
        if (r.rounds > 1 && repeat(&r))
            most = r.rounds > most ? r.rounds : most;
    }
    if (most != 0)
        sir_filter_derive(m, f);
    return most;
}
