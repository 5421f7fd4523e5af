// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The instance and the control side of a program with dynamic rates or messages.
#include <inttypes.h>
#include <string.h>

#include "hlc/emit/program_int.h"

typedef struct net {
    program_emitter *x;
    const sir_module *whole;
    VEC(uint32_t) readers, writers; // actors of the program
    const char **fields;            // per kernel: the instance's field of its kernel
    const char **helper_fields;     // of its helpers, if it is data-parallel
    size_t helpers, created;        // of all regions; of those whose setup is emitted
    const char **log_of;            // per actor of the program: its log, NULL if it prints nothing
    uint32_t *taken_from, *given_to; // per filter, reader and writer of the program: its streams
    plan_actor_list *into, *out_of;  // per kernel: streams
    size_t logs;
    size_t started;  // of the following, those whose setup is emitted
    size_t offloads; // regions that are offloaded
} net;

static const sir_channel *channel_of(const net *n, const plan_stream *st)
{
    return &n->whole->channels.data[st->channel];
}

static uint32_t stream_at(const net *n, uint32_t actor, bool producer)
{
    return producer ? n->given_to[actor] : n->taken_from[actor];
}

static const char *field_of(net *n, uint32_t kernel)
{
    return n->fields[kernel];
}

static const char *common_text(net *n, uint32_t kernel)
{
    if (kernel == SIR_NONE)
        return "NULL";
    bool dynamic = n->x->net->kernels.data[kernel].dynamic;
    return arena_printf(n->x->e.arena, "&self->%s.%s.common", field_of(n, kernel), dynamic ? "dynamic" : "region");
}

