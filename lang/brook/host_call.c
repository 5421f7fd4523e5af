// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of kernels and operations on handles in host code.
#include "lang/brook/host.h"

#include <string.h>

// ---- Which expressions are streams ----

// The stream that an expression is, if it is one.
typedef struct host_stream {
    bool is;
    bool unsure;           // a macro's or another thing that this file does not tell
    bool whole;            // no view
    const host_name *name; // NULL: one of several
} host_stream;

static void strip_parens(const host_writer *w, size_t *first, size_t *last)
{
    while (*last - *first >= 2 && host_kind(w, *first) == '(' && host_closing(w, *first) == *last - 1) {
        ++*first;
        --*last;
    }
}

// Whether the last thing in first..last is '.domain(..)'; gives where it begins.
static bool ends_in_domain(const host_writer *w, size_t first, size_t last, size_t *dot)
{
    for (size_t i = first; i + 2 < last; i++) {
        if ((host_kind(w, i) == '.' || host_kind(w, i) == TOK_ARROW) && host_is(w, i + 1, "domain") &&
            host_kind(w, i + 2) == '(') {
            size_t close = host_closing(w, i + 2);
            if (close == last - 1) {
                *dot = i;
                return true;
            }
            i = close;
        } else if (host_kind(w, i) == '(' || host_kind(w, i) == '[') {
            i = host_closing(w, i);
        }
    }
    return false;
}

static host_stream stream_of(const host_writer *w, size_t first, size_t last, int depth)
{
    strip_parens(w, &first, &last);
    if (first >= last || depth > 50)
        return (host_stream){0};
    size_t dot, question = 0, colon = 0;
    for (size_t i = first; i < last; i++) {
        int kind = host_kind(w, i);
        if (kind == '(' || kind == '[')
            i = host_closing(w, i);
        else if (kind == '?' && question == 0)
            question = i;
        else if (kind == ':' && question != 0)
            colon = i;
    }
    if (colon != 0) {
        host_stream a = stream_of(w, question + 1, colon, depth + 1), b = stream_of(w, colon + 1, last, depth + 1);
        return (host_stream){.is = a.is || b.is, .unsure = a.unsure || b.unsure, .name = NULL};
    }
    if (ends_in_domain(w, first, last, &dot)) {
        host_stream s = stream_of(w, first, dot, depth + 1);
        return (host_stream){.is = s.is || host_kind(w, dot) == TOK_ARROW, .unsure = s.unsure, .name = s.name};
    }
    size_t followed = 0; // pointers
    for (; first < last && host_kind(w, first) == '*'; followed++)
        first++;
    const host_name *n = host_find(w, host_word(w, first));
    bool macro = host_kind(w, first) == TOK_ID && hmap_get(&w->program->macros, host_word(w, first)) != NULL;
    if (n == NULL)
        return (host_stream){.unsure = macro};
    size_t behind = first + 1;
    for (; behind < last && host_kind(w, behind) == '['; followed++)
        behind = host_closing(w, behind) + 1;
    return (host_stream){.is = behind == last && followed == n->levels, .whole = true, .name = n};
}

bool host_is_no_stream(const host_writer *w, const host_piece *a)
{
    host_stream s = stream_of(w, a->first, a->last, 0);
    return !s.is && !s.unsure;
}

// ---- Kernels ----

static const char *quoted(const host_writer *w, size_t first, size_t last)
{
    uint32_t begin = w->t[first].begin, end = w->t[last - 1].end;
    return arena_printf(w->arena, "%.*s%s", (int)(end - begin > 40 ? 40 : end - begin), w->text + begin,
                        end - begin > 40 ? "..." : "");
}

static void note_param(host_writer *w, diag_record *r, const brook_var *v)
{
    diag_add_note(w->diags, r, v->range, "parameter '%s' is declared here", v->name);
}

// Whether elements are made of the scalars that a stream program's items are made of.
static bool same_scalars(arena *a, brook_type element, brook_type item)
{
    strbuf b, letter;
    strbuf_init(&b, a);
    strbuf_init(&letter, a);
    brook_type_leaves(&b, element);
    brook_type_leaves(&letter, item);
    const char wanted[] = {letter.data[0], letter.data[0] == 'i' ? 'u' : '\0', '\0'};
    return element.element == BROOK_ERROR || (b.len > 0 && b.data[strspn(b.data, wanted)] == '\0');
}

