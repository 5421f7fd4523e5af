// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffers for horizontal fusion: channels at the same place in equal branches of a splitjoin share one buffer, in which the
// branches' items of a steady state lie side by side, so that the stages around them can be fused side by side. Part of
// sync-elim.
//
// NOTE(transposed). Where all filters around such a buffer are short straight-line code, it is laid out the other way
// round: equal items of successive steady states side by side. Then every stage walks its buffers in steps of one,
// whatever the splitters and joiners around it do, and vector units work on as many steady states as they have lanes.
#include <string.h>

#include "hlc/passes/pass.h"
#include "hlc/plan/plan_int.h"
#include "hlc/plan/thresholds.h"

typedef VEC(uint32_t) channel_list;

typedef struct placer {
    hlc_program *p;
    arena *a;
    const sir_module *m;
    const schedule *s;
    plan_place *places;
    bool known;           // filters in lanes may have long windows through several digits (sync_elim.c)
    channel_list *family; // per root: the channels placed on it
    const char **keys;    // per region: the declarations that it and those around it are instances of
    uint32_t *level;      // per actor: longest way from a source; of one level none depends on another
    enum { LANES_UNKNOWN, LANES_NO, LANES_YES } * lanes; // per actor: whether its firings will go side by side
} placer;

// ---- Equal places ----

// The declarations of a region and of all around it: equal for what the same text made, wherever it was added.
static const char *region_key(placer *x, uint32_t region)
{
    if (region >= x->m->regions.len)
        return "";
    // From the outermost region without a key inwards.
    channel_list chain = {0};
    for (uint32_t r = region; r < x->m->regions.len && x->keys[r] == NULL; r = x->m->regions.data[r].parent)
        VEC_PUSH(x->a, &chain, r);
    for (size_t i = chain.len; i-- > 0;) {
        const sir_region *r = &x->m->regions.data[chain.data[i]];
        const char *outer = r->parent < x->m->regions.len ? x->keys[r->parent] : "";
        // A digest, so that deep nesting costs no more than it is deep.
        uint64_t digest[2] = {hash_bytes(outer, strlen(outer), 1), hash_bytes(outer, strlen(outer), 2)};
        x->keys[chain.data[i]] = arena_printf(x->a, "%llx%llx %d %s", (unsigned long long)digest[0],
                                              (unsigned long long)digest[1], r->kind, r->name);
    }
    return x->keys[region];
}

static void find_levels(placer *x)
{
    x->level = ARENA_ARRAY(x->a, uint32_t, x->m->actors.len + 1);
    for (uint32_t i = 0; i < x->m->actors.len; i++)
        for (VEC_EACH(uint32_t, c, &x->m->actors.data[i]->inputs)) {
            uint32_t from = *c == SIR_NONE ? i : x->m->channels.data[*c].producer;
            if (from < i && x->level[from] >= x->level[i])
                x->level[i] = x->level[from] + 1;
        }
}

static const char *actor_key(placer *x, uint32_t actor)
{
    const sir_actor *a = x->m->actors.data[actor];
    sir_loc declared = a->kind == SIR_FILTER ? a->filter->loc : a->loc;
    return arena_printf(x->a, "%d %s %u:%u:%u %u %lld %lld", a->kind, region_key(x, a->region), declared.file,
                        declared.line, declared.column, x->level[actor], (long long)x->s->init[actor],
                        (long long)x->s->reps[actor]);
}

static const char *channel_key(placer *x, uint32_t channel)
{
    const sir_channel *c = &x->m->channels.data[channel];
    const plan_net *graph = x->p->cut != NULL ? x->p->cut->graph : x->p->net;
    uint32_t kernel = graph != NULL ? graph->kernel_of[c->producer] : 0;
    return arena_printf(x->a, "%p %lld %s|%s %u", (const void *)c->type, (long long)x->s->channels[channel].steady,
                        actor_key(x, c->producer), actor_key(x, c->consumer), kernel);
}

// ---- What may share ----

static const sir_filter *filter_of(const placer *x, uint32_t actor)
{
    const sir_actor *a = x->m->actors.data[actor];
    return a->kind == SIR_FILTER && !a->filter->identity ? a->filter : NULL;
}

