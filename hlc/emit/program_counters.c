// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Firings of filters whose state only counts round.
//
// NOTE(turns). Each firing waits for the one before where its place in a table is part of the state. Up to where the place
// begins again it is known beforehand: the first firing's and how many firings later. So a strip is done in turns, in each
// of which firings wait for nothing of each other, and the C compiler makes vectors of them:
//
//     for (ptrdiff_t done = 0; done < count;) {
//         ptrdiff_t end = count;
//         end = end - done < 127 - state_at ? end : done + (127 - state_at);
//         for (ptrdiff_t i = done; i < end; i++) {
//             int now_at = state_at + (int)(i - done);
//             Scramble_fire(in + i, out + i, &now_at);
//         }
//         ...
//
// What a firing leaves in the field is not looked at.
#include <inttypes.h>

#include "hlc/emit/program_int.h"

enum { LEAST_TURN = 48 }; // firings of a turn on average, at least

// Firings of a turn on average: counters that begin again together count once.
static double average_turn(const sir_filter *f, const sir_counters *counters)
{
    double ends = 0;
    for (size_t i = 0; i < counters->len; i++) {
        const sir_counter *c = &counters->data[i];
        bool again = false;
        for (size_t k = 0; k < i && !again; k++) {
            const sir_counter *d = &counters->data[k];
            const sir_value *a = &f->fields.data[c->field].init, *b = &f->fields.data[d->field].init;
            again =
                c->low == d->low && c->high == d->high && (a->zero ? 0 : a->data[0].i) == (b->zero ? 0 : b->data[0].i);
        }
        ends += again ? 0 : 1 / ((double)c->high - c->low + 1);
    }
    return 1 / ends;
}

const program_turns *program_find_turns(program_emitter *x, emit_filter_info *info, const sir_function *f,
                                        const sir_filter *own, const emit_signature *fire)
{
    arena *a = x->e.arena;
    program_turns *t = ARENA_NEW(a, program_turns);
    if (f->kind != SIR_WORK || fire->fields.len == 0 || fire->iter || fire->random || fire->log || fire->sends ||
        fire->actor || fire->dynamic || info->handlers.len != 0 || !sir_find_counters(a, own, &t->counters) ||
        t->counters.len != fire->fields.len)
        return NULL;
    bool *counting = ARENA_ARRAY(a, bool, info->filter->fields.len + 1);
    for (VEC_EACH(const sir_counter, c, &t->counters))
        counting[c->field] = true;
    if (average_turn(own, &t->counters) < LEAST_TURN || emit_looks_up(&x->e, info, f, counting))
        return NULL;
    diag_remark(x->p->diag, sir_range(x->m, x->p->sources, own->work->loc),
                "firings of '%s' go side by side up to where %s'%s'%s begins again [lanes]", own->name,
                t->counters.len > 1 ? "one of its counters, such as " : "",
                own->fields.data[t->counters.data[0].field].name, t->counters.len > 1 ? "," : "");
    return t;
}

void program_emit_turns(program_emitter *x, const program_turns *t, const emit_filter_info *info,
                        void body(program_emitter *x, int indent, void *context, const char *in, const char *out),
                        void *context, const char *in, const char *out)
{
    arena *a = x->e.arena;
    text_line(x, 1, "for (ptrdiff_t done = 0; done < count;) {");
    text_line(x, 2, "ptrdiff_t end = count;");
    for (VEC_EACH(const sir_counter, c, &t->counters)) {
        const char *left = arena_printf(a, "%" PRId64 " - " PROGRAM_TURN_OUTER "%s", (int64_t)c->high + 1,
                                        info->field_names.data[c->field]);
        text_line(x, 2, "end = end - done < %s ? end : done + (%s);", left, left);
    }
    text_line(x, 2, "for (ptrdiff_t i = done; i < end; i++) {");
    for (VEC_EACH(const sir_counter, c, &t->counters)) {
        const char *name = info->field_names.data[c->field];
        text_line(x, 3, "int " PROGRAM_TURN_INNER "%s = " PROGRAM_TURN_OUTER "%s + (int)(i - done);", name, name);
    }
    body(x, 3, context, in, out);
    text_line(x, 2, "}");
    for (VEC_EACH(const sir_counter, c, &t->counters)) {
        const char *name = info->field_names.data[c->field];
        text_line(x, 2, PROGRAM_TURN_OUTER "%s += (int)(end - done);", name);
        text_line(x, 2,
                  PROGRAM_TURN_OUTER "%s = " PROGRAM_TURN_OUTER "%s == %" PRId64 " ? %d : " PROGRAM_TURN_OUTER "%s;",
                  name, name, (int64_t)c->high + 1, c->low, name);
    }
    text_line(x, 2, "done = end;");
    text_line(x, 1, "}");
}
