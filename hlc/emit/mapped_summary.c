// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A comment before the constants of a program whose windows are moved whole: which bytes go where in a whole round, when, and who
// moves them. It has the numbers of the tables in sentences, for who reads the text without svm/mapped_control.h beside it.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "hlc/emit/mapped_int.h"

// Of more chunks than NAMED only the first ones and the last are named. Channels inside a kernel that are named.
enum { NAMED = 4, NAMED_FIRST = 2, NAMED_CHANNELS = 32 };

// Characters up to the next blank that is not in "[0, 256)".
static size_t word_length(const char *text)
{
    size_t length = 0;
    for (bool range = false; text[length] != '\0' && (range || text[length] != ' '); length++)
        range = text[length] == '[' || (range && text[length] != ')' && text[length] != ']');
    return length;
}

// A text as lines of a comment, each behind `indent`, the first one behind `begin`; `end` comes behind the last.
static void paragraph(program_emitter *x, const char *begin, const char *indent, const char *text, const char *end)
{
    strbuf line;
    strbuf_init(&line, x->e.arena);
    strbuf_add(&line, begin);
    const char *separator = "";
    while (*text != '\0') {
        const size_t word = word_length(text), tail = text[word] == '\0' ? strlen(end) : 0;
        if (*separator != '\0' && line.len + 1 + word + tail > TEXT_COLUMNS) {
            text_line(x, 0, "%s", line.data);
            strbuf_init(&line, x->e.arena);
            strbuf_add(&line, indent);
            separator = "";
        }
        strbuf_printf(&line, "%s%.*s", separator, (int)word, text);
        separator = " ";
        text += word + (text[word] == ' ');
    }
    text_line(x, 0, "%s%s", line.data, end);
}

// ---- A kernel ----

// "512 s - 64"
static const char *item(arena *a, int64_t strip, int64_t offset)
{
    const char *times = strip == 1 ? "s" : arena_printf(a, "%" PRId64 " s", strip);
    if (offset == 0)
        return times;
    return arena_printf(a, "%s %c %" PRId64, times, offset < 0 ? '-' : '+', offset < 0 ? -offset : offset);
}

static const char *processor_name(const mapped *all, uint32_t number)
{
    return all->used.data[number]->processor->element.name;
}

// "SPE0 (strips 0 to 7), SPE1 (8 to 15), ... SPE15 (120 to 127)"
static void add_chunks(const mapped *all, const mapped_kernel *p, strbuf *text)
{
    const size_t count = p->rows.len;
    for (size_t i = 0; i < count; i++) {
        const mapped_chunk *c = &p->rows.data[i];
        if (count > NAMED && i == NAMED_FIRST) {
            strbuf_add(text, ", ...");
            i = count - 1;
            c = &p->rows.data[i];
        } else if (i > 0) {
            strbuf_add(text, ",");
        }
        const char *what = i != 0 ? "" : c->strips == 1 ? "strip " : "strips ";
        strbuf_printf(text, " %s (%s%" PRIu32, processor_name(all, c->processor), what, c->first);
        if (c->strips > 1)
            strbuf_printf(text, " to %" PRIu32, c->first + c->strips - 1);
        if (c->each > 1)
            strbuf_printf(text, ", runs of %" PRIu32, c->each);
        strbuf_add(text, p->moved && all->used.data[c->processor]->direct ? ", in the queues)" : ")");
    }
}

// ---- Queues ----

// Whether there are queues whose last items the next round sees too, and that kernels fill (`linked`), or files.
static bool have_halos(program_emitter *x, const mapped *all, bool linked)
{
    bool any = false;
    for (VEC_EACH(const plan_queue, queue, &x->p->cut->queues))
        any |= queue->halo != 0 && mapped_is_linked(&all->queues[queue->stream]) == linked;
    return any;
}

// "slot k at byte 1052672 + 262656 k, item i at its byte 4 (32 + i); a round has [0, 65536)"
static void emit_queue(program_emitter *x, const mapped *all, const plan_queue *queue)
{
    const mapped_queue *r = &all->queues[queue->stream];
    const mapped_slots slots = mapped_slots_of(x, r);
    arena *a = x->e.arena;
    strbuf text;
    strbuf_init(&text, a);
    strbuf_printf(&text, "%s: ", r->name);
    if (slots.count > 1)
        strbuf_printf(&text, "slot k at byte %s%" PRIu64 " k",
                      r->address == 0 ? "" : arena_printf(a, "%" PRIu64 " + ", r->address), slots.bytes);
    else
        strbuf_printf(&text, "one slot at byte %" PRIu64, r->address);
    const char *number = queue->history == 0 ? "i" : arena_printf(a, "(%" PRId64 " + i)", queue->history);
    strbuf_printf(&text, ", item i at its byte %" PRIu64 " %s", r->size, number);
    if (r->step != 0)
        strbuf_printf(&text, "; a round has [0, %" PRId64 ")", mapped_round_items(x, r));
    if (queue->halo != 0)
        strbuf_printf(&text, ", [%" PRId64 ", 0) the last of the round before", -queue->halo);
    paragraph(x, "     ", "       ", text.data, "");
}

