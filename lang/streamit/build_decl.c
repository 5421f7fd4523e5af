// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds types and declarations for the grammar.
#include "lang/streamit/build.h"
#include "lang/streamit/parser.tab.h"

// Whether recovery left out something of the text that was just parsed.
static bool has_skipped(const parse_context *ctx, src_range range)
{
    return ctx->skipped.file == range.file && ctx->skipped.end > range.begin;
}

parsed_type build_type(parse_context *ctx, src_range range, const lang_type *t)
{
    (void)ctx;
    return (parsed_type){t, range, 1};
}

parsed_type build_type_name(parse_context *ctx, src_range range, const char *name)
{
    ast_struct *placeholder = ARENA_NEW(ctx->arena, ast_struct);
    placeholder->name = name;
    placeholder->range = placeholder->name_range = range;
    lang_type *t = ARENA_NEW(ctx->arena, lang_type);
    t->kind = TYPE_STRUCT;
    t->decl = placeholder;
    return build_type(ctx, range, t);
}

parsed_type build_portal(parse_context *ctx, src_range range, const char *name, src_range name_range)
{
    ast_stream *placeholder = ARENA_NEW(ctx->arena, ast_stream);
    placeholder->name = name;
    placeholder->range = placeholder->name_range = name_range;
    lang_type *t = ARENA_NEW(ctx->arena, lang_type);
    t->kind = TYPE_PORTAL;
    t->target = placeholder;
    return build_type(ctx, range, t);
}

parsed_type build_array(parse_context *ctx, src_range range, parsed_type base, parsed_exprs dims)
{
    uint32_t height = highest(base.height, dims.height, 0) + (uint32_t)dims.list.len;
    if (dims.list.len > STREAMIT_MAX_HEIGHT || height > STREAMIT_MAX_HEIGHT) {
        diag_error(ctx->diags, range, "this type is nested too deeply: at most %d levels are supported",
                   STREAMIT_MAX_HEIGHT);
        return build_type(ctx, range, &lang_type_error);
    }
    const lang_type *t = base.type;
    for (size_t i = dims.list.len; i > 0 && base.type->kind != TYPE_ERROR; i--) {
        lang_type *array = ARENA_NEW(ctx->arena, lang_type);
        array->kind = TYPE_ARRAY;
        array->element = t;
        array->length = dims.list.data[i - 1];
        t = array;
    }
    return (parsed_type){t, range, height};
}

parsed_type build_type_of_postfix(parse_context *ctx, src_range range, parsed_expr e)
{
    parsed_exprs reversed = {.height = e.height}, dims = {.height = e.height};
    ast_expr *base = e.expr;
    for (; base->kind == EXPR_INDEX; base = base->u.index.base) {
        if (!base->u.index.index)
            report_missing_bounds(ctx, base->range);
        ast_expr *length = base->u.index.index ? base->u.index.index : build_error_expr(ctx, base->range).expr;
        VEC_PUSH(ctx->arena, &reversed.list, length);
    }
    if (base->kind != EXPR_NAME) {
        if (base->kind != EXPR_ERROR)
            diag_error(ctx->diags, range, "expected a type before the name that is declared here");
        return build_type(ctx, range, &lang_type_error);
    }
    for (size_t i = reversed.list.len; i > 0; i--)
        VEC_PUSH(ctx->arena, &dims.list, reversed.list.data[i - 1]);
    return build_array(ctx, range, build_type_name(ctx, base->range, base->u.name.name), dims);
}

void report_missing_bounds(parse_context *ctx, src_range range)
{
    diag_error(ctx->diags, range, "missing array bounds: every length of an array type must be given");
}

void report_c_array(parse_context *ctx, const parsed_name *name, src_range dims)
{
    if (name->dims.list.len == 1)
        diag_error(ctx->diags, dims, "the length of an array is written before its name: 'type[length] %s'",
                   name->name);
}

void report_vector_type(parse_context *ctx, src_range range)
{
    diag_error(ctx->diags, range,
               "the short vectors float2, float3 and float4 are not supported: use an array or a struct of floats");
}

parsed_vars build_vars(parse_context *ctx, parsed_vars list, parsed_type type, parsed_name name, parsed_expr init)
{
    parsed_type own = name.dims.list.len ? build_array(ctx, type.range, type, name.dims) : type;
    ast_var *var = ARENA_NEW(ctx->arena, ast_var);
    var->kind = VAR_LOCAL; // whoever takes the list says what it is
    var->name = name.name;
    var->range = name.range;
    var->type = own.type;
    var->type_range = type.range;
    var->init = init.expr;
    VEC_PUSH(ctx->arena, &list.list, var);
    list.type = type;
    list.height = highest(list.height, own.height, init.height);
    return list;
}

