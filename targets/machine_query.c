// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Questions about a loaded machine.
#include <string.h>

#include "targets/machine_schema.h"

machine_processor *machine_processor_by_name(const machine *m, const char *name)
{
    for (size_t i = 0; i < m->processors.len; i++)
        if (strcmp(m->processors.data[i].element.name, name) == 0)
            return &m->processors.data[i];
    return NULL;
}

machine_memory *machine_memory_by_name(const machine *m, const char *name)
{
    for (size_t i = 0; i < m->memories.len; i++)
        if (strcmp(m->memories.data[i].element.name, name) == 0)
            return &m->memories.data[i];
    return NULL;
}

machine_link *machine_link_by_name(const machine *m, const char *name)
{
    for (size_t i = 0; i < m->links.len; i++)
        if (strcmp(m->links.data[i].element.name, name) == 0)
            return &m->links.data[i];
    return NULL;
}

const char *machine_nearest(const machine *m, unsigned kinds, const char *name)
{
    arena *scratch = arena_create();
    VEC(const char *) names = {0};
    if (kinds & MACHINE_PROCESSOR)
        for (size_t i = 0; i < m->processors.len; i++)
            VEC_PUSH(scratch, &names, m->processors.data[i].element.name);
    if (kinds & MACHINE_MEMORY)
        for (size_t i = 0; i < m->memories.len; i++)
            VEC_PUSH(scratch, &names, m->memories.data[i].element.name);
    if (kinds & MACHINE_LINK)
        for (size_t i = 0; i < m->links.len; i++)
            VEC_PUSH(scratch, &names, m->links.data[i].element.name);
    const char *nearest = diag_nearest(name, names.data, names.len);
    arena_destroy(scratch);
    return nearest;
}

const machine_element *machine_element_of(const machine *m, machine_ref ref)
{
    switch (ref.kind) {
    case MACHINE_PROCESSOR: return &m->processors.data[ref.index].element;
    case MACHINE_MEMORY: return &m->memories.data[ref.index].element;
    case MACHINE_LINK: break;
    }
    return &m->links.data[ref.index].element;
}

bool machine_refers(const machine_refs *refs, machine_element_kind kind, size_t index)
{
    for (size_t i = 0; i < refs->len; i++)
        if (refs->data[i].kind == kind && refs->data[i].index == index)
            return true;
    return false;
}

bool machine_reaches(const machine *m, const machine_processor *p, const machine_memory *memory)
{
    return machine_refers(&p->memories, MACHINE_MEMORY, (size_t)(memory - m->memories.data));
}

double machine_seconds(machine_time t, double clock)
{
    return t.in_cycles ? t.amount / clock : t.amount;
}

double machine_bytes_per_second(machine_bandwidth b, double clock)
{
    return b.per_cycle ? b.bytes * clock : b.bytes;
}

uint64_t machine_vector_bytes(const machine_processor *p)
{
    uint64_t bytes = 1;
    while (2 * bytes <= p->simd_width)
        bytes *= 2;
    return bytes;
}

bool machine_can_run(const machine_processor *p, machine_operation op)
{
    return p->operations.of[op].amount >= 0;
}

double machine_operation_seconds(const machine_processor *p, machine_operation op)
{
    return machine_seconds(p->operations.of[op], p->clock);
}

uint64_t machine_usable(const machine_memory *m)
{
    return m->size - m->reserved;
}

static const machine_setting *find_within(const machine_entry *e, const char *key)
{
    const machine_setting *s = machine_find_setting(e, key);
    for (size_t i = 0; i < e->setting_count && s == NULL; i++)
        if (e->settings[i].nested != NULL)
            s = find_within(e->settings[i].nested, key);
    return s;
}

src_range machine_value_range(const machine_element *e, const char *key)
{
    const machine_setting *s = find_within(e->entry, key);
    return s != NULL && s->given ? s->value->range : e->entry->name_range;
}
