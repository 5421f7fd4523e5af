// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The control side of an emitted program: the instance, create, run, destroy, main.
#include <inttypes.h>
#include <string.h>

#include "hlc/emit/program_int.h"

// Statements are spread over several functions where there are very many, so that no compiler has to see them at once. A few
// stand where the call would.
enum { CHUNK_STATEMENTS = 600, CHUNK_FEW = 8 };

// What statements of a run of the kernels use of what it is told.
enum { USES_COUNTS = 1, USES_STEADY = 2, USES_STARTING = 4 };
typedef struct chunk_param {
    unsigned use;
    const char *type, *name;
} chunk_param;
typedef struct chunks {
    program_emitter *x;
    strbuf *out, body;
    const char *comment, *name, *params, *args;
    const chunk_param *optional; // further parameters, each only for functions that use it
    size_t optional_count, statements;
    unsigned used, used_by_all; // by the statements of the function at hand; of all
    VEC(const char *) calls;
    const char *few; // the statements, if there is no function
} chunks;

static void chunks_begin(chunks *c, program_emitter *x, const char *comment, const char *name, const char *params,
                         const char *args)
{
    *c = (chunks){.x = x, .out = x->e.out, .comment = comment, .name = name, .params = params, .args = args};
    strbuf_init(&c->body, x->e.arena);
    x->e.out = &c->body;
}

static void chunks_close(chunks *c)
{
    if (c->body.len == 0)
        return;
    arena *a = c->x->e.arena;
    const char *name = emit_unique_name(&c->x->e, c->name), *params = c->params, *args = c->args;
    for (size_t i = 0; i < c->optional_count; i++)
        if ((c->used & c->optional[i].use) != 0) {
            params = arena_printf(a, "%s, %s%s", params, c->optional[i].type, c->optional[i].name);
            args = arena_printf(a, "%s, %s", args, c->optional[i].name);
        }
    strbuf_printf(c->out, "/* %s */\nstatic void %s(%s)\n{\n%s}\n\n", c->comment, name, params, c->body.data);
    VEC_PUSH(a, &c->calls, arena_printf(a, "%s(%s);", name, args));
    c->body.len = 0;
    c->statements = 0;
    c->used_by_all |= c->used;
    c->used = 0;
}

// To be called before a statement that may begin a new function.
static void chunks_next(chunks *c)
{
    if (++c->statements > CHUNK_STATEMENTS)
        chunks_close(c);
}

static void chunks_end(chunks *c)
{
    if (c->calls.len == 0 && c->optional_count == 0 && c->statements <= CHUNK_FEW)
        c->few = c->body.data;
    else
        chunks_close(c);
    c->x->e.out = c->out;
}

static void chunks_call(const chunks *c, int indent)
{
    if (c->few != NULL)
        strbuf_add(c->x->e.out, c->few);
    for (VEC_EACH(const char *, call, &c->calls))
        text_line(c->x, indent, "%s", *call);
}

// ---- The instance ----

// Whether something comes before the first steady state.
static bool begins(const program_emitter *x)
{
    return x->has_init || x->m->init_text_len != 0;
}

void program_instance(program_emitter *x)
{
    const plan *pl = x->pl;
    text_line(x, 0, "/* One running %s. */", x->pl->name);
    text_line(x, 0, "typedef struct {");
    if (begins(x))
        text_line(x, 1, "bool started, ended; /* the initialisation has run; input has ended */");
    else
        text_line(x, 1, "bool ended; /* input has */");
    text_line(x, 1, "int64_t steadyStates; /* run so far */");
    text_line(x, 1, "int64_t iterations; /* steady states asked for in this call of run */");
    if (pl->buffers.len != 0) {
        text_line(x, 1, "size_t memory; /* where the channels lie */");
        text_line(x, 1, "svm_Block channels[%zu];", pl->buffers.len);
    }
    for (uint32_t k = 0; k < pl->kernels.len; k++)
        text_line(x, 1, "%s %s;", x->kernels[k].type, x->kernels[k].field);
    if (pl->kernels.len > 1)
        text_line(x, 1, "svm_Kernel *kernels[%zu]; /* in the order in which they are started */", pl->kernels.len);
    if (x->logs != 0)
        text_line(x, 1, "svm_Log *logs[%zu]; /* of the actors that print, in order */", x->logs);
    if (x->m->init_text_len != 0)
        text_line(x, 1, "svm_Log start; /* what was printed while the graph was built */");
    if (pl->readers.len != 0)
        text_line(x, 1, "svm_Input readers[%zu];", pl->readers.len);
    if (pl->writers.len != 0)
        text_line(x, 1, "svm_Writer writers[%zu];", pl->writers.len);
    if (x->fails)
        text_line(x, 1, "svm_Strip strip; /* what the run under way began with */");
    text_line(x, 0, "} %s;\n", x->type);
}

// ---- create ----

