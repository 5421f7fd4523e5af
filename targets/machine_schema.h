// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The schema of machine files as tables, and what a loaded file's sections remember of their text. Internal to
// targets/.
#ifndef SVMC_TARGETS_MACHINE_SCHEMA_H
#define SVMC_TARGETS_MACHINE_SCHEMA_H

#include "targets/machine.h"
#include "targets/yaml.h"

typedef machine machine_machine; // so that each section's struct is machine_<section>

typedef enum machine_section {
    SECTION_machine,
    SECTION_processor,
    SECTION_abilities,
    SECTION_staircase,
    SECTION_memory,
    SECTION_link,
    SECTION_nodes,
    SECTION_costs,
    SECTION_pipeline,
    SECTION_COUNT
} machine_section;

typedef enum machine_type {
    TYPE_TEXT,
    TYPE_NAME,
    TYPE_BOOL,
    TYPE_COUNT,
    TYPE_SIZE,
    TYPE_FREQUENCY,
    TYPE_TIME,
    TYPE_BANDWIDTH,
    TYPE_ENUM,
    TYPE_ENUM_SET,
    TYPE_REF,
    TYPE_REFS,
    TYPE_STEPS,
    TYPE_SECTION,
    TYPE_ENTRIES,
    TYPE_TYPES
} machine_type;

typedef enum machine_enum_id {
#define MACHINE_ENUM(name) ENUM_##name,
#define MACHINE_ENUMERATOR(name, id, text, help)
#define MACHINE_ENUM_END(name)
#include "targets/machine_enums.def"
#undef MACHINE_ENUM
#undef MACHINE_ENUMERATOR
#undef MACHINE_ENUM_END
    ENUM_COUNT
} machine_enum_id;

// Rooms that read a key's value. R_LATER: none yet, what the key says is for a backend to come.
enum { R_CHECK = 1, R_HLC = 2, R_LLC = 4, R_SIM = 8, R_LATER = 16, R_SOFTPROC = 32 };

typedef struct machine_key {
    machine_section section;
    size_t offset; // of the field in the section's struct
    const char *key;
    machine_type type;
    unsigned detail;
    double min, max;
    unsigned allowed, required; // masks of kinds
    const char *default_text;
    unsigned readers;
    const char *paper, *help;
} machine_key;

typedef struct machine_section_info {
    const char *noun; // "processor"
    size_t size;      // of the struct
} machine_section_info;

typedef struct machine_enumerator {
    const char *text, *help;
} machine_enumerator;

// What one mapping of the file said: a setting a row of its section.
typedef struct machine_setting {
    const machine_key *key;
    const yaml_node *value; // NULL: absent; a default has a node with no place
    bool given;
    struct machine_entry *nested;        // TYPE_SECTION
    VEC(struct machine_entry *) entries; // TYPE_ENTRIES
} machine_setting;

typedef struct machine_entry {
    machine_section section;
    const char *name;                   // "SPE" (no replica's number); NULL for sections without one
    const struct machine_entry *parent; // of a nested section, which is the value of this key there
    const machine_key *key;
    src_range name_range;
    unsigned kind;
    machine_setting *settings; // one a row of the section, in order
    size_t setting_count;
} machine_entry;

// Rows of a section; they are contiguous.
const machine_key *machine_section_keys(machine_section section, size_t *count);
const machine_section_info *machine_section_get(machine_section section);
const machine_enumerator *machine_enumerators(machine_enum_id id, size_t *count);
const char *machine_enum_text(machine_enum_id id, unsigned value);
// "a frequency (Hz, kHz, MHz or GHz), for example '200 MHz'"
const char *machine_expected(arena *a, const machine_key *key);
machine_setting *machine_find_setting(const machine_entry *entry, const char *key);

// Parses the scalar or list value of one key into its field, already zeroed. False after an error. REF, REFS,
// SECTION and ENTRIES are not this function's.
bool machine_parse_value(arena *a, diag_engine *d, const machine_entry *entry, const machine_key *key,
                         const yaml_node *value, void *field);
// "'clock' of processor 'CPU'"
const char *machine_describe(arena *a, const machine_entry *entry, const machine_key *key);
// "processor 'CPU'"
const char *machine_describe_entry(arena *a, const machine_entry *entry);

// Resolves the references of every element (machine_refs.c) and checks what holds between values (machine_check.c).
void machine_resolve(arena *a, diag_engine *d, machine *m);
void machine_check(arena *a, diag_engine *d, machine *m);
// More than these make no machine that anyone could mean.
enum { MACHINE_MAX_ELEMENTS = 65536, MACHINE_MAX_REFS = 1 << 20 };

#endif
