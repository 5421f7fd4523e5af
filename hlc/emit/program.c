// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of an emitted program, top to bottom.
#include "hlc/emit/program.h"

#include <inttypes.h>
#include <string.h>

#include "hlc/emit/program_int.h"
#include "hlc/plan/bit_lanes.h"

// Bytes of vector registers together, from which they are wide: 32 of 64.
enum { WIDE_ROWS = 512, ROWS_LEVEL = 2 };
// Floats of a vector register from which on it counts how many registers there are.
enum { WIDE_FLOATS = 8 };

void program_declare_name(program_emitter *x, hmap *known, const char *macro, const char *name, text_args *declared)
{
    if (hmap_get(known, name) != NULL)
        return;
    hmap_set(known, name, x);
    if (declared != NULL)
        VEC_PUSH(x->e.arena, declared,
                 arena_printf(x->e.arena, "%s(%s);%s", macro, name,
                              strcmp(macro, "SVM_PROCESSOR") == 0 ? text_processor_constant(x, name) : ""));
    else
        emit_unique_name(&x->e, name);
}

static void add_processor(program_emitter *x, hmap *known, const char *name, text_args *declared)
{
    program_declare_name(x, known, "SVM_PROCESSOR", name, declared);
}

// The processors that run kernels, the plan's own first: declares them, or (NULL) keeps others from taking their names.
static void name_processors(program_emitter *x, text_args *declared)
{
    hmap known;
    hmap_init(&known, x->e.arena);
    add_processor(x, &known, x->pl->processor, declared);
    for (VEC_EACH(const plan_net_place, where, &x->pl->where)) {
        add_processor(x, &known, where->processor, declared);
        for (VEC_EACH(const char *, helper, &where->helpers))
            add_processor(x, &known, *helper, declared);
    }
    program_offload_names(x, &known, declared);
}

static void emit_header(program_emitter *x)
{
    strbuf *out = x->e.out;
    const hlc_config *config = x->p->config;
    strbuf_printf(out, "/* %s in SVM C, %s.", x->m->name, text_made_by(x));
    if (config != NULL && config->command_line != NULL)
        strbuf_printf(out, "\n   %s", text_comment(x, config->command_line));
    if (x->pl->cut != NULL && !x->pl->cut->streams) // mapped_summary
        strbuf_add(out, "\n   Which bytes go where in a round, and when, a comment says before SVM_STRIP.");
    strbuf_add(out, " */\n");
    if (program_launches(x))
        text_line(x, 0, "#include <svm/launch.h>");
    text_line(x, 0, "#include <svm/%s.h>%s",
              program_has_messages(x)                         ? "messages"
              : x->net != NULL                                ? "dynamic"
              : x->pl->cut == NULL && x->pl->readers.len != 0 ? "input"
                                                              : "program",
              x->library != NULL || program_offloads(x) || x->fails ? "" : "\n");
    if (program_offloads(x))
        text_line(x, 0, "#include <svm/offload.h>%s", x->library != NULL ? "" : "\n");
    if (x->fails)
        text_line(x, 0, "#include <svm/strip.h>%s", x->library != NULL ? "" : "\n");
    if (x->library != NULL)
        text_line(x, 0, "#include <svm/library.h>\n");
    if (x->e.check_rates || x->e.check_bounds)
        text_line(x, 0, "#include <svm/checks.h>\n");
    text_args names = {0};
    VEC_PUSH(x->e.arena, &names, arena_printf(x->e.arena, "SVM_MACHINE(\"%s\");", x->pl->machine));
    VEC_PUSH(x->e.arena, &names, arena_printf(x->e.arena, "SVM_MEMORY(%s);", x->pl->memory));
    VEC_PUSH(x->e.arena, &names, arena_printf(x->e.arena, "SVM_PROCESSOR(%s);", x->pl->control));
    if (x->pl->cut != NULL)
        mapped_names(x, &names);
    else
        name_processors(x, &names);
    text_rows(x, 0, &names);
    text_memory_constant(x, x->pl->memory);
    strbuf_addc(out, '\n');
}

