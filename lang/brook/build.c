// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The grammar's actions: nodes with the heights of their trees, specifiers and declarators put together.
#include <string.h>

#include "lang/brook/parse.h"
#include "lang/brook/parser.tab.h"

// ---- Expressions ----

brook_expr *brook_new_expr(brook_context *ctx, brook_expr_kind kind, src_range range)
{
    brook_expr *e = ARENA_NEW(ctx->arena, brook_expr);
    e->kind = kind;
    e->range = range;
    e->height = 1;
    return e;
}

// One more than the highest child; a tree that is too high becomes an error node.
static bool too_high(brook_context *ctx, src_range range, uint16_t height)
{
    if (height <= BROOK_MAX_HEIGHT)
        return false;
    if (!ctx->failed)
        diag_error(ctx->diags, (src_range){range.file, range.begin, range.begin},
                   "more than %d expressions or statements within each other; give parts names of their own",
                   BROOK_MAX_HEIGHT);
    ctx->failed = true;
    return true;
}

static brook_expr *over(brook_context *ctx, brook_expr *e, const brook_expr *child)
{
    if (child != NULL && child->height >= e->height)
        e->height = (uint16_t)(child->height + 1);
    if (too_high(ctx, e->range, e->height)) {
        e->kind = BROOK_EXPR_ERROR;
        e->height = 1;
    }
    return e;
}

brook_expr *brook_new_unary(brook_context *ctx, src_range range, int op, brook_expr *operand)
{
    brook_expr *e = brook_new_expr(ctx, BROOK_EXPR_UNARY, range);
    e->u.unary.op = op;
    e->u.unary.operand = operand;
    return over(ctx, e, operand);
}

brook_expr *brook_new_binary(brook_context *ctx, src_range range, int op, src_range op_range, brook_expr *l,
                             brook_expr *r)
{
    brook_expr *e = brook_new_expr(ctx, BROOK_EXPR_BINARY, range);
    e->u.binary.op = op;
    e->u.binary.op_range = op_range;
    e->u.binary.left = l;
    e->u.binary.right = r;
    return over(ctx, over(ctx, e, l), r);
}

brook_expr *brook_new_comma(brook_context *ctx, src_range range, brook_expr *l, brook_expr *r)
{
    brook_expr *e = brook_new_binary(ctx, range, 0, range, l, r);
    if (e->kind != BROOK_EXPR_ERROR)
        e->kind = BROOK_EXPR_COMMA;
    return e;
}

brook_expr *brook_new_cond(brook_context *ctx, src_range range, brook_expr *c, brook_expr *a, brook_expr *b)
{
    brook_expr *e = brook_new_expr(ctx, BROOK_EXPR_COND, range);
    e->u.cond.cond = c;
    e->u.cond.then = a;
    e->u.cond.otherwise = b;
    return over(ctx, over(ctx, over(ctx, e, c), a), b);
}

brook_expr *brook_new_cast(brook_context *ctx, src_range range, brook_type to, brook_expr *operand)
{
    brook_expr *e = brook_new_expr(ctx, BROOK_EXPR_CAST, range);
    e->u.cast.to = to;
    e->u.cast.operand = operand;
    return over(ctx, e, operand);
}

brook_expr *brook_new_assign(brook_context *ctx, src_range range, brook_expr *t, int op, src_range op_range,
                             brook_expr *v)
{
    brook_expr *e = brook_new_expr(ctx, BROOK_EXPR_ASSIGN, range);
    e->u.assign.target = t;
    e->u.assign.value = v;
    e->u.assign.compound = op >= 0;
    e->u.assign.op = op;
    e->u.assign.op_range = op_range;
    return over(ctx, over(ctx, e, t), v);
}

brook_expr *brook_new_incdec(brook_context *ctx, src_range range, brook_expr *t, bool increment, bool prefix)
{
    brook_expr *e = brook_new_expr(ctx, BROOK_EXPR_INCDEC, range);
    e->u.incdec.target = t;
    e->u.incdec.increment = increment;
    e->u.incdec.prefix = prefix;
    return over(ctx, e, t);
}

brook_expr *brook_new_member(brook_context *ctx, src_range range, brook_expr *base, const char *name, src_range at)
{
    brook_expr *e = brook_new_expr(ctx, BROOK_EXPR_MEMBER, range);
    e->u.member.base = base;
    e->u.member.name = name;
    e->u.member.name_range = at;
    return over(ctx, e, base);
}

