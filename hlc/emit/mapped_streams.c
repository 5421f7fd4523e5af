// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs on several processors whose items move through streams: the tables that svm/rounds.h runs, and the thin
// control program around it.
#include <inttypes.h>
#include <string.h>

#include "hlc/emit/mapped_int.h"

// ---- Tables of parts ----

static const char *kernel_name(program_emitter *x, uint32_t kernel, const char *what)
{
    return arena_printf(x->e.arena, "%s_%s", x->kernels[kernel].run, what);
}

static void emit_actors(program_emitter *x, uint32_t kernel)
{
    const program_kernel *k = &x->kernels[kernel];
    const plan_parts *parts = x->pl->parts;
    int64_t *actors = ARENA_ARRAY(x->e.arena, int64_t, k->actors.len + 1);
    int64_t *warm = ARENA_ARRAY(x->e.arena, int64_t, k->actors.len + 1);
    for (size_t i = 0; i < k->actors.len; i++) {
        actors[i] = parts->cut->actor_of[k->actors.data[i]];
        warm[i] = parts->warm[k->actors.data[i]];
    }
    program_count_table(x, arena_printf(x->e.arena, "The actors of part %s, by number.", k->kernel->name),
                        kernel_name(x, kernel, "actors"), "int32_t", actors, k->actors.len);
    program_count_table(x, "Steady states that each fires more in a cold run.", kernel_name(x, kernel, "warm"),
                        "int32_t", warm, k->actors.len);
}

static void emit_blocks(program_emitter *x, uint32_t kernel)
{
    const program_kernel *k = &x->kernels[kernel];
    const plan_parts *parts = x->pl->parts;
    text_line(x, 0, "/* The blocks of part %s. */", k->kernel->name);
    text_line(x, 0, "static const svm_PartBlock %s[] = {", kernel_name(x, kernel, "blocks"));
    for (VEC_EACH(uint32_t, number, &k->buffers)) {
        const plan_buffer *b = &x->pl->buffers.data[*number];
        const char *type = emit_declare_item(&x->e, x->m->channels.data[b->channel].type, "");
        const char *name = program_buffer_name(k, *number);
        uint32_t end = plan_end_of(x->pl, x->m, *number);
        if (end == PLAN_NONE)
            text_line(x, 1, "{SVM_PART_INNER, -1, %" PRIu64 ", %" PRId64 ", sizeof(%s), \"%s\"},", b->address,
                      b->capacity, type, name);
        else
            text_line(x, 1, "{SVM_PART_%s, %" PRIu32 ", %" PRIu64 ", %" PRIu64 ", sizeof(%s), \"%s\"},",
                      x->m->actors.data[end]->kind == SIR_READER ? "INPUT" : "OUTPUT", parts->cut->stream_of[end],
                      b->address, plan_window_bytes(x->pl, x->m, *number), type, name);
    }
    if (mapped_has_state(x, kernel))
        text_line(x, 1, "{SVM_PART_INNER, -1, %s, 1, sizeof(%s_Own), \"state\"},", mapped_state_place(x, kernel, 0),
                  k->type);
    text_line(x, 0, "};\n");
}

static void emit_logs(program_emitter *x, uint32_t kernel, size_t *count)
{
    strbuf text;
    strbuf_init(&text, x->e.arena);
    size_t number = 0;
    *count = 0;
    for (VEC_EACH(uint32_t, actor, &x->printing)) {
        if (x->names[*actor].log == NULL)
            continue;
        if (x->kernel_of[*actor] == kernel)
            strbuf_printf(&text, "%s%zu", (*count)++ == 0 ? "" : ", ", number);
        number++;
    }
    if (*count != 0)
        text_line(x, 0, "static const int32_t %s[] = {%s};\n", kernel_name(x, kernel, "logs"), text.data);
}

