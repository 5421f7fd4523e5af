// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Declarations of variables: type, initialiser, name.
#include "lang/streamit/check.h"

static const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

// The first place where two rows of an initialiser differ in length or nesting; NULL when they do not.
static const ast_expr *different_shape(const ast_expr *a, const ast_expr *b)
{
    if (a->kind == EXPR_ERROR || b->kind == EXPR_ERROR || (a->kind != EXPR_ARRAY && b->kind != EXPR_ARRAY))
        return NULL;
    if (a->kind != b->kind || a->u.array.len != b->u.array.len)
        return b;
    const ast_expr *found = NULL;
    for (size_t i = 0; i < a->u.array.len && !found; i++)
        found = different_shape(a->u.array.data[i], b->u.array.data[i]);
    return found;
}

static ast_expr *check_array_init(checker *c, const lang_type *type, ast_expr *e, const ast_var *var);

static ast_expr *check_element(checker *c, const lang_type *type, ast_expr *e, const ast_var *var)
{
    if (e->kind == EXPR_ARRAY)
        return check_array_init(c, type, e, var);
    return coerce(c, check_expr(c, e), type, true,
                  arena_printf(c->arena, "an element of the initialiser of '%s'", var->name));
}

static ast_expr *check_array_init(checker *c, const lang_type *type, ast_expr *e, const ast_var *var)
{
    ast_expr_list *list = &e->u.array;
    if (type->kind != TYPE_ARRAY) {
        if (type->kind != TYPE_ERROR)
            diag_error(c->diags, e->range, "a list in braces cannot initialise a value of type '%s' in '%s'",
                       type_name(c, type), var->name);
        return error_expr(e);
    }
    e->type = type;
    bool wrong = false;
    if (type->length->kind == EXPR_INT && type->length->u.integer != (int64_t)list->len) {
        long long length = (long long)type->length->u.integer;
        diag_error(c->diags, e->range, "an array of length %lld is initialised with %zu value%s in '%s'", length,
                   list->len, plural(list->len), var->name);
        wrong = true;
    }
    for (size_t i = 1; i < list->len && !wrong; i++) {
        const ast_expr *ragged = different_shape(list->data[0], list->data[i]);
        if (ragged) {
            diag_record *r =
                diag_error(c->diags, ragged->range,
                           "all rows of the initialiser of '%s' must have one length and nesting", var->name);
            diag_add_note(c->diags, r, list->data[0]->range, "the first row is here");
            wrong = true;
        }
    }
    if (wrong)
        return error_expr(e);
    for (VEC_EACH(ast_expr *, it, list))
        *it = check_element(c, type->element, *it, var);
    return e;
}

void check_init(checker *c, ast_var *var)
{
    ast_expr *e = var->init;
    if (!e)
        return;
    if (var->type->kind == TYPE_PORTAL)
        diag_error(c->diags, e->range, "the portal '%s' cannot have an initialiser", var->name);
    if (e->kind == EXPR_ARRAY)
        var->init = check_array_init(c, var->type, e, var);
    else
        var->init = coerce(c, is_init_array(c, e) ? check_init_array(c, e) : check_expr(c, e), var->type, true,
                           arena_printf(c->arena, "the initialiser of '%s'", var->name));
}

void check_var_list(checker *c, ast_var_list *vars)
{
    const lang_type *written = NULL, *checked = NULL;
    for (VEC_EACH(ast_var *, it, vars)) {
        ast_var *var = *it;
        if (var->type != written) { // 'int[n] a, b' shares one type
            written = var->type;
            checked = check_type(c, written, var->type_range, USE_VARIABLE);
        }
        var->type = checked;
        check_init(c, var);
        scope_declare(c, var);
    }
}
