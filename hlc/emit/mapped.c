// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs on several processors: names of the machine, the instance, and what creates and frees it.
#include <inttypes.h>
#include <string.h>

#include "hlc/emit/mapped_int.h"

// ---- Names of the machine ----

typedef struct namer {
    program_emitter *x;
    text_args *rows; // declarations; NULL: names are only taken
    hmap seen;
} namer;

static void name_element(namer *n, bool memory, const machine_element *e)
{
    if (e == NULL || hmap_get(&n->seen, e->name) != NULL)
        return;
    hmap_set(&n->seen, e->name, n);
    if (n->rows != NULL)
        VEC_PUSH(n->x->e.arena, n->rows,
                 arena_printf(n->x->e.arena, "SVM_%s(%s);", memory ? "MEMORY" : "PROCESSOR", e->name));
    else
        emit_unique_name(&n->x->e, e->name);
}

void mapped_names(program_emitter *x, text_args *declared)
{
    const plan_resources *r = x->pl->cut->resources;
    namer n = {.x = x, .rows = declared};
    hmap_init(&n.seen, x->e.arena);
    hmap_set(&n.seen, r->shared->element.name, &n); // as all programs
    hmap_set(&n.seen, r->control->element.name, &n);
    for (uint32_t i = 0; i < r->processors.len; i++) {
        const plan_processor *q = &r->processors.data[i];
        bool runs = false;
        for (uint32_t k = 0; k < x->pl->cut->kernels.len; k++)
            runs = runs || plan_kernel_runs_on(x->pl->cut, k, i);
        if (!runs)
            continue;
        name_element(&n, true, &q->memory->element);
        name_element(&n, false, &q->processor->element);
        name_element(&n, false, q->direct ? NULL : &q->load->element);
        name_element(&n, false, q->direct ? NULL : &q->store->element);
    }
    const machine_processor *engine;
    for (VEC_EACH(const plan_stream, st, &x->pl->cut->graph->streams))
        if (plan_cut_straight(x->pl->cut, st, &engine) && engine != NULL)
            name_element(&n, false, &engine->element);
    for (VEC_EACH(const plan_queue, queue, &x->pl->cut->queues))
        if (queue->straight)
            name_element(&n, false, &plan_straight_engine(x->pl->cut, queue)->element);
}

// ---- Constants and tables ----

void mapped_processor_table(program_emitter *x, const mapped *all)
{
    text_line(x, 0, "/* The processors%s%s%s. */", all->moved ? ", what moves items to their memories and back" : "",
              all->blocks ? ", and the bytes of what each has for itself: channels inside kernels" : "",
              !all->blocks  ? ""
              : !all->moved ? ", state"
                            : ", windows of queues, state");
    const char *type = "svm_RoundProcessor", *count = "SVM_PROCESSORS";
    if (!all->blocks) {
        type = arena_printf(x->e.arena, "struct {\n    mm_Proc processor%s;\n    mm_Mem memory;\n}",
                            all->moved ? ", load, store" : "");
        count = "";
    }
    size_t table = text_begin_table(x, "static const %s %s[%s]", type, all->processors, count);
    text_args rows = {0};
    for (VEC_EACH(const plan_processor *, on, &all->used)) {
        const plan_processor *q = *on;
        const char *processor = q->processor->element.name, *memory = q->memory->element.name;
        const char *moves = !all->moved && !all->blocks ? ""
                            : q->direct
                                ? "NULL, NULL, "
                                : arena_printf(x->e.arena, "&%s, &%s, ", q->load->element.name, q->store->element.name);
        const char *own = "";
        if (all->blocks)
            own = arena_printf(x->e.arena, ", %s",
                               mapped_state_place(x, (uint32_t)x->pl->cut->kernels.len, (uint32_t)rows.len));
        VEC_PUSH(x->e.arena, &rows, arena_printf(x->e.arena, "{&%s, %s&%s%s},", processor, moves, memory, own));
    }
    text_rows(x, 1, &rows);
    text_end_table(x, table);
}

static void emit_chunks(program_emitter *x, const mapped_kernel *p)
{
    text_line(x, 0, "static const %s_Chunk %s[] = { /* of kernel %s */", x->name, p->chunks, p->k->kernel->name);
    for (VEC_EACH(const mapped_chunk, c, &p->rows))
        text_line(x, 1, "{%" PRIu32 ", %" PRIu32 ", %" PRIu32 ", %" PRIu32 ", %" PRIu32 ", %" PRIu32 "},", c->processor,
                  c->first, c->strips, c->each, c->run, c->before);
    text_line(x, 0, "};\n");
}