// A filter that takes an item and gives one, once in a steady state. Its state does not care where they lie.
static bool goes_item_by_item(const placer *x, uint32_t actor)
{
    const sir_filter *f = x->m->actors.data[actor]->filter;
    return !x->p->config->no_lanes && x->s->reps[actor] == 1 && f->prework == NULL && f->work->peek.max <= 1 &&
           f->work->pop.max <= 1 && f->work->push.max <= 1;
}

// A channel whose items all go in and out within a run, between actors that may be fused side by side; item_by_item: or
// are no more than that.
static bool may_share(const placer *x, uint32_t root, bool item_by_item)
{
    for (VEC_EACH(uint32_t, c, &x->family[root])) {
        const sir_channel *ch = &x->m->channels.data[*c];
        const sched_channel *sc = &x->s->channels[*c];
        const sir_actor *from = x->m->actors.data[ch->producer], *to = x->m->actors.data[ch->consumer];
        const sir_filter *producer = filter_of(x, ch->producer), *consumer = filter_of(x, ch->consumer);
        if (sc->remainder != 0 || sc->initial != 0 || sc->init_items != 0 || x->s->cycle[ch->producer] >= 0 ||
            x->s->cycle[ch->consumer] >= 0 || from->kind == SIR_READER || to->kind == SIR_WRITER ||
            (producer != NULL && !plan_filter_can_fuse_horizontally(producer) &&
             !(item_by_item && goes_item_by_item(x, ch->producer))) ||
            (consumer != NULL && !plan_filter_can_fuse_horizontally(consumer) &&
             !(item_by_item && goes_item_by_item(x, ch->consumer))))
            return false;
    }
    return x->s->channels[root].steady > 0;
}

// Branches that run different filters gain nothing.
static bool mostly_equal(const placer *x, const uint32_t *roots, size_t count)
{
    hmap seen;
    hmap_init(&seen, x->a);
    size_t filters = 0;
    for (size_t i = 0; i < count; i++)
        for (VEC_EACH(uint32_t, c, &x->family[roots[i]])) {
            const sir_filter *ends[2] = {filter_of(x, x->m->channels.data[*c].producer),
                                         filter_of(x, x->m->channels.data[*c].consumer)};
            for (int k = 0; k < 2; k++)
                if (ends[k] != NULL) {
                    filters++;
                    hmap_setn(&seen, &ends[k], sizeof ends[k], &seen);
                }
        }
    return seen.len * 2 <= filters;
}

// ---- Sharing ----

static void share(placer *x, const uint32_t *roots, size_t count)
{
    int64_t step = x->s->channels[roots[0]].steady;
    if (step > PLAN_MAX_NUMBER / (int64_t)count)
        return;
    VEC(plan_place) old = {0};
    VEC(uint32_t) moved = {0};
    bool fits = true;
    for (size_t i = 0; i < count && fits; i++) {
        plan_view slot = view_blocks(x->a, (int64_t)i * step, step, (int64_t)count * step);
        for (VEC_EACH(uint32_t, c, &x->family[roots[i]])) {
            plan_place place = {.root = roots[0]};
            fits = fits && view_compose(x->a, &slot, &x->places[*c].view, &place.view) &&
                   plan_place_fits(x->p, *c, &place.view, x->known);
            if (!fits)
                break;
            VEC_PUSH(x->a, &old, x->places[*c]);
            VEC_PUSH(x->a, &moved, *c);
            x->places[*c] = place;
        }
    }
    for (size_t i = 0; i < moved.len && !fits; i++)
        x->places[moved.data[i]] = old.data[i];
}

// ---- Transposed buffers ----

static bool straight_block(const sir_block *b);

static bool straight_stmt(const sir_stmt *s)
{
    switch ((sir_stmt_kind)s->kind) {
    case SIR_IF: return straight_block(&s->u.if_.then) && straight_block(&s->u.if_.otherwise);
    case SIR_BLOCK: return straight_block(&s->u.block);
    case SIR_FOR:
        return s->u.for_.lo->kind == SIR_CONST && s->u.for_.hi->kind == SIR_CONST && straight_block(&s->u.for_.body);
    case SIR_DECL:
    case SIR_SET:
    case SIR_POP:
    case SIR_PUSH: return true;
    default: return false;
    }
}

