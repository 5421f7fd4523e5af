// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Static regions that are offloaded: a kernel for their strips on other processors, the tables that say which bytes go
// where, and the instance's members for the strips of a run (svm/offload.h).
#include <inttypes.h>

#include "hlc/emit/program_int.h"

enum { STATE_ALIGNMENT = 128 }; // structs of state begin at multiples of it

static uint64_t whole_state(uint64_t bytes)
{
    return (bytes + STATE_ALIGNMENT - 1) / STATE_ALIGNMENT * STATE_ALIGNMENT;
}

static const plan_net_place *place_of(const program_emitter *x, uint32_t kernel)
{
    return x->pl->where.len == 0 ? NULL : &x->pl->where.data[program_region_number(x, kernel)];
}

bool program_is_offloaded(const program_emitter *x, uint32_t kernel)
{
    return x->net != NULL && place_of(x, kernel) != NULL && place_of(x, kernel)->offload.len != 0;
}

bool program_offloads(const program_emitter *x)
{
    bool any = false;
    for (VEC_EACH(const plan_net_place, where, &x->pl->where))
        any |= where->offload.len != 0;
    return any;
}

static const plan_resources *resources(program_emitter *x)
{
    if (x->offload_resources == NULL)
        x->offload_resources = plan_offload_resources(x->p, x->pl);
    return x->offload_resources;
}

void program_offload_names(program_emitter *x, hmap *known, text_args *declared)
{
    for (VEC_EACH(const plan_net_place, where, &x->pl->where))
        for (VEC_EACH(const char *, name, &where->offload)) {
            const plan_processor *q = plan_offload_processor(resources(x), *name);
            program_declare_name(x, known, "SVM_PROCESSOR", *name, declared);
            program_declare_name(x, known, "SVM_MEMORY", q->memory->element.name, declared);
            program_declare_name(x, known, "SVM_PROCESSOR", q->load->element.name, declared);
            program_declare_name(x, known, "SVM_PROCESSOR", q->store->element.name, declared);
        }
}

static plan_offload offload_of(program_emitter *x, uint32_t kernel)
{
    const plan_processor *q = plan_offload_processor(resources(x), place_of(x, kernel)->offload.data[0]);
    return plan_offload_of(x->e.arena, x->p->diag, x->pl, x->m, x->s, q, program_region_number(x, kernel));
}

static int64_t grain_of(program_emitter *x, uint32_t kernel)
{
    return plan_offload_grain(x->p, program_region_number(x, kernel), offload_of(x, kernel).unit);
}

// Strips that a run can have.
static int64_t strips_of(program_emitter *x, uint32_t kernel)
{
    const plan_net_place *where = place_of(x, kernel);
    int64_t grain = grain_of(x, kernel), units = (x->pl->strip + grain - 1) / grain,
            even = (int64_t)where->offload.len * where->turns, most = (x->pl->strip + where->strip - 1) / where->strip;
    even = even < units ? even : units;
    return even > most ? even : most;
}

// ---- What it keeps ----

void program_offload_state(program_emitter *x, uint32_t kernel)
{
    program_kernel *k = &x->kernels[kernel];
    if (!program_is_offloaded(x, kernel) || offload_of(x, kernel).state == 0)
        return;
    k->own_type =
        emit_unique_name(&x->e, arena_printf(x->e.arena, "%s_Own", body_identifier(x->e.arena, k->kernel->name)));
    text_line(x, 0, "/* What the actors of kernel %s keep: another processor has it while it does a run. */",
              k->kernel->name);
    text_line(x, 0, "typedef struct {");
    program_state_members(x, kernel);
    text_line(x, 0, "} %s;", k->own_type);
    text_line(x, 0, "_Static_assert(sizeof(%s) <= %" PRIu64 ", \"its block has so many bytes\");\n", k->own_type,
              offload_of(x, kernel).state);
}

// Where the struct of a kernel begins in the program's memory; of the number of kernels: where all end.
static uint64_t state_place(program_emitter *x, size_t kernel)
{
    uint64_t place = (x->pl->bytes + STATE_ALIGNMENT - 1) / STATE_ALIGNMENT * STATE_ALIGNMENT;
    for (uint32_t k = 0; k < kernel; k++)
        place += x->kernels[k].own_type == NULL ? 0 : whole_state(offload_of(x, k).state);
    return place;
}

uint64_t program_offload_bytes(program_emitter *x)
{
    bool any = false;
    for (size_t k = 0; k < x->pl->kernels.len; k++)
        any |= x->kernels[k].own_type != NULL;
    return any ? state_place(x, x->pl->kernels.len) - x->pl->bytes : 0;
}

