// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Feedback cycles. Each becomes one function for the steady states of a run, which follows the plan's inner schedule,
// and one that goes round as often as items allow, for the initialisation and the end of input.
#include <inttypes.h>
#include <string.h>

#include "hlc/emit/program_int.h"

typedef struct cycle_emitter {
    program_emitter *x;
    program_kernel *k;
    const char *type; // of self: the kernel's, or that of a strip on another processor
    const plan_item *item;
    const program_stage *codes;
    const plan_actor_list *members;
    VEC(uint32_t) buffers; // in order of first use: the parameters
    hmap seen;             // buffers, by number
    hmap names;            // taken in the function
    const char **counters; // per member: how often it has fired in this run
    uint32_t *member_of;   // per stage: index of its actor in members
    bool direct;           // firing functions are called directly, state being in locals
    const char **prefixes; // per stage: of the locals that hold its scalars
} cycle_emitter;

bool program_cycle_has_rounds(const program_emitter *x, const plan_item *item)
{
    bool needs = item->steps.len == 0 || program_has_phases(x);
    for (VEC_EACH(uint32_t, actor, &x->cycle_members[item->cycle]))
        needs |= x->s->init[*actor] != 0;
    return needs;
}

static void note_buffer(cycle_emitter *c, uint32_t buffer)
{
    if (buffer == PLAN_NONE || hmap_getn(&c->seen, &buffer, sizeof buffer) != NULL)
        return;
    hmap_setn(&c->seen, &buffer, sizeof buffer, c);
    VEC_PUSH(c->x->e.arena, &c->buffers, buffer);
}

static void cycle_init(cycle_emitter *c, program_emitter *x, program_kernel *k, const plan_item *item,
                       const program_stage *codes, const char *type)
{
    *c = (cycle_emitter){
        .x = x, .k = k, .type = type, .item = item, .codes = codes, .members = &x->cycle_members[item->cycle]};
    arena *a = x->e.arena;
    hmap_init(&c->seen, a);
    hmap index;
    hmap_init(&index, a);
    for (size_t i = 0; i < c->members->len; i++)
        hmap_setn(&index, &c->members->data[i], sizeof(uint32_t), (void *)(i + 1));
    c->member_of = ARENA_ARRAY(a, uint32_t, item->stages.len + 1);
    for (size_t i = 0; i < item->stages.len; i++) {
        const plan_stage *st = &item->stages.data[i];
        c->member_of[i] = (uint32_t)((size_t)hmap_getn(&index, &st->actor, sizeof st->actor) - 1);
        bool fires = st->kind == PLAN_FIRE;
        if (!fires || codes[i].fire.in || codes[i].first.in)
            note_buffer(c, st->in.buffer);
        if (!fires || codes[i].fire.out || codes[i].first.out)
            note_buffer(c, st->out.buffer);
    }
}

// Names of a function's locals: buffers (its parameters) and a counter per member.
static void name_locals(cycle_emitter *c)
{
    program_emitter *x = c->x;
    arena *a = x->e.arena;
    static const char *const own[] = {"self", "starting", "s", "i", "k", "fired", "state", "memory", "own"};
    hmap_init(&c->names, a);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        hmap_set(&c->names, own[i], c);
    for (VEC_EACH(uint32_t, b, &c->buffers))
        hmap_set(&c->names, program_buffer_name(c->k, *b), c);
    c->counters = ARENA_ARRAY(a, const char *, c->members->len + 1);
    for (size_t i = 0; i < c->members->len; i++)
        c->counters[i] =
            text_member(x, &c->names, arena_printf(a, "%s_fired", x->m->actors.data[c->members->data[i]]->name));
}

// What the loop only reads is const for it, as what lies in a stream is for its kernel.
static bool is_written(const cycle_emitter *c, uint32_t buffer)
{
    bool written = false;
    for (VEC_EACH(const plan_stage, st, &c->item->stages))
        written |= st->out.buffer == buffer;
    return written;
}

static void prototype(cycle_emitter *c, const char *name)
{
    program_emitter *x = c->x;
    arena *a = x->e.arena;
    text_args params = {0};
    VEC_PUSH(a, &params, arena_printf(a, "%s *restrict self", c->type));
    for (VEC_EACH(uint32_t, b, &c->buffers)) {
        const sir_type *t = x->m->channels.data[x->pl->buffers.data[*b].channel].type;
        VEC_PUSH(a, &params,
                 emit_declare_pointer(&x->e, t, is_written(c, *b) ? "" : "const", "restrict",
                                      program_buffer_name(c->k, *b)));
    }
    text_call(x, 0, arena_printf(a, "static void %s(", name), &params, ")");
}