// Subscripts that follow each other are one node: a[i][j].
brook_expr *brook_new_index(brook_context *ctx, src_range range, brook_expr *base, brook_expr *at)
{
    brook_expr *e = base;
    if (base->kind != BROOK_EXPR_INDEX) {
        e = brook_new_expr(ctx, BROOK_EXPR_INDEX, range);
        e->u.index.base = base;
        over(ctx, e, base);
    }
    e->range = range;
    if (e->kind == BROOK_EXPR_INDEX)
        VEC_PUSH(ctx->arena, &e->u.index.at, at);
    return over(ctx, e, at);
}

brook_expr *brook_new_list(brook_context *ctx, brook_expr_kind kind, src_range range, brook_type to,
                           const brook_exprs *parts)
{
    brook_expr *e = brook_new_expr(ctx, kind, range);
    e->type = to;
    e->u.parts = *parts;
    for (VEC_EACH(brook_expr *const, part, parts))
        over(ctx, e, *part);
    return e;
}

brook_expr *brook_new_call(brook_context *ctx, src_range range, const char *name, src_range at, const brook_exprs *args)
{
    brook_expr *e = brook_new_expr(ctx, BROOK_EXPR_CALL, range);
    e->u.call.name = name;
    e->u.call.name_range = at;
    e->u.call.args = *args;
    for (VEC_EACH(brook_expr *const, part, args))
        over(ctx, e, *part);
    return e;
}

// ---- Statements ----

brook_stmt *brook_new_stmt(brook_context *ctx, brook_stmt_kind kind, src_range range)
{
    brook_stmt *s = ARENA_NEW(ctx->arena, brook_stmt);
    s->kind = kind;
    s->range = range;
    s->height = 1;
    return s;
}

static brook_stmt *around(brook_context *ctx, brook_stmt *s, unsigned height)
{
    if (height >= s->height)
        s->height = (uint16_t)(height + 1);
    if (too_high(ctx, s->range, s->height)) {
        s->kind = BROOK_STMT_EMPTY;
        s->height = 1;
    }
    return s;
}

// push(v); is a statement of its own.
brook_stmt *brook_new_expr_stmt(brook_context *ctx, src_range range, brook_expr *e)
{
    brook_stmt *s = brook_new_stmt(ctx, BROOK_STMT_EXPR, range);
    if (e->kind == BROOK_EXPR_CALL && strcmp(e->u.call.name, "push") == 0) {
        const brook_expr *arg = e->u.call.args.len == 1 ? e->u.call.args.data[0] : NULL;
        s->kind = BROOK_STMT_PUSH;
        if (arg != NULL && arg->kind == BROOK_EXPR_NAME) {
            s->u.push.name = arg->u.name.name;
            s->u.push.name_range = arg->range;
        } else {
            diag_error(ctx->diags, range, "'push' takes the name of one 'vout' parameter, as in 'push(v);'");
            s->kind = BROOK_STMT_EMPTY;
        }
        return s;
    }
    s->u.expr = e;
    return around(ctx, s, e->height);
}

brook_stmt *brook_new_if(brook_context *ctx, src_range range, brook_expr *c, brook_stmt *a, brook_stmt *b)
{
    brook_stmt *s = brook_new_stmt(ctx, BROOK_STMT_IF, range);
    s->u.if_.cond = c;
    s->u.if_.then = a;
    s->u.if_.otherwise = b;
    unsigned height = c->height > a->height ? c->height : a->height;
    return around(ctx, s, b != NULL && b->height > height ? b->height : height);
}

brook_stmt *brook_new_loop(brook_context *ctx, brook_stmt_kind kind, src_range range, brook_stmt *init,
                           brook_expr *cond, brook_expr *step, brook_stmt *body)
{
    brook_stmt *s = brook_new_stmt(ctx, kind, range);
    s->u.loop.init = init;
    s->u.loop.cond = cond;
    s->u.loop.step = step;
    s->u.loop.body = body;
    unsigned height = body->height;
    if (init != NULL && init->height > height)
        height = init->height;
    if (cond != NULL && cond->height > height)
        height = cond->height;
    if (step != NULL && step->height > height)
        height = step->height;
    return around(ctx, s, height);
}

