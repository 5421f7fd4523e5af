// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass 'orbit': a filter whose state goes round by itself, whatever its items are, such as a scrambler with a shift
// register, keeps its place in the round instead of the state. Of an item it takes bits, moves them and xors them:
//
//     state int, 8 steps of shifts, xors and ors for each item
//     push(pop() & 255 ^ items[at]);   at = at == 126 ? 0 : at + 1;
//
// NOTE(bits). Firings are followed one after the other from the initial state on. A value is 32 bits, each the parity of
// some bits of the item and of a constant one: shifts by what is known, xor, and with what is known, or of bits of which
// one is known keep values so. The state must come out without bits of the item, and again as it began; what is pushed
// must be made of the same bits of the item each time.
//
// NOTE(rounds). Where the processor has vectors and caches the table has as many rounds as ORBIT_ITEMS fit: firings go side by
// side up to its end (NOTE(turns) in hlc/emit/program_counters.c).
#include <inttypes.h>
#include <string.h>

#include "hlc/ir/walk.h"
#include "hlc/passes/orbit_int.h"
#include "hlc/plan/bit_lanes.h"
#include "hlc/plan/plan_int.h"
#include "hlc/plan/thresholds.h"

// Firings of a round, and of one whose table lies in no cache; statements and nodes that are followed, those of each filter
// where all of a program took more, and those of all sources until none is followed for long; nodes of a body from which it
// is worth it; moves of bits.
enum {
    MOST_FIRINGS = 32768,
    LOCAL_FIRINGS = 1024,
    MOST_STEPS = 1 << 23,
    PROGRAM_STEPS = 1 << 25,
    LEAST_STEPS = 1 << 19,
    SOURCE_STEPS = 1 << 20,
    LEAST_NODES = 48,
    MOST_MOVES = 4,
    BITS = 32
};

typedef struct bits {
    uint32_t from[BITS]; // per bit: the bits of the item
    uint32_t constant;
    bool opaque;
} bits;

typedef struct orbiter {
    arena *a;
    sir_module *m;
    const sir_filter *filter;
    bits *locals, *fields;
    bits pushed;
    int64_t most, most_steps, steps; // firings of a round at most; what may be followed, and was so far
    bool fails;
} orbiter;

static bits constant_bits(int32_t v)
{
    return (bits){.constant = (uint32_t)v};
}

static bits opaque_bits(void)
{
    return (bits){.opaque = true};
}

static bool is_known(const bits *b)
{
    uint32_t any = 0;
    for (int i = 0; i < BITS; i++)
        any |= b->from[i];
    return !b->opaque && any == 0;
}

static bool is_int(const sir_type *t)
{
    return t->kind == SIR_INT || t->kind == SIR_BOOLEAN;
}

static bool bit_is(const bits *b, int i, uint32_t value)
{
    return b->from[i] == 0 && (b->constant >> i & 1) == value;
}

static void set_bit(bits *r, int i, const bits *from, int k)
{
    r->from[i] = from->from[k];
    r->constant |= (from->constant >> k & 1) << i;
}

// Bit by bit: where one side is neutral the other decides; where it is the opposite, that does, but not in a sum.
static bits choose_bits(const bits *a, const bits *b, uint32_t neutral, bool sum)
{
    bits r = {0};
    for (int i = 0; i < BITS; i++) {
        if (bit_is(a, i, neutral))
            set_bit(&r, i, b, i);
        else if (bit_is(b, i, neutral))
            set_bit(&r, i, a, i);
        else if (!sum && (bit_is(a, i, !neutral) || bit_is(b, i, !neutral)))
            r.constant |= (uint32_t)!neutral << i;
        else
            return opaque_bits();
    }
    return r;
}

static bits xor_bits(const bits *a, const bits *b)
{
    bits r = {.constant = a->constant ^ b->constant};
    for (int i = 0; i < BITS; i++)
        r.from[i] = a->from[i] ^ b->from[i];
    return r;
}

