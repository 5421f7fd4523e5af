// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tree as text for --emit=ast: one line a declaration or statement, expressions in full parentheses with implicit
// conversions shown as <type>, and each line's place at its end.
#include "lang/ast.h"

typedef struct printer {
    strbuf *out;
    const source_set *sources;
    int depth;
    bool conversions;
} printer;

static void print_expr(printer *p, const ast_expr *e);
static void print_stmt(printer *p, const ast_stmt *s);
static void print_stream(printer *p, const ast_stream *s);

static void begin_line(printer *p)
{
    strbuf_pad(p->out, ' ', 2 * (size_t)p->depth);
}

static void end_line(printer *p, src_range where)
{
    if (where.file) {
        src_pos pos = source_pos(p->sources, where.file, where.begin);
        strbuf_printf(p->out, " @%u:%u", pos.line, pos.column);
    }
    strbuf_addc(p->out, '\n');
}

// An operand of another operation: in parentheses unless it is a name, a literal, a call or the like.
static void print_operand(printer *p, const ast_expr *e)
{
    const ast_expr *inner = e;
    while (inner->kind == EXPR_CONVERT && !p->conversions)
        inner = inner->u.cast.operand;
    bool compound = inner->kind == EXPR_BINARY || inner->kind == EXPR_COND || inner->kind == EXPR_UNARY ||
                    inner->kind == EXPR_CAST || inner->kind == EXPR_INCDEC;
    if (compound)
        strbuf_addc(p->out, '(');
    print_expr(p, e);
    if (compound)
        strbuf_addc(p->out, ')');
}

static void print_list(printer *p, const ast_expr_list *list)
{
    for (size_t i = 0; i < list->len; i++) {
        if (i > 0)
            strbuf_add(p->out, ", ");
        print_expr(p, list->data[i]);
    }
}

static void print_call(printer *p, const ast_expr *e)
{
    if (e->u.call.module)
        strbuf_printf(p->out, "%s.", e->u.call.module);
    strbuf_printf(p->out, "%s(", e->u.call.name);
    print_list(p, &e->u.call.args);
    strbuf_addc(p->out, ')');
}

static void print_incdec(printer *p, const ast_expr *e)
{
    const char *op = e->u.incdec.increment ? "++" : "--";
    strbuf_add(p->out, e->u.incdec.prefix ? op : "");
    print_expr(p, e->u.incdec.target);
    strbuf_add(p->out, e->u.incdec.prefix ? "" : op);
}

static void print_literal(printer *p, const ast_expr *e)
{
    if (e->kind == EXPR_INT)
        strbuf_printf(p->out, "%lld", (long long)e->u.integer);
    else if (e->kind == EXPR_BOOL)
        strbuf_add(p->out, e->u.boolean ? "true" : "false");
    else if (e->kind == EXPR_STRING)
        strbuf_add_quoted(p->out, e->u.string.text, e->u.string.len);
    else
        strbuf_add_float(p->out, (float)e->u.number);
    if (e->kind == EXPR_IMAG)
        strbuf_addc(p->out, 'i');
}