static bool straight_block(const sir_block *b)
{
    for (size_t i = 0; i < b->len; i++)
        if (!straight_stmt(b->data[i]))
            return false;
    return true;
}

static bool in_lanes(const placer *x, uint32_t actor)
{
    if (x->lanes[actor] == LANES_UNKNOWN)
        x->lanes[actor] = plan_runs_in_lanes(x->p, actor) ? LANES_YES : LANES_NO;
    return x->lanes[actor] == LANES_YES;
}

static bool is_straight(const placer *x, uint32_t actor)
{
    const sir_actor *a = x->m->actors.data[actor];
    const sir_function *work = a->filter->work;
    return plan_filter_can_fuse_horizontally(a->filter) && work->peek.max <= TRANSPOSE_WINDOW &&
           work->push.max <= TRANSPOSE_WINDOW && plan_actor_operations(x->a, x->m, actor) <= TRANSPOSE_OPERATIONS &&
           straight_block(&work->body);
}

// Whether some filter can have its items only so: NOTE(known) in sync_elim.c.
static bool needs_known(const placer *x, uint32_t root)
{
    bool needs = false;
    for (size_t i = 0; x->known && i < x->family[root].len && !needs; i++)
        needs = plan_needs_known(x->p, x->family[root].data[i], &x->places[x->family[root].data[i]].view);
    return needs;
}

// Whether equal items of steady states may lie side by side, and whether that gains by itself: where something does not
// walk the buffer in steps of one, and everything around it is straight or has its firings in lanes.
typedef enum gain { GAIN_IMPOSSIBLE, GAIN_NONE, GAIN_SOME } gain;

static bool is_strided(const placer *x, uint32_t root)
{
    for (VEC_EACH(uint32_t, c, &x->family[root]))
        if (!view_contiguous(&x->places[*c].view))
            return true;
    return false;
}

static gain transposed_gain(const placer *x, uint32_t root)
{
    const bool known = needs_known(x, root);
    bool apart = false, lanes = false;
    if (!may_share(x, root, true))
        return GAIN_IMPOSSIBLE;
    for (VEC_EACH(uint32_t, c, &x->family[root])) {
        const sir_channel *ch = &x->m->channels.data[*c];
        const uint32_t ends[2] = {ch->producer, ch->consumer};
        for (int k = 0; k < 2; k++) {
            const sir_filter *f = filter_of(x, ends[k]);
            if (f == NULL)
                continue;
            // Those that look ahead go side by side in the order of their windows; what they push may lie in any, but is
            // whole vectors of one firing where it is as much, unless these are taken apart again.
            bool ahead = f->work->peek.max != f->work->pop.max;
            bool here = (!ahead || (k == 0 && (known || f->work->push.max < TRANSPOSE_LEAST))) && in_lanes(x, ends[k]);
            if (!here && known) // it turns items one by one
                return GAIN_IMPOSSIBLE;
            if (!here && !is_straight(x, ends[k]) &&
                (plan_filter_can_fuse_horizontally(f) || !goes_item_by_item(x, ends[k])))
                return GAIN_IMPOSSIBLE;
            apart |= f->work->pop.max > 1 || f->work->push.max > 1;
            lanes |= here;
        }
    }
    return is_strided(x, root) || (lanes && apart) ? GAIN_SOME : GAIN_NONE;
}

static uint32_t root_of(const placer *x, const sir_actor *a, bool input)
{
    if (input)
        return a->inputs.len == 0 || a->inputs.data[0] == SIR_NONE ? SIR_NONE : x->places[a->inputs.data[0]].root;
    return a->outputs.len == 0 || a->outputs.data[0] == SIR_NONE ? SIR_NONE : x->places[a->outputs.data[0]].root;
}

