// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass 'linear-bits': statements that move, mask and xor bits of the state and of items, step by step, become look-ups
// in tables. So do check sums bit by bit:
//
//     for k = 0 to 64 {                                 for k = 0 to 64 step 4 {
//         crc = crc ^ pop & 255                             crc = bits_4[(crc ^ peek(0)) & 255] ^
//         for b = 0 to 8 {                        ->                bits_3[(crc >> 8 ^ peek(1)) & 255] ^
//             if (crc & 1) != 0 {                                   bits_2[(crc >> 16 ^ peek(2)) & 255] ^
//                 crc = crc >> 1 & ... ^ POLY                       bits[(crc >> 24 ^ peek(3)) & 255]
//             } else {                                      pop; pop; pop; pop
//                 crc = crc >> 1 & ...                  }
//
// NOTE(linear). All that such statements do is linear over the field of two elements, but for a constant: each bit of a
// result is a parity of bits from before. linear_bits_follow.c finds which by executing the statements with sets of bits;
// an `if` is such a step where its condition is a parity and its branches differ by constants. What byte by byte of the
// inputs add to the result are tables (linear_bits_tables.c).
#include <inttypes.h>
#include <string.h>

#include "hlc/ir/walk.h"
#include "hlc/passes/canonicalize.h"
#include "hlc/passes/linear_bits_int.h"

// Trips of a loop that are taken together, at most; operations from which on it is worth it, and how many times those of
// the look-ups; bytes of the tables of one place, at most.
enum { MOST_TRIPS = 8, LEAST_OPERATIONS = 24, GAIN = 2, MOST_BYTES = 16384 };

typedef struct linear_pass {
    hlc_program *p;
    sir_module *m;
    sir_filter *filter;
    int64_t bytes; // left for tables
    bool changed;
} linear_pass;

// What statements assign that something reads.
typedef struct linear_output {
    sir_expr *target;
    linear_network network;
} linear_output;

typedef struct linear_region {
    linear_follower follower;
    sir_block statements; // that are replaced
    VEC(linear_output) outputs;
    int64_t cost, table_bytes;
    bool state; // what comes out went in
    bool fails;
} linear_region;

// ---- What comes out ----

static bool is_input(const linear_follower *x, sir_expr_kind kind, size_t index)
{
    for (VEC_EACH(sir_expr *const, e, &x->inputs))
        if ((*e)->kind == kind && (*e)->index == index)
            return true;
    return false;
}

// Whether what it was before decides something.
static bool is_read(const linear_follower *x, uint32_t local)
{
    for (VEC_EACH(sir_expr *const, e, &x->inputs))
        if (sir_count_local_in(*e, local) > 0)
            return true;
    return false;
}

static void add_output(linear_region *r, sir_module *m, sir_expr_kind kind, size_t index, const sir_type *t,
                       const linear_value *v)
{
    linear_follower *x = &r->follower;
    linear_output o = {.target = sir_ref(m, kind, (uint32_t)index, t, r->statements.data[0]->loc)};
    if (t->kind != SIR_INT || !linear_make_network(x->a, v, x->inputs.len, &o.network)) {
        r->fails = true;
        return;
    }
    r->state |= is_input(x, kind, index);
    r->cost += linear_network_cost(&o.network);
    r->table_bytes += 1024 * (int64_t)o.network.slot_count;
    VEC_PUSH(x->a, &r->outputs, o);
}

static void find_outputs(linear_region *r, sir_module *m, const sir_filter *f)
{
    linear_follower *x = &r->follower;
    for (size_t i = 0; i < f->work->locals.len; i++) {
        uint32_t l = (uint32_t)i;
        if (x->locals[i] == NULL)
            continue;
        if (sir_count_local(&f->work->body, l) > sir_count_local(&r->statements, l) || is_read(x, l))
            add_output(r, m, SIR_LOCAL, i, f->work->locals.data[i].type, x->locals[i]);
    }
    for (size_t i = 0; i < f->fields.len; i++)
        if (x->fields[i] != NULL)
            add_output(r, m, SIR_FIELD, i, f->fields.data[i].type, x->fields[i]);
}

static bool is_worth(const linear_pass *t, const linear_region *r)
{
    return !r->fails && r->state && r->follower.operations >= LEAST_OPERATIONS &&
           r->follower.operations > GAIN * r->cost && r->table_bytes <= MOST_BYTES && r->table_bytes <= t->bytes;
}

// ---- The new statements ----

static sir_stmt *new_set(sir_module *m, sir_expr *target, sir_expr *value)
{
    sir_stmt *s = sir_stmt_new(m, SIR_SET, target->loc);
    s->u.set.target = target;
    s->u.set.value = value;
    return s;
}

