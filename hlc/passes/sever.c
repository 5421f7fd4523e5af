// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass 'sever': a filter that waits for its state, and computes a sine, a logarithm and the like which its state does not
// wait for, becomes filters in a row. Those of them without state have firings side by side, as vectors. So it is with a sum
// over items, or their maximum: alone it is one for several firings at a time, beside the state each term would wait for the
// one before.
//
//     work pop 1 push 1 {                              work pop 1 push 2 {
//         %x = pop                                         %x = pop
//         $level = 0.9 * $level + 0.1 * abs(%x)    ->      $level = 0.9 * $level + 0.1 * abs(%x)
//         push %x * pow($level, -0.5)                      push %x; push $level
//     }                                                }
//                                                      work pop 2 push 1 { %x = pop; %t = pop; push %x * pow(%t, -0.5) }
//
// The statements of a body are parts. What a part reads comes before it; parts that name the same field of the state, or the
// same array, stay together, and so does what lies between them on some way. What waits for nothing behind it then has a place
// in the row: the first are filters with state, the second have none, and so on. Between them floats go as items.
//
// Functions and fields that expressions name get locals of their own first, so that the rest of a statement is in no way bound
// to them; the normal form takes those away that were not needed.
#include <string.h>

#include "hlc/ir/walk.h"
#include "hlc/passes/pass.h"

// Parts of a body; items between two filters; filters in a row.
enum { SEVER_PARTS = 160, SEVER_ITEMS = 4, SEVER_ROW = 8 };
// Terms of a sum over items from which on it is worth it: fewer are done while the state is waited for. At -Ofast C compilers
// make vectors of the terms. Measured (clang 22, AVX-512): with a maximum of 8 a limiter is 1.1 times slower, with a sum of 32
// a smoothed level is 1.9 times faster.
enum { SEVER_TERMS = 16 };

typedef struct part {
    sir_stmt *stmt;
    uint32_t group;    // of parts that stay together: the first one's number
    bool state;        // names a field of the state
    bool function;     // calls one that is worth it, or is a long sum
    bool takes, gives; // items
    uint32_t place;    // in the row
} part;

typedef struct sever {
    arena *a;
    hlc_program *hlc;
    sir_module *m;
    sir_filter *f; // a copy of the filter, which is taken to pieces
    VEC(part) parts;
    uint32_t *copied;   // per field: 1 more than the local that holds it at present; 0: none
    bool *names, *sets; // per part and variable: locals, then fields
    size_t variables;
    bool *before;         // per part and part: the first comes before the second
    uint32_t first, last; // places
    bool fails;
} sever;

// ---- Which filters ----

typedef struct looked {
    size_t functions;
    bool fails, sums; // sums are worth it
} looked;

static void look_at_expr(void *context, sir_expr *e, bool written)
{
    looked *l = context;
    (void)written;
    l->functions += pass_is_elementary(e);
    l->fails |= e->kind == SIR_ITER || e->kind == SIR_FETCH;
}

typedef struct sum_look {
    bool goes, items; // a float goes from trip to trip; there are items
} sum_look;

static void find_item(void *context, sir_expr *e, bool written)
{
    (void)written;
    ((sum_look *)context)->items |= e->kind == SIR_PEEK;
}

static void find_term(void *context, sir_stmt *s)
{
    sum_look *l = context;
    l->items |= s->kind == SIR_POP;
    if (s->kind == SIR_SET && s->u.set.target->kind == SIR_LOCAL && s->u.set.target->type->kind == SIR_FLOAT)
        l->goes |= sir_count_local_in(s->u.set.value, s->u.set.target->index) != 0;
    sir_visit_exprs(s, find_item, l);
}

// A sum over items, their maximum, or the like.
static bool is_long_sum(const sir_stmt *s)
{
    sum_look l = {0};
    int64_t trips;
    if (s->kind != SIR_FOR || !sir_for_trips(s, &trips) || trips < SEVER_TERMS)
        return false;
    sir_visit_stmts(&s->u.for_.body, find_term, &l);
    return l.goes && l.items;
}