static net prepare(program_emitter *x)
{
    arena *a = x->e.arena;
    net n = {.x = x, .whole = x->net->whole};
    for (uint32_t i = 0; i < n.whole->actors.len; i++) {
        if (n.whole->actors.data[i]->kind == SIR_READER)
            VEC_PUSH(a, &n.readers, i);
        if (n.whole->actors.data[i]->kind == SIR_WRITER)
            VEC_PUSH(a, &n.writers, i);
    }
    n.into = ARENA_ARRAY(a, plan_actor_list, x->net->kernels.len + 1);
    n.out_of = ARENA_ARRAY(a, plan_actor_list, x->net->kernels.len + 1);
    n.taken_from = ARENA_ARRAY(a, uint32_t, n.whole->actors.len + 1);
    n.given_to = ARENA_ARRAY(a, uint32_t, n.whole->actors.len + 1);
    memset(n.taken_from, 0xff, n.whole->actors.len * sizeof *n.taken_from);
    memset(n.given_to, 0xff, n.whole->actors.len * sizeof *n.given_to);
    for (uint32_t i = 0; i < x->net->streams.len; i++) {
        n.given_to[channel_of(&n, &x->net->streams.data[i])->producer] = i;
        n.taken_from[channel_of(&n, &x->net->streams.data[i])->consumer] = i;
        if (x->net->streams.data[i].to != SIR_NONE)
            VEC_PUSH(a, &n.into[x->net->streams.data[i].to], i);
        if (x->net->streams.data[i].from != SIR_NONE)
            VEC_PUSH(a, &n.out_of[x->net->streams.data[i].from], i);
    }
    n.fields = ARENA_ARRAY(a, const char *, x->net->kernels.len + 1);
    hmap taken;
    hmap_init(&taken, a);
    static const char *const own[] = {"net", "iterations", "memory", "channels", "streams", "kernels", "helpers", "offloads", "logs", "start", "readers", "writers", "inputs", "outputs"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        hmap_set(&taken, own[i], x);
    size_t region = 0;
    for (uint32_t i = 0; i < x->net->kernels.len; i++) {
        const plan_net_kernel *kernel = &x->net->kernels.data[i];
        n.fields[i] = text_member(x, &taken, body_identifier(a, n.whole->actors.data[kernel->actors.data[0]]->name));
        if (!kernel->dynamic)
            x->kernels[region++].field = n.fields[i];
    }
    n.helper_fields = ARENA_ARRAY(a, const char *, x->net->kernels.len + 1);
    for (size_t i = 0; i < x->pl->where.len; i++)
        if (x->pl->where.data[i].helpers.len != 0) {
            n.helper_fields[i] = text_member(x, &taken, arena_printf(a, "%s_helpers", n.fields[i]));
            n.helpers += x->pl->where.data[i].helpers.len;
        } else if (x->pl->where.data[i].offload.len != 0) {
            n.helper_fields[i] = text_member(x, &taken, arena_printf(a, "%s_strips", n.fields[i]));
            n.offloads++;
        }
    return n;
}

// ---- The instance ----

static void find_logs(net *n)
{
    program_emitter *x = n->x;
    arena *a = x->e.arena;
    n->log_of = ARENA_ARRAY(a, const char *, n->whole->actors.len + 1);
    for (uint32_t i = 0; i < x->net->kernels.len; i++)
        if (x->net->kernels.data[i].dynamic && x->dynamics[i].names.log != NULL)
            n->log_of[x->dynamics[i].actor] = arena_printf(a, "self->%s.log", n->fields[i]);
    for (uint32_t i = 0; i < x->m->actors.len; i++)
        if (x->net->actor_of[i] != SIR_NONE && x->names[i].log != NULL)
            n->log_of[x->net->actor_of[i]] = arena_printf(a, "self->%s.%s", n->fields[x->net->kernel_of[i]], x->names[i].log);
    for (uint32_t i = 0; i < n->whole->actors.len; i++)
        n->logs += n->log_of[i] != NULL;
}

// With those that messages go on, behind the others.
static size_t stream_count(const net *n)
{
    return n->x->net->streams.len + program_way_count(n->x);
}

// Whether writers must leave some of what is there: items that the initialisation makes beside what is asked of it, and
// those of actors that have gone further so that messages come in time.
static bool limits_writers(const net *n)
{
    const schedule *s = n->x->net->whole_schedule;
    for (VEC_EACH(const uint32_t, w, &n->writers)) {
        uint32_t channel = n->whole->actors.data[*w]->inputs.data[0];
        if (program_has_messages(n->x) || (s->paced[s->static_region[*w]] && s->channels[channel].remainder != 0))
            return true;
    }
    return false;
}

static void emit_instance(net *n)
{
    program_emitter *x = n->x;
    const plan_net *graph = x->net;
    text_line(x, 0, "/* One running %s. */", x->pl->name);
    text_line(x, 0, "typedef struct {");
    text_line(x, 1, "svm_Net net; /* how its kernels hang together, and how far it has come */");
    text_line(x, 1, "int64_t iterations; /* steady states asked for in this call of run */");
    if (x->pl->buffers.len != 0) {
        text_line(x, 1, "size_t memory; /* where the channels within kernels lie */");
        text_line(x, 1, "svm_Block channels[%zu];", x->pl->buffers.len);
    }
    text_line(x, 1, "svm_Channel streams[%zu]; /* the channels between kernels */", stream_count(n));
    for (uint32_t i = 0, region = 0; i < graph->kernels.len; i++) {
        bool dynamic = graph->kernels.data[i].dynamic;
        text_line(x, 1, "%s %s;", dynamic ? x->dynamics[i].type : x->kernels[region].type, n->fields[i]);
        if (dynamic)
            continue;
        program_region_members(x, region);
        program_offload_members(x, region++);
    }
    text_line(x, 1, "svm_NetKernel *kernels[%zu];", graph->kernels.len);
    if (n->helpers != 0)
        text_line(x, 1, "svm_Helper *helpers[%zu];", n->helpers);
    if (n->offloads != 0)
        text_line(x, 1, "svm_Offload *offloads[%zu];", n->offloads);
    program_way_instance(x);
    if (n->logs != 0)
        text_line(x, 1, "svm_Log *logs[%zu]; /* of the actors that print, in order */", n->logs);
    if (n->whole->init_text_len != 0)
        text_line(x, 1, "svm_Log start; /* what was printed while the graph was built */");
    if (n->readers.len != 0) {
        text_line(x, 1, "svm_Reader readers[%zu];", n->readers.len);
        text_line(x, 1, "svm_NetReader inputs[%zu];", n->readers.len);
    }
    if (n->writers.len != 0) {
        text_line(x, 1, "svm_Writer writers[%zu];", n->writers.len);
        text_line(x, 1, "svm_NetWriter outputs[%zu];", n->writers.len);
        if (limits_writers(n))
            text_line(x, 1, "int64_t svm_writerLeft[%zu];", n->writers.len);
    }
    text_line(x, 0, "} %s;\n", x->type);
}

// ---- create ----

static const char *actor_place(net *n, uint32_t actor)
{
    const sir_actor *a = n->whole->actors.data[actor];
    sir_loc loc = a->loc.line == 0 && a->kind == SIR_FILTER ? a->filter->loc : a->loc;
    const char *place = body_place(&n->x->e, loc);
    return program_quoted(n->x, place == NULL ? "" : place);
}

static void emit_streams(net *n)
{
    program_emitter *x = n->x;
    const plan_net *graph = x->net;
    text_line(x, 0, "/* The channels between kernels: who gives and who takes, and how many items of what size there is room for at first. */");
    text_line(x, 0, "static const svm_ChannelRow %s_streams[] = {", x->name);
    for (uint32_t i = 0; i < graph->streams.len; i++) {
        const plan_stream *st = &graph->streams.data[i];
        const sir_channel *c = channel_of(n, st);
        text_line(x, 1, "{\"%s\", \"%s\", %s, \"%s\", %s, %" PRId64 ", sizeof(%s)},", st->name, n->whole->actors.data[c->producer]->name,
                  actor_place(n, c->producer), n->whole->actors.data[c->consumer]->name, actor_place(n, c->consumer), x->pl->capacities.data[i],
                  emit_declare_item(&x->e, c->type, ""));
    }
    program_way_streams(x);
    text_line(x, 0, "};\n");
}

// The tables come before the function that fills the streams with them.
static const char **emit_enqueued(net *n)
{
    program_emitter *x = n->x;
    const plan_net *graph = x->net;
    const char **names = ARENA_ARRAY(x->e.arena, const char *, graph->streams.len + 1);
    for (uint32_t i = 0; i < graph->streams.len; i++) {
        const sir_channel *c = channel_of(n, &graph->streams.data[i]);
        if (c->initial.len == 0 || program_channel_is_zero(c))
            continue;
        const char *to = n->whole->actors.data[c->consumer]->name;
        names[i] = emit_unique_name(&x->e, arena_printf(x->e.arena, "%s_enqueued", to));
        program_initial_table(x, c, to, names[i]);
    }
    return names;
}

// Items enqueued within kernels.
static const char **emit_initials(net *n)
{
    program_emitter *x = n->x;
    const char **names = ARENA_ARRAY(x->e.arena, const char *, x->pl->initials.len + 1);
    for (size_t i = 0; i < x->pl->initials.len; i++) {
        const sir_channel *c = &x->m->channels.data[x->pl->initials.data[i].channel];
        if (program_channel_is_zero(c))
            continue; // as memory is
        const char *to = x->m->actors.data[c->consumer]->name;
        names[i] = emit_unique_name(&x->e, arena_printf(x->e.arena, "%s_enqueued", to));
        program_initial_table(x, c, to, names[i]);
    }
    return names;
}

static void create_kernel(net *n, uint32_t kernel, const char *run, const char *name)
{
    program_emitter *x = n->x;
    const plan_net_kernel *p = &x->net->kernels.data[kernel];
    const char *text = common_text(n, kernel) + 1;
    text_line(x, 1, "svm_kernelInit(&self->%s.kernel, %s, %s, \"%s\");", n->fields[kernel],
              text_processor(x, plan_net_processor(x->pl, kernel)), run, name);
    text_line(x, 1, "%s.kernel = &self->%s.kernel;", text, n->fields[kernel]);
    if (p->paced) {
        text_line(x, 1, "%s.paced = true;", text);
        text_line(x, 1, "%s.init = %" PRId64 ";", text, p->init);
        text_line(x, 1, "%s.steady = %" PRId64 ";", text, p->steady);
    }
    text_line(x, 1, "self->kernels[%" PRIu32 "] = &%s;", kernel, text);
}

// The ends of a kernel's streams are known once.
static void create_ends(net *n, uint32_t kernel)
{
    program_emitter *x = n->x;
    for (VEC_EACH(uint32_t, s, &n->into[kernel]))
        text_line(x, 1, "self->streams[%" PRIu32 "].consumer = %s;", *s, common_text(n, kernel));
    for (VEC_EACH(uint32_t, s, &n->out_of[kernel]))
        text_line(x, 1, "self->streams[%" PRIu32 "].producer = %s;", *s, common_text(n, kernel));
}

// prefix: of the names of what the actor keeps.
static void create_state(program_emitter *x, const char *prefix, const emit_filter_info *info, const char *state, const char *random)
{
    const char *initial = hmap_getn(&x->state_inits, &info->filter, sizeof info->filter);
    if (state != NULL && initial != NULL && *initial != '\0')
        text_line(x, 1, "%s%s = %s;", prefix, state, initial);
    if (random != NULL)
        text_line(x, 1, "%s%s = (svm_Random)SVM_RANDOM_INIT;", prefix, random);
}

static const char *member_of(program_emitter *x, const char *field)
{
    return arena_printf(x->e.arena, "self->%s.", field);
}

static void create_dynamic(net *n, uint32_t kernel)
{
    program_emitter *x = n->x;
    const program_dynamic *actor = &x->dynamics[kernel];
    create_kernel(n, kernel, actor->run, n->whole->actors.data[actor->actor]->name);
    uint32_t in = stream_at(n, actor->actor, false), out = stream_at(n, actor->actor, true);
    if (in == SIR_NONE)
        text_line(x, 1, "self->%s.dynamic.common.source = true;", n->fields[kernel]);
    if (in != SIR_NONE)
        text_line(x, 1, "self->%s.dynamic.in = &self->streams[%" PRIu32 "];", n->fields[kernel], in);
    if (out != SIR_NONE)
        text_line(x, 1, "self->%s.dynamic.out = &self->streams[%" PRIu32 "];", n->fields[kernel], out);
    create_state(x, member_of(x, n->fields[kernel]), actor->info, actor->names.state, actor->names.random);
}

static void create_region(net *n, uint32_t kernel, uint32_t region)
{
    program_emitter *x = n->x;
    const program_kernel *k = &x->kernels[region];
    create_kernel(n, kernel, k->run, k->kernel->name);
    for (size_t b = 0; b < k->buffers.len; b++)
        text_line(x, 1, "self->%s.%s = &self->channels[%" PRIu32 "];", k->field, k->buffer_names.data[b], k->buffers.data[b]);
    program_region_create(x, region);
    program_offload_create_state(x, region);
    const char *prefix = k->own_type != NULL ? "own->" : member_of(x, k->field);
    const program_stage *code = x->stages[region];
    size_t count = 0;
    for (VEC_EACH(plan_item, item, &k->kernel->items))
        for (size_t s = 0; s < item->stages.len; s++, code++, count++)
            if (code->stage->kind == PLAN_FIRE)
                create_state(x, prefix, code->info, x->names[code->stage->actor].state, x->names[code->stage->actor].random);
    for (code = x->stages[region]; code < x->stages[region] + count; code++)
        if (code->stage->kind == PLAN_FIRE && x->names[code->stage->actor].states != NULL && x->net->kernels.data[kernel].init != 0)
            text_line(x, 1, "self->%s.%s = -%" PRId64 ";", k->field, x->names[code->stage->actor].states, x->net->kernels.data[kernel].init);
    if (program_is_offloaded(x, region))
        program_offload_create(x, region, n->started++);
    size_t before = n->created, helpers = program_region_helpers(x, region);
    n->created = program_region_create_helpers(x, region, before);
    for (size_t h = 0; h < helpers; h++) {
        code = x->stages[region];
        const char *base = arena_printf(x->e.arena, "self->%s.kernels[%zu].", n->helper_fields[kernel], h);
        for (VEC_EACH(plan_item, item, &k->kernel->items))
            for (size_t s = 0; s < item->stages.len; s++, code++)
                if (code->stage->kind == PLAN_FIRE)
                    create_state(x, base, code->info, x->names[code->stage->actor].state, NULL);
    }
}

static void create_files(net *n)
{
    program_emitter *x = n->x;
    const schedule *s = x->net->whole_schedule;
    for (size_t r = 0, w = 0; r < n->readers.len || w < n->writers.len;) { // in canonical order
        bool reader = w == n->writers.len || (r < n->readers.len && n->readers.data[r] < n->writers.data[w]);
        uint32_t actor = reader ? n->readers.data[r] : n->writers.data[w];
        size_t i = reader ? r++ : w++;
        program_create_io(x, n->whole->actors.data[actor], arena_printf(x->e.arena, "%s[%zu]", reader ? "readers" : "writers", i), reader);
        uint32_t stream = stream_at(n, actor, reader);
        if (reader)
            text_line(x, 1, "self->inputs[%zu] = (svm_NetReader){&self->readers[%zu], &self->streams[%" PRIu32 "], %" PRId64 ", %" PRId64 ", NULL, 0, 0};",
                      i, i, stream, s->init[actor], s->reps[actor]);
        else
            text_line(x, 1, "self->outputs[%zu] = (svm_NetWriter){&self->writers[%zu], &self->streams[%" PRIu32 "]};", i, i, stream);
    }
}

// What each actor prints can be told apart where the order of prints is not one.
static bool tags_prints(const net *n)
{
    return n->logs != 0 && n->x->net->whole_schedule->dynamic;
}

static void create_logs(net *n)
{
    program_emitter *x = n->x;
    size_t at = 0;
    for (uint32_t i = 0; i < n->whole->actors.len; i++) {
        const char *log = n->log_of[i];
        if (log == NULL)
            continue;
        text_line(x, 1, "self->logs[%zu] = &%s;", at++, log);
    }
    if (tags_prints(n)) {
        text_line(x, 1, "if (settings != NULL && settings->tagPrints) {");
        for (uint32_t i = 0; i < n->whole->actors.len; i++)
            if (n->log_of[i] != NULL)
                text_line(x, 2, "%s.tag = \"%s\";", n->log_of[i], n->whole->actors.data[i]->name);
        text_line(x, 1, "}");
    }
    if (n->logs != 0)
        text_line(x, 1, "svm_printOrder(self->logs, %zu);", n->logs);
}

static void create_net(net *n)
{
    program_emitter *x = n->x;
    text_line(x, 1, "self->net = (svm_Net){");
    int64_t strip = x->net->single ? 1 : x->pl->strip, most = x->net->single || x->pl->where.len == 0 ? strip : strip * x->pl->rounds;
    text_line(x, 2, ".memory = &%s, .strip = %" PRId64 ",", x->pl->memory, most);
    if (most != strip && x->net->whole_schedule->outside.len != 0)
        text_line(x, 2, ".listenStrip = %" PRId64 ",", strip);
    if (x->pl->where.len != 0)
        text_line(x, 2, ".concurrent = true,");
    text_line(x, 2, ".kernelCount = %zu, .kernels = self->kernels,", x->net->kernels.len);
    if (n->helpers != 0)
        text_line(x, 2, ".helperCount = %zu, .helpers = self->helpers,", n->helpers);
    if (n->offloads)
        text_line(x, 2, ".offloadCount = %zu, .offloads = self->offloads, .startOffload = svm_offloadStart,", n->offloads);
    text_line(x, 2, ".channelCount = %zu, .channels = self->streams,", stream_count(n));
    if (program_way_count(x) != 0)
        text_line(x, 2, ".wayCount = %zu, .ways = self->svm_ways,", program_way_count(x));
    if (limits_writers(n))
        text_line(x, 2, ".writerInit = %s_writerInit, .writerSteady = %s_writerSteady, .writerLeft = self->svm_writerLeft,", x->name, x->name);
    if (n->readers.len != 0)
        text_line(x, 2, ".readerCount = %zu, .readers = self->inputs,", n->readers.len);
    if (n->writers.len != 0)
        text_line(x, 2, ".writerCount = %zu, .writers = self->outputs,", n->writers.len);
    if (n->logs != 0)
        text_line(x, 2, ".logCount = %zu, .logs = self->logs,", n->logs);
    text_line(x, 1, "};");
}

// A function for each kernel, so that none is long; their names.
static const char **emit_setups(net *n)
{
    program_emitter *x = n->x;
    const char **names = ARENA_ARRAY(x->e.arena, const char *, x->net->kernels.len + 1);
    for (uint32_t i = 0, region = 0; i < x->net->kernels.len; i++) {
        bool dynamic = x->net->kernels.data[i].dynamic;
        const char *run = dynamic ? x->dynamics[i].run : x->kernels[region].run;
        names[i] = emit_unique_name(&x->e, arena_printf(x->e.arena, "%s_create", run));
        text_line(x, 0, "/* Gives the kernel %s its streams, blocks and state. */", n->whole->actors.data[x->net->kernels.data[i].actors.data[0]]->name);
        text_line(x, 0, "static void %s(%s *self)", names[i], x->type);
        text_line(x, 0, "{");
        if (dynamic)
            create_dynamic(n, i);
        else
            create_region(n, i, region++);
        create_ends(n, i);
        text_line(x, 0, "}\n");
    }
    return names;
}

// How much writers take of what is there.
static void emit_writer_counts(net *n)
{
    program_emitter *x = n->x;
    const schedule *s = x->net->whole_schedule;
    size_t count = n->writers.len;
    int64_t *init = ARENA_ARRAY(x->e.arena, int64_t, count + 1), *steady = ARENA_ARRAY(x->e.arena, int64_t, count + 1);
    if (!limits_writers(n))
        return;
    for (size_t i = 0; i < count; i++) {
        uint32_t writer = n->writers.data[i];
        bool paced = s->paced[s->static_region[writer]];
        init[i] = paced ? s->init[writer] : -1;
        steady[i] = paced ? s->reps[writer] : 0;
    }
    program_count_table(x, "Items that each writer takes in the initialisation; -1: all there are.",
                        arena_printf(x->e.arena, "%s_writerInit", x->name), "int64_t", init, count);
    program_count_table(x, "And in a steady state.", arena_printf(x->e.arena, "%s_writerSteady", x->name), "int64_t", steady, count);
}

static void create_ways(net *n)
{
    program_emitter *x = n->x;
    arena *a = x->e.arena;
    size_t actors = n->whole->actors.len;
    if (!program_has_messages(x))
        return;
    const char **kernels = ARENA_ARRAY(a, const char *, actors + 1), **senders = ARENA_ARRAY(a, const char *, actors + 1),
               **common = ARENA_ARRAY(a, const char *, actors + 1);
    for (uint32_t p = 0; p < x->net->kernels.len; p++)
        for (VEC_EACH(uint32_t, actor, &x->net->kernels.data[p].actors)) {
            kernels[*actor] = arena_printf(a, "self->%s", n->fields[p]);
            common[*actor] = common_text(n, p) + 1;
            if (x->net->kernels.data[p].dynamic)
                senders[*actor] = arena_printf(a, "%s.sender", kernels[*actor]);
        }
    for (uint32_t i = 0; i < x->m->actors.len; i++) {
        uint32_t of = x->net->actor_of[i];
        if (of != SIR_NONE && x->names[i].sender != NULL)
            senders[of] = arena_printf(a, "%s.%s", kernels[of], x->names[i].sender);
    }
    const program_way_places places = {kernels, senders, common};
    program_way_create(x, &places);
}

static void emit_create(net *n)
{
    program_emitter *x = n->x;
    const char **enqueued = emit_enqueued(n), **initials = emit_initials(n);
    emit_streams(n);
    program_way_tables(x);
    emit_writer_counts(n);
    const char **setups = emit_setups(n);
    // Item tables of readers and writers are locals of the function.
    text_line(x, 0, "/* A new %s, which has run nothing yet. */", x->pl->name);
    text_line(x, 0, "%svoid *%s(const svm_Settings *settings)", program_linkage(x), program_entry(x, "create"));
    text_line(x, 0, "{");
    program_new_instance(x);
    create_net(n);
    program_create_blocks(x);
    text_line(x, 1, "for (size_t i = 0; i < %zu; i++)", stream_count(n));
    text_line(x, 2, "svm_channelInit(&self->net, &self->streams[i], &%s_streams[i]);", x->name);
    for (uint32_t i = 0; i < x->net->streams.len; i++) {
        size_t count = channel_of(n, &x->net->streams.data[i])->initial.len;
        if (count != 0)
            text_line(x, 1, "svm_channelFill(&self->streams[%" PRIu32 "], %s, %zu);", i, enqueued[i] != NULL ? enqueued[i] : "NULL", count);
    }
    for (size_t i = 0; i < x->net->kernels.len; i++)
        text_line(x, 1, "%s(self);", setups[i]);
    create_ways(n);
    for (size_t i = 0; i < x->pl->initials.len; i++)
        if (initials[i] != NULL)
            program_write_initial(x, &x->pl->initials.data[i], initials[i]);
    create_logs(n);
    create_files(n);
    if (n->readers.len + n->writers.len == 0 && !tags_prints(n))
        text_line(x, 1, "(void)settings;");
    text_line(x, 1, "return self;");
    text_line(x, 0, "}\n");
}

// ---- run, drain, destroy ----

static void emit_run(net *n)
{
    program_emitter *x = n->x;
    text_line(x, 0, "/* Up to self->iterations steady states, the initialisation before the first; 0 once input has ended. */");
    text_line(x, 0, "SVM_CONTROL(%s)", x->pl->control);
    text_line(x, 0, "static int %s_control(%s *self)", x->name, x->type);
    text_line(x, 0, "{");
    text_line(x, 1, "return svm_netRun(&self->net, self->iterations);");
    text_line(x, 0, "}\n");
    text_line(x, 0, "%sbool %s(void *instance, int64_t iterations)", program_linkage(x), program_entry(x, "run"));
    text_line(x, 0, "{");
    text_line(x, 1, "%s *self = instance;", x->type);
    if (n->whole->init_text_len != 0) {
        text_line(x, 1, "if (!self->net.started) {");
        program_start_text(x);
        text_line(x, 1, "}");
    }
    text_line(x, 1, "self->iterations = iterations;");
    text_line(x, 1, "return %s_control(self) != 0;", x->name);
    text_line(x, 0, "}\n");
    text_line(x, 0, "%sint64_t %s_steadyStates(const void *instance)", program_linkage(x), x->name);
    text_line(x, 0, "{");
    text_line(x, 1, "return ((const %s *)instance)->net.steadyStates;", x->type);
    text_line(x, 0, "}\n");
    text_line(x, 0, "/* No steady states follow: fires what can still fire. */");
    text_line(x, 0, "%svoid %s(void *instance)", program_linkage(x), program_entry(x, "drain"));
    text_line(x, 0, "{");
    text_line(x, 1, "%s *self = instance;", x->type);
    text_line(x, 1, "svm_netFinish(&self->net);");
    text_line(x, 0, "}\n");
}

static void emit_each(program_emitter *x, size_t count, const char *statement)
{
    if (count != 0)
        text_line(x, 1, "for (size_t i = 0; i < %zu; i++)\n        %s", count, statement);
}

static void emit_destroy(net *n)
{
    program_emitter *x = n->x;
    text_line(x, 0, "/* Closes files and frees everything. */");
    text_line(x, 0, "%svoid %s(void *instance)", program_linkage(x), program_entry(x, "destroy"));
    text_line(x, 0, "{");
    text_line(x, 1, "%s *self = instance;", x->type);
    for (uint32_t k = 0; k < x->pl->kernels.len; k++)
        if (program_is_offloaded(x, k))
            text_line(x, 1, "svm_offloadDestroy(&self->%s.offload);", program_region_field(x, k));
    text_line(x, 1, "svm_netDestroy(&self->net);");
    emit_each(x, n->readers.len, "svm_readerClose(&self->readers[i]);");
    emit_each(x, n->writers.len, "svm_writerClose(&self->writers[i]);");
    emit_each(x, n->logs, "svm_logDestroy(self->logs[i]);");
    if (n->whole->init_text_len != 0)
        text_line(x, 1, "svm_logDestroy(&self->start);");
    if (x->pl->buffers.len != 0)
        text_line(x, 1, "svm_free(%s, self->memory);", text_memory(x, x->pl->memory));
    text_line(x, 1, "free(self);");
    text_line(x, 0, "}\n");
    program_forget(x, n->readers.len, n->writers.len, n->logs);
}

void program_net(program_emitter *x)
{
    bool in = false, out = false;
    net n = prepare(x);
    program_describe_regions(x);
    for (uint32_t i = 0, region = 0; i < x->net->kernels.len; i++)
        if (!x->net->kernels.data[i].dynamic)
            program_region_name_helpers(x, region++, n.helper_fields[i]);
    for (uint32_t k = 0; k < x->pl->kernels.len; k++)
        program_kernel_scan(x, k);
    for (uint32_t k = 0; k < x->pl->kernels.len; k++)
        program_kernel_struct(x, k);
    for (uint32_t k = 0; k < x->pl->kernels.len; k++) {
        program_region_tables(x, k);
        program_kernel_functions(x, k);
    }
    find_logs(&n);
    emit_instance(&n);
    program_channel_table(x);
    emit_create(&n);
    emit_run(&n);
    emit_destroy(&n);
    for (VEC_EACH(uint32_t, r, &n.readers))
        in |= n.whole->actors.data[*r]->path == NULL;
    for (VEC_EACH(uint32_t, w, &n.writers))
        out |= n.whole->actors.data[*w]->path == NULL;
    program_outside(x);
    program_main(x, in, out);
}
