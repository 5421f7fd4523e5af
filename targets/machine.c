// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds a machine from the tree of its file: each mapping against its section of the schema, named entries replicated.
// References are resolved afterwards (machine_refs.c), when every name is known.
#include "targets/machine.h"

#include <ctype.h>
#include <string.h>

#include "support/c_names.h"
#include "targets/machine_schema.h"

typedef struct loader {
    arena *arena;
    diag_engine *diag;
    machine *machine;
    size_t elements;
    bool too_many;
} loader;

static machine_entry *read_section(loader *l, const machine_entry *id, const yaml_node *node, char *object);

// The value of a field that the file may leave out and that has no default.
static void set_absent(const machine_key *key, void *field)
{
    if (key->type == TYPE_TIME)
        ((machine_time *)field)->amount = -1;
    else if (key->type == TYPE_REF)
        *(machine_ref *)field = (machine_ref){0, SIZE_MAX};
    else if (key->type == TYPE_TEXT || key->type == TYPE_NAME)
        *(const char **)field = "";
    else if (key->type == TYPE_SECTION && key->detail == SECTION_staircase)
        ((machine_staircase *)field)->unit = MACHINE_UNBOUNDED;
}

static unsigned kind_count(machine_section section)
{
    return section == SECTION_processor ? MACHINE_processor_kind_COUNT
           : section == SECTION_memory  ? MACHINE_memory_kind_COUNT
                                        : 0;
}

static const yaml_pair *find_pair(const yaml_node *mapping, const char *key)
{
    for (VEC_EACH(yaml_pair, pair, &mapping->pairs))
        if (pair->key->text != NULL && strcmp(pair->key->text, key) == 0)
            return pair;
    return NULL;
}

// The section that has a key of this name, for a better message; SECTION_COUNT when none has.
static machine_section section_with(const char *key)
{
    for (machine_section s = 0; s < SECTION_COUNT; s++) {
        size_t count;
        const machine_key *rows = machine_section_keys(s, &count);
        for (size_t i = 0; i < count; i++)
            if (strcmp(rows[i].key, key) == 0)
                return s;
    }
    return SECTION_COUNT;
}

static void report_unknown(loader *l, const machine_entry *entry, const yaml_node *key)
{
    const char *names[64];
    size_t n = 0;
    for (size_t i = 0; i < entry->setting_count && n < sizeof names / sizeof *names; i++)
        if (entry->settings[i].key->allowed & (1u << entry->kind))
            names[n++] = entry->settings[i].key->key;
    const char *near = diag_nearest(key->text, names, n);
    const char *where = machine_describe_entry(l->arena, entry);
    if (near != NULL) {
        diag_record *e =
            diag_error(l->diag, key->range, "unknown key '%.60s' in %s; did you mean '%s'?", key->text, where, near);
        diag_add_fixit(l->diag, e, key->range, near);
        return;
    }
    machine_section other = section_with(key->text);
    if (other == SECTION_COUNT)
        diag_error(l->diag, key->range, "unknown key '%.60s' in %s", key->text, where);
    else
        diag_error(l->diag, key->range, "unknown key '%.60s' in %s; it is a key of %s", key->text, where,
                   machine_section_get(other)->noun);
}

static void report_not_allowed(loader *l, const machine_entry *entry, const machine_key *key, src_range range)
{
    machine_enum_id kinds = entry->section == SECTION_processor ? ENUM_processor_kind
                            : entry->section == SECTION_memory  ? ENUM_memory_kind
                                                                : ENUM_link_kind;
    diag_error(l->diag, range, "%s has no '%s': its kind is %s", machine_describe_entry(l->arena, entry), key->key,
               machine_enum_text(kinds, entry->kind));
}

static void report_missing(loader *l, const machine_entry *entry, const machine_key *key)
{
    diag_error(l->diag, entry->name_range, "%s lacks '%s' (%s); expected %s", machine_describe_entry(l->arena, entry),
               key->key, key->help, machine_expected(l->arena, key));
}