static strbuf *begin_sentence(strbuf *text)
{
    if (text->len != 0)
        strbuf_addc(text, ' ');
    return text;
}

// Who puts items into the queues, and takes them out.
static void emit_files_of(program_emitter *x, const mapped *all)
{
    const char *control = x->pl->control;
    const bool halos = have_halos(x, all, false);
    bool reads = false, writes = false, maps = false;
    for (VEC_EACH(const plan_queue, queue, &x->p->cut->queues)) {
        const mapped_queue *r = &all->queues[queue->stream];
        reads |= r->stream->from == SIR_NONE && r->step != 0;
        writes |= r->stream->to == SIR_NONE && r->step != 0;
        maps |= r->base != NULL;
    }
    strbuf text;
    strbuf_init(&text, x->e.arena);
    if (reads)
        strbuf_printf(begin_sentence(&text),
                      "%s copies input from files to a slot before its round%s (svm_roundRead%s).", control,
                      halos ? ", and the last items of the round before in front of it" : "",
                      halos ? "; svm_roundTurn does the latter behind a round that was not whole" : "");
    if (writes)
        strbuf_printf(begin_sentence(&text),
                      "%s copies output from a slot to files when its round is over (svm_roundFinish).", control);
    if (have_halos(x, all, true))
        strbuf_add(begin_sentence(&text),
                   "Between kernels, the run that gives the last items of a whole round stores them "
                   "in front of the next slot, too.");
    if (maps)
        strbuf_printf(
            begin_sentence(&text),
            "A round is not copied, but lies in the file's pages with the items before it, and engines move items "
            "from there or to there, if the file can be mapped into %s, .before items are there before the "
            "round, and the round is whole (or, behind the first SVM_SLOTS rounds, a multiple of SVM_UNIT).",
            x->p->plan->memory);
    if ((all->facts & FACT_FILES) != 0)
        strbuf_add(
            begin_sentence(&text),
            "A round is not copied, but stays in its file, if that is no pipe and .before items are there before "
            "the round: each run then reads its items, with those before them, from the file to its "
            "processor's self->scratch, or writes them from there to the file.");
    if (text.len != 0)
        paragraph(x, "   ", "   ", text.data, "");
}

static void emit_queues(program_emitter *x, const mapped *all)
{
    const plan_cut *cut = x->p->cut;
    paragraph(x, "", "   ",
              arena_printf(x->e.arena,
                           "   Queues lie in %s, from self->memory on. Round r uses slot r %% %" PRIu32 " of each:",
                           x->p->plan->memory, cut->slots),
              "");
    for (VEC_EACH(const plan_queue, queue, &cut->queues))
        emit_queue(x, all, queue);
    emit_files_of(x, all);
}

// ---- Kernels ----

// Who moves a kernel's windows in, or out: "MFC0", or "its engine (SPE0: MFC0)" where each of its processors has one.
static const char *engine_of(program_emitter *x, const mapped *all, const mapped_kernel *p, bool load)
{
    const char *name = NULL, *of = NULL;
    bool several = false;
    for (VEC_EACH(const mapped_chunk, c, &p->rows)) {
        const plan_processor *q = all->used.data[c->processor];
        if (q->direct)
            continue;
        const char *its = (load ? q->load : q->store)->element.name;
        several |= name != NULL && strcmp(its, name) != 0;
        of = name == NULL ? q->processor->element.name : of;
        name = name == NULL ? its : name;
    }
    return several ? arena_printf(x->e.arena, "its engine (%s: %s)", of, name) : name;
}

