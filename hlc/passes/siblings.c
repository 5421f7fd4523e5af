// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass 'siblings': the branches of a splitjoin that differ in constants and state alone become one filter, whose work
// does the same for all of them in one loop:
//
//     split duplicate;                                  for (m = 0; m < 16; m++) {
//     for (m = 0; m < 16; m++)                              y = b0[m] * peek(0) + s1[m];
//         add pipeline { Biquad(m); Biquad(m); };   ->      s1[m] = ...; y2 = ...;
//     join roundrobin;                                      push(y2);
//                                                       }
//                                                       pop();
//
// A filter with state fires one firing after the other, each waiting for the one before. Its siblings need not: state and
// constants lie side by side, branch by branch, and vector units work on all of them at once. Within a branch items go from
// stage to stage in locals.
//
// So are such filters that follow each other item by item, each a trip of a loop that the item goes through:
//
//     for (m = 0; m < 10; m++)                              item = pop();
//         add Peaking(m);                           ->      for (m = 0; m < 10; m++)
//                                                               item = b0[m] * item + s1[m]; ...
//                                                           push(item);
//
// Trips of several firings run side by side then (NOTE(skew) in hlc/emit/skew.c).
//
// NOTE(alike). The filter fires when every branch would fire once, and moves what they all would. So each branch pops a
// whole number of the splitter's firings and pushes a whole number of the joiner's: then initialisation, steady states and
// the end of input are what they were.
#include <string.h>

#include "hlc/ir/walk.h"
#include "hlc/passes/pass.h"
#include "targets/machine.h"

// Fewer are left to the plan. Operations of a steady state's loop, so that it stays one that compilers vectorise.
enum { LEAST_SIBLINGS = 4, MOST_STAGES = 32, MOST_TRIPS = 16 };

// So many processors at most do less for branches, or for stages in a row, that keep state than lanes do. Sixteen resonators
// as lanes take a quarter of their time, ten equaliser bands in a row .41 (one core with vectors of 64 bytes).
enum { BANK_PROCESSORS = 4, ROW_PROCESSORS = 2 };

typedef VEC(uint32_t) numbers;

// The branches between a splitter and a joiner: actor of stage k of branch b is stages[k].data[b].
typedef struct bank {
    uint32_t split, join;
    size_t branches;
    VEC(numbers) stages;
} bank;

// What becomes of a field: one for all branches, or an array with an element for each.
typedef struct field_map {
    uint32_t index;
    bool spread;
} field_map;

typedef struct taken_names {
    pass_names filters, actors;
} taken_names;

typedef struct merger {
    hlc_program *p;
    sir_module *m;
    arena *a;
    const bank *b;
    taken_names *names;
    sir_filter *filter; // the new one
    sir_function *work;
    uint32_t branch; // local: the loop's variable
    bool windows;    // deals_single_windows
    bool chain;      // the branches follow each other
    uint32_t item;   // then: the local that goes through them
    const char *why; // it cannot be done; NULL: it can
    sir_loc where;
    // The stage that is copied.
    size_t stage;
    sir_filter **filters; // of it, by branch
    field_map *fields;
    uint32_t *locals;
    numbers *given; // locals that hold what the stage before pushed
    numbers pushed; // and those that hold what it pushes
    int64_t pops;
    bool popped; // a loop took what was left: nothing may look at items behind it
} merger;

static sir_expr *give_up(merger *x, sir_loc where, const char *why)
{
    if (x->why == NULL) {
        x->why = why;
        x->where = where;
    }
    return sir_const_int(x->m, 0, where);
}

// ---- Banks ----

static const sir_channel *only_output(const sir_module *m, const sir_actor *a)
{
    return a->outputs.len == 1 && a->outputs.data[0] != SIR_NONE ? &m->channels.data[a->outputs.data[0]] : NULL;
}

// Follows a branch from a port of the splitter; false if it is no chain of filters to a joiner.
static bool find_branch(const sir_module *m, arena *a, bank *b, size_t branch)
{
    const sir_actor *split = m->actors.data[b->split];
    const sir_channel *c =
        split->outputs.data[branch] == SIR_NONE ? NULL : &m->channels.data[split->outputs.data[branch]];
    for (size_t stage = 0;; stage++) {
        if (c == NULL || c->initial.len != 0 || stage > MOST_STAGES)
            return false;
        const sir_actor *next = m->actors.data[c->consumer];
        if (next->kind == SIR_JOIN) {
            bool same = branch == 0 || (c->consumer == b->join && stage == b->stages.len);
            b->join = c->consumer;
            return same && stage > 0 && c->consumer_port == branch;
        }
        if (next->kind != SIR_FILTER || next->inputs.len != 1 || (branch > 0 && stage >= b->stages.len))
            return false;
        if (branch == 0)
            VEC_PUSH(a, &b->stages, (numbers){0});
        VEC_PUSH(a, &b->stages.data[stage], c->consumer);
        c = only_output(m, next);
    }
}

static bool equal_weights(const sir_actor *a)
{
    for (size_t i = 1; i < a->weights.len; i++)
        if (a->weights.data[i] != a->weights.data[0])
            return false;
    return a->weights.len != 0 && a->weights.data[0] > 0;
}

static bool find_bank(const sir_module *m, arena *a, uint32_t split, bank *b)
{
    const sir_actor *s = m->actors.data[split];
    *b = (bank){.split = split, .branches = s->outputs.len};
    if (s->kind != SIR_SPLIT || b->branches < LEAST_SIBLINGS || !(s->duplicate || equal_weights(s)) ||
        s->inputs.data[0] == SIR_NONE)
        return false;
    for (size_t i = 0; i < b->branches; i++)
        if (!find_branch(m, a, b, i))
            return false;
    const sir_actor *j = m->actors.data[b->join];
    return j->inputs.len == b->branches && equal_weights(j) && only_output(m, j) != NULL;
}

