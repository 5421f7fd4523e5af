// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs on several processors whose windows are moved whole (not NOTE(streams)): tables of queues, of the kernels' ends of
// queues, of kernels and chunks, and one set of functions that go through them, however many kernels and queues there are.
//
// The functions are the same text for all programs but for lines that a program does not need: see `fact` and mapped_lines.
#include <inttypes.h>
#include <string.h>

#include "hlc/emit/mapped_int.h"

// ---- What a program needs of the text ----

static bool is_still(const mapped_window *w)
{
    return !w->input && w->queue->step == 0;
}

// Items that are moved, at least: what engines move, and no whole lines, whose others may belong to another processor.
static int64_t least_items(const mapped_window *w)
{
    return w->unit < w->queue->unit ? w->unit : w->queue->unit;
}

static bool is_small(const mapped_part *p, const mapped_window *w)
{
    return (w->queue->step == 0 && mapped_history(w) < least_items(w)) ||
           (w->input && p->primes && mapped_primed(w) < least_items(w));
}

static unsigned facts_of_window(const mapped_part *p, const mapped_window *w)
{
    unsigned facts = mapped_window_has_halo(w) ? FACT_HALOS : 0;
    facts |= !w->file ? 0 : w->input ? FACT_FILES | FACT_READS : FACT_FILES | FACT_WRITES;
    facts |= mapped_is_linked(w->queue) ? FACT_LINKS : 0;
    facts |= w->queue->base != NULL ? FACT_MAPS | FACT_PUTS : 0;
    facts |= is_still(w) ? FACT_STILL : 0;
    facts |= is_small(p, w) ? FACT_SMALL : 0;
    return facts;
}

static unsigned facts_of_part(const mapped_part *p)
{
    unsigned facts = (p->primes ? FACT_PRIMES : 0) | (p->loops ? FACT_LOOPS : 0) | (p->offsets ? FACT_OFFSETS : 0);
    facts |= p->loops && p->direct ? FACT_SEVERAL : 0;
    facts |= p->primes && p->part->repeat != 0 ? FACT_REPEATS : 0;
    facts |= p->phases ? FACT_PHASES : 0;
    facts |= p->even ? FACT_PUTS : 0;
    bool stores = false;
    for (VEC_EACH(const mapped_window, w, &p->windows)) {
        facts |= facts_of_window(p, w);
        stores |= !w->input && !is_still(w);
    }
    return facts | (stores ? 0 : FACT_SINKS);
}

unsigned mapped_block_facts(const program_emitter *x, const mapped *all)
{
    unsigned facts = (all->moved ? FACT_MOVED : 0) | (all->direct ? FACT_DIRECT : 0);
    facts |= all->moved && all->direct ? FACT_MIXED : 0;
    facts |= program_counts_firings(x) ? FACT_COUNTS : 0;
    facts |= x->p->parts->depth > 1 ? FACT_TURNS : 0;
    for (size_t i = 0; i < x->p->parts->parts.len; i++)
        facts |= facts_of_part(&all->parts[i]);
    facts |= (facts & (FACT_FILES | FACT_REPEATS)) != 0 ? FACT_WHERE : 0;
    facts |= (facts & FACT_MIXED) != 0 || ((facts & FACT_MOVED) != 0 && (facts & FACT_SINKS) != 0) ? FACT_WAITS : 0;
    return facts;
}

void mapped_lines(program_emitter *x, const mapped_line *lines, size_t count)
{
    unsigned facts = mapped_facts(x)->facts | (x->logs != 0 ? FACT_LOGS : 0);
    for (size_t i = 0; i < count; i++) {
        if ((lines[i].needs & ~facts) != 0 || (lines[i].lacks & facts) != 0)
            continue;
        for (const char *c = lines[i].text; *c != '\0'; c++) {
            if (*c == '$')
                strbuf_add(x->e.out, x->name);
            else if (*c == '@')
                strbuf_add(x->e.out, x->p->plan->memory);
            else
                strbuf_addc(x->e.out, *c);
        }
        strbuf_addc(x->e.out, '\n');
    }
}

