// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expressions of control code: their values as far as they are known, and what they store.
#include <string.h>

#include "llc/check/model.h"
#include "llc/reader/reader.h"

bool step(checker *c)
{
    if (c->steps >= MAX_STEPS || c->nodes >= MAX_NODES) {
        c->incomplete = true;
        return false;
    }
    c->steps++;
    return true;
}

// ---- Children ----

typedef struct collection {
    arena *arena;
    cursor_list *list;
} collection;

static enum CXChildVisitResult collect(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    collection *into = data;
    VEC_PUSH(into->arena, into->list, cursor);
    return CXChildVisit_Continue;
}

const cursor_list *children_of(checker *c, CXCursor cursor)
{
    struct {
        const void *data[3];
        size_t kind;
    } key = {{cursor.data[0], cursor.data[1], cursor.data[2]}, (size_t)cursor.kind};
    cursor_list *list = hmap_getn(&c->children, &key, sizeof key);
    if (list == NULL) {
        list = ARENA_NEW(c->arena, cursor_list);
        *list = (cursor_list){0};
        clang_visitChildren(cursor, collect, &(collection){c->arena, list});
        hmap_setn(&c->children, &key, sizeof key, list);
    }
    return list;
}

// The last child that is an expression: what casts, parentheses and the like are about.
static CXCursor operand_of(checker *c, CXCursor cursor)
{
    const cursor_list *children = children_of(c, cursor);
    return children->len == 0 ? clang_getNullCursor() : VEC_LAST(children);
}

// The expression within parentheses, casts and implicit conversions.
static CXCursor bare(checker *c, CXCursor expression)
{
    for (;;) {
        enum CXCursorKind kind = clang_getCursorKind(expression);
        if (kind != CXCursor_ParenExpr && kind != CXCursor_UnexposedExpr && kind != CXCursor_CStyleCastExpr)
            return expression;
        CXCursor operand = operand_of(c, expression);
        if (clang_Cursor_isNull(operand) || !clang_isExpression(clang_getCursorKind(operand)))
            return expression;
        expression = operand;
    }
}

// ---- Numbers ----

static value literal(CXCursor cursor)
{
    value v = {0};
    CXEvalResult result = clang_Cursor_Evaluate(cursor);
    if (result == NULL)
        return v;
    if (clang_EvalResult_getKind(result) == CXEval_Int) {
        bool is_unsigned = clang_EvalResult_isUnsignedInt(result) != 0;
        unsigned long long u = is_unsigned ? clang_EvalResult_getAsUnsigned(result) : 0;
        if (!is_unsigned)
            v = value_int(clang_EvalResult_getAsLongLong(result));
        else if (u <= INT64_MAX)
            v = value_int((int64_t)u);
    }
    clang_EvalResult_dispose(result);
    return v;
}

static value compute(enum CXBinaryOperatorKind op, int64_t a, int64_t b)
{
    int64_t r = 0;
    bool bad = false;
    switch (op) {
    case CXBinaryOperator_Mul: bad = __builtin_mul_overflow(a, b, &r); break;
    case CXBinaryOperator_Add: bad = __builtin_add_overflow(a, b, &r); break;
    case CXBinaryOperator_Sub: bad = __builtin_sub_overflow(a, b, &r); break;
    case CXBinaryOperator_Div:
        bad = b == 0 || (a == INT64_MIN && b == -1);
        r = bad ? 0 : a / b;
        break;
    case CXBinaryOperator_Rem:
        bad = b == 0 || (a == INT64_MIN && b == -1);
        r = bad ? 0 : a % b;
        break;
    case CXBinaryOperator_Shl:
        bad = a < 0 || b < 0 || b > 62 || a > INT64_MAX >> b;
        r = bad ? 0 : a << b;
        break;
    case CXBinaryOperator_Shr:
        bad = a < 0 || b < 0 || b > 63;
        r = bad ? 0 : a >> b;
        break;
    case CXBinaryOperator_And: r = a & b; break;
    case CXBinaryOperator_Or: r = a | b; break;
    case CXBinaryOperator_Xor: r = a ^ b; break;
    case CXBinaryOperator_LT: r = a < b; break;
    case CXBinaryOperator_GT: r = a > b; break;
    case CXBinaryOperator_LE: r = a <= b; break;
    case CXBinaryOperator_GE: r = a >= b; break;
    case CXBinaryOperator_EQ: r = a == b; break;
    case CXBinaryOperator_NE: r = a != b; break;
    default: bad = true; break;
    }
    return bad ? (value){0} : value_int(r);
}

