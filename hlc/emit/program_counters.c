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
//
// Fields that a firing leaves to the next one, and that hold nothing of what it found there itself (NOTE(passed) in
// hlc/ir/passed.c), go from firing to firing in the turn: the C compiler has the firing before in the lane beside. What
// counts the first firings is known in all others, and these are done one by one:
//
//     if (state_begun < 1) {
//         ...
//     } else {
//         for (ptrdiff_t i = done; i < end; i++) {
//             int now_begun = 1;
//
// A sequence, such as that of a source of random numbers (NOTE(sequences) in hlc/ir/sequences.c), is known beforehand
// too: of 64 firings tables have what the value is multiplied by, and what is added.
//
//     int now_seed = (state_seed * Noise_times[i - done] + Noise_plus[i - done]) & 2147483647;
//
// NOTE(rings). Arrays of the state may stand beside the counters where each element that a firing reads or sets is the one
// that a counter leads to, as in delays, echoes and all-passes: firings of a turn have different elements. Where one
// counter leads to what is read and another to what is set, a turn ends where one comes to where the other began. A turn
// does in the order of the firings what these do, whatever is in the arrays; what is looked at here says only that it pays.
#include <inttypes.h>

#include "hlc/emit/program_int.h"
#include "hlc/ir/walk.h"

enum { LEAST_TURN = 48 };    // firings of a turn on average, at least
enum { SEQUENCE_TURN = 64 }; // firings of a turn that sequences are in, at most
enum { TABLE_COLUMNS = 8 };