// named: buffers that the call names; or NULL.
static const char *call_text(cycle_emitter *c, const char *name, text_args *named)
{
    strbuf b;
    strbuf_init(&b, c->x->e.arena);
    strbuf_printf(&b, "%s(self", name);
    for (VEC_EACH(uint32_t, buffer, &c->buffers)) {
        const char *local = program_buffer_name(c->k, *buffer);
        strbuf_printf(&b, ", %s", local);
        if (named != NULL)
            VEC_PUSH(c->x->e.arena, named, local);
    }
    strbuf_add(&b, ");");
    return b.data;
}

// Where a stage's next firing (or, extra being given, a later one) finds its items.
static const char *pointer(cycle_emitter *c, const plan_stage *st, bool out, const plan_digits *firing,
                           const char *index, int phase)
{
    program_emitter *x = c->x;
    const plan_access *access = out ? &st->out : &st->in;
    if (access->buffer == PLAN_NONE)
        return "?";
    int64_t start[2];
    for (int i = PLAN_INIT; i <= PLAN_STEADY; i++)
        start[i] = out ? plan_out_start(x->pl, x->m, x->s, st, (plan_phase)i)
                       : plan_in_start(x->pl, x->m, x->s, st, (plan_phase)i);
    const char *base =
        program_start(x, c->k, program_buffer_name(c->k, access->buffer), start[PLAN_INIT], start[PLAN_STEADY], phase);
    const char *position = text_position(x, firing, index);
    return strcmp(position, "0") == 0 ? base : arena_printf(x->e.arena, "%s + %s", base, position);
}

// ---- Steady states ----

static const char *local_prefix(cycle_emitter *c, size_t stage)
{
    return c->prefixes[stage];
}

static void each_scalar(cycle_emitter *c, bool load)
{
    program_emitter *x = c->x;
    for (size_t i = 0; i < c->item->stages.len; i++) {
        const program_stage *code = &c->codes[i];
        if (code->stage->kind != PLAN_FIRE)
            continue;
        const emit_signature *fire = &code->fire;
        const program_actor_names *n = &x->names[code->stage->actor];
        for (VEC_EACH(uint32_t, f, &fire->fields)) {
            const sir_type *t = code->info->filter->fields.data[*f].type;
            const char *field = code->info->field_names.data[*f];
            const char *local = arena_printf(x->e.arena, "%s%s", local_prefix(c, i), field);
            if (t->kind == SIR_ARRAY)
                continue;
            if (load)
                text_line(x, 1, "%s = %s->%s.%s;", emit_declare(&x->e, t, local), x->own, n->state, field);
            else
                text_line(x, 1, "%s->%s.%s = %s;", x->own, n->state, field, local);
        }
    }
}

static void fire_direct(cycle_emitter *c, int indent, size_t stage, const char *index)
{
    program_emitter *x = c->x;
    arena *a = x->e.arena;
    const program_stage *code = &c->codes[stage];
    const plan_stage *st = code->stage;
    const program_actor_names *n = &x->names[st->actor];
    const emit_signature *fire = &code->fire;
    text_args args = {0};
    if (fire->in)
        VEC_PUSH(a, &args, pointer(c, st, false, &code->walk.in_firing, index, PLAN_STEADY));
    if (fire->out)
        VEC_PUSH(a, &args, pointer(c, st, true, &code->walk.out_firing, index, PLAN_STEADY));
    program_fire_arguments(x, code->info, fire, local_prefix(c, stage), arena_printf(a, "%s->%s.", x->own, n->state),
                           arena_printf(a, "%s->%s", x->own, n->iter), arena_printf(a, "&%s->%s", x->own, n->random),
                           program_log(x, n), arena_printf(a, "&self->%s", n->sender), program_actor_text(x, st),
                           code->info->values.data, &args);
    text_call(x, indent, arena_printf(a, "%s(", fire->name), &args, ");");
    if (fire->iter)
        text_line(x, indent, "%s->%s = svm_iadd(%s->%s, 1);", x->own, n->iter, x->own, n->iter);
}

