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

// ---- Branches of '#if' ----

// The next '#elif', '#else' or '#endif' of the '#if' whose branch begins at i; of TOK_END when there is none.
static size_t end_of_branch(const splitter *s, size_t i)
{
    size_t depth = 0;
    brook_truth unused;
    for (; kind_at(s, i) != TOK_END; i++) {
        if (kind_at(s, i) != TOK_DIRECTIVE)
            continue;
        brook_conditional c = brook_conditional_of(s->program, s->file->source, &s->t[i], &unused);
        if (c != BROOK_UNCONDITIONAL && c != BROOK_IF && depth == 0)
            return i;
        depth += c == BROOK_IF;
        depth -= c == BROOK_ENDIF;
    }
    return i;
}

static bool is_balanced(const splitter *s, size_t i, size_t end)
{
    ptrdiff_t depth = 0;
    for (; i < end && depth >= 0; i++)
        depth += (kind_at(s, i) == '{') - (kind_at(s, i) == '}');
    return depth == 0;
}

// Takes tokens out; their text stays where it is.
static void drop(splitter *s, size_t begin, size_t end)
{
    brook_tokens *list = &s->file->tokens->list;
    memmove(&list->data[begin], &list->data[end], (list->len - end) * sizeof *list->data);
    list->len -= end - begin;
}

// NOTE(conditions). Of an '#if' at i, what the C compiler does not see goes. Where that is not known, since the system's
// headers may define a name or not, the name is taken for undefined: a branch that is not seen then has no kernels, structs
// and macros, and what it has as host code is rewritten as far as it can be. If braces are open at its end, it goes, too.
static void choose_branches(splitter *s, size_t i)
{
    bool taken = false, doubt = false;
    brook_truth truth = {0};
    for (;;) {
        brook_conditional c = brook_conditional_of(s->program, s->file->source, &s->t[i], &truth);
        if (c == BROOK_UNCONDITIONAL || c == BROOK_ENDIF)
            return;
        if (truth.unfinished && !taken)
            diag_error(s->program->diags, range_of(s, i, i), "the condition ends where a value is missing");
        size_t end = end_of_branch(s, i + 1);
        if (kind_at(s, end) == TOK_END)
            return; // the C compiler tells of that
        const bool live = !taken && truth.value != 0;
        doubt = doubt || (!taken && !truth.known);
        taken = taken || live;
        if (!live && (!doubt || !is_balanced(s, i + 1, end))) {
            drop(s, i + 1, end);
            end = i + 1;
        }
        for (size_t k = i + 1; k < end && !live; k++)
            s->file->tokens->list.data[k].dead = true;
        i = end;
    }
}

