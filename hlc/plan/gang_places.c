// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffers for gangs: channels at the same place in equal branches of a splitjoin share one buffer, in which the branches' items of a steady state
// lie side by side, so that the stages around them can become gangs. Part of sync-elim.
#include <string.h>

#include "hlc/passes/pass.h"
#include "hlc/plan/plan_int.h"

typedef VEC(uint32_t) channel_list;

typedef struct placer {
    hlc_program *p;
    arena *a;
    const sir_module *m;
    const schedule *s;
    plan_place *places;
    channel_list *family; // per root: the channels placed on it
    const char **keys;    // per region: the places of its declaration and of those around it
    uint32_t *level;      // per actor: longest way from a source; of one level none depends on another
} placer;

// ---- Equal places ----

// The source places of a region and of all around it: equal for what the same text made.
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
        x->keys[chain.data[i]] = arena_printf(x->a, "%llx%llx:%u:%u:%u:%s", (unsigned long long)digest[0], (unsigned long long)digest[1],
                                              r->loc.file, r->loc.line, r->loc.column, r->name);
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
    return arena_printf(x->a, "%d %s %u:%u:%u %u %lld %lld", a->kind, region_key(x, a->region), a->loc.file, a->loc.line, a->loc.column,
                        x->level[actor], (long long)x->s->init[actor], (long long)x->s->reps[actor]);
}

static const char *channel_key(placer *x, uint32_t channel)
{
    const sir_channel *c = &x->m->channels.data[channel];
    return arena_printf(x->a, "%p %lld %s|%s", (const void *)c->type, (long long)x->s->channels[channel].steady, actor_key(x, c->producer),
                        actor_key(x, c->consumer));
}

// ---- What may share ----

static const sir_filter *filter_of(const placer *x, uint32_t actor)
{
    const sir_actor *a = x->m->actors.data[actor];
    return a->kind == SIR_FILTER && !a->filter->identity ? a->filter : NULL;
}

// A channel whose items all go in and out within a run, between actors that may be in gangs.
static bool may_share(const placer *x, uint32_t root)
{
    for (VEC_EACH(uint32_t, c, &x->family[root])) {
        const sir_channel *ch = &x->m->channels.data[*c];
        const sched_channel *sc = &x->s->channels[*c];
        const sir_actor *from = x->m->actors.data[ch->producer], *to = x->m->actors.data[ch->consumer];
        const sir_filter *producer = filter_of(x, ch->producer), *consumer = filter_of(x, ch->consumer);
        if (sc->remainder != 0 || sc->initial != 0 || sc->init_items != 0 || x->s->cycle[ch->producer] >= 0 || x->s->cycle[ch->consumer] >= 0 ||
            from->kind == SIR_READER || to->kind == SIR_WRITER || (producer != NULL && !plan_filter_can_gang(producer)) ||
            (consumer != NULL && !plan_filter_can_gang(consumer)))
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
            const sir_filter *ends[2] = {filter_of(x, x->m->channels.data[*c].producer), filter_of(x, x->m->channels.data[*c].consumer)};
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
            fits = fits && view_compose(x->a, &slot, &x->places[*c].view, &place.view) && plan_place_fits(x->p, *c, &place.view);
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

void plan_gang_places(hlc_program *p, plan_place *places)
{
    placer x = {.p = p, .a = p->arena, .m = p->module, .s = p->schedule, .places = places};
    size_t n = x.m->channels.len;
    x.family = arena_alloc_array(x.a, n + 1, sizeof *x.family);
    x.keys = ARENA_ARRAY(x.a, const char *, x.m->regions.len + 1);
    find_levels(&x);
    for (uint32_t i = 0; i < n; i++)
        VEC_PUSH(x.a, &x.family[places[i].root], i);
    hmap groups;
    hmap_init(&groups, x.a);
    for (uint32_t i = 0; i < n; i++) {
        if (x.family[i].len == 0 || !may_share(&x, i))
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
}