static void create_kernels(program_emitter *x, chunks *c)
{
    const plan *pl = x->pl;
    for (uint32_t i = 0; i < pl->kernels.len; i++) {
        program_kernel *k = &x->kernels[i];
        chunks_next(c);
        text_args init = {0};
        VEC_PUSH(x->e.arena, &init, arena_printf(x->e.arena, "&self->%s.kernel", k->field));
        VEC_PUSH(x->e.arena, &init, arena_printf(x->e.arena, "&%s", pl->processor));
        VEC_PUSH(x->e.arena, &init, k->run);
        VEC_PUSH(x->e.arena, &init, arena_printf(x->e.arena, "\"%s\"", pl->kernels.data[i].name));
        text_call(x, 1, "svm_kernelInit(", &init, ");");
        text_line(x, 1, "svm_kernelNeverBlocks(&self->%s.kernel);", k->field);
        if (pl->kernels.len > 1)
            text_line(x, 1, "self->kernels[%" PRIu32 "] = &self->%s.kernel;", i, k->field);
        for (VEC_EACH(uint32_t, on, &pl->kernels.data[i].after)) {
            chunks_next(c);
            text_line(x, 1, "svm_kernelAddDependence(&self->%s.kernel, &self->%s.kernel);", k->field,
                      x->kernels[*on].field);
        }
        if (k->buffers.len != 0)
            text_line(x, 1, "self->%s.channels = self->channels;", k->field);
    }
}

static void create_states(program_emitter *x, chunks *c)
{
    const plan *pl = x->pl;
    for (uint32_t i = 0; i < pl->kernels.len; i++) {
        const program_stage *code = x->stages[i];
        for (VEC_EACH(plan_item, item, &pl->kernels.data[i].items))
            for (size_t s = 0; s < item->stages.len; s++, code++) {
                const program_actor_names *n = &x->names[code->stage->actor];
                if (code->stage->kind != PLAN_FIRE)
                    continue;
                const char *initial = hmap_getn(&x->state_inits, &code->info->filter, sizeof code->info->filter);
                chunks_next(c);
                if (n->state != NULL && initial != NULL && *initial != '\0')
                    text_line(x, 1, "self->%s.%s = %s;", x->kernels[i].field, n->state, initial);
                if (n->random != NULL)
                    text_line(x, 1, "self->%s.%s = (svm_Random)SVM_RANDOM_INIT;", x->kernels[i].field, n->random);
            }
    }
}

bool program_channel_is_zero(const sir_channel *c)
{
    for (VEC_EACH(sir_value, v, &c->initial))
        if (!sir_value_is_zero(v))
            return false;
    return true;
}

void program_initial_table(program_emitter *x, const sir_channel *c, const char *consumer, const char *name)
{
    strbuf *out = x->e.out;
    text_line(x, 0, "/* The items enqueued at %s. */", consumer);
    strbuf_printf(out, "static const %s = {",
                  emit_declare_item(&x->e, c->type, arena_printf(x->e.arena, "%s[%zu]", name, c->initial.len)));
    size_t line = out->len;
    for (size_t i = 0; i < c->initial.len; i++) {
        if (i != 0)
            strbuf_add(out, out->len - line > 100 ? ",\n    " : ", ");
        if (i != 0 && out->data[out->len - 1] == ' ' && out->data[out->len - 5] == '\n')
            line = out->len - 4;
        emit_value(&x->e, &c->initial.data[i], 4);
    }
    strbuf_add(out, "};\n\n");
}

void program_write_initial(program_emitter *x, const plan_initial *initial, const char *name)
{
    text_line(x, 1, "for (ptrdiff_t i = 0; i < %zu; i++)", x->m->channels.data[initial->channel].initial.len);
    const char *at = text_plus(x, text_position(x, &initial->access.view.digits, "i"), initial->access.view.offset);
    if (initial->access.view.offset != 0)
        at = arena_printf(x->e.arena, "(%s)", at);
    text_line(x, 2, "svm_blockWrite(&self->channels[%" PRIu32 "], (size_t)%s, &%s[i]);", initial->access.buffer,
              arena_printf(x->e.arena, "(%s)", at), name);
}

static void create_initials(program_emitter *x, chunks *c)
{
    for (VEC_EACH(plan_initial, initial, &x->pl->initials)) {
        const sir_channel *ch = &x->m->channels.data[initial->channel];
        if (program_channel_is_zero(ch))
            continue; // as memory is
        strbuf *body = x->e.out;
        const char *name =
            emit_unique_name(&x->e, arena_printf(x->e.arena, "%s_enqueued", x->m->actors.data[ch->consumer]->name));
        x->e.out = c->out;
        program_initial_table(x, ch, text_actor(x, ch->consumer), name);
        x->e.out = body;
        chunks_next(c);
        program_write_initial(x, initial, name);
    }
}

static const char *item_kind(const sir_type *t)
{
    switch (t->kind) {
    case SIR_BOOLEAN: return "SVM_ITEM_BOOLEAN";
    case SIR_BIT: return "SVM_ITEM_BIT";
    case SIR_INT: return t->storage == SIR_STORED_WHOLE ? "SVM_ITEM_INT" : "SVM_ITEM_RAW"; // bytes
    case SIR_FLOAT: return "SVM_ITEM_FLOAT";
    case SIR_DOUBLE: return "SVM_ITEM_DOUBLE";
    case SIR_COMPLEX: return "SVM_ITEM_COMPLEX";
    default: return "SVM_ITEM_RAW";
    }
}

