// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Static regions: their tables, and the kernel that runs one as its inputs allow.
//
// NOTE(preworks). As in program_drain.c a first firing with other rates is a row of its own in the rates, allowed once; a
// further channel, which it fills and the actor only peeks at, makes the actor wait for it.
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "hlc/emit/program_int.h"

typedef VEC(int64_t) number_list;

typedef struct row {
    uint32_t actor; // of the static graph
    bool first;
    int64_t gate; // channel, -1 none
} row;

typedef struct program_region {
    program_emitter *x;
    uint32_t kernel, cut;              // its number in the plan, and in the cut graph
    const char *name, *table, *helper; // helper: the function of its helpers
    const char *helpers_field;
    VEC(uint32_t) actors;          // of the static graph, without the ends of streams
    VEC(uint32_t) inputs, outputs; // readers, writers
    const uint32_t *number;        // per channel of the graph: in its region's rates
    size_t channels, gates;
    VEC(row) rows;
    VEC(uint32_t) blocks; // buffers
} program_region;

static void add_block(program_region *t, uint32_t buffer)
{
    if (t->x->block_taken[buffer])
        return;
    t->x->block_taken[buffer] = true;
    VEC_PUSH(t->x->e.arena, &t->blocks, buffer);
}

static void add_actor(program_region *t, uint32_t number)
{
    program_emitter *x = t->x;
    arena *a = x->e.arena;
    const sir_actor *actor = x->m->actors.data[number];
    if (actor->kind == SIR_READER) {
        VEC_PUSH(a, &t->inputs, number);
    } else if (actor->kind == SIR_WRITER) {
        VEC_PUSH(a, &t->outputs, number);
    } else {
        x->number_in_region[number] = (uint32_t)t->actors.len;
        VEC_PUSH(a, &t->actors, number);
        bool prework = plan_actor_has_prework(actor);
        if (prework)
            VEC_PUSH(a, &t->rows, (row){number, true, (int64_t)t->gates});
        VEC_PUSH(a, &t->rows, (row){number, false, prework ? (int64_t)t->gates++ : -1});
    }
    for (VEC_EACH(uint32_t, out, &actor->outputs))
        if (*out != SIR_NONE)
            x->channel_in_region[*out] = (uint32_t)t->channels++;
}

void program_describe_regions(program_emitter *x)
{
    arena *a = x->e.arena;
    size_t n = x->m->actors.len;
    hmap_init(&x->tables, a);
    x->number_in_region = ARENA_ARRAY(a, uint32_t, n + 1);
    x->channel_in_region = ARENA_ARRAY(a, uint32_t, x->m->channels.len + 1);
    x->block_taken = ARENA_ARRAY(a, bool, x->pl->buffers.len + 1);
    x->strip_types = ARENA_ARRAY(a, const char *, x->pl->kernels.len + 1);
    x->strip_tables = ARENA_ARRAY(a, const char *, x->pl->kernels.len + 1);
    x->io_of = ARENA_ARRAY(a, const plan_io *, n + 1);
    for (VEC_EACH(const plan_io, io, &x->pl->readers))
        x->io_of[io->actor] = io;
    for (VEC_EACH(const plan_io, io, &x->pl->writers))
        x->io_of[io->actor] = io;
    program_region **of_cut = ARENA_ARRAY(a, program_region *, x->net->kernels.len + 1);
    x->region_of_kernel = ARENA_ARRAY(a, program_region *, x->pl->kernels.len + 1);
    uint32_t kernel = 0;
    for (uint32_t i = 0; i < x->net->kernels.len; i++) {
        if (x->net->kernels.data[i].dynamic)
            continue;
        of_cut[i] = x->region_of_kernel[kernel] = ARENA_NEW(a, program_region);
        *of_cut[i] = (program_region){
            .x = x, .kernel = kernel, .cut = i, .name = x->kernels[kernel].run, .number = x->channel_in_region};
        kernel++;
    }
    for (uint32_t i = 0; i < n; i++)
        add_actor(of_cut[x->net->kernel_of[i]], i);
    for (kernel = 0; kernel < x->pl->kernels.len; kernel++) // gates come behind the channels
        for (VEC_EACH(row, w, &x->region_of_kernel[kernel]->rows))
            w->gate += w->gate >= 0 ? (int64_t)x->region_of_kernel[kernel]->channels : 0;
}

