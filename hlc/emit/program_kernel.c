// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels: the struct, and the run function that calls the strips of its stages in order.
#include <inttypes.h>
#include <string.h>

#include "hlc/emit/program_int.h"

// ---- What a kernel's struct holds ----

const char *program_buffer_name(const program_kernel *k, uint32_t buffer)
{
    return hmap_getn(&k->name_of, &buffer, sizeof buffer);
}

// Names that a kernel's struct has so far.
typedef struct member_names {
    hmap names, firings;
} member_names;

static void add_buffer(program_emitter *x, program_kernel *k, member_names *seen, uint32_t buffer)
{
    if (buffer == PLAN_NONE || program_buffer_name(k, buffer) != NULL)
        return;
    const char *name = text_member(x, &seen->names, x->buffer_names[buffer]);
    VEC_PUSH(x->e.arena, &k->buffers, buffer);
    VEC_PUSH(x->e.arena, &k->buffer_names, name);
    hmap_setn(&k->name_of, &buffer, sizeof buffer, (void *)(uintptr_t)name);
    const plan_buffer *b = &x->pl->buffers.data[buffer];
    if (plan_end_of(x->pl, x->m, buffer) != PLAN_NONE)
        return; // it is a window of a queue
    if (b->keep != 0 && x->last_kernel[buffer] == (uint32_t)(k - x->kernels)) {
        VEC_PUSH(x->e.arena, &k->shifts, buffer);
        k->uses_steady |= b->step != 0;
        k->uses_starting |= b->base != 0;
    }
}

const program_firings *program_firings_of(const program_kernel *k, uint32_t actor)
{
    return hmap_getn(&k->firings_of, &actor, sizeof actor);
}

bool program_has_phases(const program_emitter *x)
{
    return x->pl->drains || x->fails_in_order;
}

bool program_counts_firings(const program_emitter *x)
{
    return x->net != NULL || program_has_phases(x);
}

// Firings of an actor in the initialisation of the whole program.
static int64_t init_of(const program_emitter *x, uint32_t actor)
{
    if (x->pl->cut == NULL)
        return x->s->init[actor];
    const plan_net *graph = x->pl->cut->graph;
    return graph->whole_schedule->init[graph->actor_of[actor]];
}

// NOTE(firings). Of an actor in a run of so many steady states; what the initialisation fires is a constant, and where
// something can still fire at the end of input, runs other than of steady states have it counted.
static const char *count_text(program_emitter *x, program_kernel *k, uint32_t actor, const char *index)
{
    arena *a = x->e.arena;
    int64_t init = init_of(x, actor), reps = x->s->reps[actor];
    const char *steady = text_times(x, "self->steady", reps);
    k->uses_steady |= reps != 0;
    if (program_has_phases(x))
        return reps == 0 ? arena_printf(a, "self->firings[%s]", index)
                         : arena_printf(a, "%s + self->firings[%s]", steady, index);
    k->uses_starting |= init != 0;
    return init == 0 ? steady : arena_printf(a, "starting ? %" PRId64 " : %s", init, steady);
}

static void add_actor(program_emitter *x, program_kernel *k, hmap *taken, uint32_t actor)
{
    if (program_firings_of(k, actor) != NULL)
        return;
    program_firings *f = ARENA_NEW(x->e.arena, program_firings);
    f->name = text_member(x, taken, x->m->actors.data[actor]->name);
    f->index = k->actors.len;
    if (x->net != NULL)
        f->count = arena_printf(x->e.arena, "self->firings.%s", f->name);
    else
        f->count = count_text(x, k, actor, arena_printf(x->e.arena, "%zu", f->index));
    f->starting = x->net == NULL && !program_has_phases(x) && init_of(x, actor) != 0;
    f->text = f->starting || (x->net == NULL && program_has_phases(x)) ? arena_printf(x->e.arena, "(%s)", f->count)
                                                                       : f->count;
    hmap_setn(&k->firings_of, &actor, sizeof actor, f);
    VEC_PUSH(x->e.arena, &k->actors, actor);
}

// Of its kernel's steady states one of the program has so many, after which there is a mark in an actor's log.
static int64_t states_of_mark(const program_emitter *x, uint32_t actor)
{
    return x->net == NULL ? 1 : x->net->kernels.data[x->net->kernel_of[actor]].steady;
}

static void add_actor_state(program_emitter *x, hmap *taken, const program_stage *code)
{
    program_actor_names *names = &x->names[code->stage->actor];
    const emit_signature *work = &code->fire, *first = &code->first;
    const char *name = x->m->actors.data[code->stage->actor]->name;
    arena *a = x->e.arena;
    if (work->fields.len != 0 || first->fields.len != 0)
        names->state = text_member(x, taken, name);
    if (work->iter || first->iter)
        names->iter = text_member(x, taken, arena_printf(a, "%s_iter", name));
    if (work->random || first->random)
        names->random = text_member(x, taken, arena_printf(a, "%s_random", name));
    if (work->log || first->log)
        names->log = text_member(x, taken, arena_printf(a, "%s_log", name));
    if (work->sends || first->sends)
        names->sender = text_member(x, taken, arena_printf(a, "%s_sender", name));
    if (code->info->handlers.len != 0)
        program_handler_names(x, code->info, name, taken, names);
    if (code->print_marks && names->log != NULL && states_of_mark(x, code->stage->actor) > 1)
        names->states = text_member(x, taken, arena_printf(a, "%s_states", name));
}

