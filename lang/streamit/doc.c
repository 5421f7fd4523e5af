// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A page of what files declare, from the '///' comments before each declaration: Markdown, a section a file.
//
// A comment is text; a line 'name: text' in it tells of a parameter, 'source: text' where the method is from. What stands
// at the begin of a file with a blank line behind it tells of the file.
#include <ctype.h>
#include <string.h>

#include "lang/streamit/streamit.h"

typedef struct doc_line {
    const char *text;
    size_t len;
} doc_line;
typedef VEC(doc_line) doc_lines;

typedef struct doc_writer {
    arena *arena;
    strbuf *out;
    const source_set *sources;
    const ast_program *program;
    source_id file;
} doc_writer;

static bool is_doc(const char *line, size_t len, doc_line *text)
{
    size_t at = 0;
    while (at < len && (line[at] == ' ' || line[at] == '\t'))
        at++;
    if (len - at < 3 || memcmp(line + at, "///", 3) != 0)
        return false;
    at += 3;
    size_t blanks = strspn(line + at, " ");
    at += blanks > 4 ? 1 : blanks; // more is code
    while (len > at && isspace((unsigned char)line[len - 1]))
        len--;
    *text = (doc_line){line + at, len - at};
    return true;
}

// The comment whose last line is right above that of an offset.
static doc_lines comment_above(const doc_writer *w, uint32_t offset)
{
    const source_file *f = source_get(w->sources, w->file);
    size_t line = source_pos(w->sources, w->file, offset).line - 1, first = line; // from 0
    doc_line text;
    while (first > 0 &&
           is_doc(f->text + f->lines.data[first - 1], f->lines.data[first] - 1 - f->lines.data[first - 1], &text))
        first--;
    doc_lines lines = {0};
    for (; first < line; first++)
        if (is_doc(f->text + f->lines.data[first], f->lines.data[first + 1] - 1 - f->lines.data[first], &text))
            VEC_PUSH(w->arena, &lines, text);
    return lines;
}

// The comment that begins the file, if a blank line follows it.
static doc_lines comment_of_file(const doc_writer *w)
{
    const source_file *f = source_get(w->sources, w->file);
    doc_lines lines = {0};
    doc_line text;
    size_t i = 0;
    for (; i + 1 < f->lines.len; i++) {
        if (!is_doc(f->text + f->lines.data[i], f->lines.data[i + 1] - 1 - f->lines.data[i], &text))
            break;
        VEC_PUSH(w->arena, &lines, text);
    }
    bool blank = i + 1 < f->lines.len &&
                 strspn(f->text + f->lines.data[i], " \t\r\n") >= f->lines.data[i + 1] - f->lines.data[i];
    if (!blank)
        lines.len = 0;
    return lines;
}

// Whether a line begins with the name of a parameter, or 'source', and a colon; gives the name's length.
static size_t key_length(const doc_line *line, const ast_var_list *params)
{
    const char *colon = memchr(line->text, ':', line->len);
    size_t len = colon == NULL ? 0 : (size_t)(colon - line->text);
    if (len == 6 && memcmp(line->text, "source", 6) == 0)
        return len;
    for (size_t i = 0; len > 0 && params != NULL && i < params->len; i++)
        if (strlen(params->data[i]->name) == len && memcmp(params->data[i]->name, line->text, len) == 0)
            return len;
    return 0;
}

// The text, and the list of keys behind it.
static void write_comment(const doc_writer *w, const doc_lines *lines, const ast_var_list *params)
{
    bool listed = false, any = false;
    for (VEC_EACH(const doc_line, line, lines)) {
        size_t key = key_length(line, params);
        if (key > 0) {
            bool source = key == 6 && memcmp(line->text, "source", 6) == 0;
            strbuf_add(w->out, listed || !any ? "" : "\n");
            strbuf_printf(w->out, source ? "* %.*s" : "* `%.*s`", (int)key, line->text);
            strbuf_printf(w->out, "%.*s\n", (int)(line->len - key), line->text + key);
            listed = true;
        } else {
            strbuf_printf(w->out, "%s%.*s\n", listed && line->len > 0 ? "  " : "", (int)line->len, line->text);
        }
        any = true;
    }
    strbuf_add(w->out, any ? "\n" : "");
}

// Source text with single blanks.
static void write_text(const doc_writer *w, uint32_t begin, uint32_t end)
{
    const char *text = source_get(w->sources, w->file)->text;
    bool blank = false;
    for (uint32_t i = begin; i < end; i++) {
        if (isspace((unsigned char)text[i])) {
            blank = true;
            continue;
        }
        strbuf_add(w->out, blank && i > begin ? " " : "");
        strbuf_addc(w->out, text[i]);
        blank = false;
    }
}

// Where the body of what is declared begins.
static uint32_t body_begin(const doc_writer *w, uint32_t from, uint32_t end)
{
    const char *text = source_get(w->sources, w->file)->text;
    while (from < end && text[from] != '{' && text[from] != ';')
        from++;
    while (from > 0 && isspace((unsigned char)text[from - 1]))
        from--;
    return from;
}

