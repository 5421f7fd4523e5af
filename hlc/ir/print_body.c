// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stream IR to text: functions, statements, expressions.
#include <string.h>

#include "hlc/ir/ops.h"
#include "hlc/ir/print_int.h"
#include "hlc/ir/walk.h"

// ---- Expressions ----

static void print_expr(sir_printer *p, const sir_expr *e, int precedence);

static void print_arguments(sir_printer *p, sir_expr *const *args, size_t count)
{
    strbuf_addc(p->out, '(');
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            strbuf_add(p->out, ", ");
        print_expr(p, args[i], 0);
    }
    strbuf_addc(p->out, ')');
}

static void print_variable_name(sir_printer *p, char sigil, const char *name)
{
    strbuf_addc(p->out, sigil);
    sir_print_name(p->out, name);
}

// Names of what does not exist are printed as numbers, so that a broken module can still be looked at.
static void print_reference(sir_printer *p, const sir_expr *e)
{
    const char *name = NULL;
    char sigil = e->kind == SIR_LOCAL ? '%' : e->kind == SIR_GLOBAL ? '@' : '$';
    if (e->kind == SIR_LOCAL && p->function != NULL && e->index < p->function->locals.len)
        name = p->function->locals.data[e->index].name;
    if (sigil == '$' && p->filter != NULL && e->index < p->filter->fields.len)
        name = p->filter->fields.data[e->index].name;
    if (e->kind == SIR_GLOBAL && e->index < p->module->globals.len)
        name = p->module->globals.data[e->index].name;
    if (name != NULL)
        print_variable_name(p, sigil, name);
    else
        strbuf_printf(p->out, "%c%u", sigil, (unsigned)e->index);
}

static void print_member(sir_printer *p, const sir_expr *e)
{
    const sir_type *base = e->u.arg[0]->type;
    print_expr(p, e->u.arg[0], SIR_PREC_POSTFIX);
    strbuf_addc(p->out, '.');
    if (base->kind == SIR_STRUCT && e->index < base->decl->members.len)
        sir_print_name(p->out, base->decl->members.data[e->index].name);
    else
        strbuf_add(p->out, e->index == 0 ? "real" : "imag");
}

static void open_paren(sir_printer *p, bool needed)
{
    if (needed)
        strbuf_addc(p->out, '(');
}

static void close_paren(sir_printer *p, bool needed)
{
    if (needed)
        strbuf_addc(p->out, ')');
}

static void print_unary(sir_printer *p, const sir_expr *e, int precedence)
{
    const sir_expr *arg = e->u.arg[0];
    bool paren = precedence > SIR_PREC_UNARY;
    open_paren(p, paren);
    strbuf_add(p->out, sir_unary_spelling[e->op]);
    // "-3" is a constant and "--" would be hard to read.
    bool apart = e->op == LANG_OP_NEG && (arg->kind == SIR_CONST || (arg->kind == SIR_UNARY && arg->op == LANG_OP_NEG));
    open_paren(p, apart);
    print_expr(p, arg, apart ? 0 : SIR_PREC_UNARY);
    close_paren(p, apart);
    close_paren(p, paren);
}

static void print_binary(sir_printer *p, const sir_expr *e, int precedence)
{
    const sir_binary_info *op = &sir_binary_ops[e->op];
    bool paren = precedence > op->precedence;
    open_paren(p, paren);
    print_expr(p, e->u.arg[0], op->precedence);
    strbuf_printf(p->out, " %s ", op->spelling);
    print_expr(p, e->u.arg[1], op->precedence + 1);
    close_paren(p, paren);
}

static void print_select(sir_printer *p, const sir_expr *e, int precedence)
{
    bool paren = precedence > SIR_PREC_SELECT;
    open_paren(p, paren);
    print_expr(p, e->u.arg[0], SIR_PREC_SELECT + 1);
    strbuf_add(p->out, " ? ");
    print_expr(p, e->u.arg[1], SIR_PREC_SELECT + 1);
    strbuf_add(p->out, " : ");
    print_expr(p, e->u.arg[2], SIR_PREC_SELECT);
    close_paren(p, paren);
}

