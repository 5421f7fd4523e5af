// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Items of strips and rounds; and runs of kernels with streams (NOTE(streams)): their type, and windows that are in queues.
#include <inttypes.h>
#include <string.h>

#include "hlc/emit/mapped_int.h"

bool mapped_window_has_halo(const mapped_window *w)
{
    return !w->input && w->queue->queue->halo != 0 && w->queue->stream->to != SIR_NONE && w->queue->step != 0 &&
           !w->queue->forgets;
}

int64_t mapped_strip_items(const program_emitter *x, const mapped_queue *r)
{
    return x->pl->strip * r->step;
}

int64_t mapped_round_items(const program_emitter *x, const mapped_queue *r)
{
    return x->pl->cut->strips * mapped_strip_items(x, r);
}

// "strip * 512 - 64"
const char *mapped_times_plus(program_emitter *x, const char *factor, int64_t by, int64_t offset)
{
    const char *text = by == 0 ? "0" : text_times(x, factor, by);
    if (offset == 0)
        return text;
    return by == 0 ? arena_printf(x->e.arena, "%" PRId64, offset)
                   : arena_printf(x->e.arena, offset < 0 ? "%s - %" PRId64 : "%s + %" PRId64, text,
                                  offset < 0 ? -offset : offset);
}

// ---- The type ----

// A run with streams.
void mapped_run_type(program_emitter *x, const mapped_kernel *p)
{
    text_line(x, 0, "/* A run of kernel %s with its windows%s. */", p->k->kernel->name,
              p->moved ? " and what moves them" : " of the queues");
    text_line(x, 0, "typedef struct {");
    text_line(x, 1, "%s run;", p->k->type);
    if (p->phases || p->primes)
        text_line(x, 1, "bool phase; /* of the initialisation, priming or the end of input: no strips come and go */");
    mapped_stream_type(x, p);
    text_line(x, 0, "} %s;\n", p->run_type);
}

// ---- Windows ----

void mapped_window_function(program_emitter *x, const mapped_kernel *p, const mapped_window *w)
{
    arena *a = x->e.arena;
    text_line(x, 0, "/* A run's window of %s: so many items from the round's item `first` on. */", w->queue->name);
    text_args params = {0};
    VEC_PUSH(a, &params, arena_printf(a, "%s *self", x->type));
    VEC_PUSH(a, &params, arena_printf(a, "%s *r", p->run_type));
    VEC_PUSH(a, &params, "int slot");
    VEC_PUSH(a, &params, "int64_t first");
    VEC_PUSH(a, &params, "size_t items");
    text_call(x, 0, arena_printf(a, "static void %s(", w->place), &params, ")");
    text_line(x, 0, "{");
    text_line(x, 1, "const size_t there = self->%s[slot].address + (size_t)(%" PRId64 " + first) * sizeof(%s);",
              w->queue->member, w->queue->queue->history, w->queue->type);
    text_line(x, 1, "svm_blockInit(&r->%s, %s, there, items, sizeof(%s));", w->name, text_memory(x, x->pl->memory),
              w->queue->type);
    text_line(x, 1, "svm_blockName(&r->%s, \"%s\");", w->name, w->name);
    text_line(x, 0, "}\n");
}

// The call that places a window; first, items: texts.
void mapped_place(program_emitter *x, int indent, const mapped_window *w, const char *slot, const char *first,
                  const char *items)
{
    text_line(x, indent, "%s(self, r, %s, %s, %s);", w->place, slot, first, items);
}

// ---- Creation ----

// Numbers of the logs of a kernel's actors among all.
static void name_logs(program_emitter *x, const mapped_kernel *p)
{
    size_t number = 0, count = 0;
    for (VEC_EACH(uint32_t, actor, &x->printing)) {
        if (x->names[*actor].log == NULL)
            continue;
        if (x->kernel_of[*actor] == p->number)
            text_line(x, 1, "r->run.logs[%zu] = self->logs[%zu];", count++, number);
        number++;
    }
}

void mapped_point_windows(program_emitter *x, const mapped_kernel *p)
{
    for (VEC_EACH(const mapped_window, w, &p->windows)) {
        text_line(x, 1, "r->run.%s = &r->%s;", w->name, w->name);
        if (w->file)
            text_line(x, 1, "r->run.%s = &self->%s[q];", w->scratch_of, w->scratch);
        if (w->own && w->input && mapped_history(w) != w->queue->queue->delay)
            text_line(x, 1, "r->run.%s_from = %" PRId64 ";", w->name, mapped_history(w) - w->queue->queue->delay);
    }
    name_logs(x, p);
}

bool mapped_is_linked(const mapped_queue *r)
{
    return r->stream->from != SIR_NONE && r->stream->to != SIR_NONE && r->step != 0 && !r->straight;
}
