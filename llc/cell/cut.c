// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of the SVM C that kernels reach: the text without the other declarations at file scope, taken as it is, so that
// macros, comments and names are the programmer's. Headers of the program's own are cut likewise and put in place of
// their #include; headers of the system stay where something reached comes from them, or where they may have macros.
//
// A *chunk* is a declaration, or several that share text (a struct and the typedef around it).
#include <string.h>

#include "llc/cell/cell.h"
#include "llc/reader/reader.h"

typedef struct chunk {
    unsigned begin, end; // offsets in the file
    bool reached;
} chunk;

typedef struct piece { // a file of the program's own
    CXFile file;
    const source_file *source;
    VEC(chunk) chunks; // in order
} piece;

// An #include: where it stands, and what it brings.
typedef struct inclusion {
    CXFile from, file;
    unsigned offset; // in from, of the name
} inclusion;

typedef struct place {
    piece *piece;
    chunk *chunk;
} place;

typedef struct cutting {
    cell_program *program;
    bool lines;
    VEC(piece *) pieces;
    VEC(inclusion) inclusions;
    VEC(CXCursor) declarations; // at file scope, of pieces
    VEC(place) pending;         // reached, and not walked yet
    VEC(CXFile) needed;         // headers of the system that something reached comes from
    strbuf out;
    size_t condition,
        condition_end; // where in out the last #if is; what ends at condition_end has nothing behind it yet
} cutting;

static const char *const plain_headers[] = {
    "assert.h",   "float.h",   "inttypes.h", "iso646.h", "limits.h", "math.h",
    "stdalign.h", "stdbool.h", "stddef.h",   "stdint.h", "stdlib.h", "string.h",
};

static bool same(CXFile a, CXFile b)
{
    return clang_File_isEqual(a, b) != 0;
}

// ---- Chunks ----

static piece *piece_of(cutting *c, CXFile file)
{
    for (VEC_EACH(piece *, p, &c->pieces))
        if (same((*p)->file, file))
            return *p;
    return NULL;
}

static piece *add_piece(cutting *c, CXCursor in, CXFile file)
{
    llc_session *s = c->program->session;
    piece *p = ARENA_NEW(s->arena, piece);
    src_range at = reader_location(s, clang_getCursorLocation(in));
    *p = (piece){.file = file};
    if (!source_load(s->diag->sources, at.file))
        return NULL;
    p->source = source_get(s->diag->sources, at.file);
    VEC_PUSH(s->arena, &c->pieces, p);
    return p;
}

// Where a cursor's text lies; false: not in one file of the program's own. In a macro's expansion that is where the macro is used.
static bool extent_of(CXCursor cursor, CXFile *file, unsigned *begin, unsigned *end)
{
    CXSourceRange extent = clang_getCursorExtent(cursor);
    CXFile last;
    clang_getFileLocation(clang_getRangeStart(extent), file, NULL, NULL, begin);
    clang_getFileLocation(clang_getRangeEnd(extent), &last, NULL, NULL, end);
    return *file != NULL && last != NULL && same(*file, last) && *end > *begin;
}

static enum CXChildVisitResult gather(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    cutting *c = data;
    arena *a = c->program->session->arena;
    unsigned begin, end;
    CXFile file;
    if (reader_is_foreign(cursor) || !extent_of(cursor, &file, &begin, &end))
        return CXChildVisit_Continue;
    piece *p = piece_of(c, file);
    if (p == NULL && (p = add_piece(c, cursor, file)) == NULL)
        return CXChildVisit_Continue;
    VEC_PUSH(a, &c->declarations, cursor);
    chunk *last = p->chunks.len > 0 ? &VEC_LAST(&p->chunks) : NULL;
    if (last != NULL && begin < last->end) {
        last->end = end > last->end ? end : last->end;
        last->begin = begin < last->begin ? begin : last->begin;
    } else {
        VEC_PUSH(a, &p->chunks, ((chunk){begin, end, false}));
    }
    return CXChildVisit_Continue;
}

static void add_inclusion(CXFile file, CXSourceLocation *stack, unsigned depth, CXClientData data)
{
    cutting *c = data;
    inclusion i = {.file = file};
    if (depth == 0)
        return;
    clang_getFileLocation(stack[0], &i.from, NULL, NULL, &i.offset);
    VEC_PUSH(c->program->session->arena, &c->inclusions, i);
}

