// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A stage that waits, and behind it one whose firings are lanes.
//
// NOTE(behind). In a tile (NOTE(tiles) in program_tiles.c) the second stage's work begins when the first one's is done, so that
// processors that execute out of order have it in their queues, where it waits for the first stage, too, and keeps the next
// tile's firings out of them. So the second stage takes the tile before the present one: it waits for nothing. The less it does
// at a time the better the two mix, so that it has the lanes of one register; and both are one function, whose state stays in
// registers from tile to tile:
//
//     for (ptrdiff_t i = 0; i < whole; i += 8) {
//         for (ptrdiff_t n = 0; n < 8; n++)
//             Resonator_x16_fire(in + i + n, between + i * 16 + n * 16, y1, y2);
//         if (i > 0)
//             Largest_fire_8(between + (i - 8) * 16, out + i - 8);
//     }
//
// Firings whose items are turned (NOTE(vectors) in body.h) share nothing where there are more of them than a register has lanes.
// Those of windows that lie side by side load their coefficients for all of them, and sums wait for each other: so only as much
// of such work goes behind as is done while the first stage waits.
#include <inttypes.h>

#include "hlc/emit/program_int.h"

// Operations of a window's firing for each of the first stage's, and for each lane, up to which they hide. Measured on AVX2 and
// AVX-512 (a biquad, 13 operations, and FIR filters, 6 for each tap, 8 lanes): 16 taps 1.15 and 1.05 times faster, 32 taps 1.25
// times, 48 taps as fast, 64 taps 1.1 times slower.
enum { BEHIND_SHARE = 16, BEHIND_LANE = 26 };

// The side of a stage that moves on by the same from firing to firing.
static bool is_even(const plan_digits *firing)
{
    return firing->len == 1 && firing->data[0].stride > 0;
}

static bool is_simple(const program_stage *code)
{
    const emit_signature *fire = &code->fire;
    return fire->in && fire->out && !fire->iter && !fire->random && !fire->log && !fire->sends && !fire->actor &&
           fire->given.len == 0 && is_even(&code->walk.in_firing) && is_even(&code->walk.out_firing);
}

// How much further on the first one writes than the second reads: items that are kept for its window.
static int64_t kept_between(const program_emitter *x, const program_stage *codes)
{
    return plan_out_start(x->pl, x->m, x->s, codes[0].stage, PLAN_STEADY) -
           plan_in_start(x->pl, x->m, x->s, codes[1].stage, PLAN_STEADY);
}

// Whether what the first one writes is what the second reads, and by the same in a steady state.
static bool follows(const program_emitter *x, const program_stage *first, const program_stage *second)
{
    const plan_stage *a = first->stage, *b = second->stage;
    return a->out.buffer == b->in.buffer && x->s->reps[a->actor] * first->walk.out_firing.data[0].stride ==
                                                x->s->reps[b->actor] * second->walk.in_firing.data[0].stride;
}

static bool can_follow(const program_emitter *x, const program_stage *codes)
{
    const program_strip *waits = codes[0].strip, *beside = codes[1].strip;
    if (!is_simple(&codes[0]) || !is_simple(&codes[1]) || !follows(x, &codes[0], &codes[1]))
        return false;
    return waits->one_by_one && codes[0].fire.fields.len != 0 && beside->lanes > 0 && kept_between(x, codes) >= 0;
}

// Whether the second one's firings, so many at a time, are done while the first one waits.
static bool hides(const program_emitter *x, const program_stage *codes, int lanes)
{
    const uint32_t first = codes[0].stage->actor, second = codes[1].stage->actor;
    const sir_function *f = codes[1].info->of->filter->work;
    const int64_t stride = codes[1].walk.in_firing.data[0].stride;
    if (stride > 1)
        return f->peek.max <= stride;
    return x->operations[second] <= BEHIND_LANE * (double)lanes &&
           x->operations[second] * (double)x->s->reps[second] <=
               BEHIND_SHARE * x->operations[first] * (double)x->s->reps[first];
}

typedef struct behind {
    const program_stage *codes;
    const emit_signature *many; // of the second stage
    int64_t steady;             // states of a tile
} behind;

// "in + i * 8 + n * 4": of a firing of the first stage, in the tile at i.
static const char *first_place(program_emitter *x, const char *base, const plan_digits *firing, int64_t reps)
{
    int64_t step = firing->data[0].stride;
    return arena_printf(x->e.arena, "%s + %s + %s", base, text_times(x, "i", reps * step), text_times(x, "n", step));
}

// The firings of the second stage for the tile that ends at `end`.
static void emit_second(program_emitter *x, const behind *b, int indent, const char *end)
{
    arena *a = x->e.arena;
    const program_stage *code = &b->codes[1];
    int64_t reps = x->s->reps[code->stage->actor];
    const char *from = arena_printf(a, "(%s - %" PRId64 ")", end, b->steady);
    text_args args = {0};
    VEC_PUSH(a, &args,
             arena_printf(a, "between + %s", text_times(x, from, reps * code->walk.in_firing.data[0].stride)));
    VEC_PUSH(a, &args, arena_printf(a, "out + %s", text_times(x, from, reps * code->walk.out_firing.data[0].stride)));
    text_call(x, indent, arena_printf(a, "%s(", b->many->name), &args, ");");
}

