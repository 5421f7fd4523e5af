// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Local memories as a whole: what blocks and streams leave for the code, tables, state and stack of kernels whose
// processor keeps them in the same memory.
#include "llc/check/model.h"
#include "llc/reader/reader.h"

// Bytes that kernels on one processor need beside their code.
typedef struct needs {
    checker *checker;
    hmap counted; // tables, functions and kernels
    cursor_list functions;
    int64_t tables, state, stack;
} needs;

static bool count_once(needs *n, const void *key)
{
    if (hmap_getn(&n->counted, &key, sizeof key) != NULL)
        return false;
    hmap_setn(&n->counted, &key, sizeof key, n);
    return true;
}

static int64_t size_of(CXType type)
{
    long long size = clang_Type_getSizeOf(type);
    return size < 0 ? 0 : size;
}

static enum CXChildVisitResult visit_need(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    needs *n = data;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_VarDecl && clang_Cursor_getStorageClass(cursor) == CX_SC_None)
        n->stack += size_of(clang_getCursorType(cursor));
    if (kind != CXCursor_DeclRefExpr)
        return CXChildVisit_Recurse;
    CXCursor referenced = clang_getCursorReferenced(cursor);
    CXCursor definition = clang_getCursorDefinition(referenced);
    if (clang_Cursor_isNull(definition) || reader_is_foreign(definition))
        return CXChildVisit_Recurse;
    enum CXCursorKind what = clang_getCursorKind(definition);
    bool is_static = clang_Cursor_getStorageClass(definition) == CX_SC_Static ||
                     clang_getCursorKind(clang_getCursorSemanticParent(definition)) == CXCursor_TranslationUnit;
    if (what == CXCursor_FunctionDecl && count_once(n, definition.data[0]))
        VEC_PUSH(n->checker->arena, &n->functions, definition);
    else if (what == CXCursor_VarDecl && is_static && count_once(n, definition.data[0]))
        n->tables += size_of(clang_getCursorType(definition));
    return CXChildVisit_Recurse;
}

static needs needs_of(checker *c, const llc_name *processor)
{
    needs n = {.checker = c};
    hmap_init(&n.counted, c->arena);
    for (VEC_EACH(const event, e, &c->events)) {
        if (e->kind != EVENT_KERNEL || e->processor != processor || e->class == NULL)
            continue;
        if (e->object != NULL && !e->object->vague && e->object->parent != NULL && count_once(&n, e->object))
            n.state += size_of(e->object->parent->type);
        if (!clang_Cursor_isNull(e->class->function) && count_once(&n, e->class->function.data[0]))
            VEC_PUSH(c->arena, &n.functions, e->class->function);
    }
    for (size_t i = 0; i < n.functions.len; i++)
        clang_visitChildren(n.functions.data[i], visit_need, &n);
    return n;
}

// The block or stream that reaches farthest into a local memory; NULL: none.
static const event *farthest(const checker *c, const machine_memory *memory, int64_t *end)
{
    const event *found = NULL;
    int64_t from, to;
    for (VEC_EACH(const event, e, &c->events)) {
        if ((e->kind != EVENT_BLOCK && e->kind != EVENT_STREAM) || e->memory == NULL || e->memory->memory != memory ||
            e->address.kind != VALUE_INT || !extent_of(e, &from, &to) || (found != NULL && to <= *end))
            continue;
        found = e;
        *end = to;
    }
    return found;
}

void find_budget(checker *c)
{
    const machine *m = c->unit->machine;
    for (VEC_EACH(const llc_name, p, &c->unit->names)) {
        if (p->processor == NULL || p->processor->code_memory.index == SIZE_MAX ||
            p->processor->code_memory.kind != MACHINE_MEMORY)
            continue;
        const machine_memory *memory = &m->memories.data[p->processor->code_memory.index];
        uint64_t size = machine_usable(memory);
        int64_t end = 0;
        const event *last = farthest(c, memory, &end);
        if (last == NULL || size > INT64_MAX || end < 0 || end > (int64_t)size) // beyond: told already
            continue;
        needs n = needs_of(c, p);
        int64_t left = (int64_t)size - end, wanted = n.tables + n.state + n.stack;
        if (n.functions.len == 0 || (wanted <= left && left > 0))
            continue;
        diag_record *d = warn(c, WARN_CHECK_BUDGET, last,
                              "blocks and streams leave %lld of the %llu bytes of memory '%s', which holds the code of "
                              "kernels on '%s' too",
                              (long long)left, (unsigned long long)size, memory->element.name, p->name);
        diag_add_note(c->session->diag, d, p->range,
                      "beside code they need %lld bytes: %lld for tables, %lld for state, %lld on the stack",
                      (long long)wanted, (long long)n.tables, (long long)n.state, (long long)n.stack);
    }
}