// ---- What is reached ----

static bool is_needed(const cutting *c, CXFile file)
{
    for (VEC_EACH(const CXFile, f, &c->needed))
        if (same(*f, file))
            return true;
    return false;
}

// A header, and those that include it.
static void need(cutting *c, CXFile file)
{
    if (file == NULL || is_needed(c, file))
        return;
    VEC_PUSH(c->program->session->arena, &c->needed, file);
    for (size_t i = 0; i < c->inclusions.len; i++)
        if (same(c->inclusions.data[i].file, file) && piece_of(c, c->inclusions.data[i].from) == NULL)
            need(c, c->inclusions.data[i].from);
}

static void reach(cutting *c, CXCursor declaration)
{
    unsigned offset;
    CXFile file;
    clang_getFileLocation(clang_getCursorLocation(declaration), &file, NULL, NULL, &offset);
    if (file == NULL)
        return;
    piece *p = piece_of(c, file);
    if (p == NULL) {
        need(c, file);
        return;
    }
    for (VEC_EACH(chunk, k, &p->chunks))
        if (offset >= k->begin && offset < k->end && !k->reached) {
            k->reached = true;
            VEC_PUSH(c->program->session->arena, &c->pending, ((place){p, k}));
        }
}

static enum CXChildVisitResult visit(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    CXCursor referenced = clang_getCursorReferenced(cursor);
    if (!clang_Cursor_isNull(referenced) && !clang_equalCursors(referenced, cursor))
        reach(data, referenced);
    CXCursor definition = clang_getCursorDefinition(referenced);
    if (!clang_Cursor_isNull(definition))
        reach(data, definition);
    return CXChildVisit_Recurse;
}

static void reach_all(cutting *c)
{
    for (VEC_EACH(const cell_kernel, k, &c->program->kernels))
        if (k->why == NULL)
            reach(c, k->function->cursor);
    for (size_t i = 0; i < c->pending.len; i++) {
        place at = c->pending.data[i];
        for (VEC_EACH(const CXCursor, d, &c->declarations)) {
            unsigned begin, end;
            CXFile file;
            if (extent_of(*d, &file, &begin, &end) && same(file, at.piece->file) && begin >= at.chunk->begin &&
                begin < at.chunk->end)
                clang_visitChildren(*d, visit, c);
        }
    }
}

// ---- Text ----

static unsigned line_of(const source_file *source, unsigned offset)
{
    unsigned line = 1;
    for (unsigned i = 0; i < offset; i++)
        line += source->text[i] == '\n';
    return line;
}

static unsigned line_end(const source_file *source, unsigned at, unsigned end)
{
    while (at < end && source->text[at] != '\n')
        at++;
    return at < end ? at + 1 : end;
}

// The word of a directive that begins at an offset; NULL: there is none.
static const char *directive(const source_file *source, unsigned at, unsigned end)
{
    while (at < end && strchr(" \t", source->text[at]) != NULL)
        at++;
    if (at == end || source->text[at] != '#')
        return NULL;
    for (at++; at < end && strchr(" \t", source->text[at]) != NULL;)
        at++;
    return source->text + at;
}

// Behind the last of its lines.
static unsigned directive_end(const source_file *source, unsigned at, unsigned end)
{
    unsigned next = line_end(source, at, end);
    while (next < end && next >= 2 && source->text[next - 2] == '\\')
        next = line_end(source, next, end);
    return next;
}

static void add_piece_text(cutting *c, const piece *p);

static bool ends_with_header(const char *path, const char *name)
{
    size_t n = strlen(path), m = strlen(name);
    return n >= m && strcmp(path + n - m, name) == 0 && (n == m || path[n - m - 1] == '/');
}

// Of a header of the system: does the SPEs' text keep it?
static bool stays(const cutting *c, CXFile file)
{
    llc_session *s = c->program->session;
    const char *path = reader_string(s, clang_getFileName(file));
    if (is_needed(c, file) ||
        strncmp(path, s->environment->include_directory, strlen(s->environment->include_directory)) == 0)
        return true;
    for (size_t i = 0; i < sizeof plain_headers / sizeof *plain_headers; i++)
        if (ends_with_header(path, plain_headers[i]))
            return true;
    return false;
}

