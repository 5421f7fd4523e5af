// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types of expressions, by Java's rules: numbers promote from bit over int to float and then to double or complex,
// nothing else converts by itself, and booleans are apart. Every promotion becomes an EXPR_CONVERT node.
#include "lang/streamit/check.h"

typedef enum op_class { ARITH, INTEGER, LOGIC, SHIFT, COMPARE, EQUAL, SHORT } op_class;
static const op_class binary_class[LANG_BINARY_COUNT] = {
#define LANG_BINARY(id, spelling, mnemonic, class) [LANG_OP_##id] = class,
#include "lang/ops.def"
};
static const char *const class_needs[] = {
    [ARITH] = "numbers",      [INTEGER] = "two ints",         [LOGIC] = "two ints, bits or booleans",
    [SHIFT] = "two ints",     [COMPARE] = "two real numbers", [EQUAL] = "two numbers or two booleans",
    [SHORT] = "two booleans",
};

static bool is_error(const lang_type *t)
{
    return t->kind == TYPE_ERROR;
}

static bool is_integer(const lang_type *t)
{
    return t->kind == TYPE_INT || t->kind == TYPE_BIT;
}

ast_expr *error_expr(ast_expr *e)
{
    e->kind = EXPR_ERROR;
    e->type = &lang_type_error;
    return e;
}

bool is_literal_zero(const ast_expr *e)
{
    return e->kind == EXPR_INT && e->u.integer == 0;
}

ast_expr *convert(checker *c, ast_expr *e, const lang_type *to)
{
    if (is_error(to) || is_error(e->type) || lang_type_same(e->type, to))
        return e;
    if (e->kind == EXPR_INT && to->kind == TYPE_INT) {
        e->type = to;
        return e;
    }
    if (e->kind == EXPR_COND && e->type->kind == TYPE_BIT) {
        e->u.cond.then = convert(c, e->u.cond.then, to);
        e->u.cond.otherwise = convert(c, e->u.cond.otherwise, to);
        e->type = to;
        return e;
    }
    ast_expr *conversion = ARENA_NEW(c->arena, ast_expr);
    conversion->kind = EXPR_CONVERT;
    conversion->range = e->range;
    conversion->type = conversion->u.cast.to = to;
    conversion->u.cast.operand = e;
    return conversion;
}

// Sums and products of bits are ints, but may still be stored in a bit.
static bool is_made_of_bits(const ast_expr *e)
{
    if (e->kind == EXPR_CONVERT)
        e = e->u.cast.operand;
    if (e->type->kind == TYPE_BIT)
        return true;
    if (e->kind == EXPR_INT)
        return e->u.integer == 0 || e->u.integer == 1;
    return e->kind == EXPR_BINARY && binary_class[e->u.binary.op] == ARITH && is_made_of_bits(e->u.binary.left) &&
           is_made_of_bits(e->u.binary.right);
}

// An array one of whose lengths is missing or wrong: that has been reported.
static bool has_wrong_length(const lang_type *t)
{
    for (; t->kind == TYPE_ARRAY; t = t->element)
        if (t->length == NULL || t->length->kind == EXPR_ERROR)
            return true;
    return false;
}

ast_expr *coerce(checker *c, ast_expr *e, const lang_type *to, bool from_java, const char *what)
{
    if (is_error(to) || is_error(e->type) || has_wrong_length(to) || has_wrong_length(e->type))
        return e;
    bool to_bit = to->kind == TYPE_BIT && e->type->kind == TYPE_INT && (from_java || is_made_of_bits(e));
    bool same = lang_type_same(e->type, to);
    if (to_bit || (same ? types_agree(e->type, to) : lang_type_promotes(e->type, to)))
        return convert(c, e, to);
    const char *hint = "";
    bool numbers = lang_type_is_numeric(to) && lang_type_is_numeric(e->type);
    if (numbers && e->type->kind != TYPE_COMPLEX)
        hint = arena_printf(c->arena, ": it needs a cast, '(%s)(...)'", type_name(c, to));
    else if (to->kind == TYPE_BOOLEAN && lang_type_is_real(e->type))
        hint = ": compare it, as in '... != 0'";
    else if (lang_type_is_real(to) && e->type->kind == TYPE_BOOLEAN)
        hint = ": choose a number with '... ? 1 : 0'";
    diag_error(c->diags, e->range, "%s must be '%s' but is '%s'%s", what, type_name(c, to), value_type_name(c, e),
               hint);
    return error_expr(e);
}

