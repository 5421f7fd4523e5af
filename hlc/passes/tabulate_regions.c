// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Statements in a row of which all that matters comes of numbers of few values become look-ups in tables over these.
//
//     var %s = %r ^ %check                          // twelve bits
//     var %x = %s - (%s >> 1 & 1365)   ...
//     var %e = 0
//     if %weight > 3 { for %i = 0 to 12 { ... %e = 1 << 11 - %i ... } }    ->    var %e = $table[%s]
//     push %data ^ %e
//
// NOTE(regions). A *region* is a row of statements of one block that neither touch items nor anything but locals. Its keys are
// the locals from outside that it reads, and the variables of loops around; its results the locals that are read behind it.
// Bits of the keys are known (tabulate_bits.c), so that the region can be executed for all of their values. It is worth it where
// that takes more than the look-ups, of which each lane needs its own where firings go side by side in vectors: operations count
// a part there, but what is looked up in the region counts in full.
#include <inttypes.h>
#include <string.h>

#include "hlc/passes/tabulate_int.h"
#include "hlc/plan/plan_int.h"

// Rows of a table; keys, results and statements of a region; nodes that all rows compute, and those of all regions of a
// function; nodes that these are looked for in.
enum {
    REGION_ROWS = 4096,
    REGION_KEYS = 4,
    REGION_RESULTS = 2,
    REGION_STMTS = 64,
    REGION_STEPS = 1 << 22,
    REGION_STEPS_ALL = 1 << 24,
    REGION_LOOKS = 1 << 18
};
// What takes longer than an operation, in operations; lanes that share one; gain that pays for a result's look-up.
enum { REGION_LOAD = 3, REGION_BRANCH = 4, REGION_DIVISION = 12, REGION_LANES = 8, REGION_LOOK_UP = 5 };
// Look-ups by data in a region from which firings do not go side by side for its sake.
enum { REGION_LOOK_UPS = 2 };

typedef struct region_key {
    uint32_t local;
    int64_t rows;
    int32_t least;
} region_key;

typedef struct region {
    sir_block *block;
    size_t first, end;            // of the block's statements
    region_key keys[REGION_KEYS]; // those of loops around first, but for the innermost one's, which is last
    size_t key_count;
    uint32_t results[REGION_RESULTS];
    size_t result_count;
    bool declares[REGION_RESULTS]; // it declares the result, too
    bool divides;                  // by what may be 0
    int64_t rows;
} region;

typedef struct region_pass {
    arena *a;
    hlc_program *hlc;
    sir_module *m;
    sir_filter *filter;
    sir_function *f;
    int64_t *bytes;
    bool lanes; // firings may go side by side
    uint32_t *bits;
    tab_loops loops;
    int64_t looks; // left
    // Of the region at hand:
    bool *declared, *defined, *read, *written; // per local
    VEC(uint32_t) named;                       // locals of which something is set there
    bool unfit, divides, plain;
    int look_ups; // by data
    bool *counts; // per local: a loop counts it
    tab_values values;
    sir_scalar **now; // per local: its scalars, while rows are computed
    int64_t steps, steps_left;
    bool stops, changed;
} region_pass;

static bool is_result_type(const sir_type *t)
{
    return t->kind == SIR_INT || t->kind == SIR_BOOLEAN || t->kind == SIR_FLOAT;
}

// ---- What a region consists of ----

static void name_local(region_pass *x, uint32_t local)
{
    if (!x->declared[local] && !x->read[local] && !x->written[local] && !x->defined[local])
        VEC_PUSH(x->a, &x->named, local);
}

// A subscript that all lanes have alike.
static bool is_counted(const region_pass *x, const sir_expr *at)
{
    return at->kind == SIR_CONST || (at->kind == SIR_LOCAL && x->counts[at->index]);
}

// What tab_compute does not know must not be there: a row that cannot be computed would be taken for one that never comes.
static bool is_computed(const sir_expr *e)
{
    bool operation = e->kind == SIR_UNARY || e->kind == SIR_BINARY || e->kind == SIR_CONVERT || e->kind == SIR_MATH;
    const sir_type_kind kind = operation ? e->u.arg[0]->type->kind : e->type->kind;
    if (operation && e->kind != SIR_MATH)
        return kind != SIR_ARRAY && kind != SIR_STRUCT && kind != SIR_COMPLEX;
    return e->kind == SIR_MATH ? kind == SIR_FLOAT || kind == SIR_DOUBLE : kind != SIR_COMPLEX && kind != SIR_STRUCT;
}