// Copies of count firings from the counter on.
static void copy_direct(cycle_emitter *c, int indent, size_t stage, int64_t count)
{
    program_emitter *x = c->x;
    arena *a = x->e.arena;
    const plan_stage *st = c->codes[stage].stage;
    int64_t weight = plan_in_rate(x->m, st, false).pop;
    const char *counter = c->counters[c->member_of[stage]], *index = text_times(x, counter, weight);
    const sir_type *t = x->m->channels.data[x->pl->buffers.data[st->in.buffer].channel].type;
    if (count * weight != 1) {
        text_line(x, indent++, "for (ptrdiff_t i = 0; i < %" PRId64 "; i++)", count * weight);
        index = arena_printf(a, "(%s + i)", index);
    }
    const char *from = pointer(c, st, false, &st->in.view.digits, index, PLAN_STEADY),
               *to = pointer(c, st, true, &st->out.view.digits, index, PLAN_STEADY);
    if (t->kind == SIR_ARRAY)
        text_line(x, indent, "memcpy(%s, %s, sizeof *%s);", to, from, program_buffer_name(c->k, st->in.buffer));
    else
        text_line(x, indent, "*(%s) = *(%s);", to, from);
}

static bool last_of_actor(const cycle_emitter *c, size_t stage)
{
    return stage + 1 == c->item->stages.len || c->member_of[stage + 1] != c->member_of[stage];
}

static void emit_step(cycle_emitter *c, int indent, const plan_step *step)
{
    program_emitter *x = c->x;
    arena *a = x->e.arena;
    const program_stage *code = &c->codes[step->stage];
    const char *counter = c->counters[c->member_of[step->stage]];
    if (code->stage->kind == PLAN_COPY) {
        copy_direct(c, indent, step->stage, step->count);
    } else if (step->count == 1) {
        fire_direct(c, indent, step->stage, counter);
    } else {
        text_line(x, indent, "for (ptrdiff_t i = 0; i < %" PRId64 "; i++)%s", step->count, code->fire.iter ? " {" : "");
        fire_direct(c, indent + 1, step->stage, arena_printf(a, "(%s + i)", counter));
        if (code->fire.iter)
            text_line(x, indent, "}");
    }
    if (last_of_actor(c, step->stage))
        text_line(x, indent, "%s += %" PRId64 ";", counter, step->count);
}

static void emit_steps(cycle_emitter *c, int indent, const plan_step *steps, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (steps[i].stage != PLAN_NONE) {
            emit_step(c, indent, &steps[i]);
            continue;
        }
        char name[16];
        snprintf(name, sizeof name, "r%d", indent);
        text_line(c->x, indent, "for (int %s = 0; %s < %" PRId64 "; %s++) {", name, name, steps[i].count, name);
        emit_steps(c, indent + 1, steps[i].steps.data, steps[i].steps.len);
        text_line(c->x, indent, "}");
    }
}

// Blocks of steady states, each stage's firings in one strip.
static void emit_blocks(cycle_emitter *c)
{
    program_emitter *x = c->x;
    arena *a = x->e.arena;
    text_line(x, 1, "for (ptrdiff_t s = 0; s < self->steady; s += %" PRId64 ") {", c->item->block);
    text_line(x, 2, "const ptrdiff_t n = self->steady - s < %" PRId64 " ? self->steady - s : %" PRId64 ";",
              c->item->block, c->item->block);
    for (size_t i = 0; i < c->item->stages.len; i++) {
        const program_stage *code = &c->codes[i];
        const plan_stage *st = code->stage;
        int64_t reps = x->s->reps[st->actor];
        const char *in = "?", *out = "?";
        if (st->in.buffer != PLAN_NONE)
            in = arena_printf(a, "%s + %s",
                              text_plus(x, program_buffer_name(c->k, st->in.buffer),
                                        plan_in_start(x->pl, x->m, x->s, st, PLAN_STEADY)),
                              text_times(x, "s", x->pl->buffers.data[st->in.buffer].step));
        if (st->out.buffer != PLAN_NONE)
            out = arena_printf(a, "%s + %s",
                               text_plus(x, program_buffer_name(c->k, st->out.buffer),
                                         plan_out_start(x->pl, x->m, x->s, st, PLAN_STEADY)),
                               text_times(x, "s", x->pl->buffers.data[st->out.buffer].step));
        program_stage_call(x, 2, code, in, out, text_times(x, "n", reps));
    }
    text_line(x, 1, "}");
}

static void emit_marks(cycle_emitter *c, int indent)
{
    for (size_t i = 0; i < c->item->stages.len; i++)
        if (c->codes[i].print_marks)
            text_line(c->x, indent, "svm_printMark(%s);", program_log(c->x, &c->x->names[c->codes[i].stage->actor]));
}