ast_expr *check_condition(checker *c, ast_expr *e, const char *where)
{
    return coerce(c, check_expr(c, e), &lang_type_boolean, true, arena_printf(c->arena, "the condition of %s", where));
}

ast_expr *check_int(checker *c, ast_expr *e, const char *what)
{
    return coerce(c, check_expr(c, e), &lang_type_int, true, what);
}

ast_expr *check_constant(checker *c, ast_expr *e, const char *what)
{
    const char *outer = c->constant;
    c->constant = what;
    e = check_int(c, e, what);
    c->constant = outer;
    return e;
}

ast_expr *root_name(ast_expr *e)
{
    for (;;) {
        if (e->kind == EXPR_FIELD)
            e = e->u.field.base;
        else if (e->kind == EXPR_INDEX)
            e = e->u.index.base;
        else
            return e->kind == EXPR_NAME ? e : NULL;
    }
}

static bool has_subscript(const ast_expr *e)
{
    for (; e->kind == EXPR_FIELD || e->kind == EXPR_INDEX;
         e = e->kind == EXPR_FIELD ? e->u.field.base : e->u.index.base) {
        if (e->kind == EXPR_INDEX)
            return true;
    }
    return false;
}

void check_assignable(checker *c, ast_expr *target, const char *verb)
{
    ast_expr *root = root_name(target);
    ast_var *var = root ? root->u.name.var : NULL;
    if (!var)
        return;
    diag_record *r = NULL;
    if (var->type->kind == TYPE_PORTAL)
        r = diag_error(c->diags, target->range, "cannot %s the portal '%s'", verb, var->name);
    else if (var->kind == VAR_GLOBAL && !c->static_init)
        r = diag_error(c->diags, target->range, "cannot %s the global '%s' outside the 'static' block", verb,
                       var->name);
    else if (is_captured(c, var))
        r = diag_error(c->diags, target->range,
                       "cannot %s '%s': it belongs to an enclosing stream, and only its value is used here", verb,
                       var->name);
    else if (var->kind == VAR_STREAM_PARAM && !has_subscript(target))
        r = diag_error(c->diags, target->range, "cannot %s '%s', a parameter of the stream", verb, var->name);
    if (r) {
        diag_add_note(c->diags, r, var->range, "'%s' is declared here", var->name);
        return;
    }
    if ((var->kind == VAR_FIELD || var->kind == VAR_STREAM_PARAM) && c->info)
        VEC_PUSH(c->arena, &c->info->written, var);
    else
        var->assigned = true;
}

static ast_expr *check_name(checker *c, ast_expr *e)
{
    ast_var *var = resolve_var(c, e->u.name.name, e->range);
    if (!var)
        return error_expr(e);
    e->u.name.var = var;
    e->type = var->type;
    return e;
}

static ast_expr *check_complex_part(checker *c, ast_expr *e)
{
    const char *name = e->u.field.name;
    bool real = name == intern(c->names, "real");
    if (!real && name != intern(c->names, "imag")) {
        diag_error(c->diags, e->u.field.name_range, "a complex number has no field '%s': expected 'real' or 'imag'",
                   name);
        return error_expr(e);
    }
    e->u.field.index = real ? 0 : 1;
    e->type = &lang_type_float;
    return e;
}

