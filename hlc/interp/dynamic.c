// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Filters with dynamic rates: what they need to fire or to go on, and who waits for whom when nothing can.
//
// NOTE(bounds). The language's channels are unbounded; in programs with dynamic rates each has a bound here all the same,
// at which its producer waits, within a firing if it is a dynamic-rate actor. When nothing can fire, an actor that has to waits for
// one thing: room, items, or a message, and so for the actor at the other end. These waits lead round in a cycle, or to
// an actor that has done all that it can in this phase. The smallest full channel of the cycle, or else of the way there,
// then gets twice its bound; where a bounded schedule exists no channel so grows beyond twice what it needs.
#include <string.h>

#include "hlc/interp/interp_int.h"

static word *new_frame(interp *r, const vm_function *f)
{
    size_t constants = f->constants.len;
    word *frame = ARENA_ARRAY(r->arena, word, constants + (size_t)f->frame_words + 1) + constants;
    for (size_t i = 0; i < constants; i++)
        frame[-1 - (ptrdiff_t)i] = f->constants.data[i];
    return frame;
}

vm_dynamic *interp_dynamic_build(interp *r, vm_actor *a)
{
    vm_dynamic *dynamic = ARENA_NEW(r->arena, vm_dynamic);
    dynamic->machine = (vm){.program = &r->program, .arena = r->arena, .interp = r, .dynamic = dynamic};
    dynamic->interp = r;
    dynamic->in = a->in_count > 0 ? a->in[0].channel : SIR_NONE;
    dynamic->out = a->out_count > 0 ? a->out[0].channel : SIR_NONE;
    dynamic->frame[0] = new_frame(r, a->work);
    if (a->prework != NULL)
        dynamic->frame[1] = new_frame(r, a->prework);
    return dynamic;
}

static int64_t items_in(const interp *r, uint32_t channel)
{
    return channel == SIR_NONE ? 0 : interp_items_in(&r->channels[channel]);
}

static const vm_function *next_function(const vm_actor *a)
{
    return !a->fired && a->prework != NULL ? a->prework : a->work;
}

// A firing begins when there are as many items as it has at least; when it declares none, one must be there before the
// end of input, so that a filter that could fire for ever waits for what it is fed with.
static int64_t items_to_begin(const interp *r, const vm_actor *a)
{
    const sir_function *f = next_function(a)->source;
    int64_t least = f->peek.min > f->pop.min ? f->peek.min : f->pop.min;
    bool takes = f->pop.max != 0 || f->peek.max != 0;
    return least == 0 && takes && !r->draining ? 1 : least;
}

static bool has_room(const interp *r, uint32_t channel)
{
    vm_channel *c = &r->channels[channel];
    bool room = interp_room_in(c) > 0;
    c->too_full |= !room;
    return room;
}

int64_t interp_dynamic_can_fire(const interp *r, const vm_actor *a, int64_t left)
{
    const vm_dynamic *dynamic = a->dynamic;
    int64_t have = items_in(r, dynamic->in);
    if (dynamic->stopped && dynamic->wanted == 0)
        return has_room(r, dynamic->out);
    if (dynamic->stopped)
        return have >= dynamic->wanted;
    if (left == 0 || (left < 0 && dynamic->in == SIR_NONE) || have < items_to_begin(r, a))
        return 0;
    return left > 0 || !dynamic->idle || have > dynamic->idle_items;
}

// A firing of the work that took and gave nothing is tried again once an item: it counts the items that it began with,
// however many more had come, so that how often it fires depends on the items alone and on no schedule. Firings that give
// and take nothing begin with as many as the one before.
static void note_idle(const interp *r, vm_dynamic *dynamic, const sir_function *f)
{
    int64_t again = dynamic->idle_items + dynamic->idle; // it began with, if no more was popped since
    bool idle = dynamic->popped == 0 && dynamic->pushed == 0;
    if (idle) {
        int64_t least = f->peek.min > f->pop.min ? f->peek.min : f->pop.min;
        int64_t began = least > 0 ? least : 1, have = items_in(r, dynamic->in);
        began = began < again ? again : began;
        again = began < have ? began : have;
    }
    dynamic->idle_items = dynamic->popped > 0 ? 0 : again;
    dynamic->idle = idle;
}