static bool valid_name(const char *name)
{
    if (!isalpha((unsigned char)name[0]) && name[0] != '_')
        return false;
    for (const char *p = name; *p != '\0'; p++)
        if (!isalnum((unsigned char)*p) && *p != '_')
            return false;
    return true;
}

enum { MOST_NAME = 200 };

// Elements are variables of SVM C. False: the name is refused.
static bool check_name(loader *l, src_range range, const char *name, const char *noun)
{
    if (!valid_name(name))
        diag_error(l->diag, range, "'%.60s' cannot name a %s: a name is a C identifier (letters, digits and '_')", name,
                   noun);
    else if (strlen(name) > MOST_NAME)
        diag_error(l->diag, range, "'%.60s...' cannot name a %s: a name has %d characters at most", name, noun,
                   MOST_NAME);
    else if (c_name_is_taken(name) || c_name_begins_reserved(name))
        diag_error(l->diag, range, "'%s' cannot name a %s: it is a word of C, of its library or of SVM's API", name,
                   noun);
    else
        return true;
    return false;
}

// Appends an element made from the template in object for each of the entry's count.
static void replicate(loader *l, machine_entry *entry, uint64_t count, const void *object)
{
    if (count > MACHINE_MAX_ELEMENTS - l->elements) {
        if (!l->too_many)
            diag_error(l->diag, entry->name_range, "the machine has more than %d elements", MACHINE_MAX_ELEMENTS);
        l->too_many = true;
        return;
    }
    l->elements += count;
    for (uint64_t i = 0; i < count; i++) {
        const char *name =
            count == 1 ? entry->name : arena_printf(l->arena, "%s%llu", entry->name, (unsigned long long)i);
        machine_element element = {name, i, entry};
        if (entry->section == SECTION_processor) {
            machine_processor *p = VEC_ADD(l->arena, &l->machine->processors);
            *p = *(const machine_processor *)object;
            p->element = element;
        } else if (entry->section == SECTION_memory) {
            machine_memory *m = VEC_ADD(l->arena, &l->machine->memories);
            *m = *(const machine_memory *)object;
            m->element = element;
        } else {
            machine_link *k = VEC_ADD(l->arena, &l->machine->links);
            *k = *(const machine_link *)object;
            k->element = element;
        }
    }
}

static uint64_t entry_count(const machine_entry *entry, const char *object)
{
    const machine_setting *s = machine_find_setting(entry, "count");
    return s == NULL ? 1 : *(const uint64_t *)(object + s->key->offset);
}

// The mapping of names to entries under 'processors', 'memories' or 'links'.
static void read_entries(loader *l, machine_setting *setting, const yaml_node *node)
{
    machine_section section = (machine_section)setting->key->detail;
    const char *noun = machine_section_get(section)->noun;
    for (VEC_EACH(yaml_pair, pair, &node->pairs)) {
        const char *name = pair->key->text;
        if (!check_name(l, pair->key->range, name, noun))
            continue;
        char *object = arena_alloc(l->arena, machine_section_get(section)->size);
        machine_entry id = {.section = section, .name = name, .name_range = pair->key->range};
        machine_entry *entry = read_section(l, &id, pair->value, object);
        if (entry == NULL)
            continue;
        VEC_PUSH(l->arena, &setting->entries, entry);
        replicate(l, entry, entry_count(entry, object), object);
    }
}

static void read_setting(loader *l, machine_entry *entry, machine_setting *s, const yaml_node *value, char *object)
{
    const machine_key *key = s->key;
    s->value = value;
    switch (key->type) {
    case TYPE_SECTION: {
        machine_entry id = {.section = (machine_section)key->detail,
                            .name_range = value->range,
                            .parent = entry,
                            .key = key,
                            .kind = key->detail == SECTION_link ? MACHINE_link_kind_NETWORK : 0};
        s->nested = read_section(l, &id, value, object + key->offset);
        return;
    }
    case TYPE_ENTRIES:
        if (value->kind != YAML_MAPPING)
            diag_error(l->diag, value->range, "%s: expected %s, not %s", machine_describe(l->arena, entry, key),
                       machine_expected(l->arena, key), yaml_kind_text(value));
        else
            read_entries(l, s, value);
        return;
    case TYPE_REF: set_absent(key, object + key->offset); return;
    case TYPE_REFS: // machine_refs.c
        return;
    default: machine_parse_value(l->arena, l->diag, entry, key, value, object + key->offset);
    }
}

