// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// support-test diag [json|color|werror|limit=N] FILE: reports one diagnostic for each line of FILE that begins with
// "!", about the line above it. The form is "! severity col end message", then optional parts, each after " | ":
//   note col end message / range col end / fix col end text
// where a column may be prefixed with a line offset, as in -2:5 (two lines up).
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/diag.h"

int test_diag(arena *a, int argc, char **argv);

typedef struct script {
    arena *arena;
    source_set *sources;
    diag_engine *diags;
    source_id file;
    uint32_t line; // that the diagnostic is about
} script;

static uint32_t read_place(script *s, char **text)
{
    long line = 0, column = strtol(*text, text, 10);
    if (**text == ':') {
        line = column;
        column = strtol(*text + 1, text, 10);
    }
    while (**text == ' ')
        ++*text;
    return source_offset(s->sources, s->file, (uint32_t)((long)s->line + line), (uint32_t)column);
}

static src_range read_range(script *s, char **text)
{
    src_range r = {.file = s->file};
    r.begin = read_place(s, text);
    r.end = read_place(s, text);
    return r;
}

static char *word(char **text)
{
    char *first = *text, *end = strchr(first, ' ');
    *text = end == NULL ? first + strlen(first) : end + 1;
    if (end != NULL)
        *end = '\0';
    return first;
}

static void add_part(script *s, diag_record *record, char *text)
{
    const char *kind = word(&text);
    src_range r = read_range(s, &text);
    if (strcmp(kind, "note") == 0)
        diag_add_note(s->diags, record, r, "%s", text);
    else if (strcmp(kind, "range") == 0)
        diag_add_range(s->diags, record, r);
    else
        diag_add_fixit(s->diags, record, r, text);
}

static void report(script *s, char *text)
{
    char *parts = strstr(text, " | ");
    if (parts != NULL)
        *parts = '\0';
    const char *severity = word(&text);
    diag_record *record;
    if (strcmp(severity, "tool") == 0) {
        record = diag_error_at(s->diags, "svmc", "%s", text);
    } else {
        src_range r = read_range(s, &text);
        if (strcmp(severity, "warning") == 0)
            record = diag_warning(s->diags, WARN_IMPLICIT_POP, r, "%s", text);
        else if (strcmp(severity, "off") == 0)
            record = diag_warning(s->diags, WARN_STATEFUL, r, "%s", text);
        else if (strcmp(severity, "remark") == 0)
            record = diag_remark(s->diags, r, "%s", text);
        else if (strcmp(severity, "internal") == 0)
            record = diag_internal(s->diags, r, "%s", text);
        else
            record = diag_error(s->diags, r, "%s", text);
    }
    while (parts != NULL) {
        char *part = parts + 3;
        parts = strstr(part, " | ");
        if (parts != NULL)
            *parts = '\0';
        add_part(s, record, part);
    }
}

int test_diag(arena *a, int argc, char **argv)
{
    source_set sources;
    source_set_init(&sources, a);
    diag_engine d;
    diag_init(&d, a, &sources);
    diag_format format = DIAG_FORMAT_TEXT;
    bool color = false;
    for (; argc > 1; argc--, argv++) {
        if (strcmp(argv[0], "json") == 0)
            format = DIAG_FORMAT_JSON;
        else if (strcmp(argv[0], "color") == 0)
            color = true;
        else if (strncmp(argv[0], "limit=", 6) == 0)
            d.error_limit = strtoul(argv[0] + 6, NULL, 10);
        else if (strcmp(argv[0], "remarks") == 0)
            d.remarks = true;
        else if (strcmp(argv[0], "quiet") == 0)
            d.no_warnings = true;
        else if (!diag_warning_option(&d, argv[0]))
            return 2;
    }
    source_id file = argc == 1 ? source_read(&sources, argv[0]) : 0;
    if (file == 0)
        return 2;
    const source_file *f = source_get(&sources, file);
    for (uint32_t i = 1; i < f->lines.len; i++) {
        const char *begin = f->text + f->lines.data[i], *end = strchr(begin, '\n');
        if (begin[0] != '!' || end == NULL)
            continue;
        script s = {a, &sources, &d, file, i};
        report(&s, arena_strndup(a, begin + 2, (size_t)(end - begin - 2)));
    }
    diag_flush(&d, stdout, format, color);
    diag_flush(&d, stdout, format, color); // nothing is said twice
    return diag_has_errors(&d) ? 1 : 0;
}
