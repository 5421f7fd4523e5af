// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libclang's places and diagnostics in terms of the source set and the diagnostics engine.
#include <ctype.h>
#include <string.h>

#include "llc/reader/reader.h"

char *reader_string(llc_session *s, CXString string)
{
    const char *text = clang_getCString(string);
    char *copy = arena_strdup(s->arena, text == NULL ? "" : text);
    clang_disposeString(string);
    return copy;
}

// The source of a file that clang has read; texts are shared by name.
static source_id find_source(llc_session *s, CXFile file)
{
    if (file == NULL)
        return 0;
    const char *name = reader_string(s, clang_getFileName(file));
    source_set *sources = s->diag->sources;
    for (source_id i = 1; i < sources->files.len; i++)
        if (strcmp(sources->files.data[i].name, name) == 0)
            return i;
    return source_add_name(sources, name);
}

src_range reader_location(llc_session *s, CXSourceLocation location)
{
    CXFile file;
    unsigned offset;
    clang_getFileLocation(location, &file, NULL, NULL, &offset);
    source_id id = find_source(s, file);
    return (src_range){id, offset, offset};
}

src_range reader_range(llc_session *s, CXCursor cursor)
{
    CXSourceRange extent = clang_getCursorExtent(cursor);
    src_range begin = reader_location(s, clang_getRangeStart(extent));
    src_range end = reader_location(s, clang_getRangeEnd(extent));
    if (end.file == begin.file && end.begin > begin.begin)
        begin.end = end.begin;
    return begin;
}

static bool is_word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

src_range reader_word(llc_session *s, src_range at, const char *word)
{
    const source_file *file = source_get(s->diag->sources, at.file);
    size_t n = strlen(word);
    if (at.file == 0 || file->text == NULL || n == 0)
        return at;
    int depth = 0;
    for (size_t i = at.begin; i + n <= file->len; i++) {
        char c = file->text[i];
        depth += (c == '(') - (c == ')');
        if (c == ';' || (c == ')' && depth <= 0))
            break;
        bool whole = depth > 0 && strncmp(file->text + i, word, n) == 0 && !is_word_char(file->text[i - 1]) &&
                     (i + n == file->len || !is_word_char(file->text[i + n]));
        if (whole)
            return (src_range){at.file, (uint32_t)i, (uint32_t)(i + n)};
    }
    return at;
}

bool reader_is_foreign(CXCursor cursor)
{
    CXSourceLocation location = clang_getCursorLocation(cursor);
    CXFile file;
    clang_getFileLocation(location, &file, NULL, NULL, NULL);
    return file == NULL || clang_Location_isInSystemHeader(location) != 0;
}

static src_range diagnostic_range(llc_session *s, CXDiagnostic diagnostic)
{
    src_range at = reader_location(s, clang_getDiagnosticLocation(diagnostic));
    for (unsigned i = 0; i < clang_getDiagnosticNumRanges(diagnostic); i++) {
        CXSourceRange range = clang_getDiagnosticRange(diagnostic, i);
        src_range begin = reader_location(s, clang_getRangeStart(range));
        src_range end = reader_location(s, clang_getRangeEnd(range));
        if (begin.file == at.file && begin.begin == at.begin && end.file == at.file && end.begin > at.begin)
            at.end = end.begin;
    }
    return at;
}

// What clang says, which names files too: "in file included from ...".
static const char *sentence(llc_session *s, CXDiagnostic diagnostic)
{
    char *text = reader_string(s, clang_getDiagnosticSpelling(diagnostic));
    const char *folder = s->diag->sources->passing;
    char *at = folder == NULL ? NULL : strstr(text, folder);
    if (at != NULL)
        memmove(at, at + strlen(folder), strlen(at + strlen(folder)) + 1);
    return text;
}

// True for an error.
static bool report_one(llc_session *s, CXDiagnostic diagnostic)
{
    enum CXDiagnosticSeverity severity = clang_getDiagnosticSeverity(diagnostic);
    if (severity < CXDiagnostic_Warning)
        return false;
    const char *text = sentence(s, diagnostic);
    src_range at = diagnostic_range(s, diagnostic);
    diag_record *record;
    if (severity == CXDiagnostic_Warning) {
        char *flag = reader_string(s, clang_getDiagnosticOption(diagnostic, NULL));
        record = diag_warning(s->diag, WARN_CLANG, at, "%s%s%s%s", text, flag[0] == '\0' ? "" : " (", flag,
                              flag[0] == '\0' ? "" : ")");
    } else {
        record = diag_error(s->diag, at, "%s", text);
    }
    CXDiagnosticSet notes = clang_getChildDiagnostics(diagnostic);
    for (unsigned i = 0; i < clang_getNumDiagnosticsInSet(notes); i++) {
        CXDiagnostic note = clang_getDiagnosticInSet(notes, i);
        diag_add_note(s->diag, record, diagnostic_range(s, note), "%s", sentence(s, note));
        clang_disposeDiagnostic(note);
    }
    return severity >= CXDiagnostic_Error;
}

bool reader_report_clang(llc_session *s, const llc_unit *unit)
{
    bool good = true;
    // Not by clang_getNumDiagnostics: where there are notes, that makes all of them anew each time.
    CXDiagnosticSet all = clang_getDiagnosticSetFromTU(unit->tu);
    for (unsigned i = 0, n = clang_getNumDiagnosticsInSet(all); i < n; i++) {
        CXDiagnostic diagnostic = clang_getDiagnosticInSet(all, i);
        good = !report_one(s, diagnostic) && good;
        clang_disposeDiagnostic(diagnostic);
    }
    clang_disposeDiagnosticSet(all);
    return good;
}