static void write_rate(const doc_writer *w, const ast_rate *r, bool *any)
{
    if (!r->given)
        return;
    strbuf_add(w->out, *any ? " " : "`");
    write_text(w, r->range.begin, r->range.end);
    *any = true;
}

static void write_rates(const doc_writer *w, const char *what, const ast_function *f)
{
    bool any = false;
    if (f == NULL)
        return;
    strbuf_printf(w->out, "%s: ", what);
    write_rate(w, &f->pop, &any);
    write_rate(w, &f->peek, &any);
    write_rate(w, &f->push, &any);
    strbuf_add(w->out, any ? "`\n\n" : "none\n\n");
}

static void write_stream(const doc_writer *w, const ast_stream *s)
{
    strbuf_printf(w->out, "### %s\n\n    ", s->name);
    write_text(w, s->range.begin, body_begin(w, s->name_range.end, s->range.end));
    strbuf_add(w->out, "\n\n");
    doc_lines lines = comment_above(w, s->range.begin);
    write_comment(w, &lines, &s->params);
    write_rates(w, "First firing", s->prework);
    write_rates(w, "Each firing", s->work);
}

// The functions of a helper or native block, of which f is the first.
static void write_module(const doc_writer *w, const ast_function *const *functions, size_t count)
{
    const ast_function *first = functions[0];
    strbuf_printf(w->out, "### %s\n\n", first->module);
    doc_lines lines = comment_above(w, first->module_range.begin);
    write_comment(w, &lines, NULL);
    for (size_t i = 0; i < count; i++) {
        const ast_function *f = functions[i];
        if (f->module_range.begin != first->module_range.begin || f->module_range.file != w->file)
            continue;
        strbuf_add(w->out, "    ");
        lang_type_print(w->out, f->result);
        strbuf_printf(w->out, " %s.%s", f->module, f->name);
        write_text(w, f->name_range.end, body_begin(w, f->name_range.end, f->module_range.end));
        strbuf_add(w->out, "\n\n");
        lines = comment_above(w, f->name_range.begin);
        write_comment(w, &lines, &f->params);
    }
}

static void write_modules(const doc_writer *w, const ast_function *const *functions, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const src_range *block = &functions[i]->module_range;
        bool again = i > 0 && functions[i - 1]->module_range.begin == block->begin &&
                     functions[i - 1]->module_range.file == block->file;
        if (block->file == w->file && !again)
            write_module(w, functions + i, count - i);
    }
}

// "dsp/fir.str" is imported as dsp.fir where its name allows that.
static void write_import(const doc_writer *w, const char *path)
{
    size_t len = strlen(path);
    bool words = len > 4 && strcmp(path + len - 4, ".str") == 0;
    for (size_t i = 0; words && i < len - 4; i++) {
        bool first = i == 0 || path[i - 1] == '/';
        unsigned char c = (unsigned char)path[i];
        words = isalpha(c) || c == '_' || (!first && (isdigit(c) || c == '/'));
    }
    if (!words) {
        strbuf_printf(w->out, "    import \"%s\";\n\n", path);
        return;
    }
    strbuf_add(w->out, "    import ");
    for (size_t i = 0; i < len - 4; i++)
        strbuf_addc(w->out, path[i] == '/' ? '.' : path[i]);
    strbuf_add(w->out, ";\n\n");
}

// A line a file: where its section is, and what it declares.
static void write_contents(const doc_writer *w, const source_id *files, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *path = source_get(w->sources, files[i])->name;
        strbuf_printf(w->out, "* [%s](#", path);
        for (const char *c = path; *c != '\0'; c++) // as Markdown's readers name headings
            if (isalnum((unsigned char)*c) || *c == '-' || *c == '_')
                strbuf_addc(w->out, (char)tolower((unsigned char)*c));
        strbuf_addc(w->out, ')');
        const char *separator = ": ";
        for (VEC_EACH(ast_stream *const, s, &w->program->streams)) {
            if ((*s)->range.file != files[i])
                continue;
            strbuf_printf(w->out, "%s%s", separator, (*s)->name);
            separator = ", ";
        }
        strbuf_addc(w->out, '\n');
    }
    strbuf_addc(w->out, '\n');
}

void streamit_print_docs(strbuf *out, const source_set *sources, const ast_program *program, const source_id *files,
                         size_t count)
{
    doc_writer w = {.arena = program->arena, .out = out, .sources = sources, .program = program};
    if (count > 1)
        write_contents(&w, files, count);
    for (size_t i = 0; i < count; i++) {
        const char *path = source_get(sources, files[i])->name;
        w.file = files[i];
        strbuf_printf(out, "## %s\n\n", path);
        doc_lines lines = comment_of_file(&w);
        write_comment(&w, &lines, NULL);
        write_import(&w, path);
        write_modules(&w, (const ast_function *const *)program->helpers.data, program->helpers.len);
        write_modules(&w, (const ast_function *const *)program->natives.data, program->natives.len);
        for (VEC_EACH(ast_stream *const, s, &program->streams))
            if ((*s)->range.file == w.file)
                write_stream(&w, *s);
    }
    while (out->len > 1 && out->data[out->len - 1] == '\n' && out->data[out->len - 2] == '\n')
        out->data[--out->len] = '\0';
}
