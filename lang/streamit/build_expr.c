// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds expressions and statements for the grammar.
#include "lang/streamit/build.h"
#include "lang/streamit/parser.tab.h"

// Heights of error nodes made because of the limit: what is built around them becomes an error too, silently, up to the
// statement or the list of statements.
enum { TOO_HIGH_EXPR = STREAMIT_MAX_HEIGHT + 1, TOO_HIGH_STMT };

static bool too_high(parse_context *ctx, src_range range, uint32_t child_height, const char *advice)
{
    if (child_height == STREAMIT_MAX_HEIGHT)
        diag_error(ctx->diags, range, "this is nested too deeply: at most %d levels are supported%s",
                   STREAMIT_MAX_HEIGHT, advice);
    return child_height >= STREAMIT_MAX_HEIGHT;
}

static parsed_expr new_expr(parse_context *ctx, ast_expr_kind kind, src_range range, uint32_t child_height)
{
    if (too_high(ctx, range, child_height, "; of a sum each operator is one: make names for parts of it"))
        return (parsed_expr){build_error_expr(ctx, range).expr, TOO_HIGH_EXPR};
    ast_expr *e = ARENA_NEW(ctx->arena, ast_expr);
    e->kind = kind;
    e->range = range;
    e->type = &lang_type_error;
    return (parsed_expr){e, child_height + 1};
}

parsed_expr build_leaf(parse_context *ctx, ast_expr_kind kind, src_range range)
{
    return new_expr(ctx, kind, range, 0);
}

parsed_expr build_error_expr(parse_context *ctx, src_range range)
{
    return new_expr(ctx, EXPR_ERROR, range, 0);
}

parsed_expr build_literal_int(parse_context *ctx, src_range range, int64_t value, bool bit)
{
    parsed_expr p = build_leaf(ctx, EXPR_INT, range);
    p.expr->u.integer = value;
    p.expr->type = bit ? &lang_type_bit : &lang_type_int;
    return p;
}

parsed_expr build_literal_float(parse_context *ctx, src_range range, ast_expr_kind kind, double value)
{
    parsed_expr p = build_leaf(ctx, kind, range);
    p.expr->u.number = value;
    p.expr->type = kind == EXPR_IMAG ? &lang_type_complex : &lang_type_float;
    return p;
}

parsed_expr build_literal_string(parse_context *ctx, src_range range, const string_literal *s)
{
    parsed_expr p = build_leaf(ctx, EXPR_STRING, range);
    p.expr->u.string.text = s->text;
    p.expr->u.string.len = s->len;
    p.expr->type = &lang_type_string;
    return p;
}

parsed_expr build_literal_bool(parse_context *ctx, src_range range, bool value)
{
    parsed_expr p = build_leaf(ctx, EXPR_BOOL, range);
    p.expr->u.boolean = value;
    p.expr->type = &lang_type_boolean;
    return p;
}

parsed_expr build_name(parse_context *ctx, src_range range, const char *name)
{
    parsed_expr p = build_leaf(ctx, EXPR_NAME, range);
    p.expr->u.name.name = name;
    return p;
}

parsed_expr build_field(parse_context *ctx, src_range range, parsed_expr base, const char *name, src_range name_range)
{
    parsed_expr p = new_expr(ctx, EXPR_FIELD, range, base.height);
    if (p.expr->kind == EXPR_FIELD) {
        p.expr->u.field.base = base.expr;
        p.expr->u.field.name = name;
        p.expr->u.field.name_range = name_range;
    }
    return p;
}

parsed_expr build_index(parse_context *ctx, src_range range, parsed_expr base, parsed_expr index)
{
    parsed_expr p = new_expr(ctx, EXPR_INDEX, range, highest(base.height, index.height, 0));
    if (p.expr->kind == EXPR_INDEX) {
        p.expr->u.index.base = base.expr;
        p.expr->u.index.index = index.expr;
    }
    return p;
}

parsed_expr build_unary(parse_context *ctx, src_range range, lang_unary_op op, parsed_expr operand)
{
    parsed_expr p = new_expr(ctx, EXPR_UNARY, range, operand.height);
    if (p.expr->kind == EXPR_UNARY) {
        p.expr->u.unary.op = op;
        p.expr->u.unary.operand = operand.expr;
    }
    return p;
}

parsed_expr build_binary(parse_context *ctx, src_range range, lang_binary_op op, src_range op_range, parsed_expr left,
                         parsed_expr right)
{
    parsed_expr p = new_expr(ctx, EXPR_BINARY, range, highest(left.height, right.height, 0));
    if (p.expr->kind == EXPR_BINARY) {
        p.expr->u.binary.op = op;
        p.expr->u.binary.op_range = op_range;
        p.expr->u.binary.left = left.expr;
        p.expr->u.binary.right = right.expr;
    }
    return p;
}

