// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules of the kernel contract on one function's body.
#include "llc/contract/rules.h"

#include <string.h>

#include "llc/reader/reader.h"

static const char *const kernel_functions[] = {
#define KERNEL_FUNCTION(name) #name,
#include "llc/contract/kernel_functions.def"
#undef KERNEL_FUNCTION
#define MATH(name, exactness, kind) #name, #name "f",
#include "llc/contract/math_functions.def"
#undef MATH
};
enum { KERNEL_FUNCTION_COUNT = sizeof kernel_functions / sizeof *kernel_functions };

typedef struct kernel_object {
    const char *type, *instead;
} kernel_object;

static const kernel_object kernel_objects[] = {
#define KERNEL_OBJECT(type, instead) {#type, instead},
#include "llc/contract/kernel_objects.def"
#undef KERNEL_OBJECT
};

void cursor_set_init(cursor_set *set, arena *a)
{
    hmap_init(&set->map, a);
}

bool cursor_set_has(const cursor_set *set, CXCursor declaration)
{
    return hmap_getn(&set->map, &declaration.data[0], sizeof declaration.data[0]) != NULL;
}

bool cursor_set_add(cursor_set *set, CXCursor declaration)
{
    if (cursor_set_has(set, declaration))
        return false;
    hmap_setn(&set->map, &declaration.data[0], sizeof declaration.data[0], set);
    return true;
}

void rules_init(rule_checker *c)
{
    cursor_set_init(&c->reached, c->session->arena);
    cursor_set_init(&c->structs, c->session->arena);
    cursor_set_init(&c->reported, c->session->arena);
    hmap_init(&c->callable, c->session->arena);
    for (size_t i = 0; i < KERNEL_FUNCTION_COUNT; i++)
        hmap_set(&c->callable, kernel_functions[i], c);
}

// "kernel 'f'", and where in it when the fault is in a function that it calls.
static const char *subject(const rule_checker *c)
{
    arena *a = c->session->arena;
    const char *role = c->root->role == LLC_FIRE ? "firing function" : "kernel";
    const char *function = reader_string(c->session, clang_getCursorSpelling(c->function));
    if (clang_equalCursors(c->function, c->root->cursor))
        return arena_printf(a, "%s '%s'", role, c->root->name);
    return arena_printf(a, "%s '%s' (in function '%s', which it calls)", role, c->root->name, function);
}

static diag_record *broken(rule_checker *c, CXCursor at, const char *what)
{
    c->good = false;
    return diag_error(c->session->diag, reader_range(c->session, at), "%s %s", subject(c), what);
}

static char *spelling(rule_checker *c, CXCursor cursor)
{
    return reader_string(c->session, clang_getCursorSpelling(cursor));
}

static void note_declaration(rule_checker *c, diag_record *e, CXCursor declaration)
{
    src_range at = reader_location(c->session, clang_getCursorLocation(declaration));
    char *name = spelling(c, declaration);
    at.end = at.begin + (uint32_t)strlen(name);
    diag_add_note(c->session->diag, e, at, "'%s' is declared here", name);
}

// ---- Data ----

static bool is_immutable(CXType type, unsigned depth);
static bool fields_immutable(CXType record, unsigned depth);

static CXType element_type(CXType type)
{
    type = clang_getCanonicalType(type);
    while (type.kind == CXType_ConstantArray || type.kind == CXType_IncompleteArray)
        type = clang_getCanonicalType(clang_getArrayElementType(type));
    return type;
}

typedef struct field_test {
    unsigned depth;
    bool immutable;
} field_test;

// Within a const struct fields are const themselves; what they point to need not be.
static enum CXVisitorResult test_field(CXCursor field, CXClientData data)
{
    field_test *test = data;
    CXType type = element_type(clang_getCursorType(field));
    if (type.kind == CXType_Pointer)
        test->immutable = is_immutable(clang_getPointeeType(type), test->depth);
    else if (type.kind == CXType_Record)
        test->immutable = fields_immutable(type, test->depth);
    return test->immutable ? CXVisit_Continue : CXVisit_Break;
}

static bool fields_immutable(CXType record, unsigned depth)
{
    if (depth == 0)
        return false;
    field_test test = {depth - 1, true};
    clang_Type_visitFields(record, test_field, &test);
    return test.immutable;
}

// Neither the object nor anything it points to can be written through it.
static bool is_immutable(CXType type, unsigned depth)
{
    CXType element = element_type(type); // const may be said of an array or of its elements
    bool constant = clang_isConstQualifiedType(clang_getCanonicalType(type)) || clang_isConstQualifiedType(element);
    type = element;
    if (type.kind == CXType_FunctionProto || type.kind == CXType_FunctionNoProto)
        return true;
    if (!constant || clang_isVolatileQualifiedType(type) || depth == 0)
        return false;
    if (type.kind == CXType_Pointer)
        return is_immutable(clang_getPointeeType(type), depth - 1);
    return type.kind != CXType_Record || fields_immutable(type, depth - 1);
}