// A number as an integer type holds it; unknown when it does not.
static value fitted(value v, CXType type)
{
    type = clang_getCanonicalType(type);
    if (v.kind != VALUE_INT || type.kind == CXType_Pointer)
        return v;
    long long size = clang_Type_getSizeOf(type);
    bool is_unsigned = type.kind >= CXType_Bool && type.kind <= CXType_UInt128;
    if (type.kind == CXType_Bool)
        return value_int(v.number != 0);
    if (type.kind < CXType_Bool || type.kind > CXType_Int128)
        return type.kind == CXType_Enum ? v : (value){0};
    if (is_unsigned && v.number < 0)
        return (value){0};
    if (size >= 8 || size < 1)
        return v;
    int64_t limit = INT64_C(1) << (8 * size - (is_unsigned ? 0 : 1));
    return v.number < limit && v.number >= (is_unsigned ? 0 : -limit) ? v : (value){0};
}

// ---- Pointers ----

static value add_steps(checker *c, value pointer, int64_t steps)
{
    if (pointer.kind != VALUE_ADDRESS)
        return (value){0};
    return steps == 0 ? pointer : value_address(node_neighbour(c, pointer.place, steps));
}

static value add_offset(value address, int64_t bytes)
{
    if (__builtin_add_overflow(address.number, bytes, &address.number))
        return (value){0};
    return address;
}

static value arithmetic(checker *c, enum CXBinaryOperatorKind op, value a, value b)
{
    if (a.kind == VALUE_INT && b.kind == VALUE_INT)
        return compute(op, a.number, b.number);
    bool add = op == CXBinaryOperator_Add, sub = op == CXBinaryOperator_Sub && b.kind == VALUE_INT;
    if (add && a.kind == VALUE_INT) {
        value swap = a;
        a = b;
        b = swap;
    }
    if (b.kind != VALUE_INT || (!add && !sub) || (sub && b.number == INT64_MIN))
        return (value){0};
    int64_t amount = sub ? -b.number : b.number;
    if (a.kind == VALUE_REGION)
        return add_offset(a, amount);
    return add_steps(c, a, amount);
}

// ---- Places ----

static node *variable_place(checker *c, CXCursor declaration)
{
    enum CXCursorKind kind = clang_getCursorKind(declaration);
    return kind == CXCursor_VarDecl || kind == CXCursor_ParmDecl ? node_of_variable(c, declaration) : NULL;
}

// What a pointer expression points to; of an unknown pointer to a struct of the program, the instance of that type.
static node *pointed_place(checker *c, CXCursor pointer)
{
    value v = eval(c, pointer);
    if (v.kind == VALUE_ADDRESS)
        return v.place;
    CXType pointee = clang_getCanonicalType(clang_getPointeeType(clang_getCanonicalType(clang_getCursorType(pointer))));
    if (pointee.kind != CXType_Record || reader_is_foreign(clang_getTypeDeclaration(pointee)))
        return NULL;
    CXCursor inner = bare(c, pointer), user = clang_getNullCursor();
    if (clang_getCursorKind(inner) == CXCursor_DeclRefExpr)
        user = clang_getCursorReferenced(inner);
    if (c->depth > 1 && clang_getCursorKind(user) == CXCursor_ParmDecl)
        user = clang_getNullCursor(); // each call may have another
    node *n = node_instance(c, pointee, user);
    // The variable points there from now on, until it is changed.
    node *holder = clang_Cursor_isNull(user) ? NULL : variable_place(c, user);
    if (holder != NULL && !n->vague)
        node_set(c, holder, value_address(n));
    return n;
}