const char *program_quoted(program_emitter *x, const char *text)
{
    strbuf b;
    strbuf_init(&b, x->e.arena);
    if (text == NULL)
        return "NULL";
    strbuf_add_c_string(&b, text, strlen(text));
    return b.data;
}

void program_create_io(program_emitter *x, const sir_actor *actor, const char *field, bool reader)
{
    arena *a = x->e.arena;
    const char *place = body_place(&x->e, actor->loc), *what = reader ? "Reader" : "Writer";
    const char *where = place == NULL ? actor->name : arena_printf(a, "%s at %s", actor->name, place);
    text_args args = {0};
    VEC_PUSH(a, &args, arena_printf(a, ".path = %s", program_quoted(x, actor->path)));
    VEC_PUSH(a, &args, arena_printf(a, ".where = %s", program_quoted(x, where)));
    VEC_PUSH(a, &args, arena_printf(a, ".item = %s", item_kind(actor->item)));
    VEC_PUSH(a, &args, arena_printf(a, ".elementSize = sizeof(%s)", emit_declare_item(&x->e, actor->item, "")));
    program_item_parts(x, actor->item, actor->name, &args);
    text_call(x, 1, arena_printf(a, "self->%s = (svm_%s){", field, what), &args, "};");
    text_line(x, 1, "svm_%sOpen(&self->%s, settings);", reader ? "reader" : "writer", field);
}

// Readers and writers together, in canonical order.
static void create_io(program_emitter *x, chunks *c)
{
    const plan *pl = x->pl;
    for (size_t r = 0, w = 0; r < pl->readers.len || w < pl->writers.len;) {
        bool reader =
            w == pl->writers.len || (r < pl->readers.len && pl->readers.data[r].actor < pl->writers.data[w].actor);
        chunks_next(c);
        const plan_io *io = reader ? &pl->readers.data[r] : &pl->writers.data[w];
        const char *field =
            reader ? arena_printf(x->e.arena, "readers[%zu].file", r) : arena_printf(x->e.arena, "writers[%zu]", w);
        program_create_io(x, x->m->actors.data[io->actor], field, reader);
        r += reader;
        w += !reader;
    }
}

const char *program_chunked_io(program_emitter *x)
{
    chunks io;
    chunks_begin(&io, x, "Opens the files.", arena_printf(x->e.arena, "%s_openFiles", x->name),
                 arena_printf(x->e.arena, "%s *self, const svm_Settings *settings", x->type), "self, settings");
    create_io(x, &io);
    chunks_end(&io);
    strbuf calls, *out = x->e.out;
    strbuf_init(&calls, x->e.arena);
    x->e.out = &calls;
    chunks_call(&io, 1);
    x->e.out = out;
    return calls.data;
}

static void create_logs(program_emitter *x, chunks *c)
{
    size_t log = 0;
    for (VEC_EACH(uint32_t, actor, &x->printing)) {
        const program_actor_names *n = &x->names[*actor];
        if (n->log == NULL)
            continue;
        chunks_next(c);
        text_line(x, 1, "self->logs[%zu] = &self->%s.%s;", log++, x->kernels[x->kernel_of[*actor]].field, n->log);
    }
}

void program_create_blocks(program_emitter *x)
{
    const plan *pl = x->pl;
    if (pl->buffers.len == 0)
        return;
    uint64_t states = x->net == NULL ? 0 : program_offload_bytes(x);
    text_line(x, 1, "self->memory = svm_alloc(%s, %" PRIu64 ");", text_memory(x, pl->memory), pl->bytes + states);
    text_line(x, 1, "svm_channelsPlace(self->channels, %s_channels, %zu, %s, self->memory);", x->name, pl->buffers.len,
              text_memory(x, pl->memory));
}

static void emit_create(program_emitter *x)
{
    const plan *pl = x->pl;
    arena *a = x->e.arena;
    const char *params = arena_printf(a, "%s *self", x->type);
    chunks kernels, states, io;
    chunks_begin(&kernels, x, "Places the kernels and gives them their channels.",
                 arena_printf(a, "%s_createKernels", x->name), params, "self");
    create_kernels(x, &kernels);
    create_logs(x, &kernels);
    chunks_end(&kernels);
    chunks_begin(&states, x, "Sets what the actors' fields and the channels start from.",
                 arena_printf(a, "%s_createState", x->name), params, "self");
    create_states(x, &states);
    create_initials(x, &states);
    chunks_end(&states);
    chunks_begin(&io, x, "Opens the files.", arena_printf(a, "%s_openFiles", x->name),
                 arena_printf(a, "%s, const svm_Settings *settings", params), "self, settings");
    create_io(x, &io);
    chunks_end(&io);

    text_line(x, 0, "/* A new %s, which has run nothing yet. */", pl->name);
    text_line(x, 0, "%svoid *%s(const svm_Settings *settings)", program_linkage(x), program_entry(x, "create"));
    text_line(x, 0, "{");
    program_new_instance(x);
    program_create_blocks(x);
    chunks_call(&kernels, 1);
    chunks_call(&states, 1);
    if (x->logs != 0)
        text_line(x, 1, "svm_printOrder(self->logs, %zu);", x->logs);
    if (io.calls.len == 0 && (io.few == NULL || *io.few == '\0'))
        text_line(x, 1, "(void)settings;");
    chunks_call(&io, 1);
    text_line(x, 1, "return self;");
    text_line(x, 0, "}\n");
}