static void scan_stage(program_emitter *x, program_kernel *k, member_names *seen, const program_stage *code)
{
    const plan_stage *st = code->stage;
    for (size_t i = 0; i < plan_stage_members(st); i++)
        add_actor(x, k, &seen->firings, plan_stage_member(st, i).actor);
    k->uses_steady |= st->others.len != 0 && code->irregular && (code->members != NULL || code->members_copy != NULL);
    add_buffer(x, k, seen, st->in.buffer);
    add_buffer(x, k, seen, st->out.buffer);
    if (st->kind == PLAN_FIRE)
        add_actor_state(x, &seen->names, code);
    k->uses_starting |= code->has_prework;
    k->uses_steady |= code->zeros != NULL;
    if (st->in.buffer != PLAN_NONE)
        k->uses_starting |=
            plan_in_start(x->pl, x->m, x->s, st, PLAN_INIT) != plan_in_start(x->pl, x->m, x->s, st, PLAN_STEADY);
    if (st->out.buffer != PLAN_NONE)
        k->uses_starting |=
            plan_out_start(x->pl, x->m, x->s, st, PLAN_INIT) != plan_out_start(x->pl, x->m, x->s, st, PLAN_STEADY);
    k->uses_steady |= code->print_marks;
}

static const char *const region_own[] = {"region", "work", "helper"};

// Windows of queues; of a net what is kept, where it passes through without a stage.
static void find_buffers(program_emitter *x)
{
    x->buffers_of = ARENA_ARRAY(x->e.arena, plan_actor_list, x->pl->kernels.len + 1);
    for (uint32_t b = 0; b < x->pl->buffers.len; b++) {
        uint32_t kernel = PLAN_NONE;
        if (x->pl->cut != NULL)
            kernel = mapped_end_kernel(x, b);
        else if (x->net != NULL && x->pl->buffers.data[b].keep != 0)
            kernel = x->last_kernel[b];
        if (kernel < x->pl->kernels.len)
            VEC_PUSH(x->e.arena, &x->buffers_of[kernel], b);
    }
}

static void scan_kernel(program_emitter *x, program_kernel *k, const program_stage *codes)
{
    member_names seen;
    if (x->buffers_of == NULL)
        find_buffers(x);
    hmap_init(&seen.names, x->e.arena);
    hmap_init(&seen.firings, x->e.arena);
    hmap_init(&k->name_of, x->e.arena);
    hmap_init(&k->firings_of, x->e.arena);
    static const char *const own[] = {"kernel", "starting", "steady",  "firings", "self", "all",  "s",        "own",
                                      "strips", "local",    "priming", "states",  "logs", "left", "channels", "memory"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        hmap_set(&seen.names, own[i], k);
        hmap_set(&seen.firings, own[i], k);
    }
    for (size_t i = 0; x->net != NULL && i < sizeof region_own / sizeof *region_own; i++)
        hmap_set(&seen.names, region_own[i], k);
    for (VEC_EACH(plan_item, item, &k->kernel->items)) {
        for (size_t i = 0; i < item->stages.len; i++)
            scan_stage(x, k, &seen, codes++);
        if (item->cycle < 0)
            continue;
        k->uses_starting = k->uses_steady = true;
        for (VEC_EACH(uint32_t, actor, &x->cycle_members[item->cycle]))
            add_actor(x, k, &seen.firings, *actor);
    }
    for (VEC_EACH(uint32_t, b, &x->buffers_of[k - x->kernels]))
        add_buffer(x, k, &seen, *b);
}

// "ptrdiff_t a, b, c;" of the actors' counts, wrapped.
void program_kernel_firings(program_emitter *x, const program_kernel *k)
{
    text_args names = {0};
    for (VEC_EACH(uint32_t, a, &k->actors))
        VEC_PUSH(x->e.arena, &names, program_firings_of(k, *a)->name);
    if (names.len == 0 || !program_counts_firings(x))
        return;
    if (x->net == NULL) {
        text_line(x, 1, "ptrdiff_t firings[%zu]; /* of each actor, but for those in whole steady states */",
                  k->actors.len);
        return;
    }
    if (k->actors.len == 1) {
        text_line(x, 1, "struct { ptrdiff_t %s; } firings; /* how often it fires in this run */", names.data[0]);
        return;
    }
    text_line(x, 1, "union { /* how often each actor fires in this run */");
    text_line(x, 2, "ptrdiff_t all[%zu];", k->actors.len);
    text_line(x, 2, "struct {");
    text_call(x, 3, "ptrdiff_t ", &names, ";");
    text_line(x, 2, "};");
    text_line(x, 1, "} firings;");
}

void program_kernel_scan(program_emitter *x, uint32_t kernel)
{
    scan_kernel(x, &x->kernels[kernel], x->stages[kernel]);
}

static size_t stages_of(const plan_kernel *k)
{
    size_t stages = 0;
    for (VEC_EACH(plan_item, item, &k->items))
        stages += item->stages.len;
    return stages;
}

// k: the kernel whose struct it is; NULL: it is another one.
static void state_members(program_emitter *x, program_kernel *k, const program_stage *code)
{
    const program_actor_names *n = &x->names[code->stage->actor];
    if (n->state != NULL)
        text_line(x, 1, "%s %s;", code->info->state_type, n->state);
    if (n->iter != NULL)
        text_line(x, 1, "int %s;", n->iter);
    if (n->random != NULL)
        text_line(x, 1, "svm_Random %s;", n->random);
    const char *const members[] = {n->state, n->iter, n->random};
    for (size_t i = 0; k != NULL && i < sizeof members / sizeof *members; i++) {
        if (members[i] == NULL)
            continue;
        k->first_state = k->first_state != NULL ? k->first_state : members[i];
        k->last_state = members[i];
    }
}

void program_state_members(program_emitter *x, uint32_t kernel)
{
    const program_stage *codes = x->stages[kernel];
    for (size_t i = 0; i < stages_of(x->kernels[kernel].kernel); i++)
        if (codes[i].stage->kind == PLAN_FIRE)
            state_members(x, NULL, &codes[i]);
}

