// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Canonicalize: stores that nothing reads, locals that nothing needs, and declarations whose zeroes nothing reads.
//
// One walk backwards knows which locals are live. At the end of a loop's body all that the loop reads counts as live,
// so that one walk is enough.
#include <string.h>

#include "hlc/ir/type_rules.h"
#include "hlc/ir/walk.h"
#include "hlc/passes/canonicalize_int.h"

// Sets of locals are bits, as there is one a branch.
typedef struct dying {
    canon *c;
    size_t words;        // of a set
    uint64_t *live;      // at the point of the walk
    uint64_t *needed;    // read by something else than their own new value
    uint64_t *mentioned; // by a statement behind this point that stays
    const sir_expr *root;
    uint32_t self;         // the local that the statement at hand gives a new value
    VEC(uint64_t *) spare; // sets that are not in use
} dying;

static void sweep(dying *d, sir_block *b);

static bool has(const uint64_t *set, uint32_t local)
{
    return (set[local / 64] >> (local % 64) & 1) != 0;
}

static void put(uint64_t *set, uint32_t local)
{
    set[local / 64] |= UINT64_C(1) << (local % 64);
}

static void take(uint64_t *set, uint32_t local)
{
    set[local / 64] &= ~(UINT64_C(1) << (local % 64));
}

// ---- What is read ----

static void note_needed(void *context, sir_expr *e, bool written)
{
    (void)written;
    dying *d = context;
    if (e->kind == SIR_LOCAL && e != d->root && e->index != d->self)
        put(d->needed, e->index);
}

static void note_needs(void *context, sir_stmt *s)
{
    dying *d = context;
    sir_parts p = sir_stmt_parts(s);
    d->root = p.target == NULL ? NULL : sir_lvalue_root(*p.target);
    // What may stop the program stays, and needs its old value.
    bool goes = s->kind == SIR_SET && s->u.set.target->kind == SIR_LOCAL && !canon_may_trap(d->c, s->u.set.value);
    d->self = goes ? s->u.set.target->index : SIR_NONE;
    sir_visit_exprs(s, note_needed, d);
}

typedef struct reading {
    uint64_t *into;
    const sir_expr *root;
} reading;

static void note_read(void *context, sir_expr *e, bool written)
{
    (void)written;
    reading *r = context;
    if (e->kind == SIR_LOCAL && e != r->root)
        put(r->into, e->index);
}

static void read_expr(const dying *d, sir_expr *e)
{
    reading r = {.into = d->live};
    if (e != NULL)
        sir_visit_tree(e, false, note_read, &r);
}

// The subscripts of an lvalue.
static void read_lvalue(const dying *d, sir_expr *e)
{
    reading r = {.into = d->live, .root = sir_lvalue_root(e)};
    sir_visit_tree(e, false, note_read, &r);
}

static void mention_expr(void *context, sir_expr *e, bool written)
{
    (void)written;
    dying *d = context;
    if (e->kind == SIR_LOCAL)
        put(d->mentioned, e->index);
}

// ---- Sets of locals ----

// Of any content.
static uint64_t *new_set(dying *d)
{
    return d->spare.len > 0 ? d->spare.data[--d->spare.len] : ARENA_ARRAY(d->c->scratch, uint64_t, d->words);
}

static void drop_set(dying *d, uint64_t *set)
{
    VEC_PUSH(d->c->scratch, &d->spare, set);
}

static uint64_t *copy_set(dying *d, const uint64_t *set)
{
    uint64_t *copy = new_set(d);
    memcpy(copy, set, d->words * sizeof *set);
    return copy;
}

static void add_set(const dying *d, uint64_t *to, const uint64_t *from)
{
    for (size_t i = 0; i < d->words; i++)
        to[i] |= from[i];
}

typedef struct loop_reads {
    uint64_t *reads, *declared;
} loop_reads;

static void note_loop_reads(void *context, sir_stmt *s)
{
    loop_reads *l = context;
    sir_parts p = sir_stmt_parts(s);
    reading r = {.into = l->reads, .root = p.target == NULL ? NULL : sir_lvalue_root(*p.target)};
    sir_visit_exprs(s, note_read, &r);
    if (s->kind == SIR_DECL)
        put(l->declared, s->u.decl.local);
    if (s->kind == SIR_FOR)
        put(l->declared, s->u.for_.local);
}

