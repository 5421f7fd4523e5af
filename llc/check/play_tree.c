// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From libclang's cursors to the tree that plays walk: types with their sizes, fields as offsets, locals as places in
// the function's frame.
#include <string.h>

#include "llc/check/play.h"
#include "llc/reader/reader.h"

static code *build(tree *t, CXCursor cursor);

void tree_init(tree *t, checker *c)
{
    *t = (tree){.checker = c};
    hmap_init(&t->globals, c->arena);
    hmap_init(&t->callees, c->arena);
    hmap_init(&t->locals, c->arena);
}

// ---- Types ----

static bool is_array(CXType type)
{
    return type.kind == CXType_ConstantArray || type.kind == CXType_IncompleteArray ||
           type.kind == CXType_VariableArray;
}

static int64_t size_of(CXType type)
{
    long long size = clang_Type_getSizeOf(type);
    return size < 0 ? 0 : size;
}

ctype tree_type(CXType type)
{
    type = clang_getCanonicalType(type);
    if (type.kind == CXType_Unexposed) // of a builtin function's name: libclang does not survive asking for its size
        return (ctype){.shape = SHAPE_VOID};
    ctype t = {.size = size_of(type)};
    if (type.kind == CXType_Pointer) {
        CXType to = clang_getCanonicalType(clang_getPointeeType(type));
        t.shape = SHAPE_POINTER;
        t.element = to.kind == CXType_Void || to.kind == CXType_FunctionProto ? 1 : size_of(to);
        t.to_const = clang_isConstQualifiedType(to) != 0;
    } else if (is_array(type)) {
        t.shape = SHAPE_ARRAY;
        t.element = size_of(clang_getArrayElementType(type));
    } else if (type.kind == CXType_Record) {
        t.shape = SHAPE_RECORD;
    } else if (type.kind == CXType_Void || type.kind == CXType_FunctionProto || type.kind == CXType_FunctionNoProto) {
        t.shape = SHAPE_VOID;
    } else if (type.kind == CXType_Enum || (type.kind >= CXType_Bool && type.kind <= CXType_LongLong)) {
        t.shape = SHAPE_INT;
        t.is_bool = type.kind == CXType_Bool;
        t.is_unsigned = type.kind >= CXType_Bool && type.kind <= CXType_ULongLong;
        if (type.kind == CXType_Enum) {
            CXType of = clang_getEnumDeclIntegerType(clang_getTypeDeclaration(type));
            t.is_unsigned = of.kind >= CXType_Bool && of.kind <= CXType_ULongLong;
        }
    } else {
        t.shape = SHAPE_REAL;
    }
    return t;
}

// ---- Nodes ----

static code *node_new(tree *t, code_op op, CXCursor at)
{
    code *c = ARENA_NEW(t->checker->arena, code);
    *c = (code){.op = op, .at = at};
    if (clang_isExpression(clang_getCursorKind(at)))
        c->type = tree_type(clang_getCursorType(at));
    return c;
}

static code *node_with(tree *t, code_op op, CXCursor at, size_t count, code *const *parts)
{
    code *c = node_new(t, op, at);
    c->count = count;
    c->parts = ARENA_ARRAY(t->checker->arena, code *, count == 0 ? 1 : count);
    for (size_t i = 0; i < count; i++)
        c->parts[i] = parts[i];
    return c;
}

static code *node_of_children(tree *t, code_op op, CXCursor at)
{
    const cursor_list *children = children_of(t->checker, at);
    code *c = node_with(t, op, at, 0, NULL);
    c->parts = ARENA_ARRAY(t->checker->arena, code *, children->len == 0 ? 1 : children->len);
    for (VEC_EACH(CXCursor, child, children))
        c->parts[c->count++] = build(t, *child);
    return c;
}

static CXCursor last_child(tree *t, CXCursor at)
{
    const cursor_list *children = children_of(t->checker, at);
    return children->len == 0 ? clang_getNullCursor() : VEC_LAST(children);
}

static code *number_of(tree *t, CXCursor at, int64_t number)
{
    code *c = node_new(t, CODE_NUMBER, at);
    c->number = number;
    return c;
}