static ast_expr *check_field(checker *c, ast_expr *e)
{
    ast_expr *base = e->u.field.base = check_expr(c, e->u.field.base);
    const char *name = e->u.field.name;
    if (is_error(base->type))
        return error_expr(e);
    if (base->type->kind == TYPE_COMPLEX)
        return check_complex_part(c, e);
    if (base->type->kind != TYPE_STRUCT) {
        diag_error(c->diags, e->u.field.name_range, "'%s' is not a struct: its type is '%s', which has no field '%s'",
                   arena_printf(c->arena, "%s", root_name(base) ? root_name(base)->u.name.name : "this"),
                   type_name(c, base->type), name);
        return error_expr(e);
    }
    const ast_struct *s = base->type->decl;
    const char **candidates = ARENA_ARRAY(c->arena, const char *, s->fields.len);
    for (size_t i = 0; i < s->fields.len; i++) {
        candidates[i] = s->fields.data[i]->name;
        if (candidates[i] == name) {
            e->u.field.index = (int)i;
            e->type = s->fields.data[i]->type;
            return is_error(e->type) ? error_expr(e) : e;
        }
    }
    if (!is_unsure(c, name)) {
        diag_record *r =
            error_unknown(c, e->u.field.name_range, arena_printf(c->arena, "field of struct '%s':", s->name), name,
                          nearest_of(c, name, candidates, s->fields.len));
        diag_add_note(c->diags, r, s->name_range, "'%s' is declared here", s->name);
    }
    return error_expr(e);
}

static ast_expr *check_index(checker *c, ast_expr *e)
{
    ast_expr *base = e->u.index.base = check_expr(c, e->u.index.base);
    if (!e->u.index.index) {
        diag_error(c->diags, e->range, "missing array index: expected an expression between '[' and ']'");
        return error_expr(e);
    }
    const char *outer = c->constant;
    ast_expr *index = e->u.index.index = check_int(c, e->u.index.index, "a subscript");
    c->constant = outer;
    if (is_error(base->type))
        return error_expr(e);
    if (base->type->kind != TYPE_ARRAY) {
        diag_error(c->diags, e->range, "cannot subscript a value of type '%s': it is not an array",
                   type_name(c, base->type));
        return error_expr(e);
    }
    const ast_expr *length = base->type->length;
    if (index->kind == EXPR_INT && length && length->kind == EXPR_INT && index->u.integer >= length->u.integer)
        diag_error(c->diags, index->range, "subscript %lld is outside the array, whose length is %lld",
                   (long long)index->u.integer, (long long)length->u.integer);
    e->type = base->type->element;
    return e;
}

static ast_expr *check_unary(checker *c, ast_expr *e)
{
    ast_expr *x = e->u.unary.operand = check_expr(c, e->u.unary.operand);
    lang_unary_op op = e->u.unary.op;
    if (is_error(x->type))
        return error_expr(e);
    bool fits = op == LANG_OP_NOT   ? x->type->kind == TYPE_BOOLEAN
                : op == LANG_OP_NEG ? lang_type_is_numeric(x->type)
                                    : is_integer(x->type);
    if (!fits) {
        diag_error(c->diags, e->range, "operator '%s' needs %s, but its operand is '%s'", lang_unary_spelling[op],
                   op == LANG_OP_NOT   ? "a boolean"
                   : op == LANG_OP_NEG ? "a number"
                                       : "an int",
                   value_type_name(c, x));
        return error_expr(e);
    }
    e->type = x->type->kind == TYPE_BIT ? &lang_type_int : x->type;
    e->u.unary.operand = convert(c, x, e->type);
    return e;
}

static ast_expr *operand_error(checker *c, ast_expr *e, const char *needs)
{
    const ast_expr *l = e->u.binary.left, *r = e->u.binary.right;
    diag_record *d =
        diag_error(c->diags, e->u.binary.op_range, "operator '%s' needs %s, but its operands are '%s' and '%s'",
                   lang_binary_spelling[e->u.binary.op], needs, value_type_name(c, l), value_type_name(c, r));
    diag_add_range(c->diags, d, l->range);
    diag_add_range(c->diags, d, r->range);
    return error_expr(e);
}

