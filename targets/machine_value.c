// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values of machine files: numbers with units, words and lists, into base units, with an error for everything else.
#include "targets/machine_schema.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct unit {
    const char *text;
    double scale;
    bool relative; // to the clock
} unit;

static const unit size_units[] = {{"B", 1, false},
                                  {"KiB", 1024, false},
                                  {"MiB", 1048576, false},
                                  {"GiB", 1073741824, false},
                                  {"TiB", 1099511627776, false}};
static const unit frequency_units[] = {{"Hz", 1, false}, {"kHz", 1e3, false}, {"MHz", 1e6, false}, {"GHz", 1e9, false}};
static const unit time_units[] = {{"ps", 1e12, false}, {"ns", 1e9, false},  {"us", 1e6, false}, {"ms", 1e3, false},
                                  {"s", 1, false},     {"cycles", 1, true}, {"cycle", 1, true}};
static const unit bandwidth_units[] = {{"B/s", 1, false},         {"kB/s", 1e3, false},         {"MB/s", 1e6, false},
                                       {"GB/s", 1e9, false},      {"TB/s", 1e12, false},        {"KiB/s", 1024, false},
                                       {"MiB/s", 1048576, false}, {"GiB/s", 1073741824, false}, {"B/cycle", 1, true}};

typedef struct unit_table {
    const unit *rows;
    size_t count;
    bool divide; // a unit's scale divides (so that '100 ns' is exactly 100 / 1e9)
} unit_table;
#define UNITS(rows, divide) {rows, sizeof(rows) / sizeof *(rows), divide}
static const unit_table units[TYPE_TYPES] = {
    [TYPE_SIZE] = UNITS(size_units, false),
    [TYPE_FREQUENCY] = UNITS(frequency_units, false),
    [TYPE_TIME] = UNITS(time_units, true),
    [TYPE_BANDWIDTH] = UNITS(bandwidth_units, false),
};

// One value being read, for its messages.
typedef struct reading {
    arena *arena;
    diag_engine *diag;
    const machine_entry *entry;
    const machine_key *key;
} reading;

static bool wrong(const reading *r, const yaml_node *node, const char *why)
{
    const char *what = machine_describe(r->arena, r->entry, r->key);
    if (node->range.file == 0)
        diag_internal(r->diag, node->range, "the default of %s: %s", what, why);
    else
        diag_error(r->diag, node->range, "%s: %s", what, why);
    return false;
}

static bool wrong_kind(const reading *r, const yaml_node *node)
{
    const char *got = node->kind == YAML_SCALAR
                          ? (node->text[0] == '\0' ? "nothing" : arena_printf(r->arena, "'%.60s'", node->text))
                          : yaml_kind_text(node);
    return wrong(r, node, arena_printf(r->arena, "expected %s, not %s", machine_expected(r->arena, r->key), got));
}

// Decimal digits with an optional fraction and exponent; gives where the number ends, or NULL.
static const char *scan_number(const char *text, double *value)
{
    const char *p = text;
    if (*p == '-' || *p == '+')
        p++;
    size_t digits = strspn(p, "0123456789");
    p += digits;
    if (*p == '.') {
        size_t fraction = strspn(p + 1, "0123456789");
        digits += fraction;
        p += 1 + fraction;
    }
    if (digits == 0)
        return NULL;
    if (*p == 'e' || *p == 'E') {
        const char *exponent = p + 1 + (p[1] == '-' || p[1] == '+');
        size_t n = strspn(exponent, "0123456789");
        if (n > 0)
            p = exponent + n;
    }
    *value = strtod(text, NULL);
    return p;
}

static const unit *find_unit(const unit_table *table, const char *text)
{
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->rows[i].text, text) == 0)
            return &table->rows[i];
    return NULL;
}