// What an iteration may read of the one before.
static void add_loop_reads(dying *d, sir_stmt *s)
{
    loop_reads l = {.reads = new_set(d), .declared = new_set(d)};
    memset(l.reads, 0, d->words * sizeof *l.reads);
    memset(l.declared, 0, d->words * sizeof *l.declared);
    const sir_block one = {.data = &s, .len = 1};
    sir_visit_stmts(&one, note_loop_reads, &l);
    for (size_t i = 0; i < d->words; i++)
        d->live[i] |= l.reads[i] & ~l.declared[i];
    drop_set(d, l.reads);
    drop_set(d, l.declared);
}

// ---- Statements ----

// Each gives whether the statement stays.

static bool traps(const dying *d, const sir_expr *e)
{
    return e != NULL && canon_may_trap(d->c, e);
}

static bool sweep_decl(dying *d, sir_stmt *s)
{
    uint32_t local = s->u.decl.local;
    sir_expr *init = s->u.decl.init;
    if (!has(d->live, local) && !traps(d, init)) {
        if (!has(d->mentioned, local))
            return false;
        if (sir_is_scalar(d->c->f->locals.data[local].type)) {
            s->u.decl.init = init = NULL;
            s->u.decl.uninitialised = true;
        }
    }
    take(d->live, local);
    read_expr(d, init);
    return true;
}

// Whether nothing wants what is assigned. Arrays that came by reference may be looked at through another name.
static bool is_unwanted(const dying *d, const sir_expr *target)
{
    const sir_expr *root = sir_lvalue_root((sir_expr *)target);
    if (root->kind != SIR_LOCAL || d->c->f->locals.data[root->index].by_reference || canon_may_trap(d->c, target))
        return false;
    return !has(d->live, root->index) || !has(d->needed, root->index);
}

static void sweep_target(dying *d, sir_expr *target)
{
    if (target->kind == SIR_LOCAL && !d->c->f->locals.data[target->index].by_reference)
        take(d->live, target->index);
    read_lvalue(d, target);
}

static bool sweep_set(dying *d, sir_stmt *s)
{
    if (is_unwanted(d, s->u.set.target) && !canon_may_trap(d->c, s->u.set.value))
        return false;
    sweep_target(d, s->u.set.target);
    read_expr(d, s->u.set.value);
    return true;
}

static void sweep_optional_target(dying *d, sir_expr **target)
{
    if (*target != NULL && is_unwanted(d, *target))
        *target = NULL;
    if (*target != NULL)
        sweep_target(d, *target);
}

static void sweep_call(dying *d, sir_stmt *s)
{
    sweep_optional_target(d, &s->u.call.target);
    for (size_t i = 0; i < s->u.call.args.len; i++)
        read_expr(d, s->u.call.args.data[i]);
}

// How many items a block drops that does nothing else; -1 of others.
static int64_t only_drops(const sir_block *b)
{
    for (size_t i = 0; i < b->len; i++)
        if (b->data[i]->kind != SIR_POP || b->data[i]->u.set.target != NULL)
            return -1;
    return (int64_t)b->len;
}

static bool sweep_if(dying *d, sir_stmt *s)
{
    uint64_t *after = copy_set(d, d->live);
    sweep(d, &s->u.if_.then);
    uint64_t *then = d->live;
    d->live = after;
    sweep(d, &s->u.if_.otherwise);
    add_set(d, d->live, then);
    drop_set(d, then);
    int64_t drops = only_drops(&s->u.if_.then);
    if (drops >= 0 && drops == only_drops(&s->u.if_.otherwise) && !traps(d, s->u.if_.cond)) {
        if (drops == 0)
            return false;
        sir_block pops = s->u.if_.then;
        s->kind = SIR_BLOCK;
        s->u.block = pops;
        return true;
    }
    read_expr(d, s->u.if_.cond);
    return true;
}

