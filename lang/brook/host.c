// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The walk over host code.
#include "lang/brook/host.h"
#include "lang/brook/library.h"

#include <string.h>

// ---- Tokens ----

int host_kind(const host_writer *w, size_t i)
{
    return w->t[i < w->count ? i : w->count - 1].kind;
}

const char *host_word(const host_writer *w, size_t i)
{
    const char *name = w->t[i < w->count ? i : w->count - 1].name;
    return name == NULL ? "" : name;
}

bool host_is(const host_writer *w, size_t i, const char *word)
{
    return strcmp(host_word(w, i), word) == 0;
}

src_range host_range(const host_writer *w, size_t first, size_t last)
{
    return (src_range){w->file, w->t[first].begin, w->t[last].end};
}

void host_copy_to(host_writer *w, size_t i)
{
    uint32_t to = w->t[i].begin;
    if (to > w->done)
        strbuf_addn(w->out, w->text + w->done, to - w->done);
    if (to > w->done)
        w->done = to;
}

void host_skip_through(host_writer *w, size_t last)
{
    uint32_t to = w->t[last].end;
    for (; w->done < to; w->done++)
        if (w->text[w->done] == '\n')
            strbuf_addc(w->out, '\n');
}

void host_settle(host_writer *w, size_t mark, uint32_t begin, size_t last)
{
    size_t wanted = 0, written = 0;
    for (uint32_t i = begin; i < w->t[last].end; i++)
        wanted += w->text[i] == '\n';
    for (size_t i = mark; i < w->out->len; i++)
        written += w->out->data[i] == '\n';
    for (; written < wanted; written++)
        strbuf_addc(w->out, '\n');
    if (written > wanted)
        strbuf_printf(w->out, "\n#line %u\n", source_pos(w->diags->sources, w->file, w->t[last].end).line);
    w->done = w->t[last].end;
}

size_t host_closing(const host_writer *w, size_t i)
{
    size_t depth = 0;
    for (; host_kind(w, i) != TOK_END; i++) {
        int kind = host_kind(w, i);
        if (kind == '(' || kind == '[' || kind == '{')
            depth++;
        if ((kind == ')' || kind == ']' || kind == '}') && --depth == 0)
            return i;
    }
    return w->count - 1;
}

void host_split(const host_writer *w, size_t first, size_t last, host_pieces *out)
{
    size_t begin = first;
    if (first == last)
        return;
    for (size_t i = first; i < last; i++) {
        int kind = host_kind(w, i);
        if (kind == '(' || kind == '[' || kind == '{')
            i = host_closing(w, i);
        if (kind == ',') {
            VEC_PUSH(w->arena, out, ((host_piece){begin, i}));
            begin = i + 1;
        }
    }
    VEC_PUSH(w->arena, out, ((host_piece){begin, last}));
}

// ---- Names ----

const host_name *host_find(const host_writer *w, const char *name)
{
    for (size_t i = w->names.len; i > 0; i--)
        if (strcmp(w->names.data[i - 1].name, name) == 0)
            return w->names.data[i - 1].kind == HOST_OTHER ? NULL : &w->names.data[i - 1];
    return NULL;
}

void host_declare(host_writer *w, host_name name)
{
    VEC_PUSH(w->arena, &w->names, name);
}

// ---- Expressions and statements ----

static size_t slash_comment(host_writer *w, size_t i)
{
    host_copy_to(w, i + 1 < w->count ? i : w->count - 1);
    strbuf_add(w->out, "/ ");
    w->done = w->t[i].end;
    return i + 1;
}

// "(fixed)x" stores the raw byte x: a struct of one field, which C does not cast to. The operand is a name, number or
// parenthesis with what is attached to it.
static size_t fixed_cast(host_writer *w, size_t i)
{
    int type = host_kind(w, i + 1);
    if (host_kind(w, i) != '(' || (type != TOK_FIXED && type != TOK_SHORTFIXED) || host_kind(w, i + 2) != ')')
        return 0;
    size_t first = i + 3, last = first;
    if (host_kind(w, first) == '(')
        last = host_closing(w, first);
    else if (host_kind(w, first) != TOK_ID && host_kind(w, first) != TOK_NUMBER)
        return 0;
    for (last++;; last++) {
        int kind = host_kind(w, last);
        if (kind == '(' || kind == '[')
            last = host_closing(w, last);
        else if ((kind == '.' || kind == TOK_ARROW) && host_kind(w, last + 1) == TOK_ID)
            last++;
        else
            break;
    }
    host_copy_to(w, i);
    size_t mark = w->out->len;
    strbuf_printf(w->out, "((%s){", host_word(w, i + 1));
    w->done = w->t[first].begin;
    host_expr(w, first, last);
    strbuf_add(w->out, "})");
    host_settle(w, mark, w->t[i].begin, last - 1);
    return last;
}