static const char *base_unit(machine_type type)
{
    switch (type) {
    case TYPE_SIZE: return " B";
    case TYPE_FREQUENCY: return " Hz";
    case TYPE_TIME: return " s (or cycles)";
    case TYPE_BANDWIDTH: return " B/s (or B/cycle)";
    default: return "";
    }
}

static bool in_range(const reading *r, const yaml_node *node, double value)
{
    if (value < 0)
        return wrong(r, node, arena_printf(r->arena, "'%.60s' is negative", node->text));
    if (value < r->key->min)
        return wrong(r, node,
                     arena_printf(r->arena, "'%.60s' is too small; at least %g%s is expected", node->text, r->key->min,
                                  base_unit(r->key->type)));
    double max = isinf(r->key->max) ? 1e15 : r->key->max;
    if (!(value <= max))
        return wrong(r, node,
                     arena_printf(r->arena, "'%.60s' is too large; at most %g%s is expected", node->text, max,
                                  base_unit(r->key->type)));
    return true;
}

static bool wrong_unit(const reading *r, const yaml_node *node, const unit_table *table, const char *text)
{
    if (*text == '\0')
        return wrong(
            r, node,
            arena_printf(r->arena, "'%.60s' has no unit; expected %s", node->text, machine_expected(r->arena, r->key)));
    const char *names[16];
    for (size_t i = 0; i < table->count; i++)
        names[i] = table->rows[i].text;
    const char *near = diag_nearest(text, names, table->count);
    if (r->key->type == TYPE_SIZE && (strcasecmp(text, "kB") == 0 || strcasecmp(text, "MB") == 0))
        near = toupper((unsigned char)text[0]) == 'K' ? "KiB" : "MiB";
    const char *hint = near == NULL ? "" : arena_printf(r->arena, "; did you mean '%s'?", near);
    return wrong(
        r, node,
        arena_printf(r->arena, "unknown unit '%.20s'; expected %s%s", text, machine_expected(r->arena, r->key), hint));
}

// A number with a unit of the key's type, in base units.
static bool read_quantity(const reading *r, const yaml_node *node, double *value, bool *relative)
{
    const char *end = scan_number(node->text, value);
    if (end == NULL)
        return wrong_kind(r, node);
    while (*end == ' ')
        end++;
    const unit_table *table = &units[r->key->type];
    const unit *u = table->count == 0 ? NULL : find_unit(table, end);
    if (table->count == 0 && *end != '\0')
        return wrong_kind(r, node);
    if (table->count > 0 && u == NULL)
        return wrong_unit(r, node, table, end);
    if (u != NULL)
        *value = table->divide ? *value / u->scale : *value * u->scale;
    *relative = u != NULL && u->relative;
    return in_range(r, node, *value);
}

static bool read_whole(const reading *r, const yaml_node *node, uint64_t *field)
{
    if (isinf(r->key->max) && strcmp(node->text, "unbounded") == 0) {
        *field = MACHINE_UNBOUNDED;
        return true;
    }
    double value;
    bool relative;
    if (!read_quantity(r, node, &value, &relative))
        return false;
    if (value != floor(value))
        return wrong(r, node, arena_printf(r->arena, "'%.60s' is not whole", node->text));
    *field = (uint64_t)value;
    return true;
}

static bool read_word(const reading *r, const yaml_node *node, unsigned *value)
{
    size_t count;
    const machine_enumerator *rows = machine_enumerators((machine_enum_id)r->key->detail, &count);
    const char *names[16];
    for (size_t i = 0; i < count; i++) {
        names[i] = rows[i].text;
        if (node->kind == YAML_SCALAR && strcmp(node->text, rows[i].text) == 0) {
            *value = (unsigned)i;
            return true;
        }
    }
    const char *near = node->kind == YAML_SCALAR ? diag_nearest(node->text, names, count) : NULL;
    if (near == NULL)
        return wrong_kind(r, node);
    return wrong(r, node,
                 arena_printf(r->arena, "expected %s, not '%.60s'; did you mean '%s'?",
                              machine_expected(r->arena, r->key), node->text, near));
}

