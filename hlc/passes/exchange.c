// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass 'exchange': a short insertion sort of ints compares and exchanges neighbours, always as often:
//
//     for (i = 1; i < 9; i++) {                      for (i = 1; i < 9; i++)
//         int key = v[i];                                for (j = i - 1; j > -1; j--) {
//         int j = i - 1;                                     int a = v[j];
//         while (j >= 0 && v[j] > key) {      ->             int b = v[j + 1];
//             v[j + 1] = v[j];                               v[j] = a > b ? b : a;
//             j--;                                           v[j + 1] = a > b ? a : b;
//         }                                              }
//         v[j + 1] = key;
//     }
//
// Or j is one more throughout: it begins at i, and array[j - 1] is looked at while j > 0. Or the key comes from elsewhere, as an
// item does that is put in its place when it is popped: it is in the array's element i first, then.
//
// What lies before element i is in order, so that a key goes no further once it met one that is not greater; equal ints are
// the same, whichever came first. A loop that data end waits for the last of the firings side by side, with a mask, and
// the elements of their arrays differ in place; here is neither.
#include "hlc/ir/lanes.h"
#include "hlc/ir/walk.h"
#include "hlc/passes/canonicalize.h"
#include "hlc/passes/pass.h"

// Elements at most: half of the exchanges are for nothing.
enum { MOST_ELEMENTS = 32 };

typedef struct sort {
    uint32_t array, i, j, key; // locals
    uint8_t op;                // of "array[j] op key"
    int32_t more;              // array[j - more] is what is looked at: 0 or 1
    bool lies;                 // the key is the array's element i, and nothing else is done for it
} sort;

static bool is_local(const sir_expr *e, uint32_t local)
{
    return e != NULL && e->kind == SIR_LOCAL && e->index == local;
}

// local + n.
static bool is_beside(const sir_expr *e, uint32_t local, int32_t n)
{
    if (n == 0)
        return is_local(e, local);
    if (e == NULL || e->kind != SIR_BINARY || !is_local(e->u.arg[0], local) || e->u.arg[1]->kind != SIR_CONST)
        return false;
    int32_t by = e->u.arg[1]->u.value.i;
    return (e->op == LANG_OP_ADD && by == n) || (e->op == LANG_OP_SUB && by == -n);
}

static bool is_element(const sir_expr *e, uint32_t array, uint32_t local, int32_t n)
{
    return e != NULL && e->kind == SIR_INDEX && is_local(e->u.arg[0], array) && is_beside(e->u.arg[1], local, n);
}

static bool is_set(const sir_stmt *s)
{
    return s->kind == SIR_SET;
}

// j >= 0 && array[j] > key
static bool finds_place(const sir_expr *cond, sort *s)
{
    if (cond == NULL || cond->kind != SIR_BINARY || cond->op != LANG_OP_LAND)
        return false;
    const sir_expr *in = cond->u.arg[0], *order = cond->u.arg[1];
    bool inside = in->kind == SIR_BINARY && is_local(in->u.arg[0], s->j) && in->u.arg[1]->kind == SIR_CONST &&
                  ((in->op == LANG_OP_GE && in->u.arg[1]->u.value.i == s->more) ||
                   (in->op == LANG_OP_GT && in->u.arg[1]->u.value.i == s->more - 1));
    if (!inside || order->kind != SIR_BINARY || order->op < LANG_OP_LT || order->op > LANG_OP_GE)
        return false;
    static const uint8_t turned[] = {
        [LANG_OP_LT] = LANG_OP_GT, [LANG_OP_LE] = LANG_OP_GE, [LANG_OP_GT] = LANG_OP_LT, [LANG_OP_GE] = LANG_OP_LE};
    bool straight = is_element(order->u.arg[0], s->array, s->j, -s->more) && is_local(order->u.arg[1], s->key);
    bool other = is_element(order->u.arg[1], s->array, s->j, -s->more) && is_local(order->u.arg[0], s->key);
    s->op = straight ? order->op : turned[order->op];
    return straight || other;
}

