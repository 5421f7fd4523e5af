// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Printing diagnostics, as clang does or as JSON.
#include "support/diag_render.h"

#include <string.h>

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
        utf8_add_printable(b, f->name, strlen(f->name));
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
        const char *name = source_get(r->sources, chain.data[i].file)->name;
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

// A JSON string of s, whose bytes may be anything.
static void add_json_string(diag_renderer *r, strbuf *b, const char *s)
{
    strbuf valid;
    strbuf_init(&valid, r->scratch);
    utf8_add_valid(&valid, s, strlen(s));
    strbuf_add_quoted(b, valid.data, valid.len);
}

// The members that say where: file, line, column, end_line, end_column; null where there is nothing to say.
static void add_json_place(diag_renderer *r, strbuf *b, src_range range, const char *place)
{
    strbuf_add(b, "\"file\":");
    if (range.file != 0)
        source_load(r->sources, range.file);
    const source_file *f = source_get(r->sources, range.file);
    const char *name = range.file != 0 ? f->name : place;
    if (name != NULL)
        add_json_string(r, b, name);
    else
        strbuf_add(b, "null");
    if (f->text == NULL) {
        strbuf_add(b, ",\"line\":null,\"column\":null,\"end_line\":null,\"end_column\":null");
        return;
    }
    src_pos begin = source_pos(r->sources, range.file, range.begin);
    src_pos end = source_pos(r->sources, range.file, range.end);
    strbuf_printf(b, ",\"line\":%u,\"column\":%u,\"end_line\":%u,\"end_column\":%u", begin.line, begin.column, end.line,
                  end.column);
}

static void add_json_record(diag_renderer *r, strbuf *b, const diag_record *record);

static void add_json_lists(diag_renderer *r, strbuf *b, const diag_record *record)
{
    strbuf_add(b, ",\"ranges\":[");
    for (size_t i = 0; i < record->ranges.len; i++) {
        strbuf_add(b, i > 0 ? ",{" : "{");
        add_json_place(r, b, record->ranges.data[i], NULL);
        strbuf_addc(b, '}');
    }
    strbuf_add(b, "],\"fixits\":[");
    for (size_t i = 0; i < record->fixits.len; i++) {
        strbuf_add(b, i > 0 ? ",{" : "{");
        add_json_place(r, b, record->fixits.data[i].range, NULL);
        strbuf_add(b, ",\"text\":");
        add_json_string(r, b, record->fixits.data[i].text);
        strbuf_addc(b, '}');
    }
    strbuf_add(b, "],\"notes\":[");
    for (size_t i = 0; i < record->notes.len; i++) {
        if (i > 0)
            strbuf_addc(b, ',');
        add_json_record(r, b, record->notes.data[i]);
    }
    strbuf_addc(b, ']');
}

// Where the file is imported, where that is, and so on; left out for files named to the tool.
static void add_json_imports(diag_renderer *r, strbuf *b, source_id file)
{
    const src_range *from = &source_get(r->sources, file)->imported;
    if (from->file == 0)
        return;
    strbuf_add(b, ",\"imported_from\":[");
    for (bool first = true; from->file != 0; from = &source_get(r->sources, from->file)->imported, first = false) {
        strbuf_add(b, first ? "{" : ",{");
        add_json_place(r, b, *from, NULL);
        strbuf_addc(b, '}');
    }
    strbuf_addc(b, ']');
}

static void add_json_record(diag_renderer *r, strbuf *b, const diag_record *record)
{
    strbuf_printf(b, "{\"severity\":\"%s\",", severities[record->severity].name);
    add_json_place(r, b, record->range, record->place);
    strbuf_add(b, ",\"message\":");
    add_json_string(r, b, record->message);
    if (record->warning != WARN_NONE)
        strbuf_printf(b, ",\"flag\":\"-W%s\"", diag_warning_flag(record->warning));
    else
        strbuf_add(b, ",\"flag\":null");
    add_json_lists(r, b, record);
    add_json_imports(r, b, record->range.file);
    strbuf_addc(b, '}');
}

void diag_render(diag_renderer *r, const diag_record *record)
{
    strbuf b;
    strbuf_init(&b, r->scratch);
    if (r->format == DIAG_FORMAT_JSON) {
        add_json_record(r, &b, record);
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