static node *member_place(checker *c, CXCursor cursor)
{
    CXCursor base = operand_of(c, cursor), field = clang_getCursorReferenced(cursor);
    if (clang_Cursor_isNull(base) || clang_getCursorKind(field) != CXCursor_FieldDecl)
        return NULL;
    bool pointer = clang_getCanonicalType(clang_getCursorType(base)).kind == CXType_Pointer;
    node *owner = pointer ? pointed_place(c, base) : eval_place(c, base);
    char *name = reader_string(c->session, clang_getCursorSpelling(field));
    return owner == NULL ? NULL : node_field(c, owner, name, clang_getCursorType(field));
}

static node *element_place(checker *c, CXCursor cursor)
{
    const cursor_list *children = children_of(c, cursor);
    if (children->len != 2)
        return NULL;
    value base = eval(c, children->data[0]), index = eval(c, children->data[1]);
    if (index.kind == VALUE_ADDRESS) { // 1[a]
        value swap = base;
        base = index;
        index = swap;
    }
    if (base.kind != VALUE_ADDRESS)
        return NULL;
    if (index.kind == VALUE_INT && index.number == 0)
        return base.place;
    return node_neighbour(c, base.place, index.kind == VALUE_INT ? index.number : INT64_MIN);
}

static node *literal_place(checker *c, CXCursor cursor)
{
    node *n = node_temporary(c, clang_getCursorType(cursor));
    eval_initialiser(c, n, operand_of(c, cursor));
    return n;
}

node *eval_place(checker *c, CXCursor expression)
{
    if (!step(c))
        return NULL;
    switch (clang_getCursorKind(expression)) {
    case CXCursor_DeclRefExpr: return variable_place(c, clang_getCursorReferenced(expression));
    case CXCursor_MemberRefExpr: return member_place(c, expression);
    case CXCursor_ArraySubscriptExpr: return element_place(c, expression);
    case CXCursor_CompoundLiteralExpr: return literal_place(c, expression);
    case CXCursor_ParenExpr:
    case CXCursor_UnexposedExpr: {
        CXCursor operand = operand_of(c, expression);
        return clang_Cursor_isNull(operand) ? NULL : eval_place(c, operand);
    }
    case CXCursor_UnaryOperator:
        if (clang_getCursorUnaryOperatorKind(expression) == CXUnaryOperator_Deref)
            return pointed_place(c, operand_of(c, expression));
        break;
    default: break;
    }
    eval(c, expression);
    return NULL;
}

// ---- Initialisers ----

typedef struct field_list {
    arena *arena;
    cursor_list fields;
} field_list;

static enum CXVisitorResult add_field(CXCursor field, CXClientData data)
{
    field_list *list = data;
    VEC_PUSH(list->arena, &list->fields, field);
    return CXVisit_Continue;
}

static size_t field_index(const field_list *list, CXCursor field)
{
    for (size_t i = 0; i < list->fields.len; i++)
        if (clang_equalCursors(list->fields.data[i], field))
            return i;
    return SIZE_MAX;
}

