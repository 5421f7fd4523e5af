// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A comment before the tables of a program whose windows are moved whole: which bytes go where in a whole round, and when. It has
// the numbers of the tables in sentences, for who reads the text without svm/mapped_control.h beside it.
#include <inttypes.h>
#include <string.h>

#include "hlc/emit/mapped_int.h"

// Of more chunks than NAMED only the first ones and the last are named.
enum { NAMED = 4, NAMED_FIRST = 2 };

// A text as lines of a comment, each behind `indent`, the first one behind `begin`; `end` comes behind the last.
static void paragraph(program_emitter *x, const char *begin, const char *indent, const char *text, const char *end)
{
    strbuf line;
    strbuf_init(&line, x->e.arena);
    strbuf_add(&line, begin);
    const char *separator = "";
    while (*text != '\0') {
        const size_t word = strcspn(text, " "), tail = text[word] == '\0' ? strlen(end) : 0;
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
        strbuf_printf(text, " %s (%s%" PRIu32, processor_name(all, c->processor), i == 0 ? "strips " : "", c->first);
        if (c->strips > 1)
            strbuf_printf(text, " to %" PRIu32, c->first + c->strips - 1);
        if (c->each > 1)
            strbuf_printf(text, ", runs of %" PRIu32, c->each);
        strbuf_add(text, p->moved && all->used.data[c->processor]->direct ? ", in the queues)" : ")");
    }
}

// What of a queue a strip takes or gives.
static void emit_window(program_emitter *x, const mapped *all, const mapped_kernel *p, const mapped_window *w)
{
    const mapped_queue *r = w->queue;
    const int64_t strip = mapped_strip_items(x, r);
    strbuf text;
    strbuf_init(&text, x->e.arena);
    if (r->step == 0)
        strbuf_printf(&text, "%s nothing of", w->input ? "takes" : "gives");
    else
        strbuf_printf(&text, "%s [%s, %s) of", w->input ? "takes" : "gives",
                      item(x->e.arena, strip, -mapped_history(w)), item(x->e.arena, strip, strip));
    strbuf_printf(&text, " %s%s", r->name, w->file ? " or of its file" : "");
    for (uint32_t block = 0; p->moved && r->step != 0 && block < x->p->cut->depth; block++)
        strbuf_printf(&text, "%s %" PRIu64,
                      block != 0 ? " or"
                      : w->input ? ", moved to byte"
                                 : ", moved from byte",
                      w->address + block * w->bytes);
    if (p->moved && r->queue->straight && !w->input)
        strbuf_printf(&text, ", straight to %s's block",
                      processor_name(all, all->kernels[r->stream->to].rows.data[0].processor));
    if (p->primes && w->input)
        strbuf_printf(&text, "; what primes a chunk takes the %" PRId64 " before it, and gives nothing",
                      mapped_primed(w));
    paragraph(x, "       ", "         ", text.data, "");
}

static void emit_kernel(program_emitter *x, const mapped *all, const mapped_kernel *p)
{
    strbuf text;
    strbuf_init(&text, x->e.arena);
    strbuf_printf(&text, "%s on", p->k->kernel->name);
    add_chunks(all, p, &text);
    paragraph(x, "     ", "       ", text.data, "");
    for (VEC_EACH(const mapped_window, w, &p->windows))
        emit_window(x, all, p, w);
}

// ---- The whole ----

// What waits for what.
static const char *order_of(program_emitter *x, const mapped *all)
{
    const bool links = (all->facts & FACT_LINKS) != 0;
    if (!all->moved)
        return arena_printf(x->e.arena, "A run waits for the run before it on its processor%s.",
                            links ? ", and for the runs that give what it takes" : "");
    return arena_printf(
        x->e.arena,
        "A run waits for what moves its items in, for the run before it on its processor, and for what moved the "
        "items out that lay in its block. What moves items in waits for the run that used the block before%s; what "
        "moves items out waits for the run.",
        links ? " and, if a kernel gives them, for what moved them out there" : "");
}

void mapped_summary(program_emitter *x, const mapped *all)
{
    const plan_cut *cut = x->p->cut;
    strbuf text;
    strbuf_init(&text, x->e.arena);
    strbuf_printf(
        &text,
        "A whole round, in the numbers of the tables below: %" PRId64 " steady states in %" PRIu32
        " strip%s. Round r uses slot r %% %" PRIu32 " of each queue; in slot k item i lies in %s, at .address + k * "
                                                    ".slot + (.history + i) * .size. In strip s of it "
        "each kernel takes and gives these items%s:",
        x->pl->strip * cut->strips, cut->strips, cut->strips == 1 ? "" : "s", cut->slots, x->p->plan->memory,
        all->moved && cut->depth > 1 ? ", a run in one block of its processor's memory, the next in the other" : "");
    paragraph(x, "/* ", "   ", text.data, "");
    for (size_t i = 0; i < cut->kernels.len; i++)
        emit_kernel(x, all, &all->kernels[i]);
    paragraph(x, "   ", "   ", order_of(x, all), " */");
}
