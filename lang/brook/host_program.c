// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of stream programs that have parameters: Fir(16, x, y). Arguments for these come first, and are numbers as they
// are written, or macros for such, since the graph is built of them. Each set of numbers is a program of its own: a
// pipeline with one stream in it.
#include <string.h>

#include "lang/brook/host.h"

// A number behind any signs, in any parentheses.
static bool number_of(const brook_token *t, size_t count, brook_token *number)
{
    while (count >= 2 && t[0].kind == '(' && t[count - 1].kind == ')') {
        t++;
        count -= 2;
    }
    bool minus = count == 2 && t[0].kind == '-', plus = count == 2 && t[0].kind == '+';
    if ((count != 1 && !minus && !plus) || t[count - 1].kind != TOK_NUMBER)
        return false;
    *number = t[count - 1];
    if (minus)
        number->number = -number->number;
    return true;
}

// The argument as an expression of the stream language; NULL when it is no value of the parameter's type.
static ast_expr *value_of(const host_writer *w, const ast_var *param, const host_piece *a)
{
    brook_tokens tokens = {0};
    brook_token number;
    brook_expand(w->program, w->file, w->t + a->first, a->last - a->first, &tokens);
    if (!number_of(tokens.data, tokens.len, &number))
        return NULL;
    lang_type_kind kind = param->type->kind;
    double v = number.number;
    bool whole = number.integral && v >= INT32_MIN && v <= INT32_MAX;
    if (kind == TYPE_BOOLEAN || kind == TYPE_BIT)
        whole = whole && (v == 0 || v == 1);
    if (!whole && kind != TYPE_FLOAT && kind != TYPE_DOUBLE)
        return NULL;
    ast_expr *e = ARENA_NEW(w->arena, ast_expr);
    *e = (ast_expr){.kind = EXPR_FLOAT, .range = host_range(w, a->first, a->last - 1), .type = &lang_type_float};
    e->u.number = (float)v;
    if (kind == TYPE_BOOLEAN) {
        e->kind = EXPR_BOOL;
        e->type = &lang_type_boolean;
        e->u.boolean = v != 0;
    } else if (whole) {
        e->kind = EXPR_INT;
        e->type = &lang_type_int;
        e->u.integer = (int64_t)v;
    }
    return e;
}

static void add_text(strbuf *b, const ast_expr *e)
{
    if (e->kind == EXPR_FLOAT)
        strbuf_printf(b, "%.9g", e->u.number);
    else
        strbuf_printf(b, "%lld", (long long)(e->kind == EXPR_BOOL ? e->u.boolean : e->u.integer));
}

// The pipeline that adds the stream with these arguments.
static ast_stream *pipeline_of(arena *a, const brook_kernel *k, const char *name, const ast_expr_list *values,
                               src_range where)
{
    ast_stmt *add = ARENA_NEW(a, ast_stmt), *body = ARENA_NEW(a, ast_stmt);
    *add =
        (ast_stmt){.kind = STMT_ADD,
                   .range = where,
                   .u.child = {.name = k->name, .name_range = where, .args = *values, .decl = (ast_stream *)k->stream}};
    *body = (ast_stmt){.kind = STMT_BLOCK, .range = where};
    VEC_PUSH(a, &body->u.block, add);
    ast_stream *s = ARENA_NEW(a, ast_stream);
    *s = (ast_stream){.kind = STREAM_PIPELINE,
                      .name = name,
                      .range = k->stream->range,
                      .name_range = k->stream->name_range,
                      .type_range = k->stream->type_range,
                      .input = k->stream->input,
                      .output = k->stream->output,
                      .body = body};
    return s;
}

static brook_kernel *variant(const host_writer *w, const brook_kernel *k, const ast_expr_list *values, src_range where)
{
    brook_program *p = w->program;
    strbuf text;
    strbuf_init(&text, w->arena);
    strbuf_printf(&text, "%s(", k->name);
    for (size_t i = 0; i < values->len; i++) {
        strbuf_add(&text, i == 0 ? "" : ", ");
        add_text(&text, values->data[i]);
    }
    strbuf_addc(&text, ')');
    brook_kernel *known = hmap_get(&p->kernel_names, text.data);
    if (known != NULL)
        return known;
    const char *name = k->name;
    for (size_t n = 1; hmap_get(&p->kernel_names, name) != NULL; n++)
        name = arena_printf(w->arena, "%s_%zu", k->name, n);
    brook_kernel *made = ARENA_NEW(w->arena, brook_kernel);
    *made = *k;
    made->name = name;
    made->shown = text.data;
    made->called = false;
    made->stream = pipeline_of(w->arena, k, name, values, where);
    hmap_set(&p->kernel_names, text.data, made);
    hmap_set(&p->kernel_names, name, made);
    VEC_PUSH(w->arena, &p->kernels, made);
    return made;
}

brook_kernel *host_program(const host_writer *w, brook_kernel *k, size_t i, host_pieces *args)
{
    if (k->unfit != NULL || k->stream->params.len == 0)
        return k;
    ast_expr_list values = {0};
    size_t count = k->stream->params.len, wanted = count + k->params.len;
    src_range where = host_range(w, i, i);
    if (args->len != wanted) {
        diag_record *r =
            diag_error(w->diags, where, "'%s' takes %zu arguments, for its parameters and then its streams, not %zu",
                       k->name, wanted, args->len);
        diag_add_note(w->diags, r, k->name_range, "'%s' is defined here", k->name);
        return NULL;
    }
    for (size_t a = 0; a < count; a++) {
        const ast_var *param = k->stream->params.data[a];
        const host_piece *piece = &args->data[a];
        ast_expr *e = value_of(w, param, piece);
        if (e == NULL) {
            bool flag = param->type->kind == TYPE_BOOLEAN || param->type->kind == TYPE_BIT;
            diag_record *r = diag_error(
                w->diags, host_range(w, piece->first, piece->last - 1),
                "parameter '%s' of '%s' must be known when its graph is built: expected %s, or a macro for %s",
                param->name, k->name,
                flag ? "0 or 1"
                     : arena_printf(w->arena, "a number of type '%s'", lang_type_name(w->arena, param->type)),
                flag ? "it" : "one");
            diag_add_note(w->diags, r, param->range, "'%s' is declared here", param->name);
            return NULL;
        }
        VEC_PUSH(w->arena, &values, e);
    }
    args->data += count;
    args->len -= count;
    return variant(w, k, &values, where);
}
