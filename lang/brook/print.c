// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The trees of kernels as text, for --emit=ast: indented, with types and places.
#include "lang/brook/brook.h"

typedef struct printer {
    strbuf *out;
    const source_set *sources;
    int depth;
} printer;

static void line(printer *p, src_range range, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void line(printer *p, src_range range, const char *format, ...)
{
    strbuf_pad(p->out, ' ', (size_t)p->depth * 2);
    va_list args;
    va_start(args, format);
    strbuf_vprintf(p->out, format, args);
    va_end(args);
    src_pos pos = source_pos(p->sources, range.file, range.begin);
    strbuf_printf(p->out, " @%u:%u\n", pos.line, pos.column);
}

static const char *type_of(const printer *p, brook_type t)
{
    return brook_type_name(p->out->arena, t);
}

static void print_expr(printer *p, const brook_expr *e);

static void print_list(printer *p, const brook_exprs *list)
{
    for (VEC_EACH(brook_expr *const, e, list))
        print_expr(p, *e);
}

static void print_member(printer *p, const brook_expr *e)
{
    line(p, e->range, "%s .%s: %s", e->u.member.swizzle ? "swizzle" : "member", e->u.member.name, type_of(p, e->type));
    p->depth++;
    print_expr(p, e->u.member.base);
    p->depth--;
}

static void print_index(printer *p, const brook_expr *e)
{
    const brook_var *gather = e->u.index.gather;
    if (gather != NULL)
        line(p, e->range, "gather %s: %s", gather->name, type_of(p, e->type));
    else
        line(p, e->range, "component: %s", type_of(p, e->type));
    p->depth++;
    if (gather == NULL)
        print_expr(p, e->u.index.base);
    print_list(p, &e->u.index.at);
    p->depth--;
}

static void print_expr(printer *p, const brook_expr *e)
{
    const char *type = type_of(p, e->type);
    switch (e->kind) {
    case BROOK_EXPR_ERROR: line(p, e->range, "error"); return;
    case BROOK_EXPR_NUMBER: line(p, e->range, "number %g", e->u.number); return;
    case BROOK_EXPR_NAME: line(p, e->range, "name %s: %s", e->u.name.name, type); return;
    case BROOK_EXPR_INDEXOF: line(p, e->range, "indexof %s: %s", e->u.name.name, type); return;
    case BROOK_EXPR_MEMBER: print_member(p, e); return;
    case BROOK_EXPR_INDEX: print_index(p, e); return;
    case BROOK_EXPR_UNARY: line(p, e->range, "unary %s: %s", lang_unary_spelling[e->u.unary.op], type); break;
    case BROOK_EXPR_BINARY: line(p, e->range, "binary %s: %s", lang_binary_spelling[e->u.binary.op], type); break;
    case BROOK_EXPR_COMMA: line(p, e->range, "comma: %s", type); break;
    case BROOK_EXPR_COND: line(p, e->range, "select: %s", type); break;
    case BROOK_EXPR_CAST: line(p, e->range, "cast: %s", type); break;
    case BROOK_EXPR_ASSIGN:
        line(p, e->range, "assign %s=: %s", e->u.assign.compound ? lang_binary_spelling[e->u.assign.op] : "", type);
        break;
    case BROOK_EXPR_INCDEC:
        line(p, e->range, "%s %s: %s", e->u.incdec.prefix ? "prefix" : "postfix", e->u.incdec.increment ? "++" : "--",
             type);
        break;
    case BROOK_EXPR_CALL: line(p, e->range, "call %s: %s", e->u.call.name, type); break;
    case BROOK_EXPR_MAKE: line(p, e->range, "make: %s", type); break;
    case BROOK_EXPR_BRACES: line(p, e->range, "braces: %s", type); break;
    }
    p->depth++;
    switch (e->kind) {
    case BROOK_EXPR_UNARY: print_expr(p, e->u.unary.operand); break;
    case BROOK_EXPR_BINARY:
    case BROOK_EXPR_COMMA:
        print_expr(p, e->u.binary.left);
        print_expr(p, e->u.binary.right);
        break;
    case BROOK_EXPR_COND:
        print_expr(p, e->u.cond.cond);
        print_expr(p, e->u.cond.then);
        print_expr(p, e->u.cond.otherwise);
        break;
    case BROOK_EXPR_CAST: print_expr(p, e->u.cast.operand); break;
    case BROOK_EXPR_ASSIGN:
        print_expr(p, e->u.assign.target);
        print_expr(p, e->u.assign.value);
        break;
    case BROOK_EXPR_INCDEC: print_expr(p, e->u.incdec.target); break;
    case BROOK_EXPR_CALL: print_list(p, &e->u.call.args); break;
    default: print_list(p, &e->u.parts); break; // MAKE, BRACES
    }
    p->depth--;
}

static void print_stmt(printer *p, const brook_stmt *s);

static void print_vars(printer *p, const brook_stmt *s)
{
    for (VEC_EACH(brook_var *const, v, &s->u.decl)) {
        line(p, (*v)->range, "local %s: %s", (*v)->name, type_of(p, (*v)->type));
        p->depth++;
        if ((*v)->init != NULL)
            print_expr(p, (*v)->init);
        p->depth--;
    }
}

static void print_parts(printer *p, const brook_stmt *s)
{
    switch (s->kind) {
    case BROOK_STMT_BLOCK:
        for (VEC_EACH(brook_stmt *const, part, &s->u.block))
            print_stmt(p, *part);
        break;
    case BROOK_STMT_EXPR:
    case BROOK_STMT_RETURN:
        if (s->u.expr != NULL)
            print_expr(p, s->u.expr);
        break;
    case BROOK_STMT_IF:
        print_expr(p, s->u.if_.cond);
        print_stmt(p, s->u.if_.then);
        if (s->u.if_.otherwise != NULL)
            print_stmt(p, s->u.if_.otherwise);
        break;
    case BROOK_STMT_WHILE:
    case BROOK_STMT_DO:
    case BROOK_STMT_FOR:
        if (s->u.loop.init != NULL)
            print_stmt(p, s->u.loop.init);
        if (s->u.loop.cond != NULL)
            print_expr(p, s->u.loop.cond);
        if (s->u.loop.step != NULL)
            print_expr(p, s->u.loop.step);
        print_stmt(p, s->u.loop.body);
        break;
    default: break;
    }
}

static void print_stmt(printer *p, const brook_stmt *s)
{
    static const char *const words[] = {"empty", "block", "decl",  "expression", "push",   "if",     "while",
                                        "do",    "for",   "break", "continue",   "return", "discard"};
    if (s->kind == BROOK_STMT_DECL) {
        print_vars(p, s);
        return;
    }
    line(p, s->range, "%s%s%s", words[s->kind], s->kind == BROOK_STMT_PUSH ? " " : "",
         s->kind == BROOK_STMT_PUSH ? s->u.push.name : "");
    p->depth++;
    print_parts(p, s);
    p->depth--;
}

void brook_print(strbuf *out, const source_set *sources, const brook_program *program)
{
    static const char *const kinds[] = {"local", "input", "iterator", "output", "vout", "reduce", "gather", "uniform"};
    printer p = {out, sources, 0};
    for (VEC_EACH(brook_struct *const, st, &program->structs)) {
        line(&p, (*st)->name_range, "struct %s", (*st)->name);
        for (VEC_EACH(const brook_member, m, &(*st)->members)) {
            p.depth = 1;
            line(&p, m->range, "member %s: %s", m->name, type_of(&p, m->type));
            p.depth = 0;
        }
    }
    for (VEC_EACH(brook_kernel *const, k, &program->kernels)) {
        line(&p, (*k)->name_range, "%s %s: %s", (*k)->reduce ? "reduce" : "kernel", (*k)->name,
             type_of(&p, (*k)->result));
        p.depth = 1;
        for (VEC_EACH(brook_var *const, v, &(*k)->params))
            line(&p, (*v)->range, "%s %s: %s", kinds[(*v)->kind], (*v)->name, type_of(&p, (*v)->type));
        if ((*k)->body != NULL && !(*k)->broken)
            print_stmt(&p, (*k)->body);
        p.depth = 0;
    }
}