// What of a queue a strip takes or gives.
static void emit_window(program_emitter *x, const mapped *all, const mapped_kernel *p, const mapped_window *w)
{
    const mapped_queue *r = w->queue;
    const int64_t strip = mapped_strip_items(x, r), history = mapped_history(w);
    strbuf text;
    strbuf_init(&text, x->e.arena);
    if (r->step == 0) {
        strbuf_printf(&text, "%s nothing of %s", w->input ? "takes" : "gives", r->name);
        paragraph(x, "       ", "         ", text.data, "");
        return;
    }
    strbuf_printf(&text, "%s [%s, %s) of %s%s, %" PRId64 " bytes", w->input ? "takes" : "gives",
                  item(x->e.arena, strip, -history), item(x->e.arena, strip, strip), r->name,
                  w->file ? " or of its file" : "", (history + strip) * (int64_t)r->size);
    const char *moved = !p->moved                        ? NULL
                        : r->queue->straight && w->input ? ", moved by its giver's engine to byte"
                        : w->input ? arena_printf(x->e.arena, ", moved by %s to byte", engine_of(x, all, p, true))
                                   : arena_printf(x->e.arena, ", moved by %s from byte", engine_of(x, all, p, false));
    for (uint32_t block = 0; p->moved && block < x->p->cut->depth; block++)
        strbuf_printf(&text, "%s %" PRIu64, block == 0 ? moved : " or", w->address + block * w->bytes);
    if (p->moved && r->queue->straight && !w->input)
        strbuf_printf(&text, ", straight to %s's block",
                      processor_name(all, all->kernels[r->stream->to].rows.data[0].processor));
    paragraph(x, "       ", "         ", text.data, "");
    if (history > r->queue->delay && w->input)
        paragraph(x, "         ", "         ",
                  arena_printf(x->e.arena,
                               "(it needs %" PRId64
                               " before the strip's own; %s moved as windows begin at whole units)",
                               r->queue->delay, history - r->queue->delay == 1 ? "one more is" : "the others are"),
                  "");
}

// What a chunk begins with: the initialisation on earlier input.
static void emit_priming(program_emitter *x, const mapped_kernel *p)
{
    strbuf text;
    strbuf_init(&text, x->e.arena);
    strbuf_add(
        &text,
        "A chunk of strips, the first of which is p, begins with a run that primes: its channels are filled from");
    const char *and = "";
    for (VEC_EACH(const mapped_window, w, &p->windows))
        if (w->input && mapped_primed(w) != 0) {
            const int64_t strip = mapped_strip_items(x, w->queue);
            strbuf_printf(&text, "%s [%" PRId64 " p - %" PRId64 ", %" PRId64 " p) of %s", and, strip, mapped_primed(w),
                          strip, w->queue->name);
            and = " and";
        }
    strbuf_add(&text, *and == '\0' ? " nothing" : "");
    strbuf_add(&text, ", as the strips before ran elsewhere. It gives nothing.");
    paragraph(x, "       ", "       ", text.data, "");
}

static int by_address(const void *a, const void *b)
{
    const plan_buffer *const *p = a, *const *q = b;
    return ((*p)->address > (*q)->address) - ((*p)->address < (*q)->address);
}

// Where the channels inside a kernel lie in what its processor has for itself, by address.
static void emit_channels(program_emitter *x, const mapped_kernel *p)
{
    const program_kernel *k = p->k;
    VEC(const plan_buffer *) inside = {0};
    for (VEC_EACH(const uint32_t, number, &k->buffers))
        if (mapped_window_of(p, *number) == NULL)
            VEC_PUSH(x->e.arena, &inside, &x->pl->buffers.data[*number]);
    if (inside.len == 0)
        return;
    qsort(inside.data, inside.len, sizeof *inside.data, by_address);
    strbuf text;
    strbuf_init(&text, x->e.arena);
    strbuf_add(&text, "keeps in its processor's memory");
    uint64_t begun = 0, ended = 0; // of the channel before
    for (size_t i = 0; i < inside.len && i < NAMED_CHANNELS; i++) {
        const plan_buffer *b = inside.data[i];
        const uint64_t end = b->address + plan_buffer_bytes(b, x->m);
        strbuf_add(&text, i == 0 ? "" : ",");
        if (i == 0 || b->address != begun || end != ended)
            strbuf_printf(&text, " [%" PRIu64 ", %" PRIu64 ")", b->address, end);
        strbuf_printf(&text, " %s", program_buffer_name(k, (uint32_t)(b - x->pl->buffers.data)));
        begun = b->address;
        ended = end;
    }
    if (inside.len > NAMED_CHANNELS)
        strbuf_printf(&text, ", and %zu more", inside.len - NAMED_CHANNELS);
    strbuf_add(&text, " (channels that are not in use at the same time share bytes)");
    paragraph(x, "       ", "         ", text.data, "");
}