// Structs of items: their size is part of the channels' addresses.
static void emit_size_checks(program_emitter *x)
{
    hmap done;
    hmap_init(&done, x->e.arena);
    bool any = false;
    for (VEC_EACH(plan_buffer, b, &x->pl->buffers)) {
        const sir_type *t = x->m->channels.data[b->channel].type;
        while (t->kind == SIR_ARRAY)
            t = t->element;
        if (t->kind != SIR_STRUCT || hmap_get(&done, t->decl->name) != NULL)
            continue;
        hmap_set(&done, t->decl->name, x);
        uint64_t align, size = plan_item_size(t, &align);
        text_line(x, 0, "_Static_assert(sizeof(%s) == %" PRIu64 ", \"channels are laid out for this size\");",
                  emit_declare(&x->e, t, ""), size);
        any = true;
    }
    if (any)
        strbuf_addc(x->e.out, '\n');
}

// A channel is called after its producer, or, where that is a splitter, after its output.
static void name_buffers(program_emitter *x)
{
    arena *a = x->e.arena;
    x->buffer_names = ARENA_ARRAY(a, const char *, x->pl->buffers.len + 1);
    for (size_t i = 0; i < x->pl->buffers.len; i++) {
        const sir_channel *c = &x->m->channels.data[x->pl->buffers.data[i].channel];
        const sir_actor *producer = x->m->actors.data[c->producer];
        if (producer->kind == SIR_READER && x->net != NULL) {
            x->buffer_names[i] = body_identifier(a, producer->name);
            continue;
        }
        uint32_t end = plan_end_of(x->pl, x->m, (uint32_t)i);
        if (end != PLAN_NONE) {
            const plan_net *graph = x->pl->cut->graph;
            x->buffer_names[i] = body_identifier(a, graph->streams.data[graph->stream_of[end]].name);
            continue;
        }
        x->buffer_names[i] = body_identifier(
            a, producer->outputs.len > 1 ? arena_printf(a, "%s_out%" PRIu32, producer->name, c->producer_port)
                                         : arena_printf(a, "%s_out", producer->name));
    }
}

// What passes through a kernel without a stage is the kernel's own to move: an identity filter that looks ahead.
static void find_stageless(program_emitter *x)
{
    uint32_t *kernel_of = ARENA_ARRAY(x->e.arena, uint32_t, x->net->kernels.len + 1), kernel = 0;
    for (size_t i = 0; i < x->net->kernels.len; i++)
        kernel_of[i] = x->net->kernels.data[i].dynamic ? PLAN_NONE : kernel++;
    for (VEC_EACH(plan_io, io, &x->pl->readers))
        if (x->last_kernel[io->access.buffer] == PLAN_NONE)
            x->last_kernel[io->access.buffer] = kernel_of[x->net->kernel_of[io->actor]];
}

static void find_last_users(program_emitter *x)
{
    x->last_kernel = ARENA_ARRAY(x->e.arena, uint32_t, x->pl->buffers.len + 1);
    memset(x->last_kernel, 0xff, (x->pl->buffers.len + 1) * sizeof *x->last_kernel);
    for (uint32_t k = 0; k < x->pl->kernels.len; k++)
        for (VEC_EACH(plan_item, item, &x->pl->kernels.data[k].items))
            for (VEC_EACH(plan_stage, st, &item->stages)) {
                if (st->in.buffer != PLAN_NONE)
                    x->last_kernel[st->in.buffer] = k;
                if (st->out.buffer != PLAN_NONE)
                    x->last_kernel[st->out.buffer] = k;
            }
    for (size_t i = 0; x->net == NULL && i < x->pl->writers.len; i++)
        x->last_kernel[x->pl->writers.data[i].access.buffer] = PLAN_NONE; // the control program comes last
    if (x->net != NULL)
        find_stageless(x);
}