brook_stmt *brook_new_block(brook_context *ctx, src_range range, const brook_stmts *list)
{
    brook_stmt *s = brook_new_stmt(ctx, BROOK_STMT_BLOCK, range);
    s->u.block = *list;
    unsigned height = 0;
    for (VEC_EACH(brook_stmt *const, part, list))
        if ((*part)->height > height)
            height = (*part)->height;
    return around(ctx, s, height);
}

// ---- Declarations ----

brook_specifiers brook_type_words(brook_context *ctx, src_range range, int kind, const char *name)
{
    brook_specifiers s = {.range = range, .kind = BROOK_INPUT, .given = true, .type = {.width = 1}};
    switch (kind) {
    case TOK_VOID: s.type.element = BROOK_VOID; break;
    case TOK_INT: s.type.element = BROOK_INT; break;
    case TOK_UNSIGNED:
        s.type.element = BROOK_UINT;
        s.is_unsigned = true;
        break;
    default: {
        brook_struct *decl = hmap_get(&ctx->program->struct_names, name);
        if (decl != NULL)
            s.type = (brook_type){.element = BROOK_STRUCT, .width = 1, .decl = decl};
        else if (kind == TOK_STRUCT)
            diag_error(ctx->diags, range,
                       "'struct %s' cannot be an element: expected the name of a 'typedef struct TAG { .. } NAME;'",
                       name);
        else
            diag_error(ctx->diags, range, "unknown type '%s': expected a type of Brook or a struct declared before",
                       name);
    }
    }
    return s;
}

static void two_words(brook_context *ctx, const brook_specifiers *b)
{
    const source_file *f = source_get(ctx->diags->sources, ctx->file);
    diag_error(ctx->diags, b->range,
               "unexpected '%.*s' in a declaration: another word before it says the same or the contrary",
               (int)(b->range.end - b->range.begin), f->text + b->range.begin);
}

brook_specifiers brook_bare_vout(brook_context *ctx, src_range at)
{
    diag_error(ctx->diags, at, "expected '[]' behind 'vout', or '[n]' for at most n values, as in 'vout[] float a<>'");
    ctx->failed = true;
    return (brook_specifiers){.range = at, .kind = BROOK_VOUT};
}

brook_specifiers brook_join_specifiers(brook_context *ctx, brook_specifiers a, brook_specifiers b)
{
    src_range range = src_join(a.range, b.range);
    if (b.given) {
        bool char_or_int = b.type.width == 1 && (b.type.element == BROOK_INT || b.type.element == BROOK_CHAR);
        if (a.is_unsigned && !b.is_unsigned && char_or_int) {
            a.type.element = b.type.element == BROOK_INT ? BROOK_UINT : BROOK_UCHAR;
            a.is_unsigned = false;
        } else if (a.given) {
            two_words(ctx, &b);
        } else {
            a.type = b.type;
            a.given = true;
            a.is_unsigned = b.is_unsigned;
        }
    }
    if (b.kind != BROOK_INPUT) {
        if (a.kind != BROOK_INPUT || a.reduce)
            two_words(ctx, &b);
        a.kind = b.kind;
        a.most = b.most;
    }
    if ((a.reduce && b.reduce) || (a.kernel && b.kernel))
        two_words(ctx, &b);
    a.reduce |= b.reduce;
    a.kernel |= b.kernel;
    a.constant |= b.constant;
    a.range = range;
    return a;
}

static brook_var *new_var(brook_context *ctx, const brook_specifiers *s, const brook_declarator *d)
{
    brook_var *v = ARENA_NEW(ctx->arena, brook_var);
    *v = (brook_var){.kind = BROOK_LOCAL,
                     .name = d->name,
                     .type = s->type,
                     .range = d->range,
                     .type_range = s->range,
                     .constant = s->constant,
                     .init = d->init};
    if (d->name == NULL) {
        v->name = "(unnamed)";
        if (ctx->item->kernel == NULL) // so far
            v->range = s->range;
    }
    if (!s->given)
        diag_error(ctx->diags, s->range, "'%s' has no type: expected one, as in 'float %s'", v->name, v->name);
    return v;
}

