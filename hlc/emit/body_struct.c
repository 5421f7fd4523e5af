// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Structs: in one line where they fit, else members of one type that follow each other in one.
#include <string.h>

#include "hlc/emit/body.h"

enum { STRUCT_COLUMNS = 120 };

// Where the declarator begins in a declaration without an initialiser: "float x[3]", "svm_Log *log".
static size_t declarator_of(const char *declaration)
{
    size_t at = strcspn(declaration, "[");
    while (at > 0 && declaration[at - 1] != ' ')
        at--;
    return at;
}

// Whether a member may follow the one before behind a comma.
static bool follows(const char *before, const char *member)
{
    const size_t at = declarator_of(member);
    return at == declarator_of(before) && strncmp(before, member, at) == 0 && before[at] != '*' && member[at] != '*';
}

static void add_members(strbuf *text, const emit_declarations *members, bool one_line)
{
    size_t line = text->len;
    for (size_t i = 0; i < members->len; i++) {
        const char *member = members->data[i];
        const bool more = i != 0 && follows(members->data[i - 1], member);
        const char *rest = member + declarator_of(member);
        if (more && (one_line || text->len - line + strlen(rest) + 3 <= STRUCT_COLUMNS)) {
            strbuf_printf(text, ", %s", rest);
            continue;
        }
        if (i != 0)
            strbuf_add(text, one_line ? "; " : ";\n");
        line = text->len;
        strbuf_printf(text, "%s%s", one_line ? "" : "    ", member);
    }
    strbuf_addc(text, ';');
}

void emit_struct_type(emitter *e, const char *kind, const emit_declarations *members, const char *name)
{
    strbuf line;
    strbuf_init(&line, e->arena);
    strbuf_printf(&line, "typedef %s { ", kind);
    add_members(&line, members, true);
    strbuf_printf(&line, " } %s;\n", name);
    if (line.len - 1 <= STRUCT_COLUMNS) {
        strbuf_add(e->out, line.data);
        return;
    }
    strbuf_printf(e->out, "typedef %s {\n", kind);
    add_members(e->out, members, false);
    strbuf_printf(e->out, "\n} %s;\n", name);
}
