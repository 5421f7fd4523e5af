// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tables over a key of few values. Where a condition asks for a number of at most eight bits, and both branches do the same
// but for look-ups by it, such as products of a finite field by logarithms, the branches become one.
//
//     if %f != 0 {                                                for %j = 15 to 0 step -1 {
//         var %log = $log[%f]                                         %b[%j] = %b[%j - 1] ^ $table[%f][%j]
//         for %j = 15 to 0 step -1 {                                }
//             %b[%j] = %b[%j - 1] ^ $alog[$gen[%j] + %log]   ->
//         }
//     } else { for %j = 15 to 0 step -1 { %b[%j] = %b[%j - 1] } }
//
// What a loop over some places computes of such a number and the place alone, such as how far a symbol is from what each state
// of a decoder expects, is a row of a table:
//
//     for %s = 0 to 16 {                                          for %s = 0 to 16 {
//         var %x = $expected[%s] ^ %symbol                   ->       var %a = %metric[%s >> 1] + $table[%symbol][%s]
//         var %a = %metric[%s >> 1] + (%x >> 1) + (%x & 1)        }
//     }
//
// Not where firings may go side by side in vectors: each lane would have a row of its own.
//
// NOTE(keys). A key is a local that is assigned where it is declared alone. Of branches it may also be one that goes from trip
// to trip, such as a syndrome's sum, where nothing but the last statement of a branch assigns it. Bits that it may have are those of
// tabulate_bits.c.
#include <inttypes.h>
#include <string.h>

#include "hlc/ir/copy.h"
#include "hlc/passes/canonicalize.h"
#include "hlc/passes/canonicalize_int.h"
#include "hlc/passes/tabulate_int.h"
#include "hlc/plan/plan_int.h"

// Values of a key; elements of a table; loops around.
enum { KEY_VALUES = 256, KEY_ELEMENTS = 8192, KEY_LOOPS = 16 };

// Of what a loop computes of a key: trips and operations of a trip from which a row of a table is better, sums and products
// aside, which subscripts are made of; operations, at most; steps of looking for such in a function, in all.
enum { ROW_TRIPS = 12, ROW_OPERATIONS = 4, ROW_MOST = 64, ROW_STEPS = 1 << 16 };

typedef struct key_pass {
    arena *a;
    hlc_program *hlc;
    sir_module *m;
    sir_filter *filter;
    sir_function *f;
    int64_t *bytes;
    uint32_t *bits;   // per local: that its values may have
    sir_expr **value; // tab_scalar_values
    tab_loops loops;  // around the present statement, outermost first
    // Of the branches that become one:
    const sir_expr *cond;
    bool negated;
    uint32_t key;
    int32_t key_now;
    bool *within;  // per local: declared in the branches; NULL: the key is never assigned again
    bool looks_up; // something that goes is looked up by the key
    size_t tables;
    bool changed;
    // Of the loop whose trips look up in rows:
    bool *inside;  // per local: declared in it
    bool *read;    // per local: by statements that were seen
    uint32_t told; // the key of the last such table
    int64_t steps; // left
} key_pass;

// ---- Values ----

static bool given(const void *context, const sir_expr *e, sir_scalar *r)
{
    const key_pass *x = context;
    if (e->kind != SIR_LOCAL)
        return false;
    const tab_loop *l = tab_find_loop(&x->loops, e->index);
    if (e->index == x->key || l != NULL) {
        *r = (sir_scalar){.i = e->index == x->key ? x->key_now : l->now};
        return true;
    }
    const tab_values values = {.m = x->m, .filter = x->filter, .context = x, .given = given};
    return x->value[e->index] != NULL && tab_compute(&values, x->value[e->index], r);
}

// What a local holds, as an expression of the key as it is now; NULL: that is not known.
static const sir_expr *value_of(const key_pass *x, uint32_t local)
{
    return x->within == NULL || x->within[local] ? x->value[local] : NULL;
}