static void name_prefixes(cycle_emitter *c)
{
    arena *a = c->x->e.arena;
    c->prefixes = ARENA_ARRAY(a, const char *, c->item->stages.len + 1);
    for (size_t i = 0; i < c->item->stages.len; i++)
        c->prefixes[i] =
            arena_printf(a, "%s_", text_member(c->x, &c->names, c->x->m->actors.data[c->codes[i].stage->actor]->name));
}

static void declare_own(const cycle_emitter *c)
{
    if (c->k->own_type != NULL)
        text_line(c->x, 1, "%s *own SVM_UNUSED = svm_blockData(self->own);", c->k->own_type);
    if (c->x->pl->cut == NULL || !mapped_has_state(c->x, (uint32_t)(c->k - c->x->kernels)))
        return;
    text_line(c->x, 1, "char *const memory = svm_blockData(self->own);");
    mapped_own(c->x, c->k);
}

static void emit_steady(cycle_emitter *c, const char *name, const char *rounds)
{
    program_emitter *x = c->x;
    text_line(x, 0, "/* The feedback loop of %s: its steady states%s. */", text_actor(x, c->members->data[0]),
              c->type == c->k->type ? "" : " in a strip");
    prototype(c, name);
    text_line(x, 0, "{");
    if (rounds != NULL) {
        text_line(x, 1, "if (self->steady == 0) {");
        text_line(x, 2, "%s", call_text(c, rounds, NULL));
        text_line(x, 2, "return;");
        text_line(x, 1, "}");
    }
    if (c->item->block > 1) {
        declare_own(c);
        emit_blocks(c);
        text_line(x, 0, "}\n");
        return;
    }
    name_prefixes(c);
    declare_own(c);
    each_scalar(c, true);
    for (size_t i = 0; i < c->item->stages.len; i++)
        if (last_of_actor(c, i))
            text_line(x, 1, "ptrdiff_t %s = 0;", c->counters[c->member_of[i]]);
    text_line(x, 1, "for (ptrdiff_t s = 0; s < self->steady; s++) {");
    emit_steps(c, 2, c->item->steps.data, c->item->steps.len);
    emit_marks(c, 2);
    text_line(x, 1, "}");
    each_scalar(c, false);
    text_line(x, 0, "}\n");
}

// ---- Rounds ----

static bool inside(const cycle_emitter *c, uint32_t channel)
{
    if (channel == SIR_NONE)
        return false;
    const sir_channel *ch = &c->x->m->channels.data[channel];
    return c->x->s->cycle[ch->producer] == c->item->cycle && c->x->s->cycle[ch->consumer] == c->item->cycle;
}

static void declare_counts(cycle_emitter *c)
{
    program_emitter *x = c->x;
    arena *a = x->e.arena;
    for (size_t i = 0; i < c->members->len; i++)
        text_line(x, 1, "ptrdiff_t %s = 0;", c->counters[i]);
    for (size_t i = 0; i < c->members->len; i++) {
        const sir_actor *actor = x->m->actors.data[c->members->data[i]];
        for (uint32_t port = 0; port < actor->outputs.len; port++) {
            uint32_t channel = actor->outputs.data[port];
            if (!inside(c, channel))
                continue;
            const sched_channel *sc = &x->s->channels[channel];
            const char *wanted = actor->outputs.len > 1 ? arena_printf(a, "%s_items%" PRIu32, actor->name, port)
                                                        : arena_printf(a, "%s_items", actor->name);
            x->item_counts[channel] = text_member(x, &c->names, wanted);
            if (sc->initial == sc->remainder) {
                text_line(x, 1, "ptrdiff_t %s = %" PRId64 ";", c->x->item_counts[channel], sc->initial);
            } else {
                program_uses(x, "starting");
                text_line(x, 1, "ptrdiff_t %s = starting ? %" PRId64 " : %" PRId64 ";", c->x->item_counts[channel],
                          sc->initial, sc->remainder);
            }
        }
    }
}

static void emit_allowed(cycle_emitter *c, int indent, const sir_actor *actor, bool first)
{
    for (uint32_t port = 0; port < actor->inputs.len; port++) {
        uint32_t channel = actor->inputs.data[port];
        if (!inside(c, channel))
            continue;
        sched_rate r = sched_input_rate(actor, port, first);
        if (r.peek != 0)
            text_line(c->x, indent, "k = %s(k, %s, %" PRId64 ", %" PRId64 ");", c->x->allowed,
                      c->x->item_counts[channel], r.peek, r.pop);
    }
}