static void check_stream_argument(host_writer *w, const brook_kernel *k, const brook_var *v, const host_piece *a,
                                  const host_stream *s)
{
    src_range where = host_range(w, a->first, a->last - 1);
    diag_record *r = NULL;
    const char *text = quoted(w, a->first, a->last);
    if (!s->is) {
        if (!s->unsure)
            r = diag_error(w->diags, where, "'%s' is no stream; parameter '%s' of '%s' takes one", text, v->name,
                           k->name);
    } else if (s->name == NULL) {
        return;
    } else if (v->kind == BROOK_ITERATOR && s->name->kind == HOST_STREAM) {
        r = diag_error(w->diags, where,
                       "'%s' is a stream; parameter '%s' of '%s' takes an iterator, declared with 'iter'", text,
                       v->name, k->name);
    } else if ((v->kind == BROOK_OUTPUT || v->kind == BROOK_VOUT) && s->name->kind == HOST_ITERATOR) {
        r = diag_error(w->diags, where, "'%s' is an iterator and cannot be the output '%s' of '%s'", text, v->name,
                       k->name);
    } else if (k->stream != NULL ? !same_scalars(w->arena, s->name->type, v->type)
                                 : !brook_type_same(s->name->type, v->type)) {
        r = diag_error(w->diags, where, "'%s' has elements of type '%s'; parameter '%s' of '%s' has type '%s'", text,
                       brook_type_name(w->arena, s->name->type), v->name, k->name, brook_type_name(w->arena, v->type));
    } else if (v->kind == BROOK_GATHER && s->whole && s->name->rank != 0 && s->name->rank != v->rank) {
        r = diag_error(w->diags, where, "'%s' has %d dimension%s; gather parameter '%s' of '%s' has %u", text,
                       s->name->rank, s->name->rank == 1 ? "" : "s", v->name, k->name, v->rank);
    }
    if (r != NULL)
        note_param(w, r, v);
}

static void write_piece(host_writer *w, const host_piece *a)
{
    w->done = w->t[a->first].begin;
    host_expr(w, a->first, a->last);
}

// A value for all elements: by value, or the address of a vector or struct.
static void write_uniform(host_writer *w, const brook_kernel *k, const brook_var *v, const host_piece *a)
{
    host_stream s = stream_of(w, a->first, a->last, 0);
    if (s.is && s.name != NULL) {
        diag_record *r = diag_error(w->diags, host_range(w, a->first, a->last - 1),
                                    "'%s' is a stream; parameter '%s' of '%s' takes a single value",
                                    quoted(w, a->first, a->last), v->name, k->name);
        note_param(w, r, v);
    }
    bool scalar = v->type.width == 1 && v->type.element != BROOK_STRUCT;
    const char *type = host_c_type(w->arena, v->type);
    if (!scalar) // a variable between: in an array's braces, a number would be the first component
        strbuf_printf(w->out, "(const %s[]){({const %s svm_brook_value = ", type, type);
    write_piece(w, a);
    if (!scalar)
        strbuf_add(w->out, "; svm_brook_value;})}");
}

static void write_argument(host_writer *w, const brook_kernel *k, const brook_var *v, const host_piece *a, bool partial)
{
    if (v->kind == BROOK_UNIFORM) {
        write_uniform(w, k, v, a);
        return;
    }
    if (v->kind == BROOK_REDUCE && !partial) {
        strbuf_add(w->out, "&svm_brook_result");
        return;
    }
    host_stream s = stream_of(w, a->first, a->last, 0);
    check_stream_argument(w, k, v, a, &s);
    if (v->kind == BROOK_VOUT)
        strbuf_add(w->out, "&(");
    write_piece(w, a);
    if (v->kind == BROOK_VOUT)
        strbuf_addc(w->out, ')');
}

