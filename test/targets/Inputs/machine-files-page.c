// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints the reference page of machine files, docs/machine-files.md, from the schema: machine_keys.def,
// machine_enums.def and machine_operations.def. The argument is the folder of the machines to list.
//     machine-files-page targets > docs/machine-files.md
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "targets/machine_schema.h"

static const char introduction[] =
    "# Machine files\n"
    "\n"
    "<!-- Made by test/targets/Inputs/machine-files-page.c from the tables in targets/*.def. Do not edit. -->\n"
    "\n"
    "A machine file describes a machine to both compilers and to the simulator: its processors, memories, links and\n"
    "nodes. It merges the architecture model of the Stream Virtual Machine (SVM paper, sections 2 and 4) with the\n"
    "machine description of the Abstract Streaming Machine (ASM paper, figures 3 and 4).\n"
    "\n"
    "`--machine=NAME` takes a shipped machine, `--machine=FILE.yaml` any other, and `--machine=native` describes this\n"
    "computer ([characterize.md](characterize.md)). `svmc --print-machine=NAME` prints every effective value and "
    "where\n"
    "it comes from; [HACKING.md](../HACKING.md) adds a machine step by step.\n"
    "\n"
    "## Form\n"
    "\n"
    "A machine file is one YAML document of mappings, lists and plain values; anchors, tags and several documents are\n"
    "errors. Every key is checked: an unknown key, a missing one, a value of another type, without its unit or out of\n"
    "range is an error with file, line, column and what was expected.\n"
    "\n"
    "| type | how it is written |\n"
    "|---|---|\n";

static const char references[] =
    "\n"
    "**Names and references.** Processors, memories and links have names, which are C identifiers: programs say them "
    "in\n"
    "`SVM_MEMORY` and `SVM_PROCESSOR`. `count: 8` makes eight alike, of an entry `SPE` the elements `SPE0` to `SPE7`\n"
    "(with a count of 1 the name has no number). A reference is the name of one element, or\n"
    "\n"
    "| reference | stands for |\n"
    "|---|---|\n"
    "| `SPE*` | all elements of the entry `SPE` |\n"
    "| `SPE0..SPE5` | those elements and all between them |\n"
    "| `LS#` | in an entry with a count: the element of the same number, `LS3` for `SPE3` |\n"
    "| `L3#/8` | the element that eight share: `L30` for numbers 0 to 7, `L31` for 8 to 15 |\n"
    "\n"
    "**Cycles.** Times and bandwidths in cycles are of the `clock` of the element that they belong to.\n";

static const char *const type_names[TYPE_TYPES] = {
    [TYPE_TEXT] = "text",   [TYPE_NAME] = "name",           [TYPE_BOOL] = "truth value", [TYPE_COUNT] = "number",
    [TYPE_SIZE] = "size",   [TYPE_FREQUENCY] = "frequency", [TYPE_TIME] = "time",        [TYPE_BANDWIDTH] = "bandwidth",
    [TYPE_ENUM] = "word",   [TYPE_ENUM_SET] = "words",      [TYPE_REF] = "reference",    [TYPE_REFS] = "references",
    [TYPE_STEPS] = "steps", [TYPE_SECTION] = "section",     [TYPE_ENTRIES] = "entries",
};

// What a section is for, below its title.
static const char *const section_titles[SECTION_COUNT] = {
    [SECTION_machine] = "The machine",
    [SECTION_processor] = "Processors",
    [SECTION_abilities] = "`runs`: what kernels a processor can take",
    [SECTION_staircase] = "`push-send`, `pop-acquire`: a communication cost",
    [SECTION_memory] = "Memories",
    [SECTION_link] = "Links, and the network between nodes",
    [SECTION_nodes] = "Nodes",
    [SECTION_costs] = "`operations`: cost of each operation class",
    [SECTION_pipeline] = "`pipeline`: the insides of a soft processor",
};
static const char *const section_notes[SECTION_COUNT] = {
    [SECTION_staircase] = "n bytes cost `fixed` + `per-unit` * (ceil(n / `unit`) - 1).",
    [SECTION_link] =
        "A message of n bytes arrives L + S + n / B after it began, and keeps its channel for S + n / B + F.",
    [SECTION_costs] =
        "The cost of one operation on `simd-width` bytes (or less) when enough independent ones follow each "
        "other: a reciprocal throughput.\nA class that is left out cannot run on the processor.",
};

static machine_enum_id kinds_of(machine_section section)
{
    return section == SECTION_processor ? ENUM_processor_kind
           : section == SECTION_memory  ? ENUM_memory_kind
           : section == SECTION_link    ? ENUM_link_kind
                                        : ENUM_COUNT;
}

static unsigned all_kinds(machine_section section)
{
    size_t count = 0;
    if (kinds_of(section) != ENUM_COUNT)
        machine_enumerators(kinds_of(section), &count);
    return (1u << count) - 1;
}

// "kernel, dma"; "" when it is all of them.
static void print_kinds(machine_section section, unsigned mask, const char *all)
{
    unsigned every = all_kinds(section);
    if ((mask & every) == every) {
        fputs(all, stdout);
        return;
    }
    const char *separator = "";
    for (unsigned kind = 0; every >> kind != 0; kind++) {
        if ((mask >> kind & 1) == 0)
            continue;
        printf("%s%s", separator, machine_enum_text(kinds_of(section), kind));
        separator = ", ";
    }
}

static const char *enum_noun(machine_enum_id id)
{
    static const char *const nouns[ENUM_COUNT] = {
        [ENUM_processor_kind] = "Kinds of processors",
        [ENUM_memory_kind] = "Kinds of memories",
        [ENUM_link_kind] = "Kinds of links",
        [ENUM_control_flow] = "`control`",
        [ENUM_duplex] = "`duplex`",
        [ENUM_routing] = "`routing`",
        [ENUM_transfer] = "`transfers`",
    };
    return nouns[id];
}