// ---- Runs ----

static void emit_prepare(program_emitter *x, chunks *c)
{
    for (uint32_t i = 0; i < x->pl->kernels.len; i++) {
        program_kernel *k = &x->kernels[i];
        chunks_next(c);
        c->used |= (k->uses_starting ? USES_STARTING : 0) | (k->uses_steady ? USES_STEADY : 0);
        bool counts = k->actors.len != 0 && program_counts_firings(x);
        c->used |= counts ? USES_COUNTS | USES_STEADY : 0;
        if (k->uses_starting)
            text_line(x, 1, "self->%s.starting = starting;", k->field);
        if (k->uses_steady)
            text_line(x, 1, "self->%s.steady = steady;", k->field);
        if (!counts)
            continue;
        const char *actor = k->field_table == NULL ? text_plus(x, "i", k->actors.data[0])
                                                   : arena_printf(x->e.arena, "%s_actors[i]", k->field_table);
        text_line(x, 1, "for (int i = 0; i < %zu; i++)", k->actors.len);
        text_line(x, 2, "self->%s.firings[i] = steady == 0 ? counts[%s] : 0;", k->field, actor);
    }
}

static void emit_actor_lists(program_emitter *x)
{
    for (uint32_t i = 0; program_counts_firings(x) && i < x->pl->kernels.len; i++) {
        program_kernel *k = &x->kernels[i];
        bool range = true;
        for (size_t n = 1; n < k->actors.len; n++)
            range &= k->actors.data[n] == k->actors.data[0] + n;
        if (range)
            continue;
        int64_t *values = ARENA_ARRAY(x->e.arena, int64_t, k->actors.len);
        for (size_t n = 0; n < k->actors.len; n++)
            values[n] = k->actors.data[n];
        k->field_table = emit_unique_name(&x->e, k->field);
        program_count_table(x, arena_printf(x->e.arena, "The actors of kernel %s, by number.", k->kernel->name),
                            arena_printf(x->e.arena, "%s_actors", k->field_table), "int32_t", values, k->actors.len);
    }
}

// Whether a channel that is read from a file or written to one may lie elsewhere in each run: nothing else is told where it
// is, and no run leaves anything there for the next.
static bool may_lie_elsewhere(const program_emitter *x, const plan_io *io)
{
    const plan *pl = x->pl;
    const plan_buffer *b = &pl->buffers.data[io->access.buffer];
    size_t files = 0;
    for (VEC_EACH(plan_io, other, &pl->readers))
        files += other->access.buffer == io->access.buffer;
    for (VEC_EACH(plan_io, other, &pl->writers))
        files += other->access.buffer == io->access.buffer;
    for (VEC_EACH(plan_initial, initial, &pl->initials))
        files += initial->access.buffer == io->access.buffer;
    return files == 1 && b->keep == 0 && plan_io_start(pl, x->s, io, PLAN_INIT) == 0 &&
           plan_io_start(pl, x->s, io, PLAN_STEADY) == 0;
}

// How many items a run writes.
static const char *written_items(program_emitter *x, const plan_io *io, unsigned *used)
{
    arena *a = x->e.arena;
    int64_t first = x->s->init[io->actor];
    const char *items = text_times(x, "steady", x->s->reps[io->actor]);
    *used |= USES_STEADY;
    if (program_counts_firings(x)) {
        *used |= USES_COUNTS;
        return arena_printf(a, "steady == 0 ? counts[%" PRIu32 "] : %s", io->actor, items);
    }
    if (first == 0)
        return items;
    *used |= USES_STARTING;
    return arena_printf(a, "starting ? %" PRId64 " : %s", first, items);
}

// Before the run: what it writes lies where the writer has room for it.
static unsigned emit_writer_room(program_emitter *x, size_t i)
{
    const plan_io *io = &x->pl->writers.data[i];
    unsigned used = 0;
    if (!may_lie_elsewhere(x, io))
        return used;
    text_line(x, 1, "svm_writerLend(&self->writers[%zu], &self->channels[%" PRIu32 "], %s);", i, io->access.buffer,
              written_items(x, io, &used));
    return used;
}

// What the writer leaves in its buffer moves to the front.
static unsigned emit_shift(program_emitter *x, int indent, size_t i)
{
    const plan_io *io = &x->pl->writers.data[i];
    const plan_buffer *b = &x->pl->buffers.data[io->access.buffer];
    // Kernels that read the buffer too come before and leave all in place.
    bool last = true;
    for (size_t k = i + 1; k < x->pl->writers.len; k++)
        last &= x->pl->writers.data[k].access.buffer != io->access.buffer;
    if (b->keep == 0 || !last)
        return 0;
    text_line(x, indent, "svm_blockShift(&self->channels[%" PRIu32 "], %s%s, %" PRId64 ");", io->access.buffer,
              b->base == 0 ? "" : arena_printf(x->e.arena, "starting ? %" PRId64 " : ", b->base),
              text_times(x, "steady", b->step), b->keep);
    return (b->base == 0 ? 0 : USES_STARTING) | (b->step == 0 ? 0 : USES_STEADY);
}

