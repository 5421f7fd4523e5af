// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stages that go through a run together, some steady states at a time.
//
// NOTE(tiles). A filter with a state waits: for a sum that the next firing needs. One whose firings go side by side has
// something to do all the time. One strip after the other, the first leaves the processor idle and the second does not;
// a tile of the strip at a time, as many steady states as fill the second one's lanes, the processor does the second's work
// while it waits for the first. Every n steady states can follow every other n, so the order is as good as the strips' own; only must
// no stage's buffer lie where another's was, as it may when one is done before the other begins.
#include <inttypes.h>
#include <string.h>

#include "hlc/emit/program_int.h"

// Level of -O from which; operations of what waits, in a tile, from which it weighs more than to begin and end it; steady
// states for which positions are compared; firings that a C compiler's vectors take at a time, at most; and how much work
// beside what waits is worth while at least, as a share of it.
enum { TILES_LEVEL = 2, TILE_OPERATIONS = 256, TILE_COMPARED = 4096, TILE_FIRINGS = 32, TILE_SHARE = 16 };

// By how much a walk goes on from steady state to steady state; false: not always by the same.
static bool steady_step(const program_emitter *x, const plan_digits *firing, int64_t reps, int64_t *step)
{
    *step = digits_at(firing, reps);
    if (firing->len == 1)
        return true;
    if (x->pl->strip > TILE_COMPARED)
        return false;
    for (int64_t s = 2; s < x->pl->strip; s++)
        if (digits_at(firing, s * reps) != s * *step)
            return false;
    return true;
}

// A stage that is one call in runs of whole steady states.
static bool is_plain(const program_emitter *x, const program_stage *code)
{
    const plan_stage *st = code->stage;
    int64_t reps = x->s->reps[st->actor], step;
    if (st->kind != PLAN_FIRE || st->others.len != 0 || code->zeros != NULL || code->print_marks || code->strip->whole)
        return false;
    return (st->in.buffer == PLAN_NONE || steady_step(x, &code->walk.in_firing, reps, &step)) &&
           (st->out.buffer == PLAN_NONE || steady_step(x, &code->walk.out_firing, reps, &step));
}

// And in all others.
static bool is_always_plain(const program_emitter *x, const program_stage *code)
{
    const plan_stage *st = code->stage;
    return !code->has_prework && !program_has_phases(x) && x->s->init[st->actor] == 0 &&
           (st->in.buffer == PLAN_NONE ||
            plan_in_start(x->pl, x->m, x->s, st, PLAN_INIT) == plan_in_start(x->pl, x->m, x->s, st, PLAN_STEADY)) &&
           (st->out.buffer == PLAN_NONE ||
            plan_out_start(x->pl, x->m, x->s, st, PLAN_INIT) == plan_out_start(x->pl, x->m, x->s, st, PLAN_STEADY));
}

static bool overlap(const program_emitter *x, uint32_t a, uint32_t b)
{
    if (a == b || a == PLAN_NONE || b == PLAN_NONE)
        return false;
    const plan_buffer *p = &x->pl->buffers.data[a], *q = &x->pl->buffers.data[b];
    uint64_t p_end = p->address + plan_buffer_bytes(p, x->m);
    uint64_t q_end = q->address + plan_buffer_bytes(q, x->m);
    return p->address < q_end && q->address < p_end;
}

static bool in_each_others_way(const program_emitter *x, const plan_stage *a, const plan_stage *b)
{
    return overlap(x, a->in.buffer, b->in.buffer) || overlap(x, a->in.buffer, b->out.buffer) ||
           overlap(x, a->out.buffer, b->in.buffer) || overlap(x, a->out.buffer, b->out.buffer);
}

// Whether the C compiler may make vectors of a stage's firings.
static bool is_free(const program_stage *code)
{
    return code->strip->lanes == 0 && code->fire.fields.len == 0;
}

// Steady states of a tile: they fill the lanes of all that have such, and the C compiler's vectors.
static int64_t steady_states(const program_emitter *x, const program_stage *codes, size_t count)
{
    int64_t steady = 1;
    for (size_t i = 0; i < count; i++) {
        int64_t reps = x->s->reps[codes[i].stage->actor];
        int64_t lanes = is_free(&codes[i]) ? TILE_FIRINGS : codes[i].strip->lanes;
        for (int64_t need = 1; lanes > 0 && need <= lanes; need *= 2)
            if (need * reps % lanes == 0) {
                steady = need > steady ? need : steady;
                break;
            }
    }
    return steady;
}

// How many steady states the second of the first two stages goes behind the other; 0: it does not.
static int64_t behind_of(program_emitter *x, const program_stage *codes, size_t count)
{
    return count > 1 && is_plain(x, &codes[0]) && is_plain(x, &codes[1]) ? program_find_behind(x, codes) : 0;
}

