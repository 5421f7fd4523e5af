// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plays a plan through with marked items instead of values: what each firing finds must be what the stream graph sends
// it. Knows nothing of how plans are made, only of runs (NOTE(runs) in plan.h) and of the graph, so that it finds what
// the passes get wrong.
#include <inttypes.h>
#include <string.h>

#include "hlc/plan/plan_int.h"
#include "hlc/plan/thresholds.h"

// An item by where it came into being: pushed by a filter or reader, or enqueued, as item `index` of `channel`.
typedef struct mark {
    uint32_t channel; // PLAN_NONE: nothing was written here
    int64_t index;
} mark;

typedef struct replay {
    arena *a;
    diag_engine *d;
    const plan *pl;
    const sir_module *m;
    const schedule *s;
    mark **buffers;
    bool *zeros;           // per buffer: runs of steady states hold samples alone (zeros.c), and are not looked at
    int64_t *base;         // per buffer: position of its element 0 in the present run
    int64_t *fired;        // per actor, from the program's start
    const int64_t *counts; // per actor: firings in the present run
    int64_t **weight_sums; // per splitter or joiner: sums of the weights before each port
    int64_t steady;        // steady states of the present run
    bool ok;
} replay;

static void wrong(replay *r, uint32_t actor, const char *what)
{
    if (r->ok)
        diag_error(r->d, plan_line_range(r->pl, PLAN_LINE_STAGE, actor), "plan of '%s': '%s' %s", r->m->name,
                   r->m->actors.data[actor]->name, what);
    r->ok = false;
}

// The port of a round-robin that item x of a round belongs to: the last whose sum is not greater, so none of weight 0.
static uint32_t port_of(const int64_t *sums, uint32_t ports, int64_t x)
{
    uint32_t low = 0, high = ports;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (sums[middle] <= x)
            low = middle;
        else
            high = middle;
    }
    return low;
}

// Where an item of a channel came into being.
static mark origin(const replay *r, uint32_t channel, int64_t index)
{
    for (;;) {
        const sir_channel *c = &r->m->channels.data[channel];
        const sir_actor *a = r->m->actors.data[c->producer];
        int64_t item = index - (int64_t)c->initial.len;
        if (item < 0 || a->kind == SIR_READER || (a->kind == SIR_FILTER && !a->filter->identity))
            return (mark){channel, index};
        const int64_t *sums = r->weight_sums[c->producer];
        if (a->kind == SIR_FILTER || (a->kind == SIR_SPLIT && a->duplicate)) {
            index = item;
        } else if (a->kind == SIR_SPLIT) {
            int64_t weight = a->weights.data[c->producer_port];
            index = item / weight * sums[a->outputs.len] + sums[c->producer_port] + item % weight;
        } else {
            int64_t total = sums[a->inputs.len], round = item / total;
            uint32_t port = port_of(sums, (uint32_t)a->inputs.len, item % total);
            index = round * a->weights.data[port] + (item % total - sums[port]);
            channel = a->inputs.data[port];
            continue;
        }
        channel = a->inputs.data[0];
    }
}

static mark *element(replay *r, const plan_access *access, int64_t item, uint32_t actor)
{
    int64_t at = view_at(&access->view, item) - r->base[access->buffer];
    if (at < 0 || at >= r->pl->buffers.data[access->buffer].capacity) {
        wrong(r, actor, "reaches outside a buffer");
        return NULL;
    }
    return &r->buffers[access->buffer][at];
}

// Reads the items that a firing touches and compares each with what the graph sends there.
static void check_items(replay *r, uint32_t actor, const plan_access *access, uint32_t channel, int64_t first,
                        int64_t count)
{
    if (r->steady > 0 && r->zeros[access->buffer])
        return;
    for (int64_t i = first; i < first + count && r->ok; i++) {
        const mark *found = element(r, access, i, actor);
        mark wanted = origin(r, channel, i);
        if (found == NULL)
            return;
        if (found->channel == PLAN_NONE)
            wrong(r, actor, arena_printf(r->a, "reads item %" PRId64 " of its input before it is written", i));
        else if (found->channel != wanted.channel || found->index != wanted.index)
            wrong(r, actor, arena_printf(r->a, "finds another item in place of item %" PRId64 " of its input", i));
    }
}