// array[j + 1] = array[j]   j = j - 1
static bool moves_on(const sir_stmt *loop, const sort *s)
{
    const sir_block *b = &loop->u.loop.body, *step = &loop->u.loop.step;
    if (loop->u.loop.post_test || loop->u.loop.pre.len != 0 || b->len + step->len != 2 || b->len == 0)
        return false;
    const sir_stmt *move = b->data[0], *down = b->len == 2 ? b->data[1] : step->data[0];
    return is_set(move) && is_set(down) && is_element(move->u.set.target, s->array, s->j, 1 - s->more) &&
           is_element(move->u.set.value, s->array, s->j, -s->more) && is_local(down->u.set.target, s->j) &&
           is_beside(down->u.set.value, s->j, -1);
}

// Whether the first statements of a trip, which find the key, leave the array as it is.
static bool leave_array(const sir_block *b, size_t count, uint32_t array)
{
    return !sir_sets_local(&(sir_block){.data = b->data, .len = count}, array);
}

// The last three statements of a trip put a key in its place; those before them find it.
static bool is_sort(const sir_function *f, const sir_stmt *s, sort *r)
{
    if (s->kind != SIR_FOR || s->u.for_.step != 1 || s->u.for_.lo->kind != SIR_CONST ||
        s->u.for_.hi->kind != SIR_CONST || s->u.for_.body.len < 4)
        return false;
    const size_t finds = s->u.for_.body.len - 3;
    sir_stmt *const *b = s->u.for_.body.data, *const *puts = b + finds;
    const int32_t first = s->u.for_.lo->u.value.i, n = s->u.for_.hi->u.value.i;
    if (puts[0]->kind != SIR_DECL || puts[1]->kind != SIR_LOOP || !is_set(puts[2]) || first < 0 || first > 1)
        return false;
    const sir_expr *target = puts[2]->u.set.target, *key = puts[2]->u.set.value, *from = puts[0]->u.decl.init;
    if (target->kind != SIR_INDEX || target->u.arg[0]->kind != SIR_LOCAL || key->kind != SIR_LOCAL ||
        key->type->kind != SIR_INT)
        return false;
    *r = (sort){.array = target->u.arg[0]->index, .i = s->u.for_.local, .j = puts[0]->u.decl.local, .key = key->index};
    r->more = is_local(from, r->i);
    r->lies = finds == 1 && b[0]->kind == SIR_DECL && b[0]->u.decl.local == r->key && first == 1 &&
              is_element(b[0]->u.decl.init, r->array, r->i, 0);
    const sir_local *array = &f->locals.data[r->array];
    return n > 1 && n <= MOST_ELEMENTS && !array->by_reference && array->type->kind == SIR_ARRAY &&
           (uint32_t)n <= array->type->length && leave_array(&s->u.for_.body, finds, r->array) &&
           is_beside(from, r->i, r->more - 1) && finds_place(puts[1]->u.loop.cond, r) && moves_on(puts[1], r) &&
           is_element(target, r->array, r->j, 1 - r->more);
}

typedef struct exchanger {
    sir_module *m;
    sir_function *f;
    size_t found;
} exchanger;

static sir_expr *element(exchanger *x, const sort *s, uint32_t place, int32_t n, sir_loc loc)
{
    const sir_type *t = x->m->scalar[SIR_INT], *array = x->f->locals.data[s->array].type;
    sir_expr *at = sir_ref(x->m, SIR_LOCAL, place, t, loc);
    if (n != 0)
        at = sir_expr2(x->m, SIR_BINARY, LANG_OP_ADD, t, at, sir_const_int(x->m, n, loc), loc);
    return sir_expr2(x->m, SIR_INDEX, 0, array->element, sir_ref(x->m, SIR_LOCAL, s->array, array, loc), at, loc);
}

static uint32_t load(exchanger *x, const sort *s, int32_t n, const char *name, sir_block *to, sir_loc loc)
{
    sir_stmt *decl = sir_stmt_new(x->m, SIR_DECL, loc);
    decl->u.decl.local = sir_local_new(x->m, x->f, name, x->m->scalar[SIR_INT], loc);
    decl->u.decl.init = element(x, s, s->j, n, loc);
    VEC_PUSH(x->m->arena, to, decl);
    return decl->u.decl.local;
}