program_tiles program_find_tiles(program_emitter *x, const program_stage *codes, size_t count)
{
    const machine_processor *p = machine_processor_by_name(x->p->machine, x->pl->processor);
    program_tiles t = {.always = true};
    bool lanes = false;
    double waits = 0, beside = 0;
    if (x->net != NULL || x->pl->cut != NULL || p == NULL || p->caches.len == 0 ||
        x->p->config->opt_level < TILES_LEVEL || x->p->config->no_lanes)
        return t;
    t.behind = behind_of(x, codes, count);
    count = t.behind != 0 ? 2 : count;
    for (; t.stages < count && is_plain(x, &codes[t.stages]); t.stages++) {
        const program_stage *code = &codes[t.stages];
        if (t.stages > 0 && behind_of(x, code, count - t.stages) != 0)
            break; // these two go by themselves
        for (size_t i = 0; i < t.stages; i++)
            if (in_each_others_way(x, codes[i].stage, code->stage))
                goto end;
        t.always &= is_always_plain(x, code);
        lanes |= code->strip->lanes > 0;
        double operations = x->operations[code->stage->actor] * (double)x->s->reps[code->stage->actor];
        waits += code->strip->lanes == 0 && code->fire.fields.len != 0 ? operations : 0;
        beside += is_free(code) ? operations : 0;
    }
end:
    t.steady = steady_states(x, codes, t.stages);
    lanes = lanes || (beside * TILE_SHARE >= waits && beside <= waits);
    if (!lanes || waits * (double)t.steady < TILE_OPERATIONS || 2 * t.steady > x->pl->strip)
        t.stages = 0;
    t.behind = t.stages == 2 ? t.behind : 0;
    return t;
}

// "in + s * 4": where a tile's items are.
static const char *tile_start(program_emitter *x, const program_kernel *k, const plan_access *port, bool passed,
                              int64_t start, int64_t step)
{
    if (port->buffer == PLAN_NONE || !passed)
        return "?";
    const char *name = program_buffer_name(k, port->buffer);
    program_uses(x, name);
    const char *at = text_plus(x, name, start);
    return step == 0 ? at : arena_printf(x->e.arena, "%s + %s", at, text_times(x, "s", step));
}

// NOTE(behind) in program_behind.c.
static void emit_behind(program_emitter *x, const program_kernel *k, const program_stage *codes, int64_t behind,
                        int indent)
{
    arena *a = x->e.arena;
    const plan_stage *st = codes[0].stage, *next = codes[1].stage;
    const sir_actor *first = x->m->actors.data[st->actor], *second = x->m->actors.data[next->actor];
    diag_remark(x->p->diag, sir_range(x->m, x->p->sources, second->filter->loc),
                "'%s' goes through a strip with '%s', %" PRId64
                " steady states behind it, so that its work is done while that waits [lanes]",
                second->name, first->name, behind);
    text_args args = {0};
    VEC_PUSH(a, &args, tile_start(x, k, &st->in, true, plan_in_start(x->pl, x->m, x->s, st, PLAN_STEADY), 0));
    VEC_PUSH(a, &args, tile_start(x, k, &next->in, true, plan_in_start(x->pl, x->m, x->s, next, PLAN_STEADY), 0));
    VEC_PUSH(a, &args, tile_start(x, k, &next->out, true, plan_out_start(x->pl, x->m, x->s, next, PLAN_STEADY), 0));
    VEC_PUSH(a, &args, "self->steady");
    VEC_PUSH(a, &args, arena_printf(a, "&%s->%s", x->own, x->names[st->actor].state));
    program_uses(x, x->own);
    text_line(x, indent, "/* %s, and %s a tile behind */", text_actor(x, st->actor), text_actor(x, next->actor));
    text_call(x, indent, arena_printf(a, "%s(", program_behind_function(x, codes, behind)), &args, ");");
}

static void emit_tile_loop(program_emitter *x, const program_kernel *k, const program_stage *codes, program_tiles t,
                           int indent)
{
    const sir_actor *first = x->m->actors.data[codes[0].stage->actor];
    diag_remark(x->p->diag, sir_range(x->m, x->p->sources, first->filter->loc),
                "%zu stages from '%s' on go through a strip together, %" PRId64
                " steady states at a time, so that one's work is done while another waits [lanes]",
                t.stages, first->name, t.steady);
    text_line(x, indent,
              "for (ptrdiff_t s = 0; s < self->steady; s += %" PRId64 ") { /* a tile of the strip at a time */",
              t.steady);
    text_line(x, indent + 1,
              "const ptrdiff_t steady = self->steady - s < %" PRId64 " ? self->steady - s : %" PRId64 ";", t.steady,
              t.steady);
    for (size_t i = 0; i < t.stages; i++) {
        const program_stage *code = &codes[i];
        const plan_stage *st = code->stage;
        int64_t reps = x->s->reps[st->actor], in_step = 0, out_step = 0;
        if (st->in.buffer != PLAN_NONE)
            (void)steady_step(x, &code->walk.in_firing, reps, &in_step);
        if (st->out.buffer != PLAN_NONE)
            (void)steady_step(x, &code->walk.out_firing, reps, &out_step);
        int64_t in_start = st->in.buffer == PLAN_NONE ? 0 : plan_in_start(x->pl, x->m, x->s, st, PLAN_STEADY);
        int64_t out_start = st->out.buffer == PLAN_NONE ? 0 : plan_out_start(x->pl, x->m, x->s, st, PLAN_STEADY);
        text_line(x, indent + 1, "/* %s */", text_actor(x, st->actor));
        program_stage_call(x, indent + 1, code, tile_start(x, k, &st->in, code->fire.in, in_start, in_step),
                           tile_start(x, k, &st->out, code->fire.out, out_start, out_step),
                           text_times(x, "steady", reps));
    }
    text_line(x, indent, "}");
}