void mapped_types(program_emitter *x)
{
    const plan_cut *cut = x->pl->cut;
    const mapped *all = mapped_facts(x);
    if (all->blocks)
        mapped_summary(x, all);
    text_line(x, 0, "enum {");
    text_line(x, 1, "%s = %" PRId64 ", %s = %" PRIu32 ", /* steady states of a strip; strips of a round */", all->strip,
              x->pl->strip, all->strips, cut->strips);
    text_line(x, 1, "%s = %s * %s,", all->round, all->strip, all->strips);
    text_line(x, 1, "%s = %" PRIu32 ", /* rounds that may be under way: each queue has so many slots */", all->slots,
              cut->slots);
    if (all->blocks)
        mapped_block_constants(x, all);
    text_line(x, 0, "};\n");
    if (all->blocks) {
        mapped_block_types(x, all);
        return;
    }
    mapped_processor_table(x, all);
    text_line(x, 0,
              "/* Strips of a round that follow each other on a processor: `strips` from `first` on, in runs of "
              "`each`, the first");
    text_line(x, 0, "   of which has the number `run`; `before` is the chunk that the processor has before it. */");
    text_line(x, 0, "typedef struct {");
    text_line(x, 1, "int processor, first, strips, each, run, before;");
    text_line(x, 0, "} %s_Chunk;\n", x->name);
    for (size_t i = 0; i < cut->kernels.len; i++)
        emit_chunks(x, &all->kernels[i]);
}

// ---- The instance ----

// Of programs with streams.
static void emit_queue_members(program_emitter *x, const mapped *all)
{
    const plan_cut *cut = x->pl->cut;
    const sir_module *m = cut->graph->whole;
    for (VEC_EACH(const plan_queue, queue, &cut->queues)) {
        const mapped_queue *r = &all->queues[queue->stream];
        const sir_channel *c = &m->channels.data[r->stream->channel];
        text_line(x, 1, "svm_Block %s[%s]; /* queue: items from %s to %s */", r->name, all->slots,
                  text_comment(x, m->actors.data[c->producer]->name),
                  text_comment(x, m->actors.data[c->consumer]->name));
    }
    for (VEC_EACH(const plan_queue, queue, &cut->queues)) {
        const mapped_queue *r = &all->queues[queue->stream];
        if (r->claimed != NULL) {
            text_line(x, 1, "bool %s[%s]; /* kernels %s the round's items %s the file */", r->claimed, all->slots,
                      r->stream->from == SIR_NONE ? "read" : "write", r->stream->from == SIR_NONE ? "from" : "to");
            text_line(x, 1, "int64_t %s[%s]; /* where they are there */", r->place, all->slots);
        }
    }
}

static void emit_run_members(program_emitter *x, const mapped *all)
{
    for (size_t i = 0; i < x->pl->cut->kernels.len; i++)
        for (VEC_EACH(const mapped_window, w, &all->kernels[i].windows))
            if (w->file)
                text_line(x, 1, "svm_Block %s[%zu]; /* where items from or for a file lie */", w->scratch,
                          all->used.len);
    for (size_t i = 0; i < x->pl->cut->kernels.len; i++) {
        const mapped_kernel *p = &all->kernels[i];
        if (p->primes)
            text_line(x, 1, "%s %s[%s][%zu]; /* by chunk: what primes it */", p->run_type, p->primings, all->slots,
                      p->rows.len);
        text_line(x, 1, "%s %s[%s][%" PRIu32 "];", p->run_type, p->runs, all->slots, p->run_count);
        if (p->phases)
            text_line(x, 1, "%s %s; /* of the initialisation and the end of input */", p->run_type, p->home);
    }
}