// Loops whose variables it depends on, by bit; false: it is not made of those, the key and constants.
static bool depends_on(key_pass *x, const sir_expr *e, uint32_t *loops)
{
    if (e->kind == SIR_LOCAL && e->index == x->key)
        return true;
    if (e->kind == SIR_LOCAL) {
        const tab_loop *l = tab_find_loop(&x->loops, e->index);
        if (l != NULL)
            *loops |= 1u << (l - x->loops.data);
        return l != NULL || (value_of(x, e->index) != NULL && depends_on(x, value_of(x, e->index), loops));
    }
    if (e->kind == SIR_PEEK || e->kind == SIR_FETCH || e->kind == SIR_ITER)
        return false;
    if (e->kind == SIR_FIELD || e->kind == SIR_GLOBAL)
        return sir_constant_value(x->m, x->filter, e) != NULL;
    x->looks_up |= e->kind == SIR_INDEX && e->u.arg[1]->kind != SIR_CONST;
    size_t arity = sir_expr_arity(e);
    for (size_t i = 0; i < arity; i++)
        if (!depends_on(x, e->u.arg[i], loops))
            return false;
    return true;
}

// ---- Tables ----

typedef struct key_table {
    const sir_expr *then, *otherwise;
    sir_scalar *to;
    uint32_t loops;
} key_table;

static bool fill_from(key_pass *x, key_table *t, size_t loop)
{
    while (loop < x->loops.len && (t->loops >> loop & 1) == 0)
        loop++;
    const tab_values values = {.m = x->m, .filter = x->filter, .context = x, .given = given};
    if (loop == x->loops.len) {
        sir_scalar c;
        return tab_compute(&values, x->cond, &c) &&
               tab_compute(&values, (c.i != 0) != x->negated ? t->then : t->otherwise, t->to++);
    }
    tab_loop *l = &x->loops.data[loop];
    for (int64_t i = 0; i < l->extent; i++) {
        l->now = (int32_t)(l->least + i);
        if (!fill_from(x, t, loop + 1))
            return false;
    }
    return true;
}

// An element of a table that is the one value where the condition holds, and the other where it does not; NULL: there is none.
static sir_expr *choose(key_pass *x, const sir_expr *then, const sir_expr *otherwise)
{
    key_table t = {.then = then, .otherwise = otherwise};
    const sir_type *type = then->type;
    if (type->kind != SIR_INT || !depends_on(x, then, &t.loops) || !depends_on(x, otherwise, &t.loops))
        return NULL;
    int64_t rows = (int64_t)x->bits[x->key] + 1, n = rows;
    for (size_t i = x->loops.len; i-- > 0;) {
        if ((t.loops >> i & 1) == 0)
            continue;
        const tab_loop *l = &x->loops.data[i]; // every value has a trip
        n = l->extent <= 0 || l->step != 1 || l->extent > KEY_ELEMENTS / n ? KEY_ELEMENTS + 1 : n * l->extent;
        if (n > KEY_ELEMENTS)
            return NULL;
        type = sir_type_array(x->m, type, (uint32_t)l->extent);
    }
    if (n * 4 > *x->bytes)
        return NULL;
    sir_value value = sir_value_new(x->a, sir_type_array(x->m, type, (uint32_t)rows));
    t.to = value.data;
    for (x->key_now = 0; x->key_now < rows; x->key_now++)
        if (!fill_from(x, &t, 0))
            return NULL;
    *x->bytes -= n * 4;
    x->tables++;
    sir_loc loc = then->loc;
    const sir_type *ints = x->m->scalar[SIR_INT];
    sir_expr *r = sir_ref(x->m, SIR_FIELD, tab_field(x->m, x->filter, value, loc), value.type, loc);
    r = sir_expr2(x->m, SIR_INDEX, 0, r->type->element, r, sir_ref(x->m, SIR_LOCAL, x->key, ints, loc), loc);
    for (size_t i = 0; i < x->loops.len; i++) {
        const tab_loop *l = &x->loops.data[i];
        if ((t.loops >> i & 1) == 0)
            continue;
        sir_expr *at = tab_subscript(x->m, sir_ref(x->m, SIR_LOCAL, l->local, ints, loc), l->least, loc);
        r = sir_expr2(x->m, SIR_INDEX, 0, r->type->element, r, at, loc);
    }
    return r;
}

// ---- Branches ----