static void look_at(void *context, sir_stmt *s)
{
    looked *l = context;
    l->functions += l->sums && is_long_sum(s);
    switch ((sir_stmt_kind)s->kind) {
    case SIR_DECL:
    case SIR_SET:
    case SIR_POP:
    case SIR_PUSH:
    case SIR_IF:
    case SIR_FOR:
    case SIR_BLOCK: break;
    default: l->fails = true;
    }
    sir_visit_exprs(s, look_at_expr, l);
}

static bool is_state(const sir_filter *f, uint32_t field)
{
    return !f->fields.data[field].constant;
}

// Firings that wait for a number go one by one. Where all that is kept are counters and arrays, they may be vectors as it is.
static bool may_be_severed(const hlc_program *p, const sir_filter *f)
{
    looked l = {.sums = !p->config->fast_math};
    bool waits = false;
    if (!f->stateful || f->finite || f->prework != NULL || f->ahead != NULL || f->handlers.len != 0 || f->uses_iter ||
        f->uses_random || f->prints || f->sends || f->natives || f->work->body.len > SEVER_PARTS / 2 ||
        !pass_rates_proved(p->module, f->work))
        return false;
    for (uint32_t i = 0; i < f->fields.len; i++)
        waits |= is_state(f, i) && f->fields.data[i].type->kind == SIR_FLOAT;
    sir_visit_stmts(&f->work->body, look_at, &l);
    return waits && l.functions > 0 && !l.fails;
}

// ---- Locals for functions, fields and items ----

static void add_part(sever *x, sir_stmt *s)
{
    VEC_PUSH(x->a, &x->parts, (part){.stmt = s});
}

// Declares a local that the value is the value of.
static sir_expr *in_local(sever *x, const char *name, sir_expr *value)
{
    sir_stmt *decl = sir_stmt_new(x->m, SIR_DECL, value->loc);
    decl->u.decl.local = sir_local_new(x->m, x->f->work, name, value->type, value->loc);
    decl->u.decl.init = value;
    add_part(x, decl);
    return sir_ref(x->m, SIR_LOCAL, decl->u.decl.local, value->type, value->loc);
}

// written: a field that the statement sets; SIR_NONE: none.
static void take_out(sever *x, sir_expr **at, uint32_t written, bool whole)
{
    sir_expr *e = *at;
    bool may_not_be =
        e->kind == SIR_SELECT || (e->kind == SIR_BINARY && (e->op == LANG_OP_LAND || e->op == LANG_OP_LOR));
    for (size_t i = 0; i < sir_expr_arity(e) && !(may_not_be && i > 0); i++)
        take_out(x, &e->u.arg[i], written, false);
    if (e->type->kind != SIR_FLOAT)
        return;
    if (e->kind == SIR_FIELD && e->index != written && is_state(x->f, e->index)) {
        if (x->copied[e->index] == 0)
            x->copied[e->index] = in_local(x, x->f->fields.data[e->index].name, e)->index + 1;
        *at = sir_ref(x->m, SIR_LOCAL, x->copied[e->index] - 1, e->type, e->loc);
    } else if (e->kind == SIR_PEEK || (pass_is_elementary(e) && !whole)) {
        *at = in_local(x, e->kind == SIR_PEEK ? "item" : "value", e);
    }
}

static void forget_written(void *context, sir_stmt *s)
{
    sever *x = context;
    const sir_expr *root = sir_assigned_root(s);
    if (root != NULL && root->kind == SIR_FIELD)
        x->copied[root->index] = 0;
}

// An item goes to a local, and from there to the element of the state that it is for, which may have to come later.
static sir_stmt *pop_to_local(sever *x, const sir_stmt *s)
{
    sir_stmt *decl = sir_stmt_new(x->m, SIR_DECL, s->loc), *pop = sir_stmt_new(x->m, SIR_POP, s->loc),
             *set = sir_stmt_new(x->m, SIR_SET, s->loc);
    decl->u.decl.local = sir_local_new(x->m, x->f->work, "item", x->f->input, s->loc);
    pop->u.set.target = sir_ref(x->m, SIR_LOCAL, decl->u.decl.local, x->f->input, s->loc);
    set->u.set.target = s->u.set.target;
    set->u.set.value = sir_ref(x->m, SIR_LOCAL, decl->u.decl.local, x->f->input, s->loc);
    add_part(x, decl);
    add_part(x, pop);
    return set;
}

