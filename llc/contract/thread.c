// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules of thread functions (svm/launch.h): what they take, and that each writes its own place. What a processor with threads
// cannot compute, its backend says.
#include <string.h>

#include "llc/contract/rules.h"
#include "llc/reader/reader.h"

enum { MOST_INPUTS = 16, MOST_OUTPUTS = 4 };

typedef struct thread_checker {
    llc_session *session;
    llc_function *function;
    bool good;
} thread_checker;

static void wrong(thread_checker *c, src_range at, const char *what)
{
    c->good = false;
    diag_error(c->session->diag, at, "thread function '%s' %s", c->function->name, what);
}

// 'i', 'o' or 's'; 0: none of them.
static char parameter_kind(thread_checker *c, CXCursor parameter)
{
    CXType type = clang_getCanonicalType(clang_getCursorType(parameter));
    if (type.kind == CXType_Float)
        return 's';
    if (type.kind != CXType_Pointer)
        return 0;
    CXType pointee = clang_getPointeeType(type);
    const char *name = reader_string(c->session, clang_getTypeSpelling(pointee));
    bool constant = clang_isConstQualifiedType(pointee) != 0;
    const char *plain = strncmp(name, "const ", 6) == 0 ? name + 6 : name;
    plain = strncmp(plain, "struct ", 7) == 0 ? plain + 7 : plain;
    return strcmp(plain, "svm_Plane") != 0 ? 0 : constant ? 'i' : 'o';
}

static void check_counts(thread_checker *c, unsigned inputs, unsigned outputs)
{
    arena *a = c->session->arena;
    if (inputs > MOST_INPUTS)
        wrong(c, c->function->range, arena_printf(a, "has %u inputs; at most %d", inputs, MOST_INPUTS));
    if (outputs == 0 || outputs > MOST_OUTPUTS)
        wrong(c, c->function->range, arena_printf(a, "has %u outputs; expected 1 to %d", outputs, MOST_OUTPUTS));
}

static void check_parameters(thread_checker *c)
{
    strbuf kinds;
    strbuf_init(&kinds, c->session->arena);
    int count = clang_Cursor_getNumArguments(c->function->cursor);
    unsigned inputs = 0, outputs = 0;
    for (int i = 0; i < count; i++) {
        CXCursor p = clang_Cursor_getArgument(c->function->cursor, (unsigned)i);
        char kind = parameter_kind(c, p);
        if (i < 2 ? kind != 's' : kind == 0) {
            wrong(c, reader_range(c->session, p),
                  "takes float x, float y, and behind them const svm_Plane *, svm_Plane * and float");
            return;
        }
        inputs += kind == 'i';
        outputs += kind == 'o';
        if (i >= 2)
            strbuf_addc(&kinds, kind);
    }
    if (count < 2)
        wrong(c, c->function->range, "takes at least the place of its thread, float x and float y");
    else
        check_counts(c, inputs, outputs);
    c->function->parameters = kinds.data;
}

// ---- The place that is written ----

static enum CXChildVisitResult first_child(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    *(CXCursor *)data = cursor;
    return CXChildVisit_Break;
}

static bool is_parameter(const thread_checker *c, CXCursor argument, unsigned number)
{
    while (clang_getCursorKind(argument) == CXCursor_UnexposedExpr ||
           clang_getCursorKind(argument) == CXCursor_ParenExpr) {
        CXCursor inner = clang_getNullCursor();
        clang_visitChildren(argument, first_child, &inner);
        if (clang_Cursor_isNull(inner))
            return false;
        argument = inner;
    }
    return clang_getCursorKind(argument) == CXCursor_DeclRefExpr &&
           clang_equalCursors(clang_getCursorReferenced(argument),
                              clang_Cursor_getArgument(c->function->cursor, number)) != 0;
}

static enum CXChildVisitResult check_call(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    thread_checker *c = data;
    if (clang_getCursorKind(cursor) != CXCursor_CallExpr)
        return CXChildVisit_Recurse;
    const char *name = reader_string(c->session, clang_getCursorSpelling(cursor));
    if ((strcmp(name, "svm_output") == 0 || strcmp(name, "svm_outputInts") == 0) &&
        clang_Cursor_getNumArguments(cursor) == 4 &&
        !(is_parameter(c, clang_Cursor_getArgument(cursor, 1), 0) &&
          is_parameter(c, clang_Cursor_getArgument(cursor, 2), 1)))
        wrong(c, reader_range(c->session, cursor), "writes elsewhere; svm_output takes the thread's own x and y");
    return CXChildVisit_Recurse;
}

bool rules_check_thread(llc_session *s, llc_function *f)
{
    thread_checker c = {s, f, true};
    if (clang_getCanonicalType(clang_getCursorResultType(f->cursor)).kind != CXType_Void)
        wrong(&c, f->range, "returns a value; what it computes goes to its outputs");
    if (clang_Cursor_getStorageClass(f->cursor) != CX_SC_Static)
        wrong(&c, f->range, "is not static");
    check_parameters(&c);
    if (c.good)
        clang_visitChildren(f->cursor, check_call, &c);
    return c.good;
}