static bits shift_bits(const bits *a, int count, bool left)
{
    bits r = {0};
    for (int i = 0; i < BITS; i++) {
        int k = left ? i - count : i + count;
        if (k >= 0)
            set_bit(&r, i, a, k < BITS ? k : BITS - 1); // the sign comes after
    }
    return r;
}

static bits value_of(orbiter *x, const sir_expr *e);

static bits binary_bits(orbiter *x, const sir_expr *e)
{
    bits a = value_of(x, e->u.arg[0]), b = value_of(x, e->u.arg[1]);
    const sir_type *t = e->u.arg[0]->type;
    if (a.opaque || b.opaque || !is_int(t))
        return opaque_bits();
    if (is_known(&a) && is_known(&b)) {
        sir_scalar r, u = {.i = (int32_t)a.constant}, v = {.i = (int32_t)b.constant};
        return sir_eval_binary((lang_binary_op)e->op, t, u, v, &r) ? constant_bits(r.i) : opaque_bits();
    }
    switch (e->op) {
    case LANG_OP_XOR: return xor_bits(&a, &b);
    case LANG_OP_AND: return choose_bits(&a, &b, 1, false);
    case LANG_OP_OR: return choose_bits(&a, &b, 0, false);
    case LANG_OP_ADD: return choose_bits(&a, &b, 0, true); // nothing is carried
    case LANG_OP_SHL:
    case LANG_OP_SHR:
        return is_known(&b) ? shift_bits(&a, (int)(b.constant & 31), e->op == LANG_OP_SHL) : opaque_bits();
    default: return opaque_bits();
    }
}

static bits unary_bits(orbiter *x, const sir_expr *e)
{
    bits a = value_of(x, e->u.arg[0]);
    sir_scalar r, u = {.i = (int32_t)a.constant};
    if (is_known(&a) && is_int(e->u.arg[0]->type))
        return sir_eval_unary((lang_unary_op)e->op, e->u.arg[0]->type, u, &r) ? constant_bits(r.i) : opaque_bits();
    return opaque_bits();
}

static bits value_of(orbiter *x, const sir_expr *e)
{
    if (++x->steps > x->most_steps || !is_int(e->type)) {
        x->fails |= x->steps > x->most_steps;
        return opaque_bits();
    }
    switch ((sir_expr_kind)e->kind) {
    case SIR_CONST: return constant_bits(e->u.value.i);
    case SIR_LOCAL: return x->locals[e->index];
    case SIR_FIELD: return x->fields[e->index];
    case SIR_UNARY: return unary_bits(x, e);
    case SIR_BINARY: return binary_bits(x, e);
    case SIR_SELECT: {
        bits c = value_of(x, e->u.arg[0]);
        return is_known(&c) ? value_of(x, e->u.arg[c.constant != 0 ? 1 : 2]) : opaque_bits();
    }
    case SIR_PEEK: {
        bits item = {0};
        for (int i = 0; i < BITS; i++)
            item.from[i] = 1u << i;
        return item;
    }
    default: return opaque_bits();
    }
}

static void follow(orbiter *x, const sir_block *b);

static void follow_for(orbiter *x, const sir_stmt *s)
{
    bits lo = value_of(x, s->u.for_.lo), hi = value_of(x, s->u.for_.hi);
    if (!is_known(&lo) || !is_known(&hi)) {
        x->fails = true;
        return;
    }
    int64_t step = s->u.for_.step, end = (int32_t)hi.constant;
    for (int64_t i = (int32_t)lo.constant; !x->fails && (step > 0 ? i < end : i > end); i += step) {
        x->locals[s->u.for_.local] = constant_bits((int32_t)i);
        follow(x, &s->u.for_.body);
    }
}

static void assign(orbiter *x, const sir_expr *target, bits value)
{
    if (target->kind == SIR_LOCAL && is_int(target->type))
        x->locals[target->index] = value;
    else if (target->kind == SIR_FIELD && is_int(target->type))
        x->fields[target->index] = value;
    else
        x->fails = true;
}

