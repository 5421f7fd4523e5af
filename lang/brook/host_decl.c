// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Declarations of streams in host code. A declaration is taken apart only if one of its declarators is a stream's;
// two names side by side and a '<' can be nothing else in C.
#include "lang/brook/host.h"

#include <string.h>

#include "lang/brook/library.h"

// The words before the declarators.
typedef struct specifiers {
    size_t first, last; // tokens, the last exclusive
    brook_type type;    // of elements, if it can be one's
    bool iterator, is_static, is_extern, is_typedef, output;
} specifiers;

typedef struct declarator {
    size_t first, last; // the last exclusive, without an initialiser
    size_t name;        // token; 0: none
    size_t stars;       // pointers
    bool stream;
    size_t open, close; // of '<' and '>' (or the '>=' that it is part of)
    bool function;
    size_t paren;     // function: its '('
    size_t init, end; // first token of an initialiser, 0: none; the ',' or ';' behind it all
} declarator;
typedef VEC(declarator) declarators;

bool host_is_specifier_word(int kind)
{
    switch (kind) {
    case TOK_CONST:
    case TOK_VOID:
    case TOK_UNSIGNED:
    case TOK_SIGNED:
    case TOK_STATIC:
    case TOK_EXTERN:
    case TOK_TYPEDEF:
    case TOK_INT:
    case TOK_SHORT:
    case TOK_LONG:
    case TOK_REGISTER:
    case TOK_AUTO:
    case TOK_VOLATILE:
    case TOK_INLINE:
    case TOK_ITER:
    case TOK_OUT: return true;
    default: return brook_token_is_type(kind);
    }
}

static void add_type_word(const host_writer *w, size_t i, specifiers *s)
{
    int kind = host_kind(w, i);
    brook_type before = s->type;
    s->type = brook_token_type(kind);
    switch (kind) {
    case TOK_INT: s->type.element = before.element == BROOK_UINT ? BROOK_UINT : BROOK_INT; break;
    case TOK_CHAR: s->type.element = before.element == BROOK_UINT ? BROOK_UCHAR : BROOK_CHAR; break;
    case TOK_UNSIGNED: s->type.element = before.element == BROOK_CHAR ? BROOK_UCHAR : BROOK_UINT; break;
    case TOK_VOID: s->type.element = BROOK_VOID; break;
    case TOK_STATIC: s->is_static = true; break;
    case TOK_EXTERN: s->is_extern = true; break;
    case TOK_TYPEDEF: s->is_typedef = true; break;
    case TOK_ITER: s->iterator = true; break;
    case TOK_OUT: s->output = true; break;
    default: break;
    }
    if (s->type.element == BROOK_ERROR)
        s->type = before;
}

// Reads specifiers at i: false when these cannot be any.
static bool read_specifiers(const host_writer *w, size_t i, size_t end, specifiers *s)
{
    *s = (specifiers){.first = i, .type = {.element = BROOK_ERROR, .width = 1}};
    bool given = false;
    for (; i < end; i++) {
        int kind = host_kind(w, i);
        if (host_is_specifier_word(kind)) {
            add_type_word(w, i, s);
            given |= kind != TOK_CONST && kind != TOK_STATIC && kind != TOK_EXTERN && kind != TOK_TYPEDEF &&
                     kind != TOK_ITER && kind != TOK_OUT;
        } else if (kind == TOK_STRUCT || kind == TOK_UNION || kind == TOK_ENUM) {
            i += host_kind(w, i + 1) == TOK_ID;
            if (host_kind(w, i + 1) == '{')
                i = host_closing(w, i + 1);
            given = true;
        } else if (kind == TOK_ID && !given) {
            const brook_struct *st = hmap_get(&w->program->struct_names, host_word(w, i));
            if (st != NULL)
                s->type = (brook_type){.element = BROOK_STRUCT, .width = 1, .decl = st};
            given = true;
        } else {
            break;
        }
    }
    s->last = i;
    return s->last > s->first;
}