// Fields that a list does not name are zero.
static void initialise_record(checker *c, node *to, const cursor_list *items)
{
    field_list list = {.arena = c->arena};
    clang_Type_visitFields(to->type, add_field, &list);
    for (VEC_EACH(CXCursor, f, &list.fields)) {
        node *n = node_field(c, to, reader_string(c->session, clang_getCursorSpelling(*f)), clang_getCursorType(*f));
        node_forget(c, n);
        node_set(c, n, n->type.kind == CXType_Record ? (value){0} : value_int(0));
    }
    size_t at = 0;
    for (VEC_EACH(CXCursor, item, items)) {
        const cursor_list *parts = children_of(c, *item);
        CXCursor target = clang_getNullCursor(), init = *item;
        if (parts->len >= 2 && clang_getCursorKind(parts->data[0]) == CXCursor_MemberRef) {
            target = clang_getCursorReferenced(parts->data[0]);
            at = field_index(&list, target);
            init = parts->len == 2 ? parts->data[1] : clang_getNullCursor(); // .a.b or .a[1]
        }
        if (at >= list.fields.len) {
            node_forget(c, to);
            return;
        }
        CXCursor field = list.fields.data[at++];
        node *n =
            node_field(c, to, reader_string(c->session, clang_getCursorSpelling(field)), clang_getCursorType(field));
        if (clang_Cursor_isNull(init))
            node_forget(c, n);
        else
            eval_initialiser(c, n, init);
    }
}

static void initialise_array(checker *c, node *to, const cursor_list *items)
{
    CXType element = clang_getArrayElementType(to->type);
    int64_t at = 0;
    for (VEC_EACH(CXCursor, item, items)) {
        if (!step(c))
            return;
        const cursor_list *parts = children_of(c, *item);
        CXCursor init = *item;
        bool designated = clang_getCursorType(*item).kind == CXType_Void && parts->len == 2;
        if (designated) {
            value index = eval(c, parts->data[0]);
            if (index.kind != VALUE_INT || index.number < 0) {
                node_forget(c, to);
                return;
            }
            at = index.number;
            init = parts->data[1];
        }
        eval_initialiser(c, node_element(c, to, at++, element), init);
    }
}

void eval_initialiser(checker *c, node *to, CXCursor initialiser)
{
    if (clang_Cursor_isNull(initialiser) || !step(c))
        return;
    CXCursor inner = bare(c, initialiser);
    bool list = clang_getCursorKind(inner) == CXCursor_InitListExpr;
    bool array = to->type.kind == CXType_ConstantArray || to->type.kind == CXType_IncompleteArray;
    if (list && to->type.kind == CXType_Record) {
        initialise_record(c, to, children_of(c, inner));
    } else if (list && array) {
        node_forget(c, to);
        initialise_array(c, to, children_of(c, inner));
    } else if (list) {
        const cursor_list *items = children_of(c, inner);
        node_set(c, to, items->len == 1 ? eval(c, items->data[0]) : (value){0});
    } else if (to->type.kind == CXType_Record) {
        node *from = eval_place(c, initialiser);
        if (from != NULL)
            node_copy(c, to, from);
        else
            node_forget(c, to);
    } else if (array) {
        node_forget(c, to); // a string
    } else {
        node_set(c, to, fitted(eval(c, initialiser), to->type));
    }
}

// ---- Operators ----

static bool truth(value v, bool *known)
{
    *known = v.kind != VALUE_UNKNOWN;
    return v.kind != VALUE_INT || v.number != 0;
}

static value eval_assignment(checker *c, const cursor_list *operands)
{
    node *to = eval_place(c, operands->data[0]);
    if (to != NULL) {
        eval_initialiser(c, to, operands->data[1]);
        return to->value;
    }
    return eval(c, operands->data[1]);
}

// The second operand of && and || may not be evaluated.
static value eval_logical(checker *c, bool is_and, const cursor_list *operands)
{
    bool known, first = truth(eval(c, operands->data[0]), &known);
    if (known && first != is_and)
        return value_int(first);
    branch b;
    const context *before = c->context;
    if (!known) {
        context *inner = ARENA_NEW(c->arena, context);
        *inner = (context){.parent = before, .kind = CONTEXT_BRANCH};
        c->context = inner;
        branch_begin(c, &b);
    }
    bool second_known, second = truth(eval(c, operands->data[1]), &second_known);
    if (!known) {
        branch_turn(c, &b);
        branch_end(c, &b);
        c->context = before;
    }
    return known && second_known ? value_int(second) : (value){0};
}