static void emit_loop(program_emitter *x, const behind *b)
{
    arena *a = x->e.arena;
    const program_stage *code = &b->codes[0];
    const program_strip *strip = code->strip;
    int64_t reps = x->s->reps[code->stage->actor];
    text_args args = {0};
    text_line(x, 1, "const ptrdiff_t whole = count / %" PRId64 " * %" PRId64 ";", b->steady, b->steady);
    text_line(x, 1, "for (ptrdiff_t i = 0; i < whole; i += %" PRId64 ") {", b->steady);
    if (code->fire.scalar)
        text_line(x, 2, "SVM_SCALAR");
    text_line(x, 2, "for (ptrdiff_t n = 0; n < %" PRId64 "; n++)", b->steady * reps);
    VEC_PUSH(a, &args, first_place(x, "in", &code->walk.in_firing, reps));
    VEC_PUSH(a, &args,
             first_place(x, text_plus(x, "between", kept_between(x, b->codes)), &code->walk.out_firing, reps));
    program_fire_arguments(x, code->info->of, &code->fire, strip->prefix, strip->arrays, "", "", "", "", "", NULL,
                           &args);
    text_call(x, 3, arena_printf(a, "%s(", code->fire.name), &args, ");");
    text_line(x, 2, "if (i > 0) /* the tile before */");
    emit_second(x, b, 3, "i");
    text_line(x, 1, "}");
    text_line(x, 1, "if (whole > 0)");
    emit_second(x, b, 2, "whole");
}

// What is left over is done by the strips.
static void emit_rest(program_emitter *x, const behind *b)
{
    arena *a = x->e.arena;
    const char *from[] = {"in", "between"}, *to[] = {text_plus(x, "between", kept_between(x, b->codes)), "out"};
    for (size_t i = 0; i < 2; i++) {
        const program_stage *code = &b->codes[i];
        int64_t reps = x->s->reps[code->stage->actor];
        text_args args = {0};
        VEC_PUSH(
            a, &args,
            arena_printf(a, "%s + %s", from[i], text_times(x, "whole", reps * code->walk.in_firing.data[0].stride)));
        VEC_PUSH(
            a, &args,
            arena_printf(a, "%s + %s", to[i], text_times(x, "whole", reps * code->walk.out_firing.data[0].stride)));
        VEC_PUSH(a, &args, text_times(x, "(count - whole)", reps));
        if (i == 0)
            VEC_PUSH(a, &args, "state");
        text_call(x, 1, arena_printf(a, "%s(", code->strip->name), &args, ");");
    }
}

static const char *emit_function(program_emitter *x, const behind *b)
{
    arena *a = x->e.arena;
    const emit_filter_info *first = b->codes[0].info->of, *second = b->codes[1].info->of;
    const program_strip *strip = b->codes[0].strip;
    const char *name = emit_unique_name(&x->e, arena_printf(a, "%s_and_%s", first->c_name, second->c_name));
    text_args params = {0};
    text_line(x, 0, "/* Strips of %s, and of %s, which is a tile behind. */", first->filter->source,
              second->filter->source);
    VEC_PUSH(a, &params, emit_declare_pointer(&x->e, first->filter->input, "const", "restrict", "in"));
    VEC_PUSH(a, &params, emit_declare_pointer(&x->e, first->filter->output, "", "restrict", "between"));
    VEC_PUSH(a, &params, emit_declare_pointer(&x->e, second->filter->output, "", "restrict", "out"));
    VEC_PUSH(a, &params, "ptrdiff_t count");
    VEC_PUSH(a, &params, arena_printf(a, "%s *restrict state", first->state_type));
    text_call(x, 0, arena_printf(a, "SVM_OUTLINED static void %s(", name), &params, ")");
    text_line(x, 0, "{");
    program_strip_state(x, first, strip, false);
    emit_loop(x, b);
    program_strip_state(x, first, strip, true);
    emit_rest(x, b);
    text_line(x, 0, "}\n");
    return name;
}

int64_t program_find_behind(program_emitter *x, const program_stage *codes)
{
    int64_t reps = x->s->reps[codes[1].stage->actor];
    const emit_lanes lanes = can_follow(x, codes) ? program_register_lanes(x, &codes[1]) : (emit_lanes){0};
    return lanes.count != 0 && lanes.count % reps == 0 && hides(x, codes, lanes.count) ? lanes.count / reps : 0;
}

// Pairs of stages that fire the same on the same layout have one.
const char *program_behind_function(program_emitter *x, const program_stage *codes, int64_t steady)
{
    const int64_t *reps = x->s->reps;
    const char *key =
        arena_printf(x->e.arena, "%s %s %" PRId64 " %" PRId64 " %" PRId64, codes[0].strip->name, codes[1].strip->name,
                     kept_between(x, codes), reps[codes[0].stage->actor], reps[codes[1].stage->actor]);
    const char *name = hmap_get(&x->behinds, key);
    if (name != NULL)
        return name;
    strbuf *out = x->e.out;
    const int deeper = x->deeper;
    x->e.out = x->before;
    x->deeper = 0;
    const emit_lanes lanes = program_register_lanes(x, &codes[1]);
    const emit_signature many = program_lanes_fire(x, &codes[1], &lanes);
    const behind b = {codes, &many, steady};
    name = emit_function(x, &b);
    x->e.out = out;
    x->deeper = deeper;
    hmap_set(&x->behinds, key, (void *)(uintptr_t)name);
    return name;
}
