// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What must hold between the values of a machine, beyond each value's own type and range.
#include <string.h>

#include "targets/machine_schema.h"

typedef struct checker {
    arena *arena;
    diag_engine *diag;
    const machine *machine;
} checker;

static src_range value_range(const machine_entry *entry, const char *key)
{
    const machine_setting *s = machine_find_setting(entry, key);
    return s != NULL && s->given ? s->value->range : entry->name_range;
}

// Values in cycles need a clock to count them by.
static void check_cycles(checker *c, const machine_entry *entry, const void *object)
{
    const machine_setting *clock = machine_find_setting(entry, "clock");
    if (clock == NULL || clock->given)
        return;
    for (size_t i = 0; i < entry->setting_count; i++) {
        const machine_setting *s = &entry->settings[i];
        const char *field = (const char *)object + s->key->offset;
        bool cycles = s->key->type == TYPE_TIME        ? ((const machine_time *)field)->in_cycles
                      : s->key->type == TYPE_BANDWIDTH ? ((const machine_bandwidth *)field)->per_cycle
                                                       : false;
        if (s->given && cycles)
            diag_error(c->diag, s->value->range, "%s is in cycles, but there is no 'clock' to count them by",
                       machine_describe(c->arena, entry, s->key));
    }
}

static void check_power_of_two(checker *c, const machine_entry *entry, const char *key, uint64_t value)
{
    if ((value & (value - 1)) != 0)
        diag_error(c->diag, value_range(entry, key), "'%s' of %s is %llu B; expected a power of two", key,
                   machine_describe_entry(c->arena, entry), (unsigned long long)value);
}

// Each of the references must be to a processor or memory of an expected kind.
static void check_masters(checker *c, const machine_processor *p)
{
    src_range range = value_range(p->element.entry, "masters");
    if (p->kind != MACHINE_processor_kind_CONTROL && p->masters.len == 0)
        diag_error(c->diag, range, "'masters' of processor '%s' is empty; nothing could start a kernel on it",
                   p->element.name);
    for (VEC_EACH(machine_ref, ref, &p->masters)) {
        const machine_processor *master = &c->machine->processors.data[ref->index];
        if (master->kind != MACHINE_processor_kind_CONTROL)
            diag_error(
                c->diag, range, "'masters' of processor '%s' names '%s', a %s processor; expected a control processor",
                p->element.entry->name, master->element.name, machine_enum_text(ENUM_processor_kind, master->kind));
    }
}

static void check_memory_kind(checker *c, const machine_element *from, const char *key, machine_ref ref, bool cache)
{
    if (ref.index == SIZE_MAX)
        return;
    const machine_memory *m = &c->machine->memories.data[ref.index];
    if ((m->kind == MACHINE_memory_kind_CACHE) == cache)
        return;
    diag_error(c->diag, value_range(from->entry, key), "'%s' of %s names '%s', a memory of kind %s; expected %s", key,
               machine_describe_entry(c->arena, from->entry), m->element.name,
               machine_enum_text(ENUM_memory_kind, m->kind), cache ? "a cache" : "one that is no cache");
}

// An operation with two operands moves three vectors; more than the registers give is a mistake in one of the numbers.
static void check_register_bandwidth(checker *c, const machine_processor *p)
{
    static const machine_operation simple[] = {MACHINE_OP_INT_ADD, MACHINE_OP_FLOAT_ADD, MACHINE_OP_FLOAT_MUL};
    double given = machine_bytes_per_second(p->register_bandwidth, p->clock);
    for (size_t i = 0; i < sizeof simple / sizeof *simple; i++) {
        double cost = machine_operation_seconds(p, simple[i]), bytes = 3 * (double)p->simd_width;
        if (cost <= 0 || bytes / cost <= given)
            continue;
        diag_warning(c->diag, WARN_UNUSED_MACHINE, value_range(p->element.entry, "register-bandwidth"),
                     "'register-bandwidth' of processor '%s' is %.4g GB/s, but '%s' at its cost moves %.4g GB/s",
                     p->element.name, given / 1e9, machine_operation_text(simple[i]), bytes / cost / 1e9);
        return;
    }
}

static void check_processor(checker *c, const machine_processor *p)
{
    check_masters(c, p);
    if (p->memories.len == 0)
        diag_error(c->diag, value_range(p->element.entry, "memories"), "'memories' of processor '%s' is empty",
                   p->element.name);
    for (VEC_EACH(machine_ref, ref, &p->memories))
        check_memory_kind(c, &p->element, "memories", *ref, false);
    for (VEC_EACH(machine_ref, ref, &p->caches))
        check_memory_kind(c, &p->element, "caches", *ref, true);
    if (p->kind != MACHINE_processor_kind_DMA) {
        check_memory_kind(c, &p->element, "code-memory", p->code_memory, false);
        if (p->register_bandwidth.bytes > 0 && p->element.number == 0)
            check_register_bandwidth(c, p);
        if (p->page_fault.amount > 0 && p->page_map.amount <= 0)
            diag_warning(c->diag, WARN_UNUSED_MACHINE, value_range(p->element.entry, "page-fault"),
                         "'page-fault' of processor '%s' does nothing without a 'page-map', as no files are mapped",
                         p->element.name);
    } else {
        check_power_of_two(c, p->element.entry, "alignment", p->transfer_alignment);
    }
}

