// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel contract. First the functions that kernels and firing functions reach and the structs that kernels are
// part of, then every expression of those functions, each once.
#include "llc/contract/contract.h"

#include <string.h>

#include "llc/contract/rules.h"
#include "llc/reader/reader.h"

static const char *const inexact_functions[] = {
#define MATH_EXACT(name)
#define MATH_INEXACT(name) #name, #name "f",
#define MATH(name, exactness, kind) MATH_##exactness(name)
#include "llc/contract/math_functions.def"
#undef MATH
#undef MATH_EXACT
#undef MATH_INEXACT
};

const char *contract_inexact_function(size_t i)
{
    return i < sizeof inexact_functions / sizeof *inexact_functions ? inexact_functions[i] : NULL;
}

// Adds a struct that a kernel is part of, and the structs inside it.
static void add_struct(rule_checker *c, CXType type);

static enum CXVisitorResult add_field_struct(CXCursor field, CXClientData data)
{
    CXType type = clang_getCanonicalType(clang_getCursorType(field));
    while (type.kind == CXType_ConstantArray)
        type = clang_getCanonicalType(clang_getArrayElementType(type));
    if (type.kind == CXType_Record)
        add_struct(data, type);
    return CXVisit_Continue;
}

static void add_struct(rule_checker *c, CXType type)
{
    CXCursor declaration = clang_getTypeDeclaration(type), definition = clang_getCursorDefinition(declaration);
    if (!clang_Cursor_isNull(definition))
        declaration = definition;
    if (!reader_is_foreign(declaration) && cursor_set_add(&c->structs, declaration))
        clang_Type_visitFields(type, add_field_struct, c);
}

// (Filter *)kernel: the struct that the kernel is part of.
static void take_cast(rule_checker *c, CXCursor cast)
{
    CXType to = clang_getCanonicalType(clang_getCursorType(cast));
    if (to.kind != CXType_Pointer)
        return;
    CXType pointee = clang_getCanonicalType(clang_getPointeeType(to));
    if (pointee.kind == CXType_Record)
        add_struct(c, pointee);
}

static void reach(rule_checker *c, CXCursor function)
{
    if (cursor_set_add(&c->reached, function))
        VEC_PUSH(c->session->arena, &c->functions, (reached_function){function, c->root});
}

static enum CXChildVisitResult gather(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    rule_checker *c = data;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_CStyleCastExpr)
        take_cast(c, cursor);
    if (kind != CXCursor_DeclRefExpr)
        return CXChildVisit_Recurse;
    CXCursor referenced = clang_getCursorReferenced(cursor);
    if (clang_getCursorKind(referenced) != CXCursor_FunctionDecl)
        return CXChildVisit_Recurse;
    CXCursor definition = clang_getCursorDefinition(referenced);
    if (!clang_Cursor_isNull(definition) && !reader_is_foreign(definition))
        reach(c, definition);
    return CXChildVisit_Recurse;
}

static void add_root(rule_checker *c, const llc_function *root)
{
    size_t i = c->functions.len;
    c->root = root;
    for (reach(c, root->cursor); i < c->functions.len; i++)
        clang_visitChildren(c->functions.data[i].cursor, gather, c);
}

bool contract_check(llc_session *s, llc_unit *unit)
{
    rule_checker c = {.session = s, .good = true};
    rules_init(&c);
    for (VEC_EACH(llc_function, f, &unit->functions))
        if (f->role == LLC_KERNEL)
            add_root(&c, f);
    for (VEC_EACH(llc_function, f, &unit->functions))
        if (f->role == LLC_FIRE)
            add_root(&c, f);
    for (size_t i = 0; i < c.functions.len; i++) {
        c.function = c.functions.data[i].cursor;
        c.root = c.functions.data[i].root;
        rules_check_function(&c);
    }
    for (VEC_EACH(llc_function, f, &unit->functions))
        if (f->role == LLC_FIRE && f->thread)
            c.good = rules_check_thread(s, f) && c.good;
    return c.good;
}