static int64_t split_weight(const merger *x)
{
    const sir_actor *s = x->m->actors.data[x->b->split];
    return s->duplicate ? 1 : s->weights.data[0];
}

static sir_filter *filter_at(const merger *x, size_t stage, size_t branch)
{
    return x->m->actors.data[x->b->stages.data[stage].data[branch]]->filter;
}

static bool is_plain(const sir_filter *f)
{
    const sir_function *w = f->work;
    return f->prework == NULL && f->handlers.len == 0 && !f->uses_iter && !f->uses_random && !f->prints && !f->sends &&
           !w->peek.dynamic && !w->pop.dynamic && !w->push.dynamic && w->pop.max > 0 && w->push.max > 0;
}

// Branches without state that look at windows of a stream dealt item by item, such as those of a polyphase filter: a
// branch's items lie apart, those of all branches side by side.
static bool deals_single_windows(const merger *x)
{
    const sir_actor *s = x->m->actors.data[x->b->split], *j = x->m->actors.data[x->b->join];
    const sir_function *w = filter_at(x, 0, 0)->work;
    return !s->duplicate && s->weights.data[0] == 1 && j->weights.data[0] == 1 && x->b->stages.len == 1 &&
           w->peek.max > w->pop.max && w->pop.max == 1 && w->push.max == 1;
}

// What can be seen without looking into the bodies.
static bool looks_alike(const merger *x)
{
    bool state = false;
    for (size_t k = 0; k < x->b->stages.len; k++) {
        const sir_filter *first = filter_at(x, k, 0);
        for (size_t i = 0; i < x->b->branches; i++) {
            const sir_filter *f = filter_at(x, k, i);
            const sir_function *v = first->work, *w = f->work;
            if (!is_plain(f) || memcmp(&f->loc, &first->loc, sizeof f->loc) != 0 || w->pop.max != v->pop.max ||
                w->push.max != v->push.max || w->peek.max != v->peek.max || f->fields.len != first->fields.len ||
                w->locals.len != v->locals.len || f->input != first->input || f->output != first->output)
                return false;
            state |= f->stateful;
        }
        if (k > 0 && (first->work->peek.max > first->work->pop.max ||
                      filter_at(x, k - 1, 0)->work->push.max != first->work->pop.max))
            return false;
    }
    int64_t pops = filter_at(x, 0, 0)->work->pop.max, pushes = filter_at(x, x->b->stages.len - 1, 0)->work->push.max;
    return (state || deals_single_windows(x)) && pops % split_weight(x) == 0 &&
           pushes % x->m->actors.data[x->b->join]->weights.data[0] == 0;
}

// ---- Fields ----

static const sir_type *spread_type(sir_module *m, const sir_type *t, uint32_t branches)
{
    if (t->kind != SIR_ARRAY)
        return sir_type_array(m, t, branches);
    return sir_type_array(m, spread_type(m, t->element, branches), t->length);
}

static const sir_type *leaf_of(const sir_type *t)
{
    while (t->kind == SIR_ARRAY)
        t = t->element;
    return t;
}

static bool equal_scalars(const sir_type *t, sir_scalar a, sir_scalar b)
{
    switch (t->kind) {
    case SIR_FLOAT: return memcmp(&a.f, &b.f, sizeof a.f) == 0;
    case SIR_DOUBLE: return memcmp(&a.d, &b.d, sizeof a.d) == 0;
    case SIR_COMPLEX: return memcmp(&a.c, &b.c, sizeof a.c) == 0;
    default: return a.i == b.i;
    }
}

static bool equal_values(const sir_value *a, const sir_value *b)
{
    const sir_type *leaf = leaf_of(a->type);
    sir_scalar zero = {0};
    for (uint64_t i = 0; leaf->kind != SIR_STRUCT && i < a->type->words; i++)
        if (!equal_scalars(leaf, a->zero ? zero : a->data[i], b->zero ? zero : b->data[i]))
            return false;
    return leaf->kind != SIR_STRUCT;
}

static const char *field_name(merger *x, const char *wanted)
{
    const char *name = wanted;
    for (size_t n = 2, i = 0; i < x->filter->fields.len;)
        if (strcmp(x->filter->fields.data[i].name, name) == 0) {
            name = arena_printf(x->a, "%s_%zu", wanted, n++);
            i = 0;
        } else {
            i++;
        }
    return name;
}

// The values of all branches, each leaf's side by side.
static sir_value spread_values(merger *x, const sir_type *t, const sir_value **values)
{
    sir_value v = sir_value_new(x->a, t);
    uint64_t words = values[0]->type->words, n = x->b->branches;
    for (uint64_t w = 0; w < words; w++)
        for (uint64_t i = 0; i < n; i++)
            if (!values[i]->zero)
                v.data[w * n + i] = values[i]->data[w];
    return v;
}

static uint32_t add_field(merger *x, sir_field f)
{
    f.name = field_name(x, f.name);
    VEC_PUSH(x->a, &x->filter->fields, f);
    return (uint32_t)x->filter->fields.len - 1;
}

static void map_field(merger *x, uint32_t k)
{
    const sir_field *first = &x->filters[0]->fields.data[k];
    const sir_value **values = ARENA_ARRAY(x->a, const sir_value *, x->b->branches);
    bool same = first->constant;
    for (size_t i = 0; i < x->b->branches; i++) {
        const sir_field *f = &x->filters[i]->fields.data[k];
        if (f->type != first->type || f->constant != first->constant || leaf_of(f->type)->kind == SIR_STRUCT)
            (void)give_up(x, first->loc, "has fields of its own type");
        values[i] = &f->init;
        same = same && x->why == NULL && equal_values(values[0], values[i]);
    }
    sir_field f = *first;
    if (x->why != NULL)
        return;
    if (!same) {
        f.type = spread_type(x->m, first->type, (uint32_t)x->b->branches);
        f.init = spread_values(x, f.type, values);
    }
    x->fields[k] = (field_map){add_field(x, f), !same};
}

// ---- Bodies: nodes of all branches at the same place side by side; what comes out is the new one ----