static void write_items(replay *r, uint32_t actor, const plan_access *access, uint32_t channel, int64_t first,
                        int64_t count)
{
    if (r->steady > 0 && r->zeros[access->buffer])
        return;
    int64_t enqueued = (int64_t)r->m->channels.data[channel].initial.len;
    for (int64_t i = first; i < first + count && r->ok; i++) {
        mark *at = element(r, access, i, actor);
        if (at != NULL)
            *at = (mark){channel, enqueued + i};
    }
}

static void fire_filter(replay *r, const plan_stage *st, int64_t firing)
{
    const sir_actor *a = r->m->actors.data[st->actor];
    bool first = firing == 0;
    if (st->in.buffer != PLAN_NONE)
        check_items(r, st->actor, &st->in, a->inputs.data[0], plan_in_items(r->m, st, firing),
                    plan_in_rate(r->m, st, first).peek);
    if (st->out.buffer != PLAN_NONE)
        write_items(r, st->actor, &st->out, a->outputs.data[0], plan_out_items(r->m, st, firing),
                    plan_out_rate(r->m, st, first));
}

static void fire_copy(replay *r, const plan_stage *st, int64_t firing)
{
    int64_t weight = plan_out_rate(r->m, st, false);
    for (int64_t i = firing * weight; i < (firing + 1) * weight && r->ok; i++) {
        const mark *from = element(r, &st->in, i, st->actor);
        mark *to = element(r, &st->out, i, st->actor);
        if (from == NULL || to == NULL)
            return;
        if (from->channel == PLAN_NONE)
            wrong(r, st->actor, "copies an item before it is written");
        *to = *from;
    }
}

// Firings first..first+count-1 of a stage, counted from the program's start.
static void fire_stage(replay *r, const plan_stage *st, int64_t first, int64_t count)
{
    for (int64_t i = first; i < first + count && r->ok; i++) {
        if (st->kind == PLAN_FIRE)
            fire_filter(r, st, i);
        else
            fire_copy(r, st, i);
    }
}

// ---- Cycles ----

static void play_steps(replay *r, const plan_item *item, const plan_step *steps, size_t count, int64_t *done)
{
    for (size_t i = 0; i < count && r->ok; i++) {
        if (steps[i].stage == PLAN_NONE) {
            for (int64_t n = 0; n < steps[i].count && r->ok; n++)
                play_steps(r, item, steps[i].steps.data, steps[i].steps.len, done);
            continue;
        }
        const plan_stage *st = &item->stages.data[steps[i].stage];
        fire_stage(r, st, r->fired[st->actor] + done[steps[i].stage], steps[i].count);
        done[steps[i].stage] += steps[i].count;
    }
}

static void play_block(replay *r, const plan_item *item, int64_t steady, int64_t *done)
{
    for (size_t i = 0; i < item->stages.len && r->ok; i++) {
        const plan_stage *st = &item->stages.data[i];
        int64_t n = steady * r->s->reps[st->actor];
        fire_stage(r, st, r->fired[st->actor] + done[i], n);
        done[i] += n;
    }
}

static bool channel_inside(const replay *r, uint32_t channel, int32_t cycle)
{
    return channel != SIR_NONE && r->s->cycle[r->m->channels.data[channel].producer] == cycle &&
           r->s->cycle[r->m->channels.data[channel].consumer] == cycle;
}

// Fires an actor of a cycle once if its items allow it.
static bool fire_member(replay *r, const plan_item *item, uint32_t i, int64_t *items, int64_t *done)
{
    const sir_actor *a = r->m->actors.data[i];
    bool first = r->fired[i] + done[i] == 0;
    if (done[i] == r->counts[i])
        return false;
    for (uint32_t port = 0; port < a->inputs.len; port++)
        if (channel_inside(r, a->inputs.data[port], item->cycle) &&
            items[a->inputs.data[port]] < sched_input_rate(a, port, first).peek)
            return false;
    for (uint32_t port = 0; port < a->inputs.len; port++)
        if (channel_inside(r, a->inputs.data[port], item->cycle))
            items[a->inputs.data[port]] -= sched_input_rate(a, port, first).pop;
    for (uint32_t port = 0; port < a->outputs.len; port++)
        if (channel_inside(r, a->outputs.data[port], item->cycle))
            items[a->outputs.data[port]] += sched_output_rate(a, port, first);
    done[i]++;
    return true;
}