int64_t interp_dynamic_fire(interp *r, vm_actor *a)
{
    vm_dynamic *dynamic = a->dynamic;
    vm *v = &dynamic->machine;
    vm_function *f = !a->fired && a->prework != NULL ? a->prework : a->work;
    const sir_function *source = f->source;
    v->pop = dynamic->in == SIR_NONE ? 0 : source->pop.max;
    v->peek = dynamic->in == SIR_NONE                                                               ? 0
              : source->peek.max >= 0 && source->pop.max >= 0 && source->peek.max < source->pop.max ? source->pop.max
                                                                                                    : source->peek.max;
    v->push = dynamic->out == SIR_NONE ? 0 : source->push.max;
    v->in_item = dynamic->in == SIR_NONE ? 1 : r->channels[dynamic->in].item;
    v->out_item = dynamic->out == SIR_NONE ? 1 : r->channels[dynamic->out].item;
    v->operations = r->machine.operations;
    bool ok = vm_execute(v, a, f, 1);
    r->machine.operations = v->operations;
    if (!ok)
        return -1;
    if (dynamic->stopped)
        return 0;
    a->fired = true;
    if (f == a->work) // which may well do more than a prework
        note_idle(r, dynamic, source);
    return 1;
}

// ---- Who waits for whom ----

// Of an actor that fires as its input allows, if its last firing did nothing: one item more than that began with.
static int64_t items_to_go_on(const interp *r, const vm_actor *a)
{
    const vm_dynamic *dynamic = a->dynamic;
    int64_t least = items_to_begin(r, a);
    bool again = dynamic->idle && r->left[a - r->actors] < 0;
    return again && dynamic->idle_items >= least ? dynamic->idle_items + 1 : least;
}

// How many items more an actor needs to go on, and from which channel; SIR_NONE: it waits for nothing.
static uint32_t waits_for(const interp *r, const vm_actor *a, int64_t *need)
{
    bool first = !a->fired && a->prework != NULL;
    for (uint32_t i = 0; i < a->in_count; i++) {
        const vm_port *in = &a->in[i];
        if (in->channel == SIR_NONE)
            continue;
        int64_t least = a->dynamic == NULL    ? (first ? in->first_peek : in->peek)
                        : a->dynamic->stopped ? a->dynamic->wanted
                                              : items_to_go_on(r, a);
        *need = least - items_in(r, in->channel);
        if (*need > 0)
            return in->channel;
    }
    return SIR_NONE;
}

// The channel in which an actor needs more room to go on, though it has what it takes; SIR_NONE: there is none.
static uint32_t waits_for_room(const interp *r, const vm_actor *a)
{
    bool first = !a->fired && a->prework != NULL;
    if (a->dynamic != NULL && (!a->dynamic->stopped || a->dynamic->wanted > 0)) // it begins without
        return SIR_NONE;
    for (uint32_t i = 0; i < a->out_count; i++) {
        const vm_port *out = &a->out[i];
        int64_t push = a->dynamic != NULL ? 1 : first ? out->first_push : out->push;
        if (out->channel != SIR_NONE && push > interp_room_in(&r->channels[out->channel]))
            return out->channel;
    }
    return SIR_NONE;
}

// What an actor that cannot fire waits for.
typedef struct wait {
    uint32_t full;  // a channel with too little room, or SIR_NONE
    uint32_t other; // actor; SIR_NONE: nothing
} wait;

static wait wait_of(const interp *r, uint32_t actor)
{
    const vm_actor *a = &r->actors[actor];
    int64_t items;
    bool stopped = a->dynamic != NULL && a->dynamic->stopped;
    if (r->left[actor] == 0 && !stopped)
        return (wait){SIR_NONE, SIR_NONE};
    if (!stopped || a->dynamic->wanted > 0) {
        uint32_t channel = waits_for(r, a, &items);
        if (channel != SIR_NONE)
            return (wait){SIR_NONE, r->m->channels.data[channel].producer};
    }
    uint32_t sender = r->no_more_sends || stopped ? SIR_NONE : interp_awaited_sender(r, actor);
    if (sender != SIR_NONE)
        return (wait){SIR_NONE, sender};
    uint32_t full = waits_for_room(r, a);
    return (wait){full, full == SIR_NONE ? SIR_NONE : r->m->channels.data[full].consumer};
}

static uint32_t other_of(const interp *r, uint32_t actor)
{
    return actor == SIR_NONE ? SIR_NONE : wait_of(r, actor).other;
}

static uint32_t smaller(const interp *r, uint32_t a, uint32_t b)
{
    if (a == SIR_NONE || b == SIR_NONE)
        return a == SIR_NONE ? b : a;
    return r->channels[b].bound < r->channels[a].bound ? b : a;
}

// The smallest full channel on the way from an actor until `end` (SIR_NONE: as far as it goes).
static uint32_t smallest_until(const interp *r, uint32_t actor, uint32_t end)
{
    uint32_t best = SIR_NONE;
    do {
        wait n = wait_of(r, actor);
        best = smaller(r, best, n.full);
        actor = n.other;
    } while (actor != SIR_NONE && actor != end);
    return best;
}

