// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls: functions of the filter, of helper and native blocks, and the built-in ones.
#include "lang/streamit/check.h"

typedef struct builtin_function {
    ast_callee callee;
    lang_math_op math;
    bool has_complex;
} builtin_function;

static const bool math_has_complex[LANG_MATH_COUNT] = {
#define LANG_MATH(id, name, mnemonic, arity, complex, exact) [LANG_MATH_##id] = complex,
#include "lang/ops.def"
};

static void declare_builtin(checker *c, const char *name, ast_callee callee)
{
    builtin_function *b = ARENA_NEW(c->arena, builtin_function);
    b->callee = callee;
    hmap_set(&c->builtins, name, b);
}

void declare_builtins(checker *c)
{
    hmap_init(&c->builtins, c->arena);
    for (int op = 0; op < LANG_MATH_COUNT; op++) {
        if (lang_math_name[op] == NULL)
            continue;
        builtin_function *b = ARENA_NEW(c->arena, builtin_function);
        *b = (builtin_function){CALLEE_MATH, (lang_math_op)op, math_has_complex[op]};
        hmap_set(&c->builtins, lang_math_name[op], b);
    }
    declare_builtin(c, "print", CALLEE_PRINT);
    declare_builtin(c, "println", CALLEE_PRINTLN);
    declare_builtin(c, "random", CALLEE_RANDOM);
    declare_builtin(c, "init_array_1D_int", CALLEE_INIT_ARRAY_INT);
    declare_builtin(c, "init_array_1D_float", CALLEE_INIT_ARRAY_FLOAT);
}

bool is_printable(const lang_type *t)
{
    return lang_type_is_real(t) || t->kind == TYPE_BOOLEAN || t->kind == TYPE_STRING || t->kind == TYPE_ERROR;
}

static void check_args(checker *c, ast_expr_list *args)
{
    for (VEC_EACH(ast_expr *, a, args))
        *a = check_expr(c, *a);
}

// Reports a wrong number of arguments and makes the call an error.
static bool check_arity(checker *c, ast_expr *e, size_t least, size_t most)
{
    size_t n = e->u.call.args.len;
    if (n >= least && n <= most)
        return true;
    const char *numbers = least == most ? arena_printf(c->arena, "%zu argument%s", least, least == 1 ? "" : "s")
                                        : arena_printf(c->arena, "%zu or %zu arguments", least, most);
    diag_error(c->diags, e->range, "'%s' takes %s, but is called with %zu", e->u.call.name, numbers, n);
    error_expr(e);
    return false;
}

static void note_array_arg(checker *c, ast_expr *arg, ast_function *callee, size_t index)
{
    ast_expr *root = root_name(arg);
    if (!root || !root->u.name.var || !c->info)
        return;
    ast_var *var = root->u.name.var;
    ref_arg ref = {.root = var, .range = arg->range, .captured = is_captured(c, var), .callee = callee, .index = index};
    VEC_PUSH(c->arena, &c->info->ref_args, ref);
}

static bool has_rates(const ast_function *f)
{
    return (f->push.given && !rate_is_zero(&f->push)) || (f->pop.given && !rate_is_zero(&f->pop)) ||
           (f->peek.given && !rate_is_zero(&f->peek));
}

static ast_expr *check_user_call(checker *c, ast_expr *e, ast_function *f)
{
    const char *name = e->u.call.module ? arena_printf(c->arena, "%s.%s", e->u.call.module, f->name) : f->name;
    ast_expr_list *args = &e->u.call.args;
    check_args(c, args);
    e->u.call.callee = f->kind == FUNC_NATIVE ? CALLEE_NATIVE : CALLEE_FUNCTION;
    e->u.call.function = f;
    e->type = f->result;
    if (args->len != f->params.len) {
        diag_record *r = diag_error(c->diags, e->range, "'%s' takes %zu argument%s, but is called with %zu", name,
                                    f->params.len, f->params.len == 1 ? "" : "s", args->len);
        diag_add_note(c->diags, r, f->name_range, "'%s' is declared here", name);
        return error_expr(e);
    }
    for (size_t i = 0; i < args->len; i++) {
        const lang_type *type = f->params.data[i]->type;
        args->data[i] =
            coerce(c, args->data[i], type, true, arena_printf(c->arena, "argument %zu of '%s'", i + 1, name));
        if (type->kind == TYPE_ARRAY)
            note_array_arg(c, args->data[i], f, i);
    }
    if (has_rates(f) && !tape_allowed(c)) {
        diag_record *r = diag_error(c->diags, e->range, "'%s' pushes, pops or peeks, so it cannot be called in %s",
                                    name, c->constant ? c->constant : place_name(c));
        diag_add_note(c->diags, r, f->name_range, "'%s' is declared here", name);
    }
    if (c->info)
        VEC_PUSH(c->arena, &c->info->callees, f);
    return e;
}