static void print_expr(printer *p, const ast_expr *e)
{
    strbuf *out = p->out;
    switch (e->kind) {
    case EXPR_ERROR: strbuf_add(out, "<error>"); break;
    case EXPR_INT:
    case EXPR_FLOAT:
    case EXPR_IMAG:
    case EXPR_BOOL:
    case EXPR_STRING: print_literal(p, e); break;
    case EXPR_NAME: strbuf_add(out, e->u.name.name); break;
    case EXPR_FIELD:
        print_expr(p, e->u.field.base);
        strbuf_printf(out, ".%s", e->u.field.name);
        break;
    case EXPR_INDEX:
        print_expr(p, e->u.index.base);
        strbuf_addc(out, '[');
        if (e->u.index.index)
            print_expr(p, e->u.index.index);
        strbuf_addc(out, ']');
        break;
    case EXPR_UNARY:
        strbuf_add(out, lang_unary_spelling[e->u.unary.op]);
        print_operand(p, e->u.unary.operand);
        break;
    case EXPR_BINARY:
        print_operand(p, e->u.binary.left);
        strbuf_printf(out, " %s ", lang_binary_spelling[e->u.binary.op]);
        print_operand(p, e->u.binary.right);
        break;
    case EXPR_COND:
        print_operand(p, e->u.cond.cond);
        strbuf_add(out, " ? ");
        print_operand(p, e->u.cond.then);
        strbuf_add(out, " : ");
        print_operand(p, e->u.cond.otherwise);
        break;
    case EXPR_CAST:
        strbuf_addc(out, '(');
        lang_type_print(out, e->u.cast.to);
        strbuf_addc(out, ')');
        print_operand(p, e->u.cast.operand);
        break;
    case EXPR_CONVERT:
        if (p->conversions) {
            strbuf_addc(out, '<');
            lang_type_print(out, e->type);
            strbuf_addc(out, '>');
            print_operand(p, e->u.cast.operand);
        } else {
            print_expr(p, e->u.cast.operand);
        }
        break;
    case EXPR_INCDEC: print_incdec(p, e); break;
    case EXPR_CALL: print_call(p, e); break;
    case EXPR_POP: strbuf_add(out, "pop()"); break;
    case EXPR_PEEK:
        strbuf_add(out, "peek(");
        print_expr(p, e->u.peek.offset);
        strbuf_addc(out, ')');
        break;
    case EXPR_ITER: strbuf_add(out, "iter()"); break;
    case EXPR_ARRAY:
        strbuf_addc(out, '{');
        print_list(p, &e->u.array);
        strbuf_addc(out, '}');
        break;
    }
}

void ast_print_expr(strbuf *out, const ast_expr *e)
{
    printer p = {.out = out};
    print_expr(&p, e);
}

// An expression and its type.
static void print_typed(printer *p, const ast_expr *e)
{
    print_expr(p, e);
    strbuf_add(p->out, " : ");
    lang_type_print(p->out, e->type);
}

static void print_var(printer *p, const ast_var *v)
{
    lang_type_print(p->out, v->type);
    strbuf_printf(p->out, " %s", v->name);
    if (v->init) {
        strbuf_add(p->out, " = ");
        print_expr(p, v->init);
    }
}

static void print_vars(printer *p, const char *what, const ast_var_list *vars)
{
    for (VEC_EACH(ast_var *, v, vars)) {
        begin_line(p);
        strbuf_printf(p->out, "%s ", what);
        print_var(p, *v);
        end_line(p, (*v)->range);
    }
}

static void print_params(printer *p, const ast_var_list *params)
{
    strbuf_addc(p->out, '(');
    for (size_t i = 0; i < params->len; i++) {
        if (i > 0)
            strbuf_add(p->out, ", ");
        print_var(p, params->data[i]);
    }
    strbuf_addc(p->out, ')');
}

static void print_nested(printer *p, const ast_stmt *s)
{
    if (!s)
        return;
    p->depth++;
    print_stmt(p, s);
    p->depth--;
}

static void print_child(printer *p, const char *word, const ast_stmt *s)
{
    const ast_child *c = &s->u.child;
    strbuf_add(p->out, word);
    if (c->name) {
        strbuf_printf(p->out, " %s", c->name);
        if (c->type_argument) {
            strbuf_addc(p->out, '<');
            lang_type_print(p->out, c->type_argument);
            strbuf_addc(p->out, '>');
        }
        strbuf_addc(p->out, '(');
        print_list(p, &c->args);
        strbuf_addc(p->out, ')');
    }
    if (c->portals.len > 0) {
        strbuf_add(p->out, " to ");
        print_list(p, &c->portals);
    }
    end_line(p, s->range);
    if (c->anonymous) {
        p->depth++;
        print_stream(p, c->anonymous);
        p->depth--;
    }
}

static void print_split(printer *p, const char *word, const ast_stmt *s)
{
    strbuf_printf(p->out, "%s %s", word, s->u.split.kind == SPLIT_DUPLICATE ? "duplicate" : "roundrobin");
    if (s->u.split.has_weights) {
        strbuf_addc(p->out, '(');
        print_list(p, &s->u.split.weights);
        strbuf_addc(p->out, ')');
    }
    end_line(p, s->range);
}

