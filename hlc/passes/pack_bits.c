// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass 'pack-bits': bits of files go through the program as they lie in the files, eight to a byte, where that is of
// use. A filter at a file that only moves bits, eight to an int say, does so with the bytes:
//
//     reader bit -> v = v << 1 | pop (eight times); push v         reader int bytes -> push pop
//
// Where processors have memories of their own, and there are enough of them, a filter behind the reader makes bits of bytes,
// and one before the writer bytes of bits; both are free of state, so that any processor runs them. Otherwise the control
// processor does that for all, and eight times as many bytes pass the shared memory; so it stays where the others have more
// to do than it.
//
//     reader bit -> F -> writer bit         reader int bytes -> Unpack -> F -> Pack -> writer int bytes
//
// A filter at a file whose firings run one a bit of vectors (hlc/plan/bit_lanes.h) unpacks and packs bits itself: vectors are
// made of bytes as they are of bits, with a tenth of the operations.
//
// NOTE(whole). Steady states stay as they are: they take and give whole bytes already. Before a writer each firing gives
// whole bytes, so that none is left half full at the end; input always has whole bytes, and all its bits are unpacked.
#include <string.h>

#include "hlc/ir/copy.h"
#include "hlc/ir/network.h"
#include "hlc/passes/pass.h"
#include "hlc/plan/bit_lanes.h"
#include "hlc/plan/cut.h"
#include "hlc/plan/resources.h"
#include "hlc/plan/threads.h"
#include "hlc/schedule/schedule.h"

enum { BYTE_BITS = 8 };

// Of a filter that only moves bits: items of a firing, and what it may take to find out. Fewer than LEAST_RUN bits side
// by side, in the mean, cost more than packing does.
enum { MOST_ITEMS = 1024, PACK_STEPS = 100000, PACK_GATES = 10000, LEAST_RUN = 4 };

// Packing a byte takes an SPE of a Cell some five cycles, and its PPE two; the memory takes another two for the eight bytes
// that it is in the queue.
enum { LEAST_PROCESSORS = 5, CONTROL_CYCLES = 4 };

// So many times as fast vectors of bits must be as firings one by one.
enum { PACK_GAIN = 2 };

typedef struct packer {
    hlc_program *p;
    sir_module *m;
    arena *a;
    sir_filter *unpack, *pack; // NULL: none so far
    const sir_filter *half;    // a filter that has bytes at its reader, and
    sir_filter *whole;         // the same with bytes at both ends, whose firings run one a bit of vectors; NULL: none
    bool half_computes;        // the former does more than moving bits
} packer;

// ---- Filters ----

static sir_expr *int_of(packer *x, int32_t v, sir_loc loc)
{
    return sir_const_int(x->m, v, loc);
}

static sir_expr *local(packer *x, const sir_function *f, uint32_t index, sir_loc loc)
{
    return sir_ref(x->m, SIR_LOCAL, index, f->locals.data[index].type, loc);
}

static sir_expr *binary(packer *x, lang_binary_op op, sir_expr *a, sir_expr *b, sir_loc loc)
{
    return sir_expr2(x->m, SIR_BINARY, op, x->m->scalar[SIR_INT], a, b, loc);
}

static void set_rate(sir_rate *r, int64_t n)
{
    r->min = r->max = n;
}

static sir_filter *new_filter(packer *x, const char *name, const sir_type *input, const sir_type *output, int64_t pop,
                              int64_t push, sir_loc loc)
{
    sir_filter *f = ARENA_NEW(x->m->arena, sir_filter);
    f->name = f->source = pass_unique_filter_name(x->m, x->m->arena, name);
    f->input = input;
    f->output = output;
    f->loc = loc;
    f->work = ARENA_NEW(x->m->arena, sir_function);
    *f->work = (sir_function){.kind = SIR_WORK, .name = "work", .result = x->m->scalar[SIR_VOID], .loc = loc};
    set_rate(&f->work->peek, pop);
    set_rate(&f->work->pop, pop);
    set_rate(&f->work->push, push);
    VEC_PUSH(x->m->arena, &x->m->filters, f);
    return f;
}