void program_run_members(program_emitter *x, uint32_t kernel, bool steady)
{
    program_kernel *k = &x->kernels[kernel];
    if (k->uses_starting)
        text_line(x, 1, "bool starting; /* the initialisation: nothing is in the channels but what was enqueued */");
    if (steady)
        text_line(x, 1,
                  "ptrdiff_t steady; /* steady states of this run; 0 in the initialisation and at the end of input */");
    program_kernel_firings(x, k);
    text_args blocks = {0};
    for (VEC_EACH(const char *, name, &k->buffer_names))
        VEC_PUSH(x->e.arena, &blocks, arena_printf(x->e.arena, "*%s", *name));
    if (blocks.len != 0 && x->net == NULL)
        text_line(x, 1, "svm_Block *channels; /* the program's, in the order of %s_channels */", x->name);
    else if (blocks.len != 0)
        text_call(x, 1, "svm_Block ", &blocks, ";");
    if (k->own_type != NULL)
        text_line(x, 1, "svm_Block *own; /* what its actors keep */");
    const program_stage *codes = x->stages[kernel];
    for (size_t i = 0; i < stages_of(k->kernel) && x->fails; i++)
        if (codes[i].stage->kind == PLAN_FIRE)
            state_members(x, k, &codes[i]);
    for (size_t i = 0; i < stages_of(k->kernel); i++) {
        const program_actor_names *n = &x->names[codes[i].stage->actor];
        if (codes[i].stage->kind != PLAN_FIRE)
            continue;
        if (k->own_type == NULL && !x->fails)
            state_members(x, NULL, &codes[i]);
        if (n->log != NULL)
            text_line(x, 1, "svm_Log %s;", n->log);
        if (n->states != NULL)
            text_line(x, 1, "int64_t %s; /* steady states behind the initialisation: some are one of the program's */",
                      n->states);
        if (n->sender != NULL)
            text_line(x, 1, "svm_Sender %s;", n->sender);
        if (x->net != NULL && program_receives(x, x->net->actor_of[codes[i].stage->actor]))
            text_line(x, 1, "svm_Mail svm_mail;");
    }
}

void program_kernel_struct(program_emitter *x, uint32_t kernel)
{
    program_kernel *k = &x->kernels[kernel];
    if (x->pl->cut != NULL) {
        mapped_kernel_struct(x, kernel);
        return;
    }
    if (x->net != NULL)
        program_offload_state(x, kernel);
    size_t shown = stages_of(k->kernel);
    text_line(x, 0, "/* Kernel %s: the channels and the state of its %zu stage%s. */", k->kernel->name, shown,
              shown == 1 ? "" : "s");
    text_line(x, 0, "typedef struct {");
    text_line(x, 1, "svm_Kernel kernel;");
    if (x->net != NULL)
        program_region_struct(x, kernel);
    program_run_members(x, kernel, k->uses_steady);
    text_line(x, 0, "} %s;\n", k->type);
    if (x->net != NULL)
        program_offload_struct(x, kernel);
}

// ---- What the text of a kernel's run names ----

void program_uses(program_emitter *x, const char *name)
{
    if (x->used != NULL)
        hmap_set(x->used, name, x);
}

// ---- Calls ----

const char *program_start(program_emitter *x, program_kernel *k, const char *base, int64_t init, int64_t steady,
                          int phase)
{
    (void)k;
    if (phase == PLAN_INIT || (phase < 0 && init == steady))
        return text_plus(x, base, init);
    if (phase == PLAN_STEADY)
        return text_plus(x, base, steady);
    program_uses(x, "starting");
    return arena_printf(x->e.arena, "%s + (starting ? %" PRId64 " : %" PRId64 ")", base, init, steady);
}

const char *program_actor_text(program_emitter *x, const plan_stage *st)
{
    const char *name = x->m->actors.data[st->actor]->name;
    if (st->others.len != 0)
        name = arena_printf(x->e.arena, "%s or one of %zu like it", name, st->others.len);
    return program_quoted(x, name);
}

static void use_state(program_emitter *x, const emit_signature *fire)
{
    if (fire->fields.len != 0 || fire->iter || fire->random)
        program_uses(x, x->own);
}

static void call_function(program_emitter *x, int indent, const program_stage *code, const char *function,
                          const char *in, const char *out, const char *count)
{
    arena *a = x->e.arena;
    text_args args = {0};
    const program_actor_names *n = &x->names[code->stage->actor];
    bool copy = code->stage->kind == PLAN_COPY;
    const emit_signature *fire = &code->fire;
    if (copy || fire->in)
        VEC_PUSH(a, &args, in);
    if (copy || fire->out)
        VEC_PUSH(a, &args, out);
    VEC_PUSH(a, &args, copy ? text_times(x, count, plan_in_rate(x->m, code->stage, false).pop) : count);
    use_state(x, fire);
    if (fire->fields.len != 0)
        VEC_PUSH(a, &args, arena_printf(a, "&%s->%s", x->own, n->state));
    for (VEC_EACH(uint32_t, g, &fire->given))
        VEC_PUSH(a, &args, code->info->values.data[*g]);
    if (fire->iter)
        VEC_PUSH(a, &args, arena_printf(a, "&%s->%s", x->own, n->iter));
    if (fire->random)
        VEC_PUSH(a, &args, arena_printf(a, "&%s->%s", x->own, n->random));
    if (fire->log)
        VEC_PUSH(a, &args, program_log(x, n));
    if (fire->sends)
        VEC_PUSH(a, &args, arena_printf(a, "&self->%s", n->sender));
    if (fire->actor)
        VEC_PUSH(a, &args, program_actor_text(x, code->stage));
    text_call(x, indent, arena_printf(a, "%s(", function), &args, ");");
}

