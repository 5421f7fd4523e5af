// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether the streams of a unit's kernels are SPEs' or the PPE's: all of them or none, as the two sides do not see each
// other's. A kernel that waits on an SPE has no stack of its own, so its SPE does nothing but transfers meanwhile: kernels
// promise that nothing else is needed there, by SVM_KERNEL(..., holds_processor).
#include <string.h>

#include "llc/cell/cell.h"
#include "llc/reader/reader.h"

// An SPE looks at 16 commands: a kernel's run, the moves of its streams, and two that fill the ring's end, have to be among
// them.
enum { MOST_STREAMS = 13 };
// What a local store has room for: a stream of each kernel's, and at least so many.
enum { LEAST_ROOM = 16 };

static const char *const control_functions[] = {"svm_streamInitRAM", "svm_streamInit", "svm_streamName",
                                                "svm_streamDestroy"};
// What control code calls that runs kernels with streams: a net's channels are in use by the PPE.
static const char *const net_functions[] = {"svm_netRun"};

// The name of a function of the API without the At of what its macro calls.
static const char *plain_name(cell_program *p, CXCursor function)
{
    const char *name = reader_string(p->session, clang_getCursorSpelling(function));
    size_t n = strlen(name);
    return n > 2 && strcmp(name + n - 2, "At") == 0 ? arena_strndup(p->session->arena, name, n - 2) : name;
}

typedef struct search {
    cell_program *program;
    const char *found; // a function that control code calls with streams, which is the PPE's
    src_range at;
} search;

static bool is_one_of(const char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static bool uses_streams(const char *name)
{
    if (is_one_of(net_functions, sizeof net_functions / sizeof *net_functions, name))
        return true;
    return strncmp(name, "svm_stream", 10) == 0 &&
           !is_one_of(control_functions, sizeof control_functions / sizeof *control_functions, name);
}

static enum CXChildVisitResult visit(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    search *s = data;
    if (clang_getCursorKind(cursor) != CXCursor_DeclRefExpr)
        return CXChildVisit_Recurse;
    CXCursor function = clang_getCursorReferenced(cursor);
    if (clang_getCursorKind(function) != CXCursor_FunctionDecl || !reader_is_foreign(function))
        return CXChildVisit_Recurse;
    const char *name = plain_name(s->program, function);
    if (!uses_streams(name))
        return CXChildVisit_Recurse;
    s->found = name;
    s->at = reader_location(s->program->session, clang_getCursorLocation(cursor));
    return CXChildVisit_Break;
}

static bool is_reached(const cell_program *p, const char *name)
{
    for (VEC_EACH(const cell_kernel, k, &p->kernels))
        for (VEC_EACH(const char *const, reached, &k->reached))
            if (strcmp(*reached, name) == 0)
                return true;
    return false;
}

// Functions of the text that no kernel reaches.
static enum CXChildVisitResult visit_control(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    search *s = data;
    if (clang_getCursorKind(cursor) != CXCursor_FunctionDecl || !clang_isCursorDefinition(cursor) ||
        reader_is_foreign(cursor) ||
        is_reached(s->program, reader_string(s->program->session, clang_getCursorSpelling(cursor))))
        return CXChildVisit_Continue;
    clang_visitChildren(cursor, visit, s);
    return s->found != NULL ? CXChildVisit_Break : CXChildVisit_Continue;
}

uint64_t cell_stream_count(const cell_kernel *k)
{
    uint64_t count = 0;
    for (VEC_EACH(const cell_field, f, &k->fields))
        count += f->kind == CELL_STREAM ? f->count : 0;
    return count;
}

bool cell_begins_late(const cell_program *p, const cell_kernel *k)
{
    return p->streams > 0 && k->streams && k->function->input_first;
}

static unsigned room(const cell_program *p)
{
    uint64_t count = 0;
    for (VEC_EACH(const cell_kernel, k, &p->kernels))
        count += k->streams ? cell_stream_count(k) : 0;
    return count < LEAST_ROOM ? LEAST_ROOM : (unsigned)count;
}

// Why the streams are the PPE's; NULL: they are SPEs'.
static const char *reason(cell_program *p, src_range *at)
{
    arena *a = p->session->arena;
    if (p->too_large != NULL)
        return p->too_large;
    for (VEC_EACH(const cell_kernel, k, &p->kernels)) {
        if (!k->streams)
            continue;
        *at = k->function->range;
        if (k->why != NULL) {
            *at = k->why_at;
            return arena_printf(a, "'%s' does too, and %s", k->function->name, k->why);
        }
        if (!k->function->holds_processor)
            return arena_printf(a, "'%s' does not promise SVM_KERNEL(holds_processor)", k->function->name);
        if (cell_stream_count(k) > MOST_STREAMS)
            return arena_printf(a, "'%s' has %llu, of which an SPE can serve %d", k->function->name,
                                (unsigned long long)cell_stream_count(k), MOST_STREAMS);
    }
    search s = {.program = p};
    clang_visitChildren(clang_getTranslationUnitCursor(p->unit->tu), visit_control, &s);
    *at = s.at;
    return s.found != NULL ? arena_printf(a, "the control code calls '%s', which the PPE runs", s.found) : NULL;
}

void cell_place_streams(cell_program *p)
{
    bool any = false;
    for (VEC_EACH(const cell_kernel, k, &p->kernels))
        any |= k->streams;
    src_range at = {0};
    const char *why = any ? reason(p, &at) : NULL;
    if (any && why == NULL)
        p->streams = room(p);
    for (VEC_EACH(cell_kernel, k, &p->kernels)) {
        if (why == NULL || !k->streams || k->why != NULL)
            continue;
        k->why = arena_printf(p->session->arena, "it uses streams, and %s", why);
        k->why_at = at.file != 0 ? at : k->function->range;
    }
}