brook_var *brook_new_param(brook_context *ctx, const brook_specifiers *s, const brook_declarator *d)
{
    brook_var *v = new_var(ctx, s, d);
    v->rank = d->rank;
    v->most = s->most;
    const char *word = s->kind == BROOK_ITERATOR ? "iter"
                       : s->kind == BROOK_OUTPUT ? "out"
                       : s->kind == BROOK_VOUT   ? "vout"
                                                 : "reduce";
    if (s->kernel)
        diag_error(ctx->diags, s->range, "'kernel' cannot be said of a parameter");
    if (d->stream && d->rank > 0) {
        diag_error(ctx->diags, d->range,
                   "'%s' is a stream of arrays, which Brook does not have; expected '%s<>' or '%s[]'", v->name, v->name,
                   v->name);
        v->rank = 0;
    }
    if (s->reduce)
        v->kind = BROOK_REDUCE;
    else if (s->kind != BROOK_INPUT)
        v->kind = s->kind;
    else
        v->kind = d->stream ? BROOK_INPUT : v->rank > 0 ? BROOK_GATHER : BROOK_UNIFORM;
    if (v->kind != BROOK_REDUCE && s->kind != BROOK_INPUT && !d->stream) {
        diag_error(ctx->diags, d->range, "%s parameter '%s' must be a stream: expected '%s<>'",
                   s->kind == BROOK_OUTPUT ? "the output" : word, v->name, v->name);
    } else if (v->kind == BROOK_REDUCE && v->rank > 0) {
        diag_error(ctx->diags, d->range, "reduce parameter '%s' must be a stream or a single value", v->name);
    }
    if (v->rank > 4) {
        diag_error(ctx->diags, d->range, "gather parameter '%s' has %d dimensions; streams have at most 4", v->name,
                   v->rank);
        v->rank = 4;
    }
    if (s->type.element == BROOK_VOID && s->given)
        diag_error(ctx->diags, s->range, "parameter '%s' cannot be 'void'", v->name);
    return v;
}

void brook_add_locals(brook_context *ctx, brook_vars *list, const brook_specifiers *s, const brook_declarator *d)
{
    brook_var *v = new_var(ctx, s, d);
    VEC_PUSH(ctx->arena, list, v);
    if (s->kind != BROOK_INPUT || s->reduce || s->kernel)
        diag_error(ctx->diags, s->range, "the local variable '%s' is not a parameter: expected a type alone", v->name);
    else if (d->stream)
        diag_error(ctx->diags, d->range, "'%s' is a stream, which cannot be declared inside a kernel", v->name);
    else if (d->rank > 0)
        diag_error(ctx->diags, d->range,
                   "'%s' is an array, which kernels cannot declare; expected a vector of up to 4 components", v->name);
    else if (s->type.element == BROOK_VOID && s->given)
        diag_error(ctx->diags, s->range, "variable '%s' cannot be 'void'", v->name);
}

void brook_finish_kernel(brook_context *ctx, src_range range, const brook_specifiers *s, const char *name, src_range at,
                         const brook_vars *params, brook_stmt *body)
{
    brook_kernel *k = ARENA_NEW(ctx->arena, brook_kernel);
    *k = (brook_kernel){.name = name,
                        .range = range,
                        .name_range = at,
                        .reduce = s->reduce,
                        .result = s->type,
                        .params = *params,
                        .body = body,
                        .broken = ctx->failed};
    ctx->item->kernel = k;
    if (!s->given)
        diag_error(ctx->diags, s->range, "'%s' has no result type: expected 'void' before its name", name);
    if (s->kernel && s->reduce)
        diag_error(ctx->diags, s->range, "'%s' cannot be both 'kernel' and 'reduce'", name);
}

void brook_add_members(brook_context *ctx, brook_struct *st, const brook_specifiers *s, const brook_declarator *d)
{
    for (VEC_EACH(brook_member, m, &st->members))
        if (strcmp(m->name, d->name) == 0) {
            diag_record *r = diag_error(ctx->diags, d->range, "member '%s' is declared twice", d->name);
            diag_add_note(ctx->diags, r, m->range, "the first is here");
        }
    VEC_PUSH(ctx->arena, &st->members, (brook_member){.name = d->name, .type = s->type, .range = d->range});
}

void brook_finish_struct(brook_context *ctx, src_range range, brook_struct *st, const char *tag, const char *name,
                         src_range at)
{
    st->tag = tag;
    st->name = name;
    st->range = range;
    st->name_range = at;
    ctx->item->structure = st;
}