// What both branches make of an element is a sum of the same and something else, or of the same alone.
static sir_expr *join_values(key_pass *x, sir_expr *then, sir_expr *otherwise)
{
    static const uint8_t sums[] = {LANG_OP_XOR, LANG_OP_OR, LANG_OP_ADD, LANG_OP_SUB};
    if (sir_same_expr(then, otherwise, false))
        return then;
    for (size_t i = 0; i < sizeof sums && then->kind == SIR_BINARY && then->type->kind == SIR_INT; i++) {
        if (then->op != sums[i])
            continue;
        for (int side = 0; side < (then->op == LANG_OP_SUB ? 1 : 2); side++) {
            if (!sir_same_expr(then->u.arg[side], otherwise, false))
                continue;
            sir_expr *more = choose(x, then->u.arg[1 - side], sir_const_int(x->m, 0, then->loc));
            return more == NULL ? NULL
                                : sir_expr2(x->m, SIR_BINARY, then->op, then->type, then->u.arg[side], more, then->loc);
        }
    }
    return choose(x, then, otherwise);
}

// The block without declarations of what is in tables. What may stop the program, or wait for items, stays.
static sir_block without_values(const key_pass *x, const sir_block *b)
{
    const canon_options options = {0};
    const canon c = {.peeks_wait = true, .options = &options};
    sir_block r = {0};
    for (size_t i = 0; i < b->len; i++) {
        const sir_stmt *s = b->data[i];
        const sir_expr *value = s->kind == SIR_DECL ? x->value[s->u.decl.local] : NULL;
        if (value == NULL || canon_may_trap(&c, value))
            VEC_PUSH(x->a, &r, b->data[i]);
    }
    return r;
}

static bool join_blocks(key_pass *x, const sir_block *then, const sir_block *otherwise, sir_block *to);

typedef struct other_variable {
    uint32_t from, to;
    const sir_type *type;
    sir_module *m;
} other_variable;

static sir_expr *rename_variable(void *context, const sir_expr *e)
{
    const other_variable *v = context;
    return e->kind == SIR_LOCAL && e->index == v->from ? sir_ref(v->m, SIR_LOCAL, v->to, e->type, e->loc) : NULL;
}

static bool join_loops(key_pass *x, const sir_stmt *a, const sir_stmt *b, sir_block *to)
{
    const sir_expr *lo = a->u.for_.lo, *hi = a->u.for_.hi;
    bool known = lo->kind == SIR_CONST && hi->kind == SIR_CONST;
    if (!known || x->loops.len == KEY_LOOPS || a->u.for_.step != b->u.for_.step ||
        !sir_same_expr(lo, b->u.for_.lo, false) || !sir_same_expr(hi, b->u.for_.hi, false))
        return false;
    other_variable v = {.from = b->u.for_.local, .to = a->u.for_.local, .m = x->m};
    const sir_copier copier = {.arena = x->m->arena, .context = &v, .expr = rename_variable};
    const sir_block renamed = sir_copy_block(&copier, &b->u.for_.body);
    sir_stmt *loop = sir_stmt_new(x->m, SIR_FOR, a->loc);
    loop->u.for_ = a->u.for_;
    loop->u.for_.body = (sir_block){0};
    VEC_PUSH(x->m->arena, to, loop);
    return join_blocks(x, &a->u.for_.body, &renamed, &loop->u.for_.body);
}

// A local, or an element that is in its array for all values of the loops' variables.
static bool is_there(const key_pass *x, const sir_expr *target)
{
    for (; target->kind == SIR_INDEX; target = target->u.arg[0]) {
        const sir_expr *at = target->u.arg[1];
        const tab_loop *l = at->kind == SIR_LOCAL ? tab_find_loop(&x->loops, at->index) : NULL;
        int64_t least = at->kind == SIR_CONST        ? at->u.value.i
                        : l != NULL && l->extent > 0 ? l->least
                                                     : -1,
                most = at->kind == SIR_CONST ? least
                       : l != NULL           ? least + l->extent - 1
                                             : -1;
        if (least < 0 || most >= (int64_t)target->u.arg[0]->type->length)
            return false;
    }
    return target->kind == SIR_LOCAL;
}