static void prepare(program_emitter *x)
{
    arena *a = x->e.arena;
    hmap_init(&x->filters, a);
    hmap_init(&x->fires, a);
    hmap_init(&x->strips, a);
    hmap_init(&x->behinds, a);
    hmap_init(&x->threads, a);
    hmap_init(&x->lanes, a);
    hmap_init(&x->lane_headers, a);
    hmap_init(&x->copies, a);
    hmap_init(&x->state_inits, a);
    hmap_init(&x->zeros, a);
    hmap_init(&x->skews, a);
    hmap_init(&x->across, a);
    hmap_init(&x->reversed, a);
    hmap_init(&x->turned, a);
    hmap_init(&x->turns, a);
    hmap_init(&x->looked, a);
    x->name = body_identifier(a, x->m->name);
    // The machine's names are the program's too.
    emit_unique_name(&x->e, x->pl->memory);
    emit_unique_name(&x->e, x->pl->control);
    if (x->pl->cut != NULL)
        mapped_names(x, NULL);
    else
        name_processors(x, NULL);
    static const char *const functions[] = {
        "create",       "run",     "drain",      "destroy",     "fire",   "read",   "start",     "control", "keepInput",
        "steadyStates", "program", "channels",   "init",        "steady", "kept",   "enqueued",  "rates",   "rows",
        "inputs",       "outputs", "inputStart", "outputStart", "issue",  "finish", "finishAll", "turn"};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        emit_unique_name(&x->e, arena_printf(a, "%s_%s", x->name, functions[i]));
    if (x->pl->cut != NULL && !x->pl->cut->streams)
        x->type = "svm_Rounds";
    else
        x->type = emit_unique_name(&x->e, arena_printf(a, "%s_Instance", x->name));
    program_find_outside(x);
    if (x->p->config != NULL && x->p->config->library)
        program_library_names(x);
    x->printing = plan_printing_actors(a, x->m);
    for (size_t i = 0; i < x->m->actors.len; i++)
        x->has_init |= x->s->init[i] != 0;
    x->cycle_members = ARENA_ARRAY(a, plan_actor_list, (size_t)x->s->cycle_count + 1);
    for (uint32_t i = 0; i < x->m->actors.len; i++)
        if (x->s->cycle[i] >= 0)
            VEC_PUSH(a, &x->cycle_members[x->s->cycle[i]], i);
    x->item_counts = ARENA_ARRAY(a, const char *, x->m->channels.len + 1);
    x->names = ARENA_ARRAY(a, program_actor_names, x->m->actors.len + 1);
    x->kernel_of = ARENA_ARRAY(a, uint32_t, x->m->actors.len + 1);
    name_buffers(x);
    find_last_users(x);
    x->operations = plan_operations(a, x->m);
    plan_bit_costs(x->p, x->m, x->operations);
}