// The '>' (or '>=') that ends the '<' at i; 0 when there is none before a token that cannot be between them.
static size_t closing_angle(const host_writer *w, size_t i, size_t end)
{
    for (i++; i < end; i++) {
        switch (host_kind(w, i)) {
        case '>':
        case TOK_GE: return i;
        case '(':
        case '[': i = host_closing(w, i); break;
        case ';':
        case '{':
        case '}':
        case '<':
        case TOK_END: return 0;
        default: break;
        }
    }
    return 0;
}

// Reads a declarator at i, with what follows it up to a ',' or ';' (or end).
static bool read_declarator(const host_writer *w, size_t i, size_t end, declarator *d)
{
    size_t open_parens = 0;
    *d = (declarator){.first = i};
    for (; i < end; i++) {
        int kind = host_kind(w, i);
        if (kind == '(')
            open_parens++;
        else if (kind == '*')
            d->stars++;
        else if (kind != TOK_CONST && kind != TOK_VOLATILE)
            break;
    }
    if (i < end && host_kind(w, i) == TOK_ID)
        d->name = i++;
    for (; i < end; i++) {
        int kind = host_kind(w, i);
        if (kind == ')' && open_parens > 0) {
            open_parens--;
        } else if (kind == '[') {
            i = host_closing(w, i);
        } else if (kind == '(') {
            if (!d->function)
                d->paren = i;
            d->function = true;
            i = host_closing(w, i);
        } else if (kind == '<' && !d->stream && closing_angle(w, i, end) != 0) {
            d->stream = true;
            d->open = i;
            d->close = i = closing_angle(w, i, end);
            if (host_kind(w, i) == TOK_GE)
                break;
        } else {
            break;
        }
    }
    d->last = i;
    bool joined = i < end && host_kind(w, i) == TOK_GE && d->close == i;
    if (i < end && (host_kind(w, i) == '=' || joined)) {
        d->init = i + 1;
        for (i++; i < end && host_kind(w, i) != ',' && host_kind(w, i) != ';' && host_kind(w, i) != TOK_END; i++)
            if (host_kind(w, i) == '(' || host_kind(w, i) == '[' || host_kind(w, i) == '{')
                i = host_closing(w, i);
    }
    d->end = i < end ? i : end;
    return d->last > d->first;
}

// ---- Writing ----

const char *host_c_type(arena *a, brook_type t)
{
    return t.element == BROOK_UINT ? "unsigned int" : brook_type_name(a, t);
}

void host_type(const host_writer *w, strbuf *b, brook_type t)
{
    strbuf_printf(b, "&(const svm_BrookType){\"%s\", \"", brook_type_name(w->arena, t));
    brook_type_leaves(b, t);
    strbuf_add(b, "\"}");
}

static bool can_be_element(host_writer *w, const specifiers *s, const declarator *d)
{
    if (brook_is_number(s->type) || s->type.element == BROOK_STRUCT)
        return true;
    const source_file *f = source_get(w->diags->sources, w->file);
    uint32_t begin = w->t[s->first].begin, end = w->t[s->last - 1].end;
    diag_error(w->diags, host_range(w, s->first, s->last - 1),
               "'%.*s' cannot be the element type of stream '%s': expected a number or vector type, or the name of a "
               "'typedef struct TAG { .. } NAME;' of such",
               (int)(end - begin), f->text + begin, host_word(w, d->name));
    return false;
}

static int add_extents(host_writer *w, const declarator *d)
{
    host_pieces dims = {0};
    host_split(w, d->open + 1, d->close, &dims);
    strbuf_printf(w->out, "%zu, (const ptrdiff_t[]){", dims.len);
    for (size_t i = 0; i < dims.len; i++) {
        strbuf_add(w->out, i == 0 ? "(ptrdiff_t)(" : ", (ptrdiff_t)(");
        w->done = w->t[dims.data[i].first].begin;
        host_expr(w, dims.data[i].first, dims.data[i].last);
        strbuf_addc(w->out, ')');
    }
    strbuf_addc(w->out, '}');
    if (dims.len == 0 || dims.len > 4)
        diag_error(w->diags, host_range(w, d->open, d->close),
                   dims.len == 0 ? "stream '%s' has no extents: expected them, as in '%s<100>'"
                                 : "stream '%s' has more than 4 dimensions%.0s",
                   host_word(w, d->name), host_word(w, d->name));
    return (int)dims.len;
}