void program_shift_written(program_emitter *x, int indent)
{
    for (size_t i = 0; i < x->pl->writers.len; i++)
        (void)emit_shift(x, indent, i);
}

static unsigned emit_write(program_emitter *x, size_t i)
{
    const plan_io *io = &x->pl->writers.data[i];
    arena *a = x->e.arena;
    unsigned used = 0;
    const char *items = written_items(x, io, &used);
    int64_t init = plan_io_start(x->pl, x->s, io, PLAN_INIT), steady = plan_io_start(x->pl, x->s, io, PLAN_STEADY);
    const char *data = arena_printf(a, "svm_blockData(&self->channels[%" PRIu32 "])", io->access.buffer);
    if (init != 0 || steady != 0) {
        used |= init != steady ? USES_STARTING : 0;
        const sir_type *t = x->m->actors.data[io->actor]->item;
        data = arena_printf(a, "(char *)%s + %s * sizeof(%s)", data,
                            init == steady ? arena_printf(a, "%" PRId64, init)
                                           : arena_printf(a, "(starting ? %" PRId64 " : %" PRId64 ")", init, steady),
                            emit_declare_item(&x->e, t, ""));
    }
    text_args args = {0};
    VEC_PUSH(a, &args, arena_printf(a, "&self->writers[%zu]", i));
    VEC_PUSH(a, &args, data);
    VEC_PUSH(a, &args, items);
    text_line(x, 1, "/* %s */", text_actor(x, io->actor));
    text_call(x, 1, "svm_writerWrite(", &args, ");");
    return used | emit_shift(x, 1, i);
}

// A function that is told what a run of the kernels is, for which it is told no more than its text uses.
typedef struct run_function {
    strbuf body, *out;
    unsigned used;
} run_function;

static void run_begin(program_emitter *x, run_function *f, const char *name)
{
    bool counts = program_counts_firings(x);
    text_line(x, 0, "static void %s_%s(%s *self, %sint64_t steady, bool starting)", x->name, name, x->type,
              counts ? "const int64_t *counts, " : "");
    text_line(x, 0, "{");
    *f = (run_function){.out = x->e.out};
    strbuf_init(&f->body, x->e.arena);
    x->e.out = &f->body;
}

static void run_end(program_emitter *x, const run_function *f)
{
    x->e.out = f->out;
    if (program_counts_firings(x) && (f->used & USES_COUNTS) == 0)
        text_line(x, 1, "(void)counts;");
    if ((f->used & USES_STARTING) == 0)
        text_line(x, 1, "(void)starting;");
    if ((f->used & USES_STEADY) == 0)
        text_line(x, 1, "(void)steady;");
    strbuf_add(x->e.out, f->body.data);
    text_line(x, 0, "}\n");
}

static const char *run_of(const program_emitter *x)
{
    return program_counts_firings(x) ? "counts[actor] firings of each actor" : "the initialisation";
}

// prepare: functions that do it; NULL: it is done here.
static void emit_prepared(program_emitter *x, run_function *f, const chunks *prepare)
{
    if (prepare != NULL) {
        chunks_call(prepare, 1);
        f->used |= prepare->used_by_all;
        return;
    }
    chunks here = {.x = x};
    emit_prepare(x, &here);
    f->used |= here.used;
}

// What the kernels write lies where the writers have room for it.
static void emit_told_kernels(program_emitter *x, run_function *f, const chunks *prepare)
{
    const plan *pl = x->pl;
    emit_prepared(x, f, prepare);
    for (size_t i = 0; i < pl->writers.len; i++)
        f->used |= emit_writer_room(x, i);
    if (pl->kernels.len == 1) {
        text_line(x, 1, "svm_kernelRun(&self->%s.kernel);", x->kernels[0].field);
        text_line(x, 1, "svm_kernelWait(&self->%s.kernel);", x->kernels[0].field);
    } else if (pl->kernels.len > 1) {
        text_line(x, 1, "for (size_t i = 0; i < %zu; i++)", pl->kernels.len);
        text_line(x, 2, "svm_kernelRun(self->kernels[i]);");
        text_line(x, 1, "svm_kernelWaitMultiple(%zu, self->kernels);", pl->kernels.len);
    }
}

// Where a firing may fail: the kernels by themselves, since what they give is written when none has.
static void emit_kernels_alone(program_emitter *x, const chunks *prepare)
{
    run_function f;
    text_line(x, 0, "/* The kernels in such a run: `steady` steady states, or, when that is 0, %s. */", run_of(x));
    run_begin(x, &f, "runKernels");
    emit_told_kernels(x, &f, prepare);
    run_end(x, &f);
}

static unsigned emit_strip(program_emitter *x)
{
    bool counts = program_counts_firings(x);
    text_line(x, 1, "svm_stripBegin(&self->strip, &%s_stripTable, self, %s, steady, starting);", x->name,
              counts ? "counts" : "NULL");
    text_line(x, 1, "%s_runKernels(self, %ssteady, starting);", x->name, counts ? "counts, " : "");
    text_line(x, 1, "svm_stripEnd(&self->strip);");
    return USES_STARTING | USES_STEADY | USES_COUNTS;
}