// Its buffers, and one for its actors' state if that goes to another processor and back.
static size_t block_count(const program_region *t)
{
    return t->blocks.len + (t->x->kernels[t->kernel].own_type != NULL);
}

static const plan_io *find_io(const program_emitter *x, uint32_t end)
{
    return x->io_of[end];
}

// What the kernel's stages use, and where its streams end; after its struct is known.
static void find_blocks(program_region *t)
{
    program_emitter *x = t->x;
    if (t->blocks.len != 0)
        return;
    for (VEC_EACH(uint32_t, b, &x->kernels[t->kernel].buffers))
        add_block(t, *b);
    for (VEC_EACH(uint32_t, end, &t->inputs))
        add_block(t, find_io(x, *end)->access.buffer);
    for (VEC_EACH(uint32_t, end, &t->outputs))
        add_block(t, find_io(x, *end)->access.buffer);
}

static const char *table_name(const program_region *t, const char *what)
{
    return arena_printf(t->x->e.arena, "%s_%s", t->name, what);
}

// The name of a table with this text: of the first that has it, which is emitted here.
static const char *shared_table(const program_region *t, const char *comment, const char *type, const char *what,
                                const char *rows)
{
    program_emitter *x = t->x;
    const char *key = arena_printf(x->e.arena, "%s|%s", type, rows), *known = hmap_get(&x->tables, key);
    if (known != NULL)
        return known;
    known = table_name(t, what);
    text_line(x, 0, "/* %s */", comment);
    text_line(x, 0, "static const %s %s[] = {%s};\n", type, known, rows);
    hmap_set(&x->tables, key, (void *)(uintptr_t)known);
    return known;
}

static const char *emit_numbers(const program_region *t, const char *comment, const char *what, const char *type,
                                const number_list *values)
{
    strbuf rows;
    strbuf_init(&rows, t->x->e.arena);
    size_t line = 0;
    for (size_t i = 0; i < values->len; i++) {
        const char *text = arena_printf(t->x->e.arena, "%s%" PRId64, i == 0 ? "" : ", ", values->data[i]);
        if (rows.len - line + strlen(text) > 110) {
            strbuf_add(&rows, ",\n    ");
            line = rows.len;
            text += 2;
        }
        strbuf_add(&rows, text);
    }
    return shared_table(t, comment, type, what, values->len == 0 ? "0" : rows.data);
}

// ---- Rates ----

// Adds a row to the text of a table.
static void __attribute__((format(printf, 2, 3))) add_table_row(strbuf *rows, const char *format, ...)
{
    va_list args;
    strbuf_add(rows, rows->len == 0 ? "{" : ", {");
    va_start(args, format);
    strbuf_vprintf(rows, format, args);
    va_end(args);
    strbuf_addc(rows, '}');
}

static const char *emit_ports(const program_region *t, bool out, const char **starts)
{
    program_emitter *x = t->x;
    number_list start = {0};
    int64_t count = 0;
    strbuf rows;
    strbuf_init(&rows, x->e.arena);
    for (VEC_EACH(row, w, &t->rows)) {
        const sir_actor *actor = x->m->actors.data[w->actor];
        VEC_PUSH(x->e.arena, &start, count);
        for (uint32_t port = 0; port < (out ? actor->outputs.len : actor->inputs.len); port++) {
            uint32_t channel = out ? actor->outputs.data[port] : actor->inputs.data[port];
            if (channel == SIR_NONE)
                continue;
            sched_rate rate = out ? (sched_rate){.push = sched_output_rate(actor, port, w->first)}
                                  : sched_input_rate(actor, port, w->first);
            if (out)
                add_table_row(&rows, "%" PRIu32 ", %" PRId64, t->number[channel], rate.push);
            else
                add_table_row(&rows, "%" PRIu32 ", %" PRId64 ", %" PRId64, t->number[channel], rate.peek, rate.pop);
            count++;
        }
        if (out && w->first)
            add_table_row(&rows, "%" PRId64 ", 1", w->gate), count++;
        if (!out && w->gate >= 0 && !w->first)
            add_table_row(&rows, "%" PRId64 ", 1, 0", w->gate), count++;
    }
    VEC_PUSH(x->e.arena, &start, count);
    if (count == 0)
        add_table_row(&rows, "0");
    *starts = emit_numbers(t, out ? "Where the outputs of each actor begin." : "Where the inputs of each actor begin.",
                           out ? "outputStart" : "inputStart", "int32_t", &start);
    return shared_table(t, out ? "Outputs of each actor: channel, push." : "Inputs of each actor: channel, peek, pop.",
                        out ? "svm_OutPort" : "svm_Port", out ? "outputs" : "inputs", rows.data);
}

