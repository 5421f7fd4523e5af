// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Source texts and places in them.
#include "support/source.h"

#include <string.h>

#include "support/file.h"

void source_set_init(source_set *s, arena *a)
{
    *s = (source_set){.arena = a};
    VEC_PUSH(a, &s->files, (source_file){.name = "", .unreadable = true});
}

static void find_lines(source_set *s, source_file *f)
{
    f->lines.len = 0;
    VEC_PUSH(s->arena, &f->lines, 0);
    for (const char *p = f->text, *end = f->text + f->len; (p = memchr(p, '\n', (size_t)(end - p))) != NULL;)
        VEC_PUSH(s->arena, &f->lines, (uint32_t)(++p - f->text));
}

// Takes over text, which is NUL-terminated and in the set's arena.
static source_id add_file(source_set *s, const char *name, const char *text, size_t len)
{
    source_file f = {.name = arena_strdup(s->arena, name), .text = text, .len = len};
    find_lines(s, &f);
    VEC_PUSH(s->arena, &s->files, f);
    return (source_id)(s->files.len - 1);
}

source_id source_add(source_set *s, const char *name, const char *text, size_t len)
{
    if (len > SOURCE_MAX_BYTES)
        len = SOURCE_MAX_BYTES;
    return add_file(s, name, arena_strndup(s->arena, text, len), len);
}

source_id source_read(source_set *s, const char *path)
{
    char *text;
    size_t len;
    if (!file_read_limited(s->arena, path, SOURCE_MAX_BYTES, false, &text, &len))
        return 0;
    size_t mark = len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    return add_file(s, strcmp(path, "-") == 0 ? "<stdin>" : path, text + mark, len - mark);
}

source_id source_add_name(source_set *s, const char *name)
{
    VEC_PUSH(s->arena, &s->files, (source_file){.name = arena_strdup(s->arena, name)});
    return (source_id)(s->files.len - 1);
}

const source_file *source_get(const source_set *s, source_id id)
{
    return &s->files.data[id < s->files.len ? id : 0];
}

bool source_load(source_set *s, source_id id)
{
    source_file *f = &s->files.data[id < s->files.len ? id : 0];
    if (f->text != NULL)
        return true;
    if (f->unreadable)
        return false;
    char *text;
    size_t len;
    f->unreadable =
        strcmp(f->name, "-") == 0 || !file_read_limited(s->arena, f->name, SOURCE_MAX_BYTES, true, &text, &len);
    if (f->unreadable)
        return false;
    f->text = text;
    f->len = len;
    find_lines(s, f);
    return true;
}

bool source_passes(const source_set *s, source_id id)
{
    const char *name = source_get(s, id)->name;
    return s->passing != NULL && name != NULL && strncmp(name, s->passing, strlen(s->passing)) == 0;
}

const char *source_shown(const source_set *s, source_id id)
{
    return source_get(s, id)->name + (source_passes(s, id) ? strlen(s->passing) : 0);
}

src_pos source_pos(const source_set *s, source_id id, uint32_t offset)
{
    const source_file *f = source_get(s, id);
    if (f->text == NULL)
        return (src_pos){.line = 1, .column = 1};
    if (offset > f->len)
        offset = (uint32_t)f->len;
    size_t low = 0, high = f->lines.len; // the line is in [low, high)
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (f->lines.data[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    return (src_pos){.line = (uint32_t)low + 1, .column = offset - f->lines.data[low] + 1};
}

uint32_t source_offset(source_set *s, source_id id, uint32_t line, uint32_t column)
{
    if (!source_load(s, id) || line == 0)
        return 0;
    const source_file *f = source_get(s, id);
    if (line > f->lines.len)
        return (uint32_t)f->len;
    uint32_t begin = f->lines.data[line - 1];
    uint32_t end = line < f->lines.len ? f->lines.data[line] - 1 : (uint32_t)f->len;
    uint32_t along = column > 0 ? column - 1 : 0;
    return along < end - begin ? begin + along : end;
}