static bool join_blocks(key_pass *x, const sir_block *then, const sir_block *otherwise, sir_block *to)
{
    const sir_block a = without_values(x, then), b = without_values(x, otherwise);
    bool joined = (a.len == b.len || b.len == 0) && a.len > 0;
    for (size_t i = 0; i < a.len && joined; i++) {
        const sir_stmt *s = a.data[i], *t = b.len == 0 ? NULL : b.data[i];
        joined = (t == NULL || s->kind == t->kind) && (s->kind == SIR_SET || (s->kind == SIR_FOR && t != NULL));
        if (joined && s->kind == SIR_FOR) {
            VEC_PUSH(x->a, &x->loops, tab_loop_of(s));
            joined = join_loops(x, s, t, to);
            x->loops.len--;
        } else if (joined) {
            sir_stmt *set = sir_stmt_new(x->m, SIR_SET, s->loc);
            set->u.set.target = s->u.set.target;
            // Where there is no other branch a variable stays as it is.
            joined =
                t == NULL ? is_there(x, s->u.set.target) : sir_same_expr(s->u.set.target, t->u.set.target, false);
            set->u.set.value =
                joined ? join_values(x, s->u.set.value, t == NULL ? s->u.set.target : t->u.set.value) : NULL;
            joined = set->u.set.value != NULL;
            VEC_PUSH(x->m->arena, to, set);
        }
    }
    return joined;
}

// "key == 0": a local of few values, against a constant.
static bool asks_for_key(key_pass *x, const sir_expr *cond)
{
    bool compares = cond->kind == SIR_BINARY && cond->op >= LANG_OP_EQ && cond->op <= LANG_OP_GE;
    if (!compares || cond->u.arg[0]->kind != SIR_LOCAL || cond->u.arg[1]->kind != SIR_CONST)
        return false;
    uint32_t key = cond->u.arg[0]->index;
    if (cond->u.arg[0]->type->kind != SIR_INT || x->bits[key] >= KEY_VALUES || tab_below(x->bits[key]) != x->bits[key])
        return false;
    x->cond = cond;
    x->key = key;
    return true;
}

typedef struct key_walk {
    key_pass *x;
    bool assigns;
} key_walk;

static void look_within(void *context, sir_stmt *s)
{
    key_walk *w = context;
    const sir_expr *root = sir_assigned_root(s);
    if (s->kind == SIR_DECL)
        w->x->within[s->u.decl.local] = true;
    w->assigns |= root != NULL && root->kind == SIR_LOCAL && root->index == w->x->key;
}

// Whether a branch reads the key as it was when the condition asked for it: none but the last statement assigns it.
static bool keeps_key(key_pass *x, const sir_block *b)
{
    for (size_t i = 0; i < b->len; i++) {
        key_walk w = {.x = x};
        sir_visit_stmts(&(sir_block){.data = &b->data[i], .len = 1}, look_within, &w);
        if (w.assigns && (i + 1 < b->len || b->data[i]->kind != SIR_SET))
            return false;
    }
    return true;
}

static bool join_branches(key_pass *x, const sir_stmt *s, sir_block *to)
{
    size_t fields = x->filter->fields.len;
    int64_t bytes = *x->bytes;
    sir_block joined = {0};
    if (!asks_for_key(x, s->u.if_.cond))
        return false;
    x->within = x->value[x->key] != NULL ? NULL : ARENA_ARRAY(x->a, bool, x->f->locals.len + 1);
    if (x->within != NULL && (!keeps_key(x, &s->u.if_.then) || !keeps_key(x, &s->u.if_.otherwise)))
        return false;
    // Both ways: the sum may be in either branch.
    for (int turn = 0; turn < 2; turn++) {
        x->looks_up = false;
        x->tables = 0;
        joined = (sir_block){0};
        const sir_block *then = turn == 0 ? &s->u.if_.then : &s->u.if_.otherwise;
        const sir_block *otherwise = turn == 0 ? &s->u.if_.otherwise : &s->u.if_.then;
        x->negated = turn == 1;
        if (join_blocks(x, then, otherwise, &joined) && x->looks_up && x->tables > 0) {
            for (size_t i = 0; i < joined.len; i++)
                VEC_PUSH(x->m->arena, to, joined.data[i]);
            return true;
        }
        x->filter->fields.len = fields;
        *x->bytes = bytes;
    }
    return false;
}

// ---- Elements as keys ----

// "a[j]" of a local array, and what it is called while branches become one.
typedef struct key_element {
    sir_module *m;
    const sir_expr *element;
    uint32_t array, local;
    bool others; // the array is used in another way, too
} key_element;

static sir_expr *name_element(void *context, const sir_expr *e)
{
    key_element *k = context;
    if (sir_same_expr(e, k->element, false))
        return sir_ref(k->m, SIR_LOCAL, k->local, e->type, e->loc);
    k->others |= e->kind == SIR_LOCAL && e->index == k->array;
    return NULL;
}