// iter(a, b) behind the '='.
static void add_bounds(host_writer *w, const specifiers *s, const declarator *d)
{
    size_t i = d->init;
    host_pieces bounds = {0};
    if (host_kind(w, i) == TOK_ITER && host_kind(w, i + 1) == '(')
        host_split(w, i + 2, host_closing(w, i + 1), &bounds);
    if (bounds.len != 2) {
        diag_error(w->diags, host_range(w, d->first, d->last - 1),
                   "iterator '%s' needs its bounds: expected '= iter(FROM, TO)'", host_word(w, d->name));
        return;
    }
    for (size_t k = 0; k < 2; k++) {
        const char *type = host_c_type(w->arena, s->type);
        // A variable between: in an array's braces, a number would be a vector's first component.
        strbuf_printf(w->out, ", (const float *)(const %s[]){({const %s svm_brook_value = ", type, type);
        w->done = w->t[bounds.data[k].first].begin;
        host_expr(w, bounds.data[k].first, bounds.data[k].last);
        strbuf_add(w->out, "; svm_brook_value;})}");
    }
}

// The call that makes the stream; gives its rank.
static int add_maker(host_writer *w, const specifiers *s, const declarator *d)
{
    const char *name = host_word(w, d->name);
    strbuf_printf(w->out, "svm_brook%s(SVM_BROOK_HERE, \"%s\", ", s->iterator ? "Iterator" : "Make", name);
    host_type(w, w->out, s->type);
    strbuf_add(w->out, ", ");
    int rank = add_extents(w, d);
    if (s->iterator)
        add_bounds(w, s, d);
    strbuf_addc(w->out, ')');
    return rank;
}

static void check_stream(host_writer *w, const specifiers *s, const declarator *d)
{
    if (d->stars > 0)
        return;
    const char *name = host_word(w, d->name);
    if (s->iterator && (s->type.element != BROOK_FLOAT))
        diag_error(w->diags, host_range(w, d->name, d->name), "iterator '%s' must have floats for elements, not '%s'",
                   name, brook_type_name(w->arena, s->type));
    if (!s->iterator && d->init != 0)
        diag_error(w->diags, host_range(w, d->name, d->name),
                   "stream '%s' cannot have an initial value; fill it with 'streamRead' or a kernel", name);
    for (size_t i = d->first; i < d->last; i++)
        if (host_kind(w, i) == '[' && i > d->close)
            diag_error(w->diags, host_range(w, d->name, d->name),
                       "'%s' is a stream of arrays, which Brook does not have; add a dimension to the stream", name);
        else if (host_kind(w, i) == '[' && i < d->open)
            diag_error(w->diags, host_range(w, d->name, d->name),
                       "'%s' is an array of streams, which Brook does not have; add a dimension to the stream", name);
}

// How often a pointer, or an array of such, is followed to a stream.
static size_t levels_of(const host_writer *w, const declarator *d)
{
    size_t levels = d->stars;
    for (size_t i = d->first; i < d->open; i++)
        if (host_kind(w, i) == '[') {
            levels++;
            i = host_closing(w, i);
        }
    return levels;
}

// A pointer's declarator without its '<>'.
static void write_pointer(host_writer *w, const declarator *d)
{
    strbuf_addn(w->out, w->text + w->t[d->first].begin, w->t[d->open].begin - w->t[d->first].begin);
    if (d->last > d->close + 1)
        strbuf_addn(w->out, w->text + w->t[d->close].end, w->t[d->last - 1].end - w->t[d->close].end);
}