static sir_expr *branch_number(merger *x, sir_loc loc)
{
    return sir_ref(x->m, SIR_LOCAL, x->branch, x->m->scalar[SIR_INT], loc);
}

static sir_expr *of_branch(merger *x, sir_expr *array, const sir_type *element, sir_loc loc)
{
    return sir_expr2(x->m, SIR_INDEX, 0, element, array, branch_number(x, loc), loc);
}

static sir_expr *copy_const(merger *x, sir_expr *const *e)
{
    const sir_type *t = e[0]->type;
    bool same = true;
    for (size_t i = 1; i < x->b->branches; i++)
        same = same && equal_scalars(t, e[0]->u.value, e[i]->u.value);
    if (same)
        return sir_const(x->m, t, e[0]->u.value, e[0]->loc);
    sir_field f = {
        .name = "k", .type = sir_type_array(x->m, t, (uint32_t)x->b->branches), .constant = true, .loc = e[0]->loc};
    f.init = sir_value_new(x->a, f.type);
    for (size_t i = 0; i < x->b->branches; i++)
        f.init.data[i] = e[i]->u.value;
    return of_branch(x, sir_ref(x->m, SIR_FIELD, add_field(x, f), f.type, f.loc), t, f.loc);
}

// Item number `at` of the branch's, as the new filter's input has it.
static sir_expr *item_of_input(merger *x, sir_expr *at, const sir_type *t, sir_loc loc)
{
    const sir_actor *split = x->m->actors.data[x->b->split];
    const sir_type *integer = x->m->scalar[SIR_INT];
    if (split->duplicate)
        return sir_expr1(x->m, SIR_PEEK, 0, t, at, loc);
    int32_t w = (int32_t)split->weights.data[0], n = (int32_t)x->b->branches;
    if (at->kind != SIR_CONST && w == 1) {
        sir_expr *row = sir_expr2(x->m, SIR_BINARY, LANG_OP_MUL, integer, at, sir_const_int(x->m, n, loc), loc);
        return sir_expr1(x->m, SIR_PEEK, 0, t,
                         sir_expr2(x->m, SIR_BINARY, LANG_OP_ADD, integer, row, branch_number(x, loc), loc), loc);
    }
    if (at->kind != SIR_CONST)
        return give_up(x, loc, "peeks at a place that is computed");
    int32_t k = at->u.value.i;
    sir_expr *base = sir_const_int(x->m, k / w * w * (int32_t)x->b->branches + k % w, loc);
    sir_expr *own =
        sir_expr2(x->m, SIR_BINARY, LANG_OP_MUL, integer, branch_number(x, loc), sir_const_int(x->m, w, loc), loc);
    if (base->u.value.i != 0)
        own = sir_expr2(x->m, SIR_BINARY, LANG_OP_ADD, integer, own, base, loc);
    return sir_expr1(x->m, SIR_PEEK, 0, t, own, loc);
}

static bool is_spread(const merger *x, const sir_expr *e)
{
    while (e->kind == SIR_INDEX)
        e = e->u.arg[0];
    return e->kind == SIR_FIELD && x->fields[e->index].spread;
}

static sir_expr *copy_expr(merger *x, sir_expr *const *e);

static sir_expr *copy_arg(merger *x, sir_expr *const *e, size_t arg)
{
    sir_expr **args = ARENA_ARRAY(x->a, sir_expr *, x->b->branches);
    for (size_t i = 0; i < x->b->branches; i++)
        args[i] = e[i]->u.arg[arg];
    return copy_expr(x, args);
}

static sir_expr *copy_field(merger *x, const sir_expr *e)
{
    const field_map *f = &x->fields[e->index];
    sir_expr *r = sir_ref(x->m, SIR_FIELD, f->index, x->filter->fields.data[f->index].type, e->loc);
    return f->spread && e->type->kind != SIR_ARRAY ? of_branch(x, r, e->type, e->loc) : r;
}

static sir_expr *copy_peek(merger *x, sir_expr *const *e)
{
    sir_expr *at = copy_arg(x, e, 0);
    if (x->chain && at->kind == SIR_CONST && at->u.value.i == 0 && x->pops == 0)
        return sir_ref(x->m, SIR_LOCAL, x->item, e[0]->type, e[0]->loc);
    if (x->chain || x->stage > 0 || x->popped)
        return give_up(x, e[0]->loc, "peeks");
    if (at->kind == SIR_CONST)
        at = sir_const_int(x->m, at->u.value.i + (int32_t)x->pops, at->loc);
    else if (x->pops > 0)
        at = sir_expr2(x->m, SIR_BINARY, LANG_OP_ADD, at->type, at, sir_const_int(x->m, (int32_t)x->pops, at->loc),
                       at->loc);
    return item_of_input(x, at, e[0]->type, e[0]->loc);
}

static sir_expr *copy_expr(merger *x, sir_expr *const *e)
{
    const sir_expr *first = e[0];
    for (size_t i = 1; i < x->b->branches && x->why == NULL; i++)
        if (e[i]->kind != first->kind || e[i]->op != first->op || e[i]->type != first->type ||
            (first->kind != SIR_CONST && e[i]->index != first->index))
            return give_up(x, first->loc, "computes something else");
    if (x->why != NULL)
        return sir_const_int(x->m, 0, first->loc);
    switch ((sir_expr_kind)first->kind) {
    case SIR_CONST: return copy_const(x, e);
    case SIR_LOCAL: return sir_ref(x->m, SIR_LOCAL, x->locals[first->index], first->type, first->loc);
    case SIR_FIELD: return copy_field(x, first);
    case SIR_PEEK: return copy_peek(x, e);
    default: break;
    }
    sir_expr *copy = ARENA_NEW(x->a, sir_expr);
    *copy = *first;
    for (size_t i = 0; i < sir_expr_arity(first); i++)
        copy->u.arg[i] = copy_arg(x, e, i);
    if (first->kind == SIR_INDEX && is_spread(x, first)) {
        copy->type = copy->u.arg[0]->type->kind == SIR_ARRAY ? copy->u.arg[0]->type->element : first->type;
        if (first->type->kind != SIR_ARRAY)
            return of_branch(x, copy, first->type, first->loc);
    }
    return copy;
}

