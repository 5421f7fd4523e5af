// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of programs on several processors: their structs, and what their runs have that those of programs on one
// processor have not: channels and state in a block of the processor's, windows of queues, runs that prime, runs of several
// strips.
#include <inttypes.h>
#include <string.h>

#include "hlc/emit/mapped_int.h"

uint32_t mapped_end_kernel(const program_emitter *x, uint32_t buffer)
{
    uint32_t end = plan_end_of(x->pl, x->m, buffer);
    return end == PLAN_NONE ? PLAN_NONE : x->pl->cut->graph->kernel_of[end];
}

bool mapped_gives_window(const program_emitter *x, const plan_stage *st)
{
    return st->out.buffer != PLAN_NONE && plan_end_of(x->pl, x->m, st->out.buffer) != PLAN_NONE;
}

bool mapped_primes(program_emitter *x, uint32_t kernel)
{
    return mapped_facts(x)->kernels[kernel].primes;
}

bool mapped_strips(program_emitter *x, const program_kernel *k)
{
    return mapped_facts(x)->kernels[k - x->kernels].loops;
}

bool mapped_goes_on(program_emitter *x, const program_kernel *k)
{
    return mapped_facts(x)->blocks && mapped_strips(x, k);
}

const char *mapped_strip_name(program_emitter *x, const program_kernel *k)
{
    return mapped_facts(x)->kernels[k - x->kernels].strip;
}

// Where a run's items are in a window.
static const char *mapped_window_start(program_emitter *x, const mapped_kernel *p, const mapped_window *w)
{
    const mapped *all = mapped_facts(x);
    if (all->blocks ? (all->facts & FACT_OFFSETS) == 0 : !p->offsets)
        return arena_printf(x->e.arena, "svm_blockData(self->%s)", w->items_of);
    return arena_printf(x->e.arena, "(%s)svm_blockData(self->%s) + self->%s",
                        emit_declare_pointer(&x->e, w->queue->item, "", "", ""), w->items_of, w->from_of);
}

