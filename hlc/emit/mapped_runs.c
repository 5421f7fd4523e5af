// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs of parts as the emitted text sets them up: where their windows lie, who moves these, and what depends on what.
#include <inttypes.h>
#include <string.h>

#include "hlc/emit/mapped_int.h"

bool mapped_window_has_halo(const mapped_window *w)
{
    return !w->input && w->queue->queue->halo != 0 && w->queue->stream->to != SIR_NONE && w->queue->step != 0 &&
           !w->queue->forgets;
}

int64_t mapped_strip_items(const program_emitter *x, const mapped_queue *r)
{
    return x->pl->strip * r->step;
}

int64_t mapped_round_items(const program_emitter *x, const mapped_queue *r)
{
    return x->pl->parts->strips * mapped_strip_items(x, r);
}

int64_t mapped_first_halo(const program_emitter *x, const mapped_queue *r)
{
    return (mapped_round_items(x, r) - r->queue->halo) / mapped_strip_items(x, r);
}

// "strip * 512 - 64"
const char *mapped_times_plus(program_emitter *x, const char *factor, int64_t by, int64_t offset)
{
    const char *text = by == 0 ? "0" : text_times(x, factor, by);
    if (offset == 0)
        return text;
    return by == 0 ? arena_printf(x->e.arena, "%" PRId64, offset)
                   : arena_printf(x->e.arena, offset < 0 ? "%s - %" PRId64 : "%s + %" PRId64, text,
                                  offset < 0 ? -offset : offset);
}

// ---- The type ----

void mapped_run_type(program_emitter *x, const mapped_part *p)
{
    text_line(x, 0, "/* A run of part %s with its windows%s. */", p->k->kernel->name,
              p->moved ? " and what moves them" : " of the queues");
    text_line(x, 0, "typedef struct {");
    text_line(x, 1, "%s run;", p->k->type);
    if (p->moved && p->direct)
        text_line(x, 1, "bool moves; /* its processor does not reach the queues */");
    if (p->streams) {
        if (p->phases || p->primes)
            text_line(x, 1,
                      "bool phase; /* of the initialisation, priming or the end of input: no strips come and go */");
        mapped_stream_type(x, p);
        text_line(x, 0, "} %s;\n", p->run_type);
        return;
    }
    for (VEC_EACH(const mapped_window, w, &p->windows)) {
        text_line(x, 1, "svm_Block %s;", w->name);
        if (p->moved) {
            text_line(x, 1, "svm_Block %s_there; /* the same in the queue */", w->name);
            text_line(x, 1, "svm_MoveB2B %s_%s;", w->name, w->input ? "load" : "store");
        }
        if (mapped_window_has_halo(w))
            text_line(x, 1, "svm_Block %s_history; /* where the round after finds the last items */", w->name);
        if (mapped_window_has_halo(w) && p->moved) {
            text_line(x, 1, "svm_Block %s_last;", w->name);
            text_line(x, 1, "svm_MoveB2B %s_keep;", w->name);
        }
    }
    text_line(x, 0, "} %s;\n", p->run_type);
}

// ---- Windows ----

