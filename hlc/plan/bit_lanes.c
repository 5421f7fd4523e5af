// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether firings run one a bit of vectors.
//
// NOTE(bit-cost). A vector of n bits takes n firings through the gates of one. Around them items are turned to bits and
// back: what that costs grows with the bits that items have, so that it gains where items are single bits, or where a
// firing computes much of few bits. What firings one by one cost is fitted to ciphers, permutations and programs of masks,
// compiled by clang 22 for AVX-512.
#include "hlc/plan/bit_lanes.h"

#include <math.h>

#include "hlc/ir/walk.h"
#include "hlc/plan/plan_int.h"
#include "hlc/plan/thresholds.h"

enum {
    BIT_LEAST = 16, // bytes of a vector
    BIT_MOST = 64,
    BIT_ROWS = 16, // items that are turned together
};

// Whether so many firings may come at once.
static bool come(const hlc_program *p, int64_t firings)
{
    int64_t strip = p->config->strip, latency = p->config->max_latency;
    return (strip == 0 || strip >= firings) && (latency == 0 || latency >= firings);
}

// Of the processor that C is compiled for, where it is known and its vectors are wider than the machine's.
static bool has_wide_vectors(const hlc_program *p, const machine_processor *x)
{
    return hlc_has_wide_vectors(p->config) && machine_vector_bytes(x) >= BIT_MOST / 2 && come(p, 8 * BIT_MOST);
}

// Of a vector as wide as the machine's.
static int own_lanes(const machine_processor *x)
{
    return 8 * (machine_vector_bytes(x) >= BIT_MOST       ? BIT_MOST
                : machine_vector_bytes(x) >= BIT_MOST / 2 ? BIT_MOST / 2
                                                          : BIT_LEAST);
}

int plan_bit_lanes_of(const hlc_program *p, const machine_processor *x)
{
    if (p->config->no_lanes || p->config->check_bounds || p->config->opt_level < BIT_LEVEL || x == NULL ||
        machine_vector_bytes(x) < BIT_LEAST || x->abilities.outputs < BIT_OUTPUTS || x->caches.len == 0)
        return 0;
    return has_wide_vectors(p, x) ? 8 * BIT_MOST : own_lanes(x);
}

// Vectors for each bit of items, in by gates and out by wires.
static void count_planes(const sir_network *n, int64_t in[NETWORK_BITS], int64_t out[NETWORK_BITS])
{
    for (size_t i = 1; i < n->gates.len; i++)
        if (n->live[i] && n->gates.data[i].kind == GATE_INPUT)
            in[n->gates.data[i].b]++;
    for (size_t i = 0; i < n->outputs.len; i++)
        out[i % NETWORK_BITS] += n->outputs.data[i] != WIRE_FALSE;
}

static bool are_bytes(const hlc_program *p, const sir_type *t)
{
    return t->kind == SIR_BIT && p->module->byte_bits;
}

// Items one by one or bit by bit, whichever is less.
static double turns(const hlc_program *p, const sir_type *t, const int64_t planes[NETWORK_BITS], int64_t items,
                    int lanes, bool *words)
{
    double sum = 0, by_words = (double)items * BIT_TURN_WORD;
    *words = false;
    if (plan_bit_packed(t))
        return (double)((items + 7) / 8 * 8 * BIT_TURN_PACKED) * lanes / 256;
    for (int i = 0; i < NETWORK_BITS; i++) {
        int64_t alone = planes[i] % BIT_ROWS;
        sum += (double)(planes[i] - alone) * (are_bytes(p, t) ? BIT_TURN_BYTE : BIT_TURN_INT);
        sum += (double)alone * BIT_TURN_ALONE;
    }
    *words = !are_bytes(p, t) && by_words < sum;
    return (*words ? by_words : sum) * lanes / 256;
}

static int64_t item_bytes(const hlc_program *p, const sir_type *t)
{
    return are_bytes(p, t) || plan_bit_packed(t) ? 1 : 4;
}

// Of stack and code, and of the items that come in or those that go out, which are not needed at the same time.
static int64_t bytes(const hlc_program *p, const sir_filter *f, const plan_bit_lanes *b, const sir_network *n,
                     const int64_t in[NETWORK_BITS], const int64_t out[NETWORK_BITS])
{
    int64_t planes = 0;
    for (int i = 0; i < NETWORK_BITS; i++)
        planes += (b->words_in ? f->work->pop.max : in[i]) + (b->words_out ? f->work->push.max : out[i]);
    int64_t taken = f->work->pop.max * item_bytes(p, f->input), given = f->work->push.max * item_bytes(p, f->output);
    return planes * b->lanes / 8 + (taken > given ? taken : given) * b->lanes + BIT_CODE * sir_network_text(n);
}

