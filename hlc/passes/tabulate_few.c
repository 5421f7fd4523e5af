// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tables over few values: a state that only ever has few values, such as a place in a table of steps or the node of a
// state machine, and a few bits of the items.
//
//     $index = $index + $steps[%delta]                        %few = %t & 15
//     if $index < 0 { $index = 0 }                            $sum = $sum + $table[$index][%few]
//     if $index > 88 { $index = 88 }                  ->      $index = $table_2[$index][%few]
//     %d = $step[$index] >> 3   ...   $sum = $sum + %d
//
// NOTE(few). What is *settled* comes of constants, of such fields as they were when the firing began, and of the bits
// alone. Locals and fields are taken to be settled until an assignment is found that is not. The firing's settled
// statements are then executed from the initial values of the fields on, for all bits, until no values are new: that
// proves how few they are, and gives what is looked up where the other statements, which stay, take something settled.
// Only filters with such state: where firings go side by side, operations in vectors are cheaper than loads.
#include <inttypes.h>
#include <string.h>

#include "hlc/ir/type_rules.h"
#include "hlc/passes/tabulate_int.h"

// Values of state and bits together; bits of an item; fields, keys; nodes that are computed.
enum { FEW_ROWS = 4096, FEW_BITS = 255, FEW_FIELDS = 8, FEW_KEYS = 4, FEW_STEPS = 1 << 20, FEW_CANDIDATES = 56 };
enum { FEW_DIMS = FEW_FIELDS + FEW_KEYS };
// Operations that take longer than others, in others.
enum { FEW_COST_LOAD = 3, FEW_COST_BRANCH = 2, FEW_COST_DIVISION = 12 };

// Bits of what is not settled.
typedef struct few_key {
    sir_expr *source; // "e & 15"
    sir_stmt *at;     // of the body itself
    int32_t mask, now;
    uint32_t local;
    bool rejected;
} few_key;

// What becomes of a statement.
typedef enum few_kind {
    FEW_STAYS,  // but for what is settled in it
    FEW_GOES,   // all of it is settled
    FEW_SPLIT,  // a condition that is settled, around others
    FEW_MERGED, // see 'merged'
} few_kind;

typedef struct few_stmt {
    few_kind kind;
    size_t exit, exit_end; // before it, and in it
    sir_stmt *merged;      // if c { x = x + a } else { x = x - b }: x = x + (c ? a : -b)
} few_stmt;

// Something settled that a statement takes which stays; or the next value of a field.
typedef struct few_exit {
    sir_expr **at;
    const sir_expr *e; // NULL: the field's
    uint32_t field;
} few_exit;

typedef struct few_value {
    sir_scalar v;
    bool reached;
} few_value;

// For each value of state and bits.
typedef struct few_row {
    int32_t dim[FEW_DIMS];
    few_value *values; // of the exits
} few_row;

typedef struct few {
    arena *a;
    hlc_program *hlc;
    sir_module *m;
    sir_filter *filter;
    sir_function *work;
    tab_values values;
    bool *locals, *fields; // settled
    uint64_t *local_dims, *field_dims;
    VEC(uint32_t) state; // the fields that are, by dimension
    VEC(few_key) keys;   // dimensions behind FEW_FIELDS
    hmap key_of;         // of expressions
    hmap stmts;          // few_stmt
    bool *assigned;      // per field, so far
    VEC(few_exit) exits;
    VEC(few_row) rows;
    sir_scalar *now, *state_now; // locals, fields while statements are executed
    few_value *out;
    int64_t steps, gain; // what statements cost that go
    int64_t most;        // what expressions do that may become look-ups
    bool changed, fails, stops, many;
} few;

static bool is_whole(const sir_type *t)
{
    return t->kind == SIR_INT || t->kind == SIR_BOOLEAN || t->kind == SIR_BIT;
}

// ---- What is settled ----

// dims: gets the dimensions that it depends on; NULL: nobody asks.
static bool settled(const few *x, const sir_expr *e, uint64_t *dims);

static bool all_settled(const few *x, const sir_expr *e, uint64_t *dims)
{
    bool all = true;
    size_t arity = sir_expr_arity(e);
    for (size_t i = 0; i < arity && all; i++)
        all = settled(x, e->u.arg[i], dims);
    return all;
}

static bool settled_element(const few *x, const sir_expr *e, uint64_t *dims)
{
    if (!sir_is_scalar(e->type) ||
        sir_constant_value(x->m, x->filter, sir_lvalue_root((sir_expr *)(uintptr_t)e)) == NULL)
        return false;
    for (; e->kind == SIR_INDEX || e->kind == SIR_MEMBER; e = e->u.arg[0])
        if (e->kind == SIR_INDEX && !settled(x, e->u.arg[1], dims))
            return false;
    return true;
}

static few_key *key_at(const few *x, const sir_expr *e)
{
    const size_t *at = e->kind == SIR_BINARY && e->op == LANG_OP_AND ? hmap_getn(&x->key_of, &e, sizeof e) : NULL;
    return at == NULL || x->keys.data[*at].rejected ? NULL : &x->keys.data[*at];
}

static uint64_t key_bit(const few *x, const few_key *k)
{
    return UINT64_C(1) << (FEW_FIELDS + (size_t)(k - x->keys.data));
}

static bool is_field_element(const sir_expr *e)
{
    return e->kind == SIR_FIELD || e->kind == SIR_GLOBAL || e->kind == SIR_INDEX ||
           (e->kind == SIR_MEMBER && sir_lvalue_root((sir_expr *)(uintptr_t)e) != NULL);
}