static void print_fetch(sir_printer *p, const sir_expr *e)
{
    print_reference(p, e);
    for (size_t i = 0; i < sir_expr_arity(e); i++) {
        strbuf_add(p->out, i == 0 ? "[" : ", ");
        print_expr(p, e->u.arg[i], 0);
    }
    strbuf_addc(p->out, ']');
}

static void print_expr(sir_printer *p, const sir_expr *e, int precedence)
{
    switch ((sir_expr_kind)e->kind) {
    case SIR_CONST: sir_print_scalar(p->out, e->type, e->u.value, true); break;
    case SIR_LOCAL:
    case SIR_FIELD:
    case SIR_GLOBAL: print_reference(p, e); break;
    case SIR_INDEX:
        print_expr(p, e->u.arg[0], SIR_PREC_POSTFIX);
        strbuf_addc(p->out, '[');
        print_expr(p, e->u.arg[1], 0);
        strbuf_addc(p->out, ']');
        break;
    case SIR_MEMBER: print_member(p, e); break;
    case SIR_UNARY: print_unary(p, e, precedence); break;
    case SIR_BINARY: print_binary(p, e, precedence); break;
    case SIR_SELECT: print_select(p, e, precedence); break;
    case SIR_CONVERT:
        sir_type_print(p->out, e->type);
        print_arguments(p, e->u.arg, 1);
        break;
    case SIR_MATH:
        strbuf_add(p->out, sir_math_ops[e->op].name);
        print_arguments(p, e->u.arg, sir_expr_arity(e));
        break;
    case SIR_PEEK:
        strbuf_add(p->out, "peek");
        print_arguments(p, e->u.arg, 1);
        break;
    case SIR_ITER: strbuf_add(p->out, "iter()"); break;
    case SIR_MAKE_COMPLEX:
        strbuf_add(p->out, "complex");
        print_arguments(p, e->u.arg, 2);
        break;
    case SIR_FETCH: print_fetch(p, e); break;
    }
}

// ---- Places of parts ----

static void add_part(void *context, sir_expr *e, bool written)
{
    (void)written;
    sir_printer *p = context;
    VEC_PUSH(p->out->arena, &p->parts, e->loc);
}

static void add_parts(sir_printer *p, sir_expr *e)
{
    if (e != NULL && p->places)
        sir_visit_tree(e, false, add_part, p);
}

static void add_args_parts(sir_printer *p, sir_expr *const *args, size_t count)
{
    for (size_t i = 0; i < count; i++)
        add_parts(p, args[i]);
}

// ---- Statements ----

static void print_block(sir_printer *p, const sir_block *b);

static const sir_local *local_at(const sir_printer *p, uint32_t index)
{
    static const sir_local unknown = {.name = "?"};
    return index < p->function->locals.len ? &p->function->locals.data[index] : &unknown;
}

static void print_typed_local(sir_printer *p, const sir_local *local)
{
    print_variable_name(p, '%', local->name);
    if (local->type != NULL) {
        strbuf_add(p->out, ": ");
        sir_type_print(p->out, local->type);
    }
}

static void print_decl(sir_printer *p, const sir_stmt *s)
{
    const sir_local *local = local_at(p, s->u.decl.local);
    strbuf_add(p->out, "var ");
    print_typed_local(p, local);
    if (s->u.decl.init != NULL) {
        strbuf_add(p->out, " = ");
        print_expr(p, s->u.decl.init, 0);
    } else if (s->u.decl.uninitialised) {
        strbuf_add(p->out, " uninitialised");
    }
    VEC_PUSH(p->out->arena, &p->parts, local->loc);
    add_parts(p, s->u.decl.init);
}

// "target = " if there is one.
static void print_target(sir_printer *p, sir_expr *target)
{
    if (target == NULL)
        return;
    print_expr(p, target, 0);
    strbuf_add(p->out, " = ");
    add_parts(p, target);
}

