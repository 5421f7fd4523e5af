// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Teleport messages: receivers registered with 'to', and sends.
#include "lang/streamit/check.h"

static const ast_function *find_handler(const ast_stream *s, const char *name)
{
    for (VEC_EACH(ast_function *, f, &s->handlers)) {
        if ((*f)->name == name)
            return *f;
    }
    return NULL;
}

// An anonymous filter can receive what it has handlers for.
static void check_anonymous_receiver(checker *c, const ast_stream *s, const ast_expr *portal)
{
    const ast_stream *target = portal->type->target;
    if (s->kind != STREAM_FILTER) {
        diag_error(c->diags, portal->range, "only a filter can receive messages, but this is a %s",
                   stream_kind_name(s->kind));
        return;
    }
    for (VEC_EACH(ast_function *, it, &target->handlers)) {
        const ast_function *wanted = *it, *own = find_handler(s, wanted->name);
        bool same = own && own->params.len == wanted->params.len;
        for (size_t i = 0; same && i < wanted->params.len; i++)
            same = types_agree(own->params.data[i]->type, wanted->params.data[i]->type);
        if (same || s->broken)
            continue;
        diag_record *r =
            diag_error(c->diags, portal->range, "this filter cannot receive messages for '%s': it %s handler '%s'",
                       target->name, own ? "has other parameters in its" : "lacks the", wanted->name);
        diag_add_note(c->diags, r, wanted->name_range, "the handler is declared here");
    }
}

void check_portals(checker *c, ast_child *child)
{
    for (VEC_EACH(ast_expr *, it, &child->portals)) {
        ast_expr *portal = *it = check_expr(c, *it);
        if (portal->type->kind == TYPE_ERROR)
            continue;
        if (portal->type->kind != TYPE_PORTAL) {
            diag_error(c->diags, portal->range, "'%s' is not a portal but '%s'", portal->u.name.name,
                       value_type_name(c, portal));
        } else if (child->anonymous) {
            check_anonymous_receiver(c, child->anonymous, portal);
        } else if (child->decl && child->decl != portal->type->target) {
            diag_record *r = diag_error(c->diags, portal->range, "'%s' reaches only filters '%s', not '%s'",
                                        portal->u.name.name, portal->type->target->name, child->name);
            diag_add_note(c->diags, r, portal->u.name.var->range, "'%s' is declared here", portal->u.name.name);
        }
    }
}

static void check_latency(checker *c, ast_stmt *s)
{
    if (s->u.send.min)
        s->u.send.min = check_int(c, s->u.send.min, "the latency of a message");
    if (s->u.send.max)
        s->u.send.max = check_int(c, s->u.send.max, "the latency of a message");
    if (s->u.send.has_latency && !s->u.send.best_effort && !s->u.send.min && !s->u.send.max)
        diag_error(c->diags, s->range, "a latency needs at least one bound: '[min:max]', '[min:]' or '[:max]'");
}

static void check_handler_args(checker *c, ast_stmt *s, const ast_function *f)
{
    ast_expr_list *args = &s->u.send.args;
    s->u.send.decl = f;
    if (args->len != f->params.len) {
        diag_record *r = diag_error(c->diags, s->range, "handler '%s' takes %zu argument%s, but is sent %zu", f->name,
                                    f->params.len, f->params.len == 1 ? "" : "s", args->len);
        diag_add_note(c->diags, r, f->name_range, "'%s' is declared here", f->name);
        return;
    }
    for (size_t i = 0; i < args->len; i++)
        args->data[i] = coerce(c, args->data[i], f->params.data[i]->type, true,
                               arena_printf(c->arena, "argument %zu of handler '%s'", i + 1, f->name));
}

static void check_handler(checker *c, ast_stmt *s, const ast_stream *target)
{
    const char *name = s->u.send.handler;
    const ast_function *f = find_handler(target, name);
    if (f) {
        check_handler_args(c, s, f);
        return;
    }
    if (is_unsure(c, name))
        return;
    const char **names = ARENA_ARRAY(c->arena, const char *, target->handlers.len);
    for (size_t i = 0; i < target->handlers.len; i++)
        names[i] = target->handlers.data[i]->name;
    diag_record *r =
        error_unknown(c, s->u.send.handler_range, arena_printf(c->arena, "handler of filter '%s':", target->name), name,
                      nearest_of(c, name, names, target->handlers.len));
    diag_add_note(c->diags, r, target->name_range, "'%s' is declared here", target->name);
}

// 'P.f(..);' is a call when P is no variable.
static void check_call_statement(checker *c, ast_stmt *s)
{
    bool latency = s->u.send.has_latency;
    ast_expr *call = ARENA_NEW(c->arena, ast_expr);
    call->kind = EXPR_CALL;
    call->range = s->range;
    call->type = &lang_type_error;
    call->u.call.module = s->u.send.portal->u.name.name;
    call->u.call.name = s->u.send.handler;
    call->u.call.name_range = src_join(s->u.send.portal->range, s->u.send.handler_range);
    call->u.call.args = s->u.send.args;
    s->kind = STMT_EXPR;
    s->u.expr = check_expr(c, call);
    if (latency && s->u.expr->kind != EXPR_ERROR)
        diag_error(c->diags, s->range,
                   "a latency belongs to a message, but this is a call: there is no portal of that name");
}

void check_send(checker *c, ast_stmt *s)
{
    ast_expr *portal = s->u.send.portal;
    if (!scope_find(c, portal->u.name.name)) {
        check_call_statement(c, s);
        return;
    }
    portal = s->u.send.portal = check_expr(c, portal);
    for (VEC_EACH(ast_expr *, a, &s->u.send.args))
        *a = check_expr(c, *a);
    check_latency(c, s);
    if (portal->type->kind == TYPE_ERROR)
        return;
    if (portal->type->kind != TYPE_PORTAL) {
        diag_error(c->diags, portal->range, "'%s' is not a portal but '%s', so no message can be sent to it",
                   portal->u.name.name, value_type_name(c, portal));
        return;
    }
    ast_function_kind kind = c->function ? c->function->kind : FUNC_INIT;
    if (kind == FUNC_INIT) {
        diag_error(c->diags, s->range,
                   "messages are sent in 'work', 'prework', handlers and functions of a filter, not in %s",
                   place_name(c));
        return;
    }
    if (c->info)
        c->info->sends = true;
    check_handler(c, s, portal->type->target);
}