// Whether the condition asks for an element of few values, at a place that is the same in both branches.
static bool asks_for_element(const key_pass *x, const sir_expr *cond, key_element *k)
{
    const sir_expr *e =
        cond->kind == SIR_BINARY && cond->op >= LANG_OP_EQ && cond->op <= LANG_OP_GE ? cond->u.arg[0] : NULL;
    if (e == NULL || e->kind != SIR_INDEX || e->type->kind != SIR_INT || !is_there(x, e))
        return false;
    const sir_expr *root = sir_lvalue_root((sir_expr *)(uintptr_t)e);
    *k = (key_element){.m = x->m, .element = e, .array = root->index};
    return x->bits[root->index] < KEY_VALUES;
}

static uint32_t add_key(key_pass *x, uint32_t bits, sir_loc loc)
{
    const size_t n = x->f->locals.len;
    uint32_t local = sir_local_new(x->m, x->f, "element", x->m->scalar[SIR_INT], loc);
    uint32_t *more = ARENA_ARRAY(x->a, uint32_t, n + 2);
    sir_expr **value = ARENA_ARRAY(x->a, sir_expr *, n + 2);
    memcpy(more, x->bits, n * sizeof *more);
    memcpy(value, x->value, n * sizeof *value);
    more[local] = bits;
    value[local] = NULL;
    x->bits = more;
    x->value = value;
    return local;
}

// An element goes through the branches as a local.
//
//     if %s[%j] != 0 { %s[%j] = $exp[$log[%s[%j]] + %j] }   ->   var %e = %s[%j]; %e = $table[%e][%j]; %s[%j] = %e
static bool join_by_element(key_pass *x, const sir_stmt *s, sir_block *to)
{
    key_element k;
    const size_t locals = x->f->locals.len, before = to->len;
    if (!asks_for_element(x, s->u.if_.cond, &k))
        return false;
    k.local = add_key(x, x->bits[k.array], s->loc);
    const sir_copier copier = {.arena = x->m->arena, .context = &k, .expr = name_element};
    const sir_block one = {.data = (sir_stmt **)(uintptr_t)&s, .len = 1};
    const sir_block copy = sir_copy_block(&copier, &one);
    const sir_type *ints = x->m->scalar[SIR_INT];
    sir_stmt *decl = sir_stmt_new(x->m, SIR_DECL, s->loc), *set = sir_stmt_new(x->m, SIR_SET, s->loc);
    const sir_copier plain = {.arena = x->m->arena};
    decl->u.decl.local = k.local;
    decl->u.decl.init = sir_copy_expr(&plain, k.element);
    VEC_PUSH(x->m->arena, to, decl);
    if (k.others || !join_branches(x, copy.data[0], to)) {
        to->len = before;
        x->f->locals.len = locals;
        x->f->names = NULL; // these have the name that goes
        return false;
    }
    set->u.set.target = sir_copy_expr(&plain, k.element);
    set->u.set.value = sir_ref(x->m, SIR_LOCAL, k.local, ints, s->loc);
    VEC_PUSH(x->m->arena, to, set);
    return true;
}

static void join_in(key_pass *x, sir_block *b)
{
    sir_block to = {0};
    for (VEC_EACH(sir_stmt *, p, b)) {
        sir_stmt *s = *p;
        if (s->kind == SIR_FOR)
            VEC_PUSH(x->a, &x->loops, tab_loop_of(s));
        sir_parts parts = sir_stmt_parts(s);
        for (uint8_t i = 0; i < parts.block_count; i++)
            join_in(x, parts.block[i]);
        if (s->kind == SIR_FOR)
            x->loops.len--;
        if (s->kind != SIR_IF || x->loops.len > KEY_LOOPS ||
            (!join_branches(x, s, &to) && !join_by_element(x, s, &to))) {
            VEC_PUSH(x->m->arena, &to, s);
            continue;
        }
        x->changed = true;
        if (x->hlc->diag->remarks)
            diag_remark(x->hlc->diag, sir_range(x->m, x->hlc->sources, s->loc),
                        "both branches in '%s' do the same but for look-ups by '%s', of which %" PRIu32
                        " values become %zu constant %s [tabulate]",
                        x->filter->name, x->f->locals.data[x->key].name, x->bits[x->key] + 1, x->tables,
                        x->tables == 1 ? "table" : "tables");
    }
    *b = to;
}