// Settings that the file leaves out.
static void set_default(loader *l, machine_entry *entry, machine_setting *s, char *object)
{
    const machine_key *key = s->key;
    if (!(key->allowed & (1u << entry->kind)))
        return;
    if (key->required & (1u << entry->kind)) {
        report_missing(l, entry, key);
        return;
    }
    if (key->type == TYPE_SECTION && key->detail != SECTION_staircase && key->detail != SECTION_link &&
        key->detail != SECTION_pipeline) {
        // A section of which every key has a default is there even when it is not written.
        yaml_node *empty = ARENA_NEW(l->arena, yaml_node);
        empty->kind = YAML_MAPPING;
        read_setting(l, entry, s, empty, object);
        return;
    }
    if (key->default_text == NULL) {
        set_absent(key, object + key->offset);
        return;
    }
    read_setting(l, entry, s, yaml_default(l->arena, key->default_text), object);
}

// The element's kind decides which keys it has, so it is read first.
static bool read_kind(loader *l, machine_entry *entry, const yaml_node *node)
{
    if (kind_count(entry->section) == 0)
        return true;
    const yaml_pair *pair = find_pair(node, "kind");
    const machine_key *key = entry->settings[0].key;
    if (pair == NULL) {
        report_missing(l, entry, key);
        return false;
    }
    return machine_parse_value(l->arena, l->diag, entry, key, pair->value, &entry->kind);
}

// Reads a mapping into object. id says which section it is, of what and where.
static machine_entry *read_section(loader *l, const machine_entry *id, const yaml_node *node, char *object)
{
    machine_entry *entry = ARENA_NEW(l->arena, machine_entry);
    size_t count;
    const machine_key *keys = machine_section_keys(id->section, &count);
    *entry = *id;
    entry->settings = ARENA_ARRAY(l->arena, machine_setting, count);
    entry->setting_count = count;
    for (size_t i = 0; i < count; i++)
        entry->settings[i].key = &keys[i];
    if (node->kind != YAML_MAPPING) {
        diag_error(l->diag, node->range, "%s: expected a mapping of keys to values, not %s",
                   machine_describe_entry(l->arena, entry), yaml_kind_text(node));
        return NULL;
    }
    if (!read_kind(l, entry, node))
        return NULL;
    for (VEC_EACH(yaml_pair, pair, &node->pairs)) {
        machine_setting *s = machine_find_setting(entry, pair->key->text);
        if (s == NULL) {
            report_unknown(l, entry, pair->key);
        } else if (!(s->key->allowed & (1u << entry->kind))) {
            report_not_allowed(l, entry, s->key, pair->key->range);
        } else {
            s->given = true;
            read_setting(l, entry, s, pair->value, object);
        }
    }
    for (size_t i = 0; i < count; i++)
        if (!entry->settings[i].given)
            set_default(l, entry, &entry->settings[i], object);
    return entry;
}

machine *machine_parse(arena *a, diag_engine *d, source_id file)
{
    size_t errors = d->error_count;
    yaml_node *root = yaml_parse(a, d, file, "machine file", "machine: NAME");
    if (root == NULL)
        return NULL;
    machine *m = ARENA_NEW(a, machine);
    loader l = {.arena = a, .diag = d, .machine = m};
    m->file = file;
    machine_entry id = {.section = SECTION_machine, .name_range = {file, root->range.begin, root->range.begin}};
    m->entry = read_section(&l, &id, root, (char *)m);
    if (d->error_count == errors)
        machine_resolve(a, d, m);
    if (d->error_count == errors)
        machine_check(a, d, m);
    return d->error_count == errors ? m : NULL;
}