static bool settled(const few *x, const sir_expr *e, uint64_t *dims)
{
    uint64_t inside = 0;
    if (e->kind == SIR_CONST)
        return true;
    if (e->kind == SIR_PEEK || e->kind == SIR_FETCH || e->kind == SIR_ITER)
        return false;
    if (e->kind == SIR_LOCAL || (e->kind == SIR_FIELD && x->fields[e->index])) {
        bool local = e->kind == SIR_LOCAL;
        if (dims != NULL)
            *dims |= local ? x->local_dims[e->index] : x->field_dims[e->index];
        return local ? x->locals[e->index] : true;
    }
    if (is_field_element(e)) {
        bool fine = settled_element(x, e, &inside);
        if (dims != NULL)
            *dims |= inside;
        return fine;
    }
    bool all = all_settled(x, e, &inside);
    const few_key *k = all ? NULL : key_at(x, e);
    if (dims != NULL)
        *dims |= k != NULL ? key_bit(x, k) : inside;
    return all || k != NULL;
}

static bool is_settled(const few *x, const sir_expr *e)
{
    return settled(x, e, NULL);
}

// ---- Assignments ----

static void reject(few *x, const sir_expr *root)
{
    bool *flag = root == NULL              ? NULL
                 : root->kind == SIR_LOCAL ? &x->locals[root->index]
                 : root->kind == SIR_FIELD ? &x->fields[root->index]
                                           : NULL;
    if (flag != NULL && *flag) {
        *flag = false;
        x->changed = true;
    }
}

static void reject_local(few *x, uint32_t local)
{
    x->changed |= x->locals[local];
    x->locals[local] = false;
}

static void add_dims(few *x, uint64_t *to, uint64_t dims)
{
    x->changed |= (dims & ~*to) != 0;
    *to |= dims;
}

// Whether it gives a variable its value that only has settled ones.
static bool gives_settled(const few *x, const sir_stmt *s)
{
    if (s->kind == SIR_DECL)
        return x->locals[s->u.decl.local];
    if (s->kind != SIR_SET)
        return false;
    const sir_expr *target = s->u.set.target;
    return (target->kind == SIR_LOCAL && x->locals[target->index]) ||
           (target->kind == SIR_FIELD && x->fields[target->index]);
}

static bool block_goes(const few *x, const sir_block *b);

// Whether nothing of it stays, where it is executed for settled reasons.
static bool stmt_goes(const few *x, const sir_stmt *s)
{
    switch ((sir_stmt_kind)s->kind) {
    case SIR_DECL:
    case SIR_SET: return gives_settled(x, s);
    case SIR_IF:
        return is_settled(x, s->u.if_.cond) && block_goes(x, &s->u.if_.then) && block_goes(x, &s->u.if_.otherwise);
    case SIR_FOR:
        return x->locals[s->u.for_.local] && is_settled(x, s->u.for_.lo) && is_settled(x, s->u.for_.hi) &&
               block_goes(x, &s->u.for_.body);
    default: return false;
    }
}

static bool block_goes(const few *x, const sir_block *b)
{
    bool all = true;
    for (size_t i = 0; i < b->len && all; i++)
        all = stmt_goes(x, b->data[i]);
    return all;
}

static void settle_block(few *x, const sir_block *b, bool reached, uint64_t dims);

static void settle_value(few *x, const sir_expr *target, const sir_expr *value, bool reached, uint64_t dims)
{
    if ((target->kind != SIR_LOCAL && target->kind != SIR_FIELD) || !reached || !settled(x, value, &dims))
        reject(x, sir_lvalue_root((sir_expr *)(uintptr_t)target));
    else if (target->kind == SIR_LOCAL)
        add_dims(x, &x->local_dims[target->index], dims);
    else
        add_dims(x, &x->field_dims[target->index], dims);
}

static void settle_for(few *x, sir_stmt *s, bool reached, uint64_t dims)
{
    bool goes = reached && stmt_goes(x, s);
    if (!goes) {
        reject_local(x, s->u.for_.local);
    } else {
        settled(x, s->u.for_.lo, &dims);
        settled(x, s->u.for_.hi, &dims);
        add_dims(x, &x->local_dims[s->u.for_.local], dims);
    }
    settle_block(x, &s->u.for_.body, goes, dims);
}

// reached: for settled reasons, that depend on dims.
static void settle(few *x, sir_stmt *s, bool reached, uint64_t dims)
{
    sir_parts parts = sir_stmt_parts(s);
    for (size_t i = 0; i < parts.arg_count; i++) // by reference
        if (s->kind == SIR_CALL && !sir_is_scalar(parts.args[i]->type))
            reject(x, sir_lvalue_root(parts.args[i]));
    switch ((sir_stmt_kind)s->kind) {
    case SIR_DECL:
        if (!reached || (s->u.decl.init != NULL && !settled(x, s->u.decl.init, &dims)))
            reject_local(x, s->u.decl.local);
        else
            add_dims(x, &x->local_dims[s->u.decl.local], dims);
        break;
    case SIR_SET: settle_value(x, s->u.set.target, s->u.set.value, reached, dims); break;
    case SIR_IF:
        reached = reached && settled(x, s->u.if_.cond, &dims);
        settle_block(x, &s->u.if_.then, reached, dims);
        settle_block(x, &s->u.if_.otherwise, reached, dims);
        break;
    case SIR_FOR: settle_for(x, s, reached, dims); break;
    case SIR_LOOP:
        for (uint8_t i = 0; i < parts.block_count; i++)
            settle_block(x, parts.block[i], false, 0);
        break;
    case SIR_POP:
    case SIR_RANDOM:
    case SIR_CALL: reject(x, parts.target == NULL ? NULL : sir_lvalue_root(*parts.target)); break;
    case SIR_PUSH:
    case SIR_PRINT:
    case SIR_SEND: break;
    case SIR_BREAK:
    case SIR_CONTINUE:
    case SIR_RETURN:
    case SIR_BLOCK: x->fails = true; break;
    }
}