// What is rewritten wherever it stands. Gives the index behind it; 0: nothing is rewritten here.
static size_t rewritten(host_writer *w, size_t i)
{
    int before = i > 0 ? host_kind(w, i - 1) : 0;
    if (before == '.' || before == TOK_ARROW)
        return 0;
    size_t next = host_macro(w, i);
    if (next == 0)
        next = host_domain(w, i);
    if (next == 0)
        next = fixed_cast(w, i);
    if (next == 0)
        next = host_assignment(w, i);
    if (next == 0)
        next = host_call(w, i);
    if (next == 0 && host_kind(w, i) == '/' && w->text[w->t[i].end] == '/')
        next = slash_comment(w, i);
    // A pointer to a function or array of vectors is no constructor.
    if (next == 0 && brook_token_is_type(host_kind(w, i)) && host_kind(w, i + 1) == '(' && host_kind(w, i + 2) == '*') {
        host_copy_to(w, i);
        strbuf_printf(w->out, "__typeof__(%s)", host_word(w, i));
        w->done = w->t[i].end;
        next = i + 1;
    }
    return next;
}

void host_expr(host_writer *w, size_t first, size_t last)
{
    for (size_t i = first; i < last;) {
        size_t next = rewritten(w, i);
        i = next != 0 ? next : i + 1;
    }
    if (last > first) {
        uint32_t to = w->t[last - 1].end;
        if (to > w->done) {
            strbuf_addn(w->out, w->text + w->done, to - w->done);
            w->done = to;
        }
    }
}

static void open_block(host_writer *w, size_t i)
{
    VEC_PUSH(w->arena, &w->scopes, w->names.len);
    VEC_PUSH(w->arena, &w->opens, i);
    w->braces++;
    if (w->braces == 1 && w->entering.len != 0) {
        host_copy_to(w, i);
        strbuf_addc(w->out, '{'); // a directive may come next, on a line of its own
        w->done = w->t[i].end;
        host_enter(w);
    }
}

static void close_block(host_writer *w)
{
    if (w->braces == 0)
        return;
    w->braces--;
    w->names.len = VEC_LAST(&w->scopes);
    w->scopes.len--;
    w->opens.len--;
}

bool host_begins_declaration(const host_writer *w, size_t i)
{
    if (i == 0)
        return true;
    int before = host_kind(w, i - 1);
    return before == ';' || before == '{' || before == '}' || before == TOK_DIRECTIVE ||
           (w->braces == 0 && before == TOK_INLINE);
}

static void write_file(strbuf *out, brook_program *program, const brook_file *f, const hmap *macros);

static const brook_item *item_at(const brook_file *file, size_t i)
{
    for (VEC_EACH(const brook_item, item, &file->items))
        if (item->first == i)
            return item;
    return NULL;
}

static brook_conditional conditional_at(const host_writer *w, size_t i)
{
    brook_truth unused;
    return host_kind(w, i) != TOK_DIRECTIVE ? BROOK_UNCONDITIONAL
                                            : brook_conditional_of(w->program, w->file, &w->t[i], &unused);
}

// Whether conditionals of an item begin before it or end behind it.
static bool crosses_conditionals(const host_writer *w, const brook_item *item)
{
    ptrdiff_t depth = 0;
    bool crosses = false;
    for (size_t i = item->first; i < item->last; i++) {
        const brook_conditional c = conditional_at(w, i);
        depth += (c == BROOK_IF) - (c == BROOK_ENDIF);
        crosses |= depth < 0 || (depth == 0 && (c == BROOK_ELSE || c == BROOK_ELIF));
    }
    return crosses || depth != 0;
}

// These stay then, each in a line of its own.
static void keep_conditionals(host_writer *w, const brook_item *item)
{
    const bool crosses = crosses_conditionals(w, item);
    for (size_t i = item->first; i < item->last && crosses; i++)
        if (conditional_at(w, i) != BROOK_UNCONDITIONAL) {
            strbuf_addc(w->out, '\n');
            strbuf_addn(w->out, w->text + w->t[i].begin, w->t[i].end - w->t[i].begin);
        }
    if (crosses)
        strbuf_printf(w->out, "\n#line %u\n", source_pos(w->diags->sources, w->file, w->t[item->last - 1].end).line);
}

