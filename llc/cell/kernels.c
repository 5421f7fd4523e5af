// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of a unit: what each reaches, the struct that it is part of, and whether an SPE can run it.
#include <string.h>

#include "llc/cell/cell.h"
#include "llc/reader/reader.h"

// Functions of the API that the SPEs' side has.
static const char *const spe_functions[] = {
#define CELL_FUNCTION(name) #name,
#define CELL_STREAM_FUNCTION(name)
#define CELL_INSTRUCTION(name)
#include "llc/cell/functions.def"
#undef CELL_FUNCTION
#undef CELL_STREAM_FUNCTION
#undef CELL_INSTRUCTION
    NULL,
};
static const char *const stream_functions[] = {
#define CELL_FUNCTION(name)
#define CELL_STREAM_FUNCTION(name) #name,
#define CELL_INSTRUCTION(name)
#include "llc/cell/functions.def"
#undef CELL_FUNCTION
#undef CELL_STREAM_FUNCTION
#undef CELL_INSTRUCTION
    NULL,
};
static const char *const instruction_functions[] = {
#define CELL_FUNCTION(name)
#define CELL_STREAM_FUNCTION(name)
#define CELL_INSTRUCTION(name) #name,
#include "llc/cell/functions.def"
#undef CELL_FUNCTION
#undef CELL_STREAM_FUNCTION
#undef CELL_INSTRUCTION
    NULL,
};

// What is found on the way from a kernel's function through all that it reaches.
typedef struct walk {
    cell_program *program;
    cell_kernel *kernel;
    VEC(CXCursor) functions;
    hmap seen;     // functions by name
    CXType record; // that the kernel is part of
    bool found;
} walk;

static void cannot(walk *w, CXCursor at, const char *why)
{
    if (w->kernel->why != NULL)
        return;
    w->kernel->why = why;
    w->kernel->why_at = reader_location(w->program->session, clang_getCursorLocation(at));
}

static char *spelling(const walk *w, CXCursor cursor)
{
    return reader_string(w->program->session, clang_getCursorSpelling(cursor));
}

static enum CXVisitorResult take_first(CXCursor field, CXClientData data)
{
    *(CXCursor *)data = field;
    return CXVisit_Break;
}

// A struct whose first field is an svm_Kernel.
static bool is_kernel_struct(const walk *w, CXType record)
{
    CXCursor first = clang_getNullCursor();
    clang_Type_visitFields(record, take_first, &first);
    if (clang_Cursor_isNull(first))
        return false;
    CXType type = clang_getCanonicalType(clang_getCursorType(first));
    return strcmp(spelling(w, clang_getTypeDeclaration(type)), "svm_Kernel") == 0;
}

// (Filter *)kernel
static void take_cast(walk *w, CXCursor cast)
{
    CXType to = clang_getCanonicalType(clang_getCursorType(cast));
    if (to.kind != CXType_Pointer)
        return;
    CXType pointee = clang_getCanonicalType(clang_getUnqualifiedType(clang_getPointeeType(to)));
    if (pointee.kind != CXType_Record || !is_kernel_struct(w, pointee))
        return;
    if (w->found && !clang_equalTypes(w->record, pointee))
        cannot(w, cast, "it takes its struct for one of several types");
    w->record = pointee;
    w->found = true;
}

static bool is_one_of(const char *const *functions, const char *name)
{
    size_t n = strlen(name);
    if (n > 2 && strcmp(name + n - 2, "At") == 0)
        n -= 2;
    for (; *functions != NULL; functions++)
        if (strlen(*functions) == n && strncmp(*functions, name, n) == 0)
            return true;
    return false;
}

static void take_function(walk *w, CXCursor at, CXCursor function)
{
    char *name = spelling(w, function);
    if (hmap_get(&w->seen, name) != NULL)
        return;
    hmap_set(&w->seen, name, w);
    VEC_PUSH(w->program->session->arena, &w->kernel->reached, name);
    CXCursor definition = clang_getCursorDefinition(function);
    size_t n = strlen(name);
    if (!clang_Cursor_isNull(definition))
        VEC_PUSH(w->program->session->arena, &w->functions, definition);
    else if (strncmp(name, "__builtin_", 10) == 0)
        return;
    else if (!reader_is_foreign(function))
        cannot(w, at,
               arena_printf(w->program->session->arena, "it calls '%s', which is linked beside the SVM C", name));
    else if (is_one_of(stream_functions, name))
        w->kernel->streams = true;
    else if (is_one_of(instruction_functions, name))
        w->kernel->instructions = true;
    else if (strncmp(name, "svm_", 4) == 0 && !is_one_of(spe_functions, name))
        cannot(w, at,
               arena_printf(w->program->session->arena, "it calls '%.*s', which SPEs have not",
                            (int)(n > 2 && strcmp(name + n - 2, "At") == 0 ? n - 2 : n), name));
}

