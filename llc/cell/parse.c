// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text as the SPEs' compiler sees it: 32 bits of address, and the C library of the emulation.
#include <string.h>

#include "llc/cell/cell.h"
#include "llc/reader/reader.h"

static void add(cell_program *p, llc_strings *flags, const char *flag)
{
    VEC_PUSH(p->session->arena, flags, flag);
}

bool cell_parse_for_spe(cell_program *p)
{
    llc_session *s = p->session;
    llc_strings flags = {0};
    static const char *const fixed[] = {
        "-xc",         "-std=c11", "--target=wasm32-wasip1", "-msimd128", "-fwrapv",
        "-D__SPU__=1", "-isystem", SVMC_CLANG_INCLUDE,       "-isystem",  SVMC_CELL_LIBC_INCLUDE,
        "-isystem"};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        add(p, &flags, fixed[i]);
    add(p, &flags, s->environment->include_directory);
    for (VEC_EACH(const char *, dir, &s->options->includes))
        add(p, &flags, arena_printf(s->arena, "-I%s", *dir));
    for (VEC_EACH(const char *, define, &s->options->defines))
        add(p, &flags, arena_printf(s->arena, "-D%s", *define));
    const source_file *file = source_get(s->diag->sources, p->unit->file);
    struct CXUnsavedFile text = {file->name, file->text, file->len};
    if (clang_parseTranslationUnit2(p->unit->index, file->name, flags.data, (int)flags.len, &text, 1,
                                    CXTranslationUnit_None, &p->spe) != CXError_Success) {
        diag_error_at(s->diag, file->name, "clang cannot read the text for an SPE");
        return false;
    }
    for (unsigned i = 0; i < clang_getNumDiagnostics(p->spe); i++) {
        CXDiagnostic d = clang_getDiagnostic(p->spe, i);
        if (clang_getDiagnosticSeverity(d) >= CXDiagnostic_Error)
            diag_error(s->diag, reader_location(s, clang_getDiagnosticLocation(d)), "for an SPE: %s",
                       reader_string(s, clang_getDiagnosticSpelling(d)));
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