// A kernel leaves the text, and a Brook header takes the place of the line that includes it.
static size_t write_item(host_writer *w, const brook_item *item)
{
    host_copy_to(w, item->first);
    if (item->kind == BROOK_ITEM_HEADER) {
        const source_set *sources = w->diags->sources;
        if (item->header != NULL)
            write_file(w->out, w->program, item->header, w->macros);
        strbuf_printf(w->out, "#line %u ", source_pos(sources, w->file, item->range.begin).line + 1);
        strbuf_add_c_string(w->out, source_get(sources, w->file)->name, strlen(source_get(sources, w->file)->name));
        host_skip_through(w, item->last - 1);
    }
    if (item->kind == BROOK_ITEM_KERNEL || item->kind == BROOK_ITEM_IMPORT) {
        host_skip_through(w, item->last - 1);
        keep_conditionals(w, item);
    }
    return item->last;
}

// 'inline' before a function, which C++ needs no other definition of, but C does.
static size_t inline_word(host_writer *w, size_t i)
{
    static const char *const words[] = {"__inline", "__inline__", "_inline", "__forceinline"};
    bool found = host_kind(w, i) == TOK_INLINE;
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        found = found || host_is(w, i, words[k]);
    if (!found || w->braces > 0)
        return 0;
    host_copy_to(w, i);
    w->done = w->t[i].end;
    return i + 1;
}

// "void main(": a function of type int that gives 0, at each 'return;' too.
static size_t void_main(host_writer *w, size_t i)
{
    if (w->braces == 0)
        w->void_main = false;
    const bool begins = w->braces == 0 && host_kind(w, i) == TOK_VOID && host_is(w, i + 1, "main") &&
                        host_kind(w, i + 2) == '(',
               returns = w->braces > 0 && w->void_main && host_kind(w, i) == TOK_RETURN && host_kind(w, i + 1) == ';';
    if (!begins && !returns)
        return 0;
    host_copy_to(w, i);
    strbuf_add(w->out, begins ? "int" : "return 0");
    w->done = w->t[i].end;
    w->void_main = true;
    return i + 1;
}

void host_walk(host_writer *w, const brook_file *file)
{
    diag_engine *diags = w->diags, quiet;
    diag_init(&quiet, w->arena, diags->sources);
    for (size_t i = 0; host_kind(w, i) != TOK_END;) {
        w->diags = w->t[i].dead ? &quiet : diags; // what is wrong there is the C compiler's to say
        const brook_item *item = w->braces == 0 && file != NULL ? item_at(file, i) : NULL;
        if (item != NULL) {
            i = write_item(w, item);
            continue;
        }
        host_end_rounds(w, i);
        host_begin_rounds(w, i);
        size_t next = inline_word(w, i);
        if (next == 0)
            next = void_main(w, i);
        if (next == 0 && host_begins_declaration(w, i))
            next = host_declaration(w, i);
        if (next == 0)
            next = host_fused_calls(w, i);
        if (next == 0)
            next = rewritten(w, i);
        if (next != 0) {
            i = next;
            continue;
        }
        if (host_kind(w, i) == '{')
            open_block(w, i);
        else if (host_kind(w, i) == '}')
            close_block(w);
        i++;
    }
    w->diags = diags;
}

// ---- Macros ----

// A macro in the place of a kernel's calls, for those that stand in macros of the host code, which are not rewritten.
static void write_call_macro(strbuf *out, const brook_kernel *k)
{
    strbuf_printf(out, "#define %s(", k->name);
    for (size_t i = 0; i < k->params.len; i++)
        strbuf_printf(out, "%sp%zu", i == 0 ? "" : ", ", i);
    strbuf_printf(out, ") brook_%s(SVM_BROOK_HERE", k->name);
    for (size_t i = 0; i < k->params.len; i++) {
        const brook_var *v = k->params.data[i];
        bool by_address = v->kind == BROOK_UNIFORM && (v->type.width > 1 || v->type.element == BROOK_STRUCT);
        if (by_address)
            strbuf_printf(out, ", (const %s[]){p%zu}", host_c_type(out->arena, v->type), i);
        else
            strbuf_printf(out, ", %s(p%zu)", v->kind == BROOK_VOUT ? "&" : "", i);
    }
    strbuf_add(out, ")\n");
}