static void add(packer *x, sir_block *b, sir_stmt *s)
{
    VEC_PUSH(x->m->arena, b, s);
}

static sir_stmt *declare(packer *x, uint32_t index, sir_expr *init, sir_loc loc)
{
    sir_stmt *s = sir_stmt_new(x->m, SIR_DECL, loc);
    s->u.decl.local = index;
    s->u.decl.init = init;
    s->u.decl.uninitialised = init == NULL;
    return s;
}

static sir_stmt *pop(packer *x, sir_expr *target, sir_loc loc)
{
    sir_stmt *s = sir_stmt_new(x->m, SIR_POP, loc);
    s->u.set.target = target;
    return s;
}

static sir_stmt *push(packer *x, sir_expr *value, sir_loc loc)
{
    sir_stmt *s = sir_stmt_new(x->m, SIR_PUSH, loc);
    s->u.value = value;
    return s;
}

static void add_pops(packer *x, sir_function *f, int64_t n, sir_loc loc)
{
    if (n == 0)
        return;
    sir_stmt *s = sir_stmt_new(x->m, SIR_FOR, loc);
    s->u.for_.local = sir_local_new(x->m, f, "i", x->m->scalar[SIR_INT], loc);
    s->u.for_.lo = int_of(x, 0, loc);
    s->u.for_.hi = int_of(x, (int32_t)n, loc);
    s->u.for_.step = 1;
    add(x, &s->u.for_.body, pop(x, NULL, loc));
    add(x, &f->body, s);
}

// v = pop; push bit(v >> 7 & 1); ... push bit(v & 1)
static sir_filter *make_unpack(packer *x, sir_loc loc)
{
    sir_module *m = x->m;
    const sir_type *byte = sir_type_stored(m, SIR_STORED_UINT8), *bit = m->scalar[SIR_BIT];
    sir_filter *f = new_filter(x, "Unpack", byte, bit, 1, BYTE_BITS, loc);
    uint32_t v = sir_local_new(m, f->work, "v", m->scalar[SIR_INT], loc);
    add(x, &f->work->body, declare(x, v, NULL, loc));
    add(x, &f->work->body, pop(x, local(x, f->work, v, loc), loc));
    for (int32_t i = BYTE_BITS - 1; i >= 0; i--) {
        sir_expr *one = binary(x, LANG_OP_AND,
                               i == 0 ? local(x, f->work, v, loc)
                                      : binary(x, LANG_OP_SHR, local(x, f->work, v, loc), int_of(x, i, loc), loc),
                               int_of(x, 1, loc), loc);
        add(x, &f->work->body, push(x, sir_expr1(m, SIR_CONVERT, 0, bit, one, loc), loc));
    }
    return f;
}

// push int(peek(0)) << 7 | ... | int(peek(7)), then eight pops
static sir_filter *make_pack(packer *x, sir_loc loc)
{
    sir_module *m = x->m;
    const sir_type *byte = sir_type_stored(m, SIR_STORED_UINT8), *whole = m->scalar[SIR_INT];
    sir_filter *f = new_filter(x, "Pack", m->scalar[SIR_BIT], byte, BYTE_BITS, 1, loc);
    sir_expr *all = NULL;
    for (int32_t i = 0; i < BYTE_BITS; i++) {
        sir_expr *bit = sir_expr1(m, SIR_PEEK, 0, m->scalar[SIR_BIT], int_of(x, i, loc), loc);
        sir_expr *one = sir_expr1(m, SIR_CONVERT, 0, whole, bit, loc);
        if (i < BYTE_BITS - 1)
            one = binary(x, LANG_OP_SHL, one, int_of(x, BYTE_BITS - 1 - i, loc), loc);
        all = all == NULL ? one : binary(x, LANG_OP_OR, all, one, loc);
    }
    add(x, &f->work->body, push(x, all, loc));
    add_pops(x, f->work, BYTE_BITS, loc);
    return f;
}

// ---- Filters that only move bits ----