static void print_call(sir_printer *p, const sir_stmt *s)
{
    print_target(p, s->u.call.target);
    strbuf_add(p->out, "call ");
    sir_print_name(p->out, s->u.call.function->name);
    print_arguments(p, s->u.call.args.data, s->u.call.args.len);
    add_args_parts(p, s->u.call.args.data, s->u.call.args.len);
}

static void print_send(sir_printer *p, const sir_stmt *s)
{
    strbuf_add(p->out, "send ");
    if (s->u.send.portal < p->module->portals.len)
        sir_print_name(p->out, p->module->portals.data[s->u.send.portal].name);
    strbuf_addc(p->out, ' ');
    sir_print_name(p->out, s->u.send.handler);
    print_arguments(p, s->u.send.args.data, s->u.send.args.len);
    add_args_parts(p, s->u.send.args.data, s->u.send.args.len);
    if (s->u.send.best_effort) {
        strbuf_add(p->out, " best_effort");
        return;
    }
    const struct {
        const char *word;
        sir_expr *bound;
    } bounds[] = {{" min ", s->u.send.min}, {" max ", s->u.send.max}};
    for (size_t i = 0; i < 2; i++) {
        if (bounds[i].bound == NULL)
            continue;
        strbuf_add(p->out, bounds[i].word);
        print_expr(p, bounds[i].bound, 0);
        add_parts(p, bounds[i].bound);
    }
}

static void print_closing(sir_printer *p, const char *text)
{
    sir_print_indent(p);
    strbuf_add(p->out, text);
}

static void print_if(sir_printer *p, const sir_stmt *s)
{
    strbuf_add(p->out, "if ");
    print_expr(p, s->u.if_.cond, 0);
    strbuf_add(p->out, " {");
    add_parts(p, s->u.if_.cond);
    sir_print_end(p, s->loc);
    print_block(p, &s->u.if_.then);
    if (s->u.if_.otherwise.len > 0) {
        print_closing(p, "} else {\n");
        print_block(p, &s->u.if_.otherwise);
    }
    print_closing(p, "}\n");
}

static void print_for(sir_printer *p, const sir_stmt *s)
{
    const sir_local *local = local_at(p, s->u.for_.local);
    strbuf_add(p->out, "for ");
    print_variable_name(p, '%', local->name);
    strbuf_add(p->out, " = ");
    print_expr(p, s->u.for_.lo, 0);
    strbuf_add(p->out, " to ");
    print_expr(p, s->u.for_.hi, 0);
    if (s->u.for_.step != 1)
        strbuf_printf(p->out, " step %d", (int)s->u.for_.step);
    strbuf_add(p->out, " {");
    VEC_PUSH(p->out->arena, &p->parts, local->loc);
    add_parts(p, s->u.for_.lo);
    add_parts(p, s->u.for_.hi);
    sir_print_end(p, s->loc);
    print_block(p, &s->u.for_.body);
    print_closing(p, "}\n");
}

static void print_condition(sir_printer *p, sir_expr *cond)
{
    if (cond == NULL)
        return;
    strbuf_add(p->out, " while ");
    print_expr(p, cond, 0);
}

static void print_part(sir_printer *p, const char *opening, const sir_block *b)
{
    if (b->len == 0)
        return;
    print_closing(p, opening);
    print_block(p, b);
}