static bool has_call_macro(const brook_kernel *k)
{
    return !k->reduce && k->result.element == BROOK_VOID && !k->wrong && !k->broken && k->unfit == NULL &&
           (k->stream == NULL || k->stream->params.len == 0);
}

static void write_call_macros(strbuf *out, brook_program *p, const brook_file *f)
{
    hmap done;
    hmap_init(&done, p->arena);
    const char *text = source_get(p->diags->sources, f->source)->text;
    diag_engine quiet;
    diag_init(&quiet, p->arena, p->diags->sources);
    for (VEC_EACH(const brook_token, d, &f->tokens->list)) {
        if (d->kind != TOK_DIRECTIVE || memmem(text + d->begin, d->end - d->begin, "define", 6) == NULL)
            continue;
        brook_tokens words = {0};
        brook_lex(&words, p->arena, p->names, &quiet, f->source, d->begin + 1, d->end);
        for (size_t i = 2; i + 1 < words.len; i++) { // behind 'define NAME'
            const brook_token *t = &words.data[i];
            brook_kernel *k = t->kind == TOK_ID && t[1].kind == '(' ? hmap_get(&p->kernel_names, t->name) : NULL;
            if (k == NULL || !has_call_macro(k) || hmap_get(&done, k->name) != NULL)
                continue;
            hmap_set(&done, k->name, p);
            k->called = true;
            write_call_macro(out, k);
        }
    }
}

// Whether what token i names is defined there, at file scope: a function, or a variable.
static bool is_defined(const host_writer *w, size_t i)
{
    const int next = host_kind(w, i + 1), before = i > 0 ? host_kind(w, i - 1) : 0;
    if (next == '(')
        return host_kind(w, host_closing(w, i + 1) + 1) == '{';
    const bool behind_type = before == TOK_ID || before == '*' || before == ',' || host_is_specifier_word(before);
    return behind_type && (next == ';' || next == ',' || next == '=' || next == '[');
}

// What is the program's own and named like a function of the library: functions, which C++ keeps apart by their
// parameters, and variables, such as 'int index;'.
static void write_own_names(strbuf *out, const host_writer *w)
{
    size_t depth = 0;
    for (size_t i = 0; host_kind(w, i) != TOK_END; i++) {
        const int kind = host_kind(w, i);
        if (kind == '{' || kind == '(')
            depth++;
        if ((kind == '}' || kind == ')') && depth > 0)
            depth--;
        if (depth > 0 || kind != TOK_ID)
            continue;
        if (is_defined(w, i) && brook_is_library_function(host_word(w, i)) &&
            hmap_get(&w->program->kernel_names, host_word(w, i)) == NULL)
            strbuf_printf(out, "#undef %s\n#define %s brook_own_%s\n", host_word(w, i), host_word(w, i),
                          host_word(w, i));
    }
}

static void write_file(strbuf *out, brook_program *program, const brook_file *f, const hmap *macros)
{
    const source_file *source = source_get(program->diags->sources, f->source);
    host_writer w = {.program = program,
                     .arena = program->arena,
                     .diags = program->diags,
                     .out = out,
                     .file = f->source,
                     .text = source->text,
                     .t = f->tokens->list.data,
                     .count = f->tokens->list.len,
                     .macros = macros};
    write_own_names(out, &w);
    write_call_macros(out, program, f);
    strbuf_add(out, "#line 1 ");
    strbuf_add_c_string(out, source->name, strlen(source->name));
    strbuf_addc(out, '\n');
    host_walk(&w, f);
    host_copy_to(&w, w.count - 1);
    if (source->len > w.done)
        strbuf_addn(out, w.text + w.done, source->len - w.done);
    strbuf_addc(out, '\n');
}

// Whether the text names C's header of complex numbers, whose macros are its own then.
static bool names_complex(const source_file *f)
{
    return memmem(f->text, f->len, "complex.h", strlen("complex.h")) != NULL;
}

void brook_write_host(strbuf *out, brook_program *program, size_t file)
{
    if (names_complex(source_get(program->diags->sources, program->files.data[file].source)))
        strbuf_add(out, "#define SVM_BROOK_COMPLEX\n");
    strbuf_add(out, "#include <svm/brook_host.h>\n");
    for (VEC_EACH(brook_kernel *const, k, &program->kernels))
        if (hmap_get(&program->kernel_names, (*k)->name) == *k && !(*k)->fused)
            host_prototype(out, *k);
    write_file(out, program, &program->files.data[file], &program->files.data[file].macros);
}