static void see_expr(void *context, sir_expr *e, bool written)
{
    region_pass *x = context;
    x->looks--;
    x->divides |= sir_may_divide_by_zero(e);
    x->look_ups += e->kind == SIR_INDEX && !is_counted(x, e->u.arg[1]);
    x->unfit |= e->kind == SIR_PEEK || e->kind == SIR_FETCH || e->kind == SIR_ITER || !is_computed(e);
    if (e->kind == SIR_FIELD || e->kind == SIR_GLOBAL)
        x->unfit |= written || sir_constant_value(x->m, x->filter, e) == NULL;
    if (e->kind != SIR_LOCAL)
        return;
    bool inside = x->declared[e->index];
    x->unfit |= !inside && !is_result_type(e->type);
    if (inside)
        return;
    name_local(x, e->index);
    if (written)
        x->written[e->index] = true;
    else if (!x->defined[e->index])
        x->read[e->index] = true;
}

static void see_declarations(void *context, sir_stmt *s)
{
    region_pass *x = context;
    uint32_t local = s->kind == SIR_DECL ? s->u.decl.local : s->kind == SIR_FOR ? s->u.for_.local : SIR_NONE;
    if (local != SIR_NONE) {
        name_local(x, local);
        x->declared[local] = true;
        x->counts[local] = s->kind == SIR_FOR;
    }
    x->plain &= s->kind == SIR_DECL || s->kind == SIR_SET;
    bool copies = (s->kind == SIR_SET && s->u.set.target->type->kind == SIR_ARRAY) ||
                  (s->kind == SIR_DECL && s->u.decl.init != NULL && s->u.decl.init->type->kind == SIR_ARRAY);
    x->unfit |= copies || (s->kind != SIR_DECL && s->kind != SIR_SET && s->kind != SIR_IF && s->kind != SIR_FOR &&
                           s->kind != SIR_LOOP);
}

static void see_stmt(void *context, sir_stmt *s)
{
    sir_visit_exprs(s, see_expr, context);
}

// A value that is assigned where nothing decides is not asked for from before. What is only perhaps assigned is.
static void see_top(region_pass *x, sir_stmt *s)
{
    if (s->kind != SIR_SET || s->u.set.target->kind != SIR_LOCAL || x->declared[s->u.set.target->index]) {
        sir_visit_stmts(&(sir_block){.data = &s, .len = 1}, see_stmt, x);
        return;
    }
    const uint32_t local = s->u.set.target->index;
    sir_visit_exprs(s, see_expr, x);
    x->defined[local] |= !x->read[local];
}

static void forget_names(region_pass *x)
{
    for (VEC_EACH(const uint32_t, l, &x->named))
        x->declared[*l] = x->defined[*l] = x->read[*l] = x->written[*l] = false;
    x->named.len = 0;
    x->unfit = x->divides = false;
    x->plain = true;
    x->look_ups = 0;
}

static bool is_dense(uint32_t bits)
{
    return bits < REGION_ROWS && tab_below(bits) == bits;
}

static bool add_key(region_pass *x, region *r, uint32_t local)
{
    const tab_loop *l = tab_find_loop(&x->loops, local);
    region_key k = {.local = local};
    bool innermost = l != NULL && l == &VEC_LAST(&x->loops);
    if (r->key_count == REGION_KEYS || (l != NULL && (l->extent <= 0 || l->step != 1)))
        return false;
    if (l != NULL) {
        k.rows = l->extent;
        k.least = l->least;
    } else {
        const sir_type_kind kind = x->f->locals.data[local].type->kind;
        if (kind != SIR_BOOLEAN && (kind != SIR_INT || !is_dense(x->bits[local])))
            return false;
        k.rows = kind == SIR_BOOLEAN ? 2 : (int64_t)x->bits[local] + 1;
    }
    if (k.rows > REGION_ROWS / r->rows)
        return false;
    r->rows *= k.rows;
    // Loops around, then numbers, then the innermost loop: what goes from trip to trip last.
    size_t at = r->key_count++;
    for (; at > 0 && !innermost; at--) {
        const tab_loop *before = tab_find_loop(&x->loops, r->keys[at - 1].local);
        bool last = before != NULL && before == &VEC_LAST(&x->loops);
        if (!last && (l == NULL || before != NULL))
            break;
        r->keys[at] = r->keys[at - 1];
    }
    r->keys[at] = k;
    return true;
}

