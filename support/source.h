// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Source texts and places in them. Texts are kept in memory for the whole session, so that standard input has snippets
// too. A place is a file and a byte range; lines and columns are computed only when something is printed.
#ifndef SVMC_SUPPORT_SOURCE_H
#define SVMC_SUPPORT_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "support/arena.h"
#include "support/vec.h"

typedef uint32_t source_id; // 0 is no file; files count from 1

typedef struct src_range {
    source_id file;
    uint32_t begin, end; // byte offsets, half open; begin == end is a point
} src_range;

typedef struct source_file {
    const char *name; // as the user gave it; "<stdin>" for standard input
    const char *text; // NUL-terminated after len; NULL when only the name is known (a file named by stream IR text)
    size_t len;
    src_range imported;  // what made this file part of the program; file 0: it was named to the tool
    bool unreadable;     // the text of a file known by name was wanted and could not be had
    VEC(uint32_t) lines; // byte offset of each line's start
} source_file;

typedef struct source_set {
    arena *arena;
    VEC(source_file) files; // files.data[0] is a dummy
    const char *passing;    // a folder, with its slash, that is gone when the tool has ended; NULL: there is none
} source_set;

typedef struct src_pos {
    uint32_t line, column; // both count from 1; column counts bytes (as clang prints them)
} src_pos;

// Largest text accepted, so that offsets fit 32 bits with room to spare.
#define SOURCE_MAX_BYTES (1u << 30)

void source_set_init(source_set *s, arena *a);
source_id source_add(source_set *s, const char *name, const char *text, size_t len);
// Reads a file ("-" is standard input), without the byte order mark that some editors put before UTF-8 text; returns 0 and
// leaves errno on failure (EFBIG when too large).
source_id source_read(source_set *s, const char *path);
// A file known by name only; the text is read later, if it can be, when a snippet is wanted.
source_id source_add_name(source_set *s, const char *name);
// Reads the text of a file known by name; false when it cannot be had. Only regular files are read so.
bool source_load(source_set *s, source_id id);
const source_file *source_get(const source_set *s, source_id id);
// A file that passes, since it is in that folder; it is named without it.
bool source_passes(const source_set *s, source_id id);
// How messages name it.
const char *source_shown(const source_set *s, source_id id);
src_pos source_pos(const source_set *s, source_id id, uint32_t offset);
// The offset of line:column, clamped to the text; 0 when the text is unknown.
uint32_t source_offset(source_set *s, source_id id, uint32_t line, uint32_t column);

static inline src_range src_join(src_range a, src_range b)
{
    if (a.file == 0)
        return b;
    if (b.file != a.file)
        return a;
    if (b.begin < a.begin)
        a.begin = b.begin;
    if (b.end > a.end)
        a.end = b.end;
    return a;
}

#endif