// So many bits of an item that stand side by side in what is pushed too.
typedef struct run {
    uint32_t item, from, to, bits;
} run;
typedef struct run_list {
    VEC(run) runs;
    uint32_t ones; // bits that are always 1
} run_list;

// Where a wire comes from: an item's bit. False: it is computed.
static bool origin(const sir_network *n, sir_wire w, bool packed, uint32_t *item, uint32_t *bit)
{
    const sir_gate *g = &n->gates.data[w / 2];
    if (g->kind != GATE_INPUT || w % 2 != 0)
        return false;
    *item = packed ? g->a / BYTE_BITS : g->a;
    *bit = packed ? BYTE_BITS - 1 - g->a % BYTE_BITS : g->b;
    return true;
}

// Adds bit `to` of what is pushed, which stands behind those that were added.
static bool add_bit(packer *x, run_list *l, const sir_network *n, sir_wire w, bool packed, uint32_t to)
{
    uint32_t item, bit;
    if (w <= WIRE_TRUE) {
        l->ones |= (uint32_t)(w == WIRE_TRUE) << to;
        return true;
    }
    if (!origin(n, w, packed, &item, &bit))
        return false;
    run *last = l->runs.len == 0 ? NULL : &l->runs.data[l->runs.len - 1];
    if (last != NULL && last->item == item && last->from + last->bits == bit && last->to + last->bits == to)
        last->bits++;
    else
        VEC_PUSH(x->a, &l->runs, ((run){item, bit, to, 1}));
    return true;
}

static sir_expr *run_text(packer *x, const run *r, const sir_type *input, uint32_t width, sir_loc loc)
{
    sir_expr *e = sir_expr1(x->m, SIR_PEEK, 0, input, int_of(x, (int32_t)r->item, loc), loc);
    if (input->kind == SIR_BIT)
        e = sir_expr1(x->m, SIR_CONVERT, 0, x->m->scalar[SIR_INT], e, loc);
    if (r->from != 0)
        e = binary(x, LANG_OP_SHR, e, int_of(x, (int32_t)r->from, loc), loc);
    if (r->from + r->bits < width || (r->from != 0 && width == NETWORK_BITS))
        e = binary(x, LANG_OP_AND, e, int_of(x, (int32_t)((UINT32_C(1) << r->bits) - 1), loc), loc);
    return r->to == 0 ? e : binary(x, LANG_OP_SHL, e, int_of(x, (int32_t)r->to, loc), loc);
}

// Whether a network that is known already is larger than one that moves bits may be.
static bool computes(packer *x, const sir_filter *f)
{
    const plan_bit_lanes *known = plan_bit_lanes_known(x->p, plan_bit_processor(x->p), f);
    return (f == x->half && x->half_computes) ||
           (known != NULL && known->network != NULL && known->network->gates.len > PACK_GATES);
}

