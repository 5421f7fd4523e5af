// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Processors: what they did, who has them, what things cost on them.
#include <string.h>

#include "sim/internal.h"

static const struct activity_row {
    const char *text;
    sim_activity_group group;
} activities[SIM_ACTIVITY_COUNT] = {
#define ACTIVITY(id, text, group, color) [SIM_##id] = {text, SIM_##group},
#include "sim/activities.def"
#undef ACTIVITY
};

const char *sim_activity_text(sim_activity a)
{
    return activities[a].text;
}

sim_activity_group sim_activity_group_of(sim_activity a)
{
    return activities[a].group;
}

// ---- Notes ----

static void note(sim *s, sim_interval interval)
{
    if (interval.end > s->latest)
        s->latest = interval.end;
    if (s->trace.len < s->options.trace_limit)
        VEC_PUSH(s->arena, &s->trace, interval);
    else if (s->options.trace_limit > 0)
        s->trace_dropped++;
}

void sim_note_message(sim *s, size_t row, sim_time begin, sim_time end, const char *label, uint64_t bytes)
{
    note(s, (sim_interval){begin, end, (uint32_t)row, SIM_ACTIVITY_COUNT, label, bytes});
}

static uint64_t hash_work(size_t processor, sim_activity activity, const char *label)
{
    uint64_t h = (uint64_t)(uintptr_t)label ^ (processor * SIM_ACTIVITY_COUNT + activity) << 32;
    h *= UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 29;
}

static void grow_work(sim *s)
{
    s->work_slot_count = s->work_slot_count == 0 ? 256 : s->work_slot_count * 2;
    s->work_slots = ARENA_ARRAY(s->arena, uint32_t, s->work_slot_count);
    for (size_t i = 0; i < s->work.len; i++) {
        const sim_work *w = &s->work.data[i];
        size_t at = hash_work(w->processor, w->activity, w->label) & (s->work_slot_count - 1);
        while (s->work_slots[at] != 0)
            at = (at + 1) & (s->work_slot_count - 1);
        s->work_slots[at] = (uint32_t)i + 1;
    }
}

static sim_work *find_work(sim *s, size_t processor, sim_activity activity, const char *label)
{
    if (s->work.len * 2 >= s->work_slot_count)
        grow_work(s);
    size_t at = hash_work(processor, activity, label) & (s->work_slot_count - 1);
    for (; s->work_slots[at] != 0; at = (at + 1) & (s->work_slot_count - 1)) {
        sim_work *w = &s->work.data[s->work_slots[at] - 1];
        if (w->processor == processor && w->activity == activity && w->label == label)
            return w;
    }
    VEC_PUSH(s->arena, &s->work, (sim_work){processor, activity, label, 0, 0});
    s->work_slots[at] = (uint32_t)s->work.len;
    return &VEC_LAST(&s->work);
}

void sim_occupy(sim *s, sim_element processor, sim_time begin, sim_time end, sim_activity activity, const char *label)
{
    if (!sim_known(s, processor) || end <= begin)
        return;
    if (end == SIM_NEVER) {
        sim_fail(s, "the simulated time runs over 2.5 hours");
        return;
    }
    size_t at = sim_processor_at(s, processor);
    s->processors[at].time[activity] += end - begin;
    sim_work *w = find_work(s, at, activity, label);
    w->time += end - begin;
    w->count++;
    note(s, (sim_interval){begin, end, (uint32_t)at, activity, label, 0});
}

// ---- Whose a processor is ----

void sim_acquire(sim *s, sim_element processor, sim_action *granted, void *context)
{
    if (!sim_known(s, processor))
        return;
    sim_processor_state *p = &s->processors[sim_processor_at(s, processor)];
    if (!p->taken) {
        p->taken = true;
        sim_at(s, s->now, granted, context);
        return;
    }
    sim_claim *c = s->free_claims;
    if (c != NULL)
        s->free_claims = c->next;
    else
        c = ARENA_NEW(s->arena, sim_claim);
    *c = (sim_claim){granted, context, NULL};
    if (p->first == NULL)
        p->first = c;
    else
        p->last->next = c;
    p->last = c;
}

void sim_release(sim *s, sim_element processor)
{
    if (!sim_known(s, processor))
        return;
    sim_processor_state *p = &s->processors[sim_processor_at(s, processor)];
    sim_claim *c = p->first;
    if (c == NULL) {
        p->taken = false;
        return;
    }
    p->first = c->next;
    sim_at(s, s->now, c->granted, c->context);
    c->next = s->free_claims;
    s->free_claims = c;
}

// ---- Costs ----

