// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lanes as the SPE has them: a value of svm/lanes.h, of as many lanes as the machine file's vectors and latencies made of
// it, becomes an array of vectors of four, its quads, and what is done to it a loop over them with the intrinsics of
// spu_intrinsics.h and the loads and stores of svm_quads.h:
//
//     svm_Floats16 sum = svm_sameFloats16(0.0f);          vec_float4 sum[4];
//                                                         SVM_QUADS(q, 4)
//                                                         sum[q] = spu_splats(0.0f);
//     sum += svm_loadFloats16(in + k) * h[k];             SVM_QUADS(q, 4)
//                                                         sum[q] = spu_add(sum[q], spu_mul(svm_loadQuad(in + k, q), spu_splats(h[k])));
//
// A function that has anything else with lanes stays as it is.
#include <string.h>

#include "llc/cell/cell.h"
#include "llc/reader/reader.h"

typedef struct edit {
    unsigned begin, end; // of the text
    const char *by;
} edit;

typedef VEC(edit) edits;

typedef struct quads {
    cell_program *program;
    arena *arena;
    const char *text;
    edits all;   // of functions that are done
    edits here;  // of the one that is looked at
    bool failed; // something in it is not understood
} quads;

typedef struct children {
    CXCursor list[8];
    unsigned count;
} children;

// ---- Cursors ----

static enum CXChildVisitResult take_child(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    children *c = data;
    if (c->count < sizeof c->list / sizeof *c->list)
        c->list[c->count] = cursor;
    c->count++;
    return CXChildVisit_Continue;
}

static children children_of(CXCursor cursor)
{
    children c = {.count = 0};
    clang_visitChildren(cursor, take_child, &c);
    return c;
}

// How many vectors of four words a type is; 0: it is none. Comparisons have vectors of long, counts of shifts another kind.
static unsigned quads_of(CXType type)
{
    CXType canonical = clang_getCanonicalType(type);
    if (canonical.kind != CXType_Vector && canonical.kind != CXType_ExtVector)
        return 0;
    const long long bytes = clang_Type_getSizeOf(canonical);
    CXType element = clang_getCanonicalType(clang_getElementType(canonical));
    const bool words = element.kind == CXType_Float || element.kind == CXType_Int ||
                       (element.kind == CXType_Long && clang_Type_getSizeOf(element) == 4);
    return words && bytes >= 16 && bytes % 16 == 0 ? (unsigned)(bytes / 16) : 0;
}

static bool is_lanes(CXCursor cursor)
{
    return quads_of(clang_getCursorType(cursor)) > 0;
}

static bool has_floats(CXCursor cursor)
{
    CXType canonical = clang_getCanonicalType(clang_getCursorType(cursor));
    return clang_getCanonicalType(clang_getElementType(canonical)).kind == CXType_Float;
}

// The text of a cursor. Nothing of a macro: its text lies elsewhere.
static bool extent_of(CXCursor cursor, unsigned *begin, unsigned *end)
{
    CXSourceRange range = clang_getCursorExtent(cursor);
    unsigned expanded[2];
    CXFile file[2];
    clang_getSpellingLocation(clang_getRangeStart(range), &file[0], NULL, NULL, begin);
    clang_getSpellingLocation(clang_getRangeEnd(range), &file[1], NULL, NULL, end);
    clang_getExpansionLocation(clang_getRangeStart(range), NULL, NULL, NULL, &expanded[0]);
    clang_getExpansionLocation(clang_getRangeEnd(range), NULL, NULL, NULL, &expanded[1]);
    return file[0] != NULL && file[1] != NULL && clang_File_isEqual(file[0], file[1]) && *begin == expanded[0] &&
           *end == expanded[1] && *begin < *end;
}

static const char *text_of(quads *q, CXCursor cursor)
{
    unsigned begin, end;
    if (!extent_of(cursor, &begin, &end)) {
        q->failed = true;
        return "";
    }
    return arena_strndup(q->arena, q->text + begin, end - begin);
}

static const char *name_of(quads *q, CXCursor cursor)
{
    return reader_string(q->program->session, clang_getCursorSpelling(cursor));
}

static const char *fail(quads *q)
{
    q->failed = true;
    return "";
}

// ---- Expressions: the text of one quad, q ----

