// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Macros in host code. The C compiler expands them, behind what is rewritten here; so one whose expansion has something
// to be rewritten is expanded before:
//
//     #define ROTATE(a, b, t) t = a; a = b; b = t
//     ROTATE(old, new, spare);    ->    svm_brookAssign(&(spare), old); ..
//
// Those that are defined differently in the file, or paste, or make strings, or take any number of arguments, are left to
// the C compiler.
#include <string.h>

#include "lang/brook/host.h"

enum { MOST_BYTES = 1 << 20, MOST_USES = 100000, MOST_NESTED = 1000 };

typedef struct expansion {
    const host_writer *w;
    source_set sources; // texts on the way
    diag_engine quiet;
    VEC(const brook_macro *) active; // those being expanded, which are not again
    int uses;                        // so far: what they become may be nothing
    int nested;                      // uses within uses
    bool failed;                     // it is left to the C compiler
    bool large;
} expansion;

typedef struct words {
    const char *text; // that their places are in
    const brook_token *t;
    size_t count;
} words;

static const brook_macro *macro_of(const expansion *x, const brook_token *t)
{
    const hmap *macros = x->w->macros;
    const brook_macro *m = t->kind != TOK_ID || macros == NULL ? NULL : hmap_get(macros, t->name);
    for (size_t i = 0; m != NULL && i < x->active.len; i++)
        if (x->active.data[i] == m)
            return NULL;
    return m;
}

static size_t closing(const words *s, size_t i)
{
    size_t depth = 0;
    for (; i < s->count; i++) {
        const int kind = s->t[i].kind;
        if (kind == '(' || kind == '[' || kind == '{')
            depth++;
        if ((kind == ')' || kind == ']' || kind == '}') && --depth == 0)
            return i;
    }
    return s->count;
}

static void put(expansion *x, strbuf *out, const char *text, size_t len)
{
    x->large = x->large || out->len + len > MOST_BYTES;
    x->failed = x->failed || x->large;
    if (x->failed)
        return;
    strbuf_addn(out, text, len);
    strbuf_addc(out, ' ');
}

static void expand(expansion *x, words s, strbuf *out);

static void expand_active(expansion *x, const brook_macro *m, words s, strbuf *out)
{
    VEC_PUSH(x->w->arena, &x->active, m);
    expand(x, s, out);
    x->active.len--;
}

static words body_of(const expansion *x, const brook_macro *m)
{
    return (words){source_get(x->w->diags->sources, m->range.file)->text, m->body.data, m->body.len};
}

static words words_of(expansion *x, const strbuf *b)
{
    const source_id id = source_add(&x->sources, "", b->data, b->len);
    brook_tokens list = {0};
    brook_lex(&list, x->w->arena, x->w->program->names, &x->quiet, id, 0, (uint32_t)b->len);
    return (words){source_get(&x->sources, id)->text, list.data, list.len - 1};
}

// The body with arguments in the place of parameters; an argument is expanded before.
static void expand_call(expansion *x, const brook_macro *m, words s, size_t open, size_t close, strbuf *out)
{
    arena *a = x->w->arena;
    VEC(const char *) args = {0};
    strbuf b;
    for (size_t i = open + 1, first = i; i <= close; i++) {
        const int kind = s.t[i].kind;
        if (i < close && (kind == '(' || kind == '[' || kind == '{'))
            i = closing(&s, i);
        if (i < close && s.t[i].kind != ',')
            continue;
        strbuf_init(&b, a);
        expand(x, (words){s.text, s.t + first, i - first}, &b);
        VEC_PUSH(a, &args, b.data == NULL ? "" : b.data);
        first = i + 1;
    }
    const bool none = m->params.len == 0 && args.len == 1 && open + 1 == close;
    x->failed = x->failed || (args.len != m->params.len && !none);
    if (x->failed)
        return;
    const words body = body_of(x, m);
    strbuf_init(&b, a);
    for (size_t i = 0; i < body.count; i++) {
        size_t p = 0;
        while (p < m->params.len && m->params.data[p] != body.t[i].name)
            p++;
        if (p < m->params.len)
            put(x, &b, args.data[p], strlen(args.data[p]));
        else
            put(x, &b, body.text + body.t[i].begin, body.t[i].end - body.t[i].begin);
    }
    if (b.len > 0 && !x->failed)
        expand_active(x, m, words_of(x, &b), out);
}

