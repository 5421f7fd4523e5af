// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the kernels, reduce functions and element structs among the items of a file, by tokens and balanced braces.
#include <stdlib.h>
#include <string.h>

#include "lang/brook/parse.h"
#include "lang/brook/parser.tab.h"

typedef struct splitter {
    brook_program *program;
    brook_file *file;
    const brook_token *t;
    size_t at;
    bool conditionals; // some directive may leave braces out of balance
} splitter;

static src_range range_of(const splitter *s, size_t first, size_t last)
{
    return (src_range){s->file->source, s->t[first].begin, s->t[last].end};
}

static int kind_at(const splitter *s, size_t i)
{
    return s->t[i].kind;
}

// The index behind the '}' that ends what begins with '{' at i; of TOK_END when there is none.
static size_t behind_block(splitter *s, size_t i)
{
    size_t depth = 0, open = i;
    for (; kind_at(s, i) != TOK_END; i++) {
        if (kind_at(s, i) == '{')
            depth++;
        else if (kind_at(s, i) == '}' && --depth == 0)
            return i + 1;
        else if (kind_at(s, i) == TOK_DIRECTIVE)
            brook_macro_directive(s->program, s->file->source, &s->t[i]);
    }
    if (!s->conditionals) {
        src_range where = range_of(s, open, open);
        diag_error(s->program->diags, where, "this '{' has no '}'");
    }
    return i;
}

// Whether the item that begins at i is a kernel's or a reduce function's: one of these words stands before its '('.
static bool is_kernel(const splitter *s, size_t i)
{
    for (;; i++) {
        switch (kind_at(s, i)) {
        case TOK_KERNEL:
        case TOK_REDUCE: return true;
        case TOK_END:
        case TOK_DIRECTIVE:
        case '(':
        case '{':
        case '}':
        case '=':
        case ';': return false;
        default: break;
        }
    }
}

// Whether 'typedef struct' at i can be an element: its members are plain and have types that kernels know.
static bool is_element_struct(const splitter *s, size_t i)
{
    if (kind_at(s, i) != TOK_TYPEDEF || kind_at(s, i + 1) != TOK_STRUCT)
        return false;
    i += 2;
    i += kind_at(s, i) == TOK_ID;
    if (kind_at(s, i) != '{' || kind_at(s, i + 1) == '}')
        return false;
    bool begins = true;
    for (i++; kind_at(s, i) != '}'; i++) {
        int kind = kind_at(s, i);
        if (kind == TOK_ID && begins && hmap_get(&s->program->struct_names, s->t[i].name) == NULL)
            return false;
        if (kind != TOK_ID && kind != ',' && kind != ';' && kind != TOK_INT && kind != TOK_UNSIGNED &&
            !brook_token_is_type(kind))
            return false;
        begins = kind == ';';
    }
    return kind_at(s, i + 1) == TOK_ID && kind_at(s, i + 2) == ';';
}

static size_t behind_semicolon(const splitter *s, size_t i)
{
    size_t depth = 0;
    for (; kind_at(s, i) != TOK_END; i++) {
        if (kind_at(s, i) == '{')
            depth++;
        if (kind_at(s, i) == '}' && depth-- == 0)
            return i;
        if (kind_at(s, i) == ';' && depth == 0)
            return i + 1;
    }
    return i;
}

static void remember_struct(splitter *s, brook_struct *st)
{
    brook_program *p = s->program;
    const brook_struct *before = hmap_get(&p->struct_names, st->name);
    if (before != NULL) {
        diag_record *r = diag_error(p->diags, st->name_range, "type '%s' is defined twice", st->name);
        diag_add_note(p->diags, r, before->name_range, "the first definition is here");
        return;
    }
    VEC_PUSH(p->arena, &p->structs, st);
    hmap_set(&p->struct_names, st->name, st);
}

static void remember_kernel(splitter *s, brook_kernel *k)
{
    brook_program *p = s->program;
    brook_kernel *before = hmap_get(&p->kernel_names, k->name);
    k->file = s->file->source;
    VEC_PUSH(p->arena, &p->kernels, k);
    if (before != NULL && before->body != NULL && k->body != NULL) {
        diag_record *r =
            diag_error(p->diags, k->name_range, "'%s' is defined twice: kernels cannot be overloaded", k->name);
        diag_add_note(p->diags, r, before->name_range, "the first definition is here");
    } else if (before == NULL || k->body != NULL) {
        hmap_set(&p->kernel_names, k->name, k);
    }
}

