// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parses SVM C with libclang and collects what the contract macros say.
#include "llc/reader/reader.h"

#include <string.h>

// The flags that decide what the text means; a backend adds those that decide how it is compiled.
static void parse_flags(const llc_session *s, llc_strings *flags)
{
    arena *a = s->arena;
    VEC_PUSH(a, flags, "-xc");
    VEC_PUSH(a, flags, "-std=c11");
    VEC_PUSH(a, flags, "-fwrapv");
    VEC_PUSH(a, flags, "-ferror-limit=0"); // the diagnostics engine has its own
    // Both decide which macros are defined.
    VEC_PUSH(a, flags, strcmp(s->options->level, "0") == 0 ? "-O0" : "-O2");
    if (s->options->march != NULL)
        VEC_PUSH(a, flags, arena_printf(a, "-march=%s", s->options->march));
    VEC_PUSH(a, flags, "-isystem");
    VEC_PUSH(a, flags, s->environment->include_directory);
    VEC_PUSH(a, flags, "--no-system-header-prefix=svm/mapped"); // as if the text stood in the program
    VEC_PUSH(a, flags, "--no-system-header-prefix=svm/input");
    VEC_PUSH(a, flags, "--no-system-header-prefix=svm/offload");
    for (VEC_EACH(const char *, dir, &s->options->includes))
        VEC_PUSH(a, flags, arena_printf(a, "-I%s", *dir));
    for (VEC_EACH(const char *, define, &s->options->defines))
        VEC_PUSH(a, flags, arena_printf(a, "-D%s", *define));
}

typedef struct collector {
    llc_session *session;
    llc_unit *unit;
    CXCursor declaration;
    src_range at;
    bool good;
} collector;

static const char *after(const char *text, const char *prefix)
{
    size_t n = strlen(prefix);
    return strncmp(text, prefix, n) == 0 ? text + n : NULL;
}

static void set_machine(collector *c, const char *name)
{
    llc_unit *u = c->unit;
    u->machine_name = name;
    src_range literal = reader_word(c->session, c->at, arena_printf(c->session->arena, "\"%s\"", name));
    u->machine_range = literal;
}

static void add_name(collector *c, const char *name)
{
    VEC_PUSH(c->session->arena, &c->unit->names,
             (llc_name){.name = name, .range = reader_word(c->session, c->at, name)});
}

llc_function *reader_add_function(llc_session *s, llc_unit *unit, llc_role role, CXCursor declaration)
{
    static const char *const roles[] = {[LLC_KERNEL] = "kernel", [LLC_FIRE] = "fire", [LLC_CONTROL] = "control"};
    const char *name = reader_string(s, clang_getCursorSpelling(declaration));
    const char *key = arena_printf(s->arena, "%s %s", roles[role], name);
    if (hmap_get(&unit->marked, key) != NULL)
        return NULL;
    hmap_set(&unit->marked, key, unit);
    llc_function *f = VEC_ADD(s->arena, &unit->functions);
    CXCursor definition = clang_getCursorDefinition(declaration);
    *f = (llc_function){.role = role, .name = name, .firings = 1};
    f->cursor = clang_Cursor_isNull(definition) ? declaration : definition;
    f->range = reader_location(s, clang_getCursorLocation(declaration));
    f->range.end = f->range.begin + (uint32_t)strlen(name);
    return f;
}

// One annotate attribute of c->declaration. A declaration and its definition may both carry it.
static void take_annotation(collector *c, const char *text)
{
    llc_session *s = c->session;
    bool is_function = clang_getCursorKind(c->declaration) == CXCursor_FunctionDecl;
    llc_function *f;
    const char *rest;
    if ((rest = after(text, "svm.machine=")) != NULL) {
        set_machine(c, rest);
    } else if ((rest = after(text, "svm.memory=")) != NULL || (rest = after(text, "svm.processor=")) != NULL) {
        add_name(c, rest);
    } else if (after(text, "svm.") != NULL && !is_function) {
        diag_error(s->diag, c->at, "SVM_KERNEL, SVM_FIRE and SVM_CONTROL go before a function");
        c->good = false;
    } else if ((rest = after(text, "svm.kernel=")) != NULL) {
        if ((f = reader_add_function(s, c->unit, LLC_KERNEL, c->declaration)) != NULL)
            c->good = reader_parse_kernel(s, f, rest, c->at) && c->good;
    } else if ((rest = after(text, "svm.fire=")) != NULL) {
        if ((f = reader_add_function(s, c->unit, LLC_FIRE, c->declaration)) != NULL)
            c->good = reader_parse_fire(s, f, rest, c->at) && c->good;
    } else if ((rest = after(text, "svm.control=")) != NULL) {
        if ((f = reader_add_function(s, c->unit, LLC_CONTROL, c->declaration)) != NULL) {
            f->control_name = rest;
            f->control_range = c->at;
        }
    }
}

static enum CXChildVisitResult visit_attribute(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    collector *c = data;
    if (clang_getCursorKind(cursor) != CXCursor_AnnotateAttr)
        return CXChildVisit_Continue;
    c->at = reader_location(c->session, clang_getCursorLocation(cursor));
    take_annotation(c, reader_string(c->session, clang_getCursorSpelling(cursor)));
    return CXChildVisit_Continue;
}

static enum CXChildVisitResult visit_declaration(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    collector *c = data;
    if (reader_is_foreign(cursor) || clang_Cursor_hasAttrs(cursor) == 0)
        return CXChildVisit_Continue;
    c->declaration = cursor;
    clang_visitChildren(cursor, visit_attribute, c);
    return CXChildVisit_Continue;
}

// libclang does not say why it refuses to begin (an unknown -march is the usual reason); clang does.
static void explain_failure(llc_session *s, const llc_unit *unit, const llc_strings *flags, enum CXErrorCode error)
{
    llc_strings command = {0};
    VEC_PUSH(s->arena, &command, s->environment->clang);
    for (VEC_EACH(const char *, flag, flags))
        VEC_PUSH(s->arena, &command, *flag);
    VEC_PUSH(s->arena, &command, "-fsyntax-only");
    VEC_PUSH(s->arena, &command, unit->path);
    if (llc_run_command(s, &command))
        diag_internal(s->diag, (src_range){0}, "libclang cannot parse '%s' (code %d)", unit->path, (int)error);
}

bool reader_parse(llc_session *s, llc_unit *unit)
{
    if (!reader_check_nesting(s, unit))
        return false;
    llc_strings flags = {0};
    parse_flags(s, &flags);
    const source_file *file = source_get(s->diag->sources, unit->file);
    struct CXUnsavedFile text = {file->name, file->text, file->len};
    unit->index = clang_createIndex(0, 0);
    enum CXErrorCode error = clang_parseTranslationUnit2(unit->index, file->name, flags.data, (int)flags.len, &text, 1,
                                                         CXTranslationUnit_None, &unit->tu);
    if (error != CXError_Success) {
        explain_failure(s, unit, &flags, error);
        return false;
    }
    return reader_report_clang(s, unit);
}

bool reader_collect(llc_session *s, llc_unit *unit)
{
    collector c = {.session = s, .unit = unit, .good = true};
    hmap_init(&unit->marked, s->arena);
    clang_visitChildren(clang_getTranslationUnitCursor(unit->tu), visit_declaration, &c);
    return reader_resolve(s, unit) && c.good;
}

void reader_close(llc_unit *unit)
{
    if (unit->tu != NULL)
        clang_disposeTranslationUnit(unit->tu);
    if (unit->index != NULL)
        clang_disposeIndex(unit->index);
    unit->tu = NULL;
    unit->index = NULL;
}