static void find_bits(void *context, sir_expr *e, bool written)
{
    bool *found = context;
    (void)written;
    if (e->kind == SIR_BINARY && e->type->kind != SIR_BOOLEAN)
        *found = *found || e->op == LANG_OP_AND || e->op == LANG_OP_OR || e->op == LANG_OP_XOR ||
                 e->op == LANG_OP_SHL || e->op == LANG_OP_SHR;
}

static void find_bits_in(void *context, sir_stmt *s)
{
    sir_visit_exprs(s, find_bits, context);
}

bool plan_has_bits(const sir_filter *f)
{
    bool found = f->input->kind == SIR_BIT || f->output->kind == SIR_BIT;
    sir_visit_stmts(&f->work->body, find_bits_in, &found);
    return found;
}

static double byte_turns(int64_t items)
{
    bool turned = items <= BYTE_TURN_MOST && (items & (items - 1)) == 0;
    return (double)items * (turned ? BYTE_TURN : BYTE_TURN_ALONE);
}

static bool is_int(const sir_type *t)
{
    return t->kind == SIR_INT && t->storage == SIR_STORED_WHOLE;
}

// Look-ups of a firing.
static int64_t looks(arena *a, const sir_network *n)
{
    bool *used = ARENA_ARRAY(a, bool, n->uses.len + 1);
    int64_t count = 0;
    for (size_t i = 1; i < n->gates.len; i++) {
        const sir_gate *g = &n->gates.data[i];
        if (g->kind != GATE_TABLE || !n->live[i])
            continue;
        count += !used[g->a];
        used[g->a] = true;
    }
    return count;
}

// A byte a lane, where items are ints of a byte each and the processor has vectors of bytes: if a firing takes less so than
// one a bit, or than firings one by one.
static void decide_bytes(const hlc_program *p, const machine_processor *x, plan_bit_lanes *b, const sir_filter *f,
                         const sir_network *n, double wider)
{
    int64_t pop = f->work->pop.max, push = f->work->push.max;
    const native_byte_costs costs = p->config->bytes;
    const double vectors = (double)(8 * costs.lanes) / own_lanes(x); // of the machine, in one of bytes
    const sir_bytes *s = costs.lanes > 0 && come(p, costs.lanes) && is_int(f->input) && is_int(f->output)
                             ? sir_bytes_of(p->arena, n, costs.linear, costs.look_up)
                             : NULL;
    if (s == NULL || s->sums + s->linear + s->inverses + s->tables > BYTE_TEXT ||
        (pop + push) * costs.lanes * (int64_t)sizeof(int) > pass_table_bytes(p))
        return;
    plan_bit_lanes bytes = *b;
    bytes.bytes = s;
    bytes.network = n;
    bytes.slower = NULL;
    bytes.excess = 0;
    bytes.lanes = costs.lanes;
    bytes.gates = s->sums + costs.linear * s->linear + costs.inverse * s->inverses + costs.look_up * s->tables;
    bytes.turns = (byte_turns(pop) + byte_turns(push)) * costs.lanes / BIT_MOST;
    // Of single firings no look-ups are vectors, but where a strip is nothing else: these take as long as they do here.
    bytes.single = b->single * bytes.lanes / b->lanes + vectors * (double)(costs.look_up * looks(p->arena, n));
    double firing = (vectors * (double)bytes.gates + bytes.turns) / bytes.lanes;
    bool gains = BIT_GAIN * firing * bytes.lanes < bytes.single &&
                 (b->network == NULL || firing < (wider * (double)b->gates + b->turns) / b->lanes);
    if (gains)
        *b = bytes;
}