static code *literal(tree *t, CXCursor at)
{
    code *c = node_new(t, CODE_UNKNOWN, at);
    CXEvalResult result = clang_Cursor_Evaluate(at);
    if (result == NULL)
        return c;
    if (clang_EvalResult_getKind(result) == CXEval_Int) {
        c->op = CODE_NUMBER;
        c->number = clang_EvalResult_isUnsignedInt(result) ? (int64_t)clang_EvalResult_getAsUnsigned(result)
                                                           : clang_EvalResult_getAsLongLong(result);
    }
    clang_EvalResult_dispose(result);
    return c;
}

// ---- Names ----

static global *global_of(tree *t, CXCursor declaration)
{
    const void *key = clang_getCanonicalCursor(declaration).data[0];
    global *g = hmap_getn(&t->globals, &key, sizeof key);
    if (g == NULL) {
        CXType type = clang_getCursorType(declaration);
        while (is_array(type))
            type = clang_getArrayElementType(type);
        g = ARENA_NEW(t->checker->arena, global);
        *g = (global){.cursor = declaration,
                      .name = reader_string(t->checker->session, clang_getCursorSpelling(declaration)),
                      .type = tree_type(clang_getCursorType(declaration)),
                      .constant = clang_isConstQualifiedType(type) != 0};
        hmap_setn(&t->globals, &key, sizeof key, g);
    }
    return g;
}

callee *tree_callee(tree *t, CXCursor function)
{
    const void *key = clang_getCanonicalCursor(function).data[0];
    callee *f = hmap_getn(&t->callees, &key, sizeof key);
    if (f == NULL) {
        f = ARENA_NEW(t->checker->arena, callee);
        CXCursor definition = clang_getCursorDefinition(function);
        *f = (callee){.cursor = clang_Cursor_isNull(definition) ? function : definition,
                      .name = reader_string(t->checker->session, clang_getCursorSpelling(function)),
                      .foreign = clang_Cursor_isNull(definition) || reader_is_foreign(definition),
                      .apart = !clang_Location_isFromMainFile(clang_getCursorLocation(definition)),
                      .result = tree_type(clang_getCursorResultType(function))};
        hmap_setn(&t->callees, &key, sizeof key, f);
    }
    return f;
}

static int64_t add_local(tree *t, CXCursor declaration)
{
    const void *key = declaration.data[0];
    int64_t size = size_of(clang_getCursorType(declaration));
    t->building->frame = (t->building->frame + 15) / 16 * 16;
    int64_t offset = t->building->frame;
    t->building->frame += size < 8 ? 8 : size;
    hmap_setn(&t->locals, &key, sizeof key, (void *)(uintptr_t)(offset + 1));
    return offset;
}

static code *build_name(tree *t, CXCursor at)
{
    CXCursor declaration = clang_getCursorReferenced(at);
    enum CXCursorKind kind = clang_getCursorKind(declaration);
    if (kind == CXCursor_EnumConstantDecl)
        return number_of(t, at, clang_getEnumConstantDeclValue(declaration));
    code *c = node_new(t, CODE_STUCK, at);
    if (kind == CXCursor_FunctionDecl) {
        c->op = CODE_FUNCTION;
        c->callee = tree_callee(t, declaration);
    } else if (kind == CXCursor_VarDecl || kind == CXCursor_ParmDecl) {
        const void *key = declaration.data[0];
        uintptr_t offset = (uintptr_t)hmap_getn(&t->locals, &key, sizeof key);
        c->op = offset == 0 ? CODE_GLOBAL : CODE_LOCAL;
        c->number = (int64_t)offset - 1;
        if (offset == 0)
            c->global = global_of(t, declaration);
    }
    return c;
}

// ---- Initialisers ----

typedef struct slots {
    tree *tree;
    code *list;
    const cursor_list *items;
    size_t at;
    size_t room;
} slots;

static void fill_slot(slots *s, CXType type, int64_t offset);

static void add_part(slots *s, CXType type, int64_t offset, CXCursor item)
{
    tree *t = s->tree;
    code *init = build(t, item);
    code *part = node_with(t, CODE_PART, item, 1, &init);
    part->type = tree_type(type);
    part->number = offset;
    if (s->list->count == s->room) {
        size_t room = s->room == 0 ? 4 : s->room * 2;
        code **parts = ARENA_ARRAY(t->checker->arena, code *, room);
        if (s->room > 0)
            memcpy(parts, s->list->parts, s->room * sizeof *parts);
        s->list->parts = parts;
        s->room = room;
    }
    s->list->parts[s->list->count++] = part;
}