void program_stage_call(program_emitter *x, int indent, const program_stage *code, const char *in, const char *out,
                        const char *count)
{
    call_function(x, indent, code, code->stage->kind == PLAN_COPY ? code->copy : code->strip->name, in, out, count);
}

void program_first_call(program_emitter *x, int indent, const program_stage *code, const char *in, const char *out)
{
    arena *a = x->e.arena;
    const program_actor_names *n = &x->names[code->stage->actor];
    text_args args = {0};
    if (code->first.in)
        VEC_PUSH(a, &args, in);
    if (code->first.out)
        VEC_PUSH(a, &args, out);
    const char *state = arena_printf(a, "%s->%s.", x->own, n->state);
    use_state(x, &code->first);
    program_fire_arguments(x, code->info, &code->first, state, state, arena_printf(a, "%s->%s", x->own, n->iter),
                           arena_printf(a, "&%s->%s", x->own, n->random), program_log(x, n),
                           arena_printf(a, "&self->%s", n->sender), program_actor_text(x, code->stage),
                           code->info->values.data, &args);
    text_call(x, indent, arena_printf(a, "%s(", code->first.name), &args, ");");
}

// ---- The run function ----

typedef struct ports {
    const char *in, *out;              // names of the buffers, NULL if there is none
    int64_t in_start[2], out_start[2]; // by phase
} ports;

// st: the stage of the code, or a member of it.
static ports stage_ports(program_emitter *x, const program_kernel *k, const program_stage *code, const plan_stage *st)
{
    bool copy = st->kind == PLAN_COPY;
    ports p = {0};
    for (int phase = PLAN_INIT; phase <= PLAN_STEADY; phase++) {
        if (st->in.buffer != PLAN_NONE)
            p.in_start[phase] = plan_in_start(x->pl, x->m, x->s, st, (plan_phase)phase);
        if (st->out.buffer != PLAN_NONE)
            p.out_start[phase] = plan_out_start(x->pl, x->m, x->s, st, (plan_phase)phase);
    }
    if (st->in.buffer != PLAN_NONE && (copy || code->fire.in || code->first.in))
        p.in = program_buffer_name(k, st->in.buffer);
    if (st->out.buffer != PLAN_NONE && (copy || code->fire.out || code->first.out))
        p.out = program_buffer_name(k, st->out.buffer);
    return p;
}

static const char *start_text(program_emitter *x, program_kernel *k, const char *base, const int64_t *start, int phase)
{
    if (base == NULL)
        return "?";
    program_uses(x, base);
    return program_start(x, k, base, start[PLAN_INIT], start[PLAN_STEADY], phase);
}

// What leaves a kernel is left out while it primes.
static bool stops_priming(program_emitter *x, const plan_stage *st)
{
    return x->pl->cut != NULL && mapped_gives_window(x, st) && mapped_primes(x, x->kernel_of[st->actor]);
}

// Firings of a stage of all that its actor fires in this run, an expression; `operand`: the same as one of a product.
static const char *firings_of_all(program_emitter *x, const plan_stage *st, const char *all, const char *operand)
{
    bool factor = st->kind == PLAN_COPY && plan_in_rate(x->m, st, false).pop != 1; // it is told of items
    if (stops_priming(x, st))
        return arena_printf(x->e.arena, factor ? "(self->priming ? 0 : %s)" : "self->priming ? 0 : %s", all);
    return factor ? operand : all;
}

// Of a stage that has one member.
static const char *firings_text(program_emitter *x, const program_kernel *k, const plan_stage *st)
{
    const program_firings *f = program_firings_of(k, st->actor);
    if (f->starting)
        program_uses(x, "starting");
    return firings_of_all(x, st, f->count, f->text);
}

// The same in the initialisation, or in all other runs.
static const char *firings_in(program_emitter *x, const program_kernel *k, const plan_stage *st, plan_phase phase)
{
    const program_firings *f = program_firings_of(k, st->actor);
    const char *count = f->count, *operand = f->text;
    if (phase == PLAN_INIT && x->net == NULL)
        count = operand = program_has_phases(x) ? arena_printf(x->e.arena, "self->firings[%zu]", f->index)
                                                : arena_printf(x->e.arena, "%" PRId64, init_of(x, st->actor));
    else if (!program_counts_firings(x))
        count = operand = text_times(x, "self->steady", x->s->reps[st->actor]);
    return firings_of_all(x, st, count, operand);
}

// Whether members of a stage that follow each other fire alike in all runs.
static bool fire_alike(program_emitter *x, uint32_t a, uint32_t b)
{
    return x->net != NULL ||
           (x->s->reps[a] == x->s->reps[b] && (program_has_phases(x) || init_of(x, a) == init_of(x, b)));
}

// Of member m of a stage whose members are a range of the kernel's actors and fire alike.
static const char *member_firings(program_emitter *x, program_kernel *k, const plan_stage *st)
{
    const char *index = text_plus(x, "m", (int64_t)program_firings_of(k, st->actor)->index);
    if (!program_counts_firings(x))
        return firings_text(x, k, st);
    const char *count =
        x->net != NULL ? arena_printf(x->e.arena, "self->firings.all[%s]", index) : count_text(x, k, st->actor, index);
    return firings_of_all(x, st, count, arena_printf(x->e.arena, "(%s)", count));
}

