// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tables of an emitted program: rows side by side, with names behind them in small programs.
#include <inttypes.h>
#include <string.h>

#include "hlc/emit/program_int.h"

enum { TABLE_NAMED = 60 }; // actors that are named, at most

bool program_names_rows(const program_emitter *x)
{
    return x->m->actors.len <= TABLE_NAMED;
}

void program_table(program_emitter *x, const char *comment, const char *declaration, const text_args *rows)
{
    text_line(x, 0, "/* %s */", comment);
    size_t table = text_begin_table(x, "static const %s[]", declaration);
    text_rows(x, 1, rows);
    if (rows->len == 0)
        text_line(x, 1, "0,");
    text_end_table(x, table);
}

void program_count_table(program_emitter *x, const char *comment, const char *name, const char *type,
                         const int64_t *values, size_t count)
{
    text_args rows = {0};
    for (size_t i = 0; i < count; i++)
        VEC_PUSH(x->e.arena, &rows, arena_printf(x->e.arena, "%" PRId64 ",", values[i]));
    program_table(x, comment, arena_printf(x->e.arena, "%s %s", type, name), &rows);
}

// The file in which all actors are, as places have it; NULL: there are several, or none.
static const char *file_of_all(program_emitter *x)
{
    const char *file = NULL;
    for (uint32_t i = 0; i < x->m->actors.len; i++) {
        const char *place = body_comment_place(&x->e, x->m->actors.data[i]->loc),
                   *line = place == NULL ? NULL : strrchr(place, ':');
        if (line == NULL)
            return NULL;
        const char *name = arena_strndup(x->e.arena, place, (size_t)(line - place));
        if (file != NULL && strcmp(file, name) != 0)
            return NULL;
        file = name;
    }
    return file == NULL ? NULL : text_comment(x, file);
}

// "LowPass_1:12", or with its file.
static const char *named(program_emitter *x, uint32_t actor, const char *file)
{
    const sir_actor *a = x->m->actors.data[actor];
    const char *place = file == NULL ? NULL : body_comment_place(&x->e, a->loc);
    return place == NULL ? text_actor(x, actor)
                         : arena_printf(x->e.arena, "%s%s", text_comment(x, a->name), strrchr(place, ':'));
}

void program_firing_table(program_emitter *x, const char *comment, const char *name, const int64_t *values)
{
    if (!program_names_rows(x)) {
        program_count_table(x, comment, name, "int64_t", values, x->m->actors.len);
        return;
    }
    arena *a = x->e.arena;
    const char *file = file_of_all(x);
    text_args rows = {0};
    for (uint32_t i = 0; i < x->m->actors.len; i++)
        VEC_PUSH(a, &rows, arena_printf(a, "%" PRId64 ", /* %s */", values[i], named(x, i, file)));
    if (file != NULL)
        comment = arena_printf(a, "%s Behind it NAME:LINE of %s.", comment, file);
    program_table(x, comment, arena_printf(a, "int64_t %s", name), &rows);
}

void program_channel_table(program_emitter *x)
{
    if (x->pl->buffers.len == 0)
        return;
    text_line(x, 0, "/* Where each channel lies in the program's memory, how many items it holds and of what size. */");
    size_t table = text_begin_table(x, "static const svm_ChannelPlace %s_channels[]", x->name);
    text_args rows = {0};
    for (uint32_t i = 0; i < x->pl->buffers.len; i++) {
        const plan_buffer *b = &x->pl->buffers.data[i];
        const sir_type *t = x->m->channels.data[b->channel].type;
        VEC_PUSH(x->e.arena, &rows,
                 arena_printf(x->e.arena, "{%" PRIu64 ", %" PRId64 ", sizeof(%s), \"%s\"},", b->address, b->capacity,
                              emit_declare_item(&x->e, t, ""), x->buffer_names[i]));
    }
    text_rows(x, 1, &rows);
    text_end_table(x, table);
}
