// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the kernels, reduce functions and element structs among the items of a file, by tokens and balanced braces.
#include <errno.h>
#include <string.h>
#include <unistd.h>

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

// Whether two places are the same one of a file that was read twice.
static bool same_source(const brook_program *p, src_range a, src_range b)
{
    const source_set *s = p->diags->sources;
    return a.begin == b.begin && strcmp(source_get(s, a.file)->name, source_get(s, b.file)->name) == 0;
}

static void remember_struct(splitter *s, brook_struct *st)
{
    brook_program *p = s->program;
    const brook_struct *before = hmap_get(&p->struct_names, st->name);
    if (before != NULL && same_source(p, before->name_range, st->name_range))
        return; // of a header that several files include
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

// import "x.str"; or import dsp.fft; between the items of host code, which C has not. The index behind it; 0: none.
static size_t behind_import(const splitter *s, size_t i)
{
    if (kind_at(s, i) != TOK_ID || strcmp(s->t[i].name, "import") != 0)
        return 0;
    if (kind_at(s, i + 1) == TOK_STRING)
        return kind_at(s, i + 2) == ';' ? i + 3 : 0;
    i++;
    while (kind_at(s, i) == TOK_ID && kind_at(s, i + 1) == '.')
        i += 2;
    return kind_at(s, i) == TOK_ID && kind_at(s, i + 1) == ';' ? i + 2 : 0;
}

// A package's name is that of a file: dsp.fft of dsp/fft.str.
static const char *imported_file(const splitter *s, size_t first, size_t last)
{
    arena *a = s->program->arena;
    const brook_token *t = &s->t[first];
    if (t->kind == TOK_STRING) {
        const char *text = source_get(s->program->diags->sources, s->file->source)->text;
        return arena_printf(a, "%.*s", (int)(t->end - t->begin - 2), text + t->begin + 1);
    }
    const char *name = t->name;
    for (size_t i = first + 2; i < last; i += 2)
        name = arena_printf(a, "%s/%s", name, s->t[i].name);
    return arena_printf(a, "%s.str", name);
}

static size_t split_import(splitter *s, size_t last)
{
    brook_item item = {.kind = BROOK_ITEM_IMPORT, .range = range_of(s, s->at, last - 1), .first = s->at, .last = last};
    VEC_PUSH(s->program->arena, &s->program->imports,
             ((brook_import){imported_file(s, s->at + 1, last - 1), item.range}));
    VEC_PUSH(s->program->arena, &s->file->items, item);
    return last;
}

// ---- Headers ----

#define MAX_NESTING 30

static bool ends_with(const char *s, const char *suffix)
{
    size_t n = strlen(s), m = strlen(suffix);
    return n > m && strcmp(s + n - m, suffix) == 0;
}

// NAME of '#include "NAME"'; NULL of any other directive.
static const char *included_name(const splitter *s, const brook_token *directive)
{
    const source_file *f = source_get(s->program->diags->sources, s->file->source);
    const char *text = f->text + directive->begin + 1, *end = f->text + directive->end;
    while (text < end && (*text == ' ' || *text == '\t'))
        text++;
    if (end - text < 7 || strncmp(text, "include", 7) != 0)
        return NULL;
    const char *open = memchr(text, '"', (size_t)(end - text));
    const char *close = open == NULL ? NULL : memchr(open + 1, '"', (size_t)(end - open - 1));
    if (close == NULL)
        return NULL;
    return arena_printf(s->program->arena, "%.*s", (int)(close - open - 1), open + 1);
}

// The Brook header of that name, or the one that a C++ header of this name was once made from; NULL: neither.
static const char *header_path(const splitter *s, const char *path)
{
    if (ends_with(path, ".brh") || ends_with(path, ".brhi"))
        return path;
    const char *dot = strrchr(path, '.');
    if (!ends_with(path, ".h") && !ends_with(path, ".hpp") && !ends_with(path, ".hh"))
        return NULL;
    const char *brook = arena_printf(s->program->arena, "%.*s.brh", (int)(dot - path), path);
    return access(path, R_OK) != 0 && access(brook, R_OK) == 0 ? brook : NULL;
}

// The Brook header that an include names: beside the file that includes it, or in the first of the folders that has it.
static const char *find_header(const splitter *s, const char *name)
{
    const brook_program *p = s->program;
    const char *own = source_get(p->diags->sources, s->file->source)->name, *slash = strrchr(own, '/');
    const char *beside = arena_printf(p->arena, "%.*s%s", slash == NULL ? 0 : (int)(slash + 1 - own), own, name);
    if (name[0] == '/')
        return header_path(s, name);
    if (access(beside, R_OK) == 0)
        return header_path(s, beside);
    const char *first = header_path(s, beside);
    if (first != NULL && access(first, R_OK) == 0)
        return first;
    for (size_t i = 0; i < p->folder_count; i++) {
        const char *path = arena_printf(p->arena, "%s/%s", p->folders[i], name);
        const char *header = header_path(s, path);
        if (access(path, R_OK) == 0 || (header != NULL && access(header, R_OK) == 0))
            return header;
    }
    return first;
}

static void read_file(brook_program *p, brook_file *file, source_id source)
{
    file->source = source;
    file->tokens = ARENA_NEW(p->arena, brook_tokens_of);
    brook_lex(&file->tokens->list, p->arena, p->names, p->diags, source, 0,
              (uint32_t)source_get(p->diags->sources, source)->len);
    brook_split(p, file);
}

// A Brook header's kernels and structs are known from here on.
static void include(splitter *s, size_t at)
{
    brook_program *p = s->program;
    const char *name = included_name(s, &s->t[at]), *path = name == NULL ? NULL : find_header(s, name);
    if (path == NULL)
        return;
    brook_item item = {.kind = BROOK_ITEM_HEADER, .range = range_of(s, at, at), .first = at, .last = at + 1};
    if (hmap_get(&p->headers, path) == NULL) {
        hmap_set(&p->headers, path, p);
        source_id source = p->nesting < MAX_NESTING ? source_read(p->diags->sources, path) : 0;
        if (p->nesting >= MAX_NESTING) {
            diag_error(p->diags, item.range, "more than %d headers include each other", MAX_NESTING);
        } else if (source == 0) {
            diag_error(p->diags, item.range, "cannot read '%s': %s", path, strerror(errno));
        } else {
            item.header = ARENA_NEW(p->arena, brook_file);
            p->nesting++;
            read_file(p, item.header, source);
            p->nesting--;
        }
    }
    VEC_PUSH(p->arena, &s->file->items, item);
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
            include(&s, s.at);
            s.at++;
        } else if (behind_import(&s, s.at) != 0) {
            s.at = split_import(&s, behind_import(&s, s.at));
        } else if (is_kernel(&s, s.at)) {
            s.at = split_kernel(&s);
        } else if (is_element_struct(&s, s.at)) {
            s.at = parse_item(&s, s.at, behind_semicolon(&s, s.at));
        } else {
            s.at = skip_host(&s);
        }
    }
}

brook_program *brook_parse(arena *a, interner *names, diag_engine *d, const source_id *files, size_t count,
                           const char *const *folders, size_t folder_count)
{
    brook_program *p = ARENA_NEW(a, brook_program);
    p->arena = a;
    p->names = names;
    p->diags = d;
    p->folders = folders;
    p->folder_count = folder_count;
    hmap_init(&p->kernel_names, a);
    hmap_init(&p->fused, a);
    hmap_init(&p->struct_names, a);
    for (size_t i = 0; i < count; i++) {
        hmap_init(&p->macros, a);
        hmap_init(&p->headers, a);
        brook_file file = {0};
        read_file(p, &file, files[i]);
        VEC_PUSH(a, &p->files, file);
    }
    return p;
}