enum { POINTER_DEPTH = 8 }; // pointers to pointers beyond this count as mutable

static bool is_static_data(CXCursor variable)
{
    enum CX_StorageClass storage = clang_Cursor_getStorageClass(variable);
    bool file_scope = clang_getCursorKind(clang_getCursorSemanticParent(variable)) == CXCursor_TranslationUnit;
    return file_scope || storage == CX_SC_Static || storage == CX_SC_Extern ||
           clang_getCursorTLSKind(variable) != CXTLS_None;
}

static void check_variable(rule_checker *c, CXCursor at, CXCursor variable)
{
    if (clang_getCursorKind(variable) != CXCursor_VarDecl || !is_static_data(variable) ||
        cursor_set_has(&c->reported, variable))
        return;
    arena *a = c->session->arena;
    const char *name = spelling(c, variable);
    bool file_scope = clang_getCursorKind(clang_getCursorSemanticParent(variable)) == CXCursor_TranslationUnit;
    diag_record *e = NULL;
    if (!is_immutable(clang_getCursorType(variable), POINTER_DEPTH))
        e = broken(c, at,
                   arena_printf(a, "touches mutable %s variable '%s'; only const tables are shared with kernels",
                                file_scope ? "file-scope" : "static", name));
    else if (clang_Cursor_isNull(clang_getCursorDefinition(variable)))
        e = broken(c, at, arena_printf(a, "uses '%s', which this file does not define", name));
    if (e == NULL)
        return;
    note_declaration(c, e, variable);
    cursor_set_add(&c->reported, variable);
}

// ---- The kernel's struct ----

static const kernel_object *find_object(rule_checker *c, CXType type)
{
    char *name = spelling(c, clang_getTypeDeclaration(type));
    for (size_t i = 0; i < sizeof kernel_objects / sizeof *kernel_objects; i++)
        if (strcmp(kernel_objects[i].type, name) == 0)
            return &kernel_objects[i];
    return NULL;
}

static void check_member(rule_checker *c, CXCursor at)
{
    CXCursor field = clang_getCursorReferenced(at);
    if (clang_getCursorKind(field) != CXCursor_FieldDecl)
        return;
    arena *a = c->session->arena;
    CXCursor owner = clang_getCursorSemanticParent(field);
    const kernel_object *object =
        reader_is_foreign(owner) ? find_object(c, clang_getCanonicalType(clang_getCursorType(owner))) : NULL;
    if (object != NULL) {
        broken(c, at,
               arena_printf(a, "uses field '%s' of a %s, which is the runtime's; use %s", spelling(c, field),
                            object->type, object->instead));
        return;
    }
    CXType type = element_type(clang_getCursorType(field));
    if (!cursor_set_has(&c->structs, owner) || type.kind != CXType_Pointer ||
        find_object(c, element_type(clang_getPointeeType(type))) != NULL)
        return;
    diag_record *e = broken(c, at,
                            arena_printf(a,
                                         "uses pointer '%s' of its struct; a kernel reaches data only through "
                                         "the blocks and streams that its struct names",
                                         spelling(c, field)));
    note_declaration(c, e, field);
}

// ---- Calls ----

static bool may_call(const rule_checker *c, const char *name)
{
    size_t n = strlen(name);
    bool at = n > 2 && strcmp(name + n - 2, "At") == 0; // svm_fAt is what the headers make of svm_f
    size_t lanes = n;                                   // svm_loadFloats16 stands for svm_loadFloats
    while (lanes > 0 && name[lanes - 1] >= '0' && name[lanes - 1] <= '9')
        lanes--;
    return hmap_get(&c->callable, name) != NULL || hmap_getn(&c->callable, name, lanes) != NULL ||
           (at && hmap_getn(&c->callable, name, n - 2) != NULL);
}

// Messages name the function that the programmer wrote.
static void drop_place_suffix(char *name)
{
    size_t n = strlen(name);
    if (strncmp(name, "svm_", 4) == 0 && strcmp(name + n - 2, "At") == 0)
        name[n - 2] = '\0';
}

// The call's own function; null when it goes through a pointer.
static CXCursor called_function(CXCursor call)
{
    CXCursor referenced = clang_getCursorReferenced(call);
    return clang_getCursorKind(referenced) == CXCursor_FunctionDecl ? referenced : clang_getNullCursor();
}

static enum CXChildVisitResult find_native(CXCursor cursor, CXCursor parent, CXClientData found)
{
    (void)parent;
    if (clang_getCursorKind(cursor) != CXCursor_AnnotateAttr)
        return CXChildVisit_Continue;
    CXString text = clang_getCursorSpelling(cursor);
    *(bool *)found = strcmp(clang_getCString(text), "svm.native") == 0;
    clang_disposeString(text);
    return *(bool *)found ? CXChildVisit_Break : CXChildVisit_Continue;
}

// Declared with SVM_NATIVE: the program says that it brings this function, linked beside the SVM C.
static bool is_native(CXCursor function)
{
    bool found = false;
    clang_visitChildren(function, find_native, &found);
    return found;
}