// NULL: there are none.
static const char *emit_tokens(const program_region *t, bool between)
{
    program_emitter *x = t->x;
    number_list values = {0};
    bool any = t->gates != 0 && between;
    for (size_t i = 0; i < t->channels + t->gates; i++)
        VEC_PUSH(x->e.arena, &values, i >= t->channels && between);
    for (VEC_EACH(const uint32_t, actor, &t->actors)) // what is at a stream's end is no token of the region's
        for (VEC_EACH(uint32_t, c, &x->m->actors.data[*actor]->outputs))
            if (*c != SIR_NONE && x->m->actors.data[x->m->channels.data[*c].consumer]->kind != SIR_WRITER) {
                int64_t items = between ? x->s->channels[*c].remainder : x->s->channels[*c].initial;
                values.data[t->number[*c]] = items;
                any |= items != 0;
            }
    return !any ? "NULL"
                : emit_numbers(t,
                               between ? "Items in each channel between steady states."
                                       : "Items in each channel before anything fires.",
                               between ? "between" : "enqueued", "int64_t", &values);
}

static const char *emit_limits(const program_region *t, bool started)
{
    program_emitter *x = t->x;
    number_list values = {0};
    for (VEC_EACH(row, w, &t->rows)) {
        int64_t count = started ? x->s->reps[w->actor] : x->s->init[w->actor], limit = -1;
        if (w->first)
            limit = started ? 0 : count > 0;
        else if (x->s->source[w->actor])
            limit = w->gate >= 0 && !started && count > 0 ? count - 1 : count;
        VEC_PUSH(x->e.arena, &values, limit);
    }
    return emit_numbers(t,
                        started ? "Most firings of each actor at the end of input; -1: as its input allows."
                                : "Most firings of each actor if input ends in the initialisation.",
                        started ? "limits" : "initLimits", "int64_t", &values);
}

static const char *emit_rows(const program_region *t)
{
    number_list actors = {0};
    int64_t actor = -1;
    if (t->gates == 0)
        return "NULL";
    for (VEC_EACH(row, w, &t->rows)) {
        actor += w->first || w->gate < 0;
        VEC_PUSH(t->x->e.arena, &actors, actor);
    }
    return emit_numbers(t, "The actor of each row of the rates.", "rows", "int32_t", &actors);
}

// ---- Ends of streams ----

// Items that stay in an input's channel because the prework looked so far ahead, while work does not.
static int64_t spare_items(const program_emitter *x, uint32_t channel)
{
    const sir_channel *c = &x->m->channels.data[channel];
    sched_rate rate = sched_input_rate(x->m->actors.data[c->consumer], c->consumer_port, false);
    int64_t window = x->s->reps[c->consumer] != 0 ? rate.peek - rate.pop : 0;
    return x->s->channels[channel].remainder > window ? x->s->channels[channel].remainder - window : 0;
}

// Per input; NULL: none has any.
static const char *emit_spare(const program_region *t)
{
    program_emitter *x = t->x;
    number_list values = {0};
    bool any = false;
    for (VEC_EACH(const uint32_t, end, &t->inputs)) {
        int64_t spare = spare_items(x, x->m->actors.data[*end]->outputs.data[0]);
        VEC_PUSH(x->e.arena, &values, spare);
        any |= spare != 0;
    }
    return any ? emit_numbers(t, "Items kept that the next steady state does not need.", "spare", "int64_t", &values)
               : NULL;
}