// Rounds by counting items, as the emitted program does it.
static void play_rounds(replay *r, const plan_item *item)
{
    size_t n = r->m->actors.len;
    int64_t *done = ARENA_ARRAY(r->a, int64_t, n + 1), *items = ARENA_ARRAY(r->a, int64_t, r->m->channels.len + 1);
    VEC(uint32_t) members = {0};
    for (uint32_t i = 0; i < n; i++)
        if (r->s->cycle[i] == item->cycle)
            VEC_PUSH(r->a, &members, i);
    for (size_t i = 0; i < r->m->channels.len; i++)
        items[i] = r->steady == 0 ? r->s->channels[i].initial : r->s->channels[i].remainder;
    for (bool any = true; any && r->ok;) {
        any = false;
        const plan_stage *st = item->stages.data, *end = st + item->stages.len;
        for (VEC_EACH(uint32_t, i, &members)) {
            int64_t before = done[*i];
            while (fire_member(r, item, *i, items, done))
                any = true;
            for (; st < end && st->actor <= *i; st++)
                if (st->actor == *i)
                    fire_stage(r, st, r->fired[*i] + before, done[*i] - before);
        }
    }
    for (VEC_EACH(uint32_t, i, &members))
        if (r->ok && done[*i] != r->counts[*i])
            wrong(r, *i, "cannot fire as often as it should");
}

static void play_cycle(replay *r, const plan_item *item)
{
    if (r->steady == 0 || item->steps.len == 0) {
        play_rounds(r, item);
        return;
    }
    int64_t *done = ARENA_ARRAY(r->a, int64_t, item->stages.len + 1);
    for (int64_t s = 0; s < r->steady && r->ok; s += item->block) {
        if (item->block > 1)
            play_block(r, item, r->steady - s < item->block ? r->steady - s : item->block, done);
        else
            play_steps(r, item, item->steps.data, item->steps.len, done);
    }
}

// ---- Runs ----

static void play_ios(replay *r, bool readers)
{
    const plan_io *list = readers ? r->pl->readers.data : r->pl->writers.data;
    size_t count = readers ? r->pl->readers.len : r->pl->writers.len;
    for (size_t i = 0; i < count && r->ok; i++) {
        uint32_t actor = list[i].actor;
        const sir_actor *a = r->m->actors.data[actor];
        if (readers)
            write_items(r, actor, &list[i].access, a->outputs.data[0], r->fired[actor], r->counts[actor]);
        else
            check_items(r, actor, &list[i].access, a->inputs.data[0], r->fired[actor], r->counts[actor]);
    }
}

// What is kept moves to the front; all else is forgotten.
static void shift(replay *r, bool starting)
{
    for (size_t i = 0; i < r->pl->buffers.len; i++) {
        const plan_buffer *b = &r->pl->buffers.data[i];
        int64_t from = starting ? b->base : r->steady * b->step;
        if (!starting && r->zeros[i])
            continue;
        memmove(r->buffers[i], r->buffers[i] + from, (size_t)b->keep * sizeof(mark));
        for (int64_t k = b->keep; k < b->capacity; k++)
            r->buffers[i][k].channel = PLAN_NONE;
        r->base[i] += from;
    }
}

static void play_members(replay *r, const plan_stage *st)
{
    for (size_t i = 0; i < plan_stage_members(st) && r->ok; i++) {
        plan_stage one = plan_stage_member(st, i);
        fire_stage(r, &one, r->fired[one.actor], r->counts[one.actor]);
    }
}

static void play_run(replay *r, const int64_t *counts, int64_t steady)
{
    r->counts = counts;
    r->steady = steady;
    play_ios(r, true);
    for (VEC_EACH(plan_kernel, k, &r->pl->kernels))
        for (VEC_EACH(plan_item, item, &k->items)) {
            if (item->cycle >= 0)
                play_cycle(r, item);
            else
                play_members(r, &item->stages.data[0]);
        }
    play_ios(r, false);
    for (size_t i = 0; i < r->m->actors.len; i++)
        r->fired[i] += counts[i];
    if (r->ok)
        shift(r, steady == 0);
}