static void print_type(const machine_key *key)
{
    fputs(type_names[key->type], stdout);
    if (key->type == TYPE_ENUM || key->type == TYPE_ENUM_SET) {
        size_t count;
        const machine_enumerator *rows = machine_enumerators((machine_enum_id)key->detail, &count);
        for (size_t i = 0; i < count; i++)
            printf("%s`%s`", i == 0 ? ": " : ", ", rows[i].text);
    }
    if (isinf(key->max))
        fputs(" or `unbounded`", stdout);
}

static void print_default(const machine_key *key)
{
    bool section = key->type == TYPE_SECTION && key->detail != SECTION_staircase && key->detail != SECTION_link &&
                   key->detail != SECTION_pipeline;
    if (key->default_text == NULL)
        fputs(section ? "its keys' defaults" : "absent", stdout);
    else if (key->default_text[0] == '\0')
        fputs("none", stdout);
    else
        printf("`%s`", key->default_text);
}

// Whether it must be given, and what it is where it need not.
static void print_need(const machine_key *key)
{
    unsigned every = all_kinds(key->section), allowed = key->allowed & every, needed = key->required & every;
    if (every == 0 ? key->required != 0 : (needed & allowed) == allowed) {
        fputs("must be given", stdout);
        return;
    }
    if (needed != 0) {
        print_kinds(key->section, needed, "all");
        fputs(" must have it; else ", stdout);
    }
    print_default(key);
}

static void print_readers(unsigned readers)
{
    static const struct {
        unsigned bit;
        const char *text;
    } rooms[] = {
        {R_HLC, "HLC"}, {R_LLC, "LLC"}, {R_SIM, "simulator"}, {R_CHECK, "checks"}, {R_LATER, "a later backend"},
                 {R_SOFTPROC, "soft processor"}};
    const char *separator = "";
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++)
        if (readers & rooms[i].bit) {
            printf("%s%s", separator, rooms[i].text);
            separator = ", ";
        }
}

static void print_section(machine_section section)
{
    size_t count;
    const machine_key *keys = machine_section_keys(section, &count);
    bool kinds = all_kinds(section) != 0;
    printf("\n## %s\n", section_titles[section]);
    if (section_notes[section] != NULL)
        printf("\n%s\n", section_notes[section]);
    printf("\n| key | type |%s default | meaning | proposed in | read by |\n|---|---|%s---|---|---|---|\n",
           kinds ? " of |" : "", kinds ? "---|" : "");
    for (size_t i = 0; i < count; i++) {
        const machine_key *key = &keys[i];
        printf("| `%s` | ", key->key);
        print_type(key);
        if (kinds) {
            fputs(" | ", stdout);
            print_kinds(section, key->allowed, "all");
        }
        fputs(" | ", stdout);
        print_need(key);
        printf(" | %s | %s | ", key->help, strcmp(key->paper, "own") == 0 ? "" : key->paper);
        print_readers(key->readers);
        puts(" |");
    }
}

static void print_costs(void)
{
    size_t count;
    const machine_key *keys = machine_section_keys(SECTION_costs, &count);
    printf("\n## %s\n\n%s\n\n| class | operations |\n|---|---|\n", section_titles[SECTION_costs],
           section_notes[SECTION_costs]);
    for (size_t i = 0; i < count; i++)
        printf("| `%s` | %s |\n", keys[i].key, keys[i].help);
}

static void print_words(void)
{
    puts("\n## Words\n\n| where | word | meaning |\n|---|---|---|");
    for (machine_enum_id id = 0; id < ENUM_COUNT; id++) {
        size_t count;
        const machine_enumerator *rows = machine_enumerators(id, &count);
        for (size_t i = 0; i < count; i++)
            printf("| %s | `%s` | %s |\n", i == 0 ? enum_noun(id) : "", rows[i].text, rows[i].help);
    }
}

// The lines of machine_list, "name   summary", as a table.
static bool print_machines(arena *a, const char *directory)
{
    source_set sources;
    diag_engine diags;
    strbuf list;
    source_set_init(&sources, a);
    diag_init(&diags, a, &sources);
    strbuf_init(&list, a);
    machine_list(a, &diags, directory, &list);
    puts("\n## Machines that are shipped\n\n| name | machine |\n|---|---|");
    for (const char *line = list.data; *line != '\0'; line += strcspn(line, "\n") + 1) {
        int name = (int)strcspn(line, " "), blank = (int)strspn(line + name, " ");
        const char *summary = line + name + blank;
        printf("| `%.*s` | %.*s |\n", name, line, (int)strcspn(summary, "\n"), summary);
    }
    return !diag_has_errors(&diags);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    arena *a = arena_create();
    fputs(introduction, stdout);
    for (machine_type type = 0; type < TYPE_TYPES; type++) {
        machine_key example = {.section = SECTION_processor,
                               .type = type,
                               .max = 1,
                               .detail = MACHINE_PROCESSOR | MACHINE_MEMORY | MACHINE_LINK};
        if (type == TYPE_ENUM || type == TYPE_ENUM_SET)
            printf("| %s | %s |\n", type_names[type],
                   type == TYPE_ENUM ? "one of the words that the key has" : "a list in brackets of such words");
        else
            printf("| %s | %s |\n", type_names[type], machine_expected(a, &example));
    }
    fputs(references, stdout);
    for (machine_section section = 0; section < SECTION_COUNT; section++)
        if (section != SECTION_costs)
            print_section(section);
    print_costs();
    print_words();
    bool ok = print_machines(a, argv[1]);
    arena_destroy(a);
    return !ok || fflush(stdout) != 0;
}