static void emit_kernel(program_emitter *x, const mapped *all, const mapped_kernel *p)
{
    strbuf text;
    strbuf_init(&text, x->e.arena);
    const size_t actors = x->p->cut->graph->kernels.data[p->number].actors.len;
    strbuf_add(&text, p->k->kernel->name);
    if (actors > 1)
        strbuf_printf(&text, " (%zu actors; the first one names it)", actors);
    strbuf_add(&text, " on");
    add_chunks(all, p, &text);
    paragraph(x, "     ", "       ", text.data, "");
    for (VEC_EACH(const mapped_window, w, &p->windows))
        emit_window(x, all, p, w);
    if (p->moved)
        emit_channels(x, p);
    if (p->primes)
        emit_priming(x, p);
}

// ---- The whole ----

// What waits for what.
static const char *order_of(program_emitter *x, const mapped *all)
{
    const bool links = (all->facts & FACT_LINKS) != 0;
    if (!all->moved)
        return arena_printf(
            x->e.arena,
            "A run waits for the run before it on its processor%s. %s starts the runs (svm_roundIssue), and "
            "waits for the last ones (svm_roundFinish).",
            links ? ", and for the runs that give what it takes" : "", x->pl->control);
    return arena_printf(
        x->e.arena,
        "A run waits for what moves its items in, for the run before it on its processor, and for what moved the "
        "items out that lay in its block. What moves items in waits for the run that last used the block%s; what "
        "moves items out waits for the run. %s enqueues all of these (svm_roundIssue), kernel after kernel: the first "
        "run of each of its processors, then the second ones; and waits for the last ones (svm_roundFinish).",
        links ? " and, if a kernel gives them, for what moved them out there" : "", x->pl->control);
}

// Rounds that are not whole, and what runs outside of rounds.
static const char *others_of(program_emitter *x, const mapped *all)
{
    arena *a = x->e.arena;
    const uint32_t strips = x->p->cut->strips;
    bool even = false, primes = false;
    for (size_t i = 0; i < x->p->cut->kernels.len; i++) {
        even |= all->kernels[i].even;
        primes |= all->kernels[i].primes;
    }
    strbuf text;
    strbuf_init(&text, a);
    strbuf_add(&text, "A round of fewer steady states: ");
    if (even && (all->facts & FACT_PUTS) != 0)
        strbuf_printf(
            &text,
            "if they are m times SVM_PIECE, rounded up, the processor with strips [a, b) of a whole round has those "
            "from number SVM_PIECE * (m a / %" PRIu32 ") on, before SVM_PIECE * (m b / %" PRIu32
            ") and the round's end, where quotients are rounded %s, in runs of at most %s.",
            strips, strips, all->moved ? "down" : "up", all->moved ? "a strip" : "a round");
    else
        strbuf_add(&text, "the strips that they fill are run, the last one as far as they go.");
    strbuf_add(&text, " Then all rounds are waited for, and what the next one needs is moved to its slot from this "
                      "one's or from the file (svm_roundTurn).");
    if ((all->facts & FACT_PHASES) == 0)
        return text.data;
    strbuf_printf(
        &text,
        " The initialisation is a run of each kernel by itself, on its first processor%s, in slot 0, with the windows "
        ".start.",
        all->moved ? ", in the first block (which is no turn of the blocks)" : "");
    if (x->pl->drains)
        strbuf_add(&text, " The end of input is another one, in the next round's slot, with the windows .end.");
    if (x->pl->drains && primes)
        strbuf_add(&text, " A run that primes goes before that, from the items before the slot's own.");
    return text.data;
}

void mapped_summary(program_emitter *x, const mapped *all)
{
    const plan_cut *cut = x->p->cut;
    paragraph(
        x, "/* ", "   ",
        arena_printf(x->e.arena,
                     "Which bytes go where in a round, and when, in the numbers of the tables below. A whole round is "
                     "%" PRId64 " steady states in %" PRIu32 " strip%s.",
                     x->pl->strip * cut->strips, cut->strips, cut->strips == 1 ? "" : "s"),
        "");
    emit_queues(x, all);
    paragraph(x, "   ", "   ",
              all->moved ? arena_printf(
                               x->e.arena,
                               "In strip s of a round each kernel takes and gives these items%s. Bytes of a processor "
                               "count from self->ownMemory[q] on, which is 0 unless processors share a memory; code, "
                               "tables and stack lie elsewhere there.",
                               cut->depth > 1 ? "; its runs on a processor, those that prime too, use the blocks there "
                                                "in turn, through all rounds"
                                              : "")
                         : "In strip s of a round each kernel takes and gives these items, where they lie:",
              "");
    for (size_t i = 0; i < cut->kernels.len; i++)
        emit_kernel(x, all, &all->kernels[i]);
    paragraph(x, "   ", "   ", order_of(x, all), "");
    paragraph(x, "   ", "   ", others_of(x, all), " */");
}