// The steady states of a run one by one, each ended by a mark in the log.
static void emit_marked(program_emitter *x, program_kernel *k, const program_stage *code, const ports *p)
{
    arena *a = x->e.arena;
    const plan_stage *st = code->stage;
    const char *in = start_text(x, k, p->in, p->in_start, PLAN_STEADY),
               *out = start_text(x, k, p->out, p->out_start, PLAN_STEADY);
    if (p->in != NULL)
        in = arena_printf(a, "%s + %s", in, text_times(x, "s", x->pl->buffers.data[st->in.buffer].step));
    if (p->out != NULL)
        out = arena_printf(a, "%s + %s", out, text_times(x, "s", x->pl->buffers.data[st->out.buffer].step));
    text_line(x, 1, "for (ptrdiff_t s = 0; s < self->steady; s++) {");
    program_stage_call(x, 2, code, in, out, arena_printf(a, "%" PRId64, x->s->reps[st->actor]));
    if (states_of_mark(x, st->actor) > 1)
        text_line(x, 2, "if (++self->%s %% %" PRId64 " == 0)\n            svm_printMark(%s);",
                  x->names[st->actor].states, states_of_mark(x, st->actor), program_log(x, &x->names[st->actor]));
    else
        text_line(x, 2, "svm_printMark(%s);", program_log(x, &x->names[st->actor]));
    text_line(x, 1, "}");
    text_line(x, 1, "if (self->steady == 0)%s", code->has_prework ? " {" : "");
}

// Members of a fused stage one by one.
static void emit_members(program_emitter *x, program_kernel *k, int indent, const program_stage *code, const ports *p)
{
    arena *a = x->e.arena;
    const plan_stage *st = code->stage;
    const char *in = start_text(x, k, p->in, p->in_start, -1), *out = start_text(x, k, p->out, p->out_start, -1);
    const char *in_at = text_position(x, &st->in_members, "m"), *out_at = text_position(x, &st->out_members, "m");
    size_t members = plan_stage_members(st);
    bool same = true, range = true;
    for (size_t i = 1; i < members; i++) {
        plan_stage one = plan_stage_member(st, i);
        same &= one.actor == st->actor;
        range &= program_firings_of(k, one.actor)->index == program_firings_of(k, st->actor)->index + i &&
                 fire_alike(x, one.actor, st->actor);
    }
    in = strcmp(in_at, "0") == 0 ? in : arena_printf(a, "%s + %s", in, in_at);
    out = strcmp(out_at, "0") == 0 ? out : arena_printf(a, "%s + %s", out, out_at);
    if (same || range) {
        const char *firings = same ? firings_text(x, k, st) : member_firings(x, k, st);
        text_line(x, indent, "for (int m = 0; m < %zu; m++)", members);
        program_stage_call(x, indent + 1, code, in, out, firings);
        return;
    }
    text_line(x, indent, "{");
    for (size_t i = 0; i < members; i++) {
        plan_stage one = plan_stage_member(st, i);
        ports q = stage_ports(x, k, code, &one);
        program_stage_call(x, indent + 1, code, start_text(x, k, q.in, q.in_start, -1),
                           start_text(x, k, q.out, q.out_start, -1), firings_text(x, k, &one));
    }
    text_line(x, indent, "}");
}

static void emit_fused(program_emitter *x, program_kernel *k, const program_stage *code)
{
    arena *a = x->e.arena;
    const plan_stage *st = code->stage;
    ports p = stage_ports(x, k, code, st);
    const char *function = st->kind == PLAN_COPY   ? code->members_copy
                           : code->members != NULL ? code->members->name
                                                   : NULL;
    if (function == NULL) {
        emit_members(x, k, 1, code, &p);
        return;
    }
    if (code->irregular)
        text_line(x, 1, "if (self->steady != 0)");
    int64_t members = (int64_t)plan_stage_members(st);
    const char *count = x->net != NULL
                            ? arena_printf(a, "%" PRId64 " * %s", members, program_firings_of(k, st->actor)->text)
                            : text_times(x, "self->steady", members * x->s->reps[st->actor]);
    call_function(x, code->irregular ? 2 : 1, code, function, start_text(x, k, p.in, p.in_start, PLAN_STEADY),
                  start_text(x, k, p.out, p.out_start, PLAN_STEADY), firings_of_all(x, st, count, count));
    if (code->irregular) {
        text_line(x, 1, "else");
        emit_members(x, k, 2, code, &p);
    }
}

static void emit_stage(program_emitter *x, program_kernel *k, const program_stage *code)
{
    if (code->stage->others.len != 0) {
        emit_fused(x, k, code);
        return;
    }
    arena *a = x->e.arena;
    const plan_stage *st = code->stage;
    ports p = stage_ports(x, k, code, st);
    bool marked = code->print_marks && x->names[st->actor].log != NULL;
    if (marked)
        emit_marked(x, k, code, &p);
    int indent = marked ? 2 : 1;
    if (code->has_prework) {
        int64_t in_later = p.in_start[PLAN_INIT] + code->walk.in_skip,
                out_later = p.out_start[PLAN_INIT] + code->walk.out_skip;
        const char *in = p.in != NULL ? text_plus(x, p.in, in_later) : "?",
                   *out = p.out != NULL ? text_plus(x, p.out, out_later) : "?";
        program_uses(x, "starting");
        const char *first = firings_in(x, k, st, PLAN_INIT);
        bool stops = stops_priming(x, st), known = !program_counts_firings(x) && !stops;
        int64_t more = init_of(x, st->actor) - 1;
        text_line(x, indent, "if (starting%s) {",
                  known ? "" : arena_printf(a, stops ? " && (%s) > 0" : " && %s > 0", first));
        program_first_call(x, indent + 1, code, start_text(x, k, p.in, p.in_start, PLAN_INIT),
                           start_text(x, k, p.out, p.out_start, PLAN_INIT));
        if (!known || more > 0)
            program_stage_call(x, indent + 1, code, in, out,
                               known ? arena_printf(a, "%" PRId64, more)
                                     : arena_printf(a, stops ? "(%s) - 1" : "%s - 1", first));
        text_line(x, indent, "} else {");
        program_stage_call(x, indent + 1, code, start_text(x, k, p.in, p.in_start, PLAN_STEADY),
                           start_text(x, k, p.out, p.out_start, PLAN_STEADY), firings_in(x, k, st, PLAN_STEADY));
        text_line(x, indent, "}");
    } else if (code->zeros != NULL) {
        text_line(x, indent, "if (self->steady != 0) {");
        program_zeros_stage(x, indent + 1, k, code, start_text(x, k, p.in, p.in_start, PLAN_STEADY),
                            start_text(x, k, p.out, p.out_start, PLAN_STEADY));
        text_line(x, indent, "} else {");
        program_stage_call(x, indent + 1, code, start_text(x, k, p.in, p.in_start, -1),
                           start_text(x, k, p.out, p.out_start, -1), firings_text(x, k, st));
        text_line(x, indent, "}");
    } else {
        program_stage_call(x, indent, code, start_text(x, k, p.in, p.in_start, -1),
                           start_text(x, k, p.out, p.out_start, -1), firings_text(x, k, st));
    }
    if (marked && code->has_prework)
        text_line(x, 1, "}");
}