// Streams that are gathered from and written in one call: what is gathered is what was there before.
static void check_alias(host_writer *w, const brook_kernel *k, const host_pieces *args)
{
    for (size_t i = 0; i < args->len; i++)
        for (size_t j = 0; j < args->len; j++) {
            if (k->params.data[i]->kind != BROOK_GATHER || k->params.data[j]->kind != BROOK_OUTPUT)
                continue;
            const host_name *a = stream_of(w, args->data[i].first, args->data[i].last, 0).name;
            if (a != NULL && a == stream_of(w, args->data[j].first, args->data[j].last, 0).name)
                diag_warning(w->diags, WARN_BROOK_ALIAS, host_range(w, args->data[j].first, args->data[j].last - 1),
                             "'%s' writes '%s', which it gathers from: it is given a copy of what was there before",
                             k->name, a->name);
        }
}

static bool can_be_called(host_writer *w, const brook_kernel *k, size_t i, size_t close, const host_pieces *args)
{
    src_range name = host_range(w, i, i);
    diag_record *r = NULL;
    bool output = k->reduce;
    for (VEC_EACH(brook_var *const, v, &k->params))
        output |= (*v)->kind == BROOK_OUTPUT || (*v)->kind == BROOK_VOUT;
    if (k->unfit != NULL)
        r = diag_error(w->diags, name, "'%s' cannot be called: %s", k->name, k->unfit);
    else if (k->body == NULL && k->stream == NULL)
        r = diag_error(w->diags, name,
                       "'%s' is declared and never defined: expected its body in one of the files that are compiled "
                       "together",
                       k->name);
    else if (k->result.element != BROOK_VOID)
        r = diag_error(w->diags, name, "'%s' returns a value and can be called only from kernels", k->name);
    else if (!output)
        r = diag_error(w->diags, name, "kernel '%s' has no output, so that host code cannot call it", k->name);
    else if (args->len != k->params.len)
        r = diag_error(w->diags, host_range(w, i, close), "'%s' takes %zu argument%s, not %zu", k->name, k->params.len,
                       k->params.len == 1 ? "" : "s", args->len);
    if (r != NULL)
        diag_add_note(w->diags, r, k->name_range, "'%s' is %s here", k->name,
                      k->body == NULL && k->stream == NULL ? "declared" : "defined");
    return r == NULL && !k->wrong && !k->broken;
}

// ---- Operations that there are no more ----

// Whether host code of the program declares a function of that name itself.
static bool is_declared(const brook_program *p, const char *name)
{
    for (VEC_EACH(const brook_file, f, &p->files)) {
        size_t depth = 0;
        for (VEC_EACH(const brook_token, t, &f->tokens->list)) {
            if (t->kind == '{')
                depth++;
            else if (t->kind == '}' && depth > 0)
                depth--;
            else if (depth == 0 && t->kind == TOK_ID && strcmp(t->name, name) == 0)
                return true;
        }
    }
    return hmap_get(&p->macros, name) != NULL;
}

static void check_older(host_writer *w, size_t i)
{
    static const struct {
        const char *name, *instead;
    } older[] = {
#define O(name, instead) {#name, instead},
#include "lang/brook/older.def"
    };
    const char *name = host_word(w, i);
    for (size_t k = 0; k < sizeof older / sizeof *older; k++) {
        if (strcmp(older[k].name, name) != 0 || is_declared(w->program, name))
            continue;
        diag_record *r = diag_error(w->diags, host_range(w, i, i),
                                    "'%s' is an operation of the first Brook, which there is no more", name);
        diag_add_note(w->diags, r, host_range(w, i, i), "%s", older[k].instead);
    }
}

// ---- Calls ----