static void print_send(printer *p, const ast_stmt *s)
{
    strbuf_add(p->out, "send ");
    print_expr(p, s->u.send.portal);
    strbuf_printf(p->out, ".%s(", s->u.send.handler);
    print_list(p, &s->u.send.args);
    strbuf_addc(p->out, ')');
    if (s->u.send.has_latency) {
        strbuf_add(p->out, " [");
        if (s->u.send.best_effort)
            strbuf_addc(p->out, '*');
        if (s->u.send.min)
            print_expr(p, s->u.send.min);
        if (!s->u.send.best_effort)
            strbuf_addc(p->out, ':');
        if (s->u.send.max)
            print_expr(p, s->u.send.max);
        strbuf_addc(p->out, ']');
    }
    end_line(p, s->range);
}

static void print_loop(printer *p, const char *word, const ast_stmt *s)
{
    strbuf_add(p->out, word);
    if (s->u.loop.cond) {
        strbuf_addc(p->out, ' ');
        print_typed(p, s->u.loop.cond);
    }
    end_line(p, s->range);
    if (s->u.loop.init) {
        p->depth++;
        begin_line(p);
        strbuf_add(p->out, "first\n");
        print_nested(p, s->u.loop.init);
        p->depth--;
    }
    if (s->u.loop.step) {
        p->depth++;
        begin_line(p);
        strbuf_add(p->out, "step\n");
        print_nested(p, s->u.loop.step);
        p->depth--;
    }
    print_nested(p, s->u.loop.body);
}

static void print_if(printer *p, const ast_stmt *s)
{
    strbuf_add(p->out, "if ");
    print_typed(p, s->u.if_.cond);
    end_line(p, s->range);
    print_nested(p, s->u.if_.then);
    if (s->u.if_.otherwise) {
        begin_line(p);
        strbuf_add(p->out, "else\n");
        print_nested(p, s->u.if_.otherwise);
    }
}

static void print_assign(printer *p, const ast_stmt *s)
{
    print_expr(p, s->u.assign.target);
    strbuf_printf(p->out, " %s= ", s->u.assign.compound ? lang_binary_spelling[s->u.assign.op] : "");
    print_typed(p, s->u.assign.value);
    end_line(p, s->range);
}

static void print_word(printer *p, const char *word, const ast_expr *e, src_range range)
{
    strbuf_add(p->out, word);
    if (e)
        print_typed(p, e);
    end_line(p, range);
}

static void print_stmt(printer *p, const ast_stmt *s)
{
    if (s->kind == STMT_DECL) {
        print_vars(p, "local", &s->u.decl);
        return;
    }
    begin_line(p);
    switch (s->kind) {
    case STMT_ERROR: print_word(p, "<error>", NULL, s->range); break;
    case STMT_EMPTY: print_word(p, "empty", NULL, s->range); break;
    case STMT_BLOCK:
        print_word(p, "block", NULL, s->range);
        for (VEC_EACH(ast_stmt *, it, &s->u.block))
            print_nested(p, *it);
        break;
    case STMT_ASSIGN: print_assign(p, s); break;
    case STMT_EXPR: print_word(p, "", s->u.expr, s->range); break;
    case STMT_RETURN: print_word(p, s->u.expr ? "return " : "return", s->u.expr, s->range); break;
    case STMT_PUSH: print_word(p, "push ", s->u.expr, s->range); break;
    case STMT_ENQUEUE: print_word(p, "enqueue ", s->u.expr, s->range); break;
    case STMT_IF: print_if(p, s); break;
    case STMT_WHILE: print_loop(p, "while", s); break;
    case STMT_DO: print_loop(p, "do", s); break;
    case STMT_FOR: print_loop(p, "for", s); break;
    case STMT_BREAK: print_word(p, "break", NULL, s->range); break;
    case STMT_CONTINUE: print_word(p, "continue", NULL, s->range); break;
    case STMT_ADD: print_child(p, "add", s); break;
    case STMT_BODY: print_child(p, "body", s); break;
    case STMT_LOOP: print_child(p, "loop", s); break;
    case STMT_SPLIT: print_split(p, "split", s); break;
    case STMT_JOIN: print_split(p, "join", s); break;
    case STMT_SEND: print_send(p, s); break;
    case STMT_DECL: break;
    }
}

static void print_rate_part(printer *p, const ast_expr *e)
{
    if (e)
        print_expr(p, e);
    else
        strbuf_addc(p->out, '*');
}