const char *program_block(program_emitter *x, const program_kernel *k, uint32_t buffer)
{
    if (x->net == NULL)
        return arena_printf(x->e.arena, "&self->channels[%" PRIu32 "]", buffer);
    return arena_printf(x->e.arena, "self->%s", program_buffer_name(k, buffer));
}

const char *program_log(program_emitter *x, const program_actor_names *n)
{
    return x->pl->cut != NULL ? n->log : arena_printf(x->e.arena, "&self->%s", n->log);
}

// Where what is kept lies is another place in the initialisation.
static bool shift_starts(const program_emitter *x, uint32_t buffer)
{
    return x->pl->buffers.data[buffer].base != 0;
}

bool program_shifts_start(const program_emitter *x, const program_kernel *k)
{
    bool any = false;
    for (VEC_EACH(const uint32_t, b, &k->shifts))
        any |= shift_starts(x, *b);
    return any;
}

enum { ALIKE_SHIFTS = 3 }; // that are a loop

// How many shifts from the first one on do the same to blocks that follow each other; 1: fewer than a loop is for.
static size_t alike_shifts(const program_emitter *x, const program_kernel *k, size_t first)
{
    const plan_buffer *b = &x->pl->buffers.data[k->shifts.data[first]];
    size_t count = 0;
    for (size_t i = first; i < k->shifts.len; i++, count++) {
        uint32_t buffer = k->shifts.data[i];
        const plan_buffer *other = &x->pl->buffers.data[buffer];
        if (buffer != k->shifts.data[first] + count || other->base != b->base || other->step != b->step ||
            other->keep != b->keep || program_zeros_of(x, buffer) != NULL)
            break;
    }
    return x->pl->cut == NULL && x->net == NULL && count >= ALIKE_SHIFTS ? count : 1;
}

// Of `count` buffers that follow each other.
static void emit_shift(program_emitter *x, int indent, const program_kernel *k, uint32_t buffer, size_t count)
{
    const plan_buffer *b = &x->pl->buffers.data[buffer];
    bool starts = shift_starts(x, buffer);
    const char *from = text_times(x, "self->steady", b->step), *name = program_buffer_name(k, buffer);
    const program_zeros *zeros = program_zeros_of(x, buffer);
    if (zeros != NULL) {
        text_line(x, indent, "if (self->steady != 0)");
        program_zeros_keep(x, indent + 1, k, zeros);
        text_line(x, indent, "else");
    }
    if (starts) {
        program_uses(x, "starting");
        from = arena_printf(x->e.arena, "starting ? %" PRId64 " : %s", b->base, from);
    }
    if (x->pl->cut == NULL) {
        const char *block = program_block(x, k, buffer);
        if (count > 1) {
            text_line(x, indent, "for (int i = %" PRIu32 "; i < %" PRIu32 "; i++)", buffer, buffer + (uint32_t)count);
            block = "&self->channels[i]";
        }
        text_line(x, zeros != NULL || count > 1 ? indent + 1 : indent, "svm_blockShift(%s, %s, %" PRId64 ");", block,
                  from, b->keep);
        return;
    }
    program_uses(x, name);
    text_line(x, indent,
              starts ? "memmove(%s, %s + (%s), %" PRId64 " * sizeof *%s);"
                     : "memmove(%s, %s + %s, %" PRId64 " * sizeof *%s);",
              name, name, from, b->keep, name);
}

static bool is_window(const program_emitter *x, uint32_t buffer)
{
    for (VEC_EACH(const plan_io, io, &x->pl->readers))
        if (io->access.buffer == buffer)
            return true;
    for (VEC_EACH(const plan_io, io, &x->pl->writers))
        if (io->access.buffer == buffer)
            return true;
    return false;
}

static bool is_shifted(const program_emitter *x, uint32_t buffer, program_shifted which)
{
    return which == SHIFTED_ALL || is_window(x, buffer) == (which == SHIFTED_WINDOWS);
}

// Whether samples among zeros are all that moves, in whole steady states.
static bool keeps_samples(const program_emitter *x, uint32_t buffer)
{
    return program_zeros_of(x, buffer) != NULL && !shift_starts(x, buffer);
}

// Of the shifts from one on; gives how many these are.
static size_t keep_samples(program_emitter *x, int indent, const program_kernel *k, size_t from, program_shifted which)
{
    size_t end = from;
    while (end < k->shifts.len && keeps_samples(x, k->shifts.data[end]) &&
           is_shifted(x, k->shifts.data[end], which) == is_shifted(x, k->shifts.data[from], which))
        end++;
    const size_t count = end - from;
    if (count == 0 || !is_shifted(x, k->shifts.data[from], which))
        return count;
    text_line(x, indent, count == 1 ? "if (self->steady != 0)" : "if (self->steady != 0) {");
    for (size_t i = from; i < end; i++)
        program_zeros_keep(x, indent + 1, k, program_zeros_of(x, k->shifts.data[i]));
    if (count > 1)
        text_line(x, indent, "}");
    return count;
}

