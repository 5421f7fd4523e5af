// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tables of the schema, and what can be asked of them.
#include "targets/machine_schema.h"

#include <math.h>
#include <string.h>

#define INF INFINITY
#define KEY(section, field, key, type, detail, min, max, allowed, required, default_text, readers, paper, help)        \
    {SECTION_##section,                                                                                                \
     offsetof(machine_##section, field),                                                                               \
     key,                                                                                                              \
     TYPE_##type,                                                                                                      \
     (unsigned)(detail),                                                                                               \
     min,                                                                                                              \
     max,                                                                                                              \
     allowed,                                                                                                          \
     required,                                                                                                         \
     default_text,                                                                                                     \
     readers,                                                                                                          \
     paper,                                                                                                            \
     help},
static const machine_key keys[] = {
#include "targets/machine_keys.def"
};
#undef KEY

// Each row's field has the C type that its type stands for.
#define CTYPE_TEXT const char *
#define CTYPE_NAME const char *
#define CTYPE_BOOL bool
#define CTYPE_COUNT uint64_t
#define CTYPE_SIZE uint64_t
#define CTYPE_FREQUENCY double
#define CTYPE_TIME machine_time
#define CTYPE_BANDWIDTH machine_bandwidth
#define CTYPE_ENUM unsigned
#define CTYPE_ENUM_SET uint64_t
#define CTYPE_REF machine_ref
#define CTYPE_REFS machine_refs
#define CTYPE_STEPS machine_steps
#define KEY(section, field, key, type, ...) FIELD_CHECK_##type(section, field, type)
#define FIELD_CHECK(section, field, type)                                                                              \
    _Static_assert(sizeof(((machine_##section *)0)->field) == sizeof(CTYPE_##type), "field of another type");
#define FIELD_CHECK_TEXT FIELD_CHECK
#define FIELD_CHECK_NAME FIELD_CHECK
#define FIELD_CHECK_BOOL FIELD_CHECK
#define FIELD_CHECK_COUNT FIELD_CHECK
#define FIELD_CHECK_SIZE FIELD_CHECK
#define FIELD_CHECK_FREQUENCY FIELD_CHECK
#define FIELD_CHECK_TIME FIELD_CHECK
#define FIELD_CHECK_BANDWIDTH FIELD_CHECK
#define FIELD_CHECK_ENUM FIELD_CHECK
#define FIELD_CHECK_ENUM_SET FIELD_CHECK
#define FIELD_CHECK_REF FIELD_CHECK
#define FIELD_CHECK_REFS FIELD_CHECK
#define FIELD_CHECK_STEPS FIELD_CHECK
#define FIELD_CHECK_SECTION(section, field, type)
#define FIELD_CHECK_ENTRIES(section, field, type)
#include "targets/machine_keys.def"
#undef KEY

static const machine_section_info sections[SECTION_COUNT] = {
    [SECTION_machine] = {"the machine", sizeof(machine)},
    [SECTION_processor] = {"processor", sizeof(machine_processor)},
    [SECTION_abilities] = {"'runs' of a processor", sizeof(machine_abilities)},
    [SECTION_staircase] = {"a communication cost", sizeof(machine_staircase)},
    [SECTION_memory] = {"memory", sizeof(machine_memory)},
    [SECTION_link] = {"link", sizeof(machine_link)},
    [SECTION_nodes] = {"'nodes'", sizeof(machine_nodes)},
    [SECTION_costs] = {"'operations' of a processor", sizeof(machine_costs)},
    [SECTION_pipeline] = {"'pipeline' of a processor", sizeof(machine_pipeline)},
};

#define MACHINE_ENUM(name) static const machine_enumerator enum_##name[] = {
#define MACHINE_ENUMERATOR(name, id, text, help) {text, help},
#define MACHINE_ENUM_END(name)                                                                                         \
    }                                                                                                                  \
    ;
#include "targets/machine_enums.def"
#undef MACHINE_ENUM
#undef MACHINE_ENUMERATOR
#undef MACHINE_ENUM_END

static const struct enum_table {
    const machine_enumerator *rows;
    size_t count;
} enum_tables[ENUM_COUNT] = {
#define MACHINE_ENUM(name) [ENUM_##name] = {enum_##name, MACHINE_##name##_COUNT},
#define MACHINE_ENUMERATOR(name, id, text, help)
#define MACHINE_ENUM_END(name)
#include "targets/machine_enums.def"
#undef MACHINE_ENUM
#undef MACHINE_ENUMERATOR
#undef MACHINE_ENUM_END
};

static const char *const operation_texts[MACHINE_OP_COUNT] = {
#define OPERATION(id, text, help) [MACHINE_OP_##id] = text,
#include "targets/machine_operations.def"
#undef OPERATION
};

const char *machine_operation_text(machine_operation op)
{
    return operation_texts[op];
}

const machine_key *machine_section_keys(machine_section section, size_t *count)
{
    size_t total = sizeof keys / sizeof *keys, first = 0;
    while (first < total && keys[first].section != section)
        first++;
    size_t end = first;
    while (end < total && keys[end].section == section)
        end++;
    *count = end - first;
    return &keys[first];
}

const machine_section_info *machine_section_get(machine_section section)
{
    return &sections[section];
}

const machine_enumerator *machine_enumerators(machine_enum_id id, size_t *count)
{
    *count = enum_tables[id].count;
    return enum_tables[id].rows;
}

const char *machine_enum_text(machine_enum_id id, unsigned value)
{
    return value < enum_tables[id].count ? enum_tables[id].rows[value].text : "?";
}

machine_setting *machine_find_setting(const machine_entry *entry, const char *key)
{
    for (size_t i = 0; i < entry->setting_count; i++)
        if (strcmp(entry->settings[i].key->key, key) == 0)
            return &entry->settings[i];
    return NULL;
}

const char *machine_describe_entry(arena *a, const machine_entry *entry)
{
    const char *noun = sections[entry->section].noun;
    if (entry->parent != NULL)
        return machine_describe(a, entry->parent, entry->key);
    return entry->name == NULL ? noun : arena_printf(a, "%s '%s'", noun, entry->name);
}

const char *machine_describe(arena *a, const machine_entry *entry, const machine_key *key)
{
    return arena_printf(a, "'%s' of %s", key->key, machine_describe_entry(a, entry));
}

static const char *list_enumerators(arena *a, machine_enum_id id)
{
    size_t count;
    const machine_enumerator *rows = machine_enumerators(id, &count);
    strbuf b;
    strbuf_init(&b, a);
    for (size_t i = 0; i < count; i++)
        strbuf_printf(&b, "%s'%s'", i == 0 ? "" : i + 1 == count ? " or " : ", ", rows[i].text);
    return b.data;
}

static const char *expected_refs(unsigned kinds)
{
    if (kinds == MACHINE_PROCESSOR)
        return "processor";
    if (kinds == MACHINE_MEMORY)
        return "memory";
    return kinds == (MACHINE_PROCESSOR | MACHINE_LINK) ? "processor or link" : "processor, memory or link";
}

const char *machine_expected(arena *a, const machine_key *key)
{
    const char *or_unbounded = isinf(key->max) ? ", or 'unbounded'" : "";
    switch (key->type) {
    case TYPE_TEXT: return "text";
    case TYPE_NAME: return "a name (letters, digits, '_' and '-')";
    case TYPE_BOOL: return "true or false";
    case TYPE_COUNT: return arena_printf(a, "a whole number%s", or_unbounded);
    case TYPE_SIZE: return arena_printf(a, "a size (B, KiB, MiB, GiB or TiB), for example '16 KiB'%s", or_unbounded);
    case TYPE_FREQUENCY: return "a frequency (Hz, kHz, MHz or GHz), for example '200 MHz'";
    case TYPE_TIME: return "a time (ps, ns, us, ms, s or cycles), for example '100 ns' or '1.5 cycles'";
    case TYPE_BANDWIDTH: return "a bandwidth (B/s, kB/s, MB/s, GB/s, TB/s or B/cycle), for example '25.6 GB/s'";
    case TYPE_ENUM: return list_enumerators(a, (machine_enum_id)key->detail);
    case TYPE_ENUM_SET: return arena_printf(a, "a list of %s", list_enumerators(a, (machine_enum_id)key->detail));
    case TYPE_REF: return arena_printf(a, "the name of a %s", expected_refs(key->detail));
    case TYPE_REFS: return arena_printf(a, "a list of names in brackets, each of a %s", expected_refs(key->detail));
    case TYPE_STEPS: return "a list of pairs of numbers, for example '[[3, 1], [8, 2.5]]'";
    case TYPE_SECTION: return "a mapping of keys to values";
    case TYPE_ENTRIES: return "a mapping of names to their keys";
    case TYPE_TYPES: break;
    }
    return "a value";
}