// Whether statements of the block from `from` on name the local.
static bool is_named_behind(region_pass *x, const sir_block *b, size_t from, uint32_t local)
{
    const sir_block rest = {.data = b->data + from, .len = b->len - from};
    x->looks -= (int64_t)rest.len;
    return sir_count_local(&rest, local) != 0;
}

// Whether what the region leaves in a local may be read behind it: by the block that declares it, or by another one around.
static bool is_wanted(region_pass *x, const region *r, uint32_t local)
{
    bool here = x->declared[local];
    for (size_t i = 0; i < r->first && !here; i++)
        here = r->block->data[i]->kind == SIR_DECL && r->block->data[i]->u.decl.local == local;
    return !here || is_named_behind(x, r->block, r->end, local);
}

// What was seen of the region's statements makes keys and results; false: there are too many, or other things.
static bool settle_names(region_pass *x, region *r)
{
    r->rows = 1;
    r->key_count = r->result_count = 0;
    for (VEC_EACH(const uint32_t, l, &x->named)) {
        bool inside = x->declared[*l], result = (inside || x->written[*l]) && is_wanted(x, r, *l);
        if (!inside && (x->read[*l] || (x->written[*l] && !x->defined[*l])) && !add_key(x, r, *l))
            return false;
        if (!result)
            continue;
        if (r->result_count == REGION_RESULTS || !is_result_type(x->f->locals.data[*l].type))
            return false;
        r->declares[r->result_count] = inside;
        r->results[r->result_count++] = *l;
    }
    return r->key_count > 0 && r->result_count > 0;
}

// ---- What it costs ----

// An operation's part in one of a vector, where the region is one of those: C compilers make vectors of firings and of loops
// too, but only where nothing decides.
static double share_of(const region_pass *x)
{
    bool side_by_side = x->lanes || (x->plain && (x->loops.len > 0 || !x->filter->stateful));
    return side_by_side && x->look_ups < REGION_LOOK_UPS ? 1.0 / REGION_LANES : 1;
}

static double expr_cost(const region_pass *x, const sir_expr *e)
{
    double one = share_of(x), cost = 0;
    switch ((sir_expr_kind)e->kind) {
    case SIR_CONST:
    case SIR_LOCAL:
    case SIR_FIELD:
    case SIR_GLOBAL: return 0;
    case SIR_INDEX: cost = e->u.arg[1]->kind == SIR_CONST ? 0 : is_counted(x, e->u.arg[1]) ? one : REGION_LOAD; break;
    case SIR_BINARY: cost = one * (e->op == LANG_OP_DIV || e->op == LANG_OP_REM ? REGION_DIVISION : 1); break;
    case SIR_MATH: cost = one * REGION_DIVISION; break;
    default: cost = one; break;
    }
    size_t arity = sir_expr_arity(e);
    for (size_t i = 0; i < arity; i++)
        cost += expr_cost(x, e->u.arg[i]);
    return cost;
}

static double block_cost(const region_pass *x, const sir_block *b);

static double stmt_cost(const region_pass *x, const sir_stmt *s)
{
    sir_parts parts = sir_stmt_parts((sir_stmt *)(uintptr_t)s);
    double cost = 0, inner = 0, most = 0, one = share_of(x);
    for (uint8_t i = 0; i < parts.expr_count; i++)
        cost += expr_cost(x, *parts.expr[i]);
    for (uint8_t i = 0; i < parts.block_count; i++) {
        double block = block_cost(x, parts.block[i]);
        inner += block;
        most = block > most ? block : most;
    }
    if (s->kind == SIR_IF)
        return cost + (one < 1 ? inner + one : most + REGION_BRANCH);
    if (s->kind == SIR_FOR || s->kind == SIR_LOOP) {
        int64_t trips = 8;
        if (s->kind == SIR_FOR && !sir_for_trips(s, &trips))
            trips = 8;
        return (double)trips * (cost + inner + one);
    }
    return cost;
}

