// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Horizontal fusion (plan.h): the stages of a splitjoin's equal branches become one stage with several members. Part of fuse.
#include <stdlib.h>
#include <string.h>

#include "hlc/passes/pass.h"
#include "hlc/plan/plan_int.h"

// A stage on its own in an item.
typedef struct candidate {
    size_t item; // in the list of items
    const plan_stage *st;
} candidate;
typedef VEC(size_t) numbers; // of candidates

typedef struct fuser {
    arena *a;
    const sir_module *m;
    const schedule *s;
    const plan *pl;
    plan_item_list *items;
    VEC(candidate) candidates;
    uint32_t *written_level; // per buffer: greatest level of a stage that writes it so far
} fuser;

bool plan_filter_can_fuse_horizontally(const sir_filter *f)
{
    return !f->stateful && !f->uses_iter && !f->uses_random && !f->prints && !f->sends && f->prework == NULL;
}

// ---- Candidates ----

static void key_digits(strbuf *key, const plan_access *access)
{
    strbuf_addn(key, (const char *)&access->buffer, sizeof access->buffer);
    if (access->buffer != PLAN_NONE)
        strbuf_addn(key, (const char *)access->view.digits.data, access->view.digits.len * sizeof(plan_digit));
    strbuf_addc(key, ';');
}

static const char *make_key(fuser *g, const plan_stage *st, uint32_t level, size_t *len)
{
    const sir_actor *a = g->m->actors.data[st->actor];
    struct {
        const void *what;
        int64_t weight, init, reps;
        uint64_t level;
    } head = {0};
    head.what = st->kind == PLAN_FIRE ? (const void *)a->filter : (const void *)(size_t)(1 + a->kind);
    head.weight = st->kind == PLAN_COPY ? plan_out_rate(g->m, st, false) : 0;
    head.init = g->s->init[st->actor];
    head.reps = g->s->reps[st->actor];
    head.level = level;
    strbuf key;
    strbuf_init(&key, g->a);
    strbuf_addn(&key, (const char *)&head, sizeof head);
    key_digits(&key, &st->in);
    key_digits(&key, &st->out);
    *len = key.len;
    return key.data;
}

static uint32_t item_level(const fuser *g, const plan_item *item)
{
    uint32_t level = 0;
    for (VEC_EACH(plan_stage, st, &item->stages))
        if (st->in.buffer != PLAN_NONE && g->written_level[st->in.buffer] > level)
            level = g->written_level[st->in.buffer];
    return level;
}

static void find_candidates(fuser *g, hmap *groups)
{
    for (size_t i = 0; i < g->items->len; i++) {
        const plan_item *item = &g->items->data[i];
        uint32_t level = item_level(g, item) + 1;
        for (VEC_EACH(plan_stage, st, &item->stages))
            if (st->out.buffer != PLAN_NONE && g->written_level[st->out.buffer] < level)
                g->written_level[st->out.buffer] = level;
        const plan_stage *st = &item->stages.data[0];
        const sir_actor *a = g->m->actors.data[st->actor];
        bool can = item->cycle < 0 && (st->kind == PLAN_COPY || plan_filter_can_fuse_horizontally(a->filter));
        if (!can || (st->in.buffer == PLAN_NONE && st->out.buffer == PLAN_NONE))
            continue;
        size_t len;
        const char *key = make_key(g, st, level, &len);
        numbers *list = hmap_getn(groups, key, len);
        if (list == NULL) {
            list = ARENA_NEW(g->a, numbers);
            hmap_setn(groups, key, len, list);
        }
        VEC_PUSH(g->a, list, g->candidates.len);
        VEC_PUSH(g->a, &g->candidates, (candidate){.item = i, .st = st});
    }
}

// ---- Regular distances ----

typedef struct spot {
    int64_t in, out; // offsets of the views
    size_t candidate;
} spot;

static int compare_spots(const void *x, const void *y)
{
    const spot *a = x, *b = y;
    if (a->in != b->in)
        return a->in < b->in ? -1 : 1;
    return a->out < b->out ? -1 : a->out > b->out;
}

// The longest run of spots from the first on at one distance (every `every`-th spot counting).
static size_t run_length(const spot *s, size_t count, size_t every)
{
    if (count / every < 2)
        return 1;
    int64_t in = s[every].in - s[0].in, out = s[every].out - s[0].out;
    if (in < 0 || out < 0)
        return 1;
    size_t n = 2;
    while ((n + 1) * every <= count && s[n * every].in - s[(n - 1) * every].in == in &&
           s[n * every].out - s[(n - 1) * every].out == out)
        n++;
    return n;
}

// Whether block number k of `size` spots looks like the first.
static bool same_block(const spot *s, size_t size, size_t k)
{
    for (size_t i = 1; i < size; i++)
        if (s[k * size + i].in - s[k * size].in != s[i].in - s[0].in ||
            s[k * size + i].out - s[k * size].out != s[i].out - s[0].out)
            return false;
    return true;
}

// How many of the first spots are positions of mixed-radix digits; the digits.
static size_t find_digits(arena *a, const spot *s, size_t count, plan_digits *in, plan_digits *out)
{
    size_t size = 1;
    while (in->len < PLAN_MAX_DIGITS) {
        size_t n = run_length(s, count, size), alike = 1;
        while (alike < n && same_block(s, size, alike))
            alike++;
        if (alike < 2)
            break;
        VEC_PUSH(a, in, (plan_digit){(int64_t)alike, s[size].in - s[0].in});
        VEC_PUSH(a, out, (plan_digit){(int64_t)alike, s[size].out - s[0].out});
        size *= alike;
    }
    return size;
}