void mapped_window_function(program_emitter *x, const mapped_part *p, const mapped_window *w)
{
    const mapped *all = mapped_facts(x);
    arena *a = x->e.arena;
    text_line(x, 0, "/* A run's window of %s: so many items from the round's item `first` on. */", w->queue->name);
    text_args params = {0};
    VEC_PUSH(a, &params, arena_printf(a, "%s *self", x->type));
    VEC_PUSH(a, &params, arena_printf(a, "%s *r", p->run_type));
    if (p->moved)
        VEC_PUSH(a, &params, "int q");
    if (p->moved)
        VEC_PUSH(a, &params, "int block");
    VEC_PUSH(a, &params, "int slot");
    VEC_PUSH(a, &params, "int64_t first");
    VEC_PUSH(a, &params, "size_t items");
    text_call(x, 0, arena_printf(a, "static void %s(", w->place), &params, ")");
    text_line(x, 0, "{");
    text_line(x, 1, "const size_t there = self->%s[slot].address + (size_t)(%" PRId64 " + first) * sizeof(%s);",
              w->queue->name, w->queue->queue->history, w->queue->type);
    if (p->direct && p->moved)
        text_line(x, 1, "if (%s[q].load == NULL) {", all->processors);
    if (p->direct)
        text_line(x, p->moved ? 2 : 1, "svm_blockInit(&r->%s, &%s, there, items, sizeof(%s));", w->name, x->pl->memory,
                  w->queue->type);
    if (p->direct && p->moved)
        text_line(x, 2, "return;\n    }");
    if (p->moved) {
        text_line(x, 1, "svm_blockInit(&r->%s_there, &%s, there, items, sizeof(%s));", w->name, x->pl->memory,
                  w->queue->type);
        text_line(x, 1,
                  "svm_blockInit(&r->%s, %s[q].memory, self->ownMemory[q] + %" PRIu64 " + (size_t)block * %" PRIu64
                  ", items, sizeof(%s));",
                  w->name, all->processors, w->address, w->bytes, w->queue->type);
        text_line(x, 1, "svm_blockName(&r->%s_there, \"%s\");", w->name, w->queue->name);
    }
    text_line(x, 1, "svm_blockName(&r->%s, \"%s\");", w->name, w->name);
    text_line(x, 0, "}\n");
}

// The call that places a window; first, items: texts.
void mapped_place(program_emitter *x, int indent, const mapped_part *p, const mapped_window *w, const char *processor,
                  const char *block, const char *slot, const char *first, const char *items)
{
    arena *a = x->e.arena;
    text_args args = {0};
    VEC_PUSH(a, &args, "self");
    VEC_PUSH(a, &args, "r");
    if (p->moved)
        VEC_PUSH(a, &args, processor);
    if (p->moved)
        VEC_PUSH(a, &args, block);
    VEC_PUSH(a, &args, slot);
    VEC_PUSH(a, &args, first);
    VEC_PUSH(a, &args, items);
    text_call(x, indent, arena_printf(a, "%s(", w->place), &args, ");");
}

// ---- Creation ----

static void emit_halo_blocks(program_emitter *x, const mapped *all, const mapped_part *p, const mapped_window *w)
{
    const mapped_queue *r = w->queue;
    arena *a = x->e.arena;
    int64_t strip = mapped_strip_items(x, r), before = mapped_round_items(x, r) - r->queue->halo;
    text_line(x, 1,
              "if (strip + strips > %" PRId64 ") { /* the next round finds the last %" PRId64
              " items in front of its own */",
              before / strip, r->queue->halo);
    text_line(x, 2,
              "const int64_t first = strip * %" PRId64 ", end = first + strips * %" PRId64 ", last = %" PRId64 ";",
              strip, strip, before);
    const char *from = "last > first ? last : first";
    if (p->moved && r->aligned > 1)
        from = arena_printf(a, "last > first ? first + (last - first) / %" PRId64 " * %" PRId64 " : first", r->aligned,
                            r->aligned);
    text_line(x, 2, "const int64_t from = %s;", from);
    text_line(x, 2,
              "svm_blockInit(&r->%s_history, &%s, self->%s[(slot + 1) %% %s].address + (size_t)(%" PRId64
              " + from - %" PRId64 ") * sizeof(%s), (size_t)(end - from), sizeof(%s));",
              w->name, x->pl->memory, r->name, all->slots, r->queue->history, mapped_round_items(x, r), r->type,
              r->type);
    text_line(x, 2, "svm_blockName(&r->%s_history, \"%s\");", w->name, r->name);
    if (p->moved) {
        const char *test = p->direct ? arena_printf(a, "if (%s[q].load != NULL) ", all->processors) : "";
        text_line(x, 2, "%s{", test);
        text_line(x, 3,
                  "svm_blockInit(&r->%s_last, %s[q].memory, r->%s.address + (size_t)(from - first) * sizeof(%s), "
                  "(size_t)(end - from), sizeof(%s));",
                  w->name, all->processors, w->name, r->type, r->type);
        text_line(x, 3, "svm_blockName(&r->%s_last, \"%s\");", w->name, w->name);
        text_line(x, 3, "svm_moveB2BInit(&r->%s_keep, %s[q].store, &r->%s_last, &r->%s_history);", w->name,
                  all->processors, w->name, w->name);
        text_line(x, 3, "svm_kernelAddDependence(&r->%s_keep.kernel, &r->run.kernel);", w->name);
        text_line(x, 2, "}");
    }
    text_line(x, 1, "}");
}