static void write_stream(host_writer *w, const specifiers *s, const declarator *d)
{
    const char *name = host_word(w, d->name);
    host_name entry = {.kind = s->iterator ? HOST_ITERATOR : HOST_STREAM,
                       .name = name,
                       .type = s->type,
                       .range = host_range(w, d->name, d->name)};
    if (!can_be_element(w, s, d)) {
        host_declare(w, entry);
        return;
    }
    check_stream(w, s, d);
    if (d->stars > 0) {
        entry.kind = HOST_POINTER;
        entry.levels = levels_of(w, d);
        strbuf_printf(w->out, "%s%ssvm_BrookStream ", s->is_static ? "static " : "", s->is_extern ? "extern " : "");
        write_pointer(w, d);
        if (d->init != 0) {
            strbuf_add(w->out, " = ");
            w->done = w->t[d->init].begin;
            host_expr(w, d->init, d->end);
        }
        strbuf_add(w->out, "; ");
    } else if (s->is_extern) {
        strbuf_printf(w->out, "extern svm_BrookStream %s; ", name);
    } else if (s->is_static && w->braces > 0) {
        strbuf_printf(w->out, "static svm_BrookStream %s; if (%s.storage == NULL) %s = ", name, name, name);
        entry.rank = add_maker(w, s, d);
        strbuf_add(w->out, "; ");
    } else if (w->braces == 0) {
        strbuf_printf(w->out,
                      "%ssvm_BrookStream %s; __attribute__((constructor)) static void svm_brook_make_%zu(void) { %s = ",
                      s->is_static ? "static " : "", name, w->made++, name);
        entry.rank = add_maker(w, s, d);
        strbuf_add(w->out, "; } ");
    } else {
        strbuf_printf(w->out, "svm_BrookStream %s SVM_BROOK_OWNED = ", name);
        entry.rank = add_maker(w, s, d);
        if (!w->expanding) {
            entry.begin = d->end;
            entry.end = host_closing(w, VEC_LAST(&w->opens));
        }
        strbuf_add(w->out, "; ");
    }
    host_declare(w, entry);
}

static void write_ordinary(host_writer *w, const specifiers *s, const declarator *d)
{
    strbuf_addn(w->out, w->text + w->t[s->first].begin, w->t[s->last - 1].end - w->t[s->first].begin);
    strbuf_addc(w->out, ' ');
    w->done = w->t[d->first].begin;
    host_expr(w, d->first, d->end);
    strbuf_add(w->out, "; ");
}

// "extern void printf();": what the headers declare needs no declaration, and bears none that differs. It may be a
// macro there.
static bool is_redeclaration(const host_writer *w, const declarators *list, size_t end)
{
    if (host_kind(w, end) != ';')
        return false;
    for (VEC_EACH(const declarator, d, list))
        if (!d->function || d->name == 0 || d->init != 0 || !brook_is_library_function(host_word(w, d->name)))
            return false;
    return list->len > 0;
}

// ---- Functions ----

// The parameters in (first, last); the commas between a stream's extents separate none.
static void split_params(const host_writer *w, size_t first, size_t last, host_pieces *out)
{
    host_pieces commas = {0};
    size_t done = first;
    host_split(w, first, last, &commas);
    for (VEC_EACH(const host_piece, p, &commas)) {
        specifiers s;
        declarator d;
        if (p->first < done) // within '<' and '>'
            continue;
        bool stream = read_specifiers(w, p->first, last, &s) && read_declarator(w, s.last, last, &d) && d.stream &&
                      d.end > p->last;
        done = stream ? d.end : p->last;
        VEC_PUSH(w->arena, out, ((host_piece){p->first, done}));
    }
}

