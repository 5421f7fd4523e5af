// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Statements, in functions and in the bodies of composites.
#include "lang/streamit/check.h"

const char *place_name(const checker *c)
{
    if (!c->function) {
        if (!c->stream)
            return "the 'static' block";
        if (c->stream->kind == STREAM_FILTER)
            return "the initialiser of a field";
        return arena_printf(c->arena, "the body of a %s", stream_kind_name(c->stream->kind));
    }
    const ast_function *f = c->function;
    switch (f->kind) {
    case FUNC_INIT: return f->stream ? "'init'" : "the 'static' block";
    case FUNC_HANDLER: return arena_printf(c->arena, "handler '%s'", f->name);
    case FUNC_HELPER:
        return arena_printf(c->arena, "'%s%s%s'", f->module ? f->module : "", f->module ? "." : "", f->name);
    default: return arena_printf(c->arena, "'%s'", f->name);
    }
}

bool tape_allowed(checker *c)
{
    if (c->constant || !c->function || !c->function->stream)
        return false;
    ast_function_kind kind = c->function->kind;
    return kind == FUNC_WORK || kind == FUNC_PREWORK || kind == FUNC_HELPER;
}

static const char *target_name(checker *c, ast_expr *target)
{
    ast_expr *root = root_name(target);
    if (!root)
        return "it";
    const char *name = root->u.name.name;
    return root == target ? arena_printf(c->arena, "'%s'", name) : arena_printf(c->arena, "a part of '%s'", name);
}

static void check_compound(checker *c, ast_stmt *s)
{
    ast_expr *target = s->u.assign.target, *value = s->u.assign.value;
    lang_binary_op op = s->u.assign.op;
    bool shift = op == LANG_OP_SHL || op == LANG_OP_SHR;
    bool arith = op == LANG_OP_ADD || op == LANG_OP_SUB || op == LANG_OP_MUL || op == LANG_OP_DIV;
    bool ints = target->type->kind == TYPE_INT || target->type->kind == TYPE_BIT;
    if (target->type->kind == TYPE_ERROR || value->type->kind == TYPE_ERROR)
        return;
    bool fits = arith ? lang_type_is_numeric(target->type) && lang_type_is_numeric(value->type) : ints;
    if (!fits) {
        diag_error(c->diags, s->range, "operator '%s=' needs %s, but its operands are '%s' and '%s'",
                   lang_binary_spelling[op], arith ? "numbers" : "two ints", value_type_name(c, target),
                   value_type_name(c, value));
        return;
    }
    const lang_type *type = shift ? &lang_type_int : target->type;
    s->u.assign.value =
        coerce(c, value, type, false, arena_printf(c->arena, "the value for %s", target_name(c, target)));
}

static void check_assign(checker *c, ast_stmt *s)
{
    ast_expr *target = s->u.assign.target = check_expr(c, s->u.assign.target);
    check_assignable(c, target, "assign to");
    s->u.assign.value = check_expr(c, s->u.assign.value);
    if (s->u.assign.compound) {
        check_compound(c, s);
        return;
    }
    s->u.assign.value = coerce(c, s->u.assign.value, target->type, false,
                               arena_printf(c->arena, "the value assigned to %s", target_name(c, target)));
}

static void check_return(checker *c, ast_stmt *s)
{
    const ast_function *f = c->function;
    const lang_type *result = f ? f->result : &lang_type_void;
    if (s->u.expr)
        s->u.expr = check_expr(c, s->u.expr);
    if (result->kind == TYPE_ERROR)
        return;
    if (s->u.expr && result->kind == TYPE_VOID) {
        if (s->u.expr->type->kind != TYPE_ERROR)
            diag_error(c->diags, s->u.expr->range, "%s returns nothing, but a value is given to 'return'",
                       place_name(c));
    } else if (s->u.expr) {
        s->u.expr =
            coerce(c, s->u.expr, result, true, arena_printf(c->arena, "the value returned from %s", place_name(c)));
    } else if (result->kind != TYPE_VOID) {
        diag_error(c->diags, s->range, "'return' in '%s' needs a value of type '%s'", f->name, type_name(c, result));
    }
}

static void check_push(checker *c, ast_stmt *s)
{
    s->u.expr = check_expr(c, s->u.expr);
    if (!tape_allowed(c)) {
        diag_error(c->diags, s->range,
                   "'push' is allowed only in 'work', 'prework' and the functions of a filter, not in %s",
                   place_name(c));
        return;
    }
    check_rate_declared(c, RATE_PUSH, s->range);
    if (c->stream->output->kind != TYPE_VOID && c->stream->output->kind != TYPE_UNTYPED)
        s->u.expr = coerce(c, s->u.expr, c->stream->output, false, "the pushed value");
}

