// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fields that count round.
//
// NOTE(counters). A field is followed from its initial value on, firing after firing, until it has that value again: each
// firing must add 1, but for one that goes back. How it is written does not matter (at = (at + 1) % 127, or with an `if`,
// or an increment where it is used last). Only the statements are executed that the field's next value comes of; what is
// no known int in them makes it no counter. A firing that adds to the value and looks at it nowhere does the same to every
// value, and does not come back.
#include "hlc/ir/counters.h"

#include <string.h>

#include "hlc/ir/walk.h"

enum { MOST_STEPS = 1 << 18 }; // nodes and statements that are executed, for a field

typedef struct value {
    bool known;
    bool moved; // the field's value before the firing, and a constant
    int32_t i;
} value;

typedef struct counting {
    arena *arena;
    const sir_filter *filter;
    uint32_t field;
    bool *relevant; // per local: the field's next value comes of it
    hmap matters;   // statements that do something for it
    value *locals, now;
    int64_t steps;
    bool changed, fails;
    bool looks; // something else than a sum was made of the field's value, or decided by it
} counting;

static bool is_whole(const sir_type *t)
{
    return t->kind == SIR_INT || t->kind == SIR_BOOLEAN || t->kind == SIR_BIT;
}

// ---- What the next value comes of ----

static bool is_relevant(const counting *c, const sir_expr *root)
{
    return root != NULL && ((root->kind == SIR_FIELD && root->index == c->field) ||
                            (root->kind == SIR_LOCAL && c->relevant[root->index]));
}

static void mark_local(void *context, sir_expr *e, bool written)
{
    counting *c = context;
    (void)written;
    if (e->kind != SIR_LOCAL || c->relevant[e->index])
        return;
    c->relevant[e->index] = true;
    c->changed = true;
}

static bool block_matters(counting *c, const sir_block *b);

// Whether the statement is to be executed; if so what it needs is marked.
static bool stmt_matters(counting *c, sir_stmt *s)
{
    sir_parts parts = sir_stmt_parts(s);
    bool matters = s->kind == SIR_DECL && c->relevant[s->u.decl.local];
    matters |= parts.target != NULL && is_relevant(c, sir_lvalue_root(*parts.target));
    for (uint8_t i = 0; i < parts.block_count; i++)
        matters |= block_matters(c, parts.block[i]);
    for (uint8_t i = 0; matters && i < parts.expr_count; i++)
        sir_visit_tree(*parts.expr[i], false, mark_local, c);
    if (matters)
        hmap_setn(&c->matters, &s, sizeof s, s);
    return matters;
}

static bool block_matters(counting *c, const sir_block *b)
{
    bool any = false;
    for (size_t i = 0; i < b->len; i++)
        any |= stmt_matters(c, b->data[i]);
    return any;
}

// ---- Execution ----

static value eval(counting *c, const sir_expr *e);

static value eval_operation(counting *c, const sir_expr *e)
{
    const sir_type *t = e->u.arg[0]->type;
    value a = eval(c, e->u.arg[0]), b = e->kind == SIR_BINARY ? eval(c, e->u.arg[1]) : a;
    sir_scalar r, x = {.i = a.i}, y = {.i = b.i};
    if (!a.known || !b.known || !is_whole(t))
        return (value){0};
    bool sum = e->kind == SIR_BINARY && t->kind == SIR_INT && !(a.moved && b.moved) &&
               (e->op == LANG_OP_ADD || (e->op == LANG_OP_SUB && !b.moved));
    c->looks |= !sum && (a.moved || b.moved);
    bool fine = e->kind == SIR_BINARY ? sir_eval_binary((lang_binary_op)e->op, t, x, y, &r)
                                      : sir_eval_unary((lang_unary_op)e->op, t, x, &r);
    return fine ? (value){true, a.moved || b.moved, r.i} : (value){0};
}

static value eval_field(const counting *c, const sir_expr *e)
{
    const sir_field *f = &c->filter->fields.data[e->index];
    if (e->index == c->field)
        return c->now;
    return f->constant ? (value){true, false, f->init.zero ? 0 : f->init.data[0].i} : (value){0};
}

static value eval(counting *c, const sir_expr *e)
{
    c->steps++;
    if (!is_whole(e->type))
        return (value){0};
    switch ((sir_expr_kind)e->kind) {
    case SIR_CONST: return (value){true, false, e->u.value.i};
    case SIR_LOCAL: return c->locals[e->index];
    case SIR_FIELD: return eval_field(c, e);
    case SIR_UNARY:
    case SIR_BINARY: return eval_operation(c, e);
    case SIR_SELECT: {
        value cond = eval(c, e->u.arg[0]);
        c->looks |= cond.moved;
        return cond.known ? eval(c, e->u.arg[cond.i != 0 ? 1 : 2]) : (value){0};
    }
    default: return (value){0};
    }
}

static void execute(counting *c, const sir_block *b);