static void follow_stmt(orbiter *x, const sir_stmt *s)
{
    sir_expr item = {.kind = SIR_PEEK, .type = x->m->scalar[SIR_INT]};
    bits c;
    switch ((sir_stmt_kind)s->kind) {
    case SIR_DECL:
        x->locals[s->u.decl.local] = s->u.decl.init != NULL ? value_of(x, s->u.decl.init) : constant_bits(0);
        x->fails |= !is_int(x->filter->work->locals.data[s->u.decl.local].type);
        break;
    case SIR_SET: assign(x, s->u.set.target, value_of(x, s->u.set.value)); break;
    case SIR_POP:
        if (s->u.set.target != NULL)
            assign(x, s->u.set.target, value_of(x, &item));
        break;
    case SIR_PUSH: x->pushed = value_of(x, s->u.value); break;
    case SIR_IF:
        c = value_of(x, s->u.if_.cond);
        x->fails |= !is_known(&c);
        follow(x, c.constant != 0 ? &s->u.if_.then : &s->u.if_.otherwise);
        break;
    case SIR_FOR: follow_for(x, s); break;
    case SIR_BLOCK: follow(x, &s->u.block); break;
    default: x->fails = true;
    }
}

static void follow(orbiter *x, const sir_block *b)
{
    for (size_t i = 0; i < b->len && !x->fails; i++) {
        x->fails |= ++x->steps > x->most_steps;
        follow_stmt(x, b->data[i]);
    }
}

// ---- The round ----

typedef struct round_found {
    int64_t firings;
    int32_t items[MOST_FIRINGS];  // what each firing xors
    uint32_t masks[2 * BITS - 1]; // of what is moved by so many bits to the left, less BITS - 1
} round_found;

// Bits that come of one each of the item, moved.
static bool find_moves(const bits *b, round_found *r)
{
    int moves = 0;
    for (int i = 0; i < BITS; i++) {
        if ((b->from[i] & (b->from[i] - 1)) != 0)
            return false;
        for (int k = 0; k < BITS; k++)
            if (b->from[i] >> k & 1) {
                uint32_t *mask = &r->masks[i - k + BITS - 1];
                moves += *mask == 0;
                *mask |= 1u << i;
            }
    }
    return moves <= MOST_MOVES;
}

static bool begins_again(const orbiter *x, bool *known)
{
    bool same = true;
    for (size_t i = 0; i < x->filter->fields.len; i++) {
        const sir_field *f = &x->filter->fields.data[i];
        if (f->constant)
            continue;
        *known = *known && is_known(&x->fields[i]);
        same = same && x->fields[i].constant == (uint32_t)(f->init.zero ? 0 : f->init.data[0].i);
    }
    return same;
}

static bool find_round(orbiter *x, round_found *r)
{
    const sir_filter *f = x->filter;
    bits first = {0};
    for (size_t i = 0; i < f->fields.len; i++)
        if (is_int(f->fields.data[i].type))
            x->fields[i] = constant_bits(f->fields.data[i].init.zero ? 0 : f->fields.data[i].init.data[0].i);
        else if (f->fields.data[i].constant)
            x->fields[i] = opaque_bits();
        else
            return false;
    for (bool again = false, known = true; !again && r->firings < x->most; again = begins_again(x, &known)) {
        follow(x, &f->work->body);
        if (r->firings == 0)
            first = x->pushed;
        if (x->fails || x->pushed.opaque || memcmp(first.from, x->pushed.from, sizeof first.from) != 0)
            return false;
        r->items[r->firings++] = (int32_t)x->pushed.constant;
        (void)begins_again(x, &known);
        if (!known)
            return false;
    }
    bool known = true;
    return begins_again(x, &known) && find_moves(&first, r);
}

// ---- The new body ----

static sir_expr *with_mask(sir_module *m, sir_expr *e, uint32_t mask, sir_loc loc)
{
    return mask == UINT32_MAX
               ? e
               : sir_expr2(m, SIR_BINARY, LANG_OP_AND, e->type, e, sir_const_int(m, (int32_t)mask, loc), loc);
}