static void emit_moves(program_emitter *x, const mapped *all, const mapped_part *p)
{
    int indent = p->direct ? 2 : 1;
    if (p->direct)
        text_line(x, 1, "if (%s[q].load != NULL) {", all->processors);
    for (VEC_EACH(const mapped_window, w, &p->windows)) {
        if (w->input) {
            text_line(x, indent, "svm_moveB2BInit(&r->%s_load, %s[q].load, &r->%s_there, &r->%s);", w->name,
                      all->processors, w->name, w->name);
            text_line(x, indent, "svm_kernelAddDependence(&r->run.kernel, &r->%s_load.kernel);", w->name);
        } else {
            text_line(x, indent, "svm_moveB2BInit(&r->%s_store, %s[q].store, &r->%s, &r->%s_there);", w->name,
                      all->processors, w->name, w->name);
            text_line(x, indent, "svm_kernelAddDependence(&r->%s_store.kernel, &r->run.kernel);", w->name);
        }
    }
    if (p->direct)
        text_line(x, 1, "}");
}

// Numbers of the logs of a part's actors among all.
static void name_logs(program_emitter *x, const mapped_part *p)
{
    size_t number = 0, count = 0;
    for (VEC_EACH(uint32_t, actor, &x->printing)) {
        if (x->names[*actor].log == NULL)
            continue;
        if (x->kernel_of[*actor] == p->number)
            text_line(x, 1, "r->run.logs[%zu] = self->logs[%zu];", count++, number);
        number++;
    }
}

static int64_t at_least(int64_t items, int64_t least)
{
    return items < least ? least : items;
}

void mapped_point_windows(program_emitter *x, const mapped_part *p)
{
    for (VEC_EACH(const mapped_window, w, &p->windows)) {
        text_line(x, 1, "r->run.%s = &r->%s;", w->name, w->name);
        if (w->file)
            text_line(x, 1, "r->run.%s = &self->%s[q];", w->scratch_of, w->scratch);
        bool begins = w->own || (!p->streams && p->offsets);
        if (begins && w->input && mapped_history(w) != w->queue->queue->delay)
            text_line(x, 1, "r->run.%s_from = %" PRId64 ";", w->name, mapped_history(w) - w->queue->queue->delay);
    }
    name_logs(x, p);
}

static void emit_create_run(program_emitter *x, const mapped *all, const mapped_part *p)
{
    text_line(x, 0, "/* A run of part %s on processor q: so many strips of a round%s. */", p->k->kernel->name,
              p->moved ? "; block: of those of its windows" : "");
    text_line(x, 0, "static void %s(%s *self, %s *r, int q, int slot, int strip, int strips%s)", p->create, x->type,
              p->run_type, p->moved ? ", int block" : "");
    text_line(x, 0, "{");
    for (VEC_EACH(const mapped_window, w, &p->windows)) {
        int64_t strip = mapped_strip_items(x, w->queue), history = mapped_history(w);
        const char *items =
            mapped_times_plus(x, "(size_t)strips", strip, strip == 0 ? at_least(history, w->unit) : history);
        mapped_place(x, 1, p, w, "q", "block", "slot", mapped_times_plus(x, "(int64_t)strip", strip, -history), items);
    }
    text_line(x, 1, "svm_kernelInit(&r->run.kernel, %s[q].processor, %s, \"%s\");", all->processors, p->k->run,
              p->k->kernel->name);
    text_line(x, 1, "svm_kernelNeverBlocks(&r->run.kernel);");
    text_line(x, 1, "r->run.own = &self->own[q];");
    if (p->moved && p->direct)
        text_line(x, 1, "r->moves = %s[q].load != NULL;", all->processors);
    mapped_point_windows(x, p);
    if (p->moved)
        emit_moves(x, all, p);
    for (VEC_EACH(const mapped_window, w, &p->windows))
        if (mapped_window_has_halo(w))
            emit_halo_blocks(x, all, p, w);
    text_line(x, 0, "}\n");
}

