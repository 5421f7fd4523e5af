// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of the text against the machine file: the machine, its memories and processors, what runs where as far as
// the text shows it, and the types of the functions that the macros mark.
#include <string.h>

#include "llc/reader/reader.h"

typedef enum placement_kind { KERNEL_PROCESSOR, DMA_PROCESSOR, GLOBAL_MEMORY } placement_kind;
typedef struct placement {
    const char *function;
    int argument;
    placement_kind kind;
} placement;

static const placement placements[] = {
#define PLACEMENT(function, argument, kind) {#function, argument, kind},
#include "llc/reader/placements.def"
#undef PLACEMENT
};

// What svm_KernelStart and svm_KernelRestore are: their second argument is a kernel.
static const char *const starts[] = {"svm_KernelStartAfter", "svm_KernelStartList", "svm_KernelRestoreAfter",
                                     "svm_KernelRestoreList"};

typedef struct resolver {
    llc_session *session;
    llc_unit *unit;
    bool good;
} resolver;

static bool load_machine(llc_session *s, llc_unit *unit)
{
    const char *name = s->options->machine != NULL ? s->options->machine : unit->machine_name;
    src_range at = s->options->machine != NULL ? (src_range){0} : unit->machine_range;
    if (unit->machine_name == NULL) {
        diag_error(s->diag, (src_range){unit->file, 0, 0},
                   "this file uses no SVM_MACHINE at file scope; SVM C starts with SVM_MACHINE(\"name\")");
        return false;
    }
    unit->machine = machine_find(s->arena, s->diag, s->environment->machine_directory, name, at);
    return unit->machine != NULL;
}

static void unknown_name(resolver *r, const llc_name *n, unsigned kinds)
{
    const char *near = machine_nearest(r->unit->machine, kinds, n->name);
    const char *what = kinds == MACHINE_MEMORY ? "memory" : "processor";
    diag_record *e =
        diag_error(r->session->diag, n->range, "machine '%s' has no %s '%s'%s", r->unit->machine->name, what, n->name,
                   near == NULL ? "" : arena_printf(r->session->arena, "; did you mean '%s'?", near));
    if (near != NULL && n->range.end > n->range.begin)
        diag_add_fixit(r->session->diag, e, n->range, near);
    r->good = false;
}

static void resolve_name(resolver *r, llc_name *n, CXCursor declaration)
{
    llc_session *s = r->session;
    char *type = reader_string(s, clang_getTypeSpelling(clang_getCursorType(declaration)));
    if (strcmp(type, "svm_Processor") == 0) {
        n->processor = machine_processor_by_name(r->unit->machine, n->name);
        if (n->processor == NULL)
            unknown_name(r, n, MACHINE_PROCESSOR);
        return;
    }
    n->memory = machine_memory_by_name(r->unit->machine, n->name);
    if (n->memory == NULL) {
        unknown_name(r, n, MACHINE_MEMORY);
    } else if (n->memory->kind == MACHINE_memory_kind_CACHE) {
        diag_record *e =
            diag_error(s->diag, n->range, "memory '%s' of machine '%s' is a cache, which programs do not address",
                       n->name, r->unit->machine->name);
        diag_add_note(s->diag, e, machine_value_range(&n->memory->element, "kind"), "it is described here");
        r->good = false;
    }
}

// The name that a variable was declared for, or NULL.
static const llc_name *find_name(const llc_unit *unit, const char *name)
{
    for (VEC_EACH(llc_name, n, &unit->names))
        if (strcmp(n->name, name) == 0)
            return n;
    return NULL;
}

static enum CXChildVisitResult visit_name(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    resolver *r = data;
    if (clang_getCursorKind(cursor) != CXCursor_VarDecl || reader_is_foreign(cursor) || !clang_Cursor_hasAttrs(cursor))
        return CXChildVisit_Continue;
    llc_name *n = (llc_name *)find_name(r->unit, reader_string(r->session, clang_getCursorSpelling(cursor)));
    if (n != NULL)
        resolve_name(r, n, cursor);
    return CXChildVisit_Continue;
}

// ---- Placements ----

typedef struct reference {
    CXCursor declaration;
} reference;

static enum CXChildVisitResult find_reference(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    if (clang_getCursorKind(cursor) != CXCursor_DeclRefExpr)
        return CXChildVisit_Recurse;
    ((reference *)data)->declaration = clang_getCursorReferenced(cursor);
    return CXChildVisit_Break;
}

// The declaration that an argument like &PROC1 or filter_run names; null when it names none.
static CXCursor argument_declaration(CXCursor argument)
{
    reference found = {clang_getNullCursor()};
    if (clang_getCursorKind(argument) == CXCursor_DeclRefExpr)
        return clang_getCursorReferenced(argument);
    clang_visitChildren(argument, find_reference, &found);
    return found.declaration;
}

// svm_fAt is what the headers make of svm_f.
static bool is_api_name(const char *called, const char *name)
{
    size_t n = strlen(name);
    return strncmp(called, name, n) == 0 && (called[n] == '\0' || strcmp(called + n, "At") == 0);
}

static void check_processor(resolver *r, const placement *p, const llc_name *n, CXCursor argument)
{
    machine_processor_kind wanted =
        p->kind == KERNEL_PROCESSOR ? MACHINE_processor_kind_KERNEL : MACHINE_processor_kind_DMA;
    if (n->processor == NULL || n->processor->kind == wanted)
        return;
    static const char *const kinds[] = {"control", "kernel", "DMA"};
    diag_record *e = diag_error(r->session->diag, reader_range(r->session, argument),
                                "%s: '%s' is a %s processor of machine '%s'; expected a %s processor", p->function,
                                n->name, kinds[n->processor->kind], r->unit->machine->name, kinds[wanted]);
    diag_add_note(r->session->diag, e, machine_value_range(&n->processor->element, "kind"), "it is described here");
    r->good = false;
}

