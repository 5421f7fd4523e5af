// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transfers: from a description to messages that go from stage to stage.
#include "sim/internal.h"

static void pump(sim *s, sim_job *job);

// ---- Pools ----

#define TAKE(s, list, type) ((s)->list != NULL ? take_##type((s)) : ARENA_NEW((s)->arena, type))

static sim_job *take_sim_job(sim *s)
{
    sim_job *job = s->free_jobs;
    s->free_jobs = job->next;
    return job;
}

static sim_message *take_sim_message(sim *s)
{
    sim_message *m = s->free_messages;
    s->free_messages = m->next;
    return m;
}

static sim_visit *take_sim_visit(sim *s)
{
    sim_visit *v = s->free_visits;
    s->free_visits = v->next;
    return v;
}

static void drop_hold(sim *s, sim_message *m)
{
    if (--m->holds > 0)
        return;
    sim_job *job = m->job;
    m->next = s->free_messages;
    s->free_messages = m;
    if (--job->messages > 0 || job->unsent > 0)
        return;
    job->next = s->free_jobs;
    s->free_jobs = job;
}

void sim_visit_ends(sim *s, sim_visit *v)
{
    sim_message *m = v->message;
    v->next = s->free_visits;
    s->free_visits = v;
    drop_hold(s, m);
}

// ---- From stage to stage ----

sim_time sim_stage_time(const sim *s, const sim_job *job, size_t stage, uint64_t bytes)
{
    const sim_stage *at = &job->route->stages[stage];
    if (at->kind == STAGE_LINK)
        return sim_link_data_time(s->links[at->resource].link, bytes);
    const sim_side *side = at->target ? &job->t.to : &job->t.from;
    size_t memory = at->resource % s->machine->memories.len;
    return sim_side_time(s, memory, side, bytes, job->engine != NULL);
}

static void visit(sim *s, void *context)
{
    sim_visit *v = context;
    v->requested = s->now;
    v->next = NULL;
    if (v->message->job->route->stages[v->stage].kind == STAGE_LINK)
        sim_visit_link(s, v);
    else
        sim_visit_memory(s, v);
}

static sim_visit *new_visit(sim *s, sim_message *m, size_t stage)
{
    sim_visit *v = TAKE(s, free_visits, sim_visit);
    *v = (sim_visit){.message = m, .stage = stage};
    m->holds++;
    return v;
}

static void message_arrives(sim *s, void *context)
{
    sim_message *m = context;
    sim_job *job = m->job;
    if (--job->to_arrive == 0 && job->unsent == 0) {
        const sim_side *to = &job->t.to;
        if (s->page_caches != NULL && to->address != 0 && to->access == SIM_SEQUENTIAL)
            sim_overwritten(s, to->element, to->address, job->t.bytes);
        if (job->t.arrived != NULL)
            job->t.arrived(s, job->t.context);
    }
    drop_hold(s, m);
}

// The next stage is asked for when the first byte is there, but so late that it does not wait for the last one in the
// middle: what is slower than a link is collected before the link.
void sim_visit_begins(sim *s, sim_visit *v, sim_time head, sim_time tail)
{
    sim_message *m = v->message;
    const sim_route *route = m->job->route;
    if (v->stage + 1 == route->count) {
        m->holds++;
        sim_at(s, tail, message_arrives, m);
        return;
    }
    sim_time at = tail;
    if (!route->stages[v->stage].store_and_forward) {
        sim_time in_time = tail - sim_stage_time(s, m->job, v->stage + 1, m->bytes);
        at = in_time > head ? in_time : head;
    }
    sim_at(s, at, visit, new_visit(s, m, v->stage + 1));
}

// ---- Engines ----

static void accept_next(sim *s, sim_engine *e)
{
    sim_job *job = e->unaccepted;
    // One is worked on, depth others wait.
    if (job == NULL || (e->depth != MACHINE_UNBOUNDED && e->accepted > e->depth))
        return;
    e->unaccepted = job->next;
    e->accepted++;
    if (job->t.accepted != NULL)
        sim_at(s, s->now, job->t.accepted, job->t.context);
}

static void send_message(sim *s, sim_job *job)
{
    sim_message *m = TAKE(s, free_messages, sim_message);
    uint64_t bytes = job->unsent < job->piece ? job->unsent : job->piece;
    job->unsent -= bytes;
    job->messages++;
    job->to_arrive++;
    job->pace->under_way++;
    job->pace->source_busy = true;
    *m = (sim_message){.job = job, .bytes = bytes, .last = job->unsent == 0, .begun = s->now};
    sim_at(s, s->now, visit, new_visit(s, m, 0));
}

static bool may_send(const sim_pace *pace)
{
    return !pace->source_busy && pace->under_way < SIM_MESSAGES_UNDER_WAY;
}

static void pump_engine(sim *s, sim_engine *e)
{
    while (e->first != NULL && may_send(&e->pace)) {
        sim_job *job = e->first;
        if (job->unsent <= job->piece) { // its last message: the next job's turn
            e->first = job->next;
            e->accepted--;
        }
        send_message(s, job);
        accept_next(s, e);
    }
}

static void pump(sim *s, sim_job *job)
{
    if (job->engine != NULL)
        pump_engine(s, job->engine);
    else if (job->unsent > 0 && may_send(job->pace))
        send_message(s, job);
}