static void emit_create_priming(program_emitter *x, const mapped_part *p)
{
    text_line(x, 0, "/* What primes part %s on processor q for the strips of a round from `strip` on. */",
              p->k->kernel->name);
    text_line(x, 0, "static void %s(%s *self, %s *r, int q, int slot, int strip%s)", p->create_priming, x->type,
              p->run_type, p->moved ? ", int block" : "");
    text_line(x, 0, "{");
    text_line(x, 1, "%s(self, r, q, slot, strip, 1%s);", p->create, p->moved ? ", block" : "");
    for (VEC_EACH(const mapped_window, w, &p->windows)) {
        if (!w->input)
            continue;
        int64_t prime = mapped_primed(w);
        mapped_place(x, 1, p, w, "q", "block", "slot",
                     mapped_times_plus(x, "(int64_t)strip", mapped_strip_items(x, w->queue), -prime),
                     arena_printf(x->e.arena, "%" PRId64, at_least(prime, w->unit)));
        if (p->offsets && (prime != w->queue->prime || mapped_history(w) != w->queue->queue->delay))
            text_line(x, 1, "r->run.%s_from = %" PRId64 ";", w->name, prime - w->queue->prime);
    }
    text_line(x, 1, "r->run.starting = r->run.priming = true;");
    if (p->loops)
        text_line(x, 1, "r->run.counted = true;");
    mapped_count_init(x, 1, p);
    text_line(x, 0, "}\n");
}

// Loops over chunks of a part and their runs; gives how deep the text is then.
int mapped_each_run(program_emitter *x, const mapped_part *p, const char *states, bool primings)
{
    const mapped *all = mapped_facts(x);
    text_line(x, 1, "for (int c = 0; c < %zu; c++) {", p->rows.len);
    text_line(x, 2, "const %s_Chunk *chunk = &%s[c];", x->name, p->chunks);
    if (primings)
        return 2;
    const char *strip = "chunk->first + k";
    text_line(x, 2, "for (int k = 0; k < chunk->strips%s; k%s) {",
              states == NULL ? "" : arena_printf(x->e.arena, " && (%s) * %s < %s", strip, all->strip, states),
              p->loops && p->direct ? " += chunk->each" : "++");
    text_line(x, 3, "%s *r = &self->%s[slot][chunk->run + k%s];", p->run_type, p->runs,
              p->loops && p->direct ? " / chunk->each" : "");
    return 3;
}

static void emit_create_runs(program_emitter *x, const mapped *all, const mapped_part *p)
{
    uint32_t depth = x->pl->parts->depth;
    const char *block = !p->moved    ? ""
                        : depth == 1 ? ", 0"
                                     : arena_printf(x->e.arena, ", turn[q]++ %% %" PRIu32, depth);
    const char *each = p->loops && p->direct ? "chunk->each" : "1";
    bool several = p->loops && p->direct;
    text_line(x, 0, "static void %s(%s *self)", p->create_all, x->type);
    text_line(x, 0, "{");
    if (p->moved && depth > 1)
        text_line(x, 1, "int turn[%zu] = {0}; /* of the blocks of a processor's windows */", all->used.len);
    text_line(x, 1, "for (int slot = 0; slot < %s; slot++)", all->slots);
    text_line(x, 1, "for (int c = 0; c < %zu; c++) {", p->rows.len);
    text_line(x, 2, "const %s_Chunk *chunk = &%s[c];", x->name, p->chunks);
    text_line(x, 2, "const int q = chunk->processor;");
    if (p->primes)
        text_line(x, 2, "%s(self, &self->%s[slot][c], q, slot, chunk->first%s);", p->create_priming, p->primings,
                  block);
    text_line(x, 2, "for (int k = 0; k < chunk->strips; k += %s)", each);
    if (several)
        text_line(x, 3,
                  "%s(self, &self->%s[slot][chunk->run + k / chunk->each], q, slot, chunk->first + k, "
                  "chunk->each < chunk->strips - k ? chunk->each : chunk->strips - k%s);",
                  p->create, p->runs, block);
    else
        text_line(x, 3, "%s(self, &self->%s[slot][chunk->run + k], q, slot, chunk->first + k, 1%s);", p->create,
                  p->runs, block);
    text_line(x, 1, "}");
    if (p->phases)
        text_line(x, 1, "%s(self, &self->%s, %" PRIu32 ", 0, 0, 1%s);", p->create, p->home, p->home_processor,
                  p->moved ? ", 0" : "");
    text_line(x, 0, "}\n");
}