static void settle_block(few *x, const sir_block *b, bool reached, uint64_t dims)
{
    for (size_t i = 0; i < b->len; i++)
        settle(x, b->data[i], reached, dims);
}

static void clear_field(void *context, sir_expr *e, bool written)
{
    few *x = context;
    (void)written;
    if (e->kind == SIR_FIELD)
        x->fields[e->index] = false;
}

static void clear_fields(void *context, sir_stmt *s)
{
    sir_visit_exprs(s, clear_field, context);
}

static void forget_uses(few *x, const sir_function *f)
{
    if (f != NULL)
        sir_visit_stmts(&f->body, clear_fields, x);
}

// rejected: fields that are not to be.
static void settle_body(few *x, const bool *rejected)
{
    for (size_t i = 0; i < x->work->locals.len; i++) {
        x->locals[i] = sir_is_scalar(x->work->locals.data[i].type) && i >= x->work->param_count;
        x->local_dims[i] = 0;
    }
    uint32_t n = 0;
    x->state.len = 0;
    for (uint32_t i = 0; i < x->filter->fields.len; i++) {
        const sir_field *f = &x->filter->fields.data[i];
        x->fields[i] = !f->constant && is_whole(f->type) && f->role == SIR_STATE && !rejected[i];
        x->field_dims[i] = 0;
    }
    forget_uses(x, x->filter->prework);
    for (VEC_EACH(sir_function *, f, &x->filter->functions))
        forget_uses(x, *f);
    for (VEC_EACH(sir_function *, f, &x->filter->handlers))
        forget_uses(x, *f);
    for (uint32_t i = 0; i < x->filter->fields.len; i++) {
        x->fields[i] = x->fields[i] && n < FEW_CANDIDATES;
        if (x->fields[i])
            n++;
    }
    do {
        x->changed = false;
        settle_block(x, &x->work->body, true, 0);
    } while (x->changed && !x->fails);
    for (uint32_t i = 0; i < x->filter->fields.len; i++)
        if (x->fields[i])
            VEC_PUSH(x->a, &x->state, i);
}

// ---- Bits ----

static void add_key(few *x, sir_stmt *s, sir_expr *e)
{
    const sir_expr *mask = e->u.arg[1], *of = e->u.arg[0];
    if (e->type->kind != SIR_INT || mask->kind != SIR_CONST || mask->u.value.i < 1 || mask->u.value.i > FEW_BITS ||
        hmap_getn(&x->key_of, &e, sizeof e) != NULL)
        return;
    size_t at = x->keys.len;
    for (size_t i = 0; i < x->keys.len && of->kind == SIR_LOCAL; i++) { // the same bits of a local that has one value
        const few_key *k = &x->keys.data[i];
        const sir_expr *other = k->source->u.arg[0];
        if (k->mask == mask->u.value.i && other->kind == SIR_LOCAL && other->index == of->index &&
            x->now[of->index].i == 1)
            at = i;
    }
    if (at == x->keys.len && at < FEW_KEYS)
        VEC_PUSH(x->a, &x->keys, (few_key){.source = e, .at = s, .mask = mask->u.value.i});
    size_t *slot = ARENA_NEW(x->a, size_t);
    *slot = at;
    if (at < x->keys.len)
        hmap_setn(&x->key_of, &e, sizeof e, slot);
}

// What is computed in every firing, whatever is decided.
static void find_keys(few *x, sir_stmt *s, sir_expr *e)
{
    if (e->kind == SIR_CONST || e->kind == SIR_LOCAL || e->kind == SIR_FIELD || e->kind == SIR_GLOBAL)
        return;
    if (e->kind == SIR_BINARY && e->op == LANG_OP_AND)
        add_key(x, s, e);
    bool decides = e->kind == SIR_SELECT || (e->kind == SIR_BINARY && (e->op == LANG_OP_LAND || e->op == LANG_OP_LOR));
    size_t arity = decides ? 1 : sir_expr_arity(e);
    for (size_t i = 0; i < arity; i++)
        find_keys(x, s, e->u.arg[i]);
}

static void count_write(void *context, sir_stmt *s)
{
    few *x = context;
    const sir_expr *root = sir_assigned_root(s);
    if (root != NULL && root->kind == SIR_LOCAL)
        x->now[root->index].i++;
    if (s->kind == SIR_DECL && !s->u.decl.uninitialised)
        x->now[s->u.decl.local].i++;
    if (s->kind == SIR_FOR)
        x->now[s->u.for_.local].i += 2;
}

static void find_all_keys(few *x)
{
    sir_visit_stmts(&x->work->body, count_write, x);
    for (size_t i = 0; i < x->work->body.len; i++) {
        sir_stmt *s = x->work->body.data[i];
        sir_parts parts = sir_stmt_parts(s);
        for (uint8_t k = 0; k < parts.expr_count && s->kind != SIR_LOOP; k++)
            find_keys(x, s, *parts.expr[k]);
    }
}

// Fields that come of bits; and bits that nothing settled comes of are none. Whether any field is left, and nothing changed.
static bool choose(few *x, bool *rejected)
{
    bool same = true;
    uint64_t keys = 0, own[FEW_CANDIDATES] = {0};
    for (size_t i = 0; i < x->state.len; i++)
        own[i] = x->field_dims[x->state.data[i]];
    for (size_t i = 0; i < x->state.len; i++) {
        keys |= own[i] >> FEW_FIELDS;
        if (own[i] >> FEW_FIELDS == 0) {
            rejected[x->state.data[i]] = true;
            same = false;
        }
    }
    for (size_t i = 0; i < x->keys.len; i++)
        if (!x->keys.data[i].rejected && (keys >> i & 1) == 0)
            x->keys.data[i].rejected = true, same = false;
    return same;
}