static double block_cost(const region_pass *x, const sir_block *b)
{
    double cost = 0;
    for (size_t i = 0; i < b->len; i++)
        cost += stmt_cost(x, b->data[i]);
    return cost;
}

static bool is_worth(const region_pass *x, const region *r)
{
    const sir_block row = {.data = r->block->data + r->first, .len = r->end - r->first};
    double cost = block_cost(x, &row),
           looks = (double)(REGION_LOOK_UP * r->result_count + (r->rows > REGION_ROWS / 4 ? REGION_LOAD : 0));
    return cost > looks + TABULATE_GAIN;
}

// ---- Rows ----

// Where an element of a local is now; NULL: outside.
static sir_scalar *address_of(const region_pass *x, const sir_expr *e)
{
    const sir_expr *root = sir_lvalue_root((sir_expr *)(uintptr_t)e);
    const int64_t at = root != NULL && root->kind == SIR_LOCAL ? tab_offset(&x->values, e) : -1;
    return at < 0 ? NULL : x->now[root->index] + at;
}

static bool given(const void *context, const sir_expr *e, sir_scalar *r)
{
    region_pass *x = (region_pass *)(uintptr_t)context;
    x->stops |= ++x->steps > REGION_STEPS;
    const bool names = e->kind == SIR_LOCAL || e->kind == SIR_INDEX;
    const sir_scalar *at = names && !x->stops ? address_of(x, e) : NULL;
    if (at != NULL)
        *r = *at;
    return at != NULL;
}

static sir_scalar value_now(region_pass *x, const sir_expr *e)
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
    default: clean.i = r.i; break;
    }
    return clean;
}

static void execute_block(region_pass *x, const sir_block *b);

static void execute_loop(region_pass *x, const sir_stmt *s)
{
    while (!x->stops) {
        x->stops |= ++x->steps > REGION_STEPS;
        if (s->u.loop.post_test)
            execute_block(x, &s->u.loop.body);
        execute_block(x, &s->u.loop.pre);
        if (x->stops || (s->u.loop.cond != NULL && value_now(x, s->u.loop.cond).i == 0))
            return;
        if (!s->u.loop.post_test)
            execute_block(x, &s->u.loop.body);
        execute_block(x, &s->u.loop.step);
    }
}

static void execute_for(region_pass *x, const sir_stmt *s)
{
    int64_t lo = value_now(x, s->u.for_.lo).i, hi = value_now(x, s->u.for_.hi).i, step = s->u.for_.step;
    for (int64_t i = lo; !x->stops && (step > 0 ? i < hi : i > hi); i += step) {
        x->stops |= ++x->steps > REGION_STEPS;
        x->now[s->u.for_.local][0] = (sir_scalar){.i = (int32_t)i};
        execute_block(x, &s->u.for_.body);
    }
}

static void execute(region_pass *x, const sir_stmt *s)
{
    sir_scalar *to = NULL, value;
    const sir_type *type;
    switch ((sir_stmt_kind)s->kind) {
    case SIR_DECL:
        type = x->f->locals.data[s->u.decl.local].type;
        memset(x->now[s->u.decl.local], 0, type->words * sizeof *x->now[0]);
        if (s->u.decl.init != NULL && type->words == 1 && type->kind != SIR_ARRAY)
            x->now[s->u.decl.local][0] = value_now(x, s->u.decl.init);
        else
            x->stops |= s->u.decl.init != NULL;
        break;
    case SIR_SET:
        value = value_now(x, s->u.set.value);
        to = x->stops || s->u.set.target->type->kind == SIR_ARRAY ? NULL : address_of(x, s->u.set.target);
        x->stops |= to == NULL;
        if (!x->stops)
            *to = value;
        break;
    case SIR_IF: execute_block(x, value_now(x, s->u.if_.cond).i != 0 ? &s->u.if_.then : &s->u.if_.otherwise); break;
    case SIR_FOR: execute_for(x, s); break;
    case SIR_LOOP: execute_loop(x, s); break;
    default: x->stops = true; break;
    }
}