static void copy_block(merger *x, const sir_block *const *b, sir_block *to, bool top);

static sir_stmt *copy_if(merger *x, sir_stmt *const *s, sir_stmt *copy)
{
    const sir_block **blocks = ARENA_ARRAY(x->a, const sir_block *, x->b->branches);
    memset(&copy->u.if_, 0, sizeof copy->u.if_);
    sir_expr **conds = ARENA_ARRAY(x->a, sir_expr *, x->b->branches);
    for (size_t i = 0; i < x->b->branches; i++)
        conds[i] = s[i]->u.if_.cond;
    copy->u.if_.cond = copy_expr(x, conds);
    for (size_t i = 0; i < x->b->branches; i++)
        blocks[i] = &s[i]->u.if_.then;
    copy_block(x, blocks, &copy->u.if_.then, false);
    for (size_t i = 0; i < x->b->branches; i++)
        blocks[i] = &s[i]->u.if_.otherwise;
    copy_block(x, blocks, &copy->u.if_.otherwise, false);
    return copy;
}

static uint32_t new_local(merger *x, const char *name, const sir_type *t, sir_loc loc)
{
    return sir_local_new(x->m, x->work, name, t, loc);
}

static sir_stmt *new_set(merger *x, uint32_t local, const sir_type *t, sir_expr *value, sir_loc loc)
{
    sir_stmt *s = sir_stmt_new(x->m, SIR_DECL, loc);
    s->u.decl.local = local;
    s->u.decl.init = value;
    (void)t;
    return s;
}

// What is pushed stays in a local: of the last stage, too, where branches push several items.
static sir_stmt *copy_push(merger *x, sir_expr *const *values, sir_loc loc)
{
    const sir_type *t = values[0]->type;
    uint32_t local = new_local(x, "item", t, loc);
    VEC_PUSH(x->a, &x->pushed, local);
    return new_set(x, local, t, copy_expr(x, values), loc);
}

static sir_stmt *copy_pop(merger *x, sir_stmt *const *s, sir_expr *target)
{
    const sir_type *t = x->filters[0]->input;
    sir_loc loc = s[0]->loc;
    int64_t at = x->pops++;
    if (target == NULL)
        return NULL;
    if (x->popped)
        (void)give_up(x, loc, "pops behind a loop that does");
    sir_stmt *copy = sir_stmt_new(x->m, SIR_SET, loc);
    copy->u.set.target = target;
    if (x->chain)
        copy->u.set.value = sir_ref(x->m, SIR_LOCAL, x->item, t, loc);
    else if (x->stage == 0)
        copy->u.set.value = item_of_input(x, sir_const_int(x->m, (int32_t)at, loc), t, loc);
    else if (at < (int64_t)x->given->len)
        copy->u.set.value = sir_ref(x->m, SIR_LOCAL, x->given->data[at], t, loc);
    else
        copy->u.set.value = give_up(x, loc, "pops more than it says");
    return copy;
}

// The expression, or block, at the same place of all statements.
static sir_expr *copy_part(merger *x, sir_stmt *const *s, uint8_t part)
{
    sir_expr **exprs = ARENA_ARRAY(x->a, sir_expr *, x->b->branches);
    for (size_t i = 0; i < x->b->branches; i++)
        exprs[i] = *sir_stmt_parts(s[i]).expr[part];
    return copy_expr(x, exprs);
}

static sir_block copy_inner(merger *x, sir_stmt *const *s, uint8_t part)
{
    const sir_block **blocks = ARENA_ARRAY(x->a, const sir_block *, x->b->branches);
    sir_block copy = {0};
    for (size_t i = 0; i < x->b->branches; i++)
        blocks[i] = sir_stmt_parts(s[i]).block[part];
    copy_block(x, blocks, &copy, false);
    return copy;
}

typedef struct pop_look {
    size_t pops, others;
} pop_look;

static void look_for_pops(void *context, sir_stmt *s)
{
    pop_look *l = context;
    bool drops = s->kind == SIR_POP && s->u.set.target == NULL;
    l->pops += drops;
    l->others += !drops && s->kind != SIR_SET && s->kind != SIR_DECL;
}

// A loop that only pops what nobody looks at: where the filter pops what it says, that is the rest.
static bool only_pops(const sir_stmt *s)
{
    pop_look body = {0};
    const sir_block *b = s->kind == SIR_FOR ? &s->u.for_.body : &s->u.loop.body;
    sir_visit_stmts(b, look_for_pops, &body);
    return body.pops != 0 && body.others == 0 && body.pops == b->len;
}

// Whether C compilers write the loop out, so that the one over the branches around it becomes vectors. What a loop starts
// with is not known yet; arrays say how far it goes.
static bool is_short(const merger *x, const sir_stmt *s)
{
    const sir_expr *bound = s->kind == SIR_FOR ? s->u.for_.hi : s->u.loop.cond;
    if (s->kind == SIR_LOOP && bound != NULL && bound->kind == SIR_BINARY && bound->op >= LANG_OP_EQ &&
        bound->op <= LANG_OP_GE)
        bound = bound->u.arg[1];
    for (VEC_EACH(sir_field, f, &x->filters[0]->fields))
        if (f->type->kind == SIR_ARRAY && (f->type->length > MOST_TRIPS || f->type->element->kind == SIR_ARRAY))
            return false;
    return bound != NULL && bound->kind == SIR_CONST && bound->type->kind == SIR_INT &&
           bound->u.value.i <= MOST_TRIPS && bound->u.value.i >= -MOST_TRIPS;
}

