// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs on several processors whose windows are moved whole (not NOTE(streams)): tables of queues, of the kernels' ends of
// queues, of kernels and chunks. The functions that go through them are in svm/mapped_control.h, which is told what a program has.
#include <inttypes.h>
#include <string.h>

#include "hlc/emit/mapped_int.h"

// ---- What a program needs of the text ----

// Items that are moved, at least: what engines move, and no whole lines, whose others may belong to another processor.
static int64_t least_items(const mapped_window *w)
{
    return w->unit < w->queue->unit ? w->unit : w->queue->unit;
}

static bool is_small(const mapped_kernel *p, const mapped_window *w)
{
    return (w->queue->step == 0 && mapped_history(w) < least_items(w)) ||
           (w->input && p->primes && mapped_primed(w) < least_items(w));
}

static unsigned facts_of_window(const mapped_kernel *p, const mapped_window *w)
{
    unsigned facts = mapped_window_has_halo(w) ? FACT_HALOS : 0;
    facts |= !w->file ? 0 : w->input ? FACT_FILES | FACT_READS : FACT_FILES | FACT_WRITES;
    facts |= mapped_is_linked(w->queue) ? FACT_LINKS : 0;
    facts |= w->queue->base != NULL ? FACT_PUTS : 0;
    facts |= w->queue->queue->straight ? FACT_STRAIGHT : 0;
    facts |= is_small(p, w) ? FACT_SMALL : 0;
    facts |= !w->input && w->queue->step == 0 ? FACT_STILL : 0;
    return facts;
}

static unsigned facts_of_kernel(const mapped_kernel *p)
{
    unsigned facts = (p->primes ? FACT_PRIMES : 0) | (p->loops ? FACT_LOOPS : 0) | (p->offsets ? FACT_OFFSETS : 0);
    facts |= p->loops && p->direct ? FACT_SEVERAL : 0;
    facts |= p->primes && p->planned->repeat != 0 ? FACT_REPEATS : 0;
    facts |= p->phases ? FACT_PHASES : 0;
    facts |= p->even ? FACT_PUTS : 0;
    bool stores = false;
    for (VEC_EACH(const mapped_window, w, &p->windows)) {
        facts |= facts_of_window(p, w);
        stores |= !w->input && w->queue->step != 0;
    }
    return facts | (stores ? 0 : FACT_SINKS);
}

static bool is_file(const mapped_queue *r, bool input)
{
    return input ? r->stream->from == SIR_NONE : r->stream->to == SIR_NONE;
}

// Queues that files fill, or that go to files.
static size_t files_of(const program_emitter *x, const mapped *all, bool input)
{
    size_t count = 0;
    for (VEC_EACH(const plan_queue, queue, &x->p->cut->queues))
        count += is_file(&all->queues[queue->stream], input);
    return count;
}

unsigned mapped_block_facts(const program_emitter *x, const mapped *all)
{
    unsigned facts = (all->moved ? FACT_MOVED : 0) | (all->direct ? FACT_DIRECT : 0);
    facts |= program_counts_firings(x) ? FACT_COUNTS : 0;
    facts |= x->fails ? FACT_FAILS | FACT_PHASES : 0;
    facts |= (files_of(x, all, true) != 0 ? FACT_INPUT : 0) | (files_of(x, all, false) != 0 ? FACT_OUTPUT : 0);
    facts |= x->p->cut->graph->whole->init_text_len != 0 ? FACT_START : 0;
    for (size_t i = 0; i < x->p->cut->kernels.len; i++)
        facts |= facts_of_kernel(&all->kernels[i]);
    return facts;
}

// ---- Before the kernels ----

static size_t most_of(const program_emitter *x, const mapped *all, bool windows)
{
    size_t most = 1;
    for (size_t i = 0; i < x->p->cut->kernels.len; i++) {
        size_t count = windows ? all->kernels[i].windows.len : all->kernels[i].k->actors.len;
        most = count > most ? count : most;
    }
    return most;
}

static size_t runs_of_round(const program_emitter *x, const mapped *all)
{
    size_t runs = 0;
    for (size_t i = 0; i < x->p->cut->kernels.len; i++)
        runs += all->kernels[i].run_count;
    return runs;
}

// Actors that print: of a kernel, at most, or of all.
static size_t count_logs(program_emitter *x, bool most)
{
    size_t count = 0;
    for (uint32_t i = 0; i < x->p->cut->kernels.len; i++) {
        size_t logs = mapped_log_count(x, i);
        count = !most ? count + logs : logs > count ? logs : count;
    }
    return count;
}

