// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memories: how long accesses take, and serving them in order.
#include "sim/internal.h"

enum { WORD = 4, WIDEST_WORD = 16 };

// Only control processors have this cache: engines reach the memory past it.
static bool is_controls_own(const machine *m, size_t cache)
{
    bool control = false;
    for (VEC_EACH(const machine_processor, p, &m->processors)) {
        if (!machine_refers(&p->caches, MACHINE_MEMORY, cache))
            continue;
        if (p->kind != MACHINE_processor_kind_CONTROL)
            return false;
        control = true;
    }
    return control;
}

// The fewest bytes that a random access costs as much as: those that the file's random bandwidth is of. A line where the
// memory is a cache or is behind one, else what the memory aligns objects to, but at most a vector.
static uint64_t granule_of(const machine *m, const machine_memory *memory, bool engine)
{
    if (memory->kind != MACHINE_memory_kind_RAM)
        return memory->line < WORD ? WORD : memory->line;
    uint64_t granule = memory->alignment < WORD ? WORD : memory->alignment;
    if (granule > WIDEST_WORD)
        granule = WIDEST_WORD;
    for (VEC_EACH(const machine_memory, cache, &m->memories))
        if (cache->kind == MACHINE_memory_kind_CACHE && cache->backing.index == (size_t)(memory - m->memories.data) &&
            cache->line > granule && !(engine && is_controls_own(m, (size_t)(cache - m->memories.data))))
            granule = cache->line;
    return granule;
}

static uint64_t round_up(uint64_t n, uint64_t unit)
{
    uint64_t rest = unit == 0 ? 0 : n % unit;
    return rest == 0 || n > UINT64_MAX - (unit - rest) ? n : n + (unit - rest);
}

// Random records: the first granule of each at random bandwidth, what follows it in order. Strided ones can be
// foreseen: they waste the rest of their granules and no more, unless random access is faster still.
static double access_seconds(const machine *all, size_t memory, sim_access access, uint64_t record, uint64_t bytes,
                             bool engine)
{
    const machine_memory *m = &all->memories.data[memory];
    double in_order = machine_bytes_per_second(m->sequential, m->clock);
    double anywhere = m->random.bytes > 0 ? machine_bytes_per_second(m->random, m->clock) : in_order;
    if (m->kind == MACHINE_memory_kind_FIFO)
        return (double)round_up(bytes, m->line) / in_order;
    if (access == SIM_SEQUENTIAL || bytes == 0)
        return (double)bytes / in_order;
    uint64_t granule = granule_of(all, m, engine);
    if (record == 0)
        record = granule;
    if (record > bytes)
        record = bytes;
    double records = (double)bytes / (double)record;
    double rest = record > granule ? (double)(record - granule) / in_order : 0;
    double random = records * ((double)granule / anywhere + rest);
    if (access == SIM_RANDOM)
        return random;
    double strided = records * (double)round_up(record, granule) / in_order;
    return strided < random ? strided : random;
}

sim_time sim_access_occupancy(const sim *s, size_t memory, sim_access access, uint64_t record, uint64_t bytes)
{
    return sim_from_seconds(access_seconds(s->machine, memory, access, record, bytes, false));
}

sim_time sim_side_time(const sim *s, size_t memory, const sim_side *side, uint64_t bytes, bool engine)
{
    return sim_from_seconds(access_seconds(s->machine, memory, side->access, side->record, bytes, engine));
}

static sim_time latency_of(const machine_memory *m)
{
    return m->latency.amount < 0 ? 0 : sim_from_seconds(machine_seconds(m->latency, m->clock));
}

sim_time sim_access_time(const sim *s, size_t memory, sim_access access, uint64_t record, uint64_t bytes)
{
    return sim_add(latency_of(&s->machine->memories.data[memory]),
                   sim_access_occupancy(s, memory, access, record, bytes));
}

size_t sim_serving_memory(const sim *s, size_t processor, size_t memory, uint64_t working_set)
{
    const machine *m = s->machine;
    for (VEC_EACH(const machine_ref, r, &m->processors.data[processor].caches)) {
        const machine_memory *cache = &m->memories.data[r->index];
        if (cache->backing.index == memory && working_set <= cache->size)
            return r->index;
    }
    return memory;
}

// ---- Serving ----

static void serve(sim *s, sim_memory_state *memory);

static void memory_is_free(sim *s, void *context)
{
    sim_visit *v = context;
    const sim_route *route = v->message->job->route;
    sim_memory_state *memory = &s->memories[route->stages[v->stage].resource];
    const sim_message *m = v->message;
    const sim_side *side = route->stages[v->stage].target ? &m->job->t.to : &m->job->t.from;
    memory->busy = false;
    memory->busy_time += s->now - v->begun;
    memory->waited = sim_add(memory->waited, v->begun - v->requested);
    memory->requests++;
    memory->bytes[side->access] += m->bytes;
    size_t row = s->row_count - s->memory_count + (size_t)(memory - s->memories);
    sim_note_message(s, row, v->begun, s->now, m->job->t.label, m->bytes);
    if (v->stage == 0) {
        sim_source_left(s, v->message);
        if (route->first_link == SIZE_MAX)
            sim_engine_left(s, v->message);
    }
    sim_visit_ends(s, v);
    serve(s, memory);
}

static void serve(sim *s, sim_memory_state *memory)
{
    sim_visit *v = memory->first;
    if (v == NULL || memory->busy)
        return;
    memory->first = v->next;
    const sim_message *m = v->message;
    sim_time occupied = sim_stage_time(s, m->job, v->stage, m->bytes), latency = latency_of(memory->memory);
    sim_time end = sim_add(s->now, occupied);
    memory->busy = true;
    v->begun = s->now;
    sim_at(s, end, memory_is_free, v);
    sim_visit_begins(s, v, sim_add(s->now, latency), sim_add(end, latency));
}

void sim_visit_memory(sim *s, sim_visit *v)
{
    sim_memory_state *memory = &s->memories[v->message->job->route->stages[v->stage].resource];
    if (memory->first == NULL)
        memory->first = v;
    else
        memory->last->next = v;
    memory->last = v;
    serve(s, memory);
}