typedef struct fields {
    arena *arena;
    cursor_list list;
} fields;

static enum CXVisitorResult add_field(CXCursor field, CXClientData data)
{
    fields *f = data;
    VEC_PUSH(f->arena, &f->list, field);
    return CXVisit_Continue;
}

static CXCursor item_of(const slots *s)
{
    return s->items->data[s->at];
}

// The value behind a designator; *index: of the field or element that it names.
static bool take_designator(slots *s, const cursor_list *fields_of, int64_t *index, CXCursor *init)
{
    const cursor_list *parts = children_of(s->tree->checker, item_of(s));
    if (parts->len < 2)
        return true;
    bool field = clang_getCursorKind(parts->data[0]) == CXCursor_MemberRef;
    bool element = fields_of == NULL && clang_getCursorType(item_of(s)).kind == CXType_Void;
    if (!field && !element)
        return true;
    if (parts->len > 2)
        return false;
    *init = parts->data[1];
    if (element) {
        code *number = build(s->tree, parts->data[0]);
        while (number->op == CODE_CONVERT)
            number = number->parts[0];
        *index = number->number;
        return number->op == CODE_NUMBER;
    }
    CXCursor named = clang_getCursorReferenced(parts->data[0]);
    for (size_t i = 0; fields_of != NULL && i < fields_of->len; i++)
        if (clang_equalCursors(fields_of->data[i], named)) {
            *index = (int64_t)i;
            return true;
        }
    return false;
}

static void refuse(slots *s, CXCursor at)
{
    code *stuck = node_new(s->tree, CODE_STUCK, at);
    s->list->parts = ARENA_ARRAY(s->tree->checker->arena, code *, 1);
    s->list->parts[0] = stuck;
    s->list->count = s->room = 1;
    s->at = s->items->len;
}

// All items of a list in braces, or as many as the type takes of one that has none of its own.
static void fill_aggregate(slots *s, CXType type, int64_t offset, bool braces)
{
    fields f = {.arena = s->tree->checker->arena};
    bool array = is_array(type);
    CXType element = array ? clang_getCanonicalType(clang_getArrayElementType(type)) : type;
    if (!array)
        clang_Type_visitFields(type, add_field, &f);
    bool is_union = !array && clang_getCursorKind(clang_getTypeDeclaration(type)) == CXCursor_UnionDecl;
    int64_t count = is_union ? 1 : array ? (int64_t)clang_getArraySize(type) : (int64_t)f.list.len;
    for (int64_t i = 0; s->at < s->items->len; i++) {
        CXCursor item = item_of(s), init = item;
        if (braces && !take_designator(s, array ? NULL : &f.list, &i, &init)) {
            refuse(s, item);
            return;
        }
        if (i < 0 || (i >= count && count > 0 && !(is_union && i < (int64_t)f.list.len)) || (!array && f.list.len == 0))
            return;
        CXType slot = array ? element : clang_getCanonicalType(clang_getCursorType(f.list.data[i]));
        int64_t at = offset + (array ? i * size_of(element) : clang_Cursor_getOffsetOfField(f.list.data[i]) / 8);
        if (clang_equalCursors(init, item)) {
            fill_slot(s, slot, at);
        } else {
            add_part(s, slot, at, init);
            s->at++;
        }
    }
}

static void fill_slot(slots *s, CXType type, int64_t offset)
{
    CXCursor item = item_of(s);
    enum CXCursorKind kind = clang_getCursorKind(item);
    CXType own = clang_getCanonicalType(clang_getCursorType(item));
    bool aggregate = is_array(type) || type.kind == CXType_Record;
    bool whole = kind == CXCursor_InitListExpr || kind == CXCursor_StringLiteral ||
                 (own.kind == CXType_Record && type.kind == CXType_Record);
    if (aggregate && !whole) {
        fill_aggregate(s, type, offset, false);
        return;
    }
    add_part(s, type, offset, item);
    s->at++;
}

static code *build_list(tree *t, CXCursor at, CXType type)
{
    code *list = node_new(t, CODE_LIST, at);
    type = clang_getCanonicalType(type);
    list->type = tree_type(type);
    slots s = {.tree = t, .list = list, .items = children_of(t->checker, at)};
    if (type.kind == CXType_Record || is_array(type))
        fill_aggregate(&s, type, 0, true);
    else if (s.items->len == 1)
        add_part(&s, type, 0, s.items->data[0]);
    return list;
}