static bool sweep_for(dying *d, sir_stmt *s)
{
    uint64_t *after = copy_set(d, d->live);
    add_loop_reads(d, s);
    sweep(d, &s->u.for_.body);
    add_set(d, d->live, after);
    drop_set(d, after);
    if (s->u.for_.body.len == 0 && !traps(d, s->u.for_.lo) && !traps(d, s->u.for_.hi))
        return false;
    take(d->live, s->u.for_.local);
    read_expr(d, s->u.for_.lo);
    read_expr(d, s->u.for_.hi);
    return true;
}

static void sweep_loop(dying *d, sir_stmt *s)
{
    uint64_t *after = copy_set(d, d->live);
    add_loop_reads(d, s);
    if (s->u.loop.post_test) {
        read_expr(d, s->u.loop.cond);
        sweep(d, &s->u.loop.pre);
        sweep(d, &s->u.loop.step);
        sweep(d, &s->u.loop.body);
        drop_set(d, after);
        return;
    }
    sweep(d, &s->u.loop.step);
    sweep(d, &s->u.loop.body);
    add_set(d, d->live, after);
    drop_set(d, after);
    read_expr(d, s->u.loop.cond);
    sweep(d, &s->u.loop.pre);
}

static bool sweep_stmt(dying *d, sir_stmt *s)
{
    switch ((sir_stmt_kind)s->kind) {
    case SIR_DECL: return sweep_decl(d, s);
    case SIR_SET: return sweep_set(d, s);
    case SIR_POP:
    case SIR_RANDOM: sweep_optional_target(d, &s->u.set.target); return true;
    case SIR_CALL: sweep_call(d, s); return true;
    case SIR_IF: return sweep_if(d, s);
    case SIR_FOR: return sweep_for(d, s);
    case SIR_LOOP: sweep_loop(d, s); return true;
    default: {
        sir_parts p = sir_stmt_parts(s);
        for (size_t i = 0; i < p.expr_count; i++)
            read_expr(d, *p.expr[i]);
        for (size_t i = 0; i < p.arg_count; i++)
            read_expr(d, p.args[i]);
        return true;
    }
    }
}

static void sweep(dying *d, sir_block *b)
{
    size_t at = b->len;
    for (size_t i = b->len; i > 0; i--) {
        sir_stmt *s = b->data[i - 1];
        if (!sweep_stmt(d, s))
            continue;
        sir_visit_exprs(s, mention_expr, d);
        b->data[--at] = s;
    }
    b->len -= at;
    if (at > 0)
        memmove(b->data, b->data + at, b->len * sizeof *b->data);
}

// ---- Arrays that are filled before they are read ----

enum { DEEPEST_FILL = 8, WINDOW = 64 };

typedef struct fill {
    uint32_t local;
    struct {
        uint32_t variable;
        int64_t length;
        bool used;
    } loops[DEEPEST_FILL]; // around, from 0 up to length by 1
    size_t depth;
} fill;

// The lvalue a[i][j].. names every element once as the loops run.
static bool covers(fill *f, const sir_expr *target)
{
    while (target->kind == SIR_INDEX) {
        const sir_expr *index = target->u.arg[1];
        bool found = false;
        for (size_t i = 0; i < f->depth && !found; i++)
            if (canon_is_local(index, f->loops[i].variable) && !f->loops[i].used &&
                f->loops[i].length == (int64_t)target->u.arg[0]->type->length)
                found = f->loops[i].used = true;
        if (!found)
            return false;
        target = target->u.arg[0];
    }
    for (size_t i = 0; i < f->depth; i++)
        if (!f->loops[i].used && f->loops[i].length <= 0)
            return false; // nothing is done at all
    return canon_is_local(target, f->local);
}