size_t program_shift_count(const program_emitter *x, const program_kernel *k, program_shifted which)
{
    size_t count = 0;
    for (VEC_EACH(const uint32_t, buffer, &k->shifts))
        count += is_shifted(x, *buffer, which);
    return count;
}

void program_shifts(program_emitter *x, int indent, const program_kernel *k, program_shifted which)
{
    if (program_shift_count(x, k, which) != 0)
        text_line(x, indent, "/* What is still to be read moves to the front. */");
    for (size_t i = 0, count; i < k->shifts.len; i += count) {
        count = keep_samples(x, indent, k, i, which);
        if (count != 0)
            continue;
        count = alike_shifts(x, k, i);
        if (is_shifted(x, k->shifts.data[i], which))
            emit_shift(x, indent, k, k->shifts.data[i], count);
    }
}

void program_add_pointer(program_pointers *p, const sir_type *t, const char *name, const char *value)
{
    emitter *e = &p->x->e;
    const char *type = emit_item_name(e, t);
    if (p->type == NULL || strcmp(p->type, type) != 0)
        program_write_pointers(p);
    p->type = type;
    VEC_PUSH(e->arena, &p->rows, arena_printf(e->arena, "%s = %s", emit_pointer_declarator(e, t, name), value));
}

void program_write_pointers(program_pointers *p)
{
    if (p->rows.len != 0)
        text_call(p->x, 1, arena_printf(p->x->e.arena, "%s ", p->type), &p->rows, ";");
    p->rows.len = 0;
}

void program_run_locals(program_emitter *x, const program_kernel *k, const hmap *used, bool strip)
{
    if (!strip)
        text_line(x, 1, "%s *self = (%s *)kernel;", k->type, k->type);
    if (hmap_get(used, "starting") != NULL && (x->pl->cut == NULL || !mapped_goes_on(x, k)))
        text_line(x, 1, "const bool starting = self->starting;");
    if (x->pl->cut != NULL)
        mapped_memory(x, k, used);
    program_pointers pointers = {.x = x};
    for (size_t i = 0; i < k->buffers.len; i++) {
        const char *name = k->buffer_names.data[i];
        const sir_type *t = x->m->channels.data[x->pl->buffers.data[k->buffers.data[i]].channel].type;
        if (hmap_get(used, name) == NULL)
            continue;
        if (x->pl->cut != NULL)
            mapped_local(&pointers, k, i);
        else
            program_add_pointer(&pointers, t, name,
                                arena_printf(x->e.arena, "svm_blockData(%s)", program_block(x, k, k->buffers.data[i])));
    }
    program_write_pointers(&pointers);
    if (hmap_get(used, "own") != NULL && x->pl->cut != NULL)
        mapped_own(x, k);
    else if (hmap_get(used, "own") != NULL)
        text_line(x, 1, "%s *own SVM_UNUSED = svm_blockData(self->own);", k->own_type);
    strbuf_addc(x->e.out, '\n');
}

// What a kernel calls for each of its runs, or strips.
static void emit_run(program_emitter *x, const program_kernel *k, const char *what, const char *name, const char *body,
                     const hmap *used)
{
    bool strip = x->pl->cut != NULL;
    text_line(x, 0, "/* %s of %s. */", what, k->kernel->name);
    if (strip)
        mapped_strip_head(x, k, used, name);
    else
        text_line(x, 0, "static void %s(svm_Kernel *kernel)", name);
    text_line(x, 0, "{");
    program_run_locals(x, k, used, strip);
    strbuf_add(x->e.out, body);
    text_line(x, 0, "}\n");
}

static const char *stage_comment(program_emitter *x, const plan_stage *st)
{
    arena *a = x->e.arena;
    const sir_actor *actor = x->m->actors.data[st->actor];
    const char *text = text_actor(x, st->actor);
    size_t others = st->others.len;
    if (st->kind == PLAN_COPY && actor->kind != SIR_FILTER) {
        const char *side = actor->kind == SIR_SPLIT ? "output" : "input";
        bool one_actor = others != 0 && st->others.data[0].actor == st->actor;
        if (one_actor)
            return arena_printf(a, "%s: %ss %" PRIu32 " to %" PRIu32, text, side, st->port,
                                st->others.data[others - 1].port);
        text = arena_printf(a, "%s: %s %" PRIu32, text, side, st->port);
    }
    return others == 0 ? text : arena_printf(a, "%s, and %zu more", text, others);
}

// What is one line has its comment behind it, if there is room.
static void emit_named_stage(program_emitter *x, program_kernel *k, const program_stage *code)
{
    const char *comment = stage_comment(x, code->stage);
    strbuf text, *out = x->e.out;
    strbuf_init(&text, x->e.arena);
    x->e.out = &text;
    size_t lines = x->lines;
    emit_stage(x, k, code);
    x->e.out = out;
    if (x->lines == lines + 1 && text.len + strlen(comment) + 6 <= TEXT_COLUMNS)
        strbuf_printf(out, "%.*s /* %s */\n", (int)text.len - 1, text.data, comment);
    else
        strbuf_printf(out, "%*s/* %s */\n%s", 4 + 4 * x->deeper, "", comment, text.len == 0 ? "" : text.data);
}

// About the operations of a steady state.
static double kernel_operations(program_emitter *x, const program_kernel *k)
{
    double total = 0;
    for (VEC_EACH(plan_item, item, &k->kernel->items))
        for (VEC_EACH(plan_stage, st, &item->stages)) {
            double each = st->kind == PLAN_FIRE ? x->operations[st->actor] : 2 * (double)plan_out_rate(x->m, st, false);
            total += each * (double)x->s->reps[st->actor] * (double)plan_stage_members(st);
        }
    return total;
}