static void check_call(rule_checker *c, CXCursor call)
{
    arena *a = c->session->arena;
    CXCursor function = called_function(call);
    if (clang_Cursor_isNull(function)) {
        broken(c, call, "calls through a function pointer");
        return;
    }
    char *name = spelling(c, function);
    bool foreign = reader_is_foreign(function) || strncmp(name, "__builtin_", 10) == 0;
    if (foreign && may_call(c, name))
        return;
    if (!foreign && is_native(function))
        return;
    CXCursor definition = clang_getCursorDefinition(function);
    if (foreign || clang_Cursor_isNull(definition)) {
        const char *near = diag_nearest(name, kernel_functions, KERNEL_FUNCTION_COUNT);
        drop_place_suffix(name);
        broken(c, call,
               arena_printf(a, "calls '%s', which %s%s", name,
                            foreign ? "is no function that kernels may call"
                                    : "is neither defined in this file nor one that kernels may call",
                            near == NULL || foreign ? "" : arena_printf(a, "; did you mean '%s'?", near)));
        return;
    }
    if (clang_Cursor_getStorageClass(definition) != CX_SC_Static) {
        diag_record *e = broken(c, call, arena_printf(a, "calls '%s', which is not static", name));
        note_declaration(c, e, definition);
    }
}

// ---- Expressions and statements ----

static enum CXChildVisitResult keep_last(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    *(CXCursor *)data = cursor;
    return CXChildVisit_Continue;
}

static void check_cast(rule_checker *c, CXCursor cast)
{
    CXType to = clang_getCanonicalType(clang_getCursorType(cast));
    if (to.kind != CXType_Pointer)
        return;
    // The operand is the last child; a type may stand before it.
    CXCursor operand = clang_getNullCursor();
    clang_visitChildren(cast, keep_last, &operand);
    CXType from = clang_getCanonicalType(clang_getCursorType(operand));
    bool integer = from.kind >= CXType_Bool && from.kind <= CXType_Int128;
    if (!integer && from.kind != CXType_Enum)
        return;
    CXEvalResult value = clang_Cursor_Evaluate(operand);
    bool null =
        value != NULL && clang_EvalResult_getKind(value) == CXEval_Int && clang_EvalResult_getAsLongLong(value) == 0;
    if (value != NULL)
        clang_EvalResult_dispose(value);
    if (!null)
        broken(c, cast, "makes a pointer of an integer");
}

static enum CXChildVisitResult check_node(CXCursor cursor, CXCursor parent, CXClientData data);

typedef struct argument_visit {
    rule_checker *checker;
    bool skip_first;
} argument_visit;

// A call's first child is the function called, which check_call has looked at.
static enum CXChildVisitResult check_argument(CXCursor cursor, CXCursor parent, CXClientData data)
{
    argument_visit *visit = data;
    if (visit->skip_first) {
        visit->skip_first = false;
        return CXChildVisit_Continue;
    }
    if (check_node(cursor, parent, visit->checker) == CXChildVisit_Recurse)
        clang_visitChildren(cursor, check_node, visit->checker);
    return CXChildVisit_Continue;
}

static void check_reference(rule_checker *c, CXCursor at)
{
    CXCursor referenced = clang_getCursorReferenced(at);
    if (clang_getCursorKind(referenced) == CXCursor_FunctionDecl)
        broken(c, at, arena_printf(c->session->arena, "takes the address of function '%s'", spelling(c, referenced)));
    else
        check_variable(c, at, referenced);
}

static enum CXChildVisitResult check_node(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    rule_checker *c = data;
    switch (clang_getCursorKind(cursor)) {
    case CXCursor_DeclRefExpr: check_reference(c, cursor); break;
    case CXCursor_MemberRefExpr: check_member(c, cursor); break;
    case CXCursor_VarDecl: check_variable(c, cursor, cursor); break;
    case CXCursor_CallExpr: {
        check_call(c, cursor);
        argument_visit visit = {c, true};
        clang_visitChildren(cursor, check_argument, &visit);
        return CXChildVisit_Continue;
    }
    case CXCursor_CStyleCastExpr: check_cast(c, cursor); break;
    case CXCursor_UnaryExpr: // sizeof and alignof evaluate nothing
        return CXChildVisit_Continue;
    case CXCursor_GCCAsmStmt:
    case CXCursor_MSAsmStmt: broken(c, cursor, "contains assembly"); return CXChildVisit_Continue;
    case CXCursor_AddrLabelExpr:
    case CXCursor_IndirectGotoStmt: broken(c, cursor, "jumps to a computed label"); return CXChildVisit_Continue;
    default: break;
    }
    return CXChildVisit_Recurse;
}

void rules_check_function(rule_checker *c)
{
    if (clang_Cursor_isVariadic(c->function))
        broken(c, c->function, "takes a variable number of arguments");
    clang_visitChildren(c->function, check_node, c);
}
