// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass 'moves': a filter that only moves items, as a splitter and a joiner would, becomes these. So what comes behind
// it finds the items where they lay, or views take the place of copies:
//
//     the even ones of 16 pairs, then the odd ones      ->      split roundrobin(2, 2)   join roundrobin(16, 16)
//
// A firing is executed on items that stand for themselves (stages_follow.c). The splitter may take items that the filter
// would have left for its next firing, but the joiner gives none of them before it has all that a firing gave.
#include <inttypes.h>

#include "hlc/passes/stages_int.h"

// Items of a firing; ways through a splitter; floats of a register at least, as those of the pass 'stages'.
enum { MOVES_MOST = 4096, MOVES_WAYS = 256, MOVES_FLOATS = 8 };

// Item r * ways + way of the input, `weight` items each, is item way * rounds + r of the output.
typedef struct moves {
    uint32_t ways, weight, rounds;
} moves;

typedef struct mover {
    arena *a;
    sir_module *m;
    hmap known; // by filter: moves, with no ways if it is something else
} mover;

static bool may_move(const sir_module *m, const sir_filter *f)
{
    return !f->identity && f->prework == NULL && f->ahead == NULL && !f->stateful && !f->uses_iter && !f->uses_random &&
           !f->prints && !f->sends && !f->finite && f->handlers.len == 0 && f->functions.len == 0 &&
           f->input == f->output &&
           (f->input->kind == SIR_FLOAT || (f->input->kind == SIR_INT && f->input->storage == SIR_STORED_WHOLE)) &&
           f->work->peek.max == f->work->pop.max && f->work->push.max == f->work->pop.max && f->work->pop.max >= 4 &&
           f->work->pop.max <= MOVES_MOST && pass_rates_proved(m, f->work);
}

// Which item is pushed at each place; false: something else is pushed.
static bool follow(mover *x, const sir_filter *f, int64_t *from)
{
    stage_nodes nodes = {0};
    stage_cells in = {0}, out = {0};
    int64_t steps = STAGE_STEPS, items = f->work->pop.max;
    for (int64_t i = 0; i < items; i++) {
        VEC_PUSH(x->a, &nodes, ((stage_node){.kind = SIR_PEEK, .type = f->input, .item = i, .group = (uint32_t)i}));
        VEC_PUSH(x->a, &in, ((stage_cell){.node = (uint32_t)i}));
    }
    if (!stage_follow(x->a, x->m, f, &nodes, in.data, &out, &steps) || (int64_t)out.len != items)
        return false;
    for (int64_t i = 0; i < items; i++) {
        if (out.data[i].known || nodes.data[out.data[i].node].kind != SIR_PEEK)
            return false;
        from[i] = nodes.data[out.data[i].node].item;
    }
    return true;
}

static moves moves_of(mover *x, const sir_filter *f)
{
    const moves none = {0};
    if (!may_move(x->m, f))
        return none;
    int64_t items = f->work->pop.max, weight = 0;
    int64_t *from = ARENA_ARRAY(x->a, int64_t, (size_t)items + 1);
    if (!follow(x, f, from))
        return none;
    while (weight < items && from[weight] == weight)
        weight++;
    if (weight == 0 || weight == items || from[weight] % weight != 0)
        return none;
    int64_t ways = from[weight] / weight;
    if (ways < 2 || ways > MOVES_WAYS || items % (ways * weight) != 0)
        return none;
    int64_t rounds = items / (ways * weight);
    for (int64_t i = 0; i < items; i++) {
        int64_t way = i / weight / rounds, round = i / weight % rounds;
        if (from[i] != (round * ways + way) * weight + i % weight)
            return none;
    }
    return (moves){(uint32_t)ways, (uint32_t)weight, (uint32_t)rounds};
}

static const moves *known_moves(mover *x, const sir_filter *f)
{
    moves *known = hmap_getn(&x->known, &f, sizeof f);
    if (known == NULL) {
        known = ARENA_NEW(x->a, moves);
        *known = moves_of(x, f);
        hmap_setn(&x->known, &f, sizeof f, known);
    }
    return known;
}

// The filter becomes the splitter; the joiner, which is behind it, has number `joiner`.
static void replace(mover *x, uint32_t actor, uint32_t joiner, const moves *f)
{
    sir_module *m = x->m;
    sir_actor *split = m->actors.data[actor], *join = ARENA_NEW(m->arena, sir_actor);
    const char *name = split->name;
    uint32_t out = split->outputs.data[0];
    *join = (sir_actor){.kind = SIR_JOIN, .item = split->filter->output, .region = split->region, .loc = split->loc};
    join->name = pass_unique_actor_name(m, m->arena, arena_printf(m->arena, "%s_join", name));
    split->name = pass_unique_actor_name(m, m->arena, arena_printf(m->arena, "%s_split", name));
    split->kind = SIR_SPLIT;
    split->item = split->filter->input;
    split->filter = NULL;
    split->outputs.len = 0;
    VEC_PUSH(m->arena, &m->actors, join);
    VEC_PUSH(m->arena, &join->outputs, out);
    m->channels.data[out].producer = joiner;
    m->channels.data[out].producer_port = 0;
    for (uint32_t i = 0; i < f->ways; i++) {
        VEC_PUSH(m->arena, &split->weights, f->weight);
        VEC_PUSH(m->arena, &join->weights, f->weight * f->rounds);
        VEC_PUSH(m->arena, &split->outputs, SIR_NONE);
        VEC_PUSH(m->arena, &join->inputs, SIR_NONE);
        (void)sir_channel_connect(m, actor, i, joiner, i, split->item);
    }
}

bool pass_moves(hlc_program *p)
{
    sir_module *m = p->module;
    if (p->config->no_lanes || hlc_vector_floats(p->config) < MOVES_FLOATS || !pass_may_change_more(p) ||
        m->portals.len != 0 || pass_shares_out(p) || !pass_has_vectors(p))
        return false;
    mover x = {.a = arena_create(), .m = m};
    hmap_init(&x.known, x.a);
    size_t count = m->actors.len;
    uint32_t *joiner = ARENA_ARRAY(x.a, uint32_t, count + 1); // by splitter; 0: there is none
    bool any = false;
    for (uint32_t i = 0; i < count; i++) {
        const sir_actor *a = m->actors.data[i];
        if (a->kind != SIR_FILTER || a->inputs.len != 1 || a->outputs.len != 1 || a->inputs.data[0] == SIR_NONE ||
            a->outputs.data[0] == SIR_NONE || a->least != 0 || pass_in_loop(m, a->region) ||
            known_moves(&x, a->filter)->ways == 0)
            continue;
        const moves *f = known_moves(&x, a->filter);
        diag_remark(p->diag, sir_range(m, p->sources, a->loc),
                    "'%s' only moves items, and is a splitter and a joiner of %" PRIu32 " ways [moves]", a->name,
                    f->ways);
        joiner[i] = (uint32_t)m->actors.len;
        replace(&x, i, joiner[i], f);
        any = true;
    }
    if (any) {
        pass_put_behind(m, x.a, (uint32_t)count, joiner, NULL);
        pass_tidy(m);
    }
    arena_destroy(x.a);
    return any;
}