// The first statement that speaks of the local gives a value to all of it, and reads none of it.
static bool fills(fill *f, sir_stmt *s)
{
    if (s->kind == SIR_FOR) {
        const sir_expr *lo = s->u.for_.lo, *hi = s->u.for_.hi;
        if (!canon_is_int(lo, 0) || !canon_is_const(hi) || s->u.for_.step != 1 || f->depth == DEEPEST_FILL)
            return false;
        f->loops[f->depth].variable = s->u.for_.local;
        f->loops[f->depth].used = false;
        f->loops[f->depth++].length = hi->u.value.i;
        sir_stmt *inner = NULL;
        for (size_t i = 0; i < s->u.for_.body.len; i++)
            if (sir_count_local_of(s->u.for_.body.data[i], f->local) > 0) {
                if (inner != NULL)
                    return false;
                inner = s->u.for_.body.data[i];
            }
        return inner != NULL && fills(f, inner);
    }
    sir_parts p = sir_stmt_parts(s);
    return p.target != NULL && sir_count_local_of(s, f->local) == 1 && covers(f, *p.target);
}

// a[0] = ..; a[1] = ..; and so on, in any order.
static bool fills_one_by_one(const sir_block *b, const uint64_t *named, size_t at, uint32_t local, uint32_t length)
{
    uint64_t seen = 0;
    if (length == 0 || length > 64)
        return false;
    for (size_t i = at; i < b->len && i < at + 2 * WINDOW; i++) {
        sir_stmt *s = b->data[i];
        size_t count = sir_may_name(named[i], local) ? sir_count_local_of(s, local) : 0;
        if (count == 0)
            continue;
        sir_parts p = sir_stmt_parts(s);
        const sir_expr *t = p.target == NULL ? NULL : *p.target;
        if (count != 1 || t == NULL || t->kind != SIR_INDEX || !canon_is_local(t->u.arg[0], local) ||
            !canon_is_const(t->u.arg[1]))
            return false;
        int32_t k = t->u.arg[1]->u.value.i;
        if (k >= 0 && (uint32_t)k < length)
            seen |= UINT64_C(1) << k;
        if (seen == UINT64_MAX >> (64 - length))
            return true;
    }
    return false;
}

// Elements that statements set, each as often as its loops go round; elements of such an array.
enum { MOST_FILLING = 1 << 15 };

typedef struct trip_fill {
    uint32_t local, length;
    uint64_t *seen;
    struct {
        uint32_t variable;
        int64_t lo, hi, step, value;
    } loops[DEEPEST_FILL]; // around
    size_t depth, set;
    bool fails;
} trip_fill;

static bool index_in_trip(const trip_fill *t, const sir_expr *e, int64_t *value)
{
    int64_t a, b;
    if (e->kind == SIR_CONST && e->type->kind == SIR_INT) {
        *value = e->u.value.i;
        return true;
    }
    for (size_t i = 0; i < t->depth; i++)
        if (canon_is_local(e, t->loops[i].variable)) {
            *value = t->loops[i].value;
            return true;
        }
    if (e->kind == SIR_UNARY && e->op == LANG_OP_NEG && index_in_trip(t, e->u.arg[0], &a)) {
        *value = -a;
        return true;
    }
    if (e->kind != SIR_BINARY || (e->op != LANG_OP_ADD && e->op != LANG_OP_SUB && e->op != LANG_OP_MUL) ||
        !index_in_trip(t, e->u.arg[0], &a) || !index_in_trip(t, e->u.arg[1], &b))
        return false;
    *value = e->op == LANG_OP_ADD ? a + b : e->op == LANG_OP_SUB ? a - b : a * b;
    return *value >= INT32_MIN && *value <= INT32_MAX;
}

// Notes what an element of the array is set by in all trips of the loops from one on.
static void fill_elements(trip_fill *t, const sir_expr *subscript, size_t loop)
{
    int64_t at;
    if (loop == t->depth) {
        t->fails |= ++t->set > MOST_FILLING || !index_in_trip(t, subscript, &at);
        if (!t->fails && at >= 0 && at < t->length)
            t->seen[at / 64] |= UINT64_C(1) << at % 64;
        return;
    }
    int64_t hi = t->loops[loop].hi, step = t->loops[loop].step;
    for (int64_t v = t->loops[loop].lo; !t->fails && (step > 0 ? v < hi : v > hi); v += step) {
        t->loops[loop].value = v;
        fill_elements(t, subscript, loop + 1);
    }
}

