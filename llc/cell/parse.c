// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text as the SPEs' compiler sees it: 32 bits of address, and the C library of the emulation.
#include <string.h>

#include "llc/cell/cell.h"
#include "llc/reader/reader.h"

static void add(cell_program *p, llc_strings *flags, const char *flag)
{
    VEC_PUSH(p->session->arena, flags, flag);
}

// Messages are about lines that the cut text says are others'.
static void report(cell_program *p, CXDiagnostic d)
{
    llc_session *s = p->session;
    CXString file;
    unsigned line, column;
    clang_getPresumedLocation(clang_getDiagnosticLocation(d), &file, &line, &column);
    const char *name = reader_string(s, file);
    diag_error_at(s->diag, arena_printf(s->arena, "%s:%u:%u", name, line, column), "for an SPE: %s",
                  reader_string(s, clang_getDiagnosticSpelling(d)));
}

const char *cell_folder(cell_program *p)
{
    const char *slash = strrchr(p->unit->path, '/');
    return slash == NULL ? "." : arena_strndup(p->session->arena, p->unit->path, (size_t)(slash - p->unit->path));
}

CXTranslationUnit cell_parse_text(cell_program *p, const char *content)
{
    llc_session *s = p->session;
    CXTranslationUnit tu = NULL;
    llc_strings flags = {0};
    static const char *const fixed[] = {"-xc",
                                        "-std=c11",
                                        "--target=wasm32-wasip1",
                                        "-msimd128",
                                        "-fwrapv",
                                        "-D__SPU__=1",
                                        "-nostdinc",
                                        "-isystem",
                                        SVMC_CLANG_INCLUDE,
                                        "-isystem",
                                        SVMC_CELL_LIBC_INCLUDE,
                                        "-isystem"};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        add(p, &flags, fixed[i]);
    add(p, &flags, s->environment->include_directory);
    for (VEC_EACH(const char *, dir, &s->options->includes))
        add(p, &flags, arena_printf(s->arena, "-I%s", *dir));
    for (VEC_EACH(const char *, define, &s->options->defines))
        add(p, &flags, arena_printf(s->arena, "-D%s", *define));
    add(p, &flags, arena_printf(s->arena, "-iquote%s", cell_folder(p)));
    const char *name = cell_text_name(p);
    struct CXUnsavedFile text = {name, content, strlen(content)};
    if (clang_parseTranslationUnit2(p->unit->index, name, flags.data, (int)flags.len, &text, 1, CXTranslationUnit_None,
                                    &tu) != CXError_Success)
        return NULL;
    return tu;
}

const char *cell_text_name(cell_program *p)
{
    return arena_printf(p->session->arena, "%s.spu.c", p->stem);
}

bool cell_parse_for_spe(cell_program *p)
{
    llc_session *s = p->session;
    p->spe = cell_parse_text(p, cell_cut(p, true));
    if (p->spe == NULL) {
        diag_error_at(s->diag, p->unit->path, "clang cannot read the text for an SPE");
        return false;
    }
    for (unsigned i = 0; i < clang_getNumDiagnostics(p->spe); i++) {
        CXDiagnostic d = clang_getDiagnostic(p->spe, i);
        if (clang_getDiagnosticSeverity(d) >= CXDiagnostic_Error)
            report(p, d);
        clang_disposeDiagnostic(d);
    }
    return !diag_has_errors(s->diag);
}

void cell_close(cell_program *p)
{
    if (p->spe != NULL)
        clang_disposeTranslationUnit(p->spe);
    p->spe = NULL;
}