static void make_parts(sever *x)
{
    sir_block body = x->f->work->body;
    x->copied = ARENA_ARRAY(x->a, uint32_t, x->f->fields.len + 1);
    for (VEC_EACH(sir_stmt *, p, &body)) {
        sir_stmt *s = *p;
        const sir_expr *root = sir_assigned_root(s);
        if (s->kind == SIR_PUSH)
            take_out(x, &s->u.value, SIR_NONE, false);
        else if (s->kind == SIR_DECL && s->u.decl.init != NULL)
            take_out(x, &s->u.decl.init, SIR_NONE, true);
        else if (s->kind == SIR_SET)
            take_out(x, &s->u.set.value, root != NULL && root->kind == SIR_FIELD ? root->index : SIR_NONE,
                     s->u.set.target->kind == SIR_LOCAL);
        else if (s->kind == SIR_POP && s->u.set.target != NULL && s->u.set.target->kind != SIR_LOCAL)
            s = pop_to_local(x, s);
        add_part(x, s);
        sir_block one = {.data = p, .len = 1};
        sir_visit_stmts(&one, forget_written, x);
    }
    x->fails |= x->parts.len > SEVER_PARTS;
}

// ---- What depends on what ----

typedef struct naming {
    sever *x;
    size_t number;
} naming;

static bool *named(sever *x, bool *table, size_t number, const sir_expr *e)
{
    size_t variable = e->kind == SIR_LOCAL ? e->index : x->f->work->locals.len + e->index;
    return &table[number * x->variables + variable];
}

static void note_expr(void *context, sir_expr *e, bool written)
{
    naming *n = context;
    sever *x = n->x;
    part *p = &x->parts.data[n->number];
    (void)written;
    p->function |= pass_is_elementary(e);
    p->takes |= e->kind == SIR_PEEK;
    if (e->kind == SIR_LOCAL || e->kind == SIR_FIELD)
        *named(x, x->names, n->number, e) = true;
    if (e->kind == SIR_FIELD)
        p->state |= is_state(x->f, e->index);
}

static void note_stmt(void *context, sir_stmt *s)
{
    naming *n = context;
    sever *x = n->x;
    const sir_expr *root = sir_assigned_root(s);
    x->parts.data[n->number].takes |= s->kind == SIR_POP;
    x->parts.data[n->number].gives |= s->kind == SIR_PUSH;
    x->parts.data[n->number].function |= !x->hlc->config->fast_math && is_long_sum(s);
    if (s->kind == SIR_DECL || s->kind == SIR_FOR) {
        uint32_t local = s->kind == SIR_DECL ? s->u.decl.local : s->u.for_.local;
        x->names[n->number * x->variables + local] = x->sets[n->number * x->variables + local] = true;
    }
    if (root != NULL && root->kind != SIR_GLOBAL)
        *named(x, x->sets, n->number, root) = true;
    sir_visit_exprs(s, note_expr, n);
}

static bool *comes_before(sever *x, size_t i, size_t k)
{
    return &x->before[i * x->parts.len + k];
}

static void keep_together(sever *x, size_t i, size_t k)
{
    *comes_before(x, i, k) = *comes_before(x, k, i) = true;
}

static bool is_carried(const sever *x, size_t variable)
{
    return variable < x->f->work->locals.len && x->f->work->locals.data[variable].type->kind == SIR_FLOAT;
}

// A float that is set before it is read goes from part to part, once all that set it have. All that name another stay together.
static void order_by(sever *x, size_t v)
{
    size_t last = 0, first = x->parts.len;
    if (v >= x->f->work->locals.len && !is_state(x->f, (uint32_t)(v - x->f->work->locals.len)))
        return;
    for (size_t i = 0; i < x->parts.len; i++) {
        if (!x->names[i * x->variables + v])
            continue;
        first = first == x->parts.len ? i : first;
        if (!is_carried(x, v) || x->sets[i * x->variables + v])
            last = i;
    }
    for (size_t i = first; i < x->parts.len; i++)
        if (x->names[i * x->variables + v]) {
            if (i <= last)
                keep_together(x, first, i);
            else
                *comes_before(x, last, i) = true;
        }
}