size_t host_call(host_writer *w, size_t i)
{
    if (host_kind(w, i) != TOK_ID || host_kind(w, i + 1) != '(' || w->braces == 0)
        return 0;
    brook_kernel *k = hmap_get(&w->program->kernel_names, host_word(w, i));
    if (k == NULL) {
        check_older(w, i);
        return 0;
    }
    size_t close = host_closing(w, i + 1);
    host_pieces args = {0};
    host_split(w, i + 2, close, &args);
    for (VEC_EACH(const host_piece, a, &args))
        if (a->first == a->last)
            return 0;
    if (host_kind(w, close) == ')' && k->stream != NULL && (k = host_program(w, k, i, &args)) == NULL)
        return close + 1;
    if (host_kind(w, close) != ')' || !can_be_called(w, k, i, close, &args))
        return close + 1;
    k->called = true;
    host_copy_to(w, i);
    size_t mark = w->out->len;
    const host_piece *target = NULL;
    const brook_var *reduced = NULL;
    for (size_t p = 0; p < args.len; p++)
        if (k->params.data[p]->kind == BROOK_REDUCE) {
            target = &args.data[p];
            reduced = k->params.data[p];
        }
    bool partial = target != NULL && stream_of(w, target->first, target->last, 0).is;
    if (target != NULL && !partial)
        strbuf_printf(w->out, "SVM_BROOK_REDUCED(%s, ", host_c_type(w->arena, reduced->type));
    strbuf_printf(w->out, "brook_%s%s(SVM_BROOK_HERE", k->name, partial ? "_partial" : "");
    for (size_t p = 0; p < args.len; p++) {
        strbuf_add(w->out, ", ");
        write_argument(w, k, k->params.data[p], &args.data[p], partial);
    }
    strbuf_addc(w->out, ')');
    if (target != NULL && !partial) {
        strbuf_add(w->out, ", ");
        write_piece(w, target);
        strbuf_addc(w->out, ')');
    }
    check_alias(w, k, &args);
    host_settle(w, mark, w->t[i].begin, close);
    return close + 1;
}

// ---- Handles ----

static bool begins_operand(const host_writer *w, size_t i)
{
    if (i == 0)
        return true;
    switch (host_kind(w, i - 1)) {
    case ';':
    case '{':
    case '}':
    case '(':
    case ',':
    case '=':
    case '?':
    case ':':
    case TOK_ELSE:
    case TOK_DO:
    case TOK_DIRECTIVE:
    case TOK_RETURN: return true;
    case ')': return true; // of an if; after an operand there is no '=' behind the name
    default: return false;
    }
}

// The expression behind '=' at i - 1.
static size_t assigned_end(const host_writer *w, size_t i)
{
    for (;; i++) {
        switch (host_kind(w, i)) {
        case '(':
        case '[': i = host_closing(w, i); break;
        case ',':
        case ';':
        case ')':
        case ']':
        case '{':
        case '}':
        case TOK_END: return i;
        default: break;
        }
    }
}

size_t host_assignment(host_writer *w, size_t i)
{
    size_t at = i;
    while (host_kind(w, at) == '*')
        at++;
    if (host_kind(w, at) != TOK_ID || w->braces == 0 || !begins_operand(w, i))
        return 0;
    size_t behind = at + 1;
    while (host_kind(w, behind) == '[')
        behind = host_closing(w, behind) + 1;
    if (host_kind(w, behind) != '=')
        return 0;
    host_stream to = stream_of(w, i, behind, 0);
    if (!to.is || to.name == NULL)
        return 0;
    if (to.name->kind == HOST_ITERATOR) {
        diag_error(w->diags, host_range(w, i, behind), "'%s' is an iterator and cannot be assigned", to.name->name);
        return 0;
    }
    size_t end = assigned_end(w, behind + 1);
    if (end == behind + 1)
        return 0;
    host_stream from = stream_of(w, behind + 1, end, 0);
    if (from.is && from.name != NULL && !brook_type_same(from.name->type, to.name->type)) {
        diag_record *r = diag_error(
            w->diags, host_range(w, i, end - 1),
            "'%s' has elements of type '%s' and cannot become '%s', whose elements have type '%s'", to.name->name,
            brook_type_name(w->arena, to.name->type), from.name->name, brook_type_name(w->arena, from.name->type));
        diag_add_note(w->diags, r, to.name->range, "'%s' is declared here", to.name->name);
        return 0;
    }
    host_copy_to(w, i);
    size_t mark = w->out->len;
    strbuf_add(w->out, "svm_brookAssign(&(");
    strbuf_addn(w->out, w->text + w->t[i].begin, w->t[behind - 1].end - w->t[i].begin);
    strbuf_add(w->out, "), ");
    w->done = w->t[behind + 1].begin;
    host_expr(w, behind + 1, end);
    strbuf_addc(w->out, ')');
    host_settle(w, mark, w->t[i].begin, end - 1);
    return end;
}