parsed_expr build_cond(parse_context *ctx, src_range range, parsed_expr cond, parsed_expr then, parsed_expr otherwise)
{
    parsed_expr p = new_expr(ctx, EXPR_COND, range, highest(cond.height, then.height, otherwise.height));
    if (p.expr->kind == EXPR_COND) {
        p.expr->u.cond.cond = cond.expr;
        p.expr->u.cond.then = then.expr;
        p.expr->u.cond.otherwise = otherwise.expr;
    }
    return p;
}

parsed_expr build_cast(parse_context *ctx, src_range range, const lang_type *to, parsed_expr operand)
{
    parsed_expr p = new_expr(ctx, EXPR_CAST, range, operand.height);
    if (p.expr->kind == EXPR_CAST) {
        p.expr->u.cast.to = to;
        p.expr->u.cast.operand = operand.expr;
    }
    return p;
}

parsed_expr build_incdec(parse_context *ctx, src_range range, parsed_expr target, bool increment, bool prefix)
{
    parsed_expr p = new_expr(ctx, EXPR_INCDEC, range, target.height);
    if (p.expr->kind == EXPR_INCDEC) {
        p.expr->u.incdec.target = target.expr;
        p.expr->u.incdec.increment = increment;
        p.expr->u.incdec.prefix = prefix;
    }
    return p;
}

// 'a[1].f(x)' is neither a call nor a message: only a plain name may stand before the dot.
static bool plain_module(parse_context *ctx, const ast_expr *module)
{
    if (module->kind == EXPR_NAME)
        return true;
    if (module->kind != EXPR_ERROR)
        diag_error(ctx->diags, module->range,
                   "expected the plain name of a portal or of a helper or native block before '.'");
    return false;
}

parsed_expr build_call(parse_context *ctx, src_range range, const parsed_expr *module, const char *name,
                       src_range name_range, parsed_exprs args)
{
    if (module && !plain_module(ctx, module->expr))
        return build_error_expr(ctx, range);
    parsed_expr p = new_expr(ctx, EXPR_CALL, range, args.height);
    if (p.expr->kind == EXPR_CALL) {
        p.expr->u.call.module = module ? module->expr->u.name.name : NULL;
        p.expr->u.call.name = name;
        p.expr->u.call.name_range = module ? src_join(module->expr->range, name_range) : name_range;
        p.expr->u.call.args = args.list;
    }
    return p;
}

parsed_expr build_peek(parse_context *ctx, src_range range, parsed_expr offset)
{
    parsed_expr p = new_expr(ctx, EXPR_PEEK, range, offset.height);
    if (p.expr->kind == EXPR_PEEK)
        p.expr->u.peek.offset = offset.expr;
    return p;
}

parsed_expr build_array_expr(parse_context *ctx, src_range range, parsed_exprs elements)
{
    parsed_expr p = new_expr(ctx, EXPR_ARRAY, range, elements.height);
    if (p.expr->kind == EXPR_ARRAY)
        p.expr->u.array = elements.list;
    return p;
}

parsed_expr build_vector(parse_context *ctx, src_range range, parsed_exprs args)
{
    (void)args;
    report_vector_type(ctx, range);
    return build_error_expr(ctx, range);
}

parsed_exprs build_args(parse_context *ctx, parsed_exprs list, parsed_expr e)
{
    VEC_PUSH(ctx->arena, &list.list, e.expr);
    list.height = highest(list.height, e.height, 0);
    return list;
}

parsed_stmt build_stmt(parse_context *ctx, ast_stmt_kind kind, src_range range, uint32_t child_height, ast_stmt **node)
{
    ast_stmt *s = ARENA_NEW(ctx->arena, ast_stmt);
    if (child_height == TOO_HIGH_EXPR)
        child_height = 1;
    bool high = too_high(ctx, range, child_height, "");
    s->kind = high ? STMT_ERROR : kind;
    s->range = range;
    *node = s;
    return (parsed_stmt){s, high ? TOO_HIGH_STMT : child_height + 1};
}

parsed_stmts build_stmts(parse_context *ctx, parsed_stmts list, parsed_stmt s)
{
    VEC_PUSH(ctx->arena, &list.list, s.stmt);
    list.height = highest(list.height, s.height == TOO_HIGH_STMT ? 1 : s.height, 0);
    return list;
}

parsed_stmt build_block(parse_context *ctx, src_range range, parsed_stmts stmts)
{
    ast_stmt *s;
    parsed_stmt p = build_stmt(ctx, STMT_BLOCK, range, stmts.height, &s);
    s->u.block = stmts.list;
    return p;
}