static void find_order(sever *x)
{
    size_t n = x->parts.len, taker = n, giver = n;
    x->variables = x->f->work->locals.len + x->f->fields.len;
    x->names = ARENA_ARRAY(x->a, bool, n * x->variables + 1);
    x->sets = ARENA_ARRAY(x->a, bool, n * x->variables + 1);
    x->before = ARENA_ARRAY(x->a, bool, n *n + 1);
    for (size_t i = 0; i < n; i++) {
        sir_block one = {.data = &x->parts.data[i].stmt, .len = 1};
        sir_visit_stmts(&one, note_stmt, &(naming){x, i});
    }
    for (size_t v = 0; v < x->variables; v++)
        order_by(x, v);
    for (size_t i = 0; i < n; i++) {
        if (x->parts.data[i].takes && (taker = taker == n ? i : taker) != i)
            keep_together(x, taker, i);
        if (x->parts.data[i].gives && (giver = giver == n ? i : giver) != i)
            keep_together(x, giver, i);
    }
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; *comes_before(x, i, k) && j < n; j++)
                *comes_before(x, i, j) |= *comes_before(x, k, j);
    for (size_t i = 0; i < n; i++) {
        part *p = &x->parts.data[i];
        for (p->group = 0; p->group < i && !(*comes_before(x, p->group, i) && *comes_before(x, i, p->group));)
            p->group++;
        part *g = &x->parts.data[p->group];
        g->state |= p->state;
        g->function |= p->function;
        g->takes |= p->takes;
        g->gives |= p->gives;
    }
}

// ---- Places ----

// Places of filters with state are even; others have functions.
static uint32_t place_of(const part *g, uint32_t least)
{
    if (g->state)
        return least + least % 2;
    return g->function ? least + 1 - least % 2 : least;
}

static void find_places(sever *x)
{
    size_t n = x->parts.len;
    bool changed = true, some = false;
    while (changed) {
        changed = false;
        for (size_t i = 0; i < n; i++) {
            part *g = &x->parts.data[x->parts.data[i].group];
            uint32_t least = g->place;
            for (size_t k = 0; k < n; k++)
                if (*comes_before(x, k, i) && x->parts.data[k].group != x->parts.data[i].group) {
                    uint32_t other = x->parts.data[x->parts.data[k].group].place;
                    least = other > least ? other : least;
                }
            least = place_of(g, least);
            changed |= least != g->place;
            g->place = least;
        }
    }
    for (size_t i = 0; i < n; i++)
        some |= x->parts.data[i].group == i && x->parts.data[i].state && x->parts.data[i].place == 0;
    x->first = some ? 0 : 1;
    for (size_t i = 0; i < n; i++) {
        part *p = &x->parts.data[i];
        p->place = x->parts.data[p->group].place;
        p->place = p->place < x->first ? x->first : p->place;
        x->last = p->place > x->last ? p->place : x->last;
    }
    // What takes items must be first, what gives them last.
    for (size_t i = 0; i < n; i++) {
        part *p = &x->parts.data[i];
        const part *g = &x->parts.data[p->group];
        x->fails |= g->takes && p->place != x->first;
        if (g->gives && p->place != x->last) {
            p->place = x->last;
            for (size_t k = 0; k < n; k++)
                x->fails |= *comes_before(x, i, k) && x->parts.data[k].group != p->group;
            x->fails |= place_of(g, x->last) != x->last;
        }
    }
    x->fails |= x->last == x->first || x->last - x->first >= SEVER_ROW;
}

// Whether a local is set in a place up to this one, and named behind it.
static bool goes_on(const sever *x, size_t local, uint32_t place)
{
    bool set = false, wanted = false;
    for (size_t i = 0; i < x->parts.len; i++) {
        set |= x->sets[i * x->variables + local] && x->parts.data[i].place <= place;
        wanted |= x->names[i * x->variables + local] && x->parts.data[i].place > place;
    }
    return set && wanted;
}

static size_t items_behind(const sever *x, uint32_t place)
{
    size_t items = 0;
    for (size_t v = 0; v < x->f->work->locals.len; v++)
        items += goes_on(x, v, place);
    return items;
}

// ---- The filters ----