static void emit_tiles(program_emitter *x, program_kernel *k, const program_stage *codes, program_tiles tiles)
{
    strbuf text, *out = x->e.out;
    strbuf_init(&text, x->e.arena);
    x->e.out = &text;
    for (size_t i = 0; i < tiles.stages && !tiles.always; i++)
        emit_named_stage(x, k, &codes[i]);
    x->e.out = out;
    program_emit_tiles(x, k, codes, tiles, text.data);
}

static void emit_pair(program_emitter *x, program_kernel *k, const program_stage *codes, program_pair pair)
{
    strbuf text, *out = x->e.out;
    strbuf_init(&text, x->e.arena);
    x->e.out = &text;
    for (size_t i = 0; i < 2 && pair == PAIR_STEADY; i++)
        emit_named_stage(x, k, &codes[i]);
    x->e.out = out;
    program_emit_pair(x, k, codes, pair, text.data);
}

// Stages from an item on, up to the next feedback loop.
static size_t until_cycle(const plan_kernel *k, const plan_item *item)
{
    size_t n = 0;
    for (const plan_item *end = k->items.data + k->items.len; item < end && item->cycle < 0; item++)
        n += item->stages.len;
    return n;
}

void program_kernel_functions(program_emitter *x, uint32_t kernel)
{
    program_kernel *k = &x->kernels[kernel];
    const program_stage *codes = x->stages[kernel];
    strbuf body, *out = x->e.out;
    strbuf_init(&body, x->e.arena);
    // Functions of cycles come first in the text.
    text_args cycles = {0}, named = {0};
    program_calls calls = {0};
    const char *state_at = x->own;
    x->own = k->own_type != NULL ? "own" : x->own;
    const program_stage *at = codes;
    for (VEC_EACH(plan_item, item, &k->kernel->items)) {
        if (item->cycle >= 0)
            VEC_PUSH(x->e.arena, &cycles, program_cycle_function(x, kernel, item, at, NULL, &named));
        at += item->stages.len;
    }
    hmap used;
    hmap_init(&used, x->e.arena);
    x->used = &used;
    x->e.out = &body;
    x->before = out;
    const bool goes_on = x->pl->cut != NULL && mapped_goes_on(x, k);
    x->deeper = goes_on;
    if (x->pl->cut != NULL)
        mapped_begin(x, kernel);
    for (VEC_EACH(const char *, name, &named))
        program_uses(x, *name);
    size_t cycle = 0, stages = 0;
    for (VEC_EACH(plan_item, item, &k->kernel->items)) {
        stages += item->stages.len;
        if (item->cycle >= 0) {
            text_line(x, 1, "/* The feedback loop of %s */", text_actor(x, x->cycle_members[item->cycle].data[0]));
            VEC_PUSH(x->e.arena, &calls.begins, body.len);
            text_line(x, 1, "%s", cycles.data[cycle++]);
            VEC_PUSH(x->e.arena, &calls.ends, body.len);
            codes += item->stages.len;
            continue;
        }
        program_tiles tiles = program_find_tiles(x, codes, until_cycle(k->kernel, item));
        if (tiles.stages > 1) {
            emit_tiles(x, k, codes, tiles);
            codes += tiles.stages;
            stages += tiles.stages - 1;
            item += tiles.stages - 1;
            continue;
        }
        program_pair pair =
            item->stages.len != 1 ? PAIR_NONE : program_find_pair(x, codes, until_cycle(k->kernel, item));
        if (pair != PAIR_NONE && item[1].stages.len == 1) {
            emit_pair(x, k, codes, pair);
            codes += 2;
            stages++;
            item++;
            continue;
        }
        for (size_t i = 0; i < item->stages.len; i++, codes++)
            emit_named_stage(x, k, codes);
    }
    if (x->net == NULL)
        program_shifts(x, 1, k, SHIFTED_ALL);
    if (x->pl->cut != NULL)
        mapped_end(x, kernel);
    x->deeper = 0;
    x->e.out = out;
    x->used = NULL;
    x->own = state_at;
    if (x->net != NULL) {
        const char *run = NULL;
        if (body.len != 0) {
            run = emit_unique_name(&x->e, arena_printf(x->e.arena, "%s_run", k->run));
            emit_run(x, k, "One run", run, body.data, &used);
        }
        program_region_kernel(x, kernel, run, kernel_operations(x, k));
        program_offload_kernel(x, kernel, body.data, &calls, &used, kernel_operations(x, k));
        return;
    }
    const char *run = k->run;
    if (x->pl->cut != NULL && mapped_strips(x, k) && !goes_on) {
        run = mapped_strip_name(x, k);
        emit_run(x, k, "A strip", run, body.data, &used);
    }
    text_line(x, 0, "/* Kernel %s, run on %s; the estimate counts the operations of a steady state. */",
              k->kernel->name, x->pl->cut != NULL ? mapped_processors(x, kernel) : x->pl->processor);
    const bool holds = x->pl->cut != NULL && mapped_holds_processor(x, kernel);
    const bool first = holds && mapped_input_first(x, kernel);
    text_line(x, 0, "SVM_KERNEL(estimate(%zu, %.0f)%s%s)", 10 * stages, kernel_operations(x, k),
              holds ? ", holds_processor" : "", first ? ", input_first" : "");
    text_line(x, 0, "static void %s(svm_Kernel *kernel)", k->run);
    text_line(x, 0, "{");
    if (run != k->run) {
        mapped_strip_loop(x, k, run);
    } else {
        program_run_locals(x, k, &used, false);
        if (goes_on)
            mapped_next_strips(x, k, &used, body.data);
        else
            strbuf_add(out, body.data);
    }
    text_line(x, 0, "}\n");
}
