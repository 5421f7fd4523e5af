// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The soft processor's parameters: from a machine file, from --set and --sweep, and as text.
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "driver/paths.h"
#include "driver/softproc_run.h"
#include "runtime/softproc/machine_parameters.h"
#include "targets/machine.h"

typedef enum parameter_kind {
    PARAMETER_COUNT,
    PARAMETER_SIZE,
    PARAMETER_TIME,
    PARAMETER_BANDWIDTH,
    PARAMETER_FLAG
} parameter_kind;

typedef struct parameter_row {
    parameter_kind kind;
    const char *key, *field;
    size_t offset;
} parameter_row;

static const parameter_row rows[] = {
#define PARAMETER(kind, key, from, to) {PARAMETER_##kind, key, #to, offsetof(svm_SpParameters, to)},
#include "runtime/softproc/parameters.def"
#undef PARAMETER
};
enum { ROW_COUNT = sizeof rows / sizeof *rows };

static const struct unit {
    parameter_kind kind;
    const char *name;
    double factor; // 0: cycles
} units[] = {
    {PARAMETER_COUNT, "", 1},
    {PARAMETER_SIZE, "", 1},
    {PARAMETER_SIZE, "B", 1},
    {PARAMETER_SIZE, "KiB", 1024},
    {PARAMETER_SIZE, "MiB", 1048576},
    {PARAMETER_TIME, "ps", 1e-12},
    {PARAMETER_TIME, "ns", 1e-9},
    {PARAMETER_TIME, "us", 1e-6},
    {PARAMETER_TIME, "ms", 1e-3},
    {PARAMETER_TIME, "s", 1},
    {PARAMETER_TIME, "cycles", 0},
    {PARAMETER_TIME, "cycle", 0},
    {PARAMETER_BANDWIDTH, "B/s", 1},
    {PARAMETER_BANDWIDTH, "MB/s", 1e6},
    {PARAMETER_BANDWIDTH, "GB/s", 1e9},
    {PARAMETER_BANDWIDTH, "kB/s", 1e3},
    {PARAMETER_BANDWIDTH, "B/cycle", 0},
};