// Counts the items that k firings move.
static void emit_moved(cycle_emitter *c, int indent, const sir_actor *actor, bool first)
{
    program_emitter *x = c->x;
    for (uint32_t port = 0; port < actor->inputs.len; port++)
        if (inside(c, actor->inputs.data[port]) && sched_input_rate(actor, port, first).pop != 0)
            text_line(x, indent, "%s -= %s;", c->x->item_counts[actor->inputs.data[port]],
                      text_times(x, "k", sched_input_rate(actor, port, first).pop));
    for (uint32_t port = 0; port < actor->outputs.len; port++)
        if (inside(c, actor->outputs.data[port]) && sched_output_rate(actor, port, first) != 0)
            text_line(x, indent, "%s += %s;", c->x->item_counts[actor->outputs.data[port]],
                      text_times(x, "k", sched_output_rate(actor, port, first)));
}

static const char *round_pointer(cycle_emitter *c, const program_stage *code, bool out, const char *counter)
{
    const plan_stage *st = code->stage;
    arena *a = c->x->e.arena;
    if (st->kind == PLAN_COPY) {
        int64_t weight = plan_in_rate(c->x->m, st, false).pop;
        const char *index = weight == 1 ? counter : arena_printf(a, "(%s * %" PRId64 ")", counter, weight);
        return pointer(c, st, out, out ? &st->out.view.digits : &st->in.view.digits, index, -1);
    }
    return pointer(c, st, out, out ? &code->walk.out_firing : &code->walk.in_firing, counter, -1);
}

// The stages of one member, its next k firings.
static void emit_round_stages(cycle_emitter *c, int indent, uint32_t member)
{
    program_emitter *x = c->x;
    arena *a = x->e.arena;
    for (size_t i = 0; i < c->item->stages.len; i++) {
        if (c->member_of[i] != member)
            continue;
        const program_stage *code = &c->codes[i];
        const char *counter = c->counters[member];
        if (code->has_prework) {
            // Work firings of the first run start behind what the prework moved.
            const char *index = arena_printf(a, "(%s - 1)", counter);
            const char *in = pointer(c, code->stage, false, &code->walk.in_firing, index, PLAN_INIT);
            const char *out = pointer(c, code->stage, true, &code->walk.out_firing, index, PLAN_INIT);
            program_uses(x, "starting");
            text_line(x, indent, "if (starting)");
            program_stage_call(x, indent + 1, code, text_plus(x, in, code->walk.in_skip),
                               text_plus(x, out, code->walk.out_skip), "k");
            text_line(x, indent, "else");
            program_stage_call(x, indent + 1, code,
                               pointer(c, code->stage, false, &code->walk.in_firing, counter, PLAN_STEADY),
                               pointer(c, code->stage, true, &code->walk.out_firing, counter, PLAN_STEADY), "k");
        } else {
            program_stage_call(x, indent, code, round_pointer(c, code, false, counter),
                               round_pointer(c, code, true, counter), "k");
        }
    }
}

// How often an actor is to fire in the run.
static const char *firings_text(cycle_emitter *c, uint32_t actor)
{
    const program_firings *f = program_firings_of(c->k, actor);
    if (f->starting)
        program_uses(c->x, "starting");
    return f->text;
}

static void emit_member_first(cycle_emitter *c, uint32_t member)
{
    program_emitter *x = c->x;
    uint32_t index = c->members->data[member];
    const sir_actor *actor = x->m->actors.data[index];
    program_uses(x, "starting");
    text_line(x, 2, "k = starting && %s == 0 && %s > 0;", c->counters[member], firings_text(c, index));
    emit_allowed(c, 2, actor, true);
    text_line(x, 2, "if (k > 0) {");
    for (size_t i = 0; i < c->item->stages.len; i++)
        if (c->member_of[i] == member)
            program_first_call(x, 3, &c->codes[i],
                               pointer(c, c->codes[i].stage, false, &(plan_digits){0}, "0", PLAN_INIT),
                               pointer(c, c->codes[i].stage, true, &(plan_digits){0}, "0", PLAN_INIT));
    emit_moved(c, 3, actor, true);
    text_line(x, 3, "%s = 1;", c->counters[member]);
    text_line(x, 3, "fired = true;");
    text_line(x, 2, "}");
}

