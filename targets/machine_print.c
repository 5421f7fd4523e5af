// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --print-machine: the effective values as a machine file that reads back, each with where it comes from as a comment.
#include <ctype.h>
#include <string.h>

#include "targets/machine_schema.h"

enum { COMMENT_COLUMN = 56 };

typedef struct printer {
    const source_set *sources;
    strbuf *out;
} printer;

// Whether a scalar reads back as itself when it is written plain, also within brackets.
static bool is_plain(const char *text)
{
    if (text[0] == '\0' || isspace((unsigned char)text[0]) || isspace((unsigned char)text[strlen(text) - 1]) ||
        strchr("-?!&*|>%@`'\"#[]{},:~", text[0]) != NULL || strcmp(text, "null") == 0)
        return false;
    for (const char *p = text; *p != '\0'; p++) {
        if (strchr("[]{},\n\r\t\"", *p) != NULL || (*p == ':' && (p[1] == ' ' || p[1] == '\0')) ||
            (*p == '#' && p[-1] == ' '))
            return false;
    }
    return true;
}

static void print_node(strbuf *b, const yaml_node *node)
{
    if (node->kind == YAML_SCALAR) {
        if (is_plain(node->text))
            strbuf_add(b, node->text);
        else
            strbuf_add_quoted(b, node->text, strlen(node->text));
        return;
    }
    strbuf_addc(b, '[');
    for (size_t i = 0; i < node->items.len; i++) {
        if (i > 0)
            strbuf_add(b, ", ");
        print_node(b, node->items.data[i]);
    }
    strbuf_addc(b, ']');
}

static void print_origin(printer *p, size_t line_start, const machine_setting *s)
{
    size_t width = p->out->len - line_start;
    strbuf_pad(p->out, ' ', width < COMMENT_COLUMN ? COMMENT_COLUMN - width : 1);
    if (!s->given) {
        strbuf_add(p->out, "# default\n");
        return;
    }
    src_range range = s->value->range;
    strbuf_printf(p->out, "# %s:%u\n", source_get(p->sources, range.file)->name,
                  source_pos(p->sources, range.file, range.begin).line);
}

static void print_section(printer *p, const machine_entry *entry, size_t indent);

static void print_entries(printer *p, const machine_setting *s, size_t indent)
{
    for (size_t i = 0; i < s->entries.len; i++) {
        const machine_entry *e = s->entries.data[i];
        strbuf_pad(p->out, ' ', indent);
        strbuf_printf(p->out, "%s:\n", e->name);
        print_section(p, e, indent + 2);
    }
}

static void print_setting(printer *p, const machine_setting *s, size_t indent)
{
    size_t start = p->out->len;
    strbuf_pad(p->out, ' ', indent);
    strbuf_printf(p->out, "%s:", s->key->key);
    if (s->key->type == TYPE_SECTION || s->key->type == TYPE_ENTRIES) {
        strbuf_addc(p->out, '\n');
        size_t empty = p->out->len;
        if (s->nested != NULL)
            print_section(p, s->nested, indent + 2);
        print_entries(p, s, indent + 2);
        if (p->out->len == empty) {
            p->out->len--;
            strbuf_add(p->out, " {}\n");
        }
        return;
    }
    strbuf_addc(p->out, ' ');
    print_node(p->out, s->value);
    print_origin(p, start, s);
}

// Without the values that are absent.
static void print_section(printer *p, const machine_entry *entry, size_t indent)
{
    for (size_t i = 0; i < entry->setting_count; i++)
        if (entry->settings[i].value != NULL)
            print_setting(p, &entry->settings[i], indent);
}

void machine_print(const machine *m, const source_set *sources, strbuf *out)
{
    printer p = {sources, out};
    print_section(&p, m->entry, 0);
}