static void emit_part_row(program_emitter *x, uint32_t kernel, size_t logs)
{
    const program_kernel *k = &x->kernels[kernel];
    const plan_parts *parts = x->pl->parts;
    text_line(x, 1, "{\"%s\", %s, sizeof(%s),", k->kernel->name, k->run, k->type);
    text_line(x, 1, " offsetof(%s, starting), offsetof(%s, cold), offsetof(%s, steady),", k->type, k->type, k->type);
    text_line(x, 1, " offsetof(%s, firings), offsetof(%s, blocks),", k->type, k->type);
    text_line(x, 1, " %s,", logs != 0 ? arena_printf(x->e.arena, "offsetof(%s, logs)", k->type) : "0");
    text_line(x, 1, " %zu, %s, %s, %" PRId64 ", %zu, %s, %zu, %s, %s},", k->actors.len,
              kernel_name(x, kernel, "actors"), kernel_name(x, kernel, "warm"), parts->parts.data[kernel].lead,
              k->buffers.len + mapped_has_state(x, kernel), kernel_name(x, kernel, "blocks"), logs,
              logs != 0 ? kernel_name(x, kernel, "logs") : "NULL",
              parts->streams ? arena_printf(x->e.arena, "offsetof(%s, flow)", k->type) : "0");
}

static void emit_parts(program_emitter *x)
{
    size_t *logs = ARENA_ARRAY(x->e.arena, size_t, x->pl->kernels.len + 1);
    for (uint32_t i = 0; i < x->pl->kernels.len; i++) {
        emit_actors(x, i);
        emit_blocks(x, i);
        emit_logs(x, i, &logs[i]);
    }
    text_line(x, 0, "/* The parts, in order. */");
    text_line(x, 0, "static const svm_PartRow %s_parts[] = {", x->name);
    for (uint32_t i = 0; i < x->pl->kernels.len; i++)
        emit_part_row(x, i, logs[i]);
    text_line(x, 0, "};\n");
}

// ---- Rings, processors, strips ----

static int32_t file_number(const program_emitter *x, uint32_t actor)
{
    const sir_module *m = x->pl->parts->cut->whole;
    int32_t number = 0;
    for (uint32_t i = 0; i < actor; i++)
        number += m->actors.data[i]->kind == m->actors.data[actor]->kind;
    return number;
}

// The API's calls by which a part's items come from a ring in the shared memory or go there.
static void add_moves(program_emitter *x, uint32_t part, bool in, strbuf *text)
{
    const plan_parts *parts = x->pl->parts;
    const plan_resources *r = parts->resources;
    const char *shared = r->shared->element.name;
    size_t count = 0;
    for (uint32_t q = 0; q < r->processors.len; q++) {
        const plan_processor *on = &r->processors.data[q];
        if (on->direct || !plan_part_runs_on(parts, part, q) || count++ != 0)
            continue;
        const char *local = on->memory->element.name, *kind = !parts->streams ? "B2B" : in ? "B2S" : "S2B";
        strbuf_printf(text, "%ssvm_move%s from %s to %s by %s", text->len == 0 ? "" : "; ", kind, in ? shared : local,
                      in ? local : shared, (in ? on->load : on->store)->element.name);
    }
    if (count > 1)
        strbuf_printf(text, ", and likewise for %zu more", count - 1);
}

// How a ring's items move, as a comment; empty: they do not.
static const char *ring_comment(program_emitter *x, const plan_stream *st)
{
    const plan_parts *parts = x->pl->parts;
    const machine_processor *engine;
    strbuf text;
    strbuf_init(&text, x->e.arena);
    bool straight = plan_parts_all_straight(parts) && plan_parts_straight(parts, st, &engine);
    if (straight) {
        const plan_processor *all = parts->resources->processors.data;
        const char *from = all[parts->where[st->from * parts->strips]].memory->element.name,
                   *to = all[parts->where[st->to * parts->strips]].memory->element.name;
        if (engine == NULL)
            strbuf_printf(&text, "one stream in %s", to);
        else
            strbuf_printf(&text, "svm_moveS2S from %s to %s by %s", from, to, engine->element.name);
    }
    if (!straight && st->from != SIR_NONE)
        add_moves(x, st->from, false, &text);
    if (!straight && st->to != SIR_NONE)
        add_moves(x, st->to, true, &text);
    return text.data;
}