static enum CXChildVisitResult visit(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    walk *w = data;
    if (clang_getCursorKind(cursor) == CXCursor_CStyleCastExpr)
        take_cast(w, cursor);
    if (clang_getCursorKind(cursor) == CXCursor_DeclRefExpr) {
        CXCursor referenced = clang_getCursorReferenced(cursor);
        if (clang_getCursorKind(referenced) == CXCursor_FunctionDecl)
            take_function(w, cursor, referenced);
    }
    return CXChildVisit_Recurse;
}

static void walk_from(walk *w, cell_program *p, cell_kernel *k, CXCursor function)
{
    *w = (walk){.program = p, .kernel = k};
    k->reached.len = 0;
    VEC_PUSH(p->session->arena, &k->reached, k->function->name);
    hmap_init(&w->seen, p->session->arena);
    VEC_PUSH(p->session->arena, &w->functions, function);
    for (size_t i = 0; i < w->functions.len; i++)
        clang_visitChildren(w->functions.data[i], visit, w);
}

// ---- The same function as the SPEs' compiler sees it ----

typedef struct search {
    const char *name;
    CXCursor found;
} search;

static enum CXChildVisitResult find_function(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    search *s = data;
    if (clang_getCursorKind(cursor) != CXCursor_FunctionDecl || !clang_isCursorDefinition(cursor))
        return CXChildVisit_Continue;
    CXString name = clang_getCursorSpelling(cursor);
    bool found = strcmp(clang_getCString(name), s->name) == 0;
    clang_disposeString(name);
    if (!found)
        return CXChildVisit_Continue;
    s->found = cursor;
    return CXChildVisit_Break;
}

static void find_struct(cell_program *p, cell_kernel *k, CXType ppe)
{
    search s = {.name = k->function->name, .found = clang_getNullCursor()};
    clang_visitChildren(clang_getTranslationUnitCursor(p->spe), find_function, &s);
    walk w;
    walk_from(&w, p, k, s.found);
    if (!w.found || k->why != NULL)
        return;
    k->record = reader_string(p->session, clang_getTypeSpelling(ppe));
    k->bytes = (uint64_t)clang_Type_getSizeOf(w.record);
    cell_pair_fields(p, k, ppe, w.record);
}

// A command: a head of 32 bytes, 48 dependences of 8, its streams' addresses, the struct, its blocks. The ring holds two of the largest; while a
// kernel waits in streams the moves of these too, a head of 32 bytes, 16 behind it, some dependences. Its size is a power of
// two, as its positions are counted modulo 2^32.
static void note_size(cell_program *p, const cell_kernel *k)
{
    uint64_t bytes = 32 + 48 * 8 + k->bytes + 16 + (p->timed ? 272 : 0); // svm_CellSpent
    for (VEC_EACH(const cell_field, field, &k->fields))
        bytes += field->kind == CELL_BLOCK ? 32 * field->count : 0;
    if (cell_begins_late(p, k))
        bytes += (4 * cell_stream_count(k) + 15) / 16 * 16;
    while (p->ring < 2 * bytes + (p->streams > 0 ? cell_stream_count(k) * (32 + 16 + 8 * 8) : 0))
        p->ring *= 2;
}

bool cell_find_kernels(cell_program *p)
{
    VEC(walk) walks = {0};
    for (VEC_EACH(const llc_function, f, &p->unit->functions)) {
        if (f->role != LLC_KERNEL || !clang_isCursorDefinition(f->cursor))
            continue;
        cell_kernel *k = VEC_ADD(p->session->arena, &p->kernels);
        k->function = f;
        walk_from(VEC_ADD(p->session->arena, &walks), p, k, f->cursor);
    }
    if (!cell_parse_for_spe(p))
        return false;
    for (size_t i = 0; i < p->kernels.len; i++)
        if (p->kernels.data[i].why == NULL && walks.data[i].found)
            find_struct(p, &p->kernels.data[i], walks.data[i].record);
    cell_place_streams(p);
    cell_place_instructions(p);
    for (VEC_EACH(cell_kernel, k, &p->kernels)) {
        k->number = k->why == NULL ? p->count++ : -1;
        if (k->why != NULL)
            diag_add_note(p->session->diag,
                          diag_remark(p->session->diag, k->function->range,
                                      "the PPE runs '%s' (where it is placed on an SPE, in that SPE's local store): %s",
                                      k->function->name, k->why),
                          k->why_at, "here");
        if (k->why == NULL)
            note_size(p, k);
    }
    return !diag_has_errors(p->session->diag);
}