// Writes a parameter list with stream parameters as handles; those of a definition get another name, since they are
// shared by a variable of the body.
static void write_params(host_writer *w, size_t open, bool definition)
{
    size_t close = host_closing(w, open);
    host_pieces params = {0};
    split_params(w, open + 1, close, &params);
    for (VEC_EACH(const host_piece, p, &params)) {
        specifiers s;
        declarator d;
        bool read = read_specifiers(w, p->first, p->last, &s);
        if (!read || !read_declarator(w, s.last, p->last, &d) || !d.stream) {
            if (definition && read && d.name != 0)
                VEC_PUSH(w->arena, &w->entering, ((host_name){.kind = HOST_OTHER, .name = host_word(w, d.name)}));
            continue;
        }
        host_copy_to(w, p->first);
        if (d.name != 0 && !can_be_element(w, &s, &d))
            continue;
        host_name entry = {.kind = d.stars > 0  ? HOST_POINTER
                                   : s.iterator ? HOST_ITERATOR
                                                : HOST_STREAM,
                           .name = host_word(w, d.name),
                           .type = s.type,
                           .parameter = d.stars == 0};
        strbuf_add(w->out, "svm_BrookStream ");
        if (d.stars > 0) {
            entry.levels = levels_of(w, &d);
            write_pointer(w, &d);
        } else if (d.name != 0) {
            strbuf_printf(w->out, "%s%s", definition ? "svm_brook_given_" : "", entry.name);
        }
        host_skip_through(w, p->last - 1);
        if (definition && d.name != 0)
            VEC_PUSH(w->arena, &w->entering, entry);
    }
}

void host_enter(host_writer *w)
{
    for (VEC_EACH(const host_name, n, &w->entering)) {
        host_declare(w, *n);
        if (n->parameter)
            strbuf_printf(w->out, " svm_BrookStream %s SVM_BROOK_OWNED = svm_brookShare(\"%s\", svm_brook_given_%s);",
                          n->name, n->name, n->name);
    }
    w->entering.len = 0;
}

static void write_old_stream(host_writer *w, const specifiers *s, const declarator *d)
{
    strbuf_add(w->out, "svm_BrookStream ");
    if (d->stars > 0)
        write_pointer(w, d);
    else
        strbuf_printf(w->out, "svm_brook_given_%s", host_word(w, d->name));
    host_skip_through(w, d->end - 1);
    VEC_PUSH(w->arena, &w->entering,
             ((host_name){.kind = d->stars > 0 ? HOST_POINTER : HOST_STREAM,
                          .name = host_word(w, d->name),
                          .levels = d->stars > 0 ? levels_of(w, d) : 0,
                          .type = s->type,
                          .parameter = d->stars == 0}));
}

// K&R: "f(s, n) float s<>; int n; {". The names in parentheses, and the declarations behind them.
static size_t write_old_definition(host_writer *w, size_t open, size_t body)
{
    size_t close = host_closing(w, open);
    VEC(declarator) streams = {0};
    for (size_t i = close + 1; i < body;) {
        specifiers s;
        declarator d;
        if (!read_specifiers(w, i, body, &s))
            break;
        for (i = s.last; i < body && host_kind(w, i) != ';'; i++) {
            if (!read_declarator(w, i, body, &d))
                break;
            if (d.stream && d.stars == 0)
                VEC_PUSH(w->arena, &streams, d);
            i = d.end;
            if (host_kind(w, i) == ';')
                break;
        }
        i++;
    }
    for (size_t i = open + 1; i < close; i++)
        for (VEC_EACH(const declarator, d, &streams))
            if (host_word(w, i) == host_word(w, d->name)) {
                host_copy_to(w, i);
                strbuf_add(w->out, "svm_brook_given_");
            }
    for (size_t i = close + 1; i < body;) {
        specifiers s;
        declarator d;
        if (!read_specifiers(w, i, body, &s) || !read_declarator(w, s.last, body, &d))
            break;
        for (size_t at = s.last; d.stream && at < body;) {
            if (!read_declarator(w, at, body, &d))
                break;
            host_copy_to(w, s.first);
            if (at > s.last)
                strbuf_add(w->out, "; ");
            if (d.stream)
                write_old_stream(w, &s, &d);
            else { // a parameter that is no stream, behind one
                strbuf_addn(w->out, w->text + w->t[s.first].begin, w->t[s.last - 1].end - w->t[s.first].begin);
                host_copy_to(w, d.end);
            }
            if (host_kind(w, d.end) != ',')
                break;
            at = d.end + 1;
            w->done = w->t[d.end].end;
        }
        while (i < body && host_kind(w, i) != ';')
            i++;
        i++;
    }
    return body;
}