// ---- Rows ----

static bool is_key(const key_pass *x, uint32_t local)
{
    return x->f->locals.data[local].type->kind == SIR_INT && x->value[local] != NULL && x->bits[local] < KEY_VALUES &&
           tab_below(x->bits[local]) == x->bits[local];
}

typedef struct row_value {
    uint32_t key; // SIR_NONE: constants and the loops' variables alone
    int operations;
} row_value;

static bool find_row(key_pass *x, const sir_expr *e, row_value *r);

// What a local is made of, or the local itself, which then is the same in all trips.
static bool find_row_of_local(key_pass *x, uint32_t local, row_value *r)
{
    if (tab_find_loop(&x->loops, local) != NULL)
        return local == VEC_LAST(&x->loops).local;
    row_value of = *r;
    if (x->value[local] != NULL && find_row(x, x->value[local], &of)) {
        *r = of;
        return true;
    }
    if (!is_key(x, local) || x->inside[local] || (r->key != SIR_NONE && r->key != local))
        return false;
    r->key = local;
    return true;
}

// False: it is made of more than one key, constants and loops' variables.
static bool find_row(key_pass *x, const sir_expr *e, row_value *r)
{
    if (x->steps-- <= 0 || r->operations > ROW_MOST)
        return false;
    switch ((sir_expr_kind)e->kind) {
    case SIR_CONST: return true;
    case SIR_LOCAL: return find_row_of_local(x, e->index, r);
    case SIR_FIELD:
    case SIR_GLOBAL: return sir_constant_value(x->m, x->filter, e) != NULL;
    case SIR_UNARY:
    case SIR_BINARY:
    case SIR_SELECT:
    case SIR_INDEX: break;
    default: return false;
    }
    bool affine = e->kind == SIR_BINARY && (e->op == LANG_OP_ADD || e->op == LANG_OP_SUB || e->op == LANG_OP_MUL);
    r->operations += !affine;
    size_t arity = sir_expr_arity(e);
    for (size_t i = 0; i < arity; i++)
        if (!find_row(x, e->u.arg[i], r))
            return false;
    return true;
}

typedef VEC(sir_expr *) expr_list;

static void find_terms(key_pass *x, sir_expr *e, expr_list *terms)
{
    if (e->kind != SIR_BINARY || e->op != LANG_OP_ADD || e->type->kind != SIR_INT) {
        VEC_PUSH(x->a, terms, e);
        return;
    }
    find_terms(x, e->u.arg[0], terms);
    find_terms(x, e->u.arg[1], terms);
}

static sir_expr *plus(const key_pass *x, sir_expr *a, sir_expr *b)
{
    return a == NULL ? b : sir_expr2(x->m, SIR_BINARY, LANG_OP_ADD, x->m->scalar[SIR_INT], a, b, b->loc);
}

static bool depends_on_innermost(key_pass *x, const sir_expr *e)
{
    uint32_t loops = 0;
    return depends_on(x, e, &loops) && loops == UINT32_C(1) << (x->loops.len - 1);
}

// Of a sum's terms those that are made of one key and the loop's variable become an element of a row; NULL: they are too few.
static sir_expr *look_up_row(key_pass *x, sir_expr *e)
{
    expr_list terms = {0};
    row_value r = {.key = SIR_NONE};
    sir_expr *row = NULL, *others = NULL;
    find_terms(x, e, &terms);
    for (VEC_EACH(sir_expr *, t, &terms)) {
        row_value with = r;
        bool fits = find_row(x, *t, &with);
        r = fits ? with : r;
        row = fits ? plus(x, row, *t) : row;
        others = fits ? others : plus(x, others, *t);
    }
    x->key = r.key;
    if (r.key == SIR_NONE || r.operations < ROW_OPERATIONS || !depends_on_innermost(x, row))
        return NULL;
    x->cond = sir_const_int(x->m, 1, e->loc);
    x->negated = false;
    sir_expr *element = choose(x, row, row);
    if (element == NULL)
        return NULL;
    x->told = x->key;
    return plus(x, others, element);
}