static const char *emit_ends(const program_region *t, bool reader)
{
    program_emitter *x = t->x;
    size_t count = reader ? t->inputs.len : t->outputs.len;
    strbuf rows;
    strbuf_init(&rows, x->e.arena);
    for (size_t i = 0; i < count; i++) {
        uint32_t end = reader ? t->inputs.data[i] : t->outputs.data[i];
        const sir_actor *actor = x->m->actors.data[end];
        uint32_t channel = reader ? actor->outputs.data[0] : actor->inputs.data[0];
        const plan_io *io = find_io(x, end);
        int64_t needed = 0, kept = reader ? x->s->channels[channel].remainder : 0;
        if (reader)
            (void)plan_end_needs(x->m, x->s, channel, &needed);
        add_table_row(&rows, "%" PRIu32 ", %" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64,
                      t->number[channel], plan_io_start(x->pl, x->s, io, PLAN_INIT),
                      plan_io_start(x->pl, x->s, io, PLAN_STEADY), needed, x->s->init[end] - kept, x->s->reps[end],
                      kept);
    }
    return count == 0
               ? "NULL"
               : shared_table(
                     t,
                     arena_printf(
                         x->e.arena,
                         "Streams %s: channel in the rates; where items begin in their block, in the initialisation\n"
                         "   and later; items that the initialisation needs and moves, a steady state moves, stay in "
                         "between.",
                         reader ? "in" : "out"),
                     "svm_RegionEnd", reader ? "in" : "out", rows.data);
}

// ---- The table of a static region ----

static bool has_source(const program_region *t)
{
    for (VEC_EACH(const uint32_t, actor, &t->actors))
        if (t->x->s->source[*actor])
            return true;
    return false;
}

typedef enum count_kind { COUNT_INIT, COUNT_STEADY, COUNT_ROOM, COUNT_INIT_ROOM } count_kind;

static const char *emit_counts(const program_region *t, count_kind kind)
{
    static const struct {
        const char *what, *comment;
    } kinds[] = {
        [COUNT_INIT] = {"init", "How often each actor fires in the initialisation."},
        [COUNT_STEADY] = {"steady", "How often each actor fires in a steady state."},
        [COUNT_ROOM] = {"room", "For how many firings the blocks have room at the end of input."},
        [COUNT_INIT_ROOM] = {"initRoom",
                             "For how many firings the blocks have room if input ends in the initialisation."},
    };
    program_emitter *x = t->x;
    number_list values = {0};
    for (VEC_EACH(const uint32_t, actor, &t->actors)) {
        int64_t init = x->s->init[*actor], reps = x->s->reps[*actor], value = init;
        if (kind == COUNT_STEADY)
            value = reps;
        else if (kind == COUNT_ROOM)
            value = x->pl->drain[*actor] > reps * x->pl->strip ? x->pl->drain[*actor] : reps * x->pl->strip;
        else if (kind == COUNT_INIT_ROOM && x->pl->init_drain[*actor] > init)
            value = x->pl->init_drain[*actor];
        VEC_PUSH(x->e.arena, &values, value);
    }
    return emit_numbers(t, kinds[kind].comment, kinds[kind].what, "int64_t", &values);
}

static const char *emit_blocks(program_region *t)
{
    program_emitter *x = t->x;
    strbuf rows;
    strbuf_init(&rows, x->e.arena);
    for (VEC_EACH(uint32_t, b, &t->blocks))
        add_table_row(&rows, "%" PRId64 ", %" PRId64, x->pl->buffers.data[*b].base, x->pl->buffers.data[*b].step);
    if (x->kernels[t->kernel].own_type != NULL)
        add_table_row(&rows, "0, 0");
    return block_count(t) == 0 ? "NULL"
                               : shared_table(t, "By how much the blocks grow: once, and for each steady state.",
                                              "svm_BlockRow", "blocks", rows.data);
}