static sir_stmt *new_decl(sir_module *m, uint32_t local, sir_expr *init, sir_loc loc)
{
    sir_stmt *s = sir_stmt_new(m, SIR_DECL, loc);
    s->u.decl.local = local;
    s->u.decl.init = init;
    s->u.decl.uninitialised = init == NULL;
    return s;
}

static size_t count_uses(const linear_region *r, size_t input)
{
    size_t uses = 0;
    for (VEC_EACH(const linear_output, o, &r->outputs)) {
        for (VEC_EACH(const linear_taken, t, &o->network.moved))
            uses += t->input == input;
        for (size_t i = 0; i < o->network.slot_count; i++)
            for (VEC_EACH(const linear_taken, t, &o->network.slots[i].taken))
                uses += t->input == input;
    }
    return uses;
}

static sir_expr *in_local(linear_pass *t, const char *name, sir_expr *e, sir_block *to)
{
    uint32_t l = sir_local_new(t->m, t->filter->work, name, e->type, e->loc);
    VEC_PUSH(t->m->arena, to, new_decl(t->m, l, e, e->loc));
    return sir_ref(t->m, SIR_LOCAL, l, e->type, e->loc);
}

// Locals that come to life among the statements and are read behind them do so before.
static void declare_outputs(linear_pass *t, const linear_region *r, sir_block *to)
{
    for (VEC_EACH(sir_stmt *, s, &r->statements))
        for (VEC_EACH(const linear_output, o, &r->outputs))
            if ((*s)->kind == SIR_DECL && o->target->kind == SIR_LOCAL && o->target->index == (*s)->u.decl.local)
                VEC_PUSH(t->m->arena, to, new_decl(t->m, o->target->index, NULL, (*s)->loc));
}

static sir_block new_statements(linear_pass *t, const linear_region *r)
{
    sir_block b = {0};
    const linear_follower *x = &r->follower;
    sir_loc loc = r->statements.data[0]->loc;
    declare_outputs(t, r, &b);
    sir_expr *inputs[LINEAR_INPUTS] = {0};
    for (size_t i = 0; i < x->inputs.len; i++) {
        sir_expr *e = x->inputs.data[i];
        bool variable = e->kind == SIR_LOCAL || e->kind == SIR_FIELD;
        inputs[i] = variable || count_uses(r, i) <= 1 ? e : in_local(t, "item", e, &b);
    }
    sir_block sets = {0};
    for (VEC_EACH(const linear_output, o, &r->outputs)) {
        sir_expr *e = linear_network_expr(t->m, t->filter, &o->network, inputs, loc);
        if (r->outputs.len > 1)
            e = in_local(t, "next", e, &b);
        VEC_PUSH(t->m->arena, &sets, new_set(t->m, o->target, e));
    }
    for (VEC_EACH(sir_stmt *, s, &sets))
        VEC_PUSH(t->m->arena, &b, *s);
    for (int64_t i = 0; i < x->pops; i++)
        VEC_PUSH(t->m->arena, &b, sir_stmt_new(t->m, SIR_POP, loc));
    return b;
}

static void remark(linear_pass *t, const linear_region *r, int64_t trips)
{
    size_t tables = 0;
    for (VEC_EACH(const linear_output, o, &r->outputs))
        tables += o->network.slot_count;
    const char *of = trips == 1 ? "" : arena_printf(t->m->arena, ", of %" PRId64 " trips together,", trips);
    diag_remark(t->p->diag, sir_range(t->m, t->p->sources, r->statements.data[0]->loc),
                "%" PRId64 " operations on bits in '%s'%s become look-ups in %zu tables [linear-bits]",
                r->follower.operations, t->filter->name, of, tables);
    t->bytes -= r->table_bytes;
    t->changed = true;
}

// ---- Which statements ----

static sir_block part_of(const sir_block *b, size_t from, size_t end)
{
    return (sir_block){.data = b->data + from, .len = end - from};
}

static size_t follow_run(linear_pass *t, linear_region *r, arena *a, const sir_block *b, size_t from, size_t end)
{
    linear_begin(&r->follower, a, t->m, t->filter);
    for (size_t i = from; i < end; i++) {
        linear_follow(&r->follower, b->data[i]);
        if (r->follower.fails)
            return i;
    }
    return end;
}