// The channel that must take more for an actor to go on; SIR_NONE: that would not help it.
static uint32_t in_the_way(const interp *r, uint32_t actor)
{
    uint32_t slow = actor, fast = actor; // they meet if there is a cycle, on it
    do {
        slow = other_of(r, slow);
        fast = other_of(r, other_of(r, fast));
    } while (fast != SIR_NONE && fast != slow);
    uint32_t best = fast == SIR_NONE ? SIR_NONE : smallest_until(r, fast, fast);
    return best == SIR_NONE ? smallest_until(r, actor, fast) : best;
}

bool interp_grow_channel(interp *r)
{
    uint32_t best = SIR_NONE;
    for (uint32_t i = 0; i < r->m->actors.len; i++)
        if (r->draining ? wait_of(r, i).full != SIR_NONE : r->left[i] > 0)
            best = smaller(r, best, in_the_way(r, i));
    if (best != SIR_NONE)
        r->channels[best].bound =
            r->channels[best].bound > VM_MAX_CHANNEL_WORDS ? VM_UNBOUNDED : 2 * r->channels[best].bound;
    return best != SIR_NONE;
}

// ---- Deadlock ----

// The actor that another one waits for, and in what words; SIR_NONE: it waits for nothing.
static uint32_t awaited(const interp *r, uint32_t actor, const char **text)
{
    int64_t need;
    uint32_t channel = waits_for(r, &r->actors[actor], &need);
    const char *name = r->m->actors.data[actor]->name;
    if (channel == SIR_NONE) {
        uint32_t sender = interp_awaited_sender(r, actor);
        if (sender != SIR_NONE)
            *text = arena_printf(r->arena, "'%s' waits for '%s' to fire, which may send it a message that is due", name,
                                 r->m->actors.data[sender]->name);
        return sender;
    }
    uint32_t from = r->m->channels.data[channel].producer;
    *text = arena_printf(r->arena, "'%s' waits for %lld item%s more from '%s'", name, (long long)need,
                         need == 1 ? "" : "s", r->m->actors.data[from]->name);
    return from;
}

static src_range range_of(const interp *r, uint32_t actor)
{
    const sir_actor *a = r->m->actors.data[actor];
    sir_loc loc = a->loc.line == 0 && a->kind == SIR_FILTER ? a->filter->loc : a->loc;
    return sir_range(r->m, r->d->sources, loc);
}

// Whether what an actor waits for comes at no time, whatever steady states follow: those that wait for each other in a
// circle, or for an actor that fires in no steady state. Walks are numbered; one comes no further than an earlier one of
// this phase, which had an end.
static bool waits_for_ever(interp *r, uint32_t actor, uint64_t earlier)
{
    const uint64_t walk = ++r->walks;
    for (;;) {
        if (r->walked[actor] > earlier)
            return r->walked[actor] == walk;
        r->walked[actor] = walk;
        uint32_t other = other_of(r, actor);
        if (other == SIR_NONE)
            return r->left[actor] == 0 && r->s->reps[actor] == 0;
        actor = other;
    }
}

uint32_t interp_stuck(interp *r)
{
    const uint64_t earlier = r->walks;
    for (uint32_t i = 0; i < r->m->actors.len; i++)
        if (r->left[i] > 0 && (!r->s->dynamic || waits_for_ever(r, i, earlier)))
            return i;
    return SIR_NONE;
}

void interp_report_deadlock(interp *r, uint32_t stuck)
{
    uint32_t first = stuck;
    const char *text;
    while (first < r->m->actors.len && (r->left[first] <= 0 || awaited(r, first, &text) == SIR_NONE))
        first++;
    if (first == r->m->actors.len)
        for (first = 0; r->left[first] <= 0; first++)
            continue;
    bool *seen = ARENA_ARRAY(r->arena, bool, r->m->actors.len);
    diag_record *error = NULL;
    // From each actor to the one that it waits for, until one is met again or waits for nothing.
    for (uint32_t a = first; !seen[a];) {
        seen[a] = true;
        uint32_t from = awaited(r, a, &text);
        const char *name = r->m->actors.data[a]->name;
        if (from == SIR_NONE) {
            if (error == NULL)
                error =
                    diag_error(r->d, range_of(r, a), "deadlock: '%s' has firings left and nothing to wait for", name);
            else
                diag_add_note(r->d, error, range_of(r, a), "'%s' has done all that it can", name);
            break;
        }
        if (error == NULL)
            error = diag_error(r->d, range_of(r, a), "deadlock: %s", text);
        else
            diag_add_note(r->d, error, range_of(r, a), "%s", text);
        a = from;
    }
}