static value eval_binary(checker *c, CXCursor expression)
{
    const cursor_list *operands = children_of(c, expression);
    enum CXBinaryOperatorKind op = clang_getCursorBinaryOperatorKind(expression);
    if (operands->len != 2)
        return (value){0};
    if (op == CXBinaryOperator_Assign)
        return eval_assignment(c, operands);
    if (op == CXBinaryOperator_LAnd || op == CXBinaryOperator_LOr)
        return eval_logical(c, op == CXBinaryOperator_LAnd, operands);
    value a = eval(c, operands->data[0]), b = eval(c, operands->data[1]);
    if (op == CXBinaryOperator_Comma)
        return b;
    return fitted(arithmetic(c, op, a, b), clang_getCursorType(expression));
}

static enum CXBinaryOperatorKind operator_of_assignment(enum CXBinaryOperatorKind op)
{
    switch (op) {
    case CXBinaryOperator_MulAssign: return CXBinaryOperator_Mul;
    case CXBinaryOperator_DivAssign: return CXBinaryOperator_Div;
    case CXBinaryOperator_RemAssign: return CXBinaryOperator_Rem;
    case CXBinaryOperator_AddAssign: return CXBinaryOperator_Add;
    case CXBinaryOperator_SubAssign: return CXBinaryOperator_Sub;
    case CXBinaryOperator_ShlAssign: return CXBinaryOperator_Shl;
    case CXBinaryOperator_ShrAssign: return CXBinaryOperator_Shr;
    case CXBinaryOperator_AndAssign: return CXBinaryOperator_And;
    case CXBinaryOperator_XorAssign: return CXBinaryOperator_Xor;
    case CXBinaryOperator_OrAssign: return CXBinaryOperator_Or;
    default: return CXBinaryOperator_Invalid;
    }
}

static value eval_compound(checker *c, CXCursor expression)
{
    const cursor_list *operands = children_of(c, expression);
    if (operands->len != 2)
        return (value){0};
    node *to = eval_place(c, operands->data[0]);
    value b = eval(c, operands->data[1]);
    if (to == NULL)
        return (value){0};
    enum CXBinaryOperatorKind op = operator_of_assignment(clang_getCursorBinaryOperatorKind(expression));
    node_set(c, to, fitted(arithmetic(c, op, to->value, b), to->type));
    return to->value;
}

static value eval_increment(checker *c, CXCursor operand, int64_t by, bool prefix)
{
    node *to = eval_place(c, operand);
    if (to == NULL)
        return (value){0};
    value before = to->value;
    node_set(c, to, fitted(arithmetic(c, CXBinaryOperator_Add, before, value_int(by)), to->type));
    return prefix ? to->value : before;
}

static value eval_unary(checker *c, CXCursor expression)
{
    CXCursor operand = operand_of(c, expression);
    if (clang_Cursor_isNull(operand))
        return (value){0};
    bool known;
    switch (clang_getCursorUnaryOperatorKind(expression)) {
    case CXUnaryOperator_AddrOf:
        if (clang_getCanonicalType(clang_getCursorType(operand)).kind == CXType_FunctionProto)
            return eval(c, operand);
        return value_address(eval_place(c, operand));
    case CXUnaryOperator_Deref: {
        node *n = eval_place(c, expression);
        return n == NULL ? (value){0} : n->value;
    }
    case CXUnaryOperator_PostInc: return eval_increment(c, operand, 1, false);
    case CXUnaryOperator_PreInc: return eval_increment(c, operand, 1, true);
    case CXUnaryOperator_PostDec: return eval_increment(c, operand, -1, false);
    case CXUnaryOperator_PreDec: return eval_increment(c, operand, -1, true);
    case CXUnaryOperator_Plus: return eval(c, operand);
    case CXUnaryOperator_Minus:
        return fitted(arithmetic(c, CXBinaryOperator_Sub, value_int(0), eval(c, operand)),
                      clang_getCursorType(expression));
    case CXUnaryOperator_LNot: {
        bool is_true = truth(eval(c, operand), &known);
        return known ? value_int(!is_true) : (value){0};
    }
    default: eval(c, operand); return (value){0};
    }
}