// Items that a run with these counts looks at.
static int64_t run_items(const replay *r, const int64_t *counts)
{
    int64_t total = 0;
    for (VEC_EACH(plan_kernel, k, &r->pl->kernels))
        for (VEC_EACH(plan_item, item, &k->items))
            for (VEC_EACH(plan_stage, st, &item->stages)) {
                int64_t each = 1, all;
                if (st->in.buffer != PLAN_NONE)
                    each += plan_in_rate(r->m, st, false).peek;
                if (st->out.buffer != PLAN_NONE)
                    each += plan_out_rate(r->m, st, false);
                if (__builtin_mul_overflow(each, counts[st->actor], &all) ||
                    __builtin_mul_overflow(all, (int64_t)plan_stage_members(st), &all) ||
                    __builtin_add_overflow(total, all, &total) || total > REPLAY_ITEMS)
                    return REPLAY_ITEMS + 1;
            }
    return total;
}

static void init_replay(replay *r)
{
    size_t n = r->m->actors.len;
    r->base = ARENA_ARRAY(r->a, int64_t, r->pl->buffers.len + 1);
    r->fired = ARENA_ARRAY(r->a, int64_t, n + 1);
    r->weight_sums = ARENA_ARRAY(r->a, int64_t *, n + 1);
    for (size_t i = 0; i < n; i++) {
        const sir_actor *a = r->m->actors.data[i];
        if (a->kind != SIR_SPLIT && a->kind != SIR_JOIN)
            continue;
        r->weight_sums[i] = ARENA_ARRAY(r->a, int64_t, a->weights.len + 1);
        for (size_t k = 0; k < a->weights.len; k++)
            r->weight_sums[i][k + 1] = r->weight_sums[i][k] + a->weights.data[k];
    }
    r->buffers = ARENA_ARRAY(r->a, mark *, r->pl->buffers.len + 1);
    for (size_t i = 0; i < r->pl->buffers.len; i++) {
        int64_t capacity = r->pl->buffers.data[i].capacity;
        r->buffers[i] = ARENA_ARRAY(r->a, mark, (size_t)capacity);
        for (int64_t k = 0; k < capacity; k++)
            r->buffers[i][k].channel = PLAN_NONE;
    }
    r->zeros = ARENA_ARRAY(r->a, bool, r->pl->buffers.len + 1);
    for (size_t i = 0; i < r->pl->buffers.len; i++) {
        plan_zeros found;
        r->zeros[i] = plan_leaves_zeros_out(r->pl) &&
                      plan_find_zeros(r->a, r->pl, r->m, r->s, r->pl->buffers.data[i].channel, &found);
    }
    for (VEC_EACH(plan_initial, i, &r->pl->initials))
        for (size_t k = 0; k < r->m->channels.data[i->channel].initial.len; k++) {
            mark *at = element(r, &i->access, (int64_t)k, r->m->channels.data[i->channel].consumer);
            if (at != NULL)
                *at = (mark){i->channel, (int64_t)k};
        }
}

bool plan_replay(arena *a, diag_engine *d, const plan *pl, const sir_module *m, const schedule *s)
{
    arena *scratch = arena_create();
    replay r = {.a = scratch, .d = d, .pl = pl, .m = m, .s = s, .ok = true};
    (void)a;
    int64_t init = run_items(&r, s->init), steady = run_items(&r, s->reps), capacity = 0;
    for (VEC_EACH(plan_buffer, b, &pl->buffers))
        capacity += b->capacity;
    if (init + steady <= REPLAY_ITEMS && capacity <= REPLAY_CAPACITY) {
        init_replay(&r);
        play_run(&r, s->init, 0);
        // One steady state, then a strip of a few, then one again.
        int64_t most = pl->strip < 3 ? pl->strip : 3, *counts = ARENA_ARRAY(scratch, int64_t, m->actors.len + 1);
        for (int64_t n = 1; n <= most && r.ok && steady * (n + 1) <= REPLAY_ITEMS; n++) {
            for (size_t i = 0; i < m->actors.len; i++)
                counts[i] = n * s->reps[i];
            play_run(&r, counts, n);
        }
        if (r.ok && most > 1)
            play_run(&r, s->reps, 1);
    }
    arena_destroy(scratch);
    return r.ok;
}
