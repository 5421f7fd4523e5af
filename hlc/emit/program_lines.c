// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// With -g: which file and line each line of an emitted program belongs to. A firing function's lines are the source's, each
// at the statement that it comes from; all others are those of the emitted file itself.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "hlc/emit/program_int.h"

typedef struct line_writer {
    const sir_module *m;
    const char *path; // of the emitted file
    strbuf out;
    uint64_t own;        // lines written
    uint32_t file, line; // the source's place at present; file 0: the emitted text
    uint32_t at_file;    // what the C compiler takes the next line for
    uint64_t at_line;
} line_writer;

static void write_directive(line_writer *w, uint64_t line, const char *file)
{
    strbuf_printf(&w->out, "#line %" PRIu64 " ", line);
    strbuf_add_c_string(&w->out, file, strlen(file));
    strbuf_addc(&w->out, '\n');
    w->own++;
}

// The C compiler is at the wrong place: behind a mark, or since a statement has several lines of C.
static void place_line(line_writer *w)
{
    if (w->file == 0 && w->at_file != 0)
        write_directive(w, w->own + 2, w->path);
    else if (w->file != 0 && (w->at_file != w->file || w->at_line != w->line))
        write_directive(w, w->line, w->m->files.data[w->file]);
    w->at_file = w->file;
    w->at_line = w->line;
}

static void write_line(line_writer *w, const char *text, size_t len)
{
    place_line(w);
    strbuf_addn(&w->out, text, len);
    w->own++;
    w->at_line++;
}

// gdb reads the section: a byte 1 before each name of a file in Python.
void program_debugger(program_emitter *x)
{
    const char *file = hlc_keeps_names(x->p->config) ? x->p->config->gdb_commands : NULL;
    if (file == NULL || strpbrk(file, "\"\\\n") != NULL)
        return;
    text_line(x, 0, "#ifdef __ELF__ /* gdb's commands for actors, which it loads with the program where it may */");
    text_line(x, 0, "__asm__(\".pushsection .debug_gdb_scripts, \\\"MS\\\", %%progbits, 1\\n\"");
    text_line(x, 0, "        \".byte 1\\n.asciz \\\"%s\\\"\\n.popsection\");", file);
    text_line(x, 0, "#endif\n");
}

const char *program_resolve_lines(program_emitter *x, const char *path)
{
    line_writer w = {.m = x->m, .path = path};
    strbuf_init(&w.out, x->e.arena);
    for (const char *p = x->e.out->data, *end; *p != '\0'; p = end) {
        const char *newline = strchr(p, '\n');
        end = newline == NULL ? p + strlen(p) : newline + 1;
        if (strncmp(p, "#@", 2) != 0) {
            write_line(&w, p, (size_t)(end - p));
            continue;
        }
        char *rest;
        w.file = (uint32_t)strtoul(p + 2, &rest, 10);
        w.line = w.file == 0 ? 0 : (uint32_t)strtoul(rest, NULL, 10);
    }
    return w.out.data;
}