static void expand(expansion *x, words s, strbuf *out)
{
    x->large = x->large || ++x->nested > MOST_NESTED || ++x->uses > MOST_USES;
    x->failed = x->failed || x->large;
    for (size_t i = 0; i < s.count && !x->failed; i++) {
        const brook_macro *m = macro_of(x, &s.t[i]);
        if (m != NULL && m->function_like && (i + 1 >= s.count || s.t[i + 1].kind != '('))
            m = NULL;
        if (m == NULL) {
            put(x, out, s.text + s.t[i].begin, s.t[i].end - s.t[i].begin);
            continue;
        }
        x->failed = m->odd;
        if (!m->function_like) {
            expand_active(x, m, body_of(x, m), out);
            continue;
        }
        const size_t close = closing(&s, i + 1);
        x->failed = x->failed || close >= s.count;
        if (!x->failed)
            expand_call(x, m, s, i + 1, close, out);
        i = close;
    }
    x->nested--;
}

// ---- What is to be rewritten ----

static bool is_balanced(const host_writer *w)
{
    size_t depth = 0;
    for (size_t i = 0; i < w->count; i++) {
        const int kind = w->t[i].kind;
        if (kind == '(' || kind == '[' || kind == '{')
            depth++;
        if ((kind == ')' || kind == ']' || kind == '}') && depth-- == 0)
            return false;
    }
    return depth == 0;
}

// An expansion that calls kernels, takes views, or declares or assigns streams.
static bool is_of_brook(const host_writer *w)
{
    bool assigns = false, names = false;
    for (size_t i = 0; i + 1 < w->count; i++) {
        const int kind = host_kind(w, i), next = host_kind(w, i + 1), before = i > 0 ? host_kind(w, i - 1) : 0;
        const bool word = kind == TOK_ID;
        if (word && next == '(' && hmap_get(&w->program->kernel_names, host_word(w, i)) != NULL)
            return true;
        if (host_is(w, i, "domain") && next == '(' && (before == '.' || before == TOK_ARROW))
            return true;
        if (word && next == '<' && (before == TOK_ID || host_is_specifier_word(before)))
            return true;
        assigns = assigns || kind == '=';
        names = names || (word && host_find(w, host_word(w, i)) != NULL);
    }
    return assigns && names;
}

size_t host_macro(host_writer *w, size_t i)
{
    expansion x = {.w = w};
    const brook_macro *m = w->braces == 0 || w->expanding || w->t[i].dead ? NULL : macro_of(&x, &w->t[i]);
    if (m == NULL || (m->function_like && host_kind(w, i + 1) != '('))
        return 0;
    size_t last = m->function_like ? host_closing(w, i + 1) : i;
    if (host_kind(w, last) == TOK_END)
        return 0;
    if (host_begins_declaration(w, i) && host_kind(w, last + 1) == ';') // which a declaration ends with
        last++;
    source_set_init(&x.sources, w->arena);
    diag_init(&x.quiet, w->arena, &x.sources);
    strbuf b;
    strbuf_init(&b, w->arena);
    expand(&x, (words){w->text, w->t + i, last + 1 - i}, &b);
    if (x.large)
        diag_error(
            w->diags, host_range(w, i, i),
            "the macro '%s' becomes more than %d bytes, or has more than %d uses of macros, or %d within each other",
            m->name, MOST_BYTES, MOST_USES, MOST_NESTED);
    if (x.failed || b.len == 0)
        return x.large ? last + 1 : 0;
    const words found = words_of(&x, &b);
    host_writer in = *w;
    in.text = b.data;
    in.t = found.t;
    in.count = found.count + 1;
    in.done = 0;
    in.expanding = true;
    in.opens.len = 0;
    if (!is_balanced(&in) || !is_of_brook(&in))
        return 0;
    source_set *sources = w->diags->sources;
    in.file = source_add(sources, arena_printf(w->arena, "<macro %s>", m->name), b.data, b.len);
    sources->files.data[in.file].imported = host_range(w, i, last);
    host_copy_to(w, i);
    const size_t mark = w->out->len;
    host_walk(&in, NULL);
    host_copy_to(&in, in.count - 1);
    w->names = in.names;
    w->scopes = in.scopes;
    w->made = in.made;
    host_settle(w, mark, w->t[i].begin, last);
    return last + 1;
}