// What a filter turns from one layout into the other costs more than it does: those beside buffers that gain come along.
static void spread_gains(const placer *x, gain *gains)
{
    bool more = true;
    for (size_t round = 0; more && round < x->m->actors.len; round++) {
        more = false;
        for (uint32_t i = 0; i < x->m->actors.len; i++) {
            const sir_filter *f = filter_of(x, i);
            uint32_t in = root_of(x, x->m->actors.data[i], true), out = root_of(x, x->m->actors.data[i], false);
            if (f == NULL || in == SIR_NONE || out == SIR_NONE || gains[in] + gains[out] != GAIN_NONE + GAIN_SOME ||
                (f->work->pop.max <= 1 && f->work->push.max <= 1))
                continue;
            gains[in] = gains[out] = GAIN_SOME;
            more = true;
        }
    }
}

// Items that cross a buffer in a steady state.
static int64_t family_items(const placer *x, uint32_t root)
{
    int64_t most = 0;
    for (VEC_EACH(uint32_t, c, &x->family[root])) {
        int64_t end = view_end(&x->places[*c].view, x->s->channels[*c].steady);
        most = end > most ? end : most;
    }
    return most;
}

static uint64_t cache_bytes(const hlc_program *p)
{
    const machine_processor *kernel = machine_processor_by_name(p->machine, p->plan->processor);
    if (kernel == NULL || kernel->caches.len == 0)
        return 0;
    return p->machine->memories.data[kernel->caches.data[0].index].size;
}

// Whether strips of so many steady states may lie in the second cache, as far as what is computed hides. Planes that are far
// apart take more room than they are long: half of it is left (banks of filters gain up to there, and lose behind).
static bool computing_hides(const placer *x, int64_t lanes)
{
    double moved = 0; // in and out
    for (uint32_t i = 0; i < x->m->channels.len; i++) {
        const sir_zeros *known = plan_zeros_of(x->p, i);
        if (x->family[i].len != 0)
            moved += 2.0 * (double)family_items(x, i) * (double)plan_element_bytes(x->m, i) /
                     (known == NULL ? 1 : (double)known->every);
    }
    return plan_computing_hides(x->p, plan_steady_operations(x->p), moved, moved * (double)lanes);
}

// Whether strips of the fewest such steady states fit the second cache. Filters in lanes ask for as many, however their items
// lie (fill_lanes in strip_mine.c).
static bool fits_second(const placer *x)
{
    const machine_processor *kernel = machine_processor_by_name(x->p->machine, x->p->plan->processor);
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < x->m->channels.len; i++)
        if (x->family[i].len != 0)
            bytes += (uint64_t)family_items(x, i) * plan_element_bytes(x->m, i) * TRANSPOSE_LEAST;
    return kernel != NULL && kernel->caches.len >= 2 &&
           2 * bytes <= x->p->machine->memories.data[kernel->caches.data[1].index].size;
}

// Whether the buffers in use at a time fit it, where not few buffers are such and splitters and joiners are views: stages
// would turn items at both of their ends, which takes longer than the second cache. Where none are, C compilers make vectors of
// many a stage by itself.
static bool live_fits(const placer *x, size_t transposed, uint64_t bytes)
{
    const machine_processor *kernel = machine_processor_by_name(x->p->machine, x->p->plan->processor);
    size_t buffers = 0;
    for (uint32_t i = 0; i < x->m->channels.len; i++)
        buffers += x->family[i].len != 0;
    return x->p->config->vector_bytes != 0 && x->p->cut == NULL && kernel != NULL && kernel->caches.len >= 2 &&
           TRANSPOSE_SHARE * transposed >= buffers &&
           (double)bytes <= TRANSPOSE_SECOND * (double)x->p->machine->memories.data[kernel->caches.data[1].index].size;
}

static bool transpose(placer *x, uint32_t root, int64_t items, int64_t lanes)
{
    plan_view slot = {0}, high = view_identity(x->a, 0);
    plan_digits none = {0};
    if (!view_join(x->a, 0, &none, (plan_digit){items, lanes}, &high.digits, &slot))
        return false;
    plan_place *moved = ARENA_ARRAY(x->a, plan_place, x->family[root].len + 1);
    for (size_t i = 0; i < x->family[root].len; i++) {
        uint32_t c = x->family[root].data[i];
        moved[i].root = root;
        if (!view_compose(x->a, &slot, &x->places[c].view, &moved[i].view) ||
            !plan_place_fits(x->p, c, &moved[i].view, x->known))
            return false;
    }
    for (size_t i = 0; i < x->family[root].len; i++)
        x->places[x->family[root].data[i]] = moved[i];
    return true;
}