static void check_enqueue(checker *c, ast_stmt *s)
{
    s->u.expr = check_expr(c, s->u.expr);
    if (c->function || c->stream->kind != STREAM_FEEDBACKLOOP)
        diag_error(c->diags, s->range, "'enqueue' is allowed only in the body of a feedbackloop, not in %s",
                   place_name(c));
    else
        VEC_PUSH(c->arena, &c->composite->enqueues, s);
}

// A statement that stands alone under if, while or for has a scope of its own.
static void check_nested(checker *c, ast_stmt *s)
{
    if (!s)
        return;
    scope_push(c);
    check_stmt(c, s);
    scope_pop(c);
}

static void check_loop(checker *c, ast_stmt *s)
{
    scope_push(c);
    if (s->u.loop.init)
        check_stmt(c, s->u.loop.init);
    const char *word = s->kind == STMT_FOR ? "'for'" : s->kind == STMT_DO ? "'do'" : "'while'";
    if (s->kind != STMT_DO && s->u.loop.cond)
        s->u.loop.cond = check_condition(c, s->u.loop.cond, word);
    if (s->u.loop.step)
        check_stmt(c, s->u.loop.step);
    c->loops++;
    check_nested(c, s->u.loop.body);
    c->loops--;
    if (s->kind == STMT_DO)
        s->u.loop.cond = check_condition(c, s->u.loop.cond, word);
    scope_pop(c);
}

void check_stmt(checker *c, ast_stmt *s)
{
    switch (s->kind) {
    case STMT_ERROR:
    case STMT_EMPTY: break;
    case STMT_BLOCK:
        scope_push(c);
        for (VEC_EACH(ast_stmt *, it, &s->u.block))
            check_stmt(c, *it);
        scope_pop(c);
        break;
    case STMT_DECL: check_var_list(c, &s->u.decl); break;
    case STMT_ASSIGN: check_assign(c, s); break;
    case STMT_EXPR: s->u.expr = check_expr(c, s->u.expr); break;
    case STMT_IF:
        s->u.if_.cond = check_condition(c, s->u.if_.cond, "'if'");
        check_nested(c, s->u.if_.then);
        check_nested(c, s->u.if_.otherwise);
        break;
    case STMT_WHILE:
    case STMT_DO:
    case STMT_FOR: check_loop(c, s); break;
    case STMT_BREAK:
    case STMT_CONTINUE:
        if (c->loops == 0)
            diag_error(c->diags, s->range, "'%s' outside a loop", s->kind == STMT_BREAK ? "break" : "continue");
        break;
    case STMT_RETURN: check_return(c, s); break;
    case STMT_PUSH: check_push(c, s); break;
    case STMT_ENQUEUE: check_enqueue(c, s); break;
    case STMT_ADD:
    case STMT_BODY:
    case STMT_LOOP: check_child(c, s); break;
    case STMT_SPLIT:
    case STMT_JOIN: check_split(c, s); break;
    case STMT_SEND: check_send(c, s); break;
    }
}

static bool is_literal_true(const ast_expr *e)
{
    return !e || (e->kind == EXPR_BOOL && e->u.boolean);
}

// Whether control can reach the end of a statement, by Java's rules; *breaks is set when it leaves the loop around it.
static bool can_complete(const ast_stmt *s, bool *breaks)
{
    bool inner = false, ends;
    switch (s->kind) {
    case STMT_RETURN:
    case STMT_CONTINUE: return false;
    case STMT_BREAK: *breaks = true; return false;
    case STMT_BLOCK:
        for (VEC_EACH(ast_stmt *, it, &s->u.block)) {
            if (!can_complete(*it, breaks))
                return false;
        }
        return true;
    case STMT_IF:
        ends = can_complete(s->u.if_.then, breaks);
        return (s->u.if_.otherwise ? can_complete(s->u.if_.otherwise, breaks) : true) || ends;
    case STMT_WHILE:
    case STMT_FOR: can_complete(s->u.loop.body, &inner); return inner || !is_literal_true(s->u.loop.cond);
    case STMT_DO:
        ends = can_complete(s->u.loop.body, &inner);
        return inner || (ends && !is_literal_true(s->u.loop.cond));
    default: return true;
    }
}

void check_function_body(checker *c, ast_function *f)
{
    c->function = f;
    c->info = info_of(c, f);
    c->loops = 0;
    scope_push(c);
    for (VEC_EACH(ast_var *, p, &f->params))
        scope_declare(c, *p);
    check_stmt(c, f->body);
    scope_pop(c);
    bool breaks = false, value = f->result->kind != TYPE_VOID && f->result->kind != TYPE_ERROR;
    if (value && !f->broken && !c->program->broken && can_complete(f->body, &breaks)) {
        uint32_t end = f->body->range.end;
        diag_error(c->diags, (src_range){f->body->range.file, end - 1, end}, "%s must return a value of type '%s' here",
                   place_name(c), type_name(c, f->result));
    }
    c->function = NULL;
    c->info = NULL;
}