static const char *quad(quads *q, CXCursor e);

// A scalar in all four places, of the type of the vector around it.
static const char *splat(quads *q, CXCursor scalar, bool floats)
{
    const enum CXTypeKind kind = clang_getCanonicalType(clang_getCursorType(scalar)).kind;
    const char *text = text_of(q, scalar);
    const bool same = floats ? kind == CXType_Float : kind == CXType_Int;
    return arena_printf(q->arena,
                        same     ? "spu_splats(%s)"
                        : floats ? "spu_splats((float)(%s))"
                                 : "spu_splats((int)(%s))",
                        text);
}

// A shift's count where all lanes have the same: the scalar; false: they differ.
static bool is_splat(CXCursor e, CXCursor *scalar)
{
    children c = children_of(e);
    while (c.count == 1 && is_lanes(c.list[0])) {
        e = c.list[0];
        c = children_of(e);
    }
    if (clang_getCursorKind(e) != CXCursor_UnexposedExpr || c.count != 1)
        return false;
    *scalar = c.list[0];
    return true;
}

static const char *shift(quads *q, CXCursor value, CXCursor count, bool left)
{
    CXCursor scalar;
    CXEvalResult known;
    if (!is_splat(count, &scalar))
        return fail(q);
    known = clang_Cursor_Evaluate(scalar);
    const bool legal = known != NULL && clang_EvalResult_getKind(known) == CXEval_Int &&
                       clang_EvalResult_getAsInt(known) >= 0 && clang_EvalResult_getAsInt(known) < 32;
    const int bits = legal ? clang_EvalResult_getAsInt(known) : 0;
    if (known != NULL)
        clang_EvalResult_dispose(known);
    if (!legal)
        return fail(q);
    return arena_printf(q->arena, left ? "spu_sl(%s, %du)" : "spu_rlmaska(%s, -%d)", quad(q, value), bits);
}