void program_region_tables(program_emitter *x, uint32_t kernel)
{
    program_region *t = x->region_of_kernel[kernel];
    arena *a = x->e.arena;
    find_blocks(t);
    const char *in_start, *out_start, *in_ports = emit_ports(t, false, &in_start),
                                      *out_ports = emit_ports(t, true, &out_start);
    const char *rates = shared_table(t, "The rates of the actors.", "svm_RateTable", "rates",
                                     arena_printf(a, "{%zu, %zu, %s, %s, %s, %s, NULL}", t->rows.len,
                                                  t->channels + t->gates, in_start, in_ports, out_start, out_ports));
    text_args fields = {0};
    VEC_PUSH(a, &fields, arena_printf(a, ".actors = %zu", t->actors.len));
    VEC_PUSH(a, &fields, arena_printf(a, ".strip = %" PRId64, x->pl->strip));
    VEC_PUSH(a, &fields, arena_printf(a, ".sources = %s", has_source(t) ? "true" : "false"));
    VEC_PUSH(a, &fields, arena_printf(a, ".init = %s", emit_counts(t, COUNT_INIT)));
    VEC_PUSH(a, &fields, arena_printf(a, ".reps = %s", emit_counts(t, COUNT_STEADY)));
    VEC_PUSH(a, &fields, arena_printf(a, ".room = %s", emit_counts(t, COUNT_ROOM)));
    VEC_PUSH(a, &fields, arena_printf(a, ".initRoom = %s", emit_counts(t, COUNT_INIT_ROOM)));
    VEC_PUSH(a, &fields, arena_printf(a, ".rates = %s", rates));
    VEC_PUSH(a, &fields, arena_printf(a, ".rows = %s", emit_rows(t)));
    VEC_PUSH(a, &fields, arena_printf(a, ".limits = %s", emit_limits(t, true)));
    VEC_PUSH(a, &fields, arena_printf(a, ".initLimits = %s", emit_limits(t, false)));
    VEC_PUSH(a, &fields, arena_printf(a, ".enqueued = %s", emit_tokens(t, false)));
    VEC_PUSH(a, &fields, arena_printf(a, ".between = %s", emit_tokens(t, true)));
    VEC_PUSH(a, &fields, arena_printf(a, ".inputs = %zu, .in = %s", t->inputs.len, emit_ends(t, true)));
    VEC_PUSH(a, &fields, arena_printf(a, ".outputs = %zu, .out = %s", t->outputs.len, emit_ends(t, false)));
    VEC_PUSH(a, &fields, arena_printf(a, ".blocks = %zu, .blockRows = %s", block_count(t), emit_blocks(t)));
    const char *spare = emit_spare(t);
    if (spare != NULL)
        VEC_PUSH(a, &fields, arena_printf(a, ".spare = %s", spare));
    strbuf rows;
    strbuf_init(&rows, a);
    strbuf *out = x->e.out;
    x->e.out = &rows;
    text_call(x, 0, "{", &fields, "}");
    x->e.out = out;
    rows.data[--rows.len] = '\0'; // the end of the line
    t->table = shared_table(t, arena_printf(a, "All that is fixed of %s.", x->kernels[kernel].kernel->name),
                            "svm_RegionTable", "table", rows.data);
}

// ---- The kernel ----

static size_t at_least_one(size_t n)
{
    return n == 0 ? 1 : n;
}