static code *build_initialiser(tree *t, CXCursor at, CXType type)
{
    CXCursor inner = at;
    while (clang_getCursorKind(inner) == CXCursor_ParenExpr || clang_getCursorKind(inner) == CXCursor_UnexposedExpr) {
        CXCursor child = last_child(t, inner);
        if (clang_Cursor_isNull(child) || !clang_isExpression(clang_getCursorKind(child)))
            break;
        inner = child;
    }
    return clang_getCursorKind(inner) == CXCursor_InitListExpr ? build_list(t, inner, type) : build(t, at);
}

code *tree_initialiser(tree *t, global *g)
{
    CXCursor initialiser = clang_Cursor_getVarDeclInitializer(g->cursor);
    if (g->initialiser == NULL && !clang_Cursor_isNull(initialiser))
        g->initialiser = build_initialiser(t, initialiser, clang_getCursorType(g->cursor));
    return g->initialiser;
}

// ---- Expressions ----

static code *build_cast(tree *t, CXCursor at)
{
    CXCursor operand = last_child(t, at);
    if (clang_Cursor_isNull(operand) || !clang_isExpression(clang_getCursorKind(operand)))
        return node_new(t, CODE_UNKNOWN, at);
    code *inner = build(t, operand);
    code *c = node_with(t, CODE_CONVERT, at, 1, &inner);
    if (inner->type.shape == SHAPE_ARRAY && c->type.shape == SHAPE_POINTER)
        c->op = CODE_DECAY;
    return c;
}

static code *build_member(tree *t, CXCursor at)
{
    CXCursor field = clang_getCursorReferenced(at), base = last_child(t, at);
    if (clang_getCursorKind(field) != CXCursor_FieldDecl || clang_Cursor_isNull(base))
        return node_new(t, CODE_STUCK, at);
    code *of = build(t, base);
    code *c = node_with(t, of->type.shape == SHAPE_POINTER ? CODE_ARROW : CODE_MEMBER, at, 1, &of);
    c->number = clang_Cursor_getOffsetOfField(field) / 8;
    if (clang_Cursor_isBitField(field))
        c->op = CODE_STUCK;
    return c;
}

static code *build_unary(tree *t, CXCursor at)
{
    code *c = node_of_children(t, CODE_UNARY, at);
    enum CXUnaryOperatorKind op = clang_getCursorUnaryOperatorKind(at);
    c->detail = (int)op;
    if (c->count != 1)
        c->op = CODE_STUCK;
    else if (op == CXUnaryOperator_AddrOf)
        c->op = c->parts[0]->op == CODE_FUNCTION ? CODE_CONVERT : CODE_ADDRESS;
    else if (op == CXUnaryOperator_Deref)
        c->op = CODE_DEREF;
    else if (op == CXUnaryOperator_PostInc || op == CXUnaryOperator_PreInc || op == CXUnaryOperator_PostDec ||
             op == CXUnaryOperator_PreDec) {
        c->op = CODE_INCREMENT;
        c->prefix = op == CXUnaryOperator_PreInc || op == CXUnaryOperator_PreDec;
        c->number = op == CXUnaryOperator_PostInc || op == CXUnaryOperator_PreInc ? 1 : -1;
    }
    return c;
}

static code *build_binary(tree *t, CXCursor at)
{
    code *c = node_of_children(t, CODE_BINARY, at);
    enum CXBinaryOperatorKind op = clang_getCursorBinaryOperatorKind(at);
    c->detail = (int)op;
    if (c->count != 2)
        c->op = CODE_STUCK;
    else if (op == CXBinaryOperator_Assign)
        c->op = CODE_ASSIGN;
    else if (op == CXBinaryOperator_LAnd)
        c->op = CODE_AND;
    else if (op == CXBinaryOperator_LOr)
        c->op = CODE_OR;
    else if (op == CXBinaryOperator_Comma)
        c->op = CODE_COMMA;
    return c;
}

