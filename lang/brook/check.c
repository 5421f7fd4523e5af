// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels, their parameters and statements.
#include "lang/brook/check.h"

#include <string.h>

static void open_scope(brook_checker *c)
{
    VEC_PUSH(c->arena, &c->scopes, c->visible.len);
}

static void close_scope(brook_checker *c)
{
    c->visible.len = VEC_LAST(&c->scopes);
    c->scopes.len--;
}

brook_var *brook_find_var(brook_checker *c, const char *name)
{
    for (size_t i = c->visible.len; i > 0; i--)
        if (strcmp(c->visible.data[i - 1]->name, name) == 0)
            return c->visible.data[i - 1];
    return NULL;
}

static void declare(brook_checker *c, brook_var *v)
{
    for (size_t i = VEC_LAST(&c->scopes); i < c->visible.len; i++)
        if (strcmp(c->visible.data[i]->name, v->name) == 0) {
            diag_record *r = BROOK_WRONG(c, v->range, "'%s' is declared twice", v->name);
            diag_add_note(c->diags, r, c->visible.data[i]->range, "the first declaration is here");
        }
    v->index = (uint32_t)c->kernel->vars.len;
    VEC_PUSH(c->arena, &c->kernel->vars, v);
    VEC_PUSH(c->arena, &c->visible, v);
}

// ---- Statements ----

static void check_stmt(brook_checker *c, brook_stmt *s);

static void check_condition(brook_checker *c, brook_expr *e)
{
    brook_check_expr(c, e);
    if (e->type.element != BROOK_ERROR && !brook_is_number(e->type))
        BROOK_WRONG(c, e->range, "a condition must be a number or a vector; this has type '%s'",
                    brook_type_name(c->arena, e->type));
}

static void check_decl(brook_checker *c, brook_stmt *s)
{
    for (VEC_EACH(brook_var *const, v, &s->u.decl)) {
        if ((*v)->init != NULL)
            brook_check_given(c, (*v)->init, (*v)->type, arena_printf(c->arena, "variable '%s'", (*v)->name));
        else if ((*v)->constant)
            BROOK_WRONG(c, (*v)->range, "'%s' is 'const' and has no value: expected '= ...'", (*v)->name);
        declare(c, *v);
    }
}

static void check_push(brook_checker *c, brook_stmt *s)
{
    brook_var *v = brook_find_var(c, s->u.push.name);
    s->u.push.var = v;
    if (v == NULL)
        BROOK_WRONG(c, s->u.push.name_range, "unknown name '%s': 'push' takes a 'vout' parameter", s->u.push.name);
    else if (v->kind != BROOK_VOUT)
        BROOK_WRONG(c, s->u.push.name_range, "'%s' is no 'vout' parameter, so that nothing can be pushed to it",
                    v->name);
}

static void check_return(brook_checker *c, brook_stmt *s)
{
    const brook_kernel *k = c->kernel;
    brook_expr *value = s->u.expr;
    if (k->result.element == BROOK_VOID && value != NULL) {
        brook_check_expr(c, value);
        BROOK_WRONG(c, value->range, "'%s' is 'void' and returns no value; assign to its output instead", k->name);
    } else if (k->result.element != BROOK_VOID && value == NULL) {
        BROOK_WRONG(c, s->range, "'%s' returns '%s': expected a value after 'return'", k->name,
                    brook_type_name(c->arena, k->result));
    } else if (value != NULL) {
        brook_check_given(c, value, k->result, arena_printf(c->arena, "the result of '%s'", k->name));
    }
    c->kernel->returns = true;
}

static void check_loop(brook_checker *c, brook_stmt *s)
{
    open_scope(c);
    if (s->u.loop.init != NULL)
        check_stmt(c, s->u.loop.init);
    if (s->u.loop.cond != NULL)
        check_condition(c, s->u.loop.cond);
    if (s->u.loop.step != NULL)
        brook_check_expr(c, s->u.loop.step);
    c->loops++;
    check_stmt(c, s->u.loop.body);
    c->loops--;
    close_scope(c);
}