void program_region_struct(program_emitter *x, uint32_t kernel)
{
    program_region *t = x->region_of_kernel[kernel];
    find_blocks(t);
    text_line(x, 1, "svm_StaticRegion region;");
    if (program_region_helpers(x, kernel) != 0)
        text_line(x, 1, "svm_Helper helper; /* of a kernel that helps */");
    text_line(x, 1,
              "struct { /* what it works with: per actor, per row and channel of the rates, per stream, per block */");
    text_line(x, 2, "int64_t firings[%zu], limits[%zu], fired[%zu], tokens[%zu];", at_least_one(t->actors.len),
              at_least_one(t->rows.len), at_least_one(t->rows.len), at_least_one(t->channels + t->gates));
    if (t->inputs.len != 0) {
        text_line(x, 2, "int64_t held[%zu], more[%zu];", t->inputs.len, t->inputs.len);
        text_line(x, 2, "bool ended[%zu];", t->inputs.len);
        text_line(x, 2, "svm_Channel *in[%zu];", t->inputs.len);
        text_line(x, 2, "svm_Block *inBlocks[%zu];", t->inputs.len);
    }
    if (t->outputs.len != 0) {
        text_line(x, 2, "svm_Channel *out[%zu];", t->outputs.len);
        text_line(x, 2, "svm_Block *outBlocks[%zu];", t->outputs.len);
    }
    if (block_count(t) != 0)
        text_line(x, 2, "svm_Block *blocks[%zu];", block_count(t));
    if (x->kernels[kernel].own_type != NULL)
        text_line(x, 2, "svm_Block own;");
    text_line(x, 1, "} work;");
}

static void emit_firings(program_emitter *x, const program_region *t)
{
    const program_kernel *k = &x->kernels[t->kernel];
    for (VEC_EACH(uint32_t, actor, &k->actors))
        text_line(x, 2, "%s = self->work.firings[%" PRIu32 "];", program_firings_of(k, *actor)->text,
                  x->number_in_region[*actor]);
}

// What an offloaded region keeps inside, those who have done its run have moved.
static void emit_shifts(program_emitter *x, const program_kernel *k, uint32_t kernel)
{
    if (!program_is_offloaded(x, kernel) || program_shift_count(x, k, SHIFTED_INSIDE) == 0) {
        program_shifts(x, 2, k, SHIFTED_ALL);
        return;
    }
    program_shifts(x, 2, k, SHIFTED_WINDOWS);
    text_line(x, 2, "if (!self->region.offloaded) {");
    program_shifts(x, 3, k, SHIFTED_INSIDE);
    text_line(x, 2, "}");
}

// Messages that are due before the run, to the region's one actor: before the run is offloaded, what it keeps goes with it.
static void deliver(program_emitter *x, const program_region *t)
{
    const program_kernel *k = &x->kernels[t->kernel];
    uint32_t only = t->actors.len == 1 ? x->net->actor_of[t->actors.data[0]] : SIR_NONE;
    if (only == SIR_NONE || !program_receives(x, only))
        return;
    const char *own = x->own;
    x->own = k->own_type != NULL ? "own" : own;
    if (k->own_type != NULL)
        text_line(x, 2, "%s *own SVM_UNUSED = svm_blockData(self->own);", k->own_type);
    program_deliver(x, 2, only, x->stages[t->kernel]->info, &x->names[t->actors.data[0]], NULL);
    x->own = own;
}