static void fill_in_trips(trip_fill *t, sir_stmt *s)
{
    if (s->kind == SIR_FOR) {
        const sir_expr *lo = s->u.for_.lo, *hi = s->u.for_.hi;
        t->fails |= !canon_is_const(lo) || !canon_is_const(hi) || t->depth == DEEPEST_FILL;
        if (t->fails)
            return;
        t->loops[t->depth].variable = s->u.for_.local;
        t->loops[t->depth].lo = lo->u.value.i;
        t->loops[t->depth].hi = hi->u.value.i;
        t->loops[t->depth++].step = s->u.for_.step;
        for (size_t i = 0; i < s->u.for_.body.len && !t->fails; i++)
            fill_in_trips(t, s->u.for_.body.data[i]);
        t->depth--;
        return;
    }
    const sir_expr *target = s->kind == SIR_SET || s->kind == SIR_POP ? s->u.set.target : NULL;
    size_t mentions = sir_count_local_of(s, t->local);
    t->fails |= s->kind != SIR_SET && s->kind != SIR_DECL && s->kind != SIR_POP && s->kind != SIR_PUSH;
    if (mentions == 0 || t->fails)
        return;
    if (mentions != 1 || target == NULL || target->kind != SIR_INDEX || !canon_is_local(target->u.arg[0], t->local))
        t->fails = true;
    else
        fill_elements(t, target->u.arg[1], 0);
}

// A loop whose trips set several elements each, which are all of them together: a butterfly's, for example.
static bool fills_in_trips(canon *c, sir_stmt *s, uint32_t local, const sir_type *type)
{
    if (s->kind != SIR_FOR || type->kind != SIR_ARRAY || sir_is_aggregate(type->element) || type->length == 0 ||
        type->length > MOST_FILLING)
        return false;
    trip_fill t = {.local = local, .length = (uint32_t)type->length};
    t.seen = ARENA_ARRAY(c->scratch, uint64_t, t.length / 64 + 1);
    fill_in_trips(&t, s);
    for (uint32_t i = 0; i < t.length && !t.fails; i++)
        t.fails = (t.seen[i / 64] >> i % 64 & 1) == 0;
    return !t.fails;
}

static void find_fills(canon *c, sir_block *b)
{
    const uint64_t *named = NULL;
    for (size_t i = 0; i < b->len; i++) {
        sir_stmt *s = b->data[i];
        sir_parts p = sir_stmt_parts(s);
        for (size_t k = 0; k < p.block_count; k++)
            find_fills(c, p.block[k]);
        if (s->kind != SIR_DECL || s->u.decl.init != NULL || s->u.decl.uninitialised)
            continue;
        const sir_type *t = c->f->locals.data[s->u.decl.local].type;
        if (!sir_is_aggregate(t))
            continue;
        uint32_t local = s->u.decl.local;
        size_t first = i + 1;
        if (named == NULL)
            named = canon_named_in(c, b);
        while (first < b->len && first < i + WINDOW &&
               !(sir_may_name(named[first], local) && sir_count_local_of(b->data[first], local) > 0))
            first++;
        if (first >= b->len)
            continue;
        fill f = {.local = local};
        bool element = t->kind == SIR_ARRAY && fills_one_by_one(b, named, first, local, t->length);
        s->u.decl.uninitialised = element || fills(&f, b->data[first]) || fills_in_trips(c, b->data[first], local, t);
    }
}

void canon_remove_dead(canon *c)
{
    dying d = {.c = c, .words = c->f->locals.len / 64 + 1};
    d.live = ARENA_ARRAY(c->scratch, uint64_t, d.words);
    d.needed = ARENA_ARRAY(c->scratch, uint64_t, d.words);
    d.mentioned = ARENA_ARRAY(c->scratch, uint64_t, d.words);
    sir_visit_stmts(&c->f->body, note_needs, &d);
    for (uint32_t i = 0; i < c->f->param_count; i++)
        if (c->f->locals.data[i].by_reference) {
            put(d.live, i);
            put(d.needed, i);
        }
    sweep(&d, &c->f->body);
    find_fills(c, &c->f->body);
}
