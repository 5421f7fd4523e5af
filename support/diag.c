// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Diagnostics: what is reported, kept and counted. diag_render.c prints them.
#include "support/diag.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "support/diag_render.h"
#include "support/hmap.h"
#include "support/strbuf.h"

static const struct warning_info {
    const char *flag;
    bool enabled;
} warnings[WARN_COUNT] = {
#define WARNING(id, flag, enabled, help) [WARN_##id] = {flag, enabled},
#include "support/warnings.def"
#undef WARNING
};

void diag_init(diag_engine *d, arena *a, source_set *sources)
{
    *d = (diag_engine){.arena = a, .sources = sources, .error_limit = 20};
    for (size_t i = 1; i < WARN_COUNT; i++)
        d->warning_enabled[i] = warnings[i].enabled;
    d->seen = ARENA_NEW(a, hmap);
    hmap_init(d->seen, a);
}

const char *diag_warning_flag(diag_warning_id id)
{
    return warnings[id].flag;
}

static diag_warning_id find_warning(const char *flag)
{
    for (size_t i = 1; i < WARN_COUNT; i++)
        if (strcmp(warnings[i].flag, flag) == 0)
            return (diag_warning_id)i;
    return WARN_NONE;
}

static const char *after_prefix(const char *s, const char *prefix)
{
    size_t n = strlen(prefix);
    return strncmp(s, prefix, n) == 0 ? s + n : NULL;
}

bool diag_warning_option(diag_engine *d, const char *option)
{
    const char *rest = after_prefix(option, "no-");
    bool on = rest == NULL;
    const char *name = on ? option : rest;
    if (strcmp(name, "error") == 0) {
        d->warnings_are_errors = on;
        return true;
    }
    bool whether_error = (rest = after_prefix(name, "error=")) != NULL;
    if (whether_error)
        name = rest;
    bool all = !whether_error && (strcmp(name, "all") == 0 || strcmp(name, "everything") == 0);
    if (all) {
        for (size_t i = 1; i < WARN_COUNT; i++)
            d->warning_enabled[i] = on;
        return true;
    }
    diag_warning_id id = find_warning(name);
    if (id == WARN_NONE)
        return false;
    if (!whether_error || on)
        d->warning_enabled[id] = on;
    if (whether_error)
        d->warning_is_error[id] = on;
    return true;
}

const char *diag_nearest_warning(const char *option)
{
    const char *flags[WARN_COUNT];
    for (size_t i = 1; i < WARN_COUNT; i++)
        flags[i - 1] = warnings[i].flag;
    const char *name = option, *rest;
    if ((rest = after_prefix(name, "no-")) != NULL || (rest = after_prefix(name, "error=")) != NULL)
        name = rest;
    return diag_nearest(name, flags, WARN_COUNT - 1);
}

// True when the same has not been reported of the same place yet.
static bool is_new(diag_engine *d, const diag_record *r)
{
    char *key = arena_printf(d->arena, "%d %u %u %u %s %s", (int)r->severity, r->range.file, r->range.begin,
                             r->range.end, r->place == NULL ? "" : r->place, r->message);
    if (hmap_get(d->seen, key) != NULL)
        return false;
    hmap_set(d->seen, key, d);
    return true;
}

static diag_record *make_record(diag_engine *d, diag_severity severity, src_range range, const char *format,
                                va_list args)
{
    diag_record *r = ARENA_NEW(d->arena, diag_record);
    r->severity = severity;
    r->range = range;
    r->message = arena_vprintf(d->arena, format, args);
    return r;
}

// Counts and keeps r unless it is a repetition or beyond the error limit.
static diag_record *report(diag_engine *d, diag_record *r)
{
    if (!is_new(d, r))
        return r;
    bool is_error = r->severity >= DIAG_ERROR;
    if (is_error)
        d->error_count++;
    else if (r->severity == DIAG_WARNING)
        d->warning_count++;
    if (is_error && r->severity != DIAG_INTERNAL && d->error_limit > 0 && d->error_count > d->error_limit)
        return r;
    VEC_PUSH(d->arena, &d->records, r);
    return r;
}