static void directive(splitter *s, size_t i)
{
    brook_truth unused;
    if (s->t[i].dead)
        return;
    if (brook_conditional_of(s->program, s->file->source, &s->t[i], &unused) == BROOK_IF)
        choose_branches(s, i);
    else
        brook_macro_directive(s->program, s->file->source, &s->t[i]);
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
            directive(s, i);
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

static bool takes_the_same(const brook_kernel *a, const brook_kernel *b)
{
    bool same = a->reduce == b->reduce && brook_type_same(a->result, b->result) && a->params.len == b->params.len;
    for (size_t i = 0; i < a->params.len && same; i++) {
        const brook_var *x = a->params.data[i], *y = b->params.data[i];
        same = x->kind == y->kind && x->rank == y->rank && brook_type_same(x->type, y->type);
    }
    return same;
}

static void remember_kernel(splitter *s, brook_kernel *k)
{
    brook_program *p = s->program;
    brook_kernel *before = hmap_get(&p->kernel_names, k->name);
    k->file = s->file->source;
    VEC_PUSH(p->arena, &p->kernels, k);
    if (before != NULL && !before->broken && !k->broken && (before->body == NULL || k->body == NULL) &&
        !takes_the_same(before, k)) {
        diag_record *r =
            diag_error(p->diags, k->name_range, "'%s' has other parameters, or another result, than before", k->name);
        diag_add_note(p->diags, r, before->name_range, "it is declared here, too");
    }
    if (before != NULL && before->body != NULL && k->body != NULL) {
        diag_record *r =
            diag_error(p->diags, k->name_range, "'%s' is defined twice: kernels cannot be overloaded", k->name);
        diag_add_note(p->diags, r, before->name_range, "the first definition is here");
    } else if (before == NULL || k->body != NULL) {
        hmap_set(&p->kernel_names, k->name, k);
    }
}

// What is left of an item between the branches of '#if' in it.
static void chosen(const splitter *s, size_t begin, size_t end, brook_tokens *out)
{
    brook_truth unused;
    for (size_t i = begin; i < end; i++) {
        const brook_token *t = &s->t[i];
        const bool chooses = t->kind == TOK_DIRECTIVE &&
                             brook_conditional_of(s->program, s->file->source, t, &unused) != BROOK_UNCONDITIONAL;
        if (!chooses && !t->dead)
            VEC_PUSH(s->program->arena, out, *t);
    }
}

static size_t parse_item(splitter *s, size_t begin, size_t end)
{
    if (end == begin)
        return begin + 1;
    brook_item item = {.range = range_of(s, begin, end - 1)};
    brook_tokens tokens = {0};
    chosen(s, begin, end, &tokens);
    brook_parse_item(s->program, s->file->source, tokens.data, tokens.len, &item);
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

static size_t behind_kernel(splitter *s)
{
    size_t i = s->at;
    while (kind_at(s, i) != '{' && kind_at(s, i) != ';' && kind_at(s, i) != TOK_END && kind_at(s, i) != TOK_DIRECTIVE)
        i++;
    if (kind_at(s, i) == '{')
        return behind_block(s, i);
    return kind_at(s, i) == ';' ? i + 1 : i;
}

// A kernel that the program has not: its text goes as that of others.
static size_t skip_kernel(splitter *s)
{
    size_t end = behind_kernel(s);
    brook_item item = {.kind = BROOK_ITEM_KERNEL, .range = range_of(s, s->at, end - 1), .first = s->at, .last = end};
    VEC_PUSH(s->program->arena, &s->file->items, item);
    return end;
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

// NAME of '#include "NAME"' or of '#include <NAME>'; NULL of any other directive.
static const char *included_name(const splitter *s, const brook_token *directive, const char *marks)
{
    const source_file *f = source_get(s->program->diags->sources, s->file->source);
    const char *text = f->text + directive->begin + 1, *end = f->text + directive->end;
    while (text < end && (*text == ' ' || *text == '\t'))
        text++;
    if (end - text < 7 || strncmp(text, "include", 7) != 0)
        return NULL;
    const char *open = memchr(text, marks[0], (size_t)(end - text));
    const char *close = open == NULL ? NULL : memchr(open + 1, marks[1], (size_t)(end - open - 1));
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
    brook_check_conditionals(p, source, &file->tokens->list);
    brook_split(p, file);
}

// ---- Macros from elsewhere ----

// Lines of '#define' that no file of the program has.
static void define_all(brook_program *p, const char *name, const strbuf *lines)
{
    brook_tokens tokens = {0};
    if (lines->len == 0)
        return;
    source_id source = source_add(p->diags->sources, name, lines->data, lines->len);
    diag_engine quiet;
    diag_init(&quiet, p->arena, p->diags->sources);
    brook_lex(&tokens, p->arena, p->names, &quiet, source, 0, (uint32_t)lines->len);
    for (VEC_EACH(const brook_token, t, &tokens))
        if (t->kind == TOK_DIRECTIVE)
            brook_macro_directive(p, source, t);
}

static void define_constants(brook_program *p, const char *header)
{
    static const struct {
        const char *name, *number, *header;
    } constants[] = {
#define CONSTANT(name, number, header) {#name, number, header},
#include "lang/brook/constants.def"
    };
    strbuf b;
    strbuf_init(&b, p->arena);
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
        if (strcmp(constants[i].header, header) == 0)
            strbuf_printf(&b, "#define %s %s\n", constants[i].name, constants[i].number);
    define_all(p, arena_printf(p->arena, "<%s>", header), &b);
}

// Those of -D.
static void define_given(brook_program *p, const brook_surroundings *around)
{
    strbuf b;
    strbuf_init(&b, p->arena);
    for (size_t i = 0; i < around->define_count; i++) {
        const char *text = around->defines[i], *value = strchr(text, '=');
        strbuf_printf(&b, "#define %.*s %s\n", value == NULL ? (int)strlen(text) : (int)(value - text), text,
                      value == NULL ? "1" : value + 1);
    }
    define_all(p, "<command line>", &b);
}

// The C header of that name, which kernels know the macros of; NULL: there is none.
static const char *find_c_header(const splitter *s, const char *name)
{
    const brook_program *p = s->program;
    const char *own = source_get(p->diags->sources, s->file->source)->name, *slash = strrchr(own, '/');
    const char *beside = arena_printf(p->arena, "%.*s%s", slash == NULL ? 0 : (int)(slash + 1 - own), own, name);
    if (name[0] == '/' || access(beside, R_OK) == 0)
        return name[0] == '/' ? name : beside;
    for (size_t i = 0; i < p->folder_count; i++) {
        const char *path = arena_printf(p->arena, "%s/%s", p->folders[i], name);
        if (access(path, R_OK) == 0)
            return path;
    }
    return NULL;
}

static void read_macros(splitter *s, const char *path)
{
    brook_program *p = s->program;
    if (path == NULL || p->nesting >= MAX_NESTING || hmap_get(&p->headers, path) != NULL)
        return;
    hmap_set(&p->headers, path, p);
    source_id source = source_read(p->diags->sources, path);
    if (source == 0)
        return; // the C compiler tells of that
    brook_file file = {.source = source, .tokens = ARENA_NEW(p->arena, brook_tokens_of)};
    diag_engine quiet;
    diag_init(&quiet, p->arena, p->diags->sources);
    brook_lex(&file.tokens->list, p->arena, p->names, &quiet, source, 0,
              (uint32_t)source_get(p->diags->sources, source)->len);
    splitter in = {.program = p, .file = &file, .t = file.tokens->list.data};
    p->nesting++;
    for (size_t i = 0; kind_at(&in, i) != TOK_END; i++)
        if (kind_at(&in, i) == TOK_DIRECTIVE && !in.t[i].dead) {
            const char *name = included_name(&in, &in.t[i], "\"\"");
            brook_tokens words = {0};
            brook_lex(&words, p->arena, p->names, &quiet, source, in.t[i].begin + 1, in.t[i].end);
            for (VEC_EACH(const brook_token, t, &words))
                if (t->name != NULL)
                    hmap_set(&p->header_words, t->name, p);
            directive(&in, i);
            if (name != NULL)
                read_macros(&in, find_c_header(&in, name));
        }
    p->nesting--;
}

// A Brook header's kernels and structs are known from here on.
static void include(splitter *s, size_t at)
{
    brook_program *p = s->program;
    const char *system = included_name(s, &s->t[at], "<>");
    if (system != NULL)
        define_constants(p, system);
    const char *name = included_name(s, &s->t[at], "\"\""), *path = name == NULL ? NULL : find_header(s, name);
    if (path == NULL && name != NULL)
        read_macros(s, find_c_header(s, name));
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
            directive(&s, s.at);
            if (!s.t[s.at].dead)
                include(&s, s.at);
            s.at++;
        } else if (s.t[s.at].dead) {
            s.at = is_kernel(&s, s.at) ? skip_kernel(&s) : skip_host(&s);
        } else if (behind_import(&s, s.at) != 0) {
            s.at = split_import(&s, behind_import(&s, s.at));
        } else if (is_kernel(&s, s.at)) {
            s.at = parse_item(&s, s.at, behind_kernel(&s));
        } else if (is_element_struct(&s, s.at)) {
            s.at = parse_item(&s, s.at, behind_semicolon(&s, s.at));
        } else {
            s.at = skip_host(&s);
        }
    }
}

brook_program *brook_parse(arena *a, interner *names, diag_engine *d, const source_id *files, size_t count,
                           const brook_surroundings *around)
{
    brook_program *p = ARENA_NEW(a, brook_program);
    p->arena = a;
    p->names = names;
    p->diags = d;
    p->folders = around->folders;
    p->folder_count = around->folder_count;
    hmap_init(&p->kernel_names, a);
    hmap_init(&p->fused, a);
    hmap_init(&p->struct_names, a);
    hmap_init(&p->header_words, a);
    for (size_t i = 0; i < count; i++) {
        hmap_init(&p->macros, a);
        hmap_init(&p->undefined, a);
        hmap_init(&p->headers, a);
        define_constants(p, "math.h");
        define_given(p, around);
        brook_file file = {0};
        read_file(p, &file, files[i]);
        file.macros = p->macros;
        VEC_PUSH(a, &p->files, file);
    }
    return p;
}