void program_offload_create_state(program_emitter *x, uint32_t kernel)
{
    const program_kernel *k = &x->kernels[kernel];
    if (k->own_type == NULL)
        return;
    text_line(x, 1, "svm_blockInit(&self->%s.work.own, %s, self->memory + %" PRIu64 ", %" PRIu64 ", 1);", k->field,
              text_memory(x, x->pl->memory), state_place(x, kernel), offload_of(x, kernel).state);
    text_line(x, 1, "svm_blockName(&self->%s.work.own, \"own\");", k->field);
    text_line(x, 1, "%s *own SVM_UNUSED = svm_blockData(&self->%s.work.own);", k->own_type, k->field);
}

// The region's buffers, and what it keeps.
static size_t block_count(program_emitter *x, uint32_t kernel)
{
    const uint32_t *blocks;
    return program_region_blocks(x, kernel, &blocks) + (x->kernels[kernel].own_type != NULL);
}

static bool keeps(program_emitter *x, uint32_t kernel)
{
    return plan_offload_keeps(x->pl, x->m, program_region_number(x, kernel));
}

// Whether it gives a stream's items from a block that keeps some.
static bool has_keeping(program_emitter *x, uint32_t kernel)
{
    const plan_offload o = offload_of(x, kernel);
    bool has = false;
    for (VEC_EACH(const plan_offload_block, b, &o.blocks))
        has |= b->kind == PLAN_OFFLOAD_KEEPING;
    return has;
}

// ---- The kernel ----

void program_offload_struct(program_emitter *x, uint32_t kernel)
{
    const program_kernel *k = &x->kernels[kernel];
    if (!program_is_offloaded(x, kernel))
        return;
    x->strip_types[kernel] =
        emit_unique_name(&x->e, arena_printf(x->e.arena, "%s_Strip", body_identifier(x->e.arena, k->kernel->name)));
    text_line(x, 0, "/* A strip of %s on another processor. */", k->kernel->name);
    text_line(x, 0, "typedef struct {");
    text_line(x, 1, "svm_Kernel kernel;");
    program_run_members(x, kernel, true);
    text_line(x, 0, "} %s;\n", x->strip_types[kernel]);
}

static const char *const kind_names[] = {
    [PLAN_OFFLOAD_INSIDE] = "SVM_OFFLOAD_INSIDE",   [PLAN_OFFLOAD_INPUT] = "SVM_OFFLOAD_INPUT",
    [PLAN_OFFLOAD_OUTPUT] = "SVM_OFFLOAD_OUTPUT",   [PLAN_OFFLOAD_KEPT] = "SVM_OFFLOAD_KEPT",
    [PLAN_OFFLOAD_KEEPING] = "SVM_OFFLOAD_KEEPING",
};

static void emit_places(program_emitter *x, uint32_t kernel, const char *name)
{
    text_line(x, 0, "/* The processors that strips of %s go to: each with its memory and who moves its windows. */",
              x->kernels[kernel].kernel->name);
    size_t table = text_begin_table(x, "static const svm_OffloadPlace %s[]", name);
    text_args rows = {0};
    for (VEC_EACH(const char *, processor, &place_of(x, kernel)->offload)) {
        const plan_processor *q = plan_offload_processor(resources(x), *processor);
        VEC_PUSH(x->e.arena, &rows,
                 arena_printf(x->e.arena, "{&%s, &%s, &%s, &%s, %" PRIu64 "},", *processor, q->memory->element.name,
                              q->load->element.name, q->store->element.name, plan_offload_base(resources(x), q)));
    }
    text_rows(x, 1, &rows);
    text_end_table(x, table);
}

static void emit_blocks(program_emitter *x, uint32_t kernel, const char *name)
{
    const plan_offload o = offload_of(x, kernel);
    const uint32_t *blocks;
    size_t count = program_region_blocks(x, kernel, &blocks);
    text_line(x, 0, "/* What a strip of %s has there: windows of the region's blocks, and blocks of its own. */",
              x->kernels[kernel].kernel->name);
    size_t table = text_begin_table(x, "static const svm_OffloadBlock %s[]", name);
    text_args rows = {0};
    for (size_t i = 0; i < count; i++)
        for (VEC_EACH(const plan_offload_block, b, &o.blocks)) {
            if (b->buffer != blocks[i])
                continue;
            uint32_t channel = x->pl->buffers.data[b->buffer].channel;
            strbuf row;
            strbuf_init(&row, x->e.arena);
            strbuf_printf(
                &row, "{\"%s\", %s, .step = %" PRId64 ", .more = %" PRId64 ", .size = sizeof(%s), .address = %" PRIu64,
                x->buffer_names[b->buffer], kind_names[b->kind], b->step, b->more,
                emit_declare_item(&x->e, x->m->channels.data[channel].type, ""), b->address);
            if (b->kept != 0)
                strbuf_printf(&row, ", .kept = %" PRId64, b->kept);
            if (b->bytes != 0)
                strbuf_printf(&row, ", .bytes = %" PRIu64, b->bytes);
            strbuf_add(&row, "},");
            VEC_PUSH(x->e.arena, &rows, row.data);
        }
    if (x->kernels[kernel].own_type != NULL)
        VEC_PUSH(x->e.arena, &rows,
                 arena_printf(x->e.arena,
                              "{\"own\", SVM_OFFLOAD_KEPT, .more = %" PRIu64 ", .size = 1, .address = %" PRIu64
                              ", .kept = %" PRIu64 "},",
                              o.state, o.state_at, o.state));
    text_rows(x, 1, &rows);
    text_end_table(x, table);
}