// Of programs with streams; for others it is svm/mapped_tables.h's.
static void emit_instance(program_emitter *x, const mapped *all)
{
    const plan_cut *cut = x->pl->cut;
    size_t processors = all->used.len;
    for (size_t i = 0; i < cut->kernels.len; i++)
        mapped_run_type(x, &all->kernels[i]);
    text_line(x, 0, "/* One running %s. */", x->pl->name);
    text_line(x, 0, "typedef struct {");
    text_line(x, 1, "bool started, ended; /* the initialisation has run; input has ended */");
    text_line(x, 1, "bool placed; /* the next round's slots have what it needs of the one before */");
    text_line(x, 1, "int64_t steadyStates; /* run so far, or started */");
    text_line(x, 1, "int64_t iterations; /* steady states still asked for in this call of run */");
    text_line(x, 1, "int64_t round; /* the next */");
    text_line(x, 1, "int64_t states[%s]; /* steady states of the round under way; 0: there is none */", all->slots);
    text_line(x, 1, "size_t memory; /* where the queues lie */");
    emit_queue_members(x, all);
    text_line(x, 1, "size_t ownMemory[%zu]; /* where each processor's own begins in its memory */", processors);
    text_line(x, 1, "svm_Block own[%zu];", processors);
    mapped_stream_members(x, all);
    emit_run_members(x, all);
    if (all->readers != 0)
        text_line(x, 1, "svm_Input readers[%" PRIu32 "];", all->readers);
    if (all->writers != 0)
        text_line(x, 1, "svm_Writer writers[%" PRIu32 "];", all->writers);
    if (x->logs != 0) {
        text_line(x, 1, "svm_Log texts[%zu]; /* of the actors that print, in order */", x->logs);
        text_line(x, 1, "svm_Log *logs[%zu];", x->logs);
    }
    if (cut->graph->whole->init_text_len != 0)
        text_line(x, 1, "svm_Log start; /* what was printed while the graph was built */");
    text_line(x, 0, "} %s;\n", x->type);
}

// ---- create and destroy ----