static void check_memory(resolver *r, const placement *p, const llc_name *n, CXCursor argument)
{
    if (n->memory == NULL)
        return;
    const machine *m = r->unit->machine;
    for (VEC_EACH(machine_processor, processor, &m->processors))
        if (processor->kind == MACHINE_processor_kind_CONTROL && machine_reaches(m, processor, n->memory))
            return;
    diag_error(r->session->diag, reader_range(r->session, argument),
               "%s: no control processor of machine '%s' reaches memory '%s'; addresses in it are offsets that the "
               "program chooses",
               p->function, m->name, n->name);
    r->good = false;
}

static void add_kernel(resolver *r, CXCursor call, unsigned argument)
{
    CXCursor function = argument_declaration(clang_Cursor_getArgument(call, argument));
    if (clang_getCursorKind(function) != CXCursor_FunctionDecl)
        return;
    if (!clang_Cursor_isNull(clang_getCursorDefinition(function)))
        reader_add_function(r->session, r->unit, LLC_KERNEL, function);
}

static enum CXChildVisitResult visit_call(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    resolver *r = data;
    if (clang_getCursorKind(cursor) != CXCursor_CallExpr)
        return CXChildVisit_Recurse;
    char *called = reader_string(r->session, clang_getCursorSpelling(cursor));
    for (size_t i = 0; i < sizeof placements / sizeof *placements; i++) {
        const placement *p = &placements[i];
        if (!is_api_name(called, p->function) || clang_Cursor_getNumArguments(cursor) <= p->argument)
            continue;
        CXCursor argument = clang_Cursor_getArgument(cursor, (unsigned)p->argument);
        CXCursor declaration = argument_declaration(argument);
        const llc_name *n = clang_getCursorKind(declaration) != CXCursor_VarDecl
                                ? NULL
                                : find_name(r->unit, reader_string(r->session, clang_getCursorSpelling(declaration)));
        if (n != NULL && p->kind == GLOBAL_MEMORY)
            check_memory(r, p, n, argument);
        else if (n != NULL)
            check_processor(r, p, n, argument);
        if (strcmp(p->function, "svm_kernelInit") == 0)
            add_kernel(r, cursor, 2);
    }
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (is_api_name(called, starts[i]) && clang_Cursor_getNumArguments(cursor) > 1)
            add_kernel(r, cursor, 1);
    return CXChildVisit_Recurse;
}

static enum CXChildVisitResult visit_function(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    if (clang_getCursorKind(cursor) == CXCursor_FunctionDecl && !reader_is_foreign(cursor) &&
        clang_isCursorDefinition(cursor))
        clang_visitChildren(cursor, visit_call, data);
    return CXChildVisit_Continue;
}

// ---- Types of marked functions ----

static void check_type(resolver *r, const llc_function *f)
{
    llc_session *s = r->session;
    CXType type = clang_getCursorType(f->cursor);
    if (!clang_isCursorDefinition(f->cursor)) {
        diag_error(s->diag, f->range, "function '%s' is not defined in this file", f->name);
        r->good = false;
        return;
    }
    char *result = reader_string(s, clang_getTypeSpelling(clang_getCanonicalType(clang_getResultType(type))));
    CXType first = clang_getCanonicalType(clang_getArgType(type, 0));
    bool one = clang_getNumArgTypes(type) == 1;
    const char *expected = NULL;
    if (f->role == LLC_KERNEL) {
        char *pointee = reader_string(s, clang_getTypeSpelling(clang_getPointeeType(first)));
        if (!one || strcmp(result, "void") != 0 || strcmp(pointee, "struct svm_Kernel") != 0)
            expected = "a kernel is void f(svm_Kernel *kernel)";
    } else if (f->role == LLC_CONTROL) {
        if (!one || strcmp(result, "int") != 0 || first.kind != CXType_Pointer)
            expected = "a control thread is int f(T *argument)";
    } else if (strcmp(result, "void") != 0) {
        expected = "a firing function returns void";
    }
    if (expected == NULL)
        return;
    diag_error(s->diag, f->range, "'%s' has type '%s'; %s", f->name, reader_string(s, clang_getTypeSpelling(type)),
               expected);
    r->good = false;
}

// SVM_CONTROL names a control processor that the text declares.
static void check_control(resolver *r, llc_function *f)
{
    llc_session *s = r->session;
    const llc_name *n = find_name(r->unit, f->control_name);
    if (n != NULL && n->processor == NULL && n->memory == NULL)
        return; // its declaration is in error
    if (n == NULL || n->processor == NULL) {
        diag_error(s->diag, reader_word(s, f->control_range, f->control_name),
                   "SVM_CONTROL names '%s', which no SVM_PROCESSOR declares", f->control_name);
        r->good = false;
    } else if (n->processor->kind != MACHINE_processor_kind_CONTROL) {
        diag_error(s->diag, reader_word(s, f->control_range, f->control_name),
                   "SVM_CONTROL names '%s', which is no control processor of machine '%s'", f->control_name,
                   r->unit->machine->name);
        r->good = false;
    } else {
        f->processor = n->processor;
    }
}

bool reader_resolve(llc_session *s, llc_unit *unit)
{
    if (!load_machine(s, unit))
        return false;
    resolver r = {s, unit, true};
    CXCursor root = clang_getTranslationUnitCursor(unit->tu);
    clang_visitChildren(root, visit_name, &r);
    clang_visitChildren(root, visit_function, &r);
    for (VEC_EACH(llc_function, f, &unit->functions)) {
        check_type(&r, f);
        if (f->role == LLC_CONTROL)
            check_control(&r, f);
    }
    return r.good;
}