static void emit_run_kernels(program_emitter *x)
{
    const plan *pl = x->pl;
    chunks functions, *prepare = NULL;
    arena *a = x->e.arena;
    emit_actor_lists(x);
    if (pl->kernels.len > CHUNK_STATEMENTS) {
        static const chunk_param optional[] = {{USES_COUNTS, "const int64_t *", "counts"},
                                               {USES_STEADY, "int64_t ", "steady"},
                                               {USES_STARTING, "bool ", "starting"}};
        prepare = &functions;
        chunks_begin(prepare, x, "Tells the kernels how often each actor fires.",
                     arena_printf(a, "%s_prepare", x->name), arena_printf(a, "%s *self", x->type), "self");
        prepare->optional = optional;
        prepare->optional_count = sizeof optional / sizeof *optional;
        emit_prepare(x, prepare);
        chunks_end(prepare);
    }
    if (x->fails)
        emit_kernels_alone(x, prepare);
    run_function f;
    text_line(x, 0, "/* One run of the kernels: `steady` steady states, or, when that is 0, %s. */", run_of(x));
    run_begin(x, &f, "fire");
    if (x->fails)
        f.used |= emit_strip(x);
    else
        emit_told_kernels(x, &f, prepare);
    for (size_t i = 0; i < pl->writers.len; i++)
        f.used |= emit_write(x, i);
    if (x->logs != 0)
        text_line(x, 1, "svm_printMerge(self->logs, %zu);", x->logs);
    run_end(x, &f);
    program_again(x);
}

// ---- Reading ----

// The place of a reader's first item: behind what is kept.
static const char *reader_place(program_emitter *x, size_t i, plan_phase phase)
{
    const plan_io *io = &x->pl->readers.data[i];
    arena *a = x->e.arena;
    int64_t start = plan_io_start(x->pl, x->s, io, phase);
    const char *index = start == 0 ? "" : arena_printf(a, "%" PRId64, start);
    if (*index == '\0')
        return arena_printf(a, "svm_blockData(&self->channels[%" PRIu32 "])", io->access.buffer);
    const char *type = emit_declare_item(&x->e, x->m->actors.data[io->actor]->item, "");
    bool plain = x->m->actors.data[io->actor]->item->kind != SIR_ARRAY;
    if (plain)
        return arena_printf(a, "(%s *)svm_blockData(&self->channels[%" PRIu32 "]) + %s", type, io->access.buffer,
                            index);
    return arena_printf(a, "(char *)svm_blockData(&self->channels[%" PRIu32 "]) + (size_t)(%s) * sizeof(%s)",
                        io->access.buffer, index, type);
}

// "svm_inputRead(&self->readers[0], &self->channels[0], 63, 8, wanted)"
static const char *input_call(program_emitter *x, size_t i, const char *function, const char *last)
{
    const plan_io *io = &x->pl->readers.data[i];
    int64_t kept = plan_io_start(x->pl, x->s, io, PLAN_STEADY);
    return arena_printf(x->e.arena, "%s(&self->readers[%zu], &self->channels[%" PRIu32 "], %" PRId64 ", %s)", function,
                        i, io->access.buffer, kept, last);
}

static const char *input_read(program_emitter *x, size_t i)
{
    const plan_io *io = &x->pl->readers.data[i];
    int64_t items = x->s->reps[io->actor];
    if (may_lie_elsewhere(x, io))
        return arena_printf(x->e.arena,
                            "svm_inputTake(&self->readers[%zu], &self->channels[%" PRIu32 "], %" PRId64 ", wanted)", i,
                            io->access.buffer, items);
    return input_call(x, i, "svm_inputRead", arena_printf(x->e.arena, "%" PRId64 ", wanted", items));
}

// Where there is one reader its call is all.
static bool reads_one(const program_emitter *x)
{
    return x->pl->readers.len == 1 && x->s->reps[x->pl->readers.data[0].actor] != 0;
}

static void emit_read(program_emitter *x)
{
    const plan *pl = x->pl;
    if (pl->readers.len == 0 || reads_one(x))
        return;
    text_line(x, 0, "/* Reads for up to `wanted` steady states; gives for how many there is input. */");
    text_line(x, 0, "static int64_t %s_read(%s *self, int64_t wanted)", x->name, x->type);
    text_line(x, 0, "{");
    text_line(x, 1, "int64_t complete = wanted, have;");
    for (size_t i = 0; i < pl->readers.len; i++) {
        if (x->s->reps[pl->readers.data[i].actor] == 0)
            continue;
        text_line(x, 1, "have = %s; /* %s */", input_read(x, i), text_actor(x, pl->readers.data[i].actor));
        text_line(x, 1, "complete = have < complete ? have : complete;");
    }
    text_line(x, 1, "return complete;");
    text_line(x, 0, "}\n");
}

// Input that belongs to no whole steady state yet moves up behind what is kept.
static void emit_used(program_emitter *x)
{
    for (size_t i = 0; i < x->pl->readers.len; i++) {
        int64_t items = x->s->reps[x->pl->readers.data[i].actor];
        if (items != 0)
            text_line(x, 2, "%s;", input_call(x, i, "svm_inputUsed", text_times(x, "steady", items)));
    }
}