static void emit_table(program_emitter *x, uint32_t kernel, const char *run)
{
    const program_kernel *k = &x->kernels[kernel];
    arena *a = x->e.arena;
    const plan_net_place *where = place_of(x, kernel);
    const char *places = emit_unique_name(&x->e, arena_printf(a, "%s_places", run)),
               *blocks = emit_unique_name(&x->e, arena_printf(a, "%s_windows", run));
    emit_places(x, kernel, places);
    emit_blocks(x, kernel, blocks);
    size_t count = block_count(x, kernel);
    x->strip_tables[kernel] = emit_unique_name(&x->e, arena_printf(a, "%s_table", run));
    text_args fields = {0};
    VEC_PUSH(a, &fields, arena_printf(a, ".run = %s", run));
    VEC_PUSH(a, &fields, arena_printf(a, ".name = \"%s\"", k->kernel->name));
    VEC_PUSH(a, &fields, arena_printf(a, ".unit = %" PRId64, grain_of(x, kernel)));
    VEC_PUSH(a, &fields, arena_printf(a, ".shortest = %" PRId64, where->least));
    VEC_PUSH(a, &fields, arena_printf(a, ".strip = %" PRId64, where->strip));
    VEC_PUSH(a, &fields, arena_printf(a, ".turns = %" PRIu32, where->turns));
    VEC_PUSH(a, &fields, arena_printf(a, ".places = %zu", where->offload.len));
    VEC_PUSH(a, &fields, arena_printf(a, ".blocks = %zu", count));
    VEC_PUSH(a, &fields, arena_printf(a, ".place = %s", places));
    VEC_PUSH(a, &fields, arena_printf(a, ".block = %s", blocks));
    text_line(x, 0, "/* How runs of %s are cut into strips. */", k->kernel->name);
    text_call(x, 0, arena_printf(a, "static const svm_OffloadTable %s = {", x->strip_tables[kernel]), &fields, "};\n");
}

// The calls of cycles' functions, which come first in the text.
static text_args emit_cycles(program_emitter *x, uint32_t kernel)
{
    text_args calls = {0};
    const program_stage *codes = x->stages[kernel];
    const char *own = x->own;
    x->own = x->kernels[kernel].own_type != NULL ? "own" : own;
    for (VEC_EACH(plan_item, item, &x->kernels[kernel].kernel->items)) {
        if (item->cycle >= 0)
            VEC_PUSH(x->e.arena, &calls, program_cycle_function(x, kernel, item, codes, x->strip_types[kernel], NULL));
        codes += item->stages.len;
    }
    x->own = own;
    return calls;
}

void program_offload_kernel(program_emitter *x, uint32_t kernel, const char *body, const program_calls *cycles,
                            const hmap *used, double operations)
{
    const program_kernel *k = &x->kernels[kernel];
    if (!program_is_offloaded(x, kernel))
        return;
    const text_args calls = emit_cycles(x, kernel);
    program_kernel strip = *k;
    strip.type = x->strip_types[kernel];
    const char *run = emit_unique_name(&x->e, arena_printf(x->e.arena, "%s_strip", k->run));
    text_line(x, 0, "/* A strip of %s on another processor. */", k->kernel->name);
    text_line(x, 0, "SVM_KERNEL(estimate(10, %.0f))", operations);
    text_line(x, 0, "static void %s(svm_Kernel *kernel)", run);
    text_line(x, 0, "{");
    program_run_locals(x, &strip, used, false);
    for (VEC_EACH(uint32_t, actor, &k->actors))
        text_line(x, 1, "self->firings.%s = %s;", program_firings_of(k, *actor)->name,
                  text_times(x, "self->steady", x->s->reps[*actor]));
    size_t at = 0;
    for (size_t i = 0; i < calls.len; at = cycles->ends.data[i++]) {
        strbuf_addn(x->e.out, body + at, cycles->begins.data[i] - at);
        text_line(x, 1, "%s", calls.data[i]);
    }
    strbuf_add(x->e.out, body + at);
    if (program_shift_count(x, k, SHIFTED_INSIDE) != 0 && program_shifts_start(x, k) && !hmap_get(used, "starting"))
        text_line(x, 1, "const bool starting = self->starting;");
    program_shifts(x, 1, k, SHIFTED_INSIDE);
    text_line(x, 0, "}\n");
    emit_table(x, kernel, run);
}