static void emit_ring(program_emitter *x, const plan_ring *ring)
{
    const plan_pieces *cut = x->pl->parts->cut;
    const plan_stream *st = &cut->streams.data[ring->stream];
    const sir_channel *c = &cut->whole->channels.data[st->channel];
    const sched_channel *sc = &cut->whole_schedule->channels[st->channel];
    const sir_actor *producer = cut->whole->actors.data[c->producer];
    int32_t file = st->from == SIR_NONE ? file_number(x, c->producer) : file_number(x, c->consumer);
    if (st->from != SIR_NONE && st->to != SIR_NONE)
        file = 0;
    const char *comment = ring_comment(x, st);
    if (*comment != '\0')
        text_line(x, 1, "/* %s */", comment);
    text_line(x, 1,
              "{\"%s\", sizeof(%s), %" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64
              ", %d, %d, %d, %" PRIu32 ", %" PRIu32 ", %" PRId64 ", %" PRId64 "},",
              st->name, emit_declare_item(&x->e, c->type, ""), sc->steady, sc->init_items, ring->ahead, ring->front,
              ring->room, st->from == SIR_NONE ? -1 : (int)st->from, st->to == SIR_NONE ? -1 : (int)st->to, (int)file,
              c->producer, c->consumer, sched_output_rate(producer, c->producer_port, true),
              sched_output_rate(producer, c->producer_port, false));
}

static void emit_rings(program_emitter *x)
{
    text_line(x, 0, "/* What the parts and files are joined by. */");
    text_line(x, 0, "static const svm_RingRow %s_rings[] = {", x->name);
    for (VEC_EACH(const plan_ring, ring, &x->pl->parts->rings))
        emit_ring(x, ring);
    text_line(x, 0, "};\n");
}

static void emit_processors(program_emitter *x)
{
    const plan_resources *r = x->pl->parts->resources;
    const char *bytes = mapped_state_place(x, (uint32_t)x->pl->kernels.len, 0);
    text_line(x, 0, "static const svm_RoundsProcessor %s_processors[] = {", x->name);
    for (size_t i = 0; i < r->processors.len; i++) {
        const plan_processor *q = &r->processors.data[i];
        size_t before = 0; // who share the memory
        for (size_t k = 0; k < i; k++)
            before += r->processors.data[k].memory == q->memory;
        const char *base = before == 0 ? "0" : arena_printf(x->e.arena, "%zu * (%s)", before, bytes);
        if (q->direct)
            text_line(x, 1, "{&%s, &%s, NULL, NULL, 0, %s},", q->processor->element.name, q->memory->element.name,
                      bytes);
        else
            text_line(x, 1, "{&%s, &%s, &%s, &%s, %s, %s},", q->processor->element.name, q->memory->element.name,
                      q->load->element.name, q->store->element.name, base, bytes);
    }
    text_line(x, 0, "};\n");
}

// Which engine moves a stream from part to part.
static void emit_movers(program_emitter *x)
{
    const plan_parts *parts = x->pl->parts;
    if (!plan_parts_all_straight(parts))
        return;
    text_line(
        x, 0,
        "/* Who moves a ring's items from one part's stream to the other's; NULL: there is one stream, or a file. */");
    text_line(x, 0, "static const mm_Proc %s_movers[] = {", x->name);
    for (VEC_EACH(const plan_ring, ring, &parts->rings)) {
        const machine_processor *engine;
        plan_parts_straight(parts, &parts->cut->streams.data[ring->stream], &engine);
        text_line(x, 1, engine == NULL ? "NULL," : "&%s,", engine == NULL ? "" : engine->element.name);
    }
    text_line(x, 0, "};\n");
}

static void emit_where(program_emitter *x)
{
    const plan_parts *parts = x->pl->parts;
    size_t n = parts->parts.len * parts->strips;
    int64_t *values = ARENA_ARRAY(x->e.arena, int64_t, n + 1);
    for (size_t i = 0; i < n; i++)
        values[i] = parts->where[i];
    program_count_table(x, "The processor of each part for each strip of a round.",
                        arena_printf(x->e.arena, "%s_where", x->name), "int32_t", values, n);
}