parsed_rates build_rates(parse_context *ctx, parsed_rates rates, int kind, src_range range, parsed_rate rate)
{
    ast_rate *slot = kind == TOK_PUSH ? &rates.push : kind == TOK_POP ? &rates.pop : &rates.peek;
    if (slot->given) {
        diag_record *r = diag_error(ctx->diags, range, "the %s rate is given twice", streamit_token_name(kind));
        diag_add_note(ctx->diags, r, slot->range, "first given here");
    }
    *slot = rate.rate;
    slot->given = true;
    slot->range = range;
    rates.height = highest(rates.height, rate.height, 0);
    return rates;
}

void add_import(parse_context *ctx, src_range range, const char *name, size_t len, bool package)
{
    if (len == 0 || strlen(name) != len)
        diag_error(ctx->diags, range, "this is not the name of a file: it is empty or has a NUL character");
    else
        VEC_PUSH(ctx->arena, &ctx->imports, (parsed_import){name, package, range});
}

void begin_struct(parse_context *ctx)
{
    ctx->structure = ARENA_NEW(ctx->arena, ast_struct);
}

void add_struct_field(parse_context *ctx, parsed_type type, parsed_name name)
{
    parsed_vars one = build_vars(ctx, (parsed_vars){0}, type, name, (parsed_expr){0});
    ast_var *var = one.list.data[0];
    var->kind = VAR_STRUCT_FIELD;
    var->index = (uint32_t)ctx->structure->fields.len;
    VEC_PUSH(ctx->arena, &ctx->structure->fields, var);
}

void finish_struct(parse_context *ctx, src_range range, const char *name, src_range name_range)
{
    ctx->structure->name = name;
    ctx->structure->name_range = name_range;
    ctx->structure->range = range;
    VEC_PUSH(ctx->arena, &ctx->program->structs, ctx->structure);
}

void begin_static(parse_context *ctx, src_range range)
{
    if (ctx->statics) {
        diag_record *r = diag_error(ctx->diags, range, "a file has only one 'static' block");
        diag_add_note(ctx->diags, r, ctx->statics->range, "the first one is here");
        return;
    }
    ctx->statics = ARENA_NEW(ctx->arena, ast_static);
    ctx->statics->range = range;
}

void add_globals(parse_context *ctx, parsed_vars vars)
{
    for (VEC_EACH(ast_var *, v, &vars.list)) {
        if (ctx->statics->init && v == vars.list.data)
            diag_error(ctx->diags, (*v)->range, "the variables of a 'static' block come before its 'init'");
        (*v)->kind = VAR_GLOBAL;
        VEC_PUSH(ctx->arena, &ctx->statics->globals, *v);
    }
}

static ast_function *new_function(parse_context *ctx, ast_function_kind kind, src_range name_range, const char *name,
                                  parsed_type result, parsed_vars params, const parsed_rates *rates, parsed_stmt body)
{
    ast_function *f = ARENA_NEW(ctx->arena, ast_function);
    f->kind = kind;
    f->name = intern(ctx->names, name);
    f->name_range = name_range;
    f->range = body.stmt ? src_join(name_range, body.stmt->range) : name_range;
    f->result = result.type ? result.type : &lang_type_void;
    f->body = body.stmt;
    f->broken = has_skipped(ctx, f->range);
    f->params = params.list;
    for (VEC_EACH(ast_var *, v, &params.list))
        (*v)->kind = VAR_FUNCTION_PARAM;
    if (rates) {
        f->push = rates->push;
        f->pop = rates->pop;
        f->peek = rates->peek;
    }
    return f;
}

static void report_second(parse_context *ctx, const ast_function *f, const ast_function *first, const char *where)
{
    diag_record *r = diag_error(ctx->diags, f->name_range, "%s has only one '%s'", where, f->name);
    diag_add_note(ctx->diags, r, first->name_range, "the first one is here");
}

void add_static_init(parse_context *ctx, src_range range, parsed_stmt body)
{
    ast_function *f = new_function(ctx, FUNC_INIT, range, "init", (parsed_type){0}, (parsed_vars){0}, NULL, body);
    if (ctx->statics->init)
        report_second(ctx, f, ctx->statics->init, "a 'static' block");
    else
        ctx->statics->init = f;
}

void begin_module(parse_context *ctx)
{
    ctx->module_functions.len = 0;
}

void add_module_function(parse_context *ctx, ast_function_kind kind, src_range name_range, const char *name,
                         parsed_type result, parsed_vars params, const parsed_rates *rates, parsed_stmt body)
{
    VEC_PUSH(ctx->arena, &ctx->module_functions,
             new_function(ctx, kind, name_range, name, result, params, rates, body));
}

void finish_module(parse_context *ctx, src_range range, const char *name, bool native)
{
    for (VEC_EACH(ast_function *, f, &ctx->module_functions)) {
        (*f)->module = name;
        (*f)->module_range = range;
        if (native)
            VEC_PUSH(ctx->arena, &ctx->program->natives, *f);
        else
            VEC_PUSH(ctx->arena, &ctx->program->helpers, *f);
    }
}