static void check_memory(checker *c, const machine_memory *m)
{
    const machine_entry *entry = m->element.entry;
    check_cycles(c, entry, m);
    if (m->kind == MACHINE_memory_kind_RAM) {
        check_power_of_two(c, entry, "alignment", m->alignment);
        if (m->reserved >= m->size)
            diag_error(c->diag, value_range(entry, "reserved"),
                       "'reserved' of memory '%s' leaves nothing of its %llu B to programs", m->element.name,
                       (unsigned long long)m->size);
    }
    if (m->kind == MACHINE_memory_kind_CACHE)
        check_memory_kind(c, &m->element, "of", m->backing, false);
    for (VEC_EACH(machine_ref, ref, &m->coherent))
        if (&c->machine->memories.data[ref->index] == m)
            diag_error(c->diag, value_range(entry, "coherent-with"), "memory '%s' is coherent with itself anyway",
                       m->element.name);
}

static void check_link(checker *c, const machine_link *k)
{
    const machine_entry *entry = k->element.entry;
    check_cycles(c, entry, k);
    check_power_of_two(c, entry, "alignment", k->alignment);
    size_t send = k->elements.len + k->senders.len, receive = k->elements.len + k->receivers.len;
    if (send == 0 || receive == 0 || (k->elements.len == 1 && k->senders.len + k->receivers.len == 0))
        diag_error(c->diag, entry->name_range,
                   "link '%s' connects nothing; expected two 'elements', or 'senders' and 'receivers'",
                   k->element.name);
    if (k->routers.len > 0 && k->routing == MACHINE_routing_NONE)
        diag_error(c->diag, value_range(entry, "routers"),
                   "link '%s' has routers but no 'routing'; expected 'store-and-forward' or 'cut-through'",
                   k->element.name);
}

static void mark(bool *marks, const machine_refs *refs, machine_element_kind kind)
{
    for (VEC_EACH(machine_ref, ref, refs))
        if (ref->kind == kind)
            marks[ref->index] = true;
}

// Memories that nothing reaches are legal, and surely a mistake.
static void check_reached(checker *c)
{
    const machine *m = c->machine;
    bool *reached = ARENA_ARRAY(c->arena, bool, m->memories.len);
    for (VEC_EACH(machine_processor, p, &m->processors)) {
        mark(reached, &p->memories, MACHINE_MEMORY);
        mark(reached, &p->caches, MACHINE_MEMORY);
    }
    for (VEC_EACH(machine_link, k, &m->links)) {
        mark(reached, &k->elements, MACHINE_MEMORY);
        mark(reached, &k->senders, MACHINE_MEMORY);
        mark(reached, &k->receivers, MACHINE_MEMORY);
    }
    for (size_t i = 0; i < m->memories.len; i++) {
        const machine_element *e = &m->memories.data[i].element;
        if (!reached[i] && e->number == 0)
            diag_warning(c->diag, WARN_UNUSED_MACHINE, e->entry->name_range,
                         "memory '%s' is reached by no processor and no link", e->name);
    }
}

static void check_whole(checker *c)
{
    const machine *m = c->machine;
    bool control = false;
    for (VEC_EACH(machine_processor, p, &m->processors))
        control = control || p->kind == MACHINE_processor_kind_CONTROL;
    if (!control)
        diag_error(c->diag, value_range(m->entry, "processors"),
                   "machine '%s' has no control processor; its programs could not start", m->name);
    if (m->memories.len == 0)
        diag_error(c->diag, value_range(m->entry, "memories"), "machine '%s' has no memory", m->name);
    const machine_setting *nodes = machine_find_setting(m->entry, "nodes");
    if (nodes->nested == NULL)
        return;
    const machine_setting *network = machine_find_setting(nodes->nested, "network");
    if (network->nested != NULL)
        check_cycles(c, network->nested, &m->nodes.network);
    if (m->nodes.count > 1 && !network->given)
        diag_error(c->diag, nodes->value->range, "machine '%s' has %llu nodes; expected the 'network' between them",
                   m->name, (unsigned long long)m->nodes.count);
    if (m->nodes.count == 1 && network->given)
        diag_warning(c->diag, WARN_UNUSED_MACHINE, network->value->range,
                     "the network has no effect: machine '%s' has one node", m->name);
}

void machine_check(arena *a, diag_engine *d, machine *m)
{
    checker c = {a, d, m};
    check_whole(&c);
    for (VEC_EACH(machine_processor, p, &m->processors))
        if (d->error_count < 20)
            check_processor(&c, p);
    for (VEC_EACH(machine_memory, memory, &m->memories))
        if (d->error_count < 20)
            check_memory(&c, memory);
    for (VEC_EACH(machine_link, k, &m->links))
        if (d->error_count < 20)
            check_link(&c, k);
    check_reached(&c);
}