static sir_stmt *copy_loop(merger *x, sir_stmt *const *s, sir_stmt *copy, bool top)
{
    const sir_stmt *first = s[0];
    for (size_t i = 1; i < x->b->branches; i++)
        if (sir_stmt_parts(s[i]).expr_count != sir_stmt_parts(s[0]).expr_count ||
            (first->kind == SIR_FOR
                 ? s[i]->u.for_.local != first->u.for_.local || s[i]->u.for_.step != first->u.for_.step
                 : s[i]->u.loop.post_test != first->u.loop.post_test))
            (void)give_up(x, first->loc, "computes something else");
    if (x->why != NULL)
        return copy;
    if (only_pops(first)) {
        x->popped = true;
        if (!top)
            (void)give_up(x, first->loc, "pops in a branch or loop");
        return NULL;
    }
    if (!x->windows && (!top || !is_short(x, first)))
        (void)give_up(x, first->loc, top ? "has long loops" : "has loops in branches or loops");
    sir_parts parts = sir_stmt_parts(copy);
    for (uint8_t i = 0; i < parts.expr_count && x->why == NULL; i++)
        *parts.expr[i] = copy_part(x, s, i);
    for (uint8_t i = 0; i < parts.block_count && x->why == NULL; i++)
        *parts.block[i] = copy_inner(x, s, i);
    if (first->kind == SIR_FOR)
        copy->u.for_.local = x->locals[first->u.for_.local];
    return copy;
}

static sir_stmt *copy_stmt(merger *x, sir_stmt *const *s, bool top)
{
    const sir_stmt *first = s[0];
    sir_expr **exprs = ARENA_ARRAY(x->a, sir_expr *, x->b->branches);
    sir_stmt *copy = ARENA_NEW(x->a, sir_stmt);
    *copy = *first;
    switch ((sir_stmt_kind)first->kind) {
    case SIR_DECL:
        copy->u.decl.local = x->locals[first->u.decl.local];
        for (size_t i = 0; i < x->b->branches; i++) {
            exprs[i] = s[i]->u.decl.init;
            if (s[i]->u.decl.local != first->u.decl.local || (exprs[i] == NULL) != (exprs[0] == NULL))
                (void)give_up(x, first->loc, "computes something else");
        }
        copy->u.decl.init = exprs[0] == NULL || x->why != NULL ? NULL : copy_expr(x, exprs);
        return copy;
    case SIR_SET:
    case SIR_POP:
        for (size_t i = 0; i < x->b->branches; i++)
            exprs[i] = s[i]->u.set.target;
        copy->u.set.target = exprs[0] == NULL ? NULL : copy_expr(x, exprs);
        if (first->kind == SIR_POP) {
            if (!top)
                (void)give_up(x, first->loc, "pops in a branch or loop");
            return copy_pop(x, s, copy->u.set.target);
        }
        for (size_t i = 0; i < x->b->branches; i++)
            exprs[i] = s[i]->u.set.value;
        copy->u.set.value = copy_expr(x, exprs);
        if (copy->u.set.value->type->kind == SIR_ARRAY)
            (void)give_up(x, first->loc, "assigns whole arrays");
        return copy;
    case SIR_PUSH:
        if (!top)
            (void)give_up(x, first->loc, "pushes in a branch or loop");
        for (size_t i = 0; i < x->b->branches; i++)
            exprs[i] = s[i]->u.value;
        return copy_push(x, exprs, first->loc);
    case SIR_IF: return copy_if(x, s, copy);
    case SIR_FOR:
    case SIR_LOOP: return copy_loop(x, s, copy, top);
    default: (void)give_up(x, first->loc, "has calls or jumps"); return copy;
    }
}

static void copy_block(merger *x, const sir_block *const *b, sir_block *to, bool top)
{
    sir_stmt **stmts = ARENA_ARRAY(x->a, sir_stmt *, x->b->branches);
    for (size_t i = 1; i < x->b->branches; i++)
        if (b[i]->len != b[0]->len)
            (void)give_up(x, b[0]->len == 0 ? (sir_loc){0} : b[0]->data[0]->loc, "computes something else");
    for (size_t k = 0; k < b[0]->len && x->why == NULL; k++) {
        for (size_t i = 0; i < x->b->branches; i++) {
            stmts[i] = b[i]->data[k];
            if (stmts[i]->kind != stmts[0]->kind) {
                (void)give_up(x, stmts[0]->loc, "computes something else");
                return;
            }
        }
        sir_stmt *copy = copy_stmt(x, stmts, top);
        if (copy != NULL)
            VEC_PUSH(x->a, to, copy);
    }
}

// ---- The new filter ----

static void copy_stage(merger *x, size_t stage, numbers *given, sir_block *to)
{
    size_t n = x->b->branches;
    x->stage = stage;
    x->given = given;
    x->pops = 0;
    x->popped = false;
    memset(&x->pushed, 0, sizeof x->pushed);
    x->filters = ARENA_ARRAY(x->a, sir_filter *, n);
    for (size_t i = 0; i < n; i++)
        x->filters[i] = filter_at(x, stage, i);
    const sir_filter *first = x->filters[0];
    x->fields = ARENA_ARRAY(x->a, field_map, first->fields.len + 1);
    for (uint32_t k = 0; k < first->fields.len && x->why == NULL; k++)
        map_field(x, k);
    x->locals = ARENA_ARRAY(x->a, uint32_t, first->work->locals.len + 1);
    for (size_t k = 0; k < first->work->locals.len; k++) {
        const sir_local *l = &first->work->locals.data[k];
        if (l->type->kind == SIR_ARRAY)
            (void)give_up(x, l->loc, "has local arrays");
        x->locals[k] = new_local(x, l->name, l->type, l->loc);
    }
    const sir_block **bodies = ARENA_ARRAY(x->a, const sir_block *, n);
    for (size_t i = 0; i < n; i++)
        bodies[i] = &x->filters[i]->work->body;
    if (x->why == NULL)
        copy_block(x, bodies, to, true);
    if (x->why == NULL && ((int64_t)x->pushed.len != first->work->push.max || x->pops > first->work->pop.max))
        (void)give_up(x, first->work->loc, "moves other numbers of items than it says");
    for (size_t i = 0; i < n && x->popped && x->why == NULL; i++) {
        sir_rate_bounds rates = sir_function_rates(x->m, x->filters[i]->work);
        if (rates.pop_min != rates.pop_max || rates.pop_max != first->work->pop.max)
            (void)give_up(x, first->work->loc, "may pop other numbers of items than it says");
    }
}