diag_record *diag_error(diag_engine *d, src_range r, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    diag_record *record = make_record(d, DIAG_ERROR, r, format, args);
    va_end(args);
    return report(d, record);
}

diag_record *diag_error_at(diag_engine *d, const char *place, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    diag_record *record = make_record(d, DIAG_ERROR, (src_range){0}, format, args);
    va_end(args);
    record->place = place == NULL ? NULL : arena_strdup(d->arena, place);
    return report(d, record);
}

diag_record *diag_warning(diag_engine *d, diag_warning_id id, src_range r, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    diag_record *record = make_record(d, DIAG_WARNING, r, format, args);
    va_end(args);
    record->warning = id;
    if (!d->warning_enabled[id] || d->no_warnings)
        return record;
    if (d->warnings_are_errors || d->warning_is_error[id])
        record->severity = DIAG_ERROR;
    return report(d, record);
}

diag_record *diag_remark(diag_engine *d, src_range r, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    diag_record *record = make_record(d, DIAG_REMARK, r, format, args);
    va_end(args);
    return d->remarks ? report(d, record) : record;
}

diag_record *diag_internal(diag_engine *d, src_range r, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    diag_record *record = make_record(d, DIAG_INTERNAL, r, format, args);
    va_end(args);
    return report(d, record);
}

diag_record *diag_add_note(diag_engine *d, diag_record *r, src_range where, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    diag_record *note = make_record(d, DIAG_NOTE, where, format, args);
    va_end(args);
    VEC_PUSH(d->arena, &r->notes, note);
    return note;
}

void diag_add_range(diag_engine *d, diag_record *r, src_range range)
{
    VEC_PUSH(d->arena, &r->ranges, range);
}

void diag_add_fixit(diag_engine *d, diag_record *r, src_range range, const char *text)
{
    VEC_PUSH(d->arena, &r->fixits, (diag_fixit){.range = range, .text = arena_strdup(d->arena, text)});
}

bool diag_has_errors(const diag_engine *d)
{
    return d->error_count > 0;
}

typedef struct sort_key {
    const diag_record *record;
    size_t order;
} sort_key;

static int compare_places(const void *x, const void *y)
{
    const sort_key *a = x, *b = y;
    const src_range *p = &a->record->range, *q = &b->record->range;
    if (p->file != q->file)
        return p->file < q->file ? -1 : 1;
    if (p->file != 0 && p->begin != q->begin)
        return p->begin < q->begin ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

void diag_flush(diag_engine *d, FILE *out, diag_format format, bool color)
{
    size_t errors = d->error_count - d->errors_flushed, warned = d->warning_count - d->warnings_flushed;
    if (d->records.len == 0 && errors == 0 && warned == 0)
        return;
    arena *scratch = arena_create();
    sort_key *keys = ARENA_ARRAY(scratch, sort_key, d->records.len);
    for (size_t i = 0; i < d->records.len; i++)
        keys[i] = (sort_key){d->records.data[i], i};
    qsort(keys, d->records.len, sizeof *keys, compare_places);
    diag_renderer renderer = {.sources = d->sources, .scratch = scratch, .out = out, .format = format, .color = color};
    for (size_t i = 0; i < d->records.len; i++)
        diag_render(&renderer, keys[i].record);
    bool too_many = d->error_limit > 0 && d->error_count > d->error_limit && d->errors_flushed <= d->error_limit;
    diag_render_end(&renderer, too_many, errors, warned);
    arena_destroy(scratch);
    fflush(out);
    d->records.len = 0;
    d->errors_flushed = d->error_count;
    d->warnings_flushed = d->warning_count;
}

const char *diag_nearest(const char *name, const char *const *candidates, size_t count)
{
    size_t len = strlen(name), limit = (len + 2) / 3;
    const char *nearest = NULL;
    for (size_t i = 0; i < count; i++) {
        if (strcasecmp(name, candidates[i]) == 0)
            return candidates[i];
        size_t distance = edit_distance(name, candidates[i], limit);
        if (distance <= limit && distance < len) {
            nearest = candidates[i];
            if (distance == 0)
                break;
            limit = distance - 1; // only a nearer one displaces it
        }
    }
    return nearest;
}