static ast_expr *check_concatenation(checker *c, ast_expr *e)
{
    ast_expr *l = e->u.binary.left, *r = e->u.binary.right;
    const ast_expr *bad = !is_printable(l->type) ? l : !is_printable(r->type) ? r : NULL;
    if (bad) {
        diag_error(c->diags, bad->range, "a value of type '%s' cannot be printed or made a part of a string",
                   value_type_name(c, bad));
        return error_expr(e);
    }
    e->type = &lang_type_string;
    return e;
}

// The type both operands are converted to, or NULL when the operator does not take them.
static const lang_type *operand_type(op_class class, const lang_type *l, const lang_type *r)
{
    bool booleans = l->kind == TYPE_BOOLEAN && r->kind == TYPE_BOOLEAN, ints = is_integer(l) && is_integer(r);
    switch (class) {
    case ARITH:
        if (!lang_type_is_numeric(l) || !lang_type_is_numeric(r))
            return NULL;
        return ints ? &lang_type_int : lang_type_common(l, r);
    case INTEGER:
    case SHIFT: return ints ? &lang_type_int : NULL;
    case LOGIC: return booleans ? l : ints ? lang_type_common(l, r) : NULL;
    case COMPARE:
        return lang_type_is_real(l) && lang_type_is_real(r) ? ints ? &lang_type_int : lang_type_common(l, r) : NULL;
    case EQUAL:
        if (booleans)
            return l;
        return lang_type_is_numeric(l) && lang_type_is_numeric(r) ? ints ? &lang_type_int : lang_type_common(l, r)
                                                                  : NULL;
    case SHORT: return booleans ? l : NULL;
    }
    return NULL;
}

static ast_expr *check_binary(checker *c, ast_expr *e)
{
    ast_expr *l = e->u.binary.left = check_expr(c, e->u.binary.left);
    ast_expr *r = e->u.binary.right = check_expr(c, e->u.binary.right);
    op_class class = binary_class[e->u.binary.op];
    bool truth = class == COMPARE || class == EQUAL || class == SHORT;
    if (is_error(l->type) || is_error(r->type)) {
        e->type = truth ? &lang_type_boolean : &lang_type_error;
        return e;
    }
    if (e->u.binary.op == LANG_OP_ADD && (l->type->kind == TYPE_STRING || r->type->kind == TYPE_STRING))
        return check_concatenation(c, e);
    const lang_type *t = operand_type(class, l->type, r->type);
    if (!t) {
        bool mixed =
            lang_type_is_numeric(l->type) && lang_type_is_numeric(r->type) && (class == ARITH || class == EQUAL);
        return operand_error(
            c, e, mixed ? "operands with a common type, and double and complex have none" : class_needs[class]);
    }
    e->u.binary.left = convert(c, l, t);
    e->u.binary.right = convert(c, r, t);
    e->type = truth ? &lang_type_boolean : t;
    return e;
}

static ast_expr *check_cond(checker *c, ast_expr *e)
{
    e->u.cond.cond = check_condition(c, e->u.cond.cond, "'?:'");
    ast_expr *a = e->u.cond.then = check_expr(c, e->u.cond.then);
    ast_expr *b = e->u.cond.otherwise = check_expr(c, e->u.cond.otherwise);
    const lang_type *t = lang_type_common(a->type, b->type);
    if (!t || a->type->kind == TYPE_VOID || (t->kind == TYPE_ARRAY && !types_agree(a->type, b->type))) {
        diag_record *r =
            diag_error(c->diags, e->range, "the branches of '?:' must have a common type, but are '%s' and '%s'",
                       value_type_name(c, a), value_type_name(c, b));
        diag_add_range(c->diags, r, a->range);
        diag_add_range(c->diags, r, b->range);
        return error_expr(e);
    }
    e->u.cond.then = convert(c, a, t);
    e->u.cond.otherwise = convert(c, b, t);
    e->type = t;
    return e;
}

