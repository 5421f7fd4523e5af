// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Findings from the order of events: kernels run while they may be pending, cycles of pending kernels, and two kernels
// at one end of a stream that may run at the same time.
#include <string.h>

#include "llc/check/model.h"

enum { WINDOW = 400 }; // runs looked back at

typedef struct orderer {
    checker *checker;
    unsigned thread;
    hmap pending;             // last run of each kernel that nothing has waited for: event
    VEC(const event *) since; // runs since the control thread last waited for anything
    hmap visited;
} orderer;

static const event *pending_run(const orderer *o, const node *kernel)
{
    return hmap_getn(&o->pending, &kernel, sizeof kernel);
}

static void set_pending(orderer *o, const node *kernel, const event *run)
{
    hmap_setn(&o->pending, &kernel, sizeof kernel, (void *)run);
}

static void forget_pending(orderer *o)
{
    hmap_init(&o->pending, o->checker->arena);
}

// ---- Dependences ----

// Whether `from` depends on `to`, perhaps through others, by what was said before an event.
static bool depends(orderer *o, const node *from, const node *to, const event *until)
{
    if (from == to)
        return true;
    if (hmap_getn(&o->visited, &from, sizeof from) != NULL)
        return false;
    hmap_setn(&o->visited, &from, sizeof from, o);
    size_t i = 0;
    for (const event *e; (e = next_about(o->checker, from, &i)) != NULL;)
        if (e->kind == EVENT_DEPEND && e < until &&
            (e->other == NULL || e->other->vague || depends(o, e->other, to, until)))
            return true;
    return false;
}

static bool ordered(orderer *o, const event *first, const event *second)
{
    hmap_init(&o->visited, o->checker->arena);
    return depends(o, second->object, first->object, second);
}

// What a wait for a kernel shows to be over: it, and all that it depends on.
static void end_waited(orderer *o, const node *kernel, const event *wait)
{
    const event *run = kernel == NULL || kernel->vague ? NULL : pending_run(o, kernel);
    if (run == NULL || run->unknown_streams || run->streams.len > 0) {
        forget_pending(o);
        return;
    }
    set_pending(o, kernel, NULL);
    size_t i = 0;
    for (const event *e; (e = next_about(o->checker, kernel, &i)) != NULL;)
        if (e->kind == EVENT_DEPEND && e->object == kernel && e < wait &&
            (e->other == NULL || pending_run(o, e->other) != NULL))
            end_waited(o, e->other, wait);
}

// ---- Cycles ----

// Whether kernels that were run after `start`'s last run, and are pending, wait for it: the path from `kernel`.
static bool waits_for(orderer *o, const node *kernel, const event *start, const event *until)
{
    if (hmap_getn(&o->visited, &kernel, sizeof kernel) != NULL)
        return false;
    hmap_setn(&o->visited, &kernel, sizeof kernel, o);
    size_t i = 0;
    for (const event *e; (e = next_about(o->checker, kernel, &i)) != NULL;) {
        if (e->kind != EVENT_DEPEND || e->object != kernel || e >= until || e->other == NULL || e->other->vague ||
            !contexts_meet(e->context, until->context))
            continue;
        const event *run = pending_run(o, e->other);
        bool back = e->other == start->object && kernel != start->object && e < pending_run(o, kernel);
        if (back || (run != NULL && run > start && e->other != start->object && waits_for(o, e->other, start, run)))
            return true;
    }
    return false;
}

static bool may_pause(const checker *c, const event *run, const event *until)
{
    if (run->class == NULL || run->class->pauses)
        return true;
    size_t i = 0;
    for (const event *e; (e = next_about(c, run->object, &i)) != NULL;)
        if (e->kind == EVENT_PAUSE && e > run && e < until)
            return true;
    return false;
}

// A kernel is run that was run before, and that nothing has waited for since.
static void check_again(orderer *o, const event *run)
{
    checker *c = o->checker;
    const event *before = pending_run(o, run->object);
    if (before == NULL || !contexts_meet(before->context, run->context))
        return;
    diag_record *d;
    if (!may_pause(c, before, run)) {
        d = warn(c, WARN_CHECK_PENDING, run, "kernel '%s' is run again, and nothing has waited for its last run",
                 node_text(c, run->object));
    } else {
        hmap_init(&o->visited, c->arena);
        if (!waits_for(o, run->object, before, run))
            return;
        d = warn(c, WARN_CHECK_CYCLE, run, "kernel '%s' goes on only after kernels that wait for it",
                 node_text(c, run->object));
    }
    if (before->at.begin != run->at.begin || before->at.file != run->at.file)
        diag_add_note(c->session->diag, d, before->at, "its last run is here");
}

// ---- Two kernels at the same time ----

static void check_ends(orderer *o, const event *first, const event *second)
{
    checker *c = o->checker;
    for (VEC_EACH(const stream_use, a, &first->streams))
        for (VEC_EACH(const stream_use, b, &second->streams)) {
            unsigned shared = a->role & b->role;
            if (a->stream != b->stream || a->stream->vague || shared == 0)
                continue;
            diag_record *d = warn(c, WARN_CHECK_ENDS, second,
                                  "kernels '%s' and '%s' both %s stream '%s', and may run at the same time",
                                  node_text(c, first->object), node_text(c, second->object),
                                  shared & ROLE_PRODUCER ? "push to" : "pop from", node_text(c, a->stream));
            diag_add_note(c->session->diag, d, first->at, "'%s' is run here", node_text(c, first->object));
        }
}

static void check_pairs(orderer *o, const event *run)
{
    size_t first = o->since.len > WINDOW ? o->since.len - WINDOW : 0;
    for (size_t i = first; i < o->since.len; i++) {
        const event *other = o->since.data[i];
        if (other->object == run->object || other->streams.len == 0 || run->streams.len == 0 ||
            !contexts_meet(other->context, run->context) || ordered(o, other, run))
            continue;
        check_ends(o, other, run);
    }
}

// ---- Events ----

static void take_event(orderer *o, const event *e)
{
    switch (e->kind) {
    case EVENT_RUN:
        if (e->object == NULL || e->object->vague)
            return;
        check_again(o, e);
        check_pairs(o, e);
        set_pending(o, e->object, e);
        VEC_PUSH(o->checker->arena, &o->since, e);
        break;
    case EVENT_WAIT:
        o->since.len = 0;
        // A kernel that pauses is still pending when a wait for it returns.
        if (e->object != NULL && pending_run(o, e->object) != NULL &&
            may_pause(o->checker, pending_run(o, e->object), e))
            break;
        end_waited(o, e->object, e);
        break;
    case EVENT_ASK:
        o->since.len = 0;
        if (e->object == NULL || e->object->vague || pending_run(o, e->object) != NULL)
            end_waited(o, e->object, e);
        break;
    case EVENT_CONTROL_IO:
        o->since.len = 0;
        forget_pending(o);
        break;
    case EVENT_END:
        o->since.len = 0;
        if (e->object != NULL)
            set_pending(o, e->object, NULL);
        break;
    case EVENT_KERNEL: // once more: it was over, or that is the error
        if (e->object != NULL)
            set_pending(o, e->object, NULL);
        break;
    case EVENT_PAUSE: o->since.len = 0; break;
    default: break;
    }
}

void find_order(checker *c)
{
    for (unsigned thread = 0; thread < c->threads; thread++) {
        orderer o = {.checker = c, .thread = thread};
        forget_pending(&o);
        for (VEC_EACH(const event, e, &c->events))
            if (e->thread == thread)
                take_event(&o, e);
    }
}