static void usage_error(tool_session *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void usage_error(tool_session *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    diag_error_at(&t->diags, options_tool_name(t->options.tool), "%s", arena_vprintf(t->arena, format, args));
    va_end(args);
}

static void put(svm_SpParameters *p, const parameter_row *row, double value)
{
    char *field = (char *)p + row->offset;
    if (row->kind == PARAMETER_TIME || row->kind == PARAMETER_BANDWIDTH)
        *(double *)field = value;
    else
        *(uint32_t *)field = (uint32_t)value;
}

static const parameter_row *find_row(tool_session *t, const char *key)
{
    const char *keys[ROW_COUNT];
    for (size_t i = 0; i < ROW_COUNT; i++) {
        keys[i] = rows[i].key;
        if (strcmp(key, rows[i].key) == 0)
            return &rows[i];
    }
    const char *near = diag_nearest(key, keys, ROW_COUNT);
    if (near != NULL)
        usage_error(t, "unknown parameter '%s'; did you mean '%s'?", key, near);
    else
        usage_error(t, "unknown parameter '%s'; the parameters are the keys of 'pipeline' in docs/machine-files.md",
                    key);
    return NULL;
}

bool softproc_set(tool_session *t, svm_SpParameters *p, const char *key, const char *value)
{
    const parameter_row *row = find_row(t, key);
    if (row == NULL)
        return false;
    if (row->kind == PARAMETER_FLAG) {
        bool yes = strcmp(value, "true") == 0;
        if (!yes && strcmp(value, "false") != 0) {
            usage_error(t, "'%s=%s': expected true or false", key, value);
            return false;
        }
        put(p, row, yes);
        return true;
    }
    char *end;
    double v = strtod(value, &end);
    bool number = end != value && isfinite(v) && v >= 0;
    while (*end == ' ')
        end++;
    const struct unit *unit = NULL;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (units[i].kind == row->kind && strcmp(units[i].name, end) == 0)
            unit = &units[i];
    bool whole = row->kind == PARAMETER_COUNT || row->kind == PARAMETER_SIZE;
    if (number && unit != NULL)
        v = unit->factor != 0 ? v * unit->factor : row->kind == PARAMETER_TIME ? v / p->clock : v * p->clock;
    if (!number || unit == NULL || (whole && (v != floor(v) || v > UINT32_MAX))) {
        static const char *const expected[] = {"a whole number", "a size in B or KiB", "a time in ns, us or cycles",
                                               "a bandwidth in MB/s, GB/s or B/cycle"};
        usage_error(t, "'%s=%s': expected %s", key, value, expected[row->kind]);
        return false;
    }
    put(p, row, v);
    return true;
}

// The processor with a pipeline.
static const machine_processor *find_processor(tool_session *t, const machine *m, const char *name)
{
    for (VEC_EACH(machine_processor, p, &m->processors))
        if (p->kind == MACHINE_processor_kind_KERNEL && p->pipeline.batches > 0)
            return p;
    usage_error(
        t, "machine '%s' has no processor with a 'pipeline'; svm-spsim simulates soft processors, such as xd1000's",
        name);
    return NULL;
}

bool softproc_parameters(tool_session *t, svm_SpParameters *p)
{
    const char *name = option_last(&t->options, OPT_SP_MACHINE);
    if (name == NULL)
        name = "xd1000";
    const machine *m =
        machine_find(t->arena, &t->diags, paths_installed(t->arena, "share/svmc/machines"), name, (src_range){0});
    const machine_processor *from = m == NULL ? NULL : find_processor(t, m, name);
    if (from == NULL)
        return false;
    *p = sp_parameters_of(from);
    for (VEC_EACH(const option, o, &t->options.items)) {
        if (o->id != OPT_SP_SET)
            continue;
        const char *equals = strchr(o->value, '=');
        if (equals == NULL) {
            usage_error(t, "'--set=%s': expected KEY=VALUE", o->value);
            return false;
        }
        const char *key = arena_strndup(t->arena, o->value, (size_t)(equals - o->value));
        if (!softproc_set(t, p, key, equals + 1))
            return false;
    }
    const char *wrong = sp_check_parameters(p);
    if (wrong != NULL)
        usage_error(t, "%s", wrong);
    return wrong == NULL;
}

// ---- Sweeps ----

enum { MOST_VALUES = 1000 };

static bool add_range(tool_session *t, softproc_values *values, double from, const char *rest, const char **unit)
{
    char *end;
    double to = strtod(rest, &end), step = 0;
    bool ok = end != rest;
    if (ok && *end == '+') {
        rest = end + 1;
        step = strtod(rest, &end);
        ok = end != rest && step > 0;
    }
    *unit = end;
    if (!ok || !(from > 0) || !(to >= from) || !isfinite(to))
        return false;
    // Small errors of sums must not lose the last value.
    for (double v = from; v <= to * (1 + 1e-9); v = step > 0 ? v + step : v * 2) {
        if (values->len >= MOST_VALUES)
            return false;
        VEC_PUSH(t->arena, values, arena_printf(t->arena, "%.10g", v));
    }
    return true;
}

bool softproc_sweep(tool_session *t, const char *text, const char **key, softproc_values *values)
{
    const char *equals = strchr(text, '='), *at = equals == NULL ? NULL : equals + 1, *unit = at;
    bool ok = equals != NULL;
    if (ok)
        *key = arena_strndup(t->arena, text, (size_t)(equals - text));
    while (ok) {
        char *end;
        double v = strtod(at, &end);
        ok = end != at && isfinite(v) && values->len < MOST_VALUES;
        unit = end;
        if (!ok)
            break;
        if (end[0] == '.' && end[1] == '.') {
            ok = add_range(t, values, v, end + 2, &unit);
        } else if (end > at && end[-1] == '.' && end[0] == '.') {
            ok = add_range(t, values, v, end + 1, &unit); // "1..64" reads as "1." and ".64"
        } else {
            VEC_PUSH(t->arena, values, arena_printf(t->arena, "%.10g", v));
        }
        if (!ok || *unit != ',')
            break;
        at = unit + 1;
    }
    if (!ok) {
        usage_error(t,
                    "'--sweep=%s': expected KEY=V1,V2,..., KEY=A..B (doubling) or KEY=A..B+STEP, at most %d values, a "
                    "unit at the "
                    "end",
                    text, MOST_VALUES);
        return false;
    }
    for (VEC_EACH(const char *, v, values))
        *v = arena_printf(t->arena, "%s%s", *v, unit);
    return true;
}

void softproc_print_parameters(const svm_SpParameters *p, const char *name, strbuf *b)
{
    strbuf_printf(b, "// The soft processor of the machine '%s'; written by svm-spsim --print-parameters.\n", name);
    strbuf_add(b, "static const svm_SpParameters svm_spParameters = {\n    .clock = ");
    strbuf_add_double(b, p->clock);
    for (size_t i = 0; i < ROW_COUNT; i++) {
        const char *field = (const char *)p + rows[i].offset;
        strbuf_printf(b, ",\n    .%s = ", rows[i].field);
        if (rows[i].kind == PARAMETER_TIME || rows[i].kind == PARAMETER_BANDWIDTH)
            strbuf_add_double(b, *(const double *)field);
        else
            strbuf_printf(b, "%lu", (unsigned long)*(const uint32_t *)field);
    }
    strbuf_printf(b, ",\n    .registers = %lu,\n    .registerBytes = %lu,\n    .instructions = %lu,\n};\n",
                  (unsigned long)p->registers, (unsigned long)p->registerBytes, (unsigned long)p->instructions);
}