void program_emit_tiles(program_emitter *x, const program_kernel *k, const program_stage *codes, program_tiles t,
                        const char *otherwise)
{
    int indent = t.always ? 1 : 2;
    if (!t.always)
        text_line(x, 1, "if (self->steady != 0) {");
    if (t.behind != 0)
        emit_behind(x, k, codes, t.behind, indent);
    else
        emit_tile_loop(x, k, codes, t, indent);
    if (t.always)
        return;
    text_line(x, 1, "} else {");
    for (const char *line = otherwise, *end; (end = strchr(line, '\n')) != NULL; line = end + 1)
        strbuf_printf(x->e.out, "    %.*s\n", (int)(end - line), line);
    text_line(x, 1, "}");
}

// ---- Pairs ----

static bool can_pair(const program_emitter *x, const program_stage *code)
{
    const plan_stage *st = code->stage;
    return st->kind == PLAN_FIRE && st->others.len == 0 && code->zeros == NULL && !code->print_marks &&
           code->strip != NULL && code->strip->skew != NULL && st->in.buffer != PLAN_NONE &&
           st->out.buffer != PLAN_NONE && x->net == NULL && x->pl->cut == NULL;
}

program_pair program_find_pair(const program_emitter *x, const program_stage *codes, size_t count)
{
    if (count < 2 || !can_pair(x, &codes[0]) || !can_pair(x, &codes[1]) || codes[0].strip != codes[1].strip)
        return PAIR_NONE;
    const plan_stage *a = codes[0].stage, *b = codes[1].stage;
    if (a->out.buffer == b->in.buffer || b->out.buffer == a->in.buffer ||
        x->s->reps[a->actor] != x->s->reps[b->actor] || in_each_others_way(x, a, b))
        return PAIR_NONE;
    return is_always_plain(x, &codes[0]) && is_always_plain(x, &codes[1]) ? PAIR_ALWAYS : PAIR_STEADY;
}

void program_emit_pair(program_emitter *x, const program_kernel *k, const program_stage *codes, program_pair pair,
                       const char *otherwise)
{
    arena *a = x->e.arena;
    text_args args = {0};
    int indent = pair == PAIR_ALWAYS ? 1 : 2;
    const sir_actor *first = x->m->actors.data[codes[0].stage->actor],
                    *second = x->m->actors.data[codes[1].stage->actor];
    diag_remark(
        x->p->diag, sir_range(x->m, x->p->sources, first->loc),
        "'%s' and '%s' go through a strip at the same time, so that both wait for their own state at once [lanes]",
        first->name, second->name);
    for (size_t i = 0; i < 2; i++) {
        const plan_stage *st = codes[i].stage;
        VEC_PUSH(a, &args, tile_start(x, k, &st->in, true, plan_in_start(x->pl, x->m, x->s, st, PLAN_STEADY), 0));
        VEC_PUSH(a, &args, tile_start(x, k, &st->out, true, plan_out_start(x->pl, x->m, x->s, st, PLAN_STEADY), 0));
        VEC_PUSH(a, &args, arena_printf(a, "&%s->%s", x->own, x->names[st->actor].state));
    }
    VEC_PUSH(a, &args, text_times(x, "self->steady", x->s->reps[codes[0].stage->actor]));
    program_uses(x, x->own);
    const char *name = program_skew_pair(x, codes[0].strip, codes[0].info->of);
    if (pair == PAIR_STEADY)
        text_line(x, 1, "if (self->steady != 0) {");
    text_line(x, indent, "/* %s, and %s */", text_actor(x, codes[0].stage->actor),
              text_actor(x, codes[1].stage->actor));
    text_call(x, indent, arena_printf(a, "%s(", name), &args, ");");
    if (pair == PAIR_ALWAYS)
        return;
    text_line(x, 1, "} else {");
    for (const char *line = otherwise, *end; (end = strchr(line, '\n')) != NULL; line = end + 1)
        strbuf_printf(x->e.out, "    %.*s\n", (int)(end - line), line);
    text_line(x, 1, "}");
}
