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

// The stage that fires the actor by itself, outside of feedback loops; NULL: there is none.
static program_stage *stage_of(program_emitter *x, uint32_t kernel, uint32_t actor)
{
    program_stage *at = x->stages[kernel];
    for (VEC_EACH(plan_item, item, &x->pl->kernels.data[kernel].items))
        for (size_t i = 0; i < item->stages.len; i++, at++)
            if (item->cycle < 0 && at->stage->kind == PLAN_FIRE && at->stage->actor == actor &&
                at->stage->others.len == 0)
                return at;
    return NULL;
}

static bool has_room(const plan_buffer *b, const program_zeros *z)
{
    int64_t room = b->capacity - b->keep, runs = b->step == 0 ? 0 : room / b->step;
    return runs > 0 && z->kept + runs * (b->step / z->every) <= room;
}

static void find_zeros(program_emitter *x, uint32_t channel)
{
    const sir_channel *c = &x->m->channels.data[channel];
    const sir_zeros *known = c->zeros;
    uint32_t kernel = x->kernel_of[c->producer];
    if (kernel >= x->pl->kernels.len || kernel != x->kernel_of[c->consumer])
        return;
    program_stage *from = stage_of(x, kernel, c->producer), *to = stage_of(x, kernel, c->consumer);
    if (from == NULL || to == NULL || from->has_prework || to->has_prework || from->print_marks || to->print_marks ||
        from->stage->out.buffer != to->stage->in.buffer)
        return;
    const plan_stage *first = from->stage, *second = to->stage;
    const plan_buffer *b = &x->pl->buffers.data[first->out.buffer];
    const sir_function *many = known->phases->work;
    program_zeros *z = ARENA_NEW(x->e.arena, program_zeros);
    *z = (program_zeros){.buffer = first->out.buffer,
                         .producer = c->producer,
                         .every = known->every,
                         .first = known->first,
                         .keep = b->keep};
    z->kept = b->keep > z->first ? (b->keep - 1 - z->first) / z->every + 1 : 0;
    z->firings = many->push.max / x->m->actors.data[c->consumer]->filter->work->push.max;
    if (b->channel != channel || !view_contiguous(&first->out.view) || !view_contiguous(&second->in.view) ||
        b->keep != x->s->channels[channel].remainder || many->peek.max - many->pop.max > z->kept ||
        (z->kept == 0 && b->keep != 0) || !has_room(b, z) ||
        plan_in_start(x->pl, x->m, x->s, second, PLAN_STEADY) != 0 ||
        plan_out_start(x->pl, x->m, x->s, first, PLAN_STEADY) != b->keep)
        return;
    plan_view plain = view_identity(x->e.arena, 0);
    int64_t pushed = plan_out_items(x->m, second, x->s->init[c->consumer]),
            firings = x->s->reps[c->consumer] / z->firings;
    if (!program_other_functions(x, second, known->phases, &plain, 0, &second->out.view, pushed, firings, &z->phases) ||
        !program_other_functions(x, first, known->samples, &first->in.view,
                                 plan_in_items(x->m, first, x->s->init[c->producer]), &plain, 0,
                                 x->s->reps[c->producer], &z->samples))
        return;
    from->zeros = to->zeros = z;
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

// Sample number i of those that are kept, among the items.
static const char *kept_item(program_emitter *x, const char *buffer, const program_zeros *z)
{
    const char *at = text_plus(x, text_times(x, "i", z->every), z->first);
    return arena_printf(x->e.arena, "%s[%s]", buffer, at);
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
    if (z->kept > 0) {
        text_line(x, indent, "for (ptrdiff_t i = 0; i < %" PRId64 "; i++)", z->kept);
        text_line(x, indent + 1, "%s[%s] = %s;", buffer, text_plus(x, "i", z->keep), kept_item(x, buffer, z));
    }
    program_stage_call(x, indent, &z->samples, in, text_plus(x, buffer, z->keep + z->kept), count);
}

void program_zeros_keep(program_emitter *x, int indent, const program_kernel *k, const program_zeros *z)
{
    const char *buffer = program_buffer_name(k, z->buffer);
    program_uses(x, buffer);
    text_line(x, indent, "for (ptrdiff_t i = 0; i < %" PRId64 "; i++)", z->kept);
    text_line(x, indent + 1, "%s = %s[%s + i];", kept_item(x, buffer, z), buffer,
              text_plus(x, program_firings_of(k, z->producer)->text, z->keep));
}