// ---- What is taken of it ----

static few_stmt *about(const few *x, const sir_stmt *s)
{
    return hmap_getn(&x->stmts, &s, sizeof s);
}

// Bits are taken out of what stays all the same.
static int64_t cost_of(const few *x, const sir_expr *e)
{
    if (key_at(x, e) != NULL && !all_settled(x, e, NULL))
        return 0;
    int64_t cost =
        e->kind == SIR_CONST || e->kind == SIR_LOCAL || e->kind == SIR_FIELD || e->kind == SIR_GLOBAL ? 0 : 1;
    if (e->kind == SIR_INDEX)
        cost = e->u.arg[0]->kind == SIR_INDEX ? 0 : FEW_COST_LOAD;
    else if (e->kind == SIR_SELECT)
        cost = FEW_COST_BRANCH;
    else if (e->kind == SIR_BINARY && (e->op == LANG_OP_DIV || e->op == LANG_OP_REM))
        cost = FEW_COST_DIVISION;
    else if (e->kind == SIR_MATH)
        cost = FEW_COST_DIVISION;
    size_t arity = sir_expr_arity(e);
    for (size_t i = 0; i < arity; i++)
        cost += cost_of(x, e->u.arg[i]);
    return cost;
}

// Whether it may as well stay: an operation of what is there anyway.
static bool is_plain(const few *x, const sir_expr *e, int *left)
{
    if (e->kind == SIR_CONST || e->kind == SIR_GLOBAL)
        return true;
    if (e->kind == SIR_FIELD)
        return !x->fields[e->index] || !x->assigned[e->index];
    if (e->kind == SIR_LOCAL || (*left)-- <= 0 || key_at(x, e) != NULL)
        return false;
    bool all = true;
    size_t arity = sir_expr_arity(e);
    for (size_t i = 0; i < arity && all; i++)
        all = is_plain(x, e->u.arg[i], left);
    return all;
}

static void collect(few *x, sir_expr **at)
{
    sir_expr *e = *at;
    int left = 1;
    if (e->kind == SIR_CONST)
        return;
    if (sir_is_scalar(e->type) && is_settled(x, e)) {
        if (is_plain(x, e, &left))
            return;
        VEC_PUSH(x->a, &x->exits, (few_exit){.at = at, .e = e});
        x->most += cost_of(x, e);
        return;
    }
    size_t arity = sir_expr_arity(e);
    for (size_t i = 0; i < arity; i++)
        collect(x, &e->u.arg[i]);
}

// The target itself is no value; its subscripts are.
static void collect_target(few *x, sir_expr *e)
{
    for (; e->kind == SIR_INDEX || e->kind == SIR_MEMBER; e = e->u.arg[0])
        if (e->kind == SIR_INDEX)
            collect(x, &e->u.arg[1]);
}

static void collect_parts(few *x, sir_stmt *s)
{
    sir_parts parts = sir_stmt_parts(s);
    for (uint8_t i = 0; i < parts.expr_count; i++)
        collect(x, parts.expr[i]);
    for (size_t i = 0; i < parts.arg_count; i++)
        collect(x, &parts.args[i]);
    if (parts.target != NULL)
        collect_target(x, *parts.target);
}

static void collect_all(void *context, sir_stmt *s)
{
    collect_parts(context, s);
}

// ---- Both branches change the same by something settled ----

// x = x + a, x = x - a, x = x ^ a: a, with its sign.
static sir_expr *change_of(const few *x, const sir_stmt *s, const sir_expr **target, bool *xors)
{
    if (s->kind != SIR_SET || s->u.set.value->kind != SIR_BINARY || s->u.set.target->type->kind != SIR_INT)
        return NULL;
    const sir_expr *t = s->u.set.target, *sum = s->u.set.value;
    sir_expr *by = sum->u.arg[1];
    if ((t->kind != SIR_LOCAL && t->kind != SIR_FIELD) || sum->u.arg[0]->kind != t->kind ||
        sum->u.arg[0]->index != t->index || is_settled(x, t) || !is_settled(x, by))
        return NULL;
    *target = t;
    *xors = sum->op == LANG_OP_XOR;
    if (sum->op == LANG_OP_SUB)
        return sir_expr1(x->m, SIR_UNARY, LANG_OP_NEG, t->type, by, by->loc);
    return sum->op == LANG_OP_ADD || *xors ? by : NULL;
}

static sir_stmt *merge(const few *x, const sir_stmt *s)
{
    const sir_block *then = &s->u.if_.then, *otherwise = &s->u.if_.otherwise;
    const sir_expr *target = NULL, *other = NULL;
    bool xors = false, other_xors = false;
    if (then->len != 1 || otherwise->len > 1)
        return NULL;
    sir_expr *a = change_of(x, then->data[0], &target, &xors);
    sir_expr *b =
        otherwise->len == 0 ? sir_const_int(x->m, 0, s->loc) : change_of(x, otherwise->data[0], &other, &other_xors);
    if (a == NULL || b == NULL ||
        (other != NULL && (other->kind != target->kind || other->index != target->index || xors != other_xors)))
        return NULL;
    sir_expr *by = sir_expr3(x->m, SIR_SELECT, target->type, s->u.if_.cond, a, b, s->loc);
    sir_stmt *r = sir_stmt_new(x->m, SIR_SET, then->data[0]->loc);
    r->u.set.target = sir_ref(x->m, (sir_expr_kind)target->kind, target->index, target->type, target->loc);
    r->u.set.value =
        sir_expr2(x->m, SIR_BINARY, xors ? LANG_OP_XOR : LANG_OP_ADD, target->type,
                  sir_ref(x->m, (sir_expr_kind)target->kind, target->index, target->type, target->loc), by, s->loc);
    return r;
}