// Functions that tell a run what it fires: so many steady states; with counts of all the program's actors.
static void mapped_fires(program_emitter *x, const mapped_kernel *p)
{
    const program_kernel *k = p->k;
    if (program_counts_firings(x)) {
        int64_t *actors = ARENA_ARRAY(x->e.arena, int64_t, k->actors.len + 1);
        for (size_t i = 0; i < k->actors.len; i++)
            actors[i] = x->pl->cut->graph->actor_of[k->actors.data[i]];
        const char *map = emit_unique_name(&x->e, arena_printf(x->e.arena, "%s_actors", p->name));
        program_count_table(
            x, arena_printf(x->e.arena, "The actors of kernel %s among those of the program.", k->kernel->name), map,
            "int32_t", actors, k->actors.len);
        text_line(x, 0, "/* A run with a count of firings for each actor. */");
        text_line(x, 0, "static void %s(%s *self, const int64_t *counts)", p->count, k->type);
        text_line(x, 0, "{");
        text_line(x, 1, "for (int i = 0; i < %zu; i++)", k->actors.len);
        text_line(x, 2, "self->firings[i] = (ptrdiff_t)counts[%s[i]];", map);
        text_line(x, 0, "}\n");
    }
    if (!p->primes || p->planned->repeat == 0)
        return;
    text_line(x, 0,
              "/* Behind the initialisation priming goes on for %" PRId64
              " steady states, or from the program's beginning. */",
              p->planned->repeat);
    text_line(x, 0, "static void %s(%s *self, int64_t before)", p->repeat, k->type);
    text_line(x, 0, "{");
    text_line(x, 1, "self->states = before < %" PRId64 " ? before : %" PRId64 ";", p->planned->repeat,
              p->planned->repeat);
    for (VEC_EACH(const mapped_window, w, &p->windows)) {
        if (!w->input)
            continue;
        text_line(x, 1, "self->%s_from = %" PRId64 " + (%" PRId64 " - self->states) * %" PRId64 ";", w->name,
                  mapped_primed(w) - w->queue->prime, p->planned->repeat, w->queue->step);
        if (w->file)
            text_line(x, 1, "self->%s += (%" PRId64 " - self->states) * %" PRId64 ";", w->first_of, p->planned->repeat,
                      w->queue->step);
    }
    text_line(x, 0, "}\n");
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

bool mapped_keeps_state(const program_emitter *x, uint32_t kernel)
{
    size_t count = 0;
    visit_states((program_emitter *)x, kernel, count_state, &count);
    return count != 0;
}

static void declare_state(program_emitter *x, const program_stage *code, program_actor_names *n, void *context)
{
    arena *a = x->e.arena;
    emit_declarations *members = context;
    if (n->state != NULL)
        VEC_PUSH(a, members, arena_printf(a, "%s %s", code->info->state_type, n->state));
    if (n->iter != NULL)
        VEC_PUSH(a, members, arena_printf(a, "int %s", n->iter));
    if (n->random != NULL)
        VEC_PUSH(a, members, arena_printf(a, "svm_Random %s", n->random));
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
    return mapped_facts(x)->kernels[kernel].own_type;
}

static void count_log(program_emitter *x, const program_stage *code, program_actor_names *n, void *context)
{
    (void)x, (void)code;
    size_t *count = context;
    *count += n->log != NULL;
}

size_t mapped_log_count(program_emitter *x, uint32_t kernel)
{
    size_t count = 0;
    visit_states(x, kernel, count_log, &count);
    return count;
}

static void run_members(program_emitter *x, program_kernel *k, const mapped_kernel *p)
{
    if (p->primes)
        text_line(
            x, 1,
            "bool priming; /* it runs on earlier input, for what its channels keep; what it would give is there */");
    if (p->loops)
        text_line(x, 1, "bool counted; /* it does what is not in steady states before anything else */");
    if (p->loops)
        text_line(x, 1, "ptrdiff_t states; /* steady states of this run, and of the strip at hand: */");
    text_line(x, 1, "ptrdiff_t steady; /* %s; 0 in the initialisation and at the end of input */",
              p->loops ? "of its steady states" : "steady states of this run");
    program_kernel_firings(x, k);
    text_line(x, 1, "svm_Block *own; /* what its processor has for itself: channels inside the kernel, state */");
    for (VEC_EACH(const mapped_window, w, &p->windows))
        text_line(x, 1, "svm_Block *%s; /* %s */", w->name, w->input ? "input" : "output");
    for (VEC_EACH(const mapped_window, w, &p->windows))
        if (w->stream)
            text_line(x, 1, "svm_Stream *%s; /* where its strips %s */", w->stream_of, w->input ? "are" : "go");
    for (VEC_EACH(const mapped_window, w, &p->windows))
        if (p->offsets)
            text_line(x, 1, "ptrdiff_t %s_from; /* where in it the items begin */", w->name);
    for (VEC_EACH(const mapped_window, w, &p->windows))
        if (p->direct && mapped_window_has_halo(w))
            text_line(x, 1, "svm_Block *%s_history; /* where the last items go too; or NULL */", w->name);
    for (VEC_EACH(const mapped_window, w, &p->windows)) {
        if (!w->file)
            continue;
        text_line(x, 1, "svm_%s *%s; /* its items are in this file; or NULL */", w->input ? "Reader" : "Writer",
                  w->file_of);
        text_line(x, 1, "int64_t %s, %s; /* what of it, and the first item there */", w->at_of, w->first_of);
        text_line(x, 1, "svm_Block *%s; /* for some of them */", w->scratch_of);
    }
}

// Kernels in this range that keep state.
static size_t count_states(const mapped *all, uint32_t from, size_t to)
{
    size_t count = 0;
    for (size_t i = from; i < to; i++)
        count += all->kernels[i].state;
    return count;
}

// The structs of kernels that have no others follow each other.
static void emit_own(program_emitter *x, uint32_t kernel)
{
    const mapped *all = mapped_facts(x);
    emit_declarations members = {0};
    visit_states(x, kernel, declare_state, &members);
    if (!all->blocks || count_states(all, 0, kernel) == 0)
        text_line(x, 0, "/* What the actors of %s keep on %s. */",
                  all->blocks ? "kernels" : arena_printf(x->e.arena, "kernel %s", x->kernels[kernel].kernel->name),
                  all->blocks ? "their processors" : "its processor");
    emit_struct_type(&x->e, "struct", &members, state_type(x, kernel));
    if (mapped_state_behind(x, kernel) != NULL)
        text_line(x, 0, "enum { %s = %s + %s };", mapped_state_behind(x, kernel),
                  mapped_state_place(x, kernel, all->kernels[kernel].home_processor), mapped_state_bytes(x, kernel));
    if (!all->blocks || count_states(all, kernel + 1, x->pl->cut->kernels.len) == 0)
        strbuf_addc(x->e.out, '\n');
}

void mapped_kernel_struct(program_emitter *x, uint32_t kernel)
{
    program_kernel *k = &x->kernels[kernel];
    size_t logs = 0;
    visit_states(x, kernel, name_log, &logs);
    if (mapped_facts(x)->kernels[kernel].state)
        emit_own(x, kernel);
    if (mapped_facts(x)->blocks)
        return;
    text_line(x, 0, "/* A run of kernel %s. */", k->kernel->name);
    text_line(x, 0, "typedef struct {");
    text_line(x, 1, "svm_Kernel kernel;");
    text_line(x, 1, "bool starting; /* the initialisation: nothing is in the channels but what was enqueued */");
    run_members(x, k, &mapped_facts(x)->kernels[kernel]);
    if (logs != 0)
        text_line(x, 1, "svm_Log *logs[%zu];", logs);
    text_line(x, 0, "} %s;\n", k->type);
    mapped_fires(x, &mapped_facts(x)->kernels[kernel]);
}

// ---- The run function ----

void mapped_own(program_emitter *x, const program_kernel *k)
{
    uint32_t kernel = (uint32_t)(k - x->kernels);
    text_line(x, 1, "%s *own SVM_UNUSED = (void *)(memory + %s);", state_type(x, kernel),
              mapped_state_place(x, kernel, mapped_facts(x)->kernels[kernel].home_processor));
}

void mapped_memory(program_emitter *x, const program_kernel *k, const hmap *used)
{
    const mapped_kernel *p = &mapped_facts(x)->kernels[k - x->kernels];
    bool uses = hmap_get(used, "own") != NULL;
    for (size_t i = 0; i < k->buffers.len; i++)
        uses |= hmap_get(used, k->buffer_names.data[i]) != NULL && mapped_window_of(p, k->buffers.data[i]) == NULL;
    if (uses)
        text_line(x, 1, "char *const memory = svm_blockData(self->own);");
}

// Strips that lie in streams are only read.
static const char *window_qualifier(const mapped_window *w)
{
    return w->stream && w->input && !mapped_stream_keeps(w) ? "const" : "";
}

static const char *declare_window(program_emitter *x, const mapped_window *w)
{
    return emit_declare_pointer(&x->e, w->queue->item, window_qualifier(w), "", w->name);
}

void mapped_local(program_pointers *locals, const program_kernel *k, size_t i)
{
    program_emitter *x = locals->x;
    const mapped_kernel *p = &mapped_facts(x)->kernels[k - x->kernels];
    const plan_buffer *b = &x->pl->buffers.data[k->buffers.data[i]];
    const mapped_window *w = mapped_window_of(p, k->buffers.data[i]);
    const sir_type *t = x->m->channels.data[b->channel].type;
    if (w == NULL) {
        program_add_pointer(locals, t, k->buffer_names.data[i],
                            arena_printf(x->e.arena, "(void *)(memory + %" PRIu64 ")", b->address));
    } else if (!p->loops && *window_qualifier(w) == '\0') {
        program_add_pointer(locals, w->queue->item, w->name, mapped_window_start(x, p, w));
    } else if (!p->loops) {
        program_write_pointers(locals);
        text_line(x, 1, "%s = %s;", declare_window(x, w), mapped_window_start(x, p, w));
    }
}

void mapped_strip_head(program_emitter *x, const program_kernel *k, const hmap *used, const char *name)
{
    const mapped_kernel *p = &mapped_facts(x)->kernels[k - x->kernels];
    text_args params = {0};
    VEC_PUSH(x->e.arena, &params, arena_printf(x->e.arena, "%s *self", k->type));
    for (VEC_EACH(const mapped_window, w, &p->windows))
        VEC_PUSH(x->e.arena, &params,
                 arena_printf(x->e.arena, "%s%s", declare_window(x, w),
                              hmap_get(used, w->name) == NULL ? " SVM_UNUSED" : ""));
    text_call(x, 0, arena_printf(x->e.arena, "static void %s(", name), &params, ")");
}

static void begin_state(program_emitter *x, const program_stage *code, program_actor_names *n, void *context)
{
    (void)context;
    if (n->state != NULL || n->iter != NULL || n->random != NULL)
        program_uses(x, x->own);
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
    program_uses(x, buffer);
    const char *at = text_plus(x, text_position(x, &initial->access.view.digits, "i"), initial->access.view.offset);
    strbuf *body = x->e.out;
    const int deeper = x->deeper;
    const char *name =
        emit_unique_name(&x->e, arena_printf(x->e.arena, "%s_enqueued", x->m->actors.data[ch->consumer]->name));
    x->e.out = before;
    x->deeper = 0;
    program_initial_table(x, ch, text_actor(x, ch->consumer), name);
    x->e.out = body;
    x->deeper = deeper;
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
    program_uses(x, "starting");
    const bool one = strchr(text.data, '\n') == text.data + text.len - 1;
    text_line(x, 1, one ? "if (starting)" : "if (starting) {");
    strbuf_add(x->e.out, text.data);
    if (!one)
        text_line(x, 1, "}");
}

// Where a kernel works in a queue it leaves the last items of a round to the next itself.
static void emit_tails(program_emitter *x, const mapped_kernel *p)
{
    for (VEC_EACH(const mapped_window, w, &p->windows))
        if (p->direct && mapped_window_has_halo(w))
            text_line(x, 1, "svm_blockTail(self->%s, self->%s);", w->history_of, w->items_of);
}

// "svm_readerReadAt(...)" of so many items.
static void read_at(program_emitter *x, const mapped_window *w, const char *count)
{
    text_line(x, 3, "%s = svm_blockData(self->%s);", w->name, w->scratch_of);
    text_line(x, 3, "svm_readerReadAt(self->%s, self->%s, self->%s, %s, %s);", w->file_of, w->at_of, w->first_of,
              w->name, count);
}

static void read_priming(program_emitter *x, const mapped_kernel *p, const mapped_window *w)
{
    int64_t repeat = p->planned->repeat, step = w->queue->step;
    const char *count = arena_printf(x->e.arena, "%" PRId64, w->queue->prime);
    if (repeat != 0)
        count = arena_printf(x->e.arena, "%" PRId64 " + %s", w->queue->init, text_times(x, "self->states", step));
    text_line(x, 2, "if (self->%s != NULL) {", w->file_of);
    read_at(x, w, count);
    text_line(x, 2, "}");
}

// Files are read and written for some strips at once.
static void begin_group(program_emitter *x, const mapped_kernel *p)
{
    text_line(x, 2, "if (ready == 0) {");
    text_line(x, 3, "ready = group = left < %" PRId64 " ? left : %" PRId64 ";", p->group, p->group);
    text_line(x, 2, "}");
    for (VEC_EACH(const mapped_window, w, &p->windows)) {
        if (!w->file)
            continue;
        text_line(x, 2, "if (ready == group && self->%s != NULL) {", w->file_of);
        if (w->input) {
            read_at(x, w, text_plus(x, text_times(x, "group", w->queue->step), w->queue->queue->delay));
            text_line(x, 3, "self->%s += %s;", w->first_of, text_times(x, "group", w->queue->step));
        } else {
            text_line(x, 3, "%s = svm_blockData(self->%s);", w->name, w->scratch_of);
        }
        text_line(x, 2, "}");
    }
}

static void end_group(program_emitter *x, const mapped_kernel *p)
{
    text_line(x, 2, "ready -= self->steady;");
    for (VEC_EACH(const mapped_window, w, &p->windows)) {
        if (!w->file || w->input)
            continue;
        const char *items = text_times(x, "group", w->queue->step);
        text_line(x, 2, "if (ready == 0 && self->%s != NULL) {", w->file_of);
        text_line(x, 3, "svm_writerWriteAt(self->%s, self->%s, self->%s, svm_blockData(self->%s), %s);", w->file_of,
                  w->at_of, w->first_of, w->scratch_of, items);
        text_line(x, 3, "self->%s += %s;", w->first_of, items);
        text_line(x, 2, "}");
    }
}

// The kernel's function from where its pointers are there.
void mapped_next_strips(program_emitter *x, const program_kernel *k, const hmap *used, const char *body)
{
    const mapped_kernel *p = &mapped_facts(x)->kernels[k - x->kernels];
    program_pointers windows = {.x = x};
    text_line(x, 1, "svm_RoundStrips strips = {.run = self%s};",
              p->files ? arena_printf(x->e.arena, ", .group = %" PRId64, p->group) : "");
    text_line(x, 1, "while (svm_roundNextStrip(&strips)) {");
    x->deeper = 1;
    if (hmap_get(used, "starting") != NULL)
        text_line(x, 1, "const bool starting = self->starting;");
    for (VEC_EACH(const mapped_window, w, &p->windows))
        if (hmap_get(used, w->name) != NULL)
            program_add_pointer(&windows, w->queue->item, w->name,
                                arena_printf(x->e.arena, "strips.items[%zu]", (size_t)(w - p->windows.data)));
    program_write_pointers(&windows);
    x->deeper = 0;
    strbuf_add(x->e.out, body);
    text_line(x, 1, "}");
}

void mapped_strip_loop(program_emitter *x, const program_kernel *k, const char *strip)
{
    arena *a = x->e.arena;
    const mapped *all = mapped_facts(x);
    const mapped_kernel *p = &all->kernels[k - x->kernels];
    text_args args = {0};
    VEC_PUSH(a, &args, "self");
    text_line(x, 1, "%s *self = (%s *)kernel;", k->type, k->type);
    for (VEC_EACH(const mapped_window, w, &p->windows)) {
        VEC_PUSH(a, &args, w->name);
        text_line(x, 1, "%s = %s;", declare_window(x, w), mapped_window_start(x, p, w));
    }
    if (p->files)
        text_line(x, 1,
                  "ptrdiff_t ready = 0, group = 0; /* steady states that files were read for, and are written for */");
    text_line(x, 1,
              "if (self->counted) { /* a run that primes, or one by itself: firings that are in no steady state */");
    for (VEC_EACH(const mapped_window, w, &p->windows))
        if (w->file && w->input && p->primes)
            read_priming(x, p, w);
    text_call(x, 2, arena_printf(a, "%s(", strip), &args, ");");
    mapped_stream_end_phase(x, p, &args, strip);
    text_line(x, 2, "return;");
    text_line(x, 1, "}");
    text_line(x, 1, "for (ptrdiff_t left = self->states; left > 0; left -= self->steady) {");
    if (p->files)
        begin_group(x, p);
    text_line(x, 2, "self->steady = left < %s ? left : %s;", all->strip, all->strip);
    mapped_stream_take(x, p);
    text_call(x, 2, arena_printf(a, "%s(", strip), &args, ");");
    mapped_stream_give(x, p);
    for (VEC_EACH(const mapped_window, w, &p->windows))
        if (w->queue->step != 0 && !w->own)
            text_line(x, 2, "%s += %s;", w->name, text_times(x, "self->steady", w->queue->step));
    if (p->files)
        end_group(x, p);
    text_line(x, 1, "}");
    emit_tails(x, p);
}

void mapped_end(program_emitter *x, uint32_t kernel)
{
    if (!mapped_facts(x)->kernels[kernel].loops)
        emit_tails(x, &mapped_facts(x)->kernels[kernel]);
}

const char *mapped_processors(program_emitter *x, uint32_t kernel)
{
    const plan_cut *cut = x->pl->cut;
    strbuf text;
    strbuf_init(&text, x->e.arena);
    size_t count = 0;
    for (uint32_t q = 0; q < cut->resources->processors.len; q++) {
        if (plan_kernel_runs_on(cut, kernel, q) && count++ < 4)
            strbuf_printf(&text, "%s%s", count == 1 ? "" : ", ",
                          cut->resources->processors.data[q].processor->element.name);
    }
    if (count > 4)
        return arena_printf(x->e.arena, "%s and %zu more", text.data, count - 4);
    return text.data;
}