// True: the #include on the lines from `at` is done with.
static bool include(cutting *c, const piece *p, unsigned at, unsigned next)
{
    for (size_t n = 0; n < c->inclusions.len; n++) {
        inclusion i = c->inclusions.data[n];
        if (!same(i.from, p->file) || i.offset < at || i.offset >= next)
            continue;
        const piece *own = piece_of(c, i.file);
        if (own != NULL)
            add_piece_text(c, own);
        return own != NULL || !stays(c, i.file);
    }
    return false;
}

// Both ends of a condition with nothing between are left out.
static void add_directive(cutting *c, const char *word, const char *text, size_t len)
{
    if (strncmp(word, "endif", 5) == 0 && c->condition_end == c->out.len && c->out.len > 0) {
        c->out.len = c->condition;
        c->out.data[c->out.len] = '\0';
        c->condition_end = 0;
        return;
    }
    size_t begin = c->out.len;
    strbuf_addn(&c->out, text, len);
    if (strncmp(word, "if", 2) == 0) {
        c->condition = begin;
        c->condition_end = c->out.len;
    }
}

// Of text between declarations, the directives.
static void add_directives(cutting *c, const piece *p, unsigned at, unsigned end)
{
    const source_file *source = p->source;
    while (at < end) {
        const char *word = directive(source, at, end);
        unsigned next = word != NULL ? directive_end(source, at, end) : line_end(source, at, end);
        bool done = word == NULL || (strncmp(word, "include", 7) == 0 && include(c, p, at, next));
        if (!done)
            add_directive(c, word, source->text + at, next - at);
        at = next;
    }
}

// What follows a declaration up to its line's end, without its semicolon where it is left out.
static unsigned behind(const source_file *source, unsigned at)
{
    while (at < source->len && strchr(" \t;", source->text[at]) != NULL)
        at++;
    return at < source->len && source->text[at] == '\n' ? at + 1 : at;
}

// The beginning of the comments directly before a declaration.
static unsigned before(const source_file *source, unsigned at, unsigned end)
{
    unsigned begin = end;
    for (unsigned i = at, next; i < end; i = next) {
        next = line_end(source, i, end);
        const bool blank = next == i + 1, is_directive = directive(source, i, end) != NULL;
        if (blank || is_directive)
            begin = end;
        else if (begin == end)
            begin = i;
        if (is_directive)
            next = directive_end(source, i, end);
    }
    return begin;
}

static void add_line(cutting *c, const source_file *source, unsigned offset)
{
    strbuf_printf(&c->out, "#line %u ", line_of(source, offset));
    strbuf_add_c_string(&c->out, source->name, strlen(source->name));
    strbuf_addc(&c->out, '\n');
}

static void add_piece_text(cutting *c, const piece *p)
{
    const source_file *source = p->source;
    unsigned at = 0;
    for (VEC_EACH(const chunk, k, &p->chunks)) {
        unsigned begin = k->reached ? before(source, at, k->begin) : k->begin;
        add_directives(c, p, at, begin);
        at = behind(source, k->end);
        if (!k->reached)
            continue;
        strbuf_addc(&c->out, '\n');
        if (c->lines)
            add_line(c, source, begin);
        strbuf_addn(&c->out, source->text + begin, at - begin);
        if (source->text[at - 1] != '\n')
            strbuf_addc(&c->out, '\n');
    }
    add_directives(c, p, at, (unsigned)source->len);
}

const char *cell_cut(cell_program *p, bool lines)
{
    cutting c = {.program = p, .lines = lines};
    strbuf_init(&c.out, p->session->arena);
    arena *a = p->session->arena;
    piece *whole = ARENA_NEW(a, piece);
    whole->source = source_get(p->session->diag->sources, p->unit->file);
    whole->file = clang_getFile(p->unit->tu, whole->source->name);
    VEC_PUSH(a, &c.pieces, whole);
    clang_getInclusions(p->unit->tu, add_inclusion, &c);
    clang_visitChildren(clang_getTranslationUnitCursor(p->unit->tu), gather, &c);
    reach_all(&c);
    add_piece_text(&c, whole);
    return c.out.data;
}