static bool read_word_set(const reading *r, const yaml_node *node, uint64_t *field)
{
    if (node->kind != YAML_SEQUENCE)
        return wrong_kind(r, node);
    for (VEC_EACH(yaml_node *, item, &node->items)) {
        unsigned value;
        if (!read_word(r, *item, &value))
            return false;
        *field |= UINT64_C(1) << value;
    }
    return true;
}

static bool read_steps(const reading *r, const yaml_node *node, machine_steps *steps)
{
    if (node->kind != YAML_SEQUENCE)
        return wrong_kind(r, node);
    for (VEC_EACH(yaml_node *, item, &node->items)) {
        double number[2];
        if ((*item)->kind != YAML_SEQUENCE || (*item)->items.len != 2)
            return wrong_kind(r, *item);
        for (int i = 0; i < 2; i++) {
            const yaml_node *n = (*item)->items.data[i];
            const char *end = n->kind == YAML_SCALAR ? scan_number(n->text, &number[i]) : NULL;
            if (end == NULL || *end != '\0')
                return wrong_kind(r, n);
            if (!in_range(r, n, number[i]))
                return false;
        }
        if (steps->len > 0 && number[0] <= VEC_LAST(steps).limit)
            return wrong(r, *item, "the first numbers of the pairs must increase");
        VEC_PUSH(r->arena, steps, (machine_step){number[0], number[1]});
    }
    return true;
}

static bool read_bool(const reading *r, const yaml_node *node, bool *field)
{
    if (node->kind != YAML_SCALAR || (strcmp(node->text, "true") != 0 && strcmp(node->text, "false") != 0))
        return wrong_kind(r, node);
    *field = node->text[0] == 't';
    return true;
}

static bool read_name(const reading *r, const yaml_node *node, const char **field)
{
    bool good = node->text[0] != '\0' && strlen(node->text) <= 200;
    for (const char *p = node->text; *p != '\0'; p++)
        good = good && (isalnum((unsigned char)*p) || *p == '_' || *p == '-');
    if (!good)
        return wrong_kind(r, node);
    *field = node->text;
    return true;
}

bool machine_parse_value(arena *a, diag_engine *d, const machine_entry *entry, const machine_key *key,
                         const yaml_node *value, void *field)
{
    reading r = {a, d, entry, key};
    bool list = key->type == TYPE_ENUM_SET || key->type == TYPE_STEPS || key->type == TYPE_ENUM ||
                key->type == TYPE_BOOL; // these look at the kind of node themselves
    if (!list && value->kind != YAML_SCALAR)
        return wrong_kind(&r, value);
    double number;
    bool relative;
    switch (key->type) {
    case TYPE_TEXT: *(const char **)field = value->text; return true;
    case TYPE_NAME: return read_name(&r, value, field);
    case TYPE_BOOL: return read_bool(&r, value, field);
    case TYPE_COUNT:
    case TYPE_SIZE: return read_whole(&r, value, field);
    case TYPE_FREQUENCY: return read_quantity(&r, value, field, &relative);
    case TYPE_TIME:
        if (!read_quantity(&r, value, &number, &relative))
            return false;
        *(machine_time *)field = (machine_time){number, relative};
        return true;
    case TYPE_BANDWIDTH:
        if (!read_quantity(&r, value, &number, &relative))
            return false;
        *(machine_bandwidth *)field = (machine_bandwidth){number, relative};
        return true;
    case TYPE_ENUM: return read_word(&r, value, field);
    case TYPE_ENUM_SET: return read_word_set(&r, value, field);
    case TYPE_STEPS: return read_steps(&r, value, field);
    case TYPE_REF:
    case TYPE_REFS:
    case TYPE_SECTION:
    case TYPE_ENTRIES:
    case TYPE_TYPES: break;
    }
    return false;
}