// Subscripts stay: a loop goes through memory by what its variable says.
static void look_up_rows(key_pass *x, sir_expr **at)
{
    sir_expr *e = *at, *row = NULL;
    if (e->type->kind == SIR_INT && (e->kind == SIR_BINARY || e->kind == SIR_UNARY || e->kind == SIR_SELECT))
        row = look_up_row(x, e);
    if (row != NULL) {
        *at = row;
        return;
    }
    size_t arity = e->kind == SIR_INDEX || e->kind == SIR_PEEK || e->kind == SIR_FETCH ? 0 : sir_expr_arity(e);
    for (size_t i = 0; i < arity; i++)
        look_up_rows(x, &e->u.arg[i]);
}

// A loop of values without others in it.
static bool is_row(const key_pass *x, const sir_stmt *loop)
{
    const tab_loop *l = &VEC_LAST(&x->loops);
    bool plain = l->extent >= ROW_TRIPS && l->step == 1;
    for (VEC_EACH(sir_stmt *const, s, &loop->u.for_.body))
        plain = plain && ((*s)->kind == SIR_DECL || (*s)->kind == SIR_SET || (*s)->kind == SIR_PUSH);
    return plain;
}

static void note_read(void *context, sir_expr *e, bool written)
{
    key_pass *x = context;
    (void)written;
    if (e->kind == SIR_LOCAL)
        x->read[e->index] = true;
}

// From the last statement to the first: what rows are made of is often not read then, and goes.
static void look_up_rows_in(key_pass *x, const sir_block *body)
{
    x->inside = ARENA_ARRAY(x->a, bool, x->f->locals.len + 1);
    x->read = ARENA_ARRAY(x->a, bool, x->f->locals.len + 1);
    for (VEC_EACH(sir_stmt *const, s, body))
        if ((*s)->kind == SIR_DECL)
            x->inside[(*s)->u.decl.local] = true;
    for (size_t i = body->len; i-- > 0;) {
        sir_stmt *s = body->data[i];
        sir_parts parts = sir_stmt_parts(s);
        bool goes = s->kind == SIR_DECL && !x->read[s->u.decl.local];
        for (uint8_t k = 0; k < parts.expr_count && !goes; k++)
            look_up_rows(x, parts.expr[k]);
        if (!goes)
            sir_visit_exprs(s, note_read, x);
    }
}

static void find_rows(key_pass *x, sir_block *b)
{
    for (VEC_EACH(sir_stmt *, p, b)) {
        sir_stmt *s = *p;
        sir_parts parts = sir_stmt_parts(s);
        if (s->kind != SIR_FOR) {
            for (uint8_t i = 0; i < parts.block_count; i++)
                find_rows(x, parts.block[i]);
            continue;
        }
        size_t before = x->tables;
        VEC_PUSH(x->a, &x->loops, tab_loop_of(s));
        bool row = x->loops.len <= KEY_LOOPS && is_row(x, s);
        if (row)
            look_up_rows_in(x, &s->u.for_.body);
        else
            find_rows(x, &s->u.for_.body);
        x->loops.len--;
        x->changed |= row && x->tables != before;
        if (row && x->tables != before && x->hlc->diag->remarks)
            diag_remark(x->hlc->diag, sir_range(x->m, x->hlc->sources, s->loc),
                        "what the trips of a loop in '%s' compute of '%s', of which there are %" PRIu32
                        " values, becomes %zu constant %s [tabulate]",
                        x->filter->name, x->f->locals.data[x->told].name, x->bits[x->told] + 1, x->tables - before,
                        x->tables - before == 1 ? "table" : "tables");
    }
}

bool tabulate_keys(hlc_program *p, sir_filter *f, int64_t *bytes)
{
    if (f->work == NULL || f->finite || p->config->opt_level < 2 || !pass_may_change_more(p))
        return false;
    key_pass x = {.a = arena_create(), .hlc = p, .m = p->module, .filter = f, .f = f->work, .bytes = bytes};
    x.bits = tab_local_bits(x.a, x.m, x.filter, x.f);
    x.value = tab_scalar_values(x.a, x.f);
    join_in(&x, &x.f->body);
    if (!x.changed && !plan_may_run_in_lanes(x.a, p->module, f)) { // else the values of locals are old ones
        x.tables = 0;
        x.within = NULL;
        x.steps = ROW_STEPS;
        find_rows(&x, &x.f->body);
    }
    arena_destroy(x.a);
    return x.changed;
}
