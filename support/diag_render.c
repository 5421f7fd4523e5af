// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Printing diagnostics, as clang does or as JSON.
#include "support/diag_render.h"

#include <string.h>

#include "support/json.h"
#include "support/utf8.h"

static const struct severity_info {
    const char *name;
    diag_color color;
} severities[] = {
    [DIAG_NOTE] = {"note", DIAG_COLOR_NOTE},          [DIAG_REMARK] = {"remark", DIAG_COLOR_REMARK},
    [DIAG_WARNING] = {"warning", DIAG_COLOR_WARNING}, [DIAG_ERROR] = {"error", DIAG_COLOR_ERROR},
    [DIAG_FATAL] = {"fatal error", DIAG_COLOR_ERROR}, [DIAG_INTERNAL] = {"internal error", DIAG_COLOR_ERROR},
};

static const char too_many_errors[] = "too many errors emitted, stopping now";
static const char how_to_report[] = "this is a defect of svmc: please report it with the command line, the input files "
                                    "and what 'svmc --version' prints";

void diag_set_color(const diag_renderer *r, strbuf *b, diag_color color)
{
    static const char *const codes[] = {
        [DIAG_COLOR_NONE] = "0",         [DIAG_COLOR_BOLD] = "0;1",    [DIAG_COLOR_ERROR] = "0;1;31",
        [DIAG_COLOR_WARNING] = "0;1;35", [DIAG_COLOR_NOTE] = "0;1;36", [DIAG_COLOR_REMARK] = "0;1;34",
        [DIAG_COLOR_MARK] = "0;1;32",
    };
    if (r->color)
        strbuf_printf(b, "\033[%sm", codes[color]);
}

static void add_heading(diag_renderer *r, strbuf *b, const diag_record *record)
{
    diag_set_color(r, b, DIAG_COLOR_BOLD);
    if (record->range.file != 0) {
        source_load(r->sources, record->range.file);
        const source_file *f = source_get(r->sources, record->range.file);
        src_pos p = source_pos(r->sources, record->range.file, record->range.begin);
        const char *name = source_shown(r->sources, record->range.file);
        utf8_add_printable(b, name, strlen(name));
        if (f->text != NULL)
            strbuf_printf(b, ":%u:%u", p.line, p.column);
        strbuf_add(b, ": ");
    } else if (record->place != NULL) {
        utf8_add_printable(b, record->place, strlen(record->place));
        strbuf_add(b, ": ");
    }
    diag_set_color(r, b, severities[record->severity].color);
    strbuf_printf(b, "%s: ", severities[record->severity].name);
    diag_set_color(r, b, record->severity == DIAG_NOTE ? DIAG_COLOR_NONE : DIAG_COLOR_BOLD);
    utf8_add_printable(b, record->message, strlen(record->message));
    if (record->warning != WARN_NONE)
        strbuf_printf(b, " [%s-W%s]", record->severity >= DIAG_ERROR ? "-Werror," : "",
                      diag_warning_flag(record->warning));
    diag_set_color(r, b, DIAG_COLOR_NONE);
    strbuf_addc(b, '\n');
}

// "in file imported from main.str:1:", the file named to the tool first. The same chain is not told twice in a row.
static void add_imports(diag_renderer *r, strbuf *b, source_id file)
{
    if (file == r->chain)
        return;
    r->chain = file;
    VEC(src_range) chain = {0};
    for (source_id f = file; source_get(r->sources, f)->imported.file != 0; f = VEC_LAST(&chain).file)
        VEC_PUSH(r->scratch, &chain, source_get(r->sources, f)->imported);
    for (size_t i = chain.len; i-- > 0;) {
        strbuf_add(b, "in file imported from ");
        const char *name = source_shown(r->sources, chain.data[i].file);
        utf8_add_printable(b, name, strlen(name));
        strbuf_printf(b, ":%u:\n", source_pos(r->sources, chain.data[i].file, chain.data[i].begin).line);
    }
}

static void add_text(diag_renderer *r, strbuf *b, const diag_record *record)
{
    add_imports(r, b, record->range.file);
    add_heading(r, b, record);
    diag_add_snippet(r, b, record);
    for (size_t i = 0; i < record->notes.len; i++) {
        add_heading(r, b, record->notes.data[i]);
        diag_add_snippet(r, b, record->notes.data[i]);
    }
    if (record->severity == DIAG_INTERNAL)
        strbuf_printf(b, "note: %s\n", how_to_report);
}