static void print_rate(printer *p, const char *word, const ast_rate *r)
{
    if (!r->given)
        return;
    strbuf_printf(p->out, " %s ", word);
    if (!r->dynamic) {
        print_operand(p, r->value);
    } else if (!r->min && !r->avg && !r->max) {
        strbuf_addc(p->out, '*');
    } else {
        strbuf_addc(p->out, '[');
        print_rate_part(p, r->min);
        strbuf_add(p->out, ", ");
        if (r->avg) {
            print_expr(p, r->avg);
            strbuf_add(p->out, ", ");
        }
        print_rate_part(p, r->max);
        strbuf_addc(p->out, ']');
    }
}

static void print_function(printer *p, const char *what, const ast_function *f)
{
    if (!f)
        return;
    begin_line(p);
    strbuf_add(p->out, what);
    if (f->kind == FUNC_HELPER || f->kind == FUNC_NATIVE) {
        lang_type_print(p->out, f->result);
        strbuf_addc(p->out, ' ');
    }
    strbuf_printf(p->out, "%s%s%s", f->module ? f->module : "", f->module ? "." : "", f->name);
    if (f->kind == FUNC_HELPER || f->kind == FUNC_NATIVE || f->kind == FUNC_HANDLER)
        print_params(p, &f->params);
    print_rate(p, "push", &f->push);
    print_rate(p, "pop", &f->pop);
    print_rate(p, "peek", &f->peek);
    end_line(p, f->name_range);
    print_nested(p, f->body);
}

static void print_flags(printer *p, const ast_stream *s)
{
    static const char *const words[] = {"mutable", "iter", "random", "prints", "sends"};
    const bool flags[] = {s->mutable_state, s->uses_iter, s->uses_random, s->prints, s->sends};
    bool any = false;
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        if (flags[i])
            strbuf_printf(p->out, "%s%s", any ? " " : " [", words[i]);
        any |= flags[i];
    }
    if (any)
        strbuf_addc(p->out, ']');
}

static void print_stream(printer *p, const ast_stream *s)
{
    static const char *const kinds[] = {"filter", "pipeline", "splitjoin", "feedbackloop"};
    begin_line(p);
    lang_type_print(p->out, s->input);
    strbuf_add(p->out, "->");
    lang_type_print(p->out, s->output);
    strbuf_printf(p->out, " %s%s", s->stateful ? "stateful " : "", kinds[s->kind]);
    if (s->name) {
        strbuf_printf(p->out, " %s", s->name);
        print_params(p, &s->params);
    }
    if (s->captures.len > 0) {
        strbuf_add(p->out, " captures");
        for (VEC_EACH(ast_var *, v, &s->captures))
            strbuf_printf(p->out, " %s", (*v)->name);
    }
    print_flags(p, s);
    end_line(p, s->name_range);
    p->depth++;
    print_vars(p, "field", &s->fields);
    print_function(p, "", s->init);
    print_function(p, "", s->prework);
    print_function(p, "", s->work);
    for (VEC_EACH(ast_function *, f, &s->handlers))
        print_function(p, "handler ", *f);
    for (VEC_EACH(ast_function *, f, &s->functions))
        print_function(p, "function ", *f);
    if (s->body)
        print_stmt(p, s->body);
    p->depth--;
}

void ast_print(strbuf *out, const source_set *sources, const ast_program *program)
{
    printer p = {.out = out, .sources = sources, .conversions = true};
    for (VEC_EACH(ast_struct *, s, &program->structs)) {
        strbuf_printf(out, "struct %s", (*s)->name);
        end_line(&p, (*s)->name_range);
        p.depth++;
        print_vars(&p, "field", &(*s)->fields);
        p.depth--;
    }
    print_vars(&p, "global", &program->globals);
    for (VEC_EACH(ast_static *, s, &program->statics))
        print_function(&p, "static ", (*s)->init);
    for (VEC_EACH(ast_function *, f, &program->natives))
        print_function(&p, "native ", *f);
    for (VEC_EACH(ast_function *, f, &program->helpers))
        print_function(&p, "helper ", *f);
    for (VEC_EACH(ast_stream *, s, &program->streams))
        print_stream(&p, *s);
    for (VEC_EACH(ast_test *, t, &program->tests)) {
        strbuf_printf(out, "test %s", (*t)->name);
        end_line(&p, (*t)->name_range);
        p.depth++;
        print_stmt(&p, (*t)->stream->body);
        p.depth--;
    }
    if (program->top)
        strbuf_printf(out, "top %s\n", program->top->name);
}