// ---- Order on a processor ----

static void emit_finders(program_emitter *x, const mapped *all, const mapped_part *p)
{
    bool several = p->loops && p->direct;
    text_line(x, 0, "/* Runs of a chunk%s, and the k-th of them. */",
              p->primes ? ", the one that primes among them" : "");
    text_line(x, 0, "static int %s(int chunk)", p->length);
    text_line(x, 0, "{");
    text_line(x, 1, "return %s%s;", p->primes ? "1 + " : "",
              several ? arena_printf(x->e.arena, "(%s[chunk].strips + %s[chunk].each - 1) / %s[chunk].each", p->chunks,
                                     p->chunks, p->chunks)
                      : arena_printf(x->e.arena, "%s[chunk].strips", p->chunks));
    text_line(x, 0, "}\n");
    text_line(x, 0, "static %s *%s(%s *self, int slot, int chunk, int k)", p->run_type, p->at, x->type);
    text_line(x, 0, "{");
    if (p->primes)
        text_line(x, 1, "return k == 0 ? &self->%s[slot][chunk] : &self->%s[slot][%s[chunk].run + k - 1];", p->primings,
                  p->runs, p->chunks);
    else
        text_line(x, 1, "return &self->%s[slot][%s[chunk].run + k];", p->runs, p->chunks);
    text_line(x, 0, "}\n");
    text_line(x, 0, "/* The run that is `back` runs before it on its processor, round after round. */");
    text_line(x, 0, "static %s *%s(%s *self, int slot, int chunk, int k, int back)", p->run_type, p->before, x->type);
    text_line(x, 0, "{");
    text_line(x, 1, "for (k -= back; k < 0; k += %s(chunk)) {", p->length);
    text_line(x, 2, "const int before = %s[chunk].before;", p->chunks);
    text_line(x, 2, "slot = before < chunk ? slot : (slot + %s - 1) %% %s;", all->slots, all->slots);
    text_line(x, 2, "chunk = before;");
    text_line(x, 1, "}");
    text_line(x, 1, "return %s(self, slot, chunk, k);", p->at);
    text_line(x, 0, "}\n");
}