// The function of a firing with its bits packed where it takes items (reads) or where it gives them; false: it does more
// than moving bits, or moves each by itself.
static bool packed_body(packer *x, const sir_filter *f, const sir_function *old, bool reads, sir_function *work)
{
    sir_filter alone = *f;
    sir_network_fault fault;
    sir_function body = *old;
    body.kind = SIR_WORK;
    alone.work = &body;
    alone.prework = NULL;
    int64_t bits = reads ? old->pop.max : old->push.max;
    if (old->pop.max > MOST_ITEMS || old->push.max > MOST_ITEMS || bits % BYTE_BITS != 0 ||
        (old == f->work && computes(x, f)))
        return false;
    const sir_network *n = sir_network_of(x->a, pass_tables_made(x->p), x->m, &alone, PACK_STEPS, PACK_GATES, &fault);
    if (n == NULL)
        return false;
    bool bit_out = f->output->kind == SIR_BIT;
    uint32_t pushes = (uint32_t)old->push.max / (reads ? 1 : BYTE_BITS);
    uint32_t width = reads ? bit_out ? 1 : NETWORK_BITS : BYTE_BITS;
    uint32_t in_width = reads ? BYTE_BITS : f->input->kind == SIR_BIT ? 1 : NETWORK_BITS;
    const sir_type *in = reads ? x->m->scalar[SIR_INT] : f->input->kind == SIR_INT ? x->m->scalar[SIR_INT] : f->input;
    size_t runs = 0, moved = 0;
    *work = *old;
    memset(&work->locals, 0, sizeof work->locals);
    work->body = (sir_block){0};
    set_rate(&work->pop, reads ? old->pop.max / BYTE_BITS : old->pop.max);
    set_rate(&work->peek, work->pop.max);
    set_rate(&work->push, pushes);
    for (uint32_t i = 0; i < pushes; i++) {
        run_list l = {0};
        for (uint32_t to = 0; to < width; to++) {
            size_t wire =
                reads ? (size_t)i * NETWORK_BITS + to : ((size_t)i * BYTE_BITS + BYTE_BITS - 1 - to) * NETWORK_BITS;
            if (!add_bit(x, &l, n, n->outputs.data[wire], reads, to))
                return false;
        }
        sir_expr *all = l.ones != 0 || l.runs.len == 0 ? int_of(x, (int32_t)l.ones, old->loc) : NULL;
        for (VEC_EACH(const run, r, &l.runs)) {
            sir_expr *one = run_text(x, r, in, in_width, old->loc);
            all = all == NULL ? one : binary(x, LANG_OP_OR, all, one, old->loc);
            moved += r->bits;
        }
        runs += l.runs.len;
        if (reads && bit_out)
            all = sir_expr1(x->m, SIR_CONVERT, 0, x->m->scalar[SIR_BIT], all, old->loc);
        add(x, &work->body, push(x, all, old->loc));
    }
    add_pops(x, work, work->pop.max, old->loc);
    return moved >= runs * LEAST_RUN;
}

// The filter with its bits packed on the file's side; NULL: it is not worth it, or cannot be.
static sir_filter *packed_filter(packer *x, const sir_filter *f, bool reads)
{
    sir_function *work = ARENA_NEW(x->m->arena, sir_function), *prework = ARENA_NEW(x->m->arena, sir_function);
    if (f->handlers.len != 0 || f->functions.len != 0 || f->stateful || f->prints || f->uses_iter || f->uses_random ||
        !packed_body(x, f, f->work, reads, work) ||
        (f->prework != NULL && !packed_body(x, f, f->prework, reads, prework)))
        return NULL;
    sir_filter *r = pass_copy_filter(x->m, f);
    r->name = pass_unique_filter_name(x->m, x->m->arena, f->name);
    r->work = work;
    r->prework = f->prework == NULL ? NULL : prework;
    if (reads)
        r->input = sir_type_stored(x->m, SIR_STORED_UINT8);
    else
        r->output = sir_type_stored(x->m, SIR_STORED_UINT8);
    return r;
}

// ---- Filters whose firings run one a bit of vectors ----

// The bits of a firing are in an array, with the place of the next one.
typedef struct array_bits {
    packer *x;
    sir_function *work;
    bool reads;
    uint32_t bits, place; // locals
    sir_copier copier;
} array_bits;

static sir_expr *bit_at(const array_bits *b, sir_expr *at, sir_loc loc)
{
    sir_expr *array = local(b->x, b->work, b->bits, loc);
    return sir_expr2(b->x->m, SIR_INDEX, 0, array->type->element, array, at, loc);
}

static void set(packer *x, sir_block *to, sir_expr *target, sir_expr *value, sir_loc loc)
{
    sir_stmt *s = sir_stmt_new(x->m, SIR_SET, loc);
    s->u.set.target = target;
    s->u.set.value = value;
    add(x, to, s);
}

static sir_expr *peek_in_array(void *context, const sir_expr *e)
{
    const array_bits *b = context;
    if (e->kind != SIR_PEEK || !b->reads)
        return NULL;
    sir_expr *offset = sir_copy_expr(&b->copier, e->u.arg[0]);
    return bit_at(b, binary(b->x, LANG_OP_ADD, local(b->x, b->work, b->place, e->loc), offset, e->loc), e->loc);
}