static void emit_table(program_emitter *x, size_t readers, size_t writers)
{
    const plan_parts *parts = x->pl->parts;
    text_line(x, 0, "static const svm_RoundsTable %s_rounds = {", x->name);
    text_line(x, 1, ".shared = &%s,", x->pl->memory);
    text_line(x, 1, ".alignment = %" PRId64 ",", plan_parts_unit(parts));
    text_line(x, 1, ".parts = %zu,", x->pl->kernels.len);
    text_line(x, 1, ".rings = %zu,", parts->rings.len);
    text_line(x, 1, ".processors = %zu,", parts->resources->processors.len);
    text_line(x, 1, ".readers = %zu,", readers);
    text_line(x, 1, ".writers = %zu,", writers);
    text_line(x, 1, ".logs = %zu,", x->logs);
    text_line(x, 1, ".strips = %" PRIu32 ",", parts->strips);
    text_line(x, 1, ".sets = %" PRIu32 ",", parts->sets);
    text_line(x, 1, ".rounds = %" PRIu32 ",", parts->rounds);
    text_line(x, 1, ".depth = %" PRIu32 ",", parts->depth);
    text_line(x, 1, ".strip = %" PRId64 ",", x->pl->strip);
    text_line(x, 1, ".partRows = %s_parts,", x->name);
    text_line(x, 1, ".ringRows = %s_rings,", x->name);
    text_line(x, 1, ".processorRows = %s_processors,", x->name);
    text_line(x, 1, ".where = %s_where,", x->name);
    text_line(x, 1, ".init = %s_init,", x->name);
    text_line(x, 1, ".steadily = %s_steady,", x->name);
    bool straight = plan_parts_all_straight(parts);
    if (parts->streams)
        text_line(x, 1, ".transfer = SVM_ROUNDS_%s,", straight ? "STRAIGHT" : "STREAMS");
    if (straight)
        text_line(x, 1, ".movers = %s_movers,", x->name);
    text_line(x, 0, "};\n");
}

// ---- The instance ----

static void emit_instance(program_emitter *x, size_t readers, size_t writers)
{
    text_line(x, 0, "/* One running %s. */", x->pl->name);
    text_line(x, 0, "typedef struct {");
    text_line(x, 1, "svm_Rounds rounds;");
    if (readers != 0)
        text_line(x, 1, "svm_RoundsReader readers[%zu];", readers);
    if (writers != 0)
        text_line(x, 1, "svm_Writer writers[%zu];", writers);
    if (x->logs != 0) {
        text_line(x, 1, "svm_Log texts[%zu]; /* of the actors that print, in order */", x->logs);
        text_line(x, 1, "svm_Log *logs[%zu];", x->logs);
    }
    if (x->m->init_text_len != 0)
        text_line(x, 1, "svm_Log start; /* what was printed while the graph was built */");
    text_line(x, 0, "} %s;\n", x->type);
}

static void emit_create(program_emitter *x, size_t readers, size_t writers)
{
    const char *io = program_chunked_io(x);
    text_line(x, 0, "/* A new %s, which has run nothing yet. */", x->pl->name);
    text_line(x, 0, "%svoid *%s(const svm_Settings *settings)", program_linkage(x), program_entry(x, "create"));
    text_line(x, 0, "{");
    program_new_instance(x);
    text_line(x, 1, "self->rounds.table = &%s_rounds;", x->name);
    if (readers != 0)
        text_line(x, 1, "self->rounds.readers = self->readers;");
    if (writers != 0)
        text_line(x, 1, "self->rounds.writers = self->writers;");
    if (x->logs != 0) {
        text_line(x, 1, "for (size_t i = 0; i < %zu; i++)", x->logs);
        text_line(x, 2, "self->logs[i] = &self->texts[i];");
        text_line(x, 1, "self->rounds.logs = self->logs;");
        text_line(x, 1, "svm_printOrder(self->logs, %zu);", x->logs);
    }
    text_line(x, 1, "svm_roundsCreate(&self->rounds);");
    if (*io == '\0')
        text_line(x, 1, "(void)settings;");
    strbuf_add(x->e.out, io);
    text_line(x, 1, "return self;");
    text_line(x, 0, "}\n");
}