static void emit_order(program_emitter *x, const mapped *all, const mapped_part *p)
{
    uint32_t depth = x->pl->parts->depth;
    bool outputs = false, inputs = false;
    for (VEC_EACH(const mapped_window, w, &p->windows)) {
        outputs |= !w->input && w->queue->step != 0;
        inputs |= w->input;
    }
    text_line(x, 0, "/* Runs of part %s on a processor follow each other%s. */", p->k->kernel->name,
              !p->moved    ? ""
              : depth == 1 ? ", and each moves its windows when the one before is done with them"
                           : ", and use their windows' blocks in turn");
    text_line(x, 0, "static void %s(%s *self)", p->order, x->type);
    text_line(x, 0, "{");
    text_line(x, 1, "for (int slot = 0; slot < %s; slot++)", all->slots);
    text_line(x, 1, "for (int c = 0; c < %zu; c++)", p->rows.len);
    text_line(x, 1, "for (int k = 0; k < %s(c); k++) {", p->length);
    text_line(x, 2, "%s *r = %s(self, slot, c, k), *last = %s(self, slot, c, k, 1);", p->run_type, p->at, p->before);
    text_line(x, 2, "if (last != r)");
    text_line(x, 3, "svm_kernelAddDependence(&r->run.kernel, &last->run.kernel);");
    if (p->moved) {
        if (p->direct)
            text_line(x, 2, "if (%s[%s[c].processor].load == NULL)\n            continue;", all->processors, p->chunks);
        text_line(x, 2, "%s *user = %s(self, slot, c, k, %" PRIu32 "); /* of the same blocks */", p->run_type,
                  p->before, depth);
        for (VEC_EACH(const mapped_window, w, &p->windows))
            if (w->input)
                text_line(x, 2, "svm_kernelAddDependence(&r->%s_load.kernel, &user->run.kernel);", w->name);
        if (outputs && p->primes) {
            text_line(x, 2, "if (r->run.priming)\n            continue; /* it gives nothing */");
            text_line(x, 2, "for (int back = %" PRIu32 "; user->run.priming; back += %" PRIu32 ")", 2 * depth, depth);
            text_line(x, 3, "user = %s(self, slot, c, k, back);", p->before);
        }
        for (VEC_EACH(const mapped_window, w, &p->windows)) {
            if (!w->input && w->queue->step != 0)
                text_line(x, 2, "svm_kernelAddDependence(&r->run.kernel, &user->%s_store.kernel);", w->name);
            if (mapped_window_has_halo(w)) {
                text_line(x, 2, "if (user->%s_last.capacity != 0)", w->name);
                text_line(x, 3, "svm_kernelAddDependence(&r->run.kernel, &user->%s_keep.kernel);", w->name);
            }
        }
        if (!inputs && !outputs)
            text_line(x, 2, "(void)user;");
    }
    text_line(x, 1, "}");
    text_line(x, 0, "}\n");
}

void mapped_runs(program_emitter *x, const mapped_part *p)
{
    if (p->streams) {
        mapped_stream_runs(x, p);
        return;
    }
    const mapped *all = mapped_facts(x);
    for (VEC_EACH(const mapped_window, w, &p->windows))
        mapped_window_function(x, p, w);
    emit_create_run(x, all, p);
    if (p->primes)
        emit_create_priming(x, p);
    emit_create_runs(x, all, p);
    emit_finders(x, all, p);
    emit_order(x, all, p);
}

// ---- Between parts ----

// Who makes a strip's items.
static void emit_run_of(program_emitter *x, const mapped_part *p)
{
    bool several = p->loops && p->direct;
    text_line(x, 0, "/* The run of part %s that has a strip. */", p->k->kernel->name);
    text_line(x, 0, "static %s *%s(%s *self, int slot, int strip)", p->run_type, p->strip_run, x->type);
    text_line(x, 0, "{");
    if (!several) {
        text_line(x, 1, "return &self->%s[slot][strip];", p->runs);
    } else {
        text_line(x, 1, "int c = 0;");
        text_line(x, 1, "while (strip >= %s[c].first + %s[c].strips)", p->chunks, p->chunks);
        text_line(x, 2, "c++;");
        text_line(x, 1, "return &self->%s[slot][%s[c].run + (strip - %s[c].first) / %s[c].each];", p->runs, p->chunks,
                  p->chunks, p->chunks);
    }
    text_line(x, 0, "}\n");
}

static const mapped_window *end_of(const mapped *all, const mapped_queue *r, bool input)
{
    const mapped_part *p = &all->parts[input ? r->stream->to : r->stream->from];
    for (VEC_EACH(const mapped_window, w, &p->windows))
        if (w->queue == r && w->input == input)
            return w;
    return NULL;
}

// What of a run touches a queue: what moves its window, or itself.
static const char *toucher(program_emitter *x, const mapped_part *p, const char *run, const char *move)
{
    if (!p->moved)
        return arena_printf(x->e.arena, "&%s->run.kernel", run);
    const char *moves = arena_printf(x->e.arena, "&%s->%s.kernel", run, move);
    if (!p->direct)
        return moves;
    return arena_printf(x->e.arena, "(%s->moves ? %s : &%s->run.kernel)", run, moves, run);
}