static uint64_t units(uint64_t bytes, uint64_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

mapped_slots mapped_slots_of(const program_emitter *x, const mapped_queue *r)
{
    const plan_cut *cut = x->p->cut;
    // Otherwise nothing is ever used up, or nothing is there from round to round.
    const bool several = r->step != 0 && !r->straight;
    return (mapped_slots){units((uint64_t)r->queue->room * r->size, plan_cut_slot_unit(cut)), several ? cut->slots : 1};
}

void mapped_queue_table(program_emitter *x, const mapped *all)
{
    const plan_cut *cut = x->pl->cut;
    text_line(x, 0,
              "/* Where queues lie in the shared memory, in bytes; room of a slot, and what of it is before a round's "
              "own, in items. */");
    size_t table = text_begin_table(x, "static const svm_RoundQueue svm_roundQueues[SVM_QUEUES]");
    for (VEC_EACH(const plan_queue, queue, &cut->queues)) {
        const mapped_queue *r = &all->queues[queue->stream];
        const mapped_slots slots = mapped_slots_of(x, r);
        text_args row = {0};
        VEC_PUSH(x->e.arena, &row, arena_printf(x->e.arena, "\"%s\"", r->name));
        mapped_column(x, &row, "address", (int64_t)r->address);
        mapped_column(x, &row, "slot", slots.count > 1 ? (int64_t)slots.bytes : 0);
        mapped_column(x, &row, "room", queue->room);
        mapped_column(x, &row, "history", queue->history);
        VEC_PUSH(x->e.arena, &row, arena_printf(x->e.arena, ".size = sizeof(%s)", r->type));
        mapped_column(x, &row, "step", r->step);
        mapped_column(x, &row, "halo", queue->halo);
        mapped_column(x, &row, "delay", r->stream->to == SIR_NONE ? queue->delay : 0);
        if (r->stream->from != SIR_NONE && r->stream->to != SIR_NONE)
            VEC_PUSH(x->e.arena, &row, ".linked = true");
        text_call(x, 1, "{", &row, "},");
    }
    text_end_table(x, table);
}

// Bytes of all queues, and what they begin at a multiple of.
static uint64_t queue_bytes(const program_emitter *x, const mapped *all)
{
    return plan_cut_slot_unit(x->pl->cut) + all->queue_bytes;
}

// Of programs with streams.
static void emit_create_queues(program_emitter *x, const mapped *all)
{
    const plan_cut *cut = x->pl->cut;
    const uint64_t unit = plan_cut_slot_unit(cut);
    text_line(x, 0, "/* Slots of the queues, one behind the other. */");
    text_line(x, 0, "static void %s_createQueues(%s *self)", x->name, x->type);
    text_line(x, 0, "{");
    text_line(x, 1, "self->memory = svm_alloc(%s, %" PRIu64 ");", text_memory(x, x->pl->memory), queue_bytes(x, all));
    text_line(x, 1, "const size_t at = (self->memory + %" PRIu64 ") / %" PRIu64 " * %" PRIu64 ";", unit - 1, unit,
              unit);
    text_line(x, 1, "for (int slot = 0; slot < %s; slot++) {", all->slots);
    for (VEC_EACH(const plan_queue, queue, &cut->queues)) {
        const mapped_queue *r = &all->queues[queue->stream];
        const mapped_slots slots = mapped_slots_of(x, r);
        const char *at = arena_printf(x->e.arena, "at + %" PRIu64, r->address);
        if (slots.count > 1)
            at = arena_printf(x->e.arena, "%s + (size_t)slot * %" PRIu64, at, slots.bytes);
        text_line(x, 2, "svm_blockInit(&self->%s[slot], %s, %s, %" PRId64 ", sizeof(%s));", r->member,
                  text_memory(x, x->pl->memory), at, queue->room, r->type);
        text_line(x, 2, "svm_blockName(&self->%s[slot], \"%s\");", r->member, r->name);
    }
    text_line(x, 1, "}");
    text_line(x, 0, "}\n");
}

int64_t mapped_scratch_items(const mapped_kernel *p, const mapped_window *w)
{
    const int64_t group = p->group * w->queue->step + (w->input ? w->queue->queue->delay : 0);
    return group > w->queue->prime ? group : w->queue->prime;
}

// Where items from files and for them lie, behind all else; gives how many bytes that takes.
static uint64_t create_scratch(program_emitter *x, const mapped *all, bool declare)
{
    uint64_t bytes = 0, unit = plan_cut_alignment(x->pl->cut);
    for (size_t i = 0; i < x->pl->cut->kernels.len; i++)
        for (VEC_EACH(const mapped_window, w, &all->kernels[i].windows)) {
            if (!w->file)
                continue;
            int64_t items = mapped_scratch_items(&all->kernels[i], w);
            if (declare)
                text_line(x, 2,
                          "svm_blockInit(&self->%s[q], %s[q].memory, self->ownMemory[q] + bytes + %" PRIu64 ", %" PRId64
                          ", sizeof(%s));",
                          w->scratch, all->processors, bytes, items, w->queue->type);
            bytes += units((uint64_t)items * w->queue->size, unit);
        }
    return bytes;
}

// Of programs with streams. Processors that share a memory have each their own part of it.
static void emit_create_own(program_emitter *x, const mapped *all)
{
    bool shared = false;
    for (size_t i = 0; i < all->used.len; i++)
        for (size_t k = 0; k < i; k++)
            shared |= !all->used.data[i]->direct && all->used.data[k]->memory == all->used.data[i]->memory;
    text_line(x, 0, "/* What each processor has for itself: channels inside kernels%s, state. */",
              all->moved ? ", windows of queues" : "");
    text_line(x, 0, "static void %s_createOwn(%s *self)", x->name, x->type);
    text_line(x, 0, "{");
    uint64_t files = create_scratch(x, all, false);
    bool alike = true;
    const char *first = mapped_state_place(x, (uint32_t)x->pl->cut->kernels.len, 0);
    for (uint32_t q = 1; q < all->used.len; q++)
        alike = alike && strcmp(first, mapped_state_place(x, (uint32_t)x->pl->cut->kernels.len, q)) == 0;
    if (alike) {
        text_line(x, 1, "const size_t bytes = %s;", first);
    } else {
        text_args rows = {0};
        for (uint32_t q = 0; q < all->used.len; q++)
            VEC_PUSH(x->e.arena, &rows,
                     arena_printf(x->e.arena, "%s, /* %s */",
                                  mapped_state_place(x, (uint32_t)x->pl->cut->kernels.len, q),
                                  all->used.data[q]->processor->element.name));
        text_line(x, 1, "const size_t bytesOf[] = {");
        text_rows(x, 2, &rows);
        text_line(x, 1, "};");
    }
    text_line(x, 1, "for (int q = 0; q < %zu; q++) {", all->used.len);
    if (!alike)
        text_line(x, 2, "const size_t bytes = bytesOf[q];");
    const char *local = "0";
    if (shared) {
        text_line(x, 2, "size_t others = 0; /* before it in the same memory */");
        text_line(x, 2, "for (int i = 0; i < q; i++)");
        text_line(x, 3, "others += %s[i].memory == %s[q].memory ? %s : 0;", all->processors, all->processors,
                  alike ? "bytes" : "bytesOf[i]");
        local = "others";
    }
    if (!all->moved)
        text_line(x, 2, "self->ownMemory[q] = svm_alloc(%s[q].memory, bytes + %" PRIu64 ");", all->processors,
                  files + 1);
    else if (all->direct)
        text_line(x, 2, "self->ownMemory[q] = %s[q].load == NULL ? svm_alloc(%s[q].memory, bytes + %" PRIu64 ") : %s;",
                  all->processors, all->processors, files + 1, local);
    else if (shared)
        text_line(x, 2, "self->ownMemory[q] = %s;", local);
    text_line(x, 2, "svm_blockInit(&self->own[q], %s[q].memory, self->ownMemory[q], bytes, 1);", all->processors);
    text_line(x, 2, "svm_blockName(&self->own[q], \"own\");");
    if (files != 0 && all->moved) // only who works in queues does so
        text_line(x, 2, "if (%s[q].load != NULL)\n            continue;", all->processors);
    (void)create_scratch(x, all, true);
    text_line(x, 1, "}");
    text_line(x, 0, "}\n");
}

static void create_stream_runs(program_emitter *x, const mapped *all)
{
    const plan_cut *cut = x->pl->cut;
    for (size_t i = 0; i < cut->kernels.len; i++)
        if (mapped_stream_any(&all->kernels[i]))
            text_line(x, 1, "%s(self);", all->kernels[i].create_streams);
    for (size_t i = 0; i < cut->kernels.len; i++)
        text_line(x, 1, "%s(self);", all->kernels[i].create_all);
    for (size_t i = 0; i < cut->kernels.len; i++)
        text_line(x, 1, "%s(self);", all->kernels[i].order);
    for (VEC_EACH(const plan_queue, queue, &cut->queues))
        if (mapped_is_linked(&all->queues[queue->stream]))
            text_line(x, 1, "%s_link_%s(self);", x->name, all->queues[queue->stream].name);
}

static void emit_create(program_emitter *x, const mapped *all)
{
    if (!all->blocks) {
        emit_create_queues(x, all);
        emit_create_own(x, all);
    }
    const char *io = program_chunked_io(x);
    text_line(x, 0, "/* A new %s, which has run nothing yet. */", x->pl->name);
    text_line(x, 0, "%svoid *%s(const svm_Settings *settings)", program_linkage(x), program_entry(x, "create"));
    text_line(x, 0, "{");
    program_new_instance(x);
    if (x->logs != 0) {
        text_line(x, 1, "for (size_t i = 0; i < %zu; i++)", x->logs);
        text_line(x, 2, "self->logs[i] = &self->texts[i];");
        text_line(x, 1, "svm_printOrder(self->logs, %zu);", x->logs);
    }
    if (all->blocks) {
        text_line(x, 1, "svm_roundsCreate(self, %" PRIu64 ", %" PRIu64 ", %" PRIu64 ");", queue_bytes(x, all),
                  plan_cut_slot_unit(x->p->cut), plan_cut_alignment(x->p->cut));
    } else {
        text_line(x, 1, "%s_createQueues(self);", x->name);
        text_line(x, 1, "%s_createOwn(self);", x->name);
        create_stream_runs(x, all);
    }
    if (*io == '\0')
        text_line(x, 1, "(void)settings;");
    strbuf_add(x->e.out, io);
    text_line(x, 1, "return self;");
    text_line(x, 0, "}\n");
}

static void emit_destroy_run(program_emitter *x, const mapped_kernel *p)
{
    text_line(x, 0, "static void %s(%s *r)", p->destroy, p->run_type);
    text_line(x, 0, "{");
    text_line(x, 1, "svm_kernelDestroy(&r->run.kernel);");
    mapped_stream_destroy_run(x, p);
    text_line(x, 0, "}\n");
}

static void destroy_stream_runs(program_emitter *x, const mapped *all)
{
    for (size_t i = 0; i < x->pl->cut->kernels.len; i++) {
        const mapped_kernel *p = &all->kernels[i];
        text_line(x, 1, "for (int slot = 0; slot < %s; slot++) {", all->slots);
        text_line(x, 2, "for (int i = 0; i < %" PRIu32 "; i++)", p->run_count);
        text_line(x, 3, "%s(&self->%s[slot][i]);", p->destroy, p->runs);
        if (p->primes) {
            text_line(x, 2, "for (int i = 0; i < %zu; i++)", p->rows.len);
            text_line(x, 3, "%s(&self->%s[slot][i]);", p->destroy, p->primings);
        }
        text_line(x, 1, "}");
        if (p->phases)
            text_line(x, 1, "%s(&self->%s);", p->destroy, p->home);
        mapped_stream_destroy(x, p);
    }
}

static void emit_destroy(program_emitter *x, const mapped *all)
{
    if (all->blocks) { // svm_roundsDestroy
        program_forget(x, all->readers, all->writers, x->logs);
        return;
    }
    for (size_t i = 0; i < x->pl->cut->kernels.len; i++)
        emit_destroy_run(x, &all->kernels[i]);
    text_line(x, 0, "/* Closes files and frees everything. */");
    text_line(x, 0, "%svoid %s(void *instance)", program_linkage(x), program_entry(x, "destroy"));
    text_line(x, 0, "{");
    text_line(x, 1, "%s *self = instance;", x->type);
    for (uint32_t i = 0; i < all->readers; i++)
        text_line(x, 1, "svm_readerClose(&self->readers[%" PRIu32 "].file);", i);
    for (uint32_t i = 0; i < all->writers; i++)
        text_line(x, 1, "svm_writerClose(&self->writers[%" PRIu32 "]);", i);
    for (size_t i = 0; i < x->logs; i++)
        text_line(x, 1, "svm_logDestroy(self->logs[%zu]);", i);
    if (x->m->init_text_len != 0)
        text_line(x, 1, "svm_logDestroy(&self->start);");
    destroy_stream_runs(x, all);
    if (all->direct) {
        text_line(x, 1, "for (int q = 0; q < %zu; q++)", all->used.len);
        if (all->moved)
            text_line(x, 2, "if (%s[q].load == NULL)", all->processors);
        text_line(x, all->moved ? 3 : 2, "svm_free(%s[q].memory, self->ownMemory[q]);", all->processors);
    }
    text_line(x, 1, "svm_free(%s, self->memory);", text_memory(x, x->pl->memory));
    text_line(x, 1, "free(self);");
    text_line(x, 0, "}\n");
    program_forget(x, all->readers, all->writers, x->logs);
}

// ---- All of it ----

bool mapped_in_blocks(program_emitter *x)
{
    return x->mapped != NULL && x->mapped->blocks;
}

plan mapped_whole_plan(program_emitter *x)
{
    const sir_module *m = x->pl->cut->graph->whole;
    plan whole = *x->pl;
    memset(&whole.readers, 0, sizeof whole.readers);
    memset(&whole.writers, 0, sizeof whole.writers);
    whole.ends = NULL; // of the others
    for (uint32_t i = 0; i < m->actors.len; i++) {
        if (m->actors.data[i]->kind == SIR_READER)
            VEC_PUSH(x->e.arena, &whole.readers, (plan_io){.actor = i});
        if (m->actors.data[i]->kind == SIR_WRITER)
            VEC_PUSH(x->e.arena, &whole.writers, (plan_io){.actor = i});
    }
    return whole;
}

void mapped_main(program_emitter *x)
{
    bool in = false, out = false;
    for (VEC_EACH(sir_actor *, actor, &x->m->actors)) {
        in |= (*actor)->kind == SIR_READER && (*actor)->path == NULL;
        out |= (*actor)->kind == SIR_WRITER && (*actor)->path == NULL;
    }
    program_main(x, in, out);
}

void mapped_program(program_emitter *x)
{
    const mapped *all = mapped_facts(x);
    if (all->blocks)
        mapped_block_tables(x, all);
    else
        emit_instance(x, all);
    const sir_module *m = x->m;
    const schedule *s = x->s;
    const plan *pl = x->pl;
    plan whole = mapped_whole_plan(x);
    bool has_init = x->has_init;
    x->m = pl->cut->graph->whole;
    x->s = pl->cut->graph->whole_schedule;
    x->pl = &whole;
    x->has_init = true;
    if (all->phases && program_counts_firings(x))
        program_firing_table(x, "How often each actor fires in the initialisation.", all->init, x->s->init);
    if (x->fails_in_order) {
        program_drain_tables(x);
        program_order_table(x);
    }
    if (all->blocks)
        mapped_block_functions(x);
    else
        mapped_stream_runs(x, all);
    if (!x->fails_in_order)
        program_drain_tables(x);
    emit_create(x, all);
    mapped_control(x);
    program_drain(x);
    emit_destroy(x, all);
    mapped_main(x);
    x->m = m;
    x->s = s;
    x->pl = pl;
    x->has_init = has_init;
}