static void store(exchanger *x, const sort *s, int32_t n, uint32_t a, uint32_t b, sir_block *to, sir_loc loc)
{
    const sir_type *t = x->m->scalar[SIR_INT];
    uint32_t out_of_order = n == 0 ? b : a, in_order = n == 0 ? a : b, left = to->data[0]->u.decl.local,
             right = to->data[1]->u.decl.local;
    sir_stmt *set = sir_stmt_new(x->m, SIR_SET, loc);
    sir_expr *compare = sir_expr2(x->m, SIR_BINARY, s->op, x->m->scalar[SIR_BOOLEAN],
                                  sir_ref(x->m, SIR_LOCAL, left, t, loc), sir_ref(x->m, SIR_LOCAL, right, t, loc), loc);
    set->u.set.target = element(x, s, s->j, n, loc);
    set->u.set.value = sir_expr3(x->m, SIR_SELECT, t, compare, sir_ref(x->m, SIR_LOCAL, out_of_order, t, loc),
                                 sir_ref(x->m, SIR_LOCAL, in_order, t, loc), loc);
    VEC_PUSH(x->m->arena, to, set);
}

// The trip's first statements, and the key in the element behind those that are in order.
static void put_key(exchanger *x, sir_block *body, const sort *r, sir_loc loc)
{
    body->len -= 3;
    sir_stmt *set = sir_stmt_new(x->m, SIR_SET, loc);
    set->u.set.target = element(x, r, r->i, 0, loc);
    set->u.set.value = sir_ref(x->m, SIR_LOCAL, r->key, x->m->scalar[SIR_INT], loc);
    VEC_PUSH(x->m->arena, body, set);
}

static void exchange(exchanger *x, sir_stmt *s, const sort *r)
{
    const sir_type *t = x->m->scalar[SIR_INT];
    sir_loc loc = s->u.for_.body.data[s->u.for_.body.len - 2]->loc;
    sir_stmt *inner = sir_stmt_new(x->m, SIR_FOR, loc);
    inner->u.for_.local = r->j;
    inner->u.for_.lo = sir_expr2(x->m, SIR_BINARY, LANG_OP_SUB, t, sir_ref(x->m, SIR_LOCAL, r->i, t, loc),
                                 sir_const_int(x->m, 1, loc), loc);
    inner->u.for_.hi = sir_const_int(x->m, -1, loc);
    inner->u.for_.step = -1;
    sir_block *b = &inner->u.for_.body;
    uint32_t left = load(x, r, 0, "left", b, loc), right = load(x, r, 1, "right", b, loc);
    store(x, r, 0, left, right, b, loc);
    store(x, r, 1, left, right, b, loc);
    if (r->lies)
        s->u.for_.body = (sir_block){0};
    else
        put_key(x, &s->u.for_.body, r, loc);
    VEC_PUSH(x->m->arena, &s->u.for_.body, inner);
    x->found++;
}

static void visit(void *context, sir_stmt *s)
{
    exchanger *x = context;
    sort r;
    if (is_sort(x->f, s, &r))
        exchange(x, s, &r);
}

bool pass_exchange(hlc_program *p)
{
    if (p->config->no_lanes || !pass_may_change_more(p))
        return false;
    bool changed = false;
    for (VEC_EACH(sir_filter *, filter, &p->module->filters)) {
        sir_filter *f = *filter;
        arena *a = arena_create();
        bool *locals = ARENA_ARRAY(a, bool, f->work->locals.len + 1);
        exchanger x = {.m = p->module, .f = f->work};
        if (!f->finite && !f->stateful && !f->prints && !f->uses_random && !f->sends &&
            sir_lane_locals(f->work, locals))
            sir_visit_stmts(&f->work->body, visit, &x);
        arena_destroy(a);
        if (x.found == 0)
            continue;
        diag_remark(p->diag, sir_range(p->module, p->sources, f->work->loc),
                    "'%s' sorts by exchanges, as many whatever the items are [exchange]", f->name);
        sir_filter_derive(p->module, f);
        changed = true;
    }
    return changed;
}