// The fields that parts of this place name.
static void add_fields(sever *x, sir_filter *r, uint32_t place)
{
    const size_t locals = x->f->work->locals.len;
    bool *is_named = ARENA_ARRAY(x->a, bool, x->f->fields.len + 1);
    memset(&r->fields, 0, sizeof r->fields);
    for (size_t v = 0; v < x->f->fields.len; v++) {
        for (size_t i = 0; i < x->parts.len; i++)
            is_named[v] |= x->parts.data[i].place == place && x->names[i * x->variables + locals + v];
        VEC_PUSH(x->m->arena, &r->fields, x->f->fields.data[v]);
    }
    pass_keep_fields(x->a, r, is_named);
}

static sir_filter *make_filter(sever *x, uint32_t place)
{
    sir_module *m = x->m;
    arena *a = m->arena;
    sir_loc loc = x->f->work->loc;
    sir_filter *r = ARENA_NEW(a, sir_filter);
    *r = *x->f;
    r->work = ARENA_NEW(a, sir_function);
    *r->work = *x->f->work;
    memset(&r->work->locals, 0, sizeof r->work->locals);
    for (VEC_EACH(sir_local, l, &x->f->work->locals))
        VEC_PUSH(a, &r->work->locals, *l);
    r->work->names = NULL;
    r->work->body = (sir_block){0};
    for (size_t v = 0; v < x->f->work->locals.len && place > x->first; v++) {
        if (!goes_on(x, v, place - 1))
            continue;
        sir_stmt *decl = sir_stmt_new(m, SIR_DECL, loc), *pop = sir_stmt_new(m, SIR_POP, loc);
        decl->u.decl.local = (uint32_t)v;
        pop->u.set.target = sir_ref(m, SIR_LOCAL, (uint32_t)v, m->scalar[SIR_FLOAT], loc);
        VEC_PUSH(a, &r->work->body, decl);
        VEC_PUSH(a, &r->work->body, pop);
    }
    for (VEC_EACH(const part, p, &x->parts))
        if (p->place == place)
            VEC_PUSH(a, &r->work->body, p->stmt);
    for (size_t v = 0; v < x->f->work->locals.len && place < x->last; v++) {
        if (!goes_on(x, v, place))
            continue;
        sir_stmt *push = sir_stmt_new(m, SIR_PUSH, loc);
        push->u.value = sir_ref(m, SIR_LOCAL, (uint32_t)v, m->scalar[SIR_FLOAT], loc);
        VEC_PUSH(a, &r->work->body, push);
    }
    add_fields(x, r, place);
    if (place > x->first) {
        r->input = m->scalar[SIR_FLOAT];
        r->work->pop.min = r->work->pop.max = (int64_t)items_behind(x, place - 1);
        r->work->peek.min = r->work->peek.max = r->work->pop.max;
        r->name = pass_unique_filter_name(m, a, arena_printf(a, "%s_behind", x->f->name));
    }
    if (place < x->last) {
        r->output = m->scalar[SIR_FLOAT];
        r->work->push.min = r->work->push.max = (int64_t)items_behind(x, place);
    }
    if (place == x->first)
        r->name = pass_unique_filter_name(m, a, arena_printf(a, "%s_before", x->f->name));
    r->source = arena_printf(a, "%s, part %u of %u", x->f->source, (unsigned)(place - x->first + 1),
                             (unsigned)(x->last - x->first + 1));
    VEC_PUSH(a, &m->filters, r);
    return r;
}

typedef VEC(sir_filter *) filters;

// The filters in a row; none: it stays one.
static filters *sever_filter(hlc_program *p, arena *a, const sir_filter *f)
{
    filters *row = ARENA_NEW(a, filters);
    if (!may_be_severed(p, f))
        return row;
    sever x = {.a = a, .hlc = p, .m = p->module, .f = pass_copy_filter(p->module, f)};
    make_parts(&x);
    if (x.fails)
        return row;
    find_order(&x);
    find_places(&x);
    for (uint32_t place = x.first; !x.fails && place < x.last; place++) {
        size_t items = items_behind(&x, place);
        x.fails |= items == 0 || items > SEVER_ITEMS;
    }
    for (uint32_t place = x.first; !x.fails && place <= x.last; place++)
        VEC_PUSH(a, row, make_filter(&x, place));
    return row;
}

// ---- The graph ----

typedef struct severed {
    arena *a;
    hlc_program *hlc;
    hmap rows; // of filters
    bool any;
} severed;