static ast_expr *check_module_call(checker *c, ast_expr *e)
{
    const char *module = e->u.call.module, *name = e->u.call.name;
    src_range range = e->u.call.name_range;
    const char *full = arena_printf(c->arena, "%s.%s", module, name);
    ast_function *f = hmap_get(&c->functions, full);
    if (f)
        return check_user_call(c, e, f);
    check_args(c, &e->u.call.args);
    const binding *b = scope_find(c, module);
    if (b && b->var->type->kind == TYPE_PORTAL) {
        diag_error(c->diags, e->range, "sending a message is a statement and has no value");
    } else if (b) {
        if (b->var->type->kind != TYPE_ERROR)
            diag_error(c->diags, range, "'%s' is a variable of type '%s', which has no functions", module,
                       type_name(c, b->var->type));
    } else if (hmap_get(&c->modules, module)) {
        if (!is_unsure(c, name) && first_unknown(c, "function", full))
            error_unknown(c, range, "function", full, nearest_key(c, &c->functions, full));
    } else if (first_unknown(c, "block", module)) {
        const char *nearest = nearest_var(c, module);
        diag_record *r = diag_error(c->diags, range, "unknown portal, helper or native block '%s'", module);
        if (nearest)
            diag_add_note(c->diags, r, scope_find(c, nearest)->var->range, "'%s' is declared here", nearest);
    }
    return error_expr(e);
}

static const lang_type *common_of_args(const ast_expr_list *args)
{
    const lang_type *t = &lang_type_float;
    for (size_t i = 0; i < args->len && t; i++)
        t = lang_type_common(t, args->data[i]->type);
    return t;
}

static ast_expr *check_math(checker *c, ast_expr *e, const builtin_function *b)
{
    ast_expr_list *args = &e->u.call.args;
    check_args(c, args);
    size_t arity = (size_t)lang_math_arity[b->math];
    if (!check_arity(c, e, arity, arity))
        return e;
    for (size_t i = 0; i < args->len; i++) {
        const lang_type *t = args->data[i]->type;
        if (t->kind == TYPE_ERROR)
            return error_expr(e);
        if (lang_type_is_real(t) || (t->kind == TYPE_COMPLEX && b->has_complex))
            continue;
        diag_error(c->diags, args->data[i]->range, "'%s' needs a %s number, but its argument is '%s'", e->u.call.name,
                   b->has_complex ? "real or complex" : "real", type_name(c, t));
        return error_expr(e);
    }
    const lang_type *t = common_of_args(args);
    bool always_complex = b->math == LANG_MATH_ARG || b->math == LANG_MATH_CSQRT;
    if (always_complex && t && t->kind == TYPE_FLOAT)
        t = &lang_type_complex;
    if (!t || (always_complex && t->kind != TYPE_COMPLEX)) {
        diag_error(c->diags, e->range, "'%s' cannot mix double and complex numbers", e->u.call.name);
        return error_expr(e);
    }
    for (VEC_EACH(ast_expr *, a, args))
        *a = convert(c, *a, t);
    bool part = b->math == LANG_MATH_ABS || b->math == LANG_MATH_ARG;
    e->u.call.callee = CALLEE_MATH;
    e->u.call.math = b->math;
    e->type = t->kind == TYPE_COMPLEX && part ? &lang_type_float : t;
    return e;
}