static sir_expr *moved(sir_module *m, uint32_t item, int by, uint32_t mask, sir_loc loc)
{
    const sir_type *t = m->scalar[SIR_INT];
    sir_expr *e = sir_ref(m, SIR_LOCAL, item, t, loc);
    if (by != 0)
        e = sir_expr2(m, SIR_BINARY, by > 0 ? LANG_OP_SHL : LANG_OP_SHR, t, e, sir_const_int(m, by > 0 ? by : -by, loc),
                      loc);
    return with_mask(m, e, mask, loc);
}

static void rewrite(sir_module *m, sir_filter *f, const round_found *r, int64_t rounds)
{
    int64_t firings = rounds * r->firings;
    const sir_type *t = m->scalar[SIR_INT], *table_type = sir_type_array(m, t, (uint32_t)firings);
    sir_loc loc = f->work->loc;
    sir_value items = sir_value_new(m->arena, table_type), zero = sir_value_new(m->arena, t);
    for (int64_t i = 0; i < firings; i++)
        items.data[i].i = r->items[i % r->firings];
    memset(&f->fields, 0, sizeof f->fields);
    VEC_PUSH(m->arena, &f->fields,
             (sir_field){.name = "items", .type = table_type, .init = items, .constant = true, .loc = f->loc});
    VEC_PUSH(m->arena, &f->fields, (sir_field){.name = "at", .type = t, .init = zero, .loc = f->loc});
    memset(&f->work->locals, 0, sizeof f->work->locals);
    f->work->body = (sir_block){0};
    uint32_t item = sir_local_new(m, f->work, "item", t, loc);
    sir_stmt *decl = sir_stmt_new(m, SIR_DECL, loc), *pop = sir_stmt_new(m, SIR_POP, loc),
             *push = sir_stmt_new(m, SIR_PUSH, loc), *next = sir_stmt_new(m, SIR_SET, loc);
    decl->u.decl.local = item;
    decl->u.decl.uninitialised = true;
    pop->u.set.target = sir_ref(m, SIR_LOCAL, item, t, loc);
    sir_expr *at = sir_ref(m, SIR_FIELD, 1, t, loc), *value = NULL;
    for (int i = 0; i < 2 * BITS - 1; i++)
        if (r->masks[i] != 0) {
            sir_expr *e = moved(m, item, i - (BITS - 1), r->masks[i], loc);
            value = value == NULL ? e : sir_expr2(m, SIR_BINARY, LANG_OP_XOR, t, value, e, loc);
        }
    sir_expr *own = sir_expr2(m, SIR_INDEX, 0, t, sir_ref(m, SIR_FIELD, 0, table_type, loc), at, loc);
    push->u.value = value == NULL ? own : sir_expr2(m, SIR_BINARY, LANG_OP_XOR, t, value, own, loc);
    next->u.set.target = sir_ref(m, SIR_FIELD, 1, t, loc);
    next->u.set.value = sir_expr3(
        m, SIR_SELECT, t,
        sir_expr2(m, SIR_BINARY, LANG_OP_EQ, m->scalar[SIR_BOOLEAN], sir_ref(m, SIR_FIELD, 1, t, loc),
                  sir_const_int(m, (int32_t)firings - 1, loc), loc),
        sir_const_int(m, 0, loc),
        sir_expr2(m, SIR_BINARY, LANG_OP_ADD, t, sir_ref(m, SIR_FIELD, 1, t, loc), sir_const_int(m, 1, loc), loc), loc);
    sir_stmt *all[] = {decl, pop, push, next};
    for (size_t i = 0; i < 4; i++)
        VEC_PUSH(m->arena, &f->work->body, all[i]);
    sir_filter_derive(m, f);
}

// ---- The pass ----

static void count_node(void *context, sir_expr *e, bool written)
{
    (void)e;
    (void)written;
    ++*(size_t *)context;
}

typedef struct size_of_body {
    size_t nodes;
    int loops;
} size_of_body;