// ---- run ----

void program_start_text(program_emitter *x)
{
    if (x->m->init_text_len == 0)
        return;
    text_line(x, 1, "svm_Log *const log = &self->start;");
    text_line(x, 1, "%s;", emit_print_text(&x->e, "log", x->m->init_text, x->m->init_text_len));
    text_line(x, 1, "svm_printMerge(&log, 1);");
}

static void emit_start(program_emitter *x)
{
    const plan *pl = x->pl;
    arena *a = x->e.arena;
    if (!begins(x))
        return;
    text_line(x, 0,
              "/* The initialisation: the first firings, and what peek windows look ahead at. False when input ends in "
              "it. */");
    text_line(x, 0, "static bool %s_start(%s *self)", x->name, x->type);
    text_line(x, 0, "{");
    program_start_text(x);
    bool reads = false;
    for (size_t i = 0; i < pl->readers.len; i++) {
        const plan_io *io = &pl->readers.data[i];
        int64_t items = x->s->init[io->actor];
        if (items == 0)
            continue;
        reads = true;
        text_args args = {0};
        VEC_PUSH(a, &args, arena_printf(a, "&self->readers[%zu].file", i));
        VEC_PUSH(a, &args, reader_place(x, i, PLAN_INIT));
        VEC_PUSH(a, &args, arena_printf(a, "%" PRId64, items));
        text_line(x, 1, "/* %s */", text_actor(x, io->actor));
        text_call(x, 1, arena_printf(a, "self->readers[%zu].held = svm_readerRead(", i), &args, ");");
        text_line(x, 1, "self->ended |= self->readers[%zu].held < %" PRId64 ";", i, items);
    }
    if (reads) {
        text_line(x, 1, "if (self->ended)");
        text_line(x, 2, "return false;");
        for (size_t i = 0; i < pl->readers.len; i++)
            if (x->s->init[pl->readers.data[i].actor] != 0)
                text_line(x, 1, "self->readers[%zu].held = 0;", i);
    }
    if (x->has_init)
        text_line(x, 1, "%s_fire(self, %s0, true);", x->name,
                  program_counts_firings(x) ? arena_printf(a, "%s_init, ", x->name) : "");
    text_line(x, 1, "self->started = true;");
    text_line(x, 1, "return true;");
    text_line(x, 0, "}\n");
}

void program_run_entry(program_emitter *x)
{
    if (mapped_in_blocks(x)) // svm_roundsRun, svm_roundsSteadyStates
        return;
    text_line(x, 0, "%sbool %s(void *instance, int64_t iterations)", program_linkage(x), program_entry(x, "run"));
    text_line(x, 0, "{");
    text_line(x, 1, "%s *self = instance;", x->type);
    text_line(x, 1, "self->iterations = iterations;");
    text_line(x, 1, "return %s_control(self) != 0;", x->name);
    text_line(x, 0, "}\n");
    text_line(x, 0,
              "%sint64_t %s_steadyStates(const void *instance) { return ((const %s *)instance)->steadyStates; }\n",
              program_linkage(x), x->name, x->type);
}

static void emit_run(program_emitter *x)
{
    const plan *pl = x->pl;
    bool reads = pl->readers.len != 0;
    text_line(
        x, 0,
        begins(x)
            ? "/* Up to self->iterations steady states, the initialisation before the first; 0 once input has ended. */"
            : "/* Up to self->iterations steady states; 0 once input has ended. */");
    text_line(x, 0, "SVM_CONTROL(%s)", pl->control);
    text_line(x, 0, "static int %s_control(%s *self)", x->name, x->type);
    text_line(x, 0, "{");
    text_line(x, 1, "int64_t iterations = self->iterations;");
    if (begins(x))
        text_line(x, 1, "if (self->ended || (!self->started && !%s_start(self)))", x->name);
    else
        text_line(x, 1, "if (self->ended)");
    text_line(x, 2, "return 0;");
    text_line(x, 1, "while (iterations > 0) {");
    const char *wanted = pl->strip == 1 ? "1"
                                        : arena_printf(x->e.arena, "iterations < %" PRId64 " ? iterations : %" PRId64,
                                                       pl->strip, pl->strip);
    text_line(x, 2, "const int64_t %s = %s;", reads ? "wanted" : "steady", wanted);
    if (reads)
        text_line(x, 2, "const int64_t steady = %s;",
                  reads_one(x) ? input_read(x, 0) : arena_printf(x->e.arena, "%s_read(self, wanted)", x->name));
    if (reads)
        text_line(x, 2, "if (steady > 0)");
    text_line(x, reads ? 3 : 2, "%s_fire(self, %ssteady, false);", x->name, program_counts_firings(x) ? "NULL, " : "");
    text_line(x, 2, "self->steadyStates += steady;");
    if (reads) {
        emit_used(x);
        text_line(x, 2, "if (steady < wanted) {");
        text_line(x, 3, "self->ended = true;");
        text_line(x, 3, "return 0;");
        text_line(x, 2, "}");
    }
    text_line(x, 2, "iterations -= steady;");
    text_line(x, 1, "}");
    text_line(x, 1, "return 1;");
    text_line(x, 0, "}\n");
    program_run_entry(x);
}