static void check_stmt(brook_checker *c, brook_stmt *s)
{
    switch (s->kind) {
    case BROOK_STMT_EMPTY: break;
    case BROOK_STMT_BLOCK:
        open_scope(c);
        for (VEC_EACH(brook_stmt *const, part, &s->u.block))
            check_stmt(c, *part);
        close_scope(c);
        break;
    case BROOK_STMT_DECL: check_decl(c, s); break;
    case BROOK_STMT_EXPR: brook_check_expr(c, s->u.expr); break;
    case BROOK_STMT_PUSH: check_push(c, s); break;
    case BROOK_STMT_IF:
        check_condition(c, s->u.if_.cond);
        open_scope(c);
        check_stmt(c, s->u.if_.then);
        if (s->u.if_.otherwise != NULL)
            check_stmt(c, s->u.if_.otherwise);
        close_scope(c);
        break;
    case BROOK_STMT_WHILE:
    case BROOK_STMT_DO:
    case BROOK_STMT_FOR: check_loop(c, s); break;
    case BROOK_STMT_BREAK:
    case BROOK_STMT_CONTINUE:
        if (c->loops == 0)
            BROOK_WRONG(c, s->range, "'%s' stands in no loop", s->kind == BROOK_STMT_BREAK ? "break" : "continue");
        break;
    case BROOK_STMT_RETURN: check_return(c, s); break;
    case BROOK_STMT_DISCARD:
        BROOK_WRONG(c, s->range,
                    "'discard' is not supported: leave the output unassigned where its element is to stay as it is");
        break;
    }
}

// ---- Parameters ----

static size_t count_kind(const brook_kernel *k, brook_var_kind kind, const brook_var **second)
{
    size_t n = 0;
    for (VEC_EACH(brook_var *const, v, &k->params))
        if ((*v)->kind == kind && ++n == 2 && second != NULL)
            *second = *v;
    return n;
}

static void check_reduce(brook_checker *c, const brook_kernel *k)
{
    const brook_var *second = NULL;
    size_t inputs = count_kind(k, BROOK_INPUT, &second), targets;
    if (inputs > 1)
        BROOK_WRONG(c, second->range, "reduce function '%s' has more than one input stream; expected exactly one",
                    k->name);
    else if (inputs == 0)
        BROOK_WRONG(c, k->name_range, "reduce function '%s' has no input stream: expected one, as in 'float a<>'",
                    k->name);
    targets = count_kind(k, BROOK_REDUCE, &second);
    if (targets > 1)
        BROOK_WRONG(c, second->range, "reduce function '%s' has more than one 'reduce' parameter; expected exactly one",
                    k->name);
    else if (targets == 0)
        BROOK_WRONG(c, k->name_range,
                    "reduce function '%s' has no 'reduce' parameter: expected one, as in 'reduce float r<>'", k->name);
    if (k->result.element != BROOK_VOID && k->result.element != BROOK_ERROR)
        BROOK_WRONG(c, k->name_range, "reduce function '%s' must be 'void': its result is its 'reduce' parameter",
                    k->name);
    const brook_var *in = NULL, *to = NULL;
    for (VEC_EACH(brook_var *const, v, &k->params)) {
        in = (*v)->kind == BROOK_INPUT ? *v : in;
        to = (*v)->kind == BROOK_REDUCE ? *v : to;
        if ((*v)->kind == BROOK_OUTPUT || (*v)->kind == BROOK_VOUT || (*v)->kind == BROOK_ITERATOR)
            BROOK_WRONG(c, (*v)->range, "reduce function '%s' cannot have %s parameter: '%s'", k->name,
                        (*v)->kind == BROOK_ITERATOR ? "an 'iter'"
                        : (*v)->kind == BROOK_VOUT   ? "a 'vout'"
                                                     : "an 'out'",
                        (*v)->name);
        else if ((*v)->kind == BROOK_REDUCE && (*v)->type.element == BROOK_STRUCT)
            BROOK_WRONG(c, (*v)->range, "'%s' is a struct, which cannot be reduced; expected a number or a vector",
                        (*v)->name);
    }
    if (in != NULL && to != NULL && !brook_type_same(in->type, to->type)) {
        diag_record *r =
            BROOK_WRONG(c, to->range, "'%s' is reduced to '%s', but the elements of '%s' have type '%s'", to->name,
                        brook_type_name(c->arena, to->type), in->name, brook_type_name(c->arena, in->type));
        diag_add_range(c->diags, r, in->range);
    }
}