static const char *comparison(quads *q, enum CXBinaryOperatorKind kind, const char *a, const char *b)
{
    static const struct {
        enum CXBinaryOperatorKind kind;
        const char *form; // of a and b
        bool turned;
    } forms[] = {
        {CXBinaryOperator_GT, "(vec_int4)spu_cmpgt(%s, %s)", false},
        {CXBinaryOperator_LT, "(vec_int4)spu_cmpgt(%s, %s)", true},
        {CXBinaryOperator_EQ, "(vec_int4)spu_cmpeq(%s, %s)", false},
        {CXBinaryOperator_NE, "svm_differQuads(%s, %s)", false},
        {CXBinaryOperator_GE, "svm_reachQuads(%s, %s)", false},
        {CXBinaryOperator_LE, "svm_reachQuads(%s, %s)", true},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (forms[i].kind == kind)
            return arena_printf(q->arena, forms[i].form, forms[i].turned ? b : a, forms[i].turned ? a : b);
    return fail(q);
}

static const char *arithmetic(quads *q, enum CXBinaryOperatorKind kind, const char *a, const char *b, bool floats)
{
    static const struct {
        enum CXBinaryOperatorKind kind;
        const char *floats, *ints;
    } names[] = {
        {CXBinaryOperator_Add, "spu_add", "spu_add"},
        {CXBinaryOperator_Sub, "spu_sub", "spu_sub"},
        {CXBinaryOperator_Mul, "spu_mul", "svm_multiplyQuad"},
        {CXBinaryOperator_Div, "svm_divideQuad", NULL},
        {CXBinaryOperator_And, NULL, "spu_and"},
        {CXBinaryOperator_Or, NULL, "spu_or"},
        {CXBinaryOperator_Xor, NULL, "spu_xor"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *name = floats ? names[i].floats : names[i].ints;
        if (names[i].kind == kind && name != NULL)
            return arena_printf(q->arena, "%s(%s, %s)", name, a, b);
    }
    return fail(q);
}

static const char *binary(quads *q, CXCursor e)
{
    children c = children_of(e);
    const enum CXBinaryOperatorKind kind = clang_getCursorBinaryOperatorKind(e);
    if (c.count != 2 || !is_lanes(c.list[0]) || !is_lanes(c.list[1]))
        return fail(q);
    if (kind == CXBinaryOperator_Shl || kind == CXBinaryOperator_Shr)
        return shift(q, c.list[0], c.list[1], kind == CXBinaryOperator_Shl);
    const char *a = quad(q, c.list[0]), *b = quad(q, c.list[1]);
    if (kind >= CXBinaryOperator_LT && kind <= CXBinaryOperator_NE)
        return comparison(q, kind, a, b);
    return arithmetic(q, kind, a, b, has_floats(c.list[0]));
}

static const char *unary(quads *q, CXCursor e)
{
    children c = children_of(e);
    const enum CXUnaryOperatorKind kind = clang_getCursorUnaryOperatorKind(e);
    if (c.count != 1 || !is_lanes(c.list[0]))
        return fail(q);
    const char *a = quad(q, c.list[0]);
    if (kind == CXUnaryOperator_Minus)
        return arena_printf(q->arena, has_floats(e) ? "svm_negateQuad(%s)" : "spu_sub(0, %s)", a);
    return kind == CXUnaryOperator_Not ? arena_printf(q->arena, "spu_nor(%s, %s)", a, a) : fail(q);
}

// Functions of svm/lanes.h by their names without "svm_" and the number of lanes. In a form f and i are the quad's type, v
// stands for a vector's quad, t for a scalar's text, q for the number.
typedef struct known_call {
    const char *name, *form;
    const char *arguments; // v, t
} known_call;

static const known_call values[] = {
    {"loadFloats", "svm_loadQuad(%s, q)", "t"},
    {"loadInts", "svm_loadIntQuad(%s, q)", "t"},
    {"gatherFloats", "svm_gatherQuad(%s, %s, q)", "tt"},
    {"gatherInts", "svm_gatherIntQuad(%s, %s, q)", "tt"},
    {"sameFloats", "spu_splats(%s)", "f"},
    {"sameInts", "spu_splats(%s)", "i"},
    {"numberInts", "svm_numberQuad(q)", ""},
    {"chooseInts", "svm_chooseIntQuad(%s, %s, %s)", "vvv"},
    {"chooseFloats", "svm_chooseQuad(%s, %s, %s)", "vvv"},
    {"maxFloats", "svm_maxQuad(%s, %s)", "vv"},
    {"minFloats", "svm_minQuad(%s, %s)", "vv"},
    {"toFloats", "spu_convtf(%s, 0)", "v"},
    {"toInts", "svm_toIntQuad(%s)", "v"},
};
static const known_call effects[] = {
    {"storeFloats", "svm_storeQuad(%s, q, %s)", "tv"},
    {"storeInts", "svm_storeIntQuad(%s, q, %s)", "tv"},
    {"scatterFloats", "svm_scatterQuad(%s, %s, q, %s)", "ttv"},
    {"scatterInts", "svm_scatterIntQuad(%s, %s, q, %s)", "ttv"},
};

static const char *argument(quads *q, CXCursor at, char kind)
{
    const char *form = kind == 'f' ? "(float)(%s)" : kind == 'i' ? "(int)(%s)" : "%s";
    const enum CXTypeKind type = clang_getCanonicalType(clang_getCursorType(at)).kind;
    if (kind == 'v')
        return quad(q, at);
    if ((kind == 'f' && type == CXType_Float) || (kind == 'i' && type == CXType_Int))
        form = "%s";
    return arena_printf(q->arena, form, text_of(q, at));
}

static const char *call(quads *q, CXCursor e, const known_call *calls, size_t count)
{
    const char *name = name_of(q, e);
    const size_t n = strcspn(name, "0123456789");
    for (size_t i = 0; i < count; i++) {
        const known_call *k = &calls[i];
        const size_t arguments = strlen(k->arguments);
        if (strncmp(name, "svm_", 4) != 0 || strlen(k->name) != n - 4 || strncmp(name + 4, k->name, n - 4) != 0 ||
            (size_t)clang_Cursor_getNumArguments(e) != arguments)
            continue;
        const char *text[3] = {"", "", ""};
        for (unsigned a = 0; a < arguments; a++)
            text[a] = argument(q, clang_Cursor_getArgument(e, a), k->arguments[a]);
        strbuf out;
        strbuf_init(&out, q->arena);
        unsigned next = 0;
        for (const char *at = k->form; *at != '\0'; at++)
            if (at[0] == '%')
                strbuf_add(&out, text[next++]), at++;
            else
                strbuf_addc(&out, *at);
        return out.data;
    }
    return fail(q);
}

static const char *quad(quads *q, CXCursor e)
{
    const enum CXCursorKind kind = clang_getCursorKind(e);
    if (!is_lanes(e))
        return fail(q);
    if (kind == CXCursor_DeclRefExpr)
        return arena_printf(q->arena, "%s[q]", name_of(q, e));
    if (kind == CXCursor_BinaryOperator)
        return binary(q, e);
    if (kind == CXCursor_UnaryOperator)
        return unary(q, e);
    if (kind == CXCursor_CallExpr)
        return call(q, e, values, sizeof values / sizeof *values);
    children c = children_of(e);
    if ((kind != CXCursor_UnexposedExpr && kind != CXCursor_ParenExpr) || c.count != 1)
        return fail(q);
    return is_lanes(c.list[0]) ? quad(q, c.list[0]) : splat(q, c.list[0], has_floats(e));
}

// ---- Statements ----

// The white space that a line begins with.
static const char *indentation(const quads *q, unsigned at)
{
    unsigned begin = at;
    while (begin > 0 && q->text[begin - 1] != '\n')
        begin--;
    return arena_strndup(q->arena, q->text + begin, strspn(q->text + begin, " \t"));
}

static void replace(quads *q, CXCursor at, const char *by)
{
    unsigned begin, end;
    if (!extent_of(at, &begin, &end)) {
        q->failed = true;
        return;
    }
    VEC_PUSH(q->arena, &q->here, ((edit){begin, end, by}));
}

static void declare(quads *q, CXCursor statement)
{
    children c = children_of(statement);
    unsigned begin, end;
    if (c.count != 1 || clang_getCursorKind(c.list[0]) != CXCursor_VarDecl || !extent_of(statement, &begin, &end)) {
        q->failed = true;
        return;
    }
    CXCursor initialiser = clang_Cursor_getVarDeclInitializer(c.list[0]);
    const unsigned count = quads_of(clang_getCursorType(c.list[0]));
    const char *name = name_of(q, c.list[0]), *space = indentation(q, begin);
    const char *what =
        arena_printf(q->arena, "%s %s[%u];", has_floats(c.list[0]) ? "vec_float4" : "vec_int4", name, count);
    if (!clang_Cursor_isNull(initialiser))
        what = arena_printf(q->arena, "%s\n%sSVM_QUADS(q, %u)\n%s    %s[q] = %s;", what, space, count, space, name,
                            quad(q, initialiser));
    replace(q, statement, what);
}

// Of `a = b`, `a += b` and calls that store, the text of quad q; NULL: it is something else.
static const char *effect(quads *q, CXCursor e, unsigned *count)
{
    static const enum CXBinaryOperatorKind plain[][2] = {
        {CXBinaryOperator_AddAssign, CXBinaryOperator_Add}, {CXBinaryOperator_SubAssign, CXBinaryOperator_Sub},
        {CXBinaryOperator_MulAssign, CXBinaryOperator_Mul}, {CXBinaryOperator_DivAssign, CXBinaryOperator_Div},
        {CXBinaryOperator_AndAssign, CXBinaryOperator_And}, {CXBinaryOperator_OrAssign, CXBinaryOperator_Or},
        {CXBinaryOperator_XorAssign, CXBinaryOperator_Xor},
    };
    const enum CXCursorKind kind = clang_getCursorKind(e);
    children c = children_of(e);
    if (kind == CXCursor_CallExpr) {
        const int last = clang_Cursor_getNumArguments(e) - 1;
        CXCursor value = last >= 0 ? clang_Cursor_getArgument(e, (unsigned)last) : clang_getNullCursor();
        if (last < 0 || !is_lanes(value))
            return NULL;
        *count = quads_of(clang_getCursorType(value));
        return call(q, e, effects, sizeof effects / sizeof *effects);
    }
    if ((kind != CXCursor_BinaryOperator && kind != CXCursor_CompoundAssignOperator) || c.count != 2 || !is_lanes(e) ||
        clang_getCursorKind(c.list[0]) != CXCursor_DeclRefExpr)
        return NULL;
    *count = quads_of(clang_getCursorType(e));
    const enum CXBinaryOperatorKind op = clang_getCursorBinaryOperatorKind(e);
    const char *to = quad(q, c.list[0]);
    if (op == CXBinaryOperator_Assign)
        return arena_printf(q->arena, "%s = %s", to, quad(q, c.list[1]));
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (plain[i][0] == op)
            return arena_printf(q->arena, "%s = %s", to,
                                arithmetic(q, plain[i][1], to, quad(q, c.list[1]), has_floats(e)));
    return fail(q);
}

static enum CXChildVisitResult visit(CXCursor cursor, CXCursor parent, CXClientData data)
{
    quads *q = data;
    const enum CXCursorKind kind = clang_getCursorKind(cursor), above = clang_getCursorKind(parent);
    if (kind == CXCursor_DeclStmt) {
        children c = children_of(cursor);
        bool lanes = false;
        for (unsigned i = 0; i < c.count && i < sizeof c.list / sizeof *c.list; i++)
            lanes |= clang_getCursorKind(c.list[i]) == CXCursor_VarDecl && is_lanes(c.list[i]);
        if (lanes) {
            q->failed |= above != CXCursor_CompoundStmt;
            declare(q, cursor);
            return CXChildVisit_Continue;
        }
    }
    unsigned count, begin, end;
    const bool statement = above == CXCursor_CompoundStmt || above == CXCursor_ForStmt || above == CXCursor_IfStmt;
    const char *text = statement && clang_isExpression(kind) ? effect(q, cursor, &count) : NULL;
    if (text != NULL) {
        if (extent_of(cursor, &begin, &end) && q->text[end] == ';')
            replace(q, cursor,
                    arena_printf(q->arena, "SVM_QUADS(q, %u)\n%s    %s", count, indentation(q, begin), text));
        else
            q->failed = true;
        return CXChildVisit_Continue;
    }
    if ((clang_isExpression(kind) || kind == CXCursor_VarDecl || kind == CXCursor_ParmDecl) && is_lanes(cursor)) {
        q->failed = true;
    }
    CXType type = clang_getCanonicalType(clang_getCursorType(cursor));
    if (kind == CXCursor_VarDecl && type.kind == CXType_ConstantArray && quads_of(clang_getArrayElementType(type)) > 0)
        q->failed = true;
    return CXChildVisit_Recurse;
}

static enum CXChildVisitResult visit_function(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    quads *q = data;
    if (clang_getCursorKind(cursor) != CXCursor_FunctionDecl || !clang_isCursorDefinition(cursor) ||
        !clang_Location_isFromMainFile(clang_getCursorLocation(cursor)))
        return CXChildVisit_Continue;
    q->here.len = 0;
    q->failed = false;
    clang_visitChildren(cursor, visit, q);
    for (VEC_EACH(const edit, e, &q->here))
        if (!q->failed)
            VEC_PUSH(q->arena, &q->all, *e);
    return CXChildVisit_Continue;
}

// ---- The whole ----

// The loops' variable is q.
static bool has_q(const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    for (const char *at = text; (at = strchr(at, 'q')) != NULL; at++)
        if (strspn(at, letters) == 1 && (at == text || strchr(letters, at[-1]) == NULL))
            return true;
    return false;
}

const char *cell_quads(cell_program *p, const char *text)
{
    static const char include[] = "#include <svm/lanes.h>";
    quads q = {.program = p, .arena = p->session->arena, .text = text};
    CXTranslationUnit tu = strstr(text, include) == NULL || has_q(text) ? NULL : cell_parse_text(p, text);
    if (tu == NULL)
        return text;
    clang_visitChildren(clang_getTranslationUnitCursor(tu), visit_function, &q);
    clang_disposeTranslationUnit(tu);
    if (q.all.len == 0)
        return text;
    strbuf out;
    strbuf_init(&out, q.arena);
    unsigned at = 0;
    for (VEC_EACH(const edit, e, &q.all)) {
        strbuf_addn(&out, text + at, e->begin - at);
        strbuf_add(&out, e->by);
        at = e->end;
    }
    strbuf_add(&out, text + at);
    return arena_printf(q.arena, "#include <svm_quads.h>\n%s", out.data);
}