static void name_kernels(program_emitter *x)
{
    arena *a = x->e.arena;
    hmap fields;
    hmap_init(&fields, a);
    static const char *const own[] = {"started", "ended", "steadyStates", "memory",  "channels",  "kernels",
                                      "logs",    "start", "readers",      "writers", "iterations"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        hmap_set(&fields, own[i], x);
    if (x->fails)
        hmap_set(&fields, "strip", x);
    x->kernels = ARENA_ARRAY(a, program_kernel, x->pl->kernels.len + 1);
    for (size_t i = 0; i < x->pl->kernels.len; i++) {
        program_kernel *k = &x->kernels[i];
        k->kernel = &x->pl->kernels.data[i];
        const char *base = body_identifier(a, k->kernel->name);
        k->field = text_member(x, &fields, base);
        k->type = emit_unique_name(&x->e, arena_printf(a, "%s_Kernel", base));
        k->run = emit_unique_name(&x->e, arena_printf(a, "%s_kernel", base));
    }
}

static void emit_stages(program_emitter *x)
{
    x->stages = ARENA_ARRAY(x->e.arena, program_stage *, x->pl->kernels.len + 1);
    for (uint32_t k = 0; k < x->pl->kernels.len; k++) {
        size_t count = 0, at = 0;
        for (VEC_EACH(plan_item, item, &x->pl->kernels.data[k].items))
            count += item->stages.len;
        x->stages[k] = ARENA_ARRAY(x->e.arena, program_stage, count + 1);
        for (VEC_EACH(plan_item, item, &x->pl->kernels.data[k].items))
            for (VEC_EACH(plan_stage, st, &item->stages)) {
                for (size_t i = 0; i < plan_stage_members(st); i++)
                    x->kernel_of[plan_stage_member(st, i).actor] = k;
                program_stage_functions(x, item, st, &x->stages[k][at++]);
            }
    }
}

static const char *finish(program_emitter *x)
{
    emit_held_tables(&x->e);
    const hlc_config *config = x->p->config;
    const char *path =
        config != NULL && config->text_path != NULL ? config->text_path : arena_printf(x->e.arena, "%s.svm.c", x->name);
    const char *text = x->e.line_directives ? program_resolve_lines(x, path) : x->e.out->data;
    if (x->library != NULL)
        x->p->header = program_library_header(x);
    return text;
}

const char *emit_program(hlc_program *p)
{
    strbuf out;
    strbuf_init(&out, p->arena);
    program_emitter x = {.p = p, .m = p->module, .s = p->schedule, .pl = p->plan, .net = p->net};
    x.own = x.pl->cut != NULL ? "own" : "self";
    emitter_init(&x.e, p->arena, &out, p->module, p->sources);
    x.e.line_directives = p->config != NULL && p->config->debug_info;
    x.e.keep_names = hlc_keeps_names(p->config);
    x.e.wide_rows = p->config->vector_bytes >= WIDE_ROWS && p->config->opt_level >= ROWS_LEVEL && !p->config->no_lanes;
    x.e.fast_math = p->config->fast_math;
    x.e.permutes = p->config->takes_bytes;
    x.e.wide_registers = hlc_has_wide_vectors(p->config);
    x.e.vector_floats = hlc_vector_floats(p->config);
    x.e.most_trips = program_most_aside(&x);
    if (x.e.vector_floats >= WIDE_FLOATS)
        x.e.value_room = p->config->vector_bytes / (int64_t)sizeof(float) / 4 * 3;
    for (int64_t i = 1; i <= EMIT_SHARED && x.e.most_trips > 0; i++)
        x.e.shared_room[i - 1] = x.e.vector_floats * hlc_shared_registers(p->config, i);
    const machine_processor *runs = machine_processor_by_name(p->machine, x.pl->processor);
    x.e.gathers = p->config->gathers || (runs != NULL && runs->gathers);
    x.e.inverts = x.e.most_trips > 0 && runs != NULL && runs->caches.len != 0; // room for tables, and vectors of double
    x.e.cached = runs != NULL && runs->caches.len != 0;
    if (p->config != NULL)
        emitter_check(&x.e, p->config->check_rates, p->config->check_bounds);
    prepare(&x);
    program_find_failing(&x);
    emit_header(&x);
    emit_types(&x.e);
    program_message_types(&x);
    emit_size_checks(&x);
    emit_globals(&x.e);
    program_find_alike(&x);
    emit_module_functions(&x.e);
    x.e.stops = false; // some of them may be called by nobody
    emit_stages(&x);
    program_verify_failing(&x);
    program_find_zeros(&x);
    name_kernels(&x);
    if (x.net != NULL) {
        program_dynamic_functions(&x);
        program_net(&x);
        return finish(&x);
    }
    for (uint32_t k = 0; k < x.pl->kernels.len; k++)
        program_kernel_scan(&x, k);
    if (x.pl->cut != NULL)
        mapped_types(&x);
    for (uint32_t k = 0; k < x.pl->kernels.len; k++)
        program_kernel_struct(&x, k);
    for (uint32_t k = 0; k < x.pl->kernels.len; k++)
        program_kernel_functions(&x, k);
    for (VEC_EACH(uint32_t, actor, &x.printing))
        x.logs += x.names[*actor].log != NULL;
    if (x.pl->cut != NULL) {
        mapped_program(&x);
        return finish(&x);
    }
    program_instance(&x);
    program_control(&x);
    return finish(&x);
}