void sim_source_left(sim *s, sim_message *m)
{
    sim_job *job = m->job;
    job->pace->source_busy = false;
    if (m->last && job->t.sent != NULL)
        job->t.sent(s, job->t.context);
    pump(s, job);
}

void sim_engine_left(sim *s, sim_message *m)
{
    sim_job *job = m->job;
    sim_engine *e = job->engine;
    job->pace->under_way--;
    if (e != NULL) {
        sim_time begin = m->begun > e->busy_until ? m->begun : e->busy_until;
        sim_occupy(s, e->element, begin, s->now, SIM_TRANSFER, job->t.label);
        e->busy_until = s->now;
    }
    pump(s, job);
}

static void enqueue(sim *s, sim_engine *e, sim_job *job)
{
    job->next = NULL;
    if (e->first == NULL)
        e->first = job;
    else
        e->last->next = job;
    e->last = job;
    if (e->unaccepted == NULL)
        e->unaccepted = job;
    accept_next(s, e);
    pump_engine(s, e);
}

bool sim_engine_full(const sim *s, sim_element engine)
{
    const sim_engine *e = s->processors[sim_processor_at(s, engine)].engine;
    return e != NULL && e->depth != MACHINE_UNBOUNDED && e->accepted > e->depth;
}

// ---- Starting ----

static uint64_t piece_of(const sim *s, const sim_transfer *t, const sim_route *route)
{
    uint64_t piece = route->largest;
    if (t->engine.index == SIZE_MAX)
        return piece;
    const machine_processor *p = &s->machine->processors.data[t->engine.index];
    uint64_t own = p->largest_transfer;
    if (own != MACHINE_UNBOUNDED && p->transfer_alignment > 1 && own > p->transfer_alignment)
        own -= own % p->transfer_alignment;
    return own < piece ? own : piece;
}

static bool known(sim *s, const sim_transfer *t)
{
    if (!sim_known(s, t->from.element) || !sim_known(s, t->to.element) ||
        (t->engine.index != SIZE_MAX && !sim_known(s, t->engine)))
        return false;
    if (t->link != SIM_ROUTED && t->link >= s->machine->links.len) {
        sim_fail(s, "internal error: there is no such link of the machine");
        return false;
    }
    if (t->engine.index != SIZE_MAX && s->processors[sim_processor_at(s, t->engine)].engine == NULL) {
        sim_fail(s, "internal error: processor '%s' drives a transfer and is no DMA engine",
                 sim_element_name(s, t->engine));
        return false;
    }
    return true;
}

// Whether the engine makes transfers of this kind: moves, or records at a distance or anywhere on either side.
static bool can_make(sim *s, const sim_transfer *t)
{
    if (t->engine.index == SIZE_MAX)
        return true;
    static const machine_transfer kinds[] = {[SIM_SEQUENTIAL] = MACHINE_transfer_MOVE,
                                             [SIM_STRIDED] = MACHINE_transfer_STRIDED,
                                             [SIM_RANDOM] = MACHINE_transfer_INDEXED};
    static const char *const words[] = {"contiguous", "strided", "indexed"};
    sim_access access = t->from.access > t->to.access ? t->from.access : t->to.access;
    if (s->machine->processors.data[t->engine.index].transfer_kinds >> kinds[access] & 1)
        return true;
    sim_fail(s, "DMA engine '%s' makes no %s transfers", sim_element_name(s, t->engine), words[access]);
    return false;
}

// A transfer without bytes or stages: all that is asked for happens now.
static void complete_at_once(sim *s, const sim_transfer *t)
{
    if (t->accepted != NULL)
        sim_at(s, s->now, t->accepted, t->context);
    if (t->sent != NULL)
        sim_at(s, s->now, t->sent, t->context);
    if (t->arrived != NULL)
        sim_at(s, s->now, t->arrived, t->context);
}

bool sim_start(sim *s, const sim_transfer *t)
{
    if (s->failure != NULL || !known(s, t) || !can_make(s, t))
        return false;
    const sim_route *route = sim_find_route(s, t);
    if (route->problem != NULL) {
        sim_fail(s, "%s", route->problem);
        return false;
    }
    if (t->bytes == 0 || route->count == 0) {
        complete_at_once(s, t);
        return true;
    }
    if (s->page_caches != NULL && sim_waits_for_pages(s, t))
        return true;
    sim_job *job = TAKE(s, free_jobs, sim_job);
    *job = (sim_job){.t = *t, .route = route, .unsent = t->bytes, .piece = piece_of(s, t, route)};
    if (t->engine.index != SIZE_MAX)
        job->engine = s->processors[sim_processor_at(s, t->engine)].engine;
    job->pace = job->engine != NULL ? &job->engine->pace : &job->own;
    if (job->engine != NULL) {
        enqueue(s, job->engine, job);
        return true;
    }
    if (t->accepted != NULL)
        sim_at(s, s->now, t->accepted, t->context);
    pump(s, job);
    return true;
}

bool sim_can_start(sim *s, const sim_transfer *t, strbuf *why)
{
    if (s->failure != NULL || !known(s, t))
        return false;
    const sim_route *route = sim_find_route(s, t);
    if (route->problem != NULL && why != NULL)
        strbuf_add(why, route->problem);
    return route->problem == NULL;
}
