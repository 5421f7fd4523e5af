// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops of host code in which calls of kernels may wait for the next one (svm/brook_graph.h).
//
// NOTE(rounds). A call that waits leaves nothing behind but that time has not passed. So a loop in which calls may wait calls
// nothing but kernels, and what it has put off is done at its end: nobody can tell, whatever leaves the loop. A block around
// it has a variable that does that when it goes.
#include <string.h>

#include "lang/brook/host.h"

// ---- Where a loop ends ----

static bool is_loop(int kind)
{
    return kind == TOK_FOR || kind == TOK_WHILE || kind == TOK_DO;
}

// Behind the parenthesis or block at i.
static size_t behind(const host_writer *w, size_t i)
{
    const size_t close = host_closing(w, i);
    return host_kind(w, close) == TOK_END ? close : close + 1;
}

static size_t behind_semicolon(const host_writer *w, size_t i)
{
    while (host_kind(w, i) != ';' && host_kind(w, i) != '}' && host_kind(w, i) != TOK_END) {
        const int kind = host_kind(w, i);
        i = kind == '(' || kind == '{' || kind == '[' ? behind(w, i) : i + 1;
    }
    return host_kind(w, i) == ';' ? i + 1 : i;
}

// ---- What is in it ----

static bool is_harmless(const host_writer *w, size_t i)
{
    static const char *const words[] = {"streamSwap", "streamRead", "streamWrite", "streamSize",
                                        "int2",       "int3",       "int4"};
    if (i > 0 && host_kind(w, i - 1) == '.')
        return host_is(w, i, "domain");
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (host_is(w, i, words[k]))
            return true;
    return hmap_get(&w->program->kernel_names, host_word(w, i)) != NULL;
}

// Whether what stands at i is what it looks like, and no macro of a header that begins or ends a statement.
static bool is_plain_statement(const host_writer *w, size_t i)
{
    const int kind = host_kind(w, i);
    return kind == '{' || (kind == TOK_ID && host_kind(w, i + 1) == '(' && is_harmless(w, i));
}

// Behind the statement at i; 0: that is not certain. Bodies of loops and branches are statements that end together with it:
// "for () if () x; else y;".
static size_t statement_end(const host_writer *w, size_t i)
{
    size_t open = 0; // 'do's whose 'while' is to come
    for (;;) {
        const int kind = host_kind(w, i);
        if (kind == TOK_DO) {
            open++;
            i++;
            continue;
        }
        if (kind == TOK_IF || kind == TOK_FOR || kind == TOK_WHILE) {
            if (host_kind(w, i + 1) != '(')
                return 0;
            i = behind(w, i + 1);
            continue;
        }
        if (!is_plain_statement(w, i))
            return 0;
        i = kind == '{' ? behind(w, i) : behind_semicolon(w, i);
        for (; open > 0 && host_kind(w, i) == TOK_WHILE; open--)
            i = behind_semicolon(w, i);
        if (open > 0)
            return 0;
        if (host_kind(w, i) != TOK_ELSE)
            return i;
        i++;
    }
}

// Whether a kernel makes streams of others that it gathers rows of: what may wait, as far as this side can tell.
static bool may_wait(const brook_kernel *k)
{
    bool gathers = false, makes = false;
    for (VEC_EACH(brook_var *const, v, &k->params)) {
        gathers |= (*v)->kind == BROOK_GATHER && (*v)->rank == 2;
        makes |= (*v)->kind == BROOK_OUTPUT;
        if ((*v)->kind != BROOK_GATHER && (*v)->kind != BROOK_OUTPUT && (*v)->kind != BROOK_UNIFORM)
            return false;
    }
    return gathers && makes;
}

static bool is_label(const host_writer *w, size_t i)
{
    const int kind = host_kind(w, i), before = host_kind(w, i - 1);
    const bool begins = before == ';' || before == '{' || before == '}' || before == ')' || before == TOK_ELSE ||
                        before == TOK_DO; // behind ')' it may also be a cast between '?' and ':'
    return kind == TOK_CASE || kind == TOK_DEFAULT || (kind == TOK_ID && host_kind(w, i + 1) == ':' && begins);
}

// Whether a word is no macro of the file, or one that is a value: a loop that has another may not be what it looks like.
static bool is_value(const host_writer *w, const char *word, int depth)
{
    const brook_macro *m = w->macros == NULL || word == NULL ? NULL : hmap_get(w->macros, word);
    if (m != NULL && (m->odd || m->function_like || depth == 0))
        return false;
    for (size_t k = 0; m != NULL && k < m->body.len; k++) {
        const int kind = m->body.data[k].kind;
        const bool operator = kind > ' ' && kind < 127 && strchr("+-*/%().", kind) != NULL;
        if (!operator && kind != TOK_NUMBER && !brook_token_is_type(kind) &&
            (kind != TOK_ID || !is_value(w, m->body.data[k].name, depth - 1)))
            return false;
    }
    return true;
}

// Whether what stands at i calls what has no name there: '(*f)(x)', 'table[n](x)'. '(float)(n)' does not.
static bool calls_pointer(const host_writer *w, size_t i)
{
    if (host_kind(w, i) == ']')
        return host_kind(w, i + 1) == '(';
    return host_kind(w, i) == '(' && !brook_token_is_type(host_kind(w, i + 1)) && host_kind(w, behind(w, i)) == '(';
}

// Whether some of a loop's calls may wait, and it calls nothing else. Nobody jumps into it.
static bool calls_wait(const host_writer *w, size_t first, size_t end)
{
    enum { MOST_NESTED = 8 }; // macros
    bool found = false;
    for (size_t i = first; i < end; i++) {
        const int kind = host_kind(w, i);
        if (kind == TOK_DIRECTIVE || is_label(w, i) || calls_pointer(w, i) ||
            (kind == TOK_ID && !is_value(w, host_word(w, i), MOST_NESTED)))
            return false;
        if (kind != TOK_ID || host_kind(w, i + 1) != '(')
            continue;
        if (!is_harmless(w, i))
            return false;
        const brook_kernel *k = hmap_get(&w->program->kernel_names, host_word(w, i));
        found = found || (k != NULL && !k->wrong && !k->broken && may_wait(k));
    }
    return found;
}

// Whether a pragma is right before i: the C compiler may want a loop to follow it.
static bool has_pragma(const host_writer *w, size_t i)
{
    for (; i > 0 && host_kind(w, i - 1) == TOK_DIRECTIVE; i--) {
        const brook_token *d = &w->t[i - 1];
        if (memmem(w->text + d->begin, d->end - d->begin, "pragma", 6) != NULL)
            return true;
    }
    return false;
}

// ---- The block ----

void host_begin_rounds(host_writer *w, size_t i)
{
    if (!w->program->fuse || w->expanding || w->braces == 0 || w->rounds != 0 || !is_loop(host_kind(w, i)) ||
        !host_begins_statement(w, i) || has_pragma(w, i))
        return;
    const size_t end = statement_end(w, i);
    if (end == 0 || host_kind(w, end) == TOK_END || !calls_wait(w, i, end))
        return;
    host_copy_to(w, i);
    strbuf_add(w->out, "{SVM_BROOK_ROUNDS ");
    w->rounds = end;
}

void host_end_rounds(host_writer *w, size_t i)
{
    if (w->rounds == 0 || i < w->rounds)
        return;
    const uint32_t end = w->t[w->rounds - 1].end;
    if (end > w->done) {
        strbuf_addn(w->out, w->text + w->done, end - w->done);
        w->done = end;
    }
    strbuf_addc(w->out, '}');
    w->rounds = 0;
}