static bool move_in_array(void *context, const sir_stmt *s, sir_block *to)
{
    const array_bits *b = context;
    packer *x = b->x;
    if (s->kind != (b->reads ? SIR_POP : SIR_PUSH))
        return false;
    sir_expr *bit = bit_at(b, local(x, b->work, b->place, s->loc), s->loc);
    if (!b->reads)
        set(x, to, bit, sir_copy_expr(&b->copier, s->u.value), s->loc);
    else if (s->u.set.target != NULL)
        set(x, to, sir_copy_expr(&b->copier, s->u.set.target), bit, s->loc);
    set(x, to, local(x, b->work, b->place, s->loc),
        binary(x, LANG_OP_ADD, local(x, b->work, b->place, s->loc), int_of(x, 1, s->loc), s->loc), s->loc);
    return true;
}

// Of the loop over bytes: the place of bit i of byte n, i = 0 the one that comes first.
static sir_expr *bit_of_byte(const array_bits *b, uint32_t n, int32_t i, sir_loc loc)
{
    packer *x = b->x;
    sir_expr *first = binary(x, LANG_OP_MUL, local(x, b->work, n, loc), int_of(x, BYTE_BITS, loc), loc);
    return bit_at(b, i == 0 ? first : binary(x, LANG_OP_ADD, first, int_of(x, i, loc), loc), loc);
}

// for n: v = pop; bits[8 * n] = bit(v >> 7 & 1); ... or push of all of them
static void add_bytes(array_bits *b, int64_t bytes, sir_loc loc)
{
    packer *x = b->x;
    sir_stmt *s = sir_stmt_new(x->m, SIR_FOR, loc);
    sir_block *body = &s->u.for_.body;
    uint32_t n = s->u.for_.local = sir_local_new(x->m, b->work, "n", x->m->scalar[SIR_INT], loc);
    uint32_t v = sir_local_new(x->m, b->work, "v", x->m->scalar[SIR_INT], loc);
    s->u.for_.lo = int_of(x, 0, loc);
    s->u.for_.hi = int_of(x, (int32_t)bytes, loc);
    s->u.for_.step = 1;
    add(x, body, declare(x, v, b->reads ? NULL : int_of(x, 0, loc), loc));
    if (b->reads)
        add(x, body, pop(x, local(x, b->work, v, loc), loc));
    for (int32_t i = 0; i < BYTE_BITS; i++) {
        sir_expr *old = local(x, b->work, v, loc), *bit = bit_of_byte(b, n, i, loc);
        if (b->reads) {
            sir_expr *shifted = binary(x, LANG_OP_SHR, old, int_of(x, BYTE_BITS - 1 - i, loc), loc);
            sir_expr *one = binary(x, LANG_OP_AND, shifted, int_of(x, 1, loc), loc);
            set(x, body, bit, sir_expr1(x->m, SIR_CONVERT, 0, x->m->scalar[SIR_BIT], one, loc), loc);
        } else {
            sir_expr *one = sir_expr1(x->m, SIR_CONVERT, 0, x->m->scalar[SIR_INT], bit, loc);
            sir_expr *shifted = binary(x, LANG_OP_SHL, old, int_of(x, 1, loc), loc);
            set(x, body, local(x, b->work, v, loc), binary(x, LANG_OP_OR, shifted, one, loc), loc);
        }
    }
    if (!b->reads)
        add(x, body, push(x, local(x, b->work, v, loc), loc));
    add(x, &b->work->body, s);
}