// A piece of a strip that is shared, at least; and where processors work in queues, how many times as long as starting a
// kernel and as priming it is.
enum { SHARE_PARTS = 8, SHARE_STARTS = 100, SHARE_PRIMINGS = 4 };

// Steady states of a piece, as which rounds that are not whole are shared: a part of a strip in whole units, or strips.
static int64_t piece(const program_emitter *x, int64_t unit)
{
    const plan_cut *cut = x->p->cut;
    if (!plan_cut_move(cut)) {
        double starts = SHARE_STARTS * plan_start_seconds(cut->resources->processors.data[0].processor),
               seconds = plan_cut_seconds(cut) * (double)x->pl->strip + 1e-12;
        int64_t strips = (int64_t)(starts / seconds) + 1, primes = SHARE_PRIMINGS * cut->priming / x->pl->strip + 1;
        strips = strips < primes ? primes : strips;
        return (strips < cut->strips ? strips : cut->strips) * x->pl->strip;
    }
    for (int64_t parts = SHARE_PARTS; parts > 1; parts /= 2)
        if (x->pl->strip % (parts * unit) == 0)
            return x->pl->strip / parts;
    return x->pl->strip;
}

static void emit_facts(program_emitter *x, const mapped *all)
{
    static const struct {
        unsigned fact;
        const char *name;
    } names[] = {
        {FACT_MOVED, "MOVED"},     {FACT_DIRECT, "DIRECT"},     {FACT_PRIMES, "PRIMES"}, {FACT_REPEATS, "REPEATS"},
        {FACT_LOOPS, "LOOPS"},     {FACT_HALOS, "HALOS"},       {FACT_LINKS, "LINKS"},   {FACT_FILES, "FILES"},
        {FACT_READS, "READS"},     {FACT_WRITES, "WRITES"},     {FACT_PHASES, "PHASES"}, {FACT_COUNTS, "COUNTS"},
        {FACT_PUTS, "PUTS"},       {FACT_START, "START"},       {FACT_INPUT, "INPUT"},   {FACT_OUTPUT, "OUTPUT"},
        {FACT_SEVERAL, "SEVERAL"}, {FACT_LOGS, "LOGS"},         {FACT_SMALL, "SMALL"},   {FACT_STILL, "STILL"},
        {FACT_SINKS, "SINKS"},     {FACT_STRAIGHT, "STRAIGHT"}, {FACT_BOUND, "BOUND"},   {FACT_FAILS, "FAILS"},
    };
    unsigned facts = all->facts | (count_logs(x, true) != 0 ? FACT_LOGS : 0);
    facts |= x->p->config->max_latency != 0 ? FACT_BOUND : 0;
    text_args have = {0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if ((facts & names[i].fact) != 0)
            VEC_PUSH(x->e.arena, &have,
                     arena_printf(x->e.arena, "%sSVM_MAPPED_%s", have.len == 0 ? "" : "| ", names[i].name));
    strbuf text;
    strbuf_init(&text, x->e.arena);
    size_t start = 0;
    strbuf_add(&text, "#define SVM_MAPPED (");
    for (size_t i = 0; i < have.len; i++) {
        if (text.len - start + strlen(have.data[i]) > TEXT_COLUMNS - 2) {
            strbuf_add(&text, "\\\n   ");
            start = text.len;
        }
        strbuf_printf(&text, "%s%s", have.data[i], i + 1 == have.len ? ")" : " ");
    }
    text_line(x, 0,
              "/* What the program has. svm/mapped_tables.h says what each column of the tables, and each member of "
              "self, is. */");
    text_line(x, 0, "%s", text.data);
}

void mapped_block_constants(program_emitter *x, const mapped *all)
{
    const plan_cut *cut = x->p->cut;
    size_t ends = 0, chunks = 0, logs = count_logs(x, true);
    int64_t unit = plan_cut_granule_of(cut);
    for (size_t i = 0; i < cut->kernels.len; i++) {
        ends += all->kernels[i].windows.len;
        chunks += all->kernels[i].rows.len;
    }
    text_line(x, 1, "SVM_BLOCKS = %" PRIu32 ", /* of a window; runs use them in turn */", all->moved ? cut->depth : 1);
    text_line(x, 1, "SVM_PROCESSORS = %zu, SVM_QUEUES = %zu, SVM_KERNELS = %zu, /* how many there are */",
              all->used.len, cut->queues.len, cut->kernels.len);
    text_line(x, 1, "SVM_CHUNKS = %zu, SVM_RUNS = %zu, /* of a round; runs without those that prime */", chunks,
              runs_of_round(x, all));
    if ((all->facts & FACT_PUTS) != 0)
        text_line(x, 1,
                  "SVM_PIECE = %" PRId64 ", SVM_UNIT = %" PRId64
                  ", /* steady states that are shared, and moved, at least */",
                  piece(x, unit), unit);
    else
        text_line(x, 1,
                  "SVM_PIECE = SVM_STRIP, SVM_UNIT = 1, /* steady states that are shared, and moved, at least */");
    text_line(x, 1, "SVM_ENDS = %zu, SVM_WINDOWS = %zu, SVM_FIRINGS = %zu, /* ends of queues; of a kernel, at most */",
              ends, most_of(x, all, true), most_of(x, all, false));
    if (logs != 0)
        text_line(x, 1, "SVM_LOGS = %zu, SVM_KERNEL_LOGS = %zu, /* actors that print; of a kernel, at most */",
                  count_logs(x, false), logs);
    text_line(x, 1,
              "SVM_READERS = %" PRIu32 ", SVM_WRITERS = %" PRIu32
              ", SVM_INPUTS = %zu, SVM_OUTPUTS = %zu, /* files; queues at them */",
              all->readers, all->writers, files_of(x, all, true), files_of(x, all, false));
}

// What the program has of its header; before the kernels.
void mapped_block_types(program_emitter *x, const mapped *all)
{
    emit_facts(x, all);
    text_line(x, 0, "#include <svm/mapped_tables.h>\n");
}

// ---- Tables ----

static uint32_t queue_number(const program_emitter *x, const mapped_queue *r)
{
    return (uint32_t)(r->queue - x->p->cut->queues.data);
}

// A column of a row, left out where it is 0.
void mapped_column(program_emitter *x, text_args *row, const char *name, int64_t value)
{
    if (value != 0)
        VEC_PUSH(x->e.arena, row, arena_printf(x->e.arena, ".%s = %" PRId64, name, value));
}

static void add_span(program_emitter *x, text_args *row, const mapped_window *w, bool starting)
{
    mapped_span s = mapped_span_of(w, starting);
    VEC_PUSH(x->e.arena, row,
             arena_printf(x->e.arena, ".%s = {%" PRId64 ", %" PRId64 ", %" PRId64 "}", starting ? "start" : "end",
                          s.first, s.items, s.from));
}

// Which of a kernel's windows is its end of a queue.
static int64_t number_of_end(const mapped *all, uint32_t kernel, const mapped_queue *r, bool input)
{
    const mapped_kernel *p = &all->kernels[kernel];
    for (VEC_EACH(const mapped_window, w, &p->windows))
        if (w->queue == r && w->input == input)
            return w - p->windows.data;
    return -1;
}

// Where a window goes that goes straight, and what moves it.
static void add_straight(program_emitter *x, const mapped *all, const mapped_window *w, text_args *row)
{
    const mapped_queue *r = w->queue;
    VEC_PUSH(x->e.arena, row, ".straight = true");
    if (w->input)
        return;
    mapped_column(x, row, "reader", r->stream->to);
    mapped_column(x, row, "readerEnd", number_of_end(all, r->stream->to, r, true));
    VEC_PUSH(x->e.arena, row,
             arena_printf(x->e.arena, ".mover = &%s", plan_straight_engine(x->p->cut, r->queue)->element.name));
}

static void end_row(program_emitter *x, const mapped *all, const mapped_kernel *p, const mapped_window *w)
{
    arena *a = x->e.arena;
    const mapped_queue *r = w->queue;
    unsigned facts = all->facts;
    bool primes = w->input && p->primes, linked = w->input && mapped_is_linked(r);
    text_args row = {0};
    VEC_PUSH(a, &row, arena_printf(a, ".queue = %" PRIu32, queue_number(x, r)));
    if (w->input)
        VEC_PUSH(a, &row, ".input = true");
    mapped_column(x, &row, "strip", mapped_strip_items(x, r));
    mapped_column(x, &row, "before", mapped_history(w));
    mapped_column(x, &row, "from", w->input && (facts & FACT_OFFSETS) != 0 ? mapped_history(w) - r->queue->delay : 0);
    mapped_column(x, &row, "prime", primes ? mapped_primed(w) : 0);
    mapped_column(x, &row, "primeFrom", primes ? mapped_primed(w) - r->prime : 0);
    mapped_column(x, &row, "least", (facts & FACT_SMALL) != 0 ? least_items(w) : 0);
    mapped_column(x, &row, "address", p->moved ? (int64_t)w->address : 0);
    mapped_column(x, &row, "bytes", p->moved ? (int64_t)w->bytes : 0);
    if (mapped_window_has_halo(w)) {
        mapped_column(x, &row, "halo", r->queue->halo);
        mapped_column(x, &row, "aligned", p->moved && r->aligned > 1 ? r->aligned : 1);
    }
    if (linked) {
        mapped_column(x, &row, "writer", r->stream->from);
        mapped_column(x, &row, "writerEnd", number_of_end(all, r->stream->from, r, false));
    } else if ((facts & FACT_LINKS) != 0) {
        mapped_column(x, &row, "writer", -1);
    }
    if (r->queue->straight)
        add_straight(x, all, w, &row);
    if ((facts & FACT_FILES) != 0)
        mapped_column(x, &row, "file", w->file ? (int64_t)r->file : -1);
    mapped_column(x, &row, "scratch", w->file ? mapped_scratch_items(p, w) : 0);
    if ((facts & FACT_PHASES) != 0)
        add_span(x, &row, w, true);
    if ((facts & FACT_PHASES) != 0 && (facts & FACT_COUNTS) != 0)
        add_span(x, &row, w, false);
    text_call(x, 1, "{", &row,
              arena_printf(a, "}, /* %s %s */", text_comment(x, p->k->kernel->name), w->input ? "reads" : "writes"));
}

static void emit_ends(program_emitter *x, const mapped *all)
{
    text_line(x, 0, "/* The kernels' ends of queues, in numbers of items: what a run's window of each is. */");
    size_t table = text_begin_table(x, "static const svm_RoundEnd svm_roundEnds[SVM_ENDS]");
    for (size_t i = 0; i < x->p->cut->kernels.len; i++)
        for (VEC_EACH(const mapped_window, w, &all->kernels[i].windows))
            end_row(x, all, &all->kernels[i], w);
    text_end_table(x, table);
}

// What a kernel that does not prime keeps from round to round, if a firing may fail: items of channels, and state. Gives how
// many rows; rows NULL: they are only counted.
static int64_t add_kept(program_emitter *x, const mapped_kernel *p, text_args *rows)
{
    arena *a = x->e.arena;
    int64_t count = 0;
    for (VEC_EACH(const uint32_t, buffer, &p->k->buffers)) {
        const plan_buffer *b = &x->p->plan->buffers.data[*buffer];
        if (mapped_window_of(p, *buffer) != NULL || b->keep == 0)
            continue;
        count++;
        if (rows != NULL)
            VEC_PUSH(a, rows,
                     arena_printf(a, "{%" PRIu64 ", %" PRId64 " * sizeof(%s)},", b->address, b->keep,
                                  emit_declare_item(&x->e, x->p->module->channels.data[b->channel].type, "")));
    }
    if (!p->state)
        return count;
    if (rows != NULL)
        VEC_PUSH(
            a, rows,
            arena_printf(a, "{%s, sizeof(%s)},", mapped_state_place(x, p->number, p->home_processor), p->own_type));
    return count + 1;
}

static int64_t kept_rows(program_emitter *x, const mapped_kernel *p)
{
    return !x->fails || p->primes ? 0 : add_kept(x, p, NULL);
}

static void emit_kept(program_emitter *x, const mapped *all)
{
    text_args rows = {0};
    for (size_t i = 0; i < x->p->cut->kernels.len; i++)
        if (kept_rows(x, &all->kernels[i]) != 0)
            (void)add_kept(x, &all->kernels[i], &rows);
    if (rows.len == 0)
        VEC_PUSH(x->e.arena, &rows, "{0, 0},");
    program_table(x, "What kernels keep from round to round, in what their processors have for themselves.",
                  "svm_RoundKept svm_roundKept", &rows);
}

static void emit_kernels(program_emitter *x, const mapped *all)
{
    arena *a = x->e.arena;
    text_line(x, 0, "/* The kernels, in order: their functions, and where their rows begin. */");
    size_t table = text_begin_table(x, "static const svm_RoundKernelRow svm_roundKernels[SVM_KERNELS]");
    int64_t end = 0, chunk = 0, run = 0, actor = 0, log = 0, kept = 0;
    const uint32_t *together = plan_cut_together(a, x->p->cut);
    for (size_t i = 0; i < x->p->cut->kernels.len; i++) {
        const mapped_kernel *p = &all->kernels[i];
        const int64_t logs = (int64_t)mapped_log_count(x, (uint32_t)i), keeps = kept_rows(x, p);
        text_args row = {0};
        VEC_PUSH(a, &row, arena_printf(a, ".run = %s", p->k->run));
        VEC_PUSH(a, &row, arena_printf(a, ".name = \"%s\"", p->k->kernel->name));
        mapped_column(x, &row, "ends", end);
        mapped_column(x, &row, "count", (int64_t)p->windows.len);
        mapped_column(x, &row, "chunk", chunk);
        mapped_column(x, &row, "firstRun", run);
        mapped_column(x, &row, "home", p->home_processor);
        mapped_column(x, &row, "primes", p->primes);
        mapped_column(x, &row, "together", together[i] > 1 ? together[i] : 0);
        if (p->phases)
            VEC_PUSH(a, &row, ".serves = true");
        if (p->even)
            VEC_PUSH(a, &row, ".even = true");
        mapped_column(x, &row, "repeat", p->planned->repeat);
        if ((all->facts & FACT_COUNTS) != 0) {
            mapped_column(x, &row, "actors", actor);
            mapped_column(x, &row, "firings", (int64_t)p->k->actors.len);
        }
        mapped_column(x, &row, "logs", logs == 0 ? 0 : log);
        mapped_column(x, &row, "logCount", logs);
        mapped_column(x, &row, "kept", keeps == 0 ? 0 : kept);
        mapped_column(x, &row, "keptCount", keeps);
        kept += keeps;
        text_call(x, 1, "{", &row, "},");
        end += (int64_t)p->windows.len;
        chunk += (int64_t)p->rows.len;
        run += p->run_count;
        actor += (int64_t)p->k->actors.len;
        log += logs;
    }
    text_end_table(x, table);
}

static void emit_chunks(program_emitter *x, const mapped *all)
{
    text_line(x, 0,
              "/* Chunks, strips of a round that follow each other on a processor: kernel, processor, first strip, "
              "strips, first run,");
    text_line(x, 0, "   strips of a run, runs, and the kernel's chunk before on the processor. */");
    size_t table = text_begin_table(x, "static const svm_RoundChunk svm_roundChunks[SVM_CHUNKS]");
    text_args rows = {0};
    uint32_t first = 0, run = 0;
    for (size_t i = 0; i < x->p->cut->kernels.len; i++) {
        const mapped_kernel *p = &all->kernels[i];
        for (VEC_EACH(const mapped_chunk, c, &p->rows)) {
            uint32_t runs = (c->strips + c->each - 1) / c->each + p->primes;
            VEC_PUSH(x->e.arena, &rows,
                     arena_printf(x->e.arena,
                                  "{%zu, %" PRIu32 ", %" PRIu32 ", %" PRIu32 ", %" PRIu32 ", %" PRIu32 ", %" PRIu32
                                  ", %" PRIu32 "},",
                                  i, c->processor, c->first, c->strips, run, c->each, runs, first + c->before));
            run += runs - p->primes;
        }
        first += (uint32_t)p->rows.len;
    }
    text_rows(x, 1, &rows);
    text_end_table(x, table);
}

static void emit_actors(program_emitter *x, const mapped *all)
{
    const plan_net *graph = x->p->cut->graph;
    size_t count = 0;
    for (size_t i = 0; i < x->p->cut->kernels.len; i++)
        count += all->kernels[i].k->actors.len;
    int64_t *values = ARENA_ARRAY(x->e.arena, int64_t, count + 1);
    count = 0;
    for (size_t i = 0; i < x->p->cut->kernels.len; i++)
        for (VEC_EACH(const uint32_t, actor, &all->kernels[i].k->actors))
            values[count++] = graph->actor_of[*actor];
    program_count_table(x, "The actors of the kernels among those of the program.", "svm_roundActors", "int32_t",
                        values, count);
}

static void emit_logs(program_emitter *x)
{
    text_args rows = {0};
    for (uint32_t i = 0; i < x->p->cut->kernels.len; i++) {
        size_t number = 0;
        for (VEC_EACH(uint32_t, actor, &x->printing)) {
            if (x->names[*actor].log == NULL)
                continue;
            if (x->kernel_of[*actor] == i)
                VEC_PUSH(x->e.arena, &rows, arena_printf(x->e.arena, "%zu,", number));
            number++;
        }
    }
    program_table(x, "The logs of the kernels' actors.", "int svm_roundLogs", &rows);
}

// Numbers of items that all places and counts of items that a kernel reads in a file are multiples of.
static int64_t claim_units(const program_emitter *x, const mapped_queue *r)
{
    return mapped_strip_items(x, r) | r->queue->delay | r->prime | r->queue->halo | r->init;
}

static void file_row(program_emitter *x, const mapped_queue *r, bool input)
{
    const plan_net *graph = x->p->cut->graph;
    uint32_t taker = graph->whole->channels.data[r->stream->channel].consumer;
    int64_t before = r->prime > r->queue->delay ? r->prime : r->queue->delay;
    bool maps = r->base != NULL, claims = r->claimed != NULL && !maps;
    text_args row = {0};
    VEC_PUSH(x->e.arena, &row, arena_printf(x->e.arena, ".queue = %" PRIu32, queue_number(x, r)));
    mapped_column(x, &row, "file", r->file);
    mapped_column(x, &row, "init", r->init);
    if (!input && program_counts_firings(x))
        mapped_column(x, &row, "actor", taker);
    else if (!input)
        mapped_column(x, &row, "given", graph->whole_schedule->init[taker]);
    if (maps || claims) {
        if (input)
            mapped_column(x, &row, "before", maps ? mapped_round_up(before, r->line) : before);
        mapped_column(x, &row, "units",
                      maps     ? r->unit * (int64_t)r->size
                      : !input ? mapped_strip_items(x, r)
                               : claim_units(x, r));
        VEC_PUSH(x->e.arena, &row, maps ? ".maps = true" : ".claims = true");
    }
    text_call(x, 1, "{", &row, "},");
}

static void emit_files(program_emitter *x, const mapped *all, bool input)
{
    if (files_of(x, all, input) == 0)
        return;
    text_line(x, 0, "/* The queues that %s, by number, and when a round may stay in its file. */",
              input ? "files fill" : "go to files");
    size_t table = text_begin_table(x, "static const svm_RoundFile %s]",
                                    input ? "svm_roundInputs[SVM_INPUTS" : "svm_roundOutputs[SVM_OUTPUTS");
    for (VEC_EACH(const plan_queue, queue, &x->p->cut->queues))
        if (is_file(&all->queues[queue->stream], input))
            file_row(x, &all->queues[queue->stream], input);
    text_end_table(x, table);
}

void mapped_block_tables(program_emitter *x, const mapped *all)
{
    mapped_processor_table(x, all);
    mapped_queue_table(x, all);
    emit_files(x, all, true);
    emit_files(x, all, false);
    emit_ends(x, all);
    if ((all->facts & FACT_COUNTS) != 0 && (all->facts & FACT_PHASES) != 0)
        emit_actors(x, all);
    if (x->logs != 0)
        emit_logs(x);
    if (x->fails)
        emit_kept(x, all);
    emit_kernels(x, all);
    emit_chunks(x, all);
}

// The functions that go through the tables.
void mapped_block_functions(program_emitter *x)
{
    if ((mapped_facts(x)->facts & FACT_PRIMES) != 0)
        text_line(x, 0, "#define SVM_MAPPED_INIT %s",
                  (mapped_facts(x)->facts & FACT_COUNTS) != 0 ? mapped_facts(x)->init : "NULL");
    if (x->fails_in_order)
        text_line(x, 0, "#define SVM_MAPPED_ORDER &%s_order", x->name);
    else if (x->fails)
        text_line(x, 0, "#define SVM_MAPPED_ORDER NULL");
    text_line(x, 0, "#define SVM_MAPPED_MEMORY %s", x->p->plan->memory);
    text_line(x, 0, "#define SVM_MAPPED_CONTROL %s_control", x->name);
    text_line(x, 0,
              "/* Sets up the runs that the tables tell of, starts those of a round in order, and waits for them. */");
    text_line(x, 0, "#include <svm/mapped_control.h>\n");
}