static code *build_update(tree *t, CXCursor at)
{
    static const int operators[][2] = {
        {CXBinaryOperator_MulAssign, CXBinaryOperator_Mul}, {CXBinaryOperator_DivAssign, CXBinaryOperator_Div},
        {CXBinaryOperator_RemAssign, CXBinaryOperator_Rem}, {CXBinaryOperator_AddAssign, CXBinaryOperator_Add},
        {CXBinaryOperator_SubAssign, CXBinaryOperator_Sub}, {CXBinaryOperator_ShlAssign, CXBinaryOperator_Shl},
        {CXBinaryOperator_ShrAssign, CXBinaryOperator_Shr}, {CXBinaryOperator_AndAssign, CXBinaryOperator_And},
        {CXBinaryOperator_XorAssign, CXBinaryOperator_Xor}, {CXBinaryOperator_OrAssign, CXBinaryOperator_Or},
    };
    code *c = node_of_children(t, CODE_UPDATE, at);
    int op = (int)clang_getCursorBinaryOperatorKind(at);
    bool found = false;
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (operators[i][0] == op) {
            c->detail = operators[i][1];
            found = true;
        }
    if (c->count != 2 || !found)
        c->op = CODE_STUCK;
    return c;
}

// ---- Statements ----

static code *build_variable(tree *t, CXCursor variable)
{
    enum CX_StorageClass storage = clang_Cursor_getStorageClass(variable);
    if (storage == CX_SC_Static || storage == CX_SC_Extern)
        return NULL;
    CXCursor initialiser = clang_Cursor_getVarDeclInitializer(variable);
    if (clang_getCursorType(variable).kind == CXType_VariableArray)
        return node_new(t, CODE_STUCK, variable);
    int64_t offset = add_local(t, variable);
    code *init =
        clang_Cursor_isNull(initialiser) ? NULL : build_initialiser(t, initialiser, clang_getCursorType(variable));
    code *c = node_with(t, CODE_DECLARE, variable, init == NULL ? 0 : 1, &init);
    c->type = tree_type(clang_getCursorType(variable));
    c->number = offset;
    return c;
}

static code *build_declarations(tree *t, CXCursor at)
{
    const cursor_list *children = children_of(t->checker, at);
    code *c = node_with(t, CODE_BLOCK, at, 0, NULL);
    c->parts = ARENA_ARRAY(t->checker->arena, code *, children->len == 0 ? 1 : children->len);
    for (VEC_EACH(CXCursor, d, children)) {
        code *variable = clang_getCursorKind(*d) == CXCursor_VarDecl ? build_variable(t, *d) : NULL;
        if (variable != NULL)
            c->parts[c->count++] = variable;
    }
    return c;
}

// How many semicolons of a for's head stand before an offset of its text; -1: it cannot be told.
static int semicolons(tree *t, src_range loop, uint32_t until)
{
    source_set *sources = t->checker->session->diag->sources;
    if (loop.file == 0 || !source_load(sources, loop.file))
        return -1;
    const source_file *f = source_get(sources, loop.file);
    int found = 0, depth = 0;
    for (uint32_t i = loop.begin; i < until && i < f->len; i++) {
        depth += (f->text[i] == '(') - (f->text[i] == ')');
        found += f->text[i] == ';' && depth == 1;
    }
    return found;
}

static code *build_for(tree *t, CXCursor at)
{
    const cursor_list *children = children_of(t->checker, at);
    code *parts[4] = {NULL};
    src_range range = reader_range(t->checker->session, at);
    bool known = children->len > 0;
    for (size_t i = 0; known && i + 1 < children->len; i++) {
        CXCursor child = children->data[i];
        src_range place = reader_range(t->checker->session, child);
        int slot = children->len == 4 ? (int)i : semicolons(t, range, place.begin);
        if (slot < 0 || slot > 2 || parts[slot] != NULL)
            known = false;
        else
            parts[slot] = build(t, child);
    }
    if (!known)
        return node_new(t, CODE_STUCK, at);
    parts[3] = build(t, VEC_LAST(children));
    return node_with(t, CODE_LOOP, at, 4, parts);
}

static code *build_while(tree *t, CXCursor at, bool body_first)
{
    const cursor_list *children = children_of(t->checker, at);
    if (children->len != 2)
        return node_new(t, CODE_STUCK, at);
    code *parts[4] = {NULL, build(t, children->data[body_first ? 1 : 0]), NULL,
                      build(t, children->data[body_first ? 0 : 1])};
    code *c = node_with(t, CODE_LOOP, at, 4, parts);
    c->detail = body_first;
    return c;
}

