// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparing, promoting and printing types.
#include "lang/type.h"

#include "lang/ast.h"

const lang_type lang_type_error = {.kind = TYPE_ERROR}, lang_type_void = {.kind = TYPE_VOID},
                lang_type_boolean = {.kind = TYPE_BOOLEAN}, lang_type_bit = {.kind = TYPE_BIT},
                lang_type_int = {.kind = TYPE_INT}, lang_type_float = {.kind = TYPE_FLOAT},
                lang_type_double = {.kind = TYPE_DOUBLE}, lang_type_complex = {.kind = TYPE_COMPLEX},
                lang_type_string = {.kind = TYPE_STRING}, lang_type_untyped = {.kind = TYPE_UNTYPED};

bool lang_type_same(const lang_type *a, const lang_type *b)
{
    while (a->kind == TYPE_ARRAY && b->kind == TYPE_ARRAY) {
        a = a->element;
        b = b->element;
    }
    if (a == b || a->kind == TYPE_ERROR || b->kind == TYPE_ERROR)
        return true;
    if (a->kind != b->kind)
        return false;
    if (a->kind == TYPE_STRUCT)
        return a->decl == b->decl;
    if (a->kind == TYPE_PORTAL)
        return a->target == b->target || !a->target || !b->target;
    return true;
}

bool lang_type_is_real(const lang_type *t)
{
    return t->kind == TYPE_BIT || t->kind == TYPE_INT || t->kind == TYPE_FLOAT || t->kind == TYPE_DOUBLE;
}

bool lang_type_is_numeric(const lang_type *t)
{
    return lang_type_is_real(t) || t->kind == TYPE_COMPLEX;
}

bool lang_type_promotes(const lang_type *from, const lang_type *to)
{
    if (lang_type_same(from, to))
        return true;
    switch (to->kind) {
    case TYPE_INT: return from->kind == TYPE_BIT;
    case TYPE_FLOAT: return from->kind == TYPE_BIT || from->kind == TYPE_INT;
    case TYPE_DOUBLE:
    case TYPE_COMPLEX: return from->kind == TYPE_BIT || from->kind == TYPE_INT || from->kind == TYPE_FLOAT;
    default: return false;
    }
}

const lang_type *lang_type_common(const lang_type *a, const lang_type *b)
{
    if (a->kind == TYPE_ERROR || b->kind == TYPE_ERROR)
        return &lang_type_error;
    if (lang_type_promotes(a, b))
        return b;
    return lang_type_promotes(b, a) ? a : NULL;
}

static const char *base_name(const lang_type *t)
{
    switch (t->kind) {
    case TYPE_ERROR: return "<error>";
    case TYPE_VOID: return "void";
    case TYPE_BOOLEAN: return "boolean";
    case TYPE_BIT: return "bit";
    case TYPE_INT: return "int";
    case TYPE_FLOAT: return "float";
    case TYPE_DOUBLE: return "double";
    case TYPE_COMPLEX: return "complex";
    case TYPE_STRING: return "String";
    case TYPE_STRUCT: return t->decl->name;
    case TYPE_UNTYPED: return "<untyped>";
    case TYPE_ARRAY:
    case TYPE_PORTAL: break;
    }
    return "";
}

void lang_type_print(strbuf *out, const lang_type *t)
{
    const lang_type *base = t;
    while (base->kind == TYPE_ARRAY)
        base = base->element;
    if (base->kind == TYPE_PORTAL)
        strbuf_printf(out, "portal<%s>", base->target && base->target->name ? base->target->name : "<error>");
    else
        strbuf_add(out, base_name(base));
    for (; t->kind == TYPE_ARRAY; t = t->element) {
        strbuf_addc(out, '[');
        if (t->length)
            ast_print_expr(out, t->length);
        strbuf_addc(out, ']');
    }
}

const char *lang_type_name(arena *a, const lang_type *t)
{
    strbuf out;
    strbuf_init(&out, a);
    lang_type_print(&out, t);
    return out.data;
}