static void emit_member(cycle_emitter *c, uint32_t member)
{
    program_emitter *x = c->x;
    uint32_t index = c->members->data[member];
    const sir_actor *actor = x->m->actors.data[index];
    const char *counter = c->counters[member];
    text_line(x, 2, "/* %s */", text_actor(x, index));
    bool prework = plan_actor_has_prework(actor);
    if (prework)
        emit_member_first(c, member);
    if (prework)
        text_line(x, 2, "k = starting && %s == 0 ? 0 : %s - %s;", counter, firings_text(c, index), counter);
    else
        text_line(x, 2, "k = %s - %s;", firings_text(c, index), counter);
    emit_allowed(c, 2, actor, false);
    text_line(x, 2, "if (k > 0) {");
    emit_round_stages(c, 3, member);
    emit_moved(c, 3, actor, false);
    text_line(x, 3, "%s += k;", counter);
    text_line(x, 3, "fired = true;");
    text_line(x, 2, "}");
}

static void emit_rounds(cycle_emitter *c, const char *name)
{
    program_emitter *x = c->x;
    text_line(x, 0, "/* The feedback loop of %s%s:", text_actor(x, c->members->data[0]),
              c->item->steps.len == 0 ? "" : " in the initialisation and at the end of input");
    text_line(x, 0, "   rounds in which each actor fires as often as its input allows. */");
    prototype(c, name);
    text_line(x, 0, "{");
    strbuf body, *out = x->e.out;
    hmap used, *outer = x->used;
    strbuf_init(&body, x->e.arena);
    hmap_init(&used, x->e.arena);
    x->e.out = &body;
    x->used = &used;
    declare_counts(c);
    text_line(x, 1, "for (bool fired = true; fired;) {");
    text_line(x, 2, "ptrdiff_t k;");
    text_line(x, 2, "fired = false;");
    for (uint32_t i = 0; i < c->members->len; i++)
        emit_member(c, i);
    text_line(x, 1, "}");
    x->e.out = out;
    x->used = outer;
    if (hmap_get(&used, "starting") != NULL)
        text_line(x, 1, "const bool starting = self->starting;");
    declare_own(c);
    strbuf_add(out, body.data);
    if (c->item->steps.len == 0) // a run is one steady state at most then
        for (size_t i = 0; i < c->item->stages.len; i++)
            if (c->codes[i].print_marks)
                text_line(x, 1, "if (self->steady != 0)\n        svm_printMark(%s);",
                          program_log(x, &x->names[c->codes[i].stage->actor]));
    text_line(x, 0, "}\n");
}

static void emit_allowed_helper(program_emitter *x)
{
    x->allowed = emit_unique_name(&x->e, "allowedFirings");
    text_line(x, 0, "/* How many of the wanted firings the items of one input allow. */");
    text_line(x, 0, "static ptrdiff_t %s(ptrdiff_t wanted, ptrdiff_t items, ptrdiff_t peek, ptrdiff_t pop)",
              x->allowed);
    text_line(x, 0, "{");
    text_line(x, 1, "if (items < peek)");
    text_line(x, 2, "return 0;");
    text_line(x, 1, "const ptrdiff_t can = pop == 0 ? wanted : (items - peek) / pop + 1;");
    text_line(x, 1, "return can < wanted ? can : wanted;");
    text_line(x, 0, "}\n");
}

const char *program_cycle_function(program_emitter *x, uint32_t kernel, const plan_item *item,
                                   const program_stage *codes, const char *strip, text_args *named)
{
    cycle_emitter c;
    cycle_init(&c, x, &x->kernels[kernel], item, codes, strip != NULL ? strip : x->kernels[kernel].type);
    const char *first = x->m->actors.data[c.members->data[0]]->name;
    first = strip != NULL ? arena_printf(x->e.arena, "%s_strip", first) : first;
    const char *rounds = program_cycle_has_rounds(x, item) && (strip == NULL || item->steps.len == 0)
                             ? emit_unique_name(&x->e, arena_printf(x->e.arena, "%s_rounds", first))
                             : NULL;
    if (rounds != NULL) {
        if (x->allowed == NULL)
            emit_allowed_helper(x);
        name_locals(&c);
        emit_rounds(&c, rounds);
    }
    if (item->steps.len == 0)
        return call_text(&c, rounds, named);
    const char *name = emit_unique_name(&x->e, arena_printf(x->e.arena, "%s_cycle", first));
    name_locals(&c);
    emit_steady(&c, name, rounds);
    return call_text(&c, name, named);
}