static size_t parse_item(splitter *s, size_t begin, size_t end)
{
    if (end == begin)
        return begin + 1;
    brook_item item = {.range = range_of(s, begin, end - 1)};
    brook_parse_item(s->program, s->file->source, s->t + begin, end - begin, &item);
    item.kind = is_kernel(s, begin) ? BROOK_ITEM_KERNEL : BROOK_ITEM_STRUCT;
    item.first = begin;
    item.last = end;
    if (item.structure != NULL)
        remember_struct(s, item.structure);
    if (item.kernel != NULL)
        remember_kernel(s, item.kernel);
    VEC_PUSH(s->program->arena, &s->file->items, item);
    return end;
}

static size_t split_kernel(splitter *s)
{
    size_t i = s->at;
    while (kind_at(s, i) != '{' && kind_at(s, i) != ';' && kind_at(s, i) != TOK_END && kind_at(s, i) != TOK_DIRECTIVE)
        i++;
    if (kind_at(s, i) == '{')
        return parse_item(s, s->at, behind_block(s, i));
    return parse_item(s, s->at, kind_at(s, i) == ';' ? i + 1 : i);
}

// The rest of a host item: to a ';', or behind a function's body.
static size_t skip_host(splitter *s)
{
    size_t i = s->at;
    bool function = false;
    for (; kind_at(s, i) != TOK_END && kind_at(s, i) != TOK_DIRECTIVE; i++) {
        if (kind_at(s, i) == ';')
            return i + 1;
        if (kind_at(s, i) == '}') {
            if (!s->conditionals)
                diag_error(s->program->diags, range_of(s, i, i), "this '}' has no '{'");
            return i + 1;
        }
        if (kind_at(s, i) == ')')
            function = kind_at(s, i + 1) == '{' || function;
        if (kind_at(s, i) == '=')
            function = false;
        if (kind_at(s, i) == '{') {
            i = behind_block(s, i);
            if (function || kind_at(s, i) == TOK_END)
                return i;
            i--;
        }
    }
    return i;
}

void brook_split(brook_program *p, brook_file *file)
{
    splitter s = {.program = p, .file = file, .t = file->tokens->list.data};
    const char *text = source_get(p->diags->sources, file->source)->text;
    for (VEC_EACH(brook_token, t, &file->tokens->list))
        if (t->kind == TOK_DIRECTIVE) {
            uint32_t i = t->begin + 1;
            while (text[i] == ' ' || text[i] == '\t')
                i++;
            s.conditionals |= strncmp(text + i, "if", 2) == 0;
        }
    while (kind_at(&s, s.at) != TOK_END) {
        if (kind_at(&s, s.at) == TOK_DIRECTIVE) {
            brook_macro_directive(p, file->source, &s.t[s.at]);
            s.at++;
        } else if (is_kernel(&s, s.at)) {
            s.at = split_kernel(&s);
        } else if (is_element_struct(&s, s.at)) {
            s.at = parse_item(&s, s.at, behind_semicolon(&s, s.at));
        } else {
            s.at = skip_host(&s);
        }
    }
}

brook_program *brook_parse(arena *a, interner *names, diag_engine *d, const source_id *files, size_t count)
{
    brook_program *p = ARENA_NEW(a, brook_program);
    p->arena = a;
    p->names = names;
    p->diags = d;
    hmap_init(&p->kernel_names, a);
    hmap_init(&p->struct_names, a);
    for (size_t i = 0; i < count; i++) {
        hmap_init(&p->macros, a);
        brook_file *file = VEC_ADD(a, &p->files);
        file->source = files[i];
        file->tokens = ARENA_NEW(a, brook_tokens_of);
        brook_lex(&file->tokens->list, a, names, d, files[i], 0, (uint32_t)source_get(d->sources, files[i])->len);
        brook_split(p, file);
    }
    return p;
}