// s, whose bytes may be anything; NULL: null.
static void add_json_text(diag_renderer *r, json_out *j, const char *key, const char *s)
{
    strbuf valid;
    strbuf_init(&valid, r->scratch);
    if (s != NULL)
        utf8_add_valid(&valid, s, strlen(s));
    json_text(j, key, s == NULL ? NULL : valid.data);
}

static void add_json_number(json_out *j, const char *key, bool known, uint32_t n)
{
    if (known)
        json_count(j, key, n);
    else
        json_text(j, key, NULL);
}

// The members that say where; null where there is nothing to say.
static void add_json_place(diag_renderer *r, json_out *j, src_range range, const char *place)
{
    if (range.file != 0)
        source_load(r->sources, range.file);
    const source_file *f = source_get(r->sources, range.file);
    bool known = f->text != NULL;
    src_pos begin = {0}, end = {0};
    if (known) {
        begin = source_pos(r->sources, range.file, range.begin);
        end = source_pos(r->sources, range.file, range.end);
    }
    add_json_text(r, j, "file", range.file != 0 ? source_shown(r->sources, range.file) : place);
    add_json_number(j, "line", known, begin.line);
    add_json_number(j, "column", known, begin.column);
    add_json_number(j, "end_line", known, end.line);
    add_json_number(j, "end_column", known, end.column);
}

static void add_json_record(diag_renderer *r, json_out *j, const diag_record *record);

static void add_json_lists(diag_renderer *r, json_out *j, const diag_record *record)
{
    json_begin(j, "ranges", '[');
    for (size_t i = 0; i < record->ranges.len; i++) {
        json_begin(j, NULL, '{');
        add_json_place(r, j, record->ranges.data[i], NULL);
        json_end(j, '}');
    }
    json_end(j, ']');
    json_begin(j, "fixits", '[');
    for (size_t i = 0; i < record->fixits.len; i++) {
        json_begin(j, NULL, '{');
        add_json_place(r, j, record->fixits.data[i].range, NULL);
        add_json_text(r, j, "text", record->fixits.data[i].text);
        json_end(j, '}');
    }
    json_end(j, ']');
    json_begin(j, "notes", '[');
    for (size_t i = 0; i < record->notes.len; i++)
        add_json_record(r, j, record->notes.data[i]);
    json_end(j, ']');
}

// Where the file is imported, where that is, and so on; left out for files named to the tool.
static void add_json_imports(diag_renderer *r, json_out *j, source_id file)
{
    const src_range *from = &source_get(r->sources, file)->imported;
    if (from->file == 0)
        return;
    json_begin(j, "imported_from", '[');
    for (; from->file != 0; from = &source_get(r->sources, from->file)->imported) {
        json_begin(j, NULL, '{');
        add_json_place(r, j, *from, NULL);
        json_end(j, '}');
    }
    json_end(j, ']');
}

static void add_json_record(diag_renderer *r, json_out *j, const diag_record *record)
{
    json_begin(j, NULL, '{');
    json_text(j, "severity", severities[record->severity].name);
    add_json_place(r, j, record->range, record->place);
    add_json_text(r, j, "message", record->message);
    const char *flag = diag_warning_flag(record->warning);
    json_text(j, "flag", record->warning == WARN_NONE ? NULL : arena_printf(r->scratch, "-W%s", flag));
    add_json_lists(r, j, record);
    add_json_imports(r, j, record->range.file);
    json_end(j, '}');
}

void diag_render(diag_renderer *r, const diag_record *record)
{
    strbuf b;
    strbuf_init(&b, r->scratch);
    if (r->format == DIAG_FORMAT_JSON) {
        json_out j = strbuf_json(&b);
        j.tight = true;
        add_json_record(r, &j, record);
        strbuf_addc(&b, '\n');
    } else {
        add_text(r, &b, record);
    }
    fwrite(b.data, 1, b.len, r->out);
}

static void print_count(const diag_renderer *r, size_t count, const char *what, const char *end)
{
    if (count > 0)
        fprintf(r->out, "%zu %s%s%s", count, what, count == 1 ? "" : "s", end);
}

void diag_render_end(diag_renderer *r, bool too_many, size_t errors, size_t warnings)
{
    if (too_many)
        diag_render(r, &(diag_record){.severity = DIAG_FATAL, .message = too_many_errors});
    if (r->format == DIAG_FORMAT_JSON || (errors == 0 && warnings == 0))
        return;
    print_count(r, warnings, "warning", errors > 0 ? " and " : " generated.\n");
    print_count(r, errors, "error", " generated.\n");
}