static void execute_block(region_pass *x, const sir_block *b)
{
    for (size_t i = 0; i < b->len && !x->stops; i++)
        execute(x, b->data[i]);
}

static void make_locals(region_pass *x)
{
    for (VEC_EACH(const uint32_t, l, &x->named))
        if (x->now[*l] == NULL)
            x->now[*l] = ARENA_ARRAY(x->a, sir_scalar, x->f->locals.data[*l].type->words);
}

// The results for each value of the keys; false: some would stop the program, or it takes too long. What is outside of its
// array never comes.
static bool compute_rows(region_pass *x, const region *r, sir_scalar *const data[])
{
    make_locals(x);
    x->steps = 0;
    x->stops = x->steps_left <= 0;
    for (int64_t row = 0; row < r->rows && !x->stops; row++) {
        int64_t rest = row;
        for (size_t k = r->key_count; k-- > 0;) {
            const region_key *key = &r->keys[k];
            memset(x->now[key->local], 0, sizeof *x->now[0]);
            x->now[key->local][0].i = (int32_t)(key->least + rest % key->rows);
            rest /= key->rows;
        }
        for (size_t i = r->first; i < r->end && !x->stops; i++)
            execute(x, r->block->data[i]);
        x->stops = x->stops && (r->divides || x->steps > REGION_STEPS);
        for (size_t i = 0; i < r->result_count; i++)
            data[i][row] = x->now[r->results[i]][0];
    }
    x->steps_left -= x->steps;
    return !x->stops;
}

// ---- Tables ----

static sir_expr *key_ref(const region_pass *x, const region_key *k, sir_loc loc)
{
    sir_expr *e = sir_ref(x->m, SIR_LOCAL, k->local, x->f->locals.data[k->local].type, loc);
    return tab_subscript(x->m, e, k->least, loc);
}

static sir_stmt *look_up(const region_pass *x, const region *r, size_t result, sir_scalar *data)
{
    const uint32_t local = r->results[result];
    const sir_type *type = x->f->locals.data[local].type, *array = type;
    const sir_loc loc = r->block->data[r->first]->loc;
    for (size_t k = r->key_count; k-- > 0;)
        array = sir_type_array(x->m, array, (uint32_t)r->keys[k].rows);
    sir_value value = {.type = array, .data = data};
    sir_expr *e = sir_ref(x->m, SIR_FIELD, tab_field(x->m, x->filter, value, loc), array, loc);
    for (size_t k = 0; k < r->key_count; k++)
        e = sir_expr2(x->m, SIR_INDEX, 0, e->type->element, e, key_ref(x, &r->keys[k], loc), loc);
    sir_stmt *s = sir_stmt_new(x->m, r->declares[result] ? SIR_DECL : SIR_SET, loc);
    if (r->declares[result]) {
        s->u.decl.local = local;
        s->u.decl.init = e;
    } else {
        s->u.set.target = sir_ref(x->m, SIR_LOCAL, local, type, loc);
        s->u.set.value = e;
    }
    return s;
}

static void remark(const region_pass *x, const region *r)
{
    if (x->hlc->diag->remarks)
        diag_remark(
            x->hlc->diag, sir_range(x->m, x->hlc->sources, r->block->data[r->first]->loc),
            "what %zu statements in '%s' make of %" PRId64 " values of '%s'%s is looked up [tabulate]",
            r->end - r->first, x->filter->name, r->rows,
            x->f->locals.data[r->keys[r->key_count > 1 && tab_find_loop(&x->loops, r->keys[0].local) != NULL].local]
                .name,
            r->key_count > 1 ? " and others" : "");
}