static void find_families(placer *x)
{
    for (size_t i = 0; i < x->m->channels.len; i++)
        x->family[i].len = 0;
    for (uint32_t i = 0; i < x->m->channels.len; i++)
        VEC_PUSH(x->a, &x->family[x->places[i].root], i);
}

static int64_t transpose_all(placer *x, size_t *transposed)
{
    channel_list roots = {0};
    uint64_t most = 0;
    bool state = false, known = false, strided = false;
    if (x->p->net != NULL) // their buffers must be able to grow
        return 0;
    find_families(x);
    gain *gains = arena_alloc_array(x->a, x->m->channels.len + 1, sizeof *gains);
    for (uint32_t i = 0; i < x->m->channels.len; i++) {
        gains[i] = x->family[i].len == 0 ? GAIN_IMPOSSIBLE : transposed_gain(x, i);
        strided |= is_strided(x, i);
    }
    spread_gains(x, gains);
    for (uint32_t i = 0; i < x->m->channels.len; i++) {
        if (gains[i] != GAIN_SOME)
            continue;
        uint64_t bytes = (uint64_t)family_items(x, i) * plan_element_bytes(x->m, i);
        VEC_PUSH(x->a, &roots, i);
        state |= !may_share(x, i, false);
        known |= needs_known(x, i);
        most = bytes > most ? bytes : most;
    }
    int64_t lanes = state ? TRANSPOSE_STATE_MOST : TRANSPOSE_MOST;
    const uint64_t live = roots.len < TRANSPOSE_LIVE ? roots.len + 1 : TRANSPOSE_LIVE;
    while (lanes >= TRANSPOSE_LEAST && most * live * (uint64_t)lanes > cache_bytes(x->p) && !computing_hides(x, lanes))
        lanes /= 2;
    if (lanes < TRANSPOSE_LEAST &&
        ((known && fits_second(x)) || (strided && live_fits(x, roots.len, most * live * TRANSPOSE_LEAST))))
        lanes = TRANSPOSE_LEAST;
    const int64_t asked = x->p->config->strip;
    if (asked > TRANSPOSE_LEAST)
        lanes = asked;
    else if (asked != 0 && lanes > TRANSPOSE_LEAST)
        lanes = TRANSPOSE_LEAST;
    if (lanes < TRANSPOSE_LEAST)
        return 0;
    for (VEC_EACH(uint32_t, root, &roots))
        *transposed += transpose(x, *root, family_items(x, *root), lanes);
    return *transposed != 0 ? lanes : 0;
}

int64_t plan_horizontal_places(hlc_program *p, plan_place *places, bool known, size_t *transposed)
{
    *transposed = 0;
    placer x = {.p = p, .a = p->arena, .m = p->module, .s = p->schedule, .places = places, .known = known};
    size_t n = x.m->channels.len;
    x.family = arena_alloc_array(x.a, n + 1, sizeof *x.family);
    x.keys = ARENA_ARRAY(x.a, const char *, x.m->regions.len + 1);
    x.lanes = arena_alloc_array(x.a, x.m->actors.len + 1, sizeof *x.lanes);
    find_levels(&x);
    find_families(&x);
    hmap groups;
    hmap_init(&groups, x.a);
    for (uint32_t i = 0; i < n; i++) {
        if (x.family[i].len == 0 || !may_share(&x, i, false))
            continue;
        const char *key = channel_key(&x, i);
        channel_list *list = hmap_get(&groups, key);
        if (list == NULL) {
            list = ARENA_NEW(x.a, channel_list);
            hmap_set(&groups, key, list);
        }
        VEC_PUSH(x.a, list, i);
    }
    for (size_t i = 0; i < groups.len; i++) {
        const channel_list *list = groups.entries[i].value;
        if (list->len > 1 && mostly_equal(&x, list->data, list->len))
            share(&x, list->data, list->len);
    }
    return transpose_all(&x, transposed);
}
