// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Macros in kernels. Directives are opaque lines of the host code, which its C compiler reads; but a kernel may use the
// macros that its own file defines, and these are expanded here.
#include <ctype.h>
#include <string.h>

#include "lang/brook/parse.h"
#include "lang/brook/parser.tab.h"

// Expansions of one item are at most so many tokens.
#define MAX_EXPANSION 50000
// Macros within macros.
#define MAX_ACTIVE 50

typedef struct directive_words {
    const char *text;
    uint32_t at, end;
} directive_words;

static void skip_blanks(directive_words *w)
{
    while (w->at < w->end) {
        if (isspace((unsigned char)w->text[w->at]))
            w->at++;
        else if (w->text[w->at] == '\\' && w->at + 1 < w->end &&
                 (w->text[w->at + 1] == '\n' || w->text[w->at + 1] == '\r'))
            w->at += 2;
        else
            break;
    }
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static const char *next_word(brook_program *p, directive_words *w)
{
    skip_blanks(w);
    uint32_t begin = w->at;
    while (w->at < w->end && is_word(w->text[w->at]))
        w->at++;
    return internn(p->names, w->text + begin, w->at - begin);
}

// Whether two macros of a name are spelled alike.
static bool is_same(const brook_program *p, const brook_macro *a, const brook_macro *b)
{
    bool same = a->function_like == b->function_like && a->params.len == b->params.len && a->body.len == b->body.len;
    for (size_t i = 0; i < a->params.len && same; i++)
        same = a->params.data[i] == b->params.data[i];
    const char *of_a = source_get(p->diags->sources, a->range.file)->text,
               *of_b = source_get(p->diags->sources, b->range.file)->text;
    for (size_t i = 0; i < a->body.len && same; i++) {
        const brook_token *s = &a->body.data[i], *t = &b->body.data[i];
        same =
            s->end - s->begin == t->end - t->begin && memcmp(of_a + s->begin, of_b + t->begin, s->end - s->begin) == 0;
    }
    return same;
}

static void define(brook_program *p, source_id file, directive_words *w)
{
    brook_macro *m = ARENA_NEW(p->arena, brook_macro);
    uint32_t begin = w->at;
    m->name = next_word(p, w);
    m->range = (src_range){file, begin, w->at};
    m->function_like = w->at < w->end && w->text[w->at] == '(';
    diag_engine quiet; // what is odd in a macro is the host compiler's to say, unless a kernel uses it
    diag_init(&quiet, p->arena, p->diags->sources);
    brook_tokens tokens = {0};
    brook_lex(&tokens, p->arena, p->names, &quiet, file, w->at, w->end);
    size_t i = 0;
    if (m->function_like) {
        for (i = 1; i < tokens.len && tokens.data[i].kind != ')' && tokens.data[i].kind != TOK_END; i++)
            if (tokens.data[i].name != NULL)
                VEC_PUSH(p->arena, &m->params, tokens.data[i].name);
            else
                m->odd = m->odd || tokens.data[i].kind == TOK_ELLIPSIS;
        i++;
    }
    for (; i + 1 < tokens.len; i++) {
        VEC_PUSH(p->arena, &m->body, tokens.data[i]);
        m->odd = m->odd || tokens.data[i].kind == '#' || tokens.data[i].kind == TOK_DIRECTIVE;
    }
    const brook_macro *before = hmap_get(&p->macros, m->name);
    m->odd = m->odd || hmap_get(&p->undefined, m->name) != NULL || (before != NULL && !is_same(p, before, m));
    hmap_set(&p->macros, m->name, m);
}

void brook_macro_directive(brook_program *p, source_id file, const brook_token *directive)
{
    directive_words w = {source_get(p->diags->sources, file)->text, directive->begin + 1, directive->end};
    const char *word = next_word(p, &w);
    if (strcmp(word, "define") == 0) {
        skip_blanks(&w);
        define(p, file, &w);
    } else if (strcmp(word, "undef") == 0) {
        const char *name = next_word(p, &w);
        if (hmap_get(&p->macros, name) != NULL)
            hmap_set(&p->undefined, name, p);
        hmap_set(&p->macros, name, NULL);
    }
}

typedef struct expansion {
    brook_program *program;
    source_id file;
    brook_tokens *out;
    VEC(const brook_macro *) active; // those being expanded, which are not again
    size_t made;                     // tokens by macros
    bool failed;
} expansion;

static void expand(expansion *x, const brook_token *list, size_t count, const brook_token *place);

static void put(expansion *x, const brook_token *t, const brook_token *place)
{
    if (place != NULL && x->made++ >= MAX_EXPANSION) {
        if (!x->failed)
            diag_error(x->program->diags, (src_range){x->file, place->begin, place->end},
                       "macros make more than %d tokens of this kernel", MAX_EXPANSION);
        x->failed = true;
        return;
    }
    brook_token copy = *t;
    if (place != NULL) {
        copy.begin = place->begin;
        copy.end = place->end;
        copy.expanded = true;
    }
    VEC_PUSH(x->program->arena, x->out, copy);
}

// The arguments of a use list[0] '(' ..: gives the tokens of each, how many there are, and the number of tokens used up; 0
// without '('.
static size_t arguments(expansion *x, const brook_token *list, size_t count, brook_tokens *args, size_t wanted,
                        size_t *given)
{
    if (count < 2 || list[1].kind != '(')
        return 0;
    size_t depth = 0, which = 0;
    for (size_t i = 1; i < count; i++) {
        int kind = list[i].kind;
        if (kind == '(' && ++depth == 1)
            continue;
        if (kind == ')' && --depth == 0) {
            *given = which > 0 || i > 2 || wanted > 0 ? which + 1 : 0;
            return i + 1;
        }
        if (kind == ',' && depth == 1) {
            which++;
            continue;
        }
        if (which < wanted)
            VEC_PUSH(x->program->arena, &args[which], list[i]);
    }
    return 0;
}

static void expand_function(expansion *x, const brook_macro *m, const brook_tokens *args, const brook_token *place)
{
    brook_tokens body = {0};
    for (VEC_EACH(const brook_token, t, &m->body)) {
        size_t param = m->params.len;
        for (size_t i = 0; i < m->params.len; i++)
            if (t->name == m->params.data[i])
                param = i;
        if (param == m->params.len) {
            VEC_PUSH(x->program->arena, &body, *t);
            continue;
        }
        for (VEC_EACH(const brook_token, a, &args[param])) {
            if (body.len > MAX_EXPANSION)
                break;
            VEC_PUSH(x->program->arena, &body, *a);
        }
    }
    VEC_PUSH(x->program->arena, &x->active, m);
    expand(x, body.data, body.len, place);
    x->active.len--;
}

static const brook_macro *macro_of(const expansion *x, const brook_token *t)
{
    const brook_macro *m = t->name == NULL ? NULL : hmap_get(&x->program->macros, t->name);
    if (x->active.len >= MAX_ACTIVE)
        return NULL;
    for (size_t i = 0; m != NULL && i < x->active.len; i++)
        if (x->active.data[i] == m)
            m = NULL;
    return m;
}

static void expand(expansion *x, const brook_token *list, size_t count, const brook_token *place)
{
    for (size_t i = 0; i < count && !x->failed; i++) {
        const brook_token *at = place != NULL ? place : &list[i];
        const brook_macro *m = macro_of(x, &list[i]);
        if (m == NULL) {
            put(x, &list[i], place);
        } else if (!m->function_like) {
            brook_token where = *at;
            VEC_PUSH(x->program->arena, &x->active, m);
            expand(x, m->body.data, m->body.len, &where);
            x->active.len--;
        } else {
            brook_tokens *args = ARENA_ARRAY(x->program->arena, brook_tokens, m->params.len + 1);
            size_t given = 0, used = arguments(x, list + i, count - i, args, m->params.len, &given);
            brook_token where = *at;
            if (used != 0 && given != m->params.len && !m->odd && !x->failed) {
                diag_error(x->program->diags, (src_range){x->file, at->begin, at->end},
                           "macro '%s' takes %zu argument%s, not %zu", list[i].name, m->params.len,
                           m->params.len == 1 ? "" : "s", given);
                x->failed = true;
            }
            if (used == 0) {
                put(x, &list[i], place);
                continue;
            }
            expand_function(x, m, args, &where);
            i += used - 1;
        }
    }
}

void brook_expand(brook_program *p, source_id file, const brook_token *list, size_t count, brook_tokens *out)
{
    expansion x = {.program = p, .file = file, .out = out};
    expand(&x, list, count, NULL);
}