// ---- destroy, main ----

// A call for each i below count, of element i of something; one i needs no loop.
static void emit_each(program_emitter *x, size_t count, const char *call, const char *rest)
{
    if (count == 1)
        text_line(x, 1, "%s[0]%s;", call, rest);
    else if (count > 1)
        text_line(x, 1, "for (size_t i = 0; i < %zu; i++)\n        %s[i]%s;", count, call, rest);
}

static void emit_destroy(program_emitter *x)
{
    const plan *pl = x->pl;
    text_line(x, 0, "/* Closes files and frees everything. */");
    text_line(x, 0, "%svoid %s(void *instance)", program_linkage(x), program_entry(x, "destroy"));
    text_line(x, 0, "{");
    text_line(x, 1, "%s *self = instance;", x->type);
    emit_each(x, pl->readers.len, "svm_readerClose(&self->readers", ".file)");
    emit_each(x, pl->writers.len, "svm_writerClose(&self->writers", ")");
    emit_each(x, x->logs, "svm_logDestroy(self->logs", ")");
    if (x->m->init_text_len != 0)
        text_line(x, 1, "svm_logDestroy(&self->start);");
    if (x->fails)
        text_line(x, 1, "svm_stripDestroy(&self->strip);");
    if (pl->kernels.len == 1)
        text_line(x, 1, "svm_kernelDestroy(&self->%s.kernel);", x->kernels[0].field);
    else if (pl->kernels.len > 1)
        text_line(x, 1, "for (size_t i = 0; i < %zu; i++)\n        svm_kernelDestroy(self->kernels[i]);",
                  pl->kernels.len);
    if (pl->buffers.len != 0)
        text_line(x, 1, "svm_free(%s, self->memory);", text_memory(x, pl->memory));
    text_line(x, 1, "free(self);");
    text_line(x, 0, "}\n");
    program_forget(x, pl->readers.len, pl->writers.len, x->logs);
}

static void emit_main(program_emitter *x)
{
    bool in = false, out = false;
    for (VEC_EACH(plan_io, io, &x->pl->readers))
        in |= x->m->actors.data[io->actor]->path == NULL;
    for (VEC_EACH(plan_io, io, &x->pl->writers))
        out |= x->m->actors.data[io->actor]->path == NULL;
    program_main(x, in, out);
}

void program_main(program_emitter *x, bool in, bool out)
{
    program_fires(x);
    size_t table = text_begin_table(x, "%sconst svm_Program %s_program", program_linkage(x), x->name);
    arena *a = x->e.arena;
    text_args rows = {0};
    VEC_PUSH(a, &rows, arena_printf(a, ".name = \"%s\",", x->pl->name));
    VEC_PUSH(a, &rows, arena_printf(a, ".create = %s,", program_entry(x, "create")));
    bool rounds = mapped_in_blocks(x); // most is in svm/mapped_control.h
    VEC_PUSH(a, &rows, arena_printf(a, ".run = %s,", rounds ? "svm_roundsRun" : program_entry(x, "run")));
    VEC_PUSH(a, &rows,
             arena_printf(a, ".drain = %s,", program_drains(x) ? program_entry(x, "drain") : "svm_drainNothing"));
    VEC_PUSH(a, &rows, arena_printf(a, ".destroy = %s,", rounds ? "svm_roundsDestroy" : program_entry(x, "destroy")));
    VEC_PUSH(a, &rows, arena_printf(a, ".reads_input = %s,", in ? "true" : "false"));
    VEC_PUSH(a, &rows, arena_printf(a, ".writes_output = %s,", out ? "true" : "false"));
    VEC_PUSH(a, &rows,
             rounds ? ".steady_states = svm_roundsSteadyStates,"
                    : arena_printf(a, ".steady_states = %s_steadyStates,", x->name));
    if (x->net != NULL && x->net->whole_schedule->dynamic)
        VEC_PUSH(a, &rows, ".dynamic = true,");
    if (x->p->config->max_latency != 0)
        VEC_PUSH(a, &rows, ".prompt = true,");
    VEC_PUSH(a, &rows, arena_printf(a, ".kernels = %s_fires,", x->name));
    if (x->outside != NULL)
        VEC_PUSH(a, &rows, arena_printf(a, ".outside = &%s,", x->outside->table));
    program_samples(x, &rows);
    text_rows(x, 1, &rows);
    text_end_table(x, table);
    if (x->library != NULL) {
        program_library(x);
        return;
    }
    program_debugger(x);
    text_line(x, 0, "SVM_MAIN(%s_program)", x->name);
}

void program_control(program_emitter *x)
{
    program_channel_table(x);
    if (x->has_init && program_counts_firings(x))
        program_firing_table(x, "How often each actor fires in the initialisation.",
                             arena_printf(x->e.arena, "%s_init", x->name), x->s->init);
    program_drain_tables(x);
    program_again_tables(x);
    emit_create(x);
    emit_run_kernels(x);
    emit_read(x);
    emit_start(x);
    emit_run(x);
    program_drain(x);
    emit_destroy(x);
    emit_main(x);
}
