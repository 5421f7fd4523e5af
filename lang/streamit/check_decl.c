// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams and functions. A stream is checked twice: first what others need of it, in any order; then its bodies.
#include "lang/streamit/check.h"

func_info *info_of(checker *c, ast_function *f)
{
    func_info *info = hmap_getn(&c->infos, &f, sizeof f);
    if (info)
        return info;
    info = ARENA_NEW(c->arena, func_info);
    info->function = f;
    hmap_setn(&c->infos, &f, sizeof f, info);
    VEC_PUSH(c->arena, &c->info_list, info);
    return info;
}

// The part of the checker's state that belongs to the stream being checked.
typedef struct stream_state {
    ast_stream *stream;
    ast_function *function;
    func_info *info;
    composite *composite;
    hmap *members;
    const ast_var *ordered;
    const char *constant;
    unsigned loops;
} stream_state;

static stream_state enter_stream(checker *c, ast_stream *s, composite *body)
{
    stream_state saved = {c->stream, c->function, c->info, c->composite, c->members, c->ordered, c->constant, c->loops};
    c->stream = s;
    c->function = NULL;
    c->info = NULL;
    c->composite = body;
    c->members = hmap_getn(&c->filter_members, &s, sizeof s);
    c->ordered = NULL;
    c->constant = NULL;
    c->loops = 0;
    scope_push(c);
    return saved;
}

static void leave_stream(checker *c, const stream_state *saved)
{
    scope_pop(c);
    c->stream = saved->stream;
    c->function = saved->function;
    c->info = saved->info;
    c->composite = saved->composite;
    c->members = saved->members;
    c->ordered = saved->ordered;
    c->constant = saved->constant;
    c->loops = saved->loops;
}

// A member named like a stream or struct.
static void check_member_name(checker *c, const char *name, src_range range)
{
    const ast_stream *stream = hmap_get(&c->streams, name);
    const ast_struct *structure = hmap_get(&c->structs, name);
    if (!stream && !structure)
        return;
    diag_record *r =
        diag_error(c->diags, range, "'%s' is already the name of a %s", name, stream ? "stream" : "struct");
    diag_add_note(c->diags, r, stream ? stream->name_range : structure->name_range, "'%s' is declared here", name);
}

void declare_function(checker *c, ast_function *f)
{
    f->result = check_type(c, f->result, f->name_range, USE_RESULT);
    scope_push(c); // lengths of array parameters may name earlier parameters
    for (size_t i = 0; i < f->params.len; i++) {
        ast_var *p = f->params.data[i];
        p->function = f;
        p->index = (uint32_t)i;
        p->type = check_type(c, p->type, p->type_range, USE_PARAMETER);
        scope_bind(c, p);
    }
    scope_pop(c);
    info_of(c, f);
}

static void declare_member(checker *c, ast_stream *s, ast_function *f)
{
    f->stream = s;
    const ast_function *first = hmap_get(c->members, f->name);
    const binding *var = scope_find(c, f->name);
    bool is_var = var && var->stream == s && var->var->kind != VAR_LOCAL;
    if (first || is_var) {
        diag_record *r = diag_error(c->diags, f->name_range, "'%s' is declared twice", f->name);
        diag_add_note(c->diags, r, first ? first->name_range : var->var->range, "'%s' is first declared here", f->name);
    } else {
        hmap_set(c->members, f->name, f);
    }
    check_member_name(c, f->name, f->name_range);
    declare_function(c, f);
}

static void declare_params(checker *c, ast_stream *s)
{
    for (size_t i = 0; i < s->params.len; i++) {
        ast_var *p = s->params.data[i];
        p->index = (uint32_t)i;
        p->type = check_type(c, p->type, p->type_range, USE_PARAMETER);
        check_member_name(c, p->name, p->range);
        scope_declare(c, p);
    }
}

static void declare_fields(checker *c, ast_stream *s)
{
    for (size_t i = 0; i < s->fields.len; i++) {
        s->fields.data[i]->index = (uint32_t)i;
        check_member_name(c, s->fields.data[i]->name, s->fields.data[i]->range);
        scope_declare(c, s->fields.data[i]);
    }
    const lang_type *written = NULL, *checked = NULL;
    for (VEC_EACH(ast_var *, f, &s->fields)) {
        c->ordered = *f;
        if ((*f)->type != written) {
            written = (*f)->type;
            checked = check_type(c, written, (*f)->type_range, USE_VARIABLE);
        }
        (*f)->type = checked;
    }
    c->ordered = NULL;
}

static void declare_filter(checker *c, ast_stream *s)
{
    c->members = ARENA_NEW(c->arena, hmap);
    hmap_init(c->members, c->arena);
    hmap_setn(&c->filter_members, &s, sizeof s, c->members);
    VEC_PUSH(c->arena, &c->filters, s);
    declare_fields(c, s);
    for (VEC_EACH(ast_function *, f, &s->functions))
        declare_member(c, s, *f);
    for (VEC_EACH(ast_function *, f, &s->handlers))
        declare_member(c, s, *f);
    ast_function *own[] = {s->init, s->prework, s->work};
    for (size_t i = 0; i < 3; i++) {
        if (own[i]) {
            own[i]->stream = s;
            info_of(c, own[i]);
        }
    }
    for (VEC_EACH(ast_var *, f, &s->fields)) {
        c->ordered = *f;
        check_init(c, *f);
    }
    c->ordered = NULL;
    if (!s->work && !is_broken(c, s))
        diag_error(c->diags, s->name_range, "%s has no 'work': every filter needs one", stream_name(c, s));
}

void declare_stream(checker *c, ast_stream *s)
{
    stream_state saved = enter_stream(c, s, NULL);
    declare_params(c, s);
    s->input = check_type(c, s->input, s->type_range, USE_TAPE);
    s->output = check_type(c, s->output, s->type_range, USE_TAPE);
    if (s->kind == STREAM_FILTER)
        declare_filter(c, s);
    leave_stream(c, &saved);
}

static void check_filter(checker *c, ast_stream *s)
{
    for (VEC_EACH(ast_var *, f, &s->fields))
        scope_bind(c, *f);
    ast_function *own[] = {s->init, s->prework, s->work};
    for (size_t i = 0; i < 3; i++) {
        if (own[i])
            check_rates(c, own[i]);
    }
    for (VEC_EACH(ast_function *, f, &s->functions))
        check_rates(c, *f);
    for (size_t i = 0; i < 3; i++) {
        if (own[i])
            check_function_body(c, own[i]);
    }
    for (VEC_EACH(ast_function *, f, &s->handlers))
        check_function_body(c, *f);
    for (VEC_EACH(ast_function *, f, &s->functions))
        check_function_body(c, *f);
}

void check_stream_bodies(checker *c, ast_stream *s)
{
    composite body = {.stream = s};
    stream_state saved = enter_stream(c, s, &body);
    for (VEC_EACH(ast_var *, p, &s->params))
        scope_bind(c, *p);
    if (s->kind == STREAM_FILTER) {
        check_filter(c, s);
    } else {
        check_stmt(c, s->body);
        check_structure(c, s);
        check_connections(c, s, &body.enqueues);
    }
    leave_stream(c, &saved);
}