// A function's declaration or definition: the index of its '{', or behind its ')'.
static size_t write_function(host_writer *w, const declarator *d)
{
    size_t close = host_closing(w, d->paren), after = close + 1;
    w->entering.len = 0;
    int kind = host_kind(w, after);
    bool old = w->braces == 0 && kind != ';' && kind != ',' && kind != '{' && kind != '=' && kind != TOK_END &&
               kind != TOK_DIRECTIVE;
    if (old) {
        size_t body = after;
        while (host_kind(w, body) != '{' && host_kind(w, body) != TOK_END && host_kind(w, body) != '}')
            body++;
        if (host_kind(w, body) == '{')
            return write_old_definition(w, d->paren, body);
        return after;
    }
    write_params(w, d->paren, kind == '{' && w->braces == 0);
    return after;
}

// A prototype of a kernel that is defined in this program: its functions have theirs.
static bool is_kernel_prototype(const host_writer *w, const declarator *d, size_t end)
{
    return d->function && d->name != 0 && host_kind(w, end) == ';' &&
           hmap_get(&w->program->kernel_names, host_word(w, d->name)) != NULL;
}

// A macro that is empty.
static bool is_nothing(const host_writer *w, size_t i)
{
    const brook_macro *m = host_kind(w, i) == TOK_ID && w->macros != NULL ? hmap_get(w->macros, host_word(w, i)) : NULL;
    return m != NULL && !m->function_like && m->body.len == 0;
}

static bool is_statement_end(const host_writer *w, size_t i)
{
    return host_kind(w, i) == ';' || host_kind(w, i) == TOK_END;
}

size_t host_declaration(host_writer *w, size_t i)
{
    specifiers s;
    if (host_kind(w, i) == TOK_ID && host_kind(w, i + 1) == '(') { // a call, or a function of type int
        const declarator d = {.name = i, .function = true, .paren = i + 1};
        return w->braces > 0 || is_statement_end(w, host_closing(w, i + 1) + 1) ? 0 : write_function(w, &d);
    }
    if (!read_specifiers(w, i, w->count - 1, &s))
        return 0;
    declarators list = {0};
    bool streams = false;
    size_t at = s.last;
    for (;; at++) {
        declarator d;
        if (!read_declarator(w, at, w->count - 1, &d))
            break;
        if (d.stream && d.name == 0) // a comparison
            return 0;
        VEC_PUSH(w->arena, &list, d);
        streams |= d.stream;
        at = d.end;
        if (host_kind(w, at) != ',')
            break;
    }
    if (list.len == 0)
        return 0;
    const declarator *first = &list.data[0];
    if (is_redeclaration(w, &list, at) || is_kernel_prototype(w, first, at)) {
        if (is_nothing(w, i) && s.last == i + 1) // a call
            return 0;
        host_copy_to(w, i);
        host_skip_through(w, at);
        return at + 1;
    }
    if (!streams) {
        if (first->function && first->name != 0)
            return write_function(w, first);
        for (VEC_EACH(const declarator, d, &list))
            if (d->name != 0 && w->braces > 0 && (d->end == at || host_kind(w, d->end) == ','))
                host_declare(w, (host_name){.kind = HOST_OTHER, .name = host_word(w, d->name)});
        return 0;
    }
    if (host_kind(w, at) != ';') {
        diag_error(w->diags, host_range(w, at, at),
                   "unexpected '%.*s' in the declaration of a stream: expected ',' or ';'",
                   (int)(w->t[at].end - w->t[at].begin), w->text + w->t[at].begin);
        return 0;
    }
    if (s.is_typedef) {
        diag_error(w->diags, host_range(w, first->first, first->last - 1), "a 'typedef' cannot name a stream type");
        return at + 1;
    }
    host_copy_to(w, i);
    size_t mark = w->out->len;
    uint32_t begin = w->t[i].begin;
    for (VEC_EACH(const declarator, d, &list)) {
        if (d->stream && d->name != 0)
            write_stream(w, &s, d);
        else
            write_ordinary(w, &s, d);
    }
    host_settle(w, mark, begin, at);
    return at + 1;
}