static ast_expr *check_cast(checker *c, ast_expr *e)
{
    ast_expr *x = e->u.cast.operand = check_expr(c, e->u.cast.operand);
    const lang_type *to = e->u.cast.to;
    e->type = to;
    if (is_error(to) || is_error(x->type))
        return e;
    bool numbers = lang_type_is_numeric(to) && lang_type_is_real(x->type);
    if (!numbers && !lang_type_same(to, x->type)) {
        const char *hint = "";
        if (x->type->kind == TYPE_COMPLEX)
            hint = ": take its '.real' or '.imag', or abs() of it";
        else if (x->type->kind == TYPE_BOOLEAN)
            hint = ": choose a number with '... ? 1 : 0'";
        else if (to->kind == TYPE_BOOLEAN && lang_type_is_real(x->type))
            hint = ": compare it, as in '... != 0'";
        diag_error(c->diags, e->range, "cannot cast from '%s' to '%s'%s", value_type_name(c, x), type_name(c, to),
                   hint);
        return error_expr(e);
    }
    return e;
}

static ast_expr *check_incdec(checker *c, ast_expr *e)
{
    const char *op = e->u.incdec.increment ? "++" : "--";
    ast_expr *x = e->u.incdec.target = check_expr(c, e->u.incdec.target);
    if (c->constant) {
        diag_error(c->diags, e->range, "%s cannot change a variable with '%s'", c->constant, op);
        return error_expr(e);
    }
    if (is_error(x->type))
        return error_expr(e);
    if (!lang_type_is_real(x->type)) {
        diag_error(c->diags, e->range, "operator '%s' needs a variable with a real number, but this is '%s'", op,
                   value_type_name(c, x));
        return error_expr(e);
    }
    check_assignable(c, x, e->u.incdec.increment ? "increment" : "decrement");
    e->type = x->type->kind == TYPE_BIT ? &lang_type_int : x->type;
    return e;
}

// pop(), peek(i) and iter() belong to the firing of a filter.
static bool check_firing(checker *c, const ast_expr *e, const char *word)
{
    if (c->constant)
        diag_error(c->diags, e->range, "%s must be known when the graph is built, so '%s' cannot occur in it",
                   c->constant, word);
    else if (!tape_allowed(c))
        diag_error(c->diags, e->range,
                   "'%s' is allowed only in 'work', 'prework' and the functions of a filter, not in %s", word,
                   place_name(c));
    else
        return true;
    return false;
}

static ast_expr *check_tape_read(checker *c, ast_expr *e)
{
    bool peek = e->kind == EXPR_PEEK;
    if (peek)
        e->u.peek.offset = check_int(c, e->u.peek.offset, "the offset of 'peek'");
    if (!check_firing(c, e, peek ? "peek" : "pop"))
        return error_expr(e);
    check_rate_declared(c, peek ? RATE_PEEK : RATE_POP, e->range);
    e->type = c->stream->input;
    return e->type->kind == TYPE_VOID || e->type->kind == TYPE_UNTYPED ? error_expr(e) : e;
}

static ast_expr *check_iter(checker *c, ast_expr *e)
{
    if (!check_firing(c, e, "iter"))
        return error_expr(e);
    c->info->iter = true;
    e->type = &lang_type_int;
    return e;
}

ast_expr *check_expr(checker *c, ast_expr *e)
{
    switch (e->kind) {
    case EXPR_NAME: return check_name(c, e);
    case EXPR_FIELD: return check_field(c, e);
    case EXPR_INDEX: return check_index(c, e);
    case EXPR_UNARY: return check_unary(c, e);
    case EXPR_BINARY: return check_binary(c, e);
    case EXPR_COND: return check_cond(c, e);
    case EXPR_CAST: return check_cast(c, e);
    case EXPR_INCDEC: return check_incdec(c, e);
    case EXPR_CALL: return check_call(c, e);
    case EXPR_POP:
    case EXPR_PEEK: return check_tape_read(c, e);
    case EXPR_ITER: return check_iter(c, e);
    case EXPR_ARRAY: return error_expr(e);
    case EXPR_ERROR:
    case EXPR_INT:
    case EXPR_FLOAT:
    case EXPR_IMAG:
    case EXPR_BOOL:
    case EXPR_STRING:
    case EXPR_CONVERT: break;
    }
    return e;
}