static sim_time cost(const sim *s, size_t processor, machine_time t)
{
    return t.amount < 0 ? 0 : sim_from_seconds(machine_seconds(t, s->machine->processors.data[processor].clock));
}

sim_time sim_cost_kernel_start(const sim *s, size_t processor)
{
    return cost(s, processor, s->machine->processors.data[processor].kernel_start);
}

sim_time sim_cost_kernel_run(const sim *s, size_t processor)
{
    return cost(s, processor, s->machine->processors.data[processor].kernel_run);
}

sim_time sim_cost_kernel_wait(const sim *s, size_t processor)
{
    return cost(s, processor, s->machine->processors.data[processor].kernel_wait);
}

sim_time sim_cost_page_map(const sim *s, size_t processor)
{
    return cost(s, processor, s->machine->processors.data[processor].page_map);
}

sim_time sim_cost_page_fault(const sim *s, size_t processor)
{
    return cost(s, processor, s->machine->processors.data[processor].page_fault);
}

sim_time sim_cost_kernel_stop(const sim *s, size_t processor)
{
    return cost(s, processor, s->machine->processors.data[processor].kernel_stop);
}

sim_time sim_cost_push_acquire(const sim *s, size_t processor)
{
    return cost(s, processor, s->machine->processors.data[processor].push_acquire);
}

sim_time sim_cost_pop_discard(const sim *s, size_t processor)
{
    return cost(s, processor, s->machine->processors.data[processor].pop_discard);
}

sim_time sim_cost_cycles(const sim *s, size_t processor, double cycles)
{
    return sim_from_seconds(cycles / s->machine->processors.data[processor].clock);
}

sim_time sim_staircase(const machine_staircase *step, uint64_t bytes, double clock)
{
    double seconds = step->fixed.amount < 0 ? 0 : machine_seconds(step->fixed, clock);
    if (step->unit != 0 && bytes > step->unit && step->per_unit.amount > 0)
        seconds += machine_seconds(step->per_unit, clock) * (double)((bytes - 1) / step->unit);
    return sim_from_seconds(seconds);
}

sim_time sim_cost_push_send(const sim *s, size_t processor, uint64_t bytes)
{
    const machine_processor *p = &s->machine->processors.data[processor];
    return sim_staircase(&p->push_send, bytes, p->clock);
}

sim_time sim_cost_pop_acquire(const sim *s, size_t processor, uint64_t bytes)
{
    const machine_processor *p = &s->machine->processors.data[processor];
    return sim_staircase(&p->pop_acquire, bytes, p->clock);
}

double sim_register_pressure(const machine_processor *p, uint64_t live_registers)
{
    if (live_registers == 0 || p->register_pressure.len == 0)
        return 1;
    for (VEC_EACH(const machine_step, step, &p->register_pressure))
        if ((double)live_registers <= step->limit)
            return step->factor;
    return VEC_LAST(&p->register_pressure).factor;
}

uint64_t sim_live_registers(const machine_processor *p, uint64_t bytes)
{
    uint64_t size = p->register_size == 0 ? 1 : p->register_size;
    return bytes == 0 ? 0 : (bytes - 1) / size + 1;
}

// What does not fit the registers is in memory: where no table tells what that costs, this share of the operations
// loads an operand.
static double spill_seconds(const machine_processor *p, double operations, uint64_t live_registers)
{
    if (live_registers <= p->registers || p->register_pressure.len > 0 || !machine_can_run(p, MACHINE_OP_LOAD))
        return 0;
    double share = (double)(live_registers - p->registers) / (double)live_registers;
    return operations * share * machine_operation_seconds(p, MACHINE_OP_LOAD);
}

double sim_operations_seconds(const sim *s, size_t processor, const uint64_t counts[MACHINE_OP_COUNT],
                              uint64_t live_registers, machine_operation *missing)
{
    const machine_processor *p = &s->machine->processors.data[processor];
    double seconds = 0, operations = 0;
    for (machine_operation op = 0; op < MACHINE_OP_COUNT; op++) {
        if (counts[op] == 0)
            continue;
        if (!machine_can_run(p, op)) {
            *missing = op;
            return -1;
        }
        seconds += machine_operation_seconds(p, op) * (double)counts[op];
        operations += (double)counts[op];
    }
    return seconds * sim_register_pressure(p, live_registers) + spill_seconds(p, operations, live_registers);
}

uint64_t sim_vector_operations(const machine_processor *p, uint64_t bytes)
{
    return bytes == 0 ? 0 : p->simd_width == 0 ? bytes : (bytes - 1) / p->simd_width + 1;
}