// ---- The instance ----

void program_offload_members(program_emitter *x, uint32_t kernel)
{
    if (!program_is_offloaded(x, kernel))
        return;
    int64_t strips = strips_of(x, kernel);
    size_t count = block_count(x, kernel);
    text_line(x, 1, "struct { /* the strips of its runs on other processors */");
    text_line(x, 2, "svm_Offload offload;");
    text_line(x, 2, "%s kernels[%" PRId64 "];", x->strip_types[kernel], strips);
    text_line(x, 2, "svm_OffloadStrip strips[%" PRId64 "];", strips);
    text_line(x, 2, "svm_Block here[%" PRId64 "][%zu], there[%" PRId64 "][%zu];", strips, count, strips, count);
    text_line(x, 2, "svm_MoveB2B moves[%" PRId64 "][%zu];", strips, count);
    if (has_keeping(x, kernel)) {
        text_line(x, 2, "svm_Block hereFirst[%" PRId64 "][%zu], thereFirst[%" PRId64 "][%zu];", strips, count, strips,
                  count);
        text_line(x, 2,
                  "svm_MoveB2B first[%" PRId64 "][%zu]; /* what a strip begins with of an output that keeps items */",
                  strips, count);
    }
    if (keeps(x, kernel)) {
        text_line(x, 2, "svm_Block kept[%zu]; /* of what it keeps: there, what goes back when a run has ended */",
                  count);
        text_line(x, 2, "svm_MoveB2B back[%zu];", count);
    }
    text_line(x, 1, "} %s;", program_region_field(x, kernel));
}

void program_offload_create(program_emitter *x, uint32_t kernel, size_t number)
{
    const program_kernel *k = &x->kernels[kernel];
    const char *f = program_region_field(x, kernel);
    int64_t strips = strips_of(x, kernel);
    text_line(x, 1, "self->%s.region.unit = %" PRId64 ";", k->field, offload_of(x, kernel).unit);
    text_line(x, 1, "self->%s.region.least = %" PRId64 ";", k->field, place_of(x, kernel)->least);
    text_line(x, 1, "self->offloads[%zu] = self->%s.region.offload = &self->%s.offload;", number, k->field, f);
    text_line(x, 1, "self->%s.offload = (svm_Offload){", f);
    text_line(x, 2, ".table = &%s, .region = &self->%s.region, .strips = self->%s.strips, .count = %" PRId64 ",",
              x->strip_tables[kernel], k->field, f, strips);
    int64_t unit = offload_of(x, kernel).unit;
    if (keeps(x, kernel))
        text_line(x, 2, ".kept = self->%s.kept, .back = self->%s.back,", f, f);
    text_line(x, 2, ".unit = %" PRId64 ", .most = %" PRId64 "};", unit, x->pl->strip / unit * unit);
    text_line(x, 1, "for (int i = 0; i < %" PRId64 "; i++) {", strips);
    text_line(x, 2, "%s *strip = &self->%s.kernels[i];", x->strip_types[kernel], f);
    text_line(
        x, 2,
        "self->%s.strips[i] = (svm_OffloadStrip){&strip->kernel, &strip->steady, self->%s.here[i], self->%s.there[i],",
        f, f, f);
    if (has_keeping(x, kernel))
        text_line(x, 2,
                  "                                    self->%s.moves[i], self->%s.hereFirst[i], "
                  "self->%s.thereFirst[i], self->%s.first[i]};",
                  f, f, f, f);
    else
        text_line(x, 2, "                                    self->%s.moves[i], NULL, NULL, NULL};", f);
    for (size_t b = 0; b < k->buffers.len; b++) // the region's blocks begin with these
        text_line(x, 2, "strip->%s = &self->%s.here[i][%zu];", k->buffer_names.data[b], f, b);
    if (k->own_type != NULL)
        text_line(x, 2, "strip->own = &self->%s.here[i][%zu];", f, block_count(x, kernel) - 1);
    const program_stage *code = x->stages[kernel];
    for (VEC_EACH(plan_item, item, &k->kernel->items))
        for (size_t s = 0; s < item->stages.len && k->own_type == NULL; s++, code++) {
            const char *state = code->stage->kind == PLAN_FIRE ? x->names[code->stage->actor].state : NULL;
            const char *initial =
                state == NULL ? NULL : hmap_getn(&x->state_inits, &code->info->filter, sizeof code->info->filter);
            if (initial != NULL && *initial != '\0')
                text_line(x, 2, "strip->%s = %s;", state, initial);
        }
    text_line(x, 1, "}");
    text_line(x, 1, "svm_offloadCreate(&self->%s.offload);", f);
}