static void emit_run(program_emitter *x)
{
    text_line(x, 0,
              "/* Up to self->rounds.iterations steady states, the initialisation before the first; 0 once input "
              "has ended. */");
    text_line(x, 0, "SVM_CONTROL(%s)", x->pl->control);
    text_line(x, 0, "static int %s_control(%s *self)", x->name, x->type);
    text_line(x, 0, "{");
    if (x->m->init_text_len != 0) {
        text_line(x, 1, "if (!self->rounds.started && !self->rounds.ended) {");
        program_start_text(x);
        text_line(x, 1, "}");
    }
    text_line(x, 1, "return svm_roundsRun(&self->rounds);");
    text_line(x, 0, "}\n");
    text_line(x, 0, "%sbool %s(void *instance, int64_t iterations)", program_linkage(x), program_entry(x, "run"));
    text_line(x, 0, "{");
    text_line(x, 1, "%s *self = instance;", x->type);
    text_line(x, 1, "self->rounds.iterations = iterations;");
    text_line(x, 1, "return %s_control(self) != 0;", x->name);
    text_line(x, 0, "}\n");
    text_line(x, 0, "%sint64_t %s_steadyStates(const void *instance)", program_linkage(x), x->name);
    text_line(x, 0, "{");
    text_line(x, 1, "return ((const %s *)instance)->rounds.steadyStates;", x->type);
    text_line(x, 0, "}\n");
}

static void emit_drain(program_emitter *x)
{
    const char *type = x->type;
    if (x->pl->drains) {
        text_line(x, 0, "static void %s_fire(svm_Rounds *self, const int64_t *counts, int64_t steady, bool starting)",
                  x->name);
        text_line(x, 0, "{");
        text_line(x, 1, "(void)steady;");
        text_line(x, 1, "svm_roundsDrain(self, counts, starting);");
        text_line(x, 0, "}\n");
    }
    x->type = "svm_Rounds"; // the first member of the instance
    program_drain(x);
    x->type = type;
}

static void emit_destroy(program_emitter *x, size_t readers, size_t writers)
{
    text_line(x, 0, "/* Closes files and frees everything. */");
    text_line(x, 0, "%svoid %s(void *instance)", program_linkage(x), program_entry(x, "destroy"));
    text_line(x, 0, "{");
    text_line(x, 1, "%s *self = instance;", x->type);
    for (size_t i = 0; i < readers; i++)
        text_line(x, 1, "svm_readerClose(&self->readers[%zu].file);", i);
    for (size_t i = 0; i < writers; i++)
        text_line(x, 1, "svm_writerClose(&self->writers[%zu]);", i);
    for (size_t i = 0; i < x->logs; i++)
        text_line(x, 1, "svm_logDestroy(self->logs[%zu]);", i);
    if (x->m->init_text_len != 0)
        text_line(x, 1, "svm_logDestroy(&self->start);");
    text_line(x, 1, "svm_roundsDestroy(&self->rounds);");
    text_line(x, 1, "free(self);");
    text_line(x, 0, "}\n");
    program_forget(x, readers, writers, x->logs);
}

// ---- All of it ----

void mapped_stream_program(program_emitter *x)
{
    const plan_pieces *cut = x->pl->parts->cut;
    emit_parts(x);
    emit_rings(x);
    emit_processors(x);
    emit_where(x);
    emit_movers(x);
    // The control program is the whole program's.
    const sir_module *m = x->m;
    const schedule *s = x->s;
    const plan *pl = x->pl;
    plan whole = mapped_whole_plan(x);
    size_t readers = whole.readers.len, writers = whole.writers.len;
    bool has_init = x->has_init;
    x->m = cut->whole;
    x->s = cut->whole_schedule;
    x->pl = &whole;
    x->has_init = true;
    program_firing_table(x, "How often each actor fires in the initialisation.",
                         arena_printf(x->e.arena, "%s_init", x->name), x->s->init);
    program_firing_table(x, "How often each actor fires in a steady state.",
                         arena_printf(x->e.arena, "%s_steady", x->name), x->s->reps);
    emit_table(x, readers, writers);
    emit_instance(x, readers, writers);
    program_drain_tables(x);
    emit_create(x, readers, writers);
    emit_run(x);
    emit_drain(x);
    emit_destroy(x, readers, writers);
    mapped_main(x);
    x->m = m;
    x->s = s;
    x->pl = pl;
    x->has_init = has_init;
}