static bool is_domain(const host_writer *w, size_t i)
{
    return (host_kind(w, i) == '.' || host_kind(w, i) == TOK_ARROW) && host_is(w, i + 1, "domain") &&
           host_kind(w, i + 2) == '(';
}

size_t host_domain(host_writer *w, size_t i)
{
    size_t end = i + 1;
    if (host_kind(w, i) == '(') {
        bool call =
            i > 0 && (host_kind(w, i - 1) == TOK_ID || host_kind(w, i - 1) == ')' || host_kind(w, i - 1) == ']');
        if (call)
            return 0;
        end = host_closing(w, i) + 1;
    } else if (host_kind(w, i) != TOK_ID) {
        return 0;
    }
    while (host_kind(w, end) == '[')
        end = host_closing(w, end) + 1;
    size_t views = 0, last = end;
    for (; is_domain(w, last); views++)
        last = host_closing(w, last + 2) + 1;
    if (views == 0)
        return 0;
    const host_name *n = host_kind(w, i) == TOK_ID ? host_find(w, host_word(w, i)) : NULL;
    if (n != NULL && n->kind == HOST_ITERATOR) {
        diag_error(w->diags, host_range(w, i, last - 1), "'%s' is an iterator, which has no domains", n->name);
        return 0;
    }
    host_copy_to(w, i);
    size_t mark = w->out->len;
    for (size_t k = 0; k < views; k++)
        strbuf_add(w->out, "svm_brook_domain(");
    if (host_kind(w, end) == TOK_ARROW)
        strbuf_add(w->out, "*");
    w->done = w->t[i].begin;
    if (host_kind(w, i) == '(') {
        strbuf_addc(w->out, '(');
        w->done = w->t[i].end;
        host_expr(w, i + 1, end);
    } else {
        strbuf_add(w->out, host_word(w, i));
        w->done = w->t[i].end;
        host_expr(w, i + 1, end);
    }
    for (size_t at = end; is_domain(w, at); at = host_closing(w, at + 2) + 1) {
        size_t close = host_closing(w, at + 2);
        host_pieces bounds = {0};
        host_split(w, at + 3, close, &bounds);
        if (bounds.len != 2)
            diag_error(w->diags, host_range(w, at + 1, close),
                       "'domain' takes two bounds, as in 's.domain(int2(0, 0), int2(4, 3))'");
        for (VEC_EACH(const host_piece, b, &bounds)) {
            strbuf_add(w->out, ", ");
            write_piece(w, b);
        }
        strbuf_addc(w->out, ')');
    }
    host_settle(w, mark, w->t[i].begin, last - 1);
    return last;
}

// ---- Prototypes ----

void host_parameters(strbuf *out, const brook_kernel *k, bool partial)
{
    strbuf_add(out, "(const svm_BrookPlace *");
    for (VEC_EACH(brook_var *const, v, &k->params)) {
        bool scalar = (*v)->type.width == 1 && (*v)->type.element != BROOK_STRUCT;
        const char *type = "svm_BrookStream";
        if ((*v)->kind == BROOK_UNIFORM)
            type = !scalar                              ? "const void *"
                   : (*v)->type.element == BROOK_FLOAT  ? "float"
                   : (*v)->type.element == BROOK_DOUBLE ? "double"
                                                        : "int32_t";
        else if ((*v)->kind == BROOK_VOUT)
            type = "svm_BrookStream *";
        else if ((*v)->kind == BROOK_REDUCE && !partial)
            type = "void *";
        strbuf_printf(out, ", %s", type);
    }
    strbuf_add(out, ");\n");
}

void host_prototype(strbuf *out, const brook_kernel *k)
{
    if (k->result.element != BROOK_VOID || k->wrong || k->broken || k->unfit != NULL ||
        (k->stream != NULL && k->stream->params.len > 0))
        return;
    strbuf_printf(out, "void brook_%s", k->name);
    host_parameters(out, k, false);
    if (!k->reduce)
        return;
    strbuf_printf(out, "void brook_%s_partial", k->name);
    host_parameters(out, k, true);
    if (k->params.len == 2)
        strbuf_printf(out, "svm_BrookCombine brook_%s_one;\n", k->name);
}