// Wider vectors than the machine's are no reason: firings one by one have them, too.
static void decide(hlc_program *p, const machine_processor *x, plan_bit_lanes *b, const sir_filter *f)
{
    const double wider = (double)b->lanes / own_lanes(x);
    double operations = plan_filter_operations(p->arena, f);
    bool all_bytes = item_bytes(p, f->input) == 1 && item_bytes(p, f->output) == 1;
    b->single = operations * b->lanes / (all_bytes ? BIT_SINGLE_BYTE : BIT_SINGLE_INT);
    int64_t most = (int64_t)(b->single / wider);
    most = most > BIT_TEXT ? BIT_TEXT : most;
    const sir_network *n = sir_network_of(p->arena, pass_tables_made(p), p->module, f, BIT_STEPS,
                                          (size_t)(BIT_INPUTS + BIT_DROPPED * most), &b->fault);
    if (n == NULL)
        return;
    b->gates = sir_network_operations(n);
    int64_t in[NETWORK_BITS] = {0}, out[NETWORK_BITS] = {0};
    count_planes(n, in, out);
    b->turns = turns(p, f->input, in, f->work->pop.max, b->lanes, &b->words_in) +
               turns(p, f->output, out, f->work->push.max, b->lanes, &b->words_out);
    if (BIT_GAIN * (wider * (double)b->gates + b->turns) >= b->single)
        b->slower = plan_reason_plain(PLAN_WHY_GATES_SLOWER);
    else if (sir_network_text(n) > BIT_TEXT || bytes(p, f, b, n, in, out) > pass_table_bytes(p)) {
        b->slower = plan_reason_plain(PLAN_WHY_GATES_LARGE);
        b->excess = fmax((double)sir_network_text(n) / BIT_TEXT,
                         (double)bytes(p, f, b, n, in, out) / (double)pass_table_bytes(p));
    } else
        b->network = n;
    decide_bytes(p, x, b, f, n, wider);
}

bool plan_bit_packed(const sir_type *t)
{
    return t->kind == SIR_INT && t->storage == SIR_STORED_UINT8;
}

// Of other ints that do not lie in four bytes no vectors of bits are made.
static bool is_turned(const sir_type *t)
{
    return t->storage == SIR_STORED_WHOLE || plan_bit_packed(t);
}

// Those of others are the same wherever bits lie.
static bool has_bit_items(const sir_filter *f)
{
    return f->input->kind == SIR_BIT || f->output->kind == SIR_BIT;
}

typedef struct lanes_key {
    const void *filter;
    int64_t lanes;
} lanes_key;

static lanes_key key_of(const hlc_program *p, const machine_processor *x, const sir_filter *f)
{
    return (lanes_key){f, 2 * plan_bit_lanes_of(p, x) + (p->module->byte_bits && has_bit_items(f))};
}

const plan_bit_lanes *plan_bit_lanes_known(const hlc_program *p, const machine_processor *x, const sir_filter *f)
{
    const lanes_key key = key_of(p, x, f);
    return p->bit_lanes == NULL ? NULL : hmap_getn(p->bit_lanes, &key, sizeof key);
}

const plan_bit_lanes *plan_bit_lanes_for(hlc_program *p, const machine_processor *x, const sir_filter *f)
{
    const lanes_key key = key_of(p, x, f);
    if (p->bit_lanes == NULL) {
        p->bit_lanes = ARENA_NEW(p->arena, hmap);
        hmap_init(p->bit_lanes, p->arena);
    }
    plan_bit_lanes *b = hmap_getn(p->bit_lanes, &key, sizeof key);
    if (b != NULL)
        return b;
    b = ARENA_NEW(p->arena, plan_bit_lanes);
    b->lanes = (int)key.lanes / 2;
    hmap_setn(p->bit_lanes, &key, sizeof key, b);
    if (b->lanes != 0 && is_turned(f->input) && is_turned(f->output) && f->work != NULL && plan_has_bits(f) &&
        !f->finite && plan_filter_can_fuse_horizontally(f))
        decide(p, x, b, f);
    return b;
}

void plan_bit_costs(hlc_program *p, const sir_module *m, double *costs)
{
    const machine_processor *x = plan_bit_processor(p);
    for (size_t i = 0; plan_bit_lanes_of(p, x) != 0 && i < m->actors.len; i++) {
        const plan_bit_lanes *b =
            m->actors.data[i]->kind == SIR_FILTER ? plan_bit_lanes_for(p, x, m->actors.data[i]->filter) : NULL;
        if (b != NULL && b->network != NULL)
            costs[i] = ((double)b->gates + b->turns) / b->lanes * ((double)machine_vector_bytes(x) / sizeof(float));
    }
}

const machine_processor *plan_bit_processor(const hlc_program *p)
{
    for (size_t i = 0; p->machine != NULL && i < p->machine->processors.len; i++)
        if (p->machine->processors.data[i].kind == MACHINE_processor_kind_KERNEL)
            return &p->machine->processors.data[i];
    return NULL;
}

int64_t plan_bit_firings(hlc_program *p, const machine_processor *x, const sir_actor *a)
{
    if (a->kind != SIR_FILTER || plan_bit_lanes_of(p, x) == 0)
        return 0;
    const plan_bit_lanes *b = plan_bit_lanes_for(p, x, a->filter);
    return b->network == NULL ? 0 : b->lanes;
}