// ---- Statements ----

static void note_assigned(void *context, sir_stmt *s)
{
    few *x = context;
    if (s->kind == SIR_SET && s->u.set.target->kind == SIR_FIELD)
        x->assigned[s->u.set.target->index] = true;
}

static void add_cost(void *context, sir_stmt *s)
{
    few *x = context;
    sir_parts parts = sir_stmt_parts(s);
    x->gain += s->kind == SIR_IF ? FEW_COST_BRANCH : s->kind == SIR_FOR ? FEW_COST_BRANCH * 2 : 0;
    for (uint8_t i = 0; i < parts.expr_count; i++)
        x->gain += cost_of(x, *parts.expr[i]);
}

static void classify_block(few *x, const sir_block *b);

static void classify(few *x, sir_stmt *s)
{
    few_stmt *r = ARENA_NEW(x->a, few_stmt);
    const sir_block one = {.data = &s, .len = 1};
    hmap_setn(&x->stmts, &s, sizeof s, r);
    r->exit = x->exits.len;
    for (VEC_EACH(few_key, k, &x->keys))
        if (k->at == s && !k->rejected)
            collect(x, &k->source->u.arg[0]);
    r->exit_end = x->exits.len;
    if (stmt_goes(x, s)) {
        r->kind = FEW_GOES;
        sir_visit_stmts(&one, add_cost, x);
        sir_visit_stmts(&one, note_assigned, x);
    } else if (s->kind == SIR_IF && is_settled(x, s->u.if_.cond)) {
        r->merged = merge(x, s);
        r->kind = r->merged != NULL ? FEW_MERGED : FEW_SPLIT;
        x->gain += r->merged != NULL ? FEW_COST_BRANCH : 0;
        if (r->merged != NULL)
            collect_parts(x, r->merged);
        else
            collect(x, &s->u.if_.cond);
        r->exit_end = x->exits.len;
        if (r->merged == NULL) {
            classify_block(x, &s->u.if_.then);
            classify_block(x, &s->u.if_.otherwise);
        }
    } else {
        sir_visit_stmts(&one, collect_all, x);
        r->exit_end = x->exits.len;
    }
}

static void classify_block(few *x, const sir_block *b)
{
    for (size_t i = 0; i < b->len; i++)
        classify(x, b->data[i]);
}

// ---- Execution ----

static bool given(const void *context, const sir_expr *e, sir_scalar *r)
{
    few *x = (few *)(uintptr_t)context;
    x->stops |= ++x->steps > FEW_STEPS;
    if (e->kind == SIR_LOCAL) {
        *r = x->now[e->index];
        return true;
    }
    if (e->kind == SIR_FIELD && x->fields[e->index]) {
        *r = x->state_now[e->index];
        return true;
    }
    const few_key *k = key_at(x, e);
    if (k == NULL || all_settled(x, e, NULL))
        return false;
    *r = (sir_scalar){.i = k->now};
    return true;
}

static sir_scalar value_now(few *x, const sir_expr *e)
{
    sir_scalar r, clean;
    memset(&clean, 0, sizeof clean);
    if (x->stops || !tab_compute(&x->values, e, &r)) {
        x->stops = true;
        return clean;
    }
    switch (e->type->kind) {
    case SIR_FLOAT: clean.f = r.f; break;
    case SIR_DOUBLE: clean.d = r.d; break;
    case SIR_COMPLEX: clean.c = r.c; break;
    default: clean.i = r.i; break;
    }
    return clean;
}

static void execute_block(few *x, const sir_block *b);

static void execute_for(few *x, const sir_stmt *s)
{
    int64_t lo = value_now(x, s->u.for_.lo).i, hi = value_now(x, s->u.for_.hi).i, step = s->u.for_.step;
    for (int64_t i = lo; !x->stops && (step > 0 ? i < hi : i > hi); i += step) {
        x->stops |= ++x->steps > FEW_STEPS;
        x->now[s->u.for_.local] = (sir_scalar){.i = (int32_t)i};
        execute_block(x, &s->u.for_.body);
    }
}

static void execute(few *x, const sir_stmt *s)
{
    const few_stmt *r = about(x, s);
    for (size_t i = r == NULL ? 0 : r->exit; r != NULL && i < r->exit_end; i++)
        x->out[i] = (few_value){value_now(x, x->exits.data[i].e), true};
    if (r != NULL && (r->kind == FEW_STAYS || r->kind == FEW_MERGED))
        return;
    switch ((sir_stmt_kind)s->kind) {
    case SIR_DECL:
        memset(&x->now[s->u.decl.local], 0, sizeof *x->now);
        if (s->u.decl.init != NULL)
            x->now[s->u.decl.local] = value_now(x, s->u.decl.init);
        break;
    case SIR_SET:
        *(s->u.set.target->kind == SIR_LOCAL ? &x->now[s->u.set.target->index]
                                             : &x->state_now[s->u.set.target->index]) = value_now(x, s->u.set.value);
        break;
    case SIR_IF: execute_block(x, value_now(x, s->u.if_.cond).i != 0 ? &s->u.if_.then : &s->u.if_.otherwise); break;
    case SIR_FOR: execute_for(x, s); break;
    default: x->stops = true; break;
    }
}