// Firings of a turn on average: counters that begin again together count once.
static double average_turn(const sir_filter *f, const program_turns *t)
{
    const sir_counters *counters = &t->counters;
    double ends = 0;
    for (VEC_EACH(const sir_sequence, s, &t->beside.sequences))
        if (s->times != 1)
            ends = 1.0 / SEQUENCE_TURN;
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

typedef struct rings_walk {
    arena *arena;
    const sir_filter *filter;
    bool *arrays, *counting; // per field
    bool *counted;           // per field: its counter has its next value by now
    program_turns *turns;
    VEC(program_apart) accesses; // array and counter
    bool fails;
} rings_walk;

static void check_access(rings_walk *w, const sir_expr *e)
{
    if (e == NULL || e->kind == SIR_CONST)
        return;
    if (e->kind == SIR_FIELD) {
        w->fails |= w->arrays[e->index]; // all of it
        return;
    }
    if (e->kind == SIR_INDEX && e->u.arg[0]->kind == SIR_FIELD && w->arrays[e->u.arg[0]->index]) {
        const sir_expr *place = e->u.arg[1];
        w->fails |= place->kind != SIR_FIELD || !w->counting[place->index] || w->counted[place->index];
        if (!w->fails)
            VEC_PUSH(w->arena, &w->accesses, (program_apart){e->u.arg[0]->index, place->index});
        return;
    }
    for (size_t i = 0; i < sir_expr_arity(e); i++)
        check_access(w, e->u.arg[i]);
}

static void check_accesses(rings_walk *w, const sir_block *b)
{
    for (size_t i = 0; i < b->len && !w->fails; i++) {
        sir_stmt *s = b->data[i];
        sir_parts parts = sir_stmt_parts(s);
        for (uint8_t k = 0; k < parts.expr_count; k++)
            check_access(w, *parts.expr[k]);
        for (size_t k = 0; k < parts.arg_count; k++)
            check_access(w, parts.args[k]);
        for (uint8_t k = 0; k < parts.block_count; k++)
            check_accesses(w, parts.block[k]);
        if (parts.target == NULL)
            continue;
        check_access(w, *parts.target);
        if ((*parts.target)->kind == SIR_FIELD)
            w->counted[(*parts.target)->index] = true;
    }
    for (size_t i = 0; i < b->len; i++) // a loop would come to its elements again
        w->fails |= b->data[i]->kind == SIR_FOR || b->data[i]->kind == SIR_LOOP;
}

static const sir_counter *counter_of(const program_turns *t, uint32_t field)
{
    for (VEC_EACH(const sir_counter, c, &t->counters))
        if (c->field == field)
            return c;
    return NULL;
}

// Counters that lead to elements of the same array are always far from each other, or at one place.
static void check_apart(rings_walk *w, uint32_t field, uint32_t other)
{
    const sir_counter *c = counter_of(w->turns, field), *d = counter_of(w->turns, other);
    const sir_value *a = &w->filter->fields.data[field].init, *b = &w->filter->fields.data[other].init;
    int64_t round = (int64_t)c->high - c->low + 1;
    int64_t apart = (int64_t)(a->zero ? 0 : a->data[0].i) - (b->zero ? 0 : b->data[0].i);
    apart = apart < 0 ? -apart : apart;
    w->fails |= c->low != d->low || c->high != d->high;
    if (apart == 0)
        return;
    w->fails |= apart < LEAST_TURN || round - apart < LEAST_TURN;
    for (VEC_EACH(const program_apart, p, &w->turns->apart))
        if ((p->field == field && p->other == other) || (p->field == other && p->other == field))
            return;
    VEC_PUSH(w->arena, &w->turns->apart, (program_apart){field, other});
}

static bool are_rings(arena *a, const sir_filter *f, const sir_field_list *arrays, const bool *counting,
                      program_turns *t)
{
    rings_walk w = {.arena = a, .filter = f, .turns = t};
    w.arrays = ARENA_ARRAY(a, bool, f->fields.len + 1);
    w.counted = ARENA_ARRAY(a, bool, f->fields.len + 1);
    w.counting = ARENA_ARRAY(a, bool, f->fields.len + 1);
    if (arrays->len == 0)
        return true;
    for (size_t i = 0; i < f->fields.len; i++)
        w.counting[i] = counting[i];
    for (VEC_EACH(const uint32_t, i, arrays))
        w.arrays[*i] = true;
    check_accesses(&w, &f->work->body);
    for (size_t i = 0; i < w.accesses.len && !w.fails; i++)
        for (size_t k = 0; k < i && !w.fails; k++)
            if (w.accesses.data[i].field == w.accesses.data[k].field &&
                w.accesses.data[i].other != w.accesses.data[k].other)
                check_apart(&w, w.accesses.data[i].other, w.accesses.data[k].other);
    return !w.fails;
}

// What x is multiplied by, or what is added, firing by firing of a turn, and behind it.
static const char *write_table(program_emitter *x, const emit_filter_info *info, const sir_sequence *s, bool plus)
{
    emitter *e = &x->e;
    uint32_t times = 1, sum = 0;
    const char *name =
        emit_unique_name(e, arena_printf(e->arena, "%s_%s_%s", info->c_name, info->filter->fields.data[s->field].name,
                                         plus ? "plus" : "times"));
    strbuf_printf(e->out, "static const int %s[%d] SVM_TABLE = {\n    ", name, SEQUENCE_TURN + 1);
    for (size_t i = 0; i <= SEQUENCE_TURN; i++) {
        int32_t v = (int32_t)((plus ? sum : times) & s->mask);
        const char *number = v == INT32_MIN ? "-2147483647 - 1" : arena_printf(e->arena, "%" PRId32, v);
        strbuf_printf(e->out, "%s%s", i == 0 ? "" : i % TABLE_COLUMNS == 0 ? ",\n    " : ", ", number);
        times *= s->times;
        sum = sum * s->times + s->plus;
    }
    strbuf_add(e->out, "};\n\n");
    return name;
}

static void write_tables(program_emitter *x, const emit_filter_info *info, program_turns *t)
{
    t->times = ARENA_ARRAY(x->e.arena, const char *, t->beside.sequences.len + 1);
    t->plus = ARENA_ARRAY(x->e.arena, const char *, t->beside.sequences.len + 1);
    for (size_t i = 0; i < t->beside.sequences.len; i++)
        if (t->beside.sequences.data[i].times != 1) {
            t->times[i] = write_table(x, info, &t->beside.sequences.data[i], false);
            t->plus[i] = write_table(x, info, &t->beside.sequences.data[i], true);
        }
}

const program_turns *program_find_turns(program_emitter *x, emit_filter_info *info, const sir_function *f,
                                        const sir_filter *own, const emit_signature *fire)
{
    arena *a = x->e.arena;
    program_turns *t = ARENA_NEW(a, program_turns);
    if (f->kind != SIR_WORK || fire->fields.len == 0 || fire->iter || fire->random || fire->log || fire->sends ||
        fire->actor || fire->dynamic || info->handlers.len != 0 ||
        !sir_find_counters(a, own, &t->counters, &t->beside) ||
        t->counters.len + t->beside.sequences.len + t->beside.arrays.len + t->beside.last.len +
                t->beside.beginnings.len !=
            fire->fields.len)
        return NULL;
    bool *counting = ARENA_ARRAY(a, bool, info->filter->fields.len + 1);
    for (VEC_EACH(const sir_counter, c, &t->counters))
        counting[c->field] = true;
    bool known = t->counters.len != 0;
    for (VEC_EACH(const sir_sequence, s, &t->beside.sequences))
        known |= s->times != 1;
    // The C compiler knows what only counts.
    if (!known || average_turn(own, t) < LEAST_TURN || emit_looks_up(&x->e, info, f, counting) ||
        !are_rings(a, own, &t->beside.arrays, counting, t))
        return NULL;
    write_tables(x, info, t);
    if (t->counters.len == 0)
        diag_remark(x->p->diag, sir_range(x->m, x->p->sources, own->work->loc),
                    "firings of '%s' go side by side, since the sequence of '%s' is known beforehand [lanes]",
                    own->name, own->fields.data[t->beside.sequences.data[0].field].name);
    else
        diag_remark(x->p->diag, sir_range(x->m, x->p->sources, own->work->loc),
                    "firings of '%s' go side by side up to where %s'%s'%s begins again [lanes]", own->name,
                    t->counters.len > 1 ? "one of its counters, such as " : "",
                    own->fields.data[t->counters.data[0].field].name, t->counters.len > 1 ? "," : "");
    return t;
}

// What the field is `firings` later in a turn.
static const char *sequence_at(program_emitter *x, const program_turns *t, size_t i, const char *name,
                               const char *firings)
{
    arena *a = x->e.arena;
    const sir_sequence *s = &t->beside.sequences.data[i];
    const char *mask = s->mask == UINT32_MAX ? NULL : arena_printf(a, " & %" PRIu32, s->mask);
    const char *sum = arena_printf(a, PROGRAM_TURN_OUTER "%s", name);
    if (t->times[i] != NULL)
        sum = arena_printf(a, "%s * %s[%s] + %s[%s]", sum, t->times[i], firings, t->plus[i], firings);
    else if (s->plus == 1)
        sum = arena_printf(a, "%s + (int)(%s)", sum, firings);
    else if (s->plus != 0)
        sum = arena_printf(a, "%s + %" PRId32 " * (int)(%s)", sum, (int32_t)s->plus, firings);
    return mask == NULL ? sum : arena_printf(a, "(%s)%s", sum, mask);
}

typedef struct turn {
    const program_turns *turns;
    const emit_filter_info *info;
    void (*body)(program_emitter *x, int indent, void *context, const char *in, const char *out);
    void *context;
    const char *in, *out;
} turn;

// The firings from `done` to `end`. begins: the first ones of all.
static void emit_firings(program_emitter *x, int indent, const turn *u, bool begins)
{
    const program_turns *t = u->turns;
    text_line(x, indent, "for (ptrdiff_t i = done; i < end; i++) {");
    for (size_t i = 0; i < t->beside.sequences.len; i++) {
        const char *name = u->info->field_names.data[t->beside.sequences.data[i].field];
        text_line(x, indent + 1, "int " PROGRAM_TURN_INNER "%s = %s;", name, sequence_at(x, t, i, name, "i - done"));
    }
    for (VEC_EACH(const sir_counter, c, &t->counters)) {
        const char *name = u->info->field_names.data[c->field];
        text_line(x, indent + 1, "int " PROGRAM_TURN_INNER "%s = " PROGRAM_TURN_OUTER "%s + (int)(i - done);", name,
                  name);
    }
    for (VEC_EACH(const sir_beginning, b, &t->beside.beginnings)) {
        const char *name = u->info->field_names.data[b->field];
        if (begins)
            text_line(x, indent + 1, "int " PROGRAM_TURN_INNER "%s = " PROGRAM_TURN_OUTER "%s;", name, name);
        else
            text_line(x, indent + 1, "int " PROGRAM_TURN_INNER "%s = %d;", name, b->limit);
    }
    u->body(x, indent + 1, u->context, u->in, u->out);
    if (begins)
        for (VEC_EACH(const sir_beginning, b, &t->beside.beginnings)) {
            const char *name = u->info->field_names.data[b->field];
            text_line(x, indent + 1, PROGRAM_TURN_OUTER "%s = " PROGRAM_TURN_INNER "%s;", name, name);
        }
    text_line(x, indent, "}");
}

// Whether a turn is one of the first firings of all; NULL: these are like the others.
static const char *beginning_text(program_emitter *x, const program_turns *t, const emit_filter_info *info)
{
    const char *all = NULL;
    for (VEC_EACH(const sir_beginning, b, &t->beside.beginnings))
        all = arena_printf(x->e.arena, "%s%s" PROGRAM_TURN_OUTER "%s < %d", all == NULL ? "" : all,
                           all == NULL ? "" : " || ", info->field_names.data[b->field], b->limit);
    return all;
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
    for (VEC_EACH(const program_apart, p, &t->apart)) {
        const char *one = info->field_names.data[p->field], *other = info->field_names.data[p->other];
        const char *far = arena_printf(a, PROGRAM_TURN_OUTER "%s - " PROGRAM_TURN_OUTER "%s", one, other);
        text_line(x, 2, "end = end - done < abs(%s) ? end : done + abs(%s);", far, far);
    }
    for (size_t i = 0; i < t->beside.sequences.len; i++)
        if (t->times[i] != NULL) {
            text_line(x, 2, "end = end - done < %d ? end : done + %d;", SEQUENCE_TURN, SEQUENCE_TURN);
            break;
        }
    for (VEC_EACH(const uint32_t, f, &t->beside.last)) {
        const char *name = info->field_names.data[*f], *local = arena_printf(a, PROGRAM_TURN_INNER "%s", name);
        text_line(x, 2, "%s = " PROGRAM_TURN_OUTER "%s;",
                  emit_declare(&x->e, info->filter->fields.data[*f].type, local), name);
    }
    const turn u = {t, info, body, context, in, out};
    const char *begins = beginning_text(x, t, info);
    if (begins != NULL) {
        text_line(x, 2, "if (%s) {", begins);
        text_line(x, 3, "end = done + 1;");
        emit_firings(x, 3, &u, true);
        text_line(x, 2, "} else {");
        emit_firings(x, 3, &u, false);
        text_line(x, 2, "}");
    } else {
        emit_firings(x, 2, &u, false);
    }
    for (VEC_EACH(const uint32_t, f, &t->beside.last))
        text_line(x, 2, PROGRAM_TURN_OUTER "%s = " PROGRAM_TURN_INNER "%s;", info->field_names.data[*f],
                  info->field_names.data[*f]);
    for (VEC_EACH(const sir_counter, c, &t->counters)) {
        const char *name = info->field_names.data[c->field];
        text_line(x, 2, PROGRAM_TURN_OUTER "%s += (int)(end - done);", name);
        text_line(x, 2,
                  PROGRAM_TURN_OUTER "%s = " PROGRAM_TURN_OUTER "%s == %" PRId64 " ? %d : " PROGRAM_TURN_OUTER "%s;",
                  name, name, (int64_t)c->high + 1, c->low, name);
    }
    for (size_t i = 0; i < t->beside.sequences.len; i++) {
        const char *name = info->field_names.data[t->beside.sequences.data[i].field];
        text_line(x, 2, PROGRAM_TURN_OUTER "%s = %s;", name, sequence_at(x, t, i, name, "end - done"));
    }
    text_line(x, 2, "done = end;");
    text_line(x, 1, "}");
}