void program_region_kernel(program_emitter *x, uint32_t kernel, const char *run, double operations)
{
    program_region *t = x->region_of_kernel[kernel];
    find_blocks(t);
    const program_kernel *k = &x->kernels[kernel];
    bool starting = program_shifts_start(x, k), parallel = program_region_helpers(x, kernel) != 0,
         offloaded = program_is_offloaded(x, kernel);
    text_line(x, 0, "/* Kernel %s, run on %s; the estimate counts the operations of a steady state. */",
              k->kernel->name, plan_net_processor(x->pl, t->cut));
    text_line(x, 0, "SVM_KERNEL(estimate(10, %.0f))", operations);
    text_line(x, 0, "static void %s(svm_Kernel *kernel)", k->run);
    text_line(x, 0, "{");
    text_line(x, 1, "%s *self = (%s *)kernel;", k->type, k->type);
    text_line(x, 1, "while (svm_regionNext(&self->region)) {");
    deliver(x, t);
    if (parallel)
        text_line(x, 2, "svm_regionShare(&self->region);");
    if (offloaded)
        text_line(
            x, 2,
            "if (svm_regionOffload(&self->region))\n            return; /* it goes on behind those who do this run */");
    if (k->uses_starting)
        text_line(x, 2, "self->starting = self->region.starting;");
    if (k->uses_steady)
        text_line(x, 2, "self->steady = self->region.%s;", parallel ? "share" : "steady");
    emit_firings(x, t);
    if (run != NULL && offloaded)
        text_line(x, 2, "if (!self->region.offloaded)");
    if (run != NULL)
        text_line(x, offloaded ? 3 : 2, "%s(kernel);", run);
    if (parallel) {
        text_line(x, 2, "svm_regionGather(&self->region);");
        if (k->uses_steady)
            text_line(x, 2, "self->steady = self->region.steady;");
        emit_firings(x, t);
    }
    text_line(x, 2, "svm_regionSend(&self->region);");
    if (starting)
        text_line(x, 2, "const bool starting = self->starting;");
    emit_shifts(x, k, kernel); // the run's output is in its streams
    text_line(x, 1, "}");
    text_line(x, 0, "}\n");
    if (!parallel)
        return;
    t->helper = emit_unique_name(&x->e, arena_printf(x->e.arena, "%s_helper", k->run));
    text_line(x, 0, "/* Does chunks of the steady states of %s on other processors. */", k->kernel->name);
    text_line(x, 0, "SVM_KERNEL(estimate(10, %.0f))", operations);
    text_line(x, 0, "static void %s(svm_Kernel *kernel)", t->helper);
    text_line(x, 0, "{");
    text_line(x, 1, "%s *self = (%s *)kernel;", k->type, k->type);
    text_line(x, 1, "while (svm_helperNext(&self->helper)) {");
    if (k->uses_steady)
        text_line(x, 2, "self->steady = self->region.steady;");
    emit_firings(x, t);
    if (run != NULL)
        text_line(x, 2, "%s(kernel);", run);
    text_line(x, 2, "svm_helperDone(&self->helper);");
    text_line(x, 1, "}");
    text_line(x, 0, "}\n");
}

size_t program_region_helpers(const program_emitter *x, uint32_t kernel)
{
    const program_region *t = x->region_of_kernel[kernel];
    return x->pl->where.len == 0 ? 0 : x->pl->where.data[t->cut].helpers.len;
}

uint32_t program_region_number(const program_emitter *x, uint32_t kernel)
{
    return x->region_of_kernel[kernel]->cut;
}

size_t program_region_blocks(program_emitter *x, uint32_t kernel, const uint32_t **blocks)
{
    program_region *t = x->region_of_kernel[kernel];
    find_blocks(t);
    *blocks = t->blocks.data;
    return t->blocks.len;
}

const char *program_region_field(const program_emitter *x, uint32_t kernel)
{
    return x->region_of_kernel[kernel]->helpers_field;
}

void program_region_name_helpers(program_emitter *x, uint32_t kernel, const char *field)
{
    x->region_of_kernel[kernel]->helpers_field = field;
}

// Members of the instance for the helpers of a region.
void program_region_members(program_emitter *x, uint32_t kernel)
{
    const program_region *t = x->region_of_kernel[kernel];
    const program_kernel *k = &x->kernels[kernel];
    size_t helpers = program_region_helpers(x, kernel);
    if (helpers == 0)
        return;
    text_line(x, 1, "struct { /* those who do chunks of its steady states */");
    text_line(x, 2, "%s kernels[%zu];", k->type, helpers);
    text_line(x, 2, "svm_Helper *all[%zu];", helpers);
    text_line(x, 2, "svm_Block blocks[%zu][%zu];", helpers, at_least_one(t->blocks.len));
    text_line(x, 1, "} %s;", t->helpers_field);
}