static ast_expr *check_print(checker *c, ast_expr *e, ast_callee callee)
{
    check_args(c, &e->u.call.args);
    if (!check_arity(c, e, callee == CALLEE_PRINTLN ? 0 : 1, 1))
        return e;
    for (VEC_EACH(ast_expr *, a, &e->u.call.args)) {
        if (is_printable((*a)->type))
            continue;
        diag_error(c->diags, (*a)->range, "a value of type '%s' cannot be printed%s", value_type_name(c, *a),
                   (*a)->type->kind == TYPE_COMPLEX ? ": print its '.real' and '.imag'" : "");
        return error_expr(e);
    }
    e->u.call.callee = callee;
    e->type = &lang_type_void;
    if (c->info)
        c->info->prints = true;
    return e;
}

static ast_expr *check_random(checker *c, ast_expr *e)
{
    check_args(c, &e->u.call.args);
    if (!check_arity(c, e, 0, 0))
        return e;
    e->u.call.callee = CALLEE_RANDOM;
    e->type = &lang_type_double;
    if (c->info)
        c->info->random = true;
    return e;
}

// What a plain name calls: a function of the filter hides everything, then come those of the same helper block.
static ast_function *find_function(checker *c, const char *name)
{
    ast_function *f = c->members ? hmap_get(c->members, name) : NULL;
    if (!f && c->function && c->function->module)
        f = hmap_get(&c->functions, arena_printf(c->arena, "%s.%s", c->function->module, name));
    return f;
}

bool is_init_array(checker *c, const ast_expr *e)
{
    if (e->kind != EXPR_CALL || e->u.call.module || find_function(c, e->u.call.name))
        return false;
    const builtin_function *b = hmap_get(&c->builtins, e->u.call.name);
    return b && (b->callee == CALLEE_INIT_ARRAY_INT || b->callee == CALLEE_INIT_ARRAY_FLOAT);
}

ast_expr *check_init_array(checker *c, ast_expr *e)
{
    const builtin_function *b = hmap_get(&c->builtins, e->u.call.name);
    ast_expr_list *args = &e->u.call.args;
    if (!check_arity(c, e, 2, 2))
        return e;
    const char *file = arena_printf(c->arena, "the file name of '%s'", e->u.call.name);
    args->data[0] = coerce(c, check_expr(c, args->data[0]), &lang_type_string, true, file);
    args->data[1] = check_constant(c, args->data[1], arena_printf(c->arena, "the length for '%s'", e->u.call.name));
    lang_type *t = ARENA_NEW(c->arena, lang_type);
    t->kind = TYPE_ARRAY;
    t->element = b->callee == CALLEE_INIT_ARRAY_INT ? &lang_type_int : &lang_type_float;
    t->length = args->data[1];
    e->u.call.callee = b->callee;
    e->type = t;
    return e;
}

static void report_unknown_function(checker *c, ast_expr *e)
{
    const char *name = e->u.call.name;
    if (!first_unknown(c, "function", name))
        return;
    const binding *b = scope_find(c, name);
    if (b) {
        if (b->var->type->kind != TYPE_ERROR)
            diag_error(c->diags, e->u.call.name_range, "'%s' is a variable of type '%s', not a function", name,
                       type_name(c, b->var->type));
        return;
    }
    if (hmap_get(&c->streams, name)) {
        diag_error(c->diags, e->u.call.name_range,
                   "'%s' is a stream, not a function: streams are put in place by 'add'", name);
        return;
    }
    const char *nearest = c->members ? nearest_key(c, c->members, name) : NULL;
    error_unknown(c, e->u.call.name_range, "function", name, nearest ? nearest : nearest_key(c, &c->builtins, name));
}

ast_expr *check_call(checker *c, ast_expr *e)
{
    if (e->u.call.module)
        return check_module_call(c, e);
    ast_function *f = find_function(c, e->u.call.name);
    if (f)
        return check_user_call(c, e, f);
    const builtin_function *b = hmap_get(&c->builtins, e->u.call.name);
    if (!b) {
        check_args(c, &e->u.call.args);
        report_unknown_function(c, e);
        return error_expr(e);
    }
    switch (b->callee) {
    case CALLEE_MATH: return check_math(c, e, b);
    case CALLEE_PRINT:
    case CALLEE_PRINTLN: return check_print(c, e, b->callee);
    case CALLEE_RANDOM: return check_random(c, e);
    default:
        check_args(c, &e->u.call.args);
        diag_error(c->diags, e->range, "'%s' can only be the initialiser of an array", e->u.call.name);
        return error_expr(e);
    }
}