void mapped_block_names(program_emitter *x)
{
    static const char *const names[] = {
        "STRIP",   "STRIPS", "ROUND",      "SLOTS",          "BLOCKS",     "PROCESSORS", "QUEUES", "KERNELS", "ENDS",
        "CHUNKS",  "RUNS",   "WINDOWS",    "processors",     "queues",     "kernels",    "ends",   "chunks",  "actors",
        "logs",    "Kernel", "Queue",      "End",            "Span",       "Chunk",      "Window", "Run",     "place",
        "makeRun", "count",  "makePriming", "makeRuns",      "before",     "order",      "maker",  "link",    "linkWindow",
        "serve", "repeat",      "startRun",   "issue",      "waitFor", "finish", "finishAll",
        "turn",    "destroyRun", "keepLast", "toucher", "Share", "share", "put", "waitFirst"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        emit_unique_name(&x->e, arena_printf(x->e.arena, "%s_%s", x->name, names[i]));
}

// ---- Before the kernels ----

size_t mapped_end_number(const mapped *all, const mapped_part *p, const mapped_window *w)
{
    size_t number = (size_t)(w - p->windows.data);
    for (const mapped_part *before = all->parts; before < p; before++)
        number += before->windows.len;
    return number;
}

static size_t most_of(const program_emitter *x, const mapped *all, bool windows)
{
    size_t most = 1;
    for (size_t i = 0; i < x->p->parts->parts.len; i++) {
        size_t count = windows ? all->parts[i].windows.len : all->parts[i].k->actors.len;
        most = count > most ? count : most;
    }
    return most;
}

static size_t runs_of_round(const program_emitter *x, const mapped *all)
{
    size_t runs = 0;
    for (size_t i = 0; i < x->p->parts->parts.len; i++)
        runs += all->parts[i].run_count;
    return runs;
}

static size_t most_logs(program_emitter *x)
{
    size_t most = 0;
    for (uint32_t i = 0; i < x->p->parts->parts.len; i++) {
        size_t logs = mapped_log_count(x, i);
        most = logs > most ? logs : most;
    }
    return most;
}

// What kernels see of a run.
void mapped_block_types(program_emitter *x, const mapped *all)
{
    static const mapped_line before[] = {
        {0, 0, "/* A run, as its kernel has it. */"},
        {0, 0, "typedef struct {"},
        {0, 0, "    svm_Kernel kernel;"},
        {0, 0, "    bool starting; /* the initialisation: nothing is in the channels but what was enqueued */"},
        {FACT_PRIMES, 0, "    bool priming; /* it runs on earlier input, for what its channels keep; what it would give is there */"},
        {FACT_LOOPS, 0, "    bool counted; /* it does what is not in steady states before anything else */"},
        {FACT_LOOPS, 0, "    ptrdiff_t states; /* steady states of the run; and of the strip at hand: */"},
        {0, 0, "    ptrdiff_t steady; /* steady states; 0 in the initialisation and at the end of input */"},
    };
    mapped_lines(x, before, sizeof before / sizeof *before);
    if (program_counts_firings(x))
        text_line(x, 1, "ptrdiff_t firings[%zu]; /* of each actor, but for those in whole steady states */",
                  most_of(x, all, false));
    text_line(x, 1, "svm_Block *own; /* what its processor has for itself: channels inside the kernel, state */");
    static const mapped_line windows[] = {
        {0, 0, "    struct {"},
        {0, 0, "        svm_Block *items; /* of a queue */"},
        {FACT_OFFSETS, 0, "        ptrdiff_t from; /* where in it those of the run begin */"},
        {FACT_HALOS | FACT_DIRECT, 0, "        svm_Block *history; /* where the last items go too; or NULL */"},
        {FACT_READS, 0, "        svm_Reader *reader; /* the items are in this file; or NULL */"},
        {FACT_WRITES, 0, "        svm_Writer *writer; /* they go to this one; or NULL */"},
        {FACT_FILES, 0, "        int64_t at, first; /* what of it, and the first item there */"},
        {FACT_FILES, 0, "        svm_Block *scratch; /* for some of them */"},
        {0, 0, "    } windows[$_WINDOWS];"},
    };
    mapped_lines(x, windows, sizeof windows / sizeof *windows);
    size_t logs = most_logs(x);
    if (logs != 0)
        text_line(x, 1, "svm_Log *logs[%zu];", logs);
    text_line(x, 0, "} %s_Kernel;\n", x->name);
}

void mapped_block_constants(program_emitter *x, const mapped *all)
{
    const plan_parts *parts = x->p->parts;
    size_t ends = 0, chunks = 0;
    for (size_t i = 0; i < parts->parts.len; i++) {
        ends += all->parts[i].windows.len;
        chunks += all->parts[i].rows.len;
    }
    if (all->moved)
        text_line(x, 1, "%s_BLOCKS = %" PRIu32 ", /* of a window; runs use them in turn */", x->name, parts->depth);
    text_line(x, 1, "%s_PROCESSORS = %zu, %s_QUEUES = %zu, %s_KERNELS = %zu, /* how many there are */", x->name,
              all->used.len, x->name, parts->queues.len, x->name, parts->parts.len);
    text_line(x, 1, "%s_CHUNKS = %zu, %s_RUNS = %zu, /* of a round */", x->name, chunks, x->name,
              runs_of_round(x, all));
    if ((all->facts & FACT_PUTS) != 0)
        mapped_share_constants(x);
    text_line(x, 1, "%s_ENDS = %zu, %s_WINDOWS = %zu, /* of all kernels; most of one */", x->name, ends, x->name,
              most_of(x, all, true));
}

// ---- Tables ----

static uint32_t queue_number(const program_emitter *x, const mapped_queue *r)
{
    return (uint32_t)(r->queue - x->p->parts->queues.data);
}

static const char *span_text(program_emitter *x, const mapped_window *w, bool starting)
{
    mapped_span s = mapped_span_of(w, starting);
    return arena_printf(x->e.arena, ", {%" PRId64 ", %" PRId64 ", %" PRId64 "}", s.first, s.items, s.from);
}

// The window of the kernel that writes a queue.
static const mapped_window *written(const mapped *all, const mapped_queue *r)
{
    const mapped_part *from = &all->parts[r->stream->from];
    for (VEC_EACH(const mapped_window, w, &from->windows))
        if (w->queue == r && !w->input)
            return w;
    return NULL;
}

static void end_row(program_emitter *x, const mapped *all, const mapped_part *p, const mapped_window *w)
{
    arena *a = x->e.arena;
    const mapped_queue *r = w->queue;
    unsigned facts = all->facts;
    strbuf row;
    strbuf_init(&row, a);
    strbuf_printf(&row, "{%" PRIu32 ", %s, %" PRId64 ", %" PRId64, queue_number(x, r), w->input ? "true" : "false",
                  mapped_strip_items(x, r), mapped_history(w));
    if ((facts & FACT_OFFSETS) != 0)
        strbuf_printf(&row, ", %" PRId64, w->input ? mapped_history(w) - r->queue->delay : 0);
    if ((facts & FACT_PRIMES) != 0) {
        bool primes = w->input && p->primes;
        strbuf_printf(&row, ", %" PRId64, primes ? mapped_primed(w) : 0);
        strbuf_printf(&row, ", %" PRId64, primes ? mapped_primed(w) - r->prime : 0);
    }
    if ((facts & FACT_SMALL) != 0)
        strbuf_printf(&row, ", %" PRId64, least_items(w));
    if ((facts & FACT_MOVED) != 0)
        strbuf_printf(&row, ", %" PRIu64 ", %" PRIu64, p->moved ? w->address : 0, p->moved ? w->bytes : 0);
    if ((facts & FACT_HALOS) != 0)
        strbuf_printf(&row, ", %" PRId64 ", %" PRId64, mapped_window_has_halo(w) ? r->queue->halo : 0,
                      p->moved && r->aligned > 1 ? r->aligned : 1);
    if ((facts & FACT_LINKS) != 0) {
        bool linked = w->input && mapped_is_linked(r);
        if (linked)
            strbuf_printf(&row, ", %" PRIu32 ", %zu", r->stream->from,
                          (size_t)(written(all, r) - all->parts[r->stream->from].windows.data));
        else
            strbuf_add(&row, ", -1, 0");
    }
    if ((facts & FACT_FILES) != 0)
        strbuf_add(&row, w->file ? arena_printf(a, ", %" PRIu32, r->file) : ", -1");
    if ((facts & FACT_PHASES) != 0) {
        strbuf_add(&row, span_text(x, w, true));
        if (program_counts_firings(x))
            strbuf_add(&row, span_text(x, w, false));
    }
    text_line(x, 1, "%s}, /* %s %s */", row.data, text_comment(x, p->k->kernel->name), w->input ? "reads" : "writes");
}

static void emit_ends(program_emitter *x, const mapped *all)
{
    static const mapped_line head[] = {
        {FACT_PHASES, 0, "/* Items `from` of a window are a kernel's; it has `items`, from the round's item `first` on. */"},
        {FACT_PHASES, 0, "typedef struct {"},
        {FACT_PHASES, 0, "    int64_t first, items, from;"},
        {FACT_PHASES, 0, "} $_Span;\n"},
        {0, 0, "/* The kernels' ends of queues, in numbers of items: what a run's window of each is. */"},
        {0, 0, "static const struct $_End {"},
        {0, 0, "    int queue;"},
        {0, 0, "    bool input;"},
        {0, 0, "    int64_t strip; /* of a strip */"},
        {0, 0, "    int64_t before; /* before those of its strips, that a run sees too */"},
        {FACT_OFFSETS, 0, "    int64_t from; /* where in a window the kernel's begin */"},
        {FACT_PRIMES, 0, "    int64_t prime, primeFrom; /* of what primes a chunk: before those of its strips */"},
        {FACT_SMALL, 0, "    int64_t least; /* of any window */"},
        {FACT_MOVED, 0, "    size_t address, bytes; /* of a window's blocks in what the processor has for itself */"},
        {FACT_HALOS, 0, "    int64_t halo, aligned; /* the last of a round, that the next reads too; in multiples */"},
        {FACT_LINKS, 0, "    int writer, writerEnd; /* the kernel that gives them, and which of its ends; -1: none */"},
        {FACT_FILES, 0, "    int file; /* number of the file that they may lie in; -1: none */"},
        {FACT_PHASES, 0, "    $_Span start; /* in the initialisation */"},
        {FACT_PHASES | FACT_COUNTS, 0, "    $_Span end; /* when input has ended */"},
        {0, 0, "} $_ends[$_ENDS] = {"},
    };
    mapped_lines(x, head, sizeof head / sizeof *head);
    for (size_t i = 0; i < x->p->parts->parts.len; i++)
        for (VEC_EACH(const mapped_window, w, &all->parts[i].windows))
            end_row(x, all, &all->parts[i], w);
    text_line(x, 0, "};\n");
}

static void emit_kernels(program_emitter *x, const mapped *all)
{
    static const mapped_line head[] = {
        {0, 0, "/* The kernels, in order. */"},
        {0, 0, "static const struct {"},
        {0, 0, "    svm_KernelFunction *run;"},
        {0, 0, "    const char *name;"},
        {0, 0, "    int ends, count; /* its first end of a queue, and how many it has */"},
        {FACT_LINKS | FACT_SEVERAL, 0, "    int chunk; /* its first */"},
        {FACT_LINKS, FACT_SEVERAL, "    int firstRun; /* that of its first strip */"},
        {FACT_PHASES, 0, "    int home; /* processor of the initialisation and the end of input */"},
        {FACT_PRIMES, 0, "    int primes; /* runs that prime a chunk */"},
        {FACT_PUTS, 0, "    bool even; /* each processor has a share of a round that is not whole */"},
        {FACT_REPEATS, 0, "    int64_t repeat; /* steady states that priming goes on for behind the initialisation */"},
        {FACT_COUNTS | FACT_PHASES, 0, "    int actors, firings; /* its actors, and how many */"},
        {FACT_LOGS, 0, "    int logs, logCount; /* its actors that print, and how many */"},
        {0, 0, "} $_kernels[$_KERNELS] = {"},
    };
    mapped_lines(x, head, sizeof head / sizeof *head);
    size_t end = 0, chunk = 0, run = 0, actor = 0, log = 0;
    for (size_t i = 0; i < x->p->parts->parts.len; i++) {
        const mapped_part *p = &all->parts[i];
        size_t logs = mapped_log_count(x, (uint32_t)i);
        strbuf row;
        strbuf_init(&row, x->e.arena);
        strbuf_printf(&row, "{%s, \"%s\", %zu, %zu", p->k->run, p->k->kernel->name, end, p->windows.len);
        if ((all->facts & FACT_LINKS) != 0)
            strbuf_printf(&row, ", %zu", (all->facts & FACT_SEVERAL) != 0 ? chunk : run);
        if ((all->facts & FACT_PHASES) != 0)
            strbuf_printf(&row, ", %" PRIu32, p->home_processor);
        if ((all->facts & FACT_PRIMES) != 0)
            strbuf_printf(&row, ", %d", p->primes);
        if ((all->facts & FACT_PUTS) != 0)
            strbuf_add(&row, p->even ? ", true" : ", false");
        if ((all->facts & FACT_REPEATS) != 0)
            strbuf_printf(&row, ", %" PRId64, p->part->repeat);
        if ((all->facts & FACT_COUNTS) != 0 && (all->facts & FACT_PHASES) != 0)
            strbuf_printf(&row, ", %zu, %zu", actor, p->k->actors.len);
        if (x->logs != 0)
            strbuf_printf(&row, ", %zu, %zu", log, logs);
        text_line(x, 1, "%s},", row.data);
        end += p->windows.len;
        chunk += p->rows.len;
        run += p->run_count;
        actor += p->k->actors.len;
        log += logs;
    }
    text_line(x, 0, "};\n");
}

static void emit_chunks(program_emitter *x, const mapped *all)
{
    static const mapped_line head[] = {
        {0, 0, "/* Strips of a round that follow each other on a processor: `strips` from `first` on. Their runs begin"},
        {0, FACT_SEVERAL, "   with number `run`, one a strip; `runs` counts them and what primes them; `before` is the chunk of the kernel"},
        {FACT_SEVERAL, 0, "   with number `run`, of `each` strips; `runs` counts them and what primes them; `before` is the chunk of the kernel"},
        {0, 0, "   that the processor has before this one. */"},
        {0, 0, "static const struct $_Chunk {"},
        {FACT_SEVERAL, 0, "    int kernel, processor, first, strips, each, run, runs, before;"},
        {0, FACT_SEVERAL, "    int kernel, processor, first, strips, run, runs, before;"},
        {0, 0, "} $_chunks[$_CHUNKS] = {"},
    };
    mapped_lines(x, head, sizeof head / sizeof *head);
    text_args rows = {0};
    uint32_t first = 0, run = 0;
    bool several = (all->facts & FACT_SEVERAL) != 0;
    for (size_t i = 0; i < x->p->parts->parts.len; i++) {
        const mapped_part *p = &all->parts[i];
        for (VEC_EACH(const mapped_chunk, c, &p->rows)) {
            uint32_t runs = (c->strips + c->each - 1) / c->each + p->primes;
            const char *each = several ? arena_printf(x->e.arena, " %" PRIu32 ",", c->each) : "";
            VEC_PUSH(x->e.arena, &rows,
                     arena_printf(x->e.arena,
                                  "{%zu, %" PRIu32 ", %" PRIu32 ", %" PRIu32 ",%s %" PRIu32 ", %" PRIu32 ", %" PRIu32
                                  "},",
                                  i, c->processor, c->first, c->strips, each, run, runs, first + c->before));
            run += runs - p->primes;
        }
        first += (uint32_t)p->rows.len;
    }
    text_rows(x, 1, &rows);
    text_line(x, 0, "};\n");
}

static void emit_actors(program_emitter *x, const mapped *all)
{
    const plan_pieces *cut = x->p->parts->cut;
    size_t count = 0;
    for (size_t i = 0; i < x->p->parts->parts.len; i++)
        count += all->parts[i].k->actors.len;
    int64_t *values = ARENA_ARRAY(x->e.arena, int64_t, count + 1);
    count = 0;
    for (size_t i = 0; i < x->p->parts->parts.len; i++)
        for (VEC_EACH(const uint32_t, actor, &all->parts[i].k->actors))
            values[count++] = cut->actor_of[*actor];
    program_count_table(x, "The actors of the kernels among those of the program.",
                        arena_printf(x->e.arena, "%s_actors", x->name), "int32_t", values, count);
}

static void emit_logs(program_emitter *x)
{
    text_args rows = {0};
    for (uint32_t i = 0; i < x->p->parts->parts.len; i++) {
        size_t number = 0;
        for (VEC_EACH(uint32_t, actor, &x->printing)) {
            if (x->names[*actor].log == NULL)
                continue;
            if (x->kernel_of[*actor] == i)
                VEC_PUSH(x->e.arena, &rows, arena_printf(x->e.arena, "%zu,", number));
            number++;
        }
    }
    program_table(x, "The logs of the kernels' actors.", arena_printf(x->e.arena, "int %s_logs", x->name), &rows);
}

void mapped_block_tables(program_emitter *x, const mapped *all)
{
    mapped_queue_table(x, all);
    emit_ends(x, all);
    if ((all->facts & FACT_COUNTS) != 0 && (all->facts & FACT_PHASES) != 0)
        emit_actors(x, all);
    if (x->logs != 0)
        emit_logs(x);
    emit_kernels(x, all);
    emit_chunks(x, all);
    static const mapped_line run[] = {
        {FACT_MOVED, 0, "/* A window of a run: its items there in the queue, here in the processor's memory, and what moves them. */"},
        {FACT_MOVED, 0, "typedef struct {"},
        {FACT_MOVED, 0, "    svm_Block there, here;"},
        {FACT_MOVED, 0, "    svm_MoveB2B move;"},
        {0, FACT_MOVED, "/* A window of a run: its items in the queue. */"},
        {0, FACT_MOVED, "typedef struct {"},
        {0, FACT_MOVED, "    svm_Block there;"},
        {FACT_HALOS, 0, "    svm_Block history; /* where the next round finds the last items; without elements: it does not */"},
        {FACT_HALOS | FACT_MOVED, 0, "    svm_Block last; /* these items here */"},
        {FACT_HALOS | FACT_MOVED, 0, "    svm_MoveB2B keep;"},
        {0, 0, "} $_Window;\n"},
        {0, 0, "/* A run of a kernel. */"},
        {0, 0, "typedef struct {"},
        {0, 0, "    $_Kernel run;"},
        {0, 0, "    int kernel;"},
        {0, 0, "    const struct $_End *ends; /* of its windows */"},
        {0, 0, "    int count;"},
        {FACT_MIXED, 0, "    bool moves; /* its processor does not reach the queues */"},
        {FACT_PUTS, 0, "    int processor, block; /* where its windows are */"},
        {0, 0, "    $_Window windows[$_WINDOWS];"},
        {0, 0, "} $_Run;\n"},
    };
    mapped_lines(x, run, sizeof run / sizeof *run);
}

// ---- Runs ----

static void emit_count(program_emitter *x)
{
    static const mapped_line lines[] = {
        {0, 0, "/* A run with a count of firings for each actor. */"},
        {0, 0, "static void $_count($_Run *r, const int64_t *counts)"},
        {0, 0, "{"},
        {0, 0, "    for (int i = 0; i < $_kernels[r->kernel].firings; i++)"},
        {0, 0, "        r->run.firings[i] = (ptrdiff_t)counts[$_actors[$_kernels[r->kernel].actors + i]];"},
        {0, 0, "}\n"},
    };
    mapped_lines(x, lines, sizeof lines / sizeof *lines);
}

static void emit_place(program_emitter *x)
{
    static const mapped_line lines[] = {
        {0, 0, "/* Places a window of a run: so many items from the round's item `first` on. */"},
        {FACT_MOVED, 0, "static void $_place($_Instance *self, $_Run *r, int w, int q, int block, int slot, int64_t first, int64_t items)"},
        {0, FACT_MOVED, "static void $_place($_Instance *self, $_Run *r, int w, int slot, int64_t first, int64_t items)"},
        {0, 0, "{"},
        {0, 0, "    const struct $_End *end = &r->ends[w];"},
        {0, 0, "    const struct $_Queue *queue = &$_queues[end->queue];"},
        {0, 0, "    $_Window *window = &r->windows[w];"},
        {FACT_SMALL, 0, "    const size_t count = (size_t)(items < end->least ? end->least : items);"},
        {0, FACT_SMALL, "    const size_t count = (size_t)items;"},
        {0, FACT_MAPS, "    const size_t there = self->queues[end->queue][slot].address + (size_t)(queue->history + first) * queue->size;"},
        {FACT_MAPS, 0, "    const size_t there = self->base[end->queue][slot] + (size_t)first * queue->size;"},
        {0, 0, "    svm_blockInit(&window->there, &@, there, count, queue->size);"},
        {0, 0, "    svm_blockName(&window->there, queue->name);"},
        {FACT_MIXED, 0, "    if (!r->moves)"},
        {FACT_MIXED, 0, "        return;"},
        {FACT_MOVED, 0, "    const size_t here = self->ownMemory[q] + end->address + (size_t)block * end->bytes;"},
        {FACT_MOVED, 0, "    svm_blockInit(&window->here, $_processors[q].memory, here, count, queue->size);"},
        {FACT_MOVED, 0, "    svm_blockName(&window->here, queue->name);"},
        {0, 0, "}\n"},
    };
    mapped_lines(x, lines, sizeof lines / sizeof *lines);
}

static void emit_keep(program_emitter *x)
{
    static const mapped_line lines[] = {
        {0, 0, "/* The next round finds the last items of this one in front of its own; which of them does a run give? */"},
        {FACT_MOVED, 0, "static void $_keepLast($_Instance *self, $_Run *r, int w, int q, int slot, int64_t first, int64_t stop)"},
        {0, FACT_MOVED, "static void $_keepLast($_Instance *self, $_Run *r, int w, int slot, int64_t first, int64_t stop)"},
        {0, 0, "{"},
        {0, 0, "    const struct $_End *end = &r->ends[w];"},
        {0, 0, "    const struct $_Queue *queue = &$_queues[end->queue];"},
        {0, 0, "    $_Window *window = &r->windows[w];"},
        {0, 0, "    const int64_t round = $_STRIPS * end->strip, last = round - end->halo;"},
        {0, 0, "    if (end->halo == 0 || stop <= last)"},
        {0, 0, "        return;"},
        {0, 0, "    const int64_t from = last > first ? first + (last - first) / end->aligned * end->aligned : first;"},
        {0, 0, "    const size_t there = self->queues[end->queue][(slot + 1) % $_SLOTS].address;"},
        {0, 0, "    svm_blockInit(&window->history, &@, there + (size_t)(queue->history + from - round) * queue->size,"},
        {0, 0, "                  (size_t)(stop - from), queue->size);"},
        {0, 0, "    svm_blockName(&window->history, queue->name);"},
        {FACT_MIXED, 0, "    if (!r->moves)"},
        {FACT_MIXED, 0, "        return;"},
        {FACT_MOVED, 0, "    svm_blockInit(&window->last, $_processors[q].memory, window->here.address + (size_t)(from - first) * queue->size,"},
        {FACT_MOVED, 0, "                  (size_t)(stop - from), queue->size);"},
        {FACT_MOVED, 0, "    svm_blockName(&window->last, queue->name);"},
        {FACT_MOVED, 0, "    svm_moveB2BInit(&window->keep, $_processors[q].store, &window->last, &window->history);"},
        {FACT_MOVED, 0, "    svm_kernelAddDependence(&window->keep.kernel, &r->run.kernel);"},
        {0, 0, "}\n"},
    };
    mapped_lines(x, lines, sizeof lines / sizeof *lines);
}

static void emit_make(program_emitter *x)
{
    static const mapped_line lines[] = {
        {FACT_MOVED, 0, "/* A run of a kernel on processor q: so many strips of a round, in those blocks of its windows. */"},
        {FACT_MOVED, 0, "static void $_makeRun($_Instance *self, $_Run *r, int kernel, int q, int slot, int strip, int strips, int block)"},
        {0, FACT_MOVED, "/* A run of a kernel on processor q: so many strips of a round. */"},
        {0, FACT_MOVED, "static void $_makeRun($_Instance *self, $_Run *r, int kernel, int q, int slot, int strip, int strips)"},
        {0, 0, "{"},
        {0, 0, "    r->kernel = kernel;"},
        {0, 0, "    r->ends = &$_ends[$_kernels[kernel].ends];"},
        {0, 0, "    r->count = $_kernels[kernel].count;"},
        {FACT_MIXED, 0, "    r->moves = $_processors[q].load != NULL;"},
        {FACT_PUTS, 0, "    r->processor = q;"},
        {FACT_PUTS, 0, "    r->block = block;"},
        {0, 0, "    svm_kernelInit(&r->run.kernel, $_processors[q].processor, $_kernels[kernel].run, $_kernels[kernel].name);"},
        {0, 0, "    svm_kernelNeverBlocks(&r->run.kernel);"},
        {0, 0, "    r->run.own = &self->own[q];"},
        {FACT_LOGS, 0, "    for (int i = 0; i < $_kernels[kernel].logCount; i++)"},
        {FACT_LOGS, 0, "        r->run.logs[i] = self->logs[$_logs[$_kernels[kernel].logs + i]];"},
        {0, 0, "    for (int w = 0; w < r->count; w++) {"},
        {0, 0, "        const struct $_End *end = &r->ends[w];"},
        {0, 0, "        $_Window *window = &r->windows[w];"},
        {0, 0, "        const int64_t first = strip * end->strip, items = strips * end->strip;"},
        {FACT_MOVED, 0, "        $_place(self, r, w, q, block, slot, first - end->before, end->before + items);"},
        {0, FACT_MOVED, "        $_place(self, r, w, slot, first - end->before, end->before + items);"},
        {FACT_MIXED, 0, "        r->run.windows[w].items = r->moves ? &window->here : &window->there;"},
        {FACT_MOVED, FACT_MIXED, "        r->run.windows[w].items = &window->here;"},
        {0, FACT_MOVED, "        r->run.windows[w].items = &window->there;"},
        {FACT_OFFSETS, 0, "        r->run.windows[w].from = end->from;"},
        {FACT_FILES, 0, "        r->run.windows[w].scratch = &self->scratch[$_kernels[kernel].ends + w][q];"},
        {FACT_HALOS | FACT_MOVED, 0, "        $_keepLast(self, r, w, q, slot, first, first + items);"},
        {FACT_HALOS, FACT_MOVED, "        $_keepLast(self, r, w, slot, first, first + items);"},
        {FACT_MIXED, 0, "        if (!r->moves)"},
        {FACT_MIXED, 0, "            continue;"},
        {FACT_MOVED, 0, "        if (end->input) {"},
        {FACT_MOVED, 0, "            svm_moveB2BInit(&window->move, $_processors[q].load, &window->there, &window->here);"},
        {FACT_MOVED, 0, "            svm_kernelAddDependence(&r->run.kernel, &window->move.kernel);"},
        {FACT_MOVED, 0, "        } else {"},
        {FACT_MOVED, 0, "            svm_moveB2BInit(&window->move, $_processors[q].store, &window->here, &window->there);"},
        {FACT_MOVED, 0, "            svm_kernelAddDependence(&window->move.kernel, &r->run.kernel);"},
        {FACT_MOVED, 0, "        }"},
        {0, 0, "    }"},
        {0, 0, "}\n"},
        {FACT_PRIMES, 0, "/* What primes a kernel on processor q for the strips of a round from `strip` on: it sees the items before them. */"},
        {FACT_PRIMES | FACT_MOVED, 0, "static void $_makePriming($_Instance *self, $_Run *r, int kernel, int q, int slot, int strip, int block)"},
        {FACT_PRIMES, FACT_MOVED, "static void $_makePriming($_Instance *self, $_Run *r, int kernel, int q, int slot, int strip)"},
        {FACT_PRIMES, 0, "{"},
        {FACT_PRIMES | FACT_MOVED, 0, "    $_makeRun(self, r, kernel, q, slot, strip, 1, block);"},
        {FACT_PRIMES, FACT_MOVED, "    $_makeRun(self, r, kernel, q, slot, strip, 1);"},
        {FACT_PRIMES, 0, "    for (int w = 0; w < r->count; w++) {"},
        {FACT_PRIMES, 0, "        const struct $_End *end = &r->ends[w];"},
        {FACT_PRIMES, 0, "        if (!end->input)"},
        {FACT_PRIMES, 0, "            continue;"},
        {FACT_PRIMES | FACT_MOVED, 0, "        $_place(self, r, w, q, block, slot, strip * end->strip - end->prime, end->prime);"},
        {FACT_PRIMES, FACT_MOVED, "        $_place(self, r, w, slot, strip * end->strip - end->prime, end->prime);"},
        {FACT_PRIMES | FACT_OFFSETS, 0, "        r->run.windows[w].from = end->primeFrom;"},
        {FACT_PRIMES, 0, "    }"},
        {FACT_PRIMES, 0, "    r->run.starting = r->run.priming = true;"},
        {FACT_PRIMES | FACT_LOOPS, 0, "    r->run.counted = true;"},
        {FACT_PRIMES | FACT_COUNTS, 0, "    $_count(r, $_init);"},
        {FACT_PRIMES, 0, "}\n"},
        {FACT_PHASES, 0, "/* All runs: of the rounds by turns, chunk after chunk; and of each kernel by itself. */"},
        {0, FACT_PHASES, "/* All runs: of the rounds by turns, chunk after chunk. */"},
        {0, 0, "static void $_makeRuns($_Instance *self)"},
        {0, 0, "{"},
        {FACT_MOVED | FACT_TURNS, 0, "    int turn[$_KERNELS][$_PROCESSORS] = {{0}}; /* of the blocks of a processor's windows */"},
        {0, 0, "    for (int slot = 0; slot < $_SLOTS; slot++)"},
        {0, 0, "    for (int c = 0; c < $_CHUNKS; c++) {"},
        {0, 0, "        const struct $_Chunk *chunk = &$_chunks[c];"},
        {0, 0, "        const int kernel = chunk->kernel, q = chunk->processor;"},
        {FACT_MOVED | FACT_TURNS, 0, "        int *block = &turn[kernel][q];"},
        {0, 0, "        $_Run *r = &self->runs[slot][chunk->run];"},
        {FACT_PRIMES, 0, "        if ($_kernels[kernel].primes)"},
        {FACT_PRIMES | FACT_MOVED | FACT_TURNS, 0, "            $_makePriming(self, &self->primings[slot][c], kernel, q, slot, chunk->first, (*block)++ % $_BLOCKS);"},
        {FACT_PRIMES | FACT_MOVED, FACT_TURNS, "            $_makePriming(self, &self->primings[slot][c], kernel, q, slot, chunk->first, 0);"},
        {FACT_PRIMES, FACT_MOVED, "            $_makePriming(self, &self->primings[slot][c], kernel, q, slot, chunk->first);"},
        {FACT_SEVERAL, 0, "        for (int k = 0; k < chunk->strips; k += chunk->each) {"},
        {FACT_SEVERAL, 0, "            const int strips = chunk->each < chunk->strips - k ? chunk->each : chunk->strips - k;"},
        {0, FACT_SEVERAL, "        for (int k = 0; k < chunk->strips; k++)"},
        {FACT_MOVED | FACT_TURNS | FACT_SEVERAL, 0, "            $_makeRun(self, r++, kernel, q, slot, chunk->first + k, strips, (*block)++ % $_BLOCKS);"},
        {FACT_MOVED | FACT_SEVERAL, FACT_TURNS, "            $_makeRun(self, r++, kernel, q, slot, chunk->first + k, strips, 0);"},
        {FACT_SEVERAL, FACT_MOVED, "            $_makeRun(self, r++, kernel, q, slot, chunk->first + k, strips);"},
        {FACT_MOVED | FACT_TURNS, FACT_SEVERAL, "            $_makeRun(self, r++, kernel, q, slot, chunk->first + k, 1, (*block)++ % $_BLOCKS);"},
        {FACT_MOVED, FACT_TURNS | FACT_SEVERAL, "            $_makeRun(self, r++, kernel, q, slot, chunk->first + k, 1, 0);"},
        {0, FACT_MOVED | FACT_SEVERAL, "            $_makeRun(self, r++, kernel, q, slot, chunk->first + k, 1);"},
        {FACT_SEVERAL, 0, "        }"},
        {0, 0, "    }"},
        {FACT_PHASES, 0, "    for (int k = 0; k < $_KERNELS; k++)"},
        {FACT_PHASES | FACT_MOVED, 0, "        $_makeRun(self, &self->alone[k], k, $_kernels[k].home, 0, 0, 1, 0);"},
        {FACT_PHASES, FACT_MOVED, "        $_makeRun(self, &self->alone[k], k, $_kernels[k].home, 0, 0, 1);"},
        {0, 0, "}\n"},
    };
    mapped_lines(x, lines, sizeof lines / sizeof *lines);
}

static void emit_order(program_emitter *x)
{
    static const mapped_line lines[] = {
        {0, 0, "/* The run that is `back` runs before number k of a chunk on its processor, round after round. */"},
        {0, 0, "static $_Run *$_before($_Instance *self, int slot, int c, int k, int back)"},
        {0, 0, "{"},
        {0, 0, "    for (k -= back; k < 0; k += $_chunks[c].runs) {"},
        {0, 0, "        const int before = $_chunks[c].before;"},
        {0, 0, "        slot = before < c ? slot : (slot + $_SLOTS - 1) % $_SLOTS;"},
        {0, 0, "        c = before;"},
        {0, 0, "    }"},
        {FACT_PRIMES, 0, "    if ($_kernels[$_chunks[c].kernel].primes && k-- == 0)"},
        {FACT_PRIMES, 0, "        return &self->primings[slot][c];"},
        {0, 0, "    return &self->runs[slot][$_chunks[c].run + k];"},
        {0, 0, "}\n"},
        {FACT_MOVED | FACT_TURNS, 0, "/* Runs of a kernel on a processor follow each other, and use their windows' blocks in turn. */"},
        {FACT_MOVED, FACT_TURNS, "/* Runs of a kernel on a processor follow each other; each moves its windows when the one before is done. */"},
        {0, FACT_MOVED, "/* Runs of a kernel on a processor follow each other. */"},
        {0, 0, "static void $_order($_Instance *self)"},
        {0, 0, "{"},
        {0, 0, "    for (int slot = 0; slot < $_SLOTS; slot++)"},
        {0, 0, "    for (int c = 0; c < $_CHUNKS; c++)"},
        {0, 0, "    for (int k = 0; k < $_chunks[c].runs; k++) {"},
        {0, 0, "        $_Run *r = $_before(self, slot, c, k, 0), *last = $_before(self, slot, c, k, 1);"},
        {0, 0, "        if (last != r)"},
        {0, 0, "            svm_kernelAddDependence(&r->run.kernel, &last->run.kernel);"},
        {FACT_MIXED, 0, "        if (!r->moves)"},
        {FACT_MIXED, 0, "            continue;"},
        {FACT_MOVED, 0, "        $_Run *user = $_before(self, slot, c, k, $_BLOCKS); /* of the same blocks */"},
        {FACT_MOVED | FACT_PRIMES, 0, "        $_Run *giver = user; /* of them the last that gave anything */"},
        {FACT_MOVED | FACT_PRIMES, 0, "        for (int back = 2 * $_BLOCKS; !r->run.priming && giver->run.priming; back += $_BLOCKS)"},
        {FACT_MOVED | FACT_PRIMES, 0, "            giver = $_before(self, slot, c, k, back);"},
        {FACT_MOVED, 0, "        for (int w = 0; w < r->count; w++) {"},
        {FACT_MOVED, 0, "            const struct $_End *end = &r->ends[w];"},
        {FACT_MOVED, 0, "            if (end->input)"},
        {FACT_MOVED, 0, "                svm_kernelAddDependence(&r->windows[w].move.kernel, &user->run.kernel);"},
        {FACT_MOVED | FACT_PRIMES, FACT_STILL, "            else if (!r->run.priming)"},
        {FACT_MOVED | FACT_PRIMES | FACT_STILL, 0, "            else if (!r->run.priming && end->strip != 0)"},
        {FACT_MOVED, FACT_PRIMES | FACT_STILL, "            else"},
        {FACT_MOVED | FACT_STILL, FACT_PRIMES, "            else if (end->strip != 0)"},
        {FACT_MOVED | FACT_PRIMES, 0, "                svm_kernelAddDependence(&r->run.kernel, &giver->windows[w].move.kernel);"},
        {FACT_MOVED, FACT_PRIMES, "                svm_kernelAddDependence(&r->run.kernel, &user->windows[w].move.kernel);"},
        {FACT_MOVED | FACT_HALOS | FACT_PRIMES, 0, "            if (!r->run.priming && giver->windows[w].last.capacity != 0)"},
        {FACT_MOVED | FACT_HALOS | FACT_PRIMES, 0, "                svm_kernelAddDependence(&r->run.kernel, &giver->windows[w].keep.kernel);"},
        {FACT_MOVED | FACT_HALOS, FACT_PRIMES, "            if (user->windows[w].last.capacity != 0)"},
        {FACT_MOVED | FACT_HALOS, FACT_PRIMES, "                svm_kernelAddDependence(&r->run.kernel, &user->windows[w].keep.kernel);"},
        {FACT_MOVED, 0, "        }"},
        {0, 0, "    }"},
        {0, 0, "}\n"},
    };
    mapped_lines(x, lines, sizeof lines / sizeof *lines);
}

static void emit_links(program_emitter *x)
{
    static const mapped_line lines[] = {
        {0, 0, "/* The run of a kernel that has a strip. */"},
        {0, 0, "static $_Run *$_maker($_Instance *self, int kernel, int slot, int strip)"},
        {0, 0, "{"},
        {FACT_SEVERAL, 0, "    int c = $_kernels[kernel].chunk;"},
        {FACT_SEVERAL, 0, "    while (strip >= $_chunks[c].first + $_chunks[c].strips)"},
        {FACT_SEVERAL, 0, "        c++;"},
        {FACT_SEVERAL, 0, "    return &self->runs[slot][$_chunks[c].run + (strip - $_chunks[c].first) / $_chunks[c].each];"},
        {0, FACT_SEVERAL, "    return &self->runs[slot][$_kernels[kernel].firstRun + strip];"},
        {0, 0, "}\n"},
        {FACT_MIXED, 0, "/* What of a run touches a queue: what moves its window, or itself. */"},
        {FACT_MIXED, 0, "static svm_Kernel *$_toucher($_Run *r, int w)"},
        {FACT_MIXED, 0, "{"},
        {FACT_MIXED, 0, "    return r->moves ? &r->windows[w].move.kernel : &r->run.kernel;"},
        {FACT_MIXED, 0, "}\n"},
        {0, 0, "/* What a run's window holds others make: in this round, or, the last items of it, in the one before. */"},
        {0, 0, "static void $_linkWindow($_Instance *self, $_Run *r, int w, int slot)"},
        {0, 0, "{"},
        {0, 0, "    const struct $_End *end = &r->ends[w];"},
        {0, 0, "    const struct $_Queue *queue = &$_queues[end->queue];"},
        {FACT_MIXED, 0, "    svm_Kernel *reads = $_toucher(r, w);"},
        {FACT_MOVED, FACT_MIXED, "    svm_Kernel *reads = &r->windows[w].move.kernel;"},
        {0, FACT_MOVED, "    svm_Kernel *reads = &r->run.kernel;"},
        {0, 0, "    const svm_Block *window = &r->windows[w].there;"},
        {0, 0, "    const int64_t offset = (int64_t)((window->address - self->queues[end->queue][slot].address) / queue->size);"},
        {0, 0, "    const int64_t first = offset - queue->history, stop = first + (int64_t)window->capacity;"},
        {0, 0, "    $_Run *last = NULL;"},
        {0, 0, "    for (int i = first < 0 ? 0 : (int)(first / end->strip); i < $_STRIPS && i * end->strip < stop; i++) {"},
        {0, 0, "        $_Run *made = $_maker(self, end->writer, slot, i);"},
        {0, 0, "        if (made != last)"},
        {FACT_MIXED, 0, "            svm_kernelAddDependence(reads, $_toucher(made, end->writerEnd));"},
        {FACT_MOVED, FACT_MIXED, "            svm_kernelAddDependence(reads, &made->windows[end->writerEnd].move.kernel);"},
        {0, FACT_MOVED, "            svm_kernelAddDependence(reads, &made->run.kernel);"},
        {0, 0, "        last = made;"},
        {0, 0, "    }"},
        {FACT_HALOS, 0, "    const int64_t round = $_STRIPS * end->strip;"},
        {FACT_HALOS, 0, "    const int64_t halo = $_ends[$_kernels[end->writer].ends + end->writerEnd].halo;"},
        {FACT_HALOS, 0, "    for (int i = (int)((round - halo) / end->strip); i < $_STRIPS && first < 0; i++) {"},
        {FACT_HALOS, 0, "        $_Run *made = $_maker(self, end->writer, (slot + $_SLOTS - 1) % $_SLOTS, i);"},
        {FACT_HALOS, 0, "        if (made == last || (i + 1) * end->strip - round <= first)"},
        {FACT_HALOS, 0, "            continue;"},
        {FACT_HALOS | FACT_MIXED, 0, "        svm_Kernel *keeps = made->moves ? &made->windows[end->writerEnd].keep.kernel : &made->run.kernel;"},
        {FACT_HALOS | FACT_MOVED, FACT_MIXED, "        svm_Kernel *keeps = &made->windows[end->writerEnd].keep.kernel;"},
        {FACT_HALOS, FACT_MOVED, "        svm_Kernel *keeps = &made->run.kernel;"},
        {FACT_HALOS, 0, "        svm_kernelAddDependence(reads, keeps);"},
        {FACT_HALOS, 0, "        svm_kernelAddDependence(keeps, reads); /* it overwrites what the round before this one's read */"},
        {FACT_HALOS, 0, "        last = made;"},
        {FACT_HALOS, 0, "    }"},
        {0, 0, "}\n"},
        {0, 0, "static void $_link($_Instance *self)"},
        {0, 0, "{"},
        {0, 0, "    for (int slot = 0; slot < $_SLOTS; slot++)"},
        {0, 0, "    for (int c = 0; c < $_CHUNKS; c++)"},
        {0, 0, "    for (int k = 0; k < $_chunks[c].runs; k++) {"},
        {0, 0, "        $_Run *r = $_before(self, slot, c, k, 0);"},
        {0, 0, "        for (int w = 0; w < r->count; w++)"},
        {0, 0, "            if (r->ends[w].writer >= 0)"},
        {0, 0, "                $_linkWindow(self, r, w, slot);"},
        {0, 0, "    }"},
        {0, 0, "}\n"},
    };
    mapped_lines(x, lines, sizeof lines / sizeof *lines);
}

void mapped_block_runs(program_emitter *x, const mapped *all)
{
    if ((all->facts & FACT_COUNTS) != 0 && (all->facts & FACT_PHASES) != 0)
        emit_count(x);
    emit_place(x);
    if ((all->facts & FACT_HALOS) != 0)
        emit_keep(x);
    emit_make(x);
    emit_order(x);
    if ((all->facts & FACT_LINKS) != 0)
        emit_links(x);
}

void mapped_block_destroy_run(program_emitter *x)
{
    static const mapped_line lines[] = {
        {0, 0, "static void $_destroyRun($_Run *r)"},
        {0, 0, "{"},
        {0, 0, "    svm_kernelDestroy(&r->run.kernel);"},
        {FACT_MIXED, 0, "    if (!r->moves)"},
        {FACT_MIXED, 0, "        return;"},
        {FACT_MOVED, FACT_HALOS, "    for (int w = 0; w < r->count; w++)"},
        {FACT_MOVED | FACT_HALOS, 0, "    for (int w = 0; w < r->count; w++) {"},
        {FACT_MOVED, 0, "        svm_kernelDestroy(&r->windows[w].move.kernel);"},
        {FACT_MOVED | FACT_HALOS, 0, "        if (r->windows[w].last.capacity != 0)"},
        {FACT_MOVED | FACT_HALOS, 0, "            svm_kernelDestroy(&r->windows[w].keep.kernel);"},
        {FACT_MOVED | FACT_HALOS, 0, "    }"},
        {0, 0, "}\n"},
    };
    mapped_lines(x, lines, sizeof lines / sizeof *lines);
}