static sir_filter *filter_of_bytes(packer *x, const sir_filter *f, bool reads)
{
    size_t users = 0;
    for (VEC_EACH(sir_actor *const, a, &x->m->actors))
        users += (*a)->kind == SIR_FILTER && (*a)->filter == f;
    int64_t bits = reads ? f->work->pop.max : f->work->push.max;
    sir_loc loc = f->work->loc;
    sir_filter *r = pass_copy_filter(x->m, f);
    sir_rate *rates[] = {reads ? &r->work->pop : &r->work->push, reads ? &r->work->peek : NULL};
    array_bits b = {.x = x, .work = r->work, .reads = reads};
    if (users > 1) // else the old one goes
        r->name = pass_unique_filter_name(x->m, x->m->arena, f->name);
    *(reads ? &r->input : &r->output) = sir_type_stored(x->m, SIR_STORED_UINT8);
    for (size_t i = 0; i < 2; i++)
        if (rates[i] != NULL)
            set_rate(rates[i], bits / BYTE_BITS);
    r->work->body = (sir_block){0};
    b.bits = sir_local_new(x->m, r->work, "bits", sir_type_array(x->m, x->m->scalar[SIR_BIT], (uint32_t)bits), loc);
    b.place = sir_local_new(x->m, r->work, "place", x->m->scalar[SIR_INT], loc);
    b.copier = (sir_copier){.arena = x->m->arena, .context = &b, .expr = peek_in_array, .stmt = move_in_array};
    add(x, &r->work->body, declare(x, b.bits, NULL, loc));
    add(x, &r->work->body, declare(x, b.place, int_of(x, 0, loc), loc));
    if (reads)
        add_bytes(&b, bits / BYTE_BITS, loc);
    sir_copy_stmts(&b.copier, &f->work->body, 0, f->work->body.len, &r->work->body);
    if (!reads)
        add_bytes(&b, bits / BYTE_BITS, loc);
    sir_filter_derive(x->m, r);
    return r;
}

// Whether the filter takes or gives whole bytes of bits, and its firings could run one a bit of vectors.
static bool may_have_bytes(packer *x, const sir_filter *f, bool reads)
{
    const machine_processor *q = plan_bit_processor(x->p);
    int64_t bits = reads ? f->work->pop.max : f->work->push.max;
    return plan_bit_lanes_of(x->p, q) != 0 && f->prework == NULL && bits % BYTE_BITS == 0 &&
           (reads ? f->input : f->output)->kind == SIR_BIT && plan_bit_lanes_for(x->p, q, f)->fault.why == NULL;
}

// Beside what the filter that has bits takes one by one; what unpacking and packing would take then is not its own.
static bool has_vectors(packer *x, const sir_filter *of_bytes, const sir_filter *f)
{
    const machine_processor *q = plan_bit_processor(x->p);
    const plan_bit_lanes *b = plan_bit_lanes_for(x->p, q, of_bytes);
    return b->network != NULL && PACK_GAIN * ((double)b->gates + b->turns) < plan_bit_lanes_for(x->p, q, f)->single;
}

// The filter with bytes where it has bits, if its firings run one a bit of vectors then, or with bytes at its other end too,
// where that is at a file; else NULL. Both ends are tried first, as networks of large filters take long to find.
static sir_filter *vectors_of_bytes(packer *x, const sir_filter *f, bool reads, bool both)
{
    if (f == x->half)
        return x->whole;
    if (!may_have_bytes(x, f, reads))
        return NULL;
    sir_filter *r = filter_of_bytes(x, f, reads);
    sir_filter *whole = both && may_have_bytes(x, f, !reads) ? filter_of_bytes(x, r, !reads) : NULL;
    if (whole != NULL && has_vectors(x, whole, f)) {
        x->half_computes = computes(x, f);
        x->half = r;
        x->whole = whole;
    } else if (!has_vectors(x, r, f))
        return NULL;
    return r;
}

// ---- Which files ----

// Whether each of the actor's firings pushes whole bytes.
static bool gives_bytes(const sir_actor *a, uint32_t port)
{
    return sched_output_rate(a, port, false) % BYTE_BITS == 0 && sched_output_rate(a, port, true) % BYTE_BITS == 0;
}