// Statements from one on, as many as can be followed; gives where they end, or what took their place does.
static size_t try_run(linear_pass *t, sir_block *b, size_t from, bool *done)
{
    arena *a = arena_create();
    linear_region *r = ARENA_NEW(a, linear_region);
    size_t end = follow_run(t, r, a, b, from, b->len);
    if (end > from && end < b->len)
        (void)follow_run(t, r, a, b, from, end);
    if (end > from) {
        r->statements = part_of(b, from, end);
        find_outputs(r, t->m, t->filter);
        *done = is_worth(t, r);
    }
    if (*done) {
        remark(t, r, 1);
        sir_block made = new_statements(t, r), all = {0};
        for (size_t i = 0; i < from; i++)
            VEC_PUSH(t->m->arena, &all, b->data[i]);
        for (VEC_EACH(sir_stmt *, s, &made))
            VEC_PUSH(t->m->arena, &all, *s);
        for (size_t i = end; i < b->len; i++)
            VEC_PUSH(t->m->arena, &all, b->data[i]);
        *b = all;
        end = from + made.len;
    }
    arena_destroy(a);
    return end;
}

static int64_t trips_of(const sir_stmt *s)
{
    const sir_expr *lo = s->u.for_.lo, *hi = s->u.for_.hi;
    if (lo->kind != SIR_CONST || hi->kind != SIR_CONST || s->u.for_.step <= 0)
        return 0;
    int64_t first = lo->u.value.i, end = hi->u.value.i, step = s->u.for_.step;
    return end <= first ? 0 : (end - first + step - 1) / step;
}

// Trips of a loop together.
static bool try_trips(linear_pass *t, sir_stmt *s, int64_t trips)
{
    arena *a = arena_create();
    linear_region *r = ARENA_NEW(a, linear_region);
    const sir_type *type = t->m->scalar[SIR_INT];
    linear_begin(&r->follower, a, t->m, t->filter);
    for (int64_t i = 0; i < trips && !r->follower.fails; i++) {
        sir_expr *k = sir_ref(t->m, SIR_LOCAL, s->u.for_.local, type, s->loc);
        if (i > 0)
            k = sir_expr2(t->m, SIR_BINARY, LANG_OP_ADD, type, k,
                          sir_const_int(t->m, (int32_t)(i * s->u.for_.step), s->loc), s->loc);
        linear_follow_trip(&r->follower, s, k);
    }
    bool done = false;
    if (!r->follower.fails) {
        sir_stmt *all[] = {s};
        r->statements = (sir_block){.data = all, .len = 1};
        find_outputs(r, t->m, t->filter);
        done = is_worth(t, r);
        if (done) {
            remark(t, r, trips);
            s->u.for_.body = new_statements(t, r);
            s->u.for_.step *= (int32_t)trips;
        }
    }
    arena_destroy(a);
    return done;
}

static bool try_loop(linear_pass *t, sir_stmt *s)
{
    int64_t trips = trips_of(s);
    if (s->u.for_.step > INT16_MAX)
        return false;
    for (int64_t together = MOST_TRIPS; together > 1; together /= 2)
        if (trips > together && trips % together == 0 && try_trips(t, s, together))
            return true;
    return false;
}

static void walk(linear_pass *t, sir_block *b)
{
    for (size_t i = 0; i < b->len; i++) {
        bool done = false;
        i = try_run(t, b, i, &done);
        if (i >= b->len)
            return;
        sir_stmt *s = b->data[i];
        if (s->kind == SIR_FOR && try_loop(t, s))
            continue;
        sir_parts parts = sir_stmt_parts(s);
        for (uint8_t k = 0; k < parts.block_count; k++)
            walk(t, parts.block[k]);
    }
}

// ---- The pass ----

static void find_xor(void *context, sir_expr *e, bool written)
{
    (void)written;
    *(bool *)context |= e->kind == SIR_BINARY && e->op == LANG_OP_XOR;
}

static void find_xors(void *context, sir_stmt *s)
{
    sir_visit_exprs(s, find_xor, context);
}

// Firings without state go side by side, which look-ups do not.
static bool may_be(const sir_module *m, const sir_filter *f)
{
    bool xors = false;
    if (f->finite || !f->stateful || !pass_rates_proved(m, f->work))
        return false;
    sir_visit_stmts(&f->work->body, find_xors, &xors);
    return xors;
}

bool pass_linear_bits(hlc_program *p)
{
    const canon_options options = {0};
    if (!pass_may_change_more(p))
        return false;
    bool any = false;
    for (VEC_EACH(sir_filter *, f, &p->module->filters)) {
        if (!may_be(p->module, *f))
            continue;
        linear_pass t = {.p = p, .m = p->module, .filter = *f, .bytes = pass_table_bytes(p)};
        walk(&t, &(*f)->work->body);
        if (t.changed)
            sir_filter_derive(p->module, *f);
        any |= t.changed;
    }
    if (any)
        sir_canonicalize(p->module, &options); // locals that nobody reads now go
    return any;
}
