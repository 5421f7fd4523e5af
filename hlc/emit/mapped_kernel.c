// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of programs on several processors: their structs, and what their runs have that those of programs on one
// processor have not: state in a block of the processor's, cold runs, windows of rings.
#include <inttypes.h>
#include <string.h>

#include "hlc/emit/program_int.h"

uint32_t mapped_end_kernel(const program_emitter *x, uint32_t buffer)
{
    uint32_t end = plan_end_of(x->pl, x->m, buffer);
    return end == PLAN_NONE ? PLAN_NONE : x->pl->parts->cut->piece_of[end];
}

static int64_t lead_of(const program_emitter *x, const plan_stage *st)
{
    const plan_parts *parts = x->pl->parts;
    return parts->parts.data[parts->cut->piece_of[st->actor]].lead;
}

static bool gives_window(const program_emitter *x, const plan_stage *st)
{
    return st->out.buffer != PLAN_NONE && plan_end_of(x->pl, x->m, st->out.buffer) != PLAN_NONE;
}

// Steady states that a stage repeats. What leaves the part is not given twice.
static int64_t warm_of(const program_emitter *x, const plan_stage *st)
{
    return gives_window(x, st) ? 0 : x->pl->parts->warm[st->actor];
}

int64_t mapped_skip(const program_emitter *x, const plan_stage *st, uint32_t buffer, bool out)
{
    if (x->pl->parts == NULL || buffer == PLAN_NONE || (out && gives_window(x, st)))
        return 0;
    return (lead_of(x, st) - warm_of(x, st)) * x->pl->buffers.data[buffer].step;
}

int64_t mapped_less(const program_emitter *x, const plan_stage *st)
{
    if (x->pl->parts == NULL)
        return 0;
    return (x->pl->parts->warm[st->actor] - warm_of(x, st)) * x->s->reps[st->actor];
}

// ---- The struct ----

typedef void state_visitor(program_emitter *x, const program_stage *code, program_actor_names *n, void *context);

// Each actor of the kernel that has names of its own, once.
static void visit_states(program_emitter *x, uint32_t kernel, state_visitor *visit, void *context)
{
    const program_stage *code = x->stages[kernel];
    for (VEC_EACH(plan_item, item, &x->pl->kernels.data[kernel].items))
        for (size_t i = 0; i < item->stages.len; i++, code++)
            if (code->stage->kind == PLAN_FIRE)
                visit(x, code, &x->names[code->stage->actor], context);
}

static void count_state(program_emitter *x, const program_stage *code, program_actor_names *n, void *context)
{
    (void)x, (void)code;
    size_t *count = context;
    *count += (n->state != NULL) + (n->iter != NULL) + (n->random != NULL);
}

bool mapped_has_state(const program_emitter *x, uint32_t kernel)
{
    size_t count = 0;
    visit_states((program_emitter *)x, kernel, count_state, &count);
    return count != 0;
}

static void declare_state(program_emitter *x, const program_stage *code, program_actor_names *n, void *context)
{
    (void)context;
    if (n->state != NULL)
        text_line(x, 1, "%s %s;", code->info->state_type, n->state);
    if (n->iter != NULL)
        text_line(x, 1, "int %s;", n->iter);
    if (n->random != NULL)
        text_line(x, 1, "svm_Random %s;", n->random);
}

// Logs are the control program's; the kernel has their addresses.
static void name_log(program_emitter *x, const program_stage *code, program_actor_names *n, void *context)
{
    (void)code;
    size_t *count = context;
    if (n->log != NULL)
        n->log = arena_printf(x->e.arena, "self->logs[%zu]", (*count)++);
}

static const char *state_type(program_emitter *x, uint32_t kernel)
{
    return arena_printf(x->e.arena, "%s_Own", x->kernels[kernel].type);
}

static size_t count_outputs(const program_emitter *x, const program_kernel *k)
{
    size_t outputs = 0;
    for (VEC_EACH(const uint32_t, b, &k->buffers)) {
        uint32_t end = plan_end_of(x->pl, x->m, *b);
        outputs += end != PLAN_NONE && x->m->actors.data[end]->kind == SIR_WRITER;
    }
    return outputs;
}

void mapped_kernel_struct(program_emitter *x, uint32_t kernel)
{
    program_kernel *k = &x->kernels[kernel];
    bool state = mapped_has_state(x, kernel);
    size_t logs = 0, outputs = count_outputs(x, k);
    visit_states(x, kernel, name_log, &logs);
    if (state) {
        text_line(x, 0, "/* What the actors of part %s keep on its processor. */", k->kernel->name);
        text_line(x, 0, "typedef struct {");
        visit_states(x, kernel, declare_state, NULL);
        text_line(x, 0, "} %s;\n", state_type(x, kernel));
    }
    text_line(x, 0, "/* A run of part %s. */", k->kernel->name);
    text_line(x, 0, "typedef struct {");
    text_line(x, 1, "svm_Kernel kernel;");
    text_line(x, 1, "bool starting; /* the initialisation: nothing is in the channels but what was enqueued */");
    text_line(x, 1, "bool cold; /* it repeats what its channels keep elsewhere */");
    text_line(x, 1,
              "ptrdiff_t steady; /* steady states of this run; 0 in the initialisation and at the end of input */");
    program_kernel_firings(x, k);
    text_args names = {0};
    for (VEC_EACH(const char *, name, &k->buffer_names))
        VEC_PUSH(x->e.arena, &names, *name);
    if (state)
        VEC_PUSH(x->e.arena, &names, "what its actors keep");
    text_line(x, 1, "svm_Block *blocks[%zu];", names.len);
    text_call(x, 1, "/* ", &names, " */");
    if (x->pl->parts->streams)
        text_line(x, 1, "svm_PartFlow *flow; /* the streams through which its items come and go */");
    else if (outputs != 0)
        text_line(x, 1, "svm_Block *tails[%zu]; /* where what the next round needs of each output goes too */",
                  outputs);
    if (logs != 0)
        text_line(x, 1, "svm_Log *logs[%zu];", logs);
    text_line(x, 0, "} %s;\n", k->type);
}