static void execute_block(few *x, const sir_block *b)
{
    for (size_t i = 0; i < b->len && !x->stops; i++)
        execute(x, b->data[i]);
}

// The next bits; false: they were the last.
static bool next_bits(few *x)
{
    for (VEC_EACH(few_key, k, &x->keys)) {
        if (k->rejected)
            continue;
        k->now = (k->now - k->mask) & k->mask; // among those of the mask
        if (k->now != 0)
            return true;
    }
    return false;
}

static bool run_row(few *x, const int32_t *state)
{
    few_row row = {.values = ARENA_ARRAY(x->a, few_value, x->exits.len + 1)};
    memset(x->now, 0, (x->work->locals.len + 1) * sizeof *x->now);
    for (size_t i = 0; i < x->state.len; i++) {
        memset(&x->state_now[x->state.data[i]], 0, sizeof *x->state_now);
        x->state_now[x->state.data[i]].i = row.dim[i] = state[i];
    }
    for (size_t i = 0; i < x->keys.len; i++)
        row.dim[FEW_FIELDS + i] = x->keys.data[i].now;
    x->out = row.values;
    execute_block(x, &x->work->body);
    for (size_t i = 0; i < x->exits.len; i++)
        if (x->exits.data[i].e == NULL)
            x->out[i] = (few_value){x->state_now[x->exits.data[i].field], true};
    VEC_PUSH(x->a, &x->rows, row);
    return !x->stops;
}

// From the initial values on. False: there are too many, or something would stop the program.
static bool run_all(few *x)
{
    typedef struct tuple {
        int32_t of[FEW_FIELDS];
    } tuple;
    VEC(tuple) states = {0};
    hmap seen;
    tuple t = {0};
    hmap_init(&seen, x->a);
    for (size_t i = 0; i < x->state.len; i++) {
        const sir_value *v = &x->filter->fields.data[x->state.data[i]].init;
        t.of[i] = v->zero ? 0 : v->data[0].i;
    }
    VEC_PUSH(x->a, &states, t);
    hmap_setn(&seen, &t, sizeof t, x);
    size_t first = x->exits.len - x->state.len;
    for (size_t at = 0; at < states.len; at++) {
        do {
            x->many |= x->rows.len >= FEW_ROWS;
            t = states.data[at];
            if (x->many || !run_row(x, t.of))
                return false;
            for (size_t i = 0; i < x->state.len; i++)
                t.of[i] = x->out[first + i].v.i;
            if (hmap_getn(&seen, &t, sizeof t) != NULL)
                continue;
            hmap_setn(&seen, &t, sizeof t, x);
            VEC_PUSH(x->a, &states, t);
        } while (next_bits(x));
    }
    return true;
}

// ---- Tables ----

typedef struct few_table {
    size_t dims[FEW_DIMS], count; // outermost first
    int64_t least[FEW_DIMS], extent[FEW_DIMS], size;
    sir_scalar *data;
    bool *have;
} few_table;

