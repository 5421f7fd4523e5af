// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Channels of which all but every so many items are zeros (sir_zeros, hlc/passes/polyphase.c).
//
// NOTE(zeros). In the initialisation and the drain the producer pushes zeros, and the consumer takes all items. In a run of
// whole steady states the other items, the samples, lie side by side behind the items that are kept:
//
//     kept: s 0 0 0 0 0 0 0 s 0 0 0 0 0 0 0 | s s | s s s s s
//                                             ^     ^ those of this run
//                                             copies of those that are kept
//
// When it ends, the last samples go back to where samples are among the items that are kept. The zeros between them are
// there since the initialisation, and stay: all runs of whole steady states move a multiple of their distance.
#include <inttypes.h>

#include "hlc/emit/program_int.h"

const program_zeros *program_zeros_of(const program_emitter *x, uint32_t buffer)
{
    return hmap_getn(&x->zeros, &buffer, sizeof buffer);
}

static program_stage *code_of(program_emitter *x, uint32_t kernel, const plan_stage *stage)
{
    program_stage *code = x->stages[kernel];
    while (code->stage != stage)
        code++;
    return code;
}

static void find_zeros(program_emitter *x, uint32_t channel)
{
    const sir_channel *c = &x->m->channels.data[channel];
    const sir_zeros *known = c->zeros;
    plan_zeros at;
    if (!plan_find_zeros(x->e.arena, x->pl, x->m, x->s, channel, &at))
        return;
    const plan_buffer *b = &x->pl->buffers.data[at.buffer];
    if (b->capacity - b->keep < at.room)
        return;
    program_zeros *z = ARENA_NEW(x->e.arena, program_zeros);
    *z = (program_zeros){.buffer = at.buffer,
                         .producer = c->producer,
                         .every = known->every,
                         .first = known->first,
                         .keep = b->keep,
                         .kept = at.kept,
                         .firings = at.firings};
    const plan_view plain = view_identity(x->e.arena, 0);
    int64_t pushed = plan_out_items(x->m, at.to, x->s->init[c->consumer]),
            taken = plan_in_items(x->m, at.from, x->s->init[c->producer]);
    if (!program_other_functions(x, at.to, known->phases, &plain, 0, &at.to->out.view, pushed,
                                 x->s->reps[c->consumer] / z->firings, &z->phases) ||
        !program_other_functions(x, at.from, known->samples, &at.from->in.view, taken, &plain, 0,
                                 x->s->reps[c->producer], &z->samples))
        return;
    const uint32_t kernel = x->kernel_of[c->producer];
    code_of(x, kernel, at.from)->zeros = code_of(x, kernel, at.to)->zeros = z;
    hmap_setn(&x->zeros, &z->buffer, sizeof z->buffer, z);
}

void program_find_zeros(program_emitter *x)
{
    if (x->net != NULL || program_launches(x))
        return;
    for (uint32_t c = 0; c < x->m->channels.len; c++)
        if (x->m->channels.data[c].zeros != NULL)
            find_zeros(x, c);
}

// "svm_copyApart(b + 64, 1, b, 8, 8, sizeof *b);": the samples that are kept, to their places among the items or from there.
static void move_kept(program_emitter *x, int indent, const char *buffer, const program_zeros *z, const char *to,
                      const char *from)
{
    const char *among = text_plus(x, buffer, z->first);
    text_line(x, indent, "svm_copyApart(%s, %" PRId64 ", %s, %" PRId64 ", %" PRId64 ", sizeof *%s);",
              to == NULL ? among : to, to == NULL ? z->every : 1, from == NULL ? among : from,
              from == NULL ? z->every : 1, z->kept, buffer);
}

void program_zeros_stage(program_emitter *x, int indent, const program_kernel *k, const program_stage *code,
                         const char *in, const char *out)
{
    arena *a = x->e.arena;
    const program_zeros *z = code->zeros;
    const char *buffer = program_buffer_name(k, z->buffer), *count = program_firings_of(k, code->stage->actor)->text;
    program_uses(x, buffer);
    if (code->stage->actor != z->producer) {
        program_stage_call(x, indent, &z->phases, text_plus(x, buffer, z->keep), out,
                           arena_printf(a, "%s / %" PRId64, count, z->firings));
        return;
    }
    if (z->kept > 0)
        move_kept(x, indent, buffer, z, text_plus(x, buffer, z->keep), NULL);
    program_stage_call(x, indent, &z->samples, in, text_plus(x, buffer, z->keep + z->kept), count);
}

void program_zeros_keep(program_emitter *x, int indent, const program_kernel *k, const program_zeros *z)
{
    const char *buffer = program_buffer_name(k, z->buffer);
    program_uses(x, buffer);
    const char *behind = text_plus(x, program_firings_of(k, z->producer)->text, z->keep);
    move_kept(x, indent, buffer, z, NULL, arena_printf(x->e.arena, "%s + %s", buffer, behind));
}