static sir_stmt *loop_over(merger *x, uint32_t local, int64_t count, sir_loc loc)
{
    sir_stmt *s = sir_stmt_new(x->m, SIR_FOR, loc);
    s->u.for_.local = local;
    s->u.for_.lo = sir_const_int(x->m, 0, loc);
    s->u.for_.hi = sir_const_int(x->m, (int32_t)count, loc);
    s->u.for_.step = 1;
    return s;
}

static sir_stmt *new_push(merger *x, sir_expr *value, sir_loc loc)
{
    sir_stmt *s = sir_stmt_new(x->m, SIR_PUSH, loc);
    s->u.value = value;
    return s;
}

// Items in the order of the joiner. In the loop itself where a branch pushes what the joiner takes of it.
static void push_items(merger *x, sir_block *loop)
{
    const sir_type *t = x->filter->output;
    sir_loc loc = x->work->loc;
    int64_t weight = x->m->actors.data[x->b->join]->weights.data[0], items = (int64_t)x->pushed.len;
    VEC(uint32_t) arrays = {0};
    for (int64_t i = 0; i < items; i++) {
        sir_expr *item = sir_ref(x->m, SIR_LOCAL, x->pushed.data[i], t, loc);
        if (items == weight) {
            VEC_PUSH(x->a, loop, new_push(x, item, loc));
            continue;
        }
        const sir_type *all = sir_type_array(x->m, t, (uint32_t)x->b->branches);
        VEC_PUSH(x->a, &arrays, new_local(x, "items", all, loc));
        sir_stmt *set = sir_stmt_new(x->m, SIR_SET, loc);
        set->u.set.target = of_branch(x, sir_ref(x->m, SIR_LOCAL, VEC_LAST(&arrays), all, loc), t, loc);
        set->u.set.value = item;
        VEC_PUSH(x->a, loop, set);
        sir_stmt *decl = sir_stmt_new(x->m, SIR_DECL, loc);
        decl->u.decl.local = VEC_LAST(&arrays);
        VEC_PUSH(x->a, &x->work->body, decl);
    }
    sir_stmt *first = loop_over(x, x->branch, (int64_t)x->b->branches, loc);
    memcpy(&first->u.for_.body, loop, sizeof *loop);
    VEC_PUSH(x->a, &x->work->body, first);
    for (int64_t i = 0; i < (int64_t)arrays.len; i += weight) {
        sir_stmt *next = loop_over(x, new_local(x, "m", x->m->scalar[SIR_INT], loc), (int64_t)x->b->branches, loc);
        x->branch = next->u.for_.local;
        for (int64_t k = i; k < i + weight; k++) {
            const sir_type *all = x->work->locals.data[arrays.data[k]].type;
            VEC_PUSH(x->a, &next->u.for_.body,
                     new_push(x, of_branch(x, sir_ref(x->m, SIR_LOCAL, arrays.data[k], all, loc), t, loc), loc));
        }
        VEC_PUSH(x->a, &x->work->body, next);
    }
}

static void set_rates(merger *x, const sir_function *first, const sir_function *last)
{
    int64_t n = (int64_t)x->b->branches, weight = split_weight(x);
    bool duplicate = x->m->actors.data[x->b->split]->duplicate;
    int64_t factor = duplicate ? 1 : n, window = (first->peek.max + weight - 1) / weight * weight;
    x->work->pop = first->pop;
    x->work->pop.min = x->work->pop.max = first->pop.max * factor;
    x->work->peek = first->peek;
    x->work->peek.min = x->work->peek.max = window * factor;
    x->work->push = last->push;
    x->work->push.min = x->work->push.max = last->push.max * n;
}

static sir_filter *new_filter(merger *x, const sir_filter *first, const sir_filter *last)
{
    size_t n = x->b->branches;
    x->filter = ARENA_NEW(x->a, sir_filter);
    x->work = ARENA_NEW(x->a, sir_function);
    *x->filter =
        (sir_filter){.name = pass_names_next(&x->names->filters, x->a, arena_printf(x->a, "%s_x%zu", first->name, n)),
                     .input = first->input,
                     .output = last->output,
                     .work = x->work,
                     .loc = first->loc};
    x->filter->source = arena_printf(x->a, "%zu of %s", n, first->source != NULL ? first->source : first->name);
    *x->work = (sir_function){
        .kind = SIR_WORK, .name = first->work->name, .result = first->work->result, .loc = first->work->loc};
    return x->filter;
}

static bool make_filter(merger *x)
{
    const sir_filter *first = filter_at(x, 0, 0), *last = filter_at(x, x->b->stages.len - 1, 0);
    (void)new_filter(x, first, last);
    set_rates(x, first->work, last->work);
    x->branch = new_local(x, "m", x->m->scalar[SIR_INT], x->work->loc);
    sir_block loop = {0};
    numbers given = {0};
    for (size_t k = 0; k < x->b->stages.len && x->why == NULL; k++) {
        copy_stage(x, k, &given, &loop);
        memcpy(&given, &x->pushed, sizeof given);
    }
    if (x->why != NULL)
        return false;
    push_items(x, &loop);
    sir_stmt *pops =
        loop_over(x, new_local(x, "i", x->m->scalar[SIR_INT], x->work->loc), x->work->pop.max, x->work->loc);
    VEC_PUSH(x->a, &pops->u.for_.body, sir_stmt_new(x->m, SIR_POP, x->work->loc));
    VEC_PUSH(x->a, &x->work->body, pops);
    return true;
}