// ---- The run function ----

void mapped_own(program_emitter *x, const program_kernel *k)
{
    text_line(x, 1, "%s *own SVM_UNUSED = svm_blockData(self->blocks[%zu]);", state_type(x, (uint32_t)(k - x->kernels)),
              k->buffers.len);
}

static void begin_state(program_emitter *x, const program_stage *code, program_actor_names *n, void *context)
{
    (void)context;
    const char *initial = hmap_getn(&x->state_inits, &code->info->filter, sizeof code->info->filter);
    if (n->state != NULL && initial != NULL && *initial != '\0')
        text_line(x, 2, "own->%s = %s;", n->state, initial);
    else if (n->state != NULL)
        text_line(x, 2, "memset(&own->%s, 0, sizeof own->%s);", n->state, n->state);
    if (n->iter != NULL)
        text_line(x, 2, "own->%s = 0;", n->iter);
    if (n->random != NULL)
        text_line(x, 2, "own->%s = (svm_Random)SVM_RANDOM_INIT;", n->random);
}

// The items enqueued in a feedback loop, from a table before the kernel's function.
static void begin_enqueued(program_emitter *x, const program_kernel *k, const plan_initial *initial, strbuf *before)
{
    const sir_channel *ch = &x->m->channels.data[initial->channel];
    const char *buffer = program_buffer_name(k, initial->access.buffer);
    const char *at = text_plus(x, text_position(x, &initial->access.view.digits, "i"), initial->access.view.offset);
    strbuf *body = x->e.out;
    const char *name =
        emit_unique_name(&x->e, arena_printf(x->e.arena, "%s_enqueued", x->m->actors.data[ch->consumer]->name));
    x->e.out = before;
    program_initial_table(x, ch, text_actor(x, ch->consumer), name);
    x->e.out = body;
    text_line(x, 2, "for (ptrdiff_t i = 0; i < %zu; i++)", ch->initial.len);
    text_line(x, 3, "memcpy(&%s[%s], &%s[i], sizeof %s[i]);", buffer, at, name, name);
}

void mapped_begin(program_emitter *x, uint32_t kernel)
{
    const program_kernel *k = &x->kernels[kernel];
    strbuf text, before, *out = x->e.out;
    strbuf_init(&text, x->e.arena);
    strbuf_init(&before, x->e.arena);
    x->e.out = &text;
    visit_states(x, kernel, begin_state, NULL);
    for (VEC_EACH(plan_initial, initial, &x->pl->initials))
        if (program_buffer_name(k, initial->access.buffer) != NULL)
            begin_enqueued(x, k, initial, &before);
    x->e.out = out;
    strbuf_add(x->before, before.data);
    if (text.len == 0)
        return;
    text_line(x, 1, "if (starting) {");
    strbuf_add(x->e.out, text.data);
    text_line(x, 1, "}");
}

void mapped_flow(program_emitter *x, const program_kernel *k, const char *strip)
{
    text_line(x, 1, "%s *self = (%s *)kernel;", k->type, k->type);
    text_line(x, 1, "while (svm_partNext(self->flow)) {");
    text_line(x, 2, "%s(kernel);", strip);
    text_line(x, 2, "svm_partSend(self->flow);");
    text_line(x, 1, "}");
}

void mapped_end(program_emitter *x, uint32_t kernel)
{
    const program_kernel *k = &x->kernels[kernel];
    const plan_parts *parts = x->pl->parts;
    size_t output = 0;
    bool direct = false;
    for (VEC_EACH(const plan_processor, q, &parts->resources->processors))
        direct |= q->direct && !parts->streams;
    for (size_t i = 0; i < k->buffers.len; i++) {
        uint32_t end = plan_end_of(x->pl, x->m, k->buffers.data[i]);
        if (end == PLAN_NONE || x->m->actors.data[end]->kind != SIR_WRITER)
            continue;
        if (direct && parts->rings.data[parts->cut->stream_of[end]].front != 0)
            text_line(x, 1, "svm_blockTail(self->tails[%zu], self->blocks[%zu]);", output, i);
        output++;
    }
}

const char *mapped_processors(program_emitter *x, uint32_t kernel)
{
    const plan_parts *parts = x->pl->parts;
    strbuf text;
    strbuf_init(&text, x->e.arena);
    size_t count = 0;
    for (uint32_t q = 0; q < parts->resources->processors.len; q++) {
        if (plan_part_runs_on(parts, kernel, q) && count++ < 4)
            strbuf_printf(&text, "%s%s", count == 1 ? "" : ", ",
                          parts->resources->processors.data[q].processor->element.name);
    }
    if (count > 4)
        return arena_printf(x->e.arena, "%s and %zu more", text.data, count - 4);
    return text.data;
}