parsed_stmt build_declaration(parse_context *ctx, src_range range, parsed_vars vars)
{
    ast_stmt *s;
    parsed_stmt p = build_stmt(ctx, STMT_DECL, range, vars.height, &s);
    for (VEC_EACH(ast_var *, v, &vars.list))
        (*v)->kind = VAR_LOCAL;
    s->u.decl = vars.list;
    return p;
}

parsed_stmt build_expr_stmt(parse_context *ctx, ast_stmt_kind kind, src_range range, parsed_expr e)
{
    ast_stmt *s;
    parsed_stmt p = build_stmt(ctx, kind, range, e.height, &s);
    s->u.expr = e.expr;
    return p;
}

parsed_stmt build_assign(parse_context *ctx, src_range range, parsed_expr target, int op, parsed_expr value)
{
    ast_stmt *s;
    parsed_stmt p = build_stmt(ctx, STMT_ASSIGN, range, highest(target.height, value.height, 0), &s);
    s->u.assign.target = target.expr;
    s->u.assign.value = value.expr;
    s->u.assign.compound = op >= 0;
    s->u.assign.op = op >= 0 ? (lang_binary_op)op : LANG_OP_ADD;
    return p;
}

void report_bad_assign(parse_context *ctx, src_range range, lang_binary_op op)
{
    const char *spelling = lang_binary_spelling[op];
    diag_error(ctx->diags, range, "there is no operator '%s=': write 'x = x %s (...)'", spelling, spelling);
}

parsed_stmt build_send(parse_context *ctx, src_range range, parsed_expr portal, const char *handler,
                       src_range handler_range, parsed_exprs args, const parsed_latency *latency)
{
    ast_stmt *s;
    bool plain = plain_module(ctx, portal.expr);
    uint32_t height = highest(portal.height, args.height, latency ? latency->height : 0);
    parsed_stmt p = build_stmt(ctx, plain ? STMT_SEND : STMT_ERROR, range, height, &s);
    s->u.send.portal = portal.expr;
    s->u.send.handler = handler;
    s->u.send.handler_range = handler_range;
    s->u.send.args = args.list;
    if (latency) {
        s->u.send.has_latency = true;
        s->u.send.best_effort = latency->best_effort;
        s->u.send.min = latency->min;
        s->u.send.max = latency->max;
    }
    return p;
}

parsed_stmt build_if(parse_context *ctx, src_range range, parsed_expr cond, parsed_stmt then, parsed_stmt otherwise)
{
    ast_stmt *s;
    parsed_stmt p = build_stmt(ctx, STMT_IF, range, highest(cond.height, then.height, otherwise.height), &s);
    s->u.if_.cond = cond.expr;
    s->u.if_.then = then.stmt;
    s->u.if_.otherwise = otherwise.stmt;
    return p;
}

parsed_stmt build_loop(parse_context *ctx, ast_stmt_kind kind, src_range range, parsed_stmt init, parsed_expr cond,
                       parsed_stmt step, parsed_stmt body)
{
    ast_stmt *s;
    uint32_t height = highest(highest(init.height, cond.height, 0), step.height, body.height);
    parsed_stmt p = build_stmt(ctx, kind, range, height, &s);
    s->u.loop.init = init.stmt;
    s->u.loop.cond = cond.expr;
    s->u.loop.step = step.stmt;
    s->u.loop.body = body.stmt;
    return p;
}

parsed_stmt build_child(parse_context *ctx, ast_stmt_kind kind, src_range range, parsed_child child)
{
    ast_stmt *s;
    parsed_stmt p = build_stmt(ctx, kind, range, child.height, &s);
    s->u.child = child.child;
    return p;
}

parsed_stmt build_split(parse_context *ctx, ast_stmt_kind kind, src_range range, parsed_split split)
{
    ast_stmt *s;
    parsed_stmt p = build_stmt(ctx, kind, range, split.weights.height, &s);
    s->u.split.kind = split.kind;
    s->u.split.has_weights = split.has_weights;
    s->u.split.weights = split.weights.list;
    return p;
}

parsed_child build_named_child(parse_context *ctx, const char *name, src_range range, const parsed_type *argument,
                               parsed_exprs args, parsed_exprs portals)
{
    (void)ctx;
    ast_child child = {.name = name, .name_range = range, .args = args.list, .portals = portals.list};
    if (argument)
        child.type_argument = argument->type;
    return (parsed_child){child, highest(args.height, portals.height, argument ? argument->height : 0)};
}

parsed_child build_anonymous_child(parse_context *ctx, parsed_stream stream, parsed_exprs portals)
{
    (void)ctx;
    ast_child child = {.name_range = stream.stream->name_range, .anonymous = stream.stream, .portals = portals.list};
    return (parsed_child){child, highest(stream.height, portals.height, 0)};
}
