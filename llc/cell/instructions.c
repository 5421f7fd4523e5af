// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether SPEs run the unit's stream instructions (svm/instructions.h): the SPEs' program then has what their kernels call, and
// what loads and stores need.
#include <string.h>

#include "llc/cell/cell.h"
#include "llc/reader/reader.h"

// What sets up a stream unit.
static bool is_of_units(const char *name)
{
    static const char unit[] = "svm_streamUnitInit", node[] = "svm_node";
    return strncmp(name, unit, sizeof unit - 1) == 0 || strncmp(name, node, sizeof node - 1) == 0;
}

typedef struct search {
    cell_program *program;
    bool found;
} search;

static enum CXChildVisitResult visit(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    search *s = data;
    if (clang_getCursorKind(cursor) != CXCursor_DeclRefExpr)
        return CXChildVisit_Recurse;
    CXCursor function = clang_getCursorReferenced(cursor);
    s->found = clang_getCursorKind(function) == CXCursor_FunctionDecl &&
               is_of_units(reader_string(s->program->session, clang_getCursorSpelling(function)));
    return s->found ? CXChildVisit_Break : CXChildVisit_Recurse;
}

// Functions of the text, not of headers.
static enum CXChildVisitResult visit_function(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    search *s = data;
    if (clang_getCursorKind(cursor) == CXCursor_FunctionDecl && clang_isCursorDefinition(cursor) &&
        !reader_is_foreign(cursor))
        clang_visitChildren(cursor, visit, s);
    return s->found ? CXChildVisit_Break : CXChildVisit_Continue;
}

// Why they are the PPE's; NULL: they are SPEs'.
static const char *reason(const cell_program *p)
{
    return p->timed ? "the time of stream instructions is predicted where they are the PPE's" : p->too_large;
}

void cell_place_instructions(cell_program *p)
{
    search s = {.program = p};
    const char *why = reason(p);
    clang_visitChildren(clang_getTranslationUnitCursor(p->unit->tu), visit_function, &s);
    p->instructions = s.found && why == NULL;
    for (VEC_EACH(cell_kernel, k, &p->kernels)) {
        if (!k->instructions || k->why != NULL || p->instructions)
            continue;
        k->why = why != NULL ? arena_printf(p->session->arena, "it uses stream instructions, and %s", why)
                             : "it uses stream instructions, and the text sets up no stream unit";
        k->why_at = k->function->range;
    }
}
