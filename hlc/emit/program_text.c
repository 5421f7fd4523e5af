// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small pieces of C text.
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "hlc/emit/program_int.h"
#include "support/c_names.h"

// Where a line that is too long may go on in the next one: behind the last comma or before the last operator that is in
// no string. 0: nowhere.
static size_t break_of(const char *line, size_t room)
{
    size_t best = 0;
    bool quoted = false;
    for (size_t i = 0; line[i] != '\0' && i < room; i++) {
        if (quoted && line[i] == '\\' && line[i + 1] != '\0')
            i++;
        else if (line[i] == '"')
            quoted = !quoted;
        else if (!quoted && line[i] == ',' && line[i + 1] == ' ')
            best = i + 1;
        else if (!quoted && line[i] == ' ' &&
                 (strncmp(line + i, " && ", 4) == 0 || strncmp(line + i, " ? ", 3) == 0 ||
                  strncmp(line + i, " : ", 3) == 0))
            best = i;
    }
    return best;
}

void text_line(program_emitter *x, int indent, const char *format, ...)
{
    va_list args;
    strbuf text;
    strbuf_init(&text, x->e.arena);
    va_start(args, format);
    strbuf_vprintf(&text, format, args);
    va_end(args);
    const char *line = text.len == 0 ? "" : text.data;
    indent += x->deeper;
    size_t column = (size_t)indent * 4, at;
    bool whole = line[0] != '{' && strchr(line, '\n') == NULL &&
                 strstr(line, "/*") == NULL; // a row has places, which are as long as paths are
    for (; whole && column + strlen(line) > TEXT_COLUMNS && (at = break_of(line, TEXT_COLUMNS - column)) > 0;
         line += at + 1, column = (size_t)indent * 4 + 8) {
        strbuf_pad(x->e.out, ' ', column);
        strbuf_printf(x->e.out, "%.*s\n", (int)at, line);
        x->lines++;
    }
    strbuf_pad(x->e.out, ' ', column);
    strbuf_add(x->e.out, line);
    strbuf_addc(x->e.out, '\n');
    x->lines++;
}

void text_call(program_emitter *x, int indent, const char *head, const text_args *args, const char *tail)
{
    strbuf *out = x->e.out;
    indent += x->deeper;
    size_t line = out->len, align = (size_t)indent * 4 + strlen(head), tail_len = strlen(tail);
    strbuf_pad(out, ' ', (size_t)indent * 4);
    strbuf_add(out, head);
    if (align > 80)
        align = (size_t)indent * 4 + 8;
    for (size_t i = 0; i < args->len; i++) {
        size_t len = strlen(args->data[i]) + (i + 1 == args->len ? tail_len : 1);
        if (i != 0 && out->len - line + len + 1 > 120) {
            strbuf_addc(out, '\n');
            x->lines++;
            line = out->len;
            strbuf_pad(out, ' ', align);
        } else if (i != 0) {
            strbuf_addc(out, ' ');
        }
        strbuf_add(out, args->data[i]);
        if (i + 1 != args->len)
            strbuf_addc(out, ',');
    }
    strbuf_add(out, tail);
    strbuf_addc(out, '\n');
    x->lines++;
}

void text_rows(program_emitter *x, int indent, const text_args *rows)
{
    strbuf *out = x->e.out;
    size_t column = 0;
    indent += x->deeper;
    for (VEC_EACH(const char *, row, rows)) {
        size_t length = strlen(*row);
        if (column != 0 && column + 1 + length > TEXT_COLUMNS) {
            strbuf_addc(out, '\n');
            column = 0;
        }
        strbuf_pad(out, ' ', column == 0 ? (size_t)indent * 4 : 1);
        strbuf_add(out, *row);
        column += length + (column == 0 ? (size_t)indent * 4 : 1);
    }
    if (rows->len != 0)
        strbuf_addc(out, '\n');
}

size_t text_begin_table(program_emitter *x, const char *format, ...)
{
    va_list args;
    size_t from = x->e.out->len;
    va_start(args, format);
    strbuf_vprintf(x->e.out, format, args);
    va_end(args);
    strbuf_add(x->e.out, " = {\n");
    return from;
}

// The same text in one line: what begins a line follows behind one blank, the first row behind none.
static const char *in_one_line(program_emitter *x, const char *text)
{
    strbuf line;
    strbuf_init(&line, x->e.arena);
    for (const char *c = text; *c != '\0'; c++) {
        if (*c != '\n') {
            strbuf_addc(&line, *c);
            continue;
        }
        c += strspn(c, "\n ") - 1;
        if (line.data[line.len - 1] != '{' && c[1] != '\0')
            strbuf_addc(&line, ' ');
    }
    line.len -= line.data[line.len - 1] == ',';
    return arena_strndup(x->e.arena, line.data, line.len);
}