// The filter of branches that follow each other.
static bool make_chain(merger *x)
{
    const sir_filter *first = filter_at(x, 0, 0);
    sir_loc loc = first->work->loc;
    (void)new_filter(x, first, first);
    x->work->pop = first->work->pop;
    x->work->peek = first->work->peek;
    x->work->push = first->work->push;
    x->branch = new_local(x, "m", x->m->scalar[SIR_INT], loc);
    x->item = new_local(x, "item", first->input, loc);
    sir_stmt *decl = sir_stmt_new(x->m, SIR_DECL, loc), *pop = sir_stmt_new(x->m, SIR_POP, loc),
             *loop = loop_over(x, x->branch, (int64_t)x->b->branches, loc), *next = sir_stmt_new(x->m, SIR_SET, loc);
    decl->u.decl.local = x->item;
    pop->u.set.target = sir_ref(x->m, SIR_LOCAL, x->item, first->input, loc);
    sir_block body = {0};
    numbers given = {0};
    copy_stage(x, 0, &given, &body);
    if (x->why != NULL)
        return false;
    next->u.set.target = sir_ref(x->m, SIR_LOCAL, x->item, first->input, loc);
    next->u.set.value = sir_ref(x->m, SIR_LOCAL, x->pushed.data[0], first->output, loc);
    VEC_PUSH(x->a, &body, next);
    memcpy(&loop->u.for_.body, &body, sizeof body);
    VEC_PUSH(x->a, &x->work->body, decl);
    VEC_PUSH(x->a, &x->work->body, pop);
    VEC_PUSH(x->a, &x->work->body, loop);
    VEC_PUSH(x->a, &x->work->body, new_push(x, sir_ref(x->m, SIR_LOCAL, x->item, first->output, loc), loc));
    return true;
}

// ---- The graph ----

// Puts the new filter where the splitter was; what was between it and the joiner's output has no place any more.
static void replace(merger *x, bool *gone_actor, bool *gone_channel)
{
    sir_module *m = x->m;
    const sir_actor *split = m->actors.data[x->b->split], *join = m->actors.data[x->b->join];
    sir_actor *actor = ARENA_NEW(x->a, sir_actor);
    *actor = (sir_actor){.kind = SIR_FILTER,
                         .name = pass_names_next(&x->names->actors, x->a, x->filter->name),
                         .region = split->region,
                         .filter = x->filter,
                         .item = NULL,
                         .loc = split->loc};
    uint32_t in = split->inputs.data[0], out = join->outputs.data[0];
    VEC_PUSH(x->a, &actor->inputs, in);
    VEC_PUSH(x->a, &actor->outputs, out);
    for (size_t i = 0; i < x->b->branches; i++) {
        gone_channel[split->outputs.data[i]] = true;
        for (size_t k = 0; k < x->b->stages.len; k++) {
            uint32_t number = x->b->stages.data[k].data[i];
            gone_actor[number] = true;
            gone_channel[m->actors.data[number]->outputs.data[0]] = true;
        }
    }
    gone_actor[x->b->join] = true;
    m->actors.data[x->b->split] = actor;
    pass_names_add(&x->names->actors, actor->name);
    m->channels.data[in].consumer_port = 0;
    m->channels.data[out].producer = x->b->split;
    m->channels.data[out].producer_port = 0;
}

static void renumber_ports(uint32_t *ports, size_t count, const uint32_t *number)
{
    for (size_t i = 0; i < count; i++)
        if (ports[i] != SIR_NONE)
            ports[i] = number[ports[i]];
}

void pass_sweep(sir_module *m, arena *a, const bool *gone_actor, const bool *gone_channel)
{
    uint32_t *actors = ARENA_ARRAY(a, uint32_t, m->actors.len + 1),
             *channels = ARENA_ARRAY(a, uint32_t, m->channels.len + 1);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < m->actors.len; i++) {
        actors[i] = kept;
        if (!gone_actor[i])
            m->actors.data[kept++] = m->actors.data[i];
    }
    m->actors.len = kept;
    kept = 0;
    for (uint32_t i = 0; i < m->channels.len; i++) {
        channels[i] = kept;
        if (!gone_channel[i])
            m->channels.data[kept++] = m->channels.data[i];
    }
    m->channels.len = kept;
    for (VEC_EACH(sir_channel, c, &m->channels)) {
        c->producer = actors[c->producer];
        c->consumer = actors[c->consumer];
    }
    for (VEC_EACH(sir_actor *, actor, &m->actors)) {
        renumber_ports((*actor)->inputs.data, (*actor)->inputs.len, channels);
        renumber_ports((*actor)->outputs.data, (*actor)->outputs.len, channels);
    }
    for (VEC_EACH(sir_portal, portal, &m->portals))
        renumber_ports(portal->receivers.data, portal->receivers.len, actors);
}

static void add_filter(const merger *x)
{
    VEC_PUSH(x->m->arena, &x->m->filters, x->filter);
    pass_names_add(&x->names->filters, x->filter->name);
    sir_filter_derive(x->m, x->filter);
}

static bool receives(const sir_module *m, const bank *b)
{
    for (VEC_EACH(const sir_portal, portal, &m->portals))
        for (VEC_EACH(uint32_t, r, &portal->receivers))
            for (VEC_EACH(numbers, stage, &b->stages))
                for (VEC_EACH(uint32_t, actor, stage))
                    if (*actor == *r)
                        return true;
    return false;
}

static void remark(const merger *x)
{
    const sir_actor *split = x->m->actors.data[x->b->split];
    src_range at = sir_range(x->m, x->p->sources, split->loc);
    const sir_filter *first = filter_at(x, 0, 0);
    if (x->why == NULL)
        diag_remark(x->p->diag, at, "%zu branches of '%s' are done side by side by one filter [siblings]",
                    x->b->branches, first->name);
    else
        diag_remark(x->p->diag, sir_range(x->m, x->p->sources, x->where.file != 0 ? x->where : split->loc),
                    "the %zu branches of '%s' and its siblings stay apart: one of them %s [siblings]", x->b->branches,
                    first->name, x->why);
}