// loop pre { .. } while cond { .. } step { .. }, or with the test at the end: do { .. } step { .. } pre { .. } while
// cond. Parts that are empty are left out, but for the body. The first line has the places of the condition, wherever
// it is.
static void print_loop(sir_printer *p, const sir_stmt *s)
{
    const sir_block *pre = &s->u.loop.pre, *step = &s->u.loop.step;
    sir_expr *cond = s->u.loop.cond;
    add_parts(p, cond);
    if (s->u.loop.post_test) {
        strbuf_add(p->out, "do {");
        sir_print_end(p, s->loc);
        print_block(p, &s->u.loop.body);
        print_part(p, "} step {\n", step);
        print_part(p, "} pre {\n", pre);
        print_closing(p, "}");
        print_condition(p, cond);
        strbuf_addc(p->out, '\n');
        return;
    }
    strbuf_add(p->out, pre->len > 0 ? "loop pre {" : "loop");
    if (pre->len > 0) {
        sir_print_end(p, s->loc);
        print_block(p, pre);
        print_closing(p, "}");
    }
    print_condition(p, cond);
    strbuf_add(p->out, " {");
    if (pre->len > 0)
        strbuf_addc(p->out, '\n');
    else
        sir_print_end(p, s->loc);
    print_block(p, &s->u.loop.body);
    print_part(p, "} step {\n", step);
    print_closing(p, "}\n");
}

static void print_nested(sir_printer *p, const sir_stmt *s)
{
    strbuf_addc(p->out, '{');
    sir_print_end(p, s->loc);
    print_block(p, &s->u.block);
    print_closing(p, "}\n");
}

static void print_print(sir_printer *p, const sir_stmt *s)
{
    strbuf_add(p->out, "print ");
    if (s->u.print.value != NULL)
        print_expr(p, s->u.print.value, 0);
    else
        strbuf_add_quoted(p->out, s->u.print.text, s->u.print.len);
    add_parts(p, s->u.print.value);
}

static void print_value_of(sir_printer *p, const char *word, sir_expr *value)
{
    strbuf_add(p->out, word);
    if (value == NULL)
        return;
    strbuf_addc(p->out, ' ');
    print_expr(p, value, 0);
    add_parts(p, value);
}

static void print_stmt(sir_printer *p, const sir_stmt *s)
{
    sir_print_indent(p);
    switch ((sir_stmt_kind)s->kind) {
    case SIR_IF: print_if(p, s); return;
    case SIR_FOR: print_for(p, s); return;
    case SIR_LOOP: print_loop(p, s); return;
    case SIR_BLOCK: print_nested(p, s); return;
    case SIR_DECL: print_decl(p, s); break;
    case SIR_SET:
        print_target(p, s->u.set.target);
        print_expr(p, s->u.set.value, 0);
        add_parts(p, s->u.set.value);
        break;
    case SIR_POP:
    case SIR_RANDOM:
        print_target(p, s->u.set.target);
        strbuf_add(p->out, s->kind == SIR_POP ? "pop" : "random");
        break;
    case SIR_PUSH: print_value_of(p, "push", s->u.value); break;
    case SIR_RETURN: print_value_of(p, "return", s->u.value); break;
    case SIR_PRINT: print_print(p, s); break;
    case SIR_CALL: print_call(p, s); break;
    case SIR_SEND: print_send(p, s); break;
    case SIR_BREAK: strbuf_add(p->out, "break"); break;
    case SIR_CONTINUE: strbuf_add(p->out, "continue"); break;
    }
    sir_print_end(p, s->loc);
}

static void print_block(sir_printer *p, const sir_block *b)
{
    p->indent += SIR_INDENT;
    for (size_t i = 0; i < b->len; i++)
        print_stmt(p, b->data[i]);
    p->indent -= SIR_INDENT;
}

// ---- Functions ----

static void print_rate(strbuf *out, const char *word, sir_rate rate)
{
    strbuf_printf(out, " %s ", word);
    if (!rate.dynamic) {
        strbuf_printf(out, "%lld", (long long)rate.min);
        return;
    }
    strbuf_printf(out, "[%lld, ", (long long)rate.min);
    if (rate.max < 0)
        strbuf_add(out, "*]");
    else
        strbuf_printf(out, "%lld]", (long long)rate.max);
}

static bool same_rate(sir_rate a, sir_rate b)
{
    return a.dynamic == b.dynamic && a.min == b.min && a.max == b.max;
}