void text_end_table(program_emitter *x, size_t from)
{
    strbuf *out = x->e.out;
    const char *line = in_one_line(x, arena_strndup(x->e.arena, out->data + from, out->len - from));
    if (strlen(line) + strlen("};") <= TEXT_COLUMNS) {
        out->len = from;
        strbuf_add(out, line);
    } else if (out->data[out->len - 2] == ',') { // no comment behind the last row
        out->len -= strlen(",\n");
    }
    strbuf_add(out, "};\n\n");
}

const char *text_plus(program_emitter *x, const char *base, int64_t offset)
{
    return offset == 0 ? base : arena_printf(x->e.arena, "%s + %" PRId64, base, offset);
}

const char *text_times(program_emitter *x, const char *factor, int64_t by)
{
    return by == 0 ? "0" : by == 1 ? factor : arena_printf(x->e.arena, "%s * %" PRId64, factor, by);
}

const char *text_position(program_emitter *x, const plan_digits *d, const char *index)
{
    strbuf b;
    strbuf_init(&b, x->e.arena);
    int64_t base = 1;
    for (size_t i = 0; i < d->len; i++) {
        plan_digit digit = d->data[i];
        if (digit.stride != 0) {
            strbuf_add(&b, b.len == 0 ? "" : " + ");
            strbuf_add(&b, index);
            if (base != 1)
                strbuf_printf(&b, " / %" PRId64, base);
            if (digit.radix != 0 && i + 1 != d->len) // nothing is above the last
                strbuf_printf(&b, " %% %" PRId64, digit.radix);
            if (digit.stride != 1)
                strbuf_printf(&b, " * %" PRId64, digit.stride);
        }
        base *= digit.radix == 0 ? 1 : digit.radix;
    }
    return b.len == 0 ? "0" : b.data;
}

const char *text_actor(program_emitter *x, uint32_t actor)
{
    const sir_actor *a = x->m->actors.data[actor];
    const char *place = body_comment_place(&x->e, a->loc);
    return text_comment(x, place == NULL ? a->name : arena_printf(x->e.arena, "%s, %s", a->name, place));
}

const char *text_comment(program_emitter *x, const char *text)
{
    char *safe = arena_strdup(x->e.arena, text);
    for (char *c = safe; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || (c[0] == '*' && c[1] == '/') || (c[0] == '/' && c[1] == '*'))
            *c = '?';
    return safe;
}

const char *text_made_by(program_emitter *x)
{
    const char *from =
        x->m->files.len > 1 ? arena_printf(x->e.arena, " from %s", text_comment(x, x->m->files.data[1])) : "";
    return arena_printf(x->e.arena, "made by svmc %s%s", SVMC_VERSION, from);
}

const char *text_member(program_emitter *x, hmap *taken, const char *wanted)
{
    const char *base = body_identifier(x->e.arena, wanted), *name = base;
    // Keywords and macros of the headers are no member names; other file-scope names do not matter.
    for (uint32_t k = 2;
         hmap_get(taken, name) != NULL || hmap_get(&x->e.c_names, name) == &x->e || c_name_is_listed(name); k++)
        name = arena_printf(x->e.arena, "%s_%" PRIu32, base, k);
    hmap_set(taken, name, taken);
    return name;
}

static bool has_constant(const char *name)
{
    return name[0] >= 'a' && name[0] <= 'z';
}

const char *text_memory(program_emitter *x, const char *name)
{
    return has_constant(name) ? "svm_sharedMemory" : arena_printf(x->e.arena, "&%s", name);
}

void text_memory_constant(program_emitter *x, const char *name)
{
    if (has_constant(name))
        text_line(x, 0, "static const mm_Mem svm_sharedMemory SVM_UNUSED = &%s; /* functions may have a local %s */",
                  name, name);
}

const char *text_processor(program_emitter *x, const char *name)
{
    return arena_printf(x->e.arena, "%s%s", has_constant(name) ? "svm_processor_" : "&", name);
}

const char *text_processor_constant(program_emitter *x, const char *name)
{
    return !has_constant(name)
               ? ""
               : arena_printf(x->e.arena, " static const mm_Proc svm_processor_%s SVM_UNUSED = &%s;", name, name);
}