parsed_stream build_filter_body(parse_context *ctx)
{
    ast_stream *s = ARENA_NEW(ctx->arena, ast_stream);
    s->kind = STREAM_FILTER;
    return (parsed_stream){s, 0};
}

void add_fields(parse_context *ctx, parsed_stream *filter, parsed_vars fields)
{
    for (VEC_EACH(ast_var *, v, &fields.list)) {
        (*v)->kind = VAR_FIELD;
        VEC_PUSH(ctx->arena, &filter->stream->fields, *v);
    }
    filter->height = highest(filter->height, fields.height, 0);
}

void add_function(parse_context *ctx, parsed_stream *filter, ast_function_kind kind, src_range name_range,
                  const char *name, parsed_type result, parsed_vars params, const parsed_rates *rates, parsed_stmt body)
{
    ast_stream *s = filter->stream;
    ast_function *f = new_function(ctx, kind, name_range, name, result, params, rates, body);
    filter->height =
        highest(highest(filter->height, body.height, params.height), result.height, rates ? rates->height : 0);
    if (kind == FUNC_HELPER) {
        VEC_PUSH(ctx->arena, &s->functions, f);
    } else if (kind == FUNC_HANDLER) {
        VEC_PUSH(ctx->arena, &s->handlers, f);
    } else {
        ast_function **slot = kind == FUNC_INIT ? &s->init : kind == FUNC_WORK ? &s->work : &s->prework;
        if (*slot)
            report_second(ctx, f, *slot, "a filter");
        else
            *slot = f;
    }
}

parsed_stream build_composite(parse_context *ctx, ast_stream_kind kind, parsed_stmt body)
{
    ast_stream *s = ARENA_NEW(ctx->arena, ast_stream);
    s->kind = kind;
    s->body = body.stmt;
    return (parsed_stream){s, body.height};
}

parsed_stream finish_stream(parse_context *ctx, parsed_stream stream, src_range range, const parsed_type *input,
                            const parsed_type *output, bool stateful, const char *name, src_range name_range,
                            parsed_vars params)
{
    ast_stream *s = stream.stream;
    s->range = range;
    s->broken = has_skipped(ctx, range);
    s->name = name;
    s->name_range = name_range;
    s->imported = ctx->imported;
    s->stateful = stateful;
    s->input = input ? input->type : &lang_type_untyped;
    s->output = output ? output->type : &lang_type_untyped;
    s->type_range = input ? src_join(input->range, output->range) : name_range;
    s->params = params.list;
    for (VEC_EACH(ast_var *, v, &params.list))
        (*v)->kind = VAR_STREAM_PARAM;
    if (name)
        VEC_PUSH(ctx->arena, &ctx->program->streams, s);
    uint32_t height = highest(stream.height, params.height, input ? highest(input->height, output->height, 0) : 0);
    return (parsed_stream){s, height > STREAMIT_MAX_HEIGHT ? 1 : height + 1};
}

void begin_test(parse_context *ctx)
{
    ctx->test = ARENA_NEW(ctx->arena, ast_test);
    ctx->runs = (parsed_stmts){0};
}

// Braces only group: {1, 2}, {3, 4} is 1, 2, 3, 4.
static void add_values(parse_context *ctx, ast_expr_list *to, const ast_expr_list *from)
{
    for (VEC_EACH(ast_expr *, e, from)) {
        if ((*e)->kind == EXPR_ARRAY)
            add_values(ctx, to, &(*e)->u.array);
        else
            VEC_PUSH(ctx->arena, to, *e);
    }
}

void add_test_values(parse_context *ctx, src_range range, parsed_exprs values, parsed_expr within, bool expected)
{
    ast_test_values v = {.within = within.expr, .range = range};
    add_values(ctx, &v.values, &values.list);
    if (expected)
        VEC_PUSH(ctx->arena, &ctx->test->expect, v);
    else
        VEC_PUSH(ctx->arena, &ctx->test->input, v);
}

void add_test_run(parse_context *ctx, parsed_stmt run)
{
    ctx->runs = build_stmts(ctx, ctx->runs, run);
}

void finish_test(parse_context *ctx, src_range range, const char *name, src_range name_range)
{
    ast_test *t = ctx->test;
    t->name = name;
    t->range = range;
    t->name_range = name_range;
    t->imported = ctx->imported;
    t->broken = has_skipped(ctx, range);
    parsed_stream run = build_composite(ctx, STREAM_PIPELINE, build_block(ctx, range, ctx->runs));
    t->stream = finish_stream(ctx, run, range, NULL, NULL, false, NULL, name_range, (parsed_vars){0}).stream;
    VEC_PUSH(ctx->arena, &ctx->program->tests, t);
}