static bool replace(region_pass *x, const region *r)
{
    sir_scalar *data[REGION_RESULTS];
    sir_stmt *with[REGION_RESULTS];
    int64_t bytes = r->rows * 4 * (int64_t)r->result_count;
    if (bytes > *x->bytes)
        return false;
    for (size_t i = 0; i < r->result_count; i++)
        data[i] = ARENA_ARRAY(x->a, sir_scalar, (size_t)r->rows);
    if (!compute_rows(x, r, data))
        return false;
    *x->bytes -= bytes;
    remark(x, r);
    // Results wait for none of each other: keys that are results are read first.
    for (size_t i = 0; i < r->result_count; i++)
        with[i] = look_up(x, r, i, data[i]);
    sir_block to = {0};
    for (size_t i = 0; i < r->first; i++)
        VEC_PUSH(x->m->arena, &to, r->block->data[i]);
    for (size_t i = 0; i < r->result_count; i++)
        VEC_PUSH(x->m->arena, &to, with[i]);
    for (size_t i = r->end; i < r->block->len; i++)
        VEC_PUSH(x->m->arena, &to, r->block->data[i]);
    *r->block = to;
    return true;
}

// ---- Regions of a block ----

// A result that is a key as well must be the only one: the others would be looked up with its new value.
static bool is_in_order(const region *r)
{
    for (size_t i = 0; i < r->result_count; i++)
        for (size_t k = 0; k < r->key_count; k++)
            if (r->result_count > 1 && r->results[i] == r->keys[k].local)
                return false;
    return true;
}

// The longest one from a statement on that is worth it.
static bool find_from(region_pass *x, sir_block *b, size_t first, region *best)
{
    bool found = false;
    forget_names(x);
    for (size_t i = first; i < b->len && i < first + REGION_STMTS && x->looks > 0; i++) {
        sir_visit_stmts(&(sir_block){.data = &b->data[i], .len = 1}, see_declarations, x);
        if (x->unfit)
            break;
        see_top(x, b->data[i]);
        if (x->unfit)
            break;
        region r = {.block = b, .first = first, .end = i + 1, .divides = x->divides};
        if (settle_names(x, &r) && is_in_order(&r) && is_worth(x, &r)) {
            *best = r;
            found = true;
        }
    }
    return found;
}

static void find_in(region_pass *x, sir_block *b)
{
    for (size_t i = 0; i < b->len && x->looks > 0; i++) {
        sir_stmt *s = b->data[i];
        region r;
        if (find_from(x, b, i, &r) && replace(x, &r)) {
            x->changed = true;
            i += r.result_count - 1;
            continue;
        }
        sir_parts parts = sir_stmt_parts(s);
        if (s->kind == SIR_FOR) {
            VEC_PUSH(x->a, &x->loops, tab_loop_of(s));
            x->counts[s->u.for_.local] = true;
        }
        for (uint8_t k = 0; k < parts.block_count; k++)
            find_in(x, parts.block[k]);
        if (s->kind == SIR_FOR)
            x->loops.len--;
    }
}

bool tabulate_regions(hlc_program *p, sir_filter *f, int64_t *bytes)
{
    if (f->work == NULL || f->finite || p->config->opt_level < 2 || !pass_may_change_more(p))
        return false;
    region_pass x = {.a = arena_create(),
                     .hlc = p,
                     .m = p->module,
                     .filter = f,
                     .f = f->work,
                     .bytes = bytes,
                     .looks = REGION_LOOKS,
                     .steps_left = REGION_STEPS_ALL};
    size_t n = f->work->locals.len + 1;
    x.lanes = plan_may_run_in_lanes(x.a, p->module, f);
    x.bits = tab_local_bits(x.a, x.m, f, x.f);
    x.declared = ARENA_ARRAY(x.a, bool, n);
    x.counts = ARENA_ARRAY(x.a, bool, n);
    x.defined = ARENA_ARRAY(x.a, bool, n);
    x.read = ARENA_ARRAY(x.a, bool, n);
    x.written = ARENA_ARRAY(x.a, bool, n);
    x.now = ARENA_ARRAY(x.a, sir_scalar *, n);
    x.values = (tab_values){.m = x.m, .filter = f, .context = &x, .given = given};
    find_in(&x, &f->work->body);
    if (x.changed && x.lanes) { // each lane looks up by itself now, so that the rest counts as it does one by one
        x.lanes = false;
        find_in(&x, &f->work->body);
    }
    arena_destroy(x.a);
    return x.changed;
}