static void emit_link(program_emitter *x, const mapped *all, const mapped_queue *r)
{
    arena *a = x->e.arena;
    const mapped_part *from = &all->parts[r->stream->from], *to = &all->parts[r->stream->to];
    const mapped_window *in = end_of(all, r, true), *out = end_of(all, r, false);
    int64_t strip = mapped_strip_items(x, r), halo = mapped_first_halo(x, r);
    const char *reads = toucher(x, to, "r", arena_printf(a, "%s_load", in->name));
    const char *writes = toucher(x, from, "made", arena_printf(a, "%s_store", out->name));
    const char *keeps = toucher(x, from, "made", arena_printf(a, "%s_keep", out->name));
    text_line(x, 0, "/* Queue %s: what a run of %s reads a run of %s has made%s. */", r->name, to->k->kernel->name,
              from->k->kernel->name, mapped_window_has_halo(out) ? ", or one of the round before" : "");
    text_line(x, 0, "static void %s_link_%s(%s *self)", x->name, r->name, x->type);
    text_line(x, 0, "{");
    text_line(x, 1, "for (int slot = 0; slot < %s; slot++)", all->slots);
    text_line(x, 1, "for (int c = 0; c < %zu; c++)", to->rows.len);
    text_line(x, 1, "for (int k = 0; k < %s(c); k++) {", to->length);
    text_line(x, 2, "%s *r = %s(self, slot, c, k);", to->run_type, to->at);
    text_line(x, 2, "%s *last = NULL;", from->run_type);
    text_line(x, 2,
              "const int64_t begin = (int64_t)((r->%s%s.address - self->%s[slot].address) / sizeof(%s)) - %" PRId64 ";",
              in->name, to->moved ? "_there" : "", r->name, r->type, r->queue->history);
    text_line(x, 2, "const int64_t end = begin + (int64_t)r->%s.capacity;", in->name);
    text_line(x, 2, "for (int i = begin < 0 ? 0 : (int)(begin / %" PRId64 "); i < %s && i * %" PRId64 " < end; i++) {",
              strip, all->strips, strip);
    text_line(x, 3, "%s *made = %s(self, slot, i);", from->run_type, from->strip_run);
    text_line(x, 3, "if (made != last)");
    text_line(x, 4, "svm_kernelAddDependence(%s, %s);", reads, writes);
    text_line(x, 3, "last = made;");
    text_line(x, 2, "}");
    if (mapped_window_has_halo(out)) {
        text_line(x, 2, "for (int i = %" PRId64 "; i < %s && begin < 0; i++) {", halo, all->strips);
        text_line(x, 3, "%s *made = %s(self, (slot + %s - 1) %% %s, i);", from->run_type, from->strip_run, all->slots,
                  all->slots);
        text_line(x, 3, "if (made == last || (i + 1) * %" PRId64 " - %" PRId64 " <= begin)", strip,
                  mapped_round_items(x, r));
        text_line(x, 4, "continue;");
        text_line(x, 3, "svm_kernelAddDependence(%s, %s);", reads, keeps);
        text_line(x, 3, "svm_kernelAddDependence(%s, %s); /* it overwrites what the round before this one's read */",
                  keeps, reads);
        text_line(x, 3, "last = made;");
        text_line(x, 2, "}");
    }
    text_line(x, 1, "}");
    text_line(x, 0, "}\n");
}

void mapped_links(program_emitter *x)
{
    const mapped *all = mapped_facts(x);
    const plan_parts *parts = x->pl->parts;
    bool *done = ARENA_ARRAY(x->e.arena, bool, parts->parts.len + 1);
    for (VEC_EACH(const plan_queue, queue, &parts->queues)) {
        const mapped_queue *r = &all->queues[queue->stream];
        if (!mapped_is_linked(r))
            continue;
        if (parts->streams) {
            mapped_stream_link(x, r);
            continue;
        }
        if (!done[r->stream->from])
            emit_run_of(x, &all->parts[r->stream->from]);
        done[r->stream->from] = true;
        emit_link(x, all, r);
    }
}

bool mapped_is_linked(const mapped_queue *r)
{
    return r->stream->from != SIR_NONE && r->stream->to != SIR_NONE && r->step != 0 && !r->straight;
}