static bool same_scalar(sir_scalar a, sir_scalar b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

// From the least to the greatest value of a dimension.
static int64_t width_of(const few *x, size_t d)
{
    int64_t lo = INT32_MAX, hi = INT32_MIN;
    for (VEC_EACH(const few_row, r, &x->rows)) {
        lo = r->dim[d] < lo ? r->dim[d] : lo;
        hi = r->dim[d] > hi ? r->dim[d] : hi;
    }
    return hi - lo;
}

static bool find_extents(const few *x, few_table *t)
{
    *t = (few_table){.size = 1};
    for (size_t d = 0; d < FEW_DIMS; d++) {
        bool is_key = d >= FEW_FIELDS && d < FEW_FIELDS + x->keys.len;
        if (d >= x->state.len && !(is_key && !x->keys.data[d - FEW_FIELDS].rejected))
            continue;
        int64_t lo = INT32_MAX, hi = INT32_MIN;
        for (VEC_EACH(const few_row, r, &x->rows)) {
            lo = r->dim[d] < lo ? r->dim[d] : lo;
            hi = r->dim[d] > hi ? r->dim[d] : hi;
        }
        lo = lo > 0 && hi < FEW_BITS ? 0 : lo; // no subtraction
        t->dims[t->count] = d;
        t->least[t->count] = lo;
        t->extent[t->count++] = hi - lo + 1;
        if (hi - lo + 1 > FEW_ROWS || (t->size *= hi - lo + 1) > FEW_ROWS)
            return false;
    }
    return true;
}

// The table without a dimension that makes no difference; false: it does.
static bool drop(const few *x, few_table *t, size_t d)
{
    int64_t inner = 1, n = t->extent[d];
    for (size_t i = d + 1; i < t->count; i++)
        inner *= t->extent[i];
    int64_t size = t->size / n;
    sir_scalar *data = ARENA_ARRAY(x->a, sir_scalar, (size_t)size);
    bool *have = ARENA_ARRAY(x->a, bool, (size_t)size);
    for (int64_t i = 0; i < t->size; i++) {
        int64_t to = i / (inner * n) * inner + i % inner;
        if (!t->have[i])
            continue;
        if (have[to] && !same_scalar(data[to], t->data[i]))
            return false;
        have[to] = true;
        data[to] = t->data[i];
    }
    t->count--;
    for (size_t i = d; i < t->count; i++) {
        t->dims[i] = t->dims[i + 1];
        t->least[i] = t->least[i + 1];
        t->extent[i] = t->extent[i + 1];
    }
    t->size = size;
    t->data = data;
    t->have = have;
    return true;
}

static few_table table_of(const few *x, const few_table *shape, size_t exit)
{
    few_table t = *shape;
    t.data = ARENA_ARRAY(x->a, sir_scalar, (size_t)t.size);
    t.have = ARENA_ARRAY(x->a, bool, (size_t)t.size);
    for (VEC_EACH(const few_row, r, &x->rows)) {
        int64_t at = 0;
        for (size_t d = 0; d < t.count; d++)
            at = at * t.extent[d] + r->dim[t.dims[d]] - t.least[d];
        if (r->values[exit].reached) {
            t.have[at] = true;
            t.data[at] = r->values[exit].v;
        }
    }
    for (size_t d = t.count; d-- > 0;)
        drop(x, &t, d);
    return t;
}

// Whether it gives what it is asked with.
static bool is_identity(const few_table *t)
{
    bool same = t->count == 1;
    for (int64_t i = 0; i < t->size && same; i++)
        same = !t->have[i] || t->data[i].i == i + t->least[0];
    return same;
}

static sir_expr *dim_ref(const few *x, size_t d, sir_loc loc)
{
    bool field = d < FEW_FIELDS;
    uint32_t index = field ? x->state.data[d] : x->keys.data[d - FEW_FIELDS].local;
    const sir_type *type = field ? x->filter->fields.data[index].type : x->m->scalar[SIR_INT];
    return sir_ref(x->m, field ? SIR_FIELD : SIR_LOCAL, index, type, loc);
}

static bool is_read(const few *x, const few_table *t, const sir_type *type)
{
    return !(is_identity(t) && dim_ref(x, t->dims[0], (sir_loc){0})->type == type) && t->count > 0;
}

static bool same_table(const few_table *a, const few_table *b)
{
    return a->count == b->count && a->size == b->size && memcmp(a->dims, b->dims, a->count * sizeof *a->dims) == 0 &&
           memcmp(a->extent, b->extent, a->count * sizeof *a->extent) == 0 &&
           memcmp(a->data, b->data, (size_t)a->size * sizeof *a->data) == 0;
}

static sir_expr *look_up(const few *x, const few_table *t, const sir_type *type, sir_loc loc)
{
    if (t->count == 0)
        return sir_const(x->m, type, t->data[0], loc);
    if (!is_read(x, t, type))
        return dim_ref(x, t->dims[0], loc);
    const sir_type *array = type;
    for (size_t d = t->count; d-- > 0;)
        array = sir_type_array(x->m, array, (uint32_t)t->extent[d]);
    const sir_value value = {.type = array, .data = t->data};
    sir_expr *r = sir_ref(x->m, SIR_FIELD, tab_field(x->m, x->filter, value, loc), array, loc);
    for (size_t d = 0; d < t->count; d++)
        r = sir_expr2(x->m, SIR_INDEX, 0, r->type->element, r,
                      tab_subscript(x->m, dim_ref(x, t->dims[d], loc), t->least[d], loc), loc);
    return r;
}

// ---- The new body ----

static void rebuild(few *x, sir_block *b, sir_block *to);

static void rebuild_stmt(few *x, sir_stmt *s, sir_block *to)
{
    const few_stmt *r = about(x, s);
    for (size_t i = x->keys.len; i-- > 0;) { // outer ones, which are found first, may take inner ones
        const few_key *k = &x->keys.data[i];
        if (k->at != s || k->rejected)
            continue;
        sir_stmt *decl = sir_stmt_new(x->m, SIR_DECL, s->loc);
        const sir_expr *e = k->source;
        decl->u.decl.local = k->local;
        decl->u.decl.init = sir_expr2(x->m, SIR_BINARY, LANG_OP_AND, e->type, e->u.arg[0], e->u.arg[1], e->loc);
        VEC_PUSH(x->m->arena, to, decl);
    }
    if (r->kind == FEW_GOES)
        return;
    if (r->kind == FEW_SPLIT) {
        sir_block then = {0}, otherwise = {0};
        rebuild(x, &s->u.if_.then, &then);
        rebuild(x, &s->u.if_.otherwise, &otherwise);
        s->u.if_.then = then;
        s->u.if_.otherwise = otherwise;
    }
    VEC_PUSH(x->m->arena, to, r->merged != NULL ? r->merged : s);
}

static void rebuild(few *x, sir_block *b, sir_block *to)
{
    for (size_t i = 0; i < b->len; i++)
        rebuild_stmt(x, b->data[i], to);
}

// All fields get their next values at once, when all look-ups with the old ones are done.
static void end_firing(few *x, sir_expr *const *next)
{
    sir_block *b = &x->work->body;
    sir_loc loc = x->work->loc;
    VEC(sir_stmt *) sets = {0};
    for (size_t i = 0; i < x->state.len; i++) {
        uint32_t field = x->state.data[i];
        const sir_field *f = &x->filter->fields.data[field];
        sir_stmt *set = sir_stmt_new(x->m, SIR_SET, loc);
        set->u.set.target = sir_ref(x->m, SIR_FIELD, field, f->type, loc);
        set->u.set.value = next[i];
        VEC_PUSH(x->a, &sets, set);
        if (x->state.len == 1)
            break;
        sir_stmt *decl = sir_stmt_new(x->m, SIR_DECL, loc);
        decl->u.decl.local = sir_local_new(x->m, x->work, "next", f->type, loc);
        decl->u.decl.init = next[i];
        set->u.set.value = sir_ref(x->m, SIR_LOCAL, decl->u.decl.local, f->type, loc);
        VEC_PUSH(x->m->arena, b, decl);
    }
    for (VEC_EACH(sir_stmt *, s, &sets))
        VEC_PUSH(x->m->arena, b, *s);
}

static const sir_type *exit_type(const few *x, const few_exit *e)
{
    return e->e != NULL ? e->e->type : x->filter->fields.data[e->field].type;
}

static void replace_all(few *x, few_table *tables)
{
    sir_expr **next = ARENA_ARRAY(x->a, sir_expr *, x->state.len + 1);
    for (VEC_EACH(few_key, k, &x->keys))
        if (!k->rejected)
            k->local = sir_local_new(x->m, x->work, "few", x->m->scalar[SIR_INT], k->source->loc);
    size_t n = 0;
    for (size_t i = 0; i < x->exits.len; i++) {
        const few_exit *e = &x->exits.data[i];
        sir_expr *r = look_up(x, &tables[i], exit_type(x, e), e->e != NULL ? e->e->loc : x->work->loc);
        if (e->e != NULL)
            *e->at = r;
        else
            next[n++] = r;
    }
    sir_block body = {0};
    rebuild(x, &x->work->body, &body);
    x->work->body = body;
    end_firing(x, next);
}

static bool replace_if_worth(few *x, int64_t *bytes)
{
    few_table shape;
    if (!find_extents(x, &shape)) {
        x->many = true;
        return false;
    }
    few_table *tables = ARENA_ARRAY(x->a, few_table, x->exits.len);
    int64_t elements = 0, count = 0, gain = x->gain;
    for (size_t i = 0; i < x->exits.len; i++) {
        tables[i] = table_of(x, &shape, i);
        bool again = !is_read(x, &tables[i], exit_type(x, &x->exits.data[i]));
        for (size_t k = 0; k < i && !again; k++)
            again = same_table(&tables[k], &tables[i]);
        count += again ? 0 : 1;
        gain += again || x->exits.data[i].e == NULL ? 0 : cost_of(x, x->exits.data[i].e);
        elements += again ? 0 : tables[i].size;
    }
    if (gain <= TABULATE_GAIN * count || elements > 2 * FEW_ROWS || elements * 8 > *bytes)
        return false;
    *bytes -= elements * 8;
    replace_all(x, tables);
    if (x->hlc->diag->remarks)
        diag_remark(x->hlc->diag, sir_range(x->m, x->hlc->sources, x->filter->loc),
                    "what comes of %zu values of state and bits in '%s' is looked up, in %" PRId64
                    " elements of tables [tabulate]",
                    x->rows.len, x->filter->name, elements);
    return true;
}

// ---- A filter ----

static few few_begin(arena *a, hlc_program *p, sir_filter *f)
{
    few x = {.a = a, .hlc = p, .m = p->module, .filter = f, .work = f->work};
    x.locals = ARENA_ARRAY(a, bool, f->work->locals.len + 1);
    x.local_dims = ARENA_ARRAY(a, uint64_t, f->work->locals.len + 1);
    x.fields = ARENA_ARRAY(a, bool, f->fields.len + 1);
    x.assigned = ARENA_ARRAY(a, bool, f->fields.len + 1);
    x.field_dims = ARENA_ARRAY(a, uint64_t, f->fields.len + 1);
    x.now = ARENA_ARRAY(a, sir_scalar, f->work->locals.len + 1);
    x.state_now = ARENA_ARRAY(a, sir_scalar, f->fields.len + 1);
    hmap_init(&x.key_of, a);
    hmap_init(&x.stmts, a);
    return x;
}

// Whether something came of it. rejected: fields that are not to be settled, one more if there are too many values.
static bool try_fields(few *x, bool *rejected, int64_t *bytes)
{
    find_all_keys(x);
    do {
        settle_body(x, rejected);
        if (x->fails || x->state.len == 0)
            return false;
    } while (!choose(x, rejected));
    x->values = (tab_values){.m = x->m, .filter = x->filter, .context = x, .given = given};
    x->many = x->state.len > FEW_FIELDS;
    if (x->many) {
        rejected[VEC_LAST(&x->state)] = true;
        return false;
    }
    classify_block(x, &x->work->body);
    for (VEC_EACH(const uint32_t, f, &x->state))
        VEC_PUSH(x->a, &x->exits, (few_exit){.field = *f});
    if (x->gain + x->most > TABULATE_GAIN && run_all(x) && replace_if_worth(x, bytes))
        return true;
    size_t widest = 0;
    for (size_t i = 1; i < x->state.len; i++)
        widest = width_of(x, i) > width_of(x, widest) ? i : widest;
    rejected[x->state.data[widest]] = x->many;
    return false;
}

static void remark_many(hlc_program *p, const sir_filter *f, sir_loc loc)
{
    if (p->diag->remarks)
        diag_remark(p->diag, sir_range(p->module, p->sources, loc),
                    "the state and the bits that come together with it have more than %d values in '%s': they get no "
                    "table [tabulate]",
                    FEW_ROWS, f->name);
}

bool tabulate_few(hlc_program *p, sir_filter *f, int64_t *bytes)
{
    if (f->work == NULL || f->finite || !f->stateful || !pass_may_change_more(p))
        return false;
    arena *a = arena_create();
    bool *rejected = ARENA_ARRAY(a, bool, f->fields.len + 1), done = false, again = true;
    sir_loc many = {0};
    tab_joined before;
    const bool joined = tab_join_masks(a, p->module, f->work, &before);
    while (again && !done) {
        few x = few_begin(a, p, f);
        done = try_fields(&x, rejected, bytes);
        again = x.many;
        if (x.many)
            many = f->fields.data[x.state.data[0]].loc;
    }
    if (!done && joined)
        tab_part_masks(f->work, &before);
    if (!done && many.line != 0)
        remark_many(p, f, many);
    arena_destroy(a);
    return done;
}