static void check_map(brook_checker *c, const brook_kernel *k)
{
    size_t outputs = count_kind(k, BROOK_OUTPUT, NULL), variable = count_kind(k, BROOK_VOUT, NULL);
    const brook_var *first_variable = NULL;
    for (VEC_EACH(brook_var *const, v, &k->params)) {
        if ((*v)->kind == BROOK_REDUCE)
            BROOK_WRONG(c, (*v)->range, "'reduce' parameter '%s' in a kernel: only a 'reduce void' function has one",
                        (*v)->name);
        if ((*v)->kind == BROOK_VOUT && first_variable == NULL)
            first_variable = *v;
        bool pushes = (*v)->type.element == BROOK_FLOAT || (*v)->type.element == BROOK_DOUBLE ||
                      (*v)->type.element == BROOK_INT || (*v)->type.element == BROOK_ERROR;
        if ((*v)->kind == BROOK_VOUT && !pushes)
            BROOK_WRONG(c, (*v)->range, "'%s' cannot be a 'vout' of '%s': expected floats, doubles or ints", (*v)->name,
                        brook_type_name(c->arena, (*v)->type));
        if ((*v)->kind == BROOK_ITERATOR && (*v)->type.element != BROOK_FLOAT && (*v)->type.element != BROOK_ERROR)
            BROOK_WRONG(c, (*v)->range, "iterator '%s' must have floats for elements, not '%s'", (*v)->name,
                        brook_type_name(c->arena, (*v)->type));
    }
    if (variable > 0 && outputs > 0)
        BROOK_WRONG(c, first_variable->range,
                    "'%s' cannot be a 'vout' beside an 'out' parameter: their elements have no common place",
                    first_variable->name);
    if (variable > 1)
        BROOK_WRONG(c, first_variable->range,
                    "more than one 'vout' parameter; expected one, and a kernel for each other");
    if (k->result.element == BROOK_VOID && outputs + variable == 0 && k->body != NULL)
        diag_warning(c->diags, WARN_BROOK_NO_OUTPUT, k->name_range,
                     "kernel '%s' has no output: add an 'out' parameter; calls of it from host code are errors",
                     k->name);
}

static void check_params(brook_checker *c, brook_kernel *k)
{
    for (VEC_EACH(brook_var *const, v, &k->params)) {
        declare(c, *v);
        if ((*v)->most == NULL)
            continue;
        const brook_expr *most = (*v)->most;
        if (most->kind != BROOK_EXPR_NUMBER || !most->integral)
            BROOK_WRONG(c, most->range, "the most values of 'vout' parameter '%s' must be a whole number", (*v)->name);
    }
    if (k->reduce && !k->fused) // whose calls have been checked
        check_reduce(c, k);
    else if (!k->reduce)
        check_map(c, k);
    if (k->result.element == BROOK_STRUCT || brook_is_number(k->result) || k->result.element == BROOK_VOID)
        return;
    k->wrong = true;
}

void brook_check_kernel(brook_checker *outer, brook_kernel *k)
{
    if (k->state != BROOK_UNCHECKED)
        return;
    brook_checker c = {.program = outer->program,
                       .arena = outer->arena,
                       .diags = outer->diags,
                       .kernel = k,
                       .calling = outer->calling};
    k->state = BROOK_CHECKING;
    k->wrong |= k->broken;
    VEC_PUSH(c.arena, &c.calling, k);
    open_scope(&c);
    check_params(&c, k);
    if (k->body != NULL && !k->broken) {
        for (VEC_EACH(brook_stmt *const, part, &k->body->u.block)) // in the parameters' scope, as in C
            check_stmt(&c, *part);
        if (!k->wrong)
            brook_check_assigned(&c, k);
    }
    close_scope(&c);
    k->state = BROOK_CHECKED;
}

static void check_struct(brook_program *p, const brook_struct *st)
{
    for (VEC_EACH(const brook_member, m, &st->members))
        if (m->type.element == BROOK_VOID)
            diag_error(p->diags, m->range, "member '%s' cannot be 'void'", m->name);
}

void brook_check(brook_program *program)
{
    brook_checker c = {.program = program, .arena = program->arena, .diags = program->diags};
    for (VEC_EACH(brook_struct *const, st, &program->structs))
        check_struct(program, *st);
    for (VEC_EACH(brook_kernel *const, k, &program->kernels))
        brook_check_kernel(&c, *k);
}