// ---- Branches that follow each other ----

// Items of other types are not lanes; more filters would be more lanes than registers have.
enum { MOST_CHAIN = 32 };

static bool moves_single_items(const sir_module *m, const sir_actor *a)
{
    const sir_filter *f = a->filter;
    return a->kind == SIR_FILTER && a->inputs.len == 1 && a->outputs.len == 1 && a->least == 0 && is_plain(f) &&
           f->stateful && f->work->pop.max == 1 && f->work->peek.max == 1 && f->work->push.max == 1 &&
           f->input == f->output && (f->input->kind == SIR_FLOAT || f->input->kind == SIR_INT) &&
           !pass_in_loop(m, a->region);
}

// The filters from an actor on that look alike.
static bool find_chain(const sir_module *m, arena *a, uint32_t first, const bool *gone, bank *b)
{
    *b = (bank){0};
    VEC_PUSH(a, &b->stages, (numbers){0});
    numbers *chain = &b->stages.data[0];
    for (uint32_t i = first; !gone[i] && chain->len < MOST_CHAIN && moves_single_items(m, m->actors.data[i]);) {
        const sir_filter *f = m->actors.data[i]->filter, *g = m->actors.data[first]->filter;
        if (memcmp(&f->loc, &g->loc, sizeof f->loc) != 0 || f->fields.len != g->fields.len ||
            f->work->locals.len != g->work->locals.len || f->input != g->input)
            break;
        VEC_PUSH(a, chain, i);
        const sir_channel *c = only_output(m, m->actors.data[i]);
        if (c == NULL || c->initial.len != 0)
            break;
        i = c->consumer;
    }
    b->branches = chain->len;
    return b->branches >= LEAST_SIBLINGS;
}

static void replace_chain(merger *x, bool *gone_actor, bool *gone_channel)
{
    sir_module *m = x->m;
    const numbers *chain = &x->b->stages.data[0];
    const sir_actor *first = m->actors.data[chain->data[0]];
    sir_actor *actor = ARENA_NEW(x->a, sir_actor);
    *actor = *first;
    memset(&actor->outputs, 0, sizeof actor->outputs);
    actor->name = pass_names_next(&x->names->actors, x->a, x->filter->name);
    actor->filter = x->filter;
    uint32_t out = m->actors.data[VEC_LAST(chain)]->outputs.data[0];
    VEC_PUSH(x->a, &actor->outputs, out);
    for (size_t i = 1; i < chain->len; i++) {
        gone_actor[chain->data[i]] = true;
        gone_channel[m->actors.data[chain->data[i]]->inputs.data[0]] = true;
    }
    m->actors.data[chain->data[0]] = actor;
    pass_names_add(&x->names->actors, actor->name);
    m->channels.data[out].producer = chain->data[0];
    m->channels.data[out].producer_port = 0;
}

static void remark_chain(const merger *x)
{
    const sir_actor *first = x->m->actors.data[x->b->stages.data[0].data[0]];
    const char *name = filter_at(x, 0, 0)->name;
    if (x->why == NULL)
        diag_remark(x->p->diag, sir_range(x->m, x->p->sources, first->loc),
                    "%zu of '%s' that follow each other are one filter [siblings]", x->b->branches, name);
    else
        diag_remark(x->p->diag, sir_range(x->m, x->p->sources, x->where.file != 0 ? x->where : first->loc),
                    "%zu of '%s' that follow each other stay apart: one of them %s [siblings]", x->b->branches, name,
                    x->why);
}

static bool chain_siblings(hlc_program *p, taken_names *names, bool *gone_actor, bool *gone_channel)
{
    sir_module *m = p->module;
    bool changed = false;
    for (uint32_t i = 0; pass_keeps_state(p) && !pass_shares_state(p, ROW_PROCESSORS) && i < m->actors.len; i++) {
        bank b;
        if (gone_actor[i] || !find_chain(m, p->arena, i, gone_actor, &b) || receives(m, &b))
            continue;
        merger x = {.p = p, .m = m, .a = p->arena, .b = &b, .names = names, .chain = true};
        bool done = make_chain(&x);
        remark_chain(&x);
        if (!done) {
            i = VEC_LAST(&b.stages.data[0]);
            continue;
        }
        replace_chain(&x, gone_actor, gone_channel);
        add_filter(&x);
        changed = true;
    }
    return changed;
}

// ---- The pass ----

bool pass_siblings(hlc_program *p)
{
    sir_module *m = p->module;
    if (m->canonical || pass_shares_state(p, BANK_PROCESSORS))
        return false;
    arena *own = arena_create();
    taken_names names;
    pass_names_of_filters(&names.filters, own, m);
    pass_names_of_actors(&names.actors, own, m);
    bool changed = false, *gone_actor = ARENA_ARRAY(p->arena, bool, m->actors.len + 1);
    bool *gone_channel = ARENA_ARRAY(p->arena, bool, m->channels.len + 1);
    for (uint32_t i = 0; i < m->actors.len; i++) {
        bank b;
        if (m->actors.data[i]->kind != SIR_SPLIT || !find_bank(m, p->arena, i, &b) || receives(m, &b))
            continue;
        merger x = {.p = p, .m = m, .a = p->arena, .b = &b, .names = &names};
        if (!looks_alike(&x))
            continue;
        x.windows = deals_single_windows(&x);
        bool done = make_filter(&x);
        remark(&x);
        if (!done)
            continue;
        replace(&x, gone_actor, gone_channel);
        add_filter(&x);
        changed = true;
    }
    changed |= chain_siblings(p, &names, gone_actor, gone_channel);
    arena_destroy(own);
    if (changed) {
        pass_sweep(m, p->arena, gone_actor, gone_channel);
        pass_drop_filters(m);
    }
    return changed;
}