static void print_rates(sir_printer *p, const sir_function *f)
{
    const sir_rate none = {0};
    if (!same_rate(f->peek, f->pop))
        print_rate(p->out, "peek", f->peek);
    if (!same_rate(f->pop, none))
        print_rate(p->out, "pop", f->pop);
    if (!same_rate(f->push, none))
        print_rate(p->out, "push", f->push);
    if (f->peek.loc.file == 0 && f->pop.loc.file == 0 && f->push.loc.file == 0)
        return;
    p->all_parts = true;
    VEC_PUSH(p->out->arena, &p->parts, f->peek.loc);
    VEC_PUSH(p->out->arena, &p->parts, f->pop.loc);
    VEC_PUSH(p->out->arena, &p->parts, f->push.loc);
}

static void print_params(sir_printer *p, const sir_function *f)
{
    strbuf_addc(p->out, '(');
    for (uint32_t i = 0; i < f->param_count && i < f->locals.len; i++) {
        const sir_local *param = &f->locals.data[i];
        if (i > 0)
            strbuf_add(p->out, ", ");
        print_typed_local(p, param);
        if (param->by_reference)
            strbuf_addc(p->out, '&');
        VEC_PUSH(p->out->arena, &p->parts, param->loc);
    }
    strbuf_addc(p->out, ')');
    if (f->result->kind != SIR_VOID) {
        strbuf_add(p->out, " -> ");
        sir_type_print(p->out, f->result);
    }
}

typedef struct local_use {
    bool *declared, *used;
    size_t count;
} local_use;

static void note_use(void *context, sir_expr *e, bool written)
{
    (void)written;
    local_use *use = context;
    if (e->kind == SIR_LOCAL && e->index < use->count)
        use->used[e->index] = true;
}

static void note_locals(void *context, sir_stmt *s)
{
    local_use *use = context;
    if (s->kind == SIR_DECL && s->u.decl.local < use->count)
        use->declared[s->u.decl.local] = true;
    if (s->kind == SIR_FOR && s->u.for_.local < use->count)
        use->declared[s->u.for_.local] = true;
    sir_visit_exprs(s, note_use, use);
}

// Locals that are used but nowhere declared: no valid module has any, but what is printed should parse.
static void print_undeclared(sir_printer *p, const sir_function *f)
{
    arena *scratch = arena_create();
    local_use use = {.count = f->locals.len};
    use.declared = ARENA_ARRAY(scratch, bool, use.count);
    use.used = ARENA_ARRAY(scratch, bool, use.count);
    sir_visit_stmts(&f->body, note_locals, &use);
    for (size_t i = f->param_count; i < use.count; i++) {
        if (use.declared[i] || !use.used[i])
            continue;
        sir_print_indent(p);
        strbuf_add(p->out, "local ");
        print_typed_local(p, &f->locals.data[i]);
        sir_print_end(p, f->locals.data[i].loc);
    }
    arena_destroy(scratch);
}

void sir_print_function(sir_printer *p, const sir_function *f)
{
    static const char *const words[] = {
        [SIR_WORK] = "work",        [SIR_PREWORK] = "prework", [SIR_HANDLER] = "handler ",
        [SIR_HELPER] = "function ", [SIR_NATIVE] = "native ",
    };
    p->function = f;
    sir_print_indent(p);
    strbuf_add(p->out, p->filter != NULL && p->filter->ahead == f ? "ahead" : words[f->kind]);
    if (f->kind != SIR_WORK && f->kind != SIR_PREWORK) {
        sir_print_name(p->out, f->name);
        print_params(p, f);
    }
    print_rates(p, f);
    if (f->kind != SIR_NATIVE)
        strbuf_add(p->out, " {");
    sir_print_end(p, f->loc);
    if (f->kind != SIR_NATIVE) {
        p->indent += SIR_INDENT;
        print_undeclared(p, f);
        p->indent -= SIR_INDENT;
        print_block(p, &f->body);
        print_closing(p, "}\n");
    }
    p->function = NULL;
}