static value eval_conditional(checker *c, CXCursor expression)
{
    const cursor_list *parts = children_of(c, expression);
    if (parts->len != 3)
        return (value){0};
    bool known, is_true = truth(eval(c, parts->data[0]), &known);
    if (known)
        return eval(c, parts->data[is_true ? 1 : 2]);
    branch b;
    const context *before = c->context;
    value values[2];
    branch_begin(c, &b);
    for (size_t i = 0; i < 2; i++) {
        context *arm = ARENA_NEW(c->arena, context);
        *arm = (context){.parent = before, .kind = CONTEXT_BRANCH};
        c->context = arm;
        values[i] = eval(c, parts->data[i + 1]);
        if (i == 0)
            branch_turn(c, &b);
    }
    branch_end(c, &b);
    c->context = before;
    return value_same(&values[0], &values[1]) ? values[0] : (value){0};
}

// ---- Expressions ----

// A variable or member as a value: an array is the address of its first element, a function itself.
static value eval_stored(checker *c, CXCursor expression)
{
    CXCursor declaration = clang_getCursorReferenced(expression);
    if (clang_getCursorKind(declaration) == CXCursor_FunctionDecl)
        return (value){.kind = VALUE_FUNCTION, .function = declaration};
    if (clang_getCursorKind(declaration) == CXCursor_EnumConstantDecl)
        return value_int(clang_getEnumConstantDeclValue(declaration));
    node *n = eval_place(c, expression);
    if (n == NULL)
        return (value){0};
    if (n->type.kind == CXType_ConstantArray || n->type.kind == CXType_IncompleteArray ||
        n->type.kind == CXType_VariableArray)
        return value_address(node_element(c, n, 0, clang_getArrayElementType(n->type)));
    return n->value;
}

static value eval_cast(checker *c, CXCursor expression)
{
    CXCursor operand = operand_of(c, expression);
    if (clang_Cursor_isNull(operand) || !clang_isExpression(clang_getCursorKind(operand)))
        return (value){0};
    value v = eval(c, operand);
    return fitted(v, clang_getCursorType(expression));
}

value eval(checker *c, CXCursor expression)
{
    if (clang_Cursor_isNull(expression) || !step(c))
        return (value){0};
    switch (clang_getCursorKind(expression)) {
    case CXCursor_IntegerLiteral:
    case CXCursor_CharacterLiteral:
    case CXCursor_UnaryExpr: return literal(expression); // sizeof and alignof
    case CXCursor_DeclRefExpr:
    case CXCursor_MemberRefExpr:
    case CXCursor_ArraySubscriptExpr: return eval_stored(c, expression);
    case CXCursor_CompoundLiteralExpr: {
        node *n = eval_place(c, expression);
        bool array = n != NULL && n->type.kind == CXType_ConstantArray;
        return array       ? value_address(node_element(c, n, 0, clang_getArrayElementType(n->type)))
               : n == NULL ? (value){0}
                           : n->value;
    }
    case CXCursor_ParenExpr:
    case CXCursor_UnexposedExpr:
    case CXCursor_CStyleCastExpr: return eval_cast(c, expression);
    case CXCursor_UnaryOperator: return eval_unary(c, expression);
    case CXCursor_BinaryOperator: return eval_binary(c, expression);
    case CXCursor_CompoundAssignOperator: return eval_compound(c, expression);
    case CXCursor_ConditionalOperator: return eval_conditional(c, expression);
    case CXCursor_CallExpr: return call_evaluate(c, expression);
    case CXCursor_StmtExpr: give_up(c, expression); return (value){0};
    default: return (value){0};
    }
}