// Sets up the helpers of a region; at: how many the program has before. Gives how many there are then.
size_t program_region_create_helpers(program_emitter *x, uint32_t kernel, size_t at)
{
    const program_region *t = x->region_of_kernel[kernel];
    const program_kernel *k = &x->kernels[kernel];
    if (program_region_helpers(x, kernel) == 0)
        return at;
    const plan_net_place *where = &x->pl->where.data[t->cut];
    const char *f = t->helpers_field;
    text_line(x, 1, "self->%s.region.helpers = %zu;", k->field, where->helpers.len);
    text_line(x, 1, "self->%s.region.help = self->%s.all;", k->field, f);
    text_line(x, 1, "self->%s.region.least = %" PRId64 ";", k->field, where->least);
    for (size_t h = 0; h < where->helpers.len; h++)
        text_line(x, 1, "svm_kernelInit(&self->%s.kernels[%zu].kernel, &%s, %s, \"%s\");", f, h, where->helpers.data[h],
                  t->helper, k->kernel->name);
    text_line(x, 1, "for (int h = 0; h < %zu; h++) {", where->helpers.len);
    text_line(x, 2, "%s *kernel = &self->%s.kernels[h];", k->type, f);
    text_line(x, 2, "self->%s.all[h] = self->helpers[%zu + h] = &kernel->helper;", f, at);
    text_line(x, 2, "kernel->region.firings = kernel->work.firings;");
    text_line(x, 2, "kernel->region.blocks = kernel->work.blocks;");
    for (size_t b = 0; b < t->blocks.len; b++)
        text_line(x, 2, "kernel->work.blocks[%zu] = &self->%s.blocks[h][%zu];", b, f, b);
    for (size_t b = 0; b < k->buffers.len; b++) // its blocks begin with these
        text_line(x, 2, "kernel->%s = kernel->work.blocks[%zu];", k->buffer_names.data[b], b);
    text_line(x, 2,
              "svm_helperInit(&self->net, &kernel->helper, &kernel->kernel, &self->%s.region, &kernel->region, "
              "self->%s.blocks[h]);",
              k->field, f);
    text_line(x, 1, "}");
    return at + where->helpers.len;
}

// ---- create ----

void program_region_create(program_emitter *x, uint32_t kernel)
{
    program_region *t = x->region_of_kernel[kernel];
    find_blocks(t);
    const program_kernel *k = &x->kernels[kernel];
    const char *f = arena_printf(x->e.arena, "self->%s", k->field);
    static const char *const always[] = {"firings", "limits", "fired", "tokens"};
    text_line(x, 1, "%s.region.table = %s;", f, t->table);
    text_line(x, 1, "%s.region.begun = true;", f);
    text_line(x, 1, "%s.region.common.region = &%s.region;", f, f);
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        text_line(x, 1, "%s.region.%s = %s.work.%s;", f, always[i], f, always[i]);
    for (int reader = 1; reader >= 0; reader--) {
        size_t count = reader ? t->inputs.len : t->outputs.len;
        const char *side = reader ? "in" : "out";
        for (size_t i = 0; i < count; i++) {
            uint32_t end = reader ? t->inputs.data[i] : t->outputs.data[i];
            text_line(x, 1, "%s.work.%s[%zu] = &self->streams[%" PRIu32 "];", f, side, i, x->net->stream_of[end]);
            text_line(x, 1, "%s.work.%sBlocks[%zu] = &self->channels[%" PRIu32 "];", f, side, i,
                      find_io(x, end)->access.buffer);
        }
        if (count == 0)
            continue;
        text_line(x, 1, "%s.region.%s = %s.work.%s;", f, side, f, side);
        text_line(x, 1, "%s.region.%sBlocks = %s.work.%sBlocks;", f, side, f, side);
    }
    if (t->inputs.len != 0) {
        text_line(x, 1, "%s.region.held = %s.work.held;", f, f);
        text_line(x, 1, "%s.region.more = %s.work.more;", f, f);
        text_line(x, 1, "%s.region.inputEnded = %s.work.ended;", f, f);
    }
    if (t->blocks.len != 0) {
        for (size_t b = 0; b < t->blocks.len; b++)
            text_line(x, 1, "%s.work.blocks[%zu] = &self->channels[%" PRIu32 "];", f, b, t->blocks.data[b]);
        if (k->own_type != NULL)
            text_line(x, 1, "%s.own = %s.work.blocks[%zu] = &%s.work.own;", f, f, t->blocks.len, f);
        text_line(x, 1, "%s.region.blocks = %s.work.blocks;", f, f);
    }
}