static bool can_pack(const packer *x, uint32_t number)
{
    const sir_module *m = x->m;
    const sir_actor *a = m->actors.data[number];
    bool reads = a->kind == SIR_READER;
    if ((!reads && a->kind != SIR_WRITER) || a->item->kind != SIR_BIT || pass_in_loop(m, a->region) || a->least != 0)
        return false;
    uint32_t channel = reads ? a->outputs.data[0] : a->inputs.data[0];
    if (channel == SIR_NONE)
        return false;
    const sir_channel *c = &m->channels.data[channel];
    const sir_actor *from = m->actors.data[c->producer], *to = m->actors.data[c->consumer];
    int64_t reps = x->p->schedule->reps[number];
    return c->initial.len == 0 && c->zeros == NULL && reps > 0 && reps % BYTE_BITS == 0 &&
           (reads ? to->kind != SIR_WRITER : from->kind != SIR_READER && gives_bytes(from, c->producer_port));
}

static bool gives_to_file(const packer *x, const sir_actor *a)
{
    return a->outputs.len == 1 && a->outputs.data[0] != SIR_NONE &&
           can_pack(x, x->m->channels.data[a->outputs.data[0]].consumer);
}

// ---- The graph ----

// An actor of the filter at this place of the order, without channels.
static sir_actor *insert(packer *x, uint32_t at, sir_filter *f, const sir_actor *file)
{
    sir_module *m = x->m;
    sir_actor *a = ARENA_NEW(m->arena, sir_actor);
    *a = (sir_actor){.kind = SIR_FILTER, .region = file->region, .filter = f, .loc = file->loc};
    a->name = pass_unique_actor_name(m, m->arena, f->name);
    VEC_PUSH(m->arena, &m->actors, a);
    for (size_t i = m->actors.len - 1; i > at; i--)
        m->actors.data[i] = m->actors.data[i - 1];
    m->actors.data[at] = a;
    for (VEC_EACH(sir_channel, c, &m->channels)) {
        c->producer += c->producer >= at;
        c->consumer += c->consumer >= at;
    }
    return a;
}

// The filter at a file takes or gives bytes itself, if it only moves bits, or has vectors of them.
static bool pack_filter(packer *x, sir_actor *file)
{
    sir_module *m = x->m;
    bool reads = file->kind == SIR_READER;
    sir_channel *c = &m->channels.data[reads ? file->outputs.data[0] : file->inputs.data[0]];
    sir_actor *a = m->actors.data[reads ? c->consumer : c->producer];
    sir_filter *f = a->kind == SIR_FILTER ? packed_filter(x, a->filter, reads) : NULL;
    if (f == NULL && a->kind == SIR_FILTER)
        f = vectors_of_bytes(x, a->filter, reads, reads && gives_to_file(x, a));
    if (f == NULL)
        return false;
    a->filter = f;
    VEC_PUSH(m->arena, &m->filters, f);
    file->item = c->type = sir_type_stored(m, SIR_STORED_UINT8);
    if (x->p->diag->remarks)
        diag_remark(x->p->diag, sir_range(m, x->p->sources, a->loc),
                    "'%s' %s the bits of '%s' as whole bytes [pack-bits]", a->name, reads ? "takes" : "gives",
                    file->name);
    return true;
}

// An actor of its own packs what goes to a file, or unpacks what comes from it.
static void pack_apart(packer *x, uint32_t number)
{
    sir_module *m = x->m;
    sir_actor *file = m->actors.data[number];
    bool reads = file->kind == SIR_READER;
    sir_filter **filter = reads ? &x->unpack : &x->pack;
    if (*filter == NULL)
        *filter = reads ? make_unpack(x, file->loc) : make_pack(x, file->loc);
    const sir_type *byte = sir_type_stored(m, SIR_STORED_UINT8);
    uint32_t at = number + reads, old = reads ? file->outputs.data[0] : file->inputs.data[0];
    sir_actor *a = insert(x, at, *filter, file);
    sir_channel *c = &m->channels.data[old];
    file->item = byte;
    VEC_PUSH(m->arena, reads ? &a->outputs : &a->inputs, old);
    if (reads) { // the old channel is behind the new actor
        c->producer = at;
        file->outputs.data[0] = SIR_NONE;
        sir_channel_connect(m, number, 0, at, 0, byte);
    } else {
        c->consumer = at;
        file->inputs.data[0] = SIR_NONE;
        sir_channel_connect(m, at, 0, at + 1, 0, byte);
    }
    if (x->p->diag->remarks)
        diag_remark(x->p->diag, sir_range(m, x->p->sources, file->loc),
                    "the bits of '%s' are %s in the memories of the processors [pack-bits]", file->name,
                    reads ? "unpacked" : "packed");
}

