// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Links: a queue of messages, channels, and interfaces that send one and receive one message at a time.
#include <math.h>

#include "sim/internal.h"

static sim_time time_on(const machine_link *link, machine_time t)
{
    return t.amount < 0 ? 0 : sim_from_seconds(machine_seconds(t, link->clock));
}

// A message takes whole units of the link's alignment.
static double padded(const machine_link *link, uint64_t bytes)
{
    double unit = link->alignment == 0 ? 1 : (double)link->alignment;
    return ceil((double)bytes / unit) * unit;
}

sim_time sim_link_data_time(const machine_link *link, uint64_t bytes)
{
    double seconds = padded(link, bytes) / link->bandwidth.bytes;
    if (link->bandwidth.per_cycle) // whole cycles, as in the ASM
        seconds = floor(seconds) / link->clock;
    return sim_add(time_on(link, link->start_cost), sim_from_seconds(seconds));
}

// ---- Messages ----

static bool can_pass(const sim_link_state *l, const sim_interface *from, const sim_interface *to)
{
    if (l->link->duplex == MACHINE_duplex_HALF)
        return !from->sending && !from->receiving && !to->sending && !to->receiving;
    return !from->sending && !to->receiving;
}

static void dispatch(sim *s, sim_link_state *l);

static sim_link_state *link_of(sim *s, const sim_visit *v)
{
    return &s->links[v->message->job->route->stages[v->stage].resource];
}

static void source_left(sim *s, void *context)
{
    sim_source_left(s, ((sim_visit *)context)->message);
}

static void channel_is_free(sim *s, void *context)
{
    sim_visit *v = context;
    sim_message *m = v->message;
    const sim_route *route = m->job->route;
    const sim_lane *lane = route->stages[v->stage].lane;
    sim_link_state *l = link_of(s, v);
    sim_interface *from = &l->interfaces.data[lane->from], *to = &l->interfaces.data[lane->to];
    sim_time occupied = s->now - v->begun;
    l->channel_busy[v->channel] = false;
    l->channels_busy--;
    from->sending = to->receiving = false;
    l->channel_time[v->channel] += occupied;
    from->send_time += occupied;
    to->receive_time += occupied;
    l->waited = sim_add(l->waited, v->begun - v->requested);
    l->messages++;
    l->bytes += m->bytes;
    sim_note_message(s, l->row + v->channel, v->begun, s->now, m->job->t.label, m->bytes);
    if (v->stage == route->first_link)
        sim_engine_left(s, m);
    sim_visit_ends(s, v);
    dispatch(s, l);
}

static void begin(sim *s, sim_link_state *l, sim_visit *v)
{
    const sim_message *m = v->message;
    const sim_lane *lane = m->job->route->stages[v->stage].lane;
    sim_interface *from = &l->interfaces.data[lane->from], *to = &l->interfaces.data[lane->to];
    sim_time data = sim_link_data_time(l->link, m->bytes), latency = time_on(l->link, l->link->start_latency);
    sim_time start = time_on(l->link, l->link->start_cost), finish = time_on(l->link, l->link->finish_cost);
    sim_time occupied = sim_add(data, finish), sent = sim_add(s->now, data), end = sim_add(s->now, occupied);
    for (v->channel = 0; l->channel_busy[v->channel];)
        v->channel++;
    l->channel_busy[v->channel] = true;
    l->channels_busy++;
    from->sending = to->receiving = true;
    v->begun = s->now;
    if (v->stage == 0)
        sim_at(s, sent, source_left, v);
    sim_visit_begins(s, v, sim_add(s->now, sim_add(latency, start)), sim_add(sent, latency));
    sim_at(s, end, channel_is_free, v);
}

// The place among the waiting lanes of the one whose first message has waited longest among those that can pass;
// SIZE_MAX: none can.
static size_t next_lane(const sim_link_state *l)
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < l->waiting.len; i++) {
        const sim_lane *lane = l->waiting.data[i];
        if (can_pass(l, &l->interfaces.data[lane->from], &l->interfaces.data[lane->to]) &&
            (best == SIZE_MAX || lane->first->order < l->waiting.data[best]->first->order))
            best = i;
    }
    return best;
}

// Begins every message that can: the first in the queue that finds its interfaces free takes a free channel.
static void dispatch(sim *s, sim_link_state *l)
{
    while (l->waiting.len > 0 && l->channels_busy < l->link->channels) {
        size_t at = next_lane(l);
        if (at == SIZE_MAX)
            return;
        sim_lane *lane = l->waiting.data[at];
        sim_visit *v = lane->first;
        lane->first = v->next;
        if (lane->first == NULL)
            l->waiting.data[at] = l->waiting.data[--l->waiting.len];
        l->queued--;
        begin(s, l, v);
    }
}

// A link for one stream serves the first that comes.
static bool stream_may_pass(sim *s, sim_link_state *l, const sim_job *job)
{
    const void *stream = job->t.stream != NULL ? job->t.stream : job;
    if (l->link->multiplexed || l->stream == stream)
        return true;
    const char *label = job->t.label == NULL ? "a transfer" : job->t.label;
    if (l->stream != NULL) {
        sim_fail(s,
                 "link '%s' carries one stream only ('multiplexed: false' in the machine file): '%s' uses it, so '%s' "
                 "cannot",
                 sim_link_name(s, (size_t)(l - s->links)), l->stream_label, label);
        return false;
    }
    l->stream = stream;
    l->stream_label = label;
    return true;
}

void sim_visit_link(sim *s, sim_visit *v)
{
    sim_link_state *l = link_of(s, v);
    if (!stream_may_pass(s, l, v->message->job))
        return;
    sim_lane *lane = v->message->job->route->stages[v->stage].lane;
    v->order = l->visits++;
    if (lane->first == NULL) {
        lane->first = v;
        VEC_PUSH(s->arena, &l->waiting, lane);
    } else {
        lane->last->next = v;
    }
    lane->last = v;
    if (++l->queued > l->longest)
        l->longest = l->queued;
    dispatch(s, l);
}