static code *build_statement(tree *t, CXCursor at)
{
    switch (clang_getCursorKind(at)) {
    case CXCursor_CompoundStmt: return node_of_children(t, CODE_BLOCK, at);
    case CXCursor_DeclStmt: return build_declarations(t, at);
    case CXCursor_IfStmt: return node_of_children(t, CODE_IF, at);
    case CXCursor_ForStmt: return build_for(t, at);
    case CXCursor_WhileStmt: return build_while(t, at, false);
    case CXCursor_DoStmt: return build_while(t, at, true);
    case CXCursor_SwitchStmt: return node_of_children(t, CODE_SWITCH, at);
    case CXCursor_CaseStmt: return node_of_children(t, CODE_CASE, at);
    case CXCursor_DefaultStmt: return node_of_children(t, CODE_DEFAULT, at);
    case CXCursor_ReturnStmt: return node_of_children(t, CODE_RETURN, at);
    case CXCursor_BreakStmt: return node_new(t, CODE_BREAK, at);
    case CXCursor_ContinueStmt: return node_new(t, CODE_CONTINUE, at);
    case CXCursor_UnexposedStmt: { // with attributes
        CXCursor inner = last_child(t, at);
        return clang_Cursor_isNull(inner) ? node_new(t, CODE_STUCK, at) : build(t, inner);
    }
    case CXCursor_NullStmt: return node_with(t, CODE_BLOCK, at, 0, NULL);
    default: return node_new(t, CODE_STUCK, at);
    }
}

static code *build(tree *t, CXCursor at)
{
    switch (clang_getCursorKind(at)) {
    case CXCursor_IntegerLiteral:
    case CXCursor_CharacterLiteral:
    case CXCursor_CXXBoolLiteralExpr:
    case CXCursor_UnaryExpr: return literal(t, at); // sizeof and alignof
    case CXCursor_FloatingLiteral: return node_new(t, CODE_UNKNOWN, at);
    case CXCursor_StringLiteral: {
        code *c = node_new(t, CODE_TEXT, at);
        const char *spelled = reader_string(t->checker->session, clang_getCursorSpelling(at));
        size_t n = strlen(spelled);
        if (n >= 2 && spelled[0] == '"' && strchr(spelled, '\\') == NULL)
            c->text = arena_strndup(t->checker->arena, spelled + 1, n - 2);
        return c;
    }
    case CXCursor_DeclRefExpr: return build_name(t, at);
    case CXCursor_MemberRefExpr: return build_member(t, at);
    case CXCursor_ArraySubscriptExpr: return node_of_children(t, CODE_ELEMENT, at);
    case CXCursor_CompoundLiteralExpr: {
        code *list = build_initialiser(t, last_child(t, at), clang_getCursorType(at));
        return node_with(t, CODE_LITERAL, at, 1, &list);
    }
    case CXCursor_InitListExpr: return build_list(t, at, clang_getCursorType(at));
    case CXCursor_ParenExpr:
    case CXCursor_UnexposedExpr:
    case CXCursor_CStyleCastExpr: return build_cast(t, at);
    case CXCursor_UnaryOperator: return build_unary(t, at);
    case CXCursor_BinaryOperator: return build_binary(t, at);
    case CXCursor_CompoundAssignOperator: return build_update(t, at);
    case CXCursor_ConditionalOperator: return node_of_children(t, CODE_CHOOSE, at);
    case CXCursor_CallExpr: return node_of_children(t, CODE_CALL, at);
    default: return build_statement(t, at);
    }
}

// ---- Functions ----

void tree_build(tree *t, callee *f)
{
    if (f->built)
        return;
    f->built = true;
    const cursor_list *parts = children_of(t->checker, f->cursor);
    t->building = f;
    hmap_init(&t->locals, t->checker->arena);
    int count = clang_Cursor_getNumArguments(f->cursor);
    for (int i = 0; i < count; i++) {
        CXCursor parameter = clang_Cursor_getArgument(f->cursor, (unsigned)i);
        VEC_PUSH(t->checker->arena, &f->parameters, tree_type(clang_getCursorType(parameter)));
        VEC_PUSH(t->checker->arena, &f->offsets, add_local(t, parameter));
    }
    for (VEC_EACH(CXCursor, part, parts))
        if (clang_getCursorKind(*part) == CXCursor_CompoundStmt)
            f->body = build(t, *part);
}