static void assign(counting *c, const sir_expr *target, value v)
{
    if (target->kind == SIR_LOCAL)
        c->locals[target->index] = v;
    else if (target->kind == SIR_FIELD)
        c->now = v;
    else
        c->fails = true; // part of something
}

static void execute_stmt(counting *c, sir_stmt *s)
{
    value cond;
    if (hmap_getn(&c->matters, &s, sizeof s) == NULL)
        return;
    switch ((sir_stmt_kind)s->kind) {
    case SIR_DECL:
        c->locals[s->u.decl.local] = s->u.decl.init != NULL ? eval(c, s->u.decl.init) : (value){true, false, 0};
        break;
    case SIR_SET: assign(c, s->u.set.target, eval(c, s->u.set.value)); break;
    case SIR_POP:
    case SIR_RANDOM: assign(c, s->u.set.target, (value){0}); break;
    case SIR_IF:
        cond = eval(c, s->u.if_.cond);
        c->fails |= !cond.known;
        c->looks |= cond.moved;
        execute(c, cond.i != 0 ? &s->u.if_.then : &s->u.if_.otherwise);
        break;
    case SIR_BLOCK: execute(c, &s->u.block); break;
    default: c->fails = true;
    }
}

static void execute(counting *c, const sir_block *b)
{
    for (size_t i = 0; i < b->len && !c->fails; i++) {
        c->fails |= ++c->steps > MOST_STEPS;
        execute_stmt(c, b->data[i]);
    }
}

// What the firing makes of the field's value; false: it is not known, or never comes back.
static bool follow_firing(counting *c)
{
    int32_t before = c->now.i;
    memset(c->locals, 0, (c->filter->work->locals.len + 1) * sizeof *c->locals);
    c->now.moved = true;
    c->looks = false;
    execute(c, &c->filter->work->body);
    return !c->fails && c->now.known && (!c->now.moved || c->looks || c->now.i == before);
}

static int32_t start(counting *c)
{
    const sir_field *f = &c->filter->fields.data[c->field];
    int32_t first = f->init.zero ? 0 : f->init.data[0].i;
    c->relevant = ARENA_ARRAY(c->arena, bool, c->filter->work->locals.len + 1);
    c->locals = ARENA_ARRAY(c->arena, value, c->filter->work->locals.len + 1);
    c->now = (value){true, true, first};
    hmap_init(&c->matters, c->arena);
    do
        c->changed = false;
    while (block_matters(c, &c->filter->work->body) && c->changed);
    return first;
}

static bool counts(counting *c, sir_counter *r)
{
    bool back = false;
    int32_t first = start(c);
    do {
        int32_t before = c->now.i;
        if (!follow_firing(c))
            return false;
        if (c->now.i <= before) {
            if (back)
                return false;
            back = true;
            *r = (sir_counter){c->field, c->now.i, before};
        } else if (c->now.i != before + 1) {
            return false;
        }
    } while (c->now.i != first);
    return back;
}

// Whether nothing but 'work' changes what the filter keeps.
static bool has_work_alone(const sir_filter *f)
{
    return !f->finite && f->work != NULL && f->prework == NULL && f->handlers.len == 0 && f->functions.len == 0;
}

static bool is_counted(const sir_filter *f, uint32_t field)
{
    return has_work_alone(f) && !f->fields.data[field].constant && f->fields.data[field].type->kind == SIR_INT;
}

bool sir_find_round(arena *a, const sir_filter *f, uint32_t field, uint32_t most, sir_counter *found)
{
    counting c = {.arena = a, .filter = f, .field = field};
    if (!is_counted(f, field))
        return false;
    int32_t first = start(&c);
    *found = (sir_counter){field, first, first};
    for (uint32_t i = 0; i < most; i++) {
        if (!follow_firing(&c))
            return false;
        if (c.now.i == first)
            return true;
        found->low = c.now.i < found->low ? c.now.i : found->low;
        found->high = c.now.i > found->high ? c.now.i : found->high;
    }
    return false;
}

bool sir_find_counters(arena *a, const sir_filter *f, sir_counters *found, sir_beside *beside)
{
    if (!has_work_alone(f))
        return false;
    for (uint32_t i = 0; i < f->fields.len; i++) {
        sir_counter r;
        sir_sequence s;
        sir_beginning b;
        if (f->fields.data[i].constant)
            continue;
        if (beside != NULL && f->fields.data[i].type->kind == SIR_ARRAY) {
            VEC_PUSH(a, &beside->arrays, i);
            continue;
        }
        counting c = {.arena = a, .filter = f, .field = i};
        if (is_counted(f, i) && counts(&c, &r))
            VEC_PUSH(a, found, r);
        else if (beside == NULL)
            return false;
        else if (sir_find_sequence(a, f, i, &s))
            VEC_PUSH(a, &beside->sequences, s);
        else if (sir_find_beginning(f, i, &b))
            VEC_PUSH(a, &beside->beginnings, b);
        else if (sir_is_last(a, f, i))
            VEC_PUSH(a, &beside->last, i);
        else
            return false;
    }
    return found->len != 0 || (beside != NULL && beside->sequences.len != 0);
}