static void count_nodes(void *context, sir_stmt *s)
{
    size_of_body *b = context;
    b->loops += s->kind == SIR_FOR;
    sir_visit_exprs(s, count_node, &b->nodes);
}

static bool is_plain(const sir_module *m, const sir_filter *f)
{
    size_of_body b = {0};
    if (f->finite || !f->stateful || f->prework != NULL || f->handlers.len != 0 || f->functions.len != 0 ||
        f->uses_iter || f->uses_random || f->prints || f->sends || f->work->pop.max != 1 || f->work->peek.max != 1 ||
        f->work->push.max != 1 || f->input->kind != SIR_INT || f->output->kind != SIR_INT ||
        !pass_rates_proved(m, f->work))
        return false;
    sir_visit_stmts(&f->work->body, count_nodes, &b);
    return b.loops > 0 || b.nodes >= LEAST_NODES;
}

static bool has_vectors(const hlc_program *p)
{
    const machine_processor *x = plan_bit_processor(p);
    return !p->config->no_lanes && x != NULL && machine_vector_bytes(x) >= PLAN_LEAST_VECTOR && x->caches.len != 0;
}

static bool repeat_tables(hlc_program *p, sir_filter *f)
{
    int64_t rounds = orbit_repeat_tables(p->module, f);
    if (rounds != 0)
        diag_remark(p->diag, sir_range(p->module, p->sources, f->loc),
                    "the place of '%s' in its tables begins again after %" PRId64 " rounds instead of one [orbit]",
                    f->name, rounds);
    return rounds != 0;
}

static bool tabulate_source(hlc_program *p, sir_filter *f, int64_t *steps)
{
    bool vectors = has_vectors(p);
    orbit_round round = orbit_tabulate_source(p->module, f, vectors ? ORBIT_SOURCE : ORBIT_SOURCE_LOCAL,
                                              vectors ? ORBIT_ITEMS : 0, steps);
    bool early = round.items < round.firings * f->work->push.max;
    if (round.firings != 0)
        diag_remark(p->diag, sir_range(p->module, p->sources, f->loc),
                    "what '%s' pushes comes round in %" PRId64 " %s and is a table [orbit]", f->name,
                    early ? round.items : round.firings, early ? "items" : "firings");
    return round.firings != 0;
}

bool pass_orbit(hlc_program *p)
{
    if (!pass_may_change_more(p))
        return false;
    bool changed = false;
    int64_t left = PROGRAM_STEPS, source_steps = SOURCE_STEPS;
    for (VEC_EACH(sir_filter *, filter, &p->module->filters)) {
        sir_filter *f = *filter;
        changed |= has_vectors(p) && repeat_tables(p, f);
        changed |= tabulate_source(p, f, &source_steps);
        if (!is_plain(p->module, f))
            continue;
        orbiter x = {.a = arena_create(), .m = p->module, .filter = f};
        bool long_too = has_vectors(p) && pass_table_bytes(p) >= MOST_FIRINGS * (int64_t)sizeof(int32_t);
        x.most = long_too ? MOST_FIRINGS : LOCAL_FIRINGS;
        x.most_steps = left > MOST_STEPS ? MOST_STEPS : left > LEAST_STEPS ? left : LEAST_STEPS;
        x.locals = ARENA_ARRAY(x.a, bits, f->work->locals.len + 1);
        x.fields = ARENA_ARRAY(x.a, bits, f->fields.len + 1);
        round_found *r = ARENA_NEW(x.a, round_found);
        if (find_round(&x, r)) {
            diag_remark(p->diag, sir_range(p->module, p->sources, f->loc),
                        "the state of '%s' comes round in %" PRId64 " firings, whatever its items are [orbit]", f->name,
                        r->firings);
            rewrite(p->module, f, r, has_vectors(p) && r->firings < ORBIT_ITEMS ? ORBIT_ITEMS / r->firings : 1);
            changed = true;
        }
        left -= x.steps;
        arena_destroy(x.a);
    }
    return changed;
}
