// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --emit=lib: an archive of the program's objects, and beside it a C header with the functions that are not static.
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "llc/cc/cc.h"
#include "llc/host/host.h"
#include "llc/reader/reader.h"

typedef struct header {
    llc_session *session;
    strbuf *out;
    hmap declared; // struct names
    CXPrintingPolicy policy;
} header;

// A struct that a function's type points to is declared, not defined: programs only hand it around.
static void declare_struct(header *h, CXType type)
{
    llc_session *s = h->session;
    while (type.kind == CXType_Pointer)
        type = clang_getPointeeType(type);
    CXType record = clang_getCanonicalType(type);
    CXCursor declaration = clang_getTypeDeclaration(record);
    if (record.kind != CXType_Record || reader_is_foreign(declaration))
        return;
    CXCursor named = clang_getTypeDeclaration(clang_getUnqualifiedType(type));
    const char *tag = reader_string(s, clang_getCursorSpelling(declaration));
    const char *name = reader_string(s, clang_getCursorSpelling(named));
    const char *line = clang_getCursorKind(named) == CXCursor_TypedefDecl
                           ? arena_printf(s->arena, "typedef struct %s %s;\n", tag, name)
                           : arena_printf(s->arena, "struct %s;\n", tag);
    if (hmap_get(&h->declared, line) != NULL)
        return;
    hmap_set(&h->declared, line, h);
    strbuf_add(h->out, line);
}

static bool is_exported(CXCursor cursor)
{
    return clang_getCursorKind(cursor) == CXCursor_FunctionDecl && clang_isCursorDefinition(cursor) &&
           !reader_is_foreign(cursor) && clang_getCursorLinkage(cursor) == CXLinkage_External;
}

static enum CXChildVisitResult visit_types(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    if (!is_exported(cursor))
        return CXChildVisit_Continue;
    CXType type = clang_getCursorType(cursor);
    declare_struct(data, clang_getResultType(type));
    for (int i = 0; i < clang_getNumArgTypes(type); i++)
        declare_struct(data, clang_getArgType(type, (unsigned)i));
    return CXChildVisit_Continue;
}

static enum CXChildVisitResult visit_function(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    header *h = data;
    if (!is_exported(cursor))
        return CXChildVisit_Continue;
    char *name = reader_string(h->session, clang_getCursorSpelling(cursor));
    if (strcmp(name, "main") == 0)
        return CXChildVisit_Continue;
    if (h->policy == NULL) {
        h->policy = clang_getCursorPrintingPolicy(cursor);
        clang_PrintingPolicy_setProperty(h->policy, CXPrintingPolicy_TerseOutput, 1);
        clang_PrintingPolicy_setProperty(h->policy, CXPrintingPolicy_PolishForDeclaration, 1);
    }
    char *text = reader_string(h->session, clang_getCursorPrettyPrinted(cursor, h->policy));
    strbuf_printf(h->out, "%s;\n", text);
    return CXChildVisit_Continue;
}

static const char *identifier(arena *a, const char *text)
{
    char *name = arena_strdup(a, text);
    for (char *p = name; *p != '\0'; p++)
        if (!isalnum((unsigned char)*p))
            *p = '_';
    return isdigit((unsigned char)name[0]) ? arena_printf(a, "_%s", name) : name;
}

// "libfm.a" and "fm" give "fm"
static const char *library_stem(llc_session *s)
{
    const char *slash = strrchr(s->output, '/');
    const char *name = slash == NULL ? s->output : slash + 1;
    if (strncmp(name, "lib", 3) == 0)
        name += 3;
    const char *dot = strchr(name, '.');
    return arena_strndup(s->arena, name, dot == NULL ? strlen(name) : (size_t)(dot - name));
}

static bool write_header(llc_session *s, const char *stem)
{
    strbuf out;
    strbuf_init(&out, s->arena);
    const char *name = identifier(s->arena, stem);
    strbuf_printf(&out, "// The functions of the library '%s'. Link with libsvm-host and the mathematics library.\n",
                  stem);
    strbuf_printf(&out, "#ifndef SVM_LIBRARY_%s_H\n#define SVM_LIBRARY_%s_H\n\n#include <svm/program.h>\n\n", name,
                  name);
    strbuf_add(&out, "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
    header h = {.session = s, .out = &out};
    hmap_init(&h.declared, s->arena);
    for (VEC_EACH(llc_unit *, unit, &s->units)) {
        CXCursor root = clang_getTranslationUnitCursor((*unit)->tu);
        clang_visitChildren(root, visit_types, &h);
        clang_visitChildren(root, visit_function, &h);
    }
    if (h.policy != NULL)
        clang_PrintingPolicy_dispose(h.policy);
    strbuf_add(&out, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
    const char *slash = strrchr(s->output, '/');
    const char *path = s->options->header;
    if (path == NULL)
        path = arena_printf(s->arena, "%.*s%s.h", slash == NULL ? 0 : (int)(slash - s->output + 1), s->output, stem);
    if (s->environment->dry_run || file_write(path, out.data, out.len))
        return true;
    diag_error_at(s->diag, LLC_TOOL, "cannot write '%s': %s", path, strerror(errno));
    return false;
}

// llvm-ar beside clang, else the system's.
static const char *archiver(llc_session *s)
{
    const char *slash = strrchr(s->environment->clang, '/');
    if (slash == NULL)
        return "ar";
    const char *path =
        arena_printf(s->arena, "%.*s/llvm-ar", (int)(slash - s->environment->clang), s->environment->clang);
    return access(path, X_OK) == 0 ? path : "ar";
}

bool host_emit_library(llc_session *s)
{
    const char *stem = library_stem(s);
    llc_strings command = {0}, sources = {0};
    VEC_PUSH(s->arena, &command, archiver(s));
    VEC_PUSH(s->arena, &command, "rcs");
    VEC_PUSH(s->arena, &command, s->output);
    cc_sources(s, &sources);
    for (VEC_EACH(const char *, source, &sources)) {
        const char *object = s->environment->temporary(s->environment->context, stem, ".o");
        const char *rename = arena_printf(s->arena, "-Dmain=%s_main", identifier(s->arena, stem));
        if (object == NULL || !host_compile(s, LLC_OUTPUT_OBJ, *source, object, rename))
            return false;
        VEC_PUSH(s->arena, &command, object);
    }
    for (VEC_EACH(const char *, other, &s->others))
        if (!llc_is_c(*other))
            VEC_PUSH(s->arena, &command, *other);
    struct stat there;
    bool is_there = !s->environment->dry_run && lstat(s->output, &there) == 0;
    if (is_there && !S_ISREG(there.st_mode) && !S_ISLNK(there.st_mode)) {
        diag_error_at(s->diag, LLC_TOOL, "a library cannot be written to '%s', which is no file; name one with -o",
                      s->output);
        return false;
    }
    if (is_there && unlink(s->output) != 0) {
        diag_error_at(s->diag, LLC_TOOL, "cannot replace '%s': %s", s->output, strerror(errno));
        return false;
    }
    return llc_run_command(s, &command) && (s->options->no_exports || write_header(s, stem));
}