static filters *row_of(severed *x, const sir_actor *actor)
{
    filters *row = hmap_getn(&x->rows, &actor->filter, sizeof(sir_filter *));
    if (row == NULL) {
        const sir_filter **key = ARENA_NEW(x->a, const sir_filter *);
        *key = actor->filter;
        row = sever_filter(x->hlc, x->a, actor->filter);
        hmap_setn(&x->rows, key, sizeof *key, row);
    }
    return row;
}

static sir_actor *make_actor(sir_module *m, const sir_actor *first, sir_filter *f)
{
    sir_actor *r = ARENA_NEW(m->arena, sir_actor);
    *r = (sir_actor){.kind = SIR_FILTER, .region = first->region, .filter = f, .loc = first->loc};
    r->name = pass_unique_actor_name(m, m->arena, arena_printf(m->arena, "%s_behind", first->name));
    return r;
}

// Channels get their ends' new numbers, and those between filters of a row are made.
static void connect(sir_module *m, arena *a, sir_actor **old, size_t count, filters *const *rows)
{
    uint32_t *begin = ARENA_ARRAY(a, uint32_t, count + 1), *end = ARENA_ARRAY(a, uint32_t, count + 1), next = 0;
    for (size_t i = 0; i < count; i++) {
        begin[i] = next;
        next += rows[i] == NULL ? 1 : (uint32_t)rows[i]->len;
        end[i] = next - 1;
    }
    for (VEC_EACH(sir_channel, c, &m->channels)) {
        c->producer = end[c->producer];
        c->consumer = begin[c->consumer];
    }
    for (size_t i = 0; i < count; i++) {
        sir_actor *last = m->actors.data[end[i]];
        if (begin[i] == end[i])
            continue;
        for (VEC_EACH(uint32_t, c, &old[i]->outputs))
            VEC_PUSH(m->arena, &last->outputs, *c);
        old[i]->outputs.len = 0;
        for (uint32_t k = begin[i]; k < end[i]; k++)
            (void)sir_channel_connect(m, k, 0, k + 1, 0, m->scalar[SIR_FLOAT]);
    }
}

bool pass_sever(hlc_program *p)
{
    sir_module *m = p->module;
    if (!pass_may_change_more(p) || m->portals.len != 0 || !pass_has_vectors(p) || pass_shares_out(p) ||
        !pass_keeps_state(p))
        return false;
    severed x = {.a = arena_create(), .hlc = p};
    hmap_init(&x.rows, x.a);
    size_t count = m->actors.len;
    sir_actor **old = ARENA_ARRAY(x.a, sir_actor *, count + 1);
    filters **rows = ARENA_ARRAY(x.a, filters *, count + 1);
    for (size_t i = 0; i < count; i++) {
        old[i] = m->actors.data[i];
        if (old[i]->kind != SIR_FILTER || pass_in_loop(m, old[i]->region) || row_of(&x, old[i])->len == 0)
            continue;
        rows[i] = row_of(&x, old[i]);
        x.any = true;
    }
    if (x.any) {
        // The new ones get names while all the old ones are there.
        for (size_t i = 0; i < count; i++)
            for (size_t k = 1; rows[i] != NULL && k < rows[i]->len; k++) {
                sir_actor *made = make_actor(m, old[i], rows[i]->data[k]);
                VEC_PUSH(m->arena, &m->actors, made);
            }
        VEC(sir_actor *) added = {0};
        for (size_t i = count; i < m->actors.len; i++)
            VEC_PUSH(x.a, &added, m->actors.data[i]);
        size_t next = 0, from = 0;
        for (size_t i = 0; i < count; i++) {
            m->actors.data[next++] = old[i];
            for (size_t k = 1; rows[i] != NULL && k < rows[i]->len; k++)
                m->actors.data[next++] = added.data[from++];
            if (rows[i] == NULL)
                continue;
            diag_remark(
                p->diag, sir_range(m, p->sources, old[i]->loc),
                "'%s' is %zu filters: functions or sums that its state does not wait for are in filters without state "
                "[sever]",
                old[i]->name, rows[i]->len);
            old[i]->filter = rows[i]->data[0];
        }
        connect(m, x.a, old, count, rows);
        pass_tidy(m);
    }
    arena_destroy(x.a);
    return x.any;
}