// ---- Fused stages ----

static bool members_mix(const fuser *g, const spot *s, size_t count)
{
    bool one_actor = true, one_port = true;
    const plan_stage *first = g->candidates.data[s[0].candidate].st;
    if (first->kind == PLAN_FIRE)
        return false;
    for (size_t i = 1; i < count; i++) {
        const plan_stage *st = g->candidates.data[s[i].candidate].st;
        one_actor &= st->actor == first->actor;
        one_port &= st->port == first->port && st->actor != first->actor;
        for (size_t k = 1; k < i && one_port && !one_actor && count <= 64; k++)
            one_port &= g->candidates.data[s[k].candidate].st->actor != st->actor;
    }
    return !one_actor && !one_port;
}

static void make_fused(fuser *g, const spot *s, size_t count, plan_digits in, plan_digits out)
{
    size_t first = g->candidates.data[s[0].candidate].item;
    plan_stage all = *g->candidates.data[s[0].candidate].st;
    for (size_t i = 1; i < count; i++) {
        const candidate *c = &g->candidates.data[s[i].candidate];
        VEC_PUSH(g->a, &all.others, (plan_member){c->st->actor, c->st->port});
        first = c->item < first ? c->item : first;
    }
    if (all.in.buffer != PLAN_NONE)
        all.in_members = in;
    if (all.out.buffer != PLAN_NONE)
        all.out_members = out;
    for (size_t i = 0; i < count; i++)
        g->items->data[g->candidates.data[s[i].candidate].item].stages.len = 0;
    plan_item *item = &g->items->data[first];
    VEC_PUSH(g->a, &item->stages, all);
}

static void fuse_group(fuser *g, const size_t *list, size_t count)
{
    spot *s = ARENA_ARRAY(g->a, spot, count);
    for (size_t i = 0; i < count; i++) {
        const plan_stage *st = g->candidates.data[list[i]].st;
        s[i] = (spot){st->in.buffer == PLAN_NONE ? 0 : st->in.view.offset,
                      st->out.buffer == PLAN_NONE ? 0 : st->out.view.offset, list[i]};
    }
    qsort(s, count, sizeof *s, compare_spots);
    for (size_t at = 0; at < count;) {
        plan_digits in = {0}, out = {0};
        size_t n = find_digits(g->a, s + at, count - at, &in, &out);
        if (n > 1 && !members_mix(g, s + at, n))
            make_fused(g, s + at, n, in, out);
        at += n;
    }
}

// ---- Order ----

// Items in an order in which every buffer is written before it is read, as near to the given one as that allows.
typedef struct orderer {
    arena *a;
    const plan_item_list *items;
    numbers *writers;    // per buffer: items
    size_t *next_writer; // per buffer: those before have been asked for
    enum { ITEM_WAITS, ITEM_ASKED, ITEM_DONE } * state;
    plan_item_list ordered;
    VEC(size_t) stack;
} orderer;

// An item that must come before this one and has not been asked for; SIZE_MAX if there is none.
static size_t missing_writer(orderer *o, size_t item)
{
    for (VEC_EACH(plan_stage, st, &o->items->data[item].stages)) {
        uint32_t b = st->in.buffer;
        for (; b != PLAN_NONE && o->next_writer[b] < o->writers[b].len; o->next_writer[b]++)
            if (o->state[o->writers[b].data[o->next_writer[b]]] == ITEM_WAITS)
                return o->writers[b].data[o->next_writer[b]];
    }
    return SIZE_MAX;
}

static void order_item(orderer *o, size_t first)
{
    VEC_PUSH(o->a, &o->stack, first);
    o->state[first] = ITEM_ASKED;
    while (o->stack.len != 0) {
        size_t item = VEC_LAST(&o->stack), writer = missing_writer(o, item);
        if (writer != SIZE_MAX) {
            o->state[writer] = ITEM_ASKED;
            VEC_PUSH(o->a, &o->stack, writer);
            continue;
        }
        o->stack.len--;
        o->state[item] = ITEM_DONE;
        VEC_PUSH(o->a, &o->ordered, o->items->data[item]);
    }
}

static void order_items(arena *a, const plan *pl, plan_item_list *items)
{
    orderer o = {.a = a, .items = items};
    o.writers = arena_alloc_array(a, pl->buffers.len + 1, sizeof *o.writers);
    o.next_writer = ARENA_ARRAY(a, size_t, pl->buffers.len + 1);
    o.state = arena_alloc_array(a, items->len + 1, sizeof *o.state);
    for (size_t i = 0; i < items->len; i++)
        for (VEC_EACH(plan_stage, st, &items->data[i].stages))
            if (st->out.buffer != PLAN_NONE)
                VEC_PUSH(a, &o.writers[st->out.buffer], i);
    for (size_t i = 0; i < items->len; i++)
        if (items->data[i].stages.len != 0 && o.state[i] == ITEM_WAITS)
            order_item(&o, i);
    *items = o.ordered;
}

bool plan_fuse_horizontally(hlc_program *p, plan_item_list *items)
{
    fuser g = {.a = p->arena, .m = p->module, .s = p->schedule, .pl = p->plan, .items = items};
    g.written_level = ARENA_ARRAY(g.a, uint32_t, g.pl->buffers.len + 1);
    hmap groups;
    hmap_init(&groups, g.a);
    find_candidates(&g, &groups);
    bool any = false;
    for (size_t i = 0; i < groups.len; i++) {
        const numbers *list = groups.entries[i].value;
        if (list->len > 1) {
            fuse_group(&g, list->data, list->len);
            any = true;
        }
    }
    if (any)
        order_items(g.a, g.pl, items);
    return any;
}