// ---- The pass ----

static bool has_bits(const sir_module *m)
{
    bool any = false;
    for (VEC_EACH(sir_actor *const, a, &m->actors))
        any |= sir_is_file(*a) && (*a)->item->kind == SIR_BIT;
    return any;
}

// Threads have ints as floats: what they are given is ints of four bytes.
static bool launches(const plan_resources *r)
{
    bool any = false;
    for (VEC_EACH(const plan_processor, q, &r->processors))
        any |= plan_launches(q->processor);
    return any;
}

// Whether engines move what processors work on, each can run what is put in, and there are enough of them.
static bool are_apart(const plan_resources *r)
{
    static const machine_operation needed[] = {MACHINE_OP_BITWISE, MACHINE_OP_LOAD, MACHINE_OP_STORE};
    for (VEC_EACH(const plan_processor, q, &r->processors)) {
        const machine_processor *x = q->processor;
        bool can = !q->direct && x->abilities.outputs >= BYTE_BITS;
        for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
            can = can && machine_can_run(x, needed[i]);
        if (!can)
            return false;
    }
    return r->ordinary >= LEAST_PROCESSORS;
}

// Whether the control processor would need longer for packing than the others for all else.
static bool would_wait(const packer *x, const plan_resources *r)
{
    const plan_record *record = plan_record_of(x->p, r);
    double all = 0, bytes = 0;
    for (uint32_t i = 0; i < x->m->actors.len; i++) {
        all += plan_record_work(record, i);
        if (can_pack(x, i))
            bytes += (double)x->p->schedule->reps[i] / BYTE_BITS;
    }
    return all / (double)r->ordinary < CONTROL_CYCLES * bytes;
}

static const machine *machine_of(hlc_program *p)
{
    if (p->machine == NULL)
        p->machine = machine_find(p->arena, p->diag, p->config->machine_dir,
                                  p->config->machine != NULL ? p->config->machine : "host", (src_range){0});
    return p->machine;
}

static bool pack_all(packer *x, bool apart)
{
    VEC(sir_actor *) files = {0};
    bool any = false;
    for (uint32_t i = 0; i < x->m->actors.len; i++)
        if (can_pack(x, i))
            VEC_PUSH(x->a, &files, x->m->actors.data[i]);
    for (uint32_t i = 0, next = 0; next < files.len && i < x->m->actors.len; i++) {
        if (x->m->actors.data[i] != files.data[next])
            continue;
        next++;
        bool moved = pack_filter(x, x->m->actors.data[i]);
        any |= moved || apart;
        if (moved || !apart)
            continue;
        pack_apart(x, i++); // the actor that was put in, or the file, which is behind it
    }
    return any;
}

bool pass_pack_bits(hlc_program *p)
{
    sir_module *m = p->module;
    const hlc_config *c = p->config;
    const plan_demands demands = {.io = true};
    if (!has_bits(m) || p->schedule->dynamic || p->schedule->messages.len != 0 || p->schedule->outside.len != 0 ||
        c->library || !pass_may_change_more(p) || machine_of(p) == NULL)
        return false;
    const plan_resources *r = plan_resources_find(p->arena, p->diag, p->machine, c->processors, &demands);
    sir_find_byte_bits(m);
    if (r == NULL || launches(r) || !m->byte_bits)
        return false;
    packer x = {.p = p, .m = m, .a = arena_create()};
    bool changed = pack_all(&x, are_apart(r) && would_wait(&x, r));
    arena_destroy(x.a);
    if (!changed)
        return false;
    pass_tidy(m);
    p->schedule = schedule_compute(p->arena, p->diag, p->sources, m);
    return true;
}
